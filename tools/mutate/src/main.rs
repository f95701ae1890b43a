//! Mutation testing of the engine: small changes to its code, one at a time, and who notices. `docs/mutation.md` says what for.
//!
//! All mutants are built into one program, each behind a switch (`rewrite`, `scratch`), because a build for each would take a
//! processor some weeks. A mutant is then a process with its number in the environment (`judge`).

mod judge;
mod report;
mod rewrite;
mod scratch;

use judge::{Court, Limits};
use scratch::Scratch;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const ROOMS: [&str; 9] =
    ["txn", "btree", "lock", "log", "pool", "mtr", "space", "catalog", "recovery"];

const HELP: &str = "\
mutate: changes the engine's code in one small way after the other and tells whether a test notices.

Usage: cargo run --manifest-path tools/mutate/Cargo.toml -- COMMAND [options]      in the repository's root

  build                  writes all mutants into a copy of the workspace (target/mutants), builds simulator and tests there
  cover [--seeds N]      plays seeds 0..N (default 300) of the simulator, a quarter as many of its second storey, and notes
                         which mutants each of them comes to
  run                    judges mutants: seeds that come to them, unit tests, the engine's tests, the second storey.
                         Goes on where it was left: verdicts stand in target/mutants/verdicts.tsv
      --sample N           so many, drawn at random (default 400)
      --seed S             of the draw (default 1)
      --room R             only from txn, btree, lock, log, pool, mtr, space, catalog or recovery
      --mutant ID          only this one, again
      --seconds T          of the simulator for each mutant (default 20)
      --tests T            seconds of the engine's tests for each mutant (default 240); 0: without them
      --jobs J             at once (default 1)
  again [--seconds T]    judges the survivors again, after a new `build` and `cover`
  deep [--seconds T] [--from S]    more seeds, from S on (default 100000), for each survivor
  report                 the table by room, and the survivors
";

/// One change.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub id: u32,
    pub path: String,
    pub line: usize,
    pub column: usize,
    pub range: Range<usize>,
    pub function: String,
    pub operator: String,
    /// What it was and what it becomes.
    pub what: String,
    /// Of the same mutants of a function, which one.
    pub nth: usize,
}

impl Mutant {
    pub fn room(&self) -> &str {
        self.path.split('/').nth(3).unwrap_or("")
    }

    /// The same in every build as long as the function stays as it is: the number moves with every change before it.
    pub fn key(&self) -> String {
        format!("{}\t{}\t{}\t{}\t{}", self.path, self.function, self.operator, self.what, self.nth)
    }

    /// Whether the switch knows if the mutant makes a difference where it stands.
    pub fn tells_difference(&self) -> bool {
        ["comparison", "condition", "literal"].contains(&self.operator.as_str())
    }
}

/// Which seeds come to which mutants.
#[derive(Default)]
pub struct Cover {
    /// By mutant: seeds, and whether it differs there.
    by_mutant: HashMap<u32, Vec<(u64, bool)>>,
}

impl Cover {
    fn read(text: &str) -> Cover {
        let mut c = Cover::default();
        for line in text.lines() {
            let mut words = line.split(' ');
            let Some(seed) = words.next().and_then(|w| w.parse().ok()) else { continue };
            for w in words.skip(1) {
                let n = w.trim_end_matches('!').parse().unwrap_or(0);
                c.by_mutant.entry(n).or_default().push((seed, w.ends_with('!')));
            }
        }
        c
    }

    /// Those that the mutant can change. A comparison whose answer would have been the same all the time changes nothing.
    pub fn seeds(&self, m: &Mutant) -> Vec<u64> {
        let all = self.by_mutant.get(&m.id).map_or(&[][..], |v| v);
        all.iter().filter(|s| s.1 || !m.tells_difference()).map(|s| s.0).collect()
    }

    pub fn reaches(&self, m: &Mutant) -> bool {
        self.by_mutant.contains_key(&m.id)
    }
}

struct Call {
    command: String,
    numbers: HashMap<String, u64>,
    room: Option<String>,
}

