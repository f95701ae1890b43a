//! Reads the stream from a checkpoint to its end and tells a torn tail from damage in the middle.
//!
//! Cost: each byte is read once and covered by one checksum. Behind the end only marks are searched for: a mark is a group of its
//! own of at most [`MARK_MAX`] bytes, and a checksum is computed only where the bytes are those of a whole mark that speaks of an
//! LSN between the end and its own place. A stale mark of an earlier lap speaks of an LSN before the end, so it costs a comparison.

use super::control::Control;
use super::segments::Segments;
use super::{FRAME, FRAME_MAGIC, frame_len, group_crc};
use crate::error::{Error, Result};
use crate::ids::Lsn;
use crate::page::codec::Reader;
use crate::page::redo::{self, Redo};
use crate::planted::{self, Bug};
use std::sync::Arc;
use weir_rt::{JoinHandle, Rt};

/// Bytes of the first read and of the largest: most logs to be read are short, the others are read in large pieces.
const FIRST: usize = 256 << 10;
const CHUNK: usize = 4 << 20;

/// Shortest and longest group that holds a mark alone: a tag and a varint of one to ten bytes.
const MARK_MIN: usize = FRAME + 2;
const MARK_MAX: usize = FRAME + 11;

/// A torn tail is shorter than what one buffer can hold in flight.
const SEARCH: u64 = 64 << 20;

/// The stream in chunks; with a runtime the next one is on its way while the last one is worked on.
struct Chunks {
    segments: Arc<Segments>,
    rt: Option<Rt>,
    next: Lsn,
    size: usize,
    ahead: Option<JoinHandle<Result<Vec<u8>>>>,
}

impl Chunks {
    fn from(segments: &Arc<Segments>, next: Lsn, rt: Option<Rt>) -> Chunks {
        Chunks { segments: segments.clone(), rt, next, size: FIRST, ahead: None }
    }

    /// Empty at the end of the segments.
    async fn next(&mut self) -> Result<Vec<u8>> {
        let chunk = match self.ahead.take() {
            Some(read) => read.await?,
            None => self.segments.read(self.next, self.size).await?,
        };
        self.next += chunk.len() as u64;
        if self.size > FIRST
            && let (Some(rt), false) = (&self.rt, chunk.is_empty())
        {
            let (segments, at, size) = (self.segments.clone(), self.next, self.size);
            let read = async move { segments.read(at, size).await };
            self.ahead = Some(rt.spawn("weir-log-ahead", read));
        }
        self.size = (self.size * 4).min(CHUNK);
        Ok(chunk)
    }
}

pub struct LogReader<'a> {
    control: &'a Control,
    chunks: Chunks,
    /// LSN of `buf[at]`.
    pub position: Lsn,
    buf: Vec<u8>,
    at: usize,
    /// Where the payload of the group last read lies in `buf`.
    payload: std::ops::Range<usize>,
    done: bool,
    /// Highest LSN that some group, or the control file, says was durable.
    durable: Lsn,
}

impl<'a> LogReader<'a> {
    pub fn new(segments: &Arc<Segments>, control: &'a Control, from: Lsn) -> LogReader<'a> {
        LogReader {
            control,
            chunks: Chunks::from(segments, from, None),
            position: from,
            buf: Vec::new(),
            at: 0,
            payload: 0..0,
            done: false,
            durable: from.max(control.durable),
        }
    }

    /// From now on the next chunk is read by a task while the caller works on the last one.
    pub fn reading_ahead(mut self, rt: &Rt) -> LogReader<'a> {
        self.chunks.rt = Some(rt.clone());
        self
    }

    async fn fill(&mut self, need: usize) -> Result<bool> {
        while self.buf.len() - self.at < need {
            self.buf.drain(..self.at);
            self.at = 0;
            let more = self.chunks.next().await?;
            if more.is_empty() {
                return Ok(false);
            }
            self.buf.extend_from_slice(&more);
        }
        Ok(true)
    }

    /// Goes to the next group and returns its start LSN; `None` at the end of the log.
    pub async fn next(&mut self) -> Result<Option<Lsn>> {
        if self.done {
            return Ok(None);
        }
        if let Some(len) = self.group_at().await? {
            let start = self.position;
            self.payload = self.at + FRAME..self.at + len;
            self.at += len;
            self.position += len as u64;
            if let Some(d) = mark_of(self.payload()) {
                self.durable = self.durable.max(d);
            }
            return Ok(Some(start));
        }
        self.done = true;
        self.expect_torn_tail().await?;
        Ok(None)
    }

    /// What the group last read holds.
    pub fn payload(&self) -> &[u8] {
        &self.buf[self.payload.clone()]
    }

    /// Whether another group follows. The payload of the last one is gone.
    pub async fn has_next(&mut self) -> Result<bool> {
        Ok(self.group_at().await?.is_some())
    }

    /// Length of the valid group at the position.
    async fn group_at(&mut self) -> Result<Option<usize>> {
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
        Ok((right == crc || planted::is(Bug::LogTailCutLate)).then_some(len))
    }

    /// The first invalid group ends the log, unless a mark, or the control file, says that what follows had been durable.
    async fn expect_torn_tail(&mut self) -> Result<()> {
        let end = self.position;
        let durable = match self.durable > end {
            true => Some(self.durable),
            false => self.mark_behind(end).await?,
        };
        let Some(d) = durable else { return Ok(()) };
        let file = self.chunks.segments.file_at(end).unwrap_or_default();
        Err(Error::corrupt_log(
            end,
            format!(
                "a hole: bytes up to LSN {d} had been synced, but the group at LSN {end} in file '{file}' is not valid. Either \
                 the file is damaged, or it is older than the control file; put back the redo files that belong to this \
                 directory, or restore a backup"
            ),
        ))
    }

