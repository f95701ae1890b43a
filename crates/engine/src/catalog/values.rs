//! How many different values the columns of a table have, estimated from a few of its leaves.
//!
//! A sample of `n` rows of `N` has `d` different values of a column, `f` of which it has once. Where all are there once, the column is taken for
//! one whose rows all differ; else the values that were not seen are estimated from those that were seen once, by d / (1 - (1 - n/N) f/n)
//! (Haas and others 1995, the first-order jackknife). Rows of a leaf were often written together, so a column whose values come in runs is
//! taken to have fewer than it has. NULL is no value.

use crate::btree;
use crate::error::Result;
use crate::mtr::{self, Core};
use crate::row::{Datum, RowView, validate};
use crate::table::Table;
use crate::txn::{ROW_HEADER, RowHeader};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

/// Leaves that are read, and rows that are taken of each.
const LEAVES: usize = 16;
const ROWS: usize = 40;

/// The rows of a sample by what one column has in them.
#[derive(Default)]
struct Seen {
    rows: u64,
    /// How often each value is there, by its hash.
    times: HashMap<u64, u32>,
}

impl Seen {
    fn add(&mut self, v: Datum<'_>) {
        let mut h = DefaultHasher::new();
        match v {
            Datum::Null => return,
            Datum::Int(n) => h.write_i64(n),
            Datum::UInt(n) => h.write_u64(n),
            Datum::Float(f) => h.write_u64(f.to_bits()),
            Datum::Bytes(b) => h.write(b),
        }
        self.rows += 1;
        *self.times.entry(h.finish()).or_default() += 1;
    }

    /// Values in all of a table's rows.
    fn values(&self, rows: u64) -> u64 {
        let (n, d) = (self.rows as f64, self.times.len() as f64);
        if self.rows == 0 {
            return 0;
        }
        let once = self.times.values().filter(|t| **t == 1).count() as f64;
        let all = (rows as f64).max(n);
        let unseen = 1.0 - (1.0 - n / all) * once / n;
        (d / unseen.max(n / all)).round().clamp(d, all) as u64
    }
}

/// Estimates them for a table, or a partition, of so many rows.
pub async fn sample(core: &Core, t: &Table, rows: u64) -> Result<()> {
    let mut seen: Vec<Seen> = (0..t.layout.len()).map(|_| Seen::default()).collect();
    let tree = &t.indexes[0].tree;
    let leaves = (t.indexes[0].leaves.load(crate::sync::atomic::Ordering::Relaxed) as usize).max(1);
    let most = leaves.min(LEAVES);
    for i in 0..most {
        let share = (i as f64 + 0.5) / most as f64;
        let some = mtr::run(core, 0, |w| btree::sample_values(w.core, tree, share, ROWS)).await?;
        for value in &some {
            add_row(t, value, &mut seen);
        }
    }
    for (column, seen) in seen.iter().enumerate() {
        t.values.set(column, seen.values(rows));
    }
    Ok(())
}

fn add_row(t: &Table, value: &[u8], seen: &mut [Seen]) {
    if value.len() < ROW_HEADER || RowHeader::read(value).is_deleted() {
        return;
    }
    let row = &value[ROW_HEADER..];
    if validate(&t.layout, row).is_err() {
        return;
    }
    let row = RowView::new(&t.layout, row);
    for (column, seen) in seen.iter_mut().enumerate() {
        // Long values that are elsewhere differ as their references do.
        seen.add(row.get(column));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimated(values: impl Iterator<Item = i64>, rows: u64) -> u64 {
        let mut seen = Seen::default();
        values.for_each(|v| seen.add(Datum::Int(v)));
        seen.values(rows)
    }

    #[test]
    fn few_values_are_all_seen_and_rows_that_differ_are_as_many_as_there_are() {
        assert_eq!(estimated((0..600).map(|n| n % 8), 1_000_000), 8);
        assert_eq!(estimated(0..600, 1_000_000), 1_000_000);
        assert_eq!(estimated(0..600, 600), 600);
        assert_eq!(estimated(std::iter::empty(), 10), 0);
    }

    #[test]
    fn values_that_were_not_seen_are_guessed_from_those_seen_once() {
        let mut rng = weir_rt::Rng::new(7);
        for truth in [50u64, 1_000, 5_000] {
            let drawn: Vec<i64> = (0..640).map(|_| rng.below(truth) as i64).collect();
            let guess = estimated(drawn.into_iter(), 100_000) as f64 / truth as f64;
            assert!((0.5..2.0).contains(&guess), "{truth}: {guess}");
        }
    }
}
