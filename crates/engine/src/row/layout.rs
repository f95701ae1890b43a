//! The row format, and where each column of a layout stands in it.
//!
//! ```text
//! u16 header | null bitmap | [external bitmap] | fixed area | var end offsets | var data
//! ```
//! Header, little-endian: bits 0..12 column count, bit 14 external bitmap present, bit 15 end offsets
//! are u32 instead of u16. The null bitmap has one bit for each nullable column of the row, the external bitmap
//! one for each variable-length column. Fixed values are little-endian; NULL leaves zeros. End offsets count
//! from the start of the var data.
//!
//! In a *sparse* row, fixed-width columns that may be NULL are not in the fixed area. Those of them that have a value stand in
//! the order of columns at the beginning of the var data, as the first of its values, which belongs to no column. In the fixed area
//! is a u16 for each sixteen of them: where the values of these begin, counted from the start of the var data.
//!
//! The order of columns that all this speaks of is that of their places ([`Places`]), which is the definition's own until columns come
//! between others or go.

use super::datum::{Datum, DatumBuf, PhysCol};
use super::places::Places;

/// Most columns a row can have: the header keeps the count in 12 bits.
pub const MAX_COLUMNS: usize = 4095;
/// Bytes of the reference that stands in the row for an off-page value.
pub const EXTERNAL_REF_LEN: usize = 20;

pub(super) const COUNT_MASK: u16 = 0x0FFF;
pub(super) const FLAG_EXTERNAL: u16 = 1 << 14;
pub(super) const FLAG_WIDE: u16 = 1 << 15;
/// A bit of the header that no version of the format uses yet.
pub(super) const FLAG_RESERVED: u16 = 3 << 12;

/// Where a column's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Offset in the fixed area.
    Fixed(u32),
    /// Index among the values of the var data: the variable-length columns and, before them in a sparse row, the sparse values.
    Var(u32),
    /// Index among the sparse columns.
    Sparse(u32),
}

/// Where NULLs of fixed width are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowForm {
    /// They leave their places empty.
    #[default]
    Plain,
    /// They take no room. The others are found by their group's start and the NULLs of the group before them.
    Sparse,
}

/// Sparse columns that have one start.
pub(super) const GROUP: usize = 16;

#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) col: PhysCol,
    /// The column's place among all; a row with fewer of them lacks it.
    pub(super) at: u32,
    pub(super) null_bit: u32,
    pub(super) place: Place,
    pub(super) default: DatumBuf,
}

/// Sizes of the row areas when only the first `n` columns are present.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Prefix {
    pub(super) nullable: u32,
    pub(super) fixed_len: u32,
    pub(super) vars: u32,
}

impl Prefix {
    pub(super) fn null_bytes(self) -> usize {
        self.nullable.div_ceil(8) as usize
    }

    pub(super) fn external_bytes(self) -> usize {
        self.vars.div_ceil(8) as usize
    }
}

/// Precomputed places of a table's (or index entry's) columns.
#[derive(Debug, Clone)]
pub struct RowLayout {
    /// The columns, and behind them those that are gone.
    pub(super) slots: Vec<Slot>,
    /// How many are not gone.
    len: usize,
    /// The slot of each place; empty: that of the same number.
    pub(super) order: Vec<u32>,
    /// `prefix[n]`: areas of a row with `n` columns.
    pub(super) prefix: Vec<Prefix>,
    /// Sparse columns: null bit, and bytes of a value.
    pub(super) sparse: Vec<(u32, u32)>,
    /// `[g]`: where in the fixed area the start of the g-th group of them is.
    pub(super) starts: Vec<u32>,
    pub(super) form: RowForm,
}

impl RowLayout {
    /// The layout of plain rows.
    ///
    /// # Panics
    /// With more than [`MAX_COLUMNS`] columns; the catalog refuses such tables before.
    pub fn new(columns: &[PhysCol]) -> Self {
        RowLayout::of(columns, RowForm::Plain)
    }

    /// # Panics
    /// As [`RowLayout::new`].
    pub fn of(columns: &[PhysCol], form: RowForm) -> Self {
        RowLayout::placed(columns, form, &Places::default())
    }

