//! HANDLER ... READ: rows of one table in the order of one index, from where the read before ended.
//!
//! What is kept from one read to the next is a [`Place`]: a key, and never a cursor. So nothing of the engine is held between two statements,
//! and a row that is deleted in between is as good a place as one that stays.
//!
//! Invariant: a place says of which version of which table it is, and means nothing in any other.

use super::{Cond, Limit, QueryPlan};
use crate::memory::{Account, Held, Over};
use crate::meta::SqlTable;
use crate::query::expr::{BExpr, CmpOp};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A read, bound.
pub(in crate::query) struct HandlerRead {
    /// All columns of the table; its block has neither conditions nor steps.
    pub query: QueryPlan,
    pub table: Arc<SqlTable>,
    /// WHERE, of which each row is asked.
    pub conds: Vec<Cond>,
    pub order: Order,
    pub how: How,
    pub limit: Option<Limit>,
    pub bookmark: Arc<Bookmark>,
}

/// In which order rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::query) enum Order {
    /// Without the name of an index: the clustered key, one partition behind the other.
    Stored,
    /// By an index, by its place in the engine's definition.
    Index(usize),
    /// By a FULLTEXT or SPATIAL key, in which no row has a place: MySQL finds nothing by one.
    Nothing,
}

impl Order {
    pub fn index(self) -> usize {
        match self {
            Order::Index(i) => i,
            Order::Stored | Order::Nothing => 0,
        }
    }
}

/// Where a read begins, and where it goes.
pub(in crate::query) enum How {
    First,
    Next,
    Prev,
    Last,
    /// Values of the index's first parts.
    Key(CmpOp, Vec<BExpr>),
}

/// Where a read has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::query) enum Spot {
    /// Before the first row.
    Start,
    /// Behind the last row.
    End,
    /// On the row of this key, which is the entry of a secondary index in full; of a partitioned table in this partition.
    Row(Vec<u8>, usize),
    /// Between rows: before the first key that is not below this one.
    Before(Vec<u8>),
}

/// A spot, and what it is one of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::query) struct Place {
    /// Number and version of the table's definition.
    pub table: (u64, u64),
    pub order: Order,
    pub spot: Spot,
}

/// The place of an open handler. Its session and the plan of a read of it share it.
#[derive(Default)]
pub struct Bookmark(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    place: Option<Place>,
    /// What the key is charged.
    held: Held,
}

impl Bookmark {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next read begins as the first one did.
    pub fn forget(&self) {
        *self.kept() = Kept::default();
    }

    pub(in crate::query) fn place(&self) -> Option<Place> {
        self.kept().place.clone()
    }

    pub(in crate::query) fn put(&self, place: Place, account: Account<'_>) -> Result<(), Over> {
        let mut kept = self.kept();
        let bytes = match &place.spot {
            Spot::Row(key, _) | Spot::Before(key) => key.len(),
            Spot::Start | Spot::End => 0,
        };
        kept.held.set(account, bytes)?;
        kept.place = Some(place);
        Ok(())
    }
}

impl HandlerRead {
    /// What the place of the handler means to this read.
    pub fn spot(&self) -> Option<Spot> {
        let place = self.bookmark.place()?;
        (place.table == self.version() && place.order == self.order).then_some(place.spot)
    }

    fn version(&self) -> (u64, u64) {
        (self.table.engine.def.id, self.table.engine.def.version)
    }

    /// The read has ended here.
    pub fn end_at(&self, spot: Spot, account: Account<'_>) -> Result<(), Over> {
        let place = Place { table: self.version(), order: self.order, spot };
        self.bookmark.put(place, account)
    }
}
