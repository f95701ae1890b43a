//! Frames become free: who needs one evicts a clean page that is near its end, or waits for the cleaner.

use super::Pool;
use super::frame::{Frame, FrameNo};
use super::latch::LatchMode;
use super::order::Replacer;
use crate::error::{Error, Result};
use crate::planted::{self, Bug};
use crate::policy::Replacement;
use crate::sync::atomic::Ordering;
use crate::waits::Cause;

/// Dirty pages that an eviction leaves at the head of the queue; those behind them go to its end, so that clean pages
/// further back can be found.
pub(super) const NEXT_IN_LINE: usize = 64;

/// Candidates that an eviction looks at before its caller waits for the cleaner: a clean page further back is worth more
/// than the dirty ones before it, which are written and go in a moment.
pub(super) const NEAR: usize = 48;

/// The same where pages are replaced by InnoDB's list: so far from its end it looks for a clean page.
pub(super) const LIST_NEAR: usize = 100;

/// Frames that are taken from the list under one hold of its lock: sessions need it at each first use of a page.
const STRETCH: usize = 100;

/// Frames that any mini-transaction can do with.
pub(super) const FEW: usize = 4;

/// How long an operation waits for a frame with its pages pinned.
pub(super) const PATIENCE: std::time::Duration = std::time::Duration::from_millis(20);

impl Pool {
    /// Free frames that the cleaner tries to keep ready.
    pub fn low_water(&self) -> usize {
        (self.size() / 32).clamp(4, 1024)
    }

    /// Waits for a free frame to show up; evicts a clean page itself if one is at hand (a reader never writes). False: none
    /// came for a while. All frames may be pinned by operations that wait here, so the caller must let go of its own.
    pub async fn frame_free(&self) -> Result<bool> {
        if self.free_frames() >= FEW || self.evict_near(8, self.near()) >= FEW {
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
        Ok(came || self.evict_further() > 0)
    }

    /// Frees a few frames from wherever clean pages are. Of InnoDB's list one session at a time sees a tenth of the pool, the next one from
    /// where it ended: a walk through all of it for each session that waits would cost more than the wait.
    pub(super) fn evict_further(&self) -> usize {
        if !self.by_list() {
            return self.evict_clean(FEW);
        }
        let Some(mut at) = self.looked_to.try_lock() else { return 0 };
        let mut freed = 0;
        *at = self.walk(*at, (self.size() / 10).max(LIST_NEAR), |no| {
            freed += usize::from(self.try_evict(no, false));
            freed < FEW
        });
        freed
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
        let everywhere = if self.by_list() { usize::MAX } else { 0 };
        self.evict_near(n, everywhere.max(NEXT_IN_LINE + n * 4 + 16))
    }

    /// Candidates that a session looks at before it waits.
    fn near(&self) -> usize {
        if self.by_list() { LIST_NEAR } else { NEAR }
    }

    pub fn by_list(&self) -> bool {
        self.by_list.load(Ordering::Relaxed)
    }

    /// Replaces pages in another order from now on.
    pub(super) fn replace_by(&self, how: Replacement) {
        let list = Replacer::empty_list(how, self.frames.len());
        let mut r = self.replace.lock();
        let unused = r.exchange(list, &self.frames);
        self.by_list.store(how == Replacement::Midpoint, Ordering::Relaxed);
        drop(r);
        drop(unused);
    }

    /// Clean pages among the last `look` of the list; the dirty ones before them stay where they are.
    fn evict_tail(&self, n: usize, look: usize) -> usize {
        if n == 0 {
            return 0;
        }
        let mut freed = 0;
        self.walk(None, look, |no| {
            freed += usize::from(self.try_evict(no, false));
            freed < n
        });
        freed
    }

    /// Shows `look` pages of the list, from a place on, or from its end, as long as more are wanted. Returns where to go on; `None`: the head
    /// was reached. The list may change meanwhile, so one may be shown twice, or not.
    pub(super) fn walk(
        &self,
        mut at: Option<FrameNo>,
        look: usize,
        mut wants_more: impl FnMut(FrameNo) -> bool,
    ) -> Option<FrameNo> {
        let mut left = look.min(self.frames.len());
        let mut some = Vec::with_capacity(STRETCH.min(left));
        while left > 0 {
            some.clear();
            at = self.replace.lock().stretch(at, STRETCH.min(left), &self.frames, &mut some);
            left -= some.len();
            if let Some(last) = some.iter().position(|no| !wants_more(*no)) {
                return some.get(last + 1).copied().or(at);
            }
            at?;
        }
        at
    }

    /// Evicts up to `n` clean pages among the `look` that are next in line.
    pub fn evict_near(&self, n: usize, look: usize) -> usize {
        if self.by_list() {
            return self.evict_tail(n, look);
        }
        let mut freed = 0;
        // Dirty ones stay next in line, so that they are written and go: sent to the end of the queue, every cold dirty page
        // would outlive the clean ones that are in use.
        let mut dirty = Vec::new();
        for _ in 0..look {
            if freed == n {
                break;
            }
            let Some(victim) = self.replace.lock().victim(&self.frames) else { break };
            if self.try_evict(victim.no, true) {
                freed += 1;
            } else if self.frames[victim.no as usize].is_dirty() && dirty.len() < NEXT_IN_LINE {
                dirty.push(victim);
            } else {
                self.replace.lock().put_back(victim, &self.frames);
            }
        }
        if !dirty.is_empty() {
            self.replace.lock().put_first(dirty, &self.frames);
        }
        freed
    }

    /// `taken`: the frame is in no queue of replacement now.
    pub(super) fn try_evict(&self, no: FrameNo, taken: bool) -> bool {
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
            self.replace.lock().gone(no, id, taken, &self.frames);
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
}
