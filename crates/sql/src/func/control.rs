//! Flow control and NULL handling, as functions. For IF, IFNULL and COALESCE the executor evaluates only the arguments that they take; what is
//! here serves anyone who has all values at hand.

use super::facts::{Arg, Form, Id};
use super::infer;
use super::{ANY, FuncCtx, FuncDef, Out, def};
use crate::value::compare::{CompareRule, compare};
use crate::value::{SqlType, TypeInfo, Value};
use std::cmp::Ordering;

pub(super) const TABLE: &[FuncDef] = &[
    def("IF", 3, 3, infer_if, choose)
        .id(Id::If)
        .takes(&[Arg::Choice, Arg::Any])
        .joins(1)
        .branches(1)
        .keyed(),
    def("IFNULL", 2, 2, infer_coalesce, coalesce).id(Id::Ifnull).joins(0).branches(0).keyed(),
    def("NULLIF", 2, 2, infer_nullif, nullif).id(Id::Nullif).compares().keyed(),
    // The value of any row of a group: that of the row that is kept.
    def("ANY_VALUE", 1, 1, infer_coalesce, coalesce).id(Id::AnyValue).branches(0),
    def("COALESCE", 1, ANY, infer_coalesce, coalesce).id(Id::Coalesce).joins(0).branches(0).keyed(),
    def("ISNULL", 1, 1, never_null, |_, a| Ok(Value::bool(a[0].is_null())))
        .written(Form::IsNull)
        .truth(),
    def("INTERVAL", 2, ANY, infer::int_always::<2>, interval).numbers(),
];

fn never_null(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::BOOL, false)
}

fn infer_if(args: &[TypeInfo]) -> TypeInfo {
    infer::merge(args.get(1..).unwrap_or_default())
}

fn infer_coalesce(args: &[TypeInfo]) -> TypeInfo {
    let mut info = infer::merge(args);
    info.nullable = args.iter().all(|a| a.nullable);
    info
}

fn infer_nullif(args: &[TypeInfo]) -> TypeInfo {
    let mut info = args.first().copied().unwrap_or(TypeInfo::null());
    info.nullable = true;
    info
}

fn choose(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let truth = args[0].to_bool(&mut cx.warnings) == Some(true);
    Ok(args[if truth { 1 } else { 2 }].clone().into_owned())
}

fn coalesce(_: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let first = args.iter().find(|v| !v.is_null());
    Ok(first.map_or(Value::Null, |v| v.clone().into_owned()))
}

fn nullif(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let rule = CompareRule::of_values(&args[0], &args[1]);
    let equal = compare(&args[0], &args[1], rule, cx)? == Some(Ordering::Equal);
    Ok(if equal { Value::Null } else { args[0].clone().into_owned() })
}

/// NULLIF() whose comparison is an expression of its own: what the sides are beside each other is known when they are bound, by their types.
pub static NULLIF_COMPARED: FuncDef =
    def("NULLIF", 2, 2, infer_nullif, |cx, args| match args[1].to_bool(&mut cx.warnings) {
        Some(true) => Ok(Value::Null),
        _ => Ok(args[0].clone().into_owned()),
    })
    .id(Id::Nullif)
    .compares()
    .keyed();

/// IF(), or a CASE that is made of it, where a date or time is wanted: a branch that has one gives that, and not its text.
pub static IF_ITSELF: FuncDef = def("IF", 3, 3, infer_if, choose).id(Id::IfItself).joins(1);

/// INTERVAL(n, a, b, ...): how many of the sorted bounds are not above n; -1 for NULL.
fn interval(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    // Exact numbers are compared exactly.
    let exact = |v: &Value<'_>| matches!(v, Value::Int(_) | Value::UInt(_) | Value::Decimal(_));
    if exact(&args[0]) {
        let mut below = 0;
        for bound in &args[1..] {
            let rule = if exact(bound) { CompareRule::Decimal } else { CompareRule::Double };
            if compare(bound, &args[0], rule, cx)? == Some(Ordering::Greater) {
                break;
            }
            below += 1;
        }
        return Ok(Value::Int(below));
    }
    let Some(n) = args[0].to_f64(&mut cx.warnings) else { return Ok(Value::Int(-1)) };
    let mut below = 0;
    for bound in &args[1..] {
        match bound.to_f64(&mut cx.warnings) {
            Some(b) if b > n => break,
            _ => below += 1,
        }
    }
    Ok(Value::Int(below))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn table() {
        check(&[
            ("IF", &[i(1), i(2), i(3)], Some("2")),
            ("IF", &[Value::Null, i(2), i(3)], Some("3")),
            ("IFNULL", &[Value::Null, s("x")], Some("x")),
            ("COALESCE", &[Value::Null, Value::Null, i(1)], Some("1")),
            ("NULLIF", &[i(1), s("1")], None),
            ("NULLIF", &[i(1), i(2)], Some("1")),
            ("ISNULL", &[Value::Null], Some("1")),
            ("INTERVAL", &[i(23), i(1), i(15), i(17), i(30), i(44), i(200)], Some("3")),
        ]);
        let t = |ty, nullable| TypeInfo::new(ty, nullable);
        let info = infer_coalesce(&[t(SqlType::INT, true), t(SqlType::INT, false)]);
        assert_eq!((info.ty, info.nullable), (SqlType::INT, false));
    }
}
