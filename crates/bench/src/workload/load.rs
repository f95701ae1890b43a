//! Loading: rows in prepared INSERTs of many rows, tables and parts of tables by several threads.

use crate::error::{Error, Result};
use crate::target::{Conn, Target, Value};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Rows of one INSERT.
const BATCH: usize = 100;
/// Rows of one transaction.
const COMMIT: usize = 10_000;

/// A value of a row to be loaded.
#[derive(Clone, Debug)]
pub enum Field {
    Null,
    Int(i64),
    Cents(i64),
    Text(String),
}

impl Field {
    fn value(&self) -> Value<'_> {
        match self {
            Field::Null => Value::Null,
            Field::Int(n) => Value::Int(*n),
            Field::Cents(n) => Value::Cents(*n),
            Field::Text(t) => Value::Text(t),
        }
    }
}

/// Collects rows of one table and inserts them.
pub struct Loader<'c> {
    conn: &'c mut Conn,
    table: &'c str,
    columns: usize,
    full: u32,
    fields: Vec<Field>,
    uncommitted: usize,
    progress: &'c Progress<'c>,
}

impl<'c> Loader<'c> {
    pub fn new(
        conn: &'c mut Conn,
        table: &'c str,
        columns: usize,
        progress: &'c Progress<'c>,
    ) -> Result<Loader<'c>> {
        let full = conn.prepare(&insert(table, columns, BATCH))?;
        conn.query("BEGIN")?;
        Ok(Loader { conn, table, columns, full, fields: Vec::new(), uncommitted: 0, progress })
    }

    pub fn row(&mut self, fields: impl IntoIterator<Item = Field>) -> Result<()> {
        self.fields.extend(fields);
        debug_assert!(self.fields.len().is_multiple_of(self.columns), "rows of {}", self.table);
        if self.fields.len() >= BATCH * self.columns {
            self.send()?;
        }
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        let rows = self.fields.len() / self.columns;
        if rows == 0 {
            return Ok(());
        }
        let statement = match rows {
            BATCH => self.full,
            n => self.conn.prepare(&insert(self.table, self.columns, n))?,
        };
        let values: Vec<Value<'_>> = self.fields.iter().map(Field::value).collect();
        self.conn.run(statement, &values).map_err(|e| e.at(format!("loading {}", self.table)))?;
        self.fields.clear();
        self.progress.rows.fetch_add(rows as u64, Ordering::Relaxed);
        self.uncommitted += rows;
        if self.uncommitted >= COMMIT {
            self.conn.query("COMMIT")?;
            self.conn.query("BEGIN")?;
            self.uncommitted = 0;
        }
        if self.progress.stop.load(Ordering::Relaxed) {
            return Err(Error::other("stopped while loading; the data is incomplete"));
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        self.send()?;
        self.conn.query("COMMIT")?;
        Ok(())
    }
}

fn insert(table: &str, columns: usize, rows: usize) -> String {
    let one = format!("({})", vec!["?"; columns].join(","));
    format!("INSERT INTO {table} VALUES {}", vec![one; rows].join(","))
}

/// How far a load is; `stop` ends it.
pub struct Progress<'s> {
    pub rows: AtomicU64,
    pub expected: u64,
    pub stop: &'s AtomicBool,
}

impl<'s> Progress<'s> {
    pub fn new(expected: u64, stop: &'s AtomicBool) -> Progress<'s> {
        Progress { rows: AtomicU64::new(0), expected, stop }
    }
}

/// Makes a table again, and its schema if there is none.
pub fn make_anew(target: &Target, schema: &str, table: &str, create: &str) -> Result<()> {
    let mut conn = target.connect_patient("")?;
    conn.query(&format!("CREATE DATABASE IF NOT EXISTS `{schema}`"))?;
    conn.query(&format!("DROP TABLE IF EXISTS `{schema}`.`{table}`"))?;
    conn.query(create)?;
    Ok(())
}

/// Runs `count` parts by `threads` threads; each part gets a connection. The first error ends all.
pub fn in_parallel(
    target: &Target,
    schema: &str,
    threads: usize,
    count: usize,
    progress: &Progress<'_>,
    mut watch: impl FnMut(u64, u64, Duration),
    part: impl Fn(usize, &mut Conn, &Progress<'_>) -> Result<()> + Sync,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let running = AtomicUsize::new(threads);
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let begun = Instant::now();
    let has_failed = || failed.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let work = || -> Result<()> {
                    let mut conn = target.connect_patient(schema)?;
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n >= count || has_failed() {
                            return Ok(());
                        }
                        part(n, &mut conn, progress)?;
                    }
                };
                if let Err(e) = work() {
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
                }
                running.fetch_sub(1, Ordering::Release);
            });
        }
        let mut shown = Instant::now();
        while running.load(Ordering::Acquire) > 0 {
            std::thread::sleep(Duration::from_millis(20));
            if shown.elapsed() >= Duration::from_millis(500) {
                shown = Instant::now();
                watch(progress.rows.load(Ordering::Relaxed), progress.expected, begun.elapsed());
            }
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(e) => Err(e),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        assert_eq!(insert("t", 2, 3), "INSERT INTO t VALUES (?,?),(?,?),(?,?)");
    }
}
