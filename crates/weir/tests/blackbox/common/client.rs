//! A client of the protocol, by hand.

use super::PATIENCE;
use super::compress::{Layer, Method};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use weir_login::proof;

/// Capability flags.
pub mod cap {
    pub const FOUND_ROWS: u32 = 1 << 1;
    pub const CONNECT_WITH_DB: u32 = 1 << 3;
    pub const COMPRESS: u32 = 1 << 5;
    pub const LOCAL_FILES: u32 = 1 << 7;
    pub const PROTOCOL_41: u32 = 1 << 9;
    pub const SSL: u32 = 1 << 11;
    pub const TRANSACTIONS: u32 = 1 << 13;
    pub const SECURE_CONNECTION: u32 = 1 << 15;
    pub const MULTI_STATEMENTS: u32 = 1 << 16;
    pub const MULTI_RESULTS: u32 = 1 << 17;
    pub const PS_MULTI_RESULTS: u32 = 1 << 18;
    pub const PLUGIN_AUTH: u32 = 1 << 19;
    pub const EXPIRED_PASSWORDS: u32 = 1 << 22;
    pub const DEPRECATE_EOF: u32 = 1 << 24;
    pub const ZSTD: u32 = 1 << 26;
    pub const QUERY_ATTRIBUTES: u32 = 1 << 27;
    pub const DEFAULT: u32 = 1
        | PROTOCOL_41
        | TRANSACTIONS
        | SECURE_CONNECTION
        | MULTI_RESULTS
        | PS_MULTI_RESULTS
        | PLUGIN_AUTH;
}

/// An error packet, or the end of the connection (0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub errno: u16,
    pub state: String,
    pub message: String,
}

impl From<io::Error> for Failure {
    fn from(e: io::Error) -> Failure {
        Failure { errno: 0, state: String::new(), message: e.to_string() }
    }
}

#[derive(Clone, Copy)]
pub struct Login<'a> {
    pub user: &'a str,
    pub password: &'a str,
    pub database: &'a str,
    /// Flags beside [`cap::DEFAULT`].
    pub flags: u32,
    /// Flags of [`cap::DEFAULT`] that it has not.
    pub without: u32,
    /// The method that the client prefers.
    pub plugin: &'a str,
    /// As clients do whose preferred method is not the greeting's.
    pub withhold: bool,
    /// With [`cap::ZSTD`]; `None`: the byte is left out.
    pub zstd_level: Option<u8>,
    /// The collation that stands for the client's character set.
    pub collation: u8,
}

impl Default for Login<'_> {
    fn default() -> Self {
        Login {
            user: "root",
            password: "",
            database: "",
            flags: cap::DEPRECATE_EOF,
            without: 0,
            plugin: "mysql_native_password",
            withhold: false,
            zstd_level: Some(3),
            collation: 45,
        }
    }
}

pub trait Pipe: Read + Write + Send {
    fn end(&self);
}

impl Pipe for TcpStream {
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl Pipe for UnixStream {
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}

/// One cell of a binary row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    UInt(u64),
    Float(f32),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// Year, month, day, hour, minute, second, microsecond.
    Date([u32; 7]),
    /// Sign, days, hours, minutes, seconds, microseconds.
    Time(bool, [u32; 5]),
}

/// One result: rows or an OK.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub columns: Vec<String>,
    /// Type code, flags, collation of each column.
    pub types: Vec<(u8, u16, u16)>,
    pub rows: Vec<Vec<Option<String>>>,
    pub cells: Vec<Vec<Cell>>,
    pub affected: u64,
    pub insert_id: u64,
    pub status: u16,
    pub warnings: u16,
    pub info: String,
}

pub const IN_TRANSACTION: u16 = 1;
pub const AUTOCOMMIT: u16 = 2;
pub const MORE_RESULTS: u16 = 8;
/// SERVER_QUERY_NO_INDEX_USED: a table was read as a whole.
pub const NO_INDEX_USED: u16 = 32;

