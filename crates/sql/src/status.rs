//! Status counters: one table, one array of relaxed atomics for the server and one for each session. Sessions count for themselves, and
//! the server's counters are summed when somebody asks: no statement writes memory that others write.
//!
//! Server and executor count; SHOW STATUS reads. Names are MySQL's. Statements are counted by their kind (`Com_*`), whose table
//! ([`SqlCommand`]) names the counters. Counters of the engine (`Innodb_*`) come from the engine; `metrics` puts them all together.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_engine::{StatusDef, StatusKind, StatusUnit};
pub use weir_syntax::ast::SqlCommand;

macro_rules! stats {
    ($($name:ident: $kind:ident $unit:ident, $doc:literal;)*) => {
        /// A counter. The variants carry the names of SHOW STATUS.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Stat { $($name),* }

        const TABLE: &[StatusDef] = &[$(StatusDef {
            name: stringify!($name),
            kind: StatusKind::$kind,
            unit: StatusUnit::$unit,
            doc: $doc,
        }),*];

        const ALL: &[Stat] = &[$(Stat::$name),*];
    };
}

stats! {
    Aborted_clients: Counter One, "Connections that ended without COM_QUIT.";
    Aborted_connects: Counter One, "Connections that failed before the login was done.";
    Binlog_cache_disk_use: Counter One, "Transactions whose rows for the binary log were more than binlog_cache_size and went to a file.";
    Binlog_cache_use: Counter One, "Transactions that had something for the binary log, those that were rolled back among them.";
    Binlog_stmt_cache_disk_use: Counter One, "Always 0: statements outside of transactions are short.";
    Binlog_stmt_cache_use: Counter One, "Statements outside of transactions that the binary log has, such as ANALYZE TABLE.";
    Bytes_received: Counter Bytes, "Bytes read from clients.";
    Bytes_sent: Counter Bytes, "Bytes written to clients.";
    Com_admin_commands: Counter One, "Protocol commands that are no statements.";
    Com_stmt_close: Counter One, "Prepared statements closed.";
    Com_stmt_execute: Counter One, "Executions of prepared statements.";
    Com_stmt_prepare: Counter One, "Statements prepared.";
    Com_stmt_reset: Counter One, "Prepared statements reset.";
    Com_stmt_send_long_data: Counter One, "Pieces of long parameters received.";
    Connection_control_delay_generated: Counter One, "Logins answered later because of failures before them.";
    Connection_errors_accept: Counter One, "Failures to accept a connection.";
    Connection_errors_internal: Counter One, "Connections refused for want of a thread or memory.";
    Connection_errors_max_connections: Counter One, "Connections refused with error 1040.";
    Connections: Counter One, "Connection attempts.";
    Created_tmp_disk_tables: Counter One, "Groups and results without equal rows that did not fit into tmp_table_size.";
    Created_tmp_files: Counter One, "Files that statements opened for rows that wait.";
    Created_tmp_tables: Counter One, "Derived tables, groups and results that a statement kept.";
    Handler_commit: Counter One, "Transactions committed inside the engine.";
    Handler_delete: Counter One, "Rows deleted.";
    Handler_discover: Counter One, "Always 0: no engine discovers tables.";
    Handler_external_lock: Counter One, "Two for each table that a statement used.";
    Handler_mrr_init: Counter One, "Always 0: ranges are read one after the other.";
    Handler_prepare: Counter One, "Always 0: there is no second engine to commit with.";
    Handler_read_first: Counter One, "Reads of an index from its beginning.";
    Handler_read_key: Counter One, "Searches of an index.";
    Handler_read_last: Counter One, "Reads of an index from its end.";
    Handler_read_next: Counter One, "Rows read on in the order of an index.";
    Handler_read_prev: Counter One, "Rows read on against the order of an index.";
    Handler_read_rnd: Counter One, "Always 0: rows are sorted whole, not read again by their place.";
    Handler_read_rnd_next: Counter One, "Rows read on in a scan of a table, the attempt behind the last one included.";
    Handler_rollback: Counter One, "Transactions rolled back inside the engine.";
    Handler_savepoint: Counter One, "Savepoints set.";
    Handler_savepoint_rollback: Counter One, "Rollbacks to savepoints.";
    Handler_update: Counter One, "Rows updated.";
    Handler_write: Counter One, "Rows inserted.";
    Max_used_connections: Gauge One, "Most clients at the same time.";
    Prepared_stmt_count: Gauge One, "Prepared statements that exist.";
    Queries: Counter One, "Statements executed, those of prepared statements included.";
    Questions: Counter One, "Statements that clients sent.";
    Select_full_join: Counter One, "Joins that read a whole table for each row.";
    Select_full_range_join: Counter One, "Joins that read a range of a table for each row.";
    Select_range: Counter One, "Queries that read ranges of the first table.";
    Select_range_check: Counter One, "Always 0: keys are not chosen again for each row.";
    Select_scan: Counter One, "Queries that read the whole first table.";
    Slow_queries: Counter One, "Statements that were slow: see long_query_time and log_queries_not_using_indexes.";
    Sort_merge_passes: Counter One, "Sorts whose rows were merged from disk: see sort_buffer_size.";
    Sort_range: Counter One, "Sorts of rows that came from ranges.";
    Sort_rows: Counter One, "Rows sorted.";
    Sort_scan: Counter One, "Sorts of rows that came from a scan.";
    Ssl_accepts: Counter One, "Handshakes of encrypted connections that clients began.";
    Ssl_finished_accepts: Counter One, "Those that came to their end.";
    Ssl_sessions_reused: Counter One, "Those that took up an earlier connection's keys.";
    Table_locks_immediate: Counter One, "Table locks granted at once.";
    Table_locks_waited: Counter One, "Table locks that were waited for.";
    Threads_connected: Gauge One, "Clients connected.";
    Threads_created: Counter One, "Threads started for connections.";
    Threads_running: Gauge One, "Clients whose statement runs.";
    Weir_backup_last_time: Gauge Seconds, "When the last complete backup ended, in seconds since 1970; 0: none since the start.";
    Weir_backups: Counter One, "Backups that came to their end: BACKUP STREAM and BACKUP TO.";
    Weir_backups_failed: Counter One, "Backups that did not.";
    Weir_backups_running: Gauge One, "Backups under way.";
    Weir_batched_leaves: Counter One, "Leaves that queries read as a whole (`weir_batches`).";
    Weir_batched_rows: Counter One, "Rows of those.";
    Weir_join_kept: Counter One, "Tables that a join has read once and kept.";
    Weir_join_not_kept: Counter One, "Tables too large for that, which a join reads for each row.";
    Weir_join_parted: Counter One, "Tables too large for that, which a join has divided in files.";
    Weir_plan_cache_bytes: Gauge Bytes, "Bytes of the plans that are kept by the texts of their statements (`weir_plan_cache_size`).";
    Weir_plan_cache_evicted: Counter One, "Plans that had to go for want of room.";
    Weir_plan_cache_hits: Counter One, "Statements whose plan was found by their text.";
    Weir_plan_cache_plans: Gauge One, "Plans that are kept.";
    Weir_plan_cache_remade: Counter One, "Plans made again because the values of an execution asked for another one.";
    Weir_point_plans: Counter One, "SELECTs of one row by a unique key that were run without the executor.";
    Weir_redo_archive_failures: Counter One, "Writes to the redo archive that failed and were tried again.";
    Weir_redo_archive_gaps: Counter One, "Times that the log had to go on without the redo archive.";
    Weir_redo_archive_lsn: Gauge One, "The redo archive is safe up to this LSN; 0: nothing was archived since the start.";
    Weir_snapshots_ended: Counter One, "Transactions that were rolled back because they kept a snapshot for longer than `weir_snapshot_max_age`.";
    Weir_subquery_results_reused: Counter One, "Runs of subqueries that were spared because rows around had asked the same.";
}

