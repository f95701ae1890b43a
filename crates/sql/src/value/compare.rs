//! Comparison: which rule two types compare by, and the comparison itself.

use super::context::EvalCtx;
use super::error::{ValueError, Warnings, shown};
use super::json::{self, Json};
use super::temporal::parse::Reading;
use super::types::{Class, SqlType, TypeInfo, coercibility};
use super::{Charset, Collation, DateTime, SqlMode, Value};
use crate::errno;
use std::borrow::Cow;
use std::cmp::Ordering;

/// What two values are compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareRule {
    Text(Collation),
    Int,
    Decimal,
    Double,
    /// FLOAT(m,d) or DOUBLE(m,d) with a number of known places behind the point: doubles that are the same within half a unit of the last
    /// place that either has.
    Near {
        places: u8,
        other: Other,
    },
    /// Dates and datetimes; a text is read as one, and what is not one is the zero date.
    DateTime,
    /// Times. A text beside a time is compared with its text, and a number with its number: what a column of times makes a time of was
    /// made one before (`Adapt::Fitted`).
    Time,
    /// What is no JSON is a JSON scalar beside one.
    Json,
}

/// What a number of fixed places is compared with ([`CompareRule::Near`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// An exact number. A constant of another kind is compared as doubles are.
    Exact,
    /// An exact number, with a FLOAT: a constant of another kind is what FLOAT makes of it.
    Single,
    /// Another number of fixed places.
    Fixed,
}

impl CompareRule {
    /// The rule for two expressions. 1267 when their collations have equal claims.
    pub fn of(a: &TypeInfo, b: &TypeInfo, operation: &str) -> Result<CompareRule, ValueError> {
        use Class::{Date, DateTime, Decimal, Int, Json, Null, Real, Text, Time};
        Ok(match (a.ty.class(), b.ty.class()) {
            (Json, _) | (_, Json) => CompareRule::Json,
            (Text, Text) => CompareRule::Text(common_collation(a, b, operation)?),
            (Null, c) | (c, Null) => match c {
                Text => CompareRule::Text(beside_null(a, b, operation)?),
                Date | DateTime => CompareRule::DateTime,
                Time => CompareRule::Time,
                Decimal => CompareRule::Decimal,
                Real => CompareRule::Double,
                Int | Null | Json => CompareRule::Int,
            },
            (Int, Int) => CompareRule::Int,
            (Int | Decimal, Int | Decimal) => CompareRule::Decimal,
            (Time, Time | Text) | (Text, Time) => CompareRule::Time,
            (Date | DateTime, Date | DateTime | Time | Text) | (Time | Text, Date | DateTime) => {
                CompareRule::DateTime
            }
            _ => CompareRule::Double,
        })
    }

    /// The rule for two values whose types are not known before. Where the collations have equal claims that of `a`
    /// rules: binding has given it the right one.
    pub fn of_values(a: &Value<'_>, b: &Value<'_>) -> CompareRule {
        let (a, b) = (TypeInfo::new(type_of(a), true), TypeInfo::new(type_of(b), true));
        let first = || a.ty.collation().unwrap_or(Collation::Utf8mb4Bin);
        CompareRule::of(&a, &b, "=").unwrap_or_else(|_| CompareRule::Text(first()))
    }
}

/// NULL has no claim, and what is compared with it is a text that can be compared.
fn beside_null(a: &TypeInfo, b: &TypeInfo, operation: &str) -> Result<Collation, ValueError> {
    let text = if a.ty.collation().is_some() { a } else { b };
    let c = text.ty.collation().unwrap_or(Collation::Binary);
    match text.coercibility {
        coercibility::NONE => Err(ValueError::illegal_mix_of(
            (c.name(), coercibility::NONE),
            (Collation::Binary.name(), coercibility::IGNORABLE),
            operation,
        )),
        _ => Ok(c),
    }
}

/// The rule for an integer and a text that is one to the digit: '7', and in another spelling '7.0' or '70e-1'.
pub fn rule_of_integers(a: &Value<'_>, b: &Value<'_>) -> Option<CompareRule> {
    let text = match (a, b) {
        (text @ Value::Str(..), Value::Int(_) | Value::UInt(_))
        | (Value::Int(_) | Value::UInt(_), text @ Value::Str(..)) => text,
        _ => return None,
    };
    match text.exact_integer() {
        Some(_) => Some(CompareRule::Int),
        None => text.whole_number().map(|_| CompareRule::Decimal),
    }
}

