//! Leaves that are remembered, so that the way down from the root is not gone once more.
//!
//! Invariant (I17): a page that is in memory, is a leaf of the tree, and has fences that own the key is the leaf of that key, unless it was freed: then
//! it has these bytes still. Who frees a page counts that while it is latched exclusively; so a leaf that was remembered under its latch, and is latched now,
//! is in the tree where the count of its space is what it was then.

use super::Tree;
use crate::files::Space;
use crate::ids::PageNo;
use crate::mtr::Core;
use crate::page::{self, PageType, slotted};
use crate::pool::{Access, Guard, LatchMode};
use crate::sync::atomic::{AtomicU64, Ordering};

/// A leaf as it was when somebody had it latched.
#[derive(Clone, Copy, Debug)]
pub struct LeafHint {
    leaf: PageNo,
    freed: u32,
}

impl LeafHint {
    /// Of a leaf that is latched.
    pub fn of(tree: &Tree, leaf: &Guard<'_>) -> LeafHint {
        LeafHint { leaf: leaf.id().page, freed: tree.space.freed.load(Ordering::Acquire) }
    }

    /// The leaf, exclusive, if it is there without a wait and owns the key still.
    pub(super) fn leaf_x<'c>(self, core: &'c Core, tree: &Tree, key: &[u8]) -> Option<Guard<'c>> {
        let g = core.pool.fix(tree.page(self.leaf), LatchMode::X, Access::Point).ok()?;
        let p = g.bytes();
        let is_leaf = page::page_type(p) == Some(PageType::Tree)
            && page::owner(p) == tree.index
            && slotted::level(p) == 0;
        let is_there = tree.space.freed.load(Ordering::Acquire) == self.freed;
        (is_leaf && is_there && slotted::owns(p, key)).then_some(g)
    }
}

/// The leaf of the last insert of a tree: page, and count of pages freed, in one word that changes as a whole.
pub(super) struct LastLeaf(AtomicU64);

impl Default for LastLeaf {
    fn default() -> LastLeaf {
        LastLeaf(AtomicU64::new(u64::MAX))
    }
}

impl LastLeaf {
    /// The leaf is latched exclusively.
    pub fn note(&self, space: &Space, leaf: PageNo) {
        let freed = space.freed.load(Ordering::Acquire);
        self.0.store(u64::from(leaf) << 32 | u64::from(freed), Ordering::Relaxed);
    }

    pub fn is(&self, leaf: PageNo) -> bool {
        self.0.load(Ordering::Relaxed) >> 32 == u64::from(leaf)
    }

    /// `None`: nothing was inserted yet.
    pub fn hint(&self) -> Option<LeafHint> {
        let word = self.0.load(Ordering::Relaxed);
        let leaf = (word >> 32) as PageNo;
        (leaf != PageNo::MAX).then_some(LeafHint { leaf, freed: word as u32 })
    }
}
