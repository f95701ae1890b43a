//! Values in the form of a type that says more than they do.

use crate::func::FuncDef;
use crate::query::expr::{BExpr, Node};
use crate::value::cast::coerce;
use crate::value::{DateTime, EvalCtx, SqlType, Time, Value};

/// What a function answers: a time has the digits of the function's type, also as a text (SEC_TO_TIME(1e0) is 00:00:01.000000), and a text
/// is one of the type's character set, whatever sets the arguments are of.
pub fn answer<'v>(function: &FuncDef, v: Value<'v>, ty: &SqlType) -> Value<'v> {
    // Most calls answer a number.
    if !matches!(v, Value::Str(..) | Value::Time(_) | Value::DateTime(_))
        // How many digits a function of the clock has the value says, where the type is made before the argument is known.
        || function.has_digits()
    {
        return v;
    }
    match (v, ty) {
        (Value::Str(b, c), ty) => {
            let own = Value::Str(b, c);
            match ty.collation().filter(|t| !t.is_binary() && t.charset() != c.charset()) {
                Some(t) => match own.to_exact_text_in(t) {
                    Some(text) => Value::text(text.into_owned(), t),
                    None => own,
                },
                None => own,
            }
        }
        (v, ty) => with_digits(v, ty),
    }
}

/// It stands in the statement, in its text or in the plan as a parameter.
pub fn is_literal(e: &BExpr) -> bool {
    matches!(e.node, Node::Const(_) | Node::Param(_))
}

/// A time with the digits of its type, where it has fewer.
pub fn with_digits<'v>(v: Value<'v>, ty: &SqlType) -> Value<'v> {
    match (v, ty) {
        (Value::Time(t), SqlType::Time { fsp }) => Value::Time(Time { fsp: t.fsp.max(*fsp), ..t }),
        (Value::DateTime(d), SqlType::DateTime { fsp } | SqlType::Timestamp { fsp }) => {
            Value::DateTime(DateTime { fsp: d.fsp.max(*fsp), ..d })
        }
        (v, _) => v,
    }
}

/// A value of a set operation: what its branch gives as one of the common type, and bytes of one length as a column of them keeps them.
pub fn coerce_in_set<'v>(v: Value<'v>, ty: &SqlType, cx: &mut EvalCtx<'_>) -> Value<'v> {
    match (coerce(v, ty, cx), ty) {
        (Value::Bytes(b), SqlType::Char { chars, .. }) if b.len() < *chars as usize => {
            let mut b = b.into_owned();
            b.resize(*chars as usize, 0);
            Value::Bytes(b.into())
        }
        (v, _) => v,
    }
}

/// A column's value where a UNION makes a text of it: a YEAR has four digits, and a BIT is the digits of its number.
pub fn in_union<'v>(v: Value<'v>, own: &SqlType, common: &SqlType) -> Value<'v> {
    match (own, &v) {
        _ if !common.is_string() => v,
        (SqlType::Bit { .. }, Value::UInt(n)) => {
            let c = common.collation().unwrap_or(crate::value::Collation::Binary);
            Value::text(n.to_string().into_bytes(), c)
        }
        (SqlType::Year, Value::UInt(_)) => {
            let mut text = Vec::new();
            own.write_text(&v, &mut text);
            Value::text(text, common.collation().unwrap_or(crate::value::Collation::Binary))
        }
        _ => v,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> &'static FuncDef {
        crate::func::lookup(name).expect("a function")
    }
    use crate::value::Collation;

    #[test]
    fn values_have_the_form_of_their_type() {
        let latin1 = Collation::by_name("latin1_swedish_ci").expect("there");
        let ty = SqlType::varchar(4, latin1);
        let text = answer(known("EXPORT_SET"), Value::str("ä"), &ty);
        assert_eq!(text.collation(), Some(latin1));
        // What the set lacks stays what it is.
        assert_eq!(answer(known("EXPORT_SET"), Value::str("日"), &ty), Value::str("日"));
        let time = Value::Time(Time::from_micros(1_500_000, 1));
        let shown = answer(known("SEC_TO_TIME"), time.clone(), &SqlType::Time { fsp: 6 });
        assert_eq!(shown.to_string_lossy().as_deref(), Some("00:00:01.500000"));
        assert_eq!(answer(known("CURTIME"), time.clone(), &SqlType::Time { fsp: 6 }), time);
        let year = in_union(Value::UInt(0), &SqlType::Year, &ty);
        assert_eq!(year.to_string_lossy().as_deref(), Some("0000"));
        assert_eq!(in_union(Value::UInt(0), &SqlType::Year, &SqlType::INT), Value::UInt(0));
        let bits = in_union(Value::UInt(97), &SqlType::Bit { bits: 8 }, &SqlType::varbinary(3));
        assert_eq!(bits, Value::Bytes(b"97".as_slice().into()));
    }
}
