//! Groups of rows by the vectors of their keys. A key is two numbers at most: those of columns of numbers and dates, and for texts the number
//! that a dictionary gives to all texts that are equal in the column's collation.

use super::GroupOf;
use super::column::{Column, Columns, Kind};
use super::constants::Constants;
use super::dictionary::Dictionary;
use crate::func::aggregate::key_of;
use crate::memory::Held;
use crate::query::eval::Ev;
use crate::query::exec::group::Groups;
use crate::query::expr::BExpr;
use crate::value::key_hash::KeyHash;
use crate::value::{Value, ValueError};
use std::collections::HashMap;

/// The numbers of the key's columns, and a bit for each that is NULL.
pub type GroupKey = [u64; 3];

/// Keys of more columns are made row by row.
pub const KEYS: usize = 2;
/// In place of a group: the row is to be put aside.
pub const ASIDE: u32 = u32::MAX;

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
    One {
        groups: HashMap<u64, u32, KeyHash>,
        null: Option<u32>,
    },
    /// The numbers of texts, which have no gaps.
    Text {
        groups: Vec<u32>,
        null: Option<u32>,
    },
    More(HashMap<GroupKey, u32, KeyHash>),
}

impl Table {
    #[inline]
    fn get(&self, key: &GroupKey) -> Option<u32> {
        match self {
            Table::One { null, .. } | Table::Text { null, .. } if key[KEYS] != 0 => *null,
            Table::One { groups, .. } => groups.get(&key[0]).copied(),
            Table::Text { groups, .. } => {
                groups.get(key[0] as usize).copied().filter(|group| *group != ASIDE)
            }
            Table::More(groups) => groups.get(key).copied(),
        }
    }

