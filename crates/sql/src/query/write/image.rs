//! Rows in their stored form: made of values, changed, and told of in errors.

use crate::meta::SqlTable;
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::value::{DatumBuf, SqlType, TimeZone};
use weir_engine::row::{Datum, RowBuilder, RowView, replace_columns};

pub fn build(table: &SqlTable, row: &[DatumBuf], out: &mut Vec<u8>) -> Run<()> {
    let mut b = RowBuilder::new(&table.engine.layout);
    for d in row {
        b.push(d.as_ref());
    }
    out.clear();
    b.finish_into(out).map_err(|e| SqlError::internal(e.to_string()))?;
    Ok(())
}

pub fn put_columns(
    table: &SqlTable,
    old: &[u8],
    changes: &[(usize, DatumBuf)],
    out: &mut Vec<u8>,
) -> Run<()> {
    let list: Vec<(usize, Datum<'_>)> = changes.iter().map(|(c, d)| (*c, d.as_ref())).collect();
    replace_columns(&table.engine.layout, old, &list, out)
        .map_err(|e| SqlError::internal(e.to_string()).into())
}

/// The row with some columns replaced, as expressions are to see it.
pub fn with_columns(table: &SqlTable, old: &[u8], changes: &[(usize, DatumBuf)]) -> Run<Vec<u8>> {
    let mut out = Vec::with_capacity(old.len() + 16);
    put_columns(table, old, changes, &mut out)?;
    Ok(out)
}

/// A value of the AUTO_INCREMENT column as the counter counts.
pub fn counted(d: &DatumBuf) -> Option<u64> {
    match d {
        DatumBuf::Int(v) if *v > 0 => Some(*v as u64),
        DatumBuf::UInt(v) => Some(*v),
        DatumBuf::Float(x) if *x > 0.0 => Some(*x as u64),
        _ => None,
    }
}

/// The values of a row with the changes made so far.
pub fn values_after(table: &SqlTable, old: &[u8], changes: &[(usize, DatumBuf)]) -> Vec<DatumBuf> {
    let view = RowView::new(&table.engine.layout, old);
    let mut row: Vec<DatumBuf> =
        (0..table.meta.columns.len()).map(|i| view.get(i).to_buf()).collect();
    for (col, d) in changes {
        row[*col] = d.clone();
    }
    row
}

/// What a NOT NULL column has outside of strict mode where it is given NULL: of ENUM the empty text, which is no member.
pub fn zero(table: &SqlTable, col: usize) -> DatumBuf {
    match table.meta.columns[col].ty {
        SqlType::Enum { .. } => DatumBuf::UInt(0),
        ty => ty.zero(),
    }
}

/// The row as the next assignments see it. NULL where none may be is the type's zero to them, until it is known whether a trigger fills
/// it; of a type without one they see what was.
pub fn with_assigned(
    table: &SqlTable,
    row: &[u8],
    col: usize,
    d: &DatumBuf,
) -> Run<Option<Vec<u8>>> {
    let column = &table.meta.columns[col];
    let shown = match d {
        DatumBuf::Null if !column.nullable && !column.ty.has_zero() => return Ok(None),
        DatumBuf::Null if !column.nullable => zero(table, col),
        d => d.clone(),
    };
    with_columns(table, row, &[(col, shown)]).map(Some)
}

/// 1062 with the key's values.
pub fn duplicate_entry(table: &SqlTable, index: usize, row: &[u8], tz: TimeZone) -> SqlError {
    let engine = &table.engine;
    let def = &engine.def.indexes[index];
    let name = (table.name(), def.name.as_str());
    crate::meta::duplicate_entry(&table.columns, &def.parts, name, (&engine.layout, row), tz)
}
