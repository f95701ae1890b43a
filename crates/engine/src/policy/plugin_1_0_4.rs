//! `plugin-1.0.4`: the InnoDB Plugin from 1.0.4 to 1.0.7, the first with adaptive flushing.
//!
//! Its rate is the dirty pages that one lap of the log makes due: dirty pages times redo per second, divided by what the log
//! holds, less what was written for free frames anyway. The age of the oldest change does not appear in it. A tick that
//! flushed is not followed by a sleep, so the capacity (default 200) caps an iteration rather than a second.
//!
//! Exact: the rate in integers, the ring of 20 samples that is divided by 20 before it is full, the rhythm, the log once a
//! second. Not as it was: the samples were taken by a thread of their own; here by each step, and a step that comes after
//! several seconds divides what happened evenly over them. Purge and neighbours as in `stock_5_0`.

use super::master::{LogFlush, Master, Merge, Rules, Tick, above, batch};
use super::{
    Cause, FlushPolicy, Mechanism, Observation, ReadAhead, Settings, UserRules, limits, stock_5_0,
};

pub fn policy() -> Box<dyn FlushPolicy> {
    Master::boxed(Plugin { rate: DesiredRate::default() })
}

struct Plugin {
    rate: DesiredRate,
}

impl Rules for Plugin {
    fn name(&self) -> &'static str {
        "plugin-1.0.4"
    }

    fn capacity(&self, s: &Settings) -> u64 {
        s.io_capacity_or(200)
    }

    fn log_flush(&self) -> LogFlush {
        LogFlush::EachSecond
    }

    fn see(&mut self, o: &Observation<'_>) {
        self.rate.see(o);
    }

    fn tick(&mut self, o: &Observation<'_>) -> Tick {
        let t = adaptive_tick(self, &self.rate, o);
        Tick { skip_sleep: t.batch.is_some(), ..t }
    }

    /// Their reads are asynchronous.
    fn merge_waits(&self, _s: &Settings, _at: Merge) -> bool {
        false
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        stock_5_0::user_rules(s, limits::of(s))
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        Mechanism { ahead: ahead(s), ..Mechanism::threads(s.write_io_threads) }
    }
}

/// The linear one with a threshold of its own; the random one was gone by then.
pub fn ahead(s: &Settings) -> ReadAhead {
    let linear = Some(s.read_ahead_threshold.min(64) as u32);
    ReadAhead { random: false, linear, in_order: true, threads: s.read_io_threads.max(1) as usize }
}

/// A full batch above the dirty limit, otherwise the desired rate up to a full batch.
pub fn adaptive_tick(rules: &impl Rules, rate: &DesiredRate, o: &Observation<'_>) -> Tick {
    let batch = if above(o.dirty_pct_whole(), o.settings.max_dirty_pct) {
        Some(rules.batch(o, 100, Cause::Dirty))
    } else if o.settings.adaptive_flushing {
        let pages = rate.pages(o).min(rules.pct(&o.settings, 100));
        (pages > 0).then(|| batch(o, pages as usize, Cause::Age))
    } else {
        None
    };
    Tick { batch, ..Tick::default() }
}

const SAMPLES: u64 = 20;
const SECOND: u64 = 1_000_000_000;

/// Redo bytes and pages written for free frames of the last 20 seconds.
#[derive(Default)]
pub struct DesiredRate {
    ring: [(u64, u64); SAMPLES as usize],
    next: usize,
    sum: (u64, u64),
    /// Time, log end and written pages at the last sample; `None` before the first observation.
    last: Option<(u64, u64, u64)>,
}

impl DesiredRate {
    pub fn see(&mut self, o: &Observation<'_>) {
        let Some((at, lsn, written)) = self.last else {
            self.last = Some((o.now, o.lsn, o.written_lru));
            return;
        };
        let seconds = o.now.saturating_sub(at) / SECOND;
        if seconds == 0 {
            return;
        }
        let redo = o.lsn.saturating_sub(lsn) / seconds;
        let pages = o.written_lru.saturating_sub(written) / seconds;
        for _ in 0..seconds.min(SAMPLES) {
            self.push((redo, pages));
        }
        self.last = Some((at + seconds * SECOND, o.lsn, o.written_lru));
    }

    fn push(&mut self, sample: (u64, u64)) {
        let old = std::mem::replace(&mut self.ring[self.next], sample);
        self.sum.0 = self.sum.0 + sample.0 - old.0;
        self.sum.1 = self.sum.1 + sample.1 - old.1;
        self.next = (self.next + 1) % self.ring.len();
    }

    /// Pages that should be written now.
    pub fn pages(&self, o: &Observation<'_>) -> u64 {
        let capacity = limits::innodb(&o.settings).within(o.log_capacity).capacity;
        let (_, lsn, written) = self.last.unwrap_or((0, o.lsn, o.written_lru));
        let redo = self.sum.0 / SAMPLES + o.lsn.saturating_sub(lsn);
        let freed = self.sum.1 / SAMPLES + o.written_lru.saturating_sub(written);
        let due = u128::from(redo) * o.dirty as u128 / u128::from(capacity.max(1));
        u64::try_from(due).unwrap_or(u64::MAX).saturating_sub(freed)
    }
}

#[cfg(test)]
mod tests {
    use super::super::master::tests::{Run, observation};
    use super::super::{Action, Batch, Outcome};
    use super::*;

