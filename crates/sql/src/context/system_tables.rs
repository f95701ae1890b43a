//! What has become of the computed tables of the schema `mysql`.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

/// The schema of the server's own tables.
pub const SYSTEM_SCHEMA: &str = "mysql";

/// Computed tables that a statement has dropped. As in MySQL the server goes on with what it has read; a restart, or FLUSH
/// PRIVILEGES, brings them back.
#[derive(Default)]
pub struct SystemTables {
    dropped: RwLock<BTreeSet<String>>,
}

impl SystemTables {
    pub fn is_dropped(&self, name: &str) -> bool {
        self.dropped.read().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    pub fn drop(&self, name: &str) {
        self.change().insert(name.to_owned());
    }

    pub fn bring_back(&self) {
        self.change().clear();
    }

    fn change(&self) -> RwLockWriteGuard<'_, BTreeSet<String>> {
        self.dropped.write().unwrap_or_else(PoisonError::into_inner)
    }
}
