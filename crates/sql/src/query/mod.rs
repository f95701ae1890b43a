//! Queries and data changes: binding names, planning access, executing.
//!
//! The way of a statement is the way up through the rooms. Data first: `expr` has bound expressions, `plan` what is made of a statement,
//! `print` both as text. `eval` works out expressions over rows, `ranges` what is searched in an index. `bind` turns names into columns and
//! `optimize` chooses indexes and the order of joins, so that `make` has a plan, whose lines `explain` tells. `exec` reads rows, `write` writes
//! them, and `statement` runs a plan of any kind with the two. `program` runs statements of stored programs. `textfile` and `fulltext` serve
//! the others with lines of files and words of texts, and know none of the others.
//!
//! May use everything below in this crate and the engine. Knows nothing of sessions: what it needs of one comes in a [`StatementCtx`]. A room
//! uses rooms below it only (a test reads the `use` lines for it, `tests/house`); what a lower one asks of a higher one it asks through a
//! trait: stored functions and triggers (`exec::programs`).
//!
//! Invariants:
//! - A plan does not depend on parameter values: ranges are built from them at run time, and every condition is checked
//!   on the row again, so a range may be too wide, never too narrow.
//! - Expressions are evaluated without waiting; subqueries are run before the expression that needs them.
//! - A plan belongs to one catalog version; the session makes a new one when it moved.

mod bind;
mod eval;
mod exec;
mod explain;
mod expr;
mod fulltext;
mod make;
mod optimize;
mod plan;
mod print;
pub mod program;
mod ranges;
mod statement;
mod textfile;
mod write;

pub use bind::rules::{bind_rows, type_of};
pub use bind::{ViewPlan, created_columns, hints, unit};
pub use optimize::fits;
pub use plan::deprecated::Deprecated;
pub use plan::env::PlanEnv;
pub use plan::handler_read::Bookmark;
pub use plan::outcome::{KeptRows, Outcome, RunError};
pub use plan::param_kind::ParamKind;
pub use plan::point::{KeyValue, PointPlan, key_of};
pub use plan::point_write::{PointChange, PointWrite};
pub use plan::told::{announced, column_meta, show_columns};
pub use plan::{Plan, is_query};
pub use write::{HowReplicated, Within, Wrote, write_now};

use crate::context::{Changes, StatementCtx, VirtualColumn};
use crate::ddl::refused::value_error;
use crate::meta::SqlTable;
use crate::rights::Need;
use crate::session_api::{ResultSink, SqlError};
use crate::value::{Collation, Value};
use eval::frame::{Frame, Slot};
use eval::lists::Lists;
use eval::{Ev, eval, is_true};
use plan::outcome::Row;
use plan::shape::Shape;
use std::sync::Arc;
use weir_binlog::rows::Rows;
use weir_binlog::table_map::TableMap;
use weir_engine::Txn;
use weir_syntax::ast::{self, Statement};

/// Makes the plan of a SELECT, INSERT, REPLACE, LOAD DATA, UPDATE, DELETE, DO, or EXPLAIN of those.
pub async fn plan(stmt: &Statement, env: &PlanEnv<'_>) -> Result<Plan, SqlError> {
    make::make(stmt, env).await
}

/// Makes the plan of HANDLER ... READ. `rows`: the query of all columns of its table, with its conditions; `needs`: the rights that
/// this query asks for.
pub async fn plan_handler_read(
    rows: &ast::Query,
    read: &ast::HandlerRead,
    needs: Vec<Need>,
    bookmark: &Arc<Bookmark>,
    env: &PlanEnv<'_>,
) -> Result<Plan, SqlError> {
    make::handler_read::make(rows, read, needs, bookmark, env).await
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
    let mut r = exec::Runner::new(reads, access, ev, params, (&program::Stored, single), txn);
    let out = r.run_plan(plan, sink).await;
    // A plan that is made again warns again.
    if !matches!(out, Err(RunError::Stale)) {
        warnings.absorb(r.ev.cx.warnings);
    }
    out
}

/// Writes the rows of an event of another server's binary log.
pub async fn apply_rows(
    table: &Arc<SqlTable>,
    event: (&TableMap, &Rows<'_>),
    how: HowReplicated,
    cx: StatementCtx<'_>,
    txn: &mut Txn,
) -> Result<u64, RunError> {
    let StatementCtx { reads, now_micros, changes } = cx;
    let Changes { user_vars, access, warnings } = changes;
    let ev = Ev { cx: reads.eval(now_micros), vars: reads.vars, user_vars, lists: Lists::kept() };
    let mut r = exec::Runner::new(reads, access, ev, &[], (&program::Stored, false), txn);
    let done = write::apply_rows(&mut r, table, event, how).await;
    warnings.absorb(r.ev.cx.warnings);
    done
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
    let v = eval(&bound, &Frame::empty(params), &mut ev).map_err(value_error)?.into_owned();
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
        ast::Literal::Decimal(t) => {
            let d = Decimal::of_literal(t).unwrap_or(Decimal::LARGEST);
            Value::Decimal(if negative { d.negated() } else { d })
        }
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
    exec::out::send_rows(r, settings, sink).map_err(RunError::into_sql)
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
            is_true(&bound, &frame, &mut ev).map_err(value_error)
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
