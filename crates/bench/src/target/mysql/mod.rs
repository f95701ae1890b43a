//! A client of the MySQL protocol over the codec of `weir-wire`: blocking, one command at a time.
//!
//! Own instead of a library: the codec is in the tree already, the generator's cost for each statement has to stay a few
//! microseconds, and a general client would bring more code than all the rest of this crate. It speaks what a workload
//! needs - login with mysql_native_password and caching_sha2_password, text and prepared statements - and refuses the rest.

mod login;
mod patience;
mod row;

use super::rows::push_cents;
use super::{Rows, Session, Url, Value};
use crate::error::{Error, Result};
use patience::{Socket, Wait};
use row::Column;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;
use weir_wire::constants::column_type as ty;
use weir_wire::{Capabilities, Framer, Reader, Writer, put_lenenc_str};

pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    fn open(url: &Url) -> Result<Stream> {
        let unreachable = |e: std::io::Error| {
            Error::Lost(format!("cannot reach {}: {e}; is a server running there?", url.describe()))
        };
        if let Some(path) = &url.socket {
            let s = UnixStream::connect(path).map_err(unreachable)?;
            return Ok(Stream::Unix(s));
        }
        let mut last = std::io::Error::new(ErrorKind::NotFound, "the host has no address");
        for a in (url.host.as_str(), url.port).to_socket_addrs().map_err(unreachable)? {
            match TcpStream::connect_timeout(&a, Duration::from_secs(10)) {
                Ok(s) => {
                    s.set_nodelay(true).map_err(unreachable)?;
                    return Ok(Stream::Tcp(s));
                }
                Err(e) => last = e,
            }
        }
        Err(unreachable(last))
    }

    /// Another handle of it.
    fn socket(&self) -> std::io::Result<Socket> {
        Ok(match self {
            Stream::Tcp(s) => Socket::Tcp(s.try_clone()?),
            Stream::Unix(s) => Socket::Unix(s.try_clone()?),
        })
    }

    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Stream::Tcp(s) => s.read(into),
            Stream::Unix(s) => s.read(into),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Stream::Tcp(s) => s.write_all(bytes),
            Stream::Unix(s) => s.write_all(bytes),
        }
    }
}

/// What is kept of a prepared statement.
struct Statement {
    id: u32,
    params: usize,
    /// Types of the parameters as the server knows them; empty before the first execution.
    bound: Vec<u8>,
}

pub struct Client {
    stream: Stream,
    wait: Arc<Wait>,
    framer: Framer,
    writer: Writer,
    caps: Capabilities,
    columns: Vec<Column>,
    statements: Vec<Statement>,
}

/// Largest answer row or statement.
const MAX_PACKET: usize = 1 << 30;
/// Memory kept between statements.
const KEEP: usize = 1 << 16;

/// Sees a row: its cells as the text protocol has them.
pub type EachRow<'a> = dyn FnMut(&[Option<&[u8]>]) -> Result<()> + 'a;

impl Client {
    pub fn connect(url: &Url, schema: &str, patience: Duration) -> Result<Client> {
        let stream = Stream::open(url)?;
        let mut c = Client {
            wait: Wait::new(stream.socket()?, patience),
            stream,
            framer: Framer::new(MAX_PACKET),
            writer: Writer::new(),
            caps: Capabilities(0),
            columns: Vec::new(),
            statements: Vec::new(),
        };
        c.log_in(url, schema)?;
        Ok(c)
    }

