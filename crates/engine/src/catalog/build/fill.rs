//! Appending sorted entries to a new tree.

use super::sort::{Entry, Sorted};
use crate::btree;
use crate::error::{Error, Result};
use crate::mtr::{self, Attempt, Core, Work};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::table::{Index, Table};
use crate::txn::secondary_value;
use std::collections::VecDeque;
use std::sync::Arc;
use weir_rt::Interrupt;

/// Entries of a mini-transaction, and bytes of its redo: a group stays far from the size of the log buffer.
const GROUP: usize = 256;
const GROUP_BYTES: usize = 12 * 1024;

/// Bytes of a secondary cell's value.
const VALUE: usize = 3;

/// Appends all entries to the tree of index `i`.
///
/// Errors: `DuplicateKey` where the index is unique, `Interrupted`; the tree is to be thrown away then.
pub(super) async fn fill(
    core: &Core,
    t: &Arc<Table>,
    i: usize,
    mut all: Sorted,
    interrupt: &Interrupt,
) -> Result<()> {
    let index = &t.indexes[i];
    // Two pages of it fit into any log, since a split may need as much.
    let most = GROUP_BYTES.min(core.spaces.page_size());
    let mut last: Option<Entry> = None;
    let mut group: VecDeque<Entry> = VecDeque::new();
    loop {
        while group.len() < GROUP
            && let Some(e) = all.next().await?
        {
            if let Some(before) = &last {
                assert!(before.bytes < e.bytes, "entries do not ascend");
                if is_twice(index, before, &e) {
                    return Err(t.duplicate(i, e.bytes[e.columns..].to_vec()));
                }
            }
            last = Some(e.clone());
            group.push_back(e);
        }
        if group.is_empty() {
            return Ok(());
        }
        if interrupt.killed() != 0 {
            return Err(Error::Interrupted);
        }
        let n = mtr::run(core, most + 64, |w| append(w, index, &group, most)).await?;
        group.drain(..n);
    }
}

/// Whether a unique index has both entries' columns, none of them NULL, twice.
fn is_twice(index: &Index, a: &Entry, b: &Entry) -> bool {
    index.def.unique
        && a.bytes[..a.columns] == b.bytes[..b.columns]
        && !index.has_null(&b.bytes[..b.columns])
        && !planted::is(Bug::AddUniqueUnchecked)
}

/// Appends as many entries as the last leaf takes, and returns how many those were. If there is room for none, that leaf stays as it is
/// and full, and the attempt asks for an empty one behind it.
fn append(w: &mut Work<'_>, index: &Index, group: &VecDeque<Entry>, most: usize) -> Attempt<usize> {
    let mut g = w.gather();
    let first = &group[0].bytes;
    let at = btree::place(&mut g, &index.tree, first)?;
    let p = g.bytes(at.leaf);
    assert_eq!(at.slot, Err(slotted::count(p)), "an entry is not behind all others");
    let (mut free, mut redo, mut n) = (slotted::free_bytes(p), 64, 0);
    for e in group {
        let rest = e.bytes.len() - slotted::prefix_len(p);
        let cell = slotted::cell_size(rest, VALUE);
        redo += rest + VALUE + 8;
        if cell > free || (n > 0 && redo > most) {
            break;
        }
        free -= cell;
        n += 1;
    }
    if n == 0 {
        let need = slotted::cell_size(first.len(), VALUE);
        return Err(btree::split_job(&index.tree, first, need));
    }
    let cells: Vec<_> =
        group.iter().take(n).map(|e| (&e.bytes[..], secondary_value(e.columns))).collect();
    let mut a = g.seal(most)?;
    btree::append(&mut a, &index.tree, at.leaf, &cells);
    a.commit();
    Ok(n)
}
