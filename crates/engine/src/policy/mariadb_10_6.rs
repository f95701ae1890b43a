//! `mariadb-10.6`: the page cleaner of MariaDB 10.6.
//!
//! One cleaner, once a second. Behind 7/8 of the log a soft target bounds a batch of `innodb_io_capacity_max`; behind the
//! whole of it, with `innodb_flush_sync`, batches, waits and checkpoints follow each other without a sleep until the target
//! is reached (furious flushing), while sessions wait. Otherwise it flushes adaptively when the dirty share or the age asks
//! for it, and in idleness when a low-water mark of the share is set.
//!
//! Exact: limits, conditions, rates, what follows what. Not as it was: the targets were set by each append to the log, here
//! by each step (a session that waits wakes the cleaner); pages behind an LSN come from the ages by interval; small pools
//! and passes without result as in `mysql_8_0`. MySQL's default of 10 for the low-water mark is 0 in MariaDB: its option
//! decides.

use super::limits::Limits;
use super::mysql_8_0::{Averages, capacity, capacity_max, free_target, pct_for_age};
use super::{
    Action, Batch, BufferRules, Cause, FlushPolicy, FreeRule, Mechanism, NO_LIMIT, Observation,
    Settings, UserRules, limits,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Box::new(Cleaner::default())
}

const SECOND: u64 = 1_000_000_000;
const MILLI: u64 = 1_000_000;
const SCAN: u64 = 3;
const LRU_MIN: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum At {
    #[default]
    Top,
    Awake,
    Furious,
    FuriousFlushed,
    FuriousEnd,
    Flushed,
    Lru,
    LruDone,
    Checkpoint,
}

#[derive(Default)]
struct Cleaner {
    at: At,
    averages: Averages,
    /// When the next round begins.
    next: u64,
    /// Targets for the oldest change: to be reached soon, and at once.
    soft: Option<u64>,
    hard: Option<u64>,
    /// The last round found nothing to do.
    idle: bool,
    activity: u64,
    /// Pages that the list batch of this round wrote, and those that the averages have not seen.
    flushed: u64,
    last_pages: u64,
    /// Pages the eviction may write.
    lru_pages: u64,
    /// Eviction freed nothing.
    fruitless: bool,
}

impl Cleaner {
    fn go(&mut self, at: At) -> Option<Action> {
        self.at = at;
        None
    }

    fn then(&mut self, at: At, action: Action) -> Option<Action> {
        self.at = at;
        Some(action)
    }

    fn advance(&mut self, o: &Observation<'_>) -> Option<Action> {
        match self.at {
            At::Top => self.top(o),
            At::Awake => self.awake(o),
            At::Furious => {
                let batch = self.furious(o);
                self.then(At::FuriousFlushed, Action::List(batch))
            }
            At::FuriousFlushed => {
                self.flushed = pages(o);
                self.then(At::FuriousEnd, Action::Checkpoint)
            }
            At::FuriousEnd => self.furious_end(o),
            At::Flushed => {
                self.flushed = pages(o);
                self.last_pages = self.flushed;
                let max = capacity_max(&o.settings);
                let least = max.min(o.settings.lru_scan_depth);
                self.lru_pages = max.saturating_sub(self.flushed).max(least);
                self.go(At::Lru)
            }
            At::Lru => self.lru(At::LruDone, o, self.lru_pages),
            At::LruDone => {
                self.fruitless = pages(o) == 0;
                self.go(At::Checkpoint)
            }
            At::Checkpoint => self.then(At::Top, Action::Checkpoint),
        }
    }

    /// The targets that an append to the log would set.
    fn see(&mut self, o: &Observation<'_>) {
        let l = limits_now(o);
        let since = o.checkpoint_age();
        if since > l.modified_async {
            let target = o.lsn - l.modified_async;
            let which = if since >= l.checkpoint_max { &mut self.hard } else { &mut self.soft };
            *which = Some(which.unwrap_or(0).max(target));
        }
    }

    fn top(&mut self, o: &Observation<'_>) -> Option<Action> {
        if self.hard.is_some() && o.settings.flush_sync {
            return self.begin_furious(o);
        }
        if !needs_eviction(o) {
            return self.sleep(o);
        }
        // At once, unless the last round had nothing to give.
        let rest = std::mem::take(&mut self.fruitless);
        if rest { self.then(At::Awake, pause(o)) } else { self.go(At::Awake) }
    }

