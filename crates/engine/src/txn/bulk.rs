//! Many rows of one statement: as many to a mini-transaction as fit a leaf, an undo page and a modest redo group.
//!
//! A run is a piece of the rows whose keys ascend within one leaf, with nothing in their way: no row of the same key, no
//! gap lock, no split, no fresh undo page. Whatever is not of that kind goes the way of a single row, which can wait. The entries of a run follow it (`entries`).

use super::external::longest_inline;
use super::undo;
use super::version::{HEADER, RowHeader};
use super::{LockMode, Txn};
use crate::btree;
use crate::error::{Error, Result};
use crate::mtr::{Attempt, Work};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::sync::atomic::Ordering;
use crate::table::{Table, Use};
use std::sync::Arc;

/// Rows of a run, and bytes of their keys and values: a redo group stays far from the size of the log buffer.
const RUN_ROWS: usize = 128;
const RUN_BYTES: usize = 12 * 1024;

/// Rows in a table's layout, one after the other.
#[derive(Default, Debug)]
pub struct RowList {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl RowList {
    pub fn push(&mut self, row: &[u8]) {
        self.bytes.extend_from_slice(row);
        self.ends.push(self.bytes.len());
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all rows.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn row(&self, i: usize) -> &[u8] {
        let from = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[from..self.ends[i]]
    }
}

/// A row ready for a run.
pub(super) struct Ready {
    pub key: Vec<u8>,
    /// Its place in the list.
    pub row: usize,
}

impl Txn {
    /// Inserts rows in their order. An error names the row that met it; none of the rows stays then.
    pub async fn insert_many(
        &mut self,
        t: &Arc<Table>,
        list: &RowList,
    ) -> std::result::Result<(), (usize, Error)> {
        let mut at = 0;
        let before = match self.begin_insert(t).await {
            Ok(s) => s,
            Err(e) => return Err((0, e)),
        };
        while at < list.len() {
            match self.insert_some(t, list, at).await {
                Ok(n) => at += n,
                Err((at, e)) => {
                    if !self.doomed
                        && let Err(e) = self.rollback_to(before).await
                    {
                        return Err((at, e));
                    }
                    return Err((at, e));
                }
            }
        }
        let n = list.len() as u64;
        self.rows += n;
        self.db.stats.rows_inserted.add(n);
        t.indexes[0].uses.add(Use::Inserted, n);
        Ok(())
    }

    async fn begin_insert(&mut self, t: &Arc<Table>) -> Result<super::Savepoint> {
        self.begin_write(t).await?;
        Ok(self.savepoint())
    }

    /// A run from row `at` on, or one row; returns how many were inserted, with their secondary entries.
    async fn insert_some(
        &mut self,
        t: &Arc<Table>,
        list: &RowList,
        at: usize,
    ) -> std::result::Result<usize, (usize, Error)> {
        let ready = self.ready_rows(t, list, at).await?;
        let done = if ready.len() > 1 {
            self.insert_run(t, list, &ready).await.map_err(|e| (at, e))?
        } else {
            0
        };
        if done == 0 {
            let row = list.row(at);
            self.insert_row(t, row, LockMode::Shared).await.map_err(|e| (at, e))?;
            return Ok(1);
        }
        self.insert_entries(t, list, &ready[..done]).await?;
        Ok(done)
    }

