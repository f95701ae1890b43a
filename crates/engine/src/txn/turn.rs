//! Turns of background sessions (`weir_priority = 'background'`): when their statements begin.
//!
//! While the foreground is at work, statements of the background run one at a time, begin only when nobody is delayed
//! (pressure under 500, nobody waits for admission), and rest in between for a multiple of what they took. All of this before
//! the statement takes a lock or a snapshot; in its midst only page reads give way (`priority`).
//!
//! Invariant: a statement begins within `PATIENCE`, one of a transaction that holds something within `PATIENCE_HOLDING` and at
//! once when somebody waits for a lock of it. So nobody stands still behind who gives way.

use super::System;
use super::Txn;
use crate::priority::{Activity, Class, in_class};
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// Pressure from which sessions are delayed: what is left then is the foreground's.
const PRESSURE: u16 = 500;
/// The longest wait of a statement in nanoseconds, and that of one whose transaction holds locks of rows or tables.
const PATIENCE: u64 = 1_000_000_000;
const PATIENCE_HOLDING: u64 = 100_000_000;
const LOOK: Duration = Duration::from_millis(5);
/// A statement is followed by so many times its own time of rest, at most `PATIENCE`: alone, one of them has a fortieth.
const REST: u64 = 39;

/// What background sessions share.
#[derive(Default)]
pub struct Turns {
    /// Statements of theirs that run.
    running: AtomicUsize,
    rest_until: AtomicU64,
    activity: Activity,
    /// Transactions of theirs that have ended: they are no sign of the foreground.
    pub ended: AtomicU64,
    /// Statements that waited for their turn, nanoseconds together.
    pub waits: AtomicU64,
    pub wait_nanos: AtomicU64,
}

impl Turns {
    fn must_wait(&self, db: &System, now: u64) -> bool {
        let n = |a: &AtomicU64| a.load(Ordering::Relaxed);
        let ended = db.stats.commits.get() + db.stats.rollbacks.get();
        let count =
            ended.wrapping_sub(n(&self.ended)).wrapping_add(db.core.pool.reads.by_foreground());
        if self.activity.is_idle(count, now) {
            return false;
        }
        self.running.load(Ordering::Relaxed) > 0
            || now < n(&self.rest_until)
            || db.core.flush.admission.foreground_waits()
            || db.pressure().value >= PRESSURE
    }
}

/// A statement of a background session at work; ends when dropped.
pub struct Turn {
    db: Arc<System>,
    class: Class,
    begun: u64,
}

impl Turn {
    /// Runs the statement: its page reads give way.
    pub async fn run<F: Future>(&self, f: F) -> F::Output {
        in_class(self.class.clone(), f).await
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let b = &self.db.turns;
        b.running.fetch_sub(1, Ordering::Relaxed);
        let now = self.db.rt.now();
        let rest = ((now - self.begun) * REST).min(PATIENCE);
        // Of several at a time each adds its own, but nobody waits longer for that than for anything else.
        let until = b.rest_until.load(Ordering::Relaxed).max(now) + rest;
        b.rest_until.store(until.min(now + PATIENCE), Ordering::Relaxed);
    }
}

impl Txn {
    /// Whether its session gives way; may change between statements.
    pub fn set_background(&mut self, background: bool) {
        self.o.background = background;
    }

    /// Waits for the turn of the next statement of a background session. Before `begin_statement`.
    pub async fn background_turn(&mut self) -> Turn {
        let db = self.db.clone();
        let (b, rt) = (&db.turns, &db.rt);
        let holds = self.undo.is_some() || !self.mdl.is_empty() || self.locks.count() > 0;
        let patience = if holds { PATIENCE_HOLDING } else { PATIENCE };
        let begun = rt.now();
        let mut now = begun;
        while b.must_wait(&db, now)
            && now - begun < patience
            && !(holds && db.locks.is_waited_for(&self.locks))
            // A statement that was killed begins, and ends with the error.
            && self.o.interrupt.killed() == 0
            && !db.stop.is_set()
        {
            rt.sleep(LOOK).await;
            now = rt.now();
        }
        if now > begun {
            b.waits.fetch_add(1, Ordering::Relaxed);
            b.wait_nanos.fetch_add(now - begun, Ordering::Relaxed);
        }
        b.running.fetch_add(1, Ordering::Relaxed);
        let (table, locks) = (db.locks.clone(), self.locks.clone());
        let class = Class::Background(Arc::new(move || table.is_waited_for(&locks)));
        Turn { db, class, begun: now }
    }
}
