//! Shares of rows that conditions leave where nothing is known of the values: MySQL's guesses (`COND_FILTER_EQUALITY` and its like).

use super::{BExpr, CmpOp, Node};
use crate::func::facts::Id;

pub const EQUAL: f64 = 0.1;
const UNEQUAL: f64 = 0.3333;
const BETWEEN: f64 = 0.1111;
/// However long a list is, it is not guessed to have more of the rows than this.
const LISTED: f64 = 0.5;

impl BExpr {
    /// The share of rows for which the condition is guessed to be true.
    pub fn guessed_share(&self) -> f64 {
        let unless = |negated: bool, share: f64| if negated { 1.0 - share } else { share };
        match &self.node {
            Node::Cmp { op: CmpOp::Eq | CmpOp::NullSafe, .. } => EQUAL,
            Node::Cmp { op: CmpOp::Ne, .. } => 1.0 - EQUAL,
            Node::Cmp { .. } => UNEQUAL,
            Node::In { list, negated, .. } => {
                unless(*negated, (EQUAL * list.len() as f64).min(LISTED))
            }
            Node::Is { negated, .. } => unless(*negated, EQUAL),
            Node::Func(def, _) if def.id == Id::Like => BETWEEN,
            Node::And(list) => list.iter().map(BExpr::guessed_share).product(),
            Node::Or(list) => 1.0 - list.iter().map(|e| 1.0 - e.guessed_share()).product::<f64>(),
            Node::Not(e) => match e.guessed_share() {
                // Nothing is known of the opposite either.
                1.0 => 1.0,
                share => 1.0 - share,
            },
            Node::Col(_) => 1.0 - EQUAL,
            _ => 1.0,
        }
    }
}
