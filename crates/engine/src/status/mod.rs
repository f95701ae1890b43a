//! What the engine tells about itself, under the names that MySQL users know, and settings that change while it runs.

mod files;
mod innodb;
mod monitor;
mod own;
mod table;

pub use files::{FileSums, LogSums};
pub use monitor::{Heading, is_before_5_5};
pub use table::{Kind, StatusDef, Unit};

use crate::Isolation;
use crate::change_buffer::BUFFER;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::history::Second;
use crate::ids::TrxId;
use crate::lock::{DeadlockFn, LockInfo, TrxLocks};
use crate::policy::{self, SettingValue, Settings as FlushSettings};
use crate::space::FIRST_TABLE;
use crate::sync::atomic::Ordering;
use crate::table::MdlMode;
use crate::waits;
use std::collections::BTreeMap;
use table::{Reading, n};

/// A transaction that has written something, has locks of rows or keeps a snapshot, for monitors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrxInfo {
    /// 0: it has written nothing, and is here for the locks that it has or wants, or for its snapshot.
    pub id: TrxId,
    /// Its number in the lock table, as in [`LockInfo::serial`].
    pub serial: u64,
    /// [`crate::TxnOptions::session_id`]; 0: one that recovery found and rolls back.
    pub session: u64,
    /// Wall clock at the first write, or else at the end of the statement that opened the snapshot, microseconds since 1970; 0: neither.
    pub started_micros: u64,
    pub isolation: Isolation,
    /// For a lock that another transaction has.
    pub waiting: bool,
    /// Locks in the lock table, those of changed rows not counted: they are in the rows.
    pub locks: u64,
    /// Rows changed, by undo records.
    pub changes: u64,
}

/// Pages of the pool at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolNow {
    /// Next to leave, unless they are used again.
    pub old: u64,
    pub reading: u64,
    pub writing: u64,
}

/// Whether `innodb_change_buffering` has inserts among what it buffers. Nothing else is buffered here: anyone who marks or removes an entry
/// looks for it.
pub fn buffers_inserts(what: &str) -> bool {
    matches!(what, "inserts" | "changes" | "all")
}

impl Db {
    /// What tasks that no session waits for have cost since the start.
    pub fn background_costs(&self) -> crate::cost::Costs {
        self.inner().core.stats.background.costs()
    }

    /// Counters by their MySQL names, and Weir's own under `Weir_`.
    pub fn status(&self) -> Vec<(&'static str, u64)> {
        self.status_rows().into_iter().map(|(def, value)| (def.name, value)).collect()
    }

    /// The same with what each of them is.
    pub fn status_rows(&self) -> Vec<(StatusDef, u64)> {
        let r = Reading::of(self);
        let rows = innodb::ROWS.iter().chain(own::ROWS);
        let mut all: Vec<_> = rows.map(|row| (row.def, (row.read)(&r))).collect();
        let waits = self.wait_totals();
        for cause in waits::Cause::ALL {
            let (i, [number, time]) = (*cause as usize, own::of_cause(*cause));
            all.push((number, waits.waits[i]));
            all.push((time, waits.nanos[i] / 1000));
        }
        all.push((own::STALLS, r.i.stalls.count()));
        all
    }

    /// The transactions that have written something or have locks of rows, and have not ended.
    pub fn transactions(&self) -> Vec<TrxInfo> {
        let db = self.inner();
        let info = |t: std::sync::Arc<TrxLocks>| {
            let locks = t.count() as u64;
            let isolation = match t.isolation.load(Ordering::Relaxed) {
                0 => Isolation::ReadUncommitted,
                1 => Isolation::ReadCommitted,
                2 => Isolation::RepeatableRead,
                _ => Isolation::Serializable,
            };
            TrxInfo {
                id: n(&t.id),
                serial: t.serial(),
                session: t.session,
                started_micros: n(&t.started),
                isolation,
                waiting: db.locks.is_waiting(&t),
                locks,
                changes: n(&t.weight).saturating_sub(locks),
            }
        };
        let mut all: Vec<TrxInfo> = db.trx.writers().into_iter().map(info).collect();
        let readers = db.locks.readers().into_iter().map(info);
        // One may have begun to write since.
        all.extend(readers.filter(|t| t.id == 0));
        for (kept, _) in db.between.snapshots() {
            let t = info(kept.locks);
            match all.iter_mut().find(|known| known.serial == t.serial) {
                Some(known) if known.started_micros == 0 => {
                    known.started_micros = kept.since_micros
                }
                Some(_) => {}
                None => all.push(TrxInfo { started_micros: kept.since_micros, ..t }),
            }
        }
        all
    }

