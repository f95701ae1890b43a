//! The sweep: a move takes the entries that belong to one leaf of the main tree out of the buffer tree.
//!
//! It goes through the buffer tree in key order, so it comes to each leaf of the main tree as seldom as it can, and finds as many entries
//! for it as there can be. It advances by key and never waits for anything to become empty. Under the policies of InnoDB's builds it draws
//! leaves at random instead, as they did.

use super::{Buffer, Trees, VALUE};
use crate::btree::{self, Tree};
use crate::error::Result;
use crate::mtr::{self, Apply, Attempt, Core, Gather, P, Work};
use crate::page::redo::Redo;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::{Access, for_merges};
use crate::sync::atomic::Ordering;
use std::task::Poll;

/// Entries of a move, and bytes of its redo: a group stays far from the size of the log buffer.
const MOVE_CELLS: usize = 256;
const MOVE_BYTES: usize = 12 * 1024;
/// Leaves of the buffer tree that are drawn before it counts as empty.
const DRAWS: usize = 4;
/// Redo of an entry that is taken out.
const REMOVAL: usize = 16;

/// Redo of a move. Two pages of it fit into any log, since a split may need as much.
fn most_redo(core: &Core) -> usize {
    MOVE_BYTES.min(2 * core.spaces.page_size())
}

/// What a step came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Entries that were moved.
    Moved(usize),
    /// The buffer tree has nothing behind the position; the sweep begins again at the lowest key.
    Turned,
}

impl Step {
    pub fn moved(self) -> usize {
        match self {
            Step::Moved(n) => n,
            Step::Turned => 0,
        }
    }
}

/// The entries that a move takes, and where the sweep goes on.
struct Lot {
    from: Vec<u8>,
    /// The end of what the main leaf owns.
    to: Option<Vec<u8>>,
}

/// Moves the next lot of an index. Several may do so at the same time: each takes a lot of its own.
pub async fn step(core: &Core, trees: Trees<'_>, buffer: &Buffer) -> Result<Step> {
    let lot = match buffer.merging().at_random {
        true => random_lot(core, trees).await?,
        false => next_lot(core, trees, buffer).await?,
    };
    match lot {
        Some(lot) => move_lot(core, trees, buffer, lot).await,
        None => Ok(Step::Turned),
    }
}

/// So many of them, as many at once as the threads that read. Returns what each came to, except for those behind an error.
pub async fn steps(core: &Core, trees: Trees<'_>, buffer: &Buffer, n: usize) -> Result<Vec<Step>> {
    let at_once = buffer.merging().at_once.max(1);
    let mut done = Vec::with_capacity(n);
    let (mut begun, mut busy) = (0, Vec::new());
    let mut result = Ok(());
    std::future::poll_fn(|cx| {
        loop {
            while busy.len() < at_once && begun < n && result.is_ok() {
                busy.push(Box::pin(step(core, trees, buffer)));
                begun += 1;
            }
            let before = busy.len();
            busy.retain_mut(|f| match f.as_mut().poll(cx) {
                Poll::Pending => true,
                Poll::Ready(Ok(step)) => {
                    done.push(step);
                    false
                }
                Poll::Ready(Err(e)) => {
                    result = Err(e);
                    false
                }
            });
            match busy.len() {
                0 if begun == n || result.is_err() => return Poll::Ready(()),
                left if left == before => return Poll::Pending,
                _ => {}
            }
        }
    })
    .await;
    result.map(|()| done)
}

/// Moves the entries that belong to the same leaf of the main tree as a key.
pub async fn step_at(core: &Core, trees: Trees<'_>, buffer: &Buffer, key: &[u8]) -> Result<Step> {
    let lot = lot_of(core, trees, key).await?;
    move_lot(core, trees, buffer, lot).await
}

async fn move_lot(core: &Core, trees: Trees<'_>, buffer: &Buffer, lot: Lot) -> Result<Step> {
    for_merges(move_all(core, trees, buffer, lot)).await
}

