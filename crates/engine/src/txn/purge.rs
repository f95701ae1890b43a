//! Purge: what no view needs any more is removed for good, in commit order.

use super::System;
use super::external;
use super::give_up::unless_lasting;
use super::pending::{Pending, Progress, Step, Unlisted};
use super::secondary;
use super::undo::{self, History, UndoLog, UndoPosition, UndoRecord};
use super::version::{self, RowHeader};
use super::view::View;
use crate::btree;
use crate::error::Result;
use crate::ids::{PageNo, TrxId};
use crate::mtr::{self, Attempt, Work};
use crate::page::redo::{Redo, UNDO_BODY};
use crate::page::{self, PageType, slotted};
use crate::planted::{self, Bug};
use crate::pool::LatchMode;
use crate::space;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::table::Table;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use weir_rt::{AsyncMutex, Notify};

/// Logs of a slot that purge lists when it arrives at them.
const LISTED_AT_ONCE: usize = 64;
/// Whether purge is done with a log is asked so often.
const WITHIN_A_LOG: Duration = Duration::from_millis(1);

#[derive(Default)]
pub struct PurgeStats {
    pub transactions: AtomicU64,
    pub records: AtomicU64,
    pub rows_removed: AtomicU64,
}

pub struct Purge {
    history: Mutex<Pending>,
    /// Bytes of undo of all transactions that have committed since the start.
    written: Arc<AtomicU64>,
    /// First page of each slot's chain, as far as known.
    first: Mutex<HashMap<u16, PageNo>>,
    pub wake: Notify,
    /// Held while logs are purged: who holds it finds the undo of the history where it is. Taken before a table's gate.
    pub running: AsyncMutex<()>,
    pub stats: PurgeStats,
}

impl Purge {
    /// `listed`: see [`UndoLimits::listed`](super::UndoLimits::listed).
    pub fn new(listed: usize, written: Arc<AtomicU64>) -> Purge {
        Purge {
            history: Mutex::new(Pending::new(listed)),
            written,
            first: Mutex::default(),
            wake: Notify::default(),
            running: AsyncMutex::new(()),
            stats: PurgeStats::default(),
        }
    }

    /// A transaction is about to be seen as committed; its log may hold work for purge. It is known before anybody may take it for one
    /// that purge has passed.
    pub fn add(&self, no: u64, trx: TrxId, log: &UndoLog) {
        self.add_quietly(no, trx, log);
        self.wake();
    }

    /// What a start has found, the logs of each slot in the order of its chain; [`Purge::all_found`] comes after them.
    pub fn found(&self, h: History) {
        self.history.lock().push_unsorted(h);
    }

    pub fn all_found(&self) {
        self.history.lock().sort();
        self.wake();
    }

    /// As [`Purge::add`], before which the caller's latches go; [`Purge::wake`] comes after them.
    pub(super) fn add_quietly(&self, no: u64, trx: TrxId, log: &UndoLog) {
        if let Some(h) = log.history(no, trx) {
            let mut history = self.history.lock();
            // Written under the mutex alone.
            let written = self.written.load(Ordering::Relaxed) + h.bytes;
            self.written.store(written, Ordering::Relaxed);
            history.push(h);
        }
    }

    /// What has been added since purge looked is to be looked at.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    pub fn set_first(&self, slot: u16, page: PageNo) {
        self.first.lock().insert(slot, page);
    }

    /// The pages of a log before `page` are gone; what is left of it begins with that page.
    fn begins_at(&self, no: u64, page: PageNo) {
        if let Some(h) = self.history.lock().get_mut(no) {
            h.begin = UndoPosition { page, off: UNDO_BODY as u32 };
        }
    }

    pub fn forget_first(&self, slot: u16) {
        self.first.lock().remove(&slot);
    }

    /// The first page of a slot's chain; `last`, its last one, if nobody knows better.
    pub async fn first_of(&self, db: &System, slot: u16, last: PageNo) -> Result<PageNo> {
        let known = self.first.lock().get(&slot).copied();
        if let Some(p) = known {
            return Ok(p);
        }
        let all = db.undo_slots.read(&db.core).await?;
        Ok(all.into_iter().find(|(s, _)| *s == slot).map_or(last, |(_, p)| p))
    }

    /// Whether something of a slot is still to be purged.
    pub fn has_history_of(&self, slot: u16) -> bool {
        self.history.lock().has_slot(slot)
    }

    /// Committed transactions not yet purged: MySQL's "history list length".
    pub fn history_length(&self) -> usize {
        self.history.lock().len()
    }

    /// Bytes of undo of the transactions that are not yet purged.
    pub fn history_bytes(&self) -> u64 {
        self.history.lock().bytes()
    }

    /// Entries in memory for them.
    pub fn entries(&self) -> usize {
        self.history.lock().entries()
    }

    /// What comes next. `done`: the log with which purge is through.
    fn step(&self, below: u64, done: Option<&History>) -> Step {
        let mut pending = self.history.lock();
        if let Some(h) = done {
            pending.remove(h);
        }
        pending.step(below)
    }
}

