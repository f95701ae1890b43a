//! What must be true, whatever clients and network do.

use crate::protocol::Answer;
use std::collections::BTreeMap;
use weir_rt::Nanos;
use weir_sim::Failure;

/// A row with one writer.
#[derive(Clone, Debug, Default)]
pub struct Own {
    pub acknowledged: i64,
    /// Values whose answers were lost: the row may have one of them.
    pub maybe: Vec<i64>,
}

impl Own {
    pub fn may_be(&self, value: i64) -> bool {
        value == self.acknowledged || self.maybe.contains(&value)
    }
}

#[derive(Default)]
pub struct World {
    pub own: Vec<Own>,
    /// Additions to the row that all add to: acknowledged, and begun.
    pub counter: (i64, i64),
    /// Connections that somebody has killed, each with the moment, and how many that were.
    pub killed: BTreeMap<u64, Nanos>,
    pub kills: u64,
    /// The last value that a client has written.
    pub value: i64,
    pub statements: u64,
    pub commits: u64,
    pub rollbacks: u64,
    /// What happened, for the report.
    pub happened: Vec<(&'static str, u64)>,
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

    pub fn count(&mut self, what: &'static str) {
        match self.happened.iter_mut().find(|h| h.0 == what) {
            Some(h) => h.1 += 1,
            None => self.happened.push((what, 1)),
        }
    }

    /// A value that nobody has written.
    pub fn new_value(&mut self) -> i64 {
        self.value += 1;
        self.value
    }

    pub fn note(&self, now: Nanos, id: u64, sql: &str, answer: &Answer) {
        if self.trace {
            let heard = match &answer.error {
                Some((errno, text)) => format!("{errno} {text}"),
                None => format!("{} rows, {} affected", answer.rows.len(), answer.affected),
            };
            eprintln!("    {} {id}: {} -> {heard}", now / 1000, &sql[..sql.len().min(120)]);
        }
    }
}
