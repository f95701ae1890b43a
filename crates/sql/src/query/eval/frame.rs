//! The rows that an expression sees: one slot for each table of a query block, and the blocks around it.

use super::packed::PackedRows;
use super::ranks::{Asked, Ranks};
use crate::func::aggregate::distinct_key;
use crate::memory::Held;
use crate::query::expr::ColRef;
use crate::query::plan::Block;
use crate::query::plan::outcome::Row;
use crate::query::plan::shape::Shape;
use crate::value::compare::{CompareRule, compare_for_order};
use crate::value::key_hash::KeyHash;
use crate::value::{Collation, TimeZone, Value};
use std::collections::HashSet;
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{Cursor, RowBuf};

/// Where a table's current row is.
pub enum Slot {
    /// No row: before the first, or null-complemented by an outer join.
    Null,
    Cursor(Box<Cursor>),
    Buf(RowBuf),
    Mem {
        rows: Arc<Vec<Row>>,
        at: usize,
    },
    Values(Row),
    /// One of the rows that a join keeps.
    Packed {
        rows: Arc<PackedRows>,
        at: u32,
    },
    /// Bytes in the table's layout, kept for a group or a change.
    Bytes(Vec<u8>),
}

impl Slot {
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Slot::Cursor(c) => Some(c.row()),
            Slot::Buf(b) => Some(&b.row),
            Slot::Bytes(b) => Some(b),
            Slot::Packed { rows, at } => Some(rows.row(*at)),
            Slot::Null | Slot::Mem { .. } | Slot::Values(_) => None,
        }
    }

    /// The clustered key of the current row.
    pub fn key(&self) -> Option<&[u8]> {
        match self {
            Slot::Cursor(c) => Some(c.key()),
            Slot::Buf(b) => Some(&b.key),
            _ => None,
        }
    }

    /// A copy that outlives the scan.
    pub fn keep(&self) -> Slot {
        match self {
            Slot::Null => Slot::Null,
            Slot::Mem { rows, at } => Slot::Mem { rows: rows.clone(), at: *at },
            Slot::Values(v) => Slot::Values(v.clone()),
            _ => self.bytes().map_or(Slot::Null, |b| Slot::Bytes(b.to_vec())),
        }
    }
}

/// Rows of a subquery as a set, where each column is of one simple kind on both sides.
#[derive(Default, Debug)]
pub struct Hashed {
    /// The keys of rows without NULL.
    set: HashSet<Vec<u8>, KeyHash>,
    /// The kind of each column, as far as it has values.
    kinds: Vec<Option<HashedKind>>,
    /// The places of rows with NULL; of rows of one column the first one.
    nulls: Vec<usize>,
    /// Of rows of one column the places of those with the least and the greatest value.
    ends: Option<(usize, usize)>,
}

/// What the values of a column are, so that equal ones have equal keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HashedKind {
    Int,
    UInt,
    Decimal,
    Double,
    Date,
    Time,
    /// Texts of one collation; two may disagree.
    Text(Collation),
}

impl HashedKind {
    fn of(v: &Value<'_>) -> Option<HashedKind> {
        match v {
            Value::Int(_) => Some(HashedKind::Int),
            Value::UInt(_) => Some(HashedKind::UInt),
            Value::Decimal(_) => Some(HashedKind::Decimal),
            Value::Double(_) => Some(HashedKind::Double),
            Value::Date(_) | Value::DateTime(_) => Some(HashedKind::Date),
            Value::Time(_) => Some(HashedKind::Time),
            Value::Str(_, c) => Some(HashedKind::Text(*c)),
            _ => None,
        }
    }
}

/// What a set says of a row.
pub enum Among<'h> {
    /// It is one of the rows.
    One,
    /// It is not one of the rows without NULL. The others, by their places, are to be looked at one by one.
    NoneBut(&'h [usize]),
}

