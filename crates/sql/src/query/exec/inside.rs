//! What a statement of a stored function or trigger runs in.

use crate::meta::SqlTable;
use crate::query::plan::code::Code;
use std::sync::Arc;

/// What a statement runs in: a function or trigger, the tables of the statement that runs that, and what that runs in.
pub struct Inside<'a> {
    pub code: &'a Arc<Code>,
    pub tables: &'a [(Arc<SqlTable>, u64)],
    pub around: Option<&'a Inside<'a>>,
}

impl Inside<'_> {
    pub fn chain(&self) -> impl Iterator<Item = &Inside<'_>> {
        std::iter::successors(Some(self), |i| i.around)
    }
}
