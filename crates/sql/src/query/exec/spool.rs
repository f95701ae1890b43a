//! Rows that are put aside because what they belong to has no room in memory: groups, and rows of DISTINCT. They wait on disk in
//! parts by their key, so that all rows of a key are in one part, in their order; when what is in memory has gone out, a part is read
//! back as if it were the input, and what of it has no room waits in parts again.
//!
//! An entry: its length and that of its key, four bytes each, the key, and what its owner wrote.
//!
//! Invariants:
//! - A part is divided by another hash of the key than the one that it came from. And anyone who reads it keeps at least its first key, so it
//!   ends whatever the hashes are.
//! - Files and streams go with the spool; nothing of them outlives the statement.

use super::temp::temp_table;
use crate::context::Reads;
use crate::memory::{Held, Over};
use crate::planted::{self, Bug};
use crate::query::plan::outcome::{Row, Run};
use crate::session_api::SqlError;
use crate::value::encoded::{decode, encode};
use crate::value::{EvalCtx, Value};
use std::hash::{DefaultHasher, Hasher};
use weir_engine::{Scratch, ScratchReader, ScratchStream};

/// Parts that rows are divided into.
const PARTS: usize = 16;
/// The fewest and the most bytes of one write of a part.
const CHUNKS: (usize, usize) = (4 << 10, 64 << 10);

pub struct Spool {
    file: Option<Scratch>,
    parts: Partitions,
    /// Parts that are complete, and how often they have been divided.
    waiting: Vec<(ScratchStream, u32)>,
    /// Bytes of groups or keys that its owner may keep.
    memory: usize,
    _held: Held,
}

impl Spool {
    /// `memory`: what its owner may keep; the parts take no more than a share of that, or the least that is worth a write.
    pub fn new(memory: usize, cx: &EvalCtx<'_>) -> Result<Spool, Over> {
        let mut held = Held::default();
        // What is read of a part at once.
        held.grow(cx.session.memory(), CHUNKS.1)?;
        let parts = Partitions::new(memory, 0, cx)?;
        Ok(Spool { file: None, parts, waiting: Vec::new(), memory, _held: held })
    }

    /// Begins an entry; what belongs to it goes behind what is in the buffer, and [`Spool::end`] ends it.
    pub fn begin(&mut self, key: &[u8]) -> &mut Vec<u8> {
        self.parts.begin(key)
    }

    pub fn end(&mut self) {
        self.parts.end();
    }

    /// Some part has enough for a write.
    pub fn is_due(&self) -> bool {
        self.parts.is_due()
    }

    /// Writes the parts that have enough.
    pub async fn write(&mut self, reads: Reads<'_>) -> Run<()> {
        self.parts.write(opened(&mut self.file, reads).await?).await
    }

    /// No more entries come until a part is read: the next part, if there is one.
    pub async fn next_part(&mut self, reads: Reads<'_>) -> Run<Option<Part>> {
        let divided = self.parts.depth + 1;
        let forgotten = divided > 1 && planted::is(Bug::PartForgotten);
        if !self.parts.is_empty() && !forgotten {
            let complete = self.parts.close(opened(&mut self.file, reads).await?).await?;
            let complete = complete.into_iter().filter(|part| !part.is_empty());
            self.waiting.extend(complete.map(|part| (part, divided)));
        }
        self.parts.begin_division(self.memory, divided);
        let (Some((stream, depth)), Some(file)) = (self.waiting.pop(), &self.file) else {
            return Ok(None);
        };
        self.parts.begin_division(self.memory, depth);
        Ok(Some(Part(stream.read(file, CHUNKS.1))))
    }
}

/// Entries divided by a hash of their keys, on their way into a file.
pub struct Partitions {
    streams: Vec<ScratchStream>,
    /// How often the entries have been divided before: it chooses the hash.
    depth: u32,
    due: bool,
    /// The part of the entry at hand, and where it begins.
    entry: (usize, usize),
    _held: Held,
}

impl Partitions {
    /// `memory`: what the owner of the entries may keep of them in memory.
    pub fn new(memory: usize, depth: u32, cx: &EvalCtx<'_>) -> Result<Partitions, Over> {
        let mut held = Held::default();
        held.grow(cx.session.memory(), PARTS * chunk(memory))?;
        let mut parts =
            Partitions { streams: Vec::new(), depth, due: false, entry: (0, 0), _held: held };
        parts.begin_division(memory, depth);
        Ok(parts)
    }

