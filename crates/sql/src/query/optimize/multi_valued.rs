//! Searches in multi-valued indexes: rows by the elements of a list, for `MEMBER OF`, JSON_CONTAINS and JSON_OVERLAPS.
//!
//! Such an index has several entries for some rows and none for others, so it is never read in place of the table, nor for an order. A
//! search collects clustered keys, as a merge of indexes does, and each row is read once; all conditions are checked on it.

use super::index_merge::{ENTRY, Found};
use super::searches::{On, search};
use super::{DESCENT, LOOKUP, Optimizer};
use crate::meta::SqlTable;
use crate::query::expr::usable::Usable;
use crate::query::plan::index_merge::{IndexMerge, MergeKind};
use crate::query::plan::key::Key;
use std::sync::Arc;

impl Optimizer<'_> {
    /// The cheapest search by what is said of the elements of a table's lists.
    pub async fn multi_valued(
        &self,
        t: usize,
        table: &Arc<SqlTable>,
        on: &On,
        total: f64,
    ) -> Option<Found> {
        let mut best: Option<Found> = None;
        for (col, alt) in &on.listed {
            let of_list = (*col, Usable::Eq(vec![alt.clone()]));
            let all: Vec<&(u16, Usable)> = on.all.iter().chain([&of_list]).collect();
            for index in self.indexes_over(t, table, *col) {
                let def = &table.engine.def.indexes[index];
                let found = search(table, &def.parts, &all);
                let whole = |s: &crate::query::plan::key::Search| {
                    def.list_part().is_some_and(|at| s.eq.len() > at) && s.like.is_none()
                };
                let Some(s) = found.filter(whole) else { continue };
                let searches = vec![s];
                let (table, subs) = (table.clone(), Vec::new());
                let key = Key { table, index, searches, unique: false, subs, over: None };
                // A value is known already that no element tells the rows of.
                if self.ranges_now(&key).is_some_and(|r| r.widened) {
                    continue;
                }
                let rows = self.estimate(&key, total).await;
                let cost = DESCENT * key.searches[0].prefixes() + rows * (ENTRY + LOOKUP);
                if best.as_ref().is_none_or(|b| cost < b.cost) {
                    let merge = IndexMerge { kind: MergeKind::MultiValued, keys: vec![key] };
                    best = Some(Found { merge, rows, cost });
                }
            }
        }
        best
    }

    /// The multi-valued indexes over a list that the statement may use.
    pub fn indexes_over(&self, t: usize, table: &SqlTable, col: u16) -> Vec<usize> {
        let over = |i: &usize| {
            let def = &table.engine.def.indexes[*i];
            let list = def.list_part().map(|at| def.parts[at].col);
            list == Some(usize::from(col))
                && table.sql_index(*i).is_some()
                && self.raw.usable[t].as_ref().is_none_or(|u| u.contains(i))
        };
        (0..table.engine.def.indexes.len()).filter(over).collect()
    }
}
