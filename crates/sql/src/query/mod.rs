//! Queries and data changes: binding names, planning access, executing.
//!
//! `scope`, `bind` turn a syntax tree into a [`plan`]; `optimize` and `access` choose indexes and join order; `exec`,
//! `join`, `insert`, `change` run it; `write` writes rows. May use everything below in this crate and the engine. Knows nothing of sessions:
//! what it needs of one comes in a [`StatementCtx`].
//!
//! Invariants:
//! - A plan does not depend on parameter values: ranges are built from them at run time, and every condition is checked
//!   on the row again, so a range may be too wide, never too narrow.
//! - Expressions are evaluated without waiting; subqueries are run before the expression that needs them.
//! - A plan belongs to one catalog version; the session makes a new one when it moved.

mod access;
mod adapt;
mod bind;
mod branches;
mod change;
mod collations;
mod constants;
mod created;
mod decided;
mod destination;
mod emit;
mod exec;
mod explain;
mod explain_expr;
mod explain_note;
mod explain_text;
mod expr;
mod extreme;
mod fitted;
mod foreign;
mod frame;
mod fulltext;
mod group;
pub mod hints;
mod image;
mod insert;
mod into;
mod join;
mod json_table;
mod json_value;
mod key_values;
mod lasting;
mod lists;
mod made;
mod make;
mod members;
mod merge;
mod open;
mod optimize;
mod order;
mod out;
mod out_column;
mod overflow;
mod own_reads;
mod packed;
mod partition;
mod plan;
mod point;
pub mod program;
mod recurse;
mod row_hash;
mod rules;
mod scope;
mod searches;
mod seen;
mod selectivity;
mod sets;
mod sort;
mod stored;
mod textfile;
mod told;

mod usable;
mod waiting;
mod walk;
mod window;
mod write;
mod writers;

pub use bind::{Deprecated, ViewPlan, unit};
pub use exec::KeptRows;
pub use plan::Plan;
pub use rules::{bind_rows, type_of};
pub use told::{announced, column_meta, show_columns};

use crate::context::{Changes, Reads, StatementCtx, UserVars, VirtualColumn};
use crate::ddl::engine_error::engine_error;
use crate::ddl::rebuild::value_error;
use crate::session_api::{ResultSink, SqlError};
use crate::value::{Collation, TypeInfo, Value, ValueError};
use expr::Ev;
use frame::{Frame, Row, Shape, Slot};
use lists::Lists;
use weir_engine::{Error as EngineError, Isolation, Txn};
use weir_syntax::ast::{self, Statement};
use weir_syntax::parse::NormalizedLiteral;

/// What planning needs beside the session's surroundings.
pub struct PlanEnv<'a> {
    pub reads: Reads<'a>,
    pub user_vars: &'a UserVars,
    /// Values of the first execution, where known: hints for types and estimates, nothing more.
    pub params: &'a [Value<'static>],
    /// Of a text whose literals became parameters: what they were.
    pub literals: &'a [NormalizedLiteral],
    /// The plan is for these values only: parameters have the types of their values.
    pub typed_params: bool,
    /// Of a statement in a stored program: the types of its variables, which are its parameters.
    pub locals: &'a [TypeInfo],
    /// The rows of a query are wanted as values: [`Outcome::rows`].
    pub collects: bool,
}

impl<'a> PlanEnv<'a> {
    pub fn new(
        reads: Reads<'a>,
        user_vars: &'a UserVars,
        params: &'a [Value<'static>],
    ) -> PlanEnv<'a> {
        PlanEnv {
            reads,
            user_vars,
            params,
            literals: &[],
            typed_params: false,
            locals: &[],
            collects: false,
        }
    }
}

