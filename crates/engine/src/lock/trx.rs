//! A transaction as the lock table sees it.

use super::name::LockName;
use super::wait::Request;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::Arc;

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
        self.held.lock().names.len()
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

    pub(super) fn request(&self) -> Option<Arc<Request>> {
        self.waiting.lock().clone()
    }
}
