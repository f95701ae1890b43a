//! The beginning of a text's order in one number, for sorting.

use super::list::Order;
use super::uca::Uca;
use super::{Collation, SPACE, WeightForm};

impl Collation {
    /// A number that orders as the texts do, as far as it reaches: `a < b` implies `prefix(a) <= prefix(b)`.
    /// `None`: the collation has no such number at hand.
    pub fn order_prefix(self, s: &[u8]) -> Option<u128> {
        Some(match self.order() {
            Order::Code if self.weight_form() == WeightForm::Pair => self.weight_prefix(s),
            // The weights of four bytes are wider than the words here.
            Order::Code => return None,
            Order::General | Order::General500 | Order::Table(_) => self.weight_prefix(s),
            Order::Expanding(x) => byte_prefix(&x.weights(&s[..s.len().min(16)]), SPACE as u8),
            Order::Bytes if self.pad_space() => byte_prefix(s, SPACE as u8),
            Order::Bytes => byte_prefix(s, 0),
            Order::Uca(..) => return self.uca().map(|uca| uca_prefix(uca, s)),
        })
    }

    /// Eight characters' weights; what follows the end weighs as much as a space.
    fn weight_prefix(self, mut s: &[u8]) -> u128 {
        let mut out = 0;
        for left in (0..8u32).rev() {
            let w = if s.is_empty() {
                self.space_weight()
            } else {
                let (w, n) = self.next_weight(s);
                s = &s[n..];
                w
            };
            if w > 0xFFFE {
                // Bytes that are no character: behind everything else, and no word on what follows.
                return out | u128::MAX >> (16 * (7 - left));
            }
            out |= u128::from(w) << (16 * left);
        }
        out
    }
}

/// Eight weights; NO PAD's end is before all of them.
fn uca_prefix(uca: Uca, s: &[u8]) -> u128 {
    let end = if uca.pad { uca.table.space() } else { 0 };
    let mut weights = uca.weights(s);
    (0..8).fold(0, |out, _| out << 16 | u128::from(weights.next().unwrap_or(end)))
}

fn byte_prefix(s: &[u8], pad: u8) -> u128 {
    let mut b = [pad; 16];
    let n = s.len().min(16);
    b[..n].copy_from_slice(&s[..n]);
    u128::from_be_bytes(b)
}

#[cfg(test)]
mod tests {
    use super::super::ALL;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            "[ab\\t A\u{e4}\u{df}\u{4e00}\u{1f600}\u{1}\u{a0}\u{301}\u{d55c}]{0,11}"
                .prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..20),
            proptest::collection::vec(
                proptest::sample::select(b" a\x40\x81\x8e\x8f\xa1\xb0\xdf\xfe\xff".to_vec()),
                0..9
            ),
        ]
    }

    proptest! {
        #[test]
        fn prefixes_never_contradict_the_order(a in text(), b in text()) {
            for &c in ALL {
                let (Some(x), Some(y)) = (c.order_prefix(&a), c.order_prefix(&b)) else { continue };
                match c.compare(&a, &b) {
                    Ordering::Less => prop_assert!(x <= y, "{}", c.name()),
                    Ordering::Equal => prop_assert_eq!(x, y, "{}", c.name()),
                    Ordering::Greater => prop_assert!(x >= y, "{}", c.name()),
                }
            }
        }
    }
}
