//! Values as InnoDB has them in a row: what INNODB_COLUMNS tells of columns that came later than rows.

use crate::value::decimal::Decimal;
use crate::value::types::Class;
use crate::value::{Collation, Date, SqlType, TimeZone, Value};
use weir_engine::row::Datum;

/// The bytes of a value; nothing of NULL, and of a document.
pub(super) fn stored_form(ty: SqlType, datum: Datum<'_>) -> Option<Vec<u8>> {
    let packed = ty.facts().packed as usize;
    let number = match datum {
        Datum::Int(v) => v as u64,
        Datum::UInt(v) => v,
        _ => 0,
    };
    // The clock of a TIMESTAMP is UTC's then.
    match (ty.class(), ty.load(datum, TimeZone::UTC)) {
        (_, Value::Null) => None,
        (Class::Int, _) => {
            let signed = ty.is_integer() && !ty.is_unsigned();
            Some(big_endian(number, packed, signed))
        }
        (Class::Real, Value::Double(v)) if packed == 4 => Some((v as f32).to_le_bytes().to_vec()),
        (Class::Real, Value::Double(v)) => Some(v.to_le_bytes().to_vec()),
        (Class::Decimal, Value::Decimal(d)) => {
            let (precision, scale) = ty.facts().number?;
            Some(decimal(d, precision, scale))
        }
        (Class::Date, Value::Date(d)) => Some(big_endian(day(d, 16), packed, true)),
        (Class::Time, Value::Time(t)) => Some(time(t.parts(), ty.fsp())),
        (Class::DateTime, Value::DateTime(t)) => {
            let mut bytes = match ty {
                SqlType::Timestamp { .. } if number == 0 => vec![0; 4],
                SqlType::Timestamp { .. } => {
                    big_endian(t.civil_micros().div_euclid(1_000_000) as u64, 4, false)
                }
                _ => {
                    let second = clock(u64::from(t.hour), t.minute, t.second);
                    big_endian(day(t.date, 13) << 17 | second, 5, true)
                }
            };
            bytes.extend(fraction(i64::from(t.micro), ty.fsp()));
            Some(bytes)
        }
        (Class::Text, value) => text(ty, value, big_endian(number, packed, false)),
        _ => None,
    }
}

/// Characters or bytes, or the `number` that ENUM and SET have.
fn text(ty: SqlType, value: Value<'_>, number: Vec<u8>) -> Option<Vec<u8>> {
    match (ty, value) {
        (SqlType::Enum { .. } | SqlType::Set { .. }, _) => Some(number),
        (SqlType::Char { chars, collation }, Value::Str(text, _) | Value::Bytes(text)) => {
            Some(padded(text.into_owned(), chars as usize, collation))
        }
        (_, Value::Str(text, _) | Value::Bytes(text)) => Some(text.into_owned()),
        _ => None,
    }
}

/// Five bits for the day; a DATE has sixteen values for months, a DATETIME thirteen.
fn day(d: Date, months: u64) -> u64 {
    (u64::from(d.year) * months + u64::from(d.month)) << 5 | u64::from(d.day)
}

/// The last bytes of a number; with a flipped sign, so that less is less byte by byte.
fn big_endian(v: u64, len: usize, signed: bool) -> Vec<u8> {
    let mut bytes = v.to_be_bytes()[8 - len.min(8)..].to_vec();
    if let (true, Some(first)) = (signed, bytes.first_mut()) {
        *first ^= 0x80;
    }
    bytes
}

fn clock(hour: u64, minute: u8, second: u8) -> u64 {
    hour << 12 | u64::from(minute) << 6 | u64::from(second)
}

/// As many digits of the microseconds as the column has, two in a byte.
fn fraction(micros: i64, fsp: u8) -> Vec<u8> {
    let bytes = usize::from(fsp.div_ceil(2));
    let unit = 10_i64.pow(6 - 2 * bytes as u32);
    big_endian((micros / unit) as u64, bytes, false)
}

/// A time is one number with its microseconds in the lowest 24 bits, less than 0 as a whole.
fn time((negative, hour, minute, second, micro): (bool, u32, u8, u8, u32), fsp: u8) -> Vec<u8> {
    let whole = (clock(u64::from(hour), minute, second) << 24 | u64::from(micro)) as i64;
    let whole = if negative { -whole } else { whole };
    let mut bytes = big_endian((whole >> 24) as u64, 3, true);
    bytes.extend(fraction(whole % (1 << 24), fsp));
    bytes
}

/// CHAR has blanks up to one byte for each character at least, BINARY zeros.
fn padded(mut bytes: Vec<u8>, chars: usize, collation: Collation) -> Vec<u8> {
    let len = bytes.len().max(chars);
    bytes.resize(len, if collation.is_binary() { 0 } else { b' ' });
    bytes
}

/// MySQL's form: nine digits in four bytes from the point outwards, fewer in fewer; all bits flipped of what is less than 0, and then the
/// first one.
fn decimal(d: Decimal, precision: u8, scale: u8) -> Vec<u8> {
    let shown = d.round(scale).unwrap_or(Decimal::ZERO).abs().to_string();
    let (whole, part) = shown.split_once('.').unwrap_or((&shown, ""));
    let width = usize::from(precision - scale);
    let whole = format!("{:0>width$}", whole.trim_start_matches('0'));
    let part = format!("{part:0<scale$}", scale = usize::from(scale));
    // Digits that are no nine of their own are the first ones before the point, and the last ones behind it.
    let (odd, nines) = whole.split_at(whole.len() % 9);
    let groups = std::iter::once(odd).chain(chunks(nines)).chain(chunks(&part));
    let mut bytes: Vec<u8> = groups.flat_map(group).collect();
    if d.is_negative() {
        bytes.iter_mut().for_each(|b| *b = !*b);
    }
    if let Some(first) = bytes.first_mut() {
        *first ^= 0x80;
    }
    bytes
}

fn chunks(digits: &str) -> impl Iterator<Item = &str> {
    (0..digits.len()).step_by(9).map(|at| &digits[at..digits.len().min(at + 9)])
}

/// Bytes for a number of digits from 0 to 9.
const GROUP_BYTES: [usize; 10] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

fn group(digits: &str) -> Vec<u8> {
    let bytes = GROUP_BYTES.get(digits.len()).copied().unwrap_or(4);
    big_endian(digits.parse().unwrap_or(0), bytes, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that a MySQL 9.7 has of the same values.
    #[test]
    fn as_innodb_has_them() {
        let d = |text: &str| Decimal::parse(text.as_bytes()).value.expect("a number");
        assert_eq!(decimal(d("1.5"), 6, 2), [0x80, 0x01, 0x32]);
        assert_eq!(decimal(d("-1.5"), 6, 2), [0x7f, 0xfe, 0xcd]);
        assert_eq!(decimal(d("1234567890.1234"), 14, 4), [129, 13, 251, 56, 210, 4, 210]);
        assert_eq!(time((false, 1, 2, 3, 450_000), 2), [0x80, 0x10, 0x83, 0x2d]);
        assert_eq!(big_endian(-1_i64 as u64, 8, true), [0x7f, 255, 255, 255, 255, 255, 255, 255]);
    }
}