/// The narrowest type that describes a value.
pub fn type_of(v: &Value<'_>) -> SqlType {
    match v {
        Value::Null => SqlType::Null,
        Value::Int(_) => SqlType::BIGINT,
        Value::UInt(_) => SqlType::UBIGINT,
        // It is shown with a digit before the point, whatever its value.
        Value::Decimal(d) => SqlType::decimal(d.precision().max(d.scale() + 1), d.scale()),
        Value::Double(_) => SqlType::DOUBLE,
        Value::Str(b, c) => SqlType::varchar(c.char_len(b) as u32, *c),
        Value::Bytes(b) => SqlType::varbinary(b.len() as u32),
        Value::Date(_) => SqlType::Date,
        Value::Time(t) => SqlType::Time { fsp: t.fsp },
        Value::DateTime(d) => SqlType::DateTime { fsp: d.fsp },
        Value::Json(_) => SqlType::Json,
    }
}

/// The collation two texts are compared or joined in: the stronger claim wins; among equals `binary`, then the
/// wider character set, then `_bin` unless both were named by COLLATE; two different `_ci` of one set with equal
/// claims are error 1267. So is a text that was joined of two such, beside all but a COLLATE.
pub fn common_collation(
    a: &TypeInfo,
    b: &TypeInfo,
    operation: &str,
) -> Result<Collation, ValueError> {
    let (Some(x), Some(y)) = (a.ty.collation(), b.ty.collation()) else {
        return Ok(a.ty.collation().or(b.ty.collation()).unwrap_or(Collation::Binary));
    };
    let claims = [a.coercibility, b.coercibility];
    if claims.contains(&coercibility::NONE) && !claims.contains(&coercibility::EXPLICIT) {
        let (p, q) = (a.coercibility, b.coercibility);
        return Err(ValueError::illegal_mix_of((x.name(), p), (y.name(), q), operation));
    }
    if x == y {
        return Ok(x);
    }
    if a.coercibility != b.coercibility {
        let (strong, weak) = if a.coercibility < b.coercibility { (x, y) } else { (y, x) };
        // A weaker claim in a wider set keeps its characters, unless the strong one was explicit.
        let keep = strong.is_binary()
            || a.coercibility.min(b.coercibility) <= coercibility::SYSCONST
            || wider(strong, weak) == Some(strong);
        return Ok(if keep { strong } else { weak });
    }
    if x.is_binary() || y.is_binary() {
        return Ok(Collation::Binary);
    }
    let illegal = || {
        let claim = coercibility::name(a.coercibility);
        ValueError::illegal_mix(x.name(), y.name(), claim, operation)
    };
    if x.charset() != y.charset() {
        return wider(x, y).ok_or_else(illegal);
    }
    match (x.is_bytewise(), y.is_bytewise()) {
        _ if a.coercibility == coercibility::EXPLICIT => Err(illegal()),
        (true, false) => Ok(x),
        (false, true) => Ok(y),
        // A definition's `_utf8mb4'x'` beside what a function gives, which has the connection's collation: MySQL refuses it, but
        // then a table whose CHECK was written in one connection could not be written to in another.
        _ if a.coercibility == coercibility::COERCIBLE && (x.is_default() || y.is_default()) => {
            Ok(Collation::default_of(x.charset()))
        }
        _ => Err(illegal()),
    }
}

/// The one of two collations whose character set has all characters of the other's: those with all of Unicode have those of
/// the BMP, these all others', and all have ASCII's.
pub fn wider(x: Collation, y: Collation) -> Option<Collation> {
    // As in MySQL two sets of the same characters, such as utf8mb4 and utf16 or utf8mb3 and ucs2, are none the wider one.
    let rank = |c: Collation| match c.charset() {
        Charset::Ascii => 0,
        Charset::Utf8mb3 | Charset::Ucs2 => 2,
        set if set.is_unicode() => 3,
        _ => 1,
    };
    match rank(x).cmp(&rank(y)) {
        Ordering::Greater => Some(x),
        Ordering::Less => Some(y),
        Ordering::Equal => (x.charset() == y.charset()).then_some(x),
    }
}

