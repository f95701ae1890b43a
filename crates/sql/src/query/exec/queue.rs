//! The rows of an INSERT ... SELECT between their reading and their writing: all are read before the first is written, so that the
//! statement does not meet its own rows. Those beyond the memory that they may have wait on disk, in their order.

use super::Boxed;
use super::destination::Takes;
use super::spool::{decode_all, next_record, put_record};
use super::temp::temp_file;
use crate::context::Reads;
use crate::memory::{Account, Held, row_bytes};
use crate::query::eval::Ev;
use crate::query::plan::outcome::{Row, Run};
use crate::session_api::SqlError;
use std::collections::VecDeque;
use weir_engine::{Scratch, ScratchReader, ScratchStream};

/// Bytes of one write, and of one read.
const CHUNK: usize = 256 << 10;

pub struct RowQueue {
    rows: VecDeque<Row>,
    held: Held,
    /// Bytes of rows that may be in memory.
    memory: usize,
    /// Rows behind those in memory.
    rest: ScratchStream,
    file: Option<Scratch>,
    reader: Option<ScratchReader>,
}

impl RowQueue {
    pub fn new(memory: usize) -> RowQueue {
        RowQueue {
            rows: VecDeque::new(),
            held: Held::default(),
            memory,
            rest: ScratchStream::new(CHUNK),
            file: None,
            reader: None,
        }
    }

    pub fn push(&mut self, row: Row, account: Account<'_>) -> Run<()> {
        if self.held.bytes() < self.memory && self.rest.is_empty() {
            self.held.grow(account, row_bytes(&row)).map_err(SqlError::from)?;
            self.rows.push_back(row);
            return Ok(());
        }
        if self.rest.is_empty() {
            // The chunk that waits for its write, and later what is read at once.
            self.held.grow(account, CHUNK).map_err(SqlError::from)?;
        }
        put_record(&row, self.rest.buffer());
        Ok(())
    }

    /// Rows wait for a write ([`RowQueue::write`]).
    pub fn is_due(&self) -> bool {
        self.rest.is_due()
    }

    pub fn write<'q>(&'q mut self, reads: Reads<'q>) -> Boxed<'q, ()> {
        Box::pin(async move {
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(temp_file(reads).await?),
            };
            Ok(self.rest.write(file).await?)
        })
    }

    /// The first row that is left. No row comes after the first call.
    pub async fn next(&mut self, reads: Reads<'_>) -> Run<Option<Row>> {
        if let Some(row) = self.rows.pop_front() {
            self.held.shrink(row_bytes(&row));
            return Ok(Some(row));
        }
        if self.reader.is_none() && !self.rest.is_empty() {
            self.write(reads).await?;
            let rest = std::mem::replace(&mut self.rest, ScratchStream::new(CHUNK));
            self.reader = self.file.as_ref().map(|file| rest.read(file, CHUNK));
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        match next_record(reader).await? {
            Some(bytes) => Ok(Some(decode_all(bytes)?)),
            None => Ok(None),
        }
    }
}

impl Takes for RowQueue {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        self.push(row, ev.cx.session.memory()).map(|()| true)
    }

    fn is_due(&self) -> bool {
        RowQueue::is_due(self)
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, _: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        self.write(reads)
    }
}
