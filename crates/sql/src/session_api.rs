//! The contract between the server (listeners, protocol) and the SQL session.
//!
//! The server drives a session and hands it a [`ResultSink`]; the session answers through the
//! sink, row by row, with values that borrow from the executor, so that a row costs no allocation.
//! Nothing in here knows the protocol's bytes, and nothing here does I/O.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use weir_rt::Interrupt;

use crate::errno;
pub use crate::value::types::protocol::{column_flag, column_type};

/// One result column as the protocol announces it.
#[derive(Clone, Debug)]
pub struct ColumnMeta {
    pub schema: Arc<str>,
    /// Alias of the table in the statement.
    pub table: Arc<str>,
    pub org_table: Arc<str>,
    /// Alias of the column in the statement.
    pub name: Arc<str>,
    pub org_name: Arc<str>,
    /// MySQL collation id: 45 = utf8mb4_general_ci, 63 = binary (numbers, temporals and blobs).
    pub collation_id: u16,
    /// Longest display width in bytes.
    pub length: u32,
    /// `MYSQL_TYPE_*`, see [`column_type`].
    pub type_code: u8,
    /// `*_FLAG` bits, see [`column_flag`].
    pub flags: u16,
    /// Digits after the point; 31 where a double has no fixed number of them.
    pub decimals: u8,
    /// Of a text: what a client that gets it in its own set learns.
    pub text: Option<ColumnText>,
    /// The five names, as they stand above, in `character_set_results`, where that is not UTF-8.
    pub encoded: Option<Arc<[Vec<u8>; 5]>>,
}

/// A column of texts, as it is apart from any client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnText {
    /// MySQL's number of the collation.
    pub collation_id: u16,
    /// The longest text in characters, and in bytes of its own set.
    pub chars: u32,
    pub length: u32,
}

impl ColumnMeta {
    /// Schema, table, original table, name and original name, as the client gets them.
    pub fn names(&self) -> [&[u8]; 5] {
        match &self.encoded {
            Some(names) => names.each_ref().map(Vec::as_slice),
            None => [&self.schema, &self.table, &self.org_table, &self.name, &self.org_name]
                .map(|name| name.as_bytes()),
        }
    }
}

/// A value as handed to the wire: borrowed, no allocation for a row.
///
/// The sink encodes it as text or, in the binary protocol, by the column's `type_code`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutValue<'a> {
    Null,
    Int(i64),
    UInt(u64),
    Double(f64),
    Float(f32),
    /// A double, and its digits where their number is fixed: only those are seen in the text protocol.
    Shown(f64, &'a [u8]),
    /// Strings in the result's character set, blobs, and decimals as text.
    Bytes(&'a [u8]),
    Date {
        year: u16,
        month: u8,
        day: u8,
    },
    DateTime {
        year: u16,
        month: u8,
        day: u8,
        hour: u8,
        minute: u8,
        second: u8,
        micros: u32,
        /// Digits of the fraction to print, 0 to 6.
        decimals: u8,
    },
    Time {
        negative: bool,
        hours: u32,
        minutes: u8,
        seconds: u8,
        micros: u32,
        /// Digits of the fraction to print, 0 to 6.
        decimals: u8,
    },
}

/// What every answer tells of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatusFlags {
    pub in_transaction: bool,
    /// The transaction reads only.
    pub read_only: bool,
    pub autocommit: bool,
    /// NO_BACKSLASH_ESCAPES is in its sql_mode.
    pub no_backslash_escapes: bool,
    /// The statement read a table whole.
    pub no_index_used: bool,
}

/// How a statement ended, for the OK packet. Whether more results follow is the server's affair.
#[derive(Clone, Copy, Debug, Default)]
pub struct OkInfo<'a> {
    pub affected_rows: u64,
    pub last_insert_id: u64,
    pub warnings: u16,
    pub flags: StatusFlags,
    /// E.g. `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub info: &'a str,
    /// How hard the engine is pressed, when the session wants it told.
    pub pressure: Option<u16>,
    /// Another result of the same statement follows: it is a CALL.
    pub more_results: bool,
    /// These rows are the values of a prepared CALL's OUT parameters.
    pub out_params: bool,
}

/// The client is gone: stop producing rows; the statement's outcome cannot be told to anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinkError;

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client closed the connection")
    }
}

