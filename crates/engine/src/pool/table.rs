//! The page table: page id to frame. Chains through the frames; changes under a shard lock, look-ups without.
//!
//! A look-up walks the chain with plain atomic loads. A frame that moves to another chain meanwhile can only make it miss;
//! a miss is confirmed under the shard lock. A hit is confirmed by the caller under the frame's latch.
//!
//! Sixteen adjacent pages have adjacent buckets, which are one cache line: anyone who looks for a page's neighbours (flushing, reading ahead, a
//! scan) misses the cache once for sixteen of them. Chains are as long as if each page had a bucket by itself, since pages of different
//! lines still meet by chance only.

use super::frame::{Frame, FrameNo, NONE};
use super::memory::Reserved;
use crate::ids::PageId;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU32, Ordering};

const SHARDS: usize = if cfg!(any(shuttle, miri)) { 2 } else { 128 };

pub struct PageTable {
    /// The inverted number of each chain's first frame, so that an empty chain is zero bytes: memory that nobody has touched.
    heads: Reserved<AtomicU32>,
    mask: u64,
    shards: Box<[Mutex<()>]>,
}

/// Bits of a page's number that are its place in a line of buckets: 16 buckets of 4 bytes are a cache line.
const IN_LINE: u32 = 4;

fn hash(line: u64) -> u64 {
    let x = line.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x ^ (x >> 29)
}

impl PageTable {
    pub fn new(frames: usize) -> std::io::Result<PageTable> {
        let n = (frames * 2).next_power_of_two().max(SHARDS);
        Ok(PageTable {
            heads: Reserved::new(n, || AtomicU32::new(0))?,
            mask: n as u64 - 1,
            shards: (0..SHARDS).map(|_| Mutex::new(())).collect(),
        })
    }

    /// The first frame of a chain, or `NONE`.
    #[inline]
    fn head(&self, bucket: usize) -> FrameNo {
        !self.heads[bucket].load(Ordering::Acquire)
    }

    fn set_head(&self, bucket: usize, no: FrameNo) {
        self.heads[bucket].store(!no, Ordering::Release);
    }

    fn bucket(&self, id: PageId) -> usize {
        let hash = hash(id.pack() >> IN_LINE);
        // Where a line begins to count its pages is its own affair, so that the first pages of extents have all buckets, too.
        let at = (id.pack() ^ (hash >> 60)) & ((1 << IN_LINE) - 1);
        (((hash << IN_LINE) | at) & self.mask) as usize
    }

    /// As `find`, for advice: a page that is in memory may be missed while its chain changes.
    pub fn peek(&self, frames: &[Frame], id: PageId) -> Option<FrameNo> {
        let mut at = self.head(self.bucket(id));
        // The bound is for the unlocked walk: a chain that changes underfoot could lead in a circle.
        for _ in 0..64 {
            if at == NONE {
                return None;
            }
            let f = &frames[at as usize];
            if f.is(id) {
                return Some(at);
            }
            at = f.chain.load(Ordering::Acquire);
        }
        None
    }

    pub fn find(&self, frames: &[Frame], id: PageId) -> Option<FrameNo> {
        if let Some(no) = self.peek(frames, id) {
            return Some(no);
        }
        let _lock = self.shards[self.bucket(id) % SHARDS].lock();
        self.walk_locked(frames, id)
    }

    fn walk_locked(&self, frames: &[Frame], id: PageId) -> Option<FrameNo> {
        let mut at = self.head(self.bucket(id));
        while at != NONE {
            let f = &frames[at as usize];
            if f.is(id) {
                return Some(at);
            }
            at = f.chain.load(Ordering::Acquire);
        }
        None
    }

    /// Runs `f` on the frame of `id` under the shard lock, where pins may be taken.
    pub fn with<R>(&self, frames: &[Frame], id: PageId, f: impl FnOnce(Option<FrameNo>) -> R) -> R {
        let _lock = self.shards[self.bucket(id) % SHARDS].lock();
        let found = self.walk_locked(frames, id);
        f(found)
    }

    /// Enters `id` at frame `no`, which the caller owns; `Err` names the frame that has the page already.
    pub fn insert(&self, frames: &[Frame], id: PageId, no: FrameNo) -> Result<(), FrameNo> {
        let b = self.bucket(id);
        let _lock = self.shards[b % SHARDS].lock();
        if let Some(other) = self.walk_locked(frames, id) {
            return Err(other);
        }
        let f = &frames[no as usize];
        f.chain.store(self.head(b), Ordering::Release);
        f.set_id(id);
        self.set_head(b, no);
        Ok(())
    }

    /// Takes `id` out if it is at `no` and `ok` says so under the shard lock.
    pub fn remove_if(
        &self,
        frames: &[Frame],
        id: PageId,
        no: FrameNo,
        ok: impl FnOnce() -> bool,
    ) -> bool {
        let b = self.bucket(id);
        let _lock = self.shards[b % SHARDS].lock();
        if !frames[no as usize].is(id) || !ok() {
            return false;
        }
        let next = frames[no as usize].chain.load(Ordering::Acquire);
        let mut at = self.head(b);
        if at == no {
            self.set_head(b, next);
            return true;
        }
        while at != NONE {
            let f = &frames[at as usize];
            let n = f.chain.load(Ordering::Acquire);
            if n == no {
                f.chain.store(next, Ordering::Release);
                return true;
            }
            at = n;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insert_find_remove() {
        let frames: Vec<Frame> = (0..64).map(|_| Frame::new()).collect();
        let t = PageTable::new(64).unwrap();
        for i in 0..64 {
            t.insert(&frames, PageId::new(1, i * 7), i).unwrap();
        }
        assert_eq!(t.insert(&frames, PageId::new(1, 7), 3), Err(1));
        for i in 0..64 {
            assert_eq!(t.find(&frames, PageId::new(1, i * 7)), Some(i));
        }
        assert!(!t.remove_if(&frames, PageId::new(1, 14), 2, || false));
        for i in (0..64).step_by(2) {
            assert!(t.remove_if(&frames, PageId::new(1, i * 7), i, || true));
            frames[i as usize].clear();
        }
        for i in 0..64 {
            assert_eq!(t.find(&frames, PageId::new(1, i * 7)).is_some(), i % 2 == 1);
        }
    }

    #[test]
    fn neighbours_share_a_line_and_chains_stay_short() {
        let t = PageTable::new(1 << 16).unwrap();
        for page in [0, 16, 4080, 1 << 20] {
            let mut buckets: Vec<usize> =
                (0..16).map(|i| t.bucket(PageId::new(7, page + i))).collect();
            buckets.sort_unstable();
            let first = buckets[0];
            assert_eq!(first % 16, 0);
            assert!(buckets.into_iter().eq(first..first + 16));
        }
        // Whole tables, and pages far from each other: at half a page for each bucket a bucket of ten is one in a billion.
        for step in [1, 16, 64, 1000] {
            let mut chains = vec![0u8; t.heads.len()];
            (0..1 << 16).for_each(|i| chains[t.bucket(PageId::new(3, i * step))] += 1);
            assert!(chains.iter().all(|n| *n <= 12), "step {step}: {:?}", chains.iter().max());
        }
    }
}
