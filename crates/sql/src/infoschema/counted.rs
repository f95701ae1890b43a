//! performance_schema's tables of counters by thread, account, user and host, its histograms of how long statements took, and its sums of
//! waits.
//!
//! Counters are those of [`crate::status`]. Statements are counted there by their kinds, without their times, which are kept by digest; so of
//! the sums by event only the number of statements is known, and the others are 0. Accounts' figures are for those who may see
//! other people's sessions (PROCESS).

use super::cells::{Row, os, s, u};
use super::engine_told::Told;
use crate::account::Privileges;
use crate::context::{TableReads, VirtualTable};
use crate::digests::{Durations, Summary};
use crate::func::monitoring::digest_hash;
use crate::status::{of_sessions, of_statements};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_engine::waits::Cause;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    ALL.iter().map(|t| t as &dyn VirtualTable).collect()
}

const SCHEMA: &str = "performance_schema";

/// Columns of a summary by `$keys`: what statements came to.
macro_rules! statements {
    ($keys:literal) => {
        concat!(
            $keys,
            " COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U! SUM_LOCK_TIME U! SUM_ERRORS U!
             SUM_WARNINGS U! SUM_ROWS_AFFECTED U! SUM_ROWS_SENT U! SUM_ROWS_EXAMINED U! SUM_CREATED_TMP_DISK_TABLES U!
             SUM_CREATED_TMP_TABLES U! SUM_SELECT_FULL_JOIN U! SUM_SELECT_FULL_RANGE_JOIN U! SUM_SELECT_RANGE U!
             SUM_SELECT_RANGE_CHECK U! SUM_SELECT_SCAN U! SUM_SORT_MERGE_PASSES U! SUM_SORT_RANGE U! SUM_SORT_ROWS U! SUM_SORT_SCAN
             U! SUM_NO_INDEX_USED U! SUM_NO_GOOD_INDEX_USED U! SUM_CPU_TIME U! MAX_CONTROLLED_MEMORY U! MAX_TOTAL_MEMORY U!
             COUNT_SECONDARY U!"
        )
    };
}

macro_rules! status {
    ($keys:literal) => {
        concat!($keys, " VARIABLE_NAME V64! VARIABLE_VALUE V1024")
    };
}

const BUCKETS: &str = "BUCKET_NUMBER N! BUCKET_TIMER_LOW U! BUCKET_TIMER_HIGH U! COUNT_BUCKET U! COUNT_BUCKET_AND_LOWER U! BUCKET_QUANTILE F!";

static ALL: [Told; 12] = [
    Told::new(SCHEMA, "status_by_thread", status!("THREAD_ID U!"), |cx| status(threads(cx))),
    Told::new(SCHEMA, "status_by_account", status!("USER C32 HOST C255"), |cx| {
        status(summed(cx, |user, host| vec![user, host]))
    }),
    Told::new(SCHEMA, "status_by_user", status!("USER C32"), |cx| {
        status(summed(cx, |user, _| vec![user]))
    }),
    Told::new(SCHEMA, "status_by_host", status!("HOST C255"), |cx| {
        status(summed(cx, |_, host| vec![host]))
    }),
    Told::new(
        SCHEMA,
        "events_statements_summary_by_thread_by_event_name",
        statements!("THREAD_ID U! EVENT_NAME V128!"),
        |cx| statements(threads(cx)),
    ),
    Told::new(
        SCHEMA,
        "events_statements_summary_by_account_by_event_name",
        statements!("USER C32 HOST C255 EVENT_NAME V128!"),
        |cx| statements(summed(cx, |user, host| vec![user, host])),
    ),
    Told::new(
        SCHEMA,
        "events_statements_summary_by_user_by_event_name",
        statements!("USER C32 EVENT_NAME V128!"),
        |cx| statements(summed(cx, |user, _| vec![user])),
    ),
    Told::new(
        SCHEMA,
        "events_statements_summary_by_host_by_event_name",
        statements!("HOST C255 EVENT_NAME V128!"),
        |cx| statements(summed(cx, |_, host| vec![host])),
    ),
    Told::new(
        SCHEMA,
        "events_statements_summary_global_by_event_name",
        statements!("EVENT_NAME V128!"),
        |cx| statements(vec![(Row::new(), cx.reads.shared.status.by_place())]),
    ),
    Told::new(SCHEMA, "events_statements_histogram_global", BUCKETS, |cx| {
        buckets(&cx.reads.shared.digests.durations(), &Row::new(), true)
    }),
    Told::new(
        SCHEMA,
        "events_statements_histogram_by_digest",
        "SCHEMA_NAME V64 DIGEST V64 BUCKET_NUMBER N! BUCKET_TIMER_LOW U! BUCKET_TIMER_HIGH U! COUNT_BUCKET U!
         COUNT_BUCKET_AND_LOWER U! BUCKET_QUANTILE F!",
        by_digest,
    ),
    Told::new(
        SCHEMA,
        "events_waits_summary_global_by_event_name",
        "EVENT_NAME V128! COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U!",
        waits,
    ),
];

