//! What a test sees of a device, and does to its files, without an operation of it.

use super::{Inode, SimDisk, lock};

impl SimDisk {
    /// The paths of all files, sorted.
    pub fn paths(&self) -> Vec<String> {
        lock(&self.0.state).names.keys().cloned().collect()
    }

    /// Writes that are done and that no sync has covered, to files whose names begin so.
    pub fn unsynced(&self, prefix: &str) -> usize {
        let s = lock(&self.0.state);
        let of = s.names.iter().filter(|(name, _)| name.starts_with(prefix));
        let pending = of.filter_map(|(_, id)| s.inodes.get(id));
        pending.map(|i| i.pending.iter().filter(|w| w.done).count()).sum()
    }

    /// Files with a name beginning so that are open now, each as often as it was opened.
    pub fn open_files(&self, prefix: &str) -> u32 {
        let s = lock(&self.0.state);
        let named = s.names.iter().filter(|(path, _)| path.starts_with(prefix));
        named.filter_map(|(_, i)| s.open.get(i)).sum()
    }

    /// Bytes of files that have no name any more and are open: room that a real device does not give back yet.
    pub fn held_without_a_name(&self) -> u64 {
        self.held_of("")
    }

    /// The same of files whose name began so.
    pub fn held_of(&self, prefix: &str) -> u64 {
        let s = lock(&self.0.state);
        let nameless = s.open.keys().filter(|i| !s.names.values().any(|n| n == *i));
        let held = nameless.filter_map(|i| s.inodes.get(i));
        held.filter(|i| i.lost_name.starts_with(prefix)).map(|i| i.now.len() as u64).sum()
    }

    /// Damages a byte, on the device and in what reads see. False when there is no such byte.
    pub fn flip_bit(&self, path: &str, byte: u64, bit: u8) -> bool {
        let mut s = lock(&self.0.state);
        let Some(id) = s.names.get(path).copied() else { return false };
        let Some(inode) = s.inodes.get_mut(&id) else { return false };
        let at = byte as usize;
        if at >= inode.now.len() {
            return false;
        }
        inode.now[at] ^= 1 << bit;
        if at < inode.durable.len() {
            inode.durable[at] ^= 1 << bit;
        }
        true
    }

    /// A file's bytes as reads see them.
    pub fn content(&self, path: &str) -> Option<Vec<u8>> {
        let s = lock(&self.0.state);
        s.names.get(path).and_then(|i| s.inodes.get(i)).map(|i| i.now.clone())
    }

    /// Replaces a file's bytes (tests that damage files).
    pub fn set_content(&self, path: &str, bytes: Vec<u8>) {
        let mut s = lock(&self.0.state);
        if let Some(id) = s.names.get(path).copied()
            && let Some(inode) = s.inodes.get_mut(&id)
        {
            *inode = Inode::settled(bytes);
        }
    }
}
