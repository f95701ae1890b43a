//! The server's counters by SHOW GLOBAL STATUS: Weir's, MySQL's, MariaDB's and MyRocks' names for the same things.

use super::series::ServerRates;
use crate::error::Result;
use crate::target::{Conn, Target};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is asked for. A server answers with those it has.
const NAMES: &[&str] = &[
    "Innodb_buffer_pool_pages_dirty",
    "Innodb_buffer_pool_pages_total",
    "Innodb_checkpoint_age",
    "Weir_checkpoint_age",
    "Innodb_redo_log_current_lsn",
    "Innodb_redo_log_checkpoint_lsn",
    "Innodb_buffer_pool_pages_flushed",
    "Innodb_buffer_pool_pages_LRU_flushed",
    "Weir_flush_list_pages",
    "Weir_flush_lru_pages",
    "Weir_flush_sync_pages",
    "Innodb_log_writes",
    "Innodb_os_log_written",
    "Innodb_os_log_fsyncs",
    "Innodb_buffer_pool_reads",
    "Rocksdb_wal_bytes",
    "Rocksdb_wal_synced",
    "Rocksdb_block_cache_miss",
];

/// Counters at one moment.
#[derive(Clone, Debug)]
pub struct Counters {
    at: Instant,
    values: HashMap<String, f64>,
}

impl Counters {
    pub fn read(conn: &mut Conn, rocks: bool) -> Result<Counters> {
        let list: Vec<String> = NAMES.iter().map(|n| format!("'{n}'")).collect();
        let sql = format!("SHOW GLOBAL STATUS WHERE Variable_name IN ({})", list.join(","));
        let pairs = conn.pairs(&sql)?;
        let is_used = |name: &str| name.starts_with("Rocksdb") == rocks;
        let values = pairs.into_iter().filter(|(n, _)| is_used(n));
        let values = values.filter_map(|(n, v)| Some((n.to_lowercase(), v.parse().ok()?)));
        Ok(Counters { at: Instant::now(), values: values.collect() })
    }

    fn get(&self, name: &str) -> Option<f64> {
        self.values.get(&name.to_lowercase()).copied()
    }

    fn any(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|n| self.get(n))
    }

    fn dirty_pct(&self) -> Option<f64> {
        let total = self.get("Innodb_buffer_pool_pages_total")?;
        Some(100.0 * self.get("Innodb_buffer_pool_pages_dirty")? / total.max(1.0))
    }

    fn checkpoint_age(&self) -> Option<f64> {
        self.any(&["Weir_checkpoint_age", "Innodb_checkpoint_age"]).or_else(|| {
            let now = self.get("Innodb_redo_log_current_lsn")?;
            Some(now - self.get("Innodb_redo_log_checkpoint_lsn")?)
        })
    }

    /// Rates since an earlier reading. A counter that went back (the server was restarted) is not told.
    pub fn since(&self, before: &Counters) -> ServerRates {
        let seconds = self.at.duration_since(before.at).as_secs_f64().max(1e-6);
        let rate = |names: &[&str]| {
            let (a, b) = (self.any(names)?, before.any(names)?);
            (a >= b).then(|| (a - b) / seconds)
        };
        ServerRates {
            dirty_pct: self.dirty_pct(),
            checkpoint_age: self.checkpoint_age(),
            pages_flushed: rate(&["Innodb_buffer_pool_pages_flushed"]),
            flushed_list: rate(&["Weir_flush_list_pages"]),
            flushed_lru: rate(&["Weir_flush_lru_pages", "Innodb_buffer_pool_pages_LRU_flushed"]),
            flushed_sync: rate(&["Weir_flush_sync_pages"]),
            log_writes: rate(&["Innodb_log_writes"]),
            log_mb: rate(&["Innodb_os_log_written", "Rocksdb_wal_bytes"]).map(|b| b / 1e6),
            log_syncs: rate(&["Innodb_os_log_fsyncs", "Rocksdb_wal_synced"]),
            pool_reads: rate(&["Innodb_buffer_pool_reads", "Rocksdb_block_cache_miss"]),
        }
    }
}

