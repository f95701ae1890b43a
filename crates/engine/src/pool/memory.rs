//! The frames' memory: one of the engine's few unsafe modules.
//!
//! Contract. One address range is reserved for the most frames that the pool may ever have; pages of it become real memory
//! when they are first touched and are given back by `release`. `bytes` needs at least a shared latch on the frame (or
//! being the only one who knows it: the loader of a page, the owner of a free frame), `bytes_mut` and `io` an exclusive
//! one. `Guard` and `load.rs` are the only callers.

use crate::pool::FrameNo;
use crate::sync::atomic::{AtomicBool, Ordering};
use weir_disk::IoBuf;

pub struct FrameMemory {
    base: *mut u8,
    page_size: usize,
    frames: usize,
    len: usize,
    /// The device may write to it for ever: it is not given back.
    lost: AtomicBool,
}

/// Frames are with the device. Dropped before that is `over`, by the drop of an operation, their memory outlives the pool.
pub struct Lent<'m> {
    memory: &'m FrameMemory,
    over: bool,
}

impl Lent<'_> {
    pub fn over(mut self) {
        self.over = true;
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.memory.lost.store(true, Ordering::Relaxed);
        }
    }
}

// SAFETY: the memory is plain bytes; who may touch which frame is ruled by the latches.
unsafe impl Send for FrameMemory {}
// SAFETY: as above.
unsafe impl Sync for FrameMemory {}

const ALIGN: usize = 4096;

/// From this size on the frames are in pages of 2 MiB, where the system has them (`transparent_hugepage` is `madvise` or `always`): a search
/// goes through frames all over the pool, and with pages of 4 KiB each of them costs the processor a walk through its page tables. Frames
/// are used one after the other from the first on, so at most one such page is more than half empty.
#[cfg(not(miri))]
const HUGE_FROM: usize = 64 << 20;

impl FrameMemory {
    pub fn new(page_size: usize, frames: usize) -> std::io::Result<FrameMemory> {
        let len = (page_size * frames).next_multiple_of(ALIGN);
        let base = reserve(len)?;
        Ok(FrameMemory { base, page_size, frames, len, lost: AtomicBool::new(false) })
    }

    fn at(&self, no: FrameNo) -> *mut u8 {
        assert!((no as usize) < self.frames);
        // SAFETY: within the reserved range.
        unsafe { self.base.add(no as usize * self.page_size) }
    }

    /// # Safety
    /// The caller holds the frame's latch, see the module's contract.
    #[inline]
    pub unsafe fn bytes(&self, no: FrameNo) -> &[u8] {
        // SAFETY: the range is valid for the pool's life; no writer by the caller's latch.
        unsafe { std::slice::from_raw_parts(self.at(no), self.page_size) }
    }

    /// # Safety
    /// The caller holds the frame's exclusive latch, see the module's contract.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn bytes_mut(&self, no: FrameNo) -> &mut [u8] {
        // SAFETY: the range is valid for the pool's life; exclusive by the caller's latch.
        unsafe { std::slice::from_raw_parts_mut(self.at(no), self.page_size) }
    }

    /// The frame as a buffer for the device.
    /// # Safety
    /// The caller owns the frame exclusively until the operation has returned, and nobody owns it where the caller was dropped first. A
    /// buffer that goes to the device is within `lend`.
    pub unsafe fn io(&self, no: FrameNo) -> IoBuf {
        // SAFETY: passed on.
        unsafe { IoBuf::borrowed(self.at(no), self.page_size) }
    }

    /// Frames go to the device until the guard learns that they are back.
    pub fn lend(&self) -> Lent<'_> {
        Lent { memory: self, over: false }
    }

    /// Gives the frame's memory back to the system; it reads as zeros afterwards.
    pub fn release(&self, no: FrameNo) {
        if self.page_size.is_multiple_of(ALIGN) {
            give_back(self.at(no), self.page_size);
        }
    }
}

impl Drop for FrameMemory {
    fn drop(&mut self) {
        if !self.lost.load(Ordering::Relaxed) {
            unreserve(self.base, self.len);
        }
    }
}

#[cfg(not(miri))]
fn reserve(len: usize) -> std::io::Result<*mut u8> {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
    // SAFETY: a fresh private mapping touches nothing that exists.
    let p = unsafe {
        mmap_anonymous(
            std::ptr::null_mut(),
            len,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::PRIVATE | MapFlags::NORESERVE,
        )
    }?;
    if len >= HUGE_FROM {
        // SAFETY: advice about the mapping just made changes none of its bytes. A system that does not take it costs speed only.
        let _ = unsafe { rustix::mm::madvise(p, len, rustix::mm::Advice::LinuxHugepage) };
    }
    Ok(p.cast())
}

#[cfg(not(miri))]
fn give_back(at: *mut u8, len: usize) {
    // SAFETY: the caller owns these frames; anonymous private memory reads as zeros afterwards. Failure costs memory only.
    let _ = unsafe { rustix::mm::madvise(at.cast(), len, rustix::mm::Advice::LinuxDontNeed) };
}

#[cfg(not(miri))]
fn unreserve(at: *mut u8, len: usize) {
    // SAFETY: the whole mapping made by `reserve`; the pool is gone.
    let _ = unsafe { rustix::mm::munmap(at.cast(), len) };
}

#[cfg(miri)]
fn layout(len: usize) -> std::alloc::Layout {
    std::alloc::Layout::from_size_align(len, ALIGN).expect("small test pools")
}

#[cfg(miri)]
fn reserve(len: usize) -> std::io::Result<*mut u8> {
    // SAFETY: the layout is not empty.
    Ok(unsafe { std::alloc::alloc_zeroed(layout(len)) })
}

#[cfg(miri)]
fn give_back(_at: *mut u8, _len: usize) {}

#[cfg(miri)]
fn unreserve(at: *mut u8, len: usize) {
    // SAFETY: made by `reserve` with the same layout.
    unsafe { std::alloc::dealloc(at, layout(len)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_apart() {
        let m = FrameMemory::new(4096, 3).unwrap();
        // SAFETY: single thread, one borrow at a time.
        unsafe {
            m.bytes_mut(1).fill(7);
            assert!(m.bytes(0).iter().all(|b| *b == 0));
            assert!(m.bytes(1).iter().all(|b| *b == 7));
            assert!(m.bytes(2).iter().all(|b| *b == 0));
        }
    }
}
