//! Conversions between kinds of values under MySQL's coercion rules. NULL gives `None`.

use super::context::EvalCtx;
use super::decimal::Decimal;
use super::double::{parse_prefix, write_double};
use super::error::Warnings;
use super::json::{self, Item};
use super::temporal::parse::{self, FoundDateTime, Reading};
use super::temporal::{Date, DateTime, Time};
use super::{Collation, Value};
use crate::errno;
use std::borrow::Cow;

/// Only spaces behind a number do not count as garbage.
pub(crate) fn only_spaces(rest: &[u8]) -> bool {
    rest.iter().all(u8::is_ascii_whitespace)
}

/// A temporal value as the number MySQL sees in numeric context: integer, or decimal with a fraction.
fn temporal_number(v: &Value<'_>) -> Option<Decimal> {
    let with_fraction = |whole: i64, micro: u32, fsp: u8| {
        let whole = i128::from(whole) * 1_000_000;
        let micro = if whole < 0 { -i128::from(micro) } else { i128::from(micro) };
        Decimal::from_i128(whole + micro, 6).truncate(fsp)
    };
    Some(match v {
        Value::Date(d) => Decimal::from_u64(d.to_number()),
        Value::DateTime(d) => with_fraction(d.to_number() as i64, d.micro, d.fsp),
        Value::Time(t) => {
            let (neg, .., micro) = t.parts();
            if neg && t.to_number() == 0 {
                Decimal::from_i128(-i128::from(micro), 6).truncate(t.fsp)
            } else {
                with_fraction(t.to_number(), micro, t.fsp)
            }
        }
        _ => return None,
    })
}

