//! Status counters: one table, one array of relaxed atomics for the server and one for each session.
//!
//! Server and executor count; SHOW STATUS reads. Names are MySQL's. Statements are counted by their kind (`Com_*`), whose table
//! ([`SqlCommand`]) names the counters. Counters of the engine (`Innodb_*`) come from the engine; `metrics` puts them all together.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
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
    Weir_join_kept: Counter One, "Tables that a join has read once and kept.";
    Weir_join_not_kept: Counter One, "Tables too large for that, which a join reads for each row.";
    Weir_join_parted: Counter One, "Tables too large for that, which a join has divided in files.";
    Weir_plan_cache_bytes: Gauge Bytes, "Bytes of the plans that are kept by the texts of their statements (`weir_plan_cache_size`).";
    Weir_plan_cache_evicted: Counter One, "Plans that had to go for want of room.";
    Weir_plan_cache_hits: Counter One, "Statements whose plan was found by their text.";
    Weir_plan_cache_plans: Gauge One, "Plans that are kept.";
    Weir_point_plans: Counter One, "SELECTs of one row by a unique key that were run without the executor.";
    Weir_redo_archive_failures: Counter One, "Writes to the redo archive that failed and were tried again.";
    Weir_redo_archive_gaps: Counter One, "Times that the log had to go on without the redo archive.";
    Weir_redo_archive_lsn: Gauge One, "The redo archive is safe up to this LSN; 0: nothing was archived since the start.";
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

/// The counters of one server.
#[derive(Debug)]
pub struct Status {
    values: [AtomicU64; SLOTS],
}

impl Default for Status {
    fn default() -> Self {
        Status { values: [const { AtomicU64::new(0) }; SLOTS] }
    }
}

impl Status {
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

    pub fn get(&self, stat: impl Counted) -> u64 {
        self.values[stat.slot()].load(Relaxed)
    }

    /// FLUSH STATUS: the counters that no session has begin again, as in MySQL; gauges stay.
    pub fn flush(&self) {
        for (def, value) in TABLE.iter().zip(&self.values) {
            if def.kind == StatusKind::Counter && !is_of_sessions(def.name) {
                value.store(0, Relaxed);
            }
        }
    }
}

/// What a session counts for itself, besides what it adds to the server's counters.
///
/// Only the session's own thread writes it, so a step is a load and a store. What happens for each row is added to the server's
/// counters when the statement ends ([`SessionStatus::settle`]), everything else at once.
#[derive(Debug, Default)]
pub struct SessionStatus {
    own: Status,
    /// How much of each of [`OF_ROWS`] the server's counters have.
    settled: [AtomicU64; OF_ROWS.len()],
    /// Rows that the statement at hand has looked at.
    examined: AtomicU64,
}

/// The counters that statements step for each row, or several times.
const OF_ROWS: [Stat; 28] = [
    Stat::Created_tmp_tables,
    Stat::Handler_commit,
    Stat::Handler_delete,
    Stat::Handler_external_lock,
    Stat::Handler_read_first,
    Stat::Handler_read_key,
    Stat::Handler_read_last,
    Stat::Handler_read_next,
    Stat::Handler_read_prev,
    Stat::Handler_read_rnd_next,
    Stat::Handler_rollback,
    Stat::Handler_savepoint,
    Stat::Handler_savepoint_rollback,
    Stat::Handler_update,
    Stat::Handler_write,
    Stat::Select_full_join,
    Stat::Select_full_range_join,
    Stat::Select_range,
    Stat::Select_scan,
    Stat::Sort_range,
    Stat::Sort_rows,
    Stat::Sort_scan,
    Stat::Table_locks_immediate,
    Stat::Weir_join_kept,
    Stat::Weir_join_not_kept,
    Stat::Weir_join_parted,
    Stat::Weir_plan_cache_hits,
    Stat::Weir_point_plans,
];

#[inline]
fn step(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(n), Relaxed);
}

impl SessionStatus {
    /// For [`OF_ROWS`] only.
    pub fn row(&self, stat: Stat) {
        self.rows(stat, 1);
    }

    pub fn rows(&self, stat: Stat, n: u64) {
        debug_assert!(OF_ROWS.contains(&stat), "{stat:?} would never be settled");
        step(&self.own.values[stat as usize], n);
    }

    /// As [`SessionStatus::rows`], and the server's counters have it at once: for a statement that counts little, this is less than to
    /// look at all counters when it ends.
    #[inline]
    pub fn rows_at_once(&self, stat: Stat, n: u64, server: &Status) {
        self.rows(stat, n);
        let at = OF_ROWS.iter().position(|s| *s as u16 == stat as u16);
        if let Some(settled) = at.and_then(|at| self.settled.get(at)) {
            step(settled, n);
            server.add(stat, n);
        }
    }

