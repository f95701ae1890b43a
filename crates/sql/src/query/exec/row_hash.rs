//! Which rows have equal values in some columns: their numbers by a hash of the values' keys.
//!
//! Invariant: nothing is missed, and nothing else is found while the hash is exact ([`RowHash::is_exact`]): no two keys in it hash alike.
//! Where two do, the condition itself is looked at on each row found.

use crate::value::key_hash::KeyHash;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

/// Numbers of rows by hash, those of one hash in the order in which they came.
#[derive(Default)]
pub struct RowHash {
    state: KeyHash,
    chains: HashMap<u64, Chain, BuildHasherDefault<Hashed>>,
    /// For each row the next one with its hash; itself: there is none.
    next: Vec<u32>,
    /// The keys of the chains, one behind the other.
    keys: Vec<u8>,
    /// Two keys hash alike.
    blurred: bool,
}

/// The rows of a hash.
struct Chain {
    first: u32,
    last: u32,
    /// Where their key is, that of the first row if they have several.
    key: (usize, u32),
}

/// Of a number that is a hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }

    fn write(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.is_empty(), "nothing but hashes is a key");
    }
}

fn at(keys: &[u8], (from, len): (usize, u32)) -> &[u8] {
    &keys[from..from + len as usize]
}

impl RowHash {
    /// What a row takes of memory, and what its hash takes where it is the first; the key comes on top then.
    pub const ROW_BYTES: usize = size_of::<u32>() + 2 * size_of::<(u64, Chain)>();

    /// The next row. Without a key it is never found. Gives the bytes that its key takes.
    pub fn push(&mut self, key: Option<&[u8]>) -> usize {
        let row = self.next.len() as u32;
        self.next.push(row);
        let Some(key) = key else { return 0 };
        match self.chains.entry(self.state.hash_one(key)) {
            Entry::Occupied(chain) => {
                let chain = chain.into_mut();
                self.blurred |= key != at(&self.keys, chain.key);
                let before = std::mem::replace(&mut chain.last, row);
                self.next[before as usize] = row;
                0
            }
            Entry::Vacant(place) => {
                let key_at = (self.keys.len(), key.len() as u32);
                place.insert(Chain { first: row, last: row, key: key_at });
                self.keys.extend_from_slice(key);
                key.len()
            }
        }
    }

    /// The first row that has this key, or may have it where the hash is not exact.
    pub fn first(&self, key: &[u8]) -> Option<u32> {
        let chain = self.chains.get(&self.state.hash_one(key))?;
        (self.blurred || key == at(&self.keys, chain.key)).then_some(chain.first)
    }

    /// Whether rows that are found have the key that was looked for.
    pub fn is_exact(&self) -> bool {
        !self.blurred
    }

    /// The row behind this one that may have the same key.
    pub fn after(&self, row: u32) -> Option<u32> {
        let next = self.next[row as usize];
        (next != row).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_key_in_their_order() {
        let mut hash = RowHash::default();
        for key in [Some("a"), Some("b"), None, Some("a"), Some("a")] {
            hash.push(key.map(str::as_bytes));
        }
        let of = |key: &str| {
            std::iter::successors(hash.first(key.as_bytes()), |r| hash.after(*r))
                .collect::<Vec<_>>()
        };
        assert_eq!(of("a"), [0, 3, 4]);
        assert_eq!(of("b"), [1]);
        assert_eq!(of("c"), Vec::<u32>::new());
        assert!(hash.is_exact());
    }

    /// As if all keys hashed alike.
    #[test]
    fn keys_of_one_hash_are_told() {
        let mut hash = RowHash::default();
        assert_eq!(hash.push(Some(b"one")), 3);
        assert_eq!(hash.push(Some(b"one")), 0);
        let (of_one, of_two) = (hash.state.hash_one(&b"one"[..]), hash.state.hash_one(&b"two"[..]));
        let chain = hash.chains.remove(&of_one).expect("is there");
        hash.chains.insert(of_two, chain);
        // Nothing else is found while no row has the other key.
        assert_eq!((hash.first(b"two"), hash.is_exact()), (None, true));
        hash.push(Some(b"two"));
        assert_eq!((hash.first(b"two"), hash.after(0), hash.after(1)), (Some(0), Some(1), Some(2)));
        assert!(!hash.is_exact());
    }
}
