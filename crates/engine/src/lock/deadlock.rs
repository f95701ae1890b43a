//! Circles of transactions that wait for each other: finding them, and who has to give way.
//!
//! Only a new edge of the wait-for graph can close a circle. Edges arise when a transaction begins to wait, and when one that
//! waits already is given a lock that others wait for (a lock made explicit, a gap inherited). In both cases the search
//! starts from that transaction, after the edge is in the table. So of the transactions of a circle the last one to get its
//! edge finds all others in place, and no circle stays, although the search locks one shard at a time. For the same reason what it
//! finds may be over by then: `break_circle` looks again with all shards of the circle locked before it chooses a victim.
//!
//! The search is breadth first, so the circle found has no detours: no bystander is its member. It walks each
//! line of waiters once for each class of request: those who wait before a request in the same line for the same
//! lock wait for nothing that it does not wait for itself.

use super::queue::Queue;
use super::shard::{LockedShard, Shard};
use super::table::{LockInfo, LockTable};
use super::trx::TrxLocks;
use super::wait::{Request, State, Wakes};
use crate::planted::{self, Bug};
use crate::sync::atomic::Ordering;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::conflict::{CLASSES, WAITS_FOR, class};

/// Locks and requests that one search looks at; some 10 ms. Beyond it the wait ends by its timeout, which is counted.
const STEPS_MAX: usize = 1_000_000;

/// How often a search begins again because its circle was over when it was looked at again.
const TRIES_MAX: usize = 100;

enum Found {
    Nothing,
    TooLong,
    /// Each waits for the next one, the last for the first.
    Circle(Vec<Arc<Request>>),
}

/// A request that the search has reached, and by which one.
struct Node {
    request: Arc<Request>,
    parent: usize,
}

struct Search<'a> {
    start: &'a Arc<TrxLocks>,
    nodes: Vec<Node>,
    seen: HashSet<u64>,
    /// Of each line, by class, the number up to which everything is known for which requests there wait.
    known: HashMap<u64, [u64; CLASSES]>,
    steps: usize,
}

impl LockTable {
    /// Breaks every circle that goes through this transaction.
    pub(super) fn resolve_deadlocks(&self, start: &Arc<TrxLocks>) {
        if !self.detect.load(Ordering::Relaxed) {
            return;
        }
        for _ in 0..TRIES_MAX {
            let (found, steps) = self.find_circle(start);
            self.stats.search_steps_max.fetch_max(steps as u64, Ordering::Relaxed);
            match found {
                Found::Nothing => return,
                Found::TooLong => break,
                Found::Circle(c) => self.break_circle(&c),
            }
        }
        self.stats.searches_cut.fetch_add(1, Ordering::Relaxed);
    }

    /// With the number of locks and requests that the search has looked at.
    fn find_circle(&self, start: &Arc<TrxLocks>) -> (Found, usize) {
        let Some(request) = start.request() else { return (Found::Nothing, 0) };
        let mut s = Search {
            start,
            nodes: vec![Node { request, parent: 0 }],
            seen: HashSet::from([start.serial]),
            known: HashMap::new(),
            steps: 0,
        };
        let mut at = 0;
        while at < s.nodes.len() {
            let request = s.nodes[at].request.clone();
            let closed = {
                let shard = self.shard(&request.name).lock();
                match shard.queues.get(&request.name) {
                    Some(q) => s.expand(at, &request, q),
                    None => false,
                }
            };
            if closed {
                return (Found::Circle(s.path(at)), s.steps);
            }
            if s.steps > STEPS_MAX {
                return (Found::TooLong, s.steps);
            }
            at += 1;
        }
        (Found::Nothing, s.steps)
    }

    /// Makes the cheapest member give way, if they still wait for each other.
    fn break_circle(&self, circle: &[Arc<Request>]) {
        let mut wakes = Wakes::new();
        let deadlock = {
            let mut shards = self.lock_all(circle);
            let holds = circle.iter().enumerate().all(|(i, r)| {
                let next = &circle[(i + 1) % circle.len()].trx;
                let q = self.among(&mut shards, r).queues.get(&r.name);
                q.is_some_and(|q| q.waits_for(r, next))
            });
            if !holds {
                return;
            }
            let victim = victim(circle);
            self.stats.deadlocks.fetch_add(1, Ordering::Relaxed);
            let deadlock = describe(circle, victim);
            self.take_out(self.among(&mut shards, victim), victim, &mut wakes);
            // It is woken below, when anyone who listens has seen the statements of all members.
            wakes.extend(victim.finish(State::Victim));
            deadlock
        };
        let listener = self.on_deadlock.lock().clone();
        if let Some(listener) = listener {
            listener(&deadlock);
        }
        *self.last_deadlock.lock() = Some(Arc::new(deadlock));
        wakes.into_iter().for_each(std::task::Waker::wake);
    }

