//! Row operations on the clustered index: insert, update, delete; locks of single records.

use super::obsolete::{self, Told};
use super::undo::{self, Change, Patch};
use super::version::{DELETED, HEADER, RowHeader};
use super::{Isolation, LockMode, Need, OnLocked, RowAttempt, Txn};
use crate::btree::{self, Place, next_key};
use crate::error::{Error, Result};
use crate::lock::{Kind, LockName, Mode, Outcome};
use crate::mtr::{Attempt, Gather, P, Stop, Work};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::Access;
use crate::sync::atomic::Ordering;
use crate::table::{Entries, Index, Table, Use, lacking};
use std::sync::Arc;

/// What came of a row that was to be inserted.
enum Inserted {
    /// There was no record of its key, so no index has an entry of it: purge and rollback take a record away after its entries.
    Fresh,
    /// It has taken the place of a deleted row, whose entries may still be there.
    OverDeleted,
    /// A live row has the key, and is locked now.
    Duplicate,
    /// Nothing has happened: the record of the change has no place for all entries that it makes obsolete.
    ToTell,
}

/// What came of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changed {
    Done,
    /// As `Inserted::ToTell`.
    ToTell,
}

/// What the lock table says, as an attempt goes on with it.
fn granted(outcome: Option<Outcome>) -> RowAttempt<()> {
    match outcome {
        Some(Outcome::Granted(_)) => Ok(()),
        Some(Outcome::Wait(w)) => Err(Need::Lock(w).into()),
        Some(Outcome::Full) => Err(Need::LockMemory.into()),
        None => Err(Error::LockNotAvailable.into()),
    }
}

impl Txn {
    /// Requests a record lock at a clustered record that the caller has latched. Implicit locks of others become explicit.
    /// `Ok`: the lock is had.
    pub(super) fn lock_clustered(
        &mut self,
        index: &Index,
        key: &[u8],
        header: &RowHeader,
        mode: LockMode,
        kind: Kind,
        on_locked: OnLocked,
    ) -> RowAttempt<()> {
        let m = if mode == LockMode::Exclusive { Mode::X } else { Mode::S };
        if self.id != 0 && header.trx == self.id && kind == Kind::Record {
            self.gained.forget();
            return Ok(());
        }
        let name = LockName::new(index.id, Some(key));
        if header.trx != self.id
            && let Some(owner) = self.db.trx.active(header.trx)
        {
            self.db.locks.make_explicit(&owner, &name);
        }
        if kind != Kind::Record || self.o.isolation.locks_gaps() {
            return self.request(&name, m, kind, on_locked);
        }
        let outcome = self.db.locks.lock(&self.locks, &name, m, kind, on_locked.waits());
        self.gained.note(&name, m, outcome.as_ref());
        granted(outcome)
    }

    pub(super) fn request(
        &self,
        name: &LockName,
        m: Mode,
        kind: Kind,
        on_locked: OnLocked,
    ) -> RowAttempt<()> {
        granted(self.db.locks.lock(&self.locks, name, m, kind, on_locked.waits()))
    }

    /// Whether an insert before `next` must wait for a gap lock; places the insert intention if so.
    pub(super) fn check_gap(&self, index: &Index, next: Option<&[u8]>) -> RowAttempt<()> {
        let name = LockName::new(index.id, next);
        self.request(&name, Mode::X, Kind::InsertIntention, OnLocked::Wait)
    }

    /// Inserts a row given in the table's layout. `Err(DuplicateKey)` leaves no trace of this row. After an error of a wait (KILL, a lock
    /// that did not come in time) some of its entries may be there: anyone who wants to go on and commit rolls back to a savepoint from
    /// before the call. The same holds for `update` and `delete`.
    pub async fn insert(&mut self, t: &Arc<Table>, row: &[u8]) -> Result<()> {
        self.insert_locking(t, row, LockMode::Shared).await
    }

    /// As `insert`; a row in the way is locked in `on_duplicate` mode (exclusive for REPLACE and ON DUPLICATE KEY UPDATE).
    pub async fn insert_locking(
        &mut self,
        t: &Arc<Table>,
        row: &[u8],
        on_duplicate: LockMode,
    ) -> Result<()> {
        self.begin_write(t).await?;
        let before = self.savepoint();
        match self.insert_row(t, row, on_duplicate).await {
            Ok(()) => {
                self.rows += 1;
                self.db.stats.rows_inserted.add(1);
                t.indexes[0].uses.add(Use::Inserted, 1);
                Ok(())
            }
            Err(
                e @ (Error::DuplicateKey { .. }
                | Error::RowTooLarge { .. }
                | Error::KeyTooLong { .. }
                | Error::DiskFull { .. }),
            ) => {
                self.rollback_to(before).await?;
                Err(e.about(&t.def.name))
            }
            Err(e) => Err(e),
        }
    }

