//! Doubles and floats as text, MySQL's way.

/// Exponents beyond this many digits on either side of the point use the e-form (DBL_DIG).
const MAX_F_EXPONENT: i32 = 15;
/// Significant digits of a FLOAT column (FLT_DIG).
const FLOAT_DIGITS: usize = 6;

/// The shortest text that reads back as the same double: `0.1`, `1e20`, `123.5`.
pub fn write_double(v: f64, out: &mut Vec<u8>) {
    write_digits(v, &format!("{v:e}"), out);
}

/// A FLOAT column's value: at most six significant digits.
pub fn write_float(v: f64, out: &mut Vec<u8>) {
    let shortest = format!("{:e}", v as f32);
    let digits =
        shortest.split('e').next().map_or(0, |m| m.bytes().filter(u8::is_ascii_digit).count());
    if digits <= FLOAT_DIGITS {
        write_digits(v, &shortest, out);
    } else {
        write_digits(v, &format!("{:.*e}", FLOAT_DIGITS - 1, v as f32), out);
    }
}

/// Lays out `d.ddde±x` as MySQL does.
fn write_digits(v: f64, scientific: &str, out: &mut Vec<u8>) {
    if v == 0.0 {
        return out.extend_from_slice(if v.is_sign_negative() { b"-0" } else { b"0" });
    }
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    while digits.len() > 1 && digits.last() == Some(&b'0') {
        digits.pop();
    }
    if v < 0.0 {
        out.push(b'-');
    }
    // Position of the point counted from the first digit.
    let point = exponent + 1;
    if !(-MAX_F_EXPONENT + 1..=MAX_F_EXPONENT).contains(&point) {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        out.extend_from_slice(format!("e{exponent}").as_bytes());
    } else if point <= 0 {
        out.extend_from_slice(b"0.");
        out.extend(std::iter::repeat_n(b'0', (-point) as usize));
        out.extend_from_slice(&digits);
    } else {
        let point = point as usize;
        let whole = digits.len().min(point);
        out.extend_from_slice(&digits[..whole]);
        out.extend(std::iter::repeat_n(b'0', point - whole));
        if digits.len() > point {
            out.push(b'.');
            out.extend_from_slice(&digits[point..]);
        }
    }
}

/// With so many decimals. Digits that the double does not have are zeros: 9223372036854776000.0, not ...775808.0.
pub fn fixed_text(v: f64, places: usize) -> String {
    let shortest = v.to_string();
    let (whole, fraction) = shortest.split_once('.').unwrap_or((&shortest, ""));
    if !v.is_finite() || fraction.len() > places {
        return format!("{v:.places$}");
    }
    if places == 0 { whole.to_string() } else { format!("{whole}.{fraction:0<places$}") }
}

pub fn double_text(v: f64) -> String {
    let mut out = Vec::new();
    write_double(v, &mut out);
    // Only ASCII is written above.
    String::from_utf8_lossy(&out).into_owned()
}

/// A double in at most so many characters, with the digits that fit; none where it fits as it is, or in no way. What begins far behind
/// the point is written with an exponent.
pub fn fitting_text(v: f64, room: usize) -> Option<String> {
    if double_text(v).len() <= room {
        return None;
    }
    let exponent: i32 = format!("{v:e}").split_once('e')?.1.parse().ok()?;
    let point = exponent + 1;
    let room = room.checked_sub(usize::from(v < 0.0))?;
    let sign = if v < 0.0 { "-" } else { "" };
    let v = v.abs();
    let fits = usize::try_from(point).is_ok_and(|p| p <= room) || point < 0;
    let plain = fits && (-2..=MAX_F_EXPONENT).contains(&point);
    let text = if plain {
        let before = if point <= 0 { 2 } else { point as usize + 1 };
        let places = room.saturating_sub(before);
        format!("{v:.places$}")
    } else {
        let tail = format!("e{exponent}");
        // A mantissa of one digit has no point.
        let digits = room.checked_sub(tail.len() + 1)?.saturating_sub(1).min(16);
        let mantissa = format!("{v:.digits$e}");
        let (mantissa, exponent) = mantissa.split_once('e')?;
        format!("{}e{exponent}", trimmed(mantissa))
    };
    let text = if plain { trimmed(&text).to_string() } else { text };
    // Nothing is left of it, and no sign.
    if text == "0" {
        return Some(text);
    }
    (text.len() <= room).then(|| format!("{sign}{text}"))
}

/// Without zeros at the end of a fraction.
fn trimmed(text: &str) -> &str {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => text,
    }
}

