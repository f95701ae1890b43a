//! Which run a worker makes next.
//!
//! Runs that load the same are a group, and begin when its data are there. A worker stays with its group as long as that has runs; then it
//! begins one that nobody has begun; then it helps where data are there. So nobody waits for data that another loads while there is
//! anything else to do. The group with most runs is begun first, because its runs are what workers share at the end.
//!
//! Uses `plan` for nothing but how long a run takes.
//!
//! Invariant: what a run comes to depends on its plan and not on the order of runs.

use crate::plan::{Load, Plan};
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A run that a worker has taken, and what its group begins with.
pub struct Turn<J, D> {
    pub group: usize,
    pub job: J,
    pub data: Arc<D>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Untouched,
    Loading,
    /// Loaded, or known to fail.
    There,
}

struct Group<J, D> {
    stage: Stage,
    /// The longest first.
    left: VecDeque<J>,
    data: Option<Arc<D>>,
}

impl<J, D> Group<J, D> {
    fn take(&mut self, group: usize) -> Option<Turn<J, D>> {
        let job = self.left.pop_front()?;
        let data = self.data.clone()?;
        if self.left.is_empty() {
            // The last runs that have begun keep it.
            self.data = None;
        }
        Some(Turn { group, job, data })
    }
}

/// Runs to be made (`J`), and what each group of them begins with (`D`).
pub struct Schedule<J, D> {
    groups: Mutex<Vec<Group<J, D>>>,
    changed: Condvar,
}

/// About how long a run takes, beside others of its group.
pub fn length(p: &Plan) -> u64 {
    let users = p.users as u64;
    match p.load {
        Load::Tpcc { seconds, .. } => users * p.size.seconds(seconds) as u64,
        Load::Insert { .. } | Load::Oltp { .. } => users,
    }
}

impl<J, D: Default> Schedule<J, D> {
    /// `key`: the same for runs of a group.
    pub fn new(jobs: Vec<J>, key: impl Fn(&J) -> String, length: impl Fn(&J) -> u64) -> Self {
        let mut by_key: BTreeMap<String, Vec<J>> = BTreeMap::new();
        jobs.into_iter().for_each(|j| by_key.entry(key(&j)).or_default().push(j));
        let mut groups: Vec<Vec<J>> = by_key.into_values().collect();
        groups.sort_by_key(|g| Reverse(g.len()));
        let group = |mut jobs: Vec<J>| {
            jobs.sort_by_key(|j| Reverse(length(j)));
            let data = Some(Arc::default());
            Group { stage: Stage::Untouched, left: jobs.into(), data }
        };
        let groups = groups.into_iter().map(group).collect();
        Schedule { groups: Mutex::new(groups), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Group<J, D>>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next run of a worker that has made one of a group; `None`: all are taken. Waits while others load what all that are left need.
    pub fn next(&self, mine: Option<usize>) -> Option<Turn<J, D>> {
        let mut all = self.lock();
        loop {
            if all.iter().all(|g| g.left.is_empty()) {
                return None;
            }
            let open = |g: &Group<J, D>, stage| g.stage == stage && !g.left.is_empty();
            let own = mine.filter(|m| all.get(*m).is_some_and(|g| open(g, Stage::There)));
            let fresh = || all.iter().position(|g| open(g, Stage::Untouched));
            let helped = || all.iter().position(|g| open(g, Stage::There));
            if let Some(n) = own.or_else(fresh).or_else(helped) {
                if all[n].stage == Stage::Untouched {
                    all[n].stage = Stage::Loading;
                }
                return all[n].take(n);
            }
            all = self.changed.wait(all).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The data of a group are there, or are known to fail.
    pub fn loaded(&self, group: usize) {
        self.lock()[group].stage = Stage::There;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs by a letter for their group and a digit for their length.
    fn schedule(names: &[&'static str]) -> Schedule<&'static str, ()> {
        let length = |name: &&str| name[1..].parse().unwrap();
        Schedule::new(names.to_vec(), |name| name[..1].into(), length)
    }

    #[test]
    fn nobody_waits_while_there_is_something_to_do() {
        let s = schedule(&["a1", "b1", "b3", "b2", "a2"]);
        let next = |mine: Option<usize>| s.next(mine).map(|t| (t.job, t.group));
        let (first, b) = next(None).unwrap();
        assert_eq!(first, "b3", "the larger group, and its longest run");
        let (other, a) = next(None).unwrap();
        assert_eq!(other, "a2", "the group that nobody loads");
        s.loaded(a);
        assert_eq!(next(Some(a)).unwrap().0, "a1", "its own group");
        s.loaded(b);
        assert_eq!(next(Some(a)).unwrap().0, "b2", "helps");
        assert_eq!(next(Some(b)).unwrap().0, "b1");
        assert_eq!(next(Some(b)), None);
    }

    #[test]
    fn whoever_waits_goes_on_when_data_are_there() {
        let s = schedule(&["a1", "a2"]);
        let first = s.next(None).unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| s.next(None).map(|t| t.job));
            s.loaded(first.group);
            assert_eq!(waits.join().unwrap(), Some("a1"));
        });
    }
}
