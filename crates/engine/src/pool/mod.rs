//! Floor 1: the buffer pool. Frames, page table, latches, age index, replacement, load on miss, flush batches, doublewrite.
//!
//! May use: `page` (header and checksum only), `log` (durable LSN only), `priority`, `waits`, `weir_disk`, `weir_rt`. Knows no trees.
//!
//! Invariants
//! - A page has at most one frame. A frame is evicted only when clean, unpinned, unlatched and not being written.
//! - Latches are only tried (I2); a guard is `!Send` and has a `Drop`, so no guard lives across a wait (I1).
//! - Page bytes are touched only under a latch, or by the one task that loads the page.
//! - A pin is taken only under a latch or under the page table's shard lock, and eviction looks at pins holding both (I5).
//! - A dirty frame stands in the age index under the LSN of its first change not yet being written, entered before that
//!   change is published (I7); while an older image is on its way to the device, `inflight` bounds the checkpoint (I9).
//! - An image goes home only when the log is durable up to its page LSN and its doublewrite copy is synced (I8).

mod age;
mod ahead;
pub mod dblwr;
mod flush;
mod frame;
mod free;
mod latch;
mod load;
mod memory;
#[cfg(all(test, any(shuttle, miri)))]
mod model;
mod recover;
mod replace;
mod requests;
mod resize;
mod table;
#[cfg(all(test, not(any(shuttle, loom))))]
mod tests;

pub use ahead::Brought;
pub use flush::{BATCH, FlushStats, LruBatch};
pub use frame::{Frame, FrameNo};
pub use latch::{LatchMode, LatchWait};
pub use load::{Pin, Pins, beyond_log};

use crate::error::{Error, Result};
use crate::files::Spaces;
use crate::ids::{Lsn, PageId, SpaceId};
use crate::page;
use crate::planted::{self, Bug};
use crate::priority::Reads;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::waits::{Cause, Waits, What};
use memory::FrameMemory;
use std::marker::PhantomData;
use std::sync::Arc;
use weir_rt::{Notify, Rt, WaitQueue};

/// How a page access counts for replacement: a scan must not make its pages look hot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Point,
    Scan,
}

/// What an attempt found out it has to wait for, holding nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageWait {
    /// Not in memory.
    Load(PageId),
    /// Latched by somebody else.
    Latch(FrameNo, LatchMode),
    /// To be formatted anew while its old image is being read.
    Reading(PageId),
    /// No frame free for a new page.
    Frame,
}

/// Dirty pages that an eviction leaves at the head of the queue; those behind them go to its end, so that clean pages
/// further back can be found.
const NEXT_IN_LINE: usize = 64;

/// Candidates that an eviction looks at before its caller waits for the cleaner: a clean page further back is worth more
/// than the dirty ones before it, which are written and go in a moment.
const NEAR: usize = 48;

/// Frames that any mini-transaction can do with.
const FEW: usize = 4;

/// How long an operation waits for a frame with its pages pinned.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(20);

#[derive(Default)]
pub struct PoolStats {
    pub reads: AtomicU64,
    /// Time that reads took, together.
    pub read_nanos: AtomicU64,
    pub read_ahead: AtomicU64,
    pub free_waits: AtomicU64,
    pub evicted: AtomicU64,
    pub latch_waits: AtomicU64,
    pub created: AtomicU64,
}

