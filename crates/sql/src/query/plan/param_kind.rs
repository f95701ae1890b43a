//! What a parameter is where it stands beside something that has a type. Many clients send all values as texts; MySQL reads such a text
//! as what its place asks for when the statement is executed: `? + 1` is an integer with '3' and a decimal with '3.7', `price * ?` is as
//! exact as its column, and `? + INTERVAL 1 DAY` is a date or a date with a time, by what the text has.
//!
//! A value is made another one before the plan sees it, so nothing of the plan has to know. What is no number, or no date, is left a
//! text: its reader says what is wrong with it.

use crate::value::temporal::parse;
use crate::value::{Decimal, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// Beside an integer or a decimal.
    Number,
    /// The date that an interval is added to; the result has a time of day anyway if the unit has one.
    Moment { timed: bool },
}

impl ParamKind {
    /// The value that a client's text is here.
    pub fn value(self, text: &[u8]) -> Option<Value<'static>> {
        match self {
            ParamKind::Number => number(text),
            ParamKind::Moment { timed } => {
                let found = parse::datetime(text, false).filter(|f| !f.truncated)?;
                // A time zone is for its reader to apply.
                let plain = found.offset.is_none();
                let whole = !timed && found.date_only;
                plain.then_some(match whole {
                    true => Value::Date(found.value.date),
                    false => Value::DateTime(found.value),
                })
            }
        }
    }
}

fn number(text: &[u8]) -> Option<Value<'static>> {
    let text = text.trim_ascii();
    let parsed = Decimal::parse(text);
    let value = parsed.value.filter(|_| parsed.used == text.len() && !text.is_empty())?;
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if !digits.iter().all(u8::is_ascii_digit) {
        return Some(Value::Decimal(value));
    }
    let whole = value.to_i128()?;
    Some(match (i64::try_from(whole), u64::try_from(whole)) {
        (Ok(n), _) => Value::Int(n),
        (_, Ok(n)) => Value::UInt(n),
        _ => Value::Decimal(value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Date, DateTime};

    #[test]
    fn texts_become_numbers_of_their_kind() {
        let number = |t: &str| ParamKind::Number.value(t.as_bytes());
        assert_eq!(number("3"), Some(Value::Int(3)));
        assert_eq!(number(" -3 "), Some(Value::Int(-3)));
        assert_eq!(number("18446744073709551615"), Some(Value::UInt(u64::MAX)));
        let is_decimal = |t: &str| matches!(number(t), Some(Value::Decimal(_)));
        assert!(["3.7", "1e2", "18446744073709551616", "0.10"].iter().all(|t| is_decimal(t)));
        assert!(["", "3x", "x", "-", "--1", "1 2"].iter().all(|t| number(t).is_none()));
    }

    #[test]
    fn texts_become_dates_by_what_they_have() {
        let date = Date::new(2024, 2, 29);
        let at = |timed, t: &str| ParamKind::Moment { timed }.value(t.as_bytes());
        assert_eq!(at(false, "2024-02-29"), Some(Value::Date(date)));
        assert_eq!(at(false, "20240229"), Some(Value::Date(date)));
        assert_eq!(at(true, "2024-02-29"), Some(Value::DateTime(date.at_midnight())));
        let noon = DateTime { hour: 12, ..date.at_midnight() };
        assert_eq!(at(false, "2024-02-29 12:00:00"), Some(Value::DateTime(noon)));
        for bad in ["2023-02-29", "soon", "", "2024-02-29 12:00:00+01:00", "2024-02-29x"] {
            assert_eq!(at(false, bad), None, "{bad}");
        }
    }
}
