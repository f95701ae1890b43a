//! The lock that a transaction's last locking read of a row has taken, at levels without gap locks. It alone may be given back
//! when the row turns out not to be wanted.

use crate::lock::{Granted, LockName, Mode, Outcome};
use crate::planted::{self, Bug};

#[derive(Default)]
pub(super) enum Gained {
    /// Nothing, or a lock that the transaction had before.
    #[default]
    Nothing,
    /// The read waits. It asks again when the lock is granted, and learns that it has it.
    Waits(LockName, Mode),
    New(LockName, Mode),
}

impl Gained {
    /// A read asked for a row's lock. It asks once, and once more after each wait: so `Had` behind a wait for the same row is new, and any
    /// other is an older lock.
    pub fn note(&mut self, name: &LockName, mode: Mode, outcome: Option<&Outcome>) {
        *self = match outcome {
            None | Some(Outcome::Full) => Gained::Nothing,
            Some(Outcome::Wait(_)) => Gained::Waits(name.clone(), mode),
            Some(Outcome::Granted(Granted::New)) => Gained::New(name.clone(), mode),
            Some(Outcome::Granted(Granted::Had)) => match std::mem::take(self) {
                Gained::Waits(n, m) if n == *name && m == mode => Gained::New(n, m),
                _ if planted::is(Bug::EarlierLockUnlocked) => Gained::New(name.clone(), mode),
                _ => Gained::Nothing,
            },
        };
    }

    pub fn forget(&mut self) {
        *self = Gained::Nothing;
    }

    /// The mode of the lock, if that is the one that the last read has taken.
    pub fn take(&mut self, name: &LockName) -> Option<Mode> {
        match std::mem::take(self) {
            Gained::New(n, m) if n == *name => Some(m),
            _ => None,
        }
    }
}
