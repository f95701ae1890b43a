//! Which blocks are read by the leaf (`exec::batch`): sums and groups over one table, and rows of one table that conditions or the LIMIT of
//! an order leave a part of.
//!
//! What is known only at run time (locks of the session, values of constants, `Step::in_batches`) is looked at then.

use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Access, Block, Cond, Source, Step, Sub};
use weir_engine::LockMode;

/// Marks the step of a block whose plan is made.
pub fn mark(b: &mut Block) {
    let plain = b.groups.is_empty() && b.extremes.is_none() && b.windows.is_empty();
    let alone = b.tables.len() == 1 && b.subs.iter().all(Sub::is_joined) && b.item_subs.is_empty();
    let [step] = &b.steps[..] else { return };
    let batched = plain && alone && !b.keeps_order() && pays(b, step) && can(b, step);
    b.steps[0].batched = batched;
}

/// There is something for vectors to do.
fn pays(b: &Block, step: &Step) -> bool {
    match &b.agg {
        Some(agg) => agg.rollup.is_none() && agg.subs.is_empty(),
        None if b.order.is_empty() => b.limit.is_none() && step.conds.iter().any(has_vectors),
        None => {
            let by_column = matches!(b.order[0].0.node, Node::Col(_));
            (b.limit.is_some() && by_column) || step.conds.iter().any(has_vectors)
        }
    }
}

/// A condition that compares columns, and is not what the ranges say already.
fn has_vectors(c: &Cond) -> bool {
    fn compares(e: &BExpr) -> bool {
        match &e.node {
            Node::And(list) | Node::Or(list) => list.iter().all(compares),
            Node::Cmp { a, b, .. } => [a, b].iter().any(|e| matches!(e.node, Node::Col(_))),
            Node::In { left: e, .. } | Node::Is { expr: e, .. } => matches!(e.node, Node::Col(_)),
            _ => false,
        }
    }
    !c.implied && compares(&c.expr)
}

/// Its leaves can be read.
fn can(b: &Block, step: &Step) -> bool {
    let table = &b.tables[step.table];
    let read = match (&table.source, &step.access) {
        (Source::Table(_), Access::Scan { index, reverse: false }) => *index,
        (Source::Table(_), Access::Ranges { key, reverse: false }) => key.index,
        _ => return false,
    };
    let conditions = step.after.is_empty() && step.conds.iter().all(|c| c.subs.is_empty());
    let covered = read == 0 || step.index_only.is_some();
    conditions
        && covered
        && table.lock == LockMode::None
        && table.lateral.is_none()
        && !step.completes
        && step.kept.is_none()
}
