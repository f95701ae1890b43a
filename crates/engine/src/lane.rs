//! Floor 0: Lanes: places in which threads count without meeting each other.
//!
//! A thread that serves sessions takes a lane for as long as it does. What is counted at every statement has a place for each lane, and only
//! the thread in the lane writes it: a step is a load and a store, where a step of a counter that all share locks a line of
//! memory that other processors have. Threads without a lane (there are more than lanes, or nobody took one for them) share places to
//! which they add atomically. The figures are sums of all places, made when somebody asks.
//!
//! Invariants
//! - A lane is of one thread at a time. It is given back with release and taken with acquire, so a thread finds what the one before has
//!   left in its places.
//! - Lanes are the process's: several databases of a program have places of their own in each.

use std::cell::Cell;
use std::marker::PhantomData;
// Not `crate::sync`: who counts where orders nothing and is no step for a model checker.
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Lanes that there are: a multiple of the processors on which statements run at once in most machines, and few enough to be summed.
pub const LANES: usize = 16;

const _: () = assert!(LANES <= u32::BITS as usize);

static TAKEN: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static MINE: Cell<Option<usize>> = const { Cell::new(None) };
    /// A lane that is given back when the thread ends.
    static STAYS: Cell<Option<Lane>> = const { Cell::new(None) };
}

/// The lane of this thread; given back when dropped, on the same thread.
pub struct Lane(PhantomData<*const ()>);

impl Lane {
    /// `None`: all are taken, or this thread has one.
    pub fn take() -> Option<Lane> {
        if current().is_some() {
            return None;
        }
        let mut taken = TAKEN.load(Ordering::Relaxed);
        loop {
            let free = (!taken).trailing_zeros() as usize;
            if free >= LANES {
                return None;
            }
            let next = taken | 1 << free;
            match TAKEN.compare_exchange_weak(taken, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => {
                    MINE.with(|mine| mine.set(Some(free)));
                    return Some(Lane(PhantomData));
                }
                Err(now) => taken = now,
            }
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if let Some(lane) = MINE.with(Cell::take) {
            TAKEN.fetch_and(!(1 << lane), Ordering::Release);
        }
    }
}

/// Takes a lane for this thread until it ends, unless it has one or all are taken: for threads that are not ours, which come with one call
/// and then with another one.
#[inline]
pub fn stay() {
    if current().is_none() && TAKEN.load(Ordering::Relaxed).count_ones() < LANES as u32 {
        // A thread that is about to end goes without.
        _ = STAYS.try_with(|lane| lane.set(Lane::take()));
    }
}

/// The lane of this thread.
#[inline]
pub fn current() -> Option<usize> {
    MINE.with(Cell::get)
}

/// A step of a counter that only this thread writes.
#[inline]
pub fn step(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
}

/// A line of memory of its own, so that neighbours do not travel together between processors.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Line<T>(pub T);

/// A counter with a place for each lane.
#[derive(Default)]
pub struct Counter {
    lanes: [Line<AtomicU64>; LANES],
    shared: Line<AtomicU64>,
}

impl Counter {
    #[inline]
    pub fn add(&self, n: u64) {
        match current() {
            Some(lane) => step(&self.lanes[lane].0, n),
            None => _ = self.shared.0.fetch_add(n, Ordering::Relaxed),
        }
    }

    pub fn get(&self) -> u64 {
        let all = self.lanes.iter().chain([&self.shared]);
        all.fold(0, |sum, place| sum.wrapping_add(place.0.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_when_threads_come_and_go() {
        const STEPS: u64 = 500;
        let counter = Counter::default();
        // More threads than lanes, each of which takes one several times.
        std::thread::scope(|s| {
            for _ in 0..2 * LANES {
                s.spawn(|| {
                    for _ in 0..STEPS {
                        let lane = Lane::take();
                        assert_eq!(lane.is_some(), current().is_some());
                        assert!(Lane::take().is_none());
                        counter.add(1);
                        counter.add(2);
                        drop(lane);
                        assert_eq!(current(), None);
                        counter.add(4);
                    }
                });
            }
        });
        assert_eq!(counter.get(), 7 * STEPS * 2 * LANES as u64);
    }

    #[test]
    fn a_lane_that_stays_is_given_back_with_its_thread() {
        for _ in 0..4 * LANES {
            let had = std::thread::spawn(|| {
                stay();
                let lane = current();
                stay();
                assert_eq!(current(), lane);
                lane
            });
            // Tests that run meanwhile may have all of them.
            had.join().unwrap();
        }
        let all = TAKEN.load(Ordering::Relaxed).count_ones() as usize;
        assert!(all <= LANES);
    }
}
