//! Plans of statements by their normalised text, shared by all sessions and bounded in bytes (`weir_plan_cache_size`).
//!
//! Two levels. A plan comes into the newcomers' queue, an eighth of the room, and leaves it at the end: into the settled ones if it was used
//! meanwhile, else only if the one settled plan that is visited for it was not used since it was visited last. Which one that is, a fixed
//! sequence of pseudo-random numbers says: a hand that went round would run ahead of statements that come in a circle, and take away each
//! plan just before it is wanted. So a circle of a few more statements than there is room for costs the few and not all, a statement that
//! is run often is kept within one pass of the queue, and what is not used any more makes room at its second visit.
//!
//! Invariants:
//! - A key is in the map if and only if it is in one of the two lists, once.
//! - `bytes` of a level is the sum of its entries' sizes; both together are at most the limit when a call ends.
//! - A hit takes the lock shared and writes at most its entry's own mark.

use crate::query::Plan;
use crate::status::{Stat, Status};
use crate::value::key_hash::KeyHash;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

/// Of `T`, which is a plan; tests have smaller things.
pub struct Plans<T>(RwLock<State<T>>);

pub type TextPlans = Plans<Plan>;

/// What is kept.
pub trait Kept {
    /// What it takes in memory.
    fn bytes(&self) -> usize;
    /// Of two versions, the older one's plans are not used any more.
    fn version(&self) -> u64;
}

impl Kept for Plan {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn version(&self) -> u64 {
        self.catalog_version()
    }
}

struct Entry<T> {
    plan: Arc<T>,
    bytes: usize,
    /// Since it was visited, or since it came.
    used: AtomicBool,
    settled: bool,
}

#[derive(Default)]
struct Level {
    /// Of the newcomers a queue, of the settled ones in any order.
    keys: VecDeque<Arc<[u8]>>,
    bytes: usize,
}

struct State<T> {
    map: HashMap<Arc<[u8]>, Entry<T>, KeyHash>,
    newcomers: Level,
    settled: Level,
    evicted: u64,
    /// Of the sequence that says who is visited.
    drawn: u64,
}

/// The newcomers' share of the room is one of so many.
const NEWCOMERS: usize = 8;

/// A plan that takes more than one of so many shares of the room is not kept: it would drive too many others out.
const LARGEST: usize = 16;

/// What an entry takes in addition to its plan and its key: its places in the map and in a queue.
const ENTRY: usize = 160;

impl<T> Default for Plans<T> {
    fn default() -> Self {
        let (map, newcomers, settled) = Default::default();
        Plans(RwLock::new(State { map, newcomers, settled, evicted: 0, drawn: 1 }))
    }
}

impl<T: Kept> Plans<T> {
    pub fn get(&self, key: &[u8]) -> Option<Arc<T>> {
        let state = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let e = state.map.get(key)?;
        // Written once between two visits: sessions that run the same statement share the line for reading.
        if !e.used.load(Relaxed) {
            e.used.store(true, Relaxed);
        }
        Some(e.plan.clone())
    }

    /// Keeps a plan that was not found, or that is to take the place of an older one. `limit`: bytes of all.
    pub fn put(&self, key: &[u8], plan: &Arc<T>, limit: usize, status: &Status) {
        let mut state = self.0.write().unwrap_or_else(PoisonError::into_inner);
        state.put(key, plan, limit);
        status.add(Stat::Weir_plan_cache_evicted, std::mem::take(&mut state.evicted));
        status.set(Stat::Weir_plan_cache_plans, state.map.len() as u64);
        status.set(Stat::Weir_plan_cache_bytes, state.bytes() as u64);
    }
}

impl<T: Kept> State<T> {
    fn bytes(&self) -> usize {
        self.newcomers.bytes + self.settled.bytes
    }

    fn put(&mut self, key: &[u8], plan: &Arc<T>, limit: usize) {
        let bytes = plan.bytes() + 2 * key.len() + ENTRY;
        let fits = bytes <= limit / LARGEST;
        match self.map.get_mut(key) {
            Some(e) => {
                let level = if e.settled { &mut self.settled } else { &mut self.newcomers };
                level.bytes = level.bytes - e.bytes + bytes;
                (e.plan, e.bytes) = (plan.clone(), bytes);
            }
            None if fits => {
                let key: Arc<[u8]> = key.into();
                let (plan, used) = (plan.clone(), AtomicBool::new(false));
                self.newcomers.keys.push_back(key.clone());
                self.newcomers.bytes += bytes;
                self.map.insert(key, Entry { plan, bytes, used, settled: false });
            }
            None => {}
        }
        self.make_room(limit, plan.version());
    }

    fn make_room(&mut self, limit: usize, version: u64) {
        let for_settled = limit - limit / NEWCOMERS;
        while self.newcomers.bytes > limit / NEWCOMERS {
            self.newcomer_leaves(for_settled, version);
        }
        // The limit was made smaller, or a plan became larger in its place.
        while self.settled.bytes > for_settled {
            self.evict(version);
        }
    }

