//! Locks of the engine in one place, so that a model checker's can take their place.

use weir_rt::sync as base;
pub use weir_rt::sync::atomic;

/// A mutex whose guard is got without a `Result`: a panic while holding it has already ended the process's promise.
#[derive(Default, Debug)]
pub struct Mutex<T>(base::Mutex<T>);

pub type MutexGuard<'a, T> = base::MutexGuard<'a, T>;

impl<T> Mutex<T> {
    pub const fn new(v: T) -> Mutex<T> {
        Mutex(base::Mutex::new(v))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(g) => Some(g),
            Err(std::sync::TryLockError::Poisoned(p)) => Some(p.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        }
    }
}

#[derive(Default, Debug)]
pub struct RwLock<T>(base::RwLock<T>);

impl<T> RwLock<T> {
    pub const fn new(v: T) -> RwLock<T> {
        RwLock(base::RwLock::new(v))
    }

    pub fn read(&self) -> base::RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn write(&self) -> base::RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
