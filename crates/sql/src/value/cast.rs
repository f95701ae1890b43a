//! CAST and CONVERT.

use super::context::{EvalCtx, SqlMode};
use super::convert::only_spaces;
use super::decimal::Decimal;
use super::error::shown;
use super::geo::{self, GeoKind};
use super::types::{Class, SqlType, TypeInfo};
use super::{Charset, Collation, Date, Time, Value, ValueError};
use crate::errno;

/// What CAST turns a value into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastTarget {
    Signed,
    Unsigned,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Float,
    Double,
    /// CHAR(n) in a character set.
    Char {
        chars: Option<u32>,
        collation: Collation,
    },
    Binary {
        bytes: Option<u32>,
    },
    Date,
    DateTime {
        fsp: u8,
    },
    /// What a clock of UTC shows at a point in time, in whole seconds.
    Utc {
        fsp: u8,
    },
    Time {
        fsp: u8,
    },
    Year,
    Json,
    Geometry(GeoKind),
    /// A list of elements of this type, for a multi-valued index.
    Array {
        element: SqlType,
    },
}

impl CastTarget {
    pub fn is_numeric(&self) -> bool {
        matches!(
            self,
            Self::Signed
                | Self::Unsigned
                | Self::Decimal { .. }
                | Self::Float
                | Self::Double
                | Self::Year
        )
    }

    /// The type of the cast; `from` gives the length of a text without one.
    pub fn result_type(&self, from: &TypeInfo) -> TypeInfo {
        let (ty, may_fail) = match *self {
            CastTarget::Signed => (SqlType::LONG_INT, false),
            CastTarget::Unsigned => (SqlType::LONG_UINT, false),
            CastTarget::Decimal { precision, scale } => (SqlType::decimal(precision, scale), false),
            CastTarget::Float => (SqlType::LONG_FLOAT, false),
            CastTarget::Double => (SqlType::LONG_DOUBLE, false),
            CastTarget::Char { chars, collation } => {
                // CONVERT(t USING binary) keeps the bytes.
                let longest = if collation.is_binary() { octet_length } else { text_length };
                (SqlType::varchar(chars.unwrap_or_else(|| longest(&from.ty)), collation), false)
            }
            CastTarget::Binary { bytes } => {
                (SqlType::varbinary(bytes.unwrap_or_else(|| octet_length(&from.ty))), false)
            }
            CastTarget::Date => (SqlType::Date, true),
            CastTarget::DateTime { fsp } | CastTarget::Utc { fsp } => {
                (SqlType::DateTime { fsp }, true)
            }
            CastTarget::Time { fsp } => (SqlType::Time { fsp }, true),
            CastTarget::Year => (SqlType::Year, true),
            CastTarget::Json => (SqlType::Json, false),
            CastTarget::Geometry(kind) => (SqlType::geometry(kind), true),
            CastTarget::Array { .. } => (SqlType::LIST, true),
        };
        TypeInfo::new(ty, from.nullable || may_fail)
    }
}

/// Characters of a type's values as text.
pub fn text_length(ty: &SqlType) -> u32 {
    ty.text_length()
}

/// Bytes of a type's values as text, in its own character set.
pub fn octet_length(ty: &SqlType) -> u32 {
    ty.octet_length()
}