pub struct Client {
    pipe: Layer,
    seq: u8,
    caps: u32,
    /// Flags of the greeting.
    pub offered: u32,
    /// CONNECTION_ID().
    pub id: u32,
    /// What the password check went through.
    pub dialogue: Vec<&'static str>,
}

/// Reads one packet's fields.
pub struct Fields<'p>(pub &'p [u8]);

impl<'p> Fields<'p> {
    pub fn take(&mut self, n: usize) -> &'p [u8] {
        let (a, b) = self.0.split_at(n);
        self.0 = b;
        a
    }

    pub fn int(&mut self, bytes: usize) -> u64 {
        self.take(bytes).iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
    }

    pub fn lenenc(&mut self) -> u64 {
        match self.int(1) {
            0xFC => self.int(2),
            0xFD => self.int(3),
            0xFE => self.int(8),
            n => n,
        }
    }

    pub fn text(&mut self) -> String {
        let n = self.lenenc() as usize;
        String::from_utf8_lossy(self.take(n)).into_owned()
    }

    pub fn nul(&mut self) -> &'p [u8] {
        let n = self.0.iter().position(|b| *b == 0).unwrap_or(self.0.len());
        let text = self.take(n);
        self.0 = self.0.get(1..).unwrap_or_default();
        text
    }
}

pub fn failure(packet: &[u8]) -> Failure {
    let mut f = Fields(&packet[1..]);
    let errno = f.int(2) as u16;
    let state = if f.0.first() == Some(&b'#') {
        f.take(1);
        String::from_utf8_lossy(f.take(5)).into_owned()
    } else {
        String::new()
    };
    Failure { errno, state, message: String::from_utf8_lossy(f.0).into_owned() }
}

impl Client {
    pub fn tcp(port: u16, login: &Login<'_>) -> Result<Client, Failure> {
        let mut client = Client::raw(port);
        client.log_in(login, false)?;
        Ok(client)
    }

    pub fn unix(path: &Path, login: &Login<'_>) -> Result<Client, Failure> {
        let pipe = UnixStream::connect(path)?;
        pipe.set_read_timeout(Some(PATIENCE))?;
        let mut client = Client::over(Box::new(pipe));
        client.log_in(login, true)?;
        Ok(client)
    }

    /// Connected, nothing read or sent.
    pub fn raw(port: u16) -> Client {
        let pipe = TcpStream::connect(("127.0.0.1", port)).unwrap();
        pipe.set_read_timeout(Some(PATIENCE)).unwrap();
        pipe.set_nodelay(true).unwrap();
        Client::over(Box::new(pipe))
    }

    pub fn over(pipe: Box<dyn Pipe>) -> Client {
        Client { pipe: Layer::new(pipe), seq: 0, caps: 0, offered: 0, id: 0, dialogue: Vec::new() }
    }

    /// From here on everything goes over another pipe.
    pub fn goes_over(&mut self, pipe: Box<dyn Pipe>) {
        self.pipe = Layer::new(pipe);
    }

    /// Ends the connection without a word.
    pub fn vanish(self) {
        self.end();
    }

    pub fn end(&self) {
        self.pipe.end();
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pipe.write_all(bytes)?;
        self.pipe.flush()
    }

    pub fn set_seq(&mut self, seq: u8) {
        self.seq = seq;
    }

    pub fn write_packet(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut rest = payload;
        loop {
            let n = rest.len().min(0xFF_FFFF);
            let mut frame = (n as u32).to_le_bytes()[..3].to_vec();
            frame.push(self.seq);
            self.seq = self.seq.wrapping_add(1);
            frame.extend_from_slice(&rest[..n]);
            self.pipe.write_all(&frame)?;
            rest = &rest[n..];
            if n < 0xFF_FFFF {
                return Ok(());
            }
        }
    }

