//! performance_schema's statements that run, and those that have ended of late where `weir_statement_history` is on; and its table of
//! consumers, which says what of this is collected.

use super::cells::{Row, os, s, u};
use super::engine_told::Told;
use super::sessions::visible;
use super::statements::pico;
use crate::account::Privileges;
use crate::context::{TableReads, VirtualTable};
use crate::digests::Ended;
use crate::errno::sqlstate;
use crate::func::monitoring::{MAX_DIGEST_LENGTH, digest_hash};
use crate::statement_history::{OF_ALL_TABLE, OF_SESSIONS_TABLE, Past, TEXT_BYTES};
use crate::value::Value;
use std::collections::HashSet;
use std::sync::Arc;
use weir_syntax::parse::{ParseOptions, digest};

const SCHEMA: &str = "performance_schema";

const STATEMENTS: &str =
    "THREAD_ID U! EVENT_ID U! END_EVENT_ID U EVENT_NAME V128! SOURCE V64 TIMER_START U TIMER_END U TIMER_WAIT U LOCK_TIME U!
     SQL_TEXT T DIGEST V64 DIGEST_TEXT T CURRENT_SCHEMA V64 OBJECT_TYPE V64 OBJECT_SCHEMA V64 OBJECT_NAME V64
     OBJECT_INSTANCE_BEGIN U MYSQL_ERRNO S RETURNED_SQLSTATE V5 MESSAGE_TEXT V128 ERRORS U! WARNINGS U! ROWS_AFFECTED U!
     ROWS_SENT U! ROWS_EXAMINED U! CREATED_TMP_DISK_TABLES U! CREATED_TMP_TABLES U! SELECT_FULL_JOIN U! SELECT_FULL_RANGE_JOIN U!
     SELECT_RANGE U! SELECT_RANGE_CHECK U! SELECT_SCAN U! SORT_MERGE_PASSES U! SORT_RANGE U! SORT_ROWS U! SORT_SCAN U!
     NO_INDEX_USED U! NO_GOOD_INDEX_USED U! NESTING_EVENT_ID U NESTING_EVENT_TYPE V11 NESTING_EVENT_LEVEL S STATEMENT_ID U
     CPU_TIME U! MAX_CONTROLLED_MEMORY U! MAX_TOTAL_MEMORY U! EXECUTION_ENGINE V9";

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&CURRENT, &OF_SESSIONS, &OF_ALL, &CONSUMERS]
}

static CURRENT: Told = Told::new(SCHEMA, "events_statements_current", STATEMENTS, current);
static OF_SESSIONS: Told = Told::new(SCHEMA, OF_SESSIONS_TABLE, STATEMENTS, |cx| {
    let mut list = cx.reads.shared.history.of_sessions();
    list.sort_by_key(|p| (p.thread, p.event));
    past(cx, &list)
});
static OF_ALL: Told = Told::new(SCHEMA, OF_ALL_TABLE, STATEMENTS, |cx| {
    let list = cx.reads.shared.history.of_all();
    past(cx, &list)
});
static CONSUMERS: Told = Told::new(SCHEMA, "setup_consumers", "NAME V64! ENABLED V3!", consumers);

/// What can be collected, and whether it is.
fn consumers(cx: TableReads<'_>) -> Vec<Row> {
    let (measured, history) = (cx.reads.shared.digests.are_kept(), cx.reads.shared.history.is_on());
    let list = [
        ("events_stages_current", false),
        ("events_stages_history", false),
        ("events_stages_history_long", false),
        ("events_statements_cpu", false),
        ("events_statements_current", true),
        ("events_statements_history", history),
        ("events_statements_history_long", history),
        ("events_transactions_current", false),
        ("events_transactions_history", false),
        ("events_transactions_history_long", false),
        ("events_waits_current", false),
        ("events_waits_history", false),
        ("events_waits_history_long", false),
        ("global_instrumentation", measured),
        ("thread_instrumentation", measured),
        ("statements_digest", measured),
    ];
    list.into_iter().map(|(name, on)| vec![s(name), s(if on { "YES" } else { "NO" })]).collect()
}

/// What a row says of a statement.
struct Names {
    event: String,
    digest: Option<String>,
}

fn names_of(text: &[u8]) -> Names {
    match digest::parse_with_digest(text, &ParseOptions::default(), MAX_DIGEST_LENGTH, None) {
        Ok((parsed, digest)) => Names {
            event: format!("statement/sql/{}", parsed.stmt.row().event()),
            digest: Some(digest),
        },
        // Or it was cut off.
        Err(_) => Names { event: "statement/sql/error".to_owned(), digest: None },
    }
}

