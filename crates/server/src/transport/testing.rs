//! A transport as a layer of encryption will be one: it takes from its socket whatever is there, and gives it out in pieces.

use super::{Origin, Socket, Transport, Watched};
use std::collections::VecDeque;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Debug)]
pub struct ReadsAhead {
    under: Socket,
    /// Bytes of one read, at most.
    piece: usize,
    buffered: Mutex<VecDeque<u8>>,
}

impl ReadsAhead {
    /// The transport and its client.
    pub fn new(piece: usize) -> (ReadsAhead, UnixStream) {
        let (server, client) = UnixStream::pair().unwrap();
        let buffered = Mutex::default();
        (ReadsAhead { under: Socket::unix(server), piece, buffered }, client)
    }
}

impl Transport for ReadsAhead {
    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        let mut buffered = self.buffered.lock().unwrap();
        if buffered.is_empty() {
            let mut record = [0; 16 * 1024];
            let n = self.under.read(&mut record)?;
            buffered.extend(&record[..n]);
        }
        let n = into.len().min(self.piece).min(buffered.len());
        for (to, byte) in into.iter_mut().zip(buffered.drain(..n)) {
            *to = byte;
        }
        Ok(n)
    }

    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        bytes.chunks(self.piece).try_for_each(|piece| self.under.write_all(piece))
    }

    fn peek(&self, into: &mut [u8]) -> io::Result<usize> {
        let buffered = self.buffered.lock().unwrap();
        if buffered.is_empty() {
            return self.under.peek(into);
        }
        let n = into.len().min(buffered.len());
        for (to, byte) in into.iter_mut().zip(buffered.iter()) {
            *to = *byte;
        }
        Ok(n)
    }

    fn has_buffered(&self) -> bool {
        !self.buffered.lock().unwrap().is_empty()
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
        !self.has_buffered() && self.under.is_hung_up()
    }

    fn origin(&self) -> Origin {
        self.under.origin()
    }

    fn is_secure(&self) -> bool {
        true
    }
}
