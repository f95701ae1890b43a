//! Buffers aligned for direct I/O. One of the few unsafe modules.
//!
//! Contract: an `IoBuf` is the only user of its bytes while it exists. Owned memory comes from the global allocator with
//! [`ALIGN`]; borrowed memory is promised by the caller of [`IoBuf::borrowed`].

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Alignment of buffers: the largest logical block size in use.
pub const ALIGN: usize = 4096;

/// Bytes for one read or write.
pub struct IoBuf {
    at: NonNull<u8>,
    len: usize,
    /// Bytes of the memory, all of which have values. At least `len`.
    capacity: usize,
    owned: bool,
}

// SAFETY: an IoBuf is the only user of its bytes, so it may move between threads as a Vec may.
unsafe impl Send for IoBuf {}
// SAFETY: shared references only read.
unsafe impl Sync for IoBuf {}

impl IoBuf {
    fn layout(len: usize) -> Layout {
        Layout::from_size_align(len, ALIGN).expect("a buffer's length fits the address space")
    }

    /// Zeroed memory; a length of 0 allocates nothing.
    pub fn new(len: usize) -> IoBuf {
        if len == 0 {
            return IoBuf { at: NonNull::dangling(), len: 0, capacity: 0, owned: false };
        }
        let layout = Self::layout(len);
        // SAFETY: the length is not 0.
        let at = unsafe { alloc_zeroed(layout) };
        let Some(at) = NonNull::new(at) else { handle_alloc_error(layout) };
        IoBuf { at, len, capacity: len, owned: true }
    }

    /// A copy of these bytes, which costs no zeros first.
    pub fn of(bytes: &[u8]) -> IoBuf {
        if bytes.is_empty() {
            return IoBuf::new(0);
        }
        let layout = Self::layout(bytes.len());
        // SAFETY: the length is not 0.
        let at = unsafe { alloc(layout) };
        let Some(at) = NonNull::new(at) else { handle_alloc_error(layout) };
        // SAFETY: both have the length, and what was allocated just now is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.as_ptr(), bytes.len()) };
        IoBuf { at, len: bytes.len(), capacity: bytes.len(), owned: true }
    }

    /// Memory of somebody else, given back by dropping.
    ///
    /// # Safety
    /// `at..at+len` is valid memory, aligned as the file's mode needs it, and neither freed nor used by anybody else
    /// until the returned value is dropped - which may be long after the future of the operation that got it is dropped.
    pub unsafe fn borrowed(at: *mut u8, len: usize) -> IoBuf {
        let at = NonNull::new(at).unwrap_or(NonNull::dangling());
        IoBuf { at, len, capacity: len, owned: false }
    }

    /// Bytes that it was made with: what it can have at most.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Has the buffer begin where it did and be so long. Bytes that come back by this have the values that they had.
    ///
    /// Panics if its memory is shorter.
    pub fn set_len(&mut self, len: usize) {
        assert!(len <= self.capacity, "a buffer of {} bytes cannot have {len}", self.capacity);
        self.len = len;
    }
}

impl Drop for IoBuf {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: allocated by `new` with this layout, and nobody else's.
            unsafe { dealloc(self.at.as_ptr(), Self::layout(self.capacity)) }
        }
    }
}

impl Deref for IoBuf {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: valid for `len` bytes by the type's contract.
        unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.len) }
    }
}

impl DerefMut for IoBuf {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: valid for `len` bytes, and this is the only user.
        unsafe { std::slice::from_raw_parts_mut(self.at.as_ptr(), self.len) }
    }
}

impl std::fmt::Debug for IoBuf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "IoBuf({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeroed_aligned_and_returned() {
        let mut b = IoBuf::new(8192);
        assert!(b.iter().all(|&x| x == 0));
        assert_eq!(b.as_ptr() as usize % ALIGN, 0);
        b[8191] = 7;
        let moved = std::thread::spawn(move || b[8191]).join().unwrap();
        assert_eq!(moved, 7);
        assert!(IoBuf::new(0).is_empty());
    }

    #[test]
    fn shorter_and_long_again() {
        let mut b = IoBuf::of(&[3; 5000]);
        b.set_len(10);
        assert_eq!((b.len(), b.capacity()), (10, 5000));
        b[9] = 4;
        b.set_len(5000);
        assert_eq!((b[9], b[4999]), (4, 3));
    }

    #[test]
    #[should_panic(expected = "cannot have 5001")]
    fn longer_than_its_memory() {
        IoBuf::of(&[3; 5000]).set_len(5001);
    }

    #[test]
    fn copies_are_aligned_too() {
        let b = IoBuf::of(&[3; 5000]);
        assert_eq!((&b[..], b.as_ptr() as usize % ALIGN), (&[3; 5000][..], 0));
        assert!(IoBuf::of(&[]).is_empty());
    }

    #[test]
    fn borrowed_memory_is_written_in_place() {
        let mut owner = vec![0u8; 64];
        // SAFETY: `owner` outlives the buffer and is not touched meanwhile.
        let mut b = unsafe { IoBuf::borrowed(owner.as_mut_ptr(), 64) };
        b[3] = 9;
        drop(b);
        assert_eq!(owner[3], 9);
    }
}
