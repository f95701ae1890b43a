//! What waits for the end of an outer join: conditions behind the last of its steps, and that the row around has one inside.

use super::Joiner;
use super::kept::Kept;
use crate::query::eval::frame::Frame;
use crate::query::eval::is_true;
use crate::query::exec::Runner;
use crate::query::plan::Cond;
use crate::query::plan::outcome::Run;

impl Joiner<'_> {
    /// Outer groups that end at step `i` have a row now (`nulled`: the complemented one); then what waited for them.
    #[inline]
    pub(super) async fn settle(
        &mut self,
        i: usize,
        nulled: Option<usize>,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        let asks = self.block.steps[i].after.iter().any(|(_, c)| !c.subs.is_empty());
        match asks {
            true => self.settle_asking(i, nulled, r, outer).await,
            false => self.settle_now(i, nulled, r, outer),
        }
    }

    /// The row before step `i` has a row of it, and is wanted only without one.
    #[inline]
    pub(super) fn refuses(&self, i: usize) -> bool {
        let step = &self.block.steps[i];
        // Rows that are being kept are read to their end.
        let read = |t: usize| matches!(self.states[t].kept, Kept::No | Kept::Never | Kept::All(_));
        step.anti && i > self.base && read(step.table) && step.ends.iter().all(|g| self.matched[*g])
    }

    /// A group that the complemented one is around, or is itself.
    fn is_inside(&self, g: usize, nulled: Option<usize>) -> bool {
        let first = |g: usize| self.block.groups[g].first;
        nulled.is_some_and(|n| first(g) >= first(n))
    }

    /// From the innermost out: a group has its row as soon as its own conditions hold, whatever those around it say of the row. Else it
    /// would be complemented beside the row that it has.
    async fn settle_asking(
        &mut self,
        i: usize,
        nulled: Option<usize>,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        let step = &self.block.steps[i];
        for &g in &step.ends {
            if self.is_inside(g, nulled) {
                continue;
            }
            for (_, c) in step.after.iter().filter(|(of, _)| *of == Some(g)) {
                if !self.holds(c, r, outer).await? {
                    return Ok(false);
                }
            }
            self.matched[g] = true;
        }
        for (of, c) in step.after.iter().filter(|(of, _)| of.is_some()) {
            let left = of.filter(|g| !step.ends.contains(g) && !self.is_inside(*g, nulled));
            if left.is_some() && !self.holds(c, r, outer).await? {
                return Ok(false);
            }
        }
        for (_, c) in step.after.iter().filter(|(of, _)| of.is_none()) {
            if !self.holds(c, r, outer).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same where no condition needs subqueries.
    fn settle_now(
        &mut self,
        i: usize,
        nulled: Option<usize>,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        let step = &self.block.steps[i];
        for &g in &step.ends {
            if self.is_inside(g, nulled) {
                continue;
            }
            for (_, c) in step.after.iter().filter(|(of, _)| *of == Some(g)) {
                if !self.holds_now(c, r, outer)? {
                    return Ok(false);
                }
            }
            self.matched[g] = true;
        }
        for (of, c) in step.after.iter().filter(|(of, _)| of.is_some()) {
            let left = of.filter(|g| !step.ends.contains(g) && !self.is_inside(*g, nulled));
            if left.is_some() && !self.holds_now(c, r, outer)? {
                return Ok(false);
            }
        }
        for (_, c) in step.after.iter().filter(|(of, _)| of.is_none()) {
            if !self.holds_now(c, r, outer)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds_now(&self, c: &Cond, r: &mut Runner<'_, '_>, outer: Option<&Frame<'_>>) -> Run<bool> {
        Ok(is_true(&c.expr, &self.frame(r.params, outer), &mut r.ev)?)
    }
}
