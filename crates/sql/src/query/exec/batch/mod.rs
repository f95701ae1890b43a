//! Rows of one table by the leaf: conditions and aggregates over vectors, where a row at a time would make values of each column.
//!
//! A batch is what a leaf gives. While the leaf is latched, the columns that conditions look at are read into vectors (`column`), one
//! condition after the other leaves a selection of the rows (`condition`, with `bounds` of constants), and what aggregates and keys look at
//! is read of the selected rows. Then the latch goes, and the rows find their groups (`keys`) and are summed up (`sums`, `number`), or go on
//! one by one; of an order with a LIMIT only those that may be among the first (`top`). What has no vectors is evaluated row by row over
//! copies of the selected rows, which are made for that: a condition, an argument, or the row that a group keeps.
//!
//! May use plans, evaluation and the engine's leaves. `leaves` in the room of joins finds the leaves of a step.
//!
//! Invariants:
//! - What comes out is what the row at a time gives: the same values, and groups in the same order. What may warn or fail has no vectors. A
//!   condition without vectors is asked of the rows that those with vectors leave, so it may warn of fewer rows.
//! - Nothing waits while a leaf is latched. Between leaves it is asked whether the statement has been killed.
//! - Groups are charged as those of single rows; when they are full, those of batches become groups of single rows, which know how to go on
//!   in files.

mod adjacent;
mod bounds;
mod column;
mod compact;
mod condition;
pub mod constants;
mod dictionary;
mod distinct;
mod keys;
mod number;
mod streamed;
mod sums;
mod top;

use super::emit::Emitter;
use super::group::Groups;
use super::join::Joiner;
use super::{Boxed, Out, Runner};
use crate::query::eval::frame::Frame;
use crate::query::eval::packed::PackedRows;
use crate::query::eval::{Ev, eval, is_true};
use crate::query::plan::outcome::Run;
use crate::query::plan::{Aggregation, Block, Cond, Source, Step};
use crate::value::ValueError;
use adjacent::Adjacent;
use column::Columns;
use compact::Compact;
use condition::Test;
use constants::Constants;
use distinct::DistinctCount;
use keys::Keys;
use std::sync::Arc;
use sums::{Sum, Told};
use top::Top;
use weir_engine::{LeafRows, LockMode};

/// Conditions behind so many are evaluated row by row.
const MOST_TESTS: usize = 63;

/// What a block does with a leaf.
pub struct Batch<'b> {
    columns: Columns<'b>,
    /// Conditions over vectors, each with its columns and its place in the step.
    tests: Vec<(Test, Vec<usize>, usize)>,
    /// Those that are evaluated row by row.
    others: Vec<&'b Cond>,
    /// By their places in the step, as bits, those over vectors.
    tested: u64,
    keys: Option<Keys>,
    /// Groups that are nothing but numbers, where they can be that.
    compact: Option<Compact>,
    sums: Vec<Sum>,
    /// The columns of keys and sums.
    summed: Vec<usize>,
    /// Nothing but the number of rows is asked for.
    counts: bool,
    /// Rows are copied.
    copies: bool,
    /// Places of the rows of the leaf that are selected.
    selected: Vec<u32>,
    /// The selected rows in their order, if they are copied.
    rows: Arc<PackedRows>,
    /// Only the first rows of an order are wanted.
    top: Option<Top>,
    /// Of equal rows one behind the other only the first is wanted.
    adjacent: Option<Adjacent>,
    groups: Vec<u32>,
}