    /// The oldest snapshot that is in use, anybody's.
    pub fn oldest_view(&self) -> Option<std::sync::Arc<crate::txn::View>> {
        self.inner().trx.views().into_iter().next()
    }

    /// Commits since this one's number was the next.
    pub fn commits_since(&self, no: u64) -> u64 {
        self.inner().trx.next_no().saturating_sub(no)
    }

    /// Bytes of undo of the transactions that have committed since they were so many.
    pub fn undo_since(&self, then: u64) -> u64 {
        self.inner().undo_since(then)
    }

    /// Metadata locks that transactions keep between statements: session, schema, table.
    pub fn kept_tables(&self) -> Vec<(u64, String, String, MdlMode)> {
        let db = self.inner();
        let mut all = Vec::new();
        for kept in db.between.list() {
            for (id, mode) in kept.tables {
                if let Some(t) = db.catalog.by_id(id) {
                    all.push((kept.locks.session, t.def.schema.clone(), t.def.name.clone(), mode));
                }
            }
        }
        all
    }

    /// Row locks and those who wait for them. Locks of rows that a transaction has changed are in the rows, and only here once somebody
    /// has asked for them.
    pub fn locks(&self) -> Vec<LockInfo> {
        self.inner().locks.list()
    }

    /// From now on `f` hears of each deadlock; see [`DeadlockFn`].
    pub fn on_deadlock(&self, f: DeadlockFn) {
        *self.inner().locks.on_deadlock.lock() = Some(f);
    }

    /// A line for the error log.
    pub fn say(&self, line: &str) {
        self.inner().core.spaces.say(line);
    }

    /// What flushing did, oldest first: one row for ten seconds, and for each second of the last hour.
    pub fn flush_history(&self) -> Vec<Second> {
        self.inner().history.rows()
    }

    /// Pages of each index in memory, those of its buffer tree among them, by the number of the file and that of the index.
    pub fn cached_pages(&self) -> BTreeMap<(u32, u64), u64> {
        let mut found = BTreeMap::new();
        for ((space, owner), pages) in self.inner().core.pool.pages_of_trees() {
            *found.entry((space, owner & !BUFFER)).or_insert(0) += pages;
        }
        found
    }

    /// Files of tables that are open.
    pub fn open_files(&self) -> usize {
        self.inner().core.spaces.files.open_now()
    }

    /// What of the pool is no counter.
    pub fn pool_now(&self) -> PoolNow {
        let pool = &self.inner().core.pool;
        PoolNow {
            old: pool.old_pages() as u64,
            reading: pool.reads_under_way() as u64,
            writing: pool.pages_in_flight() as u64,
        }
    }

    /// The files that belong to no table, by number and path.
    pub fn system_files(&self) -> Vec<(u32, String)> {
        let spaces = self.inner().core.spaces.all();
        let own = spaces.iter().filter(|s| s.id < FIRST_TABLE);
        own.map(|s| (s.id, s.path().to_owned())).collect()
    }

    /// Leaves of all buffer trees.
    fn buffered_pages(&self) -> u64 {
        let tables = self.inner().catalog.all_stored();
        tables.iter().flat_map(|t| &t.indexes).map(|i| i.buffer.leaves()).sum()
    }

    fn set_flush(&self, change: impl FnOnce(&mut FlushSettings)) {
        let s = &self.inner().settings;
        change(&mut s.flush.lock());
        s.flush_version.fetch_add(1, Ordering::AcqRel);
        self.inner().core.pool.frames_wanted.notify_one();
    }