/// SQL comparison. `None` when a side is NULL.
pub fn compare(
    a: &Value<'_>,
    b: &Value<'_>,
    rule: CompareRule,
    cx: &mut EvalCtx<'_>,
) -> Result<Option<Ordering>, ValueError> {
    // Values of the rule's own kind need no conversion.
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => return Ok(None),
        (Value::Int(x), Value::Int(y)) if rule == CompareRule::Int => return Ok(Some(x.cmp(y))),
        (Value::Str(x, c), Value::Str(y, d)) => {
            if let CompareRule::Text(rule) = rule
                && c.charset() == rule.charset()
                && d.charset() == rule.charset()
            {
                return Ok(Some(rule.compare(x, y)));
            }
        }
        _ => {}
    }
    Ok(Some(match rule {
        CompareRule::Text(c) => c.compare(&as_comparable(a, c)?, &as_comparable(b, c)?),
        // What was taken for an integer because of a literal whose kind is known at run time only.
        CompareRule::Int if is_fraction(a) || is_fraction(b) => {
            let rule = match (a, b) {
                (Value::Double(_), _) | (_, Value::Double(_)) => CompareRule::Double,
                _ => CompareRule::Decimal,
            };
            return compare(a, b, rule, cx);
        }
        CompareRule::Int => {
            let w = &mut cx.warnings;
            a.to_integer(w).cmp(&b.to_integer(w))
        }
        CompareRule::Decimal => match (a, b) {
            (Value::Double(_), _) | (_, Value::Double(_)) => compare_doubles(a, b, cx),
            _ => {
                let w = &mut cx.warnings;
                a.to_compared_decimal(w).cmp(&b.to_compared_decimal(w))
            }
        },
        CompareRule::Json => json::compare(as_json(a)?.view(), as_json(b)?.view()),
        CompareRule::Double => compare_doubles(a, b, cx),
        CompareRule::Near { .. } if is_json(a) || is_json(b) => {
            return compare(a, b, CompareRule::Json, cx);
        }
        CompareRule::Near { places, other } => match are_near(a, b, places, other) {
            true => Ordering::Equal,
            false => compare_doubles(a, b, cx),
        },
        CompareRule::DateTime => {
            match (as_moment(a, is_date_alone(b), cx), as_moment(b, is_date_alone(a), cx)) {
                (Some(x), Some(y)) => x.cmp(&y),
                _ => compare_doubles(a, b, cx),
            }
        }
        CompareRule::Time => match (a, b) {
            (Value::Time(x), Value::Time(y)) => x.cmp(y),
            (Value::Str(..) | Value::Bytes(_), _) | (_, Value::Str(..) | Value::Bytes(_)) => {
                compare_as_texts(a, b)?
            }
            _ => match (a.find_time(false), b.find_time(false)) {
                (Some(x), Some(y)) if a.is_temporal() && b.is_temporal() => x.value.cmp(&y.value),
                _ => compare_doubles(a, b, cx),
            },
        },
    }))
}

/// Whether a double of so many places and another number are the same as far as their places go.
pub fn are_near(a: &Value<'_>, b: &Value<'_>, places: u8, other: Other) -> bool {
    let mut none = Warnings::with_limit(0);
    let (Some(x), Some(y)) = (a.to_f64(&mut none), b.to_f64(&mut none)) else { return false };
    let own = match (a, b) {
        (Value::Double(_), Value::Decimal(d)) | (Value::Decimal(d), Value::Double(_)) => d.scale(),
        (Value::Double(_), Value::Int(_) | Value::UInt(_))
        | (Value::Int(_) | Value::UInt(_), Value::Double(_)) => 0,
        (Value::Double(_), Value::Double(_)) if other == Other::Fixed => 0,
        (Value::Double(_), Value::Double(_) | Value::Str(..))
        | (Value::Str(..), Value::Double(_)) => {
            return other == Other::Single && x as f32 == y as f32;
        }
        _ => return false,
    };
    (x - y).abs() < 5.0 / 10f64.powi(i32::from(places.max(own)) + 1)
}

fn is_json(v: &Value<'_>) -> bool {
    matches!(v, Value::Json(_))
}

fn is_fraction(v: &Value<'_>) -> bool {
    matches!(v, Value::Decimal(_) | Value::Double(_))
}

/// A side of a comparison in its collation. 3854 for characters that the set lacks: with `?` in their place they would be
/// equal to what they are not.
pub fn as_comparable<'v>(v: &'v Value<'_>, c: Collation) -> Result<Cow<'v, [u8]>, ValueError> {
    match (v.to_exact_text_in(c), v) {
        (Some(text), _) => Ok(text),
        (None, Value::Str(text, own)) => {
            Err(ValueError::cannot_convert(text, own.charset(), c.charset()))
        }
        (None, _) => Ok(Cow::Borrowed(b"")),
    }
}