impl<'b> Batch<'b> {
    /// Of a block that sums up. `None`: the rows of this run come one by one.
    pub fn of_sums(
        b: &'b Block,
        agg: &'b Aggregation,
        groups: &Groups<'_>,
        outer: Option<&Frame<'_>>,
        r: &mut Runner<'_, '_>,
    ) -> Option<Batch<'b>> {
        if !groups.take_batches() {
            return None;
        }
        let mut batch = Batch::of_conditions(b, outer, r)?;
        let Source::Table(table) = &b.tables[b.steps[0].table].source else { return None };
        let types = |at: usize| table.meta.columns[at].ty;
        let frame = Frame { outer, ..Frame::empty(r.params) };
        let cx = &mut Constants { frame: &frame, ev: &mut r.ev, types: &types };
        if !agg.implicit {
            let keys = (&agg.keys[..], groups.stream());
            batch.keys = Some(Keys::of(keys, &mut batch.columns, cx)?);
        }
        for (spec, args) in &agg.specs {
            batch.sums.push(match spec.is_told_once() {
                true if agg.implicit => {
                    let adjacent = b.together.arguments;
                    let to = (&mut batch.columns, &mut *cx);
                    let count = DistinctCount::of((spec, args), adjacent, to.0, to.1)?;
                    Sum::Distinct(Box::new(count))
                }
                true => return None,
                false => Sum::of((spec, args), &mut batch.columns, cx),
            });
        }
        batch.keys.iter().for_each(|k| k.columns(&mut batch.summed));
        batch.sums.iter().for_each(|s| s.columns(&mut batch.summed));
        let each = batch.sums.iter().any(|s| matches!(s, Sum::Each));
        let keys = batch.keys.as_ref().filter(|_| !each);
        batch.compact = keys.and_then(|keys| Compact::of(b, agg, keys, &batch.columns));
        let rolls = batch.compact.is_some() && batch.sums.iter().all(Sum::is_exact);
        if agg.rollup.is_some() && !rolls {
            return None;
        }
        let kept = groups.keep_rows() && batch.compact.is_none();
        batch.copies = each || !batch.others.is_empty() || kept;
        batch.counts = batch.tests.is_empty() && batch.summed.is_empty() && !batch.copies;
        Some(batch)
    }

    /// Of a block whose rows go out one by one, those that are wanted. `None`: there is nothing that vectors would say of them.
    pub fn of_rows(
        b: &'b Block,
        limits: (usize, usize),
        outer: Option<&Frame<'_>>,
        r: &mut Runner<'_, '_>,
    ) -> Option<Batch<'b>> {
        // A subquery that is run for each row may find its row at once.
        if outer.is_some() {
            return None;
        }
        let mut batch = Batch::of_conditions(b, outer, r)?;
        let Source::Table(table) = &b.tables[b.steps[0].table].source else { return None };
        let types = |at: usize| table.meta.columns[at].ty;
        if batch.others.is_empty() {
            let frame = Frame { outer, ..Frame::empty(r.params) };
            let cx = &mut Constants { frame: &frame, ev: &mut r.ev, types: &types };
            batch.top = Top::of(b, limits, &mut batch.columns, cx);
            batch.adjacent = Adjacent::of(b, &mut batch.columns, cx);
        }
        batch.copies = true;
        let fewer = batch.top.is_some() || batch.adjacent.is_some() || !batch.tests.is_empty();
        fewer.then_some(batch)
    }

    /// Of the first step of a join: rows that its conditions leave. `None`: there is nothing that vectors would say of them.
    pub fn of_step(b: &'b Block, r: &mut Runner<'_, '_>) -> Option<Batch<'b>> {
        let mut batch = Batch::of_first(b, None, r)?;
        batch.copies = true;
        (!batch.tests.is_empty()).then_some(batch)
    }

    /// The condition at a place of the step has a test.
    #[inline]
    pub fn has_test_of(&self, condition: usize) -> bool {
        self.tested & 1 << condition.min(63) != 0
    }

    /// How many rows of the leaf are left, and their copies.
    #[inline]
    pub fn left(&self) -> usize {
        self.selected.len()
    }

    #[inline]
    pub fn rows(&self) -> &Arc<PackedRows> {
        &self.rows
    }

    /// The conditions of a block's only step.
    fn of_conditions(
        b: &'b Block,
        outer: Option<&Frame<'_>>,
        r: &mut Runner<'_, '_>,
    ) -> Option<Batch<'b>> {
        (b.steps.len() == 1).then(|| Batch::of_first(b, outer, r))?
    }

    /// The conditions of a block's first step.
    fn of_first(
        b: &'b Block,
        outer: Option<&Frame<'_>>,
        r: &mut Runner<'_, '_>,
    ) -> Option<Batch<'b>> {
        let step = b.steps.first()?;
        let wanted = step.in_batches(r.reads.vars) && r.profile.is_none();
        if !wanted || r.lock_of(&b.tables[step.table]) != LockMode::None {
            return None;
        }
        let Source::Table(table) = &b.tables[step.table].source else { return None };
        let types = |at: usize| table.meta.columns[at].ty;
        let mut columns = Columns::new(&table.engine.layout, step.table);
        let frame = Frame { outer, ..Frame::empty(r.params) };
        let cx = &mut Constants { frame: &frame, ev: &mut r.ev, types: &types };
        let (mut tests, mut others, mut tested) = (Vec::new(), Vec::new(), 0);
        for (at, c) in step.conds.iter().enumerate() {
            let plain = c.subs.is_empty() && at < MOST_TESTS;
            match plain.then(|| Test::of(&c.expr, &mut columns, cx)).flatten() {
                Some(test) => {
                    tested |= 1 << at;
                    let mut of = Vec::new();
                    test.columns(&mut of);
                    tests.push((test, of, at));
                }
                None => others.push(c),
            }
        }
        Some(Batch {
            columns,
            tests,
            others,
            tested,
            keys: None,
            compact: None,
            sums: Vec::new(),
            summed: Vec::new(),
            counts: false,
            copies: false,
            selected: Vec::new(),
            rows: Arc::default(),
            top: None,
            adjacent: None,
            groups: Vec::new(),
        })
    }

    /// The rows will come from ranges that are exact: what these say already needs no look at a row.
    fn trust_ranges(&mut self, step: &Step) {
        self.tests.retain(|(_, _, at)| !step.conds[*at].implied);
        self.others.retain(|c| !c.implied);
        self.counts = self.tests.is_empty() && self.summed.is_empty() && !self.copies;
    }

    /// The group of all rows, where there is no other.
    fn begin_only(
        &mut self,
        first: &[u8],
        groups: &mut Groups<'_>,
        ev: &Ev<'_>,
    ) -> Result<(), ValueError> {
        if groups.count() == 0 {
            groups.begin(first, ev)?;
            self.sums.iter_mut().for_each(|s| s.grow(1));
        }
        Ok(())
    }

    /// What groups or aggregates keep has no more room, so that the rest of the rows come one by one. Groups that are numbers go on by the leaf,
    /// but no other begins.
    fn is_full(&mut self, agg: &Aggregation, groups: &Groups<'_>) -> bool {
        match &mut self.compact {
            Some(_) if agg.rollup.is_some() => groups.have_no_room(),
            Some(compact) => {
                if !compact.is_closed() && groups.have_no_room() {
                    compact.close();
                    self.copies = true;
                }
                false
            }
            None if self.keys.is_some() => groups.are_full(),
            None => self.tells_apart() && groups.have_no_room(),
        }
    }

    /// An aggregate tells equal values apart.
    fn tells_apart(&self) -> bool {
        self.sums.iter().any(|s| matches!(s, Sum::Distinct(_)))
    }

    /// What aggregates with DISTINCT have seen is kept as it is of single rows.
    fn tell_again(&self, groups: &mut Groups<'_>, ev: &Ev<'_>) -> Result<(), ValueError> {
        for (n, sum) in self.sums.iter().enumerate() {
            if let Sum::Distinct(d) = sum {
                d.each(&self.columns, |value| groups.know_told(n, &value, ev))?;
            }
        }
        Ok(())
    }

    /// Selects rows of a leaf, and reads or copies what is wanted of them.
    pub fn load(&mut self, rows: &LeafRows<'_>) {
        self.columns.forget();
        self.selected.clear();
        self.selected.extend(0..rows.len() as u32);
        for (test, of, _) in &mut self.tests {
            self.columns.load(of, rows, &self.selected);
            test.narrow(&self.columns, &mut self.selected);
            if self.selected.is_empty() {
                break;
            }
        }
        if let Some(top) = &mut self.top {
            self.columns.load(top.columns(), rows, &self.selected);
            top.narrow(&self.columns, &mut self.selected);
        }
        if let Some(adjacent) = &mut self.adjacent {
            self.columns.load(adjacent.columns(), rows, &self.selected);
            adjacent.narrow(&self.columns, &mut self.selected);
        }
        self.columns.load(&self.summed, rows, &self.selected);
        if self.copies {
            let copies = emptied(&mut self.rows);
            self.selected.iter().for_each(|at| copies.push(&rows[*at as usize]));
        }
    }
}

