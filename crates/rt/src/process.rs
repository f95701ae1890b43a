//! Which process this is, asked without a call of the system.
//!
//! A program may fork while it has a database open. The child has the memory and none of the threads, so it must not use what it has got;
//! and every call of the database asks for that. `getpid` is a call of the system, which costs as much as a third of a point read.
//!
//! Contract of the unsafe code: the handler that is registered runs in a child of `fork` before `fork` returns there. It adds to an atomic
//! number and does nothing else, which is allowed where other threads have held any lock. A child that was made by a bare
//! `clone` or `vfork` of the program does not run it, and is taken for its parent.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many forks lie between this process and the first one that asked.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// A process: the one that was the current one when this was made.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    id: u32,
    forks: u64,
}

impl Process {
    /// The process that calls.
    pub fn current() -> Process {
        watch();
        Process { id: std::process::id(), forks: FORKS.load(Ordering::Relaxed) }
    }

    /// Whether it is the one that calls. False in a process that was forked from it.
    #[inline]
    pub fn is_current(self) -> bool {
        FORKS.load(Ordering::Relaxed) == self.forks
    }

    /// Its number in the system.
    pub fn id(self) -> u32 {
        self.id
    }
}

/// Has forks counted from now on.
#[cfg(not(miri))]
fn watch() {
    static ONCE: std::sync::Once = std::sync::Once::new();

    extern "C" fn in_the_child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    ONCE.call_once(|| {
        // SAFETY: the handler lives as long as the program, and does what its contract (above) allows.
        let failed = unsafe { libc::pthread_atfork(None, None, Some(in_the_child)) };
        assert_eq!(failed, 0, "no memory for a handler of forks");
    });
}

/// Nothing forks there.
#[cfg(miri)]
fn watch() {}

#[cfg(all(test, unix, not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_another_process() {
        let here = Process::current();
        assert!(here.is_current());
        assert_eq!(here.id(), std::process::id());
        // SAFETY: the child calls nothing but loads of atomics, `getpid` and `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let of_child = Process { id: 0, forks: FORKS.load(Ordering::Relaxed) };
            let told = i32::from(here.is_current()) * 2 + i32::from(!of_child.is_current());
            // SAFETY: ends the child without running what the parent's program has registered.
            unsafe { libc::_exit(told) };
        }
        let mut status = -1;
        // SAFETY: `status` lives until the call returns.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0, "the child took itself for its parent, or not for itself");
        assert!(here.is_current());
    }
}
