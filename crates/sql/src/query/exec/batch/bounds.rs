//! Constants that columns are compared with, as bounds of the columns' numbers.
//!
//! A comparison of an exact number, an integer or a date with a constant is a range of the column's numbers, both ends included, or all but
//! that range: a constant that lies between two numbers of the column (`int < 2.5`, a date below noon) becomes the number below it.

use super::column::{Column, Kind};
use super::condition::Test;
use crate::query::expr::CmpOp;
use crate::value::compare::CompareRule;
use crate::value::{Collation, Decimal, Value};

/// The greatest number of the column's that is not above a constant, and whether it is equal to the constant.
#[derive(Clone, Copy)]
struct Floor {
    number: i128,
    exact: bool,
}

/// The comparison of the column at place `at` with a constant that is not NULL; `None`: it is to be evaluated row by row.
pub fn compared(
    (at, column): (usize, &Column),
    op: CmpOp,
    rule: Option<CompareRule>,
    constant: &Value<'_>,
) -> Option<Test> {
    match column.kind {
        Kind::Real => {
            let plain = rule == Some(CompareRule::Double)
                || rule.is_none() && column.ty.fixed_digits().is_none();
            let value = real_of(constant).filter(|_| plain)?;
            Some(Test::Real { column: at, op, value })
        }
        Kind::Text(own) => {
            let (Some(CompareRule::Text(rule)), Value::Str(text, theirs)) = (rule, constant) else {
                return None;
            };
            let same = |c: Collation| c.charset() == rule.charset();
            (same(own) && same(*theirs)).then(|| Test::text(at, op, text, rule))
        }
        Kind::Member => None,
        _ => Some(within(at, column, op, floor(column.kind, rule, constant)?)),
    }
}

/// The column's number that a constant is, for lists: `None`: it is to be evaluated row by row, `Some(None)`: the column cannot have it.
pub fn number_of(
    column: &Column,
    rule: Option<CompareRule>,
    constant: &Value<'_>,
) -> Option<Option<i64>> {
    let floor = floor(column.kind, rule, constant)?;
    Some(i64::try_from(shifted(column.kind, floor.number)).ok().filter(|_| floor.exact))
}

fn within(at: usize, column: &Column, op: CmpOp, floor: Floor) -> Test {
    let Floor { number, exact } = floor;
    let (least, greatest) = (i128::MIN, i128::MAX);
    let below = if exact { number - 1 } else { number };
    let (low, high) = match op {
        CmpOp::Eq | CmpOp::NullSafe | CmpOp::Ne if exact => (number, number),
        CmpOp::Eq | CmpOp::NullSafe => return Test::Never,
        CmpOp::Ne => return Test::Null { column: at, negated: true },
        CmpOp::Lt => (least, below),
        CmpOp::Le => (least, number),
        CmpOp::Gt => (number + 1, greatest),
        CmpOp::Ge => (below + 1, greatest),
    };
    let clamped = |n: i128| {
        let n = if n == least || n == greatest { n } else { shifted(column.kind, n) };
        n.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    };
    let beyond = |n: i128| {
        let n = shifted(column.kind, n);
        n < i64::MIN.into() || n > i64::MAX.into()
    };
    let empty = (low != least && beyond(low) && shifted(column.kind, low) > 0)
        || (high != greatest && beyond(high) && shifted(column.kind, high) < 0);
    let negated = op == CmpOp::Ne;
    match (empty || low > high, negated) {
        (true, false) => Test::Never,
        (true, true) => Test::Null { column: at, negated: true },
        (false, _) => Test::Within { column: at, low: clamped(low), high: clamped(high), negated },
    }
}

/// The number in the vector that a value has.
fn shifted(kind: Kind, number: i128) -> i128 {
    if kind == Kind::UInt { number + i128::from(i64::MIN) } else { number }
}

fn floor(kind: Kind, rule: Option<CompareRule>, constant: &Value<'_>) -> Option<Floor> {
    match kind {
        Kind::Int | Kind::UInt | Kind::Exact(_) => {
            if !matches!(rule, None | Some(CompareRule::Int | CompareRule::Decimal)) {
                return None;
            }
            let scale = if let Kind::Exact(scale) = kind { scale } else { 0 };
            let (coefficient, own) = exact_of(constant)?;
            scaled(coefficient, own, scale)
        }
        Kind::Date | Kind::DateTime => {
            if !matches!(rule, None | Some(CompareRule::DateTime)) {
                return None;
            }
            let moment = match constant {
                Value::Date(d) => d.at_midnight(),
                Value::DateTime(d) => *d,
                _ => return None,
            };
            Some(match kind {
                Kind::Date => {
                    let midnight = moment.date.at_midnight().pack();
                    let number = moment.date.pack().into();
                    Floor { number, exact: midnight == moment.pack() }
                }
                _ => Floor { number: moment.pack().into(), exact: true },
            })
        }
        Kind::Real | Kind::Member | Kind::Text(_) => None,
    }
}

/// An exact number as its coefficient and its digits behind the point.
pub fn exact_of(v: &Value<'_>) -> Option<(i128, u8)> {
    Some(match v {
        Value::Int(n) => ((*n).into(), 0),
        Value::UInt(n) => ((*n).into(), 0),
        Value::Decimal(d) => (coefficient(d)?, d.scale()),
        _ => return None,
    })
}

/// `None`: it does not fit in 64 bits.
fn coefficient(d: &Decimal) -> Option<i128> {
    let (negative, _, [low, 0, 0, 0]) = d.parts() else { return None };
    Some(if negative { -i128::from(low) } else { low.into() })
}

/// A number with `own` digits behind the point, compared with numbers that have `scale` of them.
fn scaled(coefficient: i128, own: u8, scale: u8) -> Option<Floor> {
    let power = |n: u8| 10i128.checked_pow(n.into());
    if own <= scale {
        let number = coefficient.checked_mul(power(scale - own)?)?;
        return Some(Floor { number, exact: true });
    }
    let divisor = power(own - scale)?;
    let number = coefficient.div_euclid(divisor);
    Some(Floor { number, exact: coefficient.rem_euclid(divisor) == 0 })
}

fn real_of(v: &Value<'_>) -> Option<f64> {
    match v {
        Value::Int(_) | Value::UInt(_) | Value::Decimal(_) | Value::Double(_) => {
            v.to_f64(&mut crate::value::Warnings::with_limit(0))
        }
        _ => None,
    }
}
