//! A statement that runs, and its rows on the way to the program.
//!
//! The statement is a future that owns the session and gives it back at its end. It is polled where rows are asked for: by the thread that
//! wants the next row, or by the executor of an asynchronous caller. When enough rows wait it stops making more
//! (`ResultSink::poll_room`), so a result of any length takes the memory of a few hundred rows, and no thread.
//!
//! Invariant: a future that was begun is polled to its end, also when nobody wants its rows any more: then the next row is refused, and
//! the statement ends by that. So the session always comes back in a state in which it can go on.

use crate::error::{Error, Result};
use crate::row::{Columns, Row, value_of};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use weir_rt::{Actor, Boxed, acting};
use weir_sql::session::Session;
use weir_sql::session_api::{
    ColumnMeta, OkInfo, OutValue, ParamValue, ResultSink, SinkError, SqlError,
};

/// Rows that wait for the program at the most, and their bytes.
const ROWS: usize = 256;
const BYTES: usize = 64 * 1024;

/// How a statement ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    pub(crate) affected_rows: u64,
    pub(crate) last_insert_id: u64,
    pub(crate) warnings: u16,
    pub(crate) info: String,
}

impl Executed {
    /// Rows that were inserted, changed or deleted. An UPDATE counts those that it has changed, not those that it has found.
    pub fn affected_rows(&self) -> u64 {
        self.affected_rows
    }

    /// The first AUTO_INCREMENT value that the statement has made; 0: none.
    pub fn last_insert_id(&self) -> u64 {
        self.last_insert_id
    }

    /// How many warnings SHOW WARNINGS would list.
    pub fn warnings(&self) -> u16 {
        self.warnings
    }

    /// What MySQL's clients show behind the result, for example `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub fn info(&self) -> &str {
        &self.info
    }

    pub(crate) fn of(ok: &OkInfo<'_>) -> Executed {
        Executed {
            affected_rows: ok.affected_rows,
            last_insert_id: ok.last_insert_id,
            warnings: ok.warnings,
            info: ok.info.to_owned(),
        }
    }
}

/// What comes of a statement, in order.
#[derive(Debug)]
pub(crate) enum Item {
    Columns(Arc<Columns>),
    Row(Row),
    /// A result, or a statement without one, has ended.
    End(Executed),
}

#[derive(Default)]
struct Pipe {
    items: VecDeque<Item>,
    columns: Arc<Columns>,
    rows: usize,
    bytes: usize,
    /// Nobody wants more rows.
    closed: bool,
    waiting: Option<Waker>,
}

impl Pipe {
    fn is_full(&self) -> bool {
        !self.closed && (self.rows >= ROWS || self.bytes >= BYTES)
    }
}