    /// The published DBT-2 server: two files of 256 MiB, 100000 dirty pages of 786432.
    fn published() -> Observation<'static> {
        let mut o = observation();
        o.settings.log_file_size = 256 << 20;
        (o.pool, o.used, o.dirty) = (786_432, 786_431, 100_000);
        o
    }

    /// So many seconds of that much redo and that many pages for free frames.
    fn seconds(rate: &mut DesiredRate, o: &mut Observation<'_>, n: u64, redo: u64, freed: u64) {
        for _ in 0..n {
            o.now += SECOND;
            o.lsn += redo;
            o.written_lru += freed;
            rate.see(o);
        }
    }

    #[test]
    fn a_lap_of_the_log() {
        let (mut o, mut rate) = (published(), DesiredRate::default());
        rate.see(&o);
        assert_eq!(rate.pages(&o), 0);
        // The sum is divided by twenty before there are twenty.
        seconds(&mut rate, &mut o, 1, 3_000_000, 0);
        assert_eq!(rate.pages(&o), 31);
        seconds(&mut rate, &mut o, 9, 3_000_000, 0);
        assert_eq!(rate.pages(&o), 310);
        seconds(&mut rate, &mut o, 10, 3_000_000, 0);
        assert_eq!(rate.pages(&o), 620);
        seconds(&mut rate, &mut o, 100, 3_000_000, 0);
        assert_eq!(rate.pages(&o), 620);
        // What came in since the last sample counts in full.
        o.now += SECOND / 2;
        o.lsn += 3_000_000;
        assert_eq!(rate.pages(&o), 1241);
        // Forgotten after twenty seconds.
        seconds(&mut rate, &mut o, 1, 0, 0);
        assert_eq!(rate.pages(&o), 620);
        seconds(&mut rate, &mut o, 20, 0, 0);
        assert_eq!(rate.pages(&o), 0);
    }

    #[test]
    fn pages_written_for_free_frames_count() {
        let (mut o, mut rate) = (published(), DesiredRate::default());
        rate.see(&o);
        seconds(&mut rate, &mut o, 20, 3_000_000, 500);
        assert_eq!(rate.pages(&o), 120);
        o.written_lru += 20;
        assert_eq!(rate.pages(&o), 100);
        seconds(&mut rate, &mut o, 20, 3_000_000, 700);
        assert_eq!(rate.pages(&o), 0, "more than required is none");
    }

    #[test]
    fn jumps_and_emptiness() {
        let (mut o, mut rate) = (published(), DesiredRate::default());
        rate.see(&o);
        // More redo than the log holds: more than all pages.
        o.lsn += 2 * 483_180_135;
        assert_eq!(rate.pages(&o), 200_000);
        o.lsn = u64::MAX;
        o.dirty = usize::MAX;
        assert_eq!(rate.pages(&o), u64::MAX);
        o.dirty = 0;
        assert_eq!(rate.pages(&o), 0);
        o.settings.log_files = 0;
        assert_eq!(rate.pages(&o), 0);
    }

    #[test]
    fn missed_seconds_are_divided() {
        let (mut o, mut rate) = (published(), DesiredRate::default());
        rate.see(&o);
        o.now += 10 * SECOND + 7;
        o.lsn += 30_000_000;
        rate.see(&o);
        assert_eq!(rate.pages(&o), 310);
        o.now += 1000 * SECOND;
        rate.see(&o);
        assert_eq!(rate.pages(&o), 0);
    }

    #[test]
    fn capped_by_the_capacity_and_repeated_without_a_sleep() {
        let mut run = Run::new("plugin-1.0.4");
        run.busy = true;
        run.o.settings = published().settings;
        (run.o.pool, run.o.used, run.o.dirty) = (786_432, 786_431, 100_000);
        run.some(1);
        run.o.lsn += 3_000_000;
        run.o.last = Outcome { pages: 200, refused: false };
        let list = |pages| Action::List(Batch::oldest(pages, super::super::NO_LIMIT, Cause::Age));
        let log = Action::FlushLog { sync: true };
        assert_eq!(run.some(3), [log, Action::UserCheck, list(31)]);
        // What has come in since the sample makes 651 pages due.
        run.o.lsn += 3_000_000;
        assert_eq!(run.some(4), [Action::UserCheck, list(200), Action::UserCheck, list(200)]);
        // Nothing due: the next tick sleeps.
        run.o.dirty = 0;
        let rest = Action::Rest { until: 2 * SECOND, wake: false };
        assert_eq!(run.some(2), [Action::UserCheck, rest]);
    }

    #[test]
    fn the_dirty_limit_comes_first() {
        let mut p = Plugin { rate: DesiredRate::default() };
        let mut o = published();
        o.settings.max_dirty_pct = 12.0;
        assert_eq!(p.tick(&o), Tick::default());
        o.settings.max_dirty_pct = 11.0;
        let t = p.tick(&o);
        assert_eq!(t.batch.map(|b| (b.pages, b.cause)), Some((200, Cause::Dirty)));
        assert!(t.skip_sleep);
        o.settings.max_dirty_pct = 90.0;
        p.see(&o);
        o.lsn += 100_000_000;
        assert!(p.tick(&o).batch.is_some());
        o.settings.adaptive_flushing = false;
        assert_eq!(p.tick(&o), Tick::default());
    }
}
