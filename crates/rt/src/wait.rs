//! Wait primitives for any executor: a mutex around waiters and their wakers, nothing lost, nothing leaked.
//!
//! Invariants: a waiter is registered before the condition is looked at for the last time, under the same mutex under
//! which it is changed; a dropped waiter takes its registration along and passes on a wake-up that was meant for one.

use crate::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};
use crate::sync::{Mutex, lock};
use std::cell::UnsafeCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

enum Entry {
    /// Registered; the waker comes with the first poll.
    Waiting(Option<Waker>),
    Woken,
}

#[derive(Default)]
struct Queue {
    next: u64,
    order: VecDeque<u64>,
    entries: BTreeMap<u64, Entry>,
}

/// First come, first woken. `wait` registers at once, so that a condition may be checked between `wait` and `await`.
#[derive(Default)]
pub struct WaitQueue {
    q: Mutex<Queue>,
    len: AtomicUsize,
}

impl WaitQueue {
    pub fn new() -> WaitQueue {
        WaitQueue::default()
    }

    pub fn wait(&self) -> Wait<'_> {
        let mut q = lock(&self.q);
        let id = q.next;
        q.next += 1;
        q.order.push_back(id);
        q.entries.insert(id, Entry::Waiting(None));
        self.len.store(q.order.len(), Ordering::Release);
        drop(q);
        // Pairs with `idle`: either that one sees this waiter, or this waiter sees what was stored before it.
        fence(Ordering::SeqCst);
        Wait { queue: self, id, done: false }
    }

    /// Wakes the first waiter; false when there is none.
    pub fn wake_one(&self) -> bool {
        let mut q = lock(&self.q);
        let Some(id) = q.order.pop_front() else { return false };
        self.len.store(q.order.len(), Ordering::Release);
        let old = q.entries.insert(id, Entry::Woken);
        drop(q);
        if let Some(Entry::Waiting(Some(w))) = old {
            w.wake();
        }
        true
    }

    /// Wakes all that are registered. Takes the lock even when the queue looks empty: the caller has just stored what the
    /// waiters look for, and only the lock orders that store before the look at the queue. (Without it, the store can
    /// still be in the processor's buffer when a waiter registers and looks for the last time: a lost wake-up, seen once
    /// as a reader that never heard of the end of a page's read.)
    pub fn wake_all(&self) {
        let mut q = lock(&self.q);
        let order = std::mem::take(&mut q.order);
        self.len.store(0, Ordering::Release);
        let mut wakers = Vec::new();
        for id in order {
            if let Some(Entry::Waiting(Some(w))) = q.entries.insert(id, Entry::Woken) {
                wakers.push(w);
            }
        }
        drop(q);
        for w in wakers {
            w.wake();
        }
    }

    /// True when nobody need be woken after a change that was stored before this call: a waiter that is not seen here will
    /// see the change. A full fence, and no lock.
    pub fn idle(&self) -> bool {
        fence(Ordering::SeqCst);
        self.len.load(Ordering::Relaxed) == 0
    }

    /// Waiters not yet woken; outdated at once, so good for statistics and never to decide that nobody need be woken.
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

pub struct Wait<'a> {
    queue: &'a WaitQueue,
    id: u64,
    done: bool,
}

impl Future for Wait<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut q = lock(&self.queue.q);
        let id = self.id;
        match q.entries.get_mut(&id) {
            Some(Entry::Waiting(w)) => {
                *w = Some(cx.waker().clone());
                Poll::Pending
            }
            _ => {
                q.entries.remove(&id);
                drop(q);
                self.done = true;
                Poll::Ready(())
            }
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let mut q = lock(&self.queue.q);
        let was = q.entries.remove(&self.id);
        if let Some(i) = q.order.iter().position(|x| *x == self.id) {
            q.order.remove(i);
            self.queue.len.store(q.order.len(), Ordering::Release);
        }
        drop(q);
        if matches!(was, Some(Entry::Woken)) {
            self.queue.wake_one();
        }
    }
}

