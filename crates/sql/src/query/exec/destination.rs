//! Where the rows of a query go: to the client, into memory, into a file; those of a UNION ALL's branches to where its own go.

use super::fulltext::Gathering;
use super::out::{Client, Direct};
use super::queue::RowQueue;
use crate::query::eval::fitted::{coerce_in_set, in_union};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::BExpr;
use crate::query::plan::outcome::{KeptRows, Row, Run};
use crate::query::textfile::TextWriter;
use crate::value::{SqlType, Value, Warnings};

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
    /// Kept until they are written.
    Queue(&'s mut RowQueue),
    /// Read by a search.
    Search(&'s mut Gathering),
    /// Written to a file, no more than this many.
    File {
        writer: Box<TextWriter>,
        left: u64,
    },
    Branch(Branch<'s>),
}

/// What takes the rows of a UNION ALL.
pub trait Takes {
    /// False: no more rows are wanted.
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool>;

    /// The queue at the end, if rows wait in it for a write.
    fn due(&mut self) -> Option<&mut RowQueue>;
}

/// The rows of a branch on their way into a UNION ALL: in the types that all branches have in common, and within its LIMIT.
pub struct Branch<'s> {
    pub to: &'s mut (dyn Takes + Send + 's),
    pub own: &'s [SqlType],
    pub types: &'s [SqlType],
    pub limits: &'s mut Limits,
}

/// How far the rows of all branches have come.
pub struct Limits {
    pub offset: usize,
    pub count: usize,
    pub passed: usize,
    /// Rows beyond the LIMIT are counted.
    pub counts_all: bool,
    /// No more rows are taken.
    pub closed: bool,
}

impl Limits {
    pub fn wants_more(&self) -> bool {
        let within = self.passed.saturating_sub(self.offset) < self.count;
        self.counts_all || within && !self.closed
    }
}

impl Branch<'_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        let l = &mut *self.limits;
        l.passed += 1;
        if l.passed > l.offset && l.passed - l.offset <= l.count && !l.closed {
            let typed = row.into_iter().zip(self.own.iter().zip(self.types));
            let common = typed.map(|(v, (own, ty))| {
                let v = if own.is_string() { v } else { in_union(v, own, ty) };
                coerce_in_set(v, ty, &mut ev.cx)
            });
            let row: Row = common.collect();
            l.closed = !self.to.row(row, ev)?;
        }
        Ok(l.wants_more())
    }
}

impl Takes for Out<'_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        Out::row(self, row, ev)
    }

    fn due(&mut self) -> Option<&mut RowQueue> {
        match self {
            Out::Queue(queue) => queue.is_due().then_some(queue),
            Out::Branch(branch) => branch.to.due(),
            _ => None,
        }
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
            Out::Queue(_) | Out::Branch(_) => {
                let row = items
                    .iter()
                    .map(|e| eval(e, f, ev).map(Value::into_owned))
                    .collect::<Result<Row, _>>()?;
                self.row(row, ev)
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

    pub fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        match self {
            Out::Client(c) => c.row(&row).map(|()| true),
            Out::Some { left: 0, .. } => Ok(false),
            Out::Some { client, left } => {
                *left -= 1;
                client.row(&row).map(|()| *left > 0)
            }
            Out::Rows { rows, limit } => {
                rows.push(row, ev.cx.session.memory())?;
                Ok(rows.rows.len() < *limit)
            }
            Out::Queue(queue) => queue.push(row, ev.cx.session.memory()).map(|()| true),
            Out::Branch(branch) => branch.row(row, ev),
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
