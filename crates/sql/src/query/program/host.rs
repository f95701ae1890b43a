//! What the machine asks of anyone who has it run.

use crate::context::{BoxFuture, StatementCtx};
use crate::query::plan::code::Code;
use crate::query::plan::outcome::{Row, RunError};
use crate::session_api::SqlError;
use crate::value::{SqlMode, Value, Warnings};
use std::sync::Arc;
use weir_syntax::ast::{Expr, Query, Statement};

/// What is to be run.
#[derive(Clone, Copy)]
pub enum What<'a> {
    /// A statement of its own; its rows go to the client.
    Statement(&'a Statement),
    /// A cursor's query, whose rows are wanted.
    Query(&'a Query),
    /// An expression that needs a plan.
    Value(&'a Expr),
}

/// What it gave.
#[derive(Default)]
pub struct Done {
    pub into: Vec<(u32, Value<'static>)>,
    pub rows: Option<crate::query::plan::outcome::KeptRows>,
}

/// Why it failed.
pub enum Fault {
    /// A handler may take it.
    Sql(SqlError),
    /// Nothing may: the statement was killed, the transaction is gone under a function, the client went away.
    Fatal(RunError),
}

impl Fault {
    pub fn into_run(self) -> RunError {
        match self {
            Fault::Sql(e) => RunError::Sql(e),
            Fault::Fatal(e) => e,
        }
    }
}

impl From<SqlError> for Fault {
    fn from(e: SqlError) -> Fault {
        // Interrupted, out of time, shut down, no client any more.
        match e.errno {
            1317 | 3024 | 1053 | 1160 | 1161 => Fault::Fatal(RunError::Sql(e)),
            _ => Fault::Sql(e),
        }
    }
}

/// The session that runs a CALL, or the executor whose statement fires a trigger or calls a function.
pub trait Host: Send {
    /// A program begins: from now on its schema, its mode and its definer's rights hold.
    fn enter(&mut self, code: &Arc<Code>) -> Result<(), SqlError>;

    /// The innermost program, a trigger, gives a column of NEW as an OUT or INOUT argument: 1143 unless its definer may change it. What
    /// a body says itself is known when it begins.
    fn may_set(&mut self, column: &str) -> Result<(), SqlError>;

    /// The innermost program has ended.
    fn leave(&mut self);

    /// The modes of anyone who calls the next program.
    fn mode(&mut self) -> SqlMode {
        self.cx().reads.settings.mode
    }

    /// What the program's expressions are evaluated in.
    fn cx(&mut self) -> StatementCtx<'_>;

    /// Runs something. Its warnings are left in the context's diagnostics.
    fn run<'h>(
        &'h mut self,
        code: &'h Arc<Code>,
        at: usize,
        what: What<'h>,
        vars: &'h [Value<'static>],
    ) -> BoxFuture<'h, Result<Done, Fault>>;

    /// A handler goes on behind a statement that failed: what it had sent of a result so far is ended.
    fn handled(&mut self);

    /// The procedure that CALL names, if anyone who calls may execute it.
    fn procedure(&mut self, schema: &str, name: &str) -> Result<Arc<Code>, SqlError>;

    /// The conditions of the statement that ended last, for SHOW WARNINGS.
    fn tell(&mut self, conditions: &Warnings);

    /// Gives way to others in a loop that waits for nothing, and notices that it was killed.
    fn pause(&mut self) -> BoxFuture<'_, Result<(), Fault>>;
}

/// The first value of the first row.
pub fn first(rows: Vec<Row>) -> Value<'static> {
    rows.into_iter().next().and_then(|r| r.into_iter().next()).unwrap_or(Value::Null)
}