/// What has a counter: a row of the table above, or a kind of statement.
pub trait Counted: Copy {
    /// Its place among the counters, those of statements after all others.
    fn slot(self) -> usize;
}

impl Counted for Stat {
    fn slot(self) -> usize {
        self as usize
    }
}

impl Counted for SqlCommand {
    fn slot(self) -> usize {
        TABLE.len() + self as usize
    }
}

const SLOTS: usize = TABLE.len() + SqlCommand::ALL.len();

type Counters = [AtomicU64; SLOTS];

/// The counters of one server: what it counts itself, and what its sessions count for themselves.
///
/// Invariant: what a counter shows is its value here and that of each session that is open. A session's part moves here under the mutex
/// when it ends, so nobody sees it twice or not at all.
pub struct Status {
    values: Counters,
    sessions: Mutex<Open>,
}

/// Whose session it is. The server's own have no number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// CONNECTION_ID().
    pub id: u64,
    pub user: String,
    pub host: String,
}

struct OpenSession {
    counters: Arc<Counters>,
    who: Who,
}

/// So many accounts are counted by themselves when their sessions have ended.
const MOST_ACCOUNTS: usize = 1000;

/// What a user from a host has counted, by the places of the counters.
pub type ByAccount = BTreeMap<(String, String), Vec<u64>>;

