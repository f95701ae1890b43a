//! Weir's storage engine: transactional, crash-safe, embeddable. Knows no SQL and no sockets.
//!
//! A program that wants tables of its own types without SQL uses [`store`]: it and [`Error`] are the interface that is kept. All else that
//! is public serves Weir's other crates and changes with them.
//!
//! Those begin with `Db`: open a data directory, make tables, begin transactions. Every call that may wait is `async` and
//! runs on any executor. A call is polled to its end: to end it early, throw the
//! `Interrupt` of its transaction. A future that is dropped while it writes pages stops the engine as a crash would.
//!
//! Inside, a folder per mechanism, in floors; a room uses only rooms of floors under it (a test of the program `weir` reads that from
//! the `use` lines; no arrow runs upwards):
//!
//! - 0, bytes and numbers: `page`, `row`, `policy` (what the flush policies decide), `settings`, `force`, `priority`,
//!   `patience`, `waits`, `cost`, `lane`
//! - 1, what is on disk and in memory: `log`, `lock`, `files`, `scratch`, `pool`
//! - 2, who writes dirty pages: `flush`; changes of several pages: `mtr`
//! - 3, pages handed out: `space`; trees: `btree`; what happened: `history`
//! - 4, the dictionary's entries: `dict`; tables as handles: `table`
//! - 5, transactions: `txn`, whose `System` is all that they stand on
//! - 6, all that is defined, and DDL: `catalog`
//! - 7, the whole: `recovery`, `db` with its tasks
//! - 8, copies of it: `backup`; what describes it: `stalls`, `status`; what is left of it: `salvage`; typed tables: `store`
//!
//! The numbered invariants (I1 to I12) that the code cites are listed in `docs/invariants.md`, with the place where each is asserted.

#[doc(hidden)]
pub mod backup;
mod btree;
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod change_buffer;
#[doc(hidden)]
pub mod cost;
mod db;
mod dict;
mod error;
mod files;
#[doc(hidden)]
pub mod flush;
mod force;
#[doc(hidden)]
pub mod history;
mod ids;
#[doc(hidden)]
pub mod lane;
mod lock;
#[doc(hidden)]
pub mod log;
#[cfg(all(test, any(shuttle, miri)))]
mod model;
mod mtr;
#[doc(hidden)]
pub mod page;
mod patience;
#[doc(hidden)]
pub mod planted;
#[doc(hidden)]
pub mod policy;
mod pool;
mod priority;
mod recovery;
#[doc(hidden)]
pub mod row;
#[doc(hidden)]
pub mod salvage;
mod scratch;
mod settings;
mod space;
mod stalls;
mod status;
pub mod store;
mod sync;
mod table;
#[cfg(all(test, not(any(shuttle, miri))))]
mod testing;
mod txn;
#[doc(hidden)]
pub mod waits;

#[doc(hidden)]
pub use catalog::{BesideIt, DdlContext, MapRow, MayDrop, NewParts, Object, ObjectKind};
#[doc(hidden)]
pub use db::{ArchivedFn, Db, FatalFn, Options, redo_files};
#[doc(hidden)]
pub use dict::Rider;
#[doc(hidden)]
pub use error::LogFn;
pub use error::{Error, Result};
#[doc(hidden)]
pub use files::Sums as IoSums;
#[doc(hidden)]
pub use force::Force;
#[doc(hidden)]
pub use ids::{Lsn, PageId, Xid};
#[doc(hidden)]
pub use lock::{Deadlock, DeadlockFn, Kind as LockKind, LockInfo, Mode as LockStrength};
#[doc(hidden)]
pub use log::deferred_ack::Answer;
#[doc(hidden)]
pub use log::events::{Events, Follower};
#[doc(hidden)]
pub use policy::{
    FlushOption, NAMES as FLUSH_POLICIES, Neighbours, OPTIONS as FLUSH_OPTIONS, SettingValue,
    Settings as FlushSettings, option as flush_option,
};
#[doc(hidden)]
pub use priority::in_background;
#[doc(hidden)]
pub use recovery::Report as RecoveryReport;
#[doc(hidden)]
pub use scratch::{Reader as ScratchReader, Scratch, Stream as ScratchStream};
#[doc(hidden)]
pub use settings::ChangeBufferLimits;
#[doc(hidden)]
pub use stalls::{StallInfo, StallRow, StuckInfo, WaitInfo};
#[doc(hidden)]
pub use status::{
    FileSums, Heading, Kind as StatusKind, LogSums, PoolNow, StatusDef, TrxInfo,
    Unit as StatusUnit, buffers_inserts, is_before_5_5,
};
#[doc(hidden)]
pub use table::{
    ColumnDef, ColumnHistory, ColumnSample, HeldTables, Index, IndexDef, MdlHold, MdlMode,
    NewColumns, NewTable, SchemaDef, Table, TableDef, UNSEEN, Use, UseCounts, Uses,
};
#[doc(hidden)]
pub use txn::{
    Alone, Cursor, Durability, EachNow, Hold, Isolation, KeysNow, LeafRead, LeafRows, LockMode,
    Made, OnLocked, Owed, RowBuf, RowChange, RowList, RowLog, Savepoint, ScanSpec, Turn, Txn,
    TxnOptions, UndoLimits,
};
