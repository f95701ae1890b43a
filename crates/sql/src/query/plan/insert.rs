//! The plan of INSERT, REPLACE and LOAD DATA: which column gets what, the rows or the query they come from, ON DUPLICATE KEY UPDATE.
//!
//! Invariants:
//! - The rows of a SELECT are all known before the first is inserted: it may read the target.
//! - An expression of ON DUPLICATE KEY UPDATE sees the row in the table (0), the row that was to be inserted (1) and the
//!   rows that the SELECT read for it (from [`FIRST_SOURCE`] on).

use super::change::ViewRows;
use super::shape::Shape;
use super::{QueryPlan, Sub};
use crate::errno;
use crate::meta::{SqlColumn, SqlTable};
use crate::query::expr::BExpr;
use crate::query::textfile::Format;
use crate::value::{Charset, DatumBuf};
use std::sync::Arc;

/// The first of the SELECT's tables among those that ON DUPLICATE KEY UPDATE sees.
pub const FIRST_SOURCE: usize = 2;

/// What a column gets that the statement does not name.
pub enum Fill {
    Datum(DatumBuf),
    /// CURRENT_TIMESTAMP(fsp)
    Now(u8),
    /// `DEFAULT (expr)`, worked out when the other columns are known.
    Expr,
    Auto,
    /// 1364 in strict mode, else the type's zero.
    Missing,
}

pub enum Rows {
    /// A missing expression is DEFAULT.
    Values(Vec<Vec<Option<BExpr>>>),
    Query(Box<QueryPlan>),
    /// LOAD DATA.
    File(Box<LoadPlan>),
}

pub struct InsertPlan {
    pub table: Arc<SqlTable>,
    /// Columns that the source's values go to.
    pub targets: Vec<usize>,
    pub rows: Rows,
    pub fill: Vec<Fill>,
    pub ignore: bool,
    pub replace: bool,
    /// ON DUPLICATE KEY UPDATE, which may have nothing to do: DEFAULT of a generated column assigns nothing.
    pub updates: bool,
    /// Column and value; a missing value is DEFAULT.
    pub on_duplicate: Vec<(usize, Option<BExpr>)>,
    /// Through a view without the AUTO_INCREMENT column.
    pub hides_id: bool,
    /// Schema and name of the view that the statement names.
    pub through: Option<(String, String)>,
    /// Through a view WITH CHECK OPTION: what the rows must fulfil.
    pub view: Option<ViewRows>,
    pub subs: Vec<Sub>,
    /// The table, the row that was to be inserted, and the tables of the SELECT.
    pub shapes: Vec<Shape>,
    /// Columns of the SELECT's tables that ON DUPLICATE KEY UPDATE reads: they are behind those for the targets.
    pub read: Vec<(usize, usize)>,
    /// PARTITION (...): where the rows must go.
    pub selected: Option<Arc<[usize]>>,
    /// A value looks at columns set before it in the row.
    pub looks_back: bool,
}

/// Where a field of the file goes.
#[derive(Clone, Debug)]
pub enum Goes {
    Column(usize),
    /// A user variable, for SET.
    Var(Arc<str>),
    /// The value of a generated column, which is worked out again.
    Nowhere,
}

/// What LOAD DATA says beyond its table.
pub struct LoadPlan {
    pub local: bool,
    pub path: Box<[u8]>,
    pub format: Format,
    pub charset: Charset,
    pub skip: u64,
    pub fields: Vec<Goes>,
    /// LOAD XML: the names of the fields in the file.
    pub xml: Option<Vec<Box<[u8]>>>,
    /// SET; a missing expression is DEFAULT.
    pub set: Vec<(usize, Option<BExpr>)>,
}

impl InsertPlan {
    /// What is said of a column that has neither a value nor a default. A view does not tell which of its table's columns it is.
    pub fn without_default(&self, c: &SqlColumn) -> (u16, String) {
        match &self.through {
            Some((schema, view)) => (
                errno::ER_NO_DEFAULT_FOR_VIEW_FIELD,
                format!(
                    "Field of view '{schema}.{view}' underlying table doesn't have a default value"
                ),
            ),
            None => (
                errno::ER_NO_DEFAULT_FOR_FIELD,
                format!("Field '{}' doesn't have a default value", c.name),
            ),
        }
    }
}
