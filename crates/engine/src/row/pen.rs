//! Rows of columns whose types the program knows: each value is written where it stands, without a list of values, and without checks that the
//! types make needless.
//!
//! Only rows are written so that have no NULL and no values off the page, in a layout whose columns have the places of their numbers. Others are
//! written by [`RowBuilder`](super::RowBuilder), which gives the same bytes.

use super::layout::{Place, RowLayout};

/// A row that is being written. Every column of the layout is written once, in order.
#[derive(Debug)]
pub struct Pen<'o> {
    layout: &'o RowLayout,
    out: &'o mut Vec<u8>,
    fixed_at: usize,
    ends_at: usize,
    data_at: usize,
}

impl<'o> Pen<'o> {
    /// Begins a row in an empty vector. `None`: it is not one that is written so.
    pub fn new(layout: &'o RowLayout, out: &'o mut Vec<u8>) -> Option<Pen<'o>> {
        let count = layout.slots.len();
        let prefix = layout.prefix[count];
        if prefix.nullable > 0 || !layout.order.is_empty() {
            return None;
        }
        let ends_at = 2 + prefix.fixed_len as usize;
        let data_at = ends_at + 2 * prefix.vars as usize;
        debug_assert!(out.is_empty());
        out.reserve(data_at + 96);
        out.resize(data_at, 0);
        out[..2].copy_from_slice(&(count as u16).to_le_bytes());
        Some(Pen { layout, out, fixed_at: 2, ends_at, data_at })
    }

    /// Writes a column of this fixed width. False: it does not stand so.
    #[inline]
    pub fn fixed<const N: usize>(&mut self, i: usize, value: &[u8; N]) -> bool {
        let Place::Fixed(at) = self.layout.slots[i].place else { return false };
        let at = self.fixed_at + at as usize;
        let place = self.out[..self.ends_at].get_mut(at..at + N);
        place.is_some_and(|place| {
            place.copy_from_slice(value);
            true
        })
    }

    /// Writes a column of variable length. False: it does not stand so, or the row is too long for it.
    #[inline]
    pub fn var(&mut self, i: usize, value: &[u8]) -> bool {
        let Place::Var(index) = self.layout.slots[i].place else { return false };
        self.out.extend_from_slice(value);
        let Ok(end) = u16::try_from(self.out.len() - self.data_at) else { return false };
        let at = self.ends_at + 2 * index as usize;
        self.out[at..at + 2].copy_from_slice(&end.to_le_bytes());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Collation, Datum, PhysCol, PhysType, RowBuilder, RowForm};
    use super::*;

    #[test]
    fn rows_are_those_of_the_builder() {
        let int = |bytes, unsigned| PhysType::Int { bytes, unsigned };
        let var = PhysType::Var { collation: Collation::Binary, max_bytes: u32::MAX };
        let columns = [int(8, true), var, int(4, false), var, PhysType::Fixed { len: 3 }];
        let columns = columns.map(|ty| PhysCol { ty, nullable: false });
        for (form, long) in
            [RowForm::Plain, RowForm::Sparse].into_iter().flat_map(|f| [(f, 0), (f, 70_000)])
        {
            let layout = RowLayout::of(&columns, form);
            let text = vec![b'x'; long];
            let (mut built, mut written) = (Vec::new(), Vec::new());
            let mut b = RowBuilder::new(&layout);
            b.push(Datum::UInt(7)).push(Datum::Bytes(b"abc")).push(Datum::Int(-2));
            b.push(Datum::Bytes(&text)).push(Datum::Bytes(b"xyz"));
            b.finish_into(&mut built).expect("a row");
            let mut pen = Pen::new(&layout, &mut written).expect("a row without NULL");
            let done = pen.fixed(0, &7_u64.to_le_bytes())
                && pen.var(1, b"abc")
                && pen.fixed(2, &(-2_i32).to_le_bytes())
                && pen.var(3, &text)
                && pen.fixed(4, b"xyz");
            assert_eq!(done, long == 0);
            if done {
                assert_eq!(built, written);
            }
        }
        let nullable = [PhysCol { ty: int(8, true), nullable: true }];
        assert!(Pen::new(&RowLayout::new(&nullable), &mut Vec::new()).is_none());
    }
}