    fn fill(&mut self) -> Result<()> {
        loop {
            match self.framer.poll_packet() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(e) => return Err(Error::Lost(format!("the answer is no packet: {e}"))),
            }
            self.wait.begin();
            let read = self.stream.read(self.framer.space());
            self.wait.end();
            match read {
                Ok(0) if self.wait.is_over() => {
                    return Err(Error::Lost("no answer for too long".into()));
                }
                Ok(0) => return Err(Error::Lost("the server closed the connection".into())),
                Ok(n) => self.framer.filled(n),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e.into()),
            }
        }
    }

    /// Reads one packet; an error packet is an error.
    fn packet(&mut self) -> Result<&[u8]> {
        self.fill()?;
        match self.framer.packet() {
            [0xFF, rest @ ..] => Err(server_error(rest)),
            p => Ok(p),
        }
    }

    fn flush(&mut self) -> Result<()> {
        self.stream.write_all(self.writer.pending())?;
        self.writer.sent(KEEP);
        self.framer.set_sequence(self.writer.sequence());
        Ok(())
    }

    /// Sends one command; `write` appends what follows the command byte.
    fn command(&mut self, byte: u8, write: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        self.writer.set_sequence(0);
        let out = self.writer.begin();
        out.push(byte);
        write(out);
        self.writer.end();
        self.flush()
    }

    fn old_eof(&self) -> bool {
        !self.caps.has(Capabilities::DEPRECATE_EOF)
    }

    fn skip(&mut self, packets: usize) -> Result<()> {
        for _ in 0..packets {
            self.packet()?;
        }
        Ok(())
    }

    /// Reads one answer: an OK, or columns and rows.
    fn answer(&mut self, binary: bool, rows: &mut Rows) -> Result<()> {
        rows.begin(0);
        let p = self.packet()?;
        match p.first() {
            Some(0) => {
                let mut r = Reader::new(&p[1..]);
                rows.affected = r.lenenc_int().map_err(malformed)?;
                return Ok(());
            }
            Some(0xFB) => return Err(Error::other("the server asks for a file; that is refused")),
            _ => {}
        }
        let count = Reader::new(p).lenenc_int().map_err(malformed)? as usize;
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        for _ in 0..count {
            columns.push(Column::decode(self.packet()?).map_err(malformed)?);
        }
        if self.old_eof() {
            self.packet()?;
        }
        rows.begin(count);
        let r = self.rows(binary, &columns, rows);
        self.columns = columns;
        r
    }

    /// Runs a text statement and hands on each row as it comes, so that an answer of any length takes the memory of one row.
    pub fn each_row(&mut self, sql: &[u8], row: &mut EachRow<'_>) -> Result<()> {
        self.command(0x03, |out| out.extend_from_slice(sql))?;
        let p = self.packet()?;
        match p.first() {
            Some(0) => return Ok(()),
            Some(0xFB) => return Err(Error::other("the server asks for a file; that is refused")),
            _ => {}
        }
        let columns = Reader::new(p).lenenc_int().map_err(malformed)? as usize;
        let old = self.old_eof();
        self.skip(columns + usize::from(old))?;
        loop {
            let p = self.packet()?;
            if p.first() == Some(&0xFE) && if old { p.len() == 5 } else { p.len() < 0xFF_FFFF } {
                return Ok(());
            }
            let mut cells = Vec::with_capacity(columns);
            let mut rest = p;
            for _ in 0..columns {
                if let Some((0xFB, after)) = rest.split_first() {
                    cells.push(None);
                    rest = after;
                    continue;
                }
                let mut r = Reader::new(rest);
                cells.push(Some(r.lenenc_str().map_err(malformed)?));
                rest = r.rest();
            }
            row(&cells)?;
        }
    }

    fn rows(&mut self, binary: bool, columns: &[Column], rows: &mut Rows) -> Result<()> {
        let old = self.old_eof();
        loop {
            let p = self.packet()?;
            match p.first() {
                Some(0xFE) if if old { p.len() == 5 } else { p.len() < 0xFF_FFFF } => return Ok(()),
                _ if binary => row::binary(p, columns, rows).map_err(malformed)?,
                _ => row::text(p, columns, rows).map_err(malformed)?,
            }
        }
    }
}

fn malformed(_: weir_wire::Malformed) -> Error {
    Error::Lost("the server sent a packet that cannot be read".into())
}

fn server_error(packet: &[u8]) -> Error {
    let (no, rest) = packet.split_at_checked(2).unwrap_or((&[0, 0], packet));
    let errno = u16::from_le_bytes([no[0], no[1]]);
    let text = if rest.first() == Some(&b'#') { rest.get(6..).unwrap_or_default() } else { rest };
    Error::Server { errno, message: String::from_utf8_lossy(text).into_owned() }
}

impl Session for Client {
    fn prepare(&mut self, sql: &str) -> Result<u32> {
        self.command(0x16, |out| out.extend_from_slice(sql.as_bytes()))?;
        let mut r = Reader::new(self.packet()?);
        let mut head = || -> std::result::Result<_, weir_wire::Malformed> {
            r.u8()?;
            Ok((r.u32()?, r.u16()?, r.u16()?))
        };
        let (id, columns, params) = head().map_err(malformed)?;
        let eof = usize::from(self.old_eof());
        for n in [usize::from(params), usize::from(columns)] {
            self.skip(if n > 0 { n + eof } else { 0 })?;
        }
        self.statements.push(Statement { id, params: usize::from(params), bound: Vec::new() });
        Ok(self.statements.len() as u32 - 1)
    }

