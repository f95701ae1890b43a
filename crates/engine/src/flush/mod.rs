//! Floor 2: Writing dirty pages: who decides, and what carries it out.
//!
//! `buffer_size` is the size of the change buffer as the policies of builds see it; `control` is the state that sessions look at before they change something; `users` is what a session does when there is
//! something to do; `checkpoint` says how far one may go; `pressure` says in one number how hard all this is pressed. The decisions
//! themselves are pure functions in `policy`, the batches are the pool's, and the task that asks the policy is `db::cleaner`.
//!
//! [`Core`] is pool, log and files in one piece, as everybody above has them.
//!
//! May use: `policy`, `pool`, `log`, `files`, `priority`, `waits`. Knows no trees and no transactions.
//!
//! Invariants
//! - A session waits and writes here only with nothing latched: before its log grant, and after a page has been read.
//! - Whatever the policy does, nobody waits for ever: sessions that wait for log space or frames while the policy rests are
//!   rescued by the cleaner, and that is counted.

pub mod buffer_size;
pub(crate) mod checkpoint;
pub mod control;
mod core;
pub mod pressure;
pub(crate) mod users;

pub use core::{Core, CoreStats};
