//! `xtradb-*`: Percona XtraDB of the 5.1 days, with each of its ways of adaptive checkpointing.
//!
//! - `none` and `reflex` follow the first published import (June 2009, the nearest to the 5.1.34 server): stock's rhythm,
//!   `innodb_io_capacity` 100 by default. Reflex adds two defence lines at 1/2 and 3/4 of `M`, the greatest checkpoint age.
//! - `estimate` and `keep-average` follow release 12: ticks at a fixed cadence, capacity 200 by default. Estimate writes
//!   what would reach `M` on average; keep-average, ten times a second, what a lap of the log makes due less what others
//!   have written.
//!
//! Exact: fractions, amounts, comparisons, the retry every 5 ms of estimate, the tenths of keep-average;
//! `innodb_checkpoint_age_target`. Not as it was: estimate walked the flush list, here the ages of the pages come in
//! intervals and each page counts as old as its interval; keep-average looked for the last newest page in the list, here the
//! pages that became dirty are counted. `innodb_adaptive_flushing`, which was off by default and came first if on, is not
//! read: `plugin-1.0.4` is that. Estimate of release 6 began at 1/2 and took 3/4 without doublewrite; here 1/4 and 7/8.

use super::limits::Limits;
use super::master::{Cadence, LogFlush, Master, Merge, Rules, Tick, above, batch};
use super::mechanism::{LeftOut, SLOTS};
use super::{
    Batch, BufferRules, Cause, FlushPolicy, Mechanism, Observation, ReadAhead, Settings, UserRules,
    limits, stock_5_0,
};

pub fn none() -> Box<dyn FlushPolicy> {
    Master::boxed(First { reflex: false })
}

pub fn reflex() -> Box<dyn FlushPolicy> {
    Master::boxed(First { reflex: true })
}

pub fn estimate() -> Box<dyn FlushPolicy> {
    Master::boxed(Estimate::default())
}

pub fn keep_average() -> Box<dyn FlushPolicy> {
    Master::boxed(KeepAverage::default())
}

fn limits_now(o: &Observation<'_>) -> Limits {
    limits::innodb(&o.settings).within(o.log_capacity)
}

fn user_rules(s: &Settings) -> UserRules {
    stock_5_0::user_rules(s, limits::of(s).with_target(s.checkpoint_age_target))
}

fn mechanism(s: &Settings) -> Mechanism {
    let (random, linear) = s.read_ahead;
    let ahead = ReadAhead::built_in(random, linear, s.read_io_threads);
    // Percona's patch gave all write threads together the slots of one.
    let of_threads = match s.left_out.has(LeftOut::ONE_ARRAY) {
        true => Mechanism::threads(s.write_io_threads),
        false => Mechanism::simulated(s.write_io_threads, SLOTS),
    };
    Mechanism { ahead, ..of_threads }
}

/// A percentage of the capacity for merging, made faster by `innodb_ibuf_accel_rate`. `pending`: requests at which the device is no
/// longer quiet.
fn merge(rules: &impl Rules, o: &Observation<'_>, at: Merge, pending: u64) -> u64 {
    let s = &o.settings;
    let accelerated =
        |percent| rules.capacity(s).saturating_mul(s.ibuf_accel_rate) * percent / 10_000;
    match at {
        Merge::Tick { io } if o.pending_io() as u64 >= pending || io >= rules.pct(s, 5) => 0,
        Merge::Tick { .. } | Merge::Tenth => accelerated(5),
        Merge::Idle => accelerated(100),
    }
}

/// The import of June 2009.
struct First {
    reflex: bool,
}

impl First {
    /// Beyond 7/8 it is left to the sessions; between the lines ticks do not sleep.
    fn defend(&self, o: &Observation<'_>) -> Tick {
        let m = limits_now(o).checkpoint_max;
        let age = o.age();
        let percent = if age > m - m / 8 {
            return Tick::default();
        } else if age > m - m / 4 {
            100
        } else if age > m / 2 {
            10
        } else {
            return Tick::default();
        };
        let batch = Some(self.batch(o, percent, Cause::Age));
        Tick { batch, skip_sleep: true, ..Tick::default() }
    }
}

impl Rules for First {
    fn name(&self) -> &'static str {
        if self.reflex { "xtradb-reflex" } else { "xtradb-none" }
    }

    fn capacity(&self, s: &Settings) -> u64 {
        s.io_capacity_or(100)
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        if self.reflex && !above(o.dirty_pct_whole(), o.settings.max_dirty_pct) {
            return self.defend(o);
        }
        stock_5_0::dirty_tick(self, o)
    }

    fn extra(&self, o: &Observation<'_>, io: u64) -> Option<Batch> {
        let quiet = o.pending_io() < 3 && io < self.pct(&o.settings, 200);
        quiet.then(|| self.batch(o, 100, Cause::Extra))
    }

    fn merge(&self, o: &Observation<'_>, at: Merge) -> u64 {
        merge(self, o, at, 3)
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::xtradb(s, pool)
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        user_rules(s)
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        mechanism(s)
    }
}

#[derive(Default)]
struct Estimate {
    /// Log end at the last tick.
    last: Option<u64>,
}

