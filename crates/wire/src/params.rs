//! Parameters of COM_STMT_EXECUTE.

use crate::constants::column_type as ty;
use crate::reader::{Malformed, Reader};

/// One parameter, borrowed from the packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Param<'a> {
    Null,
    Int(i64),
    UInt(u64),
    Float(f32),
    Double(f64),
    /// A text in the client's character set.
    Bytes(&'a [u8]),
    /// Bytes in no character set.
    Blob(&'a [u8]),
    Decimal(&'a [u8]),
    Date(Date),
    DateTime(Date, Clock),
    /// With how many minutes its time zone is ahead of UTC.
    DateTimeAt(Date, Clock, i16),
    Time {
        negative: bool,
        days: u32,
        clock: Clock,
    },
    /// Sent before with COM_STMT_SEND_LONG_DATA.
    Long,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Date {
    pub year: u16,
    pub month: u8,
    pub day: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub micros: u32,
}

/// Type of a parameter as the client declared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamType {
    pub code: u8,
    pub unsigned: bool,
}

impl ParamType {
    /// A text in the client's character set.
    fn is_text(self) -> bool {
        matches!(self.code, ty::VARCHAR | ty::JSON | ty::VAR_STRING | ty::STRING)
    }

    /// Bytes in no character set.
    pub fn is_blob(self) -> bool {
        matches!(self.code, ty::TINY_BLOB | ty::MEDIUM_BLOB | ty::LONG_BLOB | ty::BLOB)
    }
}

/// Decodes the parameters of a statement with `count` of them. `types` is what the client bound
/// last: clients send types once and leave them out while they stay the same. `is_long` tells
/// which parameters came as long data. Calls `each` in order.
pub fn decode<'a>(
    body: &'a [u8],
    count: usize,
    types: &mut Vec<ParamType>,
    is_long: impl Fn(usize) -> bool,
    each: impl FnMut(Param<'a>),
) -> Result<(), Malformed> {
    decode_from(&mut Reader::new(body), count, types, None, is_long, each)
}

/// The same of a client that names its parameters (`QUERY_ATTRIBUTES`): `names` is remembered as `types` is. Those of the statement
/// come first and have no names; what is behind them are attributes.
pub fn decode_named<'a>(
    body: &'a [u8],
    count: usize,
    types: &mut Vec<ParamType>,
    names: &mut Vec<Vec<u8>>,
    is_long: impl Fn(usize) -> bool,
    each: impl FnMut(Param<'a>),
) -> Result<(), Malformed> {
    decode_from(&mut Reader::new(body), count, types, Some(names), is_long, each)
}

/// How many parameters an execution says that it has, and the rest of it.
pub fn count_of(body: &[u8]) -> Result<(usize, &[u8]), Malformed> {
    let mut r = Reader::new(body);
    let count = count(&mut r)?;
    Ok((count, r.rest()))
}

/// The attributes in front of a statement's text, by their names, and the text.
pub fn attributes(body: &[u8]) -> Result<(Attributes<'_>, &[u8]), Malformed> {
    let mut r = Reader::new(body);
    let count = count(&mut r)?;
    // There is one set of them.
    if r.lenenc_int()? != 1 {
        return Err(Malformed);
    }
    let (mut types, mut names, mut values) = (Vec::new(), Vec::new(), Vec::new());
    if count > 0 {
        let push = |p| values.push(p);
        decode_from(&mut r, count, &mut types, Some(&mut names), |_| false, push)?;
    }
    Ok((names.into_iter().zip(values).collect(), r.rest()))
}

/// Names and values.
pub type Attributes<'a> = Vec<(Vec<u8>, Param<'a>)>;

/// As many as a statement may have parameters; more is no packet of a client.
fn count(r: &mut Reader<'_>) -> Result<usize, Malformed> {
    usize::try_from(r.lenenc_int()?).ok().filter(|n| *n <= 65_535).ok_or(Malformed)
}

fn decode_from<'a>(
    r: &mut Reader<'a>,
    count: usize,
    types: &mut Vec<ParamType>,
    mut names: Option<&mut Vec<Vec<u8>>>,
    is_long: impl Fn(usize) -> bool,
    mut each: impl FnMut(Param<'a>),
) -> Result<(), Malformed> {
    if count == 0 {
        return Ok(());
    }
    let nulls = r.bytes(count.div_ceil(8))?;
    if r.u8()? == 1 {
        types.clear();
        if let Some(names) = &mut names {
            names.clear();
        }
        for _ in 0..count {
            let [code, flag] = r.array()?;
            types.push(ParamType { code, unsigned: flag & 0x80 != 0 });
            if let Some(names) = &mut names {
                names.push(r.lenenc_str()?.to_vec());
            }
        }
    }
    if types.len() != count || names.is_some_and(|n| n.len() != count) {
        return Err(Malformed);
    }
    for (i, ty) in types.iter().enumerate() {
        each(if is_long(i) {
            // Only texts and blobs come in pieces.
            if !ty.is_blob() && !ty.is_text() {
                return Err(Malformed);
            }
            Param::Long
        } else if nulls[i / 8] & (1 << (i % 8)) != 0 {
            Param::Null
        } else {
            value(r, *ty)?
        });
    }
    Ok(())
}

fn int<'a>(unsigned: bool, zero_extended: u64, sign_extended: i64) -> Param<'a> {
    if unsigned { Param::UInt(zero_extended) } else { Param::Int(sign_extended) }
}

fn value<'a>(r: &mut Reader<'a>, ty: ParamType) -> Result<Param<'a>, Malformed> {
    Ok(match ty.code {
        ty::NULL => Param::Null,
        ty::TINY => {
            let v = r.u8()?;
            int(ty.unsigned, v.into(), i64::from(v as i8))
        }
        ty::SHORT | ty::YEAR => {
            let v = r.u16()?;
            int(ty.unsigned, v.into(), i64::from(v as i16))
        }
        ty::LONG | ty::INT24 => {
            let v = r.u32()?;
            int(ty.unsigned, v.into(), i64::from(v as i32))
        }
        ty::LONGLONG => {
            let v = r.u64()?;
            int(ty.unsigned, v, v as i64)
        }
        ty::FLOAT => Param::Float(f32::from_le_bytes(r.array()?)),
        ty::DOUBLE => Param::Double(f64::from_le_bytes(r.array()?)),
        ty::DATE => Param::Date(date_time(r)?.0),
        ty::DATETIME | ty::TIMESTAMP => match date_time(r)? {
            (date, clock, None) => Param::DateTime(date, clock),
            (date, clock, Some(minutes)) => Param::DateTimeAt(date, clock, minutes),
        },
        ty::TIME => time(r)?,
        ty::DECIMAL | ty::NEWDECIMAL => Param::Decimal(r.lenenc_str()?),
        ty::VARCHAR | ty::JSON | ty::VAR_STRING | ty::STRING => Param::Bytes(r.lenenc_str()?),
        ty::TINY_BLOB | ty::MEDIUM_BLOB | ty::LONG_BLOB | ty::BLOB => Param::Blob(r.lenenc_str()?),
        _ => return Err(Malformed),
    })
}

