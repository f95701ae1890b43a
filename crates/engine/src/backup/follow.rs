//! The log, as it becomes durable, for an archive.
//!
//! Anyone who follows tells how far its copy is safe; the log is kept up to there, within the bounds of `log::keep`. What is archived is the log
//! itself, so a backup and the archive behind it are one stream.

use crate::db::Db;
use crate::error::{Error, Result};
use crate::ids::Lsn;
use crate::log::Keep;
use std::time::Duration;
use weir_rt::Boxed;

/// Most bytes of one piece.
const PIECE: u64 = 1 << 20;
/// Pieces are not smaller than what comes in this time: it is the resolution of the archive's times.
const REST: Duration = Duration::from_millis(50);

/// Redo with the time at which all of it was durable.
#[derive(Clone, Debug)]
pub struct Piece {
    pub at: Lsn,
    pub bytes: Vec<u8>,
    /// By the wall clock, in microseconds since 1970. Every commit of the piece was durable before it.
    pub micros: u64,
}

pub struct Follower {
    db: Db,
    keep: Keep,
    at: Lsn,
}

/// Of whom the log is.
#[derive(Clone, Debug)]
pub struct LogIdentity {
    pub directory: [u8; 16],
    pub history: u64,
    pub page_size: u32,
}

impl Db {
    pub fn log_identity(&self) -> Boxed<'_, LogIdentity> {
        Box::pin(async move {
            let c = self.0.core.log.control_state().await;
            LogIdentity { directory: c.id, history: c.history, page_size: c.page_size }
        })
    }

    /// Follows the log from where the start has kept it, or `from`; `None` and where a part of that is gone: from the last checkpoint, which
    /// the second value tells by `false`.
    pub fn follow_log(&self, from: Option<Lsn>) -> Boxed<'_, (Follower, bool)> {
        Box::pin(async move {
            let log = &self.0.core.log;
            let kept = self.0.kept_log.lock().take();
            let keep = match (kept, from) {
                (Some(kept), _) => Some(kept),
                (None, Some(from)) => log.keep_from(from).await,
                (None, None) => None,
            };
            let (keep, whole) = match keep {
                Some(keep) => (keep, true),
                None => (log.keep().await, from.is_none()),
            };
            let at = keep.begin;
            // No recovery begins at an archive's start.
            keep.begins(Lsn::MAX);
            (Follower { db: self.clone(), keep, at }, whole)
        })
    }
}

impl Follower {
    pub fn position(&self) -> Lsn {
        self.at
    }

    /// The next piece, when there is one. Errors: the claim on the log is lost, or the log has ended and all of it was given.
    pub fn next_piece(&mut self) -> Boxed<'_, Result<Piece>> {
        Box::pin(async move {
            let log = &self.db.0.core.log;
            if log.durable() <= self.at {
                log.until_durable_beyond(self.at).await?;
                // A commit of its own need not be a piece of its own.
                if log.failure().is_ok() {
                    self.db.0.rt.sleep(REST).await;
                }
            }
            let durable = log.durable();
            // Read behind the LSN: what is below was durable before this moment.
            let micros = self.db.0.rt.wall_micros();
            let want = (durable - self.at).min(PIECE) as usize;
            let bytes = log.segments().read(self.at, want).await?;
            self.keep.still_there()?;
            if bytes.len() != want {
                return Err(Error::corrupt_log(self.at, "the log ends before what was durable"));
            }
            let at = self.at;
            self.at += want as u64;
            Ok(Piece { at, bytes, micros })
        })
    }

    /// What was given from `lsn` on has been lost, and is given again.
    pub fn back_to(&mut self, lsn: Lsn) {
        self.at = lsn.min(self.at);
    }

    /// Whether the log has these bytes at `lsn`; `None`: it does not reach back that far.
    pub fn has<'a>(&'a self, lsn: Lsn, bytes: &'a [u8]) -> Boxed<'a, Result<Option<bool>>> {
        Box::pin(async move {
            let log = &self.db.0.core.log;
            if log.segments().first().is_none_or(|first| first > lsn) {
                return Ok(None);
            }
            if lsn + bytes.len() as Lsn > log.published() {
                return Ok(Some(false));
            }
            Ok(Some(log.segments().read(lsn, bytes.len()).await? == bytes))
        })
    }

    /// Everything below `lsn` is safe in the archive.
    pub fn copied(&self, lsn: Lsn) {
        self.keep.copied(lsn);
    }

    /// Whether the log has ended, and this is its end.
    pub fn is_at_end(&self) -> bool {
        let log = &self.db.0.core.log;
        log.failure().is_err() && log.durable() <= self.at
    }
}
