//! Documents in the bytes that MySQL's binary log has of them.
//!
//! They are those of the tables here, except for what JSON itself has not: MySQL has decimals in its packed form of DECIMAL, and dates and
//! times in the packed numbers of its field types (`decimal2bin`, `TIME_to_longlong_datetime_packed`, `TIME_to_longlong_time_packed`), in
//! which a year has 13 months.

use super::super::types::protocol::column_type;
use super::super::{Date, DateTime, Decimal, Time, ValueError};
use super::binary::{Item, View};
use super::dom::Dom;
use std::borrow::Cow;
use weir_binlog::decimal as packed;

/// MySQL's limits of a decimal.
const PRECISION: u8 = 65;
const SCALE: u8 = 30;

/// A document of a table, as the log has it.
pub fn to_logged(doc: &[u8]) -> Result<Cow<'_, [u8]>, ValueError> {
    match differs(View::new(doc)) {
        false => Ok(Cow::Borrowed(doc)),
        true => logged(&View::new(doc).to_dom()).map(Cow::Owned),
    }
}

/// The bytes that the log has of a document.
pub fn logged(doc: &Dom) -> Result<Vec<u8>, ValueError> {
    Ok(in_their_form(doc).to_json()?.as_bytes().to_vec())
}

/// The document that a log has. What cannot be read stays the bytes of its type.
pub fn from_logged(doc: &[u8]) -> Dom {
    ours(View::new(doc))
}

fn differs(v: View<'_>) -> bool {
    match v.item() {
        Item::Array | Item::Object => v.elements().any(differs),
        Item::Decimal(_) | Item::Date(_) | Item::Time(_) | Item::DateTime(..) => true,
        _ => false,
    }
}

fn in_their_form(d: &Dom) -> Dom {
    let number = |ty, n: i64| Dom::Opaque(ty, n.to_le_bytes().into());
    match d {
        Dom::Decimal(d) => decimal(d),
        Dom::Date(d) => number(column_type::DATE, moment(&d.at_midnight())),
        Dom::Time(t) => number(column_type::TIME, clock(t)),
        Dom::DateTime(d) => {
            let ty = if d.1 { column_type::TIMESTAMP } else { column_type::DATETIME };
            number(ty, moment(&d.0))
        }
        Dom::Array(list) => Dom::Array(list.iter().map(in_their_form).collect()),
        Dom::Object(members) => {
            Dom::Object(members.iter().map(|(k, v)| (k.clone(), in_their_form(v))).collect())
        }
        other => other.clone(),
    }
}

/// A number with more digits than MySQL has is a double.
fn decimal(d: &Decimal) -> Dom {
    let as_double = || Dom::Double(d.to_f64());
    let Ok(d) = d.round(d.scale().min(SCALE)) else { return as_double() };
    let (precision, scale) = (d.precision().max(d.scale()).max(1), d.scale());
    if precision > PRECISION {
        return as_double();
    }
    let mut data = vec![precision, scale];
    match packed::encode(&d.to_string(), precision, scale, &mut data) {
        Ok(()) => Dom::Opaque(column_type::NEWDECIMAL, data.into()),
        Err(_) => as_double(),
    }
}

fn moment(d: &DateTime) -> i64 {
    let day = (i64::from(d.date.year) * 13 + i64::from(d.date.month)) << 5 | i64::from(d.date.day);
    let clock = i64::from(d.hour) << 12 | i64::from(d.minute) << 6 | i64::from(d.second);
    (day << 17 | clock) << 24 | i64::from(d.micro)
}

fn clock(t: &Time) -> i64 {
    let micros = t.micros.unsigned_abs();
    let seconds = micros / 1_000_000;
    let clock = (seconds / 3600) << 12 | (seconds / 60 % 60) << 6 | (seconds % 60);
    let n = (clock << 24 | (micros % 1_000_000)) as i64;
    if t.micros < 0 { -n } else { n }
}

fn ours(v: View<'_>) -> Dom {
    if let Some((ty, data)) = v.opaque() {
        return read(ty, data).unwrap_or_else(|| Dom::Opaque(ty, data.into()));
    }
    match v.item() {
        Item::Array => Dom::Array(v.elements().map(ours).collect()),
        Item::Object => Dom::Object(v.members().map(|(k, v)| (k.into(), ours(v))).collect()),
        _ => v.to_dom(),
    }
}

fn read(ty: u8, data: &[u8]) -> Option<Dom> {
    let number = || data.try_into().ok().map(i64::from_le_bytes);
    Some(match ty {
        column_type::NEWDECIMAL => {
            let (digits, bytes) = data.split_at_checked(2)?;
            let text = packed::decode(bytes, digits[0], digits[1]).ok()?;
            Dom::Decimal(Box::new(Decimal::parse(text.as_bytes()).value?))
        }
        column_type::DATE => Dom::Date(moment_of(number()?)?.date),
        column_type::TIME => Dom::Time(time_of(number()?)?),
        column_type::DATETIME => Dom::DateTime(Box::new((moment_of(number()?)?, false))),
        column_type::TIMESTAMP => Dom::DateTime(Box::new((moment_of(number()?)?, true))),
        _ => return None,
    })
}

