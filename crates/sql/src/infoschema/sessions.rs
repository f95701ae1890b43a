//! performance_schema's tables of who is connected, and of who waits for whose metadata lock. A thread has the number of its connection.

use super::cells::{Row, i, os, s, u};
use super::engine_told::Told;
use crate::account::Privileges;
use crate::context::{PreparedStatement, TableReads, VirtualTable};
use crate::meta::temporary::HIDDEN;
use crate::processes::{host_alone, processes};
use crate::session_api::{LoginsBy, ProcessInfo};
use crate::value::Value;
use std::sync::Arc;
use weir_engine::MdlMode;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![
        &THREADS,
        &PROCESSLIST,
        &ACCOUNTS,
        &USERS,
        &HOSTS,
        &ATTRIBUTES,
        &OWN_ATTRIBUTES,
        &METADATA_LOCKS,
        &PREPARED,
    ]
}

const SCHEMA: &str = "performance_schema";

static THREADS: Told = Told::new(
    SCHEMA,
    "threads",
    "THREAD_ID U! NAME V128! TYPE V10! PROCESSLIST_ID U PROCESSLIST_USER V32 PROCESSLIST_HOST V255 PROCESSLIST_DB V64
     PROCESSLIST_COMMAND V16 PROCESSLIST_TIME I PROCESSLIST_STATE V64 PROCESSLIST_INFO T PARENT_THREAD_ID U ROLE V64
     INSTRUMENTED V3! HISTORY V3! CONNECTION_TYPE V16 THREAD_OS_ID U RESOURCE_GROUP V64 EXECUTION_ENGINE V9
     CONTROLLED_MEMORY U! MAX_CONTROLLED_MEMORY U! TOTAL_MEMORY U! MAX_TOTAL_MEMORY U!",
    threads,
);

static PROCESSLIST: Told = Told::new(
    SCHEMA,
    "processlist",
    "ID U! USER V32 HOST V261 DB V64 COMMAND V16 TIME I STATE V64 INFO T EXECUTION_ENGINE V9",
    processlist,
);

static ACCOUNTS: Told = Told::new(
    SCHEMA,
    "accounts",
    "USER V32 HOST V255 CURRENT_CONNECTIONS I! TOTAL_CONNECTIONS I! MAX_SESSION_CONTROLLED_MEMORY U! MAX_SESSION_TOTAL_MEMORY U!",
    |cx| logins(cx, LoginsBy::Account, |user, host| vec![s(user), s(host)]),
);

static USERS: Told = Told::new(
    SCHEMA,
    "users",
    "USER V32 CURRENT_CONNECTIONS I! TOTAL_CONNECTIONS I! MAX_SESSION_CONTROLLED_MEMORY U! MAX_SESSION_TOTAL_MEMORY U!",
    |cx| logins(cx, LoginsBy::User, |user, _| vec![s(user)]),
);

static HOSTS: Told = Told::new(
    SCHEMA,
    "hosts",
    "HOST V255 CURRENT_CONNECTIONS I! TOTAL_CONNECTIONS I! MAX_SESSION_CONTROLLED_MEMORY U! MAX_SESSION_TOTAL_MEMORY U!",
    |cx| logins(cx, LoginsBy::Host, |_, host| vec![s(host)]),
);

static ATTRIBUTES: Told = Told::new(
    SCHEMA,
    "session_connect_attrs",
    "PROCESSLIST_ID U! ATTR_NAME V32! ATTR_VALUE V1024 ORDINAL_POSITION S",
    |cx| attributes(cx, false),
);

static OWN_ATTRIBUTES: Told = Told::new(
    SCHEMA,
    "session_account_connect_attrs",
    "PROCESSLIST_ID U! ATTR_NAME V32! ATTR_VALUE V1024 ORDINAL_POSITION S",
    |cx| attributes(cx, true),
);

static METADATA_LOCKS: Told = Told::new(
    SCHEMA,
    "metadata_locks",
    "OBJECT_TYPE V64! OBJECT_SCHEMA V64 OBJECT_NAME V64 COLUMN_NAME V64 OBJECT_INSTANCE_BEGIN U! LOCK_TYPE V32! LOCK_DURATION V32!
     LOCK_STATUS V32! SOURCE V64 OWNER_THREAD_ID U OWNER_EVENT_ID U",
    metadata_locks,
);

