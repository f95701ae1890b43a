//! One block in its envelope.
//!
//! ```text
//! magic "WBK1" 4 | kind 1 | flags 1 | zeros 2 | number 8 | raw length 4 | stored length 4 | CRC-32C 4 | zeros 4 | stored bytes
//! ```
//!
//! Little-endian. The CRC covers the 24 bytes before it and the stored bytes. Flags: 1, the block is compressed by zstd; 2, it is encrypted
//! (behind the compression), with the 24 bytes authenticated as well.

use super::key::{FrameKey, TAG};
use weir_engine::page::{get_u32, get_u64, put_u32, put_u64};

pub const HEAD: usize = 32;
/// Those that the checksum and the encryption cover.
const COVERED: usize = 24;
const MAGIC: &[u8; 4] = b"WBK1";
/// Blocks have a MiB and a little; a longer one is damage.
const RAW_MAX: usize = 64 << 20;
const COMPRESSED: u8 = 1;
const ENCRYPTED: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The beginning of a part.
    Part = 1,
    Block = 2,
    /// The manifest, behind everything else.
    Last = 3,
    /// Redo of an archive.
    Redo = 4,
}

impl Kind {
    fn of(b: u8) -> Option<Kind> {
        [Kind::Part, Kind::Block, Kind::Last, Kind::Redo].into_iter().find(|k| *k as u8 == b)
    }
}

/// A frame's header.
#[derive(Clone, Debug)]
pub struct Head {
    pub kind: Kind,
    flags: u8,
    pub number: u64,
    raw: usize,
    pub stored: usize,
    crc: u32,
    covered: [u8; COVERED],
}

/// Why a frame cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bad {
    /// These bytes are no frame.
    Head,
    Checksum,
    /// It is encrypted, and there is no key.
    NoKey,
    /// The key is another one, or somebody has changed the bytes and their checksum.
    Key,
    /// It is whole, and does not unpack: written by something else.
    Content,
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Bad::Head => "the bytes there are no frame of a backup",
            Bad::Checksum => "its checksum is wrong",
            Bad::NoKey => "it is encrypted: --key-file is needed",
            Bad::Key => {
                "the key is not the one that it was encrypted with, or its bytes were changed"
            }
            Bad::Content => "it cannot be unpacked",
        })
    }
}

impl Head {
    pub fn decode(b: &[u8]) -> Result<Head, Bad> {
        let (raw, stored) = (get_u32(b, 16) as usize, get_u32(b, 20) as usize);
        let known = b[5] & !(COMPRESSED | ENCRYPTED) == 0;
        if &b[..4] != MAGIC || raw > RAW_MAX || stored > RAW_MAX + TAG || !known {
            return Err(Bad::Head);
        }
        Ok(Head {
            kind: Kind::of(b[4]).ok_or(Bad::Head)?,
            flags: b[5],
            number: get_u64(b, 8),
            raw,
            stored,
            crc: get_u32(b, 24),
            covered: b[..COVERED].try_into().expect("as many as were taken"),
        })
    }

    /// Whether these are the bytes that were stored.
    pub fn is_whole(&self, stored: &[u8]) -> bool {
        self.crc == crc32c::crc32c_append(crc32c::crc32c(&self.covered), stored)
    }

    /// The block of the stored bytes.
    pub fn unpack(&self, mut stored: Vec<u8>, key: Option<&FrameKey>) -> Result<Vec<u8>, Bad> {
        if !self.is_whole(&stored) {
            return Err(Bad::Checksum);
        }
        if self.flags & ENCRYPTED != 0 {
            let key = key.ok_or(Bad::NoKey)?;
            key.open(self.number, &self.covered, &mut stored).ok_or(Bad::Key)?;
        }
        if self.flags & COMPRESSED != 0 {
            stored = zstd::bulk::decompress(&stored, self.raw).map_err(|_| Bad::Content)?;
        }
        if stored.len() != self.raw {
            return Err(Bad::Content);
        }
        Ok(stored)
    }
}

/// A frame of a block. `level`: of zstd, 0: as it is.
pub fn pack(kind: Kind, number: u64, block: &[u8], level: i32, key: Option<&FrameKey>) -> Vec<u8> {
    let smaller = match level {
        0 => None,
        level => zstd::bulk::compress(block, level).ok().filter(|c| c.len() < block.len()),
    };
    let mut flags = u8::from(smaller.is_some()) * COMPRESSED;
    let mut stored = smaller.unwrap_or_else(|| block.to_vec());
    if key.is_some() {
        flags |= ENCRYPTED;
    }
    let len = stored.len() + key.map_or(0, |_| TAG);
    let mut head = [0u8; HEAD];
    head[..4].copy_from_slice(MAGIC);
    (head[4], head[5]) = (kind as u8, flags);
    put_u64(&mut head, 8, number);
    put_u32(&mut head, 16, block.len() as u32);
    put_u32(&mut head, 20, len as u32);
    if let Some(key) = key {
        key.seal(number, &head[..COVERED], &mut stored);
    }
    let crc = crc32c::crc32c_append(crc32c::crc32c(&head[..COVERED]), &stored);
    put_u32(&mut head, 24, crc);
    let mut out = head.to_vec();
    out.extend_from_slice(&stored);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::Key;

    fn unpack(frame: &[u8], key: Option<&FrameKey>) -> Result<Vec<u8>, Bad> {
        let head = Head::decode(&frame[..HEAD])?;
        if frame.len() < HEAD + head.stored {
            return Err(Bad::Head);
        }
        head.unpack(frame[HEAD..HEAD + head.stored].to_vec(), key)
    }

    #[test]
    fn a_block_comes_back_compressed_encrypted_both_or_neither() {
        let key = Key::of(&[3; 32]).unwrap().derive(&[0; 16]);
        let block = b"abcdefgh".repeat(200);
        for level in [0, 1, 19] {
            for key in [None, Some(&key)] {
                let frame = pack(Kind::Block, 9, &block, level, key);
                assert_eq!(frame.len() < block.len(), level > 0);
                assert_eq!(unpack(&frame, key), Ok(block.clone()));
            }
        }
        // What does not become smaller stays as it is.
        assert_eq!(pack(Kind::Block, 9, b"ab", 3, None).len(), HEAD + 2);
        let sealed = pack(Kind::Block, 9, &block, 1, Some(&key));
        assert_eq!(unpack(&sealed, None), Err(Bad::NoKey));
        let other = Key::of(&[4; 32]).unwrap().derive(&[0; 16]);
        assert_eq!(unpack(&sealed, Some(&other)), Err(Bad::Key));
    }

    #[test]
    fn each_flipped_bit_is_noticed() {
        let key = Key::of(&[3; 32]).unwrap().derive(&[0; 16]);
        let frame = pack(Kind::Block, 9, b"some bytes of a block", 0, Some(&key));
        for bit in (0..frame.len() * 8).filter(|b| !(28 * 8..32 * 8).contains(b)) {
            let mut bad = frame.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(unpack(&bad, Some(&key)).is_err(), "bit {bit}");
        }
    }
}
