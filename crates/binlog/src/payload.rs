//! Compressed events: MySQL's TRANSACTION_PAYLOAD and MariaDB's own form.

use crate::error::{Error, Result};
use flate2::{Decompress, FlushDecompress, Status};
use weir_wire::Reader;
#[cfg(feature = "zstd")]
use weir_wire::{put_lenenc_int, put_lenenc_str};

/// Numbers of the fields of a TRANSACTION_PAYLOAD.
const END: u64 = 0;
const SIZE: u64 = 1;
const COMPRESSION: u64 = 2;
const UNPACKED: u64 = 3;

const ZSTD: u64 = 0;
const UNCOMPRESSED: u64 = 255;

/// Windows of zstd up to 128 MiB: what MySQL's levels use at most is 2^27.
#[cfg(feature = "zstd")]
const WINDOW_LOG_MAX: u32 = 27;

/// The events of a TRANSACTION_PAYLOAD, one behind the other, without checksums. No more than `limit` bytes are made of it.
pub fn unpack(body: &[u8], limit: u64) -> Result<Vec<u8>> {
    let bad = || Error::Malformed("a compressed transaction");
    let mut r = Reader::new(body);
    let (mut compression, mut told, mut size) = (UNCOMPRESSED, None, None);
    loop {
        let field = r.lenenc_int()?;
        if field == END {
            break;
        }
        let value = r.lenenc_str()?;
        let number = || Reader::new(value).lenenc_int();
        match field {
            SIZE => size = Some(number()?),
            COMPRESSION => compression = number()?,
            UNPACKED => told = Some(number()?),
            _ => {}
        }
    }
    let packed = match size {
        Some(size) => r.bytes(usize::try_from(size).map_err(|_| bad())?)?,
        None => r.rest(),
    };
    if told.is_some_and(|n| n > limit) {
        return Err(Error::TooLarge(limit));
    }
    match compression {
        UNCOMPRESSED => Ok(packed.to_vec()),
        ZSTD => unpack_zstd(packed, told, limit),
        other => Err(Error::Refused(format!("compression algorithm {other} of a transaction"))),
    }
}

/// The body of a TRANSACTION_PAYLOAD of these events, which have no checksums. `None`: it would be no shorter than they are.
#[cfg(feature = "zstd")]
pub fn pack(events: &[u8], level: i32) -> Option<Vec<u8>> {
    let packed = zstd::bulk::compress(events, level).ok()?;
    let mut out = Vec::with_capacity(packed.len() + 24);
    let fields =
        [(COMPRESSION, ZSTD), (UNPACKED, events.len() as u64), (SIZE, packed.len() as u64)];
    for (field, number) in fields {
        let mut value = Vec::new();
        put_lenenc_int(&mut value, number);
        put_lenenc_int(&mut out, field);
        put_lenenc_str(&mut out, &value);
    }
    put_lenenc_int(&mut out, END);
    out.extend_from_slice(&packed);
    (out.len() < events.len()).then_some(out)
}

#[cfg(not(feature = "zstd"))]
pub fn pack(_: &[u8], _: i32) -> Option<Vec<u8>> {
    None
}

#[cfg(feature = "zstd")]
fn unpack_zstd(packed: &[u8], told: Option<u64>, limit: u64) -> Result<Vec<u8>> {
    use std::io::Read;
    let bad = || Error::Malformed("a compressed transaction");
    let mut decoder = zstd::stream::read::Decoder::new(packed).map_err(|_| bad())?;
    decoder.window_log_max(WINDOW_LOG_MAX).map_err(|_| bad())?;
    let mut out = Vec::new();
    // One byte more than what is allowed shows that there is more.
    decoder.take(limit + 1).read_to_end(&mut out).map_err(|_| bad())?;
    if out.len() as u64 > limit {
        return Err(Error::TooLarge(limit));
    }
    if told.is_some_and(|n| n != out.len() as u64) {
        return Err(bad());
    }
    Ok(out)
}

