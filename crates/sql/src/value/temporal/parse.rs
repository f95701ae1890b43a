//! Reading dates and times from text and numbers, as leniently as MySQL does.

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

struct Scan<'a> {
    s: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.s.get(self.at).copied()
    }

    fn skip(&mut self, test: impl Fn(u8) -> bool) -> usize {
        let from = self.at;
        while self.peek().is_some_and(&test) {
            self.at += 1;
        }
        self.at - from
    }

    /// Up to `max` digits.
    fn digits(&mut self, max: usize) -> &'a [u8] {
        let from = self.at;
        while self.at - from < max && self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        &self.s[from..self.at]
    }

    fn number(&mut self, max: usize) -> Option<u32> {
        let d = self.digits(max);
        (!d.is_empty()).then(|| d.iter().fold(0u32, |v, b| v * 10 + u32::from(b - b'0')))
    }

    /// A part between separators, with as many zeros before it as there are. What no part can be is 255.
    fn part(&mut self) -> Option<u8> {
        let d = self.digits(usize::MAX);
        let more = |v: u32, b: &u8| v.saturating_mul(10).saturating_add(u32::from(b - b'0'));
        (!d.is_empty()).then(|| d.iter().fold(0, more).min(255) as u8)
    }

    /// Digits of a fraction as microseconds, the seventh rounding.
    fn fraction(&mut self) -> (u32, u8) {
        let d = self.digits(usize::MAX);
        let mut micro = 0u32;
        for i in 0..6 {
            micro = micro * 10 + d.get(i).map_or(0, |b| u32::from(b - b'0'));
        }
        let up = d.get(6).is_some_and(|&b| b >= b'5');
        (micro + u32::from(up), d.len().min(6) as u8)
    }
}

fn is_separator(b: u8) -> bool {
    b.is_ascii_punctuation()
}

/// Reads a DATE or DATETIME text: `2024-01-15`, `24-1-5 1:2:3.5`, `20240115123456`, `2024.1.5T10:11`.
pub fn datetime(s: &[u8], invalid_dates: bool) -> Option<FoundDateTime> {
    let mut scan = Scan { s, at: 0 };
    scan.skip(|b| b.is_ascii_whitespace());
    let start = scan.at;
    let run = scan.skip(|b| b.is_ascii_digit());
    let next = scan.peek();
    scan.at = start;
    if run == 0 {
        return None;
    }
    let compact = run >= 5 && !matches!(next, Some(b'-' | b'/' | b':'));
    let mut found = if compact { compact_form(&mut scan, run)? } else { separated(&mut scan)? };
    scan.skip(|b| b.is_ascii_whitespace());
    if !found.date_only
        && let Some(offset) = offset_suffix(&mut scan)
    {
        found.offset = Some(offset);
    }
    found.truncated |= scan.at < s.len();
    let v = found.value;
    let clock_ok = v.hour < 24 && v.minute < 60 && v.second < 60;
    if !clock_ok || !plausible(v.date, invalid_dates) {
        return None;
    }
    if v.micro >= MICROS as u32 {
        found.value = DateTime { micro: v.micro - 1, ..v }.round(0)?;
        found.value.fsp = v.fsp;
    }
    Some(found)
}

/// YYMMDD, YYYYMMDD, YYMMDDhhmmss, YYYYMMDDhhmmss, the time possibly cut short or behind a 'T'.
fn compact_form(scan: &mut Scan<'_>, run: usize) -> Option<FoundDateTime> {
    let long_year = run == 8 || run >= 14;
    let mut year = scan.number(if long_year { 4 } else { 2 })? as u16;
    if !long_year {
        year = full_year(year);
    }
    let month = scan.number(2)? as u8;
    let day = scan.number(2)? as u8;
    let mut value = Date::new(year, month, day).at_midnight();
    if matches!(scan.peek(), Some(b'T' | b' ' | b't')) {
        scan.at += 1;
    }
    let mut date_only = true;
    let compact = scan.s[scan.at..].iter().take(3).filter(|b| b.is_ascii_digit()).count() != 2
        || scan.s.get(scan.at + 2) != Some(&b':');
    if !compact {
        return clock(scan, value);
    }
    if let Some(hour) = scan.number(2) {
        date_only = false;
        value.hour = hour as u8;
        value.minute = scan.number(2).unwrap_or(0) as u8;
        value.second = scan.number(2).unwrap_or(0) as u8;
        if scan.peek() == Some(b'.') {
            scan.at += 1;
            (value.micro, value.fsp) = scan.fraction();
        }
    }
    Some(FoundDateTime { value, truncated: false, date_only, offset: None })
}

