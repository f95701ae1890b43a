//! A scenario from its first start to its last end.

use crate::faults::{FaultKind, Injector, LogSeen, Struck, flip, flip_log, lose_log};
use crate::life::{Ended, Stage, live};
use crate::model::{Failure, Promise, Shared};
use crate::panics::told_panic;
use crate::put_back::{self, Older, Written};
use crate::scenario::{End, Life, PLACES, Scenario, Size, Strike, TRAPS, mix};
use crate::spoil::prove;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use weir_disk::sim::{Op, SimDisk};
use weir_rt::sim::SimRt;

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub lives: u64,
    pub crashes: u64,
    pub gave_up: u64,
    pub commits: u64,
    pub rollbacks: u64,
    pub operations: u64,
    /// Operations of the device.
    pub io: u64,
    /// Polls of tasks in the longest life.
    pub steps: u64,
    /// Transactions whose history was searched for cycles.
    pub histories: u64,
    pub faults: Vec<(&'static str, u64)>,
    pub virtual_nanos: u64,
    /// Of every schedule and every operation of the device: the same seed gives the same.
    pub digest: u64,
    /// With the number of the life in which it was found.
    pub failure: Option<(u64, Failure)>,
}

impl Report {
    pub fn add(&mut self, o: &Report) {
        self.lives += o.lives;
        self.crashes += o.crashes;
        self.gave_up += o.gave_up;
        self.commits += o.commits;
        self.rollbacks += o.rollbacks;
        self.operations += o.operations;
        self.io += o.io;
        self.steps = self.steps.max(o.steps);
        self.histories += o.histories;
        self.virtual_nanos += o.virtual_nanos;
        for (name, n) in &o.faults {
            self.count(name, *n);
        }
    }

    pub fn count(&mut self, name: &'static str, n: u64) {
        match self.faults.iter_mut().find(|f| f.0 == name) {
            Some(f) => f.1 += n,
            None => self.faults.push((name, n)),
        }
    }
}

/// Polls of tasks in a life; somebody who spins reaches it soon. The longest life of 10,000 seeds took 131,377.
const STEPS: u64 = 1_000_000;

/// Runs a scenario. With `trace` it tells on standard error what happens.
pub fn run(s: &Scenario, trace: bool) -> Report {
    let mut report = Report::default();
    let world = Shared::default();
    world.lock().trace = trace;
    let mut sim = SimRt::new(mix(&[s.seed, 100]));
    let mut disk = SimDisk::new(sim.rt(), mix(&[s.seed, 101]));
    let mut kept = Some(Promise::Durable);
    let (mut damaged, mut log_damaged) = (false, false);
    let mut older = Older::default();
    for life in &s.lives {
        let steps = if s.size == Size::Usual { STEPS } else { STEPS * 20 };
        sim.set_step_limit(steps);
        set_end(&disk, &world, life.end);
        let mut plan: Vec<_> = s.faults.iter().filter(|f| f.life == life.no).cloned().collect();
        let flips: Vec<_> =
            plan.extract_if(.., |f| matches!(f.kind.name(), "flip" | "lost")).collect();
        if trace {
            eprintln!(
                "  life {}: {:?}, then {}; policy {} {:?}; {plan:?} {flips:?}",
                life.no,
                life.end,
                if life.power { "power loss" } else { "restart" },
                life.policy,
                life.switch
            );
        }
        let injector = Injector::install(plan, trap(s, life), &disk, sim.clock());
        for f in flips {
            match f.kind {
                FaultKind::Flip { file, byte } => {
                    let hit = flip(&disk, s.page_size, file, byte);
                    damaged |= hit;
                    if hit {
                        injector.note_flip(true);
                    }
                }
                FaultKind::FlipLog { at, behind } => {
                    let seen = world.lock().log;
                    let hit = flip_log(&disk, &seen, at, behind);
                    if trace {
                        eprintln!("  a bit of the log of {seen:?} is flipped: {hit:?}");
                    }
                    log_damaged |= hit.is_some() && !behind;
                    if hit.is_some() {
                        injector.note_log_damage(&f.kind);
                    }
                }
                FaultKind::LoseLog { at, old } => {
                    let seen = world.lock().log;
                    let hit = lose_log(&disk, &seen, at, old);
                    if trace {
                        eprintln!("  a write of the log of {seen:?} is lost: {hit:?}");
                    }
                    log_damaged |= hit.is_some();
                    if hit.is_some() {
                        injector.note_log_damage(&f.kind);
                    }
                }
                _ => {}
            }
        }
        world.lock().log = LogSeen::default();
        world.lock().home = put_back::is_drawn(s, life.no).then(Written::default);
        if damaged {
            injector.note_flip(false);
        }
        if log_damaged {
            injector.log_is_damaged();
        }
        let stage = Stage {
            scenario: s,
            life,
            rt: sim.rt(),
            disk: disk.clone(),
            world: world.clone(),
            injector: injector.clone(),
            kept,
            trace,
            db: std::sync::Mutex::new(None),
        };
        let ended = one(&sim, &stage);
        // Until somebody has read it.
        log_damaged = injector.happened().log_flip;
        report.lives += 1;
        report.io += disk.io_count();
        report.steps = report.steps.max(sim.clock().steps());
        report.virtual_nanos += sim.rt().now();
        report.digest = mix(&[report.digest, sim.trace_hash(), disk.digest()]);
        for (name, n) in injector.happened().counts {
            report.count(name, n);
        }
        let ended = ended.and_then(|e| {
            let mut w = world.lock();
            w.stopped();
            report.histories += w.history.count() as u64;
            w.history.check().map(|()| e)
        });
        if trace {
            eprintln!("  life {} ended: {ended:?}", life.no);
        }
        let compared = {
            let mut w = world.lock();
            let durable = if matches!(ended, Ok(Ended::Closed)) { u64::MAX } else { w.log.durable };
            w.log_ended(durable);
            w.take_compared()
        };
        match ended {
            Err(f) => {
                report.failure = Some((life.no, f));
                break;
            }
            Ok(Ended::Damaged) => break,
            Ok(Ended::Closed) => {
                kept = None;
                world.lock().closed();
                let put_back =
                    |report: &mut Report| put_back::prove(s, life, &disk, &world, &older, report);
                if !damaged
                    && let Err(f) = prove(s, life.no, &disk).and_then(|()| put_back(&mut report))
                {
                    report.failure = Some((life.no, f));
                    break;
                }
            }
            Ok(e) => {
                if e == Ended::Crashed {
                    report.crashes += 1;
                    report.count("crash", 1);
                } else {
                    report.gave_up += 1;
                }
                let now = if life.power { Promise::Durable } else { Promise::Written };
                // What an earlier end lost stays lost, when nobody has looked since.
                let lost = kept.filter(|_| !compared);
                kept = Some(lost.map_or(now, |k| k.min(now)));
            }
        }
        let (rt_seed, disk_seed) = (mix(&[s.seed, life.no, 102]), mix(&[s.seed, life.no, 103]));
        let next = SimRt::new(rt_seed);
        disk = if life.power {
            disk.crash(next.rt(), disk_seed)
        } else {
            disk.reopen(next.rt(), disk_seed)
        };
        sim = next;
        older = Older::of(&disk, kept.is_none());
        if !damaged
            && !log_damaged
            && let Err(f) = crate::force::look(s, life, &disk, &world, kept)
        {
            report.failure = Some((life.no, f));
            break;
        }
    }
    let w = world.lock();
    report.commits = w.commits;
    report.rollbacks = w.rollbacks;
    report.operations = w.operations;
    report
}

