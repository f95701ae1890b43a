//! The transaction system: ids, commit numbers, who is active, registered views.

use super::System;
use super::view::View;
use crate::error::Result;
use crate::ids::TrxId;
use crate::lock::TrxLocks;
use crate::planted::{self, Bug};
use crate::space;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::waits::Cause;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use weir_rt::{AsyncMutex, Rt};

/// Ids are reserved durably in steps of this many, so that none is given twice after a crash.
const RESERVE: u64 = 4096;
/// Offset of the id high-water mark in the system space's header page.
pub const HEADER_TRX_ID: usize = crate::page::HEADER + 24;

/// Views are swept when there are so many, or twice as many as were in use the last time.
const SWEEP_MIN: usize = 64;

struct State {
    next_id: TrxId,
    next_no: u64,
    active: BTreeMap<TrxId, Arc<TrxLocks>>,
    /// Commit numbers given whose transactions still count as active.
    committing: BTreeSet<u64>,
    /// Views in order of building. Those without users are dropped from the front, and all of them when there are too many: an old
    /// view in use keeps no more than so many younger ones in memory.
    views: VecDeque<Arc<View>>,
    sweep_at: usize,
    /// The newest view is still exact: nothing began or ended since.
    fresh: bool,
}

pub struct TrxSys {
    rt: Rt,
    state: Mutex<State>,
    /// Smallest active id, or the next id: everything below has ended.
    min_active: AtomicU64,
    reserved: AtomicU64,
    reserving: AsyncMutex<()>,
    /// Bytes of undo of all transactions that have committed, as purge hears of them.
    pub undo: Arc<AtomicU64>,
}

impl TrxSys {
    pub fn new(rt: Rt, next_id: TrxId, next_no: u64) -> TrxSys {
        TrxSys {
            rt,
            state: Mutex::new(State {
                next_id,
                next_no,
                active: BTreeMap::new(),
                committing: BTreeSet::new(),
                views: VecDeque::new(),
                sweep_at: SWEEP_MIN,
                fresh: false,
            }),
            min_active: AtomicU64::new(next_id),
            reserved: AtomicU64::new(next_id),
            reserving: AsyncMutex::new(()),
            undo: Arc::new(AtomicU64::new(0)),
        }
    }

    fn note_min(&self, s: &State) {
        let min = s.active.keys().next().copied().unwrap_or(s.next_id);
        self.min_active.store(min, Ordering::Release);
    }

    /// An id for a transaction that begins to write, from those whose use the disk knows of.
    pub(crate) fn next_writer(&self, locks: &Arc<TrxLocks>) -> Option<TrxId> {
        let started = self.rt.wall_micros();
        let mut s = self.state.lock();
        if s.next_id >= self.reserved.load(Ordering::Acquire) {
            return None;
        }
        let id = s.next_id;
        s.next_id += 1;
        locks.id.store(id, Ordering::Release);
        locks.started.store(started, Ordering::Relaxed);
        s.active.insert(id, locks.clone());
        s.fresh = false;
        self.note_min(&s);
        Some(id)
    }

    /// As `next_writer`; reserves more ids when they have run out.
    pub(crate) async fn begin_writer(&self, db: &System, locks: &Arc<TrxLocks>) -> Result<TrxId> {
        loop {
            if let Some(id) = self.next_writer(locks) {
                return Ok(id);
            }
            let turn = self.reserving.lock();
            let _one = db.core.waits.during(|| Cause::Turn.into(), turn).await;
            let upto = self.state.lock().next_id + RESERVE;
            if self.reserved.load(Ordering::Acquire) < upto - RESERVE / 2 {
                if !planted::is(Bug::TrxIdsNotReserved) {
                    let mark = upto.to_le_bytes();
                    space::write_header(&db.core, space::SYSTEM, HEADER_TRX_ID, &mark).await?;
                }
                self.reserved.store(upto, Ordering::Release);
            }
        }
    }

    /// Recovery: ids and numbers found in undo are taken.
    pub fn raise(&self, next_id: TrxId, next_no: u64) {
        let mut s = self.state.lock();
        s.next_id = s.next_id.max(next_id);
        s.next_no = s.next_no.max(next_no);
        self.note_min(&s);
    }

    /// Recovery: a transaction that was active when the server stopped goes on being active until it is rolled back.
    pub fn adopt(&self, id: TrxId, locks: &Arc<TrxLocks>) {
        let mut s = self.state.lock();
        locks.id.store(id, Ordering::Release);
        s.next_id = s.next_id.max(id + 1);
        s.active.insert(id, locks.clone());
        s.fresh = false;
        self.note_min(&s);
    }

    /// Step 1 of a commit: a number. Until step 2 the transaction counts as active, and no view passes the number.
    pub fn begin_commit(&self) -> u64 {
        let mut s = self.state.lock();
        let no = s.next_no;
        s.next_no += 1;
        s.committing.insert(no);
        no
    }

    /// Step 2: the commit is in the log buffer; from now on new views see it.
    pub fn end_commit(&self, id: TrxId, no: u64) {
        let mut s = self.state.lock();
        s.committing.remove(&no);
        s.active.remove(&id);
        s.fresh &= planted::is(Bug::ViewStaleAfterCommit);
        self.note_min(&s);
    }

