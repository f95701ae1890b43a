//! Redo records: one encoding, one application, used by the forward path and by recovery alike (I10).
//!
//! A record in the log is `type | page reference | body`. The top bit of the type says "same page as the record before";
//! otherwise space id and page number follow as varints. Records without a page (files, marks) have neither.

use super::codec::{Reader, Truncated, put_bytes, put_varint};
use super::{PageError, PageType, get_u32, put_u32, slotted};
use crate::ids::{Lsn, PageId, SpaceId, TrxId};

/// Offset of the undo page's free pointer; `UndoAppend` moves it.
pub const UNDO_FREE: usize = 36;
/// Offsets of the neighbours in an undo page's chain (u32 each, 0 = none), and where its records begin.
pub const UNDO_PREV: usize = 40;
pub const UNDO_NEXT: usize = 44;
pub const UNDO_BODY: usize = 56;

/// A decoded record, borrowing from the log bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redo<'a> {
    /// Formats a page of any kind but tree; starts a new life of the page.
    PageInit {
        kind: u8,
        owner: u64,
    },
    /// Formats an empty tree page; starts a new life of the page.
    TreeInit {
        index: u64,
        level: u16,
        lower: &'a [u8],
        upper: Option<&'a [u8]>,
    },
    Bytes {
        off: u32,
        data: &'a [u8],
    },
    SlotInsert {
        slot: u16,
        rest: &'a [u8],
        value: &'a [u8],
    },
    SlotRemove {
        slot: u16,
    },
    SlotReplace {
        slot: u16,
        value: &'a [u8],
    },
    SlotPatch {
        slot: u16,
        off: u16,
        data: &'a [u8],
    },
    /// Keep the cells `from..to` under new fences.
    Keep {
        from: u16,
        to: u16,
        lower: &'a [u8],
        upper: Option<&'a [u8]>,
    },
    /// Cells appended behind the last one: a run of `rest length, rest, value length, value`.
    Cells {
        run: &'a [u8],
    },
    MaxTrx {
        id: TrxId,
    },
    UndoAppend {
        data: &'a [u8],
    },
    /// Sets or clears one bit of a bitmap page.
    Bit {
        bit: u32,
        on: bool,
    },
    /// The file of a space was removed; its earlier records no longer matter.
    FileDelete {
        space: SpaceId,
    },
    /// Everything below `durable` was synced when this was written: a gap below it is damage, not a torn tail.
    Mark {
        durable: Lsn,
    },
    /// The first group of each life of the engine: its epoch. A control file that does not know it is older than the log.
    Life {
        epoch: u32,
    },
    /// Bytes of the owner's that are to be followed out of the log (`log::events`); no page knows of them.
    Events {
        data: &'a [u8],
    },
    /// A definition statement begins its work here: its text, for those who look for the moment before it. It changes nothing.
    Statement {
        text: &'a [u8],
    },
}

const SAME: u8 = 0x80;

mod tag {
    pub const PAGE_INIT: u8 = 1;
    pub const TREE_INIT: u8 = 2;
    pub const BYTES: u8 = 3;
    pub const SLOT_INSERT: u8 = 4;
    pub const SLOT_REMOVE: u8 = 5;
    pub const SLOT_REPLACE: u8 = 6;
    pub const SLOT_PATCH: u8 = 7;
    pub const KEEP: u8 = 8;
    pub const CELLS: u8 = 9;
    pub const MAX_TRX: u8 = 10;
    pub const UNDO_APPEND: u8 = 11;
    pub const BIT: u8 = 12;
    pub const FILE_DELETE: u8 = 20;
    pub const MARK: u8 = 21;
    pub const LIFE: u8 = 22;
    pub const EVENTS: u8 = 23;
    pub const STATEMENT: u8 = 24;
}

