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
//! - A page has one image on its way at most: anyone who makes one claims the frame first (`Frame::claim`), since flushers share the latch.
//! - An image goes home only when the log is durable up to its page LSN and its doublewrite copy is synced (I8).

mod age;
mod ahead;
pub mod dblwr;
mod evict;
mod extent;
mod flush;
mod frame;
mod free;
mod gate;
mod latch;
mod load;
mod lru;
mod memory;
mod midpoint;
#[cfg(all(test, any(shuttle, miri)))]
mod model;
mod order;
mod posted;
mod recover;
mod replace;
mod report;
mod requests;
mod resize;
mod send;
mod table;
#[cfg(all(test, not(any(shuttle, loom))))]
mod tests;

pub use ahead::Brought;
pub use dblwr::BATCH;
pub use flush::FlushStats;
pub use frame::{Frame, FrameNo};
pub use latch::{LatchMode, LatchWait};
pub use load::{Pin, Pins, beyond_log};
pub use lru::LruBatch;

use crate::cost::{self, Cost};
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
    /// To be formatted again while its old image is being read.
    Reading(PageId),
    /// No frame free for a new page.
    Frame,
}

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
    replace: Mutex<order::Replacer>,
    /// Where the last look through InnoDB's list for clean pages far from its end was over; locked while somebody looks.
    looked_to: Mutex<Option<FrameNo>>,
    /// `replace` has InnoDB's list, where a use may change the order. Changes under its lock.
    by_list: AtomicBool,
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
    posted: posted::Posted,
    extents: extent::Extents,
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

/// The lesser of two LSNs that may be none.
fn earlier(a: Option<Lsn>, b: Option<Lsn>) -> Option<Lsn> {
    match (a, b) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    }
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

    #[inline]
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
            replace: Mutex::new(order::Replacer::new(o.frames)),
            looked_to: Mutex::new(None),
            by_list: AtomicBool::new(false),
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
            posted: posted::Posted::default(),
            extents: extent::Extents::default(),
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
        if planted::is(Bug::CheckpointPastInflight) {
            return a;
        }
        earlier(earlier(a, self.flush.oldest_inflight()), self.posted.oldest_out())
    }

    /// The same, of what a crash may lose as well: pages that are home and not synced hold a checkpoint back, but are not dirty.
    pub fn oldest_at_risk(&self, checkpoint: Lsn) -> Option<Lsn> {
        // In this order: a page that comes home enters the second before it leaves the first.
        let dirty = self.oldest_dirty(checkpoint);
        if planted::is(Bug::UnsyncedForgotten) {
            return dirty;
        }
        earlier(dirty, self.posted.oldest_unsynced())
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
        cost::spend_page();
        if !f.is_hot() {
            self.used(no, access);
        }
        Ok(guard)
    }

    /// A use of a page that is not known as one used often.
    fn used(&self, no: FrameNo, access: Access) {
        if self.by_list.load(Ordering::Relaxed) {
            let first = self.replace.lock().used(no, &self.frames);
            if first {
                self.hint_first_use(self.frames[no as usize].id());
            }
        } else if access == Access::Point {
            self.frames[no as usize].touch();
        }
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
                self.replace.lock().admit(no, id, true);
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
            cost::spend(Cost::PagesDirtied, 1);
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

    /// Bytes of frames that are real memory, and of all that the pool may have.
    pub fn memory(&self) -> (usize, usize) {
        (self.free.touched() * self.page_size, self.size() * self.page_size)
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
