//! Comparisons of FLOAT(m,d) and DOUBLE(m,d), which go as far as the places of both sides.

use crate::query::expr::{BExpr, Node};
use crate::value::SqlType;
use crate::value::compare::{CompareRule, Other};
use crate::value::types::Class;

/// FLOAT(m,d) or DOUBLE(m,d) with what may be an exact number, or with another one of fixed digits.
pub fn near_where_fixed(mut e: BExpr) -> BExpr {
    let near = |real: &BExpr, other: &BExpr| {
        let exact = matches!(other.info.ty.class(), Class::Int | Class::Decimal);
        let variable = matches!(other.node, Node::UserVar(_));
        let (_, places) = real.info.ty.fixed_digits()?;
        if let Some((_, others)) = other.info.ty.fixed_digits() {
            return Some(CompareRule::Near { places: places.max(others), other: Other::Fixed });
        }
        let kind = match real.info.ty {
            SqlType::Float { .. } => Other::Single,
            _ => Other::Exact,
        };
        let near = (exact || other.is_untyped()) && !variable;
        near.then_some(CompareRule::Near { places, other: kind })
    };
    if let Node::Cmp { rule, a, b, .. } = &mut e.node
        && let Some(r) = near(a, b).or_else(|| near(b, a))
    {
        *rule = Some(r);
    }
    e
}
