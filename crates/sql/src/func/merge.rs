//! The type that several expressions have together: of IF, COALESCE, CASE and GREATEST, and of a column of UNION.

use super::infer::{any_null, chars_in, collation_of, text_type};
use crate::value::arith::{decimal_type, more_places, places};
use crate::value::cast::octet_length;
use crate::value::types::{NOT_FIXED, coercibility};
use crate::value::{Class, Collation, IntKind, LobKind, SqlType, TypeInfo};

/// The type that can hold values of all arguments (IF, COALESCE, CASE, UNION, GREATEST).
pub fn merge(args: &[TypeInfo]) -> TypeInfo {
    let mut rest = args.iter().filter(|a| a.ty != SqlType::Null);
    let Some(first) = rest.next() else { return TypeInfo::null() };
    let mut out = *first;
    let mut alone = true;
    for a in rest {
        (out, alone) = (merge_two(out, *a), false);
    }
    if alone {
        out.ty = merged_with_itself(out.ty);
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
            return TypeInfo { ty: merged_with_itself(x), nullable, coercibility };
        }
        (x, y) if x.is_geometry() && y.is_geometry() => x.common_geometry(&y),
        (T::Int { .. } | T::Year, T::Int { .. } | T::Year) => merged_ints(a.ty, b.ty),
        (x, y) if is_exact(&x) && is_exact(&y) => {
            let ((i, s), (j, t)) = (digits_of(&x), digits_of(&y));
            decimal_type(i.max(j), s.max(t))
        }
        (x, y) if x.is_numeric() && y.is_numeric() => merged_reals(&x, &y),
        (x, y) if is_dated(&x) && is_dated(&y) => T::DateTime { fsp: x.fsp().max(y.fsp()) },
        (T::Time { fsp: f }, T::Time { fsp: g }) => T::Time { fsp: f.max(g) },
        (x, y) if x.is_temporal() && y.is_temporal() => T::DateTime { fsp: x.fsp().max(y.fsp()) },
        _ => return merged_texts(a, b, nullable),
    };
    TypeInfo::new(ty, nullable)
}

/// What two expressions of the same type give together.
fn merged_with_itself(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Decimal { precision, scale, .. } => SqlType::decimal(precision, scale),
        SqlType::Double { digits: None, .. } => SqlType::LONG_DOUBLE,
        SqlType::Float { digits: None, .. } => SqlType::LONG_FLOAT,
        // The width of a column says how it is shown, and not what its values are.
        SqlType::Int { kind, unsigned, zerofill, .. } if zerofill || kind == IntKind::Tiny => {
            SqlType::int(kind, unsigned)
        }
        other => other.without_zerofill(),
    }
}

/// As wide as the wider of the two. A YEAR is a SMALLINT whose values fit both kinds.
fn merged_ints(a: SqlType, b: SqlType) -> SqlType {
    let parts = |t: SqlType, other: SqlType| match t {
        SqlType::Int { kind, unsigned, .. } => (kind, unsigned),
        _ => (IntKind::Small, other.is_unsigned()),
    };
    let ((k, u), (l, v)) = (parts(a, b), parts(b, a));
    let (kind, unsigned) = if u == v {
        (k.max(l), u)
    } else {
        let (unsigned, signed) = if u { (k, l) } else { (l, k) };
        match unsigned {
            IntKind::Big => {
                // Beside what is known to be short they may still be integers of that many digits.
                let ((i, _), (j, _)) = (digits_of(&a), digits_of(&b));
                return decimal_type(i.max(j), 0);
            }
            IntKind::Int => (IntKind::Big, false),
            IntKind::Medium => (signed.max(IntKind::Int), false),
            IntKind::Small => (signed.max(IntKind::Medium), false),
            IntKind::Tiny => (signed.max(IntKind::Small), false),
        }
    };
    let plain = SqlType::int(kind, unsigned);
    let width = a.display_length(1).max(b.display_length(1));
    if width == plain.display_length(1) {
        return plain;
    }
    SqlType::Int { kind, unsigned, zerofill: false, width: Some(width.min(255) as u8) }
}