/// Purge may be within a log. If it gives up, it begins the log again when it comes again.
struct Batch<'p> {
    purge: &'p Purge,
    /// Within one.
    current: bool,
    done: u64,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if self.current {
            self.purge.history.lock().leave();
        }
        self.purge.stats.transactions.fetch_add(self.done, Ordering::Relaxed);
    }
}

/// Purges up to `max` transactions; returns how many.
pub async fn purge(db: &System, max: usize) -> Result<usize> {
    let _running = db.purge.running.lock().await;
    let oldest = db.trx.oldest_view();
    let below = oldest.no + u64::from(planted::is(Bug::PurgeOneViewEarly));
    // Any that is opened later sees all transactions of this batch.
    let views = if cfg!(debug_assertions) { db.trx.views() } else { Vec::new() };
    let mut batch = Batch { purge: &db.purge, current: false, done: 0 };
    let mut before: Option<History> = None;
    loop {
        let full = batch.done >= max as u64;
        let step = db.purge.step(if full { 0 } else { below }, before.take().as_ref());
        batch.current = matches!(step, Step::Log(_));
        let h = match step {
            Step::Log(h) => h,
            Step::List(unlisted) => {
                list(db, &unlisted).await?;
                continue;
            }
            Step::Nothing => return Ok(batch.done as usize),
        };
        debug_assert!(
            planted::is(Bug::PurgeOneViewEarly) || views.iter().all(|v| v.sees(h.trx)),
            "I11: a view may need what transaction {} replaced",
            h.trx
        );
        purge_log(db, &h, &oldest).await?;
        batch.done += 1;
        before = Some(h);
    }
}

/// Lists some logs of a slot's chain, which were too many to be listed when they were committed.
async fn list(db: &System, u: &Unlisted) -> Result<()> {
    let (mut logs, mut rest) = (Vec::new(), u.upto);
    let mut pages = Pages { at: Some(u.from), end: u.upto };
    'all: while let Some(piece) = pages.next(&db.core).await? {
        let mut off = piece.from;
        while off < piece.to {
            let (rec, at, next) = piece.record(off)?;
            let full = logs.len() == LISTED_AT_ONCE;
            match (rec, logs.last_mut()) {
                (UndoRecord::Header { .. }, _) if full => {
                    rest = at;
                    break 'all;
                }
                (UndoRecord::Header { trx, committed: true, no, .. }, _) => {
                    let bytes = u64::from(next - off);
                    let end = UndoPosition { page: at.page, off: next };
                    logs.push(History {
                        no,
                        trx,
                        slot: u.slot,
                        begin: at,
                        end,
                        bytes,
                        work: false,
                    });
                }
                (UndoRecord::Header { .. }, _) | (_, None) => return Err(undo::damaged(at)),
                (rec, Some(h)) => {
                    h.work |= matches!(&rec, UndoRecord::Change(c) if c.leaves_work());
                    h.bytes += u64::from(next - off);
                    h.end = UndoPosition { page: at.page, off: next };
                }
            }
            off = next;
        }
    }
    let found = db.purge.history.lock().list_found(u.slot, &logs, rest);
    found.ok_or_else(|| undo::damaged(u.from))
}

/// The pages of a committed log, one after the other.
struct Pages {
    at: Option<UndoPosition>,
    end: UndoPosition,
}

/// A copy of the log's records in one undo page, and where they are in it.
struct Piece {
    no: PageNo,
    records: Vec<u8>,
    from: u32,
    to: u32,
}

