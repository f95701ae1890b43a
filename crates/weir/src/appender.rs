//! Rows in bulk: INSERT statements of many rows, prepared once.

use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::params::Params;
use crate::statement::Statement;
use crate::value::Value;

/// Rows of one statement, where their columns are few. Larger statements are no faster.
const ROWS: usize = 256;
/// Parameters that a statement can have.
const PARAMS: usize = 65_535;

/// Inserts rows many at a time.
///
/// ```
/// # use weir::{params, Database};
/// # fn main() -> weir::Result<()> {
/// # let mut conn = Database::open_in_memory()?.connect()?;
/// # conn.execute_batch("CREATE DATABASE app; USE app; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))")?;
/// let mut tx = conn.transaction()?;
/// let mut rows = tx.appender("t", &["id", "name"])?;
/// for id in 0..1000 {
///     rows.append(params![id, format!("name {id}")])?;
/// }
/// assert_eq!(rows.finish()?, 1000);
/// tx.commit()?;
/// # assert_eq!(conn.query_row("SELECT COUNT(*) FROM t", ())?.get::<i64>(0)?, 1000);
/// # Ok(()) }
/// ```
///
/// Outside of a transaction each statement of some 256 rows commits for itself. A row that breaks a key fails its whole statement: the
/// error comes with the row that fills the statement, or with [`Appender::finish`]. Rows that are not written when an appender is dropped are
/// lost: `finish` writes them.
#[derive(Debug)]
pub struct Appender<'c> {
    conn: &'c mut Connection,
    /// `INSERT INTO t (a, b) VALUES `.
    head: String,
    columns: usize,
    /// Rows of a full statement.
    rows: usize,
    full: Option<Statement>,
    waiting: Vec<Value>,
    written: u64,
}

impl Connection {
    /// Begins to insert rows in bulk. `table` may have its schema before it: `app.t`. Columns that are not named have their defaults.
    pub fn appender(&mut self, table: &str, columns: &[&str]) -> Result<Appender<'_>> {
        if columns.is_empty() || columns.len() > PARAMS {
            return Err(Error::misuse("an appender needs the names of the columns that rows have"));
        }
        let table = match table.split_once('.') {
            Some((schema, name)) => format!("{}.{}", quoted(schema), quoted(name)),
            None => quoted(table),
        };
        let list: Vec<String> = columns.iter().map(|c| quoted(c)).collect();
        let head = format!("INSERT INTO {table} ({}) VALUES ", list.join(", "));
        let rows = (PARAMS / columns.len()).clamp(1, ROWS);
        let (columns, waiting) = (columns.len(), Vec::new());
        Ok(Appender { conn: self, head, columns, rows, full: None, waiting, written: 0 })
    }
}

/// A name as SQL has it.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

impl Appender<'_> {
    /// One row more.
    pub fn append(&mut self, row: impl Params) -> Result<()> {
        let row = row.into_values();
        if row.len() != self.columns {
            return Err(Error::misuse(format!(
                "a row of {} values for {} columns",
                row.len(),
                self.columns
            )));
        }
        self.waiting.extend(row);
        match self.waiting.len() == self.rows * self.columns {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes the rows that wait.
    pub fn flush(&mut self) -> Result<()> {
        let rows = self.waiting.len() / self.columns;
        if rows == 0 {
            return Ok(());
        }
        let values = std::mem::take(&mut self.waiting);
        let done = if rows == self.rows {
            if self.full.is_none() {
                self.full = Some(self.conn.prepare(&self.sql(rows))?);
            }
            let full = self.full.as_ref().ok_or(Error::Closed)?;
            self.conn.execute(full, values)?
        } else {
            let part = self.conn.prepare(&self.sql(rows))?;
            self.conn.execute(&part, values)?
        };
        self.written += done.affected_rows();
        Ok(())
    }

    /// Writes what waits, and says how many rows were written in all.
    pub fn finish(mut self) -> Result<u64> {
        self.flush()?;
        Ok(self.written)
    }

    fn sql(&self, rows: usize) -> String {
        let row = format!("({})", vec!["?"; self.columns].join(","));
        format!("{}{}", self.head, vec![row.as_str(); rows].join(","))
    }
}