    fn put(&mut self, key: GroupKey, group: u32) {
        match self {
            Table::One { null, .. } | Table::Text { null, .. } if key[KEYS] != 0 => {
                *null = Some(group);
            }
            Table::One { groups, .. } => {
                groups.insert(key[0], group);
            }
            Table::Text { groups, .. } => {
                let at = key[0] as usize;
                if groups.len() <= at {
                    groups.resize(at + 1, ASIDE);
                }
                groups[at] = group;
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
            Table::Text { .. } => size_of::<u32>(),
            Table::More(_) => size_of::<(GroupKey, u32)>(),
        }
    }

    fn all(&self) -> Vec<(GroupKey, u32)> {
        match self {
            Table::One { groups, null } => {
                let others = groups.iter().map(|(n, group)| ([*n, 0, 0], *group));
                others.chain(null.map(|group| ([0, 0, 1], group))).collect()
            }
            Table::Text { groups, null } => {
                let numbers = groups.iter().enumerate().filter(|(_, group)| **group != ASIDE);
                let others = numbers.map(|(n, group)| ([n as u64, 0, 0], *group));
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

impl Keys {
    /// `None`: the keys have no vectors. `streams`: the rows of a group come one behind the other.
    pub fn of(
        (keys, streams): (&[BExpr], bool),
        columns: &mut Columns<'_>,
        cx: &mut Constants<'_, '_, '_>,
    ) -> Option<Keys> {
        if keys.len() > KEYS {
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
        let groups = match &of[..] {
            [KeyColumn { texts: Some(_), .. }] => Table::Text { groups: Vec::new(), null: None },
            [_] => Table::One { groups: HashMap::default(), null: None },
            _ => Table::More(HashMap::default()),
        };
        Some(Keys { of, groups, last: None, streams })
    }

    pub fn columns(&self, out: &mut Vec<usize>) {
        out.extend(self.of.iter().map(|k| k.column));
    }

    /// The vector of the `n`-th column of the key.
    pub fn column<'c>(&self, n: usize, columns: &'c Columns<'_>) -> &'c Column {
        &columns.list[self.of[n].column]
    }

    /// The text of the `n`-th column of a group's first row; none: it is a number.
    pub fn text(&self, n: usize, first: &GroupKey) -> Option<&[u8]> {
        Some(self.of[n].texts.as_ref()?.spelling(first[n]))
    }

    /// The key of a group's first row, with the numbers of spellings instead of those of texts: each group shows its own.
    fn spelled(
        &mut self,
        key: &GroupKey,
        (columns, row): (&Columns<'_>, u32),
        (groups, ev): (&mut Groups<'_>, &Ev<'_>),
    ) -> Result<GroupKey, ValueError> {
        let mut first = *key;
        for (n, k) in self.of.iter_mut().enumerate() {
            if let Some(texts) = &mut k.texts
                && key[KEYS] & 1 << n == 0
            {
                let text = (columns.list[k.column].text(row), key[n]);
                first[n] = texts.spelling_of(text, groups.held(), ev)?;
            }
        }
        Ok(first)
    }

    /// The key of a row; none: no other group begins, and a text of the row is in none.
    #[inline]
    fn key(
        &mut self,
        (columns, row): (&Columns<'_>, u32),
        closed: bool,
        (groups, ev): (&mut Groups<'_>, &Ev<'_>),
    ) -> Result<Option<GroupKey>, ValueError> {
        let mut key: GroupKey = [0; 3];
        for (n, k) in self.of.iter_mut().enumerate() {
            let c = &columns.list[k.column];
            if c.is_null(row) {
                key[KEYS] |= 1 << n;
                continue;
            }
            key[n] = match &mut k.texts {
                Some(texts) if closed => match texts.known(c.text(row)) {
                    Some(number) => number,
                    None => return Ok(None),
                },
                Some(texts) => texts.number(c.text(row), groups.held(), ev)?,
                // Zero and minus zero are one group.
                None if c.kind == Kind::Real => (c.real(row) + 0.0).to_bits(),
                None => c.number(row) as u64,
            };
        }
        Ok(Some(key))
    }

    /// Finds the groups of the selected rows, and begins those that a row is the first of.
    pub fn find(
        &mut self,
        columns: &Columns<'_>,
        selected: &[u32],
        (groups, ev): (&mut Groups<'_>, &Ev<'_>),
        mut to: GroupOf<'_>,
        out: &mut Vec<u32>,
    ) -> Result<(), ValueError> {
        out.clear();
        let closed = to.is_closed();
        for (at, &row) in selected.iter().enumerate() {
            let key = self.key((columns, row), closed, (&mut *groups, ev))?;
            // The last row's group is often the next one's.
            let group = match (key, self.last) {
                (None, _) => ASIDE,
                (Some(key), Some((known, group))) if known == key => group,
                (Some(key), _) => match self.known(&key) {
                    Some(group) => group,
                    None if closed => ASIDE,
                    None => {
                        let entry = if self.streams { 0 } else { self.groups.entry() };
                        ev.cx.hold(groups.held(), entry)?;
                        let group = match &mut to {
                            GroupOf::Rows(rows) => {
                                let row = rows.map_or(&[][..], |rows| rows.row(at as u32));
                                groups.begin(row, ev)?
                            }
                            GroupOf::Numbers(compact) => {
                                let of = (columns, row);
                                compact.begin(self.spelled(&key, of, (&mut *groups, ev))?)
                            }
                        };
                        if !self.streams {
                            self.groups.put(key, group);
                        }
                        group
                    }
                },
            };
            if let Some(key) = key.filter(|_| group != ASIDE) {
                self.last = Some((key, group));
            }
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

    /// All groups have gone out but that of the last row, which is the first one from now on. `first`: the key of its first row, if it was
    /// kept; gives what that is now.
    pub fn keep_last(
        &mut self,
        first: Option<GroupKey>,
        held: &mut Held,
        ev: &Ev<'_>,
    ) -> Result<Option<GroupKey>, ValueError> {
        let Some((key, group)) = &mut self.last else { return Ok(None) };
        *group = 0;
        for (n, k) in self.of.iter_mut().enumerate() {
            let Some(texts) = &mut k.texts else { continue };
            if key[KEYS] & 1 << n != 0 {
                *texts = Dictionary::new(texts.collation);
            } else {
                let text = match &first {
                    Some(first) => texts.spelling(first[n]),
                    None => texts.first(key[n]),
                }
                .to_vec();
                // The only text there is has the first number, and so has its spelling.
                key[n] = texts.keep(&text, held, ev)?;
            }
        }
        Ok(first.map(|_| *key))
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
                    _ if key[KEYS] & 1 << n != 0 => Value::Null,
                    Some(texts) => Value::text(texts.first(key[n]), texts.collation),
                    None => c.value(key[n] as i64),
                };
                key_of(&value, &c.ty, &mut bytes);
            }
            take(group, bytes)?;
        }
        Ok(())
    }
}
