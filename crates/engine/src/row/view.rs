//! Reading rows, and checking bytes that may not be one.

use super::RowError;
use super::datum::{Datum, PhysType};
use super::layout::{
    COUNT_MASK, EXTERNAL_REF_LEN, FLAG_EXTERNAL, FLAG_RESERVED, FLAG_WIDE, GROUP, Place, RowForm,
    RowLayout,
};
use std::ops::Range;

/// A row's bytes seen through its layout. Every access is O(1): a sparse column looks at no more than the columns of its group.
#[derive(Debug, Clone, Copy)]
pub struct RowView<'a> {
    layout: &'a RowLayout,
    bytes: &'a [u8],
    count: usize,
    header: u16,
    fixed_at: usize,
    ends_at: usize,
    data_at: usize,
}

impl<'a> RowView<'a> {
    /// `bytes` is exactly one row. Panics on bytes that are no row of this layout; run [`validate`]
    /// first where that is possible.
    #[inline]
    pub fn new(layout: &'a RowLayout, bytes: &'a [u8]) -> Self {
        let header = u16::from_le_bytes([bytes[0], bytes[1]]);
        let count = usize::from(header & COUNT_MASK);
        let prefix = layout.prefix[count];
        let external = if header & FLAG_EXTERNAL != 0 { prefix.external_bytes() } else { 0 };
        let fixed_at = 2 + prefix.null_bytes() + external;
        let ends_at = fixed_at + prefix.fixed_len as usize;
        let width = if header & FLAG_WIDE != 0 { 4 } else { 2 };
        let data_at = ends_at + prefix.vars as usize * width;
        RowView { layout, bytes, count, header, fixed_at, ends_at, data_at }
    }

