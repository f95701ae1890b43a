//! The undo log in pages: slots, records, append, walk.
//!
//! The slot directory is a chain of pages that begins with the undo space's page 2. Each lists the first pages of so
//! many slots (u32 each, 0: none yet) and ends with the number of the next page of the directory (u32, 0: none yet); a new one is
//! chained before it is used. A slot is a chain of undo pages with the logs of the
//! transactions that used it, one after the other; at most the last one is of an active transaction. Purge frees pages at
//! the chain's front, rollback at its end.
//!
//! A record is `length u16 | type u8 | body | length u16`; the second length lets rollback walk backwards. It never spans
//! pages. Types:
//! - header: transaction id 6, state 1 (0 active, 1 committed), commit number 8;
//! - insert: table id, clustered key;
//! - change: table id, key, old flags 1, old transaction id 6, old roll pointer 7, patch, secondary entries that the change
//!   made obsolete (index id, entry); covers updates, delete marks, and inserts over delete-marked rows;
//! - external: table id, first page of a chain of off-page data made by the transaction.
//!
//! A patch turns the row after the change into the row before it: keep `prefix` bytes, put `middle`, keep `suffix` bytes.

use crate::error::{Error, Result};
use crate::ids::{Lsn, PageId, PageNo, TrxId};
use crate::mtr::{self, Apply, Attempt, Core, Gather, P};
use crate::page::codec::{Reader, Truncated, put_bytes, put_u48, put_u56, put_varint};
use crate::page::redo::{Redo, UNDO_BODY, UNDO_FREE, UNDO_NEXT, UNDO_PREV};
use crate::page::{self, PageType, get_u32};
use crate::planted::{self, Bug};
use crate::pool::LatchMode;
use crate::space;
use crate::sync::Mutex;
use crate::waits::Cause;

pub const SLOTS_PAGE: PageNo = 2;
/// Slots, which are transactions that write at the same time. Each keeps one page of the undo space.
const SLOTS_MAX: usize = 32_000;
const HEADER_LEN: usize = 2 + 1 + 6 + 1 + 8 + 2;
/// Offset of the state within a header record.
const STATE_AT: u32 = 2 + 1 + 6;
const ACTIVE: u8 = 0;
const COMMITTED: u8 = 1;

mod kind {
    pub const HEADER: u8 = 0;
    pub const INSERT: u8 = 1;
    pub const CHANGE: u8 = 2;
    pub const EXTERNAL: u8 = 4;
    /// Bit: purge has done what must not be done twice.
    pub const PURGED: u8 = 0x80;
}

/// Where an undo record begins, or where the next one will.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct UndoPosition {
    pub page: PageNo,
    pub off: u32,
}

impl UndoPosition {
    /// As stored in rows: page 32 bits, offset 16 bits, 8 bits reserved. 0 = no older version.
    pub fn roll_pointer(self) -> u64 {
        (self.page as u64) << 24 | (self.off as u64) << 8
    }

    pub fn from_roll_pointer(r: u64) -> Option<UndoPosition> {
        (r != 0).then_some(UndoPosition { page: (r >> 24) as u32, off: (r >> 8) as u32 & 0xFFFF })
    }
}

fn id(page: PageNo) -> PageId {
    PageId::new(space::UNDO, page)
}

/// How to get the older row from the newer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patch<'a> {
    pub prefix: usize,
    pub suffix: usize,
    pub middle: &'a [u8],
}

