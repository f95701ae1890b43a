//! Weir's storage engine: transactional, crash-safe, embeddable. Knows no SQL and no sockets.
//!
//! Start with [`Db`]: open a data directory, make tables, begin transactions. Every call that may wait is `async` and
//! runs on any executor; `blocking` has a facade for programs without one. A call is polled to its end: to end it early, throw the
//! `Interrupt` of its transaction. A future that is dropped while it writes pages stops the engine as a crash would.
//!
//! Inside, a folder per mechanism, in floors; a room uses only rooms of floors under it (a test of the program `weir` reads that from
//! the `use` lines; no arrow runs upwards):
//!
//! - 0, bytes and numbers: `page`, `row`, `policy` (what the flush policies decide), `settings`, `force`, `priority`,
//!   `patience`, `waits`
//! - 1, what is on disk and in memory: `log`, `lock`, `files`, `scratch`, `pool`
//! - 2, who writes dirty pages: `flush`; changes of several pages: `mtr`
//! - 3, pages handed out: `space`; trees: `btree`; what happened: `history`
//! - 4, the dictionary's entries: `dict`; tables as handles: `table`
//! - 5, transactions: `txn`, whose `System` is all that they stand on
//! - 6, all that is defined, and DDL: `catalog`
//! - 7, the whole: `recovery`, `db` with its tasks
//! - 8, copies of it: `backup`; what is told about it: `blocking`, `stalls`, `status`; what is left of it: `salvage`
//!
//! The numbered invariants (I1 to I12) that the code cites are listed in `docs/invariants.md`, with the place where each is asserted.

pub mod backup;
pub mod blocking;
mod btree;
pub mod catalog;
pub mod change_buffer;
mod db;
mod dict;
mod error;
mod files;
pub mod flush;
mod force;
pub mod history;
mod ids;
mod lock;
pub mod log;
#[cfg(all(test, any(shuttle, miri)))]
mod model;
mod mtr;
pub mod page;
mod patience;
pub mod planted;
pub mod policy;
mod pool;
mod priority;
mod recovery;
pub mod row;
pub mod salvage;
mod scratch;
mod settings;
mod space;
mod stalls;
mod status;
mod sync;
mod table;
#[cfg(all(test, not(any(shuttle, miri))))]
mod testing;
mod txn;
pub mod waits;

pub use catalog::{BesideIt, DdlContext, MapRow, MayDrop, NewParts, Object, ObjectKind};
pub use db::{ArchivedFn, Db, FatalFn, Options, redo_files};
pub use dict::Rider;
pub use error::{Error, LogFn, Result};
pub use force::Force;
pub use ids::{Lsn, PageId, Xid};
pub use lock::{Deadlock, DeadlockFn, Kind as LockKind, LockInfo, Mode as LockStrength};
pub use log::answers::Answer;
pub use log::events::{Events, Follower};
pub use policy::{
    FlushOption, NAMES as FLUSH_POLICIES, Neighbours, OPTIONS as FLUSH_OPTIONS, SettingValue,
    Settings as FlushSettings, option as flush_option,
};
pub use priority::in_background;
pub use recovery::Report as RecoveryReport;
pub use scratch::{Reader as ScratchReader, Scratch, Stream as ScratchStream};
pub use settings::ChangeBufferLimits;
pub use stalls::{StallInfo, StallRow, StuckInfo, WaitInfo};
pub use status::{
    Kind as StatusKind, PoolNow, StatusDef, TrxInfo, Unit as StatusUnit, buffers_inserts,
};
pub use table::{
    ColumnDef, ColumnHistory, HeldTables, Index, IndexDef, MdlHold, MdlMode, NewColumns, NewTable,
    SchemaDef, Table, TableDef,
};
pub use txn::{
    Cursor, Durability, Isolation, LockMode, OnLocked, Owed, RowBuf, RowList, RowLog, Savepoint,
    ScanSpec, Turn, Txn, TxnOptions, UndoLimits,
};
