//! The rows of a statement, as they are asked for.

use crate::connection::{Connection, Keep};
use crate::error::{Error, Result};
use crate::gathered::Gathered;
use crate::row::{Column, Columns, Row};
use crate::stream::{Executed, Item, Next, next_row};
use crate::value::Value;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The state of a result that is being read, blocking or not.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub columns: Arc<Columns>,
    /// Items behind the statement's end.
    rest: VecDeque<Item>,
    /// Which statement of the connection it is.
    pub serial: u64,
    /// This result has ended.
    pub over: bool,
    /// The statement has ended.
    done: bool,
    pub executed: Executed,
    /// What becomes of a statement that was prepared on the way.
    pub keep: Keep,
    /// Rows that were made before they were asked for.
    gathered: Option<Gathered>,
    /// How the statement failed, if its last rows are still to be given.
    failed: Option<Error>,
}

impl Reading {
    /// `serial`: the number of the statement on its connection.
    pub fn new(keep: Keep, serial: u64) -> Reading {
        Reading { keep, serial, ..Reading::default() }
    }

    /// A statement that has ended, whose rows are there.
    pub fn gathered(rows: Gathered, serial: u64) -> Reading {
        let columns = rows.columns().clone();
        Reading { columns, gathered: Some(rows), serial, ..Reading::default() }
    }

    /// Goes to the next row that is there, whose values are those of [`Reading::values`]. False: there is none at hand.
    pub fn step(&mut self, conn: &Connection) -> bool {
        conn.serial == self.serial && self.gathered.as_mut().is_some_and(Gathered::step)
    }

    /// Behind a step that found a row.
    pub fn values(&self) -> &[Value] {
        self.gathered.as_ref().map_or(&[], Gathered::values)
    }

    /// A statement that has ended and gives no rows.
    pub fn ended(executed: Executed, serial: u64) -> Reading {
        Reading { executed, serial, over: true, done: true, ..Reading::default() }
    }

    /// The next row if it was made already: most are, and cost no look at the statement.
    pub fn row_at_hand(&mut self, conn: &mut Connection) -> Option<Row> {
        if self.over {
            return None;
        }
        if !self.rest.is_empty() {
            return next_row(&mut self.rest);
        }
        let own = !self.done && conn.serial == self.serial;
        if let Some(gathered) = &mut self.gathered {
            return if own { gathered.next_row() } else { None };
        }
        conn.running.as_mut().filter(|_| own)?.row_at_hand()
    }

    /// Nothing is left to be asked of the connection.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The end of a result is mostly the end of the statement: then the session is given back now, and not when the rows are dropped.
    fn look_for_end(&mut self, conn: &mut Connection, cx: &mut Context<'_>) {
        if self.rest.is_empty()
            && !self.done
            && let Poll::Ready(item) = self.poll(conn, cx)
        {
            match item {
                Ok(Some(item)) => self.rest.push_front(item),
                Ok(None) => {}
                Err(e) => self.failed = Some(e),
            }
        }
    }

    /// The next item of the statement; `None`: it has ended.
    pub fn poll(
        &mut self,
        conn: &mut Connection,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Item>>> {
        if let Some(item) = self.rest.pop_front() {
            return Poll::Ready(Ok(Some(item)));
        }
        if !self.done && conn.serial != self.serial {
            self.done = true;
            return Poll::Ready(Err(Error::misuse(
                "the rows were ended by another statement of their connection",
            )));
        }
        if let Some(gathered) = &mut self.gathered {
            let row = gathered.next_row();
            return Poll::Ready(Ok(Some(row.map_or_else(|| self.gathered_end(), Item::Row))));
        }
        let Some(stream) = conn.running.as_mut().filter(|_| !self.done) else {
            self.done = true;
            return Poll::Ready(self.failed.take().map_or(Ok(None), Err));
        };
        match stream.poll_next(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Next::Item(item)) => Poll::Ready(Ok(Some(item))),
            Poll::Ready(Next::End(finished)) => {
                self.done = true;
                if let Some(stream) = conn.running.take() {
                    self.rest = stream.rest();
                }
                let ended = conn.finish(finished, std::mem::take(&mut self.keep));
                self.failed = ended.err();
                self.poll(conn, cx)
            }
        }
    }

    /// All rows that were there were given out.
    fn gathered_end(&mut self) -> Item {
        self.done = true;
        Item::End(self.gathered.take().map(|g| g.executed().clone()).unwrap_or_default())
    }

