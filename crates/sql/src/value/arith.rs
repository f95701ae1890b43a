//! Arithmetic and bit operators, and the types of their results.

use super::context::{EvalCtx, SqlMode};
use super::decimal::{LONGEST, MAX_PRECISION, MAX_SCALE, Overflow};
use super::error::{ValueError, Warnings};
use super::types::{Class, SqlType, TypeInfo};
use super::{Decimal, Value};
use crate::errno;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Add,
    Sub,
    Mul,
    /// `/`
    Div,
    /// `/` whose result is computed with: it has more digits than are shown.
    LongDiv,
    /// `DIV`
    IntDiv,
    /// `%` and MOD
    Mod,
}

impl Op {
    pub fn symbol(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div | Op::LongDiv => "/",
            Op::IntDiv => "DIV",
            Op::Mod => "%",
        }
    }
}

type Out = Result<Value<'static>, ValueError>;

/// `a op b`. NULL gives NULL; division by zero NULL and warning 1365 (an error in strict DML).
pub fn apply(op: Op, a: &Value<'_>, b: &Value<'_>, cx: &mut EvalCtx<'_>) -> Out {
    apply_as(op, false, a, b, cx)
}

/// The same where the type of the result may be unsigned, which decimals do not tell of themselves.
pub fn apply_as(op: Op, unsigned: bool, a: &Value<'_>, b: &Value<'_>, cx: &mut EvalCtx<'_>) -> Out {
    if a.is_null() || b.is_null() {
        // Both sides of doubles are looked at: a text that is no number raises its warning even where the other side is NULL.
        for v in [a, b].into_iter().filter(|v| v.is_string() && op != Op::IntDiv) {
            v.to_number(&mut cx.warnings);
        }
        return Ok(Value::Null);
    }
    if op == Op::IntDiv && (a.is_string() || b.is_string()) {
        // DIV is exact: texts are decimals here, where other operators take them for doubles.
        return decimals(op, unsigned, a, b, cx);
    }
    let (x, y) = (a.to_number(&mut cx.warnings), b.to_number(&mut cx.warnings));
    match (&x, &y) {
        (Value::Double(_), _) | (_, Value::Double(_)) if op != Op::IntDiv => {
            doubles(op, &x, &y, cx)
        }
        (Value::Int(_) | Value::UInt(_), Value::Int(_) | Value::UInt(_))
            if !matches!(op, Op::Div | Op::LongDiv) =>
        {
            integers(op, &x, &y, cx)
        }
        _ => decimals(op, unsigned, &x, &y, cx),
    }
}

/// The expression as the error message shows it.
fn shown(op: Op, a: &Value<'_>, b: &Value<'_>) -> String {
    let text = |v: &Value<'_>| v.to_string_lossy().unwrap_or_else(|| "NULL".into());
    format!("({} {} {})", text(a), op.symbol(), text(b))
}

pub(crate) fn division_by_zero(cx: &mut EvalCtx<'_>) -> Out {
    if cx.mode.has(SqlMode::ERROR_FOR_DIVISION_BY_ZERO) {
        if cx.strict_dml && cx.mode.strict() {
            return Err(ValueError::division_by_zero());
        }
        cx.warnings.demote(ValueError::division_by_zero());
    }
    Ok(Value::Null)
}

fn integers(op: Op, a: &Value<'_>, b: &Value<'_>, cx: &mut EvalCtx<'_>) -> Out {
    if let (Value::Int(x), Value::Int(y)) = (a, b) {
        let quick = match op {
            Op::Add => x.checked_add(*y),
            Op::Sub => x.checked_sub(*y),
            Op::Mul => x.checked_mul(*y),
            _ => None,
        };
        if let Some(v) = quick {
            return Ok(Value::Int(v));
        }
    }
    let wide = |v: &Value<'_>| match v {
        Value::Int(v) => i128::from(*v),
        Value::UInt(v) => i128::from(*v),
        _ => 0,
    };
    let (x, y) = (wide(a), wide(b));
    let mut unsigned = matches!(a, Value::UInt(_)) || matches!(b, Value::UInt(_));
    let v = match op {
        Op::Add => x + y,
        Op::Sub => {
            unsigned &= !cx.mode.has(SqlMode::NO_UNSIGNED_SUBTRACTION);
            x - y
        }
        Op::Mul => x.saturating_mul(y),
        Op::IntDiv if y != 0 => x / y,
        Op::Mod if y != 0 => {
            unsigned = matches!(a, Value::UInt(_));
            x % y
        }
        _ => return division_by_zero(cx),
    };
    let fit = if unsigned {
        u64::try_from(v).map(Value::UInt).ok()
    } else {
        i64::try_from(v).map(Value::Int).ok()
    };
    let what = if unsigned { "BIGINT UNSIGNED" } else { "BIGINT" };
    fit.ok_or_else(|| ValueError::out_of_range(what, &shown(op, a, b)))
}

