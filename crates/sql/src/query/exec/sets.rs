//! Queries that are no single block: UNION, INTERSECT and EXCEPT, VALUES, recursive tables, and what stands in parentheses.
//!
//! Their rows go out as they come. With an ORDER BY they go through a sort. INTERSECT and EXCEPT know the rows of their right side by key;
//! when the keys take as much memory as they may (`tmp_table_size`), both sides are divided by a hash of the key, and put together part
//! by part.

use super::destination::{Branch, CommonTypes, Limits, Out, Takes, row_key};
use super::distinct::Distinct;
use super::emit::table_memory;
use super::order::SortOrder;
use super::row_sort::{RowOrder, RowSorter};
use super::row_store::MadeRows;
use super::spool::{Part, Partitions, decode_all};
use super::temp::temp_table;
use super::texts::Texts;
use super::{Boxed, Runner};
use crate::context::Reads;
use crate::memory::Held;
use crate::query::eval::fitted::coerce_in_set;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::outcome::{Row, Run};
use crate::query::plan::shape::Shape;
use crate::query::plan::{Body, QueryPlan};
use crate::value::encoded::encode;
use crate::value::{SqlType, TypeInfo, Value, ValueError};
use std::sync::Arc;
use weir_engine::{Scratch, ScratchStream};
use weir_syntax::ast::SetOp;

/// Bytes of a key beside its own.
const KEY: usize = 2 * size_of::<(Vec<u8>, u64)>() + 16;
/// How often parts are divided at most.
const DIVISIONS: u32 = 4;

impl Runner<'_, '_> {
    /// Runs a query that is no single block. Returns the number for FOUND_ROWS().
    pub(super) async fn run_set(
        &mut self,
        q: &QueryPlan,
        outer: Option<&Frame<'_>>,
        out: &mut Out<'_>,
    ) -> Run<u64> {
        let (offset, count) = self.limits(q.limit.as_ref())?;
        let counts_all = q.counts_all();
        if q.order.is_empty() {
            let mut limits = Limits { offset, count, passed: 0, counts_all, closed: false };
            self.run_body(q, outer, out, &mut limits).await?;
            return Ok(limits.passed as u64);
        }
        let want = offset.saturating_add(count);
        let mut sorted = SortedRows::new(q, want, self);
        let mut all = Limits::none();
        self.run_body(q, outer, &mut Out::To(&mut sorted), &mut all).await?;
        let mut rows = sorted.sorter.finish(self.reads, &mut self.ev).await?;
        let (width, mut at) = (q.columns.len(), 0);
        while at < want
            && let Some(mut row) = rows.next(Row::new(), &mut self.ev).await?
        {
            at += 1;
            if at <= offset {
                continue;
            }
            row.row.truncate(width);
            if !out.row(row.row, &mut self.ev)? {
                break;
            }
            if out.is_due() {
                out.make_room(self.reads, &mut self.ev).await?;
            }
        }
        let counted = if q.limit.is_some() && !counts_all { want } else { usize::MAX };
        Ok(all.passed.min(counted) as u64)
    }

    /// The rows of a body, as far as the limits want them.
    async fn run_body(
        &mut self,
        q: &QueryPlan,
        outer: Option<&Frame<'_>>,
        out: &mut Out<'_>,
        limits: &mut Limits,
    ) -> Run<()> {
        match &q.body {
            Body::Block(_) => Ok(()),
            Body::Set { op: SetOp::Union, all, left, right } => {
                let distinct = (!all).then(|| Distinct::new(table_memory(self.reads)));
                self.run_union((q, [left, right]), distinct, outer, (out, limits)).await
            }
            Body::Set { op, all, left, right } => {
                let how = Kind { op: *op, all: *all };
                self.run_matched((q, how, [left, right]), outer, (out, limits)).await
            }
            Body::Values(list) => self.run_values(q, list, outer, (out, limits)).await,
            Body::Nested(inner) => {
                let types = CommonTypes::unchanged();
                let key = Vec::new();
                let mut branch = Branch { to: out, distinct: None, types: &types, limits, key };
                self.run_query(inner, outer, &mut Out::To(&mut branch)).await.map(|_| ())
            }
            Body::Recursive(r) => {
                // A LIMIT ends it as soon as there are as many rows.
                let types: Vec<SqlType> = q.columns.iter().map(|c| c.info.ty).collect();
                self.recurse(r, &types, outer, (out, limits)).await
            }
            Body::Json(table) => {
                let kept = self.json_rows(table, outer).await?;
                self.pass_all(&MadeRows::Memory(Arc::new(kept.rows)), (out, limits)).await
            }
        }
    }

