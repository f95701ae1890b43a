//! SQL text to answers as text, on an embedded engine over a simulated device: no sockets, no files, no clock.
#![allow(dead_code)]

use std::fmt::Write;
use std::sync::Arc;
use weir_disk::Disk;
use weir_disk::sim::SimDisk;
use weir_engine::{Db, Options};
use weir_rt::sim::SimRt;
use weir_sql::account::{AuthPlugin, PasswordHasher};
use weir_sql::session::{Instance, Session};
use weir_sql::session_api::{
    ColumnMeta, ConnInfo, KillSwitch, OkInfo, OutValue, ParamValue, ResultSink, SinkError,
};
use weir_sql::vars::GlobalVars;

/// Nobody logs in here.
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

/// Passwords that anybody can read, for tests of what becomes of them.
struct PlainPasswords;

impl PasswordHasher for PlainPasswords {
    fn hash(&self, _: AuthPlugin, password: &[u8]) -> String {
        let text = String::from_utf8_lossy(password);
        if text.is_empty() { String::new() } else { format!("h:{text}") }
    }
    fn verify(&self, plugin: AuthPlugin, credential: &str, password: &[u8]) -> bool {
        self.hash(plugin, password) == credential
    }
    fn is_credential(&self, _: AuthPlugin, text: &str) -> bool {
        text.starts_with("h:")
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Nothing,
    Rows,
    Ended,
}

/// What a statement answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// How far the answer has come: each begins once and ends once.
    stage: Stage,
    pub columns: Vec<String>,
    /// Values of a row joined by `|`.
    pub rows: Vec<String>,
    /// The results of a CALL before its end, each as a line.
    pub results: Vec<String>,
    pub affected: u64,
    pub insert_id: u64,
    pub info: String,
    pub warnings: u16,
    /// What the end of the answer says about it.
    pub pressure: Option<u16>,
    /// Number and message.
    pub error: Option<(u16, String)>,
}

impl Answer {
    /// The answer in one line: rows joined by `; `, or `ok N`, or the error.
    pub fn line(&self) -> String {
        match &self.error {
            Some((no, message)) => format!("E{no} {message}"),
            None if self.columns.is_empty() && !self.results.is_empty() => self.results.join(" / "),
            None if self.columns.is_empty() => format!("ok {}", self.affected),
            None => self.rows.join("; "),
        }
    }

    pub fn errno(&self) -> u16 {
        self.error.as_ref().map_or(0, |e| e.0)
    }
}

impl ResultSink for Answer {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        assert_eq!(self.stage, Stage::Nothing, "a result has one header");
        self.stage = Stage::Rows;
        self.columns = cols.iter().map(|c| c.name.to_string()).collect();
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        assert_eq!(self.stage, Stage::Rows, "rows follow their header");
        assert_eq!(row.len(), self.columns.len(), "a row has the announced columns");
        let text: Vec<String> = row.iter().map(show).collect();
        self.rows.push(text.join("|"));
        Ok(())
    }

    fn hold(&mut self) -> bool {
        true
    }

    fn hold_all(&mut self) -> bool {
        assert!(self.stage == Stage::Nothing && self.rows.is_empty());
        true
    }

    fn take_back(&mut self) {
        self.stage = Stage::Nothing;
        self.rows.clear();
        self.columns.clear();
    }

    fn end_rows(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        assert_eq!(self.stage, Stage::Rows, "the end of rows follows a header, once");
        self.stage = Stage::Ended;
        if ok.more_results {
            self.stage = Stage::Nothing;
            let rows = std::mem::take(&mut self.rows).join("; ");
            self.results.push(if ok.out_params { format!("OUT {rows}") } else { rows });
            self.columns.clear();
        }
        self.warnings = ok.warnings;
        self.pressure = ok.pressure;
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        assert_eq!(self.stage, Stage::Nothing, "an OK is the whole answer");
        self.stage = Stage::Ended;
        self.affected = ok.affected_rows;
        self.insert_id = ok.last_insert_id;
        self.warnings = ok.warnings;
        self.info = ok.info.to_string();
        self.pressure = ok.pressure;
        Ok(())
    }
}

fn fraction(out: &mut String, micros: u32, decimals: u8) {
    if decimals > 0 {
        let digits = format!("{micros:06}");
        let _ = write!(out, ".{}", &digits[..usize::from(decimals.min(6))]);
    }
}

