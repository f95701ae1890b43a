//! The stream of a binary log: registration, the request for it, and its events.

use super::{Result, Source, SourceError, Stream};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::time::Duration;
use weir_binlog::GtidSet;
use weir_sql::errno;
use weir_sql::replication::Position;

/// Numbers of commands.
const REGISTER: u8 = 0x15;
const DUMP: u8 = 0x12;
const DUMP_GTID: u8 = 0x1E;

/// What begins an acknowledgement, and the two bytes before an event that say whether one is wanted.
const MAGIC: u8 = 0xEF;
const ASKED: u8 = 1;

/// The request names what is there already by identifiers.
const THROUGH_GTID: u16 = 4;
/// Where the first event of a file stands.
const FIRST: u32 = 4;

/// From where the stream is to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dump {
    Position {
        file: String,
        offset: u64,
    },
    /// All transactions but these.
    Gtids(GtidSet),
}

fn malformed() -> SourceError {
    SourceError { errno: 2027, text: "Malformed packet".into(), lost: true }
}

impl Source {
    /// Tells the source who reads its log.
    pub fn register(&mut self, server_id: u32, host: &str, port: u16) -> Result<()> {
        let mut body = server_id.to_le_bytes().to_vec();
        let host = &host.as_bytes()[..host.len().min(60)];
        body.push(host.len() as u8);
        body.extend_from_slice(host);
        // Name and password, which nobody shows.
        body.extend_from_slice(&[0, 0]);
        body.extend_from_slice(&port.to_le_bytes());
        // Rank, and the number of the source.
        body.extend_from_slice(&[0; 8]);
        self.command(REGISTER, &body)?;
        self.packet().map(drop)
    }

    pub fn dump(&mut self, server_id: u32, from: &Dump) -> Result<()> {
        match from {
            Dump::Position { file, offset } => {
                let Ok(offset) = u32::try_from(*offset) else {
                    let text = "a position behind 4 GiB cannot be asked for without GTIDs";
                    return Err(SourceError::new(
                        errno::ER_SOURCE_FATAL_ERROR_READING_BINLOG,
                        text,
                    ));
                };
                let mut body = offset.to_le_bytes().to_vec();
                body.extend_from_slice(&0u16.to_le_bytes());
                body.extend_from_slice(&server_id.to_le_bytes());
                body.extend_from_slice(file.as_bytes());
                self.command(DUMP, &body)
            }
            Dump::Gtids(set) => {
                let mut gtids = Vec::new();
                set.encode(&mut gtids);
                let mut body = THROUGH_GTID.to_le_bytes().to_vec();
                body.extend_from_slice(&server_id.to_le_bytes());
                body.extend_from_slice(&0u32.to_le_bytes());
                body.extend_from_slice(&u64::from(FIRST).to_le_bytes());
                body.extend_from_slice(&(gtids.len() as u32).to_le_bytes());
                body.extend_from_slice(&gtids);
                self.command(DUMP_GTID, &body)
            }
        }
    }

    /// The bytes of the next event; nothing when the source has ended the stream. `marked`: two bytes before it say whether it is to be
    /// acknowledged, which comes with it.
    pub fn event(&mut self, marked: bool) -> Result<Option<(&[u8], bool)>> {
        let asked = match self.packet()? {
            [0, MAGIC, flags, ..] if marked => flags & ASKED != 0,
            [0, ..] if !marked => false,
            [0xFE, rest @ ..] if rest.len() < 8 => return Ok(None),
            _ => return Err(malformed()),
        };
        if asked {
            // Packets are counted from the acknowledgement on, whenever that is sent.
            self.framer.set_sequence(1);
        }
        let event = self.framer.packet().get(if marked { 3 } else { 1 }..);
        event.map(|e| Some((e, asked))).ok_or_else(malformed)
    }

    /// Waits until the source has something to say, at most for `patience`. False: the bell rings.
    pub fn listen(&mut self, bell: &OwnedFd, patience: Duration) -> Result<bool> {
        let decrypted = match &mut self.stream {
            Some(Stream::Encrypted(s)) => {
                s.conn.process_new_packets().is_ok_and(|s| s.plaintext_bytes_to_read() > 0)
            }
            _ => false,
        };
        if self.framer.has_buffered() || decrypted {
            return Ok(true);
        }
        let limit = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: 0 };
        let flags = PollFlags::IN | PollFlags::RDHUP;
        let mut watched = [PollFd::new(&self.socket, flags), PollFd::new(bell, PollFlags::IN)];
        match poll(&mut watched, Some(&limit)) {
            Ok(0) => Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into()),
            Ok(_) => {
                let came = !watched[0].revents().is_empty();
                if !watched[1].revents().is_empty() {
                    let _ = rustix::io::read(bell, &mut [0u8; 8]);
                }
                Ok(came)
            }
            Err(Errno::INTR) => Ok(false),
            Err(e) => Err(std::io::Error::from(e).into()),
        }
    }

    /// Tells the source that everything up to this place is here to stay.
    pub fn acknowledge(&mut self, at: &Position) -> Result<()> {
        self.writer.set_sequence(0);
        let out = self.writer.begin();
        out.push(MAGIC);
        out.extend_from_slice(&at.offset.to_le_bytes());
        out.extend_from_slice(at.file.as_bytes());
        self.writer.end();
        self.send()
    }
}
