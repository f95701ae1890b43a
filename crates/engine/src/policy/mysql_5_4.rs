//! `mysql-5.4`: MySQL 5.4.0 and 5.4.1, stock 5.1 with the I/O patches of Google's second set.
//!
//! The rhythm and the sessions' part are stock's; the amounts are percentages of `innodb_io_capacity` (default 200). What
//! `innodb_extra_dirty_writes` switches is the extra batch of the 10-second part and nothing else. No rule looks at the age
//! of the oldest change in the background, hence the stalls of a full log.
//!
//! Exact: all of this. Not as it was: see `stock_5_0`; the writing threads are `innodb_write_io_threads` (8 then).

use super::master::{Master, Merge, Rules, Tick};
use super::{
    Batch, Cause, FlushPolicy, Mechanism, Observation, ReadAhead, Settings, UserRules, limits,
    stock_5_0,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Master::boxed(Sun)
}

struct Sun;

impl Rules for Sun {
    fn name(&self) -> &'static str {
        "mysql-5.4"
    }

    fn capacity(&self, s: &Settings) -> u64 {
        s.io_capacity_or(200)
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        stock_5_0::dirty_tick(self, o)
    }

    fn extra(&self, o: &Observation<'_>, io: u64) -> Option<Batch> {
        // The pending requests are compared with a literal three here, not with a share of the capacity.
        let quiet = o.pending_io() < 3 && io < self.pct(&o.settings, 200);
        (quiet && o.settings.extra_dirty_writes).then(|| self.batch(o, 100, Cause::Extra))
    }

    fn merge(&self, o: &Observation<'_>, at: Merge) -> u64 {
        let s = &o.settings;
        match at {
            Merge::Tick { io }
                if o.pending_io() as u64 >= self.pct(s, 3) || io >= self.pct(s, 5) =>
            {
                0
            }
            Merge::Tick { .. } | Merge::Tenth => self.pct(s, 20) / 4,
            Merge::Idle => self.pct(s, 100),
        }
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        stock_5_0::user_rules(s, limits::of(s))
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        let ahead = ReadAhead::built_in(true, true, s.read_io_threads);
        Mechanism { ahead, ..Mechanism::threads(s.write_io_threads) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::master::tests::observation;
    use super::*;

    #[test]
    fn amounts_are_percentages_of_the_capacity() {
        let mut o = observation();
        o.settings.max_dirty_pct = 75.0;
        o.dirty = 7_700;
        let t = Sun.tick(&o);
        assert_eq!((t.batch.map(|b| b.pages), t.skip_sleep), (Some(200), true));
        assert_eq!(Sun.fixed(&o).map(|b| b.pages), Some(200));
        o.settings.io_capacity = 1000;
        assert_eq!(Sun.tick(&o).batch.map(|b| b.pages), Some(1000));
        o.dirty = 100;
        assert_eq!(Sun.fixed(&o).map(|b| b.pages), Some(100));
        assert_eq!(Sun.idle(&o).map(|b| b.pages), Some(1000));
        assert_eq!(Sun.tick(&o), Tick::default());
    }

    #[test]
    fn extra_dirty_writes() {
        for (on, pending, io, extra) in [
            (true, 2, 399, true),
            (true, 3, 399, false),
            (true, 2, 400, false),
            (false, 0, 0, false),
        ] {
            let mut o = observation();
            o.pending = pending;
            o.settings.extra_dirty_writes = on;
            assert_eq!(Sun.extra(&o, io).is_some(), extra, "{on} {pending} {io}");
        }
    }

    #[test]
    fn three_files_of_128_mib() {
        let s = Settings {
            log_files: 3,
            log_file_size: 128 << 20,
            write_io_threads: 8,
            log_capacity: 0,
            ..Settings::default()
        };
        let p = Sun.user_rules(&s).preflush.expect("sessions flush");
        assert_eq!((p.flush_async, p.checkpoint_sync), (Some(284756775), 325436314));
        assert_eq!(Sun.mechanism(&s).in_flight, 8);
    }
}
