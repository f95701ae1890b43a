//! Values into columns and back.

use super::convert::{local_time, only_spaces, write_u64};
use super::decimal::Decimal;
use super::double::{
    fitting_text, fixed_text, parse_prefix, power_of_ten, round_fraction, write_float,
};
use super::error::{ValueError, Warnings};
use super::geo;
use super::json::{self, Json, ParseError};
use super::store_temporal::{datetime_for, store_date, store_time, store_timestamp, store_year};
use super::temporal::{Date, DateTime, MICROS, Time};
use super::types::{IntKind, LobKind, Members, NOT_FIXED, SqlType, without_spaces};
use super::zone::TimeZone;
use super::{Charset, Collation, StoreCtx, Value, is_no_member, no_member};
use crate::errno;
use std::borrow::Cow;
use weir_engine::row::{Datum, DatumBuf};

pub(super) type Stored = Result<DatumBuf, ValueError>;

impl SqlType {
    /// The physical value of `v` in a column of this type. NULL stays NULL: whether the column takes it is the
    /// caller's question.
    pub fn store(&self, v: &Value<'_>, cx: &mut StoreCtx<'_>) -> Stored {
        if v.is_null() {
            return Ok(DatumBuf::Null);
        }
        let places = self.fixed_digits();
        match *self {
            SqlType::Null => Ok(DatumBuf::Null),
            SqlType::Int { kind, unsigned, .. } => store_int(v, kind, unsigned, cx),
            SqlType::Decimal { precision, scale, unsigned, .. } => {
                store_decimal(v, precision, scale, unsigned, cx)
            }
            SqlType::Float { unsigned, .. } => store_real(v, unsigned, places, true, cx),
            SqlType::Double { unsigned, .. } => store_real(v, unsigned, places, false, cx),
            SqlType::Char { chars, collation } => {
                let mut text = store_text(v, chars as usize, collation, true, cx)?;
                if collation.is_binary() {
                    text.resize(chars as usize, 0);
                } else {
                    // Padding of the type, whatever the collation holds of it.
                    let end = text.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
                    text.truncate(end);
                }
                Ok(DatumBuf::Bytes(text))
            }
            SqlType::Varchar { chars, collation } => {
                store_text(v, chars as usize, collation, false, cx).map(DatumBuf::Bytes)
            }
            SqlType::Text { kind, collation } => store_lob(v, kind, collation, cx),
            SqlType::Date => store_date(v, cx),
            SqlType::Time { fsp } => store_time(v, fsp, cx),
            SqlType::DateTime { fsp } => {
                datetime_for(v, "datetime", fsp, cx).map(|(d, _)| DatumBuf::UInt(d.pack()))
            }
            SqlType::Timestamp { fsp } => store_timestamp(v, fsp, cx),
            SqlType::Year => store_year(v, cx),
            SqlType::Bit { bits } => store_bit(v, bits, cx),
            SqlType::Enum { members, collation } => store_enum(v, members, collation, cx),
            SqlType::Set { members, collation } => store_set(v, members, collation, cx),
            SqlType::Json => store_json(v, cx),
            SqlType::Geometry { kind, srid } => {
                geo::column_value(v, kind, srid, cx.column).map(DatumBuf::Bytes)
            }
        }
    }

    /// What a NOT NULL column without a value and without a default holds; of ENUM the first member.
    pub fn zero(&self) -> DatumBuf {
        match *self {
            SqlType::Decimal { precision, scale, .. } => {
                Decimal::ZERO.to_fixed(precision, scale).map_or(DatumBuf::Null, DatumBuf::Bytes)
            }
            SqlType::Char { chars, collation } if collation.is_binary() => {
                DatumBuf::Bytes(vec![0; chars as usize])
            }
            SqlType::Enum { .. } => DatumBuf::UInt(1),
            ty => ty.phys().zero(),
        }
    }

