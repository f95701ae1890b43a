//! Rows in binary form (COM_STMT_EXECUTE): a zero byte, a bitmap of NULLs, the values by the type
//! that the column announced.

use crate::constants::column_type as ty;
use crate::number::{signed, unsigned};
use crate::put_lenenc_str;
use crate::text::{ClockText, push_clock, push_date, push_double, push_float, push_time};

/// A row being appended to the payload of a packet.
#[derive(Debug)]
pub struct Row<'o> {
    out: &'o mut Vec<u8>,
    bitmap: usize,
    column: usize,
}

impl<'o> Row<'o> {
    pub fn begin(out: &'o mut Vec<u8>, columns: usize) -> Row<'o> {
        let bitmap = out.len() + 1;
        match (columns + 2).div_ceil(8) {
            1 => out.extend_from_slice(&[0; 2]),
            2 => out.extend_from_slice(&[0; 3]),
            bytes => out.resize(bitmap + bytes, 0),
        }
        Row { out, bitmap, column: 0 }
    }

    pub fn put_null(&mut self) {
        // The first two bits are never used.
        let bit = self.column + 2;
        self.out[self.bitmap + bit / 8] |= 1 << (bit % 8);
        self.column += 1;
    }

    pub fn put_int(&mut self, type_code: u8, n: i64) {
        self.column += 1;
        match type_code {
            ty::FLOAT => self.raw(&(n as f32).to_le_bytes()),
            ty::DOUBLE => self.raw(&(n as f64).to_le_bytes()),
            _ => match int_width(type_code) {
                0 => signed(n, |text| put_lenenc_str(self.out, text)),
                width => self.raw(&n.to_le_bytes()[..width]),
            },
        }
    }

    pub fn put_uint(&mut self, type_code: u8, n: u64) {
        self.column += 1;
        match type_code {
            ty::FLOAT => self.raw(&(n as f32).to_le_bytes()),
            ty::DOUBLE => self.raw(&(n as f64).to_le_bytes()),
            _ => match int_width(type_code) {
                0 => unsigned(n, |text| put_lenenc_str(self.out, text)),
                width => self.raw(&n.to_le_bytes()[..width]),
            },
        }
    }

    pub fn put_double(&mut self, type_code: u8, v: f64) {
        self.column += 1;
        match type_code {
            ty::DOUBLE => self.raw(&v.to_le_bytes()),
            ty::FLOAT => self.raw(&(v as f32).to_le_bytes()),
            _ => match int_width(type_code) {
                0 => self.text(|out| push_double(out, v)),
                width => self.raw(&(v.round() as i64).to_le_bytes()[..width]),
            },
        }
    }

    pub fn put_float(&mut self, type_code: u8, v: f32) {
        match type_code {
            ty::FLOAT => {
                self.column += 1;
                self.raw(&v.to_le_bytes());
            }
            _ if is_text(type_code) => {
                self.column += 1;
                self.text(|out| push_float(out, v));
            }
            _ => self.put_double(type_code, v.into()),
        }
    }

    /// Strings, blobs, decimals. Text in a column that announced a number is read as one: the
    /// announced type is what the client decodes by.
    pub fn put_bytes(&mut self, type_code: u8, bytes: &[u8]) {
        if is_text(type_code) {
            self.column += 1;
            return put_lenenc_str(self.out, bytes);
        }
        let text = std::str::from_utf8(bytes).unwrap_or_default().trim();
        match type_code {
            ty::DATE | ty::DATETIME | ty::TIMESTAMP | ty::TIME => {
                debug_assert!(false, "text in a temporal column");
                self.column += 1;
                self.out.push(0);
            }
            _ => match (text.parse::<i64>(), text.parse::<u64>(), text.parse::<f64>()) {
                (Ok(n), ..) => self.put_int(type_code, n),
                (_, Ok(n), _) => self.put_uint(type_code, n),
                (.., Ok(v)) => self.put_double(type_code, v),
                _ => self.put_int(type_code, 0),
            },
        }
    }

    pub fn put_date(&mut self, type_code: u8, year: u16, month: u8, day: u8) {
        if is_text(type_code) {
            self.column += 1;
            return self.text(|out| push_date(out, year, month, day));
        }
        self.put_date_time(type_code, (year, month, day), ClockText::default());
    }

    pub fn put_date_time(&mut self, type_code: u8, date: (u16, u8, u8), clock: ClockText) {
        self.column += 1;
        let (year, month, day) = date;
        if is_text(type_code) {
            return self.text(|out| {
                push_date(out, year, month, day);
                out.push(b' ');
                push_clock(out, clock);
            });
        }
        let has_clock = (clock.hours, clock.minutes, clock.seconds) != (0, 0, 0);
        let len = match () {
            () if clock.micros != 0 => 11,
            () if has_clock => 7,
            () if date != (0, 0, 0) => 4,
            () => 0,
        };
        self.out.push(len);
        if len >= 4 {
            self.raw(&year.to_le_bytes());
            self.raw(&[month, day]);
        }
        if len >= 7 {
            self.raw(&[clock.hours as u8, clock.minutes, clock.seconds]);
        }
        if len == 11 {
            self.raw(&clock.micros.to_le_bytes());
        }
    }

    pub fn put_time(&mut self, type_code: u8, negative: bool, clock: ClockText) {
        self.column += 1;
        if is_text(type_code) {
            return self.text(|out| push_time(out, negative, clock));
        }
        let zero = (clock.hours, clock.minutes, clock.seconds, clock.micros) == (0, 0, 0, 0);
        let len = match () {
            () if clock.micros != 0 => 12,
            () if zero => 0,
            () => 8,
        };
        self.out.push(len);
        if len > 0 {
            self.out.push(u8::from(negative));
            self.raw(&(clock.hours / 24).to_le_bytes());
            self.raw(&[(clock.hours % 24) as u8, clock.minutes, clock.seconds]);
        }
        if len == 12 {
            self.raw(&clock.micros.to_le_bytes());
        }
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// A short text with its length in front.
    fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let at = self.out.len();
        self.out.push(0);
        write(self.out);
        self.out[at] = (self.out.len() - at - 1) as u8;
    }
}

/// Bytes of an integer type, 0 for anything else.
fn int_width(type_code: u8) -> usize {
    match type_code {
        ty::TINY => 1,
        ty::SHORT | ty::YEAR => 2,
        ty::LONG | ty::INT24 => 4,
        ty::LONGLONG => 8,
        _ => 0,
    }
}

/// Is the value of such a column a length-encoded string?
fn is_text(type_code: u8) -> bool {
    !matches!(
        type_code,
        ty::FLOAT | ty::DOUBLE | ty::DATE | ty::DATETIME | ty::TIMESTAMP | ty::TIME
    ) && int_width(type_code) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_nulls() {
        let mut out = Vec::new();
        let mut row = Row::begin(&mut out, 7);
        row.put_int(ty::LONG, -2);
        row.put_null();
        row.put_bytes(ty::VAR_STRING, b"ab");
        row.put_uint(ty::TINY, 200);
        row.put_double(ty::DOUBLE, 1.0);
        row.put_null();
        row.put_null();
        assert_eq!(out, b"\x00\x88\x01\xFE\xFF\xFF\xFF\x02ab\xC8\x00\x00\x00\x00\x00\x00\xF0\x3F");
    }

    #[test]
    fn temporals_take_the_shortest_form() {
        let bytes = |put: &dyn Fn(&mut Row<'_>)| {
            let mut out = Vec::new();
            put(&mut Row::begin(&mut out, 1));
            out[2..].to_vec()
        };
        let clock = ClockText { hours: 1, minutes: 2, seconds: 3, micros: 0, decimals: 6 };
        let day = (2024, 2, 29);
        assert_eq!(bytes(&|r| r.put_date(ty::DATE, 2024, 2, 29)), b"\x04\xE8\x07\x02\x1D");
        assert_eq!(bytes(&|r| r.put_date(ty::DATE, 0, 0, 0)), [0]);
        assert_eq!(
            bytes(&|r| r.put_date_time(ty::DATETIME, day, clock)),
            b"\x07\xE8\x07\x02\x1D\x01\x02\x03"
        );
        let clock = ClockText { micros: 1, hours: 25, ..clock };
        assert_eq!(
            bytes(&|r| r.put_time(ty::TIME, true, clock)),
            b"\x0C\x01\x01\0\0\0\x01\x02\x03\x01\0\0\0"
        );
        assert_eq!(bytes(&|r| r.put_date(ty::VAR_STRING, 2024, 2, 29)), b"\x0A2024-02-29");
    }

    #[test]
    fn the_announced_type_rules() {
        let mut out = Vec::new();
        let mut row = Row::begin(&mut out, 4);
        row.put_bytes(ty::LONG, b"42");
        row.put_int(ty::VAR_STRING, 42);
        row.put_int(ty::DOUBLE, 1);
        row.put_float(ty::NEWDECIMAL, 0.5);
        assert_eq!(out[2..], *b"\x2A\0\0\0\x0242\0\0\0\0\0\0\xF0\x3F\x030.5");
    }
}
