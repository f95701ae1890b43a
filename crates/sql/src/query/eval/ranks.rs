//! What rows are worth to a search.

use super::frame::Frame;
use super::{Ev, eval};
use crate::memory::Held;
use crate::query::expr::BExpr;
use crate::query::fulltext::by_row::Question;
use crate::value::{Collation, Value, ValueError};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

/// Bytes that a row in a set, or in the map, takes beside its own.
pub const ENTRY: usize = 96;

/// What rows are worth, by their texts; those that are not there are worth nothing.
#[derive(Default)]
pub struct Ranks {
    pub by_text: HashMap<u128, f32>,
    pub _held: Held,
}

impl std::fmt::Debug for Ranks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ranks({})", self.by_text.len())
    }
}

/// 128 bits of the texts of a row's columns.
pub fn hash_of(texts: &[Value<'_>]) -> u128 {
    let half = |salt: u8| {
        let mut h = DefaultHasher::new();
        h.write_u8(salt);
        for t in texts {
            match t.as_bytes() {
                Some(b) => {
                    h.write_usize(b.len());
                    h.write(b);
                }
                None => h.write_usize(usize::MAX),
            }
        }
        u128::from(h.finish())
    };
    half(1) << 64 | half(2)
}

/// A question that is put to each row.
#[derive(Debug)]
pub struct Asked {
    /// `None`: AGAINST is NULL.
    pub question: Option<Question>,
    pub collation: Collation,
    pub _held: Held,
}

impl Asked {
    /// What a row is worth: its columns are one text with spaces between them, without those that are NULL.
    pub fn of<'v>(
        &self,
        columns: &'v [BExpr],
        f: &Frame<'v>,
        ev: &mut Ev<'_>,
    ) -> Result<Value<'v>, ValueError> {
        let Some(question) = &self.question else { return Ok(Value::Double(0.0)) };
        let mut text = Vec::new();
        for (n, column) in columns.iter().enumerate() {
            let value = eval(column, f, ev)?;
            if let Some(t) = value.to_text_in(self.collation) {
                if n > 0 && !text.is_empty() {
                    text.push(b' ');
                }
                text.extend_from_slice(&t);
            }
        }
        ev.cx.work(64 + text.len())?;
        Ok(Value::Double(f64::from(question.rank(&text))))
    }
}

impl Ranks {
    /// What a row is worth.
    pub fn of<'v>(
        &self,
        columns: &'v [BExpr],
        f: &Frame<'v>,
        ev: &mut Ev<'_>,
    ) -> Result<Value<'v>, ValueError> {
        if self.by_text.is_empty() {
            return Ok(Value::Double(0.0));
        }
        let texts = columns.iter().map(|c| eval(c, f, ev)).collect::<Result<Vec<_>, _>>()?;
        let rank = self.by_text.get(&hash_of(&texts)).copied().unwrap_or(0.0);
        Ok(Value::Double(f64::from(rank)))
    }
}
