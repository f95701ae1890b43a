//! Writing dirty pages: copies under a short latch, log first, doublewrite, home, sync.

use super::Pool;
use super::dblwr::Doublewrite;
use super::frame::FrameNo;
use super::latch::LatchMode;
use crate::error::{Error, Result};
use crate::ids::{Lsn, PageId};
use crate::log::{Log, Reach};
use crate::page;
use crate::planted::{self, Bug};
use crate::space::Space;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use weir_disk::IoBuf;
use weir_rt::AsyncMutex;

/// Why a batch is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FlushKind {
    /// By age, paced: keeps checkpoint age and dirty share in bounds.
    List,
    /// Near eviction: keeps free frames coming.
    Lru,
    /// The log is nearly full, or the server stops: as fast as the device can.
    Sync,
}

#[derive(Default)]
pub struct FlushStats {
    pub list_pages: AtomicU64,
    pub lru_pages: AtomicU64,
    pub sync_pages: AtomicU64,
    pub batches: AtomicU64,
    pub pages: AtomicU64,
    pub dblwr_pages: AtomicU64,
    pub dblwr_writes: AtomicU64,
    pub data_syncs: AtomicU64,
    pub refused: AtomicU64,
}

pub struct FlushState {
    dblwr: Option<Doublewrite>,
    /// Oldest change covered by the batch under way.
    inflight: Mutex<Option<Lsn>>,
    /// One batch at a time: the doublewrite area and `inflight` belong to it.
    running: AsyncMutex<()>,
    pub stats: FlushStats,
}

impl FlushState {
    pub fn new(dblwr: Option<Doublewrite>) -> FlushState {
        FlushState {
            dblwr,
            inflight: Mutex::new(None),
            running: AsyncMutex::new(()),
            stats: FlushStats::default(),
        }
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

impl Pool {
    /// Writes up to `n` pages, oldest first, none whose first change is at or behind `limit`; returns how many.
    pub async fn flush_oldest(
        &self,
        log: &Log,
        n: usize,
        limit: Lsn,
        kind: FlushKind,
    ) -> Result<usize> {
        let mut done = 0;
        while done < n {
            let mut picked = Vec::new();
            self.age.pick(
                &self.frames,
                log.checkpoint(),
                (n - done).min(BATCH),
                limit,
                &mut picked,
            );
            let wrote = self.flush_frames(log, &picked, kind).await?;
            if wrote == 0 {
                break;
            }
            done += wrote;
        }
        Ok(done)
    }

    /// Writes dirty pages near eviction and evicts clean ones until `want` frames are free; returns pages written.
    pub async fn flush_lru(&self, log: &Log, want: usize, max: usize) -> Result<usize> {
        let mut wrote = 0;
        for _ in 0..8 {
            let free = self.free_frames();
            if free >= want {
                break;
            }
            self.evict_clean(want - free);
            if self.free_frames() >= want || wrote >= max {
                break;
            }
            let mut cold = Vec::new();
            self.replace.lock().coldest(&self.frames, BATCH, &mut cold);
            cold.retain(|no| self.frames[*no as usize].oldest_lsn() != 0);
            if cold.is_empty() {
                break;
            }
            wrote += self.flush_frames(log, &cold, FlushKind::Lru).await?;
        }
        Ok(wrote)
    }

    /// Everything that is dirty now; for shutdown and the end of recovery.
    pub async fn flush_all(&self, log: &Log) -> Result<()> {
        loop {
            let wrote = self.flush_oldest(log, usize::MAX, Lsn::MAX, FlushKind::Sync).await?;
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
        kind: FlushKind,
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
        let result = self.write_images(log, &mut images).await;
        let n = images.len();
        match &result {
            Ok(()) => {
                for i in &images {
                    self.frames[i.frame as usize].inflight.store(0, Ordering::Release);
                    if planted::is(Bug::DirtyLostAtCompletion) {
                        self.mark_clean(i.frame);
                    }
                }
                let s = &self.flush.stats;
                s.batches.fetch_add(1, Ordering::Relaxed);
                s.pages.fetch_add(n as u64, Ordering::Relaxed);
                match kind {
                    FlushKind::List => &s.list_pages,
                    FlushKind::Lru => &s.lru_pages,
                    FlushKind::Sync => &s.sync_pages,
                }
                .fetch_add(n as u64, Ordering::Relaxed);
            }
            Err(e) => self.take_back(log, &images, e).await,
        }
        *self.flush.inflight.lock() = None;
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
            let batch: Vec<(u64, IoBuf)> = run
                .iter_mut()
                .map(|i| (i.id.page as u64 * size, std::mem::replace(&mut i.buf, IoBuf::new(0))))
                .collect();
            let file = run[0].space.file();
            let (_, done) = file.write_all(batch).await;
            done?;
            self.flush.stats.data_syncs.fetch_add(1, Ordering::Relaxed);
            if planted::is(Bug::PageSyncForgotten) {
                continue;
            }
            if let Err(e) = file.sync().await {
                if planted::is(Bug::PageSyncErrorIgnored) {
                    continue;
                }
                // I12: after a failed sync nobody knows what is on disk.
                return Err(Error::Io { what: format!("sync failed, the server must stop: {e}") });
            }
        }
        Ok(())
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
