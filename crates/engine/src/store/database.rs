//! An open database: its opening with options, its tables, and the beginning of transactions.

use super::columns::{Columns, Key, decode, encode, lent};
use super::definition::{SCHEMA, Table, TableDefinition};
use super::transaction::{Snapshot, Transaction};
use crate::catalog::DdlContext;
use crate::db::{Db, Options};
use crate::error::{Error, Result};
use crate::lane;
use crate::row::RowView;
use crate::table::SchemaDef;
use crate::txn::{Durability, Isolation, TxnOptions};
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use weir_disk::{Backend, Disk, MemoryDisk, RealDisk};
use weir_rt::{Process, Rt};

thread_local! {
    /// Memory of the last key that this thread has read by, for the next one.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// And of the last row that it was lent.
    static ROW: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// How often a transaction runs again that was a deadlock's victim. Each time another one has gone on.
const AGAIN: usize = 1000;

/// Options of a database that is to be opened.
///
/// ```
/// use weir_engine::store::{Database, Durability};
///
/// # fn main() -> weir_engine::Result<()> {
/// let db = Database::builder()
///     .page_pool(8 << 20)
///     .redo_log(16 << 20)
///     .durability(Durability::Write)
///     .open_in_memory()?;
/// # db.close()
/// # }
/// ```
#[derive(Clone)]
pub struct Builder {
    options: Options,
    durability: Durability,
}

impl Builder {
    fn new() -> Builder {
        let options =
            Options { redo_capacity: 32 << 20, redo_on_demand: true, ..Options::default() };
        Builder { options, durability: Durability::Flush }
    }

    /// Bytes of memory for pages. Unless it is set they are 128 MiB, of which only those are taken that have been needed.
    pub fn page_pool(mut self, bytes: u64) -> Builder {
        self.options.buffer_pool = bytes;
        self
    }

    /// Bytes that the redo log takes on the device at most; 32 MiB unless it is set. The more there are, the more rarely are pages
    /// written that are changed often, and the longer takes an opening after a crash.
    pub fn redo_log(mut self, bytes: u64) -> Builder {
        self.options.redo_capacity = bytes;
        self
    }

    /// How far commits have come when they return; [`Durability::Flush`] unless it is set.
    pub fn durability(mut self, durability: Durability) -> Builder {
        self.durability = durability;
        self
    }

    /// Takes lines about recoveries, stalls and damage. Without it nobody gets them.
    pub fn log(mut self, line: impl Fn(&str) + Send + Sync + 'static) -> Builder {
        self.options.log = Arc::new(line);
        self
    }

    /// Opens the database in a directory, see [`Database::open`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<Database> {
        let log = self.options.log.clone();
        let disk = RealDisk::open(path.as_ref(), Backend::Auto, move |line| log(line));
        self.on(Arc::new(disk.map_err(Error::from)?))
    }

    /// Makes an empty database in memory, which ends with its last handle.
    pub fn open_in_memory(mut self) -> Result<Database> {
        self.options.doublewrite = false;
        self.on(Arc::new(MemoryDisk::new()))
    }

    fn on(self, disk: Arc<dyn Disk>) -> Result<Database> {
        let rt = Rt::real();
        let db = rt.block_on(Db::open(&rt, disk, self.options))?;
        let (durability, process) = (self.durability, Process::current());
        Ok(Database { open: Arc::new(Open { rt, db, durability, process, stopped: false }) })
    }
}

/// A database of tables that this program has opened. Clones are handles to the same one.
#[derive(Clone)]
pub struct Database {
    pub(super) open: Arc<Open>,
}

pub(super) struct Open {
    pub rt: Rt,
    pub db: Db,
    pub durability: Durability,
    /// The one that has opened it. The engine's threads are there and nowhere else.
    process: Process,
    stopped: bool,
}

impl Open {
    /// Whether this process was forked from the one that has opened the database.
    pub fn is_forked(&self) -> bool {
        !self.process.is_current()
    }

    /// Before each call. The thread counts in a place of its own from its first call on.
    pub fn check(&self) -> Result<()> {
        lane::stay();
        match self.is_forked() {
            false => Ok(()),
            true => Err(Error::Unsupported(format!(
                "the database was opened by process {}, from which this one was forked; it cannot be used here",
                self.process.id()
            ))),
        }
    }

