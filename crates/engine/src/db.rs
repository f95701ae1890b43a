//! Floor 6: the engine as a whole. Options, opening, closing, the public handle.

use crate::catalog::{Catalog, DdlContext, Dict, IndexDef, MapRow, NewTable, SchemaDef, Table};
use crate::cleaner;
use crate::error::{Error, Result};
use crate::flush::control::FlushControl;
use crate::flush::history::History;
use crate::flush::policy::{self, Settings as FlushSettings};
use crate::ids::LSN_START;
use crate::lock::LockTable;
use crate::log::control::{Control, ControlFile, EPOCHS_MAX};
use crate::log::{Log, SEGMENT_HEADER, Segments};
use crate::mtr::{Core, CoreStats};
use crate::page;
use crate::pool::dblwr::Doublewrite;
use crate::pool::{Pool, PoolOptions};
use crate::priority::{Class, in_class};
use crate::recorder::{self, Outbox};
use crate::recovery::{self, Report};
use crate::space::{self, Spaces};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::txn::{Orphan, Purge, TrxSys, Turns, Txn, TxnOptions, UndoSlots, undo};
use crate::waits::Waits;
use crate::waits::report::Details;
use crate::waits::stall::Stalls;
use std::sync::Arc;
use weir_disk::{Disk, Mode};
use weir_rt::{Actor, Event, Interrupt, JoinHandle, Notify, Rt, acting};

/// Offset in the system header of the next space, table and index id (u64 each).
pub const HEADER_IDS: usize = page::HEADER + 40;

pub type LogFn = Arc<dyn Fn(&str) + Send + Sync>;
pub type FatalFn = Arc<dyn Fn(&Error) + Send + Sync>;

/// Settings at start. Sizes in bytes.
#[derive(Clone)]
pub struct Options {
    /// Chosen when the directory is made; later it must agree (0: whatever is there).
    pub page_size: usize,
    pub buffer_pool: u64,
    pub redo_capacity: u64,
    pub log_buffer: usize,
    pub data_mode: Mode,
    pub log_mode: Mode,
    pub doublewrite: bool,
    pub flush: FlushSettings,
    /// One of `flush::policy::NAMES`.
    pub flush_policy: &'static str,
    /// Keep the history of flushing in a file; a server's default is yes.
    pub flight_recorder: bool,
    /// No commit for so long while sessions wait is a stall, which is told and kept; 0: not watched.
    pub stall_seconds: u64,
    pub log: LogFn,
    /// Called once when the engine cannot go on (failed sync); a server ends the process here.
    pub fatal: FatalFn,
    /// Background tasks; off only in tests that drive them by hand.
    pub background: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            page_size: 0,
            buffer_pool: 128 << 20,
            redo_capacity: 100 << 20,
            log_buffer: 16 << 20,
            data_mode: Mode::Buffered,
            log_mode: Mode::Buffered,
            doublewrite: true,
            flush: FlushSettings::default(),
            flush_policy: policy::DEFAULT,
            flight_recorder: false,
            stall_seconds: 2,
            log: Arc::new(|_| {}),
            fatal: Arc::new(|_| {}),
            background: true,
        }
    }
}

#[derive(Default)]
pub struct DbStats {
    pub commits: AtomicU64,
    pub rollbacks: AtomicU64,
    pub rows_read: AtomicU64,
    pub rows_inserted: AtomicU64,
    pub rows_updated: AtomicU64,
    pub rows_deleted: AtomicU64,
}

pub struct Settings {
    pub flush: Mutex<FlushSettings>,
    /// Name of the policy that is to decide, and a number that grows with each change of it or of `flush`.
    pub flush_policy: Mutex<&'static str>,
    pub flush_version: AtomicU64,
    pub flush_timeout: AtomicU64,
    pub flight_recorder: AtomicBool,
    pub stall_seconds: AtomicU64,
}

/// Transactions whose owner is gone.
#[derive(Default)]
pub struct Orphans {
    list: Mutex<Vec<Orphan>>,
    pub wake: Notify,
}

impl Orphans {
    pub fn push(&self, o: Orphan) {
        self.list.lock().push(o);
        self.wake.notify_one();
    }

    pub fn pop(&self) -> Option<Orphan> {
        self.list.lock().pop()
    }

