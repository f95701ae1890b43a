//! Estimates for the planner: how many cells a range holds, how many a tree has. A few page reads, no locks.

use super::Tree;
use super::seek::{Toward, descend};
use crate::error::Result;
use crate::mtr::{self, Attempt, Core, Work};
use crate::page::slotted;
use crate::pool::{Access, LatchMode};

/// Where a key stands in its tree, as a share of all keys, and in which leaf.
struct Position {
    share: f64,
    leaf: u32,
    slot: usize,
    leaf_cells: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimate {
    /// Both ends in one leaf: counted.
    Cells(u64),
    /// Share of the whole tree.
    Share(f64),
}

fn position(w: &mut Work<'_>, tree: &Tree, key: Option<&[u8]>) -> Attempt<Position> {
    let core = w.core;
    let mut g = core.pool.fix(tree.root_id(), LatchMode::S, Access::Point)?;
    let (mut low, mut width) = (0.0, 1.0);
    loop {
        let p = g.bytes();
        let n = slotted::count(p);
        if slotted::level(p) == 0 {
            let slot = match key {
                None => n,
                Some(k) if slotted::owns(p, k) => slotted::search(p, k).unwrap_or_else(|s| s),
                Some(_) => n,
            };
            let share = low + width * slot as f64 / n.max(1) as f64;
            return Ok(Position { share, leaf: g.id().page, slot, leaf_cells: n });
        }
        let slot = key.map_or(n - 1, |k| slotted::child_slot(p, k));
        low += width * slot as f64 / n as f64;
        width /= n as f64;
        let child =
            core.pool.fix(tree.page(slotted::child(p, slot)), LatchMode::S, Access::Point)?;
        g = child;
    }
}

/// Estimates the cells with `start <= key < end`.
pub async fn estimate_range(
    core: &Core,
    tree: &Tree,
    start: &[u8],
    end: Option<&[u8]>,
) -> Result<Estimate> {
    let a = mtr::run(core, 0, |w| position(w, tree, Some(start))).await?;
    let b = mtr::run(core, 0, |w| position(w, tree, end)).await?;
    if a.leaf == b.leaf {
        return Ok(Estimate::Cells(b.slot.saturating_sub(a.slot) as u64));
    }
    let _ = a.leaf_cells;
    Ok(Estimate::Share((b.share - a.share).max(0.0)))
}

/// Leaves and cells of the tree, from its level-1 pages and a sample of leaves.
pub async fn leaf_statistics(core: &Core, tree: &Tree) -> Result<(u64, u64)> {
    let height = mtr::run(core, 0, |w| {
        let g = w.core.pool.fix(tree.root_id(), LatchMode::S, Access::Point)?;
        Ok((slotted::level(g.bytes()), slotted::count(g.bytes())))
    })
    .await?;
    if height.0 == 0 {
        return Ok((1, height.1 as u64));
    }
    let (mut leaves, mut sample) = (0u64, Vec::new());
    let mut at: Vec<u8> = Vec::new();
    loop {
        let (n, keys, upper) = mtr::run(core, 0, |w| {
            let g = descend(w.core, tree, Toward::Key(&at), 1, LatchMode::S, Access::Scan)?;
            let p = g.bytes();
            let n = slotted::count(p);
            let step = (n / 4).max(1);
            let keys: Vec<Vec<u8>> = (0..n).step_by(step).map(|s| slotted::key(p, s)).collect();
            Ok((n, keys, slotted::upper(p).map(<[u8]>::to_vec)))
        })
        .await?;
        leaves += n as u64;
        if sample.len() < 20 {
            sample.extend(keys);
        }
        match upper {
            Some(u) => at = u,
            None => break,
        }
    }
    let mut cells = 0u64;
    for k in &sample {
        cells += mtr::run(core, 0, |w| {
            let g = descend(w.core, tree, Toward::Key(k), 0, LatchMode::S, Access::Scan)?;
            Ok(slotted::count(g.bytes()) as u64)
        })
        .await?;
    }
    Ok((leaves, leaves * cells / sample.len().max(1) as u64))
}

/// All keys of the leaf at a share (0..1) of the tree.
pub fn sample_leaf(core: &Core, tree: &Tree, share: f64) -> Attempt<Vec<Vec<u8>>> {
    at_share(core, tree, share, |p| (0..slotted::count(p)).map(|s| slotted::key(p, s)).collect())
}

/// At most so many values of that leaf, at equal distances.
pub fn sample_values(core: &Core, tree: &Tree, share: f64, most: usize) -> Attempt<Vec<Vec<u8>>> {
    at_share(core, tree, share, |p| {
        let n = slotted::count(p);
        let step = n.div_ceil(most.max(1)).max(1);
        (0..n).step_by(step).map(|s| slotted::value(p, s).to_vec()).collect()
    })
}

fn at_share<T>(core: &Core, tree: &Tree, share: f64, leaf: impl FnOnce(&[u8]) -> T) -> Attempt<T> {
    let mut g = core.pool.fix(tree.root_id(), LatchMode::S, Access::Scan)?;
    let mut share = share.clamp(0.0, 0.999_999);
    loop {
        let p = g.bytes();
        let n = slotted::count(p);
        if slotted::level(p) == 0 {
            return Ok(leaf(p));
        }
        let at = share * n as f64;
        let slot = (at as usize).min(n - 1);
        share = at - slot as f64;
        let child =
            core.pool.fix(tree.page(slotted::child(p, slot)), LatchMode::S, Access::Scan)?;
        g = child;
    }
}

/// What a page says of the keys below it, or in it.
pub struct Page {
    pub level: u16,
    pub keys: Vec<Vec<u8>>,
    /// The upper fence; the last page of a level has none.
    pub upper: Option<Vec<u8>>,
}

impl Page {
    fn of(p: &[u8]) -> Page {
        Page {
            level: slotted::level(p),
            keys: (0..slotted::count(p)).map(|s| slotted::key(p, s)).collect(),
            upper: slotted::upper(p).map(<[u8]>::to_vec),
        }
    }
}

pub fn root_page(core: &Core, tree: &Tree) -> Attempt<Page> {
    let g = core.pool.fix(tree.root_id(), LatchMode::S, Access::Scan)?;
    Ok(Page::of(g.bytes()))
}

/// The first and the last key of a tree; empty where its first or last leaf is.
pub fn ends(core: &Core, tree: &Tree) -> Attempt<(Vec<u8>, Vec<u8>)> {
    let key = |p: &[u8], slot: Option<usize>| {
        slot.filter(|s| *s < slotted::count(p)).map(|s| slotted::key(p, s)).unwrap_or_default()
    };
    let first = {
        let g = descend(core, tree, Toward::Key(b""), 0, LatchMode::S, Access::Scan)?;
        key(g.bytes(), Some(0))
    };
    let g = descend(core, tree, Toward::Before(None), 0, LatchMode::S, Access::Scan)?;
    let last = key(g.bytes(), slotted::count(g.bytes()).checked_sub(1));
    Ok((first, last))
}

/// The page of a level that owns a key. A tree that has become lower in the meantime is read from its root.
pub fn page_at(core: &Core, tree: &Tree, key: &[u8], level: u16) -> Attempt<Page> {
    let root = root_page(core, tree)?;
    if root.level <= level {
        return Ok(root);
    }
    let g = descend(core, tree, Toward::Key(key), level, LatchMode::S, Access::Scan)?;
    Ok(Page::of(g.bytes()))
}