impl<'a> Patch<'a> {
    pub fn between(old: &'a [u8], new: &[u8]) -> Patch<'a> {
        let max = old.len().min(new.len());
        let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let suffix = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take_while(|(a, b)| a == b)
            .count()
            .min(max - prefix);
        Patch { prefix, suffix, middle: &old[prefix..old.len() - suffix] }
    }

    pub fn apply(&self, new: &[u8]) -> Option<Vec<u8>> {
        if self.prefix + self.suffix > new.len() {
            return None;
        }
        let mut old = Vec::with_capacity(self.prefix + self.middle.len() + self.suffix);
        old.extend_from_slice(&new[..self.prefix]);
        old.extend_from_slice(self.middle);
        old.extend_from_slice(&new[new.len() - self.suffix..]);
        Some(old)
    }
}

/// A decoded undo record.
#[derive(Clone, Debug, PartialEq)]
pub enum UndoRecord<'a> {
    Header { trx: TrxId, committed: bool, no: u64 },
    Insert { table: u64, key: &'a [u8] },
    Change(Change<'a>),
    External { table: u64, page: PageNo },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Change<'a> {
    pub table: u64,
    pub key: &'a [u8],
    pub old_flags: u8,
    pub old_trx: TrxId,
    pub old_roll: u64,
    pub patch: Patch<'a>,
    /// Secondary entries (index id, entry) that the older row had and the newer one has not.
    pub obsolete: Vec<(u64, &'a [u8])>,
    /// Off-page chains (first page) that only the older row used.
    pub externals: Vec<PageNo>,
    pub purged: bool,
}

fn finish(mut body: Vec<u8>) -> Vec<u8> {
    let len = (body.len() + 4) as u16;
    let mut out = Vec::with_capacity(body.len() + 4);
    out.extend_from_slice(&len.to_le_bytes());
    out.append(&mut body);
    out.extend_from_slice(&len.to_le_bytes());
    out
}

pub fn encode_header(trx: TrxId) -> Vec<u8> {
    let mut b = vec![kind::HEADER];
    put_u48(&mut b, trx);
    b.push(ACTIVE);
    b.extend_from_slice(&[0; 8]);
    finish(b)
}

pub fn encode_insert(table: u64, key: &[u8]) -> Vec<u8> {
    let mut b = Vec::with_capacity(key.len() + 12);
    b.push(kind::INSERT);
    put_varint(&mut b, table);
    put_bytes(&mut b, key);
    finish(b)
}

/// Most bytes of an insert's record.
pub fn insert_max(key: &[u8]) -> usize {
    key.len() + 20
}

pub fn encode_change(c: &Change<'_>) -> Vec<u8> {
    let mut b = Vec::with_capacity(c.key.len() + c.patch.middle.len() + 40);
    b.push(kind::CHANGE);
    put_varint(&mut b, c.table);
    put_bytes(&mut b, c.key);
    b.push(c.old_flags);
    put_u48(&mut b, c.old_trx);
    put_u56(&mut b, c.old_roll);
    put_varint(&mut b, c.patch.prefix as u64);
    put_varint(&mut b, c.patch.suffix as u64);
    put_bytes(&mut b, c.patch.middle);
    put_varint(&mut b, c.obsolete.len() as u64);
    for (index, entry) in &c.obsolete {
        put_varint(&mut b, *index);
        put_bytes(&mut b, entry);
    }
    put_varint(&mut b, c.externals.len() as u64);
    for e in &c.externals {
        put_varint(&mut b, *e as u64);
    }
    finish(b)
}

pub fn encode_external(table: u64, page: PageNo) -> Vec<u8> {
    let mut b = vec![kind::EXTERNAL];
    put_varint(&mut b, table);
    put_varint(&mut b, page as u64);
    finish(b)
}

/// The record that begins at `off`, with its whole length.
pub fn record_at(p: &[u8], off: u32) -> std::result::Result<(UndoRecord<'_>, u32), Truncated> {
    if page::page_type(p) != Some(PageType::Undo) || (off as usize) < UNDO_BODY {
        return Err(Truncated);
    }
    record_in(p, off)
}

/// The record that begins at `off` of a page, or of a part of one.
pub fn record_in(p: &[u8], off: u32) -> std::result::Result<(UndoRecord<'_>, u32), Truncated> {
    let off = off as usize;
    if off + 5 > p.len() {
        return Err(Truncated);
    }
    let len = page::get_u16(p, off) as usize;
    if len < 5 || off + len > p.len() || page::get_u16(p, off + len - 2) as usize != len {
        return Err(Truncated);
    }
    let mut r = Reader::new(&p[off + 2..off + len - 2]);
    let t = r.u8()?;
    let rec = match t & !kind::PURGED {
        kind::HEADER => {
            let trx = r.u48()?;
            let committed = r.u8()? == COMMITTED;
            UndoRecord::Header { trx, committed, no: r.u64()? }
        }
        kind::INSERT => UndoRecord::Insert { table: r.varint()?, key: r.bytes()? },
        kind::CHANGE => {
            let (table, key, old_flags) = (r.varint()?, r.bytes()?, r.u8()?);
            let (old_trx, old_roll) = (r.u48()?, r.u56()?);
            let (prefix, suffix) = (r.varint()? as usize, r.varint()? as usize);
            let patch = Patch { prefix, suffix, middle: r.bytes()? };
            let mut obsolete = Vec::new();
            for _ in 0..r.len()? {
                obsolete.push((r.varint()?, r.bytes()?));
            }
            let mut externals = Vec::new();
            for _ in 0..r.len()? {
                externals.push(r.varint_u32()?);
            }
            UndoRecord::Change(Change {
                table,
                key,
                old_flags,
                old_trx,
                old_roll,
                patch,
                obsolete,
                externals,
                purged: t & kind::PURGED != 0,
            })
        }
        kind::EXTERNAL => UndoRecord::External { table: r.varint()?, page: r.varint_u32()? },
        _ => return Err(Truncated),
    };
    Ok((rec, len as u32))
}

/// Offset of the record that ends at `end`.
pub fn record_before(p: &[u8], end: u32) -> std::result::Result<u32, Truncated> {
    let end = end as usize;
    if end < UNDO_BODY + 5 || end > p.len() {
        return Err(Truncated);
    }
    let len = page::get_u16(p, end - 2) as usize;
    if len < 5 || end < UNDO_BODY + len {
        return Err(Truncated);
    }
    Ok((end - len) as u32)
}

pub fn free_pointer(p: &[u8]) -> u32 {
    get_u32(p, UNDO_FREE)
}

/// An active transaction's undo log.
#[derive(Debug)]
pub struct UndoLog {
    pub slot: u16,
    /// Where the log begins: its header record, if it has been written.
    begin: UndoPosition,
    has_header: bool,
    end: UndoPosition,
}

impl UndoLog {
    pub fn begin(&self) -> UndoPosition {
        self.begin
    }

    /// Where the next record will be written.
    pub fn position(&self) -> UndoPosition {
        self.end
    }

    pub fn set_position(&mut self, to: UndoPosition) {
        self.end = to;
        if to <= self.begin && to.page == self.begin.page {
            self.has_header = false;
            self.end = self.begin;
        }
    }

    /// Recovery: the log of a transaction that was active.
    pub fn recovered(slot: u16, begin: UndoPosition, end: UndoPosition) -> UndoLog {
        UndoLog { slot, begin, has_header: true, end }
    }
}

/// Room for a record, gathered.
pub struct UndoPlace {
    page: P,
    /// Where the record itself (not a header written with it) will begin.
    pub at: UndoPosition,
    header: bool,
}

/// First half of an append; `None`: the page is full, get another and try again.
pub fn prepare(g: &mut Gather<'_, '_>, log: &UndoLog, len: usize) -> Attempt<Option<UndoPlace>> {
    let page = g.fix(id(log.end.page), LatchMode::X)?;
    let p = g.bytes(page);
    debug_assert_eq!(free_pointer(p), log.end.off);
    let header = !log.has_header;
    let head = if header { HEADER_LEN } else { 0 };
    if log.end.off as usize + head + len > p.len() {
        return Ok(None);
    }
    let at = UndoPosition { page: log.end.page, off: log.end.off + head as u32 };
    Ok(Some(UndoPlace { page, at, header }))
}

/// Bytes of records that the log's last page still takes.
pub fn room(g: &mut Gather<'_, '_>, log: &UndoLog) -> Attempt<usize> {
    let page = g.fix(id(log.end.page), LatchMode::X)?;
    let head = if log.has_header { 0 } else { HEADER_LEN };
    Ok(g.bytes(page).len().saturating_sub(log.end.off as usize + head))
}

/// Redo payload of an append.
pub fn append_need(len: usize) -> usize {
    len + HEADER_LEN + 40
}

/// Second half. The in-memory position moves with it.
pub fn append(a: &mut Apply<'_>, log: &mut UndoLog, place: &UndoPlace, trx: TrxId, rec: &[u8]) {
    if place.header {
        let mut both = encode_header(trx);
        both.extend_from_slice(rec);
        a.record(place.page, &Redo::UndoAppend { data: &both });
        log.begin = log.end;
        log.has_header = true;
    } else {
        a.record(place.page, &Redo::UndoAppend { data: rec });
    }
    log.end = UndoPosition { page: place.at.page, off: place.at.off + rec.len() as u32 };
}

/// Largest record of a page size.
pub fn record_max(page_size: usize) -> usize {
    page_size - UNDO_BODY - HEADER_LEN
}

/// Chains another page to the log.
pub async fn next_page(core: &Core, log: &mut UndoLog) -> Result<()> {
    let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
    let (slot, last) = (log.slot, log.end.page);
    let new = mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let old = g.fix(id(last), LatchMode::X)?;
        let new = space::allocate(&mut g, &undo, last)?;
        let mut a = g.seal(200)?;
        new.mark(&mut a);
        a.record(new.page, &Redo::PageInit { kind: PageType::Undo as u8, owner: slot as u64 });
        a.record(new.page, &Redo::Bytes { off: UNDO_PREV as u32, data: &last.to_le_bytes() });
        a.record(old, &Redo::Bytes { off: UNDO_NEXT as u32, data: &new.id.page.to_le_bytes() });
        a.commit();
        Ok(new.id.page)
    })
    .await?;
    log.end = UndoPosition { page: new, off: UNDO_BODY as u32 };
    if !log.has_header {
        log.begin = log.end;
    }
    Ok(())
}

/// Rollback has emptied the log's last page: it goes back to the space, the log ends in the page before.
pub async fn drop_last_page(core: &Core, log: &mut UndoLog) -> Result<()> {
    let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
    let last = log.end.page;
    let (prev, free) = mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let page = g.fix(id(last), LatchMode::X)?;
        let prev = get_u32(g.bytes(page), UNDO_PREV);
        let before = g.fix(id(prev), LatchMode::X)?;
        let freed = space::free(&mut g, &undo, last)?;
        let mut a = g.seal(128)?;
        a.record(before, &Redo::Bytes { off: UNDO_NEXT as u32, data: &[0; 4] });
        freed.clear(&mut a);
        let free = free_pointer(a.bytes(before));
        a.commit();
        Ok((prev, free))
    })
    .await?;
    log.end = UndoPosition { page: prev, off: free };
    Ok(())
}

