//! What rides in the redo log for one transaction: who it is, and its events without what the files add (headers, positions, checksums,
//! the event that names the transaction).
//!
//! Layout, `n` a length-encoded integer, others little-endian: `form u8 | flags u8 | server id n | immediate u64 | immediate version n |
//! behind n | events n | bytes of bodies n`, then by the flags `original u64 | original version n`, `ticket n`, `keys n, each u32`, and for a given name
//! `uuid 16 | number u64 | length u8, tag`, for the next one of another source `uuid 16`, then of form 3 the events, `bytes n` before them where they are packed (see `crate::pack`),
//! and of form 4 `file u64 | bytes u64 | crc32 u32`. An event is `type u8 | what u8 | flags u16 | time u32 | length n | body`, where `what` says
//! whether there are flags, and a time that is not that of the event before.

use crate::pack;
use weir_binlog::encode::Writer as Encoder;
use weir_binlog::event::{HEADER_LEN, crc32};
use weir_binlog::{Checksum, Error, Gtid, Kind, Result, Source};
use weir_engine::Lsn;
use weir_wire::{Reader, put_lenenc_int};

const INLINE: u8 = 3;
const SPILLED: u8 = 4;

/// Flags of a record; the lowest two bits say how the transaction is named.
const STATEMENTS: u8 = 4;
const ELSEWHERE: u8 = 8;
const TICKET: u8 = 16;
const PACKED: u8 = 32;
const KEYS: u8 = 64;

/// Keys that a record may have; a transaction of more conflicts with all that come before.
const KEYS_MAX: usize = 1024;

/// Where a header has the position behind its event.
const END_AT: usize = 13;

/// What an event's head has.
const HAS_FLAGS: u8 = 1;
const HAS_TIME: u8 = 2;

/// How a transaction is named in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// By the next number of this server.
    Automatic,
    /// `gtid_mode = OFF`.
    Anonymous,
    /// `gtid_next` said so, or the server that a channel follows.
    Given(Gtid),
    /// By the next number of this source: ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS.
    Next([u8; 16]),
}

/// Events that are gathered for a record.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub bytes: Vec<u8>,
    pub count: u32,
    /// Bytes of all bodies.
    pub bodies: u64,
    /// Changes are among them as texts.
    pub statements: bool,
    /// By which rows the transaction conflicts with others.
    pub keys: Keys,
    /// The time of the last event.
    time: u32,
}

/// Hashes of the unique keys of all rows that a transaction has changed.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    hashes: Vec<u32>,
    unknown: bool,
}

impl Keys {
    pub fn add(&mut self, hash: u32) {
        if !self.unknown && self.hashes.last() != Some(&hash) {
            self.hashes.push(hash);
            if self.hashes.len() > KEYS_MAX * 4 {
                self.shorten();
            }
        }
    }

    /// They do not tell all conflicts.
    pub fn forget(&mut self) {
        *self = Keys { hashes: Vec::new(), unknown: true };
    }

    fn shorten(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        if self.hashes.len() > KEYS_MAX {
            self.forget();
        }
    }

    /// For a record: those of rows that are known by their keys, all of them.
    pub fn of_record(&self) -> Option<Vec<u32>> {
        let mut all = self.clone();
        all.shorten();
        (!all.hashes.is_empty()).then_some(all.hashes)
    }
}

impl Batch {
    /// No events yet, which stand for those of the transaction that has these keys.
    pub fn with_keys(keys: Keys) -> Batch {
        Batch { keys, ..Batch::default() }
    }

    pub fn push(&mut self, (kind, flags, time): (Kind, u16, u32), body: &[u8]) {
        let same = std::mem::replace(&mut self.time, time) == time;
        let what = if flags != 0 { HAS_FLAGS } else { 0 } | if same { 0 } else { HAS_TIME };
        self.bytes.extend_from_slice(&[kind.number(), what]);
        if flags != 0 {
            self.bytes.extend_from_slice(&flags.to_le_bytes());
        }
        if !same {
            self.bytes.extend_from_slice(&time.to_le_bytes());
        }
        put_lenenc_int(&mut self.bytes, body.len() as u64);
        self.bytes.extend_from_slice(body);
        self.count += 1;
        self.bodies += body.len() as u64;
    }

    /// Puts the events of another batch behind those of this one.
    pub fn append(&mut self, other: &Batch) {
        self.bytes.extend_from_slice(&other.bytes);
        self.count += other.count;
        self.bodies += other.bodies;
        self.statements |= other.statements;
        if other.keys.unknown {
            self.keys.forget();
        }
        other.keys.hashes.iter().for_each(|h| self.keys.add(*h));
        self.time = other.time;
    }
}

impl Batch {
    /// The events as a payload has them: with headers, without checksums, and without positions, for they stand in no file.
    pub fn formatted(&self, server_id: u32) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.bytes.len() + self.count as usize * HEADER_LEN);
        let (mut rest, mut time) = (&self.bytes[..], 0);
        while let Some(part) = cut(&mut rest, &mut time)? {
            let mut encoder = Encoder { server_id, checksum: Checksum::None, position: 0 };
            let at = out.len();
            encoder.event((part.kind, part.flags, part.time), part.body, &mut out);
            out[at + END_AT..at + END_AT + 4].fill(0);
        }
        Ok(out)
    }
}

