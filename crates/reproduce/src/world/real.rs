//! A run on this computer: its disk, its processors, its clock.

use super::measure::{Hardware, Meter, Seen};
use super::sim::{self, Server};
use crate::data::{self, Watch};
use crate::figures::Measured;
use crate::plan::{Load, Plan};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use weir_disk::{Backend, Disk, RealDisk};
use weir_engine::{Db, Options};
use weir_rt::Rt;
use weir_server::boot;

/// A folder that goes when its run is over.
struct Folder(PathBuf);

impl Folder {
    fn remove(&self) -> Result<(), String> {
        std::fs::remove_dir_all(&self.0).map_err(|e| {
            format!("cannot remove '{}', which is no longer needed: {e}", self.0.display())
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A second try where the first has told its error, or where none was reached.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bytes that a plan's data and log take at most, about.
fn needed(plan: &Plan, redo: u64) -> u64 {
    let rows = match plan.load {
        Load::Tpcc { warehouses, .. } => (warehouses as u64 * 100) << 20,
        Load::Insert { start_rows, rows, .. } => (start_rows + rows) * 200,
        Load::Oltp { rows, .. } => rows * 400,
    };
    rows / plan.size.rows() * 2 + redo
}

fn check_room(folder: &Path, need: u64) -> Result<(), String> {
    let Ok(s) = rustix::fs::statvfs(folder) else { return Ok(()) };
    let free = s.f_bavail * s.f_frsize;
    if free > need {
        return Ok(());
    }
    Err(format!(
        "'{}' has {} MiB free, and a run of this scale needs {}: --dir=DIR takes another place, --scale=small less",
        folder.display(),
        free >> 20,
        need >> 20
    ))
}

/// Makes the data in a folder of its own under `place`, runs, and removes it.
pub fn run(plan: &Plan, place: &Path, watch: Watch<'_>) -> Result<Measured, String> {
    let begun = Instant::now();
    let Server { options: o, durability, vars } = sim::server(plan)?;
    let redo = o.redo_capacity;
    check_room(place, needed(plan, redo))?;
    let path = place.join(format!("weir-reproduce-data-{}-{}", std::process::id(), plan.name));
    std::fs::create_dir_all(&path).map_err(|e| format!("cannot make '{}': {e}", path.display()))?;
    let folder = Folder(path);
    let rt = Rt::real();
    let disk: Arc<dyn Disk> =
        Arc::new(RealDisk::open(&folder.0, Backend::Auto, |_| {}).map_err(|e| e.to_string())?);
    let slowed = boot::throttled(&rt, disk.clone(), &vars);
    let done = rt.block_on(async {
        let db = open(&rt, &disk, sim::loading(&o)).await?;
        let loaded = data::load(&db, &plan.load, plan.size, watch).await;
        stopped(&db, loaded).await?;
        let db = open(&rt, &slowed, o).await?;
        let m = match sim::shared(&rt, plan, &db, &*slowed, durability, None).await {
            Ok(world) => sim::work(&world, &Process, redo, watch).await,
            Err(e) => Err(e),
        };
        stopped(&db, m).await
    });
    let removed = folder.remove();
    let m = done?;
    removed?;
    Ok(Measured { computed_in: begun.elapsed().as_secs_f64(), ..m })
}

async fn open(rt: &Rt, disk: &Arc<dyn Disk>, o: Options) -> Result<Db, String> {
    Db::open(rt, disk.clone(), o).await.map_err(|e| e.to_string())
}

/// The engine is stopped whatever was done with it; the first error counts.
async fn stopped<T>(db: &Db, done: Result<T, String>) -> Result<T, String> {
    let end = db.shutdown().await.map_err(|e| e.to_string());
    let done = done?;
    end.map(|()| done)
}

/// This process: what its engine reads and writes, and its time on the processors.
struct Process;

impl Meter for Process {
    fn read(&self, engine: &Seen) -> Hardware {
        let n = |name: &str| engine.of(name) as u64;
        Hardware {
            reads: n("Innodb_data_reads"),
            // Of the log what was synced: its writes before that are the page cache's.
            writes: n("Weir_flush_requests") + n("Innodb_os_log_fsyncs"),
            busy: processor_time().unwrap_or(0),
            direct: Default::default(),
        }
    }

    fn processors(&self) -> f64 {
        std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64)
    }

    /// Not told by the system for a process.
    fn waiting(&self) -> f64 {
        0.0
    }
}

/// Nanoseconds of user and system time.
fn processor_time() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    let per_second = rustix::param::clock_ticks_per_second();
    Some(ticks * 1_000_000_000 / per_second.max(1))
}