/// The commit itself: one small group that flips the header's state. Returns the LSN that must become durable.
pub async fn write_commit(core: &Core, log: &UndoLog, no: u64) -> Result<Lsn> {
    if !log.has_header {
        // Nothing is left to commit: every change was rolled back to a savepoint.
        return Ok(core.log.published());
    }
    let mut data = vec![COMMITTED];
    data.extend_from_slice(&no.to_le_bytes());
    mtr::run(core, 96, |w| {
        let mut g = w.gather();
        let p = g.fix(id(log.begin.page), LatchMode::X)?;
        let mut a = g.seal(64)?;
        a.record(p, &Redo::Bytes { off: log.begin.off + STATE_AT, data: &data });
        Ok(a.commit())
    })
    .await
}

/// Marks a change record as purged, in the mini-transaction that does what must not be done twice.
pub fn mark_purged(g: &mut Gather<'_, '_>, at: UndoPosition) -> Attempt<PurgedMark> {
    let p = g.fix(id(at.page), LatchMode::X)?;
    Ok(PurgedMark { p, off: at.off + 2 })
}

pub struct PurgedMark {
    p: P,
    off: u32,
}

impl PurgedMark {
    pub fn set(&self, a: &mut Apply<'_>) {
        a.record(self.p, &Redo::Bytes { off: self.off, data: &[kind::CHANGE | kind::PURGED] });
    }
}

