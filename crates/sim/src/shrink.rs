//! Makes a scenario that fails smaller: fewer lives, faults, clients, transactions, operations, tables.
//!
//! An edit stays when the same checker still fails. It changes the schedule too, so a failure may hide from an edit by
//! luck; the passes are repeated until none of them gets further or `more`, asked with the number of runs before each, says no.

use crate::model::Failure;
use crate::scenario::Overrides;
use crate::storey::{Shape, Storey};
use weir_engine::FLUSH_POLICIES;

/// The smallest case found.
#[derive(Clone, Debug)]
pub struct Shrunk {
    pub overrides: Overrides,
    pub failure: Failure,
    pub runs: usize,
}

struct Search<'a> {
    storey: &'a dyn Storey,
    seed: u64,
    checker: &'static str,
    best: Overrides,
    failure: Failure,
    life: u64,
    more: &'a dyn Fn(usize) -> bool,
    runs: usize,
}

impl Search<'_> {
    /// Runs an edit and keeps it when it fails in the same way.
    fn try_one(&mut self, edit: Overrides) -> bool {
        if !(self.more)(self.runs) || edit == self.best {
            return false;
        }
        self.runs += 1;
        let report = self.storey.play(self.seed, &edit, false);
        match report.failure {
            Some((life, f)) if f.checker == self.checker => {
                self.best = edit;
                self.failure = f;
                self.life = life;
                true
            }
            _ => false,
        }
    }

    fn shape(&self) -> Shape {
        self.storey.shape(self.seed, &self.best)
    }

    fn lives(&mut self) {
        let upto = self.life;
        let all = self.shape().lives;
        let first: Vec<u64> = all.iter().copied().filter(|n| *n <= upto).collect();
        self.try_one(Overrides { lives: Some(first.clone()), ..self.best.clone() });
        for no in first {
            let now = self.shape().lives;
            let less: Vec<u64> = now.iter().copied().filter(|n| *n != no).collect();
            if !less.is_empty() && less.len() < now.len() {
                self.try_one(Overrides { lives: Some(less), ..self.best.clone() });
            }
        }
    }

    fn faults(&mut self) {
        let s = self.shape();
        // Those of lives that are not run do nothing: they need no option.
        let all: Vec<usize> =
            s.faults.iter().filter(|f| s.lives.contains(&f.1)).map(|f| f.0).collect();
        let with = |me: &Search<'_>, more: &[usize]| {
            let mut drop_faults = me.best.drop_faults.clone();
            drop_faults.extend(more);
            drop_faults.sort_unstable();
            Overrides { drop_faults, ..me.best.clone() }
        };
        if all.is_empty() || self.try_one(with(self, &all)) {
            return;
        }
        for no in all {
            self.try_one(with(self, &[no]));
        }
    }

    fn clients(&mut self) {
        for no in self.shape().clients {
            let now = self.shape().clients;
            let less: Vec<u64> = now.iter().copied().filter(|n| *n != no).collect();
            if !less.is_empty() {
                self.try_one(Overrides { clients: Some(less), ..self.best.clone() });
            }
        }
    }

    /// The smallest number that still fails, by halving.
    fn number(&mut self, now: u64, set: impl Fn(Overrides, u64) -> Overrides) {
        let (mut low, mut high) = (1, now);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.try_one(set(self.best.clone(), middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
    }
}

/// Shrinks the failure of a seed as long as `more` allows.
pub fn shrink(
    storey: &dyn Storey,
    seed: u64,
    from: &Overrides,
    life: u64,
    failure: &Failure,
    more: &dyn Fn(usize) -> bool,
) -> Shrunk {
    let mut s = Search {
        storey,
        seed,
        checker: failure.checker,
        best: from.clone(),
        failure: failure.clone(),
        life,
        more,
        runs: 0,
    };
    loop {
        let before = s.best.clone();
        if s.best.policy.is_none() && storey.has_policies() {
            s.try_one(Overrides { policy: Some(FLUSH_POLICIES[0]), ..s.best.clone() });
        }
        s.lives();
        s.faults();
        s.clients();
        let now = s.shape();
        s.number(now.txns, |o, n| Overrides { txns: Some(n), ..o });
        s.number(now.ops, |o, n| Overrides { ops: Some(n), ..o });
        s.number(now.tables as u64, |o, n| Overrides { tables: Some(n as usize), ..o });
        if s.best == before || !more(s.runs) {
            return Shrunk { overrides: s.best, failure: s.failure, runs: s.runs };
        }
    }
}