impl Estimate {
    /// Pages, and how far the log has come since the last tick.
    fn pages(&self, o: &Observation<'_>) -> Option<(u64, u64)> {
        let m = limits_now(o).checkpoint_max;
        let age = o.age();
        if o.dirty == 0 || age > m - m / 8 || age <= m / 4 {
            return None;
        }
        // Bytes that all pages together have left to `M`.
        let left =
            |start: u64| u128::from(m.saturating_sub(o.lsn.saturating_sub(start.max(o.oldest))));
        let level: u128 = o.ages.iter().map(|&(start, n)| left(start) * u128::from(n)).sum();
        let progress = o.lsn.saturating_sub(self.last.unwrap_or(o.lsn));
        let dirty = o.dirty as u128;
        let mut pages = (dirty * dirty * u128::from(progress)).checked_div(level).unwrap_or(0);
        if !o.settings.doublewrite {
            pages = pages * 7 / 8;
        }
        Some((u64::try_from(pages).unwrap_or(u64::MAX), progress))
    }
}

impl Rules for Estimate {
    fn name(&self) -> &'static str {
        "xtradb-estimate"
    }

    fn capacity(&self, s: &Settings) -> u64 {
        s.io_capacity_or(200)
    }

    fn cadence(&self) -> Cadence {
        Cadence::Fixed
    }

    fn log_flush(&self) -> LogFlush {
        LogFlush::EachSecond
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        let mut tick = stock_5_0::dirty_tick(self, o);
        if tick.batch.is_none() {
            tick.batch = self.pages(o).map(|(pages, progress)| Batch {
                limit: o.oldest + progress,
                ..batch(o, pages as usize, Cause::Age)
            });
            tick.retry = Some(5_000_000);
        }
        self.last = Some(o.lsn);
        tick
    }

    fn merge(&self, o: &Observation<'_>, at: Merge) -> u64 {
        merge(self, o, at, self.pct(&o.settings, 3))
    }

    fn merge_waits(&self, _s: &Settings, _at: Merge) -> bool {
        false
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::xtradb(s, pool)
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        user_rules(s)
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        mechanism(s)
    }
}

#[derive(Default)]
struct KeepAverage {
    /// Log end, dirty pages and pages that became dirty, at the last tick; `None` after a tick that did something else.
    last: Option<(u64, usize, u64)>,
    /// Pages that the last tick wrote itself.
    flushed: u64,
}

impl KeepAverage {
    fn average(&self, o: &Observation<'_>) -> Option<Batch> {
        let (lsn, dirty, dirtied) = self.last?;
        let progress = o.lsn.saturating_sub(lsn);
        let new = o.dirtied.saturating_sub(dirtied);
        let cleaned = (new + dirty as u64).saturating_sub(o.dirty as u64);
        let lap = u128::from(limits_now(o).modified_async.max(1));
        let due = (o.dirty as u128 * u128::from(progress) / lap) as u64;
        let pages = due.saturating_sub(cleaned.saturating_sub(self.flushed));
        (pages > 0).then(|| Batch {
            limit: o.oldest + progress,
            ..batch(o, pages as usize + 1, Cause::Age)
        })
    }
}

impl Rules for KeepAverage {
    fn name(&self) -> &'static str {
        "xtradb-keep-average"
    }

    fn capacity(&self, s: &Settings) -> u64 {
        s.io_capacity_or(200)
    }

    fn cadence(&self) -> Cadence {
        Cadence::Fixed
    }

    fn log_flush(&self) -> LogFlush {
        LogFlush::EachSecond
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        let tick = stock_5_0::dirty_tick(self, o);
        if tick.batch.is_some() {
            self.last = None;
            return tick;
        }
        let batch = self.average(o);
        self.last = Some((o.lsn, o.dirty, o.dirtied));
        Tick { batch, tenth: true, ..Tick::default() }
    }

    fn ticked(&mut self, pages: usize) {
        self.flushed = pages as u64;
    }

    fn merge(&self, o: &Observation<'_>, at: Merge) -> u64 {
        merge(self, o, at, self.pct(&o.settings, 3))
    }

    fn merge_waits(&self, _s: &Settings, _at: Merge) -> bool {
        false
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::xtradb(s, pool)
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        user_rules(s)
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        mechanism(s)
    }
}

#[cfg(test)]
mod tests {
    use super::super::NO_LIMIT;
    use super::super::master::tests::{Run, observation};
    use super::*;

    /// `M` of two files of 256 MiB.
    const M: u64 = 434154333;

