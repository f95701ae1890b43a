//! The general log and the slow query log: files in MySQL's format, which `mysqldumpslow`, `pt-query-digest` and their like read.
//!
//! A statement is written when it has ended (slow) or before it begins (general), one `write` each, so that lines of several
//! connections do not mix. A log that cannot be written is told of once in the error log, and turned off.

use crate::log;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_sql::files::StatementLogs;
use weir_sql::session_api::SqlError;
use weir_sql::vars::{GlobalVars, Var, VarValue};

/// Both logs of a server.
pub struct Logs {
    pub general: LogFile,
    pub slow: LogFile,
    /// `log_queries_not_using_indexes`.
    unindexed: AtomicBool,
    /// `log_slow_admin_statements`.
    admin: AtomicBool,
    /// `log_output` has FILE in it.
    to_files: AtomicBool,
}

/// One of them.
pub struct LogFile {
    name: &'static str,
    on: AtomicBool,
    datadir: PathBuf,
    /// What the first lines of a file say of the server.
    header: String,
    state: Mutex<State>,
}

struct State {
    path: String,
    file: Option<File>,
    /// The default database that the last lines of the slow log have named.
    database: String,
}

impl LogFile {
    fn new(name: &'static str, path: String, datadir: &Path, header: String) -> LogFile {
        let state = State { path, file: None, database: String::new() };
        let on = AtomicBool::new(false);
        LogFile { name, on, datadir: datadir.into(), header, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Opens the file, which gets a header, or closes it.
    fn turn(&self, on: bool) -> Result<(), String> {
        let mut state = self.state();
        state.file = None;
        if on {
            state.file = Some(self.open(&state.path)?);
            state.database.clear();
        }
        self.on.store(on, Ordering::Relaxed);
        Ok(())
    }

    fn open(&self, path: &str) -> Result<File, String> {
        let whole = self.datadir.join(path);
        let tell = |e| format!("cannot write the {} '{}': {e}", self.name, whole.display());
        let mut file = File::options().create(true).append(true).open(&whole).map_err(tell)?;
        file.write_all(self.header.as_bytes()).map_err(tell)?;
        Ok(file)
    }

    /// Goes on in another file.
    fn move_to(&self, path: &str) -> Result<(), String> {
        if path.is_empty() {
            return Err("a log has a name".into());
        }
        let file = if self.is_on() { Some(self.open(path)?) } else { None };
        let mut state = self.state();
        (state.path, state.file) = (path.into(), file);
        state.database.clear();
        Ok(())
    }

    /// FLUSH LOGS, behind a program that has renamed the file.
    fn reopen(&self) -> Result<(), String> {
        if self.is_on() { self.turn(true) } else { Ok(()) }
    }

    fn write(&self, state: &mut State, bytes: &[u8]) {
        let Some(file) = state.file.as_mut() else { return };
        if let Err(e) = file.write_all(bytes) {
            self.on.store(false, Ordering::Relaxed);
            state.file = None;
            log::error(&format!(
                "cannot write the {} '{}': {e}; it is off until it is turned on again",
                self.name, state.path
            ));
        }
    }
}

/// A statement that has ended, for the slow query log.
pub struct Ended<'a> {
    pub id: u64,
    pub user: &'a str,
    pub account: &'a str,
    pub host: &'a str,
    pub ip: &'a str,
    pub database: &'a str,
    /// Seconds since 1970 when it began.
    pub began: u64,
    pub micros: u64,
    pub lock_nanos: u64,
    pub sent: u64,
    pub examined: u64,
    pub text: &'a [u8],
}

impl Logs {
    /// Follows the variables from now on.
    pub fn new(
        vars: &Arc<GlobalVars>,
        datadir: &Path,
        header: String,
    ) -> Result<Arc<Logs>, String> {
        let host = match vars.text(Var::hostname) {
            host if host.is_empty() => "weir".to_owned(),
            host => host,
        };
        for (var, end) in [(Var::general_log_file, ".log"), (Var::slow_query_log_file, "-slow.log")]
        {
            if vars.text(var).is_empty() {
                vars.put(var, VarValue::Str(format!("{host}{end}").into()));
            }
        }
        let file = |name, var| LogFile::new(name, vars.text(var), datadir, header.clone());
        let logs = Arc::new(Logs {
            general: file("general log", Var::general_log_file),
            slow: file("slow query log", Var::slow_query_log_file),
            unindexed: AtomicBool::new(vars.bool(Var::log_queries_not_using_indexes)),
            admin: AtomicBool::new(vars.bool(Var::log_slow_admin_statements)),
            to_files: AtomicBool::new(true),
        });
        logs.outputs(&vars.get(Var::log_output));
        logs.general.turn(vars.bool(Var::general_log))?;
        logs.slow.turn(vars.bool(Var::slow_query_log))?;
        for var in [
            Var::general_log,
            Var::slow_query_log,
            Var::general_log_file,
            Var::slow_query_log_file,
            Var::log_queries_not_using_indexes,
            Var::log_slow_admin_statements,
            Var::log_output,
        ] {
            let logs = logs.clone();
            vars.on_change(var, Box::new(move |value| logs.follow(var, value)));
        }
        Ok(logs)
    }

