//! Weir's SQL: tree to answer. Binder, planner, executor, sessions, and the
//! definition and listing statements around them. Knows no sockets: see [`session_api`].
#![forbid(unsafe_code)]
// Futures of statements hold those of the engine, which hold those of its parts: whether they may go to another thread is asked
// through more levels than the compiler's default allows for.
#![recursion_limit = "256"]

pub mod account;
pub mod admin;
pub mod binlog;
pub mod canonical;
pub mod context;
pub mod ddl;
pub mod digests;
pub mod dump;
pub mod errno;
pub mod files;
pub mod func;
pub mod help;
pub mod infoschema;
pub mod locks;
pub mod memory;
pub mod meta;
pub mod metrics;
pub mod planted;
pub mod processes;
pub mod query;
pub mod replication;
pub mod rights;
pub mod session;
pub mod session_api;
pub mod show;
pub mod stages;
pub mod statement_history;
pub mod status;
pub mod sys;
pub mod tls;
pub mod value;
pub mod vars;
