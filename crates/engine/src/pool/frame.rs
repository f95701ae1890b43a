//! What the pool knows about a frame besides its bytes.

use super::latch::Latch;
use crate::ids::{Lsn, PageId};
use crate::planted::{self, Bug};
use crate::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

pub type FrameNo = u32;
pub const NONE: FrameNo = u32::MAX;
const NO_PAGE: u64 = u64::MAX;

/// Residency: Free -> Loading -> Resident -> Free. Only the loader, the creator and the evictor move it.
const FREE: u16 = 0;
const LOADING: u16 = 1;
const RESIDENT: u16 = 2;
/// Above it stands the number of pages that the frame has had. It wraps around.
const LIFE: u16 = 4;

const MOST_USES: u8 = 3;

const INTERVAL_UNIT: u64 = 64;
/// Interval of a page that has been changed once since it came into memory: nothing promises that it will be again.
const UNKNOWN: u32 = u32::MAX;

/// Integers alone: `memory.rs` relies on zero bytes being a value.
#[repr(align(64))]
pub struct Frame {
    pub latch: Latch,
    page: AtomicU64,
    /// LSN of the first change that is not yet being written; 0 = none. Set by `AgeIndex`.
    pub oldest: AtomicU64,
    /// LSN of the last change since the page came into memory, 0 = none; stands only for how lately it was changed.
    newest: AtomicU64,
    /// As `oldest`, for the image on its way to the device; 0 = none.
    pub inflight: AtomicU64,
    pub pins: AtomicU32,
    /// Next frame in the page table's chain.
    pub chain: AtomicU32,
    /// Neighbours in the age bucket's list; guarded by the bucket's lock.
    pub age_prev: AtomicU32,
    pub age_next: AtomicU32,
    /// Bytes of log between two changes of the page, smoothed, in units of `INTERVAL_UNIT`; see `UNKNOWN`.
    interval: AtomicU32,
    residency: AtomicU16,
    /// References since the replacer looked last, at most `MOST_USES`.
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
            interval: AtomicU32::new(UNKNOWN),
            residency: AtomicU16::new(FREE),
            uses: AtomicU8::new(0),
            written: AtomicU8::new(0),
        }
    }

    /// The value whose bytes are zero: a frame that the pool has never had. It has no page, and `prepare` makes it one that `new` makes.
    pub(super) fn zeroed() -> Frame {
        let f = Frame::new();
        f.page.store(0, Ordering::Relaxed);
        for number in [&f.chain, &f.age_prev, &f.age_next, &f.interval] {
            number.store(0, Ordering::Relaxed);
        }
        f
    }

    /// Before the frame is first free.
    pub(super) fn prepare(&self) {
        debug_assert!(
            !self.is_resident() && !self.is_dirty() && self.pins.load(Ordering::Relaxed) == 0
        );
        self.page.store(NO_PAGE, Ordering::Relaxed);
        for link in [&self.chain, &self.age_prev, &self.age_next] {
            link.store(NONE, Ordering::Relaxed);
        }
        self.interval.store(UNKNOWN, Ordering::Relaxed);
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
        self.life().is_some()
    }

    /// Which of the frame's pages it has now; `None`: none is resident.
    pub(super) fn life(&self) -> Option<u16> {
        let now = self.residency.load(Ordering::Acquire);
        (now % LIFE == RESIDENT).then_some(now / LIFE)
    }

    fn set_residency(&self, to: u16) {
        let now = self.residency.load(Ordering::Relaxed);
        self.residency.store(now - now % LIFE + to, Ordering::Release);
    }

    pub(super) fn set_loading(&self) {
        self.uses.store(0, Ordering::Relaxed);
        self.set_residency(LOADING);
    }

    pub(super) fn set_resident(&self) {
        self.set_residency(RESIDENT);
    }

    pub(super) fn clear(&self) {
        debug_assert!(!self.is_dirty());
        self.page.store(NO_PAGE, Ordering::Release);
        self.newest.store(0, Ordering::Relaxed);
        self.interval.store(UNKNOWN, Ordering::Relaxed);
        self.written.store(0, Ordering::Relaxed);
        self.uses.store(0, Ordering::Relaxed);
        let now = self.residency.load(Ordering::Relaxed);
        self.residency.store((now - now % LIFE).wrapping_add(LIFE) + FREE, Ordering::Release);
    }

    /// Changed since its image went to the device, or that image is not safe yet.
    pub fn is_dirty(&self) -> bool {
        self.oldest.load(Ordering::Acquire) != 0 || self.inflight.load(Ordering::Acquire) != 0
    }

    /// Notes a change; the caller holds the exclusive latch.
    pub(super) fn set_newest(&self, lsn: Lsn) {
        let before = self.newest.load(Ordering::Relaxed);
        self.newest.store(lsn, Ordering::Relaxed);
        if before == 0 {
            return;
        }
        let gap = (lsn.saturating_sub(before) / INTERVAL_UNIT).min(u64::from(UNKNOWN - 1)) as u32;
        let known = self.interval.load(Ordering::Relaxed);
        let new = if known == UNKNOWN { gap } else { known - known / 4 + gap / 4 };
        self.interval.store(new, Ordering::Relaxed);
    }

    /// LSN of the last change since the page came into memory; 0: none.
    pub(super) fn newest(&self) -> Lsn {
        self.newest.load(Ordering::Relaxed)
    }

    /// How long the page is likely to stay as it is, in bytes of log: what it took between changes so far, or what has passed
    /// since the last one if that is more. A page changed only once is expected to rest longest.
    pub(super) fn rest(&self, now: Lsn) -> (u64, u64) {
        let since = now.saturating_sub(self.newest.load(Ordering::Relaxed));
        match self.interval.load(Ordering::Relaxed) {
            UNKNOWN => (u64::MAX, since),
            known => (since.max(u64::from(known) * INTERVAL_UNIT), since),
        }
    }

    pub fn oldest_lsn(&self) -> Lsn {
        self.oldest.load(Ordering::Acquire)
    }

    /// Claims the page for one flusher: until `inflight` is 0 again nobody else makes an image of it. `None`: there is no change to write, or
    /// somebody else has it. The caller holds the latch, shared at least, so nobody changes the page meanwhile.
    pub(super) fn claim(&self) -> Option<Lsn> {
        let seen = self.oldest_lsn();
        if seen == 0 || !self.claim_for(seen) {
            return None;
        }
        // Between the look and the claim another flusher may have brought the change home: what counts is what is left now.
        let oldest = self.oldest_lsn();
        if oldest != seen {
            self.inflight.store(oldest, Ordering::Release);
        }
        (oldest != 0).then_some(oldest)
    }

    fn claim_for(&self, oldest: Lsn) -> bool {
        if planted::is(Bug::ImageTakenTwice) {
            let free = self.inflight.load(Ordering::Acquire) == 0;
            self.inflight.store(oldest, Ordering::Release);
            return free;
        }
        let claimed =
            self.inflight.compare_exchange(0, oldest, Ordering::AcqRel, Ordering::Acquire);
        claimed.is_ok()
    }

    /// The claim is over: the image is home, or there is none.
    pub(super) fn release(&self) {
        let claimed = self.inflight.swap(0, Ordering::AcqRel);
        debug_assert_ne!(claimed, 0, "a page was released that nobody had claimed");
    }

    /// Notes a write of the page; true when it is not the first since the page came into memory.
    pub(super) fn set_written(&self) -> bool {
        self.written.swap(1, Ordering::Relaxed) == 1
    }

    pub fn touch(&self) {
        let u = self.uses.load(Ordering::Relaxed);
        if u < MOST_USES {
            self.uses.store(u + 1, Ordering::Relaxed);
        }
    }

    /// Another use would change nothing.
    pub(super) fn is_hot(&self) -> bool {
        self.uses.load(Ordering::Relaxed) == MOST_USES
    }

    pub(super) fn set_hot(&self) {
        self.uses.store(MOST_USES, Ordering::Relaxed);
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

    #[test]
    fn a_page_changed_often_is_expected_to_change_again() {
        let (often, seldom, once, over) = (Frame::new(), Frame::new(), Frame::new(), Frame::new());
        for lsn in (1000..100_000).step_by(1000) {
            often.set_newest(lsn);
        }
        for lsn in (1000..60_000).step_by(100) {
            over.set_newest(lsn);
        }
        for lsn in [10_000, 40_000, 70_000, 99_990] {
            seldom.set_newest(lsn);
        }
        once.set_newest(99_995);
        let now = 100_000;
        let mut all = [("often", &often), ("seldom", &seldom), ("once", &once), ("over", &over)];
        all.sort_by_key(|f| std::cmp::Reverse(f.1.rest(now)));
        // `seldom` was changed just now, after `often`; `over` was changed most of all, and is not any more.
        assert_eq!(all.map(|f| f.0), ["once", "over", "seldom", "often"]);
    }
}