pub struct Pool {
    pub(crate) rt: Rt,
    waits: Arc<Waits>,
    pub(crate) spaces: Arc<Spaces>,
    page_size: usize,
    memory: FrameMemory,
    frames: Box<[Frame]>,
    /// Frames in use as pool; the rest of `frames` is room to grow.
    size: AtomicUsize,
    table: table::PageTable,
    age: age::AgeIndex,
    replace: Mutex<replace::Replacer>,
    free: free::FreeList,
    /// One change of the size at a time.
    resizing: AtomicBool,
    free_queue: WaitQueue,
    /// Why nobody writes pages any more, and frames do not become free.
    stopped: Mutex<Option<Error>>,
    /// Told when free frames run low: the cleaner listens.
    pub frames_wanted: Notify,
    latches: latch::LatchQueue,
    loads: load::Loads,
    pub(crate) reads: Reads,
    /// Pages that a scan reads ahead at most; 0: none are.
    pub ahead: AtomicUsize,
    /// Pages that are being read ahead.
    ahead_now: AtomicUsize,
    flush: flush::FlushState,
    dirty: AtomicUsize,
    dirtied: AtomicU64,
    wake_at: AtomicUsize,
    /// Evicted pages whose last change is at or behind this are counted.
    count_from: AtomicU64,
    changed_and_gone: AtomicU64,
    /// What of the log is durable; no page may claim an LSN beyond it. The largest number: any may.
    log_end: Arc<AtomicU64>,
    requests: requests::Requests,
    pub stats: PoolStats,
}

/// A latched page. Not `Send`: it cannot live across a wait.
pub struct Guard<'p> {
    pool: &'p Pool,
    frame: FrameNo,
    mode: LatchMode,
    _not_send: PhantomData<*const ()>,
}

/// How many guards a thread has, for assertions.
#[cfg(all(debug_assertions, not(any(shuttle, loom))))]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static GUARDS: Cell<usize> = const { Cell::new(0) };
    }

    pub fn add(n: isize) {
        GUARDS.set(GUARDS.get().wrapping_add_signed(n));
    }

    pub fn get() -> usize {
        GUARDS.get()
    }
}

/// Nothing is counted: for speed in release builds, and under the model checkers because their threads share one of the system's.
#[cfg(not(all(debug_assertions, not(any(shuttle, loom)))))]
mod counted {
    pub fn add(_: isize) {}

    pub fn get() -> usize {
        0
    }
}

/// Pages that this thread has latched now; 0 where they are not counted. A guard never leaves its thread.
pub fn latched_here() -> usize {
    counted::get()
}

impl<'p> Guard<'p> {
    /// The frame is latched in this mode.
    fn new(pool: &'p Pool, frame: FrameNo, mode: LatchMode) -> Guard<'p> {
        counted::add(1);
        Guard { pool, frame, mode, _not_send: PhantomData }
    }
}

impl Guard<'_> {
    pub fn frame(&self) -> FrameNo {
        self.frame
    }

    pub fn id(&self) -> PageId {
        self.pool.frames[self.frame as usize].id()
    }

    pub fn mode(&self) -> LatchMode {
        self.mode
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: this guard holds the frame's latch, shared or exclusive.
        unsafe { self.pool.memory.bytes(self.frame) }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        assert_eq!(self.mode, LatchMode::X, "change under a shared latch");
        // SAFETY: this guard holds the frame's exclusive latch and is borrowed mutably.
        unsafe { self.pool.memory.bytes_mut(self.frame) }
    }

    /// The version of the page's latch: unchanged version means unchanged bytes.
    pub fn version(&self) -> u64 {
        self.pool.frames[self.frame as usize].latch.version()
    }

    /// Called by the mini-transaction between reservation and publication of its log group.
    pub(crate) fn stamp(&mut self, start: Lsn, end: Lsn) {
        page::set_lsn(self.bytes_mut(), end);
        let start = if planted::is(Bug::AgeAtEndOfGroup) { end } else { start };
        self.pool.mark_dirty(self.frame, start);
        // I7: the group is published after this.
        let oldest = self.pool.frames[self.frame as usize].oldest_lsn();
        debug_assert!(oldest != 0 && oldest <= start, "a changed page is not in the age index");
    }

    /// A pin for as long as the caller waits for something else; the page stays.
    pub fn pin(&self) -> Pin {
        self.pool.frames[self.frame as usize].pins.fetch_add(1, Ordering::AcqRel);
        Pin::new(self.frame)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        counted::add(-1);
        self.pool.unlatch(self.frame, self.mode);
    }
}

