//! One life: start, recovery, check, work, end.

use crate::client::{self, Client, unexplained};
use crate::faults::Injector;
use crate::model::{Failure, Found, Promise, Shared, Stop, failed};
use crate::scenario::{End, Life, Scenario, Size, Workload};
use crate::schema::{Content, Row, SCHEMA, decode};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::{
    ChangeBufferLimits, Db, Durability, Error, FlushSettings, LockMode, Neighbours, OnLocked,
    Options, ScanSpec, SchemaDef, SettingValue, TxnOptions, UndoLimits, page,
};
use weir_rt::{Event, Interrupt, Rt};

/// How a life came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Closed,
    Crashed,
    /// The engine said that it cannot go on, and a fault explains it.
    GaveUp,
    /// Damage that was put there was told; there is nothing more to compare.
    Damaged,
}

/// What a life needs.
pub struct Stage<'a> {
    pub scenario: &'a Scenario,
    pub life: &'a Life,
    pub rt: Rt,
    pub disk: SimDisk,
    pub world: Shared,
    pub injector: Injector,
    /// Which promises the last end did not break; `None`: the engine was closed.
    pub kept: Option<Promise>,
    pub trace: bool,
    /// The engine, once it is open, for anyone who asks what it waits for.
    pub db: Mutex<Option<Db>>,
}

/// Seconds of virtual time for a life; a jump of the clock counts as one.
const LIMIT: u64 = 900;
/// Seconds for the clients to hear of an engine that has failed.
const GRACE: u64 = 60;
/// The same for what must settle when the clients have gone and faults have stopped.
const SETTLE: u64 = 120;

/// Runs the life to its end, whatever that is.
pub async fn live(s: &Stage<'_>) -> Result<Ended, Failure> {
    let over = Arc::new(Event::new());
    let mut work = pin!(whole(s, &over));
    let mut frozen = pin!(s.disk.frozen());
    let mut late = pin!(async {
        match s.life.end {
            End::AtTime(d) => s.rt.sleep(d).await,
            _ => std::future::pending().await,
        }
    });
    let mut limit = pin!(limit(s));
    let mut stopped = pin!(over.wait());
    std::future::poll_fn(|cx| {
        if stopped.as_mut().poll(cx).is_ready() {
            let f = s.world.lock().failure().cloned();
            return Poll::Ready(f.map_or(Ok(Ended::Crashed), Err));
        }
        if frozen.as_mut().poll(cx).is_ready() || late.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(Ended::Crashed));
        }
        if let Poll::Ready(r) = work.as_mut().poll(cx) {
            return Poll::Ready(judge(s, r));
        }
        if limit.as_mut().poll(cx).is_ready() {
            if has_failed(s) {
                // Somebody waits for what a stopped engine will not do any more; a server's process would have ended.
                let flip = s.injector.happened().flip;
                return Poll::Ready(Ok(if flip { Ended::Damaged } else { Ended::GaveUp }));
            }
            if s.injector.happened().flip {
                // A damaged page of undo is reported again and again, and what its transaction has locked stays locked.
                return Poll::Ready(Ok(Ended::Damaged));
            }
            return Poll::Ready(failed(
                "liveness",
                format!(
                    "the life has not ended after {LIMIT} seconds of virtual time{}",
                    waiting(s)
                ),
            ));
        }
        Poll::Pending
    })
    .await
}

/// What the engine is short of.
fn waiting(s: &Stage<'_>) -> String {
    let db = s.db.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(db) = db.as_ref() else { return "; the engine is not open yet".into() };
    let (core, inner) = (&db.inner().core, db.inner());
    let transactions: Vec<String> = db
        .transactions()
        .iter()
        .map(|t| format!("{}{}", t.id, if t.waiting { " (waits)" } else { "" }))
        .collect();
    format!(
        ": {} wait for frames ({} free of {}, {} dirty), {} for log space (age {} of {}); \
         active transactions: {}; to roll back: {}; history: {}",
        core.pool.waiting_for_frames(),
        core.pool.free_frames(),
        core.pool.size(),
        core.pool.dirty_pages(),
        core.log.room_waiters(),
        core.log.published() - core.log.checkpoint(),
        core.log.capacity(),
        transactions.join(", "),
        inner.orphans.len(),
        inner.purge.history_length()
    )
}

