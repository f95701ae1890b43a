//! One session as its client has it: every answer is read strictly, and what cannot be is reported at once.

use crate::answer::Answer;
use crate::files::Files;
use crate::model::World;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_rt::Rt;
use weir_sim::Injector;
use weir_sql::session::{EventRun, Instance, Session};
use weir_sql::session_api::{
    ConnInfo, KillKind, KillSwitch, ParamValue, PreparedInfo, ProcessInfo, Sessions, SqlError,
};

/// Virtual time within which a killed statement ends, undoing what it did included.
pub const KILL_LIMIT: Duration = Duration::from_secs(2);
/// The same where a thousand sessions share a log of 512 KiB. Rollbacks go first there, but may be many at once, and each waits for the
/// checkpoint: 39 of the first 40 such worlds keep to `KILL_LIMIT`, and seed 27 does not.
pub const KILL_LIMIT_LARGE: Duration = Duration::from_secs(60);

/// A session as KILL sees it.
struct Entry {
    switch: Arc<KillSwitch>,
    user: String,
    running: Arc<AtomicBool>,
    /// Nanoseconds of virtual time at which the statement at hand was killed; 0: it was not.
    killed: Arc<AtomicU64>,
}

/// Everybody who is connected, for KILL and SHOW PROCESSLIST.
pub struct Registry {
    rt: Rt,
    all: Mutex<BTreeMap<u64, Entry>>,
}

impl Registry {
    pub fn new(rt: Rt) -> Registry {
        Registry { rt, all: Mutex::default() }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Entry>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn ids(&self) -> Vec<u64> {
        self.all().keys().copied().collect()
    }
}

impl Sessions for Registry {
    fn list(&self) -> Vec<ProcessInfo> {
        let info = |(id, e): (&u64, &Entry)| ProcessInfo {
            id: *id,
            user: e.user.clone(),
            host: "localhost".into(),
            db: None,
            command: "Query",
            time: 0,
            runs: true,
            state: "",
            info: None,
            attributes: [].into(),
        };
        self.all().iter().map(info).collect()
    }

    fn kill(&self, id: u64, kind: KillKind) -> bool {
        let all = self.all();
        let Some(e) = all.get(&id) else { return false };
        if e.running.load(Ordering::Relaxed) {
            let now = self.rt.now().max(1);
            _ = e.killed.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        }
        e.switch.kill(kind);
        true
    }

    fn user_of(&self, id: u64) -> Option<String> {
        self.all().get(&id).map(|e| e.user.clone())
    }

    fn account_of(&self, id: u64) -> Option<(String, String)> {
        self.user_of(id).map(|user| (user, "localhost".to_owned()))
    }

    fn stop(&self) -> bool {
        false
    }
}

/// What all clients of a life share.
#[derive(Clone)]
pub struct Stage {
    pub inst: Arc<Instance>,
    pub world: Arc<Mutex<World>>,
    pub registry: Arc<Registry>,
    pub injector: Injector,
    pub disk: SimDisk,
    /// What LOAD DATA reads.
    pub files: Files,
    /// Statements may run out of memory.
    pub tight: bool,
    pub kill_limit: Duration,
    /// Definition statements that have begun, for the device that stops in the middle of one.
    pub ddl_begun: Arc<AtomicU64>,
}

impl Stage {
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn rt(&self) -> &Rt {
        self.inst.db.rt()
    }

    /// The engine goes on: an error means that nothing was done.
    pub fn engine_works(&self) -> bool {
        self.inst.db.inner().core.log.failure().is_ok()
    }

    pub fn connect(&self, id: u64, user: &str) -> Connection {
        let kill = Arc::new(KillSwitch::default());
        let (running, killed) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let entry = Entry {
            switch: kill.clone(),
            user: user.into(),
            running: running.clone(),
            killed: killed.clone(),
        };
        self.registry.all().insert(id, entry);
        let conn = ConnInfo {
            id,
            user: user.into(),
            host: "localhost".into(),
            account_user: user.into(),
            account_host: "localhost".into(),
            database: "s".into(),
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
            kill: kill.clone(),
        };
        let session = Session::open(&self.inst, conn);
        Connection {
            session,
            stage: self.clone(),
            id,
            kill,
            running,
            killed,
            patience: None,
            prepared: 0,
            may_fail_with: Vec::new(),
            sends: None,
            has_variables: false,
            temporaries: Vec::new(),
        }
    }
}

/// One session, read strictly.
pub struct Connection {
    session: Session,
    stage: Stage,
    pub id: u64,
    pub kill: Arc<KillSwitch>,
    running: Arc<AtomicBool>,
    killed: Arc<AtomicU64>,
    /// The client vanishes after this many rows of its next statement.
    pub patience: Option<usize>,
    prepared: usize,
    /// Errors of the next statement that are all right beyond those that any statement may have.
    pub may_fail_with: Vec<u16>,
    /// The file that the client sends when the next statement asks for one.
    pub sends: Option<Vec<u8>>,
    /// The session has set user variables, which it keeps.
    pub has_variables: bool,
    /// Temporary tables that it is charged for.
    temporaries: Vec<(String, Temporary)>,
}

/// Bytes that a few user variables take.
const VARIABLES: usize = 1024;
#[derive(Clone, Copy, PartialEq, Eq)]
enum Temporary {
    There,
    Dropped,
}

/// Bytes that the definition of a temporary table takes.
const TEMPORARY: usize = 8 << 10;

impl Connection {
    pub async fn ask(&mut self, sql: &str) -> Answer {
        let mut a = self.begin();
        let end = self.session.query(sql.as_bytes(), &mut a).await;
        self.judge(sql, a, end.result)
    }