/// A committed transaction's log, waiting for purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    pub no: u64,
    pub trx: TrxId,
    pub slot: u16,
    pub begin: UndoPosition,
    pub end: UndoPosition,
}

impl UndoLog {
    pub fn history(&self, no: u64, trx: TrxId) -> Option<History> {
        self.has_header.then_some(History {
            no,
            trx,
            slot: self.slot,
            begin: self.begin,
            end: self.end,
        })
    }
}

struct FreeSlot {
    slot: u16,
    end: UndoPosition,
}

/// Undo slots that no active transaction uses.
pub struct UndoSlots {
    free: Mutex<Vec<FreeSlot>>,
    used: Mutex<u16>,
    /// The pages of the directory, in order.
    pages: Mutex<Vec<PageNo>>,
    /// Slots of one page of the directory.
    per_page: usize,
    making: weir_rt::AsyncMutex<()>,
}

/// Offset of the next page's number in a page of the directory.
fn directory_next(page_size: usize) -> u32 {
    (page::HEADER + slots_per_page(page_size) * 4) as u32
}

fn slots_per_page(page_size: usize) -> usize {
    (page_size - page::HEADER) / 4 - 1
}

impl UndoSlots {
    pub fn new(page_size: usize) -> UndoSlots {
        UndoSlots {
            free: Mutex::new(Vec::new()),
            used: Mutex::new(0),
            pages: Mutex::new(vec![SLOTS_PAGE]),
            per_page: slots_per_page(page_size),
            making: weir_rt::AsyncMutex::new(()),
        }
    }