/// A FLOAT stays one beside integers of other lengths than its own four bytes, but a BIGINT before it makes a DOUBLE of both.
fn merged_reals(x: &SqlType, y: &SqlType) -> SqlType {
    let single = |t: &SqlType, first: bool| match t {
        SqlType::Float { .. } | SqlType::Year => true,
        SqlType::Int { kind: IntKind::Big, .. } => !first,
        SqlType::Int { kind, .. } => *kind != IntKind::Int,
        _ => false,
    };
    let single = single(x, true) && single(y, false);
    let places = more_places(x, y).filter(|d| *d < NOT_FIXED);
    let Some(d) = places else {
        return if single { SqlType::LONG_FLOAT } else { SqlType::LONG_DOUBLE };
    };
    let before = |t: &SqlType| {
        let own = places_shown(t);
        t.display_length(1).saturating_sub(own)
    };
    let width = before(x).max(before(y)).saturating_add(u32::from(d)).min(255) as u8;
    let (unsigned, zerofill, digits) = (false, false, Some((width, d)));
    match single {
        true => SqlType::Float { unsigned, zerofill, digits },
        false => SqlType::Double { unsigned, zerofill, digits },
    }
}

fn places_shown(t: &SqlType) -> u32 {
    places(t).map_or(0, u32::from)
}

/// One of them is a text, or becomes one beside the other.
fn merged_texts(a: TypeInfo, b: TypeInfo, nullable: bool) -> TypeInfo {
    use SqlType as T;
    // A document is the text of it, of a collation that has as much of a claim as a column's.
    let [a, b] = [a, b].map(|i| match i.ty {
        T::Json => {
            let ty = T::Text { kind: LobKind::Long, collation: Collation::Utf8mb4Bin };
            TypeInfo { ty, coercibility: coercibility::IMPLICIT, ..i }
        }
        _ => i,
    });
    // A BIT is its bytes beside a text.
    let texts = [a, b].map(|i| match i.ty.bytes_of_bits() {
        Some(bytes) => {
            let coercibility = coercibility::IMPLICIT;
            TypeInfo { ty: T::varbinary(bytes), coercibility, ..i }
        }
        None => i,
    });
    let (collation, mut claim) = collation_of(&texts);
    let chars = texts.iter().map(|t| chars_in(t, collation)).max().unwrap_or(0);
    if a.ty.is_string() != b.ty.is_string() {
        claim = a.coercibility.min(b.coercibility);
    }
    let lob = |t: &T| match t {
        T::Text { kind, .. } => Some(*kind),
        _ => None,
    };
    let short = |t: &T| matches!(t, T::Char { .. }) || !t.is_string();
    let ty = match (lob(&a.ty), lob(&b.ty)) {
        (None, None) if short(&a.ty) && short(&b.ty) && (is_char(&a.ty) || is_char(&b.ty)) => {
            T::Char { chars, collation }
        }
        (None, None) => text_type(chars, collation),
        (x, y) => {
            let bytes = chars.saturating_mul(collation.max_char_bytes() as u32);
            let fits = |k: &LobKind| k.max_bytes() >= bytes;
            let needed = [LobKind::Normal, LobKind::Medium].into_iter().find(fits);
            let other = |k: Option<LobKind>| k.unwrap_or(LobKind::Tiny);
            let least = other(x).max(other(y));
            let kind = match (x, y) {
                (Some(_), Some(_)) => least,
                _ if chars <= octet_length(&T::Text { kind: least, collation }) => least,
                _ => least.max(needed.unwrap_or(LobKind::Long)),
            };
            T::Text { kind, collation }
        }
    };
    TypeInfo { ty, nullable, coercibility: claim }
}

fn is_char(t: &SqlType) -> bool {
    matches!(t, SqlType::Char { .. })
}

fn is_exact(t: &SqlType) -> bool {
    matches!(t.class(), Class::Int | Class::Decimal)
}

fn is_dated(t: &SqlType) -> bool {
    matches!(t.class(), Class::Date | Class::DateTime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::func::infer::TEXT;

    #[test]
    fn merging() {
        let t = |ty| TypeInfo::new(ty, false);
        let m = |a, b| merge(&[t(a), t(b)]).ty;
        assert_eq!(m(SqlType::INT, SqlType::BIGINT), SqlType::BIGINT);
        assert_eq!(m(SqlType::UBIGINT, SqlType::INT), SqlType::decimal(20, 0));
        assert_eq!(m(SqlType::INT, SqlType::decimal(5, 2)), SqlType::decimal(12, 2));
        assert_eq!(m(SqlType::INT, SqlType::DOUBLE), SqlType::LONG_DOUBLE);
        assert_eq!(m(SqlType::FLOAT, SqlType::BIGINT), SqlType::LONG_FLOAT);
        assert_eq!(m(SqlType::Date, SqlType::DateTime { fsp: 3 }), SqlType::DateTime { fsp: 3 });
        assert_eq!(m(SqlType::INT, SqlType::varchar(5, TEXT)), SqlType::varchar(11, TEXT));
        assert!(merge(&[t(SqlType::INT), TypeInfo::null()]).nullable);
    }
}
