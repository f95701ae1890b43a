//! Reads the stream from a checkpoint to its end and tells a torn tail from damage in the middle.

use super::control::Control;
use super::segments::Segments;
use super::{FRAME, frame_len, group_crc};
use crate::error::{Error, Result};
use crate::ids::Lsn;
use crate::page::codec::Reader;
use crate::page::redo::{self, Redo};
use crate::planted::{self, Bug};

const CHUNK: usize = 1 << 20;

pub struct LogReader<'a> {
    segments: &'a Segments,
    control: &'a Control,
    /// LSN of `buf[at]`.
    pub position: Lsn,
    buf: Vec<u8>,
    at: usize,
    done: bool,
    /// Highest LSN that some group says was durable.
    durable: Lsn,
}

impl<'a> LogReader<'a> {
    pub fn new(segments: &'a Segments, control: &'a Control, from: Lsn) -> LogReader<'a> {
        LogReader {
            segments,
            control,
            position: from,
            buf: Vec::new(),
            at: 0,
            done: false,
            durable: from,
        }
    }

    async fn fill(&mut self, need: usize) -> Result<bool> {
        while self.buf.len() - self.at < need {
            self.buf.drain(..self.at);
            self.at = 0;
            let next = self.position + self.buf.len() as u64;
            let more = self.segments.read(next, CHUNK).await?;
            if more.is_empty() {
                return Ok(false);
            }
            self.buf.extend_from_slice(&more);
        }
        Ok(true)
    }

    /// The next group's start LSN and payload; `None` at the end of the log.
    pub async fn next(&mut self) -> Result<Option<(Lsn, Vec<u8>)>> {
        if self.done {
            return Ok(None);
        }
        if let Some(payload) = self.group_at().await? {
            let start = self.position;
            let len = payload.len() + FRAME;
            self.at += len;
            self.position += len as u64;
            if let Some(d) = mark_of(&payload) {
                self.durable = self.durable.max(d);
            }
            return Ok(Some((start, payload)));
        }
        self.done = true;
        self.expect_torn_tail().await?;
        Ok(None)
    }

    async fn group_at(&mut self) -> Result<Option<Vec<u8>>> {
        if !self.fill(FRAME).await? {
            return Ok(None);
        }
        let head = &self.buf[self.at..self.at + FRAME];
        let word = u32::from_le_bytes(head[..4].try_into().expect("four bytes"));
        let crc = u32::from_le_bytes(head[4..8].try_into().expect("four bytes"));
        let Some(len) = frame_len(word) else { return Ok(None) };
        if !self.fill(len).await? {
            return Ok(None);
        }
        let payload = &self.buf[self.at + FRAME..self.at + len];
        let right = group_crc(self.control.epoch_at(self.position), self.position, payload);
        Ok((right == crc || planted::is(Bug::LogTailCutLate)).then(|| payload.to_vec()))
    }

    /// The first invalid group ends the log, unless a mark says that what follows had been durable: a later group is
    /// searched for at every byte, and its own mark is believed because its checksum covers its position.
    async fn expect_torn_tail(&mut self) -> Result<()> {
        let end = self.position;
        let mut probe = LogReader {
            segments: self.segments,
            control: self.control,
            position: end,
            buf: Vec::new(),
            at: 0,
            done: true,
            durable: end,
        };
        let hole = |d: Lsn| {
            Err(Error::corrupt_log(
                end,
                format!(
                    "a hole: bytes up to LSN {d} had been synced, but the group at LSN {end} is not valid; \
                     restore the file or start from a backup"
                ),
            ))
        };
        if self.durable > end {
            return hole(self.durable);
        }
        // A torn tail is shorter than what one buffer can hold in flight.
        let limit = end + (64 << 20);
        while probe.position < limit {
            if !probe.fill(FRAME).await? {
                break;
            }
            let word = u32::from_le_bytes(
                probe.buf[probe.at..probe.at + 4].try_into().expect("four bytes"),
            );
            if frame_len(word).is_some()
                && let Some(payload) = probe.group_at().await?
                && let Some(d) = mark_of(&payload)
                && d > end
            {
                return hole(d);
            }
            probe.at += 1;
            probe.position += 1;
        }
        Ok(())
    }
}

fn mark_of(payload: &[u8]) -> Option<Lsn> {
    let (mut r, mut last) = (Reader::new(payload), None);
    match redo::decode(&mut r, &mut last) {
        Ok((None, Redo::Mark { durable })) => Some(durable),
        _ => None,
    }
}