fn separated(scan: &mut Scan<'_>) -> Option<FoundDateTime> {
    let from = scan.at;
    let mut year = scan.number(4)? as u16;
    let year_digits = scan.at - from;
    if scan.skip(is_separator) == 0 {
        return None;
    }
    let month = scan.part()?;
    if scan.skip(is_separator) == 0 {
        return None;
    }
    let day = scan.part()?;
    let zero = year == 0 && month == 0 && day == 0;
    if year_digits == 2 && !zero {
        year = full_year(year);
    }
    let value = Date::new(year, month, day).at_midnight();
    let before = scan.at;
    match scan.peek() {
        Some(b'T' | b't') => scan.at += 1,
        Some(b) if b.is_ascii_whitespace() => {
            scan.skip(|b| b.is_ascii_whitespace());
        }
        Some(b) if is_separator(b) => {
            scan.skip(is_separator);
        }
        _ => {}
    }
    if scan.at > before && scan.peek().is_some_and(|b| b.is_ascii_digit()) {
        return clock(scan, value);
    }
    scan.at = before;
    Some(FoundDateTime { value, truncated: false, date_only: true, offset: None })
}

/// `hh[:mm[:ss[.ffffff]]]` behind a date, with any punctuation for the colons but a sign that begins an offset.
fn clock(scan: &mut Scan<'_>, mut value: DateTime) -> Option<FoundDateTime> {
    value.hour = scan.part()?;
    let part = |scan: &mut Scan<'_>| {
        let here = scan.at;
        if scan.peek().is_some_and(is_separator) && !is_offset(&scan.s[here..]) {
            scan.skip(is_separator);
            if let Some(v) = scan.part() {
                return Some(v);
            }
        }
        scan.at = here;
        None
    };
    if let Some(minute) = part(scan) {
        value.minute = minute;
        if let Some(second) = part(scan) {
            value.second = second;
            if scan.peek() == Some(b'.') {
                scan.at += 1;
                (value.micro, value.fsp) = scan.fraction();
            }
        }
    }
    Some(FoundDateTime { value, truncated: false, date_only: false, offset: None })
}

/// Is this the rest of a text that ends with an offset?
fn is_offset(rest: &[u8]) -> bool {
    let digit = |n: usize| rest[n].is_ascii_digit();
    rest.len() == 6
        && matches!(rest[0], b'+' | b'-')
        && rest[3] == b':'
        && [1, 2, 4, 5].map(digit) == [true; 4]
}

/// `+hh:mm` or `-hh:mm` at the very end.
fn offset_suffix(scan: &mut Scan<'_>) -> Option<i32> {
    let &[sign, h1, h2, b':', m1, m2] = &scan.s[scan.at..] else { return None };
    let digit = |b: u8| b.is_ascii_digit().then(|| i32::from(b - b'0'));
    let (h, m) = (digit(h1)? * 10 + digit(h2)?, digit(m1)? * 10 + digit(m2)?);
    let seconds = match sign {
        b'+' => h * 3600 + m * 60,
        b'-' => -(h * 3600 + m * 60),
        _ => return None,
    };
    if m > 59 || seconds.abs() > 14 * 3600 {
        return None;
    }
    scan.at = scan.s.len();
    Some(seconds)
}