impl Redo<'_> {
    /// Whether the record starts a new life of its page: nothing before it matters, the page need not be read.
    pub fn is_init(&self) -> bool {
        matches!(self, Redo::PageInit { .. } | Redo::TreeInit { .. })
    }

    fn tag(&self) -> u8 {
        match self {
            Redo::PageInit { .. } => tag::PAGE_INIT,
            Redo::TreeInit { .. } => tag::TREE_INIT,
            Redo::Bytes { .. } => tag::BYTES,
            Redo::SlotInsert { .. } => tag::SLOT_INSERT,
            Redo::SlotRemove { .. } => tag::SLOT_REMOVE,
            Redo::SlotReplace { .. } => tag::SLOT_REPLACE,
            Redo::SlotPatch { .. } => tag::SLOT_PATCH,
            Redo::Keep { .. } => tag::KEEP,
            Redo::Cells { .. } => tag::CELLS,
            Redo::MaxTrx { .. } => tag::MAX_TRX,
            Redo::UndoAppend { .. } => tag::UNDO_APPEND,
            Redo::Bit { .. } => tag::BIT,
            Redo::FileDelete { .. } => tag::FILE_DELETE,
            Redo::Mark { .. } => tag::MARK,
            Redo::Life { .. } => tag::LIFE,
            Redo::Events { .. } => tag::EVENTS,
            Redo::Statement { .. } => tag::STATEMENT,
        }
    }

    /// Appends the record. `last` is the page of the record before in the same group, kept by the caller.
    pub fn encode(&self, page: Option<PageId>, last: &mut Option<PageId>, out: &mut Vec<u8>) {
        let same = page.is_some() && *last == page;
        out.push(self.tag() | if same { SAME } else { 0 });
        if let Some(id) = page
            && !same
        {
            put_varint(out, id.space as u64);
            put_varint(out, id.page as u64);
            *last = page;
        }
        match self {
            Redo::PageInit { kind, owner } => {
                out.push(*kind);
                put_varint(out, *owner);
            }
            Redo::TreeInit { index, level, lower, upper } => {
                put_varint(out, *index);
                put_varint(out, *level as u64);
                put_fences(out, lower, *upper);
            }
            Redo::Bytes { off, data } => {
                put_varint(out, *off as u64);
                put_bytes(out, data);
            }
            Redo::SlotInsert { slot, rest, value } => {
                put_varint(out, *slot as u64);
                put_bytes(out, rest);
                put_bytes(out, value);
            }
            Redo::SlotRemove { slot } => put_varint(out, *slot as u64),
            Redo::SlotReplace { slot, value } => {
                put_varint(out, *slot as u64);
                put_bytes(out, value);
            }
            Redo::SlotPatch { slot, off, data } => {
                put_varint(out, *slot as u64);
                put_varint(out, *off as u64);
                put_bytes(out, data);
            }
            Redo::Keep { from, to, lower, upper } => {
                put_varint(out, *from as u64);
                put_varint(out, *to as u64);
                put_fences(out, lower, *upper);
            }
            Redo::Cells { run } => put_bytes(out, run),
            Redo::MaxTrx { id } => put_varint(out, *id),
            Redo::UndoAppend { data } => put_bytes(out, data),
            Redo::Bit { bit, on } => {
                out.push(*on as u8);
                put_varint(out, *bit as u64);
            }
            Redo::FileDelete { space } => put_varint(out, *space as u64),
            Redo::Mark { durable } => put_varint(out, *durable),
            Redo::Life { epoch } => put_varint(out, u64::from(*epoch)),
            Redo::Events { data } => put_bytes(out, data),
            Redo::Statement { text } => put_bytes(out, text),
        }
    }
}

fn put_fences(out: &mut Vec<u8>, lower: &[u8], upper: Option<&[u8]>) {
    put_bytes(out, lower);
    match upper {
        None => out.push(0),
        Some(u) => {
            out.push(1);
            put_bytes(out, u);
        }
    }
}

fn take_fences<'a>(r: &mut Reader<'a>) -> Result<(&'a [u8], Option<&'a [u8]>), Truncated> {
    let lower = r.bytes()?;
    let upper = if r.u8()? == 0 { None } else { Some(r.bytes()?) };
    Ok((lower, upper))
}

fn small(r: &mut Reader<'_>) -> Result<u16, Truncated> {
    u16::try_from(r.varint()?).map_err(|_| Truncated)
}

/// One cell of a `Cells` run.
pub fn put_cell(run: &mut Vec<u8>, rest: &[u8], value: &[u8]) {
    put_bytes(run, rest);
    put_bytes(run, value);
}