    fn sleep(&mut self, o: &Observation<'_>) -> Option<Action> {
        if self.next <= o.now {
            return self.go(At::Awake);
        }
        self.then(At::Awake, Action::Rest { until: self.next, wake: true })
    }

    fn awake(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.next = o.now + SECOND;
        self.flushed = 0;
        if o.dirty == 0 {
            (self.hard, self.idle) = (None, true);
            self.lru_pages = capacity_max(&o.settings);
            return self.go(if needs_eviction(o) { At::Lru } else { At::Checkpoint });
        }
        if self.hard.is_some() && o.settings.flush_sync {
            return self.begin_furious(o);
        }
        // Without furious flushing a hard target is a soft one.
        for target in [&mut self.hard, &mut self.soft] {
            *target = target.filter(|&t| o.oldest < t);
        }
        let target = self.soft.max(self.hard);
        if target.is_none() && needs_eviction(o) {
            self.idle = false;
            self.lru_pages = capacity_max(&o.settings);
            return self.go(At::Lru);
        }
        self.choose(o, target)
    }

    /// The list batch of a round.
    fn choose(&mut self, o: &Observation<'_>, target: Option<u64>) -> Option<Action> {
        let s = &o.settings;
        let share = 100.0 * o.dirty as f64 / (o.used + o.free).max(1) as f64;
        let mut low = s.max_dirty_pct_lwm;
        let mut enough = share < s.max_dirty_pct;
        if low != 0.0 {
            let active = o.activity != self.activity;
            self.activity = o.activity;
            if !active && self.idle {
                return self.order(o, capacity(s), NO_LIMIT, Cause::Extra);
            }
            enough = share < low;
            if enough {
                low = 0.0;
            }
        }
        if enough && target.is_none() && !needed_for_redo(o) {
            self.idle = true;
            return self.go(At::Checkpoint);
        }
        self.idle = false;
        if let Some(limit) = target {
            return self.order(o, capacity_max(s), limit, Cause::Age);
        }
        if !s.adaptive_flushing {
            return self.order(o, capacity(s), NO_LIMIT, Cause::Dirty);
        }
        let pages = self.recommended(o, low, share);
        let cause = if needed_for_redo(o) { Cause::Age } else { Cause::Dirty };
        self.order(o, pages, NO_LIMIT, cause)
    }

    fn order(
        &mut self,
        o: &Observation<'_>,
        pages: u64,
        limit: u64,
        cause: Cause,
    ) -> Option<Action> {
        if pages == 0 {
            return self.go(At::Checkpoint);
        }
        self.then(At::Flushed, Action::List(batch(o, pages, limit, cause)))
    }

    fn recommended(&mut self, o: &Observation<'_>, low: f64, share: f64) -> u64 {
        let s = &o.settings;
        let pct = pct_for_lsn(o);
        let dirty = o.dirty as u64;
        if pct == 0 || self.averages.since.is_none() {
            self.averages.since = Some((o.lsn, o.now));
            return without_redo(s, dirty, share);
        }
        let last = std::mem::take(&mut self.last_pages);
        self.averages.round(o, last);
        let ratio = if low == 0.0 || s.max_dirty_pct == 0.0 {
            1.0
        } else {
            (pct as f64 / 100.0).max(share / s.max_dirty_pct)
        };
        let max = capacity_max(s);
        let target = o.oldest + self.averages.lsn_rate * SCAN;
        let for_lsn = ((o.pages_until(target) as u64).min(max) / SCAN).max(1);
        let asked = (capacity(s) as f64 * ratio) as u64;
        ((asked + self.averages.page_rate + for_lsn) / 3).min(max)
    }

    fn lru(&mut self, at: At, o: &Observation<'_>, pages: u64) -> Option<Action> {
        self.at = at;
        let free = free_target(o);
        let depth = o.settings.lru_scan_depth as usize;
        (o.free < free).then_some(Action::Lru {
            free,
            depth,
            pages: pages as usize,
            neighbours: o.settings.neighbours,
        })
    }

    /// Frames first, which sessions that hold the oldest pages may need.
    fn begin_furious(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.idle = false;
        if needs_eviction(o) {
            return self.lru(At::Furious, o, capacity(&o.settings));
        }
        self.go(At::Furious)
    }

