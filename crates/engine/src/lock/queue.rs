//! The locks of one record: who has it, and who waits for it, in order.
//!
//! A request waits for every conflicting lock that is granted and for every conflicting request that waits before it; never
//! for its own transaction. So the edges of the wait-for graph need not be stored: a queue implies them.

use super::conflict::{CLASSES, Kind, Mode, WAITS_FOR, class, covers};
use super::trx::TrxLocks;
use super::wait::{Request, State, Wakes};
use crate::planted::{self, Bug};
use crate::sync::atomic::Ordering;
use crate::waits::Blocker;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::sync::Arc;

pub struct Lock {
    pub trx: Arc<TrxLocks>,
    pub mode: Mode,
    pub kind: Kind,
}

impl Lock {
    pub fn what(&self) -> (Mode, Kind) {
        (self.mode, self.kind)
    }
}

/// What stands in the way of a request.
pub enum Standing {
    /// The transaction has a lock that covers it.
    Covered,
    Free,
    Blocked(Blocker),
}

#[derive(Default)]
pub struct Queue {
    pub granted: SmallVec<[Lock; 1]>,
    /// `None` when nobody waits, as with nearly all records.
    pub line: Option<Box<Line>>,
}

/// A waiting request, with copies of what is compared while a line is walked.
pub struct Waiter {
    pub class: u8,
    pub seq: u64,
    pub request: Arc<Request>,
}

/// Those who wait, in order of their numbers.
pub struct Line {
    /// Tells lines of different records apart: the number of the first request that waited here.
    pub id: u64,
    pub waiting: VecDeque<Waiter>,
    /// How many of each class wait.
    classes: [u32; CLASSES],
}

impl Line {
    pub fn position(&self, request: &Request) -> Option<usize> {
        self.waiting.binary_search_by_key(&request.seq, |w| w.seq).ok()
    }

    fn has_any(&self, mask: u8) -> bool {
        any(&self.classes, mask)
    }
}

fn any(counts: &[u32; CLASSES], mask: u8) -> bool {
    (0..CLASSES).any(|c| mask >> c & 1 == 1 && counts[c] > 0)
}

impl Queue {
    pub fn is_empty(&self) -> bool {
        self.granted.is_empty() && self.line.is_none()
    }

    pub fn len(&self) -> usize {
        self.granted.len() + self.line.as_ref().map_or(0, |l| l.waiting.len())
    }

    pub fn has(&self, trx: &Arc<TrxLocks>, covering: (Mode, Kind)) -> bool {
        self.granted.iter().any(|l| Arc::ptr_eq(&l.trx, trx) && covers(l.what(), covering))
    }

    /// A granted lock of another transaction that excludes `what`.
    fn holder(&self, trx: &Arc<TrxLocks>, what: usize) -> Option<&Lock> {
        let excludes =
            |l: &&Lock| WAITS_FOR[what] >> class(l.what()) & 1 == 1 && !Arc::ptr_eq(&l.trx, trx);
        self.granted.iter().find(excludes)
    }

    /// How a request that is not in the line yet stands.
    pub fn standing(&self, trx: &Arc<TrxLocks>, what: (Mode, Kind)) -> Standing {
        if self.has(trx, what) {
            return Standing::Covered;
        }
        let c = class(what);
        if let Some(l) = self.holder(trx, c) {
            return Standing::Blocked(told(&l.trx));
        }
        match self.line.as_ref().filter(|l| l.has_any(WAITS_FOR[c])) {
            Some(_) if planted::is(Bug::WaitersOvertaken) => Standing::Free,
            Some(line) => Standing::Blocked(waiting_before(line, usize::MAX, c)),
            None => Standing::Free,
        }
    }

    /// Who is in the way of the waiter at this place of the line: one that has the lock, if any does, for the others wait
    /// for it themselves.
    pub fn blocker(&self, line: &Line, at: usize) -> Blocker {
        let w = &line.waiting[at];
        match self.holder(&w.request.trx, w.class.into()) {
            Some(l) => told(&l.trx),
            None => waiting_before(line, at, w.class.into()),
        }
    }

