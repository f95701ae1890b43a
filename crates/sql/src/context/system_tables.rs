//! What has become of the computed tables of the schema `mysql`.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// The schema of the server's own tables.
pub const SYSTEM_SCHEMA: &str = "mysql";

/// Computed tables that a statement has dropped. As in MySQL the server goes on with what it has read; a restart, or FLUSH PRIVILEGES, brings
/// them back.
#[derive(Default)]
pub struct SystemTables {
    dropped: RwLock<BTreeSet<String>>,
    /// Those whose places a table is about to take.
    making: RwLock<BTreeSet<String>>,
}

fn with<T>(names: &RwLock<BTreeSet<String>>, change: impl FnOnce(&mut BTreeSet<String>) -> T) -> T {
    change(&mut names.write().unwrap_or_else(PoisonError::into_inner))
}

impl SystemTables {
    pub fn is_dropped(&self, name: &str) -> bool {
        self.dropped.read().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    pub fn drop(&self, name: &str) {
        with(&self.dropped, |names| names.insert(name.to_owned()));
    }

    pub fn bring_back(&self) {
        with(&self.dropped, BTreeSet::clear);
    }

    pub fn is_making(&self, name: &str) -> bool {
        self.making.read().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    pub fn begin_making(&self, name: &str) {
        with(&self.making, |names| names.insert(name.to_owned()));
    }

    pub fn end_making(&self, name: &str) {
        with(&self.making, |names| names.remove(name));
    }
}
