//! The default policy: write as late as the limits allow, as evenly as the load comes, and slow sessions down smoothly
//! before anybody would have to stop.
//!
//! What has to be written is the greatest of three demands, in pages per second:
//! - *age*: every dirty page has a deadline, the moment when its first change falls `AGE_GOAL` of the log behind its end. The
//!   least constant rate that meets all deadlines is the maximum over all k of (pages among the k oldest buckets) / (time
//!   until the k-th bucket is due): the taut string under the deadlines. A lump of changes is so seen long before it is
//!   due, and in a steady load each page is written once per lap of the log, as late as it can be.
//! - *dirty share*: from a band below the limit on, as much as becomes dirty. Of these pages those
//!   go first that are expected to rest longest (`Order::Coldest`): the oldest may be the hottest, and dirty again at once.
//! - *idle*: when nobody changes anything, `innodb_idle_flush_pct` of the capacity.
//!
//! Sessions are admitted freely until the device cannot keep up: then at the rate that it can carry, as measured, times a
//! factor that falls as the limit comes nearer. The stop at the limit itself (`UserRules::wait_dirty_pct`, the log's hard
//! end) is a guarantee that a steady load does not meet.
//!
//! A budget of page writes (`budget`) is to it a device that writes no more: sessions are admitted at what it carries. Only when
//! sessions wait for frames or the log is nearly full is more written, and counted.

use super::budget::{Budget, BudgetState, Past};
use super::{
    Action, Batch, BufferRules, Cause, FlushPolicy, Mechanism, NO_LIMIT, Neighbours, Observation,
    Order, Settings, UserRules,
};
use std::collections::VecDeque;

/// Shares of the log's capacity: where pages are due, from where sessions are paced, where they are paced hardest.
const AGE_GOAL: f64 = 0.80;
const PACE_FROM: f64 = 0.86;
const PACE_FULL: f64 = 0.96;
/// Seconds until a step may see what sessions did meanwhile: a slice that is being written.
const BLIND: f64 = 2.5 * SLICE_SECONDS;
/// Pages of the doublewrite area.
const COPIES: f64 = 128.0;
/// Checkpoints in a lap of a log that is shorter than its capacity.
const CHECKPOINTS: f64 = 16.0;
/// The dirty share's band below the limit: a share of the limit, between two bounds in percent of the pool.
const BAND: f64 = 0.1;
const BAND_MIN: f64 = 2.0;
const BAND_MAX: f64 = 4.0;
/// Percent of the pool by which the dirty share passes its limit before sessions stop.
pub const GATE: f64 = 0.5;
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
/// Pages per second of idle flushing when the capacity is `auto`.
const IDLE_PAGES: f64 = 200.0;
/// Read latency over that of a quiet device from which fewer writes are given to the device at once.
const READS_SUFFER: f64 = 2.5;
/// Pages per second under which a device is taken for one that seeks.
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
    /// The greatest demand at the last tick, pages per second.
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

/// How far below a dirty limit writing begins; both in percent of the pool.
pub fn band(limit: f64) -> f64 {
    (BAND * limit).clamp(BAND_MIN, BAND_MAX)
}

/// Bounds in pages and bytes that follow from the options.
struct Goals {
    /// Bytes of log that there may be between checkpoint and end: its capacity, or what recovery can do in its time.
    log: f64,
    /// Bytes of log after which a page is due.
    age: f64,
    /// Dirty pages: from where writing begins, the limit.
    soft: f64,
    limit: f64,
}

/// Nanoseconds in which recovery reads a page, as far as this run has shown.
fn page_read(o: &Observation<'_>) -> Option<f64> {
    let by_writes = 1e9 / o.device_pages.max(1e-9);
    [
        (o.read_nanos_quiet, o.read_nanos_quiet),
        (o.device_pages, by_writes),
        (o.read_nanos, o.read_nanos),
    ]
    .into_iter()
    .find(|(known, _)| *known > 0.0)
    .map(|(_, nanos)| nanos)
}

