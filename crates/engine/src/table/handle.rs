//! Table handles: definition, layout, trees, metadata lock, auto-increment, statistics.

use super::def::{Storage, TableDef};
use super::mdl::{Mdl, MdlHold};
use crate::btree::Tree;
use crate::error::{Error, Result};
use crate::mtr::Core;
use crate::planted::{self, Bug};
use crate::row::key::KeyPartType;
use crate::row::{KeyPart, PhysCol, PhysType, RowLayout, RowView, encode_key};
use crate::space::{self, Space};
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use crate::waits::{Blocker, Cause, Object, What};
use std::sync::Arc;
use std::time::Duration;
use weir_rt::{AsyncMutex, Interrupt, Rt};

pub struct Index {
    /// Unique among all indexes of all tables: names locks and owns pages.
    pub id: u64,
    pub def: super::IndexDef,
    pub tree: Arc<Tree>,
    types: Vec<KeyPartType>,
    /// Views with a smaller commit number do not know this index.
    pub visible_from: u64,
    /// Rows per distinct value of the first n parts, times 1000; 0 = not known.
    per_key: Vec<AtomicU64>,
    pub leaves: AtomicU64,
}

impl Index {
    /// Whether an encoded key has a NULL among its parts: then it is exempt from uniqueness.
    pub fn has_null(&self, columns: &[u8]) -> bool {
        if !self.types.iter().any(|t| t.nullable) {
            return false;
        }
        let mut at = 0;
        for t in &self.types {
            let null = if t.desc { 0xFF } else { 0 };
            if t.nullable && columns.get(at) == Some(&null) {
                return true;
            }
            match crate::row::decode_len(std::slice::from_ref(t), &columns[at..]) {
                Some(n) => at += n,
                None => return false,
            }
        }
        false
    }

    pub fn types(&self) -> &[KeyPartType] {
        &self.types
    }

    /// Whether any column of the index differs between two rows.
    pub fn depends_on_change(&self, layout: &RowLayout, old: &[u8], new: &[u8]) -> bool {
        let (a, b) = (RowView::new(layout, old), RowView::new(layout, new));
        !crate::row::same_columns(&a, &b, self.def.parts.iter().map(|p| p.col))
    }
}

pub struct Table {
    pub def: TableDef,
    pub layout: RowLayout,
    pub space: Arc<Space>,
    pub indexes: Vec<Index>,
    pub(super) mdl: Arc<Mdl>,
    stale: AtomicBool,
    external: bool,
    /// Rows, kept approximately.
    pub rows: Arc<AtomicI64>,
    /// Rows when keys were sampled last; the largest number: never.
    pub sampled_rows: AtomicU64,
    auto: Arc<AutoIncrement>,
    /// Hidden row ids of tables without a primary key.
    row_ids: Arc<AutoIncrement>,
    core: Arc<Core>,
}

/// The counter of a table; survives changes of its definition.
pub struct AutoIncrement {
    next: AtomicU64,
    /// Values below are covered by the mark in the header page: after a crash the counter goes on from the mark.
    reserved: AtomicU64,
    writing: AsyncMutex<()>,
    /// Where the mark stands in the header page.
    at: usize,
}

/// Distance of the durable mark ahead of the counter: what a crash may skip.
const STRIDE: u64 = 256;

impl AutoIncrement {
    pub fn new(next: u64, at: usize) -> Arc<AutoIncrement> {
        Arc::new(AutoIncrement {
            at,
            next: AtomicU64::new(next.max(1)),
            reserved: AtomicU64::new(0),
            writing: AsyncMutex::new(()),
        })
    }
}

