//! Window functions. The block's rows, grouped and filtered, pass one window after the other: each sorts them, and computes its functions for
//! one of its partitions after the other. The functions' values come after those of the aggregates.
//!
//! `rows` keeps the rows of a partition, `calls` computes the functions over them, `sliding` the MIN and MAX of frames that move, `bounds` finds the
//! frames, `ends` looks at what they are given. A row on its way has, one
//! behind the other, the rows of the tables that it stands on as bytes (where something still looks at them), the values of aggregates and
//! functions, and the cells of the windows that are still to come: for each window the keys of its partition, those of its order, and for each
//! call its arguments and the bounds of its frame.
//!
//! Invariants:
//! - A sort and the rows of a partition each go to disk beyond what they may take (`sort_buffer_size`, `tmp_table_size`). A window whose
//!   functions look at nothing but the rows before keeps no partition at all ([`Calls::streams`]).
//! - Rows that are equal in a window's keys stay in the order in which they came.

mod bounds;
mod calls;
mod ends;
mod rows;
mod sliding;

use super::destination::Out;
use super::emit::{Emitter, table_memory};
use super::group::Groups;
use super::join::Joiner;
use super::order::{SortKey, SortOrder};
use super::row_sort::{RowOrder, RowSorter, Sorted};
use super::slots::{decode_slot, encode_slot};
use super::spool::damaged;
use super::{Boxed, Runner};
use crate::query::eval::frame::{Frame as Rows, Slot};
use crate::query::eval::{eval, is_true};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::outcome::{Row, Run};
use crate::query::plan::{Block, Window};
use crate::value::{TypeInfo, Value};
use calls::Calls;
use rows::PartitionRows;
use std::sync::Arc;

/// Where the parts of a row stand.
#[derive(Clone, Copy)]
struct Layout {
    /// The first value is the rows of the tables.
    looked_at: bool,
    /// Values of aggregates with what the row draws, and of all that and functions together.
    aggs: usize,
    values: usize,
}

impl Layout {
    fn of(b: &Block) -> Layout {
        let aggs = b.agg.as_ref().map_or(0, |a| a.width()) + b.drawn.exprs.len();
        let calls: usize = b.windows.iter().map(|w| w.calls.len()).sum();
        Layout { looked_at: looks_at_rows(b), aggs, values: aggs + calls }
    }

    /// Where the values begin.
    fn first(&self) -> usize {
        usize::from(self.looked_at)
    }

    /// Where the cells of the next window begin.
    fn cells(&self) -> usize {
        self.first() + self.values
    }
}

/// The subqueries of some expressions: what a window computes with is asked for when a row is gathered, and the list when it goes out.
fn subs_of<'e>(exprs: impl Iterator<Item = &'e BExpr>) -> Vec<u32> {
    let mut subs = Vec::new();
    exprs.for_each(|e| e.subs(&mut subs));
    subs
}

/// Where rows go that a window is done with.
enum Next<'e, 'b> {
    Window(Box<RowSorter>),
    Out(&'e mut Emitter<'b>),
}

