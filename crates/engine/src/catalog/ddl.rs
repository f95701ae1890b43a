//! DDL: each statement is atomic across a crash. Files first, then one dictionary mini-transaction, then removals.

use super::Catalog;
use super::objects;
use crate::btree;
use crate::dict::counters::{self, Marks};
use crate::dict::{self, Change, kind};
use crate::error::{Error, Result};
use crate::ids::SpaceId;
use crate::mtr;
use crate::page::redo::Redo;
use crate::planted::{self, Bug};
use crate::row::{MAX_COLUMNS, RowView};
use crate::space;
use crate::sync::atomic::Ordering;
use crate::table::{
    ColumnHistory, From, HeldTables, MdlHold, MdlMode, NewColumns, NewTable, SchemaDef, Storage,
    Table, TableDef, encode_table,
};
use crate::waits::{Cause, Object, What};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use weir_rt::Interrupt;

/// Who may use a table while a definition statement works at it (LOCK=NONE, SHARED, EXCLUSIVE).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BesideIt {
    #[default]
    Everybody,
    Readers,
    Nobody,
}

/// What a definition statement brings along. By default it waits for no lock and changes nothing beside its own table.
#[derive(Default)]
pub struct DdlContext {
    pub lock_timeout: Duration,
    pub interrupt: Arc<Interrupt>,
    /// Who may use the table meanwhile, where the statement needs it alone for a moment only.
    pub beside_it: BesideIt,
    /// Tables that the session keeps locked itself.
    pub held: Option<Arc<HeldTables>>,
    /// Tables that get new metadata of their owner's, and so new handles, in the same step as the statement's own change. The session
    /// has them alone.
    pub beside: Vec<(Arc<Table>, Vec<u8>)>,
    /// Objects that belong to the tables: with DROP TABLE and RENAME TABLE each gets this text, or goes, in the same step.
    pub objects: Vec<(Arc<objects::Object>, Option<Vec<u8>>)>,
}

impl DdlContext {
    /// The session has the table alone already.
    pub(super) fn has(&self, t: &Table) -> bool {
        self.held.as_ref().is_some_and(|h| h.is_alone(t))
    }
}

