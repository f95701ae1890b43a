//! Cursors that read once more: a nested loop opens one for each row before.

use super::{Batch, Cursor, Position, ScanSpec, cover_of};
use crate::table::Table;
use crate::txn::{LockMode, Txn};
use std::sync::Arc;

impl Txn {
    /// As [`Txn::scan`], with a cursor that is done with another scan of this index ([`Cursor::reads`]): what it knows of the entries is used again.
    pub fn scan_again(
        &mut self,
        mut done: Box<Cursor>,
        t: &Arc<Table>,
        spec: ScanSpec,
    ) -> Box<Cursor> {
        self.end_scan(&mut done);
        let plain = |spec: &ScanSpec| spec.lock == LockMode::None;
        let alike = plain(&done.spec) == plain(&spec) && done.spec.index_only == spec.index_only;
        let cover = match alike && done.reads(t, spec.index) {
            true => done.cover.take(),
            false => cover_of(t, &spec),
        };
        *done = self.begin_scan(t, spec, cover);
        done
    }

    /// A cursor is done: its memory is for the next scan, and it keeps no view.
    pub fn end_scan(&mut self, c: &mut Cursor) {
        if self.spare.bytes.capacity() < c.batch.bytes.capacity() {
            self.spare = std::mem::take(&mut c.batch);
        }
        self.spare.clear();
        (c.batch, c.entries, c.seen, c.at) = (Batch::default(), None, (None, None), Position::Done);
    }
}

impl Cursor {
    /// Whether it reads this index.
    pub fn reads(&self, t: &Arc<Table>, index: usize) -> bool {
        Arc::ptr_eq(&self.table, t) && self.spec.index == index
    }
}
