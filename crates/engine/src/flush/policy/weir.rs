//! The default policy: write as late as the limits allow, as evenly as the load comes, and slow sessions down smoothly
//! before anybody would have to stop.
//!
//! What has to be written is the greatest of three demands, in pages a second:
//! - *age*: every dirty page has a deadline, the moment when its first change falls `AGE_GOAL` of the log behind its end. The
//!   least constant rate that meets all deadlines is the maximum over all k of (pages among the k oldest buckets) / (time
//!   until the k-th bucket is due): the taut string under the deadlines. A lump of changes is so seen long before it is
//!   due, and in a steady load each page is written once per lap of the log, as late as it can be.
//! - *dirty share*: from a band below the limit on, as much as becomes dirty. Of these pages those
//!   go first that have not been changed for the longest time: the oldest may be the hottest, and dirty again at once.
//! - *idle*: when nobody changes anything, `innodb_idle_flush_pct` of the capacity.
//!
//! Sessions are admitted freely until the device cannot keep up: then at the rate that it can carry, as measured, times a
//! factor that falls as the limit comes nearer. The stop at the limit itself (`UserRules::wait_dirty_pct`, the log's hard
//! end) is a guarantee that a steady load does not meet.
//!
//! A budget of page writes (`budget`) is to it a device that writes no more: sessions are admitted at what it carries. Only when
//! sessions wait for frames or the log is nearly full is more written, and counted.

use super::budget::{Budget, BudgetState};
use super::{
    Action, Batch, Cause, FlushPolicy, IoRules, NO_LIMIT, Neighbours, Observation, Order, Settings,
    UserRules,
};
use std::collections::VecDeque;

/// Shares of the log's capacity: where pages are due, from where sessions are paced, where they are paced hardest.
const AGE_GOAL: f64 = 0.80;
const PACE_FROM: f64 = 0.86;
const PACE_FULL: f64 = 0.96;
/// The dirty share's band below the limit: a share of the limit, between two bounds in percent of the pool.
const BAND: f64 = 0.1;
const BAND_MIN: f64 = 2.0;
const BAND_MAX: f64 = 4.0;
/// Percent of the pool by which the dirty share passes its limit before sessions stop.
const GATE: f64 = 0.5;
/// Admitted share of what the device carries, when pacing begins and at its end.
const ADMIT_MOST: f64 = 1.5;
const ADMIT_LEAST: f64 = 0.25;
/// Pages of one action: free frames must keep coming and admission must follow while much is written, so a slice is what
/// the device writes in this time.
const SLICE_SECONDS: f64 = 0.10;
const SLICE_MIN: usize = 32;
const SLICE_MAX: usize = 128;
/// Pages near eviction among which the dirty ones are written; many, so that the batches are worth their syncs.
const LRU_DEPTH: usize = 512;
/// Of the pool; a slice makes the dirty share go down by as much.
const SLICE_SHARE: f64 = 0.02;
/// A batch smaller than this costs more in syncs than in pages: with little to write the ticks are longer.
const WORTH: f64 = 32.0;
const TICK: f64 = 0.1;
const TICK_MAX: f64 = 1.0;
const TICK_MIN: f64 = 0.01;
/// Seconds without a change after which the server counts as idle.
const IDLE: f64 = 3.0;
/// Pages a second of idle flushing when the capacity is `auto`.
const IDLE_PAGES: f64 = 200.0;
/// Read latency over that of a quiet device from which fewer writes are given to the device at once.
const READS_SUFFER: f64 = 2.5;
/// Pages a second under which a device is taken for one that seeks.
const SEEKS: f64 = 3000.0;
const WINDOW_MIN: usize = 4;
const WINDOW_MAX: usize = 128;

/// Time constants in seconds of the smoothed rates: react to load, forget slowly.
const UP: f64 = 1.0;
const DOWN: f64 = 4.0;

fn smooth(old: f64, new: f64, seconds: f64) -> f64 {
    let tau = if new > old { UP } else { DOWN };
    old + (new - old) * (1.0 - (-seconds / tau).exp())
}

/// Counters at the last tick.
#[derive(Clone, Copy)]
struct Seen {
    now: u64,
    lsn: u64,
    dirtied: u64,
    changes: u64,
    written_lru: u64,
}

