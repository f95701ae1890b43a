//! LOCK TABLES, FLUSH TABLES WITH READ LOCK, LOCK INSTANCE FOR BACKUP, and what they allow the session's other statements.
//!
//! A session locks all it names in the order of the tables' ids, as definition statements do, so two of them never wait for each other.
//! It has no transaction then: LOCK TABLES commits. A failure lets go of all.

use super::Session;
use crate::context::SYSTEM_SCHEMA;
use crate::ddl::engine_error;
use crate::errno;
use crate::locks::{LockedTable, LockedTables, LockedWhat, Patience, charge, conflicting};
use crate::meta::temporary::HIDDEN;
use crate::meta::view::ViewMeta;
use crate::rights::{self, Need, check_writable};
use crate::session_api::SqlError;
use std::collections::HashSet;
use std::sync::Arc;
use weir_engine::{HeldTables, MdlMode, ObjectKind, Table};
use weir_syntax::ast::{
    AdminVerb, AlterSpec, FlushKind, LockTable, RoutineKind, Statement, TableLockKind, TableName,
    UnderLocks,
};

/// Attempts at a list whose tables' definitions change while it is locked.
const ATTEMPTS: usize = 8;
/// Views over one another at most: those that name each other in a circle have no end.
const VIEWS_DEEP: usize = 60;

