//! An open database: the engine on its directory, the instance over it, and its end.
//!
//! Invariants: the engine is stopped when the last handle is gone, whatever the order in which they go; a process that was forked from
//! the one that opened the database neither uses nor stops it.

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::options::{Builder, OF_A_SERVER, OF_CLIENTS, of_a_server};
use crate::sessions::Registry;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use weir_boot::engine::{Embedding, engine_options, open as open_engine};
use weir_boot::files::MachineFiles;
use weir_boot::options::ServeOptions;
use weir_boot::passwords::Hasher;
use weir_boot::persisted::{self, KeptFile};
use weir_boot::{budget, identity};
use weir_disk::MemoryDisk;
use weir_engine::Db;
use weir_rt::{Process, Rt};
use weir_sql::session::Instance;
use weir_sql::vars::{GlobalVars, Var, VarValue};

/// Whether a server runs in the program.
type Runs = Arc<AtomicBool>;

/// Takes lines that a server would write to its error log.
pub(crate) type LogLine = Arc<dyn Fn(&str) + Send + Sync>;

/// A database inside this program. Clones are handles to the same one; it is closed with the last of them and of its connections.
///
/// ```
/// # use weir::{params, Database};
/// # fn main() -> weir::Result<()> {
/// # let dir = std::env::temp_dir().join(format!("weir-doc-open-{}", std::process::id()));
/// let db = Database::open(&dir)?;
/// let mut conn = db.connect()?;
/// conn.execute("CREATE DATABASE IF NOT EXISTS app", ())?;
/// conn.use_database("app")?;
/// conn.execute("CREATE TABLE IF NOT EXISTS t (id BIGINT PRIMARY KEY, name TEXT)", ())?;
/// conn.execute("INSERT INTO t VALUES (?, ?)", params![1, "one"])?;
/// let name: String = conn.query_row("SELECT name FROM t WHERE id = ?", params![1])?.get("name")?;
/// assert_eq!(name, "one");
/// drop(conn);
/// db.close()?;
/// # std::fs::remove_dir_all(&dir).unwrap();
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Database {
    pub(crate) inner: Arc<Inner>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").field("path", &self.path()).finish_non_exhaustive()
    }
}

/// What all handles share.
pub(crate) struct Inner {
    /// There until the drop.
    parts: Option<Parts>,
    pub sessions: Arc<Registry>,
    /// What the engine has said when it could not go on.
    failed: Arc<OnceLock<String>>,
    /// The process that has opened it.
    process: Process,
    pub path: Option<PathBuf>,
    notes: Vec<String>,
    #[cfg(feature = "serve")]
    pub served: crate::serving::Served,
}

struct Parts {
    rt: Rt,
    inst: Arc<Instance>,
}

impl Inner {
    fn parts(&self) -> &Parts {
        self.parts.as_ref().expect("the parts are there until the drop")
    }

    pub fn rt(&self) -> &Rt {
        &self.parts().rt
    }

    pub fn inst(&self) -> &Arc<Instance> {
        &self.parts().inst
    }

    /// Whether this process may use the database, and the database can be used.
    pub fn check(&self) -> Result<()> {
        if self.is_forked() {
            return Err(Error::Forked { pid: self.process.id() });
        }
        match self.failed.get() {
            None => Ok(()),
            Some(message) => Err(Error::Failed { message: message.clone() }),
        }
    }

    /// The threads of the engine are the other process's.
    pub fn is_forked(&self) -> bool {
        !self.process.is_current()
    }

    /// Writes all pages and ends the log, so that the next open has nothing to recover.
    fn stop(&mut self) -> Result<()> {
        let Some(parts) = self.parts.take() else { return Ok(()) };
        if self.is_forked() {
            // Its locks may be held by threads that are not here, and its files are being written by the other process.
            std::mem::forget(parts);
            return Err(Error::Forked { pid: self.process.id() });
        }
        let ended = parts.rt.block_on(parts.inst.db.shutdown());
        ended.map_err(|e| Error::Failed { message: format!("closing failed: {e}") })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Who wants to know closes the database by hand. The next open recovers what was not written.
        let _ = self.stop();
    }
}