/// Turns an old row into a new one and tells the partition that it goes to (0 where there are none); an `Err` text ends the rebuild
/// with `Error::Owner`.
pub type MapRow<'a> =
    dyn FnMut(RowView<'_>, &mut Vec<u8>) -> std::result::Result<usize, String> + Send + 'a;

impl Catalog {
    pub async fn create_schema(&self, s: SchemaDef) -> Result<()> {
        let _ddl = self.ddl().await;
        if self.schema(&s.name).is_some() {
            return Err(Error::SchemaExists(s.name));
        }
        self.write_schema(s).await
    }

    pub async fn alter_schema(&self, s: SchemaDef) -> Result<()> {
        let _ddl = self.ddl().await;
        self.need_schema(&s.name)?;
        self.write_schema(s).await
    }

    async fn write_schema(&self, s: SchemaDef) -> Result<()> {
        let key = dict::key(kind::SCHEMA, s.name.as_bytes());
        self.dict.write(&self.core, &[(key, Some(s.extra.clone()))]).await?;
        self.put_schema(s);
        Ok(())
    }

    pub(super) async fn lock_all(
        &self,
        tables: &[Arc<Table>],
        d: &DdlContext,
    ) -> Result<Vec<MdlHold>> {
        // In one order everywhere, so that two DDLs cannot wait for each other.
        let mut sorted: Vec<&Arc<Table>> = tables.iter().collect();
        sorted.sort_by_key(|t| t.def.id);
        sorted.dedup_by_key(|t| t.def.id);
        let mut holds = Vec::with_capacity(sorted.len());
        for t in sorted {
            if !d.has(t) {
                holds.push(t.mdl_to_drop(&self.rt, d.lock_timeout, &d.interrupt).await?);
            }
        }
        Ok(holds)
    }

    /// The table alone, for a definition statement; `None`: the session has it already.
    pub(super) async fn exclude(&self, t: &Arc<Table>, d: &DdlContext) -> Result<Option<MdlHold>> {
        if d.has(t) {
            t.met().await?;
            return Ok(None);
        }
        t.mdl_exclusive(&self.rt, d.lock_timeout, &d.interrupt).await.map(Some)
    }

    /// Makes the file and the trees of a table; nothing names them yet.
    pub(super) async fn make_storage(&self, indexes: usize) -> Result<Storage> {
        let id = self.next_space.fetch_add(1, Ordering::AcqRel) as SpaceId;
        self.reserve_ids(indexes as u64).await?;
        let waiting = self.core.waits.begin(What::new(Cause::File, Object::Space(id)));
        let space = self.core.spaces.create_file(id, 8).await?;
        drop(waiting);
        let made = async {
            space::format(&self.core, id).await?;
            let mut roots = Vec::with_capacity(indexes);
            for _ in 0..indexes {
                let index = self.next_index.fetch_add(1, Ordering::AcqRel);
                let tree = btree::create(&self.core, &space, index).await?;
                roots.push((index, tree.root));
            }
            Ok(Storage::new(id, roots))
        }
        .await;
        if made.is_err() {
            self.discard_space(id).await?;
        }
        made
    }

    /// Ids are never given twice, not even after a restart: undo and doublewrite copies of dropped tables may still
    /// speak of them.
    async fn reserve_ids(&self, indexes: u64) -> Result<()> {
        let mut bytes = Vec::with_capacity(24);
        bytes.extend_from_slice(&self.next_space.load(Ordering::Acquire).to_le_bytes());
        bytes.extend_from_slice(&(self.next_table.load(Ordering::Acquire) + 1).to_le_bytes());
        bytes.extend_from_slice(&(self.next_index.load(Ordering::Acquire) + indexes).to_le_bytes());
        space::write_header(&self.core, space::SYSTEM, super::HEADER_IDS, &bytes).await
    }

    pub(super) fn new_def(&self, t: NewTable, id: u64, version: u64, created: u64) -> TableDef {
        TableDef {
            id,
            version,
            schema: t.schema,
            name: t.name,
            columns: t.columns,
            indexes: t.indexes,
            auto_increment: t.auto_increment,
            form: t.form,
            history: ColumnHistory::default(),
            extra: t.extra,
            created_micros: created,
        }
    }

    pub async fn create_table(&self, t: NewTable, d: &DdlContext) -> Result<Arc<Table>> {
        let _ddl = self.ddl().await;
        self.need_schema(&t.schema)?;
        if self.name_is_taken(&t.schema, &t.name) {
            return Err(Error::TableExists { schema: t.schema, name: t.name });
        }
        let storage = self.make_whole(t.indexes.len(), t.parts, d).await?;
        let id = self.next_table.fetch_add(1, Ordering::AcqRel);
        let start = t.auto_increment_start.max(1);
        let def = self.new_def(t, id, 1, self.rt.wall_micros());
        let made = self.publish_new(def, &storage, start, d).await;
        if made.is_err() {
            self.discard(&storage).await?;
        }
        made
    }

    pub(super) fn handle(
        &self,
        def: TableDef,
        storage: &Storage,
        from: From<'_>,
        visible_from: impl Fn(u64) -> u64,
    ) -> Result<Arc<Table>> {
        Table::new((&self.core, &self.dict), def, storage, from, visible_from)
    }

    async fn publish_new(
        &self,
        def: TableDef,
        storage: &Storage,
        start: u64,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let bytes = encode_table(&def, storage);
        let marks = Marks { auto_increment: start, ..Marks::default() };
        let changes = vec![
            (dict::table_key(def.id), Some(bytes)),
            (counters::key(def.id), Some(marks.encode())),
        ];
        let table = self.handle(def, storage, From::Marks(marks), |_| 0)?;
        let beside = self.write_step(changes, d).await?;
        self.put_tables(&table, beside);
        Ok(table)
    }

    /// A space that nothing names any more. That its file cannot go now is no failure of the statement, whose outcome is
    /// decided: the next start removes it.
    pub(crate) async fn discard_space(&self, id: SpaceId) -> Result<()> {
        match self.drop_space(id).await {
            Err(e) if self.core.log.failure().is_ok() => {
                (self.log)(&format!(
                    "cannot remove the file of a dropped table now, the next start will: {e}"
                ));
                Ok(())
            }
            r => r,
        }
    }

    /// Takes a space away: its pages die in the pool, the log says that the file is gone, then it goes.
    pub(crate) async fn drop_space(&self, id: SpaceId) -> Result<()> {
        let Some(space) = self.core.spaces.get(id) else { return Ok(()) };
        space.mark_dropped();
        self.core.pool.forget_space(id);
        let lsn = mtr::run(&self.core, 64, |w| {
            let g = w.gather();
            let mut a = g.seal(32)?;
            a.note(&Redo::FileDelete { space: id });
            Ok(a.commit())
        })
        .await?;
        // The file may go only when recovery is sure to hear of it.
        if !planted::is(Bug::FileRemovedBeforeLogged) {
            self.core.log.flush_for(lsn, crate::log::Reach::Durable, (0, 0)).await?;
        }
        // Closed before its name goes: the room is free when the statement is answered.
        self.core.spaces.remove(id).await;
        if planted::is(Bug::SpaceIdReused) {
            let next = &self.next_space;
            let (now, last) = (id as u64 + 1, id as u64);
            let _ = next.compare_exchange(now, last, Ordering::AcqRel, Ordering::Relaxed);
        }
        let _waiting = self.core.waits.begin(What::new(Cause::File, Object::Space(id)));
        self.core.spaces.delete_file(id).await
    }

    pub async fn truncate_table(&self, t: &Arc<Table>, d: &DdlContext) -> Result<Arc<Table>> {
        let _hold = self.exclude(t, d).await?;
        let _ddl = self.ddl().await;
        let storage = self.make_whole(t.def.indexes.len(), t.parts.len(), d).await?;
        let id = self.next_table.fetch_add(1, Ordering::AcqRel);
        let mut def = TableDef { id, version: t.def.version + 1, ..t.def.clone() };
        def.forget_history();
        self.replace(t, def, &storage, Marks::default(), d).await
    }

    /// Puts a table with a new space in the place of another, and removes the other's file.
    pub(super) async fn replace(
        &self,
        t: &Arc<Table>,
        def: TableDef,
        storage: &Storage,
        marks: Marks,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        assert!(def.id != t.def.id, "undo of the old rows must not find the new ones");
        let from = self.trx.next_no();
        let made = async {
            let new = self.handle(def, storage, From::Marks(marks), |_| from)?;
            let changes = vec![
                (dict::table_key(new.def.id), Some(encode_table(&new.def, storage))),
                (counters::key(new.def.id), Some(marks.encode())),
                (dict::table_key(t.def.id), None),
                (counters::key(t.def.id), None),
            ];
            Ok((new, self.write_step(changes, d).await?))
        }
        .await;
        match made {
            Ok((new, beside)) => {
                let _gate = t.hold_purge().await;
                if let (Some(held), true) = (&d.held, d.has(t)) {
                    held.add(new.mdl_unseen());
                }
                // In the old one's place at one moment: the name is never without its table.
                self.put_tables(&new, beside);
                self.discard(&t.storage()).await?;
                Ok(new)
            }
            Err(e) => {
                self.discard(storage).await?;
                Err(e)
            }
        }
    }

    /// A handle with a new definition over the same space; locks and counters go on.
    pub(super) fn successor(
        &self,
        t: &Arc<Table>,
        def: TableDef,
        storage: &Storage,
    ) -> Result<Arc<Table>> {
        let now = if planted::is(Bug::NewIndexForOldViews) { 0 } else { self.trx.next_no() };
        let all = std::iter::once(t).chain(&t.parts).flat_map(|t| &t.indexes);
        let known: HashMap<u64, u64> = all.map(|i| (i.id, i.visible_from)).collect();
        let visible_from = |id| known.get(&id).copied().unwrap_or(now);
        self.handle(def, storage, From::Handle(t), visible_from)
    }

    pub(super) async fn redefine(
        &self,
        t: &Arc<Table>,
        def: TableDef,
        storage: &Storage,
        mut changes: Vec<Change>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let new = self.successor(t, def, storage)?;
        changes.push((dict::table_key(new.def.id), Some(encode_table(&new.def, storage))));
        let beside = self.write_step(changes, d).await?;
        self.put_tables(&new, beside);
        Ok(new)
    }

    pub async fn alter_extra(
        &self,
        t: &Arc<Table>,
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let _hold = self.exclude(t, d).await?;
        let _ddl = self.ddl().await;
        let def = TableDef { extra, version: t.def.version + 1, ..t.def.clone() };
        self.redefine(t, def, &t.storage(), Vec::new(), d).await
    }

    /// New metadata of the owner's that say nothing of how rows are read, written or tied together (statistics). Anyone who uses the table
    /// goes on meanwhile, with the handle of before: both have the same trees, lock, counters and logs of rows, and differ in nothing that
    /// the engine looks at. Other definition statements are kept out, and find their handles stale.
    pub async fn note_extra(
        &self,
        t: &Arc<Table>,
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let _hold = match d.has(t) {
            true => None,
            false => {
                let (limit, stop) = (d.lock_timeout, &d.interrupt);
                Some(t.mdl_for(&self.rt, limit, stop, MdlMode::Upgradable).await?)
            }
        };
        let _ddl = self.ddl().await;
        let def = TableDef { extra, version: t.def.version + 1, ..t.def.clone() };
        self.redefine(t, def, &t.storage(), Vec::new(), d).await
    }

    /// Other names of columns, longer ones, and columns that come anywhere or go, without a look at the rows. Rows that are there have
    /// fewer places and read the new columns as their defaults ([`crate::row::RowLayout`]); nobody reads any more what they have in the
    /// places of columns that go.
    ///
    /// Invariant: such a default belongs to the rows that were there when its column came, and stays until all rows are written again. It is
    /// not the default that the owner of the metadata gives new rows.
    pub async fn alter_columns(
        &self,
        t: &Arc<Table>,
        new: NewColumns,
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let _hold = self.exclude(t, d).await?;
        let _ddl = self.ddl().await;
        let NewColumns { mut columns, sources, counts } = new;
        for (new, source) in columns.iter_mut().zip(&sources) {
            let Some(old) = source.and_then(|s| t.def.columns.get(s)) else { continue };
            if !new.phys.reads(old.phys) {
                return Err(Error::Owner(
                    "columns that do not read the rows that are there".into(),
                ));
            }
            if !planted::is(Bug::DefaultOfOldRowsChanged) {
                new.default.clone_from(&old.default);
            }
        }
        let same = columns.len() == sources.len();
        let def = t.def.with_columns(columns, &sources, counts);
        let def = def.filter(|def| same && def.width() <= MAX_COLUMNS).ok_or_else(|| {
            Error::Owner("columns that go from an index, or have no place in rows".into())
        })?;
        self.core.stats.tables_altered_at_once.fetch_add(1, Ordering::Relaxed);
        let def = TableDef { extra, version: t.def.version + 1, ..def };
        // The handle of before cannot read rows that have more columns than it knows: purge is not to come with it.
        let _gate = t.hold_purge().await;
        self.redefine(t, def, &t.storage(), Vec::new(), d).await
    }
}

/// Keeps purge out of tables whose files go; it does not come back to them, for it looks for the table again behind the gate.
pub(super) async fn close_gates(tables: &[Arc<Table>]) -> Vec<weir_rt::AsyncMutexGuard<'_, ()>> {
    let mut one_each: Vec<&Arc<Table>> = tables.iter().collect();
    one_each.sort_by_key(|t| t.def.id);
    one_each.dedup_by_key(|t| t.def.id);
    let mut gates = Vec::with_capacity(one_each.len());
    for t in one_each {
        gates.push(t.hold_purge().await);
    }
    gates
}
