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
//! - I14: Anyone who needs a consistent sight of a piece of the index has the leaves of both trees that own it latched at the same time.
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
use crate::flush::buffer_size::{BufferSize, Growth};
use crate::ids::PageNo;
use crate::mtr::Core;
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

/// How much an index may have in its buffer tree, and what happens there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    /// Fresh entries go to it.
    pub takes: bool,
    pub limit: u64,
    /// Inserts contract the buffer from so many leaves on, as InnoDB's did; otherwise one beyond the limit makes a move first.
    pub contract_from: Option<u64>,
    /// Limit and contraction are those of all buffer trees together.
    pub one: bool,
    /// Bytes by which an entry is larger than it need be.
    pub padding: usize,
    pub merging: Merging,
}

/// Bytes of an entry's value: flags, and where the clustered key begins. In a buffer tree there may be padding behind them.
pub const VALUE: usize = 3;

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
    contracts: AtomicBool,
    one: AtomicBool,
    padding: AtomicU64,
    /// Leaves that are counted in the sizes.
    counted: AtomicU64,
    /// Its size where it has a limit of its own, and contracts.
    own: BufferSize,
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

    /// Begins or ends to take fresh entries.
    pub fn set(&self, t: Terms) {
        self.limit.store(t.limit, Ordering::Relaxed);
        self.own.set(t.limit, t.contract_from.unwrap_or(u64::MAX));
        self.contracts.store(t.contract_from.is_some(), Ordering::Relaxed);
        self.one.store(t.one, Ordering::Relaxed);
        self.padding.store(t.padding as u64, Ordering::Relaxed);
        *self.merging.lock() = t.merging;
        self.on_read.store(t.merging.on_read, Ordering::Relaxed);
        self.past_resident.store(t.merging.past_resident, Ordering::Relaxed);
        self.takes.store(t.takes && self.tree().is_some(), Ordering::Relaxed);
    }

    /// Bytes behind the value of an entry that comes into the tree.
    pub fn padding(&self) -> usize {
        self.padding.load(Ordering::Relaxed) as usize
    }

    /// Pages with entries, which are all leaves except the one of an empty tree.
    pub fn pages(&self) -> u64 {
        self.leaves().saturating_sub(1)
    }

    /// Brings the sizes up to date with this tree.
    pub fn count(&self, core: &Core) {
        let now = self.pages();
        let before = self.counted.swap(now, Ordering::Relaxed);
        core.flush.buffers.count(before, now);
        self.own.count(before, now);
    }

    /// The size that its limit is of.
    fn size<'a>(&'a self, core: &'a Core) -> &'a BufferSize {
        if self.is_part_of_one() { &core.flush.buffers } else { &self.own }
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
    pub fn before_insert(&self, core: &Core) -> Before {
        if !self.takes() || planted::is(Bug::BufferLimitIgnored) {
            return Before::Nothing;
        }
        match self.contracts() {
            false if self.leaves() > self.limit() => Before::Move,
            true if self.size(core).is_overfull() => Before::PassBy,
            _ => Before::Nothing,
        }
    }

    /// Whether it is a part of one buffer, as the builds had.
    pub fn is_part_of_one(&self) -> bool {
        self.one.load(Ordering::Relaxed)
    }

    fn contracts(&self) -> bool {
        self.contracts.load(Ordering::Relaxed)
    }

    /// The growth for which an insert owes a contraction.
    #[inline]
    pub fn after_insert(&self, core: &Core) -> Option<Growth> {
        if !self.contracts() {
            return None;
        }
        self.count(core);
        self.size(core).growth()
    }
}
