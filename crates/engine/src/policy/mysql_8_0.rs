//! `mysql-8.0`: the page cleaner of MySQL 8.0.30 and later.
//!
//! Once a second: pages near eviction, then the mean of three rates: what the dirty share or the age asks for in percent of
//! `innodb_io_capacity` (default 200), what was written lately, and the pages that hold back the next seconds of redo. When
//! the redo log becomes short (`innodb_flush_sync`) it flushes on without sleeping and without a cap. Sessions write
//! nothing; at the limit of the log they wait for a checkpoint.
//!
//! Exact: the three rates and their averages, all limits and comparisons, the bounds, idle flushing, waking up. Not as it
//! was: one pool and one cleaner instead of instances and workers; pages behind an LSN come from the ages by interval; with
//! pending reads an idle cleaner slept, here it does not know of them; the rule for switched-off redo logging has no use
//! here; checkpoints are written by the mechanism. A pool of less than some thousand frames is smaller than
//! `innodb_lru_scan_depth` foresees: the free frames that Weir wants are kept at least, and all are never asked for. Where
//! a pass wrote nothing and would be repeated at once, there is a rest of 1 ms.

use super::{
    Action, Batch, BufferRules, Cause, FlushPolicy, FreeRule, Mechanism, NO_LIMIT, Observation,
    Settings, UserRules, limits,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Box::new(Cleaner::default())
}

const SECOND: u64 = 1_000_000_000;
const MILLI: u64 = 1_000_000;
/// Seconds of redo whose pages are counted.
const SCAN: u64 = 3;
/// Pages that a pool keeps at least: it is not emptied below for the sake of free frames.
const LRU_MIN: usize = 256;

pub fn capacity(s: &Settings) -> u64 {
    s.io_capacity_or(200)
}

/// InnoDB does not allow it to be less than the capacity.
pub fn capacity_max(s: &Settings) -> u64 {
    s.io_capacity_max.max(capacity(s))
}

/// The quotient is one of integers: 200 and 399 are 1.
pub fn pct_for_age(s: &Settings, factor: f64) -> u64 {
    let quotient = capacity_max(s) / capacity(s).max(1);
    (quotient as f64 * factor * factor.sqrt() / 7.5) as u64
}

/// Pages that the master merges each second: five percent of the capacity, and more while the change buffer is larger than half of what
/// it may be.
pub fn merged_each_second(o: &Observation<'_>) -> u64 {
    let most = BufferRules::by_option(&o.settings, o.pool as u64).pages;
    let above = o.buffered.saturating_sub(most / 2);
    let percent = 5 + 100 * above / (most + 1);
    capacity(&o.settings) * percent / 100
}

/// Free frames that a pass makes.
pub fn free_target(o: &Observation<'_>) -> usize {
    let depth = o.settings.lru_scan_depth as usize;
    depth.min((o.used + o.free).saturating_sub(LRU_MIN)).max(o.free_want)
}

/// Rates over many rounds, and what they make of a request.
#[derive(Default)]
pub struct Averages {
    /// Log end and time when the averages were last taken; `None` before the first round.
    pub since: Option<(u64, u64)>,
    rounds: u64,
    sum: u64,
    pub page_rate: u64,
    pub lsn_rate: u64,
}

impl Averages {
    /// A round, when the last one wrote this many pages; `false` for the first ever.
    pub fn round(&mut self, o: &Observation<'_>, pages: u64) -> bool {
        let Some((lsn, at)) = self.since else {
            self.since = Some((o.lsn, o.now));
            return false;
        };
        self.rounds += 1;
        self.sum += pages;
        let elapsed = o.now.saturating_sub(at);
        let loops = o.settings.flushing_avg_loops;
        if self.rounds < loops && elapsed < loops.saturating_mul(SECOND) {
            return true;
        }
        let seconds = (elapsed as f64 / SECOND as f64).max(0.001);
        self.page_rate = ((self.sum as f64 / seconds + self.page_rate as f64) / 2.0) as u64;
        let rate = (o.lsn.saturating_sub(lsn) as f64 / seconds) as u64;
        self.lsn_rate = (self.lsn_rate + rate) / 2;
        *self = Averages { since: Some((o.lsn, o.now)), rounds: 0, sum: 0, ..*self };
        true
    }

