//! INTERVAL arithmetic and differences.

use super::{DAY_MICROS, Date, DateTime, MICROS, days_in_month};

/// Units of INTERVAL, EXTRACT, TIMESTAMPADD and TIMESTAMPDIFF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Microsecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    SecondMicrosecond,
    MinuteMicrosecond,
    MinuteSecond,
    HourMicrosecond,
    HourSecond,
    HourMinute,
    DayMicrosecond,
    DaySecond,
    DayMinute,
    DayHour,
    YearMonth,
}

const UNITS: [(&str, Unit); 20] = [
    ("MICROSECOND", Unit::Microsecond),
    ("SECOND", Unit::Second),
    ("MINUTE", Unit::Minute),
    ("HOUR", Unit::Hour),
    ("DAY", Unit::Day),
    ("WEEK", Unit::Week),
    ("MONTH", Unit::Month),
    ("QUARTER", Unit::Quarter),
    ("YEAR", Unit::Year),
    ("SECOND_MICROSECOND", Unit::SecondMicrosecond),
    ("MINUTE_MICROSECOND", Unit::MinuteMicrosecond),
    ("MINUTE_SECOND", Unit::MinuteSecond),
    ("HOUR_MICROSECOND", Unit::HourMicrosecond),
    ("HOUR_SECOND", Unit::HourSecond),
    ("HOUR_MINUTE", Unit::HourMinute),
    ("DAY_MICROSECOND", Unit::DayMicrosecond),
    ("DAY_SECOND", Unit::DaySecond),
    ("DAY_MINUTE", Unit::DayMinute),
    ("DAY_HOUR", Unit::DayHour),
    ("YEAR_MONTH", Unit::YearMonth),
];

impl Unit {
    /// By name, `SQL_TSI_` prefix allowed.
    pub fn by_name(name: &str) -> Option<Unit> {
        let upper = name.to_ascii_uppercase();
        let bare = upper.strip_prefix("SQL_TSI_").unwrap_or(&upper);
        UNITS.iter().find(|(n, _)| *n == bare).map(|(_, u)| *u)
    }

    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(_, u)| *u == self).map_or("", |(n, _)| n)
    }

    /// Does adding it to a DATE give a DATE?
    pub fn is_date_unit(self) -> bool {
        matches!(
            self,
            Unit::Day | Unit::Week | Unit::Month | Unit::Quarter | Unit::Year | Unit::YearMonth
        )
    }

    /// Whether days or what is longer are among its parts.
    pub fn has_days(self) -> bool {
        let compound = matches!(
            self,
            Unit::DayHour | Unit::DayMinute | Unit::DaySecond | Unit::DayMicrosecond
        );
        compound || self.is_date_unit()
    }

    pub fn has_micros(self) -> bool {
        matches!(
            self,
            Unit::Microsecond
                | Unit::SecondMicrosecond
                | Unit::MinuteMicrosecond
                | Unit::HourMicrosecond
                | Unit::DayMicrosecond
        )
    }

    /// Is a text like '1:30' needed to give its amount?
    pub fn is_compound(self) -> bool {
        self.fields().len() > 1
    }

    /// The simple units a compound one is made of, largest first, with the size of each in the smallest.
    fn fields(self) -> &'static [Unit] {
        use Unit::*;
        match self {
            SecondMicrosecond => &[Second, Microsecond],
            MinuteMicrosecond => &[Minute, Second, Microsecond],
            MinuteSecond => &[Minute, Second],
            HourMicrosecond => &[Hour, Minute, Second, Microsecond],
            HourSecond => &[Hour, Minute, Second],
            HourMinute => &[Hour, Minute],
            DayMicrosecond => &[Day, Hour, Minute, Second, Microsecond],
            DaySecond => &[Day, Hour, Minute, Second],
            DayMinute => &[Day, Hour, Minute],
            DayHour => &[Day, Hour],
            YearMonth => &[Year, Month],
            Microsecond => &[Microsecond],
            Second => &[Second],
            Minute => &[Minute],
            Hour => &[Hour],
            Day => &[Day],
            Week => &[Week],
            Month => &[Month],
            Quarter => &[Quarter],
            Year => &[Year],
        }
    }

    fn micros(self) -> i64 {
        match self {
            Unit::Second => MICROS,
            Unit::Minute => 60 * MICROS,
            Unit::Hour => 3600 * MICROS,
            Unit::Day => DAY_MICROS,
            Unit::Week => 7 * DAY_MICROS,
            _ => 1,
        }
    }

    fn months(self) -> Option<i64> {
        match self {
            Unit::Month | Unit::YearMonth => Some(1),
            Unit::Quarter => Some(3),
            Unit::Year => Some(12),
            _ => None,
        }
    }
}

