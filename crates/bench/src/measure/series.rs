//! One interval of a run, as it is kept in results; figures of a list of intervals.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Interval {
    /// End, in seconds since the run began.
    pub at: f64,
    pub seconds: f64,
    /// False: warm-up.
    pub measured: bool,
    /// Transactions by kind.
    pub done: Vec<u64>,
    pub retried: u64,
    pub failed: u64,
    pub statements: u64,
    /// Milliseconds, all kinds together.
    pub p50: f64,
    pub p90: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub p90_of_kind: Vec<f64>,
    pub server: Option<ServerRates>,
    pub machine: Option<MachineRates>,
}

impl Interval {
    /// Transactions per second.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.done.iter().sum::<u64>() as f64 / self.seconds } else { 0.0 }
    }
}

/// The server's counters, per second of an interval. What a server does not tell is missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerRates {
    /// Dirty pages of all pages of the pool, percent.
    pub dirty_pct: Option<f64>,
    /// Bytes of log behind which the last checkpoint lies.
    pub checkpoint_age: Option<f64>,
    pub pages_flushed: Option<f64>,
    /// Pages by cause: oldest first for the checkpoint, from the end of the LRU list, by a thread that had to wait.
    pub flushed_list: Option<f64>,
    pub flushed_lru: Option<f64>,
    pub flushed_sync: Option<f64>,
    pub log_writes: Option<f64>,
    pub log_mb: Option<f64>,
    pub log_syncs: Option<f64>,
    /// Pages read because they were not in the pool.
    pub pool_reads: Option<f64>,
}

/// The machine, per second of an interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineRates {
    pub reads: f64,
    pub writes: f64,
    pub read_mb: f64,
    pub write_mb: f64,
    /// Percent of all processors.
    pub cpu_pct: f64,
    pub idle_pct: f64,
    pub wait_pct: f64,
    /// Percent of one processor; none when the server is elsewhere.
    pub server_cpu_pct: Option<f64>,
    pub server_rss_mb: Option<f64>,
    /// This program, where it is not the server too.
    pub generator_cpu_pct: Option<f64>,
}

/// Evenness of the throughput over the measured intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Throughput {
    /// Transactions per second.
    pub mean: f64,
    pub min: f64,
    /// Standard deviation divided by the mean.
    pub variation: f64,
    /// Intervals under half of the mean.
    pub under_half: usize,
    pub intervals: usize,
}

impl Throughput {
    pub fn of(list: &[Interval]) -> Throughput {
        let longest = list.iter().map(|i| i.seconds).fold(0.0, f64::max);
        // The last one may be cut short: too little time to say anything about evenness.
        let rates: Vec<f64> = list
            .iter()
            .filter(|i| i.measured && i.seconds > longest / 2.0)
            .map(Interval::rate)
            .collect();
        if rates.is_empty() {
            return Throughput::default();
        }
        let n = rates.len() as f64;
        let mean = rates.iter().sum::<f64>() / n;
        let variance = rates.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / n;
        Throughput {
            mean,
            min: rates.iter().copied().fold(f64::INFINITY, f64::min),
            variation: if mean > 0.0 { variance.sqrt() / mean } else { 0.0 },
            under_half: rates.iter().filter(|r| **r < mean / 2.0).count(),
            intervals: rates.len(),
        }
    }
}

/// The mean of what is there, over measured intervals.
pub fn mean(list: &[Interval], of: impl Fn(&Interval) -> Option<f64>) -> Option<f64> {
    let (mut sum, mut time) = (0.0, 0.0);
    for i in list.iter().filter(|i| i.measured) {
        if let Some(v) = of(i) {
            sum += v * i.seconds;
            time += i.seconds;
        }
    }
    (time > 0.0).then(|| sum / time)
}

/// The mean of one of the server's figures.
pub fn server_mean(list: &[Interval], of: impl Fn(&ServerRates) -> Option<f64>) -> Option<f64> {
    mean(list, |i| i.server.as_ref().and_then(&of))
}

/// The mean of one of the machine's figures.
pub fn machine_mean(list: &[Interval], of: impl Fn(&MachineRates) -> Option<f64>) -> Option<f64> {
    mean(list, |i| i.machine.as_ref().and_then(&of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(done: u64, measured: bool, dirty: Option<f64>) -> Interval {
        let server = Some(ServerRates { dirty_pct: dirty, ..ServerRates::default() });
        Interval { seconds: 1.0, done: vec![done], measured, server, ..Interval::default() }
    }

    #[test]
    fn evenness() {
        let list = [
            interval(9999, false, None),
            interval(100, true, Some(10.0)),
            interval(100, true, None),
            interval(10, true, Some(20.0)),
            Interval { seconds: 0.1, done: vec![1], measured: true, ..Interval::default() },
        ];
        let t = Throughput::of(&list);
        assert_eq!((t.mean, t.min, t.under_half, t.intervals), (70.0, 10.0, 1, 3));
        assert!((t.variation - 0.606).abs() < 0.01, "{}", t.variation);
        assert_eq!(server_mean(&list, |s| s.dirty_pct), Some(15.0));
        assert_eq!(server_mean(&list, |s| s.log_mb), None);
        assert_eq!(Throughput::of(&[]), Throughput::default());
    }
}
