//! Entries that are passed over because of their keys, before their rows are looked for.
//!
//! An entry is only ever taken for a version of a row that has it, so what its key says holds for whatever version the reader sees.

use super::Cursor;
use crate::page::slotted;
use crate::row::KeyLike;
use std::sync::Arc;

/// The condition, and memory for a key.
pub(super) struct Like {
    what: Arc<KeyLike>,
    key: Vec<u8>,
}

impl Like {
    pub fn may_match(&mut self, p: &[u8], slot: usize) -> bool {
        self.key.clear();
        self.key.extend_from_slice(slotted::prefix(p));
        self.key.extend_from_slice(slotted::key_rest(p, slot));
        self.what.may_match(&self.key)
    }
}

impl Cursor {
    /// Rows whose text is not LIKE this need not be given, nor counted as read. Of a scan of that text's index without locks, before its first row.
    pub fn only_like(&mut self, what: Arc<KeyLike>) {
        self.like = Some(Box::new(Like { what, key: Vec::new() }));
    }
}
