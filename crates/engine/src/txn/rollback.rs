//! Rollback: a transaction's changes undone backwards, whole or to a savepoint, live or after a crash.
//!
//! Each step undoes the secondary entries first (repeating that is harmless), then the clustered row together with the
//! truncation of the undo record, in one mini-transaction. Where that gives a deleted row of another transaction back, which purge may have
//! passed already, purge is caught up with between the two.

use super::System;
use super::external;
use super::give_up::unless_lasting;
use super::secondary;
use super::told;
use super::undo::{self, UndoLog, UndoPosition, UndoRecord};
use super::version::{self, DELETED, HEADER, RowHeader};
use crate::btree;
use crate::error::{Error, Result};
use crate::ids::{PageId, PageNo, TrxId};
use crate::mtr::{self, Apply, Attempt, Gather, P, Stop, Work};
use crate::page::redo::{Redo, UNDO_BODY, UNDO_FREE};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::{Access, LatchMode};
use crate::space;
use crate::table::{Table, lacking};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RollbackTarget {
    All,
    Position(UndoPosition),
}

/// An undo record copied out of its page.
enum Owned {
    /// Of the log itself, not of a table.
    OfLog,
    Insert {
        table: u64,
        key: Vec<u8>,
    },
    Change {
        table: u64,
        key: Vec<u8>,
        old_flags: u8,
        old: RowHeader,
        record: Vec<u8>,
    },
    External {
        table: u64,
        page: PageNo,
    },
}

impl Owned {
    fn table(&self) -> Option<u64> {
        match self {
            Owned::OfLog => None,
            Owned::Insert { table, .. }
            | Owned::Change { table, .. }
            | Owned::External { table, .. } => Some(*table),
        }
    }
}

/// Undoes everything behind the target and truncates the log.
pub async fn rollback_log(
    db: &System,
    trx: TrxId,
    log: &mut UndoLog,
    target: RollbackTarget,
) -> Result<()> {
    let target = match target {
        RollbackTarget::All => log.begin(),
        RollbackTarget::Position(p) => p,
    };
    loop {
        let at = log.position();
        // What lies below the begin in the same page is of transactions that have committed.
        if at == target || at == log.begin() {
            break;
        }
        if at.off as usize == UNDO_BODY {
            if at.page == log.begin().page {
                break;
            }
            if target != log.begin() && planted::is(Bug::SavepointEndsAtPage) {
                break;
            }
            undo::drop_last_page(&db.core, log).await?;
            continue;
        }
        undo_last(db, trx, log, target).await?;
    }
    log.set_position(log.position());
    Ok(())
}

async fn undo_last(db: &System, trx: TrxId, log: &mut UndoLog, target: UndoPosition) -> Result<()> {
    let end = log.position();
    let (start, rec) = mtr::run(&db.core, 0, |w| read_before(w, end)).await?;
    let to = UndoPosition { page: end.page, off: start };
    match rec {
        Owned::OfLog => truncate(db, log, to).await,
        _ if planted::is(Bug::SavepointKeepsChange) && to == target => truncate(db, log, to).await,
        _ => match rec.table().and_then(|id| db.handles.by_id(id)) {
            None => truncate(db, log, to).await,
            Some(t) => {
                let done = match t.met().await {
                    Ok(()) => undo_record(db, trx, &t, rec, log, to).await,
                    refused => refused,
                };
                match unless_lasting(db, &t, done).await? {
                    true => Ok(()),
                    false => truncate(db, log, to).await,
                }
            }
        },
    }
}

/// Undoes one change of a table and cuts its record off.
async fn undo_record(
    db: &System,
    trx: TrxId,
    t: &Arc<Table>,
    rec: Owned,
    log: &mut UndoLog,
    to: UndoPosition,
) -> Result<()> {
    match rec {
        Owned::OfLog => truncate(db, log, to).await,
        Owned::Insert { key, .. } => undo_insert(db, trx, t, &key, log, to).await,
        Owned::Change { key, old, record, old_flags, .. } => {
            undo_change(db, trx, t, &key, old, old_flags, &record, log, to).await
        }
        Owned::External { page, .. } => {
            external::free_tail(&db.core, &t.space, page).await?;
            free_chain_head(db, t, page, log, to).await
        }
    }
}

fn read_before(w: &mut Work<'_>, end: UndoPosition) -> Attempt<(u32, Owned)> {
    let mut g = w.gather();
    let p = g.fix(PageId::new(space::UNDO, end.page), LatchMode::S)?;
    let b = g.bytes(p);
    let bad = |_| Stop::Err(undo::damaged(end));
    let start = undo::record_before(b, end.off).map_err(bad)?;
    let (rec, len) = undo::record_at(b, start).map_err(bad)?;
    let owned = match rec {
        UndoRecord::Header { .. } | UndoRecord::Xid { .. } => Owned::OfLog,
        UndoRecord::Insert { table, key } => Owned::Insert { table, key: key.to_vec() },
        UndoRecord::External { table, page } => Owned::External { table, page },
        UndoRecord::Change(c) => Owned::Change {
            table: c.table,
            key: c.key.to_vec(),
            old_flags: c.old_flags,
            old: RowHeader { flags: c.old_flags, trx: c.old_trx, roll: c.old_roll },
            record: b[start as usize..(start + len) as usize].to_vec(),
        },
    };
    Ok((start, owned))
}