    /// The number that a text of an ENUM or SET is stored as; 0 for one that is not one.
    pub fn number_of(&self, text: &[u8]) -> u64 {
        match *self {
            SqlType::Enum { .. } if is_no_member(text) => 0,
            SqlType::Enum { members, collation } => {
                members.find(text, collation).map_or(0, |at| at as u64 + 1)
            }
            SqlType::Set { members, collation } => members.bits_of(text, collation).0,
            _ => 0,
        }
    }

    /// The value that a datum of this type stands for; TIMESTAMP on the clock of `tz`.
    pub fn load<'a>(&self, d: Datum<'a>, tz: TimeZone) -> Value<'a> {
        match (*self, d) {
            (_, Datum::Null) => Value::Null,
            (SqlType::Decimal { scale, .. }, Datum::Bytes(b)) => {
                Value::Decimal(Decimal::from_fixed(b, scale))
            }
            (SqlType::Date, Datum::UInt(v)) => Value::Date(Date::unpack(v as u32)),
            (SqlType::Time { fsp: 0 }, Datum::Int(v)) => {
                Value::Time(Time::from_micros(v * MICROS, 0))
            }
            (SqlType::Time { fsp }, Datum::Int(v)) => Value::Time(Time::from_micros(v, fsp)),
            (SqlType::DateTime { fsp }, Datum::UInt(v)) => {
                Value::DateTime(DateTime::unpack(v, fsp))
            }
            (SqlType::Timestamp { fsp }, Datum::UInt(v)) => {
                let micros = if fsp == 0 { v as i64 * MICROS } else { v as i64 };
                let local = if v == 0 { None } else { local_time(micros, tz, fsp) };
                Value::DateTime(local.unwrap_or(DateTime { fsp, ..DateTime::ZERO }))
            }
            (SqlType::Json, Datum::Bytes(b)) => Value::Json(Json::from_bytes(b)),
            (SqlType::Year, Datum::UInt(0)) => Value::UInt(0),
            (SqlType::Year, Datum::UInt(v)) => Value::UInt(v + 1900),
            (SqlType::Enum { members, collation }, Datum::UInt(v)) => {
                let name = (v as usize).checked_sub(1).and_then(|at| members.names().get(at));
                Value::text(name.map_or(no_member(), |n| &**n), collation)
            }
            (SqlType::Set { members, collation }, Datum::UInt(v)) => {
                Value::text(members.text_of(v), collation)
            }
            (_, Datum::Int(v)) => Value::Int(v),
            (_, Datum::UInt(v)) => Value::UInt(v),
            (_, Datum::Float(v)) => Value::Double(v),
            (_, Datum::Bytes(b)) => Value::text(b, self.collation().unwrap_or(Collation::Binary)),
        }
    }

    /// Appends a value of this type as the text protocol shows it: FLOAT with six digits, zerofill, YEAR with
    /// four digits, the fraction digits of the type.
    pub fn write_text(&self, v: &Value<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        match (*self, v) {
            (SqlType::Float { digits: Some((_, d @ ..NOT_FIXED)), .. }, Value::Double(x))
            | (SqlType::Double { digits: Some((_, d @ ..NOT_FIXED)), .. }, Value::Double(x)) => {
                out.extend_from_slice(fixed_text(*x, usize::from(d)).as_bytes());
            }
            // A number of another kind, as GREATEST gives it back.
            (
                SqlType::Double { digits: Some((_, d @ ..NOT_FIXED)), .. },
                Value::Decimal(_) | Value::Int(_) | Value::UInt(_),
            ) => {
                let x = v.to_f64(&mut Warnings::with_limit(0)).unwrap_or(0.0);
                out.extend_from_slice(fixed_text(x, usize::from(d)).as_bytes());
            }
            (SqlType::Float { .. }, Value::Double(x)) => write_float(*x, out),
            (
                SqlType::Decimal { scale, .. },
                Value::Decimal(_) | Value::Int(_) | Value::UInt(_),
            ) => {
                let d = v.to_decimal(&mut Warnings::with_limit(0)).unwrap_or(Decimal::ZERO);
                let shown = d.round(scale).unwrap_or(d);
                out.extend_from_slice(shown.to_string().as_bytes());
            }
            (SqlType::Year, Value::UInt(0)) => out.extend_from_slice(b"0000"),
            (SqlType::Year, Value::UInt(y)) => write_u64(*y, out),
            (SqlType::Bit { bits }, Value::UInt(n)) => out.extend_from_slice(&bit_bytes(*n, bits)),
            (SqlType::DateTime { fsp } | SqlType::Timestamp { fsp }, Value::DateTime(d)) => {
                out.extend_from_slice(DateTime { fsp, ..*d }.to_string().as_bytes());
            }
            (SqlType::Time { fsp }, Value::Time(t)) => {
                out.extend_from_slice(Time { fsp, ..*t }.to_string().as_bytes());
            }
            _ => v.write_text(out),
        }
        if self.is_zerofill() && !v.is_null() && *self != SqlType::Year {
            let width = self.zerofill_width();
            let missing = width.saturating_sub(out.len() - start);
            out.splice(start..start, std::iter::repeat_n(b'0', missing));
        }
    }

    fn zerofill_width(&self) -> usize {
        match *self {
            SqlType::Decimal { precision, scale, .. } => {
                usize::from(precision) + usize::from(scale > 0)
            }
            _ => self.display_length(1) as usize,
        }
    }
}

