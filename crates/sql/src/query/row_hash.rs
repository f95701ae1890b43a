//! Which rows have equal values in some columns: their numbers by a hash of these.
//!
//! Invariants:
//! - Values that SQL calls equal have the same key ([`Keyed::key`]), and others have another one. Both hold for values of one [`Keyed`]
//!   kind only.
//! - Nothing is missed, and nothing else is found while the hash is exact ([`RowHash::is_exact`]): no two keys in it hash alike. Where two
//!   do, the condition itself is looked at on each row found.

use crate::func::aggregate::distinct_key;
use crate::value::{Class, Collation, SqlType, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
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
    chains: HashMap<u64, Chain, BuildHasherDefault<Hashed>>,
    /// For each row the next one with its hash; itself: there is none.
    next: Vec<u32>,
    /// The keys of the chains, one behind the other.
    keys: Vec<u8>,
    /// Two keys hash alike.
    blurred: bool,
}

/// The rows of a hash.
struct Chain {
    first: u32,
    last: u32,
    /// Where their key is, that of the first row if they have several.
    key: (usize, u32),
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

fn at(keys: &[u8], (from, len): (usize, u32)) -> &[u8] {
    &keys[from..from + len as usize]
}

impl RowHash {
    /// What a row takes of memory, and what its hash takes where it is the first; the key comes on top then.
    pub const ROW_BYTES: usize = size_of::<u32>() + 2 * size_of::<(u64, Chain)>();

    /// The next row. Without a key it is never found. Gives the bytes that its key takes.
    pub fn push(&mut self, key: Option<&[u8]>) -> usize {
        let row = self.next.len() as u32;
        self.next.push(row);
        let Some(key) = key else { return 0 };
        match self.chains.entry(self.state.hash_one(key)) {
            Entry::Occupied(chain) => {
                let chain = chain.into_mut();
                self.blurred |= key != at(&self.keys, chain.key);
                let before = std::mem::replace(&mut chain.last, row);
                self.next[before as usize] = row;
                0
            }
            Entry::Vacant(place) => {
                let key_at = (self.keys.len(), key.len() as u32);
                place.insert(Chain { first: row, last: row, key: key_at });
                self.keys.extend_from_slice(key);
                key.len()
            }
        }
    }

    /// The first row that has this key, or may have it where the hash is not exact.
    pub fn first(&self, key: &[u8]) -> Option<u32> {
        let chain = self.chains.get(&self.state.hash_one(key))?;
        (self.blurred || key == at(&self.keys, chain.key)).then_some(chain.first)
    }

    /// Whether rows that are found have the key that was looked for.
    pub fn is_exact(&self) -> bool {
        !self.blurred
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
        assert!(hash.is_exact());
    }

    /// As if all keys hashed alike.
    #[test]
    fn keys_of_one_hash_are_told() {
        let mut hash = RowHash::default();
        assert_eq!(hash.push(Some(b"one")), 3);
        assert_eq!(hash.push(Some(b"one")), 0);
        let (of_one, of_two) = (hash.state.hash_one(&b"one"[..]), hash.state.hash_one(&b"two"[..]));
        let chain = hash.chains.remove(&of_one).expect("is there");
        hash.chains.insert(of_two, chain);
        // Nothing else is found while no row has the other key.
        assert_eq!((hash.first(b"two"), hash.is_exact()), (None, true));
        hash.push(Some(b"two"));
        assert_eq!((hash.first(b"two"), hash.after(0), hash.after(1)), (Some(0), Some(1), Some(2)));
        assert!(!hash.is_exact());
    }
}
