//! Table handles: definition, layout, trees, metadata lock, auto-increment, statistics.

use super::column_values::ColumnValues;
use super::def::{Part, Storage, TableDef};
use super::mdl::{Mdl, MdlHold, MdlMode};
use super::row_log::RowLogs;
use super::uses::Uses;
use crate::btree::Tree;
use crate::change_buffer::{Buffer, Trees};
use crate::dict::Dict;
use crate::dict::counters::{self, Counter, Marks, Taken};
use crate::error::{Error, Result};
use crate::mtr::Core;
use crate::planted::{self, Bug};
use crate::row::key::KeyPartType;
use crate::row::{KeyPart, PhysCol, PhysType, RowLayout, RowView, encode_key};
use crate::space::{self, Space};
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use crate::waits::{Blocker, Cause, Object, What};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use weir_rt::{Boxed, Interrupt, Rt};

pub struct Index {
    /// Unique among all indexes of all tables: names locks and owns pages.
    pub id: u64,
    pub def: super::IndexDef,
    /// The index's tree; of a secondary index the main one, which [`Index::trees`] has with the other.
    pub tree: Arc<Tree>,
    /// Where fresh entries of a large index wait.
    pub buffer: Arc<Buffer>,
    types: Vec<KeyPartType>,
    /// Views with a smaller commit number do not know this index.
    pub visible_from: u64,
    /// Rows per distinct value of the first n parts, times 1000; 0 = not known.
    per_key: Vec<AtomicU64>,
    pub leaves: AtomicU64,
    /// What statements read and change through it: of all handles of the table, one after the other.
    pub uses: Arc<Uses>,
}

impl Index {
    /// Where entries may stand.
    #[inline]
    pub fn trees(&self) -> Trees<'_> {
        Trees { main: &self.tree, buffer: self.buffer.tree() }
    }

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
    pub values: ColumnValues,
    /// The row count that the dictionary has.
    rows_kept: AtomicU64,
    auto: Arc<Counter>,
    /// Hidden row ids of tables without a primary key.
    row_ids: Arc<Counter>,
    /// Where the rows of a partitioned table are, in the owner's order: handles that no name leads to. Its own trees are empty.
    pub parts: Vec<Arc<Table>>,
    is_part: bool,
    /// What changes while an index is built; a partition has its own.
    pub(crate) row_logs: Arc<RowLogs>,
    core: Arc<Core>,
    dict: Arc<Dict>,
}

/// Where a handle's counters and metadata lock come from.
pub(crate) enum From<'a> {
    /// The handle that it replaces: they go on.
    Handle(&'a Table),
    /// A start, or a new table.
    Marks(Marks),
}

/// The buffer of an index. What fills it knows one handle, and a definition statement makes another: both have the same.
fn buffer_of(
    old: Option<&Table>,
    storage: &Storage,
    space: &Arc<Space>,
    index: u64,
) -> Arc<Buffer> {
    let of = |t: &Table| t.indexes.iter().find(|i| i.id == index).map(|i| i.buffer.clone());
    let buffer = old.and_then(of).unwrap_or_default();
    if let Some(root) = storage.buffer_of(index) {
        buffer.has(space, root, index);
    }
    buffer
}

fn uses_of(old: Option<&Table>, index: u64) -> Arc<Uses> {
    let of = |t: &Table| t.indexes.iter().find(|i| i.id == index).map(|i| i.uses.clone());
    old.and_then(of).unwrap_or_default()
}

/// What handles of a table have in common with each other, and partitions with their table.
struct Common {
    mdl: Arc<Mdl>,
    rows: Arc<AtomicI64>,
    /// What was written down of them at a stop; 0 where they are counted.
    guess: u64,
    auto: Arc<Counter>,
    row_ids: Arc<Counter>,
    rows_kept: u64,
    row_logs: Arc<RowLogs>,
}

impl Common {
    fn new(from: &From<'_>, table: u64) -> Common {
        match from {
            From::Handle(t) => Common {
                mdl: t.mdl.clone(),
                rows: t.rows.clone(),
                guess: 0,
                auto: t.auto.clone(),
                row_ids: t.row_ids.clone(),
                rows_kept: t.rows_kept.load(Ordering::Relaxed),
                row_logs: t.row_logs.clone(),
            },
            From::Marks(m) => Common {
                mdl: Mdl::new(table),
                rows: Arc::new(AtomicI64::new(m.rows as i64)),
                guess: m.rows,
                auto: Arc::new(Counter::auto_increment(table, m)),
                row_ids: Arc::new(Counter::row_id(table, m)),
                rows_kept: m.rows,
                row_logs: Arc::default(),
            },
        }
    }

