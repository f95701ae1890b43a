//! Rows of the text and the binary protocol into cells.

use crate::target::{Cell, Rows};
use std::io::Write;
use weir_wire::constants::column_type as ty;
use weir_wire::{Malformed, Reader};

const UNSIGNED: u16 = 32;

/// What decoding needs of a column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    code: u8,
    unsigned: bool,
}

impl Column {
    pub fn decode(packet: &[u8]) -> Result<Column, Malformed> {
        let mut r = Reader::new(packet);
        for _ in 0..6 {
            r.lenenc_str()?;
        }
        r.bytes(1 + 2 + 4)?;
        let code = r.u8()?;
        Ok(Column { code, unsigned: r.u16()? & UNSIGNED != 0 })
    }
}

pub fn text(packet: &[u8], columns: &[Column], rows: &mut Rows) -> Result<(), Malformed> {
    let mut rest = packet;
    for _ in columns {
        if rest.first() == Some(&0xFB) {
            rest = &rest[1..];
            rows.push(Cell::Null);
            continue;
        }
        let mut r = Reader::new(rest);
        rows.push_bytes(r.lenenc_str()?);
        rest = r.rest();
    }
    Ok(())
}

pub fn binary(packet: &[u8], columns: &[Column], rows: &mut Rows) -> Result<(), Malformed> {
    let mut r = Reader::new(packet);
    r.u8()?;
    let nulls = r.bytes((columns.len() + 2).div_ceil(8))?;
    for (i, c) in columns.iter().enumerate() {
        let bit = i + 2;
        if nulls[bit / 8] & (1 << (bit % 8)) != 0 {
            rows.push(Cell::Null);
        } else {
            value(&mut r, *c, rows)?;
        }
    }
    Ok(())
}

fn value(r: &mut Reader<'_>, c: Column, rows: &mut Rows) -> Result<(), Malformed> {
    let int =
        |signed: i64, unsigned: u64| Cell::Int(if c.unsigned { unsigned as i64 } else { signed });
    match c.code {
        ty::TINY => {
            let v = r.u8()?;
            rows.push(int((v as i8).into(), v.into()));
        }
        ty::SHORT | ty::YEAR => {
            let v = r.u16()?;
            rows.push(int((v as i16).into(), v.into()));
        }
        ty::LONG | ty::INT24 => {
            let v = r.u32()?;
            rows.push(int((v as i32).into(), v.into()));
        }
        ty::LONGLONG => rows.push(Cell::Int(r.u64()? as i64)),
        ty::FLOAT => rows.push(Cell::Double(f32::from_le_bytes(r.array()?).into())),
        ty::DOUBLE => rows.push(Cell::Double(f64::from_le_bytes(r.array()?))),
        ty::NULL => rows.push(Cell::Null),
        ty::DATE | ty::DATETIME | ty::TIMESTAMP => {
            let len = usize::from(r.u8()?);
            let b = r.bytes(len)?;
            let at = |i: usize| b.get(i).copied().unwrap_or(0);
            let year = u16::from_le_bytes([at(0), at(1)]);
            let mut text = Vec::with_capacity(19);
            // Writing to a vector cannot fail.
            let _ = write!(text, "{year:04}-{:02}-{:02}", at(2), at(3));
            if c.code != ty::DATE {
                let _ = write!(text, " {:02}:{:02}:{:02}", at(4), at(5), at(6));
            }
            rows.push_bytes(&text);
        }
        ty::TIME => {
            let len = usize::from(r.u8()?);
            rows.push_bytes(r.bytes(len)?);
        }
        _ => rows.push_bytes(r.lenenc_str()?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_wire::binary::Row;
    use weir_wire::response::{Column as Definition, put_column};

    fn column(code: u8) -> Column {
        let mut out = Vec::new();
        put_column(&mut out, &Definition { type_code: code, flags: 0, ..Definition::PARAMETER });
        Column::decode(&out).unwrap()
    }

    #[test]
    fn what_a_server_encodes() {
        let columns = [
            column(ty::LONG),
            column(ty::NEWDECIMAL),
            column(ty::VAR_STRING),
            column(ty::DATETIME),
        ];
        let mut out = Vec::new();
        let mut row = Row::begin(&mut out, 4);
        row.put_int(ty::LONG, -7);
        row.put_bytes(ty::NEWDECIMAL, b"12.50");
        row.put_null();
        let clock = weir_wire::text::ClockText { hours: 1, ..Default::default() };
        row.put_date_time(ty::DATETIME, (2024, 2, 29), clock);
        let mut rows = Rows::default();
        rows.begin(4);
        binary(&out, &columns, &mut rows).unwrap();
        assert_eq!((rows.int(0, 0).unwrap(), rows.cents(0, 1).unwrap()), (-7, 1250));
        assert!(rows.is_null(0, 2));
        assert_eq!(rows.text(0, 3), "2024-02-29 01:00:00");
        assert!(binary(&out[..3], &columns, &mut rows).is_err());
    }

    #[test]
    fn text_rows() {
        let mut rows = Rows::default();
        rows.begin(2);
        text(b"\xFB\x0242", &[column(ty::LONG), column(ty::LONG)], &mut rows).unwrap();
        assert!(rows.is_null(0, 0));
        assert_eq!(rows.int(0, 1).unwrap(), 42);
    }
}
