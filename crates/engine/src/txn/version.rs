//! Row versions: the header of a clustered cell, visibility, walking back through undo.

use super::undo::{self, UndoPosition, UndoRecord};
use super::view::View;
use crate::ids::{PageId, TrxId};
use crate::mtr::{Attempt, Core, Stop};
use crate::page::codec::{put_u48, put_u56};
use crate::planted::{self, Bug};
use crate::pool::{Access, LatchMode};
use crate::space;
use smallvec::SmallVec;
use std::borrow::Cow;

/// Bytes in front of the row: flags 1, transaction id 6, roll pointer 7.
pub const HEADER: usize = 14;
pub const DELETED: u8 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowHeader {
    pub flags: u8,
    pub trx: TrxId,
    pub roll: u64,
}

impl RowHeader {
    /// Of a cell, which begins with it. Two words that overlap have all of it.
    #[inline]
    pub fn read(value: &[u8]) -> RowHeader {
        let header: &[u8; HEADER] = value.first_chunk().expect("a cell begins with its header");
        let word = |at: usize| {
            let bytes = header[at..at + 8].first_chunk().expect("eight bytes");
            u64::from_be_bytes(*bytes)
        };
        let (front, back) = (word(0), word(HEADER - 8));
        RowHeader {
            flags: (front >> 56) as u8,
            trx: front >> 8 & 0xFFFF_FFFF_FFFF,
            roll: back & 0xFF_FFFF_FFFF_FFFF,
        }
    }

    pub fn is_deleted(&self) -> bool {
        self.flags & DELETED != 0
    }

    pub fn put(&self, out: &mut Vec<u8>) {
        out.push(self.flags);
        put_u48(out, self.trx);
        put_u56(out, self.roll);
    }

    /// A whole cell value of a row that is written now, without memory of its own where it is short.
    pub fn with_now(&self, row: &[u8]) -> SmallVec<[u8; 256]> {
        let (flags, trx, roll) = (self.flags, self.trx.to_be_bytes(), self.roll.to_be_bytes());
        let mut v: SmallVec<[u8; 256]> = SmallVec::with_capacity(HEADER + row.len());
        let mut header = [flags; HEADER];
        header[1..7].copy_from_slice(&trx[2..]);
        header[7..].copy_from_slice(&roll[1..]);
        v.extend_from_slice(&header);
        v.extend_from_slice(row);
        v
    }

    /// A whole cell value.
    pub fn with(&self, row: &[u8]) -> Vec<u8> {
        let mut v = Vec::with_capacity(HEADER + row.len());
        self.put(&mut v);
        v.extend_from_slice(row);
        v
    }
}

/// The version before the one with `roll`; `None` at the end of the chain.
/// The caller holds the latch of the clustered leaf: that keeps an active transaction's undo from being truncated.
pub fn previous(core: &Core, roll: u64, row: &[u8]) -> Attempt<Option<(RowHeader, Vec<u8>)>> {
    let Some(at) = UndoPosition::from_roll_pointer(roll) else { return Ok(None) };
    let g = core.pool.fix(PageId::new(space::UNDO, at.page), LatchMode::S, Access::Point)?;
    match undo::record_at(g.bytes(), at.off) {
        Ok((UndoRecord::Change(c), _)) => {
            let old = c.patch.apply(row).ok_or_else(|| Stop::Err(undo::damaged(at)))?;
            Ok(Some((RowHeader { flags: c.old_flags, trx: c.old_trx, roll: c.old_roll }, old)))
        }
        _ => Err(Stop::Err(undo::damaged(at))),
    }
}

/// The version of a clustered cell that a reader sees; `None` when for it the row does not exist.
/// `view` none: the newest version, committed or not.
#[inline]
pub fn visible<'a>(
    core: &Core,
    view: Option<&View>,
    own: TrxId,
    value: &'a [u8],
) -> Attempt<Option<Cow<'a, [u8]>>> {
    let h = RowHeader::read(value);
    if is_seen(view, own, h.trx) {
        return Ok((!h.is_deleted()).then_some(Cow::Borrowed(&value[HEADER..])));
    }
    older(core, view, own, h, Cow::Borrowed(&value[HEADER..]))
}

#[inline]
fn is_seen(view: Option<&View>, own: TrxId, writer: TrxId) -> bool {
    match view {
        None => true,
        Some(_) if own != 0 && writer == own => !planted::is(Bug::OwnWritesInvisible),
        Some(v) => v.sees(writer),
    }
}

/// The version behind one that the reader does not see.
fn older<'a>(
    core: &Core,
    view: Option<&View>,
    own: TrxId,
    mut h: RowHeader,
    mut row: Cow<'a, [u8]>,
) -> Attempt<Option<Cow<'a, [u8]>>> {
    loop {
        if is_seen(view, own, h.trx) {
            return Ok((!h.is_deleted()).then_some(row));
        }
        match previous(core, h.roll, &row)? {
            None => return Ok(None),
            Some((older, old_row)) => {
                h = older;
                row = Cow::Owned(old_row);
            }
        }
    }
}

/// The newest version whose writer has ended; `None` when there is no such row. The caller has a view registered from before it asks
/// `active` the first time, so the undo of a writer that ends meanwhile is not purged.
pub fn last_committed(
    core: &Core,
    active: impl Fn(TrxId) -> bool,
    value: &[u8],
) -> Attempt<Option<Vec<u8>>> {
    let mut h = RowHeader::read(value);
    let mut row = value[HEADER..].to_vec();
    while active(h.trx) {
        match previous(core, h.roll, &row)? {
            None => return Ok(None),
            Some(older) => (h, row) = older,
        }
    }
    Ok((!h.is_deleted()).then_some(row))
}

/// Whether some version that a view may still want satisfies `wants`. Begins with the cell's own version (or, with
/// `skip_first`, behind it) and ends with the first version that every view sees.
pub fn any_version(
    core: &Core,
    oldest: &View,
    value: &[u8],
    skip_first: bool,
    mut wants: impl FnMut(&[u8]) -> Attempt<bool>,
) -> Attempt<bool> {
    let mut h = RowHeader::read(value);
    let mut row: Vec<u8> = value[HEADER..].to_vec();
    let mut first = skip_first;
    loop {
        if !first && !h.is_deleted() && wants(&row)? {
            return Ok(true);
        }
        if !first && oldest.sees(h.trx) {
            return Ok(false);
        }
        if planted::is(Bug::EntryPurgedTooEarly) && !first {
            return Ok(false);
        }
        first = false;
        match previous(core, h.roll, &row)? {
            None => return Ok(false),
            Some((older, old_row)) => {
                h = older;
                row = old_row;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn headers_round_trip(flags: u8, trx in 0u64..1 << 48, roll in 0u64..1 << 56, row: Vec<u8>) {
            let h = RowHeader { flags, trx, roll };
            let cell = h.with(&row);
            prop_assert_eq!(&h.with_now(&row)[..], &cell[..]);
            prop_assert_eq!(RowHeader::read(&cell), h);
            prop_assert_eq!(&cell[HEADER..], &row[..]);
        }
    }
}
