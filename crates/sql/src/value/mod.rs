//! SQL values under MySQL's rules: types, storage, conversion, comparison, arithmetic, text.
//!
//! Uses `weir_engine::row` for physical values and collations, `weir_syntax` for how a client's text is lexed. No clock, no I/O: what an evaluation needs
//! from its statement comes in [`EvalCtx`].
//!
//! Invariants:
//! - A conversion that loses something says so: an error in strict contexts, else a warning.
//! - `SqlType::store` gives only datums that its `phys()` type takes; `load` is its inverse.
//! - `Str` is text in the character set of its collation; `Bytes` is binary. A `Str` never has the
//!   collation `binary`: constructors turn that into `Bytes`.

pub mod arith;
pub mod cast;
pub mod compare;
pub mod context;
pub mod convert;
pub mod decimal;
pub mod double;
pub mod encoded;
pub mod error;
pub mod geo;
pub mod json;
pub mod key_hash;
mod look;
pub mod old_sets;
pub mod sent;
pub mod sorted;
pub mod store;
mod store_ctx;
mod store_temporal;
pub mod temporal;
pub mod types;
mod zone;

pub use cast::{CastTarget, cast, coerce};
pub use compare::{CompareRule, compare};
pub use context::{EvalCtx, NoSession, SessionInfo, SqlMode};
pub use decimal::Decimal;
pub use error::{Level, Said, ValueError, Warning, Warnings};
pub use geo::{GeoKind, Geometry};
pub use json::Json;
pub use look::Look;
pub use store_ctx::StoreCtx;
pub use temporal::{Date, DateTime, Time};
pub use types::{Class, IntKind, LobKind, Members, SqlType, TypeInfo};
pub use weir_engine::row::collation::ALL as ALL_COLLATIONS;
pub use weir_engine::row::{CHARSETS, Charset, Collation, Datum, DatumBuf, PhysType};
pub use zone::{TimeZone, use_zone_of_machine};

use std::borrow::Cow;

/// A value in an expression.
#[derive(Debug, Clone, Default)]
pub enum Value<'a> {
    #[default]
    Null,
    Int(i64),
    UInt(u64),
    Decimal(Decimal),
    Double(f64),
    Str(Cow<'a, [u8]>, Collation),
    Bytes(Cow<'a, [u8]>),
    Date(Date),
    Time(Time),
    /// DATETIME, and TIMESTAMP on the session's clock.
    DateTime(DateTime),
    Json(Json<'a>),
}

/// Where the text of no member stands. Its address is inside of this, so no other text has it, however empty.
static NO_MEMBER: [u8; 2] = [0; 2];

/// The text of an ENUM's number 0, which is not one of its members: an empty text to all that read it. Where it is kept as a value it is
/// told from a member that is an empty text by its address; what is made of it again is an empty text and no more.
pub fn no_member() -> &'static [u8] {
    &NO_MEMBER[1..1]
}

pub fn is_no_member(text: &[u8]) -> bool {
    text.is_empty() && std::ptr::eq(text.as_ptr(), no_member().as_ptr())
}

fn kept(b: Cow<'_, [u8]>) -> Cow<'static, [u8]> {
    match is_no_member(&b) {
        true => Cow::Borrowed(no_member()),
        false => Cow::Owned(b.into_owned()),
    }
}

/// Same variant, same content; not SQL equality (see [`compare()`]).
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::UInt(a), Value::UInt(b)) => a == b,
            (Value::Decimal(a), Value::Decimal(b)) => a == b && a.scale() == b.scale(),
            (Value::Double(a), Value::Double(b)) => a == b,
            (Value::Str(a, c), Value::Str(b, d)) => a == b && c == d,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Date(a), Value::Date(b)) => a == b,
            (Value::Time(a), Value::Time(b)) => a == b,
            (Value::DateTime(a), Value::DateTime(b)) => a == b,
            (Value::Json(a), Value::Json(b)) => a == b,
            _ => false,
        }
    }
}

