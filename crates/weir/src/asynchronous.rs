//! The same calls as futures, for any executor.
//!
//! A statement is computed where its future is polled; what waits (for locks, for the device, for a commit) wakes its task and blocks no
//! thread. No executor is needed and none is started.
//!
//! A future that is dropped on its way must not leave a statement half done: others may wait for what it holds. So the statement is
//! interrupted and its end is waited for, there and then. That takes as long as a KILL takes, mostly less than a millisecond.

use crate::connection::{Connection, InterruptHandle, Keep};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::params::{Params, bound};
use crate::row::{Column, FromRow, Row};
use crate::rows::Reading;
use crate::statement::{Sql, Statement};
use crate::stream::{Executed, Next, Work};
use crate::transaction::TransactionOptions;
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use weir_sql::session_api::KillKind;

/// A connection whose calls are futures. See [`Connection`] for what they do.
///
/// ```
/// # use weir::{params, Database};
/// # fn block_on<F: Future>(f: F) -> F::Output {
/// #     struct Unpark(std::thread::Thread);
/// #     impl std::task::Wake for Unpark { fn wake(self: std::sync::Arc<Self>) { self.0.unpark() } }
/// #     let waker = std::sync::Arc::new(Unpark(std::thread::current())).into();
/// #     let (mut f, mut cx) = (Box::pin(f), std::task::Context::from_waker(&waker));
/// #     loop { match f.as_mut().poll(&mut cx) { std::task::Poll::Ready(v) => return v, _ => std::thread::park() } }
/// # }
/// # fn main() -> weir::Result<()> {
/// block_on(async {
///     let mut conn = Database::open_in_memory()?.connect_async()?;
///     let mut rows = conn.query("SELECT 1 UNION ALL SELECT 2", ()).await?;
///     let mut sum = 0;
///     while let Some(row) = rows.next().await? {
///         sum += row.get::<i64>(0)?;
///     }
///     assert_eq!(sum, 3);
///     Ok(())
/// })
/// # }
/// ```
#[derive(Debug)]
pub struct AsyncConnection {
    conn: Connection,
}

impl Database {
    /// A new connection whose calls are futures.
    pub fn connect_async(&self) -> Result<AsyncConnection> {
        Ok(AsyncConnection { conn: self.connect()? })
    }
}

/// Ends the running statement when its future is dropped on its way.
struct Guarded<'c>(&'c mut Connection);

impl Drop for Guarded<'_> {
    fn drop(&mut self) {
        if self.0.running.is_some() && !self.0.inner.is_forked() {
            self.0.entry.kill.kill(KillKind::Query);
            self.0.end_running(Keep::No);
        }
    }
}

impl AsyncConnection {
    /// What an earlier call has left is settled.
    async fn settle(&mut self) -> Result<()> {
        self.conn.inner.check()?;
        if self.conn.entry.kill.pending() == Some(KillKind::Connection) {
            return Err(Error::Closed);
        }
        self.conn.end_running(Keep::No);
        self.conn.forget_closed()?;
        if std::mem::take(&mut self.conn.owes_rollback) {
            self.run("ROLLBACK").await?;
        }
        Ok(())
    }

    async fn ready(&mut self) -> Result<()> {
        self.settle().await?;
        if self.conn.guards > 0 && !self.conn.in_transaction() {
            return Err(Error::TransactionEnded);
        }
        Ok(())
    }

    /// The running statement to its end, without its rows.
    async fn finish(&mut self, keep: Keep) -> Result<Option<(u32, u16)>> {
        let guarded = Guarded(&mut self.conn);
        let finished = poll_fn(|cx| {
            loop {
                let Some(stream) = guarded.0.running.as_mut() else {
                    return std::task::Poll::Ready(None);
                };
                match std::task::ready!(stream.poll_next(cx)) {
                    Next::Item(_) => {}
                    Next::End(finished) => return std::task::Poll::Ready(Some(finished)),
                }
            }
        });
        let finished = finished.await.ok_or(Error::Closed)?;
        guarded.0.running = None;
        guarded.0.finish(finished, keep)
    }

    async fn run(&mut self, sql: &str) -> Result<()> {
        self.conn.begin_work(sql, Work::Text(sql.to_owned()))?;
        self.finish(Keep::No).await.map(|_| ())
    }

    /// As [`Connection::execute`].
    pub async fn execute(&mut self, sql: impl Sql, params: impl Params) -> Result<Executed> {
        let params = bound(params);
        self.ready().await?;
        let keep = self.conn.start(sql.source(), params)?;
        let mut rows = AsyncRows::over(&mut self.conn, keep);
        while rows.next().await?.is_some() || rows.next_result().await? {}
        Ok(rows.reading.executed.clone())
    }

