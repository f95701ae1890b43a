//! The age index: dirty frames by the LSN of their first change, in buckets instead of a sorted list.
//!
//! The span of LSNs that can be dirty at once (at most the log's capacity) is cut into buckets; each is an intrusive list
//! under its own lock with an atomic count. Insert and remove are O(1); the counts are the age histogram that the flush
//! policy reads; nothing ever scans all dirty pages.
//!
//! Invariant: a frame is in the list of `bucket(oldest)` exactly while `oldest != 0`; both change under that bucket's lock.

use super::frame::{Frame, FrameNo, NONE};
use crate::ids::Lsn;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU32, Ordering};

const BUCKETS: usize = if cfg!(any(shuttle, miri)) { 8 } else { 4096 };

pub struct AgeIndex {
    /// Bytes of log per bucket; fixed, chosen so that all buckets span the greatest capacity that the log may get.
    width: u64,
    heads: Box<[Mutex<FrameNo>]>,
    counts: Box<[AtomicU32]>,
}

impl AgeIndex {
    pub fn new(span: u64) -> AgeIndex {
        AgeIndex {
            width: (span / BUCKETS as u64 + 1).max(512),
            heads: (0..BUCKETS).map(|_| Mutex::new(NONE)).collect(),
            counts: (0..BUCKETS).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    fn bucket(&self, lsn: Lsn) -> usize {
        (lsn / self.width) as usize % BUCKETS
    }

    /// Enters the frame unless it is there; the caller holds its exclusive latch. True when it was clean before.
    pub fn insert(&self, frames: &[Frame], no: FrameNo, lsn: Lsn) -> bool {
        let f = &frames[no as usize];
        if f.oldest.load(Ordering::Relaxed) != 0 {
            return false;
        }
        let b = self.bucket(lsn);
        let mut head = self.heads[b].lock();
        f.age_prev.store(NONE, Ordering::Relaxed);
        f.age_next.store(*head, Ordering::Relaxed);
        if *head != NONE {
            frames[*head as usize].age_prev.store(no, Ordering::Relaxed);
        }
        *head = no;
        f.oldest.store(lsn, Ordering::Release);
        self.counts[b].fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Takes the frame out; the caller holds its latch (shared is enough: writers need it exclusive).
    pub fn remove(&self, frames: &[Frame], no: FrameNo) -> Option<Lsn> {
        let f = &frames[no as usize];
        let lsn = f.oldest.load(Ordering::Acquire);
        if lsn == 0 {
            return None;
        }
        let b = self.bucket(lsn);
        let mut head = self.heads[b].lock();
        if f.oldest.load(Ordering::Acquire) != lsn {
            // Another flusher was faster.
            return None;
        }
        let (prev, next) = (f.age_prev.load(Ordering::Relaxed), f.age_next.load(Ordering::Relaxed));
        if prev == NONE {
            *head = next;
        } else {
            frames[prev as usize].age_next.store(next, Ordering::Relaxed);
        }
        if next != NONE {
            frames[next as usize].age_prev.store(prev, Ordering::Relaxed);
        }
        f.oldest.store(0, Ordering::Release);
        self.counts[b].fetch_sub(1, Ordering::Relaxed);
        Some(lsn)
    }

    /// Calls `f` for each frame of a bucket.
    fn each(&self, frames: &[Frame], b: usize, mut f: impl FnMut(FrameNo, Lsn)) {
        let head = self.heads[b].lock();
        let mut at = *head;
        while at != NONE {
            let fr = &frames[at as usize];
            f(at, fr.oldest.load(Ordering::Acquire));
            at = fr.age_next.load(Ordering::Relaxed);
        }
    }

    /// The oldest LSN in the index, exact for what was entered before the call. `from` is a lower bound (the checkpoint):
    /// starting there the buckets are in LSN order, because the buckets span more than the log can hold.
    pub fn oldest(&self, frames: &[Frame], from: Lsn) -> Option<Lsn> {
        let first = self.bucket(from);
        for i in 0..BUCKETS {
            let b = (first + i) % BUCKETS;
            if self.counts[b].load(Ordering::Acquire) == 0 {
                continue;
            }
            let mut min: Option<Lsn> = None;
            self.each(frames, b, |_, lsn| {
                if lsn != 0 {
                    min = Some(min.map_or(lsn, |m| m.min(lsn)));
                }
            });
            if min.is_some() {
                return min;
            }
        }
        None
    }

    /// Up to `n` dirty frames, oldest first, none younger than `limit`.
    pub fn pick(&self, frames: &[Frame], from: Lsn, n: usize, limit: Lsn, out: &mut Vec<FrameNo>) {
        let first = self.bucket(from);
        let mut found: Vec<(Lsn, FrameNo)> = Vec::new();
        for i in 0..BUCKETS {
            let b = (first + i) % BUCKETS;
            if self.counts[b].load(Ordering::Acquire) == 0 {
                continue;
            }
            let begin = found.len();
            self.each(frames, b, |no, lsn| {
                if lsn != 0 && lsn < limit {
                    found.push((lsn, no));
                }
            });
            found[begin..].sort_unstable();
            if found.len() >= n {
                break;
            }
        }
        found.truncate(n);
        out.extend(found.into_iter().map(|(_, no)| no));
    }

    /// Counts per bucket from the bucket of `from` on, and a bucket's width in bytes of log.
    pub fn histogram(&self, from: Lsn) -> (Vec<u32>, u64) {
        let first = self.bucket(from);
        let h = (0..BUCKETS)
            .map(|i| self.counts[(first + i) % BUCKETS].load(Ordering::Relaxed))
            .collect();
        (h, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_and_pick_follow_inserts_and_removes() {
        let frames: Vec<Frame> = (0..16).map(|_| Frame::new()).collect();
        let a = AgeIndex::new(1 << 20);
        for (i, lsn) in [(3u32, 9000u64), (1, 5000), (2, 700_000), (5, 5001)] {
            assert!(a.insert(&frames, i, lsn));
        }
        assert!(!a.insert(&frames, 1, 1));
        assert_eq!(a.oldest(&frames, 4096), Some(5000));
        let mut out = Vec::new();
        a.pick(&frames, 4096, 3, 100_000, &mut out);
        assert_eq!(out, vec![1, 5, 3]);
        assert_eq!(a.remove(&frames, 1), Some(5000));
        assert_eq!(a.remove(&frames, 1), None);
        assert_eq!(a.oldest(&frames, 4096), Some(5001));
        assert_eq!(a.histogram(4096).0.iter().sum::<u32>(), 3);
    }
}
