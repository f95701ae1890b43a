//! Values of rows and parameters.
//!
//! MySQL's types as Rust has them: integers, doubles, texts and bytes as themselves; decimals as their digits, because no type of
//! Rust's has 65 of them; dates and times as plain structures, which any calendar's crate can be made of.

use std::fmt;
use std::str::FromStr;
use weir_sql::session_api::ParamValue;

/// A value, owned.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// NULL.
    Null,
    /// A signed integer of any width; YEAR as well.
    Int(i64),
    /// BIGINT UNSIGNED and the narrower unsigned integers.
    UInt(u64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// DECIMAL: its digits.
    Decimal(Decimal),
    /// CHAR, VARCHAR, TEXT, ENUM, SET.
    Text(String),
    /// BINARY, VARBINARY, BLOB, BIT, geometries, and texts that are no UTF-8 because a SET of the program's asked for it.
    Bytes(Vec<u8>),
    /// JSON: its text.
    Json(String),
    /// DATE.
    Date(Date),
    /// TIME.
    Time(Time),
    /// DATETIME and TIMESTAMP.
    DateTime(DateTime),
}

impl Value {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "NULL",
            Value::Int(_) => "an integer",
            Value::UInt(_) => "an unsigned integer",
            Value::Float(_) => "a float",
            Value::Double(_) => "a double",
            Value::Decimal(_) => "a decimal",
            Value::Text(_) => "a text",
            Value::Bytes(_) => "bytes",
            Value::Json(_) => "a JSON document",
            Value::Date(_) => "a date",
            Value::Time(_) => "a time",
            Value::DateTime(_) => "a date and time",
        }
    }

    /// As a parameter of a statement.
    pub(crate) fn into_param(self) -> ParamValue {
        match self {
            Value::Null => ParamValue::Null,
            Value::Int(n) => ParamValue::Int(n),
            Value::UInt(n) => ParamValue::UInt(n),
            Value::Float(x) => ParamValue::Float(x),
            Value::Double(x) => ParamValue::Double(x),
            Value::Decimal(d) => ParamValue::Decimal(d.0.into_bytes()),
            Value::Text(t) | Value::Json(t) => ParamValue::Bytes(t.into_bytes()),
            Value::Bytes(b) => ParamValue::Blob(b),
            Value::Date(d) => ParamValue::Date { year: d.year, month: d.month, day: d.day },
            Value::Time(t) => ParamValue::Time {
                negative: t.negative,
                hours: t.hours,
                minutes: t.minutes,
                seconds: t.seconds,
                micros: t.micros,
            },
            Value::DateTime(d) => ParamValue::DateTime {
                year: d.date.year,
                month: d.date.month,
                day: d.date.day,
                hour: d.hour,
                minute: d.minute,
                second: d.second,
                micros: d.micros,
                zone: None,
            },
        }
    }
}

/// As a client of MySQL shows it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Int(n) => n.fmt(f),
            Value::UInt(n) => n.fmt(f),
            Value::Float(x) => x.fmt(f),
            Value::Double(x) => x.fmt(f),
            Value::Decimal(d) => d.fmt(f),
            Value::Text(t) | Value::Json(t) => f.write_str(t),
            Value::Bytes(b) => f.write_str(&String::from_utf8_lossy(b)),
            Value::Date(d) => d.fmt(f),
            Value::Time(t) => t.fmt(f),
            Value::DateTime(d) => d.fmt(f),
        }
    }
}

/// A decimal number: its digits, with a sign and a point where it has them. Up to 65 digits, as many as DECIMAL has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal(String);

impl Decimal {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn of_column(digits: String) -> Decimal {
        Decimal(digits)
    }

    /// The whole number that it is; `None`: there are digits other than 0 behind the point, or it is too large.
    pub fn to_i128(&self) -> Option<i128> {
        let (whole, fraction) = self.0.split_once('.').unwrap_or((&self.0, ""));
        if fraction.bytes().any(|b| b != b'0') {
            return None;
        }
        match whole {
            "" | "-" => Some(0),
            digits => digits.parse().ok(),
        }
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

/// Why a text is no decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotADecimal;

impl fmt::Display for NotADecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal is up to 65 digits, with a sign before and a point between them")
    }
}

impl std::error::Error for NotADecimal {}

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Decimal, NotADecimal> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = whole.len() + fraction.len();
        let all = whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit());
        match all && (1..=65).contains(&digits) && fraction.len() <= 30 {
            true => Ok(Decimal(text.strip_prefix('+').unwrap_or(text).to_owned())),
            false => Err(NotADecimal),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<i64> for Decimal {
    fn from(n: i64) -> Decimal {
        Decimal(n.to_string())
    }
}

/// A day. Parts that are 0 are MySQL's incomplete dates, where the mode allows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A time of day or a span of time, up to 838 hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Time {
    /// Before zero.
    pub negative: bool,
    /// 0 to 838.
    pub hours: u32,
    /// 0 to 59.
    pub minutes: u8,
    /// 0 to 59.
    pub seconds: u8,
    /// Millionths of a second.
    pub micros: u32,
}

/// `.123456`, or nothing.
fn fraction(f: &mut fmt::Formatter<'_>, micros: u32) -> fmt::Result {
    if micros == 0 { Ok(()) } else { write!(f, ".{micros:06}") }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{:02}:{:02}:{:02}", self.hours, self.minutes, self.seconds)?;
        fraction(f, self.micros)
    }
}

/// A day and a time of it. A TIMESTAMP is in the session's `time_zone`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// Millionths of a second.
    pub micros: u32,
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:02}:{:02}:{:02}", self.date, self.hour, self.minute, self.second)?;
        fraction(f, self.micros)
    }
}

/// A JSON document: its text. As a parameter it is checked where it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Json(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_checked_and_read() {
        for good in ["0", "-1.50", "+7", ".5", "5.", "12345678901234567890123456789012345"] {
            assert!(good.parse::<Decimal>().is_ok(), "{good}");
        }
        for bad in ["", "-", ".", "1e5", "1.2.3", "x", " 1", "NaN", &"9".repeat(66)] {
            assert!(bad.parse::<Decimal>().is_err(), "{bad}");
        }
        let n = |t: &str| t.parse::<Decimal>().unwrap().to_i128();
        assert_eq!((n("-12.00"), n("1.5"), n(".0")), (Some(-12), None, Some(0)));
        assert_eq!("-1.5".parse::<Decimal>().unwrap().to_f64(), -1.5);
    }

    #[test]
    fn times_are_shown_as_mysql_shows_them() {
        let time = Time { negative: true, hours: 100, minutes: 2, seconds: 3, micros: 40 };
        assert_eq!(time.to_string(), "-100:02:03.000040");
        let date = Date { year: 987, month: 6, day: 5 };
        let at = DateTime { date, hour: 1, ..DateTime::default() };
        assert_eq!(at.to_string(), "0987-06-05 01:00:00");
    }
}
