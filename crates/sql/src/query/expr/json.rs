//! What JSON_VALUE and the columns of JSON_TABLE ask for.

use crate::value::json::Path;
use crate::value::{SqlType, Value};

/// What stands for a part that is not there, or is no value of the type.
#[derive(Clone, Debug)]
pub enum Otherwise {
    Null,
    Error,
    Default(Value<'static>),
}

/// The part of a document that is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub path: Path,
    pub ty: SqlType,
    pub on_empty: Otherwise,
    pub on_error: Otherwise,
    /// A column of JSON_TABLE: of several JSON values it makes an array, and no array or object is a text to it.
    pub of_table: bool,
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The path names nothing.
    Empty,
    /// It names several parts.
    Many,
    /// An array or object for a type that holds scalars.
    Container,
    /// A scalar that the type does not take.
    Unfit,
    /// A text that is no number, for a type of numbers.
    NoNumber,
}