impl<'a> Value<'a> {
    pub const TRUE: Value<'static> = Value::Int(1);
    pub const FALSE: Value<'static> = Value::Int(0);

    pub fn bool(b: bool) -> Value<'static> {
        Value::Int(i64::from(b))
    }

    /// Text of a collation; `Bytes` when the collation is binary.
    pub fn text(bytes: impl Into<Cow<'a, [u8]>>, collation: Collation) -> Value<'a> {
        if collation.is_binary() {
            Value::Bytes(bytes.into())
        } else {
            Value::Str(bytes.into(), collation)
        }
    }

    /// The number 0 of an ENUM, as [`no_member`] has it.
    pub fn is_no_member(&self) -> bool {
        matches!(self, Value::Str(b, _) | Value::Bytes(b) if is_no_member(b))
    }

    /// A text that is no ENUM's any more: of no member it is an empty one.
    pub fn as_text(self) -> Value<'a> {
        match self {
            Value::Str(b, c) if is_no_member(&b) => Value::Str(Cow::Borrowed(&[]), c),
            Value::Bytes(b) if is_no_member(&b) => Value::Bytes(Cow::Borrowed(&[])),
            other => other,
        }
    }

    /// Text of the connection's default collation.
    pub fn str(s: &'a str) -> Value<'a> {
        Value::Str(Cow::Borrowed(s.as_bytes()), Collation::Utf8mb4GeneralCi)
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    pub fn is_string(&self) -> bool {
        matches!(self, Value::Str(..) | Value::Bytes(_))
    }

    pub fn is_temporal(&self) -> bool {
        matches!(self, Value::Date(_) | Value::Time(_) | Value::DateTime(_))
    }

    pub fn is_numeric(&self) -> bool {
        matches!(self, Value::Int(_) | Value::UInt(_) | Value::Decimal(_) | Value::Double(_))
    }

    /// The bytes of a string value.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Str(b, _) | Value::Bytes(b) => Some(b),
            _ => None,
        }
    }

    pub fn collation(&self) -> Option<Collation> {
        match self {
            Value::Str(_, c) => Some(*c),
            Value::Bytes(_) => Some(Collation::Binary),
            _ => None,
        }
    }

    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Int(v) => Value::Int(v),
            Value::UInt(v) => Value::UInt(v),
            Value::Decimal(v) => Value::Decimal(v),
            Value::Double(v) => Value::Double(v),
            Value::Str(b, c) => Value::Str(kept(b), c),
            Value::Bytes(b) => Value::Bytes(kept(b)),
            Value::Date(v) => Value::Date(v),
            Value::Time(v) => Value::Time(v),
            Value::DateTime(v) => Value::DateTime(v),
            Value::Json(v) => Value::Json(v.into_owned()),
        }
    }

    /// The same value, borrowing its bytes.
    pub fn borrow(&self) -> Value<'_> {
        match self {
            Value::Str(b, c) => Value::Str(Cow::Borrowed(b), *c),
            Value::Bytes(b) => Value::Bytes(Cow::Borrowed(b)),
            Value::Null => Value::Null,
            Value::Int(v) => Value::Int(*v),
            Value::UInt(v) => Value::UInt(*v),
            Value::Decimal(v) => Value::Decimal(*v),
            Value::Double(v) => Value::Double(*v),
            Value::Date(v) => Value::Date(*v),
            Value::Time(v) => Value::Time(*v),
            Value::DateTime(v) => Value::DateTime(*v),
            Value::Json(v) => Value::Json(v.borrow()),
        }
    }
}

/// A string literal without introducer: statements are UTF-8 by now, the literal has the connection's character set.
pub fn literal_text(bytes: &[u8], connection: Collation) -> Value<'static> {
    let charset = connection.charset();
    if charset.is_utf8() || connection.is_binary() {
        return Value::text(bytes.to_vec(), connection);
    }
    Value::text(Charset::Utf8mb4.convert(bytes, charset).0, connection)
}
