//! Descent from the root to the page of a level that owns a key.

use super::Tree;
use crate::error::Error;
use crate::mtr::{Attempt, Core, Stop, Wait};
use crate::page::{self, PageType, slotted};
use crate::pool::{Access, Guard, LatchMode};

/// The target of a descent.
#[derive(Clone, Copy)]
pub(super) enum Toward<'a> {
    /// The page that owns the key.
    Key(&'a [u8]),
    /// The page that owns what is just below the key; `None`: the last page.
    Before(Option<&'a [u8]>),
}

impl Toward<'_> {
    /// Whether the page's fences say that the target is there. A walk from leaf to leaf ends because each leaf lies beyond the key that led to it; a page
    /// of an older state of the file may not, and would be led to again and again.
    fn is_in(self, p: &[u8]) -> bool {
        match self {
            Toward::Key(k) => slotted::owns(p, k),
            Toward::Before(k) => slotted::owns_below(p, k),
        }
    }
}

/// The leaf that owns `key`, shared, for readers.
pub fn leaf<'c>(core: &'c Core, tree: &Tree, key: &[u8], access: Access) -> Attempt<Guard<'c>> {
    descend(core, tree, Toward::Key(key), 0, LatchMode::S, access)
}

/// The leaf that owns the keys just below `key` (`None`: the last leaf), shared.
pub fn leaf_before<'c>(
    core: &'c Core,
    tree: &Tree,
    key: Option<&[u8]>,
    access: Access,
) -> Attempt<Guard<'c>> {
    descend(core, tree, Toward::Before(key), 0, LatchMode::S, access)
}

/// The leaf that owns `key`, exclusive.
pub fn leaf_x<'c>(core: &'c Core, tree: &Tree, key: &[u8]) -> Attempt<Guard<'c>> {
    descend(core, tree, Toward::Key(key), 0, LatchMode::X, Access::Point)
}

/// What the leaf that owns `key` owns: from its lower end (empty: all below) to its upper one (`None`: all above). The leaf itself is
/// not read.
pub fn leaf_range(core: &Core, tree: &Tree, key: &[u8]) -> Attempt<(Vec<u8>, Option<Vec<u8>>)> {
    let root =
        core.pool.fix_hinted(&tree.root_hint, tree.root_id(), LatchMode::S, Access::Point)?;
    if slotted::level(root.bytes()) == 0 {
        return Ok((Vec::new(), None));
    }
    drop(root);
    let parent = descend(core, tree, Toward::Key(key), 1, LatchMode::S, Access::Point)?;
    let p = parent.bytes();
    let slot = slotted::child_slot(p, key);
    let from = if slot == 0 { slotted::lower(p).to_vec() } else { slotted::key(p, slot) };
    let to = match slot + 1 < slotted::count(p) {
        true => Some(slotted::key(p, slot + 1)),
        false => slotted::upper(p).map(<[u8]>::to_vec),
    };
    Ok((from, to))
}

pub(super) fn damaged(tree: &Tree, p: &[u8], what: &str) -> Stop {
    Stop::Err(Error::corrupt_page(page::page_id(p), tree.space.path(), format!("{tree:?}: {what}")))
}

/// A page whose last write was lost is whole and may be anything that it was before.
fn is_of(p: &[u8], tree: &Tree) -> bool {
    page::page_type(p) == Some(PageType::Tree) && page::owner(p) == tree.index
}

/// Latches the page at `level` (0 = leaf) towards `to`; the pages above it shared, coupled, and released.
pub(super) fn descend<'c>(
    core: &'c Core,
    tree: &Tree,
    to: Toward<'_>,
    level: u16,
    mode: LatchMode,
    access: Access,
) -> Attempt<Guard<'c>> {
    let pool = &core.pool;
    let mut g = pool.fix_hinted(&tree.root_hint, tree.root_id(), LatchMode::S, Access::Point)?;
    if slotted::level(g.bytes()) == level && mode == LatchMode::X {
        drop(g);
        g = pool.fix_hinted(&tree.root_hint, tree.root_id(), LatchMode::X, Access::Point)?;
        if slotted::level(g.bytes()) != level {
            // The root grew in between: go down from it once more, it is latched exclusively but only read.
            drop(g);
            return descend(core, tree, to, level, mode, access);
        }
    }
    if !is_of(g.bytes(), tree) {
        return Err(damaged(tree, g.bytes(), "the root is no page of the tree"));
    }
    loop {
        let here = slotted::level(g.bytes());
        if here == level {
            return Ok(g);
        }
        if here < level && g.id() == tree.root_id() {
            // The caller has seen a higher root, which has taken its only child's place since: it looks again.
            return Err(Stop::Wait(Wait::Job(Box::new(|_| Box::pin(async { Ok(()) })))));
        }
        if here < level {
            return Err(damaged(tree, g.bytes(), "the tree is lower than the level asked for"));
        }
        let p = g.bytes();
        let slot = match to {
            Toward::Key(k) => slotted::child_slot(p, k),
            Toward::Before(Some(k)) if slotted::upper(p).is_none_or(|u| k < u) => {
                let s = match slotted::search(p, k) {
                    Ok(s) | Err(s) => s,
                };
                s.saturating_sub(1)
            }
            Toward::Before(_) => slotted::count(p).saturating_sub(1),
        };
        if slotted::count(p) == 0 {
            return Err(damaged(tree, p, "inner page without children"));
        }
        let child = tree.page(slotted::child(p, slot));
        let last = here - 1 == level;
        let how = if last { mode } else { LatchMode::S };
        let c = pool.fix(child, how, if last { access } else { Access::Point })?;
        let b = c.bytes();
        if !is_of(b, tree) || slotted::level(b) != here - 1 {
            return Err(damaged(tree, b, "child page belongs to another tree or level"));
        }
        if !to.is_in(b) {
            return Err(damaged(tree, b, "child page does not own the key that led to it"));
        }
        g = c;
    }
}
