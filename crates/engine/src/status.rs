//! What the engine tells about itself, under the names that MySQL users know, and settings that change while it runs.

use crate::Isolation;
use crate::change_buffer::BUFFER;
use crate::db::Db;
use crate::error::{Error, Result};
use crate::history::Second;
use crate::ids::TrxId;
use crate::lock::{LockInfo, TrxLocks};
use crate::policy::{self, Cause, SettingValue, Settings as FlushSettings};
use crate::space::FIRST_TABLE;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A transaction that has written something, for monitors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrxInfo {
    /// 0: it has written nothing, and is here for the locks that it has or wants.
    pub id: TrxId,
    /// Its number in the lock table, as in [`LockInfo::serial`].
    pub serial: u64,
    /// [`crate::TxnOptions::session_id`]; 0: one that recovery found and rolls back.
    pub session: u64,
    /// Wall clock at the first write, microseconds since 1970; 0 before.
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

/// Whether `innodb_change_buffering` has inserts among what it buffers. Nothing else is buffered here: whoever marks or removes an entry
/// looks for it.
pub fn buffers_inserts(what: &str) -> bool {
    matches!(what, "inserts" | "changes" | "all")
}

fn n(a: &AtomicU64) -> u64 {
    a.load(Ordering::Relaxed)
}

impl Db {
    /// Counters by their MySQL names, and Weir's own under `Weir_`.
    pub fn status(&self) -> Vec<(&'static str, u64)> {
        let db = self.inner();
        let (pool, log) = (&db.core.pool, &db.core.log);
        let (f, l, p) = (pool.flush_stats(), &log.stats, &pool.stats);
        let u = &db.core.flush.stats;
        let b = &db.core.stats.change_buffer;
        let page = self.page_size() as u64;
        let (lsn, checkpoint) = (log.published(), log.checkpoint());
        let oldest = pool.oldest_dirty(checkpoint).unwrap_or(lsn);
        let free = pool.free_frames() as u64;
        let size = pool.size() as u64;
        let dirty = pool.dirty_pages() as u64;
        let mut all = vec![
            ("Innodb_buffer_pool_bytes_data", (size - free.min(size)) * page),
            ("Innodb_buffer_pool_bytes_dirty", dirty * page),
            ("Innodb_buffer_pool_pages_data", size - free.min(size)),
            ("Innodb_buffer_pool_pages_dirty", dirty),
            ("Innodb_buffer_pool_pages_flushed", n(&f.pages)),
            ("Innodb_buffer_pool_pages_free", free),
            ("Innodb_buffer_pool_pages_total", size),
            ("Innodb_buffer_pool_read_ahead", n(&p.read_ahead)),
            ("Innodb_buffer_pool_read_ahead_rnd", pool.extents_read().0),
            ("Innodb_buffer_pool_read_ahead_seq", pool.extents_read().1),
            ("Innodb_buffer_pool_read_requests", pool.read_requests()),
            ("Innodb_buffer_pool_reads", n(&p.reads).saturating_sub(n(&p.read_ahead))),
            ("Innodb_buffer_pool_wait_free", n(&p.free_waits)),
            ("Innodb_buffer_pool_write_requests", n(&db.core.stats.mtrs)),
            ("Innodb_data_fsyncs", n(&f.data_syncs) + n(&l.syncs) + n(&f.dblwr_writes)),
            ("Innodb_data_reads", n(&p.reads)),
            ("Innodb_data_read", n(&p.reads) * page),
            ("Innodb_data_writes", n(&f.pages) + n(&l.writes)),
            ("Innodb_data_written", (n(&f.pages) + n(&f.dblwr_pages)) * page + n(&l.bytes_written)),
            ("Innodb_dblwr_pages_written", n(&f.dblwr_pages)),
            ("Innodb_dblwr_writes", n(&f.dblwr_writes)),
            ("Innodb_ibuf_discarded_deletes", 0),
            ("Innodb_ibuf_discarded_inserts", 0),
            ("Innodb_ibuf_inserts", n(&b.inserts)),
            ("Innodb_ibuf_merged_deletes", 0),
            ("Innodb_ibuf_merged_inserts", n(&b.moved)),
            ("Innodb_ibuf_merges", n(&b.moves)),
            ("Innodb_ibuf_size", self.buffered_pages()),
            ("Innodb_log_waits", n(&l.buffer_waits)),
            ("Innodb_log_write_requests", n(&l.write_requests)),
            ("Innodb_log_writes", n(&l.writes)),
            ("Innodb_num_open_files", db.core.spaces.files.open_now() as u64),
            ("Innodb_os_log_fsyncs", n(&l.syncs)),
            ("Innodb_os_log_written", n(&l.bytes_written)),
            ("Innodb_page_size", page),
            ("Innodb_pages_created", n(&p.created)),
            ("Innodb_pages_read", n(&p.reads)),
            ("Innodb_pages_written", n(&f.pages)),
            ("Innodb_redo_log_capacity_resized", log.capacity()),
            ("Innodb_redo_log_checkpoint_lsn", checkpoint),
            ("Innodb_redo_log_current_lsn", lsn),
            ("Innodb_redo_log_flushed_to_disk_lsn", log.durable()),
            ("Innodb_row_lock_current_waits", n(&db.locks.stats.current_waits)),
            ("Innodb_row_lock_time", n(&db.locks.stats.wait_nanos) / 1_000_000),
            (
                "Innodb_row_lock_time_avg",
                n(&db.locks.stats.wait_nanos) / 1_000_000 / n(&db.locks.stats.waits).max(1),
            ),
            ("Innodb_row_lock_time_max", n(&db.locks.stats.wait_nanos_max) / 1_000_000),
            ("Innodb_row_lock_waits", n(&db.locks.stats.waits)),
            ("Innodb_rows_deleted", n(&db.stats.rows_deleted)),
            ("Innodb_rows_inserted", n(&db.stats.rows_inserted)),
            ("Innodb_rows_read", n(&db.stats.rows_read)),
            ("Innodb_rows_updated", n(&db.stats.rows_updated)),
            ("Innodb_deadlocks", n(&db.locks.stats.deadlocks)),
            ("Innodb_history_list_length", db.purge.history_length() as u64),
            ("Weir_alter_at_once", n(&db.core.stats.tables_altered_at_once)),
            ("Weir_alter_copies_beside_writers", n(&db.core.stats.tables_copied_beside_writers)),
            ("Weir_alter_indexes_beside_writers", n(&db.core.stats.indexes_built_beside_writers)),
            ("Weir_alter_row_log_entries", n(&db.core.stats.row_log_entries)),
            ("Weir_attempts", n(&db.core.stats.attempts)),
            ("Weir_background_reads_delayed", n(&pool.reads.delayed)),
            ("Weir_background_reads_delayed_usec", n(&pool.reads.delayed_nanos) / 1000),
            ("Weir_background_wait_usec", n(&db.turns.wait_nanos) / 1000),
            ("Weir_background_waits", n(&db.turns.waits)),
            ("Weir_attempt_restarts", n(&db.core.stats.restarts)),
            ("Weir_btree_merges", n(&db.core.stats.merges)),
            ("Weir_btree_splits", n(&db.core.stats.splits)),
            ("Weir_checkpoint_age", lsn.saturating_sub(checkpoint)),
            ("Weir_checkpoints", n(&l.checkpoints)),
            ("Weir_deadlock_searches_cut", n(&db.locks.stats.searches_cut)),
            ("Weir_deadlock_search_steps_max", n(&db.locks.stats.search_steps_max)),
            ("Weir_device_pages_per_second", n(&db.core.flush.device_pages)),
            ("Weir_files_closed", n(&db.core.spaces.files.closed)),
            ("Weir_files_opened", n(&db.core.spaces.files.opened)),
            ("Weir_flush_age_pages", f.by(Cause::Age)),
            ("Weir_flush_batches", n(&f.batches)),
            ("Weir_flush_batches_refused", n(&f.batches_refused)),
            ("Weir_flush_slot_waits", n(&f.slot_waits)),
            ("Weir_flush_dirty_pages", f.by(Cause::Dirty)),
            ("Weir_flush_extra_pages", f.by(Cause::Extra)),
            ("Weir_flush_free_pages", f.by(Cause::Free)),
            (
                "Weir_flush_list_pages",
                [Cause::Age, Cause::Dirty, Cause::Extra].map(|c| f.by(c)).iter().sum(),
            ),
            ("Weir_flush_lru_pages", f.lru_pages()),
            ("Weir_change_buffer_asked", n(&b.asked)),
            ("Weir_change_buffer_helped", n(&b.helped)),
            ("Weir_change_buffer_trees_made", n(&b.made)),
            ("Weir_flush_neighbour_pages", n(&f.neighbours)),
            ("Weir_flush_requests", n(&f.requests)),
            ("Weir_flush_rescue_pages", f.by(Cause::Rescue)),
            ("Weir_flush_sync_pages", f.by(Cause::UserSync) + f.by(Cause::UserAsync)),
            ("Weir_flush_user_async_pages", f.by(Cause::UserAsync)),
            ("Weir_flush_user_dirty_pages", f.by(Cause::UserDirty)),
            ("Weir_flush_user_free_pages", f.by(Cause::UserFree)),
            ("Weir_flush_user_sync_pages", f.by(Cause::UserSync)),
            ("Weir_flush_user_wait_usec", n(&u.wait_nanos) / 1000),
            ("Weir_flush_user_wait_usec_max", n(&u.wait_nanos_max) / 1000),
            ("Weir_flush_user_waits", n(&u.waits)),
            ("Weir_latch_waits", n(&p.latch_waits)),
            ("Weir_lock_timeouts", n(&db.locks.stats.timeouts)),
            ("Weir_log_space_wait_usec", n(&l.room_wait_nanos) / 1000),
            ("Weir_log_answers_kept", n(&l.answers_kept)),
            ("Weir_log_publish_waits", n(&l.publish_waits)),
            ("Weir_log_rollback_waits", n(&l.undo_first)),
            ("Weir_log_space_waits", n(&l.room_waits)),
            ("Weir_modified_age", lsn.saturating_sub(oldest)),
            (
                "Weir_undo_pages",
                db.core.spaces.get(crate::space::UNDO).map_or(0, |s| s.pages().into()),
            ),
            ("Weir_undo_slots", db.undo_slots.count() as u64),
            ("Weir_undo_truncations", n(&db.undo_truncation.done)),
            ("Weir_pages_evicted", n(&p.evicted)),
            ("Weir_admitted_per_second", db.core.flush.admission.per_second() as u64),
            ("Weir_pace_usec", n(&u.paced_nanos) / 1000),
            ("Weir_pace_usec_max", n(&u.paced_nanos_max) / 1000),
            ("Weir_paced_changes", n(&u.paced)),
            ("Weir_pages_dirtied", pool.dirtied()),
            ("Weir_pages_in_flight", pool.pages_in_flight() as u64),
            ("Weir_pages_rewritten", n(&f.rewritten)),
            ("Weir_page_read_usec", n(&p.read_nanos) / 1000),
            ("Weir_pressure", self.pressure().value.into()),
            ("Weir_purged_rows", n(&db.purge.stats.rows_removed)),
            ("Weir_purged_transactions", n(&db.purge.stats.transactions)),
            ("Weir_rows_covered", n(&db.stats.rows_covered)),
            ("Weir_rows_uncovered", n(&db.stats.rows_uncovered)),
            ("Weir_write_budget_achieved", {
                let pages = db.history.written_lately();
                (pages * n(&db.core.flush.budget.page_bytes) as f64) as u64
            }),
            ("Weir_write_budget_allowed", n(&db.core.flush.budget.allowed)),
            ("Weir_write_budget_exceeded", n(&db.core.flush.budget.exceeded)),
            ("Weir_write_budget_needed", n(&db.core.flush.budget.needed)),
            ("Weir_write_window", pool.window() as u64),
            ("Weir_transactions_committed", n(&db.stats.commits)),
            ("Weir_transactions_rolled_back", n(&db.stats.rollbacks)),
        ];
        self.wait_status(&mut all);
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
        all
    }

    /// Row locks and those who wait for them. Locks of rows that a transaction has changed are in the rows, and only here once somebody
    /// has asked for them.
    pub fn locks(&self) -> Vec<LockInfo> {
        self.inner().locks.list()
    }

    /// The text of SHOW ENGINE INNODB STATUS.
    pub fn status_text(&self) -> String {
        let db = self.inner();
        let (pool, log) = (&db.core.pool, &db.core.log);
        let mut s = String::new();
        let line = "-".repeat(35);
        let _ = writeln!(
            s,
            "\n=====================================\nINNODB MONITOR OUTPUT (Weir)\n====================================="
        );
        if let Some(d) = db.locks.last_deadlock() {
            let _ = writeln!(s, "{line}\nLATEST DETECTED DEADLOCK\n{line}\n{d}");
        }
        let _ = writeln!(s, "{line}\nTRANSACTIONS\n{line}");
        let _ = writeln!(s, "Trx id counter {}", db.trx.next_id());
        let _ = writeln!(s, "History list length {}", db.purge.history_length());
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
            n(&r.rows_inserted),
            n(&r.rows_updated),
            n(&r.rows_deleted),
            n(&r.rows_read)
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
