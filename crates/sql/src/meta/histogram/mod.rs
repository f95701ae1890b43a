//! Histograms: how the values of a column are spread, for estimates of conditions that no index is for.
//!
//! A histogram stands in its table's definition and goes with it. `count` counts the values of rows in bounded memory, `build` makes
//! buckets of what was counted, `share` tells which share of the rows a value or a range has, `json` is the form that information_schema
//! shows, `given` reads it for `ANALYZE TABLE ... USING DATA`, `codec::histogram` has the bytes in the dictionary. Nothing here reads rows or knows conditions.
//!
//! Bounds are datums as the column stores them, in the order that the column's keys have; so only `json` and `given` ask for types.
//!
//! Invariants:
//! - Buckets ascend and do not overlap; the lower bound of each is not above its upper one, and the two are one value where `distinct`
//!   is 1 and the kind is [`Kind::Singleton`].
//! - Cumulative frequencies do not descend; the last one and the share of NULLs are 1 together, except for a table without rows.
//! - Texts are cut to [`CUT`] characters before they are counted or compared.

mod build;
mod count;
mod given;
mod json;
mod share;

pub use build::build;
pub use count::Sample;
pub use given::{Refused, Target, from_json};
pub use json::{data_type, to_json};

use super::SqlColumn;
use crate::value::{Datum, DatumBuf, PhysType};

/// Characters of a text that count, as in MySQL.
pub const CUT: usize = 42;
/// Most buckets that may be asked for, and how many there are where none are asked for.
pub const MOST_BUCKETS: u16 = 1024;
pub const BUCKETS: u16 = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A bucket for each value.
    Singleton,
    /// Buckets of about as many rows each.
    EquiHeight,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    pub lower: DatumBuf,
    pub upper: DatumBuf,
    /// The share of the rows whose value is not above `upper`.
    pub cumulative: f64,
    /// How many values it has.
    pub distinct: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Position of the column in the table.
    pub column: usize,
    pub kind: Kind,
    pub buckets: Vec<Bucket>,
    /// Share of the rows that are NULL.
    pub nulls: f64,
    /// Share of the rows that were counted.
    pub sampling: f64,
    /// Buckets that were asked for.
    pub specified: u16,
    /// Microseconds since 1970 UTC.
    pub updated_micros: i64,
    /// ANALYZE TABLE makes it again.
    pub automatic: bool,
}

/// What of a value counts.
pub fn cut<'a>(ty: &PhysType, d: Datum<'a>) -> Datum<'a> {
    match (*ty, d) {
        (PhysType::Var { collation, .. }, Datum::Bytes(b)) => {
            Datum::Bytes(&b[..collation.prefix_bytes(b, CUT)])
        }
        _ => d,
    }
}

impl Histogram {
    /// The histogram of a column that keeps its type and its name to the letter, at its place in a new definition.
    pub fn moved(&self, old: &SqlColumn, new: &SqlColumn, to: usize) -> Option<Histogram> {
        (old.ty == new.ty && old.name == new.name).then(|| Histogram { column: to, ..self.clone() })
    }
}
