//! The events that begin a transaction and name it: GTID and ANONYMOUS_GTID of MySQL, GTID and GTID_LIST of MariaDB.

use crate::error::{Error, Result};
use crate::set::{Gtid, Source};
use weir_wire::Reader;

/// How a transaction of MySQL begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Begin {
    /// `None`: it is anonymous.
    pub gtid: Option<Gtid>,
    /// The transaction may contain statements that are logged as text.
    pub may_have_statements: bool,
    /// The transaction may run beside all that come before it, apart from those behind this one. Numbers count from the file's beginning.
    pub last_committed: i64,
    pub sequence_number: i64,
    /// Microseconds since 1970 at which it was committed at the source that this log is of, and at the one that it began at.
    pub immediate_commit: u64,
    pub original_commit: u64,
    /// Bytes of all its events.
    pub length: u64,
    /// Zero: not told.
    pub immediate_version: u32,
    pub original_version: u32,
}

const STATEMENTS: u8 = 1;
const LOGICAL_TIMESTAMPS: u8 = 2;
/// In the highest bit of a number: the original one comes after it, for it is another one.
const TIME_DIFFERS: u64 = 1 << 55;
const VERSION_DIFFERS: u32 = 1 << 31;

impl Begin {
    pub fn decode(body: &[u8], anonymous: bool) -> Result<Begin> {
        let mut r = Reader::new(body);
        let may_have_statements = r.u8()? & STATEMENTS != 0;
        let uuid: [u8; 16] = r.array()?;
        let number = r.u64()?;
        let gtid = match anonymous {
            true => None,
            false => Some(Gtid::new(Source::new(uuid), number)?),
        };
        let mut begin = Begin { gtid, may_have_statements, ..Begin::default() };
        // Servers before MySQL 5.7 end here.
        if r.len() < 17 || r.u8()? != LOGICAL_TIMESTAMPS {
            return Ok(begin);
        }
        begin.last_committed = r.u64()? as i64;
        begin.sequence_number = r.u64()? as i64;
        if r.len() < 7 {
            return Ok(begin);
        }
        let time = u56(&mut r)?;
        begin.immediate_commit = time & !TIME_DIFFERS;
        begin.original_commit = match time & TIME_DIFFERS {
            0 => begin.immediate_commit,
            _ => u56(&mut r)?,
        };
        if r.is_empty() {
            return Ok(begin);
        }
        begin.length = r.lenenc_int()?;
        if r.len() < 4 {
            return Ok(begin);
        }
        let version = r.u32()?;
        begin.immediate_version = version & !VERSION_DIFFERS;
        begin.original_version = match version & VERSION_DIFFERS {
            0 => begin.immediate_version,
            _ => r.u32()?,
        };
        Ok(begin)
    }
}

fn u56(r: &mut Reader<'_>) -> Result<u64> {
    let b: [u8; 7] = r.array()?;
    Ok(u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], 0]))
}

/// The identifier of a transaction of MariaDB: domain, server, number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MariaGtid {
    pub domain: u32,
    pub server: u32,
    pub number: u64,
}

impl std::fmt::Display for MariaGtid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}-{}", self.domain, self.server, self.number)
    }
}

impl std::str::FromStr for MariaGtid {
    type Err = Error;

    fn from_str(text: &str) -> Result<MariaGtid> {
        let bad = || Error::Malformed("an identifier of a transaction of MariaDB");
        let mut parts = text.trim().split('-');
        let mut next = || parts.next().filter(|p| p.bytes().all(|b| b.is_ascii_digit()));
        let gtid = MariaGtid {
            domain: next().and_then(|p| p.parse().ok()).ok_or_else(bad)?,
            server: next().and_then(|p| p.parse().ok()).ok_or_else(bad)?,
            number: next().and_then(|p| p.parse().ok()).ok_or_else(bad)?,
        };
        if parts.next().is_some() { Err(bad()) } else { Ok(gtid) }
    }
}

/// How a transaction of MariaDB begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MariaBegin {
    pub gtid: MariaGtid,
    pub flags: u8,
    pub extra_flags: u8,
    /// The distributed transaction that it is a branch of, as SQL writes one: its parts and the number of its format.
    pub xid: Option<String>,
}

pub mod maria_flag {
    /// One event is the whole transaction: a definition statement.
    pub const STANDALONE: u8 = 1;
    pub const GROUP_COMMIT_ID: u8 = 2;
    pub const DDL: u8 = 32;
    pub const PREPARED_XA: u8 = 64;
    pub const COMPLETED_XA: u8 = 128;
    /// In `extra_flags`: ALTER TABLE in two phases.
    pub const START_ALTER: u8 = 2;
    pub const COMMIT_ALTER: u8 = 4;
    pub const ROLLBACK_ALTER: u8 = 8;
}

impl MariaBegin {
    pub fn decode(body: &[u8], server: u32) -> Result<MariaBegin> {
        let mut r = Reader::new(body);
        let (number, domain, flags) = (r.u64()?, r.u32()?, r.u8()?);
        let mut begin = MariaBegin {
            gtid: MariaGtid { domain, server, number },
            flags,
            extra_flags: 0,
            xid: None,
        };
        if flags & maria_flag::GROUP_COMMIT_ID != 0 {
            r.u64()?;
        }
        if flags & (maria_flag::PREPARED_XA | maria_flag::COMPLETED_XA) != 0 {
            let format = r.u32()?;
            let (a, b) = (usize::from(r.u8()?), usize::from(r.u8()?));
            let (gtrid, bqual) = (hex(r.bytes(a)?), hex(r.bytes(b)?));
            begin.xid = Some(format!("X'{gtrid}',X'{bqual}',{format}"));
        }
        // Without a commit number the event is padded with zeros to the length that it would have with one.
        if !r.is_empty() {
            begin.extra_flags = r.u8()?;
        }
        Ok(begin)
    }

    /// The events are a branch that is prepared, which no statement begins.
    pub fn prepares(&self) -> Option<&str> {
        self.xid.as_deref().filter(|_| self.flags & maria_flag::PREPARED_XA != 0)
    }

    /// The transaction has no event that ends it.
    pub fn is_standalone(&self) -> bool {
        self.flags & maria_flag::STANDALONE != 0
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// GTID_LIST: the last transaction of each domain and server before the file.
pub fn maria_list(body: &[u8]) -> Result<Vec<MariaGtid>> {
    let mut r = Reader::new(body);
    let count = r.u32()? & 0x0FFF_FFFF;
    let mut all = Vec::new();
    for _ in 0..count {
        all.push(MariaGtid { domain: r.u32()?, server: r.u32()?, number: r.u64()? });
    }
    Ok(all)
}
