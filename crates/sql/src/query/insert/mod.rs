//! INSERT, REPLACE and LOAD DATA.
//!
//! `bind` makes the plan: which column gets what, the rows or the query they come from, ON DUPLICATE KEY UPDATE. `run`
//! puts the rows together and hands them to the writer (`write`); `load` makes them of a file's lines. May use all of the rooms around.
//!
//! Invariants:
//! - The rows of a SELECT are all known before the first is inserted: it may read the target.
//! - An expression of ON DUPLICATE KEY UPDATE sees the row in the table (0), the row that was to be inserted (1) and the
//!   rows that the SELECT read for it (from [`FIRST_SOURCE`] on).

mod bind;
mod load;
mod run;

pub use bind::{bind, bind_load};
pub use run::run;

use super::expr::BExpr;
use super::frame::Shape;
use super::plan::{QueryPlan, Sub};
use crate::meta::SqlTable;
use crate::query::change::ViewRows;
use crate::query::write::WriteKind;
use crate::value::DatumBuf;
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
    File(Box<load::LoadPlan>),
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

impl InsertPlan {
    fn kind(&self) -> WriteKind {
        match (self.replace, self.updates) {
            (true, _) => WriteKind::Replace,
            (false, false) => WriteKind::Insert,
            (false, true) => WriteKind::Upsert,
        }
    }
}
