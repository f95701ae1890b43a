//! UPDATE and DELETE, of one table or many.
//!
//! Rows are found by a block that locks them exclusively. A single table whose scan cannot meet its own changes is changed
//! row by row; otherwise the rows are collected first, by clustered key, and changed after.

mod bind;
mod moves;
mod run;

pub use bind::{bind_delete, bind_update, generated_value};
pub use run::run;

use super::Run;
use super::expr::{BExpr, Ev, is_true};
use super::frame::Frame;
use super::plan::{Block, Limit, Source};
use super::scope::Scope;
use crate::errno;
use crate::meta::SqlTable;
use crate::session_api::SqlError;
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
    pub twins: Vec<moves::Twin>,
}

/// What rows must fulfil that are written through a view.
pub struct ViewRows {
    /// Slot of the table that is changed.
    pub table: usize,
    pub view: (String, String),
    pub conds: Vec<BExpr>,
    /// The other tables of the view, whose rows the conditions look at too.
    pub beside: Vec<usize>,
}

impl ViewRows {
    /// Of the tables of a block that views with the option show.
    pub fn of(scope: &Scope) -> Vec<ViewRows> {
        let of = |(table, t): (usize, &super::scope::ScopeTable)| {
            let m = t.merged.as_ref().filter(|m| !m.check.is_empty())?;
            let view = t.view().map(|v| (v.schema.clone(), v.name.clone()))?;
            let others = m.slots().filter(|s| *s != table);
            let beside = if m.checks_only(table) { Vec::new() } else { others.collect() };
            Some(ViewRows { table, view, conds: m.check.clone(), beside })
        };
        scope.tables.iter().enumerate().filter_map(of).collect()
    }

    /// 1369 unless the row in `frame` is one of the view's. `false`: it is passed over (IGNORE).
    pub fn check(&self, frame: &Frame<'_>, ev: &mut Ev<'_>, ignore: bool) -> Run<bool> {
        for c in &self.conds {
            if is_true(c, frame, ev)? {
                continue;
            }
            let text = format!("CHECK OPTION failed '{}.{}'", self.view.0, self.view.1);
            if !ignore {
                return Err(SqlError::new(errno::ER_VIEW_CHECK_FAILED, text).into());
            }
            ev.cx.warnings.warn(errno::ER_VIEW_CHECK_FAILED, || text);
            return Ok(false);
        }
        Ok(true)
    }
}

impl ChangePlan {
    /// DELETE, not UPDATE.
    pub fn deletes(&self) -> bool {
        matches!(self.what, What::Delete(_))
    }

    /// The tables whose rows are changed.
    pub fn targets(&self) -> Vec<Arc<SqlTable>> {
        let target = |t: &super::plan::TableSlot| match &t.source {
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
