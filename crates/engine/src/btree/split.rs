//! Splits: a page that is too full for a cell becomes two, its parent gets a key. Parents are made room in first.

use super::Tree;
use super::seek::{Toward, damaged, descend};
use crate::error::Result;
use crate::ids::PageNo;
use crate::mtr::{self, Attempt, Core, Stop, Wait, Work};
use crate::page::redo::{Redo, put_cell};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::{Access, LatchMode};
use crate::space;
use crate::sync::atomic::Ordering;
use std::sync::Arc;

/// The stop with which an attempt asks for a split of the leaf that owns `key`, because `slotted::room_for` the key is less than
/// `need` there. One split may be too little: anyone who asks looks again and asks again.
pub fn split_job(tree: &Arc<Tree>, key: &[u8], need: usize) -> Stop {
    let (tree, key) = (tree.clone(), key.to_vec());
    Stop::Wait(Wait::Job(Box::new(move |core| {
        Box::pin(async move { split(core, &tree, &key, need).await })
    })))
}

enum Outcome {
    Done,
    /// The parent at this level has no room for another key.
    ParentFull(u16),
}

/// Splits the leaf of `key` once, and pages above it where needed, unless the leaf has `need` bytes for the key.
pub async fn split(core: &Core, tree: &Tree, key: &[u8], need: usize) -> Result<()> {
    let mut level = 0;
    loop {
        let size = core.spaces.page_size();
        let outcome = mtr::run(core, size * 2, |w| {
            let wanted = if level == 0 { need } else { slotted::max_key(size) + 16 };
            attempt(w, tree, key, level, wanted)
        })
        .await?;
        match outcome {
            Outcome::ParentFull(at) => level = at,
            Outcome::Done if level == 0 => return Ok(()),
            Outcome::Done => level -= 1,
        }
    }
}

fn attempt(w: &mut Work<'_>, tree: &Tree, key: &[u8], level: u16, need: usize) -> Attempt<Outcome> {
    let core = w.core;
    let root = core.pool.fix(tree.root_id(), LatchMode::S, Access::Point)?;
    let height = slotted::level(root.bytes());
    drop(root);
    if height < level {
        return Ok(Outcome::Done);
    }
    if height == level {
        split_root(w, tree, key, need)
    } else {
        split_child(w, tree, key, level, need)
    }
}

/// Whether the page has room enough as it is: a leaf for the cell of the key, an inner page for any other key.
fn has_room(p: &[u8], key: &[u8], need: usize) -> bool {
    match slotted::level(p) {
        0 => slotted::room_for(p, key) >= need,
        _ => slotted::free_bytes(p) >= need,
    }
}

/// Where to cut: cells `k..` go right; every key below `sep` stays left.
struct Cut {
    k: usize,
    sep: Vec<u8>,
}

/// The shortest key that is above `left` and not above `right`.
fn separator(left: &[u8], right: &[u8]) -> Vec<u8> {
    assert!(left < right);
    let common = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    right[..(common + 1).min(right.len())].to_vec()
}

/// Bytes of cells and slots for `from..to` under a prefix of `prefix` bytes.
fn bytes_of(p: &[u8], from: usize, to: usize, prefix: usize) -> usize {
    (from..to)
        .map(|s| {
            let full = slotted::prefix_len(p) + slotted::key_rest(p, s).len();
            slotted::cell_size(full.saturating_sub(prefix), slotted::value(p, s).len())
        })
        .sum()
}

fn half_fits(p: &[u8], from: usize, to: usize, lower: &[u8], upper: Option<&[u8]>) -> bool {
    let prefix = prefix_of(lower, upper);
    slotted::BODY + lower.len() + upper.map_or(0, <[u8]>::len) + bytes_of(p, from, to, prefix)
        <= p.len()
}

fn cut_at(p: &[u8], k: usize, new: &[u8]) -> Cut {
    let n = slotted::count(p);
    let sep = if slotted::level(p) > 0 {
        slotted::key(p, k)
    } else if k == n {
        separator(&slotted::key(p, n - 1), new)
    } else if k == 0 {
        separator(new, &slotted::key(p, 0))
    } else {
        // The new key may go to either side; the separator lies between the two old neighbours anyway.
        separator(&slotted::key(p, k - 1), &slotted::key(p, k))
    };
    let left = k == 0 && planted::is(Bug::LoneCellLeft);
    Cut { k: if left { n } else { k }, sep }
}

