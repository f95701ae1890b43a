//! Secondary entries: insert with uniqueness, delete-mark and unmark, physical removal.

use super::external;
use super::rows::clustered_cell;
use super::version::{self, DELETED, HEADER, RowHeader};
use super::{LockMode, OnLocked, RowAttempt, Txn};
use crate::btree::{self, Place, Tree, gathered_leaf};
use crate::change_buffer::{self, Before, Trees, VALUE};
use crate::cost::{self, Cost};
use crate::error::{Error, Result};
use crate::flush::buffer_size::Growth;
use crate::ids::TrxId;
use crate::lock::{Kind, LockName, Mode, TrxLocks};
use crate::mtr::{self, Apply, Attempt, Core, Gather, P, Work};
use crate::page::redo::Redo;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::policy;
use crate::row::key::prefix_successor;
use crate::sync::atomic::Ordering;
use crate::table::{Index, Table};
use crate::waits::{Cause, Object, What};
use smallvec::SmallVec;
use std::sync::Arc;
use weir_rt::{Actor, acting};

/// Value of a secondary cell: flags, offset of the clustered key within the entry.
pub fn value(flags: u8, pk_at: usize) -> [u8; VALUE] {
    let at = (pk_at as u16).to_le_bytes();
    [flags, at[0], at[1]]
}

/// The value of an entry with so many bytes behind it.
pub(super) fn padded(value: [u8; VALUE], padding: usize) -> SmallVec<[u8; VALUE]> {
    let mut v = SmallVec::from_buf(value);
    v.resize(VALUE + padding, 0);
    v
}

pub fn pk_offset(value: &[u8]) -> usize {
    u16::from_le_bytes([value[1], value[2]]) as usize
}

pub fn is_marked(value: &[u8]) -> bool {
    value[0] & DELETED != 0
}

/// Records who changed a leaf last, for readers that want to skip version checks.
pub(super) fn note_trx(a: &mut Apply<'_>, leaf: P, trx: TrxId) {
    if slotted::max_trx(a.bytes(leaf)) < trx {
        a.record(leaf, &Redo::MaxTrx { id: trx });
    }
}

/// Another transaction that has an implicit lock on an entry: one that is active and has inserted, revived or marked it. The
/// row says who that may be, and the row's older versions whether he came to the entry: the last committed one and his own but
/// the newest are done with, so he has changed the entry if it is live where one of them does not have it, or marked where one
/// does. Otherwise he is on his way to the entry, or has changed other columns only; then he has no lock, and will wait for who
/// has one. The caller has latched the entry's leaf.
pub(super) fn implicit_owner(
    g: &mut Gather<'_, '_>,
    txn: &Txn,
    t: &Table,
    i: usize,
    entry: &[u8],
    value: &[u8],
) -> Attempt<Option<Arc<TrxLocks>>> {
    let (key, live) = (&entry[pk_offset(value)..], !is_marked(value));
    let Some((p, s)) = clustered_cell(g, t, key)? else { return Ok(None) };
    let cell = slotted::value(g.bytes(p), s);
    let mut h = RowHeader::read(cell);
    let writer = h.trx;
    if writer == txn.id {
        return Ok(None);
    }
    let Some(owner) = txn.db.trx.active(writer) else { return Ok(None) };
    let mut row = cell[HEADER..].to_vec();
    let core = g.core();
    while h.trx == writer {
        let older = version::previous(core, h.roll, &row);
        // What was read of his undo, and of long columns, is good if they cannot have been purged meanwhile.
        if !txn.db.trx.is_active(writer) {
            return Ok(None);
        }
        let Some(older) = older? else { return Ok(live.then_some(owner)) };
        (h, row) = older;
        let had = !h.is_deleted() && {
            let had = external::has_entry(core, t, i, &row, key, entry);
            if !txn.db.trx.is_active(writer) {
                return Ok(None);
            }
            had?
        };
        if had != live {
            return Ok(Some(owner));
        }
    }
    Ok(None)
}

enum Unique {
    Free,
    /// A live entry with the same columns: the clustered key behind it.
    Taken(Vec<u8>),
}

