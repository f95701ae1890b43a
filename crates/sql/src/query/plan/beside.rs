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
    /// It is a variable of a stored program, of which the column may cut something off.
    pub local: bool,
}
