//! ORDER BY with a LIMIT: of each leaf only the rows go on that may be among the first, by the first key of the order.
//!
//! Invariant: a row that is left out has as many rows before it as are wanted, whatever the other keys of the order say of them. So the place
//! of a text may be no more than the beginning of its weights: what is behind another one by that is behind it.

use super::column::{Column, Columns, Kind};
use super::constants::Constants;
use super::number::Number;
use crate::query::expr::BExpr;
use crate::query::plan::Block;
use crate::value::Collation;
use std::collections::BinaryHeap;

/// More rows are left to the sort.
const MOST: usize = 10_000;

pub struct Top {
    key: Key,
    descending: bool,
    want: usize,
    /// The places in the order of the first rows so far, as many as are wanted; the last of them on top.
    first: BinaryHeap<Place>,
    /// The places of the selected rows of a leaf.
    places: Vec<Place>,
    numbers: Vec<i128>,
}

/// What the rows are ordered by.
enum Key {
    Column(usize),
    /// A sum, a difference or a product, and its columns, of which a NULL makes one.
    Number(Number, Vec<usize>),
}

/// NULL comes before all others in an ascending order, and behind them in a descending one.
type Place = (bool, u128);

impl Top {
    /// `None`: all rows are wanted, or the first key of the order has no vector.
    pub fn of(
        b: &Block,
        (offset, count): (usize, usize),
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Top> {
        let (key, descending) = b.order.first()?;
        let want = offset.checked_add(count).filter(|n| (1..=MOST).contains(n))?;
        // Every row counts, or is the only one of many that does.
        let every = b.calc_found_rows || b.distinct || b.having.is_some();
        let varies = b.items.iter().chain(b.order.iter().map(|(e, _)| e)).any(BExpr::varies);
        if every || varies {
            return None;
        }
        let key = Key::of(key, columns, cx)?;
        let (first, places) = (BinaryHeap::with_capacity(want + 1), Vec::new());
        let descending = *descending;
        Some(Top { key, descending, want, first, places, numbers: Vec::new() })
    }

    /// The columns that it looks at.
    pub fn columns(&self) -> &[usize] {
        match &self.key {
            Key::Column(at) => std::slice::from_ref(at),
            Key::Number(_, columns) => columns,
        }
    }

    /// Leaves the rows that may be among the first.
    pub fn narrow(&mut self, columns: &Columns<'_>, selected: &mut Vec<u32>) {
        self.places.clear();
        match &self.key {
            Key::Column(at) => {
                let c = &columns.list[*at];
                let place = |row: &u32| ordered((!c.is_null(*row)).then(|| place(c, *row)));
                self.places.extend(selected.iter().map(place));
            }
            Key::Number(number, of) => {
                number.of_rows(columns, selected, &mut self.numbers);
                let null = |row: u32| of.iter().any(|at| columns.list[*at].is_null(row));
                let both = selected.iter().zip(&self.numbers);
                self.places.extend(both.map(|(row, n)| ordered((!null(*row)).then(|| exact(*n)))));
            }
        }
        if self.descending {
            // All bits turned: the other way round, the ends of the range included.
            self.places.iter_mut().for_each(|(there, n)| (*there, *n) = (!*there, !*n));
        }
        let mut places = self.places.iter();
        let (first, want) = (&mut self.first, self.want);
        selected.retain(|_| {
            let Some(place) = places.next() else { return false };
            if first.len() < want {
                first.push(*place);
                return true;
            }
            let Some(last) = first.peek() else { return false };
            if place > last {
                return false;
            }
            if place < last
                && let Some(mut last) = first.peek_mut()
            {
                *last = *place;
            }
            // Another key of the order may put one that is equal before the last row.
            true
        });
    }
}

impl Key {
    fn of(e: &BExpr, columns: &mut Columns<'_>, cx: &mut Constants<'_, '_, '_>) -> Option<Key> {
        let Some(at) = columns.place(e, cx) else {
            let number = Number::of(e, columns, cx)?;
            let mut list = Vec::new();
            number.columns(&mut list);
            return (!list.is_empty()).then_some(Key::Number(number, list));
        };
        let ordered = match columns.list[at].kind {
            Kind::Member => false,
            Kind::Text(collation) => has_prefix(collation),
            _ => true,
        };
        ordered.then_some(Key::Column(at))
    }
}

/// Whether the beginnings of texts have places is the collation's to say.
fn has_prefix(collation: Collation) -> bool {
    collation.order_prefix(b"").is_some()
}

/// The place in an ascending order.
#[inline]
fn ordered(place: Option<u128>) -> Place {
    place.map_or((false, 0), |n| (true, n))
}

#[inline]
fn exact(n: i128) -> u128 {
    n as u128 ^ 1 << 127
}

#[inline]
fn place(c: &Column, row: u32) -> u128 {
    match c.kind {
        Kind::Text(collation) => collation.order_prefix(c.text(row)).unwrap_or_default(),
        Kind::Real => {
            // Zero and minus zero are equal.
            let bits = (c.real(row) + 0.0).to_bits() as i64;
            exact((bits ^ ((bits >> 63) as u64 >> 1) as i64).into())
        }
        _ => exact(c.number(row).into()),
    }
}
