//! The longest wait for an answer, kept by one thread for all connections: a timeout of the socket would arm and disarm a timer
//! of the kernel for each statement.

use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

/// Seconds since the first connection, from 1: the clock of all waits, read without a system call.
static SECONDS: AtomicU32 = AtomicU32::new(1);
static WAITS: Mutex<Vec<Weak<Wait>>> = Mutex::new(Vec::new());

pub enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A connection's wait.
pub struct Wait {
    /// Second in which the read began; 0: none is waited for.
    since: AtomicU32,
    most: u32,
    socket: Socket,
    over: AtomicBool,
}

impl Wait {
    /// `socket`: another handle of the connection, which is cut when a read takes longer than `most`.
    pub fn new(socket: Socket, most: Duration) -> Arc<Wait> {
        let most = most.as_secs().clamp(1, 1 << 30) as u32;
        let w = Arc::new(Wait { since: 0.into(), most, socket, over: false.into() });
        WAITS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&w));
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            let thread = std::thread::Builder::new().name("bench-patience".into());
            // Without the thread a dead server is waited for until Ctrl-C.
            let _ = thread.spawn(|| {
                loop {
                    std::thread::sleep(Duration::from_secs(1));
                    pass(SECONDS.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        });
        w
    }

    /// Around each read.
    pub fn begin(&self) {
        self.since.store(SECONDS.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    pub fn end(&self) {
        self.since.store(0, Ordering::Relaxed);
    }

    /// The connection was cut because of it.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    fn look(&self, now: u32) {
        let since = self.since.load(Ordering::Relaxed);
        if since == 0 || now.saturating_sub(since) <= self.most {
            return;
        }
        self.over.store(true, Ordering::Release);
        // It may be gone already: then the read has ended.
        let _ = match &self.socket {
            Socket::Tcp(s) => s.shutdown(Shutdown::Both),
            Socket::Unix(s) => s.shutdown(Shutdown::Both),
        };
    }
}

/// A second has passed.
fn pass(now: u32) {
    let mut waits = WAITS.lock().unwrap_or_else(PoisonError::into_inner);
    waits.retain(|w| {
        w.upgrade().is_some_and(|w| {
            w.look(now);
            true
        })
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn a_read_that_takes_too_long_ends() {
        let (mut a, _b) = UnixStream::pair().unwrap();
        let w = Wait::new(Socket::Unix(a.try_clone().unwrap()), Duration::from_secs(10));
        w.begin();
        let begun = w.since.load(Ordering::Relaxed);
        w.look(begun + 10);
        assert!(!w.is_over());
        w.end();
        w.look(begun + 100);
        assert!(!w.is_over());
        w.begin();
        w.look(begun + 100);
        assert!(w.is_over());
        assert_eq!(a.read(&mut [0; 1]).unwrap(), 0);
    }
}