/// A number as a date and time: 240115, 20240115, 240115123456, 20240115123456; 0 is the zero date.
pub fn datetime_from_number(n: i64, invalid_dates: bool) -> Option<FoundDateTime> {
    let full = match n {
        0 => 0,
        101..=691_231 => (n + 20_000_000) * 1_000_000,
        700_101..=991_231 => (n + 19_000_000) * 1_000_000,
        10_000_101..=99_991_231 => n * 1_000_000,
        101_000_000..=691_231_235_959 => n + 20_000_000_000_000,
        700_101_000_000..=991_231_235_959 => n + 19_000_000_000_000,
        10_000_101_000_000..=99_991_231_235_959 => n,
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

/// A text that is a date with a time of day.
fn dated(s: &[u8]) -> Option<FoundDateTime> {
    let found = looks_dated(s).then(|| datetime(s, false)).flatten();
    found.filter(|f| !f.date_only)
}

/// Whether what was read as a time has a date before it, which a time leaves out.
pub fn has_date(s: &[u8]) -> bool {
    dated(s.trim_ascii_start()).is_some()
}

/// Reads a TIME text: `[-][D ]hh:mm:ss[.f]`, `hh:mm`, `hhmmss`, or a whole datetime, whose time of day it is.
pub fn time(s: &[u8]) -> Option<Found<Time>> {
    let mut scan = Scan { s, at: 0 };
    scan.skip(|b| b.is_ascii_whitespace());
    if let Some(found) = dated(&s[scan.at..]) {
        return Some(Found { value: found.value.time(), truncated: found.truncated });
    }
    let neg = scan.peek() == Some(b'-');
    if neg {
        scan.at += 1;
    }
    // Without hours there are the minutes behind them.
    let minutes = |s: &[u8]| matches!(s, [b':', d, ..] if d.is_ascii_digit());
    if !scan.peek().is_some_and(|b| b.is_ascii_digit() || b == b'.') && !minutes(&s[scan.at..]) {
        return None;
    }
    // What is too long for 32 bits is no number of hours or days.
    let first = Some(number64(scan.digits(usize::MAX))).filter(|n| *n <= u64::from(u32::MAX))?;
    let (mut h, mut m, mut sec);
    let spaces = scan.skip(|b| b == b' ');
    if spaces > 0 && scan.peek().is_some_and(|b| b.is_ascii_digit()) {
        h = first.checked_mul(24)?.checked_add(number64(scan.digits(usize::MAX)))?;
        (m, sec) = minutes_seconds(&mut scan);
    } else {
        scan.at -= spaces;
        if scan.peek() == Some(b':') && scan.s.get(scan.at + 1).is_some_and(|b| b.is_ascii_digit())
        {
            h = first;
            (m, sec) = minutes_seconds(&mut scan);
        } else {
            (h, m, sec) = (first / 10_000, first / 100 % 100, first % 100);
        }
    }
    let mut micro = 0;
    let mut fsp = 0;
    if scan.peek() == Some(b'.') {
        scan.at += 1;
        (micro, fsp) = scan.fraction();
    }
    if m > 59 || sec > 59 || is_exponent(&s[scan.at..]) {
        return None;
    }
    scan.skip(|b| b.is_ascii_whitespace());
    let mut truncated = scan.at < s.len();
    // The largest time has no fraction.
    if h > 838 || ((h, m, sec) == (838, 59, 59) && micro > 0) {
        (h, m, sec, micro) = (838, 59, 59, 0);
        truncated = true;
    }
    let value = Time::new(neg, h as u32, m as u32, sec as u32, micro, fsp);
    if !value.in_range() {
        return Some(Found { value: value.clamp(), truncated: true });
    }
    Some(Found { value, truncated })
}

/// Whether [`time`] would take the time of day of a whole date and time.
pub fn is_whole(s: &[u8]) -> bool {
    let text = s.trim_ascii_start();
    looks_dated(text) && datetime(text, false).is_some_and(|found| !found.date_only)
}

/// `e5`, `E-2`: the text is a number in scientific notation, whose first digits are no time.
fn is_exponent(rest: &[u8]) -> bool {
    match rest {
        [b'e' | b'E', b'+' | b'-', d, ..] | [b'e' | b'E', d, ..] => d.is_ascii_digit(),
        _ => false,
    }
}

/// Does a text begin as a whole datetime: a year and a date separator, or at least twelve digits?
fn looks_dated(s: &[u8]) -> bool {
    let run = s.iter().take_while(|b| b.is_ascii_digit()).count();
    run >= 12 || (run > 0 && matches!(s.get(run), Some(b'-' | b'/' | b'T')))
}

fn number64(digits: &[u8]) -> u64 {
    digits.iter().fold(0u64, |v, b| v.saturating_mul(10).saturating_add(u64::from(b - b'0')))
}

fn minutes_seconds(scan: &mut Scan<'_>) -> (u64, u64) {
    let mut out = [0, 0];
    for v in &mut out {
        if scan.peek() != Some(b':') || !scan.s.get(scan.at + 1).is_some_and(|b| b.is_ascii_digit())
        {
            break;
        }
        scan.at += 1;
        *v = number64(scan.digits(usize::MAX));
    }
    (out[0], out[1])
}

/// A number HHMMSS as a time; numbers of ten digits and more are datetimes.
pub fn time_from_number(n: i64, micro: u32, fsp: u8) -> Option<Found<Time>> {
    let neg = n < 0;
    let v = n.unsigned_abs();
    if v > 8_385_959 {
        if v >= 10_000_000_000 {
            let found = datetime_from_number(n, false)?;
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
