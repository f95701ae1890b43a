//! The rows of a partition in their order, found by their place: in memory, and in blocks of a file where they take more than they may.
//!
//! Functions look at a few places that move on with the current row (the ends of its frame, the row so far before it), so a few blocks that were
//! read last serve nearly all of them.

use crate::context::Reads;
use crate::memory::{Held, row_bytes};
use crate::query::eval::Ev;
use crate::query::exec::spool::{damaged, decode_all, put_record};
use crate::query::exec::temp::temp_table;
use crate::query::plan::outcome::{Row, Run};
use std::collections::VecDeque;
use std::ops::Range;
use weir_engine::Scratch;

/// Bytes of a block, and blocks that are kept of those read last.
const BLOCK: usize = 8 << 10;
const KEPT: usize = 6;
/// What the values of a row take in memory, for each byte in the file, at most about.
const UNPACKED: usize = 4;

pub struct PartitionRows {
    /// Rows that nobody looks at any more: those in memory begin behind them.
    gone: usize,
    kept: VecDeque<Row>,
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
        let (kept, held) = (VecDeque::new(), Held::default());
        PartitionRows { gone: 0, kept, held, memory, filed: None }
    }

    pub fn len(&self) -> usize {
        self.filed.as_ref().map_or(self.gone + self.kept.len(), |f| f.end)
    }

    pub async fn push(&mut self, row: Row, reads: Reads<'_>, ev: &Ev<'_>) -> Run<()> {
        if self.filed.is_none() && self.held.bytes() < self.memory {
            ev.cx.hold(&mut self.held, row_bytes(&row))?;
            self.kept.push_back(row);
            return Ok(());
        }
        let filed = match &mut self.filed {
            Some(filed) => filed,
            none => {
                let mut held = Held::default();
                ev.cx.hold(&mut held, KEPT * BLOCK * UNPACKED)?;
                let from = self.gone + self.kept.len();
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
        put_record(&row, &mut filed.waiting);
        filed.end += 1;
        if filed.waiting.len() >= BLOCK { filed.write().await } else { Ok(()) }
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
        self.kept.clear();
        self.held.shrink(self.held.bytes());
        (self.gone, self.filed) = (0, None);
    }

    /// No row before this one is looked at again.
    pub fn forget_before(&mut self, at: usize) {
        while self.gone < at
            && let Some(row) = self.kept.pop_front()
        {
            self.gone += 1;
            self.held.shrink(row_bytes(&row));
        }
    }

    /// Two rows, where both are in memory.
    pub fn pair(&self, a: usize, b: usize) -> Option<(&Row, &Row)> {
        let kept = |at: usize| self.kept.get(at.checked_sub(self.gone)?);
        kept(a).zip(kept(b))
    }

    pub async fn row(&mut self, at: usize) -> Run<&Row> {
        match (at.checked_sub(self.gone), &mut self.filed) {
            (Some(n), _) if n < self.kept.len() => Ok(&self.kept[n]),
            (_, Some(filed)) => filed.row(at).await,
            (_, None) => Err(damaged().into()),
        }
    }

    /// The values of a row around these cells, of which nothing is looked at afterwards.
    pub async fn take_around(&mut self, at: usize, cells: Range<usize>) -> Run<Row> {
        let whole = at.checked_sub(self.gone).filter(|n| *n < self.kept.len());
        if let Some(n) = whole {
            let row = &mut self.kept[n];
            let before = row_bytes(row);
            let mut around: Row = row[..cells.start].iter_mut().map(std::mem::take).collect();
            around.extend(row[cells.end..].iter_mut().map(std::mem::take));
            // What it was charged for has gone with the values.
            self.held.shrink(before - row_bytes(row));
            return Ok(around);
        }
        let row = self.row(at).await?;
        Ok(row[..cells.start].iter().chain(&row[cells.end..]).cloned().collect())
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
