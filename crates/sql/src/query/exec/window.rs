//! Window functions. The block's rows, grouped and filtered, are all there before the first of them goes out: each with the values that
//! its windows are sorted by and its functions take. The functions' values stand behind those of the aggregates.

use super::destination::Out;
use super::emit::{Emitter, table_memory};
use super::group::Groups;
use super::join::Joiner;
use super::order::{SortKey, SortOrder};
use super::sort::sort;
use super::{Boxed, Runner};
use crate::errno;
use crate::func::aggregate::{Accumulator, AggSpec};
use crate::memory::{Held, heap_of, row_bytes};
use crate::query::eval::frame::{Frame as Rows, Slot};
use crate::query::eval::{eval, is_true};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::outcome::{Row, Run};
use crate::query::plan::{Block, Bound, Window, WindowCall, WindowFunction};
use crate::session_api::SqlError;
use crate::value::cast::coerce;
use crate::value::{TypeInfo, Value, Warnings};
use std::cmp::Ordering;
use std::ops::Range;

/// A row that waits for its window functions.
struct Kept {
    /// The rows that it stands on; none where nothing but windows and aggregates looks at them.
    slots: Vec<Slot>,
    /// Aggregates, and behind them the window functions.
    values: Row,
    /// For each window, one behind the other: keys of its partition, keys of its order, and for each call its arguments and the
    /// bounds of its frame.
    cells: Row,
}

