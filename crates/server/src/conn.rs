//! A client's socket with packets on top: blocking reads and writes with timeouts.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_sql::account::Peer;
use weir_sql::status::{Stat, Status};
use weir_wire::{FrameError, Framer, Writer};

/// TCP or unix socket.
#[derive(Debug)]
pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    /// Stops reading: the owner's read returns end of stream. Writing still works, so that a last
    /// error can be sent.
    pub fn shutdown_read(&self) {
        // It fails when the client has gone already, which is what is wanted.
        let _ = match self {
            Stream::Tcp(s) => s.shutdown(Shutdown::Read),
            Stream::Unix(s) => s.shutdown(Shutdown::Read),
        };
    }

    /// Ends both directions: the owner's read and write fail, even one that waits for the client.
    pub fn shutdown(&self) {
        // It fails when the client has gone already, which is what is wanted.
        let _ = match self {
            Stream::Tcp(s) => s.shutdown(Shutdown::Both),
            Stream::Unix(s) => s.shutdown(Shutdown::Both),
        };
    }

    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(s) => (&*s).read(into),
            Stream::Unix(s) => (&*s).read(into),
        }
    }

    /// Sends all of it; a client that takes nothing for the write timeout is an error.
    pub fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Tcp(s) => (&*s).write_all(bytes),
            Stream::Unix(s) => (&*s).write_all(bytes),
        }
    }

    pub fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            Stream::Tcp(s) => s.set_read_timeout(Some(timeout)),
            Stream::Unix(s) => s.set_read_timeout(Some(timeout)),
        }
    }

    pub fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            Stream::Tcp(s) => s.set_write_timeout(Some(timeout)),
            Stream::Unix(s) => s.set_write_timeout(Some(timeout)),
        }
    }

    /// Has the client closed its side, with nothing left to read? Does not wait.
    pub fn is_hung_up(&self) -> bool {
        use rustix::net::{RecvFlags, recv};
        let mut byte = [0u8; 1];
        match recv(self.as_fd(), &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT) {
            Ok((_, n)) => n == 0,
            Err(error) => error != rustix::io::Errno::AGAIN && error != rustix::io::Errno::INTR,
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Tcp(s) => s.as_fd(),
            Stream::Unix(s) => s.as_fd(),
        }
    }
}

/// Why no packet came.
#[derive(Debug)]
pub enum ReadError {
    /// The client closed the connection between packets, or somebody shut it down.
    Closed,
    /// In the middle of a packet, or a failure of the socket.
    Broken,
    Timeout,
    Frame(FrameError),
}

/// Memory that an active connection keeps between commands.
const KEEP: usize = 16 * 1024;
/// Longest packet of a client that has not logged in: 64 KiB of connection attributes, which is what clients send at most, and
/// its names. What a stranger can make the server hold is twice this for each connection.
pub const LOGIN_PACKET: usize = 72 * 1024;
/// Answers are sent when more than this is gathered.
pub const FLUSH_AT: usize = 16 * 1024;

/// The socket, incoming packets, outgoing packets.
pub struct Conn {
    pub stream: Arc<Stream>,
    pub peer: Peer,
    pub framer: Framer,
    pub out: Output,
    read_timeout: Duration,
    /// When the login must be over, while there is one.
    deadline: Option<Instant>,
}

/// The sending half: what a result sink needs while the incoming packet is still borrowed.
pub struct Output {
    pub writer: Writer,
    stream: Arc<Stream>,
    status: Arc<Status>,
    write_timeout: Duration,
    /// A write failed: nothing more is sent.
    pub dead: bool,
}

impl Output {
    /// Sends what is gathered.
    pub fn flush(&mut self) -> Result<(), ()> {
        let pending = self.writer.pending();
        if self.dead || pending.is_empty() {
            return if self.dead { Err(()) } else { Ok(()) };
        }
        self.status.add(Stat::Bytes_sent, pending.len() as u64);
        self.dead = self.stream.write_all(pending).is_err();
        self.writer.sent(2 * KEEP);
        if self.dead { Err(()) } else { Ok(()) }
    }

    /// Appends one packet.
    pub fn packet(&mut self, encode: impl FnOnce(&mut Vec<u8>)) {
        encode(self.writer.begin());
        self.writer.end();
    }

    pub fn flush_if_full(&mut self) -> Result<(), ()> {
        if self.writer.pending().len() > FLUSH_AT { self.flush() } else { Ok(()) }
    }

