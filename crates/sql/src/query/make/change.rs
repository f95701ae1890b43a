//! Binding of UPDATE and DELETE: the block that finds rows, and what is done with each.

use super::moves::{meets_itself, twins};
use super::targets::{Target, targets};
use crate::account::Privileges;
use crate::ddl::denied_to;
use crate::errno;
use crate::meta::SqlTable;
use crate::query::bind::scope::{Scope, ScopeTable};
use crate::query::bind::{
    Binder, by_place, find_zero_days, no_delete, own_reads, several_bases, shapes_of, split_and,
};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::optimize;
use crate::query::plan::change::{Assign, ChangePlan, ViewRows, What};
use crate::query::plan::raw::Raw;
use crate::query::plan::{Access, Block, Limit, Source, Sub, TableSlot};
use crate::session_api::{ConnInfo, SqlError};
use crate::vars::Var;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use weir_engine::{LockMode, OnLocked};
use weir_syntax::ast::{self, Expr};

struct Bound {
    tables: Vec<TableSlot>,
    raw: Raw,
    order: Vec<(BExpr, bool)>,
    limit: Option<Limit>,
}

fn bind_from(
    b: &mut Binder<'_>,
    from: &[ast::TableRef],
    where_: Option<&Expr>,
    order_by: &[ast::OrderItem],
    limit: Option<&ast::Limit>,
    hints: Option<&str>,
) -> Result<Bound, SqlError> {
    b.name_block(hints);
    let mut raw = Raw::default();
    let mut tables = Vec::new();
    b.finds_targets = true;
    let bound = from.iter().try_for_each(|t| b.from(t, None, &mut raw, &mut tables));
    b.finds_targets = false;
    bound?;
    b.place("where clause");
    if let Some(w) = where_ {
        let e = b.numeric(w)?;
        b.equal_variables(&e, true);
        split_and(e, &mut raw.conds);
    }
    b.place("order clause");
    let mut order = Vec::new();
    for o in order_by {
        order.push((by_place(b.scalar(&o.expr)?), o.descending));
    }
    let limit = b.limit(limit)?;
    b.obey_hints(hints, &mut raw, &tables);
    find_zero_days(&tables, &mut raw)?;
    b.find_inserted(&tables, &mut raw)?;
    b.use_key_exprs(&tables, &mut raw, &mut order)?;
    b.place("field list");
    Ok(Bound { tables, raw, order, limit })
}

fn block_of(bound: &mut Bound, subs: Vec<Sub>) -> Block {
    let tables = std::mem::take(&mut bound.tables);
    let shapes = shapes_of(&tables);
    Block {
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
        items: Vec::new(),
        item_subs: Vec::new(),
        distinct: false,
        order: bound.order.clone(),
        limit: bound.limit.clone(),
        calc_found_rows: false,
        index_order: Vec::new(),
        together: Default::default(),
        guessed: 1.0,
        joins_queries: false,
        raw: Some(std::mem::take(&mut bound.raw)),
        seen: Default::default(),
    }
}

/// The table in a slot, if its rows can be changed, and not by a view that is read only.
fn updatable<'t>(
    tables: &'t [TableSlot],
    t: usize,
    scope: &Scope,
    verb: &str,
    conn: &ConnInfo,
) -> Result<&'t Arc<SqlTable>, SqlError> {
    let shown = scope.owner(t);
    let read_only = shown.merged.as_ref().is_some_and(|m| m.table(t).is_none());
    match &tables[t].source {
        Source::Table(table) if !read_only => Ok(table),
        Source::Virtual(v, _) if !read_only => Err(denied_to(v.schema(), conn)),
        _ => Err(not_updatable(&shown.alias, verb)),
    }
}

/// 1288.
fn not_updatable(name: &str, verb: &str) -> SqlError {
    SqlError::of(errno::ER_NON_UPDATABLE_TABLE, &[&name, &verb])
}

/// 1221: rows of a join have no order to be changed in. A view that joins is not updatable so.
fn refuse_order(u: &ast::Update, scope: &Scope) -> Result<(), SqlError> {
    let ordered = !u.order_by.is_empty() || u.limit.is_some();
    if let ([ast::TableRef::Table(_)], true) = (&u.tables[..], ordered) {
        return Err(not_updatable(&scope.owner(0).alias, "UPDATE"));
    }
    let clause = match () {
        () if !u.order_by.is_empty() => "ORDER BY",
        () if u.limit.is_some() => "LIMIT",
        () => return Ok(()),
    };
    Err(SqlError::of(errno::ER_WRONG_USAGE, &[&"UPDATE", &clause]))
}