    fn execute(&mut self, id: u32, params: &[Value<'_>], rows: &mut Rows) -> Result<()> {
        let Some(s) = self.statements.get_mut(id as usize) else {
            return Err(Error::other(format!("statement {id} was not prepared")));
        };
        if s.params != params.len() {
            return Err(Error::other(format!(
                "a statement with {} parameters got {}",
                s.params,
                params.len()
            )));
        }
        self.writer.set_sequence(0);
        let out = self.writer.begin();
        out.push(0x17);
        out.extend_from_slice(&s.id.to_le_bytes());
        out.extend_from_slice(&[0, 1, 0, 0, 0]);
        if !params.is_empty() {
            put_params(out, params, &mut s.bound);
        }
        self.writer.end();
        self.flush()?;
        self.answer(true, rows)
    }

    fn query(&mut self, sql: &str, rows: &mut Rows) -> Result<()> {
        self.command(0x03, |out| out.extend_from_slice(sql.as_bytes()))?;
        self.answer(false, rows)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A goodbye; whether it arrives does not matter.
        let _ = self.command(0x01, |_| {});
    }
}

fn type_of(v: &Value<'_>) -> u8 {
    match v {
        Value::Null => ty::NULL,
        Value::Int(_) => ty::LONGLONG,
        Value::Cents(_) => ty::NEWDECIMAL,
        Value::Text(_) => ty::VAR_STRING,
    }
}

/// NULL bitmap, types where they are new, values.
fn put_params(out: &mut Vec<u8>, params: &[Value<'_>], bound: &mut Vec<u8>) {
    let bitmap = out.len();
    out.resize(bitmap + params.len().div_ceil(8), 0);
    for (i, _) in params.iter().enumerate().filter(|(_, v)| **v == Value::Null) {
        out[bitmap + i / 8] |= 1 << (i % 8);
    }
    // A NULL fits every type.
    let known = bound.len() == params.len()
        && params.iter().zip(&*bound).all(|(v, b)| *v == Value::Null || type_of(v) == *b);
    out.push(u8::from(!known));
    if !known {
        bound.clear();
        bound.extend(params.iter().map(type_of));
        bound.iter().for_each(|t| out.extend_from_slice(&[*t, 0]));
    }
    for v in params {
        match v {
            Value::Null => {}
            Value::Int(n) => out.extend_from_slice(&n.to_le_bytes()),
            Value::Cents(n) => {
                let mut text = Vec::with_capacity(24);
                push_cents(&mut text, *n);
                put_lenenc_str(out, &text);
            }
            Value::Text(t) => put_lenenc_str(out, t.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_wire::params::{Param, decode};

    #[test]
    fn parameters_are_what_a_server_reads() {
        let mut bound = Vec::new();
        let mut types = Vec::new();
        let lists = [
            [Value::Int(-5), Value::Null, Value::Cents(-1234), Value::Text("ab")],
            [Value::Int(7), Value::Text("x"), Value::Null, Value::Text("")],
            [Value::Int(8), Value::Text("y"), Value::Null, Value::Text("z")],
        ];
        let want = ["Int(-5) Null Decimal(-12.34) ab", "Int(7) x Null ", "Int(8) y Null z"];
        for (params, want) in lists.iter().zip(want) {
            let mut out = Vec::new();
            put_params(&mut out, params, &mut bound);
            let mut got = Vec::new();
            let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            decode(
                &out,
                4,
                &mut types,
                |_| false,
                |p| {
                    got.push(match p {
                        Param::Decimal(b) => format!("Decimal({})", text(b)),
                        Param::Bytes(b) => text(b),
                        other => format!("{other:?}"),
                    })
                },
            )
            .unwrap();
            assert_eq!(got.join(" "), want);
        }
    }

    #[test]
    fn error_packets() {
        let e = server_error(b"\x15\x04#28000Access denied");
        assert_eq!(e, Error::Server { errno: 1045, message: "Access denied".into() });
        assert!(server_error(b"\x10\x04Too many connections").is_lost());
    }
}
