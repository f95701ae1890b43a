//! Civil dates and times: types, calendar, storage numbers, text.
//!
//! Zero dates ('0000-00-00') and dates with zero parts ('2024-00-15') are values; whether a column takes
//! them is a matter of sql_mode. Fractions are microseconds; `fsp` is how many digits are shown.

pub mod format;
pub mod interval;
pub mod names;
pub mod parse;
mod text;

/// TO_DAYS('1970-01-01').
pub const EPOCH_DAYNR: i64 = 719_528;
pub const MICROS: i64 = 1_000_000;
pub const DAY_MICROS: i64 = 86_400 * MICROS;
/// 838:59:59, the end of TIME.
pub const MAX_TIME_SECONDS: i64 = 838 * 3600 + 59 * 60 + 59;
/// The last second of TIMESTAMP: 2038-01-19 03:14:07 UTC.
pub const MAX_TIMESTAMP: i64 = i32::MAX as i64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Date {
    pub year: u16,
    pub month: u8,
    pub day: u8,
}

/// A signed duration within ±838:59:59.999999.
#[derive(Debug, Clone, Copy, Default)]
pub struct Time {
    pub micros: i64,
    pub fsp: u8,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct DateTime {
    pub date: Date,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub micro: u32,
    pub fsp: u8,
    /// Of the two points in time that have this local time, where clocks were set back, the second: what a TIMESTAMP was before it
    /// was shown, so that it is the same when it is stored again. Neither equality nor order looks at it, and no arithmetic keeps it.
    pub later: bool,
}

/// The year 0 is not one to MySQL, and no day of it is the 29th of February.
pub fn is_leap(year: u16) -> bool {
    year > 0 && year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

pub fn days_in_month(year: u16, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u8::from(is_leap(year)),
        _ => 0,
    }
}

/// Microseconds rounded half up to `fsp` digits.
pub fn round_micros(micros: i64, fsp: u8) -> i64 {
    let unit = 10i64.pow(6 - u32::from(fsp.min(6)));
    let magnitude = (micros.abs() + unit / 2) / unit * unit;
    if micros < 0 { -magnitude } else { magnitude }
}

impl Date {
    pub const ZERO: Date = Date { year: 0, month: 0, day: 0 };

    pub fn new(year: u16, month: u8, day: u8) -> Self {
        Date { year, month, day }
    }

    pub fn is_zero(self) -> bool {
        self == Date::ZERO
    }

    /// Year, month or day is zero but not all of the date.
    pub fn has_zero_part(self) -> bool {
        !self.is_zero() && (self.month == 0 || self.day == 0)
    }

    /// A day of the calendar: no zero parts, day within the month.
    pub fn is_real(self) -> bool {
        self.year <= 9999 && self.day >= 1 && self.day <= days_in_month(self.year, self.month)
    }

    /// TO_DAYS: days since year 0.
    pub fn daynr(self) -> i64 {
        let (y, m, d) = (i64::from(self.year), i64::from(self.month), i64::from(self.day));
        if y == 0 && m == 0 {
            return 0;
        }
        // The first day of all is the 1st of January of a year without a leap day.
        if y == 0 && m <= 2 {
            return 31 * (m - 1) + d;
        }
        // Years start in March, so that the leap day is the last of a year.
        let y2 = if m <= 2 { y - 1 } else { y };
        let shifted = (m + 9) % 12;
        let before_month = (153 * shifted + 2) / 5;
        y2 * 365 + y2.div_euclid(4) - y2.div_euclid(100)
            + y2.div_euclid(400)
            + before_month
            + d
            + 59
    }

    /// FROM_DAYS; `None` outside the years 1 to 9999 (and the zero date for smaller numbers).
    pub fn from_daynr(daynr: i64) -> Option<Date> {
        if daynr <= 365 {
            return Some(Date::ZERO);
        }
        let days = daynr - 60;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let fits = (0..=9999).contains(&year);
        fits.then(|| Date::new(year as u16, month as u8, day as u8))
    }

    /// 0 = Monday.
    pub fn weekday(self) -> u8 {
        (self.daynr() + 5).rem_euclid(7) as u8
    }

    /// 1 = 1 January.
    pub fn day_of_year(self) -> u16 {
        (self.daynr() - Date::new(self.year, 1, 1).daynr() + 1) as u16
    }