/// `CAST(v AS target)`. Losses are warnings; only impossible targets are errors.
pub fn cast(
    v: &Value<'_>,
    target: CastTarget,
    cx: &mut EvalCtx<'_>,
) -> Result<Value<'static>, ValueError> {
    if v.is_null() {
        return Ok(Value::Null);
    }
    let before = cx.warnings.total();
    Ok(match target {
        CastTarget::Signed => to_signed(v, cx),
        CastTarget::Unsigned => to_unsigned(v, cx),
        CastTarget::Decimal { precision, scale } => to_decimal(v, precision, scale, cx),
        CastTarget::Float => match v.to_f64(&mut cx.warnings) {
            Some(x) if f64::from(x as f32).is_finite() => Value::Double(f64::from(x as f32)),
            _ => return Err(ValueError::out_of_range("FLOAT", "cast")),
        },
        CastTarget::Double => v.to_f64(&mut cx.warnings).map_or(Value::Null, Value::Double),
        CastTarget::Char { chars, collation } => to_char(v, chars, collation, cx),
        CastTarget::Binary { bytes } => to_binary(v, bytes, cx)?,
        CastTarget::Date => match v.to_date(cx) {
            Some(d) if allowed(&d, cx) => Value::Date(d),
            Some(_) => forbidden(v, before, cx),
            None => Value::Null,
        },
        CastTarget::DateTime { fsp } => match v.to_datetime(cx) {
            Some(d) if !allowed(&d.date, cx) => forbidden(v, before, cx),
            Some(d) => fit_datetime(d, fsp, cx).map_or(Value::Null, Value::DateTime),
            None => Value::Null,
        },
        CastTarget::Utc { fsp } => match v.to_datetime(cx) {
            Some(d) => {
                let utc = super::DateTime::from_civil_micros(cx.tz.time_of(d), fsp);
                utc.map_or(Value::Null, |d| {
                    Value::DateTime(super::DateTime { fsp, ..d.truncate(0) })
                })
            }
            None => Value::Null,
        },
        CastTarget::Time { fsp } => match v.to_time(cx) {
            Some(t) => Value::Time(fit_time(t, fsp, cx)),
            None => Value::Null,
        },
        CastTarget::Year => to_year(v, cx),
        CastTarget::Json => to_json(v, cx)?,
        CastTarget::Geometry(kind) => to_geometry(v, kind, cx)?,
        CastTarget::Array { element } => super::json::elements::list(v, &element, cx)?,
    })
}

/// The name that errors have for a cast to a geometry of this kind.
fn cast_name(kind: GeoKind) -> String {
    format!("cast_as_{}", kind.word().to_ascii_lowercase())
}

fn to_geometry(
    v: &Value<'_>,
    kind: GeoKind,
    cx: &mut EvalCtx<'_>,
) -> Result<Value<'static>, ValueError> {
    let bad = || ValueError::of(errno::ER_GIS_INVALID_DATA, &[&cast_name(kind)]);
    let bytes = v.as_bytes().ok_or_else(bad)?;
    let session = cx.session;
    let srs = |n| session.reference_system(n).ok_or_else(|| geo::Srs::not_found(n));
    cx.with_tree(bytes.len().saturating_mul(geo::TREE_PER_WKB), || {
        let g = geo::Geometry::from_stored(bytes).map_err(|_| bad())?;
        if g.srid != 0 {
            srs(g.srid)?;
        }
        Ok(Value::Bytes(geo::cast::cast(g, kind)?.to_stored().into()))
    })
}

/// NULL for a date that the mode forbids; the warning names the text or the number.
fn forbidden(v: &Value<'_>, before: u64, cx: &mut EvalCtx<'_>) -> Value<'static> {
    if v.is_string() || v.is_numeric() {
        // That it was cut does not matter then.
        if cx.warnings.total() > before {
            cx.warnings.take_last();
        }
        cx.warnings.incorrect("datetime", &v.to_bytes().unwrap_or_default());
    }
    Value::Null
}

/// Whether CAST(), DATE() and TIMESTAMP() give this date: under NO_ZERO_DATE and NO_ZERO_IN_DATE they answer NULL for what the mode
/// forbids, also where a column has it.
pub fn allowed(d: &Date, cx: &EvalCtx<'_>) -> bool {
    let zero = *d == Date::new(0, 0, 0);
    match zero {
        true => !cx.mode.has(SqlMode::NO_ZERO_DATE),
        false => !d.has_zero_part() || !cx.mode.has(SqlMode::NO_ZERO_IN_DATE),
    }
}