impl Runner<'_, '_> {
    pub fn run_windows<'b>(
        &'b mut self,
        b: &'b Block,
        limits: (usize, usize),
        outer: Option<&'b Rows<'b>>,
        out: &'b mut Out<'_>,
    ) -> Boxed<'b, u64> {
        Box::pin(self.windows(b, limits, outer, out))
    }

    async fn windows(
        &mut self,
        b: &Block,
        limits: (usize, usize),
        outer: Option<&Rows<'_>>,
        out: &mut Out<'_>,
    ) -> Run<u64> {
        let frame = Rows { outer, ..Rows::empty(self.params) };
        ends::check_frames(b, &frame, &mut self.ev)?;
        let mut j = Joiner::new(b);
        let layout = Layout::of(b);
        let mut e = Emitter::new(b, limits, self.reads);
        let [first, rest @ ..] = &b.windows[..] else { return Ok(0) };
        let mut sorter = self.sorter(first, layout);
        self.gather(&mut j, layout, &mut sorter, outer).await?;
        j.end(self);
        let mut sorted = sorter.finish(self.reads, &mut self.ev).await?;
        let mut window = first;
        for following in rest {
            let mut next = Next::Window(Box::new(self.sorter(following, layout)));
            self.window(window, sorted, (&mut j, layout, outer), &mut next, out).await?;
            let Next::Window(sorter) = next else { return Ok(0) };
            sorted = (*sorter).finish(self.reads, &mut self.ev).await?;
            window = following;
        }
        let mut next = Next::Out(&mut e);
        self.window(window, sorted, (&mut j, layout, outer), &mut next, out).await?;
        e.finish(self.reads, &mut self.ev, out).await
    }

    /// What sorts the rows for a window.
    fn sorter(&self, w: &Window, layout: Layout) -> RowSorter {
        let by = Arc::new(order_of(w, layout));
        RowSorter::new(by, w.partition.len(), usize::MAX, self.reads)
    }

    /// All rows of the block.
    async fn gather(
        &mut self,
        j: &mut Joiner<'_>,
        layout: Layout,
        to: &mut RowSorter,
        outer: Option<&Rows<'_>>,
    ) -> Run<()> {
        let b = j.block;
        j.sift(self, outer);
        let Some(agg) = &b.agg else {
            while j.next(self, outer).await? {
                loop {
                    self.keep(j, Row::new(), outer, (&mut *to, layout)).await?;
                    if !j.next_at_hand(self, outer)? {
                        break;
                    }
                }
            }
            return Ok(());
        };
        let mut groups = Groups::new(agg, b, table_memory(self.reads));
        while j.next(self, outer).await? {
            j.run_subs(&agg.subs, self, outer).await?;
            groups.add(&j.frame(self.params, outer), &j.slots, &mut self.ev)?;
            if groups.is_due() {
                groups.write(self.reads).await?;
            }
        }
        loop {
            groups.settle(self.reads, &mut self.ev).await?;
            let (list, charged) = groups.finish();
            for mut g in list {
                let aggs = g.values(agg, &mut self.ev)?;
                if !g.slots.is_empty() {
                    j.slots = g.slots;
                }
                self.keep(j, aggs, outer, (&mut *to, layout)).await?;
            }
            drop(charged);
            if !groups.refill(self.reads, &mut self.ev).await? {
                return Ok(());
            }
        }
    }

    /// Keeps the current row, if HAVING wants it.
    async fn keep(
        &mut self,
        j: &mut Joiner<'_>,
        mut values: Row,
        outer: Option<&Rows<'_>>,
        (to, layout): (&mut RowSorter, Layout),
    ) -> Run<()> {
        let b = j.block;
        if !b.drawn.exprs.is_empty() {
            self.run_group_subs(j, &values, &b.drawn.subs, outer).await?;
            values = self.draw(j, &values, outer)?;
        }
        if let Some(h) = &b.having {
            self.run_group_subs(j, &values, &h.subs, outer).await?;
            let frame = Rows { aggs: &values, ..j.frame(self.params, outer) };
            if !is_true(&h.expr, &frame, &mut self.ev)? {
                return Ok(());
            }
        }
        if !b.item_subs.is_empty() {
            let needed = subs_of(b.windows.iter().flat_map(Window::exprs));
            self.run_group_subs(j, &values, &needed, outer).await?;
        }
        let frame = Rows { aggs: &values, ..j.frame(self.params, outer) };
        let exprs = || b.windows.iter().flat_map(Window::exprs);
        let mut row = to.spare();
        row.reserve(layout.cells() + exprs().count());
        if layout.looked_at {
            let mut bytes = Vec::new();
            j.slots.iter().for_each(|slot| encode_slot(slot, &mut bytes));
            row.push(Value::Bytes(bytes.into()));
        }
        row.resize(layout.cells(), Value::Null);
        for e in exprs() {
            row.push(eval(e, &frame, &mut self.ev)?.into_owned());
        }
        for (place, value) in row[layout.first()..].iter_mut().zip(values.drain(..)) {
            *place = value;
        }
        to.push(row, &mut self.ev)?;
        if to.is_full() {
            to.make_room(self.reads, &mut self.ev).await?;
        }
        Ok(())
    }

    /// Computes the functions of a window over the sorted rows, for each of its partitions.
    async fn window(
        &mut self,
        w: &Window,
        mut sorted: Sorted,
        (j, layout, outer): (&mut Joiner<'_>, Layout, Option<&Rows<'_>>),
        next: &mut Next<'_, '_>,
        out: &mut Out<'_>,
    ) -> Run<()> {
        let by = order_of(w, layout);
        let mut calls = Calls::new(w, layout.cells());
        let mut rows = PartitionRows::new(table_memory(self.reads));
        let mut first: Option<(SortKey, Row)> = None;
        let mut done = 0;
        // The memory of the rows that come and that go.
        let (mut room, mut passed) = (Row::new(), Row::new());
        loop {
            let row = sorted.next(std::mem::take(&mut room), &mut self.ev).await?;
            let same = row.as_ref().zip(first.as_ref()).is_some_and(|(row, first)| {
                w.partition.is_empty() || is_same((w, &by), (&row.key, &row.row), first)
            });
            if !same {
                rows.close().await?;
                while done < rows.len() {
                    self.computed(&mut calls, &mut rows, done, (layout, &mut passed)).await?;
                    if !self.pass(&mut passed, (&mut *j, layout, outer), next, out).await? {
                        return Ok(());
                    }
                    done += 1;
                }
                rows.clear();
                calls.begin();
                done = 0;
            }
            let Some(mut row) = row else { return Ok(()) };
            if !same {
                let (key, values) = first.get_or_insert_default();
                *key = row.key;
                if !w.partition.is_empty() {
                    values.clone_from(&row.row);
                }
            }
            rows.push(&mut row.row, self.reads, &self.ev).await?;
            room = row.row;
            if calls.streams() {
                self.computed(&mut calls, &mut rows, done, (layout, &mut passed)).await?;
                rows.forget_before(done);
                done += 1;
                if !self.pass(&mut passed, (&mut *j, layout, outer), next, out).await? {
                    return Ok(());
                }
            }
        }
    }

    /// A row of the partition with the values of the window's functions, without the cells of the window.
    async fn computed(
        &mut self,
        calls: &mut Calls<'_>,
        rows: &mut PartitionRows,
        at: usize,
        (layout, row): (Layout, &mut Row),
    ) -> Run<()> {
        calls.compute(self, rows, at).await?;
        row.clear();
        rows.take_around(at, layout.cells()..calls.end(), row).await?;
        for (place, value) in calls.results() {
            row[layout.first() + layout.aggs + place] = value;
        }
        Ok(())
    }

    /// Sends a row on; false: no more rows are wanted.
    async fn pass(
        &mut self,
        row: &mut Row,
        (j, layout, outer): (&mut Joiner<'_>, Layout, Option<&Rows<'_>>),
        next: &mut Next<'_, '_>,
        out: &mut Out<'_>,
    ) -> Run<bool> {
        let e = match next {
            Next::Window(sorter) => {
                sorter.push(std::mem::take(row), &mut self.ev)?;
                if sorter.is_full() {
                    sorter.make_room(self.reads, &mut self.ev).await?;
                }
                *row = sorter.spare();
                return Ok(true);
            }
            Next::Out(e) => e,
        };
        let b = j.block;
        if layout.looked_at {
            let tables = std::mem::take(&mut row[0]);
            let mut bytes = tables.as_bytes().unwrap_or_default();
            let slots = b.tables.iter().map(|_| decode_slot(&mut bytes));
            j.slots = slots.collect::<Option<Vec<Slot>>>().ok_or_else(damaged)?;
        }
        let (_, values) = row.split_at(layout.first());
        if !b.item_subs.is_empty() {
            let needed = subs_of(b.items.iter().chain(b.order.iter().map(|(e, _)| e)));
            self.run_group_subs(j, values, &needed, outer).await?;
        }
        let frame = Rows { aggs: values, ..j.frame(self.params, outer) };
        if !e.row(&frame, &mut self.ev, out)? {
            return Ok(false);
        }
        if e.is_due(out) {
            e.make_room(self.reads, &mut self.ev, out).await?;
        }
        Ok(true)
    }
}