    /// WEEK/YEARWEEK with MySQL's mode bits: 1 Monday first, 2 weeks 1..53 of the week's own year,
    /// 4 week 1 is the first that begins in the year. Gives the year the week belongs to, too.
    pub fn week(self, mode: u8) -> (u16, u8) {
        let monday_first = mode & 1 != 0;
        let mut week_year = mode & 2 != 0;
        // With Sunday first the meaning of the third bit is turned round.
        let first_weekday = (mode & 4 != 0) == monday_first;
        let weekday_of = |daynr: i64| {
            let monday0 = (daynr + 5).rem_euclid(7);
            if monday_first { monday0 } else { (monday0 + 1) % 7 }
        };
        let daynr = self.daynr();
        let mut year = self.year;
        let mut first = Date::new(year, 1, 1).daynr();
        let mut weekday = weekday_of(first);
        if self.month == 1 && i64::from(self.day) <= 7 - weekday {
            let in_last = (first_weekday && weekday != 0) || (!first_weekday && weekday >= 4);
            if !week_year && in_last {
                return (year, 0);
            }
            if in_last {
                year = year.saturating_sub(1);
                let days = if is_leap(year) { 366 } else { 365 };
                first -= days;
                weekday = (weekday + 53 * 7 - days).rem_euclid(7);
                week_year = true;
            }
        }
        let late_start = (first_weekday && weekday != 0) || (!first_weekday && weekday >= 4);
        let days =
            if late_start { daynr - (first + (7 - weekday)) } else { daynr - (first - weekday) };
        if week_year && days >= 52 * 7 {
            let year_days = if is_leap(year) { 366 } else { 365 };
            let next = (weekday + year_days) % 7;
            if (!first_weekday && next < 4) || (first_weekday && next == 0) {
                return (year + 1, 1);
            }
        }
        (year, (days / 7 + 1) as u8)
    }

    /// YYYYMMDD.
    pub fn to_number(self) -> u64 {
        u64::from(self.year) * 10_000 + u64::from(self.month) * 100 + u64::from(self.day)
    }

    /// Storage: 23 bits that order as dates do.
    pub fn pack(self) -> u32 {
        u32::from(self.year) << 9 | u32::from(self.month) << 5 | u32::from(self.day)
    }

    pub fn unpack(v: u32) -> Date {
        Date::new((v >> 9) as u16, (v >> 5 & 15) as u8, (v & 31) as u8)
    }

    pub fn at_midnight(self) -> DateTime {
        DateTime { date: self, ..DateTime::default() }
    }
}

impl Time {
    pub fn from_micros(micros: i64, fsp: u8) -> Time {
        Time { micros, fsp }
    }

    pub fn new(neg: bool, hour: u32, minute: u32, second: u32, micro: u32, fsp: u8) -> Time {
        let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
        let micros = seconds * MICROS + i64::from(micro);
        Time { micros: if neg { -micros } else { micros }, fsp }
    }

    pub fn in_range(self) -> bool {
        self.micros.abs() < (MAX_TIME_SECONDS + 1) * MICROS
    }

    /// Cut to ±838:59:59.
    #[must_use]
    pub fn clamp(self) -> Time {
        if self.in_range() {
            return self;
        }
        Time { micros: self.micros.signum() * MAX_TIME_SECONDS * MICROS, ..self }
    }

    /// Sign, hour, minute, second, microsecond.
    pub fn parts(self) -> (bool, u32, u8, u8, u32) {
        let m = self.micros.unsigned_abs();
        let s = m / 1_000_000;
        let part = |v: u64| (v % 60) as u8;
        (self.micros < 0, (s / 3600) as u32, part(s / 60), part(s), (m % 1_000_000) as u32)
    }

    #[must_use]
    pub fn round(self, fsp: u8) -> Time {
        Time { micros: round_micros(self.micros, fsp), fsp }
    }

    /// HHMMSS with sign, without the fraction.
    pub fn to_number(self) -> i64 {
        let (neg, h, m, s, _) = self.parts();
        let v = i64::from(h) * 10_000 + i64::from(m) * 100 + i64::from(s);
        if neg { -v } else { v }
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Time) -> bool {
        self.micros == other.micros
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> std::cmp::Ordering {
        self.micros.cmp(&other.micros)
    }
}

impl DateTime {
    pub const ZERO: DateTime = DateTime {
        date: Date::ZERO,
        hour: 0,
        minute: 0,
        second: 0,
        micro: 0,
        fsp: 0,
        later: false,
    };

    pub fn is_zero(self) -> bool {
        self.pack() == 0
    }

    /// Storage: 63 bits that order as the values do.
    pub fn pack(self) -> u64 {
        let clock =
            u64::from(self.hour) << 12 | u64::from(self.minute) << 6 | u64::from(self.second);
        (u64::from(self.date.pack()) << 17 | clock) << 24 | u64::from(self.micro)
    }

    pub fn unpack(v: u64, fsp: u8) -> DateTime {
        let clock = v >> 24;
        DateTime {
            date: Date::unpack((clock >> 17) as u32),
            hour: (clock >> 12 & 31) as u8,
            minute: (clock >> 6 & 63) as u8,
            second: (clock & 63) as u8,
            micro: (v & 0xFF_FFFF) as u32,
            fsp,
            later: false,
        }
    }

    pub fn day_micros(self) -> i64 {
        let s = i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second);
        s * MICROS + i64::from(self.micro)
    }

    /// The time of day.
    pub fn time(self) -> Time {
        Time { micros: self.day_micros(), fsp: self.fsp }
    }

    /// Microseconds since 1970-01-01 00:00 on the same clock (no time zone).
    pub fn civil_micros(self) -> i64 {
        (self.date.daynr() - EPOCH_DAYNR) * DAY_MICROS + self.day_micros()
    }

