//! Read views: which transactions a reader sees.

use crate::ids::TrxId;
use crate::planted::{self, Bug};
use crate::sync::atomic::{AtomicU64, Ordering};

/// A snapshot. Shared by all who opened one while nothing began or ended.
pub struct View {
    /// Ids below are committed.
    low: TrxId,
    /// Ids from here on began later.
    high: TrxId,
    /// Active ids in between, ascending.
    active: Box<[TrxId]>,
    /// Every transaction with a commit number below is visible here.
    pub no: u64,
    /// Bytes of undo of the transactions that had committed when it was built.
    pub undo: u64,
    /// Who uses it now. Registered in `TrxSys` while above zero.
    users: AtomicU64,
    /// Log of `rt` time at which it was built, for "oldest view" reports.
    pub since: u64,
}

impl View {
    pub fn new(high: TrxId, active: Box<[TrxId]>, (no, undo): (u64, u64), since: u64) -> View {
        let low = active.first().copied().unwrap_or(high);
        View { low, high, active, no, undo, users: AtomicU64::new(0), since }
    }

    #[inline]
    pub fn sees(&self, id: TrxId) -> bool {
        if planted::is(Bug::ViewSeesNextTransaction) && id == self.high {
            return true;
        }
        id < self.low || (id < self.high && self.active.binary_search(&id).is_err())
    }

    /// Everybody with an id up to this one had ended when the view was made.
    pub fn sees_all_up_to(&self, id: TrxId) -> bool {
        id < self.low
    }

    pub(super) fn open(&self) {
        self.users.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn close(&self) {
        let old = self.users.fetch_sub(1, Ordering::AcqRel);
        debug_assert!(old > 0);
    }

    pub(super) fn in_use(&self) -> bool {
        self.users.load(Ordering::Acquire) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sees_what_was_committed() {
        let v = View::new(10, Box::new([4, 7]), (3, 0), 0);
        let seen: Vec<u64> = (1..13).filter(|id| v.sees(*id)).collect();
        assert_eq!(seen, [1, 2, 3, 5, 6, 8, 9]);
    }
}
