//! The name of what is locked, with its hash: a row lock looks its name up in half a dozen places, and hashing the key costs more than
//! each of these.
//!
//! The hash decides the shard, so it is the same in every process, for the simulator's sake. Anyone who chooses keys could choose some
//! whose hashes end alike; in a shard's maps it is therefore spread by a secret of the map ([`Secret`]), which leaves only those together
//! that are equal in all 64 bits.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};

/// A record of an index, or its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockName {
    hash: u64,
    pub index: u64,
    /// `None`: the supremum, above every key.
    pub key: Option<Box<[u8]>>,
}

impl LockName {
    pub fn new(index: u64, key: Option<&[u8]>) -> LockName {
        LockName { hash: hash(index, key), index, key: key.map(Into::into) }
    }

    /// The hash that the name of a record would have.
    pub(super) fn hash_of(index: u64, key: &[u8]) -> u64 {
        hash(index, Some(key))
    }

    pub(super) fn shard(&self, shards: usize) -> usize {
        shard(self.hash, shards)
    }
}

pub(super) fn shard(hash: u64, shards: usize) -> usize {
    (hash % shards as u64) as usize
}

impl Hash for LockName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Keys that are hashed in one piece with what comes before them.
const SHORT: usize = 40;

/// That of the pair, as the standard library has it. The hasher sees a stream of bytes: a short key is given to it in one call, which costs half of four.
fn hash(index: u64, key: Option<&[u8]>) -> u64 {
    const WORD: usize = size_of::<usize>();
    let mut h = DefaultHasher::new();
    let Some(key) = key.filter(|k| k.len() <= SHORT) else {
        (index, key).hash(&mut h);
        return h.finish();
    };
    let (mut all, at) = ([0; 24 + SHORT], 8 + 2 * WORD);
    all[..8].copy_from_slice(&index.to_ne_bytes());
    all[8..8 + WORD].copy_from_slice(&1_isize.to_ne_bytes());
    all[8 + WORD..at].copy_from_slice(&key.len().to_ne_bytes());
    all[at..at + key.len()].copy_from_slice(key);
    h.write(&all[..at + key.len()]);
    h.finish()
}

/// Spreads the hashes of names. It is drawn by the standard library for each map, as its own maps do: nothing that the engine does depends on
/// the order in which such a map lies in memory.
#[derive(Clone)]
pub(super) struct Secret {
    add: u64,
    times: u64,
}

impl Default for Secret {
    fn default() -> Secret {
        let random = RandomState::new();
        Secret { add: random.hash_one(1), times: random.hash_one(2) | 1 }
    }
}

pub(super) struct Spread {
    secret: Secret,
    hash: u64,
}

impl BuildHasher for Secret {
    type Hasher = Spread;

    fn build_hasher(&self) -> Spread {
        Spread { secret: self.clone(), hash: 0 }
    }
}

impl Hasher for Spread {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a name is hashed by its number");
    }

    fn write_u64(&mut self, n: u64) {
        let wide = u128::from(n ^ self.secret.add) * u128::from(self.secret.times);
        self.hash = (wide as u64) ^ (wide >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

pub(super) type Names<T> = HashMap<LockName, T, Secret>;
pub(super) type NameSet = HashSet<LockName, Secret>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_they_are_made_of() {
        let names = [
            LockName::new(1, None),
            LockName::new(2, None),
            LockName::new(1, Some(b"")),
            LockName::new(1, Some(b"a")),
            LockName::new(1, Some(b"b")),
        ];
        for (i, a) in names.iter().enumerate() {
            for (j, b) in names.iter().enumerate() {
                assert_eq!(a == b, i == j, "{a:?} {b:?}");
            }
        }
        assert_eq!(LockName::new(1, Some(b"a")), names[3]);
        for name in &names {
            let mut h = DefaultHasher::new();
            (name.index, name.key.as_deref()).hash(&mut h);
            assert_eq!(name.hash, h.finish(), "{name:?}");
        }
        let long = [7; 2 * SHORT];
        for n in 0..long.len() {
            let mut h = DefaultHasher::new();
            (3_u64, Some(&long[..n])).hash(&mut h);
            assert_eq!(LockName::hash_of(3, &long[..n]), h.finish());
        }
        let set: NameSet = names.iter().chain(&names).cloned().collect();
        assert_eq!(set.len(), names.len());
    }

    /// Hashes that end alike, as somebody may choose them, stand apart in a map. Some secrets spread them less well than others, and nobody
    /// knows which one was drawn: of sixteen most do.
    #[test]
    fn chosen_hashes_are_spread() {
        let places = |secret: Secret| {
            let low = |n: u64| {
                let mut h = secret.build_hasher();
                h.write_u64(n << 32);
                h.finish() & 0xFFFF
            };
            (0..1000).map(low).collect::<HashSet<u64>>().len()
        };
        let mut all: Vec<usize> = (0..16).map(|_| places(Secret::default())).collect();
        all.sort_unstable();
        assert!(all[4] > 900, "{all:?}");
    }
}
