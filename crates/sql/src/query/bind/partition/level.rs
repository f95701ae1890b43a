//! One level of a table's partitioning, bound: from a row's values to its partition, or to its subpartition within that.

use crate::ddl::expression;
use crate::errno;
use crate::func::facts::Id;
use crate::meta::TableMeta;
use crate::meta::partition::{self, Function, Method, Partition, Values, part_type};
use crate::query::bind::Binder;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::shape::Shape;
use crate::session_api::SqlError;
use crate::value::{DatumBuf, SqlMode, SqlType, TimeZone, Value, ValueError, Warnings};
use std::collections::HashMap;
use weir_engine::row::encode_datum;

/// How the value of the expression follows its only column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rising {
    /// It is the column, an integer.
    Same,
    Days,
    Seconds,
    Unix,
    Year,
}

/// The function of one level, bound: that of the partitions, or that of the subpartitions in each of them.
pub struct Level {
    pub(super) by: Function,
    /// The partitions of this level.
    pub n: usize,
    expr: Option<BExpr>,
    shapes: [Shape; 1],
    pub(super) rising: Option<Rising>,
    /// Of RANGE: the key behind each partition.
    pub(super) ends: Vec<Option<Vec<u8>>>,
    /// Of LIST: the partition of each key.
    pub(super) lists: HashMap<Vec<u8>, usize>,
}

impl Level {
    /// `what`: PARTITION or SUBPARTITION, for messages.
    pub fn bind(
        b: &mut Binder<'_>,
        what: &str,
        by: &Function,
        n: usize,
        table: &TableMeta,
    ) -> Result<Level, SqlError> {
        let mut expr = None;
        if by.method.has_expr() {
            b.place("partition function");
            let e = b.numeric(&expression::parse(&by.expr)?)?;
            if !matches!(e.info.ty, SqlType::Int { .. } | SqlType::Year | SqlType::Bit { .. }) {
                return Err(SqlError::of(errno::ER_PARTITION_FUNC_NOT_ALLOWED_ERROR, &[&what]));
            }
            expr = Some(e);
        }
        let shapes = [Shape::Values(table.columns.iter().map(|c| c.ty).collect())];
        let rising = expr.as_ref().and_then(|e| rising(e, table));
        let (ends, lists) = (Vec::new(), HashMap::new());
        Ok(Level { by: by.clone(), n, expr, shapes, rising, ends, lists })
    }

    /// The values of RANGE and LIST partitions.
    pub fn with_values(mut self, parts: &[Partition], table: &TableMeta) -> Level {
        for (n, p) in parts.iter().enumerate() {
            match &p.values {
                Values::None => {}
                Values::LessThan(bound) => {
                    self.ends.push(partition::end_of(&self.by, table, bound));
                }
                Values::In(list) => {
                    let keys = list.iter().filter_map(|t| partition::key_of(&self.by, table, t));
                    self.lists.extend(keys.map(|k| (k, n)));
                }
            }
        }
        self
    }

    /// The value of the expression; NULL too where it is not one that counts.
    pub(super) fn number(
        &self,
        table: &TableMeta,
        get: &dyn Fn(usize) -> DatumBuf,
        ev: &mut Ev<'_>,
    ) -> Result<DatumBuf, ValueError> {
        if self.rising == Some(Rising::Same) {
            return Ok(get(self.by.columns[0]));
        }
        let Some(e) = &self.expr else { return Ok(DatumBuf::Null) };
        let mut row = vec![Value::Null; table.columns.len()];
        for c in &self.by.columns {
            row[*c] = table.columns[*c].ty.load(get(*c).as_ref(), TimeZone::UTC).into_owned();
        }
        let slots = [Slot::Values(row)];
        let frame = Frame { shapes: &self.shapes, slots: &slots, ..Frame::empty(&[]) };
        let warnings = std::mem::replace(&mut ev.cx.warnings, Warnings::with_limit(0));
        // Neither the session's mode nor the day may move a row.
        let set = (TimeZone::UTC, false, SqlMode::default(), 0);
        let cx = &mut ev.cx;
        let before = (cx.tz, cx.strict_dml, cx.mode, cx.now_micros);
        (cx.tz, cx.strict_dml, cx.mode, cx.now_micros) = set;
        let v = eval(e, &frame, ev).map(Value::into_owned);
        let cx = &mut ev.cx;
        (cx.tz, cx.strict_dml, cx.mode, cx.now_micros) = before;
        ev.cx.warnings = warnings;
        Ok(match v? {
            Value::Int(n) => DatumBuf::Int(n),
            Value::UInt(n) => DatumBuf::UInt(n),
            _ => DatumBuf::Null,
        })
    }

