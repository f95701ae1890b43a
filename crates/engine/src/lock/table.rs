//! The lock table: queues by name, sharded; waiting, granting, releasing, inheriting.

use super::conflict::{Kind, Mode, conflicts, covers};
use super::deadlock::{Deadlock, DeadlockFn};
use super::name::{self, LockName};
use super::queue::{Lock, Queue, Standing};
use super::range::{FOLD_FROM, LockRun, Ranges};
use super::shard::{Shard, ShardCell};
use super::trx::{CHUNK, TrxLocks};
use super::wait::{LockWait, Request, State, Wakes};
use crate::planted::{self, Bug};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::waits::Blocker;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::task::Waker;

#[derive(Default)]
pub struct LockStats {
    pub waits: AtomicU64,
    pub current_waits: AtomicU64,
    pub wait_nanos: AtomicU64,
    pub wait_nanos_max: AtomicU64,
    pub deadlocks: AtomicU64,
    pub timeouts: AtomicU64,
    /// Searches for deadlocks that were ended because they took too long.
    pub searches_cut: AtomicU64,
    /// Locks and requests that the longest search has looked at.
    pub search_steps_max: AtomicU64,
}

/// A lock or a request, for monitors.
#[derive(Clone, Debug)]
pub struct LockInfo {
    pub session: u64,
    /// 0: the transaction has written nothing.
    pub trx: u64,
    /// The transaction's number in the lock table.
    pub serial: u64,
    pub name: LockName,
    pub what: (Mode, Kind),
    pub waits: bool,
    /// Of a request that waits: places in the list of what it waits for.
    pub waits_for: Vec<usize>,
}

/// What a request came to.
pub enum Outcome {
    Granted(Granted),
    Wait(LockWait),
    /// Granted; but there are more locks than the table has memory for, and this transaction is to end.
    Full,
}

/// How a grant came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Granted {
    /// The transaction had it.
    Had,
    /// New in the table.
    New,
}

const SHARDS: usize = if cfg!(any(shuttle, miri)) { 2 } else { 64 };

pub struct LockTable {
    pub(super) shards: Box<[ShardCell]>,
    /// Numbers of waiting requests.
    seq: AtomicU64,
    pub stats: LockStats,
    /// Gap-like locks per slot of index ids: 0 means that an insert into such an index need not look.
    gaps: Box<[AtomicU32]>,
    ranges: Ranges,
    /// Bytes of explicit locks, in whole chunks of transactions that have many; and how many there may be.
    charged: AtomicU64,
    pub limit: AtomicU64,
    pub(super) last_deadlock: Mutex<Option<Arc<Deadlock>>>,
    /// Set once, by the owner of the engine.
    pub on_deadlock: Mutex<Option<DeadlockFn>>,
    pub detect: AtomicBool,
}

/// What a lock of its own takes: its name in the table and in its owner's list, a key of twenty bytes in both, its queue.
const LOCK_BYTES: u64 = 240;

const GAP_SLOTS: usize = if cfg!(any(shuttle, miri)) { 2 } else { 1024 };

impl LockTable {
    pub fn new() -> Arc<LockTable> {
        Arc::new(LockTable {
            shards: (0..SHARDS).map(|_| ShardCell::default()).collect(),
            seq: AtomicU64::new(1),
            stats: LockStats::default(),
            gaps: (0..GAP_SLOTS).map(|_| AtomicU32::new(0)).collect(),
            ranges: Ranges::new(),
            charged: AtomicU64::new(0),
            limit: AtomicU64::new(u64::MAX),
            last_deadlock: Mutex::new(None),
            on_deadlock: Mutex::new(None),
            detect: AtomicBool::new(true),
        })
    }

    pub(super) fn shard_of(&self, name: &LockName) -> usize {
        name.shard(SHARDS)
    }

    pub(super) fn shard(&self, name: &LockName) -> &ShardCell {
        &self.shards[self.shard_of(name)]
    }

    fn gap_slot(&self, index: u64) -> &AtomicU32 {
        &self.gaps[(index % GAP_SLOTS as u64) as usize]
    }

