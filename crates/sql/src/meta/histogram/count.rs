//! Counting the values of columns in bounded memory.
//!
//! All rows count until the values take more memory than they may; then half of what was counted is given up, and of the rows that follow
//! one of two counts, then one of four. So a column of few values is counted whole, however many rows there are, and no guess at the
//! number of rows is needed beforehand. Which rows count is drawn by a fixed sequence: the same table gives the same histogram.

use super::cut;
use crate::value::{Datum, DatumBuf, PhysType};
use std::collections::BTreeMap;
use weir_engine::row::{KeyPartType, encode_datum};

/// What a value takes beside its bytes: its count, its place in the tree, and the heads of two lists of bytes.
const ENTRY: usize = 120;

/// The values of a column, by their keys.
#[derive(Default)]
pub struct Counted {
    values: BTreeMap<Vec<u8>, (DatumBuf, u64)>,
    pub nulls: u64,
}

impl Counted {
    /// Values in their order, each with its rows.
    pub fn values(&self) -> impl Iterator<Item = (&DatumBuf, u64)> {
        self.values.values().map(|(d, n)| (d, *n))
    }
}

/// The columns that are counted together.
pub struct Sample {
    types: Vec<PhysType>,
    columns: Vec<Counted>,
    /// Rows that came by, those that counted or not.
    seen: u64,
    /// How often the rate was halved.
    halved: u32,
    bytes: usize,
    limit: usize,
    draws: u64,
}

fn size(key: &[u8], d: &DatumBuf) -> usize {
    ENTRY + key.len() + d.as_ref().as_bytes().map_or(0, <[u8]>::len)
}

/// Spreads numbers that follow each other evenly over all numbers (the finalizer of SplitMix64).
fn mixed(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Sample {
    pub fn new(types: Vec<PhysType>, limit: usize) -> Sample {
        let columns = types.iter().map(|_| Counted::default()).collect();
        Sample { types, columns, seen: 0, halved: 0, bytes: 0, limit, draws: 0 }
    }

    /// A row: the values of its columns, in their order.
    pub fn add(&mut self, row: &[Datum<'_>]) {
        self.seen += 1;
        if self.halved > 0 && mixed(self.seen) >> (64 - self.halved.min(63)) != 0 {
            return;
        }
        for ((ty, counted), d) in self.types.iter().zip(&mut self.columns).zip(row) {
            if d.is_null() {
                counted.nulls += 1;
                continue;
            }
            let d = cut(ty, *d);
            let mut key = Vec::new();
            // What has no key has no place among the values; a column's own values all have one.
            if encode_datum(&KeyPartType::asc(*ty, false), d, &mut key).is_err() {
                continue;
            }
            match counted.values.get_mut(&key) {
                Some((_, n)) => *n += 1,
                None => {
                    let d = d.to_buf();
                    self.bytes += size(&key, &d);
                    counted.values.insert(key, (d, 1));
                }
            }
        }
        while self.bytes > self.limit && self.columns.iter().any(|c| !c.values.is_empty()) {
            self.halve();
        }
    }

    /// Gives up half of the rows that were counted. Of an odd one it is drawn whether it stays.
    fn halve(&mut self) {
        let (draws, bytes) = (&mut self.draws, &mut self.bytes);
        let mut half = |n: u64| {
            *draws += 1;
            n / 2 + (n & mixed(draws.wrapping_neg()) & 1)
        };
        for c in &mut self.columns {
            c.nulls = half(c.nulls);
            c.values.retain(|key, (d, n)| {
                *n = half(*n);
                *bytes -= if *n == 0 { size(key, d) } else { 0 };
                *n > 0
            });
        }
        self.halved += 1;
    }

    pub fn columns(&self) -> &[Counted] {
        &self.columns
    }

    /// The share of the rows that count.
    pub fn rate(&self) -> f64 {
        0.5f64.powi(self.halved as i32)
    }

    /// Bytes of all that was counted.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIG: PhysType = PhysType::Int { bytes: 8, unsigned: true };

    fn rows(c: &Counted) -> u64 {
        c.nulls + c.values().map(|v| v.1).sum::<u64>()
    }

    #[test]
    fn few_values_are_counted_whole() {
        let mut s = Sample::new(vec![BIG], 1000);
        (0..10_000).for_each(|n| s.add(&[Datum::UInt(n % 3)]));
        assert_eq!(s.rate(), 1.0);
        let counts: Vec<u64> = s.columns()[0].values().map(|v| v.1).collect();
        assert_eq!(counts, [3334, 3333, 3333]);
    }

    #[test]
    fn many_values_are_sampled_within_the_limit() {
        let mut s = Sample::new(vec![BIG, BIG], 200_000);
        (0..100_000u64).for_each(|n| {
            let b = if n % 4 == 0 { Datum::Null } else { Datum::UInt(n % 2) };
            s.add(&[Datum::UInt(n), b]);
        });
        assert!(s.bytes() <= 200_000 && s.rate() < 0.1, "{} {}", s.bytes(), s.rate());
        for c in s.columns() {
            let all = rows(c) as f64 / s.rate();
            assert!((all - 100_000.0).abs() < 10_000.0, "{all}");
        }
        let nulls = s.columns()[1].nulls as f64 / s.rate();
        assert!((nulls - 25_000.0).abs() < 4_000.0, "{nulls}");
        // Rows of all the table are among them, not the last ones alone.
        let early = s.columns()[0].values().filter(|(d, _)| d.as_ref().as_u64() < Some(50_000));
        let share = early.count() as f64 / rows(&s.columns()[0]) as f64;
        assert!((share - 0.5).abs() < 0.1, "{share}");
    }

    #[test]
    fn long_texts_count_by_their_beginning() {
        let ty = PhysType::Var { collation: crate::value::Collation::Utf8mb4Bin, max_bytes: 1000 };
        let mut s = Sample::new(vec![ty], 1 << 20);
        for end in ["a", "b"] {
            s.add(&[Datum::Bytes(("ä".repeat(42) + end).as_bytes())]);
            s.add(&[Datum::Bytes(("ä".repeat(41) + end).as_bytes())]);
        }
        let all: Vec<(usize, u64)> = s.columns()[0]
            .values()
            .map(|(d, n)| (d.as_ref().as_bytes().map_or(0, <[u8]>::len), n))
            .collect();
        assert_eq!(all, [(83, 1), (83, 1), (84, 2)]);
    }
}
