//! Texts in the keys of sorts: as in the keys of indexes, but no longer than a bound.

use super::Collation;
use super::key::{put_beginning, put_ended};

/// Appends the first `most` bytes of the text's key. False: the key is longer, so that two texts with equal bytes need not be equal.
///
/// The order of two such keys is that of the texts where they differ: whole keys are self-delimiting, so none is the beginning of another
/// one, and a key that was cut is a true beginning of the whole one.
pub fn put_sort_text(collation: Collation, text: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    if text.len() >= most
        && let Some(uca) = collation.uca()
    {
        // Characters are looked up in blocks. Behind `most` bytes of a code each there is the mark of the end at least.
        let some = text.len().min(most.next_multiple_of(16));
        if uca.put_plain(&text[..some], out) >= most {
            out.truncate(start + most);
            return false;
        }
        out.truncate(start);
    }
    let begin = 4 * most;
    if text.len() > begin {
        // A character that the cut divides, and bytes that are no character, are left to the whole key.
        put_beginning(collation, &text[..collation.well_formed(&text[..begin])], out);
        if out.len() - start >= most {
            out.truncate(start + most);
            return false;
        }
        out.truncate(start);
    }
    put_ended(collation, text, out);
    let whole = out.len() - start <= most;
    out.truncate(start + most);
    whole
}

#[cfg(test)]
mod tests {
    use super::super::collation::ALL;
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            "[ab\\t A\u{e4}\u{df}\u{4e00}\u{1f600}\u{1}\u{a0}\u{301}\u{d55c}]{0,40}"
                .prop_map(String::into_bytes),
            "(ab){0,9}[ ]{0,20}[c!]{0,3}".prop_map(String::into_bytes),
            "[0-9-]{15,33}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..40),
            proptest::collection::vec(
                proptest::sample::select(b" a\x40\x81\x8e\x8f\xa1\xb0\xdf\xfe\xff".to_vec()),
                0..40
            ),
        ]
    }

    proptest! {
        /// Of keys that are long enough and of keys that are cut: what they say is what the collation says.
        #[test]
        fn keys_order_as_texts_do(a in text(), b in text(), common in text(), most in 1..40usize) {
            let (a, b) = ([&common[..], &a].concat(), [&common[..], &b].concat());
            for &c in ALL {
                let (mut x, mut y) = (Vec::new(), Vec::new());
                let whole = put_sort_text(c, &a, most, &mut x) & put_sort_text(c, &b, most, &mut y);
                let told = match x.cmp(&y) {
                    Ordering::Equal if !whole => continue,
                    other => other,
                };
                prop_assert_eq!(told, c.compare(&a, &b), "{} {:?} {:?} {}", c.name(), a, b, most);
            }
        }
    }
}