    /// Of one of `parts` partitions; `before`: the handle that its handle replaces. Until somebody looks they all have as many rows.
    fn of_part(&self, before: Option<&Arc<Table>>, parts: usize) -> Common {
        let share = || Arc::new(AtomicI64::new((self.guess / parts.max(1) as u64) as i64));
        Common {
            mdl: self.mdl.clone(),
            rows: before.map_or_else(share, |t| t.rows.clone()),
            guess: 0,
            auto: self.auto.clone(),
            row_ids: self.row_ids.clone(),
            rows_kept: 0,
            row_logs: before.map_or_else(Arc::default, |t| t.row_logs.clone()),
        }
    }
}

impl Table {
    /// The spaces of the table and of its partitions must be known.
    pub(crate) fn new(
        floor: (&Arc<Core>, &Arc<Dict>),
        def: TableDef,
        storage: &Storage,
        from: From<'_>,
        visible_from: impl Fn(u64) -> u64,
    ) -> Result<Arc<Table>> {
        let common = Common::new(&from, def.id);
        let old = match &from {
            From::Handle(t) => Some(*t),
            From::Marks(_) => None,
        };
        let mut parts = Vec::with_capacity(storage.parts.len());
        // What the owner keeps of the table may be long, and is the table's alone.
        let bare = TableDef { extra: Vec::new(), ..def.clone() };
        let known: HashMap<u64, &Arc<Table>> =
            old.iter().flat_map(|t| &t.parts).map(|p| (p.def.id, p)).collect();
        for p in &storage.parts {
            let before = known.get(&p.id).copied();
            let def = TableDef { id: p.id, ..bare.clone() };
            let (common, before) =
                (common.of_part(before, storage.parts.len()), before.map(|t| &**t));
            let mut t = Table::one(floor, def, &p.storage, common, before, &visible_from)?;
            t.is_part = true;
            parts.push(Arc::new(t));
        }
        let mut table = Table::one(floor, def, storage, common, old, &visible_from)?;
        table.parts = parts;
        Ok(Arc::new(table))
    }

