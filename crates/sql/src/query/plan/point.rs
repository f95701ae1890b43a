//! A SELECT of one row by a unique key, whose columns go out as they are stored: all that is needed to run it without an executor.
//!
//! Such a plan stands beside the statement's usual one, which is run where anything wants more
//! (docs/decisions/point-plan.md).

use crate::meta::SqlTable;
use crate::session_api::KeptHeader;
use crate::value::{Collation, SqlType};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_engine::row::{Datum, KeyPartType, encode_datum};

/// See the module.
pub struct PointPlan {
    pub table: Arc<SqlTable>,
    /// Position in the engine's definition.
    pub index: usize,
    /// All parts of the index, or those in front of `span`.
    pub parts: Box<[PointPart]>,
    /// Rows that follow one another in the clustered index; none: one row.
    pub span: Option<PointSpan>,
    /// Columns of the result by their places in the row, and whether their values go out as they are: others are taken to their parts.
    pub columns: Box<[(u16, SqlType, bool)]>,
    /// What texts are announced in, see `Settings::told`: the columns of the statement's plan are for no other.
    pub told: Option<Collation>,
    pub header: KeptHeader,
    /// No other plan of this process has this number.
    pub serial: u64,
}

/// A part of the key, and the parameter that it is equal to.
pub struct PointPart {
    pub param: usize,
    pub ty: KeyPartType,
    /// How texts are compared; none: it is an integer.
    pub text: Option<PointText>,
}

/// Integers between which the last part of the clustered key is, as parameters, both included.
pub struct PointSpan {
    pub low: usize,
    pub high: usize,
    pub ty: KeyPartType,
}

/// Rows that a span may have at most: so many are a few pages, and are given out before anybody looks whether the statement was killed.
const MOST_ROWS: i128 = 512;

/// A part of the key that is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointText {
    /// Of the column, and so of the index.
    pub collation: Collation,
    /// It is the one of the comparison, whatever collation the parameter has.
    pub decides: bool,
}

impl PointText {
    /// A text of this collation is compared in the column's.
    fn takes(self, c: Collation) -> bool {
        let own = self.collation;
        let decides = self.decides || c == own || own.is_bytewise() && !c.is_bytewise();
        decides && c.charset() == own.charset()
    }
}

/// A parameter that may be a part of a key as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyValue<'v> {
    Int(i64),
    UInt(u64),
    Text(&'v [u8], Collation),
}

impl<'v> KeyValue<'v> {
    fn integer(self) -> Option<i128> {
        match self {
            KeyValue::Int(n) => Some(n.into()),
            KeyValue::UInt(n) => Some(n.into()),
            KeyValue::Text(..) => None,
        }
    }

    fn datum(self) -> Datum<'v> {
        match self {
            KeyValue::Int(n) => Datum::Int(n),
            KeyValue::UInt(n) => Datum::UInt(n),
            KeyValue::Text(text, _) => Datum::Bytes(text),
        }
    }
}

impl PointPlan {
    /// A number for a new plan.
    pub fn next_serial() -> u64 {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        SERIAL.fetch_add(1, Ordering::Relaxed)
    }

    /// The key, or the first and the last one of a span, into `out` and `last`.
    pub fn key<'v>(
        &self,
        value: impl Fn(usize) -> Option<KeyValue<'v>>,
        out: &mut Vec<u8>,
        last: &mut Vec<u8>,
    ) -> Option<()> {
        key_of(&self.parts, &value, out)?;
        let Some(span) = &self.span else { return Some(()) };
        let (low, high) = (value(span.low)?, value(span.high)?);
        if !(0..MOST_ROWS).contains(&(high.integer()? - low.integer()?)) {
            return None;
        }
        last.clear();
        last.extend_from_slice(out);
        encode_datum(&span.ty, low.datum(), out).ok()?;
        encode_datum(&span.ty, high.datum(), last).ok()
    }
}

/// Puts the bytes of a key into `out`. `None`: a value is none of the column's own kind, or none that the column can hold. What such a
/// value is equal to is the business of the usual plan.
#[inline]
pub fn key_of<'v>(
    parts: &[PointPart],
    value: impl Fn(usize) -> Option<KeyValue<'v>>,
    out: &mut Vec<u8>,
) -> Option<()> {
    out.clear();
    for part in parts {
        let datum = match (value(part.param)?, part.text) {
            (KeyValue::Int(n), None) => Datum::Int(n),
            (KeyValue::UInt(n), None) => Datum::UInt(n),
            (KeyValue::Text(text, c), Some(own)) if own.takes(c) => Datum::Bytes(text),
            _ => return None,
        };
        encode_datum(&part.ty, datum, out).ok()?;
    }
    Some(())
}
