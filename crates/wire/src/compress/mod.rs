//! The compressed protocol: a layer under the packets that carries their bytes in packets of its own.
//!
//! A compressed packet: three bytes of length, one of sequence number, three of the length before compression, then the bytes;
//! a length before compression of 0 says that they are as they were. Where the packets above begin and end does not matter: one
//! compressed packet may hold many of them, and one of them may span many. Both directions count in one sequence, which begins
//! again with each command.
//!
//! Invariants: what a header claims allocates nothing, because bytes are unpacked straight into the room that the reader has, piece by
//! piece; zstd alone keeps a window of its own, which is never larger than a packet may be. The last byte of a compressed packet is
//! handed out only when the packet has proved to be whole: no command is executed whose packet is broken.

use crate::constants::{HEADER, MAX_FRAME};
use crate::frame::FrameError;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use zstd::stream::raw::{CParameter, DParameter, Decoder, Operation};

/// How bytes are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    Zlib,
    /// With the level that the client asks for.
    Zstd(u8),
}

/// Levels of zstd that a client may ask for.
pub const ZSTD_LEVELS: std::ops::RangeInclusive<u8> = 1..=22;
/// The level of zlib, which nobody can choose.
pub const ZLIB_LEVEL: u8 = 6;

/// The header of a compressed packet.
const PACKED_HEADER: usize = HEADER + 3;
/// Shorter texts are sent as they are.
const LEAST: usize = 50;
/// Bytes of a compressed packet, at most. As long as MySQL's: there are clients that expect a packet to span two of them and no more.
pub const PIECE: usize = MAX_FRAME;
/// Logarithm of zstd's window when it compresses: at its highest levels it would hold hundreds of megabytes for a long packet.
const WINDOW_LOG: u32 = 20;
/// Room of the packer that is kept between packets.
const KEEP_ROOM: usize = 64 * 1024;
/// Bytes taken from the transport at once.
const CHUNK: usize = 16 * 1024;
/// A compressed packet may hold this much however small a packet must be: clients gather small ones.
const LEAST_LIMIT: usize = 64 * 1024;
/// After a packet longer than this the decompressor, which may have a window as long, is made again.
const KEEP_WINDOW: usize = 1 << 20;

impl Algorithm {
    /// As `protocol_compression_algorithms` and SHOW STATUS call it.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Zlib => "zlib",
            Algorithm::Zstd(_) => "zstd",
        }
    }

    pub fn level(self) -> u8 {
        match self {
            Algorithm::Zlib => ZLIB_LEVEL,
            Algorithm::Zstd(level) => level,
        }
    }

    /// The two halves, which count together.
    pub fn layer(self, max_packet: usize) -> (Unpacker, Packer) {
        let sequence = Arc::new(AtomicU8::new(0));
        let packer = Packer {
            algorithm: self,
            sequence: sequence.clone(),
            out: Vec::new(),
            compressor: None,
        };
        (Unpacker::new(self, sequence, max_packet), packer)
    }
}

/// A packet that is being unpacked.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Bytes of it that are still to be read, and those that are to come of them.
    packed: usize,
    plain: usize,
    /// The bytes are as they were.
    stored: bool,
    /// The decompressor has seen the end of its stream.
    ended: bool,
    /// The step before filled the room that it had: there may be more without more input.
    full: bool,
    /// The last byte, kept until the end has been seen.
    last: Option<u8>,
    /// Whether the packet is long enough for a large window.
    long: bool,
}

enum Decompressor {
    Zlib(Decompress),
    Zstd(Decoder<'static>),
}

/// What one step of a decompressor did.
struct Step {
    used: usize,
    made: usize,
    ended: bool,
}

impl Decompressor {
    fn new(algorithm: Algorithm, limit: usize) -> Result<Decompressor, FrameError> {
        if algorithm == Algorithm::Zlib {
            return Ok(Decompressor::Zlib(Decompress::new(true)));
        }
        let made = Decoder::new().and_then(|mut decoder| {
            // The logarithm, rounded up: a window that holds a whole packet.
            let window = limit.min(MAX_FRAME).next_power_of_two().trailing_zeros();
            decoder.set_parameter(DParameter::WindowLogMax(window))?;
            Ok(Decompressor::Zstd(decoder))
        });
        made.map_err(|_| FrameError::Uncompress)
    }

    /// Makes it ready for another packet.
    fn restart(&mut self) -> Result<(), FrameError> {
        match self {
            Decompressor::Zlib(d) => {
                d.reset(true);
                Ok(())
            }
            Decompressor::Zstd(d) => d.reinit().map_err(|_| FrameError::Uncompress),
        }
    }