fn moment_of(n: i64) -> Option<DateTime> {
    let n = u64::try_from(n).ok()?;
    let (day, clock) = (n >> 41, n >> 24);
    let months = day >> 5;
    let d = DateTime {
        date: Date::new((months / 13).try_into().ok()?, (months % 13) as u8, (day & 31) as u8),
        hour: (clock >> 12 & 31) as u8,
        minute: (clock >> 6 & 63) as u8,
        second: (clock & 63) as u8,
        micro: (n & 0xFF_FFFF) as u32,
        fsp: 6,
        ..DateTime::default()
    };
    let fits = d.date.year <= 9999 && d.hour < 24 && d.minute < 60 && d.second < 60;
    (fits && d.micro < 1_000_000).then_some(d)
}

fn time_of(n: i64) -> Option<Time> {
    let size = n.unsigned_abs();
    let (clock, micros) = (size >> 24, size & 0xFF_FFFF);
    let (hours, minutes, seconds) = (clock >> 12, clock >> 6 & 63, clock & 63);
    if hours > 838 || minutes > 59 || seconds > 59 || micros > 999_999 {
        return None;
    }
    let all = (((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros) as i64;
    Some(Time::from_micros(if n < 0 { -all } else { all }, 6))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(d: &Dom) -> Dom {
        let bytes = d.to_json().unwrap();
        from_logged(&to_logged(bytes.as_bytes()).unwrap())
    }

    /// What MySQL 9.7 stores of `JSON_ARRAY(1.50, DATE'2026-11-29', TIME'-10:11:12.5', TIMESTAMP'2001-02-03 04:05:06')`.
    #[test]
    fn values_have_the_bytes_of_mysql() {
        let text = |s: &str| Box::new(Decimal::parse(s.as_bytes()).value.unwrap());
        let at = DateTime {
            date: Date::new(2001, 2, 3),
            hour: 4,
            minute: 5,
            second: 6,
            micro: 0,
            fsp: 6,
            ..DateTime::default()
        };
        for (dom, hex) in [
            (Dom::Decimal(text("1.50")), "0ff60403028132"),
            (Dom::Decimal(text("-1234567890123.5")), "0ff6090e017b2dde26af34fa"),
            (Dom::Date(Date::new(2026, 11, 29)), "0f0a0800000000007abb19"),
            (Dom::Time(Time::from_micros(-36_672_500_000, 6)), "0f0b08e05ef8335dffffff"),
            (Dom::DateTime(Box::new((at, false))), "0f0c080000004641c66719"),
        ] {
            let bytes = logged(&dom).unwrap();
            let shown: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(shown, hex, "{dom:?}");
            assert_eq!(from_logged(&bytes).to_json().unwrap(), dom.to_json().unwrap());
        }
    }

    #[test]
    fn what_mysql_cannot_have_is_a_double_or_stays_as_it_is() {
        let many = "9".repeat(70);
        let d = Dom::Decimal(Box::new(Decimal::of_literal(&many).unwrap()));
        assert_eq!(back(&d), Dom::Double(1e70));
        for ty in [column_type::NEWDECIMAL, column_type::DATE, column_type::TIME] {
            let odd = Dom::Opaque(ty, vec![0xFF; 7].into());
            let bytes = odd.to_json().unwrap();
            assert_eq!(from_logged(bytes.as_bytes()), odd);
        }
    }

    proptest! {
        #[test]
        fn values_come_back(n: i64, scale in 0u8..=18, days in 0u32..3_000_000, micros in -3_020_399_999_999i64..3_020_399_999_999) {
            let date = Date::new((days / 372 % 10_000) as u16, (days / 31 % 12 + 1) as u8, (days % 31 + 1) as u8);
            let time = Time::from_micros(micros, 6);
            let of_day = micros.unsigned_abs() / 1_000_000 % 86_400;
            let at = DateTime {
                date,
                hour: (of_day / 3600) as u8,
                minute: (of_day / 60 % 60) as u8,
                second: (of_day % 60) as u8,
                micro: (micros.unsigned_abs() % 1_000_000) as u32,
                fsp: 6,
                ..DateTime::default()
            };
            let decimal = Decimal::from_i128(i128::from(n), scale);
            let all = Dom::Array(vec![
                Dom::Date(date), Dom::Time(time), Dom::DateTime(Box::new((at, true))),
                Dom::object(vec![(b"d"[..].into(), Dom::Decimal(Box::new(decimal)))]), Dom::str(b"x"),
            ]);
            prop_assert_eq!(back(&all).to_json().unwrap(), all.to_json().unwrap());
        }
    }
}
