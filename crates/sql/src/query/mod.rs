//! Queries and data changes: binding names, planning access, executing.
//!
//! `scope`, `bind` turn a syntax tree into a [`plan`]; `optimize` and `access` choose indexes and join order; `exec`,
//! `join`, `insert`, `change` run it; `write` writes rows. May use everything below in this crate and the engine. Knows nothing of sessions:
//! what it needs of one comes in [`PlanEnv`] and [`RunCtx`].
//!
//! Invariants:
//! - A plan does not depend on parameter values: ranges are built from them at run time, and every condition is checked
//!   on the row again, so a range may be too wide, never too narrow.
//! - Expressions are evaluated without waiting; subqueries are run before the expression that needs them.
//! - A plan belongs to one catalog version; the session makes a new one when it moved.

mod access;
mod bind;
mod change;
mod collations;
mod emit;
mod exec;
mod explain;
mod expr;
mod extreme;
mod frame;
mod group;
mod insert;
mod join;
mod optimize;
mod out;
mod plan;
mod scope;
mod stored;
mod write;

pub use out::{column_meta, show_columns};
pub use plan::Plan;

use crate::context::{BoxFuture, VirtualColumn, VirtualHint, VirtualTable};
use crate::ddl::engine_error::engine_error;
use crate::ddl::rebuild::value_error;
use crate::memory::{Account, Held, Over, row_bytes};
use crate::meta::MetaCache;
use crate::session_api::{KillSwitch, ResultSink, SqlError};
use crate::value::{Collation, EvalCtx, SessionInfo, SqlMode, Value, ValueError};
use crate::vars::SessionVars;
use expr::{BExpr, Ev};
use frame::{Frame, Row, Shape, Slot};
use std::collections::HashMap;
use std::sync::Arc;
use weir_engine::{Db, Error as EngineError, Isolation, Txn};
use weir_syntax::ast::{self, Statement};
use weir_syntax::parse::NormalizedLiteral;

/// User variables (`@x`); names are kept in lower case.
#[derive(Default, Debug)]
pub struct UserVars {
    values: HashMap<Arc<str>, Value<'static>>,
    held: Held,
}

/// What a variable is charged.
fn var_bytes(name: &str, v: &Value<'_>) -> usize {
    name.len() + row_bytes(std::slice::from_ref(v))
}

impl UserVars {
    pub fn get(&self, name: &str) -> Option<&Value<'static>> {
        match self.values.get(name) {
            Some(v) => Some(v),
            None => self.values.get(name.to_lowercase().as_str()),
        }
    }

    pub fn set(&mut self, account: Account<'_>, name: &str, v: Value<'static>) -> Result<(), Over> {
        let name = name.to_lowercase();
        let before = self.values.get(name.as_str()).map_or(0, |v| var_bytes(&name, v));
        let after = var_bytes(&name, &v);
        match after.checked_sub(before) {
            Some(more) => self.held.grow(account, more)?,
            None => self.held.shrink(before - after),
        }
        self.values.insert(name.into(), v);
        Ok(())
    }

    pub fn take(&mut self, name: &str) -> Option<Value<'static>> {
        let v = self.values.remove(name)?;
        self.held.shrink(var_bytes(name, &v));
        Some(v)
    }

    pub fn clear(&mut self) {
        *self = UserVars::default();
    }
}

/// Finds computed tables (information_schema and its like).
pub type VirtualLookup = fn(&str, &str) -> Option<&'static dyn VirtualTable>;

/// What planning needs.
pub struct PlanEnv<'a> {
    pub db: &'a Db,
    pub meta: &'a MetaCache,
    /// Default schema.
    pub schema: Option<&'a str>,
    pub mode: SqlMode,
    /// `collation_connection`.
    pub collation: Collation,
    pub div_increment: u8,
    pub virtuals: VirtualLookup,
    pub session: &'a dyn SessionInfo,
    pub user_vars: &'a UserVars,
    pub vars: &'a SessionVars,
    /// Values of the first execution, where known: hints for types and estimates, nothing more.
    pub params: &'a [Value<'static>],
    /// Of a text whose literals became parameters: what they were.
    pub literals: &'a [NormalizedLiteral],
    /// The plan is for these values only: parameters have the types of their values.
    pub typed_params: bool,
}

