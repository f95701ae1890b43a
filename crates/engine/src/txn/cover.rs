//! Covering reads: rows made of the entries of a secondary index, for readers that look at no other columns.
//!
//! Invariant: an entry is taken for a row only if its leaf was last changed by a transaction that ended before the reader's
//! view was made, with all older ones, and the entry has no mark. Each transaction enters its id into a leaf with its change,
//! under the same latch, and ids grow; so nobody has put the entry there, or marked it, whom the view does not see, and the
//! version that the view sees has this entry. Of any other entry the clustered row is asked.

use super::View;
use super::secondary::pk_offset;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::row::moves::KeyMoves;
use crate::row::write::{first_columns, replace_columns};
use crate::row::{DatumBuf, KeyPartType, decode_datum, decode_len};
use crate::table::Table;
use std::sync::Arc;

/// Makes rows of the entries of one index. A row ends with the last place that is wanted; what stands in the others before it is
/// something that the column can be.
pub(super) struct Cover {
    table: Arc<Table>,
    /// Parts of an entry up to the last one that is needed: the column that it gives, if it gives one.
    parts: Vec<(Option<usize>, KeyPartType)>,
    /// A row in which the wanted columns are still to be put.
    blank: Vec<u8>,
    /// How the columns get there, where they have the same places in every entry.
    moves: Option<KeyMoves>,
    values: Vec<(usize, DatumBuf)>,
    entry: Vec<u8>,
    row: Vec<u8>,
    key_at: usize,
}

/// Whether all entries of a leaf are as they were when the view was made.
pub(super) fn is_settled(leaf: &[u8], view: Option<&View>) -> bool {
    view.is_some_and(|v| {
        planted::is(Bug::CoveringTrustsNewPage) || v.sees_all_up_to(slotted::max_trx(leaf))
    })
}

impl Cover {
    /// `wanted`: columns that the index covers, see [`Table::covers`].
    pub fn new(table: &Arc<Table>, index: usize, wanted: &[u16]) -> Cover {
        debug_assert!(table.covers(index, wanted.iter().map(|c| usize::from(*c))));
        let mut left = wanted.to_vec();
        let parts = [index, 0].map(|i| &table.indexes[i]).into_iter();
        let parts = parts.flat_map(|i| i.def.parts.iter().zip(i.types()));
        let mut parts: Vec<_> = parts
            .map(|(p, ty)| {
                let gives = p.tells_column() && ty.is_reversible();
                let at = left.iter().position(|c| usize::from(*c) == p.col).filter(|_| gives);
                (at.map(|at| usize::from(left.swap_remove(at))), *ty)
            })
            .collect();
        let needed = parts.iter().rposition(|(col, _)| col.is_some()).map_or(0, |last| last + 1);
        parts.truncate(needed);
        let blank = first_columns(&table.layout, wanted.iter().map(|c| usize::from(*c)));
        Cover {
            moves: KeyMoves::of(&table.layout, &blank, &parts),
            parts,
            blank,
            values: Vec::new(),
            table: table.clone(),
            entry: Vec::new(),
            row: Vec::new(),
            key_at: 0,
        }
    }

    /// Makes the row of an entry; false: the entry does not tell all of it.
    pub fn make(&mut self, prefix: &[u8], rest: &[u8], value: &[u8]) -> bool {
        self.entry.clear();
        self.entry.extend_from_slice(prefix);
        self.entry.extend_from_slice(rest);
        self.key_at = pk_offset(value);
        self.row.clear();
        if self.moves.as_ref().is_some_and(|m| m.put(&self.entry, &mut self.row)) {
            return true;
        }
        self.values.clear();
        let mut left = &self.entry[..];
        for (col, ty) in &self.parts {
            let Some(len) = decode_len(std::slice::from_ref(ty), left) else { return false };
            if let Some(col) = col {
                match decode_datum(ty, left) {
                    // Zero and minus zero have one key.
                    Some((DatumBuf::Float(0.0), _)) | None => return false,
                    Some((d, _)) => self.values.push((*col, d)),
                }
            }
            left = &left[len..];
        }
        let changes: Vec<_> = self.values.iter().map(|(col, d)| (*col, d.as_ref())).collect();
        replace_columns(&self.table.layout, &self.blank, &changes, &mut self.row).is_ok()
    }

    /// The clustered key of the entry, and its row.
    pub fn made(&self) -> (&[u8], &[u8]) {
        (&self.entry[self.key_at..], &self.row)
    }
}
