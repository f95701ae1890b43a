//! What SET PERSIST keeps for later starts. The values are here, and anyone who has files ([`KeptSettings`]) writes them down.
//!
//! Invariant: what is listed is what the file has; a change that cannot be written is undone.

use super::Var;
use crate::session_api::SqlError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A kept value, and who kept it when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersistedValue {
    /// As SHOW VARIABLES prints it.
    pub value: String,
    pub user: String,
    pub host: String,
    /// Microseconds since 1970 UTC.
    pub micros: u64,
}

/// The file of kept values.
pub trait KeptSettings: Send + Sync {
    /// Replaces what is written, durably. The thread waits.
    fn write(&self, all: &BTreeMap<&'static str, PersistedValue>) -> Result<(), SqlError>;
}

/// The kept values of a server.
#[derive(Default)]
pub struct Persisted {
    values: Mutex<BTreeMap<&'static str, PersistedValue>>,
    file: OnceLock<Arc<dyn KeptSettings>>,
}

impl Persisted {
    /// What a start has found, and where later values go. The first call counts.
    pub fn open(&self, found: BTreeMap<&'static str, PersistedValue>, file: Arc<dyn KeptSettings>) {
        *self.values.lock().unwrap_or_else(PoisonError::into_inner) = found;
        let _ = self.file.set(file);
    }

    pub fn list(&self) -> BTreeMap<&'static str, PersistedValue> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn keep(&self, values: Vec<(Var, PersistedValue)>) -> Result<(), SqlError> {
        self.change(|all| all.extend(values.into_iter().map(|(var, v)| (var.name(), v))))
    }

    /// One value or all. False: it was not there.
    pub fn forget(&self, name: Option<&str>) -> Result<bool, SqlError> {
        let mut found = true;
        self.change(|all| match name {
            Some(name) => found = all.remove(name).is_some(),
            None => all.clear(),
        })?;
        Ok(found)
    }

    fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<&'static str, PersistedValue>),
    ) -> Result<(), SqlError> {
        let Some(file) = self.file.get() else {
            return Err(SqlError::not_supported("SET PERSIST without a server that has files"));
        };
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = values.clone();
        change(&mut changed);
        if changed != *values {
            file.write(&changed)?;
            *values = changed;
        }
        Ok(())
    }

    /// Can values be kept at all?
    pub fn check(&self) -> Result<(), SqlError> {
        self.change(|_| {})
    }
}
