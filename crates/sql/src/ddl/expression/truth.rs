//! What has a truth value by its form.

use weir_syntax::ast::{BinaryOp, Expr, Literal, UnaryOp};

/// Functions whose value is a truth value; to MySQL STRCMP() is one too.
const BOOLEAN: &[&str] = &[
    "is_ipv4",
    "is_ipv6",
    "is_uuid",
    "isnull",
    "json_contains",
    "json_contains_path",
    "json_overlaps",
    "json_schema_valid",
    "json_valid",
    "mbrcontains",
    "mbrcoveredby",
    "mbrcovers",
    "mbrdisjoint",
    "mbrequals",
    "mbrintersects",
    "mbroverlaps",
    "mbrtouches",
    "mbrwithin",
    "regexp_like",
    "st_contains",
    "st_crosses",
    "st_disjoint",
    "st_equals",
    "st_intersects",
    "st_isclosed",
    "st_isempty",
    "st_issimple",
    "st_isvalid",
    "st_overlaps",
    "st_touches",
    "st_within",
    "strcmp",
];

/// Does the expression have a truth value by its form? (MySQL's `is_bool_func`; a number is none.)
pub fn is_boolean(expr: &Expr) -> bool {
    use BinaryOp::*;
    match expr {
        Expr::Literal(Literal::Bool(_)) => true,
        Expr::Unary { op: UnaryOp::Not | UnaryOp::Bang, .. } => true,
        Expr::Binary { op, .. } => {
            matches!(op, Or | Xor | And | Eq | NullSafeEq | Ne | Lt | Le | Gt | Ge | SoundsLike)
        }
        Expr::Is { .. }
        | Expr::Like { .. }
        | Expr::Regexp { .. }
        | Expr::Between { .. }
        | Expr::InList { .. }
        | Expr::MemberOf { .. } => true,
        Expr::Call(call) => BOOLEAN.iter().any(|n| call.name.is(n)),
        Expr::Odbc { expr, .. } => is_boolean(expr),
        _ => false,
    }
}