pub struct Weir {
    seen: Option<Seen>,
    /// Smoothed, a second: log bytes, pages dirtied, changes, pages written for free frames.
    log_rate: f64,
    dirty_rate: f64,
    change_rate: f64,
    lru_rate: f64,
    last_change: u64,
    activity: u64,
    /// Fractions of pages owed.
    carry: f64,
    window: usize,
    admitted: f64,
    plan: VecDeque<Action>,
    /// The last action was a list batch.
    listed: bool,
    /// A list batch found nothing that could be written.
    fruitless: bool,
    budget: Budget,
    /// The greatest demand at the last tick, pages a second.
    need: f64,
}

impl Default for Weir {
    fn default() -> Weir {
        Weir {
            seen: None,
            log_rate: 0.0,
            dirty_rate: 0.0,
            change_rate: 0.0,
            lru_rate: 0.0,
            last_change: 0,
            activity: 0,
            carry: 0.0,
            window: WINDOW_MAX,
            admitted: f64::INFINITY,
            plan: VecDeque::new(),
            listed: false,
            fruitless: false,
            budget: Budget::default(),
            need: 0.0,
        }
    }
}

/// Bounds in pages and bytes that follow from the options.
struct Goals {
    /// Bytes of log after which a page is due.
    age: f64,
    /// Dirty pages: from where writing begins, the limit.
    soft: f64,
    limit: f64,
}

fn goals(o: &Observation<'_>) -> Goals {
    let s = &o.settings;
    let pool = o.pool as f64;
    let mut age = AGE_GOAL * o.log_capacity as f64;
    let mut limit = s.max_dirty_pct / 100.0 * pool;
    if s.recovery_target > 0.0 {
        // Half of the time for the log, half for reading the pages that it is applied to.
        age = age.min(s.recovery_target / 2.0 * s.recovery_speed);
        if o.read_nanos_quiet > 0.0 {
            limit = limit.min(s.recovery_target / 2.0 * 1e9 / o.read_nanos_quiet);
        }
    }
    let band = (BAND * limit).clamp(BAND_MIN / 100.0 * pool, BAND_MAX / 100.0 * pool);
    Goals { age: age.max(1.0), soft: (limit - band).max(0.0), limit }
}

impl FlushPolicy for Weir {
    fn name(&self) -> &'static str {
        "weir"
    }

    fn step(&mut self, o: &Observation<'_>) -> Action {
        // Nothing was there to be written: the other slices would find nothing either.
        if self.listed && o.last.pages == 0 {
            self.plan.retain(|a| !matches!(a, Action::List(_)));
            self.fruitless = true;
        }
        if self.plan.is_empty() {
            self.tick(o);
        }
        let next = self.plan.pop_front().expect("a tick plans at least its rest");
        self.listed = matches!(next, Action::List(_));
        next
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        let band = (BAND * s.max_dirty_pct).clamp(BAND_MIN, BAND_MAX);
        UserRules {
            wait_dirty_pct: Some(s.max_dirty_pct + GATE),
            wake_dirty_pct: Some((s.max_dirty_pct - band / 4.0).max(0.0)),
            ..UserRules::default()
        }
    }

    fn io_rules(&self, _: &Settings) -> IoRules {
        IoRules { in_flight: WINDOW_MAX, slots: WINDOW_MAX, own_checkpoints: true }
    }

    fn budget(&self) -> BudgetState {
        let rate = self.budget.rate();
        BudgetState {
            needed: self.need,
            allowed: if rate.is_finite() { rate } else { 0.0 },
            exceeded: self.budget.exceeded,
        }
    }
}

