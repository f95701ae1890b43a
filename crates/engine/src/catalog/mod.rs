//! Floor 6: the data dictionary, atomic DDL, statistics, CHECK.
//!
//! May use: everything below. Knows no SQL: the owner's metadata travels as opaque bytes.
//!
//! The dictionary is a tree of its own in the system space: `kind 1 | name or id | chunk 1 -> bytes`. Every DDL ends in one
//! mini-transaction on it; that is its commit point. Files are made before and removed after that point, so a crash leaves
//! at most files that no definition names, and start-up removes those.
//!
//! Invariants
//! - A definition in memory is the one in the dictionary, or a newer one whose mini-transaction is committed.
//! - Other threads see a change of names, and of the handle behind a name or a number, at one moment: a table that exists is always found.
//! - Anyone who changes a definition holds the catalog's DDL lock and the table's exclusive metadata lock.

mod buffers;
mod build;
mod check;
mod check_spaces;
mod ddl;
mod distinct;
mod drop;
mod half_trees;
mod indexes;
mod objects;
mod owners;
mod parts;
mod rebuild;
mod statistics;
mod step;
mod values;

pub use ddl::{BesideIt, DdlContext, MapRow};
pub use drop::MayDrop;
pub use objects::{Object, ObjectKind};
pub use parts::NewParts;

use crate::dict::Dict;
use crate::error::{Error, Result};
use crate::ids::SpaceId;
use crate::mtr;
use crate::page::redo::Redo;
use crate::planted::{self, Bug};
use crate::sync::RwLock;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::table::{SchemaDef, Table};
use crate::txn::System;
use crate::waits::{Blocker, Cause, What};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Deref;
use std::sync::Arc;
use weir_rt::{Actor, AsyncMutex, AsyncMutexGuard};

/// Offset in the system header of the next space, table and index id (u64 each).
pub const HEADER_IDS: usize = crate::page::HEADER + 40;

/// The text of the definition statement that a session executes, as the log may have it; none where it shall not.
pub type DefinitionFn = Arc<dyn Fn(u64) -> Option<Vec<u8>> + Send + Sync>;

/// Everything that is defined, in memory, and the statements that change it. Its handles of tables are in the system's
/// [`crate::table::Handles`] too, where transactions find them by number.
pub struct Catalog {
    sys: Arc<System>,
    /// The last stop left redo behind, so row counts may be older than the rows.
    recovered: bool,
    /// Bytes that an index build sorts in memory.
    sort_bytes: usize,
    /// Bytes of changes that are remembered beside the build of an index.
    pub(crate) row_log_bytes: AtomicU64,
    pub(crate) dict: Arc<Dict>,
    state: RwLock<State>,
    version: AtomicU64,
    /// One DDL at a time.
    ddl: AsyncMutex<()>,
    /// The session whose one it is, or was.
    ddl_of: AtomicU64,
    /// The texts of definition statements, by session.
    pub(crate) statements: RwLock<Option<DefinitionFn>>,
    pub(crate) next_space: AtomicU64,
    pub(crate) next_table: AtomicU64,
    pub(crate) next_index: AtomicU64,
}

/// What builds of indexes may take.
pub struct Builds {
    pub sort_bytes: usize,
    pub row_log_bytes: usize,
}

#[derive(Default)]
struct State {
    schemas: BTreeMap<String, Arc<SchemaDef>>,
    tables: BTreeMap<(String, String), Arc<Table>>,
    objects: BTreeMap<objects::ObjectName, Arc<Object>>,
    /// Handles that are no more, the last ones.
    former: VecDeque<Names>,
}

/// Former handles whose names are remembered: DDL is what one looks for afterwards.
const FORMER: usize = 256;

/// What a table's parts are called.
#[derive(Clone)]
pub(crate) struct Names {
    pub table: (u64, String),
    pub space: SpaceId,
    pub indexes: Vec<(u64, String)>,
}

impl Names {
    fn of(t: &Table) -> Names {
        Names::called(t, format!("{}.{}", t.def.schema, t.def.name))
    }

