//! The current row of a cursor put in another form: with its long columns in place, or as the reader completes it.

use super::{Copied, Cursor, What};
use crate::error::Result;
use crate::txn::{LockMode, Txn};

impl Cursor {
    /// Replaces the current row by one with its long columns in place; false: it is gone.
    pub(super) async fn fetch_current(&mut self, txn: &mut Txn) -> Result<bool> {
        let mut row = self.row().to_vec();
        let key = self.key().to_vec();
        let there = txn.fetch_long(&self.table, &key, &mut row, LockMode::None).await?;
        if there {
            self.show(&row);
        }
        Ok(there)
    }

    /// The cursor shows this row in the place of the current one until it moves.
    pub fn show(&mut self, row: &[u8]) {
        if self.single {
            self.row.row.clear();
            self.row.row.extend_from_slice(row);
            return;
        }
        let Some(at) = self.batch.at.checked_sub(1) else { return };
        let key = self.key().to_vec();
        let bytes = &mut self.batch.bytes;
        let k = bytes.len() as u32;
        bytes.extend_from_slice(&key);
        let r = bytes.len() as u32;
        bytes.extend_from_slice(row);
        self.batch.rows[at] = Copied { key: k, row: r, end: bytes.len() as u32, what: What::Row };
    }
}
