//! `read_only` and `super_read_only`: who may write, and how the variables are switched on.
//!
//! A statement that writes is inside the gate of statements while it runs, a commit of what was written inside the gate of commits. Anyone who
//! switches the variables on closes the first gate, waits until it is empty, then the second one, and sets them: so a statement
//! is refused from its beginning or runs to its end. In this order because a statement may wait for a row of a
//! transaction that is about to commit.
//!
//! Invariants:
//! - Nobody who is inside a gate enters the same gate again, since it may be closed by somebody who waits for him.
//! - Nobody who holds what a writer inside may wait for (locks of a transaction, of LOCK TABLES, of a backup, of GET_LOCK) waits long at a
//!   gate that is closing: it would wait for somebody who waits for those inside, and they for it. It is let in after [`COURTESY`].
//!   At a gate that is shut it waits: nobody is inside then, and who has shut it waits for commits alone, which wait for no lock.

use super::gate::Patience;
use crate::session_api::SqlError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;
use weir_rt::WaitQueue;

/// How long a writer who holds locks stays outside of a closing gate: without this, sessions that are always in a
/// transaction would never let it get empty.
const COURTESY: Duration = Duration::from_secs(1);

/// Stages of those who wait, in MySQL's words.
const READ_LOCK: &str = "Waiting for global read lock";
const COMMIT_LOCK: &str = "Waiting for commit lock";

/// One for all sessions.
#[derive(Default)]
pub struct ReadOnlyGate {
    statements: Arc<Gate>,
    commits: Arc<Gate>,
}

/// Counts those inside, each session in one of some places, so that writers on several processors do not pass one cache line around.
#[derive(Default)]
struct Gate {
    /// One of the states below.
    state: AtomicU8,
    inside: [Place; PLACES],
    queue: WaitQueue,
}

#[derive(Default)]
#[repr(align(64))]
struct Place(AtomicU64);

const PLACES: usize = 16;

const OPEN: u8 = 0;
/// Somebody waits until it is empty.
const CLOSING: u8 = 1;
/// It is empty and stays so.
const SHUT: u8 = 2;

/// Who enters.
#[derive(Clone, Copy)]
pub struct Writer {
    pub session: u64,
    /// It has something that those inside may wait for.
    pub holds: bool,
}

/// Somebody is inside while this lives.
pub struct Inside {
    gate: Arc<Gate>,
    place: usize,
}

/// The same for a statement that waits for nothing meanwhile.
pub struct Passing<'g> {
    gate: &'g Gate,
    place: usize,
}

/// The gate is closed while this lives.
struct Closing<'g>(&'g Gate);

/// Nothing is written while this lives.
pub struct Still<'g> {
    _statements: Closing<'g>,
    _commits: Closing<'g>,
}

impl Gate {
    /// Passes where the state is at most this. The count goes first, so that anyone who closes the gate sees it, or is seen.
    fn pass(&self, session: u64, at_most: u8) -> Option<Passing<'_>> {
        let admits = || self.state.load(Ordering::SeqCst) <= at_most;
        if !admits() {
            return None;
        }
        let place = session as usize % PLACES;
        self.inside[place].0.fetch_add(1, Ordering::SeqCst);
        let passing = Passing { gate: self, place };
        admits().then_some(passing)
    }

    fn try_enter(self: &Arc<Self>, session: u64, at_most: u8) -> Option<Inside> {
        let passing = self.pass(session, at_most)?;
        let place = passing.place;
        std::mem::forget(passing);
        Some(Inside { gate: self.clone(), place })
    }

    fn leave(&self, place: usize) {
        self.inside[place].0.fetch_sub(1, Ordering::SeqCst);
        if self.state.load(Ordering::SeqCst) != OPEN {
            self.queue.wake_all();
        }
    }

    async fn enter_at(self: &Arc<Self>, session: u64, at_most: u8) -> Inside {
        loop {
            let turn = self.queue.wait();
            if let Some(inside) = self.try_enter(session, at_most) {
                return inside;
            }
            turn.await;
        }
    }

    async fn enter(
        self: &Arc<Self>,
        w: Writer,
        p: &Patience<'_>,
        stage: &'static str,
    ) -> Result<Inside, SqlError> {
        if let Some(inside) = self.try_enter(w.session, OPEN) {
            return Ok(inside);
        }
        let mut entered = None;
        let wait = async {
            let politely = self.enter_at(w.session, OPEN);
            entered = match w.holds {
                true => p.rt.timeout(COURTESY, politely).await,
                false => Some(politely.await),
            };
            if entered.is_none() {
                entered = Some(self.enter_at(w.session, CLOSING).await);
            }
        };
        let waited = p.until(stage, wait).await;
        waited.map(|()| entered.expect("the wait ends inside"))
    }

    /// Shuts a closing gate if it is empty. Anyone who has entered beside that is counted, or has seen it shut and leaves.
    fn try_shut(&self) -> bool {
        if !self.is_empty() {
            return false;
        }
        self.state.store(SHUT, Ordering::SeqCst);
        let shut = self.is_empty();
        if !shut {
            self.state.store(CLOSING, Ordering::SeqCst);
            self.queue.wake_all();
        }
        shut
    }

    fn is_empty(&self) -> bool {
        self.inside.iter().all(|p| p.0.load(Ordering::SeqCst) == 0)
    }

    /// Closes it, waits until it is empty and shuts it.
    async fn close(&self, p: &Patience<'_>) -> Result<Closing<'_>, SqlError> {
        let mut closing = None;
        let wait = async {
            loop {
                let turn = self.queue.wait();
                // Another one that closes it goes first.
                if closing.is_none() && self.begin_closing() {
                    closing = Some(Closing(self));
                }
                if closing.is_some() && self.try_shut() {
                    return;
                }
                turn.await;
            }
        };
        let waited = p.until(READ_LOCK, wait).await;
        waited.map(|()| closing.expect("the wait ends with the gate closed"))
    }

    fn begin_closing(&self) -> bool {
        let (was, is) = (Ordering::SeqCst, Ordering::SeqCst);
        self.state.compare_exchange(OPEN, CLOSING, was, is).is_ok()
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.gate.leave(self.place);
    }
}

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        self.gate.leave(self.place);
    }
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state.store(OPEN, Ordering::SeqCst);
        self.0.queue.wake_all();
    }
}

impl ReadOnlyGate {
    /// For as long as a statement writes.
    pub async fn statement(&self, w: Writer, p: &Patience<'_>) -> Result<Inside, SqlError> {
        self.statements.enter(w, p, READ_LOCK).await
    }

    /// The same for a statement that waits for nothing, and for its commit if it is a transaction of its own: the gate of commits is closed
    /// when no statement is inside any more. `None`: somebody closes the gate.
    pub fn statement_now(&self, session: u64) -> Option<Passing<'_>> {
        self.statements.pass(session, OPEN)
    }

    /// For as long as a transaction commits.
    pub async fn commit(&self, session: u64, p: &Patience<'_>) -> Result<Inside, SqlError> {
        // This gate closes behind the other one, and those inside wait for no lock.
        self.commits.enter(Writer { session, holds: false }, p, COMMIT_LOCK).await
    }

    /// Waits until nobody writes and lets nobody begin.
    pub async fn still(&self, p: &Patience<'_>) -> Result<Still<'_>, SqlError> {
        let statements = self.statements.close(p).await?;
        let commits = self.commits.close(p).await?;
        Ok(Still { _statements: statements, _commits: commits })
    }
}