    /// Of a table and its partitions.
    fn of_all(t: &Table) -> impl Iterator<Item = Names> + '_ {
        let part = |(n, p): (usize, &Arc<Table>)| {
            Names::called(p, format!("{}.{}#P#{n}", t.def.schema, t.def.name))
        };
        std::iter::once(Names::of(t)).chain(t.parts.iter().enumerate().map(part))
    }

    fn called(t: &Table, name: String) -> Names {
        let index = |i: &crate::table::Index| (i.id, format!("{name}.{}", i.def.name));
        let indexes = t.indexes.iter().map(index).collect();
        Names { space: t.space.id, indexes, table: (t.def.id, name) }
    }
}

impl State {
    /// A handle goes.
    fn forget(&mut self, t: &Table) {
        t.mark_stale();
        t.parts.iter().for_each(|p| p.mark_stale());
        if self.former.len() == FORMER {
            self.former.pop_front();
        }
        self.former.push_back(Names::of(t));
    }
}

impl Deref for Catalog {
    type Target = System;

    fn deref(&self) -> &System {
        &self.sys
    }
}

impl Catalog {
    pub fn new(sys: Arc<System>, dict: Dict, recovered: bool, builds: Builds) -> Catalog {
        Catalog {
            sys,
            recovered,
            sort_bytes: builds.sort_bytes,
            row_log_bytes: AtomicU64::new(builds.row_log_bytes as u64),
            dict: Arc::new(dict),
            state: RwLock::new(State::default()),
            version: AtomicU64::new(1),
            ddl: AsyncMutex::new(()),
            ddl_of: AtomicU64::new(0),
            statements: RwLock::new(None),
            next_space: AtomicU64::new(crate::space::FIRST_TABLE as u64),
            next_table: AtomicU64::new(1),
            next_index: AtomicU64::new(16),
        }
    }

    pub fn system(&self) -> Arc<System> {
        self.sys.clone()
    }

    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The session whose definition statement works.
    pub(crate) fn ddl_blocker(&self) -> Blocker {
        Blocker { session: self.ddl_of.load(Ordering::Relaxed), trx: 0 }
    }

