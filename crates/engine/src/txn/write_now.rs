//! Writes of one row that wait for nothing: by the full clustered key, in one attempt, with the row's entries and, where the write is a
//! transaction of its own ([`super::alone`]), the commit in one mini-transaction.
//!
//! An UPDATE or DELETE by key and an INSERT of a row find everything in memory nearly always. They are then plain functions. Such a write
//! answers `None` where it would have to wait for anything (a page, a latch, a lock, room in the log, a definition statement), where a
//! page has to be split, and where the write is more than its row: long columns, lists in indexes, an index that has a change buffer, a
//! locked gap, a duplicate. Nothing is written by then, and the caller writes in the usual way, which waits, and which knows the errors.
//!
//! Invariants:
//! - The row and all of its entries that change are latched exclusively at the same time, so nobody sees one without the others.

use super::external::longest_inline;
use super::now::{self, ShortKey};
use super::secondary::{is_marked, note_trx, set_mark, value};
use super::undo::{self, Change, Patch, UndoLog};
use super::version::{DELETED, HEADER, RowHeader};
use super::{LockMode, OnLocked, RowAttempt, System, Txn};
use crate::btree::{self, LeafHint, Place, gathered_leaf};
use crate::change_buffer::VALUE;
use crate::error::Error;
use crate::ids::{Lsn, TrxId};
use crate::lock::{Kind, LockName, Mode};
use crate::mtr::{self, Apply, Gather, P, Work};
use crate::page::slotted;
use crate::planted;
use crate::row::has_external;
use crate::sync::atomic::Ordering;
use crate::table::{Index, MdlMode, Table, Use};
use smallvec::SmallVec;
use std::sync::Arc;

/// Bytes of redo that a write may have. The room that it does not use is given back with its commit.
pub(super) const WANT: usize = 4 * 1024;

/// Indexes of a table that is written so.
const INDEXES: usize = 16;

/// What becomes of the row.
pub enum RowChange<'m> {
    /// Puts the new row, which has the same clustered key, into the vector. It is called with the leaf latched, so it computes no more than
    /// a few columns.
    Update(&'m mut dyn FnMut(&[u8], &mut Vec<u8>) -> Made),
    Delete,
}

/// What came of the making of a new row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    New,
    /// The row is what it is to be: it gets no new version.
    Same,
    /// The row is to be changed in the usual way.
    Declined,
}

/// The row that is to change: by its clustered key, or by that of another unique index, of which no part is NULL.
#[derive(Clone, Copy)]
pub(super) struct Sought<'k> {
    pub index: usize,
    pub key: &'k [u8],
    /// Its leaf, where somebody has just been there.
    pub near: Option<LeafHint>,
}

impl Sought<'_> {
    /// The clustered key, where it is another one; `None`: it is not known without waiting, or there is no row.
    pub fn clustered(&self, db: &System, t: &Table) -> Option<Option<ShortKey>> {
        match self.index {
            0 => Some(None),
            index => now::entry(db, t, index, self.key)?.map(Some),
        }
    }
}

/// Whose write it is: a transaction's, or the only one of its transaction.
pub(super) trait Writer {
    /// The transaction commits with the write.
    const ENDS: bool;

    fn db(&self) -> &System;

    fn log(&mut self) -> &mut UndoLog;

    /// The clustered record, whose leaf is latched, is the writer's to change.
    fn lock(&mut self, index: &Index, key: &[u8], h: &RowHeader) -> RowAttempt<()>;

    /// Somebody else has a lock of the record.
    fn would_wait(&self, index: u64, key: &[u8]) -> bool;

    /// Everything is latched: the writer's id, and its commit number where it ends.
    fn begin(&mut self) -> Option<(TrxId, Option<u64>)>;

    /// The write has its place in the log, and its pages are latched still.
    fn logged(&mut self);
}

/// The entries of an index before and after a write, where they differ.
struct Moved {
    index: usize,
    gone: Option<Vec<u8>>,
    come: Option<Vec<u8>>,
}

enum What {
    Mark,
    Revive,
    Insert,
}

/// An entry that is to change, with its leaf gathered.
struct Entry<'t> {
    index: &'t Index,
    leaf: P,
    slot: usize,
    key: Vec<u8>,
    /// Bytes of it that are the index's own columns.
    columns: usize,
    what: What,
}

type Entries<'t> = SmallVec<[Entry<'t>; 4]>;

/// The clustered record before the write, and what its cell is to be.
struct Cell<'c> {
    leaf: P,
    /// Where there is a record, it is replaced.
    slot: std::result::Result<usize, usize>,
    key: &'c [u8],
    flags: u8,
    row: &'c [u8],
}

