//! How many rows a plan looks at, for `max_join_size`.

use super::{Body, Kind, Plan, QueryPlan, insert};

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
            Kind::Change(_) | Kind::Do(..) | Kind::Explain(..) => 0.0,
        }
    }
}

impl QueryPlan {
    fn examined(&self) -> f64 {
        match &self.body {
            Body::Block(b) => b.guessed,
            Body::Set { left, right, .. } => left.examined().max(right.examined()),
            Body::Nested(q) => q.examined(),
            Body::Values(_) | Body::Json(_) | Body::Recursive(_) => 0.0,
        }
    }
}
