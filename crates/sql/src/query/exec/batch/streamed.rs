//! Groups whose rows come one behind the other, because of the order in which the leaves are read: with each leaf all groups go out but the
//! last one, of which the next leaf may have more rows.
//!
//! Invariant: no more groups are in memory than one leaf begins, and the one that it found.

use super::super::emit::Emitter;
use super::super::group::Groups;
use super::super::join::Joiner;
use super::super::{Out, Runner};
use super::Batch;
use super::compact::Compact;
use super::sums::Sum;
use crate::query::eval::Ev;
use crate::query::eval::frame::Frame;
use crate::query::plan::Aggregation;
use crate::query::plan::outcome::Run;
use crate::value::ValueError;
use std::ops::Range;

impl Batch<'_> {
    /// What vectors have come to becomes the state of these groups.
    pub fn settle(&self, of: Range<usize>, groups: &mut Groups<'_>) -> Result<(), ValueError> {
        for group in of {
            for (n, sum) in self.sums.iter().enumerate() {
                if let Some(state) = sum.state(&self.columns, group)? {
                    groups.settle_state((group, n), state);
                }
            }
        }
        Ok(())
    }

    /// The rows do not come in the order of the groups after all. Before the first of them.
    pub fn disorder(&mut self) {
        self.keys.iter_mut().for_each(|keys| keys.disorder());
        for sum in &mut self.sums {
            if let Sum::Distinct(d) = sum {
                d.disorder();
            }
        }
    }

    fn keep_last(&mut self, groups: &mut Groups<'_>, ev: &Ev<'_>) -> Result<(), ValueError> {
        self.sums.iter_mut().for_each(|s| s.keep_last());
        let width: usize = self.sums.iter().map(|s| s.width()).sum();
        ev.cx.hold(groups.held(), width)?;
        let first = self.compact.as_ref().and_then(Compact::last);
        let key = match &mut self.keys {
            Some(keys) => keys.keep_last(first, groups.held(), ev)?,
            None => None,
        };
        if let Some(compact) = &mut self.compact {
            compact.keep_last(key);
        }
        Ok(())
    }
}

impl Runner<'_, '_> {
    /// Sends the groups of which no more rows come. False: no more groups are wanted.
    pub(super) async fn send_ended(
        &mut self,
        ((batch, agg), groups): ((&mut Batch<'_>, &Aggregation), &mut Groups<'_>),
        j: &mut Joiner<'_>,
        (e, out): (&mut Emitter<'_>, &mut Out<'_>),
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        if let Some(compact) = &batch.compact {
            let ended = compact.len().saturating_sub(1);
            if ended == 0 {
                return Ok(true);
            }
            if !self.send_compact((&mut *batch, agg), 0..ended, j, (e, out), outer).await? {
                return Ok(false);
            }
            groups.held().shrink(usize::MAX);
            batch.keep_last(groups, &self.ev)?;
            return Ok(true);
        }
        let ended = groups.count().saturating_sub(1);
        if ended == 0 {
            return Ok(true);
        }
        batch.settle(0..ended, groups)?;
        let Some(last) = groups.take_last() else { return Ok(true) };
        if !self.send_groups((&mut *groups, agg), j, e, outer, out).await? {
            return Ok(false);
        }
        groups.put_back(last, &self.ev)?;
        batch.keep_last(groups, &self.ev)?;
        Ok(true)
    }
}
