//! What a value becomes beside values of another kind, or in a document, because of what its type or its spelling says.

use crate::value::geo::geojson;
use crate::value::json::{Dom, from_value};
use crate::value::store::bit_bytes;
use crate::value::temporal::parse::{self, Reading};
use crate::value::types::protocol::column_type;
use crate::value::{
    Collation, Date, Decimal, Geometry, SqlType, TimeZone, Value, ValueError, Warnings,
};

/// What becomes of a literal beside a value of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adapt {
    /// The bytes of a hexadecimal or bit literal, as a big-endian unsigned integer.
    Number,
    /// A value compared with a YEAR: two digits get their century.
    Year,
    /// A YEAR compared with a date that is no constant: the date of that year without month and day.
    YearAsDate,
    /// A text of this ENUM or SET, as the number that it is stored as.
    Place(SqlType),
    /// A BIT(n), as its bytes.
    Bits(u8),
    /// A number of this type where text is wanted: with the digits of its precision, behind the point, and of ZEROFILL.
    Shown(SqlType),
    /// A decimal that is computed with more digits than it has where it is not.
    Rounded(u8),
    /// The text of a date or time that a function made, as its number: '2024-02-29' is 20240229 where it is computed with.
    Moment,
    /// The same where a date or time is wanted: what the function made, whatever its text would be read as.
    MomentItself,
    /// A value of a kind that JSON tells apart, as JSON.
    Json(JsonAs),
    /// A constant beside a column of this type of dates or times, as the value that the column would keep of it; what is not one stays what
    /// it is, and is compared as such. Whether what is behind a microsecond is cut, and does not round.
    Fitted(SqlType, bool),
    /// A parameter that is compared with a date, as a value of the type that it has there: DATE, or DATETIME. A text that is no date is
    /// NULL, with a warning. What a text means depends on the session's time zone, so evaluation does it.
    Sent(SqlType),
}

/// What becomes of a value in a document where its type says more than the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonAs {
    /// A truth value.
    Bool,
    /// A TIMESTAMP.
    Stamp,
    /// Binary text of a `MYSQL_TYPE_*`.
    Opaque(u8),
    /// BIT(n), as the bytes that it is.
    Bits(u8),
    /// A geometry, as GeoJSON.
    Geo,
    /// The name of an ENUM or those of a SET: a string, never JSON text.
    Name,
    /// Any value, as the scalar that a document would have of it.
    Scalar,
}

impl JsonAs {
    /// None: the value stays what it is.
    fn of(self, v: &Value<'_>) -> Result<Option<Dom>, ValueError> {
        Ok(Some(match (self, v) {
            (JsonAs::Bool, Value::Int(n)) => Dom::Bool(*n != 0),
            (JsonAs::Stamp, Value::DateTime(d)) => Dom::DateTime(Box::new((*d, true))),
            (JsonAs::Opaque(ty), Value::Bytes(b)) => Dom::Opaque(ty, b.as_ref().into()),
            (JsonAs::Geo, Value::Bytes(b)) => {
                let g = Geometry::from_stored(b).map_err(|_| ValueError::no_geometry())?;
                geojson::write(&g.shape, geojson::Style::default())
            }
            (JsonAs::Name, Value::Str(..)) => from_value(v),
            (JsonAs::Scalar, v) if !v.is_null() && !matches!(v, Value::Json(_)) => from_value(v),
            (JsonAs::Bits(bits), Value::UInt(n)) => {
                Dom::Opaque(column_type::BIT, bit_bytes(*n, bits).into())
            }
            _ => return Ok(None),
        }))
    }
}

