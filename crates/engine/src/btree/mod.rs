//! Floor 3: B+trees. Search, cursor steps, insert, split, merge, check. No `async` but in the jobs that drive structure changes.
//!
//! May use: `mtr`, `space`, `pool`, `page`. Knows no transactions and no row locks.
//!
//! Shape. Every page carries fences (the half-open key range it owns), so that any code can check on its own whether it is
//! in the right place. There are no sibling links: the next leaf is where the upper fence is, the previous one is found
//! "below the lower fence" from the root. A structure change therefore touches parent and children only.
//! The root page never moves; a full root gets two children, a root with one child takes the child's place.
//!
//! Invariants
//! - A structure change is one mini-transaction: no reader and no crash sees half of it.
//! - Descent couples latches: a child is latched while its parent is, so a page is never entered after it was freed.
//! - Children's lower fences are their keys in the parent; a parent's first key is its own lower fence.

mod ahead;
mod check;
mod estimate;
mod hint;
mod merge;
mod seek;
mod split;
mod step;
mod survivors;
#[cfg(all(test, not(any(shuttle, miri))))]
mod tests;

pub use ahead::{Next, leaf_id, leaves_before, leaves_from};
pub use check::check;
pub use estimate::{
    Estimate, Page, ends, estimate_range, leaf_statistics, page_at, root_page, sample_leaf,
    sample_values,
};
pub use hint::LeafHint;
pub use merge::merge_soon;
pub use seek::{leaf, leaf_before, leaf_range, leaf_x};
pub use split::split_job;
pub use step::{gathered_leaf, next_key};
pub use survivors::{Gap, Leaf, Survivors};

use crate::error::Result;
use crate::ids::{PageId, PageNo};
use crate::mtr::{self, Attempt, Core, Gather, P};
use crate::page::codec::common_prefix;
use crate::page::redo::{Redo, put_cell};
use crate::page::slotted;
use crate::space::{self, Space};
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;

pub struct Tree {
    pub space: Arc<Space>,
    pub root: PageNo,
    /// Index id, the owner of its pages.
    pub index: u64,
    /// Frame that held the root last.
    root_hint: AtomicU32,
    /// Leaf and slot of the last insert, and whether it came behind the one before: tells ascending inserts from random ones. Hints only.
    last_leaf: hint::LastLeaf,
    last_slot: AtomicU32,
    ascends: AtomicBool,
    /// Leaves: counted from when the tree was made, or measured last. 0: never measured.
    leaves: AtomicU64,
}

impl Tree {
    pub fn new(space: Arc<Space>, root: PageNo, index: u64) -> Tree {
        Tree {
            space,
            root,
            index,
            root_hint: AtomicU32::new(u32::MAX),
            last_leaf: hint::LastLeaf::default(),
            last_slot: AtomicU32::new(0),
            ascends: AtomicBool::new(false),
            leaves: AtomicU64::new(0),
        }
    }

    pub fn page(&self, no: PageNo) -> PageId {
        PageId::new(self.space.id, no)
    }

    pub fn root_id(&self) -> PageId {
        self.page(self.root)
    }

    /// Leaves, about; 0 if nobody has counted them.
    pub fn leaves(&self) -> u64 {
        self.leaves.load(Ordering::Relaxed)
    }

    /// They have been counted.
    pub fn set_leaves(&self, n: u64) {
        self.leaves.store(n, Ordering::Relaxed);
    }

    /// A leaf was split, or two were merged. The count stays unknown where it is.
    fn note_leaves(&self, level: u16, by: i64) {
        if level == 0 {
            let more = |n: u64| (n > 0).then(|| n.saturating_add_signed(by).max(1));
            _ = self.leaves.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }

    /// The leaf is latched exclusively.
    fn note_insert(&self, leaf: PageNo, slot: usize) {
        let ascends = self.is_ascending(leaf, slot);
        if ascends != self.ascends.load(Ordering::Relaxed) {
            self.ascends.store(ascends, Ordering::Relaxed);
        }
        self.last_leaf.note(&self.space, leaf);
        self.last_slot.store(slot as u32, Ordering::Relaxed);
    }

    fn is_ascending(&self, leaf: PageNo, slot: usize) -> bool {
        self.last_leaf.is(leaf) && self.last_slot.load(Ordering::Relaxed) as usize + 1 == slot
    }
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "tree {} in space {} root {}", self.index, self.space.id, self.root)
    }
}

/// Makes an empty tree: one leaf that owns everything.
pub async fn create(core: &Core, space: &Arc<Space>, index: u64) -> Result<Tree> {
    let root = mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let new = space::allocate(&mut g, space, 0)?;
        let mut a = g.seal(128)?;
        new.mark(&mut a);
        a.record(new.page, &Redo::TreeInit { index, level: 0, lower: b"", upper: None });
        a.commit();
        Ok(new.id.page)
    })
    .await?;
    let tree = Tree::new(space.clone(), root, index);
    tree.set_leaves(1);
    Ok(tree)
}

/// Where a key is, or would be, in a leaf gathered exclusively.
pub struct Place {
    pub leaf: P,
    pub slot: std::result::Result<usize, usize>,
}

