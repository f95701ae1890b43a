//! How a table's rows are spread over partitions, as it is kept with the table's definition.
//!
//! The engine's partitions are the *leaves*: the partitions, or, where those are divided again, the subpartitions of the first one, then
//! those of the second one, and so on.
//!
//! Invariant: leaf `i` here is partition `i` of the engine's table.

use super::TableMeta;
use crate::value::DatumBuf;
use std::collections::HashMap;
use std::ops::Range;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{KeyPartType, encode_datum};

/// The most partitions that a table can have, subpartitions counted.
pub const MAX_PARTITIONS: usize = 8192;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Range,
    List,
    RangeColumns,
    ListColumns,
    Hash {
        linear: bool,
    },
    /// `algorithm`: 1 was asked for, which SHOW CREATE TABLE repeats.
    Key {
        linear: bool,
        old: bool,
    },
}

impl Method {
    /// As information_schema has it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Range => "RANGE",
            Method::List => "LIST",
            Method::RangeColumns => "RANGE COLUMNS",
            Method::ListColumns => "LIST COLUMNS",
            Method::Hash { linear: false } => "HASH",
            Method::Hash { linear: true } => "LINEAR HASH",
            Method::Key { linear: false, .. } => "KEY",
            Method::Key { linear: true, .. } => "LINEAR KEY",
        }
    }

    /// RANGE or LIST, for messages.
    pub fn kind(self) -> &'static str {
        match self {
            Method::Range | Method::RangeColumns => "RANGE",
            Method::List | Method::ListColumns => "LIST",
            Method::Hash { .. } => "HASH",
            Method::Key { .. } => "KEY",
        }
    }

    pub fn is_range(self) -> bool {
        matches!(self, Method::Range | Method::RangeColumns)
    }

    pub fn is_list(self) -> bool {
        matches!(self, Method::List | Method::ListColumns)
    }

    /// Every row has a partition, and their number is all there is to say.
    pub fn is_hash(self) -> bool {
        matches!(self, Method::Hash { .. } | Method::Key { .. })
    }

    /// By an expression, not by a list of columns.
    pub fn has_expr(self) -> bool {
        matches!(self, Method::Range | Method::List | Method::Hash { .. })
    }
}

/// What a partition's VALUES clause says. A value is the datum of the column that it is compared with, or a number where the table is
/// partitioned by an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    None,
    /// `None` is MAXVALUE.
    LessThan(Vec<Option<DatumBuf>>),
    In(Vec<Vec<DatumBuf>>),
}

/// A partition, or a subpartition, which has neither values nor subpartitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    pub name: String,
    pub values: Values,
    pub comment: String,
    pub max_rows: u64,
    pub min_rows: u64,
    /// As many in each partition as [`Subpartitioning::count`] says; none where partitions are not divided again.
    pub subparts: Vec<Partition>,
}

/// What a row's partition, or its subpartition, follows from.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub method: Method,
    /// The kept text of the expression; empty where there is none.
    pub expr: String,
    /// The columns of the list, or those that the expression names.
    pub columns: Vec<usize>,
    /// `KEY ()`: the columns are those of the primary key.
    pub implied: bool,
}

/// What was said of the subpartitions, which SHOW CREATE TABLE repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    Nothing,
    /// SUBPARTITIONS n.
    Number,
    /// A list of definitions for each partition.
    Names,
}

/// SUBPARTITION BY: all partitions are divided alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Subpartitioning {
    pub function: Function,
    /// In each partition.
    pub count: usize,
    pub given: Given,
}

/// PARTITION BY.
#[derive(Debug, Clone, PartialEq)]
pub struct Partitioning {
    pub function: Function,
    /// Only their number was given: SHOW CREATE TABLE writes no definitions.
    pub numbered: bool,
    pub parts: Vec<Partition>,
    pub sub: Option<Subpartitioning>,
}

impl Partitioning {
    /// Subpartitions in each partition; a partition that is not divided is its only one.
    pub fn per_part(&self) -> usize {
        self.sub.as_ref().map_or(1, |s| s.count)
    }

    /// The engine's partitions.
    pub fn leaves(&self) -> usize {
        self.parts.len() * self.per_part()
    }

    /// Those of partition `at`.
    pub fn leaves_of(&self, at: usize) -> Range<usize> {
        let n = self.per_part();
        at * n..(at + 1) * n
    }

