//! DATE_FORMAT, TIME_FORMAT and STR_TO_DATE.

use super::names::{Names, names};
use super::parse::{full_year, plausible};
use super::{Date, DateTime, Time};
use std::fmt::Write;

pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Monday first.
pub const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

fn ordinal(day: u8) -> &'static str {
    match (day / 10, day % 10) {
        (1, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

/// `None` where a name or week of a date without month or day is asked for.
pub fn date_format(dt: DateTime, format: &str, names: &Names) -> Option<String> {
    format_with(Some(dt.date), u32::from(dt.hour), dt, format, names)
}

/// TIME_FORMAT: hours may pass 23; specifiers of dates give zeros or NULL.
pub fn time_format(time: Time, format: &str) -> Option<String> {
    let (neg, hour, minute, second, micro) = time.parts();
    let clock = DateTime { minute, second, micro, ..DateTime::default() };
    // No name is of a time.
    let text = format_with(None, hour, clock, format, names(0))?;
    Some(if neg { format!("-{text}") } else { text })
}

fn format_with(
    date: Option<Date>,
    hour: u32,
    dt: DateTime,
    format: &str,
    names: &Names,
) -> Option<String> {
    let mut out = String::with_capacity(format.len() * 2);
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            None => out.push('%'),
            Some(spec) => {
                if !clock_part(spec, hour, dt, &mut out)
                    && !date_part(spec, date, dt, names, &mut out)?
                {
                    out.push(spec);
                }
            }
        }
    }
    Some(out)
}

/// Writing to a String does not fail, so results of `write!` are dropped below.
fn clock_part(spec: char, hour: u32, dt: DateTime, out: &mut String) -> bool {
    let half = if hour % 24 < 12 { "AM" } else { "PM" };
    let hour12 = (hour % 24 + 11) % 12 + 1;
    let _ = match spec {
        'H' => write!(out, "{hour:02}"),
        'k' => write!(out, "{hour}"),
        'h' | 'I' => write!(out, "{hour12:02}"),
        'l' => write!(out, "{hour12}"),
        'i' => write!(out, "{:02}", dt.minute),
        'S' | 's' => write!(out, "{:02}", dt.second),
        'f' => write!(out, "{:06}", dt.micro),
        'p' => write!(out, "{half}"),
        'r' => write!(out, "{hour12:02}:{:02}:{:02} {half}", dt.minute, dt.second),
        'T' => write!(out, "{hour:02}:{:02}:{:02}", dt.minute, dt.second),
        _ => return false,
    };
    true
}

/// `Some(false)`: not a specifier. `None`: the whole result is NULL.
fn date_part(
    spec: char,
    date: Option<Date>,
    dt: DateTime,
    names: &Names,
    out: &mut String,
) -> Option<bool> {
    let is_time = date.is_none();
    let d = date.unwrap_or(dt.date);
    let month = || usize::from(d.month).checked_sub(1).filter(|m| *m < 12);
    let known_day = || (!is_time && d.month > 0).then_some(d);
    let day = || known_day().map(|d| usize::from(d.weekday()));
    let _ = match spec {
        'Y' => write!(out, "{:04}", d.year),
        'y' => write!(out, "{:02}", d.year % 100),
        'm' => write!(out, "{:02}", d.month),
        'c' => write!(out, "{}", d.month),
        'd' => write!(out, "{:02}", d.day),
        'e' => write!(out, "{}", d.day),
        'D' => write!(out, "{}{}", d.day, ordinal(d.day)),
        'M' => write!(out, "{}", names.months[month()?]),
        'b' => write!(out, "{}", names.short_months[month()?]),
        'W' => write!(out, "{}", names.days[day()?]),
        'a' => write!(out, "{}", names.short_days[day()?]),
        'w' => write!(out, "{}", (known_day()?.weekday() + 1) % 7),
        'j' => write!(out, "{:03}", known_day()?.day_of_year()),
        'U' => write!(out, "{:02}", known_day()?.week(0).1),
        'u' => write!(out, "{:02}", known_day()?.week(1).1),
        'V' => write!(out, "{:02}", known_day()?.week(2).1),
        'v' => write!(out, "{:02}", known_day()?.week(3).1),
        'X' => write!(out, "{:04}", known_day()?.week(2).0),
        'x' => write!(out, "{:04}", known_day()?.week(3).0),
        _ => return Some(false),
    };
    Some(true)
}

