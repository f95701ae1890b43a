//! How rows are ordered by their sort keys, and the bytes by which most comparisons end.

use crate::query::expr::BExpr;
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::value::compare::{CompareRule, compare_for_order};
use crate::value::sorted::put_sorted;
use crate::value::{SqlType, TypeInfo, Value};
use std::borrow::Borrow;
use std::cmp::Ordering;

/// Bytes of all keys of a row together. Rows that agree in so many are compared by their values.
const MOST: usize = 96;
/// Bytes of them that are compared as one number.
const AT_HAND: usize = 16;

/// How rows with these keys are ordered.
pub struct SortOrder {
    keys: Vec<(Option<CompareRule>, bool)>,
}

impl SortOrder {
    pub fn new(infos: &[TypeInfo], desc: impl Iterator<Item = bool>) -> SortOrder {
        let rule = |i: &TypeInfo| {
            if i.ty == SqlType::Null { None } else { CompareRule::of(i, i, "ORDER BY").ok() }
        };
        SortOrder { keys: infos.iter().map(rule).zip(desc).collect() }
    }

    pub fn by(keys: &[(BExpr, bool)]) -> SortOrder {
        let infos: Vec<TypeInfo> = keys.iter().map(|(e, _)| e.info).collect();
        SortOrder::new(&infos, keys.iter().map(|(_, d)| *d))
    }

    pub fn compare(&self, a: &[Value<'static>], b: &[Value<'static>]) -> Ordering {
        self.compare_by(|n| &a[n], |n| &b[n])
    }

    /// The values of the n-th key come from `a` and `b`.
    pub fn compare_by<'v>(
        &self,
        a: impl Fn(usize) -> &'v Value<'static>,
        b: impl Fn(usize) -> &'v Value<'static>,
    ) -> Ordering {
        (0..self.keys.len())
            .map(|n| self.compare_key(n, a(n), b(n)))
            .find(|o| *o != Ordering::Equal)
            .unwrap_or(Ordering::Equal)
    }

    /// The order by the n-th key alone.
    pub fn compare_key(&self, n: usize, x: &Value<'_>, y: &Value<'_>) -> Ordering {
        let (rule, desc) = &self.keys[n];
        let rule = rule.unwrap_or_else(|| CompareRule::of_values(x, y));
        let o = compare_for_order(x, y, rule);
        if *desc { o.reverse() } else { o }
    }

    /// The keys of a row as bytes. `None`: a value is of another kind than its key's type promised, so that rows have to be compared by
    /// their values. `first`: of so many keys the caller wants to see where they end ([`SortKey::same_first`]).
    pub fn key<'v, V: Borrow<Value<'v>>>(
        &self,
        value: impl Fn(usize) -> V,
        first: usize,
        buf: &mut Vec<u8>,
    ) -> Option<SortKey> {
        let (whole, end) = self.put(value, first, MOST, buf)?;
        Some(SortKey::of(buf, !whole, end))
    }

    /// Writes the keys of a row into `buf`, as [`SortOrder::key`] makes them. Gives whether these are all, and where the first keys end.
    pub fn key_bytes<'v, V: Borrow<Value<'v>>>(
        &self,
        value: impl Fn(usize) -> V,
        first: usize,
        buf: &mut Vec<u8>,
    ) -> Option<(bool, Option<usize>)> {
        self.put(value, first, MOST, buf)
    }

    /// How the keys of a row begin, and nothing else: enough for most comparisons. `None` as for [`SortOrder::key`].
    pub fn beginning<'v, V: Borrow<Value<'v>>>(
        &self,
        value: impl Fn(usize) -> V,
        buf: &mut Vec<u8>,
    ) -> Option<Beginning> {
        let (whole, _) = self.put(value, usize::MAX, AT_HAND, buf)?;
        Some(Beginning::of(buf, !whole))
    }

    /// Writes the keys of a row into `buf`, about `bytes` of them. Gives whether these are all, and where the first keys end.
    fn put<'v, V: Borrow<Value<'v>>>(
        &self,
        value: impl Fn(usize) -> V,
        first: usize,
        bytes: usize,
        buf: &mut Vec<u8>,
    ) -> Option<(bool, Option<usize>)> {
        buf.clear();
        let mut end = if first == 0 { Some(0) } else { None };
        for (n, (rule, desc)) in self.keys.iter().enumerate() {
            let from = buf.len();
            let Some(most) = bytes.checked_sub(from + 1).filter(|left| *left > 0) else {
                return Some((false, end));
            };
            let value = value(n);
            let value = value.borrow();
            // A key of no type has NULLs alone, as far as its rows are comparable at all.
            let rule = match rule {
                Some(rule) => *rule,
                None if value.is_null() => CompareRule::Int,
                None => return None,
            };
            let whole = put_sorted(value, rule, most, buf)?;
            if *desc {
                buf[from..].iter_mut().for_each(|b| *b = !*b);
            }
            if !whole {
                return Some((false, end));
            }
            if n + 1 == first {
                end = Some(buf.len());
            }
        }
        Some((true, end))
    }
}

