//! Where the rows of a query go: to the client, into memory, into a file.

use super::Run;
use super::expr::{BExpr, Ev, eval};
use super::frame::{Frame, Row};
use super::fulltext::Gathering;
use super::out::{Client, Direct};
use super::textfile::TextWriter;
use crate::memory::{Account, Held, row_bytes};
use crate::session_api::SqlError;
use crate::value::{Value, Warnings};

/// Where rows go.
pub enum Out<'s> {
    Client(Client<'s>),
    /// No more than this many for the client (`sql_select_limit`).
    Some {
        client: Client<'s>,
        left: u64,
    },
    /// Kept; no more than the limit are wanted.
    Rows {
        rows: &'s mut KeptRows,
        limit: usize,
    },
    /// Read by a search.
    Search(&'s mut Gathering),
    /// Written to a file, no more than this many.
    File {
        writer: Box<TextWriter>,
        left: u64,
    },
}

/// Rows in memory, and what is charged for them.
#[derive(Default)]
pub struct KeptRows {
    pub rows: Vec<Row>,
    pub held: Held,
}

impl KeptRows {
    pub fn push(&mut self, row: Row, account: Account<'_>) -> Run<()> {
        self.held.grow(account, row_bytes(&row)).map_err(SqlError::from)?;
        self.rows.push(row);
        Ok(())
    }
}

impl Out<'_> {
    /// False: no more rows are wanted.
    pub fn frame(
        &mut self,
        items: &[BExpr],
        direct: Option<&Direct<'_>>,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Run<bool> {
        match self {
            Out::Client(client) => {
                client.block_row(items, direct, f, ev)?;
                Ok(true)
            }
            Out::Some { left: 0, .. } => Ok(false),
            Out::Some { client, left } => {
                *left -= 1;
                client.block_row(items, direct, f, ev)?;
                Ok(*left > 0)
            }
            Out::Rows { rows, limit } => {
                let row = items
                    .iter()
                    .map(|e| eval(e, f, ev).map(Value::into_owned))
                    .collect::<Result<Row, _>>()?;
                rows.push(row, ev.cx.session.memory())?;
                Ok(rows.rows.len() < *limit)
            }
            Out::Search(search) => search.row(items, f, ev).map(|()| true),
            Out::File { writer, left } => {
                let row = items.iter().map(|e| eval(e, f, ev));
                let row = row.collect::<Result<Vec<Value<'_>>, _>>()?;
                writer.row(row.into_iter(), &mut ev.cx.warnings)?;
                *left -= 1;
                Ok(*left > 0)
            }
        }
    }

    pub fn row(&mut self, row: Row, account: Account<'_>) -> Run<bool> {
        match self {
            Out::Client(c) => c.row(&row).map(|()| true),
            Out::Some { left: 0, .. } => Ok(false),
            Out::Some { client, left } => {
                *left -= 1;
                client.row(&row).map(|()| *left > 0)
            }
            Out::Rows { rows, limit } => {
                rows.push(row, account)?;
                Ok(rows.rows.len() < *limit)
            }
            Out::Search(_) => {
                debug_assert!(false, "a search reads a table");
                Ok(false)
            }
            Out::File { writer, left } => {
                writer.row(row.into_iter(), &mut Warnings::with_limit(0))?;
                *left -= 1;
                Ok(*left > 0)
            }
        }
    }
}