/// Total order for sorting and grouping: NULL first; values of one type, so no errors.
pub fn compare_for_order(a: &Value<'_>, b: &Value<'_>, rule: CompareRule) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => match (a, b) {
            (Value::Int(x), Value::Int(y)) => x.cmp(y),
            (Value::UInt(x), Value::UInt(y)) => x.cmp(y),
            (Value::Str(x, c), Value::Str(y, d)) if c == d && rule == CompareRule::Text(*c) => {
                c.compare(x, y)
            }
            (Value::DateTime(x), Value::DateTime(y)) => x.cmp(y),
            (Value::Date(x), Value::Date(y)) => x.cmp(y),
            (Value::Time(x), Value::Time(y)) => x.cmp(y),
            _ => {
                let mut cx = EvalCtx::new(&super::NoSession);
                compare(a, b, rule, &mut cx).ok().flatten().unwrap_or(Ordering::Equal)
            }
        },
    }
}

/// A value beside a document.
pub fn as_json<'v>(v: &'v Value<'_>) -> Result<Json<'v>, ValueError> {
    match v {
        Value::Json(j) => Ok(j.borrow()),
        other => json::from_value(other).to_json(),
    }
}

fn compare_doubles(a: &Value<'_>, b: &Value<'_>, cx: &mut EvalCtx<'_>) -> Ordering {
    let w = &mut cx.warnings;
    let (x, y) = (a.to_f64(w).unwrap_or(0.0), b.to_f64(w).unwrap_or(0.0));
    x.partial_cmp(&y).unwrap_or(Ordering::Equal)
}

/// In the collation of the side that is a text.
fn compare_as_texts(a: &Value<'_>, b: &Value<'_>) -> Result<Ordering, ValueError> {
    let collation = [a, b].into_iter().find_map(|v| match v {
        Value::Str(_, c) => Some(*c),
        _ => None,
    });
    let c = collation.unwrap_or(Collation::Binary);
    Ok(c.compare(&as_comparable(a, c)?, &as_comparable(b, c)?))
}

fn is_date_alone(v: &Value<'_>) -> bool {
    matches!(v, Value::Date(_))
}

/// A text that is no date is the zero date, with a warning: only a constant is an error, which `check_temporal` finds before there are
/// rows. A number that is no date is left to numeric comparison. `date`: the other side is a DATE.
pub fn as_moment(v: &Value<'_>, date: bool, cx: &mut EvalCtx<'_>) -> Option<DateTime> {
    match v {
        Value::DateTime(d) => Some(*d),
        Value::Date(d) => Some(d.at_midnight()),
        Value::Time(t) => super::convert::time_today(*t, cx),
        Value::Json(j) => j.view().to_temporal().and_then(|v| as_moment(&v, date, cx)),
        Value::Str(..) | Value::Bytes(_) => Some(date_or_zero(v, date, cx)),
        _ => v.find_datetime(cx).map(|f| f.value),
    }
}

/// A text or a number as a date, and the zero date where it is not one or the mode wants no such; `date`: beside a DATE.
pub fn date_or_zero(v: &Value<'_>, date: bool, cx: &mut EvalCtx<'_>) -> DateTime {
    let kind = if date { "date" } else { "datetime" };
    let text = || v.to_bytes().unwrap_or_default();
    match v.find_datetime(cx) {
        Some(f) if !is_refused(&f.value, cx) => {
            if f.truncated {
                cx.warnings.truncated(kind, &text());
            }
            f.value
        }
        _ => {
            cx.warnings.incorrect(kind, &text());
            DateTime::default()
        }
    }
}

/// What a client sends where the statement wants a DATE or a DATETIME. As where a client sends a date in the binary protocol, no mode is
/// asked for the days that there are.
pub fn sent_moment<'v>(ty: &SqlType, v: Value<'v>, cx: &mut EvalCtx<'_>) -> Value<'v> {
    if !v.is_string() {
        return v;
    }
    if let Some(found) =
        v.find_datetime_in(cx.tz, Reading { invalid_dates: true, ..Reading::of(cx.mode) })
    {
        return match found.date_only {
            true => Value::Date(found.value.date),
            false => Value::DateTime(found.value),
        };
    }
    let text = v.to_bytes().unwrap_or_default();
    match ty {
        SqlType::Date => cx.warnings.truncated("date", &text),
        _ => cx.warnings.incorrect("datetime", &text),
    }
    Value::Null
}

