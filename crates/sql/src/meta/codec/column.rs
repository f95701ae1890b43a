//! Bytes of columns.

use super::bytes::{Reader, Writer, damaged, flags};
use super::types::{get_type, put_type};
use crate::meta::{ColumnDefault, SqlColumn};
use crate::session_api::SqlError;
use crate::value::DatumBuf;

pub const COLUMN_NULLABLE: u8 = 1;

pub const COLUMN_AUTO: u8 = 2;

pub const COLUMN_INVISIBLE: u8 = 4;

pub const COLUMN_COLLATED: u8 = 8;

pub const COLUMN_HIDDEN: u8 = 16;

/// The type of the elements comes after all else.
pub const COLUMN_ARRAY: u8 = 32;

pub fn put_column(w: &mut Writer, c: &SqlColumn) {
    w.str(&c.name);
    put_type(w, c.ty);
    let bits = [
        (c.nullable, COLUMN_NULLABLE),
        (c.auto_increment, COLUMN_AUTO),
        (c.invisible, COLUMN_INVISIBLE),
        (c.explicit_collation, COLUMN_COLLATED),
        (c.hidden, COLUMN_HIDDEN),
        (c.array.is_some(), COLUMN_ARRAY),
    ];
    w.u8(flags(&bits));
    put_default(w, &c.default);
    w.u8(c.on_update_now.map_or(0, |fsp| fsp + 1));
    w.str(&c.comment);
    if let Some(element) = c.array {
        put_type(w, element);
    }
}

pub fn get_column(r: &mut Reader<'_>) -> Result<SqlColumn, SqlError> {
    let name = r.str()?;
    let ty = get_type(r)?;
    let flags = r.u8()?;
    let default = get_default(r)?;
    let on_update_now = r.u8()?.checked_sub(1);
    let comment = r.str()?;
    let array = (flags & COLUMN_ARRAY != 0).then(|| get_type(r)).transpose()?;
    Ok(SqlColumn {
        name,
        ty,
        nullable: flags & COLUMN_NULLABLE != 0,
        default,
        on_update_now,
        auto_increment: flags & COLUMN_AUTO != 0,
        comment,
        invisible: flags & COLUMN_INVISIBLE != 0,
        hidden: flags & COLUMN_HIDDEN != 0,
        array,
        explicit_collation: flags & COLUMN_COLLATED != 0,
    })
}

pub fn put_default(w: &mut Writer, d: &ColumnDefault) {
    match d {
        ColumnDefault::None => w.u8(0),
        ColumnDefault::Null => w.u8(1),
        ColumnDefault::CurrentTimestamp(fsp) => {
            w.u8(2);
            w.u8(*fsp);
        }
        ColumnDefault::Expr(text) => {
            w.u8(3);
            w.str(text);
        }
        ColumnDefault::Generated { expr, stored } => {
            w.u8(if *stored { 9 } else { 8 });
            w.str(expr);
        }
        ColumnDefault::Literal(datum) => match datum {
            DatumBuf::Null => w.u8(1),
            DatumBuf::Int(v) => {
                w.u8(4);
                w.u64(*v as u64);
            }
            DatumBuf::UInt(v) => {
                w.u8(5);
                w.u64(*v);
            }
            DatumBuf::Float(v) => {
                w.u8(6);
                w.u64(v.to_bits());
            }
            DatumBuf::Bytes(b) => {
                w.u8(7);
                w.bytes(b);
            }
        },
    }
}

pub fn get_default(r: &mut Reader<'_>) -> Result<ColumnDefault, SqlError> {
    Ok(match r.u8()? {
        0 => ColumnDefault::None,
        1 => ColumnDefault::Null,
        2 => ColumnDefault::CurrentTimestamp(r.u8()?),
        3 => ColumnDefault::Expr(r.str()?),
        4 => ColumnDefault::Literal(DatumBuf::Int(r.u64()? as i64)),
        5 => ColumnDefault::Literal(DatumBuf::UInt(r.u64()?)),
        6 => ColumnDefault::Literal(DatumBuf::Float(f64::from_bits(r.u64()?))),
        7 => ColumnDefault::Literal(DatumBuf::Bytes(r.bytes()?.to_vec())),
        tag @ (8 | 9) => ColumnDefault::Generated { expr: r.str()?, stored: tag == 9 },
        _ => return Err(damaged()),
    })
}