/// A row in the sort of a window, by its place among those kept.
struct Keyed {
    key: SortKey,
    at: usize,
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
        let mut j = Joiner::new(b);
        let (mut kept, mut held) = (Vec::new(), Held::default());
        let looked_at = looks_at_rows(b);
        if let Some(agg) = &b.agg {
            let mut groups = Groups::new(agg, b, table_memory(self.reads));
            while j.next(self, outer).await? {
                j.run_subs(&agg.subs, self, outer).await?;
                groups.add(&j.frame(self.params, outer), &j.slots, &mut self.ev)?;
                if groups.is_due() {
                    groups.write(self.reads).await?;
                }
            }
            loop {
                let (list, charged) = groups.finish();
                for mut g in list {
                    let aggs = g.values(agg, &mut self.ev)?;
                    j.slots = g.slots;
                    self.keep(&mut j, aggs, outer, (&mut kept, looked_at), &mut held).await?;
                }
                drop(charged);
                if !groups.refill(self.reads, &mut self.ev).await? {
                    break;
                }
            }
        } else {
            while j.next(self, outer).await? {
                loop {
                    self.keep(&mut j, Row::new(), outer, (&mut kept, looked_at), &mut held).await?;
                    if !j.next_at_hand(self, outer)? {
                        break;
                    }
                }
            }
        }
        j.end(self);
        let aggs = b.agg.as_ref().map_or(0, |a| a.width());
        let mut order: Vec<usize> = (0..kept.len()).collect();
        let mut first = 0;
        for w in &b.windows {
            self.window(w, (first, aggs), &mut kept, &mut order, &mut held)?;
            first += w.exprs().count();
        }
        let mut e = Emitter::new(b, limits, self.reads);
        // In the order of the last window, as the last sort has left them.
        for at in order {
            if !kept[at].slots.is_empty() {
                j.slots = std::mem::take(&mut kept[at].slots);
            }
            let values = std::mem::take(&mut kept[at].values);
            self.run_group_subs(&mut j, &values, &b.item_subs, outer).await?;
            let frame = Rows { aggs: &values, ..j.frame(self.params, outer) };
            if !e.row(&frame, &mut self.ev, out)? {
                break;
            }
            if e.is_due(out) {
                e.make_room(self.reads, &mut self.ev, out).await?;
            }
        }
        e.finish(self.reads, &mut self.ev, out).await
    }

    /// Keeps the current row, if HAVING wants it.
    async fn keep(
        &mut self,
        j: &mut Joiner<'_>,
        mut values: Row,
        outer: Option<&Rows<'_>>,
        (kept, looked_at): (&mut Vec<Kept>, bool),
        held: &mut Held,
    ) -> Run<()> {
        let b = j.block;
        if let Some(h) = &b.having {
            self.run_group_subs(j, &values, &h.subs, outer).await?;
            let frame = Rows { aggs: &values, ..j.frame(self.params, outer) };
            if !is_true(&h.expr, &frame, &mut self.ev)? {
                return Ok(());
            }
        }
        self.run_group_subs(j, &values, &b.item_subs, outer).await?;
        let frame = Rows { aggs: &values, ..j.frame(self.params, outer) };
        let mut cells = Row::with_capacity(kept.last().map_or(0, |k: &Kept| k.cells.len()));
        for e in b.windows.iter().flat_map(Window::exprs) {
            cells.push(eval(e, &frame, &mut self.ev)?.into_owned());
        }
        let slots: Vec<Slot> = match looked_at {
            true => j.slots.iter().map(Slot::keep).collect(),
            false => Vec::new(),
        };
        let calls: usize = b.windows.iter().map(|w| w.calls.len()).sum();
        values.resize(values.len() + calls, Value::Null);
        let of_slot = |s: &Slot| match s {
            Slot::Values(row) => row_bytes(row),
            other => other.bytes().map_or(0, <[u8]>::len),
        };
        let bytes = size_of::<Kept>()
            + size_of_val(&slots[..])
            + slots.iter().map(of_slot).sum::<usize>()
            + row_bytes(&values)
            + row_bytes(&cells);
        self.ev.cx.hold(held, bytes)?;
        kept.push(Kept { slots, values, cells });
        Ok(())
    }

    /// Sorts the rows by a window, and computes its functions for each of its partitions. `n`: where its cells begin.
    fn window(
        &mut self,
        w: &Window,
        (n, aggs): (usize, usize),
        kept: &mut [Kept],
        order: &mut Vec<usize>,
        held: &mut Held,
    ) -> Run<()> {
        let (parts, keys) = (w.partition.len(), w.order.len());
        let infos: Vec<TypeInfo> = w.exprs().take(parts + keys).map(|e| e.info).collect();
        let descends = w.partition.iter().map(|_| false).chain(w.order.iter().map(|(_, d)| *d));
        let by = SortOrder::new(&infos, descends);
        let cells = |at: usize| &kept[at].cells[n..n + parts + keys];
        let (mut sorting, mut buf) = (Held::default(), Vec::new());
        self.ev.cx.hold(&mut sorting, order.len() * size_of::<Keyed>())?;
        let mut keyed = true;
        let mut sorted = Vec::with_capacity(order.len());
        for at in order.drain(..) {
            let key = if keyed { by.key(|k| &cells(at)[k], parts, &mut buf) } else { None };
            keyed = key.is_some();
            self.ev.cx.hold(&mut sorting, key.as_ref().map_or(0, SortKey::heap))?;
            sorted.push(Keyed { key: key.unwrap_or_default(), at });
        }
        let whole = |a: &Keyed, b: &Keyed| match a.key.compare(&b.key) {
            Some(order) if keyed => order,
            _ => by.compare(cells(a.at), cells(b.at)),
        };
        sort(&mut sorted, whole, |work| self.ev.cx.work(work))?;
        order.extend(sorted.iter().map(|row| row.at));
        let same_part = |a: &Keyed, b: &Keyed| {
            let equal = |k: usize| by.compare_key(k, &cells(a.at)[k], &cells(b.at)[k]).is_eq();
            let told = if keyed { a.key.same_first(&b.key) } else { None };
            told.unwrap_or_else(|| (0..parts).all(equal))
        };
        let mut results: Vec<(usize, usize, Value<'static>)> = Vec::new();
        let mut from = 0;
        while from < order.len() {
            let rest = &sorted[from..];
            let len = rest.iter().take_while(|row| same_part(&rest[0], row)).count();
            let rows = &order[from..from + len];
            // Where each row's peers begin and end.
            let mut peers: Vec<Range<usize>> = Vec::with_capacity(len);
            let mut at = 0;
            while at < len {
                let peer = |i: &usize| whole(&rest[at], &rest[*i]).is_eq();
                let n = (at..len).take_while(peer).count();
                (0..n).for_each(|_| peers.push(at..at + n));
                at += n;
            }
            let mut first = n + parts + keys;
            for call in &w.calls {
                let p = Partition { kept, rows, n, first, peers: &peers, by: &by, key: parts };
                p.call(self, call, &mut |r, row, v| {
                    // Each row has a result of its own: a list of all rows is as many times there.
                    r.ev.cx.hold(held, RESULT + heap_of(&v))?;
                    r.ev.cx.work(heap_of(&v))?;
                    results.push((row, aggs + call.at, v));
                    Ok(())
                })?;
                first += call.args.len();
                first += usize::from(call.frame.start.expr().is_some());
                first += usize::from(call.frame.end.expr().is_some());
            }
            from += len;
        }
        for (row, at, v) in results {
            kept[row].values[at] = v;
        }
        Ok(())
    }
}

/// Whether what is shown of a row, or what sorts it, looks at a column of it when its windows are done.
fn looks_at_rows(b: &Block) -> bool {
    let mut columns = b.subs.iter().any(|s| s.correlated);
    let mut see = |e: &BExpr| e.walk(&mut |n| columns |= matches!(n.node, Node::Col(_)));
    b.items.iter().for_each(&mut see);
    b.order.iter().chain(&b.index_order).for_each(|(e, _)| see(e));
    columns
}

