//! Rows of a range, copied from one leaf at a time by those who walk through it and keep no latch meanwhile.
//!
//! The copies lie one behind the other: a row costs no memory of its own, no future, and no look at where the walk stands. Where a leaf
//! would have to be waited for there is no piece, and the walk goes on in the usual way from the key at which the last piece ended.

use super::Sees;
use crate::btree;
use crate::page::slotted;
use crate::pool::Access;
use crate::row::has_external;
use crate::table::{MdlMode, Table, Use};
use crate::txn::{Isolation, System, Txn, open_view};
use std::sync::Arc;

/// Bytes of a piece at most, unless one row is longer: a leaf.
const BYTES: usize = 64 << 10;

/// A walk in the order of the clustered index: rows that were copied, and where it goes on.
pub struct Piece {
    bytes: Vec<u8>,
    /// Where each row ends.
    ends: Vec<u32>,
    /// Rows that were given out; the last of them is the current one.
    given: usize,
    /// The first key that was not looked at. `None`: the range is at its end.
    next: Option<Vec<u8>>,
    /// Keys from here on are not in the range.
    end: Option<Vec<u8>>,
    whole: bool,
}

impl Piece {
    pub fn new(start: Vec<u8>, end: Option<Vec<u8>>) -> Piece {
        let whole = start.is_empty() && end.is_none();
        Piece { bytes: Vec::new(), ends: Vec::new(), given: 0, next: Some(start), end, whole }
    }

    /// Goes to the next row; false: all that were copied were given out.
    #[inline]
    pub fn step(&mut self) -> bool {
        let more = self.given < self.ends.len();
        self.given += usize::from(more);
        more
    }

    /// The current row. There is one after [`Piece::step`] said so.
    #[inline]
    pub fn row(&self) -> &[u8] {
        let begin = match self.given {
            0 | 1 => 0,
            n => self.ends[n - 2],
        };
        let end = self.ends.get(self.given.wrapping_sub(1)).map_or(0, |end| *end);
        &self.bytes[begin as usize..end as usize]
    }

    /// Where the walk goes on; `None`: nowhere.
    pub fn next(&self) -> Option<&[u8]> {
        self.next.as_deref()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.given = 0;
    }

    fn push(&mut self, row: &[u8], expected: usize) {
        if self.ends.is_empty() {
            // Rows of a table are much alike: room for all at once.
            self.ends.reserve(expected);
            self.bytes.reserve((row.len() * expected * 9 / 8).min(BYTES));
        }
        self.bytes.extend_from_slice(row);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Copies rows of the leaf that owns the next key, no more than `most`. `None`: something has to be waited for, and nothing was copied.
    fn fill(&mut self, db: &System, t: &Table, sees: &Sees<'_>, most: usize) -> Option<()> {
        let external = t.may_have_external();
        let from = self.next.take()?;
        let leaf = btree::leaf(&db.core, &t.indexes[0].tree, &from, Access::Point).ok();
        let Some(leaf) = leaf else {
            self.next = Some(from);
            return None;
        };
        let page = leaf.bytes();
        let (Ok(first) | Err(first)) = slotted::search(page, &from);
        let end = self.end.as_deref();
        let upper = slotted::upper(page).filter(|upper| end.is_none_or(|end| *upper < end));
        let last = match (upper, end) {
            (None, Some(end)) => slotted::search(page, end).unwrap_or_else(|slot| slot),
            _ => slotted::count(page),
        };
        let to = last.min(first + most);
        for cell in slotted::values(page, first, to) {
            let Some(version) = sees.version(db, cell) else {
                return self.give_up(from);
            };
            let Some(row) = version else { continue };
            if external && has_external(&row) {
                return self.give_up(from);
            }
            self.push(&row, to - first);
        }
        self.next = match to < last {
            true => Some(slotted::key(page, to)),
            false => upper.map(<[u8]>::to_vec),
        };
        Some(())
    }

    fn give_up(&mut self, from: Vec<u8>) -> Option<()> {
        self.clear();
        self.next = Some(from);
        None
    }
}

impl Txn {
    /// Copies the next rows of a walk, as this transaction's snapshot has them, from one leaf and no more than `most`. False: the walk is at its end.
    /// Within `None` nothing was copied, and the walk goes on in the usual way.
    pub fn read_piece_now(
        &mut self,
        t: &Arc<Table>,
        piece: &mut Piece,
        most: usize,
    ) -> Option<bool> {
        piece.clear();
        self.check_alive().ok()?;
        if self.o.isolation < Isolation::RepeatableRead
            || self.o.held.is_some()
            || self.o.background
        {
            return None;
        }
        t.usable().ok()?;
        if !self.mdl.iter().any(|h| h.is_for(t)) {
            let hold = t.mdl_now(MdlMode::Read)?;
            self.mdl.push(hold);
        }
        let view = &**self.view.get_or_insert_with(|| open_view(&self.db, &self.o));
        // A definition that is younger than the snapshot is an error, which the usual way reports.
        if t.indexes[0].visible_from > view.no {
            return None;
        }
        let sees = Sees::View(view, self.id);
        // A leaf may have no row that is seen.
        while piece.ends.is_empty() && piece.next.is_some() {
            piece.fill(&self.db, t, &sees, most)?;
            if self.o.interrupt.killed() != 0 {
                piece.clear();
                return None;
            }
        }
        let rows = piece.ends.len() as u64;
        self.db.stats.rows_read.add(rows);
        let what = if piece.whole { Use::Scanned } else { Use::Fetched };
        t.indexes[0].uses.add(what, rows);
        Some(rows > 0)
    }
}