/// The longest number at the start of `s` (leading space allowed) and the bytes it takes.
pub fn parse_prefix(s: &[u8]) -> (f64, usize) {
    let start = s.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let digits = |at: usize| s[at.min(s.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = start;
    if matches!(s.get(at), Some(b'+' | b'-')) {
        at += 1;
    }
    let whole = digits(at);
    at += whole;
    let mut fraction = 0;
    if s.get(at) == Some(&b'.') {
        fraction = digits(at + 1);
        if whole + fraction > 0 {
            at += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return (0.0, 0);
    }
    if matches!(s.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(s.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    let text = std::str::from_utf8(&s[start..at]).unwrap_or("0");
    let v: f64 = text.parse().unwrap_or(0.0);
    (v.clamp(f64::MIN, f64::MAX), at)
}

/// The double nearest to 10^n. Multiplying gives another one from 10^23 on, which is no double itself.
pub fn power_of_ten(n: u32) -> f64 {
    match n {
        0..=22 => 10f64.powi(n as i32),
        _ => format!("1e{n}").parse().unwrap_or(f64::INFINITY),
    }
}

/// What a column with so many places behind the point keeps: the fraction alone is rounded, so that a large number stays as it is.
pub fn round_fraction(v: f64, places: u8) -> f64 {
    let step = power_of_ten(places.into());
    let whole = v.floor();
    whole + ((v - whole) * step).round_ties_even() / step
}

/// Rounds half away from zero to `places` decimals (negative: before the point).
pub fn round(v: f64, places: i32, truncate: bool) -> f64 {
    let step = power_of_ten(places.unsigned_abs().min(400));
    let cut = |x: f64| if truncate { x.trunc() } else { x.round_ties_even() };
    let scaled = if places < 0 { v / step } else { v * step };
    if !scaled.is_finite() || step.is_infinite() {
        return if places < 0 { 0.0 } else { v };
    }
    if places < 0 { cut(scaled) * step } else { cut(scaled) / step }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn powers() {
        for (n, want) in [(0, 1.0), (22, 1e22), (23, 1e23), (200, 1e200), (308, 1e308)] {
            assert_eq!(power_of_ten(n), want, "{n}");
        }
        assert!(power_of_ten(309).is_infinite());
        assert_eq!(round_fraction(1e200, 30), 1e200);
        assert_eq!([round_fraction(1.125, 2), round_fraction(-1.126, 2)], [1.12, -1.13]);
    }

    #[test]
    fn texts() {
        let cases: [(f64, &str); 14] = [
            (0.1, "0.1"),
            (1e20, "1e20"),
            (1e14, "100000000000000"),
            (1e15, "1e15"),
            (1.5, "1.5"),
            (-123.0, "-123"),
            (1e-5, "0.00001"),
            (1e-15, "0.000000000000001"),
            (1e-16, "1e-16"),
            (1.7976931348623157e308, "1.7976931348623157e308"),
            (123456789012345.6, "123456789012345.6"),
            (1234567890123456.0, "1.234567890123456e15"),
            (0.3333333333333333, "0.3333333333333333"),
            (2.5e-20, "2.5e-20"),
        ];
        for (v, text) in cases {
            assert_eq!(double_text(v), text);
        }
        let float = |v: f32| {
            let mut out = Vec::new();
            write_float(f64::from(v), &mut out);
            String::from_utf8(out).expect("ascii")
        };
        assert_eq!(float(3.15), "3.15");
        assert_eq!(float(1234567.0), "1234570");
        assert_eq!(float(0.1), "0.1");
        assert_eq!(float(1e10), "10000000000");
        assert_eq!(float(3.4028235e38), "3.40282e38");
    }

    #[test]
    fn fixed_places() {
        let cases: [(f64, usize, &str); 6] = [
            (9223372036854775808.0, 1, "9223372036854776000.0"),
            (0.125, 2, "0.12"),
            (1.5, 3, "1.500"),
            (-2.0, 0, "-2"),
            (-0.0, 1, "-0.0"),
            (1e22, 2, "10000000000000000000000.00"),
        ];
        for (v, places, text) in cases {
            assert_eq!(fixed_text(v, places), text);
        }
    }

    #[test]
    fn prefixes() {
        assert_eq!(parse_prefix(b" 12.5abc"), (12.5, 5));
        assert_eq!(parse_prefix(b"1e3x"), (1000.0, 3));
        assert_eq!(parse_prefix(b"1e"), (1.0, 1));
        assert_eq!(parse_prefix(b".5"), (0.5, 2));
        assert_eq!(parse_prefix(b"-"), (0.0, 0));
        assert_eq!(parse_prefix(b"1e999").0, f64::MAX);
    }

    proptest! {
        #[test]
        fn reads_back(v in proptest::num::f64::NORMAL) {
            prop_assert_eq!(double_text(v).parse::<f64>().expect("number"), v);
        }
    }
}