/// A flag that can be waited for; stays set.
#[derive(Default)]
pub struct Event {
    set: AtomicBool,
    queue: WaitQueue,
}

impl Event {
    pub fn new() -> Event {
        Event::default()
    }

    pub fn set(&self) {
        self.set.store(true, Ordering::Release);
        self.queue.wake_all();
    }

    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Acquire)
    }

    pub fn reset(&self) {
        self.set.store(false, Ordering::Release);
    }

    pub async fn wait(&self) {
        while !self.is_set() {
            let w = self.queue.wait();
            if self.is_set() {
                return;
            }
            w.await;
        }
    }
}

/// A hint for one listener: kept until it is taken.
#[derive(Default)]
pub struct Notify {
    permit: AtomicBool,
    queue: WaitQueue,
}

impl Notify {
    pub fn new() -> Notify {
        Notify::default()
    }

    pub fn notify_one(&self) {
        // Who finds the permit set already may skip the lock: a waiter that registered and then failed to take the permit
        // did so before it was set, and anyone who set it takes the lock after that and finds the waiter.
        if !self.permit.swap(true, Ordering::AcqRel) || !self.queue.idle() {
            self.queue.wake_one();
        }
    }

    pub fn notify_all(&self) {
        self.permit.store(true, Ordering::Release);
        self.queue.wake_all();
    }

    pub async fn notified(&self) {
        while !self.permit.swap(false, Ordering::AcqRel) {
            let w = self.queue.wait();
            if self.permit.swap(false, Ordering::AcqRel) {
                return;
            }
            w.await;
        }
    }
}

/// A counter that only grows, and can be waited for to pass a value.
pub struct SeqWait {
    value: AtomicU64,
    waiters: Mutex<BTreeMap<(u64, u64), Waker>>,
    ids: AtomicU64,
}

impl SeqWait {
    pub fn new(v: u64) -> SeqWait {
        SeqWait {
            value: AtomicU64::new(v),
            waiters: Mutex::new(BTreeMap::new()),
            ids: AtomicU64::new(0),
        }
    }

    pub fn get(&self) -> u64 {
        self.value.load(Ordering::Acquire)
    }

    pub fn advance(&self, to: u64) {
        self.value.fetch_max(to, Ordering::AcqRel);
        let mut due = Vec::new();
        {
            let mut w = lock(&self.waiters);
            let now = self.get();
            while let Some((&k, _)) = w.first_key_value() {
                if k.0 > now {
                    break;
                }
                due.extend(w.remove(&k));
            }
        }
        for w in due {
            w.wake();
        }
    }

    /// Resolves when the counter is at or above `v`.
    pub async fn wait_for(&self, v: u64) {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let _off = SeqOff { seq: self, key: (v, id) };
        std::future::poll_fn(|cx| {
            if self.get() >= v {
                return Poll::Ready(());
            }
            let mut w = lock(&self.waiters);
            if self.get() >= v {
                return Poll::Ready(());
            }
            w.insert((v, id), cx.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

struct SeqOff<'a> {
    seq: &'a SeqWait,
    key: (u64, u64),
}

impl Drop for SeqOff<'_> {
    fn drop(&mut self) {
        lock(&self.seq.waiters).remove(&self.key);
    }
}

/// A fair mutex whose guard may live across waits.
///
/// The one unsafe type of this crate. Contract: `value` is touched only through the guard, and `held` (changed under the
/// queue's discipline by compare-and-swap) allows one guard at a time.
pub struct AsyncMutex<T> {
    held: AtomicBool,
    queue: WaitQueue,
    value: UnsafeCell<T>,
}

// SAFETY: the value moves between threads only with the guard, one at a time.
unsafe impl<T: Send> Send for AsyncMutex<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for AsyncMutex<T> {}

impl<T> AsyncMutex<T> {
    pub fn new(v: T) -> AsyncMutex<T> {
        AsyncMutex {
            held: AtomicBool::new(false),
            queue: WaitQueue::new(),
            value: UnsafeCell::new(v),
        }
    }

    fn try_take(&self) -> bool {
        self.held.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Without waiting.
    pub fn try_lock(&self) -> Option<AsyncMutexGuard<'_, T>> {
        self.try_take().then(|| AsyncMutexGuard { m: self })
    }

    pub async fn lock(&self) -> AsyncMutexGuard<'_, T> {
        loop {
            if self.try_take() {
                return AsyncMutexGuard { m: self };
            }
            let w = self.queue.wait();
            if self.try_take() {
                return AsyncMutexGuard { m: self };
            }
            w.await;
        }
    }
}

pub struct AsyncMutexGuard<'a, T> {
    m: &'a AsyncMutex<T>,
}

impl<T> Deref for AsyncMutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: this guard is the only one.
        unsafe { &*self.m.value.get() }
    }
}

