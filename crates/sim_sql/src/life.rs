//! One life: start, recovery, comparison, work, end.

use crate::client::{
    Client, KILL_LIMIT, KILL_LIMIT_LARGE, Registry, Stage as Sessions, cut_a_file, end_branches,
    schedule,
};
use crate::files::Files;
use crate::found::found;
use crate::run::{Shared, lock};
use crate::scenario::{Life, Scenario};
use crate::setup::make;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::{Db, Options};
use weir_rt::Rt;
use weir_sim::{Injector, Size};
use weir_sql::account::{AuthPlugin, PasswordHasher};
use weir_sql::session::Instance;
use weir_sql::vars::GlobalVars;

/// How a life came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Closed,
    Crashed,
    /// The engine could not start or go on, and a fault explains it; or a checker has spoken.
    GaveUp,
}

/// What a life needs.
pub struct Stage<'a> {
    pub scenario: &'a Scenario,
    pub life: &'a Life,
    pub rt: Rt,
    pub disk: SimDisk,
    pub world: Shared,
    pub injector: Injector,
    pub ddl_begun: Arc<AtomicU64>,
    pub files: Files,
    /// The engine, once it is open, for anyone who asks what it waits for.
    pub db: Mutex<Option<Db>>,
}

/// What the engine is short of.
pub fn waiting(s: &Stage<'_>) -> String {
    let db = s.db.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(db) = db.as_ref() else { return "; the engine is not open yet".into() };
    let (core, inner) = (&db.inner().core, db.inner());
    format!(
        ": {} wait for frames ({} free of {}, {} dirty), {} for log space (age {} of {}); {} active transactions, {} to roll \
         back, {} in the history, {} locks",
        core.pool.waiting_for_frames(),
        core.pool.free_frames(),
        core.pool.size(),
        core.pool.dirty_pages(),
        core.log.room_waiters(),
        core.log.published() - core.log.checkpoint(),
        core.log.capacity(),
        inner.trx.active_count(),
        inner.orphans.len(),
        inner.purge.history_length(),
        inner.locks.count()
    )
}

/// Seconds of virtual time for a life.
const LIMIT: u64 = 3600;
/// Seconds for rollbacks and purge when all clients have gone.
const SETTLE: u64 = 120;
/// A search for deadlocks looks at each lock and each request of the table a few times at most.
const LOOKS: u64 = 8;

/// Nobody logs in: sessions are opened as the server opens them after it has checked a password.
struct NoPasswords;

impl PasswordHasher for NoPasswords {
    fn hash(&self, _: AuthPlugin, _: &[u8]) -> String {
        String::new()
    }
    fn verify(&self, _: AuthPlugin, _: &str, _: &[u8]) -> bool {
        false
    }
    fn is_credential(&self, _: AuthPlugin, _: &str) -> bool {
        false
    }
}

/// Runs the life to its end, whatever that is. What is wrong is in the world.
pub async fn live(s: &Stage<'_>) -> Ended {
    let mut work = pin!(whole(s));
    let mut frozen = pin!(s.disk.frozen());
    let mut late = pin!(s.rt.sleep(Duration::from_secs(LIMIT)));
    std::future::poll_fn(|cx| {
        if frozen.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ended::Crashed);
        }
        if let Poll::Ready(r) = work.as_mut().poll(cx) {
            return Poll::Ready(judge(s, r));
        }
        if late.as_mut().poll(cx).is_ready() {
            let what = format!(
                "the life has not ended after {LIMIT} seconds of virtual time{}",
                waiting(s)
            );
            lock(&s.world).fail("liveness", what);
            return Poll::Ready(Ended::GaveUp);
        }
        Poll::Pending
    })
    .await
}

/// An error that a fault explains ends the life; another one is a failure.
fn judge(s: &Stage<'_>, r: Result<(), String>) -> Ended {
    let Err(what) = r else { return Ended::Closed };
    let h = s.injector.happened();
    if !(h.read || h.full || h.descriptors) {
        lock(&s.world).fail("errors", what);
    }
    Ended::GaveUp
}