/// How an execution ended.
#[derive(Default)]
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
    /// SELECT ... INTO variables of a stored program: slots and their values.
    pub into: Vec<(u32, Value<'static>)>,
    /// The rows, where they are collected.
    pub rows: Option<KeptRows>,
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

/// Makes the plan of a SELECT, INSERT, REPLACE, LOAD DATA, UPDATE, DELETE, DO, or EXPLAIN of those.
pub async fn plan(stmt: &Statement, env: &PlanEnv<'_>) -> Result<Plan, SqlError> {
    make::make(stmt, env).await
}

/// What a view of this query would be: the query with `*` written out, and its columns. `schema`, `name`: of the view.
pub fn plan_view(
    query: &ast::Query,
    schema: &str,
    name: &str,
    env: &PlanEnv<'_>,
) -> Result<ViewPlan, SqlError> {
    bind::Binder::new(env).plan_view(query, schema, name)
}

pub use created::created_columns;

/// Is the statement one that [`plan`] takes?
pub fn is_query(stmt: &Statement) -> bool {
    matches!(
        stmt,
        Statement::Select(_)
            | Statement::Insert(_)
            | Statement::LoadData(_)
            | Statement::Update(_)
            | Statement::Delete(_)
            | Statement::Do(_)
            | Statement::Explain(_)
    )
}

/// Runs a plan. Sends `columns` and `row`s; ending the answer is the session's. `single`: the statement is a transaction of its
/// own, so that SERIALIZABLE need not lock what it reads.
pub async fn run(
    plan: &Plan,
    params: &[Value<'static>],
    cx: StatementCtx<'_>,
    single: bool,
    txn: &mut Txn,
    sink: &mut dyn ResultSink,
) -> Result<Outcome, RunError> {
    let StatementCtx { reads, now_micros, changes } = cx;
    let Changes { user_vars, access, warnings } = changes;
    let cx = reads.eval(now_micros);
    let ev = Ev { cx, vars: reads.vars, user_vars, lists: Lists::kept() };
    let mut r = exec::Runner::new(reads, access, ev, params, single, txn);
    let out = r.run_plan(plan, sink).await;
    // A plan that is made anew warns anew.
    if !matches!(out, Err(RunError::Stale)) {
        warnings.absorb(r.ev.cx.warnings);
    }
    out
}

/// The value of an expression without tables: SET, KILL. `None`: it has a subquery or calls a stored function, so that it needs a
/// plan.
pub fn constant(
    expr: &ast::Expr,
    params: &[Value<'static>],
    cx: StatementCtx<'_>,
) -> Result<Option<Value<'static>>, SqlError> {
    let StatementCtx { reads, now_micros, changes } = cx;
    let Changes { user_vars, warnings, .. } = changes;
    let env = PlanEnv { typed_params: true, ..PlanEnv::new(reads, user_vars, params) };
    let Some((bound, _, deprecated)) = bind::bind_alone(expr, &env)? else { return Ok(None) };
    for old in deprecated {
        let (number, text) = old.warning();
        warnings.warn(number, || text);
    }
    let mut ev =
        Ev { cx: reads.eval(now_micros), vars: reads.vars, user_vars, lists: Lists::default() };
    let v = expr::eval(&bound, &Frame::empty(params), &mut ev).map_err(value_error)?.into_owned();
    warnings.absorb(ev.cx.warnings);
    Ok(Some(v))
}

/// The value of a literal that was taken out of a text.
pub fn literal_value(l: &ast::Literal, negative: bool, collation: Collation) -> Value<'static> {
    use crate::value::Decimal;
    match l {
        ast::Literal::Int(v) => match (i64::try_from(*v), negative) {
            (Ok(n), false) => Value::Int(n),
            (Ok(n), true) => Value::Int(-n),
            // As in the text's own binding: below the smallest BIGINT it is a DECIMAL.
            (Err(_), true) => Decimal::parse(v.to_string().as_bytes())
                .value
                .map_or(Value::UInt(*v), |d| Value::Decimal(d.negated())),
            (Err(_), false) => Value::UInt(*v),
        },
        ast::Literal::Decimal(t) => match Decimal::parse(t.as_bytes()).value {
            Some(d) => Value::Decimal(if negative { d.negated() } else { d }),
            None => Value::Double(
                t.parse::<f64>().unwrap_or(f64::MAX) * if negative { -1.0 } else { 1.0 },
            ),
        },
        ast::Literal::Float(x, _) => Value::Double(if negative { -x } else { *x }),
        ast::Literal::Str { bytes, .. } => crate::value::literal_text(bytes, collation),
        ast::Literal::Sent { bytes, charset } => {
            crate::value::sent::sent_text(bytes, charset, collation)
        }
        ast::Literal::Hex { bytes, .. } | ast::Literal::Bit { bytes, .. } => {
            Value::Bytes(bytes.to_vec().into())
        }
        _ => Value::Null,
    }
}

/// Sends a small result set that is in memory; the end of it is the caller's.
pub fn send_rows(
    r: &crate::context::ShowResult,
    settings: &crate::context::Settings,
    sink: &mut dyn ResultSink,
) -> Result<(), SqlError> {
    out::send_rows(r, settings, sink).map_err(RunError::into_sql)
}

/// The WHERE of SHOW over rows with named columns: which rows satisfy it. `None`: it has a subquery or calls a stored function.
pub fn filter_rows(
    cx: &mut StatementCtx<'_>,
    expr: &ast::Expr,
    columns: &[VirtualColumn],
    rows: &[Row],
) -> Result<Option<Vec<bool>>, SqlError> {
    let reads = cx.reads;
    let env = PlanEnv::new(reads, &*cx.changes.user_vars, reads.params);
    let env = PlanEnv { typed_params: true, ..env };
    let Some(bound) = bind::bind_over(expr, columns, &env)? else { return Ok(None) };
    let user_vars = &mut *cx.changes.user_vars;
    let mut ev = Ev {
        cx: reads.eval(cx.now_micros),
        vars: reads.vars,
        user_vars,
        lists: Default::default(),
    };
    let shapes = [Shape::Values(columns.iter().map(|c| c.ty).collect())];
    rows.iter()
        .map(|row| {
            let slots = [Slot::Values(row.clone())];
            let frame = Frame { shapes: &shapes, slots: &slots, ..Frame::empty(reads.params) };
            expr::is_true(&bound, &frame, &mut ev).map_err(value_error)
        })
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}

/// The query that the WHERE of SHOW is: over the table without a name, see [`Reads::shown`].
pub fn query_of_shown(filter: &ast::Expr) -> ast::Query {
    let from = ast::TableRef::Table(Box::new(ast::TableFactor {
        name: ast::TableName { schema: None, name: ast::Ident::new("") },
        partitions: Vec::new(),
        alias: None,
        index_hints: Vec::new(),
    }));
    let all = ast::SelectItem::Wildcard { schema: None, table: None };
    let mut query = ast::Query::of_items(vec![all]);
    if let ast::QueryBody::Select(s) = &mut query.body {
        s.from = vec![from];
        s.where_ = Some(filter.clone());
    }
    query
}

/// Locking of rows that are only read on behalf of a change (INSERT ... SELECT).
fn source_lock(txn: &Txn) -> weir_engine::LockMode {
    if txn.isolation() >= Isolation::RepeatableRead {
        weir_engine::LockMode::Shared
    } else {
        weir_engine::LockMode::None
    }
}