    pub fn error(&mut self, error: &weir_sql::session_api::SqlError) {
        self.packet(|out| {
            weir_wire::response::put_error(out, error.errno, &error.sqlstate, &error.message);
        });
    }

    pub fn set_write_timeout(&mut self, timeout: Duration) {
        if self.write_timeout != timeout && self.stream.set_write_timeout(timeout).is_ok() {
            self.write_timeout = timeout;
        }
    }
}

impl Conn {
    pub fn new(stream: Arc<Stream>, peer: Peer, status: Arc<Status>, max_packet: usize) -> Conn {
        let out = Output {
            writer: Writer::new(),
            stream: stream.clone(),
            status,
            write_timeout: Duration::ZERO,
            dead: false,
        };
        let framer = Framer::new(max_packet);
        Conn { stream, peer, framer, out, read_timeout: Duration::ZERO, deadline: None }
    }

    /// From here to [`Conn::end_login`] packets are small, and all reads together may take `limit`: a client that sends a byte
    /// now and then holds its connection no longer than one that is silent.
    pub fn begin_login(&mut self, limit: Duration) {
        self.framer.set_max_packet(LOGIN_PACKET);
        self.deadline = Some(Instant::now() + limit);
    }

    pub fn end_login(&mut self, max_packet: usize) {
        self.framer.set_max_packet(max_packet);
        self.deadline = None;
    }

    fn set_read_timeout(&mut self, timeout: Duration) {
        if self.read_timeout != timeout && self.stream.set_read_timeout(timeout).is_ok() {
            self.read_timeout = timeout;
        }
    }

    /// Waits for the first packet of a command. False: nothing came within `idle`.
    pub fn wait_command(&mut self, idle: Duration, rest: Duration) -> Result<bool, ReadError> {
        self.framer.begin_command();
        self.framer.shrink(2 * KEEP);
        if !self.framer.has_buffered() {
            self.set_read_timeout(idle);
            match self.fill() {
                Err(ReadError::Timeout) => return Ok(false),
                other => other?,
            }
        }
        self.wait_packet(rest)?;
        Ok(true)
    }

    /// Gives memory back before a long wait.
    pub fn shrink(&mut self) {
        self.framer.shrink(0);
        self.out.writer.sent(0);
    }

    /// Reads until a whole packet is there; [`Conn::packet`] then has it.
    pub fn wait_packet(&mut self, timeout: Duration) -> Result<(), ReadError> {
        loop {
            if self.framer.poll_packet().map_err(ReadError::Frame)? {
                return Ok(());
            }
            let left = match self.deadline {
                Some(at) => timeout.min(at.saturating_duration_since(Instant::now())),
                None => timeout,
            };
            // A socket has no timeout of zero.
            if left.is_zero() {
                return Err(ReadError::Timeout);
            }
            self.set_read_timeout(left);
            self.fill().map_err(|error| match error {
                ReadError::Closed if self.framer.has_buffered() => ReadError::Broken,
                other => other,
            })?;
        }
    }

    /// A packet of the login's dialogue, copied out.
    pub fn read_packet(&mut self) -> Result<Vec<u8>, ReadError> {
        self.wait_packet(Duration::MAX)?;
        let packet = self.framer.packet().to_vec();
        self.out.writer.set_sequence(self.framer.sequence());
        Ok(packet)
    }

    /// Waits before an answer. Whoever hangs up, or speaks out of turn, does not wait to the end, and neither does a
    /// connection that is killed.
    pub fn hold_back(&mut self, delay: Duration) -> Result<(), ReadError> {
        let until = Instant::now() + delay;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.set_read_timeout(left);
            match self.fill() {
                Err(ReadError::Timeout) => {}
                Err(e) => return Err(e),
                Ok(()) => return Err(ReadError::Broken),
            }
        }
    }

    /// Sends what is gathered in the middle of a dialogue: the client counts on from it.
    pub fn send(&mut self) -> Result<(), ReadError> {
        let sent = self.out.flush();
        self.framer.set_sequence(self.out.writer.sequence());
        sent.map_err(|()| ReadError::Broken)
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        loop {
            match self.stream.read(self.framer.space()) {
                Ok(0) => return Err(ReadError::Closed),
                Ok(n) => {
                    self.framer.filled(n);
                    self.out.status.add(Stat::Bytes_received, n as u64);
                    return Ok(());
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                        return Err(ReadError::Timeout);
                    }
                    _ => return Err(ReadError::Broken),
                },
            }
        }
    }
}
