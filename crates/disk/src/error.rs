//! What can go wrong with a file.

use std::fmt;
use std::io;

pub type Result<T> = std::result::Result<T, DiskError>;

/// A failed operation on a file or folder of the data directory.
#[derive(Clone, Debug)]
pub struct DiskError {
    /// What was tried: `read`, `write`, `sync`, ...
    pub op: &'static str,
    pub path: String,
    /// Byte offset and length, where the operation has them.
    pub offset: u64,
    pub len: usize,
    pub kind: io::ErrorKind,
    /// The operating system's number.
    pub os: Option<i32>,
    pub message: String,
}

impl DiskError {
    pub fn new(op: &'static str, path: &str, e: &io::Error) -> DiskError {
        DiskError {
            op,
            path: path.to_string(),
            offset: 0,
            len: 0,
            kind: e.kind(),
            os: e.raw_os_error(),
            message: e.to_string(),
        }
    }

    pub fn at(mut self, offset: u64, len: usize) -> DiskError {
        self.offset = offset;
        self.len = len;
        self
    }

    /// No room on the device, in the quota, or for a file of this size.
    pub fn is_full(&self) -> bool {
        use rustix::io::Errno;
        matches!(self.kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            || [Errno::NOSPC, Errno::DQUOT, Errno::FBIG]
                .iter()
                .any(|e| self.os == Some(e.raw_os_error()))
    }

    /// EMFILE and ENFILE: the process, or the system, has no descriptor left.
    pub fn lacks_descriptor(&self) -> bool {
        use rustix::io::Errno;
        [Errno::MFILE, Errno::NFILE].iter().any(|e| self.os == Some(e.raw_os_error()))
    }

    pub fn is_missing(&self) -> bool {
        self.kind == io::ErrorKind::NotFound
    }
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} '{}'", self.op, self.path)?;
        if self.len > 0 {
            write!(f, " ({} bytes at offset {})", self.len, self.offset)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for DiskError {}