/// The engine has said that it cannot go on.
fn has_failed(s: &Stage<'_>) -> bool {
    let db = s.db.lock().unwrap_or_else(PoisonError::into_inner);
    db.as_ref().is_some_and(|db| db.inner().core.log.failure().is_err())
}

/// Ends after the seconds that a life may take, or a little after the engine has failed.
async fn limit(s: &Stage<'_>) {
    let mut failed = 0;
    for _ in 0..LIMIT {
        s.rt.sleep(Duration::from_secs(1)).await;
        failed += u64::from(has_failed(s));
        if failed > GRACE {
            return;
        }
    }
}

/// An error that a fault explains ends the life; another one is a failure.
fn judge(s: &Stage<'_>, r: Result<Ended, Stop>) -> Result<Ended, Failure> {
    match r {
        Ok(e) => Ok(e),
        Err(Stop::Failed(f)) => Err(f),
        Err(Stop::Engine(e)) => match unexplained(&e, &s.injector, s.scenario.page_size) {
            Some(f) => Err(f),
            None if s.injector.happened().is_damaged() => Ok(Ended::Damaged),
            None => Ok(Ended::GaveUp),
        },
    }
}

/// In three quarters of the worlds, by their memory, indexes of a few leaves have buffer trees of a few more, and the sweep works
/// all the time, or when there is something to gain, or is left to those who insert.
fn change_buffer(frames: u64) -> ChangeBufferLimits {
    ChangeBufferLimits {
        on: !frames.is_multiple_of(4),
        worth: 1 + frames / 4 % 4,
        aim_percent: [0, 60, 100][(frames / 2 % 3) as usize],
        large_entries: false,
        look: Duration::from_millis(20 + frames % 7 * 10),
    }
}

/// The buffer trees' size, by InnoDB's policies, too; how they write, and how far they let it come.
fn flush_settings(frames: u64) -> FlushSettings {
    let neighbours =
        [Neighbours::ByDevice, Neighbours::Run, Neighbours::Area][(frames / 5 % 3) as usize];
    FlushSettings {
        write_io_threads: 1 + frames % 5,
        read_ahead: (frames.is_multiple_of(2), frames.is_multiple_of(3)),
        readahead_random: frames % 3 == 1,
        readahead_sequential: frames % 5 < 3,
        read_ahead_threshold: [2, 16, 56][(frames / 2 % 3) as usize],
        random_read_ahead: frames % 4 == 1,
        max_merged_io: [1, 3, 64][(frames / 3 % 3) as usize],
        neighbours,
        neighbours_foreground: neighbours,
        max_dirty_pct: [90.0, 20.0][(frames / 2 % 2) as usize],
        adaptive_checkpoint: frames.is_multiple_of(2),
        check_max_dirty_foreground: frames.is_multiple_of(3),
        change_buffer_pct: 5 + frames % 30,
        ibuf_max_pct: 1 + frames % 20,
        ibuf_max_size: 16384 * (1 + frames % 9),
        ibuf_active_contract: frames % 5 < 2,
        ibuf_reads_sync: !frames.is_multiple_of(3),
        ..FlushSettings::default()
    }
}

fn options(s: &Stage<'_>, over: &Arc<Event>) -> Options {
    let c = s.scenario;
    let (world, injector, over, trace) =
        (s.world.clone(), s.injector.clone(), over.clone(), s.trace);
    Options {
        page_size: c.page_size,
        buffer_pool: c.frames * c.page_size as u64,
        redo_capacity: c.redo,
        // In a fifth of the worlds the log gets its files as it is filled.
        redo_on_demand: c.frames % 5 == 4,
        log_buffer: c.log_buffer,
        data_mode: c.data_mode,
        log_mode: c.log_mode,
        doublewrite: c.doublewrite,
        // In a third of the worlds, by their memory, files are closed and opened again all the time.
        open_files: if c.frames.is_multiple_of(3) { 3 } else { Options::default().open_files },
        // In half of them the undo space is given back to the device as soon as purge has caught up.
        undo: UndoLimits {
            truncate: c.frames.is_multiple_of(2),
            max_bytes: 24 * c.page_size as u64,
            rounds: 1 + c.frames % 8,
            // In most of them hardly any of the history is listed.
            listed: [1, 3, 40, 1 << 14][(c.frames / 2 % 4) as usize],
        },
        change_buffer: change_buffer(c.frames),
        flush: flush_settings(c.frames),
        // In half of the worlds index builds sort in runs on disk.
        sort_bytes: if c.frames.is_multiple_of(2) { 400 } else { Options::default().sort_bytes },
        // In some of them what is changed beside a definition statement is soon too much for it.
        row_log_bytes: match c.frames % 7 {
            3 => 400,
            _ => Options::default().row_log_bytes,
        },
        // Scans read ahead a little, much, or nothing.
        read_ahead: [2, 32, 0][(c.frames % 3) as usize],
        flush_policy: s.life.policy,
        log: Arc::new(move |m| {
            if trace {
                eprintln!("    engine: {m}");
            }
        }),
        fatal: Arc::new(move |e| {
            let h = injector.happened();
            if !(h.write || h.sync || h.is_damaged() || h.read) {
                let what = format!("the engine gave up without a cause: {e}");
                world.lock().fail(Failure { checker: "errors", what });
                over.set();
            }
        }),
        ..Options::default()
    }
}

