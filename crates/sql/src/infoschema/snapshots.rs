//! Who keeps a snapshot, for how long, and how much undo purge leaves for it: the oldest first.
//!
//! Rows tell of other people's statements, so they are for those who may see those: PROCESS.

use super::cells::{Row, UBIGINT, c, n, os, text, u};
use super::waits::{DATETIME6, Monitor, moment};
use crate::context::{TableReads, VirtualTable};
use crate::session_api::SnapshotInfo;
use crate::value::{TimeZone, Value};
use weir_engine::Db;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&SNAPSHOTS]
}

static SNAPSHOTS: Monitor = Monitor {
    name: "WEIR_SNAPSHOTS",
    columns: || {
        vec![
            c("CONNECTION", UBIGINT),
            c("USER", text(32)),
            c("HOST", text(255)),
            n("OPENED", DATETIME6),
            n("AGE", UBIGINT),
            n("COMMITS", UBIGINT),
            n("UNDO_BYTES", UBIGINT),
            c("STATEMENT", text(1024)),
        ]
    },
    rows,
    made: super::Columns::new(),
};

fn rows(cx: TableReads<'_>) -> Vec<Row> {
    let (db, tz) = (cx.reads.db(), cx.reads.settings.tz);
    let mut all = cx.reads.shared.sessions().snapshots();
    // The smaller the number, the more it holds back.
    all.sort_by_key(|s| (s.marks[0], s.since));
    let first = all.first().map_or(u64::MAX, |s| s.marks[0]);
    // Of an index or a table that is being built, or of a read that lasts for a moment.
    let own = db.oldest_view().filter(|v| v.no < first);
    let own = own.map(|v| {
        let nobody = [Value::Null, Value::Null, Value::Null];
        row(db, tz, nobody, v.since, [v.no, v.undo], Value::Null)
    });
    let of_session = |i: SnapshotInfo| {
        let shown = |t: String| t.chars().take(1024).collect::<String>();
        let statement = os(i.statement.map(shown));
        row(db, tz, [u(i.id), os(Some(i.user)), os(Some(i.host))], i.since, i.marks, statement)
    };
    own.into_iter().chain(all.into_iter().map(of_session)).collect()
}

fn row(
    db: &Db,
    tz: TimeZone,
    who: [Value<'static>; 3],
    since: u64,
    [no, undo]: [u64; 2],
    statement: Value<'static>,
) -> Row {
    let micros = db.rt().coarse_now().saturating_sub(since) / 1000;
    let [connection, user, host] = who;
    vec![
        connection,
        user,
        host,
        moment(db.rt().wall_micros().saturating_sub(micros), tz),
        u(micros / 1_000_000),
        u(db.commits_since(no)),
        u(db.undo_since(undo)),
        statement,
    ]
}
