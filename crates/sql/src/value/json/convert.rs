//! SQL values as JSON values and back.

use super::super::types::protocol::column_type;
use super::super::{Charset, Look, SessionInfo, Value, ValueError, Warnings};
use super::binary::{Item, View};
use super::dom::Dom;
use super::parse::{ParseError, parse_looking};
use crate::errno;

/// A SQL value as a JSON scalar: text is a string, not JSON text. NULL is the literal `null`.
pub fn from_value(v: &Value<'_>) -> Dom {
    match v {
        Value::Null => Dom::Null,
        Value::Int(n) => Dom::Int(*n),
        Value::UInt(n) => Dom::UInt(*n),
        Value::Decimal(d) => Dom::Decimal(Box::new(*d)),
        Value::Double(x) => Dom::Double(*x),
        Value::Str(b, c) => Dom::Str(match c.charset().is_utf8() {
            true => b.as_ref().into(),
            false => c.charset().convert(b, Charset::Utf8mb4).0.into(),
        }),
        Value::Bytes(b) => Dom::Opaque(column_type::VARCHAR, b.as_ref().into()),
        Value::Date(d) => Dom::Date(*d),
        Value::Time(t) => Dom::Time(*t),
        Value::DateTime(d) => Dom::DateTime(Box::new((*d, false))),
        Value::Json(j) => j.view().to_dom(),
    }
}

/// JSON text that stands in a SQL text. 3144 for a binary one, and the error that ends the statement of `session` meanwhile.
pub fn from_text(
    v: &Value<'_>,
    session: Option<&dyn SessionInfo>,
) -> Result<Result<Dom, ParseError>, ValueError> {
    let parse = |text: &[u8]| {
        let mut look = Look::new(session);
        let parsed = parse_looking(text, &mut look);
        look.end(parsed)
    };
    match v {
        Value::Str(b, c) if c.charset().is_utf8() => parse(b),
        Value::Str(b, c) => parse(&c.charset().convert(b, Charset::Utf8mb4).0),
        _ => Err(binary()),
    }
}

/// 3144.
pub fn binary() -> ValueError {
    ValueError::of(errno::ER_INVALID_JSON_CHARSET, &[&"binary"])
}

/// 3156. What the value comes from is not known here.
pub fn invalid(to: &str, w: &mut Warnings) {
    w.warn(errno::ER_INVALID_JSON_VALUE_FOR_CAST, || {
        format!("Invalid JSON value for CAST to {to} from column CAST() at row 1")
    });
}

/// The integer that a text begins with.
fn digits(s: &[u8]) -> Option<i64> {
    let s = s.trim_ascii_start();
    let sign = usize::from(matches!(s.first(), Some(b'+' | b'-')));
    let count = s[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    std::str::from_utf8(&s[..sign + count]).ok()?.parse().ok()
}

/// Whether a text is an integer, and nothing behind it.
pub fn is_integer(s: &[u8]) -> bool {
    let s = s.trim_ascii_start();
    let s = s.strip_prefix(b"-").or(s.strip_prefix(b"+")).unwrap_or(s);
    !s.is_empty() && s.iter().all(u8::is_ascii_digit)
}

impl View<'_> {
    /// The number in a scalar. What is not one counts as 0, with warning 3156 that names the type asked for.
    pub fn to_number(self, to: &str, w: &mut Warnings) -> Value<'static> {
        match self.item() {
            Item::Int(n) => Value::Int(n),
            Item::UInt(n) => Value::UInt(n),
            Item::Double(x) => Value::Double(x),
            Item::Decimal(d) => Value::Decimal(d),
            Item::Bool(b) => Value::Int(i64::from(b)),
            Item::Str(s) => {
                let (x, used) = super::super::double::parse_prefix(s);
                let whole =
                    std::str::from_utf8(&s[..used]).ok().and_then(|s| s.trim().parse().ok());
                let cut = to == "INTEGER" && whole.is_none();
                if used == 0 || used < s.len() || cut {
                    invalid(to, w);
                }
                match whole {
                    Some(n) => Value::Int(n),
                    None if cut => digits(s).map_or(Value::Double(x), Value::Int),
                    None => Value::Double(x),
                }
            }
            Item::Date(_)
            | Item::Time(_)
            | Item::DateTime(..)
            | Item::Null
            | Item::Opaque(..)
            | Item::Array
            | Item::Object => {
                invalid(to, w);
                Value::Int(0)
            }
        }
    }

    /// The value that a scalar holds, to be read as a date or time: dates as such, a string as text.
    pub fn to_temporal(self) -> Option<Value<'static>> {
        match self.item() {
            Item::Date(d) => Some(Value::Date(d)),
            Item::Time(t) => Some(Value::Time(t)),
            Item::DateTime(d, _) => Some(Value::DateTime(d)),
            Item::Str(s) => {
                Some(Value::Str(s.to_vec().into(), super::super::Collation::Utf8mb4Bin))
            }
            _ => None,
        }
    }

    /// What a date is read from: no time of day, and no number.
    pub fn to_dated(self) -> Option<Value<'static>> {
        self.to_temporal().filter(|v| !matches!(v, Value::Time(_)))
    }

    /// What a time of day is read from: no date, and of strings those with a colon.
    pub fn to_timed(self) -> Option<Value<'static>> {
        self.to_temporal().filter(|v| match v {
            Value::Date(_) | Value::DateTime(_) => false,
            other => other.as_bytes().is_none_or(|text| text.contains(&b':')),
        })
    }
}
