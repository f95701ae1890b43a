//! The first step of a join read by the leaf: conditions over vectors (`exec::batch`) leave a part of each leaf's rows, which are copied and
//! go on to the steps behind one by one, in the order of the index.
//!
//! Invariant: between two leaves the cursor waits aside ([`Joiner::put_back`]), and a copy of a row stands in its place.

use super::Joiner;
use crate::query::eval::frame::Frame;
use crate::query::exec::batch::Batch;
use crate::query::exec::{Boxed, Runner};

/// The rows of a leaf that are left, and which of them comes next.
pub struct Sifted<'b> {
    batch: Batch<'b>,
    next: usize,
}

impl Sifted<'_> {
    /// The condition at a place of the step has been looked at.
    #[inline]
    pub fn knows(&self, condition: usize) -> bool {
        self.batch.has_test_of(condition)
    }
}

impl<'p> Joiner<'p> {
    /// Has the first step read by the leaf, if the plan says so and vectors leave rows out. `outer`: a block that is run for each row around
    /// may find its row at once.
    pub fn sift(&mut self, r: &mut Runner<'_, '_>, outer: Option<&Frame<'_>>) {
        let batched = self.block.steps.first().is_some_and(|s| s.in_batches(r.reads.vars));
        if batched && outer.is_none() {
            self.sifted =
                Batch::of_step(self.block, r).map(|b| Sifted { batch: b, next: 0 }.into());
        }
    }

    /// Shows the next row that is left of the leaf at hand; false: no row is left.
    #[inline]
    pub(super) fn show_sifted(&mut self) -> bool {
        let Some(s) = &mut self.sifted else { return false };
        if s.next >= s.batch.left() {
            return false;
        }
        let (rows, at) = (s.batch.rows().clone(), s.next as u32);
        s.next += 1;
        self.show_row(&rows, at);
        true
    }

    /// The next row of the first step; false at the end.
    pub(super) fn advance_sifted<'b>(&'b mut self, r: &'b mut Runner<'_, '_>) -> Boxed<'b, bool> {
        Box::pin(async move {
            while !self.show_sifted() {
                let Some(mut s) = self.sifted.take() else { return Ok(false) };
                let read = self.next_leaf(r, Some(&mut |rows| s.batch.load(rows))).await;
                let ended = !matches!(read, Ok(Some(_)));
                s.next = if ended { s.batch.left() } else { 0 };
                self.sifted = Some(s);
                read?;
                if ended {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}