    pub(super) async fn insert_row(
        &mut self,
        t: &Arc<Table>,
        row: &[u8],
        on_duplicate: LockMode,
    ) -> Result<()> {
        let key = match t.has_hidden_key() {
            true => self.until_killed(t.new_row_id()).await?,
            false => t.clustered_key(row)?,
        };
        let max = slotted::max_key(self.db.core.spaces.page_size());
        if key.len() > max {
            return Err(Error::KeyTooLong { len: key.len(), max });
        }
        let stored = self.store_form(t, key.len(), row, None).await?;
        let want = btree::insert_need(key.len(), stored.len()) + 256;
        let mut told = Told::new();
        let fresh = loop {
            let insert = |txn: &mut Txn, w: &mut Work<'_>| {
                txn.insert_attempt(w, t, &key, &stored, on_duplicate, &told)
            };
            match self.drive(want, insert).await? {
                Inserted::Fresh => break true,
                Inserted::OverDeleted => break false,
                Inserted::Duplicate => return Err(t.duplicate(0, key)),
                Inserted::ToTell => self.tell_obsolete(t, &key, &stored, &mut told).await?,
            }
        };
        // Here, not when all entries are in: a rollback counts the row out as soon as its undo record is there.
        t.rows.fetch_add(1, Ordering::Relaxed);
        self.tell(t, &key, None, Some(row)).await?;
        for i in 1..t.indexes.len() {
            for entry in t.entries(i, row, &key)? {
                self.insert_secondary(t, i, &entry, &key, fresh, on_duplicate).await?;
            }
        }
        Ok(())
    }

    fn insert_attempt(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        key: &[u8],
        row: &[u8],
        on_duplicate: LockMode,
        told: &Told,
    ) -> RowAttempt<Inserted> {
        let index = &t.indexes[0];
        let mut g = w.gather();
        let at = btree::place(&mut g, &index.tree, key)?;
        match at.slot {
            Ok(slot) => {
                let value = slotted::value(g.bytes(at.leaf), slot);
                let h = RowHeader::read(value);
                let mode = if h.is_deleted() { LockMode::Exclusive } else { on_duplicate };
                let kind = if self.o.isolation.locks_gaps() && !h.is_deleted() {
                    Kind::NextKey
                } else {
                    Kind::Record
                };
                self.lock_clustered(index, key, &h, mode, kind, OnLocked::Wait)?;
                if !h.is_deleted() {
                    return Ok(Inserted::Duplicate);
                }
                let old = value[HEADER..].to_vec();
                match self.change(g, t, at.leaf, slot, key, &h, &old, (row, 0), told)? {
                    Changed::Done => Ok(Inserted::OverDeleted),
                    Changed::ToTell => Ok(Inserted::ToTell),
                }
            }
            Err(slot) => {
                let mut inherit = None;
                if self.db.locks.has_gaps(index.id) {
                    let next = next_key(&mut g, &index.tree, at.leaf, slot)?;
                    self.check_gap(index, next.as_deref())?;
                    inherit = Some(next);
                }
                btree::room_for_insert(&g, &index.tree, &at, key, HEADER + row.len())?;
                let rec = undo::encode_insert(t.def.id, key);
                let Some(place) = undo::prepare(&mut g, self.undo_mut(), rec.len())? else {
                    return Err(Need::UndoPage.into());
                };
                let need = btree::insert_need(key.len(), HEADER + row.len())
                    + undo::append_need(rec.len());
                let mut a = g.seal(need)?;
                let id = self.id;
                undo::append(&mut a, self.undo_mut(), &place, id, &rec);
                let value = RowHeader { flags: 0, trx: id, roll: 0 }.with(row);
                btree::insert(&mut a, &index.tree, at.leaf, slot, key, &value);
                if let Some(next) = inherit {
                    self.db.locks.inherit_on_insert(index.id, key, next.as_deref());
                }
                a.commit();
                self.locks.weight.fetch_add(1, Ordering::Relaxed);
                Ok(Inserted::Fresh)
            }
        }
    }

    /// Replaces a clustered cell by a new version, with its undo record in the same mini-transaction.
    #[allow(clippy::too_many_arguments)]
    fn change(
        &mut self,
        mut g: Gather<'_, '_>,
        t: &Arc<Table>,
        leaf: P,
        slot: usize,
        key: &[u8],
        h: &RowHeader,
        old: &[u8],
        (new, new_flags): (&[u8], u8),
        told: &Told,
    ) -> RowAttempt<Changed> {
        let index = &t.indexes[0];
        btree::room_for_replace(&g, &index.tree, leaf, slot, key, HEADER + new.len())?;
        // Entries that this change makes obsolete are for purge to remove; for a delete purge looks at the row itself.
        let mut entries: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut externals = Vec::new();
        if new_flags & DELETED == 0 {
            entries = obsolete::entries(g.core(), t, key, (old, new), told)?;
            let kept = super::external::chains(t, new);
            externals = super::external::chains(t, old);
            externals.retain(|c| !kept.contains(c) || planted::is(Bug::ChainFreedTooEarly));
            if kept.is_empty() && planted::is(Bug::ChainsOfShortRowLeaked) {
                externals.clear();
            }
        }
        let change = Change {
            table: t.def.id,
            key,
            old_flags: h.flags,
            old_trx: h.trx,
            old_roll: h.roll,
            patch: Patch::between(old, new),
            obsolete: entries.iter().map(|(i, e)| (*i, e.as_slice())).collect(),
            externals,
            purged: false,
        };
        let (rec, leaves_work) = (undo::encode_change(&change), change.leaves_work());
        let max = undo::record_max(g.core().spaces.page_size());
        if rec.len() > max {
            return match entries.is_empty() {
                false => Ok(Changed::ToTell),
                true => Err(Error::RowTooLarge { len: rec.len(), max }.into()),
            };
        }
        let Some(place) = undo::prepare(&mut g, self.undo_mut(), rec.len())? else {
            return Err(Need::UndoPage.into());
        };
        let need = btree::replace_need(HEADER + old.len(), HEADER + new.len())
            + undo::append_need(rec.len());
        let mut a = g.seal(need)?;
        let id = self.id;
        undo::append(&mut a, self.undo_mut(), &place, id, &rec);
        if leaves_work {
            self.undo_mut().note_work();
        }
        let value =
            RowHeader { flags: new_flags, trx: id, roll: place.at.roll_pointer() }.with(new);
        btree::replace(&mut a, leaf, slot, &value);
        a.commit();
        self.locks.weight.fetch_add(1, Ordering::Relaxed);
        Ok(Changed::Done)
    }

    /// Changes a row that this transaction has locked exclusively; `old` is the row as it was read.
    pub async fn update(
        &mut self,
        t: &Arc<Table>,
        key: &[u8],
        old: &[u8],
        new: &[u8],
    ) -> Result<()> {
        self.begin_write(t).await?;
        let new_key = if t.has_hidden_key() { key.to_vec() } else { t.clustered_key(new)? };
        if new_key != key {
            let before = self.savepoint();
            self.delete(t, key, old).await?;
            let r = self.insert_locking(t, new, LockMode::Shared).await;
            if r.is_err() && !self.doomed {
                self.rollback_to(before).await?;
            }
            return r;
        }
        let before = self.savepoint();
        match self.update_row(t, key, old, new).await {
            Ok(()) => {
                self.rows += 1;
                self.db.stats.rows_updated.add(1);
                t.indexes[0].uses.add(Use::Updated, 1);
                Ok(())
            }
            Err(
                e @ (Error::DuplicateKey { .. }
                | Error::RowTooLarge { .. }
                | Error::KeyTooLong { .. }
                | Error::DiskFull { .. }),
            ) => {
                self.rollback_to(before).await?;
                Err(e.about(&t.def.name))
            }
            Err(e) => Err(e),
        }
    }

    async fn update_row(
        &mut self,
        t: &Arc<Table>,
        key: &[u8],
        old: &[u8],
        new: &[u8],
    ) -> Result<()> {
        let mut moved: Vec<(usize, Entries, Entries)> = Vec::new();
        for i in 1..t.indexes.len() {
            if !t.indexes[i].depends_on_change(&t.layout, old, new) {
                continue;
            }
            let (a, b) = (t.entries(i, old, key)?, t.entries(i, new, key)?);
            if a != b {
                moved.push((i, a, b));
            }
        }
        let stored_now =
            if t.may_have_external() { Some(self.stored_row(t, key).await?) } else { None };
        let stored =
            self.store_form(t, key.len(), new, stored_now.as_deref().map(|s| (s, old))).await?;
        // Long columns are not in the change: they would ask for more log than there may ever be.
        let before = stored_now.as_ref().map_or(old.len(), Vec::len);
        let want = before + stored.len() + key.len() + 256;
        let mut told = Told::new();
        loop {
            let update = |txn: &mut Txn, w: &mut Work<'_>| {
                txn.update_attempt(w, t, key, Some(&stored), 0, &told)
            };
            match self.drive(want, update).await? {
                Changed::Done => break,
                Changed::ToTell => self.tell_obsolete(t, key, &stored, &mut told).await?,
            }
        }
        self.tell(t, key, Some(old), Some(new)).await?;
        for (i, a, b) in &moved {
            for gone in lacking(a, b) {
                self.mark_secondary(t, *i, gone).await?;
            }
        }
        for (i, a, b) in &moved {
            for come in lacking(b, a) {
                self.insert_secondary(t, *i, come, key, false, LockMode::Shared).await?;
            }
        }
        Ok(())
    }

    /// `new` none: delete-mark, the row stays as it is.
    fn update_attempt(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        key: &[u8],
        new: Option<&[u8]>,
        flags: u8,
        told: &Told,
    ) -> RowAttempt<Changed> {
        let mut g = w.gather();
        let at = btree::place(&mut g, &t.indexes[0].tree, key)?;
        let Place { leaf, slot: Ok(slot) } = at else {
            return Err(t.lost_row(key).into());
        };
        let value = slotted::value(g.bytes(leaf), slot);
        let h = RowHeader::read(value);
        debug_assert!(
            h.trx == self.id || !self.db.trx.is_active(h.trx),
            "change of a row without its lock"
        );
        if h.is_deleted() {
            return Err(t.lost_row(key).into());
        }
        let old = value[HEADER..].to_vec();
        let new = new.unwrap_or(&old);
        let new = new.to_vec();
        self.change(g, t, leaf, slot, key, &h, &old, (&new, flags), told)
    }

    /// Deletes a row that this transaction has locked exclusively.
    pub async fn delete(&mut self, t: &Arc<Table>, key: &[u8], old: &[u8]) -> Result<()> {
        self.begin_write(t).await?;
        let want = key.len() + 256;
        let told = Told::new();
        self.drive(want, |txn, w| txn.update_attempt(w, t, key, None, DELETED, &told)).await?;
        self.tell(t, key, Some(old), None).await?;
        for i in 1..t.indexes.len() {
            for entry in t.entries(i, old, key)? {
                self.mark_secondary(t, i, &entry).await?;
            }
        }
        self.rows += 1;
        t.rows.fetch_sub(1, Ordering::Relaxed);
        self.db.stats.rows_deleted.add(1);
        t.indexes[0].uses.add(Use::Deleted, 1);
        Ok(())
    }

    /// The row as it is stored now, long columns as references.
    async fn stored_row(&mut self, t: &Arc<Table>, key: &[u8]) -> Result<Vec<u8>> {
        self.drive(0, |_, w| -> Attempt<Vec<u8>> {
            let g = btree::leaf(w.core, &t.indexes[0].tree, key, Access::Point)?;
            match slotted::search(g.bytes(), key) {
                Ok(s) => Ok(slotted::value(g.bytes(), s)[HEADER..].to_vec()),
                Err(_) => Err(Stop::Err(t.lost_row(key))),
            }
        })
        .await
    }

    /// READ COMMITTED: a row that was locked but is not wanted may be unlocked at once. Only the lock that the last read of a
    /// row has taken goes: one that the transaction had before, by an earlier statement or another table of the same join, is
    /// still wanted there.
    pub fn unlock_row(&mut self, t: &Arc<Table>, key: &[u8]) {
        if self.o.isolation > Isolation::ReadCommitted {
            return;
        }
        let name = LockName::new(t.indexes[0].id, Some(key));
        if let Some(mode) = self.gained.take(&name) {
            self.db.locks.unlock_record(&self.locks, &name, mode);
        }
    }
}

/// For places that only look whether a clustered record exists: its header and row, latched by the returned page.
pub(super) fn clustered_cell(
    g: &mut Gather<'_, '_>,
    t: &Table,
    key: &[u8],
) -> Attempt<Option<(P, usize)>> {
    let guard = btree::leaf(g.core(), &t.indexes[0].tree, key, Access::Point)?;
    let found = slotted::search(guard.bytes(), key);
    let p = g.adopt(guard);
    Ok(found.ok().map(|s| (p, s)))
}
