//! Opening a data directory that is there, recovering it where it was not closed, and putting the parts together.

use super::make::{How, make_segments};
use super::recorder::Outbox;
use super::tasks::{spawn_cleaner, spawn_tasks};
use super::{ArchivedFn, Db, Inner, Options};
use crate::catalog::{Builds, Catalog, HEADER_IDS};
use crate::dict::counters::{self, Marks};
use crate::dict::{self, Dict};
use crate::error::{Error, Result};
use crate::flush::control::FlushControl;
use crate::force::Force;
use crate::history::History;
use crate::history::printed::Printed;
use crate::history::report::Details;
use crate::ids::{LSN_START, SpaceId};
use crate::lock::LockTable;
use crate::log::control::{ControlFile, DAMAGED_MAX};
use crate::log::{Keep, Log, SEGMENT_HEADER, Segments};
use crate::mtr::{Core, CoreStats};
use crate::page;
use crate::planted::{self, Bug};
use crate::policy::Settings as FlushSettings;
use crate::pool::dblwr::Doublewrite;
use crate::pool::{Pool, PoolOptions};
use crate::recovery::{self, Report};
use crate::settings::{ChangeBuffer, Settings};
use crate::space::{self, Spaces};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::table::{From, Handles, SchemaDef, Storage, Table, TableDef, decode_table};
use crate::txn::{
    Between, Detached, Orphan, Orphans, Purge, Stats, System, Truncation, TrxSys, Turns, UndoSlots,
};
use crate::waits::Waits;
use crate::waits::stall::Stalls;
use std::collections::HashMap;
use std::sync::Arc;
use weir_disk::Disk;
use weir_rt::{Event, Rt};

/// Files that a redo log of this capacity has, all of them open.
pub fn redo_files(capacity: u64, page_size: usize) -> u64 {
    (capacity / segment_size(capacity, page_size) + 2).max(SEGMENTS_MIN)
}

/// Files that a log has at least: those of a group that is being written, of the next one, and one on its way to a new place.
pub(super) const SEGMENTS_MIN: u64 = 5;

/// Segments that a log of this capacity has in the end: one more than the capacity asks for, because one is always on its way to a new
/// place.
pub(super) fn segments_of(capacity: u64, segment: u64) -> u64 {
    (capacity.div_ceil(segment) + 1).max(SEGMENTS_MIN)
}

pub(super) fn segment_size(capacity: u64, page_size: usize) -> u64 {
    // 32 segments, as many as MySQL keeps; never smaller than a group may be, never over 256 MiB.
    let want = capacity / 32 / 4096 * 4096;
    want.clamp((page_size as u64 * 4).max(16384) + SEGMENT_HEADER, 256 << 20).next_multiple_of(4096)
}
fn pool_options(o: &Options, page_size: usize) -> PoolOptions {
    let frames = ((o.buffer_pool / page_size as u64) as usize).max(24);
    PoolOptions {
        page_size,
        frames,
        // Address space only: room to grow fourfold, at least to 1 GiB of pool.
        frames_max: (frames * 4).max((1usize << 30) / page_size),
        age_span: o.redo_capacity.max(1 << 20) * 8,
    }
}

pub(super) async fn build_core(
    rt: &Rt,
    spaces: Arc<Spaces>,
    o: &Options,
    log: Log,
    how: How,
) -> Result<Arc<Core>> {
    let size = spaces.page_size();
    let dblwr = match o.doublewrite {
        true => {
            let new = how == How::NewDirectory;
            Some(Doublewrite::open(spaces.disk().as_ref(), o.data_mode, size, new).await?)
        }
        false => None,
    };
    let mut po = pool_options(o, size);
    if rt.is_sim() {
        po.frames_max = po.frames * 2;
    }
    let waits = log.waits().clone();
    let end = match o.force.leaves_damaged_pages() {
        true => Arc::new(AtomicU64::new(u64::MAX)),
        false => log.durable_end(),
    };
    let pool = Pool::new(rt.clone(), waits.clone(), spaces.clone(), &po, dblwr, end)?;
    pool.ahead.store(o.read_ahead, Ordering::Relaxed);
    let (stats, flush) = (CoreStats::default(), FlushControl::default());
    Ok(Arc::new(Core { pool, log, spaces, stats, flush, waits }))
}