/// How the sort keys of a row begin as bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beginning {
    bytes: u128,
    /// The keys have more bytes than these.
    cut: bool,
}

impl Beginning {
    fn of(bytes: &[u8], cut: bool) -> Beginning {
        let mut first = [0; AT_HAND];
        let at_hand = bytes.len().min(AT_HAND);
        first[..at_hand].copy_from_slice(&bytes[..at_hand]);
        Beginning { bytes: u128::from_be_bytes(first), cut: cut || bytes.len() > AT_HAND }
    }

    /// The order of two rows, as far as it is known: rows that begin alike may differ where [`Beginning::is_whole`] does not say that they are equal.
    #[inline]
    pub fn order(&self, other: &Beginning) -> Ordering {
        self.bytes.cmp(&other.bytes)
    }

    /// There is nothing in the keys but their beginning.
    #[inline]
    pub fn is_whole(&self) -> bool {
        !self.cut
    }
}

/// The sort keys of a row as bytes. Most comparisons end with the first sixteen, which are close at hand.
#[derive(Default, Clone)]
pub struct SortKey {
    first: u128,
    rest: Box<[u8]>,
    /// All that is known is how the keys begin: rows with equal bytes are compared by their values.
    cut: bool,
    /// Where the first keys end that were asked for; none where that is beyond what is known.
    end: Option<u8>,
}

impl SortKey {
    fn of(bytes: &[u8], cut: bool, end: Option<usize>) -> SortKey {
        let first = Beginning::of(bytes, cut).bytes;
        let rest = bytes[bytes.len().min(AT_HAND)..].into();
        SortKey { first, rest, cut, end: end.and_then(|end| u8::try_from(end).ok()) }
    }

    /// The first bytes of keys as one number, and those behind them.
    pub fn at_hand(bytes: &[u8]) -> (u128, &[u8]) {
        (Beginning::of(bytes, false).bytes, &bytes[bytes.len().min(AT_HAND)..])
    }

    /// Keys that are all there, of what [`SortKey::at_hand`] has made of them.
    pub fn whole((first, rest): (u128, &[u8]), end: Option<u8>) -> SortKey {
        SortKey { first, rest: rest.into(), cut: false, end }
    }

    pub fn beginning(&self) -> Beginning {
        Beginning { bytes: self.first, cut: self.cut || !self.rest.is_empty() }
    }

    /// None: the bytes do not tell.
    #[inline]
    pub fn compare(&self, other: &SortKey) -> Option<Ordering> {
        match self.first.cmp(&other.first).then_with(|| compare_rests(&self.rest, &other.rest)) {
            Ordering::Equal if self.cut || other.cut => None,
            order => Some(order),
        }
    }

    /// Whether a row with these bytes of its keys, which may be all of them, comes behind the row with this key, or is equal to it.
    pub fn is_reached(&self, (bytes, whole): (&[u8], bool)) -> bool {
        let first = Beginning::of(bytes, false).bytes;
        let rest = &bytes[bytes.len().min(AT_HAND)..];
        match first.cmp(&self.first).then_with(|| compare_rests(rest, &self.rest)) {
            Ordering::Equal => whole && !self.cut,
            order => order == Ordering::Greater,
        }
    }