async fn move_all(core: &Core, trees: Trees<'_>, buffer: &Buffer, lot: Lot) -> Result<Step> {
    let Some(from_tree) = trees.buffer else { return Ok(Step::Turned) };
    let mut moved = 0;
    let mut at = Some(lot.from);
    while let Some(from) = at {
        let (n, next) =
            mtr::run(core, most_redo(core), |w| move_attempt(w, trees, &from, &lot.to)).await?;
        if n > 0 {
            moved += n;
            core.stats.change_buffer.moves.fetch_add(1, Ordering::Relaxed);
            core.stats.change_buffer.moved.fetch_add(n as u64, Ordering::Relaxed);
            btree::merge_soon(core, from_tree, &from).await?;
        }
        at = next;
    }
    buffer.count(core);
    Ok(Step::Moved(moved))
}

/// All that waits for the leaf of the main tree that owns a key. It need not be in memory for this.
async fn lot_of(core: &Core, trees: Trees<'_>, key: &[u8]) -> Result<Lot> {
    let (from, to) = mtr::run(core, 0, |w| btree::leaf_range(w.core, trees.main, key)).await?;
    Ok(Lot { from, to })
}

/// The lot of an entry drawn at random, so that of a leaf for which many wait is drawn more often. `None`: nothing was found.
async fn random_lot(core: &Core, trees: Trees<'_>) -> Result<Option<Lot>> {
    let Some(tree) = trees.buffer else { return Ok(None) };
    let random = || core.pool.rt.random_u64() as f64 / u64::MAX as f64;
    // A leaf of the buffer tree may be empty.
    for _ in 0..DRAWS {
        let share = random();
        let keys = mtr::run(core, 0, |w| btree::sample_leaf(w.core, tree, share)).await?;
        let at = (random() * keys.len() as f64) as usize;
        if let Some(key) = keys.get(at.min(keys.len().saturating_sub(1))) {
            return lot_of(core, trees, key).await.map(Some);
        }
    }
    Ok(None)
}

/// Looks for the first entry behind the position, and moves the position behind all entries of the same main leaf. That one need not
/// be in memory for this: its fence stands in its parent.
async fn next_lot(core: &Core, trees: Trees<'_>, buffer: &Buffer) -> Result<Option<Lot>> {
    let Some(tree) = trees.buffer else { return Ok(None) };
    loop {
        let before = buffer.at.lock().clone();
        let mut at = Some(before.clone());
        let mut lot = None;
        while let Some(from) = at.take() {
            let found = mtr::run(core, 0, |w| first_behind(w, tree, &from)).await?;
            match found {
                Ok(key) => {
                    let to = lot_of(core, trees, &key).await?.to;
                    lot = Some(Lot { from: key, to });
                }
                Err(upper) => at = upper,
            }
        }
        let mut now = buffer.at.lock();
        if *now == before {
            *now = lot.as_ref().and_then(|l| l.to.clone()).unwrap_or_default();
            return Ok(lot);
        }
    }
}

/// The first entry of a leaf of the buffer tree at or above a key, or the leaf's end.
fn first_behind(
    w: &mut Work<'_>,
    tree: &Tree,
    from: &[u8],
) -> Attempt<std::result::Result<Vec<u8>, Option<Vec<u8>>>> {
    let leaf = btree::leaf(w.core, tree, from, Access::Point)?;
    let p = leaf.bytes();
    let slot = slotted::search(p, from).unwrap_or_else(|s| s);
    if slot < slotted::count(p) {
        return Ok(Ok(slotted::key(p, slot)));
    }
    Ok(Err(slotted::upper(p).map(<[u8]>::to_vec)))
}

