//! A connection: a session of the program's, whose calls wait on the caller's thread.
//!
//! Invariants: the session is here, or the running statement has it; what a call finds of an earlier one (rows that were not read to
//! their end, a transaction that was dropped by an asynchronous caller, statements whose handles are gone) is settled before its own begins.

use crate::database::Inner;
use crate::error::{Error, Result};
use crate::params::{Params, bound};
use crate::row::{Columns, FromRow, Row};
use crate::rows::Rows;
use crate::sessions::{Entry, HOST, USER};
use crate::statement::{Cache, Closed, Source, Sql, Statement, only_writes, work};
use crate::stream::{Collect, Executed, Finished, Next, Stream, Work, settled};
use crate::transaction::{Transaction, TransactionOptions};
use std::future::poll_fn;
use std::sync::{Arc, PoisonError};
use weir_rt::{Actor, act_as};
use weir_sql::account::{Access, AccountName};
use weir_sql::session::Session;
use weir_sql::session_api::{ConnInfo, Discard, KillKind, KillSwitch, ParamValue, SqlError};

/// Statements that a connection keeps prepared for texts with parameters.
const STATEMENTS: usize = 64;
/// utf8mb4_0900_ai_ci.
const COLLATION: u16 = 255;

/// A connection to a database: one session, used by one thread at a time. It may be sent to another thread.
///
/// A statement that was given parameters is prepared once and kept. Values of rows and parameters are typed: nothing becomes a text on
/// its way.
pub struct Connection {
    pub(crate) inner: Arc<Inner>,
    pub(crate) entry: Arc<Entry>,
    /// `None`: the running statement has it.
    session: Option<Box<Session>>,
    pub(crate) running: Option<Stream>,
    cache: Cache,
    closed: Closed,
    /// Guards of transactions that are there.
    pub(crate) guards: u32,
    /// A guard was dropped where nobody could wait for its rollback.
    pub(crate) owes_rollback: bool,
    savepoints: u64,
    /// Statements with rows that were begun: the number of the one that runs.
    pub(crate) serial: u64,
    /// Those of the last short answer.
    pub(crate) columns: Arc<Columns>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("id", &self.entry.id).finish_non_exhaustive()
    }
}

fn conn_info(entry: &Entry) -> ConnInfo {
    ConnInfo {
        id: entry.id,
        user: USER.into(),
        host: HOST.into(),
        account_user: USER.into(),
        account_host: HOST.into(),
        database: String::new(),
        collation_id: COLLATION,
        found_rows: false,
        interactive: false,
        ignore_space: false,
        multi_statements: false,
        multi_results: true,
        out_params: true,
        attributes: Vec::new(),
        compression: None,
        tls: None,
        kill: entry.kill.clone(),
    }
}

impl Connection {
    pub(crate) fn open(inner: &Arc<Inner>) -> Result<Connection> {
        inner.check()?;
        let entry = inner.sessions.add();
        let inst = inner.inst();
        let access = Access::of_program(&inst.accounts, &AccountName::new(USER, HOST));
        let session = Session::open_with(inst, conn_info(&entry), access);
        Ok(Connection {
            inner: inner.clone(),
            entry,
            session: Some(Box::new(session)),
            running: None,
            cache: Cache::new(STATEMENTS),
            closed: Closed::default(),
            guards: 0,
            owes_rollback: false,
            savepoints: 0,
            serial: 0,
            columns: Arc::default(),
        })
    }

    /// CONNECTION_ID(), as SHOW PROCESSLIST and KILL have it.
    pub fn id(&self) -> u64 {
        self.entry.id
    }

    /// Executes a statement. Rows that it gives are not kept.
    pub fn execute(&mut self, sql: impl Sql, params: impl Params) -> Result<Executed> {
        Ok(self.collect(sql.source(), bound(params), 0)?.executed)
    }

