//! A plain scan of a secondary index that does not cover what is wanted: the rows of its entries, read through the clustered index.
//!
//! An entry that was read of a settled leaf ([`is_settled`](crate::txn::cover::is_settled)) belongs to the version that the reader sees. The rows of such
//! entries are read many at a time, as those of a clustered scan. Any other entry is compared with the row that it leads to.

use super::{Batch, Cursor, What};
use crate::error::Result;
use crate::mtr::{Attempt, Work};
use crate::planted::{self, Bug};
use crate::txn::read::{consistent_read, secondary_parts};
use crate::txn::{RowBuf, Txn};
use std::sync::Arc;

/// Rows of entries that are read at a time at first. A reader that goes on gets more.
pub(super) const FIRST: usize = 4;

impl Cursor {
    /// No row waits, neither of the batch nor of the entries around it.
    pub(super) fn is_exhausted(&self) -> bool {
        let entries = self.entries.as_ref().is_none_or(|e| e.at >= e.rows.len());
        entries && self.batch.at >= self.batch.rows.len()
    }

    /// The rows of a batch of entries have been passed: the entries behind them come next. False: there were no entries.
    pub(super) fn take_entries_back(&mut self) -> bool {
        let Some(entries) = &mut self.entries else { return false };
        std::mem::swap(&mut self.batch, entries);
        self.batch.at < self.batch.rows.len()
    }

    /// The reader sees what it saw when it read the entries: it has written nothing since.
    fn sees_the_same(&self, txn: &mut Txn) -> bool {
        let (view, written) = (txn.read_view(), txn.undo.as_ref().map(|log| log.position()));
        let same =
            view.zip(self.seen.0.as_ref()).is_some_and(|(now, then)| Arc::ptr_eq(&now, then));
        same && written == self.seen.1
    }

    /// Reads the rows of the next entries, if they are settled; false: the next one is not.
    pub(super) async fn rows_of_entries(&mut self, txn: &mut Txn) -> Result<bool> {
        let settled = |c: &&super::Copied| c.what == What::SettledEntry;
        let next = self.batch.rows[self.batch.at..].iter();
        let many = next.take(self.look_ups).take_while(settled).count();
        if many == 0 || !self.sees_the_same(txn) {
            return Ok(false);
        }
        self.look_ups = (self.look_ups * 4).min(self.most);
        self.read_rows_ahead(txn).await?;
        txn.check_alive()?;
        let view = txn.read_view();
        let mut rows = self.entries.take().map_or_else(Batch::default, |b| *b);
        rows.clear();
        let (mut attempts, mut done) = (0, self.batch.at);
        let (table, batch, keyed) = (&self.table, &self.batch, !self.spec.rows_only);
        let row = &mut self.row;
        let read = |txn: &mut Txn, w: &mut Work<'_>| -> Attempt<()> {
            attempts += 1;
            for entry in &batch.rows[done..batch.at + many] {
                let (pk, _) = secondary_parts(batch.key(*entry), batch.row(*entry));
                match consistent_read(w, table, pk, view.as_deref(), txn.id, row) {
                    Ok(true) => {
                        // The long columns of a row are found by its key.
                        let key = if keyed || table.may_have_external() { pk } else { &[] };
                        rows.push(What::Row, (key, &[]), &row.row, many);
                    }
                    Ok(false) => {}
                    Err(_) if !rows.rows.is_empty() => return Ok(()),
                    Err(e) => return Err(e),
                }
                done += 1;
                if rows.bytes.len() >= super::BATCH_BYTES {
                    return Ok(());
                }
            }
            Ok(())
        };
        txn.drive(0, read).await?;
        self.rows_ahead.note(attempts);
        self.batch.at = done;
        self.count_read(txn, rows.rows.len());
        self.entries = Some(Box::new(std::mem::replace(&mut self.batch, rows)));
        Ok(true)
    }

    /// Plain scan of a secondary index: reads the row of the next entry of the batch through the clustered index; false: the
    /// reader does not see it, or not by this entry.
    pub(super) async fn row_of_entry(&mut self, txn: &mut Txn) -> Result<bool> {
        self.read_rows_ahead(txn).await?;
        let next = self.batch.rows[self.batch.at];
        self.batch.at += 1;
        self.single = true;
        let (entry, value) = (self.batch.key(next), self.batch.row(next));
        let (pk, _) = secondary_parts(entry, value);
        let view = txn.read_view();
        let (table, row) = (&self.table, &mut self.row);
        let mut attempts = 0;
        let read = |txn: &mut Txn, w: &mut Work<'_>| {
            attempts += 1;
            consistent_read(w, table, pk, view.as_deref(), txn.id, row)
        };
        let found = txn.drive(0, read).await?;
        self.rows_ahead.note(attempts);
        // The version seen may be one that this entry does not belong to.
        let entry = entry.to_vec();
        Ok(found && self.entry_matches(txn, &entry).await? && self.finish_row(txn).await?)
    }

    /// Whether the current row has this entry; a long column in the index is fetched for that.
    pub(super) async fn entry_matches(&mut self, txn: &mut Txn, entry: &[u8]) -> Result<bool> {
        if planted::is(Bug::StaleEntryBelieved) {
            return Ok(true);
        }
        let (table, i) = (self.table.clone(), self.spec.index);
        if let Some(has) = table.has_entry(i, &self.row.row, &self.row.key, entry) {
            return Ok(has);
        }
        let RowBuf { key, row } = &mut self.row;
        Ok(txn.fetch_long(&table, key, row, self.spec.lock).await?
            && table.has_entry(i, row, key, entry) == Some(true))
    }

    pub(super) async fn finish_row(&mut self, txn: &mut Txn) -> Result<bool> {
        if self.spec.fetch_external && self.table.may_have_external() {
            let RowBuf { key, row } = &mut self.row;
            if !txn.fetch_long(&self.table, key, row, self.spec.lock).await? {
                return Ok(false);
            }
        }
        self.count_read(txn, 1);
        Ok(true)
    }
}