/// The sessions that are open, by numbers of their own.
#[derive(Default)]
struct Open {
    last: u64,
    sessions: BTreeMap<u64, OpenSession>,
    /// What sessions that have ended came to.
    ended: ByAccount,
}

impl Open {
    /// What the open sessions have counted.
    fn sum(&self, slot: usize) -> u64 {
        let own = self.sessions.values().map(|s| s.counters[slot].load(Relaxed));
        own.fold(0, u64::wrapping_add)
    }

    /// A session of theirs ends: it is in `sessions` no longer.
    fn keep(&mut self, ended: OpenSession) {
        let account = (ended.who.user, ended.who.host);
        if ended.who.id == 0
            || self.ended.len() >= MOST_ACCOUNTS && !self.ended.contains_key(&account)
        {
            return;
        }
        add_to(self.ended.entry(account).or_default(), &ended.counters);
    }
}

fn add_to(sums: &mut Vec<u64>, counters: &Counters) {
    sums.resize(SLOTS, 0);
    for (sum, own) in sums.iter_mut().zip(counters) {
        *sum = sum.wrapping_add(own.load(Relaxed));
    }
}

impl Default for Status {
    fn default() -> Self {
        let values = [const { AtomicU64::new(0) }; SLOTS];
        Status { values, sessions: Mutex::default() }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Status").finish_non_exhaustive()
    }
}

impl Status {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, stat: impl Counted, n: u64) {
        self.values[stat.slot()].fetch_add(n, Relaxed);
    }

    pub fn inc(&self, stat: impl Counted) {
        self.add(stat, 1);
    }

    /// For gauges.
    pub fn dec(&self, stat: Stat) {
        self.values[stat as usize].fetch_sub(1, Relaxed);
    }

    /// For gauges that something else counts.
    pub fn set(&self, stat: Stat, value: u64) {
        self.values[stat as usize].store(value, Relaxed);
    }

    /// Keeps the highest value, for peaks.
    pub fn peak(&self, stat: Stat, value: u64) {
        self.values[stat as usize].fetch_max(value, Relaxed);
    }

    /// Looks at every session.
    pub fn get(&self, stat: impl Counted) -> u64 {
        let of_sessions = self.open().sum(stat.slot());
        self.values[stat.slot()].load(Relaxed).wrapping_add(of_sessions)
    }

    /// A counter that no session counts for itself.
    pub fn get_of_server(&self, stat: Stat) -> u64 {
        self.values[stat as usize].load(Relaxed)
    }

    /// All counters by their places.
    fn sums(&self) -> Vec<u64> {
        let open = self.open();
        let mut sums: Vec<u64> = self.values.iter().map(|v| v.load(Relaxed)).collect();
        open.sessions.values().for_each(|s| add_to(&mut sums, &s.counters));
        sums
    }

    /// All counters of the server, by their places.
    pub fn by_place(&self) -> Vec<u64> {
        self.sums()
    }

    /// What each open session has counted, by the places of the counters.
    pub fn by_session(&self) -> Vec<(Who, Vec<u64>)> {
        let of = |s: &OpenSession| {
            let mut own = Vec::new();
            add_to(&mut own, &s.counters);
            (s.who.clone(), own)
        };
        self.open().sessions.values().map(of).collect()
    }

    /// What the sessions of each account have counted, open ones and those that have ended since somebody began to count again.
    pub fn by_account(&self) -> ByAccount {
        let open = self.open();
        let mut all = open.ended.clone();
        for s in open.sessions.values().filter(|s| s.who.id > 0) {
            let account = (s.who.user.clone(), s.who.host.clone());
            add_to(all.entry(account).or_default(), &s.counters);
        }
        all
    }

    /// What ended sessions came to counts for no account any longer.
    pub fn forget_accounts(&self) {
        self.open().ended.clear();
    }

    /// FLUSH STATUS: the counters that no session has begin again, as in MySQL; gauges stay. What sessions have counted of them is theirs
    /// to write, so it is taken off here.
    pub fn flush(&self) {
        let open = self.open();
        for (slot, (def, value)) in TABLE.iter().zip(&self.values).enumerate() {
            if def.kind == StatusKind::Counter && !is_of_sessions(def.name) {
                value.store(open.sum(slot).wrapping_neg(), Relaxed);
            }
        }
    }
}

