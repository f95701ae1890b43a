//! Log that must not be reused yet: a backup or an archive still has to copy it.
//!
//! The policy is bounded. While something is kept, the segments below the checkpoint stay where they are, and new segments take their part,
//! so writers never wait for a copy. What is kept may be as much behind the checkpoint as the log is large: with everything kept, the
//! folder `redo` has twice the size of `innodb_redo_log_capacity`. A holder that is further behind has lost its claim and learns so at its next
//! step; the log goes on as if nobody had kept it. The same happens where the device has no room for a new segment.
//!
//! Invariants
//! - A claim is registered while the control file is locked, so no segment at or above its LSN is on its way to another place.
//! - A claim that was lost stays lost: its owner never reads bytes of a later lap in place of those that it wanted.

use super::Log;
use crate::error::{Error, Result};
use crate::ids::Lsn;
use crate::sync::Mutex;
use crate::sync::atomic::Ordering;
use std::sync::Arc;

struct Claim {
    id: u64,
    /// Where the owner began: recovery of its copy begins here.
    begin: Lsn,
    /// The first LSN that it still has to copy.
    from: Lsn,
    lost: bool,
}

#[derive(Default)]
struct Claims {
    list: Vec<Claim>,
    next: u64,
}

/// All that is kept.
#[derive(Default)]
pub struct Keeps(Mutex<Claims>);

impl Keeps {
    /// How far segments may be reused under a checkpoint at `checkpoint`. Claims that are more than `most` bytes behind it are lost.
    pub(super) fn floor(&self, checkpoint: Lsn, most: u64) -> Lsn {
        let mut claims = self.0.lock();
        for c in &mut claims.list {
            c.lost |= c.from + most < checkpoint;
        }
        let live = claims.list.iter().filter(|c| !c.lost).map(|c| c.from);
        live.min().map_or(checkpoint, |from| from.min(checkpoint))
    }

    pub(super) fn lose_all(&self) {
        self.0.lock().list.iter_mut().for_each(|c| c.lost = true);
    }

    /// Where the oldest copy under way began. Recovery of that copy meets records from there on.
    pub fn oldest_begin(&self) -> Option<Lsn> {
        self.0.lock().list.iter().filter(|c| !c.lost).map(|c| c.begin).min()
    }
}

/// A claim, for as long as it lives.
pub struct Keep {
    keeps: Arc<Keeps>,
    id: u64,
    pub begin: Lsn,
}

impl Keep {
    fn new(keeps: &Arc<Keeps>, begin: Lsn) -> Keep {
        let mut claims = keeps.0.lock();
        claims.next += 1;
        let id = claims.next;
        claims.list.push(Claim { id, begin, from: begin, lost: false });
        drop(claims);
        Keep { keeps: keeps.clone(), id, begin }
    }

    /// Everything below `lsn` was copied.
    pub fn copied(&self, lsn: Lsn) {
        self.with(|c| c.from = c.from.max(lsn));
    }

    /// An archive needs nothing of the time before `lsn` for itself: no recovery of it begins there.
    pub fn begins(&self, lsn: Lsn) {
        self.with(|c| c.begin = c.begin.max(lsn));
    }

    /// An error once the claim is lost: bytes that were read before this look are those that were wanted.
    pub fn still_there(&self) -> Result<()> {
        match self.with(|c| c.lost) {
            false => Ok(()),
            true => Err(Error::Unsupported(
                "the copy of the redo log fell behind the log by more than innodb_redo_log_capacity, and the log has gone on without it"
                    .into(),
            )),
        }
    }

    fn with<R>(&self, f: impl FnOnce(&mut Claim) -> R) -> R {
        let mut claims = self.keeps.0.lock();
        let own = claims.list.iter_mut().find(|c| c.id == self.id);
        f(own.expect("a claim is in the list until it is dropped"))
    }
}

impl Drop for Keep {
    fn drop(&mut self) {
        self.keeps.0.lock().list.retain(|c| c.id != self.id);
    }
}

impl Log {
    /// Keeps the log from the last checkpoint on.
    pub async fn keep(&self) -> Keep {
        let c = self.control.lock().await;
        Keep::new(&self.keeps, c.state.checkpoint)
    }

    /// Keeps the log from `lsn` on; `None`: a part of it is gone, or it does not reach that far.
    pub async fn keep_from(&self, lsn: Lsn) -> Option<Keep> {
        let _control = self.control.lock().await;
        let there = self.segments.first().is_some_and(|first| first <= lsn);
        (there && lsn <= self.segments.end()).then(|| Keep::new(&self.keeps, lsn))
    }

    /// What the control file says now.
    pub async fn control_state(&self) -> super::control::Control {
        self.control.lock().await.state.clone()
    }

    /// Gives the segments below a durable checkpoint a new place, except for what is kept; where that is too little for what may be written
    /// until the next checkpoint, there are more segments for a while. The caller has the control file locked.
    pub(super) async fn reuse(&self, checkpoint: Lsn) -> Result<()> {
        let want = self.want_segments.load(Ordering::Acquire) as usize;
        let floor = self.keeps.floor(checkpoint, self.capacity());
        self.segments.recycle(floor, want).await?;
        while floor < checkpoint && self.segments.end() < checkpoint + self.capacity() {
            if self.segments.grow(0).await.is_err() {
                self.keeps.lose_all();
                return self.segments.recycle(checkpoint, want).await.map(|_| ());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_claim_holds_the_floor_until_it_is_too_far_behind() {
        let keeps = Arc::new(Keeps::default());
        assert_eq!((keeps.floor(900, 100), keeps.oldest_begin()), (900, None));
        let (a, b) = (Keep::new(&keeps, 850), Keep::new(&keeps, 870));
        assert_eq!((keeps.floor(900, 100), keeps.oldest_begin()), (850, Some(850)));
        a.copied(880);
        assert_eq!((keeps.floor(900, 100), keeps.oldest_begin()), (870, Some(850)));
        // A claim never asks for more than what lies below the checkpoint.
        drop(b);
        a.copied(1000);
        assert_eq!(keeps.floor(900, 100), 900);
        assert_eq!(keeps.floor(1100, 100), 1000);
        assert!(a.still_there().is_ok());
        assert_eq!(keeps.floor(1101, 100), 1101);
        assert!(a.still_there().is_err());
        // What was lost is not had again.
        a.copied(1101);
        assert_eq!((keeps.floor(1101, 100), keeps.oldest_begin()), (1101, None));
        assert!(a.still_there().is_err());
    }
}
