//! One life: start, recovery, comparison, clients, end.

use crate::client::{ACCOUNTS, Client, TOTAL};
use crate::connection::Stage as Shared;
use crate::model::{Own, World};
use crate::scenario::{Life, Scenario};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::{Db, Options};
use weir_rt::Rt;
use weir_server::simulated::Simulated;
use weir_sql::account::{AuthPlugin, PasswordHasher};
use weir_sql::session::{Instance, Session};
use weir_sql::session_api::{
    ColumnMeta, ConnInfo, KillSwitch, OkInfo, OutValue, ResultSink, SinkError,
};
use weir_sql::vars::{GlobalVars, Var, VarValue};

/// How a life came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Closed,
    Crashed,
    /// A checker has spoken, or the engine gave up.
    GaveUp,
}

/// What a life needs.
pub struct Stage<'a> {
    pub scenario: &'a Scenario,
    pub life: &'a Life,
    pub rt: Rt,
    pub disk: SimDisk,
    pub world: Arc<Mutex<World>>,
}

impl Stage<'_> {
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Virtual time for a life.
const LIMIT: Duration = Duration::from_secs(3600);
/// Virtual time for connections, rollbacks and purge when all clients have gone.
const SETTLE: Duration = Duration::from_secs(120);
/// How often the server looks for clients that have vanished.
const LOOK: Duration = Duration::from_secs(1);

/// Accounts here have no passwords.
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
    let mut late = pin!(s.rt.sleep(LIMIT));
    std::future::poll_fn(|cx| {
        if frozen.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ended::Crashed);
        }
        if let Poll::Ready(r) = work.as_mut().poll(cx) {
            return Poll::Ready(match r {
                Ok(()) => Ended::Closed,
                Err(what) => {
                    s.world().fail("errors", what);
                    Ended::GaveUp
                }
            });
        }
        if late.as_mut().poll(cx).is_ready() {
            s.world().fail("liveness", format!("the life has not ended after {LIMIT:?}"));
            return Poll::Ready(Ended::GaveUp);
        }
        Poll::Pending
    })
    .await
}

fn options(s: &Stage<'_>) -> Options {
    let c = s.scenario;
    let world = s.world.clone();
    let trace = s.world().trace;
    Options {
        page_size: c.page_size,
        buffer_pool: c.frames * c.page_size as u64,
        redo_capacity: c.redo,
        log_buffer: 128 << 10,
        log: Arc::new(move |m| {
            if trace {
                eprintln!("    engine: {m}");
            }
        }),
        fatal: Arc::new(move |e| {
            let mut w = world.lock().unwrap_or_else(PoisonError::into_inner);
            w.fail("errors", format!("the engine gave up without a cause: {e}"));
        }),
        ..Options::default()
    }
}

async fn whole(s: &Stage<'_>) -> Result<(), String> {
    let db = Db::open(&s.rt, Arc::new(s.disk.clone()), options(s)).await;
    let db = db.map_err(|e| format!("the engine does not start: {e}"))?;
    let vars = Arc::new(GlobalVars::default());
    vars.put(Var::tls_version, VarValue::Str("".into()));
    // Slow statements would be told of by a file of the machine.
    vars.put(Var::slow_query_log, VarValue::Bool(false));
    db.serve_answers();
    let inst = Instance::open(db.clone(), vars, Box::new(NoPasswords)).await;
    let inst = inst.map_err(|e| e.to_string())?;
    if db.schema("s").is_none() || db.table("s", "ready").is_none() {
        make(s, &inst).await?;
    } else {
        found(s, &inst).await?;
    }
    let server = Simulated::start(&inst, &s.rt)?;
    let stage = Shared { inst: inst.clone(), server: server.clone(), world: s.world.clone() };
    work(s, &stage).await;
    if s.world().failure().is_some() {
        return Ok(());
    }
    db.inner().core.log.failure().map_err(|e| e.to_string())?;
    settle(s, &stage).await;
    server.stop();
    server.end();
    // The task that watches has a reference of the server, which it drops when it runs next.
    s.rt.sleep(Duration::from_millis(1)).await;
    drop((stage, server));
    if s.world().failure().is_none() {
        found(s, &inst).await?;
        let used = inst.memory.used();
        if used > 0 {
            s.world().fail("memory", format!("{used} bytes are charged and nobody is connected"));
        }
    }
    drop(inst);
    db.shutdown().await.map_err(|e| e.to_string())
}

/// All clients, until they are done, and the server's look for those who have vanished.
async fn work(s: &Stage<'_>, stage: &Shared) {
    let over = Arc::new(AtomicBool::new(false));
    let (rt, server, stop) = (s.rt.clone(), stage.server.clone(), over.clone());
    let looks = s.rt.spawn("look", async move {
        while !stop.load(Ordering::Relaxed) {
            rt.sleep(LOOK).await;
            server.look_for_vanished();
        }
    });
    let start = |no: &u64| {
        let client = Client::new(stage, s.scenario, s.life.no, *no);
        s.rt.spawn("client", client.run(s.scenario.units))
    };
    let clients: Vec<_> = s.scenario.clients.iter().map(start).collect();
    for h in clients {
        h.await;
    }
    wait_for(s, "connections", || stage.server.connected()).await;
    over.store(true, Ordering::Relaxed);
    looks.await;
}

