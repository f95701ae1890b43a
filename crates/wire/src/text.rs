//! Values in text rows (COM_QUERY). The payload of a row is its values one after another.

use crate::number::{push_padded, signed, unsigned};
use crate::put_lenenc_str;
use std::fmt::Write as _;

pub fn put_null(out: &mut Vec<u8>) {
    out.push(0xFB);
}

pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_lenenc_str(out, bytes);
}

pub fn put_int(out: &mut Vec<u8>, n: i64) {
    signed(n, |text| put_short(out, text));
}

pub fn put_uint(out: &mut Vec<u8>, n: u64) {
    unsigned(n, |text| put_short(out, text));
}

/// Text shorter than 251 bytes: its length is one byte.
fn put_short(out: &mut Vec<u8>, text: &[u8]) {
    debug_assert!(text.len() <= 250);
    out.push(text.len() as u8);
    out.extend_from_slice(text);
}

/// Appends what `write` appends, with its length in front.
fn put_with(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.push(0);
    write(out);
    let len = out.len() - at - 1;
    debug_assert!(len <= 250);
    out[at] = len as u8;
}

pub fn put_double(out: &mut Vec<u8>, v: f64) {
    put_with(out, |out| push_double(out, v));
}

pub fn put_float(out: &mut Vec<u8>, v: f32) {
    put_with(out, |out| push_float(out, v));
}

/// MySQL prints a double with the fewest digits that read back as the same number.
pub(crate) fn push_double(out: &mut Vec<u8>, v: f64) {
    let mut text = Text::default();
    let _ = write!(text, "{v:e}");
    push_general(out, text.bytes());
}

/// MySQL prints a float with at most six digits (`FLT_DIG`).
pub(crate) fn push_float(out: &mut Vec<u8>, v: f32) {
    let mut short = Text::default();
    let _ = write!(short, "{v:e}");
    let mantissa = short.bytes().iter().take_while(|b| **b != b'e');
    if mantissa.filter(|b| b.is_ascii_digit()).count() > 6 {
        short = Text::default();
        let _ = write!(short, "{v:.5e}");
    }
    push_general(out, short.bytes());
}

/// Text on the stack: the longest double in exponent form has 24 bytes.
#[derive(Default)]
struct Text {
    bytes: [u8; 32],
    len: usize,
}