/// The rows of a partition in order, for one call.
struct Partition<'a> {
    kept: &'a [Kept],
    rows: &'a [usize],
    /// Where the window's cells begin.
    n: usize,
    /// Where the call's cells begin.
    first: usize,
    peers: &'a [Range<usize>],
    by: &'a SortOrder,
    /// The key of the order that a RANGE frame looks at.
    key: usize,
}

/// A result of a function before its row has it.
const RESULT: usize = size_of::<(usize, usize, Value<'static>)>();

type Give<'g> = &'g mut dyn FnMut(&mut Runner<'_, '_>, usize, Value<'static>) -> Run<()>;

impl Partition<'_> {
    fn cell(&self, at: usize, n: usize) -> &Value<'static> {
        &self.kept[self.rows[at]].cells[self.first + n]
    }

    fn call(&self, r: &mut Runner<'_, '_>, c: &WindowCall, give: Give<'_>) -> Run<()> {
        let len = self.rows.len();
        let mut dense = 0;
        let unsigned = |n: usize| Value::UInt(n as u64);
        if let WindowFunction::Aggregate(spec) = &c.function {
            return self.aggregate(r, c, spec, give);
        }
        for at in 0..len {
            r.ev.cx.work(64)?;
            let peers = &self.peers[at];
            dense += usize::from(peers.start == at);
            let v = match &c.function {
                WindowFunction::RowNumber => unsigned(at + 1),
                WindowFunction::Rank => unsigned(peers.start + 1),
                WindowFunction::DenseRank => unsigned(dense),
                WindowFunction::PercentRank if len == 1 => Value::Double(0.0),
                WindowFunction::PercentRank => Value::Double(peers.start as f64 / (len - 1) as f64),
                WindowFunction::CumeDist => Value::Double(peers.end as f64 / len as f64),
                WindowFunction::Ntile => self.ntile(at)?,
                WindowFunction::Lag | WindowFunction::Lead => self.neighbour(c, at)?,
                WindowFunction::FirstValue
                | WindowFunction::LastValue
                | WindowFunction::NthValue => self.of_frame(r, c, at)?,
                WindowFunction::Aggregate(_) => Value::Null,
            };
            give(r, self.rows[at], v)?;
        }
        Ok(())
    }

    fn ntile(&self, at: usize) -> Run<Value<'static>> {
        let n = whole(self.cell(at, 0)).filter(|n| *n > 0).ok_or_else(|| wrong("ntile"))?;
        let (len, n) = (self.rows.len() as u64, n as u64);
        let (size, more) = (len / n, len % n);
        // The first ones have a row more.
        let long = more * (size + 1);
        let at = at as u64;
        let tile = if at < long { at / (size + 1) } else { more + (at - long) / size.max(1) };
        Ok(Value::UInt(tile + 1))
    }

    fn neighbour(&self, c: &WindowCall, at: usize) -> Run<Value<'static>> {
        let lag = matches!(c.function, WindowFunction::Lag);
        let name = if lag { "lag" } else { "lead" };
        let by = match c.args.len() {
            1 => 1,
            _ => whole(self.cell(at, 1)).filter(|n| *n >= 0).ok_or_else(|| wrong(name))? as usize,
        };
        let there = if lag { at.checked_sub(by) } else { at.checked_add(by) };
        Ok(match there.filter(|t| *t < self.rows.len()) {
            Some(there) => self.cell(there, 0).clone(),
            None if c.args.len() == 3 => self.cell(at, 2).clone(),
            None => Value::Null,
        })
    }

    fn of_frame(&self, r: &mut Runner<'_, '_>, c: &WindowCall, at: usize) -> Run<Value<'static>> {
        let frame = self.frame(r, c, at)?;
        let place = match c.function {
            WindowFunction::FirstValue => Some(frame.start),
            WindowFunction::LastValue => frame.end.checked_sub(1),
            _ => {
                let n = whole(self.cell(at, 1)).filter(|n| *n > 0);
                Some(frame.start + (n.ok_or_else(|| wrong("nth_value"))? - 1) as usize)
            }
        };
        let inside = place.filter(|p| frame.contains(p));
        Ok(inside.map_or(Value::Null, |p| self.cell(p, 0).clone()))
    }

    /// The frame of a row: some of the partition's rows, or none.
    fn frame(&self, r: &mut Runner<'_, '_>, c: &WindowCall, at: usize) -> Run<Range<usize>> {
        let len = self.rows.len();
        let mut next = c.args.len();
        let mut bound = |b: &Bound, first: bool| -> Run<usize> {
            let value = b.expr().map(|_| {
                next += 1;
                self.cell(at, next - 1)
            });
            Ok(match (b, value) {
                (Bound::Unbounded, _) => {
                    if first {
                        0
                    } else {
                        len
                    }
                }
                (Bound::Before(_) | Bound::After(_), Some(v)) if c.frame.rows => {
                    let n = whole(v).filter(|n| *n >= 0).ok_or_else(illegal_frame)? as usize;
                    let place = match b {
                        Bound::Before(_) => at.checked_sub(n),
                        _ => Some(at.saturating_add(n)),
                    };
                    match (place, first) {
                        (Some(p), true) => p.min(len),
                        (Some(p), false) => p.saturating_add(1).min(len),
                        (None, _) => 0,
                    }
                }
                (Bound::Before(_) | Bound::After(_), Some(v)) if !v.is_null() => {
                    let key = |i: usize| &self.kept[self.rows[i]].cells[self.n + self.key];
                    let order = |i: &usize| self.by.compare_key(self.key, key(*i), v);
                    let list: Vec<usize> = (0..len).collect();
                    list.partition_point(|i| match first {
                        true => order(i) == Ordering::Less,
                        false => order(i) != Ordering::Greater,
                    })
                }
                // The current row, or one whose order is NULL: its peers are beside it.
                _ if c.frame.rows => {
                    if first {
                        at
                    } else {
                        at + 1
                    }
                }
                _ => {
                    if first {
                        self.peers[at].start
                    } else {
                        self.peers[at].end
                    }
                }
            })
        };
        let (start, end) = (bound(&c.frame.start, true)?, bound(&c.frame.end, false)?);
        r.ev.cx.work(64)?;
        Ok(start..end.max(start))
    }

    fn aggregate(
        &self,
        r: &mut Runner<'_, '_>,
        c: &WindowCall,
        spec: &AggSpec,
        give: Give<'_>,
    ) -> Run<()> {
        // A frame that grows goes on from the row before, and one that moves on loses the rows that leave it, where they can be taken away.
        let mut done: Range<usize> = 0..0;
        let mut acc = Accumulator::new(spec);
        let mut last: Option<Value<'static>> = None;
        for at in 0..self.rows.len() {
            let frame = self.frame(r, c, at)?;
            if self.take_away(r, (c, spec), &mut acc, &done, &frame)? {
                done.start = frame.start;
                last = None;
            } else if frame.start != done.start || frame.end < done.end {
                acc = Accumulator::new(spec);
                done = frame.start..frame.start;
                last = None;
            }
            for i in done.end..frame.end {
                let cells = &self.kept[self.rows[i]].cells;
                let args = &cells[self.first..self.first + c.args.len()];
                r.ev.cx.work(64)?;
                acc.update(spec, args, &mut r.ev.cx)?;
                last = None;
            }
            done = frame;
            let v = match last.take() {
                Some(v) => v,
                // A window's value is kept in a column, which has the digits of its type.
                None => {
                    let v = acc.value(spec, &mut r.ev.cx)?;
                    coerce(v, &spec.result.ty, &mut r.ev.cx)
                }
            };
            give(r, self.rows[at], v.clone())?;
            last = Some(v);
        }
        Ok(())
    }
}

