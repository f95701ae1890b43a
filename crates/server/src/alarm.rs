//! What wakes the main thread: signals, and clients that ask for the server's end. Between them it sleeps.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A pair of sockets: a signal's handler may do little more than write a byte.
pub struct Alarm {
    heard: UnixStream,
    rung: UnixStream,
}

impl Alarm {
    pub fn new() -> io::Result<Alarm> {
        let (heard, rung) = UnixStream::pair()?;
        heard.set_nonblocking(true)?;
        rung.set_nonblocking(true)?;
        Ok(Alarm { heard, rung })
    }

    /// A signal rings it. Flags that the same signal sets are to be registered before.
    pub fn on_signal(&self, signal: i32) -> io::Result<()> {
        signal_hook::low_level::pipe::register(signal, self.rung.try_clone()?).map(|_| ())
    }

    pub fn ring(&self) {
        // Full: it has rung, and nobody has heard it yet.
        let _ = (&self.rung).write(b"!");
    }

    /// Until it rings, for this long at most.
    pub fn wait(&self, at_most: Duration) {
        let limit =
            Timespec { tv_sec: at_most.as_secs() as i64, tv_nsec: at_most.subsec_nanos().into() };
        let mut fds = [PollFd::new(&self.heard, PollFlags::IN)];
        // A signal interrupts it, and has rung.
        let _ = poll(&mut fds, Some(&limit));
        let mut bytes = [0; 64];
        while matches!((&self.heard).read(&mut bytes), Ok(n) if n == bytes.len()) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_ring_is_heard_before_and_during_the_wait() {
        let alarm = Alarm::new().unwrap();
        let long = Duration::from_secs(600);
        // More often than the socket holds.
        (0..100_000).for_each(|_| alarm.ring());
        alarm.wait(long);
        std::thread::scope(|s| {
            s.spawn(|| alarm.ring());
            alarm.wait(long);
        });
        let begun = Instant::now();
        alarm.wait(Duration::from_millis(10));
        assert!(begun.elapsed() >= Duration::from_millis(10), "it was rung no more");
    }
}
