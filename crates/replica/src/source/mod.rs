//! A client of another server: blocking, one command at a time.
//!
//! `login` proves who it is, `encrypted` is TLS, `stream` the binary log. Here are packets and text queries.

mod encrypted;
mod login;
mod stream;

pub use stream::Dump;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;
use weir_wire::{Capabilities, Framer, Malformed, Reader, Writer};

/// Largest packet in bytes: events have at most one gibibyte.
const MAX_PACKET: usize = 1 << 30;
/// Bytes of buffers kept between packets.
const KEEP: usize = 1 << 16;

/// An error of a source, or of the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    pub errno: u16,
    pub text: String,
    /// The connection is of no use any more, and another one may do better.
    pub lost: bool,
}

pub type Result<T> = std::result::Result<T, SourceError>;

/// The numbers of MySQL's client library.
const CANNOT_CONNECT: u16 = 2003;
const LOST: u16 = 2013;
const MALFORMED: u16 = 2027;

impl SourceError {
    pub fn new(errno: u16, text: impl Into<String>) -> SourceError {
        SourceError { errno, text: text.into(), lost: false }
    }

    fn lost(text: impl Into<String>) -> SourceError {
        SourceError { errno: LOST, text: text.into(), lost: true }
    }
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.text, self.errno)
    }
}

impl From<Malformed> for SourceError {
    fn from(_: Malformed) -> SourceError {
        SourceError { errno: MALFORMED, text: "Malformed packet".into(), lost: true }
    }
}

impl From<io::Error> for SourceError {
    fn from(e: io::Error) -> SourceError {
        match e.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                SourceError::lost("Lost connection to the source: it has said nothing for too long")
            }
            _ => SourceError::lost(format!("Lost connection to the source: {e}")),
        }
    }
}

/// Whom to connect to and how.
#[derive(Clone, Debug, Default)]
pub struct Target {
    pub host: String,
    pub port: u16,
    pub user: String,
    pub password: String,
    /// The address that the connection comes from; empty: any.
    pub bind: String,
    pub tls: Tls,
    /// The key that a password is sealed with is asked for where the connection is in clear.
    pub asks_key: bool,
    /// A file with that key.
    pub key_file: String,
}

#[derive(Clone, Debug, Default)]
pub struct Tls {
    pub on: bool,
    pub ca: String,
    pub ca_path: String,
    pub certificate: String,
    pub key: String,
    /// The certificate must be the authority's, and of the host.
    pub verifies_name: bool,
}

enum Stream {
    Plain(TcpStream),
    Encrypted(Box<encrypted::Encrypted>),
}

impl Read for Stream {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(s) => s.read(buf),
            Stream::Encrypted(s) => s.read(buf),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(s) => s.write(buf),
            Stream::Encrypted(s) => s.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(s) => s.flush(),
            Stream::Encrypted(s) => s.flush(),
        }
    }
}

/// A row of a text query.
pub type Row = Vec<Option<Vec<u8>>>;

pub struct Source {
    /// `None` only while TLS begins.
    stream: Option<Stream>,
    /// The same socket, for anyone who ends the connection from another thread and for its time limits.
    socket: TcpStream,
    framer: Framer,
    writer: Writer,
    caps: Capabilities,
}

