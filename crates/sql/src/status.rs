//! Status counters: one table, one array of relaxed atomics for the server and one for each session.
//!
//! Server and executor count; SHOW STATUS reads. Names are MySQL's. Counters of the engine
//! (`Innodb_*`) come from the engine and are merged in by SHOW STATUS.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a number means for those who draw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down, or is a peak.
    Gauge,
}

/// One row of the table.
#[derive(Debug)]
pub struct StatDef {
    pub name: &'static str,
    pub kind: Kind,
    pub doc: &'static str,
}

macro_rules! stats {
    ($($name:ident: $kind:ident, $doc:literal;)*) => {
        /// A counter. The variants carry the names of SHOW STATUS.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub enum Stat { $($name),* }

        const TABLE: &[StatDef] = &[$(
            StatDef { name: stringify!($name), kind: Kind::$kind, doc: $doc }
        ),*];

        const ALL: &[Stat] = &[$(Stat::$name),*];
    };
}

stats! {
    Aborted_clients: Counter, "Connections that ended without COM_QUIT.";
    Aborted_connects: Counter, "Connections that failed before the login was done.";
    Bytes_received: Counter, "Bytes read from clients.";
    Bytes_sent: Counter, "Bytes written to clients.";
    Com_admin_commands: Counter, "Protocol commands that are no statements.";
    Com_alter_instance: Counter, "ALTER INSTANCE statements.";
    Com_alter_table: Counter, "ALTER TABLE statements.";
    Com_alter_user: Counter, "ALTER USER statements.";
    Com_analyze: Counter, "ANALYZE TABLE statements.";
    Com_begin: Counter, "BEGIN and START TRANSACTION statements.";
    Com_call_procedure: Counter, "CALL statements.";
    Com_change_db: Counter, "USE statements and COM_INIT_DB.";
    Com_check: Counter, "CHECK TABLE statements.";
    Com_commit: Counter, "COMMIT statements.";
    Com_create_db: Counter, "CREATE DATABASE statements.";
    Com_create_function: Counter, "CREATE FUNCTION statements.";
    Com_create_index: Counter, "CREATE INDEX statements.";
    Com_create_procedure: Counter, "CREATE PROCEDURE statements.";
    Com_create_table: Counter, "CREATE TABLE statements.";
    Com_create_user: Counter, "CREATE USER statements.";
    Com_dealloc_sql: Counter, "DEALLOCATE PREPARE statements.";
    Com_delete: Counter, "DELETE statements.";
    Com_do: Counter, "DO statements.";
    Com_drop_db: Counter, "DROP DATABASE statements.";
    Com_drop_index: Counter, "DROP INDEX statements.";
    Com_drop_table: Counter, "DROP TABLE statements.";
    Com_drop_user: Counter, "DROP USER statements.";
    Com_execute_sql: Counter, "EXECUTE statements.";
    Com_explain_other: Counter, "EXPLAIN statements.";
    Com_flush: Counter, "FLUSH statements.";
    Com_grant: Counter, "GRANT statements.";
    Com_insert: Counter, "INSERT statements.";
    Com_insert_select: Counter, "INSERT ... SELECT statements.";
    Com_kill: Counter, "KILL statements.";
    Com_load: Counter, "LOAD DATA statements.";
    Com_lock_tables: Counter, "LOCK TABLES statements.";
    Com_prepare_sql: Counter, "PREPARE statements.";
    Com_release_savepoint: Counter, "RELEASE SAVEPOINT statements.";
    Com_rename_user: Counter, "RENAME USER statements.";
    Com_replace: Counter, "REPLACE statements.";
    Com_replace_select: Counter, "REPLACE ... SELECT statements.";
    Com_revoke: Counter, "REVOKE statements.";
    Com_rollback: Counter, "ROLLBACK statements.";
    Com_rollback_to_savepoint: Counter, "ROLLBACK TO SAVEPOINT statements.";
    Com_savepoint: Counter, "SAVEPOINT statements.";
    Com_select: Counter, "SELECT statements.";
    Com_set_option: Counter, "SET statements.";
    Com_show: Counter, "SHOW statements of every kind.";
    Com_signal: Counter, "SIGNAL and RESIGNAL statements outside of stored programs.";
    Com_stmt_close: Counter, "Prepared statements closed.";
    Com_stmt_execute: Counter, "Executions of prepared statements.";
    Com_stmt_prepare: Counter, "Statements prepared.";
    Com_stmt_reset: Counter, "Prepared statements reset.";
    Com_stmt_send_long_data: Counter, "Pieces of long parameters received.";
    Com_truncate: Counter, "TRUNCATE statements.";
    Com_unlock_tables: Counter, "UNLOCK TABLES statements.";
    Com_update: Counter, "UPDATE statements.";
    Connection_control_delay_generated: Counter, "Logins answered later because of failures before them.";
    Connection_errors_accept: Counter, "Failures to accept a connection.";
    Connection_errors_internal: Counter, "Connections refused for want of a thread or memory.";
    Connection_errors_max_connections: Counter, "Connections refused with error 1040.";
    Connections: Counter, "Connection attempts.";
    Created_tmp_disk_tables: Counter, "Groups and results without equal rows that did not fit into tmp_table_size.";
    Created_tmp_files: Counter, "Files that statements opened for rows that wait.";
    Created_tmp_tables: Counter, "Derived tables, groups and results that a statement kept.";
    Handler_commit: Counter, "Transactions committed inside the engine.";
    Handler_delete: Counter, "Rows deleted.";
    Handler_discover: Counter, "Always 0: no engine discovers tables.";
    Handler_external_lock: Counter, "Two for each table that a statement used.";
    Handler_mrr_init: Counter, "Always 0: ranges are read one after the other.";
    Handler_prepare: Counter, "Always 0: there is no second engine to commit with.";
    Handler_read_first: Counter, "Reads of an index from its beginning.";
    Handler_read_key: Counter, "Searches of an index.";
    Handler_read_last: Counter, "Reads of an index from its end.";
    Handler_read_next: Counter, "Rows read on in the order of an index.";
    Handler_read_prev: Counter, "Rows read on against the order of an index.";
    Handler_read_rnd: Counter, "Always 0: rows are sorted whole, not read again by their place.";
    Handler_read_rnd_next: Counter, "Rows read on in a scan of a table, the attempt behind the last one included.";
    Handler_rollback: Counter, "Transactions rolled back inside the engine.";
    Handler_savepoint: Counter, "Savepoints set.";
    Handler_savepoint_rollback: Counter, "Rollbacks to savepoints.";
    Handler_update: Counter, "Rows updated.";
    Handler_write: Counter, "Rows inserted.";
    Max_used_connections: Gauge, "Most clients at the same time.";
    Prepared_stmt_count: Gauge, "Prepared statements that exist.";
    Queries: Counter, "Statements executed, those of prepared statements included.";
    Questions: Counter, "Statements that clients sent.";
    Select_full_join: Counter, "Joins that read a whole table for each row.";
    Select_full_range_join: Counter, "Joins that read a range of a table for each row.";
    Select_range: Counter, "Queries that read ranges of the first table.";
    Select_range_check: Counter, "Always 0: keys are not chosen anew for each row.";
    Select_scan: Counter, "Queries that read the whole first table.";
    Slow_queries: Counter, "Statements that were slow: see long_query_time and log_queries_not_using_indexes.";
    Sort_merge_passes: Counter, "Sorts whose rows were merged from disk: see sort_buffer_size.";
    Sort_range: Counter, "Sorts of rows that came from ranges.";
    Sort_rows: Counter, "Rows sorted.";
    Sort_scan: Counter, "Sorts of rows that came from a scan.";
    Ssl_accepts: Counter, "Handshakes of encrypted connections that clients began.";
    Ssl_finished_accepts: Counter, "Those that came to their end.";
    Ssl_sessions_reused: Counter, "Those that took up an earlier connection's keys.";
    Table_locks_immediate: Counter, "Table locks granted at once.";
    Table_locks_waited: Counter, "Table locks that were waited for.";
    Threads_connected: Gauge, "Clients connected.";
    Threads_created: Counter, "Threads started for connections.";
    Threads_running: Gauge, "Clients whose statement runs.";
    Weir_join_kept: Counter, "Tables that a join has read once and kept.";
    Weir_join_not_kept: Counter, "Tables too large for that, which a join reads for each row.";
    Weir_join_parted: Counter, "Tables too large for that, which a join has divided in files.";
}

