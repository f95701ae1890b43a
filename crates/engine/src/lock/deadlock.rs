//! The wait-for graph: who waits for whom, cycles, and who has to give way.

use crate::ids::TrxId;
use crate::planted::{self, Bug};
use std::collections::{HashMap, HashSet};

/// A waiting transaction: for whom, and how dear its work is.
pub struct Waiting {
    pub blockers: Vec<TrxId>,
    pub weight: u64,
    /// Transaction id for messages; the keys of the graph are serial numbers.
    pub trx_id: TrxId,
}

#[derive(Default)]
pub struct WaitGraph {
    map: HashMap<TrxId, Waiting>,
}

/// Steps of one search; beyond it the wait ends by its timeout.
const STEPS_MAX: usize = 10_000;

impl WaitGraph {
    pub fn set(&mut self, waiter: TrxId, blockers: Vec<TrxId>, weight: u64, trx_id: TrxId) {
        self.map.insert(waiter, Waiting { blockers, weight, trx_id });
    }

    pub fn trx_id(&self, waiter: TrxId) -> TrxId {
        self.map.get(&waiter).map_or(0, |w| w.trx_id)
    }

    pub fn clear(&mut self, waiter: TrxId) {
        self.map.remove(&waiter);
    }

    pub fn is_waited_for(&self, blocker: TrxId) -> bool {
        self.map.values().any(|w| w.blockers.contains(&blocker))
    }

    /// A cycle through `start`, as the list of its members.
    pub fn cycle(&self, start: TrxId) -> Option<Vec<TrxId>> {
        let mut path = vec![start];
        let mut iters = vec![self.map.get(&start)?.blockers.iter()];
        let mut dead: HashSet<TrxId> = HashSet::new();
        let mut steps = 0;
        while let Some(it) = iters.last_mut() {
            steps += 1;
            if steps > STEPS_MAX {
                return None;
            }
            match it.next() {
                Some(b) if *b == start => return Some(path),
                Some(b) if dead.contains(b) || path.contains(b) => {}
                Some(_) if planted::is(Bug::DeadlockOfThreeMissed) && path.len() > 1 => {}
                Some(b) => match self.map.get(b) {
                    Some(w) => {
                        path.push(*b);
                        iters.push(w.blockers.iter());
                    }
                    None => {
                        dead.insert(*b);
                    }
                },
                None => {
                    iters.pop();
                    if let Some(p) = path.pop() {
                        dead.insert(p);
                    }
                }
            }
        }
        None
    }

    /// The cheapest member; among equals the one whose request closed the cycle (`start`), which has waited least.
    pub fn victim(&self, cycle: &[TrxId], start: TrxId) -> TrxId {
        let weight = |t: &TrxId| self.map.get(t).map_or(u64::MAX, |w| w.weight);
        cycle
            .iter()
            .copied()
            .min_by_key(|t| (weight(t), *t != start, std::cmp::Reverse(*t)))
            .unwrap_or(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_cycles_and_only_cycles() {
        let mut g = WaitGraph::default();
        g.set(1, vec![2, 9], 10, 1);
        g.set(2, vec![3], 5, 2);
        assert_eq!(g.cycle(1), None);
        g.set(3, vec![8, 1], 7, 3);
        let c = g.cycle(3).unwrap();
        assert_eq!(c.iter().copied().collect::<HashSet<_>>(), HashSet::from([1, 2, 3]));
        assert_eq!(g.victim(&c, 3), 2);
        g.clear(2);
        assert_eq!(g.cycle(3), None);
    }

    #[test]
    fn equal_weights_take_the_newcomer() {
        let mut g = WaitGraph::default();
        g.set(1, vec![2], 3, 1);
        g.set(2, vec![1], 3, 2);
        let c = g.cycle(2).unwrap();
        assert_eq!(g.victim(&c, 2), 2);
    }
}
