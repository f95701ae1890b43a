//! The savepoints of a transaction by name, on the session's account of memory.

use crate::memory::{Held, SessionMemory};
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::Savepoint;

#[derive(Default)]
pub(super) struct Savepoints {
    list: Vec<(String, Savepoint)>,
    held: Held,
}

fn bytes(name: &str) -> usize {
    size_of::<(String, Savepoint)>() + name.len()
}

impl Savepoints {
    /// Names compare without regard to letter case; a new savepoint replaces one of its name.
    pub fn set(
        &mut self,
        account: &Arc<SessionMemory>,
        name: &str,
        at: Savepoint,
    ) -> Result<(), SqlError> {
        self.held.grow(Some(account), bytes(name))?;
        if let Some(i) = self.find(name) {
            let (old, _) = self.list.remove(i);
            self.held.shrink(bytes(&old));
        }
        self.list.push((name.to_string(), at));
        Ok(())
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|(n, _)| n.eq_ignore_ascii_case(name))
    }

    pub fn at(&self, i: usize) -> Savepoint {
        self.list[i].1
    }

    /// Keeps the first `n`.
    pub fn truncate(&mut self, n: usize) {
        for (name, _) in self.list.drain(n..) {
            self.held.shrink(bytes(&name));
        }
    }

    pub fn clear(&mut self) {
        if !self.list.is_empty() {
            *self = Savepoints::default();
        }
    }
}