/// The counters of one server.
#[derive(Debug)]
pub struct Status {
    values: [AtomicU64; TABLE.len()],
}

impl Default for Status {
    fn default() -> Self {
        Status { values: [const { AtomicU64::new(0) }; TABLE.len()] }
    }
}

impl Status {
    pub fn add(&self, stat: Stat, n: u64) {
        self.values[stat as usize].fetch_add(n, Relaxed);
    }

    pub fn inc(&self, stat: Stat) {
        self.add(stat, 1);
    }

    /// For gauges.
    pub fn dec(&self, stat: Stat) {
        self.values[stat as usize].fetch_sub(1, Relaxed);
    }

    /// Keeps the highest value, for peaks.
    pub fn peak(&self, stat: Stat, value: u64) {
        self.values[stat as usize].fetch_max(value, Relaxed);
    }

    pub fn get(&self, stat: Stat) -> u64 {
        self.values[stat as usize].load(Relaxed)
    }

    /// FLUSH STATUS: the counters that no session has begin again, as in MySQL; gauges stay.
    pub fn flush(&self) {
        for (def, value) in TABLE.iter().zip(&self.values) {
            if def.kind == Kind::Counter && !is_of_sessions(def.name) {
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
const OF_ROWS: [Stat; 26] = [
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
];

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

    /// For everything else.
    pub fn inc(&self, stat: Stat, server: &Status) {
        debug_assert!(!OF_ROWS.contains(&stat), "{stat:?} would be counted twice");
        step(&self.own.values[stat as usize], 1);
        server.inc(stat);
    }

    pub fn get(&self, stat: Stat) -> u64 {
        self.own.get(stat)
    }

    /// A row was looked at.
    pub fn examine(&self) {
        step(&self.examined, 1);
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
        let own = |stat: Stat, name| {
            if !global && is_of_sessions(name) { self.get(stat) } else { server.get(stat) }
        };
        ALL.iter()
            .map(|stat| (*stat, TABLE[*stat as usize].name))
            .map(|(s, n)| (n, own(s, n)))
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

/// The rows, for documentation and metrics.
pub fn table() -> &'static [StatDef] {
    TABLE
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
        a.inc(Stat::Com_select, &server);
        assert_eq!((server.get(Stat::Handler_read_next), server.get(Stat::Com_select)), (0, 1));
        for _ in 0..2 {
            a.settle(&server);
            b.settle(&server);
        }
        assert_eq!(server.get(Stat::Handler_read_next), 6);
        a.row(Stat::Handler_read_next);
        a.flush(&server);
        assert_eq!((a.get(Stat::Handler_read_next), a.get(Stat::Com_select)), (0, 0));
        assert_eq!((server.get(Stat::Handler_read_next), server.get(Stat::Com_select)), (7, 1));
        a.row(Stat::Handler_read_next);
        a.settle(&server);
        assert_eq!(server.get(Stat::Handler_read_next), 8);
    }
}