impl Weir {
    fn tick(&mut self, o: &Observation<'_>) {
        let seconds = self.measure(o);
        let g = goals(o);
        let age = self.age_demand(o, &g);
        let dirty = self.dirty_demand(o, &g);
        let need = age.max(dirty).max(self.idle_demand(o));
        self.need = need + self.lru_rate;
        self.budget.pass(&o.settings, seconds, o.written);
        let share = o.checkpoint_age() as f64 / o.log_capacity.max(1) as f64;
        let over = (o.dirty as f64 - g.limit).max(0.0);
        let urgent = share > PACE_FROM || over > 0.0 || o.waiting_log > 0;
        let allowed = if urgent { need } else { need.min(ceiling(&o.settings)) };
        // What a tick could not write is owed, but never more than a second's worth.
        self.carry = (self.carry + allowed * seconds).min(allowed.max(WORTH));
        let mut pages = self.carry.floor();
        self.carry -= pages;
        // The excess over the limit is not a rate: it goes at once.
        pages = pages.max(over);
        if o.waiting_log > 0 {
            pages = pages.max(SLICE_MIN as f64);
        }
        self.admitted = self.admission(o, &g, share);
        let slice = self.slice(o);
        if self.admitted.is_finite() {
            // Sessions wait for the device: it is given whole slices. The rates of sessions that are held back say nothing
            // about what is to be done, and small batches pay their syncs many times.
            pages = pages.max(slice as f64);
        }
        let room = self.room(o, share);
        if pages > room {
            self.carry += pages - room;
            pages = room;
        }
        self.window = self.next_window(o, urgent);
        self.plan
            .push_back(Action::Admit { changes_per_second: self.admitted, in_flight: self.window });
        self.write(o, pages as usize, slice, dirty > age, room);
        let fruitless = std::mem::take(&mut self.fruitless);
        let tick = if room == 0.0 || room < slice as f64 && self.admitted.is_finite() {
            // The budget is the bottleneck: until it has enough for a batch.
            self.budget.wait(self.worth()).clamp(TICK_MIN, TICK)
        } else if self.admitted.is_finite() && pages > 0.0 && !fruitless {
            // The device is the bottleneck: it does not wait for a clock.
            0.0
        } else if urgent || o.waiting_frames > 0 {
            TICK_MIN
        } else {
            let lap = g.age / self.log_rate.max(1.0);
            let to_limit = (g.limit - o.dirty as f64) / self.dirty_rate.max(1.0);
            let soon = (lap / 20.0).min(to_limit / 4.0).max(TICK_MIN);
            (WORTH / allowed.max(0.1)).clamp(TICK, TICK_MAX).min(soon)
        };
        let rest = o.now + (tick * 1e9) as u64;
        self.plan.push_back(Action::Rest { until: rest, wake: true });
    }

    /// Pages that the budget lets be written in this tick: all, or enough to be worth a batch, or none.
    fn room(&mut self, o: &Observation<'_>, share: f64) -> f64 {
        let room = self.budget.room();
        if room.is_infinite() {
            return room;
        }
        if share >= PACE_FULL || o.waiting_log > 0 || o.waiting_frames > 0 {
            // Rather this than sessions that stand still.
            self.budget.exceed();
            return f64::INFINITY;
        }
        if room >= self.worth() { room.floor() } else { 0.0 }
    }

    fn worth(&self) -> f64 {
        WORTH.min(self.budget.stroke()).floor().max(1.0)
    }

    /// Rates since the last tick, smoothed; returns its length.
    fn measure(&mut self, o: &Observation<'_>) -> f64 {
        let new = Seen {
            now: o.now,
            lsn: o.lsn,
            dirtied: o.dirtied,
            changes: o.changes,
            written_lru: o.written_lru,
        };
        let Some(old) = self.seen.replace(new) else {
            self.last_change = o.now;
            return TICK;
        };
        let seconds = ((o.now - old.now) as f64 / 1e9).max(1e-4);
        let rate = |n: u64, o: u64| n.saturating_sub(o) as f64 / seconds;
        self.log_rate = smooth(self.log_rate, rate(o.lsn, old.lsn), seconds);
        self.dirty_rate = smooth(self.dirty_rate, rate(o.dirtied, old.dirtied), seconds);
        self.change_rate = smooth(self.change_rate, rate(o.changes, old.changes), seconds);
        self.lru_rate = smooth(self.lru_rate, rate(o.written_lru, old.written_lru), seconds);
        if o.activity != self.activity {
            self.activity = o.activity;
            self.last_change = o.now;
        }
        seconds
    }

    /// The least constant rate that writes every page before it is due.
    fn age_demand(&self, o: &Observation<'_>, g: &Goals) -> f64 {
        let mut pages = 0.0;
        let mut need: f64 = 0.0;
        for (start, n) in o.ages {
            pages += f64::from(*n);
            let age = o.lsn.saturating_sub(*start) as f64;
            // What is overdue counts as due within a fiftieth of the lap.
            let room = (g.age - age).max(g.age / 50.0);
            need = need.max(pages * self.log_rate / room);
        }
        need
    }

