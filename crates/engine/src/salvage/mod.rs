//! Floor 8: rows out of what is left of a table. For an engine that was opened with `innodb_force_recovery` of 4 or more and that nobody
//! else uses.
//!
//! May use: everything. Changes nothing.
//!
//! The rows come from the clustered index ([`Survivors`]): page by page, whatever is between them. A row is what a new read view sees of
//! it; at levels 5 and 6, where the undo logs are not looked at, it is the newest version, whether or not that was committed.
//!
//! Invariant: of every row that should be there one of these is true: it is handed out, it is counted in [`Losses::rows`], or its key is
//! in one of [`Losses::gaps`].

mod bare;

pub use bare::{BARE, without_log};

use crate::btree::{Gap, Leaf, Survivors};
use crate::db::{Db, Inner};
use crate::error::{Error, Result};
use crate::ids::{PageNo, SpaceId};
use crate::mtr;
use crate::row::{Datum, DatumBuf, RowBuilder, RowView, decode_datum, validate};
use crate::space;
use crate::sync::atomic::Ordering;
use crate::table::Table;
use crate::txn::{self, ROW_HEADER, RowHeader, View, external};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

/// A row, with its long columns in place.
pub struct Row {
    pub key: Vec<u8>,
    pub row: Vec<u8>,
    /// Columns whose pages cannot be read: empty in `row`.
    pub lost: Vec<usize>,
}

/// What could not be read of a table, as far as `Rows` has come.
#[derive(Default)]
pub struct Losses {
    /// Pages of the clustered index that cannot be used, and why.
    pub pages: Vec<(PageNo, String)>,
    pub gaps: Vec<Gap>,
    /// Rows in pages that can be read, but not handed out: their bytes make no row, or the version that was committed cannot be read.
    pub rows: Vec<String>,
    /// Rows from pages that nothing proves to be in use.
    pub doubtful: u64,
    /// Rows whose keys are in the gaps, as a secondary index has them, and its name.
    pub missing: Option<(String, u64)>,
}

impl Losses {
    /// Those of another partition of the table.
    pub fn add(&mut self, other: Losses) {
        self.pages.extend(other.pages);
        self.gaps.extend(other.gaps);
        self.rows.extend(other.rows);
        self.doubtful += other.doubtful;
        if let Some((index, n)) = other.missing {
            self.missing.get_or_insert((index, 0)).1 += n;
        }
    }
}

/// The rows of a table, page by page.
pub struct Rows<'d> {
    db: &'d Inner,
    table: Arc<Table>,
    leaves: Survivors<'d>,
    view: Option<Arc<View>>,
    pub losses: Losses,
    pub pages_read: u64,
}

impl Db {
    /// The tables of all schemas, those without a schema's entry too.
    pub fn all_tables(&self) -> Vec<Arc<Table>> {
        self.0.catalog.all_tables()
    }

    /// Files of tables that no definition names: a definition statement was cut off, or the definition is lost.
    pub fn files_without_table(&self) -> Vec<String> {
        let stored = self.0.catalog.all_stored();
        let named: HashSet<SpaceId> = stored.iter().map(|t| t.space.id).collect();
        let tables = self.0.core.spaces.all().into_iter().filter(|s| s.id >= space::FIRST_TABLE);
        tables.filter(|s| !named.contains(&s.id)).map(|s| s.path().to_string()).collect()
    }

    /// The rows of a table that can be read, whether or not the table is refused.
    pub async fn salvage(&self, table: &Arc<Table>) -> Result<Rows<'_>> {
        let db = &*self.0;
        if !db.force.read_only() {
            return Err(Error::Unsupported(
                "rows are salvaged from a directory that is opened with innodb_force_recovery of 4 or more".into(),
            ));
        }
        if table.space.refusal().is_some_and(|r| r.missing) {
            table.usable()?;
        }
        table.space.measure().await?;
        let stale = !db.force.recovers();
        let leaves = Survivors::new(&db.core, &table.indexes[0].tree, stale);
        let view = db.force.reads_undo().then(|| db.trx.open_view());
        let losses = Losses::default();
        Ok(Rows { db, table: table.clone(), leaves, view, losses, pages_read: 0 })
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        if let Some(v) = &self.view {
            v.close();
        }
    }
}

