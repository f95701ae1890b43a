//! Page writes that nobody waits for, as InnoDB's builds made them without doublewrite: a batch posts its pages to an array of slots, a
//! writer takes requests of adjacent pages from there, and files are synced when a checkpoint wants to pass.
//!
//! Invariants
//! - A page counts as dirty until its write has ended. From then until a sync of its file that began later has ended, its first change
//!   holds back the checkpoint. A page enters each of the three places (age index, `out`, `unsynced`) before it leaves the one before.
//! - The log goes first: the writer sees to it once more, since anyone who posts may be gone by then (I8).
//! - What was taken out of the age index is written, or goes back there: a batch that is dropped half-way posts what it has.

use super::Pool;
use super::flush::Image;
use super::frame::FrameNo;
use super::gate::{Gate, Kind, Way};
use super::send::log_first;
use crate::error::Result;
use crate::files::Space;
use crate::ids::{Lsn, PageId, SpaceId};
use crate::log::Log;
use crate::planted::{self, Bug};
use crate::policy::{Mechanism, Replacement};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use weir_rt::{AsyncMutex, Nanos, Notify, WaitQueue};

/// Requests at the device at once, whatever the mechanism has threads for: more would wait in the device's own queue.
const AT_DEVICE: usize = 256;

/// A page that has waited so long goes before those at lower addresses.
const LATE: Nanos = 2_000_000_000;

/// A page to be written.
pub struct Posting {
    image: Image,
    way: Way,
    at: Nanos,
}

pub(super) struct Posted {
    state: Mutex<State>,
    /// Told when there is something to write.
    wanted: Notify,
    /// Told when a slot is free.
    room: WaitQueue,
    /// One sync at a time.
    syncs: AsyncMutex<()>,
    /// The mechanism posts; the writer runs.
    on: AtomicBool,
    open: AtomicBool,
    /// For its slots.
    mechanism: Mutex<Mechanism>,
    threads: AtomicUsize,
}

impl Default for Posted {
    fn default() -> Posted {
        Posted {
            state: Mutex::default(),
            wanted: Notify::new(),
            room: WaitQueue::new(),
            syncs: AsyncMutex::new(()),
            on: AtomicBool::new(false),
            open: AtomicBool::new(false),
            mechanism: Mutex::default(),
            threads: AtomicUsize::new(1),
        }
    }
}

#[derive(Default)]
struct State {
    queue: BTreeMap<PageId, Posting>,
    /// As they came; those that are written already among them.
    arrivals: VecDeque<(Nanos, PageId)>,
    at_device: usize,
    /// Since when there has been something at the device, or until when that time is counted.
    busy_from: Nanos,
    /// First changes of pages whose writes have not ended, and how many pages have each.
    out: BTreeMap<Lsn, usize>,
    /// First change of what is written and not synced, and its files, by space and place in memory.
    unsynced: Option<Lsn>,
    files: Files,
    /// The same of what is being synced.
    syncing: Option<Lsn>,
}

type Files = BTreeMap<(SpaceId, usize), Arc<Space>>;

fn least(bound: &mut Option<Lsn>, lsn: Lsn) {
    *bound = Some(bound.map_or(lsn, |b| b.min(lsn)));
}

impl State {
    fn put(&mut self, p: Posting) {
        self.arrivals.push_back((p.at, p.image.id));
        let before = self.queue.insert(p.image.id, p);
        assert!(before.is_none(), "a page whose image is on its way was posted again");
    }

    /// Where the next request begins: at the lowest address, or at a page that has waited too long.
    fn first(&mut self, now: Nanos) -> Option<PageId> {
        while let Some(&(at, id)) = self.arrivals.front() {
            if self.queue.get(&id).is_some_and(|p| p.at == at) {
                if now.saturating_sub(at) >= LATE {
                    return Some(id);
                }
                break;
            }
            self.arrivals.pop_front();
        }
        self.queue.keys().next().copied()
    }

    fn left(&mut self, oldest: Lsn) {
        if let Some(n) = self.out.get_mut(&oldest) {
            *n -= 1;
            if *n == 0 {
                self.out.remove(&oldest);
            }
        }
    }
}

impl Posted {
    /// A page is about to leave the age index.
    pub fn enter(&self, oldest: Lsn) {
        *self.state.lock().out.entry(oldest).or_default() += 1;
    }

    pub fn oldest_out(&self) -> Option<Lsn> {
        self.state.lock().out.keys().next().copied()
    }

    pub fn oldest_unsynced(&self) -> Option<Lsn> {
        let s = self.state.lock();
        super::earlier(s.unsynced, s.syncing)
    }

    fn is_full(&self, slots: usize) -> bool {
        let s = self.state.lock();
        s.queue.len() + s.at_device >= slots
    }

    /// Puts it into one of so many slots, if there is a free one.
    fn offer(&self, p: Posting, slots: usize) -> std::result::Result<(), Posting> {
        let mut s = self.state.lock();
        if s.queue.len() + s.at_device >= slots {
            return Err(p);
        }
        s.put(p);
        Ok(())
    }

