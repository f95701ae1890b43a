//! What is run: the TPC-C order entry workload, the OLTP test of sysbench 0.4.12, the insert benchmark.
//!
//! A workload makes users; a user is one connection that runs one transaction after the other and records each. May use
//! `target` and `measure`; knows nothing of reports.
//!
//! Invariants: a transaction is retried only after a conflict (deadlock, lock wait); every other error ends the run or,
//! when the connection is gone, the user's turn. What a user draws depends on the seed and its number only.

pub mod calls;
pub mod insert;
pub mod load;
pub mod oltp;
pub mod tpcc;

use crate::error::Result;
use crate::measure::Recorder;
use std::time::{Duration, Instant};

pub trait Workload: Send + Sync {
    /// Names of the kinds of transactions.
    fn kinds(&self) -> &'static [&'static str];
    /// A user at work; again after its connection was lost.
    fn user(&self, number: usize) -> Result<Box<dyn User>>;
    /// All that was to be done is done: the run ends.
    fn is_done(&self) -> bool {
        false
    }
    /// Attempts are timed on their own.
    fn restarts_timing(&self) -> bool {
        false
    }
}

pub trait User: Send {
    /// One transaction that was due at `due`, until it is done; recorded.
    fn step(&mut self, rec: &mut Recorder, due: Instant) -> Result<()>;
    /// How long the user waits before its next transaction.
    fn pause(&mut self) -> Duration {
        Duration::ZERO
    }
}
