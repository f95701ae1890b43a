//! What statements run inside of them.
//!
//! Stored functions and triggers run statements of their own, so anyone who runs them stands above the executor and the writer of rows, which
//! both ask for them. They do it through this trait.

use super::{Boxed, Runner};
use crate::ddl::refused::value_error;
use crate::query::eval::eval;
use crate::query::eval::frame::Frame;
use crate::query::expr::BExpr;
use crate::query::plan::code::Code;
use crate::query::plan::outcome::Run;
use crate::value::Value;
use std::sync::Arc;

/// Anyone who runs stored programs.
pub trait Programs: Sync {
    /// The value of a stored function.
    fn call<'b>(
        &self,
        r: &'b mut Runner<'_, '_>,
        code: &'b Arc<Code>,
        args: Vec<Value<'static>>,
    ) -> Boxed<'b, Value<'static>>;

    /// Runs a trigger; returns what it has left in its slots, if it came to its end.
    fn fire<'b>(
        &self,
        r: &'b mut Runner<'_, '_>,
        code: &'b Arc<Code>,
        vars: Vec<Value<'static>>,
    ) -> Boxed<'b, Option<Vec<Value<'static>>>>;
}

impl Runner<'_, '_> {
    /// Calls a stored function for the rows of `outer`.
    pub async fn call_function(
        &mut self,
        code: &Arc<Code>,
        args: &[BExpr],
        outer: &Frame<'_>,
    ) -> Run<Value<'static>> {
        let values = args
            .iter()
            .map(|a| eval(a, outer, &mut self.ev).map(Value::into_owned))
            .collect::<Result<Vec<_>, _>>()
            .map_err(value_error)?;
        let programs = self.programs;
        programs.call(self, code, values).await
    }
}
