//! Packets: three bytes of length, one of sequence number, payload; a payload of 16 MiB - 1 goes
//! on in the next frame.

use crate::constants::{HEADER, MAX_FRAME};

/// Why a stream of bytes is no stream of packets. Both end the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// Error 1156.
    OutOfOrder { want: u8, got: u8 },
    /// Error 1153.
    TooLarge,
    /// Error 1157: a compressed packet is broken, or not as long as it says.
    Uncompress,
}

impl FrameError {
    pub fn errno(self) -> u16 {
        match self {
            FrameError::OutOfOrder { .. } => 1156,
            FrameError::TooLarge => 1153,
            FrameError::Uncompress => 1157,
        }
    }
}

impl std::fmt::Display for FrameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FrameError::OutOfOrder { .. } => "Got packets out of order",
            FrameError::TooLarge => "Got a packet bigger than 'max_allowed_packet' bytes",
            FrameError::Uncompress => "Couldn't uncompress communication packet",
        })
    }
}

impl std::error::Error for FrameError {}

/// Incoming bytes, cut into packets.
///
/// Bytes go in with [`Framer::space`] and [`Framer::filled`]; when [`Framer::poll_packet`] says that a
/// whole packet is there, [`Framer::packet`] is its payload, until the next poll discards it.
#[derive(Debug)]
pub struct Framer {
    buffer: Vec<u8>,
    /// Unread bytes are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Payload gathered from the frames of a packet longer than one frame.
    joined: Vec<u8>,
    /// A packet of several frames is being gathered.
    joining: bool,
    /// Bytes at `start` that the packet handed out last occupies.
    handed: usize,
    /// The packet handed out last is `joined`.
    handed_joined: bool,
    sequence: u8,
    /// Numbers are taken as they come.
    adopts_sequence: bool,
    max_packet: usize,
}

/// Size of the buffer for the first packet, a login: a thousand connections that say nothing yet cost little.
const LOGIN_CHUNK: usize = 1024;
/// Size of the buffer from then on: most statements fit, and an idle connection holds no more.
const FIRST_CHUNK: usize = 4 * 1024;

impl Framer {
    pub fn new(max_packet: usize) -> Framer {
        Framer {
            buffer: Vec::new(),
            start: 0,
            end: 0,
            joined: Vec::new(),
            joining: false,
            handed: 0,
            handed_joined: false,
            sequence: 0,
            adopts_sequence: false,
            max_packet,
        }
    }

    pub fn set_max_packet(&mut self, bytes: usize) {
        self.max_packet = bytes;
    }

    /// Sequence number that the next frame must have; an answer continues from it.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// After an answer in the middle of a dialogue (login) the client goes on counting from ours.
    pub fn set_sequence(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    /// From here on the numbers of a layer below are the ones that count. Clients take up that layer's here too, so that
    /// theirs jump, and MySQL does not look at them either.
    pub fn adopt_sequence(&mut self) {
        self.adopts_sequence = true;
    }

    /// Takes out what came behind the packet handed out last.
    pub fn take_buffered(&mut self) -> Vec<u8> {
        self.discard();
        let rest = self.buffer[self.start..self.end].to_vec();
        self.start = self.end;
        rest
    }

    /// A new command begins at sequence 0.
    pub fn begin_command(&mut self) {
        self.sequence = 0;
    }

    /// Bytes that came and are not part of a packet yet handed out.
    pub fn has_buffered(&self) -> bool {
        self.end - self.start > self.handed || self.joining
    }

    /// Room for the next read. Grows only as far as the frame at hand needs, but never to the
    /// length a header merely claims: at most the double of what arrived.
    pub fn space(&mut self) -> &mut [u8] {
        self.discard();
        if self.start > 0 && self.start == self.end {
            self.start = 0;
            self.end = 0;
        }
        if self.buffer.len() - self.end < FIRST_CHUNK / 4 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            let least = if self.buffer.is_empty() { LOGIN_CHUNK } else { FIRST_CHUNK };
            let wanted = (self.end * 2).max(least);
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
        }
        &mut self.buffer[self.end..]
    }

    /// Bytes of memory that it has for what came.
    pub fn room(&self) -> usize {
        self.buffer.len() + self.joined.capacity()
    }

    /// `n` bytes of [`Framer::space`] are filled.
    pub fn filled(&mut self, n: usize) {
        assert!(n <= self.buffer.len() - self.end, "more than the space that was given");
        self.end += n;
    }

