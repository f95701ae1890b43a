//! Loose index scan: of each group of an index's first columns one row is read, or the first and the last one, and then the next group is searched
//! for. Enough for DISTINCT and GROUP BY over those columns, for MIN and MAX of the column behind them, and for COUNT(DISTINCT) of them.
//!
//! It is an access like others, that leaves out rows which change nothing: what is made of the rows stays as it is. So all that is looked at
//! must be the same in all rows of a group, except the arguments of MIN and MAX.

use super::{DESCENT, ROW, Raw};
use crate::func::aggregate::AggKind;
use crate::meta::SqlTable;
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::{Access, Block, Ends, Source};
use std::sync::atomic::Ordering;
use weir_engine::LockMode;

/// What a block asks of its rows.
struct Asked {
    /// Columns that must be the same in a group, and the one whose extremes are asked for.
    columns: Vec<usize>,
    extreme: Option<usize>,
    ends: Ends,
}

/// Reads the only table of a block loosely where that is enough and cheaper.
pub fn use_loose_scan(b: &mut Block, raw: &Raw) {
    let [slot] = &b.tables[..] else { return };
    let (Source::Table(table), [step]) = (&slot.source, &b.steps[..]) else { return };
    let plain = slot.lock == LockMode::None
        && table.engine.parts.is_empty()
        && b.subs.is_empty()
        && b.windows.is_empty()
        && b.order.iter().all(|(e, _)| !e.varies());
    if !plain || !matches!(step.access, Access::Scan { .. }) {
        return;
    }
    let Some(asked) = asked(b, raw) else { return };
    let total = (table.engine.estimated_rows() as f64).max(1.0);
    let leaves = |i: usize| table.engine.indexes[i].leaves.load(Ordering::Relaxed).max(1) as f64;
    let mut best: Option<(usize, usize, f64)> = None;
    for index in 1..table.engine.def.indexes.len() {
        let allowed = raw.usable[0].as_ref().is_none_or(|u| u.contains(&index));
        if !allowed || !table.has_all_rows(index) || !slot.is_covered_by(index) {
            continue;
        }
        let Some(parts) = groups_of(table, index, &asked) else { continue };
        let groups = total / table.engine.rows_per_key(index, parts);
        let scan = total * ROW * (leaves(index) / leaves(0)).clamp(0.1, 1.0);
        let each = if asked.ends == Ends::Both { 2.0 } else { 1.0 };
        let forced = raw.forced & 1 != 0;
        let is_best = best.is_none_or(|(.., least)| groups < least);
        if (groups * each * (DESCENT + ROW) < scan || forced) && is_best {
            best = Some((index, parts, groups));
        }
    }
    let Some((index, parts, groups)) = best else { return };
    let step = &mut b.steps[0];
    step.access = Access::Loose { index, parts, ends: asked.ends };
    step.rows = groups;
}

/// How many parts of an index the groups are of: its first ones are the columns asked for, in whatever order, and the extreme's is behind them.
fn groups_of(table: &SqlTable, index: usize, asked: &Asked) -> Option<usize> {
    let parts = &table.engine.def.indexes[index].parts;
    let n = asked.columns.len();
    let first = parts.get(..n)?;
    let same = first.iter().all(|p| asked.columns.contains(&p.col));
    let extreme = asked
        .extreme
        .is_none_or(|c| parts.get(n).is_some_and(|p| p.col == c && !p.desc && p.prefix.is_none()));
    let whole = first.iter().all(|p| p.prefix.is_none());
    // The last part's groups would be rows, or nearly so.
    (n > 0
        && same
        && extreme
        && whole
        && (n < parts.len() || !table.engine.def.indexes[index].unique))
        .then_some(n)
}

fn column(e: &BExpr) -> Option<usize> {
    match e.node {
        Node::Col(ColRef { depth: 0, table: 0, col }) => Some(usize::from(col)),
        _ => None,
    }
}

/// Adds the columns that an expression looks at; false: it looks at more than the row, or answers again each time.
fn looks_at(e: &BExpr, out: &mut Vec<usize>) -> bool {
    let mut plain = e.has_no_subs() && !e.varies();
    e.walk(&mut |n| match n.node {
        Node::Col(_) => match column(n) {
            Some(c) if !out.contains(&c) => out.push(c),
            Some(_) => {}
            None => plain = false,
        },
        Node::OuterAgg { .. } => plain = false,
        _ => {}
    });
    plain
}

fn asked(b: &Block, raw: &Raw) -> Option<Asked> {
    let mut columns = Vec::new();
    let mut extreme = None;
    let (mut min, mut max) = (false, false);
    match &b.agg {
        Some(agg) => {
            if agg.rollup.is_some() || !b.drawn.exprs.is_empty() {
                return None;
            }
            for key in &agg.keys {
                columns.push(column(key).filter(|c| !columns.contains(c))?);
            }
            for (spec, args) in &agg.specs {
                match (spec.kind, &args[..]) {
                    (AggKind::Min | AggKind::Max, [arg]) => {
                        // NULL is no extreme, and the texts of a list are not in the order of the index.
                        let plain = !arg.info.nullable && !arg.info.ty.is_list();
                        let c = column(arg).filter(|_| plain)?;
                        if *extreme.get_or_insert(c) != c {
                            return None;
                        }
                        min |= spec.kind == AggKind::Min;
                        max |= spec.kind == AggKind::Max;
                    }
                    (AggKind::Count, args) if spec.distinct && agg.implicit => {
                        for arg in args {
                            columns.extend(Some(column(arg)?).filter(|c| !columns.contains(c)));
                        }
                    }
                    _ => return None,
                }
            }
            if agg.implicit && extreme.is_some() {
                return None;
            }
            // What is shown beside the groups must not be any column of any of their rows.
            let keys = columns.clone();
            let shown = b.items.iter().chain(b.order.iter().map(|(e, _)| e));
            let having = b.having.iter().map(|c| &c.expr);
            for e in shown.chain(having).chain(&raw.conds) {
                let mut seen = Vec::new();
                if !looks_at(e, &mut seen) || seen.iter().any(|c| !keys.contains(c)) {
                    return None;
                }
            }
        }
        None if b.distinct => {
            let shown = b.items.iter().chain(b.order.iter().map(|(e, _)| e)).chain(&raw.conds);
            for e in shown {
                if !looks_at(e, &mut columns) {
                    return None;
                }
            }
        }
        None => return None,
    }
    let ends = match (min, max) {
        (true, true) => Ends::Both,
        (false, true) => Ends::Last,
        _ => Ends::First,
    };
    Some(Asked { columns, extreme, ends })
}
