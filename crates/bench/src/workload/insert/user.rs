//! The two kinds of sessions: one inserts, one asks.

use super::engine_path::EnginePath;
use super::rows::{self, From, QUERIES, Query};
use super::{Config, State};
use crate::error::Result;
use crate::measure::{Outcome, Recorder};
use crate::target::{Conn, Target};
use crate::workload::User;
use crate::workload::calls::PathKind;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_rt::Rng;

/// How a session does what it does.
pub enum Path {
    Sql(Conn),
    Engine(Box<EnginePath>),
}

impl Path {
    pub fn open(target: &Target, c: &Config) -> Result<Path> {
        Ok(match (target, c.path) {
            (Target::Embedded(e), PathKind::Engine) => {
                Path::Engine(Box::new(EnginePath::open(e, c)?))
            }
            _ => Path::Sql(target.connect(&c.schema)?),
        })
    }

    fn take_statements(&mut self) -> u64 {
        match self {
            Path::Sql(conn) => std::mem::take(&mut conn.statements),
            Path::Engine(e) => e.take_calls(),
        }
    }
}

/// A batch that is ready to be sent.
enum Batch {
    Text(String),
    Numbers(Range<u64>),
}

/// Inserts batches. Numbers of a batch whose connection was lost are not given again.
pub struct Inserting {
    path: Path,
    config: Config,
    state: Arc<State>,
}

impl Inserting {
    pub fn new(path: Path, config: Config, state: Arc<State>) -> Inserting {
        Inserting { path, config, state }
    }

    fn insert(&mut self, batch: &Batch) -> Result<()> {
        match (&mut self.path, batch) {
            (Path::Sql(conn), Batch::Text(sql)) => conn.query(sql).map(drop),
            (Path::Engine(e), Batch::Numbers(numbers)) => e.insert(&self.config, numbers.clone()),
            _ => unreachable!("a batch is made for its path"),
        }
    }
}

impl Inserting {
    /// Rows that nobody times. False: they met a conflict, and it is not to go on.
    pub fn insert_rows(&mut self, numbers: Range<u64>, go_on: impl Fn() -> bool) -> Result<bool> {
        let batch = self.batch(numbers);
        while let Err(e) = self.insert(&batch) {
            if !e.is_conflict() {
                return Err(e);
            }
            if !go_on() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn batch(&self, numbers: Range<u64>) -> Batch {
        match self.path {
            Path::Sql(_) => Batch::Text(rows::batch(&self.config, numbers)),
            Path::Engine(_) => Batch::Numbers(numbers),
        }
    }
}

impl User for Inserting {
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
        let Some(numbers) = self.state.take(self.config.rows_per_commit) else { return Ok(()) };
        // The text is the client's work: the batch counts as due later by the time that it takes.
        let started = Instant::now();
        let batch = self.batch(numbers.clone());
        rec.begin(due + started.elapsed());
        loop {
            match self.insert(&batch) {
                Ok(()) => break,
                Err(e) if e.is_conflict() => rec.end(0, Outcome::Retried),
                Err(e) => return Err(e),
            }
        }
        rec.end(0, Outcome::Done);
        self.state.inserted(numbers.end - numbers.start);
        rec.statements(self.path.take_statements());
        Ok(())
    }
}

pub struct Asking {
    path: Path,
    config: Config,
    state: Arc<State>,
    rng: Rng,
    query: Query,
    /// When the next answer is to be computed a second way.
    check_at: Option<Instant>,
}

impl Asking {
    pub fn new(path: Path, config: Config, state: Arc<State>, number: usize) -> Asking {
        let rng = Rng::new(config.seed.wrapping_mul(7919).wrapping_add(number as u64 + 1));
        // Each session has its index, as published.
        let place = number - config.inserters;
        let query = QUERIES[place % QUERIES.len()];
        // The second way reads the whole table. The sessions take turns at it: all at once would stop the queries for as long as it
        // takes, and give the inserters a rest that is nobody's merit.
        let every = config.check_every;
        let first = every * place as u32 / config.query_users.max(1) as u32;
        let check_at = (!every.is_zero()).then(|| Instant::now() + first);
        Asking { path, config, state, rng, query, check_at }
    }

    fn ask(&mut self, from: From, sql: &str) -> Result<()> {
        match &mut self.path {
            Path::Sql(conn) => conn.query(sql).map(drop),
            Path::Engine(e) => e.ask(&self.config, self.query, from).map(drop),
        }
    }

    /// An answer both ways, in a table of so many rows.
    pub fn check_one(&mut self, rows: u64) -> Result<()> {
        let from = self.query.draw(&mut self.rng, rows);
        self.check(from)
    }

    fn check(&mut self, from: From) -> Result<()> {
        let checks = &self.state.checks;
        match &mut self.path {
            Path::Sql(conn) => {
                checks.both_ways(conn, &self.config, self.query, &self.query.condition(from))
            }
            Path::Engine(e) => e.both_ways(checks, &self.config, self.query, from),
        }
    }
}

impl User for Asking {
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
        let from = self.query.draw(&mut self.rng, self.state.rows());
        let sql = match self.path {
            Path::Sql(_) => self.query.text(&self.config, &self.query.condition(from)),
            Path::Engine(_) => String::new(),
        };
        rec.begin(due);
        self.ask(from, &sql)?;
        rec.end(1 + self.query as usize, Outcome::Done);
        rec.statements(self.path.take_statements());
        if let Some(at) = self.check_at.filter(|at| Instant::now() >= *at) {
            self.check(from)?;
            self.path.take_statements();
            let periods = at.elapsed().as_nanos() / self.config.check_every.as_nanos() + 1;
            self.check_at = Some(at + self.config.check_every * periods as u32);
        }
        Ok(())
    }

    fn pause(&mut self) -> Duration {
        self.config.pause
    }
}
