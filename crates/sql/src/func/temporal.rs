//! Functions of dates and times.
//!
//! Units stand as text: DATE_ADD(d, n, 'DAY'), DATE_SUB(d, n, 'DAY'), EXTRACT('YEAR', d), TIMESTAMPADD('DAY', n, d),
//! TIMESTAMPDIFF('DAY', a, b). The binder knows the unit before the values and takes DATE_ADD's type from
//! [`date_add_type`] and EXTRACT's from BIGINT.

mod table;

pub(super) use table::TABLE;

use super::amounts::{Amount, interval_of};
use super::formats::{format_date, format_time, get_format, parse_any_date, parse_date};
use super::infer;
use super::periods;
use super::{FuncCtx, FuncDef, Out, def, varying};
use crate::errno;
use crate::value::cast::allowed;
use crate::value::convert::{local_time, now};
use crate::value::temporal::interval::{Interval, Unit, difference};
use crate::value::temporal::names::names;
use crate::value::temporal::parse::{self, full_year};
use crate::value::temporal::{MAX_TIME_SECONDS, MICROS};
use crate::value::{
    Date, DateTime, Decimal, SqlMode, SqlType, Time, TimeZone, TypeInfo, Value, ValueError,
    Warnings,
};

/// STR_TO_DATE() whose format is known with the rows only.
pub static STR_TO_DATE_OF_ANY: FuncDef =
    def("STR_TO_DATE OF ANY", 2, 2, infer::datetime, parse_any_date).alias_of("str_to_date");

/// The unit that a text argument names.
pub fn unit_of(v: &Value<'_>) -> Result<Unit, ValueError> {
    let name = v.to_string_lossy().unwrap_or_default();
    Unit::by_name(&name).ok_or_else(|| ValueError::wrong_arguments("INTERVAL"))
}

fn infer_unix(args: &[TypeInfo]) -> TypeInfo {
    let fsp = if args.is_empty() { 0 } else { infer::fsp_of(args) };
    let nullable = infer::any_null(args);
    match fsp {
        0 => TypeInfo::new(SqlType::LONG_INT, nullable),
        _ => TypeInfo::new(SqlType::decimal(11 + fsp, fsp), nullable),
    }
}

fn infer_from_unix(args: &[TypeInfo]) -> TypeInfo {
    if args.len() > 1 { infer::by_format(args) } else { infer::datetime(args) }
}

fn infer_maketime(args: &[TypeInfo]) -> TypeInfo {
    infer::time(args.get(2..).unwrap_or_default())
}

fn infer_addtime(args: &[TypeInfo]) -> TypeInfo {
    match args.first().map(|a| a.ty) {
        Some(SqlType::Time { .. }) => infer::time(args),
        Some(t) if t.is_temporal() => infer::datetime(args),
        _ => dated_text(),
    }
}

/// A date or time as a text, where it was made of a text.
fn dated_text() -> TypeInfo {
    TypeInfo::new(SqlType::Char { chars: 29, collation: infer::TEXT }, true)
}

/// Without the unit: dates may become datetimes.
fn infer_added(args: &[TypeInfo]) -> TypeInfo {
    match args.iter().find(|a| a.ty.is_temporal()) {
        Some(a) if a.ty == SqlType::Date => TypeInfo::new(SqlType::Date, true),
        // The digits of the number of days do not matter.
        Some(a) => infer::datetime(std::slice::from_ref(a)),
        None => dated_text(),
    }
}

/// The type of `date ± INTERVAL n unit`. Seconds may have a fraction, of which a text or a double does not say how long it is.
pub fn date_add_type(date: &TypeInfo, amount: &TypeInfo, unit: Unit) -> TypeInfo {
    let of_amount = match amount.ty {
        _ if unit != Unit::Second => 0,
        SqlType::Null => 0,
        SqlType::Decimal { scale, .. } => scale.min(6),
        t if t.is_temporal() || t.is_integer() => t.fsp(),
        _ => 6,
    };
    let fsp = if unit.has_micros() { 6 } else { date.ty.fsp().max(of_amount) };
    let ty = match date.ty {
        SqlType::Date if unit.is_date_unit() => SqlType::Date,
        SqlType::Time { .. } if !unit.has_days() => SqlType::Time { fsp },
        t if t.is_temporal() => SqlType::DateTime { fsp },
        _ => return dated_text(),
    };
    TypeInfo::new(ty, true)
}