impl Adapt {
    pub fn apply<'v>(self, v: Value<'v>, warnings: &mut Warnings) -> Result<Value<'v>, ValueError> {
        Ok(match (self, &v) {
            (Adapt::Number, Value::Bytes(b)) => {
                if b.len() > 8 {
                    warnings.truncated("BINARY", b);
                    return Ok(Value::UInt(u64::MAX));
                }
                Value::UInt(b.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)))
            }
            (Adapt::Place(ty), Value::Str(b, _) | Value::Bytes(b)) => Value::UInt(ty.number_of(b)),
            (Adapt::Bits(bits), Value::UInt(n)) => Value::Bytes(bit_bytes(*n, bits).into()),
            (Adapt::Shown(ty), v) if v.is_numeric() => {
                let mut text = Vec::new();
                ty.write_text(v, &mut text);
                Value::text(text, Collation::Utf8mb4GeneralCi)
            }
            (Adapt::Rounded(scale), Value::Decimal(d)) if d.scale() > scale => {
                d.round(scale).map_or(v, Value::Decimal)
            }
            (Adapt::Moment, Value::Str(b, _)) => moment_number(b).map_or(v, Value::Double),
            (Adapt::MomentItself, Value::Str(b, _)) => moment(b).unwrap_or(v),
            // What is too deep for a document is an error, and not other bytes.
            (Adapt::Json(how), _) => match how.of(&v)? {
                Some(dom) => Value::Json(dom.to_json()?),
                None => v,
            },
            (Adapt::Fitted(ty, cuts), v) => fitted(ty, cuts, v).unwrap_or_else(|| v.clone()),
            (Adapt::YearAsDate, Value::Int(n)) => {
                Value::Date(Date::new(u16::try_from(*n).unwrap_or(0), 0, 0))
            }
            (Adapt::YearAsDate, Value::UInt(n)) => {
                Value::Date(Date::new(u16::try_from(*n).unwrap_or(0), 0, 0))
            }
            (Adapt::Year, Value::Date(d)) => Value::Int(i64::from(d.year)),
            (Adapt::Year, Value::DateTime(d)) => Value::Int(i64::from(d.date.year)),
            (Adapt::Year, Value::Int(n)) => year_of(*n),
            // The column rounds what it keeps.
            (Adapt::Year, Value::Decimal(d)) => match rounded(*d) {
                Some(n) => year_of(n),
                None => v,
            },
            (Adapt::Year, Value::Double(x)) if x.abs() < 1e9 => year_of(x.round_ties_even() as i64),
            // Four digits say their century themselves.
            (Adapt::Year, Value::Str(b, _) | Value::Bytes(b)) if b[..] == *b"0000" => Value::Int(0),
            (Adapt::Year, Value::Str(b, _) | Value::Bytes(b)) => {
                let text = std::str::from_utf8(b).unwrap_or_default().trim();
                let parsed = Decimal::parse(text.as_bytes());
                let whole = parsed.used == text.len() && parsed.used > 0;
                let fraction = parsed.value.filter(|_| whole).and_then(rounded);
                match (text.parse(), fraction) {
                    (Ok(n), _) => Value::Int(with_century(n)),
                    (_, Some(n)) => year_of(n),
                    _ => v,
                }
            }
            _ => v,
        })
    }
}

/// The number of a date, a date and time, or a time of day.
fn moment_number(text: &[u8]) -> Option<f64> {
    moment(text)?.to_f64(&mut Warnings::with_limit(0))
}

fn moment(text: &[u8]) -> Option<Value<'static>> {
    let dated = parse::datetime(text, true).map(|found| match found.date_only {
        true => Value::Date(found.value.date),
        false => Value::DateTime(found.value),
    });
    let timed = || parse::time(text).map(|found| Value::Time(found.value));
    // A sign or an hour of three digits is of no date; what has dashes is.
    if text.iter().skip(1).any(|b| *b == b'-') { dated } else { timed() }
}

/// What a column of a type of dates or times keeps of a constant that is one; what only resembles one is not one.
fn fitted(ty: SqlType, cuts: bool, v: &Value<'_>) -> Option<Value<'static>> {
    if let SqlType::Time { fsp } = ty {
        let known = v.is_string() || v.is_numeric() || v.is_temporal();
        let found = v.find_time(cuts).filter(|f| known && !f.truncated)?;
        return Some(Value::Time(found.value.round(fsp)));
    }
    // A number has no room for a fraction of a day; a column of dates keeps none.
    let whole = match (ty, v) {
        (SqlType::Date, Value::Decimal(d)) => Some(Value::Decimal(d.truncate(0))),
        (SqlType::Date, Value::Double(x)) => Some(Value::Double(x.trunc())),
        _ => None,
    };
    let v = whole.as_ref().unwrap_or(v);
    let found = v.find_datetime_in(TimeZone::UTC, Reading { invalid_dates: true, cuts });
    let found = found.filter(|f| v.is_numeric() && !f.truncated)?;
    Some(match ty {
        SqlType::Date => Value::Date(found.value.date),
        _ => Value::DateTime(found.value.round(ty.fsp())?),
    })
}

fn rounded(d: Decimal) -> Option<i64> {
    i64::try_from(d.to_i128()?).ok()
}

/// The year that a number is short for; 0 is itself.
fn year_of(n: i64) -> Value<'static> {
    Value::Int(if n == 0 { 0 } else { with_century(n) })
}

/// 0 to 69 are of this century, 70 to 99 of the last one.
fn with_century(n: i64) -> i64 {
    match n {
        0..=69 => n + 2000,
        70..=99 => n + 1900,
        _ => n,
    }
}
