//! What values the columns of a table have, estimated from a few of its leaves: how many different ones, and which are often there.
//!
//! Values that are often there are kept with their shares. Of the rest, a sample of `n` rows of `N` has `d` different values of a column, `f`
//! of which it has once. Where all are there once, the column is taken for one whose rows all differ; else the values that were not seen are
//! estimated from those that were seen once, by d / (1 - (1 - n/N) f/n)
//! (Haas and others 1995, the first-order jackknife). Rows of a leaf were often written together, so a column whose values come in runs is
//! taken to have fewer than it has. NULL is no value.

use crate::btree;
use crate::error::Result;
use crate::mtr::{self, Core};
use crate::row::{Datum, RowView, validate};
use crate::sync::atomic::Ordering;
use crate::table::{ColumnSample, Table, hash_of};
use crate::txn::{ROW_HEADER, RowHeader};
use std::collections::HashMap;

/// Leaves that are read, and rows that are taken of each.
const LEAVES: usize = 16;
const ROWS: usize = 40;
/// Values of a column that are kept with their shares, and of how many rows each of them has one at least.
const COMMON: usize = 32;
const OFTEN: usize = 100;

/// The rows of a sample by what one column has in them.
#[derive(Default)]
struct Seen {
    rows: u64,
    /// How often each value is there, by its hash.
    times: HashMap<u64, u32>,
}

impl Seen {
    fn add(&mut self, v: Datum<'_>) {
        self.rows += 1;
        if let Some(hash) = hash_of(v) {
            *self.times.entry(hash).or_default() += 1;
        }
    }

    /// What the sample tells of a table of so many rows.
    fn told(&self, rows: u64) -> ColumnSample {
        let n = self.rows.max(1) as f32;
        let known: u32 = self.times.values().sum();
        let is_common = |times: u32| times > 2 && times as usize * OFTEN >= known as usize;
        let mut common: Vec<(u64, u32)> =
            self.times.iter().filter(|(_, t)| is_common(**t)).map(|(h, t)| (*h, *t)).collect();
        common.sort_unstable_by_key(|(hash, times)| (std::cmp::Reverse(*times), *hash));
        common.truncate(COMMON);
        let others = known - common.iter().map(|(_, times)| times).sum::<u32>();
        let rare = (self.times.len() - common.len()) as f64;
        let all = (rows as f64 * f64::from(others) / f64::from(n)).round();
        ColumnSample {
            values: common.len() as u64 + self.rare_values(f64::from(others), rare, all),
            common: common.into_iter().map(|(hash, times)| (hash, times as f32 / n)).collect(),
            others: others as f32 / n,
        }
    }

    /// Values in `all` rows, of which the sample has `n` with `d` values: those that are not common.
    fn rare_values(&self, n: f64, d: f64, all: f64) -> u64 {
        if n == 0.0 {
            return 0;
        }
        let all = all.max(n);
        let once = self.times.values().filter(|t| **t == 1).count() as f64;
        let unseen = 1.0 - (1.0 - n / all) * once / n;
        (d / unseen.max(n / all)).round().clamp(d, all) as u64
    }
}

/// Estimates them for a table, or a partition, of so many rows.
pub async fn sample(core: &Core, t: &Table, rows: u64) -> Result<()> {
    let mut seen: Vec<Seen> = (0..t.layout.len()).map(|_| Seen::default()).collect();
    let tree = &t.indexes[0].tree;
    let leaves = (t.indexes[0].leaves.load(Ordering::Relaxed) as usize).max(1);
    let most = leaves.min(LEAVES);
    for i in 0..most {
        let share = (i as f64 + 0.5) / most as f64;
        let some = mtr::run(core, 0, |w| btree::sample_values(w.core, tree, share, ROWS)).await?;
        for value in &some {
            add_row(t, value, &mut seen);
        }
    }
    t.values.set(seen.iter().map(|s| s.told(rows)).collect());
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
        seen.told(rows).values
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

    #[test]
    fn values_that_are_often_there_are_known_with_their_shares() {
        let mut seen = Seen::default();
        for n in 0..600 {
            seen.add(match n % 4 {
                0 | 1 => Datum::Int(-1),
                2 => Datum::Int(n),
                _ => Datum::Null,
            });
        }
        let told = seen.told(1_000_000);
        assert_eq!(told.common, [(hash_of(Datum::Int(-1)).unwrap(), 0.5)]);
        assert_eq!(told.values, 250_001);
        assert!((told.others - 0.25).abs() < 1e-6 && told.share(Datum::Int(2)) < 0.001, "{told:?}");
    }
}
