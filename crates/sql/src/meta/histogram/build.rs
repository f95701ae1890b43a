//! From counted values to buckets.

use super::count::Counted;
use super::{Bucket, Histogram, Kind};
use crate::value::DatumBuf;

/// The histogram of a column whose values were counted, in so many buckets at most.
pub fn build(
    column: usize,
    counted: &Counted,
    sampling: f64,
    (specified, automatic): (u16, bool),
    updated_micros: i64,
) -> Histogram {
    let values: Vec<(&DatumBuf, u64)> = counted.values().collect();
    let rows = counted.nulls + values.iter().map(|v| v.1).sum::<u64>();
    let share = |n: u64| if rows == 0 { 0.0 } else { n as f64 / rows as f64 };
    let (kind, groups) = match values.len() <= usize::from(specified) {
        true => (Kind::Singleton, values.chunks(1).collect()),
        false => (Kind::EquiHeight, groups(&values, usize::from(specified))),
    };
    let mut so_far = 0;
    let mut bucket = |group: &[(&DatumBuf, u64)]| {
        so_far += group.iter().map(|v| v.1).sum::<u64>();
        let (first, last) = (group.first()?, group.last()?);
        Some(Bucket {
            lower: first.0.clone(),
            upper: last.0.clone(),
            cumulative: share(so_far),
            distinct: distinct(group, sampling),
        })
    };
    let buckets = groups.into_iter().filter_map(&mut bucket).collect();
    let nulls = share(counted.nulls);
    Histogram { column, kind, buckets, nulls, sampling, specified, updated_micros, automatic }
}

/// How many values a bucket has, by those of a sample. Those that were seen once stand for others that were not seen: for somewhere between
/// none and 1 / sampling of them, so the geometric mean of the two is taken (the Guaranteed-Error Estimator of Charikar and others).
fn distinct(group: &[(&DatumBuf, u64)], sampling: f64) -> u64 {
    let seen = group.len() as u64;
    if seen <= 1 {
        return seen;
    }
    let once = group.iter().filter(|v| v.1 == 1).count() as u64;
    (once as f64 * (1.0 / sampling).sqrt()).round() as u64 + seen - once
}

/// Cuts values into at most `most` groups such that the largest group of more than one value is as small as it can be: a group is filled
/// until the next value would make it larger than a bound, and the smallest bound that does with so many groups is searched for. A value
/// with more rows than the bound is alone.
fn groups<'v, 'd>(
    values: &'v [(&'d DatumBuf, u64)],
    most: usize,
) -> Vec<&'v [(&'d DatumBuf, u64)]> {
    // No bound below the even share can do, and that of all rows does.
    let rows: u64 = values.iter().map(|v| v.1).sum();
    let (mut low, mut high) = (0, rows);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match ends(values, middle).count() <= most {
            true => high = middle,
            false => low = middle,
        }
    }
    let mut from = 0;
    ends(values, high).map(|end| &values[std::mem::replace(&mut from, end)..end]).collect()
}