/// Whether a text is a date as far as the session's mode takes it for one.
pub fn is_date(v: &Value<'_>, cx: &EvalCtx<'_>) -> bool {
    v.find_datetime(cx).is_some_and(|found| !is_refused(&found.value, cx))
}

/// Zeros that the session's mode does not take for a date.
fn is_refused(d: &DateTime, cx: &EvalCtx<'_>) -> bool {
    match d.is_zero() {
        true => cx.mode.has(SqlMode::NO_ZERO_DATE),
        false => (d.date.month == 0 || d.date.day == 0) && cx.mode.has(SqlMode::NO_ZERO_IN_DATE),
    }
}

/// 1525 when a constant text cannot be compared with values of a type with a date.
pub fn check_temporal(v: &Value<'_>, ty: &SqlType, cx: &EvalCtx<'_>) -> Result<(), ValueError> {
    let kind = match ty {
        SqlType::Date => "DATE",
        SqlType::Timestamp { .. } => "TIMESTAMP",
        SqlType::DateTime { .. } => "DATETIME",
        _ => return Ok(()),
    };
    match is_date(v, cx) {
        true => Ok(()),
        false => Err(incorrect(kind, v.as_bytes().unwrap_or(b""))),
    }
}

fn incorrect(kind: &str, b: &[u8]) -> ValueError {
    ValueError::of(errno::ER_WRONG_VALUE, &[&kind, &shown(b)])
}

#[cfg(test)]
mod tests {
    use super::super::{Decimal, NoSession};
    use super::*;

    fn cmp(a: Value<'_>, b: Value<'_>) -> Option<Ordering> {
        let mut cx = EvalCtx::new(&NoSession);
        let rule = CompareRule::of_values(&a, &b);
        compare(&a, &b, rule, &mut cx).expect("comparable")
    }

    #[test]
    fn mixed_kinds() {
        use Ordering::*;
        assert_eq!(cmp(Value::Int(1), Value::str("1.0")), Some(Equal));
        assert_eq!(cmp(Value::str("abc"), Value::Int(0)), Some(Equal));
        assert_eq!(cmp(Value::UInt(u64::MAX), Value::Int(-1)), Some(Greater));
        let dec = Value::Decimal(Decimal::from_i128(100, 2));
        assert_eq!(cmp(dec, Value::Int(1)), Some(Equal));
        assert_eq!(cmp(Value::str("a"), Value::str("A ")), Some(Equal));
        assert_eq!(cmp(Value::Null, Value::Int(1)), None);
        let day = Value::Date(super::super::Date::new(2024, 1, 15));
        assert_eq!(cmp(day.clone(), Value::str("2024-1-15")), Some(Equal));
        assert_eq!(cmp(day.clone(), Value::Int(20_240_114)), Some(Greater));
        let mut cx = EvalCtx::new(&NoSession);
        // Only a constant that is not one is refused; any other is the zero date.
        let e = check_temporal(&Value::str("x"), &SqlType::Date, &cx).expect_err("bad");
        assert_eq!((e.errno, e.message.as_str()), (1525, "Incorrect DATE value: 'x'"));
        assert_eq!(
            compare(&day, &Value::str("x"), CompareRule::DateTime, &mut cx),
            Ok(Some(Greater))
        );
        assert_eq!(cx.warnings.total(), 1);
    }

    #[test]
    fn collations_meet() {
        let col = |c| TypeInfo::column(SqlType::varchar(10, c), true);
        let lit = |c| TypeInfo::new(SqlType::varchar(10, c), false);
        let meet = |a: &TypeInfo, b: &TypeInfo| common_collation(a, b, "=");
        let (ci, bin) = (Collation::Utf8mb4GeneralCi, Collation::Utf8mb4Bin);
        assert_eq!(meet(&col(bin), &lit(ci)), Ok(bin));
        assert_eq!(meet(&col(bin), &col(ci)), Ok(bin));
        assert_eq!(meet(&col(Collation::Latin1SwedishCi), &col(ci)), Ok(ci));
        assert_eq!(meet(&lit(Collation::Binary), &lit(ci)), Ok(Collation::Binary));
        let mixed = meet(&col(Collation::Latin1SwedishCi), &col(Collation::Latin1GeneralCi));
        assert_eq!(mixed.expect_err("equal claims").errno, 1267);
    }
}
