//! Names for the numbers that the whole engine speaks of.

/// Byte position in the logical redo stream; never reused.
pub type Lsn = u64;
/// Transaction id, given at the first write; 48 bits on disk.
pub type TrxId = u64;
/// Page number within a tablespace.
pub type PageNo = u32;
/// Tablespace id; never reused, so that pages of a dropped space can be told from live ones.
pub type SpaceId = u32;

/// The first LSN of a new data directory. Not zero: zero means "no LSN" in frames.
pub const LSN_START: Lsn = 4096;

/// Name of a distributed transaction: that of the whole, that of this branch, and the number of the format of both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Xid {
    pub format: u64,
    pub gtrid: Vec<u8>,
    pub bqual: Vec<u8>,
}

impl Xid {
    /// Most bytes of either name.
    pub const NAME_MAX: usize = 64;
}

/// A page's address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PageId {
    pub space: SpaceId,
    pub page: PageNo,
}

impl PageId {
    pub const fn new(space: SpaceId, page: PageNo) -> PageId {
        PageId { space, page }
    }

    /// One word for atomics and hashing.
    pub const fn pack(self) -> u64 {
        ((self.space as u64) << 32) | self.page as u64
    }

    pub const fn unpack(v: u64) -> PageId {
        PageId { space: (v >> 32) as u32, page: v as u32 }
    }
}

impl std::fmt::Display for PageId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "space {} page {}", self.space, self.page)
    }
}
