//! What the cursors of a step read, and cursors that read once more.

use super::Joiner;
use crate::query::eval::frame::Slot;
use crate::query::exec::Runner;
use crate::query::plan::{Access, Block};
use crate::query::ranges::KeyRange;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use weir_engine::{Cursor, ScanSpec, Table};

/// Cursors that are kept when their scans are done. A nested loop opens one for each row before.
const MOST: usize = 8;

impl Runner<'_, '_> {
    /// A cursor, made of one that is done with the same index where there is one.
    pub(super) fn open(&mut self, table: &Arc<Table>, spec: ScanSpec) -> Box<Cursor> {
        match self.done.iter().rposition(|c| c.reads(table, spec.index)) {
            Some(n) => {
                let done = self.done.swap_remove(n);
                self.txn.scan_again(done, table, spec)
            }
            None => Box::new(self.txn.scan(table, spec)),
        }
    }

    /// A cursor is done.
    pub(super) fn close(&mut self, mut c: Box<Cursor>) {
        if self.done.len() < MOST {
            self.txn.end_scan(&mut c);
            self.done.push(c);
        }
    }
}

impl Joiner<'_> {
    /// The rows of a table's cursor have been read, or are not wanted any more.
    pub(super) fn close(&mut self, t: usize, r: &mut Runner<'_, '_>) {
        if matches!(self.slots[t], Slot::Buf(_)) {
            return;
        }
        if let Slot::Cursor(c) = std::mem::replace(&mut self.slots[t], Slot::Null) {
            r.close(c);
        }
    }

    /// No row is looked at any more.
    pub fn close_all(&mut self, r: &mut Runner<'_, '_>) {
        (0..self.slots.len()).for_each(|t| self.close(t, r));
    }
}

/// What a step reads in a range.
pub(super) fn scan_spec(block: &Block, i: usize, range: KeyRange, r: &Runner<'_, '_>) -> ScanSpec {
    let step = &block.steps[i];
    let slot = &block.tables[step.table];
    let (index, reverse) = match &step.access {
        Access::Scan { index, reverse } => (*index, *reverse),
        Access::Ranges { key, reverse } => (key.index, *reverse),
        Access::Point(key) => (key.index, false),
        Access::Skip(scan) => (scan.key.index, false),
        Access::Loose { index, .. } => (*index, false),
        Access::Merged(_) | Access::Mem { .. } => (0, false),
    };
    ScanSpec {
        index,
        start: range.start,
        end: range.end,
        reverse,
        lock: r.lock_of(slot),
        on_locked: slot.on_locked,
        unique_eq: false,
        expect: expected(block, i),
        fetch_external: slot.needs_external,
        // Only changes need keys, and they lock.
        rows_only: true,
        index_only: step.index_only.clone(),
    }
}

/// Rows that the first batch of a scan should hold; 0 for few, because not all may be asked for.
fn expected(block: &Block, i: usize) -> u32 {
    let bounded = block.limit.is_some()
        && block.order.is_empty()
        && block.agg.is_none()
        && block.windows.is_empty();
    if i > 0 || bounded {
        return 0;
    }
    match block.seen.load(Ordering::Relaxed) {
        0 if block.steps[i].rows < 200.0 => block.steps[i].rows.max(1.0) as u32,
        seen => seen.saturating_add(seen / 16),
    }
}
