//! INNODB_METRICS: the engine's counters under the names that InnoDB's monitors have.

use super::cells::{Row, i, s};
use super::engine_told::Told;
use crate::context::{TableReads, VirtualTable};
use crate::value::Value;
use std::collections::HashMap;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&METRICS]
}

static METRICS: Told = Told::new(
    "information_schema",
    "INNODB_METRICS",
    "NAME V193! SUBSYSTEM V193! COUNT I! MAX_COUNT I MIN_COUNT I AVG_COUNT F COUNT_RESET I! MAX_COUNT_RESET I MIN_COUNT_RESET I
     AVG_COUNT_RESET F TIME_ENABLED D TIME_DISABLED D TIME_ELAPSED I TIME_RESET D STATUS V193! TYPE V193! COMMENT V193!",
    rows,
);

/// `counter`: it only grows. `value`: a state.
type Metric = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// Name, subsystem, type, the status variable that it is, and what it counts.
const KNOWN: &[Metric] = &[
    ("lock_deadlocks", "lock", "counter", "Innodb_deadlocks", "Number of deadlocks"),
    (
        "lock_row_lock_current_waits",
        "lock",
        "value",
        "Innodb_row_lock_current_waits",
        "Number of row locks currently being waited for",
    ),
    (
        "lock_row_lock_time",
        "lock",
        "counter",
        "Innodb_row_lock_time",
        "Time spent in acquiring row locks, in milliseconds",
    ),
    (
        "lock_row_lock_time_max",
        "lock",
        "value",
        "Innodb_row_lock_time_max",
        "The maximum time to acquire a row lock, in milliseconds",
    ),
    (
        "lock_row_lock_waits",
        "lock",
        "counter",
        "Innodb_row_lock_waits",
        "Number of times a row lock had to be waited for",
    ),
    (
        "lock_row_lock_time_avg",
        "lock",
        "value",
        "Innodb_row_lock_time_avg",
        "The average time to acquire a row lock, in milliseconds",
    ),
    (
        "buffer_pool_size",
        "server",
        "value",
        "Innodb_buffer_pool_bytes_total",
        "Size of the buffer pool in bytes",
    ),
    (
        "buffer_pool_reads",
        "buffer",
        "counter",
        "Innodb_buffer_pool_reads",
        "Number of reads directly from disk",
    ),
    (
        "buffer_pool_read_requests",
        "buffer",
        "counter",
        "Innodb_buffer_pool_read_requests",
        "Number of logical read requests",
    ),
    (
        "buffer_pool_write_requests",
        "buffer",
        "counter",
        "Innodb_buffer_pool_write_requests",
        "Number of write requests",
    ),
    (
        "buffer_pool_wait_free",
        "buffer",
        "counter",
        "Innodb_buffer_pool_wait_free",
        "Number of times waited for a free frame",
    ),
    (
        "buffer_pool_read_ahead",
        "buffer",
        "counter",
        "Innodb_buffer_pool_read_ahead",
        "Number of pages read as read-ahead",
    ),
    (
        "buffer_pool_pages_total",
        "buffer",
        "value",
        "Innodb_buffer_pool_pages_total",
        "Total buffer pool size in pages",
    ),
    (
        "buffer_pool_pages_data",
        "buffer",
        "value",
        "Innodb_buffer_pool_pages_data",
        "Pages that contain data",
    ),
    (
        "buffer_pool_bytes_data",
        "buffer",
        "value",
        "Innodb_buffer_pool_bytes_data",
        "Bytes that contain data",
    ),
    (
        "buffer_pool_pages_dirty",
        "buffer",
        "value",
        "Innodb_buffer_pool_pages_dirty",
        "Dirty pages currently",
    ),
    (
        "buffer_pool_bytes_dirty",
        "buffer",
        "value",
        "Innodb_buffer_pool_bytes_dirty",
        "Dirty bytes currently",
    ),
    (
        "buffer_pool_pages_free",
        "buffer",
        "value",
        "Innodb_buffer_pool_pages_free",
        "Pages currently free",
    ),
    (
        "buffer_pages_created",
        "buffer",
        "counter",
        "Innodb_pages_created",
        "Number of pages created",
    ),
    (
        "buffer_pages_written",
        "buffer",
        "counter",
        "Innodb_pages_written",
        "Number of pages written",
    ),
    ("buffer_pages_read", "buffer", "counter", "Innodb_pages_read", "Number of pages read"),
    ("buffer_data_reads", "buffer", "counter", "Innodb_data_read", "Amount of data read in bytes"),
    (
        "buffer_data_written",
        "buffer",
        "counter",
        "Innodb_data_written",
        "Amount of data written in bytes",
    ),
    ("os_data_reads", "os", "counter", "Innodb_data_reads", "Number of reads initiated"),
    ("os_data_writes", "os", "counter", "Innodb_data_writes", "Number of writes initiated"),
    ("os_data_fsyncs", "os", "counter", "Innodb_data_fsyncs", "Number of fsync() calls"),
    ("os_log_bytes_written", "os", "counter", "Innodb_os_log_written", "Bytes of log written"),
    ("os_log_fsyncs", "os", "counter", "Innodb_os_log_fsyncs", "Number of fsync log writes"),
    (
        "trx_rseg_history_len",
        "transaction",
        "value",
        "Innodb_history_list_length",
        "Length of the history list",
    ),
    (
        "log_waits",
        "log",
        "counter",
        "Innodb_log_waits",
        "Number of log waits due to a small log buffer",
    ),
    (
        "log_write_requests",
        "log",
        "counter",
        "Innodb_log_write_requests",
        "Number of log write requests",
    ),
    ("log_writes", "log", "counter", "Innodb_log_writes", "Number of log writes"),
    ("log_lsn_current", "log", "value", "Innodb_redo_log_current_lsn", "Current LSN value"),
    (
        "log_lsn_last_checkpoint",
        "log",
        "value",
        "Innodb_redo_log_checkpoint_lsn",
        "LSN at last checkpoint",
    ),
    (
        "log_lsn_last_flush",
        "log",
        "value",
        "Innodb_redo_log_flushed_to_disk_lsn",
        "LSN of last flush",
    ),
    (
        "log_lsn_checkpoint_age",
        "log",
        "value",
        "Weir_checkpoint_age",
        "Current LSN minus LSN at last checkpoint",
    ),
    ("log_checkpoints", "log", "counter", "Weir_checkpoints", "Number of checkpoints"),
    (
        "ibuf_merges",
        "change_buffer",
        "counter",
        "Innodb_ibuf_merges",
        "Number of change buffer merges",
    ),
    ("ibuf_size", "change_buffer", "value", "Innodb_ibuf_size", "Change buffer size in pages"),
    ("index_page_splits", "index", "counter", "Weir_btree_splits", "Number of index page splits"),
    (
        "index_page_merge_successful",
        "index",
        "counter",
        "Weir_btree_merges",
        "Number of successful index page merges",
    ),
    (
        "innodb_dblwr_writes",
        "server",
        "counter",
        "Innodb_dblwr_writes",
        "Number of doublewrite operations that have been performed",
    ),
    (
        "innodb_dblwr_pages_written",
        "server",
        "counter",
        "Innodb_dblwr_pages_written",
        "Number of pages that have been written for doublewrite",
    ),
    ("innodb_page_size", "server", "value", "Innodb_page_size", "Page size in bytes"),
    ("dml_reads", "dml", "counter", "Innodb_rows_read", "Number of rows read"),
    ("dml_inserts", "dml", "counter", "Innodb_rows_inserted", "Number of rows inserted"),
    ("dml_deletes", "dml", "counter", "Innodb_rows_deleted", "Number of rows deleted"),
    ("dml_updates", "dml", "counter", "Innodb_rows_updated", "Number of rows updated"),
    (
        "file_num_open_files",
        "file_system",
        "value",
        "Innodb_num_open_files",
        "Number of files currently open",
    ),
];

fn rows(cx: TableReads<'_>) -> Vec<Row> {
    let mut status: HashMap<&str, u64> = cx.reads.db().status().into_iter().collect();
    let page = status.get("Innodb_page_size").copied().unwrap_or(0);
    let pages = status.get("Innodb_buffer_pool_pages_total").copied().unwrap_or(0);
    status.insert("Innodb_buffer_pool_bytes_total", page * pages);
    let row = |(name, subsystem, kind, of, comment): &Metric| {
        let n = i(i64::try_from(*status.get(of)?).unwrap_or(i64::MAX));
        let none = || Value::Null;
        Some(vec![
            s(*name),
            s(*subsystem),
            n.clone(),
            none(),
            none(),
            none(),
            n,
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            none(),
            s("enabled"),
            s(if *kind == "counter" { "status_counter" } else { kind }),
            s(*comment),
        ])
    };
    KNOWN.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_stands_once() {
        let mut names: Vec<&str> = KNOWN.iter().map(|m| m.0).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KNOWN.len());
        assert!(KNOWN.iter().all(|m| matches!(m.2, "counter" | "value")));
    }
}
