//! Readers' locks for as long as they wait for nothing: a look at one row.
//!
//! A thread with a lane ([`crate::lane`]) says so in a line of memory of its own and looks whether the table is shut; readers of one table
//! meet nowhere. Anyone who gets the table alone shuts it first and then waits until each lane has been seen out of it. A thread without a
//! lane is one of the sharers for that time.
//!
//! Invariants
//! - Either the reader sees that the table is shut, or the one who shuts it sees the reader: each writes its own word and then reads the
//!   other's, all four in one order (`SeqCst`).
//! - A reader waits for nothing while it is in, so the wait for it ends by itself; it takes no mutex of this lock either, which that
//!   wait is made under.
//! - The table is shut while somebody has it exclusively or waits to have it so: a reader in a lane is kept out where a sharer would be.

use super::{Mdl, MdlMode, me};
use crate::lane::{self, LANES, Line};
// Not `crate::sync`: threads of a model checker have no lanes.
use std::sync::atomic::{AtomicBool, Ordering};

/// Which lanes are in, and whether more may come.
#[derive(Default)]
pub(super) struct Lanes {
    inside: [Line<AtomicBool>; LANES],
    shut: Line<AtomicBool>,
}

impl Lanes {
    fn enter(&self, lane: usize) -> bool {
        debug_assert!(!self.inside[lane].0.load(Ordering::Relaxed), "a look within a look");
        self.inside[lane].0.store(true, Ordering::SeqCst);
        let open = !self.shut.0.load(Ordering::SeqCst);
        if !open {
            self.leave(lane);
        }
        open
    }

    fn leave(&self, lane: usize) {
        self.inside[lane].0.store(false, Ordering::Release);
    }

    /// Called under the lock's mutex whenever that is let go.
    pub fn set_shut(&self, shut: bool) {
        if self.shut.0.load(Ordering::Relaxed) != shut {
            self.shut.0.store(shut, Ordering::SeqCst);
        }
    }

    /// Shuts the table and waits until nobody looks at it any more: for a microsecond, or until a thread that was preempted runs on.
    pub fn shut_out(&self) {
        self.shut.0.store(true, Ordering::SeqCst);
        for lane in &self.inside {
            while lane.0.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
        }
    }
}

/// A reader's lock for as long as it waits for nothing. It borrows what `MdlHold` shares.
pub struct MdlBrief<'m> {
    mdl: &'m Mdl,
    how: How,
}

enum How {
    Lane(usize),
    /// One of the sharers, by this number.
    Shared(u32),
}

impl Drop for MdlBrief<'_> {
    fn drop(&mut self) {
        match self.how {
            How::Lane(lane) => self.mdl.lanes.leave(lane),
            How::Shared(who) => self.mdl.let_go(who, MdlMode::Read),
        }
    }
}

impl Mdl {
    /// A reader's lock, without waiting.
    #[inline]
    pub fn briefly(&self) -> Option<MdlBrief<'_>> {
        let how = match lane::current() {
            Some(lane) => self.lanes.enter(lane).then_some(How::Lane(lane)),
            None => self.share_briefly().map(How::Shared),
        };
        how.map(|how| MdlBrief { mdl: self, how })
    }

    fn share_briefly(&self) -> Option<u32> {
        let mut s = self.lock();
        let who = me();
        s.admits(MdlMode::Read).then(|| s.share(who, MdlMode::Read))?;
        Some(who)
    }
}

#[cfg(all(test, not(any(shuttle, miri))))]
mod tests {
    use super::*;
    use crate::lane::Lane;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn nobody_looks_at_a_table_that_somebody_has_alone() {
        let m = Mdl::new(7);
        // Two words that only an exclusive holder makes differ.
        let (a, b) = (AtomicU64::new(0), AtomicU64::new(0));
        let (looks, ended) = (AtomicU64::new(0), AtomicBool::new(false));
        std::thread::scope(|s| {
            for _ in 0..3 {
                s.spawn(|| {
                    let _lane = Lane::take();
                    while !ended.load(Ordering::Relaxed) {
                        if let Some(_held) = m.briefly() {
                            let seen = a.load(Ordering::Relaxed);
                            assert_eq!(seen, b.load(Ordering::Relaxed));
                            looks.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
            let mut alone = 0;
            while alone < 300 || looks.load(Ordering::Relaxed) < 300 {
                // A thread without a lane that looks at the table is one of the sharers, and in the way.
                let Some(held) = m.at_once(MdlMode::Exclusive) else {
                    std::thread::yield_now();
                    continue;
                };
                alone += 1;
                a.fetch_add(1, Ordering::Relaxed);
                std::thread::yield_now();
                b.fetch_add(1, Ordering::Relaxed);
                drop(held);
            }
            ended.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn who_waits_to_be_alone_keeps_looks_out() {
        let m = Mdl::new(7);
        let _lane = Lane::take();
        let user = m.at_once(MdlMode::Read);
        let mut counted = false;
        assert!(m.briefly().is_some());
        assert!(m.take(MdlMode::Exclusive, Some(&mut counted)).is_none() && counted);
        assert!(m.briefly().is_none());
        drop(user);
        let alone = m.take(MdlMode::Exclusive, Some(&mut counted));
        assert!(alone.is_some() && m.briefly().is_none());
        drop(alone);
        assert!(m.briefly().is_some());
        let mut ddl = m.at_once(MdlMode::Upgradable).unwrap();
        assert!(m.briefly().is_some(), "a definition statement works while others read");
        assert!(ddl.try_to_be_alone(&mut false) && m.briefly().is_none());
        ddl.downgrade();
        assert!(m.briefly().is_some());
    }
}