/// Which parts a STR_TO_DATE format names: decides its result type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormatParts {
    pub date: bool,
    pub time: bool,
    pub fraction: bool,
}

pub fn format_parts(format: &str) -> FormatParts {
    let mut parts = FormatParts::default();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        match chars.next() {
            Some('H' | 'k' | 'h' | 'I' | 'l' | 'i' | 'S' | 's' | 'p' | 'r' | 'T') => {
                parts.time = true;
            }
            Some('f') => (parts.time, parts.fraction) = (true, true),
            Some(c) if c.is_ascii_alphabetic() => parts.date = true,
            _ => {}
        }
    }
    parts
}

#[derive(Default)]
struct Gathered {
    year: Option<u32>,
    month: Option<u32>,
    day: Option<u32>,
    hour: u32,
    minute: u32,
    second: u32,
    micro: u32,
    pm: Option<bool>,
    day_of_year: Option<u32>,
    /// Week number, Monday first?, of which `week_year` (mode 2/3) and weekday (0 = Monday).
    week: Option<(u32, bool, bool)>,
    week_year: Option<u32>,
    weekday: Option<u32>,
}

/// What STR_TO_DATE read; the flag says that text was left over.
pub fn str_to_date(text: &str, format: &str) -> Option<(DateTime, bool)> {
    let mut g = Gathered::default();
    let mut rest = text;
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        rest = rest.trim_start();
        if rest.is_empty() {
            // The text ended early, before a part or before what separates parts: MySQL takes what it has.
            break;
        }
        if c != '%' {
            if !c.is_whitespace() {
                rest = rest.strip_prefix(c)?;
            }
            continue;
        }
        let spec = chars.next()?;
        rest = scan_part(&mut g, spec, rest.trim_start())?;
    }
    let dt = assemble(&g)?;
    Some((dt, !rest.trim_end().is_empty()))
}

fn take_number(s: &str, max: usize) -> Option<(u32, usize, &str)> {
    // A plus sign is read as of any number, and counts among the characters.
    let sign = usize::from(s.starts_with('+') && max > 1);
    let digits = s.bytes().take(max).skip(sign).take_while(u8::is_ascii_digit).count();
    let len = sign + digits;
    let v = s[sign..len].parse().ok()?;
    Some((v, len, &s[len..]))
}

/// A word that is one of `names`, or begins as only one of them does.
fn take_name<'s>(s: &'s str, names: &[&str], short: bool) -> Option<(u32, &'s str)> {
    let end = s.find(|c: char| c.is_ascii() && !c.is_ascii_alphabetic()).unwrap_or(s.len());
    let (word, rest) = s.split_at(end);
    let name = |i: usize| if short { &names[i][..3] } else { names[i] };
    let begins = |&i: &usize| name(i).get(..end).is_some_and(|n| n.eq_ignore_ascii_case(word));
    let mut found = (0..names.len()).filter(begins);
    let first = found.next()?;
    let whole = (0..names.len()).find(|&i| name(i).eq_ignore_ascii_case(word));
    let at = match (whole, found.next()) {
        (Some(at), _) => at,
        (None, None) => first,
        (None, Some(_)) => return None,
    };
    Some((at as u32, rest))
}

