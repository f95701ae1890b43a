//! The OLTP test of sysbench 0.4.12: one table, transactions of point and range reads, updates, a delete and an insert.
//!
//! `user` draws transactions, `sql` and `engine_path` are two ways to do them.
//!
//! Invariants: the statements of a `complex` transaction are 14 reads, 5 writes and 2 others, as published results have
//! them; a conflict runs the whole transaction again within the same timing, and what the failed try executed stays counted.
//! Both paths leave the same rows behind for the same transactions.

mod engine_path;
pub mod random;
mod sql;
mod user;

pub use engine_path::Transactions;
pub use user::Draws;

use super::calls::PathKind;
use super::load::{Field, Loader, Progress, in_parallel, make_anew};
use super::{User, Workload};
use crate::error::{Error, Result};
use crate::target::{Conn, Target};
use engine_path::EnginePath;
use random::Distribution;
use sql::SqlPath;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use user::{OltpUser, Step};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Simple,
    Complex,
    NonTrx(NonTrx),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonTrx {
    Select,
    UpdateKey,
    UpdateNoKey,
    Insert,
    Delete,
}

impl Mode {
    pub fn parse(mode: &str, nontrx: &str) -> Result<Mode> {
        Ok(match (mode, nontrx) {
            ("simple", _) => Mode::Simple,
            ("complex", _) => Mode::Complex,
            ("nontrx", "select") => Mode::NonTrx(NonTrx::Select),
            ("nontrx", "update_key") => Mode::NonTrx(NonTrx::UpdateKey),
            ("nontrx", "update_nokey") => Mode::NonTrx(NonTrx::UpdateNoKey),
            ("nontrx", "insert") => Mode::NonTrx(NonTrx::Insert),
            ("nontrx", "delete") => Mode::NonTrx(NonTrx::Delete),
            ("nontrx", other) => {
                return Err(Error::other(format!(
                    "--nontrx-mode={other}: select, update_key, update_nokey, insert or delete"
                )));
            }
            (other, _) => {
                return Err(Error::other(format!("--mode={other}: simple, complex or nontrx")));
            }
        })
    }

    /// sysbench's words for it.
    pub fn describe(self) -> &'static str {
        match self {
            Mode::Simple => "Running simple OLTP test",
            Mode::Complex => "Running mixed OLTP test",
            Mode::NonTrx(_) => "Running non-transactional test",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Config {
    pub schema: String,
    pub table: String,
    pub rows: u64,
    pub mode: Mode,
    pub path: PathKind,
    pub distribution: Distribution,
    pub range: u64,
    pub read_only: bool,
    pub skip_trx: bool,
    pub seed: u64,
}

impl Config {
    /// A user's statements make transactions; else each is one.
    fn in_transaction(&self) -> bool {
        self.mode == Mode::Complex && !self.skip_trx
    }
}

const PAD: &str = "qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt";
/// What a row that is put back has in `pad`.
const PAD_AGAIN: &str = "aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy";
/// Rows of one part of the load.
const PART: u64 = 50_000;

/// The collation is named, for servers have different defaults; all know this one.
pub fn create(schema: &str, table: &str, engine: &str) -> String {
    format!(
        "CREATE TABLE `{schema}`.`{table}` (id int unsigned NOT NULL AUTO_INCREMENT, k int unsigned NOT NULL DEFAULT '0', \
         c char(120) NOT NULL DEFAULT '', pad char(60) NOT NULL DEFAULT '', PRIMARY KEY (id), KEY k (k)) ENGINE={engine} \
         DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"
    )
}

/// A row as it is loaded.
pub fn first_row(id: u64) -> [Field; 4] {
    [Field::Int(id as i64), Field::Int(0), Field::Text(" ".into()), Field::Text(PAD.into())]
}

/// Makes schema and table again and fills it.
pub fn prepare(
    target: &Target,
    c: &Config,
    engine: &str,
    threads: usize,
    stop: &AtomicBool,
    watch: impl FnMut(u64, u64, Duration),
) -> Result<u64> {
    let (schema, table) = (&c.schema, &c.table);
    make_anew(target, schema, table, &create(schema, table, engine))?;
    let progress = Progress::new(c.rows, stop);
    let parts = c.rows.div_ceil(PART) as usize;
    let name = format!("`{table}`");
    in_parallel(target, schema, threads, parts, &progress, watch, |n, conn, p| {
        let from = n as u64 * PART + 1;
        let mut out = Loader::new(conn, &name, 4, p)?;
        for id in from..(from + PART).min(c.rows + 1) {
            out.row(first_row(id))?;
        }
        out.finish()
    })?;
    Ok(progress.rows.load(Ordering::Relaxed))
}

/// How many rows the table has, by its ids.
pub fn scale(conn: &mut Conn, c: &Config) -> Result<u64> {
    let prepare = "prepare it with `weir bench oltp prepare --table-size N` and the same --target, --schema and --table";
    let rows = match conn.query(&format!("SELECT MAX(id) FROM `{}`.`{}`", c.schema, c.table)) {
        Ok(r) if r.is_null(0, 0) => 0,
        Ok(r) => r.int(0, 0)? as u64,
        Err(e) if matches!(e.errno(), 1046 | 1049 | 1146) => {
            return Err(Error::other(format!(
                "there is no table '{}.{}' ({e}); {prepare}",
                c.schema, c.table
            )));
        }
        Err(e) => return Err(e),
    };
    if rows == 0 {
        return Err(Error::other(format!("table '{}.{}' is empty; {prepare}", c.schema, c.table)));
    }
    if rows < c.rows {
        return Err(Error::other(format!(
            "table '{}.{}' has ids up to {rows}, --table-size={} was asked for; leave the option out, or {prepare}",
            c.schema, c.table, c.rows
        )));
    }
    Ok(rows)
}

pub struct Oltp {
    target: Target,
    config: Config,
}

impl Oltp {
    pub fn new(target: Target, config: Config) -> Result<Oltp> {
        config.path.check(&target)?;
        Ok(Oltp { target, config })
    }
}

/// A way to do a user's transactions.
trait Path: Send {
    /// BEGIN, the steps, COMMIT, or each step by itself; counts reads, writes and others as they are executed.
    fn run(&mut self, steps: &[Step], counts: &mut [u64; 3]) -> Result<()>;
    /// After an error of `run`.
    fn undo(&mut self) -> Result<()>;
    fn take_statements(&mut self) -> u64;
}

impl Workload for Oltp {
    fn kinds(&self) -> &'static [&'static str] {
        &["transaction"]
    }

    fn user(&self, number: usize) -> Result<Box<dyn User>> {
        let c = &self.config;
        let path: Box<dyn Path> = match (&self.target, c.path) {
            (Target::Embedded(e), PathKind::Engine) => Box::new(EnginePath::open(e, c)?),
            (t, _) => Box::new(SqlPath::open(t.connect(&c.schema)?, c)?),
        };
        Ok(Box::new(OltpUser::new(path, c.clone(), number)))
    }
}
