//! Rounds of one row each, which most recursive tables have: a number counts up, a text grows, a parent is looked for. Where the operand makes a row
//! of a row and asks nobody else, the row of one round is at once that of the next, without stores between them.
//!
//! Invariant: what comes out is what the rounds would have given one by one, their limit among it.

use super::{Count, Round};
use crate::memory::{Held, row_bytes};
use crate::query::eval::frame::{Frame, Slot};
use crate::query::exec::Runner;
use crate::query::exec::destination::Takes;
use crate::query::exec::row_store::MadeRows;
use crate::query::plan::outcome::{Row, Run};
use crate::query::plan::{Block, Recursive};
use crate::session_api::SqlError;
use std::sync::Arc;

/// Rounds between two looks whether the statement must end.
const LOOK_EVERY: usize = 64;

impl Runner<'_, '_> {
    /// The block and the row from which rounds of one row go on.
    pub(super) fn chained<'q>(
        &self,
        r: &'q Recursive,
        last: &mut MadeRows,
    ) -> Option<(&'q Block, Row)> {
        let [step] = &r.steps[..] else { return None };
        let MadeRows::Memory(rows) = last else { return None };
        if rows.len() != 1 {
            return None;
        }
        let block = self.mapping(step, r.number)?;
        Some((block, Arc::get_mut(rows)?.pop()?))
    }

    /// Makes rounds as long as each has its row. Gives the last row where other rounds are to go on from it, and nothing where there are no more.
    pub(super) async fn chain(
        &mut self,
        (b, wanted, outer): (&Block, usize, Option<&Frame<'_>>),
        row: Row,
        count: &mut Count,
        to: &mut Round<'_, '_>,
    ) -> Run<Option<Row>> {
        let mut held = Held::default();
        let mut slots = [Slot::Values(row)];
        let mut next = Row::new();
        let mut looked = 0;
        while to.into.len() < wanted {
            if to.seen.as_ref().is_some_and(|seen| seen.is_parted()) {
                let [Slot::Values(row)] = slots else { return Ok(None) };
                return Ok(Some(row));
            }
            count.next()?;
            looked += 1;
            if looked % LOOK_EVERY == 0 {
                self.go_on()?;
            }
            self.reads.work.examine();
            next.clear();
            if !self.row_of(b, &slots, outer, &mut next)? || !to.admit(&mut next, &mut self.ev)? {
                return Ok(None);
            }
            let account = self.ev.cx.session.memory();
            held.set(account, row_bytes(&next)).map_err(SqlError::from)?;
            to.into.push(next.clone(), &mut self.ev)?;
            if to.is_due() {
                to.make_room(self.reads, &mut self.ev).await?;
            }
            if let [Slot::Values(row)] = &mut slots {
                std::mem::swap(row, &mut next);
            }
        }
        Ok(None)
    }
}
