//! A grouped derived table that is joined by a key of its groups with few rows is made for each of them, of the rows with that key alone: of
//! `u JOIN (SELECT a, COUNT(*) FROM t GROUP BY a) z ON z.a = u.a WHERE u.id < 10` ten groups, and not all. (MariaDB calls it `split_materialized`.)
//!
//! The equality goes into the query, which becomes LATERAL. Its rows are kept by the key, so that rows with the same one share them: where there are
//! more rows than were guessed, no group is made twice as long as there is room.

use super::{LOOKUP, Optimizer, ROW};
use crate::meta::SqlTable;
use crate::query::expr::keyed::Keyed;
use crate::query::expr::{BExpr, CmpOp, ColRef, Node};
use crate::query::plan::env::PlanEnv;
use crate::query::plan::raw::Raw;
use crate::query::plan::{Block, Body, Source, TableSlot};
use crate::value::compare::CompareRule;
use crate::vars::switches::Switch;
use std::sync::Arc;
use weir_engine::LockMode;
use weir_engine::row::KeyPart;

/// What it takes to run a query, in rows that are read one behind the other.
const RUN: f64 = 15.0;
/// Cost of a row that is put into its group.
const GROUPED: f64 = 0.5;
/// How much cheaper it has to be: how many rows come is a guess.
const SAFELY: f64 = 4.0;

/// An equality that may go into the query of a derived table.
struct Candidate {
    /// The table whose rows the derived table is made for.
    around: usize,
    /// What the key equals, as the block around sees it, and the condition as the query does.
    value: BExpr,
    inside: BExpr,
    /// The table whose rows are grouped, and the index that begins with the key.
    table: Arc<SqlTable>,
    index: usize,
}

/// Makes derived tables of a block LATERAL where that is cheaper. Before their queries are planned.
pub async fn make_by_key(b: &mut Block, raw: &Raw, env: &PlanEnv<'_>) {
    if env.reads.settings.switches.is_off(Switch::DerivedConditionPushdown) {
        return;
    }
    for t in 0..b.tables.len() {
        let Some(c) = candidate(b, raw, t) else { continue };
        let Source::Table(around) = &b.tables[c.around].source else { continue };
        let o = Optimizer { env, b, raw, bound: 0, chosen: Vec::new(), rows: 1.0 };
        let on = o.on_table(c.around, raw.group_of[c.around], 0);
        let runs = o.table_access(c.around, around, &on).await.1;
        // A failure to sample costs precision, not the statement.
        let _ = env.reads.db().refresh_statistics(&c.table.engine).await;
        let total = c.table.engine.estimated_rows() as f64;
        let each = RUN + c.table.engine.rows_per_key(c.index, 1) * (LOOKUP + GROUPED);
        if runs * each * SAFELY < total * (ROW + GROUPED) {
            put_in(&mut b.tables[t], c);
        }
    }
}

/// Puts the equality into the query.
fn put_in(slot: &mut TableSlot, c: Candidate) {
    let Source::Derived(q) = &mut slot.source else { return };
    let Body::Block(inner) = &mut q.body else { return };
    let Some(raw) = &mut inner.raw else { return };
    raw.conds.push(c.inside);
    slot.lateral = Some(1 << c.around);
    slot.by_key = Some(Box::new(c.value));
}

