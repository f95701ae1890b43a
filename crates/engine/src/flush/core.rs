//! Log, pool and files together, with what controls the writing of dirty pages.

use super::control::FlushControl;
use crate::cost::Background;
use crate::files::Spaces;
use crate::lane::Counter;
use crate::log::Log;
use crate::pool::Pool;
use crate::sync::atomic::AtomicU64;
use crate::waits::Waits;
use std::sync::Arc;

/// The basement in one piece: what every floor above needs at hand.
pub struct Core {
    pub pool: Pool,
    pub log: Log,
    pub spaces: Arc<Spaces>,
    pub stats: CoreStats,
    pub flush: FlushControl,
    pub waits: Arc<Waits>,
}

#[derive(Default)]
pub struct CoreStats {
    pub attempts: Counter,
    pub restarts: AtomicU64,
    pub mtrs: Counter,
    pub splits: AtomicU64,
    pub merges: AtomicU64,
    /// Commits of changes, of definitions among them, that have been answered.
    pub commits: Counter,
    pub change_buffer: BufferStats,
    /// What tasks that no session waits for have cost.
    pub background: Arc<Background>,
    /// Indexes whose builds have let writers go on, and the changes that they caught up with.
    pub indexes_built_beside_writers: AtomicU64,
    pub row_log_entries: AtomicU64,
    /// Tables whose rows were copied while writers went on.
    pub tables_copied_beside_writers: AtomicU64,
    /// ALTER TABLE that left the rows as they were.
    pub tables_altered_at_once: AtomicU64,
}

/// What the change buffer did.
#[derive(Default)]
pub struct BufferStats {
    /// Entries that were put into buffer trees.
    pub inserts: AtomicU64,
    /// Entries that were moved to main trees.
    pub moved: AtomicU64,
    /// Moves: each has changed one leaf of a main tree, and read it if it was not in memory.
    pub moves: AtomicU64,
    /// Moves that a session has made for itself, because the limit was reached.
    pub helped: AtomicU64,
    /// Contractions that inserts have asked the sweep for, under the policies of InnoDB's builds.
    pub asked: AtomicU64,
    /// Leaves of main trees that the policies of builds have ordered merges for.
    pub ordered: AtomicU64,
    /// Buffer trees that were made.
    pub made: AtomicU64,
}
