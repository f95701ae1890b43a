//! The rows of a statement as items of its transaction's notes.
//!
//! An item is `length u32 | type u8 | ...`. A table item has what the row items behind it need: `table u64 | time u32 | flags u16 | TABLE_MAP`.
//! A row item is `table u64 | change u8 | length of the columns u16 | the columns of the images as a rows event has them | images`.

use super::layout::{Image, Layout};
use crate::errno;
use crate::meta::SqlTable;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_binlog::encode;
use weir_binlog::rows::Change;
use weir_engine::Txn;
use weir_wire::put_lenenc_int;

pub const TABLE: u8 = 1;
pub const ROW: u8 = 2;

/// What a statement's rows are noted under.
#[derive(Clone, Copy, Debug)]
pub struct How {
    pub image: Image,
    /// `binlog_row_metadata=FULL`.
    pub full: bool,
    /// Seconds since 1970.
    pub time: u32,
    /// Flags of rows events.
    pub flags: u16,
}

/// Tables whose items stand in the notes already.
#[derive(Default)]
pub struct Notes {
    known: Vec<(Arc<Layout>, u64)>,
    item: Vec<u8>,
}

fn no_form(e: &weir_binlog::Error) -> SqlError {
    SqlError::new(
        errno::ER_NOT_SUPPORTED_YET,
        format!("This version of MySQL doesn't yet support '{e} in the binary log'"),
    )
}

impl Notes {
    /// Notes a change of a row; returns how many bytes of notes are in memory now.
    pub fn row(
        &mut self,
        txn: &mut Txn,
        table: &SqlTable,
        how: How,
        (old, new): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<usize, SqlError> {
        let layout = self.table(txn, table, how)?;
        let (before, after) = layout.images(how.image, table, (old, new));
        let change = match (old, new) {
            (Some(_), Some(_)) => Change::Update,
            (Some(_), None) => Change::Delete,
            _ => Change::Write,
        };
        let item = &mut self.item;
        item.clear();
        item.extend_from_slice(&[0, 0, 0, 0, ROW]);
        item.extend_from_slice(&layout.id.to_le_bytes());
        item.push(number_of(change));
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
        let images = [(old, &before), (new, &after)];
        for (row, present) in images.into_iter().filter_map(|(r, p)| Some((r?, p))) {
            layout.image(table, row, present, item).map_err(|e| no_form(&e))?;
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
    ) -> Result<Arc<Layout>, SqlError> {
        let (id, cuts) = (table.engine.def.id, txn.cuts_of_notes());
        let found = self.known.iter().position(|(l, _)| l.id == id);
        if let Some(at) = found
            && self.known[at].1 == cuts
        {
            return Ok(self.known[at].0.clone());
        }
        let layout = match found {
            Some(at) => self.known[at].0.clone(),
            None => Arc::new(Layout::of(table)),
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
            Some(at) => self.known[at].1 = cuts,
            None => self.known.push((layout.clone(), cuts)),
        }
        Ok(layout)
    }
}

pub fn number_of(change: Change) -> u8 {
    match change {
        Change::Write => 0,
        Change::Update => 1,
        Change::Delete => 2,
    }
}

/// 1197.
pub fn too_large() -> SqlError {
    SqlError::of(errno::ER_TRANS_CACHE_FULL, &[])
}