    /// Changes a setting while running, by its MySQL name. A name that the engine does not know is an error.
    pub async fn set(&self, name: &str, value: SettingValue) -> Result<()> {
        let db = self.inner();
        let bad = || Error::Unsupported(format!("{name}: {value:?} is not a value for it"));
        match name {
            "innodb_buffer_pool_size" => {
                let bytes = value.int().ok_or_else(bad)?;
                let frames = (bytes / self.page_size() as u64).max(24) as usize;
                db.core.pool.resize(&db.core.log, frames).await
            }
            "innodb_redo_log_capacity" => {
                let bytes = value.int().ok_or_else(bad)?;
                db.core.log.resize(bytes).await?;
                // Policies that count in files see as many as before.
                self.set_flush(|s| s.log_file_size = bytes / s.log_files.max(1));
                Ok(())
            }
            "weir_flush_policy" => {
                let SettingValue::Str(name) = &value else { return Err(bad()) };
                let found = policy::NAMES.iter().find(|n| n.eq_ignore_ascii_case(name));
                let Some(name) = found else {
                    return Err(Error::Unsupported(format!(
                        "weir_flush_policy: there is no policy '{name}'; there are {}",
                        policy::NAMES.join(", ")
                    )));
                };
                *db.settings.flush_policy.lock() = name;
                self.set_flush(|_| {});
                Ok(())
            }
            "innodb_flush_log_at_timeout" => {
                db.settings.flush_timeout.store(value.int().ok_or_else(bad)?, Ordering::Relaxed);
                Ok(())
            }
            "innodb_undo_log_truncate"
            | "innodb_max_undo_log_size"
            | "innodb_purge_rseg_truncate_frequency" => {
                self.set_undo_truncation(name, &value).ok_or_else(bad)
            }
            "innodb_online_alter_log_max_size" => {
                let bytes = value.int().ok_or_else(bad)?;
                self.inner().catalog.row_log_bytes.store(bytes, Ordering::Relaxed);
                Ok(())
            }
            "innodb_change_buffering" => {
                let SettingValue::Str(what) = &value else { return Err(bad()) };
                db.settings.change_buffer.on.store(buffers_inserts(what), Ordering::Relaxed);
                Ok(())
            }
            "weir_read_ahead" => {
                let pages = value.int().ok_or_else(bad)?;
                db.core.pool.ahead.store(pages as usize, Ordering::Relaxed);
                Ok(())
            }
            "weir_stall_seconds" => {
                db.settings.stall_seconds.store(value.int().ok_or_else(bad)?, Ordering::Relaxed);
                Ok(())
            }
            "weir_flight_recorder" => {
                db.settings.flight_recorder.store(value.is_on(), Ordering::Relaxed);
                Ok(())
            }
            "innodb_deadlock_detect" => {
                db.locks.detect.store(value.is_on(), Ordering::Relaxed);
                Ok(())
            }
            _ => self.set_flush_option(name, &value),
        }
    }

    /// When the undo space is given back. `None`: not a value for it.
    fn set_undo_truncation(&self, name: &str, value: &SettingValue) -> Option<()> {
        let undo = &self.inner().undo_truncation;
        match name {
            "innodb_undo_log_truncate" => undo.on.store(value.is_on(), Ordering::Relaxed),
            "innodb_max_undo_log_size" => undo.max_bytes.store(value.int()?, Ordering::Relaxed),
            _ => undo.frequency.store(value.int()?, Ordering::Relaxed),
        }
        Some(())
    }

    /// What flush policies read.
    fn set_flush_option(&self, name: &str, value: &SettingValue) -> Result<()> {
        let Some(option) = policy::option(name) else {
            return Err(Error::Unsupported(format!("the engine has no setting '{name}'")));
        };
        let taken = option.apply(&mut self.inner().settings.flush.lock(), value);
        if !taken {
            return Err(Error::Unsupported(format!("{name}: {value:?} is not a value for it")));
        }
        self.set_flush(|_| {});
        Ok(())
    }
}
