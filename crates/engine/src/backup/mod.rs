//! Floor 8: a copy of the database while it runs, and a data directory made of copies.
//!
//! A backup is a sequence of [`Block`]s: what it is of, pages as they are in the files while they are copied, the redo log from the
//! checkpoint at which the copying began to its end, and at last how long each file is. The pages are of different moments; the redo
//! makes them those of one, the backup's end, exactly as recovery does after a crash. Nobody is stopped for it.
//!
//! `block` is the blocks and their bytes, `take` makes them of a running engine, `put` makes a directory of them; `follow` gives the log as it
//! becomes durable, for an archive. How they are stored
//! (compressed, encrypted, in which files) is their owner's business.
//!
//! Invariants
//! - Every change below the backup's start was home and synced when the copying began, so a page copied later has it. Every change of a
//!   copied page lies below the backup's end. In between is the redo. So recovery of the copy begins and ends where these two say.
//! - A file that is made during the copying need not be copied: all of its pages are formatted by the redo in between. Anyone who puts the
//!   backup makes an empty file for each header that the redo formats.
//! - A file that is removed meanwhile has its removal in the redo, which was durable before the file went.
//! - What is copied is checked: each page has its checksum, its place and no LSN beyond the log, each group of redo its checksum.
//! - A directory has a control file only when everything else is there and synced. Without one nothing opens it.

mod block;
mod follow;
mod put;
mod take;

pub use block::{Base, Begin, Block, End, Ids, Pages, SpaceEnd};
pub use follow::{Follower, LogIdentity, Piece};
pub use put::{Restored, Restorer};
pub use take::{Backup, BackupOptions};
