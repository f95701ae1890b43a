//! Bytes of types.

use super::bytes::{Reader, Writer, damaged, flags};
use crate::session_api::SqlError;
use crate::value::{GeoKind, IntKind, LobKind, Members, SqlType};

pub const INT_KINDS: [IntKind; 5] =
    [IntKind::Tiny, IntKind::Small, IntKind::Medium, IntKind::Int, IntKind::Big];

pub const LOB_KINDS: [LobKind; 4] =
    [LobKind::Tiny, LobKind::Normal, LobKind::Medium, LobKind::Long];

/// Tags of types. They stand in data directories: append, never change.
mod tag {
    pub const NULL: u8 = 0;
    pub const INT: u8 = 1;
    pub const DECIMAL: u8 = 2;
    pub const FLOAT: u8 = 3;
    pub const DOUBLE: u8 = 4;
    pub const CHAR: u8 = 5;
    pub const VARCHAR: u8 = 6;
    pub const TEXT: u8 = 7;
    pub const DATE: u8 = 8;
    pub const TIME: u8 = 9;
    pub const DATETIME: u8 = 10;
    pub const TIMESTAMP: u8 = 11;
    pub const YEAR: u8 = 12;
    pub const BIT: u8 = 13;
    pub const ENUM: u8 = 14;
    pub const SET: u8 = 15;
    pub const JSON: u8 = 16;
    pub const GEOMETRY: u8 = 17;
}

pub fn put_type(w: &mut Writer, ty: SqlType) {
    let attributes = |unsigned, zerofill| flags(&[(unsigned, 1), (zerofill, 2)]);
    match ty {
        SqlType::Null => w.u8(tag::NULL),
        SqlType::Int { kind, unsigned, zerofill, width } => {
            w.u8(tag::INT);
            w.u8(INT_KINDS.iter().position(|&k| k == kind).unwrap_or(0) as u8);
            w.u8(attributes(unsigned, zerofill));
            // 0 is a width of its own nowhere: INT(0) means the default width.
            w.u8(width.unwrap_or(0));
        }
        SqlType::Decimal { precision, scale, unsigned, zerofill } => {
            w.0.extend([tag::DECIMAL, precision, scale, attributes(unsigned, zerofill)]);
        }
        SqlType::Float { unsigned, zerofill, digits }
        | SqlType::Double { unsigned, zerofill, digits } => {
            let tag = if matches!(ty, SqlType::Float { .. }) { tag::FLOAT } else { tag::DOUBLE };
            let (m, d) = digits.unwrap_or((0, 0));
            w.0.extend([tag, attributes(unsigned, zerofill), m, d]);
        }
        SqlType::Char { chars, collation } | SqlType::Varchar { chars, collation } => {
            let tag = if matches!(ty, SqlType::Char { .. }) { tag::CHAR } else { tag::VARCHAR };
            w.u8(tag);
            w.u32(chars);
            w.u16(collation.id());
        }
        SqlType::Text { kind, collation } => {
            w.u8(tag::TEXT);
            w.u8(LOB_KINDS.iter().position(|&k| k == kind).unwrap_or(0) as u8);
            w.u16(collation.id());
        }
        SqlType::Date => w.u8(tag::DATE),
        SqlType::Time { fsp } => w.0.extend([tag::TIME, fsp]),
        SqlType::DateTime { fsp } => w.0.extend([tag::DATETIME, fsp]),
        SqlType::Timestamp { fsp } => w.0.extend([tag::TIMESTAMP, fsp]),
        SqlType::Year => w.u8(tag::YEAR),
        SqlType::Json => w.u8(tag::JSON),
        SqlType::Geometry { kind, srid } => {
            w.0.extend([tag::GEOMETRY, kind as u8, u8::from(srid.is_some())]);
            w.u32(srid.unwrap_or(0));
        }
        SqlType::Bit { bits } => w.0.extend([tag::BIT, bits]),
        SqlType::Enum { members, collation } | SqlType::Set { members, collation } => {
            w.u8(if matches!(ty, SqlType::Enum { .. }) { tag::ENUM } else { tag::SET });
            w.u16(collation.id());
            w.count(members.len());
            members.names().iter().for_each(|n| w.bytes(n));
        }
    }
}

pub fn get_type(r: &mut Reader<'_>) -> Result<SqlType, SqlError> {
    Ok(match r.u8()? {
        tag::NULL => SqlType::Null,
        tag::INT => {
            let kind = *INT_KINDS.get(usize::from(r.u8()?)).ok_or_else(damaged)?;
            let bits = r.u8()?;
            let width = Some(r.u8()?).filter(|&w| w > 0);
            SqlType::Int { kind, unsigned: bits & 1 != 0, zerofill: bits & 2 != 0, width }
        }
        tag::DECIMAL => {
            let [precision, scale, bits] = r.array()?;
            SqlType::Decimal { precision, scale, unsigned: bits & 1 != 0, zerofill: bits & 2 != 0 }
        }
        kind @ (tag::FLOAT | tag::DOUBLE) => {
            let [bits, m, d] = r.array()?;
            let (unsigned, zerofill) = (bits & 1 != 0, bits & 2 != 0);
            let digits = if m == 0 { None } else { Some((m, d)) };
            match kind {
                tag::FLOAT => SqlType::Float { unsigned, zerofill, digits },
                _ => SqlType::Double { unsigned, zerofill, digits },
            }
        }
        tag::CHAR => SqlType::Char { chars: r.u32()?, collation: r.collation()? },
        tag::VARCHAR => SqlType::Varchar { chars: r.u32()?, collation: r.collation()? },
        tag::TEXT => {
            let kind = *LOB_KINDS.get(usize::from(r.u8()?)).ok_or_else(damaged)?;
            SqlType::Text { kind, collation: r.collation()? }
        }
        tag::DATE => SqlType::Date,
        tag::TIME => SqlType::Time { fsp: r.u8()? },
        tag::DATETIME => SqlType::DateTime { fsp: r.u8()? },
        tag::TIMESTAMP => SqlType::Timestamp { fsp: r.u8()? },
        tag::BIT => match r.u8()? {
            bits @ 1..=64 => SqlType::Bit { bits },
            _ => return Err(damaged()),
        },
        kind @ (tag::ENUM | tag::SET) => {
            let collation = r.collation()?;
            let members = Members::new(r.list(|r| Ok(r.bytes()?.into()))?);
            match kind {
                _ if members.is_empty() => return Err(damaged()),
                tag::ENUM => SqlType::Enum { members, collation },
                _ if members.len() > 64 => return Err(damaged()),
                _ => SqlType::Set { members, collation },
            }
        }
        tag::YEAR => SqlType::Year,
        tag::JSON => SqlType::Json,
        tag::GEOMETRY => {
            let kind = GeoKind::from_code(u32::from(r.u8()?)).ok_or_else(damaged)?;
            let limited = r.u8()? != 0;
            let srid = Some(r.u32()?).filter(|_| limited);
            SqlType::Geometry { kind, srid }
        }
        _ => return Err(damaged()),
    })
}