    /// The next request: adjacent pages of one file, `merge` at most; they are at the device from now on.
    fn next(&self, now: Nanos, merge: usize) -> Vec<Posting> {
        let mut s = self.state.lock();
        let mut request = Vec::new();
        let mut at = s.first(now);
        while let Some(p) = at.and_then(|id| s.queue.remove(&id)) {
            let id = p.image.id;
            request.push(p);
            let more = request.len() < merge.max(1);
            at = id.page.checked_add(1).filter(|_| more).map(|page| PageId::new(id.space, page));
        }
        if s.at_device == 0 {
            s.busy_from = now;
        }
        s.at_device += request.len();
        request
    }

    /// The request has ended. `home`: its pages are, but not synced. Returns how long something was at the device since that was told last.
    fn ended(&self, request: &[Posting], home: bool, now: Nanos) -> Nanos {
        let mut s = self.state.lock();
        for p in request {
            if home {
                least(&mut s.unsynced, p.image.oldest);
                let key = (p.image.id.space, Arc::as_ptr(&p.image.space) as usize);
                s.files.entry(key).or_insert_with(|| p.image.space.clone());
            }
            s.left(p.image.oldest);
        }
        s.at_device -= request.len();
        now.saturating_sub(std::mem::replace(&mut s.busy_from, now))
    }
}

/// Pages that a batch has taken and not posted yet.
struct Held<'p> {
    pool: &'p Pool,
    pages: VecDeque<Posting>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let posted = &self.pool.posted;
        if !self.pages.is_empty() && !planted::is(Bug::HeldForgotten) {
            let mut s = posted.state.lock();
            self.pages.drain(..).for_each(|p| s.put(p));
        }
        posted.wanted.notify_one();
    }
}

/// Files that are being synced; without an end they are as they were.
struct Syncing<'p> {
    posted: &'p Posted,
    files: Files,
    done: bool,
}

impl<'p> Syncing<'p> {
    fn new(posted: &'p Posted) -> Syncing<'p> {
        let mut s = posted.state.lock();
        s.syncing = s.unsynced.take();
        let files = std::mem::take(&mut s.files);
        drop(s);
        Syncing { posted, files, done: false }
    }
}

impl Drop for Syncing<'_> {
    fn drop(&mut self) {
        let mut s = self.posted.state.lock();
        let bound = s.syncing.take();
        if !self.done {
            if let Some(lsn) = bound {
                least(&mut s.unsynced, lsn);
            }
            s.files.append(&mut self.files);
        }
    }
}

impl Pool {
    /// What carries decisions out, from the next batch on.
    pub fn run_on(&self, m: &Mechanism) {
        self.set_window(m.in_flight);
        self.flush.merge.store(m.merge, Ordering::Relaxed);
        self.flush.latches.store(m.latches_written, Ordering::Relaxed);
        let p = &self.posted;
        p.on.store(m.posts, Ordering::Relaxed);
        *p.mechanism.lock() = *m;
        p.threads.store(m.in_flight.clamp(1, AT_DEVICE), Ordering::Relaxed);
        p.room.wake_all();
        self.read_extents(m.ahead);
        if self.by_list() != (m.replacement == Replacement::Midpoint) {
            self.replace_by(m.replacement);
        }
    }

    /// Whether batches post their pages.
    pub fn posts(&self) -> bool {
        let p = &self.posted;
        p.on.load(Ordering::Relaxed) && p.open.load(Ordering::Acquire) && !self.has_doublewrite()
    }

    /// Pages that may be posted and not home.
    fn slots(&self) -> usize {
        self.posted.mechanism.lock().slots_in(self.size())
    }

    fn gate(&self, kind: Kind) -> &Gate {
        if kind == Kind::List { &self.flush.list } else { &self.flush.lru }
    }