    pub fn read_packet(&mut self) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        loop {
            let mut header = [0; 4];
            self.pipe.read_exact(&mut header)?;
            let n = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
            assert_eq!(header[3], self.seq, "sequence number of the answer");
            self.seq = header[3].wrapping_add(1);
            let at = out.len();
            out.resize(at + n, 0);
            self.pipe.read_exact(&mut out[at..])?;
            if n < 0xFF_FFFF {
                return Ok(out);
            }
        }
    }

    /// The error packet that is to come, with whatever sequence number.
    pub fn read_failure(&mut self) -> Failure {
        self.pipe.lax = true;
        let mut header = [0; 4];
        if let Err(e) = self.pipe.read_exact(&mut header) {
            return e.into();
        }
        let n = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
        let mut packet = vec![0; n];
        self.pipe.read_exact(&mut packet).unwrap();
        assert_eq!(packet[0], 0xFF, "{packet:?}");
        failure(&packet)
    }

    /// Has the server closed the connection?
    pub fn is_closed(&mut self) -> bool {
        let mut byte = [0];
        match self.pipe.read(&mut byte) {
            Ok(n) => n == 0,
            Err(e) => !matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
        }
    }

    /// The greeting: salt and version; or an error instead of it.
    pub fn greeting(&mut self) -> Result<(Vec<u8>, String), Failure> {
        let packet = self.read_packet()?;
        if packet[0] == 0xFF {
            return Err(failure(&packet));
        }
        let mut f = Fields(&packet);
        assert_eq!(f.int(1), 10);
        let version = String::from_utf8_lossy(f.nul()).into_owned();
        self.id = f.int(4) as u32;
        let mut salt = f.take(8).to_vec();
        f.take(1);
        let low = f.int(2) as u32;
        f.take(1 + 2);
        self.offered = low | (f.int(2) as u32) << 16;
        f.take(1 + 10);
        salt.extend_from_slice(f.take(12));
        Ok((salt, version))
    }

    fn log_in(&mut self, login: &Login<'_>, local: bool) -> Result<(), Failure> {
        let (salt, _) = self.greeting()?;
        self.answer_greeting(login, salt, local)
    }

    /// `local`: the password may be sent as it is.
    pub fn answer_greeting(
        &mut self,
        login: &Login<'_>,
        salt: Vec<u8>,
        local: bool,
    ) -> Result<(), Failure> {
        let with_db = if login.database.is_empty() { 0 } else { cap::CONNECT_WITH_DB };
        self.caps = cap::DEFAULT & !login.without | login.flags | with_db;
        let mut p = self.caps.to_le_bytes().to_vec();
        p.extend_from_slice(&(1u32 << 30).to_le_bytes());
        p.push(login.collation);
        p.extend_from_slice(&[0; 23]);
        p.extend_from_slice(login.user.as_bytes());
        p.push(0);
        let proof = match login.withhold {
            true => Vec::new(),
            false => proof(login.plugin, login.password, &salt),
        };
        p.push(proof.len() as u8);
        p.extend_from_slice(&proof);
        if with_db != 0 {
            p.extend_from_slice(login.database.as_bytes());
            p.push(0);
        }
        p.extend_from_slice(login.plugin.as_bytes());
        p.push(0);
        if self.caps & cap::ZSTD != 0 {
            p.extend(login.zstd_level);
        }
        self.write_packet(&p)?;
        self.prove(login, salt, local)?;
        // As clients do: what was not offered is not used.
        let method = match self.caps & self.offered {
            both if both & cap::COMPRESS != 0 => Method::Zlib,
            both if both & cap::ZSTD != 0 => Method::Zstd,
            _ => return Ok(()),
        };
        self.pipe.method = Some((method, login.zstd_level.unwrap_or(0)));
        Ok(())
    }

    /// Compressed packets hold at most so many bytes from here on.
    pub fn cut_at(&mut self, bytes: usize) {
        self.pipe.cut = bytes;
    }

    /// Below the compression.
    pub fn send_packed(&mut self, bytes: &[u8]) {
        self.pipe.send_packed(bytes);
    }

    /// Bytes that came and went on the wire since the last call.
    pub fn traffic(&mut self) -> usize {
        std::mem::take(&mut self.pipe.traffic)
    }

    /// The dialogue about the password until OK or error.
    fn prove(&mut self, login: &Login<'_>, mut salt: Vec<u8>, local: bool) -> Result<(), Failure> {
        loop {
            let packet = self.read_packet()?;
            match packet[0] {
                0 => return Ok(()),
                0xFF => return Err(failure(&packet)),
                0xFE => {
                    self.dialogue.push("switch");
                    let mut f = Fields(&packet[1..]);
                    let plugin = String::from_utf8_lossy(f.nul()).into_owned();
                    salt = f.take(20).to_vec();
                    if plugin == "sha256_password" {
                        self.prove_sha256(login.password, &salt, local)?;
                        continue;
                    }
                    let proof = proof(&plugin, login.password, &salt);
                    self.write_packet(&proof)?;
                }
                1 if packet[1] == 3 => self.dialogue.push("fast"),
                1 if packet[1] == 4 => {
                    let mut text = login.password.as_bytes().to_vec();
                    text.push(0);
                    if local {
                        self.dialogue.push("clear");
                    } else {
                        self.dialogue.push("key");
                        self.write_packet(&[2])?;
                        let key = self.read_packet()?;
                        text = seal(&key[1..], &text, &salt);
                    }
                    self.write_packet(&text)?;
                }
                other => panic!("unexpected {other} in the login"),
            }
        }
    }

    /// sha256_password: the password each time, under the server's key where others could read along.
    fn prove_sha256(&mut self, password: &str, salt: &[u8], local: bool) -> Result<(), Failure> {
        let mut text = [password.as_bytes(), &[0]].concat();
        if !local && !password.is_empty() {
            self.dialogue.push("key");
            self.write_packet(&[1])?;
            let key = self.read_packet()?;
            if key[0] == 0xFF {
                return Err(failure(&key));
            }
            text = seal(&key[1..], &text, salt);
        }
        Ok(self.write_packet(&text)?)
    }

    pub fn change_user(&mut self, login: &Login<'_>) -> Result<(), Failure> {
        let mut p = vec![0x11];
        p.extend_from_slice(login.user.as_bytes());
        p.extend_from_slice(&[0, 0]);
        p.extend_from_slice(login.database.as_bytes());
        p.push(0);
        p.extend_from_slice(&45u16.to_le_bytes());
        p.extend_from_slice(login.plugin.as_bytes());
        p.push(0);
        self.command(&p)?;
        self.prove(login, vec![0; 20], false)
    }

    /// Sends a command; its answer is to be read by the caller.
    pub fn command(&mut self, payload: &[u8]) -> io::Result<()> {
        self.seq = 0;
        self.pipe.restart()?;
        self.write_packet(payload)?;
        self.pipe.flush()
    }

    /// A command whose answer is one packet: OK, or what it is.
    pub fn simple(&mut self, payload: &[u8]) -> Result<Vec<u8>, Failure> {
        self.command(payload)?;
        let packet = self.read_packet()?;
        if packet.first() == Some(&0xFF) { Err(failure(&packet)) } else { Ok(packet) }
    }

    pub fn send_query(&mut self, sql: &str) {
        let mut p = vec![3];
        p.extend_from_slice(sql.as_bytes());
        self.command(&p).unwrap();
    }

    /// One statement of which the server may die.
    pub fn try_query(&mut self, sql: &str) -> Result<Answer, Failure> {
        let mut p = vec![3];
        p.extend_from_slice(sql.as_bytes());
        self.command(&p)?;
        self.read_answer(false)
    }

    /// One statement.
    pub fn query(&mut self, sql: &str) -> Result<Answer, Failure> {
        self.send_query(sql);
        let a = self.read_answer(false)?;
        assert_eq!(a.status & MORE_RESULTS, 0, "more results of {sql}");
        Ok(a)
    }

    /// A statement that must succeed.
    #[track_caller]
    pub fn run(&mut self, sql: &str) -> Answer {
        match self.query(sql) {
            Ok(a) => a,
            Err(e) => panic!("{sql}: {e:?}"),
        }
    }

    /// A statement that must fail: its number.
    #[track_caller]
    pub fn fail(&mut self, sql: &str) -> u16 {
        match self.query(sql) {
            Ok(a) => panic!("{sql} succeeded: {a:?}"),
            Err(e) => e.errno,
        }
    }

    /// The rows as text: cells by comma, rows by semicolon.
    #[track_caller]
    pub fn rows(&mut self, sql: &str) -> String {
        let a = self.run(sql);
        let row = |r: &Vec<Option<String>>| {
            let cells: Vec<_> = r.iter().map(|c| c.as_deref().unwrap_or("NULL")).collect();
            cells.join(",")
        };
        a.rows.iter().map(row).collect::<Vec<_>>().join(";")
    }

    /// Reads one result.
    pub fn read_answer(&mut self, binary: bool) -> Result<Answer, Failure> {
        let packet = self.read_packet()?;
        match packet[0] {
            0xFF => return Err(failure(&packet)),
            0 => return Ok(ok(&packet)),
            _ => {}
        }
        let n = Fields(&packet).lenenc() as usize;
        let mut a = Answer::default();
        for _ in 0..n {
            let packet = self.read_packet()?;
            let (name, ty) = column(&packet);
            a.columns.push(name);
            a.types.push(ty);
        }
        let old = self.caps & cap::DEPRECATE_EOF == 0;
        if old {
            let eof = self.read_packet()?;
            assert_eq!((eof[0], eof.len()), (0xFE, 5));
        }
        loop {
            let packet = self.read_packet()?;
            match packet[0] {
                0xFF => return Err(failure(&packet)),
                0xFE if old && packet.len() == 5 => {
                    let mut f = Fields(&packet[1..]);
                    a.warnings = f.int(2) as u16;
                    a.status = f.int(2) as u16;
                    return Ok(a);
                }
                0xFE if !old && packet.len() < 0xFF_FFFF => {
                    let end = ok(&packet);
                    a.warnings = end.warnings;
                    a.status = end.status;
                    return Ok(a);
                }
                _ if binary => a.cells.push(binary_row(&packet, &a.types)),
                _ => {
                    let mut f = Fields(&packet);
                    let mut row = Vec::new();
                    for _ in 0..n {
                        if f.0[0] == 0xFB {
                            f.take(1);
                            row.push(None);
                        } else {
                            row.push(Some(f.text()));
                        }
                    }
                    assert!(f.0.is_empty());
                    a.rows.push(row);
                }
            }
        }
    }

    /// The columns of a result and the status behind them: of a cursor, or for a client without DEPRECATE_EOF.
    pub fn read_columns(&mut self) -> Result<u16, Failure> {
        let packet = self.read_packet()?;
        if packet[0] == 0xFF {
            return Err(failure(&packet));
        }
        for _ in 0..Fields(&packet).lenenc() {
            self.read_packet()?;
        }
        self.read_end()
    }

    fn read_end(&mut self) -> Result<u16, Failure> {
        let packet = self.read_packet()?;
        assert_eq!(packet[0], 0xFE);
        Ok(match self.caps & cap::DEPRECATE_EOF {
            0 => Fields(&packet[3..]).int(2) as u16,
            _ => ok(&packet).status,
        })
    }

    /// Rows up to the end: how many, and the status there.
    pub fn read_rows(&mut self) -> Result<(usize, u16), Failure> {
        let mut rows = 0;
        loop {
            let packet = self.read_packet()?;
            match packet[0] {
                0xFF => return Err(failure(&packet)),
                0xFE if self.caps & cap::DEPRECATE_EOF == 0 => {
                    return Ok((rows, Fields(&packet[3..]).int(2) as u16));
                }
                0xFE => return Ok((rows, ok(&packet).status)),
                _ => rows += 1,
            }
        }
    }

    /// (statement id, parameters, columns)
    pub fn prepare(&mut self, sql: &str) -> Result<(u32, usize, usize), Failure> {
        let mut p = vec![0x16];
        p.extend_from_slice(sql.as_bytes());
        let packet = self.simple(&p)?;
        let mut f = Fields(&packet[1..]);
        let (id, columns, params) = (f.int(4) as u32, f.int(2) as usize, f.int(2) as usize);
        let old = self.caps & cap::DEPRECATE_EOF == 0;
        for n in [params, columns] {
            for _ in 0..n {
                self.read_packet()?;
            }
            if n > 0 && old {
                assert_eq!(self.read_packet()?[0], 0xFE);
            }
        }
        Ok((id, params, columns))
    }

    /// Executes with parameters as (type code, unsigned, bytes or `None` for NULL).
    pub fn execute(&mut self, id: u32, params: &[param::Param]) -> Result<Answer, Failure> {
        self.command(&execute_packet(id, params))?;
        self.read_answer(true)
    }
}

