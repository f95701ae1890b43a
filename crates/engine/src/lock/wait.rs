//! A waiting request, and the future that its transaction awaits.

use super::conflict::{Kind, Mode};
use super::name::LockName;
use super::table::LockTable;
use super::trx::TrxLocks;
use crate::planted::{self, Bug};
use crate::sync::Mutex;
use crate::sync::atomic::Ordering;
use crate::waits::Blocker;
use smallvec::SmallVec;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Those to be woken once no mutex is held.
pub type Wakes = SmallVec<[Waker; 2]>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    Waiting,
    Granted,
    Victim,
}

/// Where a waiting transaction and its granter meet.
pub struct Request {
    pub trx: Arc<TrxLocks>,
    pub name: LockName,
    pub what: (Mode, Kind),
    /// Grows from request to request of the whole table: the order in a line.
    pub seq: u64,
    state: Mutex<(State, Option<Waker>)>,
}

impl Request {
    pub fn new(trx: &Arc<TrxLocks>, name: &LockName, what: (Mode, Kind), seq: u64) -> Arc<Request> {
        let state = Mutex::new((State::Waiting, None));
        Arc::new(Request { trx: trx.clone(), name: name.clone(), what, seq, state })
    }

    /// Ends the wait; anyone who ended it first has decided how. Returns whom to wake.
    #[must_use]
    pub fn finish(&self, end: State) -> Option<Waker> {
        let mut s = self.state.lock();
        if s.0 != State::Waiting {
            return None;
        }
        s.0 = end;
        s.1.take()
    }
}

/// Why a wait ended without the lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Victim;

/// A waiting request. Resolves when granted (the lock is then in the table) or when its transaction is chosen as victim.
/// Dropped early (timeout, kill), it takes the request out of the queue.
pub struct LockWait {
    pub(super) table: Arc<LockTable>,
    pub(super) request: Arc<Request>,
    /// Who was in the way when the wait began.
    pub(super) blocker: Blocker,
    pub(super) granted: bool,
}

impl Future for LockWait {
    type Output = Result<(), Victim>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let state = {
            let mut s = self.request.state.lock();
            if s.0 == State::Waiting {
                s.1 = Some(cx.waker().clone());
            }
            s.0
        };
        match state {
            State::Waiting => Poll::Pending,
            State::Granted => {
                self.granted = true;
                Poll::Ready(Ok(()))
            }
            State::Victim => Poll::Ready(Err(Victim)),
        }
    }
}

impl LockWait {
    /// The index, and who is in the way.
    pub fn about(&self) -> (u64, Blocker) {
        (self.request.name.index, self.blocker)
    }
}

impl Drop for LockWait {
    fn drop(&mut self) {
        self.table.stats.current_waits.fetch_sub(1, Ordering::Relaxed);
        if !self.granted {
            if planted::is(Bug::WaiterLeftBehind) {
                *self.request.trx.waiting.lock() = None;
                return;
            }
            // It may have been granted this instant: then it is an ordinary lock and stays until the transaction ends.
            self.table.give_up(&self.request);
        }
    }
}