    /// Whether any gap in the index may be locked. Reliable for an inserter that holds the leaf's exclusive latch: gaps
    /// are locked under a latch on the same leaf.
    pub fn has_gaps(&self, index: u64) -> bool {
        self.gap_slot(index).load(Ordering::Acquire) > 0
    }

    /// Requests a lock; the caller holds a latch on the record's page (or, for the supremum, on the last leaf).
    /// `enqueue` false: do not wait, leave no trace (NOWAIT, SKIP LOCKED).
    pub fn lock(
        self: &Arc<Self>,
        trx: &Arc<TrxLocks>,
        name: &LockName,
        mode: Mode,
        kind: Kind,
        enqueue: bool,
    ) -> Option<Outcome> {
        let mut shard = self.shard(name).lock();
        if self.ranges.any(name.index) && self.meet_ranges(&mut shard, trx, name, (mode, kind)) {
            return Some(Outcome::Granted(Granted::Had));
        }
        let standing = shard.queues.get(name).map(|q| q.standing(trx, (mode, kind)));
        let blocker = match standing {
            Some(Standing::Covered) => return Some(Outcome::Granted(Granted::Had)),
            Some(Standing::Blocked(b)) => b,
            Some(Standing::Free) | None => {
                if kind != Kind::InsertIntention {
                    self.add(&mut shard, trx, name, mode, kind);
                    if trx.weight.load(Ordering::Relaxed) > CHUNK as u64 && !self.charge(trx) {
                        return Some(Outcome::Full);
                    }
                }
                return Some(Outcome::Granted(Granted::New));
            }
        };
        if !enqueue {
            return planted::is(Bug::SkippedCountsAsLocked)
                .then_some(Outcome::Granted(Granted::Had));
        }
        let seq = self.seq.fetch_add(1, Ordering::Relaxed);
        let request = Request::new(trx, name, (mode, kind), seq);
        self.count_gap(name, kind, 1);
        if shard.queues.entry(name.clone()).or_default().enqueue(&request) {
            shard.contended.insert(name.clone());
        }
        drop(shard);
        self.stats.waits.fetch_add(1, Ordering::Relaxed);
        self.stats.current_waits.fetch_add(1, Ordering::Relaxed);
        let wait = LockWait { table: self.clone(), request, blocker, granted: false };
        // Nobody waits for a transaction without locks: anyone who meets an implicit one makes it explicit before it waits, and
        // then looks for circles itself. So a session that comes to a hot row with nothing in its hands does not search.
        if trx.count() > 0 {
            self.resolve_deadlocks(trx);
        }
        Some(Outcome::Wait(wait))
    }

    /// Enters a lock for the transaction that holds it implicitly; false when it ended meanwhile.
    pub fn make_explicit(&self, owner: &Arc<TrxLocks>, name: &LockName) -> bool {
        let mut shard = self.shard(name).lock();
        let want = (Mode::X, Kind::Record);
        if shard.queues.get(name).is_some_and(|q| q.has(owner, want)) {
            return true;
        }
        let added = self.add(&mut shard, owner, name, want.0, want.1);
        let waited_for = shard.contended.contains(name);
        drop(shard);
        if waited_for {
            self.resolve_deadlocks(owner);
        }
        added
    }

    /// Charges what the transaction has more than was known; false when there is no room for it.
    fn charge(&self, trx: &TrxLocks) -> bool {
        let more = trx.uncharged() as u64 * LOCK_BYTES;
        more == 0
            || self.charged.fetch_add(more, Ordering::Relaxed) + more
                <= self.limit.load(Ordering::Relaxed)
    }

    /// Bytes that the explicit locks of transactions with many of them take.
    pub fn charged(&self) -> u64 {
        self.charged.load(Ordering::Relaxed)
    }

    /// True: a range of its own covers the request. Ranges of others that exclude it are made explicit.
    fn meet_ranges(
        &self,
        shard: &mut Shard,
        trx: &Arc<TrxLocks>,
        name: &LockName,
        what: (Mode, Kind),
    ) -> bool {
        for (owner, held) in self.ranges.at(name) {
            if Arc::ptr_eq(&owner, trx) {
                if covers(held, what) {
                    return true;
                }
            } else if conflicts(what, held) {
                self.make_range_explicit(shard, &owner, name, held);
            }
        }
        false
    }

