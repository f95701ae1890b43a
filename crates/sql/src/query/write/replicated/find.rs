//! The row that an event changes: by the primary key, else by a unique key of NOT NULL columns, else by all that the image has.

use super::convert::Given;
use crate::meta::SqlTable;
use crate::query::exec::Runner;
use crate::query::plan::outcome::Run;
use crate::query::write::{complete, locked_row};
use crate::value::DatumBuf;
use std::sync::Arc;
use weir_binlog::rows::Columns;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{RowView, encode_datum};
use weir_engine::{LockMode, OnLocked, RowBuf, ScanSpec, Table};

/// How rows of one event are found.
pub enum Finder {
    /// By the index at this place of the engine's definition; 0 is the rows themselves.
    Key { index: usize },
    /// By all columns of the image. The scan goes on where the last row was found, for a statement changes rows in their order.
    Scan { from: Vec<u8> },
}

impl Finder {
    pub fn of(table: &SqlTable, present: &Columns) -> Finder {
        // The place of a visible column among those of the event.
        let place = |at: usize| table.meta.columns[..at].iter().filter(|c| !c.hidden).count();
        let usable = |i: &usize| {
            let index = &table.meta.indexes[*i];
            index.unique
                && index.parts.iter().all(|p| {
                    let column = &table.meta.columns[p.column];
                    let plain = !column.nullable && !column.is_generated();
                    plain && p.prefix.is_none() && present.has(place(p.column))
                })
        };
        let clustered = table.meta.clustered().filter(usable);
        let found = clustered.or_else(|| (0..table.meta.indexes.len()).find(usable));
        match found {
            Some(i) => Finder::Key { index: table.engine_indexes[i] },
            None => Finder::Scan { from: Vec::new() },
        }
    }

    /// Finds the row and locks it exclusively.
    pub async fn find(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        given: &[Given],
        found: &mut RowBuf,
    ) -> Run<bool> {
        let homes: Vec<Arc<Table>> = match table.engine.parts.is_empty() {
            true => vec![table.engine.clone()],
            false => table.engine.parts.clone(),
        };
        for home in &homes {
            let there = match self {
                Finder::Key { index } => by_key(r, table, home, *index, given, found).await?,
                Finder::Scan { from } => {
                    let again = !from.is_empty() && homes.len() == 1;
                    let start = if again { std::mem::take(from) } else { Vec::new() };
                    let mut there = scan(r, table, home, start, given, found).await?;
                    if !there && again {
                        there = scan(r, table, home, Vec::new(), given, found).await?;
                    }
                    from.clone_from(&found.key);
                    there
                }
            };
            if there {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn value_of(given: &[Given], column: usize) -> &DatumBuf {
    given.iter().find(|(c, _)| *c == column).map_or(&DatumBuf::Null, |(_, d)| d)
}

async fn by_key(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    home: &Arc<Table>,
    index: usize,
    given: &[Given],
    found: &mut RowBuf,
) -> Run<bool> {
    let mut key = Vec::new();
    for part in &home.def.indexes[index].parts {
        let value = value_of(given, part.col);
        // A value that the key cannot hold is in no row.
        if encode_datum(&part.of(&home.layout), value.as_ref(), &mut key).is_err() {
            return Ok(false);
        }
    }
    if index > 0 {
        let spec = ScanSpec {
            index,
            end: prefix_successor(&key),
            start: key,
            reverse: false,
            lock: LockMode::Exclusive,
            on_locked: OnLocked::Wait,
            unique_eq: true,
            expect: 1,
            fetch_external: false,
            rows_only: false,
            index_only: None,
        };
        let mut cursor = r.txn.scan(home, spec);
        if !cursor.next(r.txn).await? {
            return Ok(false);
        }
        key = cursor.key().to_vec();
    }
    if !locked_row(r, table, home, &key, found).await? {
        return Ok(false);
    }
    found.key = key;
    Ok(true)
}

/// The first row from a key on whose columns are those of the image.
async fn scan(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    home: &Arc<Table>,
    start: Vec<u8>,
    given: &[Given],
    found: &mut RowBuf,
) -> Run<bool> {
    let spec = ScanSpec {
        index: 0,
        start,
        end: None,
        reverse: false,
        lock: LockMode::Exclusive,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect: 0,
        fetch_external: true,
        rows_only: false,
        index_only: None,
    };
    let mut cursor = r.txn.scan(home, spec);
    while cursor.next(r.txn).await? {
        if r.is_killed() {
            return Err(crate::session_api::SqlError::interrupted().into());
        }
        let view = RowView::new(&table.engine.layout, cursor.row());
        if given.iter().all(|(c, d)| view.get(*c) == d.as_ref()) {
            found.key.clear();
            found.key.extend_from_slice(cursor.key());
            found.row.clear();
            found.row.extend_from_slice(cursor.row());
            complete(table, &mut found.row, r)?;
            return Ok(true);
        }
    }
    Ok(false)
}
