//! The ticker's side: samples of all users into histograms and intervals.

use super::recorder::{Outcome, Sample, UserStats};
use super::series::Interval;
use hdrhistogram::Histogram;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// From a microsecond to an hour, three exact digits.
fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1_000, 3_600_000_000_000, 3).expect("the bounds are constants")
}

/// Milliseconds at a quantile; 0 without samples.
fn quantile(h: &Histogram<u64>, q: f64) -> f64 {
    if h.is_empty() { 0.0 } else { h.value_at_quantile(q) as f64 / 1e6 }
}

/// One kind of transaction over the measured period.
pub struct KindTotals {
    pub name: &'static str,
    pub latency: Histogram<u64>,
    /// With the warm-up: what tpcc-mysql makes its 90th percentile and maximum of.
    pub latency_all: Histogram<u64>,
    pub done: u64,
    pub rolled_back: u64,
    pub retried: u64,
    pub failed: u64,
}

impl KindTotals {
    fn new(name: &'static str) -> KindTotals {
        KindTotals {
            name,
            latency: histogram(),
            latency_all: histogram(),
            done: 0,
            rolled_back: 0,
            retried: 0,
            failed: 0,
        }
    }

    pub fn count(&self) -> u64 {
        self.done + self.rolled_back
    }

    /// Transactions that took longer than this.
    pub fn later_than(&self, seconds: f64) -> u64 {
        let border = (seconds * 1e9) as u64;
        self.latency.len() - self.latency.count_between(0, border)
    }
}

pub struct Collector {
    users: Vec<Arc<UserStats>>,
    pub kinds: Vec<KindTotals>,
    /// All kinds together.
    pub all: Histogram<u64>,
    interval: Histogram<u64>,
    of_kind: Vec<Histogram<u64>>,
    drained: Vec<Sample>,
    statements: u64,
}

impl Collector {
    pub fn new(kinds: &[&'static str], users: Vec<Arc<UserStats>>) -> Collector {
        Collector {
            users,
            kinds: kinds.iter().map(|k| KindTotals::new(k)).collect(),
            all: histogram(),
            interval: histogram(),
            of_kind: kinds.iter().map(|_| histogram()).collect(),
            drained: Vec::new(),
            statements: 0,
        }
    }

    /// Ends an interval. Probes are added by the caller.
    pub fn tick(&mut self, at: f64, seconds: f64, measured: bool) -> Interval {
        self.interval.reset();
        self.of_kind.iter_mut().for_each(|h| h.reset());
        let mut out = Interval {
            at,
            seconds,
            measured,
            done: vec![0; self.kinds.len()],
            ..Interval::default()
        };
        let mut list = std::mem::take(&mut self.drained);
        let mut statements = 0;
        for u in self.users.clone() {
            u.drain(&mut list);
            statements += u.statements.load(Ordering::Relaxed);
            list.iter().for_each(|s| self.take(*s, measured, &mut out));
        }
        self.drained = list;
        out.statements = statements - self.statements;
        self.statements = statements;
        let h = &self.interval;
        [out.p50, out.p90, out.p95, out.p99, out.max] =
            [0.5, 0.9, 0.95, 0.99, 1.0].map(|q| quantile(h, q));
        out.p90_of_kind = self.of_kind.iter().map(|h| quantile(h, 0.9)).collect();
        out
    }

    fn take(&mut self, s: Sample, measured: bool, out: &mut Interval) {
        let k = &mut self.kinds[s.kind()];
        match s.outcome() {
            Outcome::Retried => out.retried += 1,
            Outcome::Failed => out.failed += 1,
            Outcome::Done | Outcome::RolledBack => {
                out.done[s.kind()] += 1;
                self.interval.saturating_record(s.nanos());
                self.of_kind[s.kind()].saturating_record(s.nanos());
                k.latency_all.saturating_record(s.nanos());
            }
        }
        if !measured {
            return;
        }
        match s.outcome() {
            Outcome::Done => k.done += 1,
            Outcome::RolledBack => k.rolled_back += 1,
            Outcome::Retried => return k.retried += 1,
            Outcome::Failed => return k.failed += 1,
        }
        k.latency.saturating_record(s.nanos());
        self.all.saturating_record(s.nanos());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Recorder;
    use std::time::{Duration, Instant};

    #[test]
    fn warm_up_and_measured_period_are_told_apart() {
        let stats = Arc::new(UserStats::default());
        let mut c = Collector::new(&["a", "b"], vec![stats.clone()]);
        let mut r = Recorder::new(stats, false);
        let ago = |ms| Instant::now() - Duration::from_millis(ms);
        r.begin(ago(9000));
        r.end(0, Outcome::Done);
        let i = c.tick(1.0, 1.0, false);
        assert_eq!(i.done, [1, 0]);
        assert_eq!(c.kinds[0].count(), 0);
        for (kind, ms, outcome) in
            [(0, 100, Outcome::Done), (1, 200, Outcome::RolledBack), (1, 300, Outcome::Retried)]
        {
            r.begin(ago(ms));
            r.end(kind, outcome);
        }
        let i = c.tick(2.0, 1.0, true);
        assert_eq!((i.done.as_slice(), i.retried), ([1, 1].as_slice(), 1));
        assert!(i.max >= 199.0, "{}", i.max);
        assert_eq!((c.kinds[1].count(), c.kinds[1].retried, c.all.len()), (1, 1, 2));
        assert!(c.kinds[0].latency_all.max() > c.kinds[0].latency.max());
        assert_eq!(c.kinds[1].later_than(0.1), 1);
        assert_eq!(c.kinds[1].later_than(3000.0), 0);
    }
}