/// The truncation: part of the mini-transaction that undoes the change. The position in memory moves as soon as that one is
/// done, before anything else that may fail: the same record undone again would meet the row's older version.
struct Cut {
    page: P,
    off: u32,
}

fn gather_cut(g: &mut Gather<'_, '_>, to: UndoPosition) -> Attempt<Cut> {
    let page = g.fix(PageId::new(space::UNDO, to.page), LatchMode::X)?;
    Ok(Cut { page, off: to.off })
}

impl Cut {
    fn apply(&self, a: &mut Apply<'_>) {
        a.record(self.page, &Redo::Bytes { off: UNDO_FREE as u32, data: &self.off.to_le_bytes() });
    }
}

async fn truncate(db: &System, log: &mut UndoLog, to: UndoPosition) -> Result<()> {
    mtr::run(&db.core, 64, |w| {
        let mut g = w.gather();
        let cut = gather_cut(&mut g, to)?;
        let mut a = g.seal(48)?;
        cut.apply(&mut a);
        a.commit();
        Ok(())
    })
    .await?;
    log.set_position(to);
    Ok(())
}

async fn free_chain_head(
    db: &System,
    t: &Table,
    page: PageNo,
    log: &mut UndoLog,
    to: UndoPosition,
) -> Result<()> {
    mtr::run(&db.core, 128, |w| {
        let mut g = w.gather();
        let freed = space::free(&mut g, &t.space, page)?;
        let cut = gather_cut(&mut g, to)?;
        let mut a = g.seal(96)?;
        freed.clear(&mut a);
        cut.apply(&mut a);
        a.commit();
        Ok(())
    })
    .await?;
    log.set_position(to);
    Ok(())
}

/// The clustered cell's value, if this transaction wrote it last.
async fn own_value(db: &System, trx: TrxId, t: &Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
    mtr::run(&db.core, 0, |w| {
        let g = btree::leaf(w.core, &t.indexes[0].tree, key, Access::Point)?;
        let Ok(s) = slotted::search(g.bytes(), key) else { return Ok(None) };
        let v = slotted::value(g.bytes(), s);
        Ok((RowHeader::read(v).trx == trx).then(|| v.to_vec()))
    })
    .await
}

async fn undo_insert(
    db: &System,
    trx: TrxId,
    t: &Arc<Table>,
    key: &[u8],
    log: &mut UndoLog,
    to: UndoPosition,
) -> Result<()> {
    let Some(value) = own_value(db, trx, t, key).await? else {
        return truncate(db, log, to).await;
    };
    let row = external::materialise(&db.core, t, &value[HEADER..]).await?;
    for i in (1..t.indexes.len()).rev() {
        if planted::is(Bug::RollbackForgetsEntry) {
            break;
        }
        for entry in t.entries(i, &row, key)?.into_iter().rev() {
            secondary::remove(&db.core, &db.locks, t, i, &entry, false, false, |_| Ok(false))
                .await?;
        }
    }
    if !planted::is(Bug::RowLogAfterUndo) {
        told::tell_undone(&db.core, t, key, Some(&row), None).await?;
    }
    let index = &t.indexes[0];
    mtr::run(&db.core, 160, |w| {
        let mut g = w.gather();
        let at = btree::place(&mut g, &index.tree, key)?;
        let Ok(slot) = at.slot else { return Err(Stop::Err(t.lost_row(key))) };
        let next = secondary::successor_if_locked(&mut g, &db.locks, index, key)?;
        let cut = gather_cut(&mut g, to)?;
        let mut a = g.seal(96)?;
        a.record(at.leaf, &Redo::SlotRemove { slot: slot as u16 });
        if let Some(next) = next {
            db.locks.inherit_on_remove(index.id, key, next.as_deref());
        }
        cut.apply(&mut a);
        a.commit();
        Ok(())
    })
    .await?;
    log.set_position(to);
    t.rows.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
    if planted::is(Bug::RowLogAfterUndo) {
        db.rt.sleep(std::time::Duration::from_micros(200)).await;
        told::tell_undone(&db.core, t, key, Some(&row), None).await?;
    }
    btree::merge_soon(&db.core, &index.tree, key).await
}