/// The end of an attempt whose statement goes the usual way.
pub(super) fn decline<T>() -> RowAttempt<T> {
    Err(Error::LockNotAvailable.into())
}

pub(super) fn unless(reason: bool) -> RowAttempt<()> {
    if reason { decline() } else { Ok(()) }
}

impl Entry<'_> {
    fn need(&self) -> usize {
        match self.what {
            What::Insert => btree::insert_need(self.key.len(), VALUE) + 32,
            What::Mark | What::Revive => 64,
        }
    }

    fn apply(&self, a: &mut Apply<'_>, trx: TrxId) {
        match self.what {
            What::Mark => set_mark(a, self.leaf, self.slot, DELETED, trx),
            What::Revive => set_mark(a, self.leaf, self.slot, 0, trx),
            What::Insert => {
                let value = value(0, self.columns);
                btree::insert(a, &self.index.tree, self.leaf, self.slot, &self.key, &value);
                note_trx(a, self.leaf, trx);
            }
        }
    }
}

/// Whether a leaf, which owns `entry` and has it at `slot` or would, is the only one that may have entries with these columns, and has none.
fn is_free(p: &[u8], slot: usize, columns: &[u8]) -> bool {
    let before = match slot {
        0 => slotted::lower(p).starts_with(columns),
        _ => slotted::key(p, slot - 1).starts_with(columns),
    };
    let behind = match slot < slotted::count(p) {
        true => slotted::key(p, slot).starts_with(columns),
        false => slotted::upper(p).is_some_and(|upper| upper.starts_with(columns)),
    };
    !before && !behind
}

/// Whether columns of a stored row are in chains of pages, which the usual way frees and reads.
fn is_long(t: &Table, row: &[u8]) -> bool {
    t.may_have_external() && has_external(row)
}

/// The entries of the row that a write changes.
fn moved(
    t: &Table,
    key: &[u8],
    old: Option<&[u8]>,
    new: Option<&[u8]>,
) -> RowAttempt<SmallVec<[Moved; 4]>> {
    let mut all = SmallVec::new();
    for (i, index) in t.indexes.iter().enumerate().skip(1) {
        if let (Some(old), Some(new)) = (old, new)
            && !index.depends_on_change(&t.layout, old, new)
        {
            continue;
        }
        unless(index.def.list_part().is_some())?;
        let entry = |row: &[u8]| t.secondary_key(i, row, key);
        let (gone, come) = (old.map(entry).transpose()?, new.map(entry).transpose()?);
        if gone != come {
            all.push(Moved { index: i, gone, come });
        }
    }
    Ok(all)
}

/// The table is one whose rows are written so.
pub(super) fn is_simple(t: &Table) -> bool {
    let simple = !t.has_hidden_key() && t.parts.is_empty() && t.indexes.len() <= INDEXES;
    simple && !planted::any() && t.usable().is_ok()
}

/// The database takes writes.
pub(super) fn may_write(db: &System) -> bool {
    db.core.log.failure().is_ok() && db.force.may_write().is_ok()
}

pub(super) fn count_change(
    db: &System,
    t: &Table,
    index: usize,
    change: &RowChange<'_>,
    changed: bool,
) {
    db.stats.rows_read.add(1);
    t.indexes[index].uses.add(Use::Fetched, 1);
    if !changed {
        return;
    }
    let (counter, what) = match change {
        RowChange::Update(_) => (&db.stats.rows_updated, Use::Updated),
        RowChange::Delete => {
            t.rows.fetch_sub(1, Ordering::Relaxed);
            (&db.stats.rows_deleted, Use::Deleted)
        }
    };
    counter.add(1);
    t.indexes[0].uses.add(what, 1);
}

pub(super) fn count_insert(db: &System, t: &Table) {
    t.rows.fetch_add(1, Ordering::Relaxed);
    db.stats.rows_inserted.add(1);
    t.indexes[0].uses.add(Use::Inserted, 1);
}

impl Txn {
    /// Changes the row with this key of a unique index, none of whose parts is NULL; false: the row is what it is to be. `None`: nothing was written; the transaction may have the
    /// table's metadata lock, the row's lock, and be a writer, which the usual write makes it too.
    pub fn change_now(
        &mut self,
        t: &Arc<Table>,
        index: usize,
        key: &[u8],
        mut change: RowChange<'_>,
    ) -> Option<bool> {
        self.ready_now(t)?;
        let (db, sought) = (self.db.clone(), Sought { index, key, near: None });
        let found = sought.clustered(&db, t)?;
        let key = found.as_deref().unwrap_or(key);
        let attempt = |w: &mut Work<'_>| change_attempt(self, w, t, (key, sought), &mut change);
        let changed = mtr::attempt_now(&db.core, WANT, attempt)?.is_some();
        count_change(&db, t, index, &change, changed);
        self.rows += u64::from(changed);
        Some(changed)
    }

