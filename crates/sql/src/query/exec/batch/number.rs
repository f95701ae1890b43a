//! Exact arithmetic over vectors: sums, differences and products of integers and decimals, as far as their types say that no result
//! overflows. What may overflow is evaluated row by row, and has its error there.

use super::bounds::exact_of;
use super::column::{Columns, Kind};
use super::constants::{Constants, settled};
use crate::query::expr::{BExpr, Node};
use crate::value::arith::Op;
use crate::value::decimal::MAX_SCALE;
use crate::value::{SqlType, Value};

/// An exact number of each row.
pub struct Number {
    what: What,
    /// Digits behind the point.
    pub scale: u8,
    /// It is an integer, and no decimal without a fraction.
    pub whole: bool,
    /// No value is further from zero.
    most: i128,
}

enum What {
    Column(usize),
    Constant(i128),
    Computed(Op, Box<Number>, Box<Number>),
}

/// No decimal of a vector is further from zero, so that a sum of them needs a hundred million rows to leave 128 bits.
const MOST: i128 = 10i128.pow(30);

impl Number {
    pub fn of(
        e: &BExpr,
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Number> {
        if let Node::Arith(op @ (Op::Add | Op::Sub | Op::Mul), a, b) = &e.node {
            let plain = matches!(e.info.ty, SqlType::Int { .. } | SqlType::Decimal { .. });
            if !plain || e.info.ty.is_unsigned() {
                return None;
            }
            let (a, b) = (Number::of(a, columns, cx)?, Number::of(b, columns, cx)?);
            return Number::computed(*op, a, b);
        }
        if let Some(at) = columns.place(e, cx) {
            let column = &columns.list[at];
            let scale = match column.kind {
                Kind::Int => 0,
                Kind::Exact(scale) => scale,
                _ => return None,
            };
            if column.ty.is_unsigned() {
                return None;
            }
            let most = match column.ty {
                SqlType::Int { kind, .. } => kind.range(false).1 + 1,
                SqlType::Decimal { precision, .. } => 10i128.pow(precision.into()),
                _ => return None,
            };
            let whole = column.kind == Kind::Int;
            return Some(Number { what: What::Column(at), scale, whole, most });
        }
        let v = settled(e, cx)?;
        let (coefficient, scale) = exact_of(&v)?;
        // With an unsigned number the result would be unsigned.
        if matches!(v, Value::UInt(_)) {
            return None;
        }
        let whole = matches!(v, Value::Int(_));
        let fits = i64::try_from(coefficient).is_ok();
        fits.then_some(Number {
            what: What::Constant(coefficient),
            scale,
            whole,
            most: coefficient.abs(),
        })
    }

    fn computed(op: Op, a: Number, b: Number) -> Option<Number> {
        let whole = a.whole && b.whole;
        let (scale, most) = match op {
            Op::Mul => (a.scale + b.scale, a.most.checked_mul(b.most)?),
            _ => {
                let scale = a.scale.max(b.scale);
                (scale, a.most_at(scale)?.checked_add(b.most_at(scale)?)?)
            }
        };
        let limit = if whole { i64::MAX.into() } else { MOST };
        let fits = most <= limit && scale <= MAX_SCALE;
        let what = What::Computed(op, Box::new(a), Box::new(b));
        fits.then_some(Number { what, scale, whole, most })
    }

    fn most_at(&self, scale: u8) -> Option<i128> {
        self.most.checked_mul(10i128.checked_pow((scale - self.scale).into())?)
    }

    pub fn column(&self) -> Option<usize> {
        match self.what {
            What::Column(at) => Some(at),
            _ => None,
        }
    }

    pub fn columns(&self, out: &mut Vec<usize>) {
        match &self.what {
            What::Column(at) => out.push(*at),
            What::Constant(_) => {}
            What::Computed(_, a, b) => [a, b].into_iter().for_each(|n| n.columns(out)),
        }
    }

    /// The numbers of the selected rows, in their order, with as many digits behind the point as `scale` says. Those of rows with a NULL
    /// are any.
    fn at_scale(&self, columns: &Columns<'_>, selected: &[u32], scale: u8, out: &mut Vec<i128>) {
        self.of_rows(columns, selected, out);
        if scale > self.scale {
            let factor = 10i128.pow((scale - self.scale).into());
            out.iter_mut().for_each(|n| *n = n.wrapping_mul(factor));
        }
    }

    /// The numbers of the selected rows, in their order. Those of rows with a NULL are any.
    pub fn of_rows(&self, columns: &Columns<'_>, selected: &[u32], out: &mut Vec<i128>) {
        out.clear();
        match &self.what {
            What::Column(at) => {
                let c = &columns.list[*at];
                out.extend(selected.iter().map(|row| i128::from(c.number(*row))));
            }
            What::Constant(n) => out.resize(selected.len(), *n),
            What::Computed(op, a, b) => {
                let mut right = Vec::new();
                let (left_scale, right_scale) = match op {
                    Op::Mul => (a.scale, b.scale),
                    _ => (self.scale, self.scale),
                };
                a.at_scale(columns, selected, left_scale, out);
                b.at_scale(columns, selected, right_scale, &mut right);
                let both = out.iter_mut().zip(&right);
                match op {
                    Op::Add => both.for_each(|(x, y)| *x = x.wrapping_add(*y)),
                    Op::Sub => both.for_each(|(x, y)| *x = x.wrapping_sub(*y)),
                    _ => both.for_each(|(x, y)| *x = x.wrapping_mul(*y)),
                }
            }
        }
    }
}
