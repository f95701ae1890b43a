//! The rhythm, with rules that have nothing of their own, and with those of all builds.

use super::super::{Neighbours, named};
use super::*;

/// A pool of 10000 frames, all in use and none dirty.
pub fn observation() -> Observation<'static> {
    Observation {
        lsn: 1 << 30,
        oldest: 1 << 30,
        checkpoint: 1 << 30,
        used: 9_999,
        pool: 10_000,
        write_slots: 256,
        settings: plain(),
        ..Observation::default()
    }
}

/// The defaults, and no neighbours: batches compare with `Batch::oldest`.
pub fn plain() -> Settings {
    let none = Neighbours::None;
    Settings { neighbours: none, neighbours_foreground: none, ..Settings::default() }
}

/// Steps a policy: a rest moves the clock to its end, a busy server has activity in each rest, all else takes no time.
pub struct Run {
    policy: Box<dyn FlushPolicy>,
    pub o: Observation<'static>,
    pub busy: bool,
}

impl Run {
    pub fn new(name: &str) -> Run {
        let policy = named(name).expect("a known policy");
        assert_eq!(policy.name(), name);
        Run { policy, o: observation(), busy: false }
    }

    pub fn one(&mut self) -> Action {
        let action = self.policy.step(&self.o);
        if let Action::Rest { until, .. } = action {
            assert!(until > self.o.now, "a rest that has passed");
            self.o.now = until;
            self.o.activity += u64::from(self.busy);
        }
        action
    }

    pub fn some(&mut self, n: usize) -> Vec<Action> {
        (0..n).map(|_| self.one()).collect()
    }
}

/// Rules with nothing of their own, in the given rhythm.
struct Bare(Cadence, LogFlush, Tick);

impl Rules for Bare {
    fn name(&self) -> &'static str {
        "bare"
    }

    fn capacity(&self, _s: &Settings) -> u64 {
        200
    }

    fn cadence(&self) -> Cadence {
        self.0
    }

    fn log_flush(&self) -> LogFlush {
        self.1
    }

    fn tick(&mut self, _o: &Observation<'_>) -> Tick {
        self.2
    }

    fn user_rules(&self, _s: &Settings) -> UserRules {
        UserRules::default()
    }

    fn mechanism(&self, _s: &Settings) -> Mechanism {
        Mechanism::default()
    }
}

fn run(rules: Bare) -> Run {
    Run { policy: Master::boxed(rules), o: observation(), busy: true }
}

fn rest(millis: u64) -> Action {
    Action::Rest { until: millis * MILLI, wake: false }
}

const LOG: Action = Action::FlushLog { sync: true };

#[test]
fn work_counts_at_a_fixed_cadence_only() {
    for (cadence, second) in [(Cadence::Fixed, 2000), (Cadence::Sleep, 2300)] {
        let mut run = run(Bare(cadence, LogFlush::Always, Tick::default()));
        assert_eq!(run.some(3), [rest(1000), LOG, Action::UserCheck]);
        run.o.now += 300 * MILLI;
        assert_eq!(run.one(), rest(second), "{cadence:?}");
    }
    // Late by more than a second: on at once, and the next second counts from there.
    let mut run = run(Bare(Cadence::Fixed, LogFlush::Always, Tick::default()));
    run.some(3);
    run.o.now += 1700 * MILLI;
    assert_eq!(run.some(3), [LOG, Action::UserCheck, rest(3700)]);
}

#[test]
fn the_log_once_a_second() {
    let batch = Some(Batch::oldest(10, NO_LIMIT, Cause::Age));
    let tick = Tick { batch, skip_sleep: true, ..Tick::default() };
    let mut run = run(Bare(Cadence::Sleep, LogFlush::EachSecond, tick));
    run.o.last.pages = 10;
    let list = Action::List(Batch::oldest(10, NO_LIMIT, Cause::Age));
    assert_eq!(run.some(4), [rest(1000), LOG, Action::UserCheck, list]);
    assert_eq!(run.some(2), [Action::UserCheck, list], "this second has been");
    run.o.now += 999 * MILLI;
    assert_eq!(run.some(2), [Action::UserCheck, list]);
    run.o.now += MILLI;
    assert_eq!(run.some(2), [LOG, Action::UserCheck]);
}

#[test]
fn a_refused_batch_may_be_tried_again() {
    let batch = Some(Batch::oldest(10, 77, Cause::Age));
    let tick = Tick { batch, retry: Some(5 * MILLI), ..Tick::default() };
    let mut run = run(Bare(Cadence::Sleep, LogFlush::Always, tick));
    let list = Action::List(Batch::oldest(10, 77, Cause::Age));
    run.some(3);
    run.o.last.refused = true;
    assert_eq!(run.some(4), [list, rest(1005), list, rest(1010)]);
    run.o.last = super::super::Outcome { pages: 10, refused: false };
    assert_eq!(run.some(2), [list, rest(2010)]);
}