    pub fn len(&self) -> usize {
        self.list.lock().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Everything of an open engine; `Db` is the handle to it.
pub struct Inner {
    pub rt: Rt,
    pub core: Arc<Core>,
    pub trx: TrxSys,
    pub locks: Arc<LockTable>,
    pub purge: Purge,
    pub undo_slots: UndoSlots,
    pub orphans: Orphans,
    pub catalog: Catalog,
    pub settings: Settings,
    pub history: History,
    /// What the history's seconds were waited for, and the stalls among them.
    pub details: Details,
    pub stalls: Stalls,
    pub outbox: Outbox,
    pub stats: DbStats,
    pub turns: Turns,
    pub log: LogFn,
    fatal: FatalFn,
    fatal_done: AtomicBool,
    pub stop: Event,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// Tells the page cleaner, which outlives the other tasks.
    pub stop_cleaner: Event,
    cleaner: Mutex<Vec<JoinHandle<()>>>,
    /// Tells the recorder, the last of all: what a stop writes is part of the history. The flight recorder ends after it.
    pub stop_recorder: Event,
    recorder: Mutex<Vec<JoinHandle<()>>>,
    pub recovery: Report,
    background: bool,
    pub open_txns: AtomicUsize,
}

impl Inner {
    /// Ends the background tasks but for the cleaner: they, and what follows them, may still need frames and log space.
    async fn stop_tasks(&self) {
        self.stop.set();
        self.purge.wake.notify_all();
        self.orphans.wake.notify_all();
        let tasks = std::mem::take(&mut *self.tasks.lock());
        for t in tasks {
            t.await;
        }
    }

    /// What only a clean stop writes down: counters and row counts.
    async fn settle(&self) -> Result<()> {
        self.core.log.failure()?;
        for t in self.catalog.all_tables() {
            t.settle_counters().await?;
            let rows = t.estimated_rows();
            space::write_header(&self.core, t.space.id, space::HEADER_ROWS, &rows.to_le_bytes())
                .await?;
        }
        Ok(())
    }

    async fn stop_cleaner(&self) {
        self.stop_cleaner.set();
        self.core.pool.frames_wanted.notify_all();
        self.core.log.space_wanted.notify_all();
        self.core.flush.handed_over.notify_all();
        let cleaner = std::mem::take(&mut *self.cleaner.lock());
        for t in cleaner {
            t.await;
        }
    }

    async fn stop_recorder(&self) {
        self.stop_recorder.set();
        let tasks = std::mem::take(&mut *self.recorder.lock());
        for t in tasks {
            t.await;
        }
    }

    pub fn stopping(&self) -> bool {
        self.stop.is_set()
    }

    /// The engine cannot keep its promise any more: everybody who waits gets the error, the owner is told once.
    pub fn fatal(&self, e: &Error) {
        self.core.log.stop(e.clone());
        self.core.pool.stop(e.clone());
        if !self.fatal_done.swap(true, Ordering::AcqRel) {
            (self.log)(&format!("fatal: {e}"));
            (self.fatal)(e);
        }
    }
}

/// An open database. Cheap to clone; the engine ends with `shutdown` (or, like after a crash, without).
#[derive(Clone)]
pub struct Db(pub(crate) Arc<Inner>);

fn segment_size(capacity: u64, page_size: usize) -> u64 {
    // 32 segments, as many as MySQL keeps; never smaller than a group may be, never over 256 MiB.
    let want = capacity / 32 / 4096 * 4096;
    want.clamp((page_size as u64 * 4).max(16384) + SEGMENT_HEADER, 256 << 20).next_multiple_of(4096)
}

impl Db {
    /// Opens the data directory, making it when it is empty, recovering it when it was not closed.
    pub async fn open(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Result<Db> {
        // What opening waits for is no session's wait.
        acting(Actor::BACKGROUND, Db::open_or_make(rt, disk, o)).await
    }

    async fn open_or_make(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Result<Db> {
        (o.log)(&format!("storage: {}", disk.describe()));
        disk.create_dir(crate::log::DIR).await?;
        disk.create_dir(space::DIR).await?;
        disk.sync_dir("").await?;
        if disk.exists(crate::log::control::FILE).await? {
            open_existing(rt, disk, o).await
        } else {
            bootstrap(rt, disk, o).await
        }
    }

    pub fn rt(&self) -> &Rt {
        &self.0.rt
    }

    pub fn begin(&self, o: TxnOptions) -> Txn {
        Txn::new(self.0.clone(), o)
    }

    pub fn schemas(&self) -> Vec<Arc<SchemaDef>> {
        self.0.catalog.schemas()
    }

    pub fn schema(&self, name: &str) -> Option<Arc<SchemaDef>> {
        self.0.catalog.schema(name)
    }

    /// Tables of a schema, sorted by name.
    pub fn tables(&self, schema: &str) -> Vec<Arc<Table>> {
        self.0.catalog.tables(schema)
    }

    pub fn table(&self, schema: &str, name: &str) -> Option<Arc<Table>> {
        self.0.catalog.table(schema, name)
    }

    /// Bumped by every DDL.
    pub fn catalog_version(&self) -> u64 {
        self.0.catalog.version()
    }

    pub async fn create_schema(&self, s: SchemaDef) -> Result<()> {
        self.0.create_schema(s).await
    }

    pub async fn alter_schema(&self, s: SchemaDef) -> Result<()> {
        self.0.alter_schema(s).await
    }

    pub async fn drop_schema(&self, name: &str, d: &DdlContext) -> Result<u64> {
        self.0.drop_schema(name, d).await
    }

    pub async fn create_table(&self, t: NewTable) -> Result<Arc<Table>> {
        self.0.create_table(t).await
    }

    pub async fn drop_tables(&self, t: &[Arc<Table>], d: &DdlContext) -> Result<()> {
        self.0.drop_tables(t, d).await
    }

    pub async fn truncate_table(&self, t: &Arc<Table>, d: &DdlContext) -> Result<Arc<Table>> {
        self.0.truncate_table(t, d).await
    }

    pub async fn rename_tables(
        &self,
        moves: &[(Arc<Table>, String, String)],
        d: &DdlContext,
    ) -> Result<()> {
        self.0.rename_tables(moves, d).await
    }

    pub async fn add_indexes(
        &self,
        t: &Arc<Table>,
        add: &[IndexDef],
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        self.0.add_indexes(t, add, extra, d).await
    }

    pub async fn drop_indexes(
        &self,
        t: &Arc<Table>,
        names: &[String],
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        self.0.drop_indexes(t, names, extra, d).await
    }

    /// Copies the table into a new definition row by row.
    pub async fn rebuild_table(
        &self,
        t: &Arc<Table>,
        new: NewTable,
        map: &mut MapRow<'_>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        self.0.rebuild_table(t, new, map, d).await
    }

    pub async fn alter_extra(
        &self,
        t: &Arc<Table>,
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        self.0.alter_extra(t, extra, d).await
    }

    /// Sets the next AUTO_INCREMENT value (never below what is in use: the caller checks).
    pub async fn set_auto_increment(&self, t: &Arc<Table>, next: u64) -> Result<()> {
        t.auto_increment_set(next).await
    }

    pub async fn check_table(&self, t: &Arc<Table>, interrupt: &Interrupt) -> Result<Vec<String>> {
        self.0.check_table(t, interrupt).await
    }

    pub async fn analyze_table(&self, t: &Arc<Table>) -> Result<()> {
        self.0.analyze_table(t).await
    }

    /// Samples keys anew when the table has changed much since the last time: a few page reads, for planners.
    pub async fn refresh_statistics(&self, t: &Arc<Table>) -> Result<()> {
        self.0.refresh_statistics(t).await
    }

    /// Estimated rows in a range of an index: a few page reads, no locks of rows. `TableChanged` while DDL is at work.
    pub async fn estimate_range(
        &self,
        t: &Arc<Table>,
        index: usize,
        start: &[u8],
        end: Option<&[u8]>,
    ) -> Result<u64> {
        let _hold = t.mdl_glance()?;
        let e =
            crate::btree::estimate_range(&self.0.core, &t.indexes[index].tree, start, end).await?;
        Ok(match e {
            crate::btree::Estimate::Cells(n) => n,
            crate::btree::Estimate::Share(s) => (s * t.estimated_rows() as f64) as u64 + 1,
        })
    }

    /// A small durable key-value store for accounts and the like. Each call is atomic and durable.
    pub async fn meta_put(&self, key: &[u8], value: &[u8]) -> Result<()> {
        let _one = self.0.catalog.ddl(&self.0.core).await;
        let key = crate::catalog::meta_key(key);
        self.0.catalog.dict.write(&self.0.core, &[(key, Some(value.to_vec()))]).await
    }

    pub async fn meta_get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.0.catalog.dict.get(&self.0.core, &crate::catalog::meta_key(key)).await
    }

    pub async fn meta_delete(&self, key: &[u8]) -> Result<()> {
        let _one = self.0.catalog.ddl(&self.0.core).await;
        self.0.catalog.dict.write(&self.0.core, &[(crate::catalog::meta_key(key), None)]).await
    }

    pub fn max_key_bytes(&self) -> usize {
        page::slotted::max_key(self.0.core.spaces.page_size())
    }

    pub fn page_size(&self) -> usize {
        self.0.core.spaces.page_size()
    }

    pub fn recovery_report(&self) -> &Report {
        &self.0.recovery
    }

    /// Stops the background tasks, writes everything, and marks the directory as closed.
    pub async fn shutdown(&self) -> Result<()> {
        acting(Actor::BACKGROUND, self.stop()).await
    }

    async fn stop(&self) -> Result<()> {
        let db = &self.0;
        db.stop_tasks().await;
        let settled = db.settle().await;
        db.stop_cleaner().await;
        let written = match settled {
            Ok(()) => db.core.pool.flush_all(&db.core.log).await,
            failed => failed,
        };
        db.stop_recorder().await;
        written?;
        let clean = db.trx.active_count() == 0;
        db.core.log.flush_all(crate::log::Reach::Durable).await?;
        let end = db.core.log.durable();
        db.core.log.write_checkpoint(end, clean).await?;
        (db.log)("shutdown complete");
        Ok(())
    }

    /// The engine's insides, for tests, tools and the simulator.
    pub fn inner(&self) -> &Arc<Inner> {
        &self.0
    }
}

fn pool_options(o: &Options, page_size: usize) -> PoolOptions {
    let frames = ((o.buffer_pool / page_size as u64) as usize).max(24);
    PoolOptions {
        page_size,
        frames,
        // Address space only: room to grow fourfold, at least to 1 GiB of pool.
        frames_max: (frames * 4).max((1usize << 30) / page_size),
        age_span: o.redo_capacity.max(1 << 20) * 8,
        doublewrite: o.doublewrite,
    }
}

struct Parts {
    core: Arc<Core>,
}

async fn build_core(rt: &Rt, spaces: Arc<Spaces>, o: &Options, log: Log) -> Result<Parts> {
    let size = spaces.page_size();
    let dblwr = if o.doublewrite {
        Some(Doublewrite::open(spaces.disk().as_ref(), o.data_mode, size).await?)
    } else {
        None
    };
    let mut po = pool_options(o, size);
    if rt.is_sim() {
        po.frames_max = po.frames * 2;
    }
    let waits = log.waits().clone();
    let pool = Pool::new(rt.clone(), waits.clone(), spaces.clone(), &po, dblwr)?;
    Ok(Parts {
        core: Arc::new(Core {
            pool,
            log,
            spaces,
            stats: CoreStats::default(),
            flush: FlushControl::default(),
            waits,
        }),
    })
}

fn check_page_size(size: usize) -> Result<()> {
    if page::SIZES.contains(&size)
        || ((page::SIZE_MIN..4096).contains(&size) && size.is_power_of_two())
    {
        return Ok(());
    }
    Err(Error::Unsupported(format!(
        "innodb_page_size={size}: choose 4096, 8192, 16384, 32768 or 65536"
    )))
}

async fn bootstrap(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Result<Db> {
    let size = if o.page_size == 0 { page::SIZE_DEFAULT } else { o.page_size };
    check_page_size(size)?;
    if !disk.list(space::DIR).await?.is_empty() {
        return Err(Error::Corrupt {
            what: "there are table files but no control file 'weir.ctl'".into(),
            place: "data directory".into(),
        });
    }
    // What an interrupted first start left behind.
    for f in ["weir.ctl.new", "system.weir", "undo.weir", crate::pool::dblwr::FILE] {
        if disk.exists(f).await? {
            disk.remove(f).await?;
        }
    }
    for f in disk.list(crate::log::DIR).await? {
        disk.remove(&format!("{}/{f}", crate::log::DIR)).await?;
    }
    (o.log)(&format!("making a new data directory with pages of {size} bytes"));
    let mut id = [0u8; 16];
    id[..8].copy_from_slice(&rt.random_u64().to_le_bytes());
    id[8..].copy_from_slice(&rt.random_u64().to_le_bytes());
    let segment = segment_size(o.redo_capacity, size);
    let state = Control {
        seq: 0,
        id,
        page_size: size as u32,
        checkpoint: LSN_START,
        segment_size: segment,
        segments: 0,
        clean: false,
        epochs: vec![(LSN_START, 1)],
    };
    let control = ControlFile::create_as(disk.as_ref(), "weir.ctl.new", state).await?;
    let segments = Segments::open(disk.clone(), o.log_mode, segment, id).await?;
    grow_to(&segments, o.redo_capacity, LSN_START).await?;
    let waits = Waits::new(rt.clone());
    let log = Log::new(rt.clone(), waits, segments, control, LSN_START, Vec::new(), o.log_buffer);
    let spaces = Arc::new(Spaces::new(disk.clone(), o.data_mode, size));
    let parts = build_core(rt, spaces, &o, log).await?;
    let core = parts.core;
    for s in [space::SYSTEM, space::UNDO] {
        core.spaces.create_file(s, 16).await?;
        space::format(&core, s).await?;
    }
    undo::format(&core).await?;
    let dict = Dict::create(&core).await?;
    core.log.flush_all(crate::log::Reach::Durable).await?;
    core.pool.flush_all(&core.log).await?;
    let end = core.log.durable();
    core.log.write_checkpoint(end, false).await?;
    disk.rename("weir.ctl.new", crate::log::control::FILE).await?;
    disk.sync_dir("").await?;
    start(rt, core, dict, o, Report::default()).await
}

async fn grow_to(segments: &Segments, capacity: u64, start: u64) -> Result<()> {
    // One segment more than the capacity asks for: one is always on its way to a new place.
    while (segments.count() as u64).saturating_sub(1) * segments.size() < capacity
        || segments.count() < 5
    {
        segments.grow(start).await?;
    }
    Ok(())
}

async fn open_existing(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Result<Db> {
    let mut control = ControlFile::open(disk.as_ref()).await?;
    let size = control.state.page_size as usize;
    check_page_size(size)?;
    if o.page_size != 0 && o.page_size != size {
        return Err(Error::Unsupported(format!(
            "the data directory has pages of {size} bytes, innodb_page_size={} was asked for; \
             leave the option out or give {size}",
            o.page_size
        )));
    }
    let begun = rt.now();
    let mut segments =
        Segments::open(disk.clone(), o.log_mode, control.state.segment_size, control.state.id)
            .await?;
    let want = segment_size(o.redo_capacity, size);
    if control.state.clean && (want != segments.size() || segments.count() == 0) {
        segments = remake_segments(&disk, &mut control, &o, want).await?;
    }
    if segments.first().is_none_or(|f| f > control.state.checkpoint)
        || segments.end() <= control.state.checkpoint
    {
        return Err(Error::corrupt_log(
            control.state.checkpoint,
            "the segment with the checkpoint is missing",
        ));
    }
    let scan = recovery::scan(&segments, &control.state).await?;
    let mut report = Report { from: control.state.checkpoint, to: scan.end, ..Report::default() };
    let dirty = scan.end > control.state.checkpoint;
    let old_control = control.state.clone();
    if control.state.epochs.len() >= EPOCHS_MAX {
        return Err(Error::corrupt_log(
            scan.end,
            "too many recoveries without a checkpoint in between",
        ));
    }
    control.state.begin_epoch(scan.end);
    control.state.clean = false;
    control.write().await?;
    grow_to(&segments, o.redo_capacity, LSN_START).await?;
    let (waits, tail) = (Waits::new(rt.clone()), scan.tail.clone());
    let log = Log::new(rt.clone(), waits, segments, control, scan.end, tail, o.log_buffer);
    let spaces = Arc::new(Spaces::new(disk.clone(), o.data_mode, size));
    recovery::open_spaces(&spaces).await?;
    report.restored = Doublewrite::restore(disk.as_ref(), &spaces, size).await?;
    let parts = build_core(rt, spaces, &o, log).await?;
    let core = parts.core;
    recovery::apply(&core, &old_control, scan, &mut report).await?;
    let end = report.to;
    core.pool.set_lsn_limit(|| u64::MAX);
    check_page_lsns(&core, end)?;
    report.nanos = rt.now() - begun;
    if dirty || report.restored > 0 {
        (o.log)(&recovery::describe(&report));
    }
    let dict = Dict::open(&core);
    start(rt, core, dict, o, report).await
}

/// Pages written before the crash never have an LSN beyond the recovered end: the log goes first (I8). Pages read later
/// are checked against the limit set here.
fn check_page_lsns(core: &Core, _end: u64) -> Result<()> {
    core.log.failure()
}

/// After a clean stop the log is empty: its files may get another size.
async fn remake_segments(
    disk: &Arc<dyn Disk>,
    control: &mut ControlFile,
    o: &Options,
    size: u64,
) -> Result<Segments> {
    for f in disk.list(crate::log::DIR).await? {
        disk.remove(&format!("{}/{f}", crate::log::DIR)).await?;
    }
    disk.sync_dir(crate::log::DIR).await?;
    control.state.segment_size = size;
    control.write().await?;
    let segments = Segments::open(disk.clone(), o.log_mode, size, control.state.id).await?;
    let start = control.state.checkpoint / 4096 * 4096;
    grow_to(&segments, o.redo_capacity, start).await?;
    Ok(segments)
}

async fn start(rt: &Rt, core: Arc<Core>, dict: Dict, o: Options, report: Report) -> Result<Db> {
    let size = core.spaces.page_size();
    let high =
        space::read_header(&core, space::SYSTEM, |p| page::get_u64(p, crate::txn::HEADER_TRX_ID))
            .await?;
    let inner = Inner {
        rt: rt.clone(),
        trx: TrxSys::new(rt.clone(), high.max(1), 1),
        locks: LockTable::new(),
        purge: Purge::default(),
        undo_slots: UndoSlots::new(size),
        orphans: Orphans::default(),
        catalog: Catalog::new(dict),
        settings: Settings {
            flush: Mutex::new(with_recovery_speed(o.flush, &report)),
            flush_policy: Mutex::new(o.flush_policy),
            flush_version: AtomicU64::new(1),
            flush_timeout: AtomicU64::new(1),
            flight_recorder: AtomicBool::new(o.flight_recorder),
            stall_seconds: AtomicU64::new(o.stall_seconds),
        },
        history: History::default(),
        details: Details::default(),
        stalls: Stalls::default(),
        outbox: Outbox::default(),
        stats: DbStats::default(),
        turns: Turns::default(),
        log: o.log.clone(),
        fatal: o.fatal.clone(),
        fatal_done: AtomicBool::new(false),
        stop: Event::new(),
        stop_cleaner: Event::new(),
        cleaner: Mutex::new(Vec::new()),
        stop_recorder: Event::new(),
        recorder: Mutex::new(Vec::new()),
        tasks: Mutex::new(Vec::new()),
        recovery: report,
        background: o.background,
        open_txns: AtomicUsize::new(0),
        core,
    };
    let inner = Arc::new(inner);
    // Recovery may leave the pool full of dirty pages: what is read from here on needs somebody who writes them.
    if inner.background {
        spawn_cleaner(&inner);
    }
    if let Err(e) = take_over(&inner, &o).await {
        inner.stop_cleaner().await;
        return Err(e);
    }
    if inner.background {
        spawn_tasks(&inner);
    }
    Ok(Db(inner))
}

/// Catalog, and what the transactions before the last stop have left: history for purge, unfinished ones for rollback.
async fn take_over(inner: &Arc<Inner>, o: &Options) -> Result<()> {
    load_catalog(inner).await?;
    let (next_id, next_no, active) = recovery::undo_state(inner).await?;
    inner.trx.raise(next_id, next_no);
    if !active.is_empty() {
        (o.log)(&format!("rolling back {} transactions in the background", active.len()));
    }
    remove_unnamed_files(inner).await?;
    for u in active {
        let locks = crate::lock::TrxLocks::new(0);
        inner.trx.adopt(u.id, &locks);
        let mut mdl = smallvec::SmallVec::new();
        for t in u.tables.iter().filter_map(|id| inner.catalog.by_id(*id)) {
            mdl.push(t.mdl_shared(&inner.rt, std::time::Duration::ZERO, &Interrupt::new()).await?);
        }
        inner.orphans.push(Orphan { id: u.id, log: u.log, locks, mdl });
    }
    Ok(())
}

/// The speed of the recovery just made, reading of pages included, where it was long enough to say something.
fn with_recovery_speed(mut s: FlushSettings, r: &Report) -> FlushSettings {
    let bytes = r.to.saturating_sub(r.from);
    if r.nanos > 0 && bytes >= 1 << 20 {
        s.recovery_speed = bytes as f64 * 1e9 / r.nanos as f64;
    }
    s
}

/// A task that no session waits for by its name.
fn spawn(
    inner: &Inner,
    name: &str,
    task: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    inner.rt.spawn(name, acting(Actor::BACKGROUND, task))
}

fn spawn_cleaner(inner: &Arc<Inner>) {
    let task = spawn(inner, "weir-cleaner", cleaner::cleaner(inner.clone()));
    inner.core.flush.has_writer.store(true, Ordering::Release);
    let writer = spawn(inner, "weir-writer", cleaner::writer(inner.clone()));
    inner.cleaner.lock().extend([task, writer]);
}

fn spawn_tasks(inner: &Arc<Inner>) {
    let keeper = in_class(Class::Engine, cleaner::orphan_keeper(inner.clone()));
    inner.tasks.lock().extend([
        spawn(inner, "weir-log", cleaner::log_flusher(inner.clone())),
        spawn(inner, "weir-purge", in_class(Class::Engine, cleaner::purger(inner.clone()))),
        spawn(inner, "weir-undo", keeper),
    ]);
    inner.recorder.lock().extend([
        spawn(inner, "weir-history", recorder::recorder(inner.clone())),
        spawn(inner, "weir-flight", recorder::flight(inner.clone())),
    ]);
}

async fn load_catalog(db: &Arc<Inner>) -> Result<()> {
    use crate::catalog::{decode_table, dict_kind};
    let c = &db.catalog;
    let ids = space::read_header(&db.core, space::SYSTEM, |p| {
        [0, 8, 16].map(|o| page::get_u64(p, HEADER_IDS + o))
    })
    .await?;
    c.next_space.fetch_max(ids[0], Ordering::AcqRel);
    c.next_table.fetch_max(ids[1], Ordering::AcqRel);
    c.next_index.fetch_max(ids[2], Ordering::AcqRel);
    for (k, extra) in c.dict.scan(&db.core, &[dict_kind::SCHEMA]).await? {
        let name = String::from_utf8_lossy(&k[1..k.len() - 1]).into_owned();
        c.put_schema(SchemaDef { name, extra });
    }
    for (_, bytes) in c.dict.scan(&db.core, &[dict_kind::TABLE]).await? {
        let (def, storage) = decode_table(&bytes)?;
        if let Some(other) = c.table(&def.schema, &def.name) {
            // What DDL does to the dictionary is there as a whole or not at all.
            return Err(Error::Corrupt {
                what: format!(
                    "tables {} and {} are both called '{}.{}'",
                    other.def.id, def.id, def.schema, def.name
                ),
                place: "catalog".into(),
            });
        }
        let (auto, row, rows) = match db.core.spaces.get(storage.space) {
            None => (1, 1, 0),
            Some(_) => {
                space::read_header(&db.core, storage.space, |p| {
                    (
                        page::get_u64(p, space::HEADER_AUTO_INCREMENT),
                        page::get_u64(p, space::HEADER_ROW_ID),
                        page::get_u64(p, space::HEADER_ROWS),
                    )
                })
                .await?
            }
        };
        c.next_space.fetch_max(storage.space as u64 + 1, Ordering::AcqRel);
        c.next_table.fetch_max(def.id + 1, Ordering::AcqRel);
        for (i, _) in &storage.roots {
            c.next_index.fetch_max(i + 1, Ordering::AcqRel);
        }
        let t = Table::new(&db.core, def, &storage, None, auto.max(1), row.max(1), |_| 0)?;
        t.rows.store(rows as i64, Ordering::Relaxed);
        c.put_table(t);
    }
    Ok(())
}

/// Files that no definition names: a DDL was interrupted before its commit point, or after it.
async fn remove_unnamed_files(db: &Arc<Inner>) -> Result<()> {
    let named: std::collections::HashSet<u32> =
        db.catalog.all_tables().iter().map(|t| t.space.id).collect();
    for s in db.core.spaces.all() {
        if s.id >= space::FIRST_TABLE && !named.contains(&s.id) {
            (db.log)(&format!("removing '{}', left behind by an interrupted DDL", s.path()));
            db.discard_space(s.id).await?;
        }
    }
    Ok(())
}
