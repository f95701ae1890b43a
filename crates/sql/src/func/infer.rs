//! Result types of functions.

use crate::value::arith::{decimal_type, more_places, places, real};
use crate::value::cast::text_length;
use crate::value::compare::common_collation;
use crate::value::types::coercibility;
use crate::value::{Class, Collation, IntKind, LobKind, SqlType, TypeInfo, ValueError};

/// Collation of text made from numbers: the default of the connection's character set.
pub const TEXT: Collation = Collation::Utf8mb4GeneralCi;

/// VARCHAR, or a TEXT type when it is too long for one.
pub fn text_type(chars: u32, collation: Collation) -> SqlType {
    let bytes = chars.saturating_mul(collation.max_char_bytes() as u32);
    if bytes <= 65_535 {
        SqlType::varchar(chars, collation)
    } else if bytes <= LobKind::Medium.max_bytes() {
        SqlType::Text { kind: LobKind::Medium, collation }
    } else {
        SqlType::Text { kind: LobKind::Long, collation }
    }
}

pub fn any_null(args: &[TypeInfo]) -> bool {
    args.iter().any(|a| a.nullable)
}

/// Common collation of the text arguments; numbers alone give the connection's.
pub fn collation_of(args: &[TypeInfo]) -> (Collation, u8) {
    let mut texts = args.iter().filter(|a| a.ty.is_string());
    let Some(first) = texts.next() else { return (TEXT, coercibility::COERCIBLE) };
    let mut best = *first;
    for other in texts {
        let charset = best.ty.collation().unwrap_or(TEXT).charset();
        match common_collation(&best, other, "concat") {
            Ok(c) if best.ty.collation() != Some(c) || other.coercibility < best.coercibility => {
                best = TypeInfo { ty: SqlType::varchar(0, c), ..*other };
            }
            Ok(_) => {}
            // Of two with equal claims it is nobody's any more.
            Err(_) => {
                let ty = SqlType::varchar(0, Collation::bin_of(charset));
                best = TypeInfo { ty, coercibility: coercibility::NONE, ..*other };
            }
        }
    }
    (best.ty.collation().unwrap_or(TEXT), best.coercibility)
}

/// The collation that all these texts are compared in: 1267, 1270 or 1271 where they have none in common.
pub fn compared(args: &[TypeInfo], operation: &str) -> Result<Collation, ValueError> {
    let (c, claim) = collation_of(args);
    if claim != coercibility::NONE {
        return Ok(c);
    }
    let named = |a: &TypeInfo| match a.ty.collation() {
        Some(c) => (c.name(), a.coercibility),
        None if a.ty == SqlType::Null => (Collation::Binary.name(), coercibility::IGNORABLE),
        None => (TEXT.name(), a.coercibility),
    };
    let all: Vec<_> = args.iter().map(named).collect();
    Err(ValueError::illegal_mix_of_all(&all, operation))
}

fn with_text(args: &[TypeInfo], chars: u32, nullable: bool) -> TypeInfo {
    let (collation, coercibility) = collation_of(args);
    TypeInfo { ty: text_type(chars, collation), nullable, coercibility }
}

/// As long as all arguments together.
pub fn concat(args: &[TypeInfo]) -> TypeInfo {
    let chars = args.iter().fold(0u32, |n, a| n.saturating_add(text_length(&a.ty)));
    with_text(args, chars, any_null(args))
}

/// The texts of these arguments, each character several times or with others before it.
fn widened(texts: &[TypeInfo], args: &[TypeInfo]) -> TypeInfo {
    let chars = args.iter().fold(0u32, |n, a| n.saturating_add(text_length(&a.ty)));
    with_text(texts, chars.saturating_mul(4).max(64), true)
}

/// The first argument's text, made longer (QUOTE, SOUNDEX).
pub fn longer_first(args: &[TypeInfo]) -> TypeInfo {
    widened(&args[..args.len().min(1)], args)
}

/// The texts of EXPORT_SET: for bits that are set, for others, and between them.
pub fn export_set(args: &[TypeInfo]) -> TypeInfo {
    widened(&args[args.len().min(1)..args.len().min(4)], args)
}

/// As long as the first argument.
pub fn like_first(args: &[TypeInfo]) -> TypeInfo {
    let chars = args.first().map_or(0, |a| text_length(&a.ty));
    with_text(&args[..args.len().min(1)], chars, any_null(args))
}

/// As long as the first argument, in the collation of the first two: what is taken away, or looked for, is compared with it.
pub fn cut_by_second(args: &[TypeInfo]) -> TypeInfo {
    let chars = args.first().map_or(0, |a| text_length(&a.ty));
    with_text(&args[..args.len().min(2)], chars, any_null(args))
}