fn scan_part<'s>(g: &mut Gathered, spec: char, s: &'s str) -> Option<&'s str> {
    let mut number = |max: usize, slot: fn(&mut Gathered, u32)| {
        let (v, _, rest) = take_number(s, max)?;
        slot(g, v);
        Some(rest)
    };
    match spec {
        'm' | 'c' => number(2, |g, v| g.month = Some(v)),
        'd' | 'e' => number(2, |g, v| g.day = Some(v)),
        'H' | 'k' => number(2, |g, v| g.hour = v),
        'h' | 'I' | 'l' => number(2, |g, v| {
            g.hour = v;
            g.pm = g.pm.or(Some(false));
        }),
        'i' => number(2, |g, v| g.minute = v),
        'S' | 's' => number(2, |g, v| g.second = v),
        'j' => number(3, |g, v| g.day_of_year = Some(v)),
        'X' | 'x' => number(4, |g, v| g.week_year = Some(v)),
        'U' => number(2, |g, v| g.week = Some((v, false, false))),
        'u' => number(2, |g, v| g.week = Some((v, true, false))),
        'V' => number(2, |g, v| g.week = Some((v, false, true))),
        'v' => number(2, |g, v| g.week = Some((v, true, true))),
        'w' => number(1, |g, v| g.weekday = Some((v + 6) % 7)),
        'Y' | 'y' => {
            let (v, len, rest) = take_number(s, if spec == 'Y' { 4 } else { 2 })?;
            let year = if len <= 2 { u32::from(full_year(v as u16)) } else { v };
            g.year = Some(year);
            Some(rest)
        }
        'D' => {
            let (v, _, rest) = take_number(s, 2)?;
            g.day = Some(v);
            rest.get(2..)
        }
        'f' => {
            let (v, len, rest) = take_number(s, 6)?;
            g.micro = v * 10u32.pow(6 - len as u32);
            Some(rest)
        }
        'M' | 'b' => {
            let (i, rest) = take_name(s, &MONTHS, spec == 'b')?;
            g.month = Some(i + 1);
            Some(rest)
        }
        'W' | 'a' => {
            let (i, rest) = take_name(s, &DAYS, spec == 'a')?;
            g.weekday = Some(i);
            Some(rest)
        }
        // Of the half of a day only who has read an hour of it may tell.
        'p' => {
            g.pm?;
            let pm = s.get(..2)?.eq_ignore_ascii_case("PM");
            if !pm && !s[..2].eq_ignore_ascii_case("AM") {
                return None;
            }
            g.pm = Some(pm);
            Some(&s[2..])
        }
        'T' => "H:i:S".chars().try_fold(s, |s, c| clock_piece(g, c, s)),
        'r' => "I:i:S p".chars().try_fold(s, |s, c| clock_piece(g, c, s)),
        '%' => s.strip_prefix('%'),
        '.' => Some(s.trim_start_matches(|c: char| c.is_ascii_punctuation())),
        '@' => Some(s.trim_start_matches(|c: char| c.is_ascii_alphabetic())),
        '#' => Some(s.trim_start_matches(|c: char| c.is_ascii_digit())),
        _ => None,
    }
}

fn clock_piece<'s>(g: &mut Gathered, c: char, s: &'s str) -> Option<&'s str> {
    match c {
        ':' => s.trim_start().strip_prefix(':'),
        ' ' => Some(s.trim_start()),
        _ => scan_part(g, c, s.trim_start()),
    }
}

fn assemble(g: &Gathered) -> Option<DateTime> {
    let mut hour = g.hour;
    if let Some(pm) = g.pm {
        if !(1..=12).contains(&hour) {
            return None;
        }
        hour = hour % 12 + if pm { 12 } else { 0 };
    }
    if hour > 23 || g.minute > 59 || g.second > 59 {
        return None;
    }
    let part = |v: Option<u32>, max: u32| {
        let v = v.unwrap_or(0);
        (v <= max).then_some(v)
    };
    let year = part(g.year, 9999)? as u16;
    let mut date = Date::new(year, part(g.month, 12)? as u8, part(g.day, 31)? as u8);
    if let Some(n) = g.day_of_year.filter(|&n| n > 0) {
        date = Date::from_daynr(Date::new(year, 1, 1).daynr() + i64::from(n) - 1)?;
    } else if let (Some((week, monday_first, of_week_year)), Some(weekday)) = (g.week, g.weekday) {
        date = from_week(g, week, weekday, monday_first, of_week_year)?;
    }
    if !plausible(date, false) {
        return None;
    }
    Some(DateTime {
        date,
        hour: hour as u8,
        minute: g.minute as u8,
        second: g.second as u8,
        micro: g.micro,
        fsp: if g.micro > 0 { 6 } else { 0 },
        later: false,
    })
}

