//! How rows are written, and how columns of a written row are replaced.

use super::RowError;
use super::datum::{Datum, PhysType};
use super::layout::{EXTERNAL_REF_LEN, FLAG_EXTERNAL, FLAG_WIDE, GROUP, Place, RowForm, RowLayout};
use super::view::RowView;

/// Collects a row's values in column order and writes the row.
#[derive(Debug)]
pub struct RowBuilder<'l, 'd> {
    layout: &'l RowLayout,
    values: Vec<(Datum<'d>, bool)>,
    /// Places that the row gets.
    places: usize,
}

impl<'l, 'd> RowBuilder<'l, 'd> {
    pub fn new(layout: &'l RowLayout) -> Self {
        RowBuilder::like(layout, layout.slots.len())
    }

    /// The row gets so many places only, as one of before that is made again; values of the columns behind them are left out.
    pub fn like(layout: &'l RowLayout, places: usize) -> Self {
        RowBuilder { layout, values: Vec::with_capacity(layout.len()), places }
    }

    pub fn push(&mut self, value: Datum<'d>) -> &mut Self {
        self.values.push((value, false));
        self
    }

    /// A value stored off-page: `reference` is what the engine resolves it by.
    pub fn push_external(&mut self, reference: &'d [u8; EXTERNAL_REF_LEN]) -> &mut Self {
        self.values.push((Datum::Bytes(reference), true));
        self
    }

