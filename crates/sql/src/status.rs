//! Status counters: one table, one array of relaxed atomics.
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
    Handler_commit: Counter, "Transactions committed inside the engine.";
    Handler_rollback: Counter, "Transactions rolled back inside the engine.";
    Max_used_connections: Gauge, "Most clients at the same time.";
    Prepared_stmt_count: Gauge, "Prepared statements that exist.";
    Queries: Counter, "Statements executed, those of prepared statements included.";
    Questions: Counter, "Statements that clients sent.";
    Select_full_join: Counter, "Joins that read a whole table for each row.";
    Select_scan: Counter, "SELECTs that read the whole first table.";
    Slow_queries: Counter, "Always 0: slow statements are not logged.";
    Sort_rows: Counter, "Rows sorted.";
    Table_locks_immediate: Counter, "Table locks granted at once.";
    Table_locks_waited: Counter, "Table locks that were waited for.";
    Threads_connected: Gauge, "Clients connected.";
    Threads_created: Counter, "Threads started for connections.";
    Threads_running: Gauge, "Clients whose statement runs.";
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

    /// FLUSH STATUS: counters begin again, gauges stay.
    pub fn flush(&self) {
        for (def, value) in TABLE.iter().zip(&self.values) {
            if def.kind == Kind::Counter {
                value.store(0, Relaxed);
            }
        }
    }

    /// Every counter with its name, in the order of the names. `Uptime` and the engine's counters
    /// are the caller's to add.
    pub fn show(&self) -> Vec<(&'static str, u64)> {
        ALL.iter().map(|stat| (TABLE[*stat as usize].name, self.get(*stat))).collect()
    }
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
        status.add(Stat::Bytes_sent, 10);
        status.peak(Stat::Max_used_connections, 4);
        status.peak(Stat::Max_used_connections, 2);
        assert_eq!(status.get(Stat::Max_used_connections), 4);
        status.flush();
        assert_eq!(status.get(Stat::Questions), 0);
        assert_eq!(status.get(Stat::Max_used_connections), 4);
        assert!(status.show().contains(&("Max_used_connections", 4)));
    }
}
