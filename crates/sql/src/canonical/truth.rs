//! What has a truth value by its form.

use crate::func;
use weir_syntax::ast::{BinaryOp, Expr, Literal, UnaryOp};

/// Does the expression have a truth value by its form? (MySQL's `is_bool_func`; a number is not one.)
pub fn is_boolean(expr: &Expr) -> bool {
    use BinaryOp::*;
    match expr {
        Expr::Literal(Literal::Bool(_)) => true,
        Expr::Unary { op: UnaryOp::Not | UnaryOp::Bang, .. } => true,
        Expr::Binary { op, .. } => {
            matches!(op, Or | Xor | And | Eq | NullSafeEq | Ne | Lt | Le | Gt | Ge | SoundsLike)
        }
        Expr::Unary { op: UnaryOp::Plus, expr } | Expr::Odbc { expr, .. } => is_boolean(expr),
        Expr::Quantified { .. }
        | Expr::InQuery { .. }
        | Expr::Exists(_)
        | Expr::Is { .. }
        | Expr::Like { .. }
        | Expr::Regexp { .. }
        | Expr::Between { .. }
        | Expr::InList { .. }
        | Expr::MemberOf { .. } => true,
        // To MySQL STRCMP() is one too.
        Expr::Call(call) => {
            call.schema.is_none()
                && call.over.is_none()
                && func::lookup(call.name.as_str()).is_some_and(|f| f.truth)
        }
        _ => false,
    }
}
