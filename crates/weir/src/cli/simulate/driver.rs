//! Runs many seeds on several threads, and tells.

use super::Call;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use weir_sim::{Failure, Overrides, Report, keep_panics_quiet, shrink};

/// Runs of a failing seed in search of a smaller case.
const SHRINK_RUNS: usize = 250;
/// A case that fails by spinning takes seconds for each run.
const SHRINK_TIME: Duration = Duration::from_secs(60);
/// Of this many seeds one is run twice.
const TWICE: u64 = 64;
/// A seed takes milliseconds, at most a few seconds, and the simulator ends what does too much in virtual time. One that
/// takes this long is in a loop that nothing in this process can leave.
const HANG: Duration = Duration::from_secs(300);
/// Futures of nested statements need more than a thread's usual stack.
const STACK: usize = 16 << 20;

#[derive(Default)]
struct Sum {
    report: Report,
    seeds: u64,
    twice: u64,
    failures: Vec<(u64, u64, Failure)>,
    /// Seeds and the time that they took, longest first.
    slowest: Option<(u64, Duration)>,
}

struct Shared<'a> {
    call: &'a Call,
    from: u64,
    next: AtomicU64,
    end: u64,
    until: Option<Instant>,
    stop: Arc<AtomicBool>,
    sum: Mutex<Sum>,
    /// What each thread is at.
    running: Vec<Mutex<Option<(u64, Instant)>>>,
}

impl Shared<'_> {
    fn sum(&self) -> std::sync::MutexGuard<'_, Sum> {
        self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.until.is_some_and(|u| Instant::now() >= u)
    }

    fn set_running(&self, worker: usize, seed: Option<u64>) {
        let now = seed.map(|s| (s, Instant::now()));
        *self.running[worker].lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn hanging(&self) -> Option<u64> {
        let mut all = self.running.iter();
        all.find_map(|r| {
            let (seed, since) = (*r.lock().unwrap_or_else(PoisonError::into_inner))?;
            (since.elapsed() >= HANG).then_some(seed)
        })
    }
}

fn random_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
    // Short enough to be typed.
    (now ^ u64::from(std::process::id()) << 20) % 1_000_000_000
}

pub fn drive(call: &Call) -> ExitCode {
    if !call.trace {
        keep_panics_quiet();
    }
    let (from, end) = call.seeds.unwrap_or_else(|| (random_seed(), u64::MAX));
    let time = call.time.or(call.seeds.is_none().then_some(Duration::from_secs(60)));
    let begun = Instant::now();
    let stop = Arc::new(AtomicBool::new(false));
    for s in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        if let Err(e) = signal_hook::flag::register(s, stop.clone()) {
            eprintln!("weir simulate: signals are not caught: {e}");
        }
    }
    if call.seeds.is_none_or(|(a, b)| b - a > 1) {
        let upto = if end == u64::MAX { "on".into() } else { format!("to {}", end - 1) };
        println!("seeds from {from} {upto}");
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = call.jobs.unwrap_or(processors).min((end - from).min(64) as usize);
    let shared = Shared {
        call,
        from,
        next: AtomicU64::new(from),
        end,
        until: time.map(|t| begun + t),
        stop,
        sum: Mutex::new(Sum::default()),
        running: (0..jobs).map(|_| Mutex::new(None)).collect(),
    };
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..jobs)
            .filter_map(|no| {
                let (w, shared) = (std::thread::Builder::new().stack_size(STACK), &shared);
                w.spawn_scoped(s, move || work(shared, no))
                    .map_err(|e| eprintln!("weir simulate: {e}"))
                    .ok()
            })
            .collect();
        watch(&shared, begun, || workers.iter().all(|w| w.is_finished()));
    });
    let sum = shared.sum();
    tell_summary(&sum, begun.elapsed(), from);
    for (seed, life, failure) in &sum.failures {
        tell_smaller(call, *seed, *life, failure);
    }
    if sum.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn work(shared: &Shared<'_>, no: usize) {
    while !shared.done() {
        let seed = shared.next.fetch_add(1, Ordering::Relaxed);
        if seed >= shared.end {
            break;
        }
        shared.set_running(no, Some(seed));
        one(shared, seed);
    }
    shared.set_running(no, None);
}