    /// The shards of all members, in ascending order; nothing else locks two shards.
    fn lock_all(&self, circle: &[Arc<Request>]) -> Vec<(usize, LockedShard<'_>)> {
        let mut at: Vec<usize> = circle.iter().map(|r| self.shard_of(&r.name)).collect();
        at.sort_unstable();
        at.dedup();
        at.into_iter().map(|i| (i, self.shards[i].lock())).collect()
    }

    fn among<'a>(&self, shards: &'a mut [(usize, LockedShard<'_>)], r: &Request) -> &'a mut Shard {
        let want = self.shard_of(&r.name);
        let found = shards.iter_mut().find(|(i, _)| *i == want);
        &mut found.expect("the shards of all members are locked").1
    }
}

impl Search<'_> {
    /// Adds those whom the request waits for and who wait themselves; true when it waits for the start.
    fn expand(&mut self, at: usize, request: &Request, q: &Queue) -> bool {
        let Some(line) = &q.line else { return false };
        let Some(place) = line.position(request) else { return false };
        let mask = WAITS_FOR[class(request.what)];
        let known = self.known.entry(line.id).or_default();
        let amnesic = planted::is(Bug::DeadlockSearchAmnesic);
        if known[class(request.what)] >= request.seq && !amnesic {
            return false;
        }
        let first = self.nodes[0].request.clone();
        let mut owns = false;
        let mut reached: SmallVec<[Arc<Request>; 4]> = SmallVec::new();
        self.steps += q.granted.len() + place;
        for l in q.granted.iter().filter(|l| mask >> class(l.what()) & 1 == 1) {
            if Arc::ptr_eq(&l.trx, &request.trx) {
                owns = true;
            } else if Arc::ptr_eq(&l.trx, self.start) {
                return true;
            } else if self.seen.insert(l.trx.serial) {
                reached.extend(l.trx.request());
            }
        }
        // A lock of the start's own is left out here, but those before it may wait for just that one.
        if !(at == 0 && owns || amnesic) {
            known[class(request.what)] = request.seq;
        }
        // From the back: what the last one of a class waits for need not be looked at again for those before it.
        for w in line.waiting.range(..place).rev().filter(|w| mask >> w.class & 1 == 1) {
            if w.seq == first.seq {
                return true;
            }
            if known[usize::from(w.class)] < w.seq && self.seen.insert(w.request.trx.serial) {
                reached.push(w.request.clone());
            }
        }
        if planted::is(Bug::DeadlockOfThreeMissed) && at > 0 {
            return false;
        }
        if planted::is(Bug::DeadlockBehindSecondMissed) {
            reached.truncate(1);
        }
        self.nodes.extend(reached.into_iter().map(|request| Node { request, parent: at }));
        false
    }

    fn path(&self, mut at: usize) -> Vec<Arc<Request>> {
        let mut path = vec![self.nodes[at].request.clone()];
        while at != 0 {
            at = self.nodes[at].parent;
            path.push(self.nodes[at].request.clone());
        }
        path.reverse();
        path
    }
}

/// The cheapest member; among equals the one whose request closed the circle (the first), which has waited least.
fn victim(circle: &[Arc<Request>]) -> &Arc<Request> {
    let weight = |r: &Request| r.trx.weight.load(Ordering::Relaxed);
    let cheapest =
        circle.iter().enumerate().min_by_key(|(i, r)| (weight(r), *i != 0, Reverse(r.trx.serial)));
    cheapest.expect("a circle has members").1
}

/// A circle that was broken.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// The requests of its members: each waited for a lock of the next one's, the last for one of the first.
    pub members: Vec<LockInfo>,
    /// Undo records and locks of each.
    pub weights: Vec<u64>,
    /// Which of them was rolled back.
    pub victim: usize,
}

/// Hears of a deadlock before its victim does, on the thread of the session that closed the circle, which may have a page latched: it
/// takes down what it needs, and waits for nothing.
pub type DeadlockFn = Arc<dyn Fn(&Deadlock) + Send + Sync>;

fn describe(circle: &[Arc<Request>], victim: &Request) -> Deadlock {
    let member = |r: &Arc<Request>| LockInfo {
        session: r.trx.session,
        trx: r.trx.id.load(Ordering::Acquire),
        serial: r.trx.serial(),
        name: r.name.clone(),
        what: r.what,
        waits: true,
        waits_for: Vec::new(),
    };
    Deadlock {
        members: circle.iter().map(member).collect(),
        weights: circle.iter().map(|r| r.trx.weight.load(Ordering::Relaxed)).collect(),
        victim: circle.iter().position(|r| r.seq == victim.seq).unwrap_or(0),
    }
}
