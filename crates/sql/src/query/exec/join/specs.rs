//! What the cursors of a step read.

use crate::query::exec::Runner;
use crate::query::plan::{Access, Block};
use crate::query::ranges::KeyRange;
use std::sync::atomic::Ordering;
use weir_engine::ScanSpec;

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
