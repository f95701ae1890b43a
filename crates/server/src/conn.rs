//! A client's transport with packets on top: blocking reads and writes with timeouts. A client that asks for encryption gets
//! another transport, over the first. Between the two lies the layer of the
//! compressed protocol once a client has asked for it and logged in.

use crate::deferred_ack::DeferredAck;
use crate::planted::{self, Bug};
use crate::transport::{Encrypted, Shake, Transport};
use crate::workers::Workers;
use rustls::ServerConfig;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_rt::instant;
use weir_sql::account::Peer;
use weir_sql::memory::{Held, SessionMemory};
use weir_sql::session_api::SqlError;
use weir_sql::status::{SessionCounts, Stat, Status};
use weir_sql::tls::TlsSession;
use weir_wire::compress::{Algorithm, PIECE, Packer, Unpacker};
use weir_wire::constants::SALT_LEN;
use weir_wire::{Capabilities, FrameError, Framer, Writer};

/// Why no packet came.
#[derive(Debug)]
pub enum ReadError {
    /// The client closed the connection between packets, or somebody shut it down.
    Closed,
    /// In the middle of a packet, or a failure of the transport.
    Broken,
    Timeout,
    Frame(FrameError),
    /// The packet would take more memory than the session, or the server, may have.
    Memory(SqlError),
}

/// Memory that an active connection keeps between commands.
const KEEP: usize = 16 * 1024;
/// The room of a packet from this size on is on the session's account.
const LARGE: usize = 64 * 1024;
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
    /// What the greeting offered.
    pub offered: Capabilities,
    /// How it is encrypted.
    pub tls: Option<Arc<TlsSession>>,
    /// `None`: bytes come as they are. The other half is [`Output`]'s.
    unpacker: Option<Box<Unpacker>>,
    read_timeout: Duration,
    /// When the login must be over, while there is one.
    deadline: Option<Instant>,
    /// Of the session, from the login on, and what a long packet has of it while it comes.
    account: Option<Arc<SessionMemory>>,
    held: Held,
}

/// The sending half: what a result sink needs while the incoming packet is still borrowed.
pub struct Output {
    pub writer: Writer,
    transport: Arc<dyn Transport>,
    traffic: Traffic,
    /// `None`: bytes go as they are.
    packer: Option<Box<Packer>>,
    write_timeout: Duration,
    /// A write failed: nothing more is sent.
    pub dead: bool,
}

/// Who counts the bytes of a connection.
struct Traffic {
    server: Arc<Status>,
    /// From the login on.
    session: Option<SessionCounts>,
}

impl Traffic {
    fn count(&self, stat: Stat, bytes: usize) {
        match &self.session {
            Some(counts) => counts.add(stat, bytes as u64),
            None => self.server.add(stat, bytes as u64),
        }
    }
}

impl Output {
    /// Sends what is gathered.
    pub fn flush(&mut self) -> Result<(), ()> {
        let pending = self.writer.pending();
        if self.dead || pending.is_empty() {
            return if self.dead { Err(()) } else { Ok(()) };
        }
        self.dead = match &mut self.packer {
            None => {
                self.traffic.count(Stat::Bytes_sent, pending.len());
                self.transport.write_all(pending).is_err()
            }
            Some(packer) => {
                let failed = pending.chunks(PIECE).any(|piece| {
                    let packed = packer.pack(piece);
                    self.traffic.count(Stat::Bytes_sent, packed.len());
                    self.transport.write_all(packed).is_err()
                });
                packer.sent();
                failed
            }
        };
        self.writer.sent(2 * KEEP);
        if self.dead { Err(()) } else { Ok(()) }
    }

    /// Gives what is gathered to be sent by somebody else; it is sent here if that one does not take it.
    pub fn leave(&mut self, taken: impl FnOnce(&[u8]) -> bool) -> bool {
        let pending = self.writer.pending();
        if self.dead || pending.is_empty() || !taken(pending) {
            return false;
        }
        self.traffic.count(Stat::Bytes_sent, pending.len());
        self.writer.sent(2 * KEEP);
        true
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
        self.error_told(error, error.message.as_bytes());
    }

    /// The same with its text in the client's character set.
    pub fn error_told(&mut self, error: &weir_sql::session_api::SqlError, text: &[u8]) {
        self.packet(|out| {
            weir_wire::response::put_error(out, error.errno, &error.sqlstate, text);
        });
    }

