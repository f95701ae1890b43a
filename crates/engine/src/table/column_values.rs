//! How many different values each column of a table has, as far as a sample told.

use crate::sync::atomic::{AtomicU64, Ordering};

/// By the layout's columns; 0: nothing is known.
pub struct ColumnValues(Box<[AtomicU64]>);

impl ColumnValues {
    pub fn new(columns: usize) -> ColumnValues {
        ColumnValues((0..columns).map(|_| AtomicU64::new(0)).collect())
    }

    pub fn of(&self, column: usize) -> Option<u64> {
        self.0.get(column).map(|n| n.load(Ordering::Relaxed)).filter(|n| *n > 0)
    }

    pub fn set(&self, column: usize, values: u64) {
        if let Some(n) = self.0.get(column) {
            n.store(values, Ordering::Relaxed);
        }
    }

    /// Of a partitioned table: a column has at least as many as in each of the parts.
    pub fn take_most<'p>(&self, parts: impl Iterator<Item = &'p ColumnValues> + Clone) {
        for (column, mine) in self.0.iter().enumerate() {
            let most = parts.clone().filter_map(|p| p.of(column)).max().unwrap_or(0);
            mine.store(most, Ordering::Relaxed);
        }
    }
}
