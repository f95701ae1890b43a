//! Headers, checksums, and the cutting of a file into events.

use crate::error::{Error, Result};
use crate::kind::Kind;
use weir_wire::Reader;

/// The first bytes of a file of the log.
pub const MAGIC: &[u8; 4] = b"\xFEbin";
pub const HEADER_LEN: usize = 19;
pub const CHECKSUM_LEN: usize = 4;

/// Flags of the header.
pub mod flag {
    /// The file was not closed when the event was read.
    pub const IN_USE: u16 = 0x1;
    /// A statement that depends on the thread: one about temporary tables.
    pub const THREAD_SPECIFIC: u16 = 0x4;
    /// The event does not depend on the default database.
    pub const SUPPRESS_USE: u16 = 0x8;
    /// The event stands in no file: the source made it for the stream.
    pub const ARTIFICIAL: u16 = 0x20;
    /// A reader that does not know the type passes over the event.
    pub const IGNORABLE: u16 = 0x80;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Seconds since 1970 at the source.
    pub timestamp: u32,
    pub kind: Kind,
    pub server_id: u32,
    /// Bytes of the whole event, with header and checksum.
    pub len: u32,
    /// Where the next event begins in the source's file. Zero in artificial events.
    pub end: u32,
    pub flags: u16,
}

impl Header {
    pub fn decode(bytes: &[u8]) -> Result<Header> {
        let mut r = Reader::new(bytes);
        let (timestamp, kind) = (r.u32()?, Kind::of(r.u8()?));
        let header = Header {
            timestamp,
            kind,
            server_id: r.u32()?,
            len: r.u32()?,
            end: r.u32()?,
            flags: r.u16()?,
        };
        if (header.len as usize) < HEADER_LEN {
            return Err(Error::Malformed("the length of an event"));
        }
        Ok(header)
    }

    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.timestamp.to_le_bytes());
        out.push(self.kind.number());
        out.extend_from_slice(&self.server_id.to_le_bytes());
        out.extend_from_slice(&self.len.to_le_bytes());
        out.extend_from_slice(&self.end.to_le_bytes());
        out.extend_from_slice(&self.flags.to_le_bytes());
    }

    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    pub fn is_artificial(&self) -> bool {
        self.has(flag::ARTIFICIAL)
    }
}

/// What stands at the end of each event of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Checksum {
    #[default]
    None,
    Crc32,
}

/// How the events of a stream are to be read: what a FORMAT_DESCRIPTION event says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    pub server_version: String,
    pub checksum: Checksum,
    /// Length of the fixed part of each type of events, by type less one.
    pub fixed: Vec<u8>,
}

impl Default for Format {
    fn default() -> Format {
        Format { server_version: String::new(), checksum: Checksum::None, fixed: Vec::new() }
    }
}

/// Bytes of the version of a server in a FORMAT_DESCRIPTION event.
pub const VERSION_LEN: usize = 50;

impl Format {
    /// From the whole event. It says itself whether it has a checksum, and one with a checksum algorithm always has one.
    pub fn decode(event: &[u8]) -> Result<Format> {
        let header = Header::decode(event)?;
        if header.kind != Kind::FormatDescription || header.len as usize != event.len() {
            return Err(Error::Malformed("a FORMAT_DESCRIPTION event"));
        }
        let mut r = Reader::new(&event[HEADER_LEN..]);
        if r.u16()? != 4 {
            return Err(Error::Refused("a binary log of another version than 4".into()));
        }
        let version = r.bytes(VERSION_LEN)?;
        let end = version.iter().position(|b| *b == 0).unwrap_or(VERSION_LEN);
        let server_version = String::from_utf8_lossy(&version[..end]).into_owned();
        r.u32()?;
        if usize::from(r.u8()?) != HEADER_LEN {
            return Err(Error::Malformed("the length of the headers of a log"));
        }
        let rest = r.rest();
        // MySQL 5.6.1 and MariaDB 5.3 were the first with an algorithm behind the lengths.
        let with_algorithm = knows_checksums(&server_version);
        let Some(lens) = rest.len().checked_sub(if with_algorithm { 1 + CHECKSUM_LEN } else { 0 })
        else {
            return Err(Error::Malformed("a FORMAT_DESCRIPTION event"));
        };
        let checksum = match rest.get(lens) {
            Some(1) if with_algorithm => Checksum::Crc32,
            Some(0) | None => Checksum::None,
            _ => return Err(Error::Refused("the checksum algorithm of the log".into())),
        };
        if checksum == Checksum::Crc32 {
            check(event)?;
        }
        Ok(Format { server_version, checksum, fixed: rest[..lens].to_vec() })
    }

    /// Length of the fixed part of a type of events; `usual` where the log does not say.
    pub fn fixed_len(&self, kind: Kind, usual: u8) -> u8 {
        let at = usize::from(kind.number()).wrapping_sub(1);
        self.fixed.get(at).copied().filter(|n| *n > 0).unwrap_or(usual)
    }

