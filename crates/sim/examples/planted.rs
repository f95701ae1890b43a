//! Which bugs the simulator finds: plants each of `weir_engine::planted` in turn and plays seeds until a checker speaks.
//!
//!     cargo run --release -p weir-sim --features planted --example planted              # the table of docs/planted-bugs.md
//!     cargo run --release -p weir-sim --features planted --example planted -- NAME ...  # some of them
//!
//! `NAME --trace SEED` tells what happens in one seed. `--seeds N` (default 2000) and `--seconds N` (default 120) bound the search for each bug; `--jobs N` searches at once.
//! Each bug has a process of its own, because a planted bug may do anything. A seed that fails counts only if it passes
//! without the bug.

use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use weir_engine::planted::{ALL, Bug, by_name, plant, reached};
use weir_sim::{Overrides, Scenario, keep_panics_quiet, run};

/// A run takes far less than a second: one that takes this long does not end.
const HANG: Duration = Duration::from_secs(60);

struct Call {
    names: Vec<String>,
    seeds: u64,
    limit: Duration,
    jobs: usize,
    /// In the process of one bug.
    child: bool,
    /// Tells what happens in one seed with the bug.
    trace: Option<u64>,
}

fn parse() -> Result<Call, String> {
    let mut c = Call {
        names: Vec::new(),
        seeds: 2000,
        limit: Duration::from_secs(120),
        jobs: 2,
        child: false,
        trace: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut number = || {
            let text = args.next().ok_or(format!("{a} needs a number"))?;
            text.parse::<u64>().map_err(|_| format!("{a} {text}: not a number"))
        };
        match a.as_str() {
            "--seeds" => c.seeds = number()?,
            "--seconds" => c.limit = Duration::from_secs(number()?),
            "--jobs" => c.jobs = number()?.max(1) as usize,
            "--child" => c.child = true,
            "--trace" => c.trace = Some(number()?),
            name if by_name(name).is_some() => c.names.push(a),
            other => return Err(format!("there is no option and no planted bug '{other}'")),
        }
    }
    Ok(c)
}

fn main() -> ExitCode {
    match parse() {
        Err(e) => {
            eprintln!("planted: {e}");
            ExitCode::from(64)
        }
        Ok(Call { trace: Some(seed), names, .. }) => {
            plant(names.first().and_then(|n| by_name(n)));
            let report = run(&Scenario::new(seed, &Overrides::default()), true);
            eprintln!("{:?}; came there {} times", report.failure, reached());
            ExitCode::SUCCESS
        }
        Ok(c) if c.child => {
            let name = &c.names[0];
            println!("{}", search(by_name(name).expect("checked by parse"), &c));
            ExitCode::SUCCESS
        }
        Ok(c) => table(&c),
    }
}

/// Seeds from 0 on; the row's last cells: found by, seeds, seconds, what was said.
fn search(bug: Bug, c: &Call) -> String {
    keep_panics_quiet();
    let begun = Instant::now();
    let seed = AtomicU64::new(0);
    let seconds = || format!("{:.1}", begun.elapsed().as_secs_f64());
    std::thread::scope(|s| {
        let worker = std::thread::Builder::new().stack_size(16 << 20);
        let worker = worker.spawn_scoped(s, || {
            let mut unsound = 0;
            while seed.load(Ordering::Relaxed) < c.seeds && begun.elapsed() < c.limit {
                let n = seed.load(Ordering::Relaxed);
                let scenario = Scenario::new(n, &Overrides::default());
                plant(Some(bug));
                if let Some((_, f)) = run(&scenario, false).failure {
                    plant(None);
                    if run(&scenario, false).failure.is_none() {
                        let what: String =
                            f.what.chars().take(160).collect::<String>().replace('|', "/");
                        return format!("{} | {} | {} | {what}", f.checker, n + 1, seconds());
                    }
                    unsound += 1;
                }
                seed.fetch_add(1, Ordering::Relaxed);
            }
            let n = seed.load(Ordering::Relaxed);
            let how = match (reached(), unsound) {
                (_, u) if u > 0 => format!("{u} seeds fail without it, too"),
                (0, _) => "the last seed did not come there".to_string(),
                (r, _) => format!("the last seed came there {r} times"),
            };
            format!("**none** | ({n}) | {} | {how}", seconds())
        });
        let worker = worker.expect("a thread for the search");
        let mut last = (0, Instant::now());
        while !worker.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
            let now = seed.load(Ordering::Relaxed);
            if now != last.0 {
                last = (now, Instant::now());
            } else if last.1.elapsed() > HANG {
                println!("hang | {} | {} | a step that does not end", now + 1, seconds());
                std::process::exit(0);
            }
        }
        worker.join().unwrap_or_else(|_| "the search itself ended | | |".into())
    })
}

/// Prints the table, in the order of the list.
fn table(c: &Call) -> ExitCode {
    let wanted: Vec<_> =
        ALL.iter().filter(|b| c.names.is_empty() || c.names.iter().any(|n| n == b.1)).collect();
    let rows: Vec<Mutex<Option<String>>> = wanted.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    println!("| bug | what it does | breaks | found by | seeds | seconds |");
    println!("|---|---|---|---|---|---|");
    std::thread::scope(|s| {
        for _ in 0..c.jobs {
            s.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some((_, name, breaks, does)) = wanted.get(i) else { return };
                    let told = child(name, c);
                    eprintln!("{name}: {told}");
                    // Without the last cell, which is what a checker said.
                    let cells = told.rsplit_once(" | ").map_or(told.as_str(), |t| t.0);
                    let row = format!("| {name} | {does} | {breaks:?} | {cells} |");
                    *rows[i].lock().expect("no row panics") = Some(row);
                }
            });
        }
    });
    let mut missed = 0;
    for r in &rows {
        let row = r.lock().expect("no row panics").take().unwrap_or_default();
        missed += usize::from(row.contains("**none**"));
        println!("{row}");
    }
    println!("\n{} of {} found", rows.len() - missed, rows.len());
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn child(name: &str, c: &Call) -> String {
    let me = std::env::current_exe().expect("a running program has a path");
    let out = Command::new(me)
        .args(["--child", name, "--seeds", &c.seeds.to_string()])
        .args(["--seconds", &c.limit.as_secs().to_string()])
        .stderr(Stdio::null())
        .output();
    match out {
        Ok(o) if o.status.success() => String::from_utf8_lossy(&o.stdout).trim().replace('\n', " "),
        Ok(o) => format!("abort | ? | ? | the process ended: {}", o.status),
        Err(e) => format!("**none** | (0) | 0 | {e}"),
    }
}