    /// The inverse of [`DateTime::civil_micros`]; `None` outside the years 1 to 9999.
    pub fn from_civil_micros(micros: i64, fsp: u8) -> Option<DateTime> {
        let date = Date::from_daynr(micros.div_euclid(DAY_MICROS) + EPOCH_DAYNR)?;
        if date.is_zero() {
            return None;
        }
        let rest = micros.rem_euclid(DAY_MICROS);
        let s = rest / MICROS;
        Some(DateTime {
            date,
            hour: (s / 3600) as u8,
            minute: (s / 60 % 60) as u8,
            second: (s % 60) as u8,
            micro: (rest % MICROS) as u32,
            fsp,
            later: false,
        })
    }

    /// Rounds to `fsp` digits, carrying into the date; `None` past the year 9999.
    pub fn round(self, fsp: u8) -> Option<DateTime> {
        let micro = round_micros(i64::from(self.micro), fsp);
        if micro < MICROS {
            return Some(DateTime { micro: micro as u32, fsp, ..self });
        }
        if !self.date.is_real() {
            // A date that the calendar does not know cannot carry; its fraction is cut.
            let unit = 10u32.pow(6 - u32::from(fsp.min(6)));
            return Some(DateTime { micro: self.micro / unit * unit, fsp, ..self });
        }
        let whole = DateTime { micro: 0, ..self };
        DateTime::from_civil_micros(whole.civil_micros() + MICROS, fsp)
    }

    #[must_use]
    pub fn truncate(self, fsp: u8) -> DateTime {
        let unit = 10u32.pow(6 - u32::from(fsp.min(6)));
        DateTime { micro: self.micro / unit * unit, fsp, ..self }
    }

    /// YYYYMMDDHHMMSS.
    pub fn to_number(self) -> u64 {
        let clock =
            u64::from(self.hour) * 10_000 + u64::from(self.minute) * 100 + u64::from(self.second);
        self.date.to_number() * 1_000_000 + clock
    }
}

impl PartialEq for DateTime {
    fn eq(&self, other: &DateTime) -> bool {
        self.pack() == other.pack()
    }
}

impl Eq for DateTime {}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &DateTime) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &DateTime) -> std::cmp::Ordering {
        self.pack().cmp(&other.pack())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn calendar() {
        assert_eq!(Date::new(1970, 1, 1).daynr(), EPOCH_DAYNR);
        assert_eq!(Date::new(2007, 10, 7).daynr(), 733_321);
        assert_eq!(Date::new(1, 1, 1).daynr(), 366);
        assert_eq!(Date::from_daynr(730_669), Some(Date::new(2000, 7, 3)));
        assert_eq!(Date::new(2024, 1, 15).weekday(), 0);
        assert_eq!(Date::new(2007, 2, 3).weekday(), 5);
        assert_eq!(Date::new(2007, 2, 3).day_of_year(), 34);
        assert_eq!(Date::new(2024, 12, 31).day_of_year(), 366);
    }

    #[test]
    fn weeks() {
        let week = |y, m, d, mode| Date::new(y, m, d).week(mode).1;
        assert_eq!(week(2008, 2, 20, 0), 7);
        assert_eq!(week(2008, 2, 20, 1), 8);
        assert_eq!(week(2008, 12, 31, 1), 53);
        assert_eq!(week(2000, 1, 1, 0), 0);
        assert_eq!(week(2000, 1, 1, 2), 52);
        assert_eq!(Date::new(2000, 1, 1).week(2), (1999, 52));
        assert_eq!(Date::new(2008, 12, 31).week(3), (2009, 1));
        assert_eq!(Date::new(2021, 1, 3).week(3), (2020, 53));
    }

    #[test]
    fn rounding() {
        let dt = DateTime {
            date: Date::new(2023, 12, 31),
            hour: 23,
            minute: 59,
            second: 59,
            micro: 999_600,
            fsp: 6,
            later: false,
        };
        assert_eq!(dt.round(3).map(|d| d.to_string()).as_deref(), Some("2024-01-01 00:00:00.000"));
        assert_eq!(dt.round(4).map(|d| d.to_string()).as_deref(), Some("2023-12-31 23:59:59.9996"));
        assert_eq!(Time::from_micros(-1_500_000, 6).round(0).to_string(), "-00:00:02");
        assert_eq!(Time::from_micros(i64::MAX, 0).clamp().to_string(), "838:59:59");
    }

    proptest! {
        #[test]
        fn days_round_trip(n in 366i64..3_652_424) {
            let date = Date::from_daynr(n).expect("within range");
            prop_assert!(date.is_real());
            prop_assert_eq!(date.daynr(), n);
            let next = Date::from_daynr(n + 1).expect("within range");
            prop_assert!(next > date && next.pack() > date.pack());
            prop_assert_eq!(Date::unpack(date.pack()), date);
        }

        #[test]
        fn micros_round_trip(m in -62_000_000_000_000_000i64..253_000_000_000_000_000) {
            let dt = DateTime::from_civil_micros(m, 6).expect("within range");
            prop_assert_eq!(dt.civil_micros(), m);
            prop_assert_eq!(DateTime::unpack(dt.pack(), 6), dt);
        }
    }
}