fn fsp_arg(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Result<u8, ValueError> {
    let Some(v) = args.first() else { return Ok(0) };
    match v.to_i64(&mut cx.warnings) {
        Some(n @ 0..=6) => Ok(n as u8),
        n => {
            let n = n.unwrap_or(0);
            Err(ValueError::of(errno::ER_TOO_BIG_PRECISION, &[&n, &"now", &"6"]))
        }
    }
}

fn or_null(d: Option<DateTime>) -> Value<'static> {
    d.map_or(Value::Null, Value::DateTime)
}

fn now_value(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let fsp = fsp_arg(cx, args)?;
    Ok(or_null(now(cx, fsp)))
}

fn sysdate(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let fsp = fsp_arg(cx, args)?;
    Ok(or_null(local_time(cx.session.clock_micros(), cx.tz, fsp)))
}

fn curdate(cx: &mut FuncCtx<'_>, _: &[Value<'_>]) -> Out {
    Ok(now(cx, 0).map_or(Value::Null, |d| Value::Date(d.date)))
}

fn curtime(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let fsp = fsp_arg(cx, args)?;
    Ok(now(cx, fsp).map_or(Value::Null, |d| Value::Time(d.time())))
}

fn in_utc(cx: &mut FuncCtx<'_>, args: &[Value<'_>], f: super::Eval) -> Out {
    let zone = std::mem::replace(&mut cx.tz, TimeZone::UTC);
    let out = f(cx, args);
    cx.tz = zone;
    out
}

fn unix_timestamp(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (micros, fsp) = match args.first() {
        None => (cx.now_micros, 0),
        Some(v) => match v.to_datetime(cx) {
            None => return Ok(if v.is_null() { Value::Null } else { Value::Int(0) }),
            Some(d) if !d.date.is_real() => (0, 0),
            Some(d) => (cx.tz.time_of(d), d.fsp),
        },
    };
    // 8.0.28 and later: up to 3001-01-18 23:59:59.
    let micros = if (0..=32_536_771_199 * MICROS + 999_999).contains(&micros) { micros } else { 0 };
    if fsp == 0 {
        return Ok(Value::Int(micros / MICROS));
    }
    Ok(Value::Decimal(Decimal::from_i128(i128::from(micros), 6).truncate(fsp)))
}

fn from_unixtime(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(d) = args[0].to_decimal(&mut cx.warnings) else { return Ok(Value::Null) };
    let fsp = match args[0] {
        Value::Int(_) | Value::UInt(_) => 0,
        Value::Decimal(d) => d.scale().min(6),
        _ => 6,
    };
    let micros = micros_of(cx, d).filter(|m| (0..=32_536_771_199_999_999).contains(m));
    let Some(local) = micros.and_then(|m| local_time(m as i64, cx.tz, fsp)) else {
        return Ok(Value::Null);
    };
    match args.get(1) {
        None => Ok(Value::DateTime(local)),
        Some(format) => format_date(cx, &[Value::DateTime(local), format.borrow()]),
    }
}

/// Seconds as microseconds, rounded or cut as the mode says.
fn micros_of(cx: &FuncCtx<'_>, seconds: Decimal) -> Option<i128> {
    let kept = match cx.mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL) {
        true => seconds.truncate(6),
        false => seconds.round(6).ok()?,
    };
    kept.checked_mul(Decimal::from_i64(MICROS)).ok()?.to_i128()
}

/// A time of a function that rounds whatever the mode says, as MySQL's ADDTIME(), TIMEDIFF(), TIME_FORMAT() and EXTRACT() do.
pub(super) fn rounded_time(cx: &mut FuncCtx<'_>, v: &Value<'_>) -> Option<Time> {
    rounding(cx, |cx| v.to_time(cx))
}

fn timestamp(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(d) = args[0].to_datetime(cx) else { return Ok(Value::Null) };
    let Some(t) = args.get(1) else {
        return Ok(if allowed(&d.date, cx) { Value::DateTime(d) } else { Value::Null });
    };
    let Some(t) = t.to_time(cx) else { return Ok(Value::Null) };
    let sum = d.plus(Interval::Micros(t.micros));
    Ok(or_null(sum.map(|s| DateTime { fsp: d.fsp.max(t.fsp), ..s })))
}

