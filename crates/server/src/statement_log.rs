//! The general log and the slow query log: files in MySQL's format, which `mysqldumpslow`, `pt-query-digest` and their like read.
//!
//! A statement is written when it has ended (slow) or before it begins (general), one `write` each, so that lines of several
//! connections do not mix. A log that cannot be written is reported once in the error log, and turned off.

use crate::audit::{self, AuditLog, Party};
use crate::log;
use crate::registry::Entry;
use crate::slow_rates::{self, SlowRates, Suppressed};
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_engine::cost::{Cost, Costs};
use weir_sql::errno;
use weir_sql::files::StatementLogs;
use weir_sql::processes::host_alone;
use weir_sql::session_api::SqlError;
use weir_sql::vars::{GlobalVars, Var, VarValue};

/// Both logs of a server.
pub struct Logs {
    pub general: LogFile,
    pub slow: LogFile,
    pub audit: AuditLog,
    pub rates: SlowRates,
    /// `log_queries_not_using_indexes`.
    unindexed: AtomicBool,
    /// `log_slow_admin_statements`.
    admin: AtomicBool,
    /// `log_slow_extra`.
    extra: AtomicBool,
    /// `log_output` has FILE in it.
    to_files: AtomicBool,
}

/// One of them.
pub struct LogFile {
    name: &'static str,
    /// It is wanted, and can be written: what a statement asks before it makes a line.
    on: AtomicBool,
    datadir: PathBuf,
    /// What the first lines of a file say of the server.
    header: String,
    /// What is in the first bytes of any such log.
    marker: &'static [u8],
    state: Mutex<State>,
}

struct State {
    path: String,
    /// It shall be written, whether it can be or not.
    wanted: bool,
    file: Option<File>,
    /// The default database that the last lines of the slow log have named.
    database: String,
}