    fn discard(&mut self) {
        self.start += std::mem::take(&mut self.handed);
        if std::mem::take(&mut self.handed_joined) {
            self.joined.clear();
        }
    }

    /// Is a whole packet there? Discards the one before.
    pub fn poll_packet(&mut self) -> Result<bool, FrameError> {
        self.discard();
        loop {
            let have = &self.buffer[self.start..self.end];
            let Some(header) = have.first_chunk::<HEADER>() else { return Ok(false) };
            let len = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
            // Refused at the header: a client cannot make the server gather a packet too large.
            if self.joined.len() + len > self.max_packet {
                return Err(FrameError::TooLarge);
            }
            if header[3] != self.sequence && !self.adopts_sequence {
                return Err(FrameError::OutOfOrder { want: self.sequence, got: header[3] });
            }
            if have.len() < HEADER + len {
                return Ok(false);
            }
            self.sequence = header[3].wrapping_add(1);
            if !self.joining && len < MAX_FRAME {
                self.handed = HEADER + len;
                return Ok(true);
            }
            let end = self.start + HEADER + len;
            self.joined.extend_from_slice(&self.buffer[self.start + HEADER..end]);
            self.start = end;
            self.joining = len == MAX_FRAME;
            if !self.joining {
                self.handed_joined = true;
                return Ok(true);
            }
        }
    }

    /// The payload that the last poll found; empty when it found none.
    pub fn packet(&self) -> &[u8] {
        if self.handed_joined {
            return &self.joined;
        }
        let whole = &self.buffer[self.start..self.start + self.handed];
        whole.get(HEADER..).unwrap_or_default()
    }

    /// Gives memory back while the connection is idle; unread bytes stay.
    pub fn shrink(&mut self, keep: usize) {
        self.discard();
        if !self.joining && self.joined.capacity() > keep {
            self.joined = Vec::new();
        }
        if self.buffer.len() > keep && self.start == self.end {
            self.buffer = Vec::new();
            self.start = 0;
            self.end = 0;
        }
    }
}

/// Outgoing packets, appended to one buffer.
///
/// [`Writer::begin`] opens a packet, the encoders append to [`Writer::buf`], [`Writer::end`]
/// closes it: fills in the header, splits what is longer than a frame.
#[derive(Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
    sequence: u8,
    /// Where the open packet's header is.
    open: usize,
}

impl Writer {
    pub fn new() -> Writer {
        Writer::default()
    }

    pub fn set_sequence(&mut self, sequence: u8) {
        self.sequence = sequence;
    }

