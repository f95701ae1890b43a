//! Temporary tables of a session: which names they have, and where the engine keeps them.
//!
//! A temporary table is an ordinary table of the engine in the schema [`HIDDEN`], under a name that is made of a number and the
//! user's own names ([`TemporaryNames`]). The session alone knows it by the user's names, which hide whatever else has them.
//!
//! Invariant: no statement reaches a table of the hidden schema but by its session's list. A table goes with its session, or with the
//! start of a server that finds it and nobody who still uses it.

use crate::memory::{Account, Held, Over};
use crate::meta::TableMeta;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use weir_engine::Table;

/// The engine's schema of temporary tables. No user may make or name a schema of this name.
pub const HIDDEN: &str = "#temporary";

/// Numbers of one server's temporary tables: no two have the same name in the engine.
#[derive(Default)]
pub struct TemporaryNames(AtomicU64);

impl TemporaryNames {
    /// Numbers that come behind those of tables that a start could not drop.
    pub fn behind(kept: &[Arc<Table>]) -> TemporaryNames {
        let number = |t: &Arc<Table>| t.def.name.split_once(':')?.0.parse::<u64>().ok();
        TemporaryNames(AtomicU64::new(kept.iter().filter_map(number).max().map_or(0, |n| n + 1)))
    }

    /// The engine's name for a temporary table of these names.
    pub fn kept_as(&self, schema: &str, name: &str) -> String {
        let number = self.0.fetch_add(1, Ordering::Relaxed);
        format!("{number}:{}:{schema}{name}", schema.len())
    }
}

/// The names under which a table of the hidden schema is known to its session.
pub fn shown_as(kept: &str) -> Option<(String, String)> {
    let (_, rest) = kept.split_once(':')?;
    let (len, names) = rest.split_once(':')?;
    let (schema, name) = names.split_at_checked(len.parse().ok()?)?;
    Some((schema.to_owned(), name.to_owned()))
}

#[derive(Default)]
struct State {
    by_name: BTreeMap<(String, String), String>,
    dropped: Vec<Arc<Table>>,
    /// What each table is charged, by the engine's names, and all of it.
    charged: HashMap<String, usize>,
    held: Held,
}

impl State {
    fn give_back(&mut self, kept: &str) {
        if let Some(bytes) = self.charged.remove(kept) {
            self.held.shrink(bytes);
        }
    }
}

/// What a temporary table takes in memory without its pages: the engine's handle with its trees, the definition as the engine and the
/// session know it, and the name. A table of three columns and two keys is charged 8 KiB; a thousand of them took 7 KiB each.
pub fn bytes(meta: &TableMeta, extra: usize) -> usize {
    TABLE + INDEX * meta.indexes.len() + COLUMN * meta.columns.len() + 3 * extra
}

const TABLE: usize = 4096;
const INDEX: usize = 1024;
const COLUMN: usize = 512;

/// The temporary tables of one session.
#[derive(Default)]
pub struct Temporaries {
    /// Whether there are any: asked by each statement.
    any: AtomicBool,
    doomed: AtomicBool,
    state: Mutex<State>,
}

impl Temporaries {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_empty(&self) -> bool {
        !self.any.load(Ordering::Relaxed)
    }

    /// The engine's name of the table that has these names in the session.
    pub fn find(&self, schema: &str, name: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        self.state().by_name.get(&(schema.to_owned(), name.to_owned())).cloned()
    }

    pub fn has(&self, schema: &str, name: &str) -> bool {
        self.find(schema, name).is_some()
    }

    /// Charges a table of this engine's name, which is to be made or altered, with what it takes from then on.
    pub fn charge(&self, account: Account<'_>, kept: &str, bytes: usize) -> Result<(), Over> {
        let mut state = self.state();
        let before = state.charged.get(kept).copied().unwrap_or(0);
        let all = state.held.bytes() - before + bytes;
        state.held.set(account, all)?;
        // Without an account nothing is held.
        if state.held.bytes() == all {
            state.charged.insert(kept.to_owned(), bytes);
        }
        Ok(())
    }

    /// The engine has another name for the table.
    pub fn renamed(&self, from: &str, to: &str) {
        let mut state = self.state();
        if let Some(bytes) = state.charged.remove(from) {
            state.charged.insert(to.to_owned(), bytes);
        }
    }

    /// The table was not made, or is no temporary one any more.
    pub fn uncharge(&self, kept: &str) {
        self.state().give_back(kept);
    }

    pub fn add(&self, schema: &str, name: &str, kept: &str) {
        let mut state = self.state();
        state.by_name.insert((schema.to_owned(), name.to_owned()), kept.to_owned());
        self.any.store(true, Ordering::Relaxed);
    }

    /// The name is free again.
    pub fn forget(&self, schema: &str, name: &str) {
        let mut state = self.state();
        state.by_name.remove(&(schema.to_owned(), name.to_owned()));
        self.any.store(!state.by_name.is_empty(), Ordering::Relaxed);
    }

    /// A table without a name goes when no transaction of the session uses it any more.
    pub fn doom(&self, table: Arc<Table>) {
        self.state().dropped.push(table);
        self.doomed.store(true, Ordering::Relaxed);
    }

    /// Are there tables that were dropped and are still there?
    pub fn has_doomed(&self) -> bool {
        self.doomed.load(Ordering::Relaxed)
    }

    /// Tables that were dropped and are still there.
    pub fn take_doomed(&self) -> Vec<Arc<Table>> {
        self.doomed.store(false, Ordering::Relaxed);
        let mut state = self.state();
        let gone = std::mem::take(&mut state.dropped);
        gone.iter().for_each(|t| state.give_back(&t.def.name));
        gone
    }

    /// The engine's names of all tables, which lose their own.
    pub fn take_all(&self) -> Vec<String> {
        let mut state = self.state();
        self.any.store(false, Ordering::Relaxed);
        std::mem::take(&mut state.by_name).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let all = TemporaryNames::default();
        for names in [("a", "b"), ("", "x"), ("s:1", ":t:"), ("größe", "änderung")] {
            let (schema, name) = names;
            assert_eq!(shown_as(&all.kept_as(schema, name)), Some((schema.into(), name.into())));
        }
        assert_ne!(all.kept_as("a", "b"), all.kept_as("a", "b"));
        assert_eq!(shown_as("t"), None);
        assert_eq!(shown_as("1:9:ab"), None);
    }
}
