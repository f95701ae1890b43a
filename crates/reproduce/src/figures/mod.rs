//! What users and the computer say during a run, and what becomes of it. Uses `rt` for its clock's unit, and nothing else.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, PoisonError};
use weir_rt::Nanos;

/// Kinds of transactions that are distinguished.
pub const KINDS: usize = 5;

struct Kind {
    done: u64,
    /// Tenths of a millisecond.
    times: Histogram<u64>,
}

impl Kind {
    fn new() -> Kind {
        // Three digits up to an hour.
        let times = Histogram::new_with_bounds(1, 36_000_000, 3).expect("bounds of a histogram");
        Kind { done: 0, times }
    }
}

struct State {
    kinds: Vec<Kind>,
    retried: u64,
    /// Transactions, or rows, since the beginning: what the curve shows.
    progress: u64,
    queries: u64,
    failure: Option<String>,
}

pub struct Recording(Mutex<State>);

impl Default for Recording {
    fn default() -> Recording {
        Recording(Mutex::new(State {
            kinds: (0..KINDS).map(|_| Kind::new()).collect(),
            retried: 0,
            progress: 0,
            queries: 0,
            failure: None,
        }))
    }
}

impl Recording {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn done(&self, kind: usize, took: Nanos) {
        let mut s = self.lock();
        let k = &mut s.kinds[kind];
        k.done += 1;
        k.times.saturating_record((took / 100_000).max(1));
        s.progress += 1;
    }

    pub fn rows(&self, n: u64, took: Nanos) {
        let mut s = self.lock();
        s.kinds[0].done += n;
        s.kinds[0].times.saturating_record((took / 100_000).max(1));
        s.progress += n;
    }

    pub fn query(&self) {
        self.lock().queries += 1;
    }

    pub fn retried(&self) {
        self.lock().retried += 1;
    }

    /// The first one counts.
    pub fn failed(&self, what: String) {
        self.lock().failure.get_or_insert(what);
    }

    pub fn failure(&self) -> Option<String> {
        self.lock().failure.clone()
    }

    pub fn progress(&self) -> u64 {
        self.lock().progress
    }

    /// Forgets the warm-up.
    pub fn restart(&self) {
        let mut s = self.lock();
        s.kinds.iter_mut().for_each(|k| *k = Kind::new());
        (s.retried, s.queries) = (0, 0);
    }

    /// Puts the users' part into what was measured.
    pub fn fill(&self, m: &mut Measured) {
        let s = self.lock();
        m.done = s.kinds.iter().map(|k| k.done).collect();
        let tenths = |v: u64| v as f64 / 10_000.0;
        m.p90 = s.kinds.iter().map(|k| tenths(k.times.value_at_quantile(0.9))).collect();
        m.p95 = s.kinds.iter().map(|k| tenths(k.times.value_at_quantile(0.95))).collect();
        m.min = s.kinds.iter().map(|k| tenths(k.times.min())).collect();
        m.max = s.kinds.iter().map(|k| tenths(k.times.max())).collect();
        m.mean = s.kinds.iter().map(|k| k.times.mean() / 10_000.0).collect();
        m.queries = s.queries;
        m.retried = s.retried;
    }
}

/// A moment of the curve.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Point {
    /// Seconds since the users began, of the world's time.
    pub at: f64,
    /// Transactions or rows per second.
    pub rate: f64,
    /// Percent of the pool.
    pub dirty: f64,
    /// Checkpoint age as a share of the redo log.
    pub age: f64,
    /// Bytes of log per second.
    pub log: f64,
    /// Pages of change buffers as a percentage of the pool.
    pub change_buffer: f64,
}

/// A rate under this share of the median is a dip: the published runs with dips have a mean of 70 to 72 % of their highest rate, so their dips
/// need not all have reached half.
const DIP: f64 = 2.0 / 3.0;

fn median(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// A run's outcome. Times in seconds, shares in percent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    pub name: String,
    pub size: String,
    /// By how much time is shorter than the published one.
    pub shorter: f64,
    /// Of the world's time, without the warm-up.
    pub seconds: f64,
    /// Real seconds that it took to compute.
    pub computed_in: f64,
    pub digest: u64,
    pub done: Vec<u64>,
    pub p90: Vec<f64>,
    pub p95: Vec<f64>,
    pub mean: Vec<f64>,
    pub min: Vec<f64>,
    pub max: Vec<f64>,
    pub queries: u64,
    pub retried: u64,
    pub dirty: f64,
    pub change_buffer: f64,
    pub reads: f64,
    pub writes: f64,
    pub cpu: f64,
    pub wait: f64,
    /// Milliseconds of a direct request, and its pages of 16 KiB.
    pub read_ms: f64,
    pub write_ms: f64,
    pub read_pages: f64,
    pub write_pages: f64,
    /// Seconds between two points.
    pub step: f64,
    /// Seconds of a window in which dips are looked for; `None`: a part of the run.
    pub window: Option<f64>,
    pub points: Vec<Point>,
    /// Counters of the engine that say where pages were written from.
    pub counters: Vec<(String, u64)>,
}

impl Measured {
    pub fn rate(&self, kind: usize) -> f64 {
        self.done.get(kind).copied().unwrap_or(0) as f64 / self.seconds.max(1e-9)
    }

    pub fn all_per_second(&self) -> f64 {
        self.done.iter().sum::<u64>() as f64 / self.seconds.max(1e-9)
    }

    /// Points of a window, which is that part of the run where the published curve does not say how long one is.
    fn points_of(&self, part: usize) -> usize {
        match self.window {
            Some(seconds) if self.step > 0.0 => (seconds / self.step).round() as usize,
            _ => self.points.len() / part,
        }
    }