pub(super) fn check_page_size(size: usize) -> Result<()> {
    if page::SIZES.contains(&size)
        || ((page::SIZE_MIN..4096).contains(&size) && size.is_power_of_two())
    {
        return Ok(());
    }
    Err(Error::Unsupported(format!(
        "innodb_page_size={size}: choose 4096, 8192, 16384, 32768 or 65536"
    )))
}

pub(super) fn spaces_of(
    disk: &Arc<dyn Disk>,
    o: &Options,
    page_size: usize,
    id: [u8; 16],
) -> Arc<Spaces> {
    let spaces = Spaces::new(disk.clone(), o.data_mode, page_size, id);
    spaces.files.set_limit(o.open_files);
    spaces.files.troubles.tell(o.log.clone());
    Arc::new(spaces.leaving_damage(o.force.leaves_damaged_pages()))
}

pub(super) async fn open_existing(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Result<Db> {
    let mut control = ControlFile::open(disk.as_ref()).await?;
    if let Some(slot) = control.bad_slot {
        let file = crate::log::control::FILE;
        (o.log)(&format!(
            "warning: slot {} of the control file '{file}' is damaged; the other one is used, and both are written anew",
            slot + 1
        ));
    }
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
    if !o.force.recovers() {
        let spaces = spaces_of(&disk, &o, size, control.state.id);
        return open_as_it_is(rt, spaces, segments, control, o).await;
    }
    let gone = recovery::check_log(&control.state, &segments).await?;
    if gone || (control.state.clean && want != segments.size()) {
        segments = remake_segments(rt, &disk, &mut control, &o, want).await?;
    }
    let all = make_segments(rt, &segments, &o, LSN_START, How::Added).await?;
    let state = control.state.clone();
    let waits = Waits::new(rt.clone());
    let log = Log::for_recovery(rt.clone(), waits, segments, control, o.log_buffer).await?;
    o.follower.iter().for_each(|f| log.follow(f.clone()));
    log.may_grow_to(all);
    let spaces = spaces_of(&disk, &o, size, state.id);
    recovery::open_spaces(&spaces).await?;
    spaces.read_witnesses().await?;
    refuse_remembered(&spaces, &state.damaged, &o);
    let copies = Doublewrite::restore(disk.as_ref(), &spaces, size, state.clean).await?;
    let mut core = build_core(rt, spaces, &o, log, How::Added).await?;
    let mut report = Report { restored: copies.restored, ..Report::default() };
    let given_up = recovery::redo(&core, &state, copies.newest, o.force, &mut report).await?;
    recovery::is_not_older(&core, report.to, o.force).await?;
    report.nanos = rt.now() - begun;
    if report.to > report.from || report.restored > 0 {
        (o.log)(&recovery::describe(&report));
    }
    let tail = recovery::tail(&core.log, report.to).await?;
    let own = Arc::get_mut(&mut core).expect("recovery's tasks have ended");
    let damaged = give_up(&own.spaces, given_up, state.damaged, &o)?;
    own.log.begin_life(report.to, tail, &damaged).await?;
    let dict = Dict::open(&core);
    start(rt, core, dict, o, report).await
}

/// Why a table is refused of which an earlier start or run has given up changes.
const REMEMBERED: &str = "an earlier start, rollback or purge had to skip changes of it, so its file is not what was committed; \
                          drop it and restore it from a backup; innodb_force_recovery=1 lets what is left of it be read";

/// Tables that an earlier start or run has given up.
fn refuse_remembered(spaces: &Spaces, damaged: &[u32], o: &Options) {
    if o.force.leaves_damaged_pages() {
        return;
    }
    for s in damaged.iter().filter_map(|id| spaces.get(*id)) {
        s.refuse(false, REMEMBERED.into());
    }
}

/// Tables whose redo was skipped are not used, now and later. Returns the spaces that the control file has to name.
fn give_up(
    spaces: &Spaces,
    given_up: Vec<recovery::GivenUp>,
    mut damaged: Vec<u32>,
    o: &Options,
) -> Result<Vec<u32>> {
    for g in given_up {
        (o.log)(&format!(
            "error: the table of file '{}' is given up: {}",
            space::path_of(g.space),
            g.why
        ));
        match spaces.get(g.space) {
            Some(_) if o.force.leaves_damaged_pages() => {}
            Some(s) => drop(s.refuse(g.missing, g.why)),
            None => drop(spaces.insert_missing(g.space, g.why)),
        }
        if !damaged.contains(&g.space) {
            damaged.push(g.space);
        }
    }
    if damaged.len() > DAMAGED_MAX {
        return Err(Error::Unsupported(format!(
            "{} tables are damaged or missing, more than the {DAMAGED_MAX} that can be given up: put their files back, or restore \
             a backup; innodb_force_recovery=6 opens what is there to be read",
            damaged.len()
        )));
    }
    Ok(damaged)
}

/// `innodb_force_recovery=6`: pages as the last stop left them. The log is not read, and nothing is written.
async fn open_as_it_is(
    rt: &Rt,
    spaces: Arc<Spaces>,
    segments: Segments,
    control: ControlFile,
    o: Options,
) -> Result<Db> {
    (o.log)("warning: innodb_force_recovery=6: redo is not applied, and nothing is written");
    let waits = Waits::new(rt.clone());
    let damaged = control.state.damaged.clone();
    let log = Log::for_recovery(rt.clone(), waits, segments, control, o.log_buffer).await?;
    recovery::open_spaces(&spaces).await?;
    refuse_remembered(&spaces, &damaged, &o);
    let core = build_core(rt, spaces, &o, log, How::Added).await?;
    let dict = Dict::open(&core);
    start(rt, core, dict, o, Report::default()).await
}

/// After a clean stop the log is empty: its files may get another size.
async fn remake_segments(
    rt: &Rt,
    disk: &Arc<dyn Disk>,
    control: &mut ControlFile,
    o: &Options,
    size: u64,
) -> Result<Segments> {
    // Both slots say that nothing is lost with the files before the first of them goes. The one with the checkpoint goes last:
    // without it the files would look like those of another time.
    control.write_both().await?;
    let mut files = disk.list(crate::log::DIR).await?;
    files.sort_unstable();
    while let Some(f) = files.pop() {
        if files.is_empty() {
            disk.sync_dir(crate::log::DIR).await?;
        }
        disk.remove(&format!("{}/{f}", crate::log::DIR)).await?;
    }
    disk.sync_dir(crate::log::DIR).await?;
    assert!(control.state.clean);
    control.state.segment_size = size;
    control.write_both().await?;
    let segments = Segments::open(disk.clone(), o.log_mode, size, control.state.id).await?;
    let start = control.state.checkpoint / 4096 * 4096;
    make_segments(rt, &segments, o, start, How::Added).await?;
    Ok(segments)
}

/// Row locks may take as much memory as pages do, and at least so much.
const LOCK_MEMORY_MIN: u64 = 16 << 20;

/// Before the first checkpoint: what an archive still has to copy must be there when it follows the log.
async fn keep_for_archive(log: &Log, archived: Option<&ArchivedFn>) -> Option<Keep> {
    let c = log.control_state().await;
    let lsn = archived?(&c.id, c.history)?;
    log.keep_from(lsn).await
}

/// What a start's options say of settings that can be changed later.
fn first_settings(o: &Options, report: &Report) -> Settings {
    Settings {
        flush: Mutex::new(with_recovery_speed(o.flush, report)),
        flush_policy: Mutex::new(o.flush_policy),
        flush_version: AtomicU64::new(1),
        flush_timeout: AtomicU64::new(1),
        flight_recorder: AtomicBool::new(o.flight_recorder),
        stall_seconds: AtomicU64::new(o.stall_seconds),
        change_buffer: ChangeBuffer::of(&o.change_buffer),
    }
}

pub(super) async fn start(
    rt: &Rt,
    core: Arc<Core>,
    dict: Dict,
    o: Options,
    report: Report,
) -> Result<Db> {
    let size = core.spaces.page_size();
    let next_trx = |p: &[u8]| page::get_u64(p, crate::txn::HEADER_TRX_ID);
    let high = header_or(&core, o.force, space::SYSTEM, next_trx, 1 << 47).await?;
    let locks = LockTable::new();
    locks.limit.store(o.buffer_pool.max(LOCK_MEMORY_MIN), Ordering::Relaxed);
    let trx = TrxSys::new(rt.clone(), high.max(1), 1);
    let purge = Purge::new(o.undo.listed, trx.undo.clone());
    let sys = System {
        rt: rt.clone(),
        trx,
        locks,
        purge,
        undo_slots: UndoSlots::new(size),
        undo_truncation: Truncation::new(o.undo),
        orphans: Orphans::default(),
        prepared: Default::default(),
        turns: Turns::default(),
        between: Between::default(),
        handles: Handles::default(),
        settings: first_settings(&o, &report),
        history: History::default(),
        stats: Stats::default(),
        log: o.log.clone(),
        force: o.force,
        stop: Event::new(),
        core,
    };
    let kept_log = keep_for_archive(&sys.core.log, o.archived.as_ref()).await;
    let builds = Builds { sort_bytes: o.sort_bytes, row_log_bytes: o.row_log_bytes };
    let inner = Inner {
        catalog: Catalog::new(Arc::new(sys), dict, report.to != report.from, builds),
        details: Details::default(),
        stalls: Stalls::default(),
        printed: Printed::default(),
        outbox: Outbox::default(),
        fatal: o.fatal.clone(),
        fatal_done: AtomicBool::new(false),
        stop_cleaner: Event::new(),
        cleaner: Mutex::new(Vec::new()),
        stop_recorder: Event::new(),
        recorder: Mutex::new(Vec::new()),
        tasks: Mutex::new(Vec::new()),
        recovery: report,
        background: o.background && o.force.recovers(),
        kept_log: Mutex::new(kept_log),
        scratches: AtomicU64::new(0),
        scratch_used: Arc::default(),
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
    // Whose file it is, before anything of it is believed; the system space's header has been read.
    header_or(&inner.core, inner.force, space::UNDO, |_| (), ()).await?;
    load_catalog(inner).await?;
    if !inner.force.reads_undo() {
        return Ok(());
    }
    let (next_id, next_no, active) = recovery::undo_state(inner).await?;
    inner.trx.raise(next_id, next_no);
    let prepared = active.iter().filter(|u| u.prepared.is_some()).count();
    if active.len() > prepared {
        let n = active.len() - prepared;
        (o.log)(&format!("rolling back {n} transactions in the background"));
    }
    if prepared > 0 {
        (o.log)(&format!(
            "{prepared} prepared transactions wait for XA COMMIT or XA ROLLBACK; XA RECOVER lists them"
        ));
    }
    if !inner.force.read_only() {
        inner.catalog.finish_trees().await?;
        remove_unnamed_files(inner).await?;
        crate::scratch::remove_leftovers(inner.core.spaces.disk().as_ref()).await?;
    }
    for u in active {
        let locks = crate::lock::TrxLocks::new(0);
        inner.trx.adopt(u.id, &locks);
        let mut mdl = smallvec::SmallVec::new();
        let tables = u.tables.iter().filter_map(|id| inner.catalog.by_id(*id));
        // Of a table that is not used nothing is rolled back, and DROP need not wait for it.
        for t in tables.filter(|t| t.usable().is_ok()) {
            mdl.push(t.mdl_adopted());
        }
        match u.prepared {
            Some(xid) if planted::is(Bug::PreparedTablesUnlocked) => {
                let mdl = Default::default();
                inner.prepared.adopt(xid, Detached { id: u.id, log: u.log, locks, mdl });
            }
            Some(xid) => inner.prepared.adopt(xid, Detached { id: u.id, log: u.log, locks, mdl }),
            None => inner.orphans.push(Orphan { id: u.id, log: u.log, locks, mdl, failed: 0 }),
        }
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

/// What the header page of a space says; `otherwise` if it is damaged and nothing will be changed, so that no number is given again.
async fn header_or<T>(
    core: &Core,
    force: Force,
    id: SpaceId,
    f: impl Fn(&[u8]) -> T,
    otherwise: T,
) -> Result<T> {
    match space::read_header(core, id, f).await {
        Err(e @ (Error::Corrupt { .. } | Error::Io { .. })) if force.read_only() => {
            core.log.failure()?;
            core.spaces
                .say(&format!("error: the header of '{}' is left out: {e}", space::path_of(id)));
            Ok(otherwise)
        }
        read => read,
    }
}

async fn load_catalog(db: &Arc<Inner>) -> Result<()> {
    let c = &db.catalog;
    let ids = |p: &[u8]| [0, 8, 16].map(|o| page::get_u64(p, HEADER_IDS + o));
    let ids = header_or(&db.core, db.force, space::SYSTEM, ids, [0; 3]).await?;
    c.next_space.fetch_max(ids[0], Ordering::AcqRel);
    c.next_table.fetch_max(ids[1], Ordering::AcqRel);
    c.next_index.fetch_max(ids[2], Ordering::AcqRel);
    if !db.force.read_only() {
        c.dict.remove_unnamed(&db.core).await?;
    }
    let dropped = c.finish_drops().await?;
    for (k, extra) in c.dict.scan(&db.core, &[dict::kind::SCHEMA]).await? {
        let name = String::from_utf8_lossy(&k[1..k.len() - 1]).into_owned();
        c.put_schema(SchemaDef { name, extra });
    }
    c.load_objects().await?;
    let mut marks = HashMap::new();
    for (k, v) in c.dict.scan(&db.core, &[dict::kind::COUNTERS]).await? {
        marks.extend(counters::table_of(&k).zip(Marks::decode(&v)));
    }
    for (_, bytes) in c.dict.scan(&db.core, &[dict::kind::TABLE]).await? {
        let (def, storage) = match decode_table(&bytes) {
            Err(e) if db.force.read_only() => {
                db.core.spaces.say(&format!("error: a table's definition is left out: {e}"));
                continue;
            }
            decoded => decoded?,
        };
        let marks = marks.remove(&def.id);
        if dropped.contains(&def.id) {
            continue;
        }
        load_table(db, def, &storage, marks)?;
    }
    // Tables whose definitions went before a crash.
    for gone in marks.into_keys().filter(|_| !db.force.read_only()) {
        c.dict.write_alone(&db.core, &[(counters::key(gone), None)]).await?;
    }
    Ok(())
}

fn load_table(db: &Inner, def: TableDef, storage: &Storage, marks: Option<Marks>) -> Result<()> {
    let c = &db.catalog;
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
    c.next_space.fetch_max(storage.space as u64 + 1, Ordering::AcqRel);
    c.next_table.fetch_max(def.id + 1, Ordering::AcqRel);
    let parts = || storage.parts.iter().map(|p| &p.storage);
    for (i, _) in std::iter::once(storage).chain(parts()).flat_map(|s| &s.roots) {
        c.next_index.fetch_max(i + 1, Ordering::AcqRel);
    }
    for p in &storage.parts {
        c.next_table.fetch_max(p.id + 1, Ordering::AcqRel);
        c.next_space.fetch_max(p.storage.space as u64 + 1, Ordering::AcqRel);
    }
    for space in storage.spaces() {
        refuse_at_sight(db, space, marks.is_some(), &format!("{}.{}", def.schema, def.name));
    }
    let from = From::Marks(marks.unwrap_or_default());
    c.put_table(Table::new((&db.core, &c.dict), def, storage, from, |_| 0)?);
    Ok(())
}

/// Tells of a table whose file is known not to be usable before anybody has looked into it.
fn refuse_at_sight(db: &Inner, id: SpaceId, has_counters: bool, name: &str) {
    let spaces = &db.core.spaces;
    let space = spaces.get(id).unwrap_or_else(|| {
        let why = format!(
            "its file '{}' is missing; put it back and start again, or drop the table",
            space::path_of(id)
        );
        spaces.insert_missing(id, why)
    });
    // Numbers that were given would be given again.
    if !has_counters && !spaces.leaves_damage() {
        space.refuse(false, "its counters are missing in the dictionary; drop the table".into());
    }
    if let Some(r) = space.refusal() {
        (db.log)(&format!("error: table '{name}' is not used: {}", r.why));
    }
}

/// Files that no definition names: a DDL was interrupted before its commit point, or after it.
async fn remove_unnamed_files(db: &Arc<Inner>) -> Result<()> {
    let named: std::collections::HashSet<u32> =
        db.catalog.all_stored().iter().map(|t| t.space.id).collect();
    db.core.log.keep_damaged(|id| named.contains(&id)).await?;
    for s in db.core.spaces.all() {
        if s.id >= space::FIRST_TABLE && !named.contains(&s.id) {
            (db.log)(&format!("removing '{}', left behind by an interrupted DDL", s.path()));
            db.catalog.discard_space(s.id).await?;
        }
    }
    Ok(())
}
