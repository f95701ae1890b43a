//! One column of many rows: what is looked up for each row by [`RowView`] is looked up once here, for rows that have all columns of the
//! layout and none off the page. Other rows (older than a column, or with long columns) are read through a view.

use super::datum::{Datum, PhysType};
use super::layout::{FLAG_WIDE, Place, RowLayout};
use super::view::RowView;
use std::borrow::Cow;

/// How the bytes of a number are read.
#[derive(Clone, Copy, Debug)]
enum Width {
    Signed(u8),
    Unsigned(u8),
    F32,
    F64,
    /// Big-endian with the sign bit turned, as exact numbers are stored whose bytes are to order as they do.
    Ordered(u8),
}

/// Reads one column of rows of a layout.
#[derive(Clone, Debug)]
pub struct ColumnReader {
    column: usize,
    width: Option<Width>,
    nullable: bool,
    /// Of rows with all columns: the header without the flag of wide offsets, which changes nothing in the fixed area.
    header: u16,
    /// The byte and the bit that say NULL.
    null: (usize, u8),
    /// Where a value of fixed width is; `None`: to be found for each row.
    fixed: Option<usize>,
}

impl ColumnReader {
    pub fn new(layout: &RowLayout, column: usize) -> ColumnReader {
        let slot = &layout.slots[column];
        let all = layout.slots.len();
        let areas = layout.prefix[all];
        let width = match slot.col.ty {
            PhysType::Int { bytes, unsigned: false } => Some(Width::Signed(bytes)),
            PhysType::Int { bytes, unsigned: true } => Some(Width::Unsigned(bytes)),
            PhysType::F32 => Some(Width::F32),
            PhysType::F64 => Some(Width::F64),
            PhysType::Fixed { len: len @ 1..=8 } => Some(Width::Ordered(len as u8)),
            PhysType::Fixed { .. } | PhysType::Var { .. } => None,
        };
        let fixed = match slot.place {
            Place::Fixed(at) => Some(2 + areas.null_bytes() + at as usize),
            Place::Var(_) | Place::Sparse(_) => None,
        };
        ColumnReader {
            column,
            width,
            nullable: slot.col.nullable,
            header: all as u16,
            null: (2 + slot.null_bit as usize / 8, 1 << (slot.null_bit % 8)),
            fixed,
        }
    }

    /// Where the value is in a row that has all columns and is not NULL; `None`: it is to be asked of a view.
    #[inline]
    fn place<'r>(&self, row: &'r [u8]) -> Option<Option<&'r [u8]>> {
        let header = u16::from_le_bytes([row[0], row[1]]);
        let at = self.fixed?;
        if header & !FLAG_WIDE != self.header {
            return None;
        }
        if self.nullable && row[self.null.0] & self.null.1 != 0 {
            return Some(None);
        }
        Some(Some(&row[at..]))
    }

    /// The numbers of the rows that `wanted` names, by their places; `null` gets the places of NULLs. Doubles come as their bits.
    ///
    /// Integers and exact numbers (their coefficients) come as they are, unsigned ones of eight bytes with their bits.
    pub fn numbers(
        &self,
        layout: &RowLayout,
        rows: &[Cow<'_, [u8]>],
        wanted: &[u32],
        out: &mut [i64],
        mut null: impl FnMut(usize),
    ) {
        let Some(width) = self.width else { return };
        macro_rules! read {
            ($read:expr) => {
                for &at in wanted {
                    let row: &[u8] = &rows[at as usize];
                    match self.place(row) {
                        Some(Some(bytes)) => out[at as usize] = $read(bytes),
                        Some(None) => null(at as usize),
                        None => match number(width, RowView::new(layout, row).get(self.column)) {
                            Some(n) => out[at as usize] = n,
                            None => null(at as usize),
                        },
                    }
                }
            };
        }
        match width {
            Width::Signed(1) => read!(|b: &[u8]| i64::from(b[0] as i8)),
            Width::Signed(2) => read!(|b: &[u8]| i64::from(i16::from_le_bytes(first(b)))),
            Width::Signed(4) => read!(|b: &[u8]| i64::from(i32::from_le_bytes(first(b)))),
            Width::Signed(8) | Width::Unsigned(8) | Width::F64 => {
                read!(|b: &[u8]| i64::from_le_bytes(first(b)))
            }
            Width::Unsigned(1) => read!(|b: &[u8]| i64::from(b[0])),
            Width::Unsigned(2) => read!(|b: &[u8]| i64::from(u16::from_le_bytes(first(b)))),
            Width::Unsigned(4) => read!(|b: &[u8]| i64::from(u32::from_le_bytes(first(b)))),
            Width::Signed(n) => read!(|b: &[u8]| {
                let shift = 64 - 8 * u32::from(n);
                (little(&b[..usize::from(n)]) << shift) as i64 >> shift
            }),
            Width::Unsigned(n) => read!(|b: &[u8]| little(&b[..usize::from(n)]) as i64),
            Width::F32 => {
                read!(|b: &[u8]| f64::from(f32::from_le_bytes(first(b))).to_bits() as i64)
            }
            Width::Ordered(n) => read!(|b: &[u8]| ordered(&b[..usize::from(n)])),
        }
    }

    /// The bytes of the rows that `wanted` names, of a column that is no number: `found` gets the place of each and its bytes, `None` for
    /// NULL. No such row has the column off the page.
    pub fn texts<'r>(
        &self,
        layout: &'r RowLayout,
        rows: &'r [Cow<'_, [u8]>],
        wanted: &[u32],
        mut found: impl FnMut(usize, Option<&'r [u8]>),
    ) {
        for &at in wanted {
            let view = RowView::new(layout, &rows[at as usize]);
            found(at as usize, view.get(self.column).as_bytes());
        }
    }

    /// Its values are bytes, and no numbers.
    pub fn is_text(&self) -> bool {
        self.width.is_none()
    }
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("a row has all bytes of its fixed area")
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b))
}