    /// Keys of the rows from `at` on that may go into one run: ascending, and stored without off-page columns.
    async fn ready_rows(
        &mut self,
        t: &Arc<Table>,
        list: &RowList,
        at: usize,
    ) -> std::result::Result<Vec<Ready>, (usize, Error)> {
        let size = self.db.core.spaces.page_size();
        let mut ready: Vec<Ready> = Vec::new();
        // A hidden key is drawn when the row is inserted: a key of a run that did not happen would be lost.
        if t.has_hidden_key() {
            return Ok(ready);
        }
        let mut bytes = 0;
        for row in at..list.len().min(at + RUN_ROWS) {
            let key = t.clustered_key(list.row(row)).map_err(|e| (row, e))?;
            let len = key.len() + list.row(row).len();
            bytes += len;
            let twins = planted::is(Bug::RunWithTwins);
            let ordered = ready.last().is_none_or(|r| r.key < key || (twins && r.key == key));
            if !ordered
                || bytes > RUN_BYTES
                || key.len() > slotted::max_key(size)
                || len > longest_inline(size)
            {
                break;
            }
            ready.push(Ready { key, row });
        }
        Ok(ready)
    }

    async fn insert_run(
        &mut self,
        t: &Arc<Table>,
        list: &RowList,
        ready: &[Ready],
    ) -> Result<usize> {
        let need = run_need(list, ready);
        // A tiny log takes single rows only.
        if (need + crate::log::FRAME) as u64 > self.db.core.log.grant_max() {
            return Ok(0);
        }
        let n = self.drive(need, |txn, w| txn.run_attempt(w, t, list, ready)).await?;
        t.rows.fetch_add(n as i64, Ordering::Relaxed);
        if let Some(log) = t.row_logs.get() {
            ready[..n].iter().for_each(|r| log.changed(&r.key, None, Some(list.row(r.row))));
        }
        Ok(n)
    }

    /// Inserts the longest run that the first row's leaf and the undo page take; 0: the first row must go by itself.
    fn run_attempt(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        list: &RowList,
        ready: &[Ready],
    ) -> Attempt<usize> {
        let index = &t.indexes[0];
        let mut g = w.gather();
        let first = btree::place(&mut g, &index.tree, &ready[0].key)?;
        // Checked under the leaf's latch, as for a single row: later gap locks see the rows.
        if self.db.locks.has_gaps(index.id) && !planted::is(Bug::RunIgnoresGaps) {
            return Ok(0);
        }
        let room = undo::room(&mut g, self.undo_mut())?;
        let (mut undo, mut slots) = (Vec::new(), Vec::with_capacity(ready.len()));
        let p = g.bytes(first.leaf);
        let mut free = slotted::free_bytes(p);
        for r in ready {
            if !slotted::owns(p, &r.key) {
                break;
            }
            let Err(slot) = slotted::search(p, &r.key) else { break };
            let rest = r.key.len() - slotted::prefix_len(p);
            let cell = slotted::cell_size(rest, HEADER + list.row(r.row).len());
            let rec = undo::encode_insert(t.def.id, &r.key);
            if cell > free || undo.len() + rec.len() > room {
                break;
            }
            free -= cell;
            undo.extend_from_slice(&rec);
            slots.push(slot + slots.len());
        }
        if slots.len() < 2 {
            return Ok(0);
        }
        let Some(place) = undo::prepare(&mut g, self.undo_mut(), undo.len())? else {
            return Ok(0);
        };
        let ready = &ready[..slots.len()];
        let mut a = g.seal(run_need(list, ready))?;
        let id = self.id;
        undo::append(&mut a, self.undo_mut(), &place, id, &undo);
        let header = RowHeader { flags: 0, trx: id, roll: 0 };
        for (r, slot) in ready.iter().zip(&slots) {
            let value = header.with(list.row(r.row));
            btree::insert(&mut a, &index.tree, first.leaf, *slot, &r.key, &value);
        }
        a.commit();
        self.locks.weight.fetch_add(ready.len() as u64, Ordering::Relaxed);
        Ok(ready.len())
    }
}

/// Redo payload of a run.
fn run_need(list: &RowList, ready: &[Ready]) -> usize {
    let mut undo = 0;
    let mut cells = 0;
    for r in ready {
        undo += undo::insert_max(&r.key);
        cells += btree::insert_need(r.key.len(), HEADER + list.row(r.row).len());
    }
    cells + undo::append_need(undo)
}