#[cfg(not(feature = "zstd"))]
fn unpack_zstd(_: &[u8], _: Option<u64>, _: u64) -> Result<Vec<u8>> {
    Err(Error::Refused("a transaction compressed by zstd in a build without it".into()))
}

/// MariaDB's form: a byte with the algorithm and the length of the length, the length with its highest byte first, data of zlib.
pub fn unpack_mariadb(bytes: &[u8], limit: u64) -> Result<Vec<u8>> {
    let bad = || Error::Malformed("a compressed event");
    let mut r = Reader::new(bytes);
    let head = r.u8()?;
    let len_bytes = usize::from(head & 7);
    if head & 0x80 == 0 || !(1..=4).contains(&len_bytes) {
        return Err(bad());
    }
    if head >> 4 & 7 != 0 {
        return Err(Error::Refused(format!("compression algorithm {}", head >> 4 & 7)));
    }
    let len = r.bytes(len_bytes)?.iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
    if len > limit {
        return Err(Error::TooLarge(limit));
    }
    let packed = r.rest();
    // zlib makes at most 1,032 bytes of one: a length beyond that is a lie that would cost memory.
    if len / 1032 > packed.len() as u64 {
        return Err(bad());
    }
    let mut out = Vec::with_capacity(len as usize);
    let done = Decompress::new(true).decompress_vec(packed, &mut out, FlushDecompress::Finish);
    match done {
        Ok(Status::StreamEnd) if out.len() as u64 == len => Ok(out),
        _ => Err(bad()),
    }
}

#[cfg(all(test, feature = "zstd"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        let events = [&b"the same again, "[..]; 90].concat();
        for level in [1, 3, 22] {
            let body = pack(&events, level).expect("it is shorter");
            assert!(body.len() < 100);
            assert_eq!(unpack(&body, events.len() as u64).as_ref(), Ok(&events));
            assert!(unpack(&body, events.len() as u64 - 1).is_err());
        }
        assert_eq!(pack(b"short", 3), None);
    }

    fn payload(told: Option<u64>, packed: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut put = |field: u64, number: u64| {
            let mut value = Vec::new();
            put_lenenc_int(&mut value, number);
            put_lenenc_int(&mut out, field);
            put_lenenc_str(&mut out, &value);
        };
        put(COMPRESSION, ZSTD);
        if let Some(n) = told {
            put(UNPACKED, n);
        }
        put(SIZE, packed.len() as u64);
        out.push(0);
        out.extend_from_slice(packed);
        out
    }

    #[test]
    fn a_bomb_is_refused_whatever_it_says() {
        let packed = zstd::encode_all(&vec![0u8; 10 << 20][..], 19).expect("packs");
        assert!(packed.len() < 10_000);
        for told in [None, Some(10), Some(10 << 20)] {
            assert_eq!(unpack(&payload(told, &packed), 1 << 20), Err(Error::TooLarge(1 << 20)));
        }
        assert_eq!(unpack(&payload(None, &packed), 10 << 20).map(|v| v.len()), Ok(10 << 20));
        assert!(unpack(&payload(Some(11), &packed), 10 << 20).is_err());
        assert!(unpack(&payload(None, b"xx"), 100).is_err());
        // Four bytes that say that they are a gibibyte.
        assert!(unpack_mariadb(&[0x84, 0x40, 0, 0, 0, 1, 2, 3, 4], 1 << 31).is_err());
        assert!(unpack_mariadb(&[0x84, 0x40, 0, 0, 0, 1], 1 << 20).is_err());
        assert!(unpack_mariadb(&[], 1 << 20).is_err());
    }
}

#[cfg(all(test, not(feature = "zstd")))]
mod without_zstd {
    use super::*;

    #[test]
    fn a_transaction_of_zstd_is_refused() {
        let packed = [COMPRESSION as u8, 1, ZSTD as u8, SIZE as u8, 1, 2, END as u8, 0, 0];
        assert!(matches!(unpack(&packed, 100), Err(Error::Refused(_))));
    }
}
