//! The rows of a subquery as a set of keys, where the values of each column are of one kind.
//!
//! Invariant: a set says what comparisons with each row would say. Values of the rows' own kinds are looked up by the keys that the rows are made
//! with. What is of another kind, but compared in one that has keys (a text with numbers, signed with unsigned integers), is looked up in a
//! second set, which the first such look makes.

use crate::func::aggregate::distinct_key;
use crate::memory::Held;
use crate::query::expr::keyed::Keyed;
use crate::query::plan::outcome::Row;
use crate::value::compare::{CompareRule, compare_for_order, type_of};
use crate::value::key_hash::KeyHash;
use crate::value::{Collation, EvalCtx, Value, ValueError};
use std::collections::HashSet;
use std::sync::OnceLock;

/// Rows of a subquery as a set.
#[derive(Default, Debug)]
pub struct RowSet {
    /// The keys of rows without NULL.
    set: Keys,
    /// The kind of each column, as far as it has values.
    kinds: Vec<Option<Kind>>,
    /// The places of rows with NULL; of rows of one column the first one.
    nulls: Vec<usize>,
    /// Of rows of one column the places of those with the least and the greatest value.
    ends: Option<(usize, usize)>,
    /// The place of a row without NULL.
    sample: Option<usize>,
    /// The keys in the kinds in which the rows are compared with values of others.
    compared: OnceLock<Compared>,
}

type Keys = HashSet<Vec<u8>, KeyHash>;

/// What a key takes in a set, aside from its own bytes.
const ENTRY: usize = 2 * size_of::<Vec<u8>>() + 16;

#[derive(Debug)]
struct Compared {
    by: Vec<Keyed>,
    /// None: a value cannot be converted.
    set: Option<Keys>,
    _held: Held,
}

/// What the values of a column are, so that equal ones have equal keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Int,
    UInt,
    Decimal,
    Double,
    Date,
    Time,
    /// Texts of one collation; two may disagree.
    Text(Collation),
    Bytes,
    Json,
}

impl Kind {
    fn of(v: &Value<'_>) -> Option<Kind> {
        Some(match v {
            Value::Null => return None,
            Value::Int(_) => Kind::Int,
            Value::UInt(_) => Kind::UInt,
            Value::Decimal(_) => Kind::Decimal,
            Value::Double(_) => Kind::Double,
            Value::Date(_) | Value::DateTime(_) => Kind::Date,
            Value::Time(_) => Kind::Time,
            Value::Str(_, c) => Kind::Text(*c),
            Value::Bytes(_) => Kind::Bytes,
            Value::Json(_) => Kind::Json,
        })
    }
}

/// What a set says of a row.
pub enum Among<'h> {
    /// It is one of the rows.
    One,
    /// It is not one of the rows without NULL. The others, by their places, are to be looked at one by one.
    NoneBut(&'h [usize]),
}

impl RowSet {
    /// None when the values of a column are not all of one kind.
    pub fn of(rows: &[Row]) -> Option<RowSet> {
        let width = rows.first().map_or(0, Vec::len);
        let mut h = RowSet { kinds: vec![None; width], ..RowSet::default() };
        for (at, row) in rows.iter().enumerate() {
            if row.iter().any(Value::is_null) {
                if width > 1 || h.nulls.is_empty() {
                    h.nulls.push(at);
                }
                continue;
            }
            h.sample.get_or_insert(at);
            let mut key = Vec::new();
            for (v, known) in row.iter().zip(&mut h.kinds) {
                let kind = Kind::of(v)?;
                if *known.get_or_insert(kind) != kind {
                    return None;
                }
                distinct_key(v, &mut key);
            }
            h.set.insert(key);
            if let [v] = &row[..] {
                let rule = CompareRule::of_values(v, v);
                let order = |other: usize| compare_for_order(v, &rows[other][0], rule);
                let (low, high) = h.ends.unwrap_or((at, at));
                let low = if order(low).is_lt() { at } else { low };
                h.ends = Some((low, if order(high).is_gt() { at } else { high }));
            }
        }
        Some(h)
    }

    pub fn has_null(&self) -> bool {
        !self.nulls.is_empty()
    }

    /// The places of the rows with the least and the greatest value, where a value is of their kind: then it is compared with all of them in
    /// one order. None where there is no value but NULL.
    pub fn ends(&self, v: &Value<'_>) -> Option<(usize, usize)> {
        self.ends.filter(|_| Kind::of(v) == self.kinds[0])
    }

    /// What the set of these rows says of values. None: a value is NULL, or compared in a kind that has no keys, so that the rows are to be
    /// compared one by one.
    pub fn among(
        &self,
        values: &[Value<'_>],
        rows: &[Row],
        cx: &mut EvalCtx<'_>,
    ) -> Result<Option<Among<'_>>, ValueError> {
        if values.iter().any(Value::is_null) || values.len() != self.kinds.len() {
            return Ok(None);
        }
        let own = |(v, kind): (&Value<'_>, &Option<Kind>)| {
            kind.is_none_or(|kind| Kind::of(v) == Some(kind))
        };
        let mut key = Vec::new();
        let found = match values.iter().zip(&self.kinds).all(own) {
            true => {
                values.iter().for_each(|v| distinct_key(v, &mut key));
                self.set.contains(&key)
            }
            false => match self.is_compared_among(values, rows, cx)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        Ok(Some(if found { Among::One } else { Among::NoneBut(&self.nulls) }))
    }

    /// The same for values of other kinds than the rows', if they are compared in kinds that have keys.
    fn is_compared_among(
        &self,
        values: &[Value<'_>],
        rows: &[Row],
        cx: &mut EvalCtx<'_>,
    ) -> Result<Option<bool>, ValueError> {
        let Some(sample) = self.sample.map(|at| &rows[at]) else { return Ok(None) };
        let kind = |(v, w): (&Value<'_>, &Value<'_>)| {
            Keyed::by(Some(CompareRule::of_values(v, w)), &type_of(v), &type_of(w))
        };
        let by: Option<Vec<Keyed>> = values.iter().zip(sample).map(kind).collect();
        let Some(by) = by else { return Ok(None) };
        let compared = match self.compared.get() {
            Some(compared) => compared,
            None => {
                let made = Compared::of(rows, by.clone(), cx)?;
                self.compared.get_or_init(|| made)
            }
        };
        let Some(set) = compared.set.as_ref().filter(|_| compared.by == by) else {
            return Ok(None);
        };
        Ok(key_of(values, &by, cx).ok().flatten().map(|key| set.contains(&key)))
    }
}

impl Compared {
    fn of(rows: &[Row], by: Vec<Keyed>, cx: &mut EvalCtx<'_>) -> Result<Compared, ValueError> {
        let (mut set, mut held) = (Keys::default(), Held::default());
        for row in rows {
            match key_of(row, &by, cx) {
                Ok(Some(key)) => {
                    cx.work(key.len())?;
                    let bytes = ENTRY + key.len();
                    if set.insert(key) {
                        cx.hold(&mut held, bytes)?;
                    }
                }
                Ok(None) => {}
                Err(()) => return Ok(Compared { by, set: None, _held: Held::default() }),
            }
        }
        Ok(Compared { by, set: Some(set), _held: held })
    }
}

/// The key of a row; none where it has a NULL.
fn key_of(row: &[Value<'_>], by: &[Keyed], cx: &mut EvalCtx<'_>) -> Result<Option<Vec<u8>>, ()> {
    let mut key = Vec::new();
    for (v, kind) in row.iter().zip(by) {
        if kind.key(v, &mut key, cx)?.is_none() {
            return Ok(None);
        }
    }
    Ok(Some(key))
}
