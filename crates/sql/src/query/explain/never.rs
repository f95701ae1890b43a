//! Blocks whose conditions without a table are false whatever the rows are: they read nothing.

use crate::context::{Reads, UserVars};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, truth};
use crate::query::plan::{Block, Cond};
use crate::value::{Value, Warnings};

/// What EXPLAIN says of a block that has no rows for certain.
pub fn why_empty(b: &Block, reads: Reads<'_>, params: &[Value<'static>]) -> Option<&'static str> {
    if b.gate.iter().any(|c| is_never(c, reads, params)) {
        return Some("Impossible WHERE");
    }
    b.having.as_ref().filter(|c| is_never(c, reads, params)).map(|_| "Impossible HAVING")
}

/// A condition that is false or NULL without a look at rows. One that cannot be evaluated is an error when the statement runs, and no answer here.
fn is_never(c: &Cond, reads: Reads<'_>, params: &[Value<'static>]) -> bool {
    if !c.expr.is_statement_constant() || c.expr.varies() {
        return false;
    }
    let mut user_vars = UserVars::default();
    let mut cx = reads.eval(0);
    cx.warnings = Warnings::with_limit(0);
    let mut ev = Ev { cx, vars: reads.vars, user_vars: &mut user_vars, lists: Default::default() };
    let frame = Frame::empty(params);
    matches!(truth(&c.expr, &frame, &mut ev), Ok(Some(false) | None))
}
