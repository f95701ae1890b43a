//! From metadata to the engine's definition.

use super::Env;
use super::types::MAX_ROW;
use crate::errno;
use crate::meta::{HIDDEN_INDEX, SqlColumn, SqlIndex, TableMeta, codec, same_name};
use crate::session_api::SqlError;
use weir_engine::row::{DatumBuf, KeyPart, PhysCol, RowForm};
use weir_engine::{ColumnDef, Db, IndexDef, NewTable};

/// InnoDB's limit.
const MAX_COLUMNS: usize = 1017;

/// Checks the table as a whole: 1113, 4028, 1117, 1060, 1118.
pub fn check_table(meta: &TableMeta) -> Result<(), SqlError> {
    if meta.columns.is_empty() {
        return Err(SqlError::of(errno::ER_TABLE_MUST_HAVE_COLUMNS, &[]));
    }
    if meta.columns.iter().all(|c| c.invisible) {
        return Err(SqlError::of(errno::ER_TABLE_MUST_HAVE_A_VISIBLE_COLUMN, &[]));
    }
    if meta.columns.len() > MAX_COLUMNS {
        return Err(SqlError::of(errno::ER_TOO_MANY_FIELDS, &[]));
    }
    for (i, column) in meta.columns.iter().enumerate() {
        let same = |c: &SqlColumn| same_name(&c.name, &column.name);
        if meta.columns.iter().position(same) != Some(i) {
            return Err(super::refused::duplicate_column(&column.name));
        }
    }
    let nullable = meta.columns.iter().filter(|c| c.nullable).count() as u64;
    let row: u64 = meta.columns.iter().map(|c| c.ty.facts().packed).sum();
    if row + nullable.div_ceil(8) > MAX_ROW {
        return Err(SqlError::of(errno::ER_TOO_BIG_ROWSIZE, &[&"65535"]));
    }
    Ok(())
}

/// The engine's definition of an index.
pub fn index_def(index: &SqlIndex) -> IndexDef {
    let part = |p: &crate::meta::IndexPart| KeyPart {
        col: p.column,
        prefix: p.prefix,
        desc: p.desc,
        elements: p.elements,
    };
    IndexDef {
        name: index.name.clone(),
        unique: index.unique,
        parts: index.parts.iter().map(part).collect(),
    }
}

/// The engine's indexes, the clustered one first.
pub fn index_defs(meta: &TableMeta) -> Vec<IndexDef> {
    let clustered = meta.clustered();
    let first = match clustered {
        Some(i) => index_def(&meta.indexes[i]),
        None => IndexDef { name: HIDDEN_INDEX.into(), unique: true, parts: Vec::new() },
    };
    let rest = meta.indexes.iter().enumerate().filter(|&(i, _)| Some(i) != clustered);
    std::iter::once(first).chain(rest.map(|(_, index)| index_def(index))).collect()
}

/// A column, and what rows have in it that were written before it came: in a new table there are none.
pub fn column_def(column: &SqlColumn, old_rows: DatumBuf) -> ColumnDef {
    ColumnDef { name: column.name.clone(), phys: column.phys(), default: old_rows }
}

/// As which the table keeps its rows if it is made now; 1118, if it could never have one.
pub fn row_form(meta: &TableMeta, db: &Db) -> Result<RowForm, SqlError> {
    let columns: Vec<PhysCol> = meta.columns.iter().map(SqlColumn::phys).collect();
    db.form_of_rows(&columns).map_err(super::engine_error)
}

/// The definition to hand to the engine.
pub fn new_table(
    schema: &str,
    name: &str,
    meta: &TableMeta,
    form: RowForm,
    auto_increment_start: u64,
) -> NewTable {
    let column = |c: &SqlColumn| column_def(c, c.phys().empty());
    NewTable {
        schema: schema.into(),
        name: name.into(),
        columns: meta.columns.iter().map(column).collect(),
        indexes: index_defs(meta),
        auto_increment: meta.counter(),
        auto_increment_start: auto_increment_start.max(1),
        parts: meta.partitions.as_ref().map_or(0, |p| p.leaves()),
        form,
        extra: codec::encode_table(meta),
    }
}

/// 3522 for an invisible key that stands for a primary one, and 3750 under `sql_require_primary_key`.
pub fn check_primary_key(meta: &TableMeta, env: &Env<'_>) -> Result<(), SqlError> {
    if meta.clustered().is_some_and(|i| !meta.indexes[i].visible) {
        return Err(SqlError::of(errno::ER_PK_INDEX_CANT_BE_INVISIBLE, &[]));
    }
    if !env.requires_key || meta.primary().is_some() {
        return Ok(());
    }
    Err(SqlError::of(errno::ER_TABLE_WITHOUT_PK, &[]))
}
