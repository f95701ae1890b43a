//! The default policy: write as late as the limits allow, as evenly as the load comes.
//!
//! Two demands, the greater counts:
//! - *age*: the oldest pages must be home before the log is full. Each page is written once per lap, so in a steady state
//!   pages/s = (dirty pages that become due per byte of log) x (bytes of log per second). The number of due pages is read
//!   from the age histogram. A correction grows with the age's share of the capacity around the set point of 60 %.
//! - *dirty share*: above the soft limit (the limit less a tenth of it) the rate follows how fast pages become dirty.
//!
//! Writers are slowed when the age passes 85 % of the capacity: proportionally, reaching one page write's worth of time at
//! 95 %, so that the hard stop of the log grant is never met in a steady load.

use super::{FlushPolicy, Observation, Orders};

const SET_POINT: f64 = 0.60;
const PACE_FROM: f64 = 0.85;
const PACE_FULL: f64 = 0.97;
/// Delay at full pacing, nanoseconds per KiB of log.
const PACE_MAX: f64 = 400_000.0;
const TICK_MS: u64 = 100;

#[derive(Default)]
pub struct Weir {
    last_lsn: u64,
    last_dirty: usize,
    /// Smoothed log bytes and newly dirtied pages a second.
    log_rate: f64,
    dirty_rate: f64,
    /// Fractions of a page carried over.
    carry: f64,
}

fn smooth(old: f64, new: f64, seconds: f64) -> f64 {
    // A time constant of one second up, three down: react to load, forget slowly.
    let tau = if new > old { 1.0 } else { 3.0 };
    let k = (seconds / tau).min(1.0);
    old + (new - old) * k
}

impl FlushPolicy for Weir {
    fn name(&self) -> &'static str {
        "weir"
    }

    fn tick(&mut self, o: &Observation) -> Orders {
        let seconds = o.seconds.max(0.001);
        if self.last_lsn != 0 {
            let bytes = o.lsn.saturating_sub(self.last_lsn) as f64;
            let fresh = o.dirty as f64 - self.last_dirty as f64 + o.written as f64;
            self.log_rate = smooth(self.log_rate, bytes / seconds, seconds);
            self.dirty_rate = smooth(self.dirty_rate, fresh.max(0.0) / seconds, seconds);
        }
        self.last_lsn = o.lsn;
        self.last_dirty = o.dirty;

        let capacity = o.log_capacity.max(1) as f64;
        let age = o.lsn.saturating_sub(o.oldest) as f64 / capacity;
        let by_age = self.age_demand(o, age);
        let by_dirty = self.dirty_demand(o);
        let mut rate = by_age.max(by_dirty);
        if o.waiting > 0 || age > 0.90 {
            rate = rate.max(o.settings.io_capacity_max as f64);
        }
        self.carry = (self.carry + rate * seconds).min(rate.max(1.0) * 2.0);
        let list = self.carry.floor();
        self.carry -= list;
        Orders {
            list: list as usize,
            limit: u64::MAX,
            free: o.free_want,
            pace_nanos_per_kib: pace(age.max(o.lsn.saturating_sub(o.checkpoint) as f64 / capacity)),
            next_ms: if age > PACE_FROM || o.waiting > 0 { TICK_MS / 5 } else { TICK_MS },
        }
    }
}

impl Weir {
    fn age_demand(&self, o: &Observation, age: f64) -> f64 {
        if o.dirty == 0 || age < SET_POINT * 0.5 {
            return 0.0;
        }
        // Pages that hold back the next `horizon` bytes of checkpoint, written in the time that the log takes for them.
        let due = o.due as f64 / o.horizon.max(1) as f64 * self.log_rate;
        // Below the set point less than steady, above it more; at 90 % four times.
        let x = (age - SET_POINT) / (0.90 - SET_POINT);
        let factor = if x < 0.0 { (1.0 + x).max(0.0) } else { 1.0 + 3.0 * x.min(1.0) };
        let floor = if age > SET_POINT { o.dirty as f64 / 60.0 } else { 0.0 };
        (due * factor).max(floor)
    }