    fn make_range_explicit(
        &self,
        shard: &mut Shard,
        owner: &Arc<TrxLocks>,
        name: &LockName,
        held: (Mode, Kind),
    ) {
        if !shard.queues.get(name).is_some_and(|q| q.has(owner, held)) {
            // An owner that is about to end gets nothing more, and nobody has to wait for it.
            self.add(shard, owner, name, held.0, held.1);
        }
    }

    /// A scan has locked a record, the neighbour of the one that it locked before: that one's lock goes into a range, if the
    /// transaction has many. The caller has the latches under which it has locked.
    pub fn locked_next(
        &self,
        trx: &Arc<TrxLocks>,
        run: &mut LockRun,
        (index, key): (u64, &[u8]),
        (mode, kind): (Mode, Kind),
    ) {
        if trx.weight.load(Ordering::Relaxed) < FOLD_FROM {
            return;
        }
        let name = LockName::new(index, Some(key));
        let Some((last, grown)) = run.take(name, (mode, kind)) else { return };
        let Some(key) = &last.key else { return };
        let mut shard = self.shard(&last).lock();
        let alone = shard.queues.get(&last).is_some_and(|q| {
            let only = |l: &Lock| Arc::ptr_eq(&l.trx, trx) && l.what() == (mode, kind);
            q.line.is_none() && q.granted.len() == 1 && only(&q.granted[0])
        });
        if !alone {
            return;
        }
        let (grown, new) = self.ranges.fold(trx, (index, key), (mode, kind), grown);
        if new {
            // Inserts ask for the sake of the range, whether it locks gaps or not.
            self.gap_slot(index).fetch_add(1, Ordering::AcqRel);
        }
        run.set(grown);
        shard.queues.remove(&last);
        self.count_gap(&last, kind, -1);
        trx.folds(&last);
    }

    fn count_gap(&self, name: &LockName, kind: Kind, by: i32) {
        if kind.has_gap() {
            self.gap_slot(name.index).fetch_add(by as u32, Ordering::AcqRel);
        }
    }

    fn add(
        &self,
        shard: &mut Shard,
        trx: &Arc<TrxLocks>,
        name: &LockName,
        mode: Mode,
        kind: Kind,
    ) -> bool {
        if !trx.gains(name) {
            return false;
        }
        self.count_gap(name, kind, 1);
        let lock = Lock { trx: trx.clone(), mode, kind };
        shard.queues.entry(name.clone()).or_default().granted.push(lock);
        true
    }

    /// Takes a request out of its line, if it is still there, and grants what it kept waiting.
    pub(super) fn take_out(&self, shard: &mut Shard, request: &Request, wakes: &mut Wakes) {
        let Some(q) = shard.queues.get_mut(&request.name) else { return };
        if !q.cancel(request) {
            return;
        }
        self.count_gap(&request.name, request.what.1, -1);
        self.settle(shard, &request.name, wakes);
    }

    /// After a lock or a request has gone: grants what can be granted, and keeps the shard's promises.
    fn settle(&self, shard: &mut Shard, name: &LockName, wakes: &mut Wakes) {
        let Some(q) = shard.queues.get_mut(name) else { return };
        let waited = q.line.is_some();
        if waited {
            q.grant(wakes);
        }
        let (empty, still) = (q.is_empty(), q.line.is_some());
        if waited && !still {
            shard.contended.remove(name);
        }
        if empty {
            shard.queues.remove(name);
        }
    }

    /// The end of a wait that was not granted.
    pub(super) fn give_up(&self, request: &Request) {
        let mut wakes = Wakes::new();
        self.take_out(&mut self.shard(&request.name).lock(), request, &mut wakes);
        wakes.into_iter().for_each(Waker::wake);
    }

    /// Whether a transaction waits for a lock now.
    pub fn is_waiting(&self, trx: &TrxLocks) -> bool {
        trx.waiting.lock().is_some()
    }

