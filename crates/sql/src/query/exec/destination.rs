//! Where the rows of a query go: to the client, into memory, into a file; those of a UNION's branches to where its own go.

use super::Boxed;
use super::distinct::Distinct;
use super::fulltext::Gathering;
use super::out::{Client, Direct};
use crate::context::Reads;
use crate::func::aggregate::distinct_key;
use crate::query::eval::fitted::{coerce_in_set, in_union};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::BExpr;
use crate::query::plan::QueryPlan;
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
    /// Kept; no more than the limit are wanted. `strict`: they go to variables of a stored program, which in a strict mode take no value
    /// of which something was lost.
    Rows {
        rows: &'s mut KeptRows,
        limit: usize,
        strict: bool,
    },
    /// Taken by what does more with them.
    To(&'s mut (dyn Takes + Send + 's)),
    /// Read by a search.
    Search(&'s mut Gathering),
    /// Written to a file, no more than this many.
    File {
        writer: Box<TextWriter>,
        left: u64,
    },
}

/// What takes the rows of a query. A trait, because no branch of a UNION can name the lifetime of the `Out` that it writes to.
pub trait Takes {
    /// False: no more rows are wanted.
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool>;

    /// Rows wait that are to go to disk, or the client has enough of them for now ([`Takes::make_room`]).
    fn is_due(&self) -> bool;

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, ev: &'d mut Ev<'_>) -> Boxed<'d, ()>;

    /// Nothing is seen of the rows, and nothing evaluated that fails or warns, before all of them have come: who makes them need not keep
    /// them until it is known that none fails.
    fn keeps(&self) -> bool {
        false
    }
}

/// The rows of a branch on their way into a UNION: in the types that all branches have in common, each once if it says so, and within its LIMIT.
pub struct Branch<'s> {
    pub to: &'s mut (dyn Takes + Send + 's),
    pub distinct: Option<&'s mut Distinct>,
    pub types: &'s CommonTypes,
    pub limits: &'s mut Limits,
    /// Memory for the key of a row.
    pub key: Vec<u8>,
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
    /// All rows are wanted.
    pub fn none() -> Limits {
        Limits { offset: 0, count: usize::MAX, passed: 0, counts_all: false, closed: false }
    }

    /// Rows that are asked for in all.
    pub fn wanted(&self) -> usize {
        if self.counts_all { usize::MAX } else { self.offset.saturating_add(self.count) }
    }

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

/// What becomes of the values of a branch of a set operation.
pub struct CommonTypes {
    /// The types of the branch, and those that all branches have in common.
    columns: Vec<(SqlType, SqlType)>,
}

impl CommonTypes {
    /// The rows are in those types already.
    pub fn unchanged() -> CommonTypes {
        CommonTypes { columns: Vec::new() }
    }

    pub fn new(branch: &QueryPlan, of_all: &QueryPlan) -> CommonTypes {
        let types = branch.columns.iter().zip(&of_all.columns);
        CommonTypes { columns: types.map(|(own, all)| (own.info.ty, all.info.ty)).collect() }
    }

    pub fn row(&self, mut row: Row, ev: &mut Ev<'_>) -> Row {
        for (v, (own, ty)) in row.iter_mut().zip(&self.columns) {
            let of_own = std::mem::take(v);
            let typed = if own.is_string() { of_own } else { in_union(of_own, own, ty) };
            *v = coerce_in_set(typed, ty, &mut ev.cx);
        }
        row
    }
}

/// What equal rows of a set operation have in common.
pub fn row_key(row: &[Value<'_>], key: &mut Vec<u8>) {
    key.clear();
    row.iter().for_each(|v| distinct_key(v, key));
}

impl Takes for Branch<'_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        let row = self.types.row(row, ev);
        if let Some(distinct) = &mut self.distinct {
            row_key(&row, &mut self.key);
            let put = |to: &mut Vec<u8>| row.iter().for_each(|v| encode(v, to));
            if !distinct.is_first(&self.key, put, ev)? {
                return Ok(self.limits.wants_more());
            }
        }
        self.limits.pass(row, self.to, ev)
    }

    fn is_due(&self) -> bool {
        self.distinct.as_ref().is_some_and(|d| d.is_due()) || self.to.is_due()
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, ev: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        Box::pin(async move {
            if let Some(distinct) = &mut self.distinct
                && distinct.is_due()
            {
                distinct.write(reads).await?;
            }
            match self.to.is_due() {
                true => self.to.make_room(reads, ev).await,
                false => Ok(()),
            }
        })
    }
}

impl Takes for Out<'_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        Out::row(self, row, ev)
    }

    fn is_due(&self) -> bool {
        match self {
            Out::Client(client) | Out::Some { client, .. } => client.is_full(),
            Out::To(to) => to.is_due(),
            _ => false,
        }
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, ev: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        match self {
            Out::Client(client) | Out::Some { client, .. } => client.room().wait(),
            Out::To(to) => to.make_room(reads, ev),
            _ => Box::pin(async { Ok(()) }),
        }
    }

    fn keeps(&self) -> bool {
        matches!(self, Out::To(to) if to.keeps())
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
            Out::Rows { rows, limit, strict } => {
                let values = |ev: &mut Ev<'_>| {
                    let values = items.iter().map(|e| eval(e, f, ev).map(Value::into_owned));
                    values.collect::<Result<Row, _>>()
                };
                let row = if *strict { ev.strictly(values) } else { values(ev) }?;
                rows.push(row, ev.cx.session.memory())?;
                Ok(rows.rows.len() < *limit)
            }
            Out::To(_) => {
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
            Out::Rows { rows, limit, .. } => {
                rows.push(row, ev.cx.session.memory())?;
                Ok(rows.rows.len() < *limit)
            }
            Out::To(to) => to.row(row, ev),
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