/// A value of one branch (IF, COALESCE, CASE, UNION) as a value of the merged type: `1` beside `0.5` is `1.0`.
pub fn coerce<'v>(v: Value<'v>, ty: &SqlType, cx: &mut EvalCtx<'_>) -> Value<'v> {
    let v = match ty {
        SqlType::Enum { .. } => v,
        _ => v.as_text(),
    };
    match (ty, &v) {
        (SqlType::Decimal { scale, .. }, Value::Int(_) | Value::UInt(_) | Value::Decimal(_)) => {
            let d = v.to_decimal(&mut cx.warnings).and_then(|d| d.round(*scale).ok());
            d.map_or(v, Value::Decimal)
        }
        (t, _) if t.class() == Class::Real && v.is_numeric() => {
            v.to_f64(&mut cx.warnings).map_or(Value::Null, Value::Double)
        }
        (SqlType::DateTime { fsp } | SqlType::Timestamp { fsp }, _) if v.is_temporal() => {
            let d = v.to_datetime(cx).map(|d| super::DateTime { fsp: *fsp, ..d });
            d.map_or(Value::Null, Value::DateTime)
        }
        (SqlType::Time { fsp }, Value::Time(t)) => Value::Time(Time { fsp: *fsp, ..*t }),
        (t, _) if t.is_string() && !v.is_null() && v.collation() != t.collation() => {
            let c = t.collation().unwrap_or(Collation::Binary);
            let bytes = v.to_text_in(c).map(|b| b.into_owned());
            bytes.map_or(Value::Null, |b| Value::text(b, c))
        }
        _ => v,
    }
}

/// What IF or CASE gives: `coerce`, except for the digits of a decimal that is shorter than the type.
pub fn coerce_choice<'v>(v: Value<'v>, ty: &SqlType, cx: &mut EvalCtx<'_>) -> Value<'v> {
    match (ty, &v) {
        (SqlType::Decimal { .. }, Value::Int(_) | Value::UInt(_)) => {
            v.to_decimal(&mut cx.warnings).map_or(v, Value::Decimal)
        }
        // One that has more digits is an average, which is rounded where it is shown.
        (SqlType::Decimal { .. }, Value::Decimal(_)) => v,
        _ => coerce(v, ty, cx),
    }
}

/// Rounds to `fsp` digits, or cuts where the mode says so.
pub(crate) fn fit_datetime(
    d: super::DateTime,
    fsp: u8,
    cx: &EvalCtx<'_>,
) -> Option<super::DateTime> {
    if cx.mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL) {
        Some(d.truncate(fsp))
    } else {
        d.round(fsp)
    }
}

pub(crate) fn fit_time(t: Time, fsp: u8, cx: &EvalCtx<'_>) -> Time {
    if cx.mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL) {
        let unit = 10i64.pow(6 - u32::from(fsp.min(6)));
        return Time { micros: t.micros / unit * unit, fsp };
    }
    t.round(fsp).clamp()
}

/// Text is JSON text, every other value a scalar.
fn to_json(v: &Value<'_>, cx: &mut EvalCtx<'_>) -> Result<Value<'static>, ValueError> {
    let dom = match v {
        Value::Json(j) => return Ok(Value::Json(j.clone().into_owned())),
        Value::Str(b, _) => {
            cx.work(b.len())?;
            super::json::from_text(v, Some(cx.session))?
                .map_err(|e| e.in_argument(1, "cast_as_json"))?
        }
        other => super::json::from_value(other),
    };
    dom.to_json().map(Value::Json)
}

fn to_signed(v: &Value<'_>, cx: &mut EvalCtx<'_>) -> Value<'static> {
    if let Value::UInt(n) = v {
        // A register's bits are kept.
        return Value::Int(*n as i64);
    }
    let Some(n) = v.to_integer(&mut cx.warnings) else { return Value::Null };
    if v.is_string() && n > i128::from(i64::MAX) && n <= i128::from(u64::MAX) {
        cx.warnings.warn(errno::ER_UNKNOWN_ERROR, || {
            "Cast to signed converted positive out-of-range integer to its negative complement"
                .into()
        });
        return Value::Int(n as u64 as i64);
    }
    if v.is_string() && n > i128::from(u64::MAX) {
        // A text beyond all integers is the largest unsigned one, whose bits are kept as well.
        return Value::Int(-1);
    }
    let clamped = n.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    if clamped != n && !v.is_string() {
        cx.warnings.truncated(kind_name(v), &v.to_bytes().unwrap_or_default());
    }
    Value::Int(clamped as i64)
}