    /// Whether a transaction waits for a lock of this one.
    pub fn is_waited_for(&self, trx: &Arc<TrxLocks>) -> bool {
        self.stats.current_waits.load(Ordering::Relaxed) > 0
            && self.shards.iter().any(|s| {
                let s = s.lock();
                s.contended.iter().any(|n| s.queues.get(n).is_some_and(|q| q.keeps_waiting(trx)))
            })
    }

    /// Who is in the way of the sessions that wait for a lock now.
    pub fn blockers(&self) -> HashMap<u64, Blocker> {
        let mut all = HashMap::new();
        for shard in &self.shards {
            let s = shard.lock();
            for q in s.contended.iter().filter_map(|n| s.queues.get(n)) {
                let Some(line) = &q.line else { continue };
                let of = |(at, w): (usize, &super::queue::Waiter)| {
                    (w.request.trx.session, q.blocker(line, at))
                };
                all.extend(line.waiting.iter().enumerate().map(of));
            }
        }
        all
    }

    /// Every lock and every request that waits, for monitors; those of one record stand together, in their order. A range is reported as
    /// the lock on its first record.
    pub fn list(&self) -> Vec<LockInfo> {
        let mut all = Vec::new();
        self.ranges.each(|trx, what, name| {
            all.push(LockInfo {
                session: trx.session,
                trx: trx.id.load(Ordering::Relaxed),
                serial: trx.serial(),
                name,
                what,
                waits_for: Vec::new(),
                waits: false,
            });
        });
        for shard in &self.shards {
            let s = shard.lock();
            for (name, q) in &s.queues {
                let info = |trx: &TrxLocks, what: (Mode, Kind)| LockInfo {
                    session: trx.session,
                    trx: trx.id.load(Ordering::Relaxed),
                    serial: trx.serial,
                    name: name.clone(),
                    what,
                    waits_for: Vec::new(),
                    waits: false,
                };
                let first = all.len();
                all.extend(q.granted.iter().map(|l| info(&l.trx, l.what())));
                for w in q.line.iter().flat_map(|l| &l.waiting) {
                    let mut own = info(&w.request.trx, w.request.what);
                    let blocks = |(_, other): &(usize, &LockInfo)| {
                        other.serial != own.serial && conflicts(own.what, other.what)
                    };
                    let before = all[first..].iter().enumerate().filter(blocks);
                    own.waits_for = before.map(|(n, _)| first + n).collect();
                    own.waits = true;
                    all.push(own);
                }
            }
        }
        all
    }

    /// Transactions that have or want locks and have written nothing, each once.
    pub fn readers(&self) -> Vec<Arc<TrxLocks>> {
        let mut all: BTreeMap<u64, Arc<TrxLocks>> = BTreeMap::new();
        self.ranges.each(|trx, _, _| {
            if trx.id.load(Ordering::Relaxed) == 0 {
                all.entry(trx.serial).or_insert_with(|| trx.clone());
            }
        });
        for shard in &self.shards {
            let s = shard.lock();
            for q in s.queues.values() {
                let waiting = q.line.iter().flat_map(|l| &l.waiting).map(|w| &w.request.trx);
                for trx in q.granted.iter().map(|l| &l.trx).chain(waiting) {
                    if trx.id.load(Ordering::Relaxed) == 0 {
                        all.entry(trx.serial).or_insert_with(|| trx.clone());
                    }
                }
            }
        }
        all.into_values().collect()
    }

    /// Whether the record, or the gap below it, has any lock or waiter.
    pub fn any(&self, name: &LockName) -> bool {
        let shard = self.shard(name).lock();
        shard.queues.contains_key(name) || !self.ranges.at(name).is_empty()
    }

    /// Whether another transaction's lock would make this request wait. For inserts that found gaps.
    pub fn would_wait(&self, trx: &Arc<TrxLocks>, name: &LockName, mode: Mode, kind: Kind) -> bool {
        if self.knows_nothing_of(name) {
            return false;
        }
        let shard = self.shard(name).lock();
        let standing = shard.queues.get(name).map(|q| q.standing(trx, (mode, kind)));
        let excludes = |(owner, held): &(Arc<TrxLocks>, (Mode, Kind))| {
            !Arc::ptr_eq(owner, trx) && conflicts((mode, kind), *held)
        };
        matches!(standing, Some(Standing::Blocked(_))) || self.ranges.at(name).iter().any(excludes)
    }

