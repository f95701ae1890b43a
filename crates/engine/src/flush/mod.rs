//! Writing dirty pages: who decides, and what carries it out.
//!
//! `policy/` holds the decisions as pure functions, one file a system. `control` is the state that sessions look at before
//! they change something; `users` is what a session does when there is something to do; `checkpoint` says how far one may go; `history` remembers the last
//! day, `flight` across runs; `pressure` says in one number how hard all this is pressed. The batches themselves are the pool's, the task that asks the policy is `cleaner`.
//!
//! May use: `pool`, `log`, `priority`, `waits`. Knows no trees and no transactions.
//!
//! Invariants
//! - A session waits and writes here only with nothing latched: before its log grant, and after a page has been read.
//! - Whatever the policy does, nobody waits for ever: sessions that wait for log space or frames while the policy rests are
//!   rescued by the cleaner, and that is counted.

pub(crate) mod checkpoint;
pub mod control;
pub(crate) mod flight;
pub mod history;
pub mod policy;
pub mod pressure;
pub(crate) mod users;
