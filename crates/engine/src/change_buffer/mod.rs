//! Floor 3: the change buffer: a second tree of a large secondary index, where fresh entries wait until they are moved to the main tree,
//! many at a time. docs/decisions/change-buffer.md has the reasons.
//!
//! May use: `btree`, `mtr`, `page`. Knows no tables, no transactions and no locks of rows. Whatever reads or changes a secondary index does
//! it by this room's functions, which see both trees as one: `find` (entries one by one), `pair` (the leaves at a position), `sweep` (what
//! moves entries).
//!
//! Invariants
//! - I13: No key stands in both trees. Entries travel from the buffer tree to the main tree only, and a move is one mini-transaction with
//!   the leaves of both latched exclusively.
//! - I14: Whoever needs a consistent sight of a piece of the index has the leaves of both trees that own it latched at the same time.
//!   Nothing can move between them meanwhile. So a lock on a gap is taken with every leaf of either tree latched that owns a part of it,
//!   and an insert, which has one of them, knows whether there is such a lock.
//! - Unique indexes and the clustered index have no buffer tree.

mod find;
mod pair;
mod sweep;
#[cfg(all(test, not(any(shuttle, miri))))]
mod tests;

pub use find::{above, estimate, first_from, last_before, place, successor};
pub use pair::{Pair, Walk};
pub use sweep::{Step, step};

use crate::btree::Tree;
use crate::ids::PageNo;
use crate::planted::{self, Bug};
use crate::space::Space;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The pages of an index's buffer tree are owned by the index's id with this bit.
pub const BUFFER: u64 = 1 << 63;

/// Both trees of an index.
#[derive(Clone, Copy)]
pub struct Trees<'a> {
    pub main: &'a Arc<Tree>,
    pub buffer: Option<&'a Arc<Tree>>,
}

impl<'a> Trees<'a> {
    /// An index that never has a buffer tree.
    pub fn single(main: &'a Arc<Tree>) -> Trees<'a> {
        Trees { main, buffer: None }
    }

    pub fn each(self) -> impl Iterator<Item = &'a Arc<Tree>> {
        [Some(self.main), self.buffer].into_iter().flatten()
    }
}

/// The buffer of an index, shared by all handles of its table.
#[derive(Default)]
pub struct Buffer {
    /// Made when it is first wanted, and there for good.
    tree: OnceLock<Arc<Tree>>,
    /// Fresh entries go to it.
    takes: AtomicBool,
    /// Leaves that it may have.
    limit: AtomicU64,
    /// The key at which the sweep goes on.
    at: Mutex<Vec<u8>>,
}

impl Buffer {
    pub fn tree(&self) -> Option<&Arc<Tree>> {
        self.tree.get()
    }

    /// The tree that the dictionary names, or that has just been entered there.
    pub fn has(&self, space: &Arc<Space>, root: PageNo, index: u64) {
        _ = self.tree.set(Arc::new(Tree::new(space.clone(), root, index | BUFFER)));
    }

    /// Whether a fresh entry goes to the buffer tree.
    #[inline]
    pub fn takes(&self) -> bool {
        self.takes.load(Ordering::Relaxed)
    }

    /// Begins or ends to take fresh entries, up to so many leaves of them.
    pub fn set(&self, takes: bool, limit: u64) {
        self.limit.store(limit, Ordering::Relaxed);
        self.takes.store(takes && self.tree().is_some(), Ordering::Relaxed);
    }

    pub fn leaves(&self) -> u64 {
        self.tree().map_or(0, |t| t.leaves())
    }

    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// It has all the leaves that it may have: an insert moves something first.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.takes() && self.leaves() > self.limit() && !planted::is(Bug::BufferLimitIgnored)
    }
}
