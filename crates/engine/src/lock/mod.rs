//! Floor 1: row locks, addressed by (index, key). Queues, conflicts, waits, deadlocks.
//!
//! May use: `ids`, `error`, names of `waits`, `weir_rt`. Knows no pages and no trees: splits and merges do not exist here.
//!
//! A lock names a record of an index by its encoded key, or the end of the index (`None`, the supremum). Its parts:
//! *record* (S or X), *gap* (the open interval below the key), both (next-key), and *insert intention*, which waits for
//! gaps and blocks nobody. Most writes hold only implicit X locks: the transaction id in the record says it; a transaction
//! that runs into one makes it explicit first. An index entry's is that of anyone who has changed the entry
//! (`txn::secondary::implicit_owner`), not of everybody who has changed the row.
//!
//! Invariants
//! - A queue is served in order: a request waits for every conflicting lock that is granted and for every conflicting
//!   request that waits before it (no starvation).
//! - What `conflicts` says is the only rule for granting; it is a pure function, tested over all pairs.
//! - Locks are placed, and gaps inherited, under the page latch of the record concerned, so that no insert slips between
//!   looking and locking.
//! - Locks of a long scan are folded into ranges, which a request makes explicit before it waits (`range.rs`).
//! - The wait-for graph is not stored: the queues imply it. A circle is looked for whenever an edge may have been added, after
//!   it was, so a deadlock is found when it forms (`deadlock.rs`).
//! - One shard is locked at a time, with one exception: anyone who breaks a circle locks its shards in ascending order. Inside
//!   come the mutexes of a transaction's locks, of its waiting request, and of that request's state, each alone. Nobody is
//!   woken with any of them held.
//! - What ends a wait (grant, timeout, kill, a client that is gone) costs the search for its place in the line. A release looks
//!   no further down the line than to the first request that nobody behind it can pass.

mod conflict;
mod deadlock;
mod name;
mod queue;
mod range;
mod shard;
mod table;
mod trx;
mod wait;

pub use conflict::{Kind, Mode};
pub use deadlock::{Deadlock, DeadlockFn};
pub use name::LockName;
pub use range::LockRun;
pub use table::{Granted, LockInfo, LockTable, Outcome};
pub use trx::TrxLocks;
pub use wait::LockWait;