    fn furious(&self, o: &Observation<'_>) -> Batch {
        let limit = self.hard.unwrap_or(NO_LIMIT);
        let batch = batch(o, capacity_max(&o.settings), limit, Cause::Age);
        Batch { wait: true, ..batch }
    }

    fn furious_end(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.next = o.now + SECOND;
        self.last_pages = 0;
        let home = if o.dirty == 0 { NO_LIMIT } else { o.oldest };
        if self.hard.is_some_and(|t| home >= t) {
            self.hard = None;
        } else if self.soft.is_some_and(|t| home >= t) {
            self.soft = None;
        }
        if self.flushed == 0 {
            return self.then(At::Top, pause(o));
        }
        self.go(At::Top)
    }
}

fn pause(o: &Observation<'_>) -> Action {
    Action::Rest { until: o.now + MILLI, wake: false }
}

fn pages(o: &Observation<'_>) -> u64 {
    if o.last.refused { 0 } else { o.last.pages as u64 }
}

fn batch(o: &Observation<'_>, pages: u64, limit: u64, cause: Cause) -> Batch {
    Batch { neighbours: o.settings.neighbours, ..Batch::oldest(pages as usize, limit, cause) }
}

fn limits_now(o: &Observation<'_>) -> Limits {
    limits::mariadb(&o.settings).within(o.log_capacity)
}

fn needs_eviction(o: &Observation<'_>) -> bool {
    o.waiting_frames > 0 || (o.used > LRU_MIN && o.free < free_target(o) / 2)
}

fn low_water(o: &Observation<'_>) -> u64 {
    (o.settings.adaptive_flushing_lwm * limits_now(o).capacity as f64 / 100.0) as u64
}

fn needed_for_redo(o: &Observation<'_>) -> bool {
    o.age() > low_water(o)
}

fn pct_for_lsn(o: &Observation<'_>) -> u64 {
    let limit = limits_now(o).modified_async;
    if limit == 0 || o.age() < low_water(o) {
        return 0;
    }
    pct_for_age(&o.settings, (100 * o.age() / limit) as f64)
}

/// When the age asks for nothing: all of a few pages, otherwise the capacity times the share of the limit.
fn without_redo(s: &Settings, dirty: u64, share: f64) -> u64 {
    let io = capacity(s);
    if io >= dirty {
        return dirty;
    }
    let ratio = if s.max_dirty_pct > 1.0 { share / s.max_dirty_pct } else { share };
    if ((ratio * io as f64) as u64) < dirty { io } else { capacity_max(s).min(dirty) }
}

