//! Columns under InnoDB's names: INNODB_COLUMNS, and INNODB_VIRTUAL for those that others are worked out from.

use super::cells::{Row, i, os, s, u};
use super::engine_told::Told;
use super::innodb_objects::{Named, SCHEMA, is_virtual, of_each};
use super::innodb_values::stored_form;
use crate::context::VirtualTable;
use crate::ddl::expression;
use crate::meta::{ColumnDefault, SqlColumn, SqlTable, same_name};
use crate::value::types::Class;
use crate::value::types::protocol::column_type;
use crate::value::{Collation, DatumBuf, SqlType};
use std::fmt::Write as _;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    ALL.iter().map(|t| t as &dyn VirtualTable).collect()
}

static ALL: [Told; 2] = [
    Told::new(
        SCHEMA,
        "INNODB_COLUMNS",
        "TABLE_ID U! NAME V193! POS U! MTYPE S! PRTYPE S! LEN S! HAS_DEFAULT S! DEFAULT_VALUE X",
        |cx| of_each(cx, columns),
    ),
    Told::new(SCHEMA, "INNODB_VIRTUAL", "TABLE_ID U! POS N! BASE_POS N!", |cx| {
        of_each(cx, sources)
    }),
];

/// InnoDB's main types, `DATA_...` of its data0type.h.
mod main_type {
    pub const VARCHAR: i64 = 1;
    pub const CHAR: i64 = 2;
    pub const FIXBINARY: i64 = 3;
    pub const BINARY: i64 = 4;
    pub const BLOB: i64 = 5;
    pub const INT: i64 = 6;
    pub const FLOAT: i64 = 9;
    pub const DOUBLE: i64 = 10;
    /// Of other collations than latin1_swedish_ci, which was the only one once.
    pub const VARMYSQL: i64 = 12;
    pub const MYSQL: i64 = 13;
    pub const GEOMETRY: i64 = 14;
}

/// Flags of the precise type, above MySQL's type code in the lowest byte; the number of the collation is above them.
const NOT_NULL: i64 = 256;
const UNSIGNED: i64 = 512;
/// Any type but texts with a character set.
const BINARY_TYPE: i64 = 1024;
/// A VARCHAR whose length takes two bytes.
const LONG_TRUE_VARCHAR: i64 = 4096;
const VIRTUAL: i64 = 8192;
const COLLATION_SHIFT: u16 = 16;

/// Where InnoDB has a column. Virtual ones are counted apart: that number from 1 is in the upper half, the place in the table in the lower.
fn place(t: &SqlTable, at: usize) -> u64 {
    let before = t.columns[..at].iter().filter(|c| is_virtual(c)).count();
    match is_virtual(&t.columns[at]) {
        true => ((before as u64 + 1) << 16) + at as u64,
        false => (at - before) as u64,
    }
}

/// The columns that rows have, and behind them the virtual ones, as InnoDB lists them.
fn columns(t: &Named) -> Vec<Row> {
    let (virtuals, plain): (Vec<_>, Vec<_>) =
        t.table.shown_columns().partition(|(_, c)| is_virtual(c));
    plain.into_iter().chain(virtuals).map(|(at, c)| column(t, at, c)).collect()
}

fn column(t: &Named, at: usize, c: &SqlColumn) -> Row {
    let flags = if c.nullable { 0 } else { NOT_NULL } + if is_virtual(c) { VIRTUAL } else { 0 };
    // What rows have that are older than the column. Where no history was kept, a column that came with NULL or the empty value of its type
    // cannot be told from one that was always there.
    let old = &t.table.engine.def.columns[at].default;
    let told = *old != c.phys().empty() && *old != DatumBuf::Null;
    let added = told || t.table.engine.def.came_later(at) && !is_virtual(c);
    let value = if added { stored_form(c.ty, old.as_ref()) } else { None };
    vec![
        u(t.stored.def.id),
        s(c.name.as_str()),
        u(place(&t.table, at)),
        i(main_type_of(c.ty)),
        i(precise_type(c.ty) + flags),
        i(length(c.ty) as i64),
        i(added.into()),
        os(value.map(|bytes| hex(&bytes))),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        // A String takes whatever is written to it.
        _ = write!(text, "{b:02x}");
        text
    })
}

