//! What is under a connection: bytes in both directions between the server and one client.
//!
//! May use: the operating system. Knows no packets, no logins and no sessions.
//!
//! A transport may have read more from its socket than it was asked for: a layer of encryption takes whole records and decrypts them. Such
//! bytes make no socket readable. So there is something to read when bytes are buffered *or* the socket is readable, and anyone who
//! watches sockets (`parking`) asks the transport first.
//!
//! Invariants: only the owner of a connection reads or writes, except for answers that it has left to be sent ([`crate::aside`]), while which it
//! writes nothing; others may shut it down and ask whether the client hung up. A read gives
//! buffered bytes at once, whatever its timeout.

mod encrypted;
mod records;
mod socket;
#[cfg(test)]
pub mod testing;

pub use encrypted::{Encrypted, Shake};
pub use socket::Socket;

use std::fmt::Debug;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::task::{Context, Poll};
use std::time::Duration;
use weir_sql::account::Peer;

pub trait Transport: Debug + Send + Sync {
    /// Waits for at least one byte, at most for the read timeout; 0: the end of the stream. `Interrupted`: there is nothing to give, and a
    /// client that sends piece by piece must not move its own deadline, so the caller looks at the time.
    fn read(&self, into: &mut [u8]) -> io::Result<usize>;

    /// Something came that is too little to be read: what the client says has begun.
    fn is_cut(&self) -> bool {
        false
    }

    /// Sends all of it; a client that takes nothing for the write timeout is an error.
    fn write_all(&self, bytes: &[u8]) -> io::Result<()>;

    /// Whether another thread may send, with [`Transport::write_now`], while the owner waits in a read.
    fn sends_aside(&self) -> bool {
        false
    }

    /// Sends what can be sent without waiting, and gives its length.
    fn write_now(&self, _bytes: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Sends all of several pieces, in order.
    fn write_all_pieces(&self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        pieces.iter().try_for_each(|piece| self.write_all(piece))
    }

    /// Copies bytes that the socket has received and nobody has read, and leaves them there. Does not wait; 0: the end of the stream.
    fn peek(&self, into: &mut [u8]) -> io::Result<usize>;

    /// Whether a read has something to give for which it need not ask the socket.
    fn has_buffered(&self) -> bool;

    /// What is to be watched while nothing is buffered.
    fn watched(&self) -> Watched<'_>;

    fn set_read_timeout(&self, timeout: Duration) -> io::Result<()>;

    fn set_write_timeout(&self, timeout: Duration) -> io::Result<()>;

    /// Stops reading: the owner's read returns end of stream. Writing still works, so that a last error can be sent.
    fn shutdown_read(&self);

    /// Ends both directions: the owner's read and write fail, even one that waits for the client.
    fn shutdown(&self);

    /// Has the client closed its side, with nothing left to read? Does not wait.
    fn is_hung_up(&self) -> bool;

    fn origin(&self) -> Origin;

    /// Nobody else can read what passes: a password may be sent as it is.
    fn is_secure(&self) -> bool;
}

/// What tells that there is something to read, or the end of the stream.
pub enum Watched<'t> {
    Socket(BorrowedFd<'t>),
    /// One end of a simulated network.
    Simulated(&'t dyn Readable),
}

/// The end of a simulated network.
pub trait Readable {
    /// Ready when a read would not wait. The waker is woken when that may have changed.
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()>;
}

/// Where the other end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This machine's unix socket.
    Local,
    Address(SocketAddr),
}

impl Origin {
    /// As accounts know it.
    pub fn peer(self) -> Peer {
        match self {
            Origin::Local => Peer::Local,
            Origin::Address(a) => Peer::Ip(a.ip()),
        }
    }

    /// As the process list shows it.
    pub fn text(self) -> String {
        match self {
            Origin::Local => "localhost".to_string(),
            Origin::Address(a) => a.to_string(),
        }
    }
}
