//! Models of the pool's small parts: latch and its queue, free list, page table, age index. See `crate::model`.

use super::age::AgeIndex;
use super::frame::{Frame, NONE};
use super::free::{FreeList, Put};
use super::latch::{Latch, LatchMode, LatchQueue};
use super::table::PageTable;
use crate::ids::PageId;
use crate::model::{block_on, explore, join, spawn};
use crate::planted::{self, Bug};
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;

struct Latched {
    latch: Latch,
    queue: LatchQueue,
    /// Shared holders, or -1 for the exclusive one.
    inside: AtomicU32,
}

impl Latched {
    async fn visit(&self, mode: LatchMode) {
        while !self.latch.try_lock(mode) {
            self.queue.wait(&self.latch, 0, mode).await;
        }
        let add = if mode == LatchMode::X { 100 } else { 1 };
        let before = self.inside.fetch_add(add, Ordering::Relaxed);
        match mode {
            LatchMode::X => assert_eq!(before, 0),
            LatchMode::S => assert!(before < 100),
        }
        self.inside.fetch_sub(add, Ordering::Relaxed);
        if self.latch.unlock(mode) && !planted::is(Bug::LatchNotWoken) {
            self.queue.wake(&self.latch, 0);
        }
    }
}

#[test]
fn latches_exclude_and_wake() {
    use LatchMode::{S, X};
    for modes in [[X, X, X], [X, S, S], [X, X, S]] {
        explore(500, move || {
            let l = Arc::new(Latched {
                latch: Latch::default(),
                queue: LatchQueue::new(),
                inside: AtomicU32::new(0),
            });
            join(modes.map(|mode| {
                let l = l.clone();
                spawn(move || {
                    block_on(l.visit(mode));
                    block_on(l.visit(mode));
                })
            }));
        });
    }
}

#[test]
fn a_latch_wait_that_ends_early_harms_nobody() {
    explore(500, || {
        let l = Arc::new(Latched {
            latch: Latch::default(),
            queue: LatchQueue::new(),
            inside: AtomicU32::new(0),
        });
        let (a, b, c) = (l.clone(), l.clone(), l);
        join([
            spawn(move || block_on(a.visit(LatchMode::X))),
            spawn(move || block_on(b.visit(LatchMode::X))),
            spawn(move || {
                // Polled once and given up, as by a timeout.
                let mut w = std::pin::pin!(c.queue.wait(&c.latch, 0, LatchMode::S));
                let waker = std::task::Waker::noop();
                let _ = w.as_mut().poll(&mut std::task::Context::from_waker(waker));
            }),
        ]);
    });
}

use std::future::Future;

/// Users take and put while the pool shrinks and grows: at the end every frame is in one place.
#[test]
fn free_frames_survive_resizing() {
    explore(500, || {
        let f = Arc::new(FreeList::new(3, 4));
        let users = [(); 2].map(|()| {
            let f = f.clone();
            spawn(move || {
                for _ in 0..2 {
                    if let Some((no, _)) = f.take()
                        && f.put(no) == Put::Beyond
                    {
                        f.retire(no);
                    }
                }
            })
        });
        for no in f.shrink(1) {
            f.retire(no);
        }
        f.grow(4);
        join(users);
        let mut all: Vec<_> = std::iter::from_fn(|| f.take().map(|t| t.0)).collect();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
        assert_eq!(f.len(), 0);
    });
}

/// One moves a frame from page to page in the chains; another looks a page up that stays where it is, and pins it.
#[test]
fn a_resident_page_is_always_found() {
    explore(500, || {
        let frames: Arc<Vec<Frame>> = Arc::new((0..3).map(|_| Frame::new()).collect());
        let t = Arc::new(PageTable::new(3).unwrap());
        let page = |n| PageId::new(9, n);
        t.insert(&frames, page(1), 0).unwrap();
        t.insert(&frames, page(2), 1).unwrap();
        let (t2, f2) = (t.clone(), frames.clone());
        let mover = spawn(move || {
            for n in 3..6 {
                if t2.insert(&f2, page(n), 2).is_ok() {
                    f2[2].set_resident();
                    assert!(t2.remove_if(&f2, page(n), 2, || true));
                    f2[2].clear();
                }
            }
        });
        for _ in 0..2 {
            assert_eq!(t.find(&frames, page(1)), Some(0));
            t.with(&frames, page(2), |no| assert_eq!(no, Some(1)));
        }
        join([mover]);
        assert_eq!(t.find(&frames, page(5)), None);
    });
}

/// Eviction looks at the pins under the shard's lock, where pins are taken: never both succeed.
#[test]
fn a_page_is_pinned_or_evicted() {
    explore(500, || {
        let frames: Arc<Vec<Frame>> = Arc::new(vec![Frame::new()]);
        let t = Arc::new(PageTable::new(1).unwrap());
        let id = PageId::new(1, 1);
        t.insert(&frames, id, 0).unwrap();
        let (t2, f2) = (t.clone(), frames.clone());
        let pinner = spawn(move || {
            t2.with(&f2, id, |no| no.map(|_| f2[0].pins.fetch_add(1, Ordering::AcqRel)).is_some())
        });
        let free =
            || frames[0].pins.load(Ordering::Acquire) == 0 || planted::is(Bug::PinnedPageEvicted);
        let gone = t.remove_if(&frames, id, 0, free);
        assert_ne!(gone, pinner.join().unwrap());
    });
}

/// The index tells an oldest LSN that is not above that of any frame entered before, whatever flushers take out.
#[test]
fn the_oldest_page_is_told() {
    explore(500, || {
        let frames: Arc<Vec<Frame>> = Arc::new((0..3).map(|_| Frame::new()).collect());
        let a = Arc::new(AgeIndex::new(8 * 512));
        let entered = Arc::new(AtomicU64::new(u64::MAX));
        a.insert(&frames, 0, 600);
        let (a2, f2, e2) = (a.clone(), frames.clone(), entered.clone());
        let writer = spawn(move || {
            a2.insert(&f2, 1, 700);
            e2.store(700, Ordering::Release);
            a2.insert(&f2, 2, 1500);
        });
        let (a3, f3) = (a.clone(), frames.clone());
        let flusher = spawn(move || assert_eq!(a3.remove(&f3, 0), Some(600)));
        let must = entered.load(Ordering::Acquire);
        let told = a.oldest(&frames, 512);
        assert!(must == u64::MAX || told.is_some_and(|o| o <= must), "{told:?} of {must}");
        join([writer, flusher]);
        assert_eq!(a.oldest(&frames, 512), Some(700));
        assert_eq!(frames[0].chain.load(Ordering::Relaxed), NONE);
    });
}