    /// One column's value, as [`RowView::get`] gives it, without looking where the others are.
    #[inline]
    pub fn column(layout: &'a RowLayout, bytes: &'a [u8], i: usize) -> Datum<'a> {
        let header = u16::from_le_bytes([bytes[0], bytes[1]]);
        let count = usize::from(header & COUNT_MASK);
        let slot = &layout.slots[i];
        let Place::Fixed(at) = slot.place else { return RowView::new(layout, bytes).get(i) };
        if slot.at as usize >= count || header & FLAG_EXTERNAL != 0 {
            return RowView::new(layout, bytes).get(i);
        }
        let bit = slot.null_bit as usize;
        if slot.col.nullable && bytes[2 + bit / 8] & (1 << (bit % 8)) != 0 {
            return Datum::Null;
        }
        let at = 2 + layout.prefix[count].null_bytes() + at as usize;
        read_fixed(slot.col.ty, &bytes[at..])
    }

    /// Places that the row has; the layout may have more.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub fn layout(&self) -> &'a RowLayout {
        self.layout
    }

    pub(super) fn fixed_at(&self) -> usize {
        self.fixed_at
    }

    pub fn is_null(&self, i: usize) -> bool {
        let slot = &self.layout.slots[i];
        if slot.at as usize >= self.count {
            return slot.default.as_ref().is_null();
        }
        slot.col.nullable
            && self.bytes[2 + slot.null_bit as usize / 8] & (1 << (slot.null_bit % 8)) != 0
    }

    /// Is the column's in-row value a reference to off-page bytes?
    pub fn is_external(&self, i: usize) -> bool {
        let slot = &self.layout.slots[i];
        if self.header & FLAG_EXTERNAL == 0 || slot.at as usize >= self.count {
            return false;
        }
        match slot.place {
            Place::Fixed(_) | Place::Sparse(_) => false,
            Place::Var(index) => {
                let at = 2 + self.layout.prefix[self.count].null_bytes() + index as usize / 8;
                self.bytes[at] & (1 << (index % 8)) != 0
            }
        }
    }

    /// Whether the row was written before the column came, and has the column's default.
    pub fn lacks(&self, i: usize) -> bool {
        self.layout.slots[i].at as usize >= self.count
    }

    /// References to all that the row has off the page, of columns that are gone too.
    pub fn references(&self) -> impl Iterator<Item = &'a [u8]> + '_ {
        let of_slot = |i: usize| if self.is_external(i) { self.get(i).as_bytes() } else { None };
        (0..self.layout.slots.len()).filter_map(of_slot)
    }

    /// Does any column stand off-page?
    pub fn has_external(&self) -> bool {
        self.header & FLAG_EXTERNAL != 0
    }

    /// The column's value; for an off-page column the 20 bytes of its reference.
    pub fn get(&self, i: usize) -> Datum<'a> {
        let slot = &self.layout.slots[i];
        if slot.at as usize >= self.count {
            return slot.default.as_ref();
        }
        if self.is_null(i) {
            return Datum::Null;
        }
        match slot.place {
            Place::Fixed(at) => {
                let at = self.fixed_at + at as usize;
                read_fixed(slot.col.ty, &self.bytes[at..])
            }
            Place::Var(index) => {
                let index = index as usize;
                let from = if index == 0 { 0 } else { self.end(index - 1) };
                Datum::Bytes(&self.bytes[self.data_at + from..self.data_at + self.end(index)])
            }
            Place::Sparse(index) => {
                read_fixed(slot.col.ty, &self.bytes[self.sparse_at(index as usize)..])
            }
        }
    }

    /// The stored bytes of a column of this fixed width. `None`: the row has none in such a place, and [`RowView::get`] says what the value is.
    #[inline]
    pub(crate) fn fixed<const N: usize>(&self, i: usize) -> Option<&'a [u8; N]> {
        let slot = &self.layout.slots[i];
        let Place::Fixed(at) = slot.place else { return None };
        if slot.at as usize >= self.count || slot.col.nullable {
            return None;
        }
        self.bytes[self.fixed_at + at as usize..].first_chunk()
    }

    /// The same of a column of variable length.
    #[inline]
    pub(crate) fn var(&self, i: usize) -> Option<&'a [u8]> {
        let slot = &self.layout.slots[i];
        let Place::Var(index) = slot.place else { return None };
        if slot.at as usize >= self.count || slot.col.nullable || self.header & FLAG_WIDE != 0 {
            return None;
        }
        let end = |index: usize| {
            let at = self.ends_at + 2 * index;
            usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
        };
        let index = index as usize;
        let from = if index == 0 { 0 } else { end(index - 1) };
        Some(&self.bytes[self.data_at + from..self.data_at + end(index)])
    }

    /// Where the bytes of a variable column are, if it is one that the row has; those of NULL are none.
    pub(super) fn var_range(&self, i: usize) -> Option<Range<usize>> {
        let slot = &self.layout.slots[i];
        let Place::Var(index) = slot.place else { return None };
        if slot.at as usize >= self.count {
            return None;
        }
        let index = index as usize;
        let from = if index == 0 { 0 } else { self.end(index - 1) };
        Some(self.data_at + from..self.data_at + self.end(index))
    }

    /// Where the value of a sparse column is, which is not NULL: behind those of its group that come before it.
    fn sparse_at(&self, index: usize) -> usize {
        let start = self.sparse_start(index / GROUP);
        let before = &self.layout.sparse[index / GROUP * GROUP..index];
        let has = |bit: u32| self.bytes[2 + bit as usize / 8] & (1 << (bit % 8)) == 0;
        let len: u32 = before.iter().map(|(bit, len)| if has(*bit) { *len } else { 0 }).sum();
        self.data_at + start + len as usize
    }

    fn sparse_start(&self, group: usize) -> usize {
        let at = self.fixed_at + self.layout.starts[group] as usize;
        usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
    }

    /// Values of all columns of the layout, in order.
    pub fn iter(&self) -> impl Iterator<Item = Datum<'a>> + '_ {
        (0..self.layout.len()).map(|i| self.get(i))
    }

    fn end(&self, index: usize) -> usize {
        if self.header & FLAG_WIDE != 0 {
            let at = self.ends_at + 4 * index;
            u32::from_le_bytes([
                self.bytes[at],
                self.bytes[at + 1],
                self.bytes[at + 2],
                self.bytes[at + 3],
            ]) as usize
        } else {
            let at = self.ends_at + 2 * index;
            usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
        }
    }
}