    fn follow(&self, var: Var, value: &VarValue) -> Result<(), String> {
        let on = matches!(value, VarValue::Bool(true));
        let of = |var| match var {
            Var::general_log | Var::general_log_file => &self.general,
            _ => &self.slow,
        };
        match (var, value) {
            (Var::general_log | Var::slow_query_log, _) => return of(var).turn(on),
            (Var::general_log_file | Var::slow_query_log_file, VarValue::Str(path)) => {
                return of(var).move_to(path);
            }
            (Var::log_queries_not_using_indexes, _) => self.unindexed.store(on, Ordering::Relaxed),
            (Var::log_slow_admin_statements, _) => self.admin.store(on, Ordering::Relaxed),
            (Var::log_output, value) => self.outputs(value),
            _ => {}
        }
        Ok(())
    }

    fn outputs(&self, value: &VarValue) {
        // NONE comes before FILE, and takes all.
        let to_files = matches!(value, VarValue::Set(bits) if bits & 0b11 == 0b10);
        self.to_files.store(to_files, Ordering::Relaxed);
    }

    pub fn general_is_on(&self) -> bool {
        self.general.is_on() && self.to_files.load(Ordering::Relaxed)
    }

    pub fn slow_is_on(&self) -> bool {
        self.slow.is_on() && self.to_files.load(Ordering::Relaxed)
    }

    /// Statements that read whole tables are slow, however long they take.
    pub fn wants_unindexed(&self) -> bool {
        self.unindexed.load(Ordering::Relaxed)
    }

    /// ALTER TABLE and its like.
    pub fn wants_admin(&self) -> bool {
        self.admin.load(Ordering::Relaxed)
    }

    /// A command arrives.
    pub fn command(&self, id: u64, command: &str, argument: &[u8]) {
        let mut line = format!("{}\t{id:5} {command}\t", log::now()).into_bytes();
        line.extend_from_slice(argument);
        line.push(b'\n');
        let mut state = self.general.state();
        self.general.write(&mut state, &line);
    }

    pub fn slow(&self, s: &Ended<'_>) {
        let mut state = self.slow.state();
        let seconds = |micros: u64| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        let mut text = format!(
            "# Time: {}\n# User@Host: {}[{}] @ {} [{}]  Id: {:5}\n# Query_time: {}  Lock_time: {} Rows_sent: {}  Rows_examined: {}\n",
            log::now(),
            s.account,
            s.user,
            s.host,
            s.ip,
            s.id,
            seconds(s.micros),
            seconds(s.lock_nanos / 1000),
            s.sent,
            s.examined
        )
        .into_bytes();
        if !s.database.is_empty() && state.database != s.database {
            text.extend_from_slice(format!("use {};\n", s.database).as_bytes());
            state.database = s.database.into();
        }
        text.extend_from_slice(format!("SET timestamp={};\n", s.began).as_bytes());
        text.extend_from_slice(s.text);
        text.extend_from_slice(b";\n");
        self.slow.write(&mut state, &text);
    }
}

impl StatementLogs for Logs {
    fn reopen(&self, general: bool, slow: bool) -> Result<(), SqlError> {
        for (log, wanted) in [(&self.general, general), (&self.slow, slow)] {
            if wanted {
                log.reopen().map_err(|e| SqlError::new(1105, e))?;
            }
        }
        Ok(())
    }
}

/// The text is a statement that changes or looks after definitions: `log_slow_admin_statements` decides over it.
pub fn is_admin(text: &[u8]) -> bool {
    let mut words = text
        .split(|b| !b.is_ascii_alphabetic())
        .filter(|w| !w.is_empty())
        .map(<[u8]>::to_ascii_lowercase);
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    match &first[..] {
        b"alter" | b"analyze" | b"check" | b"optimize" | b"repair" => {
            second.starts_with(b"table") || first == b"alter" && second == b"ignore"
        }
        b"create" => matches!(&second[..], b"index" | b"unique" | b"fulltext" | b"spatial"),
        b"drop" => second == b"index",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_look_after_tables() {
        for text in [
            "alter table t",
            "ANALYZE TABLES a",
            "create unique index i on t (a)",
            " drop\tindex i",
        ] {
            assert!(is_admin(text.as_bytes()), "{text}");
        }
        for text in ["", "select 1", "create table t (a int)", "alter user a", "check(1)"] {
            assert!(!is_admin(text.as_bytes()), "{text}");
        }
    }
}
