//! Groups in the order of an index: the rows of a group, equal rows of DISTINCT, and equal arguments of COUNT(DISTINCT) come one behind the
//! other where an index is read whose first columns they have in common. Then no hash is needed, nothing is kept of the groups that have
//! gone out, and a LIMIT ends the reading.
//!
//! An access that is chosen already keeps its order. A scan of the table may become one of an index that has all columns which are
//! looked at, where that costs no more than to hash every row; or, where few groups are asked for, of any index.

use super::ordered::rows_of;
use super::{LOOKUP, ROW, Raw, delivers};
use crate::meta::SqlTable;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Access, Block, Ends, Source, Together};
use crate::value::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use weir_engine::LockMode;

/// Cost of finding the group of a row by hash, and of a group that is kept until all rows have come.
const HASHED: f64 = 0.6;
const KEPT: f64 = 1.0;
/// How much cheaper than a scan of the table it has to be to read the rows of few groups by an index.
const SAFELY: f64 = 4.0;

/// Columns of the first table that a block groups by or tells apart, and those of the one aggregate with DISTINCT.
struct Wanted {
    keys: Vec<usize>,
    arguments: Vec<usize>,
}

/// What an index does for a block.
struct Delivered {
    together: Together,
    /// The first parts of the index by which groups differ.
    parts: usize,
    /// It delivers ORDER BY as well, when it is read in this direction.
    reverse: Option<bool>,
}