pub fn execute_packet(id: u32, params: &[param::Param]) -> Vec<u8> {
    let mut p = vec![0x17];
    p.extend_from_slice(&id.to_le_bytes());
    p.push(0);
    p.extend_from_slice(&1u32.to_le_bytes());
    if params.is_empty() {
        return p;
    }
    let mut nulls = vec![0; params.len().div_ceil(8)];
    for (i, (_, _, v)) in params.iter().enumerate() {
        if v.is_none() {
            nulls[i / 8] |= 1 << (i % 8);
        }
    }
    p.extend_from_slice(&nulls);
    p.push(1);
    for (ty, unsigned, _) in params {
        p.extend_from_slice(&[*ty, if *unsigned { 0x80 } else { 0 }]);
    }
    for (_, _, v) in params {
        p.extend_from_slice(v.as_deref().unwrap_or_default());
    }
    p
}

/// Parameters of the binary protocol.
pub mod param {
    pub type Param = (u8, bool, Option<Vec<u8>>);

    pub fn null() -> Param {
        (6, false, None)
    }

    pub fn int(n: i64) -> Param {
        (8, false, Some(n.to_le_bytes().to_vec()))
    }

    pub fn uint(n: u64) -> Param {
        (8, true, Some(n.to_le_bytes().to_vec()))
    }

