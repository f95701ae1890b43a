//! Weir's storage engine: transactional, crash-safe, embeddable. Knows no SQL and no sockets.
//!
//! Start with [`Db`]: open a data directory, make tables, begin transactions. Every call that may wait is `async` and
//! runs on any executor; `blocking` has a facade for programs without one.
//!
//! Inside, a folder per mechanism, floor by floor; a floor uses only floors under it: `page`, `row`, `priority`, `flush/policy`, `waits`
//! (0), `log`, `pool` (1), `mtr`, `space` (2), `btree` (3), `lock`, `txn` (4), `catalog` (5), `recovery`, `cleaner`, `recorder`, `stalls`,
//! `db` (6).

pub mod blocking;
mod btree;
pub mod catalog;
mod cleaner;
mod db;
mod error;
pub mod flush;
mod ids;
mod lock;
pub mod log;
#[cfg(all(test, any(shuttle, miri)))]
mod model;
mod mtr;
pub mod page;
pub mod planted;
mod pool;
mod priority;
mod recorder;
mod recovery;
pub mod row;
mod space;
mod stalls;
mod status;
mod sync;
mod txn;
pub mod waits;

pub use catalog::{ColumnDef, DdlContext, IndexDef, MapRow, NewTable, SchemaDef, Table, TableDef};
pub use db::{Db, FatalFn, Force, LogFn, Options};
pub use error::{Error, Result};
pub use flush::policy::{NAMES as FLUSH_POLICIES, Neighbours, Settings as FlushSettings};
pub use ids::{Lsn, PageId};
pub use priority::in_background;
pub use recovery::Report as RecoveryReport;
pub use stalls::{StallInfo, StallRow, StuckInfo, WaitInfo};
pub use status::{SettingValue, TrxInfo};
pub use txn::{
    Cursor, Durability, Isolation, LockMode, OnLocked, RowBuf, RowList, Savepoint, ScanSpec, Turn,
    Txn, TxnOptions,
};