impl std::error::Error for SinkError {}

/// Where a statement's answer goes. Order: `columns row* end_rows`, or `ok` alone, or nothing when
/// the statement returns an error (also after `columns` and some rows). A CALL answers with any number of `columns row* end_rows`
/// that say that more follows, and an `ok`.
pub trait ResultSink: Send {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError>;
    /// The same columns with each execution of a plan, to which `kept` belongs.
    fn columns_kept(&mut self, cols: &[ColumnMeta], _kept: &KeptHeader) -> Result<(), SinkError> {
        self.columns(cols)
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError>;
    fn end_rows(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError>;
    fn ok(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError>;

    /// Rows are kept from here on and not sent: the page that they come from is latched, so nothing may be waited for, and nothing else of
    /// the engine be asked. False: this sink cannot promise that, and gets copies.
    fn hold(&mut self) -> bool {
        false
    }

    /// What was kept may be sent.
    fn release(&mut self) -> Result<(), SinkError> {
        Ok(())
    }

    /// As [`ResultSink::hold`], for columns and rows that [`ResultSink::take_back`] may have to take back. False: this sink cannot.
    fn hold_all(&mut self) -> bool {
        false
    }

    /// Nothing was given since [`ResultSink::hold_all`].
    fn take_back(&mut self) {}

    /// Whether the sink may become full. A query asks once, before its first row, so that a row costs nothing where the answer is no.
    fn may_fill(&self) -> bool {
        false
    }

    /// It has as many rows as it wants for now: the query waits for [`ResultSink::poll_room`] before it makes more. A few rows that were
    /// made already may still come. Only a sink that [`ResultSink::may_fill`] is asked.
    fn is_full(&self) -> bool {
        false
    }

    /// Ready when there is room for rows. The query holds its locks meanwhile, and no page.
    fn poll_room(&mut self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    /// The statement whose answer comes now is not the last of its text, or of its CALL: told before its columns.
    fn more_follows(&mut self) {}

    /// The columns that come next are OUT parameters of a prepared CALL.
    fn out_params_follow(&mut self) {}

    /// LOAD DATA LOCAL: asks the client for a file. 3948 where it does not hand out files.
    fn client_file(&mut self, _name: &[u8]) -> Result<(), SqlError> {
        Err(SqlError::local_disabled())
    }

    /// Appends the next piece of the file that was asked for; false when it has ended.
    fn client_data(&mut self, _into: &mut Vec<u8>) -> Result<bool, SqlError> {
        Ok(false)
    }
}

/// What a sink makes of the columns of a plan that is run again and again: bytes that only the sink understands.
#[derive(Debug, Default)]
pub struct KeptHeader(OnceLock<Box<[u8]>>);

impl KeptHeader {
    pub fn get_or_make(&self, make: impl FnOnce() -> Box<[u8]>) -> &[u8] {
        self.0.get_or_init(make)
    }
}

/// An answer that nobody reads.
pub struct Discard;

impl ResultSink for Discard {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// An error as a MySQL client sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlError {
    pub errno: u16,
    pub sqlstate: [u8; 5],
    pub message: String,
}

impl SqlError {
    /// An error with the SQLSTATE that MySQL gives this number.
    pub fn new(errno: u16, message: impl Into<String>) -> SqlError {
        SqlError { errno, sqlstate: errno::sqlstate(errno), message: message.into() }
    }

    /// An error of MySQL's list with the arguments of its text.
    pub fn of(errno: u16, args: &[&dyn fmt::Display]) -> SqlError {
        SqlError::new(errno, errno::message(errno, args))
    }

    /// An error with a state of its own (SIGNAL, for one).
    pub fn with_state(errno: u16, sqlstate: [u8; 5], message: impl Into<String>) -> SqlError {
        SqlError { errno, sqlstate, message: message.into() }
    }

    /// 1235: known MySQL, not built here.
    pub fn not_supported(what: impl fmt::Display) -> SqlError {
        SqlError::of(errno::ER_NOT_SUPPORTED_YET, &[&what])
    }

    /// 1064 at `near` (the rest of the statement) on `line` (from 1).
    pub fn parse(near: &str, line: usize) -> SqlError {
        let near: String = near.chars().take(80).collect();
        SqlError::of(
            errno::ER_PARSE_ERROR,
            &[
                &"You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use",
                &near,
                &line,
            ],
        )
    }

    /// 1065.
    pub fn empty_query() -> SqlError {
        SqlError::of(errno::ER_EMPTY_QUERY, &[])
    }

    /// 1317.
    pub fn interrupted() -> SqlError {
        SqlError::of(errno::ER_QUERY_INTERRUPTED, &[])
    }

    /// 1046.
    pub fn no_database() -> SqlError {
        SqlError::of(errno::ER_NO_DB_ERROR, &[])
    }

    /// 1049.
    pub fn unknown_database(name: &str) -> SqlError {
        SqlError::of(errno::ER_BAD_DB_ERROR, &[&name])
    }

    /// 1243, for a statement id that was never prepared or is closed.
    pub fn unknown_statement(id: u32, caller: &str) -> SqlError {
        SqlError::of(errno::ER_UNKNOWN_STMT_HANDLER, &[&id, &caller])
    }

    /// 3948: the server or the client does not allow LOAD DATA LOCAL.
    pub fn local_disabled() -> SqlError {
        SqlError::of(errno::ER_CLIENT_LOCAL_FILES_DISABLED, &[])
    }

    /// 1105, for what has no number of its own.
    pub fn internal(message: impl Into<String>) -> SqlError {
        SqlError::new(errno::ER_UNKNOWN_ERROR, message)
    }
}

impl fmt::Display for SqlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = String::from_utf8_lossy(&self.sqlstate);
        write!(f, "ERROR {} ({state}): {}", self.errno, self.message)
    }
}

impl std::error::Error for SqlError {}

impl From<SinkError> for SqlError {
    fn from(_: SinkError) -> SqlError {
        SqlError::of(errno::ER_NET_ERROR_ON_WRITE, &[])
    }
}

/// A parameter of a prepared statement, decoded from the binary protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamValue {
    Null,
    Int(i64),
    UInt(u64),
    Float(f32),
    Double(f64),
    /// A string in `character_set_client`.
    Bytes(Vec<u8>),
    /// Bytes that are nobody's text: they are not converted.
    Blob(Vec<u8>),
    /// A decimal as text (`MYSQL_TYPE_NEWDECIMAL`).
    Decimal(Vec<u8>),
    Date {
        year: u16,
        month: u8,
        day: u8,
    },
    DateTime {
        year: u16,
        month: u8,
        day: u8,
        hour: u8,
        minute: u8,
        second: u8,
        micros: u32,
        /// How many minutes its time zone is ahead of UTC, if it came with one.
        zone: Option<i16>,
    },
    Time {
        negative: bool,
        hours: u32,
        minutes: u8,
        seconds: u8,
        micros: u32,
    },
}

/// The answer to COM_STMT_PREPARE.
#[derive(Clone, Debug)]
pub struct PreparedInfo {
    pub id: u32,
    pub params: u16,
    /// Empty when the statement returns no rows.
    pub columns: Vec<ColumnMeta>,
    pub warnings: u16,
}

/// How `Session::query` ended. The session executes ONE statement from the front of the text;
/// `consumed` is the number of bytes up to and including its `;`, so that the server goes on with
/// the rest where the client allowed several statements in one packet.
#[derive(Debug)]
pub struct QueryEnd {
    pub result: Result<(), SqlError>,
    pub consumed: usize,
}

/// How hard a session is to be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum KillKind {
    /// KILL QUERY: the running statement fails with 1317.
    Query = 2,
    /// KILL, a vanished client or shutdown: the same, then the connection closes and rolls back.
    Connection = 3,
}

