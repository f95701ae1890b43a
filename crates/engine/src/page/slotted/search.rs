//! Where a key is in a page: a third of what a look for a row costs.

use super::{CELL_HEAD, SLOT, count, get_u16, head_of, prefix, prefix_len, slots_at};
use std::cmp::Ordering;

/// Finds `key`, which the page must own: `Ok(slot)` when present, `Err(slot)` where it would be inserted.
pub fn search(p: &[u8], key: &[u8]) -> Result<usize, usize> {
    let pre = prefix_len(p);
    debug_assert!(key.len() >= pre && &key[..pre] == prefix(p), "key outside the fences");
    let rest = &key[pre.min(key.len())..];
    let (head, wide) = (head_of(rest), rest.first_chunk().map(|c| u64::from_be_bytes(*c)));
    let base = slots_at(p);
    // One check of bounds for the directory.
    let (slots, _) = p[base..base + count(p) * SLOT].as_chunks::<SLOT>();
    if let (Some(wide), [first, .., last]) = (wide, slots)
        && slot_head(first) == head
        && slot_head(last) == head
        && let Some(found) = search_cells(p, slots, rest, wide)
    {
        return found;
    }
    let (mut lo, mut hi) = (0, slots.len());
    while lo < hi {
        let mid = (lo + hi) / 2;
        let slot = &slots[mid];
        let ord = match slot_head(slot).cmp(&head) {
            Ordering::Equal => {
                cmp_rest(&p[usize::from(u16::from_le_bytes([slot[0], slot[1]]))..], rest, wide)
            }
            other => other,
        };
        match ord {
            Ordering::Less => lo = mid + 1,
            Ordering::Greater => hi = mid,
            Ordering::Equal => return Ok(mid),
        }
    }
    Err(lo)
}

#[inline]
fn slot_head(slot: &[u8; SLOT]) -> u32 {
    u32::from_le_bytes([slot[2], slot[3], slot[4], slot[5]])
}

/// As [`search`], where all heads are that of the key and tell nothing, as in a page over numbers of eight bytes that are small: the first
/// eight bytes are compared. `None`: some key has fewer.
fn search_cells(
    p: &[u8],
    slots: &[[u8; SLOT]],
    rest: &[u8],
    wide: u64,
) -> Option<Result<usize, usize>> {
    const FRONT: usize = CELL_HEAD + 8;
    let (mut lo, mut hi) = (0, slots.len());
    while lo < hi {
        let mid = (lo + hi) / 2;
        let at = usize::from(u16::from_le_bytes([slots[mid][0], slots[mid][1]]));
        let front: &[u8; FRONT] = p.get(at..)?.first_chunk()?;
        if get_u16(front, 0) < 8 {
            return None;
        }
        let [_, _, _, _, a, b, c, d, e, f, g, h] = *front;
        let first = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        if first < wide {
            lo = mid + 1;
        } else if first > wide {
            hi = mid;
        } else {
            match cmp_rest(&p[at..], rest, Some(wide)) {
                Ordering::Less => lo = mid + 1,
                Ordering::Greater => hi = mid,
                Ordering::Equal => return Some(Ok(mid)),
            }
        }
    }
    Some(Err(lo))
}

/// Compares the key of a cell with `rest`, whose first four bytes are known to be the same. `wide`: its first eight, if it has so many.
#[inline]
fn cmp_rest(cell: &[u8], rest: &[u8], wide: Option<u64>) -> Ordering {
    let n = get_u16(cell, 0) as usize;
    // The heads have all of both, except for zeros at the end of the shorter one.
    if n <= 4 && rest.len() <= 4 {
        return n.cmp(&rest.len());
    }
    let key = &cell[CELL_HEAD..CELL_HEAD + n];
    let (Some(wide), Some(first)) = (wide, key.first_chunk()) else { return key.cmp(rest) };
    match u64::from_be_bytes(*first).cmp(&wide) {
        Ordering::Equal if n == 8 || rest.len() == 8 => n.cmp(&rest.len()),
        Ordering::Equal => key[8..].cmp(&rest[8..]),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{init, insert, key};
    use super::*;
    use crate::ids::PageId;
    use proptest::prelude::*;

    /// Keys that begin alike for four, six and eight bytes, some of them shorter than eight, and keys that differ at once.
    fn any_key() -> impl Strategy<Value = Vec<u8>> {
        let small = (0u64..300).prop_map(|n| n.to_be_bytes().to_vec());
        let longer = (0u64..20, 0u8..4, 0usize..3)
            .prop_map(|(n, b, len)| [&n.to_be_bytes()[..], &vec![b; len]].concat());
        let short = (0u8..3, 0usize..8).prop_map(|(b, len)| vec![b; len]);
        prop_oneof![4 => small, 2 => longer, 1 => short, 1 => any::<[u8; 9]>().prop_map(Vec::from)]
    }

    fn finds(keys: &std::collections::BTreeSet<Vec<u8>>, wanted: &[Vec<u8>]) {
        let mut page = vec![0; 32 << 10];
        init(&mut page, PageId::new(1, 5), 1, 0, b"", None).expect("fences fit");
        for (slot, k) in keys.iter().enumerate() {
            insert(&mut page, slot, k, b"v").expect("there is room");
        }
        let sorted: Vec<_> = keys.iter().collect();
        for k in wanted {
            assert_eq!(search(&page, k), sorted.binary_search(&k), "{k:?}");
        }
        for (slot, k) in sorted.iter().enumerate() {
            assert_eq!(search(&page, k), Ok(slot));
            assert_eq!(key(&page, slot), **k);
        }
    }

    proptest! {
        #[test]
        fn a_key_is_where_a_sorted_list_has_it(
            keys in proptest::collection::btree_set(any_key(), 0..120),
            wanted in proptest::collection::vec(any_key(), 0..40),
        ) {
            finds(&keys, &wanted);
        }

        #[test]
        fn numbers_are_where_a_sorted_list_has_them(
            keys in proptest::collection::btree_set(0u64..400, 0..200),
            wanted in proptest::collection::vec(0u64..400, 0..40),
        ) {
            let bytes = |n: u64| n.to_be_bytes().to_vec();
            finds(&keys.into_iter().map(bytes).collect(), &wanted.into_iter().map(bytes).collect::<Vec<_>>());
        }
    }
}
