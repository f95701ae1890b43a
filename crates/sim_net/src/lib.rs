//! The simulator's third storey: the whole server behind a simulated network, in virtual time, from one seed.
//!
//! `weir-sim` plays the engine and `weir-sim-sql` sessions over it; this crate plays what stands on both: connections as the server has
//! them, from the greeting to the end of the stream, with logins, parked connections, answers that the log's writer sends, KILL, timeouts.
//! Clients speak the protocol strictly over a network that delays, splits, fills and cuts; they send several commands at once, take their
//! answers slowly, vanish, and talk nonsense. Uses `weir-rt`, `weir-disk`, `weir-engine`, `weir-sql`, `weir-server` with the codecs
//! of the protocol, and `weir-sim` for reports and the shrinker; no clock, file, socket or random source of the machine.
//!
//! - `scenario`: what a seed draws.
//! - `network`: two ends and what passes between them.
//! - `protocol`: packets and answers, read strictly; `connection`: one client's end, from its login on.
//! - `client`: what clients do, each answer judged at once; `model`: what must be true.
//! - `life`: a start of engine and server up to their end; `run`: lives in a row; `storey`: what the command line needs.

#![forbid(unsafe_code)]

mod client;
mod connection;
mod life;
mod model;
mod network;
mod protocol;
mod run;
mod scenario;
mod storey;

pub use run::run;
pub use scenario::Scenario;
pub use storey::NetStorey;

/// The bugs on purpose that stand in the server; those of the floors below are in `weir_sim::planted` and `weir_sql::planted`.
#[cfg(feature = "planted")]
pub use weir_server::planted;