fn one(shared: &Shared<'_>, seed: u64) {
    let call = shared.call;
    let play = |trace| call.storey.play(seed, &call.overrides, trace);
    if call.trace {
        eprintln!("seed {seed}, {}", call.storey.describe(seed, &call.overrides));
    }
    let begun = Instant::now();
    let report = play(call.trace);
    let took = begun.elapsed();
    let mut failure = report.failure.clone();
    let twice = call.twice || seed.is_multiple_of(TWICE);
    if twice && failure.is_none() {
        let again = play(false);
        if again.digest != report.digest {
            let what = "the same seed did something else the second time".into();
            failure = Some((0, Failure { checker: "determinism", what }));
        }
    }
    let mut sum = shared.sum();
    sum.report.add(&report);
    sum.seeds += 1;
    sum.twice += u64::from(twice);
    if sum.slowest.is_none_or(|s| s.1 < took) {
        sum.slowest = Some((seed, took));
    }
    if let Some((life, f)) = failure {
        tell_failure(call, seed, life, &f);
        sum.failures.push((seed, life, f));
        if !call.keep_going {
            shared.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Progress, until all workers are done.
fn watch(shared: &Shared<'_>, begun: Instant, finished: impl Fn() -> bool) {
    let terminal = std::io::stdout().is_terminal();
    let every = Duration::from_secs(if terminal { 1 } else { 30 });
    let mut last = Instant::now();
    while !finished() {
        std::thread::sleep(Duration::from_millis(20));
        if let Some(seed) = shared.hanging() {
            tell_summary(&shared.sum(), begun.elapsed(), shared.from);
            let what = format!("it has not ended after {} seconds of real time", HANG.as_secs());
            tell_failure(shared.call, seed, 0, &Failure { checker: "liveness", what });
            std::process::exit(1);
        }
        if last.elapsed() < every {
            continue;
        }
        last = Instant::now();
        let sum = shared.sum();
        let line = format!(
            "{} seeds, {:.1}/s, {} crashes, {} commits, {} failures",
            sum.seeds,
            sum.seeds as f64 / begun.elapsed().as_secs_f64(),
            sum.report.crashes,
            sum.report.commits,
            sum.failures.len()
        );
        if terminal {
            print!("\r{line}   ");
            let _ = std::io::stdout().flush();
        } else {
            println!("{line}");
        }
    }
    if terminal {
        print!("\r");
    }
}

fn tell_summary(sum: &Sum, took: Duration, from: u64) {
    let r = &sum.report;
    println!(
        "{} seeds from {from} in {:.1} s ({:.1}/s), {} of them twice: {} lives, {} crashes, {} commits, {} rollbacks, \
         {} checked statements, {} device operations, {} transactions searched for cycles, {:.0} s of virtual time",
        sum.seeds,
        took.as_secs_f64(),
        sum.seeds as f64 / took.as_secs_f64(),
        sum.twice,
        r.lives,
        r.crashes,
        r.commits,
        r.rollbacks,
        r.operations,
        r.io,
        r.histories,
        r.virtual_nanos as f64 / 1e9
    );
    let faults: Vec<String> = r.faults.iter().map(|(name, n)| format!("{name} {n}")).collect();
    println!("faults: {}", if faults.is_empty() { "none".into() } else { faults.join(", ") });
    if let Some((seed, t)) = sum.slowest {
        println!("slowest: seed {seed} with {} ms; longest life: {} steps", t.as_millis(), r.steps);
    }
}

fn options(call: &Call, o: &Overrides) -> String {
    let plant = call.plant.as_ref().map_or(String::new(), |name| format!(" --plant {name}"));
    format!("{}{plant}{}", call.storey.options(), o.options())
}

/// At once: anyone who ends a long run knows what it had found.
fn tell_failure(call: &Call, seed: u64, life: u64, failure: &Failure) {
    println!("\nFAILED: seed {seed}, life {life}: {failure}");
    println!("  replay:  weir simulate --seed {seed}{}", options(call, &call.overrides));
}

fn tell_smaller(call: &Call, seed: u64, life: u64, failure: &Failure) {
    if !call.shrink || failure.checker == "determinism" {
        return;
    }
    let begun = Instant::now();
    let more = |runs| runs < SHRINK_RUNS && begun.elapsed() < SHRINK_TIME;
    let small = shrink(call.storey, seed, &call.overrides, life, failure, &more);
    if small.overrides != call.overrides {
        println!(
            "\nseed {seed}, smaller: weir simulate --seed {seed}{}",
            options(call, &small.overrides)
        );
        println!("  {}", small.failure);
    }
}