    /// Forget the values and start another row of the same layout.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Appends the row to `out`; on an error `out` is as it was.
    pub fn finish_into(&self, out: &mut Vec<u8>) -> Result<(), RowError> {
        if self.values.len() != self.layout.len() {
            return Err(RowError::ColumnCount {
                expected: self.layout.len(),
                got: self.values.len(),
            });
        }
        write_row(self.layout, self.places, |i| self.values[i], out)
    }
}

/// Bytes of the var data and, as the first part of them, of the sparse values.
struct Measure {
    var_len: usize,
    sparse_len: usize,
    any_external: bool,
}

/// Checks the values and adds up what has no place of its own.
fn measure<'v>(
    layout: &RowLayout,
    count: usize,
    slot_at: &impl Fn(usize) -> usize,
    value: &impl Fn(usize) -> (Datum<'v>, bool),
) -> Result<Measure, RowError> {
    let (mut var_len, mut sparse_len, mut any_external) = (0, 0, false);
    for i in (0..count).map(slot_at) {
        let (datum, external) = value(i);
        check(layout, i, datum, external)?;
        match (layout.slots[i].place, datum) {
            (Place::Var(_), Datum::Bytes(b)) => var_len += b.len(),
            (Place::Sparse(_), d) if !d.is_null() => {
                let len = layout.slots[i].col.ty.fixed_len().unwrap_or(0);
                (var_len, sparse_len) = (var_len + len, sparse_len + len);
                if sparse_len > usize::from(u16::MAX) {
                    return Err(RowError::TooLong { column: i });
                }
            }
            _ => {}
        }
        any_external |= external;
    }
    Ok(Measure { var_len, sparse_len, any_external })
}

/// Writes the first `count` places. `value(i)` gives a column's datum and whether it is off-page.
fn write_row<'v>(
    layout: &'v RowLayout,
    count: usize,
    value: impl Fn(usize) -> (Datum<'v>, bool),
    out: &mut Vec<u8>,
) -> Result<(), RowError> {
    if layout.order.is_empty() {
        return write_in_order(layout, count, |place| place, value, out);
    }
    // What takes the place of a column that is gone is its empty default.
    let value = |i: usize| match i < layout.len() {
        true => value(i),
        false => (layout.slots[i].default.as_ref(), false),
    };
    write_in_order(layout, count, |place| layout.order[place] as usize, value, out)
}

/// As [`write_row`]; `slot_at(place)` gives the column of a place.
fn write_in_order<'v>(
    layout: &RowLayout,
    count: usize,
    slot_at: impl Fn(usize) -> usize,
    value: impl Fn(usize) -> (Datum<'v>, bool),
    out: &mut Vec<u8>,
) -> Result<(), RowError> {
    let prefix = layout.prefix[count];
    let Measure { var_len, sparse_len, any_external } = measure(layout, count, &slot_at, &value)?;
    let wide = var_len > usize::from(u16::MAX);
    let mut header = count as u16;
    header |= if wide { FLAG_WIDE } else { 0 } | if any_external { FLAG_EXTERNAL } else { 0 };

    let start = out.len();
    let nulls_at = start + 2;
    let externals_at = nulls_at + prefix.null_bytes();
    let fixed_at = externals_at + if any_external { prefix.external_bytes() } else { 0 };
    let ends_at = fixed_at + prefix.fixed_len as usize;
    let data_at = ends_at + prefix.vars as usize * if wide { 4 } else { 2 };
    out.reserve(data_at - start + var_len);
    out.resize(data_at, 0);
    out[start..nulls_at].copy_from_slice(&header.to_le_bytes());
    let put_end = |out: &mut Vec<u8>, index: usize, end: usize| {
        if wide {
            let at = ends_at + 4 * index;
            out[at..at + 4].copy_from_slice(&(end as u32).to_le_bytes());
        } else {
            let at = ends_at + 2 * index;
            out[at..at + 2].copy_from_slice(&(end as u16).to_le_bytes());
        }
    };
    if layout.form == RowForm::Sparse {
        put_sparse(layout, (0..count).map(&slot_at), &value, (fixed_at, data_at), out);
        put_end(out, 0, sparse_len);
    }
    for i in (0..count).map(&slot_at) {
        let slot = &layout.slots[i];
        let (datum, external) = value(i);
        if datum.is_null() {
            out[nulls_at + slot.null_bit as usize / 8] |= 1 << (slot.null_bit % 8);
        }
        match slot.place {
            Place::Sparse(_) => {}
            Place::Fixed(at) => {
                let at = fixed_at + at as usize;
                let len = slot.col.ty.fixed_len().unwrap_or(0);
                put_fixed(slot.col.ty, datum, &mut out[at..at + len]);
            }
            Place::Var(index) => {
                let index = index as usize;
                if let Datum::Bytes(b) = datum {
                    out.extend_from_slice(b);
                }
                if external {
                    out[externals_at + index / 8] |= 1 << (index % 8);
                }
                let end = out.len() - data_at;
                put_end(out, index, end);
            }
        }
    }
    Ok(())
}

/// Writes the sparse values, which come first in the var data, and where each group of them begins.
fn put_sparse<'v>(
    layout: &RowLayout,
    slots: impl Iterator<Item = usize>,
    value: &impl Fn(usize) -> (Datum<'v>, bool),
    (fixed_at, data_at): (usize, usize),
    out: &mut Vec<u8>,
) {
    for i in slots {
        let slot = &layout.slots[i];
        let Place::Sparse(index) = slot.place else { continue };
        let index = index as usize;
        if index.is_multiple_of(GROUP) {
            let at = fixed_at + layout.starts[index / GROUP] as usize;
            let start = (out.len() - data_at) as u16;
            out[at..at + 2].copy_from_slice(&start.to_le_bytes());
        }
        let (datum, _) = value(i);
        if !datum.is_null() {
            let at = out.len();
            out.resize(at + slot.col.ty.fixed_len().unwrap_or(0), 0);
            put_fixed(slot.col.ty, datum, &mut out[at..]);
        }
    }
}

/// May this datum stand in column `i`?
fn check(layout: &RowLayout, i: usize, datum: Datum<'_>, external: bool) -> Result<(), RowError> {
    let col = layout.slots[i].col;
    let fits = match (col.ty, datum) {
        (_, Datum::Null) if col.nullable => true,
        (_, Datum::Null) => return Err(RowError::NullInNotNull { column: i }),
        (PhysType::Int { bytes, unsigned }, Datum::Int(_) | Datum::UInt(_)) => {
            int_fits(bytes, unsigned, datum)
        }
        (PhysType::F32 | PhysType::F64, Datum::Float(_)) => true,
        (PhysType::Fixed { len }, Datum::Bytes(b)) => b.len() == usize::from(len),
        (PhysType::Var { .. }, Datum::Bytes(b)) if external => b.len() == EXTERNAL_REF_LEN,
        (PhysType::Var { max_bytes, .. }, Datum::Bytes(b)) => b.len() <= max_bytes as usize,
        _ => return Err(RowError::WrongType { column: i }),
    };
    if external && !matches!(col.ty, PhysType::Var { .. }) {
        return Err(RowError::WrongType { column: i });
    }
    if fits { Ok(()) } else { Err(RowError::TooLong { column: i }) }
}

fn int_fits(bytes: u8, unsigned: bool, datum: Datum<'_>) -> bool {
    let bits = u32::from(bytes) * 8;
    if unsigned {
        datum.as_u64().is_some_and(|v| bits == 64 || v >> bits == 0)
    } else {
        datum.as_i64().is_some_and(|v| bits == 64 || (v << (64 - bits)) >> (64 - bits) == v)
    }
}

/// Writes a checked fixed-width value; NULL leaves zeros.
fn put_fixed(ty: PhysType, datum: Datum<'_>, out: &mut [u8]) {
    match (ty, datum) {
        (PhysType::Int { .. }, Datum::Int(v)) => {
            out.copy_from_slice(&v.to_le_bytes()[..out.len()]);
        }
        (PhysType::Int { .. }, Datum::UInt(v)) => {
            out.copy_from_slice(&v.to_le_bytes()[..out.len()]);
        }
        (PhysType::F32, Datum::Float(v)) => out.copy_from_slice(&(v as f32).to_le_bytes()),
        (PhysType::F64, Datum::Float(v)) => out.copy_from_slice(&v.to_le_bytes()),
        (_, Datum::Bytes(b)) => out.copy_from_slice(b),
        _ => out.fill(0),
    }
}

/// A row of the places up to the last one of these columns, each column NULL or a zero of its type.
pub fn first_columns(layout: &RowLayout, columns: impl Iterator<Item = usize>) -> Vec<u8> {
    let zeros: Vec<_> = layout.columns().map(|col| col.empty()).collect();
    let count = columns.map(|i| layout.slots[i].at as usize + 1).max().unwrap_or(0);
    let mut out = Vec::new();
    write_row(layout, count, |i| (zeros[i].as_ref(), false), &mut out)
        .expect("a zero of its type fits each column");
    out
}

/// Appends to `out` the old row with some columns replaced. New values are in-row; columns that are not
/// named keep their bytes, off-page references included. A row of an older, shorter layout keeps its
/// number of places unless a column behind them changes.
pub fn replace_columns(
    layout: &RowLayout,
    old: &[u8],
    changes: &[(usize, Datum<'_>)],
    out: &mut Vec<u8>,
) -> Result<(), RowError> {
    let view = RowView::new(layout, old);
    let count = match changes.iter().any(|&(i, _)| view.lacks(i)) {
        true => layout.slots.len(),
        false => view.count(),
    };
    if count == view.count() && patch(layout, &view, changes, out)? {
        return Ok(());
    }
    let value = |i: usize| match changes.iter().rev().find(|&&(c, _)| c == i) {
        Some(&(_, datum)) => (datum, false),
        None => (view.get(i), view.is_external(i)),
    };
    write_row(layout, count, value, out)
}

/// The common update: no column changes its length, so the row is copied and patched. False: some do.
fn patch(
    layout: &RowLayout,
    view: &RowView<'_>,
    changes: &[(usize, Datum<'_>)],
    out: &mut Vec<u8>,
) -> Result<bool, RowError> {
    for &(i, datum) in changes {
        let same_length = match layout.slots[i].place {
            Place::Fixed(_) => true,
            Place::Var(_) => {
                let had = view.var_range(i).filter(|_| !view.is_external(i));
                had.is_some_and(|range| range.len() == datum.as_bytes().map_or(0, <[u8]>::len))
            }
            Place::Sparse(_) => false,
        };
        if !same_length {
            return Ok(false);
        }
        check(layout, i, datum, false)?;
    }
    let start = out.len();
    out.extend_from_slice(view.bytes());
    for &(i, datum) in changes {
        let slot = &layout.slots[i];
        if slot.col.nullable {
            let byte = &mut out[start + 2 + slot.null_bit as usize / 8];
            let bit = 1 << (slot.null_bit % 8);
            *byte = if datum.is_null() { *byte | bit } else { *byte & !bit };
        }
        if let Place::Fixed(at) = slot.place {
            let at = start + view.fixed_at() + at as usize;
            let len = slot.col.ty.fixed_len().unwrap_or(0);
            put_fixed(slot.col.ty, datum, &mut out[at..at + len]);
        } else if let (Some(range), Datum::Bytes(b)) = (view.var_range(i), datum) {
            out[start + range.start..start + range.end].copy_from_slice(b);
        }
    }
    Ok(true)
}