/// Whether a row is in the partition whose first row is `first`.
fn is_same(
    (w, by): (&Window, &RowOrder),
    (key, row): (&SortKey, &Row),
    (known, first): &(SortKey, Row),
) -> bool {
    key.same_first(known).unwrap_or_else(|| by.same_first(w.partition.len(), row, first))
}

/// How the rows of a window are sorted: by its partition, then by its order.
fn order_of(w: &Window, layout: Layout) -> RowOrder {
    let keys = w.partition.len() + w.order.len();
    let infos: Vec<TypeInfo> = w.exprs().take(keys).map(|e| e.info).collect();
    let descends = w.partition.iter().map(|_| false).chain(w.order.iter().map(|(_, d)| *d));
    let first = layout.cells();
    RowOrder::new(SortOrder::new(&infos, descends), (first..first + keys).collect())
}

/// Whether what is shown of a row, or what sorts it, looks at a column of it when its windows are done.
fn looks_at_rows(b: &Block) -> bool {
    let mut columns = b.subs.iter().any(|s| s.correlated);
    let mut see = |e: &BExpr| e.walk(&mut |n| columns |= matches!(n.node, Node::Col(_)));
    b.items.iter().for_each(&mut see);
    b.order.iter().chain(&b.index_order).for_each(|(e, _)| see(e));
    columns
}