impl LogFile {
    pub fn new(
        name: &'static str,
        path: String,
        datadir: &Path,
        header: String,
        marker: &'static [u8],
    ) -> LogFile {
        let state = State { path, wanted: false, file: None, database: String::new() };
        let on = AtomicBool::new(false);
        let (datadir, state) = (datadir.into(), Mutex::new(state));
        LogFile { name, on, datadir, header, marker, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file of the state is this one from here on.
    fn put(&self, state: &mut State, file: Option<File>) {
        self.on.store(file.is_some(), Ordering::Relaxed);
        state.file = file;
        state.database.clear();
    }

    /// Opens the file, which gets a header, or closes it. Nobody waits for a file that is being opened: the lock is taken afterwards.
    pub fn turn(&self, on: bool) -> Result<(), String> {
        let path = self.state().path.clone();
        let file = if on { Some(self.open(&path)?) } else { None };
        let mut state = self.state();
        state.wanted = on;
        self.put(&mut state, file);
        Ok(())
    }

    /// A log is a regular file that is new, empty or a server's log already, so that no other file is written to by its name; no link is
    /// followed, and a pipe keeps nobody waiting.
    fn open(&self, path: &str) -> Result<File, String> {
        let whole = self.datadir.join(path);
        let tell = |e: String| format!("cannot write the {} '{}': {e}", self.name, whole.display());
        if path.ends_with(".cnf") || path.ends_with(".ini") {
            return Err(tell("a file of options is no log".into()));
        }
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = File::options()
            .create(true)
            .read(true)
            .append(true)
            .mode(0o640)
            .custom_flags(flags.bits() as i32)
            .open(&whole);
        let mut file = file.map_err(|e| tell(e.to_string()))?;
        let found = file.metadata().map_err(|e| tell(e.to_string()))?;
        if !found.is_file() {
            return Err(tell("it is no regular file".into()));
        }
        if found.len() > 0 {
            let mut start = [0; 256];
            let read = file.read(&mut start).map_err(|e| tell(e.to_string()))?;
            let is_log = start[..read].windows(self.marker.len()).any(|w| w == self.marker);
            if !is_log {
                return Err(tell("there is another file of this name, which is no log".into()));
            }
        }
        file.write_all(self.header.as_bytes()).map_err(|e| tell(e.to_string()))?;
        Ok(file)
    }

    /// Goes on in another file.
    pub fn move_to(&self, path: &str) -> Result<(), String> {
        if path.is_empty() {
            return Err("a log has a name".into());
        }
        let wanted = self.state().wanted;
        let file = if wanted { Some(self.open(path)?) } else { None };
        let mut state = self.state();
        state.path = path.into();
        self.put(&mut state, file);
        Ok(())
    }

    /// FLUSH LOGS, behind a program that has renamed the file. One that cannot be opened leaves the log in the old file.
    fn reopen(&self) -> Result<(), String> {
        let (path, wanted) = {
            let state = self.state();
            (state.path.clone(), state.wanted)
        };
        if !wanted {
            return Ok(());
        }
        let file = self.open(&path)?;
        let mut state = self.state();
        if state.wanted && state.path == path {
            self.put(&mut state, Some(file));
        }
        Ok(())
    }

    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Bytes that the file has, where it is open.
    pub fn size(&self) -> u64 {
        let state = self.state();
        let len = |f: &File| f.metadata().map_or(0, |m| m.len());
        state.file.as_ref().map_or(0, len)
    }

    /// Lines that were made without a look at the state.
    pub fn append(&self, bytes: &[u8]) {
        self.write(&mut self.state(), bytes);
    }

    /// Goes on in an empty file. The old one gets the number 1 behind its name, and those before the next ones, up to `files`.
    pub fn rotate(&self, files: u64) {
        let mut state = self.state();
        if state.file.is_none() {
            return;
        }
        let whole = self.datadir.join(&state.path).display().to_string();
        let numbered = |n: u64| if n == 0 { whole.clone() } else { format!("{whole}.{n}") };
        // A file that is missing leaves a gap, which the next rotation fills.
        for n in (0..files).rev() {
            let _ = std::fs::rename(numbered(n), numbered(n + 1));
        }
        let path = state.path.clone();
        match self.open(&path) {
            Ok(file) => self.put(&mut state, Some(file)),
            Err(e) => {
                self.put(&mut state, None);
                log::error(&format!("{e}; it is off"));
            }
        }
    }

    fn write(&self, state: &mut State, bytes: &[u8]) {
        let Some(file) = state.file.as_mut() else { return };
        if let Err(e) = file.write_all(bytes) {
            self.put(state, None);
            log::error(&format!(
                "cannot write the {} '{}': {e}; nothing is written until FLUSH LOGS, another file, or its being turned on again",
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
    pub costs: Costs,
    /// Bytes that its session had charged at most.
    pub memory: usize,
    pub text: &'a [u8],
}

impl Logs {
    /// Follows the variables from now on.
    pub fn new(
        vars: &Arc<GlobalVars>,
        datadir: &Path,
        header: String,
        wall_micros: u64,
    ) -> Arc<Logs> {
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
        let file =
            |name, var| LogFile::new(name, vars.text(var), datadir, header.clone(), b"Version: ");
        let logs = Arc::new(Logs {
            general: file("general log", Var::general_log_file),
            slow: file("slow query log", Var::slow_query_log_file),
            audit: AuditLog::new(vars, datadir, wall_micros),
            rates: SlowRates::new(vars),
            unindexed: AtomicBool::new(vars.bool(Var::log_queries_not_using_indexes)),
            admin: AtomicBool::new(vars.bool(Var::log_slow_admin_statements)),
            extra: AtomicBool::new(vars.bool(Var::log_slow_extra)),
            to_files: AtomicBool::new(true),
        });
        logs.outputs(&vars.get(Var::log_output));
        for (log, var) in [(&logs.general, Var::general_log), (&logs.slow, Var::slow_query_log)] {
            // As MySQL does, the server goes on without a log that cannot be opened.
            if let Err(e) = log.turn(vars.bool(var)) {
                log::error(&format!("{e}; it is off"));
                vars.put(var, VarValue::Bool(false));
            }
        }
        let own = [
            Var::general_log,
            Var::slow_query_log,
            Var::general_log_file,
            Var::slow_query_log_file,
            Var::log_queries_not_using_indexes,
            Var::log_slow_admin_statements,
            Var::log_slow_extra,
            Var::log_output,
        ];
        for var in own.into_iter().chain(audit::VARS).chain(slow_rates::VARS) {
            let logs = logs.clone();
            vars.on_change(var, Box::new(move |value| logs.follow(var, value)));
        }
        logs
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
            (Var::log_slow_extra, _) => self.extra.store(on, Ordering::Relaxed),
            (Var::log_output, value) => self.outputs(value),
            _ if audit::VARS.contains(&var) => return self.audit.follow(var, value),
            _ => self.rates.follow(var, value),
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

    /// A login fails: a line in the general log, and a note in the error log, which writes notes where `log_error_verbosity` is 3. The message has
    /// the name that the client has sent. Its control characters become spaces, since a line break could forge another message.
    pub fn refused(&self, id: u64, e: &SqlError) {
        let line = e.message.replace(char::is_control, " ");
        if self.general_is_on() {
            self.command(id, "Connect", line.as_bytes());
        }
        // Of the others MySQL keeps silent: a database without rights, a broken handshake, too many connections.
        if matches!(
            e.errno,
            errno::ER_ACCESS_DENIED_ERROR
                | errno::ER_ACCOUNT_HAS_BEEN_LOCKED
                | errno::ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK
        ) {
            log::write(log::Level::Note, id, &line);
        }
    }

    /// The same in the audit log. `user`: the name that the client has sent.
    pub fn audit_refused(&self, entry: &Entry, user: &[u8], e: &SqlError) {
        if self.audit.wants_logins() {
            let user = String::from_utf8_lossy(user);
            let (host, account) = (host_alone(&entry.host), ("", ""));
            let who = Party { id: entry.id, user: &user, host, ip: "", account, database: "" };
            self.audit.login("Connect", &who, e.errno);
        }
    }

    pub fn slow(&self, s: &Ended<'_>) {
        let mut state = self.slow.state();
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
        text.extend(self.rates.comment().into_iter().flat_map(String::into_bytes));
        if self.extra.load(Ordering::Relaxed) {
            text.extend_from_slice(extra(s).as_bytes());
        }
        if !s.database.is_empty() && state.database != s.database {
            text.extend_from_slice(format!("use {};\n", s.database).as_bytes());
            state.database = s.database.into();
        }
        text.extend_from_slice(format!("SET timestamp={};\n", s.began).as_bytes());
        text.extend_from_slice(s.text);
        text.extend_from_slice(b";\n");
        self.slow.write(&mut state, &text);
    }

    /// What was left out of the slow query log in the minute before, as MySQL says it.
    pub fn suppressed(&self, s: &Suppressed) {
        let text = format!(
            "# Time: {}\n# User@Host: [] @  []  Id:     0\n# Query_time: {}  Lock_time: {} Rows_sent: 0  Rows_examined: 0\n\
             throttle: {:10} 'index not used' warning(s) suppressed.;\n",
            log::now(),
            seconds(s.micros),
            seconds(s.lock_nanos / 1000),
            s.statements,
        );
        self.slow.append(text.as_bytes());
    }
}

fn seconds(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// What the statement cost, as a comment of names and numbers that tools which read this log pass over or gather.
fn extra(s: &Ended<'_>) -> String {
    let cost = |c: Cost| s.costs[c as usize];
    let micros = |c: Cost| cost(c) / 1000;
    format!(
        "# Pages_requested: {}  Pages_read: {}  Pages_dirtied: {}  Redo_bytes: {}  Undo_bytes: {}  Temporary_bytes: {}  Memory_max: {}  \
         Lock_wait_usec: {}  Log_wait_usec: {}  Room_wait_usec: {}  Page_wait_usec: {}\n",
        cost(Cost::PagesRequested),
        cost(Cost::PagesRead),
        cost(Cost::PagesDirtied),
        cost(Cost::RedoBytes),
        cost(Cost::UndoBytes),
        cost(Cost::TemporaryBytes),
        s.memory,
        micros(Cost::WaitLock),
        micros(Cost::WaitLog),
        micros(Cost::WaitRoom),
        micros(Cost::WaitPage),
    )
}

impl StatementLogs for Logs {
    fn reopen(&self, general: bool, slow: bool) -> Result<(), SqlError> {
        for (log, wanted) in [(&self.general, general), (&self.slow, slow)] {
            if wanted {
                log.reopen().map_err(|e| SqlError::new(errno::ER_UNKNOWN_ERROR, e))?;
            }
        }
        if general && slow {
            self.audit.file.reopen().map_err(|e| SqlError::new(errno::ER_UNKNOWN_ERROR, e))?;
        }
        Ok(())
    }

    fn reopen_errors(&self) -> Result<(), SqlError> {
        crate::log::reopen().map_err(|e| {
            SqlError::new(errno::ER_UNKNOWN_ERROR, format!("cannot write the error log: {e}"))
        })
    }
}