/// An amount: calendar months, or exact microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    Months(i64),
    Micros(i64),
}

impl Interval {
    /// Whole numbers of a simple unit. `None` on overflow or for a compound unit.
    pub fn of(n: i64, unit: Unit) -> Option<Interval> {
        if unit.is_compound() {
            return None;
        }
        match unit.months() {
            Some(m) => n.checked_mul(m).map(Interval::Months),
            None => n.checked_mul(unit.micros()).map(Interval::Micros),
        }
    }

    /// Seconds with a fraction, in microseconds.
    pub fn seconds(micros: i64) -> Interval {
        Interval::Micros(micros)
    }

    /// A text for a compound unit: numbers with anything between; too few count from the right.
    pub fn parse(text: &[u8], unit: Unit) -> Option<Interval> {
        let fields = unit.fields();
        let trimmed = text.trim_ascii();
        let (neg, body) = match trimmed.first() {
            Some(b'-') => (true, &trimmed[1..]),
            _ => (false, trimmed),
        };
        let mut numbers: Vec<(i64, usize)> = Vec::new();
        let mut at = 0;
        while at < body.len() && numbers.len() < fields.len() {
            let from = at + body[at..].iter().take_while(|b| !b.is_ascii_digit()).count();
            let len = body[from..].iter().take_while(|b| b.is_ascii_digit()).count();
            if len == 0 {
                break;
            }
            let v = body[from..from + len]
                .iter()
                .try_fold(0i64, |v, b| v.checked_mul(10)?.checked_add(i64::from(b - b'0')))?;
            numbers.push((v, len));
            at = from + len;
        }
        if body[at.min(body.len())..].iter().any(|b| b.is_ascii_digit()) {
            // More numbers than the unit has fields.
            return None;
        }
        let missing = fields.len() - numbers.len();
        let mut total = 0i64;
        for (&(v, len), field) in numbers.iter().zip(&fields[missing..]) {
            // A fraction of a second is written left-aligned: '1.5' is 500,000 microseconds.
            let v = if *field == Unit::Microsecond && fields.len() > 1 && len < 6 {
                v * 10i64.pow(6 - len as u32)
            } else {
                v
            };
            let size = field.months().unwrap_or_else(|| field.micros());
            total = total.checked_add(v.checked_mul(size)?)?;
        }
        let total = if neg { -total } else { total };
        let months = fields[0].months().is_some();
        Some(if months { Interval::Months(total) } else { Interval::Micros(total) })
    }

    pub fn is_negative(self) -> bool {
        match self {
            Interval::Months(n) | Interval::Micros(n) => n < 0,
        }
    }

    pub fn negated(self) -> Option<Interval> {
        Some(match self {
            Interval::Months(n) => Interval::Months(n.checked_neg()?),
            Interval::Micros(n) => Interval::Micros(n.checked_neg()?),
        })
    }
}