    /// Rates of windows of so many points.
    fn windows(&self, points: usize) -> Vec<f64> {
        let mean = |w: &[Point]| w.iter().map(|p| p.rate).sum::<f64>() / w.len() as f64;
        self.points.chunks_exact(points.max(1)).map(mean).collect()
    }

    /// The same from the first one on that reaches a dip's bound: a pool that is still cold makes no dip.
    fn warm_windows(&self, points: usize) -> Vec<f64> {
        let mut w = self.windows(points);
        let bound = median(&w) * DIP;
        let cold = w.iter().take_while(|rate| **rate < bound).count();
        w.drain(..cold);
        w
    }

    /// The lowest window as a share of the mean, in percent. A window is a hundredth of the run, or as long as published.
    pub fn lowest(&self) -> f64 {
        let w = self.warm_windows(self.points_of(100));
        let mean = w.iter().sum::<f64>() / w.len().max(1) as f64;
        let low = w.into_iter().fold(f64::INFINITY, f64::min);
        if mean > 0.0 { low * 100.0 / mean } else { 0.0 }
    }

    /// Times that the rate fell under a dip's bound, counted once while it stays there.
    pub fn dips(&self) -> f64 {
        let w = self.warm_windows(self.points_of(200));
        let bound = median(&w) * DIP;
        let (mut dips, mut is_low) = (0, false);
        for rate in w {
            let low = rate < bound;
            dips += u32::from(low && !is_low);
            is_low = low;
        }
        f64::from(dips)
    }

    /// What the windows below the median lack of it, in percent of all: how much dips cost.
    pub fn lost(&self) -> f64 {
        let w = self.warm_windows(self.points_of(200));
        let median = median(&w);
        let lacking: f64 = w.iter().map(|r| (median - r).max(0.0)).sum();
        if median > 0.0 { lacking * 100.0 / (median * w.len() as f64) } else { 0.0 }
    }

    /// Standard deviation of log bytes per second as a share of their mean, in percent.
    pub fn log_swing(&self) -> f64 {
        let n = self.points.len().max(1) as f64;
        let mean = self.points.iter().map(|p| p.log).sum::<f64>() / n;
        let var = self.points.iter().map(|p| (p.log - mean).powi(2)).sum::<f64>() / n;
        if mean > 0.0 { var.sqrt() * 100.0 / mean } else { 0.0 }
    }

    /// Dirty pages in percent of the pool, as they were at least for all but a share of the time.
    fn dirty_at(&self, share: f64) -> f64 {
        let mut all: Vec<f64> = self.points.iter().map(|p| p.dirty).collect();
        all.sort_by(f64::total_cmp);
        let n = (all.len() as f64 * share) as usize;
        all.get(n.min(all.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }

    /// The largest rate of a window as a multiple of the mean, in percent.
    pub fn highest(&self) -> f64 {
        let w = self.windows(self.points_of(60));
        let mean = w.iter().sum::<f64>() / w.len().max(1) as f64;
        let high = w.into_iter().fold(0.0, f64::max);
        if mean > 0.0 { high * 100.0 / mean } else { 0.0 }
    }

    /// A figure by the name that published claims use.
    pub fn figure(&self, name: &str) -> Option<f64> {
        Some(match name {
            "tpm" => self.rate(0) * 60.0,
            "tps" => self.all_per_second(),
            "done" => self.done.iter().sum::<u64>() as f64,
            // sysbench's transaction has 14 reads and 5 writes.
            "requests" => self.all_per_second() * 19.0,
            "peak" => self.highest() / 100.0 * self.all_per_second(),
            "rows" => self.rate(0),
            "qps" => self.queries as f64 / self.seconds.max(1e-9),
            "dirty" => self.dirty,
            "dirty-low" => self.dirty_at(0.05),
            "dirty-high" => self.dirty_at(0.95),
            "ibuf" => self.change_buffer,
            "reads" => self.reads,
            "writes" => self.writes,
            "read-ms" => self.read_ms,
            "write-ms" => self.write_ms,
            "write-pages" => self.write_pages,
            // Requests to the disks for a transaction.
            "reads-per-txn" => self.reads / self.all_per_second().max(1e-9),
            "writes-per-txn" => self.writes / self.all_per_second().max(1e-9),
            "cpu" => self.cpu,
            "wait" => self.wait,
            "idle" => 100.0 - self.cpu - self.wait,
            "lowest" => self.lowest(),
            "lost" => self.lost(),
            "highest" => self.highest(),
            "dips" => self.dips(),
            "log-swing" => self.log_swing(),
            "seconds" => self.seconds,
            "published-seconds" => self.seconds * self.shorter,
            _ => {
                let (what, kind) = name.split_once('-')?;
                let kind: usize = kind.parse().ok()?;
                let list = match what {
                    "p90" => &self.p90,
                    "p95" => &self.p95,
                    "mean" => &self.mean,
                    "min" => &self.min,
                    "max" => &self.max,
                    _ => return None,
                };
                *list.get(kind)?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow beginning is not one.
    #[test]
    fn dips_are_counted_once_each() {
        let rate = |n: usize| match n % 100 {
            0 | 50 | 51 => 10.0,
            70 => 70.0,
            _ => 100.0,
        };
        let points = (0..200).map(|n| Point { at: n as f64, rate: rate(n), ..Point::default() });
        let m = Measured { points: points.collect(), ..Measured::default() };
        assert_eq!(m.dips(), 3.0);
        assert!(m.lowest() < 15.0);
        assert!(m.figure("p90-0").is_none() && m.figure("dips").is_some());
    }
}
