//! NOT carried down to comparisons, so that they are searches of an index: `NOT (a < 1 OR b = 2)` is `a >= 1 AND b <> 2`.
//!
//! It is the same in three-valued logic: a comparison and its opposite are unknown for the same rows, De Morgan's laws hold, and two negations
//! cancel each other where the answer counts as a truth value. `<=>` has no opposite.

use super::take;
use crate::query::bind::split_and;
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::raw::Raw;

pub fn apply(raw: &mut Raw) {
    for list in raw.lists_mut() {
        if !list.iter().any(has_negation) {
            continue;
        }
        for cond in std::mem::take(list) {
            split_and(pushed(cond, false), list);
        }
    }
}

/// A NOT stands where it can be carried down.
fn has_negation(e: &BExpr) -> bool {
    match &e.node {
        Node::Not(_) => true,
        Node::And(list) | Node::Or(list) => list.iter().any(has_negation),
        _ => false,
    }
}

/// The condition, or its opposite.
fn pushed(mut e: BExpr, negated: bool) -> BExpr {
    let nullable = e.info.nullable;
    match &mut e.node {
        Node::Not(inner) => return pushed(take(inner), !negated),
        Node::And(_) | Node::Or(_) => {
            let is_and = matches!(e.node, Node::And(_)) != negated;
            let (Node::And(list) | Node::Or(list)) = e.node else { return e };
            let mut parts = Vec::with_capacity(list.len());
            for part in list.into_iter().map(|e| pushed(e, negated)) {
                match part.node {
                    Node::And(inner) if is_and => parts.extend(inner),
                    Node::Or(inner) if !is_and => parts.extend(inner),
                    node => parts.push(BExpr { node, info: part.info }),
                }
            }
            let node = if is_and { Node::And(parts) } else { Node::Or(parts) };
            return BExpr::boolean(node, nullable);
        }
        _ if !negated => return e,
        Node::Cmp { op, .. } if let Some(opposite) = opposite(*op) => *op = opposite,
        Node::In { negated, .. } | Node::InSub { negated, .. } | Node::Is { negated, .. } => {
            *negated = !*negated;
        }
        _ => return BExpr::boolean(Node::Not(Box::new(e)), nullable),
    }
    e
}

fn opposite(op: CmpOp) -> Option<CmpOp> {
    Some(match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
        CmpOp::NullSafe => return None,
    })
}
