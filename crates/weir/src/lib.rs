//! Weir inside a program: MySQL's SQL, types and transactions over a directory of files, without a server.
//!
//! ```
//! use weir::{Database, params};
//!
//! # fn main() -> weir::Result<()> {
//! let db = Database::open_in_memory()?; // or Database::open("./data")?
//! let mut conn = db.connect()?;
//! conn.execute_batch("CREATE DATABASE app; USE app")?;
//! conn.execute("CREATE TABLE account (id BIGINT PRIMARY KEY, owner VARCHAR(40), cents BIGINT)", ())?;
//! conn.execute("INSERT INTO account VALUES (?, ?, ?), (?, ?, ?)", params![1, "Ada", 500, 2, "Bob", 0])?;
//!
//! let mut tx = conn.transaction()?;
//! tx.execute("UPDATE account SET cents = cents - ? WHERE id = ?", params![200, 1])?;
//! tx.execute("UPDATE account SET cents = cents + ? WHERE id = ?", params![200, 2])?;
//! tx.commit()?;
//!
//! for row in conn.query("SELECT owner, cents FROM account ORDER BY id", ())? {
//!     let row = row?;
//!     println!("{}: {}", row.get::<String>("owner")?, row.get::<i64>("cents")?);
//! }
//! let all: Vec<(String, i64)> = conn.query_as("SELECT owner, cents FROM account ORDER BY id", ())?;
//! assert_eq!(all, [("Ada".into(), 300), ("Bob".into(), 200)]);
//! # Ok(()) }
//! ```
//!
//! - [`Database`] is a data directory, or one in memory. `weir serve` opens the same directories. One process has it at a time: a second
//!   one gets [`Error::InUse`], which says who has it.
//! - [`Connection`] is a session; as many as are wanted, in as many threads. [`Connection::query`] streams, [`Transaction`] and
//!   [`Savepoint`] are guards, [`Appender`] inserts in bulk, [`InterruptHandle`] ends a statement from another thread.
//! - `Database::backup` copies a database while it is used, [`Csv`] is for files of values in and out.
//! - [`AsyncConnection`] has the same calls as futures, for any executor.
//! - [`Error`] has MySQL's number, SQLSTATE and text, and a [`Class`] to decide by.
//!
//! # What runs
//!
//! Statements run on the threads that call, which need 2 MiB of stack (what Rust gives its threads; 8 MiB in builds that are not
//! optimised). Opening a database starts the engine's background threads: they write pages and the log's checkpoints, purge old versions and
//! keep the time, about a dozen, and sleep while there is nothing to do. No other thread is started: no executor, no listener, no event
//! scheduler. A process that forks must not use its databases in the child; every call there is [`Error::Forked`], and the files are
//! safe.
//!
//! # Features
//!
//! `serve` adds `Database::serve`, by which MySQL's clients connect to the program, with the server's sockets and TLS. `cli` (on by default) builds the command line `weir` and everything that it has; programs want `default-features = false`, which leaves the
//! server, TLS and the benchmarks out.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod appender;
mod asynchronous;
mod backup;
mod connection;
mod csv;
mod cursor;
mod database;
mod error;
mod gathered;
mod options;
mod params;
mod row;
mod rows;
#[cfg(feature = "serve")]
mod serving;
mod sessions;
mod statement;
mod stream;
mod transaction;
mod typed;
mod value;

pub use appender::Appender;
pub use asynchronous::{AsyncConnection, AsyncRows, AsyncTransaction};
pub use backup::BackupProgress;
pub use connection::{Connection, InterruptHandle};
pub use csv::Csv;
pub use cursor::Cursor;
pub use database::Database;
pub use error::{Class, Error, Result};
pub use options::Builder;
pub use params::{Params, ToParam};
pub use row::{Column, ColumnIndex, ColumnType, FromRow, FromValue, Row};
pub use rows::Rows;
#[cfg(feature = "serve")]
pub use serving::Server;
pub use statement::{Sql, Statement};
pub use stream::Executed;
pub use transaction::{Isolation, Savepoint, Transaction, TransactionOptions};
pub use value::{Date, DateTime, Decimal, Json, NotADecimal, Time, Value};
