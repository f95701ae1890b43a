//! Skip scan: conditions on parts of an index of which the first ones are not asked for. For each value that those have the range behind it is
//! read, as if the query said which values there are. It pays where the first parts have few values.
//!
//! As MySQL it does so of a table that stands alone in its block, and of an index that has all columns which are looked at.

use super::searches::{On, search};
use super::{DESCENT, Optimizer, ROW};
use crate::meta::SqlTable;
use crate::query::expr::usable::Usable;
use crate::query::plan::key::{Key, Search};
use crate::query::plan::skip::SkipScan;
use crate::vars::switches::Switch;
use std::sync::Arc;
use weir_engine::LockMode;

/// How much cheaper it has to be than the scan that it replaces: what is known of the values behind the first parts is little.
const SAFELY: f64 = 2.0;
/// The share of rows that bounds leave.
const BOUNDED: f64 = 0.33;

/// A skip scan, the rows that it finds and what it costs.
pub struct Found {
    pub scan: SkipScan,
    pub rows: f64,
    pub cost: f64,
}

impl Optimizer<'_> {
    /// The cheapest skip scan that the conditions on a table allow. `best`: what the best access costs that is known.
    pub fn skip_scan(
        &self,
        t: usize,
        table: &Arc<SqlTable>,
        on: &On,
        (total, best): (f64, f64),
        known: &[(usize, f64)],
    ) -> Option<Found> {
        let bit = 1u64 << t;
        let (wanted, refused) = (self.raw.skipped & bit != 0, self.raw.unskipped & bit != 0);
        let is_off = self.env.reads.settings.switches.is_off(Switch::SkipScan);
        let alone = self.b.tables.len() == 1 && self.b.tables[t].lock == LockMode::None;
        if !alone || !table.engine.parts.is_empty() || refused || (is_off && !wanted) {
            return None;
        }
        let usable = |i: &usize| {
            table.has_all_rows(*i)
                && self.raw.usable[t].as_ref().is_none_or(|u| u.contains(i))
                && self.b.tables[t].is_covered_by(*i)
        };
        let indexes = (1..table.engine.def.indexes.len()).filter(usable);
        let all = indexes.filter_map(|index| self.skip_scan_of(table, index, on, (total, known)));
        let found = all.min_by(|a, b| a.cost.total_cmp(&b.cost))?;
        (wanted || found.cost * SAFELY < best).then_some(found)
    }

    fn skip_scan_of(
        &self,
        table: &Arc<SqlTable>,
        index: usize,
        on: &On,
        (total, known): (f64, &[(usize, f64)]),
    ) -> Option<Found> {
        let parts = &table.engine.def.indexes[index].parts;
        let said: Vec<&(u16, Usable)> = on.all.iter().collect();
        let is_said = |p: usize| said.iter().any(|(c, _)| usize::from(*c) == parts[p].col);
        let skipped = (0..parts.len()).find(|p| is_said(*p)).filter(|p| *p > 0)?;
        let rest = &parts[skipped..];
        let plain = parts.iter().all(|p| p.prefix.is_none() && !p.desc);
        let columns = parts.iter().map(|p| p.col);
        let search = search(table, rest, &said).filter(|_| plain)?;
        let fixed = search.values().all(|e| self.tables_of(e) == 0 && e.has_no_subs());
        if !fixed || search.like.is_some() || search.only_excludes() {
            return None;
        }
        // The values of the first parts are read from the entries.
        if !table.engine.covers(index, columns) {
            return None;
        }
        let groups = (total / table.engine.rows_per_key(index, skipped)).max(1.0);
        let rows = groups * rows_of_group(table, (index, skipped), &search);
        // What a search of another index is estimated to find by the same column, this one finds as well.
        let estimated = known.iter().filter(|(col, _)| *col == rest[0].col);
        let estimated = estimated.map(|(_, rows)| *rows).reduce(f64::min);
        let rows = if rest.len() == 1 { estimated.unwrap_or(rows) } else { rows };
        let rows = rows.clamp(1.0, total);
        let cost = groups * (DESCENT + ROW + search.prefixes() * DESCENT) + rows * ROW;
        let over = Some(rest.iter().map(|p| p.col).collect());
        let key = Key {
            table: table.clone(),
            index,
            searches: vec![search],
            unique: false,
            subs: Vec::new(),
            over,
        };
        Some(Found { scan: SkipScan { key, skipped }, rows, cost })
    }
}

/// Rows that a search behind the first parts of an index finds for one value of those.
fn rows_of_group(table: &SqlTable, (index, skipped): (usize, usize), search: &Search) -> f64 {
    let known = skipped + search.eq.len();
    let equal = table.engine.rows_per_key(index, known) * search.prefixes();
    equal * if search.range.is_empty() { 1.0 } else { BOUNDED }
}
