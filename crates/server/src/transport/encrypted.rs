//! TLS over another transport.
//!
//! Invariants: only the owner takes the lock of the connection's state, so it is never waited for, and a read or a write that waits for
//! the client holds up nobody. Whoever shuts the transport down, or looks whether the client hung up, goes past it to the socket.

use super::{Origin, Transport};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub struct Encrypted {
    under: Arc<dyn Transport>,
    state: Mutex<ServerConnection>,
    /// Bytes decrypted and not yet read.
    ready: AtomicUsize,
    /// The client has said that it will say no more.
    ended: AtomicBool,
}

impl std::fmt::Debug for Encrypted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TLS over {:?}", self.under)
    }
}

/// What a handshake waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shake {
    Goes,
    Done,
}

fn invalid(e: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, e)
}

impl Encrypted {
    /// A layer whose handshake has not begun.
    pub fn new(under: Arc<dyn Transport>, config: Arc<ServerConfig>) -> io::Result<Encrypted> {
        let state = ServerConnection::new(config).map_err(invalid)?;
        Ok(Encrypted {
            under,
            state: Mutex::new(state),
            ready: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
        })
    }

    fn lock(&self) -> MutexGuard<'_, ServerConnection> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what was read from the socket before the layer was there.
    pub fn feed(&self, mut early: &[u8]) -> io::Result<Shake> {
        let mut state = self.lock();
        while !early.is_empty() {
            if state.read_tls(&mut early)? == 0 {
                break;
            }
            self.process(&mut state)?;
        }
        Ok(if state.is_handshaking() { Shake::Goes } else { Shake::Done })
    }

    /// One read of the handshake, and what is to be answered to it.
    pub fn shake(&self) -> io::Result<Shake> {
        let mut state = self.lock();
        if !state.is_handshaking() {
            return Ok(Shake::Done);
        }
        if state.read_tls(&mut Under(&*self.under))? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.process(&mut state)?;
        Ok(if state.is_handshaking() { Shake::Goes } else { Shake::Done })
    }

    /// What both sides agreed on.
    pub fn agreed<T>(&self, look: impl FnOnce(&ServerConnection) -> T) -> T {
        look(&self.lock())
    }

    /// Decrypts the records that are whole, and sends what they ask for: the handshake's part, or why there is an end.
    fn process(&self, state: &mut ServerConnection) -> io::Result<()> {
        let outcome = state.process_new_packets();
        let sent = self.send(state);
        let came = outcome.map_err(invalid)?;
        self.ready.store(came.plaintext_bytes_to_read(), Ordering::Relaxed);
        self.ended.store(came.peer_has_closed(), Ordering::Relaxed);
        // Not to be taken for a client that is merely silent.
        sent.map_err(|e| io::Error::new(io::ErrorKind::BrokenPipe, e))
    }

    fn send(&self, state: &mut ServerConnection) -> io::Result<()> {
        while state.wants_write() {
            state.write_tls(&mut Under(&*self.under))?;
        }
        Ok(())
    }

    /// Is what waits in the socket nothing but the client's goodbye? Records that are too short for a packet, with nothing behind them.
    fn is_goodbye(&self, waiting: &[u8]) -> bool {
        const ALERT: u8 = 21;
        const APPLICATION_DATA: u8 = 23;
        /// An alert of two bytes, its type, the cipher's sum: what TLS 1.3 makes of an alert.
        const SHORTEST: usize = 2 + 1 + 16;
        let [kind, _, _, high, low, body @ ..] = waiting else { return false };
        let len = usize::from(u16::from_be_bytes([*high, *low]));
        let whole = body.len() == len && waiting.len() < PEEKED;
        whole
            && (*kind == ALERT || *kind == APPLICATION_DATA && len <= SHORTEST)
            && self.is_half_closed()
    }

    fn is_half_closed(&self) -> bool {
        let events = self.poll(PollFlags::RDHUP);
        events.intersects(PollFlags::RDHUP | PollFlags::HUP)
    }

    fn poll(&self, events: PollFlags) -> PollFlags {
        let socket = self.under.socket();
        let mut fds = [PollFd::from_borrowed_fd(socket, events)];
        match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
            Ok(_) => fds[0].revents(),
            Err(_) => PollFlags::empty(),
        }
    }
}

/// Bytes looked at to tell a goodbye from a command.
const PEEKED: usize = 64;

/// The transport below, as the library wants it.
struct Under<'a>(&'a dyn Transport);

impl Read for Under<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Under<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_vectored(&mut self, records: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.write_all_pieces(records)?;
        Ok(records.iter().map(|r| r.len()).sum())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Transport for Encrypted {
    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        let mut state = self.lock();
        loop {
            match state.reader().read(into) {
                Ok(n) => {
                    let left = self.ready.load(Ordering::Relaxed).saturating_sub(n);
                    self.ready.store(left, Ordering::Relaxed);
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                // The socket's end without a goodbye. Packets have lengths: a cut one is seen above.
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                Err(e) => return Err(e),
            }
            // At the end nothing is decrypted, and the reader says how it ended.
            state.read_tls(&mut Under(&*self.under))?;
            self.process(&mut state)?;
        }
    }

    fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        while !bytes.is_empty() {
            // As much as the layer holds at once, some records; they go out together.
            let taken = state.writer().write(bytes)?;
            bytes = &bytes[taken..];
            self.send(&mut state)?;
        }
        Ok(())
    }

    fn peek(&self, into: &mut [u8]) -> io::Result<usize> {
        self.under.peek(into)
    }

    fn has_buffered(&self) -> bool {
        self.ready.load(Ordering::Relaxed) > 0 || self.ended.load(Ordering::Relaxed)
    }

    fn socket(&self) -> BorrowedFd<'_> {
        self.under.socket()
    }

    fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.under.set_read_timeout(timeout)
    }

    fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.under.set_write_timeout(timeout)
    }

    fn shutdown_read(&self) {
        self.under.shutdown_read();
    }

    fn shutdown(&self) {
        self.under.shutdown();
    }

    fn is_hung_up(&self) -> bool {
        if self.ready.load(Ordering::Relaxed) > 0 {
            return false;
        }
        let mut waiting = [0; PEEKED];
        match self.under.peek(&mut waiting) {
            Ok(0) => true,
            Ok(n) => self.ended.load(Ordering::Relaxed) || self.is_goodbye(&waiting[..n]),
            Err(e) => match e.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => {
                    self.ended.load(Ordering::Relaxed)
                }
                _ => true,
            },
        }
    }

    fn origin(&self) -> Origin {
        self.under.origin()
    }

    fn is_secure(&self) -> bool {
        true
    }
}

impl Drop for Encrypted {
    /// Says goodbye, unless the client has left something unread: nobody waits for it here.
    fn drop(&mut self) {
        let writable = self.poll(PollFlags::OUT);
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if state.is_handshaking() || state.wants_write() || writable != PollFlags::OUT {
            return;
        }
        state.send_close_notify();
        // The connection ends either way.
        let _ = state.write_tls(&mut Under(&*self.under));
    }
}