    /// Slots that there are; each has a page.
    pub fn count(&self) -> usize {
        usize::from(*self.used.lock())
    }

    /// The pages of the directory.
    pub fn directory(&self) -> Vec<PageNo> {
        self.pages.lock().clone()
    }

    /// First pages of all slots, read from the directory.
    pub async fn read(&self, core: &Core) -> Result<Vec<(u16, PageNo)>> {
        let (mut slots, mut pages) = (Vec::new(), vec![SLOTS_PAGE]);
        loop {
            let (at, base) = (pages[pages.len() - 1], (pages.len() - 1) * self.per_page);
            let next = mtr::run(core, 0, |w| {
                let mut g = w.gather();
                let p = g.fix(id(at), LatchMode::S)?;
                let b = g.bytes(p);
                if page::page_type(b) != Some(PageType::UndoSlots) {
                    return Ok(None);
                }
                let firsts: Vec<PageNo> =
                    (0..self.per_page).map(|i| get_u32(b, page::HEADER + i * 4)).collect();
                Ok(Some((firsts, get_u32(b, directory_next(b.len()) as usize))))
            })
            .await?;
            let here = next.filter(|_| base < SLOTS_MAX);
            let (firsts, next) = here.ok_or_else(|| damaged(UndoPosition { page: at, off: 0 }))?;
            let used = firsts.into_iter().enumerate().filter(|(_, first)| *first != 0);
            slots.extend(used.map(|(i, first)| ((base + i) as u16, first)));
            if next == 0 {
                // It may have grown since it was read.
                let mut known = self.pages.lock();
                if pages.len() > known.len() {
                    *known = pages;
                }
                return Ok(slots);
            }
            pages.push(next);
        }
    }

    /// The page of the directory that lists a slot, and the slot's offset there.
    fn place(&self, slot: u16) -> Option<(PageNo, u32)> {
        let (page, i) = (usize::from(slot) / self.per_page, usize::from(slot) % self.per_page);
        self.pages.lock().get(page).map(|p| (*p, (page::HEADER + i * 4) as u32))
    }

