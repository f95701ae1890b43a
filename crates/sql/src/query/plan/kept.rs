//! The type of a column that keeps the values of an expression.

use crate::value::decimal::{MAX_PRECISION, MAX_SCALE};
use crate::value::{Collation, IntKind, LobKind, SqlType};

/// A text of an expression that may have more characters becomes a TEXT, as in MySQL (`CONVERT_IF_BIGGER_TO_BLOB`).
pub const LONGEST_VARCHAR: u32 = 512;

/// The type without what an expression said of its longest value.
pub fn unmeasured(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Int { kind, unsigned, zerofill: false, width } if width != Some(1) => {
            SqlType::int(kind, unsigned)
        }
        SqlType::Float { .. } | SqlType::Double { .. } if ty.fixed_digits().is_none() => kept(ty),
        SqlType::Null => kept(ty),
        other => other,
    }
}

/// The type of a column that keeps the values of an expression.
pub fn kept(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Null => SqlType::Char { chars: 0, collation: Collation::Binary },
        // Ten digits and a sign, whether or not they fit.
        SqlType::Int { kind: IntKind::Big, unsigned, width: Some(..=11), .. } => {
            SqlType::int(IntKind::Int, unsigned)
        }
        SqlType::Int { kind, unsigned, .. } => SqlType::int(kind, unsigned),
        SqlType::Float { unsigned, .. } | SqlType::Double { unsigned, .. }
            if ty.fixed_digits().is_none() =>
        {
            let digits = None;
            match ty {
                SqlType::Float { .. } => SqlType::Float { unsigned, zerofill: false, digits },
                _ => SqlType::Double { unsigned, zerofill: false, digits },
            }
        }
        SqlType::Char { chars, collation } | SqlType::Varchar { chars, collation }
            if chars > LONGEST_VARCHAR =>
        {
            let bytes = u64::from(chars) * collation.max_char_bytes() as u64;
            let kind = if bytes < 1 << 16 { LobKind::Normal } else { LobKind::Long };
            SqlType::Text { kind, collation }
        }
        SqlType::Char { chars, collation } => SqlType::Varchar { chars, collation },
        SqlType::Decimal { precision, scale: long, .. }
            if precision > MAX_PRECISION || long > MAX_SCALE =>
        {
            let scale = long.min(MAX_SCALE);
            SqlType::decimal((precision - (long - scale)).min(MAX_PRECISION), scale)
        }
        other => other,
    }
}
