//! Locks of readers and writers for as long as they wait for nothing: a look at one row, or the change of one.
//!
//! A thread with a lane ([`crate::lane`]) says so in a line of memory of its own and looks whether the table is shut; users of one table
//! meet nowhere. Anyone who gets the table alone shuts it first and then waits until each lane has been seen out of it; anyone who keeps
//! writers out does the same with those that write. A thread without a lane is one of the sharers for that time.
//!
//! Invariants
//! - Either the one who comes in sees that the table is shut to it, or the one who shuts it sees it: each writes its own word and then reads
//!   the other's, all four in one order (`SeqCst`).
//! - Who is in waits for nothing of this lock, so the wait for it ends by itself; it takes no mutex of this lock either, which that
//!   wait is made under.
//! - The table is shut while somebody has it exclusively or waits to have it so, and shut to writers while somebody keeps them out or waits
//!   to: a lane is kept out where a sharer would be.

use super::{Mdl, MdlMode, me};
use crate::lane::{self, LANES, Line};
// Not `crate::sync`: threads of a model checker have no lanes.
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Which lanes are in, and whether more may come.
#[derive(Default)]
pub(super) struct Lanes {
    /// One of the numbers below.
    inside: [Line<AtomicU8>; LANES],
    shut: Line<Shut>,
}

#[derive(Default)]
struct Shut {
    all: AtomicBool,
    writers: AtomicBool,
}

/// The lane is out; in and reads; in and writes.
const OUT: u8 = 0;
const READS: u8 = 1;
const WRITES: u8 = 2;

fn set(flag: &AtomicBool, to: bool) {
    if flag.load(Ordering::Relaxed) != to {
        flag.store(to, Ordering::SeqCst);
    }
}

impl Lanes {
    fn enter(&self, lane: usize, as_what: u8) -> bool {
        debug_assert_eq!(self.inside[lane].0.load(Ordering::Relaxed), OUT, "a look within a look");
        self.inside[lane].0.store(as_what, Ordering::SeqCst);
        let shut = &self.shut.0;
        let closed = shut.all.load(Ordering::SeqCst)
            || as_what == WRITES && shut.writers.load(Ordering::SeqCst);
        if closed {
            self.leave(lane);
        }
        !closed
    }

    fn leave(&self, lane: usize) {
        self.inside[lane].0.store(OUT, Ordering::Release);
    }

    /// Called under the lock's mutex whenever that is let go.
    pub fn set_shut(&self, all: bool, writers: bool) {
        set(&self.shut.0.all, all);
        set(&self.shut.0.writers, writers);
    }

    /// Shuts the table and waits until nobody looks at it any more: for a microsecond, or until a thread that was preempted runs on.
    pub fn shut_out(&self) {
        self.shut.0.all.store(true, Ordering::SeqCst);
        self.until_below(READS);
    }

    /// The same with those that write.
    pub fn shut_writers_out(&self) {
        self.shut.0.writers.store(true, Ordering::SeqCst);
        self.until_below(WRITES);
    }

    fn until_below(&self, what: u8) {
        for lane in &self.inside {
            while lane.0.load(Ordering::SeqCst) >= what {
                std::thread::yield_now();
            }
        }
    }
}

/// A lock for as long as its holder waits for nothing. It borrows what `MdlHold` shares.
pub struct MdlBrief<'m> {
    mdl: &'m Mdl,
    how: How,
}

enum How {
    Lane(usize),
    /// One of the sharers, by this number.
    Shared(u32, MdlMode),
}

impl Drop for MdlBrief<'_> {
    fn drop(&mut self) {
        match self.how {
            How::Lane(lane) => self.mdl.lanes.leave(lane),
            How::Shared(who, mode) => self.mdl.let_go(who, mode),
        }
    }
}

impl Mdl {
    /// A reader's lock, without waiting.
    #[inline]
    pub fn briefly(&self) -> Option<MdlBrief<'_>> {
        self.come_in(READS, MdlMode::Read)
    }

    /// A writer's.
    #[inline]
    pub fn briefly_to_write(&self) -> Option<MdlBrief<'_>> {
        self.come_in(WRITES, MdlMode::Write)
    }

    #[inline]
    fn come_in(&self, as_what: u8, mode: MdlMode) -> Option<MdlBrief<'_>> {
        let how = match lane::current() {
            Some(lane) => self.lanes.enter(lane, as_what).then_some(How::Lane(lane)),
            None => self.share_briefly(mode).map(|who| How::Shared(who, mode)),
        };
        how.map(|how| MdlBrief { mdl: self, how })
    }

    fn share_briefly(&self, mode: MdlMode) -> Option<u32> {
        let mut s = self.lock();
        let who = me();
        s.admits(mode).then(|| s.share(who, mode))?;
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

    #[test]
    fn nobody_writes_a_table_that_somebody_keeps_still() {
        let m = Mdl::new(7);
        // Two words that only a writer makes differ, and writers do so one at a time.
        let (a, b) = (AtomicU64::new(0), AtomicU64::new(0));
        let (turn, ended) = (std::sync::Mutex::new(()), AtomicBool::new(false));
        std::thread::scope(|s| {
            for n in 0..3 {
                let (m, a, b, turn, ended) = (&m, &a, &b, &turn, &ended);
                s.spawn(move || {
                    let _lane = (n > 0).then(Lane::take);
                    while !ended.load(Ordering::Relaxed) {
                        if let Some(_held) = m.briefly_to_write() {
                            let _one = turn.lock().unwrap();
                            a.fetch_add(1, Ordering::Relaxed);
                            std::thread::yield_now();
                            b.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
            let (mut still, mut seen) = (0, 0);
            while still < 300 || seen < 300 {
                let Some(_held) = m.at_once(MdlMode::Freeze) else {
                    std::thread::yield_now();
                    continue;
                };
                still += 1;
                assert!(m.briefly_to_write().is_none());
                let now = a.load(Ordering::Relaxed);
                std::thread::yield_now();
                assert_eq!((now, now), (a.load(Ordering::Relaxed), b.load(Ordering::Relaxed)));
                seen = now;
            }
            ended.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn who_keeps_writers_out_or_waits_to_keeps_brief_ones_out() {
        let m = Mdl::new(7);
        let _lane = Lane::take();
        let writer = m.at_once(MdlMode::Write);
        let mut counted = false;
        assert!(m.briefly_to_write().is_some());
        assert!(m.take(MdlMode::Freeze, Some(&mut counted)).is_none() && counted);
        assert!(m.briefly_to_write().is_none() && m.briefly().is_some());
        drop(writer);
        let still = m.take(MdlMode::Freeze, Some(&mut counted));
        assert!(still.is_some() && m.briefly_to_write().is_none() && m.briefly().is_some());
        drop(still);
        assert!(m.briefly_to_write().is_some());
        let mut ddl = m.at_once(MdlMode::UpgradableFreeze).unwrap();
        assert!(m.briefly_to_write().is_none());
        ddl.thaw();
        assert!(m.briefly_to_write().is_some());
        assert!(ddl.try_to_be_alone(&mut false) && m.briefly_to_write().is_none());
        ddl.downgrade();
        assert!(m.briefly_to_write().is_some());
    }
}