/// How a session's interrupt is thrown when `max_execution_time` is over, or its snapshot is too old: weaker than every kill. The statement
/// fails with 3024, or with 3101.
pub const OUT_OF_TIME: u8 = 1;

type KillHook = Box<dyn Fn(KillKind) + Send + Sync>;

/// The way into a session from another thread: KILL, a vanished client, shutdown.
///
/// The session puts a hook in that wakes whatever its statement waits for (the runtime's
/// interrupt); the executor also asks [`KillSwitch::pending`] now and then in long loops.
#[derive(Default)]
pub struct KillSwitch {
    state: AtomicU8,
    hook: Mutex<Option<KillHook>>,
    /// What the session's waits look at, for those who look for old snapshots.
    interrupt: Mutex<Option<Arc<Interrupt>>>,
}

impl KillSwitch {
    /// What `kill` calls, on the killer's thread: it must be quick and must not wait. Called at
    /// once when a kill came before the hook.
    pub fn set_hook(&self, hook: impl Fn(KillKind) + Send + Sync + 'static) {
        let mut place = self.hook.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = self.pending() {
            hook(kind);
        }
        *place = Some(Box::new(hook));
    }

    pub fn set_interrupt(&self, interrupt: &Arc<Interrupt>) {
        let mut place = self.interrupt.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(interrupt.clone());
    }