    pub fn double(x: f64) -> Param {
        (5, false, Some(x.to_le_bytes().to_vec()))
    }

    pub fn float(x: f32) -> Param {
        (4, false, Some(x.to_le_bytes().to_vec()))
    }

    pub fn text(s: &str) -> Param {
        bytes(253, s.as_bytes())
    }

    pub fn bytes(ty: u8, b: &[u8]) -> Param {
        assert!(b.len() < 251);
        let mut v = vec![b.len() as u8];
        v.extend_from_slice(b);
        (ty, false, Some(v))
    }

    /// DATE, DATETIME or TIMESTAMP.
    pub fn date(ty: u8, d: [u32; 7]) -> Param {
        let mut v = vec![11];
        v.extend_from_slice(&(d[0] as u16).to_le_bytes());
        v.extend(d[1..6].iter().map(|n| *n as u8));
        v.extend_from_slice(&d[6].to_le_bytes());
        if ty == 10 {
            v.truncate(5);
            v[0] = 4;
        }
        (ty, false, Some(v))
    }

    pub fn time(negative: bool, t: [u32; 5]) -> Param {
        let mut v = vec![12, u8::from(negative)];
        v.extend_from_slice(&t[0].to_le_bytes());
        v.extend(t[1..4].iter().map(|n| *n as u8));
        v.extend_from_slice(&t[4].to_le_bytes());
        (11, false, Some(v))
    }
}

