//! JSON values: the binary form, text, paths, order, and conversions.
//!
//! A JSON value is its binary form ([`Json`]), in memory as on disk; a [`View`] reads a part of it by offsets. What is built or changed
//! is a tree ([`Dom`]) that is written at the end. May use the rest of `value`; knows nothing of columns and functions.
//!
//! Invariants:
//! - The members of an object are sorted by the length of their names, then by their bytes, and no name occurs twice.
//! - Containers are nested at most [`MAX_DEPTH`] deep, so that recursion over a value is bounded.
//! - Strings and names are UTF-8.
//! - A view of damaged bytes reads as other values, never out of bounds and never without end: a part lies behind its parent's
//!   header, so it is shorter.

mod binary;
mod convert;
mod dom;
pub mod elements;
pub mod gathered;
pub mod logged;
mod order;
mod parse;
mod path;
mod seek;
mod text;
mod write;

#[cfg(test)]
mod tests;

pub use binary::{Item, View};
pub use convert::{binary, from_text, from_value, invalid, is_integer};
pub use dom::{Dom, Key, key_order, merge_patch, merge_preserve};
pub use order::{canonical, compare, is_blob, put_sorted};
pub use parse::{ParseError, parse, parse_looking};
pub use path::{Cell, Leg, Path, PathError};
pub use seek::{find, find_first, place_mut};
pub use text::{DIGITS as BASE64_DIGITS, from_base64, pretty, quote};

use super::ValueError;
use crate::errno;
use std::borrow::Cow;

/// Containers inside each other at most (3157).
pub const MAX_DEPTH: usize = 100;

/// A JSON value in its binary form. No bytes at all are the literal `null`: what an old row has in a column added NOT NULL.
#[derive(Debug, Clone, PartialEq)]
pub struct Json<'a>(Cow<'a, [u8]>);

impl<'a> Json<'a> {
    /// Takes bytes that are a binary form, as [`Dom::to_json`] writes it.
    pub fn from_bytes(bytes: impl Into<Cow<'a, [u8]>>) -> Json<'a> {
        Json(bytes.into())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn view(&self) -> View<'_> {
        View::new(&self.0)
    }

    pub fn borrow(&self) -> Json<'_> {
        Json(Cow::Borrowed(&self.0))
    }

    pub fn into_owned(self) -> Json<'static> {
        Json(Cow::Owned(self.0.into_owned()))
    }

    /// Bytes that the value holds itself.
    pub fn owned_bytes(&self) -> usize {
        match &self.0 {
            Cow::Owned(b) => b.len(),
            Cow::Borrowed(_) => 0,
        }
    }

    pub fn bool(b: bool) -> Json<'static> {
        Json(Cow::Borrowed(if b {
            &[binary::LITERAL, binary::TRUE]
        } else {
            &[binary::LITERAL, binary::FALSE]
        }))
    }

    /// The value as text in UTF-8.
    pub fn to_text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.view().write_text(&mut out);
        out
    }
}

/// 3157.
pub fn too_deep() -> ValueError {
    ValueError::of(errno::ER_JSON_DOCUMENT_TOO_DEEP, &[])
}

/// 3151.
pub fn name_too_long() -> ValueError {
    ValueError::of(errno::ER_JSON_KEY_TOO_BIG, &[])
}

/// 3150.
pub fn too_big() -> ValueError {
    ValueError::of(errno::ER_JSON_VALUE_TOO_BIG, &[])
}
