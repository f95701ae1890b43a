//! How rows are ordered by their sort keys, and the numbers by which most comparisons end.

use crate::query::expr::BExpr;
use crate::value::compare::{CompareRule, compare_for_order};
use crate::value::{SqlType, TypeInfo, Value};
use std::cmp::Ordering;

/// How rows with these keys are ordered.
pub struct SortOrder {
    keys: Vec<(Option<CompareRule>, bool)>,
}

impl SortOrder {
    pub fn new(infos: &[TypeInfo], desc: impl Iterator<Item = bool>) -> SortOrder {
        let rule = |i: &TypeInfo| {
            if i.ty == SqlType::Null { None } else { CompareRule::of(i, i, "ORDER BY").ok() }
        };
        SortOrder { keys: infos.iter().map(rule).zip(desc).collect() }
    }

    pub fn by(keys: &[(BExpr, bool)]) -> SortOrder {
        let infos: Vec<TypeInfo> = keys.iter().map(|(e, _)| e.info).collect();
        SortOrder::new(&infos, keys.iter().map(|(_, d)| *d))
    }

    pub fn compare(&self, a: &[Value<'static>], b: &[Value<'static>]) -> Ordering {
        self.compare_by(|n| &a[n], |n| &b[n])
    }

    /// The values of the n-th key come from `a` and `b`.
    pub fn compare_by<'v>(
        &self,
        a: impl Fn(usize) -> &'v Value<'static>,
        b: impl Fn(usize) -> &'v Value<'static>,
    ) -> Ordering {
        (0..self.keys.len())
            .map(|n| self.compare_key(n, a(n), b(n)))
            .find(|o| *o != Ordering::Equal)
            .unwrap_or(Ordering::Equal)
    }

    /// The order by the n-th key alone.
    pub fn compare_key(&self, n: usize, x: &Value<'_>, y: &Value<'_>) -> Ordering {
        let (rule, desc) = &self.keys[n];
        let rule = rule.unwrap_or_else(|| CompareRule::of_values(x, y));
        let o = compare_for_order(x, y, rule);
        if *desc { o.reverse() } else { o }
    }

    /// A number that orders as the first key does, as far as it reaches: most comparisons of a sort end with it.
    /// `None`: values of this kind have none.
    pub fn prefix(&self, v: &Value<'_>) -> Option<u128> {
        self.prefix_of(0, v)
    }

    /// The same of the n-th key.
    fn prefix_of(&self, n: usize, v: &Value<'_>) -> Option<u128> {
        let (rule, desc) = self.keys.get(n)?;
        let n = match (v, rule.as_ref()?) {
            (Value::Null, _) => 0,
            (Value::Int(_) | Value::UInt(_), CompareRule::Int) => return self.exact(n, v),
            // NULL needs a place below, so the lowest bit goes.
            (Value::Str(b, c), CompareRule::Text(d)) if c == d => 1 + (c.order_prefix(b)? >> 1),
            _ => return None,
        };
        Some(if *desc { !n } else { n })
    }

    /// A number that orders as the n-th key does, and is the same for equal values only. `None`: values of this kind have none.
    fn exact(&self, n: usize, v: &Value<'_>) -> Option<u128> {
        let (rule, desc) = self.keys.get(n)?;
        // NULL is below all others, which the sign's bit and this one put above it.
        let above = |n: i128| (n + (1 << 64)) as u128;
        let n = match (v, rule.as_ref()?) {
            (Value::Null, _) => 0,
            (Value::Int(n), CompareRule::Int) => above(i128::from(*n)),
            (Value::UInt(n), CompareRule::Int) => above(i128::from(*n)),
            _ => return None,
        };
        Some(if *desc { !n } else { n })
    }
}

/// How a sort looks at its rows: first at numbers, which are close at hand, and at the values where those leave it open.
pub struct Numbers {
    /// So many keys the numbers are for, from the first one on.
    many: usize,
    /// And of so many of them they are the whole order: equal numbers, equal values.
    exact: usize,
}

