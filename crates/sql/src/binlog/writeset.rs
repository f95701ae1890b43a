//! What a changed row may have in common with rows of other transactions: the hashes of its unique keys, before the change and behind it.
//!
//! Two transactions that share none of them may be applied at the same time (`binlog_transaction_dependency_tracking = WRITESET`). Equal
//! keys have equal hashes whatever their columns' collations are, since what is hashed is the key as the index has it. Different keys may
//! have one hash: that costs a replica a wait, and nothing else.
//!
//! Form: the number of hashes as a byte, [`UNKNOWN`] where they would not tell all, and each of them as u32.

use crate::meta::SqlTable;
use weir_binlog::event::crc32;
use weir_engine::row::{RowView, encode_key};

/// The rows that this one conflicts with are not told by its unique keys.
pub const UNKNOWN: u8 = u8::MAX;

/// Appends the hashes of a row's images. `related`: foreign keys join the table to others, which conflict by other keys than their own.
pub fn put(table: &SqlTable, related: bool, images: [Option<&[u8]>; 2], out: &mut Vec<u8>) {
    let at = out.len();
    out.push(UNKNOWN);
    if related || put_all(table, images, out).is_none() {
        out.truncate(at + 1);
        return;
    }
    // A table has at most 64 keys.
    out[at] = ((out.len() - at - 1) / 4) as u8;
}

fn put_all(table: &SqlTable, images: [Option<&[u8]>; 2], out: &mut Vec<u8>) -> Option<()> {
    let mut any = false;
    let mut key = Vec::with_capacity(64);
    for (n, index) in table.meta.indexes.iter().enumerate().filter(|(_, i)| i.unique) {
        let engine = &table.engine.indexes[table.engine_indexes[n]];
        if index.is_multi_valued() {
            return None;
        }
        let mut before = None;
        for image in images.into_iter().flatten() {
            key.clear();
            let view = RowView::new(&table.engine.layout, image);
            // Parts that stand outside of the row are not at hand.
            encode_key(&engine.def.parts, &table.engine.layout, &view, &mut key).ok()?;
            if engine.has_null(&key) {
                continue;
            }
            key.extend_from_slice(&table.engine.def.id.to_le_bytes());
            key.push(n as u8);
            let hash = crc32(&key);
            if before.replace(hash) != Some(hash) {
                out.extend_from_slice(&hash.to_le_bytes());
            }
        }
        let whole = |p: &crate::meta::IndexPart| !table.meta.columns[p.column].nullable;
        any |= index.parts.iter().all(whole);
    }
    // Rows without a key that tells them apart may be equal.
    any.then_some(())
}
