//! The value of a column in a row image.

use crate::decimal;
use crate::error::{Error, Result};
use crate::table_map::ColumnType;
use weir_wire::Reader;

/// A value as the source stored it. Images do not say whether a number has a sign: the table map may, and else the replica's column does.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    /// With its sign extended from so many bytes.
    Int {
        value: i64,
        bytes: u8,
    },
    Float(f32),
    Double(f64),
    /// As text, with as many places as the type has.
    Decimal(String),
    /// CHAR, BINARY, VARCHAR, VARBINARY, the BLOB and TEXT families.
    Bytes(&'a [u8]),
    Year(u16),
    Date(Date),
    Time(Time),
    DateTime(DateTime),
    /// Seconds since 1970 and microseconds; zero and zero for `0000-00-00`.
    Timestamp {
        seconds: u32,
        micros: u32,
    },
    Enum(u16),
    Set(u64),
    Bit(u64),
    /// A document in MySQL's binary form. An empty one is the JSON `null` that an old ALTER TABLE left.
    Json(&'a [u8]),
    /// Changes to the document of the image before the change.
    JsonDiff(Vec<JsonDiff<'a>>),
    /// SRID and well-known binary.
    Geometry(&'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Date {
    pub year: u16,
    pub month: u8,
    pub day: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Time {
    pub negative: bool,
    pub hours: u16,
    pub minutes: u8,
    pub seconds: u8,
    pub micros: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DateTime {
    pub date: Date,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub micros: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonOp {
    Replace,
    Insert,
    Remove,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonDiff<'a> {
    pub op: JsonOp,
    /// As MySQL writes paths: `$.a[1]`.
    pub path: &'a [u8],
    /// In MySQL's binary form; nothing with [`JsonOp::Remove`].
    pub value: &'a [u8],
}

/// Reads the value of a column that is not NULL. `partial`: of a document there are changes only.
pub fn decode<'a>(r: &mut Reader<'a>, ty: &ColumnType, partial: bool) -> Result<Value<'a>> {
    Ok(match *ty {
        ColumnType::Int { bytes } => int(r, bytes)?,
        ColumnType::Float => Value::Float(f32::from_le_bytes(r.array()?)),
        ColumnType::Double => Value::Double(f64::from_le_bytes(r.array()?)),
        ColumnType::Decimal { precision, scale } => {
            let bytes = r.bytes(decimal::len(precision, scale)?)?;
            Value::Decimal(decimal::decode(bytes, precision, scale)?)
        }
        ColumnType::Year => match r.u8()? {
            0 => Value::Year(0),
            n => Value::Year(1900 + u16::from(n)),
        },
        ColumnType::Char { bytes } | ColumnType::Varchar { bytes } => {
            let len = match bytes {
                0..=255 => usize::from(r.u8()?),
                _ => usize::from(r.u16()?),
            };
            if len > usize::from(bytes) {
                return Err(Error::Malformed("the length of a text"));
            }
            Value::Bytes(r.bytes(len)?)
        }
        ColumnType::Blob { length } => Value::Bytes(counted(r, length)?),
        ColumnType::Geometry { length } => Value::Geometry(counted(r, length)?),
        ColumnType::Json { length } => {
            let bytes = counted(r, length)?;
            if partial { Value::JsonDiff(diffs(bytes)?) } else { Value::Json(bytes) }
        }
        ColumnType::Enum { bytes } => Value::Enum(number(r, bytes)? as u16),
        ColumnType::Set { bytes } => Value::Set(number(r, bytes)?),
        ColumnType::Bit { bits } => {
            let bytes = r.bytes(usize::from(bits.div_ceil(8)))?;
            Value::Bit(bytes.iter().fold(0, |n, b| n << 8 | u64::from(*b)))
        }
        ColumnType::Date => {
            let n = r.u24()?;
            Value::Date(Date {
                year: (n >> 9) as u16,
                month: (n >> 5 & 15) as u8,
                day: (n & 31) as u8,
            })
        }
        ColumnType::Time { fsp } => Value::Time(time(r, fsp)?),
        ColumnType::DateTime { fsp } => Value::DateTime(datetime(r, fsp)?),
        ColumnType::Timestamp { fsp } => {
            let seconds = u32::from_be_bytes(r.array()?);
            Value::Timestamp { seconds, micros: fraction(r, fsp)? }
        }
        ColumnType::OldTimestamp => Value::Timestamp { seconds: r.u32()?, micros: 0 },
        ColumnType::OldTime => Value::Time(old_time(r.u24()?)?),
        ColumnType::OldDateTime => Value::DateTime(old_datetime(r.u64()?)?),
    })
}

fn int<'a>(r: &mut Reader<'a>, bytes: u8) -> Result<Value<'a>> {
    let unsigned = number(r, bytes)?;
    let unused = 64 - u32::from(bytes) * 8;
    Ok(Value::Int { value: (unsigned << unused) as i64 >> unused, bytes })
}

/// A whole number of one to eight bytes, the lowest first.
fn number(r: &mut Reader<'_>, bytes: u8) -> Result<u64> {
    if !(1..=8).contains(&bytes) {
        return Err(Error::Malformed("the length of a number"));
    }
    let mut all = [0; 8];
    all[..usize::from(bytes)].copy_from_slice(r.bytes(usize::from(bytes))?);
    Ok(u64::from_le_bytes(all))
}

/// Bytes behind their count, which has `length` bytes itself.
fn counted<'a>(r: &mut Reader<'a>, length: u8) -> Result<&'a [u8]> {
    if !(1..=4).contains(&length) {
        return Err(Error::Malformed("the length of a blob's length"));
    }
    let len = number(r, length)?;
    Ok(r.bytes(len as usize)?)
}