/// LPAD and RPAD: of the text and what it is filled up with.
pub fn padded(args: &[TypeInfo]) -> TypeInfo {
    match args {
        [text, _, with] => with_text(&[*text, *with], 16_777_215, true),
        _ => long_text(args),
    }
}

/// REPLACE: of all three.
pub fn replaced(args: &[TypeInfo]) -> TypeInfo {
    with_text(args, 16_777_215, true)
}

/// Text of unknown length (REPEAT and the like).
pub fn long_text(args: &[TypeInfo]) -> TypeInfo {
    with_text(&args[..args.len().min(1)], 16_777_215, true)
}

/// Spaces, in the connection's set whatever the number is written in.
pub fn spaces(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(text_type(16_777_215, TEXT), true)
}

/// Text in the connection's set, up to 64 characters.
pub fn short_text(args: &[TypeInfo]) -> TypeInfo {
    let nullable = any_null(args) || args.is_empty();
    TypeInfo::new(SqlType::varchar(64, TEXT), nullable)
}

pub fn name_text(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(288, TEXT), true)
}

/// Text in the connection's set, of unknown length.
pub fn any_text(args: &[TypeInfo]) -> TypeInfo {
    let chars = args.iter().fold(0u32, |n, a| n.saturating_add(text_length(&a.ty)));
    TypeInfo::new(text_type(chars.saturating_mul(4).max(64), TEXT), true)
}

pub fn binary(args: &[TypeInfo]) -> TypeInfo {
    let n = args.iter().fold(0u32, |n, a| n.saturating_add(text_length(&a.ty)));
    TypeInfo::new(text_type(n.saturating_mul(4).max(8), Collation::Binary), true)
}

pub fn bigint(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::BIGINT, any_null(args))
}

pub fn bigint_null(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::BIGINT, true)
}

pub fn ubigint_null(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::UBIGINT, true)
}

pub fn int_null(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::INT, true)
}

pub fn ubigint(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::UBIGINT, any_null(args))
}

pub fn boolean(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::BOOL, any_null(args))
}

pub fn double(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::DOUBLE, any_null(args))
}

/// PI().
pub fn six_places(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(real(Some(6)), false)
}

pub fn double_null(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::DOUBLE, true)
}

/// The numeric type of the first argument; text counts as a double.
pub fn numeric_first(args: &[TypeInfo]) -> TypeInfo {
    let Some(a) = args.first() else { return TypeInfo::null() };
    let ty = match (a.ty, a.ty.class()) {
        (SqlType::Int { unsigned, .. }, _) => SqlType::int(IntKind::Big, unsigned),
        (SqlType::Decimal { precision, scale, .. }, _) => SqlType::decimal(precision, scale),
        (_, Class::Int | Class::Date | Class::Null) => SqlType::BIGINT,
        (ty, Class::Real) => real(places(&ty)),
        _ => SqlType::DOUBLE,
    };
    TypeInfo::new(ty, any_null(args))
}

/// CEIL and FLOOR: integers for integers and for decimals that fit.
pub fn whole_first(args: &[TypeInfo]) -> TypeInfo {
    let mut info = numeric_first(args);
    whole_double(&mut info);
    if let SqlType::Decimal { precision, scale, .. } = info.ty {
        let digits = precision - scale;
        info.ty =
            if digits < 18 { SqlType::BIGINT } else { decimal_type(u32::from(digits) + 1, 0) };
    }
    info
}

/// A double without places is shown in full: 100000000000000000000, not 1e20.
fn whole_double(info: &mut TypeInfo) {
    if info.ty.class() == Class::Real {
        info.ty = SqlType::Double { unsigned: false, zerofill: false, digits: Some((23, 0)) };
    }
}

/// ROUND and TRUNCATE: places are not known here, so the scale stays (without places it is 0).
pub fn round(args: &[TypeInfo]) -> TypeInfo {
    let mut info = numeric_first(args);
    if let SqlType::Decimal { precision, scale, .. } = info.ty {
        let kept = if args.len() > 1 { scale } else { 0 };
        info.ty = decimal_type(u32::from(precision - scale) + 1, u32::from(kept));
    } else if args.len() < 2 {
        whole_double(&mut info);
    }
    info
}

/// The type that can hold values of all arguments (IF, COALESCE, CASE, UNION, GREATEST).
pub fn merge(args: &[TypeInfo]) -> TypeInfo {
    let mut rest = args.iter().filter(|a| a.ty != SqlType::Null);
    let Some(first) = rest.next() else { return TypeInfo::null() };
    let mut out = *first;
    for a in rest {
        out = merge_two(out, *a);
    }
    out.nullable = any_null(args);
    out
}

/// Digits before and behind the point, of an exact type.
fn digits_of(t: &SqlType) -> (u32, u32) {
    let (digits, scale) = t.facts().number.unwrap_or_default();
    (u32::from(digits - scale), u32::from(scale))
}