/// The file of a table whose DROP was answered stays away, whatever failed since: its name went with a sync of its folder.
fn stays_gone(s: &Stage<'_>) -> Result<(), Stop> {
    let back = s.world.lock().gone.iter().find(|p| s.disk.content(p).is_some()).cloned();
    let Some(path) = back else { return Ok(()) };
    failed("catalog", format!("file {path} of a dropped table is there again"))
        .map_err(Stop::Failed)
}

async fn whole(s: &Stage<'_>, over: &Arc<Event>) -> Result<Ended, Stop> {
    stays_gone(s)?;
    let db = Db::open(&s.rt, Arc::new(s.disk.clone()), options(s, over)).await?;
    *s.db.lock().unwrap_or_else(PoisonError::into_inner) = Some(db.clone());
    s.injector.log_was_read();
    watch_log_rule(s, &db, over);
    switch_policy(s, &db);
    verify(s, &db, s.kept, true).await?;
    set_up(s, &db).await?;
    s.world.lock().begin_history(content(s.scenario.workload));
    let handles: Vec<_> = s
        .scenario
        .clients
        .iter()
        .map(|no| {
            let c = Client::new(&db, &s.world, s.scenario, s.life.no, *no, &s.injector, over);
            s.rt.spawn("client", c.run(s.scenario.txns))
        })
        .collect();
    for h in handles {
        h.await;
    }
    s.injector.stop();
    if let Some(f) = s.world.lock().failure() {
        return Err(f.clone().into());
    }
    db.inner().core.log.failure()?;
    client::end_prepared(&db, &s.world).await?;
    settle(s, &db).await?;
    verify(s, &db, None, false).await?;
    db.shutdown().await?;
    Ok(Ended::Closed)
}

/// Somebody changes his mind about flushing, whatever is going on.
fn switch_policy(s: &Stage<'_>, db: &Db) {
    let Some((after, policy)) = s.life.switch else { return };
    let (db, rt) = (db.clone(), s.rt.clone());
    s.rt.spawn("policy", async move {
        rt.sleep(after).await;
        // An engine that is closing by then has no use for it.
        _ = db.set("weir_flush_policy", SettingValue::Str(policy.into())).await;
    });
}

fn content(w: Workload) -> Content {
    if w == Workload::Register { Content::Register } else { Content::List }
}

/// The write-ahead rule, seen from the device: a page goes home only when the log before it is durable.
fn watch_log_rule(s: &Stage<'_>, db: &Db, over: &Arc<Event>) {
    let (size, weak) = (s.scenario.page_size, Arc::downgrade(db.inner()));
    let (world, over) = (s.world.clone(), over.clone());
    s.disk.set_watch(Some(Box::new(move |op, bytes| {
        if op.path.starts_with("redo/")
            && let Some(db) = weak.upgrade()
        {
            let log = &db.core.log;
            world.lock().log.saw(log.checkpoint(), log.durable(), log.published());
        }
        if let Some(w) = &mut world.lock().home {
            w.saw(&op.path, op.offset, bytes, size);
        }
        let home = op.path.starts_with("tables/") || matches!(op.path.as_str(), "system.weir" | "undo.weir");
        let Some(db) = weak.upgrade().filter(|_| home && bytes.len().is_multiple_of(size)) else { return };
        let durable = db.core.log.durable();
        for p in bytes.chunks(size) {
            if page::lsn(p) > durable {
                let what = format!(
                    "a page of '{}' with LSN {} is written home, the log is durable up to {durable}",
                    op.path,
                    page::lsn(p)
                );
                world.lock().fail(Failure { checker: "log first", what });
                over.set();
            }
        }
    })));
}