/// The table in the slot is read by a subquery. `named`: the slot of the table whose name the error tells.
fn refuse_target_reads(
    tables: &[TableSlot],
    t: usize,
    (scope, named): (&Scope, usize),
    verb: &str,
    subs: &[Sub],
) -> Result<(), SqlError> {
    let Source::Table(table) = &tables[t].source else { return Ok(()) };
    let shown = scope.owner(named);
    let target = own_reads::Target { name: &shown.alias, is_view: shown.view().is_some(), verb };
    own_reads::refuse(subs, table, None, &target)
}

pub async fn bind_update(b: &mut Binder<'_>, u: &ast::Update) -> Result<ChangePlan, SqlError> {
    b.with(u.with.as_ref())?;
    b.enter(Scope::default());
    let bound = (|| {
        let mut bound = bind_from(
            b,
            &u.tables,
            u.where_.as_ref(),
            &u.order_by,
            u.limit.as_ref(),
            u.hints.as_deref(),
        )?;
        if bound.tables.len() > 1 {
            refuse_order(u, &b.top().scope)?;
        }
        let mut assigns: Vec<Assign> = Vec::new();
        let mut looks_back = false;
        let mut assigned = HashSet::new();
        for a in &u.assignments {
            let (t, col) = b.target_column(&a.column)?;
            let table =
                updatable(&bound.tables, t as usize, &b.top().scope, "UPDATE", b.env.reads.conn)?
                    .clone();
            let target = b.top().scope.owner(t as usize).clone();
            match target.view() {
                Some(view) => b.change_through(view, &table, Privileges::UPDATE),
                None => b.uses.table(table.schema(), table.name(), Privileges::UPDATE),
            }
            b.changes(&table, &target)?;
            refuse_other_base(&target, t as usize, &assigns)?;
            refuse_bounded(b, t as usize, &table, u.limit.as_ref(), "UPDATE")?;
            b.writes_column(&target, (t as usize, col as usize), Privileges::UPDATE, false);
            let ty = table.meta.columns[col as usize].ty;
            let column = &table.meta.columns[col as usize];
            if column.is_generated() {
                match a.value {
                    // Triggers may change the row all the same.
                    Expr::Default => {
                        bound.tables[t as usize].lock = LockMode::Exclusive;
                        continue;
                    }
                    _ => return Err(generated_value(&column.name, table.name())),
                }
            }
            let value = match &a.value {
                Expr::Default => None,
                e => {
                    let e = b.stored(e, &ty)?;
                    e.walk(&mut |n| {
                        if let Node::Col(ColRef { depth: 0, table, col }) = n.node {
                            looks_back |= assigned.contains(&(table, col));
                        }
                    });
                    Some(e)
                }
            };
            assigned.insert((t, col));
            assigns.push(Assign { table: t as usize, col: col as usize, value });
        }
        for a in &assigns {
            bound.tables[a.table].lock = LockMode::Exclusive;
        }
        for (n, t) in bound.tables.iter().enumerate() {
            if t.lock == LockMode::Exclusive || b.top().scope.tables[n].merged.is_some() {
                continue;
            }
            if let Source::Table(table) = &t.source {
                b.uses.table(table.schema(), table.name(), Privileges::SELECT);
            }
        }
        Ok::<_, SqlError>((bound, assigns, looks_back))
    })();
    let ctx = b.leave();
    let (mut bound, assigns, looks_back) = bound?;
    let checks = ViewRows::of(&ctx.scope);
    let changed: BTreeSet<usize> = assigns.iter().map(|a| a.table).collect();
    for t in changed {
        refuse_target_reads(&bound.tables, t, (&ctx.scope, 0), "UPDATE", &ctx.subs)?;
    }
    let multi = bound.tables.len() > 1;
    let twins = twins(&bound.tables, &assigns)?;
    let mut block = block_of(&mut bound, ctx.subs);
    let searchable = optimize::searchable(&block, b.env);
    let scanned = assigns.iter().any(|a| searchable & (1 << a.table) == 0);
    let unsafe_scan = scanned && block.limit.is_none();
    // A subquery that has become a table of the block cannot be asked of the row after the change.
    if checks.iter().all(|c| !c.has_subs) {
        b.join_queries_of_change(&mut block)?;
    }
    optimize::block_to_change(&mut block, b.env).await?;
    let assigned = assigns.iter().filter_map(|a| a.value.as_ref());
    let ordered = bound.order.iter().map(|(e, _)| e);
    optimize::guards::mark_block(&mut block, None, assigned.chain(ordered));
    // Triggers and generated columns see whole rows, also where nothing is assigned.
    for t in block.tables.iter_mut().filter(|t| t.lock == LockMode::Exclusive) {
        t.needs_external = true;
    }
    if !sorts_what_it_locks(&block, !bound.order.is_empty(), bound.limit.is_some()) {
        let targets = block.tables.iter_mut().filter(|t| t.lock == LockMode::Exclusive);
        targets.for_each(|t| t.on_locked = OnLocked::Committed);
    }
    let place = meets_itself(&block, &assigns);
    let has_subs = block.subs.iter().any(Sub::is_query_or_call);
    let collect = block.tables.len() > 1
        || place.is_none()
        || is_ordered(&block)
        || has_subs
        || assigns_what_waits(&assigns);
    Ok(ChangePlan {
        block,
        what: What::Update(assigns),
        ignore: u.ignore,
        order: bound.order,
        limit: bound.limit,
        collect,
        looks_back,
        multi,
        checks,
        unsafe_scan,
        place: place.unwrap_or_default(),
        twins,
    })
}

