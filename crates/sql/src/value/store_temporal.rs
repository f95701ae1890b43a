//! Dates, times and years into columns: what is kept of a value, and the warnings where that is not all of it.

use super::StoreCtx;
use super::Value;
use super::cast::year_value;
use super::context::SqlMode;
use super::convert::local_time;
use super::decimal::Decimal;
use super::error::{ValueError, Warnings};
use super::store::{Stored, integer_from_text};
use super::temporal::parse::Reading;
use super::temporal::{Date, DateTime, MAX_TIME_SECONDS, MAX_TIMESTAMP, MICROS, Time, parse};
use weir_engine::row::DatumBuf;

/// Numbers from here on are read as a date with a time of day where a time is asked for.
const FIRST_DATED_NUMBER: f64 = 1e10;

/// The date and time a value gives a column, checked against the mode, and whether something behind it was left out. Lax modes turn
/// bad ones into zero.
pub(super) fn datetime_for(
    v: &Value<'_>,
    kind: &str,
    fsp: u8,
    cx: &mut StoreCtx<'_>,
) -> Result<(DateTime, bool), ValueError> {
    let zero = DateTime { fsp, ..DateTime::ZERO };
    let reading = Reading::of(cx.mode);
    let invalid_dates = reading.invalid_dates;
    let any_day = Reading { invalid_dates: true, ..reading };
    let found = match v {
        Value::Time(t) => {
            let today = local_time(cx.now_micros, cx.tz, 0).map_or(Date::ZERO, |d| d.date);
            let at = today.at_midnight().civil_micros() + t.micros;
            DateTime::from_civil_micros(at, t.fsp).map(|d| (d, false))
        }
        _ => v.find_datetime_in(cx.tz, reading).map(|f| (f.value, f.truncated)),
    };
    let Some((value, truncated)) = found else {
        // The 30th of February can be read, only that there is none.
        let negative = matches!(v, Value::Int(n) if *n < 0);
        match negative || v.find_datetime_in(cx.tz, any_day).is_some() {
            true => cx.impossible_temporal(kind, v)?,
            false => cx.unreadable_temporal(kind, v)?,
        }
        return Ok((zero, false));
    };
    if truncated {
        // Text behind a good date: an error like a bad date where strict.
        cx.unreadable_temporal(kind, v)?;
    }
    let is_bad_zero = value.is_zero() && cx.mode.has(SqlMode::NO_ZERO_DATE);
    // A date that came as one may be the 30th of February: of a parameter, or of a column written under another mode.
    let day = value.date;
    let is_no_day = !(invalid_dates || day.is_zero() || day.has_zero_part() || day.is_real());
    let is_bad_part = value.date.has_zero_part() && cx.mode.has(SqlMode::NO_ZERO_IN_DATE);
    if is_bad_zero || is_bad_part || is_no_day {
        cx.impossible_temporal(kind, v)?;
        return Ok((zero, truncated));
    }
    let fitted = if cx.mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL) {
        Some(value.truncate(fsp))
    } else {
        value.round(fsp)
    };
    match fitted {
        Some(d) => Ok((d, truncated)),
        None => {
            cx.impossible_temporal(kind, v)?;
            Ok((zero, truncated))
        }
    }
}

pub(super) fn store_date(v: &Value<'_>, cx: &mut StoreCtx<'_>) -> Stored {
    let (d, told) = match v {
        Value::Date(d) if d.is_real() => return Ok(DatumBuf::UInt(u64::from(d.pack()))),
        // The fraction of a second is rounded into the day: behind 23:59:59.5 comes the next one.
        _ => datetime_for(v, "date", 0, cx)?,
    };
    if d.day_micros() != 0 && !told && !matches!(v, Value::Json(_)) {
        cx.note_part_of_temporal("date", v);
    }
    Ok(DatumBuf::UInt(u64::from(d.date.pack())))
}

/// Whether the value, which is no date itself, was read as a time behind a date.
fn has_date(v: &Value<'_>) -> bool {
    match v {
        Value::Str(b, _) | Value::Bytes(b) => parse::has_date(b),
        Value::Int(_) | Value::UInt(_) | Value::Decimal(_) | Value::Double(_) => {
            v.to_f64(&mut Warnings::with_limit(0)).is_some_and(|x| x >= FIRST_DATED_NUMBER)
        }
        _ => false,
    }
}