    /// As [`Connection::query`].
    pub async fn query(&mut self, sql: impl Sql, params: impl Params) -> Result<AsyncRows<'_>> {
        let params = bound(params);
        self.ready().await?;
        let keep = self.conn.start(sql.source(), params)?;
        let mut rows = AsyncRows::over(&mut self.conn, keep);
        rows.reading.over = !rows.open_next().await?;
        Ok(rows)
    }

    /// As [`Connection::query_as`].
    pub async fn query_as<T: FromRow>(
        &mut self,
        sql: impl Sql,
        params: impl Params,
    ) -> Result<Vec<T>> {
        let mut rows = self.query(sql, params).await?;
        let mut list = Vec::new();
        while let Some(row) = rows.next().await? {
            list.push(T::from_row(&row)?);
        }
        Ok(list)
    }

    /// As [`Connection::query_opt`].
    pub async fn query_opt(&mut self, sql: impl Sql, params: impl Params) -> Result<Option<Row>> {
        self.query(sql, params).await?.next().await
    }

    /// As [`Connection::query_row`].
    pub async fn query_row(&mut self, sql: impl Sql, params: impl Params) -> Result<Row> {
        self.query_opt(sql, params).await?.ok_or(Error::NoRow)
    }

    /// As [`Connection::prepare`].
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.ready().await?;
        self.conn.begin_work(sql, Work::PrepareOnly(sql.to_owned()))?;
        let (id, params) = self.finish(Keep::Caller).await?.ok_or(Error::Closed)?;
        Ok(self.conn.statement(sql, id, params))
    }

    /// As [`Connection::use_database`].
    pub async fn use_database(&mut self, name: &str) -> Result<()> {
        self.ready().await?;
        self.run(&format!("USE `{}`", name.replace('`', "``"))).await
    }

    /// As [`Connection::transaction`].
    pub async fn transaction(&mut self) -> Result<AsyncTransaction<'_>> {
        self.transaction_with(TransactionOptions::default()).await
    }

    /// As [`Connection::transaction_with`].
    pub async fn transaction_with(
        &mut self,
        options: TransactionOptions,
    ) -> Result<AsyncTransaction<'_>> {
        self.ready().await?;
        if self.conn.in_transaction() {
            return Err(Error::misuse("a transaction is open"));
        }
        if let Some(sql) = options.isolation_sql() {
            self.run(sql).await?;
        }
        self.run(options.begin_sql()).await?;
        self.conn.guards += 1;
        Ok(AsyncTransaction { conn: self, over: false })
    }

    /// As [`Connection::in_transaction`].
    pub fn in_transaction(&self) -> bool {
        self.conn.in_transaction()
    }

    /// As [`Connection::interrupt_handle`].
    pub fn interrupt_handle(&self) -> InterruptHandle {
        self.conn.interrupt_handle()
    }

    /// Ends the connection; an open transaction is rolled back. A connection that is dropped waits for that on its thread.
    pub async fn close(mut self) -> Result<()> {
        self.settle().await?;
        match self.conn.in_transaction() {
            true => self.run("ROLLBACK").await,
            false => Ok(()),
        }
    }
}

/// Rows that are made as they are asked for, see [`Rows`](crate::Rows).
pub struct AsyncRows<'c> {
    conn: Guarded<'c>,
    reading: Reading,
}

impl std::fmt::Debug for AsyncRows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AsyncRows").field("over", &self.reading.over).finish_non_exhaustive()
    }
}

impl<'c> AsyncRows<'c> {
    fn over(conn: &'c mut Connection, keep: Keep) -> AsyncRows<'c> {
        let reading = Reading::new(keep, conn.serial);
        AsyncRows { conn: Guarded(conn), reading }
    }

    async fn open_next(&mut self) -> Result<bool> {
        let (reading, conn) = (&mut self.reading, &mut *self.conn.0);
        poll_fn(|cx| reading.poll_result(conn, cx)).await
    }

    /// The next row; `None`: that was the last.
    pub async fn next(&mut self) -> Result<Option<Row>> {
        let (reading, conn) = (&mut self.reading, &mut *self.conn.0);
        poll_fn(|cx| reading.poll_row(conn, cx)).await.transpose()
    }

    /// As [`Rows::next_result`](crate::Rows::next_result).
    pub async fn next_result(&mut self) -> Result<bool> {
        let there = self.open_next().await?;
        self.reading.over = !there;
        Ok(there)
    }

    /// The columns of the result; none: the statement gives no rows.
    pub fn columns(&self) -> &[Column] {
        &self.reading.columns.0
    }

    /// How the result ended: its counts are known behind its last row.
    pub fn executed(&self) -> &Executed {
        &self.reading.executed
    }
}

/// An open transaction, see [`Transaction`](crate::Transaction). Dropped without a commit it is rolled back by the next call of its
/// connection, or by the connection's end.
#[derive(Debug)]
pub struct AsyncTransaction<'c> {
    conn: &'c mut AsyncConnection,
    over: bool,
}

impl AsyncTransaction<'_> {
    /// Makes what was done durable.
    pub async fn commit(self) -> Result<()> {
        self.end("COMMIT").await
    }

    /// Undoes everything.
    pub async fn rollback(self) -> Result<()> {
        self.end("ROLLBACK").await
    }

    async fn end(mut self, sql: &str) -> Result<()> {
        self.conn.settle().await?;
        let open = self.conn.in_transaction();
        let done = match open {
            true => self.conn.run(sql).await,
            false if sql == "ROLLBACK" => Ok(()),
            false => Err(Error::TransactionEnded),
        };
        // A future that is dropped before here leaves the rollback to the guard.
        self.over = !self.conn.in_transaction();
        done
    }
}

impl Drop for AsyncTransaction<'_> {
    fn drop(&mut self) {
        self.conn.conn.guards -= 1;
        self.conn.conn.owes_rollback |= !self.over;
    }
}

impl Deref for AsyncTransaction<'_> {
    type Target = AsyncConnection;
    fn deref(&self) -> &AsyncConnection {
        self.conn
    }
}

impl DerefMut for AsyncTransaction<'_> {
    fn deref_mut(&mut self) -> &mut AsyncConnection {
        self.conn
    }
}