impl Value<'_> {
    /// The value in numeric context: a number stays, text becomes a double, a temporal value a number.
    pub fn to_number(&self, w: &mut Warnings) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Int(v) => Value::Int(*v),
            Value::UInt(v) => Value::UInt(*v),
            Value::Decimal(v) => Value::Decimal(*v),
            Value::Double(v) => Value::Double(*v),
            Value::Str(b, _) | Value::Bytes(b) => Value::Double(text_to_f64(b, w)),
            // As a double, whatever kind of number it is: what is exact is asked for as such.
            Value::Json(j) => {
                j.view().to_number("DOUBLE", w).to_f64(w).map_or(Value::Null, Value::Double)
            }
            temporal => match temporal_number(temporal) {
                Some(d) if d.scale() == 0 => {
                    Value::Int(d.to_i128().and_then(|v| i64::try_from(v).ok()).unwrap_or(0))
                }
                Some(d) => Value::Decimal(d),
                None => Value::Null,
            },
        }
    }

    pub fn to_f64(&self, w: &mut Warnings) -> Option<f64> {
        Some(match self.to_number(w) {
            Value::Int(v) => v as f64,
            Value::UInt(v) => v as f64,
            Value::Decimal(d) => d.to_f64(),
            Value::Double(v) => v,
            _ => return None,
        })
    }

    pub fn to_decimal(&self, w: &mut Warnings) -> Option<Decimal> {
        let biggest = |neg: bool| Decimal::max_value(super::decimal::MAX_PRECISION, 0, neg);
        Some(match self {
            Value::Null => return None,
            Value::Int(v) => Decimal::from_i64(*v),
            Value::UInt(v) => Decimal::from_u64(*v),
            Value::Decimal(d) => *d,
            Value::Double(v) => Decimal::from_f64(*v).unwrap_or_else(|_| biggest(*v < 0.0)),
            Value::Str(b, _) | Value::Bytes(b) => {
                let parsed = Decimal::parse(b);
                if parsed.used == 0 || !only_spaces(&b[parsed.used..]) || parsed.value.is_none() {
                    w.no_number("DECIMAL", b);
                }
                parsed.value.unwrap_or_else(|| biggest(b.trim_ascii_start().starts_with(b"-")))
            }
            Value::Json(j) => return j.view().to_number("DECIMAL", w).to_decimal(w),
            temporal => temporal_number(temporal)?,
        })
    }

    /// The same to be compared. A number beyond all decimals is as large as any of them, and nothing is cut of it.
    pub fn to_compared_decimal(&self, w: &mut Warnings) -> Option<Decimal> {
        let text = match self {
            Value::Str(b, _) | Value::Bytes(b) => b,
            _ => return self.to_decimal(w),
        };
        let parsed = Decimal::parse(text);
        let is_number = parsed.used > 0 && only_spaces(&text[parsed.used..]);
        let mut quiet = Warnings::with_limit(0);
        self.to_decimal(if is_number { &mut quiet } else { w })
    }

    /// As a signed integer: rounded, saturated; text is read up to its first non-digit.
    pub fn to_i64(&self, w: &mut Warnings) -> Option<i64> {
        Some(match self.to_integer(w)? {
            v if v > i128::from(i64::MAX) => i64::MAX,
            v if v < i128::from(i64::MIN) => i64::MIN,
            v => v as i64,
        })
    }

    /// As an unsigned integer; negative values wrap as in a 64-bit register.
    pub fn to_u64(&self, w: &mut Warnings) -> Option<u64> {
        Some(match self.to_integer(w)? {
            v if v > i128::from(u64::MAX) => u64::MAX,
            v if v < i128::from(i64::MIN) => i64::MIN as u64,
            v => v as u64,
        })
    }

    /// Rounded to an integer, beyond 64 bits too.
    pub fn to_integer(&self, w: &mut Warnings) -> Option<i128> {
        Some(match self {
            Value::Null => return None,
            Value::Int(v) => i128::from(*v),
            Value::UInt(v) => i128::from(*v),
            Value::Decimal(d) => {
                d.to_i128().unwrap_or(if d.is_negative() { i128::MIN } else { i128::MAX })
            }
            Value::Double(v) => v.round_ties_even() as i128,
            Value::Str(b, _) | Value::Bytes(b) => text_to_integer(b, w),
            Value::Json(j) => return j.view().to_number("INTEGER", w).to_integer(w),
            // The fraction of a second is rounded into the clock: behind 10:59:59.5 comes 11:00:00.
            Value::Time(t) => i128::from(t.round(0).to_number()),
            Value::DateTime(d) => i128::from(d.round(0).unwrap_or(*d).to_number()),
            Value::Date(d) => i128::from(d.to_number()),
        })
    }

    /// The integer that a text is, to the digit, with nothing but spaces around it; none if it has no place in 64 bits.
    pub fn exact_integer(&self) -> Option<i128> {
        let text = self.short_text()?;
        let n: i128 = std::str::from_utf8(text).ok()?.trim_matches(' ').parse().ok()?;
        in_64_bits(n)
    }

    /// The same also where it is spelled with zeros behind the point or with an exponent.
    pub fn whole_number(&self) -> Option<i128> {
        self.exact_integer().or_else(|| {
            let text = self.short_text()?;
            let parsed = Decimal::parse(text);
            let number = parsed.value.filter(|_| parsed.used > 0)?;
            let is_whole = only_spaces(&text[parsed.used..]) && number.floor().ok()? == number;
            in_64_bits(number.to_i128().filter(|_| is_whole)?)
        })
    }

    /// Longer texts would have to be gone through for nothing: they are no integers of 64 bits.
    fn short_text(&self) -> Option<&[u8]> {
        match self {
            Value::Str(b, _) if b.len() <= 64 => Some(b),
            _ => None,
        }
    }

    /// Truth in a condition; text counts by its number.
    pub fn to_bool(&self, w: &mut Warnings) -> Option<bool> {
        Some(match self {
            Value::Null => return None,
            Value::Int(v) => *v != 0,
            Value::UInt(v) => *v != 0,
            Value::Decimal(d) => !d.is_zero(),
            Value::Double(v) => *v != 0.0,
            Value::Str(b, _) | Value::Bytes(b) => text_to_f64(b, w) != 0.0,
            Value::Date(d) => !d.is_zero(),
            Value::Time(t) => t.micros != 0,
            Value::DateTime(d) => !d.is_zero(),
            // As MySQL: whether it is another value than the number 0.
            Value::Json(j) => match j.view().item() {
                Item::Int(n) => n != 0,
                Item::UInt(n) => n != 0,
                Item::Double(x) => x != 0.0,
                Item::Decimal(d) => !d.is_zero(),
                _ => true,
            },
        })
    }

    /// Appends the value as the client sees it in the text protocol (nothing for NULL).
    pub fn write_text(&self, out: &mut Vec<u8>) {
        match self {
            Value::Null => {}
            Value::Int(v) => write_i64(*v, out),
            Value::UInt(v) => write_u64(*v, out),
            Value::Decimal(d) => out.extend_from_slice(d.to_string().as_bytes()),
            Value::Double(v) => write_double(*v, out),
            Value::Str(b, _) | Value::Bytes(b) => out.extend_from_slice(b),
            Value::Date(d) => out.extend_from_slice(d.to_string().as_bytes()),
            Value::Time(t) => out.extend_from_slice(t.to_string().as_bytes()),
            Value::DateTime(d) => out.extend_from_slice(d.to_string().as_bytes()),
            Value::Json(j) => j.view().write_text(out),
        }
    }

    /// The value's bytes as text: strings as they are, all else as printed.
    pub fn to_bytes(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Value::Null => None,
            Value::Str(b, _) | Value::Bytes(b) => Some(Cow::Borrowed(b)),
            other => {
                let mut out = Vec::new();
                other.write_text(&mut out);
                Some(Cow::Owned(out))
            }
        }
    }

    /// The value's bytes where bytes are asked for, not a text: a text's are those of its own set.
    pub fn to_octets(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Value::Str(b, c) => Some(c.charset().own_bytes(b)),
            other => other.to_bytes(),
        }
    }

    /// The value as text in the character set of `collation`; '?' for what that set lacks. `binary` gets the text's own bytes.
    pub fn to_text_in(&self, collation: Collation) -> Option<Cow<'_, [u8]>> {
        let bytes = self.to_bytes()?;
        let from = match self {
            Value::Str(_, c) => c.charset(),
            Value::Json(_) => super::Charset::Utf8mb4,
            Value::Bytes(_) => super::Charset::Binary,
            _ => return Some(bytes),
        };
        let to = collation.charset();
        if from.keeps(&bytes, to) {
            return Some(bytes);
        }
        Some(Cow::Owned(from.convert(&bytes, to).0))
    }

    /// The same where nothing is lost by it; `None` also for characters that the set lacks, which are equal to no text in it.
    pub fn to_exact_text_in(&self, collation: Collation) -> Option<Cow<'_, [u8]>> {
        let to = collation.charset();
        match self {
            Value::Str(b, c) if !c.charset().keeps(b, to) => {
                let (text, lost) = c.charset().convert(b, to);
                (lost == 0).then_some(Cow::Owned(text))
            }
            _ => self.to_text_in(collation),
        }
    }

    /// The value as a Rust string; bytes that are no UTF-8 are replaced.
    pub fn to_string_lossy(&self) -> Option<String> {
        self.as_string_lossy().map(Cow::into_owned)
    }

    /// The same without a copy where the value is such a text.
    pub fn as_string_lossy(&self) -> Option<Cow<'_, str>> {
        Some(match self.to_text_in(Collation::Utf8mb4Bin)? {
            Cow::Borrowed(utf8) => String::from_utf8_lossy(utf8),
            Cow::Owned(utf8) => match String::from_utf8(utf8) {
                Ok(text) => Cow::Owned(text),
                Err(e) => Cow::Owned(String::from_utf8_lossy(e.as_bytes()).into_owned()),
            },
        })
    }

    /// The value as a date and time; `None` for NULL and, with warning 1292, for what is no date.
    pub fn to_datetime(&self, cx: &mut EvalCtx<'_>) -> Option<DateTime> {
        let found = match self {
            Value::Null => return None,
            Value::DateTime(d) => return Some(*d),
            Value::Date(d) => return Some(d.at_midnight()),
            Value::Time(t) => return time_today(*t, cx),
            // What is in it tells of itself.
            Value::Json(j) => match j.view().to_dated() {
                Some(Value::Str(b, c)) if parse::datetime(&b, false).is_some() => {
                    return Value::Str(b, c).to_datetime(cx);
                }
                Some(v @ (Value::Date(_) | Value::DateTime(_))) => return v.to_datetime(cx),
                _ => {
                    json::invalid("DATETIME/TIMESTAMP", &mut cx.warnings);
                    return None;
                }
            },
            other => other.find_datetime(cx),
        };
        let bad = match found {
            None => true,
            Some(f) => f.value.is_zero() && cx.mode.has(super::SqlMode::NO_ZERO_DATE),
        };
        // A fraction that a day's number has is left out in silence.
        if bad || self.is_string() && found.is_some_and(|f| f.truncated) {
            let kind = match found {
                _ if bad => "Incorrect datetime",
                Some(f) if f.date_only => "Truncated incorrect date",
                _ => "Truncated incorrect datetime",
            };
            let text = super::error::shown(&self.to_bytes().unwrap_or_default());
            cx.warnings.warn(errno::ER_TRUNCATED_WRONG_VALUE, || format!("{kind} value: '{text}'"));
        }
        if bad { None } else { found.map(|f| f.value) }
    }

    /// Reads text or a number as a date and time, without warnings; a time zone suffix is applied.
    pub(crate) fn find_datetime(&self, cx: &EvalCtx<'_>) -> Option<FoundDateTime> {
        self.find_datetime_in(cx.tz, Reading::of(cx.mode))
    }

    pub(crate) fn find_datetime_in(
        &self,
        tz: super::TimeZone,
        reading: Reading,
    ) -> Option<FoundDateTime> {
        let invalid_dates = reading.invalid_dates;
        let mut found = match self {
            Value::Str(b, _) | Value::Bytes(b) => parse::datetime_as(b, reading)?,
            Value::Int(v) => parse::datetime_from_number(*v, invalid_dates)?,
            Value::UInt(v) => parse::datetime_from_number(i64::try_from(*v).ok()?, invalid_dates)?,
            Value::Decimal(_) | Value::Double(_) => {
                let (n, micro, fsp) = self.parts_of_moment(reading.cuts)?;
                let mut found = parse::datetime_from_number(n, invalid_dates)?;
                // A day has no fraction of a second.
                if micro != 0 {
                    found.truncated = found.date_only;
                    if !found.date_only {
                        found.value = with_micros(found.value, micro, fsp)?;
                    }
                }
                if micro < 0 {
                    return None;
                }
                found
            }
            Value::DateTime(d) => whole(*d, false),
            Value::Date(d) => whole(d.at_midnight(), true),
            Value::Json(j) => {
                return j.view().to_dated()?.find_datetime_in(tz, reading);
            }
            Value::Null | Value::Time(_) => return None,
        };
        if let Some(offset) = found.offset {
            let utc = found.value.civil_micros() - i64::from(offset) * super::temporal::MICROS;
            found.value = DateTime::from_civil_micros(tz.to_local(utc), found.value.fsp)?;
        }
        Some(found)
    }

    pub fn to_date(&self, cx: &mut EvalCtx<'_>) -> Option<Date> {
        match self {
            Value::Date(d) => Some(*d),
            Value::Json(j) if j.view().to_dated().is_none() => {
                json::invalid("DATE", &mut cx.warnings);
                None
            }
            other => other.to_datetime(cx).map(|d| d.date),
        }
    }

    /// The value as a time; `None` for NULL and, with warning 1292, for what is not one.
    pub fn to_time(&self, cx: &mut EvalCtx<'_>) -> Option<Time> {
        let found = match self {
            Value::Null => return None,
            Value::Time(t) => return Some(*t),
            Value::Date(_) => return Some(Time::default()),
            Value::DateTime(d) => return Some(d.time()),
            Value::Json(j) => match j.view().to_timed() {
                Some(v) => return v.to_time(cx),
                None => {
                    json::invalid("TIME", &mut cx.warnings);
                    return None;
                }
            },
            other => other.find_time_in(cx.tz, Reading::of(cx.mode).cuts),
        };
        // A text beyond the range is the end of it, a number is no time at all.
        if self.is_numeric() && found.is_some_and(|f| f.truncated) {
            let text = super::error::shown(&self.to_bytes().unwrap_or_default());
            cx.warnings.warn(errno::ER_TRUNCATED_WRONG_VALUE, || {
                format!("Truncated incorrect time value: '{text}'")
            });
            return None;
        }
        if found.is_none_or(|f| f.truncated) {
            let text = super::error::shown(&self.to_bytes().unwrap_or_default());
            cx.warnings.warn(errno::ER_TRUNCATED_WRONG_VALUE, || {
                format!("Truncated incorrect time value: '{text}'")
            });
        }
        found.map(|f| f.value)
    }

    /// A number with a fraction where a date or time is wanted: the integer, the microseconds of its sign, and the digits of the fraction.
    /// The fraction of a double is what the double has, and not what its shortest text has.
    fn parts_of_moment(&self, cuts: bool) -> Option<(i64, i64, u8)> {
        let of_type = |n: i128| n.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        if let Value::Double(x) = self {
            let nanos = ((x - x.trunc()) * 1e9).round_ties_even() as i64;
            let half = if cuts { 0 } else { 500 };
            let micro = (nanos + half * nanos.signum()) / 1000;
            return Some((*x as i64, micro, if micro == 0 { 0 } else { 6 }));
        }
        let d = self.to_decimal(&mut Warnings::with_limit(0))?;
        let whole = d.truncate(0);
        let micro = d.checked_sub(whole).ok()?.checked_mul(Decimal::from_i64(1_000_000)).ok()?;
        let micro = if cuts { micro.truncate(0) } else { micro }.to_i128()? as i64;
        let n = whole.to_i128().map_or(if d.is_negative() { i64::MIN } else { i64::MAX }, of_type);
        Some((n, micro, if micro == 0 { 0 } else { d.scale().min(6) }))
    }

    /// The value as a time on the clock of `tz`, which matters to a text with an offset.
    pub(crate) fn find_time_in(
        &self,
        tz: super::TimeZone,
        cuts: bool,
    ) -> Option<parse::Found<Time>> {
        let shifted = self.as_bytes().and_then(parse::with_offset);
        let reading = Reading { invalid_dates: true, cuts };
        let Some(moment) = shifted.and_then(|_| self.find_datetime_in(tz, reading)) else {
            return self.find_time(cuts);
        };
        Some(parse::Found { value: moment.value.time(), truncated: moment.truncated })
    }

    pub(crate) fn find_time(&self, cuts: bool) -> Option<parse::Found<Time>> {
        match self {
            Value::Str(b, _) | Value::Bytes(b) => parse::time_as(b, cuts),
            Value::Int(v) => parse::time_from_number(*v, 0, 0),
            Value::UInt(v) => parse::time_from_number(i64::try_from(*v).unwrap_or(i64::MAX), 0, 0),
            Value::Decimal(_) | Value::Double(_) => {
                let (n, micro, fsp) = self.parts_of_moment(cuts)?;
                let mut found = parse::time_from_number(n, 0, fsp)?;
                found.value.micros += micro;
                let most = super::temporal::MAX_TIME_SECONDS * super::temporal::MICROS;
                if found.value.micros.abs() > most {
                    found = parse::Found {
                        value: Time::from_micros(found.value.micros.signum() * most, 0),
                        truncated: true,
                    };
                }
                Some(found)
            }
            Value::Time(t) => Some(parse::Found { value: *t, truncated: false }),
            Value::DateTime(d) => Some(parse::Found { value: d.time(), truncated: false }),
            Value::Date(_) => Some(parse::Found { value: Time::default(), truncated: false }),
            Value::Json(j) => j.view().to_timed()?.find_time(cuts),
            Value::Null => None,
        }
    }
}

