//! Which leaves come next, told by the pages above them: the leaves themselves are not read.

use super::Tree;
use super::seek::{Toward, descend};
use crate::ids::PageId;
use crate::mtr::{Attempt, Core};
use crate::page::slotted;
use crate::pool::{Access, LatchMode};

/// Leaves in the order in which a scan comes to them.
pub struct Next {
    pub leaves: Vec<PageId>,
    /// Where those end that are named here: the lowest key behind them, or backward the lowest key of the last of them. `None`: the
    /// tree ends there.
    pub until: Option<Vec<u8>>,
}

/// The leaf that owns `from` and those behind it that the same page names, up to `most` (at least one), as far as they begin below `end`.
pub fn leaves_from(
    core: &Core,
    tree: &Tree,
    from: &[u8],
    end: Option<&[u8]>,
    most: usize,
) -> Attempt<Next> {
    let Some(parent) = level_one(core, tree, Toward::Key(from))? else { return Ok(Next::none()) };
    let p = parent.bytes();
    let (first, count) = (slotted::child_slot(p, from), slotted::count(p));
    let mut leaves = Vec::new();
    for slot in first..count.min(first + most) {
        if slot > first && end.is_some_and(|end| slotted::key(p, slot).as_slice() >= end) {
            return Ok(Next { leaves, until: None });
        }
        leaves.push(tree.page(slotted::child(p, slot)));
    }
    let until = match first + leaves.len() {
        behind if behind < count => Some(slotted::key(p, behind)),
        _ => slotted::upper(p).map(<[u8]>::to_vec),
    };
    Ok(Next { leaves, until })
}

/// The leaf that owns what is just below `before` (`None`: the last one) and those before it that the same page names, up to `most`
/// (at least one), as far as they reach `start`.
pub fn leaves_before(
    core: &Core,
    tree: &Tree,
    before: Option<&[u8]>,
    start: &[u8],
    most: usize,
) -> Attempt<Next> {
    let Some(parent) = level_one(core, tree, Toward::Before(before))? else {
        return Ok(Next::none());
    };
    let p = parent.bytes();
    // Of the children that begin below the key the last one; without a key the last of all.
    let mut slot = match before {
        Some(k) if slotted::upper(p).is_none_or(|u| k < u) => {
            slotted::search(p, k).unwrap_or_else(|s| s)
        }
        _ => slotted::count(p),
    };
    let mut leaves = Vec::new();
    while slot > 0 && leaves.len() < most {
        slot -= 1;
        leaves.push(tree.page(slotted::child(p, slot)));
        if slotted::key(p, slot).as_slice() <= start {
            return Ok(Next { leaves, until: None });
        }
    }
    let until = if slot == 0 { slotted::lower(p).to_vec() } else { slotted::key(p, slot) };
    Ok(Next { leaves, until: (!until.is_empty()).then_some(until) })
}

/// The leaf that owns a key.
pub fn leaf_id(core: &Core, tree: &Tree, key: &[u8]) -> Attempt<Option<PageId>> {
    let parent = level_one(core, tree, Toward::Key(key))?;
    Ok(parent.map(|g| tree.page(slotted::child(g.bytes(), slotted::child_slot(g.bytes(), key)))))
}

impl Next {
    fn none() -> Next {
        Next { leaves: Vec::new(), until: None }
    }
}

/// The page above the leaf in question; none when the root is a leaf.
fn level_one<'c>(
    core: &'c Core,
    tree: &Tree,
    to: Toward<'_>,
) -> Attempt<Option<crate::pool::Guard<'c>>> {
    let root =
        core.pool.fix_hinted(&tree.root_hint, tree.root_id(), LatchMode::S, Access::Point)?;
    if slotted::level(root.bytes()) == 0 {
        return Ok(None);
    }
    drop(root);
    descend(core, tree, to, 1, LatchMode::S, Access::Point).map(Some)
}
