//! A set of different texts, each with a number by which it is found again. They lie one after the other in one piece of memory, for groups by
//! texts have a great many.

use crate::value::key_hash::KeyHash;
use std::hash::{BuildHasher, Hasher};

/// What a text takes in addition to its bytes, at most about: its end, its hash, and two to four places of the table.
const ENTRY: usize = size_of::<usize>() + size_of::<u32>() + 3 * size_of::<u32>();

#[derive(Default)]
pub struct Texts {
    hash: KeyHash,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Of each text the upper half of its hash: most others differ from it already by that.
    hashes: Vec<u32>,
    /// Numbers, each one higher, by their hashes; 0: a free place. At least half of the places are free.
    table: Vec<u32>,
}

impl Texts {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes that a text takes here.
    pub fn entry(text: &[u8]) -> usize {
        ENTRY + text.len()
    }

    #[inline]
    pub fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let begin = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[begin..self.ends[number]]
    }

    #[inline]
    fn hash_of(&self, text: &[u8]) -> u64 {
        let mut hasher = self.hash.build_hasher();
        hasher.write(text);
        hasher.finish()
    }

    /// The number of a text; none: it is not here.
    #[inline]
    pub fn find(&self, text: &[u8]) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let hash = self.hash_of(text);
        let (mask, upper) = (self.table.len() - 1, (hash >> 32) as u32);
        let mut at = hash as usize & mask;
        loop {
            let number = self.table[at].checked_sub(1)?;
            if self.hashes[number as usize] == upper && self.get(number) == text {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Puts a text that is not here; its number.
    pub fn put(&mut self, text: &[u8]) -> u32 {
        if (self.ends.len() + 1) * 2 > self.table.len() {
            self.widen();
        }
        let hash = self.hash_of(text);
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.hashes.push((hash >> 32) as u32);
        place(&mut self.table, hash, number);
        number
    }

    fn widen(&mut self) {
        let mut table = vec![0; (self.table.len() * 2).max(64)];
        for number in 0..self.ends.len() as u32 {
            place(&mut table, self.hash_of(self.get(number)), number);
        }
        self.table = table;
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.hashes.clear();
        self.table.fill(0);
    }
}

fn place(table: &mut [u32], hash: u64, number: u32) {
    let mask = table.len() - 1;
    let mut at = hash as usize & mask;
    while table[at] != 0 {
        at = (at + 1) & mask;
    }
    table[at] = number + 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_numbers() {
        let mut texts = Texts::default();
        assert_eq!(texts.find(b"a"), None);
        let text = |n: u32| "x".repeat(n as usize % 7) + &n.to_string();
        for round in 0..2 {
            for n in 0..1000 {
                assert_eq!(texts.find(text(n).as_bytes()), None, "{n}, round {round}");
                assert_eq!(texts.put(text(n).as_bytes()), n);
            }
            for n in 0..1000 {
                assert_eq!(texts.find(text(n).as_bytes()), Some(n));
                assert_eq!(texts.get(n), text(n).as_bytes());
            }
            assert_eq!((texts.find(b""), texts.len()), (None, 1000));
            texts.clear();
        }
        assert_eq!((texts.put(b""), texts.find(b"")), (0, Some(0)));
    }
}
