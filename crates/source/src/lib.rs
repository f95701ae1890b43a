//! This server as a source of replication: its own binary log. See docs/decisions/binary-log.md.
//!
//! A commit's events ride in the redo log as a [`record`]. [`BinaryLog`] follows the redo log (`weir_engine::Follower`) and makes of the
//! records ([`pack`] makes them short), in the order of the commits, the files that clients see: [`writer`] formats and writes them, [`state`] is what a start
//! must know of them, [`names`] are the files and their index, [`log`] is what the server asks of the whole. [`reader`] reads the files
//! for those who follow this server, [`dump`] is the stream that one of them is sent, [`semi_sync`] what commits wait for until replicas have them.
//!
//! There is no SQL here, no thread and no clock but the runtime's.
//!
//! Invariants
//! - Files hold events of commits that are durable in the redo log, in the order of their groups, each once.
//! - What stands in a file behind the position that [`state`] has is made again from the redo log after a crash, to the same bytes: the
//!   bytes of a transaction depend on its record, on the state, and on the records between the two alone.
#![forbid(unsafe_code)]

pub mod dump;
pub mod log;
mod names;
pub mod owned;
mod pack;
pub mod reader;
pub mod record;
pub mod semi_sync;
mod state;
pub mod tickets;
mod writer;

pub use dump::{Dump, DumpError, From, Sent};
pub use log::{BinaryLog, InUse, Options, Place};
pub use names::STATE;
pub use record::{Batch, Named, Record};
