//! Rows and keys as bytes: physical values, the row format, keys that compare as bytes, collations.
//!
//! Floor 0 of the engine: pure functions over byte slices, no I/O, no clock. Uses nothing but `std`.
//!
//! Invariants:
//! - `RowLayout` is a function of the column list and of the places of the columns only; a row that has the first of the places
//!   stays readable after columns have come behind them, and after columns have gone ([`places`]).
//! - Overwriting a fixed-width, non-null column changes only that column's bytes.
//! - For every key part type, `memcmp` order of encoded keys is the order of [`PhysType::compare`]
//!   with NULL first, reversed for descending parts; encodings are self-delimiting.
//! - Readers of rows trust the bytes (pages are checksummed); [`validate`] is for bytes that are not.

pub mod collation;
mod columns;
pub mod datum;
pub mod key;
mod key_like;
pub mod layout;
pub mod moves;
pub mod pen;
mod places;
mod sorted_text;
mod spaces;
pub mod view;
pub mod write;

pub use collation::{CHARSETS, Charset, Collation};
pub use columns::ColumnReader;
pub use datum::{Datum, DatumBuf, PhysCol, PhysType};
pub use key::{
    KeyPart, KeyPartType, decode_datum, decode_len, encode_datum, encode_key, order_f64,
};
pub use key_like::KeyLike;
pub use layout::{EXTERNAL_REF_LEN, MAX_COLUMNS, RowForm, RowLayout};
pub use pen::Pen;
pub use places::Places;
pub use sorted_text::put_sort_text;
pub(crate) use view::same_columns;
pub use view::{RowView, has_external, validate};
pub use write::{RowBuilder, replace_columns};

use std::fmt;

/// Why a row or key could not be built or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowError {
    /// Number of values pushed differs from the layout's columns.
    ColumnCount { expected: usize, got: usize },
    /// NULL for a column that cannot hold it.
    NullInNotNull { column: usize },
    /// The value's kind does not fit the column's physical type.
    WrongType { column: usize },
    /// Integer outside the column's width, or bytes longer than the column allows.
    TooLong { column: usize },
    /// A key part over a column whose bytes are off-page: the caller has to fetch them first.
    External { column: usize },
    /// The bytes are not a row of this layout; `at` is the offset where that showed.
    Corrupt { at: usize, what: &'static str },
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RowError::ColumnCount { expected, got } => {
                write!(f, "row has {got} values, layout has {expected} columns")
            }
            RowError::NullInNotNull { column } => write!(f, "NULL in NOT NULL column {column}"),
            RowError::WrongType { column } => write!(f, "value of another type in column {column}"),
            RowError::TooLong { column } => write!(f, "value too long for column {column}"),
            RowError::External { column } => write!(f, "column {column} is stored off-page"),
            RowError::Corrupt { at, what } => write!(f, "damaged row at byte {at}: {what}"),
        }
    }
}

impl std::error::Error for RowError {}
