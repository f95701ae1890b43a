//! Floor 4: tables as everybody above uses them: the definition, the handle with its trees and counters, the metadata lock.
//!
//! May use: `dict` for its counters, `btree`, `space`, `mtr`, `row`, `waits`. Knows no transactions: `catalog` makes handles from
//! what the dictionary says, and says when a handle is no more.
//!
//! Invariants
//! - A handle's definition never changes; a changed definition is a new handle.
//! - Anyone who uses a handle's trees holds its metadata lock, or is recovery, which is alone.
//! - The partitions of a table have its metadata lock, its counters and its gate for purge: anyone who has those of the table has theirs.

mod at_once;
mod column_values;
mod def;
mod entries;
mod handle;
mod handles;
mod held;
mod mdl;
mod row_log;
mod uses;

pub use column_values::{ColumnSample, UNSEEN, hash_of};
pub use def::{ColumnDef, ColumnHistory, IndexDef, NewColumns, NewTable, SchemaDef, TableDef};
pub(crate) use def::{Part, Storage, decode_table, encode_table};
pub use entries::Entries;
pub(crate) use entries::lacking;
pub(crate) use handle::From;
pub use handle::{Index, Table};
pub use handles::Handles;
pub use held::HeldTables;
pub use mdl::{MdlHold, MdlMode};
pub(crate) use row_log::{RowLog, Said, Word};
pub use uses::{Use, UseCounts, Uses};
