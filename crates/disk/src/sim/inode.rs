//! What is in a file and under which names, and what a crash leaves of both.

use super::SECTOR;
use std::collections::BTreeMap;
use weir_rt::Rng;

pub struct Write {
    pub id: u64,
    pub off: u64,
    pub data: Vec<u8>,
    pub done: bool,
}

/// A file's content, apart from its names.
#[derive(Default)]
pub struct Inode {
    /// After all writes that are done.
    pub now: Vec<u8>,
    /// After a crash, before the choice about `pending`.
    pub durable: Vec<u8>,
    pub pending: Vec<Write>,
    /// The last name that was taken from it.
    pub lost_name: String,
}

impl Inode {
    /// A file with these bytes, all of them durable.
    pub fn settled(bytes: Vec<u8>) -> Inode {
        Inode { now: bytes.clone(), durable: bytes, ..Inode::default() }
    }

    pub fn put(image: &mut Vec<u8>, off: u64, data: &[u8]) {
        let (off, end) = (off as usize, off as usize + data.len());
        if image.len() < end {
            image.resize(end, 0);
        }
        image[off..end].copy_from_slice(data);
    }

    /// Makes the given writes durable, in order.
    pub fn settle(&mut self, covered: impl Fn(&Write) -> bool) {
        let pending = std::mem::take(&mut self.pending);
        for w in pending {
            if covered(&w) {
                Self::put(&mut self.durable, w.off, &w.data);
            } else {
                self.pending.push(w);
            }
        }
        if self.durable.len() < self.now.len() {
            self.durable.resize(self.now.len(), 0);
        }
    }

    /// Cuts the file off, durably. A write of what is kept still waits for its sync, and one that is under way still comes.
    pub fn truncate(&mut self, len: usize) {
        self.now.resize(len, 0);
        self.durable.resize(len, 0);
        for w in self.pending.iter_mut().filter(|w| w.done) {
            w.data.truncate(len.saturating_sub(w.off as usize));
        }
        self.pending.retain(|w| !w.data.is_empty());
    }

    /// The image that a crash leaves.
    pub fn crash(&mut self, rng: &mut Rng) -> Vec<u8> {
        let mut image = std::mem::take(&mut self.durable);
        if image.len() < self.now.len() && rng.chance(0.5) {
            image.resize(self.now.len(), 0);
        }
        for w in std::mem::take(&mut self.pending) {
            let keep = rng.below(4);
            if keep == 0 {
                continue;
            }
            for (i, sector) in w.data.chunks(SECTOR).enumerate() {
                if keep == 1 || rng.chance(0.5) {
                    Self::put(&mut image, w.off + (i * SECTOR) as u64, sector);
                }
            }
        }
        image
    }
}

#[derive(Clone, Debug)]
pub enum NameChange {
    Set(String, u64),
    Unset(String),
    Rename(String, String),
}

pub fn apply(names: &mut BTreeMap<String, u64>, c: &NameChange) {
    match c {
        NameChange::Set(p, i) => {
            names.insert(p.clone(), *i);
        }
        NameChange::Unset(p) => {
            names.remove(p);
        }
        NameChange::Rename(a, b) => {
            if let Some(i) = names.remove(a) {
                names.insert(b.clone(), i);
            }
        }
    }
}

pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(d, _)| d)
}