/// The columns up to the text of an error. `since`: picoseconds from the start of the server to the statement's.
struct Begin<'a> {
    thread: u64,
    event: u64,
    over: bool,
    since: u64,
    text: &'a str,
    names: Names,
    schema: Option<String>,
    error: Option<(u16, String)>,
}

fn row(b: Begin<'_>, e: &Ended) -> Row {
    let names = b.names;
    let wait = e.nanos.saturating_mul(1000);
    let end = |value: u64| if b.over { u(value) } else { Value::Null };
    let mut row = vec![u(b.thread), u(b.event), end(b.event), s(names.event), Value::Null];
    row.extend([u(b.since), u(b.since.saturating_add(wait)), u(wait), pico(e.lock_nanos)]);
    row.extend([s(b.text), os(names.digest.as_deref().map(digest_hash)), os(names.digest)]);
    row.push(os(b.schema));
    row.extend([Value::Null, Value::Null, Value::Null, Value::Null]);
    let errno = b.error.as_ref().map_or(0, |(errno, _)| *errno);
    let state = String::from_utf8_lossy(&sqlstate(errno)).into_owned();
    let state = if errno == 0 { "00000".to_owned() } else { state };
    row.push(u(u64::from(errno)));
    row.push(if b.over { s(state) } else { Value::Null });
    let cut = |text: String| text.chars().take(128).collect::<String>();
    row.push(os(b.error.map(|(_, text)| cut(text))));
    row.extend([u64::from(errno != 0), e.warnings, e.affected, e.sent, e.examined].map(u));
    let [tmp, full_join, range, scan, sort_range, sort_rows, sort_scan, full_range] = e.counted;
    row.extend([0, tmp, full_join, full_range, range, 0, scan].map(u));
    row.extend([0, sort_range, sort_rows, sort_scan, u64::from(full_join + scan > 0), 0].map(u));
    row.extend([Value::Null, Value::Null, u(0), u(b.event)]);
    row.extend([u(0), u(e.memory), u(e.memory), s("PRIMARY")]);
    row
}

/// Of these, what may be shown: all with PROCESS, else the statements of the user's own sessions.
fn past(cx: TableReads<'_>, list: &[Arc<Past>]) -> Vec<Row> {
    let own: Option<HashSet<u64>> = (!cx.access.clone().global().intersects(Privileges::PROCESS))
        .then(|| visible(cx).iter().map(|p| p.id).collect());
    let shown = list.iter().filter(|p| own.as_ref().is_none_or(|own| own.contains(&p.thread)));
    shown.map(|p| row_of(cx, p)).collect()
}

fn row_of(cx: TableReads<'_>, p: &Past) -> Row {
    let started = cx.reads.shared.started_micros.max(0) as u64;
    let end = p.ended.at_micros.saturating_sub(started).saturating_mul(1_000_000);
    let begin = Begin {
        thread: p.thread,
        event: p.event,
        over: true,
        since: end.saturating_sub(p.ended.nanos.saturating_mul(1000)),
        text: &String::from_utf8_lossy(&p.text),
        names: Names { event: format!("statement/sql/{}", p.command), digest: p.digest.clone() },
        schema: p.schema.clone(),
        error: p.error.clone(),
    };
    row(begin, &p.ended)
}

/// Of each session the statement that runs, whose times are those of the process list; else the one that has ended last, if it is known.
fn current(cx: TableReads<'_>) -> Vec<Row> {
    let history = &cx.reads.shared.history;
    let started = cx.reads.shared.started_micros.max(0) as u64;
    let now = cx.reads.shared.db.rt().wall_micros().saturating_sub(started);
    let mut rows = Vec::new();
    for p in visible(cx) {
        let (ended, last) = history.last(p.id);
        let Some(text) = p.info.filter(|_| p.runs) else {
            rows.extend(last.map(|last| row_of(cx, &last)));
            continue;
        };
        let text: String = text.chars().take(TEXT_BYTES).collect();
        let begin = Begin {
            thread: p.id,
            event: ended + 1,
            over: false,
            since: now.saturating_sub(p.time * 1_000_000).saturating_mul(1_000_000),
            names: names_of(text.as_bytes()),
            text: &text,
            schema: p.db,
            error: None,
        };
        rows.push(row(begin, &Ended { nanos: p.time * 1_000_000_000, ..Ended::default() }));
    }
    rows
}