fn parse() -> Result<Call, String> {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or("--help".into());
    let mut c = Call { command, numbers: HashMap::new(), room: None };
    while let Some(a) = args.next() {
        let value = args.next().ok_or(format!("{a} needs a value"))?;
        match a.as_str() {
            "--room" if ROOMS.contains(&value.as_str()) => c.room = Some(value),
            "--room" => {
                return Err(format!("there is no room '{value}'; there are {}", ROOMS.join(", ")));
            }
            "--seeds" | "--sample" | "--seed" | "--mutant" | "--seconds" | "--tests" | "--jobs"
            | "--from" => {
                let n = value.parse().map_err(|_| format!("{a} {value}: not a number"))?;
                c.numbers.insert(a, n);
            }
            _ => return Err(format!("there is no option {a}")),
        }
    }
    Ok(c)
}

impl Call {
    fn number(&self, name: &str, default: u64) -> u64 {
        self.numbers.get(name).copied().unwrap_or(default)
    }
}

fn main() -> ExitCode {
    let done = parse().and_then(|c| {
        let root = std::env::current_dir().map_err(|e| e.to_string())?;
        if !root.join("crates/engine/src/lib.rs").is_file() {
            return Err("it must be started in the repository's root".into());
        }
        let s = Scratch::new(&root);
        match c.command.as_str() {
            "--help" | "-h" | "-?" | "help" => {
                print!("{HELP}");
                Ok(())
            }
            "build" => build(&s),
            "cover" => cover(&s, &c),
            "run" | "again" | "deep" => run(&s, &c),
            "report" => report::print(&s),
            other => Err(format!("there is no command '{other}'; `mutate help` lists them")),
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("mutate: {e}");
            ExitCode::FAILURE
        }
    }
}

fn build(s: &Scratch) -> Result<(), String> {
    let (all, refused) = s.make()?;
    let mut list = String::new();
    for m in all.iter().filter(|m| !refused.contains(&m.id)) {
        let Mutant { id, path, line, column, function, operator, what, .. } = m;
        list.push_str(&format!("{id}\t{path}\t{line}\t{column}\t{function}\t{operator}\t{what}\n"));
    }
    fs::write(s.file("mutants.tsv"), list).map_err(|e| e.to_string())?;
    println!(
        "{} mutants, {} of {} refused by the compiler",
        all.len() - refused.len(),
        refused.len(),
        all.len()
    );
    s.build()?;
    println!("built");
    Ok(())
}

/// The mutants of the last `build`.
pub fn mutants(s: &Scratch) -> Result<Vec<Mutant>, String> {
    let text = fs::read_to_string(s.file("mutants.tsv"))
        .map_err(|_| "run `mutate build` first".to_string())?;
    let lines = text.lines().filter_map(|l| {
        let w: Vec<&str> = l.splitn(7, '\t').collect();
        let [id, path, line, column, function, operator, what] = w[..] else { return None };
        Some(Mutant {
            id: id.parse().ok()?,
            path: path.into(),
            line: line.parse().ok()?,
            column: column.parse().ok()?,
            range: 0..0,
            function: function.into(),
            operator: operator.into(),
            what: what.into(),
            nth: 0,
        })
    });
    let mut all: Vec<Mutant> = lines.collect();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for m in &mut all {
        let n = seen.entry(m.key()).or_default();
        m.nth = *n;
        *n += 1;
    }
    Ok(all)
}

fn cover(s: &Scratch, c: &Call) -> Result<(), String> {
    let p = s.programs()?;
    let seeds = c.number("--seeds", 300);
    for (storey, n) in [("engine", seeds), ("sql", seeds / 4)] {
        let to = fs::File::create(s.file(&format!("cover.{storey}"))).map_err(|e| e.to_string())?;
        let begun = Instant::now();
        let done = Command::new(&p.simulator)
            .args(["cover", storey, "0", &n.to_string()])
            .env("WEIR_MUTANT", "cover")
            .stdout(Stdio::from(to))
            .status();
        if !done.is_ok_and(|d| d.success()) {
            return Err(format!("the cover of {storey} failed"));
        }
        println!("{storey}: {n} seeds in {:.0} s", begun.elapsed().as_secs_f64());
    }
    Ok(())
}

pub fn read_cover(s: &Scratch, storey: &str) -> Cover {
    Cover::read(&fs::read_to_string(s.file(&format!("cover.{storey}"))).unwrap_or_default())
}

/// By key of the mutant: who caught it, and what was said. The last verdict counts.
pub fn verdicts(s: &Scratch) -> HashMap<String, (String, String)> {
    let text = fs::read_to_string(s.file("verdicts.tsv")).unwrap_or_default();
    let lines = text.lines().filter_map(|l| {
        let w: Vec<&str> = l.splitn(8, '\t').collect();
        let [by, _, said] = *w.get(5..8)? else { return None };
        Some((w[..5].join("\t"), (by.to_string(), said.to_string())))
    });
    lines.collect()
}

/// Mutants in an order that the seed decides.
fn shuffled(mut all: Vec<Mutant>, seed: u64) -> Vec<Mutant> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for i in (1..all.len()).rev() {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        all.swap(i, (x % (i as u64 + 1)) as usize);
    }
    all
}

