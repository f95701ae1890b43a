//! `stock-5.0`: the InnoDB built into MySQL 5.0.75 and 5.1.34, which decide alike.
//!
//! Exact: the master's rhythm, its literal amounts (100, 10, 200 I/Os, 3 pending), the sessions' margin procedure at the
//! fractions of the redo log, the margin of replaceable pages, the order of replacement. How near everything else comes: docs/flush.md.
//!
//! Not as it was: neighbours follow `innodb_flush_neighbors`, where the builds always wrote the area (the profiles of these
//! servers set it so); `innodb_io_capacity` and `innodb_write_io_threads` are not read, since the builds had neither: one
//! thread writes. The master's part in purge and dropped tables is not here (`master`). The change buffer is Weir's, see `buffer`. Where a
//! tick without sleep found the last batch running it spun; here it rests 1 ms.

use super::master::{Master, Merge, Rules, Tick, above};
use super::{
    BufferRules, Cause, FlushPolicy, Mechanism, Observation, Preflush, ReadAhead, Settings,
    UserRules, limits, user,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Master::boxed(Stock)
}

struct Stock;

/// The literal 100 pages of the builds: all their amounts are percentages of it.
const CAPACITY: u64 = 100;

impl Rules for Stock {
    fn name(&self) -> &'static str {
        "stock-5.0"
    }

    fn capacity(&self, _s: &Settings) -> u64 {
        CAPACITY
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        dirty_tick(self, o)
    }

    fn merge(&self, o: &Observation<'_>, at: Merge) -> u64 {
        match at {
            Merge::Tick { io } if o.pending_io() >= 3 || io >= 5 => 0,
            Merge::Tick { .. } | Merge::Tenth => 5,
            Merge::Idle => 20,
        }
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::built_in(s, pool)
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        user_rules(s, limits::of(s))
    }

    fn mechanism(&self, _s: &Settings) -> Mechanism {
        Mechanism { ahead: ReadAhead::built_in(true, true, 1), ..Mechanism::threads(1) }
    }
}

/// Above the dirty limit a full batch, and on without a sleep.
pub fn dirty_tick(rules: &impl Rules, o: &Observation<'_>) -> Tick {
    if !above(o.dirty_pct_whole(), o.settings.max_dirty_pct) {
        return Tick::default();
    }
    let batch = Some(rules.batch(o, 100, Cause::Dirty));
    Tick { batch, skip_sleep: true, ..Tick::default() }
}