impl DateTime {
    /// `None`: the result is outside the years 0 to 9999, or the date has zero parts that the unit needs.
    pub fn plus(self, interval: Interval) -> Option<DateTime> {
        match interval {
            Interval::Micros(n) => {
                if !self.date.is_real() {
                    return None;
                }
                DateTime::from_civil_micros(self.civil_micros().checked_add(n)?, self.fsp)
            }
            Interval::Months(n) => {
                if self.date.month == 0 {
                    return None;
                }
                let from = i64::from(self.date.year) * 12 + i64::from(self.date.month) - 1;
                let months = from.checked_add(n)?;
                if !(0..10_000 * 12).contains(&months) {
                    return None;
                }
                let (year, month) = ((months / 12) as u16, (months % 12 + 1) as u8);
                let day = self.date.day.min(days_in_month(year, month));
                Some(DateTime { date: Date::new(year, month, day), later: false, ..self })
            }
        }
    }
}

/// TIMESTAMPDIFF: whole units from `a` to `b`.
pub fn difference(unit: Unit, a: DateTime, b: DateTime) -> i64 {
    match unit.months() {
        Some(size) => {
            let (lo, hi, sign) = if b < a { (b, a, -1) } else { (a, b, 1) };
            let index = |d: Date| i64::from(d.year) * 12 + i64::from(d.month);
            let tail = |d: DateTime| (d.date.day, d.day_micros());
            let mut months = index(hi.date) - index(lo.date);
            if tail(hi) < tail(lo) {
                months -= 1;
            }
            sign * (months / size)
        }
        None => (b.civil_micros() - a.civil_micros()) / unit.micros(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn dt(s: &str) -> DateTime {
        parse::datetime(s.as_bytes(), false).expect("valid").value
    }

    #[test]
    fn adding() {
        let add = |s: &str, n, unit| {
            dt(s).plus(Interval::of(n, unit).expect("simple")).map(|d| d.to_string())
        };
        let day = |s: &str| Some(format!("{s} 00:00:00"));
        assert_eq!(add("2024-01-31", 1, Unit::Month), day("2024-02-29"));
        assert_eq!(add("2024-02-29", 1, Unit::Year), day("2025-02-28"));
        assert_eq!(add("2024-01-31", -2, Unit::Quarter), day("2023-07-31"));
        assert_eq!(add("2024-01-01", -1, Unit::Second).as_deref(), Some("2023-12-31 23:59:59"));
        assert_eq!(add("9999-12-31", 1, Unit::Day), None);
        assert_eq!(add("2024-00-15", 1, Unit::Day), None);
    }

    #[test]
    fn compound_texts() {
        let parse = |s: &str, u| Interval::parse(s.as_bytes(), u);
        assert_eq!(parse("1:30", Unit::MinuteSecond), Some(Interval::Micros(90 * MICROS)));
        assert_eq!(parse("-1 10", Unit::DayHour), Some(Interval::Micros(-34 * 3600 * MICROS)));
        assert_eq!(parse("10", Unit::DaySecond), Some(Interval::Micros(10 * MICROS)));
        assert_eq!(parse("1.5", Unit::SecondMicrosecond), Some(Interval::Micros(1_500_000)));
        assert_eq!(parse("2-3", Unit::YearMonth), Some(Interval::Months(27)));
        assert_eq!(parse("1 1:1:1", Unit::DayHour), None);
    }

    #[test]
    fn differences() {
        let diff = |u, a, b| difference(u, dt(a), dt(b));
        assert_eq!(diff(Unit::Month, "2003-02-01", "2003-05-01"), 3);
        assert_eq!(diff(Unit::Year, "2002-05-01", "2001-01-01"), -1);
        assert_eq!(diff(Unit::Minute, "2003-02-01", "2003-05-01 12:05:55"), 128_885);
        assert_eq!(diff(Unit::Month, "2024-01-31", "2024-02-29"), 0);
        assert_eq!(diff(Unit::Day, "2024-01-02 12:00:00", "2024-01-01 13:00:00"), 0);
    }
}
