//! Walks over ranges of keys.

use super::columns::{Columns, Key, encode, lent};
use super::definition::{Index, Table};
use super::transaction::Snapshot;
use crate::error::Result;
use crate::row::RowView;
use crate::row::key::prefix_successor;
use crate::txn::{Cursor as Scan, LockMode, OnLocked, Piece, ScanSpec};
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// Rows that are copied at first by a walk that has no end, which may be left soon; and by any walk later.
const FIRST: usize = 8;
const MOST: usize = 256;

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
    /// Nothing more can be in the range.
    over: bool,
    rows: Rows,
    /// Rows that the next piece has at most.
    most: usize,
    of: PhantomData<fn() -> (K, V)>,
}

/// Where the rows come from.
enum Rows {
    /// There were none yet.
    NotBegun,
    /// Copies made without a wait.
    Piece(Piece),
    /// The usual way, which can wait.
    Scan(Box<Scan>),
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
        let over = reversed || start.is_none();
        let most = if end.is_some() { MOST } else { FIRST };
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
        Cursor { table, spec, over, rows: Rows::NotBegun, most, of: PhantomData }
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
        Ok(self.lend(reads)?.map(|(key, value)| (K::own_all(key), V::own_all(value))))
    }

    /// As [`Cursor::next`], without memory of their own for texts and bytes: the row is there until the next step.
    ///
    /// ```
    /// # use weir_engine::store::{Database, TableDefinition};
    /// # const T: TableDefinition<u32, (i64, String)> = TableDefinition::new("t");
    /// # fn main() -> weir_engine::Result<()> {
    /// # let db = Database::open_in_memory()?;
    /// # let t = db.table(&T)?;
    /// # db.insert(&t, 1, (5, "five"))?;
    /// let (mut letters, mut now, mut rows) = (0, db.snapshot(), t.cursor(..));
    /// while let Some((_, (_, text))) = rows.lend(&mut now)? {
    ///     letters += text.len();
    /// }
    /// # assert_eq!(letters, 4);
    /// # Ok(())
    /// # }
    /// ```
    pub fn lend(&mut self, reads: &mut Snapshot) -> Result<Option<(K::Ref<'_>, V::Ref<'_>)>> {
        let there = match &mut self.rows {
            Rows::Piece(piece) => piece.step(),
            // A row that was copied with others needs no future.
            Rows::Scan(scan) => scan.step(),
            Rows::NotBegun => false,
        };
        if !there && !self.more(reads)? {
            return Ok(None);
        }
        let row = match &self.rows {
            Rows::Piece(piece) => piece.row(),
            Rows::Scan(scan) => scan.row(),
            Rows::NotBegun => &[],
        };
        let stored = &self.table.stored;
        let row = RowView::new(&stored.layout, row);
        Ok(Some((lent::<K>(stored, &row, 0)?, lent::<V>(stored, &row, K::COLUMNS.len())?)))
    }

    /// Goes to the next row where none is at hand; false: there is none.
    fn more(&mut self, reads: &mut Snapshot) -> Result<bool> {
        if self.over {
            return Ok(false);
        }
        if matches!(self.rows, Rows::NotBegun) {
            reads.begin_read();
            self.spec.lock = reads.lock_of(self.spec.lock);
            let plain = self.spec.lock == LockMode::None && !self.spec.reverse;
            self.rows = if plain && self.spec.index == 0 {
                let (start, end) = (std::mem::take(&mut self.spec.start), self.spec.end.clone());
                Rows::Piece(Piece::new(start, end))
            } else {
                self.scan(reads)
            };
        }
        if let Rows::Piece(piece) = &mut self.rows {
            let read = reads.txn.read_piece_now(&self.table.stored, piece, self.most);
            self.most = (self.most * 4).min(MOST);
            if let Some(there) = read {
                self.over = !there;
                return Ok(there && piece.step());
            }
            self.spec.start = piece.next().unwrap_or_default().to_vec();
            self.rows = self.scan(reads);
        }
        if let Rows::Scan(scan) = &mut self.rows {
            self.over = !reads.open.rt.block_on(scan.next(&mut reads.txn))?;
        }
        Ok(!self.over)
    }

    fn scan(&self, reads: &mut Snapshot) -> Rows {
        Rows::Scan(Box::new(reads.txn.scan(&self.table.stored, self.spec.clone())))
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

    /// The next row without memory of its own for texts and bytes, see [`Cursor::lend`].
    pub fn lend(&mut self) -> Result<Option<(K::Ref<'_>, V::Ref<'_>)>> {
        self.cursor.lend(self.reads)
    }
}

impl<K: Key, V: Columns> Iterator for Range<'_, K, V> {
    type Item = Result<(K, V)>;

    fn next(&mut self) -> Option<Result<(K, V)>> {
        let next = self.cursor.next(self.reads).transpose();
        if matches!(next, Some(Err(_))) {
            self.cursor.over = true;
        }
        next
    }
}
