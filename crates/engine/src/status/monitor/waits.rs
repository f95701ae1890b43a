//! BACKGROUND THREAD and SEMAPHORES.

use super::{Page, line};
use crate::flush::control::Part;
use crate::status::table::n;
use crate::waits::{Cause, Object};
use std::fmt::Write;

impl Page<'_> {
    /// The rhythm of the policy in charge since it was taken into office.
    pub(super) fn background(&mut self) {
        let b = &self.r.i.core.flush.background;
        let l = b.loops.lock().unwrap_or_default();
        self.section("BACKGROUND THREAD");
        line!(
            self,
            "srv_master_thread loops: {} 1_second, {} sleeps, {} 10_second, {} background, {} flush",
            l.seconds,
            l.sleeps,
            l.tens,
            l.background,
            l.flush
        );
        if !self.has(|b| b.google) {
            line!(self, "srv_master_thread log flush and writes: {}", l.synced + l.written);
            return;
        }
        line!(self, "srv_master_thread log flush: {} sync, {} async", l.synced, l.written);
        let seconds = |p: Part| n(&b.nanos[p as usize]) as f64 / 1e9;
        // Purge is a task of its own here.
        line!(
            self,
            "Seconds in background IO thread: {:.2} insert buffer, {:.2} buffer pool, {:.2} adaptive checkpoint, 0.00 purge",
            seconds(Part::ChangeBuffer),
            seconds(Part::Pages),
            seconds(Part::AdaptiveCheckpoint)
        );
        line!(
            self,
            "fsync callers: {} buffer pool, 0 other, {} checkpoint, 0 log aio, {} log sync, 0 archive",
            n(&self.r.f.data_syncs),
            n(&self.r.l.checkpoints),
            n(&self.r.l.syncs)
        );
    }

    /// The sessions that wait for a page's latch now, and how many waits there have been. Mutexes do not count their spins here.
    pub(super) fn semaphores(&mut self) {
        let waits = &self.r.i.core.waits;
        let (totals, now) = (waits.totals(), self.r.i.rt.now());
        let begun = totals.waits[Cause::PageLatch as usize];
        let open: Vec<_> =
            waits.open().into_iter().filter(|o| o.what.cause == Cause::PageLatch).collect();
        self.section("SEMAPHORES");
        if self.has(|b| b.google) {
            line!(self, "Lock wait timeouts {}", n(&self.r.i.locks.stats.timeouts));
        }
        let ended = begun.saturating_sub(open.len() as u64);
        match self.build {
            Some(_) => {
                line!(self, "OS WAIT ARRAY INFO: reservation count {begun}, signal count {ended}")
            }
            None => line!(
                self,
                "OS WAIT ARRAY INFO: reservation count {begun}\nOS WAIT ARRAY INFO: signal count {ended}"
            ),
        }
        for o in &open {
            let page = match o.what.object {
                Object::Page(id) => id.to_string(),
                _ => "a page".into(),
            };
            let seconds = now.saturating_sub(o.begun) as f64 / 1e9;
            line!(
                self,
                "--Thread {} has waited at {page} for {seconds:.2} seconds the semaphore:",
                o.what.session
            );
        }
        let tried = n(&self.r.p.latch_waits);
        if self.build.is_some() {
            line!(self, "Mutex spin waits 0, rounds 0, OS waits 0");
        }
        line!(self, "RW-shared spins {tried}, OS waits {begun}; RW-excl spins 0, OS waits 0");
    }
}