/// Chooses the cut for a page that has not the `need` bytes that `key` is to have in it.
///
/// There always is one. Between two cells of a leaf: the left page gets a fence that is no longer than the key of a cell that it loses,
/// the right one a fence that is at most a byte longer than the key of one that it loses, and a lost cell has ten bytes beside its
/// key. Before and behind a leaf's only cell, since the largest cell stands beside any fences (`slotted::max_cell`). In an inner page
/// the last cell, beside its own key as a fence.
///
/// Of those between two cells the first one is taken whose side of the key has room enough. Where none has, for the key's cell is
/// long, it is the first one of all, and there will be further splits: each of them leaves fewer cells beside the key, until it has a
/// page of its own, in which every cell has room.
fn choose(p: &[u8], tree: &Tree, no: PageNo, key: &[u8], need: usize) -> Option<Cut> {
    let n = slotted::count(p);
    let leaf = slotted::level(p) == 0;
    let found = slotted::search(p, key);
    let pos = match found {
        Ok(s) | Err(s) => s,
    };
    let mut wanted: Vec<usize> = Vec::with_capacity(4);
    // Ascending inserts: leave the left page full. A leaf's only cell is parted from the key.
    let at_key = leaf && found.is_err() && (n == 1 || tree.is_ascending(no, pos));
    if at_key {
        wanted.push(pos);
    }
    if !leaf && pos + 1 >= n && slotted::upper(p).is_none() {
        wanted.push(n - 1);
    }
    let sums = Sums::of(p);
    let mid = sums.middle();
    wanted.push(mid.clamp(1, n.saturating_sub(1).max(1)));
    wanted.extend(
        (1..n).map(|d| if d % 2 == 0 { mid.saturating_sub(d / 2) } else { mid + d / 2 + 1 }),
    );
    let mut second = None;
    for k in wanted {
        let at_key = at_key && k == pos;
        if (k == 0 || k >= n) && !at_key {
            continue;
        }
        let cut = cut_at(p, k, key);
        let better = !leaf || at_key || sums.room_beside(p, &cut, key, found) >= need;
        if (better || second.is_none()) && is_cut(p, &cut) {
            if better {
                return Some(cut);
            }
            second = Some(cut);
        }
    }
    second
}

/// Both halves stand beside their fences, and own something.
fn is_cut(p: &[u8], c: &Cut) -> bool {
    let n = slotted::count(p);
    c.sep.as_slice() > slotted::lower(p)
        && slotted::upper(p).is_none_or(|u| c.sep.as_slice() < u)
        && half_fits(p, 0, c.k, slotted::lower(p), Some(&c.sep))
        && half_fits(p, c.k, n, &c.sep, slotted::upper(p))
}

/// `[k]`: the bytes of the first k cells of a page, with their slots. In a half of the page they are never more, since its fences have
/// at least as long a prefix.
struct Sums(Vec<usize>);

impl Sums {
    fn of(p: &[u8]) -> Sums {
        let mut sums = vec![0];
        for s in 0..slotted::count(p) {
            sums.push(sums[s] + bytes_of(p, s, s + 1, slotted::prefix_len(p)));
        }
        Sums(sums)
    }

    /// Cells that have half of the bytes.
    fn middle(&self) -> usize {
        let n = self.0.len() - 1;
        (1..=n).find(|k| self.0[*k] * 2 >= self.0[n]).unwrap_or(n / 2)
    }

    /// At least so many bytes the key's cell can have in its half of a leaf.
    fn room_beside(
        &self,
        p: &[u8],
        c: &Cut,
        key: &[u8],
        found: std::result::Result<usize, usize>,
    ) -> usize {
        let all = self.0[self.0.len() - 1];
        let (cells, fences) = match key < c.sep.as_slice() {
            true => (self.0[c.k], slotted::lower(p).len() + c.sep.len()),
            false => (all - self.0[c.k], c.sep.len() + slotted::upper(p).map_or(0, <[u8]>::len)),
        };
        let own = found.map_or(0, |s| slotted::cell_size(key.len(), slotted::value(p, s).len()));
        (p.len() + own).saturating_sub(slotted::BODY + fences + cells)
    }
}

/// The cells from `from` on as a run for a page with the given prefix length.
fn run_of(p: &[u8], from: usize, to: usize, prefix: usize) -> Vec<u8> {
    let mut run = Vec::with_capacity(slotted::used_bytes(p));
    for s in from..to {
        let k = slotted::key(p, s);
        put_cell(&mut run, &k[prefix..], slotted::value(p, s));
    }
    run
}

/// Bytes that all keys between two fences begin with.
pub(super) fn prefix_of(lower: &[u8], upper: Option<&[u8]>) -> usize {
    upper.map_or(0, |u| lower.iter().zip(u).take_while(|(a, b)| a == b).count())
}

