//! What keeps definition statements out while somebody copies the database: LOCK INSTANCE FOR BACKUP, FLUSH TABLES WITH READ LOCK.
//!
//! Invariant: while a [`Backup`] of another session lives, no definition statement runs; while one runs, no backup begins. A session's own
//! backup does not keep its definition statements out.

use crate::errno;
use crate::session_api::SqlError;
use crate::stages::Stages;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_rt::{Interrupt, Rt, WaitQueue};

/// The stage of anyone who waits here, whether for a backup or to begin one.
const BACKUP: &str = "Waiting for backup lock";

/// One for all sessions.
#[derive(Default)]
pub struct DefinitionGate {
    state: Mutex<State>,
    queue: WaitQueue,
}

#[derive(Default)]
struct State {
    /// Definition statements that run.
    definitions: usize,
    /// Session -> backups of its own.
    backups: HashMap<u64, usize>,
    /// Backups that wait for definition statements: no new ones of those begin.
    waiting: usize,
}

impl State {
    fn others(&self, session: u64) -> bool {
        self.backups.keys().any(|s| *s != session)
    }
}

/// A definition statement runs while this lives.
pub struct Defining<'g>(&'g DefinitionGate);

/// A session copies the database while this lives.
pub struct Backup {
    gate: Arc<DefinitionGate>,
    session: u64,
}

/// How anyone who waits at the gate is to wait.
pub struct Patience<'a> {
    pub rt: &'a Rt,
    pub limit: Duration,
    pub interrupt: &'a Interrupt,
    pub stages: &'a Stages,
    pub session: u64,
}

impl Patience<'_> {
    /// Waits in this stage.
    pub(super) async fn until(
        &self,
        stage: &'static str,
        wait: impl Future<Output = ()>,
    ) -> Result<(), SqlError> {
        let _stage = self.stages.enter(self.session, stage);
        match self.rt.timeout(self.limit, weir_rt::or_killed(self.interrupt, wait)).await {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => Err(SqlError::interrupted()),
            None => Err(SqlError::of(errno::ER_LOCK_WAIT_TIMEOUT, &[])),
        }
    }
}

impl DefinitionGate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For as long as a definition statement of the session runs.
    pub async fn define(&self, session: u64, p: &Patience<'_>) -> Result<Defining<'_>, SqlError> {
        if let Some(d) = self.try_define(session) {
            return Ok(d);
        }
        let mut entered = None;
        let wait = async {
            loop {
                let turn = self.queue.wait();
                entered = self.try_define(session);
                if entered.is_some() {
                    return;
                }
                turn.await;
            }
        };
        let waited = p.until(BACKUP, wait).await;
        waited.map(|()| entered.expect("the wait ends with a place"))
    }

    /// The same where it can be had at once.
    pub fn try_define(&self, session: u64) -> Option<Defining<'_>> {
        let mut s = self.state();
        let free = !s.others(session) && s.waiting == 0;
        s.definitions += usize::from(free);
        free.then(|| Defining(self))
    }

    /// Does the session keep definition statements out?
    pub fn backs_up(&self, session: u64) -> bool {
        self.state().backups.contains_key(&session)
    }

    /// Does any session?
    pub fn is_backed_up(&self) -> bool {
        !self.state().backups.is_empty()
    }

    /// From here on no other session defines anything.
    pub async fn back_up(
        self: &Arc<Self>,
        session: u64,
        p: &Patience<'_>,
    ) -> Result<Backup, SqlError> {
        let waiting = Waiting::new(self);
        let enter = || {
            let mut s = self.state();
            let free = s.definitions == 0;
            if free {
                *s.backups.entry(session).or_default() += 1;
            }
            free
        };
        let wait = async {
            loop {
                let turn = self.queue.wait();
                if enter() {
                    return;
                }
                turn.await;
            }
        };
        let entered = p.until(BACKUP, wait).await;
        drop(waiting);
        entered.map(|()| Backup { gate: self.clone(), session })
    }
}

/// Counts a backup that waits.
struct Waiting<'g>(&'g DefinitionGate);

impl<'g> Waiting<'g> {
    fn new(gate: &'g DefinitionGate) -> Waiting<'g> {
        gate.state().waiting += 1;
        Waiting(gate)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
        self.0.queue.wake_all();
    }
}

impl Drop for Defining<'_> {
    fn drop(&mut self) {
        self.0.state().definitions -= 1;
        self.0.queue.wake_all();
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        {
            let mut s = self.gate.state();
            if let Some(n) = s.backups.get_mut(&self.session) {
                *n -= 1;
                if *n == 0 {
                    s.backups.remove(&self.session);
                }
            }
        }
        self.gate.queue.wake_all();
    }
}