    /// Inserts a row. As [`Txn::change_now`]; a row in the way is a reason for the usual way, unless it is deleted.
    pub fn insert_now(&mut self, t: &Arc<Table>, row: &[u8]) -> Option<()> {
        let key = t.clustered_key(row).ok()?;
        self.ready_now(t)?;
        let db = self.db.clone();
        let attempt = |w: &mut Work<'_>| insert_attempt(self, w, t, &key, row);
        mtr::attempt_now(&db.core, WANT, attempt)?;
        count_insert(&db, t);
        self.rows += 1;
        Some(())
    }

    /// The table's lock, and the transaction is a writer.
    fn ready_now(&mut self, t: &Arc<Table>) -> Option<()> {
        let o = &self.o;
        let plain = o.held.is_none() && !o.background && !o.read_only;
        if !plain || !is_simple(t) || self.check_alive().is_err() {
            return None;
        }
        match self.mdl.iter_mut().find(|h| h.is_for(t)) {
            Some(hold) => hold.try_to_write().then_some(())?,
            None => {
                let hold = t.mdl_now(MdlMode::Write)?;
                self.mdl.push(hold);
            }
        }
        // Those who can wait report changes to an index that is being built.
        if t.row_logs.get().is_some() {
            return None;
        }
        self.become_writer_now()?;
        self.shared_writes |= !self.owns(t);
        Some(())
    }

    /// As [`Txn::ensure_writer`].
    fn become_writer_now(&mut self) -> Option<()> {
        if self.undo.is_some() {
            return Some(());
        }
        let db = &self.db;
        if !may_write(db) {
            return None;
        }
        let log = db.undo_slots.take_free()?;
        self.locks.isolation.store(self.o.isolation as u8, Ordering::Relaxed);
        let Some(id) = db.trx.next_writer(&self.locks) else {
            db.undo_slots.give_back(log);
            return None;
        };
        (self.id, self.undo) = (id, Some(log));
        Some(())
    }
}

impl Writer for Txn {
    const ENDS: bool = false;

    fn db(&self) -> &System {
        &self.db
    }

    fn log(&mut self) -> &mut UndoLog {
        self.undo_mut()
    }

    fn lock(&mut self, index: &Index, key: &[u8], h: &RowHeader) -> RowAttempt<()> {
        if h.trx == self.id {
            self.gained.forget();
            return Ok(());
        }
        unless(self.db.trx.is_active(h.trx))?;
        self.lock_clustered(index, key, h, LockMode::Exclusive, Kind::Record, OnLocked::NoWait)
    }

    fn would_wait(&self, index: u64, key: &[u8]) -> bool {
        let name = LockName::new(index, Some(key));
        self.db.locks.would_wait(&self.locks, &name, Mode::X, Kind::Record)
    }

    fn begin(&mut self) -> Option<(TrxId, Option<u64>)> {
        Some((self.id, None))
    }

    fn logged(&mut self) {
        self.locks.weight.fetch_add(1, Ordering::Relaxed);
    }
}

