//! Sums over a derived table that nobody else reads: its rows are summed up as they come, and none is kept.
//!
//! Invariant: nobody can tell. The rows are those that would have been kept, in the same order, and what is evaluated of them beside the query
//! that makes them neither fails nor warns. A run that is measured keeps the rows, as its plan says.

use super::destination::{Out, Takes};
use super::group::Groups;
use super::join::Joiner;
use super::made::Shared;
use super::{Boxed, Runner};
use crate::context::Reads;
use crate::func::aggregate::AggKind;
use crate::query::eval::Ev;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::outcome::{Row, Run};
use crate::query::plan::{Access, Aggregation, Block, QueryPlan, Source};
use crate::status::Stat;
use crate::value::Value;

/// Where the rows of the derived table go.
struct Folded<'f, 'p> {
    block: &'p Block,
    groups: &'f mut Groups<'p>,
    slots: [Slot; 1],
    params: &'f [Value<'static>],
    reads: Reads<'f>,
    rows: u32,
}

impl Takes for Folded<'_, '_> {
    fn row(&mut self, row: Row, ev: &mut Ev<'_>) -> Run<bool> {
        self.slots = [Slot::Values(row)];
        self.rows = self.rows.wrapping_add(1);
        self.reads.work.examine();
        let frame = Frame {
            block: Some(self.block),
            shapes: &self.block.shapes,
            slots: &self.slots,
            ..Frame::empty(self.params)
        };
        self.groups.add(&frame, &self.slots, ev)?;
        Ok(true)
    }

    fn is_due(&self) -> bool {
        self.groups.is_due()
    }

    fn make_room<'d>(&'d mut self, reads: Reads<'d>, _: &'d mut Ev<'_>) -> Boxed<'d, ()> {
        self.groups.write(reads)
    }

    fn keeps(&self) -> bool {
        true
    }
}

impl Runner<'_, '_> {
    /// Sums up the rows of the block's only table as they come; false: they are to be read like others, and nothing has been done.
    pub(super) fn fold<'r, 'p: 'r>(
        &'r mut self,
        (b, agg): (&'p Block, &'p Aggregation),
        j: &'r mut Joiner<'p>,
        groups: &'r mut Groups<'p>,
    ) -> Boxed<'r, bool> {
        Box::pin(async move {
            let Some(q) = derived(b, agg).filter(|_| self.profile.is_none()) else {
                return Ok(false);
            };
            j.count_begun(self);
            self.reads.work.inc(Stat::Created_tmp_tables);
            let (params, reads) = (self.params, self.reads);
            let mut to = Folded { block: b, groups, slots: [Slot::Null], params, reads, rows: 0 };
            self.run_query(q, None, &mut Out::To(&mut to)).await?;
            j.count_folded(to.rows);
            Ok(true)
        })
    }
}

/// The query whose rows a block without anything around it sums up and does nothing else with.
fn derived<'p>(b: &'p Block, agg: &Aggregation) -> Option<&'p QueryPlan> {
    let ([table], [step]) = (&b.tables[..], &b.steps[..]) else { return None };
    let Source::Derived(q) = &table.source else { return None };
    let whole = matches!(&step.access, Access::Mem { hash } if hash.is_empty());
    let plain = whole
        && step.conds.is_empty()
        && step.after.is_empty()
        && step.kept.is_none()
        && table.lateral.is_none()
        && table.not_in.is_none()
        && Shared::of(table, false).is_none()
        && b.groups.is_empty()
        && b.gate.is_empty()
        && b.subs.is_empty()
        && b.extremes.is_none()
        && agg.subs.is_empty()
        && agg.rollup.is_none();
    (plain && is_silent(agg)).then_some(q)
}

/// What is evaluated of a row neither fails nor warns: columns, and as numbers only those that are numbers.
fn is_silent(agg: &Aggregation) -> bool {
    let known = |e: &BExpr| matches!(e.node, Node::Col(_) | Node::Const(_));
    let told = agg.specs.iter().all(|(spec, args)| match spec.kind {
        AggKind::CountAll => true,
        AggKind::Count | AggKind::Min | AggKind::Max => args.iter().all(known),
        AggKind::Sum | AggKind::Avg => args.iter().all(|e| known(e) && is_number(e)),
        _ => false,
    });
    told && agg.keys.iter().all(known)
}

fn is_number(e: &BExpr) -> bool {
    use crate::value::SqlType as T;
    matches!(e.info.ty, T::Int { .. } | T::Decimal { .. } | T::Double { .. } | T::Float { .. })
}
