//! Floor 0: what to write, when, as pure functions of an observation and a small state of their own.
//!
//! No I/O, no clock, no locks: each policy is tested with tables of numbers and can be replayed.

mod weir;

pub use weir::Weir;

/// What a policy sees at a tick. Bytes and pages are current values; `seconds` is the time since the last tick.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observation {
    pub seconds: f64,
    /// End of the log, and the oldest change not safely home (equal when nothing is dirty).
    pub lsn: u64,
    pub oldest: u64,
    pub checkpoint: u64,
    /// Bytes of log that may stand between checkpoint and end.
    pub log_capacity: u64,
    pub dirty: usize,
    pub pool: usize,
    pub free: usize,
    /// Free frames that should be ready.
    pub free_want: usize,
    /// Dirty pages whose first change lies in the oldest `horizon` bytes of the log in use.
    pub due: usize,
    pub horizon: u64,
    /// Pages written since the last tick, by anyone.
    pub written: u64,
    /// Sessions waiting for log space or frames.
    pub waiting: usize,
    pub settings: Settings,
}

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Percent of the pool that may be dirty.
    pub max_dirty_pct: f64,
    /// Pages a second for idle flushing; also the least that an urgent tick writes.
    pub io_capacity: u64,
    pub io_capacity_max: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { max_dirty_pct: 90.0, io_capacity: 200, io_capacity_max: 2000 }
    }
}

/// What the cleaner is to do until the next tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Orders {
    /// Pages to write, oldest first.
    pub list: usize,
    /// Only pages whose first change is older than this.
    pub limit: u64,
    /// Frames to have free.
    pub free: usize,
    /// Delay for writers, nanoseconds per KiB of log: back-pressure, long before a hard limit.
    pub pace_nanos_per_kib: u64,
    /// Milliseconds to the next tick.
    pub next_ms: u64,
}

pub trait FlushPolicy: Send {
    fn name(&self) -> &'static str;
    fn tick(&mut self, o: &Observation) -> Orders;
}