/// Decodes the next record of a group; `last` as in `encode`.
pub fn decode<'a>(
    r: &mut Reader<'a>,
    last: &mut Option<PageId>,
) -> Result<(Option<PageId>, Redo<'a>), Truncated> {
    let t = r.u8()?;
    let kind = t & !SAME;
    let page = if kind >= tag::FILE_DELETE {
        None
    } else if t & SAME != 0 {
        Some(last.ok_or(Truncated)?)
    } else {
        let id = PageId::new(r.varint_u32()?, r.varint_u32()?);
        *last = Some(id);
        Some(id)
    };
    let rec = match kind {
        tag::PAGE_INIT => Redo::PageInit { kind: r.u8()?, owner: r.varint()? },
        tag::TREE_INIT => {
            let (index, level) = (r.varint()?, small(r)?);
            let (lower, upper) = take_fences(r)?;
            Redo::TreeInit { index, level, lower, upper }
        }
        tag::BYTES => Redo::Bytes { off: r.varint_u32()?, data: r.bytes()? },
        tag::SLOT_INSERT => {
            Redo::SlotInsert { slot: small(r)?, rest: r.bytes()?, value: r.bytes()? }
        }
        tag::SLOT_REMOVE => Redo::SlotRemove { slot: small(r)? },
        tag::SLOT_REPLACE => Redo::SlotReplace { slot: small(r)?, value: r.bytes()? },
        tag::SLOT_PATCH => Redo::SlotPatch { slot: small(r)?, off: small(r)?, data: r.bytes()? },
        tag::KEEP => {
            let (from, to) = (small(r)?, small(r)?);
            let (lower, upper) = take_fences(r)?;
            Redo::Keep { from, to, lower, upper }
        }
        tag::CELLS => Redo::Cells { run: r.bytes()? },
        tag::MAX_TRX => Redo::MaxTrx { id: r.varint()? },
        tag::UNDO_APPEND => Redo::UndoAppend { data: r.bytes()? },
        tag::BIT => {
            let on = r.u8()? != 0;
            Redo::Bit { bit: r.varint_u32()?, on }
        }
        tag::FILE_DELETE => Redo::FileDelete { space: r.varint_u32()? },
        tag::MARK => Redo::Mark { durable: r.varint()? },
        tag::LIFE => Redo::Life { epoch: r.varint_u32()? },
        tag::EVENTS => Redo::Events { data: r.bytes()? },
        tag::STATEMENT => Redo::Statement { text: r.bytes()? },
        _ => return Err(Truncated),
    };
    Ok((page, rec))
}