/// Latches the leaf of `key` exclusively and finds the key in it.
pub fn place(g: &mut Gather<'_, '_>, tree: &Tree, key: &[u8]) -> Attempt<Place> {
    let guard = leaf_x(g.core(), tree, key)?;
    let leaf = g.adopt(guard);
    let slot = slotted::search(g.bytes(leaf), key);
    Ok(Place { leaf, slot })
}

/// The same, where the leaf may be one that is remembered.
pub fn place_near(
    g: &mut Gather<'_, '_>,
    tree: &Tree,
    key: &[u8],
    near: Option<LeafHint>,
) -> Attempt<Place> {
    let near = near.and_then(|hint| hint.leaf_x(g.core(), tree, key));
    let Some(guard) = near else { return place(g, tree, key) };
    let leaf = g.adopt(guard);
    let slot = slotted::search(g.bytes(leaf), key);
    Ok(Place { leaf, slot })
}

/// The same for an insert: where keys come in ascending order, the leaf of the last one is looked at first.
pub fn place_insert(g: &mut Gather<'_, '_>, tree: &Tree, key: &[u8]) -> Attempt<Place> {
    let ascends = tree.ascends.load(Ordering::Relaxed);
    place_near(g, tree, key, if ascends { tree.last_leaf.hint() } else { None })
}

/// Redo payload of inserting a cell.
pub fn insert_need(key: usize, value: usize) -> usize {
    key + value + 64
}

/// Whether a new cell fits; if not, the attempt ends and the split is the caller's next job.
pub fn room_for_insert(
    g: &Gather<'_, '_>,
    tree: &Arc<Tree>,
    at: &Place,
    key: &[u8],
    value_len: usize,
) -> Attempt<()> {
    let p = g.bytes(at.leaf);
    if slotted::fits(p, key.len(), value_len) {
        return Ok(());
    }
    Err(split_job(tree, key, slotted::cell_size(key.len(), value_len)))
}

/// Whether the value of the cell at `slot` may become `len` bytes long; if not, as above.
pub fn room_for_replace(
    g: &Gather<'_, '_>,
    tree: &Arc<Tree>,
    leaf: P,
    slot: usize,
    key: &[u8],
    len: usize,
) -> Attempt<()> {
    let p = g.bytes(leaf);
    if slotted::fits_replace(p, slot, len) {
        return Ok(());
    }
    Err(split_job(tree, key, slotted::cell_size(key.len(), len)))
}

/// Second half of an insert.
pub fn insert(a: &mut mtr::Apply<'_>, tree: &Tree, leaf: P, slot: usize, key: &[u8], value: &[u8]) {
    let (pre, no) = {
        let p = a.bytes(leaf);
        (slotted::prefix_len(p), crate::page::page_id(p).page)
    };
    tree.note_insert(no, slot);
    a.record(leaf, &Redo::SlotInsert { slot: slot as u16, rest: &key[pre..], value });
}

/// Second half of an insert of ascending cells behind all that the leaf has.
pub fn append<const N: usize>(
    a: &mut mtr::Apply<'_>,
    tree: &Tree,
    leaf: P,
    cells: &[(&[u8], [u8; N])],
) {
    let p = a.bytes(leaf);
    let (pre, no) = (slotted::prefix_len(p), crate::page::page_id(p).page);
    let last = slotted::count(p) + cells.len() - 1;
    let mut run = Vec::new();
    for (key, value) in cells {
        put_cell(&mut run, &key[pre..], value);
    }
    tree.note_insert(no, last);
    a.record(leaf, &Redo::Cells { run: &run });
}

/// Redo payload of replacing a value, however it is logged.
pub fn replace_need(old: usize, new: usize) -> usize {
    old.max(new) + 64
}

/// Bytes of a `SlotPatch` beside its data.
const PATCH: usize = 10;

/// Second half of a change of value: logs only the bytes that differ when the length stays, unless the whole is shorter.
pub fn replace(a: &mut mtr::Apply<'_>, leaf: P, slot: usize, new: &[u8]) {
    let p = a.bytes(leaf);
    let old = slotted::value(p, slot);
    let whole = Redo::SlotReplace { slot: slot as u16, value: new };
    if old.len() != new.len() {
        return a.record(leaf, &whole);
    }
    let patches = differing(old, new);
    if patches.iter().map(|(from, to)| to - from + PATCH).sum::<usize>() > new.len() + PATCH {
        return a.record(leaf, &whole);
    }
    for (from, to) in patches {
        a.record(
            leaf,
            &Redo::SlotPatch { slot: slot as u16, off: from as u16, data: &new[from..to] },
        );
    }
}

/// Runs of differing bytes; runs closer than a record's overhead are joined.
fn differing(old: &[u8], new: &[u8]) -> smallvec::SmallVec<[(usize, usize); 8]> {
    const JOIN: usize = 6;
    let mut out: smallvec::SmallVec<[(usize, usize); 8]> = smallvec::SmallVec::new();
    let mut i = 0;
    loop {
        i += common_prefix(&old[i..], &new[i..]);
        if i == new.len() {
            return out;
        }
        let run = old[i..].iter().zip(&new[i..]).take_while(|(a, b)| a != b).count();
        match out.last_mut() {
            Some(last) if i <= last.1 + JOIN => last.1 = i + run,
            _ => out.push((i, i + run)),
        }
        i += run;
    }
}
