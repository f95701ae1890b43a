//! `weir check`, and the look at a directory that was restored.

use super::take::POOL;
use crate::command::{Call, Progress};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use weir_disk::{Backend, Disk, Overlay, RealDisk};
use weir_engine::{Db, Options};
use weir_rt::{Interrupt, Rt};
use weir_server::backup::{self, Reader, hex};

const CONTROL: &str = "weir.ctl";

/// A data directory that is read, with what recovery changes in another one, which goes in the end.
pub struct Over {
    pub disk: Arc<dyn Disk>,
    work: PathBuf,
}

impl Drop for Over {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.work);
    }
}

pub fn overlay(dir: &Path, work: Option<PathBuf>) -> Result<Over, String> {
    if !dir.join(CONTROL).exists() {
        return Err(format!("'{}' is no data directory: it has no {CONTROL}", dir.display()));
    }
    let lower = RealDisk::open_read_only(dir, |_| {}).map_err(|e| {
        format!(
            "{e}; a running server is copied through a connection, --target=mysql://USER@HOST:PORT"
        )
    })?;
    let work = work.unwrap_or_else(std::env::temp_dir);
    let work = work.join(format!("weir-check-{}", std::process::id()));
    let upper = RealDisk::open(&work, Backend::Threads, |_| {}).map_err(|e| e.to_string())?;
    let disk: Arc<dyn Disk> = Arc::new(Overlay::new(Arc::new(lower), Arc::new(upper)));
    Ok(Over { disk, work })
}

pub fn check(call: &Call) -> Result<bool, String> {
    let path = PathBuf::from(call.get("").ok_or("a directory is missing")?);
    if path.join(CONTROL).exists() {
        let over = overlay(&path, call.path("work"))?;
        return check_directory(over.disk.clone());
    }
    let key = call.key()?;
    let mut progress = Progress::new("check", Reader::bytes(&path), call.has("quiet"));
    let checked = backup::check(&path, key.as_ref(), &mut |n| progress.step(n));
    drop(progress);
    match checked {
        Ok(c) => {
            println!(
                "backup {} is whole: LSN {} to {}, {} files, {} pages",
                hex(&c.begin.ids.backup),
                c.begin.start,
                c.end.end,
                c.end.spaces.len(),
                c.end.copied_pages
            );
            Ok(true)
        }
        Err(e) => {
            println!("{e}");
            Ok(false)
        }
    }
}

/// Opens the directory and checks all of it. What is wrong goes to standard output.
pub fn check_directory(disk: Arc<dyn Disk>) -> Result<bool, String> {
    let rt = Rt::real();
    rt.block_on(async {
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = said.clone();
        let log = move |line: &str| {
            sink.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_string());
        };
        let o = Options { buffer_pool: POOL, log: Arc::new(log), ..Options::default() };
        let db = Db::open(&rt, disk, o).await.map_err(|e| e.to_string())?;
        let looked = tables(&db).await;
        // The engine's own words about what it could not use.
        let lines = std::mem::take(&mut *said.lock().unwrap_or_else(PoisonError::into_inner));
        let errors: Vec<String> = lines.into_iter().filter(|l| l.starts_with("error:")).collect();
        errors.iter().for_each(|e| println!("{e}"));
        let closed = db.shutdown().await.map_err(|e| e.to_string());
        let (tables, wrong) = looked?;
        closed?;
        let all = wrong + errors.len();
        match all {
            0 => println!("{tables} tables checked, nothing is wrong"),
            n => println!("{tables} tables checked, {n} findings"),
        }
        Ok(all == 0)
    })
}

/// How many tables there are, and how much was found.
async fn tables(db: &Db) -> Result<(usize, usize), String> {
    let interrupt = Interrupt::new();
    let (mut count, mut wrong) = (0, 0);
    for schema in db.schemas() {
        for t in db.tables(&schema.name) {
            count += 1;
            let name = format!("{}.{}", schema.name, t.def.name);
            match db.check_table(&t, &interrupt).await {
                Ok(found) => {
                    wrong += found.len();
                    found.iter().for_each(|f| println!("{name}: {f}"));
                }
                Err(e) => {
                    wrong += 1;
                    println!("{name}: {e}");
                }
            }
        }
    }
    let of_system = db.check_spaces().await.map_err(|e| e.to_string())?;
    of_system.iter().for_each(|f| println!("{f}"));
    Ok((count, wrong + of_system.len()))
}