/// Notes what comes together by the access of a block's first step, for which a scan may become one of another index.
pub fn use_order_of_groups(b: &mut Block, raw: &Raw, prefers: bool, params: &[Value<'static>]) {
    let Some(step) = b.steps.first().filter(|s| s.begins.is_empty() && s.kept.is_none()) else {
        return;
    };
    let t = step.table;
    let Source::Table(table) = &b.tables[t].source else { return };
    let table = table.clone();
    let Some(wanted) = wanted(b, t).filter(|_| table.engine.parts.is_empty()) else { return };
    let order = columns_of_order(b, t);
    let of = |index, fixed: &[usize]| delivered(&table, (index, fixed), &wanted, order.as_deref());
    let by_access = match &step.access {
        Access::Ranges { key, .. } => of(key.index, &key.fixed()),
        Access::Scan { index, .. } => of(*index, &[]),
        Access::Loose { index, ends, .. } => {
            // The last rows of groups are read backwards, and all others forwards.
            let backwards = *ends == Ends::Last;
            let found = of(*index, &[]);
            found.map(|d| Delivered { reverse: d.reverse.filter(|r| *r == backwards), ..d })
        }
        Access::Point(_) | Access::Merged(_) | Access::Skip(_) | Access::Mem { .. } => None,
    };
    let by_other = || {
        let scans = matches!(step.access, Access::Scan { .. });
        if !scans || b.tables[t].lock != LockMode::None || raw.forced & (1 << t) != 0 {
            return None;
        }
        let wanted_rows = b.limit.as_ref().and_then(|l| rows_of(l, params));
        instead(b, raw, (t, &table), of, wanted_rows.filter(|_| prefers))
    };
    let (found, other) = match by_access {
        Some(found) => (found, None),
        None => match by_other() {
            Some((index, found)) => (found, Some(index)),
            None => return,
        },
    };
    let step = &mut b.steps[0];
    if let Some(index) = other {
        step.access = Access::Scan { index, reverse: false };
    }
    b.together = found.together;
    if let Some(backwards) = found.reverse.filter(|_| !b.order.is_empty()) {
        match &mut step.access {
            Access::Ranges { reverse, .. } | Access::Scan { reverse, .. } => *reverse = backwards,
            _ => {}
        }
        b.index_order = std::mem::take(&mut b.order);
    }
}

/// The index that is to be scanned instead of the one chosen, and what it does.
fn instead(
    b: &Block,
    raw: &Raw,
    (t, table): (usize, &Arc<SqlTable>),
    of: impl Fn(usize, &[usize]) -> Option<Delivered>,
    groups: Option<f64>,
) -> Option<(usize, Delivered)> {
    let Access::Scan { index: chosen, .. } = b.steps[0].access else { return None };
    let total = (table.engine.estimated_rows() as f64).max(1.0);
    let leaves = |i: usize| table.engine.indexes[i].leaves.load(Ordering::Relaxed).max(1) as f64;
    let share = |i: usize| (leaves(i) / leaves(0)).clamp(0.1, 1.0);
    let by_hash = total * ROW * (share(chosen) + HASHED);
    let groups_by = |i: usize, parts: usize| total / table.engine.rows_per_key(i, parts).max(1.0);
    // Of a join, or behind HAVING, nobody knows how many rows a group that goes out takes.
    let few = groups.filter(|_| b.steps.len() == 1 && b.having.is_none() && !b.calc_found_rows);
    let left = (b.guessed / total).clamp(1e-6, 1.0);
    let mut best: Option<(usize, Delivered, f64)> = None;
    for index in 0..table.engine.def.indexes.len() {
        let usable = raw.usable[t].as_ref().is_none_or(|u| u.contains(&index));
        if !usable || !table.has_all_rows(index) {
            continue;
        }
        let Some(found) = of(index, &[]) else { continue };
        let whole = index == 0 || b.tables[t].is_covered_by(index);
        let ordered = b.order.is_empty() || found.reverse.is_some();
        let of_few = few.filter(|_| ordered && b.agg.as_ref().is_none_or(|a| !a.implicit));
        let ended = of_few.map(|groups| {
            let rows = groups * table.engine.rows_per_key(index, found.parts) / left;
            rows.min(total) * if whole { ROW * share(index) } else { LOOKUP } * SAFELY
        });
        let scanned = whole.then_some(total * ROW * share(index));
        let cost = ended.into_iter().chain(scanned).fold(f64::INFINITY, f64::min);
        let hashed = by_hash + groups_by(index, found.parts) * KEPT;
        if cost < best.as_ref().map_or(hashed, |(.., least)| *least) {
            best = Some((index, found, cost));
        }
    }
    best.map(|(index, found, _)| (index, found))
}

/// What comes together by an index of which the first parts have so many values each.
fn delivered(
    table: &SqlTable,
    (index, fixed): (usize, &[usize]),
    wanted: &Wanted,
    order: Option<&[(usize, bool)]>,
) -> Option<Delivered> {
    let indexes = &table.engine.def.indexes;
    let clustered = indexes[0].parts.iter().filter(|_| index > 0);
    let parts: Vec<_> = indexes[index].parts.iter().chain(clustered).collect();
    let mut at = 0;
    // Goes on to the part at which all columns have been passed; others may be between them only where they have one value.
    let mut pass = |columns: &[usize]| -> bool {
        let mut left: Vec<usize> = columns.to_vec();
        while !left.is_empty() {
            let Some(part) = parts.get(at) else { return false };
            let known = left.len();
            left.retain(|c| *c != part.col || part.prefix.is_some());
            if left.len() == known && fixed.get(at) != Some(&1) {
                return false;
            }
            at += 1;
        }
        true
    };
    if !pass(&wanted.keys) {
        return None;
    }
    let arguments = !wanted.arguments.is_empty() && pass(&wanted.arguments);
    // One group of all rows has nothing but the arguments to gain by.
    if wanted.keys.is_empty() && !arguments {
        return None;
    }
    let parts = at.min(indexes[index].parts.len()).max(1);
    let reverse = order.and_then(|order| delivers(table, index, fixed, order));
    Some(Delivered { together: Together { rows: true, arguments }, parts, reverse })
}

fn column(e: &BExpr, t: usize) -> Option<usize> {
    match e.node {
        Node::Col(c) if c.depth == 0 && usize::from(c.table) == t => Some(usize::from(c.col)),
        _ => None,
    }
}

/// The columns of ORDER BY with whether they descend, where all are columns of the table.
fn columns_of_order(b: &Block, t: usize) -> Option<Vec<(usize, bool)>> {
    b.order.iter().map(|(e, desc)| Some((column(e, t)?, *desc))).collect()
}

fn wanted(b: &Block, t: usize) -> Option<Wanted> {
    if !b.windows.is_empty() || b.extremes.is_some() || b.subs.iter().any(|s| s.correlated) {
        return None;
    }
    let Some(agg) = &b.agg else {
        if !b.distinct || !b.item_subs.is_empty() {
            return None;
        }
        let shown = b.items.iter().filter(|e| !matches!(e.node, Node::Const(_)));
        let keys: Vec<usize> = shown.map(|e| column(e, t)).collect::<Option<_>>()?;
        return (!keys.is_empty()).then_some(Wanted { keys: once(keys), arguments: Vec::new() });
    };
    if agg.rollup.is_some() || b.distinct {
        return None;
    }
    let keys = agg.keys.iter().map(|k| column(k, t)).collect::<Option<Vec<_>>>()?;
    let keys = once(keys);
    let mut told = agg.specs.iter().filter(|(spec, _)| spec.is_told_once());
    let arguments = match (told.next(), told.next()) {
        (Some((spec, args)), None) if spec.order.is_empty() => {
            args.iter().map(|a| column(a, t)).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    let arguments = once(arguments.unwrap_or_default());
    let arguments = arguments.into_iter().filter(|c| !keys.contains(c)).collect::<Vec<_>>();
    (!keys.is_empty() || !arguments.is_empty()).then_some(Wanted { keys, arguments })
}

/// The columns without those that stand there twice.
fn once(columns: Vec<usize>) -> Vec<usize> {
    let mut out = Vec::with_capacity(columns.len());
    columns.into_iter().for_each(|c| {
        if !out.contains(&c) {
            out.push(c);
        }
    });
    out
}
