//! Subqueries of conditions as joins: with the query's rows as a table of the block, each there once. So the order of joins decides
//! whether the rows are looked for in it, or it is read first and leads to them by an index.
//!
//! - `a IN (SELECT ...)` and `EXISTS (SELECT ...)` become an equality with that table.
//! - `NOT EXISTS (SELECT ...)` and `a NOT IN (SELECT ...)` become an outer join with it whose row must be missing.
//!
//! It is the same where the condition is one of those that must all be true, since then it does not matter whether it is false or unknown
//! (of NOT IN, where nothing is NULL, or the query reads nothing around it and has one column: [`TableSlot::not_in`]); where the query reads nothing of the block but in equalities, which are
//! taken out of it; and where what is equal is one: DISTINCT tells values apart as the comparison does only if both sides are compared in
//! one kind ([`Keyed`]).

use super::from::shapes_of;
use super::operator::compare_exprs;
use super::{Bind, Binder};
use crate::query::expr::keyed::Keyed;
use crate::query::expr::{BExpr, CmpOp, ColRef, Node, Truth};
use crate::query::plan::raw::{Raw, RawGroup};
use crate::query::plan::{Block, Body, OutColumn, QueryPlan, Source, Sub, SubKind, TableSlot};
use crate::value::{TypeInfo, Value};
use crate::vars::switches::Switch;
use std::collections::HashSet;

/// Tables of a block at most that a query may join: each makes the search for an order longer.
const MOST: usize = 32;

impl Binder<'_> {
    /// Puts the queries of conditions into the block's tables, where that goes.
    pub fn join_queries(
        &self,
        raw: &mut Raw,
        subs: &mut [Sub],
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        // A change of rows asks who reads its target, and finds it in subqueries: see `join_queries_of_change`.
        if !self.merges_derived {
            return Ok(());
        }
        self.join_each(raw, subs, tables)
    }

    /// The same of a change of rows, when it is known that no subquery reads what is changed.
    pub fn join_queries_of_change(&self, b: &mut Block) -> Bind<()> {
        let Some(mut raw) = b.raw.take() else { return Ok(()) };
        // Which rows are changed when not all are, the order decides in which they are found.
        if b.limit.is_none() && b.order.is_empty() {
            self.join_each(&mut raw, &mut b.subs, &mut b.tables)?;
            b.shapes = shapes_of(&b.tables);
            b.joins_queries = true;
        }
        b.raw = Some(raw);
        Ok(())
    }

    fn join_each(&self, raw: &mut Raw, subs: &mut [Sub], tables: &mut Vec<TableSlot>) -> Bind<()> {
        if tables.is_empty() {
            return Ok(());
        }
        // The queries are joined as rows that are kept, which takes both.
        if self.is_off(Switch::Semijoin) || self.is_off(Switch::Materialization) {
            return Ok(());
        }
        for at in 0..raw.conds.len() {
            let Some(asked) = Asked::of(&raw.conds[at]).filter(|_| tables.len() < MOST) else {
                continue;
            };
            if let Some(taken) = asked.taken(subs).filter(|t| !t.searched) {
                join_one((raw, subs, tables), at, taken)?;
            }
        }
        Ok(())
    }
}

/// Puts the query of the condition at a place into the block's tables.
fn join_one(
    (raw, subs, tables): (&mut Raw, &mut [Sub], &mut Vec<TableSlot>),
    at: usize,
    taken: Taken,
) -> Bind<()> {
    let Some(asked) = Asked::of(&raw.conds[at]) else { return Ok(()) };
    let (negated, exists) = (asked.negated, asked.exists);
    let Some(mut plan) = subs[asked.sub].plan.take() else { return Ok(()) };
    let (equal, conds) = take_out(&mut plan, &taken.places, exists);
    make_distinct(&mut plan);
    let t = tables.len() as u16;
    let node = std::mem::replace(&mut raw.conds[at].node, Node::Const(Value::Int(1)));
    let left = match node {
        Node::InSub { left, .. } => left,
        _ => Vec::new(),
    };
    let mut on = Vec::with_capacity(left.len() + equal.len() + conds.len());
    for (n, (a, c)) in left.into_iter().chain(equal).zip(&plan.columns).enumerate() {
        on.push(compare_exprs(CmpOp::Eq, a, column(t, n, c.info))?);
    }
    on.extend(conds);
    raw.group_of.resize(tables.len(), None);
    raw.usable.resize(tables.len(), None);
    raw.usable.push(None);
    if negated {
        // A row that is there has a value in each of the columns, for they equal something.
        let missing = Box::new(column(t, 0, plan.columns[0].info));
        let node = Node::Is { expr: missing, test: Truth::Null, negated: false };
        raw.conds[at] = BExpr::boolean(node, false);
        raw.group_of.push(Some(raw.groups.len()));
        raw.groups.push(RawGroup { parent: None, tables: 1 << t, on });
    } else {
        // The first stands where the condition stood.
        let mut on = on.into_iter();
        raw.conds[at] = on.next().unwrap_or_else(|| BExpr::constant(Value::Int(1)));
        raw.conds.extend(on);
        raw.group_of.push(None);
    }
    let alias = format!("<subquery{}>", t + 1).into();
    let source = Source::Derived(Box::new(plan));
    let nulls_decide = taken.nulls_decide;
    tables.push(TableSlot { of_in: true, nulls_decide, ..TableSlot::new(alias, source) });
    Ok(())
}

