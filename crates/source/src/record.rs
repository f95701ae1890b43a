//! What rides in the redo log for one transaction: who it is, and its events without what the files add (headers, positions, checksums,
//! the event that names the transaction).
//!
//! Layout, integers little-endian: `form u8 | named u8 | statements u8 | server id u32 | immediate u64 | original u64 | immediate version
//! u32 | original version u32 | behind u64 | events u32 | bytes of bodies u64`, then for a given name `uuid 16 | number u64 | length u8,
//! tag`, then of form 1 the events, of form 2 `file u64 | bytes u64 | crc32 u32`. An event is `type u8 | flags u16 | time u32 | length u32
//! | body`.

use weir_binlog::event::crc32;
use weir_binlog::{Error, Gtid, Kind, Result, Source};
use weir_engine::Lsn;
use weir_wire::Reader;

const INLINE: u8 = 1;
const SPILLED: u8 = 2;

/// Bytes of an event in a record before its body.
pub const EVENT_HEAD: usize = 11;

/// How a transaction is named in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// By the next number of this server.
    Automatic,
    /// `gtid_mode = OFF`.
    Anonymous,
    /// `gtid_next` said so.
    Given(Gtid),
}

/// Events that are gathered for a record.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub bytes: Vec<u8>,
    pub count: u32,
    /// Bytes of all bodies.
    pub bodies: u64,
}

impl Batch {
    pub fn push(&mut self, (kind, flags, time): (Kind, u16, u32), body: &[u8]) {
        self.bytes.push(kind.number());
        self.bytes.extend_from_slice(&flags.to_le_bytes());
        self.bytes.extend_from_slice(&time.to_le_bytes());
        self.bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(body);
        self.count += 1;
        self.bodies += body.len() as u64;
    }
}

/// Where the events are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events<'a> {
    Inline(&'a [u8]),
    /// In a file of their own, which was synced before the record was written.
    Spilled {
        file: u64,
        bytes: u64,
        crc: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub named: Named,
    pub may_have_statements: bool,
    pub server_id: u32,
    /// Microseconds since 1970 at which it was committed here, and where it began.
    pub immediate: u64,
    pub original: u64,
    pub immediate_version: u32,
    pub original_version: u32,
    /// It may run at the same time as transactions whose groups end beyond this LSN.
    pub behind: Lsn,
    pub count: u32,
    pub bodies: u64,
    pub events: Events<'a>,
}

impl Record<'_> {
    pub fn encode(&self) -> Vec<u8> {
        let (form, more) = match self.events {
            Events::Inline(bytes) => (INLINE, bytes.len()),
            Events::Spilled { .. } => (SPILLED, 20),
        };
        let mut out = Vec::with_capacity(128 + more);
        out.push(form);
        out.push(match self.named {
            Named::Automatic => 0,
            Named::Anonymous => 1,
            Named::Given(_) => 2,
        });
        out.push(u8::from(self.may_have_statements));
        out.extend_from_slice(&self.server_id.to_le_bytes());
        out.extend_from_slice(&self.immediate.to_le_bytes());
        out.extend_from_slice(&self.original.to_le_bytes());
        out.extend_from_slice(&self.immediate_version.to_le_bytes());
        out.extend_from_slice(&self.original_version.to_le_bytes());
        out.extend_from_slice(&self.behind.to_le_bytes());
        out.extend_from_slice(&self.count.to_le_bytes());
        out.extend_from_slice(&self.bodies.to_le_bytes());
        if let Named::Given(gtid) = &self.named {
            out.extend_from_slice(&gtid.source.uuid);
            out.extend_from_slice(&gtid.number.to_le_bytes());
            out.push(gtid.source.tag.len() as u8);
            out.extend_from_slice(gtid.source.tag.as_bytes());
        }
        match self.events {
            Events::Inline(bytes) => out.extend_from_slice(bytes),
            Events::Spilled { file, bytes, crc } => {
                out.extend_from_slice(&file.to_le_bytes());
                out.extend_from_slice(&bytes.to_le_bytes());
                out.extend_from_slice(&crc.to_le_bytes());
            }
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Result<Record<'_>> {
        let mut r = Reader::new(bytes);
        let form = r.u8()?;
        let named = r.u8()?;
        let may_have_statements = r.u8()? != 0;
        let (server_id, immediate, original) = (r.u32()?, r.u64()?, r.u64()?);
        let (immediate_version, original_version) = (r.u32()?, r.u32()?);
        let (behind, count, bodies) = (r.u64()?, r.u32()?, r.u64()?);
        let named = match named {
            0 => Named::Automatic,
            1 => Named::Anonymous,
            2 => {
                let uuid: [u8; 16] = r.array()?;
                let number = r.u64()?;
                let len = usize::from(r.u8()?);
                let tag = std::str::from_utf8(r.bytes(len)?)
                    .map_err(|_| Error::Malformed("the tag of a record"))?;
                Named::Given(Gtid::new(Source::with_tag(uuid, tag)?, number)?)
            }
            _ => return Err(Error::Malformed("the name of a record")),
        };
        let events = match form {
            INLINE => Events::Inline(r.rest()),
            SPILLED => Events::Spilled { file: r.u64()?, bytes: r.u64()?, crc: r.u32()? },
            _ => return Err(Error::Malformed("the form of a record")),
        };
        Ok(Record {
            named,
            may_have_statements,
            server_id,
            immediate,
            original,
            immediate_version,
            original_version,
            behind,
            count,
            bodies,
            events,
        })
    }
}

/// The checksum of a file of events.
pub fn sum_of(bytes: &[u8]) -> u32 {
    crc32(bytes)
}

/// An event of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    pub kind: Kind,
    pub flags: u16,
    pub time: u32,
    pub body: &'a [u8],
}

