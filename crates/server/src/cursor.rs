//! Cursors of prepared statements: the rows of an execution that asked for one, kept until the client has fetched them.
//!
//! As in MySQL the statement runs to its end before anything is sent, so that a cursor holds no lock and an error comes in the place
//! of the columns. The rows stand as packets, on the session's account of memory, until they are fetched or the statement is
//! executed again, reset or closed. Statements without rows, and CALL with its several results, have no cursor.

use crate::conn::Output;
use crate::sink::{Final, binary_row, column, status};
use std::collections::VecDeque;
use std::sync::Arc;
use weir_sql::memory::{Held, SessionMemory};
use weir_sql::session_api::{
    ColumnMeta, OkInfo, OutValue, ResultSink, SinkError, SqlError, StatusFlags,
};
use weir_wire::{Capabilities, Status, put_lenenc_int, response};

/// Rows that wait for their client.
pub struct Cursor {
    rows: VecDeque<Box<[u8]>>,
    held: Held,
}

impl Cursor {
    /// Sends the next rows, and whether there may be more. False: that was the last.
    pub fn fetch(
        &mut self,
        rows: u32,
        out: &mut Output,
        caps: Capabilities,
        flags: StatusFlags,
    ) -> bool {
        let mut sent = 0;
        while sent < rows
            && let Some(row) = self.rows.pop_front()
        {
            out.packet(|buf| buf.extend_from_slice(&row));
            self.held.shrink(row.len() + size_of::<Box<[u8]>>());
            sent += 1;
            if out.flush_if_full().is_err() {
                return false;
            }
        }
        // As in MySQL a fetch that was given all that it asked for does not look whether anything is left.
        let open = sent == rows;
        let mark = if open { Status::CURSOR_EXISTS } else { Status::LAST_ROW_SENT };
        let status = status(flags, false).with(true, mark);
        let ok = response::Ok { status, ..response::Ok::default() };
        out.packet(|buf| response::put_end_of_rows(buf, caps, &ok));
        open
    }
}

/// Takes an execution's rows for a cursor.
pub struct CursorSink {
    memory: Arc<SessionMemory>,
    columns: Vec<ColumnMeta>,
    types: Vec<(u8, u16, u32)>,
    rows: VecDeque<Box<[u8]>>,
    held: Held,
    /// The session may not hold the rows: the statement fails with this.
    pub refused: Option<SqlError>,
    pub last: Option<Final>,
    /// Rows that are kept for the client.
    pub sent: u64,
}

impl CursorSink {
    pub fn new(memory: Arc<SessionMemory>) -> CursorSink {
        CursorSink {
            memory,
            columns: Vec::new(),
            types: Vec::new(),
            rows: VecDeque::new(),
            held: Held::default(),
            refused: None,
            last: None,
            sent: 0,
        }
    }

    /// Sends the columns and that there is a cursor; `None` without columns.
    pub fn open(self, out: &mut Output, caps: Capabilities, flags: StatusFlags) -> Option<Cursor> {
        if self.columns.is_empty() {
            return None;
        }
        out.packet(|buf| put_lenenc_int(buf, self.columns.len() as u64));
        for c in &self.columns {
            out.packet(|buf| response::put_column(buf, &column(c)));
        }
        let warnings = self.last.map_or(0, |l| l.warnings);
        let status = status(flags, false).with(true, Status::CURSOR_EXISTS);
        let ok = response::Ok { status, warnings, ..response::Ok::default() };
        out.packet(|buf| response::put_end_of_rows(buf, caps, &ok));
        Some(Cursor { rows: self.rows, held: self.held })
    }
}

impl ResultSink for CursorSink {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        self.columns = cols.to_vec();
        self.types = cols.iter().map(|c| (c.type_code, c.flags, c.length)).collect();
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.sent += 1;
        let mut packet = Vec::new();
        binary_row(&mut packet, row, &self.types);
        let bytes = packet.len() + size_of::<Box<[u8]>>();
        if let Err(over) = self.held.grow(Some(&self.memory), bytes) {
            self.refused = Some(over.into());
            return Err(SinkError);
        }
        self.rows.push_back(packet.into_boxed_slice());
        Ok(())
    }

    fn end_rows(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        self.last = Some(Final::of(ok, true, false));
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        self.last = Some(Final::of(ok, false, false));
        Ok(())
    }
}