    /// Id and commit number of a transaction that is one mini-transaction ([`super::alone`]): it ends for everybody as it begins. Its pages are
    /// latched exclusively, so a view that is opened from here on reads what it writes when that is in the log, and one that is there does
    /// not see it. `None`: ids have to be reserved first.
    pub(super) fn pass(&self) -> Option<(TrxId, u64)> {
        let mut s = self.state.lock();
        if s.next_id >= self.reserved.load(Ordering::Acquire) {
            return None;
        }
        let (id, no) = (s.next_id, s.next_no);
        (s.next_id, s.next_no) = (id + 1, no + 1);
        s.fresh = false;
        self.note_min(&s);
        Some((id, no))
    }

    pub fn abandon_commit(&self, no: u64) {
        self.state.lock().committing.remove(&no);
    }

    pub fn end_rollback(&self, id: TrxId) {
        let mut s = self.state.lock();
        s.active.remove(&id);
        s.fresh = false;
        self.note_min(&s);
    }

    /// The locks of an active transaction; `None` when it has ended (or never wrote).
    pub fn active(&self, id: TrxId) -> Option<Arc<TrxLocks>> {
        if id < self.min_active.load(Ordering::Acquire) {
            return None;
        }
        self.state.lock().active.get(&id).cloned()
    }

    /// Whether a transaction of at most this id may be active: says no for sure, and costs a load.
    pub fn may_be_active(&self, id: TrxId) -> bool {
        id >= self.min_active.load(Ordering::Acquire)
    }

    pub fn is_active(&self, id: TrxId) -> bool {
        id >= self.min_active.load(Ordering::Acquire) && self.state.lock().active.contains_key(&id)
    }

    /// A view of everything committed now, registered.
    pub fn open_view(&self) -> Arc<View> {
        let mut s = self.state.lock();
        if s.fresh
            && let Some(v) = s.views.back()
        {
            v.open();
            return v.clone();
        }
        let v = Arc::new(self.build(&s));
        v.open();
        if planted::is(Bug::ViewNotRegistered) {
            return v;
        }
        while s.views.front().is_some_and(|v| !v.in_use()) {
            s.views.pop_front();
        }
        if s.views.len() >= s.sweep_at {
            // Nobody opens one of them again: that is done with the newest only, under this mutex.
            s.views.retain(|v| v.in_use());
            s.sweep_at = (s.views.len() * 2).max(SWEEP_MIN);
        }
        s.views.push_back(v.clone());
        s.fresh = true;
        v
    }

    fn build(&self, s: &State) -> View {
        let no = s.committing.first().copied().unwrap_or(s.next_no);
        let undo = self.undo.load(Ordering::Relaxed);
        View::new(s.next_id, s.active.keys().copied().collect(), (no, undo), self.rt.coarse_now())
    }

    /// The oldest registered view, or one of now: what it sees, every view sees. Not registered itself.
    pub fn oldest_view(&self) -> Arc<View> {
        let mut s = self.state.lock();
        while s.views.front().is_some_and(|v| !v.in_use()) {
            s.views.pop_front();
            if s.views.is_empty() {
                s.fresh = false;
            }
        }
        match s.views.front() {
            Some(v) => v.clone(),
            None => Arc::new(self.build(&s)),
        }
    }

    /// The oldest registered view of those that know of commit number `from`, or one of now.
    pub fn oldest_view_from(&self, from: u64) -> Arc<View> {
        let s = self.state.lock();
        let old = s.views.iter().find(|v| v.in_use() && v.no >= from);
        old.cloned().unwrap_or_else(|| Arc::new(self.build(&s)))
    }

    /// The registered views.
    pub fn views(&self) -> Vec<Arc<View>> {
        self.state.lock().views.iter().filter(|v| v.in_use()).cloned().collect()
    }

    /// Number that the next commit will get, for marking definitions as younger than existing views.
    pub fn next_no(&self) -> u64 {
        self.state.lock().next_no
    }

    pub fn next_id(&self) -> TrxId {
        self.state.lock().next_id
    }

    pub fn active_count(&self) -> usize {
        self.state.lock().active.len()
    }

    /// Active writers, by id.
    pub fn writers(&self) -> Vec<Arc<TrxLocks>> {
        self.state.lock().active.values().cloned().collect()
    }

    /// Active writers for SHOW ENGINE INNODB STATUS: id, session, weight.
    pub fn list(&self) -> Vec<(TrxId, u64, u64)> {
        let s = self.state.lock();
        s.active.iter().map(|(id, l)| (*id, l.session, l.weight.load(Ordering::Relaxed))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_rt::sim::SimRt;

    /// A forgotten snapshot keeps no view of those that came and went after it.
    #[test]
    fn an_old_view_keeps_no_younger_ones() {
        let sys = TrxSys::new(SimRt::new(1).rt(), 1, 1);
        let old = sys.open_view();
        for id in 1..10_000 {
            sys.adopt(id, &TrxLocks::new(0));
            let own = sys.open_view();
            assert!(!own.sees(id));
            sys.end_commit(id, sys.begin_commit());
            own.close();
        }
        assert!(sys.state.lock().views.len() <= SWEEP_MIN);
        assert_eq!(sys.oldest_view().no, old.no);
        old.close();
        assert_eq!(sys.oldest_view().no, 10_000);
    }
}
