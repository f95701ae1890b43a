//! Errors that say "not now": no descriptor is free, or the kernel wants another try.

use crate::{DiskError, Result};
use rustix::io::Errno;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a call is tried again before its error counts.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(1);

/// A descriptor that is kept for what would end the engine if it failed: what needs one for a moment (the sync of a folder), and the
/// opening of a file that the engine cannot do without (the log's next segment).
pub struct Reserve {
    kept: Mutex<Option<File>>,
    /// The reserve is empty: a call has kept what it was lent.
    lent: AtomicBool,
}

fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

impl Reserve {
    pub fn new() -> Reserve {
        Reserve { kept: Mutex::new(spare()), lent: AtomicBool::new(false) }
    }

    /// Takes a descriptor into the reserve again, now that there are some.
    fn fill(&self) {
        if self.lent.load(Ordering::Relaxed)
            && let Ok(mut kept) = self.kept.try_lock()
        {
            *kept = kept.take().or_else(spare);
            self.lent.store(kept.is_none(), Ordering::Relaxed);
        }
    }

    /// Makes a call that opens a descriptor; where there is none, with the one in reserve. Another thread may take that one between the
    /// two, and a call before may have kept it: then a descriptor is waited for.
    pub fn lend<T>(&self, mut call: impl FnMut() -> Result<T>) -> Result<T> {
        let first = call();
        if first.is_ok() {
            self.fill();
        }
        if !first.as_ref().is_err_and(DiskError::lacks_descriptor) {
            return first;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + PATIENCE;
        loop {
            *kept = None;
            let done = call();
            *kept = spare();
            self.lent.store(kept.is_none(), Ordering::Relaxed);
            if !done.as_ref().is_err_and(DiskError::lacks_descriptor) || Instant::now() >= until {
                return done;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Repeats a call that was interrupted, and for some time one that the kernel puts off (EAGAIN).
pub fn patiently<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    let mut until = None;
    loop {
        match call() {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let now = Instant::now();
                if now >= *until.get_or_insert(now + PATIENCE) {
                    return Err(Errno::AGAIN);
                }
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_is_put_off_is_made_again() {
        let mut errors = vec![Errno::AGAIN, Errno::INTR, Errno::AGAIN];
        assert_eq!(patiently(|| errors.pop().map_or(Ok(7), Err)), Ok(7));
        assert_eq!(patiently(|| Err::<(), _>(Errno::IO)), Err(Errno::IO));
    }

    #[test]
    fn the_reserve_is_lent_and_taken_back() {
        let reserve = Reserve::new();
        let held = || reserve.kept.try_lock().is_ok_and(|kept| kept.is_some());
        let mut tries = 0;
        let done = reserve.lend(|| {
            tries += 1;
            match tries {
                1 | 2 => Err(os(Errno::MFILE)),
                _ => Ok(7),
            }
        });
        assert_eq!((done.unwrap(), tries), (7, 3));
        assert!(held());
        // Another error counts at once.
        let failed = reserve.lend(|| Err::<(), _>(os(Errno::IO)));
        assert_eq!(failed.unwrap_err().os, Some(Errno::IO.raw_os_error()));
        assert!(held());
    }

    fn os(e: Errno) -> DiskError {
        DiskError::new("open", "f", &std::io::Error::from_raw_os_error(e.raw_os_error()))
    }
}
