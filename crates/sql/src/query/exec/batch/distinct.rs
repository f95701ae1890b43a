//! COUNT(DISTINCT column) of all rows: the numbers of a vector that have been seen, or that of the last row where equal ones come one behind the
//! other.
//!
//! What is seen is charged as the keys that single rows would keep. When it has no more room it becomes those keys, and the rest of the rows come
//! one by one.

use super::column::{Columns, Kind};
use super::constants::Constants;
use super::dictionary::Dictionary;
use crate::func::aggregate::{AggKind, AggSpec};
use crate::memory::Held;
use crate::query::eval::Ev;
use crate::query::exec::distinct::KEY;
use crate::query::expr::BExpr;
use crate::value::key_hash::KeyHash;
use crate::value::{Value, ValueError};
use std::collections::HashSet;

/// Bytes of a number's key.
const NUMBER: usize = KEY + 32;

pub struct DistinctCount {
    pub column: usize,
    /// Equal values come one behind the other.
    adjacent: bool,
    numbers: HashSet<u64, KeyHash>,
    texts: Option<Dictionary>,
    last: Option<u64>,
    last_text: Option<Vec<u8>>,
    count: i64,
}

impl DistinctCount {
    /// None: another aggregate, or one whose argument has no vector.
    pub fn of(
        (spec, args): (&AggSpec, &[BExpr]),
        adjacent: bool,
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<DistinctCount> {
        let [arg] = args else { return None };
        if spec.kind != AggKind::Count {
            return None;
        }
        let column = columns.place(arg, cx)?;
        let texts = match columns.list[column].kind {
            // Values of an ENUM are equal by their numbers, unless there is no member.
            Kind::Member => return None,
            Kind::Text(collation) => Some(Dictionary::new(collation)),
            _ => None,
        };
        Some(DistinctCount {
            column,
            adjacent,
            numbers: HashSet::default(),
            texts,
            last: None,
            last_text: None,
            count: 0,
        })
    }

    pub fn count(&self) -> i64 {
        self.count
    }

    /// Equal values do not come one behind the other after all. Before the first of them.
    pub fn disorder(&mut self) {
        self.adjacent = false;
    }

    pub fn add(
        &mut self,
        columns: &Columns<'_>,
        selected: &[u32],
        (held, ev): (&mut Held, &Ev<'_>),
    ) -> Result<(), ValueError> {
        let c = &columns.list[self.column];
        for &row in selected.iter().filter(|row| !c.is_null(**row)) {
            let new = match (&mut self.texts, c.kind) {
                (Some(texts), _) if self.adjacent => {
                    let text = c.text(row);
                    let known = self.last_text.as_ref();
                    let new = known.is_none_or(|last| !texts.collation.eq(last, text));
                    if new {
                        let last = self.last_text.get_or_insert_default();
                        last.clear();
                        last.extend_from_slice(text);
                    }
                    new
                }
                (Some(texts), _) => {
                    let before = texts.len();
                    texts.number(c.text(row), held, ev)?;
                    let new = texts.len() > before;
                    if new {
                        ev.cx.hold(held, KEY)?;
                    }
                    new
                }
                (None, kind) => {
                    // Zero and minus zero are one value.
                    let number = match kind {
                        Kind::Real => (c.real(row) + 0.0).to_bits(),
                        _ => c.number(row) as u64,
                    };
                    let repeated = self.last == Some(number);
                    self.last = Some(number);
                    let new = !repeated && (self.adjacent || self.numbers.insert(number));
                    if new && !self.adjacent {
                        ev.cx.hold(held, NUMBER)?;
                    }
                    new
                }
            };
            self.count += i64::from(new);
        }
        Ok(())
    }

    /// All values that were seen, for those who go on without vectors.
    pub fn each(
        &self,
        columns: &Columns<'_>,
        mut take: impl FnMut(Value<'_>) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        let c = &columns.list[self.column];
        for number in &self.numbers {
            take(c.value(*number as i64))?;
        }
        let Some(texts) = &self.texts else { return Ok(()) };
        for number in 0..texts.len() as u64 {
            take(Value::text(texts.first(number), texts.collation))?;
        }
        Ok(())
    }
}
