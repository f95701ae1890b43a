//! An answer: cells in one flat buffer that is used again and again.

use crate::error::{Error, Result};
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Double(f64),
    /// `bytes[start..end]`.
    Bytes {
        start: u32,
        end: u32,
    },
}

#[derive(Clone, Debug, Default)]
pub struct Rows {
    cells: Vec<Cell>,
    bytes: Vec<u8>,
    columns: usize,
    /// Rows changed, where the answer is no list.
    pub affected: u64,
}

impl Rows {
    /// A new answer with this many columns (0: no list).
    pub fn begin(&mut self, columns: usize) {
        self.cells.clear();
        self.bytes.clear();
        self.columns = columns;
        self.affected = 0;
    }

    pub fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    pub fn push_bytes(&mut self, b: &[u8]) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(b);
        self.cells.push(Cell::Bytes { start, end: self.bytes.len() as u32 });
    }

    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn cell(&self, row: usize, column: usize) -> Cell {
        self.cells.get(row * self.columns + column).copied().unwrap_or(Cell::Null)
    }

    pub fn is_null(&self, row: usize, column: usize) -> bool {
        self.cell(row, column) == Cell::Null
    }

    pub fn text(&self, row: usize, column: usize) -> Cow<'_, str> {
        match self.cell(row, column) {
            Cell::Null => Cow::Borrowed(""),
            Cell::Int(n) => Cow::Owned(n.to_string()),
            Cell::Double(x) => Cow::Owned(x.to_string()),
            Cell::Bytes { start, end } => {
                String::from_utf8_lossy(&self.bytes[start as usize..end as usize])
            }
        }
    }

    /// An integer; a row that must be there and is not is the error.
    pub fn int(&self, row: usize, column: usize) -> Result<i64> {
        match self.cell(row, column) {
            Cell::Int(n) => Ok(n),
            Cell::Double(x) => Ok(x as i64),
            Cell::Null => Err(missing(row, column)),
            Cell::Bytes { .. } => {
                let t = self.text(row, column);
                let whole = t.split('.').next().unwrap_or("");
                whole.parse().map_err(|_| Error::other(format!("'{t}' in an answer is no integer")))
            }
        }
    }

    pub fn real(&self, row: usize, column: usize) -> Result<f64> {
        match self.cell(row, column) {
            Cell::Int(n) => Ok(n as f64),
            Cell::Double(x) => Ok(x),
            Cell::Null => Err(missing(row, column)),
            Cell::Bytes { .. } => {
                let t = self.text(row, column);
                t.parse().map_err(|_| Error::other(format!("'{t}' in an answer is no number")))
            }
        }
    }

    /// A decimal with two digits, in cents.
    pub fn cents(&self, row: usize, column: usize) -> Result<i64> {
        match self.cell(row, column) {
            Cell::Int(n) => Ok(n * 100),
            Cell::Double(x) => Ok((x * 100.0).round() as i64),
            Cell::Null => Err(missing(row, column)),
            Cell::Bytes { .. } => {
                let t = self.text(row, column);
                parse_cents(&t)
                    .ok_or_else(|| Error::other(format!("'{t}' in an answer is no amount")))
            }
        }
    }
}

fn missing(row: usize, column: usize) -> Error {
    Error::other(format!("an answer has no value in row {}, column {}", row + 1, column + 1))
}

/// `-12.3` to -1230. More than two digits after the point must be zeros.
pub fn parse_cents(t: &str) -> Option<i64> {
    let (negative, t) = match t.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, t),
    };
    let (whole, fraction) = t.split_once('.').unwrap_or((t, ""));
    let (two, rest) = fraction.split_at_checked(2).unwrap_or((fraction, ""));
    if !rest.bytes().all(|b| b == b'0') {
        return None;
    }
    let digits = |t: &str| if t.is_empty() { Some(0) } else { t.parse::<i64>().ok() };
    let tenths = if two.len() == 1 { 10 } else { 1 };
    let n = digits(whole)?.checked_mul(100)? + digits(two)? * tenths;
    Some(if negative { -n } else { n })
}

/// Appends cents as a decimal.
pub fn push_cents(out: &mut Vec<u8>, cents: i64) {
    use std::io::Write;
    let sign = if cents < 0 { "-" } else { "" };
    let n = cents.unsigned_abs();
    // Writing to a vector cannot fail.
    let _ = write!(out, "{sign}{}.{:02}", n / 100, n % 100);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_round_trip() {
        for n in [0, 1, -1, 99, 100, -12345, 1_000_000_007] {
            let mut out = Vec::new();
            push_cents(&mut out, n);
            assert_eq!(parse_cents(std::str::from_utf8(&out).unwrap()), Some(n));
        }
        assert_eq!(parse_cents("1.5"), Some(150));
        assert_eq!(parse_cents("1.5000"), Some(150));
        assert_eq!(parse_cents("1.505"), None);
        assert_eq!(parse_cents("x"), None);
    }

    #[test]
    fn cells_read_as_what_is_asked() {
        let mut r = Rows::default();
        r.begin(2);
        r.push(Cell::Int(5));
        r.push_bytes(b"12.50");
        assert_eq!((r.len(), r.int(0, 0).unwrap(), r.cents(0, 1).unwrap()), (1, 5, 1250));
        assert_eq!(r.text(0, 1), "12.50");
        assert!(r.int(1, 0).is_err());
        r.begin(0);
        assert_eq!(r.len(), 0);
    }
}
