//! Models of the wait primitives: small programs of two or three threads, run under every schedule that the checker finds.
//! shuttle takes many random ones, loom all of them, with the reorderings that the memory model allows.
//! A lost wake-up shows as a deadlock, which both report with the schedule that leads to it.

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::{AsyncMutex, Event, Notify, SeqWait, WaitQueue};
use std::sync::Arc;

#[cfg(loom)]
use loom::{future::block_on, thread};
#[cfg(shuttle)]
use shuttle::{future::block_on, thread};

#[cfg(shuttle)]
fn explore(f: impl Fn() + Send + Sync + 'static) {
    let f = Arc::new(f);
    let g = f.clone();
    shuttle::check_random(move || f(), 1000);
    shuttle::check_pct(move || g(), 1000, 3);
}

#[cfg(loom)]
fn explore(f: impl Fn() + Send + Sync + 'static) {
    let mut b = loom::model::Builder::new();
    b.preemption_bound = Some(3);
    b.check(f);
}

#[test]
fn an_event_set_meanwhile_is_heard() {
    explore(|| {
        let e = Arc::new(Event::new());
        let e2 = e.clone();
        let t = thread::spawn(move || e2.set());
        block_on(e.wait());
        t.join().unwrap();
    });
}

/// `idle` saves the lock of `wake_all`; its fence and that of `wait` see to it that one side sees the other.
#[test]
fn who_finds_nobody_waiting_was_seen() {
    explore(|| {
        let q = Arc::new((WaitQueue::new(), AtomicBool::new(false)));
        let q2 = q.clone();
        let t = thread::spawn(move || {
            q2.1.store(true, Ordering::Relaxed);
            if !q2.0.idle() {
                q2.0.wake_all();
            }
        });
        block_on(async {
            loop {
                let w = q.0.wait();
                if q.1.load(Ordering::Relaxed) {
                    return;
                }
                w.await;
            }
        });
        t.join().unwrap();
    });
}

#[test]
fn a_notice_is_kept_until_it_is_taken() {
    explore(|| {
        let n = Arc::new((Notify::new(), AtomicUsize::new(0)));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let n = n.clone();
                thread::spawn(move || {
                    n.1.fetch_add(1, Ordering::Relaxed);
                    n.0.notify_one();
                })
            })
            .collect();
        block_on(async {
            while n.1.load(Ordering::Relaxed) < 2 {
                n.0.notified().await;
            }
        });
        for t in threads {
            t.join().unwrap();
        }
    });
}

#[test]
fn a_counter_that_passes_is_heard() {
    explore(|| {
        let s = Arc::new(SeqWait::new(0));
        let s2 = s.clone();
        let s3 = s.clone();
        let a = thread::spawn(move || {
            s2.advance(1);
            s2.advance(3);
        });
        let b = thread::spawn(move || block_on(s3.wait_for(1)));
        block_on(s.wait_for(2));
        assert!(s.get() >= 2);
        a.join().unwrap();
        b.join().unwrap();
    });
}

#[test]
fn the_mutex_has_one_holder() {
    explore(|| {
        let m = Arc::new(AsyncMutex::new(0));
        let add = |m: Arc<AsyncMutex<u32>>| async move {
            let mut g = m.lock().await;
            let seen = *g;
            thread::yield_now();
            *g = seen + 1;
        };
        let m2 = m.clone();
        let t = thread::spawn(move || block_on(add(m2)));
        block_on(add(m.clone()));
        t.join().unwrap();
        assert_eq!(block_on(async { *m.lock().await }), 2);
    });
}

/// The first in the queue gives up while it is woken: the wake-up goes to the second.
#[test]
fn a_wake_for_one_who_left_goes_on() {
    explore(|| {
        let q = Arc::new(WaitQueue::new());
        let (q1, q2, q3) = (q.clone(), q.clone(), AtomicUsize::new(0));
        // Both are in the queue before the other threads begin, in this order.
        let second = {
            let first = Box::new(q.wait());
            let second = q.wait();
            let woken = thread::spawn(move || q1.wake_one());
            drop(first);
            q3.store(usize::from(woken.join().unwrap()), Ordering::Relaxed);
            second
        };
        assert_eq!(q3.load(Ordering::Relaxed), 1);
        block_on(second);
        assert!(q2.is_empty());
    });
}