#[allow(clippy::too_many_arguments)]
async fn undo_change(
    db: &System,
    trx: TrxId,
    t: &Arc<Table>,
    key: &[u8],
    old: RowHeader,
    old_flags: u8,
    record: &[u8],
    log: &mut UndoLog,
    to: UndoPosition,
) -> Result<()> {
    let Some(value) = own_value(db, trx, t, key).await? else {
        // Undone before a crash, or before an error.
        if old.is_deleted() {
            super::purge::purge_given_back(db, t, key, &old).await?;
        }
        return truncate(db, log, to).await;
    };
    let now = RowHeader::read(&value);
    let old_stored = old_row(record, &value[HEADER..], to)?;
    let new_row = external::materialise(&db.core, t, &value[HEADER..]).await?;
    // A deleted row has no entries to be put back, and purge may have its long columns already.
    let was = old_flags & DELETED == 0;
    let old_full =
        if was { Some(external::materialise(&db.core, t, &old_stored).await?) } else { None };
    let is = !now.is_deleted();
    for i in 1..t.indexes.len() {
        let old = old_full.as_ref().map(|row| t.entries(i, row, key)).transpose()?;
        let (old, new) = (old.unwrap_or_default(), t.entries(i, &new_row, key)?);
        for b in lacking(&new, &old).into_iter().filter(|_| is) {
            // The newer version's entry: gone, unless an older version that someone may read in this index has it too; views that
            // are older than the index may not, and of versions that only they read it never had entries. Who may is asked under
            // the latch of the entry's leaf: purge, which comes to the entry once, has either been there and had as young a view,
            // or will come and find the mark.
            let from = match planted::is(Bug::EntryKeptForOlderViews) {
                true => 0,
                false => t.indexes[i].visible_from,
            };
            let before = planted::is(Bug::ViewBeforeLatch).then(|| db.trx.oldest_view());
            secondary::remove(&db.core, &db.locks, t, i, b, false, true, |g| {
                let oldest = before.clone().unwrap_or_else(|| db.trx.oldest_view_from(from));
                let Some((p, s)) = super::rows::clustered_cell(g, t, key)? else {
                    return Ok(false);
                };
                let v = slotted::value(g.bytes(p), s).to_vec();
                let core = g.core();
                version::any_version(core, &oldest, &v, true, |row| {
                    external::has_entry(core, t, i, row, key, b)
                })
            })
            .await?;
        }
        if planted::is(Bug::RollbackKeepsMark) {
            continue;
        }
        let marked = if is { lacking(&old, &new) } else { old.iter().collect() };
        for a in marked {
            secondary::unmark(&db.core, t, i, a, trx).await?;
        }
    }
    let gone = is.then_some(&new_row[..]);
    told::tell_undone(&db.core, t, key, gone, old_full.as_deref()).await?;
    // A deleted row of another transaction, whose own record may be purged: as long as this record is there, somebody comes to it
    // again. Its row is not this transaction's any more, so it will not be undone twice.
    let purged_first = old.is_deleted() && old.trx != trx && !planted::is(Bug::GivenBackCutEarly);
    let index = &t.indexes[0];
    let need = btree::replace_need(value.len(), HEADER + old_stored.len()) + 96;
    mtr::run(&db.core, need, |w| {
        let mut g = w.gather();
        let at = btree::place(&mut g, &index.tree, key)?;
        let Ok(slot) = at.slot else { return Err(Stop::Err(t.lost_row(key))) };
        btree::room_for_replace(&g, &index.tree, at.leaf, slot, key, HEADER + old_stored.len())?;
        let cut = gather_cut(&mut g, to)?;
        let mut a = g.seal(need)?;
        btree::replace(&mut a, at.leaf, slot, &old.with(&old_stored));
        if !purged_first {
            cut.apply(&mut a);
        }
        a.commit();
        Ok(())
    })
    .await?;
    if !purged_first {
        log.set_position(to);
    }
    let live = |deleted: bool| i64::from(!deleted);
    t.rows.fetch_add(
        live(old.is_deleted()) - live(now.is_deleted()),
        std::sync::atomic::Ordering::Relaxed,
    );
    if old.is_deleted() {
        super::purge::purge_given_back(db, t, key, &old).await?;
    }
    if purged_first {
        truncate(db, log, to).await?;
    }
    Ok(())
}

/// Applies the patch of a copied change record.
fn old_row(record: &[u8], new: &[u8], at: UndoPosition) -> Result<Vec<u8>> {
    let mut page = vec![0u8; UNDO_BODY + record.len()];
    page[4] = crate::page::PageType::Undo as u8;
    page[UNDO_BODY..].copy_from_slice(record);
    match undo::record_at(&page, UNDO_BODY as u32) {
        Ok((UndoRecord::Change(c), _)) => c.patch.apply(new).ok_or_else(|| undo::damaged(at)),
        _ => Err(undo::damaged(at)),
    }
}

impl From<crate::page::codec::Truncated> for Error {
    fn from(_: crate::page::codec::Truncated) -> Error {
        Error::Corrupt { what: "a record ends early".into(), place: "undo or catalog data".into() }
    }
}
