//! Sends to many sockets in one system call, by io_uring. An unsafe module.
//!
//! With a call for each socket the kernel goes over to the client that it has just woken before the next answer is out, once for each
//! of them. With one call for several the clients run when all of those are out.
//!
//! Contract: the kernel reads bytes and descriptors of an operation from its submission until its completion. They are borrowed for
//! the call of [`Together::send`], which returns when each operation that the kernel has taken is completed. None of them waits
//! (`MSG_DONTWAIT`), so that is at once. Operations that the kernel has not taken stay in a queue that nobody submits again.

#![allow(unsafe_code)]

use super::Transport;
use io_uring::{IoUring, opcode, types};
use rustix::net::SendFlags;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Sends in one call at most. The first client of a call may ask again before the call is over, and its connection is held up then; with
/// this many that is rare, and most of the calls are saved (measured with 48 clients on two processors, docs/decisions/redo-log.md).
pub const TOGETHER: usize = 8;

/// `None`: the system has no io_uring, and each send is a call.
pub struct Together(Mutex<Option<IoUring>>);

impl Together {
    pub fn start() -> Together {
        Together(Mutex::new(ring().ok()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<IoUring>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what can be sent without waiting, to at most [`TOGETHER`] sockets, and gives the lengths, as [`Transport::write_now`].
    pub fn send(&self, all: &[(&dyn Transport, &[u8])]) -> Vec<io::Result<usize>> {
        assert!(all.len() <= TOGETHER, "more than the queue has places for");
        let mut sent: Vec<Option<i32>> = vec![None; all.len()];
        let mut ring = self.lock();
        if all.len() > 1
            && let Some(r) = &mut *ring
            && submit(r, all, &mut sent).is_err()
        {
            *ring = None;
        }
        drop(ring);
        let one = |((transport, bytes), sent): (&(&dyn Transport, &[u8]), Option<i32>)| match sent {
            Some(n) if n >= 0 => Ok(n as usize),
            // What is wrong is said again by the call.
            _ => transport.write_now(bytes),
        };
        all.iter().zip(sent).map(one).collect()
    }
}

fn ring() -> io::Result<IoUring> {
    let mut ring = IoUring::new(TOGETHER as u32)?;
    // Some sandboxes allow the set-up and refuse its use: try it out.
    // SAFETY: an operation that reads nothing.
    let pushed = unsafe { ring.submission().push(&opcode::Nop::new().build()) };
    pushed.map_err(io::Error::other)?;
    ring.submit_and_wait(1)?;
    let done = ring.completion().next().is_some_and(|done| done.result() == 0);
    match done {
        true => Ok(ring),
        false => Err(io::Error::other("a submitted operation did not complete")),
    }
}

/// Notes what came of each send. An error: the ring cannot be used any more; what was not sent has no note.
fn submit(
    ring: &mut IoUring,
    all: &[(&dyn Transport, &[u8])],
    sent: &mut [Option<i32>],
) -> io::Result<()> {
    let flags = (SendFlags::NOSIGNAL | SendFlags::DONTWAIT).bits() as i32;
    for (n, (transport, bytes)) in all.iter().enumerate() {
        let socket = types::Fd(transport.socket().as_raw_fd());
        let send = opcode::Send::new(socket, bytes.as_ptr(), bytes.len() as u32);
        let send = send.flags(flags).build().user_data(n as u64);
        // SAFETY: the bytes and the socket are borrowed until this function returns, see above.
        unsafe { ring.submission().push(&send) }.map_err(io::Error::other)?;
    }
    let mut left = all.len();
    let mut failed = None;
    while left > 0 {
        match ring.submit_and_wait(left) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => {
                // Only what the kernel has taken is awaited.
                left -= ring.submission().len();
                failed = Some(e);
            }
            _ => {}
        }
        for done in ring.completion() {
            sent[done.user_data() as usize] = Some(done.result());
            left -= 1;
        }
        if failed.is_some() {
            break;
        }
    }
    while left > 0 {
        std::thread::yield_now();
        for done in ring.completion() {
            sent[done.user_data() as usize] = Some(done.result());
            left -= 1;
        }
    }
    failed.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Socket;
    use std::io::Read;
    use std::mem::ManuallyDrop;
    use std::os::fd::{FromRawFd, OwnedFd};
    use std::os::unix::net::UnixStream;

    fn pairs(n: usize) -> (Vec<Socket>, Vec<UnixStream>) {
        (0..n).map(|_| UnixStream::pair().unwrap()).map(|(a, b)| (Socket::unix(a), b)).unzip()
    }

    fn check(together: &Together) {
        for n in 1..=TOGETHER {
            let (ours, mut theirs) = pairs(n);
            let texts: Vec<Vec<u8>> = (0..n).map(|k| vec![k as u8; k * 100 + 1]).collect();
            for _ in 0..20 {
                let all: Vec<(&dyn Transport, &[u8])> =
                    ours.iter().zip(&texts).map(|(s, t)| (s as &dyn Transport, &t[..])).collect();
                for (sent, text) in together.send(&all).into_iter().zip(&texts) {
                    assert_eq!(sent.unwrap(), text.len());
                }
            }
            for (their, text) in theirs.iter_mut().zip(&texts) {
                let mut got = vec![0; text.len() * 20];
                their.read_exact(&mut got).unwrap();
                assert!(got.iter().all(|b| *b == text[0]));
            }
        }
    }

    #[test]
    fn each_gets_its_own() {
        check(&Together::start());
        check(&Together(Mutex::new(None)));
    }

    #[test]
    fn who_takes_nothing_and_who_has_gone() {
        let together = Together::start();
        let (ours, mut theirs) = pairs(3);
        while ours[0].write_now(&[9; 4096]).unwrap() > 0 {}
        drop(theirs.remove(1));
        let all: Vec<(&dyn Transport, &[u8])> =
            ours.iter().map(|s| (s as &dyn Transport, &b"text"[..])).collect();
        let sent = together.send(&all);
        assert_eq!(sent[0].as_ref().unwrap(), &0);
        assert!(sent[1].is_err());
        assert_eq!(sent[2].as_ref().unwrap(), &4);
    }

    /// What the kernel does not take is sent in the other way, and each once.
    #[test]
    fn a_ring_that_breaks() {
        let (ours, mut theirs) = pairs(2);
        let broken = ring().ok().inspect(|r| {
            // Its number is another file from here on, which is no ring.
            let null = std::fs::File::open("/dev/null").unwrap();
            // SAFETY: the number stays the ring's own, which closes it; nobody else does.
            let number = unsafe { OwnedFd::from_raw_fd(r.as_raw_fd()) };
            rustix::io::dup2(&null, &mut *ManuallyDrop::new(number)).unwrap();
        });
        let together = Together(Mutex::new(broken));
        let all: Vec<(&dyn Transport, &[u8])> =
            ours.iter().map(|s| (s as &dyn Transport, &b"text"[..])).collect();
        for sent in together.send(&all) {
            assert_eq!(sent.unwrap(), 4);
        }
        for their in &mut theirs {
            their.set_nonblocking(true).unwrap();
            let mut got = [0; 9];
            assert_eq!(their.read(&mut got).unwrap(), 4);
        }
        assert!(together.lock().is_none());
    }
}