fn clock(r: &mut Reader<'_>, with_micros: bool) -> Result<Clock, Malformed> {
    let [hour, minute, second] = r.array()?;
    let micros = if with_micros { r.u32()? } else { 0 };
    Ok(Clock { hour, minute, second, micros })
}

/// With the minutes that its time zone is ahead of UTC, if they were sent.
fn date_time(r: &mut Reader<'_>) -> Result<(Date, Clock, Option<i16>), Malformed> {
    let len = r.u8()?;
    if len == 0 {
        return Ok(Default::default());
    }
    let date = Date { year: r.u16()?, month: r.u8()?, day: r.u8()? };
    let clock = match len {
        4 => Clock::default(),
        7 => clock(r, false)?,
        11 | 13 => clock(r, true)?,
        _ => return Err(Malformed),
    };
    let zone = if len == 13 { Some(r.u16()? as i16) } else { None };
    Ok((date, clock, zone))
}

fn time<'a>(r: &mut Reader<'a>) -> Result<Param<'a>, Malformed> {
    let len = r.u8()?;
    if len == 0 {
        return Ok(Param::Time { negative: false, days: 0, clock: Clock::default() });
    }
    let (negative, days) = (r.u8()? != 0, r.u32()?);
    let clock = match len {
        8 => clock(r, false)?,
        12 => clock(r, true)?,
        _ => return Err(Malformed),
    };
    Ok(Param::Time { negative, days, clock })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(
        body: &[u8],
        count: usize,
        types: &mut Vec<ParamType>,
    ) -> Result<Vec<String>, Malformed> {
        let mut got = Vec::new();
        decode(body, count, types, |_| false, |p| got.push(format!("{p:?}")))?;
        Ok(got)
    }

    #[test]
    fn types_are_remembered() {
        let mut types = Vec::new();
        // (-1, NULL, 'ab') with types, then (5, NULL, 'c') without.
        let first = b"\x02\x01\x03\x00\x08\x80\xFD\x00\xFF\xFF\xFF\xFF\x02ab";
        assert_eq!(all(first, 3, &mut types).unwrap(), ["Int(-1)", "Null", "Bytes([97, 98])"]);
        let second = b"\x02\x00\x05\x00\x00\x00\x01c";
        assert_eq!(all(second, 3, &mut types).unwrap(), ["Int(5)", "Null", "Bytes([99])"]);
        assert_eq!(all(second, 3, &mut Vec::new()), Err(Malformed));
    }

    #[test]
    fn attributes_stand_before_the_text() {
        let (none, text) = attributes(b"\0\x01select 1").unwrap();
        assert_eq!((none.len(), text), (0, &b"select 1"[..]));
        // n = 'v', an empty one, and one that is NULL.
        let body = b"\x03\x01\x04\x01\xFE\0\x01n\x03\0\x01i\xFE\0\x02zz\x01v\x07\0\0\0do 1";
        let (all, text) = attributes(body).unwrap();
        let value = |p: &Param<'_>| format!("{p:?}");
        let all: Vec<_> =
            all.iter().map(|(n, p)| (String::from_utf8_lossy(n).into_owned(), value(p))).collect();
        assert_eq!(all[0], ("n".into(), "Bytes([118])".into()));
        assert_eq!(all[1], ("i".into(), "Int(7)".into()));
        assert_eq!(all[2], ("zz".into(), "Null".into()));
        assert_eq!(text, b"do 1");
        for cut in 0..body.len() - 4 {
            assert!(attributes(&body[..cut]).is_err(), "{cut}");
        }
        assert_eq!(attributes(b"\0\x02select 1"), Err(Malformed));
    }

    #[test]
    fn long_data_is_not_in_the_packet() {
        let mut got = Vec::new();
        let body = b"\x00\x01\xFC\x00\x01\x00\x07";
        decode(body, 2, &mut Vec::new(), |i| i == 0, |p| got.push(p)).unwrap();
        assert_eq!(got, [Param::Long, Param::Int(7)]);
    }

    #[test]
    fn temporals() {
        let body = b"\x00\x01\x0A\x00\x0C\x00\x0B\x00\
            \x04\xE8\x07\x02\x1D\
            \x0B\xE8\x07\x02\x1D\x01\x02\x03\x40\xE2\x01\x00\
            \x08\x01\x01\x00\x00\x00\x02\x03\x04";
        let mut got = Vec::new();
        decode(body, 3, &mut Vec::new(), |_| false, |p| got.push(p)).unwrap();
        let date = Date { year: 2024, month: 2, day: 29 };
        assert_eq!(got[0], Param::Date(date));
        let clock = Clock { hour: 1, minute: 2, second: 3, micros: 123_456 };
        assert_eq!(got[1], Param::DateTime(date, clock));
        let clock = Clock { hour: 2, minute: 3, second: 4, micros: 0 };
        assert_eq!(got[2], Param::Time { negative: true, days: 1, clock });
    }

    proptest! {
        #[test]
        fn garbage_never_panics(body: Vec<u8>, count in 0usize..40) {
            let _ = decode(&body, count, &mut Vec::new(), |i| i % 5 == 4, |_| {});
        }
    }
}
