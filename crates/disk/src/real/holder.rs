//! Which process has the lock of a data directory: its number stands in the lock file, for the message of a second one.
//!
//! The lock itself is the kernel's and belongs to the open file, so a process that was forked from its holder keeps it too, also when
//! the holder has ended. The number decides nothing: a file that cannot be written or read only makes the message shorter.

use super::LOCK_FILE;
use rustix::fd::AsFd;
use std::path::Path;

/// Writes down that this process has the lock.
pub fn note(lock: impl AsFd) {
    let text = format!("{}\n", std::process::id());
    if rustix::fs::ftruncate(&lock, 0).is_ok() {
        let _ = rustix::io::pwrite(&lock, text.as_bytes(), 0);
    }
}

/// Who has the lock of a directory, as part of a sentence.
pub fn told(root: &Path) -> String {
    let text = std::fs::read_to_string(root.join(LOCK_FILE)).unwrap_or_default();
    let Ok(pid) = text.trim().parse::<u32>() else { return "another process".into() };
    if pid == std::process::id() {
        return format!("this process (pid {pid}), which has opened it before");
    }
    match std::fs::read_to_string(format!("/proc/{pid}/comm")) {
        Ok(name) => format!("another process (pid {pid}, {})", name.trim()),
        Err(_) => format!("another process (one that pid {pid}, which has ended, has started)"),
    }
}
