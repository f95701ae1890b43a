//! Writing dirty pages: which, and copies of them under a short latch. How the copies go home: `send`, `posted`.

use super::Pool;
use super::dblwr::BATCH;
use super::dblwr::Doublewrite;
use super::frame::FrameNo;
use super::gate::{Gate, Kind, Way};
use super::latch::LatchMode;
use crate::error::{Error, Result};
use crate::files::Space;
use crate::ids::{Lsn, PageId};
use crate::log::Log;
use crate::page;
use crate::planted::{self, Bug};
use crate::policy::{Batch, Cause, NO_LIMIT, Neighbours, Order};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use weir_disk::IoBuf;
use weir_rt::{AsyncMutex, WaitQueue};

#[derive(Default)]
pub struct FlushStats {
    /// By `Cause`.
    causes: [AtomicU64; Cause::ALL.len()],
    pub batches: AtomicU64,
    pub pages: AtomicU64,
    /// Pages written again since they were read: what writing later would have saved.
    pub rewritten: AtomicU64,
    /// Written because they lie beside a page that was chosen.
    pub neighbours: AtomicU64,
    pub dblwr_pages: AtomicU64,
    pub dblwr_writes: AtomicU64,
    pub data_syncs: AtomicU64,
    /// Requests of adjacent pages, where the mechanism makes them.
    pub requests: AtomicU64,
    /// Pages that were latched or clean when their turn came, and batches that met one of their kind.
    pub refused: AtomicU64,
    pub batches_refused: AtomicU64,
    /// Pages that found all slots taken, and anyone who posted them waited.
    pub slot_waits: AtomicU64,
    /// Time in which something was being written: a batch, or what was posted.
    pub busy_nanos: AtomicU64,
}

impl FlushStats {
    pub fn by(&self, c: Cause) -> u64 {
        self.causes[c as usize].load(Ordering::Relaxed)
    }

    pub(super) fn count(&self, pages: usize, cause: Cause) {
        self.pages.fetch_add(pages as u64, Ordering::Relaxed);
        self.causes[cause as usize].fetch_add(pages as u64, Ordering::Relaxed);
    }

    /// Pages written to have free frames.
    pub fn lru_pages(&self) -> u64 {
        self.by(Cause::Free) + self.by(Cause::UserFree)
    }
}

pub struct FlushState {
    pub(super) dblwr: Option<Doublewrite>,
    /// The directory is being made: a page that is torn now is made again with it, and needs no copy.
    pub(super) without_copies: AtomicBool,
    /// Oldest change covered by the batch under way.
    inflight: Mutex<Option<Lsn>>,
    /// Pages on their way to the device.
    pub(super) writing: AtomicUsize,
    /// Files that are being synced.
    pub(super) syncing: AtomicUsize,
    /// One batch of images at a time: the doublewrite area and `inflight` belong to it.
    running: AsyncMutex<()>,
    pub(super) list: Gate,
    pub(super) lru: Gate,
    /// Page writes at the device at once.
    pub(super) window: AtomicUsize,
    /// Pages that one of them takes; 0: the device joins what is adjacent.
    pub(super) merge: AtomicUsize,
    /// Pages stay latched until they are home.
    pub(super) latches: AtomicBool,
    /// Sessions that wait for dirty pages to become clean.
    pub(super) cleaned: WaitQueue,
    pub stats: FlushStats,
}

impl FlushState {
    pub fn new(dblwr: Option<Doublewrite>) -> FlushState {
        FlushState {
            dblwr,
            without_copies: AtomicBool::new(false),
            inflight: Mutex::new(None),
            writing: AtomicUsize::new(0),
            syncing: AtomicUsize::new(0),
            running: AsyncMutex::new(()),
            list: Gate::default(),
            lru: Gate::default(),
            window: AtomicUsize::new(BATCH),
            merge: AtomicUsize::new(0),
            latches: AtomicBool::new(false),
            cleaned: WaitQueue::new(),
            stats: FlushStats::default(),
        }
    }

    pub fn writing(&self) -> usize {
        self.writing.load(Ordering::Acquire)
    }

    pub fn oldest_inflight(&self) -> Option<Lsn> {
        *self.inflight.lock()
    }
}

/// A dirty page on its way home.
pub(super) struct Image {
    pub frame: FrameNo,
    pub id: PageId,
    pub space: Arc<Space>,
    pub lsn: Lsn,
    /// The first change that it brings home.
    pub oldest: Lsn,
    pub buf: IoBuf,
    /// The page is latched, shared, until the image is home: it can be read meanwhile, and not changed.
    pub latched: bool,
}

impl Image {
    /// Its page, and whether it is latched.
    pub fn held(&self) -> Written {
        (self.frame, self.latched)
    }
}

/// A page that is being written, and whether it is latched meanwhile.
pub(super) type Written = (FrameNo, bool);

