//! The server: listeners, logins, connections, log.
//!
//! Speaks `weir-wire` to clients and drives `weir-sql` sessions. A connection that is served has a
//! thread for itself (`workers`), which blocks on the socket; one that has been idle for a moment
//! gives thread and buffers back and is watched with all others (`parking`). Under it is a
//! `transport`: a socket, or TLS over one (`tls` has the certificates). Cryptography lives
//! here and nowhere else.
//!
//! Invariants: nothing of SQL is executed before the login is done; anyone who owns a connection is
//! the only one that reads or writes its transport (others may only shut it down); every connection
//! that was counted in is counted out, however its thread ends.
#![forbid(unsafe_code)]

mod alarm;
mod audit;
mod auth;
pub mod backup;
pub mod boot;
mod compression;
mod conn;
pub mod crash;
pub mod crypto;
mod cursor;
mod deferred_ack;
mod dispatch;
pub mod embedded;
mod events;
mod http;
pub mod initialize;
mod listener;
pub mod log;
mod moment;
mod notify;
mod parking;
mod place;
pub mod planted;
mod process;
mod queue;
mod registry;
mod replicas;
pub mod simulated;
mod sink;
mod slow_rates;
mod spare;
mod stage;
mod statement_log;
pub mod tls;
mod transport;
mod workers;

pub use weir_boot::{budget, options};
