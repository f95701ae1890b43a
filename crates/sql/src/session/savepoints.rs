//! The savepoints of a transaction by name, on the session's account of memory.

use crate::memory::{Held, SessionMemory};
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::Savepoint;

/// So few are of no account.
const FEW: usize = 32;

#[derive(Default)]
pub(super) struct Savepoints {
    list: Vec<(String, Savepoint)>,
    /// What the list takes.
    bytes: usize,
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
        if let Some(i) = self.find(name) {
            self.list[i..].rotate_left(1);
            self.truncate(self.list.len() - 1);
        }
        let more = self.bytes + bytes(name);
        if self.list.len() >= FEW {
            self.held.set(Some(account), more)?;
        }
        self.bytes = more;
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
            self.bytes -= bytes(&name);
        }
        let keeps = if self.list.len() > FEW { self.bytes } else { 0 };
        self.held.shrink(self.held.bytes().saturating_sub(keeps));
    }

    pub fn clear(&mut self) {
        if !self.list.is_empty() {
            *self = Savepoints::default();
        }
    }
}
