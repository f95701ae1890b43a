//! JSON_TABLE: which parts of a document are rows, and what their columns are.

use super::QueryPlan;
use crate::query::expr::json::Wanted;
use crate::value::json::Path;

pub struct JsonTable {
    /// A query of the document, one column.
    pub source: QueryPlan,
    pub root: Level,
    pub columns: usize,
}

pub struct Level {
    pub path: Path,
    /// Each with its place in the row.
    pub columns: Vec<(usize, Column)>,
    pub nested: Vec<Level>,
}

pub enum Column {
    /// FOR ORDINALITY: the number of the row within its parent.
    Ordinality,
    /// EXISTS PATH.
    Exists(Path),
    Path(Box<str>, Wanted),
}
