//! DISTINCT of columns: a row that shows the same as the row before it need not be looked at any further. Where an index has equal rows one behind the
//! other, the first of each is all that is left.

use super::column::{Column, Columns, Kind};
use super::constants::Constants;
use crate::query::expr::Node;
use crate::query::plan::Block;

pub struct Adjacent {
    columns: Vec<usize>,
    /// What the row before shows; nothing before the first.
    last: Vec<Cell>,
}

enum Cell {
    Null,
    Number(u64),
    Text(Vec<u8>),
}

impl Cell {
    #[inline]
    fn is(&self, c: &Column, row: u32) -> bool {
        match self {
            _ if c.is_null(row) => matches!(self, Cell::Null),
            Cell::Null => false,
            Cell::Number(n) => *n == number(c, row),
            Cell::Text(text) => match c.kind {
                Kind::Text(collation) => collation.eq(text, c.text(row)),
                _ => false,
            },
        }
    }

    fn set(&mut self, c: &Column, row: u32) {
        if c.is_null(row) {
            *self = Cell::Null;
        } else if !matches!(c.kind, Kind::Text(_)) {
            *self = Cell::Number(number(c, row));
        } else if let Cell::Text(text) = self {
            text.clear();
            text.extend_from_slice(c.text(row));
        } else {
            *self = Cell::Text(c.text(row).to_vec());
        }
    }
}

/// Zero and minus zero are one value.
fn number(c: &Column, row: u32) -> u64 {
    match c.kind {
        Kind::Real => (c.real(row) + 0.0).to_bits(),
        _ => c.number(row) as u64,
    }
}

impl Adjacent {
    /// None: what is shown has no vectors, or equal rows do not come one behind the other.
    pub fn of(
        b: &Block,
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Adjacent> {
        if !b.distinct || !b.together.rows || b.agg.is_some() {
            return None;
        }
        let shown = b.items.iter().filter(|e| !matches!(e.node, Node::Const(_)));
        let columns = shown.map(|e| columns.place(e, cx)).collect::<Option<Vec<_>>>()?;
        Some(Adjacent { columns, last: Vec::new() })
    }

    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Leaves the rows that differ from those before them.
    pub fn narrow(&mut self, columns: &Columns<'_>, selected: &mut Vec<u32>) {
        let of = &self.columns;
        let last = &mut self.last;
        selected.retain(|row| {
            let mut cells = last.iter().zip(of);
            if !last.is_empty() && cells.all(|(cell, at)| cell.is(&columns.list[*at], *row)) {
                return false;
            }
            last.resize_with(of.len(), || Cell::Null);
            last.iter_mut().zip(of).for_each(|(cell, at)| cell.set(&columns.list[*at], *row));
            true
        });
    }
}
