//! Walks over ranges of keys.

use super::columns::{Columns, Key, decode, encode};
use super::definition::{Index, Table};
use super::transaction::Snapshot;
use crate::error::Result;
use crate::row::key::prefix_successor;
use crate::txn::{Cursor as Scan, LockMode, OnLocked, ScanSpec};
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// A place in a range, which borrows nothing: the transaction that it walks in can write between two steps. It sees the rows of its
/// snapshot and those that its own transaction has written before it came there.
///
/// ```
/// # use weir_engine::store::{Database, TableDefinition};
/// # const T: TableDefinition<u32, i64> = TableDefinition::new("t");
/// # fn main() -> weir_engine::Result<()> {
/// # let db = Database::open_in_memory()?;
/// # let t = db.table(&T)?;
/// # let mut tx = db.begin();
/// # for id in 0..10 { tx.insert(&t, id, -5)?; }
/// let mut below_five = t.cursor(..5).for_update();
/// while let Some((id, cents)) = below_five.next(&mut tx)? {
///     if cents < 0 {
///         tx.remove(&t, id)?;
///     }
/// }
/// # assert_eq!(tx.range(&t, ..).count(), 5);
/// # tx.commit()
/// # }
/// ```
pub struct Cursor<K, V> {
    table: Table<K, V>,
    spec: ScanSpec,
    /// Nothing can be in the range.
    empty: bool,
    scan: Option<Scan>,
    of: PhantomData<fn() -> (K, V)>,
}

impl<K: Key, V: Columns> Table<K, V> {
    /// A walk over the rows whose keys are in a range, which begins with [`Cursor::next`].
    pub fn cursor<'k>(&self, range: impl RangeBounds<K::Ref<'k>>) -> Cursor<K, V> {
        Cursor::new::<K>(self.clone(), 0, range)
    }
}

impl<K: Key, V: Columns, I: Columns> Index<K, V, I> {
    /// A walk over the rows that are in a range of the index, in its order.
    pub fn cursor<'k>(&self, range: impl RangeBounds<I::Ref<'k>>) -> Cursor<K, V> {
        Cursor::new::<I>(self.table.clone(), self.at, range)
    }
}

/// Encoded keys from the first that a bound lets in, or from the first that it keeps out at the other end. `None`: there is none.
fn edge<'k, C: Columns>(bound: Bound<&C::Ref<'k>>, begins: bool) -> Option<Vec<u8>> {
    let (values, behind) = match bound {
        Bound::Unbounded => return begins.then(Vec::new),
        Bound::Included(v) => (*v, !begins),
        Bound::Excluded(v) => (*v, begins),
    };
    let mut key = Vec::new();
    // Every value of a column's type can be in a key.
    encode::<C>(values, &mut key).ok()?;
    if behind { prefix_successor(&key) } else { Some(key) }
}

impl<K: Key, V: Columns> Cursor<K, V> {
    fn new<'k, C: Columns>(
        table: Table<K, V>,
        index: usize,
        range: impl RangeBounds<C::Ref<'k>>,
    ) -> Cursor<K, V> {
        let start = edge::<C>(range.start_bound(), true);
        let end = edge::<C>(range.end_bound(), false);
        let reversed = matches!((&start, &end), (Some(s), Some(e)) if s >= e);
        let empty = reversed || start.is_none();
        let spec = ScanSpec {
            index,
            start: start.unwrap_or_default(),
            end,
            reverse: false,
            lock: LockMode::None,
            on_locked: OnLocked::Wait,
            unique_eq: false,
            expect: 0,
            fetch_external: true,
            rows_only: false,
            index_only: None,
        };
        Cursor { table, spec, empty, scan: None, of: PhantomData }
    }

    /// From the end of the range to its start. Said before the first step.
    pub fn descending(mut self) -> Cursor<K, V> {
        self.spec.reverse = true;
        self
    }

    /// Locks the rows that it comes to, and reads their newest versions. Said before the first step.
    pub fn for_update(mut self) -> Cursor<K, V> {
        self.spec.lock = LockMode::Exclusive;
        self
    }

    /// The next row; `None` behind the last one. Each step is made in the transaction of the first one.
    pub fn next(&mut self, reads: &mut Snapshot) -> Result<Option<(K, V)>> {
        if self.empty {
            return Ok(None);
        }
        let scan = match &mut self.scan {
            Some(scan) => scan,
            none => {
                reads.begin_read();
                let mut spec = self.spec.clone();
                spec.lock = reads.lock_of(spec.lock);
                none.insert(reads.txn.scan(&self.table.stored, spec))
            }
        };
        // A row that was copied with others needs no future.
        if !scan.step() && !reads.open.rt.block_on(scan.next(&mut reads.txn))? {
            self.empty = true;
            return Ok(None);
        }
        let stored = &self.table.stored;
        let key = decode(stored, scan.row(), 0)?;
        Ok(Some((key, decode(stored, scan.row(), K::COLUMNS.len())?)))
    }
}

/// Rows of a range, as an iterator. It ends behind its first error.
pub struct Range<'t, K, V> {
    pub(super) cursor: Cursor<K, V>,
    pub(super) reads: &'t mut Snapshot,
}

impl<K: Key, V: Columns> Range<'_, K, V> {
    /// From the end of the range to its start. Said before the first row.
    pub fn descending(mut self) -> Self {
        self.cursor = self.cursor.descending();
        self
    }
}

impl<K: Key, V: Columns> Iterator for Range<'_, K, V> {
    type Item = Result<(K, V)>;

    fn next(&mut self) -> Option<Result<(K, V)>> {
        let next = self.cursor.next(self.reads).transpose();
        if matches!(next, Some(Err(_))) {
            self.cursor.empty = true;
        }
        next
    }
}
