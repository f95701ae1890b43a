//! FULLTEXT and SPATIAL keys of CREATE and ALTER TABLE: what they ask of their columns, and what becomes of them.

use super::Env;
use super::keys::{Keys, column_named, incorrect_prefix, key_comment, key_name};
use super::refused::{duplicate_column, not_for_generated};
use crate::errno;
use crate::meta::{ColumnDefault, SpecialKey, SpecialKind, SqlColumn};
use crate::session_api::SqlError;
use crate::value::SqlType;
use weir_syntax::ast::{KeyDef, KeyKind, KeyPart, KeyPartKind};

/// Columns that a FULLTEXT key may have.
const MAX_PARTS: usize = 16;

/// Adds a FULLTEXT or SPATIAL key, or leaves it out with a warning where it cannot be had and the session asked for that.
pub fn add(
    def: &KeyDef,
    columns: &[SqlColumn],
    keys: &mut Keys,
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    if def.parts.iter().any(|p| p.explicit_order) {
        return Err(SqlError::of(
            errno::ER_WRONG_USAGE,
            &[&"spatial/fulltext/hash index", &"explicit index order"],
        ));
    }
    let (kind, of) = match def.kind {
        KeyKind::Spatial => {
            check_spatial(def, columns)?;
            (SpecialKind::Spatial, spatial_columns(def, columns)?)
        }
        _ => {
            let of = fulltext_columns(def, columns)?;
            let Some(ngram) = parser(def, env)? else { return Ok(()) };
            (SpecialKind::FullText { ngram }, of)
        }
    };
    let name = key_name(def, of.first().copied(), columns, keys)?;
    keys.check_count()?;
    let comment = key_comment(def, &name, env)?;
    let visible = def.options.visible.unwrap_or(true);
    let key = SpecialKey { name, kind, columns: of, comment, visible };
    tell(&key, env);
    keys.special.push(key);
    Ok(())
}

/// SPATIAL keys stand before FULLTEXT ones; the order of definition within each.
pub fn sort(keys: &mut [SpecialKey]) {
    keys.sort_by_key(SpecialKey::is_fulltext);
}

/// There is no tree behind such a key: nobody is to find out by waiting.
fn tell(key: &SpecialKey, env: &mut Env<'_>) {
    let (kind, name, table) = (key.type_name(), key.name.clone(), env.table.clone());
    let so = match key.is_fulltext() {
        true => "MATCH ... AGAINST reads the whole table",
        false => "no search uses it",
    };
    env.warnings.note(errno::ER_NOT_SUPPORTED_YET, || {
        format!("{kind} index '{name}' of table '{table}' is no index on disk here: {so}")
    });
}

/// What a SPATIAL key asks of its column.
fn check_spatial(def: &KeyDef, columns: &[SqlColumn]) -> Result<(), SqlError> {
    let [KeyPart { kind: KeyPartKind::Column { name, length }, .. }] = &def.parts[..] else {
        return Err(SqlError::of(errno::ER_TOO_MANY_KEY_PARTS, &[&"1"]));
    };
    let column = &columns[column_named(name.as_str(), columns)?];
    check_spatial_column(column)?;
    if length.is_some() {
        return Err(incorrect_prefix());
    }
    Ok(())
}

fn check_spatial_column(column: &SqlColumn) -> Result<(), SqlError> {
    if !column.ty.is_geometry() {
        return Err(SqlError::of(errno::ER_SPATIAL_MUST_HAVE_GEOM_COL, &[]));
    }
    if column.nullable {
        return Err(SqlError::of(errno::ER_SPATIAL_CANT_HAVE_NULL, &[]));
    }
    not_virtual(column, "Spatial index on virtual generated column")
}

fn spatial_columns(def: &KeyDef, columns: &[SqlColumn]) -> Result<Vec<usize>, SqlError> {
    let name = |p: &KeyPart| match &p.kind {
        KeyPartKind::Column { name, .. } => column_named(name.as_str(), columns),
        KeyPartKind::Expr(_) => Err(SqlError::internal("a key part without a column")),
    };
    def.parts.iter().map(name).collect()
}

