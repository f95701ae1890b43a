//! The slotted page of trees: sorted cells, a slot directory with key heads, fences, prefix truncation.
//!
//! Behind the common header:
//!
//! | bytes | field |
//! |---|---|
//! | 32-33 / 34-35 | level (0 = leaf) / cell count |
//! | 36-39 / 40-43 | heap start (lowest cell offset) / garbage bytes in the heap |
//! | 44-51 | greatest transaction id that changed this leaf (secondary indexes) |
//! | 52-53 / 54-55 / 56-57 | lower fence length / upper fence length (65535 = no upper bound) / prefix length |
//! | 58-63 | reserved (0) |
//! | 64.. | lower fence, upper fence, slots of 6 bytes: cell offset u16, head u32 |
//!
//! A page owns the keys `lower <= key < upper`. The common prefix of the two fences is cut from every key; the head is the
//! first four bytes of the rest, big endian, zero padded, so that most comparisons never leave the directory.
//! A cell is `key length u16 | value length u16 | key rest | value`, allocated from the page's end downwards.
//! In inner pages the value is the child's page number and the key its lower fence.

mod search;

pub use search::search;

use super::{HEADER, PageError, PageType, get_u16, get_u32, get_u64, put_u16, put_u32, put_u64};
use crate::ids::{PageId, PageNo, TrxId};
use std::cmp::Ordering;

pub const BODY: usize = 64;
pub const SLOT: usize = 6;
pub const CELL_HEAD: usize = 4;
const NO_UPPER: u16 = u16::MAX;

const _: () = assert!(HEADER == 32 && BODY == 64);

/// Largest encoded key of any tree: three keys (two fences and one cell) fit in each page, with room for two more cells.
pub const fn max_key(page_size: usize) -> usize {
    page_size * 3 / 16
}

/// Largest cell, its slot included: alone in a page it stands beside two fences of the largest key. A split can always give a cell a
/// page of its own, so every cell up to here finds a place (`btree::split`).
pub const fn max_cell(page_size: usize) -> usize {
    page_size - BODY - 2 * max_key(page_size)
}

/// What a cell is kept to by moving long columns off the page: two of them stand in a page whose fences have 68 bytes together. It is
/// half of what InnoDB has in a page of this size for rows, 8,126 bytes in one of 16 KiB.
pub const fn good_cell(page_size: usize) -> usize {
    (page_size - BODY - SHORT_FENCES) / 2
}

const SHORT_FENCES: usize = 68;

/// What InnoDB says is the longest row of a page size: less than half of what the page has for rows, and never above 14 bits. It is
/// told where a row is refused; what is refused is decided by `max_cell`, which is never below.
pub const fn row_limit(page_size: usize) -> usize {
    let half = good_cell(page_size);
    if half < 16383 { half } else { 16383 }
}

/// For every page size there is: the largest cell beside the longest fences, a good cell among them, and in an inner page that has
/// no room for another key at least two cells, so that it can be split, with the last of them beside its own key as a fence.
const _: () = {
    let mut size = super::SIZE_MIN;
    while size <= 65536 {
        let (key, inner) = (max_key(size), cell_size(max_key(size), 4));
        assert!(BODY + 2 * key + max_cell(size) <= size);
        assert!(2 * good_cell(size) + SHORT_FENCES + BODY <= size);
        assert!(good_cell(size) <= max_cell(size) && inner <= max_cell(size));
        assert!(max_cell(size) - inner >= inner);
        size *= 2;
    }
};

pub fn level(p: &[u8]) -> u16 {
    get_u16(p, 32)
}

pub fn count(p: &[u8]) -> usize {
    get_u16(p, 34) as usize
}

fn heap_start(p: &[u8]) -> usize {
    get_u32(p, 36) as usize
}

fn garbage(p: &[u8]) -> usize {
    get_u32(p, 40) as usize
}

pub fn max_trx(p: &[u8]) -> TrxId {
    get_u64(p, 44)
}

pub fn set_max_trx(p: &mut [u8], id: TrxId) {
    put_u64(p, 44, id);
}

pub fn lower(p: &[u8]) -> &[u8] {
    let n = get_u16(p, 52) as usize;
    &p[BODY..BODY + n]
}

/// `None`: the page owns everything from its lower fence up.
pub fn upper(p: &[u8]) -> Option<&[u8]> {
    let n = get_u16(p, 54);
    if n == NO_UPPER {
        return None;
    }
    let at = BODY + get_u16(p, 52) as usize;
    Some(&p[at..at + n as usize])
}