    fn begin_division(&mut self, memory: usize, depth: u32) {
        self.streams = (0..PARTS).map(|_| ScratchStream::new(chunk(memory))).collect();
        (self.depth, self.due) = (depth, false);
    }

    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.streams.len()
    }

    /// The part that entries with this key go to.
    pub fn part_of(&self, key: &[u8]) -> usize {
        let mut hash = DefaultHasher::new();
        hash.write_u32(self.depth);
        hash.write(key);
        hash.finish() as usize % PARTS
    }

    /// Begins an entry; what belongs to it goes behind what is in the buffer, and [`Partitions::end`] ends it.
    pub fn begin(&mut self, key: &[u8]) -> &mut Vec<u8> {
        let part = self.part_of(key);
        let to = self.streams[part].buffer();
        self.entry = (part, to.len());
        begin_entry(key, to);
        to
    }

    pub fn end(&mut self) {
        let (part, at) = self.entry;
        end_entry(self.streams[part].buffer(), at);
        self.due |= self.streams[part].is_due();
    }

    /// Some part has enough for a write.
    pub fn is_due(&self) -> bool {
        self.due
    }

    fn is_empty(&self) -> bool {
        self.streams.iter().all(ScratchStream::is_empty)
    }

    /// Writes the parts that have enough.
    pub async fn write(&mut self, file: &mut Scratch) -> Run<()> {
        for part in self.streams.iter_mut().filter(|p| p.is_due()) {
            part.write(file).await?;
        }
        self.due = false;
        Ok(())
    }

    /// All entries have come: the parts, empty ones as well. Two sets of entries that were divided equally often have the entries of a key at
    /// the same place.
    pub async fn close(&mut self, file: &mut Scratch) -> Run<Vec<ScratchStream>> {
        for part in &mut self.streams {
            part.close(file).await?;
        }
        Ok(std::mem::take(&mut self.streams))
    }
}

/// Bytes of one write of a part.
fn chunk(memory: usize) -> usize {
    (memory / PARTS / 4).clamp(CHUNKS.0, CHUNKS.1)
}

/// Begins an entry at the end of a buffer.
pub fn begin_entry(key: &[u8], to: &mut Vec<u8>) {
    to.extend_from_slice(&[0; 4]);
    to.extend_from_slice(&(key.len() as u32).to_le_bytes());
    to.extend_from_slice(key);
}

/// Ends the entry that begins at `at`.
pub fn end_entry(to: &mut [u8], at: usize) {
    let len = (to.len() - at - 4) as u32;
    to[at..at + 4].copy_from_slice(&len.to_le_bytes());
}

async fn opened<'r>(file: &'r mut Option<Scratch>, reads: Reads<'_>) -> Run<&'r mut Scratch> {
    Ok(match file {
        Some(file) => file,
        none => none.insert(temp_table(reads).await?),
    })
}

/// The entries of a part.
pub struct Part(ScratchReader);

impl Part {
    /// The entries of a stream from its first one on.
    pub fn of(stream: &ScratchStream, file: &Scratch) -> Part {
        Part(stream.read(file, CHUNKS.1))
    }

    /// The next entry: its key, and what its owner wrote.
    pub async fn next(&mut self) -> Run<Option<(&[u8], &[u8])>> {
        let Some(len) = self.0.take(4).await? else { return Ok(None) };
        let len = u32::from_le_bytes(len.try_into().unwrap_or_default());
        let entry = self.0.must(len as usize).await?;
        let split = entry
            .split_first_chunk()
            .and_then(|(len, rest)| rest.split_at_checked(u32::from_le_bytes(*len) as usize));
        Ok(Some(split.ok_or_else(damaged)?))
    }
}

/// Puts a row behind what is in a buffer: its length in four bytes, and its values.
pub fn put_record(row: &[Value<'_>], to: &mut Vec<u8>) {
    let at = to.len();
    to.extend_from_slice(&[0; 4]);
    row.iter().for_each(|v| encode(v, to));
    end_entry(to, at);
}

/// The bytes of the next row that [`put_record`] has put; `None` at the end.
pub async fn next_record(from: &mut ScratchReader) -> Run<Option<&[u8]>> {
    let Some(len) = from.take(4).await? else { return Ok(None) };
    let len = u32::from_le_bytes(len.try_into().unwrap_or_default());
    Ok(Some(from.must(len as usize).await?))
}

/// The values of a row that waited on disk.
pub fn decode_all(bytes: &[u8]) -> Run<Row> {
    let mut row = Row::new();
    decode_into(bytes, &mut row)?;
    Ok(row)
}

/// The same, behind what is in `row`.
pub fn decode_into(mut bytes: &[u8], row: &mut Row) -> Run<()> {
    while !bytes.is_empty() {
        row.push(decode(&mut bytes).ok_or_else(damaged)?);
    }
    Ok(())
}

pub fn damaged() -> SqlError {
    SqlError::internal("a row that waited on disk was read back damaged")
}
