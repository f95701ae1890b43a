//! A run that is measured (EXPLAIN ANALYZE): what each step reads, how long that takes, and what of it goes on. Rows are not taken from what is at
//! hand then, so that every one of them passes here.

use super::Joiner;
use crate::query::eval::frame::Frame;
use crate::query::exec::{Boxed, Runner};
use crate::query::plan::profile::Measured;

impl Joiner<'_> {
    /// Notes something of step `i`, if the run is measured.
    #[inline]
    pub(super) fn note(&self, i: usize, r: &mut Runner<'_, '_>, what: impl FnOnce(&mut Measured)) {
        if let Some(profile) = &mut r.profile {
            what(profile.of(&self.block.steps[i]));
        }
    }

    pub(super) fn begin_measured<'b>(
        &'b mut self,
        i: usize,
        r: &'b mut Runner<'_, '_>,
        outer: Option<&'b Frame<'b>>,
    ) -> Boxed<'b, ()> {
        Box::pin(async move {
            let began = r.ev.cx.session.clock_micros();
            self.begin_step(i, r, outer).await?;
            let took = r.ev.cx.session.clock_micros() - began;
            self.note(i, r, |m| {
                m.loops += 1;
                m.micros += took;
                m.first += took;
            });
            Ok(())
        })
    }

    pub(super) fn advance_measured<'b>(
        &'b mut self,
        i: usize,
        r: &'b mut Runner<'_, '_>,
    ) -> Boxed<'b, bool> {
        Box::pin(async move {
            let began = r.ev.cx.session.clock_micros();
            let found = self.advance_step(i, r).await?;
            let took = r.ev.cx.session.clock_micros() - began;
            self.note(i, r, |m| {
                // Each loop has a first row of its own; the first of all stands for them.
                m.first += if m.read == 0 { took } else { 0 };
                m.micros += took;
                m.read += u64::from(found);
            });
            Ok(found)
        })
    }
}