impl Database {
    /// Opens the database in a directory, which is made where there is none. The directory is locked: no other process can open it
    /// meanwhile, `weir serve` included.
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        Builder::default().open(path)
    }

    /// Makes an empty database in memory, which ends with its last handle.
    pub fn open_in_memory() -> Result<Database> {
        Builder::default().open_in_memory()
    }

    /// Options for the opening.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn open_with(
        path: Option<PathBuf>,
        options: ServeOptions,
        log: Option<LogLine>,
    ) -> Result<Database> {
        let vars = Arc::new(GlobalVars::default());
        let of_option = |message| Error::Option { name: "options".into(), message };
        let mut notes = options.apply(&vars).map_err(of_option)?;
        if let Ok(name) = weir_sql::value::use_zone_of_machine() {
            vars.put(Var::system_time_zone, VarValue::Str(name.into()));
        }
        let path = path.map(|p| std::path::absolute(&p).unwrap_or(p));
        let mut kept = Default::default();
        if let Some(dir) = &path {
            vars.put(Var::datadir, VarValue::Str(dir.display().to_string().into()));
            let (values, told) = persisted::load(dir, &vars, &options).map_err(of_option)?;
            kept = values;
            notes.extend(told);
        }
        let failed: Arc<OnceLock<String>> = Arc::default();
        let embedding = embedding(log.clone(), failed.clone());
        let rt = Rt::real();
        let db = engine(&rt, path.as_deref(), &vars, &options, embedding)?;
        let runs: Runs = Arc::default();
        let opened = settle(&rt, &db, &vars, path.as_deref(), kept, &runs);
        let inst = match opened {
            Ok(inst) => inst,
            Err(e) => {
                // The failure was reported; the stop only frees the directory.
                let _ = rt.block_on(db.shutdown());
                return Err(e);
            }
        };
        let sessions = Arc::new(Registry::default());
        // Set once: the instance is new.
        let _ = inst.sessions.set(sessions.clone());
        let of = sessions.clone();
        inst.db.read_statements_by(Arc::new(move |id, to| of.statement(id, to)));
        if let Some(log) = &log {
            notes.iter().for_each(|n| log(n));
        }
        let process = Process::current();
        let parts = Some(Parts { rt, inst });
        let inner = Inner {
            parts,
            sessions,
            failed,
            process,
            path,
            notes,
            #[cfg(feature = "serve")]
            served: crate::serving::Served::of(runs),
        };
        Ok(Database { inner: Arc::new(inner) })
    }

    /// A new connection: a session of its own, with its transaction, variables and prepared statements. Connections may be used from
    /// different threads at the same time.
    pub fn connect(&self) -> Result<Connection> {
        Connection::open(&self.inner)
    }

    /// Writes what is left to write and closes the database, so that the next open has nothing to recover. Dropping the last handle does
    /// the same and tells nobody what has failed.
    ///
    /// Errors: [`Error::Misuse`] while other handles or connections are there; the database is closed with the last of them then.
    pub fn close(self) -> Result<()> {
        let sessions = self.inner.sessions.clone();
        match Arc::into_inner(self.inner) {
            Some(mut inner) => inner.stop(),
            None => Err(Error::misuse(format!(
                "the database is in use by other handles and {} connections; it is closed with the last of them",
                sessions.len()
            ))),
        }
    }

    /// Its directory; `None`: it is in memory.
    pub fn path(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }

    /// What there was to say of its options.
    pub fn notes(&self) -> &[String] {
        &self.inner.notes
    }

    /// Why the storage engine cannot go on, if it cannot.
    pub fn failure(&self) -> Option<&str> {
        self.inner.failed.get().map(String::as_str)
    }
}

fn embedding(log: Option<LogLine>, failed: Arc<OnceLock<String>>) -> Embedding {
    let log = log.unwrap_or_else(|| Arc::new(|_| {}));
    let also = log.clone();
    let fatal = move |e: &weir_engine::Error| {
        let text = format!("the storage engine cannot go on: {e}; the next open recovers");
        also(&text);
        // The first failure is the cause of the others.
        let _ = failed.set(text);
    };
    Embedding { log_on_demand: true, ..Embedding::new(log, Arc::new(fatal)) }
}

/// The engine on its directory, or in memory.
fn engine(
    rt: &Rt,
    path: Option<&Path>,
    vars: &GlobalVars,
    options: &ServeOptions,
    embedding: Embedding,
) -> Result<Db> {
    let opened = match path {
        Some(dir) => open_engine(rt, dir, vars, options, embedding),
        None => {
            let o = engine_options(vars, options, embedding);
            let opened = rt.block_on(Db::open(rt, Arc::new(MemoryDisk::new()), o));
            opened.map_err(|e| format!("cannot make a database in memory: {e}"))
        }
    };
    opened.map_err(|message| match path {
        Some(dir) if message.contains("is in use by ") => {
            Error::InUse { path: dir.to_path_buf(), message }
        }
        _ => Error::Open { message },
    })
}

/// The instance over an open engine, with what a server would give it as well.
fn settle(
    rt: &Rt,
    db: &Db,
    vars: &Arc<GlobalVars>,
    path: Option<&Path>,
    kept: std::collections::BTreeMap<&'static str, weir_sql::vars::PersistedValue>,
    runs: &Runs,
) -> Result<Arc<Instance>> {
    let wrong = |message: String| Error::Open { message };
    let inst = rt
        .block_on(Instance::open(db.clone(), vars.clone(), Box::new(Hasher::new(rt.clone()))))
        .map_err(|e| wrong(format!("cannot read the accounts: {}", e.message)))?;
    if let Some(dir) = path {
        // A directory that cannot keep its name is opened all the same: nothing in the data depends on it.
        let (uuid, _) = identity::program_uuid(dir).map_err(wrong)?;
        vars.put(Var::server_uuid, VarValue::Str(uuid.into()));
        inst.persisted.open(kept, Arc::new(KeptFile::of(dir)));
        let files = MachineFiles::new(&vars.text(Var::secure_file_priv), dir).map_err(wrong)?;
        // Set once: the instance is new.
        let _ = inst.server_files.set(Arc::new(files));
    }
    // Events run on threads of a server, whatever the directory has kept of its settings.
    vars.put(Var::event_scheduler, VarValue::Enum(0));
    budget::enforce(&inst);
    inst.meta.set_limit(vars.u64(Var::table_open_cache) as usize);
    let cache = Arc::downgrade(&inst);
    vars.on_change(
        Var::table_open_cache,
        Box::new(move |v| {
            if let (Some(inst), VarValue::UInt(n)) = (cache.upgrade(), v) {
                inst.meta.set_limit(*n as usize);
            }
            Ok(())
        }),
    );
    for var in OF_A_SERVER {
        let text = of_a_server(*var);
        vars.on_change(*var, Box::new(move |_| Err(text.clone())));
    }
    for var in OF_CLIENTS.iter().chain(&[Var::event_scheduler]) {
        let (text, runs) = (of_a_server(*var), runs.clone());
        let serves = move || if runs.load(Ordering::Acquire) { Ok(()) } else { Err(text.clone()) };
        vars.on_change(*var, Box::new(move |_| serves()));
    }
    Ok(inst)
}