    /// A handle without its partitions.
    fn one(
        (core, dict): (&Arc<Core>, &Arc<Dict>),
        def: TableDef,
        storage: &Storage,
        common: Common,
        old: Option<&Table>,
        visible_from: impl Fn(u64) -> u64,
    ) -> Result<Table> {
        let space = core.spaces.get(storage.space).ok_or_else(|| Error::Corrupt {
            what: format!("file '{}' is missing", space::path_of(storage.space)),
            place: format!("table '{}.{}'", def.schema, def.name),
        })?;
        let cols: Vec<PhysCol> = def.columns.iter().map(|c| c.phys).collect();
        let layout = def.layout();
        let mut indexes = Vec::with_capacity(def.indexes.len());
        for (d, (id, root)) in def.indexes.iter().zip(&storage.roots) {
            indexes.push(Index {
                id: *id,
                types: d.parts.iter().map(|p| p.of(&layout)).collect(),
                per_key: d.parts.iter().map(|_| AtomicU64::new(0)).collect(),
                def: d.clone(),
                tree: Arc::new(Tree::new(space.clone(), *root, *id)),
                buffer: buffer_of(old, storage, &space, *id),
                visible_from: visible_from(*id),
                leaves: AtomicU64::new(1),
                uses: uses_of(old, *id),
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
        // Far below what moves a column today: rows of older engines had columns off the page from a quarter of a page on.
        let external = widest > size / 8 || layout.keeps_long();
        Ok(Table {
            mdl: common.mdl,
            rows: common.rows,
            rows_kept: AtomicU64::new(common.rows_kept),
            sampled_rows: AtomicU64::new(u64::MAX),
            values: ColumnValues::default(),
            auto: common.auto,
            row_ids: common.row_ids,
            parts: Vec::new(),
            is_part: false,
            row_logs: common.row_logs,
            core: core.clone(),
            dict: dict.clone(),
            layout,
            space,
            indexes,
            stale: AtomicBool::new(false),
            external,
            def,
        })
    }

    /// Where its rows are: its partitions, or the table itself.
    pub fn stored(self: &Arc<Self>) -> &[Arc<Table>] {
        if self.parts.is_empty() { std::slice::from_ref(self) } else { &self.parts }
    }

    /// They keep purge out by one gate, and definition statements by one lock: a table and its partitions.
    pub(crate) fn has_gate_of(&self, other: &Table) -> bool {
        Arc::ptr_eq(&self.mdl, &other.mdl)
    }

    pub(crate) fn is_part(&self) -> bool {
        self.is_part
    }

    pub(crate) fn storage(&self) -> Storage {
        Storage {
            space: self.space.id,
            roots: self.indexes.iter().map(|i| (i.id, i.tree.root)).collect(),
            buffers: self
                .indexes
                .iter()
                .filter_map(|i| i.buffer.tree().map(|t| (i.id, t.root)))
                .collect(),
            parts: self.parts.iter().map(|p| Part { id: p.def.id, storage: p.storage() }).collect(),
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

    /// Whether the entries of an index tell the values of these columns: they are among its own or the clustered key's, and
    /// the key's bytes can be read back, as those of a text under a collation, of a part cut short, or of an element of a list, cannot.
    pub fn covers(&self, index: usize, columns: impl IntoIterator<Item = usize>) -> bool {
        let held = |col: usize, i: &Index| {
            let mut parts = i.def.parts.iter().zip(&i.types);
            parts.any(|(p, ty)| p.col == col && p.tells_column() && ty.is_reversible())
        };
        let (own, clustered) = (&self.indexes[index], &self.indexes[0]);
        columns.into_iter().all(|c| held(c, own) || held(c, clustered))
    }

    pub fn index_position(&self, id: u64) -> Option<usize> {
        self.indexes.iter().position(|i| i.id == id)
    }

    /// The key of a new row of a table without a primary key.
    pub(crate) async fn new_row_id(&self) -> Result<Vec<u8>> {
        let id = self.row_ids.take(1, 1, 1)?;
        self.row_ids.cover(&self.core, &self.dict).await?;
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

    pub(crate) fn duplicate(&self, i: usize, key: Vec<u8>) -> Error {
        Error::DuplicateKey {
            table: self.def.name.clone(),
            index: i,
            index_name: self.def.indexes[i].name.clone(),
            key,
            row: None,
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

    /// The lock that a user of the table holds until its transaction ends, or its LOCK TABLES does.
    pub async fn mdl_for(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
        mode: MdlMode,
    ) -> Result<MdlHold> {
        self.usable()?;
        let hold = self.mdl_lock(rt, limit, i, mode).await?;
        // Somebody who waited may have waited for the rollback that could not be done.
        self.met().await?;
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

    /// As `usable`; the file is looked at if nobody has used it since the start. For a caller who keeps definition statements from
    /// taking it away.
    pub(crate) async fn met(&self) -> Result<()> {
        if !self.space.is_met() {
            Box::pin(self.meet()).await?;
        }
        self.usable()
    }

    /// For a caller who has the metadata lock already, and so has met the file: of a partitioned table that was another partition's.
    pub(crate) async fn met_here(&self) -> Result<()> {
        if self.is_part { self.met().await } else { self.usable() }
    }

    /// Damage of the file is reported here, and costs the server this table and no other.
    async fn meet(&self) -> Result<()> {
        self.usable()?;
        let spaces = &self.core.spaces;
        let mut missing = false;
        let why = match space::meet(&self.core, &self.space).await {
            Ok(()) => return Ok(()),
            Err(e) if self.core.log.failure().is_err() => return Err(e),
            Err(e @ Error::Io { .. }) => {
                missing = !self.space.has_file(spaces.disk().as_ref()).await;
                // Of a file that is there: the device may do better in a moment.
                if !missing {
                    return Err(e);
                }
                e
            }
            Err(e) => e,
        };
        let name = format!("{}.{}", self.def.schema, self.def.name);
        if spaces.leaves_damage() {
            spaces.say(&format!("error: the file of table '{name}' is damaged: {why}"));
            self.space.mark_met();
            return Ok(());
        }
        let why = format!(
            "{why}; put the right file back and start again, or drop the table; innodb_force_recovery=1 lets what is left of it be read"
        );
        if self.space.refuse(missing, why.clone()) {
            spaces.say(&format!("error: table '{name}' is not used: {why}"));
        }
        Ok(())
    }

    /// The lock of DDL: waits for all users, and lets no new ones in while it waits.
    pub(crate) async fn mdl_exclusive(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
    ) -> Result<MdlHold> {
        self.mdl_for(rt, limit, i, MdlMode::Exclusive).await
    }

    /// The holder of a shared lock goes on to write.
    pub(crate) async fn mdl_to_write(
        &self,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
        hold: &mut MdlHold,
    ) -> Result<()> {
        Box::pin(self.mdl.upgrade(&self.core.waits, rt, limit, i, hold)).await
    }

    /// As `mdl_for`, at a start, for a transaction that is to be rolled back: nobody has the lock, and the file is met when a
    /// change of it is undone.
    pub(crate) fn mdl_adopted(self: &Arc<Self>) -> MdlHold {
        self.mdl.at_once(MdlMode::Write).expect("no statement has begun")
    }

    /// The exclusive lock of a handle that nobody knows yet.
    pub(crate) fn mdl_unseen(self: &Arc<Self>) -> MdlHold {
        self.mdl.at_once(MdlMode::Exclusive).expect("nobody knows the handle")
    }

    /// The same for a statement that needs nothing of the table's file.
    pub(crate) async fn mdl_to_drop(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
    ) -> Result<MdlHold> {
        self.mdl_lock(rt, limit, i, MdlMode::Exclusive).await
    }

    async fn mdl_lock(
        self: &Arc<Self>,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
        mode: MdlMode,
    ) -> Result<MdlHold> {
        let hold = match self.mdl.at_once(mode) {
            Some(h) => h,
            // In a box: the future of every statement would be larger by what hardly any needs.
            None => Box::pin(self.mdl.wait(&self.core.waits, rt, limit, i, mode)).await?,
        };
        if self.is_stale() { Err(self.changed()) } else { Ok(hold) }
    }

    /// For a moment's look at the table's pages. It does not come after a DDL statement that waits, which may wait for the
    /// transaction of anyone who asks; it is refused while one works.
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
        if self.parts.is_empty() {
            return self.rows.load(Ordering::Relaxed).max(0) as u64;
        }
        self.parts.iter().map(|p| p.estimated_rows()).sum()
    }

    /// What is known of the partitions, as numbers of the table: of keys those of the partition with the most rows for each.
    pub(crate) fn sum_parts(&self) {
        for (n, index) in self.indexes.iter().enumerate() {
            let of = |p: &Arc<Table>| p.indexes[n].leaves.load(Ordering::Relaxed);
            index.leaves.store(self.parts.iter().map(of).sum(), Ordering::Relaxed);
            for (at, mine) in index.per_key.iter().enumerate() {
                let of = |p: &Arc<Table>| p.indexes[n].per_key[at].load(Ordering::Relaxed);
                let most = self.parts.iter().map(of).max().unwrap_or(0);
                mine.store(most, Ordering::Relaxed);
            }
        }
        let sampled = self.parts.iter().filter(|p| !p.values.all().is_empty());
        if let Some(largest) = sampled.max_by_key(|p| p.estimated_rows()) {
            self.values.set(largest.values.all());
        }
    }

    /// The file that the table is in, relative to the data directory.
    pub fn space_file(&self) -> &str {
        self.space.path()
    }

    pub fn page_size(&self) -> u64 {
        // The space knows its file only in pages; the layout's page size is the engine's.
        self.space.page_bytes()
    }

    /// Bytes of the table's file, as far as it is in use.
    pub fn file_bytes(&self) -> u64 {
        u64::from(self.space.pages()) * self.space.page_bytes()
    }

    /// The file's number.
    pub fn space_id(&self) -> u64 {
        self.space.id.into()
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
        self.auto.next()
    }

    /// The next auto-increment value, if it need not be written down that it is given.
    pub fn auto_increment_now(&self, increment: u64, offset: u64) -> Option<Taken> {
        let taken = self.auto.take_span(1, increment, offset).ok()?;
        if !self.auto.is_covered() {
            self.auto.untake(taken);
            return None;
        }
        Some(taken)
    }

    /// The value was not used. It is given again unless somebody has taken another one since.
    pub fn auto_increment_untake(&self, taken: Taken) {
        self.auto.untake(taken);
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
        self.auto.cover(&self.core, &self.dict).await?;
        Ok(first)
    }

    /// An explicit value was inserted: the counter moves past it.
    pub fn auto_increment_observe(self: &Arc<Self>, value: u64) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            self.auto.observe(value);
            if planted::is(Bug::ChosenNumberNotCovered) {
                return Ok(());
            }
            self.auto.cover(&self.core, &self.dict).await
        })
    }

    pub(crate) async fn auto_increment_set(self: &Arc<Self>, next: u64) -> Result<()> {
        self.auto.set(&self.core, &self.dict, next).await
    }

    /// The counters as they are now, for the table that takes this one's place.
    pub(crate) fn marks(&self) -> Marks {
        Marks {
            auto_increment: self.auto.next(),
            row_id: self.row_ids.next(),
            rows: self.estimated_rows(),
        }
    }

    /// Numbers below these marks were given elsewhere to rows that the table is to have.
    pub(crate) async fn raise_counters(&self, m: &Marks) -> Result<()> {
        for (counter, mark) in [(&self.auto, m.auto_increment), (&self.row_ids, m.row_id)] {
            if counter.next() < mark {
                counter.observe(mark - 1);
                counter.cover(&self.core, &self.dict).await?;
            }
        }
        Ok(())
    }

    /// At a clean stop: the exact counters are written down, if they are other ones than the dictionary has.
    pub(crate) async fn settle_counters(&self) -> Result<()> {
        let marks = self.marks();
        let touched = self.auto.is_touched() || self.row_ids.is_touched();
        if touched || marks.rows != self.rows_kept.load(Ordering::Relaxed) {
            let key = counters::key(self.def.id);
            self.dict.patch(&self.core, &key, 0, &marks.encode()).await?;
        }
        Ok(())
    }
}
