//! Groups of rows by the vectors of their keys. A key is two numbers at most: those of columns of numbers and dates, and for texts the number
//! that a dictionary gives to all texts that are equal in the column's collation.

use super::column::{Columns, Kind};
use super::constants::Constants;
use crate::func::aggregate::key_of;
use crate::memory::Held;
use crate::query::eval::Ev;
use crate::query::eval::packed::PackedRows;
use crate::query::exec::group::Groups;
use crate::query::expr::BExpr;
use crate::value::key_hash::KeyHash;
use crate::value::{Collation, Value, ValueError};
use std::collections::HashMap;

/// The numbers of the key's columns, and a bit for each that is NULL.
type GroupKey = [u64; 3];

/// Keys of more columns are made row by row.
const MOST: usize = 2;
/// Spellings that a dictionary remembers. More of them are looked up by their weights.
const SPELLINGS: usize = 1 << 16;

pub struct Keys {
    of: Vec<KeyColumn>,
    groups: Table,
    /// The key of the last row, and its group.
    last: Option<(GroupKey, u32)>,
    /// The rows of a group come one behind the other: a key that differs from the last one is new.
    streams: bool,
}

/// Groups by their keys. Most keys are one column, whose number is enough.
enum Table {
    One { groups: HashMap<u64, u32, KeyHash>, null: Option<u32> },
    More(HashMap<GroupKey, u32, KeyHash>),
}

impl Table {
    #[inline]
    fn get(&self, key: &GroupKey) -> Option<u32> {
        match self {
            Table::One { null, .. } if key[MOST] != 0 => *null,
            Table::One { groups, .. } => groups.get(&key[0]).copied(),
            Table::More(groups) => groups.get(key).copied(),
        }
    }

    fn put(&mut self, key: GroupKey, group: u32) {
        match self {
            Table::One { null, .. } if key[MOST] != 0 => *null = Some(group),
            Table::One { groups, .. } => {
                groups.insert(key[0], group);
            }
            Table::More(groups) => {
                groups.insert(key, group);
            }
        }
    }

    /// Bytes that a group takes here: a map is half full.
    fn entry(&self) -> usize {
        2 * match self {
            Table::One { .. } => size_of::<(u64, u32)>(),
            Table::More(_) => size_of::<(GroupKey, u32)>(),
        }
    }

    fn all(&self) -> Vec<(GroupKey, u32)> {
        match self {
            Table::One { groups, null } => {
                let others = groups.iter().map(|(n, group)| ([*n, 0, 0], *group));
                others.chain(null.map(|group| ([0, 0, 1], group))).collect()
            }
            Table::More(groups) => groups.iter().map(|(key, group)| (*key, *group)).collect(),
        }
    }
}

struct KeyColumn {
    column: usize,
    texts: Option<Dictionary>,
}

/// Numbers of texts.
struct Dictionary {
    collation: Collation,
    spellings: HashMap<Vec<u8>, u64, KeyHash>,
    weights: HashMap<Vec<u8>, u64, KeyHash>,
    /// For each number the text that came first.
    firsts: Vec<Vec<u8>>,
    scratch: Vec<u8>,
}

