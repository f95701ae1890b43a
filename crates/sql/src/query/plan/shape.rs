//! What the rows of a table in a block look like.

use crate::meta::SqlTable;
use crate::value::SqlType;
use std::sync::Arc;

/// What a slot's columns are.
#[derive(Clone)]
pub enum Shape {
    Table(Arc<SqlTable>),
    /// Rows of values: derived and virtual tables.
    Values(Vec<SqlType>),
}

impl Shape {
    pub fn column_type(&self, col: usize) -> SqlType {
        match self {
            Shape::Table(t) => t.meta.columns[col].ty,
            Shape::Values(types) => types[col],
        }
    }
}