    fn aged(age: u64) -> Observation<'static> {
        let mut o = observation();
        o.settings.log_file_size = 256 << 20;
        o.settings.io_capacity = 1000;
        o.oldest = o.lsn - age;
        o.dirty = 1000;
        o
    }

    #[test]
    fn reflex_lines() {
        let mut reflex = First { reflex: true };
        for (age, pages) in [
            (0, None),
            (M / 2, None),
            (M / 2 + 1, Some(100)),
            (M - M / 4, Some(100)),
            (M - M / 4 + 1, Some(1000)),
            (M - M / 8, Some(1000)),
            (M - M / 8 + 1, None),
            (M, None),
        ] {
            let t = reflex.tick(&aged(age));
            assert_eq!(t.batch.map(|b| b.pages), pages, "{age}");
            assert_eq!(t.skip_sleep, pages.is_some());
            assert_eq!(First { reflex: false }.tick(&aged(age)), Tick::default());
        }
        // The dirty limit comes first.
        let o = Observation { dirty: 9_500, ..aged(M) };
        let t = reflex.tick(&o);
        assert_eq!(t.batch.map(|b| (b.pages, b.cause)), Some((1000, Cause::Dirty)));
        assert!(t.skip_sleep);
    }

    #[test]
    fn the_quiet_device_of_the_first_release() {
        for (pending, io, extra) in [(2, 1999, true), (3, 1999, false), (2, 2000, false)] {
            let o = Observation { pending, ..aged(0) };
            assert_eq!(First { reflex: false }.extra(&o, io).is_some(), extra);
        }
        assert_eq!(First { reflex: false }.capacity(&Settings::default()), 100);
    }

    #[test]
    fn estimate_of_pages() {
        let age = M / 2;
        let mut o = aged(age);
        // All pages first changed at the same time: each has M - age left, so D * progress / (M - age).
        let ages = [(o.oldest, 1000)];
        o.ages = &ages;
        let at = |o: &Observation<'_>| {
            let mut e = Estimate { last: Some(o.lsn - 1_000_000) };
            let t = e.tick(o);
            assert_eq!((e.last, t.skip_sleep, t.retry), (Some(o.lsn), false, Some(5_000_000)));
            t.batch.map(|b| (b.pages, b.limit))
        };
        let want = 1000 * 1_000_000 / (M - age);
        assert_eq!(want, 4);
        assert_eq!(at(&o), Some((4, o.oldest + 1_000_000)));
        o.settings.doublewrite = false;
        assert_eq!(at(&o), Some((3, o.oldest + 1_000_000)));
        o.settings.doublewrite = true;
        for (age, acts) in
            [(M / 4, false), (M / 4 + 1, true), (M - M / 8, true), (M - M / 8 + 1, false)]
        {
            o.oldest = o.lsn - age;
            let ages = [(o.oldest, 1000)];
            assert_eq!(at(&Observation { ages: &ages, ..o }).is_some(), acts, "{age}");
        }
    }

    #[test]
    fn estimate_without_pages() {
        let mut e = Estimate { last: Some(0) };
        // Dirty, but no ages are known: the level is zero.
        let t = e.tick(&aged(M / 2));
        assert_eq!(t.batch.map(|b| b.pages), Some(0));
        let o = Observation { dirty: 0, ..aged(0) };
        assert_eq!(e.tick(&o).batch, None);
    }

    #[test]
    fn average_is_kept() {
        let mut k = KeepAverage::default();
        let mut o = aged(M / 2);
        o.dirty = 3000;
        let async_limit = 379885042u64;
        let t = k.tick(&o);
        assert_eq!(t, Tick { tenth: true, ..Tick::default() }, "the first only records");
        // 1 MB of redo: 3000 * 1e6 / limit = 7 pages are due, and one more is asked for.
        o.lsn += 1_000_000;
        assert_eq!(3000 * 1_000_000 / async_limit, 7);
        let b = k.tick(&o).batch.expect("due");
        assert_eq!((b.pages, b.limit), (8, o.oldest + 1_000_000));
        k.ticked(8);
        // Ten became dirty, and there are as many as before: ten were cleaned, eight of them by the last tick.
        o.lsn += 1_000_000;
        o.dirtied += 10;
        assert_eq!(k.tick(&o).batch.map(|b| b.pages), Some(5 + 1));
        // Others clean more than is due.
        k.ticked(0);
        o.lsn += 1_000_000;
        o.dirtied += 10;
        assert_eq!(k.tick(&o).batch, None);
        // More pages dirty than accounted for: none were cleaned.
        o.lsn += 1_000_000;
        o.dirty += 1;
        assert_eq!(k.tick(&o).batch.map(|b| b.pages), Some(8));
        // Above the dirty limit: a full batch, a whole tick, and then it records again.
        o.dirty = 9_500;
        let t = k.tick(&o);
        assert_eq!(t.batch.map(|b| (b.pages, b.limit)), Some((1000, NO_LIMIT)));
        assert!(t.skip_sleep && !t.tenth);
        o.dirty = 3000;
        o.lsn += 1_000_000;
        assert_eq!(k.tick(&o).batch, None);
    }

    #[test]
    fn checkpoint_age_target() {
        let o = aged(0);
        let s = Settings { checkpoint_age_target: 200_000_000, log_capacity: 0, ..o.settings };
        let p = user_rules(&s).preflush.expect("sessions flush");
        assert_eq!((p.flush_async, p.checkpoint_async), (Some(175_000_000), 200_000_000));
    }

    #[test]
    fn names() {
        for name in ["xtradb-none", "xtradb-reflex", "xtradb-estimate", "xtradb-keep-average"] {
            Run::new(name).some(10);
        }
    }
}
