//! Index merge: rows that are found through several indexes. Of an OR each branch may be a search of an index of its own (union); of
//! equalities over several columns each may (intersection).
//!
//! What is merged are clustered keys, which the entries of the indexes hold. Then each row is read once, in the order of the clustered key,
//! and all conditions are checked on it, so that a search may be wider than its branch. Searches are by constants only: a merge for each row
//! of a table before it would be built again each time.

use super::searches::{On, search};
use super::{DESCENT, LOOKUP, Optimizer};
use crate::meta::SqlTable;
use crate::query::expr::usable::Usable;
use crate::query::plan::index_merge::{IndexMerge, MergeKind};
use crate::query::plan::key::{Key, Search};
use crate::vars::switches::Switch;
use std::sync::Arc;
use weir_engine::LockMode;

/// Cost of an entry that is read for its clustered key alone, and kept.
pub const ENTRY: f64 = 0.6;
/// Indexes that are intersected at most.
const MOST: usize = 3;

/// A merge, the rows that it finds and what it costs.
pub struct Found {
    pub merge: IndexMerge,
    pub rows: f64,
    pub cost: f64,
}

impl Optimizer<'_> {
    /// The cheapest merge of indexes that the conditions on a table allow.
    pub async fn index_merge(
        &self,
        t: usize,
        table: &Arc<SqlTable>,
        on: &On,
        total: f64,
    ) -> Option<Found> {
        let is_off = |s: Switch| self.env.reads.settings.switches.is_off(s);
        let wanted = self.raw.merged & (1 << t) != 0;
        if !table.engine.parts.is_empty()
            || self.raw.unmerged & (1 << t) != 0
            || (is_off(Switch::IndexMerge) && !wanted)
        {
            return None;
        }
        let mut best: Option<Found> = None;
        for branches in &on.any {
            let found = self.union(t, table, on, branches, total).await;
            let allowed = |f: &Found| wanted || !is_off(f.merge.kind.switch());
            best = cheaper(best, found.filter(allowed));
        }
        if is_off(Switch::IndexMergeIntersection) && !wanted {
            return best;
        }
        cheaper(best, self.intersection(t, table, on, total).await)
    }

    fn is_mergeable(&self, t: usize, table: &SqlTable, index: usize) -> bool {
        table.has_all_rows(index) && self.raw.usable[t].as_ref().is_none_or(|u| u.contains(&index))
    }

    fn key_of(&self, table: &Arc<SqlTable>, index: usize, search: Search) -> Option<Key> {
        let fixed = |e: &crate::query::expr::BExpr| self.tables_of(e) == 0 && e.has_no_subs();
        let mergeable = search.values().all(fixed) && !search.only_excludes();
        mergeable.then(|| Key {
            table: table.clone(),
            index,
            searches: vec![search],
            unique: false,
            subs: Vec::new(),
            over: None,
        })
    }

    /// The rows of each branch of an OR by the index that finds the fewest.
    async fn union(
        &self,
        t: usize,
        table: &Arc<SqlTable>,
        on: &On,
        branches: &[Vec<(u16, Usable)>],
        total: f64,
    ) -> Option<Found> {
        let mut keys: Vec<Key> = Vec::new();
        let (mut rows, mut cost) = (0.0, 0.0);
        for branch in branches {
            let all: Vec<&(u16, Usable)> = on.all.iter().chain(branch).collect();
            let mut best: Option<(Key, f64)> = None;
            for index in 0..table.engine.def.indexes.len() {
                // The branch itself has to say something of the index, or its rows would be those of all branches.
                let parts = &table.engine.def.indexes[index].parts;
                let said =
                    branch.iter().any(|(c, _)| parts.iter().any(|p| p.col == usize::from(*c)));
                if !said || !self.is_mergeable(t, table, index) {
                    continue;
                }
                let found = search(table, parts, &all);
                let Some(key) = found.and_then(|s| self.key_of(table, index, s)) else { continue };
                let found = self.estimate(&key, total).await;
                if best.as_ref().is_none_or(|(_, least)| found < *least) {
                    best = Some((key, found));
                }
            }
            let (key, found) = best?;
            rows += found;
            cost += DESCENT * key.searches[0].prefixes() + found * ENTRY;
            match keys.iter_mut().find(|k| k.index == key.index) {
                Some(same) => same.searches.extend(key.searches),
                None => keys.push(key),
            }
        }
        if keys.len() < 2 {
            return None;
        }
        let ordered = keys.iter().all(|k| k.index == 0 || k.searches.len() == 1 && is_whole(k));
        let kind = if ordered { MergeKind::Union } else { MergeKind::SortUnion };
        let rows = rows.min(total);
        Some(Found { merge: IndexMerge { kind, keys }, rows, cost: cost + rows * LOOKUP })
    }

    /// The rows that several equalities find each, where reading those of the best one costs more.
    async fn intersection(
        &self,
        t: usize,
        table: &Arc<SqlTable>,
        on: &On,
        total: f64,
    ) -> Option<Found> {
        // Rows that one search finds and another does not would stay locked.
        if on.all.len() < 2 || self.b.tables[t].lock != LockMode::None {
            return None;
        }
        let mut found: Vec<(Key, f64)> = Vec::new();
        for index in 1..table.engine.def.indexes.len() {
            let def = &table.engine.def.indexes[index];
            if def.unique || !self.is_mergeable(t, table, index) {
                continue;
            }
            let all: Vec<&(u16, Usable)> = on.all.iter().collect();
            let Some(s) = search(table, &def.parts, &all) else { continue };
            let Some(key) = self.key_of(table, index, s).filter(is_whole) else { continue };
            let rows = self.estimate(&key, total).await;
            found.push((key, rows));
        }
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut chosen: Vec<Key> = Vec::new();
        let mut columns: Vec<usize> = Vec::new();
        let (mut rows, mut cost) = (total, 0.0);
        for (key, of_key) in found.into_iter().take(MOST) {
            let own: Vec<usize> = (0..key.searches[0].eq.len()).map(|p| key.column(p)).collect();
            // An index over columns that are decided already leaves no more rows out.
            let new = own.iter().any(|c| !columns.contains(c));
            let left = rows * (of_key / total).min(1.0);
            let gain = (rows - left) * LOOKUP - (DESCENT + of_key * ENTRY);
            if !new || !(chosen.is_empty() || gain > 0.0) {
                continue;
            }
            cost += DESCENT + of_key * ENTRY;
            rows = left;
            columns.extend(own);
            chosen.push(key);
        }
        if chosen.len() < 2 {
            return None;
        }
        let rows = rows.max(1.0);
        let merge = IndexMerge { kind: MergeKind::Intersection, keys: chosen };
        Some(Found { merge, rows, cost: cost + rows * LOOKUP })
    }
}

/// One value for each part of the index: the entries found are in the order of the clustered key.
fn is_whole(key: &Key) -> bool {
    let parts = &key.table.engine.def.indexes[key.index].parts;
    let whole = parts.iter().all(|p| p.prefix.is_none());
    whole && matches!(&key.searches[..], [one] if one.is_single() && one.eq.len() == parts.len())
}

fn cheaper(a: Option<Found>, b: Option<Found>) -> Option<Found> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.cost < a.cost { b } else { a }),
        (a, b) => a.or(b),
    }
}
