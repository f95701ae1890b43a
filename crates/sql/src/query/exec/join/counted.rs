//! What a join counts of its reads: the counters `Handler_read_*`, `Select_*` and `Sort_*`, stepped where MySQL's InnoDB steps them.
//!
//! A search of an index is `Handler_read_key`, and each further row of its range a `Handler_read_next`, the look behind the last one
//! included. A whole index begins with `Handler_read_first` as well; in a table that is read whole each row is a
//! `Handler_read_rnd_next`.

use super::{Joiner, StepState};
use crate::query::exec::Runner;
use crate::query::plan::{Access, Block, Source, Step};
use crate::status::{SessionStatus, Stat};
use std::sync::atomic::Ordering;
use weir_engine::ScanSpec;

/// How the rows of an open cursor are counted.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// What each further row is.
    on: Stat,
    /// The search that opens it finds the first row, which is not counted again.
    found: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Reading { on: Stat::Handler_read_next, found: false }
    }
}

impl StepState {
    /// The cursor is about to be asked for a row.
    #[inline]
    pub(super) fn count_row(&mut self, work: &SessionStatus) {
        match self.reading.found {
            true => self.reading.found = false,
            false => work.inc(self.reading.on),
        }
    }

    /// The same for so many rows.
    pub(super) fn count_rows(&mut self, rows: usize, work: &SessionStatus) {
        let first = usize::from(rows > 0 && std::mem::take(&mut self.reading.found));
        work.add(self.reading.on, (rows - first) as u64);
        work.examine_rows(rows as u64);
    }

    /// A cursor is opened. `whole`: the access reads all of its index.
    pub(super) fn count_opened(&mut self, work: &SessionStatus, whole: bool, spec: &ScanSpec) {
        work.inc(Stat::Handler_read_key);
        if whole {
            let end = if spec.reverse { Stat::Handler_read_last } else { Stat::Handler_read_first };
            work.inc(end);
        }
        self.reading = match (whole && spec.index == 0, spec.reverse) {
            (true, false) => Reading { on: Stat::Handler_read_rnd_next, found: false },
            (_, false) => Reading { on: Stat::Handler_read_next, found: true },
            (_, true) => Reading { on: Stat::Handler_read_prev, found: true },
        };
    }
}

impl Joiner<'_> {
    /// For the next execution: what this one read.
    pub(super) fn note_rows(&self) {
        if self.block.steps.len() == 1 {
            self.block.seen.store(self.count, Ordering::Relaxed);
        }
    }

    /// The rows of the only step have gone another way, so many of them.
    pub fn count_folded(&mut self, rows: u32) {
        self.count = rows;
    }

    /// The plan is run. A subquery that is run for each row counts with its query.
    pub fn count_begun(&self, r: &Runner<'_, '_>) {
        for (i, step) in self.block.steps.iter().enumerate() {
            if let Some(stat) = of_step(self.block, step, i == 0) {
                r.reads.work.inc(stat);
            }
        }
    }
}

fn of_step(block: &Block, step: &Step, first: bool) -> Option<Stat> {
    let whole = if first { Stat::Select_scan } else { Stat::Select_full_join };
    let ranges = if first { Stat::Select_range } else { Stat::Select_full_range_join };
    match (&step.access, &block.tables[step.table].source) {
        (Access::Scan { .. }, _) => Some(whole),
        (Access::Mem { hash }, _) => hash.is_empty().then_some(whole),
        (Access::Merged(_) | Access::Loose { .. } | Access::Skip(_), Source::Table(_)) => {
            Some(ranges)
        }
        (Access::Ranges { key, .. }, Source::Table(_)) => {
            let one = matches!(&key.searches[..], [one] if one.is_single());
            (!one).then_some(ranges)
        }
        _ => None,
    }
}

/// The rows of a block were sorted.
pub fn count_sort(block: &Block, work: &SessionStatus, rows: usize) {
    let ranges = matches!(block.steps.first().map(|s| &s.access), Some(Access::Ranges { .. }));
    work.inc(if ranges { Stat::Sort_range } else { Stat::Sort_scan });
    work.add(Stat::Sort_rows, rows as u64);
}
