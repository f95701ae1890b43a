//! Reading dates and times from text and numbers, as leniently as MySQL does.

use super::super::context::SqlMode;
use super::{Date, DateTime, MAX_TIME_SECONDS, MICROS, Time, days_in_month};

/// What a text or number gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found<T> {
    pub value: T,
    /// Something behind the value was ignored, or it was cut to the type's range.
    pub truncated: bool,
}

/// A text read as a date and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundDateTime {
    pub value: DateTime,
    pub truncated: bool,
    /// The text had no time of day.
    pub date_only: bool,
    /// Seconds east of UTC, where the text ends in `+hh:mm`.
    pub offset: Option<i32>,
}

/// Two-digit years: 70..99 are 19xx.
pub fn full_year(yy: u16) -> u16 {
    if yy < 70 { 2000 + yy } else { 1900 + yy }
}

/// May the calendar hold this date? Zero parts pass; `invalid_dates` (ALLOW_INVALID_DATES) lets days up to 31 pass.
pub fn plausible(date: Date, invalid_dates: bool) -> bool {
    if date.year > 9999 || date.month > 12 || date.day > 31 {
        return false;
    }
    date.month == 0 || invalid_dates || date.day <= days_in_month_lenient(date)
}

fn days_in_month_lenient(date: Date) -> u8 {
    // Year 0 counts as a leap year for '0000-02-29' no more than MySQL lets it: not at all.
    if date.year == 0 && date.month == 2 { 28 } else { days_in_month(date.year, date.month) }
}

/// What a text that begins as a date and time is not: `Other` may still be a time, `Wrong` has parts that no date or time has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoMoment {
    Other,
    Wrong,
}

/// How a part of a date and time is written.
struct PartRule {
    /// Its digits where nothing separates the parts, and at most so many of a fraction.
    width: usize,
    /// Blanks may come after it.
    blanks: bool,
}

/// Year, month, day, hour, minute, second, fraction. The year's width depends on the number of digits: see [`year_width`].
const PARTS: [PartRule; 7] = [
    PartRule { width: 4, blanks: false },
    PartRule { width: 2, blanks: false },
    PartRule { width: 2, blanks: true },
    PartRule { width: 2, blanks: false },
    PartRule { width: 2, blanks: false },
    PartRule { width: 2, blanks: false },
    PartRule { width: 6, blanks: true },
];
const DAY: usize = 2;
const SECOND: usize = 5;
const FRACTION: usize = 6;
/// No part has a larger number; a text with one is no date.
const LARGEST_PART: u64 = 999_999;
/// Shorter texts are times and no dates with times where a time is wanted.
const SHORTEST_DATED: usize = 12;

/// What C calls a space.
fn is_blank(b: u8) -> bool {
    b.is_ascii_whitespace() || b == 0x0B
}

/// Digits of the year where nothing separates the parts: `digits` are those of the whole, a `T` among them.
fn year_width(digits: usize) -> usize {
    if matches!(digits, 4 | 8) || digits >= 14 { 4 } else { 2 }
}

fn blanks(s: &[u8]) -> usize {
    s.iter().take_while(|b| is_blank(**b)).count()
}