pub struct PoolOptions {
    pub page_size: usize,
    pub frames: usize,
    /// Room reserved for growing; address space only.
    pub frames_max: usize,
    /// LSN distance that the age index must span.
    pub age_span: u64,
}

impl Pool {
    pub fn new(
        rt: Rt,
        waits: Arc<Waits>,
        spaces: Arc<Spaces>,
        o: &PoolOptions,
        dblwr: Option<dblwr::Doublewrite>,
        log_end: Arc<AtomicU64>,
    ) -> Result<Pool> {
        let max = o.frames_max.max(o.frames);
        let memory = FrameMemory::new(o.page_size, max).map_err(|e| Error::Io {
            what: format!("cannot reserve the buffer pool's memory: {e}"),
        })?;
        let frames: Box<[Frame]> = (0..max).map(|_| Frame::new()).collect();
        Ok(Pool {
            rt,
            waits,
            spaces,
            page_size: o.page_size,
            memory,
            table: table::PageTable::new(max),
            age: age::AgeIndex::new(o.age_span),
            replace: Mutex::new(replace::Replacer::new(o.frames)),
            free: free::FreeList::new(o.frames, max),
            resizing: AtomicBool::new(false),
            free_queue: WaitQueue::new(),
            stopped: Mutex::new(None),
            frames_wanted: Notify::new(),
            latches: latch::LatchQueue::new(),
            loads: load::Loads::default(),
            reads: Reads::default(),
            ahead: AtomicUsize::new(0),
            ahead_now: AtomicUsize::new(0),
            flush: flush::FlushState::new(dblwr),
            dirty: AtomicUsize::new(0),
            dirtied: AtomicU64::new(0),
            wake_at: AtomicUsize::new(usize::MAX),
            count_from: AtomicU64::new(u64::MAX),
            changed_and_gone: AtomicU64::new(0),
            log_end,
            requests: requests::Requests::default(),
            stats: PoolStats::default(),
            frames,
            size: AtomicUsize::new(o.frames),
        })
    }

    pub fn page_size(&self) -> usize {
        self.page_size
    }

    pub fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    pub fn free_frames(&self) -> usize {
        self.free.len()
    }

    /// Pages changed since their last image was taken, and images that are not home yet.
    pub fn dirty_pages(&self) -> usize {
        self.dirty.load(Ordering::Relaxed) + self.pages_in_flight()
    }

    pub fn pages_in_flight(&self) -> usize {
        self.flush.writing()
    }

    /// Calls the cleaner when so many pages are dirty.
    pub fn wake_at_dirty(&self, pages: usize) {
        self.wake_at.store(pages, Ordering::Relaxed);
    }

    /// Told when pages have been written.
    pub fn cleaned(&self) -> &WaitQueue {
        &self.flush.cleaned
    }

    /// Pages that became dirty since the start.
    pub fn dirtied(&self) -> u64 {
        self.dirtied.load(Ordering::Relaxed)
    }

    /// Pages in memory that were changed at or behind `lsn`, and such pages that were evicted, counted from the first call on.
    /// Looks at every frame.
    pub fn touched_since(&self, lsn: Lsn) -> (usize, u64) {
        self.count_from.store(lsn, Ordering::Relaxed);
        let here = self.frames[..self.size()].iter().filter(|f| f.newest() >= lsn).count();
        (here, self.changed_and_gone.load(Ordering::Relaxed))
    }

    pub fn waiting_for_frames(&self) -> usize {
        self.free_queue.len()
    }

