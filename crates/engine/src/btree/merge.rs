//! Merges: a thin page and its sibling become one, and the other page goes back to the space.

use super::Tree;
use super::seek::{Toward, damaged, descend};
use super::split::prefix_of;
use crate::error::Result;
use crate::mtr::{self, Attempt, Core, Work};
use crate::page::redo::{Redo, put_cell};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::{Access, LatchMode};
use crate::space;
use crate::sync::atomic::Ordering;

/// A page under this share of its bytes looks for a sibling to merge with.
const THIN: usize = 4;

pub fn is_thin(p: &[u8]) -> bool {
    slotted::used_bytes(p) < p.len() / THIN
}

/// Merges the leaf of `key` if it is thin, then its ancestors as far as they have become thin.
pub async fn merge_if_thin(core: &Core, tree: &Tree, key: &[u8]) -> Result<()> {
    let size = core.spaces.page_size();
    let mut level = 0;
    while mtr::run(core, size * 2, |w| attempt(w, tree, key, level)).await? {
        level += 1;
    }
    // A root with a single child takes its place, as often as it goes.
    while mtr::run(core, size * 2, |w| collapse(w, tree)).await? {}
    Ok(())
}

/// Merges the leaf where something was removed, if it has become thin.
pub async fn merge_soon(core: &Core, tree: &Tree, key: &[u8]) -> Result<()> {
    let thin = mtr::run(core, 0, |w| {
        let g = descend(w.core, tree, Toward::Key(key), 0, LatchMode::S, Access::Scan)?;
        Ok(is_thin(g.bytes()))
    })
    .await?;
    if thin { merge_if_thin(core, tree, key).await } else { Ok(()) }
}

/// Returns whether the parent may have become thin.
fn attempt(w: &mut Work<'_>, tree: &Tree, key: &[u8], level: u16) -> Attempt<bool> {
    let core = w.core;
    let root = core.pool.fix(tree.root_id(), LatchMode::S, Access::Point)?;
    if slotted::level(root.bytes()) <= level {
        return Ok(false);
    }
    drop(root);
    let mut g = w.gather();
    let parent = descend(core, tree, Toward::Key(key), level + 1, LatchMode::X, Access::Point)?;
    let slot = slotted::child_slot(parent.bytes(), key);
    let parent = g.adopt(parent);
    let n = slotted::count(g.bytes(parent));
    let this = g.fix(tree.page(slotted::child(g.bytes(parent), slot)), LatchMode::X)?;
    if !is_thin(g.bytes(this)) || n < 2 {
        return Ok(false);
    }
    let (left, right, right_slot) = if slot + 1 < n {
        let r = g.fix(tree.page(slotted::child(g.bytes(parent), slot + 1)), LatchMode::X)?;
        (this, r, slot + 1)
    } else {
        let l = g.fix(tree.page(slotted::child(g.bytes(parent), slot - 1)), LatchMode::X)?;
        (l, this, slot)
    };
    let (lp, rp) = (g.bytes(left), g.bytes(right));
    meet(tree, lp, rp)?;
    let lower = slotted::lower(lp).to_vec();
    let upper = slotted::upper(rp).map(<[u8]>::to_vec);
    let prefix = prefix_of(&lower, upper.as_deref());
    let mut run = Vec::new();
    let mut bytes = slotted::BODY + lower.len() + upper.as_ref().map_or(0, Vec::len);
    for (p, to_run) in [(lp, false), (rp, true)] {
        for s in 0..slotted::count(p) {
            let k = slotted::key(p, s);
            bytes += slotted::cell_size(k.len() - prefix, slotted::value(p, s).len());
            let lost = planted::is(Bug::MergeLosesRow) && s + 1 == slotted::count(p);
            if to_run && !lost {
                put_cell(&mut run, &k[prefix..], slotted::value(p, s));
            }
        }
    }
    // An empty page goes as soon as its sibling can stand the wider fences; others only if the result has room to grow.
    let empty = slotted::count(lp) == 0 || slotted::count(rp) == 0;
    let limit = if empty { lp.len() } else { lp.len() * 7 / 10 };
    if bytes > limit {
        return Ok(false);
    }
    let cells = slotted::count(lp);
    let max_trx = slotted::max_trx(lp).max(slotted::max_trx(rp));
    let dead = g.guard(right).id();
    let freed = space::free(&mut g, &tree.space, dead.page)?;
    let mut a = g.seal(run.len() + 2 * lower.len() + upper.as_ref().map_or(0, Vec::len) + 256)?;
    a.record(
        left,
        &Redo::Keep { from: 0, to: cells as u16, lower: &lower, upper: upper.as_deref() },
    );
    a.record(left, &Redo::Cells { run: &run });
    if max_trx > 0 {
        a.record(left, &Redo::MaxTrx { id: max_trx });
    }
    if !planted::is(Bug::MergedPageReferenced) {
        a.record(parent, &Redo::SlotRemove { slot: right_slot as u16 });
    }
    if !planted::is(Bug::MergedPageLeaked) {
        freed.clear(&mut a);
    }
    a.commit();
    tree.note_leaves(level, -1);
    core.stats.merges.fetch_add(1, Ordering::Relaxed);
    Ok(true)
}

/// Two pages meet at one fence. Else one of them is older than the other: a write that the device lost.
fn meet(tree: &Tree, left: &[u8], right: &[u8]) -> Attempt<()> {
    match slotted::upper(left) == Some(slotted::lower(right)) {
        true => Ok(()),
        false => Err(damaged(tree, right, "the page does not begin where its left neighbour ends")),
    }
}

fn collapse(w: &mut Work<'_>, tree: &Tree) -> Attempt<bool> {
    let core = w.core;
    let root = core.pool.fix(tree.root_id(), LatchMode::S, Access::Point)?;
    if slotted::level(root.bytes()) == 0 || slotted::count(root.bytes()) != 1 {
        return Ok(false);
    }
    drop(root);
    let mut g = w.gather();
    let root = g.fix(tree.root_id(), LatchMode::X)?;
    if slotted::level(g.bytes(root)) == 0 || slotted::count(g.bytes(root)) != 1 {
        return Ok(false);
    }
    let child = g.fix(tree.page(slotted::child(g.bytes(root), 0)), LatchMode::X)?;
    let p = g.bytes(child);
    let mut run = Vec::new();
    for s in 0..slotted::count(p) {
        put_cell(&mut run, &slotted::key(p, s), slotted::value(p, s));
    }
    let (level, max_trx) = (slotted::level(p), slotted::max_trx(p));
    let dead = g.guard(child).id();
    let freed = space::free(&mut g, &tree.space, dead.page)?;
    let mut a = g.seal(run.len() + 256)?;
    a.record(root, &Redo::TreeInit { index: tree.index, level, lower: b"", upper: None });
    a.record(root, &Redo::Cells { run: &run });
    if max_trx > 0 {
        a.record(root, &Redo::MaxTrx { id: max_trx });
    }
    freed.clear(&mut a);
    a.commit();
    core.stats.merges.fetch_add(1, Ordering::Relaxed);
    Ok(true)
}
