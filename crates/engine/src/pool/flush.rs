//! Writing dirty pages: copies under a short latch, log first, doublewrite, home, sync.

use super::Pool;
use super::dblwr::Doublewrite;
use super::frame::FrameNo;
use super::latch::LatchMode;
use crate::error::{Error, Result};
use crate::files::Space;
use crate::ids::{Lsn, PageId};
use crate::log::{Log, Reach};
use crate::page;
use crate::planted::{self, Bug};
use crate::policy::{Batch, Cause, NO_LIMIT, Neighbours, Order};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::Poll;
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
    /// Pages that were latched or clean when their turn came, and batches that met one of their kind.
    pub refused: AtomicU64,
    pub batches_refused: AtomicU64,
    /// Time in which a batch was being written.
    pub busy_nanos: AtomicU64,
}

impl FlushStats {
    pub fn by(&self, c: Cause) -> u64 {
        self.causes[c as usize].load(Ordering::Relaxed)
    }

    /// Pages written to have free frames.
    pub fn lru_pages(&self) -> u64 {
        self.by(Cause::Free) + self.by(Cause::UserFree)
    }
}

/// Pages near eviction to be made free.
#[derive(Clone, Copy, Debug)]
pub struct LruBatch {
    /// Frames to have free.
    pub want: usize,
    /// Pages to look at.
    pub depth: usize,
    /// Pages to write, about.
    pub max: usize,
    pub neighbours: Neighbours,
    pub cause: Cause,
}

impl LruBatch {
    pub fn simple(want: usize, max: usize, cause: Cause) -> LruBatch {
        LruBatch { want, depth: BATCH, max, neighbours: Neighbours::None, cause }
    }
}

/// One batch of a kind at a time.
#[derive(Default)]
struct Gate {
    running: AtomicBool,
    ended: WaitQueue,
}

struct Running<'g>(&'g Gate);

impl Gate {
    fn begin(&self) -> Option<Running<'_>> {
        (!self.running.swap(true, Ordering::AcqRel)).then(|| Running(self))
    }

    async fn idle(&self) {
        loop {
            let wait = self.ended.wait();
            if !self.running.load(Ordering::Acquire) {
                return;
            }
            wait.await;
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.store(false, Ordering::Release);
        self.0.ended.wake_all();
    }
}

pub struct FlushState {
    dblwr: Option<Doublewrite>,
    /// Oldest change covered by the batch under way.
    inflight: Mutex<Option<Lsn>>,
    /// Pages on their way to the device.
    writing: AtomicUsize,
    /// One batch of images at a time: the doublewrite area and `inflight` belong to it.
    running: AsyncMutex<()>,
    list: Gate,
    lru: Gate,
    /// Page writes at the device at once.
    window: AtomicUsize,
    /// Sessions that wait for dirty pages to become clean.
    pub(super) cleaned: WaitQueue,
    pub stats: FlushStats,
}

