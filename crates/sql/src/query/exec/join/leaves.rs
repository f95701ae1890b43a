//! The leaves of a block's only step, one after the other, for readers that work on all rows of a leaf at once (`exec::batch`).

use super::Joiner;
use super::specs::scan_spec;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::packed::PackedRows;
use crate::query::exec::{Boxed, Runner};
use crate::query::plan::Access;
use crate::query::plan::outcome::Run;
use crate::status::Stat;
use std::borrow::Cow;
use std::sync::Arc;
use weir_engine::{Cursor, LeafRead, LeafRows, Txn};

/// Who takes the rows of a leaf; `None`: they are only counted.
pub type TakeLeaf<'t, 'd> = Option<&'t mut (dyn FnMut(&LeafRows<'_>) + Send + 'd)>;

/// Rows, and their bytes, of what is read one by one and given together.
const ROWS: usize = 256;
const BYTES: usize = 64 << 10;

impl Joiner<'_> {
    /// Prepares the first step, whose leaves are to be read; false: a condition without a table says that there is no row. Whatever is left when
    /// the reader stops comes by [`Joiner::next`].
    pub async fn begin_leaves(
        &mut self,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        let block = self.block;
        self.started = true;
        for c in &block.gate {
            if !self.holds(c, r, outer).await? {
                return Ok(false);
            }
        }
        if outer.is_none() {
            self.count_begun(r);
        }
        self.begin(0, r, outer).await?;
        Ok(true)
    }

    /// The first step reads ranges whose rows are just those that meet the conditions that the ranges were made of.
    pub fn has_exact_ranges(&self) -> bool {
        let step = &self.block.steps[0];
        matches!(step.access, Access::Ranges { .. }) && self.states[step.table].exact
    }

    /// Gives the rows of the next leaf that has some; how many. `None`: there are no more.
    pub fn next_leaf<'n>(
        &'n mut self,
        r: &'n mut Runner<'_, '_>,
        mut take: TakeLeaf<'n, 'n>,
    ) -> Boxed<'n, Option<usize>> {
        Box::pin(async move {
            let block = self.block;
            let step = &block.steps[0];
            let t = step.table;
            self.put_back();
            loop {
                r.go_on()?;
                if self.states[t].open
                    && let Slot::Cursor(c) = &mut self.slots[t]
                {
                    let rows = match &mut take {
                        Some(take) => read_leaf(c, r.txn, Some(&mut **take)).await?,
                        None => read_leaf(c, r.txn, None).await?,
                    };
                    if rows > 0 {
                        r.reads.work.inc(Stat::Weir_batched_leaves);
                        r.reads.work.add(Stat::Weir_batched_rows, rows as u64);
                        self.states[t].count_rows(rows, r.reads.work);
                        self.count = self.count.saturating_add(rows as u32);
                        return Ok(Some(rows));
                    }
                    // The look behind the last row.
                    self.states[t].count_row(r.reads.work);
                    self.states[t].open = false;
                }
                let Some((table, range)) = self.next_range(0) else {
                    self.slots[t] = Slot::Null;
                    return Ok(None);
                };
                let spec = scan_spec(block, 0, range, r);
                let whole = matches!(step.access, Access::Scan { .. });
                self.states[t].count_opened(r.reads.work, whole, &spec);
                let mut cursor = Box::new(r.txn.scan(&table, spec));
                self.only_like(&mut cursor, r);
                self.slots[t] = Slot::Cursor(cursor);
                self.states[t].open = true;
            }
        })
    }

    /// Puts the copy of a row where expressions look for it. The cursor waits until the next leaf is asked for.
    #[inline]
    pub fn show_row(&mut self, rows: &Arc<PackedRows>, row: u32) {
        let t = self.block.steps[0].table;
        if let Slot::Packed { at, .. } = &mut self.slots[t] {
            *at = row;
            return;
        }
        let shown = Slot::Packed { rows: rows.clone(), at: row };
        if let Slot::Cursor(c) = std::mem::replace(&mut self.slots[t], shown) {
            self.states[t].aside = Some(c);
        }
    }

    /// The cursor is in its place again.
    pub fn put_back(&mut self) {
        let t = self.block.steps[0].table;
        if let Some(c) = self.states[t].aside.take() {
            self.slots[t] = Slot::Cursor(c);
        }
    }
}

/// The rows of the next leaf, or some that are read one by one where the leaf cannot be given as a whole. 0: there are no more.
async fn read_leaf(c: &mut Cursor, txn: &mut Txn, mut take: TakeLeaf<'_, '_>) -> Run<usize> {
    if c.can_read_leaves() {
        let read = match &mut take {
            Some(take) => c.leaf(txn, *take).await?,
            None => c.count_leaf(txn).await?,
        };
        match read {
            LeafRead::Rows(n) => return Ok(n),
            LeafRead::End => return Ok(0),
            LeafRead::Unsettled => {}
        }
    }
    let (mut rows, mut bytes) = (Vec::new(), 0);
    let mut n = 0;
    while n < ROWS && bytes < BYTES && (c.step() || c.next(txn).await?) {
        n += 1;
        if take.is_some() {
            bytes += c.row().len();
            rows.push(Cow::Owned(c.row().to_vec()));
        }
    }
    if let (Some(take), 1..) = (take, n) {
        take(&rows);
    }
    Ok(n)
}
