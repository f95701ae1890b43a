//! Columns of fixed width whose values stand at the same places in every key of an index: they go from the key into a row without
//! becoming values.

use super::datum::PhysType;
use super::key::KeyPartType;
use super::layout::{Place, RowLayout};
use super::view::RowView;

/// How a value in a key differs from the one in a row.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// The bytes are those of the row.
    Same,
    /// The bytes are in the other order, and of a signed number the sign is inverted.
    Unsigned,
    Signed,
    /// A double in the order of its key.
    Double,
}

#[derive(Debug, Clone, Copy)]
struct Move {
    from: usize,
    to: usize,
    len: usize,
    kind: Kind,
}

/// What [`KeyMoves::put`] does with a key whose parts have no NULL.
#[derive(Debug)]
pub struct KeyMoves {
    /// A row whose columns are still to be put: none of them is NULL.
    blank: Vec<u8>,
    moves: Vec<Move>,
    /// Where a part says whether it is NULL.
    marks: Vec<usize>,
    /// Bytes of the parts.
    len: usize,
}

impl KeyMoves {
    /// `blank`: a row that has the columns. `parts`: each with the column that it gives. `None`: a part has not the same place in all keys, or
    /// a column not in all rows.
    pub fn of(
        layout: &RowLayout,
        blank: &[u8],
        parts: &[(Option<usize>, KeyPartType)],
    ) -> Option<KeyMoves> {
        let mut blank = blank.to_vec();
        let fixed_at = RowView::new(layout, &blank).fixed_at();
        let (mut moves, mut marks, mut at) = (Vec::new(), Vec::new(), 0);
        for (column, part) in parts {
            let len = part.ty.fixed_len().filter(|_| !part.desc)?;
            if part.nullable {
                marks.push(at);
                at += 1;
            }
            if let Some(column) = column {
                let slot = &layout.slots[*column];
                let Place::Fixed(place) = slot.place else { return None };
                let kind = match part.ty {
                    PhysType::Int { unsigned: true, .. } => Kind::Unsigned,
                    PhysType::Int { unsigned: false, .. } => Kind::Signed,
                    PhysType::F64 => Kind::Double,
                    PhysType::Fixed { .. } => Kind::Same,
                    PhysType::F32 | PhysType::Var { .. } => return None,
                };
                if slot.col.nullable {
                    blank[2 + slot.null_bit as usize / 8] &= !(1 << (slot.null_bit % 8));
                }
                moves.push(Move { from: at, to: fixed_at + place as usize, len, kind });
            }
            at += len;
        }
        Some(KeyMoves { blank, moves, marks, len: at })
    }

    /// Appends the row of a key; false, and nothing is appended: the key has a NULL, a zero of two signs, or too few bytes.
    #[inline]
    pub fn put(&self, key: &[u8], out: &mut Vec<u8>) -> bool {
        if key.len() < self.len || self.marks.iter().any(|at| key[*at] == super::key::IS_NULL) {
            return false;
        }
        let start = out.len();
        out.extend_from_slice(&self.blank);
        let row = &mut out[start..];
        for m in &self.moves {
            let (from, to) = (&key[m.from..m.from + m.len], &mut row[m.to..m.to + m.len]);
            if !m.kind.convert(from, to) {
                out.truncate(start);
                return false;
            }
        }
        true
    }
}

impl Kind {
    #[inline]
    fn convert(self, from: &[u8], to: &mut [u8]) -> bool {
        match self {
            Kind::Same => to.copy_from_slice(from),
            Kind::Unsigned => reverse(from, to),
            Kind::Signed => {
                reverse(from, to);
                if let Some(last) = to.last_mut() {
                    *last ^= 0x80;
                }
            }
            Kind::Double => {
                let Ok(bytes) = from.try_into() else { return false };
                let v = u64::from_be_bytes(bytes);
                let bits = if v >> 63 == 1 { v ^ (1 << 63) } else { !v };
                // Zero and minus zero have one key.
                if bits << 1 == 0 {
                    return false;
                }
                to.copy_from_slice(&bits.to_le_bytes());
            }
        }
        true
    }
}