fn options(s: &Stage<'_>) -> Options {
    let c = s.scenario;
    let (world, injector) = (s.world.clone(), s.injector.clone());
    let trace = lock(&s.world).trace;
    Options {
        page_size: c.page_size,
        buffer_pool: c.frames * c.page_size as u64,
        redo_capacity: c.redo,
        log_buffer: 128 << 10,
        open_files: c.open_files,
        log: Arc::new(move |m| {
            if trace {
                eprintln!("    engine: {m}");
            }
        }),
        fatal: Arc::new(move |e| {
            if !injector.happened().read {
                lock(&world).fail("errors", format!("the engine gave up without a cause: {e}"));
            }
        }),
        ..Options::default()
    }
}

async fn whole(s: &Stage<'_>) -> Result<(), String> {
    let c = s.scenario;
    let db = Db::open(&s.rt, Arc::new(s.disk.clone()), options(s)).await;
    let db = db.map_err(|e| format!("the engine does not start: {e}"))?;
    *s.db.lock().unwrap_or_else(PoisonError::into_inner) = Some(db.clone());
    let vars = Arc::new(GlobalVars::default());
    let inst = Instance::open(db.clone(), vars, Box::new(NoPasswords)).await;
    let inst = inst.map_err(|e| e.to_string())?;
    let registry = Arc::new(Registry::new(s.rt.clone()));
    _ = inst.sessions.set(registry.clone());
    _ = inst.server_files.set(Arc::new(s.files.clone()));
    let stage = Sessions {
        inst,
        world: s.world.clone(),
        registry,
        injector: s.injector.clone(),
        disk: s.disk.clone(),
        files: s.files.clone(),
        tight: c.tight,
        kill_limit: if c.size == Size::Large { KILL_LIMIT_LARGE } else { KILL_LIMIT },
        ddl_begun: s.ddl_begun.clone(),
    };
    if db.schema("s").is_none() || db.table("s", "ready").is_none() {
        make(c, &stage).await?;
    } else {
        found(c, &stage).await?;
    }
    work(s, &stage).await?;
    s.injector.stop();
    if lock(&s.world).failure().is_some() {
        return Ok(());
    }
    db.inner().core.log.failure().map_err(|e| e.to_string())?;
    if !s.life.keeps_branches {
        end_branches(&stage).await;
    }
    settle(s, &stage).await;
    over(s, &stage).await?;
    drop(stage);
    db.shutdown().await.map_err(|e| e.to_string())
}

/// All clients, until they are done; beside them who watches, and who does damage.
async fn work(s: &Stage<'_>, stage: &Sessions) -> Result<(), String> {
    let c = s.scenario;
    let watched = watch(s, stage);
    let (stop, events) = (watched.clone(), stage.clone());
    let events = s.rt.spawn("scheduler", async move {
        schedule(events, || stop.load(Ordering::Relaxed) != 0).await;
    });
    let vandal = s.life.vandal.then(|| {
        let drops = c.seed.is_multiple_of(2);
        s.rt.spawn("vandal", cut_a_file(stage.clone(), c.frames, c.page_size, drops))
    });
    let start = |no: &u64| {
        let client = Client::new(stage, c, s.life.no, *no);
        s.rt.spawn("client", client.run(c.units))
    };
    let clients: Vec<_> = c.clients.iter().map(start).collect();
    for h in clients {
        h.await;
    }
    if let Some(v) = vandal {
        v.await;
    }
    // One more look, and no later one.
    watched.store(1, Ordering::Relaxed);
    events.await;
    Ok(())
}

/// Bounds that hold at every moment. Ends when the number that it returns is set.
fn watch(s: &Stage<'_>, stage: &Sessions) -> Arc<AtomicU64> {
    let over = Arc::new(AtomicU64::new(0));
    let (rt, stage, stop, limit) =
        (s.rt.clone(), stage.clone(), over.clone(), s.scenario.open_files);
    s.rt.spawn("watch", async move {
        let mut most = 0;
        while stop.load(Ordering::Relaxed) == 0 {
            rt.sleep(Duration::from_millis(50)).await;
            let inner = stage.inst.db.inner();
            most = most.max(inner.locks.count() as u64);
            let steps = inner.locks.stats.search_steps_max.load(Ordering::Relaxed);
            // Locks come and go between two looks.
            if steps > LOOKS * (2 * most + 100) {
                let what = format!("a search for deadlocks took {steps} steps among {most} locks");
                stage.world().fail("steps", what);
            }
            // As many as are in use at one moment, by sessions and by background tasks, may be beyond the limit.
            let users = stage.registry.ids().len() as u32 + 8;
            let open = stage.disk.open_files("tables/");
            if open > limit as u32 + users {
                let what = format!("{open} files of tables are open, with a limit of {limit}");
                stage.world().fail("space", what);
            }
        }
    });
    over
}

