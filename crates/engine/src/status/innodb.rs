//! The status variables that have InnoDB's names.

use super::table::{Kind, Reading, Row, StatusDef, Unit, n, rows};

/// Counters of MySQL for things that do not happen here: the change buffer discards and deletes nothing, because a buffer tree goes with its
/// index, and every frame in use holds a page.
fn never(_: &Reading<'_>) -> u64 {
    0
}

/// Writes of pages, of copies in the doublewrite area and of the log.
fn bytes_written(r: &Reading<'_>) -> u64 {
    (n(&r.f.pages) + n(&r.f.dblwr_pages)) * r.page + n(&r.l.bytes_written)
}

/// Rounds of writing the log that do not sync yet.
fn log_writing(r: &Reading<'_>) -> u64 {
    r.i.core.log.pending_writes().saturating_sub(r.i.core.log.pending_syncs()) as u64
}

rows! { r;
    Innodb_buffer_pool_bytes_data: Gauge Bytes, r.pages_in_use() * r.page, "Bytes of pages in the buffer pool.";
    Innodb_buffer_pool_bytes_dirty: Gauge Bytes, r.i.core.pool.dirty_pages() as u64 * r.page, "Bytes of pages in the buffer pool that are not written yet.";
    Innodb_buffer_pool_pages_data: Gauge One, r.pages_in_use(), "Pages in the buffer pool.";
    Innodb_buffer_pool_pages_dirty: Gauge One, r.i.core.pool.dirty_pages() as u64, "Pages in the buffer pool that are not written yet.";
    Innodb_buffer_pool_pages_flushed: Counter One, n(&r.f.pages), "Pages written to their files.";
    Innodb_buffer_pool_pages_free: Gauge One, r.i.core.pool.free_frames() as u64, "Frames of the buffer pool without a page.";
    Innodb_buffer_pool_pages_misc: Gauge One, never(r), "Always 0: locks and hash tables have memory of their own.";
    Innodb_buffer_pool_pages_total: Gauge One, r.i.core.pool.size() as u64, "Frames of the buffer pool.";
    Innodb_buffer_pool_read_ahead: Counter One, n(&r.p.read_ahead), "Pages read before a statement asked for them.";
    Innodb_buffer_pool_read_ahead_rnd: Counter One, r.i.core.pool.extents_read().0, "Extents read ahead because many of their pages were in memory.";
    Innodb_buffer_pool_read_ahead_seq: Counter One, r.i.core.pool.extents_read().1, "Extents read ahead because the one before was read in order.";
    Innodb_buffer_pool_read_requests: Counter One, r.i.core.pool.read_requests(), "Pages asked for, in memory or not.";
    Innodb_buffer_pool_reads: Counter One, n(&r.p.reads).saturating_sub(n(&r.p.read_ahead)), "Pages asked for that had to be read from a file.";
    Innodb_buffer_pool_wait_free: Counter One, n(&r.p.free_waits), "Waits for a frame without a page.";
    Innodb_buffer_pool_write_requests: Counter One, r.i.core.stats.mtrs.get(), "Mini-transactions that changed pages.";
    Innodb_data_fsyncs: Counter One, n(&r.f.data_syncs) + n(&r.l.syncs) + n(&r.f.dblwr_writes), "Syncs of files.";
    Innodb_data_pending_fsyncs: Gauge One, (r.i.core.pool.syncs_under_way() + r.i.core.log.pending_syncs()) as u64, "Syncs of files under way.";
    Innodb_data_pending_reads: Gauge One, r.i.core.pool.reads.pages_at_device() as u64, "Pages that are being read.";
    Innodb_data_pending_writes: Gauge One, r.i.core.pool.pages_in_flight() as u64 + log_writing(r), "Writes of pages and of the redo log under way.";
    Innodb_data_reads: Counter One, n(&r.p.reads), "Reads of pages.";
    Innodb_data_read: Counter Bytes, n(&r.p.reads) * r.page, "Bytes of pages read.";
    Innodb_data_writes: Counter One, n(&r.f.pages) + n(&r.l.writes), "Writes of pages and of the redo log.";
    Innodb_data_written: Counter Bytes, bytes_written(r), "Bytes written: pages, their copies for the doublewrite, and the redo log.";
    Innodb_dblwr_pages_written: Counter One, n(&r.f.dblwr_pages), "Copies of pages written to the doublewrite files.";
    Innodb_dblwr_writes: Counter One, n(&r.f.dblwr_writes), "Batches written to the doublewrite files.";
    Innodb_ibuf_discarded_deletes: Counter One, never(r), "Always 0: a buffer tree goes with its index.";
    Innodb_ibuf_discarded_inserts: Counter One, never(r), "Always 0: a buffer tree goes with its index.";
    Innodb_ibuf_inserts: Counter One, n(&r.i.core.stats.change_buffer.inserts), "Entries of indexes put into the change buffer.";
    Innodb_ibuf_merged_deletes: Counter One, never(r), "Always 0: only inserts are buffered.";
    Innodb_ibuf_merged_inserts: Counter One, n(&r.i.core.stats.change_buffer.moved), "Entries moved from the change buffer to their indexes.";
    Innodb_ibuf_merges: Counter One, n(&r.i.core.stats.change_buffer.moves), "Moves of entries from the change buffer to their indexes.";
    Innodb_ibuf_size: Gauge One, r.db.buffered_pages(), "Pages of the change buffer.";
    Innodb_log_waits: Counter One, n(&r.l.buffer_waits), "Waits for room in the log buffer.";
    Innodb_log_write_requests: Counter One, r.l.write_requests.get(), "Requests to write the redo log.";
    Innodb_log_writes: Counter One, n(&r.l.writes), "Writes of the redo log.";
    Innodb_num_open_files: Gauge One, r.i.core.spaces.files.open_now() as u64, "Files of tables that are open.";
    Innodb_os_log_fsyncs: Counter One, n(&r.l.syncs), "Syncs of the redo log.";
    Innodb_os_log_pending_fsyncs: Gauge One, r.i.core.log.pending_syncs() as u64, "Syncs of the redo log under way.";
    Innodb_os_log_pending_writes: Gauge One, log_writing(r), "Writes of the redo log under way.";
    Innodb_os_log_written: Counter Bytes, n(&r.l.bytes_written), "Bytes written to the redo log.";
    Innodb_page_size: Gauge Bytes, r.page, "Bytes of a page.";
    Innodb_pages_created: Counter One, n(&r.p.created), "Pages made.";
    Innodb_pages_read: Counter One, n(&r.p.reads), "Pages read from files.";
    Innodb_pages_written: Counter One, n(&r.f.pages), "Pages written to their files.";
    Innodb_redo_log_capacity_resized: Gauge Bytes, r.i.core.log.capacity(), "Bytes that the redo log may have between its checkpoint and its end.";
    Innodb_redo_log_checkpoint_lsn: Gauge One, r.checkpoint, "Position in the redo log up to which all pages are written.";
    Innodb_redo_log_current_lsn: Gauge One, r.lsn, "Position of the end of the redo log.";
    Innodb_redo_log_flushed_to_disk_lsn: Gauge One, r.i.core.log.durable(), "Position up to which the redo log is synced.";
    Innodb_row_lock_current_waits: Gauge One, n(&r.i.locks.stats.current_waits), "Sessions that wait for a row lock.";
    Innodb_row_lock_time: Counter Millis, n(&r.i.locks.stats.wait_nanos) / 1_000_000, "Time of waits for row locks, in milliseconds.";
    Innodb_row_lock_time_avg: Gauge Millis, n(&r.i.locks.stats.wait_nanos) / 1_000_000 / n(&r.i.locks.stats.waits).max(1), "Mean time of a wait for a row lock, in milliseconds.";
    Innodb_row_lock_time_max: Gauge Millis, n(&r.i.locks.stats.wait_nanos_max) / 1_000_000, "Longest wait for a row lock, in milliseconds.";
    Innodb_row_lock_waits: Counter One, n(&r.i.locks.stats.waits), "Waits for row locks.";
    Innodb_rows_deleted: Counter One, r.i.stats.rows_deleted.get(), "Rows deleted.";
    Innodb_rows_inserted: Counter One, r.i.stats.rows_inserted.get(), "Rows inserted.";
    Innodb_rows_read: Counter One, r.i.stats.rows_read.get(), "Rows read.";
    Innodb_rows_updated: Counter One, r.i.stats.rows_updated.get(), "Rows updated.";
    Innodb_deadlocks: Counter One, n(&r.i.locks.stats.deadlocks), "Deadlocks.";
    Innodb_history_list_length: Gauge One, r.i.purge.history_length() as u64, "Transactions whose old versions of rows are not purged yet.";
}
