//! Values as bytes whose `memcmp` order is the order of a sort: a comparison of two rows is one of bytes, and no value is decoded for it.
//!
//! | value | bytes |
//! |---|---|
//! | NULL | 00 |
//! | integer | 80 and the number of the bytes that follow, big-endian without leading zeros; below zero 7F less that number, and the bytes of the two's complement |
//! | decimal | 01 below zero, 02 else; the integer part as an integer of a sort; words of nine digits behind the point, each twice its value, and 1 more if another one follows; below zero all is inverted |
//! | double | 01, IEEE big-endian with the sign's bit inverted, all bits below zero; -0 is 0 |
//! | date, datetime | 01, year to microsecond in eight bytes |
//! | time | 01, microseconds with the sign's bit inverted |
//! | text | 01, the text of an index key, up to a bound |
//! | JSON | 01, its order ([`super::json::put_sorted`]), up to a bound |
//!
//! Invariant: whole values are self-delimiting, so that the bytes of several values one behind the other order as the values do, one after
//! the other, and stay so when the bytes of a descending one are inverted. A value that was cut is a true beginning of the whole one.

use super::compare::CompareRule;
use super::json;
use super::{Date, DateTime, Decimal, Value};
use weir_engine::row::{order_f64, put_sort_text};

const NULL: u8 = 0;
const BELOW_ZERO: u8 = 1;
const NOT_NULL: u8 = 1;
const NOT_BELOW: u8 = 2;
/// Behind it the lengths of integers from zero on, before it those of integers below zero.
const ZERO: u8 = 0x80;

/// Appends a value that is sorted by this rule, in no more than about `most` bytes. `Some(false)`: it is longer, so that equal bytes need not
/// be equal values. `None`: the value is of another kind than the rule is for, and nothing was appended.
pub fn put_sorted(
    v: &Value<'_>,
    rule: CompareRule,
    most: usize,
    out: &mut Vec<u8>,
) -> Option<bool> {
    match (rule, v) {
        (_, Value::Null) => out.push(NULL),
        (CompareRule::Int, Value::Int(n)) => put_int(*n, out),
        (CompareRule::Int, Value::UInt(n)) => put_uint(*n, out),
        (CompareRule::Decimal, Value::Int(n)) => put_decimal(Decimal::from_i64(*n), out),
        (CompareRule::Decimal, Value::UInt(n)) => put_decimal(Decimal::from_u64(*n), out),
        (CompareRule::Decimal, Value::Decimal(d)) => put_decimal(*d, out),
        (CompareRule::Double, Value::Double(x)) => {
            out.push(NOT_NULL);
            out.extend_from_slice(&order_f64(*x).to_be_bytes());
        }
        (CompareRule::DateTime, Value::Date(d)) => put_date(d, out),
        (CompareRule::DateTime, Value::DateTime(d)) => put_datetime(d, out),
        (CompareRule::Time, Value::Time(t)) => {
            out.push(NOT_NULL);
            out.extend_from_slice(&(t.micros ^ i64::MIN).to_be_bytes());
        }
        (CompareRule::Text(c), Value::Str(b, own)) if c == *own => {
            out.push(NOT_NULL);
            return Some(put_sort_text(c, b, most, out));
        }
        (CompareRule::Text(c), Value::Bytes(b)) if c.is_binary() => {
            out.push(NOT_NULL);
            return Some(put_sort_text(c, b, most, out));
        }
        (CompareRule::Json, Value::Json(j)) => {
            out.push(NOT_NULL);
            let start = out.len();
            json::put_sorted(j.view(), most, out);
            let whole = out.len() - start <= most;
            out.truncate(start + most);
            return Some(whole);
        }
        _ => return None,
    }
    Some(true)
}

fn put_int(n: i64, out: &mut Vec<u8>) {
    if n >= 0 {
        return put_uint(n as u64, out);
    }
    let len = 8 - n.leading_ones() as usize / 8;
    out.push(ZERO - 1 - len as u8);
    out.extend_from_slice(&n.to_be_bytes()[8 - len..]);
}

