//! A computer that is only computed: processors, drives, an array, a controller, a file system, in virtual time.
//!
//! `cpu` has the processors, `drive` a disk that turns, `elevator` the kernel's queue before it, `kept` the drive's own memory for writes, `solid`
//! a device without moving parts, `array` how several of them are one volume, `cache` a memory in front that takes writes, `files` the data directory on it ([`weir_disk::Disk`]), `presets` the computers by name.
//! Uses `rt` and `disk`; knows nothing of databases.
//!
//! Invariants: nothing here reads a clock or a random source of the machine underneath, so the same run gives the same numbers; a
//! request ends when its bytes have arrived, never earlier; what a sync has covered is where a power failure would find it.

mod array;
mod cache;
mod cpu;
mod drive;
mod elevator;
mod files;
mod kept;
pub mod presets;
mod solid;

pub use array::Volume;
pub use cpu::Cpu;
pub use files::{Array, Image, MachineDisk};

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};

/// A request to a device, in bytes of its address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub at: u64,
    pub bytes: u64,
    pub write: bool,
}

pub type Served<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// What serves requests: a drive, or what stands for several.
pub trait Device: Send + Sync {
    /// Until the device says that it is done, which of a write into a cache is soon.
    fn serve(&self, r: Request) -> Served<'_>;
    /// Until every write that it said was done is on what survives a power failure.
    fn flush(&self) -> Served<'_>;
}

/// What a tool like iostat counts: requests that the kernel gives to the volume, neighbours joined.
#[derive(Default)]
pub struct Counters {
    pub reads: AtomicU64,
    pub writes: AtomicU64,
    /// Reads, writes with O_DIRECT and syncs under way: a thread waits for each.
    pub waiting: AtomicU64,
    /// Direct reads, and direct writes.
    pub direct: [Direct; 2],
}

/// Sums over requests, as the print of a server has them by thread.
#[derive(Default)]
pub struct Direct {
    pub requests: AtomicU64,
    pub bytes: AtomicU64,
    /// Nanoseconds that threads waited for them.
    pub time: AtomicU64,
}

impl Counters {
    fn count(&self, r: Request) {
        let n = if r.write { &self.writes } else { &self.reads };
        n.fetch_add(1, Ordering::Relaxed);
    }

    /// A call of a thread: requests that go out together end together.
    fn direct(&self, write: bool, requests: u64, bytes: u64, took: u64) {
        let d = &self.direct[usize::from(write)];
        d.requests.fetch_add(requests, Ordering::Relaxed);
        d.bytes.fetch_add(bytes, Ordering::Relaxed);
        d.time.fetch_add(took * requests, Ordering::Relaxed);
    }
}