fn read_fixed(ty: PhysType, bytes: &[u8]) -> Datum<'_> {
    match ty {
        PhysType::Int { bytes: width, unsigned } => {
            // The widths of the most common types without a loop over bytes.
            let raw = match (width, bytes) {
                (4, [a, b, c, d, ..]) => u64::from(u32::from_le_bytes([*a, *b, *c, *d])),
                (8, [a, b, c, d, e, f, g, h, ..]) => {
                    u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])
                }
                (1, [a, ..]) => u64::from(*a),
                _ => {
                    let mut buf = [0u8; 8];
                    buf[..usize::from(width)].copy_from_slice(&bytes[..usize::from(width)]);
                    u64::from_le_bytes(buf)
                }
            };
            if unsigned {
                return Datum::UInt(raw);
            }
            let shift = 64 - 8 * width as u32;
            Datum::Int(((raw << shift) as i64) >> shift)
        }
        PhysType::F32 => {
            Datum::Float(f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])))
        }
        PhysType::F64 => {
            let mut buf = [0u8; 8];
            buf.copy_from_slice(&bytes[..8]);
            Datum::Float(f64::from_le_bytes(buf))
        }
        PhysType::Fixed { len } => Datum::Bytes(&bytes[..usize::from(len)]),
        // Variable-length columns never have a fixed place.
        PhysType::Var { .. } => Datum::Null,
    }
}

/// Does any column of the row stand off-page? The layout is not needed for that.
#[inline]
pub fn has_external(row: &[u8]) -> bool {
    row.get(1).is_some_and(|high| high & (FLAG_EXTERNAL >> 8) as u8 != 0)
}

/// Are these bytes a row of this layout? Never panics, whatever they are.
pub fn validate(layout: &RowLayout, bytes: &[u8]) -> Result<(), RowError> {
    let corrupt = |at, what| Err(RowError::Corrupt { at, what });
    let &[h0, h1, ..] = bytes else { return corrupt(0, "shorter than its header") };
    let header = u16::from_le_bytes([h0, h1]);
    let count = usize::from(header & COUNT_MASK);
    if header & FLAG_RESERVED != 0 {
        return corrupt(0, "reserved header bits are set");
    }
    if count > layout.slots.len() {
        return corrupt(0, "more columns than the table has");
    }
    let prefix = layout.prefix[count];
    let external = if header & FLAG_EXTERNAL != 0 { prefix.external_bytes() } else { 0 };
    let width = if header & FLAG_WIDE != 0 { 4 } else { 2 };
    let fixed_at = 2 + prefix.null_bytes() + external;
    let ends_at = fixed_at + prefix.fixed_len as usize;
    let data_at = ends_at + prefix.vars as usize * width;
    if bytes.len() < data_at {
        return corrupt(bytes.len(), "shorter than its columns");
    }
    let padding = |at: usize, len: usize, bits: u32| {
        len > 0 && !bits.is_multiple_of(8) && bytes[at + len - 1] >> (bits % 8) != 0
    };
    if padding(2, prefix.null_bytes(), prefix.nullable)
        || padding(2 + prefix.null_bytes(), external, prefix.vars)
    {
        return corrupt(2, "bits behind the last column are set");
    }
    let view = RowView::new(layout, bytes);
    let data_len = bytes.len() - data_at;
    let mut from = match layout.form() {
        RowForm::Plain => 0,
        RowForm::Sparse => check_sparse(&view, data_len)?,
    };
    for i in (0..count).map(|place| layout.slot_at(place)) {
        let slot = &layout.slots[i];
        match slot.place {
            Place::Sparse(_) => {}
            Place::Fixed(at) => {
                let at = fixed_at + at as usize;
                let len = slot.col.ty.fixed_len().unwrap_or(0);
                if view.is_null(i) && bytes[at..at + len].iter().any(|&b| b != 0) {
                    return corrupt(at, "NULL with a value");
                }
            }
            Place::Var(index) => {
                let at = ends_at + index as usize * width;
                let end = view.end(index as usize);
                if end < from || end > data_len {
                    return corrupt(at, "value ends outside the row");
                }
                let len = end - from;
                from = end;
                check_var(&view, i, len).map_err(|what| RowError::Corrupt { at, what })?;
            }
        }
    }
    if from != data_len {
        return corrupt(data_at + from, "bytes behind the last value");
    }
    Ok(())
}

