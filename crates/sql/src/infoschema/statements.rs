//! performance_schema's summary of statements by their digests.

use super::cells::{Row, at, os, s, u};
use super::engine_told::Told;
use crate::account::Privileges;
use crate::context::{TableReads, VirtualTable};
use crate::digests::Summary;
use crate::func::monitoring::digest_hash;
use crate::value::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&BY_DIGEST]
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
fn pico(nanos: u64) -> Value<'static> {
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
        // Processor time and memory of single statements are not measured.
        row.extend([0; 5].map(u));
        row.extend([&r.first_micros, &r.last_micros].map(|t| at(t.load(Relaxed), tz)));
        row.extend([0.95, 0.99, 0.999].map(|share| pico(r.quantile(share))));
        row.push(if samples { s(sample.text) } else { Value::Null });
        row.extend([at(sample.at_micros, tz), pico(sample.nanos)]);
        row
    };
    cx.reads.shared.digests.list().into_iter().map(row).collect()
}