fn main_type_of(ty: SqlType) -> i64 {
    use main_type::*;
    let varying = matches!(ty, SqlType::Varchar { .. });
    match (ty.class(), ty) {
        (Class::Int, SqlType::Bit { .. }) => FIXBINARY,
        (Class::Null | Class::Int | Class::Date, _) => INT,
        (Class::Decimal | Class::Time | Class::DateTime, _) => FIXBINARY,
        (Class::Real, _) if ty.facts().packed == 4 => FLOAT,
        (Class::Real, _) => DOUBLE,
        (Class::Json, _) | (_, SqlType::Text { .. }) => BLOB,
        (_, SqlType::Geometry { .. }) => GEOMETRY,
        (Class::Text, _) => match (characters(ty), varying) {
            (None, _) => INT,
            (Some(Collation::Binary), varying) => {
                if varying {
                    BINARY
                } else {
                    FIXBINARY
                }
            }
            (Some(Collation::Latin1SwedishCi), varying) => {
                if varying {
                    VARCHAR
                } else {
                    CHAR
                }
            }
            (Some(_), varying) => {
                if varying {
                    VARMYSQL
                } else {
                    MYSQL
                }
            }
        },
    }
}

/// The collation of the bytes in a row; ENUM and SET have numbers there.
fn characters(ty: SqlType) -> Option<Collation> {
    ty.collation().filter(|_| !ty.is_list() && !ty.is_geometry())
}

fn precise_type(ty: SqlType) -> i64 {
    let code = match ty {
        SqlType::Varchar { .. } => column_type::VARCHAR,
        SqlType::Text { .. } => column_type::BLOB,
        _ => ty.facts().wire,
    };
    let bits = matches!(ty, SqlType::Bit { .. });
    let collation = match ty.class() {
        Class::Json => Some(Collation::Utf8mb4Bin),
        // Numbers that InnoDB has as bytes are in the collation of numbers.
        Class::Decimal | Class::Time | Class::DateTime => Some(Collation::Latin1SwedishCi),
        _ if bits => Some(Collation::Binary),
        _ => characters(ty),
    };
    let text = characters(ty).is_some_and(|c| !c.is_binary());
    let members = ty.is_list();
    let unsigned = members || ty.is_unsigned();
    let long = matches!(ty, SqlType::Varchar { .. }) && length(ty) > 255;
    let flags = [(unsigned, UNSIGNED), (!text && !members, BINARY_TYPE), (long, LONG_TRUE_VARCHAR)];
    let flags: i64 = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum();
    let collation = collation.map_or(0, |c| i64::from(c.id()));
    (collation << COLLATION_SHIFT) + flags + i64::from(code)
}

/// Bytes of the longest value in a row, without those that tell a VARCHAR's length; of a BLOB those of its length and of a pointer.
fn length(ty: SqlType) -> u64 {
    let packed = ty.facts().packed;
    match ty {
        SqlType::Varchar { .. } if packed > 256 => packed - 2,
        SqlType::Varchar { .. } => packed - 1,
        _ => packed,
    }
}

/// The columns of each row that a virtual column is worked out from; another virtual column among them is not one.
fn sources(t: &Named) -> Vec<Row> {
    let columns = &t.table.columns;
    let of = |(at, column): (usize, &SqlColumn)| {
        let ColumnDefault::Generated { expr, stored: false } = &column.default else {
            return Vec::new();
        };
        let named = expression::columns_of(expr);
        let used = |c: &SqlColumn| named.iter().any(|n| same_name(n, &c.name));
        let bases = (0..columns.len()).filter(|b| used(&columns[*b]) && !is_virtual(&columns[*b]));
        let row = |base| vec![u(t.stored.def.id), u(place(&t.table, at)), u(place(&t.table, base))];
        bases.map(row).collect()
    };
    columns.iter().enumerate().flat_map(of).collect()
}
