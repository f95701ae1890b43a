//! Reads of one row that wait for nothing: by the full key of a unique index, without a lock of the row, in one attempt.
//!
//! A statement that looks up a row finds it in memory nearly always. Its read is then a plain function: no future, no view that others
//! must know of, no count of references. Such a read answers `None` where it would have to wait for anything (a page, a latch, a definition
//! statement, undo that is on disk) or where the row is more than its bytes (long columns, a damaged file). Nothing has changed by then,
//! and the caller reads in the usual way, with [`Txn::get`], which waits, and which knows the errors.
//!
//! Invariants:
//! - What is read is what a view would give that was opened while the leaf was latched. The newest version of a row cannot change
//!   under that latch, and one whose writer has ended is seen by every view that is opened after; so most reads open no view. Where the
//!   writer may be active, a view is opened under the latch and asked.
//! - The metadata lock is held for as long as a page of the table is looked at.
//! - An entry of a secondary index is followed by a look at the row itself: where the row's newest version, if it is one that the
//!   reader sees, has the key, it is the row, for a unique key has one. Everything else is left to the usual way.

mod piece;
mod range;

use super::version::{self, HEADER, RowHeader};
use super::{Isolation, System, Txn, View, secondary};
use crate::btree::{self, LeafHint};
use crate::ids::TrxId;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::Access;
use crate::row::{RowView, encode_key, has_external};
use crate::table::{MdlMode, Table, Use};
pub use piece::Piece;
pub use range::{EachNow, KeysNow};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;

/// Clustered keys that need no memory of their own.
pub(super) type ShortKey = SmallVec<[u8; 64]>;

/// Which versions a reader sees.
enum Sees<'v> {
    /// The newest, committed or not.
    Any,
    /// What is committed now, and what this transaction wrote (0: none).
    Now(TrxId),
    /// What the view has, and what this transaction wrote.
    View(&'v View, TrxId),
}

impl Sees<'_> {
    /// Certainly the version that this writer has made. False: it is not known.
    fn sees(&self, db: &System, writer: TrxId) -> bool {
        match *self {
            Sees::Any => true,
            Sees::Now(own) => {
                own != 0 && writer == own && !planted::is(Bug::OwnWritesInvisible)
                    || !db.trx.may_be_active(writer)
            }
            Sees::View(view, own) => {
                own != 0 && writer == own && !planted::is(Bug::OwnWritesInvisible)
                    || view.sees(writer)
            }
        }
    }

    /// The version of a cell that the reader sees; within `None` where that is not known without waiting.
    fn version<'c>(&self, db: &System, cell: &'c [u8]) -> Option<Option<Cow<'c, [u8]>>> {
        let header = RowHeader::read(cell);
        if self.sees(db, header.trx) {
            return Some((!header.is_deleted()).then_some(Cow::Borrowed(&cell[HEADER..])));
        }
        match *self {
            Sees::Any => None,
            Sees::Now(own) => {
                let view = db.trx.open_view();
                let seen = version::visible(&db.core, Some(&view), own, cell);
                view.close();
                seen.ok()
            }
            Sees::View(view, own) => version::visible(&db.core, Some(view), own, cell).ok(),
        }
    }
}

/// Gives a row that is all in its cell; `None`: it has columns elsewhere.
fn give(t: &Table, row: &[u8], to: impl FnOnce(&[u8])) -> Option<bool> {
    if t.may_have_external() && has_external(row) {
        return None;
    }
    to(row);
    Some(true)
}

/// Copies a row.
pub(crate) fn copy(out: &mut Vec<u8>) -> impl FnOnce(&[u8]) {
    |row| {
        out.clear();
        out.extend_from_slice(row);
    }
}

/// By the whole key of the clustered index.
fn clustered(
    db: &System,
    t: &Table,
    key: &[u8],
    sees: &Sees<'_>,
    to: impl FnOnce(&[u8]),
) -> Option<bool> {
    let leaf = btree::leaf(&db.core, &t.indexes[0].tree, key, Access::Point).ok()?;
    let Ok(slot) = slotted::search(leaf.bytes(), key) else { return Some(false) };
    match sees.version(db, slotted::value(leaf.bytes(), slot))? {
        Some(row) => give(t, &row, to),
        None => Some(false),
    }
}

/// The clustered key that a secondary index has for a key of its own: `Some(None)` where no row has that key, in any version.
pub(super) fn entry(db: &System, t: &Table, index: usize, key: &[u8]) -> Option<Option<ShortKey>> {
    let trees = t.indexes[index].trees();
    if trees.buffer.is_some() {
        return None;
    }
    let leaf = btree::leaf(&db.core, trees.main, key, Access::Point).ok()?;
    let page = leaf.bytes();
    let (Ok(slot) | Err(slot)) = slotted::search(page, key);
    // What comes after the last entry of the leaf is on another one.
    let ends_here = || slotted::upper(page).is_none_or(|upper| !upper.starts_with(key));
    let is_key = |slot: usize, found: &mut ShortKey| {
        found.clear();
        found.extend_from_slice(slotted::prefix(page));
        found.extend_from_slice(slotted::key_rest(page, slot));
        found.starts_with(key)
    };
    let mut found = ShortKey::new();
    if slot >= slotted::count(page) {
        return ends_here().then_some(None);
    }
    if !is_key(slot, &mut found) {
        return Some(None);
    }
    let value = slotted::value(page, slot);
    if secondary::is_marked(value) {
        return None;
    }
    let row_key = ShortKey::from_slice(found.get(secondary::pk_offset(value)..)?);
    // Entries of older rows may come after it.
    let alone = match slot + 1 < slotted::count(page) {
        true => !is_key(slot + 1, &mut found),
        false => ends_here(),
    };
    alone.then_some(Some(row_key))
}

