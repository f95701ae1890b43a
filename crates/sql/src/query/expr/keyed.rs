//! Keys that are equal where SQL calls the values equal.
//!
//! Invariant: values that SQL calls equal have the same key ([`Keyed::key`]), and others have another one. Both hold for values of one
//! [`Keyed`] kind only. A kind that two types are compared in ([`Keyed::by`]) may make one value of several of one type: '1' and '1.0' are
//! the same number.

use crate::func::aggregate::distinct_key;
use crate::value::compare::{CompareRule, as_comparable, as_json, as_moment};
use crate::value::json::canonical;
use crate::value::{Class, Collation, EvalCtx, SqlType, Value};
use std::borrow::Cow;

/// Kinds of values whose equality a key can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// Integers, of either sign.
    Integer,
    /// Exact numbers with digits behind the point, and integers compared with them.
    Decimal,
    Double,
    /// What is compared as doubles: numbers of different kinds, and texts and dates compared with numbers. `quiet`: nothing is said of a
    /// text that is no number.
    Number {
        quiet: bool,
    },
    /// What is compared as texts in a collation.
    Text(Collation),
    /// Dates, and dates with times.
    Date,
    /// Texts and times compared with dates, and those dates. `date`: one of the two types is DATE, which a warning names.
    Moment {
        date: bool,
    },
    Time,
    /// What is compared as JSON documents.
    Json,
}

impl Keyed {
    /// The kind in which columns of these types are compared, if a value needs no conversion for it.
    pub fn of(a: &SqlType, b: &SqlType) -> Option<Keyed> {
        use Class::{DateTime, Int, Real};
        match (a.class(), b.class()) {
            (Int, Int) => Some(Keyed::Integer),
            (Int | Class::Decimal, Int | Class::Decimal) => Some(Keyed::Decimal),
            (Real, Real) => Some(Keyed::Double),
            (Class::Text, Class::Text) => {
                a.collation().filter(|c| b.collation() == Some(*c)).map(Keyed::Text)
            }
            (Class::Date | DateTime, Class::Date | DateTime) => Some(Keyed::Date),
            (Class::Time, Class::Time) => Some(Keyed::Time),
            _ => None,
        }
    }

    /// The kind in which a comparison by this rule compares values of these types, if it is an equality of keys. The order of the types
    /// makes no difference.
    pub fn by(rule: Option<CompareRule>, a: &SqlType, b: &SqlType) -> Option<Keyed> {
        use Class::{Date, DateTime, Decimal, Int, Json, Null, Real, Text, Time};
        let classes = [a.class(), b.class()];
        if classes.contains(&Null) {
            return None;
        }
        match rule {
            None => Keyed::of(a, b),
            Some(CompareRule::Int | CompareRule::Decimal) => {
                let exact = |c: &Class| matches!(c, Int | Decimal);
                Keyed::of(a, b).filter(|_| classes.iter().all(exact))
            }
            Some(CompareRule::Double) if classes == [Real, Real] => Some(Keyed::Double),
            Some(CompareRule::Double) => {
                // Of a column of TEXT or BLOB a number is made without a word.
                let quiet = a.is_lob() || b.is_lob();
                (!classes.contains(&Json)).then_some(Keyed::Number { quiet })
            }
            Some(CompareRule::Text(c)) => (classes == [Text, Text]).then_some(Keyed::Text(c)),
            Some(CompareRule::DateTime) => match classes {
                [Date | DateTime, Date | DateTime] => Some(Keyed::Date),
                [Date | DateTime, Text | Time] | [Text | Time, Date | DateTime] => {
                    Some(Keyed::Moment { date: classes.contains(&Date) })
                }
                _ => None,
            },
            Some(CompareRule::Time) => match classes {
                [Time, Time] => Some(Keyed::Time),
                // A time beside a text is compared with its text.
                [Time, Text] => b.collation().map(Keyed::Text),
                [Text, Time] => a.collation().map(Keyed::Text),
                _ => None,
            },
            Some(CompareRule::Json) => Some(Keyed::Json),
            // Nearly equal is not transitive.
            Some(CompareRule::Near { .. }) => None,
        }
    }