#[test]
fn ten_tenths_are_a_tick() {
    let tick = Tick { tenth: true, ..Tick::default() };
    let mut run = run(Bare(Cadence::Fixed, LogFlush::EachSecond, tick));
    let mut rests = vec![];
    loop {
        match run.one() {
            Action::Rest { until, .. } => rests.push(until / MILLI),
            Action::Checkpoint => break,
            _ => {}
        }
    }
    assert_eq!(rests[..3], [1000, 1100, 1200]);
    assert_eq!((rests.len(), rests[99]), (100, 10_900));
}

#[test]
fn amounts() {
    assert_eq!([pct(200, 100), pct(200, 3), pct(100, 2), pct(1001, 10)], [200, 6, 2, 100]);
    assert!(above(21, 20.0) && !above(20, 20.0) && !above(20, 20.5));
    let bare = Bare(Cadence::Sleep, LogFlush::Always, Tick::default());
    let mut o = observation();
    for (pending, io, extra) in [(5, 399, true), (6, 399, false), (5, 400, false)] {
        o.pending = pending;
        assert_eq!(bare.extra(&o, io).is_some(), extra);
    }
}

/// What each build merges in a tick, in the 10-second part and when idle, and whether it waits; as published, at 1000 pages per second.
#[test]
fn merges() {
    let mut o = observation();
    o.settings.io_capacity = 1000;
    o.settings.ibuf_flush_pct = 40;
    o.settings.ibuf_max_pct = 10;
    o.settings.ibuf_accel_rate = 400;
    o.settings.ibuf_reads_sync = false;
    o.buffered = 1001;
    let amounts = |name: &str, o: &Observation<'static>| {
        let mut run = Run::new(name);
        run.o = *o;
        run.busy = true;
        let mut found = Vec::new();
        let mut seen = |run: &mut Run, until: fn(&Action) -> bool| loop {
            let action = run.one();
            if let Action::Merge { pages, wait } = action {
                found.push((pages, wait));
            }
            if until(&action) {
                return;
            }
        };
        // The tenth tick ends with the checkpoint of the 10-second part.
        seen(&mut run, |a| *a == Action::Checkpoint);
        run.busy = false;
        seen(&mut run, |a| *a == Action::AwaitList);
        found.dedup();
        found
    };
    assert_eq!(amounts("stock-5.0", &o), [(5, true), (20, true)]);
    assert_eq!(amounts("google-v4", &o), [(400, false), (500, true)]);
    assert_eq!(amounts("mysql-5.4", &o), [(50, true), (1000, true)]);
    assert_eq!(amounts("xtradb-none", &o), [(200, true), (4000, true)]);
    assert_eq!(amounts("xtradb-estimate", &o), [(200, false), (4000, false)]);
    assert_eq!(amounts("plugin-1.0.4", &o), [(50, false), (1000, false)]);
    assert_eq!(amounts("mysql-5.5", &o), [(50, false), (1000, false)]);
    o.buffered = 1000;
    assert_eq!(amounts("google-v4", &o), [(20, false), (500, true)], "at the soft limit");
    o.buffered = 0;
    // The last with a master thread that flushes is 5.5.
    let masters = |n: &&&str| (n.contains('5') || n.contains("v4")) && **n != "mysql-5.6";
    for name in super::super::NAMES.iter().filter(masters) {
        assert_eq!(amounts(name, &o), [], "{name}");
    }
}

#[test]
fn a_busy_device_is_not_merged_upon() {
    let mut o = observation();
    o.buffered = 9;
    let bare = Bare(Cadence::Sleep, LogFlush::Always, Tick::default());
    for (pending, io, pages) in [(5, 9, 10), (6, 9, 0), (5, 10, 0)] {
        o.pending = pending;
        assert_eq!(bare.merge(&o, Merge::Tick { io }), pages);
        assert_eq!(bare.merge(&o, Merge::Tenth), 10);
    }
}

/// Whatever is observed, a policy must not act for ever without letting time pass.
#[test]
fn no_policy_spins() {
    for name in super::super::NAMES.iter().filter(|n| **n != "weir") {
        for (pages, refused, dirty, age) in [
            (0, true, 9_000, 900 << 20),
            (0, false, 9_000, 900 << 20),
            (0, false, 0, 0),
            (0, true, 100, 70 << 20),
            (0, false, 9_999, 85 << 20),
        ] {
            let mut run = Run::new(name);
            run.o.last = super::super::Outcome { pages, refused };
            run.o.dirty = dirty;
            run.o.lsn = 2 << 30;
            run.o.oldest = run.o.lsn - age;
            run.o.checkpoint = run.o.oldest;
            run.o.waiting_log = 3;
            run.o.waiting_frames = 3;
            run.o.buffered = u64::from(dirty > 100) * 50;
            let before = run.o.now;
            // Each fruitless pass of at most a dozen steps takes a millisecond at least.
            run.some(12_000);
            assert!(run.o.now - before >= 999 * MILLI, "{name} {pages} {refused} {dirty} {age}");
        }
    }
}
