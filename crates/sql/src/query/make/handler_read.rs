//! HANDLER ... READ: the table with all its columns, the WHERE, and the index by its name.

use super::sized;
use crate::errno;
use crate::meta::{SqlTable, same_name};
use crate::query::bind::scope::Scope;
use crate::query::bind::{Binder, find_zero_days, shapes_of, split_and};
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::optimize;
use crate::query::plan::env::PlanEnv;
use crate::query::plan::handler_read::{Bookmark, HandlerRead, How, Order};
use crate::query::plan::raw::Raw;
use crate::query::plan::told::result_columns;
use crate::query::plan::{
    Block, Body, Cond, Kind, OutColumn, Plan, QueryPlan, Source, Sub, SubKind, TableSlot,
};
use crate::rights::{self, Need};
use crate::session_api::SqlError;
use std::sync::{Arc, OnceLock};
use weir_syntax::ast::{self, BinaryOp, HandlerMove, SqlCommand};

/// 1235: what MySQL says of stored functions here.
fn stored_function() -> SqlError {
    SqlError::not_supported("stored functions in HANDLER ... READ")
}

/// The index that a read names.
fn order_of(table: &SqlTable, alias: &str, index: Option<&ast::Ident>) -> Result<Order, SqlError> {
    let Some(name) = index else { return Ok(Order::Stored) };
    let name = name.as_str();
    if let Some(at) = table.meta.indexes.iter().position(|i| same_name(&i.name, name)) {
        let at = table.engine_indexes[at];
        let lists = table.engine.def.indexes[at].list_part().is_some();
        return match lists && !table.engine.parts.is_empty() {
            false => Ok(Order::Index(at)),
            true => {
                let what = "HANDLER ... READ by a multi-valued index of a partitioned table";
                Err(SqlError::not_supported(what))
            }
        };
    }
    match table.meta.special_key(name) {
        Some(_) => Ok(Order::Nothing),
        None => Err(SqlError::of(errno::ER_KEY_DOES_NOT_EXITS, &[&name, &alias])),
    }
}

/// 1070.
fn check_parts(table: &SqlTable, order: Order, values: usize) -> Result<(), SqlError> {
    let most = match order {
        Order::Index(at) => table.engine.def.indexes[at].parts.len(),
        Order::Stored | Order::Nothing => return Ok(()),
    };
    match values > most {
        true => Err(SqlError::of(errno::ER_TOO_MANY_KEY_PARTS, &[&most])),
        false => Ok(()),
    }
}

/// A value of a key: it is the same whatever the row. 1210.
fn key_value(b: &mut Binder<'_>, e: &ast::Expr) -> Result<BExpr, SqlError> {
    let wrong = || SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"HANDLER ... READ"]);
    if matches!(e, ast::Expr::Default) {
        return Err(wrong());
    }
    let bound = b.scalar(e)?;
    let calls = b.top().subs.iter().any(|s| matches!(s.kind, SubKind::Call(..)));
    match bound.any(|n| matches!(n, Node::Col(_))) || !calls && !bound.has_no_subs() {
        true => Err(wrong()),
        false => Ok(bound),
    }
}

fn how_of(b: &mut Binder<'_>, how: &HandlerMove) -> Result<How, SqlError> {
    Ok(match how {
        HandlerMove::First => How::First,
        HandlerMove::Next => How::Next,
        HandlerMove::Prev => How::Prev,
        HandlerMove::Last => How::Last,
        HandlerMove::Key { op, values } => {
            let op = match op {
                BinaryOp::Lt => CmpOp::Lt,
                BinaryOp::Le => CmpOp::Le,
                BinaryOp::Gt => CmpOp::Gt,
                BinaryOp::Ge => CmpOp::Ge,
                _ => CmpOp::Eq,
            };
            let values = values.iter().map(|e| key_value(b, e)).collect::<Result<_, _>>()?;
            How::Key(op, values)
        }
    })
}