impl Table {
    /// `like`: the handle that this one replaces; counters and the metadata lock go on.
    pub fn new(
        core: &Arc<Core>,
        def: TableDef,
        storage: &Storage,
        like: Option<&Table>,
        next_auto: u64,
        next_row: u64,
        visible_from: impl Fn(u64) -> u64,
    ) -> Result<Arc<Table>> {
        let space = core.spaces.get(storage.space).ok_or_else(|| Error::Corrupt {
            what: format!("file '{}' is missing", space::path_of(storage.space)),
            place: format!("table '{}.{}'", def.schema, def.name),
        })?;
        let cols: Vec<PhysCol> = def.columns.iter().map(|c| c.phys).collect();
        let layout = RowLayout::new(&cols)
            .with_defaults(def.columns.iter().map(|c| c.default.clone()).collect());
        let mut indexes = Vec::with_capacity(def.indexes.len());
        for (d, (id, root)) in def.indexes.iter().zip(&storage.roots) {
            indexes.push(Index {
                id: *id,
                types: d.parts.iter().map(|p| p.of(&layout)).collect(),
                per_key: d.parts.iter().map(|_| AtomicU64::new(0)).collect(),
                def: d.clone(),
                tree: Arc::new(Tree::new(space.clone(), *root, *id)),
                visible_from: visible_from(*id),
                leaves: AtomicU64::new(1),
            });
        }
        let size = core.spaces.page_size();
        let widest: usize = cols
            .iter()
            .map(|c| match c.ty {
                PhysType::Var { max_bytes, .. } => max_bytes as usize,
                ty => ty.fixed_len().unwrap_or(8),
            })
            .fold(0, usize::saturating_add);
        let external = widest > crate::page::slotted::max_cell(size) / 2;
        Ok(Arc::new(Table {
            mdl: match like {
                Some(t) => t.mdl.clone(),
                None => Mdl::new(def.id),
            },
            rows: like.map_or_else(|| Arc::new(AtomicI64::new(0)), |t| t.rows.clone()),
            sampled_rows: AtomicU64::new(u64::MAX),
            auto: match like {
                Some(t) => t.auto.clone(),
                None => AutoIncrement::new(next_auto, space::HEADER_AUTO_INCREMENT),
            },
            row_ids: match like {
                Some(t) => t.row_ids.clone(),
                None => AutoIncrement::new(next_row, space::HEADER_ROW_ID),
            },
            core: core.clone(),
            layout,
            space,
            indexes,
            stale: AtomicBool::new(false),
            external,
            def,
        }))
    }

    pub(crate) fn storage(&self) -> Storage {
        Storage {
            space: self.space.id,
            roots: self.indexes.iter().map(|i| (i.id, i.tree.root)).collect(),
        }
    }

    pub fn has_hidden_key(&self) -> bool {
        self.def.indexes[0].parts.is_empty()
    }

    /// Whether rows can be long enough for columns off the page.
    pub fn may_have_external(&self) -> bool {
        self.external
    }

    pub fn in_clustered_key(&self, col: usize) -> bool {
        self.def.indexes[0].parts.iter().any(|p| p.col == col)
    }

    pub fn index_position(&self, id: u64) -> Option<usize> {
        self.indexes.iter().position(|i| i.id == id)
    }

    /// The key of a new row of a table without a primary key.
    pub(crate) async fn new_row_id(&self) -> Result<Vec<u8>> {
        let id = self.row_ids.reserve(&self.core, self.space.id, 1, 1, 1).await?;
        Ok(id.to_be_bytes().to_vec())
    }

    /// The clustered key of a row in full; not for tables with hidden row ids.
    pub fn clustered_key(&self, row: &[u8]) -> Result<Vec<u8>> {
        debug_assert!(!self.has_hidden_key());
        let mut k = Vec::with_capacity(16);
        self.encode(&self.def.indexes[0].parts, row, &mut k)?;
        Ok(k)
    }

    fn encode(&self, parts: &[KeyPart], row: &[u8], out: &mut Vec<u8>) -> Result<()> {
        encode_key(parts, &self.layout, &RowView::new(&self.layout, row), out)
            .map_err(|e| Error::Unsupported(format!("key of table '{}': {e}", self.def.name)))
    }

    /// A secondary index's entry for a row in full: its columns, then the clustered key.
    pub fn secondary_key(&self, i: usize, row: &[u8], key: &[u8]) -> Result<Vec<u8>> {
        let mut k = Vec::with_capacity(key.len() + 24);
        self.encode(&self.def.indexes[i].parts, row, &mut k)?;
        k.extend_from_slice(key);
        Ok(k)
    }

    /// As `secondary_key` for a stored row; `None` when a column of the index is off the page.
    pub fn secondary_key_stored(&self, i: usize, row: &[u8], key: &[u8]) -> Option<Vec<u8>> {
        let mut k = Vec::with_capacity(key.len() + 24);
        let parts = &self.def.indexes[i].parts;
        encode_key(parts, &self.layout, &RowView::new(&self.layout, row), &mut k).ok()?;
        k.extend_from_slice(key);
        Some(k)
    }

    pub(crate) fn duplicate(&self, i: usize, key: Vec<u8>) -> Error {
        Error::DuplicateKey {
            table: self.def.name.clone(),
            index: i,
            index_name: self.def.indexes[i].name.clone(),
            key,
        }
    }

    pub(crate) fn lost_row(&self, key: &[u8]) -> Error {
        let hex: String = key.iter().take(32).map(|b| format!("{b:02x}")).collect();
        Error::Corrupt {
            what: format!("the row with key {hex} is not where it must be"),
            place: format!("table '{}.{}'", self.def.schema, self.def.name),
        }
    }