/// Which mutants a call means.
fn chosen(s: &Scratch, c: &Call) -> Result<Vec<Mutant>, String> {
    let known = verdicts(s);
    let mut all = mutants(s)?;
    if let Some(id) = c.numbers.get("--mutant") {
        all.retain(|m| u64::from(m.id) == *id);
        return Ok(all);
    }
    all.retain(|m| c.room.as_ref().is_none_or(|r| m.room() == r));
    if c.command != "run" {
        all.retain(|m| known.get(&m.key()).is_some_and(|v| v.0.is_empty()));
        return Ok(all);
    }
    let mut all = shuffled(all, c.number("--seed", 1));
    all.truncate(c.number("--sample", 400) as usize);
    all.retain(|m| !known.contains_key(&m.key()));
    Ok(all)
}

fn run(s: &Scratch, c: &Call) -> Result<(), String> {
    let programs = s.programs()?;
    let wanted = chosen(s, c)?;
    let (engine, sql) = (read_cover(s, "engine"), read_cover(s, "sql"));
    let court = Court {
        programs: &programs,
        crate_dir: &s.copy().join("crates/engine"),
        engine: &engine,
        sql: &sql,
        limits: Limits {
            simulator: Duration::from_secs(c.number("--seconds", 20)),
            unit: Duration::from_secs(60),
            tests: Duration::from_secs(c.number("--tests", 240)),
        },
    };
    let file = fs::OpenOptions::new().create(true).append(true).open(s.file("verdicts.tsv"));
    let file = Mutex::new(file.map_err(|e| e.to_string())?);
    let (next, caught) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let begun = Instant::now();
    let failed: Mutex<HashSet<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..c.number("--jobs", 1).max(1) {
            scope.spawn(|| {
                while let Some(m) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let since = Instant::now();
                    let verdict = match c.command.as_str() {
                        "deep" => {
                            let from = c.number("--from", 100_000);
                            let seeds: Vec<u64> = (from..from + 5000).collect();
                            court.play(m, &seeds, Duration::from_secs(c.number("--seconds", 60)))
                        }
                        _ => court.judge(m),
                    };
                    let v = match verdict {
                        Ok(v) => v,
                        Err(e) => {
                            failed.lock().expect("no holder panics").insert(e);
                            return;
                        }
                    };
                    caught.fetch_add(usize::from(!v.by.is_empty()), Ordering::Relaxed);
                    let said: String =
                        v.said.replace(['\t', '\n'], " ").chars().take(300).collect();
                    let line = format!(
                        "{}\t{}\t{:.1}\t{said}\n",
                        m.key(),
                        v.by,
                        since.elapsed().as_secs_f64()
                    );
                    let mut f = file.lock().expect("no holder panics");
                    let _ = f.write_all(line.as_bytes());
                    progress(
                        m,
                        v.by,
                        next.load(Ordering::Relaxed).min(wanted.len()),
                        wanted.len(),
                        begun,
                    );
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no holder panics");
    match failed.into_iter().next() {
        Some(e) => Err(e),
        None => {
            println!(
                "\n{} of {} caught; `mutate report` has the table",
                caught.into_inner(),
                wanted.len()
            );
            Ok(())
        }
    }
}

fn progress(m: &Mutant, by: &str, at: usize, all: usize, begun: Instant) {
    let by = if by.is_empty() { "SURVIVED" } else { by };
    let name = m.path.rsplit("src/").next().unwrap_or("");
    let line = format!(
        "{at}/{all} {:.0} s  {} {name}:{} {}: {by}",
        begun.elapsed().as_secs_f64(),
        m.id,
        m.line,
        m.function
    );
    if std::io::stdout().is_terminal() && by != "SURVIVED" {
        print!("\r{line}\x1b[K");
        let _ = std::io::stdout().flush();
    } else {
        println!("\r{line}");
    }
}
