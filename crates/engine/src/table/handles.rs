//! The handles of tables by number: how undo, which names tables so, finds them.

use super::Table;
use crate::sync::RwLock;
use std::collections::HashMap;
use std::sync::Arc;

/// The newest handle of each table that is defined. The catalog keeps it, under its own lock.
#[derive(Default)]
pub struct Handles(RwLock<HashMap<u64, Arc<Table>>>);

impl Handles {
    pub fn by_id(&self, id: u64) -> Option<Arc<Table>> {
        self.0.read().get(&id).cloned()
    }

    /// Enters a handle; the one that it replaces becomes stale.
    pub(crate) fn put(&self, t: Arc<Table>) {
        if let Some(old) = self.0.write().insert(t.def.id, t.clone())
            && !Arc::ptr_eq(&old, &t)
        {
            old.mark_stale();
        }
    }

    /// A handle goes, unless another one has taken its place.
    pub(crate) fn remove(&self, t: &Arc<Table>) {
        let mut all = self.0.write();
        if all.get(&t.def.id).is_some_and(|now| Arc::ptr_eq(now, t)) {
            all.remove(&t.def.id);
        }
    }
}
