//! `derived_condition_pushdown`: a condition on a derived table becomes one of its query, where it filters rows before they are grouped, numbered or
//! told apart.
//!
//! A condition may go into a query if it is about columns that all rows have in common which come out as one, or are worked out together: the keys
//! of GROUP BY, all columns of DISTINCT and of UNION, and what every window is partitioned by. Behind a LIMIT rows are chosen already. The
//! condition stays where it was, too.

use super::is_plain;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::raw::Raw;
use crate::query::plan::{Block, Body, QueryPlan, Source, TableSlot};
use crate::value::compare::CompareRule;
use weir_syntax::ast::SetOp;

/// Gives the derived tables of a block the conditions that are about one of them alone.
pub fn push(raw: &Raw, tables: &mut [TableSlot]) {
    for (t, slot) in tables.iter_mut().enumerate() {
        let bit = 1u64 << t;
        let inner = raw.group_of.get(t).copied().flatten().is_none();
        let wanted = inner && raw.unpushed & bit == 0 && slot.lateral.is_none();
        // The rows of a common table are made for all that read it.
        let (Source::Derived(q), true, None) = (&mut slot.source, wanted, slot.common) else {
            continue;
        };
        for cond in &raw.conds {
            let alone = super::tables(cond) == bit && is_plain(cond) && !cond.is_from_outside();
            let columns = columns_of(cond);
            if alone && treats_equal_texts_alike(cond, &columns) {
                into_query(q, cond, &columns);
            }
        }
    }
}

/// The columns that a condition reads.
fn columns_of(cond: &BExpr) -> Vec<BExpr> {
    let mut out = Vec::new();
    cond.walk(&mut |e| {
        if matches!(e.node, Node::Col(_)) {
            out.push(e.clone());
        }
    });
    out
}

/// Texts that are one group may differ by case or spaces. The condition must not tell them apart, or it would choose among the rows of a group.
fn treats_equal_texts_alike(cond: &BExpr, columns: &[BExpr]) -> bool {
    let collations: Vec<_> = columns.iter().filter_map(|c| c.info.ty.collation()).collect();
    let alike = |rule: &Option<CompareRule>| match rule {
        Some(CompareRule::Text(c)) => collations.iter().all(|own| own == c),
        None => true,
        _ => false,
    };
    collations.is_empty()
        || match &cond.node {
            Node::Cmp { rule, a, b, .. } => {
                let column = |e: &BExpr| matches!(e.node, Node::Col(_));
                alike(rule) && (column(a) || column(b)) && columns.len() == 1
            }
            Node::In { left, list, .. } => {
                matches!(left.node, Node::Col(_))
                    && columns.len() == 1
                    && list.iter().all(|(rule, _)| alike(rule))
            }
            _ => false,
        }
}

fn place(column: &BExpr) -> usize {
    match column.node {
        Node::Col(c) => usize::from(c.col),
        _ => usize::MAX,
    }
}

/// Adds the condition to the query, if its columns allow it. In a UNION it may be added to one branch and not to another.
fn into_query(q: &mut QueryPlan, cond: &BExpr, columns: &[BExpr]) {
    if q.limit.is_some() {
        return;
    }
    let types: Vec<_> = q.columns.iter().map(|c| c.info.ty).collect();
    match &mut q.body {
        Body::Block(b) => into_block(b, cond, columns, &types),
        Body::Set { op: SetOp::Union, left, right, .. } => {
            for branch in [left, right] {
                // A value that becomes one of the common type may be another one.
                let same = |c: &BExpr| {
                    let at = place(c);
                    branch.columns.get(at).map(|own| own.info.ty) == types.get(at).copied()
                };
                if columns.iter().all(same) {
                    into_query(branch, cond, columns);
                }
            }
        }
        Body::Nested(q) => into_query(q, cond, columns),
        _ => {}
    }
}

fn into_block(b: &mut Block, cond: &BExpr, columns: &[BExpr], types: &[crate::value::SqlType]) {
    let varies = b.items.iter().any(BExpr::varies) || !b.drawn.exprs.is_empty();
    if b.limit.is_some() || b.raw.is_none() || b.tables.is_empty() || varies {
        return;
    }
    let text = |e: &BExpr| format!("{:?}", e.node);
    let is_common = |column: &BExpr| {
        let at = place(column);
        let Some(item) = b.items.get(at) else { return false };
        let settled = is_plain(item)
            && !item.is_from_outside()
            && !item.any(|n| matches!(n, Node::Window(_) | Node::OuterAgg { .. }))
            && types.get(at) == Some(&item.info.ty);
        let key = match &b.agg {
            Some(agg) => agg.rollup.is_none() && agg.keys.iter().any(|k| text(k) == text(item)),
            None => true,
        };
        let partitioned =
            b.windows.iter().all(|w| w.partition.iter().any(|p| text(p) == text(item)));
        settled && key && partitioned
    };
    if !columns.iter().all(is_common) || b.agg.as_ref().is_some_and(|a| a.implicit) {
        return;
    }
    let mut own = cond.clone();
    replace(&mut own, &b.items);
    if let Some(raw) = &mut b.raw {
        raw.conds.push(own);
    }
}

/// The condition with what the query shows in place of the derived table's columns.
fn replace(e: &mut BExpr, items: &[BExpr]) {
    if matches!(e.node, Node::Col(_)) {
        *e = items[place(e)].clone();
        return;
    }
    e.for_children_mut(&mut |c| replace(c, items));
}
