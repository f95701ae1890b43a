//! The server: listeners, logins, sessions, options, log.
//!
//! Speaks `weir-wire` to clients and drives `weir-sql` sessions, one thread for a connection. What
//! stands between the two is [`session::Instance`] and [`session::SessionLike`]: the tests run the
//! whole server over a session of canned answers. Cryptography lives here and nowhere else.
//!
//! Invariants: nothing of SQL is executed before the login is done; a connection's thread is the
//! only one that reads or writes its socket (others may only shut it down); every connection that
//! was counted in is counted out, however its thread ends; buffers of an idle connection are given
//! back.

pub mod auth;
pub mod boot;
pub mod conn;
pub mod crypto;
pub mod dispatch;
pub mod listener;
pub mod log;
pub mod options;
pub mod registry;
pub mod session;
pub mod sink;
pub mod statement;