    fn dirty_demand(&self, o: &Observation<'_>, g: &Goals) -> f64 {
        let dirty = o.dirty as f64;
        if dirty <= g.soft {
            return 0.0;
        }
        // As much as becomes dirty at two fifths of the band; pages written for free frames count.
        let x = (dirty - g.soft) / ((g.limit - g.soft) * 0.4).max(1.0);
        (self.dirty_rate * x.min(2.0) - self.lru_rate).max(0.0) + x.min(2.0)
    }

    fn idle_demand(&self, o: &Observation<'_>) -> f64 {
        let s = &o.settings;
        if o.dirty == 0 || ((o.now - self.last_change) as f64) < IDLE * 1e9 {
            return 0.0;
        }
        let capacity = if s.io_capacity == 0 { IDLE_PAGES } else { s.io_capacity as f64 };
        capacity * s.idle_flush_pct.min(100) as f64 / 100.0
    }

    /// Changes a second that sessions may make.
    fn admission(&self, o: &Observation<'_>, g: &Goals, share: f64) -> f64 {
        // From the middle of the band to the gate.
        let from = g.limit - (g.limit - g.soft) / 2.0;
        let gate = g.limit + GATE / 100.0 * o.pool as f64;
        let by_dirty = (o.dirty as f64 - from) / (gate - from).max(1.0);
        let by_age = (share - PACE_FROM) / (PACE_FULL - PACE_FROM);
        if by_dirty <= 0.0 && by_age <= 0.0 || self.change_rate <= 0.0 {
            return f64::INFINITY;
        }
        let carried = |pages_per_change: f64| {
            // A device not yet known is taken to carry what comes now.
            let budget = self.budget.rate();
            let device = if o.device_pages > 0.0 { o.device_pages.min(budget) } else { budget };
            if device.is_finite() && pages_per_change > 0.0 {
                device / pages_per_change
            } else {
                self.change_rate
            }
        };
        let factor = |x: f64| ADMIT_MOST - (ADMIT_MOST - ADMIT_LEAST) * x.min(1.0);
        let mut admitted = f64::INFINITY;
        if by_dirty > 0.0 {
            admitted = carried(self.dirty_rate / self.change_rate) * factor(by_dirty);
        }
        if by_age > 0.0 {
            // Pages that hold back the oldest sixteenth of the log, per byte of log that each change makes.
            let span = o.log_capacity / 16;
            let old = o.ages.iter().take_while(|(start, _)| *start < o.oldest + span);
            let pages: u32 = old.map(|(_, n)| *n).sum();
            let density = f64::from(pages) / span.max(1) as f64;
            let per_change = density * self.log_rate / self.change_rate;
            admitted = admitted.min(carried(per_change) * factor(by_age));
        }
        admitted.max(1.0)
    }

    /// Fewer writes at the device at once while reads suffer from them, more when they do not.
    fn next_window(&self, o: &Observation<'_>, urgent: bool) -> usize {
        let suffer = o.read_nanos_quiet > 0.0 && o.read_nanos > READS_SUFFER * o.read_nanos_quiet;
        match suffer && !urgent {
            true => (self.window * 3 / 4).max(WINDOW_MIN),
            false => (self.window + 8).min(WINDOW_MAX),
        }
    }

    /// Pages of one action.
    fn slice(&self, o: &Observation<'_>) -> usize {
        let by_device = match o.device_pages {
            0.0 => SLICE_MAX,
            speed => (speed * SLICE_SECONDS) as usize,
        };
        by_device.max((o.pool as f64 * SLICE_SHARE) as usize).clamp(SLICE_MIN, SLICE_MAX)
    }

    /// Free frames first, and again between the slices of a list batch.
    fn write(&mut self, o: &Observation<'_>, pages: usize, slice: usize, cold: bool, room: f64) {
        let neighbours = match o.settings.neighbours {
            // One seek for several pages, if the device seeks.
            Neighbours::ByDevice if o.device_pages > 0.0 && o.device_pages < SEEKS => {
                Neighbours::Run
            }
            given => given,
        };
        // Clean pages are evicted whatever the budget says; of dirty ones so many are written.
        let most = match room.is_finite() {
            true => ((room as usize).saturating_sub(pages) / (pages / slice + 2)).min(SLICE_MAX),
            false => SLICE_MAX,
        };
        let lru = Action::Lru { free: o.free_want, depth: LRU_DEPTH, pages: most, neighbours };
        self.plan.push_back(lru);
        let mut left = pages.min(o.dirty);
        if self.admitted.is_finite() {
            // The next look is due soon; what is left is still owed then.
            let now = left.min(slice);
            self.carry += (left - now) as f64;
            left = now;
        }
        while left > 0 {
            let n = left.min(slice);
            self.plan.push_back(Action::List(Batch {
                pages: n,
                limit: NO_LIMIT,
                order: if cold { Order::Coldest } else { Order::Oldest },
                neighbours,
                cause: if cold { Cause::Dirty } else { Cause::Age },
                wait: true,
            }));
            self.plan.push_back(lru);
            left -= n;
        }
    }
}