impl Pages {
    fn of((begin, end): (UndoPosition, UndoPosition)) -> Pages {
        Pages { at: Some(begin), end }
    }

    /// Not a single one.
    fn none(h: &History) -> Pages {
        Pages { at: None, end: h.end }
    }

    async fn next(&mut self, core: &mtr::Core) -> Result<Option<Piece>> {
        let Some(at) = self.at else { return Ok(None) };
        let last = at.page == self.end.page;
        let end = last.then_some(self.end.off);
        let (records, to, next) = undo::read_records(core, at, end).await?;
        self.at = (!last).then_some(UndoPosition { page: next, off: UNDO_BODY as u32 });
        Ok(Some(Piece { no: at.page, records, from: at.off, to }))
    }
}

impl Piece {
    /// The record at `off` and where the next one begins.
    fn record(&self, off: u32) -> Result<(UndoRecord<'_>, UndoPosition, u32)> {
        let at = UndoPosition { page: self.no, off };
        let (rec, len) =
            undo::record_in(&self.records, off - self.from).map_err(|_| undo::damaged(at))?;
        Ok((rec, at, off + len))
    }
}

async fn purge_log(db: &System, h: &History, oldest: &Arc<View>) -> Result<()> {
    let mut trx: TrxId = h.trx;
    let mut pages = if h.work { Pages::of((h.begin, h.end)) } else { Pages::none(h) };
    while let Some(piece) = pages.next(&db.core).await? {
        let mut off = piece.from;
        while off < piece.to {
            let (rec, at, next) = piece.record(off)?;
            match rec {
                UndoRecord::Header { trx: id, .. } => trx = id,
                UndoRecord::Insert { .. }
                | UndoRecord::External { .. }
                | UndoRecord::Xid { .. } => {}
                UndoRecord::Change(c) => {
                    while let Some(before) = db.handles.by_id(c.table) {
                        let _alone = before.hold_purge().await;
                        // Behind the gate, because a definition statement may have had it.
                        let Some(t) = db.handles.by_id(c.table) else { break };
                        // The rows have changed places with a partition's, and have another gate.
                        if !t.has_gate_of(&before) {
                            continue;
                        }
                        let done = match t.met().await {
                            Ok(()) => purge_change(db, oldest, &t, &c, trx, at).await,
                            refused => refused,
                        };
                        unless_lasting(db, &t, done).await?;
                        break;
                    }
                    db.purge.stats.records.fetch_add(1, Ordering::Relaxed);
                }
            }
            off = next;
        }
    }
    drop_pages(db, h).await
}

/// What the history still has of a table.
#[derive(Default)]
pub struct Kept {
    /// First pages of the long columns that only older versions have.
    pub chains: Vec<PageNo>,
    /// Purge will come to some row of it: marks and deleted rows have their reason.
    pub work: bool,
}

/// Looks through the history for a table. The caller holds `running`.
pub async fn kept_for(db: &System, table: u64) -> Result<Kept> {
    let pieces = db.purge.history.lock().pieces();
    let mut kept = Kept::default();
    for piece in pieces {
        let mut pages = Pages::of(piece);
        while let Some(piece) = pages.next(&db.core).await? {
            let mut off = piece.from;
            while off < piece.to {
                let (rec, _, next) = piece.record(off)?;
                if let UndoRecord::Change(c) = rec
                    && c.table == table
                {
                    kept.work = true;
                    if !c.purged {
                        kept.chains.extend_from_slice(&c.externals);
                    }
                }
                off = next;
            }
        }
    }
    Ok(kept)
}

/// Frees the pages of the slot's chain that lie before the end of this log. Each is noted as gone before the next: where this
/// stops with an error, purge comes again, and meanwhile nobody who walks the history may follow it into a page that is free.
async fn drop_pages(db: &System, h: &History) -> Result<()> {
    let known = db.purge.first.lock().get(&h.slot).copied();
    let mut first = match known {
        Some(page) => page,
        None => db.purge.first_of(db, h.slot, h.end.page).await?,
    };
    let mut begin = h.begin.page;
    while first != h.end.page {
        let next = db.undo_slots.drop_first_page(&db.core, h.slot, first).await?;
        if !planted::is(Bug::DroppedUndoNotNoted) {
            db.purge.set_first(h.slot, next);
            if begin == first {
                begin = next;
                db.purge.begins_at(h.no, next);
            }
        }
        first = next;
    }
    if known != Some(first) {
        db.purge.set_first(h.slot, first);
    }
    Ok(())
}

