//! The undo log in pages: records, append, walk.
//!
//! A slot is a chain of undo pages with the logs of the transactions that used it, one after the other; at most the last one is of an
//! active transaction. Purge frees pages at the chain's front, rollback at its end. Which slots there are: `slots`.
//!
//! A record is `length u16 | type u8 | body | length u16`; the second length lets rollback walk backwards. It never spans
//! pages. Types:
//! - header: transaction id 6, state 1 (0 active, 1 committed, 2 prepared), commit number 8;
//! - xid: format number, two names; the last record of a prepared transaction;
//! - insert: table id, clustered key;
//! - change: table id, key, old flags 1, old transaction id 6, old roll pointer 7, patch, secondary entries that the change
//!   made obsolete (index id, entry); covers updates, delete marks, and inserts over delete-marked rows;
//! - external: table id, first page of a chain of off-page data made by the transaction.
//!
//! A patch turns the row after the change into the row before it: keep `prefix` bytes, put `middle`, keep `suffix` bytes.

use crate::cost::{self, Cost};
use crate::error::{Error, Result};
use crate::ids::{Lsn, PageId, PageNo, TrxId, Xid};
use crate::mtr::{self, Apply, Attempt, Core, Gather, P};
use crate::page::codec::{
    Reader, Truncated, common_prefix, common_suffix, put_bytes, put_u48, put_u56, put_varint,
};
use crate::page::redo::{Redo, UNDO_BODY, UNDO_FREE, UNDO_NEXT, UNDO_PREV};
use crate::page::{self, PageType, get_u32};
use crate::pool::LatchMode;
use crate::space;
use smallvec::SmallVec;

const HEADER_LEN: usize = 2 + 1 + 6 + 1 + 8 + 2;
/// Offset of the state within a header record.
const STATE_AT: u32 = 2 + 1 + 6;
const ACTIVE: u8 = 0;
const COMMITTED: u8 = 1;
const PREPARED: u8 = 2;

