//! The device: files with aligned buffers, behind one trait with a real and a simulated side, and one in memory.
//!
//! Uses `std`, `rustix`, `io-uring` and `weir_rt`. Everything of Weir that reads or writes a file goes through [`Disk`] and
//! [`File`]; paths are relative to the data directory, with `/` between folders.
//!
//! Invariants:
//! - An operation owns its buffer until it is done and gives it back, whatever the outcome; dropping the future does not
//!   end the operation, so memory lent by [`IoBuf::borrowed`] must outlive it.
//! - A write is durable when a `sync` that began after the write's end has ended without error, or at its own end in the
//!   `Dsync` modes. A name (open with create, rename, remove) is durable after `sync_dir` of its folder.
//! - After a failed sync nothing is known about earlier writes: the caller must not go on (the kernel may have dropped them).

mod buf;
mod error;
mod memory;
mod overlay;
mod real;
pub mod sim;
mod throttle;

pub use buf::{ALIGN, IoBuf};
pub use error::{DiskError, Result};
pub use memory::MemoryDisk;
pub use overlay::Overlay;
pub use real::{Backend, RealDisk};
pub use throttle::{Speed, ThrottledDisk};

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

pub type OpFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How a file's writes reach the device (`innodb_flush_method`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Through the page cache; durable by `sync` (fsync).
    Buffered,
    /// Around the page cache (O_DIRECT, O_DIRECT_NO_FSYNC); durable by `sync`.
    Direct,
    /// Every write is durable when it ends (O_DSYNC).
    Dsync,
    /// Both.
    DirectDsync,
}

impl Mode {
    pub fn is_direct(self) -> bool {
        matches!(self, Mode::Direct | Mode::DirectDsync)
    }

    pub fn is_dsync(self) -> bool {
        matches!(self, Mode::Dsync | Mode::DirectDsync)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// Make it when it is missing.
    pub create: bool,
    /// Fail when it is there.
    pub create_new: bool,
    pub mode: Mode,
}

/// A data directory.
pub trait Disk: Send + Sync {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>>;
    /// The same for a file that the engine cannot do without. Where the process or the system has no descriptor left for the moment, one
    /// that is kept in reserve is used, or one is waited for.
    fn open_needed<'a>(
        &'a self,
        path: &'a str,
        o: OpenOptions,
    ) -> OpFuture<'a, Result<Arc<dyn File>>> {
        self.open(path, o)
    }
    /// Names of the plain files in a folder, sorted; none when the folder is missing.
    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>>;
    /// Replaces `to` when it exists.
    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>>;
    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>>;
    /// OK when it exists already.
    fn create_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>>;
    /// Makes the names in a folder durable; `""` is the data directory itself.
    fn sync_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>>;
    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>>;
    /// What it is, for the log.
    fn describe(&self) -> String;
}

/// An open file. Offsets and lengths are in bytes; in the direct modes they and the buffers are multiples of 512.
#[allow(clippy::len_without_is_empty)] // Asking is I/O; nobody asks whether a file is empty.
pub trait File: Send + Sync {
    /// Fills the whole buffer; the end of the file inside of it is an error.
    fn read(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)>;
    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)>;
    /// Several reads at once; the first error is returned, the buffers come back in their order.
    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)>;
    /// Several writes at once, in any order among themselves; else as `read_all`.
    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)>;
    fn sync(&self) -> OpFuture<'_, Result<()>>;
    /// Makes the file at least `len` bytes long with room reserved on the device; new bytes read as zero. With `zero` they
    /// are also written, so that a later write changes no metadata. Never shrinks.
    fn allocate(&self, len: u64, zero: bool) -> OpFuture<'_, Result<()>>;
    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>>;
    fn len(&self) -> OpFuture<'_, Result<u64>>;
}