    /// Posts pages; returns how many when each has its slot. The caller has the gate of the kind.
    pub(super) async fn post_frames(
        &self,
        log: &Log,
        frames: &[FrameNo],
        way: Way,
    ) -> Result<usize> {
        let mut held = Held { pool: self, pages: VecDeque::with_capacity(frames.len()) };
        for no in frames {
            match self.take_image(*no, true) {
                Some(image) => {
                    self.gate(way.kind).post();
                    held.pages.push_back(Posting { image, way, at: self.rt.now() });
                }
                None => {
                    self.flush.stats.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let n = held.pages.len();
        if n == 0 {
            return Ok(0);
        }
        log_first(log, held.pages.iter().map(|p| p.image.lsn)).await?;
        let mut told = usize::MAX;
        while let Some(p) = held.pages.pop_front() {
            if let Err(p) = self.posted.offer(p, self.slots()) {
                held.pages.push_front(p);
                if std::mem::replace(&mut told, held.pages.len()) != held.pages.len() {
                    self.flush.stats.slot_waits.fetch_add(1, Ordering::Relaxed);
                }
                let wait = self.posted.room.wait();
                self.posted.wanted.notify_one();
                if self.posted.is_full(self.slots()) {
                    wait.await;
                }
            }
        }
        self.flush.stats.batches.fetch_add(1, Ordering::Relaxed);
        Ok(n)
    }

    /// The writer begins: pages may be posted.
    pub fn open_posting(&self) {
        self.posted.open.store(true, Ordering::Release);
    }

    /// The writer would end. False: there is something on its way.
    pub fn close_posting(&self) -> bool {
        self.posted.open.store(false, Ordering::SeqCst);
        let batches = self.flush.list.is_running() || self.flush.lru.is_running();
        let idle = !batches && self.oldest_posted().is_none();
        if !idle {
            self.open_posting();
        }
        idle
    }

    /// Pages that are posted and not home: of batches by age, and of those near eviction.
    pub fn posted_by_kind(&self) -> [usize; 2] {
        [self.flush.list.out(), self.flush.lru.out()]
    }

    fn oldest_posted(&self) -> Option<Lsn> {
        self.posted.oldest_out()
    }

    /// Resolves when there may be something to write.
    pub async fn something_posted(&self) {
        self.posted.wanted.notified().await;
    }

    /// Wakes the writer, which has to look at something else.
    pub fn wake_writer(&self) {
        self.posted.wanted.notify_one();
    }

    /// Requests that the writer has at the device at once.
    pub fn write_threads(&self) -> usize {
        self.posted.threads.load(Ordering::Relaxed)
    }

    /// What the writer is to write next, in one request.
    pub fn next_request(&self) -> Option<Vec<Posting>> {
        let merge = self.flush.merge.load(Ordering::Relaxed);
        Some(self.posted.next(self.rt.now(), merge)).filter(|r| !r.is_empty())
    }

    /// Writes a request; its pages are home or as dirty as they were.
    pub async fn carry_out(&self, log: &Log, mut request: Vec<Posting>) -> Result<()> {
        let done = self.write_posted(log, &mut request).await;
        let s = &self.flush.stats;
        let pages = |kind: Kind| {
            let of_kind = request.iter().filter(move |p| p.way.kind == kind);
            of_kind.map(|p| p.image.held())
        };
        match &done {
            Ok(()) => {
                let busy = self.posted.ended(&request, true, self.rt.now());
                s.busy_nanos.fetch_add(busy, Ordering::Relaxed);
                for kind in [Kind::List, Kind::Lru] {
                    self.are_home(pages(kind), kind);
                }
                request.iter().for_each(|p| s.count(1, p.way.cause));
                s.requests.fetch_add(1, Ordering::Relaxed);
            }
            Err(e) => {
                self.take_back(log, request.iter().map(|p| p.image.held()), e).await;
                self.posted.ended(&request, false, self.rt.now());
            }
        }
        self.flush.writing.fetch_sub(request.len(), Ordering::AcqRel);
        for kind in [Kind::List, Kind::Lru] {
            if let n @ 1.. = pages(kind).count() {
                self.gate(kind).home(n);
            }
        }
        for _ in &request {
            self.posted.room.wake_one();
        }
        self.flush.cleaned.wake_all();
        // The cleaner may have found all of them on their way.
        if self.waiting_for_frames() > 0 {
            self.frames_wanted.notify_one();
        }
        if log.room_waiters() > 0 {
            log.space_wanted.notify_one();
        }
        done
    }

    async fn write_posted(&self, log: &Log, request: &mut [Posting]) -> Result<()> {
        log_first(log, request.iter().map(|p| p.image.lsn)).await?;
        let Some(space) = request.first().map(|p| p.image.space.clone()) else { return Ok(()) };
        let batch = request.iter_mut().map(|p| p.image.at_home(self.page_size)).collect();
        let (turn, begun) = (self.requesters.writers.begin(), self.rt.now());
        let (_, done) = space.file().write_all(batch).await;
        done?;
        let (now, pages) = (self.rt.now(), request.len() as u64);
        turn.ended(pages, now - begun, request.iter().map(|p| now - p.at));
        space.meters[1].add(pages, now - begun);
        Ok(())
    }

    /// Whether something is home that a crash may lose.
    pub fn has_unsynced(&self) -> bool {
        self.posted.oldest_unsynced().is_some()
    }

    /// Syncs what was posted and is home. After a failure nobody knows what is on disk, and the log stops (I12).
    pub async fn sync_posted(&self, log: &Log) -> Result<()> {
        if !self.has_unsynced() {
            return Ok(());
        }
        let _one = self.posted.syncs.lock().await;
        let mut syncing = Syncing::new(&self.posted);
        let live = syncing.files.values().filter(|s| s.is_live()).cloned().collect();
        if !planted::is(Bug::PageSyncForgotten) {
            self.sync_files(live).await.inspect_err(|e| log.stop(e.clone()))?;
        }
        syncing.done = true;
        Ok(())
    }
}

#[cfg(all(test, not(any(shuttle, loom, miri))))]
mod tests;