impl Txn {
    /// Makes an entry, or revives it. `fresh`: of a row whose key no record had, so that neither tree of the index has the entry.
    pub(super) async fn insert_secondary(
        &mut self,
        t: &Arc<Table>,
        i: usize,
        entry: &[u8],
        key: &[u8],
        fresh: bool,
        on_duplicate: LockMode,
    ) -> Result<()> {
        let max = slotted::max_key(self.db.core.spaces.page_size());
        if entry.len() > max {
            return Err(Error::KeyTooLong { len: entry.len(), max });
        }
        let fresh = fresh
            && match t.indexes[i].buffer.before_insert(&self.db.core) {
                Before::Nothing => true,
                Before::Move => self.help_sweep(t, i, 1).await?,
                Before::PassBy => {
                    self.help_sweep(t, i, policy::CONTRACTION).await?;
                    false
                }
            };
        let padding = if fresh { t.indexes[i].buffer.padding() } else { 0 };
        let want = btree::insert_need(entry.len(), VALUE + padding) + 64;
        let insert = |txn: &mut Txn, w: &mut Work<'_>| {
            txn.insert_secondary_attempt(w, t, i, entry, key, fresh, on_duplicate)
        };
        match self.drive(want, insert).await? {
            None if fresh => match t.indexes[i].buffer.after_insert(&self.db.core) {
                None => Ok(()),
                Some(owed) => Box::pin(self.contract(t, i, owed)).await,
            },
            None => Ok(()),
            Some(other) => Err(t.duplicate(i, other)),
        }
    }

    /// What a policy of InnoDB's asks of an insert that has made the buffer grow: a contraction for each page.
    pub(super) async fn contract(&self, t: &Arc<Table>, i: usize, owed: Growth) -> Result<()> {
        let moves = policy::CONTRACTION * owed.pages;
        if !owed.waits {
            let (core, merging) = (&self.db.core, t.indexes[i].buffer.merging());
            core.stats.change_buffer.asked.fetch_add(1, Ordering::Relaxed);
            if core.flush.owe_merges(moves, merging.slots) {
                return Ok(());
            }
        }
        self.help_sweep(t, i, moves).await.map(|_| ())
    }

    /// The index of a table whose buffer is contracted: InnoDB drew a place in its one tree, so an index with more pages in it is drawn
    /// more often. Where each index has its own limit it is the one that has reached it.
    fn drawn(&self, t: &Arc<Table>, i: usize) -> usize {
        let core = &self.db.core;
        if !t.indexes[i].buffer.is_part_of_one() {
            return i;
        }
        let sum: u64 = t.indexes.iter().map(|index| index.buffer.pages()).sum();
        let mut left = core.pool.rt.random_u64() % sum.max(1);
        let is_drawn = |index: &Index| {
            let has = index.buffer.pages();
            let drawn = left < has;
            left = left.saturating_sub(has);
            drawn
        };
        t.indexes.iter().position(is_drawn).unwrap_or(i)
    }

    /// The buffer is full: this insert makes moves. False: there is trouble with another part of the index, and the entry goes past the
    /// buffer.
    async fn help_sweep(&self, t: &Arc<Table>, i: usize, moves: u64) -> Result<bool> {
        let (core, index) = (&self.db.core, &t.indexes[self.drawn(t, i)]);
        core.stats.change_buffer.helped.fetch_add(1, Ordering::Relaxed);
        // One wait of the session, for this reason: what its moves wait for, page reads above all, is not told once more.
        let _waiting = core.waits.begin(What::new(Cause::ChangeBuffer, Object::Table(t.def.id)));
        let steps = change_buffer::steps(core, index.trees(), &index.buffer, moves as usize);
        match Box::pin(acting(Actor::BACKGROUND, steps)).await {
            Ok(_) => Ok(true),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(_) => core.log.failure().map(|()| false),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn insert_secondary_attempt(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        i: usize,
        entry: &[u8],
        key: &[u8],
        fresh: bool,
        on_duplicate: LockMode,
    ) -> RowAttempt<Option<Vec<u8>>> {
        let index = &t.indexes[i];
        let mut g = w.gather();
        let columns = &entry[..entry.len() - key.len()];
        if index.def.unique
            && !index.has_null(columns)
            && let Unique::Taken(other) =
                self.check_unique(&mut g, t, i, columns, key, on_duplicate)?
        {
            return Ok(Some(other));
        }
        let (tree, at) = self.place_of_new(&mut g, index, entry, fresh)?;
        match at.slot {
            Ok(slot) => {
                // Left behind by an earlier version of this row: it lives again.
                let v = slotted::value(g.bytes(at.leaf), slot);
                if !is_marked(v) {
                    return Ok(None);
                }
                // To a scan that passed the marked entry with a lock this would be a new row.
                if !planted::is(Bug::RevivedUnderReader) {
                    self.wait_for_readers(index, entry)?;
                }
                let mut a = g.seal(64)?;
                set_mark(&mut a, at.leaf, slot, 0, self.id);
                a.commit();
            }
            Err(slot) => {
                let mut inherit = None;
                let buffered = tree.index != index.id;
                let blind = buffered && planted::is(Bug::BufferedInLockedGap);
                // One leaf is enough to ask: anyone who locks a gap has all leaves of both trees latched that own a part of it. Who is
                // next in the index must be known then, so the main tree's leaf is read even for a buffered entry.
                if self.db.locks.has_gaps(index.id) && !blind {
                    let next = change_buffer::successor(&mut g, index.trees(), entry)?;
                    self.check_gap(index, next.as_deref())?;
                    inherit = Some(next);
                }
                let padding = if buffered { index.buffer.padding() } else { 0 };
                let value = padded(value(0, columns.len()), padding);
                btree::room_for_insert(&g, tree, &at, entry, value.len())?;
                let mut a = g.seal(btree::insert_need(entry.len(), value.len()) + 32)?;
                btree::insert(&mut a, tree, at.leaf, slot, entry, &value);
                note_trx(&mut a, at.leaf, self.id);
                if let Some(next) = inherit {
                    self.db.locks.inherit_on_insert(index.id, entry, next.as_deref());
                }
                a.commit();
                if buffered {
                    self.db.core.stats.change_buffer.inserts.fetch_add(1, Ordering::Relaxed);
                    cost::spend(Cost::ChangeBufferEntries, 1);
                }
            }
        }
        Ok(None)
    }

    /// Where an entry stands that is to live, or goes if there is none. A fresh one goes to the buffer tree, if the index has one that
    /// takes entries.
    pub(super) fn place_of_new<'t>(
        &self,
        g: &mut Gather<'_, '_>,
        index: &'t Index,
        entry: &[u8],
        fresh: bool,
    ) -> RowAttempt<(&'t Arc<Tree>, Place)> {
        // The uniqueness check may have latched the leaf already.
        if let Some(leaf) = gathered_leaf(g, &index.tree, entry) {
            let slot = slotted::search(g.bytes(leaf), entry);
            return Ok((&index.tree, Place { leaf, slot }));
        }
        let trees = index.trees();
        match trees.buffer {
            Some(_) if fresh && self.is_past_buffer(g, index, entry)? => {
                let at = btree::place(g, &index.tree, entry)?;
                debug_assert!(at.slot.is_err(), "a fresh row has an entry");
                Ok((&index.tree, at))
            }
            Some(buffer) if fresh && index.buffer.takes() => {
                let at = btree::place(g, buffer, entry)?;
                debug_assert!(at.slot.is_err(), "a fresh row has an entry");
                Ok((buffer, at))
            }
            _ => Ok(change_buffer::place(g, trees, entry)?),
        }
    }

    /// Whether a fresh entry goes to the main tree because its leaf is in memory, under a policy that has it so.
    fn is_past_buffer(&self, g: &Gather<'_, '_>, index: &Index, entry: &[u8]) -> Attempt<bool> {
        if !index.buffer.passes_resident() {
            return Ok(false);
        }
        let leaf = btree::leaf_id(g.core(), &index.tree, entry)?;
        Ok(leaf.is_none_or(|id| self.db.core.pool.is_resident(id)))
    }

    /// Looks at every entry with the same columns. All leaves that may hold one are latched exclusively, from the lowest
    /// on, so that two inserters of the same columns meet at the first of them.
    fn check_unique(
        &mut self,
        g: &mut Gather<'_, '_>,
        t: &Arc<Table>,
        i: usize,
        columns: &[u8],
        key: &[u8],
        on_duplicate: LockMode,
    ) -> RowAttempt<Unique> {
        let index = &t.indexes[i];
        let end = prefix_successor(columns);
        let mut at = columns.to_vec();
        loop {
            let guard = btree::leaf_x(g.core(), &index.tree, &at)?;
            let leaf = g.adopt(guard);
            let from = slotted::search(g.bytes(leaf), &at).unwrap_or_else(|s| s);
            for slot in from..slotted::count(g.bytes(leaf)) {
                let entry = slotted::key(g.bytes(leaf), slot);
                if end.as_ref().is_some_and(|e| entry >= *e) {
                    return Ok(Unique::Free);
                }
                let v = slotted::value(g.bytes(leaf), slot).to_vec();
                let (marked, pk) = (is_marked(&v), entry[pk_offset(&v)..].to_vec());
                if pk == key {
                    continue;
                }
                if marked && planted::is(Bug::ImplicitLockMissed) {
                    continue;
                }
                let name = LockName::new(index.id, Some(&entry));
                let owner = implicit_owner(g, self, t, i, &entry, &v)?;
                match &owner {
                    Some(owner) => _ = self.db.locks.make_explicit(owner, &name),
                    None if marked => continue,
                    None => {}
                }
                let m = if on_duplicate == LockMode::Exclusive { Mode::X } else { Mode::S };
                let kind = if self.o.isolation.locks_gaps() { Kind::NextKey } else { Kind::Record };
                self.request(&name, m, kind, OnLocked::Wait)?;
                // A scan has locked the entry for this transaction, but gave up waiting for its row.
                if owner.is_some() {
                    self.wait_for_row(g, t, &pk)?;
                }
                if !marked {
                    return Ok(Unique::Taken(pk));
                }
            }
            match slotted::upper(g.bytes(leaf)) {
                Some(_) if planted::is(Bug::UniqueInNextLeaf) => {
                    return Ok(Unique::Free);
                }
                Some(u) if end.as_ref().is_none_or(|e| u < e.as_slice()) => at = u.to_vec(),
                _ => return Ok(Unique::Free),
            }
        }
    }

    /// Waits, if somebody has changed a row and is active, until he is not.
    fn wait_for_row(&mut self, g: &mut Gather<'_, '_>, t: &Table, key: &[u8]) -> RowAttempt<()> {
        let Some((p, s)) = clustered_cell(g, t, key)? else { return Ok(()) };
        let h = RowHeader::read(slotted::value(g.bytes(p), s));
        let index = &t.indexes[0];
        self.lock_clustered(index, key, &h, LockMode::Shared, Kind::Record, OnLocked::Wait)
    }

    /// Sets the delete mark of an entry. Who has the entry locked is waited for: a scan that was granted its lock comes
    /// back to the entry, and must not find that it went meanwhile.
    pub(super) async fn mark_secondary(
        &mut self,
        t: &Arc<Table>,
        i: usize,
        entry: &[u8],
    ) -> Result<()> {
        self.drive(96, |txn, w| txn.mark_attempt(w, t, i, entry)).await
    }

    fn mark_attempt(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        i: usize,
        entry: &[u8],
    ) -> RowAttempt<()> {
        let index = &t.indexes[i];
        let mut g = w.gather();
        let (_, at) = change_buffer::place(&mut g, index.trees(), entry)?;
        let Ok(slot) = at.slot else { return Err(t.lost_entry(i).into()) };
        if is_marked(slotted::value(g.bytes(at.leaf), slot)) {
            return Ok(());
        }
        if !planted::is(Bug::MarkedUnderReader) {
            self.wait_for_readers(index, entry)?;
        }
        let mut a = g.seal(64)?;
        set_mark(&mut a, at.leaf, slot, DELETED, self.id);
        a.commit();
        Ok(())
    }

    /// An entry of a row that this transaction has locked is about to change its mark: its lock is implicit, in the row,
    /// but locks of others on the entry itself count.
    fn wait_for_readers(&self, index: &Index, entry: &[u8]) -> RowAttempt<()> {
        let name = LockName::new(index.id, Some(entry));
        if !self.db.locks.would_wait(&self.locks, &name, Mode::X, Kind::Record) {
            return Ok(());
        }
        self.request(&name, Mode::X, Kind::Record, OnLocked::Wait)
    }
}

