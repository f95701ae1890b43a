//! Rows that wait for their order as bytes, in pieces of memory: a row of two numbers takes some sixty bytes, where lists of values take two hundred.
//!
//! Invariant: the bytes of a row's keys are all of them, so they alone tell its order.

use super::SortRow;
use crate::query::exec::order::SortKey;
use crate::query::exec::sort::sort_runs;
use crate::query::exec::spool::decode_into;
use crate::query::plan::outcome::{Row, Run};
use crate::value::Value;
use crate::value::encoded::encode;
use std::cmp::Ordering;

/// Bytes of a piece.
const PIECE: usize = 256 << 10;
/// Rows that are sorted before it is looked whether the statement is to end: some thousandths of a second, for bytes alone are compared.
const RUN: usize = 64 << 10;

#[derive(Default)]
pub struct Packed {
    rows: Vec<Place>,
    pieces: Vec<Vec<u8>>,
    /// Values of a row.
    width: usize,
}

/// Where a row is, and how its keys begin.
struct Place {
    first: u128,
    piece: u32,
    at: u32,
    /// Where the first keys end ([`SortKey::same_first`]).
    end: Option<u8>,
    /// Bytes of the keys behind those at hand, with which the row begins. Its length in four bytes and its values are behind them.
    rest: u8,
}

impl Packed {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Puts a row with its keys, which are whole. Gives the bytes that it takes.
    pub fn push(&mut self, keys: &[u8], end: Option<usize>, row: &[Value<'static>]) -> usize {
        if self.pieces.last().is_none_or(|p| p.len() >= PIECE) {
            // The first one grows with its rows: most sorts are small.
            let room = if self.pieces.is_empty() { 0 } else { PIECE };
            self.pieces.push(Vec::with_capacity(room));
        }
        self.width = row.len();
        let piece = self.pieces.len() - 1;
        let to = &mut self.pieces[piece];
        let at = to.len();
        let (first, rest) = SortKey::at_hand(keys);
        to.extend_from_slice(rest);
        let values = to.len() + 4;
        to.extend_from_slice(&[0; 4]);
        row.iter().for_each(|v| encode(v, to));
        let len = (to.len() - values) as u32;
        to[values - 4..values].copy_from_slice(&len.to_le_bytes());
        let bytes = to.len() - at;
        let (piece, at, rest) = (piece as u32, at as u32, rest.len() as u8);
        let end = end.and_then(|end| u8::try_from(end).ok());
        self.rows.push(Place { first, piece, at, end, rest });
        size_of::<Place>() + bytes
    }

    fn rest(&self, p: &Place) -> &[u8] {
        &self.pieces[p.piece as usize][p.at as usize..][..p.rest.into()]
    }

    fn values(&self, p: &Place) -> &[u8] {
        let bytes = &self.pieces[p.piece as usize][p.at as usize + usize::from(p.rest)..];
        let (len, bytes) = bytes.split_first_chunk().expect("a row has its length");
        &bytes[..u32::from_le_bytes(*len) as usize]
    }

    pub fn sort<E>(&mut self, look: impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        let mut rows = std::mem::take(&mut self.rows);
        let order = |a: &Place, b: &Place| match a.first.cmp(&b.first) {
            Ordering::Equal if a.rest == 0 && b.rest == 0 => Ordering::Equal,
            Ordering::Equal => self.rest(a).cmp(self.rest(b)),
            order => order,
        };
        sort_runs(&mut rows, RUN, order, look)?;
        self.rows = rows;
        Ok(())
    }

    /// The first bytes of the keys, those behind them, and the values of a row, as they are written into a run.
    pub fn written(&self, row: usize) -> ((u128, &[u8]), &[u8]) {
        let p = &self.rows[row];
        ((p.first, self.rest(p)), self.values(p))
    }

    /// A row as it was put, with its values in `values`.
    pub fn row(&self, row: usize, mut values: Row) -> Run<SortRow> {
        let p = &self.rows[row];
        let key = SortKey::whole((p.first, self.rest(p)), p.end);
        values.clear();
        values.reserve(self.width);
        decode_into(self.values(p), &mut values)?;
        Ok(SortRow { key, row: values, extra: Vec::new() })
    }

    /// All rows have gone.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.pieces.clear();
    }
}
