//! EVENTS: shown to anyone who has the right EVENT on their schema.

use super::cells::{DATETIME, LONGTEXT, NAME, Row, TIMESTAMP, UINT, at, c, n, s, text, u};
use super::programs::visible;
use super::virtual_table;
use crate::context::VirtualTable;
use crate::meta::event::{EventMeta, Schedule};
use crate::value::{SqlMode, Value};
use weir_engine::ObjectKind;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&Events]
}

/// Type, execution time, interval and its unit, start and end, as lists tell them: on the event's own clock.
pub fn schedule_cells(e: &EventMeta) -> [Value<'static>; 6] {
    let point = |t: i64| e.local(t).map_or(Value::Null, Value::DateTime);
    let null = || Value::Null;
    match &e.schedule {
        Schedule::At(at) => [s("ONE TIME"), point(*at), null(), null(), null(), null()],
        Schedule::Every { amount, unit, starts, ends } => [
            s("RECURRING"),
            null(),
            s(if unit.is_compound() { format!("'{amount}'") } else { amount.clone() }),
            s(unit.name()),
            point(*starts),
            ends.map_or(Value::Null, point),
        ],
    }
}

virtual_table!(
    Events,
    "information_schema",
    "EVENTS",
    (None, None),
    [
        n("EVENT_CATALOG", NAME),
        n("EVENT_SCHEMA", NAME),
        n("EVENT_NAME", text(64)),
        n("DEFINER", text(288)),
        n("TIME_ZONE", text(64)),
        n("EVENT_BODY", text(3)),
        n("EVENT_DEFINITION", LONGTEXT),
        n("EVENT_TYPE", text(9)),
        c("EXECUTE_AT", DATETIME),
        c("INTERVAL_VALUE", text(256)),
        c("INTERVAL_FIELD", text(18)),
        c("STARTS", DATETIME),
        c("ENDS", DATETIME),
        n("STATUS", text(18)),
        n("ON_COMPLETION", text(12)),
        n("SQL_MODE", text(512)),
        n("CREATED", TIMESTAMP),
        n("LAST_ALTERED", TIMESTAMP),
        c("LAST_EXECUTED", DATETIME),
        n("EVENT_COMMENT", text(2048)),
        n("ORIGINATOR", UINT),
        n("CHARACTER_SET_CLIENT", text(64)),
        n("COLLATION_CONNECTION", text(64)),
        n("DATABASE_COLLATION", text(64)),
    ],
    |cx, hint| {
        let tz = cx.reads.settings.tz;
        let mut rows: Vec<Row> = Vec::new();
        for ((o, p), _) in visible(cx, hint, &[ObjectKind::Event]) {
            let Some(e) = &p.event else { continue };
            let mut row = vec![
                s("def"),
                s(o.schema.clone()),
                s(p.name.clone()),
                s(format!("{}@{}", p.definer.0, p.definer.1)),
                s(e.time_zone.clone()),
                s("SQL"),
                s(p.body.clone()),
            ];
            row.extend(schedule_cells(e));
            row.extend([
                s(e.status_text()),
                s(if e.preserve { "PRESERVE" } else { "NOT PRESERVE" }),
                s(SqlMode(p.mode).to_string()),
                at(p.created as u64, tz),
                at(p.modified as u64, tz),
                // Runs are not written down: that would be a change of the dictionary for each of them.
                Value::Null,
                s(p.comment.clone()),
                u(1),
                s(p.client.clone()),
                s(p.connection.clone()),
                s(p.database.clone()),
            ]);
            rows.push(row);
        }
        rows
    }
);
