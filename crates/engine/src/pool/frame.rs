//! What the pool knows about a frame besides its bytes.

use super::latch::Latch;
use crate::ids::{Lsn, PageId};
use crate::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

pub type FrameNo = u32;
pub const NONE: FrameNo = u32::MAX;
const NO_PAGE: u64 = u64::MAX;

/// Residency: Free -> Loading -> Resident -> Free. Only the loader, the creator and the evictor move it.
const FREE: u8 = 0;
const LOADING: u8 = 1;
const RESIDENT: u8 = 2;

#[repr(align(64))]
pub struct Frame {
    pub latch: Latch,
    page: AtomicU64,
    /// LSN of the first change that is not yet being written; 0 = none. Set by `AgeIndex`.
    pub oldest: AtomicU64,
    /// LSN of the last change; stands only for how lately the page was changed.
    newest: AtomicU64,
    /// As `oldest`, for the image on its way to the device; 0 = none.
    pub inflight: AtomicU64,
    pub pins: AtomicU32,
    /// Next frame in the page table's chain.
    pub chain: AtomicU32,
    /// Neighbours in the age bucket's list; guarded by the bucket's lock.
    pub age_prev: AtomicU32,
    pub age_next: AtomicU32,
    residency: AtomicU8,
    /// References since the replacer looked last, at most 3.
    uses: AtomicU8,
    /// 1: written at least once since the page came into memory.
    written: AtomicU8,
}

impl Frame {
    pub fn new() -> Frame {
        Frame {
            latch: Latch::default(),
            page: AtomicU64::new(NO_PAGE),
            oldest: AtomicU64::new(0),
            newest: AtomicU64::new(0),
            inflight: AtomicU64::new(0),
            pins: AtomicU32::new(0),
            chain: AtomicU32::new(NONE),
            age_prev: AtomicU32::new(NONE),
            age_next: AtomicU32::new(NONE),
            residency: AtomicU8::new(FREE),
            uses: AtomicU8::new(0),
            written: AtomicU8::new(0),
        }
    }

    pub fn id(&self) -> PageId {
        PageId::unpack(self.page.load(Ordering::Acquire))
    }

    pub fn is(&self, id: PageId) -> bool {
        self.page.load(Ordering::Acquire) == id.pack()
    }

    pub(super) fn set_id(&self, id: PageId) {
        self.page.store(id.pack(), Ordering::Release);
    }

    pub fn is_resident(&self) -> bool {
        self.residency.load(Ordering::Acquire) == RESIDENT
    }

    pub(super) fn set_loading(&self) {
        self.uses.store(0, Ordering::Relaxed);
        self.residency.store(LOADING, Ordering::Release);
    }

    pub(super) fn set_resident(&self) {
        self.residency.store(RESIDENT, Ordering::Release);
    }

    pub(super) fn clear(&self) {
        debug_assert!(!self.is_dirty());
        self.page.store(NO_PAGE, Ordering::Release);
        self.written.store(0, Ordering::Relaxed);
        self.uses.store(0, Ordering::Relaxed);
        self.residency.store(FREE, Ordering::Release);
    }

    /// Changed since its image went to the device, or that image is not safe yet.
    pub fn is_dirty(&self) -> bool {
        self.oldest.load(Ordering::Acquire) != 0 || self.inflight.load(Ordering::Acquire) != 0
    }

    pub fn newest_lsn(&self) -> Lsn {
        self.newest.load(Ordering::Relaxed)
    }

    pub(super) fn set_newest(&self, lsn: Lsn) {
        self.newest.store(lsn, Ordering::Relaxed);
    }

    pub fn oldest_lsn(&self) -> Lsn {
        self.oldest.load(Ordering::Acquire)
    }

    /// Notes a write of the page; true when it is not the first since the page came into memory.
    pub(super) fn set_written(&self) -> bool {
        self.written.swap(1, Ordering::Relaxed) == 1
    }

    pub fn touch(&self) {
        let u = self.uses.load(Ordering::Relaxed);
        if u < 3 {
            self.uses.store(u + 1, Ordering::Relaxed);
        }
    }

    pub(super) fn uses(&self) -> u8 {
        self.uses.load(Ordering::Relaxed)
    }

    pub(super) fn cool(&self) {
        let u = self.uses.load(Ordering::Relaxed);
        self.uses.store(u.saturating_sub(1), Ordering::Relaxed);
    }

    pub(super) fn set_cold(&self) {
        self.uses.store(0, Ordering::Relaxed);
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;

    /// A frame is one cache line: a lookup touches one.
    #[test]
    fn a_frame_is_a_cache_line() {
        assert_eq!(std::mem::size_of::<Frame>(), 64);
    }
}