/// Nobody works any more: what was begun comes to its end.
async fn settle(s: &Stage<'_>, stage: &Sessions) {
    let inner = stage.inst.db.inner();
    // What is prepared stays, with its locks and its undo.
    let prepared = stage.world().branches.iter().filter(|b| b.prepared().is_some()).count();
    let left = || {
        let active = inner.trx.active_count();
        (active, inner.orphans.len(), inner.purge.history_length(), inner.locks.count())
    };
    for _ in 0..SETTLE * 4 {
        let (active, orphans, history, locks) = left();
        let locked = prepared > 0 || locks == 0;
        if (active, orphans) == (prepared, 0) && history == 0 && locked {
            return;
        }
        s.rt.sleep(Duration::from_millis(250)).await;
    }
    let (active, orphans, history, locks) = left();
    let what = format!(
        "{SETTLE} seconds after the last client there are {active} transactions ({prepared} prepared), {orphans} to roll \
         back, {history} in the history, {locks} locks"
    );
    lock(&s.world).fail("liveness", what);
}

/// What must be true when all sessions are closed.
async fn over(s: &Stage<'_>, stage: &Sessions) -> Result<(), String> {
    let db = &stage.inst.db;
    let mut bad = db.check_spaces().await.map_err(|e| e.to_string())?;
    // Those of branches that are prepared.
    let prepared = stage.world().branches.iter().filter(|b| b.prepared().is_some()).count();
    bad.retain(|b| !(prepared > 0 && b.starts_with(&format!("undo space: {prepared} of "))));
    if !bad.is_empty() {
        stage.world().fail("structure", bad.join("; "));
    }
    let used = stage.inst.memory.used();
    if used > 0 {
        stage.world().fail("memory", format!("{used} bytes are charged and nobody is connected"));
    }
    let mut c = stage.connect(2, "root");
    // A check waits for those who have changed the table, also for those who are prepared.
    let prepared = s.life.keeps_branches;
    let checked = |name: &str| name != "hurt" && !(prepared && name == "xa");
    for t in db.tables("s").iter().filter(|t| checked(&t.def.name)) {
        let a = c.ask(&format!("CHECK TABLE {}", t.def.name)).await;
        if let Some(r) = a.rows.iter().find(|r| r.last().is_none_or(|m| m != "OK")) {
            // A crash in the middle of CREATE or DROP INDEX leaves pages taken, as the engine documents.
            let crashed = s.scenario.lives.len() > 1;
            let leak = crashed && r.last().is_some_and(|m| m.contains("belong to nothing"));
            if !leak {
                stage.world().fail("structure", format!("{r:?}"));
            }
        }
    }
    c.close().await;
    files(s, stage);
    Ok(())
}

/// What was dropped has given its file and its descriptor back.
fn files(s: &Stage<'_>, stage: &Sessions) {
    let db = &stage.inst.db;
    let schemas = db.schemas();
    let tables = schemas.iter().flat_map(|schema| db.tables(&schema.name));
    // Each partition has a file of its own.
    let with_files =
        tables.flat_map(|t| t.parts.iter().cloned().chain([t.clone()]).collect::<Vec<_>>());
    let named: Vec<String> = with_files.map(|t| t.space.path().to_string()).collect();
    let mut files = s.disk.paths();
    files.retain(|p| p.starts_with("tables/") && !named.contains(p));
    let h = s.injector.happened();
    if !(files.is_empty() || h.full || h.read || h.descriptors) {
        let what = format!("files of no table when all sessions are closed: {}", files.join(", "));
        stage.world().fail("space", what);
    }
    let (open, held) = (s.disk.open_files("tables/"), s.disk.held_without_a_name());
    if open as usize > named.len().min(s.scenario.open_files) || held > 0 {
        let what = format!(
            "nobody is connected and {open} files of {} tables are open, {held} bytes of dropped ones are held",
            named.len()
        );
        stage.world().fail("space", what);
    }
}