fn digits(s: &[u8]) -> usize {
    s.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn number64(digits: &[u8]) -> u64 {
    digits.iter().fold(0u64, |v, b| v.saturating_mul(10).saturating_add(u64::from(b - b'0')))
}

/// The parts of a text, from the first digit on.
struct Parts {
    values: [u64; 7],
    widths: [usize; 7],
    /// Two digits of the year are those of a century, also where there is one digit and a second would belong to it.
    short_year: bool,
    /// How many there are. More than six where a fraction ends in a separator.
    count: usize,
    /// Where the last of them ends.
    end: usize,
    separated: bool,
    blank: bool,
}

/// Reads parts as long as there are digits.
fn parts(s: &[u8]) -> Result<Parts, NoMoment> {
    let from = blanks(s);
    let run = s[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'T').count();
    if !s.get(from).is_some_and(u8::is_ascii_digit) {
        return Err(NoMoment::Other);
    }
    let compact = matches!(s.get(from + run), None | Some(b'.'));
    let (values, widths) = ([0; 7], [0; 7]);
    let short_year = match compact {
        true => year_width(run) == 2,
        false => digits(&s[from..]) == 2,
    };
    let (separated, blank) = (false, false);
    let mut p = Parts { values, widths, short_year, count: 0, end: from, separated, blank };
    let mut at = from;
    for (i, rule) in PARTS.iter().enumerate() {
        let most = match (i, compact) {
            (0, true) => year_width(run),
            (FRACTION, _) | (_, true) => rule.width,
            (_, false) => usize::MAX,
        };
        let width = digits(&s[at..]).min(most);
        if width == 0 {
            break;
        }
        (p.values[i], p.widths[i]) = (number64(&s[at..at + width]), width);
        if p.values[i] > LARGEST_PART {
            return Err(NoMoment::Other);
        }
        at += width;
        (p.count, p.end) = (i + 1, at);
        match s.get(at) {
            None => break,
            Some(b'T') if i == DAY => at += 1,
            // A point behind the seconds belongs to them, also where no digit follows it.
            Some(b'.') if i == SECOND => {
                at += 1;
                p.end = at;
            }
            Some(_) if i == SECOND => break,
            Some(b'+' | b'-') if i == FRACTION => break,
            Some(_) => {
                at += separators(&s[at..], rule, &mut p)?;
                p.end = at;
            }
        }
    }
    Ok(p)
}

/// How long the punctuation and blanks behind a part are.
fn separators(s: &[u8], rule: &PartRule, p: &mut Parts) -> Result<usize, NoMoment> {
    let len = s.iter().take_while(|b| b.is_ascii_punctuation() || is_blank(**b)).count();
    let blank = s[..len].iter().any(|b| is_blank(*b));
    if blank && !rule.blanks {
        return Err(NoMoment::Other);
    }
    p.separated |= len > 0;
    p.blank |= blank;
    Ok(len)
}

impl Parts {
    /// The date and time, whatever the calendar says of the day.
    fn value(&self) -> Result<DateTime, NoMoment> {
        let v = &self.values;
        let year = match self.short_year && v.iter().any(|n| *n != 0) {
            true => u64::from(full_year(v[0] as u16)),
            false => v[0],
        };
        let fits = year <= 9999 && v[1] <= 12 && v[2] <= 31 && v[3] < 24 && v[4] < 60 && v[5] < 60;
        if self.count <= DAY || !fits {
            return Err(NoMoment::Wrong);
        }
        let micro = v[6] as u32 * 10u32.pow(6 - self.widths[6] as u32);
        Ok(DateTime {
            hour: v[3] as u8,
            minute: v[4] as u8,
            second: v[5] as u8,
            micro,
            fsp: self.widths[6] as u8,
            ..Date::new(year as u16, v[1] as u8, v[2] as u8).at_midnight()
        })
    }
}

/// How a date and time is read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// The 30th of February is a day.
    pub invalid_dates: bool,
    /// What is behind a microsecond is left out, and does not round.
    pub cuts: bool,
}

impl Reading {
    pub fn of(mode: SqlMode) -> Reading {
        Reading {
            invalid_dates: mode.has(SqlMode::ALLOW_INVALID_DATES),
            cuts: mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL),
        }
    }
}

/// Reads a text as a date, or a date and time.
fn moment(s: &[u8], reading: Reading) -> Result<FoundDateTime, NoMoment> {
    let (mut found, up) = unrounded(s, false, reading.invalid_dates)?;
    if up && !reading.cuts {
        let mut next = DateTime { micro: found.value.micro + 1, ..found.value };
        if next.micro == MICROS as u32 {
            next = found.value.round(0).ok_or(NoMoment::Wrong)?;
        }
        found.value = DateTime { fsp: found.value.fsp, ..next };
    }
    Ok(found)
}

/// The same, and whether what is left of a long fraction is a microsecond more. `with_time`: one that has separators must have a blank among them, as a text must where a
/// time is wanted.
fn unrounded(
    s: &[u8],
    with_time: bool,
    invalid_dates: bool,
) -> Result<(FoundDateTime, bool), NoMoment> {
    let p = parts(s)?;
    if with_time && p.separated && !p.blank {
        return Err(NoMoment::Other);
    }
    let mut rest = &s[p.end..];
    // The seventh digit of a fraction rounds, and no other is looked at.
    let mut up = false;
    let long = p.widths[FRACTION] == PARTS[FRACTION].width && digits(rest) > 0;
    if long {
        up = rest.first().is_some_and(|b| (b'5'..=b'9').contains(b));
        rest = &rest[digits(rest)..];
    }
    let value = p.value();
    let offset = match rest.first() {
        // What is no offset makes it no date, be its parts good or not; behind a long fraction nobody looks before the parts are good.
        Some(b'+' | b'-') => match offset(rest) {
            None if long && value.is_err() => None,
            found => Some(found.ok_or(NoMoment::Other)?),
        },
        _ => None,
    };
    let value = value?;
    let incomplete = value.date.month == 0 || value.date.day == 0;
    if !plausible(value.date, invalid_dates) || offset.is_some() && incomplete {
        return Err(NoMoment::Wrong);
    }
    let truncated = offset.is_none() && blanks(rest) < rest.len();
    let date_only = p.count <= DAY + 1;
    Ok((FoundDateTime { value, truncated, date_only, offset }, up))
}