fn proof(plugin: &str, password: &str, salt: &[u8]) -> Vec<u8> {
    match plugin {
        "caching_sha2_password" => proof::caching_sha2(password.as_bytes(), salt),
        _ => proof::native(password.as_bytes(), salt),
    }
}

/// RSA-OAEP over the masked password.
fn seal(pem: &[u8], text: &[u8], salt: &[u8]) -> Vec<u8> {
    use aws_lc_rs::rsa::{OAEP_SHA1_MGF1SHA1, OaepPublicEncryptingKey, PublicEncryptingKey};
    let pem = std::str::from_utf8(pem).unwrap();
    let body: String = pem.lines().filter(|l| !l.starts_with('-')).collect();
    let (mut der, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for c in body.bytes().filter(|c| *c != b'=') {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            der.push((bits >> count) as u8);
        }
    }
    let masked: Vec<u8> = text.iter().zip(salt.iter().cycle()).map(|(a, b)| a ^ b).collect();
    let key = OaepPublicEncryptingKey::new(PublicEncryptingKey::from_der(&der).unwrap()).unwrap();
    let mut sealed = vec![0; key.ciphertext_size()];
    let n = key.encrypt(&OAEP_SHA1_MGF1SHA1, &masked, &mut sealed, None).unwrap().len();
    sealed.truncate(n);
    sealed
}