impl Rows<'_> {
    /// The rows of the next page; `None`: these were all, and `losses` is complete.
    pub async fn next(&mut self) -> Result<Option<Vec<Row>>> {
        let Some(leaf) = self.leaves.next_leaf().await? else {
            self.losses.pages.clone_from(&self.leaves.bad);
            self.losses.gaps.clone_from(&self.leaves.gaps);
            if !self.losses.gaps.is_empty() {
                self.losses.missing = self.missing().await?;
            }
            return Ok(None);
        };
        self.pages_read += 1;
        let mut out = Vec::new();
        for (key, value) in leaf.cells() {
            match self.row(&key, value).await? {
                Ok(Some(row)) => out.push(row),
                Ok(None) => {}
                Err(why) => {
                    let text = format!("row {}: {why}", key_text(&self.table, 0, &key));
                    self.losses.rows.push(text);
                }
            }
        }
        if !leaf.certain {
            self.losses.doubtful += out.len() as u64;
        }
        Ok(Some(out))
    }

    /// What a cell of the clustered index says: a row, no row, or nothing that could be read.
    async fn row(
        &self,
        key: &[u8],
        value: &[u8],
    ) -> Result<std::result::Result<Option<Row>, String>> {
        if value.len() < ROW_HEADER {
            return Ok(Err("it is cut off".into()));
        }
        let seen = mtr::run(&self.db.core, 0, |w| {
            let seen = txn::visible(w.core, self.view.as_deref(), 0, value)?;
            Ok(seen.map(|row| row.into_owned()))
        })
        .await;
        let row = match seen {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(Ok(None)),
            Err(Error::Corrupt { what, .. } | Error::Io { what }) => {
                self.db.core.log.failure()?;
                let trx = RowHeader::read(value).trx;
                return Ok(Err(format!(
                    "transaction {trx} had changed it without a commit, and the version before cannot be read: {what}"
                )));
            }
            Err(e) => return Err(e),
        };
        let t = &self.table;
        if let Err(e) = validate(&t.layout, &row) {
            return Ok(Err(e.to_string()));
        }
        let (row, lost) = self.whole(&row).await?;
        let own = (!t.has_hidden_key()).then(|| t.clustered_key(&row).ok());
        if own.is_some_and(|own| own.as_deref() != Some(key)) {
            return Ok(Err("its columns have another key".into()));
        }
        Ok(Ok(Some(Row { key: key.to_vec(), row, lost })))
    }

    /// The row with every long column in place that can be read, and those that cannot.
    async fn whole(&self, row: &[u8]) -> Result<(Vec<u8>, Vec<usize>)> {
        let t = &self.table;
        let v = RowView::new(&t.layout, row);
        if !v.has_external() {
            return Ok((row.to_vec(), Vec::new()));
        }
        let (mut long, mut lost) = (Vec::new(), Vec::new());
        for i in (0..t.layout.len()).filter(|i| v.is_external(*i)) {
            let Some(reference) = v.get(i).as_bytes() else { continue };
            let bytes = match external::fetch(&self.db.core, &t.space, reference).await {
                Ok(Some(bytes)) => bytes,
                Ok(None) | Err(Error::Corrupt { .. } | Error::Io { .. }) => {
                    self.db.core.log.failure()?;
                    lost.push(i);
                    Vec::new()
                }
                Err(e) => return Err(e),
            };
            long.push((i, bytes));
        }
        let mut b = RowBuilder::like(&t.layout, v.count());
        for i in 0..t.layout.len() {
            match long.iter().find(|(c, _)| *c == i) {
                Some((_, bytes)) => b.push(Datum::Bytes(bytes)),
                None => b.push(v.get(i)),
            };
        }
        let mut out = Vec::new();
        b.finish_into(&mut out)
            .map_err(|e| Error::Corrupt { what: e.to_string(), place: t.def.name.clone() })?;
        Ok((out, lost))
    }

    /// Rows in the gaps, by the first secondary index that has none itself.
    async fn missing(&self) -> Result<Option<(String, u64)>> {
        for index in self.table.indexes.iter().skip(1) {
            let (mut count, mut whole) = (0, true);
            for tree in index.trees().each() {
                let mut leaves = Survivors::new(&self.db.core, tree, false);
                while let Some(leaf) = leaves.next_leaf().await? {
                    count += self.in_gaps(&leaf);
                }
                whole &= leaves.gaps.is_empty();
            }
            if whole {
                return Ok(Some((index.def.name.clone(), count)));
            }
        }
        Ok(None)
    }

    /// Entries that are not marked as deleted and whose rows would be in a gap.
    fn in_gaps(&self, leaf: &Leaf) -> u64 {
        let mut count = 0;
        for (key, value) in leaf.cells() {
            let Some((clustered, false)) = txn::entry_parts(&key, value) else { continue };
            count += u64::from(self.losses.gaps.iter().any(|g| g.keys.has(clustered)));
        }
        count
    }

    /// Pages of the table's file, all of its indexes among them.
    pub fn pages(&self) -> PageNo {
        self.table.space.pages()
    }
}

/// Rows that the table had at the last clean stop, about.
pub fn rows_expected(t: &Table) -> u64 {
    t.rows.load(Ordering::Relaxed).max(0) as u64
}

/// A key as a person reads it: numbers, and what is no number in hexadecimal digits.
pub fn key_text(t: &Table, index: usize, key: &[u8]) -> String {
    let mut out = String::new();
    let mut rest = key;
    let types = t.indexes[index].types();
    let types = if index == 0 && t.has_hidden_key() { &[] } else { types };
    for part in types {
        let number = match decode_datum(part, rest) {
            Some((DatumBuf::Int(v), n)) => Some((v.to_string(), n)),
            Some((DatumBuf::UInt(v), n)) => Some((v.to_string(), n)),
            _ => None,
        };
        let Some((text, n)) = number else { break };
        let _ = write!(out, "{}{text}", if out.is_empty() { "" } else { "," });
        rest = &rest[n..];
    }
    if !rest.is_empty() {
        out.push_str(if out.is_empty() { "x'" } else { ",x'" });
        for b in rest {
            let _ = write!(out, "{b:02x}");
        }
        out.push('\'');
    }
    out
}

/// Keys of a gap: from where to where.
pub fn gap_text(t: &Table, gap: &Gap) -> String {
    let lower = match gap.keys.lower.is_empty() {
        true => "the first key".to_string(),
        false => format!("key {}", key_text(t, 0, &gap.keys.lower)),
    };
    match &gap.keys.upper {
        None => format!("from {lower} to the last key"),
        Some(u) => format!("from {lower} to below key {}", key_text(t, 0, u)),
    }
}
