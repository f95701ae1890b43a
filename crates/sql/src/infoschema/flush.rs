//! What flushing did lately.

use super::cells::{DATETIME, UBIGINT, at, n, s, text, u};
use super::virtual_table;
use crate::context::VirtualTable;
use weir_engine::history::Second;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&FlushHistory]
}

virtual_table!(
    FlushHistory,
    "information_schema",
    "WEIR_FLUSH_HISTORY",
    (None, None),
    [
        n("ENDED", DATETIME),
        n("POLICY", text(32)),
        n("DIRTY_PAGES", UBIGINT),
        n("POOL_PAGES", UBIGINT),
        n("FREE_PAGES", UBIGINT),
        n("MODIFIED_AGE", UBIGINT),
        n("CHECKPOINT_AGE", UBIGINT),
        n("LOG_CAPACITY", UBIGINT),
        n("LOG_BYTES", UBIGINT),
        n("CHANGES", UBIGINT),
        n("COMMITS", UBIGINT),
        n("PAGES_DIRTIED", UBIGINT),
        n("PAGES_READ", UBIGINT),
        n("PAGES_WRITTEN", UBIGINT),
        n("WRITTEN_DIRTY", UBIGINT),
        n("WRITTEN_AGE", UBIGINT),
        n("WRITTEN_EXTRA", UBIGINT),
        n("WRITTEN_FREE", UBIGINT),
        n("WRITTEN_USERS", UBIGINT),
        n("WRITTEN_RESCUE", UBIGINT),
        n("PAGES_REWRITTEN", UBIGINT),
        n("CHECKPOINTS", UBIGINT),
        n("USER_WAITS", UBIGINT),
        n("USER_WAIT_USEC", UBIGINT),
        n("PACED_USEC", UBIGINT),
        n("ADMITTED_PER_SECOND", UBIGINT),
        n("PAGE_READ_USEC_AVG", UBIGINT),
        n("PRESSURE", UBIGINT),
        n("PRESSURE_CAUSE", text(16)),
        n("SECONDS", UBIGINT),
        n("RUN", UBIGINT),
    ],
    |cx, _| {
        let row = |r: Second| {
            let mut cells = vec![at(r.at_micros, cx.reads.settings.tz), s(r.policy)];
            cells.extend(
                [
                    r.dirty_pages,
                    r.pool_pages,
                    r.free_pages,
                    r.modified_age,
                    r.checkpoint_age,
                    r.log_capacity,
                    r.log_bytes,
                    r.changes,
                    r.commits,
                    r.pages_dirtied,
                    r.pages_read,
                    r.pages_written,
                    r.written_dirty,
                    r.written_age,
                    r.written_extra,
                    r.written_free,
                    r.written_users,
                    r.written_rescue,
                    r.pages_rewritten,
                    r.checkpoints,
                    r.user_waits,
                    r.user_wait_micros,
                    r.paced_micros,
                    r.admitted_per_second,
                    r.read_micros_avg,
                    r.pressure.value.into(),
                ]
                .map(u),
            );
            cells.push(s(r.pressure.cause.name()));
            cells.extend([r.seconds, r.run].map(|n| u(n.into())));
            cells
        };
        cx.reads.db().flush_history().into_iter().map(row).collect()
    }
);