/// Pages a second that are written at most when nothing is at stake.
fn ceiling(s: &Settings) -> f64 {
    match s.io_capacity {
        0 => f64::INFINITY,
        n => n.max(s.io_capacity_max) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque as Queue;

    const POOL: usize = 10_000;
    const CAPACITY: u64 = 64 << 20;

    /// A load on a log, a pool and a device, in numbers: every second `pages` clean pages become dirty by `changes` changes
    /// that log `bytes`, all evenly and only as far as admitted; the device writes `device` pages a second.
    struct Load {
        pages: f64,
        bytes: f64,
        changes: f64,
        device: f64,
    }

    #[derive(Default)]
    struct Seen {
        ages: Vec<f64>,
        shares: Vec<f64>,
        /// Pages written and changes made in each second.
        writes: Vec<f64>,
        changes: Vec<f64>,
    }

    struct World {
        p: Weir,
        now: u64,
        lsn: f64,
        /// Dirty pages by their first change, oldest first.
        dirty: Queue<(u64, f64)>,
        totals: (f64, f64, f64),
        /// Pages written and changes made in each second.
        seconds: Vec<(f64, f64)>,
        admitted: f64,
        settings: Settings,
        last: super::super::Outcome,
    }

    impl World {
        fn new(settings: Settings) -> World {
            World {
                p: Weir::default(),
                now: 1,
                lsn: (1u64 << 30) as f64,
                dirty: Queue::new(),
                totals: (0.0, 0.0, 0.0),
                seconds: Vec::new(),
                admitted: f64::INFINITY,
                settings,
                last: Default::default(),
            }
        }

        fn count(&self) -> f64 {
            self.dirty.iter().map(|d| d.1).sum()
        }

        fn oldest(&self) -> u64 {
            self.dirty.front().map_or(self.lsn as u64, |d| d.0)
        }

        fn note(&mut self, pages: f64, changes: f64) {
            let second = (self.now / 1_000_000_000) as usize;
            self.seconds.resize(self.seconds.len().max(second + 1), (0.0, 0.0));
            self.seconds[second].0 += pages;
            self.seconds[second].1 += changes;
        }

        /// Time passes, sessions change what they are let.
        fn pass(&mut self, seconds: f64, load: &Load) {
            let steps = (seconds / 0.01).ceil().max(1.0);
            let dt = seconds / steps;
            for _ in 0..steps as usize {
                self.now += (dt * 1e9) as u64;
                let gate = self.settings.max_dirty_pct + GATE;
                if self.count() / POOL as f64 * 100.0 >= gate {
                    continue;
                }
                let k = (self.admitted / load.changes).min(1.0) * dt;
                self.lsn += load.bytes * k;
                self.dirty.push_back((self.lsn as u64, load.pages * k));
                self.totals.0 += load.pages * k;
                self.totals.1 += load.changes * k;
                self.note(0.0, load.changes * k);
            }
        }

        fn write(&mut self, pages: usize, load: &Load) -> usize {
            let mut left = pages as f64;
            while left > 0.0 {
                let Some(front) = self.dirty.front_mut() else { break };
                let k = front.1.min(left);
                front.1 -= k;
                left -= k;
                if front.1 <= 1e-9 {
                    self.dirty.pop_front();
                }
            }
            let wrote = pages as f64 - left;
            self.totals.2 += wrote;
            self.note(wrote, 0.0);
            self.pass(wrote / load.device, load);
            wrote.ceil() as usize
        }

        fn run(&mut self, load: &Load, seconds: usize) -> Seen {
            let mut seen = Seen::default();
            let begun = self.now;
            while self.now < begun + seconds as u64 * 1_000_000_000 {
                let ages: Vec<(u64, u32)> =
                    self.dirty.iter().map(|d| (d.0, d.1.ceil() as u32)).collect();
                let o = Observation {
                    now: self.now,
                    lsn: self.lsn as u64,
                    oldest: self.oldest(),
                    checkpoint: self.oldest(),
                    log_capacity: CAPACITY,
                    dirty: self.count() as usize,
                    pool: POOL,
                    free: 100,
                    free_want: 100,
                    ages: &ages,
                    changes: self.totals.1 as u64,
                    activity: self.totals.1 as u64,
                    dirtied: self.totals.0 as u64,
                    written: self.totals.2 as u64,
                    last: self.last,
                    device_pages: load.device,
                    settings: self.settings,
                    ..Observation::default()
                };
                match self.p.step(&o) {
                    Action::Admit { changes_per_second, .. } => self.admitted = changes_per_second,
                    Action::List(b) => self.last.pages = self.write(b.pages, load),
                    Action::Rest { until, .. } => {
                        let wait = until.saturating_sub(self.now) as f64 / 1e9;
                        self.pass(wait, load);
                    }
                    _ => {}
                }
                seen.ages.push((self.lsn - self.oldest() as f64) / CAPACITY as f64);
                seen.shares.push(self.count() / POOL as f64 * 100.0);
            }
            // The last second is not a whole one.
            self.seconds.pop();
            (seen.writes, seen.changes) = self.seconds.iter().copied().unzip();
            seen
        }
    }

    fn most(v: &[f64]) -> f64 {
        v.iter().copied().fold(0.0, f64::max)
    }

    /// Mean and coefficient of variation.
    fn spread(v: &[f64]) -> (f64, f64) {
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        let var = v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / v.len() as f64;
        (mean, var.sqrt() / mean)
    }

    fn limit(pct: f64) -> Settings {
        Settings { max_dirty_pct: pct, ..Settings::default() }
    }

    #[test]
    fn a_steady_load_is_written_evenly_and_never_paced() {
        let load = Load { pages: 300.0, bytes: 2e6, changes: 1000.0, device: 2000.0 };
        let seen = World::new(limit(90.0)).run(&load, 300);
        assert!(most(&seen.ages) < PACE_FROM, "age reached {}", most(&seen.ages));
        let (mean, cv) = spread(&seen.writes[100..]);
        assert!((mean - 300.0).abs() < 15.0 && cv < 0.10, "{mean} pages/s, variation {cv}");
        let (mean, cv) = spread(&seen.changes[1..]);
        assert!((mean - 1000.0).abs() < 5.0 && cv < 0.01, "{mean} changes/s, variation {cv}");
    }

    #[test]
    fn the_dirty_limit_holds_and_nobody_stops_while_the_device_keeps_up() {
        for pct in [10.0, 20.0, 50.0, 80.0] {
            let load = Load { pages: 500.0, bytes: 1e5, changes: 1000.0, device: 2000.0 };
            let seen = World::new(limit(pct)).run(&load, 120);
            assert!(most(&seen.shares) <= pct, "limit {pct}, share {}", most(&seen.shares));
            let (mean, cv) = spread(&seen.changes[1..]);
            assert!(mean > 990.0 && cv < 0.01, "limit {pct}: {mean} changes/s, variation {cv}");
        }
    }

    #[test]
    fn a_device_that_cannot_keep_up_slows_sessions_evenly() {
        for (pages, bytes) in [(2000.0, 1e5), (2000.0, 4e6)] {
            let load = Load { pages, bytes, changes: 1000.0, device: 800.0 };
            let seen = World::new(limit(50.0)).run(&load, 300);
            assert!(most(&seen.shares) <= 51.0, "share reached {}", most(&seen.shares));
            assert!(most(&seen.ages) < 0.97, "age reached {}", most(&seen.ages));
            let (mean, cv) = spread(&seen.changes[100..]);
            assert!((mean - 400.0).abs() < 40.0 && cv < 0.10, "{mean} of 400, variation {cv}");
        }
    }

    /// Page writes of 400 a second.
    fn spare() -> Settings {
        Settings { write_budget: 400.0 * 16384.0 / 1e6, ..limit(50.0) }
    }

    #[test]
    fn a_write_budget_is_kept_and_sessions_are_paced_by_it() {
        // Bound by the dirty share, and by the log.
        for (pages, bytes) in [(1000.0, 1e5), (1000.0, 4e6)] {
            let load = Load { pages, bytes, changes: 1000.0, device: 3000.0 };
            let mut w = World::new(spare());
            let seen = w.run(&load, 300);
            assert_eq!(w.p.budget().exceeded, 0.0);
            for (i, ten) in seen.writes[20..].windows(10).enumerate() {
                let sum: f64 = ten.iter().sum();
                assert!(sum <= 4000.0 * 1.05, "{sum} pages of 4000 in ten seconds from {i} on");
            }
            // Once it binds it is used up.
            let (mean, _) = spread(&seen.writes[100..]);
            assert!(mean > 380.0, "{mean} of 400 pages a second");
            let (mean, cv) = spread(&seen.changes[100..]);
            assert!((mean - 400.0).abs() < 40.0 && cv < 0.15, "{mean} of 400, variation {cv}");
            assert!(most(&seen.ages) < 0.97 && most(&seen.shares) <= 51.0);
        }
    }

    #[test]
    fn more_than_the_budget_is_written_when_sessions_would_stand_still() {
        let mut w = World::new(spare());
        w.dirty.push_back((w.lsn as u64, 4000.0));
        let mut planned = 0;
        for waiting_frames in [0, 1] {
            for _ in 0..6 {
                w.now += 10_000_000;
                w.p.plan.clear();
                let o = Observation {
                    now: w.now,
                    dirty: 4000,
                    pool: POOL,
                    free_want: 100,
                    log_capacity: CAPACITY,
                    written: w.totals.2 as u64,
                    waiting_frames,
                    settings: spare(),
                    ..Observation::default()
                };
                w.p.tick(&o);
                for a in &w.p.plan {
                    if let Action::Lru { pages, .. } = a {
                        planned += pages;
                        w.totals.2 += *pages as f64;
                    }
                }
            }
            let exceeded = w.p.budget().exceeded;
            match waiting_frames {
                0 => assert!(planned <= 200 && exceeded == 0.0, "{planned}, {exceeded}"),
                _ => assert!(planned > 600 && exceeded > 300.0, "{planned}, {exceeded}"),
            }
        }
    }

    #[test]
    fn a_lump_is_written_before_it_is_due() {
        let mut w = World::new(limit(90.0));
        // Three thousand pages at once, then little but log.
        w.dirty.push_back((w.lsn as u64, 3000.0));
        let load = Load { pages: 10.0, bytes: 2e6, changes: 100.0, device: 1000.0 };
        let seen = w.run(&load, 120);
        assert!(most(&seen.ages) < PACE_FROM, "age reached {}", most(&seen.ages));
        // The lap takes 27 seconds: about 110 pages a second, no burst.
        assert!(most(&seen.writes) < 250.0, "{} pages in a second", most(&seen.writes));
    }

    #[test]
    fn a_small_recovery_target_keeps_the_log_short() {
        let s = Settings { recovery_target: 1.0, recovery_speed: 20e6, ..limit(90.0) };
        let load = Load { pages: 300.0, bytes: 2e6, changes: 1000.0, device: 2000.0 };
        let seen = World::new(s).run(&load, 120);
        let bytes = most(&seen.ages) * CAPACITY as f64;
        assert!(bytes < 12e6, "{bytes} bytes to recover at 20 MB/s in half a second");
    }

    #[test]
    fn idle_flushing_can_be_switched_off() {
        for (pct, left) in [(100, 0.0), (0, 3000.0)] {
            let mut w = World::new(Settings { idle_flush_pct: pct, ..limit(90.0) });
            w.dirty.push_back((w.lsn as u64, 3000.0));
            let load = Load { pages: 0.0, bytes: 0.0, changes: 1.0, device: 1000.0 };
            for _ in 0..2000 {
                let ages: Vec<(u64, u32)> = w.dirty.iter().map(|d| (d.0, d.1 as u32)).collect();
                let o = Observation {
                    now: w.now,
                    lsn: w.lsn as u64,
                    oldest: w.oldest(),
                    checkpoint: w.oldest(),
                    log_capacity: CAPACITY,
                    dirty: w.count() as usize,
                    pool: POOL,
                    ages: &ages,
                    last: w.last,
                    settings: w.settings,
                    ..Observation::default()
                };
                match w.p.step(&o) {
                    Action::List(b) => w.last.pages = w.write(b.pages, &load),
                    Action::Rest { until, .. } => w.now = until.max(w.now),
                    _ => w.last.pages = 0,
                }
            }
            assert!((w.count() - left).abs() < 1.0, "{} pages are left at {pct} %", w.count());
        }
    }
}