fn to_unsigned(v: &Value<'_>, cx: &mut EvalCtx<'_>) -> Value<'static> {
    let Some(n) = v.to_integer(&mut cx.warnings) else { return Value::Null };
    if n < 0 {
        if matches!(v, Value::Decimal(_)) && n < i128::from(i64::MIN) {
            cx.warnings.truncated("DECIMAL", &v.to_bytes().unwrap_or_default());
        }
        if v.is_string() {
            cx.warnings.warn(errno::ER_UNKNOWN_ERROR, || {
                "Cast to unsigned converted negative integer to its positive complement".into()
            });
        }
        return Value::UInt(n.max(i128::from(i64::MIN)) as i64 as u64);
    }
    if n > i128::from(u64::MAX) && !v.is_string() {
        cx.warnings.truncated(kind_name(v), &v.to_bytes().unwrap_or_default());
    }
    Value::UInt(u64::try_from(n).unwrap_or(u64::MAX))
}

fn kind_name(v: &Value<'_>) -> &'static str {
    match v {
        Value::Decimal(_) => "DECIMAL",
        _ => "INTEGER",
    }
}

fn to_decimal(v: &Value<'_>, precision: u8, scale: u8, cx: &mut EvalCtx<'_>) -> Value<'static> {
    let Some(d) = v.to_decimal(&mut cx.warnings) else { return Value::Null };
    let max = Decimal::max_value(precision, scale, d.is_negative());
    match d.round(scale) {
        Ok(r) if r.abs() <= max.abs() => Value::Decimal(r),
        _ => {
            let text = "Out of range value for column 'CAST()' at row 1";
            cx.warnings.warn(errno::ER_WARN_DATA_OUT_OF_RANGE, || text.into());
            Value::Decimal(max)
        }
    }
}

/// How much of a text is one of the set: of what is not, a strict mode leaves nothing, and others what stands before it.
fn valid_part(bytes: &[u8], charset: Charset, cx: &mut EvalCtx<'_>) -> Option<usize> {
    let valid = charset.well_formed_bytes(bytes);
    if valid < bytes.len() {
        let rest = bytes[valid..].iter().take(3);
        let hex: String = rest.map(|b| format!("{b:02X}")).collect();
        let text = format!("Invalid {} character string: '{hex}'", charset.name());
        cx.warnings.warn(errno::ER_INVALID_CHARACTER_STRING, || text);
        if cx.mode.strict() {
            return None;
        }
    }
    Some(valid)
}

fn to_char(
    v: &Value<'_>,
    chars: Option<u32>,
    collation: Collation,
    cx: &mut EvalCtx<'_>,
) -> Value<'static> {
    let charset = collation.charset();
    if let Value::Bytes(b) = v
        && charset.is_wide()
        && let padded = charset.padded(b)
        && valid_part(&padded, charset, cx).is_none_or(|n| n < padded.len())
    {
        return Value::Null;
    }
    let Some(text) = v.to_text_in(collation) else { return Value::Null };
    let mut text = text.into_owned();
    if !charset.is_wide() {
        match valid_part(&text, charset, cx) {
            Some(n) => text.truncate(n),
            None => return Value::Null,
        }
    }
    if let Some(n) = chars {
        let keep = collation.prefix_bytes(&text, n as usize);
        if keep < text.len() {
            if !only_spaces(&text[keep..]) {
                cx.warnings.truncated(&format!("CHAR({n})"), &text);
            }
            text.truncate(keep);
        }
    }
    Value::text(text, collation)
}

fn to_binary(
    v: &Value<'_>,
    bytes: Option<u32>,
    cx: &mut EvalCtx<'_>,
) -> Result<Value<'static>, ValueError> {
    let Some(text) = v.to_octets() else { return Ok(Value::Null) };
    let mut text = text.into_owned();
    if let Some(n) = bytes {
        let max = cx.max_packet;
        if n as usize > max {
            let told = format!(
                "Result of cast_as_binary() was larger than max_allowed_packet ({max}) - truncated"
            );
            cx.warnings.warn(errno::ER_WARN_ALLOWED_PACKET_OVERFLOWED, || told);
            return Ok(Value::Null);
        }
        cx.reserve(n as usize)?;
        if text.len() > n as usize {
            cx.warnings.truncated(&format!("BINARY({n})"), &text);
        }
        text.resize(n as usize, 0);
    }
    Ok(Value::Bytes(text.into()))
}

