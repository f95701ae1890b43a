//! Frames that hold no page: those ready for use, and those that a smaller pool has given back.
//!
//! Invariant: a frame is in exactly one of three places - ready, retired, or in somebody's hands. Ready frames are below the
//! limit, retired ones at or above it; both lists, the limit and the published count change under one lock, so that a
//! `put` which races a change of the limit lands on the right side, and the count never disagrees with the list.

use super::frame::FrameNo;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};

pub struct FreeList {
    lists: Mutex<Lists>,
    /// `ready.len()`, stored while the lock is held; read without it.
    count: AtomicUsize,
    /// Frames below this one have been used, and so are real memory.
    touched: AtomicUsize,
}

struct Lists {
    ready: Vec<FrameNo>,
    /// By frame number.
    retired: Vec<bool>,
    limit: usize,
}

/// Where a frame that was handed back went.
#[derive(PartialEq, Eq, Debug)]
pub enum Put {
    Ready,
    /// Beyond the pool's size: its memory may be given back to the system by the caller, who still owns the frame until
    /// it calls `retire`.
    Beyond,
}

impl FreeList {
    /// All frames free, those from `limit` up to `max` retired.
    pub fn new(limit: usize, max: usize) -> FreeList {
        FreeList {
            lists: Mutex::new(Lists {
                ready: (0..limit as FrameNo).rev().collect(),
                retired: (0..max).map(|no| no >= limit).collect(),
                limit,
            }),
            count: AtomicUsize::new(limit),
            touched: AtomicUsize::new(0),
        }
    }

    /// Ready frames; may be outdated at once, never more than there were.
    pub fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// Frames that have become real memory: those of the lowest numbers, which are taken first.
    pub fn touched(&self) -> usize {
        self.touched.load(Ordering::Relaxed)
    }

    /// A ready frame and how many are left.
    pub fn take(&self) -> Option<(FrameNo, usize)> {
        let mut l = self.lists.lock();
        let no = l.ready.pop()?;
        // Written under the lock, so a step needs no more than a load and a store.
        if no as usize >= self.touched() {
            self.touched.store(no as usize + 1, Ordering::Relaxed);
        }
        self.publish(&l);
        Some((no, l.ready.len()))
    }

    pub fn put(&self, no: FrameNo) -> Put {
        let mut l = self.lists.lock();
        if no as usize >= l.limit {
            return Put::Beyond;
        }
        debug_assert!(!l.ready.contains(&no), "frame {no} freed twice");
        l.ready.push(no);
        self.publish(&l);
        Put::Ready
    }

    /// Ends the caller's ownership of a frame that `put` or `shrink` found beyond the limit. The limit may have grown since.
    /// Returns whether the frame is ready after all.
    pub fn retire(&self, no: FrameNo) -> bool {
        let mut l = self.lists.lock();
        let ready = (no as usize) < l.limit;
        if ready {
            l.ready.push(no);
        } else {
            l.retired[no as usize] = true;
        }
        self.publish(&l);
        ready
    }

    /// Raises the limit; retired frames below it are ready again. Returns how many.
    pub fn grow(&self, limit: usize) -> usize {
        let mut l = self.lists.lock();
        assert!(limit >= l.limit);
        let mut back = 0;
        // The lowest one is to be taken first.
        for no in (l.limit..limit).rev() {
            // Not retired: still with the side that shrinks, whose `retire` will see the new limit.
            if std::mem::take(&mut l.retired[no]) {
                l.ready.push(no as FrameNo);
                back += 1;
            }
        }
        l.limit = limit;
        self.publish(&l);
        back
    }

    /// Lowers the limit. The ready frames beyond it come out, owned by the caller, who passes each to `retire`.
    pub fn shrink(&self, limit: usize) -> Vec<FrameNo> {
        let mut l = self.lists.lock();
        assert!(limit <= l.limit);
        l.limit = limit;
        self.touched.fetch_min(limit, Ordering::Relaxed);
        let (ready, beyond): (Vec<_>, Vec<_>) =
            l.ready.drain(..).partition(|no| (*no as usize) < limit);
        l.ready = ready;
        self.publish(&l);
        beyond
    }

    pub fn is_retired(&self, no: FrameNo) -> bool {
        self.lists.lock().retired[no as usize]
    }

    fn publish(&self, l: &Lists) {
        self.count.store(l.ready.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_is_in_one_place() {
        let f = FreeList::new(4, 8);
        let held: Vec<_> = (0..3).map(|_| f.take().expect("four are ready").0).collect();
        assert_eq!(held, [0, 1, 2]);
        assert_eq!(f.touched(), 3);
        assert_eq!(f.shrink(2), [3]);
        assert_eq!(f.touched(), 2);
        assert_eq!(f.len(), 0);
        assert_eq!(f.put(2), Put::Beyond);
        assert!(!f.retire(2));
        // Frame 3 is still with the shrinking side when the pool grows: it must come back once, not twice.
        assert_eq!(f.grow(8), 5);
        assert!(f.retire(3));
        assert_eq!(f.put(0), Put::Ready);
        assert_eq!(f.put(1), Put::Ready);
        let mut all: Vec<_> = std::iter::from_fn(|| f.take().map(|t| t.0)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<_>>());
        assert!((0..8).all(|no| !f.is_retired(no)));
    }

    /// The count is read without the lock, so it must be changed under it: popped before it was counted, a frame once took
    /// the count below zero.
    #[test]
    fn the_count_follows_the_list_under_contention() {
        let f = FreeList::new(2, 2);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..if cfg!(miri) { 50 } else { 20_000 } {
                        if let Some((no, left)) = f.take() {
                            assert!(left < 2);
                            assert!(f.len() <= 2);
                            f.put(no);
                        }
                    }
                });
            }
        });
        assert_eq!(f.len(), 2);
    }
}
