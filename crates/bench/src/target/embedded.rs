//! Weir in this process: the same session API that the server drives, without a socket.

use super::{Cell, Rows, Session, Value, rows::push_cents};
use crate::error::{Error, Result};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_engine::{Db, FatalFn};
use weir_rt::Rt;
use weir_server::boot;
use weir_server::options::{self, Wanted};
use weir_sql::session::{Instance, Session as SqlSession};
use weir_sql::session_api::{
    ColumnMeta, ConnInfo, KillSwitch, OkInfo, OutValue, ParamValue, ResultSink, SinkError, SqlError,
};
use weir_sql::vars::{GlobalVars, Var};

/// An open data directory with what sessions on it share.
pub struct Embedded {
    pub rt: Rt,
    pub db: Db,
    pub inst: Arc<Instance>,
    dir: PathBuf,
    fresh: bool,
    next_id: AtomicU64,
}

impl Embedded {
    /// `dir`: none makes a fresh directory here, which [`Embedded::close`] removes.
    pub fn open(dir: Option<&str>, settings: &[String]) -> Result<Embedded> {
        let fresh = dir.is_none();
        let dir = match dir {
            Some(d) => PathBuf::from(d),
            None => fresh_dir()?,
        };
        let opened = open_at(&dir, settings);
        if opened.is_err() && fresh {
            let _ = std::fs::remove_dir_all(&dir);
        }
        let (rt, db, inst) = opened?;
        Ok(Embedded { rt, db, inst, dir, fresh, next_id: AtomicU64::new(1) })
    }

    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    pub fn describe(&self) -> String {
        if self.fresh {
            "embedded (fresh data directory)".into()
        } else {
            format!("embedded:{}", self.dir.display())
        }
    }

    pub fn close(self) -> Result<()> {
        let end = self.rt.block_on(self.db.shutdown());
        let Embedded { dir, fresh, db, inst, .. } = self;
        drop((inst, db));
        if fresh {
            std::fs::remove_dir_all(&dir)
                .map_err(|e| Error::other(format!("cannot remove '{}': {e}", dir.display())))?;
            return Ok(());
        }
        end.map_err(|e| Error::other(format!("closing '{}' failed: {e}", dir.display())))
    }
}

/// Made in the current directory, whose device is the one to measure; /tmp is often memory.
fn fresh_dir() -> Result<PathBuf> {
    for n in 0..100 {
        let dir = PathBuf::from(format!("weir-bench-data-{}-{n}", std::process::id()));
        match std::fs::create_dir(&dir) {
            Ok(()) => return Ok(dir),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => {
                return Err(Error::other(format!(
                    "cannot make the data directory '{}': {e}; --target=embedded:DIR takes another place",
                    dir.display()
                )));
            }
        }
    }
    Err(Error::other("a hundred data directories weir-bench-data-* are in the way; remove them"))
}

fn open_at(dir: &Path, settings: &[String]) -> Result<(Rt, Db, Arc<Instance>)> {
    let list: Vec<String> = settings.iter().map(|s| format!("--{s}")).collect();
    let Wanted::Serve(given) = options::read(&list).map_err(Error::Other)? else {
        return Err(Error::other("'--set help' is no setting; `weir serve --help` lists them"));
    };
    let vars = Arc::new(GlobalVars::default());
    given.apply(&vars).map_err(Error::Other)?;
    let rt = Rt::real();
    // What was committed is not known any more: a figure measured on would be a lie.
    let fatal: FatalFn = Arc::new(|e| {
        eprintln!("weir: the storage engine cannot go on: {e}");
        std::process::exit(70);
    });
    let embedding = boot::Embedding::new(Arc::new(|_| {}), fatal);
    let db = boot::open(&rt, dir, &vars, &given, embedding).map_err(Error::Other)?;
    vars.put(Var::datadir, weir_sql::vars::VarValue::Str(dir.display().to_string().into()));
    let hasher = Box::new(weir_server::crypto::Hasher::new(rt.clone()));
    let inst = rt
        .block_on(Instance::open(db.clone(), vars, hasher))
        .map_err(|e| Error::other(format!("cannot read the accounts: {}", e.message)))?;
    Ok((rt, db, inst))
}

/// One session; closed (and rolled back) when dropped.
pub struct EmbeddedSession {
    rt: Rt,
    session: Option<SqlSession>,
    params: Vec<ParamValue>,
}

