//! Shares of rows that conditions leave where nothing is known of the values: MySQL's guesses (`COND_FILTER_EQUALITY` and its like).

use super::{BExpr, CmpOp, Node};
use crate::func::facts::Id;

pub const EQUAL: f64 = 0.1;
const UNEQUAL: f64 = 0.333;
const BETWEEN: f64 = 0.111;

impl BExpr {
    /// The share of rows for which the condition is guessed to be true.
    pub fn guessed_share(&self) -> f64 {
        match &self.node {
            Node::Cmp { op: CmpOp::Eq | CmpOp::NullSafe, .. } => EQUAL,
            Node::Cmp { op: CmpOp::Ne, .. } => 1.0 - EQUAL,
            Node::Cmp { .. } => UNEQUAL,
            Node::In { list, negated, .. } => {
                let share = (EQUAL * list.len() as f64).min(0.5);
                if *negated { 1.0 - share } else { share }
            }
            Node::Is { negated: false, .. } => EQUAL,
            Node::Func(def, _) if def.id == Id::Like => BETWEEN,
            Node::And(list) => list.iter().map(BExpr::guessed_share).product(),
            Node::Or(list) => list.iter().map(BExpr::guessed_share).sum::<f64>().min(1.0),
            _ => 1.0,
        }
    }
}
