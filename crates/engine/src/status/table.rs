//! The table of the engine's status variables: a row has the name, what kind of number it is, its unit, how it is read, and what it
//! means. SHOW STATUS, `information_schema` and the server's metrics are all made of it.

use crate::db::{Db, Inner};
use crate::flush::control::UserStats;
use crate::log::LogStats;
use crate::pool::{FlushStats, PoolStats};
use crate::sync::atomic::{AtomicU64, Ordering};

/// How a number moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down, or is a peak.
    Gauge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A plain number.
    One,
    Bytes,
    Micros,
    Millis,
    Seconds,
}

/// What a status variable is.
#[derive(Clone, Copy, Debug)]
pub struct StatusDef {
    pub name: &'static str,
    pub kind: Kind,
    pub unit: Unit,
    pub doc: &'static str,
}

/// What the rows are read from, looked up once for all of them.
pub(super) struct Reading<'a> {
    pub db: &'a Db,
    pub i: &'a Inner,
    pub f: &'a FlushStats,
    pub l: &'a LogStats,
    pub p: &'a PoolStats,
    pub u: &'a UserStats,
    pub page: u64,
    pub lsn: u64,
    pub checkpoint: u64,
}

impl<'a> Reading<'a> {
    pub fn of(db: &'a Db) -> Reading<'a> {
        let i = db.inner();
        let (pool, log) = (&i.core.pool, &i.core.log);
        Reading {
            db,
            i,
            f: pool.flush_stats(),
            l: &log.stats,
            p: &pool.stats,
            u: &i.core.flush.stats,
            page: db.page_size() as u64,
            lsn: log.published(),
            checkpoint: log.checkpoint(),
        }
    }

    pub fn pages_in_use(&self) -> u64 {
        let pool = &self.i.core.pool;
        (pool.size() as u64).saturating_sub(pool.free_frames() as u64)
    }
}

pub(super) struct Row {
    pub def: StatusDef,
    pub read: fn(&Reading<'_>) -> u64,
}

pub(super) fn n(a: &AtomicU64) -> u64 {
    a.load(Ordering::Relaxed)
}

/// Rows as they stand in `innodb` and `own`: `name: kind unit, expression over the reading, "meaning";`.
macro_rules! rows {
    ($x:ident; $($name:ident: $kind:ident $unit:ident, $read:expr, $doc:literal;)*) => {
        pub(super) const ROWS: &[Row] = &[$(Row {
            def: StatusDef {
                name: stringify!($name),
                kind: Kind::$kind,
                unit: Unit::$unit,
                doc: $doc,
            },
            read: |$x| $read,
        }),*];
    };
}
pub(super) use rows;