/// Rows of computed tables, from somebody who has what they ask for.
pub trait VirtualSource: Send {
    fn rows<'a>(
        &'a mut self,
        table: &'static dyn VirtualTable,
        hint: &'a VirtualHint,
    ) -> BoxFuture<'a, Result<Vec<Row>, SqlError>>;
}

/// Surroundings of one execution.
pub struct RunCtx<'a> {
    pub db: &'a Db,
    pub meta: &'a MetaCache,
    pub vars: &'a SessionVars,
    pub user_vars: &'a mut UserVars,
    pub params: &'a [Value<'static>],
    pub eval: EvalCtx<'a>,
    pub kill: &'a KillSwitch,
    /// CLIENT_FOUND_ROWS: an update counts the rows it matched.
    pub found_rows: bool,
    /// Most rows of a SELECT that has no LIMIT.
    pub select_limit: u64,
    /// The statement is a transaction of its own: SERIALIZABLE need not lock what it reads.
    pub autocommit_single: bool,
    /// Collation of results (`character_set_results`); `None`: as stored.
    pub results: Option<Collation>,
    pub auto_increment: (u64, u64),
    pub virtuals: &'a mut dyn VirtualSource,
}

/// How an execution ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub affected: u64,
    /// First generated AUTO_INCREMENT value; 0: none.
    pub last_insert_id: u64,
    /// Last value that an INSERT gave its AUTO_INCREMENT column itself: told to the client when none was generated,
    /// and no concern of LAST_INSERT_ID().
    pub explicit_id: u64,
    /// `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub info: String,
    /// For FOUND_ROWS().
    pub found_rows: u64,
    /// Rows were sent: the answer ends with `end_rows`.
    pub sent_rows: bool,
}

/// Why an execution failed.
#[derive(Debug)]
pub enum RunError {
    /// The plan is of an older definition: make a new one and try again. Nothing was done or sent.
    Stale,
    /// The engine has rolled the whole transaction back.
    Deadlock(SqlError),
    /// The statement is to be rolled back.
    Sql(SqlError),
}

impl RunError {
    pub fn into_sql(self) -> SqlError {
        match self {
            RunError::Stale => engine_error(EngineError::TableChanged { table: String::new() }),
            RunError::Deadlock(e) | RunError::Sql(e) => e,
        }
    }
}

impl From<SqlError> for RunError {
    fn from(e: SqlError) -> RunError {
        RunError::Sql(e)
    }
}

impl From<ValueError> for RunError {
    fn from(e: ValueError) -> RunError {
        RunError::Sql(value_error(e))
    }
}

impl From<EngineError> for RunError {
    fn from(e: EngineError) -> RunError {
        match e {
            EngineError::TableChanged { .. } => RunError::Stale,
            EngineError::Deadlock => RunError::Deadlock(engine_error(e)),
            other => RunError::Sql(engine_error(other)),
        }
    }
}

impl From<crate::session_api::SinkError> for RunError {
    fn from(e: crate::session_api::SinkError) -> RunError {
        RunError::Sql(e.into())
    }
}

type Run<T> = Result<T, RunError>;

/// Makes the plan of a SELECT, INSERT, REPLACE, UPDATE, DELETE, DO, or EXPLAIN of those.
pub async fn plan(stmt: &Statement, env: &PlanEnv<'_>) -> Result<Plan, SqlError> {
    plan::make(stmt, env).await
}

