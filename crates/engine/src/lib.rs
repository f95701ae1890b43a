//! Weir's storage engine: transactional, crash-safe, embeddable. Knows no SQL and no sockets.
//!
//! Start with [`Db`]: open a data directory, make tables, begin transactions. Every call that may wait is `async` and
//! runs on any executor; `blocking` has a facade for programs without one.
//!
//! Inside, a folder per mechanism, in floors; a room uses only rooms of floors under it (a test of the program `weir` reads that from
//! the `use` lines, and has the arrows that still run upwards in a list):
//!
//! - 0, bytes and numbers: `page`, `row`, `policy` (what the flush policies decide), `priority`, `patience`,
//!   `waits`
//! - 1, what is on disk and in memory: `log`, `lock`, `pool`, `space`
//! - 2, changes of several pages: `mtr`; who writes dirty pages: `flush`
//! - 3, trees: `btree`; what happened: `history`
//! - 4, the dictionary's entries: `dict`; tables as handles: `table`
//! - 5, transactions: `txn`
//! - 6, all that is defined, and DDL: `catalog`
//! - 7, the whole: `recovery`, `cleaner`, `recorder`, `db`
//! - 8, what is told about it: `blocking`, `stalls`, `status`; what is left of it: `salvage`
//!
//! The numbered invariants (I1 to I12) that the code cites are listed in `docs/invariants.md`, with the place where each is asserted.

pub mod blocking;
mod btree;
pub mod catalog;
mod cleaner;
mod db;
mod dict;
mod error;
pub mod flush;
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
mod recorder;
mod recovery;
pub mod row;
pub mod salvage;
mod space;
mod stalls;
mod status;
mod sync;
mod table;
#[cfg(all(test, not(any(shuttle, miri))))]
mod testing;
mod txn;
pub mod waits;

pub use catalog::{DdlContext, MapRow};
pub use db::{Db, FatalFn, Force, LogFn, Options};
pub use error::{Error, Result};
pub use ids::{Lsn, PageId};
pub use policy::{NAMES as FLUSH_POLICIES, Neighbours, Settings as FlushSettings};
pub use priority::in_background;
pub use recovery::Report as RecoveryReport;
pub use stalls::{StallInfo, StallRow, StuckInfo, WaitInfo};
pub use status::{SettingValue, TrxInfo};
pub use table::{ColumnDef, IndexDef, NewTable, SchemaDef, Table, TableDef};
pub use txn::{
    Cursor, Durability, Isolation, LockMode, OnLocked, RowBuf, RowList, Savepoint, ScanSpec, Turn,
    Txn, TxnOptions, UndoLimits,
};