/// The day of a week number and a weekday (0 = Monday).
fn from_week(
    g: &Gathered,
    week: u32,
    weekday: u32,
    monday_first: bool,
    of_week_year: bool,
) -> Option<Date> {
    let year = if of_week_year { g.week_year? } else { g.year? };
    if week > 53 || year > 9999 {
        return None;
    }
    let first = Date::new(year as u16, 1, 1);
    let first_weekday = i64::from(first.weekday());
    let days = if monday_first {
        let start = if first_weekday <= 3 { 0 } else { 7 };
        start - first_weekday + (i64::from(week) - 1) * 7 + i64::from(weekday)
    } else {
        let from_sunday = (first_weekday + 1) % 7;
        let start = if from_sunday == 0 { 0 } else { 7 };
        start - from_sunday + (i64::from(week) - 1) * 7 + i64::from((weekday + 1) % 7)
    };
    Date::from_daynr(first.daynr() + days)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn formats() {
        let f = |s: &str, fmt: &str| {
            date_format(parse::datetime(s.as_bytes(), false).expect("valid").value, fmt, names(0))
        };
        let some = |s: &str| Some(s.to_string());
        assert_eq!(f("2009-10-04 22:23:00", "%W %M %Y"), some("Sunday October 2009"));
        assert_eq!(f("2007-10-04 22:23:00", "%H:%i:%s"), some("22:23:00"));
        assert_eq!(
            f("1900-10-04 22:23:00", "%D %y %a %d %m %b %j"),
            some("4th 00 Thu 04 10 Oct 277")
        );
        assert_eq!(
            f("1997-10-04 22:23:00", "%H %k %I %r %T %S %w"),
            some("22 22 10 10:23:00 PM 22:23:00 00 6")
        );
        assert_eq!(f("1999-01-01", "%X %V"), some("1998 52"));
        assert_eq!(f("2006-06-00", "%d"), some("00"));
        assert_eq!(f("2024-01-02", "%% %x%q"), some("% 2024q"));
        let t = Time::new(false, 100, 0, 0, 0, 0);
        assert_eq!(time_format(t, "%H %k %h %I %l"), some("100 100 04 04 4"));
    }

    #[test]
    fn reading() {
        let r = |s: &str, f: &str| str_to_date(s, f).map(|(d, _)| d.to_string());
        let some = |s: &str| Some(s.to_string());
        assert_eq!(r("01,5,2013", "%d,%m,%Y"), some("2013-05-01 00:00:00"));
        assert_eq!(r("May 1, 2013", "%M %d,%Y"), some("2013-05-01 00:00:00"));
        assert_eq!(r("abc", "abc"), some("0000-00-00 00:00:00"));
        assert_eq!(r("9", "%m"), some("0000-09-00 00:00:00"));
        assert_eq!(r("200442 Monday", "%X%V %W"), some("2004-10-18 00:00:00"));
        assert_eq!(r("10:11:12 PM", "%r"), some("0000-00-00 22:11:12"));
        assert_eq!(r("2004-13-01", "%Y-%m-%d"), None);
        assert_eq!(r("15 SEPTEMB 2001", "%d %M %Y"), some("2001-09-15 00:00:00"));
        assert_eq!(r("15may2001", "%d%b%Y"), some("2001-05-15 00:00:00"));
        assert_eq!(r("15 Ju 2001", "%d %M %Y"), None);
        assert_eq!(r("15 June 2001", "%d %b %Y"), None);
        assert_eq!(r("15 Marché 2001", "%d %M %Y"), None);
        assert_eq!(str_to_date("2024-01-02x", "%Y-%m-%d").map(|(_, left)| left), Some(true));
    }
}