/// Where the events are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events<'a> {
    Inline(&'a [u8]),
    /// The same, packed from so many bytes. [`Record::encode`] does it where it makes them fewer.
    Packed {
        raw: u32,
        bytes: &'a [u8],
    },
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
    /// The number by which its session waits for the transaction's name, if it does. It means nothing after a crash.
    pub ticket: Option<u64>,
    /// Hashes of the unique keys of its rows: it conflicts with transactions that have one of them, and with no others. `None`: that is
    /// not known.
    pub keys: Option<Vec<u32>>,
    pub count: u32,
    pub bodies: u64,
    pub events: Events<'a>,
}

impl Record<'_> {
    pub fn encode(&self) -> Vec<u8> {
        let packed = match self.events {
            Events::Inline(bytes) => pack::pack(bytes).map(|p| (p, bytes.len())),
            _ => None,
        };
        let events = match (&packed, self.events) {
            (Some((bytes, raw)), _) => Events::Packed { raw: *raw as u32, bytes },
            (None, events) => events,
        };
        let mut out = Vec::with_capacity(128 + packed.as_ref().map_or(0, |(p, _)| p.len()));
        self.encode_head(&events, &mut out);
        match events {
            Events::Inline(bytes) => out.extend_from_slice(bytes),
            Events::Packed { raw, bytes } => {
                put_lenenc_int(&mut out, raw.into());
                out.extend_from_slice(bytes);
            }
            Events::Spilled { file, bytes, crc } => {
                out.extend_from_slice(&file.to_le_bytes());
                out.extend_from_slice(&bytes.to_le_bytes());
                out.extend_from_slice(&crc.to_le_bytes());
            }
        }
        out
    }

    fn encode_head(&self, events: &Events<'_>, out: &mut Vec<u8>) {
        out.push(if matches!(events, Events::Spilled { .. }) { SPILLED } else { INLINE });
        let own = (self.immediate, self.immediate_version);
        let elsewhere = own != (self.original, self.original_version);
        let named = match self.named {
            Named::Automatic => 0,
            Named::Anonymous => 1,
            Named::Given(_) => 2,
            Named::Next(_) => 3,
        };
        let flags = [
            (self.may_have_statements, STATEMENTS),
            (elsewhere, ELSEWHERE),
            (self.ticket.is_some(), TICKET),
            (self.keys.is_some(), KEYS),
            (matches!(events, Events::Packed { .. }), PACKED),
        ];
        out.push(flags.iter().filter(|(on, _)| *on).fold(named, |all, (_, bit)| all | bit));
        put_lenenc_int(out, self.server_id.into());
        out.extend_from_slice(&self.immediate.to_le_bytes());
        for n in [self.immediate_version.into(), self.behind, self.count.into(), self.bodies] {
            put_lenenc_int(out, n);
        }
        if elsewhere {
            out.extend_from_slice(&self.original.to_le_bytes());
            put_lenenc_int(out, self.original_version.into());
        }
        if let Some(ticket) = self.ticket {
            put_lenenc_int(out, ticket);
        }
        if let Some(keys) = &self.keys {
            put_lenenc_int(out, keys.len() as u64);
            keys.iter().for_each(|k| out.extend_from_slice(&k.to_le_bytes()));
        }
        match &self.named {
            Named::Automatic | Named::Anonymous => {}
            Named::Given(gtid) => {
                out.extend_from_slice(&gtid.source.uuid);
                out.extend_from_slice(&gtid.number.to_le_bytes());
                out.push(gtid.source.tag.len() as u8);
                out.extend_from_slice(gtid.source.tag.as_bytes());
            }
            Named::Next(uuid) => out.extend_from_slice(uuid),
        }
    }

    pub fn decode(bytes: &[u8]) -> Result<Record<'_>> {
        let bad = |what| Error::Malformed(what);
        let mut r = Reader::new(bytes);
        let (form, flags) = (r.u8()?, r.u8()?);
        let has = |bit: u8| flags & bit != 0;
        let server_id = number(&mut r)?;
        let immediate = r.u64()?;
        let immediate_version = number(&mut r)?;
        let (behind, count, bodies) = (r.lenenc_int()?, number(&mut r)?, r.lenenc_int()?);
        let (original, original_version) = match has(ELSEWHERE) {
            true => (r.u64()?, number(&mut r)?),
            false => (immediate, immediate_version),
        };
        let ticket = if has(TICKET) { Some(r.lenenc_int()?) } else { None };
        let keys = if has(KEYS) { Some(keys_of(&mut r)?) } else { None };
        let named = match flags & 3 {
            0 => Named::Automatic,
            1 => Named::Anonymous,
            2 => given(&mut r)?,
            _ => Named::Next(r.array()?),
        };
        let events = match (form, has(PACKED)) {
            (INLINE, false) => Events::Inline(r.rest()),
            (INLINE, true) => Events::Packed { raw: number(&mut r)?, bytes: r.rest() },
            (SPILLED, false) => Events::Spilled { file: r.u64()?, bytes: r.u64()?, crc: r.u32()? },
            _ => return Err(bad("the form of a record")),
        };
        Ok(Record {
            named,
            may_have_statements: has(STATEMENTS),
            server_id,
            immediate,
            original,
            immediate_version,
            original_version,
            behind,
            ticket,
            keys,
            count,
            bodies,
            events,
        })
    }
}