/// The sparse values are as many bytes as their columns say, which groups begin where; how many those are.
fn check_sparse(view: &RowView<'_>, data_len: usize) -> Result<usize, RowError> {
    let corrupt = |what| Err(RowError::Corrupt { at: view.fixed_at, what });
    let mut sum = 0;
    for i in (0..view.count).map(|place| view.layout.slot_at(place)) {
        let slot = &view.layout.slots[i];
        let Place::Sparse(index) = slot.place else { continue };
        let index = index as usize;
        if index.is_multiple_of(GROUP) && view.sparse_start(index / GROUP) != sum {
            return corrupt("a group of columns begins at another place");
        }
        sum += if view.is_null(i) { 0 } else { slot.col.ty.fixed_len().unwrap_or(0) };
    }
    if view.end(0) != sum || sum > data_len {
        return corrupt("values of columns that may be NULL end at another place");
    }
    Ok(sum)
}

fn check_var(view: &RowView<'_>, i: usize, len: usize) -> Result<(), &'static str> {
    let PhysType::Var { max_bytes, .. } = view.layout.slots[i].col.ty else { return Ok(()) };
    let (null, external) = (view.is_null(i), view.is_external(i));
    if null && (len != 0 || external) {
        Err("NULL with a value")
    } else if external && len != EXTERNAL_REF_LEN {
        Err("off-page reference of another length")
    } else if !external && len > max_bytes as usize {
        Err("value longer than its column")
    } else {
        Ok(())
    }
}

/// A row's columns that an index is built from are the same in both versions.
pub(crate) fn same_columns(
    a: &RowView<'_>,
    b: &RowView<'_>,
    cols: impl Iterator<Item = usize>,
) -> bool {
    let mut cols = cols;
    cols.all(|c| !a.is_external(c) && !b.is_external(c) && a.get(c) == b.get(c))
}

#[cfg(test)]
mod tests {
    use super::super::collation::Collation;
    use super::super::datum::{DatumBuf, PhysCol};
    use super::super::places::Places;
    use super::super::write::{RowBuilder, replace_columns};
    use super::*;
    use proptest::prelude::*;

    fn types() -> impl Strategy<Value = PhysType> {
        prop_oneof![
            (prop_oneof![Just(1u8), Just(2), Just(3), Just(4), Just(8)], any::<bool>())
                .prop_map(|(bytes, unsigned)| PhysType::Int { bytes, unsigned }),
            Just(PhysType::F32),
            Just(PhysType::F64),
            (0u16..12).prop_map(|len| PhysType::Fixed { len }),
            Just(PhysType::Var { collation: Collation::Binary, max_bytes: 200_000 }),
        ]
    }

    fn value_of(col: PhysCol) -> BoxedStrategy<DatumBuf> {
        let value = match col.ty {
            PhysType::Int { bytes, unsigned } => {
                let shift = 64 - 8 * u32::from(bytes);
                any::<u64>()
                    .prop_map(move |v| {
                        if unsigned {
                            DatumBuf::UInt(v >> shift)
                        } else {
                            DatumBuf::Int((v as i64) >> shift)
                        }
                    })
                    .boxed()
            }
            PhysType::F32 => any::<i16>().prop_map(|v| DatumBuf::Float(f64::from(v) / 8.0)).boxed(),
            PhysType::F64 => any::<i32>().prop_map(|v| DatumBuf::Float(f64::from(v) / 64.)).boxed(),
            PhysType::Fixed { len } => proptest::collection::vec(any::<u8>(), usize::from(len))
                .prop_map(DatumBuf::Bytes)
                .boxed(),
            PhysType::Var { .. } => prop_oneof![
                20 => proptest::collection::vec(any::<u8>(), 0..40),
                1 => (60_000usize..70_000).prop_map(|n| vec![7; n]),
            ]
            .prop_map(DatumBuf::Bytes)
            .boxed(),
        };
        if col.nullable {
            prop_oneof![1 => Just(DatumBuf::Null), 3 => value].boxed()
        } else {
            value
        }
    }

    type Case = (Vec<PhysCol>, Vec<DatumBuf>, Vec<DatumBuf>);

    fn cases() -> impl Strategy<Value = Case> {
        let columns = prop_oneof![4 => 0usize..24, 1 => 30usize..70];
        let columns =
            columns.prop_flat_map(|n| proptest::collection::vec((types(), any::<bool>()), n));
        columns.prop_flat_map(|cols| {
            let cols: Vec<PhysCol> = cols.into_iter().map(|(t, n)| PhysCol::new(t, n)).collect();
            let values: Vec<_> = cols.iter().map(|&c| value_of(c)).collect();
            (Just(cols), values.clone(), values)
        })
    }

    fn form(pick: u32) -> RowForm {
        if pick.is_multiple_of(2) { RowForm::Plain } else { RowForm::Sparse }
    }

    fn build(layout: &RowLayout, values: &[DatumBuf]) -> Vec<u8> {
        let mut b = RowBuilder::new(layout);
        for v in values {
            b.push(v.as_ref());
        }
        let mut out = Vec::new();
        b.finish_into(&mut out).expect("values fit the layout");
        out
    }

    /// In both ways.
    fn read(layout: &RowLayout, row: &[u8]) -> Vec<DatumBuf> {
        let all: Vec<DatumBuf> = RowView::new(layout, row).iter().map(DatumBuf::from).collect();
        let alone = |i| DatumBuf::from(RowView::column(layout, row, i));
        assert_eq!((0..layout.len()).map(alone).collect::<Vec<_>>(), all);
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn round_trip_and_replace((cols, a, b) in cases(), pick in any::<u32>()) {
            let layout = RowLayout::of(&cols, form(pick));
            let row = build(&layout, &a);
            prop_assert_eq!(validate(&layout, &row), Ok(()));
            prop_assert_eq!(&read(&layout, &row), &a);

            let changes: Vec<_> = (0..cols.len()).filter(|i| pick >> (i % 32) & 1 == 1).collect();
            let datums: Vec<_> = changes.iter().map(|&i| (i, b[i].as_ref())).collect();
            let mut out = Vec::new();
            replace_columns(&layout, &row, &datums, &mut out).expect("values fit");
            let mut want = a.clone();
            for &i in &changes { want[i] = b[i].clone(); }
            prop_assert_eq!(validate(&layout, &out), Ok(()));
            prop_assert_eq!(&read(&layout, &out), &want);
            prop_assert_eq!(out, build(&layout, &want));
        }

        #[test]
        fn added_columns_read_as_defaults((cols, a, b) in cases(), cut in 0usize..24, pick in any::<u32>()) {
            let cut = cut.min(cols.len());
            let old = RowLayout::of(&cols[..cut], form(pick));
            let row = build(&old, &a[..cut]);
            let new = RowLayout::of(&cols, form(pick)).with_defaults(b.clone());
            prop_assert_eq!(validate(&new, &row), Ok(()));
            let mut want = a[..cut].to_vec();
            want.extend_from_slice(&b[cut..]);
            prop_assert_eq!(&read(&new, &row), &want);
            if cut < cols.len() {
                let last = cols.len() - 1;
                let mut out = Vec::new();
                replace_columns(&new, &row, &[(last, a[last].as_ref())], &mut out).expect("fits");
                want[last] = a[last].clone();
                prop_assert_eq!(&read(&new, &out), &want);
            }
        }

        /// Columns come between others and go, twice; rows of each time are read, changed and checked.
        #[test]
        fn columns_that_come_and_go((cols, a, b) in cases(), cut in 0usize..24, pick in any::<u64>()) {
            let bit = |n: usize| pick.rotate_right(n as u32 * 7) & 1 == 1;
            let mut places = Places::default();
            let mut now: Vec<usize> = (0..cut.min(cols.len())).collect();
            let of = |now: &[usize], places: &Places| {
                let phys: Vec<PhysCol> = now.iter().map(|i| cols[*i]).collect();
                let defaults = now.iter().map(|i| b[*i].clone()).collect();
                RowLayout::placed(&phys, form(pick as u32), places).with_defaults(defaults)
            };
            let values = |now: &[usize]| now.iter().map(|i| a[*i].clone()).collect::<Vec<_>>();
            let mut rows = vec![(now.clone(), build(&of(&now, &places), &values(&now)))];
            let (mut rest, phys) = (now.len()..cols.len(), |n: &[usize]| n.iter().map(|i| cols[*i]).collect::<Vec<_>>());
            for round in 0..2 {
                let mut next: Vec<(usize, Option<usize>)> = Vec::new();
                for (at, i) in now.iter().enumerate().filter(|(at, _)| bit(at + round)) {
                    next.push((*i, Some(at)));
                }
                for i in rest.by_ref().take(6) {
                    next.insert(pick.rotate_left(i as u32) as usize % (next.len() + 1), (i, None));
                }
                // A table has a column.
                if next.is_empty() {
                    break;
                }
                let sources: Vec<_> = next.iter().map(|(_, s)| *s).collect();
                places = places.after(&phys(&now), &sources);
                now = next.into_iter().map(|(i, _)| i).collect();
                prop_assert!(places.fit(now.len()));
                let layout = of(&now, &places);
                for (had, row) in &rows {
                    prop_assert_eq!(validate(&layout, row), Ok(()));
                    let mut want: Vec<DatumBuf> = now
                        .iter()
                        .map(|i| if had.contains(i) { a[*i].clone() } else { b[*i].clone() })
                        .collect();
                    prop_assert_eq!(&read(&layout, row), &want);
                    for (at, i) in now.iter().enumerate() {
                        let mut out = Vec::new();
                        replace_columns(&layout, row, &[(at, b[*i].as_ref())], &mut out).expect("fits");
                        let was = std::mem::replace(&mut want[at], b[*i].clone());
                        prop_assert_eq!(validate(&layout, &out), Ok(()));
                        prop_assert_eq!(&read(&layout, &out), &want);
                        want[at] = was;
                    }
                }
                rows.push((now.clone(), build(&layout, &values(&now))));
            }
        }

        #[test]
        fn garbage_never_panics(
            (cols, a, _) in cases(),
            flips in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..6),
            cut in any::<usize>(),
            pick in any::<u32>(),
        ) {
            let layout = RowLayout::of(&cols, form(pick));
            let mut row = build(&layout, &a);
            for (at, v) in flips { let n = row.len(); row[at % n] = v; }
            row.truncate(cut % (row.len() + 1));
            if validate(&layout, &row).is_ok() {
                prop_assert_eq!(read(&layout, &row).len(), cols.len());
            }
        }
    }

    #[test]
    fn fixed_update_changes_only_its_bytes() {
        let cols = [
            PhysCol::new(PhysType::Int { bytes: 4, unsigned: false }, false),
            PhysCol::new(PhysType::Int { bytes: 4, unsigned: false }, true),
            PhysCol::new(PhysType::Var { collation: Collation::Binary, max_bytes: 10 }, true),
        ];
        let layout = RowLayout::new(&cols);
        let row = build(
            &layout,
            &[DatumBuf::Int(1), DatumBuf::Int(2), DatumBuf::Bytes(b"hello".to_vec())],
        );
        let mut out = Vec::new();
        replace_columns(&layout, &row, &[(1, Datum::Int(-1))], &mut out).expect("fits");
        let changed: Vec<_> = (0..row.len()).filter(|&i| row[i] != out[i]).collect();
        assert_eq!(changed, vec![7, 8, 9, 10]);
    }

    #[test]
    fn a_text_of_the_same_length_changes_only_its_bytes() {
        let var = PhysType::Var { collation: Collation::Binary, max_bytes: 10 };
        let cols = [PhysCol::new(var, true), PhysCol::new(var, true), PhysCol::new(var, true)];
        let layout = RowLayout::new(&cols);
        let text = |b: &[u8]| DatumBuf::Bytes(b.to_vec());
        let row = build(&layout, &[text(b"abc"), text(b"hello"), DatumBuf::Null]);
        let replaced = |changes: &[(usize, Datum<'_>)]| {
            let mut out = Vec::new();
            replace_columns(&layout, &row, changes, &mut out).expect("fits");
            out
        };
        let out = replaced(&[(1, Datum::Bytes(b"jelly"))]);
        assert_eq!(out, build(&layout, &[text(b"abc"), text(b"jelly"), DatumBuf::Null]));
        let changed = (0..row.len()).filter(|&i| row[i] != out[i]).count();
        assert_eq!((out.len(), changed), (row.len(), 2));
        // An empty text and NULL have the same length, and are not the same.
        let out = replaced(&[(2, Datum::Bytes(b"")), (0, Datum::Bytes(b"xyz"))]);
        assert_eq!(out, build(&layout, &[text(b"xyz"), text(b"hello"), text(b"")]));
        let out = replaced(&[(1, Datum::Null)]);
        assert_eq!(out, build(&layout, &[text(b"abc"), DatumBuf::Null, DatumBuf::Null]));
    }

    #[test]
    fn external_columns() {
        let var = PhysType::Var { collation: Collation::Utf8mb4Bin, max_bytes: 10 };
        let cols = [PhysCol::new(var, false), PhysCol::new(var, true), PhysCol::new(var, true)];
        let layout = RowLayout::new(&cols);
        let reference = [9u8; EXTERNAL_REF_LEN];
        let mut b = RowBuilder::new(&layout);
        b.push(Datum::Bytes(b"a")).push_external(&reference).push(Datum::Null);
        let mut row = Vec::new();
        b.finish_into(&mut row).expect("fits");
        assert_eq!(validate(&layout, &row), Ok(()));
        let view = RowView::new(&layout, &row);
        assert_eq!([0, 1, 2].map(|i| view.is_external(i)), [false, true, false]);
        assert_eq!(view.get(1), Datum::Bytes(&reference));
        let mut out = Vec::new();
        replace_columns(&layout, &row, &[(0, Datum::Bytes(b"xyz"))], &mut out).expect("fits");
        let view = RowView::new(&layout, &out);
        assert!(view.is_external(1) && view.get(0) == Datum::Bytes(b"xyz"));
        out.clear();
        replace_columns(&layout, &row, &[(1, Datum::Bytes(b"in"))], &mut out).expect("fits");
        assert!(!RowView::new(&layout, &out).has_external());
    }

    #[test]
    fn refusals() {
        let int = PhysType::Int { bytes: 1, unsigned: false };
        let layout = RowLayout::new(&[PhysCol::new(int, false)]);
        let attempt = |d| RowBuilder::new(&layout).push(d).finish_into(&mut Vec::new());
        assert_eq!(attempt(Datum::Null), Err(RowError::NullInNotNull { column: 0 }));
        assert_eq!(attempt(Datum::Int(128)), Err(RowError::TooLong { column: 0 }));
        assert_eq!(attempt(Datum::Float(1.0)), Err(RowError::WrongType { column: 0 }));
        assert_eq!(attempt(Datum::Int(-128)), Ok(()));
    }
}
