//! A socket as it is, TCP or unix: what was asked for is read, and nothing is kept.

use super::{Origin, Transport, Watched};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{self, RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown};
use std::io::{self, IoSlice};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// The system's calls are the same for both kinds.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    from: Origin,
}

impl Socket {
    pub fn tcp(s: TcpStream, from: SocketAddr) -> io::Result<Socket> {
        // Answers are written whole: waiting to fill a segment only delays them.
        s.set_nodelay(true)?;
        // A machine that vanished keeps its locks for hours otherwise.
        sockopt::set_socket_keepalive(&s, true)?;
        Ok(Socket { fd: s.into(), from: Origin::Address(from) })
    }

    pub fn unix(s: UnixStream) -> Socket {
        Socket { fd: s.into(), from: Origin::Local }
    }
}

impl Transport for Socket {
    fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        let (_, n) = net::recv(&self.fd, into, RecvFlags::empty())?;
        Ok(n)
    }

    fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            // A client that has gone is an error to be seen here, not a signal.
            match net::send(&self.fd, bytes, SendFlags::NOSIGNAL) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => bytes = &bytes[n..],
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }

    fn sends_aside(&self) -> bool {
        true
    }

    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match net::send(&self.fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(0),
                other => return Ok(other?),
            }
        }
    }

    fn write_all_pieces(&self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        // One call for as much as the system takes; what is left over, if anything, goes piece by piece.
        let mut none = SendAncillaryBuffer::default();
        let mut sent = match net::sendmsg(&self.fd, pieces, &mut none, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => 0,
            other => other?,
        };
        for piece in pieces {
            let skip = sent.min(piece.len());
            sent -= skip;
            self.write_all(&piece[skip..])?;
        }
        Ok(())
    }

    fn peek(&self, into: &mut [u8]) -> io::Result<usize> {
        let (_, n) = net::recv(&self.fd, into, RecvFlags::PEEK | RecvFlags::DONTWAIT)?;
        Ok(n)
    }

    fn has_buffered(&self) -> bool {
        false
    }

    fn watched(&self) -> Watched<'_> {
        Watched::Socket(self.fd.as_fd())
    }

    fn set_read_timeout(&self, timeout: Duration) -> io::Result<()> {
        Ok(sockopt::set_socket_timeout(&self.fd, Timeout::Recv, Some(timeout))?)
    }

    fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        Ok(sockopt::set_socket_timeout(&self.fd, Timeout::Send, Some(timeout))?)
    }

    fn shutdown_read(&self) {
        // It fails when the client has gone already, which is what is wanted.
        let _ = net::shutdown(&self.fd, Shutdown::Read);
    }

    fn shutdown(&self) {
        // As in `shutdown_read`.
        let _ = net::shutdown(&self.fd, Shutdown::Both);
    }

    fn is_hung_up(&self) -> bool {
        match self.peek(&mut [0]) {
            Ok(n) => n == 0,
            Err(e) => !matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        }
    }

    fn origin(&self) -> Origin {
        self.from
    }

    fn is_secure(&self) -> bool {
        // Bytes of a unix socket never leave the machine.
        self.from == Origin::Local
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn pair() -> (Socket, UnixStream) {
        let (a, b) = UnixStream::pair().unwrap();
        (Socket::unix(a), b)
    }

    #[test]
    fn bytes_pass_in_both_directions() {
        let (s, mut client) = pair();
        client.write_all(b"hello").unwrap();
        let mut buf = [0; 8];
        assert_eq!(s.read(&mut buf).unwrap(), 5);
        assert_eq!(&buf[..5], b"hello");
        s.write_all(b"and back").unwrap();
        client.read_exact(&mut buf).unwrap();
        assert_eq!(&buf, b"and back");
        assert!(s.is_secure() && s.origin().peer() == weir_sql::account::Peer::Local);
    }

    #[test]
    fn a_silent_client_is_a_timeout_and_one_that_takes_nothing_too() {
        let (s, _client) = pair();
        s.set_read_timeout(Duration::from_millis(20)).unwrap();
        let kind = s.read(&mut [0; 8]).unwrap_err().kind();
        assert!(matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut), "{kind}");
        s.set_write_timeout(Duration::from_millis(20)).unwrap();
        let kind = s.write_all(&vec![7; 8 << 20]).unwrap_err().kind();
        assert!(matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut), "{kind}");
    }

    #[test]
    fn pieces_arrive_in_order_however_many_calls_it_takes() {
        let (s, mut client) = pair();
        let body: Vec<u8> = (0..4_000_000u32).map(|n| (n % 251) as u8).collect();
        let got = std::thread::scope(|t| {
            let reader = t.spawn(|| {
                let mut got = vec![0; body.len()];
                client.read_exact(&mut got).map(|()| got)
            });
            let (a, b) = body.split_at(1_000_001);
            s.write_all_pieces(&[IoSlice::new(a), IoSlice::new(&[]), IoSlice::new(b)]).unwrap();
            reader.join().unwrap().unwrap()
        });
        assert!(got == body);
    }

    #[test]
    fn a_client_that_goes_is_seen_when_all_is_read() {
        let (s, mut client) = pair();
        assert!(!s.is_hung_up());
        client.write_all(b"x").unwrap();
        drop(client);
        assert!(!s.is_hung_up(), "there is a byte left");
        assert_eq!(s.read(&mut [0; 8]).unwrap(), 1);
        assert!(s.is_hung_up());
        assert_eq!(s.read(&mut [0; 8]).unwrap(), 0);
        assert!(s.write_all(b"too late").is_err());
    }

    #[test]
    fn a_reader_is_stopped_from_outside_and_can_still_say_why() {
        let (s, mut client) = pair();
        std::thread::scope(|t| {
            let reader = t.spawn(|| s.read(&mut [0; 8]));
            s.shutdown_read();
            assert_eq!(reader.join().unwrap().unwrap(), 0);
        });
        s.write_all(b"killed").unwrap();
        s.shutdown();
        let mut said = Vec::new();
        client.read_to_end(&mut said).unwrap();
        assert_eq!(said, b"killed");
    }
}
