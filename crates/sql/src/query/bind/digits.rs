//! Numbers that have other digits where they are computed with than where they are shown: quotients and averages have more, and dates that
//! are texts are numbers of all their digits.

use super::literal::adapted;
use crate::func::FuncDef;
use crate::func::control::IF_ITSELF;
use crate::func::facts::{Fraction, Id};
use crate::func::infer::fsp_of;
use crate::query::expr::adapt::Adapt;
use crate::query::expr::{BExpr, Node};
use crate::value::arith::Op;
use crate::value::cast::CastTarget;
use crate::value::temporal::parse;
use crate::value::{SqlType, TypeInfo, Value};

/// Functions of times know how many digits the fraction of a constant text has, as far as it is a time or date: six of any other. Those
/// that make times of numbers ask for the digits of a text's type, which may be six.
pub fn with_digits_of_texts(def: &FuncDef, args: &[BExpr], info: &mut TypeInfo) {
    if !info.ty.is_temporal() || info.ty.fsp() < 6 || def.fraction == Fraction::OfType {
        return;
    }
    let others = args.iter().filter(|a| !a.info.ty.is_string());
    let others: Vec<TypeInfo> = others.map(|a| a.info).collect();
    let mut fsp = fsp_of(&others);
    let texts = args.iter().enumerate().filter(|(_, a)| a.info.ty.is_string());
    let mut any = false;
    for (at, text) in texts {
        let Node::Const(v) = &text.node else { return };
        let Some(b) = v.as_bytes() else { return };
        let dated = || parse::datetime(b, true).map(|found| found.value.fsp);
        let digits = match (def.fraction, at) {
            (Fraction::Time, _) | (Fraction::DateThenTime, 1) => {
                parse::time(b).map_or(6, |found| found.value.fsp)
            }
            (Fraction::DateThenTime | Fraction::DateFirst, 0) => dated().unwrap_or(6),
            // Names of zones and units have none.
            _ => dated().unwrap_or(0),
        };
        fsp = fsp.max(digits);
        any = true;
    }
    match &mut info.ty {
        SqlType::Time { fsp: known }
        | SqlType::DateTime { fsp: known }
        | SqlType::Timestamp { fsp: known }
            if any =>
        {
            *known = fsp;
        }
        _ => {}
    }
}

/// A decimal with all the digits that it was computed with.
pub fn unrounded(e: BExpr) -> BExpr {
    match e.node {
        Node::Adapted(Adapt::Rounded(_), inner) => *inner,
        node => BExpr { node, ..e },
    }
}

/// AVG() of exact numbers with all the digits that it was computed with, also where IF(), CASE, NULLIF(), a subquery or an assignment gives
/// it. It is compared and assigned with them, where a quotient is not; a column and every other function have the digits of its type.
pub fn whole_average(e: BExpr) -> BExpr {
    match e.node {
        Node::Adapted(Adapt::Rounded(_), inner) if gives_average(&inner) => *inner,
        node => BExpr { node, ..e },
    }
}

/// What is rounded as an average is: whatever else is rounded computes something.
fn gives_average(e: &BExpr) -> bool {
    match &e.node {
        Node::Agg(_) | Node::OuterAgg { .. } | Node::Sub(_) | Node::Assign(..) => true,
        Node::Case { .. } => true,
        Node::Func(def, _) => matches!(def.id, Id::If | Id::Nullif),
        _ => false,
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
    // A BIT is read as the text that its bytes are.
    let e = chosen_moment(super::literal::as_bytes(e));
    let info = e.info;
    if is_dated_text(&e) { adapted(Adapt::MomentItself, e, info) } else { e }
}

/// IF() and CASE of a date or time and others, which is a text: where a date or time is wanted MySQL asks the branch that is chosen for it.
pub fn chosen_moment(e: BExpr) -> BExpr {
    fn has_moment(e: &BExpr) -> bool {
        match &e.node {
            Node::Func(def, args) if def.id == Id::If => args[1..].iter().any(has_moment),
            Node::Case { whens, otherwise } => {
                whens.iter().any(|(_, v)| has_moment(v))
                    || otherwise.as_deref().is_some_and(has_moment)
            }
            _ => e.info.ty.is_temporal(),
        }
    }
    if e.info.ty.is_temporal() || !has_moment(&e) {
        return e;
    }
    let info = e.info;
    let itself = |condition, then, otherwise| {
        BExpr::new(Node::Func(&IF_ITSELF, vec![condition, then, otherwise]), info)
    };
    match e.node {
        Node::Func(_, args) => match <[BExpr; 3]>::try_from(args) {
            Ok([condition, then, otherwise]) => {
                itself(condition, as_date_or_time(then), as_date_or_time(otherwise))
            }
            Err(args) => BExpr::new(Node::Func(&IF_ITSELF, args), info),
        },
        Node::Case { whens, otherwise } => {
            let last = otherwise.map_or(BExpr::constant(Value::Null), |e| as_date_or_time(*e));
            let whens = whens.into_iter().rev();
            whens.fold(last, |rest, (when, then)| itself(when, as_date_or_time(then), rest))
        }
        node => BExpr { node, ..e },
    }
}

fn is_dated_text(e: &BExpr) -> bool {
    let dated = match &e.node {
        Node::DateAdd { .. } => true,
        Node::Func(def, _) => def.id == Id::MovesTime,
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
        // An average is rounded by what is around it.
        _ => gives_average(e) && matches!(e.info.ty, SqlType::Decimal { .. }),
    }
}

/// An integer as a DECIMAL that holds the opposites of all.
pub fn as_decimal(e: BExpr) -> BExpr {
    let target = CastTarget::Decimal { precision: 20, scale: 0 };
    let info = target.result_type(&e.info);
    BExpr::new(Node::Cast(target, Box::new(e)), info)
}
