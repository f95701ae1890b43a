//! The server's and the engine's counters with what each of them is: what metrics and the live page are made of.
//!
//! SHOW STATUS has these and some texts more, and may ask for what a session has counted for itself.

use crate::context::Shared;
use crate::digests::Durations;
use weir_engine::{StatusDef, StatusKind, StatusUnit};

/// What neither the array of counters nor the engine has: name, unit, meaning, and how it is read.
type Other = (&'static str, StatusKind, StatusUnit, &'static str, fn(&Shared) -> u64);

const OTHERS: &[Other] = &[
    (
        "Global_connection_memory",
        StatusKind::Gauge,
        StatusUnit::Bytes,
        "Memory that all sessions are charged with.",
        |s| s.memory.used() as u64,
    ),
    ("Open_files", StatusKind::Gauge, StatusUnit::One, "Files of tables that are open.", |s| {
        s.db.open_files() as u64
    }),
    (
        "Open_table_definitions",
        StatusKind::Gauge,
        StatusUnit::One,
        "Definitions of tables that are kept decoded.",
        |s| s.meta.counts().0 as u64,
    ),
    (
        "Open_tables",
        StatusKind::Gauge,
        StatusUnit::One,
        "The same: a table is open while its definition is.",
        |s| s.meta.counts().0 as u64,
    ),
    (
        "Opened_table_definitions",
        StatusKind::Counter,
        StatusUnit::One,
        "Definitions of tables decoded.",
        |s| s.meta.counts().1,
    ),
    (
        "Opened_tables",
        StatusKind::Counter,
        StatusUnit::One,
        "The same: a table is opened with its definition.",
        |s| s.meta.counts().1,
    ),
    ("Uptime", StatusKind::Gauge, StatusUnit::Seconds, "Time since the start, in seconds.", |s| {
        let up = s.db.rt().wall_micros() as i64 - s.started_micros;
        // The clock may have been set back.
        u64::try_from(up / 1_000_000).unwrap_or(0)
    }),
];

/// What is counted neither here nor there but found when somebody asks.
pub fn others(shared: &Shared) -> impl Iterator<Item = (StatusDef, u64)> {
    OTHERS.iter().map(|(name, kind, unit, doc, read)| {
        (StatusDef { name, kind: *kind, unit: *unit, doc }, read(shared))
    })
}

/// All of them, in no order.
pub fn metrics(shared: &Shared) -> Vec<(StatusDef, u64)> {
    let mut all = shared.db.status_rows();
    all.extend(shared.status.rows());
    all.extend(others(shared));
    all
}

/// How long statements took, all digests together. `None`: statements are not summarised (`performance_schema=OFF`).
pub fn durations(shared: &Shared) -> Option<Durations> {
    shared.digests.are_kept().then(|| shared.digests.durations())
}