fn number(r: &mut Reader<'_>) -> Result<u32> {
    u32::try_from(r.lenenc_int()?).map_err(|_| Error::Malformed("a number of a record"))
}

fn keys_of(r: &mut Reader<'_>) -> Result<Vec<u32>> {
    let len = r.lenenc_int()?;
    if len > KEYS_MAX as u64 {
        return Err(Error::Malformed("the keys of a record"));
    }
    (0..len).map(|_| Ok(r.u32()?)).collect()
}

fn given(r: &mut Reader<'_>) -> Result<Named> {
    let uuid: [u8; 16] = r.array()?;
    let number = r.u64()?;
    let len = usize::from(r.u8()?);
    let tag = std::str::from_utf8(r.bytes(len)?);
    let tag = tag.map_err(|_| Error::Malformed("the tag of a record"))?;
    Ok(Named::Given(Gtid::new(Source::with_tag(uuid, tag)?, number)?))
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

/// Cuts the first event off; `None` where the bytes do not hold all of it. `time`: of the event before it, zero at the start.
pub fn cut<'a>(bytes: &mut &'a [u8], time: &mut u32) -> Result<Option<Part<'a>>> {
    let mut r = Reader::new(bytes);
    let Ok(part) = part(&mut r, *time) else { return Ok(None) };
    *time = part.time;
    *bytes = r.rest();
    Ok(Some(part))
}

fn part<'a>(
    r: &mut Reader<'a>,
    before: u32,
) -> std::result::Result<Part<'a>, weir_wire::Malformed> {
    let (kind, what) = (Kind::of(r.u8()?), r.u8()?);
    let flags = if what & HAS_FLAGS != 0 { r.u16()? } else { 0 };
    let time = if what & HAS_TIME != 0 { r.u32()? } else { before };
    Ok(Part { kind, flags, time, body: r.lenenc_str()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut batch = Batch::default();
        batch.push((Kind::Query, 8, 77), b"BEGIN");
        batch.push((Kind::RowsQuery, 0, 77), &[7; 300]);
        let mut more = Batch::default();
        more.push((Kind::Xid, 0, 78), &[1; 8]);
        batch.append(&more);
        let gtid = Gtid::new(Source::with_tag([7; 16], "t").expect("a tag"), 9).expect("a number");
        for (named, original, ticket) in [
            (Named::Automatic, 5, None),
            (Named::Anonymous, 6, Some(1 << 40)),
            (Named::Given(gtid), 6, None),
            (Named::Next([9; 16]), 0, None),
        ] {
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
                    original,
                    immediate_version: 80036,
                    original_version: 80035 + u32::from(original == 5),
                    behind: 1 << 40,
                    ticket,
                    keys: ticket.map(|_| vec![1, 1 << 31]),
                    count: batch.count,
                    bodies: batch.bodies,
                    events,
                };
                let bytes = record.encode();
                let read = Record::decode(&bytes).expect("a record");
                let same = match (read.events, events) {
                    (Events::Packed { raw, bytes }, Events::Inline(before)) => {
                        pack::unpack(bytes, raw as usize).expect("it unpacks") == before
                    }
                    (read, before) => read == before,
                };
                assert!(same && Record { events, ..read.clone() } == record, "{read:?}");
                for n in 0..bytes.len() {
                    _ = Record::decode(&bytes[..n]);
                }
            }
        }
        let mut keys = Keys::default();
        [3, 1, 3].into_iter().for_each(|k| keys.add(k));
        assert_eq!(keys.of_record(), Some(vec![1, 3]));
        (0..5000).for_each(|k| keys.add(k));
        keys.add(1);
        assert_eq!((keys.of_record(), Keys::default().of_record()), (None, None));
        let (mut rest, mut time) = (&batch.bytes[..], 0);
        let first = cut(&mut rest, &mut time).expect("an event").expect("a whole one");
        assert_eq!(
            (first.kind, first.flags, first.time, first.body),
            (Kind::Query, 8, 77, &b"BEGIN"[..])
        );
        let (mut half, mut half_time) = (&rest[..rest.len() - 1], time);
        let second = cut(&mut half, &mut half_time).expect("an event").map(|p| (p.kind, p.time));
        assert_eq!(second, Some((Kind::RowsQuery, 77)));
        assert_eq!(cut(&mut half, &mut half_time), Ok(None));
        _ = cut(&mut rest, &mut time);
        let last = cut(&mut rest, &mut time).expect("an event").map(|p| (p.kind, p.time));
        assert_eq!(last, Some((Kind::Xid, 78)));
        assert!(rest.is_empty());
    }
}
