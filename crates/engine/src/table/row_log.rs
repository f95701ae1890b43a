//! Row log: where a table's writers tell what they change while a definition statement works at the table beside them.
//!
//! Invariants
//! - A log begins when nobody writes the table, and is read for the last time when nobody does: so it has been told every change between
//!   the two, undone ones as well. A log that is given up may end at any moment.
//! - A change is written while the row is still locked: one that was made after the change, while its transaction goes on, and one that is
//!   undone before it, since the row is free for others as soon as it is. So changes of one row are written in their order.

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// One change.
pub(crate) trait RowLog: Send + Sync {
    /// A row, given in full, is what was `gone` no more and is what has `come`.
    fn changed(&self, key: &[u8], gone: Option<&[u8]>, come: Option<&[u8]>);
}

/// Where a table's writers find its log; most of the time there is none.
#[derive(Default)]
pub(crate) struct RowLogs {
    on: AtomicBool,
    log: Mutex<Option<Arc<dyn RowLog>>>,
}

impl RowLogs {
    pub fn begin(&self, log: Arc<dyn RowLog>) {
        *self.log.lock() = Some(log);
        self.on.store(true, Ordering::Release);
    }

    pub fn end(&self) {
        self.on.store(false, Ordering::Release);
        *self.log.lock() = None;
    }

    /// A writer's metadata lock is younger than the log's begin, so it sees the flag.
    #[inline]
    pub fn get(&self) -> Option<Arc<dyn RowLog>> {
        match self.on.load(Ordering::Relaxed) {
            false => None,
            true => self.log.lock().clone(),
        }
    }
}

/// An entry of an index that is being built, and the last word about it.
pub(crate) type Said = (Box<[u8]>, Word);

/// The last word about an entry of an index that is being built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word {
    /// How many of the entry's bytes are the index's own columns.
    pub columns: u16,
    /// Whether the index is to have it.
    pub there: bool,
}
