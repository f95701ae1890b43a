//! GTID_TAGGED: the event that begins a transaction whose identifier has a tag. It is written in the self-describing form of MySQL 8.3:
//! fields with numbers, integers of one to nine bytes whose first one says by its trailing ones how many follow.

use crate::error::{Error, Result};
use crate::gtid::Begin;
use crate::set::{Gtid, Source, TAG_MAX};
use weir_wire::Reader;

/// Numbers of the fields.
mod field {
    pub const FLAGS: u64 = 0;
    pub const UUID: u64 = 1;
    pub const NUMBER: u64 = 2;
    pub const TAG: u64 = 3;
    pub const LAST_COMMITTED: u64 = 4;
    pub const SEQUENCE_NUMBER: u64 = 5;
    pub const IMMEDIATE_COMMIT: u64 = 6;
    pub const ORIGINAL_COMMIT: u64 = 7;
    pub const LENGTH: u64 = 8;
    pub const IMMEDIATE_VERSION: u64 = 9;
    pub const ORIGINAL_VERSION: u64 = 10;
    pub const COMMIT_TICKET: u64 = 11;
}

/// An unsigned integer.
pub(crate) fn varint(r: &mut Reader<'_>) -> Result<u64> {
    let first = r.u8()?;
    let more = first.trailing_ones() as usize;
    let rest = r.bytes(more)?;
    let tail = rest.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
    Ok(match more {
        // The first byte has a bit of the value for each byte that does not follow.
        0..=6 => tail << (7 - more) | u64::from(first) >> (more + 1),
        _ => tail,
    })
}

/// A signed one: the sign is the lowest bit, and negative numbers are inverted.
fn signed(r: &mut Reader<'_>) -> Result<i64> {
    let n = varint(r)?;
    Ok((n >> 1) as i64 ^ -((n & 1) as i64))
}

impl Begin {
    pub fn decode_tagged(body: &[u8]) -> Result<Begin> {
        let bad = || Error::Malformed("a tagged identifier of a transaction");
        let mut r = Reader::new(body);
        let (_version, _size, _last_needed) = (varint(&mut r)?, varint(&mut r)?, varint(&mut r)?);
        let mut begin = Begin::default();
        let (mut uuid, mut number, mut tag) = ([0u8; 16], 0, String::new());
        let (mut original_commit, mut original_version) = (None, None);
        while !r.is_empty() {
            match varint(&mut r)? {
                field::FLAGS => begin.may_have_statements = varint(&mut r)? & 1 != 0,
                field::UUID => {
                    for byte in &mut uuid {
                        *byte = u8::try_from(varint(&mut r)?).map_err(|_| bad())?;
                    }
                }
                field::NUMBER => number = u64::try_from(signed(&mut r)?).map_err(|_| bad())?,
                field::TAG => {
                    let len = varint(&mut r)? as usize;
                    if len > TAG_MAX {
                        return Err(bad());
                    }
                    tag = String::from_utf8(r.bytes(len)?.to_vec()).map_err(|_| bad())?;
                }
                field::LAST_COMMITTED => begin.last_committed = signed(&mut r)?,
                field::SEQUENCE_NUMBER => begin.sequence_number = signed(&mut r)?,
                field::IMMEDIATE_COMMIT => begin.immediate_commit = varint(&mut r)?,
                field::ORIGINAL_COMMIT => original_commit = Some(varint(&mut r)?),
                field::LENGTH => begin.length = varint(&mut r)?,
                field::IMMEDIATE_VERSION => begin.immediate_version = varint(&mut r)? as u32,
                field::ORIGINAL_VERSION => original_version = Some(varint(&mut r)? as u32),
                field::COMMIT_TICKET => _ = varint(&mut r)?,
                // Fields of later versions, which the length of none is known of, stand at the end.
                _ => break,
            }
        }
        begin.original_commit = original_commit.unwrap_or(begin.immediate_commit);
        begin.original_version = original_version.unwrap_or(begin.immediate_version);
        let source = Source::with_tag(uuid, &tag)?;
        begin.gtid = Some(Gtid::new(source, number)?);
        Ok(begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for (bytes, want) in [
            (&[0x00][..], 0),
            (&[0x0C], 6),
            (&[0x51, 0x05], 340),
            (&[0x83, 0x12, 0x0B], 90_704),
            (&[0x7F, 0xB2, 0x91, 0x07, 0xE7, 0x53, 0x61, 0x06], 1_795_862_846_476_722),
            (&[0xFF; 9], u64::MAX),
        ] {
            assert_eq!(varint(&mut Reader::new(bytes)), Ok(want), "{bytes:?}");
            assert!(varint(&mut Reader::new(&bytes[..bytes.len() - 1])).is_err());
        }
        assert_eq!(signed(&mut Reader::new(&[0x74])), Ok(29));
        assert_eq!(signed(&mut Reader::new(&[0x02])), Ok(-1));
    }
}
