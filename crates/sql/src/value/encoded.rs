//! Values as bytes, for rows that wait in a file of this server's own until their statement goes on: every variant with all that it is,
//! so that the value that comes back is the same, the text of no member and the point in time of a TIMESTAMP included.
//!
//! A kind in one byte, then: numbers of eight bytes; a decimal's sign, scale and four limbs; of texts and bytes their length in four bytes
//! (a text's collation before it); dates and times field by field. All numbers little-endian. Nothing reads such bytes but the same program.

use super::{Date, DateTime, Decimal, Json, Time, Value, is_no_member, no_member};
use std::borrow::Cow;
use weir_engine::row::Collation;

const NULL: u8 = 0;
const INT: u8 = 1;
const UINT: u8 = 2;
const DECIMAL: u8 = 3;
const DOUBLE: u8 = 4;
const STR: u8 = 5;
const BYTES: u8 = 6;
const DATE: u8 = 7;
const TIME: u8 = 8;
const DATETIME: u8 = 9;
const JSON: u8 = 10;
/// An ENUM's number 0, as text and as bytes.
const NO_MEMBER: u8 = 11;
const NO_MEMBER_BYTES: u8 = 12;

/// Puts the value behind what is in `out`.
pub fn encode(v: &Value<'_>, out: &mut Vec<u8>) {
    match v {
        Value::Null => out.push(NULL),
        Value::Int(n) => {
            out.push(INT);
            out.extend_from_slice(&n.to_le_bytes());
        }
        Value::UInt(n) => {
            out.push(UINT);
            out.extend_from_slice(&n.to_le_bytes());
        }
        Value::Decimal(d) => {
            let (neg, scale, limbs) = d.parts();
            out.extend_from_slice(&[DECIMAL, u8::from(neg), scale]);
            limbs.iter().for_each(|limb| out.extend_from_slice(&limb.to_le_bytes()));
        }
        Value::Double(x) => {
            out.push(DOUBLE);
            out.extend_from_slice(&x.to_bits().to_le_bytes());
        }
        Value::Str(b, c) => {
            out.push(if is_no_member(b) { NO_MEMBER } else { STR });
            out.extend_from_slice(&c.id().to_le_bytes());
            put_bytes(b, out);
        }
        Value::Bytes(b) => {
            out.push(if is_no_member(b) { NO_MEMBER_BYTES } else { BYTES });
            put_bytes(b, out);
        }
        Value::Date(d) => {
            out.push(DATE);
            put_date(d, out);
        }
        Value::Time(t) => {
            out.push(TIME);
            out.extend_from_slice(&t.micros.to_le_bytes());
            out.push(t.fsp);
        }
        Value::DateTime(t) => {
            out.push(DATETIME);
            put_date(&t.date, out);
            out.extend_from_slice(&[t.hour, t.minute, t.second]);
            out.extend_from_slice(&t.micro.to_le_bytes());
            out.extend_from_slice(&[t.fsp, u8::from(t.later)]);
        }
        Value::Json(j) => {
            out.push(JSON);
            put_bytes(j.as_bytes(), out);
        }
    }
}

fn put_bytes(b: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(b.len() as u32).to_le_bytes());
    out.extend_from_slice(b);
}

fn put_date(d: &Date, out: &mut Vec<u8>) {
    out.extend_from_slice(&d.year.to_le_bytes());
    out.extend_from_slice(&[d.month, d.day]);
}

