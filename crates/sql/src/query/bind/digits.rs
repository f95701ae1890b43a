//! Numbers that have other digits where they are computed with than where they are shown: quotients have more, and dates that are texts are
//! numbers of all their digits.

use super::literal::adapted;
use crate::query::adapt::Adapt;
use crate::query::expr::{BExpr, Node};
use crate::value::arith::Op;
use crate::value::cast::CastTarget;
use crate::value::{SqlType, TypeInfo};

/// A decimal with all the digits that it was computed with.
pub fn unrounded(e: BExpr) -> BExpr {
    match e.node {
        Node::Adapted(Adapt::Rounded(_), inner) => *inner,
        node => BExpr { node, ..e },
    }
}

/// A decimal that is computed with more digits than its type has, as it is where nothing more is computed.
pub fn rounded(e: BExpr) -> BExpr {
    let SqlType::Decimal { scale, .. } = e.info.ty else { return e };
    let info = e.info;
    adapted(Adapt::Rounded(scale), e, info)
}

/// What a function of dates gives as a text, because it was given one: its number where it is computed with.
pub fn as_moment(e: BExpr) -> BExpr {
    match is_dated_text(&e) {
        true => adapted(Adapt::Moment, e, TypeInfo::new(SqlType::DOUBLE, true)),
        false => e,
    }
}

/// The same where a date or time is wanted.
pub fn as_date_or_time(e: BExpr) -> BExpr {
    let info = e.info;
    if is_dated_text(&e) { adapted(Adapt::MomentItself, e, info) } else { e }
}

fn is_dated_text(e: &BExpr) -> bool {
    let dated = match &e.node {
        Node::DateAdd { .. } => true,
        Node::Func(def, _) => matches!(def.name, "ADDTIME" | "SUBTIME" | "ADDDATE" | "SUBDATE"),
        _ => false,
    };
    dated && e.info.ty.is_string()
}

/// The text itself, where it is no number of all its digits.
pub fn unmoved(e: BExpr) -> BExpr {
    match e.node {
        Node::Adapted(Adapt::Moment, inner) => *inner,
        node => BExpr { node, ..e },
    }
}

/// A decimal that may have more digits than its type.
pub fn is_long(e: &BExpr) -> bool {
    match &e.node {
        Node::Arith(op, a, b) => *op == Op::LongDiv || is_long(a) || is_long(b),
        Node::Neg(a) => is_long(a),
        _ => false,
    }
}

/// An integer as a DECIMAL that holds the opposites of all.
pub fn as_decimal(e: BExpr) -> BExpr {
    let target = CastTarget::Decimal { precision: 20, scale: 0 };
    let info = target.result_type(&e.info);
    BExpr::new(Node::Cast(target, Box::new(e)), info)
}