/// Images between the age index and their home. No statement is dropped inside the engine, so this is for an owner who drops one
/// all the same, or the stop of the engine: nobody knows then what is home and what the device still writes. The log ends as in a crash, what
/// is in flight goes on holding back the checkpoint, and the next start recovers.
struct OnItsWay<'l> {
    pool: &'l Pool,
    log: &'l Log,
    /// Latched pages, which nobody may wait for in vain.
    latched: Vec<FrameNo>,
    over: bool,
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        if !self.over {
            let what = "a batch of page writes was dropped before its end: whoever runs operations of the engine must let them \
                        end; the next start recovers";
            self.log.stop(Error::Io { what: what.into() });
            self.latched.iter().for_each(|no| self.pool.unlatch(*no, LatchMode::S));
        }
    }
}

/// A batch looks for cold pages among the oldest ones: among this many times the pages that it takes.
const COLD_CHOICE: usize = 16;

impl Pool {
    /// A flush-list batch: at least `b.pages` pages in the order it asks for, if there are that many whose first change is
    /// before `b.limit`. Returns how many were written; `None` when a list batch is running already.
    pub async fn list_batch(&self, log: &Log, b: &Batch) -> Result<Option<usize>> {
        let Some(running) = self.flush.list.begin() else {
            self.flush.stats.batches_refused.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        };
        let way = self.way(Kind::List, b.cause);
        let mut done = 0;
        while done < b.pages {
            let picked = self.pick(log, b, (b.pages - done).min(BATCH));
            let wrote = self.send(log, &picked, way).await?;
            if wrote == 0 {
                break;
            }
            done += wrote;
        }
        // Known while it is this batch: behind the drop another may begin.
        let batch = self.flush.list.batch();
        drop(running);
        if b.wait && way.posts {
            self.flush.list.end_of(batch).await;
        }
        Ok(Some(done))
    }

    pub fn list_running(&self) -> bool {
        self.flush.list.is_running()
    }

    pub fn lru_running(&self) -> bool {
        self.flush.lru.is_running()
    }

    pub async fn await_list(&self) {
        self.flush.list.batch_end().await;
    }

    fn pick(&self, log: &Log, b: &Batch, n: usize) -> Vec<FrameNo> {
        let mut picked = Vec::new();
        let coldest = b.order == Order::Coldest;
        let look = if coldest { n * COLD_CHOICE } else { n };
        self.age.pick(&self.frames, log.checkpoint(), look, b.limit, &mut picked);
        if coldest {
            // What is changed often will be changed again soon, and would be written again.
            let now = log.published();
            let rest = |no: &FrameNo| std::cmp::Reverse(self.frames[*no as usize].rest(now));
            picked.sort_by_cached_key(rest);
            picked.truncate(n);
        }
        match b.neighbours {
            Neighbours::None | Neighbours::ByDevice => picked,
            how => self.with_neighbours(&picked, how, n, Kind::List),
        }
    }

    pub fn has_doublewrite(&self) -> bool {
        self.flush.dblwr.is_some()
    }

    pub fn window(&self) -> usize {
        self.flush.window.load(Ordering::Relaxed)
    }

    /// Page writes at the device at once, from the next batch on.
    pub fn set_window(&self, n: usize) {
        self.flush.window.store(n.clamp(1, BATCH), Ordering::Relaxed);
    }

    /// How batches of a kind go out now.
    pub(super) fn way(&self, kind: Kind, cause: Cause) -> Way {
        // Anyone who is rescued, and a stop, look at what is home when the batch has ended.
        let waits = matches!(cause, Cause::Rescue | Cause::Stop);
        Way { kind, cause, posts: !waits && self.posts() }
    }

    /// The first pages of a directory that does not count yet.
    pub async fn flush_new(&self, log: &Log) -> Result<()> {
        self.flush.without_copies.store(true, Ordering::Relaxed);
        let done = self.flush_all(log).await;
        self.flush.without_copies.store(false, Ordering::Relaxed);
        done
    }

    /// Everything that is dirty now; for shutdown and the end of recovery.
    pub async fn flush_all(&self, log: &Log) -> Result<()> {
        loop {
            let batch = Batch::oldest(usize::MAX, NO_LIMIT, Cause::Stop);
            let Some(wrote) = self.list_batch(log, &batch).await? else {
                self.await_list().await;
                continue;
            };
            if wrote == 0 && self.dirty_pages() == 0 {
                return self.sync_posted(log).await;
            }
            if wrote == 0 {
                log.failure()?;
                // A page is latched this instant.
                weir_rt::yield_now().await;
            }
        }
    }

    /// Writes pages, or posts them to be written.
    pub(super) async fn send(&self, log: &Log, frames: &[FrameNo], way: Way) -> Result<usize> {
        match way.posts {
            true => self.post_frames(log, frames, way).await,
            false => self.flush_frames(log, frames, way).await,
        }
    }