/// Seconds east of UTC of `+hh:mm` or `-hh:mm`, up to fourteen hours. There is no `-00:00`.
fn offset(s: &[u8]) -> Option<i32> {
    let &[sign, h1, h2, b':', m1, m2] = s else { return None };
    if ![h1, h2, m1, m2].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let (hours, minutes) = (number64(&[h1, h2]) as i32, number64(&[m1, m2]) as i32);
    let seconds = hours * 3600 + minutes * 60;
    let fits = minutes < 60 && seconds <= 14 * 3600 && !(sign == b'-' && seconds == 0);
    fits.then_some(if sign == b'-' { -seconds } else { seconds })
}

/// Reads a DATE or DATETIME text: `2024-01-15`, `24-1-5 1:2:3.5`, `20240115123456`, `2024.1.5T10:11`.
pub fn datetime(s: &[u8], invalid_dates: bool) -> Option<FoundDateTime> {
    datetime_as(s, Reading { invalid_dates, cuts: false })
}

pub fn datetime_as(s: &[u8], reading: Reading) -> Option<FoundDateTime> {
    moment(s, reading).ok()
}

/// A number as a date and time: 240115, 20240115, 240115123456, 20240115123456; 0 is the zero date.
pub fn datetime_from_number(n: i64, invalid_dates: bool) -> Option<FoundDateTime> {
    let full = match n {
        0 => 0,
        101..=691_231 => (n + 20_000_000) * 1_000_000,
        700_101..=991_231 => (n + 19_000_000) * 1_000_000,
        991_232..=99_991_231 => n * 1_000_000,
        101_000_000..=691_231_235_959 => n + 20_000_000_000_000,
        700_101_000_000..=991_231_235_959 => n + 19_000_000_000_000,
        991_231_235_960..=99_991_231_235_959 => n,
        _ => return None,
    };
    let (day, clock) = (full / 1_000_000, full % 1_000_000);
    let date = Date::new((day / 10_000) as u16, (day / 100 % 100) as u8, (day % 100) as u8);
    let value = DateTime {
        hour: (clock / 10_000) as u8,
        minute: (clock / 100 % 100) as u8,
        second: (clock % 100) as u8,
        ..date.at_midnight()
    };
    if value.hour > 23 || value.minute > 59 || value.second > 59 {
        return None;
    }
    let date_only = n < 101_000_000;
    plausible(date, invalid_dates).then_some(FoundDateTime {
        value,
        truncated: false,
        date_only,
        offset: None,
    })
}

/// What a text that may be a time says of a date: `None` where it is no date with a time of day.
fn dated(s: &[u8]) -> Option<Result<(FoundDateTime, bool), NoMoment>> {
    let text = &s[blanks(s)..];
    let positive = text.strip_prefix(b"-");
    let text = positive.unwrap_or(text);
    if text.len() < SHORTEST_DATED {
        return None;
    }
    // A day that its month has not got has a time of day as any other. None of them has a sign.
    match unrounded(text, true, true) {
        Err(NoMoment::Other) => None,
        found => {
            Some(found.and_then(|f| if positive.is_some() { Err(NoMoment::Wrong) } else { Ok(f) }))
        }
    }
}

/// Whether a text is all of a DATE literal.
pub fn is_date(s: &[u8]) -> bool {
    datetime(s, false).is_some_and(|f| !f.truncated && f.date_only && !f.value.date.is_zero())
}

/// Whether a text is all of a TIMESTAMP literal.
pub fn is_datetime(s: &[u8]) -> bool {
    datetime(s, false).is_some_and(|f| !f.truncated && !f.date_only && !f.value.date.is_zero())
}

/// Whether a text is all of a TIME literal.
pub fn is_time(s: &[u8]) -> bool {
    time(s).is_some_and(|f| !f.truncated) && !has_date(s)
}

/// Whether what is read as a time has a date before it, which a time leaves out.
pub fn has_date(s: &[u8]) -> bool {
    dated(s).is_some_and(|found| found.is_ok())
}

/// A text that is a date with a time of day and an offset, where a time is wanted.
pub fn with_offset(s: &[u8]) -> Option<FoundDateTime> {
    let (found, _) = dated(s)?.ok()?;
    found.offset.is_some().then_some(found)
}