/// The query of a condition that could be joined, and that need not be: [`searched`].
pub struct Searched {
    /// The place of the condition, and the subquery that it asks.
    pub at: usize,
    pub sub: usize,
    /// The conditions of the query that read what is around it, by their places. Empty: it is run once, and its rows are kept as a set.
    pub places: Vec<usize>,
    /// NOT EXISTS, or NOT IN.
    pub negated: bool,
    /// NOT IN of what may be NULL.
    nulls_decide: bool,
}

/// The conditions of a block whose queries binding has left as they are, because an index serves them for each row or because their rows may be
/// few enough for a set.
pub fn searched(raw: &Raw, subs: &[Sub], tables: &[TableSlot]) -> Vec<Searched> {
    let of = |(at, cond): (usize, &BExpr)| {
        let asked = Asked::of(cond)?;
        let taken = asked.taken(subs).filter(|t| t.searched)?;
        let (places, nulls_decide) = (taken.places, taken.nulls_decide);
        Some(Searched { at, sub: asked.sub, places, negated: asked.negated, nulls_decide })
    };
    if tables.is_empty() || tables.len() >= MOST {
        return Vec::new();
    }
    raw.conds.iter().enumerate().filter_map(of).collect()
}

/// What an equality of the query with something around it equates: the side of the query, and the other one as the query sees it.
pub fn equated(cond: &BExpr) -> Option<(&BExpr, &BExpr)> {
    sides(cond)
}

/// Joins one of those queries after all.
pub fn join_searched(b: &mut Block, raw: &mut Raw, s: Searched) -> Bind<()> {
    if b.tables.len() >= MOST {
        return Ok(());
    }
    let taken = Taken { places: s.places, searched: true, nulls_decide: s.nulls_decide };
    join_one((raw, &mut b.subs, &mut b.tables), s.at, taken)?;
    b.shapes = shapes_of(&b.tables);
    Ok(())
}

fn column(t: u16, n: usize, info: TypeInfo) -> BExpr {
    BExpr::new(Node::Col(ColRef { depth: 0, table: t, col: n as u16 }), info)
}

/// A condition that a subquery decides.
struct Asked<'c> {
    sub: usize,
    /// Of IN, what is to be among the rows.
    left: &'c [BExpr],
    exists: bool,
    negated: bool,
}

/// How a query is joined.
struct Taken {
    /// The conditions that read what is around, by their places: they are taken out before.
    places: Vec<usize>,
    /// It may be better not to join it: an index finds the rows of the query for each row around, or they are few.
    searched: bool,
    /// NOT IN of what may be NULL.
    nulls_decide: bool,
}

impl Asked<'_> {
    fn of(cond: &BExpr) -> Option<Asked<'_>> {
        let (node, not) = match &cond.node {
            Node::Not(e) => (&e.node, true),
            node => (node, false),
        };
        match node {
            Node::InSub { left, sub, negated } if !not => {
                Some(Asked { sub: *sub as usize, left, exists: false, negated: *negated })
            }
            Node::Sub(sub) => {
                Some(Asked { sub: *sub as usize, left: &[], exists: true, negated: not })
            }
            _ => None,
        }
    }

    /// How the query may be joined, if it may.
    fn taken(&self, subs: &[Sub]) -> Option<Taken> {
        let s = &subs[self.sub];
        let kind = match s.kind {
            SubKind::Exists => self.exists,
            SubKind::Rows => !self.exists,
            _ => false,
        };
        let plan = s.plan.as_ref().filter(|_| kind)?;
        let Body::Block(b) = &plan.body else { return None };
        // What is limited, or locked, stays as it is.
        if b.limit.is_some() || plan.limit.is_some() || plan.locks() {
            return None;
        }
        let fits = |(e, c): (&BExpr, &OutColumn)| {
            Keyed::of(&e.info.ty, &c.info.ty).is_some() && e.has_no_subs() && !e.varies()
        };
        let may_be_null = |(e, c): (&BExpr, &OutColumn)| e.info.nullable || c.info.nullable;
        let nulls_decide = self.negated && self.left.iter().zip(&plan.columns).any(may_be_null);
        if !self.left.iter().zip(&plan.columns).all(fits) {
            return None;
        }
        if s.correlated {
            return self.outside(b).filter(|_| !nulls_decide);
        }
        // Of rows with NULL some columns may differ, which is false and not unknown. What is the same for all rows has no row before.
        let one = self.left.len() == 1 && self.left.iter().all(|e| e.tables(&|_| 0) != 0);
        if nulls_decide && !one {
            return None;
        }
        // What reads nothing around is run once as it is. The optimizer knows whether the rows of NOT IN are few enough to be kept as a set.
        let whole = Taken { places: Vec::new(), searched: self.negated, nulls_decide };
        (!self.exists).then_some(whole)
    }

    /// The conditions of a query that read what is around it, where all that do so can be taken out.
    fn outside(&self, b: &Block) -> Option<Taken> {
        let raw = b.raw.as_ref()?;
        let plain = b.agg.is_none()
            && b.windows.is_empty()
            && b.having.is_none()
            && !b.calc_found_rows
            && b.tables.iter().all(|t| t.lateral.is_none())
            && b.subs.iter().all(|s| s.is_query() && !s.correlated);
        let on = raw.groups.iter().flat_map(|g| &g.on);
        let mut inside = raw.conds.iter().chain(on.clone()).chain(&b.items);
        // Of EXISTS nobody looks at the items.
        let shown = b.items.iter().filter(|_| !self.exists);
        if !plain || inside.any(BExpr::varies) || on.chain(shown).any(BExpr::is_from_outside) {
            return None;
        }
        let places: Vec<usize> =
            (0..raw.conds.len()).filter(|at| raw.conds[*at].is_from_outside()).collect();
        let mut equal = Vec::new();
        for at in &places {
            match sides(&raw.conds[*at]) {
                Some((inner, _)) => equal.push(inner),
                None if is_all_outside(&raw.conds[*at]) => {}
                None => return None,
            }
        }
        let known = !equal.is_empty() || !self.exists;
        let searched = is_searched(b, raw, &equal);
        known.then_some(Taken { places, searched, nulls_decide: false })
    }
}