impl FlushPolicy for Cleaner {
    fn name(&self) -> &'static str {
        "mariadb-10.6"
    }

    fn step(&mut self, o: &Observation<'_>) -> Action {
        self.see(o);
        if self.next == 0 {
            self.next = o.now + SECOND;
        }
        loop {
            if let Some(action) = self.advance(o) {
                return action;
            }
        }
    }

    /// MariaDB's sessions wait a mebibyte of checkpoint at a time, until they are below the limit: the same in effect.
    fn user_rules(&self, s: &Settings) -> UserRules {
        let wait_age = Some(limits::mariadb(s).within(s.log_capacity).checkpoint_max);
        UserRules { wait_age, free: FreeRule::Cleaner, ..UserRules::default() }
    }

    /// Nothing is merged in the background since 10.5, but when a page is read; here by contraction alone.
    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::by_option(s, pool)
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        Mechanism { own_checkpoints: false, ..Mechanism::native(s.write_io_threads) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Neighbours;
    use super::super::Outcome;
    use super::super::master::tests::{Run, observation};
    use super::*;

    fn settings() -> Settings {
        Settings {
            io_capacity: 200,
            max_dirty_pct_lwm: 0.0,
            log_capacity: 0,
            ..super::super::master::tests::plain()
        }
    }

    /// That age of the oldest change and of the checkpoint.
    fn aged(age: u64) -> Observation<'static> {
        let mut o = observation();
        o.settings = settings();
        o.now = SECOND;
        (o.oldest, o.checkpoint) = (o.lsn - age, o.lsn - age);
        (o.free, o.used) = (2000, 8000);
        o.dirty = 900;
        o
    }

    fn run(o: Observation<'static>) -> Run {
        let mut run = Run::new("mariadb-10.6");
        run.busy = true;
        run.o = o;
        run
    }

    fn rest(second: u64) -> Action {
        Action::Rest { until: second * SECOND, wake: true }
    }

    #[test]
    fn nothing_to_do() {
        let mut run = run(aged(1 << 20));
        assert_eq!(run.some(4), [rest(2), Action::Checkpoint, rest(3), Action::Checkpoint]);
        run.o.dirty = 0;
        assert_eq!(run.some(2), [rest(4), Action::Checkpoint]);
    }

    #[test]
    fn soft_target() {
        let l = limits::mariadb(&settings());
        let mut run = run(aged(l.modified_async));
        run.some(1);
        run.o.lsn += 5;
        let limit = run.o.oldest + 5;
        assert_eq!(run.one(), Action::List(Batch::oldest(2000, limit, Cause::Age)));
        assert_eq!(run.one(), Action::Checkpoint);
        assert_eq!(run.one(), rest(3));
        // Reached: no target any more. The age still asks for some.
        run.o.oldest += 5;
        run.o.checkpoint += 5;
        assert!(matches!(run.one(), Action::List(b) if b.limit == NO_LIMIT));
    }

    #[test]
    fn furious() {
        let l = limits::mariadb(&settings());
        let mut run = run(aged(l.checkpoint_max));
        let target = run.o.lsn - l.modified_async;
        let list = Action::List(Batch { wait: true, ..Batch::oldest(2000, target, Cause::Age) });
        run.o.last = Outcome { pages: 2000, refused: false };
        assert_eq!(run.some(4), [list, Action::Checkpoint, list, Action::Checkpoint]);
        // Reached, and checkpointed.
        run.o.oldest = target;
        run.o.checkpoint = target;
        assert_eq!(run.one(), rest(2));
        // Switched off: as far and as much, but once a second.
        let mut o = aged(l.checkpoint_max);
        o.settings.flush_sync = false;
        let mut run = self::run(o);
        assert_eq!(run.some(3)[1], Action::List(Batch::oldest(2000, target, Cause::Age)));
        assert_eq!(run.some(2)[0], rest(3));
    }

    #[test]
    fn idle_flushing_wants_a_low_water_mark() {
        let mut o = aged(1 << 20);
        o.settings.max_dirty_pct_lwm = 20.0;
        let mut run = run(o);
        run.busy = false;
        // The first round finds nothing to do, the next is idle.
        assert_eq!(run.some(2), [rest(2), Action::Checkpoint]);
        assert_eq!(
            run.some(2),
            [rest(3), Action::List(Batch::oldest(200, NO_LIMIT, Cause::Extra))]
        );
    }

    #[test]
    fn share_of_the_limit() {
        let s = settings();
        assert_eq!(without_redo(&s, 200, 50.0), 200);
        assert_eq!(without_redo(&s, 900, 50.0), 200);
        assert_eq!(without_redo(&Settings { max_dirty_pct: 1.0, ..s }, 900, 50.0), 900);
        assert_eq!(without_redo(&Settings { max_dirty_pct: 0.0, ..s }, 90_000, 500.0), 2000);
    }

    #[test]
    fn age_in_whole_percent() {
        let l = limits::mariadb(&settings());
        assert_eq!(pct_for_lsn(&aged(l.capacity / 10 - 1)), 0);
        assert_eq!(
            pct_for_lsn(&aged(l.modified_async / 2)),
            457,
            "49 percent, truncated, at quotient 10"
        );
        assert_eq!(pct_for_lsn(&aged(l.modified_async)), 1333);
    }

    #[test]
    fn frames_come_first() {
        let mut o = aged(1 << 20);
        o.free = 511;
        let mut run = run(o);
        let lru =
            Action::Lru { free: 1024, depth: 1024, pages: 2000, neighbours: Neighbours::None };
        assert_eq!(run.some(2), [lru, Action::Checkpoint]);
        run.o.free = 512;
        assert!(matches!(run.one(), Action::Rest { .. }));
    }

    #[test]
    fn sessions_wait() {
        let r = Cleaner::default().user_rules(&settings());
        assert_eq!(r.wait_age, Some(limits::mariadb(&settings()).checkpoint_max));
        assert_eq!((r.preflush, r.dirty), (None, None));
        assert!(!Cleaner::default().mechanism(&settings()).own_checkpoints);
    }
}