/// Reads the counters again and again in a thread of its own, so that a server that does not answer holds up nobody.
pub struct Probe {
    last: Arc<Mutex<Option<Counters>>>,
    stop: Arc<AtomicBool>,
    /// Waited for at the end, so that an embedded database can be closed; a remote server may not answer any more.
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Probe {
    pub fn start(target: Target, rocks: bool, every: Duration) -> Probe {
        let (last, stop) = (Arc::new(Mutex::new(None)), Arc::new(AtomicBool::new(false)));
        let mut probe = Probe { last: last.clone(), stop: stop.clone(), thread: None };
        let waited_for = target.is_embedded();
        let work = move || {
            let mut conn = None;
            while !stop.load(Ordering::Relaxed) {
                let mut read = || -> Result<Counters> {
                    if conn.is_none() {
                        conn = Some(target.connect("")?);
                    }
                    Counters::read(conn.as_mut().expect("just made"), rocks)
                };
                let counters = read();
                if counters.is_err() {
                    conn = None;
                }
                *last.lock().unwrap_or_else(PoisonError::into_inner) = counters.ok();
                let begun = Instant::now();
                while begun.elapsed() < every && !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(20).min(every));
                }
            }
        };
        // Without the thread there are no server figures; the run itself is as good.
        let thread = std::thread::Builder::new().name("bench-status".into()).spawn(work);
        probe.thread = thread.ok().filter(|_| waited_for);
        probe
    }

    /// Returns when there is a reading, or after `patience`.
    pub fn wait_for_first(&self, patience: Duration) {
        let begun = Instant::now();
        while self.last().is_none() && begun.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The newest reading.
    pub fn last(&self) -> Option<Counters> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(t) = self.thread.take() {
            // A panic there is a missing figure here.
            let _ = t.join();
        }
    }
}

/// Variables that a result is kept with.
pub const VARIABLES: &[&str] = &[
    "version",
    "version_comment",
    "innodb_buffer_pool_size",
    "innodb_redo_log_capacity",
    "innodb_log_file_size",
    "innodb_log_files_in_group",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_doublewrite",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_max_dirty_pages_pct",
    "innodb_page_size",
    "transaction_isolation",
    "sync_binlog",
    "log_bin",
    "rocksdb_flush_log_at_trx_commit",
    "rocksdb_block_cache_size",
];

/// The settings of the server as SHOW GLOBAL VARIABLES tells them.
pub fn variables(conn: &mut Conn) -> Result<Vec<(String, String)>> {
    let list: Vec<String> = VARIABLES.iter().map(|n| format!("'{n}'")).collect();
    conn.pairs(&format!("SHOW GLOBAL VARIABLES WHERE Variable_name IN ({})", list.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(at: Instant, list: &[(&str, f64)]) -> Counters {
        Counters { at, values: list.iter().map(|(n, v)| (n.to_lowercase(), *v)).collect() }
    }

    #[test]
    fn rates_under_every_name() {
        let t = Instant::now();
        let later = t + Duration::from_secs(2);
        let a = counters(t, &[("Innodb_log_writes", 10.0), ("Innodb_os_log_written", 0.0)]);
        let b = counters(
            later,
            &[
                ("Innodb_log_writes", 30.0),
                ("Innodb_os_log_written", 4e6),
                ("Innodb_buffer_pool_pages_dirty", 25.0),
                ("Innodb_buffer_pool_pages_total", 100.0),
                ("Innodb_redo_log_current_lsn", 500.0),
                ("Innodb_redo_log_checkpoint_lsn", 200.0),
            ],
        );
        let r = b.since(&a);
        assert_eq!((r.log_writes, r.log_mb), (Some(10.0), Some(2.0)));
        assert_eq!((r.dirty_pct, r.checkpoint_age, r.pool_reads), (Some(25.0), Some(300.0), None));
        // A restarted server counts from zero.
        let c = counters(later + Duration::from_secs(1), &[("Innodb_log_writes", 1.0)]);
        assert_eq!(c.since(&b).log_writes, None);
    }
}