pub fn prefix_len(p: &[u8]) -> usize {
    get_u16(p, 56) as usize
}

pub fn prefix(p: &[u8]) -> &[u8] {
    &p[BODY..BODY + prefix_len(p)]
}

#[inline]
fn slots_at(p: &[u8]) -> usize {
    let up = get_u16(p, 54);
    BODY + get_u16(p, 52) as usize + if up == NO_UPPER { 0 } else { up as usize }
}

fn slot_pos(p: &[u8], slot: usize) -> usize {
    slots_at(p) + slot * SLOT
}

fn cell_at(p: &[u8], slot: usize) -> usize {
    get_u16(p, slot_pos(p, slot)) as usize
}

/// Whether the fences say that `key` belongs here.
#[inline]
pub fn owns(p: &[u8], key: &[u8]) -> bool {
    compare(key, lower(p)).is_ge() && upper(p).is_none_or(|u| compare(key, u).is_lt())
}

/// Whether the fences say that the keys just below `key` belong here; `None`: that this is the last page. Nothing is below the
/// empty key: the first page answers for it.
pub fn owns_below(p: &[u8], key: Option<&[u8]>) -> bool {
    let Some(key) = key else { return upper(p).is_none() };
    let lower = lower(p);
    (lower.is_empty() || compare(lower, key).is_lt())
        && upper(p).is_none_or(|u| compare(key, u).is_le())
}

/// `a.cmp(b)`: keys that differ in their first eight bytes, and those that have no more, are compared without a call.
#[inline]
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (Some((x, a)), Some((y, b))) = (a.split_first_chunk::<8>(), b.split_first_chunk::<8>())
    else {
        return a.cmp(b);
    };
    let first = u64::from_be_bytes(*x).cmp(&u64::from_be_bytes(*y));
    if first.is_ne() || a.is_empty() || b.is_empty() {
        return first.then(a.len().cmp(&b.len()));
    }
    a.cmp(b)
}

/// Key of a cell without the page's prefix.
pub fn key_rest(p: &[u8], slot: usize) -> &[u8] {
    let at = cell_at(p, slot);
    let n = get_u16(p, at) as usize;
    &p[at + CELL_HEAD..at + CELL_HEAD + n]
}

/// The full key of a cell appended to `out`.
pub fn key_into(p: &[u8], slot: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(prefix(p));
    out.extend_from_slice(key_rest(p, slot));
}

pub fn key(p: &[u8], slot: usize) -> Vec<u8> {
    let mut k = Vec::with_capacity(prefix_len(p) + 16);
    key_into(p, slot, &mut k);
    k
}

/// Byte range of a cell's value within the page.
#[inline]
pub fn value_range(p: &[u8], slot: usize) -> std::ops::Range<usize> {
    let at = cell_at(p, slot);
    let k = get_u16(p, at) as usize;
    let v = get_u16(p, at + 2) as usize;
    at + CELL_HEAD + k..at + CELL_HEAD + k + v
}

#[inline]
pub fn value(p: &[u8], slot: usize) -> &[u8] {
    &p[value_range(p, slot)]
}

/// The values of the cells `from..to`, without a look at the page's head for each.
#[inline]
pub fn values(p: &[u8], from: usize, to: usize) -> impl Iterator<Item = &[u8]> {
    let at = slots_at(p);
    let slots = p[at + from * SLOT..at + to.max(from) * SLOT].chunks_exact(SLOT);
    slots.map(|slot| {
        let cell = &p[usize::from(u16::from_le_bytes([slot[0], slot[1]]))..];
        let (key, value) = (get_u16(cell, 0) as usize, get_u16(cell, 2) as usize);
        &cell[CELL_HEAD + key..CELL_HEAD + key + value]
    })
}

pub fn child(p: &[u8], slot: usize) -> PageNo {
    get_u32(value(p, slot), 0)
}

fn head_of(rest: &[u8]) -> u32 {
    let mut h = [0u8; 4];
    let n = rest.len().min(4);
    h[..n].copy_from_slice(&rest[..n]);
    u32::from_be_bytes(h)
}

/// The slot of the child that owns `key`, in an inner page. The first cell counts as "everything below the second".
pub fn child_slot(p: &[u8], key: &[u8]) -> usize {
    match search(p, key) {
        Ok(s) => s,
        Err(s) => s.saturating_sub(1),
    }
}

