//! ORDER BY with a LIMIT: of each leaf only the rows go on that may be among the first, by the first column of the order.
//!
//! Invariant: a row that is left out has as many rows before it as are wanted, whatever the other columns of the order say of them.

use super::column::{Column, Columns, Kind};
use crate::query::expr::BExpr;
use crate::query::plan::Block;
use crate::value::SqlType;
use std::collections::BinaryHeap;

/// More rows are left to the sort.
const MOST: usize = 10_000;

pub struct Top {
    pub column: usize,
    descending: bool,
    want: usize,
    /// The places in the order of the first rows so far, as many as are wanted; the last of them on top.
    first: BinaryHeap<(bool, i64)>,
}

impl Top {
    /// `None`: all rows are wanted, or the first column of the order has no numbers.
    pub fn of(
        b: &Block,
        (offset, count): (usize, usize),
        columns: &mut Columns<'_>,
        types: &dyn Fn(usize) -> SqlType,
    ) -> Option<Top> {
        let (key, descending) = b.order.first()?;
        let want = offset.checked_add(count).filter(|n| (1..=MOST).contains(n))?;
        // Every row counts, or is the only one of many that does.
        let every = b.calc_found_rows || b.distinct || b.having.is_some();
        let varies = b.items.iter().chain(b.order.iter().map(|(e, _)| e)).any(BExpr::varies);
        if every || varies {
            return None;
        }
        let column = columns.place(key, types)?;
        let ordered = !matches!(columns.list[column].kind, Kind::Text(_) | Kind::Member);
        let (descending, first) = (*descending, BinaryHeap::with_capacity(want + 1));
        ordered.then_some(Top { column, descending, want, first })
    }

    /// Leaves the rows that may be among the first.
    pub fn narrow(&mut self, columns: &Columns<'_>, selected: &mut Vec<u32>) {
        let c = &columns.list[self.column];
        selected.retain(|row| {
            let place = self.place(c, *row);
            if self.first.len() < self.want {
                self.first.push(place);
                return true;
            }
            let Some(mut last) = self.first.peek_mut() else { return false };
            if place < *last {
                *last = place;
                return true;
            }
            // Another column of the order may put it before that row.
            place == *last
        });
    }

    /// NULL comes before all others in an ascending order, and behind them in a descending one.
    #[inline]
    fn place(&self, c: &Column, row: u32) -> (bool, i64) {
        if c.is_null(row) {
            return (self.descending, 0);
        }
        let n = match c.kind {
            Kind::Real => {
                let bits = (c.real(row) + 0.0).to_bits() as i64;
                bits ^ ((bits >> 63) as u64 >> 1) as i64
            }
            _ => c.number(row),
        };
        // All bits turned: the other way round, the ends of the range included.
        (!self.descending, if self.descending { !n } else { n })
    }
}
