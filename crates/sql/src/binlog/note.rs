//! The rows of a statement as items of its transaction's notes.
//!
//! An item is `length u32 | type u8 | ...`. A table item has what the row items behind it need: `table u64 | time u32 | flags u16 | TABLE_MAP`.
//! A text item is `time u32 | the body of QUERY`: a change that is logged as its text. A row item is
//! `table u64 | change u8 | keys ([`super::writeset`]) | length of the columns u16 | the columns of the images as a rows event has them | images`.

use super::layout::{Image, Layout};
use super::writeset;
use crate::errno;
use crate::meta::SqlTable;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_binlog::encode;
use weir_engine::Txn;
use weir_wire::put_lenenc_int;

pub const TABLE: u8 = 1;
pub const ROW: u8 = 2;
pub const TEXT: u8 = 3;

/// What a row item does with its row.
pub const WRITE: u8 = 0;
pub const UPDATE: u8 = 1;
const DELETE: u8 = 2;
/// An update whose image behind the change says which documents are written as changes.
pub const PARTIAL_UPDATE: u8 = 3;

/// What a statement's rows are noted under.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub image: Image,
    /// `binlog_row_value_options = PARTIAL_JSON`.
    pub partial: bool,
    /// `binlog_row_metadata=FULL`.
    pub full: bool,
    /// Seconds since 1970.
    pub time: u32,
    /// Flags of rows events.
    pub flags: u16,
    /// The keys of rows are noted, by which transactions conflict.
    pub keys: bool,
}

struct Known {
    layout: Arc<Layout>,
    /// How often notes were undone when its item was noted.
    cuts: u64,
    /// Foreign keys join it to other tables.
    related: bool,
}

/// Tables whose items stand in the notes already.
#[derive(Default)]
pub struct Notes {
    known: Vec<Known>,
    item: Vec<u8>,
}

fn no_form(e: &weir_binlog::Error) -> SqlError {
    SqlError::new(
        errno::ER_NOT_SUPPORTED_YET,
        format!("This version of MySQL doesn't yet support '{e} in the binary log'"),
    )
}

impl Notes {
    /// Notes a change of a row; returns how many bytes of notes are in memory now. `related` says whether foreign keys join the table to
    /// others, and is asked once.
    pub fn row(
        &mut self,
        txn: &mut Txn,
        table: &SqlTable,
        how: How,
        (old, new): (Option<&[u8]>, Option<&[u8]>),
        related: impl FnOnce() -> bool,
    ) -> Result<usize, SqlError> {
        let (layout, related) = self.table(txn, table, how, related)?;
        let (before, after) = layout.images(how.image, table, (old, new));
        let partial = match (old, new) {
            (Some(old), Some(new)) if how.partial => layout.changes(table, (old, new), &after),
            _ => None,
        };
        let change = match (old, new) {
            (Some(_), Some(_)) if partial.is_some() => PARTIAL_UPDATE,
            (Some(_), Some(_)) => UPDATE,
            (Some(_), None) => DELETE,
            _ => WRITE,
        };
        let item = &mut self.item;
        item.clear();
        item.extend_from_slice(&[0, 0, 0, 0, ROW]);
        item.extend_from_slice(&layout.id.to_le_bytes());
        item.push(change);
        writeset::put(table, related || !how.keys, [old, new], item);
        item.extend_from_slice(&[0, 0]);
        let from = item.len();
        put_lenenc_int(item, layout.width() as u64);
        if old.is_some() {
            item.extend_from_slice(&encode::bits(&before));
        }
        if new.is_some() {
            item.extend_from_slice(&encode::bits(&after));
        }
        let columns = (item.len() - from) as u16;
        item[from - 2..from].copy_from_slice(&columns.to_le_bytes());
        if let Some(row) = old {
            layout.image(table, row, &before, None, item).map_err(|e| no_form(&e))?;
        }
        if let Some(row) = new {
            layout.image(table, row, &after, partial.as_ref(), item).map_err(|e| no_form(&e))?;
        }
        let len = (item.len() - 4) as u32;
        item[..4].copy_from_slice(&len.to_le_bytes());
        Ok(txn.note_row(item))
    }

    /// The table's layout, whose item is in the notes.
    fn table(
        &mut self,
        txn: &mut Txn,
        table: &SqlTable,
        how: How,
        related: impl FnOnce() -> bool,
    ) -> Result<(Arc<Layout>, bool), SqlError> {
        let (id, cuts) = (table.engine.def.id, txn.cuts_of_notes());
        let found = self.known.iter().position(|k| k.layout.id == id);
        if let Some(k) = found.map(|at| &self.known[at]).filter(|k| k.cuts == cuts) {
            return Ok((k.layout.clone(), k.related));
        }
        let (layout, related) = match found.map(|at| &self.known[at]) {
            Some(k) => (k.layout.clone(), k.related),
            None => (Arc::new(Layout::of(table)), related()),
        };
        let map = layout.table_map(how.full).map_err(|e| no_form(&e))?;
        let mut item = Vec::with_capacity(map.len() + 19);
        item.extend_from_slice(&((1 + 8 + 4 + 2 + map.len()) as u32).to_le_bytes());
        item.push(TABLE);
        item.extend_from_slice(&id.to_le_bytes());
        item.extend_from_slice(&how.time.to_le_bytes());
        item.extend_from_slice(&how.flags.to_le_bytes());
        item.extend_from_slice(&map);
        txn.note_row(&item);
        match found {
            Some(at) => self.known[at].cuts = cuts,
            None => self.known.push(Known { layout: layout.clone(), cuts, related }),
        }
        Ok((layout, related))
    }
}

/// 1197.
pub fn too_large() -> SqlError {
    SqlError::of(errno::ER_TRANS_CACHE_FULL, &[])
}