    /// Chains another page to the directory.
    async fn grow(&self, core: &Core) -> Result<()> {
        let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
        let last = *self.pages.lock().last().expect("the first page is always there");
        let new = mtr::run(core, 256, |w| {
            let mut g = w.gather();
            let old = g.fix(id(last), LatchMode::X)?;
            let new = space::allocate(&mut g, &undo, last)?;
            let mut a = g.seal(160)?;
            new.mark(&mut a);
            a.record(new.page, &Redo::PageInit { kind: PageType::UndoSlots as u8, owner: 0 });
            let off = directory_next(core.spaces.page_size());
            a.record(old, &Redo::Bytes { off, data: &new.id.page.to_le_bytes() });
            a.commit();
            Ok(new.id.page)
        })
        .await?;
        self.pages.lock().push(new);
        Ok(())
    }

    /// Recovery: slot `slot` exists and its log ends at `end`.
    pub fn known(&self, slot: u16, end: Option<UndoPosition>) {
        let mut used = self.used.lock();
        *used = (*used).max(slot + 1);
        if let Some(end) = end {
            self.free.lock().push(FreeSlot { slot, end });
        }
    }

    pub async fn take(&self, core: &Core) -> Result<UndoLog> {
        let have = self.free.lock().pop();
        if let Some(f) = have {
            return Ok(UndoLog { slot: f.slot, begin: f.end, has_header: false, end: f.end });
        }
        let _one = core.waits.during(|| Cause::Turn.into(), self.making.lock()).await;
        let slot = *self.used.lock();
        let one_page = planted::is(Bug::OnePageOfUndoSlots) && usize::from(slot) >= self.per_page;
        if usize::from(slot) >= SLOTS_MAX || one_page {
            return Err(Error::TooManyTransactions { max: SLOTS_MAX });
        }
        if self.place(slot).is_none() {
            self.grow(core).await?;
        }
        let page = self.make(core, slot).await?;
        *self.used.lock() = slot + 1;
        let end = UndoPosition { page, off: UNDO_BODY as u32 };
        Ok(UndoLog { slot, begin: end, has_header: false, end })
    }

    async fn make(&self, core: &Core, slot: u16) -> Result<PageNo> {
        let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
        let (at, off) = self.place(slot).expect("the directory has grown for it");
        mtr::run(core, 256, |w| {
            let mut g = w.gather();
            let dir = g.fix(id(at), LatchMode::X)?;
            let new = space::allocate(&mut g, &undo, at)?;
            let mut a = g.seal(160)?;
            new.mark(&mut a);
            a.record(new.page, &Redo::PageInit { kind: PageType::Undo as u8, owner: slot as u64 });
            a.record(dir, &Redo::Bytes { off, data: &new.id.page.to_le_bytes() });
            a.commit();
            Ok(new.id.page)
        })
        .await
    }

    /// Frees the first page of a slot's chain; the next one becomes the first.
    pub async fn drop_first_page(&self, core: &Core, slot: u16, first: PageNo) -> Result<PageNo> {
        let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
        let (at, off) = self.place(slot).expect("the directory lists every slot in use");
        mtr::run(core, 256, |w| {
            let mut g = w.gather();
            let dir = g.fix(id(at), LatchMode::X)?;
            let p = g.fix(id(first), LatchMode::S)?;
            let next = get_u32(g.bytes(p), UNDO_NEXT);
            debug_assert!(next != 0, "the last page of a chain stays");
            let freed = space::free(&mut g, &undo, first)?;
            let mut a = g.seal(128)?;
            a.record(dir, &Redo::Bytes { off, data: &next.to_le_bytes() });
            if !planted::is(Bug::UndoPageLeaked) {
                freed.clear(&mut a);
            }
            a.commit();
            Ok(next)
        })
        .await
    }

    /// How many slots exist, and how many of them no transaction has.
    pub fn counts(&self) -> (usize, usize) {
        let used = usize::from(*self.used.lock());
        (used, self.free.lock().len())
    }

    pub fn give_back(&self, log: UndoLog) {
        self.free.lock().push(FreeSlot { slot: log.slot, end: log.end });
    }
}

