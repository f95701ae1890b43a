//! `mysql-5.6`: the page cleaner of MySQL 5.6.
//!
//! Once a second: pages near eviction, then the mean of what the dirty share or the age asks for, in percent of `innodb_io_capacity`
//! (default 200), and of what was written lately. A batch reaches one or two seconds of redo beyond the oldest change and no further.
//! When the server is idle it writes the capacity again and again until all is clean. Sessions write at the synchronous limit of the log
//! alone. The master checkpoints every seven seconds and merges the change buffer every second.
//!
//! Exact: rates, averages, the factor of what the last batch left, limits and comparisons, the integer quotient of the capacities. Not as
//! it was: one pool instead of instances; pages near eviction are found by Weir's order of replacement, and a session that finds no frame
//! waits for the cleaner instead of writing one page itself; small pools as in `mysql_8_0`. Where an idle pass would be repeated at once
//! and wrote nothing, the second is slept out, as it was.

use super::limits::{self, Limits};
use super::mysql_8_0::{capacity, capacity_max, free_target, merged_each_second, pct_for_age};
use super::{
    Action, Batch, BufferRules, Cause, FlushPolicy, Mechanism, Observation, Preflush, Settings,
    UserRules,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Box::new(Cleaner::default())
}

const SECOND: u64 = 1_000_000_000;
/// The master's checkpoints.
const CHECKPOINT: u64 = 7 * SECOND;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum At {
    #[default]
    Top,
    Awake,
    List,
    /// The batch has ended: one of an active server, which the averages learn from, or of an idle one.
    Flushed(bool),
}

/// What the last batches and the log have come to.
#[derive(Default)]
struct Rates {
    /// Log end when the averages were last taken; 0: before the first round.
    since: u64,
    rounds: u64,
    sum: u64,
    pages: u64,
    lsn: u64,
    /// Of the last round: log end, pages asked for and written.
    last: (u64, u64, u64),
}

impl Rates {
    /// A round at this log end. False: there is nothing to judge by yet, or nothing has happened.
    fn round(&mut self, lsn: u64, loops: u64) -> bool {
        if self.since == 0 || self.since == lsn {
            self.since = lsn;
            return false;
        }
        self.rounds += 1;
        let loops = loops.max(1);
        if self.rounds >= loops {
            self.pages = (self.sum / loops + self.pages) / 2;
            self.lsn = (self.lsn + lsn.saturating_sub(self.since) / loops) / 2;
            (self.since, self.rounds, self.sum) = (lsn, 0, 0);
        }
        true
    }

    /// How many times as far a batch reaches because the last one fell short.
    fn factor(&self, lsn: u64) -> u64 {
        let (end, asked, wrote) = self.last;
        let moved = lsn.saturating_sub(end) > self.lsn / 2;
        if wrote > 0 && moved { asked / wrote } else { 0 }
    }
}

#[derive(Default)]
struct Cleaner {
    at: At,
    rates: Rates,
    /// When the next round, merge and checkpoint come.
    next: u64,
    merge_at: u64,
    checkpoint_at: u64,
    activity: u64,
    active: bool,
    /// Pages of the last round.
    flushed: usize,
    asked: u64,
    /// Log end when its batch was asked for.
    begun: u64,
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

    /// What the master thread does beside the cleaner.
    fn master(&mut self, o: &Observation<'_>) -> Option<Action> {
        if self.checkpoint_at == 0 {
            self.checkpoint_at = o.now + CHECKPOINT;
        }
        if o.now >= self.checkpoint_at {
            self.checkpoint_at = o.now + CHECKPOINT;
            return Some(Action::Checkpoint);
        }
        if o.buffered == 0 || o.now < self.merge_at {
            return None;
        }
        self.merge_at = o.now + SECOND;
        Some(Action::Merge { pages: merged_each_second(o), wait: false })
    }

    fn advance(&mut self, o: &Observation<'_>) -> Option<Action> {
        match self.at {
            At::Top => self.top(o),
            At::Awake => self.awake(o),
            At::List => self.list(o),
            At::Flushed(active) => {
                let pages = if o.last.refused { 0 } else { o.last.pages };
                self.flushed = pages;
                if active {
                    self.rates.sum += pages as u64;
                    self.rates.last = (self.begun, self.asked, pages as u64);
                }
                self.go(At::Top)
            }
        }
    }

    /// Sleeps to the next second, unless the server is idle, nobody reads, and there was something to write.
    fn top(&mut self, o: &Observation<'_>) -> Option<Action> {
        let busy = o.activity != self.activity || o.pending_reads > 0;
        let until = self.next;
        if (busy || self.flushed == 0) && until > o.now {
            return self.then(At::Awake, Action::Rest { until, wake: false });
        }
        self.go(At::Awake)
    }

