//! `mysql-5.5`: adaptive flushing as in `plugin_1_0_4`, at a fixed cadence.
//!
//! Each tick begins one second after the last one began, whatever it flushed, so `innodb_io_capacity` (default 200) is what
//! the flush list gives up in a second.
//!
//! Exact: rate, rhythm, limits, native asynchronous I/O. Not as it was: one pool instead of instances; neighbours are not
//! stopped at the number of pages that was asked for.

use super::master::{Cadence, LogFlush, Master, Merge, Rules, Tick};
use super::mechanism::{MERGE, Replacement};
use super::plugin_1_0_4::{DesiredRate, adaptive_tick, ahead};
use super::{
    FlushPolicy, Mechanism, Observation, ReadAhead, Settings, UserRules, limits, stock_5_0,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Master::boxed(Fixed { rate: DesiredRate::default() })
}

struct Fixed {
    rate: DesiredRate,
}

impl Rules for Fixed {
    fn name(&self) -> &'static str {
        "mysql-5.5"
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

    fn see(&mut self, o: &Observation<'_>) {
        self.rate.see(o);
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        adaptive_tick(self, &self.rate, o)
    }

    /// Their reads are asynchronous.
    fn merge_waits(&self, _s: &Settings, _at: Merge) -> bool {
        false
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        stock_5_0::user_rules(s, limits::of(s))
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        // The kernel's queue joins what is adjacent.
        Mechanism {
            replacement: Replacement::Midpoint,
            merge: MERGE,
            ahead: ReadAhead { random: s.random_read_ahead, ..ahead(s) },
            posts: true,
            own_checkpoints: false,
            latches_written: true,
            ..Mechanism::native(s.write_io_threads)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::master::tests::Run;
    use super::super::{Action, Cause, Outcome};
    use super::*;

    #[test]
    fn a_tick_each_second() {
        let mut run = Run::new("mysql-5.5");
        run.busy = true;
        run.o.settings.max_dirty_pct = 75.0;
        run.o.dirty = 9_000;
        run.o.last = Outcome { pages: 200, refused: false };
        let rest = |millis: u64| Action::Rest { until: millis * 1_000_000, wake: false };
        assert_eq!(run.one(), rest(1000));
        for second in 2..=9 {
            run.some(2);
            let dirty =
                matches!(run.one(), Action::List(b) if (b.pages, b.cause) == (200, Cause::Dirty));
            assert!(dirty);
            run.o.now += 700_000_000;
            assert_eq!(run.one(), rest(second * 1000), "flushing counts against the second");
        }
    }

    #[test]
    fn requests_in_flight() {
        let p = Fixed { rate: DesiredRate::default() };
        let io = p.mechanism(&Settings::default());
        assert_eq!((io.in_flight, io.slots, io.own_checkpoints), (1024, 1024, false));
    }
}