    /// For as long as a definition statement works.
    pub(crate) async fn ddl(&self) -> AsyncMutexGuard<'_, ()> {
        let what = || What::from(Cause::Ddl).blocked_by(self.ddl_blocker());
        let one = self.core.waits.during(what, self.ddl.lock()).await;
        let session = Actor::current().id().unwrap_or(0);
        self.ddl_of.store(session, Ordering::Relaxed);
        self.note_statement(session).await;
        one
    }

    /// Writes the text of the session's statement to the log, where the program gives it: a restore finds the moment before it. The
    /// statement has the tables that it needs locked, so that all their changes stand before.
    async fn note_statement(&self, session: u64) {
        let by = self.statements.read().clone();
        let Some(text) = by.filter(|_| session != 0).and_then(|by| by(session)) else { return };
        let need = text.len() + 32;
        let noted = mtr::run(&self.core, need, |w| {
            let mut a = w.gather().seal(need)?;
            a.note(&Redo::Statement { text: &text });
            Ok(a.commit())
        });
        // A log that takes no more ends the statement itself.
        _ = noted.await;
    }

    /// The same, unless another one works.
    pub(crate) fn try_ddl(&self) -> Option<AsyncMutexGuard<'_, ()>> {
        let one = self.ddl.try_lock()?;
        self.ddl_of.store(Actor::current().id().unwrap_or(0), Ordering::Relaxed);
        Some(one)
    }

    fn bump(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    pub fn schemas(&self) -> Vec<Arc<SchemaDef>> {
        self.state.read().schemas.values().cloned().collect()
    }

    pub fn schema(&self, name: &str) -> Option<Arc<SchemaDef>> {
        self.state.read().schemas.get(name).cloned()
    }

    pub fn table(&self, schema: &str, name: &str) -> Option<Arc<Table>> {
        // The pair is built without allocation only if the map allowed it; look-ups are per plan, not per row.
        self.state.read().tables.get(&(schema.to_string(), name.to_string())).cloned()
    }

    pub fn tables(&self, schema: &str) -> Vec<Arc<Table>> {
        let s = self.state.read();
        s.tables
            .range((schema.to_string(), String::new())..)
            .take_while(|((s, _), _)| s == schema)
            .map(|(_, t)| t.clone())
            .collect()
    }

    pub fn all_tables(&self) -> Vec<Arc<Table>> {
        self.state.read().tables.values().cloned().collect()
    }

    /// Those and their partitions: whatever has a file.
    pub fn all_stored(&self) -> Vec<Arc<Table>> {
        let s = self.state.read();
        s.tables.values().flat_map(|t| std::iter::once(t).chain(&t.parts)).cloned().collect()
    }

    /// What everything is called, and was: former names first.
    pub(crate) fn names(&self) -> Vec<Names> {
        let s = self.state.read();
        let now = s.tables.values().flat_map(|t| Names::of_all(t));
        s.former.iter().cloned().chain(now).collect()
    }

    pub fn by_id(&self, id: u64) -> Option<Arc<Table>> {
        self.handles.by_id(id)
    }

    pub(crate) fn put_schema(&self, s: SchemaDef) {
        self.state.write().schemas.insert(s.name.clone(), Arc::new(s));
        self.bump();
    }

    pub(crate) fn remove_schema(&self, name: &str) {
        self.state.write().schemas.remove(name);
        self.bump();
    }

    /// Enters a table, replacing the handle of the same name or id.
    pub(crate) fn put_table(&self, t: Arc<Table>) {
        self.enter(&mut self.state.write(), t);
        self.bump();
    }

    /// Enters a table, and new handles of those that its statement has changed beside it, at one moment.
    pub(super) fn put_tables(&self, t: &Arc<Table>, beside: Vec<Arc<Table>>) {
        let mut s = self.state.write();
        let all: Vec<Arc<Table>> = beside.into_iter().chain([t.clone()]).collect();
        // All are found by number before one of the former handles goes: a table and a partition may have changed places.
        for t in &all {
            self.put_handles(t);
        }
        for t in all {
            self.enter(&mut s, t);
        }
        drop(s);
        self.bump();
    }

    fn enter(&self, s: &mut State, t: Arc<Table>) {
        let name = (t.def.schema.clone(), t.def.name.clone());
        let old = s.tables.insert(name, t.clone());
        self.put_handles(&t);
        if let Some(old) = old.filter(|old| !Arc::ptr_eq(old, &t)) {
            s.forget(&old);
            self.leave(&old);
        }
    }

    fn put_handles(&self, t: &Arc<Table>) {
        t.parts.iter().for_each(|p| self.handles.put(p.clone()));
        self.handles.put(t.clone());
    }

    /// A handle and those of its partitions are found by number no more, unless others have taken their places.
    fn leave(&self, t: &Arc<Table>) {
        t.parts.iter().for_each(|p| self.handles.remove(p));
        self.handles.remove(t);
    }

    /// New handles of the same tables under other names, all at one moment: nobody meets a name that is given away and taken again
    /// without its table, and purge finds each table by its number all the time.
    pub(crate) fn rename_handles(&self, old: &[Arc<Table>], new: Vec<Arc<Table>>) {
        let mut s = self.state.write();
        for t in old {
            s.tables.remove(&(t.def.schema.clone(), t.def.name.clone()));
            s.forget(t);
        }
        for t in new {
            self.enter(&mut s, t);
        }
        drop(s);
        if !planted::is(Bug::RenameNotTold) {
            self.bump();
        }
    }

    pub(crate) fn remove_table(&self, t: &Arc<Table>) {
        let mut s = self.state.write();
        let name = (t.def.schema.clone(), t.def.name.clone());
        if s.tables.get(&name).is_some_and(|x| x.def.id == t.def.id) {
            s.tables.remove(&name);
        }
        self.leave(t);
        s.forget(t);
        drop(s);
        self.bump();
    }

    pub(crate) fn need_schema(&self, name: &str) -> Result<Arc<SchemaDef>> {
        self.schema(name).ok_or_else(|| Error::NoSuchSchema(name.to_string()))
    }
}
