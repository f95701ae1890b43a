//! Floor 4: row locks, addressed by (index, key). Queues, conflicts, waits, deadlocks.
//!
//! May use: `ids`, `error`, names of `waits`, `weir_rt`. Knows no pages and no trees: splits and merges do not exist here.
//!
//! A lock names a record of an index by its encoded key, or the end of the index (`None`, the supremum). Its parts:
//! *record* (S or X), *gap* (the open interval below the key), both (next-key), and *insert intention*, which waits for
//! gaps and blocks nobody. Most writes hold only implicit X locks: the transaction id in the record says it; a transaction
//! that runs into one makes it explicit first. An index entry's is that of who has changed the entry
//! (`txn::secondary::implicit_owner`), not of everybody who has changed the row.
//!
//! Invariants
//! - A queue is served in order: a request waits for every conflicting lock before it, granted or not (no starvation).
//! - What `conflicts` says is the only rule for granting; it is a pure function, tested over all pairs.
//! - Locks are placed, and gaps inherited, under the page latch of the record concerned, so that no insert slips between
//!   looking and locking.
//! - A wait-for edge exists for each waiting request and each lock it waits for; a cycle is looked for whenever edges are
//!   added, so a deadlock is found when it forms.

mod deadlock;
mod queue;
mod table;

pub use queue::{Kind, Mode};
pub use table::{LockName, LockTable, LockWait, Outcome, TrxLocks};