/// The end of the log's group; `None`: the row is what it is to be.
pub(super) fn change_attempt<O: Writer>(
    o: &mut O,
    w: &mut Work<'_>,
    t: &Table,
    (key, sought): (&[u8], Sought<'_>),
    change: &mut RowChange<'_>,
) -> RowAttempt<Option<Lsn>> {
    let index = &t.indexes[0];
    let mut g = w.gather();
    let at = btree::place_near(&mut g, &index.tree, key, sought.near)?;
    let Ok(slot) = at.slot else { return decline() };
    let value = slotted::value(g.bytes(at.leaf), slot);
    let h = RowHeader::read(value);
    unless(h.is_deleted())?;
    unless(is_long(t, &value[HEADER..]))?;
    // It may have got another key since its entry was read.
    let Sought { index: by, key: sought, .. } = sought;
    unless(by > 0 && !now::has_key(t, by, sought, &value[HEADER..]))?;
    o.lock(index, key, &h)?;
    let old = &value[HEADER..];
    let (new, flags) = match change {
        RowChange::Delete => (None, DELETED),
        RowChange::Update(make) => {
            let mut new = Vec::with_capacity(old.len() + 64);
            match make(old, &mut new) {
                Made::New => {}
                Made::Same => return Ok(None),
                Made::Declined => return decline(),
            }
            (Some(new), 0)
        }
    };
    let (moved, old_len) = (moved(t, key, Some(old), new.as_deref())?, old.len());
    let obsolete = if new.is_some() { &moved[..] } else { &[] };
    let rec = encode(&g, t, (key, &h), (old, new.as_deref().unwrap_or(old)), obsolete)?;
    let row = new.unwrap_or_else(|| old.to_vec());
    let mut entries = Entries::new();
    gather_entries(o, &mut g, t, &moved, key.len(), true, &mut entries)?;
    let cell = Cell { leaf: at.leaf, slot: Ok(slot), key, flags, row: &row };
    write(o, g, t, &cell, old_len, &rec, &entries).map(Some)
}

pub(super) fn insert_attempt<O: Writer>(
    o: &mut O,
    w: &mut Work<'_>,
    t: &Table,
    key: &[u8],
    row: &[u8],
) -> RowAttempt<Lsn> {
    let index = &t.indexes[0];
    let mut g = w.gather();
    let at = btree::place_insert(&mut g, &index.tree, key)?;
    let mut entries = Entries::new();
    let (rec, old_len) = match at.slot {
        Err(_) => {
            unless(o.db().locks.has_gaps(index.id))?;
            let moved = moved(t, key, None, Some(row))?;
            gather_entries(o, &mut g, t, &moved, key.len(), false, &mut entries)?;
            ((undo::encode_insert(t.def.id, key), false), 0)
        }
        Ok(slot) => {
            let value = slotted::value(g.bytes(at.leaf), slot);
            let h = RowHeader::read(value);
            unless(!h.is_deleted() || is_long(t, &value[HEADER..]))?;
            o.lock(index, key, &h)?;
            let old = value[HEADER..].to_vec();
            let all = moved(t, key, None, Some(row))?;
            gather_entries(o, &mut g, t, &all, key.len(), false, &mut entries)?;
            let obsolete = moved(t, key, Some(&old), Some(row))?;
            (encode(&g, t, (key, &h), (&old, row), &obsolete)?, old.len())
        }
    };
    let cell = Cell { leaf: at.leaf, slot: at.slot, key, flags: 0, row };
    write(o, g, t, &cell, old_len, &rec, &entries)
}

/// The undo record of a change, and whether it leaves work for purge.
fn encode(
    g: &Gather<'_, '_>,
    t: &Table,
    (key, h): (&[u8], &RowHeader),
    (old, new): (&[u8], &[u8]),
    obsolete: &[Moved],
) -> RowAttempt<(Vec<u8>, bool)> {
    let gone = |m: &Moved| Some((t.indexes[m.index].id, m.gone.clone()?));
    let obsolete: SmallVec<[(u64, Vec<u8>); 4]> = obsolete.iter().filter_map(gone).collect();
    let change = Change {
        table: t.def.id,
        key,
        old_flags: h.flags,
        old_trx: h.trx,
        old_roll: h.roll,
        patch: Patch::between(old, new),
        obsolete: obsolete.iter().map(|(i, e)| (*i, e.as_slice())).collect(),
        externals: Vec::new(),
        purged: false,
    };
    let rec = undo::encode_change(&change);
    unless(rec.len() > undo::record_max(g.core().spaces.page_size()))?;
    Ok((rec, change.leaves_work()))
}

/// Latches the leaves of the entries. `marks`: those that go are to be marked; else they are already.
fn gather_entries<'t, O: Writer>(
    o: &O,
    g: &mut Gather<'_, '_>,
    t: &'t Table,
    moved: &[Moved],
    key_len: usize,
    marks: bool,
    out: &mut Entries<'t>,
) -> RowAttempt<()> {
    let max = slotted::max_key(g.core().spaces.page_size());
    for m in moved {
        let index = &t.indexes[m.index];
        unless(index.trees().buffer.is_some())?;
        if let Some(gone) = m.gone.as_ref().filter(|_| marks) {
            let (leaf, slot) = find(g, index, gone)?;
            let Ok(slot) = slot else { return decline() };
            unless(is_marked(slotted::value(g.bytes(leaf), slot)))?;
            free_of_readers(o, index, gone)?;
            let (key, columns) = (gone.clone(), gone.len() - key_len);
            out.push(Entry { index, leaf, slot, key, columns, what: What::Mark });
        }
        if let Some(come) = &m.come {
            unless(come.len() > max)?;
            gather_new(o, g, index, come, come.len() - key_len, out)?;
        }
    }
    Ok(())
}

