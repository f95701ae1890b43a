//! `read_only` and `super_read_only`: who may write, and how the variables are switched on.
//!
//! A statement that writes is inside the gate of statements while it runs, a commit of what was written inside the gate of commits. Whoever
//! switches the variables on closes the first gate, waits until it is empty, then the second one, and sets them: so a statement
//! is refused from its beginning or runs to its end. In this order because a statement may wait for a row of a
//! transaction that is about to commit.
//!
//! Invariant: nobody who is inside a gate enters the same gate again, since it may be closed by somebody who waits for him.

use super::gate::Patience;
use crate::account::{Access, Privileges};
use crate::errno;
use crate::session_api::SqlError;
use crate::vars::{GlobalVars, Var};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_rt::WaitQueue;

/// One for all sessions.
#[derive(Default)]
pub struct ReadOnlyGate {
    statements: Arc<Gate>,
    commits: Arc<Gate>,
}

/// Counts those inside; the highest bit says that it is closed.
#[derive(Default)]
struct Gate {
    state: AtomicU64,
    queue: WaitQueue,
}

const CLOSED: u64 = 1 << 63;

/// Somebody is inside while this lives.
pub struct Inside(Arc<Gate>);

/// The gate is closed while this lives.
struct Closing<'g>(&'g Gate);

/// Nothing is written while this lives.
pub struct Still<'g> {
    _statements: Closing<'g>,
    _commits: Closing<'g>,
}

impl Gate {
    fn try_enter(self: &Arc<Self>) -> Option<Inside> {
        let open = |inside: u64| (inside & CLOSED == 0).then_some(inside + 1);
        let entered = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, open);
        entered.ok().map(|_| Inside(self.clone()))
    }

    async fn enter(self: &Arc<Self>, p: &Patience<'_>) -> Result<Inside, SqlError> {
        if let Some(inside) = self.try_enter() {
            return Ok(inside);
        }
        let mut entered = None;
        let wait = async {
            loop {
                let turn = self.queue.wait();
                entered = self.try_enter();
                if entered.is_some() {
                    return;
                }
                turn.await;
            }
        };
        let waited = p.until(wait).await;
        waited.map(|()| entered.expect("the wait ends inside"))
    }

    /// Closes it and waits until it is empty.
    async fn close(&self, p: &Patience<'_>) -> Result<Closing<'_>, SqlError> {
        let mut closing = None;
        let wait = async {
            loop {
                let turn = self.queue.wait();
                // Another one that closes it goes first.
                if closing.is_none() && self.state.fetch_or(CLOSED, Ordering::SeqCst) & CLOSED == 0
                {
                    closing = Some(Closing(self));
                }
                if closing.is_some() && self.state.load(Ordering::SeqCst) == CLOSED {
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
        if self.0.state.fetch_sub(1, Ordering::SeqCst) & CLOSED != 0 {
            self.0.queue.wake_all();
        }
    }
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state.fetch_and(!CLOSED, Ordering::SeqCst);
        self.0.queue.wake_all();
    }
}

impl ReadOnlyGate {
    /// For as long as a statement writes.
    pub async fn statement(&self, p: &Patience<'_>) -> Result<Inside, SqlError> {
        self.statements.enter(p).await
    }

    /// For as long as a transaction commits.
    pub async fn commit(&self, p: &Patience<'_>) -> Result<Inside, SqlError> {
        self.commits.enter(p).await
    }

    /// Waits until nobody writes and lets nobody begin.
    pub async fn still(&self, p: &Patience<'_>) -> Result<Still<'_>, SqlError> {
        let statements = self.statements.close(p).await?;
        let commits = self.commits.close(p).await?;
        Ok(Still { _statements: statements, _commits: commits })
    }
}

/// 1290 for whoever may not write tables that others see. CONNECTION_ADMIN and SUPER pass `read_only`, and nobody passes
/// `super_read_only`.
pub fn check_writable(vars: &GlobalVars, access: &mut Access) -> Result<(), SqlError> {
    if !vars.is_read_only() {
        return Ok(());
    }
    let option = match vars.bool(Var::super_read_only) {
        true => "--super-read-only",
        false => "--read-only",
    };
    let passes = Privileges::SUPER | Privileges::CONNECTION_ADMIN;
    if option == "--read-only" && access.require_any_global(passes).is_ok() {
        return Ok(());
    }
    let text = format!(
        "The MySQL server is running with the {option} option so it cannot execute this statement"
    );
    Err(SqlError::new(errno::ER_OPTION_PREVENTS_STATEMENT, text))
}
