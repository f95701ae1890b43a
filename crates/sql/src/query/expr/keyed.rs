//! Keys that are equal where SQL calls the values equal.
//!
//! Invariant: values that SQL calls equal have the same key ([`Keyed::key`]), and others have another one. Both hold for values of one
//! [`Keyed`] kind only.

use crate::func::aggregate::distinct_key;
use crate::value::{Class, Collation, SqlType, Value, Warnings};
use std::borrow::Cow;

/// Kinds of columns whose equality a key can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// Integers, of either sign.
    Integer,
    /// Exact numbers with digits behind the point, and integers compared with them.
    Decimal,
    Double,
    /// What is compared as doubles: numbers of different kinds, and texts beside numbers. It finds more than is equal where a text is an integer
    /// beyond the doubles, which is compared as one.
    Number,
    /// Texts of one collation.
    Text,
    /// Dates, and dates with times.
    Date,
    Time,
}

impl Keyed {
    /// The kind in which columns of these types are compared, if they are compared in one.
    pub fn of(a: &SqlType, b: &SqlType) -> Option<Keyed> {
        use Class::{DateTime, Int, Real};
        match (a.class(), b.class()) {
            (Int, Int) => Some(Keyed::Integer),
            (Int | Class::Decimal, Int | Class::Decimal) => Some(Keyed::Decimal),
            (Real, Real) => Some(Keyed::Double),
            (Class::Text, Class::Text) => (a.collation() == b.collation()).then_some(Keyed::Text),
            (Class::Date | DateTime, Class::Date | DateTime) => Some(Keyed::Date),
            (Class::Time, Class::Time) => Some(Keyed::Time),
            _ => None,
        }
    }

    /// The same for joins, which look at what they find: also where the types are compared as doubles. Equal values of one side may be
    /// different ones there (the texts '1' and '1.0').
    pub fn for_join(a: &SqlType, b: &SqlType) -> Option<Keyed> {
        use Class::{Decimal, Int, Real, Text};
        let mixed = |a: Class, b: Class| {
            a != b
                && matches!(a, Int | Decimal | Real | Text)
                && matches!(b, Int | Decimal | Real | Text)
        };
        Keyed::of(a, b).or_else(|| mixed(a.class(), b.class()).then_some(Keyed::Number))
    }

    /// Adds the value to a key; none for NULL, which equals nothing. `Err`: it is of another kind than its type promised, and nothing can be
    /// told.
    pub fn key(self, v: &Value<'_>, out: &mut Vec<u8>) -> Result<Option<()>, ()> {
        self.key_saying(v, out, &mut Warnings::with_limit(0))
    }

    /// The same. A text that is compared with numbers and is not one is keyed by the number that it begins with, as it is compared, and that is said (1292).
    pub fn key_saying(
        self,
        v: &Value<'_>,
        out: &mut Vec<u8>,
        said: &mut Warnings,
    ) -> Result<Option<()>, ()> {
        match (self, v) {
            (_, Value::Null) => return Ok(None),
            (Keyed::Decimal, Value::Int(n)) => decimal(n.to_string(), out),
            (Keyed::Decimal, Value::UInt(n)) => decimal(n.to_string(), out),
            (Keyed::Decimal, Value::Decimal(d)) => decimal(d.to_string(), out),
            (Keyed::Number, v) if v.is_numeric() || v.is_string() => {
                let number = v.to_f64(said).ok_or(())?;
                distinct_key(&Value::Double(number), out);
            }
            // Both sides are of the collation `binary` then.
            (Keyed::Text, Value::Bytes(b)) => {
                distinct_key(&Value::Str(Cow::Borrowed(b), Collation::Binary), out);
            }
            (Keyed::Integer, Value::Int(_) | Value::UInt(_))
            | (Keyed::Double, Value::Double(_))
            | (Keyed::Text, Value::Str(..))
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
    use crate::value::{Collation, Decimal, Value};

    fn key(kind: Keyed, v: &Value<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        assert_eq!(kind.key(v, &mut out), Ok(Some(())));
        out
    }

    #[test]
    fn equal_values_have_equal_keys() {
        let decimal =
            |s: &str| Value::Decimal(Decimal::parse(s.as_bytes()).value.expect("a number"));
        let same = |kind, a: &Value<'_>, b: &Value<'_>| assert_eq!(key(kind, a), key(kind, b));
        let other = |kind, a: &Value<'_>, b: &Value<'_>| assert_ne!(key(kind, a), key(kind, b));
        same(Keyed::Integer, &Value::Int(7), &Value::UInt(7));
        other(Keyed::Integer, &Value::Int(-1), &Value::UInt(u64::MAX));
        same(Keyed::Decimal, &Value::Int(100), &decimal("100.00"));
        same(Keyed::Decimal, &Value::Int(0), &decimal("-0.0"));
        same(Keyed::Decimal, &decimal("1.50"), &decimal("1.5"));
        other(Keyed::Decimal, &Value::Int(1), &Value::Int(10));
        same(Keyed::Double, &Value::Double(0.0), &Value::Double(-0.0));
        let text =
            |s: &'static str| Value::Str(Cow::Borrowed(s.as_bytes()), Collation::Utf8mb4GeneralCi);
        same(Keyed::Text, &text("Ab"), &text("aB"));
        other(Keyed::Text, &text("ab"), &text("abc"));
    }

    #[test]
    fn texts_beside_numbers() {
        let text =
            |s: &'static str| Value::Str(Cow::Borrowed(s.as_bytes()), Collation::Utf8mb4GeneralCi);
        for (a, b) in
            [("7", Value::Int(7)), (" 7.0", Value::UInt(7)), ("-1e1", Value::Double(-10.0))]
        {
            assert_eq!(key(Keyed::Number, &text(a)), key(Keyed::Number, &b), "{a}");
        }
        let mut said = Warnings::default();
        let mut begun = Vec::new();
        assert_eq!(Keyed::Number.key_saying(&text("7a"), &mut begun, &mut said), Ok(Some(())));
        assert_eq!((begun, said.total()), (key(Keyed::Number, &Value::Int(7)), 1));
        let varchar = SqlType::varchar(9, Collation::Utf8mb4GeneralCi);
        assert_eq!(Keyed::of(&varchar, &SqlType::BIGINT), None);
        assert_eq!(Keyed::for_join(&varchar, &SqlType::BIGINT), Some(Keyed::Number));
        assert_eq!(Keyed::for_join(&SqlType::Date, &SqlType::BIGINT), None);
    }

    #[test]
    fn what_is_not_of_the_kind_is_told() {
        let mut out = Vec::new();
        assert_eq!(Keyed::Integer.key(&Value::Null, &mut out), Ok(None));
        assert_eq!(Keyed::Integer.key(&Value::Double(1.0), &mut out), Err(()));
        assert_eq!(Keyed::of(&SqlType::BIGINT, &SqlType::DOUBLE), None);
        assert_eq!(Keyed::of(&SqlType::BIGINT, &SqlType::BIGINT), Some(Keyed::Integer));
    }
}
