//! Processors: anyone who computes takes the one that is free first.
//!
//! Work is taken in the order in which it comes and is never cut into slices; pieces are a fraction of a millisecond, so what a
//! scheduler would do between two of them is too small to see.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use weir_rt::{Nanos, Rt};

pub struct Cpu {
    rt: Rt,
    state: Mutex<State>,
}

struct State {
    /// When each processor has done what it was given.
    free_at: Vec<Nanos>,
    /// Nanoseconds of work given out, all processors together.
    busy: u64,
}

impl Cpu {
    pub fn new(rt: Rt, processors: usize) -> Cpu {
        let state = State { free_at: vec![0; processors.max(1)], busy: 0 };
        Cpu { rt, state: Mutex::new(state) }
    }

    pub fn processors(&self) -> usize {
        self.lock().free_at.len()
    }

    /// Computes for so long, and waits for a processor before.
    pub async fn work(&self, ns: u64) {
        let until = self.give(ns);
        let wait = until.saturating_sub(self.rt.now());
        if wait > 0 {
            self.rt.sleep(Duration::from_nanos(wait)).await;
        }
    }

    /// Work that nobody waits for, as an I/O thread's.
    pub fn work_aside(&self, ns: u64) {
        self.give(ns);
    }

    fn give(&self, ns: u64) -> Nanos {
        let now = self.rt.now();
        let mut s = self.lock();
        s.busy += ns;
        let first = (0..s.free_at.len()).min_by_key(|i| s.free_at[*i]).unwrap_or(0);
        let until = s.free_at[first].max(now) + ns;
        s.free_at[first] = until;
        until
    }

    /// Nanoseconds of work done since the beginning.
    pub fn busy(&self) -> u64 {
        let now = self.rt.now();
        let s = self.lock();
        let ahead: u64 = s.free_at.iter().map(|t| t.saturating_sub(now)).sum();
        s.busy.saturating_sub(ahead)
    }

    /// Processors with nothing to do at this moment.
    pub fn idle(&self) -> usize {
        let now = self.rt.now();
        self.lock().free_at.iter().filter(|t| **t <= now).count()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use weir_rt::sim::SimRt;

    #[test]
    fn eight_processors_do_eight_things_at_once_and_no_ninth() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            let cpu = Arc::new(Cpu::new(rt.clone(), 8));
            let begun = rt.now();
            let all: Vec<_> = (0..16)
                .map(|_| {
                    let cpu = cpu.clone();
                    rt.spawn("w", async move { cpu.work(1_000_000).await })
                })
                .collect();
            for h in all {
                h.await;
            }
            assert_eq!(rt.now() - begun, 2_000_000);
            assert_eq!((cpu.busy(), cpu.idle()), (16_000_000, 8));
        })
        .unwrap();
    }
}
