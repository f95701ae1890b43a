//! `google-v4`: Google's fourth patch set for MySQL 5.0.37.
//!
//! Ticks always sleep their second; instead each writes in proportion to `innodb_io_capacity` (default 100). What holds the
//! dirty limit is not the master but the sessions: more than five percent above it each of them writes
//! (`innodb_check_max_dirty_foreground`). With `innodb_adaptive_checkpoint` the master takes over what sessions did at the
//! asynchronous limit of the log, and the trickle of two percent is off.
//!
//! Exact: both rules, all amounts and comparisons, the bound by free request slots, neighbours by who writes. Not as it was:
//! merges of the change buffer are bounded by the slots of all reads, not by the free ones; `innodb_free_list_target` is Weir's own
//! free list.

use super::buffer::google_soft;
use super::master::{LogFlush, Master, Merge, Rules, Tick, batch};
use super::{
    Batch, BufferRules, Cause, FlushPolicy, Mechanism, Neighbours, Observation, ReadAhead,
    Settings, UserDirty, UserRules, limits, stock_5_0, user,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Master::boxed(V4)
}

struct V4;

impl V4 {
    /// That percentage of the capacity, as far as the write requests have room.
    fn some(&self, o: &Observation<'_>, percent: u64, cause: Cause) -> Option<Batch> {
        let pages = (self.pct(&o.settings, percent) as usize).min(o.write_free());
        (pages > 0).then(|| batch(o, pages, cause))
    }

    /// Back to the asynchronous limit. The patch passes a budget too and does not use it.
    fn adaptive(&self, o: &Observation<'_>) -> Option<Batch> {
        let limit = limits::innodb(&o.settings).within(o.log_capacity).modified_async;
        let advance = o.age().saturating_sub(limit);
        (advance > 0)
            .then(|| Batch { limit: o.oldest + advance, ..batch(o, usize::MAX, Cause::Age) })
    }
}

/// Of all frames and one, which is less than of the pages in memory and free.
fn dirty_pct(o: &Observation<'_>) -> u64 {
    user::whole_pct(o.dirty, o.pool)
}

