//! What the engine tells about itself, under the names that MySQL users know, and settings that change while it runs.

mod innodb;
mod own;
mod table;

pub use table::{Kind, StatusDef, Unit};

use crate::Isolation;
use crate::change_buffer::BUFFER;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::history::Second;
use crate::ids::TrxId;
use crate::lock::{DeadlockFn, LockInfo, TrxLocks};
use crate::policy::{self, Cause, SettingValue, Settings as FlushSettings};
use crate::space::FIRST_TABLE;
use crate::sync::atomic::Ordering;
use crate::table::MdlMode;
use crate::waits;
use std::collections::BTreeMap;
use std::fmt::Write;
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

    /// The text of SHOW ENGINE INNODB STATUS behind its heading; the last deadlock is added by `sql`, which knows statements.
    pub fn status_text(&self) -> String {
        let db = self.inner();
        let (pool, log) = (&db.core.pool, &db.core.log);
        let mut s = String::new();
        let line = "-".repeat(35);
        let _ = writeln!(s, "{line}\nTRANSACTIONS\n{line}");
        let _ = writeln!(s, "Trx id counter {}", db.trx.next_id());
        let _ = writeln!(s, "History list length {}", db.purge.history_length());
        if let Some(o) = db.oldest_snapshot() {
            let _ = writeln!(
                s,
                "Oldest snapshot: thread id {}, open for {} sec, {} commits since then stay in the history",
                o.session, o.seconds, o.commits
            );
        }
        for (kept, _) in db.between.snapshots().iter().filter(|(k, _)| n(&k.locks.id) == 0) {
            let age = db.rt.wall_micros().saturating_sub(kept.since_micros) / 1_000_000;
            let _ = writeln!(
                s,
                "---TRANSACTION 0, ACTIVE {age} sec, read only so far, thread id {}, snapshot open",
                kept.locks.session
            );
        }
        for (id, session, weight) in db.trx.list() {
            let _ =
                writeln!(s, "---TRANSACTION {id}, ACTIVE, thread id {session}, weight {weight}");
        }
        let _ = writeln!(s, "{} locks in the lock table", db.locks.count());
        s.push_str(&self.change_buffer_text());
        let lsn = log.published();
        let checkpoint = log.checkpoint();
        let oldest = pool.oldest_dirty(checkpoint).unwrap_or(lsn);
        let _ = writeln!(s, "{line}\nLOG\n{line}");
        let _ = writeln!(s, "Log sequence number          {lsn}");
        let _ = writeln!(s, "Log buffer assigned up to    {}", log.reserved());
        let _ = writeln!(s, "Log written up to            {}", log.written());
        let _ = writeln!(s, "Log flushed up to            {}", log.durable());
        let _ = writeln!(s, "Pages flushed up to          {oldest}");
        let _ = writeln!(s, "Last checkpoint at           {checkpoint}");
        let _ = writeln!(s, "Log capacity                 {}", log.capacity());
        let _ = writeln!(s, "Modified age                 {}", lsn.saturating_sub(oldest));
        let _ = writeln!(s, "Checkpoint age               {}", lsn.saturating_sub(checkpoint));
        let _ = writeln!(
            s,
            "{} log writes, {} log fsyncs, {} checkpoints",
            n(&log.stats.writes),
            n(&log.stats.syncs),
            n(&log.stats.checkpoints)
        );
        let _ = writeln!(s, "{line}\nBUFFER POOL AND MEMORY\n{line}");
        let _ = writeln!(s, "Buffer pool size   {}", pool.size());
        let _ = writeln!(s, "Free buffers       {}", pool.free_frames());
        let _ = writeln!(s, "Database pages     {}", pool.pages_in_use());
        let _ = writeln!(s, "Modified db pages  {}", pool.dirty_pages());
        let f = pool.flush_stats();
        let _ = writeln!(
            s,
            "Pages read {}, created {}, written {}",
            n(&pool.stats.reads),
            n(&pool.stats.created),
            n(&f.pages)
        );
        let _ = writeln!(
            s,
            "Waits: free frame {}, log space {} ({} us), latch {}",
            n(&pool.stats.free_waits),
            n(&log.stats.room_waits),
            n(&log.stats.room_wait_nanos) / 1000,
            n(&pool.stats.latch_waits)
        );
        let _ = writeln!(s, "{line}\nPAGE FLUSHING\n{line}");
        s.push_str(&self.flush_text());
        let _ = writeln!(s, "{line}\nROW OPERATIONS\n{line}");
        let r = &db.stats;
        let _ = writeln!(
            s,
            "Number of rows inserted {}, updated {}, deleted {}, read {}",
            r.rows_inserted.get(),
            r.rows_updated.get(),
            r.rows_deleted.get(),
            r.rows_read.get()
        );
        let _ = writeln!(
            s,
            "----------------------------\nEND OF INNODB MONITOR OUTPUT\n============================"
        );
        s
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

    /// InnoDB's lines. Nothing is ever discarded: a buffer tree goes with its index.
    fn change_buffer_text(&self) -> String {
        let b = &self.inner().core.stats.change_buffer;
        let line = "-".repeat(37);
        let (moves, moved) = (n(&b.moves), n(&b.moved));
        format!(
            "{line}\nINSERT BUFFER AND ADAPTIVE HASH INDEX\n{line}\nIbuf: size {}, free list len 0, seg size {0}, {moves} merges\n\
             merged operations:\n insert {moved}, delete mark 0, delete 0\ndiscarded operations:\n insert 0, delete mark 0, delete 0\n\
             {} inserts, {moved} merged recs, {:.1} per merge\n",
            self.buffered_pages(),
            n(&b.inserts),
            moved as f64 / moves.max(1) as f64,
        )
    }

    fn flush_text(&self) -> String {
        let db = self.inner();
        let f = db.core.pool.flush_stats();
        let u = &db.core.flush.stats;
        let rules = db.core.flush.rules();
        let mut s = String::new();
        let _ = writeln!(s, "Policy {}", *db.core.flush.in_charge.lock());
        let _ = writeln!(
            s,
            "Pages written by cause: dirty share {}, age {}, extra {}, free frames {}",
            f.by(Cause::Dirty),
            f.by(Cause::Age),
            f.by(Cause::Extra),
            f.by(Cause::Free)
        );
        let _ = writeln!(
            s,
            "By sessions: asynchronous {}, synchronous {}, dirty limit {}, free frames {}; rescue {}",
            f.by(Cause::UserAsync),
            f.by(Cause::UserSync),
            f.by(Cause::UserDirty),
            f.by(Cause::UserFree),
            f.by(Cause::Rescue)
        );
        let _ = writeln!(
            s,
            "Pages dirtied {}, written {}, of these again {}, as neighbours {}; batches {}, refused {}",
            db.core.pool.dirtied(),
            n(&f.pages),
            n(&f.rewritten),
            n(&f.neighbours),
            n(&f.batches),
            n(&f.batches_refused)
        );
        if let Some(p) = rules.preflush {
            let _ = writeln!(
                s,
                "Preflush limits: asynchronous {}, synchronous {}, checkpoint {} and {}",
                p.flush_async.map_or("none".into(), |a| a.to_string()),
                p.flush_sync,
                p.checkpoint_async,
                p.checkpoint_sync
            );
        }
        let _ = writeln!(
            s,
            "Waits of sessions: {} ({} us, longest {} us); delayed changes {} ({} us, longest {} us)",
            n(&u.waits),
            n(&u.wait_nanos) / 1000,
            n(&u.wait_nanos_max) / 1000,
            n(&u.paced),
            n(&u.paced_nanos) / 1000,
            n(&u.paced_nanos_max) / 1000
        );
        s
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