/// A session's counters in the hands of those who work for it: they count on the thread that serves the session, and for as long as it
/// is open.
#[derive(Clone)]
pub struct SessionCounts(Arc<Counters>);

impl SessionCounts {
    #[inline]
    pub fn add(&self, stat: impl Counted, n: u64) {
        step(&self.0[stat.slot()], n);
    }

    #[inline]
    pub fn inc(&self, stat: impl Counted) {
        self.add(stat, 1);
    }

    /// For gauges. The sum of all sessions is what counts: one alone may be below zero.
    #[inline]
    pub fn dec(&self, stat: impl Counted) {
        self.add(stat, u64::MAX);
    }
}

/// What a session counts for itself. The server's counters are these and its own ([`Status`]).
///
/// Only the thread that serves the session writes it, so a step is a load and a store of memory that no other session writes.
pub struct SessionStatus {
    own: SessionCounts,
    server: Arc<Status>,
    /// Its place among the server's sessions.
    number: u64,
    /// Rows that the statement at hand has looked at.
    examined: AtomicU64,
}

#[inline]
fn step(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(n), Relaxed);
}

impl SessionStatus {
    pub fn new(server: &Arc<Status>, who: Who) -> SessionStatus {
        let own = Arc::new([const { AtomicU64::new(0) }; SLOTS]);
        let mut open = server.open();
        open.last += 1;
        let number = open.last;
        open.sessions.insert(number, OpenSession { counters: own.clone(), who });
        drop(open);
        let (own, server) = (SessionCounts(own), server.clone());
        SessionStatus { own, server, number, examined: AtomicU64::default() }
    }

    /// For those who count for this session.
    pub fn counts(&self) -> &SessionCounts {
        &self.own
    }

    #[inline]
    pub fn inc(&self, stat: impl Counted) {
        self.own.inc(stat);
    }

    #[inline]
    pub fn add(&self, stat: impl Counted, n: u64) {
        self.own.add(stat, n);
    }

    #[inline]
    pub fn get(&self, stat: impl Counted) -> u64 {
        self.own.0[stat.slot()].load(Relaxed)
    }

    /// A row was looked at.
    #[inline]
    pub fn examine(&self) {
        step(&self.examined, 1);
    }

    pub fn examine_rows(&self, n: u64) {
        step(&self.examined, n);
    }

    /// Rows looked at since this was asked last.
    #[inline]
    pub fn take_examined(&self) -> u64 {
        let n = self.examined.load(Relaxed);
        self.examined.store(0, Relaxed);
        n
    }

    /// All counters with their names: the server's, or where a session has its own, that.
    pub fn show(&self, global: bool) -> Vec<(&'static str, u64)> {
        let sums = self.server.sums();
        let of = |slot: usize, own: bool| match own && !global {
            true => self.own.0[slot].load(Relaxed),
            false => sums[slot],
        };
        let statements = SqlCommand::ALL.iter().map(|c| (c.row().counter, of(c.slot(), true)));
        ALL.iter()
            .map(|stat| (TABLE[*stat as usize].name, stat.slot()))
            .map(|(name, slot)| (name, of(slot, is_of_sessions(name))))
            .chain(statements)
            .collect()
    }

    /// The server keeps what the session's counters came to, and they begin again. The mutex is held, so that nobody sees them twice.
    fn give_up(&self, _open: &MutexGuard<'_, Open>) {
        for (own, value) in self.own.0.iter().zip(&self.server.values) {
            let n = own.load(Relaxed);
            if n > 0 {
                value.fetch_add(n, Relaxed);
                own.store(0, Relaxed);
            }
        }
    }

    /// FLUSH STATUS: the session's counters begin again; the server keeps what they came to.
    pub fn flush(&self) {
        let mut open = self.server.open();
        open.ended.clear();
        self.give_up(&open);
    }
}

impl Drop for SessionStatus {
    fn drop(&mut self) {
        let mut open = self.server.open();
        if let Some(session) = open.sessions.remove(&self.number) {
            open.keep(session);
        }
        self.give_up(&open);
    }
}

/// The counters that MySQL keeps for each session, with their places. Those of statements are in [`of_statements`].
pub fn of_sessions() -> impl Iterator<Item = (&'static str, usize)> {
    let all = ALL.iter().map(|stat| (TABLE[*stat as usize].name, stat.slot()));
    all.filter(|(name, _)| is_of_sessions(name))
}