impl Hashed {
    /// None when the values of a column are not all of one kind that hashes as it compares.
    pub fn of(rows: &[Row]) -> Option<Hashed> {
        let width = rows.first().map_or(0, Vec::len);
        let mut h = Hashed { kinds: vec![None; width], ..Hashed::default() };
        for (at, row) in rows.iter().enumerate() {
            if row.iter().any(Value::is_null) {
                if width > 1 || h.nulls.is_empty() {
                    h.nulls.push(at);
                }
                continue;
            }
            let mut key = Vec::new();
            for (v, known) in row.iter().zip(&mut h.kinds) {
                let kind = HashedKind::of(v)?;
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
        self.ends.filter(|_| HashedKind::of(v) == self.kinds[0])
    }

    /// None: a value is NULL or of another kind, so the rows are to be compared one by one.
    pub fn among(&self, values: &[Value<'_>]) -> Option<Among<'_>> {
        let mut key = Vec::new();
        for (v, kind) in values.iter().zip(&self.kinds) {
            if v.is_null() || kind.is_some_and(|kind| HashedKind::of(v) != Some(kind)) {
                return None;
            }
            distinct_key(v, &mut key);
        }
        let found = values.len() == self.kinds.len() && self.set.contains(&key);
        Some(if found { Among::One } else { Among::NoneBut(&self.nulls) })
    }
}

#[derive(Debug)]
pub enum SubResult {
    Pending,
    Scalar(Value<'static>),
    Rows {
        rows: Vec<Row>,
        hashed: Option<Hashed>,
        _held: Held,
    },
    /// Of MATCH.
    Ranks(Arc<Ranks>),
    /// Of a MATCH that each row answers for itself.
    Question(Box<Asked>),
    /// Of a subquery that reads nothing around it: the same in all runs of its block.
    Same(Arc<SubResult>),
}

impl SubResult {
    pub fn get(&self) -> &SubResult {
        match self {
            SubResult::Same(result) => result,
            own => own,
        }
    }
}

/// The surroundings of an expression.
#[derive(Clone, Copy)]
pub struct Frame<'v> {
    /// Whose rows these are, for the names in errors.
    pub block: Option<&'v Block>,
    pub shapes: &'v [Shape],
    pub slots: &'v [Slot],
    pub aggs: &'v [Value<'static>],
    pub subs: &'v [SubResult],
    pub params: &'v [Value<'static>],
    pub outer: Option<&'v Frame<'v>>,
}

impl<'v> Frame<'v> {
    /// No table at all.
    pub fn empty(params: &'v [Value<'static>]) -> Frame<'v> {
        Frame { block: None, shapes: &[], slots: &[], aggs: &[], subs: &[], params, outer: None }
    }

    /// What a row of a table has for an ENUM or SET; none where the row is not at hand as it is stored.
    pub fn stored_number(&self, c: ColRef) -> Option<u64> {
        let mut f = self;
        for _ in 0..c.depth {
            f = f.outer?;
        }
        match (&f.shapes[c.table as usize], &f.slots[c.table as usize]) {
            (_, Slot::Null | Slot::Mem { .. } | Slot::Values(_)) => None,
            (Shape::Table(t), slot) => {
                RowView::new(&t.engine.layout, slot.bytes()?).get(c.col as usize).as_u64()
            }
            (Shape::Values(_), _) => None,
        }
    }

    /// An aggregate of a block so much further out.
    pub fn aggregate(&self, depth: u8, at: u32) -> Value<'v> {
        let mut f = self;
        for _ in 0..depth {
            match f.outer {
                Some(o) => f = o,
                None => return Value::Null,
            }
        }
        f.aggs.get(at as usize).map_or(Value::Null, Value::borrow)
    }

    pub fn column(&self, c: ColRef, tz: TimeZone) -> Value<'v> {
        let mut f = self;
        for _ in 0..c.depth {
            match f.outer {
                Some(o) => f = o,
                None => return Value::Null,
            }
        }
        let (table, col) = (c.table as usize, c.col as usize);
        match (&f.shapes[table], &f.slots[table]) {
            (_, Slot::Null) => Value::Null,
            (_, Slot::Mem { rows, at }) => rows[*at][col].borrow(),
            (_, Slot::Values(v)) => v[col].borrow(),
            (Shape::Table(t), slot) => match slot.bytes() {
                Some(b) => {
                    t.meta.columns[col].ty.load(RowView::column(&t.engine.layout, b, col), tz)
                }
                None => Value::Null,
            },
            (Shape::Values(_), _) => Value::Null,
        }
    }
}
