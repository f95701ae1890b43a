//! A table of a block, and what is known of how the block reads it.

use super::Source;
use crate::query::expr::BExpr;
use std::sync::Arc;
use weir_engine::{LockMode, OnLocked};

pub(in crate::query) struct TableSlot {
    pub alias: Arc<str>,
    pub source: Source,
    pub lock: LockMode,
    pub on_locked: OnLocked,
    /// Columns whose values are needed live off the page.
    pub needs_external: bool,
    /// The columns that the block looks at, where that is known.
    pub columns: Option<Arc<[u16]>>,
    /// LATERAL: the tables of this block, as bits, whose rows a derived table is made from. It is made again for each of them.
    pub lateral: Option<u64>,
    /// What of the tables before a key of its groups equals, where it was made LATERAL by the optimizer: rows with the same value share its rows.
    pub by_key: Option<Box<BExpr>>,
    /// The common table that it reads, by number: its rows are made once for all that read it.
    pub common: Option<u32>,
    /// It stands for `IN (SELECT ...)`.
    pub of_in: bool,
    /// It stands for NOT IN of what may be NULL ([`TableSlot::not_in`]).
    pub nulls_decide: bool,
    /// Of NOT IN of what may be NULL, what is looked for in its one column. Where that is NULL, or the column has a NULL, the condition is unknown
    /// for all rows before that are not refused already, unless the table is empty. Known when the steps are.
    pub not_in: Option<Box<BExpr>>,
    /// PARTITION (...): the numbers of the partitions that are meant.
    pub selected: Option<Arc<[usize]>>,
    /// The outermost view that the table was merged with, as the block names it.
    pub through: Option<Arc<str>>,
    /// It was merged with a derived table: its rows are neither locked nor changed.
    pub nested: bool,
}

impl TableSlot {
    /// A table of a block, before anything more is known of it.
    pub fn new(alias: Arc<str>, source: Source) -> TableSlot {
        TableSlot {
            alias,
            source,
            lock: LockMode::None,
            on_locked: OnLocked::Wait,
            needs_external: true,
            columns: None,
            lateral: None,
            by_key: None,
            common: None,
            of_in: false,
            nulls_decide: false,
            not_in: None,
            selected: None,
            through: None,
            nested: false,
        }
    }

    /// Whether somebody looks at virtual columns that some rows are older than: such a row gets their values when it is read.
    pub fn completes(&self) -> bool {
        let Source::Table(t) = &self.source else { return false };
        let late = |c: &u16| t.rules.late.contains(&usize::from(*c));
        let seen = self.columns.as_ref().is_none_or(|seen| seen.iter().any(late));
        !t.rules.late.is_empty() && (seen || self.lock == LockMode::Exclusive)
    }

    /// The entries of an index are enough for a read without locks.
    pub fn is_covered_by(&self, index: usize) -> bool {
        let (Source::Table(t), Some(columns)) = (&self.source, &self.columns) else { return false };
        let mut columns = columns.iter().map(|c| usize::from(*c));
        index > 0 && self.lock == LockMode::None && t.engine.covers(index, &mut columns)
    }
}
