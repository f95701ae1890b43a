//! Reading and writing in transactions.

use super::columns::{Columns, Key, decode, encode, lent};
use super::cursor::Range;
use super::database::Open;
use super::definition::{Index, Table};
use crate::error::{Error, Result};
use crate::row::{Pen, RowBuilder, RowView};
use crate::table::Table as Stored;
use crate::txn::{Isolation, LockMode, Made, OnLocked, RowBuf, RowChange, Savepoint, Txn};
use std::ops::{Deref, DerefMut, RangeBounds};
use std::sync::Arc;

/// The database at one moment, for reading. A [`Transaction`] is one as well.
pub struct Snapshot {
    pub(super) open: Arc<Open>,
    pub(super) txn: Txn,
    /// Memory of one read, for the next one.
    key: Vec<u8>,
    found: RowBuf,
}

impl Snapshot {
    pub(super) fn new(open: Arc<Open>, txn: Txn) -> Snapshot {
        Snapshot { open, txn, key: Vec::new(), found: RowBuf::default() }
    }

    /// Begins a read: at READ COMMITTED each one has a snapshot of its own.
    pub(super) fn begin_read(&mut self) {
        self.txn.begin_statement();
    }

    /// At SERIALIZABLE a plain read locks what it reads against changes.
    pub(super) fn lock_of(&self, wanted: LockMode) -> LockMode {
        match (wanted, self.txn.isolation()) {
            (LockMode::None, Isolation::Serializable) if !self.txn.is_read_only() => {
                LockMode::Shared
            }
            (wanted, _) => wanted,
        }
    }

    /// The row of a key.
    pub fn get<K: Key, V: Columns>(
        &mut self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
    ) -> Result<Option<V>> {
        self.get_with(table, key, V::own_all)
    }

    /// As [`Snapshot::get`], without memory of their own for texts and bytes: `with` is lent the value.
    pub fn get_with<K: Key, V: Columns, T>(
        &mut self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        with: impl FnOnce(V::Ref<'_>) -> T,
    ) -> Result<Option<T>> {
        self.begin_read();
        let t = &table.stored;
        if self.lock_of(LockMode::None) == LockMode::None {
            self.key.clear();
            encode::<K>(key, &mut self.key)?;
            match self.txn.read_now(t, 0, &self.key, &mut self.found.row) {
                Some(true) => {
                    let row = RowView::new(&t.layout, &self.found.row);
                    return lent::<V>(t, &row, K::COLUMNS.len()).map(|value| Some(with(value)));
                }
                Some(false) => return Ok(None),
                None => {}
            }
        }
        self.read(table, key, LockMode::None).map(|value| value.map(|v| with(v.lend_all())))
    }

    fn read<K: Key, V: Columns>(
        &mut self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        lock: LockMode,
    ) -> Result<Option<V>> {
        self.key.clear();
        encode::<K>(key, &mut self.key)?;
        let (lock, t) = (self.lock_of(lock), &table.stored);
        let get = self.txn.get(t, 0, &self.key, lock, OnLocked::Wait, &mut self.found);
        match self.open.rt.block_on(get)? {
            true => decode(t, &self.found.row, K::COLUMNS.len()).map(Some),
            false => Ok(None),
        }
    }

    /// The first row with these values in an index; the only one, if it is unique.
    pub fn get_by<K: Key, V: Columns, I: Columns>(
        &mut self,
        index: &Index<K, V, I>,
        values: I::Ref<'_>,
    ) -> Result<Option<(K, V)>> {
        index.cursor(values..=values).next(self)
    }

    /// Rows by the order of their keys.
    pub fn range<'k, K: Key, V: Columns>(
        &mut self,
        table: &Table<K, V>,
        range: impl RangeBounds<K::Ref<'k>>,
    ) -> Range<'_, K, V> {
        Range { cursor: table.cursor(range), reads: self }
    }

    /// Rows by the order of an index.
    pub fn range_by<'k, K: Key, V: Columns, I: Columns>(
        &mut self,
        index: &Index<K, V, I>,
        range: impl RangeBounds<I::Ref<'k>>,
    ) -> Range<'_, K, V> {
        Range { cursor: index.cursor(range), reads: self }
    }
}

/// A transaction. It reads by the methods of [`Snapshot`]. Dropped unfinished, it is rolled back.
///
/// Rows that it writes are locked until its end; others that want to write them wait, or end by [`Error::LockWaitTimeout`]. Where two
/// wait for each other one ends by [`Error::Deadlock`] and is rolled back as a whole; see
/// [`Database::transaction`](super::Database::transaction). After any other error the transaction is as it was before the call.
pub struct Transaction {
    /// There until the end.
    reads: Option<Snapshot>,
}

/// A place in a transaction to go back to, see [`Transaction::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark(Savepoint);

impl Deref for Transaction {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        self.reads.as_ref().expect("a transaction has its parts until its end, which takes it")
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut Snapshot {
        self.reads.as_mut().expect("a transaction has its parts until its end, which takes it")
    }
}

impl Transaction {
    pub(super) fn new(reads: Snapshot) -> Transaction {
        Transaction { reads: Some(reads) }
    }

    /// Runs a call that writes. What a failed one has written is undone.
    fn write<T>(&mut self, run: impl AsyncFnOnce(&mut Txn) -> Result<T>) -> Result<T> {
        let Snapshot { open, txn, .. } = &mut **self;
        open.check()?;
        open.rt.block_on(async {
            let before = txn.begin_statement();
            match run(txn).await {
                // All of it is undone already.
                Err(e @ (Error::Deadlock | Error::LockTableFull)) => Err(e),
                Err(e) => txn.rollback_to(before).await.and(Err(e)),
                done => done,
            }
        })
    }