/// A part of a date, zero parts allowed, the zero date included.
fn date_int(cx: &mut FuncCtx<'_>, args: &[Value<'_>], f: impl Fn(Date) -> i64) -> Out {
    let found = rounding(cx, |cx| lenient_date(cx, &args[0]));
    Ok(found.map_or(Value::Null, |d| Value::Int(f(d.date))))
}

/// What is read where MySQL rounds whatever the mode says, as where a function asks for a date alone.
fn rounding<T>(cx: &mut FuncCtx<'_>, read: impl FnOnce(&mut FuncCtx<'_>) -> T) -> T {
    let mode = cx.mode;
    cx.mode = mode.without(SqlMode::TIME_TRUNCATE_FRACTIONAL);
    let found = read(cx);
    cx.mode = mode;
    found
}

/// Reading parts of a zero date is allowed whatever the mode.
pub fn lenient_date(cx: &mut FuncCtx<'_>, v: &Value<'_>) -> Option<DateTime> {
    let mode = cx.mode;
    cx.mode = SqlMode(mode.0 & !SqlMode::NO_ZERO_DATE.0);
    let d = v.to_datetime(cx);
    cx.mode = mode;
    d
}

fn time_int(
    cx: &mut FuncCtx<'_>,
    args: &[Value<'_>],
    f: impl Fn((bool, u32, u8, u8, u32)) -> i64,
) -> Out {
    Ok(args[0].to_time(cx).map_or(Value::Null, |t| Value::Int(f(t.parts()))))
}

/// A function of a day of the calendar; NULL for dates with zero parts.
fn real_day(cx: &mut FuncCtx<'_>, args: &[Value<'_>], f: impl Fn(Date) -> Value<'static>) -> Out {
    let found = rounding(cx, |cx| args[0].to_date(cx));
    Ok(found.filter(|d| d.is_real()).map_or(Value::Null, f))
}