/// Arranges how the life ends, as far as the device does it.
fn set_end(disk: &SimDisk, world: &Shared, end: End) {
    match end {
        End::AtIo(n) => disk.crash_at(n),
        End::AtOp { place, nth, more } => {
            let (kind, path, _) = PLACES[place];
            let mut left = nth;
            disk.crash_when(Box::new(move |op| {
                let here = matches(op, (kind, path, 0));
                left = left.saturating_sub(u64::from(here));
                (here && left == 0).then_some(more)
            }));
        }
        End::Trap { trap, nth, then, more } => {
            let t = &TRAPS[trap];
            let (mut first, mut second) = (nth, then);
            disk.crash_when(Box::new(move |op| {
                if first > 0 {
                    first -= u64::from(matches(op, t.first));
                    return None;
                }
                let here = matches(op, t.second);
                second = second.saturating_sub(u64::from(here));
                (here && second == 0).then_some(more)
            }));
        }
        End::InDdl { class, nth, more } => {
            let begun = world.lock().windows.clone();
            disk.crash_when(Box::new(move |_| {
                (begun[class].load(Ordering::Relaxed) >= nth).then_some(more)
            }));
        }
        End::Close | End::AtTime(_) => {}
    }
}

fn matches(op: &Op, (kind, path, _): (&str, &str, u64)) -> bool {
    (kind.is_empty() || op.kind == kind) && op.path.starts_with(path)
}

/// What strikes which operation in a life, as far as its kind of fault is wanted.
fn trap(s: &Scenario, life: &Life) -> Option<Struck> {
    let End::Trap { trap, nth, .. } = life.end else { return None };
    let t = &TRAPS[trap];
    let name = match t.strike {
        Strike::Nothing => return None,
        Strike::Fails => "sync",
        Strike::Slow(_) => "slow",
    };
    s.fault_set.has(name).then_some(Struck {
        kind: t.first.0,
        path: t.first.1,
        left: nth,
        strike: t.strike,
    })
}

/// Drives one life; panics, standstill and spinning are failures. Leaves no task behind.
fn one(sim: &SimRt, stage: &Stage<'_>) -> Result<Ended, Failure> {
    let outcome = catch_unwind(AssertUnwindSafe(|| sim.run(live(stage))));
    let ended = match outcome {
        Ok(Ok(ended)) => ended,
        Ok(Err(stuck)) => {
            let (checker, how) = if stuck.spinning {
                ("liveness", format!("{STEPS} steps without an end"))
            } else {
                ("liveness", "nothing can run any more (a lost wake-up or a deadlock)".to_string())
            };
            let names = stuck.tasks.join(", ");
            Err(Failure { checker, what: format!("{how}; tasks: {names}") })
        }
        Err(payload) => Err(Failure { checker: "panic", what: told_panic(&*payload) }),
    };
    // The process ends: destructors run where nothing depends on them, and may meet a state that a panic left.
    let _ = catch_unwind(AssertUnwindSafe(|| sim.kill_all()));
    stage.disk.set_watch(None);
    stage.disk.set_fault(None);
    ended
}