/// Whether a text is a date with a time of day where a time is wanted, be it a good one or not.
pub fn is_whole(s: &[u8]) -> bool {
    dated(s).is_some()
}

/// Reads a TIME text: `[-][D ]hh:mm:ss[.f]`, `hh:mm`, `hhmmss`, or a whole datetime, whose time of day it is.
pub fn time(s: &[u8]) -> Option<Found<Time>> {
    time_as(s, false)
}

/// The same; `cuts` as in [`Reading`].
pub fn time_as(s: &[u8], cuts: bool) -> Option<Found<Time>> {
    if let Some(found) = dated(s) {
        let (found, up) = found.ok().filter(|(f, _)| !f.date_only)?;
        let mut value = found.value.time();
        // Behind the last microsecond of the day comes 24:00:00.
        value.micros += i64::from(up && !cuts);
        return Some(Found { value, truncated: found.truncated });
    }
    let from = blanks(s);
    let neg = s.get(from) == Some(&b'-');
    let text = &s[from + usize::from(neg)..];
    if text.is_empty() {
        return None;
    }
    let (clock, mut at) = clock(text)?;
    let (micro, fsp, used) = fraction_of_time(&text[at..], cuts);
    at += used;
    let [h, m, sec] = clock;
    if m > 59 || sec > 59 || is_exponent(&text[at..]) {
        return None;
    }
    let rest = &text[at..];
    let mut truncated = blanks(rest) < rest.len();
    // Nothing of it was a time.
    if truncated && at == 0 {
        return None;
    }
    // The largest time has no fraction.
    if h > 838 || ((h, m, sec) == (838, 59, 59) && micro > 0) {
        let most = MAX_TIME_SECONDS * MICROS;
        let value = Time::from_micros(if neg { -most } else { most }, fsp);
        return Some(Found { value, truncated: true });
    }
    let value = Time::new(neg, h as u32, m as u32, sec as u32, micro, fsp);
    truncated |= !value.in_range();
    Some(Found { value: value.clamp(), truncated })
}

/// Hours, minutes and seconds of a time, and where they end.
fn clock(text: &[u8]) -> Option<([u64; 3], usize)> {
    let first = number64(&text[..digits(text)]);
    if first > u64::from(u32::MAX) {
        return None;
    }
    let end_of_first = digits(text);
    let mut at = end_of_first + blanks(&text[end_of_first..]);
    let follows = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let (days, mut list) = match text.get(at) {
        // One digit at the very end is no hour.
        Some(b) if b.is_ascii_digit() && at > end_of_first && at + 1 < text.len() => {
            (first, vec![])
        }
        Some(b':') if follows(at + 1) => {
            at += 1;
            (0, vec![first])
        }
        _ => return Some(([first / 10_000, first / 100 % 100, first % 100], at)),
    };
    loop {
        let width = digits(&text[at..]);
        list.push(number64(&text[at..at + width]));
        at += width;
        if list.len() == 3 || text.get(at) != Some(&b':') || !follows(at + 1) {
            break;
        }
        at += 1;
    }
    list.resize(3, 0);
    // What is too long for 32 bits is no part of a time.
    if list.iter().any(|n| *n > u64::from(u32::MAX)) {
        return None;
    }
    Some(([list[0].saturating_add(days.saturating_mul(24)), list[1], list[2]], at))
}

/// Microseconds of a fraction; how many digits are shown, and how long it is. A point alone at the very end
/// belongs to the time. As in MySQL, the last digit of more than six rounds, whichever it is, unless the reader cuts.
fn fraction_of_time(s: &[u8], cuts: bool) -> (u32, u8, usize) {
    match s {
        [b'.'] => (0, 0, 1),
        [b'.', rest @ ..] if digits(rest) > 0 => {
            let width = digits(rest);
            let kept = width.min(6);
            let micro = number64(&rest[..kept]) as u32 * 10u32.pow(6 - kept as u32);
            let up = !cuts && width > 6 && rest[width - 1] >= b'5';
            (micro + u32::from(up), kept as u8, width + 1)
        }
        _ => (0, 0, 0),
    }
}

/// `e5`, `E-2`: the text is a number in scientific notation, whose first digits are no time.
fn is_exponent(rest: &[u8]) -> bool {
    match rest {
        [b'e' | b'E', b'+' | b'-', d, ..] | [b'e' | b'E', d, ..] => d.is_ascii_digit(),
        _ => false,
    }
}