    pub fn is_mariadb(&self) -> bool {
        self.server_version.to_ascii_lowercase().contains("mariadb")
    }
}

/// Whether the logs of this server version name a checksum algorithm.
fn knows_checksums(version: &str) -> bool {
    let part = |t: Option<&str>| {
        let digits: String = t.unwrap_or("").chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap_or(0)
    };
    let mut parts = version.split('.');
    let found = (part(parts.next()), part(parts.next()), part(parts.next()));
    match version.to_ascii_lowercase().contains("mariadb") {
        true => found >= (5, 3, 0),
        false => found >= (5, 6, 1),
    }
}

/// One event: its header and what stands between the header and the checksum.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    pub header: Header,
    pub body: &'a [u8],
}

impl<'a> Event<'a> {
    /// From the bytes of exactly one event. A FORMAT_DESCRIPTION event is read by [`Format::decode`].
    pub fn decode(bytes: &'a [u8], checksum: Checksum) -> Result<Event<'a>> {
        let header = Header::decode(bytes)?;
        if header.len as usize != bytes.len() {
            return Err(Error::Malformed("the length of an event"));
        }
        let end = match checksum {
            Checksum::None => bytes.len(),
            Checksum::Crc32 => {
                check(bytes)?;
                bytes.len() - CHECKSUM_LEN
            }
        };
        Ok(Event { header, body: &bytes[HEADER_LEN..end] })
    }
}

pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The same of bytes that come in pieces.
#[derive(Debug, Default)]
pub struct Sum(flate2::Crc);

impl Sum {
    pub fn add(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub fn value(&self) -> u32 {
        self.0.sum()
    }
}

/// Errors: the last four bytes are not the checksum of those before them.
fn check(event: &[u8]) -> Result<()> {
    let at = event.len().checked_sub(CHECKSUM_LEN).filter(|at| *at >= HEADER_LEN);
    let (bytes, sum) = event.split_at(at.ok_or(Error::Malformed("the checksum of an event"))?);
    let written = <[u8; CHECKSUM_LEN]>::try_from(sum).map(u32::from_le_bytes);
    // The flag of a file in use is set and cleared in place, outside of the checksum.
    let sum = match bytes[4] == Kind::FormatDescription.number() && bytes[17] & 1 == 1 {
        false => crc32(bytes),
        true => {
            let mut closed = bytes.to_vec();
            closed[17] &= !1;
            crc32(&closed)
        }
    };
    if written.is_ok_and(|w| w == sum) { Ok(()) } else { Err(Error::Checksum) }
}

/// The events of a file, each as its bytes.
pub struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    pub fn new(bytes: &'a [u8]) -> Result<File<'a>> {
        let rest = bytes.strip_prefix(MAGIC);
        rest.map(File).ok_or(Error::Malformed("the beginning of a binary log"))
    }
}

impl<'a> Iterator for File<'a> {
    type Item = Result<&'a [u8]>;

    fn next(&mut self) -> Option<Result<&'a [u8]>> {
        if self.0.is_empty() {
            return None;
        }
        let rest = std::mem::take(&mut self.0);
        let cut = Header::decode(rest).and_then(|h| {
            rest.split_at_checked(h.len as usize).ok_or(Error::Malformed("a file that ends early"))
        });
        Some(cut.map(|(event, rest)| {
            self.0 = rest;
            event
        }))
    }
}

/// The events of an unpacked payload, which have no checksums.
pub fn packed(bytes: &[u8]) -> impl Iterator<Item = Result<&[u8]>> {
    File(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_logs_name_their_checksum() {
        for (version, knows) in [
            ("5.5.62-log", false),
            ("5.6.0", false),
            ("5.6.1", true),
            ("9.7.4-2", true),
            ("5.3.12-MariaDB", true),
            ("10.11.19-MariaDB-log", true),
            ("", false),
        ] {
            assert_eq!(knows_checksums(version), knows, "{version}");
        }
    }

    #[test]
    fn events_of_other_lengths_are_refused() {
        let header = Header {
            timestamp: 1,
            kind: Kind::Xid,
            server_id: 7,
            len: 27,
            end: 0,
            flags: flag::ARTIFICIAL,
        };
        let mut bytes = Vec::new();
        header.encode(&mut bytes);
        assert_eq!(Header::decode(&bytes), Ok(header));
        assert!(Event::decode(&bytes, Checksum::None).is_err());
        bytes.extend_from_slice(&[1; 8]);
        let event = Event::decode(&bytes, Checksum::None).expect("whole");
        assert_eq!((event.header.kind, event.body), (Kind::Xid, &[1; 8][..]));
        assert_eq!(Event::decode(&bytes, Checksum::Crc32).err(), Some(Error::Checksum));
        bytes[9] = 3;
        assert!(Header::decode(&bytes).is_err());
    }
}