/// A number beyond all times, and no date with a time either, is the largest of them.
fn largest_of_number(v: &Value<'_>) -> Option<Time> {
    const LARGEST: f64 = 8_385_959.0;
    let x =
        v.to_f64(&mut Warnings::with_limit(0)).filter(|x| v.is_numeric() && x.abs() > LARGEST)?;
    let most = MAX_TIME_SECONDS * MICROS;
    Some(Time::from_micros(if x < 0.0 { -most } else { most }, 0))
}

pub(super) fn store_time(v: &Value<'_>, fsp: u8, cx: &mut StoreCtx<'_>) -> Stored {
    let t = match v.find_time_in(cx.tz, Reading::of(cx.mode).cuts) {
        Some(f) => {
            let clamped = f.value.micros.abs() >= MAX_TIME_SECONDS * MICROS;
            if f.truncated && clamped {
                cx.impossible_temporal("time", v)?;
            } else if f.truncated {
                cx.unreadable_temporal("time", v)?;
            } else if has_date(v) {
                cx.note_part_of_temporal("time", v);
            }
            f.value
        }
        None if v.as_bytes().is_some_and(<[u8]>::is_empty) => Time::default(),
        None => {
            // Sixty minutes can be read, only that no hour has them.
            let digits = |b: &[u8]| b.iter().all(|b| matches!(b, b'0'..=b'9' | b':' | b'.'));
            match v.as_bytes().is_none_or(digits) {
                true => cx.impossible_temporal("time", v)?,
                false => cx.unreadable_temporal("time", v)?,
            }
            largest_of_number(v).unwrap_or_default()
        }
    };
    let t = if cx.mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL) {
        let unit = 10i64.pow(6 - u32::from(fsp.min(6)));
        Time { micros: t.micros / unit * unit, fsp }
    } else {
        t.round(fsp).clamp()
    };
    Ok(DatumBuf::Int(if fsp == 0 { t.micros / MICROS } else { t.micros }))
}

pub(super) fn store_timestamp(v: &Value<'_>, fsp: u8, cx: &mut StoreCtx<'_>) -> Stored {
    let (d, _) = datetime_for(v, "datetime", fsp, cx)?;
    if d.is_zero() {
        return Ok(DatumBuf::UInt(0));
    }
    let local = d.civil_micros();
    let utc = cx.tz.time_of(d);
    let fits = d.date.is_real() && (MICROS..(MAX_TIMESTAMP + 1) * MICROS).contains(&utc);
    if !fits {
        cx.impossible_temporal("datetime", v)?;
        return Ok(DatumBuf::UInt(0));
    }
    if cx.tz.skips(local) {
        // MySQL stores the moment at which the clocks are set.
        match cx.strict {
            true => cx.impossible_temporal("datetime", v)?,
            false => cx.skipped_by_clocks(),
        }
    }
    Ok(DatumBuf::UInt(if fsp == 0 { utc / MICROS } else { utc } as u64))
}

pub(super) fn store_year(v: &Value<'_>, cx: &mut StoreCtx<'_>) -> Stored {
    let n = match v {
        Value::Date(d) => i128::from(d.year),
        Value::DateTime(d) => i128::from(d.date.year),
        Value::Time(_) => {
            local_time(cx.now_micros, cx.tz, 0).map_or(0, |d| i128::from(d.date.year))
        }
        Value::Str(b, _) | Value::Bytes(b) => integer_from_text(b, cx)?,
        // A JSON value is read as its text.
        Value::Json(_) => integer_from_text(&v.to_bytes().unwrap_or_default(), cx)?,
        Value::Double(x) => i128::from(*x as i64),
        other => other.to_integer(cx.warnings).unwrap_or(0),
    };
    // Of texts, '0' to '00' mean 2000 and only '0000' the zero year, as does what is no number at all.
    let text_zero = v.as_bytes().is_some_and(|b| b.len() != 4 && Decimal::parse(b).used > 0);
    match year_value(n, text_zero) {
        Some(0) => Ok(DatumBuf::UInt(0)),
        Some(y) => Ok(DatumBuf::UInt(u64::from(y) - 1900)),
        None => {
            cx.out_of_range()?;
            Ok(DatumBuf::UInt(0))
        }
    }
}
