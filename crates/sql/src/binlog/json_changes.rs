//! What was changed in a document, for `binlog_row_value_options = PARTIAL_JSON`.
//!
//! MySQL remembers what JSON_SET, JSON_REPLACE and JSON_REMOVE did. Here the two documents are compared, so that any expression counts,
//! and a document that MERGE_PATCH changed in one member is as short in the log as one that JSON_SET did.
//!
//! Invariant: a replica that makes the changes one by one in the document before has the bytes of the document behind
//! (`query::write::replicated::json` does; a property test compares).

use crate::value::json::logged::logged;
use crate::value::json::{Cell, Dom, Json, Key, Leg, Path, key_order};
use std::cmp::Ordering;
use weir_binlog::encode;
use weir_binlog::value::{JsonDiff, JsonOp};

/// The changes between two documents in MySQL's binary form, as events have them. `None`: the document itself is no longer than they are.
pub fn of(old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    if old == new {
        return Some(Vec::new());
    }
    let dom = |bytes| Json::from_bytes(bytes).view().to_dom();
    let mut w = Writer { path: vec![b'$'], out: Vec::new(), most: new.len() };
    w.between(&dom(old), &dom(new))?;
    (w.out.len() < new.len()).then_some(w.out)
}

struct Writer {
    path: Vec<u8>,
    out: Vec<u8>,
    /// Bytes from which on the changes are of no use.
    most: usize,
}

impl Writer {
    /// `None`: the whole document is another one, or it takes too much to say what was changed.
    fn between(&mut self, old: &Dom, new: &Dom) -> Option<()> {
        match (old, new) {
            (Dom::Object(old), Dom::Object(new)) => self.members(old, new),
            (Dom::Array(old), Dom::Array(new)) => self.elements(old, new),
            _ if same(old, new) => Some(()),
            _ if self.path.len() == 1 => None,
            _ => self.put(JsonOp::Replace, Some(new)),
        }
    }

    /// Both are in the order of their names, so that one walk over both finds what is in one of them alone.
    fn members(&mut self, old: &[(Key, Dom)], new: &[(Key, Dom)]) -> Option<()> {
        let (mut a, mut b) = (0, 0);
        loop {
            let order = match (old.get(a), new.get(b)) {
                (Some((was, _)), Some((is, _))) => key_order(was, is),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return Some(()),
            };
            let name = if order == Ordering::Less { &old[a].0 } else { &new[b].0 };
            self.at(Leg::Member(name.clone()), |w| match order {
                Ordering::Less => w.put(JsonOp::Remove, None),
                Ordering::Equal => w.between(&old[a].1, &new[b].1),
                Ordering::Greater => w.put(JsonOp::Insert, Some(&new[b].1)),
            })?;
            a += usize::from(order != Ordering::Greater);
            b += usize::from(order != Ordering::Less);
        }
    }

    /// Of arrays that begin and end alike, what is between is compared by place.
    fn elements(&mut self, old: &[Dom], new: &[Dom]) -> Option<()> {
        let shorter = old.len().min(new.len());
        let alike = |(a, b): &(&Dom, &Dom)| same(a, b);
        let begin = old.iter().zip(new).take_while(alike).count();
        let end = old.iter().rev().zip(new.iter().rev()).take(shorter - begin);
        let end = end.take_while(alike).count();
        for at in begin..shorter - end {
            self.at(cell(at), |w| w.between(&old[at], &new[at]))?;
        }
        let from = shorter - end;
        for _ in from..old.len() - end {
            self.at(cell(from), |w| w.put(JsonOp::Remove, None))?;
        }
        for (at, is) in new.iter().enumerate().take(new.len() - end).skip(from) {
            self.at(cell(at), |w| w.put(JsonOp::Insert, Some(is)))?;
        }
        Some(())
    }

    fn at(&mut self, leg: Leg, go: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        let len = self.path.len();
        Path::write_leg(&leg, &mut self.path);
        go(self)?;
        self.path.truncate(len);
        Some(())
    }

    fn put(&mut self, op: JsonOp, value: Option<&Dom>) -> Option<()> {
        let value = match value {
            Some(value) => logged(value).ok()?,
            None => Vec::new(),
        };
        let diff = JsonDiff { op, path: &self.path, value: &value };
        encode::document_change(&diff, &mut self.out);
        (self.out.len() < self.most).then_some(())
    }
}

fn cell(at: usize) -> Leg {
    Leg::Cell(Cell { n: at as u32, from_end: false })
}

/// They have the same bytes. Numbers that are equal may have others: 1.0 and 1.00, or the two zeros.
fn same(a: &Dom, b: &Dom) -> bool {
    match (a, b) {
        (Dom::Double(a), Dom::Double(b)) => a.to_bits() == b.to_bits(),
        (Dom::Decimal(a), Dom::Decimal(b)) => a.to_string() == b.to_string(),
        (Dom::Array(a), Dom::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Dom::Object(a), Dom::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
        }
        _ => a == b,
    }
}