    /// Executes a statement and streams its rows: they are made as the caller asks for the next one, and a result of any length takes
    /// the memory of a few hundred rows.
    ///
    /// ```
    /// # use weir::{params, Database};
    /// # fn main() -> weir::Result<()> {
    /// let mut conn = Database::open_in_memory()?.connect()?;
    /// let sql = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n";
    /// let mut sum = 0;
    /// for row in conn.query(sql, params![900])? {
    ///     sum += row?.get::<i64>("i")?;
    /// }
    /// assert_eq!(sum, 900 * 901 / 2);
    /// # Ok(()) }
    /// ```
    pub fn query(&mut self, sql: impl Sql, params: impl Params) -> Result<Rows<'_>> {
        self.ready()?;
        let params = bound(params);
        if let Some(rows) = self.gather(sql.source(), &params)? {
            return Ok(Rows::gathered(self, rows));
        }
        let keep = self.start(sql.source(), params)?;
        Rows::open(self, keep)
    }

    /// The rows of a statement as values of a type, all of them.
    pub fn query_as<T: FromRow>(&mut self, sql: impl Sql, params: impl Params) -> Result<Vec<T>> {
        self.query(sql, params)?.map(|row| T::from_row(&row?)).collect()
    }

    /// The first row of a statement. [`Error::NoRow`] where there is none.
    pub fn query_row(&mut self, sql: impl Sql, params: impl Params) -> Result<Row> {
        self.query_opt(sql, params)?.ok_or(Error::NoRow)
    }

    /// The first row of a statement, if there is one.
    pub fn query_opt(&mut self, sql: impl Sql, params: impl Params) -> Result<Option<Row>> {
        Ok(self.collect(sql.source(), bound(params), 1)?.rows.pop())
    }

    /// Executes several statements, separated by semicolons, up to the first that fails.
    pub fn execute_batch(&mut self, sql: &str) -> Result<()> {
        self.ready()?;
        let mut rest = sql.as_bytes();
        let mut first = true;
        self.entry.begin(sql);
        let _acting = act_as(Actor::session(self.entry.id));
        self.session()?.set_multi_statements(true);
        let mut result = Ok(());
        while result.is_ok() && !rest.trim_ascii().is_empty() {
            self.entry.kill.clear_query();
            let rt = self.inner.rt().clone();
            let session = self.session()?;
            let end = match std::mem::take(&mut first) {
                true => session.query_here(&rt, rest, &mut Discard),
                false => session.query_rest_here(&rt, rest, &mut Discard),
            };
            result = end.result;
            rest = &rest[end.consumed.min(rest.len())..];
        }
        self.session()?.set_multi_statements(false);
        self.ended();
        result.map_err(Error::from)
    }

    /// Prepares a statement, to be executed in the place of a text.
    pub fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.ready()?;
        self.begin_work(sql, Work::PrepareOnly(sql.to_owned()))?;
        let prepared = self.drive_to_end(Keep::Caller)?;
        let (id, params) = prepared.ok_or(Error::Closed)?;
        Ok(self.statement(sql, id, params))
    }

    pub(crate) fn statement(&self, sql: &str, id: u32, params: u16) -> Statement {
        let closed = self.closed.clone();
        let only_writes = only_writes(sql);
        Statement { id, connection: self.entry.id, params, only_writes, text: sql.into(), closed }
    }

    /// How many statements are kept prepared for texts with parameters; 64 without a word.
    pub fn set_statement_cache(&mut self, capacity: usize) -> Result<()> {
        self.ready()?;
        for id in self.cache.set_capacity(capacity) {
            self.session()?.close_statement(id);
        }
        Ok(())
    }

    /// USE: the schema in which names without one are looked for.
    pub fn use_database(&mut self, name: &str) -> Result<()> {
        self.ready()?;
        let rt = self.inner.rt().clone();
        rt.block_on(self.session()?.init_db(name))?;
        self.ended();
        Ok(())
    }

    /// The default schema; empty: there is none.
    pub fn database(&self) -> &str {
        self.session.as_ref().map_or("", |s| s.database())
    }

    /// Begins a transaction. It is rolled back unless its guard commits it.
    pub fn transaction(&mut self) -> Result<Transaction<'_>> {
        self.transaction_with(TransactionOptions::default())
    }

    /// Begins a transaction that may only read; all its reads see the database as it is now.
    pub fn begin_read_only(&mut self) -> Result<Transaction<'_>> {
        self.transaction_with(TransactionOptions::default().read_only(true).snapshot(true))
    }

    /// Begins a transaction of another kind.
    pub fn transaction_with(&mut self, options: TransactionOptions) -> Result<Transaction<'_>> {
        Transaction::begin(self, options)
    }

    /// Runs `work` in a transaction and commits it. Where another transaction was in the way (a deadlock, a lock that was waited for too
    /// long) everything is rolled back and done again, at most `times` times.
    pub fn retry<T>(
        &mut self,
        times: u32,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut left = times;
        loop {
            let mut tx = self.transaction()?;
            let done = work(&mut tx).and_then(|value| tx.commit().map(|()| value));
            match done {
                Err(e) if e.is_retryable() && left > 0 => left -= 1,
                other => return other,
            }
        }
    }

    /// Whether a transaction is open.
    pub fn in_transaction(&self) -> bool {
        self.session.as_ref().is_some_and(|s| s.status_flags().in_transaction)
    }

    /// A way to end the statement that runs, from another thread.
    pub fn interrupt_handle(&self) -> InterruptHandle {
        InterruptHandle { kill: self.entry.kill.clone() }
    }

    /// Rolls back what is open, forgets variables, temporary tables and prepared statements, as a new connection would be.
    pub fn reset(&mut self) -> Result<()> {
        self.ready()?;
        self.cache = Cache::new(STATEMENTS);
        let rt = self.inner.rt().clone();
        rt.block_on(self.session()?.reset())?;
        self.ended();
        Ok(())
    }

    /// Ends the connection; an open transaction is rolled back. Dropping it does the same.
    pub fn close(self) {}
}