/// Bytes free between directory and heap plus garbage.
pub fn free_bytes(p: &[u8]) -> usize {
    heap_start(p) - slot_pos(p, count(p)) + garbage(p)
}

/// Bytes that a full page of this size can give to cells and slots with these fences.
pub fn capacity(p: &[u8]) -> usize {
    p.len() - slots_at(p)
}

pub fn used_bytes(p: &[u8]) -> usize {
    capacity(p) - free_bytes(p)
}

/// Bytes that a cell takes, its slot included; `rest` is the key without the page's prefix.
pub const fn cell_size(rest: usize, value: usize) -> usize {
    SLOT + CELL_HEAD + rest + value
}

pub fn fits(p: &[u8], key_len: usize, value_len: usize) -> bool {
    free_bytes(p) >= cell_size(key_len.saturating_sub(prefix_len(p)), value_len)
}

/// Bytes that the cell of `key` can have here, the whole key and the slot counted: of one that is there and grows, or of a new one.
pub fn room_for(p: &[u8], key: &[u8]) -> usize {
    let had = match search(p, key) {
        Ok(slot) => cell_size(key.len(), value(p, slot).len()),
        Err(_) => prefix_len(p),
    };
    free_bytes(p) + had
}

/// Whether the value of `slot` can become `new_len` bytes long.
pub fn fits_replace(p: &[u8], slot: usize, new_len: usize) -> bool {
    new_len <= value(p, slot).len() + free_bytes(p)
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// Makes an empty tree page with the given fences.
pub fn init(
    p: &mut [u8],
    id: PageId,
    index: u64,
    level: u16,
    lower: &[u8],
    upper: Option<&[u8]>,
) -> Result<(), PageError> {
    let need = BODY + lower.len() + upper.map_or(0, <[u8]>::len);
    if need > p.len() || upper.is_some_and(|u| u.len() >= NO_UPPER as usize) {
        return Err(PageError::Structure("fences do not fit in the page"));
    }
    super::format(p, id, PageType::Tree, index);
    put_u16(p, 32, level);
    put_u32(p, 36, p.len() as u32);
    put_u16(p, 52, lower.len() as u16);
    p[BODY..BODY + lower.len()].copy_from_slice(lower);
    match upper {
        None => put_u16(p, 54, NO_UPPER),
        Some(u) => {
            put_u16(p, 54, u.len() as u16);
            p[BODY + lower.len()..need].copy_from_slice(u);
            put_u16(p, 56, common_prefix(lower, u) as u16);
        }
    }
    Ok(())
}

/// Moves all cells together; deterministic, so it needs no record of its own.
pub fn compact(p: &mut [u8]) {
    let n = count(p);
    let mut cells: Vec<(usize, Vec<u8>)> = Vec::with_capacity(n);
    for s in 0..n {
        let at = cell_at(p, s);
        let len = CELL_HEAD + get_u16(p, at) as usize + get_u16(p, at + 2) as usize;
        cells.push((s, p[at..at + len].to_vec()));
    }
    let mut top = p.len();
    for (s, c) in cells {
        top -= c.len();
        p[top..top + c.len()].copy_from_slice(&c);
        let pos = slot_pos(p, s);
        put_u16(p, pos, top as u16);
    }
    put_u32(p, 36, top as u32);
    put_u32(p, 40, 0);
}

fn room(p: &mut [u8], bytes: usize, with_slot: bool) -> Result<(), PageError> {
    let slots_end = slot_pos(p, count(p)) + if with_slot { SLOT } else { 0 };
    if heap_start(p) < slots_end + bytes {
        if heap_start(p) + garbage(p) < slots_end + bytes {
            return Err(PageError::Structure("cell does not fit in the page"));
        }
        compact(p);
    }
    Ok(())
}

fn write_cell(p: &mut [u8], slot: usize, rest: &[u8], value: &[u8]) {
    let len = CELL_HEAD + rest.len() + value.len();
    let at = heap_start(p) - len;
    put_u16(p, at, rest.len() as u16);
    put_u16(p, at + 2, value.len() as u16);
    p[at + CELL_HEAD..at + CELL_HEAD + rest.len()].copy_from_slice(rest);
    p[at + CELL_HEAD + rest.len()..at + len].copy_from_slice(value);
    put_u32(p, 36, at as u32);
    let pos = slot_pos(p, slot);
    put_u16(p, pos, at as u16);
    put_u32(p, pos + 2, head_of(rest));
}

/// Inserts a cell at `slot`; `rest` is the key without the page's prefix.
pub fn insert(p: &mut [u8], slot: usize, rest: &[u8], value: &[u8]) -> Result<(), PageError> {
    let n = count(p);
    if slot > n {
        return Err(PageError::Structure("slot beyond the cell count"));
    }
    if rest.len() > u16::MAX as usize || value.len() > u16::MAX as usize {
        return Err(PageError::Structure("cell too long"));
    }
    room(p, CELL_HEAD + rest.len() + value.len(), true)?;
    let (from, to) = (slot_pos(p, slot), slot_pos(p, n));
    p.copy_within(from..to, from + SLOT);
    write_cell(p, slot, rest, value);
    put_u16(p, 34, n as u16 + 1);
    Ok(())
}

pub fn remove(p: &mut [u8], slot: usize) -> Result<(), PageError> {
    let n = count(p);
    if slot >= n {
        return Err(PageError::Structure("slot beyond the cell count"));
    }
    let at = cell_at(p, slot);
    let len = CELL_HEAD + get_u16(p, at) as usize + get_u16(p, at + 2) as usize;
    if at == heap_start(p) {
        put_u32(p, 36, (at + len) as u32);
    } else {
        let g = garbage(p) + len;
        put_u32(p, 40, g as u32);
    }
    let (from, to) = (slot_pos(p, slot + 1), slot_pos(p, n));
    p.copy_within(from..to, from - SLOT);
    put_u16(p, 34, n as u16 - 1);
    if n == 1 {
        put_u32(p, 36, p.len() as u32);
        put_u32(p, 40, 0);
    }
    Ok(())
}

/// Gives a cell a new value of any length that fits.
pub fn replace(p: &mut [u8], slot: usize, value: &[u8]) -> Result<(), PageError> {
    if slot >= count(p) {
        return Err(PageError::Structure("slot beyond the cell count"));
    }
    let range = value_range(p, slot);
    let at = cell_at(p, slot);
    if value.len() <= range.len() {
        let shrink = range.len() - value.len();
        p[range.start..range.start + value.len()].copy_from_slice(value);
        put_u16(p, at + 2, value.len() as u16);
        let g = garbage(p) + shrink;
        put_u32(p, 40, g as u32);
        return Ok(());
    }
    if value.len() > u16::MAX as usize || !fits_replace(p, slot, value.len()) {
        return Err(PageError::Structure("new value does not fit in the page"));
    }
    let rest = key_rest(p, slot).to_vec();
    remove(p, slot)?;
    insert(p, slot, &rest, value)
}

/// Overwrites part of a value in place.
pub fn patch(p: &mut [u8], slot: usize, off: usize, data: &[u8]) -> Result<(), PageError> {
    if slot >= count(p) {
        return Err(PageError::Structure("slot beyond the cell count"));
    }
    let r = value_range(p, slot);
    if off + data.len() > r.len() {
        return Err(PageError::Structure("patch beyond the value"));
    }
    p[r.start + off..r.start + off + data.len()].copy_from_slice(data);
    Ok(())
}

/// Rebuilds the page with the cells `from..to` of itself and new fences: the left half of a split, the cut of a range.
pub fn keep(
    p: &mut [u8],
    from: usize,
    to: usize,
    lower: &[u8],
    upper: Option<&[u8]>,
) -> Result<(), PageError> {
    if from > to || to > count(p) {
        return Err(PageError::Structure("range beyond the cell count"));
    }
    let cells: Vec<(Vec<u8>, Vec<u8>)> =
        (from..to).map(|s| (key(p, s), value(p, s).to_vec())).collect();
    let (id, index, lvl, trx, lsn) =
        (super::page_id(p), super::owner(p), level(p), max_trx(p), super::lsn(p));
    init(p, id, index, lvl, lower, upper)?;
    super::set_lsn(p, lsn);
    set_max_trx(p, trx);
    let pre = prefix_len(p);
    for (s, (k, v)) in cells.iter().enumerate() {
        let rest = k.get(pre..).ok_or(PageError::Structure("key shorter than the prefix"))?;
        insert(p, s, rest, v)?;
    }
    Ok(())
}

/// Structure check of one tree page on its own: order, fences, bounds, space accounting.
pub fn check(p: &[u8]) -> Result<(), PageError> {
    let e = |s| Err(PageError::Structure(s));
    if super::page_type(p) != Some(PageType::Tree) {
        return e("not a tree page");
    }
    let up = get_u16(p, 54);
    let fences = get_u16(p, 52) as usize + if up == NO_UPPER { 0 } else { up as usize };
    if BODY + fences > p.len() || BODY + fences + count(p) * SLOT > p.len() {
        return e("fences or directory beyond the page");
    }
    if upper(p).is_some_and(|u| u <= lower(p)) {
        return e("upper fence not above the lower one");
    }
    let want = upper(p).map_or(0, |u| common_prefix(lower(p), u));
    if prefix_len(p) != want {
        return e("prefix is not the fences' common prefix");
    }
    let heap = heap_start(p);
    if heap > p.len() || heap < slot_pos(p, count(p)) {
        return e("heap start out of bounds");
    }
    let mut live = 0;
    let mut last: Option<Vec<u8>> = None;
    for s in 0..count(p) {
        let at = cell_at(p, s);
        if at < heap || at + CELL_HEAD > p.len() {
            return e("cell offset out of bounds");
        }
        let len = CELL_HEAD + get_u16(p, at) as usize + get_u16(p, at + 2) as usize;
        if at + len > p.len() {
            return e("cell beyond the page");
        }
        live += len;
        if get_u32(p, slot_pos(p, s) + 2) != head_of(key_rest(p, s)) {
            return e("head does not match the key");
        }
        let k = key(p, s);
        if last.as_ref().is_some_and(|l| *l >= k) {
            return e("keys out of order");
        }
        if !owns(p, &k) {
            return e("key outside the fences");
        }
        if level(p) > 0 && value(p, s).len() != 4 {
            return e("inner cell without a child");
        }
        last = Some(k);
    }
    if live + garbage(p) != p.len() - heap {
        return e("heap bytes do not add up");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn page(size: usize, lo: &[u8], up: Option<&[u8]>) -> Vec<u8> {
        let mut p = vec![0; size];
        init(&mut p, PageId::new(1, 2), 9, 0, lo, up).unwrap();
        p
    }

    #[test]
    fn prefix_is_cut_and_given_back() {
        let mut p = page(512, b"abc1", Some(b"abc9"));
        assert_eq!(prefix_len(&p), 3);
        insert(&mut p, 0, b"5x", b"v").unwrap();
        assert_eq!(key(&p, 0), b"abc5x");
        assert_eq!(search(&p, b"abc5x"), Ok(0));
        assert_eq!(search(&p, b"abc6"), Err(1));
        check(&p).unwrap();
    }

    #[test]
    fn fences_say_what_is_owned() {
        let middle = page(512, b"b", Some(b"d"));
        let owned = |k: &[u8]| (owns(&middle, k), owns_below(&middle, Some(k)));
        assert_eq!(
            [owned(b"a"), owned(b"b"), owned(b"c")],
            [(false, false), (true, false), (true, true)]
        );
        assert_eq!([owned(b"d"), owned(b"e")], [(false, true), (false, false)]);
        assert!(!owns_below(&middle, None), "the last page has no upper fence");
        let (first, last) = (page(512, b"", Some(b"b")), page(512, b"d", None));
        assert!(owns_below(&first, Some(b"")) && owns_below(&first, Some(b"b")));
        assert!(owns_below(&last, None) && owns_below(&last, Some(b"z")));
        assert!(!owns_below(&last, Some(b"d")));
    }

    #[test]
    fn replace_that_needs_every_byte() {
        let mut p = page(512, b"", None);
        insert(&mut p, 0, b"a", &[1; 200]).unwrap();
        insert(&mut p, 1, b"b", &[2; 100]).unwrap();
        let room = free_bytes(&p);
        replace(&mut p, 1, &vec![3; 100 + room]).unwrap();
        check(&p).unwrap();
        assert_eq!(free_bytes(&p), 0);
        assert_eq!(value(&p, 1), vec![3; 100 + room]);
        assert!(replace(&mut p, 0, &[1; 201]).is_err());
        check(&p).unwrap();
    }

    #[test]
    fn the_largest_cell_stands_beside_the_longest_fences() {
        let mut size = crate::page::SIZE_MIN;
        while size <= 65536 {
            let most = max_key(size);
            let (lo, up, key) =
                (vec![1; most], vec![2; most], [vec![1; most - 1], vec![2]].concat());
            let mut p = page(size, &lo, Some(&up));
            assert_eq!(room_for(&p, &key), max_cell(size));
            let len = max_cell(size) - cell_size(key.len(), 0);
            insert(&mut p, 0, &key, &[]).unwrap();
            assert_eq!(room_for(&p, &key), max_cell(size));
            replace(&mut p, 0, &vec![7; len]).unwrap();
            check(&p).unwrap();
            assert_eq!((free_bytes(&p), value(&p, 0).len()), (0, len));
            size *= 2;
        }
    }

    #[derive(Clone, Debug)]
    enum Op {
        Put(Vec<u8>, Vec<u8>),
        Del(usize),
        Patch(usize, u8),
        Keep(usize, usize),
    }

    fn ops() -> impl Strategy<Value = Vec<Op>> {
        let key = proptest::collection::vec(0u8..4, 0..6);
        let val = proptest::collection::vec(any::<u8>(), 0..60);
        proptest::collection::vec(
            prop_oneof![
                6 => (key, val).prop_map(|(k, v)| Op::Put(k, v)),
                2 => any::<usize>().prop_map(Op::Del),
                1 => (any::<usize>(), any::<u8>()).prop_map(|(s, b)| Op::Patch(s, b)),
                1 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Op::Keep(a, b)),
            ],
            0..80,
        )
    }

    proptest! {
        /// Keys that are alike in their first bytes, shorter and longer than what is compared at once.
        #[test]
        fn keys_compare_as_bytes_do(
            keys in prop::collection::btree_set(prop::collection::vec(0u8..2, 0..12), 1..20),
            wanted in prop::collection::vec(0u8..2, 0..12),
        ) {
            let keys: Vec<_> = keys.into_iter().collect();
            let mut p = page(2048, b"", None);
            for (slot, key) in keys.iter().enumerate() {
                prop_assert_eq!(search(&p, key), Err(slot));
                insert(&mut p, slot, key, b"v").unwrap();
                prop_assert_eq!(compare(key, &wanted), key.cmp(&wanted));
            }
            prop_assert_eq!(search(&p, &wanted), keys.binary_search(&wanted));
        }

        #[test]
        fn behaves_like_a_map(ops in ops()) {
            let mut p = page(1024, b"", None);
            let mut m: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
            for op in ops {
                match op {
                    Op::Put(k, v) => {
                        if !owns(&p, &k) { continue; }
                        match search(&p, &k) {
                            Ok(s) => if fits_replace(&p, s, v.len()) {
                                replace(&mut p, s, &v).unwrap();
                                m.insert(k, v);
                            } else {
                                prop_assert!(replace(&mut p, s, &v).is_err());
                            },
                            Err(s) => if fits(&p, k.len(), v.len()) {
                                let rest = k[prefix_len(&p)..].to_vec();
                                insert(&mut p, s, &rest, &v).unwrap();
                                m.insert(k, v);
                            },
                        }
                    }
                    Op::Del(i) => if count(&p) > 0 {
                        let s = i % count(&p);
                        m.remove(&key(&p, s));
                        remove(&mut p, s).unwrap();
                    },
                    Op::Patch(i, b) => if count(&p) > 0 {
                        let s = i % count(&p);
                        if !value(&p, s).is_empty() {
                            patch(&mut p, s, 0, &[b]).unwrap();
                            m.get_mut(&key(&p, s)).unwrap()[0] = b;
                        }
                    },
                    Op::Keep(a, b) => {
                        let n = count(&p);
                        let (a, b) = (a % (n + 1), b % (n + 1));
                        let (a, b) = (a.min(b), a.max(b));
                        let lo = if a < n { key(&p, a) } else { lower(&p).to_vec() };
                        let up = if b < n { Some(key(&p, b)) } else { upper(&p).map(<[u8]>::to_vec) };
                        if up.as_ref().is_some_and(|u| *u <= lo) { continue; }
                        let kept: Vec<_> = (a..b).map(|s| key(&p, s)).collect();
                        keep(&mut p, a, b, &lo, up.as_deref()).unwrap();
                        m.retain(|k, _| kept.contains(k));
                    }
                }
                check(&p).map_err(|e| TestCaseError::fail(e.to_string()))?;
                let got: Vec<_> = (0..count(&p)).map(|s| (key(&p, s), value(&p, s).to_vec())).collect();
                let want: Vec<_> = m.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
                prop_assert_eq!(got, want);
            }
        }
    }
}