    /// Writes pages and returns when they are safely home.
    pub(super) async fn flush_frames(
        &self,
        log: &Log,
        frames: &[FrameNo],
        way: Way,
    ) -> Result<usize> {
        if frames.is_empty() {
            return Ok(0);
        }
        let _running = self.flush.running.lock().await;
        // Behind a batch that was dropped half-way the device may still be writing to the doublewrite area.
        log.failure()?;
        let mut images: Vec<Image> = Vec::with_capacity(frames.len());
        for no in frames {
            match self.take_image(*no, false) {
                Some(i) => images.push(i),
                None => {
                    self.flush.stats.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let n = images.len();
        let latched = images.iter().filter(|i| i.latched).map(|i| i.frame).collect();
        let mut on_its_way = OnItsWay { pool: self, log, latched, over: n == 0 };
        let begun = self.rt.now();
        let result = self.write_images(log, &mut images).await;
        let s = &self.flush.stats;
        s.busy_nanos.fetch_add(self.rt.now() - begun, Ordering::Relaxed);
        match &result {
            Ok(()) => {
                self.are_home(images.iter().map(Image::held), way.kind);
                s.batches.fetch_add(1, Ordering::Relaxed);
                s.count(n, way.cause);
            }
            Err(e) => self.take_back(log, images.iter().map(Image::held), e).await,
        }
        on_its_way.over = true;
        *self.flush.inflight.lock() = None;
        self.flush.writing.fetch_sub(n, Ordering::AcqRel);
        self.flush.cleaned.wake_all();
        result.map(|()| n)
    }

    /// These pages were written.
    pub(super) fn are_home(&self, pages: impl Iterator<Item = Written> + Clone, kind: Kind) {
        let frames = pages.clone().map(|h| h.0);
        if kind == Kind::Lru && self.by_list() {
            // While they are in flight they stay in their frames.
            let mut order = self.replace.lock();
            frames.clone().for_each(|no| order.make_old(no));
        }
        for no in frames {
            self.frames[no as usize].release();
            if planted::is(Bug::DirtyLostAtCompletion) {
                self.mark_clean(no);
            }
        }
        pages.filter(|h| h.1).for_each(|h| self.unlatch(h.0, LatchMode::S));
    }

    /// Copies a dirty page and moves its age from the index to the batch, or to what is posted; `None` when it is latched or clean.
    pub(super) fn take_image(&self, no: FrameNo, posted: bool) -> Option<Image> {
        let f = &self.frames[no as usize];
        if !f.latch.try_lock(LatchMode::S) {
            return None;
        }
        let mut image = self.take_image_latched(no, posted);
        match &mut image {
            Some(i) if self.flush.latches.load(Ordering::Relaxed) => i.latched = true,
            _ => self.unlatch(no, LatchMode::S),
        }
        image
    }

    fn take_image_latched(&self, no: FrameNo, posted: bool) -> Option<Image> {
        let f = &self.frames[no as usize];
        if !f.is_resident() {
            return None;
        }
        // Before the copy: two flushers may stand here with the latch shared.
        let oldest = f.claim()?;
        let id = f.id();
        let space = self.spaces.get(id.space);
        let Some(space) = space.filter(|s| s.is_live()) else {
            // The file is gone: there is nowhere to write to and nothing to keep.
            self.mark_clean(no);
            f.release();
            return None;
        };
        // SAFETY: the shared latch is held by the caller.
        let mut buf = IoBuf::of(unsafe { self.memory.bytes(no) });
        let lsn = page::lsn(&buf);
        assert_eq!(page::page_id(&buf), id);
        if posted {
            if planted::is(Bug::PostedLeavesFirst) {
                self.mark_clean(no);
            }
            self.posted.enter(oldest);
        } else {
            let mut m = self.flush.inflight.lock();
            *m = Some(m.map_or(oldest, |x| x.min(oldest)));
        }
        // Counted here before it leaves the index, so that the sum never misses it.
        self.flush.writing.fetch_add(1, Ordering::AcqRel);
        if f.set_written() {
            self.flush.stats.rewritten.fetch_add(1, Ordering::Relaxed);
        }
        self.mark_clean(no);
        page::seal(&mut buf);
        Some(Image { frame: no, id, space, lsn, oldest, buf, latched: false })
    }

    /// A batch failed before its sync: its pages are as dirty as they were.
    pub(super) async fn take_back(
        &self,
        log: &Log,
        pages: impl Iterator<Item = Written>,
        why: &Error,
    ) {
        if matches!(why, Error::Io { .. }) {
            log.stop(why.clone());
        }
        for (no, latched) in pages {
            let f = &self.frames[no as usize];
            if latched {
                self.unlatch(no, LatchMode::S);
            }
            while !f.latch.try_lock(LatchMode::X) {
                self.latch_free(no, LatchMode::X).await;
            }
            let old = f.inflight.swap(0, Ordering::AcqRel);
            self.mark_clean(no);
            self.mark_dirty(no, old);
            self.unlatch(no, LatchMode::X);
        }
    }
}
