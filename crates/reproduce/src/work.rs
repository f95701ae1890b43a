//! Runs in their order, on as many processors as there are; each is kept as a file when it is done, so what was interrupted goes on.

use crate::figures::Measured;
use crate::machine::Image;
use crate::plan::Plan;
use crate::world::{real, sim};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    pub stop: Arc<AtomicBool>,
}

type Images = BTreeMap<String, Arc<Image>>;

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Work {
    /// The file of a run. Its name tells the experiment and the run; what else makes a run what it is goes into a number.
    fn file(&self, j: &Job) -> PathBuf {
        let mut h = DefaultHasher::new();
        let p = &j.plan;
        (&p.machine, &p.options, p.users, p.size.pages, p.size.divided, p.size.shorter)
            .hash(&mut h);
        (format!("{:?}", p.load), p.serial_commits, p.seed, format!("{:?}", self.place))
            .hash(&mut h);
        (env!("CARGO_PKG_VERSION"), FORMAT).hash(&mut h);
        self.out.join(format!("{}-{}-{:08x}.json", j.experiment, p.name, h.finish() as u32))
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
                "{} of {} runs are kept in {} (--again makes them anew)",
                done.len(),
                jobs.len(),
                self.out.display()
            );
        }
        // Runs with the same data stand together, so that an image is made once and dropped when its last run has it.
        left.sort_by_key(|j| j.plan.load.data(j.plan.size));
        let results = Mutex::new((done, Vec::new()));
        let next = AtomicUsize::new(0);
        let images: Mutex<Images> = Mutex::default();
        let board = Board::new(left.len());
        let threads = if self.place == Where::Sim { self.threads } else { 1 };
        std::thread::scope(|s| {
            for _ in 0..threads.min(left.len()) {
                s.spawn(|| {
                    while let Some(j) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if self.stop.load(Ordering::Relaxed) {
                            break;
                        }
                        match self.one(j, &images, &board) {
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

    /// Data of a plan. Whoever comes first makes them, and the others wait for it.
    fn image(&self, j: &Job, images: &Mutex<Images>, board: &Board) -> Result<Arc<Image>, String> {
        let key = j.plan.load.data(j.plan.size);
        let mut all = lock(images);
        if let Some(i) = all.get(&key) {
            return Ok(i.clone());
        }
        // One image at a time is in use but for the moment between two experiments.
        all.retain(|_, i| Arc::strong_count(i) > 1);
        let name = format!("{} data", j.experiment);
        let image = sim::prepare(&j.plan, &|share| self.goes_on(board, &name, share))?;
        let image = Arc::new(image);
        board.forget(&name);
        all.insert(key, image.clone());
        Ok(image)
    }

    fn one(&self, j: &Job, images: &Mutex<Images>, board: &Board) -> Result<Measured, String> {
        let name = format!("{} {}", j.experiment, j.plan.name);
        let begun = Instant::now();
        let m = match &self.place {
            Where::Sim => {
                let image = self.image(j, images, board)?;
                sim::run(&j.plan, &image, &|share| self.goes_on(board, &name, share))?
            }
            Where::Real(folder) => {
                real::run(&j.plan, folder, &|share| self.goes_on(board, &name, share))?
            }
        };
        self.keep(j, &m)?;
        board.done(&name, begun.elapsed().as_secs_f64());
        Ok(m)
    }
}

/// Of what a kept run consists; another number for another meaning.
const FORMAT: u32 = 1;

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
