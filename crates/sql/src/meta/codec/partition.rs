//! Bytes of a table's partitioning, behind those of the table ([`super`]).

use super::bytes::{Reader, Writer, damaged};
use crate::meta::partition::{
    Function, Given, Method, Partition, Partitioning, Subpartitioning, Values,
};
use crate::session_api::SqlError;
use crate::value::DatumBuf;

pub(super) fn put_datum(w: &mut Writer, d: &DatumBuf) {
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

pub(super) fn get_datum(r: &mut Reader<'_>) -> Result<DatumBuf, SqlError> {
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
    let f = &p.function;
    put_function(w, f);
    w.u8(u8::from(f.implied) | u8::from(p.numbered) << 1);
    w.count(p.parts.len());
    for part in &p.parts {
        w.str(&part.name);
        put_values(w, &part.values);
        put_options(w, part);
    }
}

/// Behind it: `method u8 | str expr | u16 n, n u16 columns | u8 given | u16 n, n subpartitions of each partition`; a subpartition is
/// `str name | str comment | u64 max rows | u64 min rows`.
pub(super) fn put_sub(w: &mut Writer, p: &Partitioning, sub: &Subpartitioning) {
    put_function(w, &sub.function);
    w.u8(match sub.given {
        Given::Nothing => 0,
        Given::Number => 1,
        Given::Names => 2,
    });
    w.count(sub.count);
    for part in p.parts.iter().flat_map(|p| &p.subparts) {
        w.str(&part.name);
        put_options(w, part);
    }
}

fn put_function(w: &mut Writer, f: &Function) {
    w.u8(match f.method {
        Method::Range => 0,
        Method::List => 1,
        Method::RangeColumns => 2,
        Method::ListColumns => 3,
        Method::Hash { linear } => 4 + u8::from(linear),
        Method::Key { linear, old } => 6 + u8::from(linear) + 2 * u8::from(old),
    });
    w.str(&f.expr);
    w.count(f.columns.len());
    f.columns.iter().for_each(|c| w.u16(*c as u16));
}

fn put_options(w: &mut Writer, part: &Partition) {
    w.str(&part.comment);
    w.u64(part.max_rows);
    w.u64(part.min_rows);
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
    let mut function = get_function(r, columns)?;
    let bits = r.u8()?;
    let parts = r.list(|r| {
        let (name, values) = (r.str()?, get_values(r)?);
        get_options(r, name, values)
    })?;
    if parts.is_empty() {
        return Err(damaged());
    }
    function.implied = bits & 1 != 0;
    Ok(Partitioning { function, numbered: bits & 2 != 0, parts, sub: None })
}

/// What [`put_sub`] wrote.
pub(super) fn get_sub(
    r: &mut Reader<'_>,
    columns: usize,
    p: &mut Partitioning,
) -> Result<(), SqlError> {
    let function = get_function(r, columns)?;
    let given = match r.u8()? {
        0 => Given::Nothing,
        1 => Given::Number,
        2 => Given::Names,
        _ => return Err(damaged()),
    };
    let count = usize::from(r.u16()?);
    if count == 0 || !function.method.is_hash() {
        return Err(damaged());
    }
    for part in &mut p.parts {
        for _ in 0..count {
            let name = r.str()?;
            part.subparts.push(get_options(r, name, Values::None)?);
        }
    }
    p.sub = Some(Subpartitioning { function, count, given });
    Ok(())
}

fn get_function(r: &mut Reader<'_>, columns: usize) -> Result<Function, SqlError> {
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
    match list.iter().any(|c| *c >= columns) {
        true => Err(damaged()),
        false => Ok(Function { method, expr, columns: list, implied: false }),
    }
}

fn get_options(r: &mut Reader<'_>, name: String, values: Values) -> Result<Partition, SqlError> {
    Ok(Partition {
        name,
        values,
        comment: r.str()?,
        max_rows: r.u64()?,
        min_rows: r.u64()?,
        subparts: Vec::new(),
    })
}
