//! TLS over another transport.
//!
//! Invariants: only the owner takes the lock of the connection's state, so it is never waited for, and a read or a write that waits for
//! the client holds up nobody. Anyone who shuts the transport down, or looks whether the client hung up, goes past it to the socket.
//!
//! A read asks the transport below once at most: bytes that are no plaintext yet are `Interrupted`, so that anyone who keeps a deadline looks at
//! it. What the library does not encrypt any more is an error of the write: it says that it took the bytes, and puts a goodbye in
//! their place.

use super::records::Records;
use super::{Origin, Transport, Watched};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustls::{ServerConfig, ServerConnection};
use std::io::{self, IoSlice, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub struct Encrypted {
    under: Arc<dyn Transport>,
    state: Mutex<State>,
    /// The client's last record has not come to its end.
    cut: AtomicBool,
    /// Bytes decrypted and not yet read.
    ready: AtomicUsize,
    /// The client has said that it will say no more.
    ended: AtomicBool,
    /// Something came that is no part of the protocol: nothing is read behind it.
    broken: AtomicBool,
}

/// The library's connection, and the records that have passed.
struct State {
    tls: ServerConnection,
    came: Records,
    went: Records,
    /// The library took bytes and sent a goodbye or nothing: its key has encrypted all that it may.
    spent: bool,
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
        let tls = ServerConnection::new(config).map_err(invalid)?;
        let state = State { tls, came: Records::default(), went: Records::default(), spent: false };
        Ok(Encrypted {
            under,
            state: Mutex::new(state),
            cut: AtomicBool::new(false),
            ready: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            broken: AtomicBool::new(false),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what was read from the socket before the layer was there.
    pub fn feed(&self, mut early: &[u8]) -> io::Result<Shake> {
        let mut state = self.lock();
        while !early.is_empty() {
            let State { tls, came, .. } = &mut *state;
            let taken = tls.read_tls(&mut Passing { under: &mut early, records: came })?;
            if taken == 0 {
                break;
            }
            self.process(&mut state)?;
        }
        Ok(if state.tls.is_handshaking() { Shake::Goes } else { Shake::Done })
    }

    /// One read of the handshake, and what is to be answered to it.
    pub fn shake(&self) -> io::Result<Shake> {
        let mut state = self.lock();
        if !state.tls.is_handshaking() {
            return Ok(Shake::Done);
        }
        if self.take(&mut state)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.process(&mut state)?;
        Ok(if state.tls.is_handshaking() { Shake::Goes } else { Shake::Done })
    }

    /// What both sides agreed on.
    pub fn agreed<T>(&self, look: impl FnOnce(&ServerConnection) -> T) -> T {
        look(&self.lock().tls)
    }

    /// One read of the transport below.
    fn take(&self, state: &mut State) -> io::Result<usize> {
        let State { tls, came, .. } = state;
        tls.read_tls(&mut Passing { under: &mut Under(&*self.under), records: came })
    }

    /// Decrypts the records that are whole, and sends what they ask for: the handshake's part, or why there is an end.
    fn process(&self, state: &mut State) -> io::Result<()> {
        self.cut.store(state.came.is_cut(), Ordering::Relaxed);
        let outcome = state.tls.process_new_packets();
        let sent = self.send(state);
        let came = outcome.map_err(|e| {
            self.broken.store(true, Ordering::Relaxed);
            invalid(e)
        })?;
        self.ready.store(came.plaintext_bytes_to_read(), Ordering::Relaxed);
        self.ended.store(came.peer_has_closed(), Ordering::Relaxed);
        // Not to be taken for a client that is merely silent.
        sent.map_err(|e| io::Error::new(io::ErrorKind::BrokenPipe, e))
    }

    fn send(&self, state: &mut State) -> io::Result<()> {
        let State { tls, went, .. } = state;
        while tls.wants_write() {
            tls.write_tls(&mut Passing { under: &mut Under(&*self.under), records: went })?;
        }
        Ok(())
    }

    /// Decrypted bytes, or the end. `None`: there is nothing to give yet.
    fn give(&self, state: &mut State, into: &mut [u8]) -> Option<io::Result<usize>> {
        match state.tls.reader().read(into) {
            Ok(n) => {
                let left = self.ready.load(Ordering::Relaxed).saturating_sub(n);
                self.ready.store(left, Ordering::Relaxed);
                Some(Ok(n))
            }
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => None,
            // The socket's end without a goodbye. Packets have lengths: a cut one is seen above.
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Some(Ok(0)),
            Err(e) => Some(Err(e)),
        }
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
        // A simulated network tells of its end by the end of the stream.
        let Watched::Socket(socket) = self.under.watched() else { return PollFlags::empty() };
        let mut fds = [PollFd::from_borrowed_fd(socket, events)];
        match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
            Ok(_) => fds[0].revents(),
            Err(_) => PollFlags::empty(),
        }
    }
}

/// Bytes looked at to tell a goodbye from a command.
const PEEKED: usize = 64;

/// Counts the records of what the library reads or writes.
struct Passing<'a, T> {
    under: &'a mut T,
    records: &'a mut Records,
}

impl<T: Read> Read for Passing<'_, T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.under.read(into)?;
        self.records.pass(&into[..n]);
        Ok(n)
    }
}

