//! A connection: its deadlines, its encryption, one request after the other.

use super::request::{BODY, HEAD, Method, Parsed, Request, parse};
use super::response::Response;
use super::{ANSWER_TIME, HEAD_TIME, Http, IDLE_TIME, routes};
use crate::stage::Stage;
use rustls::{ServerConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use weir_sql::tls::TlsSession;

/// A socket with a time by which all that is done with it must be done, however little a client sends or takes at once.
struct Timed {
    socket: TcpStream,
    until: Instant,
}

impl Timed {
    fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Timed {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.left()?))?;
        self.socket.read(into)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.left()?))?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Stream {
    Plain(Timed),
    Tls(Box<StreamOwned<ServerConnection, Timed>>),
}

impl Stream {
    fn must_end_in(&mut self, time: Duration) {
        let timed = match self {
            Stream::Plain(t) => t,
            Stream::Tls(s) => &mut s.sock,
        };
        timed.until = Instant::now() + time;
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(t) => t.read(into),
            Stream::Tls(s) => s.read(into),
        }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Stream::Plain(t) => t.write_all(bytes),
            Stream::Tls(s) => s.write_all(bytes).and_then(|()| s.flush()),
        }
    }
}

/// Who is at the other end.
pub struct Client {
    pub from: SocketAddr,
    /// The connection is encrypted.
    pub tls: Option<TlsSession>,
}

/// Says that there are too many connections, without waiting for anything.
pub fn turn_away(mut socket: &TcpStream) {
    let answer = Response::error(503, "too many connections of HTTP");
    // A client that has gone needs no answer.
    let _ = socket.set_nonblocking(true);
    let _ = socket.write(&answer.bytes(true, false));
}

pub fn serve(http: &Http, socket: TcpStream, from: SocketAddr) {
    // Answers are written whole.
    let _ = socket.set_nodelay(true);
    let timed = Timed { socket, until: Instant::now() + HEAD_TIME };
    // Errors are the client's: it has gone, is too slow, or does not speak TLS.
    let _ = if http.is_loopback {
        requests(http, Stream::Plain(timed), &mut Client { from, tls: None })
    } else {
        encrypted(&http.stage, timed)
            .and_then(|(stream, tls)| requests(http, stream, &mut Client { from, tls: Some(tls) }))
    };
}

/// The handshake. Before the server has its certificates there is nobody to talk to.
fn encrypted(stage: &Stage, mut timed: Timed) -> io::Result<(Stream, TlsSession)> {
    let server = stage.server().ok_or(io::ErrorKind::NotConnected)?;
    let context = server.tls.current().ok_or(io::ErrorKind::NotConnected)?;
    let mut connection = ServerConnection::new(context.config.clone()).map_err(io::Error::other)?;
    while connection.is_handshaking() {
        connection.complete_io(&mut timed)?;
    }
    let session = context.session(&connection);
    Ok((Stream::Tls(Box::new(StreamOwned::new(connection, timed))), session))
}

fn requests(http: &Http, mut stream: Stream, client: &mut Client) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let request = match next_request(&mut stream, &mut bytes)? {
            Ok(request) => request,
            Err(bad) => return answer(&mut stream, &bad, true, false),
        };
        let Some(request) = request else { return Ok(()) };
        let response = routes::answer(http, &request, client);
        answer(&mut stream, &response, request.method != Method::Head, request.keeps)?;
        if !request.keeps {
            return Ok(());
        }
        // Time between requests is the client's.
        if bytes.is_empty() {
            stream.must_end_in(IDLE_TIME);
            let mut first = [0; 1];
            if stream.read(&mut first)? == 0 {
                return Ok(());
            }
            bytes.push(first[0]);
        }
        stream.must_end_in(HEAD_TIME);
    }
}

/// `None`: the client has nothing more to ask.
fn next_request(
    stream: &mut Stream,
    bytes: &mut Vec<u8>,
) -> io::Result<Result<Option<Box<Request>>, Response>> {
    loop {
        if !bytes.is_empty() {
            match parse(bytes) {
                Parsed::Whole(request, len) => {
                    bytes.drain(..len);
                    return Ok(Ok(Some(request)));
                }
                Parsed::Bad(response) => return Ok(Err(response)),
                Parsed::Partial => {}
            }
        }
        let mut piece = [0; 2048];
        let room = piece.len().min((HEAD + BODY).saturating_sub(bytes.len()).max(1));
        match stream.read(&mut piece[..room]) {
            Ok(0) => return Ok(Ok(None)),
            Ok(n) => bytes.extend_from_slice(&piece[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) if is_timeout(&e) && !bytes.is_empty() => {
                return Ok(Err(Response::error(408, "the request did not come in time")));
            }
            Err(e) => return Err(e),
        }
    }
}

fn is_timeout(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

fn answer(
    stream: &mut Stream,
    response: &Response,
    with_body: bool,
    keeps: bool,
) -> io::Result<()> {
    stream.must_end_in(ANSWER_TIME);
    stream.send(&response.bytes(with_body, keeps))
}
