//! What a sample told of the values of each column of a table.

use crate::row::Datum;
use crate::sync::RwLock;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// The share that is guessed of a value where a sample has shown no value of its kind.
pub const UNSEEN: f64 = 1e-4;

/// Shares of a table's rows, by what one column has in them.
#[derive(Clone, Debug, Default)]
pub struct ColumnSample {
    /// Different values in all of the rows; 0: nothing is known.
    pub values: u64,
    /// Values that are often there, by their [`hash_of`], and their shares.
    pub common: Vec<(u64, f32)>,
    /// The share of the rows with any other value.
    pub others: f32,
}

impl ColumnSample {
    /// The share of the rows that have this value.
    pub fn share(&self, value: Datum<'_>) -> f64 {
        let Some(hash) = hash_of(value) else { return UNSEEN };
        let known = self.common.iter().find(|(h, _)| *h == hash);
        known.map_or_else(|| self.rare(), |(_, share)| f64::from(*share))
    }

    /// The share of the rows that have a value of which nothing is known: that of most values.
    pub fn average(&self) -> f64 {
        let common: f64 = self.common.iter().map(|(_, share)| f64::from(*share)).sum();
        (common + f64::from(self.others)) / self.values.max(1) as f64
    }

    /// The share of all pairs of a row here and a row there that are equal by a value that is often there in both.
    pub fn common_pairs(&self, other: &ColumnSample) -> f64 {
        let there = |hash: u64| other.common.iter().find(|(h, _)| *h == hash).map(|(_, s)| *s);
        let pairs =
            self.common.iter().filter_map(|(h, own)| Some(f64::from(*own) * f64::from(there(*h)?)));
        pairs.sum()
    }

    fn rare(&self) -> f64 {
        let left = self.values.saturating_sub(self.common.len() as u64).max(1);
        match self.others {
            0.0 => UNSEEN,
            others => f64::from(others) / left as f64,
        }
    }
}

/// Equal for equal bytes of a column. NULL has none.
pub fn hash_of(value: Datum<'_>) -> Option<u64> {
    let mut h = DefaultHasher::new();
    match value {
        Datum::Null => return None,
        Datum::Int(n) => h.write_i64(n),
        Datum::UInt(n) => h.write_u64(n),
        Datum::Float(f) => h.write_u64(f.to_bits()),
        Datum::Bytes(b) => h.write(b),
    }
    Some(h.finish())
}

/// By the layout's columns. Of a partitioned table it is what its largest sampled partition has.
#[derive(Default)]
pub struct ColumnValues(RwLock<Arc<[ColumnSample]>>);

impl ColumnValues {
    /// `None`: nothing is known.
    pub fn of(&self, column: usize) -> Option<ColumnSample> {
        self.0.read().get(column).filter(|s| s.values > 0).cloned()
    }

    pub fn all(&self) -> Arc<[ColumnSample]> {
        self.0.read().clone()
    }

    pub fn set(&self, all: Arc<[ColumnSample]>) {
        *self.0.write() = all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_share_of_its_kind() {
        let common =
            vec![(hash_of(Datum::Int(7)).unwrap(), 0.5), (hash_of(Datum::Int(8)).unwrap(), 0.2)];
        let s = ColumnSample { values: 22, common, others: 0.2 };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} {b}");
        near(s.share(Datum::Int(7)), 0.5);
        near(s.share(Datum::Int(9)), 0.01);
        near(s.share(Datum::Null), UNSEEN);
        near(ColumnSample { others: 0.0, ..s.clone() }.share(Datum::Int(9)), UNSEEN);
        near(s.average(), 0.9 / 22.0);
    }

    #[test]
    fn values_that_are_often_there_on_both_sides_meet() {
        let sample = |common: &[(i64, f32)]| ColumnSample {
            values: 10,
            common: common.iter().map(|(n, s)| (hash_of(Datum::Int(*n)).unwrap(), *s)).collect(),
            others: 0.5,
        };
        let (a, b) = (sample(&[(1, 0.25), (2, 0.25)]), sample(&[(2, 0.5)]));
        assert_eq!(a.common_pairs(&b), 0.125);
        assert_eq!(b.common_pairs(&a), 0.125);
        assert_eq!(a.common_pairs(&ColumnSample::default()), 0.0);
    }
}
