//! Writes of one row that are a transaction each. Where nothing has to be waited for they are one mini-transaction, without anything of a
//! transaction but its undo; else they are run in one.

use super::columns::{Columns, Key, decode, encode};
use super::database::{Database, Open};
use super::definition::Table;
use super::transaction::row;
use crate::btree::LeafHint;
use crate::error::Result;
use crate::table::Table as Stored;
use crate::txn::{Alone, Made, RowChange};

/// How often a row that others change all the time is read again before it is locked.
const AGAIN: usize = 3;

impl Open {
    /// Changes the row of a clustered key. `None`: something has to be waited for, or there is no such row; nothing was done.
    fn change(&self, t: &Stored, key: &[u8], change: RowChange<'_>) -> Option<Result<()>> {
        let done = self.db.change_alone(t, (0, key), change, (0, self.durability))?;
        Some(self.settled(done))
    }

    /// The same of a row that was read by [`Db::read_to_change`](crate::Db).
    fn change_at(
        &self,
        t: &Stored,
        key: (&[u8], LeafHint),
        change: RowChange<'_>,
    ) -> Option<Result<()>> {
        let done = self.db.change_alone_at(t, key, change, (0, self.durability))?;
        Some(self.settled(done))
    }

    fn insert(&self, t: &Stored, row: &[u8]) -> Option<Result<()>> {
        Some(self.settled(self.db.insert_alone(t, row, (0, self.durability))?))
    }

    /// Waits until the commit is as durable as the database was opened for.
    fn settled(&self, done: Result<Alone>) -> Result<()> {
        match done?.owed {
            Some(owed) => self.rt.block_on(self.db.settle_commit(owed)),
            None => Ok(()),
        }
    }
}

impl Database {
    /// Inserts a row as a transaction of this insert alone would, which is cheaper than one.
    ///
    /// Errors: those of [`Transaction::insert`](super::Transaction::insert).
    pub fn insert<K: Key, V: Columns>(
        &self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        value: V::Ref<'_>,
    ) -> Result<()> {
        self.open.check()?;
        let row = row::<K, V>(&table.stored, key, value)?;
        match self.open.insert(&table.stored, &row) {
            Some(done) => done,
            None => self.transaction(|tx| tx.insert(table, key, value)),
        }
    }

    /// Inserts a row or replaces the one that has the key, as a transaction of this call alone would. Returns what was there before.
    ///
    /// Errors: those of [`Transaction::put`](super::Transaction::put).
    pub fn put<K: Key, V: Columns>(
        &self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        value: V::Ref<'_>,
    ) -> Result<Option<V>> {
        self.open.check()?;
        let (t, mut bytes) = (&table.stored, Vec::new());
        let row = row::<K, V>(t, key, value)?;
        encode::<K>(key, &mut bytes)?;
        let mut before = Ok(None);
        let mut replace = |old: &[u8], new: &mut Vec<u8>| {
            before = decode(t, old, K::COLUMNS.len()).map(Some);
            new.extend_from_slice(&row);
            if before.is_ok() { Made::New } else { Made::Declined }
        };
        if let Some(done) = self.open.change(t, &bytes, RowChange::Update(&mut replace)) {
            return done.and(before);
        }
        if let Some(done) = self.open.insert(t, &row) {
            return done.map(|()| None);
        }
        self.transaction(|tx| tx.put(table, key, value))
    }

    /// Replaces the value of a row by what `change` makes of it, as a transaction of this call alone would. Where others change the row
    /// meanwhile, `change` is called again with the value that they have left. `false`: no row has the key.
    ///
    /// Errors: those of [`Transaction::put`](super::Transaction::put).
    pub fn update<K: Key, V: Columns>(
        &self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        mut change: impl FnMut(V) -> V,
    ) -> Result<bool> {
        self.open.check()?;
        let (t, mut bytes, mut found) = (&table.stored, Vec::new(), Vec::new());
        encode::<K>(key, &mut bytes)?;
        for _ in 0..AGAIN {
            let leaf = match self.open.db.read_to_change(t, &bytes, &mut found) {
                Some(Some(leaf)) => leaf,
                Some(None) => return Ok(false),
                None => break,
            };
            let value = change(decode(t, &found, K::COLUMNS.len())?);
            let row = row::<K, V>(t, key, value.lend_all())?;
            let mut has_changed = false;
            let mut replace = |old: &[u8], new: &mut Vec<u8>| {
                has_changed = old != &found[..];
                new.extend_from_slice(&row);
                match (has_changed, old == &row[..]) {
                    (true, _) => Made::Declined,
                    (false, true) => Made::Same,
                    (false, false) => Made::New,
                }
            };
            let change = RowChange::Update(&mut replace);
            match self.open.change_at(t, (&bytes, leaf), change) {
                Some(done) => return done.map(|()| true),
                None if has_changed => {}
                None => break,
            }
        }
        self.transaction(|tx| {
            let Some(value) = tx.get_for_update(table, key)? else { return Ok(false) };
            tx.put(table, key, change(value).lend_all())?;
            Ok(true)
        })
    }
}
