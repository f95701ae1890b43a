//! The server: listeners, logins, connections, options, log.
//!
//! Speaks `weir-wire` to clients and drives `weir-sql` sessions, one thread for a connection. Cryptography lives here and
//! nowhere else.
//!
//! Invariants: nothing of SQL is executed before the login is done; a connection's thread is the
//! only one that reads or writes its socket (others may only shut it down); every connection that
//! was counted in is counted out, however its thread ends; buffers of an idle connection are given
//! back.

mod auth;
pub mod boot;
mod conn;
pub mod crypto;
mod dispatch;
mod listener;
pub mod log;
pub mod options;
mod registry;
mod sink;
