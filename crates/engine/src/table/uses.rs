//! What statements have read and changed through an index of an open table, since the start or since somebody began to count again.
//!
//! Rows are counted where the engine's own counters of rows are: those of a leaf at once. An index that is seldom used counts in one
//! place that all threads share; one that is used often has a place for each lane (`crate::lane`).

use super::Table;
use crate::lane::{self, LANES, Line};
// Not `crate::sync`: counting orders nothing and is no step for a model checker.
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Uses of an index that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Rows read through the index.
    Fetched,
    /// Rows read by a scan of the whole clustered index, which uses no key.
    Scanned,
    /// Of the clustered index: rows that were put into the table, changed in it, and deleted.
    Inserted,
    Updated,
    Deleted,
}

const USES: usize = Use::Deleted as usize + 1;
/// So many rows in one place are a reason for lanes: they take 1 KiB.
const OFTEN: u64 = 1024;

/// How often each use took place.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct UseCounts([u64; USES]);

impl UseCounts {
    pub fn of(&self, what: Use) -> u64 {
        self.0[what as usize]
    }

    pub fn plus(self, other: UseCounts) -> UseCounts {
        UseCounts(std::array::from_fn(|i| self.0[i].wrapping_add(other.0[i])))
    }
}

type Places = [AtomicU64; USES];

#[derive(Default)]
pub struct Uses {
    shared: Places,
    lanes: OnceLock<Box<[Line<Places>; LANES]>>,
    /// What had been counted when somebody began to count again. A lane's place is written by its thread alone, so nobody sets it to zero.
    before: Places,
}

impl Uses {
    #[inline]
    pub fn add(&self, what: Use, n: u64) {
        if let (Some(lanes), Some(lane)) = (self.lanes.get(), lane::current()) {
            return lane::step(&lanes[lane].0[what as usize], n);
        }
        self.add_shared(what, n);
    }

    #[inline(never)]
    fn add_shared(&self, what: Use, n: u64) {
        let before = self.shared[what as usize].fetch_add(n, Ordering::Relaxed);
        if before.wrapping_add(n) >= OFTEN {
            self.lanes.get_or_init(Box::default);
        }
    }

    fn all(&self) -> UseCounts {
        let mut sums: [u64; USES] = std::array::from_fn(|i| self.shared[i].load(Ordering::Relaxed));
        for lane in self.lanes.get().into_iter().flat_map(|lanes| lanes.iter()) {
            for (sum, place) in sums.iter_mut().zip(&lane.0) {
                *sum = sum.wrapping_add(place.load(Ordering::Relaxed));
            }
        }
        UseCounts(sums)
    }

    pub fn counts(&self) -> UseCounts {
        let all = self.all();
        UseCounts(std::array::from_fn(|i| {
            all.0[i].wrapping_sub(self.before[i].load(Ordering::Relaxed))
        }))
    }

    /// What was counted so far counts no longer.
    pub fn forget(&self) {
        for (before, all) in self.before.iter().zip(self.all().0) {
            before.store(all, Ordering::Relaxed);
        }
    }
}

impl Table {
    /// What statements have read and changed through one of its indexes, in all of its partitions.
    pub fn uses_of(&self, index: usize) -> UseCounts {
        let parts = self.parts.iter().map(|p| p.indexes[index].uses.counts());
        parts.fold(self.indexes[index].uses.counts(), UseCounts::plus)
    }

    /// What statements have read and changed so far counts no longer.
    pub fn forget_uses(&self) {
        self.indexes.iter().for_each(|i| i.uses.forget());
        self.parts.iter().for_each(|p| p.forget_uses());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_is_lost_where_threads_with_and_without_lanes_count() {
        const STEPS: u64 = 1000;
        let uses = Uses::default();
        std::thread::scope(|s| {
            for thread in 0..4 {
                let uses = &uses;
                s.spawn(move || {
                    let lane = (thread % 2 == 0).then(lane::Lane::take);
                    for _ in 0..STEPS {
                        uses.add(Use::Fetched, 2);
                        uses.add(Use::Deleted, 1);
                    }
                    drop(lane);
                });
            }
        });
        assert!(uses.lanes.get().is_some(), "used often");
        let counts = uses.counts();
        assert_eq!((counts.of(Use::Fetched), counts.of(Use::Deleted)), (8 * STEPS, 4 * STEPS));
        assert_eq!((counts.of(Use::Scanned), counts.plus(counts).of(Use::Deleted)), (0, 8 * STEPS));
    }

    #[test]
    fn counting_begins_again() {
        let uses = Uses::default();
        uses.add(Use::Inserted, 5);
        uses.forget();
        assert_eq!(uses.counts(), UseCounts::default());
        uses.add(Use::Inserted, 3);
        assert_eq!(uses.counts().of(Use::Inserted), 3);
        assert!(uses.lanes.get().is_none(), "seldom used");
    }
}