impl Source {
    /// Connects and logs in. `patience`: how long each step may take.
    pub fn connect(target: &Target, patience: Duration) -> Result<Source> {
        let socket = open(target, patience)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(patience))?;
        socket.set_write_timeout(Some(patience))?;
        let mut source = Source {
            stream: Some(Stream::Plain(socket.try_clone()?)),
            socket,
            framer: Framer::new(MAX_PACKET),
            writer: Writer::new(),
            caps: Capabilities(0),
        };
        // A login that is refused now may be taken later: the account may come by another way.
        source.log_in(target).map_err(|e| SourceError { lost: true, ..e })?;
        Ok(source)
    }

    /// What ends the connection from another thread.
    pub fn socket(&self) -> Result<TcpStream> {
        Ok(self.socket.try_clone()?)
    }

    /// How long the next packets may take.
    pub fn set_patience(&self, patience: Duration) -> Result<()> {
        Ok(self.socket.set_read_timeout(Some(patience))?)
    }

    fn fill(&mut self) -> Result<()> {
        loop {
            let whole = self.framer.poll_packet();
            if whole.map_err(|e| SourceError::lost(e.to_string()))? {
                return Ok(());
            }
            let Some(stream) = &mut self.stream else {
                return Err(SourceError::lost("Lost connection to the source"));
            };
            match stream.read(self.framer.space()) {
                Ok(0) => {
                    return Err(SourceError::lost(
                        "Lost connection to the source: it has closed the connection",
                    ));
                }
                Ok(n) => self.framer.filled(n),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// The next packet; what the source says in an error packet is an error.
    fn packet(&mut self) -> Result<&[u8]> {
        self.fill()?;
        match self.framer.packet() {
            [0xFF, rest @ ..] => Err(told(rest)),
            packet => Ok(packet),
        }
    }

    /// Sends what the writer has.
    fn send(&mut self) -> Result<()> {
        let Some(stream) = &mut self.stream else {
            return Err(SourceError::lost("Lost connection to the source"));
        };
        stream.write_all(self.writer.pending())?;
        stream.flush()?;
        self.writer.sent(KEEP);
        Ok(())
    }

    /// The same, as the next packet of the dialogue.
    fn flush(&mut self) -> Result<()> {
        self.send()?;
        self.framer.set_sequence(self.writer.sequence());
        Ok(())
    }

    fn command(&mut self, byte: u8, body: &[u8]) -> Result<()> {
        self.writer.set_sequence(0);
        let out = self.writer.begin();
        out.push(byte);
        out.extend_from_slice(body);
        self.writer.end();
        self.flush()
    }

    /// Runs a statement; its rows, if it has some.
    pub fn query(&mut self, sql: &str) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        self.query_each(sql, &mut |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The same, each row as it comes.
    pub fn query_each(&mut self, sql: &str, each: &mut dyn FnMut(Row) -> Result<()>) -> Result<()> {
        self.command(3, sql.as_bytes())?;
        let first = self.packet()?;
        if first.first() == Some(&0) {
            return Ok(());
        }
        let count = Reader::new(first).lenenc_int()? as usize;
        for _ in 0..count {
            self.packet()?;
        }
        self.packet()?;
        loop {
            let packet = self.packet()?;
            if packet.first() == Some(&0xFE) && packet.len() < 9 {
                return Ok(());
            }
            let row = row(packet, count)?;
            each(row)?;
        }
    }

    /// Runs a statement that has no rows.
    pub fn command_text(&mut self, sql: &[u8]) -> Result<()> {
        self.command(3, sql)?;
        self.packet().map(drop)
    }

    /// The only value of a query of one row, as text; nothing for NULL and for no row.
    pub fn value(&mut self, sql: &str) -> Result<Option<String>> {
        let first = self.query(sql)?.into_iter().next().and_then(|r| r.into_iter().next());
        Ok(first.flatten().map(|v| String::from_utf8_lossy(&v).into_owned()))
    }
}

/// The error in a packet, behind its first byte.
fn told(rest: &[u8]) -> SourceError {
    let (number, text) = rest.split_at_checked(2).unwrap_or((&[0, 0], rest));
    let text = match text {
        [b'#', _, _, _, _, _, text @ ..] => text,
        text => text,
    };
    let errno = u16::from_le_bytes([number[0], number[1]]);
    SourceError::new(errno, String::from_utf8_lossy(text))
}

fn row(packet: &[u8], count: usize) -> Result<Row> {
    let mut r = Reader::new(packet);
    let mut row = Vec::with_capacity(count.min(4096));
    for _ in 0..count {
        let rest = r.clone().rest();
        match rest.first() {
            Some(0xFB) => {
                r.u8()?;
                row.push(None);
            }
            _ => row.push(Some(r.lenenc_str()?.to_vec())),
        }
    }
    Ok(row)
}

/// The first address of the host that answers.
fn open(target: &Target, patience: Duration) -> Result<TcpStream> {
    let name = format!("{}:{}", target.host, target.port);
    let cannot = |why: String| {
        let text = format!("Can't connect to MySQL server on '{name}' ({why})");
        SourceError { errno: CANNOT_CONNECT, text, lost: true }
    };
    if !target.bind.is_empty() {
        return Err(cannot("a connection cannot be bound to an address".into()));
    }
    let found = (target.host.as_str(), target.port).to_socket_addrs();
    let addresses: Vec<SocketAddr> = found.map_err(|e| cannot(e.to_string()))?.collect();
    let mut last = "the host has no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(s) => return Ok(s),
            Err(e) => last = e.to_string(),
        }
    }
    Err(cannot(last))
}
