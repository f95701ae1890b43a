//! Sorting many rows so that the statement can end meanwhile.
//!
//! The standard sort knows no way out but a panic, and a million rows under a collation take it a second and more. So a long
//! list is sorted in short runs, which are then merged two by two; between the pieces of work `look` is asked whether the
//! statement is to end.

use std::cmp::Ordering;

/// Rows of a run: a thousandth of a second under integers, some hundredths under a collation.
const RUN: usize = 4096;
/// What a comparison counts as work, in the bytes of `EvalCtx::work`.
const COMPARISON: usize = 64;

/// Sorts `list`; equal rows stay in their order. With an error of `look` the list is empty.
pub fn sort<T, E>(
    list: &mut Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
    look: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    sort_runs(list, RUN, compare, look)
}

/// The same with runs of this many rows: fewer of them are merged, and `look` is asked less often.
pub fn sort_runs<T, E>(
    list: &mut Vec<T>,
    run_rows: usize,
    compare: impl Fn(&T, &T) -> Ordering,
    mut look: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    if list.len() <= run_rows {
        list.sort_by(compare);
        return Ok(());
    }
    let mut runs = Vec::with_capacity(list.len().div_ceil(run_rows));
    let mut rows = std::mem::take(list).into_iter();
    while rows.len() > 0 {
        let mut run: Vec<T> = rows.by_ref().take(run_rows).collect();
        run.sort_by(&compare);
        look(run.len() * COMPARISON)?;
        runs.push(run);
    }
    while runs.len() > 1 {
        let mut longer = Vec::with_capacity(runs.len().div_ceil(2));
        let mut pairs = runs.into_iter();
        while let Some(a) = pairs.next() {
            longer.push(match pairs.next() {
                Some(b) => merge(a, b, &compare, &mut look)?,
                None => a,
            });
        }
        runs = longer;
    }
    *list = runs.pop().unwrap_or_default();
    Ok(())
}

/// One sorted list of two; of equal rows those of `a` come first.
fn merge<T, E>(
    mut a: Vec<T>,
    b: Vec<T>,
    compare: &impl Fn(&T, &T) -> Ordering,
    look: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<Vec<T>, E> {
    // Rows that come in order already, as those of an index do, are only put behind each other.
    if let (Some(last), Some(first)) = (a.last(), b.first())
        && compare(last, first) != Ordering::Greater
    {
        look(b.len())?;
        a.extend(b);
        return Ok(a);
    }
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.into_iter().peekable(), b.into_iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let from_b = compare(x, y) == Ordering::Greater;
        out.extend(if from_b { b.next() } else { a.next() });
        look(COMPARISON)?;
    }
    out.extend(a);
    out.extend(b);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// The same as the standard's stable sort, whatever the length and however many rows are equal.
        #[test]
        fn agrees_with_the_standard_sort(len in 0..5 * RUN, kinds in 1..5000u32, seed: u64, sorted: bool) {
            let mut x = seed | 1;
            let mut rows: Vec<(u32, usize)> = (0..len)
                .map(|n| {
                    x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (if sorted { n as u32 / 3 } else { (x >> 33) as u32 % kinds }, n)
                })
                .collect();
            let mut expected = rows.clone();
            expected.sort_by_key(|r| r.0);
            sort(&mut rows, |a, b| a.0.cmp(&b.0), |_| Ok::<_, ()>(())).unwrap();
            prop_assert_eq!(rows, expected);
        }
    }

    /// It can be interrupted anywhere, and ends soon after: it looks often.
    #[test]
    fn ends_when_told() {
        let rows: Vec<u32> = (0..40_000u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
        let mut looks = 0;
        let count = |_| {
            looks += 1;
            Ok::<_, ()>(())
        };
        sort(&mut rows.clone(), u32::cmp, count).unwrap();
        assert!(looks > 40_000, "{looks}");
        for end in [1, 5, 10, 11, 5_000, looks] {
            let mut left = end;
            let mut list = rows.clone();
            let over = sort(&mut list, u32::cmp, |_| {
                left -= 1;
                if left == 0 { Err("killed") } else { Ok(()) }
            });
            assert_eq!(over, Err("killed"));
            assert!(list.is_empty());
        }
    }
}