    /// Inserts a row where nothing has to be waited for. `None`: nothing was written, and the usual way does it.
    fn insert_now(&mut self, t: &Arc<Stored>, row: &[u8]) -> Option<()> {
        let txn = &mut self.txn;
        txn.begin_statement();
        txn.insert_now(t, row)
    }

    /// Replaces the row of a key, as [`Transaction::insert_now`] inserts one. Gives the row that was there.
    fn replace_now(&mut self, t: &Arc<Stored>, key: &[u8], row: &[u8]) -> Option<Vec<u8>> {
        let txn = &mut self.txn;
        txn.begin_statement();
        let mut before = Vec::new();
        let mut replace = |old: &[u8], new: &mut Vec<u8>| {
            before.clear();
            before.extend_from_slice(old);
            new.extend_from_slice(row);
            Made::New
        };
        txn.change_now(t, 0, key, RowChange::Update(&mut replace))?;
        Some(before)
    }

    /// Inserts a row.
    ///
    /// Errors: [`Error::DuplicateKey`] where there is one with this key, or with the same values in a unique index.
    pub fn insert<K: Key, V: Columns>(
        &mut self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        value: V::Ref<'_>,
    ) -> Result<()> {
        let row = row::<K, V>(&table.stored, key, value)?;
        self.open.check()?;
        if self.insert_now(&table.stored, &row).is_some() {
            return Ok(());
        }
        self.write(async |txn| txn.insert(&table.stored, &row).await)
    }

    /// Inserts a row or replaces the one that has the key. Returns what was there before.
    ///
    /// Errors: [`Error::DuplicateKey`] where another row has the same values in a unique index.
    pub fn put<K: Key, V: Columns>(
        &mut self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        value: V::Ref<'_>,
    ) -> Result<Option<V>> {
        let t = &table.stored;
        let row = row::<K, V>(t, key, value)?;
        let mut bytes = Vec::new();
        encode::<K>(key, &mut bytes)?;
        self.open.check()?;
        if let Some(old) = self.replace_now(t, &bytes, &row) {
            return decode(t, &old, K::COLUMNS.len()).map(Some);
        }
        if self.insert_now(t, &row).is_some() {
            return Ok(None);
        }
        let mut found = std::mem::take(&mut self.found);
        let put = self.write(async |txn| {
            loop {
                match txn.insert_locking(t, &row, LockMode::Exclusive).await {
                    Ok(()) => return Ok(None),
                    Err(Error::DuplicateKey { index: 0, .. }) => {}
                    Err(e) => return Err(e),
                }
                if txn.get(t, 0, &bytes, LockMode::Exclusive, OnLocked::Wait, &mut found).await? {
                    txn.update(t, &bytes, &found.row, &row).await?;
                    return decode(t, &found.row, K::COLUMNS.len()).map(Some);
                }
            }
        });
        self.found = found;
        put
    }

    /// Removes the row of a key. Returns what was there.
    pub fn remove<K: Key, V: Columns>(
        &mut self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
    ) -> Result<Option<V>> {
        let t = &table.stored;
        let mut bytes = Vec::new();
        encode::<K>(key, &mut bytes)?;
        let mut found = std::mem::take(&mut self.found);
        let removed = self.write(async |txn| {
            if !txn.get(t, 0, &bytes, LockMode::Exclusive, OnLocked::Wait, &mut found).await? {
                return Ok(None);
            }
            txn.delete(t, &bytes, &found.row).await?;
            decode(t, &found.row, K::COLUMNS.len()).map(Some)
        });
        self.found = found;
        removed
    }

    /// Reads the newest version of a row and locks it, so that it stays as it is until the end of the transaction.
    pub fn get_for_update<K: Key, V: Columns>(
        &mut self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
    ) -> Result<Option<V>> {
        self.begin_read();
        self.read(table, key, LockMode::Exclusive)
    }

    /// Marks where the transaction is.
    pub fn mark(&mut self) -> Mark {
        Mark(self.txn.savepoint())
    }

    /// Undoes what was written since the mark. Locks are kept.
    pub fn back_to(&mut self, mark: Mark) -> Result<()> {
        let Snapshot { open, txn, .. } = &mut **self;
        open.rt.block_on(txn.rollback_to(mark.0))
    }

    /// Makes the changes visible to others, and as durable as the database was opened for.
    pub fn commit(mut self) -> Result<()> {
        self.open.check()?;
        let Snapshot { open, txn, .. } = self.take();
        open.rt.block_on(txn.commit(open.durability))
    }

    /// Undoes all changes. A transaction that is dropped is undone in the background.
    pub fn rollback(mut self) -> Result<()> {
        self.open.check()?;
        let Snapshot { open, txn, .. } = self.take();
        open.rt.block_on(txn.rollback())
    }

    fn take(&mut self) -> Snapshot {
        self.reads.take().expect("a transaction has its parts until its end, which takes it")
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(reads) = self.reads.take()
            && reads.open.is_forked()
        {
            // It is the other process's to end.
            std::mem::forget(reads);
        }
    }
}

/// A row as it is stored.
pub(super) fn row<K: Key, V: Columns>(
    t: &Stored,
    key: K::Ref<'_>,
    value: V::Ref<'_>,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let written = Pen::new(&t.layout, &mut out).is_some_and(|mut pen| {
        K::put_all(key, 0, &mut pen) && V::put_all(value, K::COLUMNS.len(), &mut pen)
    });
    if written {
        return Ok(out);
    }
    out.clear();
    let mut b = RowBuilder::new(&t.layout);
    K::push(key, &mut |datum| _ = b.push(datum));
    V::push(value, &mut |datum| _ = b.push(datum));
    b.finish_into(&mut out)
        .map_err(|e| Error::Unsupported(format!("this cannot be a row: {e}")))?;
    Ok(out)
}
