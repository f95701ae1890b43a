//! Floor 0: every on-disk page kind as pure functions over bytes, and the redo record forms of each change.
//!
//! May use: nothing but `ids`. Does no I/O, takes no latch, knows no types of columns: keys are compared as bytes.
//!
//! Invariants
//! - The common header is valid for every page kind; space id and page number stand in it so that a misplaced
//!   read or write is found, and the checksum covers everything behind its own four bytes.
//! - Redo application (`redo::apply`) is a pure function of page bytes and record (I10); the forward path calls the same code.
//!
//! Common header, 32 bytes, little endian:
//!
//! | bytes | field |
//! |---|---|
//! | 0-3 | CRC32C of the rest of the page |
//! | 4 / 5 / 6-7 | page type / format version / flags (0) |
//! | 8-11 / 12-15 | space id / page number |
//! | 16-23 | page LSN: end of the last mini-transaction that changed the page |
//! | 24-31 | owner: index id for tree pages, slot for undo pages |

pub mod codec;
pub mod redo;
pub mod slotted;

use crate::ids::{Lsn, PageId};
use crate::planted::{self, Bug};

pub const HEADER: usize = 32;
pub const FORMAT_VERSION: u8 = 1;
pub const SIZE_DEFAULT: usize = 16384;
/// Sizes a user may choose. Tests and the simulator also use smaller ones, down to `SIZE_MIN`.
pub const SIZES: [usize; 5] = [4096, 8192, 16384, 32768, 65536];
pub const SIZE_MIN: usize = 512;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum PageType {
    Free = 0,
    SpaceHeader = 1,
    Bitmap = 2,
    Tree = 3,
    Undo = 4,
    UndoSlots = 5,
    Blob = 6,
}

impl PageType {
    pub fn from_u8(v: u8) -> Option<PageType> {
        Some(match v {
            0 => PageType::Free,
            1 => PageType::SpaceHeader,
            2 => PageType::Bitmap,
            3 => PageType::Tree,
            4 => PageType::Undo,
            5 => PageType::UndoSlots,
            6 => PageType::Blob,
            _ => return None,
        })
    }
}

/// What is wrong with a page image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageError {
    Checksum { stored: u32, computed: u32 },
    Misplaced { found: PageId },
    Version(u8),
    Structure(&'static str),
}

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            PageError::Checksum { stored, computed } => {
                write!(f, "checksum {stored:08x} stored, {computed:08x} computed")
            }
            PageError::Misplaced { found } => write!(f, "header names {found}"),
            PageError::Version(v) => write!(f, "format version {v} is not known"),
            PageError::Structure(what) => f.write_str(what),
        }
    }
}

// One check for all bytes of a number: where each has its own, the bytes are also read one by one.

#[inline]
pub fn get_u16(p: &[u8], at: usize) -> u16 {
    assert!(p.len() >= 2 && at <= p.len() - 2, "a number behind the end");
    u16::from_le_bytes([p[at], p[at + 1]])
}

#[inline]
pub fn get_u32(p: &[u8], at: usize) -> u32 {
    assert!(p.len() >= 4 && at <= p.len() - 4, "a number behind the end");
    u32::from_le_bytes([p[at], p[at + 1], p[at + 2], p[at + 3]])
}

pub fn get_u64(p: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(p[at..at + 8].try_into().expect("eight bytes"))
}

pub fn put_u16(p: &mut [u8], at: usize, v: u16) {
    p[at..at + 2].copy_from_slice(&v.to_le_bytes());
}

pub fn put_u32(p: &mut [u8], at: usize, v: u32) {
    p[at..at + 4].copy_from_slice(&v.to_le_bytes());
}

pub fn put_u64(p: &mut [u8], at: usize, v: u64) {
    p[at..at + 8].copy_from_slice(&v.to_le_bytes());
}

pub fn page_type(p: &[u8]) -> Option<PageType> {
    PageType::from_u8(p[4])
}

pub fn page_id(p: &[u8]) -> PageId {
    PageId::new(get_u32(p, 8), get_u32(p, 12))
}

pub fn lsn(p: &[u8]) -> Lsn {
    get_u64(p, 16)
}

pub fn set_lsn(p: &mut [u8], lsn: Lsn) {
    put_u64(p, 16, lsn);
}

pub fn owner(p: &[u8]) -> u64 {
    get_u64(p, 24)
}

/// Writes the common header over zeros. The LSN is stamped by the mini-transaction.
pub fn format(p: &mut [u8], id: PageId, kind: PageType, owner: u64) {
    p.fill(0);
    p[4] = kind as u8;
    p[5] = FORMAT_VERSION;
    put_u32(p, 8, id.space);
    put_u32(p, 12, id.page);
    put_u64(p, 24, owner);
}

/// Stamps the checksum; called on the copy that goes to the device.
pub fn seal(p: &mut [u8]) {
    let crc = crc32c::crc32c(&p[4..]);
    put_u32(p, 0, crc);
}

/// Checks an image as it comes from the device.
pub fn verify(p: &[u8], id: PageId) -> Result<(), PageError> {
    let stored = get_u32(p, 0);
    let computed = crc32c::crc32c(&p[4..]);
    if stored != computed && !planted::is(Bug::ChecksumNotVerified) {
        return Err(PageError::Checksum { stored, computed });
    }
    if page_id(p) != id {
        return Err(PageError::Misplaced { found: page_id(p) });
    }
    if p[5] != FORMAT_VERSION {
        return Err(PageError::Version(p[5]));
    }
    Ok(())
}

/// A page that was never written: all zeros.
pub fn is_blank(p: &[u8]) -> bool {
    p.iter().all(|b| *b == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seal_and_verify_find_damage_and_misplacement() {
        let mut p = vec![0u8; 4096];
        let id = PageId::new(7, 9);
        format(&mut p, id, PageType::Tree, 3);
        seal(&mut p);
        assert_eq!(verify(&p, id), Ok(()));
        assert_eq!(verify(&p, PageId::new(7, 8)), Err(PageError::Misplaced { found: id }));
        p[1000] ^= 4;
        assert!(matches!(verify(&p, id), Err(PageError::Checksum { .. })));
    }
}
