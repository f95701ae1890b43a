//! Weir as a replica of MySQL and MariaDB: channels to sources, each with a thread that receives events and one that applies them.
//!
//! [`source`] is a client of another server: login, TLS, queries, the stream of a binary log. [`receiver`] reads that stream into the
//! [`queue`] of its channel, and the [`applier`] carries it out in a session. [`acks`] are what a source waits for. [`channel`] is what the two share, [`store`] what a channel
//! keeps in the database, and [`manager`] carries out statements about replicas. [`migrate`] is
//! `weir migrate`.
//!
//! Above `sql`, below the server, which starts it and lists its threads ([`Host`]).
//!
//! Invariants:
//! - How far a channel has come is written in the transaction whose events it has applied, or in the step of the definition statement
//!   (`weir_engine::Rider`). So a crash neither loses a transaction nor applies it twice.
//! - There are no files of a relay log: what the queue holds when the process ends, or when a connection is lost, is read again from the
//!   source, from where the applier is.
#![forbid(unsafe_code)]

pub mod acks;
pub mod applier;
pub mod channel;
pub mod manager;
pub mod migrate;
pub mod queue;
pub mod receiver;
pub mod source;
pub mod store;

pub use manager::Manager;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_sql::session_api::KillSwitch;

/// The server that the threads belong to.
pub trait Host: Send + Sync {
    /// Enters a thread into the list of processes, which the guard takes it out of.
    fn enter(&self, database: &str) -> Listed;
    fn error(&self, line: &str);
    fn system(&self, line: &str);
    fn is_stopping(&self) -> bool;
}

/// A thread in the list of processes.
pub struct Listed {
    pub id: u64,
    /// What KILL and the server's end throw.
    pub kill: Arc<KillSwitch>,
    /// Takes the entry out when it is dropped.
    pub guard: Box<dyn Send>,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}
