//! Constants that must be values of a type.

use crate::query::expr::BExpr;
use crate::value::SqlType;
use std::sync::Arc;

/// A constant, the type of what it is compared with, and that column's name if it is one.
#[derive(Clone, Debug)]
pub struct Beside {
    pub value: BExpr,
    pub ty: SqlType,
    pub column: Option<Arc<str>>,
    /// It is a parameter of a prepared statement, whose value is not known when the statement is.
    pub sent: bool,
}
