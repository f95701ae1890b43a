//! The rows of a partition in their order, found by their place: in memory, and in blocks of a file where they take more than they may.
//!
//! Functions look at a few places that move on with the current row (the ends of its frame, the row so far before it), so a few blocks that were
//! read last serve nearly all of them.

use crate::context::Reads;
use crate::memory::{Held, heap_of, row_bytes};
use crate::query::eval::Ev;
use crate::query::exec::spool::{damaged, decode_all, put_record};
use crate::query::exec::temp::temp_table;
use crate::query::plan::outcome::{Row, Run};
use crate::value::Value;
use std::collections::VecDeque;
use std::ops::Range;
use weir_engine::Scratch;

/// Bytes of a block, and blocks that are kept of those read last.
const BLOCK: usize = 8 << 10;
const KEPT: usize = 6;
/// What the values of a row take in memory, for each byte in the file, at most about.
const UNPACKED: usize = 4;
/// Rows of a piece of memory.
const PIECE: usize = 256;

pub struct PartitionRows {
    /// Values of a row.
    width: usize,
    /// Pieces of so many rows each, one row's values behind the other's.
    pieces: VecDeque<Vec<Value<'static>>>,
    /// The row that the first piece begins with.
    from: usize,
    /// Rows that nobody looks at any more, and where those in memory end.
    gone: usize,
    end: usize,
    /// A piece that was left, for the next one.
    spare: Vec<Value<'static>>,
    held: Held,
    /// Bytes of rows that may be in memory.
    memory: usize,
    /// The rows behind those in memory.
    filed: Option<Box<Filed>>,
}

struct Filed {
    file: Scratch,
    /// The place of each block's first row, and where it is.
    blocks: Vec<(usize, Range<u64>)>,
    /// The block that is being made.
    waiting: Vec<u8>,
    /// Where the rows in `waiting` begin, and where they end.
    from: usize,
    end: usize,
    /// Blocks that were read, the last one first.
    recent: Vec<(usize, Vec<Row>)>,
    _held: Held,
}

impl PartitionRows {
    pub fn new(memory: usize) -> PartitionRows {
        PartitionRows {
            width: 0,
            pieces: VecDeque::new(),
            from: 0,
            gone: 0,
            end: 0,
            spare: Vec::new(),
            held: Held::default(),
            memory,
            filed: None,
        }
    }

    pub fn len(&self) -> usize {
        self.filed.as_ref().map_or(self.end, |f| f.end)
    }

    /// Takes the values of a row.
    pub async fn push(&mut self, row: &mut Row, reads: Reads<'_>, ev: &Ev<'_>) -> Run<()> {
        if self.filed.is_none() && self.held.bytes() < self.memory {
            ev.cx.hold(&mut self.held, row_bytes(row))?;
            self.keep(row);
            return Ok(());
        }
        let filed = match &mut self.filed {
            Some(filed) => filed,
            none => {
                let mut held = Held::default();
                ev.cx.hold(&mut held, KEPT * BLOCK * UNPACKED)?;
                let from = self.end;
                none.insert(Box::new(Filed {
                    file: temp_table(reads).await?,
                    blocks: Vec::new(),
                    waiting: Vec::new(),
                    from,
                    end: from,
                    recent: Vec::new(),
                    _held: held,
                }))
            }
        };
        put_record(row, &mut filed.waiting);
        row.clear();
        filed.end += 1;
        if filed.waiting.len() >= BLOCK { filed.write().await } else { Ok(()) }
    }

    fn keep(&mut self, row: &mut Row) {
        let full = self.pieces.back().is_none_or(|piece| piece.len() >= PIECE * self.width);
        if full {
            self.width = row.len();
            self.pieces.push_back(std::mem::take(&mut self.spare));
        }
        if let Some(piece) = self.pieces.back_mut() {
            piece.append(row);
            self.end += 1;
        }
    }

    /// All rows of the partition have come.
    pub async fn close(&mut self) -> Run<()> {
        match &mut self.filed {
            Some(filed) => filed.write().await,
            None => Ok(()),
        }
    }

