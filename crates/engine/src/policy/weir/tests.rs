//! Tables of numbers, and a model of a log, a pool and a device that the policy runs against.

use super::*;
use std::collections::VecDeque as Queue;

const POOL: usize = 10_000;
const CAPACITY: u64 = 64 << 20;

/// A load on a log, a pool and a device, in numbers: every second `pages` clean pages become dirty by `changes` changes
/// that log `bytes`, all evenly and only as far as admitted; the device writes `device` pages per second.
struct Load {
    pages: f64,
    bytes: f64,
    changes: f64,
    device: f64,
}

#[derive(Default)]
struct Seen {
    ages: Vec<f64>,
    shares: Vec<f64>,
    /// Pages written and changes made in each second.
    writes: Vec<f64>,
    changes: Vec<f64>,
}

struct World {
    p: Weir,
    now: u64,
    lsn: f64,
    /// Dirty pages by their first change, oldest first.
    dirty: Queue<(u64, f64)>,
    totals: (f64, f64, f64),
    /// Pages written and changes made in each second.
    seconds: Vec<(f64, f64)>,
    admitted: f64,
    settings: Settings,
    last: crate::policy::Outcome,
}

impl World {
    fn new(settings: Settings) -> World {
        World {
            p: Weir::default(),
            now: 1,
            lsn: (1u64 << 30) as f64,
            dirty: Queue::new(),
            totals: (0.0, 0.0, 0.0),
            seconds: Vec::new(),
            admitted: f64::INFINITY,
            settings,
            last: Default::default(),
        }
    }

    fn count(&self) -> f64 {
        self.dirty.iter().map(|d| d.1).sum()
    }

    fn oldest(&self) -> u64 {
        self.dirty.front().map_or(self.lsn as u64, |d| d.0)
    }

    fn note(&mut self, pages: f64, changes: f64) {
        let second = (self.now / 1_000_000_000) as usize;
        self.seconds.resize(self.seconds.len().max(second + 1), (0.0, 0.0));
        self.seconds[second].0 += pages;
        self.seconds[second].1 += changes;
    }

    /// Time passes, sessions change what they are let.
    fn pass(&mut self, seconds: f64, load: &Load) {
        let steps = (seconds / 0.01).ceil().max(1.0);
        let dt = seconds / steps;
        for _ in 0..steps as usize {
            self.now += (dt * 1e9) as u64;
            let gate = self.settings.max_dirty_pct + GATE;
            if self.count() / POOL as f64 * 100.0 >= gate {
                continue;
            }
            let k = (self.admitted / load.changes).min(1.0) * dt;
            self.lsn += load.bytes * k;
            self.dirty.push_back((self.lsn as u64, load.pages * k));
            self.totals.0 += load.pages * k;
            self.totals.1 += load.changes * k;
            self.note(0.0, load.changes * k);
        }
    }

    fn write(&mut self, pages: usize, load: &Load) -> usize {
        let mut left = pages as f64;
        while left > 0.0 {
            let Some(front) = self.dirty.front_mut() else { break };
            let k = front.1.min(left);
            front.1 -= k;
            left -= k;
            if front.1 <= 1e-9 {
                self.dirty.pop_front();
            }
        }
        let wrote = pages as f64 - left;
        self.totals.2 += wrote;
        self.note(wrote, 0.0);
        self.pass(wrote / load.device, load);
        wrote.ceil() as usize
    }

    fn run(&mut self, load: &Load, seconds: usize) -> Seen {
        let mut seen = Seen::default();
        let begun = self.now;
        while self.now < begun + seconds as u64 * 1_000_000_000 {
            let ages: Vec<(u64, u32)> =
                self.dirty.iter().map(|d| (d.0, d.1.ceil() as u32)).collect();
            let o = Observation {
                now: self.now,
                lsn: self.lsn as u64,
                oldest: self.oldest(),
                checkpoint: self.oldest(),
                log_capacity: CAPACITY,
                dirty: self.count() as usize,
                pool: POOL,
                free: 100,
                free_want: 100,
                ages: &ages,
                changes: self.totals.1 as u64,
                activity: self.totals.1 as u64,
                dirtied: self.totals.0 as u64,
                written: self.totals.2 as u64,
                last: self.last,
                device_pages: load.device,
                touched: self.count() as usize,
                touched_age: self.lsn as u64 - self.oldest(),
                settings: self.settings,
                ..Observation::default()
            };
            match self.p.step(&o) {
                Action::Admit { changes_per_second, .. } => self.admitted = changes_per_second,
                Action::List(b) => self.last.pages = self.write(b.pages, load),
                Action::Rest { until, .. } => {
                    let wait = until.saturating_sub(self.now) as f64 / 1e9;
                    self.pass(wait, load);
                }
                _ => {}
            }
            seen.ages.push((self.lsn - self.oldest() as f64) / CAPACITY as f64);
            seen.shares.push(self.count() / POOL as f64 * 100.0);
        }
        // The last second is not a whole one.
        self.seconds.pop();
        (seen.writes, seen.changes) = self.seconds.iter().copied().unzip();
        seen
    }
}

