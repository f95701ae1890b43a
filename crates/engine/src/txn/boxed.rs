//! The hot calls of a transaction as boxed futures, for callers that would rather compile quickly than save an allocation a call.
//!
//! The SQL layer awaits the calls themselves. The simulator, the bench and the reproduction call these: each of those crates would
//! otherwise compile the trees, the pool and the log a second time.

use super::{Cursor, Durability, LockMode, OnLocked, RowBuf, RowList, Txn};
use crate::error::{Error, Result};
use crate::table::Table;
use std::sync::Arc;
use weir_rt::Boxed;

impl Txn {
    /// As [`Txn::get`].
    pub fn get_boxed<'a>(
        &'a mut self,
        t: &'a Arc<Table>,
        index: usize,
        key: &'a [u8],
        lock: LockMode,
        on_locked: OnLocked,
        out: &'a mut RowBuf,
    ) -> Boxed<'a, Result<bool>> {
        Box::pin(self.get(t, index, key, lock, on_locked, out))
    }

    /// As [`Txn::insert`].
    pub fn insert_boxed<'a>(
        &'a mut self,
        t: &'a Arc<Table>,
        row: &'a [u8],
    ) -> Boxed<'a, Result<()>> {
        Box::pin(self.insert(t, row))
    }

    /// As [`Txn::insert_locking`].
    pub fn insert_locking_boxed<'a>(
        &'a mut self,
        t: &'a Arc<Table>,
        row: &'a [u8],
        on_duplicate: LockMode,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(self.insert_locking(t, row, on_duplicate))
    }

    /// As [`Txn::insert_many`].
    pub fn insert_many_boxed<'a>(
        &'a mut self,
        t: &'a Arc<Table>,
        list: &'a RowList,
    ) -> Boxed<'a, std::result::Result<(), (usize, Error)>> {
        Box::pin(self.insert_many(t, list))
    }

    /// As [`Txn::update`].
    pub fn update_boxed<'a>(
        &'a mut self,
        t: &'a Arc<Table>,
        key: &'a [u8],
        old: &'a [u8],
        new: &'a [u8],
    ) -> Boxed<'a, Result<()>> {
        Box::pin(self.update(t, key, old, new))
    }

    /// As [`Txn::delete`].
    pub fn delete_boxed<'a>(
        &'a mut self,
        t: &'a Arc<Table>,
        key: &'a [u8],
        old: &'a [u8],
    ) -> Boxed<'a, Result<()>> {
        Box::pin(self.delete(t, key, old))
    }

    /// As [`Txn::use_table`].
    pub fn use_table_boxed<'a>(
        &'a mut self,
        t: &'a Arc<Table>,
        write: bool,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(self.use_table(t, write))
    }

    /// As [`Txn::commit`].
    pub fn commit_boxed(self, d: Durability) -> Boxed<'static, Result<()>> {
        Box::pin(self.commit(d))
    }
}

impl Cursor {
    /// As [`Cursor::next`].
    pub fn next_boxed<'a>(&'a mut self, txn: &'a mut Txn) -> Boxed<'a, Result<bool>> {
        Box::pin(self.next(txn))
    }
}
