//! Keys of before ALTER TABLE over the columns that are there afterwards.

use super::plan::Plan;
use crate::meta::{IndexPart, SqlColumn, SqlIndex, TableMeta};
use crate::session_api::SqlError;
use crate::value::SqlType;

/// Where an old column is that a key has. A new column under the name of one that goes takes its place in the keys, as in MySQL.
pub fn now_at(column: usize, old: &TableMeta, plan: &Plan) -> Option<usize> {
    let kept = plan.sources.iter().position(|&s| s == Some(column));
    let successor = || {
        let name = &old.columns[column].name;
        let new = plan.sources.iter().zip(&plan.meta.columns);
        new.enumerate()
            .find(|(_, (source, c))| source.is_none() && c.is_named(name))
            .map(|(at, _)| at)
    };
    kept.or_else(successor)
}

/// An old index over the new columns: dropped columns leave it, and with its last part it goes.
pub fn carried(
    mut index: SqlIndex,
    old: &TableMeta,
    plan: &Plan,
) -> Result<Option<SqlIndex>, SqlError> {
    let mut parts = Vec::new();
    for part in &index.parts {
        let was = &old.columns[part.column];
        let Some(column) = now_at(part.column, old, plan) else { continue };
        let new = &plan.meta.columns[column];
        parts.push(IndexPart { column, prefix: carried_prefix(new, was, part.prefix)?, ..*part });
    }
    index.parts = parts;
    Ok(Some(index).filter(|i| !i.parts.is_empty()))
}

fn carried_prefix(
    new: &SqlColumn,
    was: &SqlColumn,
    prefix: Option<u32>,
) -> Result<Option<u32>, SqlError> {
    if new.ty == was.ty {
        return Ok(prefix);
    }
    match new.ty {
        SqlType::Text { .. } | SqlType::Geometry { .. } => {
            super::keys::prefix_given(new.ty, prefix, &new.name)
        }
        SqlType::Json => super::keys::check_indexable(new.ty, &new.name).map(|()| prefix),
        SqlType::Char { chars, .. } | SqlType::Varchar { chars, .. } => {
            Ok(prefix.filter(|&p| p < chars))
        }
        _ => Ok(None),
    }
}
