//! Stored values in the form that the client gets, for the types of which that is not more than another place for the same bytes.

use crate::session_api::OutValue;
use crate::value::{Class, SqlType, TimeZone, Value};
use weir_engine::row::Datum;

/// Whether a column's values go out without becoming any.
pub fn sent_as_stored(ty: &SqlType) -> bool {
    match ty.class() {
        Class::Int => !matches!(ty, SqlType::Year | SqlType::Bit { .. }),
        Class::Date | Class::DateTime => true,
        Class::Text => is_utf8_or_binary(ty) && !ty.is_list(),
        Class::Null | Class::Decimal | Class::Real | Class::Time | Class::Json => false,
    }
}

/// A stored value in the form that the client gets, for the types that [`sent_as_stored`] names.
pub fn stored<'v>(ty: &SqlType, datum: Datum<'v>, tz: TimeZone) -> Option<OutValue<'v>> {
    Some(match (ty.class(), datum) {
        (_, Datum::Null) => OutValue::Null,
        (Class::Int, Datum::Int(v)) => OutValue::Int(v),
        // Years are stored as another number.
        (Class::Int, Datum::UInt(v)) if sent_as_stored(ty) => OutValue::UInt(v),
        // BINARY(n) and all texts are stored as they are sent.
        (Class::Text, Datum::Bytes(b)) if is_utf8_or_binary(ty) => OutValue::Bytes(b),
        (Class::Date | Class::DateTime, d) => temporal(&ty.load(d, tz), ty)?,
        _ => return None,
    })
}

/// How the values of a column of such a type go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As they are.
    Same,
    /// Days and times in their parts.
    Moment,
}

pub fn form_of(ty: &SqlType) -> Form {
    match ty.class() {
        Class::Date | Class::DateTime => Form::Moment,
        _ => Form::Same,
    }
}

/// As [`stored`], for a column whose form is known.
#[inline]
pub fn formed<'v>(
    form: Form,
    ty: &SqlType,
    datum: Datum<'v>,
    tz: TimeZone,
) -> Option<OutValue<'v>> {
    match (form, datum) {
        (_, Datum::Null) => Some(OutValue::Null),
        (Form::Same, Datum::Int(v)) => Some(OutValue::Int(v)),
        (Form::Same, Datum::UInt(v)) => Some(OutValue::UInt(v)),
        (Form::Same, Datum::Bytes(b)) => Some(OutValue::Bytes(b)),
        (_, d) => stored(ty, d, tz),
    }
}

fn is_utf8_or_binary(ty: &SqlType) -> bool {
    ty.collation().is_some_and(|c| c.is_binary() || c.charset().is_unicode())
}

/// A date or a time with the decimals of its type.
pub fn temporal(v: &Value<'_>, ty: &SqlType) -> Option<OutValue<'static>> {
    let decimals = if ty.is_temporal() { ty.fsp() } else { return None };
    Some(match v {
        Value::Date(d) => OutValue::Date { year: d.year, month: d.month, day: d.day },
        Value::DateTime(d) => {
            let (_, hours, minute, second, micros) = d.time().parts();
            OutValue::DateTime {
                year: d.date.year,
                month: d.date.month,
                day: d.date.day,
                hour: hours as u8,
                minute,
                second,
                micros,
                decimals,
            }
        }
        Value::Time(t) => {
            let (negative, hours, minutes, seconds, micros) = t.parts();
            OutValue::Time { negative, hours, minutes, seconds, micros, decimals }
        }
        _ => return None,
    })
}