async fn purge_change(
    db: &System,
    oldest: &Arc<View>,
    t: &Arc<Table>,
    c: &undo::Change<'_>,
    trx: TrxId,
    at: UndoPosition,
) -> Result<()> {
    let most = if planted::is(Bug::OneObsoleteEntryPurged) { 1 } else { usize::MAX };
    let entries = c.obsolete.iter().filter(|_| !planted::is(Bug::PurgeForgetsEntry));
    for (index, entry) in entries.take(most) {
        if let Some(i) = t.index_position(*index) {
            remove_if_unneeded(db, oldest, t, i, entry, c.key).await?;
        }
    }
    if !c.externals.is_empty() && !c.purged {
        for first in &c.externals {
            external::free_tail(&db.core, &t.space, *first).await?;
        }
        mtr::run(&db.core, 64 + c.externals.len() * 32, |w| {
            let mut g = w.gather();
            let freed = external::free_heads(&mut g, &t.space, &c.externals)?;
            let mark = undo::mark_purged(&mut g, at)?;
            let mut a = g.seal(48 + c.externals.len() * 24)?;
            for f in &freed {
                f.clear(&mut a);
            }
            if !planted::is(Bug::ChainFreedTwice) {
                mark.set(&mut a);
            }
            a.commit();
            Ok(())
        })
        .await?;
    }
    // A delete leaves the row's bytes as they were, so its patch has nothing in it: others need not look at the row.
    if c.patch.middle.is_empty() {
        purge_deleted(db, oldest, t, c.key, trx, at).await
    } else {
        Ok(())
    }
}

async fn remove_if_unneeded(
    db: &System,
    oldest: &Arc<View>,
    t: &Arc<Table>,
    i: usize,
    entry: &[u8],
    key: &[u8],
) -> Result<()> {
    secondary::remove(&db.core, &db.locks, t, i, entry, true, false, |g| {
        let Some((p, s)) = super::rows::clustered_cell(g, t, key)? else { return Ok(false) };
        let v = slotted::value(g.bytes(p), s).to_vec();
        let core = g.core();
        version::any_version(core, oldest, &v, false, |row| {
            external::has_entry(core, t, i, row, key, entry)
        })
    })
    .await
}

/// A rollback gave a deleted row back. Purge may have passed while somebody else had the row, and will not come again.
pub(super) async fn purge_given_back(
    db: &System,
    t: &Arc<Table>,
    key: &[u8],
    h: &RowHeader,
) -> Result<()> {
    let Some(at) = UndoPosition::from_roll_pointer(h.roll) else { return Ok(()) };
    if planted::is(Bug::GivenBackNotPurged) {
        return Ok(());
    }
    // Only a row whose older versions have been purged may go: while their index entries stand, a row with the same key is not one that has
    // no entry yet. Purge goes by commit number, so it comes to them before it comes to the deletion.
    while !planted::is(Bug::GivenBackTooEarly) {
        match progress(db, t, key, h.trx, at).await? {
            Progress::Before => return Ok(()),
            Progress::Within => db.rt.sleep(WITHIN_A_LOG).await,
            Progress::Past | Progress::Unknown => break,
        }
    }
    // One at a time has the row's long columns.
    let _alone = t.hold_purge().await;
    let oldest = db.trx.oldest_view();
    if !oldest.sees(h.trx) {
        return Ok(());
    }
    purge_deleted(db, &oldest, t, key, h.trx, at).await
}

/// How far purge has come with the transaction that has made a row what it is, with the record at `at`.
async fn progress(
    db: &System,
    t: &Table,
    key: &[u8],
    trx: TrxId,
    at: UndoPosition,
) -> Result<Progress> {
    let known = db.purge.history.lock().progress(trx);
    if known != Progress::Unknown {
        return Ok(known);
    }
    // As long as purge has not passed the transaction, its record is there, in a page of its slot.
    let slot = mtr::run(&db.core, 0, |w| slot_of(db, w, t, key, at)).await?;
    let pending = db.purge.history.lock();
    Ok(match slot {
        Some(slot) => pending.progress_in(slot, trx),
        None => pending.progress(trx),
    })
}

