//! The plan of UPDATE and DELETE.

use super::{Block, Limit, Source};
use crate::meta::SqlTable;
use crate::query::expr::BExpr;
use std::sync::Arc;
use weir_engine::LockMode;

/// `column = value` of a table; a missing value is DEFAULT.
pub struct Assign {
    pub table: usize,
    pub col: usize,
    pub value: Option<BExpr>,
}

pub enum What {
    Update(Vec<Assign>),
    /// Tables of the block whose rows go.
    Delete(Vec<usize>),
}

pub struct ChangePlan {
    pub block: Block,
    pub what: What,
    pub ignore: bool,
    pub order: Vec<(BExpr, bool)>,
    pub limit: Option<Limit>,
    /// Rows must be known before the first is changed.
    pub collect: bool,
    /// A value looks at a column that is assigned before it.
    pub looks_back: bool,
    pub multi: bool,
    /// Of tables that are changed through views WITH CHECK OPTION: what the new rows must fulfil.
    pub checks: Vec<ViewRows>,
    /// No index finds the rows, and no LIMIT bounds them: refused under `sql_safe_updates`.
    pub unsafe_scan: bool,
    /// Of an UPDATE that changes rows as it finds them: the columns that a row's place in what it reads rests on. A trigger that sets
    /// one makes it collect the rows after all.
    pub place: Vec<usize>,
    /// Tables that are changed under two names.
    pub twins: Vec<Twin>,
}

/// What rows must fulfil that are written through a view.
pub struct ViewRows {
    /// Slot of the table that is changed.
    pub table: usize,
    pub view: (String, String),
    pub conds: Vec<BExpr>,
    /// Conditions have subqueries or calls of stored functions, of those of the statement.
    pub has_subs: bool,
    /// The other tables of the view, whose rows the conditions look at too.
    pub beside: Vec<usize>,
}

impl ChangePlan {
    /// DELETE, not UPDATE.
    pub fn deletes(&self) -> bool {
        matches!(self.what, What::Delete(_))
    }

    /// The tables whose rows are changed.
    pub fn targets(&self) -> Vec<Arc<SqlTable>> {
        let target = |t: &super::TableSlot| match &t.source {
            Source::Table(x) if t.lock == LockMode::Exclusive => Some(x.clone()),
            _ => None,
        };
        self.block.tables.iter().filter_map(target).collect()
    }

    /// Whether rows of the table are changed.
    pub fn changes(&self, t: &Arc<SqlTable>) -> bool {
        self.block.tables.iter().any(|s| {
            s.lock == LockMode::Exclusive
                && matches!(&s.source, Source::Table(x) if Arc::ptr_eq(x, t))
        })
    }
}

/// A table that the statement changes under two names, where changes of some columns lose what it does under the other.
pub struct Twin {
    /// Numbers in the block.
    pub tables: (usize, usize),
    pub columns: Vec<usize>,
}