/// Moves what it can in one mini-transaction. Returns how many entries it moved and where there may be more of the lot.
fn move_attempt(
    w: &mut Work<'_>,
    trees: Trees<'_>,
    from: &[u8],
    to: &Option<Vec<u8>>,
) -> Attempt<(usize, Option<Vec<u8>>)> {
    let Some(tree) = trees.buffer else { return Ok((0, None)) };
    let inside = |k: &[u8]| to.as_ref().is_none_or(|to| k < to.as_slice());
    let most = most_redo(w.core);
    let mut g = w.gather();
    let at = btree::place(&mut g, tree, from)?;
    let first = at.slot.unwrap_or_else(|s| s);
    let source = at.leaf;
    if first == slotted::count(g.bytes(source)) {
        let upper = slotted::upper(g.bytes(source)).map(<[u8]>::to_vec);
        return Ok((0, upper.filter(|u| inside(u))));
    }
    let key = slotted::key(g.bytes(source), first);
    if !inside(&key) {
        return Ok((0, None));
    }
    let target = btree::place(&mut g, trees.main, &key)?.leaf;
    let lot = measure(&g, source, target, first, most, inside);
    if lot.cells == 0 {
        // The split counts what the key has there already as room, and a move does not.
        let t = g.bytes(target);
        let had = slotted::room_for(t, &key) - slotted::free_bytes(t);
        let need = lot.bytes + had;
        return Err(btree::split_job(trees.main, &key, need));
    }
    let mut a = g.seal(lot.redo)?;
    carry_over(&mut a, source, target, first, lot.cells);
    a.commit();
    Ok((lot.cells, lot.next.filter(|k| inside(k))))
}

/// How much of a lot goes into one move.
struct Load {
    cells: usize,
    /// Bytes that the cells take in the main leaf; where none has room, those of the first one.
    bytes: usize,
    redo: usize,
    next: Option<Vec<u8>>,
}

fn measure(
    g: &Gather<'_, '_>,
    source: P,
    target: P,
    first: usize,
    most: usize,
    inside: impl Fn(&[u8]) -> bool,
) -> Load {
    let (s, t) = (g.bytes(source), g.bytes(target));
    let (free, prefix) = (slotted::free_bytes(t), slotted::prefix_len(t));
    let (mut cells, mut bytes, mut redo) = (0, 0, 64);
    let mut key = Vec::new();
    for slot in first..slotted::count(s) {
        key.clear();
        slotted::key_into(s, slot, &mut key);
        if !inside(&key) || !slotted::owns(t, &key) {
            return Load { cells, bytes, redo, next: Some(key) };
        }
        let cell = slotted::cell_size(key.len() - prefix, VALUE);
        let more = redo + btree::insert_need(key.len(), VALUE) + REMOVAL;
        let full = cells == MOVE_CELLS || (cells > 0 && more > most);
        if full || bytes + cell > free {
            return Load { cells, bytes: bytes + cell, redo, next: Some(key) };
        }
        (cells, bytes, redo) = (cells + 1, bytes + cell, more);
    }
    let next = slotted::upper(s).map(<[u8]>::to_vec);
    Load { cells, bytes, redo, next }
}

/// Second half of a move: what comes into the one leaf goes out of the other (I13), and the newest writer of both is now the newest
/// of the main leaf.
fn carry_over(a: &mut Apply<'_>, source: P, target: P, first: usize, cells: usize) {
    let mut key = Vec::new();
    for slot in first..first + cells {
        key.clear();
        slotted::key_into(a.bytes(source), slot, &mut key);
        // What is behind it is padding.
        let value: [u8; VALUE] = *slotted::value(a.bytes(source), slot)
            .first_chunk()
            .expect("an entry's value has 3 bytes at least");
        let pre = slotted::prefix_len(a.bytes(target));
        match slotted::search(a.bytes(target), &key) {
            Ok(there) => {
                debug_assert!(false, "I13: an entry stands in both trees");
                a.record(target, &Redo::SlotReplace { slot: there as u16, value: &value });
            }
            // Not as an insert that might be one of ascending ones: the next split of this leaf is in its middle.
            Err(there) => a.record(
                target,
                &Redo::SlotInsert { slot: there as u16, rest: &key[pre..], value: &value },
            ),
        }
    }
    if !planted::is(Bug::MovedEntryStays) {
        for slot in (first..first + cells).rev() {
            a.record(source, &Redo::SlotRemove { slot: slot as u16 });
        }
    }
    let newest = slotted::max_trx(a.bytes(source));
    if newest > slotted::max_trx(a.bytes(target)) && !planted::is(Bug::MoveForgetsWriter) {
        a.record(target, &Redo::MaxTrx { id: newest });
    }
}
