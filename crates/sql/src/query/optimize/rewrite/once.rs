//! Marks what a run evaluates once instead of for each row: constant expressions that columns are compared with, and constant texts beside
//! dates, which are read once ([`Node::Once`]).
//!
//! Evaluation keeps the value at the first row that asks for it, unless it is a text or there was something to warn of: then each row asks
//! again, and the warnings and errors are those of evaluation row by row.

use crate::query::expr::{BExpr, ListId, Node};
use crate::query::plan::Block;
use crate::value::compare::CompareRule;
use crate::value::types::Class;

/// Marks the constants of a block whose plan is made.
pub fn mark(b: &mut Block) {
    let conds = b
        .steps
        .iter_mut()
        .flat_map(|s| s.conds.iter_mut().chain(s.after.iter_mut().map(|(_, c)| c)));
    conds.chain(&mut b.having).for_each(|c| within(&mut c.expr));
    if let Some(agg) = &mut b.agg {
        agg.specs.iter_mut().flat_map(|(_, args)| args).for_each(within);
    }
    b.items.iter_mut().for_each(within);
}

fn within(e: &mut BExpr) {
    match &mut e.node {
        Node::Cmp { rule, a, b, .. } => {
            let moment = |rule: &Option<CompareRule>, other: &BExpr| {
                matches!(rule, None | Some(CompareRule::DateTime)) && is_moment(other)
            };
            let (of_a, of_b) = (moment(rule, b), moment(rule, a));
            match (is_constant(a), is_constant(b)) {
                (true, false) => once(a, of_a),
                (false, true) => once(b, of_b),
                _ => {}
            }
        }
        Node::In { left, list, .. } if is_moment(left) => {
            for (rule, item) in list {
                if matches!(rule, None | Some(CompareRule::DateTime)) && is_constant(item) {
                    once(item, true);
                }
            }
        }
        _ => {}
    }
    e.for_children_mut(&mut within);
}

/// All values are dates or points in time, as those of a column or of DATE().
fn is_moment(e: &BExpr) -> bool {
    matches!(e.info.ty.class(), Class::Date | Class::DateTime)
}

fn is_constant(e: &BExpr) -> bool {
    e.is_statement_constant() && e.has_no_subs()
}

/// A literal has its value already, and only has to be read where it is a text beside a date.
fn once(e: &mut BExpr, moment: bool) {
    let literal = matches!(e.node, Node::Const(_) | Node::Param(_));
    if matches!(e.node, Node::Once { .. }) || literal && !moment {
        return;
    }
    let (info, inner) = (e.info, super::take(e));
    let node = Node::Once { id: ListId::fresh(), moment, expr: Box::new(inner) };
    *e = BExpr::new(node, info);
}