    fn still(&self, o: &Observation<'_>) -> bool {
        self.since.is_some_and(|(lsn, _)| lsn == o.lsn)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum At {
    #[default]
    Top,
    Awake,
    Log,
    Lru,
    List,
    Idle,
    Flushed,
}

struct Cleaner {
    at: At,
    /// When the master thread merges the change buffer next.
    merge_at: u64,
    loop_start: u64,
    averages: Averages,
    /// Activity at the last full second, and whether there had been some in the second before.
    activity: u64,
    was_active: bool,
    /// Of this pass: the server is active; it began on time, not because a session asked.
    active: bool,
    on_time: bool,
    /// The LSN that must be reached, while the log is short.
    sync: Option<u64>,
    /// Pages of the last list batch, and of those since the averages saw them.
    flushed: usize,
    last_pages: u64,
}

impl Default for Cleaner {
    fn default() -> Cleaner {
        Cleaner {
            at: At::Top,
            merge_at: 0,
            loop_start: 0,
            averages: Averages::default(),
            activity: 0,
            // A server that starts is not idle yet.
            was_active: true,
            active: true,
            on_time: false,
            sync: None,
            flushed: 0,
            last_pages: 0,
        }
    }
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

    /// What the master thread, which does nothing else here, merges each second.
    fn merge(&mut self, o: &Observation<'_>) -> Option<u64> {
        if o.buffered == 0 || o.now < self.merge_at {
            return None;
        }
        self.merge_at = o.now + SECOND;
        Some(merged_each_second(o))
    }

    fn advance(&mut self, o: &Observation<'_>) -> Option<Action> {
        match self.at {
            At::Top => self.top(o),
            At::Awake => self.awake(o),
            At::Log => self.log(),
            At::Lru => self.lru(o),
            At::List => self.list(o),
            At::Idle => self.idle(o),
            At::Flushed => {
                self.flushed = if o.last.refused { 0 } else { o.last.pages };
                self.last_pages += self.flushed as u64;
                if self.sync.is_some() && self.flushed == 0 {
                    return self.then(At::Top, pause(o));
                }
                self.go(At::Top)
            }
        }
    }

    /// Sleeps unless the log is short, or the server is idle and there was something to write.
    fn top(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.active = self.was_active || o.activity != self.activity;
        if self.sync.is_none() && (self.active || self.flushed == 0) {
            return self.sleep(o);
        }
        self.go(At::Awake)
    }

    fn sleep(&mut self, o: &Observation<'_>) -> Option<Action> {
        let until = self.loop_start + SECOND;
        if until <= o.now {
            return self.go(At::Awake);
        }
        self.then(At::Awake, Action::Rest { until, wake: true })
    }

    fn awake(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.on_time = o.now >= self.loop_start + SECOND;
        if self.on_time {
            self.loop_start = o.now;
            self.was_active = o.activity != self.activity;
            self.activity = o.activity;
        }
        let limit = if o.settings.flush_sync { sync_limit(o) } else { None };
        self.sync = limit.map(|lsn| lsn + self.averages.lsn_rate * SCAN);
        self.go(At::Log)
    }

    /// The log first, so that no page has to wait for it.
    fn log(&mut self) -> Option<Action> {
        let next = if self.sync.is_some() || self.active { At::Lru } else { At::Idle };
        self.at = next;
        self.on_time.then_some(Action::FlushLog { sync: true })
    }

    fn lru(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.at = At::List;
        let free = free_target(o);
        let depth = o.settings.lru_scan_depth as usize;
        (o.free < free).then_some(Action::Lru {
            free,
            depth,
            pages: depth,
            neighbours: o.settings.neighbours,
        })
    }

    fn list(&mut self, o: &Observation<'_>) -> Option<Action> {
        let pages = match self.sync {
            None if !self.on_time => 0,
            limit => self.request(o, limit),
        };
        self.order(o, pages, self.sync.unwrap_or(NO_LIMIT))
    }

    /// Pages of this pass. Every pass, whatever it asks for, takes what the last one wrote into the averages.
    fn request(&mut self, o: &Observation<'_>, sync: Option<u64>) -> u64 {
        let last = std::mem::take(&mut self.last_pages);
        if !self.averages.round(o, last) || (sync.is_none() && self.averages.still(o)) {
            return 0;
        }
        request(o, &self.averages, sync)
    }

    fn idle(&mut self, o: &Observation<'_>) -> Option<Action> {
        let pages = capacity(&o.settings).saturating_mul(o.settings.idle_flush_pct) / 100;
        self.order(o, if self.on_time { pages } else { 0 }, NO_LIMIT)
    }

    fn order(&mut self, o: &Observation<'_>, pages: u64, limit: u64) -> Option<Action> {
        if pages == 0 {
            self.flushed = 0;
            return self.go(At::Top);
        }
        let cause = self.cause(o);
        let pages = usize::try_from(pages).unwrap_or(usize::MAX);
        let neighbours = o.settings.neighbours;
        let batch = Batch { neighbours, ..Batch::oldest(pages, limit, cause) };
        self.then(At::Flushed, Action::List(batch))
    }

    /// Which of the rates was the greater one.
    fn cause(&self, o: &Observation<'_>) -> Cause {
        if self.sync.is_some() {
            Cause::Age
        } else if !self.active {
            Cause::Extra
        } else if pct_for_dirty(o) > pct_for_lsn(o) {
            Cause::Dirty
        } else {
            Cause::Age
        }
    }
}

fn pause(o: &Observation<'_>) -> Action {
    Action::Rest { until: o.now + MILLI, wake: false }
}

/// Where the oldest change must come while the log is short.
fn sync_limit(o: &Observation<'_>) -> Option<u64> {
    let l = limits::mysql_8_0(&o.settings).within(o.log_capacity);
    let end = o.lsn.saturating_add(l.margin);
    let limit = end.saturating_sub(l.sync_flush).min(o.lsn);
    (end.saturating_sub(o.oldest) > l.sync_flush && limit > o.oldest).then_some(limit)
}

fn pct_for_dirty(o: &Observation<'_>) -> u64 {
    let (share, max, lwm) = (o.dirty_pct(), o.settings.max_dirty_pct, o.settings.max_dirty_pct_lwm);
    if share == 0.0 {
        0
    } else if lwm == 0.0 {
        if share >= max { 100 } else { 0 }
    } else if share >= lwm {
        (share * 100.0 / (max + 1.0)) as u64
    } else {
        0
    }
}

fn pct_for_lsn(o: &Observation<'_>) -> u64 {
    let s = &o.settings;
    let l = limits::mysql_8_0(s).within(o.log_capacity);
    let low = (s.adaptive_flushing_lwm * l.free_check as f64 / 100.0) as u64;
    let age = o.age();
    if l.page_age == 0 || age < low || (age < l.page_age && !s.adaptive_flushing) {
        return 0;
    }
    pct_for_age(s, 100.0 * age as f64 / l.page_age as f64)
}

/// Pages to ask for; with `sync` until that LSN.
fn request(o: &Observation<'_>, a: &Averages, sync: Option<u64>) -> u64 {
    let s = &o.settings;
    let max = capacity_max(s);
    let (target, scan) = match sync {
        Some(lsn) => (lsn, 1),
        None => (o.oldest + a.lsn_rate * SCAN, SCAN),
    };
    let due = (o.pages_until(target) as u64).min(4 * max * scan);
    let for_lsn = (due / scan).max(1);
    let capped = for_lsn.min(2 * max);
    if sync.is_some() {
        return shared(o, capped.max(capacity(s)), due / scan + 1, for_lsn);
    }
    let pct = pct_for_dirty(o).max(pct_for_lsn(o));
    let asked = capacity(s).saturating_mul(pct) / 100;
    let pages = (asked + a.page_rate + capped) / 3;
    shared(o, pages.min(max), due / scan + 1, for_lsn)
}

/// The share of the only instance: by the age of its pages where the log presses, otherwise all; one more in any case.
fn shared(o: &Observation<'_>, pages: u64, own: u64, all: u64) -> u64 {
    if pct_for_lsn(o) > 30 { own * pages / all + 1 } else { pages + 1 }
}

impl FlushPolicy for Cleaner {
    fn name(&self) -> &'static str {
        "mysql-8.0"
    }

    fn step(&mut self, o: &Observation<'_>) -> Action {
        if self.loop_start == 0 {
            self.loop_start = o.now.max(1);
        }
        if let Some(pages) = self.merge(o) {
            return Action::Merge { pages, wait: false };
        }
        loop {
            if let Some(action) = self.advance(o) {
                return action;
            }
        }
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        let wait_age = Some(limits::mysql_8_0(s).within(s.log_capacity).free_check);
        UserRules { wait_age, free: FreeRule::Cleaner, ..UserRules::default() }
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::by_option(s, pool)
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        Mechanism::native(s.write_io_threads)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Neighbours;
    use super::super::master::tests::{Run, observation};
    use super::super::{Outcome, UserView};
    use super::*;

    fn settings() -> Settings {
        Settings {
            io_capacity: 200,
            io_capacity_max: 2000,
            log_capacity: 0,
            ..super::super::master::tests::plain()
        }
    }

    #[test]
    fn reference_values() {
        // f * sqrt(f) / 7.5 at quotient 1, with one decimal.
        let one = Settings { io_capacity_max: 200, ..settings() };
        let table = [
            (10.0, 4.2),
            (20.0, 11.9),
            (30.0, 21.9),
            (40.0, 33.7),
            (50.0, 47.1),
            (60.0, 62.0),
            (70.0, 78.1),
            (80.0, 95.4),
            (90.0, 113.8),
            (100.0, 133.3),
        ];
        for (f, want) in table {
            let exact: f64 = f * f64::sqrt(f) / 7.5;
            assert!((exact - want).abs() < 0.06, "{f}");
            assert_eq!(pct_for_age(&one, f), exact as u64);
            assert_eq!(pct_for_age(&settings(), f), (exact * 10.0) as u64, "quotient 10");
        }
        assert_eq!(pct_for_age(&one, 0.0), 0);
    }

    #[test]
    fn the_quotient_is_of_integers() {
        for (max, quotient) in [(100, 1.0), (200, 1.0), (399, 1.0), (400, 2.0), (2000, 10.0)] {
            let s = Settings { io_capacity_max: max, ..settings() };
            assert_eq!(pct_for_age(&s, 100.0), (quotient * 1000.0 / 7.5) as u64, "{max}");
        }
    }

    #[test]
    fn dirty_share() {
        let mut o = observation();
        o.settings.max_dirty_pct = 90.0;
        for (lwm, dirty, want) in [
            (0.0, 8999, 0),
            (0.0, 9000, 100),
            (10.0, 999, 0),
            (10.0, 1000, 10),
            (10.0, 4550, 50),
            (10.0, 0, 0),
        ] {
            o.settings.max_dirty_pct_lwm = lwm;
            o.dirty = dirty;
            assert_eq!(pct_for_dirty(&o), want, "{lwm} {dirty}");
        }
    }

    fn aged(age: u64) -> Observation<'static> {
        let mut o = observation();
        o.settings = settings();
        o.oldest = o.lsn - age;
        o.checkpoint = o.oldest;
        o.dirty = 900;
        o
    }

    #[test]
    fn age_and_low_water() {
        let l = limits::mysql_8_0(&settings());
        let low = l.free_check / 10;
        assert_eq!(pct_for_lsn(&aged(low - 1)), 0);
        assert!(pct_for_lsn(&aged(low + 1)) > 0);
        let mut o = aged(l.page_age - 1);
        o.settings.adaptive_flushing = false;
        assert_eq!(pct_for_lsn(&o), 0);
        o.oldest -= 1;
        assert_eq!(pct_for_lsn(&o), 1333);
        o.settings.log_files = 0;
        assert_eq!(pct_for_lsn(&o), 0);
    }

    #[test]
    fn mean_of_three() {
        // Below the low-water mark of the age; dirty 9 %: what was written and the pages of three seconds of redo remain.
        let o = aged(1 << 20);
        let ages = [(o.oldest, 300), (o.oldest + 300_000, 600)];
        let o = Observation { ages: &ages, ..o };
        let a = Averages { page_rate: 50, lsn_rate: 99_999, ..Averages::default() };
        assert_eq!(o.pages_until(o.oldest + 3 * a.lsn_rate), 299);
        assert_eq!(request(&o, &a, None), (50 + 99) / 3 + 1);
        // With nothing dirty the least is one.
        let none = Observation { ages: &[], dirty: 0, ..o };
        assert_eq!(request(&none, &a, None), (50 + 1) / 3 + 1);
        // Dirty 40 %: 40 * 100 / 91 percent of 200.
        let share = Observation { dirty: 4000, ..o };
        assert_eq!(request(&share, &a, None), (2 * 43 + 50 + 99) / 3 + 1);
        let most = Averages { page_rate: 1_000_000, ..a };
        assert_eq!(request(&o, &most, None), 2001);
    }

    #[test]
    fn averages_are_taken_every_so_many_rounds() {
        let mut o = aged(0);
        let mut a = Averages::default();
        assert!(!a.round(&o, 0));
        for i in 0..30 {
            assert_eq!((a.page_rate, a.lsn_rate), (0, 0), "{i}");
            o.now += SECOND / 2;
            o.lsn += 1000;
            assert!(a.round(&o, 10));
        }
        // 300 pages and 30000 bytes in 15 s, and the mean with 0.
        assert_eq!((a.page_rate, a.lsn_rate), (10, 1000));
        // Or after as many seconds, however few rounds.
        o.now += 30 * SECOND;
        o.lsn += 30_000;
        a.round(&o, 300);
        assert_eq!((a.page_rate, a.lsn_rate), (10, 1000));
        assert!(a.still(&o));
    }

    #[test]
    fn sync_flush_when_the_log_is_short() {
        let l = limits::mysql_8_0(&settings());
        let edge = l.sync_flush - l.margin;
        assert_eq!(sync_limit(&aged(edge)), None);
        let o = aged(edge + 1000);
        assert_eq!(sync_limit(&o), Some(o.oldest + 1000));
        assert_eq!(sync_limit(&aged(0)), None);
        // At least the capacity, at most twice the maximum, and no sleep.
        let a = Averages::default();
        let ages = [(o.oldest, 100_000)];
        let with = Observation { ages: &ages, dirty: 9000, ..o };
        assert_eq!(request(&with, &a, Some(o.lsn)), (8000 + 1) * 4000 / 8000 + 1);
        assert!(request(&Observation { ages: &[], ..o }, &a, Some(o.lsn)) >= 200);
    }

    #[test]
    fn a_second_of_an_active_server() {
        let mut run = Run::new("mysql-8.0");
        run.busy = true;
        run.o = aged(20 << 20);
        run.o.now = SECOND;
        (run.o.free, run.o.used) = (100, 9_899);
        assert_eq!(run.one(), Action::Rest { until: 2 * SECOND, wake: true });
        let log = Action::FlushLog { sync: true };
        let lru =
            Action::Lru { free: 1024, depth: 1024, pages: 1024, neighbours: Neighbours::None };
        // The first round only records.
        assert_eq!(run.some(3), [log, lru, Action::Rest { until: 3 * SECOND, wake: true }]);
        run.o.lsn += 1 << 20;
        run.o.last = Outcome { pages: 50, refused: false };
        let got = run.some(4);
        assert_eq!(got[..2], [log, lru]);
        assert!(matches!(got[2], Action::List(b) if b.limit == NO_LIMIT && b.pages > 1));
        assert_eq!(got[3], Action::Rest { until: 4 * SECOND, wake: true });
    }

    #[test]
    fn woken_early_it_makes_frames_free_and_nothing_else() {
        let mut run = Run::new("mysql-8.0");
        run.busy = true;
        run.o.now = SECOND;
        run.o.waiting_frames = 1;
        run.one();
        run.o.now -= SECOND / 2;
        assert!(matches!(run.one(), Action::Lru { .. }));
        assert_eq!(run.one(), Action::Rest { until: 2 * SECOND, wake: true });
    }

    #[test]
    fn idle_flushing() {
        let mut run = Run::new("mysql-8.0");
        run.o = aged(1 << 20);
        run.o.now = SECOND;
        run.o.free = 2000;
        run.o.last = Outcome { pages: 200, refused: false };
        let log = Action::FlushLog { sync: true };
        // The first second may be the beginning of activity.
        assert!(matches!(run.one(), Action::Rest { .. }));
        assert_eq!(run.one(), log);
        let rest = Action::Rest { until: 3 * SECOND, wake: true };
        assert_eq!(run.one(), rest);
        let idle = Action::List(Batch::oldest(200, NO_LIMIT, Cause::Extra));
        assert_eq!(run.some(2), [log, idle]);
        assert!(matches!(run.one(), Action::Rest { .. }));
        run.o.settings.idle_flush_pct = 0;
        let got = run.some(4);
        assert!(got.iter().all(|a| !matches!(a, Action::List(_))), "{got:?}");
    }

    #[test]
    fn sessions_wait_and_write_nothing() {
        let r = Cleaner::default().user_rules(&settings());
        let l = limits::mysql_8_0(&settings());
        assert_eq!((r.preflush, r.dirty, r.free), (None, None, FreeRule::Cleaner));
        let v = UserView { lsn: l.free_check, ..UserView::default() };
        assert!(!r.armed(&v));
        let v = UserView { lsn: l.free_check + 1, ..v };
        assert_eq!(r.check(&v).wait_age, Some(l.free_check));
        assert_eq!(r.check(&v).batch, None);
    }

    #[test]
    fn small_pools_keep_what_is_wanted() {
        let mut o = observation();
        assert_eq!(free_target(&o), 1024);
        (o.used, o.free, o.free_want) = (600, 40, 16);
        assert_eq!(free_target(&o), 384);
        (o.used, o.free) = (60, 4);
        assert_eq!(free_target(&o), 16);
    }
}