    /// Whether the lock of a transaction, or a request, would make a transaction without locks wait for the record.
    pub fn would_wait_with_nothing(&self, index: u64, key: &[u8]) -> bool {
        // A name has memory of its own, and nobody has locked anything nearly always.
        let shard = &self.shards[name::shard(LockName::hash_of(index, key), SHARDS)];
        if shard.is_empty() && !self.ranges.any(index) {
            return false;
        }
        let name = LockName::new(index, Some(key));
        self.would_wait(&TrxLocks::new(0), &name, Mode::X, Kind::Record)
    }

    /// There is certainly no lock of the record: as [`LockTable::has_gaps`], where the caller has its page latched exclusively.
    fn knows_nothing_of(&self, name: &LockName) -> bool {
        self.shard(name).is_empty() && !self.ranges.any(name.index)
    }

    /// An insert splits a gap: the locks on the gap below `next` now cover both halves. Same latch hold as the insert.
    pub fn inherit_on_insert(&self, index: u64, new: &[u8], next: Option<&[u8]>) {
        if planted::is(Bug::GapLostAtInsert) {
            return;
        }
        let name = LockName::new(index, Some(new));
        self.copy_gaps(&LockName::new(index, next), &name, false);
        // After the queues: a lock that goes from its queue into a range meanwhile is found there.
        let outside = self.ranges.insert(index, new, next);
        self.add_gaps(&name, outside.into_iter().map(|(trx, (mode, _))| (trx, mode)).collect());
    }

    /// A record is about to be removed: the locks that ranges have of it become explicit, unless the range locks the gap that will be
    /// there.
    fn leave_ranges(&self, name: &LockName, next: Option<&[u8]>) {
        if !self.ranges.any(name.index) {
            return;
        }
        let behind = self.ranges.at(&LockName::new(name.index, next));
        let mut shard = self.shard(name).lock();
        for (owner, held) in self.ranges.at(name) {
            let same = |(o, h): &(Arc<TrxLocks>, _)| Arc::ptr_eq(o, &owner) && *h == held;
            if !(held.1.has_gap() && behind.iter().any(same)) {
                self.make_range_explicit(&mut shard, &owner, name, held);
            }
        }
    }

    /// A record is removed: its locks become locks on the gap below its successor. Same latch hold as the removal.
    pub fn inherit_on_remove(&self, index: u64, old: &[u8], next: Option<&[u8]>) {
        let name = LockName::new(index, Some(old));
        if !planted::is(Bug::GapLostAtRemoval) {
            self.leave_ranges(&name, next);
            let records_too = !planted::is(Bug::RecordLocksLostAtRemoval);
            self.copy_gaps(&name, &LockName::new(index, next), records_too);
        }
        // Waiters for the removed record look again: they will find the gap instead.
        let mut wakes = Wakes::new();
        {
            let mut shard = self.shard(&name).lock();
            shard.contended.remove(&name);
            let Some(q) = shard.queues.remove(&name) else { return };
            for l in &q.granted {
                self.count_gap(&name, l.kind, -1);
            }
            for w in q.line.into_iter().flat_map(|l| l.waiting) {
                self.count_gap(&name, w.request.what.1, -1);
                *w.request.trx.waiting.lock() = None;
                wakes.extend(w.request.finish(State::Granted));
            }
        }
        wakes.into_iter().for_each(Waker::wake);
    }

    fn copy_gaps(&self, from: &LockName, to: &LockName, records_too: bool) {
        let copies: Vec<(Arc<TrxLocks>, Mode)> = {
            let shard = self.shard(from).lock();
            let Some(q) = shard.queues.get(from) else { return };
            let wanted =
                |l: &&Lock| l.kind.has_gap() || (records_too && l.kind != Kind::InsertIntention);
            q.granted.iter().filter(wanted).map(|l| (l.trx.clone(), l.mode)).collect()
        };
        self.add_gaps(to, copies);
    }