static PREPARED: Told = Told::new(
    SCHEMA,
    "prepared_statements_instances",
    "OBJECT_INSTANCE_BEGIN U! STATEMENT_ID U! STATEMENT_NAME V64 SQL_TEXT T! OWNER_THREAD_ID U! OWNER_EVENT_ID U! OWNER_OBJECT_TYPE V9
     OWNER_OBJECT_SCHEMA V64 OWNER_OBJECT_NAME V64 EXECUTION_ENGINE V9 TIMER_PREPARE U! COUNT_REPREPARE U! COUNT_EXECUTE U!
     SUM_TIMER_EXECUTE U! MIN_TIMER_EXECUTE U! AVG_TIMER_EXECUTE U! MAX_TIMER_EXECUTE U! SUM_LOCK_TIME U! SUM_ERRORS U!
     SUM_WARNINGS U! SUM_ROWS_AFFECTED U! SUM_ROWS_SENT U! SUM_ROWS_EXAMINED U! SUM_CREATED_TMP_DISK_TABLES U!
     SUM_CREATED_TMP_TABLES U! SUM_SELECT_FULL_JOIN U! SUM_SELECT_FULL_RANGE_JOIN U! SUM_SELECT_RANGE U! SUM_SELECT_RANGE_CHECK U!
     SUM_SELECT_SCAN U! SUM_SORT_MERGE_PASSES U! SUM_SORT_RANGE U! SUM_SORT_ROWS U! SUM_SORT_SCAN U! SUM_NO_INDEX_USED U!
     SUM_NO_GOOD_INDEX_USED U! SUM_CPU_TIME U! MAX_CONTROLLED_MEMORY U! MAX_TOTAL_MEMORY U! COUNT_SECONDARY U!",
    prepared,
);

/// Columns of [`PREPARED`] from the first sum on. Sums are kept by digest (events_statements_summary_by_digest), and are 0 here.
const PREPARED_SUMS: usize = 27;

/// The host without the port.
pub(super) fn host_of(p: &ProcessInfo) -> &str {
    host_alone(&p.host)
}

/// Those that may be shown: all with PROCESS, else the user's own.
pub(super) fn visible(cx: TableReads<'_>) -> Vec<ProcessInfo> {
    let all = cx.access.clone().global().intersects(Privileges::PROCESS);
    let mut list = processes(cx.reads.shared);
    list.retain(|p| all || p.user == cx.reads.conn.user);
    list
}

fn threads(cx: TableReads<'_>) -> Vec<Row> {
    let memory = cx.reads.shared.memory.by_session();
    let row = |p: ProcessInfo| {
        let host = host_of(&p).to_owned();
        let (now, most) = memory.get(&p.id).copied().unwrap_or_default();
        let [now, most] = [now, most].map(|bytes| u(bytes as u64));
        let kind = if host.len() < p.host.len() { "TCP/IP" } else { "Socket" };
        let mut row = vec![u(p.id), s("thread/sql/one_connection"), s("FOREGROUND"), u(p.id)];
        row.extend([s(p.user), s(host), os(p.db), s(p.command), i(p.time as i64)]);
        row.extend([os(Some(p.state).filter(|s| !s.is_empty())), os(p.info)]);
        row.extend([Value::Null, Value::Null, s("YES"), s("NO"), s(kind)]);
        row.extend([Value::Null, Value::Null, s("PRIMARY"), now.clone(), most.clone(), now, most]);
        row
    };
    visible(cx).into_iter().map(row).collect()
}

fn processlist(cx: TableReads<'_>) -> Vec<Row> {
    let row = |p: ProcessInfo| {
        let mut row = vec![u(p.id), s(p.user), s(p.host), os(p.db), s(p.command)];
        row.extend([i(p.time as i64), s(p.state), os(p.info), s("PRIMARY")]);
        row
    };
    visible(cx).into_iter().map(row).collect()
}

