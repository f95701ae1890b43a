//! What must be true of the world that the sessions work on. Knows no session and no statement's text.
//!
//! - `timeline`: definitions and rights, each changed by one client, one statement at a time.
//! - `registers`: rows that many transactions write; what each isolation level may see of them.
//! - *Sums.* Transfers between accounts keep their total, whoever reads it with a snapshot or with locks.
//! - *Own rows.* A client reads what it wrote last; after a crash the row is the last acknowledged one or one that was on
//!   its way.
//! - *Counters.* A counter is at least what was acknowledged before it was read, at most what had been asked for by then.

mod registers;
mod timeline;

pub use registers::{Level, Open, Registers};
pub use timeline::Timeline;

use std::collections::BTreeSet;
use weir_sim::Failure;

pub type Columns = Vec<String>;
/// Names of privileges on one schema.
pub type Rights = BTreeSet<&'static str>;

/// A client's own row.
#[derive(Clone, Default)]
pub struct Own {
    pub acknowledged: i64,
    /// Values that were on their way when nobody answered any more.
    pub maybe: Vec<i64>,
}

/// A row that everybody adds one to.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counter {
    pub acknowledged: i64,
    /// Additions that were begun and have not failed.
    pub begun: i64,
}

/// The world, beside the engine.
#[derive(Default)]
pub struct World {
    step: u64,
    /// Definitions of the tables that change; `None`: there is no table.
    pub tables: Vec<Timeline<Option<Columns>>>,
    pub rights: Timeline<Rights>,
    pub own: Vec<Own>,
    pub counters: Vec<Counter>,
    pub registers: Registers,
    pub statements: u64,
    pub errors: u64,
    pub commits: u64,
    pub rollbacks: u64,
    pub trace: bool,
    failure: Option<Failure>,
}

impl World {
    /// The first failure is the one that counts.
    pub fn fail(&mut self, checker: &'static str, what: String) {
        if self.trace {
            eprintln!("    {checker}: {what}");
        }
        self.failure.get_or_insert(Failure { checker, what });
    }

    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// A moment: all that happens between two of them is between the two.
    pub fn step(&mut self) -> u64 {
        self.step += 1;
        self.step
    }
}