impl<T: Write> Write for Passing<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.under.write(bytes)?;
        self.records.pass(&bytes[..n]);
        Ok(n)
    }

    /// All of them go, or none counts.
    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        let n = self.under.write_vectored(pieces)?;
        pieces.iter().for_each(|piece| self.records.pass(piece));
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.under.flush()
    }
}

/// The transport below, as the library wants it: what is written is written whole.
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
        if let Some(outcome) = self.give(&mut state, into) {
            return outcome;
        }
        if self.broken.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // At the end nothing is decrypted, and the reader says how it ended.
        self.take(&mut state)?;
        self.process(&mut state)?;
        self.give(&mut state, into).unwrap_or_else(|| Err(io::ErrorKind::Interrupted.into()))
    }

    fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        while !bytes.is_empty() && !state.spent {
            let (data, alerts) = (state.went.data, state.went.alerts);
            // As much as the layer holds at once, some records; they go out together.
            let taken = state.tls.writer().write(bytes)?;
            bytes = &bytes[taken..];
            self.send(&mut state)?;
            state.spent = state.went.data == data || state.went.alerts > alerts;
        }
        match state.spent {
            true => Err(io::Error::new(io::ErrorKind::BrokenPipe, "the keys are used up")),
            false => Ok(()),
        }
    }

    fn peek(&self, into: &mut [u8]) -> io::Result<usize> {
        self.under.peek(into)
    }

    fn has_buffered(&self) -> bool {
        self.ready.load(Ordering::Relaxed) > 0 || self.ended.load(Ordering::Relaxed)
    }

    fn watched(&self) -> Watched<'_> {
        self.under.watched()
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
        let tls = &mut state.tls;
        if tls.is_handshaking() || tls.wants_write() || writable != PollFlags::OUT {
            return;
        }
        tls.send_close_notify();
        // The connection ends either way.
        let _ = tls.write_tls(&mut Under(&*self.under));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::suites;
    use crate::transport::Socket;
    use crate::transport::testing::ReadsAhead;
    use rustls::crypto::CryptoProvider;
    use rustls::crypto::aws_lc_rs::default_provider;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
    use rustls::version::{TLS12, TLS13};
    use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
    use rustls::{ServerConfig, SupportedProtocolVersion};
    use std::os::unix::net::UnixStream;

    type Client = StreamOwned<ClientConnection, UnixStream>;

    const SOON: Duration = Duration::from_millis(20);

    fn configs(
        version: &'static SupportedProtocolVersion,
        provider: Arc<CryptoProvider>,
    ) -> (Arc<ServerConfig>, Arc<ClientConfig>) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let der: CertificateDer<'static> = made.cert.der().clone();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[version])
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![der.clone()], key)
            .unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(der).unwrap();
        let client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        (Arc::new(server), Arc::new(client))
    }

    /// Both ends behind the handshake. `piece`: bytes that the transport below gives and sends at once; none: a socket as it is.
    fn pair(
        version: &'static SupportedProtocolVersion,
        piece: Option<usize>,
    ) -> (Encrypted, Client) {
        pair_by(version, piece, Arc::new(default_provider()))
    }

    fn pair_by(
        version: &'static SupportedProtocolVersion,
        piece: Option<usize>,
        provider: Arc<CryptoProvider>,
    ) -> (Encrypted, Client) {
        let (server, client) = configs(version, provider);
        let (under, socket): (Arc<dyn Transport>, UnixStream) = match piece {
            Some(piece) => {
                let (under, socket) = ReadsAhead::new(piece);
                (Arc::new(under), socket)
            }
            None => {
                let (a, b) = UnixStream::pair().unwrap();
                (Arc::new(Socket::unix(a)), b)
            }
        };
        let layer = Encrypted::new(under, server).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let client = StreamOwned::new(ClientConnection::new(client, name).unwrap(), socket);
        let other = std::thread::spawn(move || {
            let mut client: Client = client;
            client.conn.complete_io(&mut client.sock).unwrap();
            client
        });
        while layer.shake().unwrap() == Shake::Goes {}
        (layer, other.join().unwrap())
    }

    /// Reads as anyone who keeps a deadline does.
    fn read(layer: &Encrypted, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match layer.read(into) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    #[test]
    fn a_cut_record_is_no_plaintext_and_no_silence() {
        for version in [&TLS12, &TLS13] {
            let (layer, mut client) = pair(version, None);
            layer.set_read_timeout(SOON).unwrap();
            client.conn.writer().write_all(b"whole").unwrap();
            let mut record = Vec::new();
            client.conn.write_tls(&mut record).unwrap();
            assert!(!layer.is_cut());
            let (last, first) = record.split_last().unwrap();
            for byte in first {
                client.sock.write_all(&[*byte]).unwrap();
                let kind = layer.read(&mut [0; 8]).unwrap_err().kind();
                assert_eq!(kind, io::ErrorKind::Interrupted);
                assert!(layer.is_cut() && !layer.has_buffered());
            }
            let kind = layer.read(&mut [0; 8]).unwrap_err().kind();
            assert!(matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut), "{kind}");
            client.sock.write_all(&[*last]).unwrap();
            assert_eq!(layer.read(&mut [0; 8]).unwrap(), 5);
            assert!(!layer.is_cut());
        }
    }

    /// TLS 1.3 renews its key; TLS 1.2 cannot, and nothing is said to have been sent that was not.
    #[test]
    fn a_key_that_is_used_up_is_an_error_and_no_silence() {
        let mut provider = default_provider();
        let limited: &'static [_] = suites::with_limit(&provider, 8).leak();
        suites::replace(&mut provider, limited);
        let (layer, mut client) = pair_by(&TLS12, None, Arc::new(provider));
        let mut sent = 0;
        while layer.write_all(b"answer").is_ok() {
            sent += 6;
            assert!(sent < 100, "there is no end");
        }
        assert!(layer.write_all(b"answer").is_err(), "and none afterwards");
        drop(layer);
        let mut got = Vec::new();
        client.read_to_end(&mut got).unwrap();
        assert!(sent > 0 && got.len() == sent, "{} of {sent}", got.len());
    }

    #[test]
    fn bytes_pass_whatever_the_pieces_below() {
        for version in [&TLS12, &TLS13] {
            for piece in [None, Some(1), Some(7), Some(20_000)] {
                let (layer, mut client) = pair(version, piece);
                client.write_all(b"hello").unwrap();
                let mut buf = [0; 3];
                assert_eq!(read(&layer, &mut buf).unwrap(), 3);
                assert!(layer.has_buffered() && !layer.is_hung_up());
                assert_eq!(read(&layer, &mut buf).unwrap(), 2);
                assert!(!layer.has_buffered() && layer.is_secure());
                let body: Vec<u8> = (0..200_001u32).map(|n| (n % 251) as u8).collect();
                let got = std::thread::scope(|t| {
                    let reader = t.spawn(|| {
                        let mut got = vec![0; body.len()];
                        client.read_exact(&mut got).unwrap();
                        got
                    });
                    layer.write_all(&body).unwrap();
                    reader.join().unwrap()
                });
                assert!(got == body, "{piece:?}");
            }
        }
    }

    #[test]
    fn silence_is_a_timeout_and_a_deaf_client_too() {
        let (layer, _client) = pair(&TLS13, None);
        layer.set_read_timeout(SOON).unwrap();
        layer.set_write_timeout(SOON).unwrap();
        let kind = read(&layer, &mut [0; 8]).unwrap_err().kind();
        assert!(matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut), "{kind}");
        assert!(layer.write_all(&vec![7; 8 << 20]).is_err());
    }

    /// While the owner waits in a read, and while it waits in a write.
    #[test]
    fn others_look_and_shut_down_without_waiting() {
        let (layer, mut client) = pair(&TLS13, None);
        std::thread::scope(|t| {
            let reader = t.spawn(|| read(&layer, &mut [0; 8]));
            while layer.state.try_lock().is_ok() {
                std::thread::yield_now();
            }
            assert!(!layer.is_hung_up() && !layer.has_buffered());
            layer.shutdown_read();
            assert_eq!(reader.join().unwrap().unwrap(), 0);
        });
        layer.write_all(b"killed").unwrap();
        let mut said = [0; 6];
        client.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"killed");
        std::thread::scope(|t| {
            let writer = t.spawn(|| layer.write_all(&vec![7; 32 << 20]));
            while layer.state.try_lock().is_ok() {
                std::thread::yield_now();
            }
            layer.shutdown();
            assert!(writer.join().unwrap().is_err());
        });
    }

    #[test]
    fn a_client_that_goes_is_seen_with_its_goodbye_and_without() {
        for version in [&TLS12, &TLS13] {
            let (layer, client) = pair(version, None);
            assert!(!layer.is_hung_up());
            drop(client);
            assert!(layer.is_hung_up());
            assert_eq!(read(&layer, &mut [0; 8]).unwrap(), 0);
            let (layer, mut client) = pair(version, None);
            client.conn.send_close_notify();
            client.flush().unwrap();
            assert!(!layer.is_hung_up(), "it said goodbye and is still there");
            drop(client);
            assert!(layer.is_hung_up());
            assert_eq!(read(&layer, &mut [0; 8]).unwrap(), 0);
            assert!(layer.has_buffered(), "the end is to be read, and the socket need not say so");
            // A command behind which the client went is still a command.
            let (layer, mut client) = pair(version, None);
            client.write_all(b"\x01\0\0\0\x01").unwrap();
            drop(client);
            assert!(!layer.is_hung_up());
        }
    }

    #[test]
    fn the_client_hears_a_goodbye() {
        let (layer, mut client) = pair(&TLS13, None);
        drop(layer);
        assert_eq!(client.read(&mut [0; 8]).unwrap(), 0, "an end that was announced");
    }

    #[test]
    fn what_is_no_record_ends_it() {
        let (layer, mut client) = pair(&TLS13, None);
        client.sock.write_all(b"\x03\0\0\0abc").unwrap();
        assert_eq!(read(&layer, &mut [0; 8]).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert!(read(&layer, &mut [0; 8]).is_err());
    }
}
