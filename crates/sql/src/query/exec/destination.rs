//! Where the rows of a query go: to the client, into memory, into a file.

use super::fulltext::Gathering;
use super::out::{Client, Direct};
use crate::memory::Account;
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::BExpr;
use crate::query::plan::outcome::{KeptRows, Row, Run};
use crate::query::textfile::TextWriter;
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