/// The counters of statements by their kinds, with their places.
pub fn of_statements() -> impl Iterator<Item = (&'static str, usize)> {
    SqlCommand::ALL.iter().map(|c| (c.row().counter, c.slot()))
}

/// Does MySQL keep it for each session? The others are the server's alone.
pub fn is_of_sessions(name: &str) -> bool {
    let families = ["Com_", "Created_tmp_", "Handler_", "Select_", "Sort_"];
    families.iter().any(|f| name.starts_with(f)) || ["Questions", "Slow_queries"].contains(&name)
}

impl Status {
    /// All counters with what they are.
    pub fn rows(&self) -> impl Iterator<Item = (StatusDef, u64)> + use<> {
        let sums = self.sums();
        let statements = SqlCommand::ALL.iter().map(|command| {
            let def = StatusDef {
                name: command.row().counter,
                kind: StatusKind::Counter,
                unit: StatusUnit::One,
                doc: "Statements of this kind, those that failed included.",
            };
            (def, command.slot())
        });
        let all = ALL.iter().map(|stat| (TABLE[*stat as usize], stat.slot())).chain(statements);
        all.map(move |(def, slot)| (def, sums[slot]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_documented() {
        assert!(TABLE.windows(2).all(|w| w[0].name < w[1].name));
        assert!(TABLE.iter().all(|def| def.doc.ends_with('.')));
    }

    #[test]
    fn counting() {
        let status = Arc::new(Status::default());
        status.inc(Stat::Questions);
        status.add(Stat::Connections, 10);
        status.peak(Stat::Max_used_connections, 4);
        status.peak(Stat::Max_used_connections, 2);
        assert_eq!(status.get(Stat::Max_used_connections), 4);
        status.flush();
        assert_eq!(status.get(Stat::Connections), 0);
        assert_eq!(status.get(Stat::Questions), 1, "it is the sessions'");
        assert_eq!(status.get(Stat::Max_used_connections), 4);
        let shown = SessionStatus::new(&status, Who::default()).show(false);
        assert!(shown.contains(&("Max_used_connections", 4)));
        assert!(shown.contains(&("Questions", 0)));
    }

    #[test]
    fn the_server_has_what_its_sessions_count_and_have_counted() {
        let server = Arc::new(Status::default());
        let (a, b) = (
            SessionStatus::new(&server, Who::default()),
            SessionStatus::new(&server, Who::default()),
        );
        a.inc(Stat::Handler_read_next);
        b.add(Stat::Handler_read_next, 5);
        b.inc(SqlCommand::Select);
        server.inc(Stat::Handler_read_next);
        assert_eq!((server.get(Stat::Handler_read_next), server.get(SqlCommand::Select)), (7, 1));
        assert!(server.rows().any(|(def, n)| (def.name, n) == ("Handler_read_next", 7)));
        assert!(
            a.show(true).contains(&("Com_select", 1)) && a.show(false).contains(&("Com_select", 0))
        );
        drop(b);
        assert_eq!((server.get(Stat::Handler_read_next), server.get(SqlCommand::Select)), (7, 1));
        a.flush();
        assert_eq!((a.get(Stat::Handler_read_next), server.get(Stat::Handler_read_next)), (0, 7));
        a.inc(Stat::Handler_read_next);
        assert_eq!((a.get(Stat::Handler_read_next), server.get(Stat::Handler_read_next)), (1, 8));
    }

    #[test]
    fn gauges_are_sums_and_a_flush_takes_off_what_sessions_have() {
        let server = Arc::new(Status::default());
        let (a, b) = (
            SessionStatus::new(&server, Who::default()),
            SessionStatus::new(&server, Who::default()),
        );
        a.inc(Stat::Threads_running);
        b.inc(Stat::Threads_running);
        a.counts().dec(Stat::Threads_running);
        a.counts().dec(Stat::Threads_running);
        assert_eq!(server.get(Stat::Threads_running), 0);
        a.add(Stat::Bytes_sent, 100);
        server.add(Stat::Bytes_sent, 10);
        server.flush();
        assert_eq!((server.get(Stat::Bytes_sent), a.get(Stat::Bytes_sent)), (0, 100));
        b.add(Stat::Bytes_sent, 3);
        drop((a, b));
        assert_eq!((server.get(Stat::Bytes_sent), server.get(Stat::Threads_running)), (3, 0));
    }
}
