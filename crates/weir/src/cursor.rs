//! A result that is read by calls which are given the connection each time: for bindings to other languages, whose handles cannot borrow
//! from each other.

use crate::connection::Connection;
use crate::error::Result;
use crate::params::{Params, bound};
use crate::row::{Column, Row};
use crate::rows::Reading;
use crate::statement::{Source, Sql};
use crate::stream::Executed;
use crate::value::Value;
use std::future::poll_fn;

/// The rows of a statement, apart from their connection. Another statement of the connection ends it; its next call says so then.
///
/// Programs in Rust use [`Connection::query`], which cannot be used in a wrong order.
#[derive(Debug)]
pub struct Cursor {
    reading: Reading,
    /// The row of the last step, if it is one of its own.
    row: Option<Row>,
    /// It is one of those that were made together.
    lends: bool,
}

impl Connection {
    /// Executes a statement, whose rows [`Cursor::next`] gives.
    pub fn open_cursor(&mut self, sql: impl Sql, params: impl Params) -> Result<Cursor> {
        if let Source::Prepared(stmt) = sql.source()
            && stmt.only_writes
        {
            // There is no row to wait for, so no future has to be kept.
            let executed = self.collect(sql.source(), bound(params), 0)?.executed;
            let reading = Reading::ended(executed, self.serial);
            return Ok(Cursor { reading, row: None, lends: false });
        }
        self.ready()?;
        let params = bound(params);
        if let Some(rows) = self.gather(sql.source(), &params)? {
            let reading = Reading::gathered(rows, self.serial);
            return Ok(Cursor { reading, row: None, lends: false });
        }
        let keep = self.start(sql.source(), params)?;
        let reading = Reading::new(keep, self.serial);
        let mut cursor = Cursor { reading, row: None, lends: false };
        cursor.reading.over = !cursor.open_next(self)?;
        Ok(cursor)
    }
}

impl Cursor {
    fn open_next(&mut self, conn: &mut Connection) -> Result<bool> {
        let rt = conn.inner.rt().clone();
        let reading = &mut self.reading;
        rt.block_on(poll_fn(|cx| reading.poll_result(conn, cx)))
    }

    /// The next row; `None`: that was the last of this result. `conn` is the connection that the cursor was opened on.
    pub fn next(&mut self, conn: &mut Connection) -> Result<Option<Row>> {
        if let Some(row) = self.reading.row_at_hand(conn) {
            return Ok(Some(row));
        }
        // The end of a result is said to the process that opened the database, like all that is no row made before.
        conn.inner.check()?;
        if self.reading.ends_here(conn) {
            return Ok(None);
        }
        let rt = conn.inner.rt().clone();
        let reading = &mut self.reading;
        rt.block_on(poll_fn(|cx| reading.poll_row(conn, cx))).transpose()
    }

    /// Goes to the next row, whose values are then those of [`Cursor::values`]; false: that was the last of this result. Of rows that were made
    /// together this makes no [`Row`].
    pub fn step(&mut self, conn: &mut Connection) -> Result<bool> {
        self.lends = self.reading.step(conn);
        if !self.lends {
            self.row = self.next(conn)?;
        }
        Ok(self.lends || self.row.is_some())
    }

    /// The values of the row that the last [`Cursor::step`] found; none: it found no row.
    pub fn values(&self) -> &[Value] {
        match &self.row {
            _ if self.lends => self.reading.values(),
            Some(row) => row.values(),
            None => &[],
        }
    }

    /// Goes on to the next result of a CALL. False: there is none.
    pub fn next_result(&mut self, conn: &mut Connection) -> Result<bool> {
        conn.inner.check()?;
        let there = self.open_next(conn)?;
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

    /// Ends the statement; rows that were not read are not made.
    pub fn close(mut self, conn: &mut Connection) {
        let running = !self.reading.is_done() && conn.serial == self.reading.serial;
        if running && !conn.inner.is_forked() {
            conn.end_running(std::mem::take(&mut self.reading.keep));
        }
    }
}
