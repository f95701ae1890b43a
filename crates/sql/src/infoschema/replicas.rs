//! `performance_schema.replication_*`: the channels of this server, as MySQL tells of them.

use super::cells::{Row, i, os, ou, s, u, yes_no};
use crate::context::TableReads;
use crate::replication::settings::{Assign, Reading};
use crate::replication::{ChannelStatus, Failure, Running, Transaction};
use crate::value::convert::local_time;
use crate::value::{DateTime, TimeZone, Value};
use crate::vars::Var;

/// The rows of a table; none of those that are about something else.
pub fn rows(table: &str, cx: TableReads<'_>) -> Vec<Row> {
    let Some(replicas) = cx.reads.shared.replicas.get() else { return Vec::new() };
    let own = cx.reads.shared.vars.text(Var::server_uuid);
    let of: fn(&ChannelStatus, (TimeZone, &str)) -> Vec<Row> = match table {
        "replication_connection_configuration" => |c, _| vec![connection(c)],
        "replication_connection_status" => |c, (tz, _)| vec![connection_status(c, tz)],
        "replication_applier_configuration" => |c, (_, own)| vec![applier(c, own)],
        "replication_applier_status" => |c, _| vec![applier_status(c)],
        "replication_applier_status_by_worker" => |c, (tz, _)| vec![worker(c, tz)],
        "replication_applier_filters" => |c, (tz, _)| filters(c, tz),
        _ => return Vec::new(),
    };
    let tz = cx.reads.settings.tz;
    replicas.channels().iter().flat_map(|c| of(c, (tz, &own))).collect()
}

/// A point in time with microseconds; zero where there is none.
fn at(micros: i64, tz: TimeZone) -> Value<'static> {
    let zero = DateTime { fsp: 6, ..DateTime::ZERO };
    let local = if micros == 0 { None } else { local_time(micros, tz, 6) };
    Value::DateTime(local.unwrap_or(zero))
}

fn error(e: &Option<Failure>, tz: TimeZone) -> [Value<'static>; 3] {
    let (number, text, when) = match e {
        Some(e) => (i64::from(e.errno), e.text.chars().take(1024).collect(), e.at),
        None => (0, String::new(), 0),
    };
    [i(number), s(text), at(when, tz)]
}

fn flag(on: bool) -> Value<'static> {
    s(if on { "1" } else { "0" })
}

fn connection(c: &ChannelStatus) -> Row {
    let o = &c.settings;
    vec![
        s(c.name.clone()),
        s(o.host.clone()),
        i(i64::from(o.port)),
        s(o.user.clone()),
        s(o.bind.clone()),
        flag(o.reading != Reading::Position),
        yes_no(o.tls),
        s(o.tls_ca.clone()),
        s(o.tls_capath.clone()),
        s(o.tls_cert.clone()),
        s(""),
        s(o.tls_key.clone()),
        yes_no(o.tls_verify),
        s(""),
        s(""),
        i(o.connect_retry as i64),
        u(o.retry_count),
        Value::Double(o.heartbeat.unwrap_or(0) as f64 / 1000.0),
        s(o.tls_version.clone()),
        s(o.public_key_path.clone()),
        yes_no(o.get_public_key),
        s(""),
        s("uncompressed"),
        i(3),
        Value::Null,
        flag(false),
        flag(false),
    ]
}

fn state(r: Running) -> Value<'static> {
    s(match r {
        Running::No => "OFF",
        Running::Connecting => "CONNECTING",
        Running::Yes => "ON",
    })
}

fn name(t: &Transaction) -> Value<'static> {
    s(t.name.clone())
}

fn connection_status(c: &ChannelStatus, tz: TimeZone) -> Row {
    let q = &c.queued;
    let mut row = vec![
        s(c.name.clone()),
        s(""),
        s(c.source_uuid.clone()),
        ou(c.receiver_thread),
        state(c.receiver),
        u(c.heartbeats),
        at(c.last_heartbeat, tz),
        s(c.retrieved.to_string()),
    ];
    row.extend(error(&c.receiver_error, tz));
    row.extend([
        name(q),
        at(q.original, tz),
        at(q.immediate, tz),
        at(q.begun, tz),
        at(q.ended, tz),
    ]);
    row.extend([s(""), at(0, tz), at(0, tz), at(0, tz)]);
    row
}

fn applier(c: &ChannelStatus, own: &str) -> Row {
    let delay = i(c.settings.delay as i64);
    let assigned = match &c.settings.assign {
        Assign::Off => Value::Null,
        Assign::Local => s(own.to_owned()),
        Assign::Uuid(text) => s(text.clone()),
    };
    let how = s(c.settings.assign.word());
    vec![s(c.name.clone()), delay, Value::Null, s("NO"), s("STREAM"), how, assigned]
}

fn applier_status(c: &ChannelStatus) -> Row {
    let on = s(if c.applier { "ON" } else { "OFF" });
    vec![s(c.name.clone()), on, ou(c.remaining_delay), u(c.retries)]
}

/// The applier is one worker, whose number MySQL has as 0 where there are no others.
fn worker(c: &ChannelStatus, tz: TimeZone) -> Row {
    let (last, now) = (&c.last, &c.applying);
    let on = s(if c.applier { "ON" } else { "OFF" });
    let mut row = vec![s(c.name.clone()), u(0), ou(c.applier_thread), on];
    row.extend(error(&c.applier_error, tz));
    row.extend([name(last), at(last.original, tz), at(last.immediate, tz)]);
    row.extend([at(last.begun, tz), at(last.ended, tz)]);
    row.extend([name(now), at(now.original, tz), at(now.immediate, tz), at(now.begun, tz)]);
    row.extend([u(c.retries), i(0), s(""), at(0, tz), u(0), i(0), s(""), at(0, tz)]);
    row
}

fn filters(c: &ChannelStatus, tz: TimeZone) -> Vec<Row> {
    let row = |(name, rule): (&'static str, String)| {
        let by = "CHANGE_REPLICATION_FILTER_FOR_CHANNEL";
        vec![s(c.name.clone()), s(name), os(Some(rule)), s(by), at(0, tz), u(0)]
    };
    c.filters.rules().into_iter().map(row).collect()
}