/// Is every stored datum of `old` the one `new` stores for the same value?
pub fn same_values(old: SqlType, new: SqlType) -> bool {
    match (old, new) {
        (SqlType::Int { kind: a, unsigned: u, .. }, SqlType::Int { kind: b, unsigned: v, .. }) => {
            u == v && a <= b
        }
        (
            SqlType::Varchar { chars: a, collation: c },
            SqlType::Varchar { chars: b, collation: d },
        ) => a <= b && c.charset() == d.charset(),
        (SqlType::Text { kind: a, collation: c }, SqlType::Text { kind: b, collation: d }) => {
            a <= b && c.charset() == d.charset()
        }
        (SqlType::Char { chars: a, collation: c }, SqlType::Char { chars: b, collation: d }) => {
            // BINARY(n) is padded to its length.
            c.charset() == d.charset() && if c.is_binary() { a == b } else { a <= b }
        }
        (
            SqlType::Enum { members: a, collation: c },
            SqlType::Enum { members: b, collation: d },
        )
        | (SqlType::Set { members: a, collation: c }, SqlType::Set { members: b, collation: d }) => {
            b.continues(a) && c.charset() == d.charset()
        }
        (SqlType::Bit { bits: a }, SqlType::Bit { bits: b }) => a <= b,
        _ => old == new,
    }
}

/// JSON text or a JSON value; whatever the mode, nothing else goes into the column.
fn store_json(v: &Value<'_>, cx: &StoreCtx<'_>) -> Stored {
    let parsed = match v {
        Value::Json(j) => return Ok(DatumBuf::Bytes(j.as_bytes().to_vec())),
        Value::Str(..) | Value::Bytes(_) => json::from_text(v, cx.session)?,
        _ => Err(ParseError::Syntax("not a JSON text, may need CAST", 0)),
    };
    let dom = parsed.map_err(|e| match cx.table {
        Some(table) => e.in_column(&format!("{table}.{}", cx.column)),
        None => e.in_column(cx.column),
    })?;
    Ok(DatumBuf::Bytes(dom.to_json()?.as_bytes().to_vec()))
}

/// A BIT(n) as its bytes, the highest first.
pub fn bit_bytes(n: u64, bits: u8) -> Vec<u8> {
    n.to_be_bytes()[8 - usize::from(bits.div_ceil(8)).min(8)..].to_vec()
}

