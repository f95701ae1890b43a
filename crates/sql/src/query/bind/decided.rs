//! Functional dependence: which columns have one value in each group, because others decide them.
//!
//! Source: SQL-2003's rules as MySQL has them since 5.7 ("MySQL Handling of GROUP BY", "Detection of Functional Dependence"): equalities, unique keys
//! without NULL, the conditions of outer joins, and what a derived table is grouped by.

use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::query::plan::raw::RawGroup;
use crate::query::plan::{Block, Body, QueryPlan, Source, TableSlot};
use std::collections::HashSet;

/// Table and column.
type Known = HashSet<(u16, u16)>;

/// The rows that are grouped.
pub struct Rows<'r> {
    pub tables: &'r [TableSlot],
    pub conds: &'r [BExpr],
    /// The inner sides of outer joins.
    pub groups: &'r [RawGroup],
}

fn column(e: &BExpr) -> Option<(u16, u16)> {
    match e.node {
        Node::Col(c) if c.depth == 0 => Some((c.table, c.col)),
        _ => None,
    }
}

/// It has one value for all rows of the block: a row of a block around it is one of its constants.
fn is_fixed(e: &BExpr, known: &Known) -> bool {
    match &e.node {
        Node::Col(c) if c.depth > 0 => true,
        _ => column(e).map_or_else(|| e.is_statement_constant(), |c| known.contains(&c)),
    }
}

/// The columns that an equality decides, of its two sides.
fn equated(cond: &BExpr, known: &Known) -> [Option<(u16, u16)>; 2] {
    let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &cond.node else { return [None, None] };
    [column(a).filter(|_| is_fixed(b, known)), column(b).filter(|_| is_fixed(a, known))]
}

/// Columns that have one value in a group: the keys, what equals them or a constant, and what a key of a table decides.
pub fn closure(rows: &Rows<'_>, keys: &[BExpr]) -> Known {
    let mut known: Known = keys.iter().filter_map(column).collect();
    loop {
        let before = known.len();
        for c in rows.conds {
            known.extend(equated(c, &known).into_iter().flatten());
        }
        for g in rows.groups {
            known.extend(by_outer_join(g, &known));
        }
        for (t, slot) in rows.tables.iter().enumerate() {
            let t = t as u16;
            let width = match &slot.source {
                Source::Table(table) if has_known_key(rows, t, table, &known) => {
                    table.meta.columns.len()
                }
                Source::Derived(q) if is_decided(q, t, &known) => q.columns.len(),
                _ => continue,
            };
            known.extend((0..width).map(|c| (t, c as u16)));
        }
        if known.len() == before {
            return known;
        }
    }
}

/// Columns of an outer join's inner side that its condition equates with known ones. A row without a partner has NULL there, and whether a
/// row has one must be decided by what is known, too.
fn by_outer_join(g: &RawGroup, known: &Known) -> Vec<(u16, u16)> {
    let inner = |t: u16| g.tables & (1 << t) != 0;
    let mut decided = true;
    for c in &g.on {
        c.walk(&mut |e| match &e.node {
            Node::Col(c) if c.depth == 0 && !inner(c.table) => {
                decided &= known.contains(&(c.table, c.col));
            }
            Node::Func(def, _) => decided &= def.deterministic,
            Node::Sub(_) | Node::SubColumn { .. } | Node::InSub { .. } | Node::Call { .. } => {
                decided = false;
            }
            _ => {}
        });
    }
    if !decided {
        return Vec::new();
    }
    let found = g.on.iter().flat_map(|c| equated(c, known)).flatten();
    found.filter(|(t, _)| inner(*t)).collect()
}

/// A unique key whose columns are known, and never NULL.
fn has_known_key(rows: &Rows<'_>, t: u16, table: &crate::meta::SqlTable, known: &Known) -> bool {
    table.meta.indexes.iter().any(|i| {
        i.unique
            && i.parts.iter().all(|p| {
                let c = (t, p.column as u16);
                let never_null = || {
                    !table.meta.columns[p.column].nullable
                        || rows.conds.iter().any(|e| refuses_null(e, c))
                };
                p.prefix.is_none() && known.contains(&c) && never_null()
            })
    })
}

/// No row of the result has NULL in the column: the condition would not be true.
fn refuses_null(cond: &BExpr, c: (u16, u16)) -> bool {
    match &cond.node {
        Node::Is { expr, test: Truth::Null, negated: true } => column(expr) == Some(c),
        Node::Cmp { op, a, b, .. } => {
            *op != CmpOp::NullSafe && (column(a) == Some(c) || column(b) == Some(c))
        }
        _ => false,
    }
}

/// The derived table in a slot has one row for what is known: it has one row at all, or all that it is grouped by is known.
fn is_decided(q: &QueryPlan, t: u16, known: &Known) -> bool {
    let Body::Block(b) = &q.body else { return false };
    let Block { agg: Some(agg), items, .. } = &**b else { return false };
    if agg.rollup.is_some() {
        return false;
    }
    let shown = |key: &BExpr| {
        let text = format!("{:?}", key.node);
        items.iter().position(|i| format!("{:?}", i.node) == text)
    };
    agg.keys.iter().all(|k| shown(k).is_some_and(|i| known.contains(&(t, i as u16))))
}
