//! Groups that are nothing but numbers until they go out: their aggregates have vectors, and what is shown of their rows are columns of their key.
//! They take a few dozen bytes each, where a group of single rows has a row, and a state of a hundred bytes for each aggregate.
//!
//! When they are full, no other group begins: rows of others are put aside as those of single rows are (`exec::group`), and the reading goes on by the
//! leaf. What was put aside comes when these have gone out.

use super::super::emit::Emitter;
use super::super::group::Groups;
use super::super::join::Joiner;
use super::super::{Boxed, Out, Runner};
use super::column::Columns;
use super::keys::{ASIDE, GroupKey, KEYS, Keys};
use super::sums::Sum;
use super::{Batch, GroupOf};
use crate::func::aggregate::{Accumulator, State};
use crate::query::eval::frame::{Frame, Slot};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::outcome::{Row, Run};
use crate::query::plan::{Aggregation, Block};
use crate::value::{TimeZone, Value, is_no_member};
use std::borrow::Cow;
use std::ops::Range;
use weir_engine::row::Datum;

/// Groups between two looks whether the statement must end.
const LOOK_EVERY: usize = 1024;

pub struct Compact {
    /// Columns of the row that are shown, each with its place in the key.
    shown: Vec<(usize, usize)>,
    /// Columns up to the last one that is shown.
    width: usize,
    /// Of each group the key of its first row, with the numbers of spellings.
    keys: Vec<GroupKey>,
    /// No other group begins.
    closed: bool,
}

impl Compact {
    /// None: more is looked at than the columns of the key, or these do not tell how they were written.
    pub fn of(b: &Block, agg: &Aggregation, keys: &Keys, columns: &Columns<'_>) -> Option<Compact> {
        // The keys of a group of ROLLUP are shown as values behind its aggregates.
        let rolls = agg.rollup.is_some();
        if rolls && !(0..agg.keys.len()).all(|n| keys.column(n, columns).is_shown()) {
            return None;
        }
        if b.subs.iter().any(|s| s.correlated) {
            return None;
        }
        let mut wanted = Vec::new();
        let mut see = |e: &BExpr| {
            e.walk(&mut |n| {
                if let Node::Col(c) = n.node
                    && c.depth == 0
                {
                    wanted.push(usize::from(c.col));
                }
            });
        };
        b.items.iter().for_each(&mut see);
        b.order.iter().chain(&b.index_order).for_each(|(e, _)| see(e));
        b.having.iter().for_each(|c| see(&c.expr));
        b.drawn.exprs.iter().for_each(&mut see);
        wanted.sort_unstable();
        wanted.dedup();
        let place = |col: usize| {
            let own = |e: &BExpr| matches!(e.node, Node::Col(c) if usize::from(c.col) == col);
            let at = agg.keys.iter().position(own)?;
            keys.column(at, columns).is_shown().then_some((col, at))
        };
        let shown = wanted.iter().map(|col| place(*col)).collect::<Option<Vec<_>>>()?;
        let width = wanted.last().map_or(0, |last| last + 1);
        Some(Compact { shown, width, keys: Vec::new(), closed: false })
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// From the next leaf on no other group begins.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Begins a group; its number.
    pub fn begin(&mut self, key: GroupKey) -> u32 {
        self.keys.push(key);
        self.keys.len() as u32 - 1
    }

    /// Bytes that a group takes here.
    pub fn entry() -> usize {
        size_of::<GroupKey>()
    }

    pub fn last(&self) -> Option<GroupKey> {
        self.keys.last().copied()
    }

    /// All groups have gone out but the last one, which is the first from now on, with this key.
    pub fn keep_last(&mut self, key: Option<GroupKey>) {
        self.keys.clear();
        self.keys.extend(key);
    }

    /// The value of the `n`-th key of a group.
    fn key<'k>(
        &self,
        group: usize,
        n: usize,
        (keys, columns): (&'k Keys, &'k Columns<'_>),
    ) -> Value<'k> {
        let first = &self.keys[group];
        if first[KEYS] & 1 << n != 0 {
            return Value::Null;
        }
        let c = keys.column(n, columns);
        match keys.text(n, first) {
            Some(text) => c.ty.load(Datum::Bytes(text), TimeZone::UTC),
            None => c.value(first[n] as i64),
        }
    }