    /// The same without a poll, which has nothing to wait for. False: the result goes on.
    pub fn ends_here(&mut self, conn: &Connection) -> bool {
        let is_last = conn.serial == self.serial
            && self.gathered.as_ref().is_some_and(|rows| !rows.has_more());
        if is_last {
            let end = self.gathered_end();
            self.take(end);
        }
        is_last
    }

    /// Takes an item; a row is given on.
    pub fn take(&mut self, item: Item) -> Option<Row> {
        match item {
            Item::Columns(columns) => {
                self.columns = columns;
                self.over = false;
                None
            }
            Item::Row(row) => Some(row),
            Item::End(executed) => {
                self.executed = executed;
                self.over = true;
                None
            }
        }
    }

    /// The next row of this result.
    pub fn poll_row(
        &mut self,
        conn: &mut Connection,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Row>>> {
        while !self.over {
            match self.poll(conn, cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(e)) => {
                    self.over = true;
                    return Poll::Ready(Some(Err(e)));
                }
                Poll::Ready(Ok(None)) => self.over = true,
                Poll::Ready(Ok(Some(item))) => {
                    if let Some(row) = self.take(item) {
                        return Poll::Ready(Some(Ok(row)));
                    }
                    if self.over {
                        self.look_for_end(conn, cx);
                    }
                }
            }
        }
        // An error behind the last result, as a CALL has it.
        let failed = if self.rest.is_empty() { self.failed.take() } else { None };
        Poll::Ready(failed.map(Err))
    }

    /// The beginning of the next result. True: there is one.
    pub fn poll_result(
        &mut self,
        conn: &mut Connection,
        cx: &mut Context<'_>,
    ) -> Poll<Result<bool>> {
        loop {
            let item = match self.poll(conn, cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(e)) => return Poll::Ready(Err(e)),
                Poll::Ready(Ok(None)) => return Poll::Ready(Ok(false)),
                Poll::Ready(Ok(Some(item))) => item,
            };
            let opens = matches!(item, Item::Columns(_));
            // Rows of the result before that nobody has read.
            self.take(item);
            if opens {
                return Poll::Ready(Ok(true));
            }
        }
    }
}

/// Rows that are made as they are asked for. The connection is theirs meanwhile; dropped before their end they end their statement.
pub struct Rows<'c> {
    conn: &'c mut Connection,
    reading: Reading,
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows").field("over", &self.reading.over).finish_non_exhaustive()
    }
}

impl<'c> Rows<'c> {
    /// Waits for the columns, or for the end of a statement that has none.
    pub(crate) fn open(conn: &'c mut Connection, keep: Keep) -> Result<Rows<'c>> {
        let reading = Reading::new(keep, conn.serial);
        let mut rows = Rows { conn, reading };
        rows.reading.over = !rows.open_next()?;
        Ok(rows)
    }

    pub(crate) fn gathered(conn: &'c mut Connection, rows: Gathered) -> Rows<'c> {
        let reading = Reading::gathered(rows, conn.serial);
        Rows { conn, reading }
    }

    fn open_next(&mut self) -> Result<bool> {
        let rt = self.conn.inner.rt().clone();
        let (reading, conn) = (&mut self.reading, &mut *self.conn);
        rt.block_on(poll_fn(|cx| reading.poll_result(conn, cx)))
    }

    /// The columns of the result; none: the statement gives no rows.
    pub fn columns(&self) -> &[Column] {
        &self.reading.columns.0
    }

    /// Goes on to the next result of a CALL. False: there is none.
    pub fn next_result(&mut self) -> Result<bool> {
        let there = self.open_next()?;
        self.reading.over = !there;
        Ok(there)
    }

    /// How the result ended: its counts are known behind its last row.
    pub fn executed(&self) -> &Executed {
        &self.reading.executed
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Result<Row>> {
        if let Some(row) = self.reading.row_at_hand(self.conn) {
            return Some(Ok(row));
        }
        if self.reading.ends_here(self.conn) {
            return None;
        }
        let rt = self.conn.inner.rt().clone();
        let (reading, conn) = (&mut self.reading, &mut *self.conn);
        rt.block_on(poll_fn(|cx| reading.poll_row(conn, cx)))
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        if !self.reading.is_done() && !self.conn.inner.is_forked() {
            let keep = std::mem::take(&mut self.reading.keep);
            self.conn.end_running(keep);
        }
    }
}
