//! Floor 1: the redo log. Buffer, group writer, segment files, checkpoint slots, reader.
//!
//! May use: `ids`, `error`, `page::codec`/`page::redo` for its own marks, `waits`, `weir_disk`, `weir_rt`. Knows no pages in memory.
//!
//! Terms. An LSN is a byte position in an endless stream. A *group* is what one mini-transaction appends, framed as
//! `length u24 + magic | crc32c over (start LSN, epoch, payload) | payload`. The start LSN inside the checksum makes bytes of an
//! earlier lap invalid, and the epoch, a new one for each start, those that a crash left behind a torn tail. The stream lies in
//! preallocated *segments* of equal size, named by their first LSN; a segment wholly below the checkpoint is renamed to become
//! the next one ("circular files" without wrap arithmetic).
//!
//! Invariants
//! - reserved >= published >= written >= durable; each only grows.
//! - Room for a group (log files and buffer) is granted before its mini-transaction takes a latch (I4); `append` never waits.
//! - A segment is reused only after the checkpoint that frees it is durable itself (I9), and while nobody keeps it ([`keep`]).
//! - A failed write or sync of the log is fatal (I12): every waiter gets the error, nothing is retried.
//! - The last, partly filled 4 KiB block is rewritten by the next flush with the same bytes in front. This relies on the
//!   device writing a 512-byte sector in whole; what a torn block may lose is only what was not acknowledged.

mod buffer;
pub mod control;
pub mod deferred_ack;
pub mod events;
mod keep;
pub mod reader;
mod ring;
mod segments;
pub mod stream;
mod write_buffer;
pub mod writer;

use crate::planted::{self, Bug};
pub use buffer::{Grant, Log, LogStats};
pub use keep::Keep;
pub use segments::{DIR, SEGMENT_HEADER, Segments};
pub use writer::Reach;

/// Bytes of framing per group.
pub const FRAME: usize = 8;
pub const FRAME_MAGIC: u8 = 0xB5;
/// Largest group, framing included.
pub const GROUP_MAX: usize = (1 << 24) - 1;

/// Checksum of a group: the start LSN is covered, so that a stale lap never validates, and so is the epoch, so that a
/// group beyond a torn tail, written before a crash, never validates behind what is written after it.
pub fn group_crc(epoch: u32, start: u64, payload: &[u8]) -> u32 {
    let epoch = if planted::is(Bug::EpochNotChecked) { 0 } else { epoch };
    let mut covered = [0u8; 12];
    covered[..8].copy_from_slice(&start.to_le_bytes());
    covered[8..].copy_from_slice(&epoch.to_le_bytes());
    crc32c::crc32c_append(crc32c::crc32c(&covered), payload)
}

pub fn frame_header(epoch: u32, start: u64, payload: &[u8]) -> [u8; FRAME] {
    let len = (payload.len() + FRAME) as u32;
    assert!((len as usize) <= GROUP_MAX);
    let mut h = [0u8; FRAME];
    h[..4].copy_from_slice(&(len | (FRAME_MAGIC as u32) << 24).to_le_bytes());
    h[4..].copy_from_slice(&group_crc(epoch, start, payload).to_le_bytes());
    h
}

/// Group length from a frame's first word; `None` when the magic or the length is impossible.
pub fn frame_len(word: u32) -> Option<usize> {
    let len = (word & 0x00FF_FFFF) as usize;
    ((word >> 24) as u8 == FRAME_MAGIC && len > FRAME).then_some(len)
}
