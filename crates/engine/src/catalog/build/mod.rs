//! A secondary index is filled from the clustered one: its entries are sorted first, with runs on disk where memory ends (`sort`), and
//! then appended to a tree that nobody else knows yet, as many to a mini-transaction as a leaf takes (`fill`). So each leaf is written
//! once, and full, however large the index is. Where writers go on, what they change meanwhile is in the table's row log, and is made up
//! for when the tree is filled (`catch_up`).
//!
//! May use: what the catalog may use, and files without a name (`scratch`).
//!
//! Invariants
//! - The entries of rows that nobody has changed since the build began are sorted and appended; those of the others come from the row
//!   log alone. Purge may go on: it takes away rows that are dead already, and those have no entries here.
//! - Sorted entries come in strictly ascending order, and only this task knows the tree: what is to be appended lies behind all that is
//!   there.
//! - In the end the statement has the table alone, all who wrote it have come to their end, and the index has the entries of the live rows.

mod catch_up;
mod entry_log;
mod fill;
mod sort;

use super::Catalog;
use super::ddl::DdlContext;
use crate::btree;
use crate::error::{Error, Result};
use crate::mtr;
use crate::page::slotted;
use crate::pool::Access;
use crate::sync::atomic::Ordering;
use crate::table::Table;
use crate::txn::{ROW_HEADER, View};
use entry_log::EntryLog;
use sort::Sorter;
use std::sync::Arc;
use weir_rt::Interrupt;

pub(super) use catch_up::{Suspects, apply as apply_words};

/// Rounds of catching up before the statement asks for the table alone, and words that are few enough for the last one.
const ROUNDS: usize = 16;
const FEW: usize = 1000;

/// The build of indexes of a table.
pub(super) struct Build<'a> {
    catalog: &'a Catalog,
    d: &'a DdlContext,
    table: &'a Arc<Table>,
    /// A handle with the new indexes behind the others.
    building: Arc<Table>,
    /// While writers go on.
    beside: Option<BesideWriters<'a>>,
}

struct BesideWriters<'a> {
    /// What was committed when the build began. It is not registered, for it is only asked about rows that are there.
    seen: Arc<View>,
    /// By partition; of a table without any, its own.
    logs: Vec<Arc<EntryLog>>,
    suspects: Suspects,
    _end: RowLogEnd<'a>,
}

impl<'a> Build<'a> {
    pub fn new(
        catalog: &'a Catalog,
        table: &'a Arc<Table>,
        building: Arc<Table>,
        d: &'a DdlContext,
    ) -> Build<'a> {
        Build { catalog, d, table, building, beside: None }
    }

    /// From here on writers tell what they change. The caller keeps them out at this moment.
    pub fn listen(&mut self) {
        let c = self.catalog;
        let (first, limit) =
            (self.table.def.indexes.len(), c.row_log_bytes.load(Ordering::Relaxed));
        let longest = slotted::max_key(c.core.spaces.page_size());
        let mut logs = Vec::new();
        for (part, building) in self.table.stored().iter().zip(self.building.stored()) {
            let log = EntryLog::new(building.clone(), first, limit as usize, longest);
            logs.push(Arc::new(log));
            part.row_logs.begin(logs[logs.len() - 1].clone());
        }
        let seen = c.sys.trx.open_view();
        seen.close();
        let (suspects, _end) = (Suspects::default(), RowLogEnd(self.table.stored()));
        self.beside = Some(BesideWriters { seen, logs, suspects, _end });
    }

    fn new_indexes(&self) -> std::ops::Range<usize> {
        self.table.def.indexes.len()..self.building.indexes.len()
    }

    /// Fills the indexes, and catches up with what writers have changed meanwhile, until little is left.
    pub async fn fill(&mut self) -> Result<()> {
        let seen = self.beside.as_ref().map(|b| b.seen.clone());
        for i in self.new_indexes() {
            for part in self.building.stored() {
                self.catalog.build_index(part, i, seen.as_deref(), &self.d.interrupt).await?;
            }
        }
        for _ in 0..ROUNDS {
            if self.catch_up().await? < FEW {
                break;
            }
        }
        Ok(())
    }

    /// The caller has the table alone: what is left is made up for, and the indexes are whole.
    pub async fn finish(&mut self) -> Result<()> {
        self.catch_up().await?;
        let Some(beside) = &self.beside else { return Ok(()) };
        beside.suspects.judge(self.catalog, &self.building).await
    }

    /// Words that were said since the last time.
    async fn catch_up(&mut self) -> Result<usize> {
        let indexes = self.new_indexes();
        let Some(beside) = &mut self.beside else { return Ok(0) };
        let core = &self.catalog.core;
        let mut n = 0;
        for i in indexes {
            for (place, log) in beside.logs.iter().enumerate() {
                let words = log.take(i)?;
                n += words.len();
                let (t, suspects) = (&log.building, &mut beside.suspects);
                catch_up::apply(core, t, (place, i), &words, suspects, &self.d.interrupt).await?;
            }
        }
        core.stats.row_log_entries.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Writers tell these tables' logs nothing any more when it is dropped.
pub(super) struct RowLogEnd<'a>(pub &'a [Arc<Table>]);

impl Drop for RowLogEnd<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|part| part.row_logs.end());
    }
}

impl Catalog {
    /// The same error with the row that it is about, of a table whose new index does not come.
    pub(super) async fn with_row(&self, t: &Arc<Table>, e: Error) -> Error {
        let Error::DuplicateKey { table, index, index_name, key, row: None } = e else { return e };
        let found = mtr::run(&self.core, 0, |w| {
            let g = btree::leaf(w.core, &t.indexes[0].tree, &key, Access::Point)?;
            let Ok(s) = slotted::search(g.bytes(), &key) else { return Ok(None) };
            Ok(Some(slotted::value(g.bytes(), s)[ROW_HEADER..].to_vec()))
        })
        .await;
        let row = match found {
            Ok(Some(stored)) => {
                let _kept = Kept(self.sys.trx.open_view());
                crate::txn::external::materialise(&self.core, t, &stored).await.ok()
            }
            // The row's description is not worth another error.
            _ => None,
        };
        Error::DuplicateKey { table, index, index_name, key, row }
    }

    /// Long columns of rows that are read from here on outlive the next change of these rows, where others write meanwhile.
    pub(super) fn keep_chains(&self, t: &Table, seen: Option<&View>) -> Option<Kept> {
        let keeps = seen.is_some() && t.may_have_external();
        keeps.then(|| Kept(self.sys.trx.open_view()))
    }

    /// Fills a new index. `seen`: of the rows, those that this view sees; the others are written meanwhile.
    pub(super) async fn build_index(
        &self,
        t: &Arc<Table>,
        i: usize,
        seen: Option<&View>,
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
            let _kept = self.keep_chains(t, seen);
            let (rows, upper) = self.leaf_rows(t, &at, seen).await?;
            for (key, row) in rows {
                let full = crate::txn::external::materialise(&self.core, t, &row).await?;
                for entry in t.entries(i, &full, &key)? {
                    if entry.len() > max {
                        return Err(Error::KeyTooLong { len: entry.len(), max });
                    }
                    sorter.push(&entry, entry.len() - key.len()).await?;
                }
            }
            from = upper;
        }
        match fill::fill(&self.core, t, i, sorter.finish().await?, interrupt).await {
            Err(e) => Err(self.with_row(t, e).await),
            done => done,
        }
    }
}

/// A view that is registered for a moment.
pub(super) struct Kept(Arc<View>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.close();
    }
}
