//! What must be true of the world that the sessions work on. Knows no session and no statement's text.
//!
//! - `timeline`: definitions and rights, each changed by one client, one statement at a time.
//! - `registers`: rows that many transactions write; what each isolation level may see of them.
//! - `kept`: rows that have one writer each; `branches`: distributed transactions, over crashes.
//! - *Sums.* Transfers between accounts keep their total, no matter who reads it with a snapshot or with locks.
//! - *Own rows.* A client reads what it wrote last; after a crash the row is the last acknowledged one or one that was on
//!   its way.
//! - *Counters.* A counter is at least what was acknowledged before it was read, at most what had been asked for by then.

mod branches;
mod kept;
mod registers;
mod timeline;

pub use branches::{Branch, OpenBranch, Phase};
pub use kept::{Change, Kept, difference, put};
pub use registers::{Level, Open, Registers};
pub use timeline::Timeline;

use std::collections::{BTreeMap, BTreeSet};
use weir_sim::Failure;

pub type Columns = Vec<String>;
/// Names of what the user with few rights has been granted.
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

/// An event that inserts its number once.
#[derive(Clone, Copy, Debug)]
pub struct OneEvent {
    /// The earliest moment of its run, microseconds since 1970 UTC.
    pub at: i64,
    /// Its definition stays when it has run.
    pub preserved: bool,
    /// DROP EVENT has found a definition that does not outlive the run, so it never runs.
    pub dropped: bool,
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
    /// The numbers that definitions of each kind say (`client::versions`); `None`: there is no such object.
    pub versions: Vec<Timeline<Option<i64>>>,
    /// The branches of each client.
    pub branches: Vec<Branch>,
    /// Rows of the partitioned table, and of the one that files are loaded into.
    pub parted: Kept,
    pub loaded: Kept,
    /// Events by the numbers that they insert.
    pub events: BTreeMap<i64, OneEvent>,
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

    /// What events have inserted by `now`: numbers, each with how often it is there.
    pub fn fired(&self, rows: &[Vec<String>], now: i64) -> Result<(), String> {
        for r in rows {
            let known =
                r.first().and_then(|id| id.parse().ok()).and_then(|id: i64| self.events.get(&id));
            let once = r.get(1).is_some_and(|n| n == "1");
            match known {
                Some(e) if once && !e.dropped && e.at <= now => {}
                other => {
                    return Err(format!("an event has run: {r:?} at {now}, known is {other:?}"));
                }
            }
        }
        Ok(())
    }

    /// A moment: all that happens between two of them is between the two.
    pub fn step(&mut self) -> u64 {
        self.step += 1;
        self.step
    }
}
