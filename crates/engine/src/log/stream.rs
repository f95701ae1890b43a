//! The log as bytes that come in pieces: its groups, whatever the pieces. For copies of the log, which are not in segment files.

use super::{FRAME, frame_len, group_crc};
use crate::error::{Error, Result};
use crate::ids::{Lsn, PageId};
use crate::page::codec::Reader;
use crate::page::redo::{self, Redo};
use std::ops::Range;

/// Takes pieces and gives groups. Each group is checked; a life record that begins an epoch is understood.
pub struct GroupStream {
    buf: Vec<u8>,
    /// Offset in `buf` of the byte at `position`.
    at: usize,
    /// LSN of the next group.
    position: Lsn,
    epochs: Vec<(Lsn, u32)>,
}

impl GroupStream {
    /// `epochs`: as the control file had them when the log was at `from`.
    pub fn new(from: Lsn, epochs: &[(Lsn, u32)]) -> GroupStream {
        GroupStream { buf: Vec::new(), at: 0, position: from, epochs: epochs.to_vec() }
    }

    pub fn position(&self) -> Lsn {
        self.position
    }

    /// The LSN behind all bytes that came.
    pub fn end(&self) -> Lsn {
        self.position + (self.buf.len() - self.at) as u64
    }

    /// Those of the beginning, and those that were met.
    pub fn epochs(&self) -> &[(Lsn, u32)] {
        &self.epochs
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.buf.drain(..self.at);
        self.at = 0;
        self.buf.extend_from_slice(bytes);
    }

    /// The next whole group: where it begins, and its bytes, frame included, in [`GroupStream::bytes`].
    pub fn next_group(&mut self) -> Result<Option<(Lsn, Range<usize>)>> {
        let rest = &self.buf[self.at..];
        let Some(head) = rest.get(..FRAME) else { return Ok(None) };
        let word = u32::from_le_bytes(head[..4].try_into().expect("four bytes"));
        let crc = u32::from_le_bytes(head[4..].try_into().expect("four bytes"));
        let start = self.position;
        let damaged = || Error::corrupt_log(start, "the group that begins here is damaged");
        let len = frame_len(word).ok_or_else(damaged)?;
        let Some(payload) = rest.get(FRAME..len) else { return Ok(None) };
        let known = self.epochs.iter().rev().find(|(from, _)| *from <= start).map_or(0, |e| e.1);
        if group_crc(known, start, payload) != crc {
            let next = life_of(payload).filter(|e| *e > known);
            let next = next.filter(|e| group_crc(*e, start, payload) == crc);
            self.epochs.push((start, next.ok_or_else(damaged)?));
        }
        let range = self.at..self.at + len;
        self.at += len;
        self.position += len as u64;
        Ok(Some((start, range)))
    }

    pub fn bytes(&self, group: Range<usize>) -> &[u8] {
        &self.buf[group]
    }

    /// The records of a group.
    pub fn records(
        &self,
        start: Lsn,
        group: Range<usize>,
        mut f: impl FnMut(Option<PageId>, Redo<'_>),
    ) -> Result<()> {
        let (mut r, mut last) = (Reader::new(&self.buf[group][FRAME..]), None);
        while !r.is_empty() {
            let (page, rec) = redo::decode(&mut r, &mut last)
                .map_err(|_| Error::corrupt_log(start, "a record of this group cannot be read"))?;
            f(page, rec);
        }
        Ok(())
    }
}

/// The epoch that a life record alone in its group speaks of.
fn life_of(payload: &[u8]) -> Option<u32> {
    match redo::decode(&mut Reader::new(payload), &mut None) {
        Ok((None, Redo::Life { epoch })) => Some(epoch),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::frame_header;

    fn group(epoch: u32, at: Lsn, rec: &Redo<'_>) -> Vec<u8> {
        let mut payload = Vec::new();
        rec.encode(None, &mut None, &mut payload);
        let mut out = frame_header(epoch, at, &payload).to_vec();
        out.extend(payload);
        out
    }

    /// Three groups, of which the second begins a later life.
    fn log() -> Vec<u8> {
        let mut all = group(1, 100, &Redo::FileDelete { space: 20 });
        for rec in [Redo::Life { epoch: 4 }, Redo::FileDelete { space: 21 }] {
            let next = group(4, 100 + all.len() as u64, &rec);
            all.extend(next);
        }
        all
    }

    fn deleted(s: &mut GroupStream) -> Result<Vec<u32>> {
        let mut out = Vec::new();
        while let Some((start, g)) = s.next_group()? {
            s.records(start, g, |_, rec| {
                if let Redo::FileDelete { space } = rec {
                    out.push(space);
                }
            })?;
        }
        Ok(out)
    }

    #[test]
    fn groups_are_found_whatever_the_pieces_and_a_later_life_is_understood() {
        let log = log();
        for piece in [1, 3, 7, log.len()] {
            let (mut s, mut all) = (GroupStream::new(100, &[(90, 1)]), Vec::new());
            for p in log.chunks(piece) {
                s.push(p);
                all.extend(deleted(&mut s).unwrap());
            }
            assert_eq!(all, [20, 21]);
            assert_eq!((s.position(), s.end()), (100 + log.len() as u64, 100 + log.len() as u64));
            assert_eq!(s.epochs().len(), 2);
        }
    }

    #[test]
    fn each_flipped_bit_is_damage() {
        let log = log();
        for bit in 0..log.len() * 8 {
            let mut bad = log.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let mut s = GroupStream::new(100, &[(90, 1)]);
            s.push(&bad);
            // A length that became larger waits for bytes that never come.
            let whole = deleted(&mut s).is_ok() && s.position() == s.end();
            assert!(!whole, "bit {bit}");
        }
    }

    #[test]
    fn an_earlier_life_is_no_later_one() {
        let mut s = GroupStream::new(100, &[(90, 9)]);
        s.push(&group(4, 100, &Redo::Life { epoch: 4 }));
        assert!(s.next_group().is_err());
    }
}