    fn awake(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.next = o.now + SECOND;
        self.flushed = 0;
        self.active = o.activity != self.activity;
        self.activity = o.activity;
        if !self.active {
            let pages = capacity(&o.settings) as usize;
            let batch = (o.dirty > 0).then(|| batch(o, pages, super::NO_LIMIT, Cause::Extra));
            return match batch {
                Some(b) => self.then(At::Flushed(false), Action::List(b)),
                None => self.go(At::Top),
            };
        }
        self.at = At::List;
        let free = free_target(o);
        let depth = o.settings.lru_scan_depth as usize;
        let neighbours = o.settings.neighbours;
        (o.free < free).then_some(Action::Lru { free, depth, pages: depth, neighbours })
    }

    fn list(&mut self, o: &Observation<'_>) -> Option<Action> {
        if !self.rates.round(o.lsn, o.settings.flushing_avg_loops) {
            return self.go(At::Top);
        }
        self.begun = o.lsn;
        let s = &o.settings;
        let (dirty, age) = (pct_for_dirty(o), pct_for_lsn(o));
        let percent = capacity(s).saturating_mul(dirty.max(age)) / 100;
        self.asked = ((percent + self.rates.pages) / 2).min(capacity_max(s));
        let reach = self.rates.lsn.saturating_mul(self.rates.factor(o.lsn) + 1);
        if self.asked == 0 {
            self.rates.last = (o.lsn, 0, 0);
            return self.go(At::Top);
        }
        let cause = if dirty > age { Cause::Dirty } else { Cause::Age };
        let batch = batch(o, self.asked as usize, o.oldest.saturating_add(reach), cause);
        self.then(At::Flushed(true), Action::List(batch))
    }
}

fn batch(o: &Observation<'_>, pages: usize, limit: u64, cause: Cause) -> Batch {
    Batch { neighbours: o.settings.neighbours, ..Batch::oldest(pages, limit, cause) }
}

/// In whole percent, and each comparison is strict.
fn pct_for_dirty(o: &Observation<'_>) -> u64 {
    let (share, s) = (o.dirty_pct_whole(), &o.settings);
    if s.max_dirty_pct_lwm == 0.0 {
        return if share as f64 > s.max_dirty_pct { 100 } else { 0 };
    }
    let above = share as f64 > s.max_dirty_pct_lwm;
    if above { share * 100 / (s.max_dirty_pct as u64 + 1) } else { 0 }
}

fn pct_for_lsn(o: &Observation<'_>) -> u64 {
    let (l, s, age): (Limits, _, _) = (limits_now(o), &o.settings, o.age());
    let low = (l.capacity as f64 * s.adaptive_flushing_lwm / 100.0) as u64;
    if age < low || l.modified_async == 0 || (age < l.modified_async && !s.adaptive_flushing) {
        return 0;
    }
    pct_for_age(s, (100 * age / l.modified_async) as f64)
}

fn limits_now(o: &Observation<'_>) -> Limits {
    limits::innodb(&o.settings).within(o.log_capacity)
}