fn decimals(op: Op, unsigned: bool, a: &Value<'_>, b: &Value<'_>, cx: &mut EvalCtx<'_>) -> Out {
    let (Some(x), Some(y)) = (a.to_decimal(&mut cx.warnings), b.to_decimal(&mut cx.warnings))
    else {
        return Ok(Value::Null);
    };
    let result: Option<Result<Decimal, Overflow>> = match op {
        Op::Add => Some(x.checked_add(y)),
        Op::Sub => Some(x.checked_sub(y)),
        Op::Mul => Some(x.checked_mul(y)),
        Op::Div => x.checked_div(y, cx.div_increment),
        Op::LongDiv => x.long_div(y, cx.div_increment),
        Op::IntDiv => x.div_int(y),
        Op::Mod => x.checked_rem(y),
    };
    let beyond = |what| Err(ValueError::out_of_range(what, &shown(op, a, b)));
    match result {
        None => division_by_zero(cx),
        Some(Err(Overflow)) => beyond("DECIMAL"),
        Some(Ok(d)) if op == Op::IntDiv => {
            let unsigned = unsigned || matches!(a, Value::UInt(_)) || matches!(b, Value::UInt(_));
            let v = d.to_i128();
            let fit = if unsigned {
                v.and_then(|v| u64::try_from(v).ok()).map(Value::UInt)
            } else {
                v.and_then(|v| i64::try_from(v).ok()).map(Value::Int)
            };
            fit.map_or_else(
                || {
                    cx.warnings.truncated("DECIMAL", d.to_string().as_bytes());
                    beyond(if unsigned { "BIGINT UNSIGNED" } else { "BIGINT" })
                },
                Ok,
            )
        }
        Some(Ok(d)) if op == Op::Sub && unsigned && d.is_negative() => {
            match cx.mode.has(SqlMode::NO_UNSIGNED_SUBTRACTION) {
                true => Ok(Value::Decimal(d)),
                false => beyond("DECIMAL UNSIGNED"),
            }
        }
        Some(Ok(d)) => Ok(Value::Decimal(d)),
    }
}

fn doubles(op: Op, a: &Value<'_>, b: &Value<'_>, cx: &mut EvalCtx<'_>) -> Out {
    let w = &mut cx.warnings;
    let (x, y) = (a.to_f64(w).unwrap_or(0.0), b.to_f64(w).unwrap_or(0.0));
    let v = match op {
        Op::Add => x + y,
        Op::Sub => x - y,
        Op::Mul => x * y,
        Op::Div | Op::LongDiv | Op::IntDiv | Op::Mod if y == 0.0 => return division_by_zero(cx),
        Op::Div | Op::LongDiv => x / y,
        Op::IntDiv => (x / y).trunc(),
        Op::Mod => x % y,
    };
    if v.is_finite() {
        Ok(Value::Double(v))
    } else {
        Err(ValueError::out_of_range("DOUBLE", &shown(op, a, b)))
    }
}