    /// # Panics
    /// As [`RowLayout::new`], and with places that are those of other columns.
    pub fn placed(columns: &[PhysCol], form: RowForm, places: &Places) -> Self {
        let width = places.width(columns.len());
        assert!(width <= MAX_COLUMNS, "a row has at most {MAX_COLUMNS} columns");
        assert!(places.fit(columns.len()), "places of other columns");
        let gone = places.gone.iter().map(|(at, col)| (*at as usize, *col));
        let all: Vec<(usize, PhysCol)> =
            columns.iter().enumerate().map(|(i, col)| (places.of(i), *col)).chain(gone).collect();
        let mut order = vec![0; width];
        all.iter().enumerate().for_each(|(slot, (at, _))| order[*at] = slot as u32);
        // The sparse values are the first of the var data.
        let vars = u32::from(form == RowForm::Sparse);
        let mut at = Prefix { vars, ..Prefix::default() };
        let (mut sparse, mut starts) = (Vec::new(), Vec::new());
        let mut prefix = vec![at];
        let mut slots: Vec<Option<Slot>> = vec![None; width];
        for (place, slot) in order.iter().enumerate() {
            let col = all[*slot as usize].1;
            let null_bit = at.nullable;
            at.nullable += u32::from(col.nullable);
            let stands = match col.ty.fixed_len() {
                Some(len) if form == RowForm::Sparse && col.nullable => {
                    if sparse.len().is_multiple_of(GROUP) {
                        starts.push(at.fixed_len);
                        at.fixed_len += 2;
                    }
                    sparse.push((null_bit, len as u32));
                    Place::Sparse(sparse.len() as u32 - 1)
                }
                Some(len) => {
                    at.fixed_len += len as u32;
                    Place::Fixed(at.fixed_len - len as u32)
                }
                None => {
                    at.vars += 1;
                    Place::Var(at.vars - 1)
                }
            };
            let (at_place, default) = (place as u32, col.empty());
            slots[*slot as usize] =
                Some(Slot { col, at: at_place, null_bit, place: stands, default });
            prefix.push(at);
        }
        if places.order.is_empty() {
            order.clear();
        }
        let slots = slots.into_iter().map(|s| s.expect("each place has one slot")).collect();
        RowLayout { slots, len: columns.len(), order, prefix, sparse, starts, form }
    }

    pub fn form(&self) -> RowForm {
        self.form
    }

    /// Bytes of a row whose nullable columns are NULL and whose texts are empty: a plain one has room for all that is of fixed width.
    pub fn least(&self) -> usize {
        let p = self.prefix[self.slots.len()];
        2 + p.null_bytes() + p.fixed_len as usize + 2 * p.vars as usize
    }

    /// Values that columns missing from older rows read as; one for each column.
    ///
    /// # Panics
    /// When the number of defaults is not the number of columns.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Vec<DatumBuf>) -> Self {
        assert_eq!(defaults.len(), self.len, "one default for each column");
        for (slot, default) in self.slots.iter_mut().zip(defaults) {
            slot.default = default;
        }
        self
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn col(&self, i: usize) -> PhysCol {
        self.slots[i].col
    }

    pub fn columns(&self) -> impl Iterator<Item = PhysCol> + '_ {
        self.slots[..self.len].iter().map(|s| s.col)
    }

    /// The slot of a place.
    pub(super) fn slot_at(&self, place: usize) -> usize {
        self.order.get(place).map_or(place, |slot| *slot as usize)
    }

    /// Whether a column has gone that rows may still have off the page.
    pub fn keeps_long(&self) -> bool {
        self.slots[self.len..].iter().any(|s| s.col.ty.fixed_len().is_none())
    }

    pub fn default_of(&self, i: usize) -> Datum<'_> {
        self.slots[i].default.as_ref()
    }

    /// Bytes of the bitmap that a row with a column off the page has.
    pub fn external_bytes(&self) -> usize {
        self.prefix[self.slots.len()].external_bytes()
    }
}
