//! The redo buffer's memory: one of the engine's few unsafe modules.
//!
//! Contract. `RingMemory` is a byte ring addressed by LSN. `write` may be called by many threads at once, each for an LSN
//! range that the log reserved for it alone and whose previous lap is already written out; `read` may be called only for
//! ranges below `published` that are not yet written out. Both are upheld by `Log`: reservation hands out disjoint ranges,
//! the grant bounds `reserved - written` by the capacity, and the release store of `published` orders copy before read.

use crate::ids::Lsn;
use std::cell::UnsafeCell;

pub struct RingMemory {
    bytes: Box<[UnsafeCell<u8>]>,
}

// SAFETY: access is disjoint by the contract above.
unsafe impl Sync for RingMemory {}
// SAFETY: plain bytes.
unsafe impl Send for RingMemory {}

impl RingMemory {
    pub fn new(capacity: usize) -> RingMemory {
        let v: Vec<u8> = vec![0; capacity];
        let raw = Box::into_raw(v.into_boxed_slice());
        // SAFETY: UnsafeCell<u8> has the layout of u8.
        let bytes = unsafe { Box::from_raw(raw as *mut [UnsafeCell<u8>]) };
        RingMemory { bytes }
    }

    pub fn capacity(&self) -> usize {
        self.bytes.len()
    }

    fn base(&self) -> *mut u8 {
        UnsafeCell::raw_get(self.bytes.as_ptr())
    }

    /// # Safety
    /// The caller owns `[at, at + data.len())` exclusively, see the module's contract.
    pub unsafe fn write(&self, at: Lsn, data: &[u8]) {
        let cap = self.capacity();
        assert!(data.len() <= cap, "group larger than the log buffer");
        let off = (at % cap as u64) as usize;
        let first = data.len().min(cap - off);
        // SAFETY: both parts lie within the ring; exclusivity is the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(data.as_ptr(), self.base().add(off), first);
            std::ptr::copy_nonoverlapping(
                data.as_ptr().add(first),
                self.base(),
                data.len() - first,
            );
        }
    }

    /// # Safety
    /// `[at, at + out.len())` is published and not yet written out, see the module's contract.
    pub unsafe fn read(&self, at: Lsn, out: &mut [u8]) {
        let cap = self.capacity();
        assert!(out.len() <= cap, "read larger than the log buffer");
        let off = (at % cap as u64) as usize;
        let first = out.len().min(cap - off);
        // SAFETY: both parts lie within the ring; nobody writes them by the caller's promise.
        unsafe {
            std::ptr::copy_nonoverlapping(self.base().add(off), out.as_mut_ptr(), first);
            std::ptr::copy_nonoverlapping(
                self.base(),
                out.as_mut_ptr().add(first),
                out.len() - first,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_around() {
        let r = RingMemory::new(16);
        // SAFETY: single thread, ranges in use are disjoint.
        unsafe {
            r.write(12, b"abcdefgh");
            let mut out = [0; 8];
            r.read(12, &mut out);
            assert_eq!(&out, b"abcdefgh");
        }
    }
}