    /// Prepares; `None` when that failed as a statement may.
    pub async fn prepare(&mut self, sql: &str) -> Result<PreparedInfo, Answer> {
        let a = self.begin();
        match self.session.prepare(sql.as_bytes()).await {
            Ok(p) => {
                self.running.store(false, Ordering::Relaxed);
                self.prepared += 1;
                Ok(p)
            }
            Err(e) => Err(self.judge(sql, a, Err(e))),
        }
    }

    pub async fn execute(&mut self, sql: &str, id: u32, params: &[ParamValue]) -> Answer {
        let mut a = self.begin();
        let result = self.session.execute(id, params, &mut a).await;
        self.judge(sql, a, result)
    }

    /// A run of an event, which nobody is answered.
    pub async fn run_event(&mut self, run: &EventRun) {
        _ = self.begin();
        let result = self.session.run_event(run).await;
        let mut silent = Answer::default();
        silent.nothing_is_sent();
        self.may_fail_with = vec![1146];
        self.judge("an event", silent, result);
    }

    pub fn forget(&mut self, id: u32) {
        self.session.close_statement(id);
        self.prepared -= 1;
    }

    fn begin(&mut self) -> Answer {
        let a = Answer::for_client(self.patience.take()).with_file(self.sends.take());
        self.killed.store(0, Ordering::Relaxed);
        self.running.store(true, Ordering::Relaxed);
        self.kill.clear_query();
        a
    }

    fn judge(&mut self, sql: &str, mut a: Answer, result: Result<(), SqlError>) -> Answer {
        self.running.store(false, Ordering::Relaxed);
        let wrong = a.end(result);
        let extra = std::mem::take(&mut self.may_fail_with);
        let fine = a.errno() == 0 || extra.contains(&a.errno()) || self.explained(a.errno());
        let killed = self.killed.swap(0, Ordering::Relaxed);
        self.note_temporary(sql, a.error.is_none());
        let (now, used) = (self.stage.rt().now(), self.session.memory().used());
        let mut w = self.stage.world();
        if w.trace {
            let heard =
                a.error.as_ref().map_or(format!("{} rows", a.rows.len()), |e| e.to_string());
            eprintln!("    {} {}: {} -> {heard}", now / 1000, self.id, &sql[..sql.len().min(120)]);
        }
        w.statements += 1;
        w.errors += u64::from(a.error.is_some());
        if let Some(what) = wrong {
            w.fail("stream", format!("{sql}: {what}"));
        }
        if let Some(e) = a.error.as_ref().filter(|_| !fine) {
            w.fail("errors", format!("nothing explains the answer of {sql}: {e}"));
        }
        if killed > 0 && now - killed > self.stage.kill_limit.as_nanos() as u64 {
            let late = (now - killed) / 1_000_000_000;
            w.fail("kill", format!("{sql} ended {late} seconds after it was killed"));
        }
        let kept = if self.has_variables { VARIABLES } else { 0 };
        let kept = kept + self.temporaries.len() * TEMPORARY;
        if self.prepared == 0 && used > kept {
            w.fail("memory", format!("{used} bytes are charged to the session after {sql}"));
        }
        a
    }

    /// Which temporary tables there may be. One whose statement failed may be there, too: the failure may be that of its answer. One that
    /// was dropped goes with the transaction.
    fn note_temporary(&mut self, sql: &str, done: bool) {
        let first = |rest: &str| rest.split([' ', '(']).next().unwrap_or(rest).to_string();
        if let Some(name) = sql.strip_prefix("CREATE TEMPORARY TABLE ").map(first) {
            if !self.temporaries.contains(&(name.clone(), Temporary::There)) {
                self.temporaries.push((name, Temporary::There));
            }
        } else if let Some(name) = sql.strip_prefix("DROP TEMPORARY TABLE ").map(first)
            && done
        {
            let there = self.temporaries.iter_mut().filter(|t| t.0 == name);
            there.for_each(|t| t.1 = Temporary::Dropped);
        }
        if !self.session.status_flags().in_transaction {
            self.temporaries.retain(|t| t.1 == Temporary::There);
        }
    }

    /// What any statement may fail with, and what the faults of this life explain.
    fn explained(&self, errno: u16) -> bool {
        let h = self.stage.injector.happened();
        USUAL.contains(&errno)
            || h.full && matches!(errno, 1021 | 1030 | 1114)
            || (h.read || h.descriptors) && matches!(errno, 1030)
            || self.stage.tight && OUT_OF_MEMORY.contains(&errno)
            || !self.stage.engine_works()
    }

    pub async fn close(self) {
        self.stage.registry.all().remove(&self.id);
        self.session.close().await;
    }
}

/// Network gone, lock wait timeout, deadlock, interrupted, definition changed, locked by another (NOWAIT).
const USUAL: [u16; 6] = [1160, 1205, 1213, 1317, 1412, 3572];
pub const OUT_OF_MEMORY: [u16; 3] = [1038, 4081, 4082];
