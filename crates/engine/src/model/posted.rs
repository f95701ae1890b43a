//! Models of pages that are posted: who takes them, where they stand on their way, what a checkpoint may pass.

use super::{START, Small, block_on, explore, join, oldest, spawn, thread};
use crate::flush::checkpoint::{checkpoint, reachable};
use crate::log::Reach;
use crate::policy::{Batch, Cause, LeftOut, Mechanism};
use crate::pool::LruBatch;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Waker};

/// A small world in which batches post their pages, which are latched on their way or copied.
async fn posting_pages(latched: bool) -> Arc<Small> {
    let s = Small::new(8).await;
    let left_out = if latched { LeftOut::default() } else { LeftOut::WRITTEN_LATCHED };
    s.core.pool.run_on(&Mechanism::simulated(1, 256).without(left_out));
    s.core.pool.open_posting();
    s
}

/// The same with latched ones.
async fn posting() -> Arc<Small> {
    posting_pages(true).await
}

impl Small {
    /// What the writer task does, until nothing is posted.
    async fn carry_out(&self) {
        while let Some(request) = self.core.pool.next_request() {
            self.core.pool.carry_out(&self.core.log, request).await.unwrap();
        }
    }

    /// Nothing is on its way, and nothing holds a checkpoint back.
    async fn assert_clean(&self) {
        let pool = &self.core.pool;
        assert!(!pool.list_running() && !pool.lru_running());
        assert_eq!((pool.pages_in_flight(), pool.dirty_pages()), (0, 0));
        pool.sync_posted(&self.core.log).await.unwrap();
        assert_eq!(pool.oldest_at_risk(START), None);
    }
}

/// A batch of each kind meets at one dirty page, both posted or one of them waited for, while it is changed again and a third batch takes
/// that: one image is made of each change, its last goes home, and nothing stays behind that would hold back checkpoints for ever. Anyone who
/// changes a page that is latched on its way goes on when it is home.
#[test]
fn a_page_has_one_flusher() {
    for (cause, latched) in [
        (Cause::UserFree, false),
        (Cause::Rescue, false),
        (Cause::UserFree, true),
        (Cause::Rescue, true),
    ] {
        explore(400, move || {
            let s = block_on(posting_pages(latched));
            let changed = Arc::new(AtomicBool::new(false));
            let seen = changed.clone();
            block_on(s.bump(2));
            let (list, lru, device, third) = (s.clone(), s.clone(), s.clone(), s.clone());
            let all = [
                spawn(move || {
                    let c = &list.core;
                    block_on(c.pool.list_batch(&c.log, &oldest(1))).unwrap();
                }),
                spawn(move || {
                    let c = &lru.core;
                    let b = LruBatch::simple(0, 1, cause);
                    block_on(c.pool.lru_batch(&c.log, &b)).unwrap();
                }),
                // There is a writer as long as somebody may wait for it.
                spawn(move || {
                    block_on(device.carry_out());
                    while latched && !seen.load(Ordering::Acquire) {
                        thread::yield_now();
                        block_on(device.carry_out());
                    }
                }),
                spawn(move || {
                    block_on(async {
                        let c = &third.core;
                        third.bump(2).await;
                        changed.store(true, Ordering::Release);
                        c.pool.list_batch(&c.log, &oldest(1)).await.unwrap();
                    });
                }),
            ];
            join(all);
            block_on(s.carry_out());
            // What came behind all batches is dirty still.
            block_on(s.core.pool.flush_all(&s.core.log)).unwrap();
            block_on(s.assert_clean());
            assert_eq!(s.home(2).1, 2);
        });
    }
}

/// As `a_checkpoint_passes_no_change`, where pages are posted and synced by somebody else.
#[test]
fn a_checkpoint_passes_nothing_posted() {
    explore(400, || {
        let s = block_on(posting());
        let end = block_on(s.bump(2));
        let (f, y) = (s.clone(), s.clone());
        let flusher = spawn(move || {
            block_on(async {
                f.core.pool.list_batch(&f.core.log, &oldest(1)).await.unwrap();
                f.carry_out().await;
            });
        });
        let syncer = spawn(move || block_on(y.core.pool.sync_posted(&y.core.log)).unwrap());
        // More often than the others yield on their way: after each of their steps there is a look.
        for _ in 0..12 {
            let candidate = reachable(&s.core);
            let home = s.home(2).0;
            assert!(candidate < end || end <= home, "{candidate} passes {end}, home is {home}");
            thread::yield_now();
        }
        join([flusher, syncer]);
        block_on(s.assert_clean());
    });
}

/// Two dirty pages, and a batch of them that is dropped after its first poll, while another thread syncs the log. True: it had not ended.
fn given_up(cause: Cause) -> (Arc<Small>, bool) {
    let s = block_on(posting());
    let end = block_on(async {
        s.bump(2).await;
        s.bump(3).await;
        s.bump(4).await
    });
    let w = s.clone();
    let writer = spawn(move || {
        // Where the log has ended, it fails.
        let _ = block_on(w.core.log.flush_to(end, Reach::Durable));
    });
    let ended = {
        let batch = Batch { cause, ..oldest(2) };
        let mut all = pin!(s.core.pool.list_batch(&s.core.log, &batch));
        let waker = Waker::noop();
        all.as_mut().poll(&mut Context::from_waker(waker)).is_ready()
    };
    join([writer]);
    (s, !ended)
}

/// Runs the model and sees to it that in some schedule the batch was given up.
fn explore_given_up(model: fn() -> bool) {
    let pending = Arc::new(AtomicUsize::new(0));
    let seen = pending.clone();
    explore(400, move || {
        seen.fetch_add(usize::from(model()), Ordering::Relaxed);
    });
    // Miri runs a model once.
    assert!(cfg!(miri) || pending.load(Ordering::Relaxed) > 0, "no batch was dropped half-way");
}

/// A batch is dropped while it waits for the log: what it has taken is posted, and what it has not taken is dirty still.
#[test]
fn a_batch_given_up_half_way_loses_nothing() {
    explore_given_up(|| {
        let (s, given_up) = given_up(Cause::Age);
        block_on(s.carry_out());
        assert!(!s.core.pool.list_running() && s.core.pool.pages_in_flight() == 0, "{given_up}");
        block_on(s.core.pool.flush_all(&s.core.log)).unwrap();
        block_on(s.assert_clean());
        assert_eq!([2, 3, 4].map(|no| s.home(no).1), [1, 1, 1]);
        given_up
    });
}

/// The same with a batch that is waited for, which nobody may drop: then the log ends, no checkpoint passes what the batch had, and
/// nobody writes pages or waits for them for ever.
#[test]
fn a_waited_batch_given_up_ends_the_log() {
    explore_given_up(|| {
        let (s, given_up) = given_up(Cause::Rescue);
        let (pool, log) = (&s.core.pool, &s.core.log);
        if !given_up {
            block_on(pool.flush_all(log)).unwrap();
            block_on(s.assert_clean());
            return false;
        }
        assert!(log.failure().is_err());
        let first = pool.oldest_at_risk(START).expect("the batch has it");
        assert!(
            block_on(pool.list_batch(log, &Batch { cause: Cause::Rescue, ..oldest(4) })).is_err()
        );
        assert!(block_on(checkpoint(&s.core)).is_err());
        assert!(block_on(pool.flush_all(log)).is_err());
        assert_eq!(pool.oldest_at_risk(START), Some(first));
        assert!(reachable(&s.core) <= first && log.checkpoint() <= first);
        assert_eq!(s.home(4).1, 0, "nothing was written since");
        true
    });
}
