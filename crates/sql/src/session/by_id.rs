//! Maps by the numbers of prepared statements.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// By a number that the server itself has given, so that no client can choose numbers that meet in one place.
pub type ById<T> = HashMap<u32, T, BuildHasherDefault<IdHasher>>;

/// Spreads numbers that follow one another: a multiplication, where the usual hasher is a hundred instructions.
#[derive(Default)]
pub struct IdHasher(u64);

/// 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming, volume 3, 6.4).
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.write_u32(u32::from(*b));
        }
    }

    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0 ^ u64::from(n)).wrapping_mul(GOLDEN);
    }
}