impl Dictionary {
    fn new(collation: Collation) -> Dictionary {
        Dictionary {
            collation,
            spellings: HashMap::default(),
            weights: HashMap::default(),
            firsts: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Forgets all texts but the one with this number, whose new number it returns.
    fn keep(&mut self, number: u64, held: &mut Held, ev: &Ev<'_>) -> Result<u64, ValueError> {
        let text = self.firsts.swap_remove(number as usize);
        self.firsts.clear();
        self.weights.clear();
        self.spellings.clear();
        self.number(&text, held, ev)
    }

    fn number(&mut self, text: &[u8], held: &mut Held, ev: &Ev<'_>) -> Result<u64, ValueError> {
        if let Some(n) = self.spellings.get(text) {
            return Ok(*n);
        }
        self.scratch.clear();
        self.collation.weights(text, &mut self.scratch);
        let n = match self.weights.get(&self.scratch) {
            Some(n) => *n,
            None => {
                let n = self.weights.len() as u64;
                ev.cx.hold(held, entry(&self.scratch) + entry(text))?;
                self.weights.insert(self.scratch.clone(), n);
                self.firsts.push(text.to_vec());
                n
            }
        };
        if self.spellings.len() < SPELLINGS {
            ev.cx.hold(held, entry(text))?;
            self.spellings.insert(text.to_vec(), n);
        }
        Ok(n)
    }
}

/// Bytes that a text takes in a dictionary.
fn entry(text: &[u8]) -> usize {
    size_of::<(Vec<u8>, u64)>() + text.len()
}

impl Keys {
    /// `None`: the keys have no vectors. `streams`: the rows of a group come one behind the other.
    pub fn of(
        (keys, streams): (&[BExpr], bool),
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Keys> {
        if keys.len() > MOST {
            return None;
        }
        let mut of = Vec::new();
        for key in keys {
            let column = columns.place(key, cx)?;
            let texts = match columns.list[column].kind {
                Kind::Text(collation) => Some(Dictionary::new(collation)),
                _ => None,
            };
            of.push(KeyColumn { column, texts });
        }
        let groups = match of.len() {
            1 => Table::One { groups: HashMap::default(), null: None },
            _ => Table::More(HashMap::default()),
        };
        Some(Keys { of, groups, last: None, streams })
    }

    pub fn columns(&self, out: &mut Vec<usize>) {
        out.extend(self.of.iter().map(|k| k.column));
    }

    /// Finds the groups of the selected rows, and begins those that a row is the first of. `rows`: the selected rows, if groups keep theirs.
    pub fn find(
        &mut self,
        columns: &Columns<'_>,
        selected: &[u32],
        (groups, ev): (&mut Groups<'_>, &Ev<'_>),
        rows: Option<&PackedRows>,
        out: &mut Vec<u32>,
    ) -> Result<(), ValueError> {
        out.clear();
        for (at, &row) in selected.iter().enumerate() {
            let mut key: GroupKey = [0; 3];
            for (n, k) in self.of.iter_mut().enumerate() {
                let c = &columns.list[k.column];
                if c.is_null(row) {
                    key[MOST] |= 1 << n;
                    continue;
                }
                key[n] = match &mut k.texts {
                    Some(texts) => texts.number(c.text(row), groups.held(), ev)?,
                    // Zero and minus zero are one group.
                    None if c.kind == Kind::Real => (c.real(row) + 0.0).to_bits(),
                    None => c.number(row) as u64,
                };
            }
            // The last row's group is often the next one's.
            let group = match self.last {
                Some((known, group)) if known == key => group,
                _ => match self.known(&key) {
                    Some(group) => group,
                    None => {
                        ev.cx.hold(
                            groups.held(),
                            if self.streams { 0 } else { self.groups.entry() },
                        )?;
                        let group =
                            groups.begin(rows.map_or(&[], |rows| rows.row(at as u32)), ev)?;
                        if !self.streams {
                            self.groups.put(key, group);
                        }
                        group
                    }
                },
            };
            self.last = Some((key, group));
            out.push(group);
        }
        Ok(())
    }

    /// The rows of a group do not come one behind the other after all.
    pub fn disorder(&mut self) {
        self.streams = false;
    }

    #[inline]
    fn known(&self, key: &GroupKey) -> Option<u32> {
        if self.streams { None } else { self.groups.get(key) }
    }

    /// All groups have gone out but that of the last row, which is the first one from now on.
    pub fn keep_last(&mut self, held: &mut Held, ev: &Ev<'_>) -> Result<(), ValueError> {
        let Some((key, group)) = &mut self.last else { return Ok(()) };
        *group = 0;
        for (n, k) in self.of.iter_mut().enumerate() {
            let Some(texts) = &mut k.texts else { continue };
            if key[MOST] & 1 << n != 0 {
                *texts = Dictionary::new(texts.collation);
            } else {
                key[n] = texts.keep(key[n], held, ev)?;
            }
        }
        Ok(())
    }

    /// Each group with its key as groups are found by row by row.
    pub fn each(
        &self,
        columns: &Columns<'_>,
        mut take: impl FnMut(u32, Vec<u8>) -> Result<(), ValueError>,
    ) -> Result<(), ValueError> {
        for (key, group) in self.groups.all() {
            let mut bytes = Vec::new();
            for (n, k) in self.of.iter().enumerate() {
                let c = &columns.list[k.column];
                let value = match &k.texts {
                    _ if key[MOST] & 1 << n != 0 => Value::Null,
                    Some(texts) => Value::text(&texts.firsts[key[n] as usize][..], texts.collation),
                    None => c.value(key[n] as i64),
                };
                key_of(&value, &c.ty, &mut bytes);
            }
            take(group, bytes)?;
        }
        Ok(())
    }
}
