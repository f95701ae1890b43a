//! Floor 8: tables of Rust values for programs that want no SQL. Typed keys, ranges, cursors, secondary indexes, transactions, snapshots.
//!
//! ```
//! use weir_engine::store::{Database, TableDefinition};
//!
//! /// Users by number: name and cents.
//! const USERS: TableDefinition<u64, (String, i64)> = TableDefinition::new("users").index("by_name", &[0]);
//!
//! # fn main() -> weir_engine::Result<()> {
//! let db = Database::open_in_memory()?; // or Database::open("./data")?
//! let users = db.table(&USERS)?;
//! let by_name = users.index::<String>("by_name")?;
//!
//! let mut tx = db.begin();
//! tx.insert(&users, 1, ("Ada", 500))?;
//! tx.insert(&users, 2, ("Bob", 0))?;
//! tx.commit()?;
//!
//! // A deadlock's victim runs again.
//! db.transaction(|tx| {
//!     for (id, cents) in [(1, -200), (2, 200)] {
//!         let (name, had) = tx.get_for_update(&users, id)?.expect("the account is there");
//!         tx.put(&users, id, (&name, had + cents))?;
//!     }
//!     Ok(())
//! })?;
//!
//! let mut now = db.snapshot();
//! assert_eq!(now.get(&users, 1)?, Some(("Ada".into(), 300)));
//! let named: Vec<(u64, (String, i64))> = now.range_by(&by_name, "B"..).collect::<Result<_, _>>()?;
//! assert_eq!(named, [(2, ("Bob".into(), 200))]);
//! drop(now);
//! db.close()
//! # }
//! ```
//!
//! Calls run on the thread that makes them and may wait there, for a row's lock or for the device. The engine's own threads write pages
//! and remove old versions. Rows of any length are stored; an entry of an index, the key of a table included, has at most 3/16 of a page
//! (3,072 bytes of 16 KiB).
//!
//! What is one read or one write needs no transaction of its own by hand: [`Database::get`], [`Database::insert`], [`Database::put`] and
//! [`Database::update`] cost a fraction of one.
//!
//! In here: `columns` maps Rust's types to those of rows, `definition` says what tables there are, `database` opens them, `transaction`
//! has the calls that read and write, `alone` those that are a transaction each, `cursor` the walks over ranges.
//!
//! Invariants: a call that fails leaves nothing of itself behind in its transaction. A handle whose table is gone or was made otherwise
//! reads and writes nothing ([`Error::TableChanged`](crate::Error::TableChanged)).
#![deny(missing_docs)]

mod alone;
mod columns;
mod cursor;
mod database;
mod definition;
#[cfg(all(test, not(any(shuttle, miri))))]
mod tests;
mod transaction;

pub use crate::txn::{Durability, Isolation};
pub use columns::{Column, Columns, Key};
pub use cursor::{Cursor, Range};
pub use database::{Builder, Database};
pub use definition::{Index, Table, TableDefinition};
pub use transaction::{Mark, Snapshot, Transaction};