/// What becomes of a row that is the first of its group.
enum GroupOf<'g> {
    /// The row is kept, if they are copied.
    Rows(Option<&'g PackedRows>),
    Numbers(&'g mut Compact),
}

impl GroupOf<'_> {
    fn is_closed(&self) -> bool {
        matches!(self, GroupOf::Numbers(compact) if compact.is_closed())
    }
}

/// Memory for other rows; that of the last ones, unless somebody still looks at one of them.
fn emptied(rows: &mut Arc<PackedRows>) -> &mut PackedRows {
    if Arc::get_mut(rows).is_none() {
        *rows = Arc::default();
    }
    let rows = Arc::get_mut(rows).expect("it is nobody else's");
    rows.clear();
    rows
}

impl Runner<'_, '_> {
    /// Sends the rows of a block's only step that are wanted, leaf by leaf. False: nothing has been read, and they come row by row.
    pub(super) fn run_sifted<'r>(
        &'r mut self,
        (b, limits): (&'r Block, (usize, usize)),
        j: &'r mut Joiner<'_>,
        e: &'r mut Emitter<'_>,
        outer: Option<&'r Frame<'r>>,
        out: &'r mut Out<'_>,
    ) -> Boxed<'r, bool> {
        Box::pin(async move {
            let Some(mut batch) = Batch::of_rows(b, limits, outer, self) else { return Ok(false) };
            if !j.begin_leaves(self, outer).await? {
                return Ok(true);
            }
            if j.has_exact_ranges() {
                batch.trust_ranges(&b.steps[0]);
            }
            while j.next_leaf(self, Some(&mut |rows| batch.load(rows))).await?.is_some() {
                if !batch.others.is_empty() {
                    self.ask_rows(j, &mut batch, outer).await?;
                }
                for row in 0..batch.selected.len() {
                    j.show_row(&batch.rows, row as u32);
                    if !self.emit(j, &[], e, outer, out).await? {
                        return Ok(true);
                    }
                }
            }
            Ok(true)
        })
    }

    /// Sums up the rows of a block's only step leaf by leaf, until there are no more, or until no other group has room: then the rest comes row
    /// by row. False: the groups that have gone out are all that are wanted.
    pub(super) fn run_batches<'r>(
        &'r mut self,
        j: &'r mut Joiner<'_>,
        (batch, agg): (&'r mut Batch<'_>, &'r Aggregation),
        groups: &'r mut Groups<'_>,
        outer: Option<&'r Frame<'r>>,
        (e, out): (&'r mut Emitter<'_>, &'r mut Out<'_>),
    ) -> Boxed<'r, bool> {
        Box::pin(async move {
            if !j.begin_leaves(self, outer).await? {
                return Ok(true);
            }
            if j.has_exact_ranges() {
                batch.trust_ranges(&j.block.steps[0]);
            }
            if j.widened {
                batch.disorder();
                groups.disorder();
                e.sort_after_all(self.reads);
            }
            let streams = groups.stream();
            loop {
                let counts = batch.counts;
                let read = match counts {
                    true => j.next_leaf(self, None).await?,
                    false => j.next_leaf(self, Some(&mut |rows| batch.load(rows))).await?,
                };
                match read {
                    None => break,
                    Some(n) if counts => {
                        batch.begin_only(&[], groups, &self.ev)?;
                        batch.sums.iter_mut().for_each(|s| s.count_rows(n));
                    }
                    Some(_) => {
                        if !batch.others.is_empty() {
                            self.ask_rows(j, batch, outer).await?;
                        }
                        self.sum_up(j, (batch, agg), groups, outer)?;
                    }
                }
                if streams {
                    j.put_back();
                    let ended = ((&mut *batch, agg), &mut *groups);
                    if !self.send_ended(ended, j, (&mut *e, &mut *out), outer).await? {
                        return Ok(false);
                    }
                } else {
                    if groups.is_due() {
                        groups.write(self.reads).await?;
                    }
                    if batch.is_full(agg, groups) {
                        break;
                    }
                }
            }
            j.put_back();
            self.end_batches((batch, agg), groups, j, (e, out), outer).await
        })
    }

    /// No more rows come by the leaf: the groups go out, or become those of single rows. False: no more groups are wanted.
    async fn end_batches(
        &mut self,
        (batch, agg): (&mut Batch<'_>, &Aggregation),
        groups: &mut Groups<'_>,
        j: &mut Joiner<'_>,
        (e, out): (&mut Emitter<'_>, &mut Out<'_>),
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        match &batch.compact {
            Some(_) if agg.rollup.is_some() => self.roll_up_compact((batch, agg), groups)?,
            Some(compact) => {
                let all = 0..compact.len();
                let more = self.send_compact((batch, agg), all, j, (e, out), outer).await?;
                groups.held().shrink(usize::MAX);
                return Ok(more);
            }
            None => self.give_over(batch, groups)?,
        }
        Ok(true)
    }

    /// Sums up the selected rows of a leaf.
    fn sum_up(
        &mut self,
        j: &mut Joiner<'_>,
        (batch, agg): (&mut Batch<'_>, &Aggregation),
        groups: &mut Groups<'_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        if batch.selected.is_empty() {
            return Ok(());
        }
        if batch.keys.is_none() && groups.count() == 0 {
            let first = if batch.copies { batch.rows.row(0).to_vec() } else { Vec::new() };
            batch.begin_only(&first, groups, &self.ev)?;
        }
        if batch.compact.is_some() {
            self.find_compact(j, batch, groups, outer)?;
        }
        let (columns, selected) = (&batch.columns, &batch.selected);
        let of_rows = match &mut batch.keys {
            None => None,
            Some(_) if batch.compact.is_some() => Some(&batch.groups[..]),
            Some(keys) => {
                let rows = batch.copies.then_some(&*batch.rows);
                let found = &mut batch.groups;
                let before = groups.count();
                keys.find(columns, selected, (groups, &self.ev), GroupOf::Rows(rows), found)?;
                let count = groups.count();
                let width: usize = batch.sums.iter().map(Sum::width).sum();
                self.ev.cx.hold(groups.held(), (count - before) * width)?;
                batch.sums.iter_mut().for_each(|s| s.grow(count));
                Some(&batch.groups[..])
            }
        };
        batch.sums.iter_mut().for_each(|s| s.add(columns, selected, of_rows));
        for sum in &mut batch.sums {
            if let Sum::Distinct(d) = sum {
                d.add(columns, selected, (groups.held(), &self.ev))?;
            }
        }
        if !batch.sums.iter().any(|s| matches!(s, Sum::Each)) {
            return Ok(());
        }
        for at in 0..batch.selected.len() {
            j.show_row(&batch.rows, at as u32);
            let group = batch.groups.get(at).map_or(0, |g| *g as usize);
            let frame = j.frame(self.params, outer);
            for (n, _) in batch.sums.iter().enumerate().filter(|(_, s)| matches!(s, Sum::Each)) {
                let args = agg.specs[n].1.iter().map(|a| eval(a, &frame, &mut self.ev));
                let args = args.collect::<Result<Told<'_>, _>>()?;
                groups.tell_values((group, n), &args, &mut self.ev)?;
            }
        }
        Ok(())
    }

    /// Asks the selected rows what has no vectors, subqueries among it. The copies of those that go are left where they are.
    async fn ask_rows(
        &mut self,
        j: &mut Joiner<'_>,
        batch: &mut Batch<'_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let mut kept = PackedRows::default();
        let mut wanted = Vec::with_capacity(batch.selected.len());
        'rows: for (at, place) in batch.selected.iter().enumerate() {
            j.show_row(&batch.rows, at as u32);
            for c in &batch.others {
                if !c.subs.is_empty() {
                    j.run_subs(&c.subs, self, outer).await?;
                }
                let frame = j.frame(self.params, outer);
                if !is_true(&c.expr, &frame, &mut self.ev)? {
                    continue 'rows;
                }
            }
            kept.push(batch.rows.row(at as u32));
            wanted.push(*place);
        }
        j.put_back();
        (batch.rows, batch.selected) = (Arc::new(kept), wanted);
        Ok(())
    }

    /// What the vectors have come to becomes the state of the groups.
    fn give_over(&mut self, batch: &mut Batch<'_>, groups: &mut Groups<'_>) -> Run<()> {
        batch.settle(0..groups.count(), groups)?;
        if batch.tells_apart() && groups.have_no_room() {
            groups.held().shrink(usize::MAX);
            batch.tell_again(groups, &self.ev)?;
        }
        // They are looked for only if there is more to come.
        let more = groups.are_full() && !groups.stream();
        if let Some(keys) = batch.keys.as_ref().filter(|_| more) {
            keys.each(&batch.columns, |group, key| groups.file(group as usize, key, &self.ev))?;
        }
        Ok(())
    }
}