    /// Puts what is shown of a group into a row.
    fn show(&self, group: usize, of: (&Keys, &Columns<'_>), row: &mut Row) {
        for (col, n) in &self.shown {
            put(self.key(group, *n, of), &mut row[*col]);
        }
    }
}

/// Puts a value in the place of another one. The memory of a text is used again.
fn put(v: Value<'_>, to: &mut Value<'static>) {
    match (v, &mut *to) {
        (Value::Str(Cow::Borrowed(text), c), Value::Str(Cow::Owned(bytes), own))
            if !is_no_member(text) =>
        {
            bytes.clear();
            bytes.extend_from_slice(text);
            *own = c;
        }
        (v, to) => *to = v.into_owned(),
    }
}

impl Runner<'_, '_> {
    /// Sends groups. False: no more are wanted.
    pub(super) fn send_compact<'r>(
        &'r mut self,
        (batch, agg): (&'r mut Batch<'_>, &'r Aggregation),
        of: Range<usize>,
        j: &'r mut Joiner<'_>,
        (e, out): (&'r mut Emitter<'_>, &'r mut Out<'_>),
        outer: Option<&'r Frame<'r>>,
    ) -> Boxed<'r, bool> {
        Box::pin(async move {
            let (Some(compact), Some(keys)) = (&batch.compact, &batch.keys) else {
                return Ok(true);
            };
            let t = j.block.steps[0].table;
            let row = Slot::Values(vec![Value::Null; compact.width]);
            let own = std::mem::replace(&mut j.slots[t], row);
            let mut aggs = Row::with_capacity(agg.specs.len());
            for group in of {
                if group % LOOK_EVERY == LOOK_EVERY - 1 {
                    self.go_on()?;
                }
                if let Slot::Values(row) = &mut j.slots[t] {
                    compact.show(group, (keys, &batch.columns), row);
                }
                aggs.clear();
                for (sum, (spec, _)) in batch.sums.iter().zip(&agg.specs) {
                    aggs.push(match sum.state(&batch.columns, group)? {
                        Some(state) => {
                            Accumulator::of_state(state).finish(spec, &mut self.ev.cx)?
                        }
                        None => Value::Null,
                    });
                }
                if !self.emit(j, &aggs, e, outer, out).await? {
                    return Ok(false);
                }
            }
            j.slots[t] = own;
            Ok(true)
        })
    }

    /// WITH ROLLUP: the groups become those of single rows, with those that sum them up.
    pub(super) fn roll_up_compact(
        &mut self,
        (batch, agg): (&Batch<'_>, &Aggregation),
        groups: &mut Groups<'_>,
    ) -> Run<()> {
        let (Some(compact), Some(keys)) = (&batch.compact, &batch.keys) else { return Ok(()) };
        let mut values = Row::with_capacity(agg.keys.len());
        for group in 0..compact.len() {
            if group % LOOK_EVERY == LOOK_EVERY - 1 {
                self.go_on()?;
            }
            values.clear();
            let key = |n| compact.key(group, n, (keys, &batch.columns)).into_owned();
            values.extend((0..agg.keys.len()).map(key));
            let state = |n: usize| {
                let state = batch.sums[n].state(&batch.columns, group)?;
                Ok(state.unwrap_or(State::Empty))
            };
            groups.roll_up(&values, state, &mut self.ev)?;
        }
        Ok(())
    }

    /// Groups of the selected rows, which are all numbers. Rows that have no group any more are put aside.
    pub(super) fn find_compact(
        &mut self,
        j: &mut Joiner<'_>,
        batch: &mut Batch<'_>,
        groups: &mut Groups<'_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let (Some(compact), Some(keys)) = (&mut batch.compact, &mut batch.keys) else {
            return Ok(());
        };
        let before = compact.len();
        let found = &mut batch.groups;
        let to = GroupOf::Numbers(compact);
        keys.find(&batch.columns, &batch.selected, (groups, &self.ev), to, found)?;
        let count = compact.len();
        let width: usize = batch.sums.iter().map(Sum::width).sum();
        let more = (count - before) * (width + Compact::entry());
        self.ev.cx.hold(groups.held(), more)?;
        batch.sums.iter_mut().for_each(|s| s.grow(count));
        if !compact.is_closed() {
            return Ok(());
        }
        let (mut known, mut of) = (Vec::new(), Vec::new());
        for at in 0..batch.selected.len() {
            if batch.groups[at] != ASIDE {
                known.push(batch.selected[at]);
                of.push(batch.groups[at]);
                continue;
            }
            j.show_row(&batch.rows, at as u32);
            groups.set_aside(&j.frame(self.params, outer), &j.slots, &mut self.ev)?;
        }
        (batch.selected, batch.groups) = (known, of);
        Ok(())
    }
}
