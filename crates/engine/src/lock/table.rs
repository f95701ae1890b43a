//! The lock table: queues by name, sharded; waiting, granting, releasing, inheriting.

use super::deadlock::WaitGraph;
use super::queue::{Kind, Mode, conflicts, covers};
use crate::ids::TrxId;
use crate::planted::{self, Bug};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use crate::waits::Blocker;
use std::collections::HashMap;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// A record of an index, or its end.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LockName {
    pub index: u64,
    /// `None`: the supremum, above every key.
    pub key: Option<Box<[u8]>>,
}

impl LockName {
    pub fn new(index: u64, key: Option<&[u8]>) -> LockName {
        LockName { index, key: key.map(Into::into) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Waiting,
    Granted,
    Victim,
}

struct CellInner {
    state: State,
    waker: Option<Waker>,
    /// Who has the lock now, or waits for it before this one.
    blocker: Blocker,
}

/// Where a waiting request and its granter meet.
struct Cell(Mutex<CellInner>);

impl Cell {
    fn finish(&self, state: State) {
        let waker = {
            let mut c = self.0.lock();
            if c.state != State::Waiting {
                return;
            }
            c.state = state;
            c.waker.take()
        };
        if let Some(w) = waker {
            w.wake();
        }
    }
}

struct Lock {
    trx: Arc<TrxLocks>,
    mode: Mode,
    kind: Kind,
    /// `None` once granted.
    wait: Option<Arc<Cell>>,
}

impl Lock {
    fn what(&self) -> (Mode, Kind) {
        (self.mode, self.kind)
    }
}

/// A transaction as the lock table sees it.
pub struct TrxLocks {
    /// Transaction id; 0 before the first write.
    pub id: AtomicU64,
    serial: u64,
    held: Mutex<Held>,
    /// Undo records written plus locks held: what a rollback would cost.
    pub weight: AtomicU64,
    /// For SHOW ENGINE INNODB STATUS and information_schema.
    pub session: u64,
    /// Wall clock at the first write, microseconds since 1970; 0 before.
    pub started: AtomicU64,
    /// [`crate::Isolation`] at the first write, as its number.
    pub isolation: AtomicU8,
}

#[derive(Default)]
struct Held {
    names: Vec<LockName>,
    /// After release nothing may be added: an implicit lock converted too late would stay for ever.
    closed: bool,
}

impl TrxLocks {
    pub fn new(session: u64) -> Arc<TrxLocks> {
        static SERIAL: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        Arc::new(TrxLocks {
            id: AtomicU64::new(0),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            held: Mutex::new(Held::default()),
            weight: AtomicU64::new(0),
            session,
            started: AtomicU64::new(0),
            isolation: AtomicU8::new(0),
        })
    }

    /// Name in the wait-for graph. Not the transaction id: a transaction may wait before it has one.
    fn tid(&self) -> u64 {
        self.serial
    }

    pub fn count(&self) -> usize {
        self.held.lock().names.len()
    }
}

#[derive(Default)]
pub struct LockStats {
    pub waits: AtomicU64,
    pub current_waits: AtomicU64,
    pub wait_nanos: AtomicU64,
    pub wait_nanos_max: AtomicU64,
    pub deadlocks: AtomicU64,
    pub timeouts: AtomicU64,
}

/// What a request came to.
pub enum Outcome {
    Granted(Granted),
    Wait(LockWait),
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

type Queues = HashMap<LockName, Vec<Lock>>;

pub struct LockTable {
    shards: Box<[Mutex<Queues>]>,
    graph: Mutex<WaitGraph>,
    /// Of waiting transactions, with their sessions.
    cells: Mutex<HashMap<TrxId, (u64, Arc<Cell>)>>,
    pub stats: LockStats,
    /// Gap-like locks per slot of index ids: 0 means that an insert into such an index need not look.
    gaps: Box<[AtomicU32]>,
    last_deadlock: Mutex<Option<String>>,
    pub detect: crate::sync::atomic::AtomicBool,
}

const GAP_SLOTS: usize = if cfg!(any(shuttle, miri)) { 2 } else { 1024 };

impl LockTable {
    pub fn new() -> Arc<LockTable> {
        Arc::new(LockTable {
            shards: (0..SHARDS).map(|_| Mutex::new(HashMap::new())).collect(),
            graph: Mutex::new(WaitGraph::default()),
            cells: Mutex::new(HashMap::new()),
            stats: LockStats::default(),
            gaps: (0..GAP_SLOTS).map(|_| AtomicU32::new(0)).collect(),
            last_deadlock: Mutex::new(None),
            detect: crate::sync::atomic::AtomicBool::new(true),
        })
    }

    fn shard(&self, name: &LockName) -> &Mutex<Queues> {
        let mut h = std::hash::DefaultHasher::new();
        name.hash(&mut h);
        &self.shards[(h.finish() % SHARDS as u64) as usize]
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
        let queue = shard.get(name).map_or(&[][..], Vec::as_slice);
        if queue
            .iter()
            .any(|l| Arc::ptr_eq(&l.trx, trx) && l.wait.is_none() && covers(l.what(), (mode, kind)))
        {
            return Some(Outcome::Granted(Granted::Had));
        }
        let mut blockers = blockers_of(queue, trx, (mode, kind));
        if planted::is(Bug::WaitersOvertaken) {
            blockers.retain(|b| queue.iter().any(|l| l.trx.tid() == *b && l.wait.is_none()));
        }
        if blockers.is_empty() {
            if kind != Kind::InsertIntention {
                self.add(&mut shard, trx, name, mode, kind, None);
            }
            return Some(Outcome::Granted(Granted::New));
        }
        if !enqueue {
            return planted::is(Bug::SkippedCountsAsLocked)
                .then_some(Outcome::Granted(Granted::Had));
        }
        let blocker = first_of(queue, &blockers);
        let waiting = CellInner { state: State::Waiting, waker: None, blocker };
        let cell = Arc::new(Cell(Mutex::new(waiting)));
        self.add(&mut shard, trx, name, mode, kind, Some(cell.clone()));
        drop(shard);
        self.stats.waits.fetch_add(1, Ordering::Relaxed);
        self.stats.current_waits.fetch_add(1, Ordering::Relaxed);
        self.cells.lock().insert(trx.tid(), (trx.session, cell.clone()));
        self.wait_edges(trx, blockers, name);
        Some(Outcome::Wait(LockWait {
            table: self.clone(),
            trx: trx.clone(),
            name: name.clone(),
            mode,
            kind,
            cell,
            done: false,
        }))
    }

    /// Enters a lock for the transaction that holds it implicitly; false when it ended meanwhile.
    pub fn make_explicit(&self, owner: &Arc<TrxLocks>, name: &LockName) -> bool {
        let mut shard = self.shard(name).lock();
        let queue = shard.get(name).map_or(&[][..], Vec::as_slice);
        if queue.iter().any(|l| {
            Arc::ptr_eq(&l.trx, owner)
                && l.wait.is_none()
                && covers(l.what(), (Mode::X, Kind::Record))
        }) {
            return true;
        }
        self.add(&mut shard, owner, name, Mode::X, Kind::Record, None)
    }

    fn add(
        &self,
        shard: &mut Queues,
        trx: &Arc<TrxLocks>,
        name: &LockName,
        mode: Mode,
        kind: Kind,
        wait: Option<Arc<Cell>>,
    ) -> bool {
        {
            let mut held = trx.held.lock();
            if held.closed {
                return false;
            }
            held.names.push(name.clone());
        }
        trx.weight.fetch_add(1, Ordering::Relaxed);
        if kind.has_gap() {
            self.gap_slot(name.index).fetch_add(1, Ordering::AcqRel);
        }
        let lock = Lock { trx: trx.clone(), mode, kind, wait };
        shard.entry(name.clone()).or_default().push(lock);
        true
    }

    fn wait_edges(&self, trx: &Arc<TrxLocks>, blockers: Vec<TrxId>, name: &LockName) {
        let mut g = self.graph.lock();
        let me = trx.tid();
        let id = trx.id.load(Ordering::Acquire);
        g.set(me, blockers, trx.weight.load(Ordering::Relaxed), id);
        if !self.detect.load(Ordering::Relaxed) {
            return;
        }
        while let Some(cycle) = g.cycle(me) {
            let victim = g.victim(&cycle, me);
            self.stats.deadlocks.fetch_add(1, Ordering::Relaxed);
            *self.last_deadlock.lock() = Some(describe(&g, &cycle, victim, name));
            g.clear(victim);
            if let Some((_, c)) = self.cells.lock().get(&victim) {
                c.finish(State::Victim);
            }
            if victim == me {
                break;
            }
        }
    }

    /// Whether a transaction waits for a lock now.
    pub fn is_waiting(&self, trx: &TrxLocks) -> bool {
        self.cells.lock().contains_key(&trx.tid())
    }

    /// Whether a transaction waits for a lock of this one.
    pub fn is_waited_for(&self, trx: &TrxLocks) -> bool {
        self.graph.lock().is_waited_for(trx.tid())
    }

    /// Who is in the way of the sessions that wait for a lock now.
    pub fn blockers(&self) -> HashMap<u64, Blocker> {
        let cells = self.cells.lock();
        cells.values().map(|(session, c)| (*session, c.0.lock().blocker)).collect()
    }

    /// Whether the record, or the gap below it, has any lock or waiter.
    pub fn any(&self, name: &LockName) -> bool {
        self.shard(name).lock().get(name).is_some_and(|q| !q.is_empty())
    }

    /// Whether another transaction's lock would make this request wait. For inserts that found gaps.
    pub fn would_wait(&self, trx: &Arc<TrxLocks>, name: &LockName, mode: Mode, kind: Kind) -> bool {
        let shard = self.shard(name).lock();
        shard.get(name).is_some_and(|q| !blockers_of(q, trx, (mode, kind)).is_empty())
    }

    /// An insert splits a gap: the locks on the gap below `next` now cover both halves. Same latch hold as the insert.
    pub fn inherit_on_insert(&self, index: u64, new: &[u8], next: Option<&[u8]>) {
        if planted::is(Bug::GapLostAtInsert) {
            return;
        }
        self.copy_gaps(&LockName::new(index, next), &LockName::new(index, Some(new)), false);
    }

    /// A record is removed: its locks become locks on the gap below its successor. Same latch hold as the removal.
    pub fn inherit_on_remove(&self, index: u64, old: &[u8], next: Option<&[u8]>) {
        let name = LockName::new(index, Some(old));
        if !planted::is(Bug::GapLostAtRemoval) {
            self.copy_gaps(&name, &LockName::new(index, next), true);
        }
        // Waiters for the removed record look again: they will find the gap instead.
        let mut shard = self.shard(&name).lock();
        if let Some(q) = shard.remove(&name) {
            for l in &q {
                if l.kind.has_gap() {
                    self.gap_slot(index).fetch_sub(1, Ordering::AcqRel);
                }
                if let Some(c) = &l.wait {
                    c.finish(State::Granted);
                }
            }
        }
    }

    fn copy_gaps(&self, from: &LockName, to: &LockName, records_too: bool) {
        let copies: Vec<(Arc<TrxLocks>, Mode)> = {
            let shard = self.shard(from).lock();
            let Some(q) = shard.get(from) else { return };
            q.iter()
                .filter(|l| {
                    l.wait.is_none()
                        && (l.kind.has_gap() || (records_too && l.kind != Kind::InsertIntention))
                })
                .map(|l| (l.trx.clone(), l.mode))
                .collect()
        };
        if copies.is_empty() {
            return;
        }
        let mut shard = self.shard(to).lock();
        for (trx, mode) in copies {
            let has = shard.get(to).is_some_and(|q| {
                q.iter().any(|l| Arc::ptr_eq(&l.trx, &trx) && l.wait.is_none() && l.kind.has_gap())
            });
            if !has {
                self.add(&mut shard, &trx, to, mode, Kind::Gap, None);
            }
        }
    }

    /// Gives back one record lock before the end of the transaction (READ COMMITTED, row not wanted).
    pub fn unlock_record(&self, trx: &Arc<TrxLocks>, name: &LockName) {
        self.remove(trx, name, |l| l.wait.is_none() && l.kind == Kind::Record);
        let mut held = trx.held.lock();
        if let Some(i) = held.names.iter().rposition(|n| n == name) {
            held.names.swap_remove(i);
        }
    }

    /// Releases everything; nothing can be added afterwards.
    pub fn release_all(&self, trx: &Arc<TrxLocks>) {
        let names = {
            let mut held = trx.held.lock();
            held.closed = true;
            std::mem::take(&mut held.names)
        };
        for n in &names {
            self.remove(trx, n, |_| true);
        }
        debug_assert!(trx.held.lock().names.is_empty());
    }

    fn remove(&self, trx: &Arc<TrxLocks>, name: &LockName, which: impl Fn(&Lock) -> bool) {
        let mut shard = self.shard(name).lock();
        let Some(q) = shard.get_mut(name) else { return };
        let mut gone = false;
        q.retain(|l| {
            let go = Arc::ptr_eq(&l.trx, trx) && which(l);
            if go {
                gone = true;
                if l.kind.has_gap() {
                    self.gap_slot(name.index).fetch_sub(1, Ordering::AcqRel);
                }
            }
            !go
        });
        let waiting = q.iter().any(|l| l.wait.is_some());
        if q.is_empty() {
            shard.remove(name);
            return;
        }
        if gone && waiting {
            self.grant(q, name);
        }
    }

    /// Grants, in order, every waiting request that nothing before it excludes any more; refreshes the edges of others.
    fn grant(&self, q: &mut Vec<Lock>, name: &LockName) {
        for i in 0..q.len() {
            if q[i].wait.is_none() {
                continue;
            }
            let blockers = blockers_of(&q[..i], &q[i].trx, q[i].what());
            if blockers.is_empty() {
                let trx = q[i].trx.clone();
                if let Some(c) = q[i].wait.take() {
                    self.graph.lock().clear(trx.tid());
                    c.finish(State::Granted);
                    if planted::is(Bug::OnlyFirstWaiterGranted) {
                        break;
                    }
                }
            } else {
                let trx = q[i].trx.clone();
                if let Some(c) = &q[i].wait {
                    c.0.lock().blocker = first_of(&q[..i], &blockers);
                }
                self.wait_edges(&trx, blockers, name);
            }
        }
        // A granted insert intention has served its purpose.
        q.retain(|l| l.wait.is_some() || l.kind != Kind::InsertIntention);
    }

    pub fn last_deadlock(&self) -> Option<String> {
        self.last_deadlock.lock().clone()
    }

    pub fn count(&self) -> usize {
        self.shards.iter().map(|s| s.lock().values().map(Vec::len).sum::<usize>()).sum()
    }
}

fn blockers_of(before: &[Lock], trx: &Arc<TrxLocks>, what: (Mode, Kind)) -> Vec<TrxId> {
    before
        .iter()
        .filter(|l| !Arc::ptr_eq(&l.trx, trx) && conflicts(what, l.what()))
        .map(|l| l.trx.tid())
        .collect()
}

/// One that has the lock, if any does: the others wait for it themselves.
fn first_of(queue: &[Lock], blockers: &[TrxId]) -> Blocker {
    let of = |l: &&Lock| blockers.contains(&l.trx.tid());
    let first = queue.iter().filter(of).find(|l| l.wait.is_none());
    first.or_else(|| queue.iter().find(of)).map_or(Blocker::default(), |l| Blocker {
        session: l.trx.session,
        trx: l.trx.id.load(Ordering::Acquire),
    })
}

fn describe(g: &WaitGraph, cycle: &[TrxId], victim: TrxId, name: &LockName) -> String {
    let show = |t: &TrxId| match g.trx_id(*t) {
        0 => "(locking reads only)".to_string(),
        id => id.to_string(),
    };
    let members: Vec<String> = cycle.iter().map(show).collect();
    let key = match &name.key {
        None => "supremum".to_string(),
        Some(k) => k.iter().map(|b| format!("{b:02x}")).collect(),
    };
    format!(
        "transactions {} waited for each other in a circle, the last request for index {} key {key}\n*** WE ROLL BACK TRANSACTION {}",
        members.join(" -> "),
        name.index,
        show(&victim)
    )
}

/// Why a wait ended without the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Victim;

/// A waiting request. Resolves when granted (the lock is then in the table) or when its transaction is chosen as victim.
/// Dropped early (timeout, kill), it takes the request out of the queue.
pub struct LockWait {
    table: Arc<LockTable>,
    trx: Arc<TrxLocks>,
    name: LockName,
    mode: Mode,
    kind: Kind,
    cell: Arc<Cell>,
    done: bool,
}

impl Future for LockWait {
    type Output = Result<(), Victim>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let state = {
            let mut c = self.cell.0.lock();
            if c.state == State::Waiting {
                c.waker = Some(cx.waker().clone());
            }
            c.state
        };
        match state {
            State::Waiting => Poll::Pending,
            State::Granted => {
                self.done = true;
                self.leave();
                Poll::Ready(Ok(()))
            }
            State::Victim => Poll::Ready(Err(Victim)),
        }
    }
}

impl LockWait {
    /// The index, and who is in the way.
    pub fn about(&self) -> (u64, Blocker) {
        (self.name.index, self.cell.0.lock().blocker)
    }

    fn leave(&self) {
        let t = self.trx.tid();
        self.table.cells.lock().remove(&t);
        self.table.graph.lock().clear(t);
        self.table.stats.current_waits.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for LockWait {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let (cell, what) = (self.cell.clone(), (self.mode, self.kind));
        if planted::is(Bug::WaiterLeftBehind) {
            return self.leave();
        }
        // It may have been granted this instant: then it is an ordinary lock and stays until the transaction ends.
        self.table.remove(&self.trx, &self.name, |l| {
            l.what() == what && l.wait.as_ref().is_some_and(|c| Arc::ptr_eq(c, &cell))
        });
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::atomic::AtomicBool;

    fn name(k: &[u8]) -> LockName {
        LockName::new(1, Some(k))
    }

    fn trx(id: u64) -> Arc<TrxLocks> {
        let t = TrxLocks::new(id + 100);
        t.id.store(id, Ordering::Release);
        t
    }

    fn granted(o: Option<Outcome>) -> bool {
        matches!(o, Some(Outcome::Granted(_)))
    }

    fn waits(o: Option<Outcome>) -> LockWait {
        match o {
            Some(Outcome::Wait(w)) => w,
            _ => panic!("expected to wait"),
        }
    }

    struct Flag(AtomicBool);
    impl std::task::Wake for Flag {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Release);
        }
    }

    fn poll(w: &mut LockWait) -> Poll<Result<(), Victim>> {
        let waker = Waker::from(Arc::new(Flag(AtomicBool::new(false))));
        Pin::new(w).poll(&mut Context::from_waker(&waker))
    }

    #[test]
    fn queue_is_fair_and_release_grants() {
        let t = LockTable::new();
        let (a, b, c) = (trx(1), trx(2), trx(3));
        assert!(granted(t.lock(&a, &name(b"k"), Mode::S, Kind::Record, true)));
        let mut wb = waits(t.lock(&b, &name(b"k"), Mode::X, Kind::Record, true));
        // A later shared request does not overtake the waiting exclusive one.
        let mut wc = waits(t.lock(&c, &name(b"k"), Mode::S, Kind::Record, true));
        assert!(poll(&mut wb).is_pending());
        // Who is told to be in the way is who has it; in its own way is the one before it.
        assert_eq!(wb.about(), (1, Blocker { session: 101, trx: 1 }));
        assert_eq!(wc.about(), (1, Blocker { session: 102, trx: 2 }));
        t.release_all(&a);
        assert_eq!(poll(&mut wb), Poll::Ready(Ok(())));
        assert!(poll(&mut wc).is_pending());
        let mut now = t.blockers();
        assert_eq!((now.remove(&103), now.len()), (Some(Blocker { session: 102, trx: 2 }), 0));
        t.release_all(&b);
        assert_eq!(poll(&mut wc), Poll::Ready(Ok(())));
        t.release_all(&c);
        assert_eq!(t.count(), 0);
    }

    #[test]
    fn a_deadlock_is_found_when_it_forms() {
        let t = LockTable::new();
        let (a, b) = (trx(1), trx(2));
        a.weight.store(100, Ordering::Relaxed);
        assert!(granted(t.lock(&a, &name(b"x"), Mode::X, Kind::Record, true)));
        assert!(granted(t.lock(&b, &name(b"y"), Mode::X, Kind::Record, true)));
        let mut wb = waits(t.lock(&b, &name(b"x"), Mode::X, Kind::Record, true));
        let mut wa = waits(t.lock(&a, &name(b"y"), Mode::X, Kind::Record, true));
        assert_eq!(poll(&mut wb), Poll::Ready(Err(Victim)));
        drop(wb);
        assert!(poll(&mut wa).is_pending());
        t.release_all(&b);
        assert_eq!(poll(&mut wa), Poll::Ready(Ok(())));
        assert!(t.last_deadlock().unwrap().contains("ROLL BACK TRANSACTION 2"));
        t.release_all(&a);
        assert_eq!(t.count(), 0);
        assert!(!t.has_gaps(1));
    }

    #[test]
    fn gaps_are_inherited_both_ways() {
        let t = LockTable::new();
        let (a, b) = (trx(1), trx(2));
        assert!(granted(t.lock(&a, &name(b"m"), Mode::X, Kind::NextKey, true)));
        assert!(t.has_gaps(1));
        assert!(t.would_wait(&b, &name(b"m"), Mode::X, Kind::InsertIntention));
        assert!(!t.would_wait(&a, &name(b"m"), Mode::X, Kind::InsertIntention));
        // a inserts "f" below "m": the gap below "f" stays locked.
        t.inherit_on_insert(1, b"f", Some(b"m"));
        assert!(t.would_wait(&b, &name(b"f"), Mode::X, Kind::InsertIntention));
        assert!(!t.would_wait(&b, &name(b"f"), Mode::X, Kind::Record));
        // "m" is removed: its locks move to the end of the index as gap locks.
        t.inherit_on_remove(1, b"m", None);
        assert!(!t.any(&name(b"m")));
        assert!(t.would_wait(&b, &LockName::new(1, None), Mode::X, Kind::InsertIntention));
        t.release_all(&a);
        assert_eq!(t.count(), 0);
        assert!(!t.has_gaps(1));
    }

    #[test]
    fn no_wait_leaves_no_trace() {
        let t = LockTable::new();
        let (a, b) = (trx(1), trx(2));
        assert!(granted(t.lock(&a, &name(b"k"), Mode::X, Kind::Record, true)));
        assert!(t.lock(&b, &name(b"k"), Mode::S, Kind::Record, false).is_none());
        assert_eq!(b.count(), 0);
        t.release_all(&a);
        assert!(!t.make_explicit(&a, &name(b"k")), "a finished transaction gets no lock");
        assert_eq!(t.count(), 0);
    }
}