/// Ends the running statement of a connection from another thread.
#[derive(Clone, Debug)]
pub struct InterruptHandle {
    kill: Arc<KillSwitch>,
}

impl InterruptHandle {
    /// The statement that runs fails with 1317, also one that waits for a lock. Where none runs nothing happens.
    pub fn interrupt(&self) {
        self.kill.kill(KillKind::Query);
    }
}

impl Connection {
    /// What this connection still owes is settled; then the next statement may begin.
    pub(crate) fn ready(&mut self) -> Result<()> {
        self.settle()?;
        if self.guards > 0 && !self.in_transaction() {
            return Err(Error::TransactionEnded);
        }
        Ok(())
    }

    /// The same where a transaction's guard is about to end.
    pub(crate) fn settle(&mut self) -> Result<()> {
        self.inner.check()?;
        self.end_running(Keep::No);
        // Rows of a short answer that were not read are over, as those of a statement that runs.
        self.serial += 1;
        if self.entry.kill.pending() == Some(KillKind::Connection) {
            return Err(Error::Closed);
        }
        self.forget_closed()?;
        if std::mem::take(&mut self.owes_rollback) {
            self.run("ROLLBACK")?;
        }
        Ok(())
    }

    /// Statements whose handles are gone are closed.
    pub(crate) fn forget_closed(&mut self) -> Result<()> {
        let mut list = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if list.is_empty() {
            return Ok(());
        }
        let gone = std::mem::take(&mut *list);
        drop(list);
        for id in gone {
            self.session()?.close_statement(id);
        }
        Ok(())
    }

    pub(crate) fn session(&mut self) -> Result<&mut Session> {
        self.session.as_deref_mut().ok_or(Error::Closed)
    }

    /// A statement has ended.
    pub(crate) fn ended(&mut self) {
        if let Some(s) = &self.session {
            self.entry.end(s.database());
        }
    }

    /// The number of a statement that is prepared already. `None`: it is a text that is not.
    pub(crate) fn known(&mut self, source: Source<'_>, params: usize) -> Result<Option<u32>> {
        match source {
            Source::Prepared(s) if s.connection != self.entry.id => {
                Err(Error::misuse("the statement was prepared on another connection"))
            }
            Source::Prepared(s) => Ok(Some(s.id)),
            Source::Text(_) if params == 0 => Ok(None),
            Source::Text(text) => {
                let schema = self.session.as_ref().map_or("", |s| s.database());
                Ok(self.cache.find(text, schema))
            }
        }
    }

    /// A statement from beginning to end, on this thread and without memory of its own.
    pub(crate) fn collect(
        &mut self,
        source: Source<'_>,
        params: Vec<ParamValue>,
        limit: usize,
    ) -> Result<Collect> {
        self.ready()?;
        let mut sink = Collect::new(limit);
        let known = self.known(source, params.len())?;
        self.entry.begin(source.text());
        self.entry.kill.clear_query();
        let _acting = act_as(Actor::session(self.entry.id));
        let rt = self.inner.rt().clone();
        let result = match known {
            Some(id) => self.session()?.execute_here(&rt, id, &params, &mut sink),
            None if params.is_empty() => {
                self.session()?.query_here(&rt, source.text().as_bytes(), &mut sink).result
            }
            None => {
                let prepared = rt.block_on(self.session()?.prepare(source.text().as_bytes()));
                prepared.and_then(|info| {
                    let done = match self.session.as_deref_mut() {
                        Some(s) => s.execute_here(&rt, info.id, &params, &mut sink),
                        None => Err(SqlError::interrupted()),
                    };
                    self.keep(source.text(), info.id);
                    done
                })
            }
        };
        self.ended();
        settled(result, sink.cut)?;
        Ok(sink)
    }

