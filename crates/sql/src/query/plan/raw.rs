//! What the optimizer works from.

use crate::query::expr::{BExpr, CmpOp, Node};
use crate::value::json::elements::Listed;

/// The inner side of an outer join, as written.
pub struct RawGroup {
    pub parent: Option<usize>,
    pub tables: u64,
    pub on: Vec<BExpr>,
}

/// A condition on the elements of a list, by which rows may be searched.
pub struct ListedCond {
    /// The group whose condition it is; none: of the block.
    pub group: Option<usize>,
    pub table: u16,
    /// The hidden column that keeps the list.
    pub col: u16,
    pub by: Listed,
    pub value: BExpr,
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
    /// Derived tables, as bits, whose queries get no conditions (hint).
    pub unpushed: u64,
    /// Tables, as bits, whose indexes are not merged, and those whose indexes are merged where that goes (hints).
    pub unmerged: u64,
    pub merged: u64,
    /// Tables, as bits, of which no index is scanned behind its first parts, and those of which one is where that goes (hints).
    pub unskipped: u64,
    pub skipped: u64,
    /// Conditions from this place on follow from those before it; none: all were given.
    pub given: Option<usize>,
    /// The places of conditions that say nothing more of a table alone, since concluded ones say it.
    pub told_by_tables: Vec<usize>,
    /// Columns (of a table, by number) that are equal in all rows that are wanted, and whether one value is known of them.
    pub classes: Vec<(Vec<(u16, u16)>, bool)>,
    /// What conditions say of lists that multi-valued indexes are over, beside standing among the conditions.
    pub listed: Vec<ListedCond>,
    /// For each table those, as bits, that are read before it, because STRAIGHT_JOIN or a hint says so; none at the end: of no table.
    pub behind: Vec<u64>,
}

impl Raw {
    /// Whether the condition at a place follows from others.
    pub fn is_concluded(&self, at: usize) -> bool {
        self.given.is_some_and(|given| at >= given)
    }

    /// The class of equal columns that a condition equates two of.
    pub fn class_of(&self, cond: &BExpr) -> Option<usize> {
        let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &cond.node else { return None };
        let place = |e: &BExpr| match e.node {
            Node::Col(c) if c.depth == 0 => Some((c.table, c.col)),
            _ => None,
        };
        let (a, b) = (place(a)?, place(b)?);
        self.classes.iter().position(|(columns, _)| columns.contains(&a) && columns.contains(&b))
    }

    /// A table is read behind others.
    pub fn put_behind(&mut self, t: usize, others: u64) {
        if self.behind.len() <= t {
            self.behind.resize(t + 1, 0);
        }
        self.behind[t] |= others & !(1 << t);
    }
}
