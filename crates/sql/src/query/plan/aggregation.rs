//! What a block computes for its groups, and what each row or group evaluates once.

use crate::func::aggregate::AggSpec;
use crate::query::expr::BExpr;

#[derive(Clone)]
pub(in crate::query) struct Aggregation {
    pub keys: Vec<BExpr>,
    pub specs: Vec<(AggSpec, Vec<BExpr>)>,
    pub subs: Vec<u32>,
    /// Without GROUP BY there is one group even of no rows.
    pub implicit: bool,
    pub rollup: Option<Rollup>,
}

/// WITH ROLLUP, or a key that gives another value each time it is evaluated: behind the values of the aggregates stand those of the keys, NULL in
/// super-aggregate rows, and of GROUPING().
#[derive(Clone)]
pub(in crate::query) struct Rollup {
    /// There are super-aggregate rows.
    pub supers: bool,
    /// For each call of GROUPING() the keys that it asks about.
    pub groupings: Vec<Vec<usize>>,
}

impl Aggregation {
    /// WITH ROLLUP.
    pub fn has_supers(&self) -> bool {
        self.rollup.as_ref().is_some_and(|r| r.supers)
    }

    /// How many values a group has.
    pub fn width(&self) -> usize {
        let rolled = self.rollup.as_ref().map_or(0, |r| self.keys.len() + r.groupings.len());
        self.specs.len() + rolled
    }
}

/// Items that give another value each time they are evaluated (RAND(), `@n := @n + 1`, stored functions), and that HAVING names.
#[derive(Default)]
pub(in crate::query) struct Drawn {
    pub exprs: Vec<BExpr>,
    /// Subqueries in them.
    pub subs: Vec<u32>,
}
