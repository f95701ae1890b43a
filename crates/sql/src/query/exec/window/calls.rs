//! The functions of a window, computed row by row over a partition.

use super::bounds::{OrderKeys, Peers, frame_of, whole};
use super::rows::PartitionRows;
use super::sliding::Extreme;
use crate::errno;
use crate::func::aggregate::{Accumulator, AggKind, AggSpec};
use crate::query::exec::Runner;
use crate::query::exec::order::SortOrder;
use crate::query::expr::Node;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Bound, Window, WindowCall, WindowFunction};
use crate::session_api::SqlError;
use crate::value::cast::coerce;
use crate::value::{TypeInfo, Value};
use std::cmp::Ordering;
use std::ops::Range;

/// The functions of a window, and how far they have come in a partition.
pub struct Calls<'w> {
    calls: Vec<Call<'w>>,
    keys: OrderKeys,
    peers: Peers,
    /// Rows of different order so far.
    dense: u64,
    /// Where the cells of the window end.
    end: usize,
    streams: bool,
    /// Some function looks at the peers of a row.
    ranked: bool,
}

struct Call<'w> {
    of: &'w WindowCall,
    /// Where its arguments and the bounds of its frame are in a row.
    cells: Range<usize>,
    /// The frame of the row before, or what has been aggregated of this one's.
    done: Range<usize>,
    acc: Option<Accumulator>,
    /// The aggregate over the frame that is done.
    last: Option<Value<'static>>,
    /// Of MIN and MAX over a frame that moves.
    extreme: Option<Extreme>,
    result: Value<'static>,
}