fn to_year(v: &Value<'_>, cx: &mut EvalCtx<'_>) -> Value<'static> {
    let year = match v {
        Value::Date(d) => Some(i128::from(d.year)),
        Value::DateTime(d) => Some(i128::from(d.date.year)),
        Value::Time(_) => super::convert::now(cx, 0).map(|d| i128::from(d.date.year)),
        other => other.to_integer(&mut cx.warnings),
    };
    let text_zero = v.is_string();
    match year.and_then(|y| year_value(y, text_zero)) {
        Some(y) => Value::UInt(u64::from(y)),
        None => {
            let text = shown(&v.to_bytes().unwrap_or_default());
            cx.warnings.warn(errno::ER_TRUNCATED_WRONG_VALUE, || {
                format!("Truncated incorrect YEAR value: '{text}'")
            });
            Value::Null
        }
    }
}

/// YEAR's reading of a number: 1..69 are 20xx, 70..99 19xx; text '0' is 2000.
pub(crate) fn year_value(y: i128, text: bool) -> Option<u16> {
    match y {
        0 if text => Some(2000),
        0 => Some(0),
        1..=99 => Some(super::temporal::parse::full_year(y as u16)),
        1901..=2155 => Some(y as u16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoSession;
    use super::*;

    fn run(v: Value<'_>, target: CastTarget) -> (Option<String>, u64) {
        let mut cx = EvalCtx::new(&NoSession);
        let out = cast(&v, target, &mut cx).expect("castable");
        (out.to_string_lossy(), cx.warnings.total())
    }

    #[test]
    fn table() {
        use CastTarget::*;
        let ci = Collation::Utf8mb4GeneralCi;
        let cases = [
            (Value::str("12abc"), Signed, Some("12"), 1),
            (Value::str("abc"), Signed, Some("0"), 1),
            (Value::Double(1.5), Signed, Some("2"), 0),
            (Value::Int(-1), Unsigned, Some("18446744073709551615"), 0),
            (Value::str("12345.678"), Decimal { precision: 5, scale: 2 }, Some("999.99"), 1),
            (Value::str("1.005"), Decimal { precision: 5, scale: 2 }, Some("1.01"), 0),
            (Value::Int(5), Char { chars: None, collation: ci }, Some("5"), 0),
            (Value::str("abc"), Char { chars: Some(2), collation: ci }, Some("ab"), 1),
            (Value::str("2024-01-15 10:11:12"), Date, Some("2024-01-15"), 0),
            (Value::str("2024-01-15"), DateTime { fsp: 3 }, Some("2024-01-15 00:00:00.000"), 0),
            (Value::str("10:11:12.6"), Time { fsp: 0 }, Some("10:11:13"), 0),
            (Value::str("x"), Date, None, 1),
            (Value::Null, Signed, None, 0),
            (Value::Int(70), Year, Some("1970"), 0),
        ];
        for (v, target, want, warnings) in cases {
            let got = run(v.clone(), target);
            assert_eq!((got.0.as_deref(), got.1), (want, warnings), "{v:?} {target:?}");
        }
        let mut cx = EvalCtx::new(&NoSession);
        let merged = coerce(Value::Int(1), &SqlType::decimal(3, 1), &mut cx);
        assert_eq!(merged.to_string_lossy().as_deref(), Some("1.0"));
        let merged = coerce(Value::Int(1), &SqlType::varchar(3, ci), &mut cx);
        assert_eq!(merged, Value::str("1"));
        let padded =
            cast(&Value::str("a"), Binary { bytes: Some(3) }, &mut EvalCtx::new(&NoSession));
        assert_eq!(padded, Ok(Value::Bytes(b"a\0\0".to_vec().into())));
    }
}
