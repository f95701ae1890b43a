//! Transactions and savepoints as guards: what is not committed is rolled back.

use crate::connection::Connection;
use crate::error::{Error, Result};
use std::ops::{Deref, DerefMut};

/// How much a transaction sees of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// What others have not committed, too.
    ReadUncommitted,
    /// What is committed when a statement begins.
    ReadCommitted,
    /// What was committed when the transaction first read. InnoDB's and Weir's default.
    RepeatableRead,
    /// As if the transactions ran one after the other: reads lock.
    Serializable,
}

/// What kind of transaction begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct TransactionOptions {
    isolation: Option<Isolation>,
    read_only: bool,
    snapshot: bool,
}

impl TransactionOptions {
    /// Another isolation than `transaction_isolation` says.
    pub fn isolation(self, isolation: Isolation) -> TransactionOptions {
        TransactionOptions { isolation: Some(isolation), ..self }
    }

    /// Statements that write are refused with 1792.
    pub fn read_only(self, read_only: bool) -> TransactionOptions {
        TransactionOptions { read_only, ..self }
    }

    /// Its reads see the database as it is when the transaction begins, and not when it first reads.
    pub fn snapshot(self, snapshot: bool) -> TransactionOptions {
        TransactionOptions { snapshot, ..self }
    }

    pub(crate) fn isolation_sql(&self) -> Option<&'static str> {
        Some(match self.isolation? {
            Isolation::ReadUncommitted => "SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
            Isolation::ReadCommitted => "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            Isolation::RepeatableRead => "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            Isolation::Serializable => "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        })
    }

    pub(crate) fn begin_sql(&self) -> &'static str {
        match (self.snapshot, self.read_only) {
            (false, false) => "START TRANSACTION",
            (false, true) => "START TRANSACTION READ ONLY",
            (true, false) => "START TRANSACTION WITH CONSISTENT SNAPSHOT",
            (true, true) => "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
        }
    }
}

/// An open transaction. It is used as the connection that it began on, and is rolled back unless [`Transaction::commit`] is called.
///
/// ```
/// # use weir::{params, Database};
/// # fn main() -> weir::Result<()> {
/// # let mut conn = Database::open_in_memory()?.connect()?;
/// # conn.execute_batch("CREATE DATABASE app; USE app; CREATE TABLE t (id INT PRIMARY KEY)")?;
/// let mut tx = conn.transaction()?;
/// tx.execute("INSERT INTO t VALUES (1)", ())?;
/// {
///     let mut part = tx.savepoint()?;
///     part.execute("INSERT INTO t VALUES (2)", ())?;
///     // Dropped without a release: the second row is gone.
/// }
/// tx.commit()?;
/// assert_eq!(conn.query_as::<(i64,)>("SELECT id FROM t", ())?, [(1,)]);
/// # Ok(()) }
/// ```
///
/// Where the transaction ends under its guard (a deadlock, DDL, COMMIT as a statement) every further call is
/// [`Error::TransactionEnded`], so that nothing is written outside of it by mistake.
#[derive(Debug)]
pub struct Transaction<'c> {
    conn: &'c mut Connection,
    over: bool,
}

impl<'c> Transaction<'c> {
    pub(crate) fn begin(
        conn: &'c mut Connection,
        options: TransactionOptions,
    ) -> Result<Transaction<'c>> {
        conn.ready()?;
        if conn.in_transaction() {
            return Err(Error::misuse(
                "a transaction is open: savepoints are what is nested in it, and an open one must be ended by a statement",
            ));
        }
        if let Some(sql) = options.isolation_sql() {
            conn.run(sql)?;
        }
        conn.run(options.begin_sql())?;
        conn.guards += 1;
        Ok(Transaction { conn, over: false })
    }

    /// Makes what was done durable, as `innodb_flush_log_at_trx_commit` has it.
    pub fn commit(mut self) -> Result<()> {
        self.end("COMMIT")
    }

    /// Undoes everything.
    pub fn rollback(mut self) -> Result<()> {
        self.end("ROLLBACK")
    }

    /// Marks a place to which what follows can be undone.
    pub fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        Savepoint::begin(self.conn)
    }

    fn end(&mut self, sql: &str) -> Result<()> {
        self.over = true;
        self.conn.guards -= 1;
        self.conn.settle()?;
        match self.conn.in_transaction() {
            true => self.conn.run(sql),
            // A rollback finds done what it is for.
            false if sql == "ROLLBACK" => Ok(()),
            false => Err(Error::TransactionEnded),
        }
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.over && !self.conn.inner.is_forked() {
            // A connection whose rollback fails is closed or its database has failed; then nothing is committed either.
            let _ = self.end("ROLLBACK");
        }
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.conn
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.conn
    }
}

/// A place in a transaction. What follows is undone unless [`Savepoint::release`] is called.
#[derive(Debug)]
pub struct Savepoint<'t> {
    conn: &'t mut Connection,
    name: String,
    over: bool,
}

impl<'t> Savepoint<'t> {
    fn begin(conn: &'t mut Connection) -> Result<Savepoint<'t>> {
        conn.ready()?;
        let name = conn.savepoint_name();
        conn.run(&format!("SAVEPOINT {name}"))?;
        Ok(Savepoint { conn, name, over: false })
    }

    /// Keeps what was done since. The transaction around it decides of it.
    pub fn release(mut self) -> Result<()> {
        self.over = true;
        self.conn.ready()?;
        self.conn.run(&format!("RELEASE SAVEPOINT {}", self.name))
    }

    /// Undoes what was done since.
    pub fn rollback(mut self) -> Result<()> {
        self.undo()
    }

    /// A savepoint within this one.
    pub fn savepoint(&mut self) -> Result<Savepoint<'_>> {
        Savepoint::begin(self.conn)
    }

    fn undo(&mut self) -> Result<()> {
        self.over = true;
        self.conn.settle()?;
        if !self.conn.in_transaction() {
            return Ok(());
        }
        self.conn.run(&format!("ROLLBACK TO SAVEPOINT {}", self.name))?;
        self.conn.run(&format!("RELEASE SAVEPOINT {}", self.name))
    }
}

impl Drop for Savepoint<'_> {
    fn drop(&mut self) {
        if !self.over && !self.conn.inner.is_forked() {
            // Where it cannot be undone the transaction cannot go on either: every later call says so.
            let _ = self.undo();
        }
    }
}

impl Deref for Savepoint<'_> {
    type Target = Connection;
    fn deref(&self) -> &Connection {
        self.conn
    }
}

impl DerefMut for Savepoint<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.conn
    }
}