impl Rules for V4 {
    fn name(&self) -> &'static str {
        "google-v4"
    }

    fn capacity(&self, s: &Settings) -> u64 {
        s.io_capacity_or(100)
    }

    fn log_flush(&self) -> LogFlush {
        LogFlush::AlwaysButIdle
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        // Reached is enough here, and then the age is not looked at.
        let batch = if dirty_pct(o) as f64 >= o.settings.max_dirty_pct {
            self.some(o, 100, Cause::Dirty)
        } else if o.settings.adaptive_checkpoint {
            self.adaptive(o)
        } else {
            self.some(o, 2, Cause::Extra)
        };
        Tick { batch, ..Tick::default() }
    }

    fn extra(&self, _o: &Observation<'_>, _io: u64) -> Option<Batch> {
        None
    }

    fn fixed(&self, o: &Observation<'_>) -> Option<Batch> {
        Some(self.batch(o, 2, Cause::Extra))
    }

    fn idle(&self, o: &Observation<'_>) -> Option<Batch> {
        let neighbours = Neighbours::Area;
        self.some(o, 100, Cause::Extra).map(|b| Batch { neighbours, ..b })
    }

    fn over_limit(&self, o: &Observation<'_>) -> bool {
        dirty_pct(o) as f64 > o.settings.max_dirty_pct
    }

    /// In each tick, quiet or not, more of it above the soft limit; nothing in the 10-second part.
    fn merge(&self, o: &Observation<'_>, at: Merge) -> u64 {
        let s = &o.settings;
        let want = match at {
            Merge::Tick { .. } if o.buffered > google_soft(s, o.pool as u64) => s.ibuf_flush_pct,
            Merge::Tick { .. } => 2,
            Merge::Tenth => 0,
            Merge::Idle => 50,
        };
        self.pct(s, want).min(self.mechanism(s).slots as u64)
    }

    fn merge_waits(&self, s: &Settings, at: Merge) -> bool {
        s.ibuf_reads_sync || at == Merge::Idle
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::google(s, pool)
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        let mut rules = stock_5_0::user_rules(s, limits::of(s));
        if let Some(p) = &mut rules.preflush {
            p.neighbours = s.neighbours_foreground;
            if s.adaptive_checkpoint {
                p.flush_async = None;
            }
        }
        rules.dirty = s.check_max_dirty_foreground.then(|| UserDirty {
            above_pct: s.max_dirty_pct as u64 + 5,
            pages: self.pct(s, 50) as usize,
            neighbours: s.neighbours,
        });
        rules
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        // The range that the patch took the option in.
        let capacity = self.capacity(s).clamp(100, 10_000);
        let slots = capacity.max(256).next_power_of_two() as usize;
        let merge = s.max_merged_io.max(1) as usize;
        let (random, linear) = (s.readahead_random, s.readahead_sequential);
        let ahead = ReadAhead::built_in(random, linear, s.read_io_threads);
        Mechanism { merge, ahead, ..Mechanism::simulated(s.write_io_threads, slots) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::master::tests::{Run, observation};
    use super::super::{Action, NO_LIMIT, Outcome, UserView};
    use super::*;

    /// The configuration of the published runs: two files of 1900 MiB, 1000 pages per second, a limit of 20 %.
    fn published() -> Settings {
        Settings {
            io_capacity: 1000,
            max_dirty_pct: 20.0,
            log_file_size: 1900 << 20,
            adaptive_checkpoint: true,
            check_max_dirty_foreground: true,
            neighbours: Neighbours::Area,
            write_io_threads: 16,
            log_capacity: 0,
            ..super::super::master::tests::plain()
        }
    }

    fn tick(o: &Observation<'_>) -> Option<(usize, u64, Cause)> {
        let t = V4.tick(o);
        assert!(!t.skip_sleep);
        t.batch.map(|b| (b.pages, b.limit, b.cause))
    }

    #[test]
    fn reached_is_enough_for_the_background_rule() {
        let mut o = observation();
        o.settings = published();
        o.write_slots = 1024;
        // Of 10000 frames and one.
        for (dirty, want) in [(2000, None), (2001, Some(1000)), (2600, Some(1000))] {
            o.dirty = dirty;
            assert_eq!(tick(&o).map(|b| b.0), want, "{dirty}");
        }
        o.pending = 524;
        assert_eq!(tick(&o), Some((500, NO_LIMIT, Cause::Dirty)));
        o.pending = 1024;
        assert_eq!(tick(&o), None, "no place among the requests");
    }

    #[test]
    fn trickle_or_adaptive() {
        let mut o = observation();
        o.settings = published();
        o.write_slots = 1024;
        let limit = 2823455095;
        o.lsn = 10_000_000_000;
        o.oldest = o.lsn - limit;
        assert_eq!(tick(&o), None);
        o.oldest -= 7;
        assert_eq!(tick(&o), Some((usize::MAX, o.oldest + 7, Cause::Age)));
        // Above the dirty limit the age is not looked at in this tick.
        o.dirty = 5000;
        assert_eq!(tick(&o).map(|b| b.2), Some(Cause::Dirty));
        o.dirty = 0;
        o.settings.adaptive_checkpoint = false;
        assert_eq!(tick(&o), Some((20, NO_LIMIT, Cause::Extra)));
        o.settings.io_capacity = 0;
        assert_eq!(tick(&o), Some((2, NO_LIMIT, Cause::Extra)), "100 by default");
    }

    #[test]
    fn ticks_always_sleep() {
        let mut run = Run::new("google-v4");
        run.busy = true;
        run.o.settings = published();
        run.o.write_slots = 1024;
        run.o.dirty = 9000;
        run.o.last = Outcome { pages: 0, refused: true };
        for i in 1..=10 {
            let got = run.some(4);
            assert_eq!(got[0], Action::Rest { until: i * 1_000_000_000, wake: false });
            assert_eq!(got[1], Action::FlushLog { sync: true });
            assert_eq!(got[2], Action::UserCheck);
            assert!(matches!(got[3], Action::List(Batch { pages: 1000, cause: Cause::Dirty, .. })));
        }
        // No extra batch and no 70 % rule.
        let got = run.some(3);
        assert_eq!(got[0], Action::FlushLog { sync: true });
        assert!(matches!(got[1], Action::List(Batch { pages: 20, cause: Cause::Extra, .. })));
        assert_eq!(got[2], Action::Checkpoint);
    }

    #[test]
    fn idle_writes_the_log_and_makes_it_durable_once_a_second() {
        let mut run = Run::new("google-v4");
        run.o.settings = Settings { flush_log_at_trx_commit: 2, ..published() };
        run.o.write_slots = 1024;
        run.o.last = Outcome { pages: 1000, refused: false };
        let mut syncs = vec![];
        run.some(3);
        for _ in 0..2 {
            let got = run.some(4);
            let area = matches!(got[0], Action::List(b) if b.neighbours == Neighbours::Area);
            assert!(area);
            syncs.push(got[2]);
        }
        let log = |sync| Action::FlushLog { sync };
        assert_eq!(syncs, [log(false), log(false)], "the tick did in this second");
        run.o.now += 1_000_000_000;
        assert_eq!(run.some(4)[2], log(true));
        run.o.settings.flush_log_at_trx_commit = 1;
        assert_eq!(run.some(4)[2], log(true));
    }

    #[test]
    fn sessions_hold_the_dirty_limit() {
        let r = V4.user_rules(&published());
        let p = r.preflush.expect("sessions flush");
        assert_eq!((p.flush_async, p.flush_sync), (None, 3025130459));
        assert_eq!((p.neighbours, p.checkpoint_sync), (Neighbours::None, 3226805822));
        let d = r.dirty.expect("sessions hold the limit");
        assert_eq!((d.above_pct, d.pages, d.neighbours), (25, 500, Neighbours::Area));
        // The published status print: 25.83 % of a pool of 8 GiB, at a limit of 20.
        let view = |share: f64| UserView {
            dirty: (524288.0 * share / 100.0) as usize,
            pool: 524288,
            write_free: 1024,
            ..UserView::default()
        };
        assert!(!r.armed(&view(25.83)));
        assert!(r.armed(&view(26.01)));
        assert_eq!(r.check(&view(26.01)).batch.map(|b| b.pages), Some(500));
        let off = Settings {
            check_max_dirty_foreground: false,
            adaptive_checkpoint: false,
            ..published()
        };
        let r = V4.user_rules(&off);
        assert_eq!(r.dirty, None);
        assert_eq!(r.preflush.and_then(|p| p.flush_async), Some(2823455095));
    }

    #[test]
    fn request_slots() {
        for (io_capacity, slots) in [(0, 256), (100, 256), (257, 512), (1000, 1024), (10000, 16384)]
        {
            let io = V4.mechanism(&Settings { io_capacity, ..published() });
            assert_eq!((io.in_flight, io.slots), (16, slots));
        }
    }
}
