//! A server process on a free port and a temporary directory, and a small client of the protocol.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use weir_wire::handshake::{Login, decode_greeting, encode_login};
use weir_wire::{Capabilities, Reader};

pub struct Server {
    child: Child,
    pub dir: PathBuf,
    pub port: u16,
    keep: bool,
}

impl Server {
    pub fn start(name: &str, options: &[&str]) -> Server {
        let dir = std::env::temp_dir().join(format!("weir-test-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        Server::start_in(dir, options)
    }

    pub fn start_in(dir: PathBuf, options: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_weir"))
            .arg("serve")
            .arg(format!("--datadir={}", dir.display()))
            .arg("--port=0")
            .arg("--innodb-buffer-pool-size=32M")
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let mut port = None;
        for line in lines.by_ref() {
            let line = line.expect("text");
            if let Some(rest) = line.split("--port=").nth(1) {
                port = rest.split_whitespace().next().and_then(|p| p.parse().ok());
            }
            if line.contains("--socket=") {
                break;
            }
        }
        // The pipe must not fill up.
        std::thread::spawn(move || lines.for_each(drop));
        let port = port.expect("the ready line names the port");
        Server { child, dir, port, keep: false }
    }

    /// `kill -9`; the directory stays.
    pub fn kill(mut self) -> PathBuf {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
        self.keep = true;
        self.dir.clone()
    }

    /// A clean stop; the directory stays.
    pub fn stop(mut self) -> PathBuf {
        let pid = self.child.id().to_string();
        Command::new("kill").arg(&pid).status().expect("kill is there");
        assert!(self.child.wait().expect("it ends").success());
        self.keep = true;
        self.dir.clone()
    }

    pub fn rss_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("the process is there");
        let line = status.lines().find(|l| l.starts_with("VmRSS")).expect("a line of it");
        line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number")
    }

    pub fn client(&self) -> Client {
        Client::connect(self.port, "root").expect("root has no password")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !self.keep {
            let _ = std::fs::remove_dir_all(&self.dir);
        }
    }
}

#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Failed {
    pub errno: u16,
    pub text: String,
}

/// Rows of text; NULL is `None`.
pub type Rows = Vec<Vec<Option<String>>>;

pub struct Client {
    pub stream: TcpStream,
    sequence: u8,
}

impl Client {
    pub fn connect(port: u16, user: &str) -> Result<Client, Failed> {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        let mut c = Client { stream, sequence: 0 };
        let greeting = c.read();
        if greeting.first() == Some(&0xFF) {
            return Err(failed(&greeting));
        }
        decode_greeting(&greeting).expect("a greeting");
        let login = Login {
            capabilities: Capabilities(
                Capabilities::OFFERED.0
                    & !(Capabilities::CONNECT_WITH_DB.0 | Capabilities::SESSION_TRACK.0),
            ),
            max_packet: 1 << 24,
            collation: 45,
            user: user.as_bytes(),
            auth_plugin: Some(b"mysql_native_password"),
            ..Login::default()
        };
        let mut out = Vec::new();
        encode_login(&login, &mut out);
        c.write(&out);
        let mut answer = c.read();
        if answer.first() == Some(&0xFE) {
            // Another method: an empty password is an empty answer in all of them.
            c.write(b"");
            answer = c.read();
        }
        if answer.first() == Some(&0) { Ok(c) } else { Err(failed(&answer)) }
    }

    /// A packet as it is, with the sequence number that is due.
    pub fn write(&mut self, payload: &[u8]) {
        let mut frame = (payload.len() as u32).to_le_bytes()[..3].to_vec();
        frame.push(self.sequence);
        frame.extend_from_slice(payload);
        self.sequence = self.sequence.wrapping_add(1);
        self.stream.write_all(&frame).expect("the server reads");
    }

    /// The next packet; empty when the server has closed.
    pub fn read(&mut self) -> Vec<u8> {
        let mut head = [0u8; 4];
        if self.stream.read_exact(&mut head).is_err() {
            return Vec::new();
        }
        let len = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
        self.sequence = head[3].wrapping_add(1);
        let mut payload = vec![0; len];
        self.stream.read_exact(&mut payload).expect("the rest of the packet");
        payload
    }

    pub fn command(&mut self, code: u8, body: &[u8]) {
        self.sequence = 0;
        let mut p = vec![code];
        p.extend_from_slice(body);
        self.write(&p);
    }

    /// Text protocol: rows, or none for OK.
    pub fn query(&mut self, sql: &str) -> Result<Rows, Failed> {
        self.command(3, sql.as_bytes());
        self.answer(false)
    }

    pub fn run(&mut self, sql: &str) {
        if let Err(e) = self.query(sql) {
            panic!("{sql}: {e:?}");
        }
    }

    /// One value.
    pub fn value(&mut self, sql: &str) -> String {
        let rows = self.query(sql).unwrap_or_else(|e| panic!("{sql}: {e:?}"));
        rows[0][0].clone().unwrap_or_else(|| "NULL".into())
    }

    pub fn answer(&mut self, binary: bool) -> Result<Rows, Failed> {
        let first = self.read();
        match first.first() {
            Some(0) => return Ok(Vec::new()),
            Some(0xFF) => return Err(failed(&first)),
            None => panic!("the server closed the connection"),
            _ => {}
        }
        let columns = first[0] as usize;
        for _ in 0..columns {
            self.read();
        }
        let mut rows = Vec::new();
        loop {
            let p = self.read();
            match p.first() {
                Some(0xFE) if p.len() < 0xFF_FFFF && !binary => return Ok(rows),
                Some(0xFE) => return Ok(rows),
                Some(0xFF) => return Err(failed(&p)),
                None => panic!("the server closed the connection"),
                _ if binary => rows.push(vec![Some(format!("{p:?}"))]),
                _ => {
                    let mut r = Reader::new(&p);
                    let mut row = Vec::new();
                    while !r.is_empty() {
                        let null = r.clone().u8() == Ok(0xFB);
                        row.push(if null {
                            r.u8().expect("a byte");
                            None
                        } else {
                            let b = r.lenenc_str().expect("a value");
                            Some(String::from_utf8_lossy(b).into_owned())
                        });
                    }
                    rows.push(row);
                }
            }
        }
    }

    /// Prepares; gives the id and the number of parameters.
    pub fn prepare(&mut self, sql: &str) -> Result<(u32, u16), Failed> {
        self.command(0x16, sql.as_bytes());
        let head = self.read();
        if head[0] == 0xFF {
            return Err(failed(&head));
        }
        let mut r = Reader::new(&head[1..]);
        let (id, columns, params) =
            (r.u32().expect("id"), r.u16().expect("columns"), r.u16().expect("params"));
        for _ in 0..columns + params {
            self.read();
        }
        Ok((id, params))
    }
}

fn failed(p: &[u8]) -> Failed {
    let errno = u16::from_le_bytes([p[1], p[2]]);
    Failed { errno, text: String::from_utf8_lossy(&p[9.min(p.len())..]).into_owned() }
}