/// Whether MySQL sorts the rows before it changes any: it then locks each row that it reads, as a SELECT FOR UPDATE does. Without a
/// LIMIT it prefers the sort to an index that is read for its order only.
fn sorts_what_it_locks(block: &Block, ordered: bool, limited: bool) -> bool {
    let searched = block
        .steps
        .first()
        .is_some_and(|s| matches!(s.access, Access::Ranges { .. } | Access::Merged(_)));
    !block.order.is_empty() || (ordered && !limited && !searched)
}

/// Values that something is run for beside the row (SLEEP, GET_LOCK, LOAD_FILE): they are known before the row is changed.
fn assigns_what_waits(assigns: &[Assign]) -> bool {
    let mut subs = Vec::new();
    assigns.iter().filter_map(|a| a.value.as_ref()).for_each(|e| e.subs(&mut subs));
    !subs.is_empty()
}

fn is_ordered(b: &Block) -> bool {
    !b.order.is_empty() || !b.index_order.is_empty()
}

/// 3105.
pub fn generated_value(column: &str, table: &str) -> SqlError {
    SqlError::of(errno::ER_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN, &[&column, &table])
}

/// Slots of the block whose rows go. 1395 for a view that joins: which table's rows are meant it does not say.
fn delete_targets(named: &[Target<'_>], scope: &Scope) -> Result<Vec<usize>, SqlError> {
    let is = |t: &ScopeTable, n: &Target<'_>| {
        *t.alias == *n.alias
            && (t.schema.is_empty() || n.schema.is_none_or(|schema| *t.schema == *schema))
    };
    let mut targets = Vec::new();
    if named.is_empty() {
        targets.push(0);
    }
    for n in named {
        let at = scope.tables.iter().position(|t| is(t, n));
        targets.push(at.ok_or_else(|| SqlError::internal("a table of DELETE that is not there"))?);
    }
    let joins = |t: &&usize| scope.tables[**t].merged.as_ref().is_some_and(|m| m.is_join());
    if let Some(view) = targets.iter().find(joins).and_then(|t| scope.tables[*t].view()) {
        return Err(no_delete(&view.schema, &view.name));
    }
    Ok(targets)
}

/// 1288 when a bounded change goes through a view that does not tell which rows of its table are changed, unless
/// `updatable_views_with_limit` allows it.
fn refuse_bounded(
    b: &mut Binder<'_>,
    slot: usize,
    table: &SqlTable,
    limit: Option<&ast::Limit>,
    verb: &str,
) -> Result<(), SqlError> {
    let shown = b.top().scope.owner(slot);
    let (Some(m), Some(_), Some(_)) = (&shown.merged, shown.view(), limit) else { return Ok(()) };
    let shows =
        |column: usize| (0..m.items.len()).any(|n| m.base_column(n) == Some((slot, column)));
    let unique = table.meta.indexes.iter().find(|i| {
        i.unique
            && i.parts.iter().all(|p| p.prefix.is_none() && !table.meta.columns[p.column].nullable)
    });
    let whole = match unique {
        Some(key) => key.parts.iter().all(|p| shows(p.column)),
        None => (0..table.meta.columns.len()).all(shows),
    };
    let refused = !whole && *b.env.reads.vars.text(Var::updatable_views_with_limit) == *"NO";
    let refusal = refused.then(|| not_updatable(&shown.alias, verb));
    b.cacheable &= whole;
    refusal.map_or(Ok(()), Err)
}

