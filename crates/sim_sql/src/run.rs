//! A scenario from its first start to its last end.

use crate::files::Files;
use crate::life::{Ended, Stage, live, waiting};
use crate::model::World;
use crate::scenario::{End, Scenario};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_disk::sim::SimDisk;
use weir_rt::sim::SimRt;
use weir_sim::{Injector, Report, Size, mix, told_panic};

/// Polls of tasks in a life; a life that spins reaches it soon. A large one may take twenty times as many.
const STEPS: u64 = 3_000_000;

pub type Shared = Arc<Mutex<World>>;

pub fn lock(w: &Shared) -> MutexGuard<'_, World> {
    w.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a scenario. With `trace` it tells on standard error what happens.
pub fn run(s: &Scenario, trace: bool) -> Report {
    let mut report = Report::default();
    let world: Shared = Arc::default();
    lock(&world).trace = trace;
    let files = Files::default();
    let mut sim = SimRt::new(mix(&[s.seed, 22]));
    let mut disk = SimDisk::new(sim.rt(), mix(&[s.seed, 23]));
    for life in &s.lives {
        sim.set_step_limit(if s.size == Size::Large { STEPS * 20 } else { STEPS });
        let ddl_begun = Arc::new(AtomicU64::new(0));
        set_end(&disk, life.end, &ddl_begun);
        let plan: Vec<_> = s.faults.iter().filter(|f| f.life == life.no).cloned().collect();
        if trace {
            eprintln!("  life {}: {life:?}, {plan:?}", life.no);
        }
        let injector = Injector::install(plan, None, &disk, sim.clock());
        let stage = Stage {
            scenario: s,
            life,
            rt: sim.rt(),
            disk: disk.clone(),
            world: world.clone(),
            injector: injector.clone(),
            ddl_begun,
            files: files.clone(),
            db: Mutex::new(None),
        };
        let ended = one(&sim, &stage);
        report.lives += 1;
        report.io += disk.io_count();
        report.steps = report.steps.max(sim.clock().steps());
        report.virtual_nanos += sim.rt().now();
        report.digest = mix(&[report.digest, sim.trace_hash(), disk.digest()]);
        for (name, n) in injector.happened().counts {
            report.count(name, n);
        }
        if trace {
            eprintln!("  life {} ended: {ended:?}", life.no);
        }
        if let Some(f) = lock(&world).failure().cloned() {
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
        let next = SimRt::new(mix(&[s.seed, life.no, 24]));
        let seed = mix(&[s.seed, life.no, 25]);
        disk = match ended != Ended::Closed && life.power {
            true => disk.crash(next.rt(), seed),
            false => disk.reopen(next.rt(), seed),
        };
        sim = next;
    }
    let w = lock(&world);
    (report.operations, report.commits, report.rollbacks) = (w.statements, w.commits, w.rollbacks);
    report
}

/// Arranges how the life ends, as far as the device does it.
fn set_end(disk: &SimDisk, end: End, ddl_begun: &Arc<AtomicU64>) {
    match end {
        End::Close => {}
        End::AtIo(n) => disk.crash_at(n),
        End::InDdl { nth, more } => {
            let begun = ddl_begun.clone();
            disk.crash_when(Box::new(move |_| {
                (begun.load(Ordering::Relaxed) >= nth).then_some(more)
            }));
        }
    }
}

/// Names of tasks, each once, with how many there are.
fn tasks(mut names: Vec<String>) -> String {
    names.sort();
    let groups = names.chunk_by(|a, b| a == b);
    groups.map(|g| format!("{} {}", g.len(), g[0])).collect::<Vec<_>>().join(", ")
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
            let what = format!("{how}{}; tasks: {}", waiting(stage), tasks(stuck.tasks));
            lock(&stage.world).fail("liveness", what);
            Ended::GaveUp
        }
        Err(payload) => {
            lock(&stage.world).fail("panic", told_panic(&*payload));
            Ended::GaveUp
        }
    };
    // The process ends: destructors run where nothing depends on them, and may meet a state that a panic left.
    let _ = catch_unwind(AssertUnwindSafe(|| sim.kill_all()));
    stage.disk.set_fault(None);
    ended
}
