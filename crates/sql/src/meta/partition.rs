//! How a table's rows are spread over partitions, as it is kept with the table's definition.
//!
//! Invariant: partition `i` here is partition `i` of the engine's table.

use super::TableMeta;
use super::codec::{Reader, Writer, damaged};
use crate::session_api::SqlError;
use crate::value::DatumBuf;
use std::collections::HashMap;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{KeyPartType, encode_datum};

/// The most partitions that a table can have.
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

#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    pub name: String,
    pub values: Values,
    pub comment: String,
    pub max_rows: u64,
    pub min_rows: u64,
}

/// PARTITION BY.
#[derive(Debug, Clone, PartialEq)]
pub struct Partitioning {
    pub method: Method,
    /// The kept text of the expression; empty where there is none.
    pub expr: String,
    /// The columns of the list, or those that the expression names.
    pub columns: Vec<usize>,
    /// `KEY ()`: the columns are those of the primary key.
    pub implied: bool,
    /// Only their number was given: SHOW CREATE TABLE writes no definitions.
    pub numbered: bool,
    pub parts: Vec<Partition>,
}

impl Partitioning {
    /// Position of a partition by name, in any letter case.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.parts.iter().position(|p| super::same_name(&p.name, name))
    }

    /// The same of many names, in their order; the first one that is no partition's is the error.
    pub fn positions<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<Vec<usize>, &'n str> {
        let names: Vec<&str> = names.collect();
        // For a few a search each is less work than a map of thousands.
        if names.len() <= 8 {
            return names.into_iter().map(|n| self.position(n).ok_or(n)).collect();
        }
        let all = self.parts.iter().enumerate().map(|(at, p)| (p.name.to_lowercase(), at));
        let known: HashMap<String, usize> = all.collect();
        names.into_iter().map(|n| known.get(&n.to_lowercase()).copied().ok_or(n)).collect()
    }
}

fn put_datum(w: &mut Writer, d: &DatumBuf) {
    match d {
        DatumBuf::Null => w.u8(0),
        DatumBuf::Int(v) => {
            w.u8(1);
            w.u64(*v as u64);
        }
        DatumBuf::UInt(v) => {
            w.u8(2);
            w.u64(*v);
        }
        DatumBuf::Float(v) => {
            w.u8(3);
            w.u64(v.to_bits());
        }
        DatumBuf::Bytes(b) => {
            w.u8(4);
            w.bytes(b);
        }
    }
}

fn get_datum(r: &mut Reader<'_>) -> Result<DatumBuf, SqlError> {
    Ok(match r.u8()? {
        0 => DatumBuf::Null,
        1 => DatumBuf::Int(r.u64()? as i64),
        2 => DatumBuf::UInt(r.u64()?),
        3 => DatumBuf::Float(f64::from_bits(r.u64()?)),
        4 => DatumBuf::Bytes(r.bytes()?.to_vec()),
        _ => return Err(damaged()),
    })
}

/// `method u8 | str expr | u16 n, n u16 columns | u8 flags | u16 n, n partitions`; a partition is `str name | values | str comment |
/// u64 max rows | u64 min rows`.
pub(super) fn put(w: &mut Writer, p: &Partitioning) {
    w.u8(match p.method {
        Method::Range => 0,
        Method::List => 1,
        Method::RangeColumns => 2,
        Method::ListColumns => 3,
        Method::Hash { linear } => 4 + u8::from(linear),
        Method::Key { linear, old } => 6 + u8::from(linear) + 2 * u8::from(old),
    });
    w.str(&p.expr);
    w.count(p.columns.len());
    p.columns.iter().for_each(|c| w.u16(*c as u16));
    w.u8(u8::from(p.implied) | u8::from(p.numbered) << 1);
    w.count(p.parts.len());
    for part in &p.parts {
        w.str(&part.name);
        put_values(w, &part.values);
        w.str(&part.comment);
        w.u64(part.max_rows);
        w.u64(part.min_rows);
    }
}

fn put_values(w: &mut Writer, values: &Values) {
    match values {
        Values::None => w.u8(0),
        Values::LessThan(bound) => {
            w.u8(1);
            w.count(bound.len());
            for v in bound {
                w.u8(u8::from(v.is_none()));
                put_datum(w, v.as_ref().unwrap_or(&DatumBuf::Null));
            }
        }
        Values::In(list) => {
            w.u8(2);
            w.u32(list.len() as u32);
            for tuple in list {
                w.count(tuple.len());
                tuple.iter().for_each(|d| put_datum(w, d));
            }
        }
    }
}

fn get_values(r: &mut Reader<'_>) -> Result<Values, SqlError> {
    Ok(match r.u8()? {
        0 => Values::None,
        1 => Values::LessThan(r.list(|r| {
            let max = r.u8()? != 0;
            let d = get_datum(r)?;
            Ok((!max).then_some(d))
        })?),
        2 => {
            let n = r.u32()?;
            Values::In((0..n).map(|_| r.list(get_datum)).collect::<Result<_, _>>()?)
        }
        _ => return Err(damaged()),
    })
}

pub(super) fn get(r: &mut Reader<'_>, columns: usize) -> Result<Partitioning, SqlError> {
    let method = match r.u8()? {
        0 => Method::Range,
        1 => Method::List,
        2 => Method::RangeColumns,
        3 => Method::ListColumns,
        n @ 4..=5 => Method::Hash { linear: n == 5 },
        n @ 6..=9 => Method::Key { linear: n & 1 == 1, old: n >= 8 },
        _ => return Err(damaged()),
    };
    let expr = r.str()?;
    let list = r.list(|r| Ok(usize::from(r.u16()?)))?;
    let bits = r.u8()?;
    let parts = r.list(|r| {
        Ok(Partition {
            name: r.str()?,
            values: get_values(r)?,
            comment: r.str()?,
            max_rows: r.u64()?,
            min_rows: r.u64()?,
        })
    })?;
    if list.iter().any(|c| *c >= columns) || parts.is_empty() {
        return Err(damaged());
    }
    let (implied, numbered) = (bits & 1 != 0, bits & 2 != 0);
    Ok(Partitioning { method, expr, columns: list, implied, numbered, parts })
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
pub fn key_of(by: &Partitioning, table: &TableMeta, tuple: &[DatumBuf]) -> Option<Vec<u8>> {
    if by.method.has_expr() {
        return number_key(tuple.first()?);
    }
    let mut out = Vec::new();
    for (c, d) in by.columns.iter().zip(tuple) {
        encode_datum(&part_type(table, *c), d.as_ref(), &mut out).ok()?;
    }
    Some(out)
}

/// The key behind all keys of a RANGE partition; none where there is no end.
pub fn end_of(by: &Partitioning, table: &TableMeta, bound: &[Option<DatumBuf>]) -> Option<Vec<u8>> {
    let known: Vec<DatumBuf> = bound.iter().map_while(Clone::clone).collect();
    if known.is_empty() {
        return None;
    }
    let key = key_of(by, table, &known)?;
    // Behind MAXVALUE nothing counts: every key that begins so is inside.
    if known.len() < bound.len() { prefix_successor(&key) } else { Some(key) }
}
