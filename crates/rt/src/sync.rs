//! Mutexes and atomics in one place, so that a model checker's can take their place: `std`'s, or with `--cfg shuttle` or
//! `--cfg loom` those whose every use is a choice of who runs next. The models (`model.rs` files) run under these only.

#[cfg(not(any(shuttle, loom)))]
pub use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};

#[cfg(shuttle)]
pub use shuttle::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};

#[cfg(loom)]
pub use loom::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic};

use std::sync::PoisonError;

/// A panic while holding the mutex has ended the process's promise already.
pub(crate) fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}
