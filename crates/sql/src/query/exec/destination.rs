//! Where the rows of a query go: to the client, into memory, into a file; those of a UNION's branches to where its own go.

use super::Boxed;
use super::distinct::Distinct;
use super::fulltext::Gathering;
use super::out::{Client, Direct, Room};
use super::queue::RowQueue;
use crate::context::Reads;
use crate::func::aggregate::distinct_key;
use crate::query::eval::fitted::{coerce_in_set, in_union};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::BExpr;
use crate::query::plan::outcome::{KeptRows, Row, Run};
use crate::query::textfile::TextWriter;
use crate::value::encoded::encode;
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

/// What takes the rows of a UNION. A trait, because no branch can name the lifetime of the `Out` that it writes to.
pub trait Takes {
    /// False: no more rows are wanted.
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool>;

    /// Where rows wait for a write, if they do.
    fn due(&mut self) -> Option<Due<'_>>;
}

/// What is to be waited for before more rows are made: those on the way are to be written, or the client has enough of them for now.
pub enum Due<'d> {
    Room(Room<'d>),
    Queue(&'d mut RowQueue),
    Distinct(&'d mut Distinct),
}

impl<'d> Due<'d> {
    pub fn write(self, reads: Reads<'d>) -> Boxed<'d, ()> {
        match self {
            Due::Room(room) => room.wait(),
            Due::Queue(queue) => queue.write(reads),
            Due::Distinct(distinct) => distinct.write(reads),
        }
    }
}

/// The rows of a branch on their way into a UNION: in the types that all branches have in common, each once if it says so, and within its LIMIT.
pub struct Branch<'s> {
    pub to: &'s mut (dyn Takes + Send + 's),
    pub distinct: Option<&'s mut Distinct>,
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

    /// One row more of all; false: no more are wanted.
    pub fn pass(&mut self, row: Row, to: &mut dyn Takes, ev: &mut Ev<'_>) -> Run<bool> {
        self.passed += 1;
        let within = self.passed > self.offset && self.passed - self.offset <= self.count;
        if within && !self.closed {
            self.closed = !to.row(row, ev)?;
        }
        Ok(self.wants_more())
    }
}

impl Branch<'_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        let typed = row.into_iter().zip(self.own.iter().zip(self.types));
        let common = typed.map(|(v, (own, ty))| {
            let v = if own.is_string() { v } else { in_union(v, own, ty) };
            coerce_in_set(v, ty, &mut ev.cx)
        });
        let row: Row = common.collect();
        if let Some(distinct) = &mut self.distinct {
            let mut key = Vec::new();
            row.iter().for_each(|v| distinct_key(v, &mut key));
            let put = |to: &mut Vec<u8>| row.iter().for_each(|v| encode(v, to));
            if !distinct.is_first(key, put, ev)? {
                return Ok(self.limits.wants_more());
            }
        }
        self.limits.pass(row, self.to, ev)
    }
}

impl Takes for Out<'_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        Out::row(self, row, ev)
    }

    fn due(&mut self) -> Option<Due<'_>> {
        match self {
            Out::Client(client) | Out::Some { client, .. } => client.due(),
            Out::Queue(queue) => queue.is_due().then_some(Due::Queue(queue)),
            Out::Branch(branch) => match &mut branch.distinct {
                Some(distinct) if distinct.is_due() => Some(Due::Distinct(distinct)),
                _ => branch.to.due(),
            },
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