#[inline]
fn reverse(from: &[u8], to: &mut [u8]) {
    if let (Ok(from), Ok(to)) = (<[u8; 4]>::try_from(from), <&mut [u8; 4]>::try_from(&mut *to)) {
        *to = u32::from_be_bytes(from).to_le_bytes();
        return;
    }
    to.iter_mut().zip(from.iter().rev()).for_each(|(to, from)| *to = *from);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::write::{first_columns, replace_columns};
    use crate::row::{Datum, KeyPart, PhysCol, RowBuilder, decode_datum, encode_key};

    const INT: fn(u8, bool) -> PhysType = |bytes, unsigned| PhysType::Int { bytes, unsigned };

    /// The row that the slow way makes.
    fn decoded(
        layout: &RowLayout,
        blank: &[u8],
        parts: &[(Option<usize>, KeyPartType)],
        key: &[u8],
    ) -> Vec<u8> {
        let (mut left, mut values) = (key, Vec::new());
        for (column, part) in parts {
            let (value, len) = decode_datum(part, left).expect("it is a key");
            values.extend(column.map(|c| (c, value)));
            left = &left[len..];
        }
        let changes: Vec<_> = values.iter().map(|(c, d)| (*c, d.as_ref())).collect();
        let mut row = Vec::new();
        replace_columns(layout, blank, &changes, &mut row).expect("they fit");
        row
    }

    #[test]
    fn moves_what_decoding_gives() {
        let types = [
            (INT(1, false), false),
            (INT(2, true), true),
            (INT(3, false), false),
            (INT(4, false), true),
            (INT(8, true), false),
            (PhysType::Fixed { len: 5 }, true),
            (PhysType::F64, false),
        ];
        let layout = RowLayout::new(&types.map(|(ty, nullable)| PhysCol::new(ty, nullable)));
        let order = [3, 6, 0, 5, 1, 4, 2];
        let keys: Vec<_> = order.iter().map(|c| KeyPart::asc(*c)).collect();
        let part = |c: usize| (Some(c), KeyPartType::asc(types[c].0, types[c].1));
        let parts: Vec<_> = order.iter().map(|c| part(*c)).collect();
        let blank = first_columns(&layout, 0..types.len());
        let moves = KeyMoves::of(&layout, &blank, &parts).expect("all are fixed");
        for n in [-128, -1, 0, 1, 77, 127] {
            for null in [false, true] {
                let signed = if null { Datum::Null } else { Datum::Int(n * 1_000_003) };
                let mut row = Vec::new();
                RowBuilder::new(&layout)
                    .push(Datum::Int(n))
                    .push(Datum::UInt(n.unsigned_abs()))
                    .push(Datum::Int(n * 5_001))
                    .push(signed)
                    .push(Datum::UInt(u64::MAX - n.unsigned_abs()))
                    .push(Datum::Bytes(b"abcde"))
                    .push(Datum::Float(n as f64 / 3.0))
                    .finish_into(&mut row)
                    .expect("it fits");
                let mut key = Vec::new();
                encode_key(&keys, &layout, &RowView::new(&layout, &row), &mut key).expect("in-row");
                let mut out = vec![9];
                let put = moves.put(&key, &mut out);
                assert_eq!(put, !null && n != 0);
                match put {
                    true => assert_eq!(out[1..], decoded(&layout, &blank, &parts, &key)),
                    false => assert_eq!(out, [9]),
                }
                assert!(!moves.put(&key[..key.len() - 1], &mut out));
            }
        }
    }

    #[test]
    fn places_that_differ_from_key_to_key_have_none() {
        let text = PhysType::Var { collation: crate::row::Collation::Binary, max_bytes: 9 };
        let layout =
            RowLayout::new(&[PhysCol::new(INT(4, false), false), PhysCol::new(text, false)]);
        let blank = first_columns(&layout, 0..2);
        let number = KeyPartType::asc(INT(4, false), false);
        let of = |parts: &[_]| KeyMoves::of(&layout, &blank, parts);
        assert!(of(&[(Some(0), number)]).is_some());
        assert!(of(&[(None, KeyPartType::asc(text, false)), (Some(0), number)]).is_none());
        assert!(of(&[(Some(0), KeyPartType { desc: true, ..number })]).is_none());
    }
}
