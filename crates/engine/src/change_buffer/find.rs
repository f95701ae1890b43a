//! Entries one by one: where one stands, and which come before and after a key. What is looked at stays gathered.

use super::Trees;
use crate::btree::{self, Estimate, Place, Tree, gathered_leaf, next_key};
use crate::error::Result;
use crate::mtr::{Attempt, Core, Gather, P};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::Access;
use std::sync::Arc;

/// Finds an entry; its leaf is latched exclusively. One that neither tree has gets its place in the main tree. The buffer tree's leaf
/// is latched first and stays so: an entry that it does not have cannot come out of it any more.
pub fn place<'t>(
    g: &mut Gather<'_, '_>,
    trees: Trees<'t>,
    key: &[u8],
) -> Attempt<(&'t Arc<Tree>, Place)> {
    if let Some(buffer) = trees.buffer {
        let at = btree::place(g, buffer, key)?;
        if at.slot.is_ok() {
            return Ok((buffer, at));
        }
    }
    Ok((trees.main, btree::place(g, trees.main, key)?))
}

/// The entry that follows a key: the lower one of the two trees' successors. The leaves of both trees that own what lies between are
/// gathered.
pub fn successor(g: &mut Gather<'_, '_>, trees: Trees<'_>, key: &[u8]) -> Attempt<Option<Vec<u8>>> {
    let trees = match planted::is(Bug::GapCheckMainOnly) {
        true => Trees::single(trees.main),
        false => trees,
    };
    let mut lowest = None;
    for tree in trees.each() {
        let leaf = match gathered_leaf(g, tree, key) {
            Some(leaf) => leaf,
            None => {
                let guard = btree::leaf(g.core(), tree, key, Access::Point)?;
                g.adopt(guard)
            }
        };
        let slot = match slotted::search(g.bytes(leaf), key) {
            Ok(slot) => slot + 1,
            Err(slot) => slot,
        };
        lowest = lower(lowest, next_key(g, tree, leaf, slot)?);
    }
    Ok(lowest)
}

fn lower(a: Option<Vec<u8>>, b: Option<Vec<u8>>) -> Option<Vec<u8>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// The first entry at or above a key, with the leaves of both trees that own what lies before it.
pub fn first_from(
    g: &mut Gather<'_, '_>,
    trees: Trees<'_>,
    from: &[u8],
) -> Attempt<Option<(P, usize)>> {
    let trees = match planted::is(Bug::BufferGapUnlatched) {
        true => Trees::single(trees.main),
        false => trees,
    };
    let mut first = None;
    for tree in trees.each() {
        let found = first_in(g, tree, from)?;
        first = better(g, first, found, |new, old| new < old);
    }
    Ok(first)
}

fn first_in(g: &mut Gather<'_, '_>, tree: &Tree, from: &[u8]) -> Attempt<Option<(P, usize)>> {
    let guard = btree::leaf(g.core(), tree, from, Access::Scan)?;
    let slot = slotted::search(guard.bytes(), from).unwrap_or_else(|s| s);
    let leaf = g.adopt(guard);
    if slot < slotted::count(g.bytes(leaf)) {
        return Ok(Some((leaf, slot)));
    }
    // It is the first of a following leaf; both stay latched.
    let Some(key) = next_key(g, tree, leaf, slot)? else { return Ok(None) };
    Ok(gathered_leaf(g, tree, &key).map(|leaf| (leaf, 0)))
}

/// The last entry below a key (`None`: the last of all), with the leaves of both trees that own what lies behind it.
pub fn last_before(
    g: &mut Gather<'_, '_>,
    trees: Trees<'_>,
    before: Option<&[u8]>,
) -> Attempt<Option<(P, usize)>> {
    let mut last = None;
    for tree in trees.each() {
        let found = last_in(g, tree, before)?;
        last = better(g, last, found, |new, old| new > old);
    }
    Ok(last)
}

fn last_in(
    g: &mut Gather<'_, '_>,
    tree: &Tree,
    before: Option<&[u8]>,
) -> Attempt<Option<(P, usize)>> {
    let mut before = before.map(<[u8]>::to_vec);
    loop {
        let (leaf, slot) = leaf_before(g, tree, before.as_deref())?;
        if slot > 0 {
            return Ok(Some((leaf, slot - 1)));
        }
        let fence = slotted::lower(g.bytes(leaf)).to_vec();
        if fence.is_empty() {
            return Ok(None);
        }
        before = Some(fence);
    }
}

/// The leaf that owns what is just below a key, and the slot that the key has or would have in it.
fn leaf_before(g: &mut Gather<'_, '_>, tree: &Tree, before: Option<&[u8]>) -> Attempt<(P, usize)> {
    let guard = btree::leaf_before(g.core(), tree, before, Access::Scan)?;
    let p = guard.bytes();
    let slot = match before {
        Some(k) if slotted::owns(p, k) => slotted::search(p, k).unwrap_or_else(|s| s),
        _ => slotted::count(p),
    };
    Ok((g.adopt(guard), slot))
}

/// The key of the first entry at or above `before` (`None`: the end), with the leaves of both trees on either side of that position.
pub fn above(
    g: &mut Gather<'_, '_>,
    trees: Trees<'_>,
    before: Option<&[u8]>,
) -> Attempt<Option<Vec<u8>>> {
    let mut lowest = None;
    for tree in trees.each() {
        let (leaf, slot) = leaf_before(g, tree, before)?;
        lowest = lower(lowest, next_key(g, tree, leaf, slot)?);
    }
    Ok(lowest)
}

fn better(
    g: &Gather<'_, '_>,
    old: Option<(P, usize)>,
    new: Option<(P, usize)>,
    wins: impl Fn(&[u8], &[u8]) -> bool,
) -> Option<(P, usize)> {
    let (Some((a, i)), Some((b, j))) = (old, new) else { return old.or(new) };
    let (old_key, new_key) = (slotted::key(g.bytes(a), i), slotted::key(g.bytes(b), j));
    debug_assert!(old_key != new_key, "I13: the entry {old_key:02x?} stands in both trees");
    if wins(&new_key, &old_key) { new } else { old }
}

/// Estimates the entries with `start <= key < end`. A share of one tree's entries is taken for a share of all: they come in no order.
pub async fn estimate(
    core: &Core,
    trees: Trees<'_>,
    start: &[u8],
    end: Option<&[u8]>,
) -> Result<Estimate> {
    let main = btree::estimate_range(core, trees.main, start, end).await?;
    let Some(buffer) = trees.buffer else { return Ok(main) };
    let more = btree::estimate_range(core, buffer, start, end).await?;
    Ok(match (main, more) {
        (Estimate::Cells(a), Estimate::Cells(b)) => Estimate::Cells(a + b),
        (Estimate::Share(s), _) | (_, Estimate::Share(s)) => Estimate::Share(s),
    })
}
