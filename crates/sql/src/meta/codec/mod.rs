//! Bytes of [`TableMeta`] and [`SchemaMeta`].
//!
//! ```text
//! table  = 3 | u16 collation | str comment | u16 n, n columns | u16 n, n indexes | u16 n, n options | u16 n, n checks | u16 n, n foreign
//! column = str name | type | u8 flags | default | u8 on-update fsp + 1, 0: none | str comment
//! index  = str name | u8 flags | str comment | u16 n, n parts(u16 column, u32 prefix, 0: none, u8 desc)
//! option = str name | str value          str = u32 length, UTF-8          schema = 1 | u16 collation
//! check  = name | str condition | u8 enforced          name = u32 number | str name, where the number is 0
//! foreign = name | u16 n, n (u16 column, str parent column) | str parent schema | str parent | u8 on delete | u8 on update
//! known = 7 | u16 n, n histograms (`histogram`) | table of version 3 to 6
//! special = 6 | u16 n, n keys(str name | u8 kind | u8 visible | str comment | u16 n, n u16 column) | table of version 3 to 5
//! ```
//! Integers are little-endian. The first byte is the version. Version 1 of a table ends behind the options, version 2
//! behind the checks. Version 4 is written of partitioned tables alone: how they are partitioned comes after version 3. So is version
//! 5, of those with subpartitions: these come after version 4. Version 6 is written of tables with FULLTEXT and SPATIAL keys alone: they
//! stand before all the rest, which has a version of its own behind them. So do histograms, in version 7, before those keys.

pub mod bytes;
pub mod column;
mod constraint;
mod histogram;
mod index;
mod partition;
#[cfg(test)]
mod tests;
mod types;

use crate::meta::foreign::ForeignKey;
use crate::meta::histogram::Histogram;
use crate::meta::{SchemaMeta, SpecialKey, SqlIndex, TableMeta};
use crate::session_api::SqlError;
use bytes::{Reader, Writer, damaged};
use column::{get_column, put_column};
use constraint::{get_check, get_foreign, put_foreign, put_name};
use index::{get_index, get_special, put_index, put_special};
use std::sync::Arc;

const VERSION: u8 = 3;
const PARTITIONED: u8 = 4;
const SUBPARTITIONED: u8 = 5;
const SPECIAL: u8 = 6;
const HISTOGRAMS: u8 = 7;
const SCHEMA_VERSION: u8 = 1;

/// The stored form of a table's metadata.
pub fn encode_table(table: &TableMeta) -> Vec<u8> {
    let version = match &table.partitions {
        None => VERSION,
        Some(p) if p.sub.is_none() => PARTITIONED,
        Some(_) => SUBPARTITIONED,
    };
    let mut w = Writer(Vec::new());
    if !table.histograms.is_empty() {
        w.u8(HISTOGRAMS);
        w.count(table.histograms.len());
        table.histograms.iter().for_each(|h| histogram::put(&mut w, h));
    }
    if !table.special.is_empty() {
        w.u8(SPECIAL);
        w.count(table.special.len());
        table.special.iter().for_each(|k| put_special(&mut w, k));
    }
    w.u8(version);
    w.u16(table.collation.id());
    w.str(&table.comment);
    w.count(table.columns.len());
    for column in &table.columns {
        put_column(&mut w, column);
    }
    w.count(table.indexes.len());
    for index in &table.indexes {
        put_index(&mut w, index);
    }
    w.count(table.options.len());
    for (name, value) in &table.options {
        w.str(name);
        w.str(value);
    }
    w.count(table.checks.len());
    for check in &table.checks {
        put_name(&mut w, &check.name);
        w.str(&check.expr);
        w.u8(u8::from(check.enforced));
    }
    w.count(table.foreign.len());
    for key in &table.foreign {
        put_foreign(&mut w, key);
    }
    if let Some(p) = &table.partitions {
        partition::put(&mut w, p);
        if let Some(sub) = &p.sub {
            partition::put_sub(&mut w, p, sub);
        }
    }
    w.0
}

/// Reads what [`encode_table`] wrote.
pub fn decode_table(bytes: &[u8]) -> Result<TableMeta, SqlError> {
    let mut r = Reader(bytes);
    let mut version = r.version(HISTOGRAMS)?;
    let mut histograms = Vec::new();
    if version == HISTOGRAMS {
        histograms = r.list(|r| histogram::get(r).map(Arc::new))?;
        version = r.version(SPECIAL)?;
    }
    let mut special = Vec::new();
    if version == SPECIAL {
        special = r.list(get_special)?;
        version = r.version(SUBPARTITIONED)?;
    }
    let collation = r.collation()?;
    let comment = r.str()?;
    let columns = r.list(get_column)?;
    let mut indexes = r.list(get_index)?;
    for part in indexes.iter_mut().flat_map(|i| &mut i.parts) {
        let column = columns.get(part.column).ok_or_else(bytes::damaged)?;
        part.elements = column.array.map(|ty| ty.phys());
    }
    let options = r.list(|r| Ok((r.str()?, r.str()?)))?;
    let checks = if version > 1 { r.list(get_check)? } else { Vec::new() };
    let foreign = if version > 2 { r.list(get_foreign)? } else { Vec::new() };
    let mut partitions = match version {
        PARTITIONED.. => Some(Box::new(partition::get(&mut r, columns.len())?)),
        _ => None,
    };
    if let (SUBPARTITIONED.., Some(p)) = (version, &mut partitions) {
        partition::get_sub(&mut r, columns.len(), p)?;
    }
    let bad_part = |i: &SqlIndex| i.parts.iter().any(|p| p.column >= columns.len());
    let bad_key = |k: &ForeignKey| k.columns.iter().any(|c| *c >= columns.len());
    let bad_special =
        |k: &SpecialKey| k.columns.is_empty() || k.columns.iter().any(|c| *c >= columns.len());
    let bad_histogram = |h: &Arc<Histogram>| h.column >= columns.len();
    if !r.0.is_empty()
        || histograms.iter().any(bad_histogram)
        || indexes.iter().any(bad_part)
        || foreign.iter().any(bad_key)
        || special.iter().any(bad_special)
    {
        return Err(damaged());
    }
    Ok(TableMeta {
        columns,
        indexes,
        special,
        collation,
        comment,
        options,
        checks,
        foreign,
        partitions,
        histograms,
    })
}

/// The stored form of a schema's metadata.
pub fn encode_schema(schema: &SchemaMeta) -> Vec<u8> {
    let mut w = Writer(vec![SCHEMA_VERSION]);
    w.u16(schema.collation.id());
    w.0
}

/// Reads what [`encode_schema`] wrote; nothing at all gives the default.
pub fn decode_schema(bytes: &[u8]) -> Result<SchemaMeta, SqlError> {
    if bytes.is_empty() {
        return Ok(SchemaMeta::default());
    }
    let mut r = Reader(bytes);
    r.version(SCHEMA_VERSION)?;
    Ok(SchemaMeta { collation: r.collation()? })
}
