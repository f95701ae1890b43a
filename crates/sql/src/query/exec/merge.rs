//! Rows of several partitions in the order of an index: each partition is read in that order, and the row that comes first among them is
//! next. Nothing is sorted, so a LIMIT ends the reading as it does for a table without partitions.

use super::Runner;
use crate::memory::Held;
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::status::Stat;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_engine::row::{KeyPart, RowView, encode_key};
use weir_engine::{Cursor, ScanSpec, Table};

/// Rows that the batches of all cursors have together.
const BATCHED: usize = 4096;

/// Partitions that are read side by side.
pub struct Merge {
    /// What the rows come in the order of: the index's columns, then the clustered key's.
    order: Vec<KeyPart>,
    reverse: bool,
    /// The cursors that stand on a row, by its key and the partition's place.
    heads: BTreeMap<(Vec<u8>, usize), Box<Cursor>>,
    /// Rows that a batch of each cursor has at most, and what all batches are charged for.
    rows: usize,
    held: Held,
    begun: bool,
}

impl Merge {
    /// None where the columns of a row need not be in it, so that it cannot be compared.
    pub fn of(table: &Table, index: usize, reverse: bool) -> Option<Merge> {
        (!table.may_have_external()).then(|| Merge::of_whole_rows(table, index, reverse))
    }

    /// The same where cursors fetch all columns of their rows.
    pub fn of_whole_rows(table: &Table, index: usize, reverse: bool) -> Merge {
        let parts = |i: usize| table.def.indexes[i].parts.iter().copied();
        let order = match index {
            0 => parts(0).collect(),
            _ => parts(index).chain(parts(0)).collect(),
        };
        Merge {
            order,
            reverse,
            heads: BTreeMap::new(),
            rows: 1,
            held: Held::default(),
            begun: false,
        }
    }

    /// The cursor on the next row, and its partition's place in `parts`. `last`: the cursor that stood on the row before, and its place.
    pub async fn next(
        &mut self,
        r: &mut Runner<'_, '_>,
        parts: &[Arc<Table>],
        spec: &ScanSpec,
        last: Option<(usize, Box<Cursor>)>,
    ) -> Run<Option<(usize, Box<Cursor>)>> {
        if !self.begun {
            self.begun = true;
            self.rows = (BATCHED / parts.len().max(1)).clamp(4, 256);
            for (at, part) in parts.iter().enumerate() {
                r.reads.work.inc(Stat::Handler_read_key);
                let mut cursor = Box::new(r.txn.scan(part, spec.clone()));
                cursor.keep_small(self.rows);
                self.put(r, (at, cursor), part).await?;
                let row = self.heads.last_key_value().map_or(0, |(_, c)| c.row().len());
                let bytes = size_of::<Cursor>() + self.rows * (row + size_of::<[usize; 4]>());
                r.ev.cx.hold(&mut self.held, bytes)?;
            }
        }
        if let Some((at, cursor)) = last {
            self.put(r, (at, cursor), &parts[at]).await?;
        }
        let first = if self.reverse { self.heads.pop_last() } else { self.heads.pop_first() };
        Ok(first.map(|((_, at), cursor)| (at, cursor)))
    }

    /// Moves a cursor on, and notes where it stands.
    async fn put(
        &mut self,
        r: &mut Runner<'_, '_>,
        (at, mut cursor): (usize, Box<Cursor>),
        part: &Table,
    ) -> Run<()> {
        let on = if self.reverse { Stat::Handler_read_prev } else { Stat::Handler_read_next };
        r.reads.work.inc(on);
        if cursor.next(r.txn).await? {
            let (mut key, row) = (Vec::new(), RowView::new(&part.layout, cursor.row()));
            encode_key(&self.order, &part.layout, &row, &mut key)
                .map_err(|e| SqlError::internal(e.to_string()))?;
            self.heads.insert((key, at), cursor);
        }
        Ok(())
    }
}