    /// The partition of a row with these values; otherwise the value that none is for, as 1526 tells it.
    pub fn place(
        &self,
        table: &TableMeta,
        get: &dyn Fn(usize) -> DatumBuf,
        ev: &mut Ev<'_>,
    ) -> Result<Result<usize, String>, ValueError> {
        let (by, n) = (&self.by, self.n);
        if let Method::Key { linear, .. } = by.method {
            return Ok(Ok(spread(column_hash(by, table, get), n, linear)));
        }
        let values = match by.method.has_expr() {
            true => vec![self.number(table, get, ev)?],
            false => by.columns.iter().map(|c| get(*c)).collect(),
        };
        if let Method::Hash { linear } = by.method {
            return Ok(Ok(match (linear, signed(&values[0])) {
                (true, v) => spread(v as u64, n, true),
                (false, v) => (v % n as i64).unsigned_abs() as usize,
            }));
        }
        let nowhere = || match (&values[..], by.method.has_expr()) {
            ([DatumBuf::Int(v)], true) => v.to_string(),
            ([DatumBuf::UInt(v)], true) => v.to_string(),
            (_, true) => "NULL".to_owned(),
            (_, false) => "from column_list".to_owned(),
        };
        let Some(key) = partition::key_of(by, table, &values) else { return Ok(Err(nowhere())) };
        let found = match by.method.is_range() {
            true => Some(self.among(&key)).filter(|at| *at < n),
            false => self.lists.get(&key).copied(),
        };
        Ok(found.ok_or_else(nowhere))
    }

    /// The first partition whose end is behind the key; their number, where there is none.
    pub(super) fn among(&self, key: &[u8]) -> usize {
        self.ends.partition_point(|e| e.as_ref().is_some_and(|e| &e[..] <= key))
    }
}

/// What the value of an expression over one column is to the column.
fn rising(e: &BExpr, table: &TableMeta) -> Option<Rising> {
    match &e.node {
        Node::Col(c) => {
            let ty = table.columns[usize::from(c.col)].ty;
            matches!(ty, SqlType::Int { .. }).then_some(Rising::Same)
        }
        Node::Func(def, args) => {
            let [BExpr { node: Node::Col(c), .. }] = &args[..] else { return None };
            let ty = table.columns[usize::from(c.col)].ty;
            let dated = matches!(ty, SqlType::Date | SqlType::DateTime { .. });
            match def.id {
                Id::ToDays if dated => Some(Rising::Days),
                Id::ToSeconds if dated => Some(Rising::Seconds),
                Id::Year if dated => Some(Rising::Year),
                Id::UnixTimestamp if matches!(ty, SqlType::Timestamp { .. }) => Some(Rising::Unix),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A number as HASH takes it: 64 bits with a sign; NULL is 0.
fn signed(d: &DatumBuf) -> i64 {
    match d {
        DatumBuf::Int(v) => *v,
        DatumBuf::UInt(v) => *v as i64,
        _ => 0,
    }
}

/// One of `n` by a hash value. LINEAR: by the lowest bits, so that a number more splits one partition alone.
pub(super) fn spread(hash: u64, n: usize, linear: bool) -> usize {
    let n = n as u64;
    if !linear {
        return (hash % n) as usize;
    }
    let mask = n.next_power_of_two() - 1;
    let at = hash & mask;
    (if at >= n { hash & (mask >> 1) } else { at }) as usize
}

/// The hash of KEY: MySQL's over the bytes of integers, and the same over the key bytes of other values.
fn column_hash(by: &Function, table: &TableMeta, get: &dyn Fn(usize) -> DatumBuf) -> u64 {
    let (mut a, mut b) = (1u64, 4u64);
    for c in &by.columns {
        let d = get(*c);
        let ty = part_type(table, *c);
        let mut bytes = Vec::new();
        match (&d, ty.ty) {
            (DatumBuf::Null, _) => {
                a ^= (a << 1) | 1;
                continue;
            }
            (DatumBuf::Int(v), weir_engine::row::PhysType::Int { bytes: n, .. }) => {
                bytes.extend_from_slice(&v.to_le_bytes()[..usize::from(n)]);
            }
            (DatumBuf::UInt(v), weir_engine::row::PhysType::Int { bytes: n, .. }) => {
                bytes.extend_from_slice(&v.to_le_bytes()[..usize::from(n)]);
            }
            _ => {
                // A value that the column cannot have is in no row.
                let _ = encode_datum(&ty, d.as_ref(), &mut bytes);
            }
        }
        for x in bytes {
            let mixed = (a & 63).wrapping_add(b).wrapping_mul(u64::from(x));
            a ^= mixed.wrapping_add(a << 8);
            b = b.wrapping_add(3);
        }
    }
    u64::from(a as u32)
}
