//! Rows that a statement keeps and reads again in their order, as often as it likes: those of derived tables, of common tables and of the
//! rounds of recursive ones. The first of them are in memory, and those that have no room there (`tmp_table_size`) are in a file.
//!
//! Invariants:
//! - A store is written first and read afterwards: [`RowStore::finish`] stands between the two.
//! - Several readers may read at the same time, each at its own place; the file goes with the last of them.

use super::Boxed;
use super::destination::Takes;
use super::spool::{decode_all, next_record, put_record};
use super::temp::temp_table;
use crate::context::Reads;
use crate::memory::{Account, Held};
use crate::query::eval::Ev;
use crate::query::plan::outcome::{KeptRows, Row, Run};
use crate::session_api::SqlError;
use crate::value::Value;
use std::sync::Arc;
use weir_engine::{Scratch, ScratchReader, ScratchStream};

/// Bytes of one write, and of one read.
const CHUNK: usize = 64 << 10;

/// Rows on their way into a store.
pub struct RowStore {
    kept: KeptRows,
    /// Rows behind those in memory.
    rest: ScratchStream,
    file: Option<Scratch>,
    len: usize,
    /// The first column has a NULL.
    has_null: bool,
    /// Bytes of rows that may be in memory.
    memory: usize,
}

impl RowStore {
    pub fn new(memory: usize) -> RowStore {
        RowStore {
            kept: KeptRows::default(),
            rest: ScratchStream::new(CHUNK),
            file: None,
            len: 0,
            has_null: false,
            memory,
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn push(&mut self, row: Row, account: Account<'_>) -> Run<()> {
        self.len += 1;
        self.has_null |= row.first().is_some_and(Value::is_null);
        if self.rest.is_empty() && self.kept.held.bytes() < self.memory {
            return self.kept.push(row, account);
        }
        if self.rest.is_empty() {
            // What waits for its write.
            self.kept.held.grow(account, CHUNK).map_err(SqlError::from)?;
        }
        put_record(&row, self.rest.buffer());
        Ok(())
    }

    /// Rows wait for a write ([`RowStore::write`]).
    pub fn is_due(&self) -> bool {
        self.rest.is_due()
    }

    pub async fn write(&mut self, reads: Reads<'_>) -> Run<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(temp_table(reads).await?),
        };
        Ok(self.rest.write(file).await?)
    }

    /// All rows have come.
    pub async fn finish(mut self, reads: Reads<'_>) -> Run<(MadeRows, Held)> {
        if self.rest.is_empty() {
            return Ok((MadeRows::Memory(Arc::new(self.kept.rows)), self.kept.held));
        }
        self.write(reads).await?;
        let Some(mut file) = self.file else {
            return Err(SqlError::internal("rows were written to no file").into());
        };
        self.rest.close(&mut file).await?;
        let first = self.kept.rows;
        let (len, has_null) = (self.len, self.has_null);
        let rows = FiledRows { first, rest: self.rest, file, len, has_null };
        Ok((MadeRows::File(Arc::new(rows)), self.kept.held))
    }
}

impl Takes for RowStore {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        self.push(row, ev.cx.session.memory()).map(|()| true)
    }

    fn is_due(&self) -> bool {
        RowStore::is_due(self)
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, _: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        Box::pin(self.write(reads))
    }

    fn keeps(&self) -> bool {
        true
    }
}

/// The rows of a store that has all of them.
#[derive(Clone)]
pub enum MadeRows {
    Memory(Arc<Vec<Row>>),
    File(Arc<FiledRows>),
}

/// Rows of which not all had room in memory.
pub struct FiledRows {
    first: Vec<Row>,
    rest: ScratchStream,
    file: Scratch,
    len: usize,
    has_null: bool,
}

impl MadeRows {
    pub fn none() -> MadeRows {
        MadeRows::Memory(Arc::default())
    }

    pub fn len(&self) -> usize {
        match self {
            MadeRows::Memory(rows) => rows.len(),
            MadeRows::File(rows) => rows.len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the first column has a NULL.
    pub fn has_null(&self) -> bool {
        match self {
            MadeRows::Memory(rows) => {
                rows.iter().any(|row| row.first().is_some_and(Value::is_null))
            }
            MadeRows::File(rows) => rows.has_null,
        }
    }

    /// A reader that stands before the first row.
    pub fn scan(&self) -> RowScan {
        RowScan { of: self.clone(), at: 0, rest: None }
    }
}

/// A reader of made rows.
pub struct RowScan {
    of: MadeRows,
    /// Rows in memory that have been read.
    at: usize,
    rest: Option<ScratchReader>,
}

impl RowScan {
    pub async fn next(&mut self) -> Run<Option<Row>> {
        let first = match &self.of {
            MadeRows::Memory(rows) => &rows[..],
            MadeRows::File(rows) => &rows.first[..],
        };
        if let Some(row) = first.get(self.at) {
            self.at += 1;
            return Ok(Some(row.clone()));
        }
        let MadeRows::File(rows) = &self.of else { return Ok(None) };
        let rest = self.rest.get_or_insert_with(|| rows.rest.read(&rows.file, CHUNK));
        match next_record(rest).await? {
            Some(bytes) => Ok(Some(decode_all(bytes)?)),
            None => Ok(None),
        }
    }
}
