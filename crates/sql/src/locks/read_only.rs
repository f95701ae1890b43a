//! `read_only` and `super_read_only`: who may write, and how the variables are switched on.
//!
//! A statement that writes is inside the gate of statements while it runs, a commit of what was written inside the gate of commits. Whoever
//! switches the variables on closes the first gate, waits until it is empty, then the second one, and sets them: so a statement
//! is refused from its beginning or runs to its end. In this order because a statement may wait for a row of a
//! transaction that is about to commit.
//!
//! Invariant: nobody who is inside a gate enters the same gate again, since it may be closed by somebody who waits for him.

use super::gate::Patience;
use crate::session_api::SqlError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use weir_rt::WaitQueue;

/// One for all sessions.
#[derive(Default)]
pub struct ReadOnlyGate {
    statements: Arc<Gate>,
    commits: Arc<Gate>,
}

/// Counts those inside, each session in one of some places, so that writers on several processors do not pass one cache line around.
#[derive(Default)]
struct Gate {
    closed: AtomicBool,
    inside: [Place; PLACES],
    queue: WaitQueue,
}

#[derive(Default)]
#[repr(align(64))]
struct Place(AtomicU64);

const PLACES: usize = 16;

/// Somebody is inside while this lives.
pub struct Inside {
    gate: Arc<Gate>,
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
    /// The count goes first, so that whoever closes the gate sees it, or is seen.
    fn try_enter(self: &Arc<Self>, session: u64) -> Option<Inside> {
        if self.closed.load(Ordering::SeqCst) {
            return None;
        }
        let place = session as usize % PLACES;
        self.inside[place].0.fetch_add(1, Ordering::SeqCst);
        let inside = Inside { gate: self.clone(), place };
        (!self.closed.load(Ordering::SeqCst)).then_some(inside)
    }

    async fn enter(self: &Arc<Self>, session: u64, p: &Patience<'_>) -> Result<Inside, SqlError> {
        if let Some(inside) = self.try_enter(session) {
            return Ok(inside);
        }
        let mut entered = None;
        let wait = async {
            loop {
                let turn = self.queue.wait();
                entered = self.try_enter(session);
                if entered.is_some() {
                    return;
                }
                turn.await;
            }
        };
        let waited = p.until(wait).await;
        waited.map(|()| entered.expect("the wait ends inside"))
    }

    fn is_empty(&self) -> bool {
        self.inside.iter().all(|p| p.0.load(Ordering::SeqCst) == 0)
    }

    /// Closes it and waits until it is empty.
    async fn close(&self, p: &Patience<'_>) -> Result<Closing<'_>, SqlError> {
        let mut closing = None;
        let wait = async {
            loop {
                let turn = self.queue.wait();
                // Another one that closes it goes first.
                if closing.is_none() && !self.closed.swap(true, Ordering::SeqCst) {
                    closing = Some(Closing(self));
                }
                if closing.is_some() && self.is_empty() {
                    return;
                }
                turn.await;
            }
        };
        let waited = p.until(wait).await;
        waited.map(|()| closing.expect("the wait ends with the gate closed"))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.gate.inside[self.place].0.fetch_sub(1, Ordering::SeqCst);
        if self.gate.closed.load(Ordering::SeqCst) {
            self.gate.queue.wake_all();
        }
    }
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.closed.store(false, Ordering::SeqCst);
        self.0.queue.wake_all();
    }
}

impl ReadOnlyGate {
    /// For as long as a statement writes.
    pub async fn statement(&self, session: u64, p: &Patience<'_>) -> Result<Inside, SqlError> {
        self.statements.enter(session, p).await
    }

    /// For as long as a transaction commits.
    pub async fn commit(&self, session: u64, p: &Patience<'_>) -> Result<Inside, SqlError> {
        self.commits.enter(session, p).await
    }

    /// Waits until nobody writes and lets nobody begin.
    pub async fn still(&self, p: &Patience<'_>) -> Result<Still<'_>, SqlError> {
        let statements = self.statements.close(p).await?;
        let commits = self.commits.close(p).await?;
        Ok(Still { _statements: statements, _commits: commits })
    }
}