/// Texts are bytes of the number, the highest first.
fn store_bit(v: &Value<'_>, bits: u8, cx: &mut StoreCtx<'_>) -> Stored {
    let max = u64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
    // Dates, times and JSON values come as texts.
    let texts = v.is_temporal() || matches!(v, Value::Json(_));
    let text = texts.then(|| v.to_bytes()).flatten();
    let n = match v {
        Value::Date(_)
        | Value::Time(_)
        | Value::DateTime(_)
        | Value::Str(..)
        | Value::Bytes(_)
        | Value::Json(_) => {
            let b = text.as_deref().or(v.as_bytes()).unwrap_or_default();
            let from = b.iter().position(|&b| b != 0).unwrap_or(b.len());
            let significant = &b[from..];
            match significant.len() <= 8 {
                true => Some(significant.iter().fold(0, |n, &b| n << 8 | u64::from(b))),
                false => None,
            }
        }
        // A negative number is the bits of its complement.
        Value::Int(n) => Some(*n as u64),
        Value::Double(x) => Some(*x as i64 as u64),
        other => number_in_value(other, cx, Value::to_integer)?.and_then(|n| u64::try_from(n).ok()),
    };
    match n.filter(|n| *n <= max) {
        Some(n) => Ok(DatumBuf::UInt(n)),
        None => {
            if cx.strict {
                return Err(ValueError::too_long(cx.column, cx.row));
            }
            cx.out_of_range()?;
            Ok(DatumBuf::UInt(max))
        }
    }
}

/// A number that a text of digits means, where it is no member. Blanks may stand before it, none behind it.
fn number_in(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.trim_start().parse().ok()
}

/// The number of a member: a fraction is cut off, where other columns round.
fn place_in(v: &Value<'_>, cx: &mut StoreCtx<'_>) -> i128 {
    match v {
        Value::Double(x) => i128::from(*x as i64),
        Value::Decimal(d) => d.truncate(0).to_i128().unwrap_or(0),
        other => other.to_integer(cx.warnings).unwrap_or(0),
    }
}

