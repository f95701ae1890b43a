//! The hash of keys in tables in memory: groups, DISTINCT, joins, lists. Two words at a time are multiplied to twice their width and folded, as
//! wyhash does; a key of sixteen bytes takes two multiplications, where the standard library's SipHash takes some forty rotations.
//!
//! The seed is drawn once for the process by the standard library, so that nobody who writes rows can choose keys that hash alike.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

// Odd numbers without a pattern, those of wyhash.
const FIRST: u64 = 0xa076_1d64_78bd_642f;
const SECOND: u64 = 0xe703_7ed1_a0b4_28db;
const THIRD: u64 = 0x8ebc_6af0_9c88_c6e3;

/// Makes hashers of keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyHash(u64);

impl Default for KeyHash {
    fn default() -> KeyHash {
        static SEED: OnceLock<u64> = OnceLock::new();
        KeyHash(*SEED.get_or_init(|| RandomState::new().hash_one(FIRST)))
    }
}

impl BuildHasher for KeyHash {
    type Hasher = Folded;

    #[inline]
    fn build_hasher(&self) -> Folded {
        Folded(self.0)
    }
}

/// The hash of what has been written.
#[derive(Debug)]
pub struct Folded(u64);

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The last bytes of a key, sixteen at most, as two words that tell all of them.
#[inline]
fn last(bytes: &[u8]) -> (u64, u64) {
    let short = |bytes: &[u8]| {
        let mut word = [0; 4];
        word.copy_from_slice(bytes);
        u64::from(u32::from_le_bytes(word))
    };
    let n = bytes.len();
    match n {
        8.. => (word(&bytes[..8]), word(&bytes[n - 8..])),
        4..8 => (short(&bytes[..4]), short(&bytes[n - 4..])),
        1..4 => {
            let [a, b, c] = [bytes[0], bytes[n / 2], bytes[n - 1]].map(u64::from);
            (a << 16 | b << 8 | c, 0)
        }
        0 => (0, 0),
    }
}

impl Hasher for Folded {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut state = self.0 ^ fold(bytes.len() as u64 ^ FIRST, THIRD);
        let mut rest = bytes;
        while rest.len() > 16 {
            state = fold(word(&rest[..8]) ^ SECOND, word(&rest[8..16]) ^ state);
            rest = &rest[16..];
        }
        let (a, b) = last(rest);
        self.0 = fold(a ^ SECOND, b ^ state);
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.0 = fold(n ^ SECOND, self.0 ^ THIRD);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }

    #[inline]
    fn write_i128(&mut self, n: i128) {
        self.write_u64(n as u64);
        self.write_u64((n >> 64) as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        fold(self.0 ^ FIRST, THIRD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn of(key: &[u8]) -> u64 {
        KeyHash(7).hash_one(key)
    }

    #[test]
    fn keys_of_any_length_are_told_apart() {
        let mut seen = HashSet::new();
        for len in 0..70 {
            let key = vec![0; len];
            assert!(seen.insert(of(&key)), "zeros, {len} bytes");
            for at in 0..len {
                for bit in [1, 128] {
                    let mut other = key.clone();
                    other[at] = bit;
                    assert!(seen.insert(of(&other)), "{len} bytes, bit {bit} of byte {at}");
                }
            }
        }
    }

    /// Numbers one after the other fill a table evenly, by the low bits and by the high ones.
    #[test]
    fn neighbours_are_spread() {
        for shift in [0, 57] {
            let mut buckets = [0u32; 128];
            for n in 0..128_000i128 {
                let hash = of(&n.to_be_bytes());
                buckets[(hash >> shift) as usize % 128] += 1;
            }
            assert!(buckets.iter().all(|n| (800..1200).contains(n)), "{buckets:?}");
        }
    }

    #[test]
    fn another_seed_gives_other_hashes() {
        assert_ne!(KeyHash(1).hash_one(b"key"), KeyHash(2).hash_one(b"key"));
        assert_eq!(KeyHash::default().hash_one(b"key"), KeyHash::default().hash_one(b"key"));
    }
}