/// Applies a record to its page. Never panics on a damaged record: the error names what does not fit.
pub fn apply(p: &mut [u8], id: PageId, rec: &Redo<'_>) -> Result<(), PageError> {
    let tree = |p: &[u8]| match super::page_type(p) {
        Some(PageType::Tree) => Ok(()),
        _ => Err(PageError::Structure("record for a tree page on another kind of page")),
    };
    match rec {
        Redo::PageInit { kind, owner } => {
            let kind = PageType::from_u8(*kind).ok_or(PageError::Structure("unknown page type"))?;
            if kind == PageType::Tree {
                return Err(PageError::Structure("a tree page without its fences"));
            }
            super::format(p, id, kind, *owner);
            if kind == PageType::Undo {
                put_u32(p, UNDO_FREE, UNDO_BODY as u32);
            }
            Ok(())
        }
        Redo::TreeInit { index, level, lower, upper } => {
            slotted::init(p, id, *index, *level, lower, *upper)
        }
        Redo::Bytes { off, data } => {
            let off = *off as usize;
            if off < super::HEADER || off + data.len() > p.len() {
                return Err(PageError::Structure("bytes outside the page body"));
            }
            if super::page_type(p) == Some(PageType::Tree) {
                return Err(PageError::Structure("raw bytes for a tree page"));
            }
            p[off..off + data.len()].copy_from_slice(data);
            Ok(())
        }
        Redo::SlotInsert { slot, rest, value } => {
            tree(p)?;
            slotted::insert(p, *slot as usize, rest, value)
        }
        Redo::SlotRemove { slot } => {
            tree(p)?;
            slotted::remove(p, *slot as usize)
        }
        Redo::SlotReplace { slot, value } => {
            tree(p)?;
            slotted::replace(p, *slot as usize, value)
        }
        Redo::SlotPatch { slot, off, data } => {
            tree(p)?;
            slotted::patch(p, *slot as usize, *off as usize, data)
        }
        Redo::Keep { from, to, lower, upper } => {
            tree(p)?;
            slotted::keep(p, *from as usize, *to as usize, lower, *upper)
        }
        Redo::Cells { run } => {
            tree(p)?;
            let mut r = Reader::new(run);
            let bad = |_| PageError::Structure("damaged run of cells");
            while !r.is_empty() {
                let rest = r.bytes().map_err(bad)?;
                let value = r.bytes().map_err(bad)?;
                let n = slotted::count(p);
                slotted::insert(p, n, rest, value)?;
            }
            Ok(())
        }
        Redo::MaxTrx { id } => {
            tree(p)?;
            slotted::set_max_trx(p, *id);
            Ok(())
        }
        Redo::UndoAppend { data } => {
            if super::page_type(p) != Some(PageType::Undo) {
                return Err(PageError::Structure("undo record on another kind of page"));
            }
            let at = get_u32(p, UNDO_FREE) as usize;
            if at + data.len() > p.len() || at < super::HEADER {
                return Err(PageError::Structure("undo record does not fit in the page"));
            }
            p[at..at + data.len()].copy_from_slice(data);
            put_u32(p, UNDO_FREE, (at + data.len()) as u32);
            Ok(())
        }
        Redo::Bit { bit, on } => {
            if super::page_type(p) != Some(PageType::Bitmap) {
                return Err(PageError::Structure("bit of another kind of page"));
            }
            let at = super::HEADER + *bit as usize / 8;
            if at >= p.len() {
                return Err(PageError::Structure("bit outside the bitmap"));
            }
            let mask = 1 << (bit % 8);
            if *on {
                p[at] |= mask;
            } else {
                p[at] &= !mask;
            }
            Ok(())
        }
        Redo::FileDelete { .. }
        | Redo::Mark { .. }
        | Redo::Life { .. }
        | Redo::Events { .. }
        | Redo::Statement { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_form_round_trips() {
        let a = PageId::new(3, 70000);
        let all = [
            (Some(a), Redo::PageInit { kind: 4, owner: 77 }),
            (Some(a), Redo::TreeInit { index: 5, level: 2, lower: b"a", upper: Some(b"b") }),
            (Some(a), Redo::Bytes { off: 40, data: b"xyz" }),
            (Some(PageId::new(3, 1)), Redo::SlotInsert { slot: 3, rest: b"k", value: b"v" }),
            (Some(PageId::new(3, 1)), Redo::SlotRemove { slot: 300 }),
            (Some(a), Redo::SlotReplace { slot: 0, value: b"" }),
            (Some(a), Redo::SlotPatch { slot: 1, off: 2, data: b"q" }),
            (Some(a), Redo::Keep { from: 1, to: 9, lower: b"", upper: None }),
            (Some(a), Redo::Cells { run: b"\x01a\x01b" }),
            (Some(a), Redo::MaxTrx { id: 1 << 40 }),
            (Some(a), Redo::UndoAppend { data: b"u" }),
            (Some(a), Redo::Bit { bit: 9, on: true }),
            (None, Redo::FileDelete { space: 12 }),
            (None, Redo::Mark { durable: 1 << 50 }),
            (None, Redo::Life { epoch: 7 }),
            (None, Redo::Events { data: b"rows" }),
            (None, Redo::Statement { text: b"drop table t" }),
        ];
        let (mut out, mut last) = (Vec::new(), None);
        for (page, rec) in &all {
            rec.encode(*page, &mut last, &mut out);
        }
        let (mut r, mut last) = (Reader::new(&out), None);
        for (page, rec) in &all {
            assert_eq!(decode(&mut r, &mut last), Ok((*page, rec.clone())));
        }
        assert!(r.is_empty());
    }

    proptest! {
        #[test]
        fn garbage_never_panics(b in proptest::collection::vec(any::<u8>(), 0..200),
                                page in proptest::collection::vec(any::<u8>(), 512)) {
            let (mut r, mut last) = (Reader::new(&b), Some(PageId::new(1, 1)));
            let mut p = vec![0; 512];
            slotted::init(&mut p, PageId::new(1, 1), 1, 0, b"", None).unwrap();
            while let Ok((id, rec)) = decode(&mut r, &mut last) {
                if let Some(id) = id {
                    let _ = apply(&mut p, id, &rec);
                }
            }
            let _ = page;
        }
    }
}
