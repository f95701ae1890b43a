//! Names of distributed transactions that sessions have begun and not yet prepared or ended. The engine knows those that are
//! prepared; a name is in one of the two places at any time.

use crate::errno;
use crate::session_api::SqlError;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use weir_engine::Xid;

#[derive(Default)]
pub struct Xids(Mutex<HashSet<Xid>>);

/// A name that is taken until this is dropped.
pub struct TakenXid {
    of: Arc<Xids>,
    pub xid: Xid,
}

impl Xids {
    /// `None`: another session has it.
    pub fn take(self: &Arc<Self>, xid: Xid) -> Option<TakenXid> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(xid.clone()).then(|| TakenXid { of: self.clone(), xid })
    }
}

impl Drop for TakenXid {
    fn drop(&mut self) {
        self.of.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.xid);
    }
}

/// 1399: the branch that the session works on is in a state that does not admit this.
pub fn rmfail(state: &str) -> SqlError {
    SqlError::of(errno::ER_XAER_RMFAIL, &[&state])
}

/// 4091.
pub fn temporary_in_branch() -> SqlError {
    SqlError::of(errno::ER_XA_TEMP_TABLE, &[])
}
