//! The task of a server that archives its redo log (`weir_redo_archive_dir`).
//!
//! It copies the log as it becomes durable and syncs its file once a second; the engine keeps what is not safe in the archive. Where the archive
//! cannot be written, the task tries again and the log is kept, up to as much again as `innodb_redo_log_capacity`. Then the server goes on
//! without: the error log tells the gap, and the archive begins again behind it, for backups that are made from then on.

use super::Fault;
use super::archive::{ArchiveWriter, Whose, end_of};
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

const SYNC: Duration = Duration::from_secs(1);
/// Between two tries to write.
const PAUSE: Duration = Duration::from_secs(5);

/// Figures for whoever watches.
#[derive(Default)]
pub struct ArchiveStatus {
    /// The archive is safe up to this LSN; 0: nothing is archived.
    pub lsn: AtomicU64,
    pub failures: AtomicU64,
    pub gaps: AtomicU64,
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
        end_of(&self.dir, whose, self.key.as_ref()).unwrap_or_default()
    }
}

pub struct Archiver {
    thread: JoinHandle<()>,
    pub status: Arc<ArchiveStatus>,
}

impl Archiver {
    /// Begins where the archive ends. An error is for whoever starts the server.
    pub fn start(rt: &Rt, db: &Db, settings: ArchiveSettings) -> Fault<Archiver> {
        let whose = Whose::from(&rt.block_on(db.log_identity()));
        let end = end_of(&settings.dir, whose, settings.key.as_ref())?;
        let (follower, whole) = rt.block_on(db.follow_log(end));
        let place = settings.dir.display();
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
            follower,
            writer,
            status: status.clone(),
            synced: Instant::now(),
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
}

impl Task {
    fn run(mut self) {
        let rt = self.rt.clone();
        loop {
            match rt.block_on(self.follower.next()) {
                Ok(piece) => {
                    if !self.keep_trying(|w| w.put(&piece)) {
                        return;
                    }
                    if self.synced.elapsed() >= SYNC || self.follower.is_at_end() {
                        if !self.keep_trying(ArchiveWriter::sync) {
                            return;
                        }
                        self.safe();
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

    fn safe(&mut self) {
        self.synced = Instant::now();
        let lsn = self.follower.position();
        self.follower.copied(lsn);
        self.status.lsn.store(lsn, Ordering::Relaxed);
    }

    /// False: the server stops, and the next start archives what is left.
    fn keep_trying(&mut self, f: impl Fn(&mut ArchiveWriter) -> std::io::Result<()>) -> bool {
        let mut told = false;
        loop {
            let Err(e) = f(&mut self.writer) else {
                if told {
                    log::system("the redo archive is written again");
                }
                return true;
            };
            self.status.failures.fetch_add(1, Ordering::Relaxed);
            if !told {
                log::error(&format!(
                    "cannot write the redo archive '{}': {e}; trying again, and the log is kept meanwhile, up to innodb_redo_log_capacity",
                    self.writer.path().display()
                ));
                told = true;
            }
            // A part of a frame may be there: what follows it could not be read.
            self.writer.close();
            if self.follower.is_at_end() {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn gap(&mut self, why: &str) {
        self.status.gaps.fetch_add(1, Ordering::Relaxed);
        self.writer.close();
        let from = self.follower.position();
        let (follower, _) = self.rt.block_on(self.db.follow_log(None));
        log::error(&format!(
            "the redo archive has a gap, LSN {from} to {}: {why}. Make a new backup: older ones cannot be restored beyond the gap",
            follower.position()
        ));
        self.follower = follower;
    }
}