/// A second later where the microseconds are a whole one.
fn with_micros(value: DateTime, micro: i64, fsp: u8) -> Option<DateTime> {
    if micro < super::temporal::MICROS {
        return Some(DateTime { micro: u32::try_from(micro).ok()?, fsp, ..value });
    }
    let next = DateTime { micro: 999_999, ..value }.round(0)?;
    Some(DateTime { fsp, ..next })
}

fn whole(value: DateTime, date_only: bool) -> FoundDateTime {
    FoundDateTime { value, truncated: false, date_only, offset: None }
}

/// A TIME as a DATETIME: on the day of the statement.
pub fn time_today(t: Time, cx: &EvalCtx<'_>) -> Option<DateTime> {
    let today = now(cx, 0)?.date.at_midnight();
    DateTime::from_civil_micros(today.civil_micros() + t.micros, t.fsp)
}

/// The statement's time on the session's clock.
pub fn now(cx: &EvalCtx<'_>, fsp: u8) -> Option<DateTime> {
    local_time(cx.now_micros, cx.tz, fsp)
}

/// UTC microseconds on a zone's clock, cut to `fsp` digits.
pub fn local_time(utc_micros: i64, tz: super::TimeZone, fsp: u8) -> Option<DateTime> {
    let local = tz.to_local(utc_micros);
    let later = tz.is_later(utc_micros, local);
    DateTime::from_civil_micros(local, fsp).map(|d| DateTime { later, ..d.truncate(fsp) })
}