/// The statements of all sessions with PROCESS, else the session's own.
fn prepared(cx: TableReads<'_>) -> Vec<Row> {
    let all = cx.access.clone().global().intersects(Privileges::PROCESS);
    let own = cx.reads.conn.id;
    let row = |(number, p): (u64, Arc<PreparedStatement>)| {
        // A statement of SQL has a number nowhere else.
        let id = p.id.map_or(number, u64::from);
        let mut row = vec![u(number), u(id), os(p.name.clone()), s(p.text.as_str()), u(p.session)];
        row.extend([u(0), Value::Null, Value::Null, Value::Null, s("PRIMARY"), u(0)]);
        row.extend([u(p.plans()), u(p.executions())]);
        row.extend(std::iter::repeat_n(u(0), PREPARED_SUMS));
        row
    };
    let list = cx.reads.shared.prepared.list().into_iter();
    list.filter(|(_, p)| all || p.session == own).map(row).collect()
}

/// Connections that are there, and all since the start, with what `names` makes of a user and a host before them.
fn logins(cx: TableReads<'_>, by: LoginsBy, names: impl Fn(String, String) -> Row) -> Vec<Row> {
    if !cx.access.clone().global().intersects(Privileges::PROCESS) {
        return Vec::new();
    }
    let mut all = cx.reads.shared.sessions().logins(by);
    all.sort();
    let row = |(user, host, [now, total]): (String, String, [u64; 2])| {
        let mut row = names(user, host);
        row.extend([i(now as i64), i(total as i64), u(0), u(0)]);
        row
    };
    all.into_iter().map(row).collect()
}

fn attributes(cx: TableReads<'_>, own: bool) -> Vec<Row> {
    let mut list = visible(cx);
    list.retain(|p| !own || p.user == cx.reads.conn.user);
    let of = |p: &ProcessInfo| {
        let row = |(n, (name, value)): (usize, &(String, String))| {
            let value = (!value.is_empty()).then_some(value.as_str());
            vec![u(p.id), s(name.as_str()), os(value), i(n as i64)]
        };
        p.attributes.iter().enumerate().map(row).collect::<Vec<_>>()
    };
    list.iter().flat_map(of).collect()
}

/// What a statement that waits for a table wants of it, by its first word.
fn wanted(statement: &str) -> &'static str {
    let word: String =
        statement.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    match &word.to_ascii_lowercase()[..] {
        "alter" | "create" | "drop" | "truncate" | "rename" | "optimize" | "lock" => "EXCLUSIVE",
        "select" | "with" | "show" | "table" => "SHARED_READ",
        _ => "SHARED_WRITE",
    }
}

/// What transactions keep between statements, those who wait, and whom they wait for: of one that is within a statement the mode is not known.
/// Other statements under way hold locks as well, until they end; nobody keeps a list of those.
fn metadata_locks(cx: TableReads<'_>) -> Vec<Row> {
    if !cx.access.clone().global().intersects(Privileges::PROCESS) {
        return Vec::new();
    }
    let row = |of: (&str, &str), kind: &str, status: &str, owner: u64| {
        let mut row = vec![s("TABLE"), s(of.0), s(of.1), Value::Null, u(0)];
        row.extend([s(kind), s("TRANSACTION"), s(status), Value::Null]);
        row.extend([u(owner), Value::Null]);
        row
    };
    let mut rows = Vec::new();
    let mut holders = Vec::new();
    let kept = cx.reads.db().kept_tables();
    for (owner, schema, name, mode) in kept.into_iter().filter(|(_, schema, ..)| schema != HIDDEN) {
        let kind = if mode == MdlMode::Write { "SHARED_WRITE" } else { "SHARED_READ" };
        rows.push(row((&schema, &name), kind, "GRANTED", owner));
        holders.push((owner, schema, name));
    }
    for wait in cx.reads.db().waits().into_iter().filter(|w| w.lasts && w.cause == "metadata lock")
    {
        let object = wait.object.unwrap_or_default();
        let (schema, name) = object.split_once('.').unwrap_or(("", &object));
        let wanted = wanted(&wait.statement);
        let both = [(wait.session, wanted, "PENDING"), (wait.blocker, "UNKNOWN", "GRANTED")];
        for (owner, kind, status) in both {
            let known = |(o, s, n): &(u64, String, String)| *o == owner && s == schema && n == name;
            if owner == 0 || status == "GRANTED" && holders.iter().any(known) {
                continue;
            }
            let row = row((schema, name), kind, status, owner);
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    rows
}
