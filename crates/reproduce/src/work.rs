//! Runs in their order, on as many processors as there are; each is kept as a file when it is done, so what was interrupted goes on.

use crate::figures::Measured;
use crate::machine::presets;
use crate::plan::Plan;
use crate::world::real;
use crate::world::sim::{self, Data};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// Where a run is made.
#[derive(Clone, Debug, PartialEq)]
pub enum Where {
    Sim,
    /// On this computer's disk, in a folder.
    Real(PathBuf),
}

/// A plan of an experiment.
#[derive(Clone, Debug)]
pub struct Job {
    pub experiment: String,
    pub plan: Plan,
}

pub struct Work {
    pub place: Where,
    pub out: PathBuf,
    pub threads: usize,
    /// Runs that are there already are made again.
    pub again: bool,
    /// The program that runs: what another one has kept is not taken for its own ([`program`]).
    pub program: u64,
    pub stop: Arc<AtomicBool>,
}

/// Data that several runs begin with. Anyone who comes first makes them, and the others wait; they go with the last run that needs them.
#[derive(Default)]
struct Shared {
    data: Arc<OnceLock<Result<Arc<Data>, String>>>,
    /// Runs that are still to come.
    needed: usize,
}

type AllData = Mutex<BTreeMap<String, Shared>>;

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work {
    /// The file of a run. Its name tells the experiment and the run; what else makes a run what it is goes into a number.
    fn file(&self, j: &Job) -> PathBuf {
        let mut h = DefaultHasher::new();
        let p = &j.plan;
        (format!("{p:?}"), format!("{:?}", self.place), self.program).hash(&mut h);
        if self.place == Where::Sim {
            format!("{:?}", presets::find(&p.machine)).hash(&mut h);
        }
        self.out.join(format!("{}-{}-{:016x}.json", j.experiment, p.name, h.finish()))
    }

    fn kept(&self, j: &Job) -> Option<Measured> {
        let text = std::fs::read(self.file(j)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    fn keep(&self, j: &Job, m: &Measured) -> Result<(), String> {
        let file = self.file(j);
        let text = serde_json::to_vec(m).map_err(|e| e.to_string())?;
        write(&file, &text)
    }

    /// Makes all runs; those that were made come back, in any order, with the errors of the others.
    pub fn run(&self, jobs: &[Job]) -> (Vec<(Job, Measured)>, Vec<String>) {
        let (mut done, mut left) = (Vec::new(), Vec::new());
        for j in jobs {
            match self.kept(j).filter(|_| !self.again) {
                Some(m) => done.push((j.clone(), m)),
                None => left.push(j.clone()),
            }
        }
        if !done.is_empty() {
            eprintln!(
                "{} of {} runs are kept in {} (--again makes them once more)",
                done.len(),
                jobs.len(),
                self.out.display()
            );
        }
        // Runs with the same data stand together, so that few data are kept at once.
        left.sort_by_cached_key(|j| key(&j.plan));
        let all = AllData::default();
        left.iter().for_each(|j| lock(&all).entry(key(&j.plan)).or_default().needed += 1);
        let results = Mutex::new((done, Vec::new()));
        let next = AtomicUsize::new(0);
        let board = Board::new(left.len());
        let threads = if self.place == Where::Sim { self.threads } else { 1 };
        std::thread::scope(|s| {
            for _ in 0..threads.min(left.len()) {
                s.spawn(|| {
                    while let Some(j) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if self.stop.load(Ordering::Relaxed) {
                            break;
                        }
                        match self.one(j, &all, &board) {
                            Ok(m) => lock(&results).0.push((j.clone(), m)),
                            Err(e) => lock(&results).1.push(e),
                        }
                    }
                });
            }
        });
        board.clear();
        results.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn goes_on(&self, board: &Board, name: &str, share: f64) -> bool {
        board.tell(name, share);
        !self.stop.load(Ordering::Relaxed)
    }

    fn data(&self, j: &Job, all: &AllData, board: &Board) -> Result<Arc<Data>, String> {
        let cell = lock(all).entry(key(&j.plan)).or_default().data.clone();
        let name = format!("{} data", j.experiment);
        let make = || {
            let data = sim::prepare(&j.plan, &|share| self.goes_on(board, &name, share));
            board.forget(&name);
            data.map(Arc::new)
        };
        cell.get_or_init(make).clone()
    }

    fn one(&self, j: &Job, all: &AllData, board: &Board) -> Result<Measured, String> {
        let name = format!("{} {}", j.experiment, j.plan.name);
        let begun = Instant::now();
        let watch = |share| self.goes_on(board, &name, share);
        let m = match &self.place {
            Where::Sim => {
                let data = self.data(j, all, board);
                release(&key(&j.plan), all);
                data.and_then(|d| sim::run(&j.plan, d, &watch))
            }
            Where::Real(folder) => real::run(&j.plan, folder, &watch),
        };
        board.forget(&name);
        let m = m?;
        self.keep(j, &m)?;
        board.done(&name, begun.elapsed().as_secs_f64());
        Ok(m)
    }
}

/// What a plan's data are; a plan whose options are refused has none, and says so when it is run.
fn key(p: &Plan) -> String {
    sim::data_key(p).unwrap_or_default()
}

/// A run has its data, and the last one takes them along.
fn release(key: &str, all: &AllData) {
    let mut all = lock(all);
    if let Some(s) = all.get_mut(key) {
        s.needed = s.needed.saturating_sub(1);
        if s.needed == 0 {
            all.remove(key);
        }
    }
}

/// A number for the program that runs, from its file.
pub fn program() -> Result<u64, String> {
    let failed = |e: std::io::Error| format!("cannot read this program's own file: {e}");
    let mut h = DefaultHasher::new();
    std::fs::read(std::env::current_exe().map_err(failed)?).map_err(failed)?.hash(&mut h);
    Ok(h.finish())
}

/// A file at once or not at all.
pub fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("cannot write '{}': {e}", file.display());
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let part = file.with_extension("part");
    std::fs::write(&part, bytes).map_err(failed)?;
    std::fs::rename(&part, file).map_err(failed)
}

/// What is under way, in one line of the terminal; elsewhere a line for each run that is done.
struct Board {
    state: Mutex<BoardState>,
    live: bool,
}

struct BoardState {
    under_way: BTreeMap<String, f64>,
    done: usize,
    all: usize,
    shown: Instant,
}

impl Board {
    fn new(all: usize) -> Board {
        let (under_way, shown) = (BTreeMap::new(), Instant::now());
        let state = Mutex::new(BoardState { under_way, done: 0, all, shown });
        Board { state, live: std::io::stderr().is_terminal() }
    }

    fn tell(&self, name: &str, share: f64) {
        if !self.live {
            return;
        }
        let mut s = lock(&self.state);
        s.under_way.insert(name.to_string(), share);
        if s.shown.elapsed().as_millis() < 200 {
            return;
        }
        s.shown = Instant::now();
        let parts: Vec<_> =
            s.under_way.iter().map(|(n, v)| format!("{n} {:.0} %", v * 100.0)).collect();
        let text: String =
            format!("{}/{} runs; {}", s.done, s.all, parts.join(", ")).chars().take(110).collect();
        eprint!("\r\x1b[K{text}");
        let _ = std::io::stderr().flush();
    }

    fn forget(&self, name: &str) {
        lock(&self.state).under_way.remove(name);
    }

    fn done(&self, name: &str, seconds: f64) {
        let mut s = lock(&self.state);
        s.under_way.remove(name);
        s.done += 1;
        let start = if self.live { "\r\x1b[K" } else { "" };
        eprintln!("{start}{}/{} {name}: {seconds:.0} s", s.done, s.all);
    }

    fn clear(&self) {
        if self.live {
            eprint!("\r\x1b[K");
        }
    }
}