fn in_64_bits(n: i128) -> Option<i128> {
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&n).then_some(n)
}

fn text_to_f64(b: &[u8], w: &mut Warnings) -> f64 {
    let (v, used) = parse_prefix(b);
    // As in MySQL an empty text is 0, and nothing is said of it.
    if !only_spaces(&b[used..]) {
        w.no_number("DOUBLE", b);
    }
    v
}

fn text_to_integer(b: &[u8], w: &mut Warnings) -> i128 {
    let text = b.trim_ascii_start();
    let (neg, body) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let len = body.iter().take_while(|b| b.is_ascii_digit()).count();
    let v = body[..len]
        .iter()
        .fold(0i128, |v, b| v.saturating_mul(10).saturating_add(i128::from(b - b'0')));
    let v = if neg { -v } else { v };
    let fits = (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&v);
    if len == 0 || !only_spaces(&body[len..]) || !fits {
        w.no_number("INTEGER", b);
    }
    v
}

pub fn write_u64(mut v: u64, out: &mut Vec<u8>) {
    let mut buf = [0u8; 20];
    let mut at = buf.len();
    loop {
        at -= 1;
        buf[at] = b'0' + (v % 10) as u8;
        v /= 10;
        if v == 0 {
            break;
        }
    }
    out.extend_from_slice(&buf[at..]);
}