    fn step(&mut self, from: &[u8], into: &mut [u8]) -> Result<Step, FrameError> {
        match self {
            Decompressor::Zlib(d) => {
                let (before_in, before_out) = (d.total_in(), d.total_out());
                let status = d
                    .decompress(from, into, FlushDecompress::None)
                    .map_err(|_| FrameError::Uncompress)?;
                Ok(Step {
                    used: (d.total_in() - before_in) as usize,
                    made: (d.total_out() - before_out) as usize,
                    ended: status == Status::StreamEnd,
                })
            }
            Decompressor::Zstd(d) => {
                let status = d.run_on_buffers(from, into).map_err(|_| FrameError::Uncompress)?;
                let ended = status.remaining == 0;
                Ok(Step { used: status.bytes_read, made: status.bytes_written, ended })
            }
        }
    }
}

/// Incoming bytes, unpacked.
///
/// Bytes go in with [`Unpacker::space`] and [`Unpacker::filled`], and come out with [`Unpacker::unpack`].
pub struct Unpacker {
    algorithm: Algorithm,
    sequence: Arc<AtomicU8>,
    /// Bytes as they came: `raw[start..end]` is unread.
    raw: Vec<u8>,
    start: usize,
    end: usize,
    open: Option<Open>,
    decompressor: Option<Box<Decompressor>>,
    /// Longest packet, before compression and after.
    limit: usize,
}

impl Unpacker {
    fn new(algorithm: Algorithm, sequence: Arc<AtomicU8>, max_packet: usize) -> Unpacker {
        let mut unpacker = Unpacker {
            algorithm,
            sequence,
            raw: Vec::new(),
            start: 0,
            end: 0,
            open: None,
            decompressor: None,
            limit: 0,
        };
        unpacker.set_max_packet(max_packet);
        unpacker
    }

    /// The limit of the packets above: one frame of that length fits into a compressed packet.
    pub fn set_max_packet(&mut self, bytes: usize) {
        let limit = bytes.saturating_add(HEADER).max(LEAST_LIMIT);
        if limit != self.limit && self.open.is_none() {
            // Its window was as large as the limit.
            self.decompressor = None;
        }
        self.limit = limit;
    }

    /// A new command begins: unless it is in the packet at hand, so do the numbers.
    pub fn begin_command(&mut self) {
        if self.open.is_none() {
            self.sequence.store(0, Relaxed);
        }
    }

    /// Bytes that came and were not given out.
    pub fn has_buffered(&self) -> bool {
        self.start < self.end || self.open.is_some()
    }

    /// Room for the next read.
    pub fn space(&mut self) -> &mut [u8] {
        self.raw.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.raw.len() < CHUNK {
            self.raw.resize(CHUNK, 0);
        }
        &mut self.raw[self.end..]
    }

    /// `n` bytes of [`Unpacker::space`] are filled.
    pub fn filled(&mut self, n: usize) {
        assert!(n <= self.raw.len() - self.end, "more than the space that was given");
        self.end += n;
    }

    /// Bytes that came before it was known that they are compressed.
    pub fn take_over(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.end = self.raw.len();
    }

    /// Unpacks into `into`, no further than to the end of a packet, where numbers may begin again. 0: more has to be read first.
    pub fn unpack(&mut self, into: &mut [u8]) -> Result<usize, FrameError> {
        let mut made = 0;
        while made < into.len() {
            let Some(open) = self.open else {
                if made > 0 || !self.open_packet()? {
                    break;
                }
                continue;
            };
            let (used, more) = match open.stored {
                true => self.copy(open, &mut into[made..]),
                false => self.inflate(open, &mut into[made..])?,
            };
            made += more;
            if used == 0 && more == 0 && self.open.is_some() {
                break;
            }
        }
        Ok(made)
    }

