//! WITH ROLLUP of groups that have no room in memory: the rows are sorted by the keys, in files where they are many, and what is in memory is
//! one group of each level: that of the row at hand, and those that sum it up by fewer and fewer of the keys.
//!
//! Groups by hash are faster as long as there are few. So the block is begun with those, and from its beginning once more when they have taken
//! as much memory as they may (`tmp_table_size`): nothing of it has gone out by then. Not where it would answer otherwise when it is run again,
//! nor with DISTINCT, of which a level would have to keep all that it has seen.

use super::super::emit::Emitter;
use super::super::join::Joiner;
use super::super::order::SortOrder;
use super::super::row_sort::{RowOrder, RowSorter, Sorted};
use super::super::slots::{decode_slot, encode_slot};
use super::super::spool::damaged;
use super::super::{Boxed, Out, Runner};
use super::{Group, Groups, group_bytes};
use crate::memory::Held;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval};
use crate::query::plan::outcome::{Row, Run};
use crate::query::plan::{Aggregation, Block};
use crate::value::{TypeInfo, Value, ValueError};
use std::sync::Arc;

/// What a row counts as work, in the bytes of `EvalCtx::work`.
const ROW: usize = 256;

impl Groups<'_> {
    /// The groups of ROLLUP have no room, and can be made of sorted rows instead.
    pub fn overflow(&self, b: &Block) -> bool {
        self.agg.rollup.is_some() && self.is_full() && self.told.is_none() && b.is_settled()
    }
}

/// The groups of the row at hand, that of all rows first.
struct Levels<'p> {
    of: Groups<'p>,
    open: Vec<Group>,
}

impl Levels<'_> {
    /// Begins the groups that the row is the first of.
    fn begin(&mut self, f: &Frame<'_>, keys: &[Value<'_>], ev: &Ev<'_>) -> Result<(), ValueError> {
        for level in self.open.len()..=keys.len() {
            self.of.push(f.slots, &keys[..level], ev)?;
            self.of.take_keys_away(0, level, f, ev);
            self.open.extend(self.of.list.pop());
        }
        Ok(())
    }

    /// The row belongs to all groups that are open.
    fn add(&mut self, mut args: &[Value<'_>], ev: &mut Ev<'_>) -> Result<(), ValueError> {
        for (n, (spec, list)) in self.of.agg.specs.iter().enumerate() {
            let (own, rest) = args.split_at(list.len());
            args = rest;
            for group in &mut self.open {
                group.accs[n].update(spec, own, &mut ev.cx)?;
            }
        }
        Ok(())
    }

    /// Ends the innermost group, if it has more than so many keys.
    fn end(&mut self, beyond: Option<usize>, ev: &Ev<'_>) -> Result<Option<Group>, ValueError> {
        if beyond.is_some_and(|keys| self.open.len() <= keys + 1) {
            return Ok(None);
        }
        let group = self.open.pop();
        self.of.held = Held::default();
        ev.cx.hold(&mut self.of.held, self.open.iter().map(group_bytes).sum())?;
        Ok(group)
    }
}

impl Runner<'_, '_> {
    /// Runs a block WITH ROLLUP from its beginning, by sorted rows.
    pub fn run_rolled<'r>(
        &'r mut self,
        (b, agg): (&'r Block, &'r Aggregation),
        limits: (usize, usize),
        outer: Option<&'r Frame<'r>>,
        out: &'r mut Out<'_>,
    ) -> Boxed<'r, u64> {
        Box::pin(async move {
            let mut j = Joiner::new(b);
            let mut e = Emitter::new(b, limits, self.reads);
            let keys: Vec<TypeInfo> = agg.keys.iter().map(|k| k.info).collect();
            let order = SortOrder::new(&keys, keys.iter().map(|_| false));
            // Behind the rows of the tables.
            let by = Arc::new(RowOrder::new(order, (1..=keys.len()).collect()));
            let levels = Levels { of: Groups::new(agg, b, usize::MAX), open: Vec::new() };
            let sorter = RowSorter::new(by.clone(), 0, usize::MAX, self.reads);
            let sorted = self.sort_rows((&mut j, agg), sorter, levels.of.bare, outer).await?;
            j.end(self);
            self.roll_up((levels, sorted, &by), &mut j, (&mut e, &mut *out), outer).await?;
            self.finish(b, &mut e, out).await
        })
    }

    /// All rows of the block: those of its tables as bytes, unless nobody looks at them, the keys and the arguments of the aggregates.
    async fn sort_rows(
        &mut self,
        (j, agg): (&mut Joiner<'_>, &Aggregation),
        mut sorter: RowSorter,
        bare: bool,
        outer: Option<&Frame<'_>>,
    ) -> Run<Sorted> {
        while j.next(self, outer).await? {
            j.run_subs(&agg.subs, self, outer).await?;
            loop {
                let mut bytes = Vec::new();
                if !bare {
                    j.slots.iter().for_each(|slot| encode_slot(slot, &mut bytes));
                }
                let mut row: Row = vec![Value::Bytes(bytes.into())];
                let frame = j.frame(self.params, outer);
                for e in agg.keys.iter().chain(agg.specs.iter().flat_map(|(_, args)| args)) {
                    row.push(eval(e, &frame, &mut self.ev)?.into_owned());
                }
                sorter.push(row, &mut self.ev)?;
                if sorter.is_full() {
                    sorter.make_room(self.reads, &mut self.ev).await?;
                }
                if !j.next_at_hand(self, outer)? {
                    break;
                }
            }
        }
        sorter.finish(self.reads, &mut self.ev).await
    }

    async fn roll_up(
        &mut self,
        (mut levels, mut sorted, by): (Levels<'_>, Sorted, &RowOrder),
        j: &mut Joiner<'_>,
        (e, out): (&mut Emitter<'_>, &mut Out<'_>),
        outer: Option<&Frame<'_>>,
    ) -> Run<()> {
        let (block, agg) = (j.block, levels.of.agg);
        let keys = agg.keys.len();
        let mut last: Option<Row> = None;
        loop {
            self.ev.cx.work(ROW)?;
            let row = sorted.next(Row::new(), &mut self.ev).await?.map(|r| r.row);
            // The keys that the row has in common with the one before; all groups end behind the last one.
            let common = row.as_ref().map(|row| match &last {
                Some(last) => (1..=keys).take_while(|n| by.same_first(*n, last, row)).count(),
                None => 0,
            });
            while let Some(mut group) = levels.end(common, &self.ev)? {
                let values = group.values(agg, &mut self.ev)?;
                std::mem::swap(&mut j.slots, &mut group.slots);
                let more = self.emit(j, &values, e, outer, out).await?;
                std::mem::swap(&mut j.slots, &mut group.slots);
                if !more {
                    return Ok(());
                }
            }
            let Some(row) = row else { return Ok(()) };
            let mut bytes = row[0].as_bytes().unwrap_or_default();
            let slot = |_| match levels.of.bare {
                true => Some(Slot::Null),
                false => decode_slot(&mut bytes),
            };
            let slots: Option<Vec<Slot>> = (0..block.tables.len()).map(slot).collect();
            let slots = slots.ok_or_else(damaged)?;
            let frame = Frame {
                block: Some(block),
                shapes: &block.shapes,
                slots: &slots,
                outer,
                ..Frame::empty(self.params)
            };
            levels.begin(&frame, &row[1..=keys], &self.ev)?;
            levels.add(&row[keys + 1..], &mut self.ev)?;
            last = Some(row);
        }
    }
}
