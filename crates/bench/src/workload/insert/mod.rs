//! The insert benchmark of 2009: rows go into a table with three secondary indexes while other sessions ask for ranges of them.
//!
//! `rows` draws rows and queries, `user` inserts and asks by SQL or by calls of the engine (`engine_path`), `check` asks the same in a
//! second way, `behind` does so when the run is over. One kind of user inserts
//! batches of `rows_per_commit`, each a transaction; the others ask one of the three queries each, again and again.
//!
//! Invariants: what row a number has depends on the seed and the number only. A run ends when its rows are in. Some answers are
//! computed a second way, without the indexes, in the same snapshot: a wrong plan can look like a fast one, so a
//! difference is reported, and ends the process with a code of its own.

mod behind;
mod check;
mod engine_path;
mod options;
pub mod rows;
mod user;

use super::calls::PathKind;
use super::load::{Progress, in_parallel, make_anew};
use super::{User, Workload};
use crate::error::{Error, Result};
use crate::target::{Conn, Target};
pub use behind::checks_behind;
pub use check::{Checks, check, plans};
pub use engine_path::Statements;
pub use rows::ROW_BYTES;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use user::{Asking, Inserting, Path};

#[derive(Clone, Debug)]
pub struct Config {
    pub schema: String,
    pub table: String,
    /// Rows that a run inserts; none: until its time is over.
    pub rows: Option<u64>,
    /// Rows that prepare makes.
    pub start_rows: u64,
    pub rows_per_commit: u64,
    pub rows_per_query: u64,
    pub inserters: usize,
    pub query_users: usize,
    /// Between two queries of a session.
    pub pause: Duration,
    /// Answers that are computed a second way behind the timed part, while rows go on coming in.
    pub checks: u64,
    /// Between two answers of a session that are computed a second way within the timed part; zero: none are.
    pub check_every: Duration,
    pub path: PathKind,
    pub seed: u64,
}

/// What the users of a run share.
pub struct State {
    /// Number of the next row.
    next: AtomicU64,
    end: u64,
    /// Rows that are in.
    pub inserted: AtomicU64,
    pub checks: Checks,
}

impl State {
    /// Numbers of the next batch.
    fn take(&self, most: u64) -> Option<std::ops::Range<u64>> {
        let from = self.next.fetch_add(most, Ordering::Relaxed);
        (from < self.end).then(|| from..(from + most).min(self.end))
    }

    fn inserted(&self, rows: u64) {
        self.inserted.fetch_add(rows, Ordering::Relaxed);
    }

    fn rows(&self) -> u64 {
        self.next.load(Ordering::Relaxed).min(self.end)
    }
}

pub struct Insert {
    target: Target,
    config: Config,
    pub state: Arc<State>,
}

impl Insert {
    /// The table has `start_rows`.
    pub fn new(target: Target, config: Config) -> Result<Insert> {
        config.path.check(&target)?;
        let have = config.start_rows;
        let end = config.rows.map_or(u64::MAX, |n| have + n);
        let state = State {
            next: AtomicU64::new(have),
            end,
            inserted: AtomicU64::new(0),
            checks: Checks::default(),
        };
        Ok(Insert { target, config, state: Arc::new(state) })
    }
}

impl Workload for Insert {
    fn kinds(&self) -> &'static [&'static str] {
        &["insert", "market", "register", "pdc"]
    }

    fn user(&self, number: usize) -> Result<Box<dyn User>> {
        let (c, state) = (self.config.clone(), self.state.clone());
        let path = Path::open(&self.target, &c)?;
        if number < c.inserters {
            return Ok(Box::new(Inserting::new(path, c, state)));
        }
        Ok(Box::new(Asking::new(path, c, state, number)))
    }

    fn is_done(&self) -> bool {
        self.state.rows() >= self.state.end
    }
}

pub fn create(c: &Config, engine: &str) -> String {
    format!(
        "CREATE TABLE `{}`.`{}` (transactionid int NOT NULL AUTO_INCREMENT, dateandtime datetime, \
         cashregisterid int NOT NULL, customerid int NOT NULL, productid int NOT NULL, price float NOT NULL, \
         PRIMARY KEY (transactionid), KEY marketsegment (price, customerid), \
         KEY registersegment (cashregisterid, price, customerid), KEY pdc (price, dateandtime, customerid)) \
         ENGINE={engine}",
        c.schema, c.table
    )
}

/// Makes schema and table again with the first rows, inserted as a run inserts them.
pub fn prepare(
    target: &Target,
    c: &Config,
    engine: &str,
    threads: usize,
    stop: &AtomicBool,
    watch: impl FnMut(u64, u64, Duration),
) -> Result<u64> {
    make_anew(target, &c.schema, &c.table, &create(c, engine))?;
    let progress = Progress::new(c.start_rows, stop);
    let parts = c.start_rows.div_ceil(c.rows_per_commit) as usize;
    in_parallel(target, &c.schema, threads, parts, &progress, watch, |n, conn, p| {
        let from = n as u64 * c.rows_per_commit;
        let to = (from + c.rows_per_commit).min(c.start_rows);
        conn.query(&rows::batch(c, from..to))?;
        p.rows.fetch_add(to - from, Ordering::Relaxed);
        if stop.load(Ordering::Relaxed) {
            return Err(Error::other("stopped while loading; the data is incomplete"));
        }
        Ok(())
    })?;
    Ok(progress.rows.load(Ordering::Relaxed))
}

/// How many rows the table has, by its ids.
pub fn scale(conn: &mut Conn, c: &Config) -> Result<u64> {
    let table = format!("`{}`.`{}`", c.schema, c.table);
    let last = conn.query(&format!("SELECT MAX(transactionid) FROM {table}"));
    match last {
        Ok(r) if r.is_null(0, 0) => Ok(0),
        Ok(r) => Ok(r.int(0, 0)? as u64),
        Err(e) if matches!(e.errno(), 1046 | 1049 | 1146) => Err(Error::other(format!(
            "there is no table {table} ({e}); make it with `weir bench insert prepare --start-rows=N` and the same --target, \
             --schema and --table"
        ))),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn config() -> Config {
        Config {
            schema: "insertbench".into(),
            table: "purchases_index".into(),
            rows: Some(100),
            start_rows: 0,
            rows_per_commit: 10,
            rows_per_query: 10,
            inserters: 1,
            query_users: 0,
            pause: Duration::ZERO,
            checks: 0,
            check_every: Duration::ZERO,
            path: PathKind::Sql,
            seed: 1,
        }
    }

    #[test]
    fn numbers_of_rows_are_given_once_and_end() {
        let c = Config { start_rows: 40, rows: Some(25), ..config() };
        let target = Target::open("mysql://nobody@127.0.0.1:1", &[]).unwrap();
        let w = Insert::new(target, c).unwrap();
        let all: Vec<_> = std::iter::from_fn(|| w.state.take(10)).collect();
        assert_eq!(all, [40..50, 50..60, 60..65]);
        assert!(w.is_done() && w.state.take(10).is_none());
    }
}