/// Reads everything, by every index, and compares it with the model; then the structure of every tree and map.
async fn verify(s: &Stage<'_>, db: &Db, kept: Option<Promise>, start: bool) -> Result<(), Stop> {
    let mut found = Vec::new();
    for t in db.tables(SCHEMA) {
        let rows = again(s, || everything(s, db, &t)).await?;
        found.push(Found { tid: t.def.id, name: t.def.name.clone(), rows });
    }
    let seq = {
        let mut w = s.world.lock();
        if start {
            w.recovered(found, kept)?
        } else {
            w.unchanged(&found)?;
            w.seq
        }
    };
    if s.trace {
        eprintln!("    state after commit {seq}, {} tables", db.tables(SCHEMA).len());
    }
    if start {
        // Before CHECK TABLE, which waits for those who have changed the table and are prepared.
        client::check_prepared(db, &s.world, seq).await?;
    }
    for t in db.tables(SCHEMA) {
        let bad = again(s, || async { Ok(db.check_table(&t, &Interrupt::new()).await?) }).await?;
        let bad = s.world.lock().unexpected(t.def.id, bad);
        if !bad.is_empty() && !s.injector.happened().flip {
            let when = if start { "after the start" } else { "at the end" };
            return failed("structure", format!("table {} {when}: {}", t.def.name, bad.join("; ")))
                .map_err(Stop::Failed);
        }
    }
    verify_spaces(s, db).await?;
    if start {
        verify_finished(s, db).await?;
        verify_files(s, db)?;
    }
    Ok(())
}

/// A start that could read and write everything has finished what it found half done.
async fn verify_finished(s: &Stage<'_>, db: &Db) -> Result<(), Stop> {
    let left = again(s, || async { Ok(db.left_to_finish().await?) }).await?;
    let h = s.injector.happened();
    if left == 0 || h.read || h.full || h.descriptors || h.write || h.sync || h.is_damaged() {
        return Ok(());
    }
    let what = format!("after the start {left} half trees or dropped tables are not finished");
    failed("catalog", what).map_err(Stop::Failed)
}

/// What belongs to no table, when nobody moves it.
async fn verify_spaces(s: &Stage<'_>, db: &Db) -> Result<(), Stop> {
    let idle = |db: &Db| db.inner().trx.active_count() == 0 && db.inner().orphans.is_empty();
    if !idle(db) {
        return Ok(());
    }
    let bad = again(s, || async { Ok(db.check_spaces().await?) }).await?;
    if bad.is_empty() || s.injector.happened().flip {
        return Ok(());
    }
    failed("structure", bad.join("; ")).map_err(Stop::Failed)
}

/// A start leaves no file that no table has.
fn verify_files(s: &Stage<'_>, db: &Db) -> Result<(), Stop> {
    let known: Vec<String> = db.tables(SCHEMA).iter().map(|t| t.space.path().to_string()).collect();
    let mut files = s.disk.paths();
    files.retain(|p| p.starts_with("sort/") || p.starts_with("tables/") && !known.contains(p));
    let h = s.injector.happened();
    if files.is_empty() || h.flip || h.write || h.sync {
        return Ok(());
    }
    failed("catalog", format!("after the start there are files of no table: {}", files.join(", ")))
        .map_err(Stop::Failed)
}

/// Once more when a read failed that works the next time.
async fn again<T, F: Future<Output = Result<T, Stop>>>(
    s: &Stage<'_>,
    mut f: impl FnMut() -> F,
) -> Result<T, Stop> {
    let mut left = 12;
    loop {
        match f().await {
            Err(Stop::Engine(Error::Io { .. })) if left > 0 && s.injector.happened().read => {
                left -= 1;
            }
            Err(Stop::Engine(Error::Io { .. }))
                if left > 0 && s.injector.happened().descriptors =>
            {
                left -= 1;
                s.rt.sleep(Duration::from_millis(100)).await;
            }
            Err(Stop::Engine(Error::DiskFull { .. })) if left > 0 && s.injector.happened().full => {
                left -= 1;
                s.rt.sleep(Duration::from_millis(100)).await;
            }
            r => return r,
        }
    }
}