/// What sessions do in all builds up to 5.5.
pub fn user_rules(s: &Settings, l: limits::Limits) -> UserRules {
    let preflush = Preflush {
        flush_async: Some(l.modified_async),
        flush_sync: l.modified_sync,
        checkpoint_async: l.checkpoint_async,
        checkpoint_sync: l.checkpoint_max,
        neighbours: s.neighbours,
    };
    UserRules {
        preflush: Some(preflush),
        free: user::users_free(s.neighbours),
        ..UserRules::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::master::tests::{Run, observation};
    use super::super::{Action, Batch, FreeRule, NO_LIMIT, Neighbours, Outcome};
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn list(pages: usize, cause: Cause) -> Action {
        Action::List(Batch::oldest(pages, NO_LIMIT, cause))
    }

    fn rest(until: u64) -> Action {
        Action::Rest { until, wake: false }
    }

    const LOG: Action = Action::FlushLog { sync: true };

    #[test]
    fn a_quiet_round() {
        let mut run = Run::new("stock-5.0");
        run.o.activity += 1;
        run.busy = true;
        for i in 1..=10 {
            assert_eq!(run.some(3), [rest(i * SECOND), LOG, Action::UserCheck]);
        }
        // Quiet: the extra batch, the log, the log behind the merge, the fixed batch, the checkpoint, the next round.
        assert_eq!(
            run.some(6),
            [
                list(100, Cause::Extra),
                LOG,
                LOG,
                list(10, Cause::Extra),
                Action::Checkpoint,
                rest(11 * SECOND)
            ]
        );
    }

    #[test]
    fn the_extra_batch_wants_a_quiet_device() {
        for (pending, io, extra) in [(2, 199, true), (3, 199, false), (2, 200, false), (0, 0, true)]
        {
            let mut o = observation();
            o.pending = pending;
            assert_eq!(Stock.extra(&o, io).is_some(), extra, "{pending} {io}");
        }
        // I/Os count from the start of the round.
        let mut run = Run::new("stock-5.0");
        run.busy = true;
        run.o.io = 1_000_000;
        run.some(30);
        run.o.io += 200;
        assert_eq!(run.some(2), [LOG, list(10, Cause::Extra)]);
    }

    #[test]
    fn above_the_limit_ticks_run_back_to_back() {
        let mut run = Run::new("stock-5.0");
        run.busy = true;
        run.o.settings.max_dirty_pct = 20.0;
        run.o.dirty = 2_101;
        run.o.last = Outcome { pages: 100, refused: false };
        let dirty = list(100, Cause::Dirty);
        assert_eq!(run.some(3), [rest(SECOND), LOG, Action::UserCheck]);
        assert_eq!(run.some(4), [dirty, LOG, Action::UserCheck, dirty]);
        // Refused: a rest of 1 ms, which no session ends.
        run.o.last = Outcome { pages: 0, refused: true };
        let now = run.o.now;
        assert_eq!(run.some(3), [rest(now + 1_000_000), LOG, Action::UserCheck]);
        assert_eq!(run.some(2), [dirty, rest(now + 2_000_000)]);
    }

    #[test]
    fn the_limit_itself_is_not_above() {
        // Of 10001 pages and one: 20.99 % are 20, 21 % are above.
        for (dirty, acts) in [(0, false), (2_000, false), (2_099, false), (2_101, true)] {
            let mut o = observation();
            o.settings.max_dirty_pct = 20.0;
            o.dirty = dirty;
            assert_eq!(Stock.tick(&o).batch.is_some(), acts, "{dirty}");
        }
    }

    #[test]
    fn seventy_percent() {
        let mut o = observation();
        let pages = |o: &Observation<'_>| Stock.fixed(o).map(|b| b.pages);
        o.dirty = 7_000;
        assert_eq!(pages(&o), Some(10));
        o.dirty = 7_101;
        assert_eq!(pages(&o), Some(100));
    }

    #[test]
    fn an_empty_pool_divides_by_one() {
        let o = Observation { settings: Settings::default(), ..Observation::default() };
        assert_eq!((o.dirty_pct_whole(), o.dirty_pct()), (0, 0.0));
        assert_eq!(Stock.tick(&o), Tick::default());
    }

    #[test]
    fn idle_until_clean_then_suspended() {
        let mut run = Run::new("stock-5.0");
        assert_eq!(run.some(3), [rest(SECOND), LOG, Action::UserCheck]);
        let pass = [list(100, Cause::Extra), Action::AwaitList, LOG, Action::Checkpoint];
        run.o.last = Outcome { pages: 100, refused: false };
        // Without a sleep, as long as something is written.
        assert_eq!(run.some(8), [pass, pass].concat());
        run.o.last = Outcome::default();
        assert_eq!(run.some(4), pass);
        let now = run.o.now;
        assert_eq!(run.some(2), [rest(now + SECOND / 10), rest(now + 2 * SECOND / 10)]);
        // Activity wakes it.
        run.o.activity += 1;
        let now = run.o.now;
        assert_eq!(run.one(), rest(now + SECOND));
    }

    #[test]
    fn activity_is_compared_with_the_start_of_the_round() {
        let mut run = Run::new("stock-5.0");
        run.some(1);
        run.o.activity += 1;
        // One change in the first second keeps the whole round going.
        run.some(2);
        for _ in 0..9 {
            assert!(matches!(run.some(3)[0], Action::Rest { .. }));
        }
        let rest = run.some(6);
        assert_eq!(rest[4], Action::Checkpoint);
        assert!(matches!(rest[5], Action::Rest { .. }), "a new round");
        // In the next one nothing changes: idle after its first tick.
        assert_eq!(run.some(3)[2], list(100, Cause::Extra));
    }

    #[test]
    fn sessions_and_device() {
        let s = Settings {
            log_file_size: 256 << 20,
            neighbours: Neighbours::Area,
            log_capacity: 0,
            ..Settings::default()
        };
        let r = Stock.user_rules(&s);
        let p = r.preflush.expect("sessions flush");
        assert_eq!((p.flush_async, p.flush_sync), (Some(379885042), 407019688));
        assert_eq!((p.checkpoint_async, p.checkpoint_sync), (420587011, 434154333));
        let area = Neighbours::Area;
        let free = FreeRule::Users { margin: 69, extra: 117, scan: 133, neighbours: area };
        assert_eq!((r.free, r.wait_age, r.dirty), (free, None, None));
        let io = Stock.mechanism(&s);
        assert_eq!((io.in_flight, io.slots, io.own_checkpoints), (1, 256, false));
    }
}