    /// Reads a header. False: it has not come as a whole.
    fn open_packet(&mut self) -> Result<bool, FrameError> {
        let Some(header) = self.raw[self.start..self.end].first_chunk::<PACKED_HEADER>() else {
            return Ok(false);
        };
        let number = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], 0]) as usize
        };
        let (packed, plain, got) = (number(0), number(HEADER), header[3]);
        let want = self.sequence.load(Relaxed);
        if got != want {
            return Err(FrameError::OutOfOrder { want, got });
        }
        if packed.max(plain) > self.limit {
            return Err(FrameError::TooLarge);
        }
        self.sequence.store(want.wrapping_add(1), Relaxed);
        self.start += PACKED_HEADER;
        let stored = plain == 0;
        let plain = if stored { packed } else { plain };
        let long = plain.max(packed) > KEEP_WINDOW;
        let open = Open { packed, plain, stored, ended: false, full: false, last: None, long };
        // One that is empty is over already.
        self.open = (plain > 0).then_some(open);
        if !stored {
            match &mut self.decompressor {
                Some(d) => d.restart()?,
                none => *none = Some(Box::new(Decompressor::new(self.algorithm, self.limit)?)),
            }
        }
        Ok(true)
    }

    fn copy(&mut self, mut open: Open, into: &mut [u8]) -> (usize, usize) {
        let n = open.packed.min(into.len()).min(self.end - self.start);
        into[..n].copy_from_slice(&self.raw[self.start..self.start + n]);
        self.start += n;
        open.packed -= n;
        self.open = (open.packed > 0).then_some(open);
        (n, n)
    }

    /// One step; what was used and made.
    fn inflate(&mut self, mut open: Open, into: &mut [u8]) -> Result<(usize, usize), FrameError> {
        let from = &self.raw[self.start..self.end];
        let from = &from[..from.len().min(open.packed)];
        if from.is_empty() && !open.full {
            // Either the rest has not come yet, or the packet is over and something is missing.
            return if open.packed > 0 { Ok((0, 0)) } else { Err(FrameError::Uncompress) };
        }
        let decompressor = self.decompressor.as_mut().ok_or(FrameError::Uncompress)?;
        // The last byte stays here until the end is seen, and a byte beyond it is one too many.
        let mut spill = [0; 2];
        let last = open.plain == 1;
        let space = into.len();
        let room = match last {
            true => &mut spill[..],
            false => &mut into[..space.min(open.plain - 1)],
        };
        let step = decompressor.step(from, room)?;
        if step.used == 0 && step.made == 0 && (!from.is_empty() || open.packed == 0) {
            // The stream is over and its packet is not, or the other way round.
            return Err(FrameError::Uncompress);
        }
        open.full = step.made == room.len();
        open.ended = step.ended;
        self.start += step.used;
        open.packed -= step.used;
        let mut made = step.made;
        if last {
            if step.made > usize::from(open.last.is_none()) {
                return Err(FrameError::Uncompress);
            }
            open.last = open.last.or((step.made == 1).then_some(spill[0]));
            made = 0;
        }
        open.plain -= made;
        if let (0, Some(byte), true) = (open.packed, open.last, open.ended) {
            into[0] = byte;
            self.close(open);
            return Ok((step.used, 1));
        }
        self.open = Some(open);
        // A byte that is kept back counts as progress.
        Ok((step.used + (step.made - made), made))
    }

    fn close(&mut self, open: Open) {
        self.open = None;
        if open.long {
            self.decompressor = None;
        }
    }

    /// Gives memory back while the connection is idle; unread bytes stay.
    pub fn shrink(&mut self) {
        if self.open.is_none() {
            self.decompressor = None;
        }
        if self.start == self.end {
            self.raw = Vec::new();
            self.start = 0;
            self.end = 0;
        }
    }
}

enum Compressor {
    Zlib(Compress),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    fn new(algorithm: Algorithm) -> Option<Compressor> {
        match algorithm {
            Algorithm::Zlib => {
                let level = Compression::new(ZLIB_LEVEL.into());
                Some(Compressor::Zlib(Compress::new(level, true)))
            }
            Algorithm::Zstd(level) => {
                let mut made = zstd::bulk::Compressor::new(level.into()).ok()?;
                made.set_parameter(CParameter::WindowLog(WINDOW_LOG)).ok()?;
                Some(Compressor::Zstd(made))
            }
        }
    }

    /// The length of what was made; `None`: it does not fit.
    fn compress(&mut self, plain: &[u8], into: &mut [u8]) -> Option<usize> {
        match self {
            Compressor::Zlib(c) => {
                c.reset();
                let status = c.compress(plain, into, FlushCompress::Finish).ok()?;
                (status == Status::StreamEnd).then_some(c.total_out() as usize)
            }
            Compressor::Zstd(c) => c.compress_to_buffer(plain, into).ok(),
        }
    }
}

/// Outgoing bytes, packed.
pub struct Packer {
    algorithm: Algorithm,
    sequence: Arc<AtomicU8>,
    out: Vec<u8>,
    compressor: Option<Box<Compressor>>,
}

impl Packer {
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The compressed packet of a piece, of [`PIECE`] bytes at most. What does not become shorter goes as it is.
    pub fn pack(&mut self, piece: &[u8]) -> &[u8] {
        assert!(piece.len() <= PIECE, "a piece too long");
        self.out.clear();
        self.out.resize(PACKED_HEADER + piece.len(), 0);
        let packed = self.compress(piece);
        let (len, plain) = match packed {
            Some(n) => (n, piece.len()),
            None => {
                self.out[PACKED_HEADER..].copy_from_slice(piece);
                (piece.len(), 0)
            }
        };
        self.out[..3].copy_from_slice(&(len as u32).to_le_bytes()[..3]);
        self.out[3] = self.sequence.fetch_add(1, Relaxed);
        self.out[HEADER..PACKED_HEADER].copy_from_slice(&(plain as u32).to_le_bytes()[..3]);
        self.out.truncate(PACKED_HEADER + len);
        &self.out
    }

    fn compress(&mut self, piece: &[u8]) -> Option<usize> {
        if piece.len() < LEAST {
            return None;
        }
        if self.compressor.is_none() {
            self.compressor = Compressor::new(self.algorithm).map(Box::new);
        }
        // The room is a byte less than the piece.
        let room = &mut self.out[PACKED_HEADER..PACKED_HEADER + piece.len() - 1];
        self.compressor.as_mut()?.compress(piece, room)
    }

    /// What was packed is sent. The room of a long packet is given back.
    pub fn sent(&mut self) {
        self.out.clear();
        self.out.shrink_to(KEEP_ROOM);
    }

    /// Gives memory back while the connection is idle.
    pub fn shrink(&mut self) {
        self.out = Vec::new();
        self.compressor = None;
    }
}

#[cfg(test)]
mod tests;
