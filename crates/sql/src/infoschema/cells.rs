//! Building columns and cells of virtual tables.

use std::borrow::Cow;

use crate::context::VirtualColumn;
use crate::value::convert::local_time;
use crate::value::{Collation, DateTime, LobKind, SqlType, TimeZone, Value};

/// A row of a virtual table.
pub type Row = Vec<Value<'static>>;

/// Text that compares without regard to letter case. As in MySQL it gives way to columns of any collation of utf8mb4, the
/// default one among them, where a collation of the same set would not.
pub const CI: Collation = Collation::Utf8mb3GeneralCi;
/// Names of schemas and tables, whose letter case counts.
pub const BIN: Collation = Collation::Utf8mb4Bin;

pub const INT: SqlType = SqlType::int(crate::value::IntKind::Int, false);
pub const UINT: SqlType = SqlType::int(crate::value::IntKind::Int, true);
pub const BIGINT: SqlType = SqlType::BIGINT;
pub const UBIGINT: SqlType = SqlType::UBIGINT;
pub const TEXT: SqlType = SqlType::Text { kind: LobKind::Normal, collation: CI };
pub const LONGTEXT: SqlType = SqlType::Text { kind: LobKind::Long, collation: CI };
pub const NOTHING: SqlType = SqlType::Char { chars: 0, collation: Collation::Binary };
pub const TIMESTAMP: SqlType = SqlType::Timestamp { fsp: 0 };
pub const DATETIME: SqlType = SqlType::DateTime { fsp: 0 };
/// A name of a schema or table.
pub const NAME: SqlType = SqlType::varchar(64, BIN);

/// Case-insensitive text of at most `n` characters.
pub const fn text(n: u32) -> SqlType {
    SqlType::varchar(n, CI)
}

/// A nullable column.
pub const fn c(name: &'static str, ty: SqlType) -> VirtualColumn {
    VirtualColumn { name: Cow::Borrowed(name), ty, nullable: true }
}

/// A NOT NULL column.
pub const fn n(name: &'static str, ty: SqlType) -> VirtualColumn {
    VirtualColumn { name: Cow::Borrowed(name), ty, nullable: false }
}

/// A column whose name is made at run time.
pub fn named(name: String, ty: SqlType) -> VirtualColumn {
    VirtualColumn { name: Cow::Owned(name), ty, nullable: true }
}

/// A text cell; [`settle`] gives it its column's collation.
pub fn s(text: impl Into<String>) -> Value<'static> {
    Value::text(text.into().into_bytes(), CI)
}

/// Text or NULL.
pub fn os(text: Option<impl Into<String>>) -> Value<'static> {
    text.map_or(Value::Null, s)
}

pub fn u(v: u64) -> Value<'static> {
    Value::UInt(v)
}

pub fn ou(v: Option<u64>) -> Value<'static> {
    v.map_or(Value::Null, Value::UInt)
}

pub fn i(v: i64) -> Value<'static> {
    Value::Int(v)
}

pub fn yes_no(v: bool) -> Value<'static> {
    s(if v { "YES" } else { "NO" })
}

/// A point in time on the session's clock, whole seconds.
pub fn at(micros: u64, tz: TimeZone) -> Value<'static> {
    let local: Option<DateTime> = local_time(micros as i64, tz, 0);
    local.map_or(Value::Null, |t| Value::DateTime(t.truncate(0)))
}

/// Text cells take the collation of their column.
pub fn settle(columns: &[VirtualColumn], rows: &mut [Row]) {
    for row in rows {
        for (cell, column) in row.iter_mut().zip(columns) {
            if let (Value::Str(_, have), Some(want)) = (&mut *cell, column.ty.collation())
                && !want.is_binary()
            {
                *have = want;
            }
        }
    }
}
