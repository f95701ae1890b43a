//! Locks that sessions take by statement, beside those that transactions take by themselves: [`UserLocks`] are names of the
//! application's own (GET_LOCK).
//!
//! Uses the runtime's events and the errors. A wait is the caller's: it has the clock and the switch of KILL.

mod user;

pub use user::{Got, Queued, UserLocks};
