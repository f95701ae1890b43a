//! The task of a server that archives its redo log (`weir_redo_archive_dir`).
//!
//! It copies the log as it becomes durable and syncs its file once a second; the engine keeps what is not safe in the archive. Where the archive
//! cannot be written, the task tries again and the log is kept, up to as much again as `innodb_redo_log_capacity`. Then the server goes on
//! without: the error log tells the gap, and the archive begins again behind it, for backups that are made from then on.

use super::Fault;
use super::archive::{ArchiveWriter, Whose, end, last_of};
use super::key::Key;
use crate::log;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use weir_engine::backup::Follower;
use weir_engine::{Db, Lsn};
use weir_rt::Rt;
use weir_sql::status::{Stat, Status};

const SYNC: Duration = Duration::from_secs(1);
/// Between two tries to write, and how often it looks meanwhile whether the server stops.
const PAUSE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(100);

/// Figures for anyone who watches.
#[derive(Default)]
pub struct ArchiveStatus {
    /// The archive is safe up to this LSN; 0: nothing is archived.
    pub lsn: AtomicU64,
    pub failures: AtomicU64,
    pub gaps: AtomicU64,
}

impl ArchiveStatus {
    pub fn tell(&self, status: &Status) {
        for (stat, value) in [
            (Stat::Weir_redo_archive_lsn, &self.lsn),
            (Stat::Weir_redo_archive_failures, &self.failures),
            (Stat::Weir_redo_archive_gaps, &self.gaps),
        ] {
            status.set(stat, value.load(Ordering::Relaxed));
        }
    }
}

#[derive(Clone)]
pub struct ArchiveSettings {
    pub dir: PathBuf,
    pub key: Option<Key>,
}

impl ArchiveSettings {
    /// Empty: no archive. The directory has to be there.
    pub fn of(dir: &str, key_file: &str) -> Fault<Option<ArchiveSettings>> {
        if dir.is_empty() {
            return Ok(None);
        }
        let dir = PathBuf::from(dir);
        if !dir.is_dir() {
            return Err(format!(
                "weir_redo_archive_dir: there is no directory '{}'",
                dir.display()
            ));
        }
        let key = match key_file {
            "" => None,
            path => Some(Key::read(Path::new(path))?),
        };
        Ok(Some(ArchiveSettings { dir, key }))
    }

    /// What the archive has of a history, for the engine's start.
    pub fn end_of(&self, directory: &[u8; 16], history: u64) -> Option<Lsn> {
        let whose = Whose { directory: *directory, history };
        let last = last_of(&self.dir, whose, self.key.as_ref()).unwrap_or_default();
        last.as_ref().map(end)
    }
}

pub struct Archiver {
    thread: JoinHandle<()>,
    pub status: Arc<ArchiveStatus>,
}

impl Archiver {
    /// Begins where the archive ends. An error is for anyone who starts the server.
    pub fn start(rt: &Rt, db: &Db, settings: ArchiveSettings) -> Fault<Archiver> {
        let whose = Whose::from(&rt.block_on(db.log_identity()));
        let last = last_of(&settings.dir, whose, settings.key.as_ref())?;
        let end = last.as_ref().map(end);
        let (follower, whole) = rt.block_on(db.follow_log(end));
        let place = settings.dir.display();
        if let Some(last) = &last {
            let same =
                rt.block_on(follower.has(last.at, &last.bytes)).map_err(|e| e.to_string())?;
            if same == Some(false) {
                return Err(format!(
                    "the redo archive '{place}' does not end as the redo log of the data directory does: the directory is an older copy, which goes \
                     on in another way. Give it an archive of its own, an empty directory"
                ));
            }
        }
        match (end, whole) {
            (Some(end), false) => log::warning(&format!(
                "the redo archive '{place}' has a gap: the log between LSN {end} and {} is gone; backups from before cannot be restored beyond it",
                follower.position()
            )),
            _ => log::system(&format!(
                "the redo log is archived to '{place}' from LSN {} on",
                follower.position()
            )),
        }
        let status = Arc::new(ArchiveStatus::default());
        let writer = ArchiveWriter::new(&settings.dir, whose, settings.key);
        let task = Task {
            rt: rt.clone(),
            db: db.clone(),
            safe: follower.position(),
            follower,
            writer,
            status: status.clone(),
            synced: Instant::now(),
            fails: false,
        };
        let thread = std::thread::Builder::new().name("weir-archive".into());
        let thread = thread.spawn(|| task.run()).map_err(|e| format!("cannot archive: {e}"))?;
        Ok(Archiver { thread, status })
    }

    /// Behind the engine's end: the rest of the log is archived.
    pub fn finish(self) {
        // A panic was told by the hook.
        let _ = self.thread.join();
    }
}

struct Task {
    rt: Rt,
    db: Db,
    follower: Follower,
    writer: ArchiveWriter,
    status: Arc<ArchiveStatus>,
    synced: Instant,
    /// The archive is safe up to here.
    safe: Lsn,
    /// The last write has failed, and that was told.
    fails: bool,
}

impl Task {
    fn run(mut self) {
        let rt = self.rt.clone();
        loop {
            match rt.block_on(self.follower.next_piece()) {
                Ok(piece) => {
                    let due = self.synced.elapsed() >= SYNC || self.follower.is_at_end();
                    let mut written = self.writer.put(&piece);
                    if written.is_ok() && due {
                        written = self.writer.sync();
                    }
                    match written {
                        Ok(()) if due => self.all_safe(),
                        Ok(()) => {}
                        Err(_) if self.is_over() => return,
                        Err(e) => self.failed(&e),
                    }
                }
                Err(_) if self.follower.is_at_end() => {
                    // What cannot be synced now is archived by the next start.
                    let _ = self.writer.sync();
                    return;
                }
                Err(e) => self.gap(&e.to_string()),
            }
        }
    }

    /// The server has stopped: the next start archives what is left.
    fn is_over(&self) -> bool {
        self.db.inner().core.log.failure().is_err()
    }

    fn all_safe(&mut self) {
        if std::mem::take(&mut self.fails) {
            log::system("the redo archive is written again");
        }
        self.synced = Instant::now();
        self.safe = self.follower.position();
        self.follower.copied(self.safe);
        self.status.lsn.store(self.safe, Ordering::Relaxed);
    }

    /// Whatever was not synced may be lost: all of it is written again, to a new file, for a part of a frame may be in the old one.
    fn failed(&mut self, e: &std::io::Error) {
        self.status.failures.fetch_add(1, Ordering::Relaxed);
        if !std::mem::replace(&mut self.fails, true) {
            log::error(&format!(
                "cannot write the redo archive '{}': {e}; trying again, and the log is kept meanwhile, up to innodb_redo_log_capacity",
                self.writer.path().display()
            ));
        }
        self.writer.close();
        self.follower.back_to(self.safe);
        let begun = Instant::now();
        while begun.elapsed() < PAUSE && !self.is_over() {
            std::thread::sleep(LOOK);
        }
    }

    fn gap(&mut self, why: &str) {
        self.status.gaps.fetch_add(1, Ordering::Relaxed);
        self.writer.close();
        let (follower, _) = self.rt.block_on(self.db.follow_log(None));
        log::error(&format!(
            "the redo archive has a gap, LSN {} to {}: {why}. Make a new backup: older ones cannot be restored beyond the gap",
            self.safe,
            follower.position()
        ));
        self.safe = follower.position();
        self.follower = follower;
    }
}