fn split_child(
    w: &mut Work<'_>,
    tree: &Tree,
    key: &[u8],
    level: u16,
    need: usize,
) -> Attempt<Outcome> {
    let core = w.core;
    let mut g = w.gather();
    let parent = descend(core, tree, Toward::Key(key), level + 1, LatchMode::X, Access::Point)?;
    let slot = slotted::child_slot(parent.bytes(), key);
    let child_no = slotted::child(parent.bytes(), slot);
    let parent = g.adopt(parent);
    let child = g.fix(tree.page(child_no), LatchMode::X)?;
    let p = g.bytes(child);
    if has_room(p, key, need) {
        return Ok(Outcome::Done);
    }
    let Some(cut) = choose(p, tree, child_no, key, need) else {
        return Err(damaged(tree, p, "no way to split the page"));
    };
    if !slotted::fits(g.bytes(parent), cut.sep.len(), 4) {
        return Ok(Outcome::ParentFull(level + 1));
    }
    assert!(is_cut(p, &cut), "I15: a half of page {child_no} does not stand beside its fences");
    let n = slotted::count(p);
    let upper = slotted::upper(p).map(<[u8]>::to_vec);
    let lower = slotted::lower(p).to_vec();
    let end = n - usize::from(planted::is(Bug::SplitLosesLastKey));
    let run = run_of(p, cut.k, end.max(cut.k), prefix_of(&cut.sep, upper.as_deref()));
    let max_trx = slotted::max_trx(p);
    let new = space::allocate(&mut g, &tree.space, child_no)?;
    let fences = 3 * cut.sep.len() + lower.len() + 2 * upper.as_ref().map_or(0, Vec::len);
    let mut a = g.seal(run.len() + fences + 256)?;
    new.mark(&mut a);
    a.record(
        new.page,
        &Redo::TreeInit { index: tree.index, level, lower: &cut.sep, upper: upper.as_deref() },
    );
    a.record(new.page, &Redo::Cells { run: &run });
    if max_trx > 0 && !planted::is(Bug::SplitForgetsWriter) {
        a.record(new.page, &Redo::MaxTrx { id: max_trx });
    }
    let fence = match planted::is(Bug::SplitKeepsFence) {
        true => upper.as_deref(),
        false => Some(cut.sep.as_slice()),
    };
    a.record(child, &Redo::Keep { from: 0, to: cut.k as u16, lower: &lower, upper: fence });
    let pre = slotted::prefix_len(a.bytes(parent));
    a.record(
        parent,
        &Redo::SlotInsert {
            slot: slot as u16 + 1,
            rest: &cut.sep[pre..],
            value: &new.id.page.to_le_bytes(),
        },
    );
    a.commit();
    tree.note_leaves(level, 1);
    core.stats.splits.fetch_add(1, Ordering::Relaxed);
    Ok(Outcome::Done)
}

fn split_root(w: &mut Work<'_>, tree: &Tree, key: &[u8], need: usize) -> Attempt<Outcome> {
    let core = w.core;
    let mut g = w.gather();
    let root = g.fix(tree.root_id(), LatchMode::X)?;
    let p = g.bytes(root);
    if has_room(p, key, need) {
        return Ok(Outcome::Done);
    }
    let Some(cut) = choose(p, tree, tree.root, key, need) else {
        return Err(damaged(tree, p, "no way to split the root"));
    };
    assert!(is_cut(p, &cut), "I15: a half of the root does not stand beside its fences");
    let (n, level) = (slotted::count(p), slotted::level(p));
    let max_trx = slotted::max_trx(p);
    let left_run = run_of(p, 0, cut.k, prefix_of(b"", Some(&cut.sep)));
    let right_run = run_of(p, cut.k, n, 0);
    let left = space::allocate(&mut g, &tree.space, tree.root)?;
    let right = space::allocate(&mut g, &tree.space, tree.root)?;
    let mut a = g.seal(left_run.len() + right_run.len() + 6 * cut.sep.len() + 512)?;
    let index = tree.index;
    for (new, run, lower, upper) in [
        (&left, &left_run, &b""[..], Some(cut.sep.as_slice())),
        (&right, &right_run, cut.sep.as_slice(), None),
    ] {
        new.mark(&mut a);
        a.record(new.page, &Redo::TreeInit { index, level, lower, upper });
        a.record(new.page, &Redo::Cells { run });
        if max_trx > 0 {
            a.record(new.page, &Redo::MaxTrx { id: max_trx });
        }
    }
    let mut cells = Vec::new();
    put_cell(&mut cells, b"", &left.id.page.to_le_bytes());
    put_cell(&mut cells, &cut.sep, &right.id.page.to_le_bytes());
    a.record(root, &Redo::TreeInit { index, level: level + 1, lower: b"", upper: None });
    a.record(root, &Redo::Cells { run: &cells });
    // The leaf that took the last insert has moved.
    tree.last_leaf.note(&tree.space, right.id.page);
    tree.last_slot.store(n.saturating_sub(cut.k + 1) as u32, Ordering::Relaxed);
    a.commit();
    tree.note_leaves(level, 1);
    core.stats.splits.fetch_add(1, Ordering::Relaxed);
    Ok(Outcome::Done)
}