    /// Before the greeting: what the client understands is not known yet, and MySQL leaves the SQLSTATE out.
    pub fn error_before_greeting(&mut self, error: &weir_sql::session_api::SqlError) {
        self.packet(|out| {
            weir_wire::response::put_error_before_greeting(
                out,
                error.errno,
                error.message.as_bytes(),
            );
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
            traffic: Traffic { server: status, session: None },
            packer: None,
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
            account: None,
            held: Held::default(),
            salt: [0; SALT_LEN],
            offered: Capabilities::OFFERED,
            tls: None,
            unpacker: None,
        }
    }

    /// From here to [`Conn::end_login`] packets are small, and all reads together may take `limit`: a client that sends a byte
    /// now and then holds its connection no longer than one that is silent.
    pub fn begin_login(&mut self, limit: Duration) {
        self.set_max_packet(LOGIN_PACKET);
        self.deadline = Some(instant() + limit);
    }

    pub fn end_login(&mut self, max_packet: usize) {
        self.set_max_packet(max_packet);
        self.deadline = None;
    }

    /// Packets that come are on this account from now on, and bytes are counted by the session.
    pub fn serves(&mut self, account: Arc<SessionMemory>, counts: SessionCounts) {
        self.account = Some(account);
        self.out.traffic.session = Some(counts);
    }

    /// Charges the room of a packet that is not whole yet. A short one is of no account, and one that is more than the session alone may
    /// have is taken in: its statement is refused, and the session goes on.
    fn hold_room(&mut self) -> Result<(), ReadError> {
        let room = self.framer.room();
        let bytes = if room > LARGE { room } else { 0 };
        if bytes == self.held.bytes() {
            return Ok(());
        }
        match self.held.set(self.account.as_ref(), bytes) {
            Err(over) if over.is_of_all() => Err(ReadError::Memory(over.into())),
            _ => Ok(()),
        }
    }

    fn set_max_packet(&mut self, bytes: usize) {
        self.framer.set_max_packet(bytes);
        if let Some(u) = &mut self.unpacker {
            u.set_max_packet(bytes);
        }
    }

    /// Shakes hands, until the login's deadline; from here on all bytes are encrypted. What came behind the request is the client's part
    /// of it already, so nothing that was sent in clear is ever taken for a packet.
    pub fn encrypt(&mut self, config: Arc<ServerConfig>) -> Result<Arc<Encrypted>, ReadError> {
        let layer =
            Encrypted::new(self.transport.clone(), config).map_err(|_| ReadError::Broken)?;
        let mut early = self.framer.take_buffered();
        loop {
            let left = self.left(Duration::MAX);
            if left.is_zero() {
                return Err(ReadError::Timeout);
            }
            // What is taken in is answered at once.
            self.set_read_timeout(left);
            self.out.set_write_timeout(left);
            let shaken = match early.is_empty() {
                true => layer.shake(),
                false => layer.feed(&std::mem::take(&mut early)),
            };
            match shaken {
                Ok(Shake::Done) => break,
                Ok(Shake::Goes) => {}
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(lost(&e)),
            }
        }
        let layer = Arc::new(layer);
        self.transport = layer.clone();
        self.out.transport = layer.clone();
        Ok(layer)
    }

    /// Of `timeout`, what the login's deadline leaves.
    fn left(&self, timeout: Duration) -> Duration {
        match self.deadline {
            Some(at) => timeout.min(at.saturating_duration_since(instant())),
            None => timeout,
        }
    }

    /// From here on all bytes are compressed, also those that came already.
    pub fn compress(&mut self, algorithm: Algorithm, max_packet: usize) {
        let (mut unpacker, packer) = algorithm.layer(max_packet);
        unpacker.take_over(&self.framer.take_buffered());
        self.framer.adopt_sequence();
        self.unpacker = Some(Box::new(unpacker));
        self.out.packer = Some(Box::new(packer));
    }

    /// Somebody else may send what is gathered: it goes as it is.
    pub fn aside(&self, workers: &Arc<Workers>) -> Option<Arc<DeferredAck>> {
        let plain = self.out.packer.is_none();
        plain.then(|| DeferredAck::of(&self.transport, workers)).flatten()
    }

    pub fn compression(&self) -> Option<Algorithm> {
        self.out.packer.as_ref().map(|p| p.algorithm())
    }

    /// Whether bytes came that are not part of a packet handed out.
    fn has_buffered(&self) -> bool {
        self.framer.has_buffered() || self.unpacker.as_ref().is_some_and(|u| u.has_buffered())
    }

    /// Whether a read has something to give for which the socket need not be asked.
    pub fn has_something(&self) -> bool {
        self.has_buffered() || self.transport.has_buffered()
    }

    fn set_read_timeout(&mut self, timeout: Duration) {
        if self.read_timeout != timeout && self.transport.set_read_timeout(timeout).is_ok() {
            self.read_timeout = timeout;
        }
    }

    /// Waits for the first packet of a command. False: nothing came within `idle`. What has begun may take `rest` from one byte to the
    /// next, also when the transport has nothing of it to give yet.
    pub fn wait_command(&mut self, idle: Duration, rest: Duration) -> Result<bool, ReadError> {
        self.framer.begin_command();
        self.framer.shrink(2 * KEEP);
        // Less than it was, if anything.
        let _ = self.hold_room();
        if let Some(u) = &mut self.unpacker
            && !self.framer.has_buffered()
        {
            u.begin_command();
        }
        if planted::is(Bug::BufferedSleepsOn)
            && self.has_buffered()
            && self.transport.peek(&mut [0]).is_err()
        {
            return Ok(false);
        }
        let (mut until, mut left) = (None, idle);
        while !self.has_buffered() && !self.transport.is_cut() {
            if left.is_zero() {
                return Ok(false);
            }
            self.set_read_timeout(left);
            match self.fill() {
                Err(ReadError::Timeout) => return Ok(false),
                Err(e) => return Err(e),
                Ok(true) => break,
                Ok(false) => left = remaining(&mut until, idle),
            }
        }
        self.wait_packet(rest)?;
        Ok(true)
    }

    /// Gives memory back before a long wait.
    pub fn shrink(&mut self) {
        self.framer.shrink(0);
        let _ = self.hold_room();
        self.out.writer.sent(0);
        if let (Some(u), Some(p)) = (&mut self.unpacker, &mut self.out.packer) {
            u.shrink();
            p.shrink();
        }
    }

    /// Reads until a whole packet is there; [`Conn::packet`] then has it. Of the packet there may be `timeout` between one byte and the
    /// next: bytes below that make none of it do not count.
    pub fn wait_packet(&mut self, timeout: Duration) -> Result<(), ReadError> {
        // The timeout itself while all goes well: the transport has it already.
        let (mut until, mut wait) = (None, timeout);
        loop {
            if self.framer.poll_packet().map_err(ReadError::Frame)? {
                return Ok(());
            }
            let left = self.left(wait);
            // A transport has no timeout of zero.
            if left.is_zero() {
                return Err(ReadError::Timeout);
            }
            self.set_read_timeout(left);
            let came = self.fill().map_err(|error| match error {
                ReadError::Closed if self.has_buffered() => ReadError::Broken,
                other => other,
            })?;
            self.hold_room()?;
            if came {
                (until, wait) = (None, timeout);
            } else {
                wait = remaining(&mut until, timeout);
            }
        }
    }

    /// A packet of the login's dialogue, copied out.
    pub fn read_packet(&mut self) -> Result<Vec<u8>, ReadError> {
        self.wait_packet(Duration::MAX)?;
        let packet = self.framer.packet().to_vec();
        self.out.writer.set_sequence(self.framer.sequence());
        Ok(packet)
    }

    /// Waits before an answer. Anyone who hangs up, or speaks out of turn, does not wait to the end, and neither does a
    /// connection that is killed.
    pub fn hold_back(&mut self, delay: Duration) -> Result<(), ReadError> {
        let until = instant() + delay;
        loop {
            let left = until.saturating_duration_since(instant());
            if left.is_zero() {
                return Ok(());
            }
            self.set_read_timeout(left);
            match self.fill() {
                Err(ReadError::Timeout) | Ok(false) => {}
                Err(e) => return Err(e),
                Ok(true) => return Err(ReadError::Broken),
            }
        }
    }

    /// Sends what is gathered in the middle of a dialogue: the client counts on from it.
    pub fn send(&mut self) -> Result<(), ReadError> {
        let sent = self.out.flush();
        self.framer.set_sequence(self.out.writer.sequence());
        sent.map_err(|()| ReadError::Broken)
    }

    /// Takes in what there is, after one read of the transport at most. False: nothing came that is part of a packet.
    fn fill(&mut self) -> Result<bool, ReadError> {
        let Some(unpacker) = &mut self.unpacker else {
            let Some(n) = read(&*self.transport, self.framer.space())? else { return Ok(false) };
            self.framer.filled(n);
            self.out.traffic.count(Stat::Bytes_received, n);
            return Ok(true);
        };
        let mut n = unpacker.unpack(self.framer.space()).map_err(ReadError::Frame)?;
        if n == 0 {
            let Some(came) = read(&*self.transport, unpacker.space())? else { return Ok(false) };
            unpacker.filled(came);
            self.out.traffic.count(Stat::Bytes_received, came);
            n = unpacker.unpack(self.framer.space()).map_err(ReadError::Frame)?;
        }
        self.framer.filled(n);
        Ok(true)
    }
}

/// What is left of a wait that was interrupted. Most never are and read no clock for their deadline: it is counted from the first
/// interruption on. One of no end has none.
fn remaining(until: &mut Option<Instant>, timeout: Duration) -> Duration {
    let now = instant();
    match until {
        Some(at) => at.saturating_duration_since(now),
        None => {
            *until = now.checked_add(timeout);
            timeout
        }
    }
}

/// One read. `None`: it gave nothing, and the deadline is to be looked at.
fn read(transport: &dyn Transport, into: &mut [u8]) -> Result<Option<usize>, ReadError> {
    match transport.read(into) {
        Ok(0) => Err(ReadError::Closed),
        Ok(n) => Ok(Some(n)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        Err(error) => Err(lost(&error)),
    }
}

fn lost(error: &io::Error) -> ReadError {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => ReadError::Timeout,
        io::ErrorKind::UnexpectedEof => ReadError::Closed,
        _ => ReadError::Broken,
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
