//! The server's and the engine's counters with what each of them is: what metrics and the live page are made of.
//!
//! SHOW STATUS has these and some texts more, and may ask for what a session has counted for itself.

use crate::context::Shared;
use crate::digests::Durations;
use weir_engine::{StatusDef, StatusKind, StatusUnit};
use weir_source::semi_sync::Figures;

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

/// Of the source of semi-synchronous replication.
type OfSource = (&'static str, StatusKind, StatusUnit, &'static str, fn(&Figures) -> u64);

const SEMI_SYNC: &[OfSource] = &[
    (
        "Rpl_semi_sync_source_clients",
        StatusKind::Gauge,
        StatusUnit::One,
        "Replicas that follow in semi-synchronous mode.",
        |f| f.clients,
    ),
    (
        "Rpl_semi_sync_source_net_avg_wait_time",
        StatusKind::Gauge,
        StatusUnit::Micros,
        "Always 0, as in MySQL 8.0: a dump does not wait for acknowledgements.",
        |_| 0,
    ),
    (
        "Rpl_semi_sync_source_net_wait_time",
        StatusKind::Counter,
        StatusUnit::Micros,
        "Always 0, as in MySQL 8.0.",
        |_| 0,
    ),
    (
        "Rpl_semi_sync_source_net_waits",
        StatusKind::Counter,
        StatusUnit::One,
        "Events of which a replica was asked to acknowledge them.",
        |f| f.asked,
    ),
    (
        "Rpl_semi_sync_source_no_times",
        StatusKind::Counter,
        StatusUnit::One,
        "How often the source has fallen back to asynchronous replication.",
        |f| f.switched_off,
    ),
    (
        "Rpl_semi_sync_source_no_tx",
        StatusKind::Counter,
        StatusUnit::One,
        "Commits that were answered without an acknowledgement.",
        |f| f.unacknowledged,
    ),
    (
        "Rpl_semi_sync_source_timefunc_failures",
        StatusKind::Counter,
        StatusUnit::One,
        "Always 0: the clock does not fail.",
        |_| 0,
    ),
    (
        "Rpl_semi_sync_source_tx_avg_wait_time",
        StatusKind::Gauge,
        StatusUnit::Micros,
        "How long a commit that waited has waited, on average.",
        |f| f.wait_micros.checked_div(f.waits).unwrap_or(0),
    ),
    (
        "Rpl_semi_sync_source_tx_wait_time",
        StatusKind::Counter,
        StatusUnit::Micros,
        "How long commits have waited, all together.",
        |f| f.wait_micros,
    ),
    (
        "Rpl_semi_sync_source_tx_waits",
        StatusKind::Counter,
        StatusUnit::One,
        "Commits that have waited.",
        |f| f.waits,
    ),
    (
        "Rpl_semi_sync_source_wait_pos_backtraverse",
        StatusKind::Counter,
        StatusUnit::One,
        "Commits that have waited for a place before one that was waited for already.",
        |f| f.backward,
    ),
    (
        "Rpl_semi_sync_source_wait_sessions",
        StatusKind::Gauge,
        StatusUnit::One,
        "Sessions that wait now.",
        |f| f.waiting,
    ),
    (
        "Rpl_semi_sync_source_yes_tx",
        StatusKind::Counter,
        StatusUnit::One,
        "Commits that were acknowledged before they were answered.",
        |f| f.acknowledged,
    ),
];

fn figures(shared: &Shared) -> Figures {
    shared.binlog.get().map(|l| l.settings.semi_sync.figures()).unwrap_or_default()
}

/// Whether commits wait for replicas, and whether this server acknowledges those of a source.
pub fn semi_sync_modes(shared: &Shared) -> impl Iterator<Item = (&'static str, bool)> {
    let of = shared.replicas.get().map(|r| r.channels()).unwrap_or_default();
    [
        ("Rpl_semi_sync_source_status", figures(shared).on),
        ("Rpl_semi_sync_replica_status", of.iter().any(|c| c.semi_sync)),
    ]
    .into_iter()
}

/// What is counted neither here nor there but found when somebody asks.
pub fn others(shared: &Shared) -> impl Iterator<Item = (StatusDef, u64)> {
    let others = OTHERS.iter().map(|(name, kind, unit, doc, read)| {
        (StatusDef { name, kind: *kind, unit: *unit, doc }, read(shared))
    });
    let figures = figures(shared);
    others.chain(SEMI_SYNC.iter().map(move |(name, kind, unit, doc, read)| {
        (StatusDef { name, kind: *kind, unit: *unit, doc }, read(&figures))
    }))
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