    /// Whether a request of another transaction waits for a lock that this one has.
    pub fn keeps_waiting(&self, trx: &Arc<TrxLocks>) -> bool {
        let Some(line) = &self.line else { return false };
        let mine = self.granted.iter().filter(|l| Arc::ptr_eq(&l.trx, trx));
        let mask = mine.fold(0u8, |m, l| m | 1 << class(l.what()));
        mask != 0
            && line.waiting.iter().any(|w| {
                WAITS_FOR[usize::from(w.class)] & mask != 0 && !Arc::ptr_eq(&w.request.trx, trx)
            })
    }

    /// Whether the request waits in this queue for a lock or an earlier request of the other transaction.
    pub fn waits_for(&self, request: &Request, other: &Arc<TrxLocks>) -> bool {
        let Some(line) = &self.line else { return false };
        let Some(at) = line.position(request) else { return false };
        let mask = WAITS_FOR[class(request.what)];
        let holds = |l: &Lock| mask >> class(l.what()) & 1 == 1 && Arc::ptr_eq(&l.trx, other);
        let before = |w: &Waiter| mask >> w.class & 1 == 1 && Arc::ptr_eq(&w.request.trx, other);
        !Arc::ptr_eq(&request.trx, other)
            && (self.granted.iter().any(holds) || line.waiting.range(..at).any(before))
    }

    /// Puts a request at the end of the line; true when it is the first.
    pub fn enqueue(&mut self, request: &Arc<Request>) -> bool {
        let first = self.line.is_none();
        let line = self.line.get_or_insert_with(|| {
            Box::new(Line { id: request.seq, waiting: VecDeque::new(), classes: [0; CLASSES] })
        });
        assert!(line.waiting.back().is_none_or(|w| w.seq < request.seq), "out of order");
        let c = class(request.what);
        line.classes[c] += 1;
        line.waiting.push_back(Waiter {
            class: c as u8,
            seq: request.seq,
            request: request.clone(),
        });
        *request.trx.waiting.lock() = Some(request.clone());
        first
    }

    /// Takes a request out of the line; false when it does not wait any more.
    pub fn cancel(&mut self, request: &Request) -> bool {
        let Some(line) = &mut self.line else { return false };
        let Some(at) = line.position(request) else { return false };
        line.take(at);
        true
    }

    /// Grants, in order, every request that nothing granted and nothing before it excludes any more. Ends as soon as
    /// nobody further back can pass those who stay: behind a row's next writer that is at once.
    pub fn grant(&mut self, wakes: &mut Wakes) {
        let Some(mut line) = self.line.take() else { return };
        // Of those who stay in the line before place `at`, and of those who are still to be looked at.
        let (mut stay, mut rest) = (0u8, line.classes);
        let mut at = 0;
        while at < line.waiting.len() {
            if (0..CLASSES).all(|c| rest[c] == 0 || WAITS_FOR[c] & stay != 0) {
                break;
            }
            let (c, trx) = {
                let w = &line.waiting[at];
                (usize::from(w.class), &w.request.trx)
            };
            rest[c] -= 1;
            if WAITS_FOR[c] & stay != 0 || self.holder(trx, c).is_some() {
                stay |= 1 << c;
                at += 1;
                continue;
            }
            let request = line.take(at);
            // A granted insert intention has served its purpose: anyone who had it looks again, and inserts.
            if request.what.1 != Kind::InsertIntention {
                let (mode, kind) = request.what;
                let open = request.trx.gains(&request.name);
                assert!(open, "a transaction ended while it waited");
                self.granted.push(Lock { trx: request.trx.clone(), mode, kind });
            }
            wakes.extend(request.finish(State::Granted));
            if planted::is(Bug::OnlyFirstWaiterGranted) {
                break;
            }
        }
        if !line.waiting.is_empty() {
            self.line = Some(line);
        }
    }
}

impl Line {
    fn take(&mut self, at: usize) -> Arc<Request> {
        let w = self.waiting.remove(at).expect("the place is in the line");
        self.classes[usize::from(w.class)] -= 1;
        *w.request.trx.waiting.lock() = None;
        w.request
    }
}

fn waiting_before(line: &Line, end: usize, class: usize) -> Blocker {
    let mut before = line.waiting.iter().take(end);
    before
        .find(|w| WAITS_FOR[class] >> w.class & 1 == 1)
        .map_or(Blocker::default(), |w| told(&w.request.trx))
}

fn told(trx: &TrxLocks) -> Blocker {
    Blocker { session: trx.session, trx: trx.id.load(Ordering::Acquire) }
}