/// Waits until there are none left.
async fn wait_for(s: &Stage<'_>, what: &str, left: impl Fn() -> usize) {
    let until = s.rt.now() + SETTLE.as_nanos() as u64;
    while left() > 0 && s.world().failure().is_none() {
        if s.rt.now() > until {
            let what = format!("{} {what} are left {SETTLE:?} behind the last client", left());
            return s.world().fail("liveness", what);
        }
        s.rt.sleep(Duration::from_millis(100)).await;
    }
}

/// Nobody works any more: what was begun comes to its end.
async fn settle(s: &Stage<'_>, stage: &Shared) {
    let inner = stage.inst.db.inner();
    wait_for(s, "transactions", || inner.trx.active_count()).await;
    wait_for(s, "rollbacks", || inner.orphans.len()).await;
    wait_for(s, "locks", || inner.locks.count()).await;
}

/// The rows of a statement of the storey's own, without a network.
#[derive(Default)]
struct Rows(Vec<Vec<i64>>);

impl ResultSink for Rows {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        let number = |v: &OutValue<'_>| match v {
            OutValue::Int(n) => *n,
            OutValue::UInt(n) => *n as i64,
            OutValue::Bytes(b) | OutValue::Shown(_, b) => {
                String::from_utf8_lossy(b).parse().unwrap_or(i64::MIN)
            }
            _ => i64::MIN,
        };
        self.0.push(row.iter().map(number).collect());
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

fn session(inst: &Arc<Instance>, database: &str) -> Session {
    Session::open(
        inst,
        ConnInfo {
            id: u64::from(u32::MAX),
            user: "root".into(),
            host: "localhost".into(),
            account_user: "root".into(),
            account_host: "localhost".into(),
            database: database.into(),
            collation_id: 45,
            found_rows: false,
            interactive: false,
            ignore_space: false,
            multi_statements: false,
            multi_results: true,
            out_params: true,
            attributes: Vec::new(),
            compression: None,
            tls: None,
            kill: Arc::new(KillSwitch::default()),
        },
    )
}

async fn rows_of(session: &mut Session, sql: &str) -> Result<Vec<Vec<i64>>, String> {
    let mut rows = Rows::default();
    let end = session.query(sql.as_bytes(), &mut rows).await;
    end.result.map_err(|e| format!("{sql}: {e}"))?;
    Ok(rows.0)
}

/// The tables of a new world, when no life has come to the end of making them.
async fn make(s: &Stage<'_>, inst: &Arc<Instance>) -> Result<(), String> {
    let n = s.scenario.clients_in_all;
    let values = |n: u64, v: i64| -> String {
        (0..n).map(|i| format!("({i}, {v})")).collect::<Vec<_>>().join(", ")
    };
    let mut c = session(inst, "");
    for sql in [
        "DROP DATABASE IF EXISTS s".into(),
        "CREATE DATABASE s".into(),
        "USE s".into(),
        "CREATE TABLE bank (id INT PRIMARY KEY, v BIGINT NOT NULL)".into(),
        "CREATE TABLE own (id INT PRIMARY KEY, v BIGINT NOT NULL)".into(),
        "CREATE TABLE counter (id INT PRIMARY KEY, n BIGINT NOT NULL)".into(),
        format!("INSERT INTO bank VALUES {}", values(ACCOUNTS, 1000)),
        format!("INSERT INTO own VALUES {}", values(n, 0)),
        "INSERT INTO counter VALUES (0, 0)".into(),
        "CREATE TABLE ready (id INT PRIMARY KEY)".into(),
    ] {
        rows_of(&mut c, &sql).await?;
    }
    c.close().await;
    let mut w = s.world();
    w.own = vec![Own::default(); n as usize];
    w.counter = (0, 0);
    Ok(())
}

/// Everything acknowledged is there, and nothing that was not said.
async fn found(s: &Stage<'_>, inst: &Arc<Instance>) -> Result<(), String> {
    let mut c = session(inst, "s");
    let total = rows_of(&mut c, "SELECT SUM(v) FROM bank").await?;
    let own = rows_of(&mut c, "SELECT id, v FROM own ORDER BY id").await?;
    let counter = rows_of(&mut c, "SELECT n FROM counter").await?;
    c.close().await;
    let mut w = s.world();
    if total != [[TOTAL]] {
        w.fail("durability", format!("the accounts are {total:?} instead of {TOTAL}"));
    }
    for (no, row) in own.iter().enumerate() {
        let known = w.own[no].clone();
        match row[..] {
            [id, value] if id == no as i64 && known.may_be(value) => {
                w.own[no] = Own { acknowledged: value, maybe: Vec::new() };
            }
            _ => w.fail("durability", format!("row {no} is {row:?}, known is {known:?}")),
        }
    }
    let (low, high) = w.counter;
    match counter[..] {
        [ref row] if row.len() == 1 && (low..=high).contains(&row[0]) => {
            w.counter = (row[0], row[0]);
        }
        _ => w.fail("durability", format!("the counter is {counter:?}, not from {low} to {high}")),
    }
    w.killed.clear();
    Ok(())
}