mod kind {
    pub const HEADER: u8 = 0;
    pub const INSERT: u8 = 1;
    pub const CHANGE: u8 = 2;
    pub const EXTERNAL: u8 = 4;
    pub const XID: u8 = 5;
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

pub(super) fn id(page: PageNo) -> PageId {
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
        let prefix = common_prefix(old, new);
        // What both have at their beginning is not their end as well.
        let suffix = common_suffix(&old[prefix..], &new[prefix..]);
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
    Header { trx: TrxId, committed: bool, prepared: bool, no: u64 },
    Xid { format: u64, gtrid: &'a [u8], bqual: &'a [u8] },
    Insert { table: u64, key: &'a [u8] },
    Change(Change<'a>),
    External { table: u64, page: PageNo },
}

impl UndoRecord<'_> {
    /// The table that it is about.
    pub fn table(&self) -> Option<u64> {
        match self {
            UndoRecord::Header { .. } | UndoRecord::Xid { .. } => None,
            UndoRecord::Insert { table, .. } | UndoRecord::External { table, .. } => Some(*table),
            UndoRecord::Change(c) => Some(c.table),
        }
    }
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

impl Change<'_> {
    /// Purge has something to look for: entries, long columns, or, of a delete, which leaves the row's bytes as they were, the row.
    pub fn leaves_work(&self) -> bool {
        !self.obsolete.is_empty() || !self.externals.is_empty() || self.patch.middle.is_empty()
    }
}

/// Room for a record whose body takes so many bytes, with its length in front: [`finish`] writes that.
fn begin(body: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(body + 4);
    out.extend_from_slice(&[0; 2]);
    out
}

fn finish(mut record: Vec<u8>) -> Vec<u8> {
    let len = ((record.len() + 2) as u16).to_le_bytes();
    record[..2].copy_from_slice(&len);
    record.extend_from_slice(&len);
    record
}

/// The record of it: length, kind, transaction, state, number, length.
fn header(trx: TrxId, state: u8, no: u64) -> [u8; HEADER_LEN] {
    let mut b = [0; HEADER_LEN];
    let len = (HEADER_LEN as u16).to_le_bytes();
    b[..2].copy_from_slice(&len);
    b[2] = kind::HEADER;
    b[3..9].copy_from_slice(&trx.to_be_bytes()[2..]);
    b[9] = state;
    b[10..18].copy_from_slice(&no.to_le_bytes());
    b[18..].copy_from_slice(&len);
    b
}

pub fn encode_insert(table: u64, key: &[u8]) -> Vec<u8> {
    let mut b = begin(key.len() + 12);
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
    let entries: usize = c.obsolete.iter().map(|(_, entry)| entry.len() + 12).sum();
    let mut b = begin(c.key.len() + c.patch.middle.len() + entries + 40);
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

pub fn encode_xid(xid: &Xid) -> Vec<u8> {
    let mut b = begin(xid.gtrid.len() + xid.bqual.len() + 20);
    b.push(kind::XID);
    put_varint(&mut b, xid.format);
    put_bytes(&mut b, &xid.gtrid);
    put_bytes(&mut b, &xid.bqual);
    finish(b)
}

pub fn encode_external(table: u64, page: PageNo) -> Vec<u8> {
    let mut b = begin(24);
    b.push(kind::EXTERNAL);
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
            let state = r.u8()?;
            let (committed, prepared) = (state == COMMITTED, state == PREPARED);
            UndoRecord::Header { trx, committed, prepared, no: r.u64()? }
        }
        kind::XID => UndoRecord::Xid { format: r.varint()?, gtrid: r.bytes()?, bqual: r.bytes()? },
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
    /// Of its records.
    bytes: u64,
    /// Purge has to read its records, see [`History::work`].
    work: bool,
}

impl UndoLog {
    /// A log without a record, to be written from `at` on.
    pub(super) fn empty(slot: u16, at: UndoPosition) -> UndoLog {
        UndoLog { slot, begin: at, has_header: false, end: at, bytes: 0, work: false }
    }

    pub fn begin(&self) -> UndoPosition {
        self.begin
    }

    /// A record was written that leaves purge something to do.
    pub fn note_work(&mut self) {
        self.work = true;
    }

    /// A record of it is there.
    pub fn is_begun(&self) -> bool {
        self.has_header
    }

    /// Where the next record will be written.
    pub fn position(&self) -> UndoPosition {
        self.end
    }

    pub fn set_position(&mut self, to: UndoPosition) {
        // Rollback cuts off records of the last page, or gives the page back when it has none.
        if to.page == self.end.page {
            self.bytes = self.bytes.saturating_sub(u64::from(self.end.off.saturating_sub(to.off)));
        }
        self.end = to;
        if to <= self.begin && to.page == self.begin.page {
            self.has_header = false;
            self.end = self.begin;
        }
    }

    /// Recovery: the log of a transaction that was active.
    pub fn recovered(slot: u16, begin: UndoPosition, end: UndoPosition, bytes: u64) -> UndoLog {
        UndoLog { slot, begin, has_header: true, end, bytes, work: true }
    }
}

/// Room for a record, gathered.
pub struct UndoPlace {
    page: P,
    /// Where the record itself (not a header written with it) will begin.
    pub at: UndoPosition,
    header: bool,
}

impl UndoPlace {
    /// The record is the log's first one.
    pub fn is_first(&self) -> bool {
        self.header
    }
}

/// First half of an append; `None`: the page is full, get another and try again.
pub fn prepare(g: &mut Gather<'_, '_>, log: &UndoLog, len: usize) -> Attempt<Option<UndoPlace>> {
    let page = g.fix(id(log.end.page), LatchMode::X)?;
    let p = g.bytes(page);
    assert_eq!(free_pointer(p), log.end.off);
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
    append_in_state(a, log, place, (trx, ACTIVE, 0), rec);
}

/// The same of a transaction that has no other record, and is committed with it under this number.
pub fn append_committed(
    a: &mut Apply<'_>,
    log: &mut UndoLog,
    place: &UndoPlace,
    (trx, no): (TrxId, u64),
    rec: &[u8],
) {
    debug_assert!(place.header, "the header of a log with records says that it is active");
    append_in_state(a, log, place, (trx, COMMITTED, no), rec);
}

fn append_in_state(
    a: &mut Apply<'_>,
    log: &mut UndoLog,
    place: &UndoPlace,
    (trx, state, no): (TrxId, u8, u64),
    rec: &[u8],
) {
    if place.header {
        let header = header(trx, state, no);
        let mut both: SmallVec<[u8; 256]> = SmallVec::from_slice(&header);
        both.extend_from_slice(rec);
        a.record(place.page, &Redo::UndoAppend { data: &both });
        log.begin = log.end;
        log.has_header = true;
    } else {
        a.record(place.page, &Redo::UndoAppend { data: rec });
    }
    log.end = UndoPosition { page: place.at.page, off: place.at.off + rec.len() as u32 };
    log.bytes += (rec.len() + if place.header { HEADER_LEN } else { 0 }) as u64;
    cost::spend(Cost::UndoBytes, rec.len() as u64);
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
pub async fn write_commit(
    core: &Core,
    log: &UndoLog,
    no: u64,
    events: Option<Vec<u8>>,
) -> Result<Lsn> {
    if !log.has_header {
        // Nothing is left to commit: every change was rolled back to a savepoint.
        return match events {
            Some(events) => write_events(core, events).await,
            None => Ok(core.log.published()),
        };
    }
    write_state(core, log, COMMITTED, no, events).await
}

/// A group of nothing but events: a commit that changes nothing here.
pub async fn write_events(core: &Core, events: Vec<u8>) -> Result<Lsn> {
    let need = events.len() + EVENTS_FRAME;
    let mut events = Some(events);
    let lsn = mtr::run(core, need + 32, |w| {
        let a = w.gather().seal(need)?;
        Ok(a.commit_with(events.take().expect("an attempt behind its seal is the last one")))
    })
    .await?;
    core.log.release_events(lsn);
    Ok(lsn)
}

/// What the redo record of events has beside their bytes, at most.
const EVENTS_FRAME: usize = 16;

/// The outcome is another's to decide from here on, over crashes. The log has a record.
pub async fn write_prepared(core: &Core, log: &UndoLog, events: Option<Vec<u8>>) -> Result<Lsn> {
    write_state(core, log, PREPARED, 0, events).await
}

/// A prepared transaction is to be rolled back: nobody will take it for prepared while it has lost a part of its changes.
pub async fn write_active(core: &Core, log: &UndoLog, events: Option<Vec<u8>>) -> Result<Lsn> {
    write_state(core, log, ACTIVE, 0, events).await
}

async fn write_state(
    core: &Core,
    log: &UndoLog,
    state: u8,
    no: u64,
    mut events: Option<Vec<u8>>,
) -> Result<Lsn> {
    let mut data = vec![state];
    data.extend_from_slice(&no.to_le_bytes());
    let more = events.as_ref().map_or(0, |e| e.len() + EVENTS_FRAME);
    let lsn = mtr::run(core, 96 + more, |w| {
        let mut g = w.gather();
        let p = g.fix(id(log.begin.page), LatchMode::X)?;
        let mut a = g.seal(64 + more)?;
        a.record(p, &Redo::Bytes { off: log.begin.off + STATE_AT, data: &data });
        Ok(match events.take() {
            Some(events) => a.commit_with(events),
            None => a.commit(),
        })
    })
    .await?;
    if more > 0 {
        // Before the locks go: anyone who gets one of them finds that this commit came first.
        core.log.release_events(lsn);
    }
    Ok(lsn)
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
    /// Of its records.
    pub bytes: u64,
    /// Some record leaves purge something to do. Without one only the log's pages go.
    pub work: bool,
}

impl UndoLog {
    pub fn history(&self, no: u64, trx: TrxId) -> Option<History> {
        self.has_header.then_some(History {
            no,
            trx,
            slot: self.slot,
            begin: self.begin,
            end: self.end,
            bytes: self.bytes,
            work: self.work,
        })
    }
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
            header(42, ACTIVE, 0).to_vec(),
            encode_insert(7, b"k"),
            encode_change(&change),
            encode_external(7, 99),
            encode_xid(&Xid { format: 1, gtrid: vec![0; 64], bqual: vec![1] }),
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
            UndoRecord::Header { trx: 42, committed: false, prepared: false, no: 0 }
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
