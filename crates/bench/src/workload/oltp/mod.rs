//! The OLTP test of sysbench 0.4.12: one table, transactions of point and range reads, updates, a delete and an insert.
//!
//! Invariants: the statements of a `complex` transaction are 14 reads, 5 writes and 2 others, as published results have
//! them; a conflict runs the whole transaction again within the same timing, and what the failed try executed stays counted.

pub mod random;

use super::load::{Field, Loader, Progress, in_parallel};
use super::{User, Workload};
use crate::error::{Error, Result};
use crate::measure::{Outcome, Recorder};
use crate::target::{Conn, Target, Value};
use Value::{Int, Text};
use random::Distribution;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use weir_rt::Rng;

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
    pub distribution: Distribution,
    pub range: u64,
    pub read_only: bool,
    pub skip_trx: bool,
    pub seed: u64,
}

const PAD: &str = "qqqqqqqqqqwwwwwwwwwweeeeeeeeeerrrrrrrrrrtttttttttt";
/// What a row that is put back has in `pad`.
const PAD_AGAIN: &str = "aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy";
/// Rows of one part of the load.
const PART: u64 = 50_000;

/// Makes schema and table anew and fills it.
pub fn prepare(
    target: &Target,
    c: &Config,
    engine: &str,
    threads: usize,
    stop: &AtomicBool,
    watch: impl FnMut(u64, u64, Duration),
) -> Result<u64> {
    let (schema, table) = (&c.schema, &c.table);
    let mut conn = target.connect_patient("")?;
    conn.query(&format!("CREATE DATABASE IF NOT EXISTS `{schema}`"))?;
    conn.query(&format!("DROP TABLE IF EXISTS `{schema}`.`{table}`"))?;
    conn.query(&format!(
        "CREATE TABLE `{schema}`.`{table}` (id int unsigned NOT NULL AUTO_INCREMENT, k int unsigned NOT NULL DEFAULT '0', \
         c char(120) NOT NULL DEFAULT '', pad char(60) NOT NULL DEFAULT '', PRIMARY KEY (id), KEY k (k)) ENGINE={engine}"
    ))?;
    drop(conn);
    let progress = Progress::new(c.rows, stop);
    let parts = c.rows.div_ceil(PART) as usize;
    let name = format!("`{table}`");
    in_parallel(target, schema, threads, parts, &progress, watch, |n, conn, p| {
        let from = n as u64 * PART + 1;
        let mut out = Loader::new(conn, &name, 4, p)?;
        for id in from..(from + PART).min(c.rows + 1) {
            let row = [
                Field::Int(id as i64),
                Field::Int(0),
                Field::Text(" ".into()),
                Field::Text(PAD.into()),
            ];
            out.row(row)?;
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
    pub fn new(target: Target, config: Config) -> Oltp {
        Oltp { target, config }
    }
}

impl Workload for Oltp {
    fn kinds(&self) -> &'static [&'static str] {
        &["transaction"]
    }

    fn user(&self, number: usize) -> Result<Box<dyn User>> {
        let c = &self.config;
        let mut conn = self.target.connect(&c.schema)?;
        let statements = Statements::prepare(&mut conn, c)?;
        let rng = Rng::new(c.seed.wrapping_mul(7919).wrapping_add(number as u64 + 1));
        Ok(Box::new(OltpUser {
            conn,
            statements,
            config: c.clone(),
            rng,
            counts: [0; 3],
            plan: Vec::new(),
        }))
    }
}

/// Prepared once for each user; those of other modes are not.
#[derive(Default)]
struct Statements {
    point: u32,
    range: u32,
    sum: u32,
    order: u32,
    distinct: u32,
    update_key: u32,
    update_nokey: u32,
    delete: u32,
    insert: u32,
}

impl Statements {
    fn prepare(conn: &mut Conn, c: &Config) -> Result<Statements> {
        let t = format!("`{}`", c.table);
        let mut s = Statements::default();
        let select = if c.mode == Mode::NonTrx(NonTrx::Select) { "pad" } else { "c" };
        s.point = conn.prepare(&format!("SELECT {select} FROM {t} WHERE id=?"))?;
        if c.mode == Mode::Simple {
            return Ok(s);
        }
        if c.mode == Mode::Complex {
            s.range = conn.prepare(&format!("SELECT c FROM {t} WHERE id BETWEEN ? AND ?"))?;
            s.sum = conn.prepare(&format!("SELECT SUM(k) FROM {t} WHERE id BETWEEN ? AND ?"))?;
            s.order =
                conn.prepare(&format!("SELECT c FROM {t} WHERE id BETWEEN ? AND ? ORDER BY c"))?;
            s.distinct = conn.prepare(&format!(
                "SELECT DISTINCT c FROM {t} WHERE id BETWEEN ? AND ? ORDER BY c"
            ))?;
        }
        s.update_key = conn.prepare(&format!("UPDATE {t} SET k=k+1 WHERE id=?"))?;
        s.update_nokey = conn.prepare(&format!("UPDATE {t} SET c=? WHERE id=?"))?;
        s.delete = conn.prepare(&format!("DELETE FROM {t} WHERE id=?"))?;
        s.insert = conn.prepare(&if c.mode == Mode::Complex {
            format!("INSERT INTO {t} VALUES (?,0,' ','{PAD_AGAIN}')")
        } else {
            format!("INSERT INTO {t} (k, c, pad) VALUES (?,' ','{PAD}')")
        })?;
        Ok(s)
    }
}

/// One statement of a transaction, drawn before it begins.
enum Step {
    One(u32, i64),
    Range(u32, i64),
    SetC(i64, String),
}

struct OltpUser {
    conn: Conn,
    statements: Statements,
    config: Config,
    rng: Rng,
    /// Reads, writes, others executed.
    counts: [u64; 3],
    /// The transaction at hand; the flag says that it writes.
    plan: Vec<(Step, bool)>,
}

impl OltpUser {
    fn id(&mut self) -> i64 {
        self.config.distribution.draw(&mut self.rng, self.config.rows) as i64
    }

    /// The start of a range; its end is clipped to the table.
    fn range_start(&mut self) -> i64 {
        let last = (self.config.rows as i64 - self.config.range as i64).max(1);
        self.id().min(last)
    }

    fn c_value(&mut self) -> String {
        let n: Vec<String> =
            (0..10).map(|_| (self.rng.next_u64() as u32 >> 1).to_string()).collect();
        n.join("-")
    }

    fn draw(&mut self) {
        let mut plan = std::mem::take(&mut self.plan);
        plan.clear();
        match self.config.mode {
            Mode::Simple => plan.push((Step::One(self.statements.point, self.id()), false)),
            Mode::NonTrx(kind) => plan.push(self.draw_single(kind)),
            Mode::Complex => self.draw_complex(&mut plan),
        }
        self.plan = plan;
    }

    fn draw_single(&mut self, kind: NonTrx) -> (Step, bool) {
        let id = self.id();
        let s = &self.statements;
        match kind {
            NonTrx::Select => (Step::One(s.point, id), false),
            NonTrx::UpdateKey => (Step::One(s.update_key, id), true),
            NonTrx::UpdateNoKey => (Step::SetC(id, self.c_value()), true),
            NonTrx::Delete => (Step::One(s.delete, id), true),
            // The key's value; the id comes from AUTO_INCREMENT.
            NonTrx::Insert => (Step::One(s.insert, id), true),
        }
    }

    fn draw_complex(&mut self, plan: &mut Vec<(Step, bool)>) {
        for _ in 0..10 {
            plan.push((Step::One(self.statements.point, self.id()), false));
        }
        let s = &self.statements;
        for statement in [s.range, s.sum, s.order, s.distinct] {
            plan.push((Step::Range(statement, self.range_start()), false));
        }
        if self.config.read_only {
            return;
        }
        plan.push((Step::One(self.statements.update_key, self.id()), true));
        let c = self.c_value();
        plan.push((Step::SetC(self.id(), c), true));
        let x = self.id();
        for statement in
            [self.statements.update_key, self.statements.delete, self.statements.insert]
        {
            plan.push((Step::One(statement, x), true));
        }
    }

    fn in_transaction(&self) -> bool {
        self.config.mode == Mode::Complex && !self.config.skip_trx
    }

    fn other(&mut self, sql: &str) -> Result<()> {
        self.counts[2] += 1;
        self.conn.query(sql)?;
        Ok(())
    }

    fn execute(&mut self) -> Result<()> {
        if self.in_transaction() {
            self.other("BEGIN")?;
        }
        let last = self.config.range as i64 - 1;
        for (step, writes) in &self.plan {
            self.counts[usize::from(*writes)] += 1;
            match step {
                Step::One(s, id) => self.conn.run(*s, &[Int(*id)])?,
                Step::Range(s, from) => self.conn.run(*s, &[Int(*from), Int(from + last)])?,
                Step::SetC(id, c) => {
                    self.conn.run(self.statements.update_nokey, &[Text(c), Int(*id)])?;
                }
            }
        }
        if self.in_transaction() {
            self.other("COMMIT")?;
        }
        Ok(())
    }
}

impl User for OltpUser {
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
        self.draw();
        rec.begin(due);
        loop {
            match self.execute() {
                Ok(()) => break,
                // 1062: between the DELETE and the INSERT of an id another transaction put it back.
                Err(e) if e.is_conflict() || e.errno() == 1062 => {
                    rec.end(0, Outcome::Retried);
                    self.conn.query("ROLLBACK")?;
                }
                Err(e) => return Err(e),
            }
        }
        rec.end(0, Outcome::Done);
        let [read, write, other] = std::mem::take(&mut self.counts);
        rec.classes(read, write, other);
        rec.statements(std::mem::take(&mut self.conn.statements));
        Ok(())
    }
}