fn show(v: &OutValue<'_>) -> String {
    let mut out = String::new();
    match *v {
        OutValue::Null => out.push_str("NULL"),
        OutValue::Int(n) => out = n.to_string(),
        OutValue::UInt(n) => out = n.to_string(),
        OutValue::Double(x) => out = x.to_string(),
        OutValue::Float(x) => out = x.to_string(),
        OutValue::Bytes(b) | OutValue::Shown(_, b) => out = String::from_utf8_lossy(b).into_owned(),
        OutValue::Date { year, month, day } => {
            let _ = write!(out, "{year:04}-{month:02}-{day:02}");
        }
        OutValue::DateTime { year, month, day, hour, minute, second, micros, decimals } => {
            let _ = write!(out, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
            fraction(&mut out, micros, decimals);
        }
        OutValue::Time { negative, hours, minutes, seconds, micros, decimals } => {
            let sign = if negative { "-" } else { "" };
            let _ = write!(out, "{sign}{hours:02}:{minutes:02}:{seconds:02}");
            fraction(&mut out, micros, decimals);
        }
    }
    out
}

/// One session that can be asked.
pub struct Client(pub Session);

impl Client {
    /// Runs one statement.
    pub async fn ask(&mut self, sql: &str) -> Answer {
        let mut answer = Answer::default();
        let end = self.0.query(sql.as_bytes(), &mut answer).await;
        answer.error = end.result.err().map(|e| (e.errno, e.message));
        answer
    }

    /// Runs one statement that must succeed; its answer in one line.
    pub async fn rows(&mut self, sql: &str) -> String {
        let a = self.ask(sql).await;
        assert!(a.error.is_none(), "{sql}\n  {}", a.line());
        a.line()
    }

    /// Runs statements that must succeed.
    pub async fn all(&mut self, statements: &[&str]) {
        for sql in statements {
            self.rows(sql).await;
        }
    }

    /// Runs a statement by the binary protocol's two steps.
    pub async fn execute(&mut self, id: u32, params: &[ParamValue]) -> Answer {
        let mut answer = Answer::default();
        let result = self.0.execute(id, params, &mut answer).await;
        answer.error = result.err().map(|e| (e.errno, e.message));
        answer
    }

    /// Each statement with the answer it must give, as [`Answer::line`] has it; an expectation of `E` and a number
    /// alone takes any message. Tells all differences at once.
    pub async fn check(&mut self, cases: &[(&str, &str)]) {
        let mut bad = String::new();
        for (sql, want) in cases {
            let got = self.ask(sql).await;
            let line = got.line();
            let number_only = want.strip_prefix('E').and_then(|n| n.parse::<u16>().ok());
            let same = number_only.map_or(line == *want, |n| got.errno() == n);
            if !same {
                let _ = writeln!(bad, "{sql}\n  want {want}\n  got  {line}");
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
    }
}

/// A database with an empty default schema `test`, and what opens sessions on it.
pub struct Server {
    pub inst: Arc<Instance>,
    next: std::sync::atomic::AtomicU64,
}

impl Server {
    /// The same database as a start finds it that comes now.
    pub async fn again(&self) -> Server {
        let vars = Arc::new(GlobalVars::default());
        let inst = Instance::open(self.inst.db.clone(), vars, Box::new(NoPasswords)).await;
        Server { inst: inst.expect("opens"), next: 1000.into() }
    }

    /// The same, where passwords are kept.
    pub async fn with_passwords(&self) -> Server {
        let vars = Arc::new(GlobalVars::default());
        let inst = Instance::open(self.inst.db.clone(), vars, Box::new(PlainPasswords)).await;
        Server { inst: inst.expect("opens"), next: 2000.into() }
    }

    /// A session that is opened as a login does it, after the proof of the password; or the number of the error. `can_change`: the
    /// client says that it can change an expired password.
    pub fn log_in(&self, user: &str, can_change: bool) -> Result<Client, u16> {
        let mut c = self.client_of(user);
        c.0.log_in(can_change).map(|()| c).map_err(|e| e.errno)
    }

    pub fn kill_switch(&self) -> Arc<KillSwitch> {
        Arc::new(KillSwitch::default())
    }

    pub fn client(&self) -> Client {
        self.client_with(self.kill_switch())
    }

    /// A session of another account.
    pub fn client_of(&self, user: &str) -> Client {
        self.open(user, "", self.kill_switch())
    }

    /// The same, in a schema.
    pub fn client_in(&self, user: &str, database: &str) -> Client {
        self.open(user, database, self.kill_switch())
    }

    /// A session that `kill` reaches.
    pub fn client_with(&self, kill: Arc<KillSwitch>) -> Client {
        self.open("root", "test", kill)
    }

    /// Who opens a session.
    pub fn conn(&self, user: &str, database: &str, kill: Arc<KillSwitch>) -> ConnInfo {
        let id = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ConnInfo {
            id,
            user: user.into(),
            host: "localhost".into(),
            account_user: user.into(),
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
            kill,
        }
    }

    fn open(&self, user: &str, database: &str, kill: Arc<KillSwitch>) -> Client {
        Client(Session::open(&self.inst, self.conn(user, database, kill)))
    }
}

/// Plants the bug that the environment names, the engine's or one above it, for anyone who asks which tests find it: `WEIR_PLANT=bug`,
/// `--features planted`.
fn plant() {
    #[cfg(feature = "planted")]
    if let Ok(name) = std::env::var("WEIR_PLANT") {
        weir_sql::planted::plant(weir_sql::planted::by_name(&name));
        weir_engine::planted::plant(weir_engine::planted::by_name(&name));
    }
}

/// Runs a test's body on a fresh database, in virtual time.
pub fn with_server<F>(seed: u64, body: impl FnOnce(Server) -> F)
where
    F: Future<Output = ()>,
{
    plant();
    let sim = SimRt::new(seed);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), seed);
    let done = sim.run(async {
        let server = start(&rt, &disk).await;
        let db = server.inst.db.clone();
        let mut c = server.client();
        c.rows("create database test").await;
        c.0.close().await;
        body(server).await;
        db.shutdown().await.expect("shuts down");
    });
    done.expect("nothing waits for ever");
}

async fn start(rt: &weir_rt::Rt, disk: &SimDisk) -> Server {
    let options = Options {
        buffer_pool: 16 << 20,
        redo_capacity: 16 << 20,
        log_buffer: 1 << 20,
        ..Options::default()
    };
    start_on(rt, Arc::new(disk.clone()), options).await
}

/// A server on a device of the test's own, with its options.
pub async fn start_on(rt: &weir_rt::Rt, disk: Arc<dyn Disk>, options: Options) -> Server {
    let fatal = Arc::new(|e: &weir_engine::Error| panic!("the engine gave up: {e}"));
    let db = Db::open(rt, disk, Options { fatal, ..options }).await.expect("opens the device");
    let vars = Arc::new(GlobalVars::default());
    let inst = Instance::open(db, vars, Box::new(NoPasswords)).await.expect("opens");
    Server { inst, next: 1.into() }
}

/// Runs statements and checks their answers, with a stop and a start of the server between two lists of them.
pub fn check_lives(lives: &[&[(&str, &str)]]) {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    let done = sim.run(async {
        for (n, cases) in lives.iter().enumerate() {
            let server = start(&rt, &disk).await;
            let db = server.inst.db.clone();
            let mut c = server.client();
            if n == 0 {
                c.rows("create database test").await;
            }
            c.check(cases).await;
            c.0.close().await;
            drop(server);
            db.shutdown().await.expect("shuts down");
        }
    });
    done.expect("nothing waits for ever");
}

/// Runs statements in a session that a crash cuts off, when another one's `durable` has made the log durable; then others after the start.
pub fn check_over_a_crash(before: &[(&str, &str)], durable: &str, after: &[(&str, &str)]) {
    let first = SimRt::new(1);
    let rt = first.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    let done = first.run(async {
        let server = start(&rt, &disk).await;
        let (mut c, mut other) = (server.client(), server.client());
        c.rows("create database test").await;
        c.check(before).await;
        other.rows(durable).await;
        // Neither closes: the crash comes first.
        std::mem::forget((c, other));
    });
    done.expect("nothing waits for ever");
    let second = SimRt::new(2);
    let rt = second.rt();
    let disk = disk.crash(rt.clone(), 2);
    first.kill_all();
    let done = second.run(async {
        let server = start(&rt, &disk).await;
        let db = server.inst.db.clone();
        let mut c = server.client();
        c.check(after).await;
        c.0.close().await;
        drop(server);
        db.shutdown().await.expect("shuts down");
    });
    done.expect("nothing waits for ever");
}

/// Statements on a fresh database, answers as text.
pub fn run_sql(statements: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    with_server(1, |server| async {
        let mut c = server.client();
        for sql in statements {
            out.push(c.ask(sql).await.line());
        }
        c.0.close().await;
        drop(server);
    });
    out
}

/// Statements of one client and what they answer, on a server of their own.
pub fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}
