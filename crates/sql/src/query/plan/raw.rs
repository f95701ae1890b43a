//! What the optimizer works from.

use crate::query::expr::BExpr;

/// The inner side of an outer join, as written.
pub struct RawGroup {
    pub parent: Option<usize>,
    pub tables: u64,
    pub on: Vec<BExpr>,
}

/// What the optimizer works from.
#[derive(Default)]
pub struct Raw {
    pub conds: Vec<BExpr>,
    pub groups: Vec<RawGroup>,
    /// For each table the group it is in.
    pub group_of: Vec<Option<usize>>,
    /// For each table the engine indexes it may use; none: all.
    pub usable: Vec<Option<Vec<usize>>>,
    /// Tables, as bits, that are scanned only when none of the indexes named can be used (FORCE INDEX).
    pub forced: u64,
    /// SELECT STRAIGHT_JOIN: the tables are joined as they are written.
    pub straight: bool,
    /// Tables, as bits, whose rows are not kept for a join.
    pub unkept: u64,
    /// For each table those, as bits, that are read before it, because STRAIGHT_JOIN or a hint says so; none at the end: of no table.
    pub behind: Vec<u64>,
}

impl Raw {
    /// A table is read behind others.
    pub fn put_behind(&mut self, t: usize, others: u64) {
        if self.behind.len() <= t {
            self.behind.resize(t + 1, 0);
        }
        self.behind[t] |= others & !(1 << t);
    }
}