/// By name, else by place; what is neither is the empty text with place 0, or 1265 where strict.
fn store_enum(
    v: &Value<'_>,
    members: Members,
    collation: Collation,
    cx: &mut StoreCtx<'_>,
) -> Stored {
    // What is no member of one ENUM is a member of no other, and no error: it was one when it was stored first.
    if v.is_no_member() {
        return Ok(DatumBuf::UInt(0));
    }
    let by_place = |n: Option<u64>| n.filter(|n| (1..=members.len() as u64).contains(n));
    let place = match v {
        Value::Str(..)
        | Value::Bytes(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::DateTime(_)
        | Value::Json(_) => {
            // What is no text is no member (1265).
            let text = v.to_text_in(collation).unwrap_or_default();
            let name = if collation.is_binary() { &text[..] } else { without_spaces(&text) };
            let found = members.find(name, collation).map(|at| at as u64 + 1);
            found.or_else(|| by_place(number_in(name)))
        }
        other => by_place(u64::try_from(place_in(other, cx)).ok()),
    };
    if place.is_none() {
        cx.truncated()?;
    }
    Ok(DatumBuf::UInt(place.unwrap_or(0)))
}

/// By names, else by bits; a name that is not one is left out, or 1265 where strict.
fn store_set(
    v: &Value<'_>,
    members: Members,
    collation: Collation,
    cx: &mut StoreCtx<'_>,
) -> Stored {
    let all = u64::MAX >> (64 - members.len().clamp(1, 64) as u32);
    let (bits, known) = match v {
        Value::Str(..)
        | Value::Bytes(_)
        | Value::Date(_)
        | Value::Time(_)
        | Value::DateTime(_)
        | Value::Json(_) => {
            let text = v.to_text_in(collation).unwrap_or_default();
            let (bits, known) = members.bits_of(&text, collation);
            match number_in(&text).filter(|n| !known && bits == 0 && n & !all == 0) {
                Some(n) => (n, true),
                None => (bits, known),
            }
        }
        other => {
            let n = place_in(other, cx);
            let n = u64::try_from(n).unwrap_or(n as u64);
            (n & all, n & !all == 0)
        }
    };
    if !known {
        cx.truncated()?;
    }
    Ok(DatumBuf::UInt(bits))
}

/// The number in a value that is no text. JSON that is not one is error 3156 where strict, else 0 with a warning.
fn number_in_value<'v, T>(
    v: &Value<'v>,
    cx: &mut StoreCtx<'_>,
    read: impl FnOnce(&Value<'v>, &mut Warnings) -> Option<T>,
) -> Result<Option<T>, ValueError> {
    if !cx.strict || !matches!(v, Value::Json(_)) {
        return Ok(read(v, cx.warnings));
    }
    let mut own = Warnings::default();
    let n = read(v, &mut own);
    if let Some(w) = own.list().iter().find(|w| w.code == 3156) {
        let (column, row) = (cx.column, cx.row);
        let place = format!("from column {column} at row {row}");
        let text = w.message.replace("from column CAST() at row 1", &place);
        return Err(ValueError::new(errno::ER_INVALID_JSON_VALUE_FOR_CAST, text));
    }
    cx.warnings.absorb(own);
    Ok(n)
}

fn store_int(v: &Value<'_>, kind: IntKind, unsigned: bool, cx: &mut StoreCtx<'_>) -> Stored {
    let n = match v {
        Value::Int(n) => i128::from(*n),
        Value::UInt(n) => i128::from(*n),
        Value::Str(b, _) | Value::Bytes(b) => integer_from_text(b, cx)?,
        other => number_in_value(other, cx, Value::to_integer)?.unwrap_or(0),
    };
    let (lo, hi) = kind.range(unsigned);
    if !(lo..=hi).contains(&n) {
        cx.out_of_range()?;
    }
    let n = n.clamp(lo, hi);
    Ok(if unsigned { DatumBuf::UInt(n as u64) } else { DatumBuf::Int(n as i64) })
}

/// Text rounds like a number ('1.5' is 2); garbage behind is truncation, nothing numeric is incorrect.
pub(super) fn integer_from_text(b: &[u8], cx: &mut StoreCtx<'_>) -> Result<i128, ValueError> {
    let parsed = Decimal::parse(b);
    if parsed.used == 0 {
        cx.incorrect("integer", b)?;
        return Ok(0);
    }
    if !only_spaces(&b[parsed.used..]) {
        cx.truncated()?;
    }
    let neg = b.trim_ascii_start().starts_with(b"-");
    let beyond = if neg { i128::MIN } else { i128::MAX };
    Ok(parsed.value.and_then(Decimal::to_i128).unwrap_or(beyond))
}

fn store_decimal(
    v: &Value<'_>,
    precision: u8,
    scale: u8,
    unsigned: bool,
    cx: &mut StoreCtx<'_>,
) -> Stored {
    let d = match v {
        Value::Str(b, _) | Value::Bytes(b) => {
            let parsed = Decimal::parse(b);
            if parsed.used == 0 {
                cx.incorrect("decimal", b)?;
            } else if !only_spaces(&b[parsed.used..]) {
                cx.truncated()?;
            }
            let neg = b.trim_ascii_start().starts_with(b"-");
            parsed.value.unwrap_or(Decimal::max_value(65, 0, neg))
        }
        other => number_in_value(other, cx, Value::to_decimal)?.unwrap_or(Decimal::ZERO),
    };
    let mut fit = d.round(scale).ok();
    let max = Decimal::max_value(precision, scale, d.is_negative());
    if fit.is_none_or(|f| f.abs() > max.abs()) {
        cx.out_of_range()?;
        fit = Some(max);
    } else if fit.is_some_and(|f| f != d) && !matches!(v, Value::Double(_)) {
        cx.note_truncated();
    }
    let mut d = fit.unwrap_or(max);
    if unsigned && d.is_negative() {
        cx.out_of_range()?;
        d = Decimal::ZERO;
    }
    match d.to_fixed(precision, scale) {
        Some(bytes) => Ok(DatumBuf::Bytes(bytes)),
        None => Err(ValueError::column_out_of_range(cx.column, cx.row)),
    }
}

/// A number that no double is as large as.
fn is_infinite(text: &[u8]) -> bool {
    let text = std::str::from_utf8(text).unwrap_or_default();
    text.trim_ascii_start().parse::<f64>().is_ok_and(f64::is_infinite)
}

fn store_real(
    v: &Value<'_>,
    unsigned: bool,
    digits: Option<(u8, u8)>,
    single: bool,
    cx: &mut StoreCtx<'_>,
) -> Stored {
    let mut x = match v {
        Value::Str(b, _) | Value::Bytes(b) => {
            let (x, used) = parse_prefix(b);
            if used == 0 || !only_spaces(&b[used..]) {
                cx.truncated()?;
            }
            if x.abs() == f64::MAX && is_infinite(&b[..used]) {
                cx.out_of_range()?;
            }
            x
        }
        other => number_in_value(other, cx, Value::to_f64)?.unwrap_or(0.0),
    };
    if unsigned && x < 0.0 {
        cx.out_of_range()?;
        x = 0.0;
    }
    if let Some((m, d)) = digits {
        x = round_fraction(x, d);
        let max = power_of_ten(u32::from(m.saturating_sub(d))) - power_of_ten(d.into()).recip();
        if x.abs() > max {
            cx.out_of_range()?;
            x = max.copysign(x);
        }
    }
    let max = if single { f64::from(f32::MAX) } else { f64::MAX };
    if x.abs() > max || x.is_nan() {
        cx.out_of_range()?;
        x = if x.is_nan() { 0.0 } else { max.copysign(x) };
    }
    Ok(DatumBuf::Float(if single { f64::from(x as f32) } else { x }))
}

/// Text in the column's character set, at most `chars` characters.
fn store_text(
    v: &Value<'_>,
    chars: usize,
    collation: Collation,
    fixed: bool,
    cx: &mut StoreCtx<'_>,
) -> Result<Vec<u8>, ValueError> {
    // A double has as many digits as there is room for.
    if let Value::Double(x) = v
        && let Some(text) = fitting_text(*x, chars)
    {
        return Ok(Charset::Ascii.convert(text.as_bytes(), collation.charset()).0);
    }
    let text = checked_text(v, collation, cx)?;
    let keep = collation.prefix_bytes(&text, chars);
    if keep == text.len() {
        return Ok(text.into_owned());
    }
    let blank = !collation.is_binary() && text[keep..].iter().all(|&b| b == b' ');
    if !blank {
        too_long(cx)?;
    } else if !fixed {
        cx.note_truncated();
    }
    Ok(text[..keep].to_vec())
}

/// 1406 where strict, else warning 1265.
fn too_long(cx: &mut StoreCtx<'_>) -> Result<(), ValueError> {
    if cx.strict {
        return Err(ValueError::too_long(cx.column, cx.row));
    }
    cx.truncated()
}

fn store_lob(v: &Value<'_>, kind: LobKind, c: Collation, cx: &mut StoreCtx<'_>) -> Stored {
    let text = checked_text(v, c, cx)?;
    let (max, charset) = (kind.max_bytes() as usize, c.charset());
    if charset.octets(&text) <= max {
        return Ok(DatumBuf::Bytes(text.into_owned()));
    }
    too_long(cx)?;
    let own = charset.own_bytes(&text);
    let keep = charset.well_formed_bytes(&own[..max]);
    Ok(DatumBuf::Bytes(Charset::Binary.convert(&own[..keep], charset).0))
}

/// Converted to the column's set; 1366 for characters that it lacks or bytes that are none.
fn checked_text<'v>(
    v: &'v Value<'_>,
    collation: Collation,
    cx: &mut StoreCtx<'_>,
) -> Result<Cow<'v, [u8]>, ValueError> {
    let bytes = v.to_bytes().unwrap_or_default();
    let to = collation.charset();
    let from = v.collation().map_or(to, Collation::charset);
    let lossy = match v {
        Value::Bytes(b) if to.is_wide() => {
            let padded = to.padded(b);
            let valid = to.well_formed_bytes(&padded);
            let text = Charset::Binary.convert(&padded[..valid], to).0;
            if valid == padded.len() {
                return Ok(Cow::Owned(text));
            }
            (text, valid.min(b.len()))
        }
        Value::Str(b, c) if !from.keeps(b, to) => {
            let (converted, lost) = from.convert(b, to);
            if lost == 0 {
                return Ok(Cow::Owned(converted));
            }
            let bad = first_unmappable(b, *c, collation);
            (converted, bad)
        }
        _ => {
            let valid = collation.well_formed(&bytes);
            if valid == bytes.len() {
                return Ok(bytes);
            }
            (bytes[..valid].to_vec(), valid)
        }
    };
    let hex: String =
        bytes[lossy.1..].iter().take(6).map(|b| escaped(*b)).collect::<Vec<_>>().concat();
    let dots = if bytes.len() - lossy.1 > 6 { "..." } else { "" };
    let e = ValueError::incorrect_value("string", &format!("{hex}{dots}"), cx.column, cx.row);
    cx.complain(e)?;
    Ok(Cow::Owned(lossy.0))
}

