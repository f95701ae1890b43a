//! A transaction as the lock table sees it.

use super::name::LockName;
use super::wait::Request;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use smallvec::SmallVec;
use std::sync::Arc;

/// Locks that a transaction charges to the table at once. The first chunk is free, so that short transactions share no counter.
pub(super) const CHUNK: usize = 1024;

pub struct TrxLocks {
    /// Transaction id; 0 before the first write.
    pub id: AtomicU64,
    /// Its name in the search for deadlocks. Not the transaction id: a transaction may wait before it has one.
    pub(super) serial: u64,
    pub(super) held: Mutex<Held>,
    /// The one request that it waits for. Changed only under the mutex of the request's shard.
    pub(super) waiting: Mutex<Option<Arc<Request>>>,
    /// Undo records written plus locks held: what a rollback would cost.
    pub weight: AtomicU64,
    /// For SHOW ENGINE INNODB STATUS and information_schema.
    pub session: u64,
    /// Wall clock at the first write, microseconds since 1970; 0 before.
    pub started: AtomicU64,
    /// [`crate::Isolation`], as its number.
    pub isolation: AtomicU8,
}

#[derive(Default)]
pub(super) struct Held {
    /// Of every granted lock; a name may be there twice, or once too often when its record was removed.
    pub names: Vec<LockName>,
    /// Indexes in which it has ranges, and how many locks were folded into them.
    pub ranges: SmallVec<[u64; 2]>,
    pub folded: usize,
    /// Of its explicit locks so many are charged to the table, beyond those that are free.
    pub charged: usize,
    /// After release nothing may be added: an implicit lock converted too late would stay for ever.
    pub closed: bool,
}

impl TrxLocks {
    /// Its number in the lock table.
    pub fn serial(&self) -> u64 {
        self.serial
    }

    pub fn new(session: u64) -> Arc<TrxLocks> {
        static SERIAL: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        Arc::new(TrxLocks {
            id: AtomicU64::new(0),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            held: Mutex::new(Held::default()),
            waiting: Mutex::new(None),
            weight: AtomicU64::new(0),
            session,
            started: AtomicU64::new(0),
            isolation: AtomicU8::new(0),
        })
    }

    /// Locks that it has.
    pub fn count(&self) -> usize {
        let held = self.held.lock();
        held.names.len() + held.folded
    }

    /// Notes a lock that it has from now on; false when the transaction has ended.
    pub(super) fn gains(&self, name: &LockName) -> bool {
        let mut held = self.held.lock();
        if held.closed {
            return false;
        }
        held.names.push(name.clone());
        self.weight.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Locks that were added since they were last counted, as whole chunks; most of the time none.
    pub(super) fn uncharged(&self) -> usize {
        let mut held = self.held.lock();
        let beyond = held.names.len().saturating_sub(CHUNK + held.charged);
        let more = beyond.div_ceil(CHUNK) * CHUNK;
        held.charged += more;
        more
    }

    /// The record's lock has become a part of a range of the index.
    pub(super) fn folds(&self, name: &LockName) {
        let mut held = self.held.lock();
        let at = held.names.iter().rposition(|n| n == name);
        held.names.swap_remove(at.expect("a lock in a queue is in its owner's list"));
        held.folded += 1;
        if !held.ranges.contains(&name.index) {
            held.ranges.push(name.index);
        }
    }

    pub(super) fn request(&self) -> Option<Arc<Request>> {
        self.waiting.lock().clone()
    }
}
