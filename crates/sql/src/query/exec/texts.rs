//! A set of different texts, each with a number by which it is found again: texts of a column, or keys of rows. They lie one after the other in
//! one piece of memory, for groups by texts, DISTINCT and set operations have a great many.

use crate::value::key_hash::KeyHash;
use std::hash::{BuildHasher, Hasher};

/// What a text takes in addition to its bytes, at most about: its end, and two places of the table, which has four for one to three texts.
const ENTRY: usize = size_of::<usize>() + 2 * size_of::<u64>();

/// The hash of a text, by which it is looked up and put.
#[derive(Clone, Copy)]
pub struct TextHash(u32);

#[derive(Default)]
pub struct Texts {
    hash: KeyHash,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Numbers, each one higher, below the hashes of their texts; 0: a free place. At least a quarter of the places is free. A text that is not here
    /// differs from others by what stands here alone, and so is where texts go when the table grows.
    table: Vec<u64>,
    /// Texts that the table has.
    placed: usize,
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
    pub fn hash_of(&self, text: &[u8]) -> TextHash {
        let mut hasher = self.hash.build_hasher();
        hasher.write(text);
        TextHash(hasher.finish() as u32)
    }

    /// The number of a text with this hash; none: it is not here.
    #[inline]
    pub fn find(&self, text: &[u8], hash: TextHash) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let mut at = hash.0 as usize & mask;
        loop {
            let place = self.table[at];
            let number = (place as u32).checked_sub(1)?;
            if (place >> 32) as u32 == hash.0 && self.get(number) == text {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Puts a text with this hash that is not here; its number.
    pub fn put(&mut self, text: &[u8], hash: TextHash) -> u32 {
        if (self.placed + 1) * 4 > self.table.len() * 3 {
            self.widen();
        }
        let number = self.append(text);
        self.placed += 1;
        place(&mut self.table, u64::from(hash.0) << 32 | u64::from(number + 1));
        number
    }

    /// Puts a text that is not to be found: it has a number and nothing else.
    pub fn append(&mut self, text: &[u8]) -> u32 {
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        number
    }

    fn widen(&mut self) {
        let mut table = vec![0; (self.table.len() * 2).max(64)];
        self.table.iter().filter(|entry| **entry != 0).for_each(|entry| place(&mut table, *entry));
        self.table = table;
    }

    /// Places of the table: what it takes to clear it.
    pub fn places(&self) -> usize {
        self.table.len()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.table.fill(0);
        self.placed = 0;
    }
}

fn place(table: &mut [u64], entry: u64) {
    let mask = table.len() - 1;
    let mut at = (entry >> 32) as usize & mask;
    while table[at] != 0 {
        at = (at + 1) & mask;
    }
    table[at] = entry;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_numbers() {
        let mut texts = Texts::default();
        let find = |texts: &Texts, text: &[u8]| texts.find(text, texts.hash_of(text));
        let put = |texts: &mut Texts, text: &[u8]| texts.put(text, texts.hash_of(text));
        assert_eq!(find(&texts, b"a"), None);
        let text = |n: u32| "x".repeat(n as usize % 7) + &n.to_string();
        for round in 0..2 {
            for n in 0..1000 {
                assert_eq!(find(&texts, text(n).as_bytes()), None, "{n}, round {round}");
                assert_eq!(put(&mut texts, text(n).as_bytes()), n);
            }
            for n in 0..1000 {
                assert_eq!(find(&texts, text(n).as_bytes()), Some(n));
                assert_eq!(texts.get(n), text(n).as_bytes());
            }
            assert_eq!((find(&texts, b""), texts.len()), (None, 1000));
            texts.clear();
        }
        assert_eq!((put(&mut texts, b""), find(&texts, b"")), (0, Some(0)));
        assert_eq!((texts.append(b"a"), find(&texts, b"a"), texts.get(1)), (1, None, &b"a"[..]));
    }
}