fn most(v: &[f64]) -> f64 {
    v.iter().copied().fold(0.0, f64::max)
}

/// Mean and coefficient of variation.
fn spread(v: &[f64]) -> (f64, f64) {
    let mean = v.iter().sum::<f64>() / v.len() as f64;
    let var = v.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / v.len() as f64;
    (mean, var.sqrt() / mean)
}

fn limit(pct: f64) -> Settings {
    Settings { max_dirty_pct: pct, ..Settings::default() }
}

#[test]
fn a_steady_load_is_written_evenly_and_never_paced() {
    let load = Load { pages: 300.0, bytes: 2e6, changes: 1000.0, device: 2000.0 };
    let seen = World::new(limit(90.0)).run(&load, 300);
    assert!(most(&seen.ages) < PACE_FROM, "age reached {}", most(&seen.ages));
    let (mean, cv) = spread(&seen.writes[100..]);
    assert!((mean - 300.0).abs() < 15.0 && cv < 0.10, "{mean} pages/s, variation {cv}");
    let (mean, cv) = spread(&seen.changes[1..]);
    assert!((mean - 1000.0).abs() < 5.0 && cv < 0.01, "{mean} changes/s, variation {cv}");
}

#[test]
fn the_dirty_limit_holds_and_nobody_stops_while_the_device_keeps_up() {
    for pct in [10.0, 20.0, 50.0, 80.0] {
        let load = Load { pages: 500.0, bytes: 1e5, changes: 1000.0, device: 2000.0 };
        let seen = World::new(limit(pct)).run(&load, 120);
        assert!(most(&seen.shares) <= pct, "limit {pct}, share {}", most(&seen.shares));
        let (mean, cv) = spread(&seen.changes[1..]);
        assert!(mean > 990.0 && cv < 0.01, "limit {pct}: {mean} changes/s, variation {cv}");
    }
}

#[test]
fn a_device_that_cannot_keep_up_slows_sessions_evenly() {
    for (pages, bytes) in [(2000.0, 1e5), (2000.0, 4e6)] {
        let load = Load { pages, bytes, changes: 1000.0, device: 800.0 };
        let seen = World::new(limit(50.0)).run(&load, 300);
        assert!(most(&seen.shares) <= 51.0, "share reached {}", most(&seen.shares));
        assert!(most(&seen.ages) < 0.97, "age reached {}", most(&seen.ages));
        let (mean, cv) = spread(&seen.changes[100..]);
        assert!((mean - 400.0).abs() < 40.0 && cv < 0.10, "{mean} of 400, variation {cv}");
    }
}

/// Page writes of 400 a second.
fn spare() -> Settings {
    Settings { write_budget: 400.0 * 16384.0 / 1e6, ..limit(50.0) }
}

#[test]
fn a_write_budget_is_kept_and_sessions_are_paced_by_it() {
    // Bound by the dirty share, and by the log.
    for (pages, bytes) in [(1000.0, 1e5), (1000.0, 4e6)] {
        let load = Load { pages, bytes, changes: 1000.0, device: 3000.0 };
        let mut w = World::new(spare());
        let seen = w.run(&load, 300);
        assert_eq!(w.p.budget().exceeded, 0.0);
        for (i, ten) in seen.writes[20..].windows(10).enumerate() {
            let sum: f64 = ten.iter().sum();
            assert!(sum <= 4000.0 * 1.05, "{sum} pages of 4000 in ten seconds from {i} on");
        }
        // Once it binds it is used up.
        let (mean, _) = spread(&seen.writes[100..]);
        assert!(mean > 380.0, "{mean} of 400 pages a second");
        let (mean, cv) = spread(&seen.changes[100..]);
        assert!((mean - 400.0).abs() < 40.0 && cv < 0.15, "{mean} of 400, variation {cv}");
        assert!(most(&seen.ages) < 0.97 && most(&seen.shares) <= 51.0);
    }
}