/// 1393 when another table is changed through the same view.
fn refuse_other_base(target: &ScopeTable, slot: usize, assigns: &[Assign]) -> Result<(), SqlError> {
    let Some(m) = target.merged.as_ref().filter(|m| m.is_join()) else { return Ok(()) };
    match assigns.iter().any(|a| a.table != slot && m.slots().contains(&a.table)) {
        true => Err(several_bases(target)),
        false => Ok(()),
    }
}

pub async fn bind_delete(b: &mut Binder<'_>, d: &ast::Delete) -> Result<ChangePlan, SqlError> {
    let named = targets(d, b.env.reads.schema)?;
    b.with(d.with.as_ref())?;
    b.enter(Scope::default());
    let bound = (|| {
        let mut bound = bind_from(
            b,
            &d.from,
            d.where_.as_ref(),
            &d.order_by,
            d.limit.as_ref(),
            d.hints.as_deref(),
        )?;
        let targets = delete_targets(&named, &b.top().scope)?;
        for &t in &targets {
            let table =
                updatable(&bound.tables, t, &b.top().scope, "DELETE", b.env.reads.conn)?.clone();
            let target = b.top().scope.owner(t).clone();
            match target.view() {
                Some(view) => b.change_through(view, &table, Privileges::DELETE),
                None => b.uses.table(table.schema(), table.name(), Privileges::DELETE),
            }
            b.changes(&table, &target)?;
            refuse_bounded(b, t, &table, d.limit.as_ref(), "DELETE")?;
            bound.tables[t].lock = LockMode::Exclusive;
        }
        Ok::<_, SqlError>((bound, targets))
    })();
    let ctx = b.leave();
    let (mut bound, targets) = bound?;
    let checks = Vec::new();
    for &t in &targets {
        refuse_target_reads(&bound.tables, t, (&ctx.scope, t), "DELETE", &ctx.subs)?;
    }
    let multi = bound.tables.len() > 1;
    let mut block = block_of(&mut bound, ctx.subs);
    let searchable = optimize::searchable(&block, b.env);
    let scanned = targets.iter().any(|t| searchable & (1 << t) == 0);
    let unsafe_scan = scanned && block.limit.is_none();
    b.join_queries_of_change(&mut block)?;
    optimize::block_to_change(&mut block, b.env).await?;
    optimize::guards::mark_block(&mut block, None, bound.order.iter().map(|(e, _)| e));
    for &t in &targets {
        block.tables[t].needs_external = true;
    }
    let has_subs = block.subs.iter().any(Sub::is_query_or_call);
    let collect = block.tables.len() > 1 || is_ordered(&block) || has_subs;
    Ok(ChangePlan {
        block,
        what: What::Delete(targets),
        ignore: d.ignore,
        order: bound.order,
        limit: bound.limit,
        collect,
        looks_back: false,
        multi,
        checks,
        unsafe_scan,
        place: Vec::new(),
        twins: Vec::new(),
    })
}

impl ViewRows {
    /// Of the tables of a block that views with the option show.
    pub fn of(scope: &Scope) -> Vec<ViewRows> {
        let of = |(table, t): (usize, &crate::query::bind::scope::ScopeTable)| {
            let m = t.merged.as_ref().filter(|m| !m.check.is_empty())?;
            let view = t.view().map(|v| (v.schema.clone(), v.name.clone()))?;
            let others = m.slots().filter(|s| *s != table);
            let beside = if m.checks_only(table) { Vec::new() } else { others.collect() };
            let has_subs = !m.check.iter().all(BExpr::has_no_subs);
            Some(ViewRows { table, view, conds: m.check.clone(), has_subs, beside })
        };
        scope.tables.iter().enumerate().filter_map(of).collect()
    }
}