impl FlushState {
    pub fn new(dblwr: Option<Doublewrite>) -> FlushState {
        FlushState {
            dblwr,
            inflight: Mutex::new(None),
            writing: AtomicUsize::new(0),
            running: AsyncMutex::new(()),
            list: Gate::default(),
            lru: Gate::default(),
            window: AtomicUsize::new(BATCH),
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

struct Image {
    frame: FrameNo,
    id: PageId,
    space: Arc<Space>,
    lsn: Lsn,
    buf: IoBuf,
}

/// Pages per doublewrite batch.
pub const BATCH: usize = 128;
/// A batch looks for cold pages among the oldest ones: among this many times the pages that it takes.
const COLD_CHOICE: usize = 16;

impl Pool {
    /// A flush-list batch: at least `b.pages` pages in the order it asks for, if there are that many whose first change is
    /// before `b.limit`. Returns how many were written; `None` when a list batch is running already.
    pub async fn list_batch(&self, log: &Log, b: &Batch) -> Result<Option<usize>> {
        let Some(_running) = self.flush.list.begin() else {
            self.flush.stats.batches_refused.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        };
        let mut done = 0;
        while done < b.pages {
            let picked = self.pick(log, b, (b.pages - done).min(BATCH));
            let wrote = self.flush_frames(log, &picked, b.cause).await?;
            if wrote == 0 {
                break;
            }
            done += wrote;
        }
        Ok(Some(done))
    }

    pub fn list_running(&self) -> bool {
        self.flush.list.running.load(Ordering::Acquire)
    }

    pub fn lru_running(&self) -> bool {
        self.flush.lru.running.load(Ordering::Acquire)
    }

    pub async fn await_list(&self) {
        self.flush.list.idle().await;
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
            how => self.with_neighbours(&picked, how, n),
        }
    }

    /// The chosen pages, each followed by the dirty pages of its area, until there are `n` or more.
    fn with_neighbours(&self, chosen: &[FrameNo], how: Neighbours, n: usize) -> Vec<FrameNo> {
        let area = self.area();
        let mut all: Vec<FrameNo> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for no in chosen {
            if all.len() >= n {
                break;
            }
            if !seen.insert(*no) {
                continue;
            }
            all.push(*no);
            let id = self.frames[*no as usize].id();
            let first = id.page / area * area;
            let dirty = |page: u32| {
                let no = self.table.find(&self.frames, PageId::new(id.space, page))?;
                (self.frames[no as usize].oldest_lsn() != 0).then_some(no)
            };
            let near: Vec<FrameNo> = match how {
                Neighbours::None | Neighbours::ByDevice => Vec::new(),
                Neighbours::Area => (first..first + area).filter_map(dirty).collect(),
                Neighbours::Run => {
                    let down = (first..id.page).rev().map_while(dirty);
                    down.chain((id.page + 1..first + area).map_while(dirty)).collect()
                }
            };
            let before = all.len();
            all.extend(near.into_iter().filter(|no| seen.insert(*no)));
            let more = (all.len() - before) as u64;
            self.flush.stats.neighbours.fetch_add(more, Ordering::Relaxed);
        }
        all
    }

    /// Pages that count as neighbours: InnoDB's 64, fewer in a small pool.
    fn area(&self) -> u32 {
        let by_pool = (self.size() / 32).max(1).next_power_of_two().min(self.size() / 16);
        by_pool.clamp(1, 64) as u32
    }

    /// Evicts clean pages near eviction and writes dirty ones until there are free frames enough; returns pages written,
    /// `None` when such a batch is running already.
    pub async fn lru_batch(&self, log: &Log, b: &LruBatch) -> Result<Option<usize>> {
        let LruBatch { want, depth, max, neighbours, cause } = *b;
        let Some(_running) = self.flush.lru.begin() else {
            self.flush.stats.batches_refused.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        };
        let mut wrote = 0;
        for _ in 0..8 {
            let free = self.free_frames();
            if free >= want {
                break;
            }
            // In the order of replacement, clean or dirty: half of the candidates may be dirty.
            self.evict_near(want - free, (want - free) * 2 + 16);
            if self.free_frames() >= want || wrote >= max {
                break;
            }
            let mut cold = Vec::new();
            self.replace.lock().coldest(&self.frames, depth, &mut cold);
            cold.retain(|no| self.frames[*no as usize].oldest_lsn() != 0);
            cold.truncate(BATCH.min(max - wrote));
            if cold.is_empty() {
                break;
            }
            let picked = match neighbours {
                Neighbours::None | Neighbours::ByDevice => cold,
                how => self.with_neighbours(&cold, how, cold.len()),
            };
            wrote += self.flush_frames(log, &picked, cause).await?;
        }
        Ok(Some(wrote))
    }

    pub async fn await_lru(&self) {
        self.flush.lru.idle().await;
    }

    /// Free frames, and pages among the `scan` next to be evicted that could be, now.
    pub fn replaceable(&self, scan: usize) -> usize {
        let mut cold = Vec::new();
        self.replace.lock().coldest(&self.frames, scan, &mut cold);
        let clean = |no: &&FrameNo| {
            let f = &self.frames[**no as usize];
            !f.is_dirty() && f.pins.load(Ordering::Relaxed) == 0
        };
        self.free_frames() + cold.iter().filter(clean).count()
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

    /// Everything that is dirty now; for shutdown and the end of recovery.
    pub async fn flush_all(&self, log: &Log) -> Result<()> {
        loop {
            let batch = Batch::oldest(usize::MAX, NO_LIMIT, Cause::Stop);
            let Some(wrote) = self.list_batch(log, &batch).await? else {
                self.await_list().await;
                continue;
            };
            if wrote == 0 && self.dirty_pages() == 0 {
                return Ok(());
            }
            if wrote == 0 {
                // A page is latched this instant.
                weir_rt::yield_now().await;
            }
        }
    }

    pub(super) async fn flush_frames(
        &self,
        log: &Log,
        frames: &[FrameNo],
        cause: Cause,
    ) -> Result<usize> {
        if frames.is_empty() {
            return Ok(0);
        }
        let _running = self.flush.running.lock().await;
        let mut images: Vec<Image> = Vec::with_capacity(frames.len());
        for no in frames {
            match self.take_image(*no) {
                Some(i) => images.push(i),
                None => {
                    self.flush.stats.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let n = images.len();
        let begun = self.rt.now();
        let result = self.write_images(log, &mut images).await;
        let s = &self.flush.stats;
        s.busy_nanos.fetch_add(self.rt.now() - begun, Ordering::Relaxed);
        match &result {
            Ok(()) => {
                for i in &images {
                    self.frames[i.frame as usize].inflight.store(0, Ordering::Release);
                    if planted::is(Bug::DirtyLostAtCompletion) {
                        self.mark_clean(i.frame);
                    }
                }
                s.batches.fetch_add(1, Ordering::Relaxed);
                s.pages.fetch_add(n as u64, Ordering::Relaxed);
                s.causes[cause as usize].fetch_add(n as u64, Ordering::Relaxed);
            }
            Err(e) => self.take_back(log, &images, e).await,
        }
        *self.flush.inflight.lock() = None;
        self.flush.writing.fetch_sub(n, Ordering::AcqRel);
        self.flush.cleaned.wake_all();
        result.map(|()| n)
    }

    /// Copies a dirty page and moves its age from the index to the batch; `None` when it is latched or clean.
    fn take_image(&self, no: FrameNo) -> Option<Image> {
        let f = &self.frames[no as usize];
        if !f.latch.try_lock(LatchMode::S) {
            return None;
        }
        let image = self.take_image_latched(no);
        self.unlatch(no, LatchMode::S);
        image
    }

    fn take_image_latched(&self, no: FrameNo) -> Option<Image> {
        let f = &self.frames[no as usize];
        let oldest = f.oldest_lsn();
        if !f.is_resident() || oldest == 0 || f.inflight.load(Ordering::Acquire) != 0 {
            return None;
        }
        let id = f.id();
        let space = self.spaces.get(id.space);
        let Some(space) = space.filter(|s| s.is_live()) else {
            // The file is gone: there is nowhere to write to and nothing to keep.
            self.mark_clean(no);
            return None;
        };
        let mut buf = IoBuf::new(self.page_size);
        // SAFETY: the shared latch is held by the caller.
        buf.copy_from_slice(unsafe { self.memory.bytes(no) });
        let lsn = page::lsn(&buf);
        debug_assert_eq!(page::page_id(&buf), id);
        {
            let mut m = self.flush.inflight.lock();
            *m = Some(m.map_or(oldest, |x| x.min(oldest)));
        }
        f.inflight.store(oldest, Ordering::Release);
        // Counted here before it leaves the index, so that the sum never misses it.
        self.flush.writing.fetch_add(1, Ordering::AcqRel);
        if f.set_written() {
            self.flush.stats.rewritten.fetch_add(1, Ordering::Relaxed);
        }
        self.mark_clean(no);
        page::seal(&mut buf);
        Some(Image { frame: no, id, space, lsn, buf })
    }

    async fn write_images(&self, log: &Log, images: &mut [Image]) -> Result<()> {
        if images.is_empty() {
            return Ok(());
        }
        images.sort_by_key(|i| i.id);
        // I8: first the log, then the copy that repairs a torn page, then the page itself.
        let all = if planted::is(Bug::WalOfFirstPageOnly) { 1 } else { images.len() };
        let newest = images[..all].iter().map(|i| i.lsn).max().unwrap_or(0);
        log.flush_to(newest, Reach::Durable).await?;
        debug_assert!(log.durable() >= newest);
        if let Some(d) = &self.flush.dblwr {
            for chunk in images.chunks_mut(BATCH) {
                let bufs: Vec<IoBuf> = chunk
                    .iter_mut()
                    .map(|i| std::mem::replace(&mut i.buf, IoBuf::new(0)))
                    .collect();
                let back = d.write(bufs).await?;
                for (i, b) in chunk.iter_mut().zip(back) {
                    i.buf = b;
                }
                self.flush.stats.dblwr_pages.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                self.flush.stats.dblwr_writes.fetch_add(1, Ordering::Relaxed);
                self.write_home(chunk).await?;
            }
            return Ok(());
        }
        self.write_home(images).await
    }

    async fn write_home(&self, images: &mut [Image]) -> Result<()> {
        let size = self.page_size as u64;
        for run in images.chunk_by_mut(|a, b| a.id.space == b.id.space) {
            let space = run[0].space.clone();
            let file = space.file();
            for part in run.chunks_mut(self.flush.window.load(Ordering::Relaxed)) {
                let batch: Vec<(u64, IoBuf)> = part
                    .iter_mut()
                    .map(|i| {
                        (i.id.page as u64 * size, std::mem::replace(&mut i.buf, IoBuf::new(0)))
                    })
                    .collect();
                let (_, done) = file.write_all(batch).await;
                done?;
            }
        }
        if planted::is(Bug::PageSyncForgotten) {
            return Ok(());
        }
        self.sync_homes(images).await
    }

    /// Syncs all files of the batch at once: the device can serve them with one flush of its cache.
    async fn sync_homes(&self, images: &[Image]) -> Result<()> {
        let spaces = images.chunk_by(|a, b| a.id.space == b.id.space).map(|run| &run[0].space);
        let mut syncs: Vec<_> = spaces.map(|s| s.file().sync()).collect();
        self.flush.stats.data_syncs.fetch_add(syncs.len() as u64, Ordering::Relaxed);
        let mut failed = None;
        std::future::poll_fn(|cx| {
            syncs.retain_mut(|s| match s.as_mut().poll(cx) {
                Poll::Pending => true,
                Poll::Ready(r) => {
                    failed = failed.take().or(r.err());
                    false
                }
            });
            if syncs.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        match failed {
            // I12: after a failed sync nobody knows what is on disk.
            Some(e) if !planted::is(Bug::PageSyncErrorIgnored) => {
                Err(Error::Io { what: format!("sync failed, the server must stop: {e}") })
            }
            _ => Ok(()),
        }
    }

    /// A batch failed before its sync: its pages are as dirty as they were.
    async fn take_back(&self, log: &Log, images: &[Image], why: &Error) {
        if matches!(why, Error::Io { .. }) {
            log.stop(why.clone());
        }
        for i in images {
            let f = &self.frames[i.frame as usize];
            while !f.latch.try_lock(LatchMode::X) {
                self.latch_free(i.frame, LatchMode::X).await;
            }
            let old = f.inflight.swap(0, Ordering::AcqRel);
            self.mark_clean(i.frame);
            self.mark_dirty(i.frame, old);
            self.unlatch(i.frame, LatchMode::X);
        }
    }
}
