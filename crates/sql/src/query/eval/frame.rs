//! The rows that an expression sees: one slot for each table of a query block, and the blocks around it.

use super::packed::PackedRows;
use super::ranks::{Asked, Ranks};
use super::row_set::RowSet;
use crate::memory::Held;
use crate::query::expr::ColRef;
use crate::query::plan::Block;
use crate::query::plan::outcome::Row;
use crate::query::plan::shape::Shape;
use crate::value::{TimeZone, Value};
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

#[derive(Debug)]
pub enum SubResult {
    Pending,
    Scalar(Value<'static>),
    Rows {
        rows: Vec<Row>,
        hashed: Option<Box<RowSet>>,
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