impl FlushPolicy for Cleaner {
    fn name(&self) -> &'static str {
        "mysql-5.6"
    }

    fn step(&mut self, o: &Observation<'_>) -> Action {
        if self.next == 0 {
            self.next = o.now + SECOND;
        }
        if matches!(self.at, At::Top | At::Awake)
            && let Some(action) = self.master(o)
        {
            return action;
        }
        loop {
            if let Some(action) = self.advance(o) {
                return action;
            }
        }
    }

    /// The asynchronous limit is gone; the synchronous one and those of the checkpoint stay.
    fn user_rules(&self, s: &Settings) -> UserRules {
        let l = limits::of(s);
        let preflush = Preflush {
            flush_async: None,
            flush_sync: l.modified_sync,
            checkpoint_async: l.checkpoint_async,
            checkpoint_sync: l.checkpoint_max,
            neighbours: s.neighbours,
        };
        UserRules { preflush: Some(preflush), ..UserRules::default() }
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::by_option(s, pool)
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        Mechanism { own_checkpoints: false, ..Mechanism::native(s.write_io_threads) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::NO_LIMIT;
    use super::super::master::tests::{Run, observation, plain};
    use super::*;

    /// The defaults of its time: two files of 48 MiB.
    fn settings() -> Settings {
        Settings {
            io_capacity: 200,
            io_capacity_max: 2000,
            max_dirty_pct: 75.0,
            max_dirty_pct_lwm: 0.0,
            log_file_size: 48 << 20,
            log_capacity: 0,
            ..plain()
        }
    }

    fn aged(age: u64) -> Observation<'static> {
        let mut o = observation();
        o.settings = settings();
        (o.oldest, o.checkpoint) = (o.lsn - age, o.lsn - age);
        (o.free, o.used, o.dirty) = (2000, 8000, 900);
        o
    }

    const ASYNC: u64 = 70_722_894;

    #[test]
    fn percent_by_age() {
        // At the asynchronous limit 133 times the quotient of 10; a tenth of the capacity is where it begins.
        for (age, percent) in [
            (0, 0),
            (9_059_327, 0),
            (9_059_328, (12.0 * f64::sqrt(12.0) / 0.75) as u64),
            (ASYNC / 2 + 1, (50.0 * f64::sqrt(50.0) / 0.75) as u64),
            (ASYNC, 1333),
        ] {
            assert_eq!(pct_for_lsn(&aged(age)), percent, "{age}");
        }
        let mut o = aged(ASYNC - 1);
        o.settings.adaptive_flushing = false;
        assert_eq!(pct_for_lsn(&o), 0);
        o.oldest -= 1;
        assert_eq!(pct_for_lsn(&o), 1333);
    }

    #[test]
    fn percent_by_share() {
        let mut o = aged(0);
        // Of 10000 pages and one.
        for (lwm, dirty, percent) in [
            (0.0, 7600, 0),
            (0.0, 7601, 100),
            (10.0, 1100, 0),
            (10.0, 1101, 11 * 100 / 76),
            (10.0, 7601, 100),
        ] {
            (o.settings.max_dirty_pct_lwm, o.dirty) = (lwm, dirty);
            assert_eq!(pct_for_dirty(&o), percent, "{lwm} {dirty}");
        }
    }

    #[test]
    fn averages_and_reach() {
        let mut r = Rates::default();
        assert!(!r.round(1000, 30), "the first round only looks");
        assert!(!r.round(1000, 30), "nothing was written to the log");
        for i in 1..=30 {
            r.sum += 60;
            assert!(r.round(1000 + i * 300, 30));
        }
        assert_eq!((r.pages, r.lsn, r.rounds, r.sum), (30, 150, 0, 0));
        // The last batch was asked for 100 pages and wrote 30: three times as far, once the log has moved on.
        r.last = (10_000, 100, 30);
        assert_eq!((r.factor(10_075), r.factor(10_076)), (0, 3));
        r.last.2 = 0;
        assert_eq!(r.factor(20_000), 0);
    }

    #[test]
    fn an_active_second() {
        let mut run = Run::new("mysql-5.6");
        run.busy = true;
        run.o = aged(ASYNC);
        let rest = |s: u64| Action::Rest { until: s * SECOND, wake: false };
        assert_eq!(run.some(2), [rest(1), rest(2)], "the first round only looks");
        run.o.lsn += 100;
        run.o.last.pages = 1333;
        let list =
            |pages, o: &Observation<'_>| Action::List(Batch::oldest(pages, o.oldest, Cause::Age));
        // 200 a second times 13.33, halved with an average of nothing; no redo is known yet, so it reaches no further than the oldest.
        assert_eq!(run.one(), list(1333, &run.o));
        run.o.activity += 1;
        run.o.lsn += 50;
        assert_eq!(run.one(), rest(3));
        // Frames are short.
        run.o.free = 10;
        let lru = matches!(run.one(), Action::Lru { free: 1024, depth: 1024, pages: 1024, .. });
        assert!(lru);
    }

    /// The log that was written while the last batch was belongs to what has moved since.
    #[test]
    fn a_round_is_judged_from_its_begin() {
        let mut c = Cleaner::default();
        let mut o = aged(ASYNC);
        c.rates.since = o.lsn - 100;
        let begun = o.lsn;
        assert!(matches!(c.list(&o), Some(Action::List(_))));
        o.lsn += 5000;
        o.last.pages = 10;
        c.advance(&o);
        assert_eq!(c.rates.last, (begun, c.asked, 10));
    }

    #[test]
    fn idle_it_writes_until_all_is_clean() {
        let mut run = Run::new("mysql-5.6");
        run.o = aged(1000);
        run.o.activity = 0;
        run.o.last.pages = 200;
        let list = Action::List(Batch::oldest(200, NO_LIMIT, Cause::Extra));
        assert_eq!(run.some(3)[1..], [list, list]);
        // A read under way, and nothing more to write, put it to sleep.
        run.o.pending_reads = 1;
        assert!(matches!(run.one(), Action::Rest { .. }));
        run.o.pending_reads = 0;
        run.o.dirty = 0;
        assert!(matches!(run.some(2)[1], Action::Rest { .. }));
    }

    #[test]
    fn the_master_checkpoints_every_seven_seconds() {
        let mut run = Run::new("mysql-5.6");
        run.o = aged(0);
        run.o.dirty = 0;
        run.busy = true;
        let mut at = Vec::new();
        for _ in 0..60 {
            if run.one() == Action::Checkpoint {
                at.push(run.o.now / SECOND);
            }
        }
        assert_eq!(at[..3], [7, 14, 21]);
    }

    #[test]
    fn sessions_write_at_the_synchronous_limit_alone() {
        let p = Cleaner::default().user_rules(&settings()).preflush.expect("sessions flush");
        assert_eq!((p.flush_async, p.flush_sync), (None, 75_774_529));
        assert_eq!((p.checkpoint_async, p.checkpoint_sync), (78_300_347, 80_826_164));
    }
}