fn escaped(b: u8) -> String {
    if (0x20..0x7F).contains(&b) { char::from(b).to_string() } else { format!("\\x{b:02X}") }
}

fn first_unmappable(b: &[u8], from: Collation, to: Collation) -> usize {
    let mut at = 0;
    while at < b.len() {
        let Some((cp, n)) = from.charset().decode(&b[at..]) else { return at };
        if !to.charset().encode(cp, &mut Vec::new()) {
            return at;
        }
        at += n;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::SqlMode;

    /// Stores and loads; `Err` is the error number, the list the warning numbers.
    fn put(
        ty: SqlType,
        v: Value<'_>,
        strict: bool,
        mode: SqlMode,
    ) -> (Result<String, u16>, Vec<u16>) {
        let mut warnings = Warnings::default();
        let tz = TimeZone::fixed(3600);
        let mut cx = StoreCtx {
            column: "c",
            table: None,
            row: 1,
            strict,
            mode,
            tz,
            now_micros: 0,
            warnings: &mut warnings,
            session: None,
        };
        let result = ty.store(&v, &mut cx).map_err(|e| e.errno).map(|d| {
            let mut out = Vec::new();
            let loaded = ty.load(d.as_ref(), tz);
            ty.write_text(&loaded, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        });
        (result, warnings.list().iter().map(|w| w.code).collect())
    }

    fn strict(ty: SqlType, v: Value<'_>) -> Result<String, u16> {
        put(ty, v, true, SqlMode::default()).0
    }

    fn lax(ty: SqlType, v: Value<'_>) -> (String, Vec<u16>) {
        let (r, w) = put(ty, v, false, SqlMode::EMPTY);
        (r.expect("lax stores never fail"), w)
    }

    fn ok(s: &str) -> Result<String, u16> {
        Ok(s.to_string())
    }

    #[test]
    fn numbers() {
        let tiny = SqlType::int(IntKind::Tiny, false);
        assert_eq!(strict(tiny, Value::Int(127)), ok("127"));
        assert_eq!(strict(tiny, Value::Int(128)), Err(1264));
        assert_eq!(strict(tiny, Value::str("abc")), Err(1366));
        assert_eq!(strict(tiny, Value::str("12x")), Err(1265));
        assert_eq!(strict(tiny, Value::str("1.5")), ok("2"));
        assert_eq!(strict(tiny, Value::str(" 7 ")), ok("7"));
        assert_eq!(lax(tiny, Value::Int(1000)), ("127".into(), vec![1264]));
        assert_eq!(lax(tiny, Value::str("abc")), ("0".into(), vec![1366]));
        let unsigned = SqlType::int(IntKind::Int, true);
        assert_eq!(strict(unsigned, Value::Int(-1)), Err(1264));
        let dec = SqlType::decimal(5, 2);
        assert_eq!(strict(dec, Value::str("123.456")), ok("123.46"));
        assert_eq!(strict(dec, Value::Double(-1.5)), ok("-1.50"));
        assert_eq!(strict(dec, Value::Int(1000)), Err(1264));
        assert_eq!(lax(dec, Value::Int(-1000)), ("-999.99".into(), vec![1264]));
        assert_eq!(strict(SqlType::FLOAT, Value::Double(2.123456789)), ok("2.12346"));
        assert_eq!(strict(SqlType::FLOAT, Value::Double(1e39)), Err(1264));
        assert_eq!(strict(SqlType::DOUBLE, Value::str("x")), Err(1265));
        let zf =
            SqlType::Int { kind: IntKind::Int, unsigned: true, zerofill: true, width: Some(5) };
        assert_eq!(strict(zf, Value::Int(42)), ok("00042"));
        assert_eq!(strict(SqlType::Year, Value::str("0")), ok("2000"));
        assert_eq!(strict(SqlType::Year, Value::Int(99)), ok("1999"));
        assert_eq!(strict(SqlType::Year, Value::Int(1900)), Err(1264));
    }

    #[test]
    fn text() {
        let ci = Collation::Utf8mb4GeneralCi;
        let varchar = SqlType::varchar(3, ci);
        assert_eq!(strict(varchar, Value::str("äöü")), ok("äöü"));
        assert_eq!(strict(varchar, Value::str("abcd")), Err(1406));
        assert_eq!(strict(varchar, Value::str("abc  ")), ok("abc"));
        assert_eq!(lax(varchar, Value::str("abcd")), ("abc".into(), vec![1265]));
        let chr = SqlType::Char { chars: 5, collation: ci };
        assert_eq!(strict(chr, Value::str("ab   ")), ok("ab"));
        let bin = SqlType::Char { chars: 3, collation: Collation::Binary };
        assert_eq!(strict(bin, Value::str("a")), ok("a\0\0"));
        let latin = SqlType::varchar(3, Collation::Latin1SwedishCi);
        assert_eq!(strict(latin, Value::str("語")), Err(1366));
        let bad = Value::Bytes(Cow::Borrowed(b"a\xFF"));
        assert_eq!(strict(varchar, bad), Err(1366));
        let tiny = SqlType::Text { kind: LobKind::Tiny, collation: ci };
        assert_eq!(strict(tiny, Value::str(&"x".repeat(256))), Err(1406));
    }

    #[test]
    fn temporal() {
        let ts = SqlType::Timestamp { fsp: 0 };
        assert_eq!(strict(ts, Value::str("2024-01-15 10:11:12")), ok("2024-01-15 10:11:12"));
        assert_eq!(strict(ts, Value::str("1970-01-01 01:00:00")), Err(1292));
        assert_eq!(strict(ts, Value::str("2038-01-19 04:14:07")), ok("2038-01-19 04:14:07"));
        assert_eq!(strict(ts, Value::str("2038-01-19 04:14:08")), Err(1292));
        let dt3 = SqlType::DateTime { fsp: 3 };
        let half = Value::str("2024-01-15 10:11:12.9996");
        assert_eq!(strict(dt3, half), ok("2024-01-15 10:11:13.000"));
        assert_eq!(strict(SqlType::Date, Value::str("2024-02-30")), Err(1292));
        assert_eq!(strict(SqlType::Date, Value::str("0000-00-00")), Err(1292));
        assert_eq!(strict(SqlType::Date, Value::str("2024-00-10")), Err(1292));
        assert_eq!(lax(SqlType::Date, Value::str("2024-00-10")), ("2024-00-10".into(), vec![]));
        assert_eq!(lax(SqlType::Date, Value::str("nope")), ("0000-00-00".into(), vec![1265]));
        assert_eq!(lax(SqlType::Date, Value::str("2024-02-30")), ("0000-00-00".into(), vec![1264]));
        let noted = put(SqlType::Date, Value::str("2024-01-15 10:00:00"), true, SqlMode::default());
        assert_eq!(noted, (ok("2024-01-15"), vec![1292]));
        let time = SqlType::Time { fsp: 0 };
        assert_eq!(strict(time, Value::str("-25:30")), ok("-25:30:00"));
        assert_eq!(strict(time, Value::str("900:00:00")), Err(1292));
        assert_eq!(lax(time, Value::str("900:00:00")), ("838:59:59".into(), vec![1264]));
        assert_eq!(strict(SqlType::Time { fsp: 2 }, Value::str("1:2:3.456")), ok("01:02:03.46"));
        let offset = Value::str("2024-01-15 10:00:00+00:00");
        assert_eq!(strict(SqlType::DateTime { fsp: 0 }, offset), ok("2024-01-15 11:00:00"));
    }
}
