//! Which rows have equal values in some columns: their numbers by a hash of these.
//!
//! What is found is where to look, not the answer: other values may hash alike, so the condition itself is looked at on each row found. The
//! other way round nothing may be missed: values that SQL calls equal have the same key ([`Keyed::key`]), which holds for values of
//! one [`Keyed`] kind only.

use crate::func::aggregate::distinct_key;
use crate::value::{Class, Collation, SqlType, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// Kinds of columns whose equality a key can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// Integers, of either sign.
    Integer,
    /// Exact numbers with digits behind the point, and integers compared with them.
    Decimal,
    Double,
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

    /// Adds the value to a key; none for NULL, which equals nothing. `Err`: it is of another kind than its type promised, and nothing can be
    /// told.
    pub fn key(self, v: &Value<'_>, out: &mut Vec<u8>) -> Result<Option<()>, ()> {
        match (self, v) {
            (_, Value::Null) => return Ok(None),
            (Keyed::Decimal, Value::Int(n)) => decimal(n.to_string(), out),
            (Keyed::Decimal, Value::UInt(n)) => decimal(n.to_string(), out),
            (Keyed::Decimal, Value::Decimal(d)) => decimal(d.to_string(), out),
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

/// Numbers of rows by hash, those of one hash in the order in which they came.
#[derive(Default)]
pub struct RowHash {
    state: RandomState,
    /// The first and the last row of each hash.
    ends: HashMap<u64, (u32, u32), BuildHasherDefault<Hashed>>,
    /// For each row the next one with its hash; itself: there is none.
    next: Vec<u32>,
}

/// Of a number that is a hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }

    fn write(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.is_empty(), "nothing but hashes is a key");
    }
}

impl RowHash {
    /// What a row takes of memory, and what its hash takes where it is the first.
    pub const ROW_BYTES: usize = size_of::<u32>() + 2 * size_of::<(u64, u32, u32)>();

    /// The next row. Without a key it is never found.
    pub fn push(&mut self, key: Option<&[u8]>) {
        let row = self.next.len() as u32;
        self.next.push(row);
        let Some(key) = key else { return };
        let (_, last) = self.ends.entry(self.state.hash_one(key)).or_insert((row, row));
        let before = std::mem::replace(last, row);
        self.next[before as usize] = row;
    }

    /// The first row that may have this key.
    pub fn first(&self, key: &[u8]) -> Option<u32> {
        self.ends.get(&self.state.hash_one(key)).map(|(first, _)| *first)
    }

    /// The row behind this one that may have the same key.
    pub fn after(&self, row: u32) -> Option<u32> {
        let next = self.next[row as usize];
        (next != row).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Decimal;

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
    fn what_is_not_of_the_kind_is_told() {
        let mut out = Vec::new();
        assert_eq!(Keyed::Integer.key(&Value::Null, &mut out), Ok(None));
        assert_eq!(Keyed::Integer.key(&Value::Double(1.0), &mut out), Err(()));
        assert_eq!(Keyed::of(&SqlType::BIGINT, &SqlType::DOUBLE), None);
        assert_eq!(Keyed::of(&SqlType::BIGINT, &SqlType::BIGINT), Some(Keyed::Integer));
    }

    #[test]
    fn rows_of_a_key_in_their_order() {
        let mut hash = RowHash::default();
        for key in [Some("a"), Some("b"), None, Some("a"), Some("a")] {
            hash.push(key.map(str::as_bytes));
        }
        let of = |key: &str| {
            std::iter::successors(hash.first(key.as_bytes()), |r| hash.after(*r))
                .collect::<Vec<_>>()
        };
        assert_eq!(of("a"), [0, 3, 4]);
        assert_eq!(of("b"), [1]);
        assert_eq!(of("c"), Vec::<u32>::new());
    }
}