    /// Whether the first keys of two rows are equal, as many as were asked for. None: the bytes do not tell.
    pub fn same_first(&self, other: &SortKey) -> Option<bool> {
        let (a, b) = (usize::from(self.end?), usize::from(other.end?));
        if a != b {
            return Some(false);
        }
        let unused = 8 * 16usize.saturating_sub(a) as u32;
        let at_hand = (self.first ^ other.first).checked_shr(unused).unwrap_or(0) == 0;
        let rest = a.saturating_sub(16);
        Some(at_hand && (rest == 0 || self.rest[..rest] == other.rest[..rest]))
    }

    /// Memory beside the key itself.
    pub fn heap(&self) -> usize {
        self.rest.len()
    }

    /// Appends the key for [`SortKey::read`].
    pub fn write(&self, out: &mut Vec<u8>) {
        write_key((self.first, &self.rest), self.cut, out);
    }

    /// Takes a key off that was written.
    pub fn read(bytes: &mut &[u8]) -> Run<SortKey> {
        let taken = bytes.split_first_chunk::<18>().and_then(|(head, behind)| {
            let (rest, behind) = behind.split_at_checked(usize::from(head[0]))?;
            *bytes = behind;
            let first = u128::from_be_bytes(*head.last_chunk()?);
            Some(SortKey { first, rest: rest.into(), cut: head[1] != 0, end: None })
        });
        let missing = || SqlError::internal("a sort key that waited on disk was read back damaged");
        Ok(taken.ok_or_else(missing)?)
    }
}

/// The order of what is behind the bytes at hand. Mostly there is nothing: to compare no bytes at no address takes a processor with wide registers
/// a hundred nanoseconds.
#[inline]
pub fn compare_rests(a: &[u8], b: &[u8]) -> Ordering {
    if a.is_empty() && b.is_empty() { Ordering::Equal } else { a.cmp(b) }
}

/// Appends keys for [`SortKey::read`].
pub fn write_key((first, rest): (u128, &[u8]), cut: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&[rest.len() as u8, u8::from(cut)]);
    out.extend_from_slice(&first.to_be_bytes());
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Collation;
    use proptest::prelude::*;

    fn row() -> impl Strategy<Value = [Value<'static>; 3]> {
        let int = prop_oneof![Just(Value::Null), (-2i64..3).prop_map(Value::Int)];
        let text = prop_oneof!["[abA ]{0,3}", "(ab){40}[ab]{0,20}[c-e]", "x{94,98}[ab]?",];
        let text =
            text.prop_map(|s| Value::Str(s.into_bytes().into(), Collation::Utf8mb4GeneralCi));
        (int, text, (-2i64..3).prop_map(Value::Int)).prop_map(|(a, b, c)| [a, b, c])
    }

    proptest! {
        /// What the keys of two rows tell is what their values tell, wherever the keys are cut.
        #[test]
        fn keys_of_rows_are_in_their_order(a in row(), b in row(), desc: [bool; 3]) {
            let types = [SqlType::BIGINT, SqlType::varchar(200, Collation::Utf8mb4GeneralCi), SqlType::BIGINT];
            let infos = types.map(|ty| TypeInfo::new(ty, true));
            let order = SortOrder::new(&infos, desc.into_iter());
            let mut buf = Vec::new();
            for first in 0..3 {
                let mut key = |row: &[Value<'static>; 3]| order.key(|n| &row[n], first, &mut buf).unwrap();
                let (x, y) = (key(&a), key(&b));
                if let Some(told) = x.compare(&y) {
                    prop_assert_eq!(told, order.compare(&a, &b));
                }
                let (whole, _) = order.key_bytes(|n| &a[n], first, &mut buf).unwrap();
                prop_assert_eq!(y.is_reached((&buf, whole)), x.compare(&y).is_some_and(Ordering::is_ge));
                if let Some(same) = x.same_first(&y) {
                    let equal = (0..first).all(|n| order.compare_key(n, &a[n], &b[n]).is_eq());
                    prop_assert_eq!(same, equal);
                }
                let mut written = vec![];
                x.write(&mut written);
                let back = SortKey::read(&mut &written[..]).unwrap();
                prop_assert!(back.compare(&x) == x.compare(&x) && written.len() <= MOST + 12);
            }
        }
    }

    #[test]
    fn rows_of_another_kind_have_no_keys() {
        let order = SortOrder::new(&[TypeInfo::new(SqlType::BIGINT, true)], [false].into_iter());
        assert!(order.key(|_| Value::Double(0.5), 0, &mut Vec::new()).is_none());
    }
}