    /// Keeps a statement that was prepared for a text.
    fn keep(&mut self, text: &str, id: u32) {
        let Some(session) = self.session.as_deref_mut() else { return };
        for gone in self.cache.keep(text, session.database(), id) {
            session.close_statement(gone);
        }
    }

    /// A statement of this crate's own, without rows.
    pub(crate) fn run(&mut self, sql: &str) -> Result<()> {
        self.entry.kill.clear_query();
        let _acting = act_as(Actor::session(self.entry.id));
        let rt = self.inner.rt().clone();
        let end = self.session()?.query_here(&rt, sql.as_bytes(), &mut Discard);
        end.result.map_err(Error::from)
    }

    /// A name for a savepoint that no other guard has.
    pub(crate) fn savepoint_name(&mut self) -> String {
        self.savepoints += 1;
        format!("weir_savepoint_{}", self.savepoints)
    }
}

/// What becomes of a statement that was prepared on the way of another call.
#[derive(Clone, Debug, Default)]
pub(crate) enum Keep {
    /// It is closed.
    #[default]
    No,
    /// It is the caller's.
    Caller,
    /// It is kept for this text.
    Cache(Box<str>),
}

/// Statements that are polled.
impl Connection {
    /// Begins a statement. What it prepares on the way is to be kept as told.
    pub(crate) fn start(&mut self, source: Source<'_>, params: Vec<ParamValue>) -> Result<Keep> {
        let known = self.known(source, params.len())?;
        let prepares = known.is_none() && !params.is_empty();
        let keep = if prepares { Keep::Cache(source.text().into()) } else { Keep::No };
        let work = work(known, source.text(), params);
        self.begin_work(source.text(), work)?;
        Ok(keep)
    }

    pub(crate) fn begin_work(&mut self, text: &str, work: Work) -> Result<()> {
        let session = self.session.take().ok_or(Error::Closed)?;
        self.entry.begin(text);
        self.entry.kill.clear_query();
        self.serial += 1;
        self.running = Some(Stream::start(session, self.entry.id, work));
        Ok(())
    }

    /// The session is back.
    pub(crate) fn finish(&mut self, finished: Finished, keep: Keep) -> Result<Option<(u32, u16)>> {
        let Finished { mut session, result, prepared } = finished;
        if let (Some((id, _)), Keep::No) = (prepared, &keep) {
            session.close_statement(id);
        }
        self.session = Some(session);
        if let (Some((id, _)), Keep::Cache(text)) = (prepared, &keep) {
            self.keep(text, id);
        }
        self.ended();
        result?;
        Ok(prepared)
    }

    /// Waits for the end of the running statement, whose rows are not looked at.
    pub(crate) fn drive_to_end(&mut self, keep: Keep) -> Result<Option<(u32, u16)>> {
        let rt = self.inner.rt().clone();
        let Some(mut stream) = self.running.take() else { return Ok(None) };
        let finished = loop {
            if let Next::End(finished) = rt.block_on(poll_fn(|cx| stream.poll_next(cx))) {
                break finished;
            }
        };
        self.finish(finished, keep)
    }

    /// Ends a statement whose rows nobody wants any more.
    pub(crate) fn end_running(&mut self, keep: Keep) {
        if let Some(stream) = &mut self.running {
            stream.close();
            // A cursor on it gets the error that it has ended, and is not taken for read to its end.
            self.serial += 1;
            // It has failed by the refusal of its next row, or has ended.
            let _ = self.drive_to_end(keep);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.inner.sessions.remove(self.entry.id);
        if self.inner.is_forked() {
            // What the session holds is the other process's.
            std::mem::forget(self.session.take());
            std::mem::forget(self.running.take());
            return;
        }
        self.end_running(Keep::No);
        if let Some(session) = self.session.take() {
            let _acting = act_as(Actor::session(self.entry.id));
            self.inner.rt().block_on(session.close());
        }
    }
}
