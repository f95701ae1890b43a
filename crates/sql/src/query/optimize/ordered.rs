//! Order by an index instead of a sort, where few of many rows are wanted: of `WHERE g = 3 ORDER BY id LIMIT 5` the rows of the clustered index
//! are read until five are found, if a tenth of all have such a `g`, rather than all of those by an index on `g` and then sorted.
//!
//! The rows wanted are taken to be spread evenly over the index. They may stand at its end, so the order has to be much cheaper to be chosen.

use super::{LOOKUP, ROW, Raw, delivers};
use crate::meta::SqlTable;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::key::Search;
use crate::query::plan::{Access, Block, Limit};
use crate::value::Value;
use weir_engine::LockMode;

/// Cost of a row that is sorted.
const SORTED: f64 = 0.5;
/// How much cheaper the index has to be.
const SAFELY: f64 = 4.0;

/// The scan in the order asked for that is cheaper than the access chosen and a sort, and the rows that it reads. It takes no locks on rows
/// that are not wanted: changes and locking reads keep their search.
pub fn instead_of_sorting(
    b: &Block,
    raw: &Raw,
    table: &SqlTable,
    order: &[(usize, bool)],
    params: &[Value<'static>],
) -> Option<(Access, f64)> {
    let ([slot], [step]) = (&b.tables[..], &b.steps[..]) else { return None };
    let wanted = rows_of(b.limit.as_ref()?, params)?;
    if slot.lock != LockMode::None || raw.forced & 1 != 0 || b.calc_found_rows {
        return None;
    }
    // The plan is used again with other values, of which there may be few rows: what counts is how many a value has on average.
    let Access::Ranges { key, .. } = &step.access else { return None };
    if key.searches.iter().any(|s| !s.range.is_empty() || s.like.is_some()) {
        return None;
    }
    let of = |s: &Search| table.engine.rows_per_key(key.index, s.eq.len()) * s.prefixes();
    let average: f64 = key.searches.iter().map(of).sum();
    let total = (table.engine.estimated_rows() as f64).max(1.0);
    let found = step.rows.max(1.0);
    // What the other conditions leave nothing tells but histograms.
    let left = (found * step.told).min(average).min(b.guessed).max(1.0);
    let by_search = found * (LOOKUP + SORTED);
    let read = (wanted * total / left).min(total);
    let cost = |index: usize| match index == 0 || slot.is_covered_by(index) {
        true => read * ROW,
        false => read * LOOKUP,
    };
    let usable =
        |i: &usize| table.has_all_rows(*i) && raw.usable[0].as_ref().is_none_or(|u| u.contains(i));
    (0..table.engine.def.indexes.len())
        .filter(usable)
        .filter(|i| cost(*i) * SAFELY < by_search)
        .find_map(|index| {
            let reverse = delivers(table, index, &[], order)?;
            Some((Access::Scan { index, reverse }, read))
        })
}

/// The rows that a LIMIT reads, with those that it leaves out first.
pub fn rows_of(limit: &Limit, params: &[Value<'static>]) -> Option<f64> {
    let number = |e: &BExpr| {
        let v = match &e.node {
            Node::Const(v) => v,
            Node::Param(n) => params.get(*n as usize)?,
            _ => return None,
        };
        match v {
            Value::Int(n) => Some(*n as f64),
            Value::UInt(n) => Some(*n as f64),
            _ => None,
        }
    };
    let offset = limit.offset.as_ref().map_or(Some(0.0), number)?;
    Some(offset + number(&limit.count)?)
}