/// Is the statement one that [`plan`] takes?
pub fn is_query(stmt: &Statement) -> bool {
    matches!(
        stmt,
        Statement::Select(_)
            | Statement::Insert(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Do(_)
            | Statement::Explain(_)
    )
}

/// Runs a plan. Sends `columns` and `row`s; ending the answer is the session's.
pub async fn run(
    plan: &Plan,
    cx: RunCtx<'_>,
    txn: &mut Txn,
    sink: &mut dyn ResultSink,
) -> (Result<Outcome, RunError>, crate::value::Warnings) {
    let mut r = exec::Runner::new(cx, txn);
    let out = r.run_plan(plan, sink).await;
    (out, r.ev.cx.warnings)
}

/// A bound expression without tables: SET, KILL.
pub struct Const(BExpr);

pub fn bind_const(expr: &ast::Expr, env: &PlanEnv<'_>) -> Result<Const, SqlError> {
    bind::bind_alone(expr, env).map(Const)
}

pub fn eval_bound(
    e: &Const,
    params: &[Value<'static>],
    vars: &SessionVars,
    user_vars: &mut UserVars,
    cx: EvalCtx<'_>,
) -> Result<(Value<'static>, crate::value::Warnings), SqlError> {
    let mut ev = Ev { cx, vars, user_vars };
    let v = expr::eval(&e.0, &Frame::empty(params), &mut ev).map_err(value_error)?.into_owned();
    Ok((v, ev.cx.warnings))
}

/// The value of a literal that was taken out of a text.
pub fn literal_value(l: &ast::Literal, negative: bool, collation: Collation) -> Value<'static> {
    use crate::value::Decimal;
    match l {
        ast::Literal::Int(v) => match (i64::try_from(*v), negative) {
            (Ok(n), false) => Value::Int(n),
            (Ok(n), true) => Value::Int(-n),
            (Err(_), _) => Value::UInt(*v),
        },
        ast::Literal::Decimal(t) => match Decimal::parse(t.as_bytes()).value {
            Some(d) => Value::Decimal(if negative { d.negated() } else { d }),
            None => Value::Double(
                t.parse::<f64>().unwrap_or(f64::MAX) * if negative { -1.0 } else { 1.0 },
            ),
        },
        ast::Literal::Float(x, _) => Value::Double(if negative { -x } else { *x }),
        ast::Literal::Str { bytes, .. } => crate::value::literal_text(bytes, collation),
        ast::Literal::Hex { bytes, .. } | ast::Literal::Bit { bytes, .. } => {
            Value::Bytes(bytes.to_vec().into())
        }
        _ => Value::Null,
    }
}

/// Sends a small result set that is in memory; the end of it is the caller's.
pub fn send_rows(
    r: &crate::context::ShowResult,
    client: Collation,
    sink: &mut dyn ResultSink,
) -> Result<(), SqlError> {
    out::send_rows(r, client, sink).map_err(RunError::into_sql)
}

/// The WHERE of SHOW over rows with named columns: which rows satisfy it.
pub fn filter_rows(
    expr: &ast::Expr,
    columns: &[VirtualColumn],
    rows: &[Row],
    env: &PlanEnv<'_>,
    vars: &SessionVars,
    user_vars: &mut UserVars,
    cx: EvalCtx<'_>,
) -> Result<Vec<bool>, SqlError> {
    let bound: BExpr = bind::bind_over(expr, columns, env)?;
    let mut ev = Ev { cx, vars, user_vars };
    let shapes = [Shape::Values(columns.iter().map(|c| c.ty).collect())];
    rows.iter()
        .map(|row| {
            let slots = [Slot::Values(row.clone())];
            let frame = Frame { shapes: &shapes, slots: &slots, ..Frame::empty(&[]) };
            expr::is_true(&bound, &frame, &mut ev).map_err(value_error)
        })
        .collect()
}

/// Locking of rows that are only read on behalf of a change (INSERT ... SELECT).
fn source_lock(txn: &Txn) -> weir_engine::LockMode {
    if txn.isolation() >= Isolation::RepeatableRead {
        weir_engine::LockMode::Shared
    } else {
        weir_engine::LockMode::None
    }
}
