//! The size of the change buffer as the policies of builds see it, with its limit.
//!
//! InnoDB's insert buffer was one tree for all indexes. Here each index has a tree of its own, and each of them counts its pages into one
//! size.

use crate::sync::atomic::{AtomicU64, Ordering};

/// Pages beyond the limit from which an insert waits for the contraction, and from which nothing is buffered.
const SYNC: u64 = 5;
const DIRECT: u64 = 10;

#[derive(Default)]
pub struct BufferSize {
    /// Pages of all trees together.
    pages: AtomicU64,
    limit: AtomicU64,
    /// From this many pages on a growth is followed by a contraction.
    contract_from: AtomicU64,
    /// The size at which growth was looked for last.
    seen: AtomicU64,
}

/// Growth that an insert has seen: by how many pages, and whether it waits for the contraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    pub pages: u64,
    pub waits: bool,
}

impl BufferSize {
    pub fn set(&self, limit: u64, contract_from: u64) {
        self.limit.store(limit, Ordering::Relaxed);
        self.contract_from.store(contract_from, Ordering::Relaxed);
    }

    /// A tree had so many pages when it was counted last, and has so many now.
    pub fn count(&self, before: u64, now: u64) {
        // The sum of all differences is the sum of the trees, whatever the order in which they come: it is exact modulo 2^64.
        self.pages.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
    }

    pub fn pages(&self) -> u64 {
        // While two count at once a difference may be there before the one that it follows.
        self.pages.load(Ordering::Relaxed).cast_signed().max(0).cast_unsigned()
    }

    /// Nothing is buffered any more.
    pub fn is_overfull(&self) -> bool {
        self.pages() >= self.limit.load(Ordering::Relaxed).saturating_add(DIRECT)
    }

    /// The growth for which a contraction is owed, if there is some. It is reported once.
    pub fn growth(&self) -> Option<Growth> {
        let now = self.pages();
        let pages = now.saturating_sub(self.seen.swap(now, Ordering::Relaxed));
        if pages == 0 || now < self.contract_from.load(Ordering::Relaxed) {
            return None;
        }
        let limit = self.limit.load(Ordering::Relaxed);
        Some(Growth { pages, waits: now >= limit.saturating_add(SYNC) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_add_up_to_one_size_with_one_limit() {
        let b = BufferSize::default();
        b.set(100, 50);
        b.count(0, 30);
        assert_eq!((b.pages(), b.growth()), (30, None), "it is not large yet");
        b.count(0, 25);
        assert_eq!(b.growth(), Some(Growth { pages: 25, waits: false }));
        assert_eq!(b.growth(), None, "it is told once");
        b.count(25, 75);
        assert_eq!(b.growth(), Some(Growth { pages: 50, waits: true }));
        assert!(!b.is_overfull());
        b.count(30, 35);
        assert!(b.is_overfull());
        b.count(35, 0);
        assert_eq!((b.pages(), b.growth(), b.is_overfull()), (75, None, false));
    }
}