/// Latches the leaf of an entry that is to live.
fn gather_new<'t, O: Writer>(
    o: &O,
    g: &mut Gather<'_, '_>,
    index: &'t Index,
    entry: &[u8],
    columns: usize,
    out: &mut Entries<'t>,
) -> RowAttempt<()> {
    let (leaf, slot) = find(g, index, entry)?;
    let p = g.bytes(leaf);
    let (slot, what) = match slot {
        Ok(slot) if !is_marked(slotted::value(p, slot)) => return Ok(()),
        // Others may have come to have the columns of a marked entry.
        Ok(_) if index.def.unique => return decline(),
        Ok(slot) => {
            free_of_readers(o, index, entry)?;
            (slot, What::Revive)
        }
        Err(slot) => {
            unless(o.db().locks.has_gaps(index.id))?;
            unless(!slotted::fits(p, entry.len(), VALUE))?;
            let columns = &entry[..columns];
            let asks = index.def.unique && !index.has_null(columns);
            unless(asks && !is_free(p, slot, columns))?;
            (slot, What::Insert)
        }
    };
    out.push(Entry { index, leaf, slot, key: entry.to_vec(), columns, what });
    Ok(())
}

/// Nobody else has a lock of the entry, whose mark is about to change.
fn free_of_readers(o: &impl Writer, index: &Index, entry: &[u8]) -> RowAttempt<()> {
    unless(o.would_wait(index.id, entry))
}

/// The second half: everything at once.
fn write<O: Writer>(
    o: &mut O,
    mut g: Gather<'_, '_>,
    t: &Table,
    cell: &Cell<'_>,
    old_len: usize,
    (rec, leaves_work): &(Vec<u8>, bool),
    entries: &[Entry<'_>],
) -> RowAttempt<Lsn> {
    let own = room_for(&g, cell, old_len)?;
    let Some(place) = undo::prepare(&mut g, o.log(), rec.len())? else {
        return decline();
    };
    let more: usize = entries.iter().map(Entry::need).sum();
    let need = own + undo::append_need(rec.len()) + more;
    unless(need > WANT || O::ENDS && !place.is_first())?;
    let Some((id, no)) = o.begin() else { return decline() };
    let mut a = g.seal(need)?;
    match no {
        Some(no) => undo::append_committed(&mut a, o.log(), &place, (id, no), rec),
        None => undo::append(&mut a, o.log(), &place, id, rec),
    }
    let header = RowHeader { flags: cell.flags, trx: id, roll: place.at.roll_pointer() };
    match cell.slot {
        Ok(slot) => btree::replace(&mut a, cell.leaf, slot, &header.with_now(cell.row)),
        Err(slot) => {
            let value = RowHeader { roll: 0, ..header }.with_now(cell.row);
            btree::insert(&mut a, &t.indexes[0].tree, cell.leaf, slot, cell.key, &value);
        }
    }
    entries.iter().for_each(|e| e.apply(&mut a, id));
    if *leaves_work {
        o.log().note_work();
    }
    Ok(a.commit_then(|_| o.logged()))
}

/// Redo that the change of the clustered record takes, where that has room in its leaf.
fn room_for(g: &Gather<'_, '_>, cell: &Cell<'_>, old_len: usize) -> RowAttempt<usize> {
    let len = HEADER + cell.row.len();
    let page_size = g.core().spaces.page_size();
    unless(cell.key.len() + cell.row.len() > longest_inline(page_size))?;
    let p = g.bytes(cell.leaf);
    let (fits, own) = match cell.slot {
        Ok(slot) => {
            (slotted::fits_replace(p, slot, len), btree::replace_need(HEADER + old_len, len))
        }
        Err(_) => {
            let fits = cell.key.len() <= slotted::max_key(page_size)
                && slotted::fits(p, cell.key.len(), len);
            (fits, btree::insert_need(cell.key.len(), len))
        }
    };
    unless(!fits)?;
    Ok(own)
}

/// Where an entry is, or would be, in a leaf that is latched exclusively.
fn find(
    g: &mut Gather<'_, '_>,
    index: &Index,
    entry: &[u8],
) -> RowAttempt<(P, std::result::Result<usize, usize>)> {
    if let Some(leaf) = gathered_leaf(g, &index.tree, entry) {
        return Ok((leaf, slotted::search(g.bytes(leaf), entry)));
    }
    let Place { leaf, slot } = btree::place(g, &index.tree, entry)?;
    Ok((leaf, slot))
}
