//! The two kinds of sessions: one inserts, one asks.

use super::rows::{self, QUERIES, Query};
use super::{Config, State};
use crate::error::Result;
use crate::measure::{Outcome, Recorder};
use crate::target::Conn;
use crate::workload::User;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_rt::Rng;

/// Inserts batches. Numbers of a batch whose connection was lost are not given again.
pub struct Inserting {
    conn: Conn,
    config: Config,
    state: Arc<State>,
}

impl Inserting {
    pub fn new(conn: Conn, config: Config, state: Arc<State>) -> Inserting {
        Inserting { conn, config, state }
    }
}

impl User for Inserting {
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
        let Some(numbers) = self.state.take(self.config.rows_per_commit) else { return Ok(()) };
        // The text is the client's work: the batch counts as due later by the time that it takes.
        let started = Instant::now();
        let sql = rows::batch(&self.config, numbers.clone());
        rec.begin(due + started.elapsed());
        loop {
            match self.conn.query(&sql) {
                Ok(_) => break,
                Err(e) if e.is_conflict() => rec.end(0, Outcome::Retried),
                Err(e) => return Err(e),
            }
        }
        rec.end(0, Outcome::Done);
        self.state.inserted(numbers.end - numbers.start);
        rec.statements(std::mem::take(&mut self.conn.statements));
        Ok(())
    }
}

pub struct Asking {
    conn: Conn,
    config: Config,
    state: Arc<State>,
    rng: Rng,
    query: Query,
    checked: Option<Instant>,
}

impl Asking {
    pub fn new(conn: Conn, config: Config, state: Arc<State>, number: usize) -> Asking {
        let rng = Rng::new(config.seed.wrapping_mul(7919).wrapping_add(number as u64 + 1));
        // Each session has its index, as published.
        let query = QUERIES[(number - config.inserters) % QUERIES.len()];
        Asking { conn, config, state, rng, query, checked: None }
    }

    fn is_time_to_check(&self) -> bool {
        let every = self.config.check_every;
        !every.is_zero() && self.checked.is_none_or(|t| t.elapsed() >= every)
    }
}

impl User for Asking {
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
        let condition = self.query.condition(&mut self.rng, self.state.rows());
        let sql = self.query.text(&self.config, &condition);
        rec.begin(due);
        self.conn.query(&sql)?;
        rec.end(1 + self.query as usize, Outcome::Done);
        rec.statements(std::mem::take(&mut self.conn.statements));
        if self.is_time_to_check() {
            let checks = &self.state.checks;
            checks.both_ways(&mut self.conn, &self.config, self.query, &condition)?;
            self.conn.statements = 0;
            self.checked = Some(Instant::now());
        }
        Ok(())
    }

    fn pause(&mut self) -> Duration {
        self.config.pause
    }
}
