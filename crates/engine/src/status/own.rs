//! The status variables of Weir's own, and the names of those of waits by cause.

use super::table::{Kind, Row, StatusDef, Unit, n, rows};
use crate::policy::Cause;
use crate::space;
use crate::waits;

/// The counters of a cause of waits: their number, and their time.
pub(super) fn of_cause(cause: waits::Cause) -> [StatusDef; 2] {
    let [waits, usec] = cause.counters();
    let def = |(name, doc), unit| StatusDef { name, kind: Kind::Counter, unit, doc };
    [def(waits, Unit::One), def(usec, Unit::Micros)]
}

pub(super) const STALLS: StatusDef = StatusDef {
    name: "Weir_stalls",
    kind: Kind::Counter,
    unit: Unit::One,
    doc: "Times without a commit while sessions waited, see information_schema.weir_stalls.",
};

rows! { r;
    Weir_alter_at_once: Counter One, n(&r.i.core.stats.tables_altered_at_once), "ALTER TABLE statements that changed the definition alone.";
    Weir_alter_copies_beside_writers: Counter One, n(&r.i.core.stats.tables_copied_beside_writers), "Tables copied while others wrote to them.";
    Weir_alter_indexes_beside_writers: Counter One, n(&r.i.core.stats.indexes_built_beside_writers), "Indexes built while others wrote to their tables.";
    Weir_alter_row_log_entries: Counter One, n(&r.i.core.stats.row_log_entries), "Changes that were remembered while a table was copied or an index was built.";
    Weir_attempts: Counter One, r.i.core.stats.attempts.get(), "Attempts of operations to get the pages that they need.";
    Weir_background_reads_delayed: Counter One, n(&r.i.core.pool.reads.delayed), "Reads of pages for background sessions that gave way to others.";
    Weir_background_reads_delayed_usec: Counter Micros, n(&r.i.core.pool.reads.delayed_nanos) / 1000, "Time for which reads of background sessions gave way, in microseconds.";
    Weir_background_wait_usec: Counter Micros, n(&r.i.turns.wait_nanos) / 1000, "Time for which background sessions waited for their turn, in microseconds.";
    Weir_background_waits: Counter One, n(&r.i.turns.waits), "Waits of background sessions for their turn.";
    Weir_attempt_restarts: Counter One, n(&r.i.core.stats.restarts), "Attempts that had to begin again.";
    Weir_btree_merges: Counter One, n(&r.i.core.stats.merges), "Merges of pages of indexes.";
    Weir_btree_splits: Counter One, n(&r.i.core.stats.splits), "Splits of pages of indexes.";
    Weir_checkpoint_age: Gauge Bytes, r.lsn.saturating_sub(r.checkpoint), "Bytes of redo log since the last checkpoint.";
    Weir_checkpoints: Counter One, n(&r.l.checkpoints), "Checkpoints.";
    Weir_deadlock_searches_cut: Counter One, n(&r.i.locks.stats.searches_cut), "Searches for deadlocks that were given up because they took too many steps.";
    Weir_deadlock_search_steps_max: Gauge One, n(&r.i.locks.stats.search_steps_max), "Most steps of a search for a deadlock.";
    Weir_device_pages_per_second: Gauge One, n(&r.i.core.flush.device_pages), "Pages that the device is found to write in a second.";
    Weir_files_closed: Counter One, n(&r.i.core.spaces.files.closed), "Files of tables closed to open others.";
    Weir_files_opened: Counter One, n(&r.i.core.spaces.files.opened), "Files of tables opened.";
    Weir_flush_age_pages: Counter One, r.f.by(Cause::Age), "Pages written because of the age of the checkpoint.";
    Weir_flush_batches: Counter One, n(&r.f.batches), "Batches of pages written.";
    Weir_flush_batches_refused: Counter One, n(&r.f.batches_refused), "Batches that met one of their kind and did not begin.";
    Weir_flush_slot_waits: Counter One, n(&r.f.slot_waits), "Pages that found all slots of the doublewrite files taken.";
    Weir_flush_dirty_pages: Counter One, r.f.by(Cause::Dirty), "Pages written because of the share of dirty pages.";
    Weir_flush_extra_pages: Counter One, r.f.by(Cause::Extra), "Pages written because the device had nothing else to do.";
    Weir_flush_free_pages: Counter One, r.f.by(Cause::Free), "Pages written to free frames.";
    Weir_flush_list_pages: Counter One, [Cause::Age, Cause::Dirty, Cause::Extra].map(|c| r.f.by(c)).iter().sum(), "Pages written from the flush list by the page cleaner.";
    Weir_flush_lru_pages: Counter One, r.f.lru_pages(), "Pages written from the end of the LRU list.";
    Weir_change_buffer_asked: Counter One, n(&r.i.core.stats.change_buffer.asked), "Moves of entries that inserts asked the background for, under the flush policies of InnoDB's builds.";
    Weir_change_buffer_helped: Counter One, n(&r.i.core.stats.change_buffer.helped), "Moves of entries that a session made itself because the change buffer was full.";
    Weir_change_buffer_trees_made: Counter One, n(&r.i.core.stats.change_buffer.made), "Buffer trees made.";
    Weir_flush_neighbour_pages: Counter One, n(&r.f.neighbours), "Pages written because a neighbour was.";
    Weir_flush_requests: Counter One, n(&r.f.requests), "Requests of adjacent pages to the device.";
    Weir_flush_rescue_pages: Counter One, r.f.by(Cause::Rescue), "Pages written because nothing else would have made room.";
    Weir_flush_sync_pages: Counter One, r.f.by(Cause::UserSync) + r.f.by(Cause::UserAsync), "Pages that sessions wrote because of the age of the checkpoint.";
    Weir_flush_user_async_pages: Counter One, r.f.by(Cause::UserAsync), "Pages that a session wrote beyond the asynchronous limit of the checkpoint's age.";
    Weir_flush_user_dirty_pages: Counter One, r.f.by(Cause::UserDirty), "Pages that sessions wrote because of the limit of dirty pages.";
    Weir_flush_user_free_pages: Counter One, r.f.by(Cause::UserFree), "Pages that sessions wrote to free a frame.";
    Weir_flush_user_sync_pages: Counter One, r.f.by(Cause::UserSync), "Pages that sessions wrote beyond the synchronous limit of the checkpoint's age.";
    Weir_flush_user_wait_usec: Counter Micros, n(&r.u.wait_nanos) / 1000, "Time for which sessions waited for flushing, in microseconds.";
    Weir_flush_user_wait_usec_max: Gauge Micros, n(&r.u.wait_nanos_max) / 1000, "Longest wait of a session for flushing, in microseconds.";
    Weir_flush_user_waits: Counter One, n(&r.u.waits), "Waits of sessions for flushing.";
    Weir_latch_waits: Counter One, n(&r.p.latch_waits), "Waits for latches of pages.";
    Weir_lock_timeouts: Counter One, n(&r.i.locks.stats.timeouts), "Waits for row locks that ended by innodb_lock_wait_timeout.";
    Weir_log_space_wait_usec: Counter Micros, n(&r.l.room_wait_nanos) / 1000, "Time for which changes waited for room in the redo log, in microseconds.";
    Weir_log_answers_kept: Counter One, n(&r.l.answers_kept), "Answers that the session which synced the log sent for others.";
    Weir_log_publish_waits: Counter One, n(&r.l.publish_waits), "Waits for a group of changes that another thread had not copied into the log buffer yet.";
    Weir_log_rollback_waits: Counter One, n(&r.l.undo_first), "Changes of rollbacks that waited for room in the redo log, ahead of statements.";
    Weir_log_space_waits: Counter One, n(&r.l.room_waits), "Waits for room in the redo log.";
    Weir_modified_age: Gauge Bytes, r.lsn.saturating_sub(r.i.core.pool.oldest_dirty(r.checkpoint).unwrap_or(r.lsn)), "Bytes of redo log since the oldest change that is not in its page's file.";
    Weir_undo_pages: Gauge One, r.i.core.spaces.get(space::UNDO).map_or(0, |s| s.pages().into()), "Pages of the undo log's file.";
    Weir_undo_slots: Gauge One, r.i.undo_slots.count() as u64, "Undo logs that are in use.";
    Weir_undo_truncations: Counter One, n(&r.i.undo_truncation.done), "Truncations of the undo log's file.";
    Weir_pages_evicted: Counter One, n(&r.p.evicted), "Pages that left the buffer pool for others.";
    Weir_admitted_per_second: Gauge One, r.i.core.flush.admission.per_second() as u64, "Changes that are admitted in a second while the device does not carry more; 0 while all are.";
    Weir_oldest_snapshot_commits: Gauge One, r.i.oldest_snapshot().unwrap_or_default().commits, "Commits since the oldest snapshot that a transaction keeps: purge leaves what they have replaced.";
    Weir_oldest_snapshot_age: Gauge Seconds, r.i.oldest_snapshot().unwrap_or_default().seconds, "How long that snapshot has been open.";
    Weir_oldest_snapshot_undo_bytes: Gauge Bytes, r.i.oldest_snapshot().unwrap_or_default().undo, "Undo that was committed since it was opened: purge cannot take it.";
    Weir_history_bytes: Gauge Bytes, r.i.purge.history_bytes(), "Undo of committed transactions that is not purged yet.";
    Weir_oldest_snapshot_thread: Gauge One, r.i.oldest_snapshot().unwrap_or_default().session, "Whose it is, as in SHOW PROCESSLIST; 0: nobody keeps one.";
    Weir_pace_usec: Counter Micros, n(&r.u.paced_nanos) / 1000, "Time by which changes were delayed to the rate that the device carries, in microseconds.";
    Weir_pace_usec_max: Gauge Micros, n(&r.u.paced_nanos_max) / 1000, "Longest such delay, in microseconds.";
    Weir_paced_changes: Counter One, n(&r.u.paced), "Changes delayed to the rate that the device carries.";
    Weir_pages_dirtied: Counter One, r.i.core.pool.dirtied(), "Clean pages that were changed.";
    Weir_pages_in_flight: Gauge One, r.i.core.pool.pages_in_flight() as u64, "Pages that are being written.";
    Weir_pages_rewritten: Counter One, n(&r.f.rewritten), "Pages written again since they were read.";
    Weir_page_read_usec: Counter Micros, n(&r.p.read_nanos) / 1000, "Time of reads of pages, in microseconds.";
    Weir_pressure: Gauge One, r.db.pressure().value.into(), "How hard the engine is pressed, from 0 to 1000; Weir_pressure_cause says by what.";
    Weir_purged_rows: Counter One, n(&r.i.purge.stats.rows_removed), "Deleted rows that purge has removed.";
    Weir_purged_transactions: Counter One, n(&r.i.purge.stats.transactions), "Transactions whose old versions purge has removed.";
    Weir_rows_covered: Counter One, r.i.stats.rows_covered.get(), "Rows answered by entries of a secondary index alone.";
    Weir_rows_uncovered: Counter One, r.i.stats.rows_uncovered.get(), "Rows that had to be read although the entry of the index has all columns.";
    Weir_write_budget_achieved: Gauge Bytes, (r.i.history.written_lately() * n(&r.i.core.flush.budget.page_bytes) as f64) as u64, "Bytes of pages written in a second of late.";
    Weir_write_budget_allowed: Gauge Bytes, n(&r.i.core.flush.budget.allowed), "Bytes of pages that may be written in a second, copies for the doublewrite included; 0 where there is no budget.";
    Weir_write_budget_exceeded: Counter One, n(&r.i.core.flush.budget.exceeded), "Pages written beyond the write budget.";
    Weir_write_budget_needed: Gauge Bytes, n(&r.i.core.flush.budget.needed), "Bytes of pages that had to be written in a second to keep the log's room.";
    Weir_write_window: Gauge One, r.i.core.pool.window() as u64, "Pages that are written at the same time at most.";
    Weir_transactions_committed: Counter One, r.i.stats.commits.get(), "Transactions committed.";
    Weir_transactions_rolled_back: Counter One, r.i.stats.rollbacks.get(), "Transactions rolled back.";
}

#[cfg(test)]
mod tests {
    use super::super::innodb;
    use super::*;

    #[test]
    fn each_name_stands_once_with_a_sentence() {
        let of_waits = waits::Cause::ALL.iter().flat_map(|c| of_cause(*c));
        let rows = innodb::ROWS.iter().chain(ROWS).map(|row| row.def);
        let all: Vec<StatusDef> = rows.chain(of_waits).chain([STALLS]).collect();
        let names: std::collections::BTreeSet<_> = all.iter().map(|d| d.name).collect();
        assert_eq!(names.len(), all.len());
        for d in all {
            assert!(d.doc.ends_with('.'), "{}", d.name);
            // The names say the units where MySQL's rules for names allow it.
            if d.name.contains("_usec") {
                assert_eq!(d.unit, Unit::Micros, "{}", d.name);
            }
        }
    }
}