/// An equality of something of the block with something around it, by values that have keys.
fn sides(cond: &BExpr) -> Option<(&BExpr, &BExpr)> {
    let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &cond.node else { return None };
    let (inner, outer) = if b.is_from_outside() { (a, b) } else { (b, a) };
    let own = |e: &BExpr| !e.is_from_outside() && e.has_no_subs();
    Keyed::of(&inner.info.ty, &outer.info.ty)?;
    (own(inner) && is_all_outside(outer)).then_some((inner, outer))
}

/// It reads nothing of its own block.
fn is_all_outside(e: &BExpr) -> bool {
    let aggregate = |e: &BExpr| matches!(e.node, Node::OuterAgg { .. });
    let mut aggregates = false;
    e.walk(&mut |e| aggregates |= aggregate(e));
    e.is_from_outside() && e.tables(&|_| 0) == 0 && e.has_no_subs() && !aggregates
}

/// An index finds the rows of the query for each row around: they are not read as a whole.
fn is_searched(b: &Block, raw: &Raw, equal: &[&BExpr]) -> bool {
    let col = |e: &BExpr| match e.node {
        Node::Col(c) if c.depth == 0 => Some((usize::from(c.table), usize::from(c.col))),
        _ => None,
    };
    let by_outer: HashSet<(usize, usize)> = equal.iter().filter_map(|e| col(e)).collect();
    let mut fixed = by_outer.clone();
    for c in &raw.conds {
        if let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &c.node {
            fixed.extend(col(a).into_iter().chain(col(b)));
        }
    }
    b.tables.iter().enumerate().any(|(t, slot)| {
        let Source::Table(table) = &slot.source else { return false };
        let usable = |i: &usize| {
            let named = raw.usable.get(t).and_then(Option::as_ref);
            table.has_all_rows(*i) && named.is_none_or(|u| u.contains(i))
        };
        (0..table.engine.def.indexes.len()).filter(usable).any(|i| {
            let parts = table.engine.def.indexes[i].parts.iter().map(|p| (t, p.col));
            parts.take_while(|p| fixed.contains(p)).any(|p| by_outer.contains(&p))
        })
    })
}

/// Takes conditions out of a query: what its further columns are to equal in the block around, and what else is asked there.
fn take_out(plan: &mut QueryPlan, list: &[usize], exists: bool) -> (Vec<BExpr>, Vec<BExpr>) {
    let (mut equal, mut conds) = (Vec::new(), Vec::new());
    let Body::Block(b) = &mut plan.body else { return (equal, conds) };
    let Some(raw) = &mut b.raw else { return (equal, conds) };
    if exists {
        b.items.clear();
        b.item_subs.clear();
        plan.columns.clear();
    }
    for at in list.iter().rev() {
        let mut cond = raw.conds.remove(*at);
        let Some((inner, outer)) = sides(&cond) else {
            cond.move_in(1);
            conds.push(cond);
            continue;
        };
        let (inner, mut outer) = (inner.clone(), outer.clone());
        outer.move_in(1);
        let name = format!("Name_exp_{}", plan.columns.len() + 1);
        plan.columns.push(OutColumn::computed(name.into(), inner.info));
        b.items.push(inner);
        equal.push(outer);
    }
    (equal, conds)
}

fn make_distinct(plan: &mut QueryPlan) {
    if let Body::Block(b) = &mut plan.body {
        b.distinct = true;
        b.order.clear();
    }
    plan.order.clear();
}
