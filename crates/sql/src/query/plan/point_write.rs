//! A write of one row that needs no executor: UPDATE and DELETE by a unique key, INSERT of one row of values. What is written stands
//! in the statement's usual plan, which is run where anything wants more (docs/decisions/point-plan.md).

use super::point::PointPart;
use crate::meta::SqlTable;
use std::sync::Arc;

/// See the module.
pub struct PointWrite {
    pub table: Arc<SqlTable>,
    /// The unique index by whose key the row is found: its position in the engine's definition.
    pub index: usize,
    pub what: PointChange,
    /// As of [`super::point::PointPlan`].
    pub serial: u64,
}

pub enum PointChange {
    Update {
        key: Box<[PointPart]>,
        /// Of each assignment, whether its value is computed from the row: with a little arithmetic, as its page is latched meanwhile.
        by_row: Box<[bool]>,
    },
    Delete {
        key: Box<[PointPart]>,
    },
    Insert,
}

impl PointWrite {
    /// All parts of the key; none: the row is new.
    pub fn key(&self) -> &[PointPart] {
        match &self.what {
            PointChange::Update { key, .. } | PointChange::Delete { key } => key,
            PointChange::Insert => &[],
        }
    }
}