pub fn write_i64(v: i64, out: &mut Vec<u8>) {
    if v < 0 {
        out.push(b'-');
    }
    write_u64(v.unsigned_abs(), out);
}

#[cfg(test)]
mod tests {
    use super::super::NoSession;
    use super::*;

    #[test]
    fn numbers_from_text() {
        let mut w = Warnings::default();
        assert_eq!(Value::str("12abc").to_f64(&mut w), Some(12.0));
        assert_eq!(w.list()[0].message, "Truncated incorrect DOUBLE value: '12abc'");
        assert_eq!(Value::str("1.9").to_i64(&mut w), Some(1));
        assert_eq!(w.list()[1].message, "Truncated incorrect INTEGER value: '1.9'");
        w.clear();
        assert_eq!(Value::str(" 7 ").to_i64(&mut w), Some(7));
        assert_eq!(Value::Int(-1).to_u64(&mut w), Some(u64::MAX));
        assert_eq!(Value::Double(2.5).to_i64(&mut w), Some(2));
        assert_eq!(Value::str("abc").to_bool(&mut w), Some(false));
        assert_eq!(w.total(), 1);
    }

    #[test]
    fn temporal_to_number_and_back() {
        let mut w = Warnings::default();
        let mut cx = EvalCtx::new(&NoSession);
        let dt = Value::str("2024-01-15 10:11:12.5").to_datetime(&mut cx).expect("valid");
        assert_eq!(
            Value::DateTime(dt).to_decimal(&mut w).expect("number").to_string(),
            "20240115101112.5"
        );
        let t = Value::str("-10:11:12").to_time(&mut cx).expect("valid");
        assert_eq!(Value::Time(t).to_number(&mut w), Value::Int(-101_112));
        assert_eq!(cx.warnings.total(), 0);
        assert!(Value::str("nope").to_datetime(&mut cx).is_none());
        assert_eq!(cx.warnings.list()[0].message, "Incorrect datetime value: 'nope'");
    }
}