    /// What the session's waits look at; `None`: it is not open yet.
    pub fn interrupt(&self) -> Option<Arc<Interrupt>> {
        self.interrupt.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn kill(&self, kind: KillKind) {
        self.state.fetch_max(kind as u8, Ordering::SeqCst);
        let hook = self.hook.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hook) = hook.as_ref() {
            hook(kind);
        }
    }

    /// The strongest kill that is not consumed. Cheap: one relaxed load.
    pub fn pending(&self) -> Option<KillKind> {
        match self.state.load(Ordering::Relaxed) {
            0 => None,
            q if q == KillKind::Query as u8 => Some(KillKind::Query),
            _ => Some(KillKind::Connection),
        }
    }

    /// A KILL QUERY hits one statement: the server forgets it before the next. The session resets
    /// its own interrupt at the same place.
    pub fn clear_query(&self) {
        let query = KillKind::Query as u8;
        // Every statement asks, and hardly ever was there one. One that comes after this look is the statement's.
        if self.state.load(Ordering::Relaxed) != query {
            return;
        }
        let _ = self.state.compare_exchange(query, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

impl fmt::Debug for KillSwitch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KillSwitch({:?})", self.pending())
    }
}

/// Who connected, as a session is opened with it (the server has checked the password).
#[derive(Clone, Debug)]
pub struct ConnInfo {
    /// CONNECTION_ID(), never 0, never repeated while the server runs.
    pub id: u64,
    /// USER(): the name and the host of the client as it came.
    pub user: String,
    pub host: String,
    /// CURRENT_USER(): the account that matched.
    pub account_user: String,
    pub account_host: String,
    /// Default database, already checked by `init_db` when given; empty = none.
    pub database: String,
    /// Collation id from the handshake: sets `character_set_client` and its relatives.
    pub collation_id: u16,
    /// CLIENT_FOUND_ROWS: affected rows count matched rows, not changed ones.
    pub found_rows: bool,
    /// CLIENT_INTERACTIVE: `wait_timeout` starts from `interactive_timeout`.
    pub interactive: bool,
    /// CLIENT_IGNORE_SPACE, the same as the SQL mode.
    pub ignore_space: bool,
    /// CLIENT_MULTI_STATEMENTS: PREPARE and the server's loop look at it.
    pub multi_statements: bool,
    /// It takes several results of one statement: a CALL may send rows.
    pub multi_results: bool,
    /// It takes the OUT parameters of a prepared CALL as a result of their own.
    pub out_params: bool,
    /// Connection attributes as the client sent them (`_client_name`, `program_name`, ...).
    pub attributes: Vec<(String, String)>,
    /// How what passes is compressed, and the level.
    pub compression: Option<(&'static str, u8)>,
    /// How what passes is encrypted.
    pub tls: Option<Arc<crate::tls::TlsSession>>,
    pub kill: Arc<KillSwitch>,
}

/// One line of SHOW PROCESSLIST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessInfo {
    pub id: u64,
    pub user: String,
    /// With the port for TCP (`127.0.0.1:51234`), `localhost` for the socket.
    pub host: String,
    pub db: Option<String>,
    /// `Query`, `Sleep`, `Execute`, ...
    pub command: &'static str,
    /// Seconds in this command.
    pub time: u64,
    /// A command runs.
    pub runs: bool,
    /// What it is doing, where it runs: [`crate::processes`] says.
    pub state: &'static str,
    /// Text of the statement, when one runs.
    pub info: Option<String>,
    /// Connection attributes as the client sent them.
    pub attributes: Arc<[(String, String)]>,
}

/// Says that sessions run on threads with so many times 256 KiB of stack for the parser and 1 MiB for the planner: a statement may nest
/// as many times deeper.
pub fn set_stack_room(times: u32) {
    weir_syntax::parse::set_stack_room(times);
}

/// What logins are counted by, each for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginsBy {
    Account,
    User,
    Host,
}