/// By the whole key of a secondary unique index, none of whose parts is NULL.
fn by_secondary(
    db: &System,
    t: &Table,
    index: usize,
    key: &[u8],
    sees: &Sees<'_>,
    to: impl FnOnce(&[u8]),
) -> Option<bool> {
    let Some(row_key) = entry(db, t, index, key)? else { return Some(false) };
    let leaf = btree::leaf(&db.core, &t.indexes[0].tree, &row_key, Access::Point).ok()?;
    let slot = slotted::search(leaf.bytes(), &row_key).ok()?;
    let cell = slotted::value(leaf.bytes(), slot);
    let header = RowHeader::read(cell);
    if header.is_deleted() || !sees.sees(db, header.trx) {
        return None;
    }
    let row = &cell[HEADER..];
    // The row may have got another key since its entry was read.
    if !has_key(t, index, key, row) {
        return None;
    }
    give(t, row, to)
}

/// Whether the row has this key of an index, none of whose parts is NULL.
pub(super) fn has_key(t: &Table, index: usize, key: &[u8], row: &[u8]) -> bool {
    let mut own = Vec::with_capacity(key.len());
    let view = RowView::new(&t.layout, row);
    encode_key(&t.indexes[index].def.parts, &t.layout, &view, &mut own).is_ok() && own == key
}

fn read(
    db: &System,
    t: &Table,
    index: usize,
    key: &[u8],
    sees: &Sees<'_>,
    to: impl FnOnce(&[u8]),
) -> Option<bool> {
    let found = match index {
        0 => clustered(db, t, key, sees, to),
        _ => by_secondary(db, t, index, key, sees, to),
    }?;
    if found {
        db.stats.rows_read.add(1);
        t.indexes[index].uses.add(Use::Fetched, 1);
    }
    Some(found)
}

impl System {
    /// Reads the row with a full key of a unique index as a transaction of this read alone would, and counts that as one. `uncommitted`:
    /// the newest version, no matter who wrote it. Within `None` nothing was done. The row is given with its leaf latched: `to` does little, and
    /// calls nothing of the database.
    pub fn read_now(
        &self,
        t: &Table,
        index: usize,
        key: &[u8],
        uncommitted: bool,
        to: impl FnOnce(&[u8]),
    ) -> Option<bool> {
        if self.core.log.failure().is_err() {
            return None;
        }
        let _held = t.mdl_briefly()?;
        let sees = if uncommitted { Sees::Any } else { Sees::Now(0) };
        let found = read(self, t, index, key, &sees, to)?;
        self.stats.commits.add(1);
        Some(found)
    }
}

impl System {
    /// Copies the row with this clustered key for a caller who is going to change it, and says where its leaf is; within `Some(None)` there is no row.
    /// As [`System::read_now`], but no transaction is counted: the change is one.
    pub fn read_to_change(
        &self,
        t: &Table,
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Option<LeafHint>> {
        if self.core.log.failure().is_err() {
            return None;
        }
        let _held = t.mdl_briefly()?;
        let tree = &t.indexes[0].tree;
        let leaf = btree::leaf(&self.core, tree, key, Access::Point).ok()?;
        let Ok(slot) = slotted::search(leaf.bytes(), key) else { return Some(None) };
        let cell = slotted::value(leaf.bytes(), slot);
        let Some(row) = Sees::Now(0).version(self, cell)? else { return Some(None) };
        give(t, &row, copy(out))?;
        Some(Some(LeafHint::of(tree, &leaf)))
    }
}

impl Txn {
    /// As [`Txn::get`] without a lock of the row, where that needs to wait for nothing; else `None`, and the transaction is what it was, but
    /// that it may have the table's metadata lock and its view, which the read that follows would take.
    pub fn read_now(
        &mut self,
        t: &Arc<Table>,
        index: usize,
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<bool> {
        if self.check_alive().is_err() || self.o.held.is_some() || self.o.background {
            return None;
        }
        t.usable().ok()?;
        if !self.mdl.iter().any(|h| h.is_for(t)) {
            let hold = t.mdl_now(MdlMode::Read)?;
            self.mdl.push(hold);
        }
        let sees = match self.o.isolation {
            Isolation::ReadUncommitted => Sees::Any,
            Isolation::ReadCommitted => Sees::Now(self.id),
            Isolation::RepeatableRead | Isolation::Serializable => {
                let view = &**self.view.get_or_insert_with(|| self.db.trx.open_view());
                // A definition that is younger than the snapshot is an error, which the usual way reports.
                if t.indexes[0].visible_from > view.no || t.indexes[index].visible_from > view.no {
                    return None;
                }
                Sees::View(view, self.id)
            }
        };
        read(&self.db, t, index, key, &sees, copy(out))
    }
}
