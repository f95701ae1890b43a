//! Dates and times written and read by formats: DATE_FORMAT(), TIME_FORMAT(), GET_FORMAT() and STR_TO_DATE().

use super::temporal::{lenient_date, rounded_time, text};
use super::{FuncCtx, Out};
use crate::errno;
use crate::value::temporal::format::{date_format, format_parts, str_to_date, time_format};
use crate::value::temporal::names::names;
use crate::value::{DateTime, SqlMode, Time, Value};

pub fn format_date(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(d), Some(format)) = (lenient_date(cx, &args[0]), args[1].to_string_lossy()) else {
        return Ok(Value::Null);
    };
    Ok(date_format(d, &format, names(cx.locale)).map_or(Value::Null, |s| text(cx, &s)))
}

pub fn format_time(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(t), Some(format)) = (rounded_time(cx, &args[0]), args[1].to_string_lossy()) else {
        return Ok(Value::Null);
    };
    Ok(time_format(t, &format).map_or(Value::Null, |s| text(cx, &s)))
}

/// GET_FORMAT('DATE', 'USA'): the formats of the manual's table.
pub fn get_format(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let name = |v: &Value<'_>| v.to_string_lossy().unwrap_or_default().to_ascii_uppercase();
    let (kind, place) = (name(&args[0]), name(&args[1]));
    let kind = if kind == "TIMESTAMP" { "DATETIME" } else { &kind };
    let format = match (kind, &place[..]) {
        ("DATE", "USA") => "%m.%d.%Y",
        ("DATE", "JIS" | "ISO") => "%Y-%m-%d",
        ("DATE", "EUR") => "%d.%m.%Y",
        ("DATE", "INTERNAL") => "%Y%m%d",
        ("DATETIME", "USA" | "EUR") => "%Y-%m-%d %H.%i.%s",
        ("DATETIME", "JIS" | "ISO") => "%Y-%m-%d %H:%i:%s",
        ("DATETIME", "INTERNAL") => "%Y%m%d%H%i%s",
        ("TIME", "USA") => "%h:%i:%s %p",
        ("TIME", "JIS" | "ISO") => "%H:%i:%s",
        ("TIME", "EUR") => "%H.%i.%s",
        ("TIME", "INTERNAL") => "%H%i%s",
        _ => return Ok(Value::Null),
    };
    Ok(text(cx, format))
}

/// STR_TO_DATE() of a format that is known beforehand: what it has parts of.
pub fn parse_date(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(format) = args[1].to_string_lossy() else {
        return Ok(Value::Null);
    };
    let parts = format_parts(&format);
    let fsp = if parts.fraction { 6 } else { 0 };
    // Of no parts at all there is a date of zeros.
    let dated = parts.date || !parts.time;
    Ok(match (parsed(cx, &args[0], &format, dated), parts.date, parts.time) {
        (None, ..) => Value::Null,
        (Some(d), _, false) => Value::Date(d.date),
        (Some(d), false, true) => Value::Time(Time { fsp, ..d.time() }),
        (Some(d), true, true) => Value::DateTime(DateTime { fsp, ..d }),
    })
}

/// STR_TO_DATE() of a format that a row or a variable has: a date and time, whatever the format reads.
pub fn parse_any_date(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(format) = args[1].to_string_lossy() else {
        return Ok(Value::Null);
    };
    let found = parsed(cx, &args[0], &format, true);
    Ok(found.map_or(Value::Null, |d| Value::DateTime(DateTime { fsp: 6, ..d })))
}

fn parsed(cx: &mut FuncCtx<'_>, text: &Value<'_>, format: &str, dated: bool) -> Option<DateTime> {
    let s = text.to_string_lossy()?;
    let found = str_to_date(&s, format).filter(|(d, _)| {
        let zero = d.date.year == 0 || d.date.month == 0 || d.date.day == 0;
        !(dated && zero && cx.mode.has(SqlMode::NO_ZERO_IN_DATE | SqlMode::NO_ZERO_DATE))
    });
    let Some((d, left)) = found else {
        cx.warnings.warn(errno::ER_WRONG_VALUE_FOR_TYPE, || {
            format!("Incorrect datetime value: '{s}' for function str_to_date")
        });
        return None;
    };
    if left {
        cx.warnings.truncated("date", s.as_bytes());
    }
    Some(d)
}
