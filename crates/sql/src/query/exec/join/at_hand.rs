//! Joined rows for which nothing has to wait: the inner loop of most queries. [`Joiner::next_at_hand`] goes on with the last step alone,
//! through the rows that its scan has at hand, or through rows in memory; whatever else is to be done is left to [`Joiner::next`], which
//! asks the other functions here first.

use super::kept::Kept;
use super::{Joiner, KILL_EVERY};
use crate::query::eval::frame::{Frame, Slot};
use crate::query::exec::Runner;
use crate::query::exec::row_store::MadeRows;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Access, Block, Step, Sub};
use weir_engine::Cursor;

impl Joiner<'_> {
    /// The next joined row with another row of the last step, in a block without subqueries; false: `next` has to look for more.
    pub fn next_at_hand(&mut self, r: &mut Runner<'_, '_>, outer: Option<&Frame<'_>>) -> Run<bool> {
        let block = self.block;
        let goes_on = |s: &&Step| r.profile.is_none() && self.goes_on(block, s);
        let Some(step) = block.steps.last().filter(goes_on) else {
            return Ok(false);
        };
        let t = step.table;
        let (exact, kept, found) = (self.states[t].exact, self.is_kept(t), self.is_found(t));
        let keyed = self.is_keyed(t);
        while self.step_on(step, r) {
            self.count += 1;
            r.reads.work.examine();
            if self.count.is_multiple_of(KILL_EVERY) {
                r.go_on()?;
            }
            let mut wanted = true;
            for c in &step.conds {
                let known = (c.implied && exact) || (c.early && kept) || (c.equated && found);
                if !known && !self.is_met(c, keyed, r, outer)? {
                    wanted = false;
                    break;
                }
            }
            if wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes through the rows at hand of a block's only step, `table`'s, where no condition needs a look at them: `each` gets them as they are
    /// stored. Returns how many there were; 0 as well where more is to be done for a row than that.
    pub fn pour_at_hand(
        &mut self,
        table: usize,
        r: &mut Runner<'_, '_>,
        mut each: impl FnMut(&[u8]) -> Run<()>,
    ) -> Run<usize> {
        if !self.needs_no_look(table) {
            return Ok(0);
        }
        let (Slot::Cursor(c), state) = (&mut self.slots[table], &mut self.states[table]) else {
            return Ok(0);
        };
        let (mut rows, mut done) = (0, Ok(()));
        while done.is_ok() && c.step() {
            rows += 1;
            done = each(c.row());
        }
        state.count_rows(rows, r.reads.work);
        self.count += rows as u32;
        r.go_on()?;
        done.map(|()| rows)
    }

    /// The same with the rows of the next leaf, which are not copied: `each` is called with the leaf latched, and waits for nothing. `None`:
    /// there are no more, or more is to be done for a row.
    pub async fn pour_leaf(
        &mut self,
        table: usize,
        r: &mut Runner<'_, '_>,
        mut each: impl FnMut(&[u8]) -> Run<()> + Send,
    ) -> Run<Option<usize>> {
        let (Slot::Cursor(c), state) = (&mut self.slots[table], &mut self.states[table]) else {
            return Ok(None);
        };
        let mut done = Ok(());
        let mut take = |row: &[u8]| {
            done = each(row);
            done.is_ok()
        };
        let poured = c.pour(r.txn, &mut take).await?;
        let rows = poured.unwrap_or(0);
        state.count_rows(rows, r.reads.work);
        self.count += rows as u32;
        r.go_on()?;
        done.map(|()| poured)
    }

    /// The rows of the block's only step, `table`'s, go on as they are: no condition needs a look at them.
    fn needs_no_look(&self, table: usize) -> bool {
        let [step] = &self.block.steps[..] else { return false };
        let state = &self.states[table];
        let looks = step.conds.iter().any(|c| !(c.implied && state.exact));
        let plain = step.table == table && step.kept.is_none() && !looks;
        plain && self.goes_on(self.block, step)
    }

    /// The rest of the rows that are read now can be poured out of their leaves.
    pub fn may_pour(&self, table: usize) -> bool {
        let ready = |slot: &Slot| matches!(slot, Slot::Cursor(c) if c.can_pour());
        ready(&self.slots[table]) && self.needs_no_look(table)
    }

    /// A cursor is opened for rows that are to be poured: it reads one of them in the usual way.
    pub(super) fn open_to_pour(&self, table: usize, c: &mut Cursor) {
        if self.pours && self.needs_no_look(table) {
            c.begin_small();
        }
    }

    /// Puts step `i` on its next row, if that is at hand.
    #[inline]
    pub(super) fn advance_at_hand(&mut self, i: usize, r: &mut Runner<'_, '_>) -> Run<bool> {
        if i == 0 && self.show_sifted() {
            self.look(r)?;
            return Ok(true);
        }
        let step = &self.block.steps[i];
        let state = &self.states[step.table];
        let in_memory = matches!(step.access, Access::Mem { .. }) || self.is_kept(step.table);
        let waits = state.merge.is_some() || self.is_kept_due(step.table) || r.profile.is_some();
        if waits || !(in_memory || state.open) || !self.step_on(step, r) {
            return Ok(false);
        }
        self.look(r)?;
        Ok(true)
    }

    /// Whether step `i` has a next row; none: it has to be waited for.
    #[inline]
    pub(super) fn known_at_hand(
        &mut self,
        i: usize,
        nulled: Option<usize>,
        r: &mut Runner<'_, '_>,
    ) -> Run<Option<bool>> {
        if nulled.is_some() {
            return Ok(Some(false));
        }
        Ok(match self.advance_at_hand(i, r)? {
            true => Some(true),
            false => self.ends_in_memory(i, r).then_some(false),
        })
    }

    /// Step `i` has all its rows in memory, and none was at hand: there are no more.
    #[inline]
    pub(super) fn ends_in_memory(&self, i: usize, r: &Runner<'_, '_>) -> bool {
        let step = &self.block.steps[i];
        let state = &self.states[step.table];
        matches!(step.access, Access::Mem { .. })
            && step.kept.is_none()
            && matches!(self.mems[step.table], Some(MadeRows::Memory(_)))
            && state.at.is_none()
            && state.scan.is_none()
            && r.profile.is_none()
    }

    /// Begins step `i` for the rows before it, where its rows are in memory already.
    #[inline]
    pub(super) fn begin_at_hand(
        &mut self,
        i: usize,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> bool {
        let step = &self.block.steps[i];
        let t = step.table;
        let in_memory = matches!(self.mems[t], Some(MadeRows::Memory(_)));
        let made = in_memory && self.block.tables[t].lateral.is_none();
        if r.profile.is_some() {
            return false;
        }
        match (&step.access, &step.kept) {
            (Access::Mem { hash }, None) if made => self.seek_mem(t, hash, r, outer),
            (_, Some(by)) if self.is_kept(t) => self.seek_kept(t, by.values(), r, outer),
            _ => return false,
        }
        self.begin_groups(i);
        if made {
            self.refuse_unknown(i, r, outer);
        }
        true
    }

    /// No outer join ends with step `i`, and no condition waits for it.
    #[inline]
    pub(super) fn ends_nothing(&self, i: usize) -> bool {
        let step = &self.block.steps[i];
        step.ends.is_empty() && step.after.is_empty()
    }

    /// Nothing is to be done between two rows of the last step but to look at its conditions. An outer join that ends with it has its row
    /// by then, for there was a joined row before.
    fn goes_on(&self, block: &Block, step: &Step) -> bool {
        let state = &self.states[step.table];
        step.after.is_empty()
            && !step.completes
            && state.merge.is_none()
            && !self.is_filling(step.table)
            && !step.ends.iter().any(|g| self.nulled[*g])
            && block.subs.iter().all(Sub::is_joined)
    }

    /// Puts a step on its next row; false, and it stays where it is: there is none at hand.
    #[inline]
    fn step_on(&mut self, step: &Step, r: &Runner<'_, '_>) -> bool {
        let t = step.table;
        if let Access::Mem { .. } = step.access {
            return self.states[t].at.is_some() && self.advance_mem(t);
        }
        if let Kept::All(kept) = &self.states[t].kept {
            return kept.has_more() && self.advance_kept(t) == Some(true);
        }
        let Slot::Cursor(c) = &mut self.slots[t] else { return false };
        let found = c.step();
        if found {
            self.states[t].count_row(r.reads.work);
        }
        found
    }
}
