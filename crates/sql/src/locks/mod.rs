//! Locks that sessions take by statement, beside those that transactions take by themselves: names of the application's own
//! ([`UserLocks`], GET_LOCK) and of distributed transactions ([`Xids`]), tables ([`LockedTables`], LOCK TABLES), and definitions as a whole ([`DefinitionGate`]), and all that is written ([`ReadOnlyGate`]).
//!
//! Uses the runtime's waits, the engine's metadata locks and the errors. Knows no statements: the session takes and gives back.

mod deadlocks;
mod gate;
mod read_only;
mod tables;
mod user;
mod xids;

pub use deadlocks::Deadlocks;
pub use gate::{Backup, Defining, DefinitionGate, Patience};
pub use read_only::{Inside, ReadOnlyGate, Writer};
pub use tables::{LockedTable, LockedTables, LockedWhat, charge, conflicting};
pub use user::{Got, Queued, UserLocks};
pub use xids::{TakenXid, Xids, rmfail, temporary_in_branch};