    /// The partition of a leaf, and its subpartition, if partitions are divided.
    pub fn leaf(&self, at: usize) -> Option<(&Partition, Option<&Partition>)> {
        let n = self.per_part();
        let part = self.parts.get(at / n)?;
        Some((part, part.subparts.get(at % n)))
    }

    /// A leaf's name as EXPLAIN has it.
    pub fn leaf_name(&self, at: usize) -> Option<String> {
        self.leaf(at).map(|(part, sub)| match sub {
            None => part.name.clone(),
            Some(sub) => format!("{}_{}", part.name, sub.name),
        })
    }

    /// The columns that a row's leaf follows from; one that both functions have comes twice.
    pub fn all_columns(&self) -> impl Iterator<Item = usize> {
        let sub = self.sub.iter().flat_map(|s| &s.function.columns);
        self.function.columns.iter().chain(sub).copied()
    }

    /// Both functions, where there are two.
    pub fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        std::iter::once(&mut self.function).chain(self.sub.iter_mut().map(|s| &mut s.function))
    }

    /// Positions of partitions by name, in any letter case, in the order of the names; the first one that is no partition's is the
    /// error.
    pub fn positions<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<Vec<usize>, &'n str> {
        look_up(names, || self.parts.iter().enumerate().map(|(at, p)| (p.name.as_str(), at)))
    }

    /// The leaves that names of partitions and of subpartitions mean.
    pub fn leaves_named<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<Vec<Range<usize>>, &'n str> {
        let parts =
            || self.parts.iter().enumerate().map(|(at, p)| (p.name.as_str(), self.leaves_of(at)));
        let subparts = || {
            let all = self.parts.iter().flat_map(|p| &p.subparts).enumerate();
            all.map(|(at, p)| (p.name.as_str(), at..at + 1))
        };
        look_up(names, || parts().chain(subparts()))
    }
}

/// What names in any letter case stand for; the first one that stands for nothing is the error.
fn look_up<'n, 'k, T: Clone, I: Iterator<Item = (&'k str, T)>>(
    names: impl Iterator<Item = &'n str>,
    known: impl Fn() -> I,
) -> Result<Vec<T>, &'n str> {
    let names: Vec<&str> = names.collect();
    // For a few a search each is less work than a map of thousands.
    if names.len() <= 8 {
        let one = |n: &'n str| known().find(|(k, _)| super::same_name(k, n)).ok_or(n);
        return names.into_iter().map(|n| one(n).map(|(_, found)| found)).collect();
    }
    let all: HashMap<String, T> = known().map(|(k, found)| (k.to_lowercase(), found)).collect();
    names.into_iter().map(|n| all.get(&n.to_lowercase()).cloned().ok_or(n)).collect()
}

/// Columns of a table whose values are compared as index keys are.
pub fn part_type(table: &TableMeta, column: usize) -> KeyPartType {
    let phys = table.columns[column].phys();
    KeyPartType::asc(phys.ty, phys.nullable)
}

/// A number in bytes that order as numbers do.
pub fn number_key(d: &DatumBuf) -> Option<Vec<u8>> {
    let n = match d {
        DatumBuf::Null => return Some(vec![0]),
        DatumBuf::Int(n) => i128::from(*n),
        DatumBuf::UInt(n) => i128::from(*n),
        _ => return None,
    };
    let mut out = vec![1];
    out.extend_from_slice(&((n as u128) ^ (1 << 127)).to_be_bytes());
    Some(out)
}

/// The values of a tuple in the bytes of an index key. None: a value that the columns cannot have.
pub fn key_of(f: &Function, table: &TableMeta, tuple: &[DatumBuf]) -> Option<Vec<u8>> {
    if f.method.has_expr() {
        return number_key(tuple.first()?);
    }
    let mut out = Vec::new();
    for (c, d) in f.columns.iter().zip(tuple) {
        encode_datum(&part_type(table, *c), d.as_ref(), &mut out).ok()?;
    }
    Some(out)
}

/// The key behind all keys of a RANGE partition; none where there is no end.
pub fn end_of(f: &Function, table: &TableMeta, bound: &[Option<DatumBuf>]) -> Option<Vec<u8>> {
    let known: Vec<DatumBuf> = bound.iter().map_while(Clone::clone).collect();
    if known.is_empty() {
        return None;
    }
    let key = key_of(f, table, &known)?;
    // Behind MAXVALUE nothing counts: every key that begins so is inside.
    if known.len() < bound.len() { prefix_successor(&key) } else { Some(key) }
}
