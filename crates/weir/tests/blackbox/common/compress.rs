//! The client's half of the compressed protocol, by hand.

use super::client::Pipe;
use std::io::{self, Read, Write};

#[derive(Clone, Copy, Debug)]
pub enum Method {
    Zlib,
    Zstd,
}

/// What is between the packets and the socket: nothing, or compression.
pub struct Layer {
    under: Box<dyn Pipe>,
    /// With its level.
    pub method: Option<(Method, u8)>,
    /// Bytes of a compressed packet, at most.
    pub cut: usize,
    /// Bytes that passed on the wire.
    pub traffic: usize,
    seq: u8,
    /// Numbers of answers are not looked at.
    pub lax: bool,
    out: Vec<u8>,
    plain: Vec<u8>,
    at: usize,
}

impl Layer {
    pub fn new(under: Box<dyn Pipe>) -> Layer {
        Layer {
            under,
            method: None,
            cut: 0xFF_FFFF,
            traffic: 0,
            seq: 0,
            lax: false,
            out: Vec::new(),
            plain: Vec::new(),
            at: 0,
        }
    }

    pub fn end(&self) {
        self.under.end();
    }

    /// A command begins.
    pub fn restart(&mut self) -> io::Result<()> {
        self.flush()?;
        self.seq = 0;
        Ok(())
    }

    pub fn send_packed(&mut self, bytes: &[u8]) {
        self.lax = true;
        self.under.write_all(bytes).unwrap();
    }

    fn send(&mut self, piece: &[u8], (method, level): (Method, u8)) -> io::Result<()> {
        let mut packed = pack(piece, method, level);
        let mut plain = piece.len();
        if plain < 50 || packed.len() >= plain {
            (packed, plain) = (piece.to_vec(), 0);
        }
        let mut frame = (packed.len() as u32).to_le_bytes()[..3].to_vec();
        frame.push(self.seq);
        self.seq = self.seq.wrapping_add(1);
        frame.extend_from_slice(&(plain as u32).to_le_bytes()[..3]);
        frame.extend_from_slice(&packed);
        self.traffic += frame.len();
        self.under.write_all(&frame)
    }

    fn receive(&mut self, method: Method) -> io::Result<()> {
        let mut header = [0; 7];
        self.under.read_exact(&mut header)?;
        let number = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], 0]) as usize
        };
        assert!(self.lax || header[3] == self.seq, "{} is not {}", header[3], self.seq);
        self.seq = header[3].wrapping_add(1);
        let mut bytes = vec![0; number(0)];
        self.under.read_exact(&mut bytes)?;
        self.traffic += bytes.len() + 7;
        self.at = 0;
        self.plain = match number(4) {
            0 => bytes,
            n => unpack(&bytes, n, method),
        };
        Ok(())
    }
}

/// The bytes of a compressed packet.
pub fn pack(piece: &[u8], method: Method, level: u8) -> Vec<u8> {
    match method {
        Method::Zlib => {
            let mut to = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
            to.write_all(piece).unwrap();
            to.finish().unwrap()
        }
        Method::Zstd => zstd::bulk::compress(piece, level.into()).unwrap(),
    }
}

fn unpack(bytes: &[u8], len: usize, method: Method) -> Vec<u8> {
    let mut out = Vec::new();
    match method {
        Method::Zlib => {
            flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut out).unwrap();
        }
        Method::Zstd => out = zstd::bulk::decompress(bytes, len).unwrap(),
    }
    assert_eq!(out.len(), len, "the length before compression");
    assert!(len >= 50 && bytes.len() < len, "compressed for nothing");
    out
}

impl Read for Layer {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let Some((method, _)) = self.method else { return self.under.read(into) };
        self.flush()?;
        while self.at == self.plain.len() {
            match self.receive(method) {
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                other => other?,
            }
        }
        let n = into.len().min(self.plain.len() - self.at);
        into[..n].copy_from_slice(&self.plain[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

impl Write for Layer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.method.is_none() {
            return self.under.write(bytes);
        }
        self.out.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let out = std::mem::take(&mut self.out);
        match self.method {
            None => Ok(()),
            Some(method) => out.chunks(self.cut).try_for_each(|piece| self.send(piece, method)),
        }
    }
}