fn goals(o: &Observation<'_>) -> Goals {
    let s = &o.settings;
    let pool = o.pool as f64;
    let mut log = o.log_capacity as f64;
    let mut limit = s.max_dirty_pct / 100.0 * pool;
    if s.recovery_target > 0.0 {
        // Half of the time for the log, half for reading the pages that it is applied to.
        let half = s.recovery_target / 2.0;
        log = log.min(half * s.recovery_speed);
        if let Some(nanos) = page_read(o)
            && o.touched > 0
        {
            // The doublewrite area's pages are read, too, to be compared with their copies.
            let copies = if s.doublewrite { COPIES } else { 0.0 };
            let pages = (half * 1e9 / nanos - copies).max(SLICE_MIN as f64);
            limit = limit.min(pages);
            // They grow in number with the log, less and less: a longer one is reckoned too short, not too long.
            log = log.min(o.touched_age as f64 * pages / o.touched as f64);
        }
    }
    let log = log.max(1.0);
    let band = band(limit / pool.max(1.0) * 100.0) / 100.0 * pool;
    Goals { log, age: (AGE_GOAL * log).max(1.0), soft: (limit - band).max(0.0), limit }
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
        let band = band(s.max_dirty_pct);
        UserRules {
            wait_dirty_pct: Some(s.max_dirty_pct + GATE),
            wake_dirty_pct: Some((s.max_dirty_pct - band / 4.0).max(0.0)),
            ..UserRules::default()
        }
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::weir(s, pool)
    }

    fn mechanism(&self, _: &Settings) -> Mechanism {
        Mechanism { in_flight: WINDOW_MAX, slots: WINDOW_MAX, ..Mechanism::default() }
    }

    fn remember(&mut self, past: Past) {
        self.budget.remember(past);
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
        let share = o.checkpoint_age() as f64 / g.log;
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
        let room = self.room(o);
        if pages > room {
            self.carry += pages - room;
            pages = room;
        }
        self.window = self.next_window(o, urgent);
        self.plan
            .push_back(Action::Admit { changes_per_second: self.admitted, in_flight: self.window });
        let gain = o.oldest.saturating_sub(o.checkpoint) as f64;
        if g.log < o.log_capacity as f64 && gain >= g.log / CHECKPOINTS {
            // The mechanism's own come as seldom as the whole log lets them.
            self.plan.push_back(Action::Checkpoint);
        }
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
    fn room(&mut self, o: &Observation<'_>) -> f64 {
        let share = o.checkpoint_age() as f64 / o.log_capacity.max(1) as f64;
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

    /// Changes per second that sessions may make.
    fn admission(&self, o: &Observation<'_>, g: &Goals, share: f64) -> f64 {
        // From the middle of the band to the gate.
        let from = g.limit - (g.limit - g.soft) / 2.0;
        let gate = g.limit + GATE / 100.0 * o.pool as f64;
        let by_dirty = (o.dirty as f64 - from) / (gate - from).max(1.0);
        let by_age = (share - PACE_FROM) / (PACE_FULL - PACE_FROM);
        if self.change_rate <= 0.0 {
            return f64::INFINITY;
        }
        let by_room = self.room_rate(o, g);
        if by_dirty <= 0.0 && by_age <= 0.0 && by_room > 2.0 * self.change_rate {
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
            let span = (g.log / 16.0) as u64;
            let old = o.ages.iter().take_while(|(start, _)| *start < o.oldest + span);
            let pages: u32 = old.map(|(_, n)| *n).sum();
            let density = f64::from(pages) / span.max(1) as f64;
            let per_change = density * self.log_rate / self.change_rate;
            admitted = admitted.min(carried(per_change) * factor(by_age));
        }
        admitted
            .min(by_room.max(carried(self.dirty_rate / self.change_rate) * ADMIT_LEAST))
            .max(1.0)
    }

    /// Changes per second that fill a log shorter than its capacity before the next look at it: there is no hard end behind it,
    /// and the whole of it may be a second's load.
    fn room_rate(&self, o: &Observation<'_>, g: &Goals) -> f64 {
        if g.log >= o.log_capacity as f64 {
            return f64::INFINITY;
        }
        let room = (PACE_FULL * g.log - o.checkpoint_age() as f64).max(0.0);
        room / BLIND * self.change_rate / self.log_rate.max(1.0)
    }

    /// Fewer writes at the device at once while reads suffer from them, more when they do not.
    fn next_window(&self, o: &Observation<'_>, urgent: bool) -> usize {
        let suffer = o.read_nanos_quiet > 0.0 && o.read_nanos > READS_SUFFER * o.read_nanos_quiet;
        match suffer && !urgent {
            true => (self.window * 3 / 4).max(WINDOW_MIN),
            false => (self.window + 8).min(WINDOW_MAX),
        }
    }

    /// Pages of one action. All of them become clean together, and until then the dirty share rises: no more at a stroke than the
    /// share's band can take, unless the device seeks and the syncs of small batches cost it seeks.
    fn slice(&self, o: &Observation<'_>) -> usize {
        let by_device = match o.device_pages {
            0.0 => SLICE_MAX,
            speed => (speed * SLICE_SECONDS) as usize,
        };
        let by_share = (o.pool as f64 * SLICE_SHARE) as usize;
        let pages =
            if o.device_pages < SEEKS { by_device.max(by_share) } else { by_device.min(by_share) };
        pages.clamp(SLICE_MIN, SLICE_MAX)
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
        // Clean pages are evicted whatever the budget says; of dirty ones this many are written.
        let most = match room.is_finite() {
            true => ((room as usize).saturating_sub(pages) / (pages / slice + 2)).min(slice),
            false => slice,
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

/// Pages per second that are written at most when nothing is at stake.
fn ceiling(s: &Settings) -> f64 {
    match s.io_capacity {
        0 => f64::INFINITY,
        n => n.max(s.io_capacity_max) as f64,
    }
}

#[cfg(test)]
mod tests;