impl EmbeddedSession {
    pub fn open(e: &Embedded, schema: &str) -> Result<EmbeddedSession> {
        let mut session = SqlSession::open(
            &e.inst,
            ConnInfo {
                id: e.next_id.fetch_add(1, Ordering::Relaxed),
                user: "root".into(),
                host: "localhost".into(),
                account_user: "root".into(),
                account_host: "localhost".into(),
                database: String::new(),
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
        );
        if !schema.is_empty() {
            e.rt.block_on(session.init_db(schema)).map_err(server)?;
        }
        Ok(EmbeddedSession { rt: e.rt.clone(), session: Some(session), params: Vec::new() })
    }

    fn session(&mut self) -> &mut SqlSession {
        self.session.as_mut().expect("there until the drop")
    }
}

impl Drop for EmbeddedSession {
    fn drop(&mut self) {
        if let Some(s) = self.session.take() {
            self.rt.block_on(s.close());
        }
    }
}

fn server(e: SqlError) -> Error {
    Error::Server { errno: e.errno, message: e.message }
}

impl Session for EmbeddedSession {
    fn prepare(&mut self, sql: &str) -> Result<u32> {
        let rt = self.rt.clone();
        let info = rt.block_on(self.session().prepare(sql.as_bytes())).map_err(server)?;
        Ok(info.id)
    }

    fn execute(&mut self, id: u32, params: &[Value<'_>], rows: &mut Rows) -> Result<()> {
        let rt = self.rt.clone();
        let mut list = std::mem::take(&mut self.params);
        list.clear();
        list.extend(params.iter().map(param));
        rows.begin(0);
        let r = rt.block_on(self.session().execute(id, &list, &mut Sink(rows)));
        self.params = list;
        r.map_err(server)
    }

    fn query(&mut self, sql: &str, rows: &mut Rows) -> Result<()> {
        let rt = self.rt.clone();
        rows.begin(0);
        let end = rt.block_on(self.session().query(sql.as_bytes(), &mut Sink(rows)));
        end.result.map_err(server)
    }
}

fn param(v: &Value<'_>) -> ParamValue {
    match v {
        Value::Null => ParamValue::Null,
        Value::Int(n) => ParamValue::Int(*n),
        Value::Cents(n) => {
            let mut text = Vec::with_capacity(16);
            push_cents(&mut text, *n);
            ParamValue::Decimal(text)
        }
        Value::Text(t) => ParamValue::Bytes(t.as_bytes().to_vec()),
    }
}

/// The answer into cells, as a client of the protocol would decode it.
struct Sink<'r>(&'r mut Rows);

impl ResultSink for Sink<'_> {
    fn columns(&mut self, cols: &[ColumnMeta]) -> std::result::Result<(), SinkError> {
        self.0.begin(cols.len());
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> std::result::Result<(), SinkError> {
        let mut text = Vec::new();
        for v in row {
            match *v {
                OutValue::Null => self.0.push(Cell::Null),
                OutValue::Int(n) => self.0.push(Cell::Int(n)),
                OutValue::UInt(n) => self.0.push(Cell::Int(n as i64)),
                OutValue::Double(x) | OutValue::Shown(x, _) => self.0.push(Cell::Double(x)),
                OutValue::Float(x) => self.0.push(Cell::Double(x.into())),
                OutValue::Bytes(b) => self.0.push_bytes(b),
                OutValue::Date { year, month, day } => {
                    text.clear();
                    let _ = write!(text, "{year:04}-{month:02}-{day:02}");
                    self.0.push_bytes(&text);
                }
                OutValue::DateTime { year, month, day, hour, minute, second, .. } => {
                    text.clear();
                    let _ = write!(
                        text,
                        "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
                    );
                    self.0.push_bytes(&text);
                }
                OutValue::Time { negative, hours, minutes, seconds, .. } => {
                    text.clear();
                    let sign = if negative { "-" } else { "" };
                    let _ = write!(text, "{sign}{hours:02}:{minutes:02}:{seconds:02}");
                    self.0.push_bytes(&text);
                }
            }
        }
        Ok(())
    }

    fn end_rows(&mut self, _: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        self.0.affected = ok.affected_rows;
        Ok(())
    }
}
