//! Literals of definitions as values, and stored values as SQL text.

use crate::errno;
use crate::value::{
    Class, Collation, Date, Datum, Decimal, EvalCtx, NoSession, SqlMode, SqlType, StoreCtx,
    TimeZone, Value, ValueError, Warnings, sent,
};
use weir_syntax::ast::{Expr, Literal, UnaryOp};

use super::Env;

/// The value of a constant expression: a literal with an optional sign. `None`: something else.
pub fn constant(expr: &Expr, collation: Collation) -> Option<Value<'static>> {
    match expr {
        Expr::Literal(literal) => literal_value(literal, collation),
        Expr::Unary { op: UnaryOp::Plus, expr } => number(expr),
        Expr::Unary { op: UnaryOp::Neg, expr } => match number(expr)? {
            Value::Int(v) => Some(Value::Int(v.checked_neg()?)),
            Value::UInt(v) => Some(negated(v)),
            Value::Decimal(v) => Some(Value::Decimal(v.negated())),
            Value::Double(v) => Some(Value::Double(-v)),
            _ => None,
        },
        Expr::Collate { expr, .. } => constant(expr, collation),
        _ => None,
    }
}

/// 1300 for a literal that is no text of the set that it names.
pub fn check_introduced(expr: &Expr) -> Result<(), ValueError> {
    let (bytes, name) = match expr {
        Expr::Literal(
            Literal::Str { bytes, charset: Some(name), .. }
            | Literal::Hex { bytes, charset: Some(name) }
            | Literal::Bit { bytes, charset: Some(name) },
        ) => (bytes, name),
        Expr::Collate { expr, .. } => return check_introduced(expr),
        _ => return Ok(()),
    };
    match crate::value::Charset::by_name(name) {
        Some(set) => sent::introduced(bytes, Collation::default_of(set)).map(|_| ()),
        None => Ok(()),
    }
}

fn number(expr: &Expr) -> Option<Value<'static>> {
    match expr {
        Expr::Literal(l @ (Literal::Int(_) | Literal::Decimal(_) | Literal::Float(..))) => {
            literal_value(l, Collation::Utf8mb4GeneralCi)
        }
        _ => None,
    }
}

fn negated(v: u64) -> Value<'static> {
    match 0i64.checked_sub_unsigned(v) {
        Some(n) => Value::Int(n),
        None => Value::Decimal(Decimal::from_u64(v).negated()),
    }
}

fn literal_value(literal: &Literal, collation: Collation) -> Option<Value<'static>> {
    Some(match literal {
        Literal::Null => Value::Null,
        Literal::Bool(b) => Value::bool(*b),
        Literal::Int(v) => Value::UInt(*v),
        Literal::Decimal(text) => {
            let parsed = Decimal::parse(text.as_bytes());
            Value::Decimal(parsed.value?)
        }
        Literal::Float(v, _) => Value::Double(*v),
        Literal::Str { bytes, charset, .. }
        | Literal::Hex { bytes, charset: charset @ Some(_) }
        | Literal::Bit { bytes, charset: charset @ Some(_) } => {
            match charset.as_deref().map(crate::value::Charset::by_name) {
                Some(charset) => {
                    let bytes = crate::value::Charset::Binary.convert(bytes, charset?).0;
                    Value::text(bytes, Collation::default_of(charset?))
                }
                None => crate::value::literal_text(bytes, collation),
            }
        }
        Literal::Sent { bytes, charset } => sent::sent_text(bytes, charset, collation),
        Literal::Hex { bytes, .. } | Literal::Bit { bytes, .. } => {
            Value::Bytes(bytes.to_vec().into())
        }
        Literal::Date(text) | Literal::Time(text) | Literal::Timestamp(text) => {
            Value::text(text.as_bytes().to_vec(), collation)
        }
    })
}