fn merge_two(a: TypeInfo, b: TypeInfo) -> TypeInfo {
    use SqlType as T;
    let nullable = a.nullable || b.nullable;
    let ty = match (a.ty, b.ty) {
        // What two of an ENUM's columns give together is text, as in MySQL: in a UNION it is sorted as such.
        (x, y) if x == y && !x.is_list() => {
            let coercibility = a.coercibility.min(b.coercibility);
            return TypeInfo { ty: x, nullable, coercibility };
        }
        (x, y) if x.is_geometry() && y.is_geometry() => x.common_geometry(&y),
        (T::Int { kind: k, unsigned: u, .. }, T::Int { kind: l, unsigned: v, .. }) => {
            if u == v {
                T::int(k.max(l), u)
            } else {
                let (unsigned, signed) = if u { (k, l) } else { (l, k) };
                match unsigned {
                    IntKind::Big => T::decimal(20, 0),
                    IntKind::Int => T::BIGINT,
                    IntKind::Medium => T::int(signed.max(IntKind::Int), false),
                    IntKind::Small => T::int(signed.max(IntKind::Medium), false),
                    IntKind::Tiny => T::int(signed.max(IntKind::Small), false),
                }
            }
        }
        (x, y) if is_exact(&x) && is_exact(&y) => {
            let ((i, s), (j, t)) = (digits_of(&x), digits_of(&y));
            decimal_type(i.max(j), s.max(t))
        }
        (x, y) if x.is_numeric() && y.is_numeric() => real(more_places(&x, &y)),
        (x, y) if is_dated(&x) && is_dated(&y) => T::DateTime { fsp: x.fsp().max(y.fsp()) },
        (T::Time { fsp: f }, T::Time { fsp: g }) => T::Time { fsp: f.max(g) },
        (x, y) if x.is_temporal() && y.is_temporal() => T::DateTime { fsp: x.fsp().max(y.fsp()) },
        (x, y) => {
            let chars = text_length(&x).max(text_length(&y));
            // A BIT is its bytes beside a text.
            let texts = [a, b].map(|i| match i.ty.bytes_of_bits() {
                Some(bytes) => {
                    let coercibility = coercibility::IMPLICIT;
                    TypeInfo { ty: T::varbinary(bytes), coercibility, ..i }
                }
                None => i,
            });
            let mut info = with_text(&texts, chars, nullable);
            if a.ty.is_string() != b.ty.is_string() {
                info.coercibility = a.coercibility.min(b.coercibility);
            }
            return info;
        }
    };
    TypeInfo::new(ty, nullable)
}

fn is_exact(t: &SqlType) -> bool {
    matches!(t.class(), Class::Int | Class::Decimal)
}

fn is_dated(t: &SqlType) -> bool {
    matches!(t.class(), Class::Date | Class::DateTime)
}

pub fn date(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Date, true)
}

/// The fraction digits of the first temporal argument, else all six (text, doubles).
fn fsp_of(args: &[TypeInfo]) -> u8 {
    args.iter()
        .map(|a| match a.ty {
            ref t if t.is_temporal() || t.is_integer() || *t == SqlType::Null => t.fsp(),
            SqlType::Decimal { scale, .. } => scale.min(6),
            _ => 6,
        })
        .max()
        .unwrap_or(0)
}

pub fn time(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Time { fsp: fsp_of(args) }, true)
}

pub fn datetime(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::DateTime { fsp: fsp_of(args) }, true)
}

/// NOW(n): the digits are in the argument, whose value is not known here.
pub fn now(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::DateTime { fsp: if args.is_empty() { 0 } else { 6 } }, false)
}

pub fn now_time(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Time { fsp: if args.is_empty() { 0 } else { 6 } }, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging() {
        let t = |ty| TypeInfo::new(ty, false);
        let m = |a, b| merge(&[t(a), t(b)]).ty;
        assert_eq!(m(SqlType::INT, SqlType::BIGINT), SqlType::BIGINT);
        assert_eq!(m(SqlType::UBIGINT, SqlType::INT), SqlType::decimal(20, 0));
        assert_eq!(m(SqlType::INT, SqlType::decimal(5, 2)), SqlType::decimal(12, 2));
        assert_eq!(m(SqlType::INT, SqlType::DOUBLE), SqlType::DOUBLE);
        assert_eq!(m(SqlType::Date, SqlType::DateTime { fsp: 3 }), SqlType::DateTime { fsp: 3 });
        assert_eq!(m(SqlType::INT, SqlType::varchar(5, TEXT)), SqlType::varchar(11, TEXT));
        assert!(merge(&[t(SqlType::INT), TypeInfo::null()]).nullable);
    }
}
