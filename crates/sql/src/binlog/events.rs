//! The events that are made of a transaction's notes.
//!
//! Row items of one table that have the same columns stand in one rows event, up to [`EVENT_BYTES`]. Where the table changes, the events
//! before it end a statement (a reader forgets its tables there), and the next table's TABLE_MAP follows.

use super::note::{PARTIAL_UPDATE, ROW, TABLE, TEXT, UPDATE, WRITE};
use super::writeset::UNKNOWN;
use crate::session_api::SqlError;
use std::collections::HashMap;
use weir_binlog::Kind;
use weir_binlog::rows::flag;
use weir_source::Batch;
use weir_wire::Reader;

/// Bytes of a rows event at which it ends, as MySQL's `binlog_row_event_max_size`.
const EVENT_BYTES: usize = 8192;

struct Known {
    time: u32,
    flags: u16,
    map: Vec<u8>,
}

/// Makes events of items as they come.
#[derive(Default)]
pub struct Assembler {
    pub batch: Batch,
    tables: HashMap<u64, Known>,
    /// The table whose TABLE_MAP is in force.
    current: Option<u64>,
    /// Of the rows event that is being made: what its rows have in common, and its rows.
    key: Vec<u8>,
    rows: Vec<u8>,
}

fn broken() -> SqlError {
    SqlError::internal("an item of a transaction's notes cannot be read")
}

impl Assembler {
    /// The events come after those of a batch.
    pub fn behind(batch: Batch) -> Assembler {
        Assembler { batch, ..Assembler::default() }
    }

    /// Takes whole items.
    pub fn items(&mut self, mut bytes: &[u8]) -> Result<(), SqlError> {
        while !bytes.is_empty() {
            let (len, rest) = bytes.split_first_chunk::<4>().ok_or_else(broken)?;
            let len = u32::from_le_bytes(*len) as usize;
            let item = rest.get(..len).ok_or_else(broken)?;
            self.item(item).map_err(|_| broken())?;
            bytes = &rest[len..];
        }
        Ok(())
    }

    fn item(&mut self, item: &[u8]) -> Result<(), weir_wire::Malformed> {
        let mut r = Reader::new(item);
        match r.u8()? {
            TABLE => {
                let id = r.u64()?;
                let (time, flags) = (r.u32()?, r.u16()?);
                let map = r.rest().to_vec();
                // Another statement begins: rows before it have been under other variables.
                if self.current == Some(id) {
                    self.end_statement();
                }
                self.tables.insert(id, Known { time, flags, map });
            }
            ROW => {
                let id = r.u64()?;
                let change = r.u8()?;
                self.keys(&mut r)?;
                let columns = usize::from(r.u16()?);
                let columns = r.bytes(columns)?;
                self.row(id, change, columns, r.rest());
            }
            TEXT => {
                let time = r.u32()?;
                self.end_statement();
                self.batch.push((Kind::Query, 0, time), r.rest());
                self.batch.statements = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// The keys by which the row conflicts with others.
    fn keys(&mut self, r: &mut Reader<'_>) -> Result<(), weir_wire::Malformed> {
        match r.u8()? {
            UNKNOWN => self.batch.keys.forget(),
            n => {
                for _ in 0..n {
                    self.batch.keys.add(r.u32()?);
                }
            }
        }
        Ok(())
    }

    fn row(&mut self, id: u64, change: u8, columns: &[u8], images: &[u8]) {
        if self.current != Some(id) {
            self.end_statement();
            let Some(known) = self.tables.get(&id) else { return };
            self.batch.push((Kind::TableMap, 0, known.time), &known.map);
            self.current = Some(id);
        }
        let same = self.key.first() == Some(&change) && self.key[1..] == *columns;
        if !same || self.rows.len() + images.len() > EVENT_BYTES {
            self.end_event(false);
            self.key.clear();
            self.key.push(change);
            self.key.extend_from_slice(columns);
        }
        self.rows.extend_from_slice(images);
    }

    fn end_event(&mut self, ends: bool) {
        let Some((id, known)) = self.current.and_then(|id| Some((id, self.tables.get(&id)?)))
        else {
            return;
        };
        if self.rows.is_empty() {
            return;
        }
        let kind = match self.key[0] {
            WRITE => Kind::WriteRows,
            UPDATE => Kind::UpdateRows,
            PARTIAL_UPDATE => Kind::PartialUpdateRows,
            _ => Kind::DeleteRows,
        };
        let mut body = Vec::with_capacity(self.rows.len() + self.key.len() + 16);
        body.extend_from_slice(&id.to_le_bytes()[..6]);
        let end = if ends { flag::STATEMENT_END } else { 0 };
        body.extend_from_slice(&(known.flags | end).to_le_bytes());
        body.extend_from_slice(&2u16.to_le_bytes());
        body.extend_from_slice(&self.key[1..]);
        body.extend_from_slice(&self.rows);
        self.batch.push((kind, 0, known.time), &body);
        self.rows.clear();
    }

    /// The events so far end a statement.
    pub fn end_statement(&mut self) {
        self.end_event(true);
        self.current = None;
        self.key.clear();
    }
}