/// Takes the first value off; `None`: these are no such bytes.
pub fn decode(bytes: &mut &[u8]) -> Option<Value<'static>> {
    let [kind] = array(bytes)?;
    Some(match kind {
        NULL => Value::Null,
        INT => Value::Int(i64::from_le_bytes(array(bytes)?)),
        UINT => Value::UInt(u64::from_le_bytes(array(bytes)?)),
        DECIMAL => {
            let [neg, scale] = array(bytes)?;
            let mut limbs = [0; 4];
            for limb in &mut limbs {
                *limb = u64::from_le_bytes(array(bytes)?);
            }
            Value::Decimal(Decimal::from_parts(neg != 0, scale, limbs))
        }
        DOUBLE => Value::Double(f64::from_bits(u64::from_le_bytes(array(bytes)?))),
        STR => {
            let c = Collation::by_id(u16::from_le_bytes(array(bytes)?))?;
            Value::Str(take_bytes(bytes)?, c)
        }
        NO_MEMBER => {
            let c = Collation::by_id(u16::from_le_bytes(array(bytes)?))?;
            take_bytes(bytes)?;
            Value::Str(Cow::Borrowed(no_member()), c)
        }
        BYTES => Value::Bytes(take_bytes(bytes)?),
        NO_MEMBER_BYTES => {
            take_bytes(bytes)?;
            Value::Bytes(Cow::Borrowed(no_member()))
        }
        DATE => Value::Date(take_date(bytes)?),
        TIME => {
            let micros = i64::from_le_bytes(array(bytes)?);
            let [fsp] = array(bytes)?;
            Value::Time(Time { micros, fsp })
        }
        DATETIME => {
            let date = take_date(bytes)?;
            let [hour, minute, second] = array(bytes)?;
            let micro = u32::from_le_bytes(array(bytes)?);
            let [fsp, later] = array(bytes)?;
            Value::DateTime(DateTime { date, hour, minute, second, micro, fsp, later: later != 0 })
        }
        JSON => Value::Json(Json::from_bytes(take_bytes(bytes)?)),
        _ => return None,
    })
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*head)
}

fn take_bytes(bytes: &mut &[u8]) -> Option<Cow<'static, [u8]>> {
    let len = u32::from_le_bytes(array(bytes)?) as usize;
    let (head, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(Cow::Owned(head.to_vec()))
}

fn take_date(bytes: &mut &[u8]) -> Option<Date> {
    let year = u16::from_le_bytes(array(bytes)?);
    let [month, day] = array(bytes)?;
    Some(Date { year, month, day })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value<'static>> {
        let bytes = || prop::collection::vec(any::<u8>(), 0..40).prop_map(Cow::Owned);
        let date = || (any::<u16>(), any::<u8>(), any::<u8>());
        let date = || date().prop_map(|(year, month, day)| Date { year, month, day });
        let collation = || prop::sample::select(crate::value::ALL_COLLATIONS);
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Int),
            any::<u64>().prop_map(Value::UInt),
            (any::<i128>(), 0..31u8).prop_map(|(n, s)| Value::Decimal(Decimal::from_i128(n, s))),
            (1..66u8, any::<bool>()).prop_map(|(p, neg)| Value::Decimal(Decimal::max_value(
                p,
                p.min(30),
                neg
            ))),
            any::<u64>().prop_map(|bits| Value::Double(f64::from_bits(bits))),
            (bytes(), collation()).prop_map(|(b, c)| Value::Str(b, c)),
            collation().prop_map(|c| Value::Str(Cow::Borrowed(no_member()), c)),
            bytes().prop_map(Value::Bytes),
            Just(Value::Bytes(Cow::Borrowed(no_member()))),
            date().prop_map(Value::Date),
            (any::<i64>(), 0..7u8).prop_map(|(micros, fsp)| Value::Time(Time { micros, fsp })),
            (date(), any::<[u8; 4]>(), any::<u32>(), any::<bool>()).prop_map(
                |(date, [hour, minute, second, fsp], micro, later)| {
                    Value::DateTime(DateTime { date, hour, minute, second, micro, fsp, later })
                }
            ),
            bytes().prop_map(|b: Cow<'static, [u8]>| Value::Json(Json::from_bytes(b))),
        ]
    }

    proptest! {
        /// What comes back shows itself as the same in every field, and so does its encoding; the text of no member is itself again.
        #[test]
        fn values_come_back(list in prop::collection::vec(value(), 0..20)) {
            let mut all = Vec::new();
            list.iter().for_each(|v| encode(v, &mut all));
            let (mut rest, mut again) = (&all[..], Vec::new());
            for v in &list {
                let got = decode(&mut rest).unwrap();
                prop_assert_eq!(format!("{got:?}"), format!("{v:?}"));
                encode(&got, &mut again);
            }
            prop_assert!(rest.is_empty());
            prop_assert_eq!(again, all);
        }

        /// Bytes that are none are refused, wherever they end.
        #[test]
        fn other_bytes_are_refused(v in value(), cut in any::<prop::sample::Index>()) {
            let mut all = Vec::new();
            encode(&v, &mut all);
            let mut part = &all[..cut.index(all.len())];
            prop_assert!(decode(&mut part).is_none());
            prop_assert!(decode(&mut &[99u8, 0, 0][..]).is_none());
        }
    }
}
