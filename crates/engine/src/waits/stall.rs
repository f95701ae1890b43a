//! The watchdog: nothing is committed for some seconds while sessions wait. It looks once a second and keeps what it saw.
//!
//! Two watches, because "nothing moves" means two things. Who waits for somebody's end (a lock, the log's sync) is not helped by
//! others that make changes meanwhile: only a commit is progress. Who waits for a shortage to pass is helped by changes, which have got
//! past it, and anyone who waits for a page by pages: a long statement on a slow device is slow, not stuck. (Pages that come while
//! somebody waits for a frame are no progress: they may be taking the frames from each other.)

use super::cause::Cause;
use super::ledger::{Open, Text};
use crate::sync::Mutex;
use std::collections::VecDeque;
use weir_rt::Nanos;

/// Stalls that are remembered, and sessions of each.
const STALLS: usize = 32;
const SESSIONS: usize = 128;

/// What the watchdog sees at a moment. Counters only grow.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    pub now: Nanos,
    /// After this long it is a stall; 0: not watched.
    pub limit: Nanos,
    /// Commits that have been answered.
    pub commits: u64,
    /// Mini-transactions, and page reads that came to their end.
    pub changes: u64,
    pub reads: u64,
    pub waiting: Waiting,
}

/// Sessions that wait, by what helps them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// [`Cause::needs_commit`]
    pub for_commit: usize,
    /// [`Cause::needs_page`]
    pub for_page: usize,
    pub for_room: usize,
}

impl Waiting {
    pub fn of(causes: impl Iterator<Item = Cause>) -> Waiting {
        let mut w = Waiting::default();
        for c in causes {
            match (c.needs_commit(), c.needs_page()) {
                (true, _) => w.for_commit += 1,
                (_, true) => w.for_page += 1,
                _ => w.for_room += 1,
            }
        }
        w
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Nothing,
    /// A stall is reported for the first time; it began then.
    Begins(Nanos),
    Lasts,
    /// After so long.
    Ends(Nanos),
}

#[derive(Default)]
pub struct Watchdog {
    seen: Option<Look>,
    /// When there was progress for the last time, or nobody to miss it: commits; anything at all.
    commit_at: Nanos,
    work_at: Nanos,
    stalled: Option<Nanos>,
}

impl Watchdog {
    pub fn look(&mut self, l: Look) -> Verdict {
        let seen = self.seen.replace(l).unwrap_or(l);
        let committed = l.commits != seen.commits;
        let w = l.waiting;
        if committed || w.for_commit == 0 || self.commit_at == 0 {
            self.commit_at = l.now;
        }
        let read = l.reads != seen.reads && w.for_room == 0;
        let worked = committed || l.changes != seen.changes || read;
        if worked || w == Waiting::default() || self.work_at == 0 {
            self.work_at = l.now;
        }
        let since = self.commit_at.min(self.work_at);
        let stalled = l.limit > 0 && l.now.saturating_sub(since) >= l.limit;
        match (stalled, self.stalled) {
            (true, Some(_)) => Verdict::Lasts,
            (true, None) => {
                self.stalled = Some(since);
                Verdict::Begins(since)
            }
            (false, Some(since)) => {
                self.stalled = None;
                Verdict::Ends(l.now.saturating_sub(since))
            }
            (false, None) => Verdict::Nothing,
        }
    }
}

/// A session in a stall.
#[derive(Clone, Copy)]
pub struct Stuck {
    pub open: Open,
    /// Wall clock, microseconds since 1970.
    pub since_micros: u64,
    pub statement: Text,
}

#[derive(Clone)]
pub struct Stall {
    /// From 1 in each run.
    pub number: u64,
    /// Wall clock when commits stopped; when they went on (`None`: not yet).
    pub began_micros: u64,
    pub ended_micros: Option<u64>,
    /// Sessions that waited when it was told; `stuck` may have fewer.
    pub sessions: usize,
    /// The longest waits first.
    pub stuck: Vec<Stuck>,
}

/// The last stalls, oldest first.
#[derive(Default)]
pub struct Stalls {
    all: Mutex<VecDeque<Stall>>,
}

impl Stalls {
    /// Enters a stall; returns its number.
    pub fn begin(&self, began_micros: u64, mut stuck: Vec<Stuck>) -> u64 {
        let sessions = stuck.len();
        stuck.truncate(SESSIONS);
        let mut all = self.all.lock();
        let number = all.back().map_or(1, |s| s.number + 1);
        if all.len() == STALLS {
            all.pop_front();
        }
        all.push_back(Stall { number, began_micros, ended_micros: None, sessions, stuck });
        number
    }

    pub fn end(&self, ended_micros: u64) {
        if let Some(s) = self.all.lock().back_mut() {
            s.ended_micros.get_or_insert(ended_micros);
        }
    }