impl<'w> Calls<'w> {
    /// `first`: where the cells of the window begin.
    pub fn new(w: &'w Window, first: usize) -> Calls<'w> {
        let (parts, keys) = (w.partition.len(), w.order.len());
        let infos: Vec<TypeInfo> = w.exprs().take(parts + keys).map(|e| e.info).collect();
        let descends = w.partition.iter().map(|_| false).chain(w.order.iter().map(|(_, d)| *d));
        let by = SortOrder::new(&infos, descends);
        let mut end = first + parts + keys;
        let keys = OrderKeys { by, cells: first + parts..end, first: parts };
        let mut calls = Vec::with_capacity(w.calls.len());
        for of in &w.calls {
            let bounds = [&of.frame.start, &of.frame.end].into_iter().filter_map(Bound::expr);
            let cells = end..end + of.args.len() + bounds.count();
            end = cells.end;
            let (done, result) = (0..0, Value::Null);
            let extreme = extreme_of(of);
            calls.push(Call { of, cells, done, acc: None, last: None, extreme, result });
        }
        let streams = w.calls.iter().all(streams);
        let ranked = w.calls.iter().any(ranks);
        Calls { calls, keys, peers: Peers::default(), dense: 0, end, streams, ranked }
    }

    /// Where the cells of the window end in a row.
    pub fn end(&self) -> usize {
        self.end
    }

    /// No function looks at more than the row at hand and the one before it: a row can be computed as soon as it comes.
    pub fn streams(&self) -> bool {
        self.streams
    }

    /// Another partition begins.
    pub fn begin(&mut self) {
        (self.peers, self.dense) = (Peers::default(), 0);
        for call in &mut self.calls {
            (call.done, call.acc, call.last) = (0..0, None, None);
            call.extreme.iter_mut().for_each(Extreme::clear);
        }
    }

    /// The values for the row that was computed last, with the places of the calls.
    pub fn results(&mut self) -> impl Iterator<Item = (usize, Value<'static>)> {
        self.calls.iter_mut().map(|call| (call.of.at, std::mem::take(&mut call.result)))
    }

    /// Computes all functions for a row; rows come in their order.
    pub async fn compute(
        &mut self,
        r: &mut Runner<'_, '_>,
        rows: &mut PartitionRows,
        at: usize,
    ) -> Run<()> {
        let Calls { calls, keys, peers, dense, ranked, .. } = self;
        let keys = &*keys;
        if *ranked {
            *dense += u64::from(peers.go_to(at, rows, keys).await?);
        }
        for call in calls {
            let order = (&mut *peers, keys);
            r.ev.cx.work(64)?;
            let len = rows.len();
            let unsigned = |n: usize| Value::UInt(n as u64);
            call.result = match &call.of.function {
                WindowFunction::RowNumber => unsigned(at + 1),
                WindowFunction::Rank => unsigned(order.0.start() + 1),
                WindowFunction::DenseRank => Value::UInt(*dense),
                WindowFunction::PercentRank if len == 1 => Value::Double(0.0),
                WindowFunction::PercentRank => {
                    Value::Double(order.0.start() as f64 / (len - 1) as f64)
                }
                WindowFunction::CumeDist => {
                    Value::Double(order.0.end(rows, keys).await? as f64 / len as f64)
                }
                WindowFunction::Ntile => call.ntile(rows, at).await?,
                WindowFunction::Lag | WindowFunction::Lead => call.neighbour(rows, at).await?,
                WindowFunction::FirstValue
                | WindowFunction::LastValue
                | WindowFunction::NthValue => {
                    call.of_frame((&mut *r, &mut *rows), at, order).await?
                }
                WindowFunction::Aggregate(spec) => {
                    call.aggregate((&mut *r, &mut *rows), at, order, spec).await?
                }
            };
        }
        Ok(())
    }
}

/// Whether a function looks at the peers of a row.
fn ranks(c: &WindowCall) -> bool {
    use WindowFunction as F;
    match &c.function {
        F::RowNumber | F::Ntile | F::Lag | F::Lead => false,
        F::Rank | F::DenseRank | F::PercentRank | F::CumeDist => true,
        F::FirstValue | F::LastValue | F::NthValue | F::Aggregate(_) => !c.frame.rows,
    }
}

/// Whether a function looks at the rows up to the current one alone, each once.
fn streams(c: &WindowCall) -> bool {
    match &c.function {
        WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank => true,
        WindowFunction::Aggregate(_) => {
            c.frame.rows
                && matches!((&c.frame.start, &c.frame.end), (Bound::Unbounded, Bound::Current))
        }
        _ => false,
    }
}

impl Call<'_> {
    async fn cell<'r>(
        &self,
        rows: &'r mut PartitionRows,
        at: usize,
        n: usize,
    ) -> Run<&'r Value<'static>> {
        Ok(&rows.row(at).await?[self.cells.start + n])
    }

    async fn ntile(&self, rows: &mut PartitionRows, at: usize) -> Run<Value<'static>> {
        let len = rows.len() as u64;
        let n = whole(self.cell(rows, at, 0).await?).filter(|n| *n > 0);
        let n = n.ok_or_else(|| wrong("ntile"))? as u64;
        let (size, more) = (len / n, len % n);
        // The first ones have a row more.
        let long = more * (size + 1);
        let at = at as u64;
        let tile = if at < long { at / (size + 1) } else { more + (at - long) / size.max(1) };
        Ok(Value::UInt(tile + 1))
    }

    async fn neighbour(&self, rows: &mut PartitionRows, at: usize) -> Run<Value<'static>> {
        let lag = matches!(self.of.function, WindowFunction::Lag);
        let name = if lag { "lag" } else { "lead" };
        let args = self.of.args.len();
        let by = match args {
            1 => 1,
            _ => {
                let by = whole(self.cell(rows, at, 1).await?).filter(|n| *n >= 0);
                by.ok_or_else(|| wrong(name))? as usize
            }
        };
        let there = if lag { at.checked_sub(by) } else { at.checked_add(by) };
        Ok(match there.filter(|t| *t < rows.len()) {
            Some(there) => self.cell(rows, there, 0).await?.clone(),
            None if args == 3 => self.cell(rows, at, 2).await?.clone(),
            None => Value::Null,
        })
    }

    /// The frame of a row.
    async fn frame(
        &self,
        (r, rows): (&mut Runner<'_, '_>, &mut PartitionRows),
        at: usize,
        order: (&mut Peers, &OrderKeys),
    ) -> Run<Range<usize>> {
        let frame = &self.of.frame;
        let mut next = self.of.args.len();
        let mut values = [None, None];
        for (bound, value) in [&frame.start, &frame.end].into_iter().zip(&mut values) {
            if bound.expr().is_some() {
                *value = Some(self.cell(rows, at, next).await?.clone());
                next += 1;
            }
        }
        frame_of(frame, (r, rows), (at, values), order, &self.done).await
    }

    async fn of_frame(
        &mut self,
        (r, rows): (&mut Runner<'_, '_>, &mut PartitionRows),
        at: usize,
        order: (&mut Peers, &OrderKeys),
    ) -> Run<Value<'static>> {
        let frame = self.frame((&mut *r, &mut *rows), at, order).await?;
        let place = match self.of.function {
            WindowFunction::FirstValue => Some(frame.start),
            WindowFunction::LastValue => frame.end.checked_sub(1),
            _ => {
                let n = self.cell(rows, at, 1).await?;
                // Only a parameter may be NULL: of anything else the statement was refused.
                if n.is_null() && matches!(self.of.args[1].node, Node::Param(_)) {
                    return Ok(Value::Null);
                }
                let n = whole(n).filter(|n| *n > 0);
                Some(frame.start + (n.ok_or_else(|| wrong("nth_value"))? - 1) as usize)
            }
        };
        let inside = place.filter(|p| frame.contains(p));
        self.done = frame;
        match inside {
            Some(place) => Ok(self.cell(rows, place, 0).await?.clone()),
            None => Ok(Value::Null),
        }
    }

    /// An aggregate over the frame. One that grows goes on from the row before, and one that moves on loses the rows that leave it, where they
    /// can be taken away.
    async fn aggregate(
        &mut self,
        (r, rows): (&mut Runner<'_, '_>, &mut PartitionRows),
        at: usize,
        order: (&mut Peers, &OrderKeys),
        spec: &AggSpec,
    ) -> Run<Value<'static>> {
        let frame = self.frame((&mut *r, &mut *rows), at, order).await?;
        if self.extreme.is_some() {
            return self.extreme((r, rows), frame, spec).await;
        }
        let mut acc = self.acc.take().unwrap_or_else(|| Accumulator::new(spec));
        let args = self.cells.start..self.cells.start + self.of.args.len();
        let moved = self.take_away((&mut *r, &mut *rows), &args, (&mut acc, spec), &frame).await?;
        if moved {
            self.done.start = frame.start;
            self.last = None;
        } else if frame.start != self.done.start || frame.end < self.done.end {
            acc = Accumulator::new(spec);
            self.done = frame.start..frame.start;
            self.last = None;
        }
        for i in self.done.end..frame.end {
            r.ev.cx.work(64)?;
            acc.update(spec, &rows.row(i).await?[args.clone()], &mut r.ev.cx)?;
            self.last = None;
        }
        self.done = frame;
        let v = match self.last.take() {
            Some(v) => v,
            // A window's value is kept in a column, which has the digits of its type.
            None => {
                let v = acc.value(spec, &mut r.ev.cx)?;
                coerce(v, &spec.result.ty, &mut r.ev.cx)
            }
        };
        self.acc = Some(acc);
        self.last = Some(v.clone());
        Ok(v)
    }

    /// MIN or MAX of a frame that moves.
    async fn extreme(
        &mut self,
        (r, rows): (&mut Runner<'_, '_>, &mut PartitionRows),
        frame: Range<usize>,
        spec: &AggSpec,
    ) -> Run<Value<'static>> {
        let Some(extreme) = &mut self.extreme else { return Ok(Value::Null) };
        let done = &self.done;
        // Rows behind the end of a frame that has become shorter would have to come again.
        let goes_on = done.start <= frame.start && done.end <= frame.end;
        if !goes_on {
            extreme.clear();
        }
        let first = if goes_on { done.end.max(frame.start) } else { frame.start };
        extreme.leave_before(frame.start);
        for i in first..frame.end {
            r.ev.cx.work(64)?;
            extreme.enter(i, &rows.row(i).await?[self.cells.start], r)?;
        }
        self.done = frame;
        let v = extreme.best();
        Ok(coerce(v, &spec.result.ty, &mut r.ev.cx))
    }

    /// A frame has moved on: takes the rows that it has left away from what has been aggregated. False: that cannot be done, or it is more work
    /// than to begin again.
    async fn take_away(
        &self,
        (r, rows): (&mut Runner<'_, '_>, &mut PartitionRows),
        args: &Range<usize>,
        (acc, spec): (&mut Accumulator, &AggSpec),
        frame: &Range<usize>,
    ) -> Run<bool> {
        let done = &self.done;
        let moved = done.start < frame.start && frame.start < done.end && done.end <= frame.end;
        if !moved || frame.start - done.start > frame.end - frame.start {
            return Ok(false);
        }
        for i in done.start..frame.start {
            r.ev.cx.work(64)?;
            if !acc.remove(spec, &rows.row(i).await?[args.clone()]) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// MIN and MAX over frames that lose rows, which cannot be taken away from what has been aggregated.
fn extreme_of(c: &WindowCall) -> Option<Extreme> {
    let WindowFunction::Aggregate(spec) = &c.function else { return None };
    match (spec.kind, &c.frame.start) {
        (_, Bound::Unbounded) => None,
        (AggKind::Min, _) => Some(Extreme::new(Ordering::Less)),
        (AggKind::Max, _) => Some(Extreme::new(Ordering::Greater)),
        _ => None,
    }
}

fn wrong(function: &str) -> SqlError {
    SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&function])
}