    /// Adds the value to a key; none for NULL, which equals nothing. `Err`: it is of another kind than its type promised, or cannot be
    /// converted, and nothing can be told. What a conversion has to say (1292) is said, as the comparison would say it.
    pub fn key(
        self,
        v: &Value<'_>,
        out: &mut Vec<u8>,
        cx: &mut EvalCtx<'_>,
    ) -> Result<Option<()>, ()> {
        match (self, v) {
            (_, Value::Null) => return Ok(None),
            (Keyed::Decimal, Value::Int(n)) => decimal(n.to_string(), out),
            (Keyed::Decimal, Value::UInt(n)) => decimal(n.to_string(), out),
            (Keyed::Decimal, Value::Decimal(d)) => decimal(d.to_string(), out),
            (Keyed::Number { quiet }, v) if !matches!(v, Value::Json(_)) => {
                let before = cx.warnings.quiet;
                cx.warnings.quiet |= quiet;
                let number = v.to_f64(&mut cx.warnings);
                cx.warnings.quiet = before;
                distinct_key(&Value::Double(number.ok_or(())?), out);
            }
            (Keyed::Text(c), v @ (Value::Str(..) | Value::Bytes(_) | Value::Time(_))) => {
                let text = as_comparable(v, c).map_err(drop)?;
                distinct_key(&Value::Str(Cow::Borrowed(&text), c), out);
            }
            (Keyed::Moment { date }, v) if v.is_temporal() || v.is_string() => {
                let moment = as_moment(v, date, cx).ok_or(())?;
                distinct_key(&Value::DateTime(moment), out);
            }
            (Keyed::Json, v) => {
                let document = as_json(v).map_err(drop)?;
                canonical(document.view(), out);
            }
            (Keyed::Integer, Value::Int(_) | Value::UInt(_))
            | (Keyed::Double, Value::Double(_))
            | (Keyed::Date, Value::Date(_) | Value::DateTime(_))
            | (Keyed::Time, Value::Time(_)) => distinct_key(v, out),
            _ => return Err(()),
        }
        Ok(Some(()))
    }
}

