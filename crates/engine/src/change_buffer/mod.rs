//! Floor 3: the change buffer: a second tree of a large secondary index, where fresh entries wait until they are moved to the main tree,
//! many at a time. docs/decisions/change-buffer.md has the reasons.
//!
//! May use: `btree`, `mtr`, `page`, of `policy` what its data are. Knows no tables, no transactions and no locks of rows. Whatever reads or changes a secondary index does
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
pub use sweep::{Step, step, step_at, steps};

use crate::btree::Tree;
use crate::ids::PageNo;
use crate::planted::{self, Bug};
use crate::policy::Merging;
use crate::space::Space;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::VecDeque;
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

/// Leaves beyond the limit from which whoever inserts waits for the contraction, and from which nothing is buffered, in InnoDB.
const SYNC: u64 = 5;
const DIRECT: u64 = 10;

/// Before an insert.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    Nothing,
    /// The buffer is full: the insert makes a move.
    Move,
    /// The buffer is far beyond its limit: the insert contracts it, and its entry goes to the main tree.
    PassBy,
}

/// Leaves of main trees that readers have found wanting, at most: those behind them are forgotten, and asked for by the next reader.
const ASKED_MAX: usize = 256;

/// Who makes a contraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contraction {
    /// The sweep, some time soon.
    Asks,
    /// Whoever inserts.
    Waits,
}

/// The buffer of an index, shared by all handles of its table.
#[derive(Default)]
pub struct Buffer {
    /// Made when it is first wanted, and there for good.
    tree: OnceLock<Arc<Tree>>,
    /// The index may be worth one, but a session has the table for itself alone: it is the one to look, and to make it.
    wanted: AtomicBool,
    /// Fresh entries go to it.
    takes: AtomicBool,
    /// Leaves that it may have.
    limit: AtomicU64,
    /// Contraction, as InnoDB has it: from this many leaves on a growth of the buffer is followed by one; `u64::MAX`: never.
    contract_from: AtomicU64,
    /// Leaves that it had when somebody looked last whether it has grown.
    seen: AtomicU64,
    /// The key at which the sweep goes on.
    at: Mutex<Vec<u8>>,
    /// How its entries come to the main tree.
    merging: Mutex<Merging>,
    on_read: AtomicBool,
    past_resident: AtomicBool,
    /// Keys of leaves that were read while entries waited for them.
    asked: Mutex<VecDeque<Vec<u8>>>,
}

impl Buffer {
    pub fn tree(&self) -> Option<&Arc<Tree>> {
        self.tree.get()
    }

    /// The tree that the dictionary names, or that has just been entered there.
    pub fn has(&self, space: &Arc<Space>, root: PageNo, index: u64) {
        _ = self.tree.set(Arc::new(Tree::new(space.clone(), root, index | BUFFER)));
    }

    pub fn want(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    /// Whether somebody wanted it since this was asked last.
    pub fn was_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) && self.wanted.swap(false, Ordering::Relaxed)
    }

    /// Whether a fresh entry goes to the buffer tree.
    #[inline]
    pub fn takes(&self) -> bool {
        self.takes.load(Ordering::Relaxed)
    }

    /// Begins or ends to take fresh entries, up to so many leaves of them. `contract_from`: whoever inserts contracts the buffer from
    /// there on, instead of a move before each insert beyond the limit.
    pub fn set(&self, takes: bool, limit: u64, contract_from: Option<u64>, merging: Merging) {
        self.limit.store(limit, Ordering::Relaxed);
        self.contract_from.store(contract_from.unwrap_or(u64::MAX), Ordering::Relaxed);
        *self.merging.lock() = merging;
        self.on_read.store(merging.on_read, Ordering::Relaxed);
        self.past_resident.store(merging.past_resident, Ordering::Relaxed);
        self.takes.store(takes && self.tree().is_some(), Ordering::Relaxed);
    }

    pub fn merging(&self) -> Merging {
        *self.merging.lock()
    }

    /// An entry whose leaf is in memory goes there.
    #[inline]
    pub fn passes_resident(&self) -> bool {
        self.past_resident.load(Ordering::Relaxed)
    }

    /// A reader has both leaves of a piece: entries that wait for the one of the main tree are to be moved there.
    #[inline]
    pub fn was_read(&self, pair: &Pair<'_>) {
        if self.on_read.load(Ordering::Relaxed)
            && let Some(key) = pair.waits()
        {
            let mut asked = self.asked.lock();
            if asked.len() < ASKED_MAX && asked.back().is_none_or(|last| *last != key) {
                asked.push_back(key);
            }
        }
    }

    /// The key of a leaf that a reader has asked for.
    pub fn next_asked(&self) -> Option<Vec<u8>> {
        self.asked.lock().pop_front()
    }

    pub fn leaves(&self) -> u64 {
        self.tree().map_or(0, |t| t.leaves())
    }

    pub fn limit(&self) -> u64 {
        self.limit.load(Ordering::Relaxed)
    }

    /// What an insert that might be buffered has to do first.
    #[inline]
    pub fn before_insert(&self) -> Before {
        let (leaves, limit) = (self.leaves(), self.limit());
        if !self.takes() || leaves <= limit || planted::is(Bug::BufferLimitIgnored) {
            return Before::Nothing;
        }
        match self.contracts() {
            false => Before::Move,
            true if leaves >= limit + DIRECT => Before::PassBy,
            true => Before::Nothing,
        }
    }

    fn contracts(&self) -> bool {
        self.contract_from.load(Ordering::Relaxed) != u64::MAX
    }

    /// The contraction that an insert owes when the buffer has grown by it.
    #[inline]
    pub fn after_insert(&self) -> Option<Contraction> {
        if !self.contracts() {
            return None;
        }
        let leaves = self.leaves();
        let grown = leaves > self.seen.swap(leaves, Ordering::Relaxed);
        if !grown || leaves < self.contract_from.load(Ordering::Relaxed) {
            return None;
        }
        match leaves >= self.limit() + SYNC {
            true => Some(Contraction::Waits),
            false => Some(Contraction::Asks),
        }
    }
}
