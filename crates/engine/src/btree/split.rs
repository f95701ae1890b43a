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

/// The stop with which an attempt asks for a split of the leaf that owns `key`, so that `need` more bytes fit.
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

/// Splits at the leaf level, and above where needed, until the leaf of `key` has `need` free bytes.
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

/// Where to cut: cells `k..` go right; every key below `sep` stays left.
struct Cut {
    k: usize,
    sep: Vec<u8>,
}

/// The shortest key that is above `left` and not above `right`.
fn separator(left: &[u8], right: &[u8]) -> Vec<u8> {
    debug_assert!(left < right);
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
    let prefix = upper.map_or(0, |u| lower.iter().zip(u).take_while(|(a, b)| a == b).count());
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
    Cut { k, sep }
}

/// Chooses the cut for a page that `key` is to enter.
fn choose(p: &[u8], tree: &Tree, no: PageNo, key: &[u8]) -> Option<Cut> {
    let n = slotted::count(p);
    let leaf = slotted::level(p) == 0;
    let pos = match slotted::search(p, key) {
        Ok(s) | Err(s) => s,
    };
    let fits = |c: &Cut| {
        c.sep.as_slice() > slotted::lower(p)
            && slotted::upper(p).is_none_or(|u| c.sep.as_slice() < u)
            && half_fits(p, 0, c.k, slotted::lower(p), Some(&c.sep))
            && half_fits(p, c.k, n, &c.sep, slotted::upper(p))
    };
    let present = slotted::search(p, key).is_ok();
    let mut wanted: Vec<usize> = Vec::with_capacity(4);
    if leaf && !present && (n == 1 || tree.is_ascending(no, pos)) {
        // Ascending inserts: leave the left page full.
        wanted.push(pos);
    }
    if !leaf && pos + 1 >= n && slotted::upper(p).is_none() {
        wanted.push(n - 1);
    }
    // By bytes, in the middle.
    let total = bytes_of(p, 0, n, slotted::prefix_len(p));
    let mut sum = 0;
    let mut mid = n / 2;
    for s in 0..n {
        sum += bytes_of(p, s, s + 1, slotted::prefix_len(p));
        if sum * 2 >= total {
            mid = s + 1;
            break;
        }
    }
    wanted.push(mid.clamp(1, n.saturating_sub(1).max(1)));
    wanted.extend(
        (1..n).map(|d| if d % 2 == 0 { mid.saturating_sub(d / 2) } else { mid + d / 2 + 1 }),
    );
    wanted
        .into_iter()
        .filter(|k| {
            let inner_ok = *k >= 1 && *k < n;
            inner_ok || (leaf && !present && *k <= n && (*k == pos))
        })
        .map(|k| cut_at(p, k, key))
        .find(|c| fits(c))
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

fn prefix_of(lower: &[u8], upper: Option<&[u8]>) -> usize {
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
    let size = core.spaces.page_size();
    let mut g = w.gather();
    let parent = descend(core, tree, Toward::Key(key), level + 1, LatchMode::X, Access::Point)?;
    let slot = slotted::child_slot(parent.bytes(), key);
    let child_no = slotted::child(parent.bytes(), slot);
    let parent = g.adopt(parent);
    let child = g.fix(tree.page(child_no), LatchMode::X)?;
    let p = g.bytes(child);
    if slotted::free_bytes(p) >= need {
        return Ok(Outcome::Done);
    }
    let Some(cut) = choose(p, tree, child_no, key) else {
        return Err(damaged(tree, p, "no way to split the page"));
    };
    if !slotted::fits(g.bytes(parent), cut.sep.len(), 4) {
        return Ok(Outcome::ParentFull(level + 1));
    }
    let n = slotted::count(p);
    let upper = slotted::upper(p).map(<[u8]>::to_vec);
    let lower = slotted::lower(p).to_vec();
    let end = n - usize::from(planted::is(Bug::SplitLosesLastKey));
    let run = run_of(p, cut.k, end.max(cut.k), prefix_of(&cut.sep, upper.as_deref()));
    let max_trx = slotted::max_trx(p);
    let new = space::allocate(&mut g, &tree.space, child_no)?;
    let mut a = g.seal(run.len() + 6 * cut.sep.len() + 2 * lower.len() + size / 4 + 256)?;
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
    if slotted::free_bytes(p) >= need {
        return Ok(Outcome::Done);
    }
    let Some(cut) = choose(p, tree, tree.root, key) else {
        return Err(damaged(tree, p, "no way to split the root"));
    };
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
    a.commit();
    tree.note_leaves(level, 1);
    // The leaf that took the last insert has moved.
    tree.last_leaf.store(right.id.page, Ordering::Relaxed);
    tree.last_slot.store(n.saturating_sub(cut.k + 1) as u32, Ordering::Relaxed);
    core.stats.splits.fetch_add(1, Ordering::Relaxed);
    Ok(Outcome::Done)
}