/// Microseconds from the digits of a fraction, in as many bytes as these need.
fn fraction(r: &mut Reader<'_>, fsp: u8) -> Result<u32> {
    let bytes = r.bytes(usize::from(fsp.div_ceil(2)))?;
    let n = bytes.iter().fold(0u32, |n, b| n << 8 | u32::from(*b));
    let micros =
        u64::from(n) * [1_000_000, 10_000, 10_000, 100, 100, 1, 1][usize::from(fsp.min(6))];
    if micros >= 1_000_000 {
        return Err(Error::Malformed("the fraction of a second"));
    }
    Ok(micros as u32)
}

fn time(r: &mut Reader<'_>, fsp: u8) -> Result<Time> {
    // Hours, minutes and seconds with the fraction are one number, moved up so that negative ones sort below.
    let whole = r.bytes(3)?.iter().fold(0i64, |n, b| n << 8 | i64::from(*b));
    let places = fsp.div_ceil(2);
    let fraction = r.bytes(usize::from(places))?;
    let fraction = fraction.iter().fold(0i64, |n, b| n << 8 | i64::from(*b));
    let bits = 8 * u32::from(places);
    let packed = (whole << bits | fraction) - (0x80_0000 << bits);
    let (negative, packed) = (packed < 0, packed.unsigned_abs());
    let (whole, fraction) = (packed >> bits, packed & ((1 << bits) - 1));
    let micros = fraction * [0, 10_000, 100, 1][usize::from(places.min(3))];
    let time = Time {
        negative,
        hours: (whole >> 12 & 0x3FF) as u16,
        minutes: (whole >> 6 & 63) as u8,
        seconds: (whole & 63) as u8,
        micros: u32::try_from(micros).unwrap_or(u32::MAX),
    };
    if time.minutes > 59 || time.seconds > 59 || time.micros > 999_999 || time.hours > 838 {
        return Err(Error::Malformed("a TIME"));
    }
    Ok(time)
}

fn datetime(r: &mut Reader<'_>, fsp: u8) -> Result<DateTime> {
    let packed = r.bytes(5)?.iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
    let Some(packed) = packed.checked_sub(0x80_0000_0000) else {
        return Err(Error::Malformed("a DATETIME"));
    };
    let micros = fraction(r, fsp)?;
    let (days, clock) = (packed >> 17, packed & 0x1_FFFF);
    let months = days >> 5;
    let d = DateTime {
        date: Date {
            year: (months / 13) as u16,
            month: (months % 13) as u8,
            day: (days & 31) as u8,
        },
        hour: (clock >> 12) as u8,
        minute: (clock >> 6 & 63) as u8,
        second: (clock & 63) as u8,
        micros,
    };
    if d.hour > 23 || d.minute > 59 || d.second > 59 || d.date.year > 9999 {
        return Err(Error::Malformed("a DATETIME"));
    }
    Ok(d)
}

/// The types of before MySQL 5.6, which are decimal digits: HHMMSS.
fn old_time(n: u32) -> Result<Time> {
    let value = ((n << 8) as i32) >> 8;
    let n = value.unsigned_abs();
    let time = Time {
        negative: value < 0,
        hours: (n / 10_000) as u16,
        minutes: (n / 100 % 100) as u8,
        seconds: (n % 100) as u8,
        micros: 0,
    };
    if time.minutes > 59 || time.seconds > 59 || time.hours > 838 {
        return Err(Error::Malformed("a TIME"));
    }
    Ok(time)
}

/// YYYYMMDDHHMMSS.
fn old_datetime(n: u64) -> Result<DateTime> {
    let (day, clock) = (n / 1_000_000, n % 1_000_000);
    let d = DateTime {
        date: Date {
            year: u16::try_from(day / 10_000).unwrap_or(u16::MAX),
            month: (day / 100 % 100) as u8,
            day: (day % 100) as u8,
        },
        hour: (clock / 10_000) as u8,
        minute: (clock / 100 % 100) as u8,
        second: (clock % 100) as u8,
        micros: 0,
    };
    let date = d.date;
    if d.hour > 23 || d.minute > 59 || d.second > 59 || date.year > 9999 || date.month > 12 {
        return Err(Error::Malformed("a DATETIME"));
    }
    Ok(d)
}

fn diffs(bytes: &[u8]) -> Result<Vec<JsonDiff<'_>>> {
    let mut r = Reader::new(bytes);
    let mut all = Vec::new();
    while !r.is_empty() {
        let op = match r.u8()? {
            0 => JsonOp::Replace,
            1 => JsonOp::Insert,
            2 => JsonOp::Remove,
            _ => return Err(Error::Malformed("a change of a document")),
        };
        let path = r.lenenc_str()?;
        let value = if op == JsonOp::Remove { &[][..] } else { r.lenenc_str()? };
        all.push(JsonDiff { op, path, value });
    }
    Ok(all)
}