    /// Oldest change that is not safely home: no checkpoint may pass it. Read `published` before calling.
    pub fn oldest_dirty(&self, checkpoint: Lsn) -> Option<Lsn> {
        // The index first, then what is in flight: a flush enters a page there before it leaves the index.
        let a = self.age.oldest(&self.frames, checkpoint);
        let b = self.flush.oldest_inflight();
        if planted::is(Bug::CheckpointPastInflight) {
            return a;
        }
        match (a, b) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        }
    }

    /// Dirty pages per age bucket, oldest first, and the bucket's width in bytes of log.
    pub fn age_histogram(&self, checkpoint: Lsn) -> (Vec<u32>, u64) {
        self.age.histogram(checkpoint)
    }

    /// Dirty pages whose first change is before `limit`, as exact as the buckets.
    pub fn dirty_before(&self, checkpoint: Lsn, limit: Lsn) -> usize {
        let (counts, width) = self.age.histogram(checkpoint);
        let first = checkpoint / width * width;
        let below = |i: usize| first.saturating_add(i as u64 * width) < limit;
        let in_range = counts.iter().enumerate().take_while(|(i, _)| below(*i));
        in_range.map(|(_, n)| *n as usize).sum()
    }

    /// Latches a page that is in memory. Never blocks: what is missing comes back as `PageWait`.
    pub fn fix(
        &self,
        id: PageId,
        mode: LatchMode,
        access: Access,
    ) -> std::result::Result<Guard<'_>, PageWait> {
        let Some(no) = self.table.find(&self.frames, id) else {
            return Err(PageWait::Load(id));
        };
        self.fix_frame(no, id, mode, access)
    }

    /// Pages asked for and found in memory, the ones that had to be read first among them.
    pub fn read_requests(&self) -> u64 {
        self.requests.sum()
    }

    /// As `fix`, trying the frame that held the page last time first.
    pub fn fix_hinted(
        &self,
        hint: &crate::sync::atomic::AtomicU32,
        id: PageId,
        mode: LatchMode,
        access: Access,
    ) -> std::result::Result<Guard<'_>, PageWait> {
        let no = hint.load(Ordering::Relaxed);
        if (no as usize) < self.frames.len() && self.frames[no as usize].is(id) {
            return self.fix_frame(no, id, mode, access);
        }
        let g = self.fix(id, mode, access)?;
        hint.store(g.frame, Ordering::Relaxed);
        Ok(g)
    }

    fn fix_frame(
        &self,
        no: FrameNo,
        id: PageId,
        mode: LatchMode,
        access: Access,
    ) -> std::result::Result<Guard<'_>, PageWait> {
        let f = &self.frames[no as usize];
        if !f.latch.try_spin(mode) {
            self.stats.latch_waits.fetch_add(1, Ordering::Relaxed);
            return Err(PageWait::Latch(no, mode));
        }
        let guard = Guard::new(self, no, mode);
        // Only under the latch is the frame's identity certain.
        if !f.is(id) || !f.is_resident() {
            drop(guard);
            return Err(PageWait::Load(id));
        }
        self.requests.count(no);
        if access == Access::Point {
            f.touch();
        }
        Ok(guard)
    }

    /// A frame for a page that is about to be formatted: nothing is read. The page comes X-latched with whatever bytes
    /// the frame has; the caller's first record must be an init.
    pub fn create(&self, id: PageId) -> std::result::Result<Guard<'_>, PageWait> {
        if let Some(no) = self.table.find(&self.frames, id) {
            return self.fix_frame(no, id, LatchMode::X, Access::Point);
        }
        let Some(no) = self.take_free() else { return Err(PageWait::Frame) };
        let f = &self.frames[no as usize];
        if !f.latch.try_lock(LatchMode::X) {
            // Somebody found its former page here, and has not seen yet that it is gone.
            self.give_free(no);
            return Err(PageWait::Latch(no, LatchMode::X));
        }
        let enter = || self.table.insert(&self.frames, id, no);
        let entered = match planted::is(Bug::CreatedDuringRead) {
            true => Some(enter()),
            false => self.loads.unless_reading(id, enter),
        };
        match entered {
            None | Some(Err(_)) => {
                self.unlatch(no, LatchMode::X);
                self.give_free(no);
                // Somebody was faster: with the new page, or with a read of the old one.
                Err(if entered.is_none() { PageWait::Reading(id) } else { PageWait::Load(id) })
            }
            Some(Ok(())) => {
                f.set_resident();
                self.stats.created.fetch_add(1, Ordering::Relaxed);
                self.replace.lock().admit(no, id);
                Ok(Guard::new(self, no, LatchMode::X))
            }
        }
    }

    fn unlatch(&self, no: FrameNo, mode: LatchMode) {
        if self.frames[no as usize].latch.unlock(mode) && !planted::is(Bug::LatchNotWoken) {
            self.latches.wake(&self.frames[no as usize].latch, no);
        }
    }

    /// Waits until the latch can be tried again with a chance.
    pub fn latch_free(&self, no: FrameNo, mode: LatchMode) -> LatchWait<'_> {
        self.latches.wait(&self.frames[no as usize].latch, no, mode)
    }

    /// The same for an operation, noted as its session's wait.
    pub async fn wait_for_latch(&self, no: FrameNo, mode: LatchMode) {
        let what = || What::page(Cause::PageLatch, self.frames[no as usize].id());
        self.waits.during(what, self.latch_free(no, mode)).await;
    }

    fn mark_dirty(&self, no: FrameNo, start: Lsn) {
        self.frames[no as usize].set_newest(start);
        if self.age.insert(&self.frames, no, start) {
            self.dirtied.fetch_add(1, Ordering::Relaxed);
            if self.dirty.fetch_add(1, Ordering::Relaxed) == self.wake_at.load(Ordering::Relaxed) {
                self.frames_wanted.notify_one();
            }
        }
    }

    fn mark_clean(&self, no: FrameNo) -> Option<Lsn> {
        let was = self.age.remove(&self.frames, no);
        if was.is_some() {
            self.dirty.fetch_sub(1, Ordering::Relaxed);
        }
        was
    }

    fn take_free(&self) -> Option<FrameNo> {
        let taken = self.free.take();
        if taken.is_none_or(|(_, left)| left < self.low_water() / 2) {
            self.frames_wanted.notify_one();
        }
        taken.map(|(no, _)| no)
    }

    fn give_free(&self, no: FrameNo) {
        if self.free.put(no) == free::Put::Beyond {
            // A shrink waits for it.
            self.memory.release(no);
            if !self.free.retire(no) {
                return;
            }
        }
        self.free_queue.wake_one();
    }

    /// Free frames that the cleaner tries to keep ready.
    pub fn low_water(&self) -> usize {
        (self.size() / 32).clamp(4, 1024)
    }

    /// Waits for a free frame to show up; evicts a clean page itself if one is at hand (a reader never writes). False: none
    /// came for a while. All frames may be pinned by operations that wait here, so the caller must let go of its own.
    pub async fn frame_free(&self) -> Result<bool> {
        if self.free_frames() >= FEW || self.evict_near(8, NEAR) >= FEW {
            return Ok(true);
        }
        if self.free_frames() > 0 {
            // Perhaps too few: an attempt that needs two and finds one gives it back by an eviction and would come again
            // at once, for ever. The cleaner gets a moment to make more.
            self.running()?;
            self.frames_wanted.notify_one();
            let _waiting = self.waits.begin(Cause::FreeFrame);
            self.rt.sleep(std::time::Duration::from_micros(100)).await;
            return Ok(true);
        }
        self.stats.free_waits.fetch_add(1, Ordering::Relaxed);
        let wait = self.free_queue.wait();
        self.frames_wanted.notify_one();
        if self.free_frames() > 0 {
            return Ok(true);
        }
        self.running()?;
        // Not all at the same moment: the first to let go lets the others go on.
        let patience = PATIENCE + std::time::Duration::from_micros(self.rt.random_u64() % 30_000);
        let waiting = self.waits.begin(Cause::FreeFrame);
        let came = self.rt.timeout(patience, wait).await.is_some();
        drop(waiting);
        self.running()?;
        Ok(came || self.evict_clean(FEW) > 0)
    }

    fn running(&self) -> Result<()> {
        self.stopped.lock().clone().map_or(Ok(()), Err)
    }

    /// Nobody writes pages any more: who waits for a frame gets the error.
    pub fn stop(&self, e: Error) {
        self.stopped.lock().get_or_insert(e);
        self.free_queue.wake_all();
    }

    /// Wakes waiters for the frames that are ready: one that was woken may have found its page loaded by somebody else and
    /// left its frame to nobody. Called at each tick of the cleaner.
    pub fn rouse(&self) {
        for _ in 0..self.free_frames().min(self.free_queue.len()) {
            self.free_queue.wake_one();
        }
    }

    /// Evicts up to `n` clean pages in replacement order, from wherever they are; returns how many frames became free.
    pub fn evict_clean(&self, n: usize) -> usize {
        self.evict_near(n, NEXT_IN_LINE + n * 4 + 16)
    }

    /// The same among the `look` pages that are next in line.
    pub fn evict_near(&self, n: usize, look: usize) -> usize {
        let mut freed = 0;
        // Dirty ones stay next in line, so that they are written and go: sent to the end of the queue, every cold dirty page
        // would outlive the clean ones that are in use.
        let mut dirty = Vec::new();
        for _ in 0..look {
            if freed == n {
                break;
            }
            let Some(victim) = self.replace.lock().victim(&self.frames) else { break };
            if self.try_evict(victim) {
                freed += 1;
            } else if self.frames[victim as usize].is_dirty() && dirty.len() < NEXT_IN_LINE {
                dirty.push(victim);
            } else {
                self.replace.lock().put_back(victim);
            }
        }
        if !dirty.is_empty() {
            self.replace.lock().put_first(dirty);
        }
        freed
    }

    fn try_evict(&self, no: FrameNo) -> bool {
        let f = &self.frames[no as usize];
        let dirty = |f: &Frame| match planted::is(Bug::EvictedWhileWritten) {
            true => f.oldest_lsn() != 0,
            false => f.is_dirty(),
        };
        if dirty(f) || !f.latch.try_lock(LatchMode::X) {
            return false;
        }
        let id = f.id();
        let gone = f.is_resident()
            && !dirty(f)
            && self.table.remove_if(&self.frames, id, no, || {
                f.pins.load(Ordering::Acquire) == 0 || planted::is(Bug::PinnedPageEvicted)
            });
        if gone {
            if f.newest() >= self.count_from.load(Ordering::Relaxed) {
                self.changed_and_gone.fetch_add(1, Ordering::Relaxed);
            }
            f.clear();
            self.replace.lock().note_evicted(id);
            self.stats.evicted.fetch_add(1, Ordering::Relaxed);
        }
        if f.latch.unlock(LatchMode::X) {
            self.latches.wake(&self.frames[no as usize].latch, no);
        }
        if gone {
            self.give_free(no);
        }
        gone
    }

    /// Forgets the clean and dirty pages of a space that is being dropped; pages in use stay until they age out.
    pub fn forget_space(&self, space: SpaceId) {
        for no in 0..self.frames.len() as FrameNo {
            let f = &self.frames[no as usize];
            if f.id().space == space && f.is_dirty() && f.latch.try_lock(LatchMode::X) {
                if f.id().space == space && f.inflight.load(Ordering::Acquire) == 0 {
                    self.mark_clean(no);
                }
                if f.latch.unlock(LatchMode::X) {
                    self.latches.wake(&self.frames[no as usize].latch, no);
                }
            }
        }
    }

    pub fn pages_in_use(&self) -> usize {
        self.size().saturating_sub(self.free_frames())
    }

    /// Frames that are neither free nor hold a page. Those of reads under way are; when nobody reads, one is lost for good.
    pub fn frames_in_hand(&self) -> usize {
        let resident = self.frames.iter().filter(|f| f.is_resident()).count();
        self.size().saturating_sub(self.free_frames() + resident)
    }

    pub fn flush_stats(&self) -> &FlushStats {
        &self.flush.stats
    }
}