    /// Another partition begins.
    pub fn clear(&mut self) {
        self.pieces.truncate(1);
        self.leave_piece();
        self.held.shrink(self.held.bytes());
        (self.from, self.gone, self.end, self.filed) = (0, 0, 0, None);
    }

    /// The memory of the first piece is for the next one.
    fn leave_piece(&mut self) {
        if let Some(mut piece) = self.pieces.pop_front() {
            piece.clear();
            self.spare = piece;
        }
    }

    /// No row before this one is looked at again.
    pub fn forget_before(&mut self, at: usize) {
        while self.gone < at.min(self.end) {
            let bytes = self.kept(self.gone).map_or(0, row_bytes);
            self.held.shrink(bytes);
            self.gone += 1;
            if self.gone - self.from == PIECE {
                self.leave_piece();
                self.from = self.gone;
            }
        }
    }

    /// Where a row that is in memory is: its piece, and its values there.
    #[inline]
    fn place(&self, at: usize) -> Option<(usize, Range<usize>)> {
        if at < self.gone || at >= self.end {
            return None;
        }
        let (piece, row) = ((at - self.from) / PIECE, (at - self.from) % PIECE);
        Some((piece, row * self.width..(row + 1) * self.width))
    }

    /// A row that is in memory.
    #[inline]
    pub fn kept(&self, at: usize) -> Option<&[Value<'static>]> {
        self.place(at).map(|(piece, values)| &self.pieces[piece][values])
    }

    pub async fn row(&mut self, at: usize) -> Run<&[Value<'static>]> {
        if let Some((piece, values)) = self.place(at) {
            return Ok(&self.pieces[piece][values]);
        }
        match &mut self.filed {
            Some(filed) => Ok(filed.row(at).await?),
            None => Err(damaged().into()),
        }
    }

    /// Puts the values of a row around these cells, of which nothing is looked at afterwards, behind what is in `to`.
    pub async fn take_around(&mut self, at: usize, cells: Range<usize>, to: &mut Row) -> Run<()> {
        if let Some((piece, values)) = self.place(at) {
            let row = &mut self.pieces[piece][values];
            let (before, behind) = row.split_at_mut(cells.end);
            let mut left = 0;
            for v in before[..cells.start].iter_mut().chain(behind) {
                left += heap_of(v);
                to.push(std::mem::take(v));
            }
            // What it was charged for has gone with the values.
            self.held.shrink(left);
            return Ok(());
        }
        let row = self.row(at).await?;
        to.extend(row[..cells.start].iter().chain(&row[cells.end..]).cloned());
        Ok(())
    }
}

impl Filed {
    /// What waits becomes a block.
    async fn write(&mut self) -> Run<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let at = self.file.append(&self.waiting).await?;
        self.blocks.push((self.from, at));
        self.waiting.clear();
        self.from = self.end;
        Ok(())
    }

    async fn row(&mut self, at: usize) -> Run<&Row> {
        let has = |(first, rows): &(usize, Vec<Row>)| (*first..first + rows.len()).contains(&at);
        match self.recent.iter().position(has) {
            Some(0) => {}
            Some(n) => self.recent[..=n].rotate_right(1),
            None => {
                let block = self.blocks.partition_point(|(first, _)| *first <= at);
                let (first, place) = self.blocks[..block].last().ok_or_else(damaged)?;
                let bytes = self.file.read_at(place).await?;
                self.recent.truncate(KEPT - 1);
                self.recent.insert(0, (*first, rows_of(&bytes)?));
            }
        }
        let (first, rows) = self.recent.first().ok_or_else(damaged)?;
        Ok(rows.get(at - first).ok_or_else(damaged)?)
    }
}

fn rows_of(mut bytes: &[u8]) -> Run<Vec<Row>> {
    let mut rows = Vec::new();
    while let Some((len, rest)) = bytes.split_first_chunk() {
        let len = u32::from_le_bytes(*len) as usize;
        let (row, rest) = rest.split_at_checked(len).ok_or_else(damaged)?;
        rows.push(decode_all(row)?);
        bytes = rest;
    }
    Ok(rows)
}
