//! Purge: what no view needs any more is removed for good, in commit order.

use super::System;
use super::external;
use super::give_up::unless_lasting;
use super::secondary;
use super::undo::{self, History, UndoLog, UndoPosition, UndoRecord};
use super::version::{self, RowHeader};
use super::view::View;
use crate::btree;
use crate::error::Result;
use crate::ids::{PageNo, TrxId};
use crate::mtr;
use crate::page::redo::{Redo, UNDO_BODY};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::table::Table;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use weir_rt::{AsyncMutex, Notify};

/// Whether purge is done with a log is asked so often.
const WITHIN_A_LOG: Duration = Duration::from_millis(1);

#[derive(Default)]
pub struct PurgeStats {
    pub transactions: AtomicU64,
    pub records: AtomicU64,
    pub rows_removed: AtomicU64,
}

/// Committed transactions whose undo is still there: 48 bytes for each. They come nearly in order, so a new one has its place near
/// the end of both lists.
#[derive(Default)]
struct Pending {
    /// By commit number.
    by_no: VecDeque<History>,
    /// Their ids, ascending.
    ids: VecDeque<TrxId>,
    /// The id of the one whose log is being purged.
    current: Option<TrxId>,
}

impl Pending {
    fn push(&mut self, h: History) {
        // They come in their order nearly always.
        if self.by_no.back().is_none_or(|last| last.no < h.no)
            && self.ids.back().is_none_or(|last| *last < h.trx)
        {
            self.ids.push_back(h.trx);
            return self.by_no.push_back(h);
        }
        let at = self.by_no.partition_point(|o| o.no < h.no);
        self.by_no.insert(at, h);
        let at = self.ids.partition_point(|id| *id < h.trx);
        self.ids.insert(at, h.trx);
    }

    fn get_mut(&mut self, no: u64) -> Option<&mut History> {
        let at = self.by_no.binary_search_by_key(&no, |h| h.no).ok()?;
        self.by_no.get_mut(at)
    }

    fn remove(&mut self, h: &History) {
        if let Ok(at) = self.by_no.binary_search_by_key(&h.no, |o| o.no) {
            self.by_no.remove(at);
        }
        if let Ok(at) = self.ids.binary_search(&h.trx) {
            self.ids.remove(at);
        }
        // What a long snapshot has kept is given back when purge is through with it.
        if self.by_no.len() < self.by_no.capacity() / 8 {
            self.by_no.shrink_to(self.by_no.len() * 2);
            self.ids.shrink_to(self.ids.len() * 2);
        }
    }
}

/// How far purge has come with a committed transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    /// Its log has not been begun.
    Before,
    Within,
    /// It is done with its log, and with those of all transactions that committed before.
    Past,
}

pub struct Purge {
    history: Mutex<Pending>,
    /// First page of each slot's chain, as far as known.
    first: Mutex<HashMap<u16, PageNo>>,
    pub wake: Notify,
    /// Held while logs are purged: who holds it finds the undo of the history where it is. Taken before a table's gate.
    pub running: AsyncMutex<()>,
    pub stats: PurgeStats,
}

impl Default for Purge {
    fn default() -> Purge {
        Purge {
            history: Mutex::default(),
            first: Mutex::default(),
            wake: Notify::default(),
            running: AsyncMutex::new(()),
            stats: PurgeStats::default(),
        }
    }
}

impl Purge {
    /// A transaction is about to be seen as committed; its log may hold work for purge. It is known before anybody may take it for one
    /// that purge has passed.
    pub fn add(&self, no: u64, trx: TrxId, log: &UndoLog) {
        if let Some(h) = log.history(no, trx) {
            self.push(h);
        }
    }

    /// What a start has found, in any order.
    pub fn adopt(&self, mut all: Vec<History>) {
        all.sort_unstable_by_key(|h| h.no);
        all.into_iter().for_each(|h| self.push(h));
    }

    pub fn push(&self, h: History) {
        self.history.lock().push(h);
        self.wake();
    }

    /// As [`Purge::add`], before which the caller's latches go; [`Purge::wake`] comes after them.
    pub(super) fn add_quietly(&self, no: u64, trx: TrxId, log: &UndoLog) {
        if let Some(h) = log.history(no, trx) {
            self.history.lock().push(h);
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
        self.history.lock().by_no.iter().any(|h| h.slot == slot)
    }

    /// Committed transactions not yet purged: MySQL's "history list length".
    pub fn history_length(&self) -> usize {
        self.history.lock().by_no.len()
    }

    /// The next log to be purged, which is the current one from here on. `done`: the one before, with which purge is through.
    fn next(&self, below: u64, done: Option<&History>) -> Option<History> {
        let mut pending = self.history.lock();
        if let Some(h) = done {
            pending.remove(h);
        }
        let next = pending.by_no.front().copied().filter(|h| h.no < below);
        pending.current = next.map(|h| h.trx);
        next
    }

    fn progress(&self, trx: TrxId) -> Progress {
        let pending = self.history.lock();
        match pending.ids.binary_search(&trx) {
            Err(_) => Progress::Past,
            Ok(_) if pending.current == Some(trx) => Progress::Within,
            Ok(_) => Progress::Before,
        }
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
            self.purge.history.lock().current = None;
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
        let next = db.purge.next(if full { 0 } else { below }, before.as_ref());
        batch.current = next.is_some();
        let Some(h) = next else { return Ok(batch.done as usize) };
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
    fn of(h: &History) -> Pages {
        Pages { at: Some(h.begin), end: h.end }
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
    let mut pages = if h.work { Pages::of(h) } else { Pages::none(h) };
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
    let logs: Vec<History> = db.purge.history.lock().by_no.iter().copied().collect();
    let mut kept = Kept::default();
    for h in logs {
        let mut pages = Pages::of(&h);
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
        match db.purge.progress(h.trx) {
            Progress::Before => return Ok(()),
            Progress::Within => db.rt.sleep(WITHIN_A_LOG).await,
            Progress::Past => break,
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
