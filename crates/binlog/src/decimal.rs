//! DECIMAL as MySQL packs it: groups of nine digits in four bytes, and what is left in as many as it needs. The first bit is set for
//! numbers that are not negative; all bits of negative ones are inverted.

use crate::error::{Error, Result};

/// Bytes of so many digits that are no whole group.
const LEFT: [usize; 10] = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];
const GROUP: usize = 9;

/// MySQL's limits.
const PRECISION_MAX: u8 = 65;
const SCALE_MAX: u8 = 30;

/// Bytes that a DECIMAL(precision, scale) takes.
pub fn len(precision: u8, scale: u8) -> Result<usize> {
    if precision > PRECISION_MAX || scale > SCALE_MAX || scale > precision {
        return Err(Error::Malformed("the digits of a DECIMAL"));
    }
    let of = |digits: u8| {
        let digits = usize::from(digits);
        digits / GROUP * 4 + LEFT[digits % GROUP]
    };
    Ok(of(precision - scale) + of(scale))
}

/// The number as text. `bytes` has exactly [`len`] bytes.
pub fn decode(bytes: &[u8], precision: u8, scale: u8) -> Result<String> {
    if bytes.len() != len(precision, scale)? || bytes.is_empty() {
        return Err(Error::Malformed("a DECIMAL"));
    }
    let negative = bytes[0] & 0x80 == 0;
    let mut plain: Vec<u8> = bytes.iter().map(|b| if negative { !b } else { *b }).collect();
    plain[0] ^= 0x80;
    let whole = usize::from(precision - scale);
    let mut at = 0;
    let mut take = |digits: usize, out: &mut String| {
        let n = LEFT[digits];
        let number = plain[at..at + n].iter().fold(0u32, |n, b| n << 8 | u32::from(*b));
        at += n;
        if u64::from(number) >= 10u64.pow(digits as u32) {
            return Err(Error::Malformed("the digits of a DECIMAL"));
        }
        out.push_str(&format!("{number:0digits$}"));
        Ok(())
    };
    let mut text = String::new();
    if whole % GROUP > 0 {
        take(whole % GROUP, &mut text)?;
    }
    for _ in 0..whole / GROUP {
        take(GROUP, &mut text)?;
    }
    let digits = text.trim_start_matches('0');
    let mut out = String::from(if negative { "-" } else { "" });
    out.push_str(if digits.is_empty() { "0" } else { digits });
    if scale > 0 {
        out.push('.');
        let places = usize::from(scale);
        for _ in 0..places / GROUP {
            take(GROUP, &mut out)?;
        }
        if places % GROUP > 0 {
            take(places % GROUP, &mut out)?;
        }
    }
    Ok(out)
}

/// Appends a number, whose text has at most as many digits on each side of the point as the type.
pub fn encode(text: &str, precision: u8, scale: u8, out: &mut Vec<u8>) -> Result<()> {
    let bad = || Error::Malformed("the text of a DECIMAL");
    let total = len(precision, scale)?;
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('0');
    let (w, s) = (usize::from(precision - scale), usize::from(scale));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.len() > w || places.len() > s || !digits(whole) || !digits(places) {
        return Err(bad());
    }
    let (whole, places) = (format!("{whole:0>w$}"), format!("{places:0<s$}"));
    let start = out.len();
    let mut put = |digits: &str| -> Result<()> {
        if digits.is_empty() {
            return Ok(());
        }
        let number: u32 = digits.parse().map_err(|_| bad())?;
        let n = LEFT[digits.len()];
        out.extend_from_slice(&number.to_be_bytes()[4 - n..]);
        Ok(())
    };
    let (head, groups) = whole.split_at(w % GROUP);
    put(head)?;
    for at in (0..groups.len()).step_by(GROUP) {
        put(&groups[at..at + GROUP])?;
    }
    for at in (0..s).step_by(GROUP) {
        put(&places[at..s.min(at + GROUP)])?;
    }
    let bytes = &mut out[start..];
    debug_assert_eq!(bytes.len(), total);
    if let Some(first) = bytes.first_mut() {
        *first ^= 0x80;
    }
    if negative {
        bytes.iter_mut().for_each(|b| *b = !*b);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The example of MySQL's manual, "Fixed-Point Types".
    #[test]
    fn the_example_of_the_manual() {
        let bytes = [0x81, 0x0D, 0xFB, 0x38, 0xD2, 0x04, 0xD2];
        assert_eq!(decode(&bytes, 14, 4).as_deref(), Ok("1234567890.1234"));
        let minus = [0x7E, 0xF2, 0x04, 0xC7, 0x2D, 0xFB, 0x2D];
        assert_eq!(decode(&minus, 14, 4).as_deref(), Ok("-1234567890.1234"));
        assert!(decode(&bytes, 14, 3).is_err());
        assert!(decode(&[0xFF; 7], 14, 4).is_err());
        assert!(len(66, 0).is_err() && len(10, 11).is_err());
    }

    proptest! {
        #[test]
        fn numbers_come_back(n: i64, precision in 20u8..=65, scale in 0u8..=20) {
            let scale = scale.min(precision - 20).min(30);
            let places = usize::from(scale);
            let digits = format!("{:0>width$}", n.unsigned_abs(), width = places + 1);
            let (whole, rest) = digits.split_at(digits.len() - places);
            let mut text = String::from(if n < 0 { "-" } else { "" });
            text.push_str(whole);
            if places > 0 {
                text.push('.');
                text.push_str(rest);
            }
            let mut out = Vec::new();
            encode(&text, precision, scale, &mut out).unwrap();
            prop_assert_eq!(decode(&out, precision, scale).unwrap(), text);
        }

        #[test]
        fn any_bytes(bytes: Vec<u8>, precision: u8, scale: u8) {
            let _ = decode(&bytes, precision, scale);
        }
    }
}