impl Session {
    pub(super) fn patience(&self) -> Patience<'_> {
        Patience {
            rt: self.inst.db.rt(),
            limit: self.settings.ddl_timeout,
            interrupt: &self.interrupt,
            stages: &self.inst.stages,
            session: self.conn.id,
        }
    }

    pub(super) fn schema_for(&self, name: &TableName) -> Result<String, SqlError> {
        let given = name.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref());
        given.map(str::to_owned).ok_or_else(SqlError::no_database)
    }

    pub(super) async fn lock_tables(&mut self, list: &[LockTable]) -> Result<(), SqlError> {
        if self.reads_all() {
            return Err(conflicting());
        }
        self.unlock_tables().await?;
        self.end_transaction(true).await?;
        let mut wanted = Vec::with_capacity(list.len());
        let mut known = HashSet::new();
        for l in list {
            let alias = l.alias.as_ref().unwrap_or(&l.name.name).as_str().to_owned();
            let write = matches!(l.kind, TableLockKind::Write | TableLockKind::LowPriorityWrite);
            let (schema, table) = (self.schema_for(&l.name)?, l.name.name.as_str().to_owned());
            if !known.insert((schema.clone(), alias.clone())) {
                return Err(SqlError::of(errno::ER_NONUNIQ_TABLE, &[&alias]));
            }
            wanted.push(LockedTable { schema, table, alias, write });
        }
        let own = |w: &LockedTable| self.temporaries.has(&w.schema, &w.table);
        let system = |w: &&LockedTable| w.write && w.schema == SYSTEM_SCHEMA && !own(w);
        // Tables that the server reads by itself; those of accounts are locked as others are.
        let read_inside = |w: &LockedTable| {
            w.schema == SYSTEM_SCHEMA
                && (w.table.starts_with("time_zone") || w.table.starts_with("help_"))
        };
        let writes_such = wanted.iter().any(|w| w.write && read_inside(w) && !own(w));
        if writes_such && !wanted.iter().all(|w| w.write && read_inside(w)) {
            return Err(SqlError::of(errno::ER_WRONG_LOCK_OF_SYSTEM_TABLE, &[]));
        }
        for w in wanted.iter().filter(system) {
            Box::pin(self.make_system_table(&w.schema, &w.table)).await?;
        }
        let writes = |w: &LockedTable| w.write && !self.temporaries.has(&w.schema, &w.table);
        let writing = match wanted.iter().any(writes) {
            true => {
                let inside = self.enter_writing().await?;
                check_writable(&self.inst.vars, &mut self.access)?;
                inside
            }
            false => None,
        };
        let memory = charge(Some(&self.info.memory), &wanted)?;
        let held = self.hold(&wanted).await?;
        let what = LockedWhat::Listed(wanted);
        self.locked = Some(LockedTables { writing, held, what, memory });
        Ok(())
    }

    /// Locks the tables, each once and as strongly as it is named.
    async fn hold(&self, wanted: &[LockedTable]) -> Result<Arc<HeldTables>, SqlError> {
        for _ in 0..ATTEMPTS {
            let mut tables: Vec<(Arc<Table>, bool)> = Vec::new();
            for w in wanted {
                self.tables_of(&w.schema, &w.table, w.write, 0, &mut tables)?;
            }
            tables.sort_by_key(|(t, _)| t.def.id);
            match self.hold_all(&tables).await {
                Err(e) if e.errno == errno::ER_TABLE_DEF_CHANGED => {}
                done => return done,
            }
        }
        Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[]))
    }

    /// The table, or the tables of a view.
    fn tables_of(
        &self,
        schema: &str,
        name: &str,
        write: bool,
        depth: usize,
        out: &mut Vec<(Arc<Table>, bool)>,
    ) -> Result<(), SqlError> {
        let computed = self.inst.computed(schema, name).is_some();
        if computed || crate::ddl::is_virtual_schema(schema) || self.temporaries.has(schema, name) {
            return Ok(());
        }
        if let Some(o) = self.inst.db.object(ObjectKind::View, schema, name) {
            if depth >= VIEWS_DEEP {
                return Err(rights::view_invalid(&(schema.into(), name.into())));
            }
            let stmt = Statement::Select(ViewMeta::of(&o)?.parse()?);
            for need in rights::of_query(&stmt, Some(schema))? {
                if let Need::Table { schema: s, table, .. } = need {
                    self.tables_of(&s, &table, write, depth + 1, out)
                        .map_err(|_| rights::view_invalid(&(schema.into(), name.into())))?;
                }
            }
            return Ok(());
        }
        let t = self.inst.meta.lookup(&self.inst.db, schema, name)?.engine.clone();
        match out.iter_mut().find(|(x, _)| x.def.id == t.def.id) {
            Some((_, strong)) => *strong |= write,
            None => out.push((t, write)),
        }
        Ok(())
    }

    async fn hold_all(&self, tables: &[(Arc<Table>, bool)]) -> Result<Arc<HeldTables>, SqlError> {
        let held = Arc::new(HeldTables::default());
        for (t, write) in tables {
            let mode = if *write { MdlMode::Exclusive } else { MdlMode::Freeze };
            let limit = self.settings.ddl_timeout;
            let hold = self.inst.db.lock_table(t, mode, limit, &self.interrupt).await;
            held.add(hold.map_err(engine_error)?);
        }
        Ok(held)
    }

    fn reads_all(&self) -> bool {
        self.locked.as_ref().is_some_and(|l| !l.is_listed())
    }

    /// UNLOCK TABLES. Of LOCK TABLES it ends the transaction, too, whose changes the locks have protected.
    pub(super) async fn unlock_tables(&mut self) -> Result<(), SqlError> {
        if self.locked.as_ref().is_some_and(LockedTables::is_listed) {
            self.end_transaction(true).await?;
        }
        self.locked = None;
        Ok(())
    }

    /// What a transaction that begins lets go of.
    pub(super) fn release_listed(&mut self) {
        if self.locked.as_ref().is_some_and(LockedTables::is_listed) {
            self.locked = None;
        }
    }

    /// FLUSH TABLES [names] WITH READ LOCK; `false`: another kind of FLUSH.
    pub(super) async fn flush_with_lock(&mut self, what: &[FlushKind]) -> Result<bool, SqlError> {
        let [FlushKind::Tables { names, read_lock: true, export: false }] = what else {
            return Ok(false);
        };
        if self.locked.as_ref().is_some_and(LockedTables::is_listed) {
            return Err(SqlError::of(errno::ER_LOCK_OR_ACTIVE_TRANSACTION, &[]));
        }
        if !names.is_empty() {
            if self.reads_all() {
                return Err(conflicting());
            }
            let mut wanted = Vec::new();
            for n in names {
                let (schema, table) = (self.schema_for(n)?, n.name.as_str().to_owned());
                wanted.push(LockedTable { schema, alias: table.clone(), table, write: false });
            }
            let memory = charge(Some(&self.info.memory), &wanted)?;
            let held = self.hold(&wanted).await?;
            let what = LockedWhat::Listed(wanted);
            self.locked = Some(LockedTables { writing: None, held, what, memory });
            return Ok(true);
        }
        if self.reads_all() {
            return Ok(true);
        }
        let backup = self.inst.definitions.back_up(self.conn.id, &self.patience()).await?;
        // No definition changes from here on, so these are all, and remain so.
        let db = &self.inst.db;
        let mut tables: Vec<(Arc<Table>, bool)> = db
            .schemas()
            .iter()
            .filter(|s| s.name != HIDDEN)
            .flat_map(|s| db.tables(&s.name))
            .filter(|t| t.usable().is_ok())
            .map(|t| (t, false))
            .collect();
        tables.sort_by_key(|(t, _)| t.def.id);
        let held = self.hold_all(&tables).await?;
        self.locked = Some(LockedTables {
            writing: None,
            held,
            what: LockedWhat::All(backup),
            memory: Default::default(),
        });
        Ok(true)
    }

    pub(super) async fn lock_instance(&mut self) -> Result<(), SqlError> {
        if self.backup.is_none() {
            let backup = self.inst.definitions.back_up(self.conn.id, &self.patience()).await?;
            self.backup = Some(backup);
        }
        Ok(())
    }

    /// Refuses a definition statement that the session's own locks do not allow.
    pub(super) fn check_locked(&self, stmt: &Statement) -> Result<(), SqlError> {
        let Some(locked) = &self.locked else { return Ok(()) };
        if !locked.is_listed() {
            return if stmt.is_blocked_by_backup() { Err(conflicting()) } else { Ok(()) };
        }
        let check = |n: &TableName| {
            let schema = self.schema_for(n)?;
            match self.temporaries.has(&schema, n.name.as_str()) {
                true => Ok(()),
                false => locked.check_define(&schema, n.name.as_str()),
            }
        };
        match stmt {
            Statement::CreateTable(c) if !c.temporary => {
                let schema = self.schema_for(&c.name)?;
                let there = self.inst.db.table(&schema, c.name.name.as_str()).is_some();
                // One that is there is an error or a note of its own.
                if there { Ok(()) } else { check(&c.name) }
            }
            Statement::AlterTable(a) => check(&a.name),
            Statement::CreateIndex(c) => check(&c.table),
            Statement::DropIndex(d) => check(&d.table),
            Statement::TruncateTable(n) => check(n),
            Statement::DropTable(d) if !d.temporary => d.names.iter().try_for_each(|n| {
                let schema = self.schema_for(n)?;
                let there = self.inst.db.table(&schema, n.name.as_str()).is_some();
                if there { check(n) } else { Ok(()) }
            }),
            Statement::CreateTrigger(t) => check(&t.table),
            Statement::DropRoutine { kind: RoutineKind::Trigger, name, .. } => {
                match self.table_of_trigger(name) {
                    Some((schema, table)) => locked.check_define(&schema, &table),
                    None => Ok(()),
                }
            }
            Statement::RenameTable(pairs) => {
                // A name that the statement itself has given was that of a locked table.
                let given = |at: usize, n: &TableName| pairs[..at].iter().any(|(_, new)| new == n);
                let mut olds = pairs.iter().enumerate().map(|(at, (old, _))| (at, old));
                olds.try_for_each(|(at, old)| if given(at, old) { Ok(()) } else { check(old) })
            }
            Statement::TableAdmin(a) => a.tables.iter().try_for_each(|n| match a.verb {
                AdminVerb::Optimize
                | AdminVerb::Repair
                | AdminVerb::UpdateHistogram { .. }
                | AdminVerb::DropHistogram { .. } => check(n),
                _ => {
                    let name = n.name.as_str();
                    locked.check_read(&self.schema_for(n)?, name, name)
                }
            }),
            Statement::Flush(f) => f.what.iter().try_for_each(|what| match what {
                FlushKind::Privileges => {
                    locked.check_define(SYSTEM_SCHEMA, "user").and_then(|()| check_kind(stmt))
                }
                // Without names those of all locks are meant.
                FlushKind::Tables { names, read_lock: false, export: false }
                    if names.is_empty() =>
                {
                    locked.check_flush()
                }
                FlushKind::Tables { names, read_lock: false, export: false } => {
                    names.iter().try_for_each(check)
                }
                _ => check_kind(stmt),
            }),
            other => check_kind(other),
        }
    }

    /// After a definition statement of the session: its locks follow the tables.
    pub(super) fn follow_locked(&mut self, stmt: &Statement) {
        if self.locked.is_none() {
            return;
        }
        let mut moves: Vec<(TableName, Option<TableName>)> = Vec::new();
        match stmt {
            Statement::DropTable(d) if !d.temporary => {
                moves.extend(d.names.iter().map(|n| (n.clone(), None)));
            }
            Statement::RenameTable(pairs) => {
                moves.extend(pairs.iter().map(|(a, b)| (a.clone(), Some(b.clone()))));
            }
            Statement::AlterTable(a) => {
                let to = a.specs.iter().find_map(|s| match s {
                    AlterSpec::RenameTo(n) => Some(n.clone()),
                    _ => None,
                });
                moves.extend(to.map(|to| (a.name.clone(), Some(to))));
            }
            _ => {}
        }
        for (from, to) in moves {
            let Ok(schema) = self.schema_for(&from) else { continue };
            let to = to.and_then(|n| Some((self.schema_for(&n).ok()?, n)));
            let Some(locked) = &mut self.locked else { return };
            let dropped = to.is_none();
            let to = to.as_ref().map(|(s, n)| (s.as_str(), n.name.as_str()));
            locked.follow(&schema, from.name.as_str(), to);
            // Anyone who drops the last of the tables has none locked any more, and may use all others.
            if dropped && locked.is_empty() {
                self.locked = None;
                return;
            }
        }
    }
}

/// What LOCK TABLES asks of a statement whatever tables it names.
fn check_kind(stmt: &Statement) -> Result<(), SqlError> {
    match stmt.row().under_locks {
        UnderLocks::Allowed | UnderLocks::NamedTables => Ok(()),
        UnderLocks::GrantTables => Err(SqlError::of(errno::ER_TABLE_NOT_LOCKED, &[&"user"])),
        UnderLocks::Refused => Err(SqlError::of(errno::ER_LOCK_OR_ACTIVE_TRANSACTION, &[])),
    }
}
