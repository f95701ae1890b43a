//! A transaction as one that makes attempts: what it may have to wait for besides pages and log space, and how long.
//!
//! Every operation on rows goes through [`Txn::drive`] and so through the engine's one loop of attempts (`mtr::drive`): what an
//! attempt needs it returns as [`Halt`], with `?` from any depth.
//!
//! Invariant: nothing is latched, pinned or granted while a row lock is waited for. Anyone who has the lock may need all of it to come
//! to its end.

use super::{System, Txn, undo};
use crate::error::{Error, Result};
use crate::lock::LockWait;
use crate::mtr::{self, Core, HasCore, Stop, Waiter, Work};
use crate::patience;
use crate::sync::atomic::Ordering;
use crate::waits::{Cause, Object, What};
use std::future::Future;
use std::sync::Arc;
use weir_rt::Interrupt;

/// What an attempt of a transaction may need besides pages and log space.
pub enum Need {
    /// A row lock, or the end of a lock on a gap.
    Lock(LockWait),
    /// The last page of the undo log is full.
    UndoPage,
    /// There are more row locks than there is memory for: the transaction ends, as InnoDB ends it.
    LockMemory,
}

pub type Halt = mtr::Halt<Need>;
pub type RowAttempt<T> = std::result::Result<T, Halt>;

impl From<Need> for Halt {
    fn from(n: Need) -> Halt {
        Halt::Need(n)
    }
}

/// Whether an attempt ended at a lock that it was not to wait for (NOWAIT, SKIP LOCKED).
pub(super) fn met_a_lock(h: &Halt) -> bool {
    matches!(h, Halt::Stop(Stop::Err(Error::LockNotAvailable)))
}

impl HasCore for Arc<System> {
    fn core(&self) -> &Core {
        &self.core
    }
}

impl Waiter for Txn {
    type Need = Need;

    async fn meet(&mut self, need: Need) -> Result<()> {
        match need {
            Need::Lock(wait) => self.wait_lock(wait).await,
            Need::LockMemory => {
                self.give_way().await;
                Err(Error::LockTableFull)
            }
            Need::UndoPage => {
                let db = self.db.clone();
                undo::next_page(&db.core, self.undo_mut()).await
            }
        }
    }

    fn switch(&self) -> Option<Arc<Interrupt>> {
        Some(self.o.interrupt.clone())
    }

    fn may_go_on(&self) -> Result<()> {
        self.check_alive()
    }
}

impl Txn {
    /// Makes attempts until one is done. `want` as for [`mtr::drive`].
    #[inline]
    pub(super) fn drive<T, E: Into<Halt>>(
        &mut self,
        want: usize,
        attempt: impl FnMut(&mut Txn, &mut Work<'_>) -> std::result::Result<T, E>,
    ) -> impl Future<Output = Result<T>> {
        mtr::drive(self.db.clone(), want, self, attempt)
    }

    /// Something that the statement seldom has to wait for, and that KILL ends.
    pub(super) fn until_killed<F: Future>(&self, f: F) -> impl Future<Output = F::Output> + use<F> {
        patience::until_killed(self.o.interrupt.clone(), f)
    }

    /// Waits for a row lock within the session's limits. On a deadlock the transaction is rolled back.
    async fn wait_lock(&mut self, wait: LockWait) -> Result<()> {
        let db = self.db.clone();
        let begun = db.rt.now();
        let (index, blocker) = wait.about();
        let what = What::new(Cause::RowLock, Object::Index(index)).blocked_by(blocker);
        let waiting = db.core.waits.begin_at(begun, what.of(self.o.session_id, self.id));
        let interrupt = self.o.interrupt.clone();
        let waited = db.rt.timeout(self.o.lock_timeout, weir_rt::or_killed(&interrupt, wait)).await;
        let now = db.rt.now();
        waiting.end_at(now);
        let spent = now - begun;
        let s = &db.locks.stats;
        s.wait_nanos.fetch_add(spent, Ordering::Relaxed);
        s.wait_nanos_max.fetch_max(spent, Ordering::Relaxed);
        if let Some(account) = &self.o.lock_time {
            account.fetch_add(spent, Ordering::Relaxed);
        }
        match waited {
            None => {
                s.timeouts.fetch_add(1, Ordering::Relaxed);
                Err(Error::LockWaitTimeout)
            }
            Some(Err(_)) => Err(Error::Interrupted),
            Some(Ok(Ok(()))) => Ok(()),
            Some(Ok(Err(_victim))) => Err(self.give_way().await),
        }
    }

    pub(super) fn check_alive(&self) -> Result<()> {
        if self.doomed {
            return Err(Error::Deadlock);
        }
        if self.o.interrupt.killed() != 0 {
            return Err(Error::Interrupted);
        }
        Ok(())
    }
}
