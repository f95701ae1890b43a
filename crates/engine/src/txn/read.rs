//! Point reads: by the full key of a unique index, with or without a lock.

use super::secondary::{is_marked, pk_offset};
use super::version::{self, HEADER, RowHeader};
use super::{Isolation, LockMode, OnLocked, RowAttempt, Txn, external, met_a_lock};
use crate::btree::{self, next_key};
use crate::error::{Error, Result};
use crate::lock::{Kind, LockName, Mode};
use crate::mtr::{self, Attempt, Work};
use crate::page::slotted;
use crate::pool::Access;
use crate::row::has_external;
use crate::row::key::prefix_successor;
use crate::table::{Table, Use};
use std::sync::Arc;

/// A row and its clustered key; the buffers are reused from read to read.
#[derive(Default, Clone, Debug)]
pub struct RowBuf {
    pub key: Vec<u8>,
    pub row: Vec<u8>,
}

impl Txn {
    /// Which versions a plain read sees: `None` = the newest.
    pub(super) fn read_view(&mut self) -> Option<Arc<super::View>> {
        match self.o.isolation {
            Isolation::ReadUncommitted => None,
            _ => Some(self.ensure_view()),
        }
    }

    /// A snapshot older than the table's (or index's) definition cannot read it. A new handle would not help.
    pub(super) fn check_age(&self, t: &Table, index: usize) -> Result<()> {
        match &self.view {
            Some(v) if v.no < t.indexes[index].visible_from => {
                Err(Error::SnapshotTooOld { table: t.def.name.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Locks the beginning of a key, which is no row's, until the end of the transaction: for those who give rows behind it numbers. A lock
    /// of the last row would not do, for in an empty group there is none.
    pub async fn lock_numbers(
        &mut self,
        t: &Arc<Table>,
        index: usize,
        prefix: &[u8],
    ) -> Result<()> {
        self.use_table(t, true).await?;
        self.check_alive()?;
        let name = LockName::new(t.indexes[index].id, Some(prefix));
        let lock = |txn: &mut Txn, _: &mut Work<'_>| {
            txn.request(&name, Mode::X, Kind::Record, OnLocked::Wait)
        };
        self.drive(0, lock).await
    }

    /// Reads the row with a full key of a unique index. Returns false when there is none for this reader.
    pub async fn get(
        &mut self,
        t: &Arc<Table>,
        index: usize,
        key: &[u8],
        lock: LockMode,
        on_locked: OnLocked,
        out: &mut RowBuf,
    ) -> Result<bool> {
        self.use_table(t, lock == LockMode::Exclusive).await?;
        let found = if index == 0 {
            self.get_clustered(t, key, lock, on_locked, out).await?
        } else {
            self.get_by_secondary(t, index, key, lock, on_locked, out).await?
        };
        let found = found
            && (!t.may_have_external() || self.fetch_long(t, &out.key, &mut out.row, lock).await?);
        if found {
            self.db.stats.rows_read.add(1);
            t.indexes[index].uses.add(Use::Fetched, 1);
        }
        Ok(found)
    }

    /// Puts the long columns of a row that was read with `lock` in place; false: the row is gone.
    pub(super) async fn fetch_long(
        &self,
        t: &Arc<Table>,
        key: &[u8],
        row: &mut Vec<u8>,
        lock: LockMode,
    ) -> Result<bool> {
        if !has_external(row) {
            return Ok(true);
        }
        if lock == LockMode::None && self.o.isolation == Isolation::ReadUncommitted {
            return self.fetch_newest(t, key, row).await;
        }
        *row = external::materialise(&self.db.core, t, row).await?;
        Ok(true)
    }

    /// READ UNCOMMITTED has no view that keeps a version's long columns: who made it may roll back while they are read. A
    /// cell that is the same before and after had them all the time; otherwise the newer one is read.
    async fn fetch_newest(&self, t: &Arc<Table>, key: &[u8], row: &mut Vec<u8>) -> Result<bool> {
        let core = &self.db.core;
        let newest = async || {
            mtr::run(core, 0, |w| {
                let g = btree::leaf(w.core, &t.indexes[0].tree, key, Access::Point)?;
                let slot = slotted::search(g.bytes(), key);
                Ok(slot.ok().map(|s| slotted::value(g.bytes(), s).to_vec()))
            })
            .await
        };
        let mut cell = newest().await?;
        loop {
            let Some(value) = cell.filter(|v| !RowHeader::read(v).is_deleted()) else {
                return Ok(false);
            };
            let got = external::materialise(core, t, &value[HEADER..]).await;
            cell = newest().await?;
            if cell.as_ref() == Some(&value) {
                *row = got?;
                return Ok(true);
            }
            self.check_alive()?;
        }
    }

    pub(super) async fn get_clustered(
        &mut self,
        t: &Arc<Table>,
        key: &[u8],
        lock: LockMode,
        on_locked: OnLocked,
        out: &mut RowBuf,
    ) -> Result<bool> {
        if lock == LockMode::None {
            let view = self.read_view();
            self.check_age(t, 0)?;
            let read = |txn: &mut Txn, w: &mut Work<'_>| {
                consistent_read(w, t, key, view.as_deref(), txn.id, out)
            };
            return self.drive(0, read).await;
        }
        self.check_alive()?;
        self.drive(0, |txn, w| txn.locking_read(w, t, key, lock, on_locked, out)).await
    }

    fn locking_read(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        key: &[u8],
        lock: LockMode,
        on_locked: OnLocked,
        out: &mut RowBuf,
    ) -> RowAttempt<bool> {
        let index = &t.indexes[0];
        let mut g = w.gather();
        let guard = btree::leaf(g.core(), &index.tree, key, Access::Point)?;
        let leaf = g.adopt(guard);
        match slotted::search(g.bytes(leaf), key) {
            Ok(slot) => {
                let value = slotted::value(g.bytes(leaf), slot);
                let h = RowHeader::read(value);
                match self.lock_clustered(index, key, &h, lock, Kind::Record, on_locked) {
                    Err(h) if on_locked == OnLocked::SkipLocked && met_a_lock(&h) => {
                        return Ok(false);
                    }
                    locked => locked?,
                }
                if h.is_deleted() {
                    return Ok(false);
                }
                out.key.clear();
                out.key.extend_from_slice(key);
                out.row.clear();
                out.row.extend_from_slice(&value[HEADER..]);
                Ok(true)
            }
            Err(slot) => {
                // Nothing there: under REPEATABLE READ it must stay so.
                if self.o.isolation.locks_gaps() {
                    let next = next_key(&mut g, &index.tree, leaf, slot)?;
                    let m = if lock == LockMode::Exclusive { Mode::X } else { Mode::S };
                    let name = LockName::new(index.id, next.as_deref());
                    self.request(&name, m, Kind::Gap, OnLocked::Wait)?;
                }
                Ok(false)
            }
        }
    }

    async fn get_by_secondary(
        &mut self,
        t: &Arc<Table>,
        index: usize,
        key: &[u8],
        lock: LockMode,
        on_locked: OnLocked,
        out: &mut RowBuf,
    ) -> Result<bool> {
        let spec = super::ScanSpec {
            index,
            start: key.to_vec(),
            end: prefix_successor(key),
            reverse: false,
            lock,
            on_locked,
            unique_eq: true,
            expect: 1,
            fetch_external: false,
            rows_only: false,
            index_only: None,
        };
        let mut c = self.scan(t, spec);
        if !c.next(self).await? {
            return Ok(false);
        }
        out.key.clear();
        out.key.extend_from_slice(c.key());
        out.row.clear();
        out.row.extend_from_slice(c.row());
        Ok(true)
    }
}

pub(super) fn consistent_read(
    w: &mut Work<'_>,
    t: &Table,
    key: &[u8],
    view: Option<&super::View>,
    own: u64,
    out: &mut RowBuf,
) -> Attempt<bool> {
    let core = w.core;
    let g = btree::leaf(core, &t.indexes[0].tree, key, Access::Point)?;
    let Ok(slot) = slotted::search(g.bytes(), key) else { return Ok(false) };
    match version::visible(core, view, own, slotted::value(g.bytes(), slot))? {
        None => Ok(false),
        Some(row) => {
            out.key.clear();
            out.key.extend_from_slice(key);
            out.row.clear();
            out.row.extend_from_slice(&row);
            Ok(true)
        }
    }
}

/// Clustered key and mark of a secondary cell.
pub(super) fn secondary_parts<'a>(entry: &'a [u8], value: &[u8]) -> (&'a [u8], bool) {
    (&entry[pk_offset(value)..], is_marked(value))
}