fn ok(packet: &[u8]) -> Answer {
    // The shortest has two numbers, the status and a count of warnings.
    assert!(packet.len() >= 7 && packet[1] < 0xFF, "no OK packet: {packet:02x?}");
    let mut f = Fields(&packet[1..]);
    let (affected, insert_id) = (f.lenenc(), f.lenenc());
    let (status, warnings) = (f.int(2) as u16, f.int(2) as u16);
    let info = if f.0.is_empty() { String::new() } else { f.text() };
    Answer { affected, insert_id, status, warnings, info, ..Answer::default() }
}

fn column(packet: &[u8]) -> (String, (u8, u16, u16)) {
    let mut f = Fields(packet);
    assert_eq!(f.text(), "def");
    for _ in 0..3 {
        f.text();
    }
    let name = f.text();
    f.text();
    assert_eq!(f.lenenc(), 12);
    let collation = f.int(2) as u16;
    f.int(4);
    let ty = f.int(1) as u8;
    (name, (ty, f.int(2) as u16, collation))
}

fn binary_row(packet: &[u8], types: &[(u8, u16, u16)]) -> Vec<Cell> {
    let mut f = Fields(packet);
    assert_eq!(f.int(1), 0);
    let nulls = f.take((types.len() + 9) / 8);
    let is_null = |i: usize| nulls[(i + 2) / 8] & (1 << ((i + 2) % 8)) != 0;
    let row = types.iter().enumerate().map(|(i, ty)| match is_null(i) {
        true => Cell::Null,
        false => cell(&mut f, *ty),
    });
    let row = row.collect();
    assert!(f.0.is_empty(), "bytes left in a row");
    row
}

fn cell(f: &mut Fields<'_>, (ty, flags, collation): (u8, u16, u16)) -> Cell {
    let unsigned = flags & 32 != 0;
    let mut int = |n: usize| {
        let v = f.int(n);
        let shift = 64 - 8 * n as u32;
        if unsigned { Cell::UInt(v) } else { Cell::Int((v << shift) as i64 >> shift) }
    };
    match ty {
        1 => int(1),
        2 | 13 => int(2),
        3 | 9 => int(4),
        8 => int(8),
        4 => Cell::Float(f32::from_bits(f.int(4) as u32)),
        5 => Cell::Double(f64::from_bits(f.int(8))),
        7 | 10 | 12 => {
            let n = f.int(1);
            let mut d = [0; 7];
            if n >= 4 {
                d[0] = f.int(2) as u32;
                d[1] = f.int(1) as u32;
                d[2] = f.int(1) as u32;
            }
            if n >= 7 {
                d[3..6].iter_mut().for_each(|x| *x = f.int(1) as u32);
            }
            if n >= 11 {
                d[6] = f.int(4) as u32;
            }
            Cell::Date(d)
        }
        11 => {
            let n = f.int(1);
            let mut t = [0; 5];
            let mut negative = false;
            if n >= 8 {
                negative = f.int(1) != 0;
                t[0] = f.int(4) as u32;
                t[1..4].iter_mut().for_each(|x| *x = f.int(1) as u32);
            }
            if n >= 12 {
                t[4] = f.int(4) as u32;
            }
            Cell::Time(negative, t)
        }
        _ => {
            let n = f.lenenc() as usize;
            let b = f.take(n);
            if collation == 63 && ty != 246 {
                Cell::Bytes(b.to_vec())
            } else {
                Cell::Text(String::from_utf8_lossy(b).into_owned())
            }
        }
    }
}