/// The slot whose chain has a change of the row at `at`. The row is what that change made it, or one of the same row in another page of undo
/// that has come to this place since: that one is of the transaction that is being rolled back, and leads here.
fn slot_of(
    db: &System,
    w: &mut Work<'_>,
    t: &Table,
    key: &[u8],
    at: UndoPosition,
) -> Attempt<Option<u16>> {
    let undo = db.core.spaces.get(space::UNDO).expect("the undo space is always open");
    let mut g = w.gather();
    if at.page >= undo.pages() || !space::is_allocated(&mut g, &undo, at.page)? {
        return Ok(None);
    }
    let p = g.fix(undo::id(at.page), LatchMode::S)?;
    let (b, mut off) = (g.bytes(p), UNDO_BODY as u32);
    if page::page_type(b) != Some(PageType::Undo) {
        return Ok(None);
    }
    let end = undo::free_pointer(b);
    while off < at.off.min(end) {
        let Ok((_, len)) = undo::record_at(b, off) else { return Ok(None) };
        off += len;
    }
    let is_its = |c: &undo::Change<'_>| {
        c.key == key
            && c.old_roll != at.roll_pointer()
            && db.handles.by_id(c.table).is_some_and(|known| known.def.id == t.def.id)
    };
    let there = (off == at.off && off < end).then(|| undo::record_at(b, off));
    Ok(match there {
        Some(Ok((UndoRecord::Change(c), _))) if is_its(&c) => Some(page::owner(b) as u16),
        _ => None,
    })
}

/// If the change was a delete and its mark still stands, the row goes, after its entries.
async fn purge_deleted(
    db: &System,
    oldest: &Arc<View>,
    t: &Arc<Table>,
    key: &[u8],
    trx: TrxId,
    at: UndoPosition,
) -> Result<()> {
    let index = &t.indexes[0];
    let is_ours = |v: &[u8]| {
        let h = RowHeader::read(v);
        h.is_deleted() && h.trx == trx && h.roll == at.roll_pointer()
    };
    let row = mtr::run(&db.core, 0, |w| {
        let g = btree::leaf(w.core, &index.tree, key, crate::pool::Access::Scan)?;
        let Ok(s) = slotted::search(g.bytes(), key) else { return Ok(None) };
        let v = slotted::value(g.bytes(), s);
        Ok(is_ours(v).then(|| v[version::HEADER..].to_vec()))
    })
    .await?;
    let Some(stored) = row else { return Ok(()) };
    // Where a stop came between the freeing of long columns and the removal, the entries had gone before.
    if let Some(full) = external::whole(&db.core, t, &stored).await? {
        for i in 1..t.indexes.len() {
            for entry in t.entries(i, &full, key)? {
                remove_if_unneeded(db, oldest, t, i, &entry, key).await?;
            }
        }
    }
    let chains = external::chains(t, &stored);
    for c in &chains {
        external::free_tail(&db.core, &t.space, *c).await?;
    }
    let removed = mtr::run(&db.core, 192 + chains.len() * 32, |w| {
        let mut g = w.gather();
        let place = btree::place(&mut g, &index.tree, key)?;
        let Ok(slot) = place.slot else { return Ok(false) };
        if !is_ours(slotted::value(g.bytes(place.leaf), slot)) {
            return Ok(false);
        }
        if planted::is(Bug::PurgeForgetsRow) && slotted::count(g.bytes(place.leaf)) == 1 {
            return Ok(false);
        }
        let next = secondary::successor_if_locked(&mut g, &db.locks, index, key)?;
        let freed = external::free_heads(&mut g, &t.space, &chains)?;
        let mut a = g.seal(96 + chains.len() * 24)?;
        a.record(place.leaf, &Redo::SlotRemove { slot: slot as u16 });
        for f in &freed {
            f.clear(&mut a);
        }
        if let Some(next) = next {
            db.locks.inherit_on_remove(index.id, key, next.as_deref());
        }
        a.commit();
        Ok(true)
    })
    .await?;
    if removed {
        db.purge.stats.rows_removed.fetch_add(1, Ordering::Relaxed);
        btree::merge_soon(&db.core, &index.tree, key).await?;
    }
    Ok(())
}
