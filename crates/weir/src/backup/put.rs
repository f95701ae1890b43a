//! `weir restore`: checks all that is needed, then makes the directory.

use super::look::check_directory;
use super::options::Call;
use super::progress::{Progress, size};
use std::path::PathBuf;
use std::sync::Arc;
use weir_disk::{Backend, RealDisk};
use weir_server::backup::{Goal, Reader, Restore};

pub fn restore(call: &Call) -> Result<bool, String> {
    let from: Vec<PathBuf> = call.need("from")?.split(',').map(PathBuf::from).collect();
    let goal = goal(call)?;
    let target = match (call.path("datadir"), call.has("dry-run")) {
        (Some(dir), _) => Some(dir),
        (None, true) => None,
        (None, false) => return Err("--datadir is missing".into()),
    };
    let bytes: u64 = from.iter().map(|p| Reader::bytes(p)).sum();
    let restore = Restore { from, key: call.key()?, goal };
    if let Some(target) = &target {
        // Before hours are spent on the check.
        weir_server::backup::refuse_used(target)?;
    }
    let quiet = call.has("quiet");
    let mut progress = Progress::new("check", bytes, quiet);
    let plan = restore.check(&mut |n| progress.step(n))?;
    drop(progress);
    let Some(target) = target.filter(|_| !call.has("dry-run")) else {
        println!("everything that is needed is there and whole, up to LSN {}", plan.upto);
        return Ok(true);
    };
    let mut progress = Progress::new("restore", bytes, quiet);
    let made = restore.run(&plan, &target, &mut |n| progress.step(n))?;
    drop(progress);
    println!(
        "restored to '{}': the first start applies {} of redo, LSN {} to {}",
        target.display(),
        size((made.to - made.from) as f64),
        made.from,
        made.to
    );
    for space in &made.damaged {
        println!(
            "the table of file 'tables/{space:08x}.weir' was damaged in the server, and is here, too"
        );
    }
    if !call.has("verify") {
        return Ok(true);
    }
    let disk = RealDisk::open(&target, Backend::Threads, |_| {}).map_err(|e| e.to_string())?;
    check_directory(Arc::new(disk))
}

fn goal(call: &Call) -> Result<Goal, String> {
    match (call.get("to-lsn"), call.get("to-time")) {
        (None, None) => Ok(Goal::End),
        (Some(_), Some(_)) => Err("--to-lsn and --to-time exclude each other".into()),
        (Some(lsn), None) => {
            lsn.parse().map(Goal::Lsn).map_err(|_| format!("--to-lsn={lsn} is no LSN"))
        }
        (None, Some(text)) => moment(text).map(Goal::Time).ok_or_else(|| {
            format!("--to-time={text} is no moment, as 2026-11-28T14:00:00Z or 2026-11-28 14:00:00.5 is one")
        }),
    }
}

/// Microseconds since 1970. A `Z` means UTC; otherwise the time is that of the machine's time zone.
fn moment(text: &str) -> Option<u64> {
    weir_sql::dump::moment(text)
}