    /// Sequence number of the next frame.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    pub fn begin(&mut self) -> &mut Vec<u8> {
        self.open = self.out.len();
        self.out.extend_from_slice(&[0; HEADER]);
        &mut self.out
    }

    /// The buffer of the open packet: encoders append to it.
    pub fn buf(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    pub fn end(&mut self) {
        let len = self.out.len() - self.open - HEADER;
        if len >= MAX_FRAME {
            return self.end_split(len);
        }
        // Three bytes of length, and one of the number.
        let header = len as u32 | u32::from(self.sequence) << 24;
        self.out[self.open..self.open + HEADER].copy_from_slice(&header.to_le_bytes());
        self.sequence = self.sequence.wrapping_add(1);
    }

    /// Puts a header in front of every 16 MiB - 1 bytes; the last frame is shorter, maybe empty.
    fn end_split(&mut self, len: usize) {
        let payload = self.out.split_off(self.open + HEADER);
        self.out.truncate(self.open);
        debug_assert_eq!(payload.len(), len);
        let mut rest = &payload[..];
        loop {
            let n = rest.len().min(MAX_FRAME);
            self.out.extend_from_slice(&(n as u32).to_le_bytes()[..3]);
            self.out.push(self.sequence);
            self.sequence = self.sequence.wrapping_add(1);
            self.out.extend_from_slice(&rest[..n]);
            rest = &rest[n..];
            if n < MAX_FRAME {
                return;
            }
        }
    }

    /// Appends packets that were encoded before, as the first of an answer: so many, with numbers from 1 on.
    pub fn put_first(&mut self, packets: &[u8], count: u8) {
        debug_assert_eq!(self.sequence, 1, "they are numbered as the first of an answer");
        self.out.extend_from_slice(packets);
        self.sequence = self.sequence.wrapping_add(count);
    }

    /// What is there, for [`Writer::back_to`], as long as nothing of it is sent.
    pub fn mark(&self) -> (usize, u8) {
        (self.out.len(), self.sequence)
    }

    /// Takes back all packets since a mark.
    pub fn back_to(&mut self, (len, sequence): (usize, u8)) {
        self.out.truncate(len);
        self.sequence = sequence;
    }

    /// Takes back the packet that was begun and not ended.
    pub fn abandon(&mut self) {
        self.out.truncate(self.open);
    }

    /// What is ready to be sent.
    pub fn pending(&self) -> &[u8] {
        &self.out
    }

    /// Everything was sent. Memory beyond `keep` is given back.
    pub fn sent(&mut self, keep: usize) {
        self.out.clear();
        if self.out.capacity() > keep {
            self.out.shrink_to(keep);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn feed(
        framer: &mut Framer,
        mut bytes: &[u8],
        step: usize,
    ) -> Vec<Result<Vec<u8>, FrameError>> {
        let mut got = Vec::new();
        loop {
            match framer.poll_packet() {
                Ok(true) => {
                    got.push(Ok(framer.packet().to_vec()));
                    continue;
                }
                Ok(false) => {}
                Err(error) => {
                    got.push(Err(error));
                    return got;
                }
            }
            if bytes.is_empty() {
                return got;
            }
            let space = framer.space();
            let n = bytes.len().min(step).min(space.len());
            space[..n].copy_from_slice(&bytes[..n]);
            framer.filled(n);
            bytes = &bytes[n..];
        }
    }

    fn packet(writer: &mut Writer, payload: &[u8]) {
        writer.begin().extend_from_slice(payload);
        writer.end();
    }

    #[test]
    fn long_packets_are_split_and_joined() {
        for len in [MAX_FRAME - 1, MAX_FRAME, MAX_FRAME + 1, 2 * MAX_FRAME] {
            let payload: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut writer = Writer::new();
            packet(&mut writer, &payload);
            packet(&mut writer, b"x");
            let frames = len / MAX_FRAME + 2;
            assert_eq!(usize::from(writer.sequence()), frames);
            let mut framer = Framer::new(64 << 20);
            let got = feed(&mut framer, writer.pending(), 1 << 20);
            assert_eq!(got.len(), 2);
            assert!(got[0].as_ref().is_ok_and(|p| *p == payload));
            assert_eq!(got[1], Ok(b"x".to_vec()));
        }
    }

    #[test]
    fn a_wrong_sequence_number_is_an_error() {
        let mut framer = Framer::new(1024);
        let got = feed(&mut framer, &[1, 0, 0, 3, 1], 100);
        assert_eq!(got, [Err(FrameError::OutOfOrder { want: 0, got: 3 })]);
        assert_eq!(FrameError::OutOfOrder { want: 0, got: 3 }.errno(), 1156);
    }

    #[test]
    fn too_large_is_seen_at_the_header() {
        let mut framer = Framer::new(1024);
        assert_eq!(feed(&mut framer, &[1, 4, 0, 0], 100), [Err(FrameError::TooLarge)]);
        let mut framer = Framer::new(1024);
        assert_eq!(feed(&mut framer, &[0, 4, 0, 0], 100), []);
        assert!(framer.has_buffered());
    }

    #[test]
    fn idle_memory_is_given_back() {
        let mut writer = Writer::new();
        packet(&mut writer, &vec![7; 1 << 20]);
        let mut framer = Framer::new(64 << 20);
        assert_eq!(feed(&mut framer, writer.pending(), 1 << 16).len(), 1);
        framer.shrink(4096);
        assert_eq!(framer.buffer.capacity(), 0);
        writer.sent(4096);
        assert!(writer.out.capacity() <= 4096);
    }

    proptest! {
        #[test]
        fn any_cut_gives_the_same_packets(
            payloads in proptest::collection::vec(
                proptest::collection::vec(any::<u8>(), 0..300), 0..8),
            step in 1usize..500,
        ) {
            let mut writer = Writer::new();
            payloads.iter().for_each(|p| packet(&mut writer, p));
            let mut framer = Framer::new(1 << 20);
            let got: Vec<_> =
                feed(&mut framer, writer.pending(), step).into_iter().map(Result::unwrap).collect();
            prop_assert_eq!(got, payloads);
        }

        #[test]
        fn garbage_never_panics(bytes: Vec<u8>, step in 1usize..64) {
            feed(&mut Framer::new(4096), &bytes, step);
        }
    }
}