/// Where the groups end that a bound gives.
fn ends<'v>(values: &'v [(&DatumBuf, u64)], bound: u64) -> impl Iterator<Item = usize> + 'v {
    let mut at = 0;
    std::iter::from_fn(move || {
        let mut rows = values.get(at)?.1;
        at += 1;
        while let Some(next) = values.get(at)
            && rows + next.1 <= bound
        {
            rows += next.1;
            at += 1;
        }
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Sample;
    use super::*;
    use crate::value::{Datum, PhysType};
    use proptest::prelude::*;

    const INT: PhysType = PhysType::Int { bytes: 4, unsigned: false };

    fn of(values: &[i64], nulls: usize, buckets: u16) -> Histogram {
        let mut sample = Sample::new(vec![INT], 1 << 30);
        let all = values.iter().map(|v| Datum::Int(*v)).chain(vec![Datum::Null; nulls]);
        all.for_each(|d| sample.add(&[d]));
        build(3, &sample.columns()[0], sample.rate(), (buckets, false), 7)
    }

    fn shown(h: &Histogram) -> Vec<(i64, i64, f64, u64)> {
        let int = |d: &DatumBuf| d.as_ref().as_i64().expect("an integer");
        h.buckets.iter().map(|b| (int(&b.lower), int(&b.upper), b.cumulative, b.distinct)).collect()
    }

    #[test]
    fn a_bucket_for_each_value_where_there_are_enough() {
        let h = of(&[2, 1, 2, 3], 0, 3);
        assert_eq!(h.kind, Kind::Singleton);
        assert_eq!(shown(&h), [(1, 1, 0.25, 1), (2, 2, 0.75, 1), (3, 3, 1.0, 1)]);
        let h = of(&[5], 3, 1);
        assert_eq!((h.nulls, shown(&h)), (0.75, vec![(5, 5, 0.25, 1)]));
        assert_eq!((h.column, h.specified, h.updated_micros, h.sampling), (3, 1, 7, 1.0));
    }

    #[test]
    fn nothing_and_nulls_alone() {
        let (empty, nulls) = (of(&[], 0, 10), of(&[], 4, 10));
        assert_eq!((empty.kind, empty.nulls, empty.buckets.len()), (Kind::Singleton, 0.0, 0));
        assert_eq!((nulls.kind, nulls.nulls, nulls.buckets.len()), (Kind::Singleton, 1.0, 0));
    }

    #[test]
    fn rows_are_spread_evenly_over_buckets() {
        let h = of(&[1, 2, 3, 4, 5, 6, 7, 8], 0, 4);
        assert_eq!(h.kind, Kind::EquiHeight);
        assert_eq!(shown(&h), [(1, 2, 0.25, 2), (3, 4, 0.5, 2), (5, 6, 0.75, 2), (7, 8, 1.0, 2)]);
        // A frequent value is alone, and the others share what is left.
        let h = of(&[1, 2, 3, 3, 3, 3, 3, 3, 4, 5], 0, 3);
        assert_eq!(shown(&h), [(1, 2, 0.2, 2), (3, 3, 0.8, 1), (4, 5, 1.0, 2)]);
        assert_eq!(shown(&of(&[1, 2, 3], 0, 1)), [(1, 3, 1.0, 3)]);
    }

    #[test]
    fn values_seen_once_in_a_sample_stand_for_others() {
        let d = DatumBuf::Int(0);
        let group = |counts: &[u64]| counts.iter().map(|n| (&d, *n)).collect::<Vec<_>>();
        assert_eq!(distinct(&group(&[1]), 0.01), 1);
        assert_eq!(distinct(&group(&[1, 1, 5]), 1.0), 3);
        assert_eq!(distinct(&group(&[1, 1, 5]), 0.25), 5);
    }

    proptest! {
        #[test]
        fn buckets_ascend_and_are_whole(
            values in proptest::collection::vec(-50i64..50, 1..200),
            nulls in 0usize..20,
            most in 1u16..60,
        ) {
            let h = of(&values, nulls, most);
            let (buckets, rows) = (shown(&h), (values.len() + nulls) as f64);
            prop_assert!(buckets.len() <= usize::from(most));
            prop_assert!(buckets.windows(2).all(|w| w[0].1 < w[1].0 && w[0].2 < w[1].2));
            prop_assert!(buckets.iter().all(|b| b.0 <= b.1));
            let last = buckets.last().map_or(0.0, |b| b.2);
            prop_assert!((last + h.nulls - 1.0).abs() < 1e-9);
            for (lower, upper, cumulative, distinct) in buckets {
                let up_to = values.iter().filter(|v| **v <= upper).count() as f64 / rows;
                prop_assert!((up_to - cumulative).abs() < 1e-9);
                let inside: std::collections::BTreeSet<_> =
                    values.iter().filter(|v| (lower..=upper).contains(*v)).collect();
                prop_assert_eq!(inside.len() as u64, distinct);
            }
        }
    }
}
