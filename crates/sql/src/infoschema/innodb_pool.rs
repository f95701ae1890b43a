//! What the buffer pool has and did, and the indexes and tables that live in memory, under InnoDB's names.

use super::cells::{Row, s, u};
use super::engine_told::Told;
use super::innodb_objects::{SCHEMA, n_cols, of_each};
use crate::context::{TableReads, VirtualTable};
use crate::meta::temporary::HIDDEN;
use crate::value::Value;
use std::collections::HashMap;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    ALL.iter().map(|t| t as &dyn VirtualTable).collect()
}

/// Compressed pages there are none of.
const PER_INDEX: &str = "database_name V192! table_name V192! index_name V192! compress_ops S! compress_ops_ok S! compress_time S!
     uncompress_ops S! uncompress_time S!";

static ALL: [Told; 6] = [
    Told::new(
        SCHEMA,
        "INNODB_BUFFER_POOL_STATS",
        "POOL_ID U! POOL_SIZE U! FREE_BUFFERS U! DATABASE_PAGES U! OLD_DATABASE_PAGES U! MODIFIED_DATABASE_PAGES U!
         PENDING_DECOMPRESS U! PENDING_READS U! PENDING_FLUSH_LRU U! PENDING_FLUSH_LIST U! PAGES_MADE_YOUNG U!
         PAGES_NOT_MADE_YOUNG U! PAGES_MADE_YOUNG_RATE R! PAGES_MADE_NOT_YOUNG_RATE R! NUMBER_PAGES_READ U!
         NUMBER_PAGES_CREATED U! NUMBER_PAGES_WRITTEN U! PAGES_READ_RATE R! PAGES_CREATE_RATE R! PAGES_WRITTEN_RATE R!
         NUMBER_PAGES_GET U! HIT_RATE U! YOUNG_MAKE_PER_THOUSAND_GETS U! NOT_YOUNG_MAKE_PER_THOUSAND_GETS U!
         NUMBER_PAGES_READ_AHEAD U! NUMBER_READ_AHEAD_EVICTED U! READ_AHEAD_RATE R! READ_AHEAD_EVICTED_RATE R! LRU_IO_TOTAL U!
         LRU_IO_CURRENT U! UNCOMPRESS_TOTAL U! UNCOMPRESS_CURRENT U!",
        |cx| vec![pool(cx)],
    ),
    Told::new(
        SCHEMA,
        "INNODB_CACHED_INDEXES",
        "SPACE_ID N! INDEX_ID U! N_CACHED_PAGES U!",
        cached_indexes,
    ),
    Told::new(
        SCHEMA,
        "INNODB_TEMP_TABLE_INFO",
        "TABLE_ID U! NAME V64 N_COLS N! SPACE N!",
        temporary_tables,
    ),
    // Temporary tables are in files of their own, as others are: no session has a space for them.
    Told::new(
        SCHEMA,
        "INNODB_SESSION_TEMP_TABLESPACES",
        "ID N! SPACE N! PATH V4001! SIZE U! STATE V192! PURPOSE V192!",
        |_| Vec::new(),
    ),
    Told::new(SCHEMA, "INNODB_CMP_PER_INDEX", PER_INDEX, |_| Vec::new()),
    Told::new(SCHEMA, "INNODB_CMP_PER_INDEX_RESET", PER_INDEX, |_| Vec::new()),
];

/// Seconds over which InnoDB sums up reads as a measure of how hard the pool is used.
const LRU_SECONDS: u64 = 50;

/// There is one pool. What InnoDB counts since somebody asked last is counted since the start, and rates are those of the last second that
/// is known of; what only InnoDB does (pages made young, compressed pages) or nobody counts is 0.
fn pool(cx: TableReads<'_>) -> Row {
    let db = cx.reads.db();
    let (now, status) = (db.pool_now(), db.status());
    let status: HashMap<&str, u64> = status.into_iter().collect();
    let counted = |name: &str| u(status.get(name).copied().unwrap_or(0));
    let of = |name: &str| status.get(name).copied().unwrap_or(0);
    let history = db.flush_history();
    let last = history.last();
    let rate = |pages: Option<u64>| {
        let seconds = last.map_or(1, |s| s.seconds.max(1));
        Value::Double(pages.unwrap_or(0) as f64 / f64::from(seconds))
    };
    let since = last.map_or(0, |s| s.at_micros.saturating_sub(LRU_SECONDS * 1_000_000));
    let lately = history.iter().filter(|s| s.at_micros > since).map(|s| s.pages_read).sum();
    let (gets, reads) = (of("Innodb_buffer_pool_read_requests"), of("Innodb_buffer_pool_reads"));
    let missed = (reads * 1000).checked_div(gets);
    let none = || u(0);
    let no_rate = || Value::Double(0.0);
    vec![
        none(),
        counted("Innodb_buffer_pool_pages_total"),
        counted("Innodb_buffer_pool_pages_free"),
        counted("Innodb_buffer_pool_pages_data"),
        u(now.old),
        counted("Innodb_buffer_pool_pages_dirty"),
        none(),
        u(now.reading),
        none(),
        u(now.writing),
        none(),
        none(),
        no_rate(),
        no_rate(),
        counted("Innodb_pages_read"),
        counted("Innodb_pages_created"),
        counted("Innodb_pages_written"),
        rate(last.map(|s| s.pages_read)),
        no_rate(),
        rate(last.map(|s| s.pages_written)),
        u(gets),
        u(missed.map_or(0, |missed| 1000_u64.saturating_sub(missed))),
        none(),
        none(),
        counted("Innodb_buffer_pool_read_ahead"),
        none(),
        no_rate(),
        no_rate(),
        u(lately),
        u(last.map_or(0, |s| s.pages_read)),
        none(),
        none(),
    ]
}

/// Indexes that have pages in memory. Pages of dropped ones, which stay until they age out, are nobody's.
fn cached_indexes(cx: TableReads<'_>) -> Vec<Row> {
    let cached = cx.reads.db().cached_pages();
    of_each(cx, |t| {
        let space = t.stored.space_id();
        let row = |index: &weir_engine::Index| {
            let pages = cached.get(&(space as u32, index.id))?;
            Some(vec![u(space), u(index.id), u(*pages)])
        };
        t.stored.indexes.iter().filter_map(row).collect()
    })
}

/// The temporary tables of all sessions, by the names that the engine has for them.
fn temporary_tables(cx: TableReads<'_>) -> Vec<Row> {
    let tables = cx.reads.meta().tables(cx.reads.db(), HIDDEN);
    let row = |t: &std::sync::Arc<crate::meta::SqlTable>| {
        let def = &t.engine.def;
        vec![u(def.id), s(def.name.as_str()), u(n_cols(t) as u64), u(t.engine.space_id())]
    };
    tables.iter().map(row).collect()
}