pub async fn everything(
    s: &Stage<'_>,
    db: &Db,
    t: &Arc<weir_engine::Table>,
) -> Result<BTreeMap<Vec<u8>, Row>, Stop> {
    let mut txn = db.begin(TxnOptions::default());
    let mut rows = BTreeMap::new();
    for index in 0..t.indexes.len() {
        let reverse = (index as u64 + s.life.no) % 2 == 1;
        let whole = ScanSpec {
            index,
            start: Vec::new(),
            end: None,
            reverse,
            lock: LockMode::None,
            on_locked: OnLocked::Wait,
            unique_eq: false,
            expect: 0,
            fetch_external: true,
            rows_only: false,
            index_only: None,
        };
        let mut by_entries = ScanSpec { index_only: Some([].into()), ..whole.clone() };
        by_entries.reverse = !reverse;
        let mut cursor = txn.scan(t, by_entries);
        let mut entries = 0;
        while cursor.next_boxed(&mut txn).await? {
            entries += 1;
        }
        let mut cursor = txn.scan(t, whole);
        let mut n = 0;
        let name = &t.indexes[index].def.name;
        while cursor.next_boxed(&mut txn).await? {
            n += 1;
            let Some(row) = decode(t, cursor.row()) else {
                return failed("structure", format!("a row of {} contradicts itself", t.def.name))
                    .map_err(Stop::Failed);
            };
            let key = cursor.key().to_vec();
            if index == 0 {
                rows.insert(key, row);
            } else if rows.get(&key) != Some(&row) {
                return failed(
                    "structure",
                    format!("index {name} of {} leads to another row", t.def.name),
                )
                .map_err(Stop::Failed);
            }
        }
        if n != rows.len() || entries != n {
            let (table, all) = (&t.def.name, rows.len());
            return failed(
                "structure",
                format!(
                    "index {name} of {table} has {n} rows, {entries} by itself, the table {all}"
                ),
            )
            .map_err(Stop::Failed);
        }
    }
    txn.commit_boxed(Durability::Lazy).await?;
    Ok(rows)
}

/// Tables that no life has made yet, with the rows that lists and registers need.
async fn set_up(s: &Stage<'_>, db: &Db) -> Result<(), Stop> {
    if db.schema(SCHEMA).is_none() {
        again(s, || async {
            Ok(db.create_schema(SchemaDef { name: SCHEMA.into(), extra: Vec::new() }).await?)
        })
        .await?;
    }
    let missing = s.world.lock().to_make(&s.scenario.tables);
    for (i, spec) in missing {
        if db.table(SCHEMA, &spec.name).is_none() {
            again(s, || client::create(db, &s.world, &spec.name, &spec)).await?;
        }
        s.world.lock().made(i);
    }
    if s.scenario.size == Size::Wide {
        for t in db.tables(SCHEMA) {
            let spec = s.world.lock().table(t.def.id).spec.clone();
            if s.world.lock().some_key(t.def.id, 0).is_none() {
                again(s, || client::fill_wide(db, &s.world, &t, &spec)).await?;
            }
        }
    }
    if matches!(s.scenario.workload, Workload::Append | Workload::Register) {
        for t in db.tables(SCHEMA) {
            let spec = s.world.lock().table(t.def.id).spec.clone();
            let empty = s.world.lock().some_key(t.def.id, 0).is_none();
            if empty {
                again(s, || client::fill(db, &s.world, &t, &spec)).await?;
            }
        }
    }
    Ok(())
}

/// When nobody works any more: orphans are rolled back, history is purged, no lock is left.
async fn settle(s: &Stage<'_>, db: &Db) -> Result<(), Stop> {
    let inner = db.inner();
    for _ in 0..SETTLE * 4 {
        inner.core.log.failure()?;
        let left = (
            inner.trx.active_count(),
            inner.orphans.len(),
            inner.purge.history_length(),
            inner.locks.count(),
            inner.core.pool.frames_in_hand(),
        );
        if left == (0, 0, 0, 0, 0) {
            return Ok(());
        }
        s.rt.sleep(Duration::from_millis(250)).await;
    }
    let purging = inner.purge.history_length();
    if s.injector.happened().flip {
        return Ok(());
    }
    failed(
        "liveness",
        format!(
            "{SETTLE} seconds after the last client there are {} active transactions, {} to roll back, {purging} in the history, {} locks, {} frames without a page",
            inner.trx.active_count(),
            inner.orphans.len(),
            inner.locks.count(),
            inner.core.pool.frames_in_hand()
        ),
    )
    .map_err(Stop::Failed)
}