impl Partition<'_> {
    /// A frame has moved on: takes the rows that it has left away from what has been aggregated. False: that cannot be done, or it is more work
    /// than to begin again.
    fn take_away(
        &self,
        r: &mut Runner<'_, '_>,
        (c, spec): (&WindowCall, &AggSpec),
        acc: &mut Accumulator,
        done: &Range<usize>,
        frame: &Range<usize>,
    ) -> Run<bool> {
        let moved = done.start < frame.start && frame.start < done.end && done.end <= frame.end;
        if !moved || frame.start - done.start > frame.end - frame.start {
            return Ok(false);
        }
        for i in done.start..frame.start {
            r.ev.cx.work(64)?;
            let cells = &self.kept[self.rows[i]].cells;
            if !acc.remove(spec, &cells[self.first..self.first + c.args.len()]) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A count that an argument gives.
fn whole(v: &Value<'_>) -> Option<i64> {
    if v.is_null() {
        return None;
    }
    v.to_i64(&mut Warnings::with_limit(0))
}

fn wrong(function: &str) -> SqlError {
    SqlError::new(errno::ER_WRONG_ARGUMENTS, format!("Incorrect arguments to {function}"))
}

fn illegal_frame() -> SqlError {
    let text =
        "Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type";
    SqlError::new(errno::ER_WINDOW_FRAME_ILLEGAL, text)
}
