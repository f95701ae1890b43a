//! Steps over partitioned tables: the one place where a table of a query becomes several of the engine's. A step reads its ranges in each
//! of the partitions that its conditions leave, one after the other, or side by side where the order of an index is wanted.

use super::Joiner;
use crate::query::bind::partition;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::exec::Runner;
use crate::query::exec::merge::Merge;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Access, Source};
use crate::query::ranges::KeyRange;
use std::sync::Arc;
use weir_engine::{ScanSpec, Table};

impl Joiner<'_> {
    /// Where the current row of a table is: the table itself, or one of its partitions.
    pub fn home(&self, t: usize) -> Option<&Arc<Table>> {
        let Source::Table(table) = &self.block.tables[t].source else { return None };
        if table.engine.parts.is_empty() {
            return Some(&table.engine);
        }
        self.states[t].parts.get(self.states[t].part)
    }

    /// Finds the partitions that step `i` has to read.
    pub(super) async fn begin_parts(
        &mut self,
        i: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let block = self.block;
        let step = &block.steps[i];
        let slot = &block.tables[step.table];
        let Source::Table(table) = &slot.source else { return Ok(()) };
        let keys = step.prune.iter().flat_map(|p| p.keys());
        for key in keys.filter(|k| !k.subs.is_empty()) {
            self.run_subs(&key.subs, r, outer).await?;
        }
        let frame = self.frame(r.params, outer);
        let (prune, selected) = (step.prune.as_deref(), slot.selected.as_deref());
        let now = (r.reads, &mut r.ev);
        let parts = partition::pruned(table, prune, |_| true, selected, &frame, now)?;
        let state = &mut self.states[step.table];
        (state.part, state.merge) = (0, None);
        state.parts = parts.into_iter().map(|at| table.engine.parts[at].clone()).collect();
        Ok(())
    }

    /// Each partition has its own order: where that of an index is wanted they are merged, or the rows sorted after all.
    pub(super) fn begin_order(&mut self, i: usize) {
        let block = self.block;
        let step = &block.steps[i];
        let state = &mut self.states[step.table];
        let Source::Table(table) = &block.tables[step.table].source else { return };
        if i > 0 || state.parts.len() < 2 || block.index_order.is_empty() {
            return;
        }
        let of = match &step.access {
            Access::Scan { index, reverse } => Some((*index, *reverse)),
            Access::Ranges { key, reverse } => Some((key.index, *reverse)),
            Access::Point(_)
            | Access::Loose { .. }
            | Access::Skip(_)
            | Access::Merged(_)
            | Access::Mem { .. } => None,
        };
        if state.ranges.len() == 1 && !self.widened {
            state.merge = of.and_then(|(index, reverse)| Merge::of(&table.engine, index, reverse));
        }
        self.widened |= state.merge.is_none();
    }

    /// The next row of partitions that are merged.
    pub(super) async fn advance_merged(
        &mut self,
        t: usize,
        mut merge: Merge,
        spec: ScanSpec,
        r: &mut Runner<'_, '_>,
    ) -> Run<bool> {
        let last = match std::mem::replace(&mut self.slots[t], Slot::Null) {
            Slot::Cursor(c) => Some((self.states[t].part, c)),
            _ => None,
        };
        let next = merge.next(r, &self.states[t].parts, &spec, last).await?;
        let state = &mut self.states[t];
        state.merge = Some(merge);
        let Some((at, cursor)) = next else { return Ok(false) };
        state.part = at;
        self.slots[t] = Slot::Cursor(cursor);
        Ok(true)
    }

    /// The next range of a table to be read, and where.
    pub(super) fn next_range(&mut self, i: usize) -> Option<(Arc<Table>, KeyRange)> {
        let step = &self.block.steps[i];
        let Source::Table(table) = &self.block.tables[step.table].source else { return None };
        let state = &mut self.states[step.table];
        if !table.engine.parts.is_empty() {
            // The ranges are read again in the next partition.
            if state.next == state.ranges.len() {
                (state.part, state.next) = (state.part + 1, 0);
            }
            let part = state.parts.get(state.part)?.clone();
            let range = state.ranges.get(state.next)?.clone();
            state.next += 1;
            return Some((part, range));
        }
        let range = state.ranges.get_mut(state.next)?;
        state.next += 1;
        // The range of a scan is used again by the next outer row.
        let range = match step.access {
            Access::Scan { .. } => range.clone(),
            _ => std::mem::replace(range, KeyRange::all()),
        };
        Some((table.engine.clone(), range))
    }
}
