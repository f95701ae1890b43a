//! A client of the MySQL protocol that keeps all that an answer says: text statements, accounts without a password.
//!
//! The client of `weir-bench` drops column names, warnings and flags on purpose, because it measures; this one reads them.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use weir_login::{Account, BASIC, Login, Protection, Step};
use weir_wire::{Framer, Malformed, Reader, Writer};

/// Largest packet in bytes.
const MAX_PACKET: usize = 1 << 26;
/// Bytes of buffers kept between statements.
const KEEP: usize = 1 << 16;
/// A server that does not answer for so long is lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a column of a result is announced as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub collation: u16,
    pub length: u32,
    pub type_code: u8,
    pub flags: u16,
    pub decimals: u8,
}

pub type Row = Vec<Option<Vec<u8>>>;

#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

/// What a server says to a statement.
#[derive(Clone, Debug)]
pub enum Answer {
    Done { affected: u64 },
    Rows { rows: Rows },
    Error { errno: u16, message: String },
}

pub struct Client {
    stream: TcpStream,
    framer: Framer,
    writer: Writer,
}

fn malformed(_: Malformed) -> io::Error {
    io::Error::other("the server sent a packet that cannot be read")
}

impl Client {
    /// Logs in as `user` without a password at `HOST:PORT`.
    pub fn connect(address: &str, user: &str) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut c = Client { stream, framer: Framer::new(MAX_PACKET), writer: Writer::new() };
        let account = Account { user, password: "", database: "" };
        let protection = Protection::Sealed { key: None, asks: false };
        c.fill()?;
        let greeting = c.login_packet()?;
        let login = Login::new(greeting, account, BASIC, protection);
        let mut login = login.map_err(io::Error::other)?;
        let response = login.response().map_err(io::Error::other)?;
        c.reply(&response)?;
        loop {
            c.fill()?;
            match login.receive(c.login_packet()?).map_err(io::Error::other)? {
                Step::Send(payload) => c.reply(&payload)?,
                Step::Receive => {}
                Step::Done => return Ok(c),
            }
        }
    }

    /// The packet that was read; what the server says in an error packet is an error.
    fn login_packet(&self) -> io::Result<&[u8]> {
        match self.framer.packet() {
            [0xFF, rest @ ..] => Err(io::Error::other(format!("{:?}", error(rest)))),
            packet => Ok(packet),
        }
    }

    /// Sends the next packet of the login.
    fn reply(&mut self, payload: &[u8]) -> io::Result<()> {
        self.writer.set_sequence(self.framer.sequence());
        self.writer.begin().extend_from_slice(payload);
        self.send()
    }

    fn send(&mut self) -> io::Result<()> {
        self.writer.end();
        self.stream.write_all(self.writer.pending())?;
        self.writer.sent(KEEP);
        self.framer.set_sequence(self.writer.sequence());
        Ok(())
    }

    fn fill(&mut self) -> io::Result<()> {
        loop {
            if self.framer.poll_packet().map_err(|e| io::Error::other(e.to_string()))? {
                return Ok(());
            }
            match self.stream.read(self.framer.space()) {
                Ok(0) => return Err(io::Error::other("the server closed the connection")),
                Ok(n) => self.framer.filled(n),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }

    pub fn query(&mut self, sql: &str) -> io::Result<Answer> {
        self.writer.set_sequence(0);
        let out = self.writer.begin();
        out.push(3);
        out.extend_from_slice(sql.as_bytes());
        self.send()?;
        self.fill()?;
        let p = self.framer.packet();
        match p.first() {
            Some(0) => done(p).map_err(malformed),
            Some(0xFF) => Ok(error(&p[1..])),
            Some(0xFB) => Err(io::Error::other("the server asks for a file")),
            _ => {
                let count = Reader::new(p).lenenc_int().map_err(malformed)?;
                self.rows(count as usize)
            }
        }
    }

    fn rows(&mut self, count: usize) -> io::Result<Answer> {
        let mut rows = Rows::default();
        for _ in 0..count {
            self.fill()?;
            rows.columns.push(column(self.framer.packet()).map_err(malformed)?);
        }
        self.fill()?;
        loop {
            self.fill()?;
            match self.framer.packet() {
                [0xFF, rest @ ..] => return Ok(error(rest)),
                [0xFE, _, _, _, _] => return Ok(Answer::Rows { rows }),
                p => rows.rows.push(row(p, count).map_err(malformed)?),
            }
        }
    }
}

fn done(p: &[u8]) -> Result<Answer, Malformed> {
    Ok(Answer::Done { affected: Reader::new(&p[1..]).lenenc_int()? })
}

fn error(p: &[u8]) -> Answer {
    let (no, rest) = p.split_at_checked(2).unwrap_or((&[0, 0], p));
    let text = if rest.first() == Some(&b'#') { rest.get(6..).unwrap_or_default() } else { rest };
    Answer::Error {
        errno: u16::from_le_bytes([no[0], no[1]]),
        message: String::from_utf8_lossy(text).into_owned(),
    }
}

fn column(p: &[u8]) -> Result<Column, Malformed> {
    let mut r = Reader::new(p);
    for _ in 0..4 {
        r.lenenc_str()?;
    }
    let name = String::from_utf8_lossy(r.lenenc_str()?).into_owned();
    r.lenenc_str()?;
    r.lenenc_int()?;
    Ok(Column {
        name,
        collation: r.u16()?,
        length: r.u32()?,
        type_code: r.u8()?,
        flags: r.u16()?,
        decimals: r.u8()?,
    })
}

fn row(p: &[u8], count: usize) -> Result<Row, Malformed> {
    let mut r = Reader::new(p);
    let mut row = Vec::with_capacity(count);
    for _ in 0..count {
        let mut ahead = Reader::new(r.rest());
        let rest = ahead.rest();
        if rest.first() == Some(&0xFB) {
            row.push(None);
            r = Reader::new(&rest[1..]);
        } else {
            r = Reader::new(rest);
            row.push(Some(r.lenenc_str()?.to_vec()));
        }
    }
    Ok(row)
}
