//! What a plan was made for, and may be otherwise when it is used again: searches that are far wider or narrower with the values of another
//! execution (`k BETWEEN ? AND ?` of three rows and of half the table ask for different plans), and the memory that a set may take.
//!
//! A range of the clustered index is a part of its scan, whatever its width, and is watched by nobody.

use super::Plan;
use super::key::{Key, Search};
use crate::query::expr::Node;
use std::sync::{Arc, Mutex, PoisonError};

pub(in crate::query) enum Watched {
    /// A search in an index, by a range that depends on the values of the execution, and the rows that were found there when the plan was made.
    Search { key: Key, rows: f64 },
    /// The `tmp_table_size` that a query had as a set, or not.
    Memory(u64),
}

/// The searches of a plan that is being made.
#[derive(Default)]
pub struct WatchList(Mutex<Vec<Watched>>);

/// Each is looked for in its index when the plan is used again.
const MOST: usize = 4;

impl WatchList {
    /// Notes a search, once for each index.
    pub(in crate::query) fn note(&self, key: &Key, rows: f64) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |w: &Watched| match w {
            Watched::Search { key: k, .. } => {
                k.index == key.index && Arc::ptr_eq(&k.table, &key.table)
            }
            Watched::Memory(_) => false,
        };
        if list.len() < MOST && !list.iter().any(same) {
            list.push(Watched::Search { key: key.clone(), rows });
        }
    }

    /// Notes that the plan rests on this `tmp_table_size`.
    pub(in crate::query) fn note_memory(&self, most: u64) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !list.iter().any(|w| matches!(w, Watched::Memory(_))) {
            list.push(Watched::Memory(most));
        }
    }

    pub(in crate::query) fn take(&self) -> Vec<Watched> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What reads fewer rows is well served by any plan.
const FEW: f64 = 1000.0;
/// How many times more or fewer rows ask for another plan.
const TIMES: f64 = 10.0;

impl Watched {
    /// A search that is to be watched in a table of so many rows.
    pub fn is_worth_it(key: &Key, total: f64) -> bool {
        let by_range = |s: &Search| !s.range.is_empty() || s.like.is_some();
        let mut values = key.searches.iter().flat_map(Search::values);
        total >= FEW
            && key.index > 0
            && key.searches.iter().any(by_range)
            && values.any(|e| e.any(|n| matches!(n, Node::Param(_))))
    }
}

/// Whether so many rows now ask for another plan than those of then.
pub fn differ(then: f64, now: f64) -> bool {
    let (few, many) = (then.min(now), then.max(now));
    many >= FEW && many >= few * TIMES
}

impl Plan {
    /// Tables have grown or shrunk so much that another plan may be better.
    pub fn is_outgrown(&self) -> bool {
        self.sizes.iter().any(|(t, then)| {
            let now = t.engine.estimated_rows() + 500;
            let then = then + 500;
            now > then * 4 || then > now * 4
        })
    }

    /// It has to be asked whether it fits the values of an execution ([`crate::query::fits`]).
    #[inline]
    pub fn is_watched(&self) -> bool {
        !self.watched.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::differ;

    #[test]
    fn ten_times_as_many_and_not_few() {
        assert!(!differ(1.0, 900.0));
        assert!(!differ(300.0, 2_000.0));
        assert!(differ(3.0, 1_000.0) && differ(50_000.0, 20.0));
    }
}