pub fn text(cx: &FuncCtx<'_>, s: &str) -> Value<'static> {
    let utf8 = crate::value::Charset::Utf8mb4;
    Value::text(utf8.convert(s.as_bytes(), cx.collation.charset()).0, cx.collation)
}

fn dayname(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let day = rounding(cx, |cx| args[0].to_date(cx)).filter(|d| d.is_real());
    Ok(day.map_or(Value::Null, |d| text(cx, names(cx.locale).days[usize::from(d.weekday())])))
}

fn monthname(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let months = &names(cx.locale).months;
    let found = rounding(cx, |cx| args[0].to_date(cx));
    let month = found.and_then(|d| months.get(usize::from(d.month).wrapping_sub(1)));
    Ok(month.map_or(Value::Null, |m| text(cx, m)))
}

fn week(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let mode = match args.get(1) {
        None => i64::from(cx.default_week_format),
        Some(v) => v.to_i64(&mut cx.warnings).unwrap_or(0),
    };
    real_day(cx, args, |d| Value::Int(i64::from(d.week(mode as u8 & 7).1)))
}

fn yearweek(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let mode = args.get(1).and_then(|v| v.to_i64(&mut cx.warnings)).unwrap_or(0);
    real_day(cx, args, |d| {
        let (year, week) = d.week(mode as u8 & 7 | 2);
        Value::Int(i64::from(year) * 100 + i64::from(week))
    })
}

fn last_day(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let d = rounding(cx, |cx| args[0].to_date(cx)).filter(|d| d.month > 0);
    Ok(d.map_or(Value::Null, |d| {
        let day = crate::value::temporal::days_in_month(d.year, d.month);
        Value::Date(Date { day, ..d })
    }))
}

fn to_seconds(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let d = args[0].to_datetime(cx).filter(|d| d.date.is_real());
    Ok(d.map_or(Value::Null, |d| Value::Int(d.date.daynr() * 86_400 + d.day_micros() / MICROS)))
}

fn from_days(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(n) = args[0].to_i64(&mut cx.warnings) else { return Ok(Value::Null) };
    // Days past the year 9999 give the zero date.
    let date = Date::from_daynr(n.clamp(0, 1 << 40)).unwrap_or(Date::ZERO);
    Ok(Value::Date(date))
}

fn datediff(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let both = rounding(cx, |cx| (args[0].to_date(cx), args[1].to_date(cx)));
    let (Some(a), Some(b)) = both else {
        return Ok(Value::Null);
    };
    if !a.is_real() || !b.is_real() {
        return Ok(Value::Null);
    }
    Ok(Value::Int(a.daynr() - b.daynr()))
}

/// Is this value a whole date and time rather than a time of day?
/// YYMMDDhhmmss of eleven digits: the least number that is a date and a time where a time is wanted.
const LEAST_MOMENT: i64 = 10_000_000_000;

fn has_date(v: &Value<'_>) -> bool {
    match v {
        Value::DateTime(_) | Value::Date(_) => true,
        // A text is one where it would be read as one if a time was wanted: a date alone is no time of day, and its first digits are.
        Value::Str(b, _) | Value::Bytes(b) => parse::is_whole(b),
        // A number too long for a time is read as a date and a time.
        Value::Int(_) | Value::UInt(_) | Value::Decimal(_) => {
            let n = v.to_i64(&mut Warnings::with_limit(0)).unwrap_or(0);
            n >= LEAST_MOMENT && parse::datetime_from_number(n, false).is_some()
        }
        _ => false,
    }
}

fn timediff(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    // A DATE is no DATETIME here either.
    let date = |v: &Value<'_>| matches!(v, Value::Date(_));
    let whole = |v: &Value<'_>| has_date(v) && !date(v);
    if args.iter().any(Value::is_null)
        || has_date(&args[0]) != has_date(&args[1])
        || date(&args[0]) && whole(&args[1])
        || whole(&args[0]) && date(&args[1])
    {
        return Ok(Value::Null);
    }
    let (a, b, fsp) = if has_date(&args[0]) {
        let (Some(a), Some(b)) = (any_day(cx, &args[0]), any_day(cx, &args[1])) else {
            return Ok(Value::Null);
        };
        (a.civil_micros(), b.civil_micros(), a.fsp.max(b.fsp))
    } else {
        let (Some(a), Some(b)) = (rounded_time(cx, &args[0]), rounded_time(cx, &args[1])) else {
            return Ok(Value::Null);
        };
        (a.micros, b.micros, a.fsp.max(b.fsp))
    };
    Ok(Value::Time(in_time_range(cx, Time::from_micros(a - b, fsp))))
}

/// A date and time whose day the month may not have.
fn any_day(cx: &mut FuncCtx<'_>, v: &Value<'_>) -> Option<DateTime> {
    let mode = cx.mode;
    cx.mode = mode | SqlMode::ALLOW_INVALID_DATES;
    let found = v.to_datetime(cx);
    cx.mode = mode;
    found
}

fn in_time_range(cx: &mut FuncCtx<'_>, t: Time) -> Time {
    if !t.in_range() {
        let shown = t.to_string();
        cx.warnings.truncated("time", shown.as_bytes());
    }
    t.clamp()
}

fn timestampdiff(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let unit = unit_of(&args[0])?;
    let (Some(a), Some(b)) = (args[1].to_datetime(cx), args[2].to_datetime(cx)) else {
        return Ok(Value::Null);
    };
    if !a.date.is_real() || !b.date.is_real() {
        return Ok(Value::Null);
    }
    Ok(Value::Int(difference(unit, a, b)))
}

/// Fraction digits that the amount brings along.
fn interval_fsp(v: &Value<'_>, unit: Unit) -> u8 {
    match v {
        _ if unit.has_micros() => 6,
        Value::Decimal(d) if unit == Unit::Second => d.scale().min(6),
        Value::Double(_) | Value::Str(..) if unit == Unit::Second => 6,
        _ => 0,
    }
}

fn datetime_overflow(cx: &mut FuncCtx<'_>) -> Value<'static> {
    cx.warnings.warn(errno::ER_DATETIME_FUNCTION_OVERFLOW, || {
        "Datetime function: datetime field overflow".into()
    });
    Value::Null
}

/// `date + INTERVAL amount unit`; text gives text, a DATE with a day unit a DATE.
pub fn add_interval(
    cx: &mut FuncCtx<'_>,
    date: &Value<'_>,
    amount: &Value<'_>,
    unit: Unit,
    subtract: bool,
) -> Out {
    if date.is_null() {
        return Ok(Value::Null);
    }
    let time = match date {
        Value::Time(t) if !unit.has_days() => Some(*t),
        _ => None,
    };
    // A value that is no date raises a warning whatever the amount is, and an incomplete date is not one.
    let start = match time {
        Some(_) => None,
        None => {
            let Some(start) = date.to_datetime(cx) else { return Ok(Value::Null) };
            if start.date.month == 0 || start.date.day == 0 {
                let shown = match date.is_string() {
                    true => date.to_string_lossy().unwrap_or_default(),
                    false => start.to_string(),
                };
                cx.warnings.incorrect("datetime", shown.as_bytes());
                return Ok(Value::Null);
            }
            Some(start)
        }
    };
    let interval = match interval_of(cx, amount, unit) {
        Some(Amount::Of(i)) if subtract => i.negated(),
        Some(Amount::Of(i)) => Some(i),
        Some(Amount::Beyond) => None,
        None => return Ok(Value::Null),
    };
    let Some(interval) = interval else { return Ok(datetime_overflow(cx)) };
    let extra = interval_fsp(amount, unit);
    if let (Some(t), Interval::Micros(n)) = (time, interval) {
        let sum = Time::from_micros(t.micros.saturating_add(n), t.fsp.max(extra));
        return Ok(if sum.in_range() { Value::Time(sum) } else { datetime_overflow(cx) });
    }
    let date_only = match date {
        Value::Date(_) => true,
        Value::DateTime(_) | Value::Time(_) => false,
        other => other.find_datetime(cx).is_some_and(|f| f.date_only),
    };
    let Some(start) = start.or_else(|| date.to_datetime(cx)) else { return Ok(Value::Null) };
    let Some(sum) = start.plus(interval) else { return Ok(datetime_overflow(cx)) };
    let mut fsp = start.fsp.max(extra);
    let is_temporal = date.is_temporal();
    if !is_temporal && sum.micro != 0 {
        fsp = 6;
    }
    let sum = DateTime { fsp: if is_temporal || sum.micro != 0 { fsp } else { 0 }, ..sum };
    let as_date = date_only && unit.is_date_unit();
    Ok(match (is_temporal, as_date) {
        (true, true) => Value::Date(sum.date),
        (true, false) => Value::DateTime(sum),
        (false, true) => text(cx, &sum.date.to_string()),
        (false, false) => text(cx, &sum.to_string()),
    })
}

fn add_time(cx: &mut FuncCtx<'_>, args: &[Value<'_>], sign: i64) -> Out {
    if has_date(&args[1]) {
        return Ok(Value::Null);
    }
    let Some(t) = rounded_time(cx, &args[1]) else { return Ok(Value::Null) };
    // Of what is no date or time, as of a number, it makes a text.
    let is_text = !args[0].is_temporal();
    let sum = if has_date(&args[0]) {
        let Some(d) = any_day(cx, &args[0]) else { return Ok(Value::Null) };
        if is_text && !d.date.is_real() {
            cx.warnings.truncated("datetime", &args[0].to_bytes().unwrap_or_default());
            return Ok(Value::Null);
        }
        let fsp = d.fsp.max(t.fsp);
        match d.plus(Interval::Micros(sign * t.micros)) {
            Some(s) => Value::DateTime(DateTime { fsp: shown_fsp(is_text, s.micro, fsp), ..s }),
            None => return Ok(datetime_overflow(cx)),
        }
    } else {
        let Some(a) = rounded_time(cx, &args[0]) else { return Ok(Value::Null) };
        let sum =
            in_time_range(cx, Time::from_micros(a.micros + sign * t.micros, a.fsp.max(t.fsp)));
        let micro = (sum.micros.abs() % MICROS) as u32;
        Value::Time(Time { fsp: shown_fsp(is_text, micro, sum.fsp), ..sum })
    };
    if is_text {
        let shown = sum.to_string_lossy().unwrap_or_default();
        return Ok(text(cx, &shown));
    }
    Ok(sum)
}

/// Text results show all six digits or none.
fn shown_fsp(is_text: bool, micro: u32, fsp: u8) -> u8 {
    if !is_text {
        fsp
    } else if micro == 0 {
        0
    } else {
        6
    }
}

fn makedate(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let w = &mut cx.warnings;
    let (Some(year), Some(day)) = (args[0].to_i64(w), args[1].to_i64(w)) else {
        return Ok(Value::Null);
    };
    if day <= 0 || !(0..=9999).contains(&year) || day > 1 << 40 {
        return Ok(Value::Null);
    }
    let year = if year < 100 { full_year(year as u16) } else { year as u16 };
    let date = Date::from_daynr(Date::new(year, 1, 1).daynr() + day - 1);
    Ok(date.map_or(Value::Null, Value::Date))
}

fn maketime(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let w = &mut cx.warnings;
    let (Some(h), Some(m), Some(s)) = (args[0].to_i64(w), args[1].to_i64(w), args[2].to_decimal(w))
    else {
        return Ok(Value::Null);
    };
    let fsp = if args[2].is_string() { 6 } else { s.scale().min(6) };
    let micros = micros_of(cx, s).filter(|m| (0..60_000_000).contains(m));
    let (Some(micros), 0..60) = (micros, m) else { return Ok(Value::Null) };
    let hours = h.unsigned_abs().min(839) as i64;
    let total = hours * 3600 * MICROS + m * 60 * MICROS + micros as i64;
    let t = Time::from_micros(if h < 0 { -total } else { total }, fsp);
    Ok(Value::Time(in_time_range(cx, t)))
}

fn sec_to_time(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(d) = args[0].to_decimal(&mut cx.warnings) else { return Ok(Value::Null) };
    let fsp = if args[0].is_string() { 6 } else { d.scale().min(6) };
    let limit = i128::from(MAX_TIME_SECONDS + 1) * i128::from(MICROS);
    let micros = micros_of(cx, d).unwrap_or(if d.is_negative() { -limit } else { limit });
    let t = Time::from_micros(micros.clamp(-limit, limit) as i64, fsp);
    Ok(Value::Time(in_time_range(cx, t)))
}

fn time_to_sec(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(args[0].to_time(cx).map_or(Value::Null, |t| Value::Int(t.micros / MICROS)))
}

/// EXTRACT(unit FROM v).
pub fn extract(cx: &mut FuncCtx<'_>, unit: Unit, v: &Value<'_>) -> Out {
    use Unit::*;
    if matches!(unit, Year | Month | Quarter | Week | Day | YearMonth) {
        let Some(d) = lenient_date(cx, v).map(|d| d.date) else { return Ok(Value::Null) };
        let (year, month) = (i64::from(d.year), i64::from(d.month));
        return Ok(Value::Int(match unit {
            Year => year,
            Month => month,
            Quarter => (month + 2) / 3,
            Week => i64::from(d.week(cx.default_week_format).1),
            Day => i64::from(d.day),
            _ => year * 100 + month,
        }));
    }
    let with_day = matches!(unit, DayHour | DayMinute | DaySecond | DayMicrosecond);
    // Of a datetime the day of the month leads. A text that is one has no time of a day that its month has not got.
    let (day, t) = if (with_day || v.is_string()) && has_date(v) {
        let Some(d) = v.to_datetime(cx) else { return Ok(Value::Null) };
        (if with_day { i64::from(d.date.day) } else { 0 }, d.time())
    } else {
        // A time has hours only, however many.
        let Some(t) = rounded_time(cx, v) else { return Ok(Value::Null) };
        (0, t)
    };
    let (neg, h, m, s, f) = t.parts();
    let (h, m, s, f) = (i64::from(h), i64::from(m), i64::from(s), i64::from(f));
    let clock = h * 10_000 + m * 100 + s;
    let n = match unit {
        Hour => h,
        Minute => m,
        Second => s,
        Microsecond => f,
        SecondMicrosecond => s * 1_000_000 + f,
        MinuteMicrosecond => (m * 100 + s) * 1_000_000 + f,
        MinuteSecond => m * 100 + s,
        HourMicrosecond => clock * 1_000_000 + f,
        HourSecond => clock,
        HourMinute => h * 100 + m,
        DayHour => day * 100 + h,
        DayMinute => day * 10_000 + h * 100 + m,
        DaySecond => day * 1_000_000 + clock,
        _ => (day * 1_000_000 + clock) * 1_000_000 + f,
    };
    Ok(Value::Int(if neg { -n } else { n }))
}

/// An unknown zone gives NULL, and a time outside the range of timestamps stays what it is.
fn convert_tz(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let zone = |v: &Value<'_>| TimeZone::parse(&v.to_string_lossy()?).ok();
    let (Some(d), Some(from), Some(to)) = (args[0].to_datetime(cx), zone(&args[1]), zone(&args[2]))
    else {
        return Ok(Value::Null);
    };
    let utc = from.to_utc(d.civil_micros());
    if !d.date.is_real() {
        return Ok(Value::Null);
    }
    // The first second is the zero timestamp, which is out of their range as well.
    if !(MICROS..=32_536_771_199 * MICROS).contains(&utc) {
        return Ok(Value::DateTime(d));
    }
    Ok(or_null(local_time(utc, to, d.fsp)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn d(text: &str) -> Value<'static> {
        Value::Date(day(text))
    }

    fn day(text: &str) -> Date {
        crate::value::temporal::parse::datetime(text.as_bytes(), false).expect("valid").value.date
    }

    #[test]
    fn clock() {
        check(&[
            ("NOW", &[], Some("2024-01-15 10:11:12")),
            ("NOW", &[i(3)], Some("2024-01-15 10:11:12.123")),
            ("CURDATE", &[], Some("2024-01-15")),
            ("CURTIME", &[i(6)], Some("10:11:12.123456")),
            ("UNIX_TIMESTAMP", &[], Some("1705313472")),
            ("UNIX_TIMESTAMP", &[s("2015-11-13 10:20:19")], Some("1447410019")),
            ("UNIX_TIMESTAMP", &[s("2015-11-13 10:20:19.012")], Some("1447410019.012")),
            ("FROM_UNIXTIME", &[i(1_447_430_881)], Some("2015-11-13 16:08:01")),
            ("FROM_UNIXTIME", &[i(-1)], None),
            (
                "CONVERT_TZ",
                &[s("2004-01-01 12:00:00"), s("+00:00"), s("+10:00")],
                Some("2004-01-01 22:00:00"),
            ),
            (
                "CONVERT_TZ",
                &[s("2004-01-01 12:00:00"), s("GMT"), s("MET")],
                Some("2004-01-01 13:00:00"),
            ),
            ("CONVERT_TZ", &[s("2004-01-01 12:00:00"), s("GMT"), s("Nowhere")], None),
        ]);
        assert_eq!(call("NOW", &[i(7)]).expect_err("precision").errno, 1426);
    }

    #[test]
    fn parts() {
        check(&[
            ("YEAR", &[s("1987-01-01")], Some("1987")),
            ("MONTH", &[s("2008-02-03")], Some("2")),
            ("DAY", &[s("2007-02-03")], Some("3")),
            ("HOUR", &[s("272:59:59")], Some("272")),
            ("MICROSECOND", &[s("12:00:00.123456")], Some("123456")),
            ("DAYOFWEEK", &[s("2007-02-03")], Some("7")),
            ("WEEKDAY", &[s("2008-02-03 22:23:00")], Some("6")),
            ("DAYNAME", &[s("2007-02-03")], Some("Saturday")),
            ("MONTHNAME", &[s("2008-02-03")], Some("February")),
            ("WEEK", &[s("2008-02-20")], Some("7")),
            ("WEEK", &[s("2008-02-20"), i(1)], Some("8")),
            ("YEARWEEK", &[s("1987-01-01")], Some("198652")),
            ("QUARTER", &[s("2008-04-01")], Some("2")),
            ("LAST_DAY", &[s("2004-02-05")], Some("2004-02-29")),
            ("LAST_DAY", &[s("2003-03-32")], None),
            ("TO_DAYS", &[i(950_501)], Some("728779")),
            ("FROM_DAYS", &[i(730_669)], Some("2000-07-03")),
            ("TO_SECONDS", &[s("2009-11-29 13:43:32")], Some("63426721412")),
            ("EXTRACT", &[s("YEAR_MONTH"), s("2019-07-02 01:02:03")], Some("201907")),
            ("EXTRACT", &[s("DAY_MINUTE"), s("2019-07-02 01:02:03")], Some("20102")),
            ("EXTRACT", &[s("MICROSECOND"), s("2003-01-02 10:30:00.000123")], Some("123")),
            ("PERIOD_ADD", &[i(200_801), i(2)], Some("200803")),
            ("PERIOD_DIFF", &[i(200_802), i(200_703)], Some("11")),
            ("TIME_TO_SEC", &[s("22:23:00")], Some("80580")),
            ("SEC_TO_TIME", &[i(2378)], Some("00:39:38")),
            ("MAKEDATE", &[i(2011), i(32)], Some("2011-02-01")),
            ("MAKEDATE", &[i(2011), i(0)], None),
            ("MAKETIME", &[i(12), i(15), i(30)], Some("12:15:30")),
            ("MAKETIME", &[i(12), i(60), i(30)], None),
        ]);
    }

    #[test]
    fn arithmetic() {
        check(&[
            ("DATE_ADD", &[d("2018-05-01"), i(1), s("DAY")], Some("2018-05-02")),
            ("DATE_ADD", &[d("2018-05-01"), i(1), s("HOUR")], Some("2018-05-01 01:00:00")),
            ("DATE_SUB", &[s("2018-05-01"), i(1), s("YEAR")], Some("2017-05-01")),
            (
                "DATE_ADD",
                &[s("2020-12-31 23:59:59"), i(1), s("SECOND")],
                Some("2021-01-01 00:00:00"),
            ),
            (
                "DATE_ADD",
                &[s("2100-12-31 23:59:59"), s("1:1"), s("MINUTE_SECOND")],
                Some("2101-01-01 00:01:00"),
            ),
            (
                "DATE_SUB",
                &[s("2025-01-01 00:00:00"), s("1 1:1:1"), s("DAY_SECOND")],
                Some("2024-12-30 22:58:59"),
            ),
            (
                "DATE_ADD",
                &[s("1992-12-31 23:59:59.000002"), s("1.999999"), s("SECOND_MICROSECOND")],
                Some("1993-01-01 00:00:01.000001"),
            ),
            ("DATE_ADD", &[s("9999-12-31"), i(1), s("DAY")], None),
            ("ADDDATE", &[s("2008-01-02"), i(31)], Some("2008-02-02")),
            ("TIMESTAMPADD", &[s("MINUTE"), i(1), s("2003-01-02")], Some("2003-01-02 00:01:00")),
            ("TIMESTAMPADD", &[s("WEEK"), i(1), s("2003-01-02")], Some("2003-01-09")),
            ("TIMESTAMPDIFF", &[s("MONTH"), s("2003-02-01"), s("2003-05-01")], Some("3")),
            ("DATEDIFF", &[s("2007-12-31 23:59:59"), s("2007-12-30")], Some("1")),
            (
                "TIMEDIFF",
                &[s("2008-12-31 23:59:59.000001"), s("2008-12-30 01:01:01.000002")],
                Some("46:58:57.999999"),
            ),
            (
                "ADDTIME",
                &[s("2007-12-31 23:59:59.999999"), s("1 1:1:1.000002")],
                Some("2008-01-02 01:01:01.000001"),
            ),
            ("ADDTIME", &[s("01:00:00.999999"), s("02:00:00.999998")], Some("03:00:01.999997")),
            ("SUBTIME", &[s("10:00:00"), s("01:00:00")], Some("09:00:00")),
            ("TIMESTAMP", &[s("2003-12-31 12:00:00"), s("12:00:00")], Some("2004-01-01 00:00:00")),
        ]);
    }

    #[test]
    fn formats() {
        check(&[
            (
                "DATE_FORMAT",
                &[s("2009-10-04 22:23:00"), s("%W %M %Y")],
                Some("Sunday October 2009"),
            ),
            ("TIME_FORMAT", &[s("100:00:00"), s("%H %k %h %I %l")], Some("100 100 04 04 4")),
            ("STR_TO_DATE", &[s("01,5,2013"), s("%d,%m,%Y")], Some("2013-05-01")),
            ("STR_TO_DATE", &[s("09:30:17"), s("%h:%i:%s")], Some("09:30:17")),
            ("STR_TO_DATE", &[s("00/00/0000"), s("%m/%d/%Y")], None),
            (
                "STR_TO_DATE",
                &[s("2024-01-02 03:04"), s("%Y-%m-%d %H:%i")],
                Some("2024-01-02 03:04:00"),
            ),
            ("GET_FORMAT", &[s("DATE"), s("EUR")], Some("%d.%m.%Y")),
        ]);
        let ty = date_add_type(
            &TypeInfo::column(SqlType::Date, false),
            &TypeInfo::column(SqlType::INT, false),
            Unit::Hour,
        )
        .ty;
        assert_eq!(ty, SqlType::DateTime { fsp: 0 });
    }
}
