//! Which blocks are read by the leaf (`exec::batch`): sums and groups over one table, and rows of one table that conditions or the LIMIT of
//! an order leave a part of.
//!
//! What is known only at run time (locks of the session, values of constants, `Step::in_batches`) is looked at then.

use crate::func::aggregate::{AggKind, AggSpec};
use crate::func::facts::{Id, Length};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Access, Aggregation, Block, Cond, Source, Step, Sub};
use weir_engine::LockMode;

/// Marks the step of a block whose plan is made, or the first step of a join.
pub fn mark(b: &mut Block) {
    // Conditions may ask queries for each row that is left.
    let asked = |s: &Sub| s.is_joined() || (s.is_query() && !s.draws && !s.sums);
    if b.extremes.is_some() || !b.drawn.exprs.is_empty() || !b.subs.iter().all(asked) {
        return;
    }
    let Some(step) = b.steps.first() else { return };
    let batched = can(b, step) && (sums_or_sorts(b, step) || sifts(b, step));
    b.steps[0].batched = batched;
}

/// The block's only step is summed up by the leaf, or its rows go out by it.
fn sums_or_sorts(b: &Block, step: &Step) -> bool {
    let plain = b.groups.is_empty() && b.windows.is_empty();
    // Nothing but conditions has subqueries.
    let having = b.having.iter().any(|c| !c.subs.is_empty());
    let alone = b.tables.len() == 1 && b.item_subs.is_empty() && !having;
    plain && alone && fits_order(b) && pays(b, step)
}

/// Vectors leave a part of the rows for the steps behind. Where few rows are wanted as they come, the first leaf may have more than those.
fn sifts(b: &Block, step: &Step) -> bool {
    let joins = b.steps.len() > 1 || !b.windows.is_empty();
    let few = b.limit.is_some() && b.order.is_empty() && b.agg.is_none() && b.windows.is_empty();
    joins && !few && step.begins.is_empty() && step.conds.iter().any(has_vectors)
}

/// Nothing rests on the order in which the rows are read, or groups that go out with the leaf that ends them.
fn fits_order(b: &Block) -> bool {
    let streams = |a: &Aggregation| {
        b.together.rows && !a.implicit && !a.specs.iter().any(|(s, _)| s.is_told_once())
    };
    let counts = |a: &Aggregation| b.together.arguments && a.implicit;
    let ordered = |a: &Aggregation| streams(a) || counts(a);
    !b.keeps_order() || b.agg.as_ref().map_or_else(|| repeats(b), ordered)
}

/// There is something for vectors to do.
fn pays(b: &Block, step: &Step) -> bool {
    match &b.agg {
        Some(agg) => (agg.rollup.is_none() || rolls_numbers(agg)) && agg.subs.is_empty(),
        None if repeats(b) => true,
        None if b.order.is_empty() => b.limit.is_none() && step.conds.iter().any(has_vectors),
        None => {
            let key = &b.order[0].0;
            let by_key = is_column(key) || matches!(key.node, Node::Arith(..));
            (b.limit.is_some() && by_key) || step.conds.iter().any(has_vectors)
        }
    }
}

/// Equal rows of DISTINCT come one behind the other, and the vectors of their columns tell the first of them. Not where no two rows are equal.
fn repeats(b: &Block) -> bool {
    let Some(Source::Table(table)) = b.steps.first().map(|s| &b.tables[s.table].source) else {
        return false;
    };
    let shows = |col: usize| {
        b.items.iter().any(|e| matches!(e.node, Node::Col(c) if usize::from(c.col) == col))
    };
    let mut keys = table.engine.def.indexes.iter().filter(|i| i.unique);
    let differ = keys.any(|key| key.parts.iter().all(|part| shows(part.col)));
    let shown = |e: &BExpr| matches!(e.node, Node::Col(_) | Node::Const(_));
    b.distinct && b.together.rows && b.agg.is_none() && !differ && b.items.iter().all(shown)
}

/// WITH ROLLUP: groups by columns with aggregates of columns can be summed up when all rows have been.
fn rolls_numbers(agg: &Aggregation) -> bool {
    let column = |e: &BExpr| matches!(e.node, Node::Col(_));
    let sums = |(spec, args): &(AggSpec, Vec<BExpr>)| match spec.kind {
        AggKind::CountAll => true,
        AggKind::Count | AggKind::Sum | AggKind::Avg | AggKind::Min | AggKind::Max => {
            !spec.distinct && args.iter().all(column)
        }
        _ => false,
    };
    agg.keys.iter().all(column) && agg.specs.iter().all(sums)
}

/// A column, or a part of a column's texts.
fn is_column(e: &BExpr) -> bool {
    match &e.node {
        Node::Col(_) => true,
        Node::Func(def, args) if matches!(def.length, Length::Left | Length::Substring) => {
            args.first().is_some_and(|e| matches!(e.node, Node::Col(_)))
        }
        _ => false,
    }
}

/// A condition that compares columns, and is not what the ranges say already. In a join it may turn out to name another table as well.
fn has_vectors(c: &Cond) -> bool {
    fn compares(e: &BExpr) -> bool {
        match &e.node {
            Node::And(list) | Node::Or(list) => list.iter().all(compares),
            Node::Cmp { a, b, .. } => is_column(a) || is_column(b),
            Node::In { left: e, .. } | Node::Is { expr: e, .. } => is_column(e),
            Node::Not(e) => matches!(&e.node, Node::Func(..)) && compares(e),
            Node::Func(def, args) if def.id == Id::Like => args.first().is_some_and(is_column),
            _ => false,
        }
    }
    !c.implied && c.subs.is_empty() && compares(&c.expr)
}

/// Its leaves can be read.
fn can(b: &Block, step: &Step) -> bool {
    let table = &b.tables[step.table];
    let read = match (&table.source, &step.access) {
        (Source::Table(_), Access::Scan { index, reverse: false }) => *index,
        (Source::Table(_), Access::Ranges { key, reverse: false }) => key.index,
        _ => return false,
    };
    let covered = read == 0 || step.index_only.is_some();
    step.after.is_empty()
        && covered
        && table.lock == LockMode::None
        && table.lateral.is_none()
        && !step.completes
        && step.kept.is_none()
}