pub(super) fn set_mark(a: &mut Apply<'_>, leaf: P, slot: usize, flags: u8, trx: TrxId) {
    a.record(leaf, &Redo::SlotPatch { slot: slot as u16, off: 0, data: &[flags] });
    note_trx(a, leaf, trx);
}

/// Clears the delete mark of an entry; one that is gone stays so.
pub(super) async fn unmark(
    core: &Core,
    t: &Table,
    i: usize,
    entry: &[u8],
    trx: TrxId,
) -> Result<()> {
    let index = &t.indexes[i];
    mtr::run(core, 96, |w| {
        let mut g = w.gather();
        let (_, at) = change_buffer::place(&mut g, index.trees(), entry)?;
        let Ok(slot) = at.slot else { return Ok(()) };
        if !is_marked(slotted::value(g.bytes(at.leaf), slot)) {
            return Ok(());
        }
        let mut a = g.seal(64)?;
        set_mark(&mut a, at.leaf, slot, 0, trx);
        a.commit();
        Ok(())
    })
    .await
}

/// Removes an entry for good, unless `keep` says (under the latch of the entry's leaf) that somebody needs it. A kept
/// entry gets the delete mark when `mark` is set.
#[allow(clippy::too_many_arguments)]
pub(super) async fn remove(
    core: &Core,
    locks: &crate::lock::LockTable,
    t: &Table,
    i: usize,
    entry: &[u8],
    only_marked: bool,
    mark: bool,
    mut keep: impl FnMut(&mut Gather<'_, '_>) -> Attempt<bool>,
) -> Result<()> {
    let index = &t.indexes[i];
    let removed = mtr::run(core, 160, |w| {
        let mut g = w.gather();
        let trees = match planted::is(Bug::RemovedFromMainOnly) {
            true => Trees::single(&index.tree),
            false => index.trees(),
        };
        let (tree, at) = change_buffer::place(&mut g, trees, entry)?;
        let Ok(slot) = at.slot else { return Ok(None) };
        let marked = is_marked(slotted::value(g.bytes(at.leaf), slot));
        if only_marked && !marked {
            return Ok(None);
        }
        if keep(&mut g)? {
            if mark && !marked {
                let mut a = g.seal(64)?;
                a.record(at.leaf, &Redo::SlotPatch { slot: slot as u16, off: 0, data: &[DELETED] });
                a.commit();
            }
            return Ok(None);
        }
        remove_cell(g, locks, index, at.leaf, slot, entry).map(|()| Some(tree))
    })
    .await?;
    match removed {
        Some(tree) => btree::merge_soon(core, tree, entry).await,
        None => Ok(()),
    }
}

/// Takes a cell out, passing its locks on to the gap of its successor.
fn remove_cell(
    mut g: Gather<'_, '_>,
    locks: &crate::lock::LockTable,
    index: &Index,
    leaf: P,
    slot: usize,
    key: &[u8],
) -> Attempt<()> {
    let next = successor_if_locked(&mut g, locks, index, key)?;
    let mut a = g.seal(64)?;
    a.record(leaf, &Redo::SlotRemove { slot: slot as u16 });
    if let Some(next) = next {
        locks.inherit_on_remove(index.id, key, next.as_deref());
    }
    a.commit();
    Ok(())
}

/// The successor of a record, gathered, if the record has locks that must move there.
pub(super) fn successor_if_locked(
    g: &mut Gather<'_, '_>,
    locks: &crate::lock::LockTable,
    index: &Index,
    key: &[u8],
) -> Attempt<Option<Option<Vec<u8>>>> {
    if !locks.any(&LockName::new(index.id, Some(key))) {
        return Ok(None);
    }
    Ok(Some(change_buffer::successor(g, index.trees(), key)?))
}