    /// The LSN of a mark behind the end of the log that says that more had been synced.
    async fn mark_behind(&self, end: Lsn) -> Result<Option<Lsn>> {
        let mut chunks = Chunks::from(&self.chunks.segments, end, None);
        let (mut buf, mut base) = (Vec::new(), end);
        while base < end + SEARCH {
            let more = chunks.next().await?;
            if more.is_empty() {
                break;
            }
            buf.extend_from_slice(&more);
            if let Some(d) = find_mark(&buf, base, end, self.control) {
                return Ok(Some(d));
            }
            // The beginning of a mark stays.
            let gone = buf.len().saturating_sub(MARK_MAX - 1);
            buf.drain(..gone);
            base += gone as u64;
        }
        Ok(None)
    }
}

/// The first valid mark in `buf`, whose first byte has LSN `base`, that speaks of an LSN behind `end`.
fn find_mark(buf: &[u8], base: Lsn, end: Lsn, control: &Control) -> Option<Lsn> {
    let mut from = 3;
    while let Some(found) = buf[from.min(buf.len())..].iter().position(|b| *b == FRAME_MAGIC) {
        let magic = from + found;
        from = magic + 1;
        let at = magic - 3;
        if buf[at + 1] != 0 || buf[at + 2] != 0 {
            continue;
        }
        let len = usize::from(buf[at]);
        if !(MARK_MIN..=MARK_MAX).contains(&len) || at + len > buf.len() {
            continue;
        }
        let (payload, lsn) = (&buf[at + FRAME..at + len], base + at as u64);
        let Some(d) = mark_of(payload).filter(|d| *d > end && *d <= lsn) else { continue };
        let crc = u32::from_le_bytes(buf[at + 4..at + 8].try_into().expect("four bytes"));
        if group_crc(control.epoch_at(lsn), lsn, payload) == crc {
            return Some(d);
        }
    }
    None
}

fn mark_of(payload: &[u8]) -> Option<Lsn> {
    let (mut r, mut last) = (Reader::new(payload), None);
    match redo::decode(&mut r, &mut last) {
        Ok((None, Redo::Mark { durable })) => Some(durable),
        _ => None,
    }
}

/// The epoch that the group at `lsn` says began there, if it is one that `control` has not heard of: the log has gone on in a
/// later life than the control file is of.
pub async fn later_life(segments: &Segments, control: &Control, lsn: Lsn) -> Result<Option<u32>> {
    let known = control.epochs.last().map_or(0, |e| e.1);
    let b = segments.read(lsn, FRAME + 6).await?;
    let Some(head) = b.get(..FRAME) else { return Ok(None) };
    let word = u32::from_le_bytes(head[..4].try_into().expect("four bytes"));
    let crc = u32::from_le_bytes(head[4..8].try_into().expect("four bytes"));
    let Some(payload) = frame_len(word).and_then(|len| b.get(FRAME..len)) else { return Ok(None) };
    match redo::decode(&mut Reader::new(payload), &mut None) {
        Ok((None, Redo::Life { epoch })) if epoch > known => {
            Ok((group_crc(epoch, lsn, payload) == crc).then_some(epoch))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::frame_header;

    fn control(epochs: &[(Lsn, u32)]) -> Control {
        Control {
            seq: 1,
            id: [1; 16],
            page_size: 4096,
            checkpoint: 4096,
            segment_size: 1 << 20,
            segments: 4,
            clean: false,
            durable: 0,
            sample: (0, 0),
            history: 0,
            damaged: Vec::new(),
            epochs: epochs.to_vec(),
        }
    }

    fn mark(epoch: u32, at: Lsn, durable: Lsn) -> Vec<u8> {
        let mut payload = Vec::new();
        Redo::Mark { durable }.encode(None, &mut None, &mut payload);
        let mut group = frame_header(epoch, at, &payload).to_vec();
        assert!((MARK_MIN..=MARK_MAX).contains(&(group.len() + payload.len())));
        group.extend(payload);
        group
    }

    /// (epoch and LSN that the mark was written with, what it speaks of, found)
    #[test]
    fn only_a_mark_of_this_life_that_speaks_of_more_than_the_end_is_found() {
        let (base, end) = (1_000_000, 1_000_000);
        let c = control(&[(4096, 3)]);
        let cases = [
            ("synced behind the end", 3, base + 50, end + 20, Some(end + 20)),
            ("nothing behind the end", 3, base + 50, end, None),
            ("an earlier lap's, at the same place", 3, base - 77_777, end - 90_000, None),
            ("the life before the crash", 2, base + 50, end + 20, None),
            ("of another place", 3, base + 51, end + 20, None),
            ("of what comes behind it", 3, base + 50, base + 51, None),
        ];
        for (what, epoch, at, durable, expected) in cases {
            let mut buf = vec![0xB5; 50];
            buf.extend(mark(epoch, at, durable));
            buf.extend([0xB5; 7]);
            assert_eq!(find_mark(&buf, base, end, &c), expected, "{what}");
        }
    }

    #[test]
    fn the_longest_and_the_shortest_mark_are_within_the_bounds() {
        assert_eq!(mark(1, 1, 1).len(), MARK_MIN);
        assert_eq!(mark(1, 1, u64::MAX).len(), MARK_MAX);
    }
}