    fn dirty_demand(&self, o: &Observation) -> f64 {
        let limit = o.settings.max_dirty_pct / 100.0 * o.pool as f64;
        let soft = limit * 0.9;
        let dirty = o.dirty as f64;
        if dirty <= soft {
            return 0.0;
        }
        // At the soft limit nothing, at the limit as much as becomes dirty, above it the excess within half a second.
        let x = (dirty - soft) / (limit - soft).max(1.0);
        let over = (dirty - limit).max(0.0);
        self.dirty_rate * x.min(1.5) + over * 2.0 + 1.0
    }
}

fn pace(age: f64) -> u64 {
    if age <= PACE_FROM {
        return 0;
    }
    let x = ((age - PACE_FROM) / (PACE_FULL - PACE_FROM)).min(1.0);
    (x * x * PACE_MAX) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flush::policy::Settings;

    /// A device and a log in numbers: `pages` newly dirtied and `bytes` logged per second, evenly.
    fn run(pages: f64, bytes: f64, limit: f64, seconds: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut p = Weir::default();
        let capacity = 64u64 << 20;
        let mut lsn = 1u64 << 30;
        // Dirty pages by their first LSN, oldest first.
        let mut dirty: std::collections::VecDeque<(u64, f64)> = std::collections::VecDeque::new();
        let (mut ages, mut shares, mut writes) = (vec![], vec![], vec![]);
        let (pool, dt) = (10_000usize, 0.1);
        let mut written = 0.0;
        for _ in 0..(seconds * 10) {
            lsn += (bytes * dt) as u64;
            dirty.push_back((lsn, pages * dt));
            let count: f64 = dirty.iter().map(|d| d.1).sum();
            let oldest = dirty.front().map_or(lsn, |d| d.0);
            let horizon = capacity / 16;
            let due: f64 = dirty.iter().filter(|d| d.0 < oldest + horizon).map(|d| d.1).sum();
            let o = Observation {
                seconds: dt,
                lsn,
                oldest,
                checkpoint: oldest,
                log_capacity: capacity,
                dirty: count as usize,
                pool,
                free: 100,
                free_want: 100,
                due: due as usize,
                horizon,
                written: written as u64,
                waiting: 0,
                settings: Settings { max_dirty_pct: limit, ..Settings::default() },
            };
            let orders = p.tick(&o);
            written = 0.0;
            let mut n = orders.list as f64;
            while n > 0.0 {
                let Some(front) = dirty.front_mut() else { break };
                let k = front.1.min(n);
                front.1 -= k;
                n -= k;
                written += k;
                if front.1 <= 1e-9 {
                    dirty.pop_front();
                }
            }
            ages.push((lsn - oldest) as f64 / capacity as f64);
            shares.push(count / pool as f64 * 100.0);
            writes.push(written / dt);
        }
        (ages, shares, writes)
    }

    #[test]
    fn holds_the_age_below_pacing_in_a_steady_load() {
        let (ages, _, writes) = run(300.0, 2e6, 90.0, 300);
        assert!(
            ages.iter().all(|a| *a < PACE_FROM),
            "age reached {:?}",
            ages.iter().cloned().fold(0.0, f64::max)
        );
        let late = &writes[2000..];
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        assert!((mean - 300.0).abs() < 30.0, "writes {mean} pages/s for 300 dirtied");
    }

    #[test]
    fn holds_the_dirty_limit() {
        let (_, shares, _) = run(500.0, 1e5, 20.0, 300);
        let late = &shares[1000..];
        assert!(
            late.iter().all(|s| *s <= 21.0),
            "dirty share reached {:?}",
            late.iter().cloned().fold(0.0, f64::max)
        );
    }

    #[test]
    fn idle_and_clean_means_no_orders() {
        let mut p = Weir::default();
        let o = Observation {
            seconds: 0.1,
            lsn: 5,
            oldest: 5,
            checkpoint: 5,
            log_capacity: 1 << 20,
            pool: 100,
            ..Observation::default()
        };
        for _ in 0..10 {
            let orders = p.tick(&o);
            assert_eq!((orders.list, orders.pace_nanos_per_kib), (0, 0));
        }
    }

    #[test]
    fn pacing_is_smooth() {
        assert_eq!(pace(0.85), 0);
        let mut last = 0;
        for a in 85..=97 {
            let p = pace(a as f64 / 100.0);
            assert!(p >= last);
            last = p;
        }
        assert_eq!(last, PACE_MAX as u64);
    }
}