    /// The oldest newcomer settles, or goes.
    fn newcomer_leaves(&mut self, for_settled: usize, version: u64) {
        let Some(key) = self.newcomers.keys.pop_front() else { return };
        let Some(e) = self.map.get_mut(&key) else { return };
        let bytes = e.bytes;
        let used = e.used.swap(false, Relaxed) && e.plan.version() == version;
        self.newcomers.bytes -= bytes;
        let fits = |s: &Self| s.settled.bytes + bytes <= for_settled;
        while used && !fits(self) && !self.settled.keys.is_empty() {
            self.evict(version);
        }
        if !fits(self) {
            self.visit(version);
        }
        if fits(self) {
            if let Some(e) = self.map.get_mut(&key) {
                e.settled = true;
            }
            self.settled.bytes += bytes;
            self.settled.keys.push_back(key);
        } else {
            self.map.remove(&key);
            self.evicted += 1;
        }
    }

    /// One of the settled plans is visited; true: it was not used, and goes.
    fn visit(&mut self, version: u64) -> bool {
        // The multiplier and increment of Knuth's MMIX; the upper bits are the good ones.
        self.drawn = self
            .drawn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let keys = &mut self.settled.keys;
        let Some(at) = ((self.drawn >> 33) as usize).checked_rem(keys.len()) else { return true };
        let Some(e) = self.map.get(&keys[at]) else { return true };
        if e.used.swap(false, Relaxed) && e.plan.version() == version {
            return false;
        }
        self.settled.bytes -= e.bytes;
        if let Some(key) = keys.swap_remove_back(at) {
            self.map.remove(&key);
        }
        self.evicted += 1;
        true
    }

    /// Visits plans until one goes. Each visit takes a mark away, so that it comes to an end.
    fn evict(&mut self, version: u64) {
        while !self.visit(version) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake(usize, u64);

    impl Kept for Fake {
        fn bytes(&self) -> usize {
            self.0
        }
        fn version(&self) -> u64 {
            self.1
        }
    }

    const SIZE: usize = 1000;
    const LIMIT: usize = 200 * (SIZE + ENTRY + 8);

    #[derive(Default)]
    struct Cache(Plans<Fake>, Status);

    impl Cache {
        /// A statement runs; whether its plan was there.
        fn run(&self, n: u32, version: u64) -> bool {
            let key = n.to_be_bytes();
            let found = self.0.get(&key).is_some_and(|p| p.1 == version);
            if !found {
                self.0.put(&key, &Arc::new(Fake(SIZE, version)), LIMIT, &self.1);
            }
            self.check(LIMIT);
            found
        }

        fn check(&self, limit: usize) {
            let s = self.0.0.read().unwrap();
            assert!(s.bytes() <= limit);
            for (level, settled) in [(&s.newcomers, false), (&s.settled, true)] {
                let of_level: Vec<_> = s.map.values().filter(|e| e.settled == settled).collect();
                assert_eq!(level.bytes, of_level.iter().map(|e| e.bytes).sum::<usize>());
                assert_eq!(level.keys.len(), of_level.len());
                assert!(level.keys.iter().all(|k| s.map[k].settled == settled));
            }
            assert_eq!(self.1.get(Stat::Weir_plan_cache_plans), s.map.len() as u64);
        }

        /// The share of a round that is found.
        fn round(&self, of: std::ops::Range<u32>) -> f64 {
            let n = of.len() as f64;
            f64::from(of.map(|n| u32::from(self.run(n, 1))).sum::<u32>()) / n
        }
    }

    #[test]
    fn a_circle_that_is_a_little_too_large_costs_a_little() {
        let c = Cache::default();
        (0..5).for_each(|_| _ = c.round(0..190));
        assert_eq!(c.round(0..190), 1.0, "all fit");
        (0..20).for_each(|_| _ = c.round(0..220));
        let share = c.round(0..220);
        assert!(share > 0.6, "{share}");
        assert!(c.1.get(Stat::Weir_plan_cache_evicted) > 0);
    }

    #[test]
    fn what_is_run_often_is_kept_and_what_is_not_goes() {
        let c = Cache::default();
        (0..5).for_each(|_| _ = c.round(0..190));
        // One statement among many that come once.
        for n in 0..2000 {
            c.run(10_000 + n, 1);
            c.run(7, 1);
        }
        assert!(c.run(7, 1));
        // Others take the place of those that are run no more.
        (0..10).for_each(|_| _ = c.round(500..690));
        let share = c.round(500..690);
        assert!(share > 0.8, "{share}");
    }

    #[test]
    fn plans_of_an_older_catalog_go_first_and_the_limit_may_shrink() {
        let c = Cache::default();
        (0..5).for_each(|_| _ = c.round(0..190));
        (0..3).for_each(|_| (0..190).for_each(|n| _ = c.run(n, 2)));
        assert!((0..190).all(|n| c.run(n, 2)), "the same statements with new plans");
        c.0.put(b"large", &Arc::new(Fake(LIMIT / 8, 2)), LIMIT, &c.1);
        assert!(c.0.get(b"large").is_none(), "it would drive too many out");
        c.0.put(b"x", &Arc::new(Fake(SIZE, 2)), LIMIT / 4, &c.1);
        c.check(LIMIT / 4);
        c.0.put(b"x", &Arc::new(Fake(SIZE, 2)), 0, &c.1);
        c.check(0);
        assert!(c.0.get(b"x").is_none());
    }
}