/// The first equality between a key of the groups of a derived table and another table, if the table is of the kind that is made by key.
fn candidate(b: &Block, raw: &Raw, derived: usize) -> Option<Candidate> {
    let slot = &b.tables[derived];
    let bit = 1u64 << derived;
    let alone = slot.lateral.is_none() && slot.common.is_none() && !slot.of_in;
    let Source::Derived(q) = &slot.source else { return None };
    if !alone || raw.unpushed & bit != 0 || q.limit.is_some() || q.locks() || b.tables.len() > 32 {
        return None;
    }
    let Body::Block(inner) = &q.body else { return None };
    let agg = inner.agg.as_ref().filter(|a| !a.implicit && a.rollup.is_none())?;
    let inner_raw = inner.raw.as_ref()?;
    let varies = inner.items.iter().chain(&inner_raw.conds).any(BExpr::varies);
    let plain =
        inner.limit.is_none() && inner.windows.is_empty() && inner.subs.is_empty() && !varies;
    if !plain {
        return None;
    }
    let conds = match raw.group_of.get(derived).copied().flatten() {
        None => &raw.conds,
        Some(g) => &raw.groups[g].on,
    };
    let types: Vec<_> = q.columns.iter().map(|c| c.info.ty).collect();
    conds.iter().find_map(|cond| {
        let Node::Cmp { op: CmpOp::Eq, rule, a, b: other } = &cond.node else { return None };
        let of = |e: &BExpr| match e.node {
            Node::Col(c) if c.depth == 0 && usize::from(c.table) == derived => Some(c.col),
            _ => None,
        };
        let (col, value) = match (of(a), of(other)) {
            (Some(col), None) => (col, &**other),
            (None, Some(col)) => (col, &**a),
            _ => return None,
        };
        let item = inner.items.get(usize::from(col))?;
        let around = around_of(b, raw, derived, value)?;
        let Node::Col(key) = item.node else { return None };
        let is_key = agg.keys.iter().any(|k| matches!(k.node, Node::Col(c) if c == key));
        let (own, wanted) = (&item.info.ty, &value.info.ty);
        Keyed::of(own, wanted)?;
        let alike = match rule {
            Some(CompareRule::Text(c)) => own.collation() == Some(*c),
            Some(_) => own.collation().is_none(),
            None => false,
        };
        if key.depth != 0 || !is_key || !alike || types.get(usize::from(col)) != Some(own) {
            return None;
        }
        let (table, index) = searched(inner, inner_raw, key)?;
        let mut from_outside = value.clone();
        from_outside.move_out(1);
        let (own, value_inside) = (Box::new(item.clone()), Box::new(from_outside));
        let node = Node::Cmp { op: CmpOp::Eq, rule: *rule, a: own, b: value_inside };
        Some(Candidate {
            around,
            value: value.clone(),
            inside: BExpr::boolean(node, cond.info.nullable),
            table,
            index,
        })
    })
}

/// The table that a key of the groups is a column of, and the index that begins with it.
fn searched(inner: &Block, raw: &Raw, key: ColRef) -> Option<(Arc<SqlTable>, usize)> {
    let t = usize::from(key.table);
    let Source::Table(table) = &inner.tables[t].source else { return None };
    // The inner side of an outer join has groups of rows that are not in the table.
    let inside = raw.group_of.get(t).copied().flatten().is_none();
    let first = |i: &usize| {
        let parts = &table.engine.def.indexes[*i].parts;
        let is_key = |p: &KeyPart| p.col == usize::from(key.col) && p.prefix.is_none();
        parts.first().is_some_and(is_key) && table.has_all_rows(*i)
    };
    let index = (0..table.engine.def.indexes.len()).find(first).filter(|_| inside)?;
    Some((table.clone(), index))
}

/// The one stored table that a value is read from, if it may be read before the derived table.
fn around_of(b: &Block, raw: &Raw, derived: usize, value: &BExpr) -> Option<usize> {
    let bits = value.tables(&|_| 0);
    let plain =
        value.has_no_subs() && !value.varies() && !value.has_agg() && !value.is_from_outside();
    if bits.count_ones() != 1 || !plain {
        return None;
    }
    let t = bits.trailing_zeros() as usize;
    let slot = b.tables.get(t)?;
    let group = |t: usize| raw.group_of.get(t).copied().flatten();
    // What is null-complemented has rows that are in no table, and may come behind.
    let before = group(t).is_none() || group(t) == group(derived);
    let ordered =
        raw.behind.get(t).is_none_or(|behind| behind & 1 << derived == 0) && !raw.straight;
    let stored = matches!(slot.source, Source::Table(_)) && slot.lock == LockMode::None;
    (stored && before && ordered).then_some(t)
}
