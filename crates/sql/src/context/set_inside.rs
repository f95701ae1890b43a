//! Variables that stored functions and triggers set while a statement runs: the session takes them over when it has ended, for
//! nothing of a session changes under a statement.

use crate::vars::SessionVars;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct SetInside {
    any: AtomicBool,
    vars: Mutex<Option<Arc<SessionVars>>>,
}

impl SetInside {
    fn vars(&self) -> MutexGuard<'_, Option<Arc<SessionVars>>> {
        self.vars.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session's variables as they have been set so far, if any has been.
    pub fn get(&self) -> Option<Arc<SessionVars>> {
        match self.any.load(Ordering::Relaxed) {
            true => self.vars().clone(),
            false => None,
        }
    }

    pub fn put(&self, vars: Arc<SessionVars>) {
        *self.vars() = Some(vars);
        self.any.store(true, Ordering::Relaxed);
    }

    pub fn take(&self) -> Option<Arc<SessionVars>> {
        match self.any.swap(false, Ordering::Relaxed) {
            true => self.vars().take(),
            false => None,
        }
    }
}