fn ordered(bytes: &[u8]) -> i64 {
    let shift = 64 - 8 * bytes.len() as u32;
    let n = bytes.iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
    ((n << shift) ^ 1 << 63) as i64 >> shift
}

fn number(width: Width, datum: Datum<'_>) -> Option<i64> {
    Some(match (datum, width) {
        (Datum::Int(n), _) => n,
        (Datum::UInt(n), _) => n as i64,
        (Datum::Float(x), _) => x.to_bits() as i64,
        (Datum::Bytes(b), Width::Ordered(_)) => ordered(b),
        (Datum::Bytes(_) | Datum::Null, _) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::collation::Collation;
    use super::super::datum::{DatumBuf, PhysCol};
    use super::super::layout::RowForm;
    use super::super::write::RowBuilder;
    use super::*;

    fn built(layout: &RowLayout, values: &[DatumBuf]) -> Vec<u8> {
        let mut b = RowBuilder::new(layout);
        values.iter().for_each(|v| {
            b.push(v.as_ref());
        });
        let mut out = Vec::new();
        b.finish_into(&mut out).expect("all columns are there");
        out
    }

    /// Every kind of column, in plain and sparse rows, with NULLs, and in rows that are older than the last column.
    #[test]
    fn columns_are_what_views_say() {
        let int = |bytes, unsigned| PhysType::Int { bytes, unsigned };
        let types = [
            int(1, false),
            int(2, true),
            int(3, false),
            int(3, true),
            int(4, false),
            int(8, true),
            int(8, false),
            PhysType::F32,
            PhysType::F64,
            PhysType::Fixed { len: 5 },
            PhysType::Var { collation: Collation::Binary, max_bytes: 100 },
            int(4, true),
        ];
        let value = |ty: PhysType, n: i64| match ty {
            PhysType::Int { unsigned: true, .. } => DatumBuf::UInt(n.unsigned_abs()),
            PhysType::Int { .. } => DatumBuf::Int(n),
            PhysType::F32 | PhysType::F64 => DatumBuf::Float(n as f64 / 4.0),
            PhysType::Fixed { len } => DatumBuf::Bytes(vec![n as u8; usize::from(len)]),
            PhysType::Var { .. } => DatumBuf::Bytes(vec![b'x'; n.unsigned_abs() as usize]),
        };
        for (form, nullable) in
            [(RowForm::Plain, false), (RowForm::Plain, true), (RowForm::Sparse, true)]
        {
            let cols: Vec<PhysCol> = types.iter().map(|t| PhysCol::new(*t, nullable)).collect();
            let defaults: Vec<DatumBuf> = types.iter().map(|t| value(*t, 3)).collect();
            let layout = RowLayout::of(&cols, form).with_defaults(defaults);
            let older = RowLayout::of(&cols[..11], form);
            let mut rows: Vec<Cow<'_, [u8]>> = Vec::new();
            for n in [-100i64, -1, 0, 7, 100] {
                let mut values: Vec<DatumBuf> = types.iter().map(|t| value(*t, n)).collect();
                rows.push(built(&layout, &values).into());
                rows.push(built(&older, &values[..11]).into());
                if nullable {
                    values[n.unsigned_abs() as usize % 12] = DatumBuf::Null;
                    rows.push(built(&layout, &values).into());
                }
            }
            let wanted: Vec<u32> = (0..rows.len() as u32).filter(|n| n % 5 != 3).collect();
            for column in 0..types.len() {
                let reader = ColumnReader::new(&layout, column);
                let mut found = vec![None; rows.len()];
                if reader.is_text() {
                    reader.texts(&layout, &rows, &wanted, |at, b| {
                        found[at] = Some(b.map_or(DatumBuf::Null, |b| DatumBuf::Bytes(b.to_vec())));
                    });
                } else {
                    let (mut out, mut nulls) = (vec![0; rows.len()], vec![false; rows.len()]);
                    reader.numbers(&layout, &rows, &wanted, &mut out, |at| nulls[at] = true);
                    for &at in &wanted {
                        let at = at as usize;
                        let want = RowView::new(&layout, &rows[at]).get(column);
                        let n = number(reader.width.expect("a number"), want);
                        assert_eq!((!nulls[at]).then_some(out[at]), n, "{column} of row {at}");
                        found[at] = Some(want.to_buf());
                    }
                }
                for &at in &wanted {
                    let want = RowView::new(&layout, &rows[at as usize]).get(column).to_buf();
                    assert_eq!(found[at as usize], Some(want), "{form:?} {column} of row {at}");
                }
            }
        }
    }
}