/// Unary minus.
pub fn negate(v: &Value<'_>, cx: &mut EvalCtx<'_>) -> Out {
    Ok(match v.to_number(&mut cx.warnings) {
        Value::Int(n) => match n.checked_neg() {
            Some(n) => Value::Int(n),
            None => return Err(ValueError::out_of_range("BIGINT", &format!("-({n})"))),
        },
        Value::UInt(n) => match i64::try_from(-i128::from(n)) {
            Ok(n) => Value::Int(n),
            Err(_) => return Err(ValueError::out_of_range("BIGINT", &format!("-({n})"))),
        },
        Value::Decimal(d) => Value::Decimal(d.negated()),
        Value::Double(d) => Value::Double(-d),
        other => other,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitOp {
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

/// Bit operators work on 64-bit unsigned integers.
pub fn bits(op: BitOp, a: &Value<'_>, b: &Value<'_>, w: &mut Warnings) -> Value<'static> {
    // Beside NULL nothing is said of the other side.
    let Some(x) = bits_of(a, w) else { return Value::Null };
    let Some(y) = bits_of(b, w) else { return Value::Null };
    let shift = u32::try_from(y).unwrap_or(u32::MAX);
    Value::UInt(match op {
        BitOp::And => x & y,
        BitOp::Or => x | y,
        BitOp::Xor => x ^ y,
        BitOp::ShiftLeft => x.checked_shl(shift).unwrap_or(0),
        BitOp::ShiftRight => x.checked_shr(shift).unwrap_or(0),
    })
}

/// Bit operators on binary strings give a binary string of the same length; 3513 when two lengths differ.
pub fn binary_bits(op: BitOp, a: &Value<'_>, b: &Value<'_>, w: &mut Warnings) -> Out {
    let Some(x) = a.as_bytes() else { return Ok(Value::Null) };
    let shift = |w: &mut Warnings| b.to_u64(w).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let each = |f: fn(u8, u8) -> u8| match b.as_bytes() {
        None => Ok(Value::Null),
        Some(y) if y.len() != x.len() => {
            Err(ValueError::of(errno::ER_INVALID_BITWISE_OPERANDS_SIZE, &[]))
        }
        Some(y) => {
            let bytes: Vec<u8> = x.iter().zip(y).map(|(p, q)| f(*p, *q)).collect();
            Ok(Value::Bytes(bytes.into()))
        }
    };
    match op {
        BitOp::And => each(|p, q| p & q),
        BitOp::Or => each(|p, q| p | q),
        BitOp::Xor => each(|p, q| p ^ q),
        BitOp::ShiftLeft => Ok(shift(w).map_or(Value::Null, |n| shifted(x, n, true))),
        BitOp::ShiftRight => Ok(shift(w).map_or(Value::Null, |n| shifted(x, n, false))),
    }
}

/// The string as one big-endian number of its length.
fn shifted(x: &[u8], n: usize, left: bool) -> Value<'static> {
    let (whole, rest) = (n / 8, n % 8);
    let at = |i: usize, back: usize| {
        let from = if left { i.checked_add(back) } else { i.checked_sub(back) };
        u16::from(from.and_then(|i| x.get(i)).copied().unwrap_or(0))
    };
    let byte = |i: usize| {
        let (near, far) = (at(i, whole), at(i, whole.saturating_add(1)));
        let both = if left { near << 8 | far } else { far << 8 | near };
        if left { (both << rest >> 8) as u8 } else { (both >> rest) as u8 }
    };
    Value::Bytes((0..x.len()).map(byte).collect::<Vec<u8>>().into())
}

pub fn binary_not(v: &Value<'_>) -> Value<'static> {
    match v.as_bytes() {
        Some(b) => Value::Bytes(b.iter().map(|b| !b).collect::<Vec<u8>>().into()),
        None => Value::Null,
    }
}

pub fn bit_not(v: &Value<'_>, w: &mut Warnings) -> Value<'static> {
    bits_of(v, w).map_or(Value::Null, |v| Value::UInt(!v))
}

/// Decimals and doubles are signed here: what is beyond is the largest BIGINT.
pub(crate) fn bits_of(v: &Value<'_>, w: &mut Warnings) -> Option<u64> {
    match v {
        Value::Decimal(_) | Value::Double(_) => {
            let n = v.to_integer(w)?;
            let kept = n.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
            if let (true, Value::Decimal(d)) = (n != i128::from(kept), v) {
                w.truncated("DECIMAL", d.to_string().as_bytes());
            }
            Some(kept as u64)
        }
        _ => v.to_u64(w),
    }
}

/// Numeric view of a type: integers (with signedness), decimals, or doubles for all else.
#[derive(Debug, Clone, Copy)]
enum Num {
    Int { unsigned: bool, digits: u8 },
    Dec { precision: u8, scale: u8 },
    Double,
}

fn num(t: &SqlType) -> Num {
    match t.facts().number {
        None => Num::Double,
        Some((precision, scale)) if scale > 0 || t.class() == Class::Decimal => {
            Num::Dec { precision, scale }
        }
        Some((digits, _)) => Num::Int { unsigned: t.is_unsigned(), digits },
    }
}

fn dec_parts(n: Num) -> (u8, u8) {
    match n {
        Num::Int { digits, .. } => (digits, 0),
        Num::Dec { precision, scale } => (precision, scale),
        Num::Double => (MAX_PRECISION, 0),
    }
}

/// DECIMAL with these numbers of digits before and behind the point, within the limits.
pub fn decimal_type(int_digits: u32, scale: u32) -> SqlType {
    let scale = scale.min(u32::from(MAX_SCALE));
    let precision = (int_digits + scale).clamp(1, u32::from(MAX_PRECISION));
    SqlType::decimal(precision as u8, scale as u8)
}

/// The type of a sum: of literals it may have more places than a column.
fn sum_type(int_digits: u32, scale: u32) -> SqlType {
    match scale > u32::from(MAX_SCALE) {
        true => SqlType::decimal((int_digits + scale).min(u32::from(LONGEST)) as u8, scale as u8),
        false => decimal_type(int_digits, scale),
    }
}

/// Digits behind the point that a value of this type is shown with, where their number is fixed.
pub fn places(ty: &SqlType) -> Option<u8> {
    match ty {
        SqlType::Float { .. } | SqlType::Double { .. } => ty.fixed_digits().map(|(_, d)| d),
        SqlType::Json => None,
        ty if ty.is_string() || ty.is_geometry() => None,
        ty => Some(ty.facts().number.map_or(ty.fsp(), |(_, scale)| scale)),
    }
}

/// A double that is shown with so many digits behind the point, or with those that it has.
pub fn real(places: Option<u8>) -> SqlType {
    // The digits of a double, its sign and its point.
    const WIDTH: u8 = 17;
    match places.filter(|d| *d <= MAX_SCALE) {
        None => SqlType::LONG_DOUBLE,
        Some(d) => {
            let digits = Some((WIDTH + d, d));
            SqlType::Double { unsigned: false, zerofill: false, digits }
        }
    }
}

/// The digits of a double that is made of two values: those of the one that has more, and any number where one has any.
pub fn more_places(a: &SqlType, b: &SqlType) -> Option<u8> {
    Some(places(a)?.max(places(b)?))
}

/// The type of `a op b`.
pub fn result_type(op: Op, a: &TypeInfo, b: &TypeInfo, div_increment: u8) -> TypeInfo {
    let (x, y) = (num(&a.ty), num(&b.ty));
    let by_zero = matches!(op, Op::Div | Op::LongDiv | Op::IntDiv | Op::Mod);
    let nullable = a.nullable || b.nullable || by_zero;
    let ((p1, s1), (p2, s2)) = (dec_parts(x), dec_parts(y));
    let (p1, s1, p2, s2) = (u32::from(p1), u32::from(s1), u32::from(p2), u32::from(s2));
    let unsigned_int = |n: Num| matches!(n, Num::Int { unsigned: true, .. });
    let ty = match (x, y, op) {
        (_, _, Op::IntDiv) => {
            // As many digits as the first has before the point; of what is no exact number, its characters.
            let width =
                if matches!(x, Num::Double) { a.ty.display_length(1).min(21) } else { p1 - s1 };
            integer_type(width, a.ty.is_unsigned() || b.ty.is_unsigned())
        }
        (Num::Double, _, _) | (_, Num::Double, _) => real_result(op, &a.ty, &b.ty, div_increment),
        // MySQL keeps room for a sign here, whether or not there may be one.
        (Num::Int { .. }, Num::Int { .. }, Op::Mod) => {
            let unsigned = unsigned_int(x);
            integer_type(p1.max(p2) + u32::from(unsigned), unsigned)
        }
        (Num::Int { .. }, Num::Int { .. }, Op::Add | Op::Sub | Op::Mul) => {
            let digits = if op == Op::Mul { p1 + p2 } else { p1.max(p2) + 1 };
            integer_type(digits, unsigned_int(x) || unsigned_int(y))
        }
        (_, _, Op::Add | Op::Sub) => sum_type((p1 - s1).max(p2 - s2) + 1, s1.max(s2)),
        (_, _, Op::Mul) => decimal_type((p1 - s1) + (p2 - s2), s1 + s2),
        (_, _, Op::Div | Op::LongDiv) => decimal_type(p1 - s1 + s2, s1 + u32::from(div_increment)),
        // A remainder has the sign of what was divided; where it has none, MySQL counts the place of the sign as a digit.
        (_, _, Op::Mod) => {
            let one_more = u32::from(a.ty.is_unsigned());
            let scale = s1.max(s2);
            decimal_type((p1 + one_more).max(p2).saturating_sub(scale), scale)
        }
    };
    let unsigned = match op {
        Op::Mod => a.ty.is_unsigned(),
        _ => a.ty.is_unsigned() && b.ty.is_unsigned(),
    };
    TypeInfo::new(if unsigned { as_unsigned(ty) } else { ty }, nullable)
}

/// A decimal that has no sign: MySQL says so of results of what has none.
fn as_unsigned(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Decimal { precision, scale, zerofill, .. } => {
            SqlType::Decimal { precision, scale, unsigned: true, zerofill }
        }
        other => other,
    }
}

/// A double of two values: where both have a number of places, as long as the longer part before the point.
fn real_result(op: Op, a: &SqlType, b: &SqlType, div_increment: u8) -> SqlType {
    let divides = matches!(op, Op::Div | Op::LongDiv);
    let more = if divides { div_increment } else { 0 };
    let Some(d) = more_places(a, b).map(|d| d + more).filter(|d| *d <= MAX_SCALE) else {
        return SqlType::LONG_DOUBLE;
    };
    let before = |t: &SqlType| t.display_length(1).saturating_sub(places(t).map_or(0, u32::from));
    let before = if divides { before(a) } else { before(a).max(before(b)) };
    let digits = Some((before.saturating_add(u32::from(d)).min(255) as u8, d));
    SqlType::Double { unsigned: false, zerofill: false, digits }
}

/// An integer of so many digits, and a sign where it may have one.
fn integer_type(digits: u32, unsigned: bool) -> SqlType {
    SqlType::wide_int((digits + u32::from(!unsigned)).min(255) as u8, unsigned)
}

#[cfg(test)]
mod tests {
    use super::super::NoSession;
    use super::*;

    fn dec(s: &str) -> Value<'static> {
        Value::Decimal(Decimal::parse(s.as_bytes()).value.expect("fits"))
    }

    fn run(op: Op, a: Value<'_>, b: Value<'_>) -> Result<String, ValueError> {
        let mut cx = EvalCtx::new(&NoSession);
        apply(op, &a, &b, &mut cx).map(|v| v.to_string_lossy().unwrap_or_else(|| "NULL".into()))
    }

    #[test]
    fn results() {
        let int = Value::Int;
        let cases = [
            (Op::Div, int(1), int(3), "0.3333"),
            (Op::Div, int(7), int(2), "3.5000"),
            (Op::IntDiv, int(-7), int(2), "-3"),
            (Op::Mod, int(-7), int(3), "-1"),
            (Op::Mod, dec("5.5"), int(2), "1.5"),
            (Op::IntDiv, dec("5.5"), int(2), "2"),
            (Op::Add, Value::str("1.5"), int(1), "2.5"),
            (Op::Mul, dec("1.1"), dec("1.1"), "1.21"),
            (Op::Sub, int(1), Value::Null, "NULL"),
            (Op::Div, int(1), int(0), "NULL"),
            (Op::Add, Value::UInt(u64::MAX - 1), int(1), "18446744073709551615"),
        ];
        for (op, a, b, want) in cases {
            assert_eq!(run(op, a, b).as_deref(), Ok(want));
        }
    }

    #[test]
    fn overflow() {
        let e = run(Op::Add, Value::Int(i64::MAX), Value::Int(1)).expect_err("too big");
        assert_eq!(e.errno, 1690);
        assert_eq!(e.message, "BIGINT value is out of range in '(9223372036854775807 + 1)'");
        let e = run(Op::Sub, Value::UInt(1), Value::Int(2)).expect_err("negative");
        assert_eq!(e.message, "BIGINT UNSIGNED value is out of range in '(1 - 2)'");
        let mut cx = EvalCtx::new(&NoSession);
        assert!(negate(&Value::Int(i64::MIN), &mut cx).is_err());
        assert_eq!(negate(&Value::UInt(1 << 63), &mut cx), Ok(Value::Int(i64::MIN)));
    }

    #[test]
    fn zero_division_in_strict_dml() {
        let mut cx = EvalCtx::new(&NoSession);
        let by_zero = apply(Op::Mod, &Value::Int(1), &Value::Int(0), &mut cx);
        assert_eq!((by_zero, cx.warnings.list()[0].code), (Ok(Value::Null), 1365));
        cx.strict_dml = true;
        assert!(apply(Op::Div, &Value::Int(1), &Value::Int(0), &mut cx).is_err());
    }

    #[test]
    fn bit_operators() {
        let mut w = Warnings::default();
        let int = Value::Int;
        assert_eq!(bits(BitOp::ShiftLeft, &int(1), &int(64), &mut w), Value::UInt(0));
        assert_eq!(bits(BitOp::And, &int(-1), &int(255), &mut w), Value::UInt(255));
        assert_eq!(bit_not(&int(0), &mut w), Value::UInt(u64::MAX));
    }

    #[test]
    fn binary_bit_operators() {
        let b = |x: &'static [u8]| Value::Bytes(x.into());
        let mut w = Warnings::default();
        let mut run = |op, x, y| binary_bits(op, &x, &y, &mut w);
        assert_eq!(run(BitOp::Xor, b(b"\x0f\xff"), b(b"\xf0\x0f")), Ok(b(b"\xff\xf0")));
        assert_eq!(run(BitOp::And, b(b"a"), b(b"ab")).expect_err("lengths").errno, 3513);
        for n in 0..40 {
            let (x, bytes) = (0x00f1_8001u32, b(&[0x00, 0xf1, 0x80, 0x01]));
            let want =
                |v: Option<u32>| Ok(Value::Bytes(v.unwrap_or(0).to_be_bytes().to_vec().into()));
            let (l, r) = (x.checked_shl(n), x.checked_shr(n));
            assert_eq!(run(BitOp::ShiftLeft, bytes.clone(), Value::UInt(n.into())), want(l), "{n}");
            assert_eq!(run(BitOp::ShiftRight, bytes, Value::UInt(n.into())), want(r), "{n}");
        }
        assert_eq!(binary_not(&b(b"\x00\xff")), b(b"\xff\x00"));
    }

    #[test]
    fn types() {
        let t = |ty| TypeInfo::new(ty, false);
        let ty = |op, a, b| result_type(op, &t(a), &t(b), 4).ty;
        let (d52, d31) = (SqlType::decimal(5, 2), SqlType::decimal(3, 1));
        assert_eq!(ty(Op::Add, d52, d31), SqlType::decimal(6, 2));
        assert_eq!(ty(Op::Mul, d52, d31), SqlType::decimal(8, 3));
        assert_eq!(ty(Op::Div, d52, d31), SqlType::decimal(10, 6));
        assert_eq!(ty(Op::Add, SqlType::INT, SqlType::INT), SqlType::wide_int(12, false));
        assert_eq!(ty(Op::Div, SqlType::INT, SqlType::INT), SqlType::decimal(14, 4));
        assert_eq!(ty(Op::Add, SqlType::INT, SqlType::DOUBLE), SqlType::LONG_DOUBLE);
    }
}
