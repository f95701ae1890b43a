//! Clocks of the kernel that `std` does not have. They are read by the C library: rustix looks for the kernel's own functions in the memory of
//! the process, and ends it where a tool like valgrind hides them.

/// The monotonic clock.
pub const EXACT: libc::clockid_t = libc::CLOCK_MONOTONIC;
/// The same as of the last tick of the kernel's timer.
pub const COARSE: libc::clockid_t = libc::CLOCK_MONOTONIC_COARSE;

/// Nanoseconds of the monotonic clock, which begins at no point in particular: for what is never simulated.
#[inline]
pub fn monotonic() -> u64 {
    read(EXACT)
}

/// Nanoseconds by one of the clocks above, read without a system call where the kernel lets that be.
pub fn read(clock: libc::clockid_t) -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the `timespec` of this frame. It fails for clocks that there are not, and these two there are.
    let done = unsafe { libc::clock_gettime(clock, &raw mut t) };
    debug_assert_eq!(done, 0);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
