//! One mutant before its judges: each is a process with a limit of time and of memory.

use crate::scratch::Programs;
use crate::{Cover, Mutant};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// A judge without a mutant stays far below.
const MEMORY_LIMIT: u64 = 3 << 30;
/// The slowest seed without a mutant takes a tenth of it.
const SEED_LIMIT: Duration = Duration::from_secs(40);

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of the simulator's first storey; the second has half of it.
    pub simulator: Duration,
    /// What the unit tests and the tests of the engine take at most.
    pub unit: Duration,
    pub tests: Duration,
}

/// What a judge said.
enum Said {
    Nothing,
    Caught(String),
}

/// The name of the judge that caught it, and what it said.
pub struct Verdict {
    pub by: &'static str,
    pub said: String,
}

pub struct Court<'a> {
    pub programs: &'a Programs,
    pub crate_dir: &'a Path,
    pub engine: &'a Cover,
    pub sql: &'a Cover,
    pub limits: Limits,
}

impl Court<'_> {
    /// In order of price: seeds that come to the mutant, unit tests, more seeds, the engine's tests, the second storey.
    pub fn judge(&self, m: &Mutant) -> Result<Verdict, String> {
        let seeds = self.engine.seeds(m);
        let (first, rest) = seeds.split_at(seeds.len().min(12));
        let caught = |by, said| Ok(Verdict { by, said });
        if let Said::Caught(s) = self.simulate(m, "engine", first, self.limits.simulator)? {
            return caught("simulator", s);
        }
        if let Said::Caught(s) = self.test(m, &self.programs.unit, self.limits.unit)? {
            return caught("unit tests", s);
        }
        if let Said::Caught(s) = self.simulate(m, "engine", rest, self.limits.simulator)? {
            return caught("simulator", s);
        }
        if let Said::Caught(s) = self.test(m, &self.programs.tests, self.limits.tests)? {
            return caught("engine tests", s);
        }
        if let Said::Caught(s) =
            self.simulate(m, "sql", &self.sql.seeds(m), self.limits.simulator / 2)?
        {
            return caught("sql storey", s);
        }
        Ok(Verdict { by: "", said: String::new() })
    }

    /// More seeds of the first storey, whether or not they are known to come to the mutant.
    pub fn play(&self, m: &Mutant, seeds: &[u64], limit: Duration) -> Result<Verdict, String> {
        Ok(match self.simulate(m, "engine", seeds, limit)? {
            Said::Caught(said) => Verdict { by: "simulator, long", said },
            Said::Nothing => Verdict { by: "", said: String::new() },
        })
    }

    fn simulate(
        &self,
        m: &Mutant,
        storey: &str,
        seeds: &[u64],
        limit: Duration,
    ) -> Result<Said, String> {
        if seeds.is_empty() {
            return Ok(Said::Nothing);
        }
        let mut c = Command::new(&self.programs.simulator);
        c.args(["play", storey, &limit.as_secs().max(1).to_string()]);
        c.args(seeds.iter().map(u64::to_string));
        watch(c, m, limit + SEED_LIMIT, SEED_LIMIT)
    }

    fn test(&self, m: &Mutant, program: &Path, limit: Duration) -> Result<Said, String> {
        if limit.is_zero() {
            return Ok(Said::Nothing);
        }
        let mut c = Command::new(program);
        c.current_dir(self.crate_dir).env("RUST_BACKTRACE", "0");
        watch(c, m, limit, limit)
    }
}

/// Runs a judge until it says something, ends, or takes too much.
fn watch(mut c: Command, m: &Mutant, total: Duration, silence: Duration) -> Result<Said, String> {
    c.env("WEIR_MUTANT", m.id.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = c.spawn().map_err(|e| format!("{c:?}: {e}"))?;
    let lines = lines_of(&mut child);
    let said = wait(&mut child, &lines, total, silence);
    let _ = child.kill();
    let status = child.wait().map_err(|e| format!("{c:?}: {e}"))?;
    Ok(match said {
        Some(s) => Said::Caught(s),
        None if status.success() => Said::Nothing,
        None => Said::Caught(format!("the process ended: {status}")),
    })
}

fn lines_of(child: &mut Child) -> Receiver<String> {
    let (tx, rx) = channel();
    let out = child.stdout.take().expect("standard output is a pipe");
    std::thread::spawn(move || {
        for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
            if tx.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                break;
            }
        }
    });
    rx
}

fn wait(
    child: &mut Child,
    lines: &Receiver<String>,
    total: Duration,
    silence: Duration,
) -> Option<String> {
    let (begun, mut heard) = (Instant::now(), Instant::now());
    let mut last = String::new();
    loop {
        match lines.recv_timeout(Duration::from_millis(50)) {
            Ok(l) => {
                heard = Instant::now();
                let failed = l.starts_with("FAILED seed")
                    || (l.starts_with("test ") && l.ends_with("FAILED"));
                if failed {
                    return Some(l);
                }
                last = l;
            }
            // Its output is closed: it ends.
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if begun.elapsed() > total || heard.elapsed() > silence {
            return Some(format!("time: it does not end ({last})"));
        }
        if resident(child.id()) > MEMORY_LIMIT {
            return Some(format!("memory: more than {} GiB ({last})", MEMORY_LIMIT >> 30));
        }
    }
}

/// Bytes of memory that a process has.
fn resident(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    text.split(' ').nth(1).and_then(|p| p.parse::<u64>().ok()).unwrap_or(0) * 4096
}
