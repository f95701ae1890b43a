//! A scenario from its first start to its last end.

use crate::life::{Ended, Stage, live};
use crate::model::World;
use crate::scenario::Scenario;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use weir_disk::sim::SimDisk;
use weir_rt::sim::SimRt;
use weir_sim::{Report, mix, told_panic};

/// Polls of tasks in a life; a life that spins reaches it soon.
const STEPS: u64 = 2_000_000;

/// Runs a scenario. With `trace` it tells on standard error what happens.
pub fn run(s: &Scenario, trace: bool) -> Report {
    let mut report = Report::default();
    let world: Arc<Mutex<World>> = Arc::default();
    let lock = || world.lock().unwrap_or_else(PoisonError::into_inner);
    lock().trace = trace;
    let mut sim = SimRt::new(mix(&[s.seed, 42]));
    let mut disk = SimDisk::new(sim.rt(), mix(&[s.seed, 43]));
    for life in &s.lives {
        sim.set_step_limit(STEPS);
        if let Some(n) = life.crash_at {
            disk.crash_at(n);
        }
        if trace {
            eprintln!("  life {}: {life:?}", life.no);
        }
        let stage =
            Stage { scenario: s, life, rt: sim.rt(), disk: disk.clone(), world: world.clone() };
        let ended = one(&sim, &stage);
        report.lives += 1;
        report.io += disk.io_count();
        report.steps = report.steps.max(sim.clock().steps());
        report.virtual_nanos += sim.rt().now();
        report.digest = mix(&[report.digest, sim.trace_hash(), disk.digest()]);
        if trace {
            eprintln!("  life {} ended: {ended:?}", life.no);
        }
        if let Some(f) = lock().failure().cloned() {
            report.failure = Some((life.no, f));
            break;
        }
        match ended {
            Ended::Closed => {}
            Ended::Crashed => {
                report.crashes += 1;
                report.count("crash", 1);
            }
            Ended::GaveUp => report.gave_up += 1,
        }
        let next = SimRt::new(mix(&[s.seed, life.no, 44]));
        let seed = mix(&[s.seed, life.no, 45]);
        disk = match ended != Ended::Closed && life.power {
            true => disk.crash(next.rt(), seed),
            false => disk.reopen(next.rt(), seed),
        };
        sim = next;
    }
    let w = lock();
    (report.operations, report.commits, report.rollbacks) = (w.statements, w.commits, w.rollbacks);
    w.happened.iter().for_each(|(what, n)| report.count(what, *n));
    report
}

/// Drives one life; panics, standstill and spinning are failures. Leaves no task behind.
fn one(sim: &SimRt, stage: &Stage<'_>) -> Ended {
    let outcome = catch_unwind(AssertUnwindSafe(|| sim.run(live(stage))));
    let ended = match outcome {
        Ok(Ok(ended)) => ended,
        Ok(Err(stuck)) => {
            let how = match stuck.spinning {
                true => "so many steps without an end",
                false => "nothing can run any more (a lost wake-up or a deadlock)",
            };
            stage.world().fail("liveness", format!("{how}; tasks: {}", stuck.tasks.join(", ")));
            Ended::GaveUp
        }
        Err(payload) => {
            stage.world().fail("panic", told_panic(&*payload));
            Ended::GaveUp
        }
    };
    // The process ends: destructors run where nothing depends on them, and may meet a state that a panic left.
    let _ = catch_unwind(AssertUnwindSafe(|| sim.kill_all()));
    stage.disk.set_fault(None);
    ended
}
