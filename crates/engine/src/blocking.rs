//! The engine for programs without an executor: the same calls, blocking the caller's thread.
//!
//! ```no_run
//! use weir_engine::blocking::Database;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let db = Database::open("./data".as_ref(), Default::default())?;
//! db.close()?;
//! # Ok(()) }
//! ```

use crate::db::{Db, Options};
use crate::error::{Error, Result};
use crate::table::{NewTable, SchemaDef, Table};
use crate::txn::{Cursor, Durability, LockMode, OnLocked, RowBuf, ScanSpec, Txn, TxnOptions};
use std::path::Path;
use std::sync::Arc;
use weir_disk::{Backend, RealDisk};
use weir_rt::Rt;

/// An open data directory.
#[derive(Clone)]
pub struct Database {
    rt: Rt,
    db: Db,
}

impl Database {
    /// Opens a data directory, making it when it is missing, recovering it when it was not closed. The directory is locked
    /// against other processes until the last clone is gone.
    pub fn open(path: &Path, options: Options) -> Result<Database> {
        let rt = Rt::real();
        let log = options.log.clone();
        let disk = RealDisk::open(path, Backend::Auto, move |m| log(m)).map_err(Error::from)?;
        let db = rt.block_on(Db::open(&rt, Arc::new(disk), options))?;
        Ok(Database { rt, db })
    }

    /// The asynchronous handle, for what has no method here.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Runs one asynchronous call to its end.
    pub fn wait<F: Future>(&self, f: F) -> F::Output {
        self.rt.block_on(f)
    }

    pub fn create_schema(&self, name: &str) -> Result<()> {
        self.wait(self.db.create_schema(SchemaDef { name: name.to_string(), extra: Vec::new() }))
    }

    pub fn create_table(&self, t: NewTable) -> Result<Arc<Table>> {
        self.wait(self.db.create_table(t))
    }

    pub fn table(&self, schema: &str, name: &str) -> Option<Arc<Table>> {
        self.db.table(schema, name)
    }

    pub fn begin(&self, o: TxnOptions) -> Transaction {
        Transaction { rt: self.rt.clone(), txn: self.db.begin(o) }
    }

    /// Writes everything and marks the directory as closed.
    pub fn close(self) -> Result<()> {
        self.wait(self.db.shutdown())
    }
}

use std::future::Future;

/// A transaction; dropped unfinished, it is rolled back.
pub struct Transaction {
    rt: Rt,
    txn: Txn,
}

impl Transaction {
    /// The row with a full key of a unique index; false when there is none.
    pub fn get(
        &mut self,
        t: &Arc<Table>,
        index: usize,
        key: &[u8],
        lock: LockMode,
        out: &mut RowBuf,
    ) -> Result<bool> {
        self.rt.block_on(self.txn.get(t, index, key, lock, OnLocked::Wait, out))
    }

    /// See [`Txn::insert`] for what is left after which error.
    pub fn insert(&mut self, t: &Arc<Table>, row: &[u8]) -> Result<()> {
        self.rt.block_on(self.txn.insert(t, row))
    }

    /// Changes a row that was read with [`LockMode::Exclusive`].
    pub fn update(&mut self, t: &Arc<Table>, key: &[u8], old: &[u8], new: &[u8]) -> Result<()> {
        self.rt.block_on(self.txn.update(t, key, old, new))
    }

    /// Deletes a row that was read with [`LockMode::Exclusive`].
    pub fn delete(&mut self, t: &Arc<Table>, key: &[u8], old: &[u8]) -> Result<()> {
        self.rt.block_on(self.txn.delete(t, key, old))
    }

    /// Rows of a range, in the order of the index; the callback gets clustered key and row, and stops by `false`.
    pub fn scan(
        &mut self,
        t: &Arc<Table>,
        spec: ScanSpec,
        mut each: impl FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<()> {
        let mut c: Cursor = self.txn.scan(t, spec);
        while self.rt.block_on(c.next(&mut self.txn))? {
            if !each(c.key(), c.row()) {
                break;
            }
        }
        Ok(())
    }

    pub fn commit(self, d: Durability) -> Result<()> {
        self.rt.block_on(self.txn.commit(d))
    }

    pub fn rollback(self) -> Result<()> {
        self.rt.block_on(self.txn.rollback())
    }
}