impl Text {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl std::fmt::Write for Text {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        let end = self.len + s.len();
        let place = self.bytes.get_mut(self.len..end).ok_or(std::fmt::Error)?;
        place.copy_from_slice(s.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// From `d.ddde±x` to MySQL's form: plain digits while the decimal point is within 15 places
/// (`DBL_DIG`), exponent form beyond.
fn push_general(out: &mut Vec<u8>, scientific: &[u8]) {
    let Some(e) = scientific.iter().position(|b| *b == b'e') else {
        // NaN and infinity, which SQL values never are.
        return out.extend_from_slice(scientific);
    };
    let exponent = std::str::from_utf8(&scientific[e + 1..]).ok().and_then(|t| t.parse().ok());
    let exponent: i32 = exponent.unwrap_or(0);
    let mut mantissa = &scientific[..e];
    if let [b'-', rest @ ..] = mantissa {
        out.push(b'-');
        mantissa = rest;
    }
    let mut digits = [0u8; 32];
    let mut count = 0;
    for digit in mantissa.iter().filter(|b| b.is_ascii_digit()) {
        digits[count] = *digit;
        count += 1;
    }
    while count > 1 && digits[count - 1] == b'0' {
        count -= 1;
    }
    let digits = &digits[..count];
    let point = exponent + 1;
    if digits == b"0" {
        out.push(b'0');
    } else if !(-14..=15).contains(&point) {
        out.push(digits[0]);
        if count > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.push(b'e');
        signed(i64::from(exponent), |text| out.extend_from_slice(text));
    } else if point <= 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + point.unsigned_abs() as usize, b'0');
        out.extend_from_slice(digits);
    } else if count <= point as usize {
        out.extend_from_slice(digits);
        out.resize(out.len() + point as usize - count, b'0');
    } else {
        let (whole, fraction) = digits.split_at(point as usize);
        out.extend_from_slice(whole);
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
}

pub fn put_date(out: &mut Vec<u8>, year: u16, month: u8, day: u8) {
    put_with(out, |out| push_date(out, year, month, day));
}

pub(crate) fn push_date(out: &mut Vec<u8>, year: u16, month: u8, day: u8) {
    push_padded(out, year.into(), 4);
    out.push(b'-');
    push_padded(out, month.into(), 2);
    out.push(b'-');
    push_padded(out, day.into(), 2);
}

/// Hours, minutes, seconds, microseconds and how many digits of the fraction to print.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockText {
    pub hours: u32,
    pub minutes: u8,
    pub seconds: u8,
    pub micros: u32,
    pub decimals: u8,
}

pub fn put_date_time(out: &mut Vec<u8>, (year, month, day): (u16, u8, u8), clock: ClockText) {
    put_with(out, |out| {
        push_date(out, year, month, day);
        out.push(b' ');
        push_clock(out, clock);
    });
}

pub fn put_time(out: &mut Vec<u8>, negative: bool, clock: ClockText) {
    put_with(out, |out| push_time(out, negative, clock));
}

pub(crate) fn push_time(out: &mut Vec<u8>, negative: bool, clock: ClockText) {
    if negative {
        out.push(b'-');
    }
    push_clock(out, clock);
}

pub(crate) fn push_clock(out: &mut Vec<u8>, clock: ClockText) {
    push_padded(out, clock.hours, 2);
    out.push(b':');
    push_padded(out, clock.minutes.into(), 2);
    out.push(b':');
    push_padded(out, clock.seconds.into(), 2);
    if clock.decimals > 0 {
        out.push(b'.');
        let at = out.len();
        push_padded(out, clock.micros, 6);
        out.truncate(at + usize::from(clock.decimals.min(6)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(put: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        put(&mut out);
        assert_eq!(usize::from(out[0]), out.len() - 1);
        String::from_utf8(out[1..].to_vec()).unwrap()
    }

    #[test]
    fn doubles_as_mysql_prints_them() {
        for (v, want) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (1e14, "100000000000000"),
            (1e15, "1e15"),
            (123456789012345.0, "123456789012345"),
            (1e-15, "0.000000000000001"),
            (1e-16, "1e-16"),
            (1.5e20, "1.5e20"),
            (1.7976931348623157e308, "1.7976931348623157e308"),
            (2.7182818284590455, "2.7182818284590455"),
        ] {
            assert_eq!(text(|out| put_double(out, v)), want);
        }
    }

    #[test]
    fn floats_have_six_digits() {
        for (v, want) in [
            (1.1f32, "1.1"),
            (2.345_678_9, "2.34568"),
            (16_777_216.0, "16777200"),
            (0.5, "0.5"),
            (1e20, "1e20"),
        ] {
            assert_eq!(text(|out| put_float(out, v)), want);
        }
    }

    #[test]
    fn temporals() {
        assert_eq!(text(|out| put_date(out, 24, 2, 9)), "0024-02-09");
        let clock = ClockText { hours: 1, minutes: 2, seconds: 3, micros: 45, decimals: 6 };
        assert_eq!(
            text(|out| put_date_time(out, (2024, 2, 29), clock)),
            "2024-02-29 01:02:03.000045"
        );
        let clock = ClockText { hours: 838, minutes: 59, seconds: 59, micros: 0, decimals: 0 };
        assert_eq!(text(|out| put_time(out, true, clock)), "-838:59:59");
        let clock = ClockText { decimals: 2, micros: 990_000, ..ClockText::default() };
        assert_eq!(text(|out| put_time(out, false, clock)), "00:00:00.99");
    }

    proptest! {
        #[test]
        fn doubles_read_back(bits: u64) {
            let v = f64::from_bits(bits);
            prop_assume!(v.is_finite());
            let shown = text(|out| put_double(out, v));
            prop_assert_eq!(shown.parse::<f64>().unwrap(), v);
        }

        #[test]
        fn ints_read_back(n: i64) {
            prop_assert_eq!(text(|out| put_int(out, n)), n.to_string());
            prop_assert_eq!(text(|out| put_uint(out, n as u64)), (n as u64).to_string());
        }
    }
}
