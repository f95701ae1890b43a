//! Who waits for what, who waited, and when nothing went on. Made of the engine's short mutexes alone: it answers in a stall.
//!
//! Rows tell of other people's statements, so they are for those who may see those: PROCESS.

use super::cells::{DATETIME, Row, UBIGINT, at, c, n, os, s, settle, text, u, yes_no};
use crate::account::Privileges;
use crate::context::TableReads;
use crate::context::{BoxFuture, VirtualColumn, VirtualHint, VirtualTable};
use crate::session_api::SqlError;
use crate::value::convert::local_time;
use crate::value::{SqlType, TimeZone, Value};
use weir_engine::{StallInfo, StallRow, StuckInfo, WaitInfo};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&WAITS, &STALL_REPORT, &STALLS]
}

pub(super) struct Monitor {
    pub name: &'static str,
    pub columns: fn() -> Vec<VirtualColumn>,
    pub rows: fn(TableReads<'_>) -> Vec<Row>,
    pub made: super::Columns,
}

impl VirtualTable for Monitor {
    fn schema(&self) -> &'static str {
        "information_schema"
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> &[VirtualColumn] {
        self.made.get_or_init(self.columns)
    }

    fn rows<'a>(
        &'a self,
        cx: TableReads<'a>,
        _: &'a VirtualHint,
    ) -> BoxFuture<'a, Result<Vec<Row>, SqlError>> {
        let allowed = cx.access.clone().require_any_global(Privileges::PROCESS);
        let rows = allowed.map(|()| {
            let mut rows = (self.rows)(cx);
            settle(self.columns(), &mut rows);
            rows
        });
        Box::pin(std::future::ready(rows))
    }
}

pub(super) const DATETIME6: SqlType = SqlType::DateTime { fsp: 6 };
const DOUBLE: SqlType = SqlType::Double { unsigned: false, zerofill: false, digits: None };
const CAUSE: SqlType = text(16);
const OBJECT: SqlType = text(200);
const STATEMENT: SqlType = text(100);

/// A point in time on the session's clock, to the microsecond.
pub(super) fn moment(micros: u64, tz: TimeZone) -> Value<'static> {
    local_time(micros as i64, tz, 6).map_or(Value::Null, Value::DateTime)
}

/// A session or a transaction, where it is known.
fn known(id: u64) -> Value<'static> {
    if id == 0 { Value::Null } else { u(id) }
}

fn some(text: String) -> Value<'static> {
    os((!text.is_empty()).then_some(text))
}

static WAITS: Monitor = Monitor {
    name: "WEIR_WAITS",
    columns: || {
        vec![
            n("STARTED", DATETIME6),
            n("USEC", UBIGINT),
            n("UNDER_WAY", text(3)),
            n("CAUSE", CAUSE),
            c("OBJECT", OBJECT),
            c("BLOCKER", UBIGINT),
            c("BLOCKER_TRX", UBIGINT),
            c("CONNECTION", UBIGINT),
            c("TRX", UBIGINT),
            c("STATEMENT", STATEMENT),
        ]
    },
    rows: |cx| {
        let row = |w: WaitInfo| {
            vec![
                moment(w.started_micros, cx.reads.settings.tz),
                u(w.micros),
                yes_no(w.lasts),
                s(w.cause),
                os(w.object),
                known(w.blocker),
                known(w.blocker_trx),
                known(w.session),
                known(w.trx),
                some(w.statement),
            ]
        };
        cx.reads.db().waits().into_iter().map(row).collect()
    },
    made: super::Columns::new(),
};

static STALL_REPORT: Monitor = Monitor {
    name: "WEIR_STALL_REPORT",
    columns: || {
        vec![
            n("ENDED", DATETIME),
            n("SECONDS", UBIGINT),
            n("RUN", UBIGINT),
            n("CAUSE", CAUSE),
            c("OBJECT", OBJECT),
            c("BLOCKER", UBIGINT),
            n("WAITS", UBIGINT),
            n("SESSION_SECONDS", DOUBLE),
            n("SHARE", DOUBLE),
            n("COMMITS", UBIGINT),
        ]
    },
    rows: |cx| {
        let row = |r: StallRow| {
            vec![
                at(r.ended_micros, cx.reads.settings.tz),
                u(r.seconds.into()),
                u(r.run.into()),
                s(r.cause),
                os(r.object),
                known(r.blocker),
                u(r.waits),
                Value::Double(r.micros as f64 / 1e6),
                Value::Double((r.share * 1e4).round() / 1e4),
                u(r.commits),
            ]
        };
        cx.reads.db().stall_report().into_iter().map(row).collect()
    },
    made: super::Columns::new(),
};

static STALLS: Monitor = Monitor {
    name: "WEIR_STALLS",
    columns: || {
        vec![
            n("STALL", UBIGINT),
            n("BEGAN", DATETIME6),
            c("ENDED", DATETIME6),
            n("SESSIONS", UBIGINT),
            n("CAUSE", CAUSE),
            c("OBJECT", OBJECT),
            c("BLOCKER", UBIGINT),
            c("BLOCKER_TRX", UBIGINT),
            n("SINCE", DATETIME6),
            c("CONNECTION", UBIGINT),
            c("TRX", UBIGINT),
            c("STATEMENT", STATEMENT),
        ]
    },
    rows: |cx| cx.reads.db().stalls().into_iter().flat_map(|stall| stuck(cx, stall)).collect(),
    made: super::Columns::new(),
};

/// A row for each session of a stall.
fn stuck(cx: TableReads<'_>, stall: StallInfo) -> Vec<Row> {
    let row = |w: StuckInfo| {
        vec![
            u(stall.number),
            moment(stall.began_micros, cx.reads.settings.tz),
            stall.ended_micros.map_or(Value::Null, |t| moment(t, cx.reads.settings.tz)),
            u(stall.sessions as u64),
            s(w.cause),
            os(w.object),
            known(w.blocker),
            known(w.blocker_trx),
            moment(w.since_micros, cx.reads.settings.tz),
            known(w.session),
            known(w.trx),
            some(w.statement),
        ]
    };
    stall.stuck.into_iter().map(row).collect()
}