/// Cuts the first event off; `None` where the bytes do not hold all of it.
pub fn cut<'a>(bytes: &mut &'a [u8]) -> Result<Option<Part<'a>>> {
    if bytes.len() < EVENT_HEAD {
        return Ok(None);
    }
    let mut r = Reader::new(bytes);
    let kind = Kind::of(r.u8()?);
    let (flags, time, len) = (r.u16()?, r.u32()?, r.u32()? as usize);
    if bytes.len() - EVENT_HEAD < len {
        return Ok(None);
    }
    let (event, rest) = bytes.split_at(EVENT_HEAD + len);
    *bytes = rest;
    Ok(Some(Part { kind, flags, time, body: &event[EVENT_HEAD..] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut batch = Batch::default();
        batch.push((Kind::Query, 8, 77), b"BEGIN");
        batch.push((Kind::Xid, 0, 78), &[1; 8]);
        let gtid = Gtid::new(Source::with_tag([7; 16], "t").expect("a tag"), 9).expect("a number");
        for named in [Named::Automatic, Named::Anonymous, Named::Given(gtid)] {
            for events in [
                Events::Inline(&batch.bytes),
                Events::Spilled { file: 3, bytes: 9, crc: 5 },
                Events::Inline(&[]),
            ] {
                let record = Record {
                    named: named.clone(),
                    may_have_statements: true,
                    server_id: 4,
                    immediate: 5,
                    original: 6,
                    immediate_version: 80036,
                    original_version: 80035,
                    behind: 1 << 40,
                    count: batch.count,
                    bodies: batch.bodies,
                    events,
                };
                let bytes = record.encode();
                assert_eq!(Record::decode(&bytes).as_ref(), Ok(&record));
                for n in 0..bytes.len() {
                    _ = Record::decode(&bytes[..n]);
                }
            }
        }
        let mut rest = &batch.bytes[..];
        let first = cut(&mut rest).expect("an event").expect("a whole one");
        assert_eq!(
            (first.kind, first.flags, first.time, first.body),
            (Kind::Query, 8, 77, &b"BEGIN"[..])
        );
        let mut half = &rest[..rest.len() - 1];
        assert_eq!(cut(&mut half), Ok(None));
        assert_eq!(cut(&mut rest).expect("an event").map(|p| p.kind), Some(Kind::Xid));
        assert!(rest.is_empty());
    }
}