/// A number HHMMSS as a time; numbers of ten digits and more are datetimes.
pub fn time_from_number(n: i64, micro: u32, fsp: u8) -> Option<Found<Time>> {
    let neg = n < 0;
    let v = n.unsigned_abs();
    if v > 8_385_959 {
        if v >= 10_000_000_000 {
            let found = datetime_from_number(n, true)?;
            return Some(Found { value: found.value.time(), truncated: found.truncated });
        }
        let micros = MAX_TIME_SECONDS * MICROS;
        let value = Time::from_micros(if neg { -micros } else { micros }, 0);
        return Some(Found { value, truncated: true });
    }
    let (h, m, s) = (v / 10_000, v / 100 % 100, v % 100);
    if m > 59 || s > 59 {
        return None;
    }
    let value = Time::new(neg, h as u32, m as u32, s as u32, micro, fsp);
    Some(Found { value, truncated: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dt(s: &str) -> Option<String> {
        datetime(s.as_bytes(), false).map(|f| {
            let text = if f.date_only { f.value.date.to_string() } else { f.value.to_string() };
            if f.truncated { text + " ..." } else { text }
        })
    }

    #[test]
    fn datetimes() {
        let cases = [
            ("2024-01-15", "2024-01-15"),
            ("24-1-5 1:2:3", "2024-01-05 01:02:03"),
            ("20240115", "2024-01-15"),
            ("240115", "2024-01-15"),
            ("990115123456", "1999-01-15 12:34:56"),
            ("20240115123456.5", "2024-01-15 12:34:56.5"),
            ("20240115T123456", "2024-01-15 12:34:56"),
            ("2024-01-15T10:11:12.1234567", "2024-01-15 10:11:12.123457"),
            ("2023-12-31 23:59:59.9999999", "2024-01-01 00:00:00.000000"),
            ("2024/1/5", "2024-01-05"),
            ("2024-00-15", "2024-00-15"),
            ("0000-00-00", "0000-00-00"),
            ("2024-01-15 10", "2024-01-15 10:00:00"),
            ("2024-01-15 10:20", "2024-01-15 10:20:00"),
            ("2024-01-15abc", "2024-01-15 ..."),
            ("2024-01-15 x", "2024-01-15 ..."),
            ("  2024-01-15  ", "2024-01-15"),
        ];
        for (text, want) in cases {
            assert_eq!(dt(text).as_deref(), Some(want), "{text}");
        }
        for bad in ["", "x", "2024-02-30", "2024-13-01", "2024-01-15 24:00:00", "2024-01", "12"] {
            assert_eq!(dt(bad), None, "{bad}");
        }
        let shifted = datetime(b"2024-01-15 10:00:00+05:30", false).expect("with offset");
        assert_eq!((shifted.offset, shifted.truncated), (Some(19_800), false));
    }

    #[test]
    fn numbers() {
        let num = |n| datetime_from_number(n, false).map(|f| f.value.to_string());
        assert_eq!(num(20_240_115).as_deref(), Some("2024-01-15 00:00:00"));
        assert_eq!(num(240_115).as_deref(), Some("2024-01-15 00:00:00"));
        assert_eq!(num(20_240_115_123_456).as_deref(), Some("2024-01-15 12:34:56"));
        assert_eq!(num(0).as_deref(), Some("0000-00-00 00:00:00"));
        assert_eq!((num(1), num(-5), num(20_241_315)), (None, None, None));
    }

    #[test]
    fn times() {
        let t = |s: &str| {
            time(s.as_bytes())
                .map(|f| format!("{}{}", f.value, if f.truncated { " ..." } else { "" }))
        };
        let cases = [
            ("10:11:12", "10:11:12"),
            ("10:11", "10:11:00"),
            ("101112", "10:11:12"),
            ("1112", "00:11:12"),
            ("12", "00:00:12"),
            ("1 02:03:04", "26:03:04"),
            ("-1 02", "-26:00:00"),
            ("-10:00:00.5", "-10:00:00.5"),
            ("2024-01-15 10:11:12", "10:11:12"),
            ("839:00:00", "838:59:59 ..."),
            ("10:11:12x", "10:11:12 ..."),
            ("2024-01-15", "00:20:24 ..."),
        ];
        for (text, want) in cases {
            assert_eq!(t(text).as_deref(), Some(want), "{text}");
        }
        assert_eq!((t("x"), t("10:60:00"), t("")), (None, None, None));
        assert_eq!((t("1777777777777777777777"), t("4294967296:00:00")), (None, None));
        assert!(
            is_whole(b" 2024-01-15 10:11:12") && !is_whole(b"2024-01-15") && !is_whole(b"10:11:12")
        );
    }
}
