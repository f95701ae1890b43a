//! Identifiers of transactions that are under way: of those that sessions have named by `gtid_next`.
//!
//! Invariant: an owner lets go of an identifier after the group that commits under it was reserved, or never commits under it. So an
//! owner of an identifier that was owned before sees it among those of the log, if it was used.

use crate::log::BinaryLog;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_binlog::Gtid;
use weir_rt::WaitQueue;

#[derive(Default)]
pub struct Owners {
    owned: Mutex<HashSet<Gtid>>,
    freed: WaitQueue,
}

impl Owners {
    fn lock(&self) -> MutexGuard<'_, HashSet<Gtid>> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nobody else commits under this identifier until it is dropped.
pub struct Owned {
    log: Arc<BinaryLog>,
    pub gtid: Gtid,
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.log.owners.lock().remove(&self.gtid);
        self.log.owners.freed.wake_all();
    }
}

impl BinaryLog {
    /// Makes the caller the owner of an identifier, when the present owner has let go. `None`: there is a transaction of that name.
    pub async fn own(self: &Arc<BinaryLog>, gtid: &Gtid) -> Option<Owned> {
        loop {
            // Registered before the look: a wake that comes after it is not lost.
            let freed = self.owners.freed.wait();
            if self.owners.lock().insert(gtid.clone()) {
                // Made before the look, so that it lets go where there is nothing to own.
                let owned = Owned { log: self.clone(), gtid: gtid.clone() };
                return (!self.knows(gtid)).then_some(owned);
            }
            freed.await;
        }
    }
}