fn put_uint(n: u64, out: &mut Vec<u8>) {
    let len = 8 - n.leading_zeros() as usize / 8;
    out.push(ZERO + len as u8);
    out.extend_from_slice(&n.to_be_bytes()[8 - len..]);
}

fn put_date(d: &Date, out: &mut Vec<u8>) {
    put_datetime(&d.at_midnight(), out);
}

fn put_datetime(d: &DateTime, out: &mut Vec<u8>) {
    out.push(NOT_NULL);
    out.extend_from_slice(&d.pack().to_be_bytes());
}

fn put_decimal(d: Decimal, out: &mut Vec<u8>) {
    out.push(if d.is_negative() { BELOW_ZERO } else { NOT_BELOW });
    let start = out.len();
    let (int, fraction) = d.abs().split();
    match int {
        [n, 0, 0, 0] => put_uint(n, out),
        limbs => {
            let bytes: Vec<u8> = limbs.iter().rev().flat_map(|n| n.to_be_bytes()).collect();
            let zeros = bytes.iter().take_while(|b| **b == 0).count();
            out.push(ZERO + (bytes.len() - zeros) as u8);
            out.extend_from_slice(&bytes[zeros..]);
        }
    }
    put_fraction(fraction, d.scale(), out);
    if d.is_negative() {
        out[start..].iter_mut().for_each(|b| *b = !*b);
    }
}

/// The digits behind the point, nine in each word, up to the last word that has one.
fn put_fraction(fraction: u128, scale: u8, out: &mut Vec<u8>) {
    const WORD: u32 = 1_000_000_000;
    // A scale of 30 has four words; 36 digits fit into the number.
    let words = u32::from(scale).div_ceil(9).max(1);
    let mut rest = fraction * 10u128.pow(9 * words - u32::from(scale));
    let mut word = 10u128.pow(9 * (words - 1));
    loop {
        let digits = if word == 1 { rest as u32 } else { (rest / word) as u32 };
        debug_assert!(digits < WORD);
        rest -= u128::from(digits) * word;
        out.extend_from_slice(&(digits << 1 | u32::from(rest > 0)).to_be_bytes());
        if rest == 0 {
            return;
        }
        word /= u128::from(WORD);
    }
}