    async fn run_values(
        &mut self,
        q: &QueryPlan,
        list: &[Vec<BExpr>],
        outer: Option<&Frame<'_>>,
        (out, limits): (&mut Out<'_>, &mut Limits),
    ) -> Run<()> {
        let frame = Frame { outer, ..Frame::empty(self.params) };
        for exprs in list {
            if !limits.wants_more() {
                break;
            }
            let mut row = Row::with_capacity(exprs.len());
            for (e, column) in exprs.iter().zip(&q.columns) {
                let v = eval(e, &frame, &mut self.ev)?.into_owned();
                row.push(coerce_in_set(v, &column.info.ty, &mut self.ev.cx));
            }
            limits.pass(row, out, &mut self.ev)?;
            if out.is_due() {
                out.make_room(self.reads, &mut self.ev).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn pass_all(
        &mut self,
        rows: &MadeRows,
        (out, limits): (&mut Out<'_>, &mut Limits),
    ) -> Run<()> {
        let mut rows = rows.scan();
        while limits.wants_more()
            && let Some(row) = rows.next().await?
        {
            self.ev.cx.work(size_of_val(&row[..]))?;
            limits.pass(row, out, &mut self.ev)?;
            if out.is_due() {
                out.make_room(self.reads, &mut self.ev).await?;
            }
        }
        Ok(())
    }

    /// Branches whose rows go out as they come.
    fn run_union<'b>(
        &'b mut self,
        (q, branches): (&'b QueryPlan, [&'b QueryPlan; 2]),
        mut distinct: Option<Distinct>,
        outer: Option<&'b Frame<'b>>,
        (out, limits): (&'b mut Out<'_>, &'b mut Limits),
    ) -> Boxed<'b, ()> {
        Box::pin(async move {
            for branch in branches {
                if !limits.wants_more() {
                    break;
                }
                let types = CommonTypes::new(branch, q);
                let distinct = distinct.as_mut();
                let key = Vec::new();
                let mut rows = Branch { to: &mut *out, distinct, types: &types, limits, key };
                self.run_query(branch, outer, &mut Out::To(&mut rows)).await?;
            }
            let Some(mut distinct) = distinct.filter(Distinct::has_aside) else {
                return Ok(());
            };
            while limits.wants_more()
                && let Some(mut part) = distinct.next_part(self.reads).await?
            {
                let ev = &mut self.ev;
                while limits.wants_more()
                    && let Some(row) = distinct.next_first(&mut part, self.reads, ev).await?
                {
                    limits.pass(decode_all(&row)?, out, ev)?;
                    if out.is_due() {
                        out.make_room(self.reads, ev).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// INTERSECT and EXCEPT.
    fn run_matched<'b>(
        &'b mut self,
        (q, how, [left, right]): (&'b QueryPlan, Kind, [&'b QueryPlan; 2]),
        outer: Option<&'b Frame<'b>>,
        (out, limits): (&'b mut Out<'_>, &'b mut Limits),
    ) -> Boxed<'b, ()> {
        Box::pin(async move {
            let memory = table_memory(self.reads);
            let mut known = Known::new(how);
            let mut parted = None;
            let types = CommonTypes::new(right, q);
            let mut side = Side {
                known: &mut known,
                key: Vec::new(),
                types,
                memory,
                parted: &mut parted,
                left: None,
            };
            self.run_query(right, outer, &mut Out::To(&mut side)).await?;
            side.types = CommonTypes::new(left, q);
            side.left = Some((&mut *out, &mut *limits));
            self.run_query(left, outer, &mut Out::To(&mut side)).await?;
            match parted {
                Some(parted) => self.match_parts(parted, &mut known, (out, limits)).await,
                None => Ok(()),
            }
        })
    }

    /// Puts the parts of both sides together, pair by pair.
    async fn match_parts(
        &mut self,
        parted: Box<Parted>,
        known: &mut Known,
        (out, limits): (&mut Out<'_>, &mut Limits),
    ) -> Run<()> {
        let Parted { file, right, left } = *parted;
        let mut file = match file {
            Some(file) => file,
            None => temp_table(self.reads).await?,
        };
        let memory = table_memory(self.reads);
        let (mut right, mut left) = (right, left);
        let pairs = right.close(&mut file).await?.into_iter().zip(left.close(&mut file).await?);
        let mut waiting: Vec<(ScratchStream, ScratchStream, u32)> =
            pairs.map(|(r, l)| (r, l, 1)).collect();
        while limits.wants_more()
            && let Some((right, left, depth)) = waiting.pop()
        {
            let kept = right.bytes() + if known.how.keeps_left() { left.bytes() } else { 0 };
            if kept > 2 * memory as u64 && depth < DIVISIONS {
                let right = self.divide(&right, depth, &mut file).await?;
                let left = self.divide(&left, depth, &mut file).await?;
                waiting.extend(right.into_iter().zip(left).map(|(r, l)| (r, l, depth + 1)));
                continue;
            }
            known.forget();
            let mut part = Part::of(&right, &file);
            while let Some((key, count)) = part.next().await? {
                self.ev.cx.work(key.len())?;
                let count = count.first_chunk().map_or(1, |n| u64::from_le_bytes(*n));
                known.see(key, count, &self.ev)?;
            }
            let mut part = Part::of(&left, &file);
            while limits.wants_more()
                && let Some((key, row)) = part.next().await?
            {
                self.ev.cx.work(key.len() + row.len())?;
                if known.passes(key, &self.ev)? {
                    limits.pass(decode_all(row)?, out, &mut self.ev)?;
                }
                if out.is_due() {
                    out.make_room(self.reads, &mut self.ev).await?;
                }
            }
        }
        Ok(())
    }

    /// A part, divided by another hash.
    async fn divide(
        &mut self,
        part: &ScratchStream,
        depth: u32,
        file: &mut Scratch,
    ) -> Run<Vec<ScratchStream>> {
        let parts = Partitions::new(table_memory(self.reads), depth, &self.ev.cx);
        let mut parts = parts.map_err(ValueError::from)?;
        let mut entries = Part::of(part, file);
        while let Some((key, rest)) = entries.next().await? {
            self.ev.cx.work(key.len() + rest.len())?;
            parts.begin(key).extend_from_slice(rest);
            parts.end();
            if parts.is_due() {
                parts.write(file).await?;
            }
        }
        parts.close(file).await
    }
}

/// INTERSECT or EXCEPT, with ALL or without.
#[derive(Clone, Copy)]
struct Kind {
    op: SetOp,
    all: bool,
}

impl Kind {
    /// The keys of rows of the left side are kept as well.
    fn keeps_left(self) -> bool {
        self.op == SetOp::Except && !self.all
    }
}

/// What decides which rows of the left side pass: the keys of the right side, with how often each was there. EXCEPT DISTINCT adds the keys
/// that have passed, and INTERSECT DISTINCT takes them away, so that each passes once.
struct Known {
    how: Kind,
    keys: Texts,
    /// For each key how often it is there.
    counts: Vec<u64>,
    held: Held,
}

impl Known {
    fn new(how: Kind) -> Known {
        Known { how, keys: Texts::default(), counts: Vec::new(), held: Held::default() }
    }

    fn forget(&mut self) {
        *self = Known::new(self.how);
    }

    /// Whether the key is a new one.
    fn see(&mut self, key: &[u8], count: u64, ev: &Ev<'_>) -> Result<bool, ValueError> {
        let hash = self.keys.hash_of(key);
        if let Some(n) = self.keys.find(key, hash) {
            self.counts[n as usize] += count;
            return Ok(false);
        }
        ev.cx.hold(&mut self.held, KEY + key.len())?;
        self.keys.put(key, hash);
        self.counts.push(count);
        Ok(true)
    }

    /// Whether a row of the left side passes.
    fn passes(&mut self, key: &[u8], ev: &Ev<'_>) -> Result<bool, ValueError> {
        let Kind { op, all } = self.how;
        if op == SetOp::Except && !all {
            return self.see(key, 1, ev);
        }
        let there = self.keys.find(key, self.keys.hash_of(key));
        let left = there.map(|n| &mut self.counts[n as usize]).filter(|n| **n > 0);
        let matched = left.is_some();
        left.into_iter().for_each(|n| *n = if all { *n - 1 } else { 0 });
        Ok(matched == (op == SetOp::Intersect))
    }

    /// The keys that are there, with how often.
    fn left(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let counts = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        counts.map(|(n, count)| (self.keys.get(n as u32), *count))
    }
}

/// The keys of the right side with their counts, and the rows of the left side by their keys.
struct Parted {
    file: Option<Scratch>,
    right: Partitions,
    left: Partitions,
}

/// The rows of one side on their way.
struct Side<'s> {
    known: &'s mut Known,
    /// The key of the row at hand.
    key: Vec<u8>,
    types: CommonTypes,
    /// Bytes of keys that may be in memory.
    memory: usize,
    parted: &'s mut Option<Box<Parted>>,
    /// Of the left side: where its rows go.
    left: Option<(&'s mut (dyn Takes + Send + 's), &'s mut Limits)>,
}

impl Side<'_> {
    /// The keys have no room in memory: from here on everything goes to a file.
    fn divide(&mut self, ev: &Ev<'_>) -> Result<(), ValueError> {
        let parts = || Partitions::new(self.memory, 0, &ev.cx);
        let mut parted = Box::new(Parted { file: None, right: parts()?, left: parts()? });
        for (key, count) in self.known.left() {
            parted.right.begin(key).extend_from_slice(&count.to_le_bytes());
            parted.right.end();
        }
        self.known.forget();
        *self.parted = Some(parted);
        Ok(())
    }
}

impl Takes for Side<'_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        let row = self.types.row(row, ev);
        row_key(&row, &mut self.key);
        let key = &self.key[..];
        if let Some(parted) = self.parted {
            match &self.left {
                None => {
                    parted.right.begin(key).extend_from_slice(&1u64.to_le_bytes());
                    parted.right.end();
                }
                Some(_) => {
                    let to = parted.left.begin(key);
                    row.iter().for_each(|v| encode(v, to));
                    parted.left.end();
                }
            }
            return Ok(true);
        }
        let more = match &mut self.left {
            None => {
                self.known.see(key, 1, ev)?;
                true
            }
            Some((to, limits)) => match self.known.passes(key, ev)? {
                true => limits.pass(row, *to, ev)?,
                false => limits.wants_more(),
            },
        };
        if self.known.held.bytes() >= self.memory {
            self.divide(ev)?;
        }
        Ok(more)
    }

    fn is_due(&self) -> bool {
        let parts = |p: &Parted| p.right.is_due() || p.left.is_due();
        self.parted.as_deref().is_some_and(parts)
            || self.left.as_ref().is_some_and(|(to, _)| to.is_due())
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, ev: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        Box::pin(async move {
            if let Some(parted) = self.parted {
                let file = match &mut parted.file {
                    Some(file) => file,
                    none => none.insert(temp_table(reads).await?),
                };
                parted.right.write(file).await?;
                parted.left.write(file).await?;
            }
            match &mut self.left {
                Some((to, _)) if to.is_due() => to.make_room(reads, ev).await,
                _ => Ok(()),
            }
        })
    }
}

/// The rows of a set operation on their way into its ORDER BY: behind their columns the keys that are none of them.
struct SortedRows<'q> {
    shapes: [Shape; 1],
    params: &'q [Value<'static>],
    extra: Vec<&'q BExpr>,
    sorter: RowSorter,
}

impl<'q> SortedRows<'q> {
    fn new(q: &'q QueryPlan, want: usize, r: &Runner<'q, '_>) -> SortedRows<'q> {
        let mut extra = Vec::new();
        let column = |(e, _): &'q (BExpr, bool)| match e.node {
            Node::Col(c) if c.depth == 0 => usize::from(c.col),
            _ => {
                extra.push(e);
                q.columns.len() + extra.len() - 1
            }
        };
        let columns = q.order.iter().map(column).collect();
        let infos: Vec<TypeInfo> = q.order.iter().map(|(e, _)| e.info).collect();
        let order = SortOrder::new(&infos, q.order.iter().map(|(_, d)| *d));
        let by = Arc::new(RowOrder::new(order, columns));
        SortedRows {
            shapes: [Shape::Values(q.columns.iter().map(|c| c.info.ty).collect())],
            params: r.params,
            extra,
            sorter: RowSorter::new(by, 0, want, r.reads),
        }
    }
}

impl Takes for SortedRows<'_> {
    fn row(&mut self, mut row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        if !self.extra.is_empty() {
            let slots = [Slot::Values(row)];
            let frame = Frame { shapes: &self.shapes, slots: &slots, ..Frame::empty(self.params) };
            let mut keys = Row::with_capacity(self.extra.len());
            for e in &self.extra {
                keys.push(eval(e, &frame, ev)?.into_owned());
            }
            let [Slot::Values(own)] = slots else { return Ok(true) };
            row = own;
            row.append(&mut keys);
        }
        self.sorter.push(row, ev)?;
        Ok(true)
    }

    fn is_due(&self) -> bool {
        self.sorter.is_full()
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, ev: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        Box::pin(self.sorter.make_room(reads, ev))
    }
}
