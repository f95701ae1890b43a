//! The binary logs of MySQL and MariaDB as a codec: bytes in, events out, and the events that Weir writes back into bytes.
//!
//! There is no I/O here and no SQL. [`event`] cuts a stream or a file into events and checks their checksums; [`kind`] names the types.
//! [`body`] decodes what an event says: [`query`] the statements, [`gtid`] and [`tagged`] the identifiers of transactions, [`table_map`]
//! and [`rows`] the changed rows, whose columns [`value`] and [`decimal`] read. [`payload`] unpacks compressed events, [`set`] computes
//! with sets of identifiers, and [`encode`] writes events.
//!
//! Invariants:
//! - A decoder never panics, whatever the bytes are, and takes memory in proportion to the event that it was given. What is compressed
//!   is unpacked up to a limit that the caller names, so that a small event cannot become a large one.
//! - Bytes are read as far as their event's own length and no further.
//!
//! Sources: "Replication Protocol" of MySQL's internals documentation, `libs/mysql/binlog` of MySQL 9.7, MariaDB's page on replication
//! protocol events, and logs that both servers wrote (`tests/logs`).
#![forbid(unsafe_code)]

pub mod body;
pub mod decimal;
pub mod encode;
mod error;
pub mod event;
pub mod gtid;
pub mod kind;
pub mod payload;
pub mod query;
pub mod rows;
pub mod set;
pub mod table_map;
pub mod tagged;
pub mod value;

pub use body::Body;
pub use error::{Error, Result};
pub use event::{Checksum, Event, Format, Header};
pub use kind::Kind;
pub use set::{Gtid, GtidSet, Source};