    fn stop(&mut self) -> Result<()> {
        self.check()?;
        match std::mem::replace(&mut self.stopped, true) {
            true => Ok(()),
            false => self.rt.block_on(self.db.shutdown()),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Nobody is here to be told. What was not written is recovered by the next opening; a forked process leaves all as it is.
        let _ = self.stop();
    }
}

impl Database {
    /// Opens the database in a directory, which is made if it is missing and recovered where it was not closed. No other process can
    /// open it meanwhile.
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        Builder::new().open(path)
    }

    /// Makes an empty database in memory, which ends with its last handle.
    pub fn open_in_memory() -> Result<Database> {
        Builder::new().open_in_memory()
    }

    /// Options for the opening.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// The table of a definition, which is made if it is missing. Indexes that it lacks are built; one that its definition does not have is
    /// kept, and goes on being written.
    ///
    /// Errors: [`Error::Unsupported`] where a table of this name has other columns; [`Error::DuplicateKey`] where its rows contradict a
    /// unique index that is to be built. This is no part of a transaction.
    pub fn table<K: Key, V: Columns>(&self, of: &TableDefinition<K, V>) -> Result<Table<K, V>> {
        self.open.check()?;
        let db = &self.open.db;
        loop {
            let Some(stored) = db.table(SCHEMA, of.name()) else {
                match self.make(of) {
                    // Somebody else was faster.
                    Err(Error::SchemaExists(_) | Error::TableExists { .. }) | Ok(()) => continue,
                    Err(e) => return Err(e),
                }
            };
            of.check(&stored)?;
            let there = &stored.def.indexes;
            let mut lacking = of.index_defs();
            for def in there {
                if let Some(at) = lacking.iter().position(|l| l.name == def.name) {
                    let wanted = lacking.swap_remove(at);
                    if wanted.parts != def.parts || wanted.unique != def.unique {
                        return Err(Error::Unsupported(format!(
                            "index '{}' of table '{}' is another one than its definition in this program",
                            def.name, stored.def.name
                        )));
                    }
                }
            }
            if lacking.is_empty() {
                return Ok(Table::of(stored));
            }
            let (extra, d) = (stored.def.extra.clone(), DdlContext::default());
            match self.open.rt.block_on(db.add_indexes(&stored, &lacking, extra, &d)) {
                Ok(_) | Err(Error::IndexExists { .. } | Error::TableChanged { .. }) => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn make<K: Key, V: Columns>(&self, of: &TableDefinition<K, V>) -> Result<()> {
        let (rt, db) = (&self.open.rt, &self.open.db);
        if db.schema(SCHEMA).is_none() {
            rt.block_on(
                db.create_schema(SchemaDef { name: SCHEMA.to_owned(), extra: Vec::new() }),
            )?;
        }
        let mut table = of.new_table();
        let columns: Vec<_> = table.columns.iter().map(|c| c.phys).collect();
        table.form = db.form_of_rows(&columns)?;
        rt.block_on(db.create_table(table)).map(drop)
    }

    /// Drops the table of this name with all rows; `false`: there was no such table. This is no part of a transaction, and waits for those that
    /// have used the table.
    pub fn drop_table(&self, name: &str) -> Result<bool> {
        self.open.check()?;
        let Some(stored) = self.open.db.table(SCHEMA, name) else { return Ok(false) };
        let (list, d) = ([stored], DdlContext::default());
        match self.open.rt.block_on(self.open.db.drop_tables(&list, &d)) {
            Ok(()) => Ok(true),
            Err(Error::NoSuchTable { .. }) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Reads one row as a transaction of this read alone would, which is cheaper than one.
    pub fn get<K: Key, V: Columns>(
        &self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
    ) -> Result<Option<V>> {
        self.open.check()?;
        let (mut bytes, mut value) = (SPARE.take(), Ok(None));
        bytes.clear();
        encode::<K>(key, &mut bytes)?;
        let t = &table.stored;
        let take = |row: &[u8]| value = decode(t, row, K::COLUMNS.len()).map(Some);
        let read = self.open.db.give_now(t, &bytes, take);
        SPARE.set(bytes);
        match read {
            Some(_) => value,
            // There is something to wait for.
            None => self.snapshot().get(table, key),
        }
    }

    /// As [`Database::get`], without memory of their own for texts and bytes: `with` is lent the value.
    ///
    /// ```
    /// # use weir_engine::store::{Database, TableDefinition};
    /// # const T: TableDefinition<u32, (i64, String)> = TableDefinition::new("t");
    /// # fn main() -> weir_engine::Result<()> {
    /// # let db = Database::open_in_memory()?;
    /// # let t = db.table(&T)?;
    /// # db.insert(&t, 1, (5, "five"))?;
    /// let letters = db.get_with(&t, 1, |(_, text)| text.len())?;
    /// # assert_eq!(letters, Some(4));
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_with<K: Key, V: Columns, T>(
        &self,
        table: &Table<K, V>,
        key: K::Ref<'_>,
        with: impl FnOnce(V::Ref<'_>) -> T,
    ) -> Result<Option<T>> {
        self.open.check()?;
        let (mut bytes, mut found) = (SPARE.take(), ROW.take());
        bytes.clear();
        encode::<K>(key, &mut bytes)?;
        let t = &table.stored;
        // `with` is the program's own code, which may do anything: the row is copied for it, and no page is latched meanwhile.
        let read = self.open.db.read_now(t, 0, &bytes, false, &mut found);
        SPARE.set(bytes);
        let Some(is_there) = read else { return self.snapshot().get_with(table, key, with) };
        let out = is_there.then(|| {
            let row = RowView::new(&t.layout, &found);
            lent::<V>(t, &row, K::COLUMNS.len()).map(with)
        });
        ROW.set(found);
        out.transpose()
    }

    /// Begins a transaction at [`Isolation::RepeatableRead`]: plain reads see the database as it was at the first of them, with the
    /// transaction's own changes. Writes, and reads that lock, see the newest rows.
    pub fn begin(&self) -> Transaction {
        self.begin_at(Isolation::RepeatableRead)
    }

    /// Begins a transaction at another level. At [`Isolation::Serializable`] every read locks what it has read against changes.
    pub fn begin_at(&self, isolation: Isolation) -> Transaction {
        let o = TxnOptions { isolation, ..TxnOptions::default() };
        Transaction::new(Snapshot::new(self.open.clone(), self.open.db.begin(o)))
    }

    /// The database as it is now, for reading. It neither waits for writers nor do they wait for it; what they remove is kept while it is
    /// there.
    pub fn snapshot(&self) -> Snapshot {
        let mut txn = self.open.db.begin(TxnOptions { read_only: true, ..TxnOptions::default() });
        txn.open_snapshot();
        Snapshot::new(self.open.clone(), txn)
    }

    /// Runs `work` in a transaction and commits it. A deadlock's victim runs again, so what `work` does outside of the transaction may be done
    /// twice. An error of `work` rolls back.
    pub fn transaction<T>(&self, mut work: impl FnMut(&mut Transaction) -> Result<T>) -> Result<T> {
        for _ in 0..AGAIN {
            let mut txn = self.begin();
            match work(&mut txn) {
                Ok(out) => match txn.commit() {
                    Err(Error::Deadlock) => {}
                    done => return done.map(|()| out),
                },
                Err(Error::Deadlock) => {}
                Err(e) => return txn.rollback().and(Err(e)),
            }
        }
        Err(Error::Deadlock)
    }

    /// Writes what is left to write and closes the database, so that the next opening has nothing to recover. The end of the last handle
    /// does the same and tells nobody what has failed.
    ///
    /// Errors: [`Error::Unsupported`] while other handles, transactions or snapshots are there; the database is closed with the last of
    /// them then.
    pub fn close(self) -> Result<()> {
        match Arc::into_inner(self.open) {
            Some(mut open) => open.stop(),
            None => Err(Error::Unsupported(
                "the database is in use by other handles or transactions; it is closed with the last of them".to_owned(),
            )),
        }
    }
}
