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
    Bytes(&'a [u8]),
    Decimal(&'a [u8]),
    Date(Date),
    DateTime(Date, Clock),
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

/// Decodes the parameters of a statement with `count` of them. `types` is what the client bound
/// last: clients send types once and leave them out while they stay the same. `is_long` tells
/// which parameters came as long data. Calls `each` in order.
pub fn decode<'a>(
    body: &'a [u8],
    count: usize,
    types: &mut Vec<ParamType>,
    is_long: impl Fn(usize) -> bool,
    mut each: impl FnMut(Param<'a>),
) -> Result<(), Malformed> {
    if count == 0 {
        return Ok(());
    }
    let mut r = Reader::new(body);
    let nulls = r.bytes(count.div_ceil(8))?;
    if r.u8()? == 1 {
        types.clear();
        for _ in 0..count {
            let [code, flag] = r.array()?;
            types.push(ParamType { code, unsigned: flag & 0x80 != 0 });
        }
    }
    if types.len() != count {
        return Err(Malformed);
    }
    for (i, ty) in types.iter().enumerate() {
        each(if is_long(i) {
            Param::Long
        } else if nulls[i / 8] & (1 << (i % 8)) != 0 {
            Param::Null
        } else {
            value(&mut r, *ty)?
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
        ty::DATETIME | ty::TIMESTAMP => {
            let (date, clock) = date_time(r)?;
            Param::DateTime(date, clock)
        }
        ty::TIME => time(r)?,
        ty::DECIMAL | ty::NEWDECIMAL => Param::Decimal(r.lenenc_str()?),
        ty::VARCHAR
        | ty::BIT
        | ty::JSON
        | ty::ENUM
        | ty::SET
        | ty::TINY_BLOB
        | ty::MEDIUM_BLOB
        | ty::LONG_BLOB
        | ty::BLOB
        | ty::VAR_STRING
        | ty::STRING
        | ty::GEOMETRY => Param::Bytes(r.lenenc_str()?),
        _ => return Err(Malformed),
    })
}

fn clock(r: &mut Reader<'_>, with_micros: bool) -> Result<Clock, Malformed> {
    let [hour, minute, second] = r.array()?;
    let micros = if with_micros { r.u32()? } else { 0 };
    Ok(Clock { hour, minute, second, micros })
}

fn date_time(r: &mut Reader<'_>) -> Result<(Date, Clock), Malformed> {
    let len = r.u8()?;
    if len == 0 {
        return Ok(Default::default());
    }
    let date = Date { year: r.u16()?, month: r.u8()?, day: r.u8()? };
    let clock = match len {
        4 => Clock::default(),
        7 => clock(r, false)?,
        11 => clock(r, true)?,
        _ => return Err(Malformed),
    };
    Ok((date, clock))
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