fn lock(m: &Mutex<Pipe>) -> MutexGuard<'_, Pipe> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The values of a row, and about the bytes that they take.
pub(crate) fn row_of(columns: &Arc<Columns>, row: &[OutValue<'_>]) -> (Row, usize) {
    let mut bytes = size_of_val(row);
    let values = row.iter().zip(&columns.0).map(|(v, c)| {
        if let OutValue::Bytes(b) = v {
            bytes += b.len();
        }
        value_of(v, c)
    });
    let values = values.collect();
    (Row::new(columns.clone(), values), bytes)
}

/// What had been given when rows began to be held.
#[derive(Clone, Copy, Default)]
struct Mark {
    items: usize,
    rows: usize,
    bytes: usize,
}

/// Rows wait in the pipe until somebody asks for them, and nothing is sent. So they may come from pages that are latched, and what was not
/// asked for yet can be taken back.
struct PipeSink {
    pipe: Arc<Mutex<Pipe>>,
    before: Mark,
}

impl ResultSink for PipeSink {
    fn columns(&mut self, cols: &[ColumnMeta]) -> std::result::Result<(), SinkError> {
        let mut pipe = lock(&self.pipe);
        pipe.columns = Columns::like(&pipe.columns, cols);
        let columns = pipe.columns.clone();
        pipe.items.push_back(Item::Columns(columns));
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> std::result::Result<(), SinkError> {
        let mut pipe = lock(&self.pipe);
        if pipe.closed {
            return Err(SinkError);
        }
        let (row, bytes) = row_of(&pipe.columns, row);
        pipe.rows += 1;
        pipe.bytes += bytes;
        pipe.items.push_back(Item::Row(row));
        Ok(())
    }

    fn end_rows(&mut self, ok: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        lock(&self.pipe).items.push_back(Item::End(Executed::of(ok)));
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        lock(&self.pipe).items.push_back(Item::End(Executed::of(ok)));
        Ok(())
    }

    fn hold(&mut self) -> bool {
        true
    }

    fn hold_all(&mut self) -> bool {
        let pipe = lock(&self.pipe);
        self.before = Mark { items: pipe.items.len(), rows: pipe.rows, bytes: pipe.bytes };
        true
    }

    fn take_back(&mut self) {
        let mut pipe = lock(&self.pipe);
        pipe.items.truncate(self.before.items);
        (pipe.rows, pipe.bytes) = (self.before.rows, self.before.bytes);
    }

    fn may_fill(&self) -> bool {
        true
    }

    fn is_full(&self) -> bool {
        lock(&self.pipe).is_full()
    }

    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut pipe = lock(&self.pipe);
        if pipe.is_full() {
            pipe.waiting = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}

/// What a session is to do.
pub(crate) enum Work {
    /// A text without parameters.
    Text(String),
    /// A prepared statement.
    Execute(u32, Vec<ParamValue>),
    /// A text with parameters: its number comes with the end.
    Prepare(String, Vec<ParamValue>),
    /// A text that is only prepared.
    PrepareOnly(String),
}

/// The session is given back.
pub(crate) struct Finished {
    pub session: Box<Session>,
    pub result: std::result::Result<(), SqlError>,
    /// The statement that was prepared on the way, and how many parameters it has.
    pub prepared: Option<(u32, u16)>,
}

/// A statement that runs.
pub(crate) struct Stream {
    run: Boxed<'static, Finished>,
    pipe: Arc<Mutex<Pipe>>,
    /// Items that were taken out of the pipe.
    ready: VecDeque<Item>,
}

/// The first item if it is a row.
pub(crate) fn next_row(items: &mut VecDeque<Item>) -> Option<Row> {
    match items.pop_front()? {
        Item::Row(row) => Some(row),
        other => {
            items.push_front(other);
            None
        }
    }
}

/// What a poll of a stream gives.
pub(crate) enum Next {
    Item(Item),
    End(Finished),
}

impl Stream {
    pub fn start(session: Box<Session>, id: u64, work: Work) -> Stream {
        let pipe: Arc<Mutex<Pipe>> = Arc::default();
        let mut sink = PipeSink { pipe: pipe.clone(), before: Mark::default() };
        let run = async move {
            let mut session = session;
            let mut prepared = None;
            let result = match work {
                Work::Text(sql) => session.query(sql.as_bytes(), &mut sink).await.result,
                Work::Execute(id, params) => session.execute(id, &params, &mut sink).await,
                Work::Prepare(sql, params) => match session.prepare(sql.as_bytes()).await {
                    Ok(info) => {
                        prepared = Some((info.id, info.params));
                        session.execute(info.id, &params, &mut sink).await
                    }
                    Err(e) => Err(e),
                },
                Work::PrepareOnly(sql) => session
                    .prepare(sql.as_bytes())
                    .await
                    .map(|info| prepared = Some((info.id, info.params))),
            };
            Finished { session, result, prepared }
        };
        let run = Box::pin(acting(Actor::session(id), run));
        Stream { run, pipe, ready: VecDeque::new() }
    }

    /// The next item if it waits already and is a row.
    pub fn row_at_hand(&mut self) -> Option<Row> {
        next_row(&mut self.ready)
    }

    /// The next item, or the end with the session. Not to be polled behind its end.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Poll::Ready(Next::Item(item));
            }
            if self.refill() {
                continue;
            }
            match self.run.as_mut().poll(cx) {
                Poll::Ready(finished) => {
                    // What came with the end is given first by those who look at the rest.
                    self.refill();
                    return Poll::Ready(Next::End(finished));
                }
                Poll::Pending if self.refill() => {}
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Takes what waits. Whether there was anything.
    fn refill(&mut self) -> bool {
        let mut pipe = lock(&self.pipe);
        if pipe.items.is_empty() {
            return false;
        }
        std::mem::swap(&mut self.ready, &mut pipe.items);
        pipe.rows = 0;
        pipe.bytes = 0;
        let waiting = pipe.waiting.take();
        drop(pipe);
        if let Some(waker) = waiting {
            waker.wake();
        }
        true
    }

    /// What is left behind the end.
    pub fn rest(self) -> VecDeque<Item> {
        self.ready
    }

    /// Nobody wants its rows any more: it ends with the next one.
    pub fn close(&mut self) {
        self.ready.clear();
        let mut pipe = lock(&self.pipe);
        pipe.closed = true;
        pipe.items.clear();
        let waiting = pipe.waiting.take();
        drop(pipe);
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

/// Takes an answer of which no more than so many rows are wanted. For calls that wait for the whole answer.
#[derive(Default)]
pub(crate) struct Collect {
    columns: Arc<Columns>,
    pub rows: Vec<Row>,
    /// Rows that are kept.
    pub limit: usize,
    /// More came than were wanted, so the statement was ended by a refusal.
    pub cut: bool,
    pub executed: Executed,
    /// Later results of a CALL are not kept.
    over: bool,
    /// Rows that were there when they began to be held, and whether it was cut already.
    before: (usize, bool),
}

impl Collect {
    pub fn new(limit: usize) -> Collect {
        Collect { limit, ..Collect::default() }
    }
}

impl ResultSink for Collect {
    fn columns(&mut self, cols: &[ColumnMeta]) -> std::result::Result<(), SinkError> {
        self.columns = Columns::of(cols);
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> std::result::Result<(), SinkError> {
        if self.limit == 0 || self.over {
            return Ok(());
        }
        if self.rows.len() == self.limit {
            self.cut = true;
            return Err(SinkError);
        }
        self.rows.push(row_of(&self.columns, row).0);
        Ok(())
    }

    fn hold(&mut self) -> bool {
        true
    }

    fn hold_all(&mut self) -> bool {
        self.before = (self.rows.len(), self.cut);
        true
    }

    fn take_back(&mut self) {
        self.rows.truncate(self.before.0);
        self.cut = self.before.1;
    }

    fn end_rows(&mut self, ok: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        self.executed = Executed::of(ok);
        self.over = true;
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> std::result::Result<(), SinkError> {
        self.executed = Executed::of(ok);
        Ok(())
    }
}

/// The end of a collected statement: one that was cut short has not failed.
pub(crate) fn settled(result: std::result::Result<(), SqlError>, cut: bool) -> Result<()> {
    match result {
        Err(_) if cut => Ok(()),
        other => other.map_err(Error::from),
    }
}
