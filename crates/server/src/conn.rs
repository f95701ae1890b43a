//! A client's transport with packets on top: blocking reads and writes with timeouts.

use crate::transport::Transport;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_sql::account::Peer;
use weir_sql::status::{Stat, Status};
use weir_wire::constants::SALT_LEN;
use weir_wire::{FrameError, Framer, Writer};

/// Why no packet came.
#[derive(Debug)]
pub enum ReadError {
    /// The client closed the connection between packets, or somebody shut it down.
    Closed,
    /// In the middle of a packet, or a failure of the transport.
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

/// The transport, incoming packets, outgoing packets.
pub struct Conn {
    pub transport: Arc<dyn Transport>,
    pub peer: Peer,
    pub framer: Framer,
    pub out: Output,
    /// The challenge of the greeting.
    pub salt: [u8; SALT_LEN],
    read_timeout: Duration,
    /// When the login must be over, while there is one.
    deadline: Option<Instant>,
}

/// The sending half: what a result sink needs while the incoming packet is still borrowed.
pub struct Output {
    pub writer: Writer,
    transport: Arc<dyn Transport>,
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
        self.dead = self.transport.write_all(pending).is_err();
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

    /// Before the greeting: what the client understands is not known yet, and MySQL leaves the SQLSTATE out.
    pub fn error_before_greeting(&mut self, error: &weir_sql::session_api::SqlError) {
        self.packet(|out| {
            weir_wire::response::put_error_before_greeting(out, error.errno, &error.message);
        });
    }

    pub fn set_write_timeout(&mut self, timeout: Duration) {
        if self.write_timeout != timeout && self.transport.set_write_timeout(timeout).is_ok() {
            self.write_timeout = timeout;
        }
    }
}

impl Conn {
    pub fn new(transport: Arc<dyn Transport>, status: Arc<Status>, max_packet: usize) -> Conn {
        let out = Output {
            writer: Writer::new(),
            transport: transport.clone(),
            status,
            write_timeout: Duration::ZERO,
            dead: false,
        };
        let framer = Framer::new(max_packet);
        let peer = transport.origin().peer();
        Conn {
            transport,
            peer,
            framer,
            out,
            read_timeout: Duration::ZERO,
            deadline: None,
            salt: [0; SALT_LEN],
        }
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
        if self.read_timeout != timeout && self.transport.set_read_timeout(timeout).is_ok() {
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
            // A transport has no timeout of zero.
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
            match self.transport.read(self.framer.space()) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::testing::ReadsAhead;
    use std::io::Write;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    /// A connection over a transport that reads ahead, and its client.
    fn connection(piece: usize) -> (Conn, std::os::unix::net::UnixStream) {
        let (transport, client) = ReadsAhead::new(piece);
        (Conn::new(Arc::new(transport), Arc::default(), 1 << 20), client)
    }

    fn packet(body: &[u8]) -> Vec<u8> {
        [&(body.len() as u32).to_le_bytes()[..3], &[0], body].concat()
    }

    #[test]
    fn commands_that_came_together_are_served_one_by_one() {
        for piece in [1, 3, 1 << 20] {
            let (mut conn, mut client) = connection(piece);
            client.write_all(&[packet(b"first"), packet(b"second"), packet(b"")].concat()).unwrap();
            for command in [&b"first"[..], b"second", b""] {
                // The socket has nothing more to say from the second on.
                assert!(conn.wait_command(SOON, LONG).unwrap(), "{command:?} by {piece}");
                assert_eq!(conn.framer.packet(), command);
            }
            assert!(!conn.wait_command(SOON, LONG).unwrap(), "now it is idle");
            assert!(!conn.transport.has_buffered());
        }
    }

    #[test]
    fn a_packet_in_the_middle_ends_with_its_client() {
        let (mut conn, mut client) = connection(1);
        client.write_all(&packet(b"whole")[..6]).unwrap();
        drop(client);
        assert!(matches!(conn.wait_command(LONG, LONG), Err(ReadError::Broken)));
    }

    #[test]
    fn a_long_answer_goes_out_in_pieces() {
        let (mut conn, mut client) = connection(1000);
        let body = vec![7; 100_000];
        conn.out.packet(|buf| buf.extend_from_slice(&body));
        let got = std::thread::spawn(move || {
            let mut got = vec![0; 4 + 100_000];
            std::io::Read::read_exact(&mut client, &mut got).map(|()| got)
        });
        conn.out.flush().unwrap();
        assert!(got.join().unwrap().unwrap()[4..] == body);
    }
}
