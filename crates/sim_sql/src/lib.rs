//! The simulator's second storey: sessions of `weir-sql` in one thread and in virtual time, from one seed.
//!
//! `weir-sim` plays the engine and knows no SQL; this crate plays what stands on it: statements of all kinds, definition
//! statements beside queries and prepared statements, KILL, clients that vanish, long lines of waiters, little memory, few
//! descriptors, full disks, files that are damaged from outside, crashes. Uses `weir-rt`, `weir-disk`, `weir-engine`,
//! `weir-sql`, and `weir-sim` for faults, reports and the shrinker; no clock, file, thread or random source of the machine.
//!
//! - `scenario`: what a seed draws.
//! - `answer`: the strict reader of what a session sends.
//! - `model`: what must be true of definitions, rights, sums and rows.
//! - `client`: statements, each judged as soon as it has answered.
//! - `files`: what LOAD DATA reads; `setup`: tables and accounts of a new world; `found`: the comparison after a start.
//! - `life`: a start of the engine up to its end; `run`: lives in a row.
//! - `storey`: what the command line needs.

#![forbid(unsafe_code)]
// A life holds sessions, which hold statements, which hold the engine's operations: the compiler asks of each in turn whether it may move
// between threads.
#![recursion_limit = "256"]

mod answer;
mod client;
mod files;
mod found;
mod life;
mod model;
mod run;
mod scenario;
mod setup;
mod storey;

pub use run::run;
pub use scenario::Scenario;
pub use storey::SqlStorey;

/// The bugs on purpose that stand in `weir-sql`; the engine's are in `weir_sim::planted`.
#[cfg(feature = "planted")]
pub use weir_sql::planted;
