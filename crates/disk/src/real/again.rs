//! Errors that say "not now": no descriptor is free, or the kernel wants another try.

use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a call is tried again before its error counts.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(1);

/// A descriptor that is kept for what needs one for a moment (the sync of a folder), and would end the engine if it failed.
pub struct Reserve(Mutex<Option<File>>);

fn spare() -> Option<File> {
    File::open("/dev/null").ok()
}

impl Reserve {
    pub fn new() -> Reserve {
        Reserve(Mutex::new(spare()))
    }

    /// Makes a call that opens and closes a descriptor; where there is none, with the one in reserve. Somebody else may take that one
    /// between the two: then it is waited for.
    pub fn lend<T>(&self, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        let first = call();
        if !first.as_ref().is_err_and(no_descriptor) {
            return first;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + PATIENCE;
        loop {
            *kept = None;
            let done = call();
            *kept = spare();
            if !done.as_ref().is_err_and(no_descriptor) || Instant::now() >= until {
                return done;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// EMFILE and ENFILE: the process, or the system, has no descriptor left.
fn no_descriptor(e: &io::Error) -> bool {
    [Errno::MFILE, Errno::NFILE].iter().any(|n| e.raw_os_error() == Some(n.raw_os_error()))
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
        let held = || reserve.0.try_lock().is_ok_and(|kept| kept.is_some());
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
        assert_eq!(failed.unwrap_err().raw_os_error(), Some(Errno::IO.raw_os_error()));
        assert!(held());
    }

    fn os(e: Errno) -> io::Error {
        io::Error::from_raw_os_error(e.raw_os_error())
    }
}