    /// For everything else.
    #[inline]
    pub fn inc(&self, stat: impl Counted, server: &Status) {
        debug_assert!(
            OF_ROWS.iter().all(|row| row.slot() != stat.slot()),
            "counter {} would be counted twice",
            stat.slot()
        );
        step(&self.own.values[stat.slot()], 1);
        server.inc(stat);
    }

    pub fn get(&self, stat: impl Counted) -> u64 {
        self.own.get(stat)
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
    pub fn take_examined(&self) -> u64 {
        self.examined.swap(0, Relaxed)
    }

    /// The server's counters get what this session has counted since the last time.
    pub fn settle(&self, server: &Status) {
        for (stat, settled) in OF_ROWS.iter().zip(&self.settled) {
            let now = self.own.get(*stat);
            let new = now.wrapping_sub(settled.load(Relaxed));
            if new > 0 {
                settled.store(now, Relaxed);
                server.add(*stat, new);
            }
        }
    }

    /// All counters with their names: the server's, or where a session has its own, that.
    pub fn show(&self, server: &Status, global: bool) -> Vec<(&'static str, u64)> {
        let of = |stat: Stat, name| {
            if !global && is_of_sessions(name) { self.get(stat) } else { server.get(stat) }
        };
        let statements = SqlCommand::ALL.iter().map(|command| {
            let n = if global { server.get(*command) } else { self.get(*command) };
            (command.row().counter, n)
        });
        ALL.iter()
            .map(|stat| (*stat, TABLE[*stat as usize].name))
            .map(|(stat, name)| (name, of(stat, name)))
            .chain(statements)
            .collect()
    }

    /// FLUSH STATUS: the session's counters begin again; the server keeps what they came to.
    pub fn flush(&self, server: &Status) {
        self.settle(server);
        self.own.values.iter().chain(&self.settled).for_each(|v| v.store(0, Relaxed));
    }
}

/// Does MySQL keep it for each session? The others are the server's alone.
pub fn is_of_sessions(name: &str) -> bool {
    let families = ["Com_", "Created_tmp_", "Handler_", "Select_", "Sort_"];
    families.iter().any(|f| name.starts_with(f)) || ["Questions", "Slow_queries"].contains(&name)
}

impl Status {
    /// All counters with what they are.
    pub fn rows(&self) -> impl Iterator<Item = (StatusDef, u64)> {
        let statements = SqlCommand::ALL.iter().map(|command| {
            let def = StatusDef {
                name: command.row().counter,
                kind: StatusKind::Counter,
                unit: StatusUnit::One,
                doc: "Statements of this kind, those that failed included.",
            };
            (def, self.get(*command))
        });
        ALL.iter().map(|stat| (TABLE[*stat as usize], self.get(*stat))).chain(statements)
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
        let status = Status::default();
        status.inc(Stat::Questions);
        status.add(Stat::Connections, 10);
        status.peak(Stat::Max_used_connections, 4);
        status.peak(Stat::Max_used_connections, 2);
        assert_eq!(status.get(Stat::Max_used_connections), 4);
        status.flush();
        assert_eq!(status.get(Stat::Connections), 0);
        assert_eq!(status.get(Stat::Questions), 1, "it is the sessions'");
        assert_eq!(status.get(Stat::Max_used_connections), 4);
        let shown = SessionStatus::default().show(&status, false);
        assert!(shown.contains(&("Max_used_connections", 4)));
        assert!(shown.contains(&("Questions", 0)));
    }

    #[test]
    fn what_sessions_count_for_rows_is_the_servers_once_it_is_settled() {
        let (server, a, b) =
            (Status::default(), SessionStatus::default(), SessionStatus::default());
        a.row(Stat::Handler_read_next);
        b.rows(Stat::Handler_read_next, 5);
        a.inc(SqlCommand::Select, &server);
        assert_eq!((server.get(Stat::Handler_read_next), server.get(SqlCommand::Select)), (0, 1));
        for _ in 0..2 {
            a.settle(&server);
            b.settle(&server);
        }
        assert_eq!(server.get(Stat::Handler_read_next), 6);
        a.row(Stat::Handler_read_next);
        a.flush(&server);
        assert_eq!((a.get(Stat::Handler_read_next), a.get(SqlCommand::Select)), (0, 0));
        assert_eq!((server.get(Stat::Handler_read_next), server.get(SqlCommand::Select)), (7, 1));
        a.row(Stat::Handler_read_next);
        a.settle(&server);
        assert_eq!(server.get(Stat::Handler_read_next), 8);
    }
}
