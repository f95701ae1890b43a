//! performance_schema's summary of statements by their digests, and what they cost the engine: `information_schema.weir_statements`.

use super::cells::{Row, at, os, s, u};
use super::engine_told::Told;
use crate::account::Privileges;
use crate::context::{TableReads, VirtualTable};
use crate::digests::Summary;
use crate::func::monitoring::digest_hash;
use crate::value::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use weir_engine::cost::{Cost, Costs};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&BY_DIGEST, &COSTS]
}

static BY_DIGEST: Told = Told::new(
    "performance_schema",
    crate::digests::TABLE,
    "SCHEMA_NAME V64 DIGEST V64 DIGEST_TEXT T COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U!
     MAX_TIMER_WAIT U! SUM_LOCK_TIME U! SUM_ERRORS U! SUM_WARNINGS U! SUM_ROWS_AFFECTED U! SUM_ROWS_SENT U!
     SUM_ROWS_EXAMINED U! SUM_CREATED_TMP_DISK_TABLES U! SUM_CREATED_TMP_TABLES U! SUM_SELECT_FULL_JOIN U!
     SUM_SELECT_FULL_RANGE_JOIN U! SUM_SELECT_RANGE U! SUM_SELECT_RANGE_CHECK U! SUM_SELECT_SCAN U! SUM_SORT_MERGE_PASSES U!
     SUM_SORT_RANGE U! SUM_SORT_ROWS U! SUM_SORT_SCAN U! SUM_NO_INDEX_USED U! SUM_NO_GOOD_INDEX_USED U! SUM_CPU_TIME U!
     MAX_CONTROLLED_MEMORY U! MAX_TOTAL_MEMORY U! COUNT_SECONDARY U! FIRST_SEEN D! LAST_SEEN D! QUANTILE_95 U!
     QUANTILE_99 U! QUANTILE_999 U! QUERY_SAMPLE_TEXT T QUERY_SAMPLE_SEEN D! QUERY_SAMPLE_TIMER_WAIT U!",
    by_digest,
);

/// Times of performance_schema are in picoseconds.
pub(super) fn pico(nanos: u64) -> Value<'static> {
    u(nanos.saturating_mul(1000))
}

/// The examples are other people's statements, with their values: they are for those who may see such.
fn by_digest(cx: TableReads<'_>) -> Vec<Row> {
    let samples = cx.access.clone().global().intersects(Privileges::PROCESS);
    let tz = cx.reads.settings.tz;
    let row = |r: Arc<Summary>| {
        let sums = r.sums();
        let least = if sums.count == 0 { 0 } else { r.min_nanos.load(Relaxed) };
        let [tmp, full_join, range, scan, sort_range, sort_rows, sort_scan, full_range] =
            sums.counted;
        let without_index = full_join.saturating_add(scan).min(sums.count);
        let sample = r.sample();
        let mut row = vec![
            os(r.schema.clone()),
            os(r.text.as_deref().map(digest_hash)),
            os(r.text.clone()),
            u(sums.count),
            pico(sums.nanos),
            pico(least),
            pico(sums.nanos.checked_div(sums.count).unwrap_or(0)),
            pico(r.max_nanos.load(Relaxed)),
            pico(sums.lock_nanos),
        ];
        row.extend([sums.errors, sums.warnings, sums.affected, sums.sent, sums.examined].map(u));
        row.extend([0, tmp, full_join, full_range, range, 0, scan, 0].map(u));
        row.extend([sort_range, sort_rows, sort_scan, without_index].map(u));
        // Processor time of single statements is not measured, as in MySQL until somebody switches it on.
        let memory = r.max_memory.load(Relaxed);
        row.extend([0, 0, memory, memory, 0].map(u));
        row.extend([&r.first_micros, &r.last_micros].map(|t| at(t.load(Relaxed), tz)));
        row.extend([0.95, 0.99, 0.999].map(|share| pico(r.quantile(share))));
        row.push(if samples { s(sample.text) } else { Value::Null });
        row.extend([at(sample.at_micros, tz), pico(sample.nanos)]);
        row
    };
    cx.reads.shared.digests.list().into_iter().map(row).collect()
}

/// A row for each digest, and one for what tasks cost that no session waits for: all of it together is what the engine has done.
static COSTS: Told = Told::new(
    "information_schema",
    "WEIR_STATEMENTS",
    "SCHEMA_NAME V64 DIGEST V64 DIGEST_TEXT T COUNT_STAR U! TIME_USEC U! ROWS_EXAMINED U! ROWS_SENT U! ROWS_AFFECTED U!
     PAGES_REQUESTED U! PAGES_READ U! PAGES_DIRTIED U! REDO_BYTES U! UNDO_BYTES U! CHANGE_BUFFER_ENTRIES U! TEMPORARY_BYTES U!
     LOCK_WAIT_USEC U! LOG_WAIT_USEC U! ROOM_WAIT_USEC U! PAGE_WAIT_USEC U! MEMORY_MAX U!",
    costs,
);

/// The text of the row that is no statement.
const BACKGROUND: &str = "(background tasks)";
/// Of [`Costs`], those before are numbers and those from here on nanoseconds.
const FIRST_WAIT: usize = Cost::WaitLock as usize;

fn costs(cx: TableReads<'_>) -> Vec<Row> {
    let all = cx.reads.shared.digests.list().into_iter().map(|r| {
        let sums = r.sums();
        let mut row =
            vec![os(r.schema.clone()), os(r.text.as_deref().map(digest_hash)), os(r.text.clone())];
        row.extend([sums.count, sums.nanos / 1000, sums.examined, sums.sent, sums.affected].map(u));
        row.extend(spent(&sums.costs));
        row.push(u(r.max_memory.load(Relaxed)));
        row
    });
    let mut rows: Vec<Row> = all.collect();
    let mut background = vec![Value::Null, Value::Null, s(BACKGROUND)];
    background.extend([0; 5].map(u));
    background.extend(spent(&cx.reads.shared.db.background_costs()));
    background.push(u(0));
    rows.push(background);
    rows
}

fn spent(costs: &Costs) -> impl Iterator<Item = Value<'static>> {
    let shown = |(n, cost): (usize, u64)| u(if n < FIRST_WAIT { cost } else { cost / 1000 });
    costs.iter().copied().enumerate().map(shown).collect::<Row>().into_iter()
}
