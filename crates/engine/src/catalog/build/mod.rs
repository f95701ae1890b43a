//! A secondary index is filled from the clustered one: its entries are sorted first, with runs on disk where memory ends (`sort`), and
//! then appended to a tree that nobody else knows yet, as many to a mini-transaction as a leaf takes (`fill`). So each leaf is written
//! once, and full, however large the index is.
//!
//! May use: what the catalog may use, and the disk for a file without a name.
//!
//! Invariants
//! - The table is locked against writers, so the entries of live rows do not change while they are sorted. Purge may go on: it takes away
//!   rows that are dead already, and those have no entries here.
//! - Entries come in strictly ascending order, and only this task knows the tree: what is to be appended lies behind all that is there.

mod fill;
mod sort;

use super::Catalog;
use crate::error::{Error, Result};
use crate::page::slotted;
use crate::table::Table;
use sort::Sorter;
use std::sync::Arc;
use weir_rt::Interrupt;

pub(crate) use sort::remove_leftovers;

impl Catalog {
    /// Fills a new index of a table that the caller has alone.
    pub(super) async fn build_index(
        &self,
        t: &Arc<Table>,
        i: usize,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let disk = self.core.spaces.disk().as_ref();
        let mut sorter = Sorter::new(disk, t.indexes[i].id, self.sort_bytes);
        let max = slotted::max_key(self.core.spaces.page_size());
        let mut from: Option<Vec<u8>> = Some(Vec::new());
        while let Some(at) = from {
            if interrupt.killed() != 0 {
                return Err(Error::Interrupted);
            }
            let (rows, upper) = self.leaf_rows(t, &at).await?;
            for (key, row) in rows {
                let full = crate::txn::external::materialise(&self.core, t, &row).await?;
                let entry = t.secondary_key(i, &full, &key)?;
                if entry.len() > max {
                    return Err(Error::KeyTooLong { len: entry.len(), max });
                }
                sorter.push(&entry, entry.len() - key.len()).await?;
            }
            from = upper;
        }
        fill::fill(&self.core, t, i, sorter.finish().await?, interrupt).await
    }
}
