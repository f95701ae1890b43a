//! `weir load`: the files of a directory in the order of their names, those with rows by several connections at once; or one text.

use super::split::Splitter;
use super::{INCOMPLETE, threads};
use crate::command::{Call, Progress};
use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use weir_bench::client::Connection;

/// Files that begin so have rows only, and do not need each other.
pub const ROWS: &str = "20-";

const BUFFER: usize = 1 << 20;
/// Of a statement in a message.
const SHOWN: usize = 120;

struct Loader<'c> {
    target: &'c str,
    force: bool,
    failed: AtomicUsize,
    stop: AtomicBool,
    progress: Mutex<Progress>,
}

pub fn load(call: &Call) -> Result<bool, String> {
    let (from, target) = (call.need("from")?, call.need("target")?);
    let threads = threads(call)?;
    let files = match from {
        "-" => Vec::new(),
        path => list(Path::new(path))?,
    };
    let size = |p: &PathBuf| std::fs::metadata(p).map_or(0, |m| m.len());
    let total = files.iter().map(size).sum();
    let loader = Loader {
        target,
        force: call.has("force"),
        failed: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        progress: Mutex::new(Progress::new("load", total, call.has("quiet"))),
    };
    if from == "-" {
        loader.text(&mut loader.connect()?, "standard input", stdin().lock())?;
    }
    let is_rows = |p: &PathBuf| name(p).starts_with(ROWS);
    for group in files.chunk_by(|a, b| is_rows(a) && is_rows(b)) {
        loader.group(group, threads)?;
    }
    Ok(loader.failed.load(Ordering::Relaxed) == 0)
}

fn name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned())
}

/// The files of a directory by name, or the one file.
fn list(path: &Path) -> Result<Vec<PathBuf>, String> {
    let about = |e: std::io::Error| format!("cannot read '{}': {e}", path.display());
    if !std::fs::metadata(path).map_err(about)?.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    if path.join(INCOMPLETE).exists() {
        return Err(format!("the dump '{}' is not complete: something ended it", path.display()));
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path).map_err(about)?.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "sql"));
    files.sort();
    match files.is_empty() {
        true => Err(format!("'{}' has no files *.sql", path.display())),
        false => Ok(files),
    }
}

impl Loader<'_> {
    fn connect(&self) -> Result<Connection, String> {
        let password = std::env::var("MYSQL_PWD").ok();
        Connection::open(self.target, password.as_deref()).map_err(|e| e.to_string())
    }

    /// Files one after the other, or several at once where there are several.
    fn group(&self, files: &[PathBuf], threads: usize) -> Result<(), String> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), String> {
            let mut c = self.connect()?;
            while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let file = File::open(path)
                    .map_err(|e| format!("cannot read '{}': {e}", path.display()))?;
                self.text(&mut c, &name(path), BufReader::with_capacity(BUFFER, file))?;
            }
            Ok(())
        };
        std::thread::scope(|s| {
            let all: Vec<_> = (0..threads.min(files.len())).map(|_| s.spawn(work)).collect();
            let mut done = Ok(());
            for t in all {
                let one =
                    t.join().unwrap_or_else(|_| Err("a thread ended by an internal error".into()));
                if one.is_err() {
                    self.stop.store(true, Ordering::Relaxed);
                }
                // The first error counts; the others were asked to stop.
                if done.is_ok() {
                    done = one;
                }
            }
            done
        })
    }

    fn text(&self, c: &mut Connection, place: &str, text: impl BufRead) -> Result<(), String> {
        let mut statements = Splitter::new(text);
        let mut seen = 0;
        loop {
            let next =
                statements.next_statement().map_err(|e| format!("cannot read {place}: {e}"))?;
            let Some(sql) = next else { return Ok(()) };
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if let Err(e) = c.each_row(&sql, &mut |_| Ok(())) {
                let shown =
                    String::from_utf8_lossy(&sql[..sql.len().min(SHOWN)]).replace('\n', " ");
                let told = format!("{place}: {e}: {shown}");
                if !self.force || e.is_lost() {
                    self.stop.store(true, Ordering::Relaxed);
                    return Err(told);
                }
                self.failed.fetch_add(1, Ordering::Relaxed);
                eprintln!("weir load: {told}");
            }
            let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            progress.step(statements.read - seen);
            seen = statements.read;
        }
    }
}
