//! Reading ahead: pages that are wanted soon are read at the same time, by anyone who will want them.
//!
//! Invariants
//! - It takes only frames that are free, or become free by evicting clean pages that are next in line, and leaves some; all that read
//!   ahead at a time have an eighth of the pool. So nobody waits for a frame because of pages that nobody has asked for yet.
//! - A page is registered while it is read ahead, so anyone who comes to it meanwhile follows. It is checked like any other, and stays
//!   unpinned, in the probation of replacement. One that fails is left: the next reader of the page asks again, and gets the error.
//! - The device writes into buffers of the operation's own, not into frames: a statement may end, and its future be dropped, while it does.

use super::Pool;
use super::evict::NEXT_IN_LINE;
use super::load::{Leading, Role};
use crate::ids::PageId;
use crate::sync::atomic::Ordering;
use crate::waits::{Cause, What};
use weir_disk::IoBuf;

/// What reading ahead has come to.
#[derive(Default, Clone, Copy)]
pub struct Brought {
    /// Pages that were not in memory.
    pub absent: usize,
    /// How many of them there were frames for.
    pub room: usize,
}

/// Pages that are being read ahead, of all sessions together.
struct Share<'a> {
    pool: &'a Pool,
    pages: usize,
}

impl<'a> Share<'a> {
    /// As many of `pages` as there are frames for now.
    fn take(pool: &'a Pool, pages: usize) -> Share<'a> {
        let most = pool.size() / 8;
        let others = pool.ahead_now.fetch_add(pages, Ordering::Relaxed);
        let mut share = Share { pool, pages };
        let wanted = pages.min(most.saturating_sub(others));
        let (reserve, free) = (pool.ahead_reserve(), pool.free.len());
        if free < wanted + reserve {
            pool.evict_near(wanted + reserve - free, wanted + NEXT_IN_LINE);
        }
        share.keep(wanted.min(pool.free.len().saturating_sub(reserve)));
        share
    }

    fn keep(&mut self, pages: usize) {
        self.pool.ahead_now.fetch_sub(self.pages - pages, Ordering::Relaxed);
        self.pages = pages;
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.keep(0);
    }
}

impl Pool {
    /// Pages that one call may ask for; none where InnoDB's read-ahead is in force.
    pub fn most_ahead(&self) -> usize {
        match self.ahead.load(Ordering::Relaxed) {
            _ if self.reads_extents() => 0,
            0 => 0,
            n => n.min(self.size() / 8).max(1),
        }
    }

    /// Frames that are left to those who cannot wait.
    fn ahead_reserve(&self) -> usize {
        self.low_water() / 4
    }

    pub fn is_resident(&self, id: PageId) -> bool {
        self.table.with(&self.frames, id, |no| no.is_some())
    }

    /// Reads those of the pages that are not in memory and waits until they are there.
    pub async fn read_ahead(&self, ids: &[PageId]) -> Brought {
        let absent: Vec<PageId> = ids.iter().copied().filter(|id| !self.is_resident(*id)).collect();
        if absent.is_empty() {
            return Brought::default();
        }
        let share = Share::take(self, absent.len());
        for run in absent[..share.pages].chunk_by(|a, b| a.space == b.space) {
            self.read_run(run).await;
        }
        Brought { absent: absent.len(), room: share.pages }
    }

    /// Reads pages of one file with one request to the device.
    async fn read_run(&self, ids: &[PageId]) {
        let Some(space) = self.spaces.get(ids[0].space) else { return };
        let mut mine = Vec::with_capacity(ids.len());
        for id in ids {
            match self.role(*id) {
                Role::Ready(pin) => self.unpin(pin),
                Role::Follow(_) => {}
                Role::Lead(load) => mine.push(Leading::new(self, *id, load)),
            }
        }
        if mine.is_empty() {
            return;
        }
        let size = self.page_size;
        let begun = self.rt.now();
        let reading = self.reads.begin(mine.len());
        // One wait of the session, however many pages it is for.
        let waiting = self.waits.begin_at(begun, What::page(Cause::PageRead, ids[0]));
        let at = |l: &Leading<'_>| (l.id().page as u64 * size as u64, IoBuf::new(size));
        let (read, done) = space.file().read_all(mine.iter().map(at).collect()).await;
        drop(reading);
        let now = self.rt.now();
        waiting.end_at(now);
        // Which of them failed is not told, so none is believed.
        if done.is_err() {
            return;
        }
        self.stats.read_nanos.fetch_add((now - begun) * mine.len() as u64, Ordering::Relaxed);
        for (lead, image) in mine.into_iter().zip(read) {
            if self.free.len() <= self.ahead_reserve() {
                return;
            }
            let Some(owned) = self.take_free().map(|no| super::load::Owned::new(self, no)) else {
                return;
            };
            owned.fill(&image);
            if let Ok(pin) = self.accept(lead.id(), &space, owned) {
                self.stats.read_ahead.fetch_add(1, Ordering::Relaxed);
                self.unpin(pin);
            }
        }
    }
}