/// A text that is binary, as behind SET NAMES binary, is for a column of numbers the number that it spells: only the bytes of
/// a hexadecimal literal are one.
pub fn spelled(value: Value<'static>, expr: &Expr, ty: SqlType) -> Value<'static> {
    let is_text = matches!(expr, Expr::Literal(Literal::Str { .. } | Literal::Sent { .. }));
    match value {
        Value::Bytes(b) if is_text && ty.is_numeric() && !matches!(ty, SqlType::Bit { .. }) => {
            Value::text(b.into_owned(), Collation::Utf8mb4GeneralCi)
        }
        other => other,
    }
}

/// Are the members of an ENUM or SET there that a text names?
fn names_members(ty: SqlType, value: &Value<'_>) -> bool {
    let (SqlType::Enum { members, collation } | SqlType::Set { members, collation }) = ty else {
        return true;
    };
    let text = value.to_exact_text_in(collation).filter(|_| matches!(value, Value::Str(..)));
    match (text, ty) {
        (None, _) => true,
        (Some(text), SqlType::Set { .. }) => members.bits_of(&text, collation).1,
        (Some(text), _) => members.find(&text, collation).is_some(),
    }
}

/// A default as the column stores it. Strict even in lax modes: MySQL refuses any bad default (1067).
pub fn store_default(
    ty: SqlType,
    value: &Value<'_>,
    column: &str,
    env: &Env<'_>,
) -> Result<crate::value::DatumBuf, ValueError> {
    stored_in(env.mode, (ty, value, column), env)
}

/// The zero date, for a default whose day only NO_ZERO_DATE or NO_ZERO_IN_DATE refuses: lax modes keep it with a warning (1264).
pub fn zero_day(
    ty: SqlType,
    value: &Value<'_>,
    column: &str,
    env: &mut Env<'_>,
) -> Option<crate::value::DatumBuf> {
    let is_day = matches!(ty.class(), Class::Date | Class::DateTime);
    if !is_day || env.mode.strict() || stored_in(SqlMode(0), (ty, value, column), env).is_err() {
        return None;
    }
    let number = errno::ER_WARN_DATA_OUT_OF_RANGE;
    env.warnings.warn(number, || errno::message(number, &[&column, &1]));
    stored_in(SqlMode(0), (ty, &Value::Date(Date::ZERO), column), env).ok()
}

fn stored_in(
    mode: SqlMode,
    (ty, value, column): (SqlType, &Value<'_>, &str),
    env: &Env<'_>,
) -> Result<crate::value::DatumBuf, ValueError> {
    let mut scratch = Warnings::default();
    // Numbers given for integer types in hexadecimal are numbers, not text.
    let value = match value {
        Value::Bytes(b) if ty.is_numeric() && b.len() <= 8 => {
            Value::UInt(b.iter().fold(0, |n, &byte| n << 8 | u64::from(byte)))
        }
        // A member is named here; its number is not one.
        number if ty.is_list() && number.is_numeric() => {
            let text = number.to_string_lossy().unwrap_or_default();
            Value::text(text.into_bytes(), Collation::Utf8mb4GeneralCi)
        }
        other => other.borrow(),
    };
    if !names_members(ty, &value) {
        return Err(ValueError::new(errno::ER_WARN_DATA_TRUNCATED, "a default that is no member"));
    }
    let mut cx = StoreCtx {
        column,
        table: None,
        row: 1,
        strict: true,
        mode,
        tz: env.tz,
        now_micros: env.now_micros,
        warnings: &mut scratch,
        session: None,
    };
    let stored = ty.store(&value, &mut cx)?;
    match scratch.list().iter().find(|w| w.level != crate::value::Level::Note) {
        Some(w) => Err(ValueError::new(w.code, w.message.clone())),
        None => Ok(stored),
    }
}

/// A stored value as text in UTF-8, as SHOW prints defaults; `None` for NULL.
pub fn stored_text(ty: SqlType, datum: Datum<'_>, tz: TimeZone) -> Option<String> {
    let value = ty.load(datum, tz);
    if value.is_null() {
        return None;
    }
    if let (SqlType::Bit { .. }, Value::UInt(n)) = (ty, &value) {
        return Some(format!("b'{n:b}'"));
    }
    let mut out = Vec::new();
    match (&value, ty.collation()) {
        (Value::Str(..), Some(_)) => {
            let text = value.to_text_in(Collation::Utf8mb4GeneralCi)?;
            out.extend_from_slice(&text);
        }
        _ => ty.write_text(&value, &mut out),
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

/// The stored value of a column of bytes; `None` for any other column.
pub fn stored_bytes(ty: SqlType, datum: Datum<'_>, tz: TimeZone) -> Option<Vec<u8>> {
    let bytes = ty.collation().is_some_and(|c| c.is_binary());
    if !bytes || !matches!(ty, SqlType::Char { .. } | SqlType::Varchar { .. }) {
        return None;
    }
    ty.load(datum, tz).as_bytes().map(<[u8]>::to_vec)
}

/// An evaluation context without a session.
pub fn plain_eval(env: &Env<'_>) -> EvalCtx<'static> {
    let mut cx = EvalCtx::new(&NoSession);
    cx.mode = env.mode;
    cx.tz = env.tz;
    cx.now_micros = env.now_micros;
    cx
}