    /// Gives transactions locks on the gap below a record.
    fn add_gaps(&self, to: &LockName, copies: Vec<(Arc<TrxLocks>, Mode)>) {
        if copies.is_empty() {
            return;
        }
        let mut given: Vec<Arc<TrxLocks>> = Vec::new();
        {
            let mut shard = self.shard(to).lock();
            let waited_for = shard.contended.contains(to);
            for (trx, mode) in copies {
                let has_gap = |l: &Lock| Arc::ptr_eq(&l.trx, &trx) && l.kind.has_gap();
                let has = shard.queues.get(to).is_some_and(|q| q.granted.iter().any(has_gap));
                if !has && self.add(&mut shard, &trx, to, mode, Kind::Gap) && waited_for {
                    given.push(trx);
                }
            }
        }
        given.iter().for_each(|trx| self.resolve_deadlocks(trx));
    }

    /// Gives back one record lock of this mode before the end of the transaction (READ COMMITTED, row not wanted). One of the
    /// other mode, which it may have had before, stays.
    pub fn unlock_record(&self, trx: &Arc<TrxLocks>, name: &LockName, mode: Mode) {
        if self.remove(trx, name, |l| l.kind == Kind::Record && l.mode == mode) == 0 {
            return;
        }
        let mut held = trx.held.lock();
        if let Some(i) = held.names.iter().rposition(|n| n == name) {
            held.names.swap_remove(i);
        }
    }

    /// Releases everything; nothing can be added afterwards.
    pub fn release_all(&self, trx: &Arc<TrxLocks>) {
        debug_assert!(
            self.stats.current_waits.load(Ordering::Relaxed) == 0 || trx.request().is_none(),
            "it ends while it waits"
        );
        let (names, ranges, charged) = {
            let mut held = trx.held.lock();
            held.closed = true;
            held.folded = 0;
            let charged = std::mem::take(&mut held.charged);
            (std::mem::take(&mut held.names), std::mem::take(&mut held.ranges), charged)
        };
        if charged > 0 {
            self.charged.fetch_sub(charged as u64 * LOCK_BYTES, Ordering::Relaxed);
        }
        for index in ranges {
            let gone = self.ranges.release(trx, index);
            self.gap_slot(index).fetch_sub(gone, Ordering::AcqRel);
        }
        for n in &names {
            self.remove(trx, n, |_| true);
        }
    }

    /// Removes granted locks; returns how many.
    fn remove(&self, trx: &Arc<TrxLocks>, name: &LockName, which: impl Fn(&Lock) -> bool) -> usize {
        let mut wakes = Wakes::new();
        let removed = {
            let mut shard = self.shard(name).lock();
            let Some(q) = shard.queues.get_mut(name) else { return 0 };
            let before = q.granted.len();
            q.granted.retain(|l| {
                let go = Arc::ptr_eq(&l.trx, trx) && which(l);
                if go {
                    self.count_gap(name, l.kind, -1);
                }
                !go
            });
            let removed = before - q.granted.len();
            if removed > 0 {
                self.settle(&mut shard, name, &mut wakes);
            }
            removed
        };
        wakes.into_iter().for_each(Waker::wake);
        removed
    }

    pub fn last_deadlock(&self) -> Option<Arc<Deadlock>> {
        self.last_deadlock.lock().clone()
    }

    /// Locks and requests, and about the bytes that they take.
    pub fn memory(&self) -> (usize, u64) {
        let count = self.count();
        (count, (count as u64 * LOCK_BYTES).max(self.charged.load(Ordering::Relaxed)))
    }

    /// Locks and requests; a range counts as one.
    pub fn count(&self) -> usize {
        let mut ranges = 0usize;
        self.ranges.each(|_, _, _| ranges += 1);
        let queued: usize = self
            .shards
            .iter()
            .map(|s| s.lock().queues.values().map(Queue::len).sum::<usize>())
            .sum();
        ranges + queued
    }
}

#[cfg(test)]
mod range_tests;
#[cfg(test)]
mod tests;
