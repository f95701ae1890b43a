//! The page latch: one word, only ever tried.
//!
//! Word: version (bits 24-63, bumped at every exclusive release) | waiters (bit 17) | exclusive (bit 16) | shared count.
//! A waiter registers under its queue shard's lock and looks again after setting the waiters bit; a release that sees the
//! bit takes the same lock to wake. So either the waiter sees the release or the release sees the waiter.

use super::frame::FrameNo;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LatchMode {
    S,
    X,
}

const SHARED: u64 = 0xFFFF;
const EXCLUSIVE: u64 = 1 << 16;
const WAITERS: u64 = 1 << 17;
const VERSION: u64 = 1 << 24;
/// Tries before an attempt gives up: a page is latched for a microsecond or two, a thread switch costs more.
const SPINS: u32 = if cfg!(any(shuttle, miri)) { 1 } else { 60 };

#[derive(Default)]
pub struct Latch(AtomicU64);

impl Latch {
    pub fn try_lock(&self, mode: LatchMode) -> bool {
        let mut w = self.0.load(Ordering::Relaxed);
        loop {
            let next = match mode {
                LatchMode::S if w & EXCLUSIVE == 0 && w & SHARED < SHARED => w + 1,
                LatchMode::X if w & (EXCLUSIVE | SHARED) == 0 => w | EXCLUSIVE,
                _ => return false,
            };
            match self.0.compare_exchange_weak(w, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => w = now,
            }
        }
    }

    pub fn try_spin(&self, mode: LatchMode) -> bool {
        if self.try_lock(mode) {
            return true;
        }
        for _ in 0..SPINS {
            std::hint::spin_loop();
            if self.try_lock(mode) {
                return true;
            }
        }
        false
    }

    /// Releases; true when waiters must be woken.
    pub fn unlock(&self, mode: LatchMode) -> bool {
        let old = match mode {
            LatchMode::S => self.0.fetch_sub(1, Ordering::Release),
            // The exclusive bit goes and the version grows in one step.
            LatchMode::X => self.0.fetch_add(VERSION - EXCLUSIVE, Ordering::Release),
        };
        match mode {
            LatchMode::S => debug_assert!(old & SHARED > 0),
            LatchMode::X => debug_assert!(old & EXCLUSIVE != 0),
        }
        old & WAITERS != 0 && (mode == LatchMode::X || old & SHARED == 1)
    }

    pub fn version(&self) -> u64 {
        self.0.load(Ordering::Acquire) / VERSION
    }

    fn available(&self, mode: LatchMode) -> bool {
        let w = self.0.load(Ordering::Acquire);
        w & EXCLUSIVE == 0 && (mode == LatchMode::S || w & SHARED == 0)
    }
}

const SHARDS: usize = if cfg!(any(shuttle, miri)) { 2 } else { 64 };

pub struct LatchQueue {
    shards: [Mutex<Vec<(FrameNo, u64, Waker)>>; SHARDS],
    ids: AtomicU64,
}

impl LatchQueue {
    pub fn new() -> LatchQueue {
        LatchQueue {
            shards: std::array::from_fn(|_| Mutex::new(Vec::new())),
            ids: AtomicU64::new(0),
        }
    }

    pub fn wait<'a>(&'a self, latch: &'a Latch, frame: FrameNo, mode: LatchMode) -> LatchWait<'a> {
        LatchWait { queue: self, latch, frame, mode, id: None }
    }

    /// Wakes all waiters of the frame and clears the bit: who still cannot latch registers again.
    pub fn wake(&self, latch: &Latch, frame: FrameNo) {
        let mut woken = Vec::new();
        {
            let mut s = self.shards[frame as usize % SHARDS].lock();
            latch.0.fetch_and(!WAITERS, Ordering::AcqRel);
            s.retain(|(f, _, w)| {
                if *f == frame {
                    woken.push(w.clone());
                }
                *f != frame
            });
        }
        for w in woken {
            w.wake();
        }
    }
}

/// Resolves when the latch looked free once: a hint to try again, not a promise.
pub struct LatchWait<'a> {
    queue: &'a LatchQueue,
    latch: &'a Latch,
    frame: FrameNo,
    mode: LatchMode,
    id: Option<u64>,
}

impl Future for LatchWait<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut s = self.queue.shards[self.frame as usize % SHARDS].lock();
        self.latch.0.fetch_or(WAITERS, Ordering::AcqRel);
        let id = self.id;
        s.retain(|(_, i, _)| Some(*i) != id);
        let others = s.iter().any(|(f, _, _)| *f == self.frame);
        if self.latch.available(self.mode) {
            if !others {
                self.latch.0.fetch_and(!WAITERS, Ordering::AcqRel);
            }
            return Poll::Ready(());
        }
        let id = self.queue.ids.fetch_add(1, Ordering::Relaxed);
        s.push((self.frame, id, cx.waker().clone()));
        drop(s);
        self.id = Some(id);
        Poll::Pending
    }
}

impl Drop for LatchWait<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.queue.shards[self.frame as usize % SHARDS].lock().retain(|(_, i, _)| *i != id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_and_exclusive_exclude_each_other() {
        let l = Latch::default();
        assert!(l.try_lock(LatchMode::S));
        assert!(l.try_lock(LatchMode::S));
        assert!(!l.try_lock(LatchMode::X));
        l.unlock(LatchMode::S);
        l.unlock(LatchMode::S);
        let v = l.version();
        assert!(l.try_lock(LatchMode::X));
        assert!(!l.try_lock(LatchMode::S));
        l.unlock(LatchMode::X);
        assert_eq!(l.version(), v + 1);
    }

    #[test]
    fn threads_count_correctly_under_the_latch() {
        struct Cell(std::cell::UnsafeCell<u64>);
        // SAFETY: only touched under the exclusive latch.
        unsafe impl Sync for Cell {}
        let l = Latch::default();
        let c = Cell(std::cell::UnsafeCell::new(0));
        let rounds = if cfg!(miri) { 20 } else { 2000 };
        let c = &c;
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for _ in 0..rounds {
                        while !l.try_spin(LatchMode::X) {
                            std::thread::yield_now();
                        }
                        // SAFETY: exclusive latch held.
                        unsafe { *c.0.get() += 1 };
                        l.unlock(LatchMode::X);
                    }
                });
            }
        });
        // SAFETY: all threads are done.
        assert_eq!(unsafe { *c.0.get() }, 4 * rounds);
    }
}
