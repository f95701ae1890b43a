//! The order entry workload of TPC-C (revision 5.11): nine tables, five transactions.
//!
//! `input` draws what a terminal asks, `sql` and `engine_path` are two ways to do it, `check` are the twelve consistency
//! conditions. This is TPC-C's workload, not an audited TPC-C: users have no terminals and by default do not think.
//!
//! Styles: `standard` keeps to the clauses; `tpcc-mysql` and `dbt2` have the statements, mix and figures of those programs, so
//! that their published results can be compared. In all of them money is booked as the clauses say (tpcc-mysql's own
//! Payment books less), because otherwise the consistency conditions could not be checked.
//!
//! Invariants: both paths leave the same rows behind for the same inputs; the 1 % of New-Orders with a bad item roll back and
//! count as done.

pub mod check;
pub mod deck;
mod engine_path;
pub mod input;
pub mod load;
pub mod random;
pub mod schema;
mod sql;

pub use engine_path::Transactions;
use sql::payment_data as sql_payment_data;

use super::calls::PathKind;
use super::{User, Workload};
use crate::error::{Error, Result};
use crate::measure::{Outcome, Recorder};
use crate::target::Target;
use deck::Deck;
use engine_path::EnginePath;
use input::{Input, KEYING, Kind, NAMES, THINKING};
use random::Random;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Standard,
    TpccMysql,
    Dbt2,
}

impl Style {
    pub fn parse(t: &str) -> Result<Style> {
        match t {
            "standard" => Ok(Style::Standard),
            "tpcc-mysql" => Ok(Style::TpccMysql),
            "dbt2" => Ok(Style::Dbt2),
            _ => Err(Error::other(format!("--style={t}: standard, tpcc-mysql or dbt2"))),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Style::Standard => "standard",
            Style::TpccMysql => "tpcc-mysql",
            Style::Dbt2 => "dbt2",
        }
    }

    /// What New-Orders per minute are called.
    pub fn metric(self) -> &'static str {
        if self == Style::Dbt2 { "NOTPM" } else { "TpmC" }
    }
}

#[derive(Clone, Debug)]
pub struct Config {
    pub schema: String,
    pub warehouses: i64,
    /// The tables are made with the indexes of the foreign keys.
    pub foreign: bool,
    pub style: Style,
    pub path: PathKind,
    /// The transactions are stored procedures (style `dbt2`).
    pub procedures: bool,
    /// Each user keeps its warehouse; else every transaction draws one.
    pub fixed_home: bool,
    /// Factors on the standard's keying and think times; 0: none.
    pub keying: f64,
    pub thinking: f64,
    pub seed: u64,
}

/// One way to do the transactions.
pub trait Path: Send {
    /// False: rolled back because of an unknown item.
    fn run(&mut self, input: &Input) -> Result<bool>;
    /// After an error: nothing of the transaction stays.
    fn undo(&mut self) -> Result<()>;
    /// Statements (or calls of the engine) since the last question.
    fn take_statements(&mut self) -> u64;
}

pub struct Tpcc {
    target: Target,
    config: Config,
    deck: Arc<Deck>,
}

impl Tpcc {
    pub fn new(target: Target, config: Config) -> Result<Tpcc> {
        config.path.check(&target)?;
        if config.procedures {
            sql::procedures::create(&mut target.connect(&config.schema)?)?;
        }
        let deck = Arc::new(Deck::new(config.seed));
        Ok(Tpcc { target, config, deck })
    }
}

impl Workload for Tpcc {
    fn kinds(&self) -> &'static [&'static str] {
        NAMES
    }

    fn restarts_timing(&self) -> bool {
        self.config.style == Style::TpccMysql
    }

    fn user(&self, number: usize) -> Result<Box<dyn User>> {
        let c = &self.config;
        let path: Box<dyn Path> = match (&self.target, c.path) {
            (Target::Embedded(e), PathKind::Engine) => Box::new(EnginePath::open(e, &c.schema)?),
            (t, _) if c.procedures => {
                Box::new(sql::procedures::Procedures::open(t.connect(&c.schema)?)?)
            }
            (t, _) => Box::new(sql::SqlPath::open(t.connect(&c.schema)?, c.style)?),
        };
        let mut random = Random::new(c.seed.wrapping_mul(7919).wrapping_add(number as u64 + 1));
        let home = number as i64 % c.warehouses + 1;
        let next = self.draw(&mut random);
        Ok(Box::new(TpccUser {
            path,
            config: c.clone(),
            deck: self.deck.clone(),
            random,
            home,
            next,
            last: None,
        }))
    }
}

impl Tpcc {
    fn draw(&self, r: &mut Random) -> Kind {
        draw(&self.config, &self.deck, r)
    }
}

fn draw(c: &Config, deck: &Deck, r: &mut Random) -> Kind {
    if c.style == Style::Dbt2 { deck::draw_independently(r.int(1, 100)) } else { deck.draw() }
}

/// Attempts at one transaction, as tpcc-mysql has it.
const ATTEMPTS: usize = 2000;

struct TpccUser {
    path: Box<dyn Path>,
    config: Config,
    deck: Arc<Deck>,
    random: Random,
    home: i64,
    next: Kind,
    last: Option<Kind>,
}

impl User for TpccUser {
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()> {
        let kind = self.next;
        let c = &self.config;
        let w = if c.fixed_home { self.home } else { self.random.int(1, c.warehouses) };
        let sorted = c.style != Style::Dbt2;
        let input = input::draw(kind, &mut self.random, w, c.warehouses, sorted);
        rec.begin(due);
        let mut outcome = Outcome::Failed;
        for _ in 0..ATTEMPTS {
            match self.path.run(&input) {
                Ok(true) => outcome = Outcome::Done,
                Ok(false) => outcome = Outcome::RolledBack,
                Err(e) if e.is_conflict() => {
                    self.path.undo()?;
                    rec.end(kind as usize, Outcome::Retried);
                    continue;
                }
                Err(e) => {
                    // The first error is the one to tell.
                    let _ = self.path.undo();
                    return Err(e.at(NAMES[kind as usize]));
                }
            }
            break;
        }
        rec.end(kind as usize, outcome);
        rec.statements(self.path.take_statements());
        self.last = Some(kind);
        self.next = draw(&self.config, &self.deck, &mut self.random);
        Ok(())
    }

    fn pause(&mut self) -> Duration {
        let c = &self.config;
        if c.thinking == 0.0 && c.keying == 0.0 {
            return Duration::ZERO;
        }
        let think = self.last.map_or(0.0, |k| THINKING[k as usize]) * c.thinking;
        let think = if think > 0.0 { self.random.exponential(think) } else { 0.0 };
        Duration::from_secs_f64(think + KEYING[self.next as usize] * c.keying)
    }
}