    pub(crate) fn lost_entry(&self, i: usize) -> Error {
        Error::Corrupt {
            what: format!("index '{}' has no entry for a row", self.def.indexes[i].name),
            place: format!("table '{}.{}'", self.def.schema, self.def.name),
        }
    }

    pub(crate) fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
    }

    pub fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Acquire)
    }

    fn changed(&self) -> Error {
        Error::TableChanged { table: self.def.name.clone() }
    }

    /// The lock that every user of the table holds until its transaction ends.
    pub async fn mdl_shared(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
    ) -> Result<MdlHold> {
        self.usable()?;
        let hold = self.mdl_lock(rt, limit, i, false).await?;
        // Somebody who waited may have waited for the rollback that could not be done.
        self.usable()?;
        Ok(hold)
    }

    /// Whether the table's file is used at all.
    pub fn usable(&self) -> Result<()> {
        match self.space.refusal() {
            None => Ok(()),
            Some(r) => Err(Error::TableDamaged {
                schema: self.def.schema.clone(),
                name: self.def.name.clone(),
                missing: r.missing,
                why: r.why.clone(),
            }),
        }
    }

    /// The lock of DDL: waits for all users, and lets no new ones in while it waits.
    pub(crate) async fn mdl_exclusive(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
    ) -> Result<MdlHold> {
        self.usable()?;
        let hold = self.mdl_lock(rt, limit, i, true).await?;
        self.usable()?;
        Ok(hold)
    }

    /// The same for a statement that needs nothing of the table's file.
    pub(crate) async fn mdl_to_drop(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
    ) -> Result<MdlHold> {
        self.mdl_lock(rt, limit, i, true).await
    }

    async fn mdl_lock(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
        exclusive: bool,
    ) -> Result<MdlHold> {
        let hold = match self.mdl.at_once(exclusive) {
            Some(h) => h,
            // In a box: the future of every statement would be larger by what hardly any needs.
            None => Box::pin(self.mdl.wait(&self.core.waits, rt, limit, i, exclusive)).await?,
        };
        if self.is_stale() { Err(self.changed()) } else { Ok(hold) }
    }

    /// For a moment's look at the table's pages. It does not stand behind a DDL statement that waits, which may wait for the
    /// transaction of who asks; it is refused while one works.
    pub(crate) fn mdl_glance(self: &Arc<Self>) -> Result<MdlHold> {
        self.usable()?;
        match self.mdl.glance() {
            Some(h) if !self.is_stale() => Ok(h),
            _ => Err(self.changed()),
        }
    }

    /// See [`Mdl::blocker`].
    pub(crate) fn mdl_blocker(&self, exclusive: bool) -> Blocker {
        self.mdl.blocker(exclusive)
    }

    /// Keeps purge out of the table's pages: a check of them, and a definition statement that takes pages away, while purge
    /// is in.
    pub(crate) async fn hold_purge(&self) -> weir_rt::AsyncMutexGuard<'_, ()> {
        let what = || What::new(Cause::Turn, Object::Table(self.mdl.table));
        self.core.waits.during(what, self.mdl.purging.lock()).await
    }

    pub fn estimated_rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed).max(0) as u64
    }

    pub fn page_size(&self) -> u64 {
        // The space knows its file only in pages; the layout's page size is the engine's.
        self.space.page_bytes()
    }

    pub fn data_bytes(&self) -> u64 {
        self.indexes[0].leaves.load(Ordering::Relaxed) * self.page_size()
    }

    pub fn index_bytes(&self) -> u64 {
        self.indexes[1..].iter().map(|i| i.leaves.load(Ordering::Relaxed)).sum::<u64>()
            * self.page_size()
    }

    /// Rows per distinct value of the first `parts` parts of an index; an estimate.
    pub fn rows_per_key(&self, index: usize, parts: usize) -> f64 {
        let i = &self.indexes[index];
        if parts == 0 {
            return self.estimated_rows().max(1) as f64;
        }
        if parts >= i.def.parts.len() && (i.def.unique || index == 0) {
            return 1.0;
        }
        match i.per_key.get(parts - 1).map(|a| a.load(Ordering::Relaxed)) {
            Some(v) if v > 0 => v as f64 / 1000.0,
            // Nothing sampled yet: each further part cuts by ten.
            _ => (self.estimated_rows() as f64 / 10f64.powi(parts as i32)).max(1.0),
        }
    }

    pub(crate) fn set_rows_per_key(&self, index: usize, parts: usize, rows: f64) {
        if let Some(a) = self.indexes[index].per_key.get(parts - 1) {
            a.store((rows * 1000.0).max(1.0) as u64, Ordering::Relaxed);
        }
    }

    pub fn auto_increment_next(&self) -> u64 {
        self.auto.next.load(Ordering::Relaxed)
    }
}

