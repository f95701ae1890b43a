//! How many rows a plan looks at, for `max_join_size`.

use super::{Block, Body, Kind, Plan, QueryPlan, Source, insert};

impl Plan {
    /// Rows that its largest join looks at, as the optimizer guesses. EXPLAIN looks at none.
    pub fn examined(&self) -> f64 {
        match &self.kind {
            Kind::Query(q)
            | Kind::Into(q, _)
            | Kind::IntoFile(q, _)
            | Kind::Collect(q)
            | Kind::Analyze(q, _) => q.examined(),
            Kind::Insert(i) => match &i.rows {
                insert::Rows::Query(q) => q.examined(),
                _ => 0.0,
            },
            Kind::Change(c) if c.multi => c.block.examined(),
            Kind::Change(_) | Kind::Do(..) | Kind::Explain(..) | Kind::Handler(_) => 0.0,
        }
    }
}

impl QueryPlan {
    fn examined(&self) -> f64 {
        match &self.body {
            Body::Block(b) => b.examined(),
            Body::Set { left, right, .. } => left.examined().max(right.examined()),
            Body::Nested(q) => q.examined(),
            Body::Values(_) | Body::Json(_) | Body::Recursive(_) => 0.0,
        }
    }
}

impl Block {
    fn examined(&self) -> f64 {
        let derived = self.tables.iter().filter_map(|t| match &t.source {
            Source::Derived(q) => Some(q.examined()),
            Source::Table(_) | Source::Virtual(..) | Source::Working(..) => None,
        });
        let subqueries = self.subs.iter().filter_map(|s| s.plan.as_ref()).map(QueryPlan::examined);
        derived.chain(subqueries).fold(self.guessed, f64::max)
    }
}