/// Keys of a sum, and the counters by their places.
type Counted = Vec<(Row, Vec<u64>)>;

/// Threads have the numbers of their connections. Without PROCESS those of the user alone are there.
fn threads(cx: TableReads<'_>) -> Counted {
    let all = cx.access.clone().global().intersects(Privileges::PROCESS);
    let mut open = cx.reads.shared.status.by_session();
    open.retain(|(who, _)| who.id > 0 && (all || who.user == cx.reads.conn.user));
    open.sort_by_key(|(who, _)| who.id);
    open.into_iter().map(|(who, counters)| (vec![u(who.id)], counters)).collect()
}

fn summed(cx: TableReads<'_>, keys: fn(String, String) -> Vec<String>) -> Counted {
    if !cx.access.clone().global().intersects(Privileges::PROCESS) {
        return Vec::new();
    }
    let mut sums: BTreeMap<Vec<String>, Vec<u64>> = BTreeMap::new();
    for ((user, host), counters) in cx.reads.shared.status.by_account() {
        let sum = sums.entry(keys(user, host)).or_insert_with(|| vec![0; counters.len()]);
        sum.iter_mut().zip(counters).for_each(|(sum, n)| *sum = sum.wrapping_add(n));
    }
    sums.into_iter().map(|(keys, n)| (keys.into_iter().map(s).collect(), n)).collect()
}

/// Statements are counted in tables of their own.
fn status(counted: Counted) -> Vec<Row> {
    let names: Vec<_> = of_sessions().filter(|(name, _)| !name.starts_with("Com_")).collect();
    let of = |(keys, counters): (Row, Vec<u64>)| {
        let row = |(name, at): &(&str, usize)| {
            let mut row = keys.clone();
            row.extend([s(*name), s(counters[*at].to_string())]);
            row
        };
        names.iter().map(row).collect::<Vec<_>>()
    };
    counted.into_iter().flat_map(of).collect()
}

/// Columns of the sums by event that follow the number of statements.
const UNKNOWN: usize = 27;

fn statements(counted: Counted) -> Vec<Row> {
    let mut rows = Vec::new();
    for (keys, counters) in counted {
        for (name, at) in of_statements() {
            let mut row = keys.clone();
            row.push(s(format!("statement/sql/{}", name.trim_start_matches("Com_"))));
            row.push(u(counters[at]));
            row.extend(std::iter::repeat_n(u(0), UNKNOWN));
            rows.push(row);
        }
    }
    rows
}

/// Rows of a histogram behind `keys`. `all`: classes without a statement too.
fn buckets(durations: &Durations, keys: &Row, all: bool) -> Vec<Row> {
    let count = durations.count();
    let (mut seen, mut rows) = (0, Vec::new());
    let pico = |nanos: u64| u(nanos.saturating_mul(1000));
    for (number, (from, to, n)) in durations.classes().enumerate() {
        seen += n;
        if all || n > 0 {
            let share = if count == 0 { 0.0 } else { seen as f64 / count as f64 };
            let mut row = keys.clone();
            row.extend([u(number as u64), pico(from), pico(to.saturating_add(1)), u(n), u(seen)]);
            row.push(Value::Double(share));
            rows.push(row);
        }
    }
    rows
}

fn by_digest(cx: TableReads<'_>) -> Vec<Row> {
    let of = |r: Arc<Summary>| {
        let keys = vec![os(r.schema.clone()), os(r.text.as_deref().map(digest_hash))];
        buckets(&r.durations(), &keys, false)
    };
    cx.reads.shared.digests.list().into_iter().flat_map(of).collect()
}

/// Waits of sessions by their causes, under names of this server: MySQL counts latches there, which nobody waits for here.
fn waits(cx: TableReads<'_>) -> Vec<Row> {
    let totals = cx.reads.db().wait_totals();
    let row = |cause: &Cause| {
        let at = *cause as usize;
        let (n, nanos) = (totals.waits[at], totals.nanos[at]);
        let name = format!("wait/weir/{}", cause.name().replace(' ', "_"));
        let pico = |nanos: u64| u(nanos.saturating_mul(1000));
        // The shortest and the longest one are not kept.
        vec![s(name), u(n), pico(nanos), u(0), pico(nanos.checked_div(n).unwrap_or(0)), u(0)]
    };
    Cause::ALL.iter().map(row).collect()
}