    pub fn all(&self) -> Vec<Stall> {
        self.all.lock().iter().cloned().collect()
    }

    /// Stalls since the start.
    pub fn count(&self) -> u64 {
        self.all.lock().back().map_or(0, |s| s.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    use Cause::{FreeFrame, LogSpace, PageRead, RowLock};

    /// (commits, changes, reads, who waits) once a second: where a stall of 2 s begins and ends.
    fn watch(looks: &[(u64, u64, u64, &[Cause])]) -> Vec<(u64, Verdict)> {
        let mut w = Watchdog::default();
        let mut out = Vec::new();
        for (i, &(commits, changes, reads, causes)) in looks.iter().enumerate() {
            let now = (i as u64 + 1) * S;
            let waiting = Waiting::of(causes.iter().copied());
            let v = w.look(Look { now, limit: 2 * S, commits, changes, reads, waiting });
            if !matches!(v, Verdict::Nothing | Verdict::Lasts) {
                out.push((i as u64 + 1, v));
            }
        }
        out
    }

    #[test]
    fn a_table_of_stalls() {
        use Verdict::{Begins, Ends};
        // A lock convoy: its owner changes other rows all the time.
        let c = [RowLock, RowLock, PageRead];
        let convoy =
            [(5, 1, 1, &[][..]), (5, 9, 2, &c), (5, 20, 3, &c), (5, 30, 4, &c), (6, 40, 5, &c)];
        assert_eq!(watch(&convoy), [(3, Begins(S)), (5, Ends(4 * S))]);
        // Commits come, if slowly.
        let slow = [1, 2, 2, 3].map(|commits| (commits, 1, 1, &[RowLock, LogSpace][..]));
        assert_eq!(watch(&slow), []);
        // A long statement that is delayed and goes on; a long query on a slow device.
        assert_eq!(watch(&[1, 2, 3, 4].map(|changes| (1, changes, 1, &[LogSpace][..]))), []);
        assert_eq!(watch(&[1, 2, 3, 4].map(|reads| (1, 1, reads, &[PageRead][..]))), []);
        // Pages that take each other's frames.
        let thrash = [1, 2, 3, 4].map(|reads| (1, 1, reads, &[PageRead, FreeFrame][..]));
        assert_eq!(watch(&thrash), [(3, Begins(S))]);
        // The log is full: nobody gets on, and then somebody does.
        let full = [1, 1, 1, 1, 2].map(|changes| (1, changes, 1, &[LogSpace][..]));
        assert_eq!(watch(&full), [(3, Begins(S)), (5, Ends(4 * S))]);
        // A read that does not come back.
        assert_eq!(watch(&[(1, 1, 1, &[PageRead][..]); 3]), [(3, Begins(S))]);
        // Nobody waits, nobody commits.
        assert_eq!(watch(&[(1, 1, 1, &[][..]); 9]), []);
        // Anyone who waited gave up (a timeout): no stall any more.
        let w = &[RowLock][..];
        let gone = [(1, 1, 1, w), (1, 1, 1, w), (1, 1, 1, w), (1, 1, 1, &[])];
        assert_eq!(watch(&gone), [(3, Begins(S)), (4, Ends(3 * S))]);
        // Two stalls are reported separately.
        let two = [1, 1, 1, 2, 2, 2].map(|commits| (commits, 1, 1, w));
        assert_eq!(watch(&two), [(3, Begins(S)), (4, Ends(3 * S)), (6, Begins(4 * S))]);
    }

    #[test]
    fn it_can_be_switched_off() {
        let mut w = Watchdog::default();
        let waiting = Waiting { for_commit: 1, ..Waiting::default() };
        let stuck = |now, limit| Look { now, limit, waiting, ..Look::default() };
        assert_eq!(w.look(stuck(S, 0)), Verdict::Nothing);
        assert_eq!(w.look(stuck(9 * S, 0)), Verdict::Nothing);
        assert_eq!(w.look(stuck(10 * S, 2 * S)), Verdict::Begins(S));
        assert_eq!(w.look(stuck(11 * S, 2 * S)), Verdict::Lasts);
        assert_eq!(w.look(stuck(12 * S, 0)), Verdict::Ends(11 * S));
    }

    #[test]
    fn the_last_ones_are_remembered() {
        let s = Stalls::default();
        for i in 0..STALLS as u64 + 5 {
            assert_eq!(s.begin(i * 100, Vec::new()), i + 1);
            s.end(i * 100 + 50);
            s.end(i * 100 + 90);
        }
        s.begin(9_999, Vec::new());
        let all = s.all();
        assert_eq!((all.len(), s.count()), (STALLS, STALLS as u64 + 6));
        assert_eq!(all[STALLS - 2].ended_micros, Some(3650));
        assert_eq!(all[STALLS - 1].ended_micros, None);
    }
}