impl LoginsBy {
    pub const ALL: [LoginsBy; 3] = [LoginsBy::Account, LoginsBy::User, LoginsBy::Host];

    /// What it is counted under; what does not count is empty.
    pub fn key(self, user: &str, host: &str) -> (String, String) {
        match self {
            LoginsBy::Account => (user.to_owned(), host.to_owned()),
            LoginsBy::User => (user.to_owned(), String::new()),
            LoginsBy::Host => (String::new(), host.to_owned()),
        }
    }
}

/// A snapshot that a session keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotInfo {
    /// The session, as in [`ProcessInfo`].
    pub id: u64,
    pub user: String,
    pub host: String,
    /// By the runtime's coarse clock.
    pub since: u64,
    /// The smallest commit number that it may not see, and bytes of undo at that time, as the engine's views have them.
    pub marks: [u64; 2],
    /// The statement that runs, or the one that ran last, where it is known.
    pub statement: Option<String>,
}

/// The server's sessions, for SHOW PROCESSLIST and KILL.
pub trait Sessions: Send + Sync {
    fn list(&self) -> Vec<ProcessInfo>;
    /// The snapshots that sessions keep, in no order.
    fn snapshots(&self) -> Vec<SnapshotInfo> {
        Vec::new()
    }
    /// Who has logged in since the start, or since it was forgotten: a user and a host, as far as `by` tells them apart, and the
    /// connections of theirs that are there and that there were.
    fn logins(&self, _by: LoginsBy) -> Vec<(String, String, [u64; 2])> {
        Vec::new()
    }
    /// Counts again, from the connections that are there.
    fn forget_logins(&self, _by: LoginsBy) {}
    /// False when there is no such session.
    fn kill(&self, id: u64, kind: KillKind) -> bool;
    /// The user name of a session, for the permission check of KILL.
    fn user_of(&self, id: u64) -> Option<String>;
    /// User and host of the account that a session has logged in as, for the same.
    fn account_of(&self, id: u64) -> Option<(String, String)>;
    /// Asks the server to stop; false: it cannot, because the program that it is part of decides that.
    fn stop(&self) -> bool;
}

/// The registry of an embedded use or a test: nobody is connected.
#[derive(Debug, Default)]
pub struct NoSessions;

impl Sessions for NoSessions {
    fn list(&self) -> Vec<ProcessInfo> {
        Vec::new()
    }
    fn kill(&self, _id: u64, _kind: KillKind) -> bool {
        false
    }
    fn user_of(&self, _id: u64) -> Option<String> {
        None
    }
    fn account_of(&self, _id: u64) -> Option<(String, String)> {
        None
    }
    fn stop(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kill_before_the_hook_still_reaches_it() {
        let switch = KillSwitch::default();
        switch.kill(KillKind::Connection);
        let seen = Arc::new(AtomicU8::new(0));
        let copy = seen.clone();
        switch.set_hook(move |kind| copy.store(kind as u8, Ordering::SeqCst));
        assert_eq!(seen.load(Ordering::SeqCst), KillKind::Connection as u8);
    }

    #[test]
    fn a_query_kill_is_forgotten_a_connection_kill_is_not() {
        let switch = KillSwitch::default();
        switch.kill(KillKind::Query);
        assert_eq!(switch.pending(), Some(KillKind::Query));
        switch.clear_query();
        assert_eq!(switch.pending(), None);
        switch.kill(KillKind::Connection);
        switch.kill(KillKind::Query);
        switch.clear_query();
        assert_eq!(switch.pending(), Some(KillKind::Connection));
    }

    #[test]
    fn errors_carry_their_state() {
        let error = SqlError::not_supported("CREATE EVENT");
        assert_eq!(
            error.to_string(),
            "ERROR 1235 (42000): This version of MySQL doesn't yet support 'CREATE EVENT'"
        );
    }
}