impl<T> DerefMut for AsyncMutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this guard is the only one.
        unsafe { &mut *self.m.value.get() }
    }
}

impl<T> Drop for AsyncMutexGuard<'_, T> {
    fn drop(&mut self) {
        self.m.held.store(false, Ordering::Release);
        self.m.queue.wake_one();
    }
}

/// The kill switch of a session: a kind (0 = go on) that long waits look at.
#[derive(Default)]
pub struct Interrupt {
    kind: AtomicU8,
    queue: WaitQueue,
    /// The time, even, since when the session keeps something that may become too old; 0: it keeps nothing. With [`OVER`] it is too old.
    keeps: AtomicU64,
    /// What its owner says of what is kept.
    marks: [AtomicU64; 2],
}

/// What the session keeps is to be given up.
const OVER: u64 = 1;

impl Interrupt {
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    pub fn kill(&self, kind: u8) {
        self.kind.fetch_max(kind, Ordering::AcqRel);
        self.queue.wake_all();
    }

    pub fn killed(&self) -> u8 {
        self.kind.load(Ordering::Relaxed)
    }

    pub fn clear(&self) {
        self.kind.store(0, Ordering::Release);
    }

    /// Forgets a throw of this kind. A stronger one that came behind it stays.
    pub fn take_back(&self, kind: u8) {
        let _ = self.kind.compare_exchange(kind, 0, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Its owner keeps something from now on that others may find too old.
    #[inline]
    pub fn keeps_since(&self, now: u64, marks: [u64; 2]) {
        for (to, mark) in self.marks.iter().zip(marks) {
            to.store(mark, Ordering::Relaxed);
        }
        self.keeps.store((now & !OVER).max(2), Ordering::Relaxed);
    }

    #[inline]
    pub fn keeps_nothing(&self) {
        self.keeps.store(0, Ordering::Relaxed);
    }

    /// Since when something is kept, and what its owner says of it. For reports: where that changes meanwhile, the two may be of different things.
    pub fn kept(&self) -> Option<(u64, [u64; 2])> {
        let since = self.kept_since()?;
        Some((since, [0, 1].map(|n| self.marks[n].load(Ordering::Relaxed))))
    }

    /// Since when something is kept.
    pub fn kept_since(&self) -> Option<u64> {
        match self.keeps.load(Ordering::Relaxed) & !OVER {
            0 => None,
            at => Some(at),
        }
    }

    /// What is kept is to be given up.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.keeps.load(Ordering::Relaxed) & OVER != 0
    }

    /// What has been kept since `at` is over, and the switch is thrown. False: it is not kept any more, or is over already.
    pub fn end_kept(&self, at: u64, kind: u8) -> bool {
        if at == 0 {
            return false;
        }
        let over = at | OVER;
        let ended = self.keeps.compare_exchange(at, over, Ordering::AcqRel, Ordering::Relaxed);
        if ended.is_err() {
            return false;
        }
        self.kill(kind);
        // Given up meanwhile: whatever runs now has nothing to do with it.
        if self.keeps.load(Ordering::Acquire) != over {
            self.take_back(kind);
        }
        true
    }

    pub async fn wait(&self) {
        while self.killed() == 0 {
            let w = self.queue.wait();
            if self.killed() != 0 {
                return;
            }
            w.await;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Killed;

/// Runs `f` unless the switch is thrown first.
pub async fn or_killed<F: Future>(i: &Interrupt, f: F) -> Result<F::Output, Killed> {
    let mut f = std::pin::pin!(f);
    let mut stop = std::pin::pin!(i.wait());
    std::future::poll_fn(move |cx| {
        if let Poll::Ready(v) = f.as_mut().poll(cx) {
            return Poll::Ready(Ok(v));
        }
        stop.as_mut().poll(cx).map(|()| Err(Killed))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimRt;
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn what_is_kept_is_ended_once_and_only_if_it_is_kept_still() {
        let i = Interrupt::new();
        assert!(i.kept_since().is_none() && !i.is_over() && !i.end_kept(0, 1));
        i.keeps_since(1, [0; 2]);
        assert_eq!(i.kept_since(), Some(2));
        i.keeps_since(71, [5, 6]);
        assert_eq!(i.kept(), Some((70, [5, 6])));
        assert!(!i.end_kept(2, 1) && i.killed() == 0);
        assert!(i.end_kept(70, 1) && i.is_over() && i.killed() == 1);
        assert!(!i.end_kept(70, 1), "once");
        i.keeps_nothing();
        assert!(!i.is_over());
    }

    /// Two threads and nothing between them but the event: a waiter registers while it is being set.
    #[test]
    fn an_event_set_during_registration_wakes() {
        use crate::Rt;
        let rt = Rt::real();
        let rounds = if cfg!(miri) { 20 } else { 20_000 };
        let events: Vec<Event> = (0..rounds).map(|_| Event::new()).collect();
        let at = AtomicUsize::new(0);
        std::thread::scope(|s| {
            s.spawn(|| {
                for (i, e) in events.iter().enumerate() {
                    while at.load(Ordering::Acquire) < i {
                        std::hint::spin_loop();
                    }
                    e.set();
                }
            });
            for (i, e) in events.iter().enumerate() {
                at.store(i, Ordering::Release);
                rt.block_on(e.wait());
            }
        });
    }

    #[test]
    fn no_wake_is_lost_over_many_schedules() {
        for seed in 0..if cfg!(miri) { 5 } else { 300 } {
            let sim = SimRt::new(seed);
            let rt = sim.rt();
            let seq = Arc::new(SeqWait::new(0));
            let m = Arc::new(AsyncMutex::new(0u64));
            let n = Arc::new(Notify::new());
            let done = Arc::new(AtomicU64::new(0));
            let mut hs = Vec::new();
            for i in 0..8u64 {
                let (seq, m, n, done, rt2) =
                    (seq.clone(), m.clone(), n.clone(), done.clone(), rt.clone());
                hs.push(rt.spawn("w", async move {
                    if i % 3 == 0 {
                        rt2.sleep(Duration::from_nanos(i * 10)).await;
                    }
                    seq.wait_for(i * 2).await;
                    {
                        let mut g = m.lock().await;
                        let v = *g;
                        crate::yield_now().await;
                        *g = v + 1;
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                    n.notify_one();
                }));
            }
            let r = sim.run(async {
                for v in 0..20 {
                    seq.advance(v);
                    crate::yield_now().await;
                }
                while done.load(Ordering::Relaxed) < 8 {
                    n.notified().await;
                }
                for h in hs {
                    h.await;
                }
                *m.lock().await
            });
            assert_eq!(r.map_err(|s| format!("seed {seed}: {s:?}")), Ok(8));
        }
    }

    #[test]
    fn a_dropped_waiter_passes_its_wake_on() {
        let q = WaitQueue::new();
        let a = q.wait();
        let b = q.wait();
        assert!(q.wake_one());
        drop(a);
        let sim = SimRt::new(1);
        assert_eq!(sim.run(b).map_err(|_| ()), Ok(()));
    }
}