/// The conditions, the order and the place that a read begins at.
fn bind(
    b: &mut Binder<'_>,
    select: &ast::Select,
    read: &ast::HandlerRead,
    table: &SqlTable,
    raw: &mut Raw,
) -> Result<(Order, How), SqlError> {
    if let Some(w) = &select.where_ {
        let e = b.numeric(w)?;
        split_and(e, &mut raw.conds);
    }
    let order = order_of(table, read.handler.as_str(), read.index.as_ref())?;
    if let HandlerMove::Key { values, .. } = &read.how {
        check_parts(table, order, values.len())?;
    }
    let how = how_of(b, &read.how)?;
    match b.top().subs.iter().any(|s| matches!(s.kind, SubKind::Call(..))) {
        true => Err(stored_function()),
        false => Ok((order, how)),
    }
}

/// Makes the plan of a read. `rows`: the query of all columns of the table, with the conditions of the read.
pub async fn make(
    rows: &ast::Query,
    read: &ast::HandlerRead,
    needs: Vec<Need>,
    bookmark: &Arc<Bookmark>,
    env: &PlanEnv<'_>,
) -> Result<Plan, SqlError> {
    let version = env.reads.db().catalog_version();
    let ast::QueryBody::Select(select) = &rows.body else {
        return Err(SqlError::internal("a handler reads by a SELECT of its table"));
    };
    let mut b = Binder::new(env);
    b.enter(Scope::default());
    let (mut raw, mut tables) = (Raw::default(), Vec::new());
    select.from.iter().try_for_each(|t| b.from(t, None, &mut raw, &mut tables))?;
    let table = match &tables[..] {
        [TableSlot { source: Source::Table(table), .. }] => table.clone(),
        _ => return Err(SqlError::internal("a handler is of one table")),
    };
    let bound = bind(&mut b, select, read, &table, &mut raw);
    let (order, how) = bound.map_err(|e| match e.errno {
        // A function that nobody knows would be a stored one.
        errno::ER_SP_DOES_NOT_EXIST => stored_function(),
        _ => e,
    })?;
    let (mut items, mut columns) = (Vec::new(), Vec::new());
    for item in &select.items {
        b.item(item, &mut items, &mut columns)?;
    }
    let limit = b.limit(read.limit.as_ref())?;
    find_zero_days(&tables, &mut raw)?;
    let mut subs = b.leave().subs;
    optimize::subs(&mut subs, env).await?;
    let query = rows_of(tables, items, columns, subs);
    let conds = raw.conds.into_iter().map(Cond::new).collect();
    let bookmark = bookmark.clone();
    let read = HandlerRead { query, table, conds, order, how, limit, bookmark };
    Ok(plan_of(read, needs, version, b, env))
}

/// The table's rows without any conditions.
fn rows_of(
    tables: Vec<TableSlot>,
    items: Vec<BExpr>,
    columns: Vec<OutColumn>,
    subs: Vec<Sub>,
) -> QueryPlan {
    let shapes = shapes_of(&tables);
    let block = Block {
        tables,
        shapes,
        steps: Vec::new(),
        groups: Vec::new(),
        gate: Vec::new(),
        subs,
        agg: None,
        extremes: None,
        windows: Vec::new(),
        drawn: Default::default(),
        having: None,
        items,
        item_subs: Vec::new(),
        distinct: false,
        order: Vec::new(),
        limit: None,
        calc_found_rows: false,
        index_order: Vec::new(),
        together: Default::default(),
        guessed: 1.0,
        joins_queries: false,
        raw: None,
        seen: Default::default(),
    };
    QueryPlan { body: Body::Block(Box::new(block)), order: Vec::new(), limit: None, columns }
}

fn plan_of(
    read: HandlerRead,
    mut needs: Vec<Need>,
    version: u64,
    b: Binder<'_>,
    env: &PlanEnv<'_>,
) -> Plan {
    let columns = result_columns(&read.query.columns, env);
    rights::cover(&mut needs, b.uses);
    rights::spare_temporary(&mut needs, env.reads.temporaries);
    Plan {
        kind: Kind::Handler(Box::new(read)),
        command: SqlCommand::HaRead,
        columns,
        needs,
        params: b.params,
        param_kinds: b.param_kinds.into(),
        version,
        bytes: size_of::<Plan>() + b.effort.bytes(),
        cacheable: false,
        sizes: b.seen.into_iter().map(sized).collect(),
        watched: Vec::new(),
        foreign: None,
        virtuals: false,
        open_types: false,
        time_limit: Some(0),
        constants: b.constants,
        digest: OnceLock::new(),
        locks_rows: false,
        deprecated: b.deprecated,
        point: None,
        point_write: None,
    }
}