impl Table {
    /// Reserves `n` auto-increment values (step `increment`, beginning at `offset`); returns the first.
    pub async fn auto_increment_reserve(
        self: &Arc<Self>,
        n: u64,
        increment: u64,
        offset: u64,
    ) -> Result<u64> {
        let first = self.auto.take(n, increment, offset)?;
        self.cover_auto_increment().await?;
        Ok(first)
    }

    /// An explicit value was inserted: the counter moves past it.
    pub async fn auto_increment_observe(self: &Arc<Self>, value: u64) -> Result<()> {
        self.auto.observe(value);
        if planted::is(Bug::ChosenNumberNotCovered) {
            return Ok(());
        }
        self.cover_auto_increment().await
    }

    pub(crate) async fn auto_increment_set(self: &Arc<Self>, next: u64) -> Result<()> {
        self.auto.set(next);
        self.cover_auto_increment().await
    }

    /// The mark is in the table's file, which must not go meanwhile.
    async fn cover_auto_increment(self: &Arc<Self>) -> Result<()> {
        if self.auto.is_covered() {
            return Ok(());
        }
        let _hold = self.mdl_glance()?;
        self.auto.cover(&self.core, self.space.id).await
    }

    /// At a clean stop: the exact counters become durable.
    pub(crate) async fn settle_counters(&self) -> Result<()> {
        for c in [&self.auto, &self.row_ids] {
            if c.is_touched() {
                c.settle(&self.core, self.space.id).await?;
            }
        }
        Ok(())
    }
}

impl AutoIncrement {
    /// Reserves `n` values of the form `offset + k * increment` at or above the counter; returns the first.
    pub(crate) async fn reserve(
        &self,
        core: &Core,
        space: u32,
        n: u64,
        increment: u64,
        offset: u64,
    ) -> Result<u64> {
        let first = self.take(n, increment, offset)?;
        self.cover(core, space).await?;
        Ok(first)
    }

    /// As `reserve`; the mark is not looked at.
    fn take(&self, n: u64, increment: u64, offset: u64) -> Result<u64> {
        let increment = increment.max(1);
        let mut now = self.next.load(Ordering::Relaxed);
        loop {
            let base = offset.max(1);
            let first = if now <= base {
                base
            } else {
                (now - base)
                    .div_ceil(increment)
                    .checked_mul(increment)
                    .and_then(|d| d.checked_add(base))
                    .ok_or(Error::AutoIncrementExhausted)?
            };
            let end =
                n.checked_mul(increment).and_then(|d| first.checked_add(d)).unwrap_or(u64::MAX);
            match self.next.compare_exchange_weak(now, end, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return Ok(first),
                Err(other) => now = other,
            }
        }
    }

    fn is_covered(&self) -> bool {
        self.next.load(Ordering::Acquire) <= self.reserved.load(Ordering::Acquire)
    }

    /// An explicit value was used: the counter moves past it.
    fn observe(&self, value: u64) {
        self.next.fetch_max(value.saturating_add(1), Ordering::AcqRel);
    }

    pub(crate) fn set(&self, next: u64) {
        self.next.store(next.max(1), Ordering::Release);
        self.reserved.store(0, Ordering::Release);
    }

    /// Writes the mark ahead before a value above it can be used. The group is durable no later than the commit of the
    /// row that uses the value, because the log is one sequence.
    pub(crate) async fn cover(&self, core: &Core, space: u32) -> Result<()> {
        loop {
            let next = self.next.load(Ordering::Acquire);
            if next <= self.reserved.load(Ordering::Acquire) {
                return Ok(());
            }
            let turn = || What::new(Cause::Turn, Object::Space(space));
            let _one = core.waits.during(turn, self.writing.lock()).await;
            let next = self.next.load(Ordering::Acquire);
            if next <= self.reserved.load(Ordering::Acquire) {
                continue;
            }
            let mark = next.saturating_add(STRIDE);
            if !planted::is(Bug::AutoIncrementNotLogged) {
                space::write_header(core, space, self.at, &mark.to_le_bytes()).await?;
            }
            self.reserved.store(mark, Ordering::Release);
        }
    }

    /// At a clean stop the exact value is kept.
    pub(crate) async fn settle(&self, core: &Core, space: u32) -> Result<()> {
        let next = self.next.load(Ordering::Acquire);
        space::write_header(core, space, self.at, &next.to_le_bytes()).await
    }

    pub(crate) fn is_touched(&self) -> bool {
        self.reserved.load(Ordering::Acquire) > 0
    }
}
