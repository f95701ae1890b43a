//! How long the data directory's device takes to make a small write durable, which is what each commit waits for.

use super::directory;
use super::finding::{Finding, Report};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Syncs at most, and time at most.
const SYNCS: usize = 200;
const TIME: Duration = Duration::from_millis(500);
/// What a flush of flash memory takes at least; a battery-backed cache is about as fast.
const TOO_FAST: Duration = Duration::from_micros(20);
/// Spinning disks take some milliseconds.
const SLOW: Duration = Duration::from_millis(20);

/// A file that is gone when this is.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        // A file that cannot be removed any more is found by its name.
        let _ = std::fs::remove_file(&self.0);
    }
}

pub fn look(datadir: &Path, report: &mut Report) {
    let on = directory::existing(datadir);
    let finding = match measure(&on) {
        Ok(times) => judged(&times),
        Err(e) => Finding::warning(
            "device",
            format!("cannot be measured in '{}': {e}", on.display()),
            "run `weir doctor` as the account that runs the server, or with --no-write",
            "a server there may not be able to write either",
        ),
    };
    report.add(finding);
}

/// Writes 4 KiB and syncs them, again and again; times in order of length.
fn measure(on: &Path) -> io::Result<Vec<Duration>> {
    let path = on.join(format!(".weir-doctor-{}", std::process::id()));
    // No file of anybody else's is opened, and none is followed elsewhere.
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    let _removed = Removed(path);
    let page = [0x57; 4096];
    file.write_all(&page)?;
    file.sync_all()?;
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.len() < SYNCS && begun.elapsed() < TIME {
        file.seek(SeekFrom::Start(0))?;
        let at = Instant::now();
        file.write_all(&page)?;
        file.sync_data()?;
        times.push(at.elapsed());
    }
    times.sort_unstable();
    Ok(times)
}

fn judged(times: &[Duration]) -> Finding {
    let subject = "device";
    let at = |share: f64| times[((times.len() as f64 * share) as usize).min(times.len() - 1)];
    let (median, p99) = (at(0.5), at(0.99));
    let found = format!(
        "a sync of 4 KiB takes {:.2} ms (half of {}), {:.2} ms at the 99th percentile",
        median.as_secs_f64() * 1e3,
        times.len(),
        p99.as_secs_f64() * 1e3
    );
    if median < TOO_FAST {
        Finding::warning(
            subject,
            found,
            "make sure that the disk, the virtual machine or the file system does not ignore syncs (barriers off, cache=unsafe, eatmydata)",
            "no disk keeps data so fast: what was committed may be lost when the power fails",
        )
    } else if median > SLOW {
        Finding::warning(
            subject,
            found,
            "a device with a protected write cache, or innodb_flush_log_at_trx_commit=2 where the last second may be lost",
            "a commit waits for such a sync: one session alone commits no more often",
        )
    } else {
        Finding::fine(subject, found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;

    #[test]
    fn times_are_judged() {
        let of = |micros: u64| judged(&[Duration::from_micros(micros); 10]).level;
        assert_eq!(
            [of(5), of(100), of(5_000), of(50_000)],
            [Level::Warning, Level::Fine, Level::Fine, Level::Warning]
        );
        assert!(judged(&[Duration::from_millis(1)]).found.contains("1.00 ms"));
    }

    #[test]
    fn the_file_is_gone_afterwards() {
        let path = std::env::temp_dir().join(format!("weir-doctor-device-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let times = measure(&path).unwrap();
        assert!(!times.is_empty() && times.is_sorted());
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), 0);
        std::fs::remove_dir_all(&path).unwrap();
        assert!(measure(&path).is_err());
        let mut r = Report::default();
        look(&path.join("not/there"), &mut r);
        assert_eq!(r.of("device").len(), 1, "the nearest directory above it is measured");
    }
}