#[test]
fn more_than_the_budget_is_written_when_sessions_would_stand_still() {
    let mut w = World::new(spare());
    w.dirty.push_back((w.lsn as u64, 4000.0));
    let mut planned = 0;
    for waiting_frames in [0, 1] {
        for _ in 0..6 {
            w.now += 10_000_000;
            w.p.plan.clear();
            let o = Observation {
                now: w.now,
                dirty: 4000,
                pool: POOL,
                free_want: 100,
                log_capacity: CAPACITY,
                written: w.totals.2 as u64,
                waiting_frames,
                settings: spare(),
                ..Observation::default()
            };
            w.p.tick(&o);
            for a in &w.p.plan {
                if let Action::Lru { pages, .. } = a {
                    planned += pages;
                    w.totals.2 += *pages as f64;
                }
            }
        }
        let exceeded = w.p.budget().exceeded;
        match waiting_frames {
            0 => assert!(planned <= 200 && exceeded == 0.0, "{planned}, {exceeded}"),
            _ => assert!(planned > 600 && exceeded > 300.0, "{planned}, {exceeded}"),
        }
    }
}

#[test]
fn a_lump_is_written_before_it_is_due() {
    let mut w = World::new(limit(90.0));
    // Three thousand pages at once, then little but log.
    w.dirty.push_back((w.lsn as u64, 3000.0));
    let load = Load { pages: 10.0, bytes: 2e6, changes: 100.0, device: 1000.0 };
    let seen = w.run(&load, 120);
    assert!(most(&seen.ages) < PACE_FROM, "age reached {}", most(&seen.ages));
    // The lap takes 27 seconds: about 110 pages per second, no burst.
    assert!(most(&seen.writes) < 250.0, "{} pages in a second", most(&seen.writes));
}

#[test]
fn a_small_recovery_target_keeps_the_log_short() {
    let s = Settings { recovery_target: 1.0, recovery_speed: 20e6, ..limit(90.0) };
    let load = Load { pages: 300.0, bytes: 2e6, changes: 1000.0, device: 2000.0 };
    let seen = World::new(s).run(&load, 120);
    let bytes = most(&seen.ages) * CAPACITY as f64;
    assert!(bytes < 12e6, "{bytes} bytes to recover at 20 MB/s in half a second");
}

#[test]
fn idle_flushing_can_be_switched_off() {
    for (pct, left) in [(100, 0.0), (0, 3000.0)] {
        let mut w = World::new(Settings { idle_flush_pct: pct, ..limit(90.0) });
        w.dirty.push_back((w.lsn as u64, 3000.0));
        let load = Load { pages: 0.0, bytes: 0.0, changes: 1.0, device: 1000.0 };
        for _ in 0..2000 {
            let ages: Vec<(u64, u32)> = w.dirty.iter().map(|d| (d.0, d.1 as u32)).collect();
            let o = Observation {
                now: w.now,
                lsn: w.lsn as u64,
                oldest: w.oldest(),
                checkpoint: w.oldest(),
                log_capacity: CAPACITY,
                dirty: w.count() as usize,
                pool: POOL,
                ages: &ages,
                last: w.last,
                settings: w.settings,
                ..Observation::default()
            };
            match w.p.step(&o) {
                Action::List(b) => w.last.pages = w.write(b.pages, &load),
                Action::Rest { until, .. } => w.now = until.max(w.now),
                _ => w.last.pages = 0,
            }
        }
        assert!((w.count() - left).abs() < 1.0, "{} pages are left at {pct} %", w.count());
    }
}

/// A device that seeks gets what it writes in a tenth of a second, one that does not gets what the share's band can take.
#[test]
fn a_slice_follows_the_device_and_the_band() {
    let p = Weir::default();
    for (pool, device_pages, pages) in [
        (2_560, 0.0, 128),
        (2_560, 400.0, 51),
        (2_560, 900.0, 90),
        (2_560, 5_000.0, 51),
        (1_000, 5_000.0, 32),
        (100_000, 5_000.0, 128),
        (1_000, 100.0, 32),
    ] {
        let o = Observation { pool, device_pages, ..Observation::default() };
        assert_eq!(p.slice(&o), pages, "{pool} frames, {device_pages} pages a second");
    }
}
