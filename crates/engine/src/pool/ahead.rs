//! Reading ahead: pages that are wanted soon are read at the same time, by whoever will want them.
//!
//! Invariants
//! - It takes only frames that are free at once and leaves some, so nobody waits for a frame because of pages that nobody has
//!   asked for yet.
//! - A read ahead is a read like any other: registered, so that whoever comes to the page meanwhile follows it; checked; but unpinned
//!   when it is there, in the probation of replacement. One that fails is left: whoever comes to the page asks again, and is told.
//! - The reads end before the call does, so none outlives the statement that wanted it.

use super::load::{Leading, Owned, Role};
use super::{NEXT_IN_LINE, Pool};
use crate::ids::PageId;
use crate::priority;
use crate::sync::atomic::Ordering;
use crate::waits::{Cause, What};
use std::future::Future;
use std::pin::Pin;
use std::task::Poll;

/// What reading ahead has come to.
#[derive(Default, Clone, Copy)]
pub struct Brought {
    /// Pages that were not in memory.
    pub absent: usize,
    /// How many of them there were frames for.
    pub room: usize,
}

impl Pool {
    /// Frames that so many pages may be read ahead into now: what is free beyond a reserve for those who cannot wait, and becomes
    /// free by evicting clean pages that are next in line.
    fn ahead_room(&self, pages: usize) -> usize {
        let reserve = self.low_water() / 4;
        let pages = pages.min(self.size() / 8);
        let free = self.free.len();
        if free < pages + reserve {
            self.evict_near(pages + reserve - free, pages + NEXT_IN_LINE);
        }
        self.free.len().saturating_sub(reserve).min(pages)
    }

    fn is_resident(&self, id: PageId) -> bool {
        self.table.with(&self.frames, id, |no| no.is_some())
    }

    /// Reads those of the pages that are not in memory and waits until they are there. Sessions that give way to others
    /// read nothing that nobody has asked for.
    pub async fn read_ahead(&self, ids: &[PageId]) -> Brought {
        if ids.is_empty() || !priority::is_foreground() {
            return Brought::default();
        }
        let absent: Vec<PageId> = ids.iter().copied().filter(|id| !self.is_resident(*id)).collect();
        let room = self.ahead_room(absent.len());
        let mut reads: Vec<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = Vec::new();
        for id in absent.iter().take(room) {
            reads.push(Box::pin(self.read_one_ahead(*id)));
        }
        let all = std::future::poll_fn(|cx| {
            reads.retain_mut(|r| r.as_mut().poll(cx).is_pending());
            if reads.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        });
        // One wait of the session, however many pages it is for.
        self.waits.during(|| What::page(Cause::PageRead, ids[0]), all).await;
        Brought { absent: absent.len(), room }
    }

    async fn read_one_ahead(&self, id: PageId) {
        // The frame first: a page whose reader gives up is nobody's to wait for.
        let Some(no) = self.take_free() else { return };
        let owned = Owned::new(self, no);
        match self.role(id) {
            Role::Ready(pin) => self.unpin(pin),
            Role::Follow(_) => {}
            Role::Lead(load) => {
                let lead = Leading::new(self, id, &load);
                match self.read_into(id, owned).await {
                    Ok(pin) => {
                        self.stats.read_ahead.fetch_add(1, Ordering::Relaxed);
                        self.unpin(pin);
                    }
                    Err(e) => lead.failed(e),
                }
            }
        }
    }
}