/// Numbers that are equal have the same digits: no zeros behind the last one, and one zero.
fn decimal(text: String, out: &mut Vec<u8>) {
    let bare = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text[..],
    };
    let bare = if bare == "-0" { "0" } else { bare };
    out.extend_from_slice(bare.as_bytes());
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Date, Decimal, NoSession, Value};

    const TEXT: Keyed = Keyed::Text(Collation::Utf8mb4GeneralCi);
    const NUMBER: Keyed = Keyed::Number { quiet: false };

    fn key(kind: Keyed, v: &Value<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        assert_eq!(kind.key(v, &mut out, &mut EvalCtx::new(&NoSession)), Ok(Some(())));
        out
    }

    fn text(s: &'static str) -> Value<'static> {
        Value::Str(Cow::Borrowed(s.as_bytes()), Collation::Utf8mb4GeneralCi)
    }

    fn decimal(s: &str) -> Value<'static> {
        Value::Decimal(Decimal::parse(s.as_bytes()).value.expect("a number"))
    }

    #[test]
    fn equal_values_have_equal_keys() {
        let same = |kind, a: &Value<'_>, b: &Value<'_>| assert_eq!(key(kind, a), key(kind, b));
        let other = |kind, a: &Value<'_>, b: &Value<'_>| assert_ne!(key(kind, a), key(kind, b));
        same(Keyed::Integer, &Value::Int(7), &Value::UInt(7));
        other(Keyed::Integer, &Value::Int(-1), &Value::UInt(u64::MAX));
        same(Keyed::Decimal, &Value::Int(100), &decimal("100.00"));
        same(Keyed::Decimal, &Value::Int(0), &decimal("-0.0"));
        same(Keyed::Decimal, &decimal("1.50"), &decimal("1.5"));
        other(Keyed::Decimal, &Value::Int(1), &Value::Int(10));
        same(Keyed::Double, &Value::Double(0.0), &Value::Double(-0.0));
        same(TEXT, &text("Ab"), &text("aB"));
        other(TEXT, &text("ab"), &text("abc"));
    }

    #[test]
    fn values_of_two_types_are_keyed_as_they_are_compared() {
        for (a, b) in
            [("7", Value::Int(7)), (" 7.0", Value::UInt(7)), ("-1e1", Value::Double(-10.0))]
        {
            assert_eq!(key(NUMBER, &text(a)), key(NUMBER, &b), "{a}");
        }
        let day = Date::new(2024, 2, 29);
        assert_eq!(key(NUMBER, &Value::Date(day)), key(NUMBER, &Value::Int(20_240_229)));
        let moment = Keyed::Moment { date: true };
        assert_eq!(key(moment, &Value::Date(day)), key(moment, &text("2024-2-29")));
        let bytes = Keyed::Text(Collation::Utf8mb4Bin);
        assert_ne!(key(bytes, &text("a")), key(bytes, &text("A")));
        assert_eq!(key(Keyed::Json, &Value::Int(1)), key(Keyed::Json, &decimal("1.0")));
        assert_ne!(key(Keyed::Json, &Value::Int(1)), key(Keyed::Json, &text("1")));
    }

    #[test]
    fn a_conversion_says_what_is_wrong_once() {
        let mut cx = EvalCtx::new(&NoSession);
        let mut begun = Vec::new();
        assert_eq!(NUMBER.key(&text("7a"), &mut begun, &mut cx), Ok(Some(())));
        assert_eq!((begun, cx.warnings.total()), (key(NUMBER, &Value::Int(7)), 1));
        let quiet = Keyed::Number { quiet: true };
        assert_eq!(quiet.key(&text("7a"), &mut Vec::new(), &mut cx), Ok(Some(())));
        assert_eq!(cx.warnings.total(), 1);
    }

    #[test]
    fn kinds_follow_the_rule_of_the_comparison() {
        let varchar = SqlType::varchar(9, Collation::Utf8mb4GeneralCi);
        assert_eq!(Keyed::of(&varchar, &SqlType::BIGINT), None);
        let by = |rule, a: &SqlType, b: &SqlType| Keyed::by(Some(rule), a, b);
        assert_eq!(by(CompareRule::Double, &varchar, &SqlType::BIGINT), Some(NUMBER));
        assert_eq!(by(CompareRule::Double, &SqlType::Date, &SqlType::BIGINT), Some(NUMBER));
        assert_eq!(by(CompareRule::Int, &varchar, &SqlType::BIGINT), None);
        let near = CompareRule::Near { places: 2, other: crate::value::compare::Other::Fixed };
        assert_eq!(by(near, &SqlType::DOUBLE, &SqlType::DOUBLE), None);
        let time = SqlType::Time { fsp: 0 };
        assert_eq!(by(CompareRule::Time, &time, &varchar), Some(TEXT));
        assert_eq!(
            by(CompareRule::DateTime, &varchar, &SqlType::Date),
            Some(Keyed::Moment { date: true })
        );
    }

    #[test]
    fn what_is_not_of_the_kind_is_told() {
        let (mut out, mut cx) = (Vec::new(), EvalCtx::new(&NoSession));
        assert_eq!(Keyed::Integer.key(&Value::Null, &mut out, &mut cx), Ok(None));
        assert_eq!(Keyed::Integer.key(&Value::Double(1.0), &mut out, &mut cx), Err(()));
        assert_eq!(Keyed::of(&SqlType::BIGINT, &SqlType::DOUBLE), None);
        assert_eq!(Keyed::of(&SqlType::BIGINT, &SqlType::BIGINT), Some(Keyed::Integer));
    }
}
