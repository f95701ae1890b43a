//! The share of a table's rows that a value has, or the values below it.

use super::{Histogram, cut};
use crate::value::{Datum, PhysType};
use weir_engine::row::{KeyPartType, encode_datum};

impl Histogram {
    /// The rows whose value is this one.
    pub fn equal(&self, ty: &PhysType, v: Datum<'_>) -> f64 {
        self.at(ty, cut(ty, v)).1
    }

    /// The rows whose value is below.
    pub fn below(&self, ty: &PhysType, v: Datum<'_>) -> f64 {
        self.at(ty, cut(ty, v)).0
    }

    /// The rows that are not NULL.
    pub fn not_null(&self) -> f64 {
        (1.0 - self.nulls).clamp(0.0, 1.0)
    }

    /// The shares below a value and of it. Within a bucket of several values each is taken to have as many rows, and they are taken to
    /// lie evenly between the bounds.
    fn at(&self, ty: &PhysType, v: Datum<'_>) -> (f64, f64) {
        let at = self.buckets.partition_point(|b| ty.compare(b.upper.as_ref(), v).is_lt());
        let before = at.checked_sub(1).map_or(0.0, |n| self.buckets[n].cumulative);
        let Some(b) = self.buckets.get(at) else { return (before, 0.0) };
        if ty.compare(b.lower.as_ref(), v).is_gt() {
            return (before, 0.0);
        }
        let rows = (b.cumulative - before).max(0.0);
        let each = rows / b.distinct.max(1) as f64;
        let place = match b.distinct <= 1 {
            true => 0.0,
            false => place(ty, (b.lower.as_ref(), b.upper.as_ref()), v),
        };
        (before + (rows - each) * place, each)
    }
}

/// Where a value lies between two, from 0 to 1.
fn place(ty: &PhysType, (lower, upper): (Datum<'_>, Datum<'_>), v: Datum<'_>) -> f64 {
    let share = |low: f64, high: f64, v: f64| match high > low {
        true => ((v - low) / (high - low)).clamp(0.0, 1.0),
        false => 0.5,
    };
    // The keys of floating-point numbers are in their order, and no measure of their distance.
    if let (Datum::Float(low), Datum::Float(high), Datum::Float(v)) = (lower, upper, v) {
        return share(low, high, v);
    }
    let key = |d: Datum<'_>| {
        let mut key = Vec::new();
        encode_datum(&KeyPartType::asc(*ty, false), d, &mut key).map(|()| key).unwrap_or_default()
    };
    let (low, high, v) = (key(lower), key(upper), key(v));
    let same = low.iter().zip(&high).take_while(|(a, b)| a == b).count();
    // Keys are compared by bytes from the left: those behind what the bounds share are a number.
    let number = |key: &[u8]| {
        let bytes = key.iter().skip(same).chain(std::iter::repeat(&0)).take(8);
        bytes.fold(0u64, |n, b| n << 8 | u64::from(*b)) as f64
    };
    share(number(&low), number(&high), number(&v))
}

#[cfg(test)]
mod tests {
    use super::super::{Sample, build};
    use super::*;
    use crate::value::Collation;

    const INT: PhysType = PhysType::Int { bytes: 4, unsigned: false };

    fn of<'d>(ty: PhysType, values: impl Iterator<Item = Datum<'d>>, buckets: u16) -> Histogram {
        let mut sample = Sample::new(vec![ty], 1 << 30);
        values.for_each(|d| sample.add(&[d]));
        build(0, &sample.columns()[0], 1.0, (buckets, false), 0)
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }

    #[test]
    fn single_values() {
        let all = [1, 1, 1, 5, 9].map(Datum::Int);
        let h = of(INT, all.into_iter().chain([Datum::Null; 5]), 10);
        for (v, below, equal) in [
            (0, 0.0, 0.0),
            (1, 0.0, 0.3),
            (3, 0.3, 0.0),
            (5, 0.3, 0.1),
            (9, 0.4, 0.1),
            (99, 0.5, 0.0),
        ] {
            near(h.below(&INT, Datum::Int(v)), below);
            near(h.equal(&INT, Datum::Int(v)), equal);
        }
        near(h.not_null(), 0.5);
    }

    #[test]
    fn values_within_a_bucket_lie_evenly() {
        let h = of(INT, (-500..500).map(Datum::Int), 10);
        for v in [-500, -499, -123, -1, 0, 7, 250, 499] {
            near(h.below(&INT, Datum::Int(v)), (v + 500) as f64 / 1000.0);
            near(h.equal(&INT, Datum::Int(v)), 0.001);
        }
        assert_eq!(h.below(&INT, Datum::Int(500)), 1.0);
        let h = of(PhysType::F64, (0..1000).map(|n| Datum::Float(f64::from(n) * 1e10)), 8);
        near(h.below(&PhysType::F64, Datum::Float(3e12)), 0.3);
    }

    #[test]
    fn texts_go_by_their_collation() {
        let ty = PhysType::Var { collation: Collation::Utf8mb4GeneralCi, max_bytes: 100 };
        let names: Vec<String> = (0..26u8)
            .flat_map(|a| (0..26u8).map(move |b| format!("x{}{}", (b'a' + a) as char, b)))
            .collect();
        let h = of(ty, names.iter().map(|n| Datum::Bytes(n.as_bytes())), 5);
        let below = h.below(&ty, Datum::Bytes(b"XN"));
        assert!((below - 0.5).abs() < 0.06, "{below}");
        assert!(h.equal(&ty, Datum::Bytes(b"XA1")) > 0.0);
        assert_eq!(h.equal(&ty, Datum::Bytes(b"a")), 0.0);
    }
}