/// A row of a sort, by its place in some list.
pub struct Numbered {
    numbers: [u128; Numbers::MOST],
    pub at: usize,
}

impl Numbers {
    const MOST: usize = 2;

    /// Numbers for the first keys of the rows at these places, as far as all rows have some.
    pub fn of<'v>(
        by: &SortOrder,
        places: &[usize],
        key: impl Fn(usize, usize) -> &'v Value<'static>,
    ) -> (Numbers, Vec<Numbered>) {
        let none = |at: &usize| Numbered { numbers: [0; Numbers::MOST], at: *at };
        let mut rows: Vec<Numbered> = places.iter().map(none).collect();
        let mut n = Numbers { many: 0, exact: 0 };
        let mut fill = |k: usize, number: &dyn Fn(&Value<'static>) -> Option<u128>| {
            rows.iter_mut()
                .all(|row| number(key(row.at, k)).map(|number| row.numbers[k] = number).is_some())
        };
        for k in 0..by.keys.len().min(Numbers::MOST) {
            let exact = fill(k, &|v| by.exact(k, v));
            if exact || fill(k, &|v| by.prefix_of(k, v)) {
                n.many += 1;
            }
            if !exact {
                break;
            }
            n.exact += 1;
        }
        (n, rows)
    }

    /// The order of two rows as far as the numbers tell.
    #[inline]
    pub fn compare(&self, a: &Numbered, b: &Numbered) -> Ordering {
        a.numbers[..self.many].cmp(&b.numbers[..self.many])
    }

    /// Whether rows are equal in so many keys, if the numbers tell.
    pub fn same(&self, a: &Numbered, b: &Numbered, keys: usize) -> Option<bool> {
        match a.numbers[..keys.min(self.many)] == b.numbers[..keys.min(self.many)] {
            false => Some(false),
            true => (keys <= self.exact).then_some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Collation;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value<'static>> {
        let near = prop_oneof![Just(i64::MIN), Just(-1), Just(0), Just(1), Just(i64::MAX)];
        prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::Int),
            near.prop_map(Value::Int),
            any::<u64>().prop_map(Value::UInt),
        ]
    }

    proptest! {
        #[test]
        fn prefixes_of_numbers_never_contradict_the_order(a in value(), b in value(), desc in any::<bool>()) {
            let order = SortOrder { keys: vec![(Some(CompareRule::Int), desc)] };
            let (x, y) = (order.prefix(&a).unwrap(), order.prefix(&b).unwrap());
            let (a, b) = ([a], [b]);
            prop_assert!(x == y || x.cmp(&y) == order.compare(&a, &b), "{a:?} {b:?}");
        }

        #[test]
        fn numbers_of_numbers_are_their_order(a in value(), b in value(), desc in any::<bool>()) {
            let order = SortOrder { keys: vec![(Some(CompareRule::Int), desc)] };
            let (x, y) = (order.exact(0, &a).unwrap(), order.exact(0, &b).unwrap());
            let (a, b) = ([a], [b]);
            prop_assert!(x.cmp(&y) == order.compare(&a, &b), "{a:?} {b:?}");
        }

        #[test]
        fn prefixes_of_texts_never_contradict_the_order(a in "[abA \\t\u{e4}]{0,11}", b in "[abA \\t\u{e4}]{0,11}") {
            let c = Collation::Utf8mb4GeneralCi;
            let text = |s: &str| [Value::Str(s.as_bytes().to_vec().into(), c)];
            let order = SortOrder { keys: vec![(Some(CompareRule::Text(c)), false)] };
            let (a, b) = (text(&a), text(&b));
            let (x, y) = (order.prefix(&a[0]).unwrap(), order.prefix(&b[0]).unwrap());
            prop_assert!(x == y || x.cmp(&y) == order.compare(&a, &b), "{a:?} {b:?}");
        }
    }
}
