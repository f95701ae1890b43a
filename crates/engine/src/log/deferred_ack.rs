//! Deferred acknowledgement: answers wait for the log in place of their sessions.
//!
//! A session that waits for its commit costs a sleep, a wake-up by anyone who leads, and two switches of its thread, before it sends some ten
//! bytes and sleeps again until its client's next command. With many sessions that is more than the commit itself. So a session may leave
//! its answer here and read on at once: anyone who leads the round of the log gives the answer, and the session's thread sleeps once for each
//! command, as it does without durability.
//!
//! Invariants
//! - An answer is given exactly once: after the log has come as far as it asked, or with the error that stopped the log.
//! - An answer is taken only while somebody leads, under the mutex under which a leader ends its lead and looks for answers. So either
//!   that leader sees it, or its session leads itself.
//! - Anyone who ends its lead and leaves answers behind tells the task of [`Log::serve_answers`], which leads as long as there are any.
//! - Answers are given without any lock held, and never wait: the next round begins when all of them are given.

use super::buffer::Log;
use super::writer::{Lead, Reach, Waiters};
use crate::error::Result;
use crate::ids::Lsn;
use crate::sync::atomic::Ordering;
use crate::waits::{Cause, Kept, What};
use std::sync::Arc;
use std::time::Duration;
use weir_rt::Nanos;

/// What a session has left to be sent. `give` is called once, by another thread, and must neither wait nor use the engine.
pub trait Answer: Send + Sync {
    fn give(self: Arc<Self>, end: Result<()>);
}

/// A round that has lasted this long is no matter of processors: its sessions wait themselves, so that a device that stands still
/// is seen in their statements' times.
const SLOW: Duration = Duration::from_millis(5);

pub(super) struct DeferredAck {
    lsn: Lsn,
    reach: Reach,
    answer: Arc<dyn Answer>,
    /// The session's wait, for the report of stalls.
    wait: Kept,
}

/// Answers at hand, with their end.
#[derive(Default)]
pub(super) struct Due(Vec<DeferredAck>);

impl Due {
    pub(super) fn give(self, log: &Log) {
        for kept in self.0 {
            log.waits.end_kept(kept.wait);
            let end = if log.reached(kept.lsn, kept.reach) { Ok(()) } else { log.failure() };
            kept.answer.give(end);
        }
    }
}

impl Log {
    /// Leaves an answer to be given when everything below `lsn` is written or durable. False: nobody would give it now, and the session
    /// waits itself, with [`Log::flush_for`].
    pub fn keep_answer(
        &self,
        (lsn, reach): (Lsn, Reach),
        who: (u64, u64),
        answer: &Arc<dyn Answer>,
    ) -> bool {
        let now = self.rt.now();
        let mut w = self.waiters.lock();
        if !self.taken_by(&w, now) || self.reached(lsn, reach) || self.failure().is_err() {
            return false;
        }
        let cause = if reach == Reach::Durable { Cause::LogSync } else { Cause::LogWrite };
        let wait = self.waits.keep(now, What::from(cause).of(who.0, who.1));
        w.answers.push(DeferredAck { lsn, reach, answer: answer.clone(), wait });
        self.stats.answers_kept.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Whether an answer would be kept now: then a session need not wait within its statement.
    pub fn takes_answers(&self) -> bool {
        let now = self.rt.now();
        self.taken_by(&self.waiters.lock(), now)
    }

    fn taken_by(&self, w: &Waiters, now: Nanos) -> bool {
        let slow = now.saturating_sub(w.round_began) > SLOW.as_nanos() as Nanos;
        w.busy && !slow && self.answers_served.load(Ordering::Relaxed)
    }

    /// From now on answers are taken: anyone who calls this runs [`Log::serve_answers`]. A step of its own, so that a stop that comes before the
    /// task's first turn ends it.
    pub fn begin_answers(&self) {
        let _w = self.waiters.lock();
        self.answers_served.store(true, Ordering::Release);
    }

    /// Ends after [`Log::end_answers`], when all answers are given.
    pub async fn serve_answers(&self) {
        loop {
            self.answers_left.notified().await;
            self.lead_for_answers().await;
            // Anyone who leads now tells again if it leaves any.
            let w = self.waiters.lock();
            if w.answers.is_empty() && !self.answers_served.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    pub fn end_answers(&self) {
        // Under the mutex: no answer is taken after this.
        let _w = self.waiters.lock();
        self.answers_served.store(false, Ordering::Release);
        self.answers_left.notify_one();
    }

    /// Round after round until nobody waits.
    async fn lead_for_answers(&self) {
        {
            let mut w = self.waiters.lock();
            if w.busy || w.answers.is_empty() {
                return;
            }
            w.busy = true;
            w.round_began = self.rt.now();
        }
        let mut lead = Lead::new(self);
        while let Some((first, sync)) = self.wanted() {
            self.until_published(first).await;
            if let Err(e) = self.round(sync).await {
                self.fail(e);
            }
            self.wake_room();
            if !lead.goes_on() {
                return;
            }
        }
    }

    /// The lowest LSN that is waited for, and whether anybody waits for a sync.
    fn wanted(&self) -> Option<(Lsn, bool)> {
        let w = self.waiters.lock();
        let all = || w.all_waiting();
        let first = all().map(|(lsn, _)| lsn).min()?;
        Some((first, all().any(|(_, reach)| reach == Reach::Durable)))
    }
}

impl Waiters {
    /// Takes the answers that have their end.
    pub(super) fn due(&mut self, log: &Log, failed: bool) -> Due {
        if self.answers.is_empty() {
            return Due::default();
        }
        let is_due = |a: &mut DeferredAck| failed || log.reached(a.lsn, a.reach);
        Due(self.answers.extract_if(.., is_due).collect())
    }

    fn all_waiting(&self) -> impl Iterator<Item = (Lsn, Reach)> + '_ {
        let answers = self.answers.iter().map(|a| (a.lsn, a.reach));
        answers.chain(self.sessions())
    }
}