/// Formats the slot directory of a new undo space.
pub async fn format(core: &Core) -> Result<()> {
    let undo = core.spaces.get(space::UNDO).expect("the undo space is always open");
    mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let new = space::allocate(&mut g, &undo, SLOTS_PAGE)?;
        assert_eq!(new.id.page, SLOTS_PAGE, "the first page after header and bitmap");
        let mut a = g.seal(128)?;
        new.mark(&mut a);
        a.record(new.page, &Redo::PageInit { kind: PageType::UndoSlots as u8, owner: 0 });
        a.commit();
        Ok(())
    })
    .await
}

/// Copies the records of a page from `at` to `end`, or to the last one; returns where they end, and the next page.
pub async fn read_records(
    core: &Core,
    at: UndoPosition,
    end: Option<u32>,
) -> Result<(Vec<u8>, u32, PageNo)> {
    let done = mtr::run(core, 0, |w| {
        let mut g = w.gather();
        let p = g.fix(id(at.page), LatchMode::S)?;
        let b = g.bytes(p);
        if page::page_type(b) != Some(PageType::Undo) {
            return Ok(None);
        }
        let to = end.unwrap_or_else(|| free_pointer(b));
        let records = b.get(at.off as usize..to as usize);
        Ok(records.map(|r| (r.to_vec(), to, get_u32(b, UNDO_NEXT))))
    });
    done.await?.ok_or_else(|| damaged(at))
}

/// The page that follows in a slot's chain; 0: none.
pub async fn next_page_of(core: &Core, no: PageNo) -> Result<PageNo> {
    Ok(read_page(core, no).await?.1)
}

/// One page of a chain, copied: its bytes and the page that follows.
pub async fn read_page(core: &Core, no: PageNo) -> Result<(Vec<u8>, PageNo)> {
    mtr::run(core, 0, |w| {
        let mut g = w.gather();
        let p = g.fix(id(no), LatchMode::S)?;
        let b = g.bytes(p).to_vec();
        let next = get_u32(&b, UNDO_NEXT);
        Ok((b, next))
    })
    .await
}

pub fn damaged(at: UndoPosition) -> Error {
    Error::corrupt_page(
        id(at.page),
        "undo.weir",
        format!("no valid undo record at offset {}", at.off),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn patches_give_the_old_row_back(old in proptest::collection::vec(0u8..3, 0..40),
                                         new in proptest::collection::vec(0u8..3, 0..40)) {
            let p = Patch::between(&old, &new);
            prop_assert_eq!(p.apply(&new), Some(old.clone()));
        }
    }

    #[test]
    fn records_round_trip_both_ways() {
        let mut p = vec![0u8; 1024];
        redo_init(&mut p);
        let change = Change {
            table: 300,
            key: b"key",
            old_flags: 1,
            old_trx: 77,
            old_roll: UndoPosition { page: 9, off: 60 }.roll_pointer(),
            patch: Patch { prefix: 3, suffix: 2, middle: b"mid" },
            obsolete: vec![(5, b"entry")],
            externals: vec![8],
            purged: false,
        };
        let recs = [
            encode_header(42),
            encode_insert(7, b"k"),
            encode_change(&change),
            encode_external(7, 99),
        ];
        let mut at = UNDO_BODY;
        let mut offs = Vec::new();
        for r in &recs {
            offs.push(at as u32);
            p[at..at + r.len()].copy_from_slice(r);
            at += r.len();
        }
        assert_eq!(recs[0].len(), HEADER_LEN);
        assert_eq!(record_at(&p, offs[2]).unwrap().0, UndoRecord::Change(change));
        assert!(matches!(
            record_at(&p, offs[0]).unwrap().0,
            UndoRecord::Header { trx: 42, committed: false, no: 0 }
        ));
        let mut end = at as u32;
        for o in offs.iter().rev() {
            end = record_before(&p, end).unwrap();
            assert_eq!(end, *o);
        }
        assert!(record_before(&p, end).is_err());
        assert!(record_at(&p, at as u32).is_err());
    }

    fn redo_init(p: &mut [u8]) {
        let init = Redo::PageInit { kind: PageType::Undo as u8, owner: 1 };
        crate::page::redo::apply(p, id(5), &init).unwrap();
    }
}