/// The columns of a FULLTEXT key: texts of one collation. Lengths are ignored, as in MySQL.
fn fulltext_columns(def: &KeyDef, columns: &[SqlColumn]) -> Result<Vec<usize>, SqlError> {
    if def.parts.len() > MAX_PARTS {
        return Err(SqlError::of(errno::ER_TOO_MANY_KEY_PARTS, &[&MAX_PARTS]));
    }
    let mut of: Vec<usize> = Vec::new();
    for column in spatial_columns(def, columns)? {
        if of.contains(&column) {
            return Err(duplicate_column(&columns[column].name));
        }
        of.push(column);
    }
    check_fulltext_columns(&of, columns)?;
    Ok(of)
}

/// 1283 for a column that has no words, or compares them otherwise than the columns before it.
fn check_fulltext_columns(of: &[usize], columns: &[SqlColumn]) -> Result<(), SqlError> {
    let mut first = None;
    for &at in of {
        let column = &columns[at];
        let text = match column.ty {
            SqlType::Char { collation, .. }
            | SqlType::Varchar { collation, .. }
            | SqlType::Text { collation, .. } => Some(collation),
            _ => None,
        };
        // MySQL has no words of sets whose characters have two or four bytes each.
        let text = text.filter(|c| !c.is_binary() && c.charset().min_char_bytes() == 1);
        match text {
            Some(collation) if *first.get_or_insert(collation) == collation => {}
            _ => {
                return Err(SqlError::of(errno::ER_BAD_FT_COLUMN, &[&column.name]));
            }
        }
        not_virtual(column, "Fulltext index on virtual generated column")?;
    }
    Ok(())
}

fn not_virtual(column: &SqlColumn, what: &str) -> Result<(), SqlError> {
    match column.default {
        ColumnDefault::Generated { stored: false, .. } => Err(not_for_generated(what)),
        _ => Ok(()),
    }
}

/// Whether WITH PARSER names the parser of pieces; 1128, or a warning and no key, for one that there is not.
fn parser(def: &KeyDef, env: &mut Env<'_>) -> Result<Option<bool>, SqlError> {
    let Some(name) = &def.options.parser else { return Ok(Some(false)) };
    if name.is("ngram") {
        return Ok(Some(true));
    }
    let unknown = format!("Function '{name}' is not defined");
    if !env.skips_indexes {
        return Err(SqlError::new(errno::ER_FUNCTION_NOT_DEFINED, unknown));
    }
    let key = def.name.as_ref().map_or("", |n| n.as_str()).to_owned();
    let table = env.table.clone();
    env.warnings.warn(errno::ER_FUNCTION_NOT_DEFINED, || {
        format!("FULLTEXT index '{key}' of table '{table}' was left out: {unknown}")
    });
    Ok(None)
}

/// An old key over the new columns: dropped columns leave it, and with its last one it goes. `now_at`: where an old column is.
pub fn carried(
    mut key: SpecialKey,
    columns: &[SqlColumn],
    now_at: impl Fn(usize) -> Option<usize>,
) -> Result<Option<SpecialKey>, SqlError> {
    key.columns = key.columns.iter().filter_map(|&c| now_at(c)).collect();
    if key.columns.is_empty() {
        return Ok(None);
    }
    match key.kind {
        SpecialKind::FullText { .. } => check_fulltext_columns(&key.columns, columns)?,
        SpecialKind::Spatial => {
            key.columns.iter().try_for_each(|&c| check_spatial_column(&columns[c]))?;
        }
    }
    Ok(Some(key))
}

/// 1796: a temporary table has no FULLTEXT key.
pub fn check_temporary(keys: &[SpecialKey]) -> Result<(), SqlError> {
    match keys.iter().any(SpecialKey::is_fulltext) {
        false => Ok(()),
        true => Err(SqlError::of(errno::ER_INNODB_NO_FT_TEMP_TABLE, &[])),
    }
}