#[cfg(test)]
mod tests {
    use super::super::compare::compare_for_order;
    use super::super::{Collation, Time};
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn int() -> impl Strategy<Value = Value<'static>> {
        let near = prop_oneof![Just(i64::MIN), -300i64..300, Just(i64::MAX), -70_000i64..70_000];
        prop_oneof![
            any::<i64>().prop_map(Value::Int),
            near.prop_map(Value::Int),
            any::<u64>().prop_map(Value::UInt),
            (0u64..300).prop_map(Value::UInt),
        ]
    }

    fn decimal() -> impl Strategy<Value = Value<'static>> {
        let text = prop_oneof![
            "-?[0-9]{1,5}(\\.[0-9]{1,4})?",
            "-?[0-9]{1,35}\\.[0-9]{1,30}",
            "-?[0-9]{60,65}",
            "-?0\\.0{0,20}[0-9]{1,9}",
        ];
        let parsed = |s: String| Decimal::parse(s.as_bytes()).value.expect("a number");
        prop_oneof![int(), text.prop_map(move |s| Value::Decimal(parsed(s)))]
    }

    fn double() -> impl Strategy<Value = Value<'static>> {
        let any = any::<f64>().prop_filter("no column has it", |x| !x.is_nan());
        prop_oneof![any, -2.0..2.0, Just(0.0), Just(-0.0)].prop_map(Value::Double)
    }

    fn moment() -> impl Strategy<Value = Value<'static>> {
        (0u16..3, 0u8..3, 0u8..3, 0u8..3, 0u32..3, any::<bool>()).prop_map(
            |(y, m, d, h, us, date)| {
                let date_of = Date::new(2000 + y, m, d);
                match date {
                    true => Value::Date(date_of),
                    false => {
                        Value::DateTime(DateTime { hour: h, micro: us, ..date_of.at_midnight() })
                    }
                }
            },
        )
    }

    fn time() -> impl Strategy<Value = Value<'static>> {
        let near = prop_oneof![-3i64..3, -4_000_000_000i64..4_000_000_000];
        near.prop_map(|n| Value::Time(Time::from_micros(n, 6)))
    }

    fn text() -> impl Strategy<Value = Value<'static>> {
        let text = "[ab \u{e4}A]{0,12}";
        text.prop_map(|s| Value::Str(s.into_bytes().into(), Collation::Utf8mb40900AiCi))
    }

    fn json() -> impl Strategy<Value = Value<'static>> {
        let leaf = prop_oneof![
            Just(json::Dom::Null),
            any::<bool>().prop_map(json::Dom::Bool),
            prop_oneof![int(), decimal(), double(), moment(), time()]
                .prop_map(|v| json::from_value(&v)),
            "[a\u{0}b]{0,3}".prop_map(|s| json::from_value(&Value::Str(
                s.into_bytes().into(),
                Collation::Utf8mb4Bin
            ))),
            proptest::collection::vec(0u8..3, 0..3)
                .prop_map(|b| json::from_value(&Value::Bytes(b.into()))),
        ];
        let tree = leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(json::Dom::Array),
                proptest::collection::vec(("[ab]{0,2}", inner), 0..3).prop_map(|list| {
                    json::Dom::object(
                        list.into_iter().map(|(k, v)| (k.as_bytes().into(), v)).collect(),
                    )
                }),
            ]
        });
        tree.prop_map(|dom| Value::Json(dom.to_json().expect("not deep")))
    }

    /// Two values of a kind, and the rule that sorts them.
    fn pair() -> impl Strategy<Value = (Value<'static>, Value<'static>, CompareRule)> {
        let null = |of: BoxedStrategy<Value<'static>>| prop_oneof![1 => Just(Value::Null), 9 => of];
        let two = move |of: BoxedStrategy<Value<'static>>, rule: CompareRule| {
            (null(of.clone()), null(of), Just(rule))
        };
        prop_oneof![
            two(int().boxed(), CompareRule::Int),
            two(decimal().boxed(), CompareRule::Decimal),
            two(double().boxed(), CompareRule::Double),
            two(moment().boxed(), CompareRule::DateTime),
            two(time().boxed(), CompareRule::Time),
            two(text().boxed(), CompareRule::Text(Collation::Utf8mb40900AiCi)),
            two(json().boxed(), CompareRule::Json),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// The bytes of two values are in the order of the values; what is behind them counts for equal values only.
        #[test]
        fn bytes_are_in_the_order_of_values((a, b, rule) in pair(), most in 2usize..40, desc: bool) {
            let (mut x, mut y) = (Vec::new(), Vec::new());
            let put = |v: &Value<'_>, out: &mut Vec<u8>| put_sorted(v, rule, most, out).expect("of its kind");
            let whole = put(&a, &mut x) & put(&b, &mut y);
            if desc {
                x.iter_mut().chain(&mut y).for_each(|b| *b = !*b);
            }
            let (near, far) = (x.cmp(&y), [&x[..], &[0xFF]].concat().cmp(&[&y[..], &[0]].concat()));
            let order = compare_for_order(&a, &b, rule);
            let order = if desc { order.reverse() } else { order };
            if near.is_eq() && !whole {
                return Ok(());
            }
            prop_assert_eq!(near, order, "{:?} {:?} {:x?} {:x?}", a, b, x, y);
            if order.is_ne() && whole {
                prop_assert_eq!(far, order, "neither is the beginning of the other one");
            } else if order.is_eq() {
                prop_assert_eq!(far, Ordering::Greater);
            }
        }
    }

    #[test]
    fn another_kind_is_told() {
        let mut out = Vec::new();
        let two = [(Value::Double(1.0), CompareRule::Int), (Value::Int(1), CompareRule::Double)];
        for (v, rule) in two {
            assert_eq!(put_sorted(&v, rule, 40, &mut out), None);
        }
        assert!(out.is_empty());
    }
}
