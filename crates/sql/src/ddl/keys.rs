//! Keys: their names, parts, limits and MySQL's order among them.

use crate::context::refused;
use crate::errno;
use crate::meta::{ColumnDefault, IndexPart, PRIMARY, SqlColumn, SqlIndex, UsingClause, same_name};
use crate::session_api::SqlError;
use crate::value::{GeoKind, SqlType};
use weir_syntax::ast::{IndexType, KeyDef, KeyKind, KeyPart, KeyPartKind};

use super::column::check_length;
use super::types::key_length;
use super::{Env, options};

/// Bytes of a key at the default page size.
pub const MAX_KEY_BYTES: u64 = 3072;
const MAX_KEYS: usize = 64;
const MAX_PARTS: usize = 16;
const MAX_COMMENT: usize = 1024;
/// A stored point: SRID, byte order, kind and two coordinates.
const POINT_BYTES: u8 = 25;

/// Adds a key to `indexes`, its parts given as positions in `columns`.
pub fn add_key(
    def: &KeyDef,
    columns: &[SqlColumn],
    indexes: &mut Vec<SqlIndex>,
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    let primary = match def.kind {
        KeyKind::Primary => true,
        KeyKind::Unique | KeyKind::Index => false,
        KeyKind::FullText => return left_out("FULLTEXT", def, columns, env),
        KeyKind::Spatial => {
            check_spatial(def, columns)?;
            return left_out("SPATIAL", def, columns, env);
        }
    };
    if primary && indexes.iter().any(SqlIndex::is_primary) {
        return Err(SqlError::new(errno::ER_MULTIPLE_PRI_KEY, "Multiple primary key defined"));
    }
    if def.parts.len() > MAX_PARTS {
        return Err(SqlError::new(
            errno::ER_TOO_MANY_KEY_PARTS,
            format!("Too many key parts specified; max {MAX_PARTS} parts allowed"),
        ));
    }
    let unique = primary || def.kind == KeyKind::Unique;
    let mut index = SqlIndex {
        name: String::new(),
        unique,
        parts: Vec::new(),
        comment: String::new(),
        using: None,
        visible: def.options.visible.unwrap_or(true),
    };
    for part in &def.parts {
        let part = key_part(part, unique, columns, env)?;
        if index.parts.iter().any(|p| p.column == part.column) {
            let name = &columns[part.column].name;
            return Err(duplicate_column(name));
        }
        index.parts.push(part);
    }
    check_key_bytes(&mut index, columns)?;
    index.name = if primary { PRIMARY.into() } else { key_name(def, &index, columns, indexes)? };
    key_options(def, &mut index, env)?;
    if indexes.len() >= MAX_KEYS {
        return Err(SqlError::new(
            errno::ER_TOO_MANY_KEYS,
            format!("Too many keys specified; max {MAX_KEYS} keys allowed"),
        ));
    }
    warn_duplicate(&index, indexes, env);
    indexes.push(index);
    Ok(())
}

/// What a SPATIAL index asks of its column, so that what is left out is a right definition.
fn check_spatial(def: &KeyDef, columns: &[SqlColumn]) -> Result<(), SqlError> {
    let [KeyPart { kind: KeyPartKind::Column { name, length }, .. }] = &def.parts[..] else {
        return Err(SqlError::new(
            errno::ER_TOO_MANY_KEY_PARTS,
            "Too many key parts specified; max 1 parts allowed",
        ));
    };
    let column = &columns[column_named(name.as_str(), columns)?];
    if !column.ty.is_geometry() {
        let text = "A SPATIAL index may only contain a geometrical type column";
        return Err(SqlError::new(errno::ER_SPATIAL_MUST_HAVE_GEOM_COL, text));
    }
    if column.nullable {
        let text = "All parts of a SPATIAL index must be NOT NULL";
        return Err(SqlError::new(errno::ER_SPATIAL_CANT_HAVE_NULL, text));
    }
    if length.is_some() {
        return Err(incorrect_prefix());
    }
    Ok(())
}

/// 1235 for a kind of index that there is not, or a warning where the session asked to go on without it.
fn left_out(
    kind: &str,
    def: &KeyDef,
    columns: &[SqlColumn],
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    for part in &def.parts {
        if let KeyPartKind::Column { name, .. } = &part.kind {
            column_named(name.as_str(), columns)?;
        }
    }
    let name = def.name.as_ref().map_or("", |n| n.as_str());
    if !env.skips_indexes {
        return Err(refused(format!(
            "This version doesn't yet support {kind} indexes (index '{name}' of table '{}'); \
             SET weir_skip_unsupported_indexes = ON leaves them out with a warning",
            env.table
        )));
    }
    let table = env.table.clone();
    env.warnings.warn(errno::ER_NOT_SUPPORTED_YET, || {
        format!("{kind} index '{name}' of table '{table}' was left out: there are none")
    });
    Ok(())
}

/// Position of a key's column, or 1072.
fn column_named(name: &str, columns: &[SqlColumn]) -> Result<usize, SqlError> {
    // The parts of a key that are expressions have their hidden columns by now.
    columns.iter().position(|c| same_name(&c.name, name)).ok_or_else(|| no_such_column(name))
}

/// 1072.
pub fn no_such_column(name: &str) -> SqlError {
    SqlError::new(
        errno::ER_KEY_COLUMN_DOES_NOT_EXIST,
        format!("Key column '{name}' doesn't exist in table"),
    )
}

/// 1060.
pub fn duplicate_column(name: &str) -> SqlError {
    SqlError::new(errno::ER_DUP_FIELDNAME, format!("Duplicate column name '{name}'"))
}

fn key_part(
    part: &KeyPart,
    unique: bool,
    columns: &[SqlColumn],
    env: &mut Env<'_>,
) -> Result<IndexPart, SqlError> {
    let (name, length) = match &part.kind {
        KeyPartKind::Column { name, length } => (name.as_str(), *length),
        KeyPartKind::Expr(_) => return Err(SqlError::internal("a key part without a column")),
    };
    let column = column_named(name, columns)?;
    let name = &columns[column].name;
    let ty = columns[column].ty;
    if length == Some(0) {
        return Err(SqlError::new(1391, format!("Key part '{name}' length cannot be 0")));
    }
    check_indexable(ty, name)?;
    let length = prefix_given(ty, length, name)?;
    let prefix = prefix_of(ty, length)?;
    let prefix = within_part_limit(ty, prefix, unique, env)?;
    Ok(IndexPart { column, prefix, desc: part.descending })
}

/// How much of a column a key has of it, where one is given or known; 1170 where one is needed.
pub fn prefix_given<N: From<u8>>(
    ty: SqlType,
    given: Option<N>,
    name: &str,
) -> Result<Option<N>, SqlError> {
    // A point has one length, so that a key on it needs none.
    let length = match ty {
        SqlType::Geometry { kind: GeoKind::Point, .. } => given.or(Some(POINT_BYTES.into())),
        _ => given,
    };
    if ty.is_lob() && length.is_none() {
        return Err(SqlError::new(
            errno::ER_BLOB_KEY_WITHOUT_LENGTH,
            format!("BLOB/TEXT column '{name}' used in key specification without a key length"),
        ));
    }
    Ok(length)
}

/// 3152: a document has no order that a search could use.
pub fn check_indexable(ty: SqlType, name: &str) -> Result<(), SqlError> {
    match ty {
        SqlType::Json => Err(SqlError::new(
            errno::ER_JSON_USED_AS_KEY,
            format!(
                "JSON column '{name}' supports indexing only via generated columns on a specified \
                 JSON path."
            ),
        )),
        _ => Ok(()),
    }
}

fn prefix_of(ty: SqlType, length: Option<u64>) -> Result<Option<u64>, SqlError> {
    if ty.is_geometry() {
        return Ok(length);
    }
    let whole = match ty.facts().text {
        Some((chars, _)) if !ty.is_list() => chars,
        _ if length.is_none() => return Ok(None),
        _ => return Err(incorrect_prefix()),
    };
    match length {
        Some(n) if n > whole => Err(incorrect_prefix()),
        Some(n) if n == whole && !matches!(ty, SqlType::Text { .. }) => Ok(None),
        other => Ok(other),
    }
}

fn incorrect_prefix() -> SqlError {
    SqlError::new(
        errno::ER_WRONG_SUB_KEY,
        "Incorrect prefix key; the used key part isn't a string, the used length is longer than \
         the key part, or the storage engine doesn't support unique prefix keys",
    )
}

fn key_too_long() -> SqlError {
    SqlError::new(
        errno::ER_TOO_LONG_KEY,
        format!("Specified key was too long; max key length is {MAX_KEY_BYTES} bytes"),
    )
}

/// A part of more than 3072 bytes: refused, or cut where lax and not unique.
fn within_part_limit(
    ty: SqlType,
    prefix: Option<u64>,
    unique: bool,
    env: &mut Env<'_>,
) -> Result<Option<u32>, SqlError> {
    let char_bytes = ty.collation().map_or(1, |c| c.max_char_bytes() as u64);
    let bytes = prefix.map_or(key_length(ty), |p| p.saturating_mul(char_bytes));
    if bytes <= MAX_KEY_BYTES {
        return Ok(prefix.map(|p| p as u32));
    }
    if unique || env.mode.strict() || !ty.is_string() {
        return Err(key_too_long());
    }
    env.warnings.warn(errno::ER_TOO_LONG_KEY, || key_too_long().message);
    Ok(Some((MAX_KEY_BYTES / char_bytes) as u32))
}

fn check_key_bytes(index: &mut SqlIndex, columns: &[SqlColumn]) -> Result<(), SqlError> {
    let bytes = |p: &IndexPart| {
        let ty = columns[p.column].ty;
        let char_bytes = ty.collation().map_or(1, |c| c.max_char_bytes() as u64);
        p.prefix.map_or(key_length(ty), |n| u64::from(n) * char_bytes)
    };
    match index.parts.iter().map(bytes).sum::<u64>() > MAX_KEY_BYTES {
        true => Err(key_too_long()),
        false => Ok(()),
    }
}

/// The name given, else the first column's, with `_2`, `_3`, ... when that is taken.
fn key_name(
    def: &KeyDef,
    index: &SqlIndex,
    columns: &[SqlColumn],
    indexes: &[SqlIndex],
) -> Result<String, SqlError> {
    let taken = |name: &str| indexes.iter().any(|i| same_name(&i.name, name));
    if let Some(given) = def.name.as_ref().or(def.constraint.as_ref()) {
        let name = given.as_str();
        check_length(name)?;
        if name.is_empty() || name.ends_with(' ') || given.is(PRIMARY) {
            return Err(SqlError::new(1280, format!("Incorrect index name '{name}'")));
        }
        if taken(name) {
            return Err(duplicate_key_name(name));
        }
        return Ok(name.to_owned());
    }
    let base = index.parts.first().map_or("", |p| columns[p.column].name.as_str());
    if !taken(base) && !base.eq_ignore_ascii_case(PRIMARY) {
        return Ok(base.to_owned());
    }
    let free = (2..100).map(|n| format!("{base}_{n}")).find(|name| !taken(name));
    free.ok_or_else(|| duplicate_key_name(base))
}

/// 1061.
pub fn duplicate_key_name(name: &str) -> SqlError {
    SqlError::new(errno::ER_DUP_KEYNAME, format!("Duplicate key name '{name}'"))
}

fn key_options(def: &KeyDef, index: &mut SqlIndex, env: &mut Env<'_>) -> Result<(), SqlError> {
    let given = &def.options;
    index.using = match given.index_type {
        Some(IndexType::BTree) => Some(UsingClause::BTree),
        Some(IndexType::Hash) => {
            env.warnings.note(3502, || {
                "This storage engine does not support the HASH index algorithm, storage engine \
                 default was used instead."
                    .into()
            });
            None
        }
        Some(IndexType::RTree) => return Err(SqlError::not_supported("RTREE indexes")),
        None => None,
    };
    if !index.visible && index.is_primary() {
        return Err(SqlError::new(3522, "A primary key index cannot be invisible"));
    }
    if let Some(comment) = &given.comment {
        let text = String::from_utf8_lossy(comment);
        let name = index.name.clone();
        index.comment = options::comment_within(&text, MAX_COMMENT, 1688, env, || {
            format!("Comment for index '{name}' is too long (max = {MAX_COMMENT})")
        })?;
    }
    if given.key_block_size.is_some_and(|n| n > 0) {
        options::warn_without_effect("KEY_BLOCK_SIZE", env);
    }
    if given.engine_attribute.is_some() || given.secondary_engine_attribute.is_some() {
        return Err(options::engine_attribute("ENGINE_ATTRIBUTE"));
    }
    if given.parser.is_some() {
        return Err(SqlError::not_supported("WITH PARSER"));
    }
    Ok(())
}

fn warn_duplicate(index: &SqlIndex, indexes: &[SqlIndex], env: &mut Env<'_>) {
    let same = |i: &&SqlIndex| i.unique == index.unique && i.parts == index.parts;
    if !index.is_primary() && indexes.iter().filter(|i| !i.is_primary()).any(|i| same(&i)) {
        let (name, table) = (index.name.clone(), env.table.clone());
        env.warnings.warn(1831, || {
            format!(
                "Duplicate index '{name}' defined on the table '{table}'. This is deprecated and \
                 will be disallowed in a future release."
            )
        });
    }
}

/// Primary key parts become NOT NULL; 1171 where NULL was asked for.
pub fn settle_primary(
    columns: &mut [SqlColumn],
    explicit_null: &[bool],
    indexes: &[SqlIndex],
) -> Result<(), SqlError> {
    let Some(primary) = indexes.iter().find(|i| i.is_primary()) else { return Ok(()) };
    for part in &primary.parts {
        let column = &mut columns[part.column];
        if matches!(column.default, ColumnDefault::Generated { stored: false, .. }) {
            let what = "Defining a virtual generated column as primary key";
            return Err(super::computed::not_for_generated(what));
        }
        if explicit_null[part.column] {
            return Err(SqlError::new(
                errno::ER_PRIMARY_CANT_HAVE_NULL,
                "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use \
                 UNIQUE instead",
            ));
        }
        if column.nullable {
            column.nullable = false;
            if column.default == ColumnDefault::Null {
                column.default = ColumnDefault::None;
            }
        }
    }
    Ok(())
}

/// 1075: one AUTO_INCREMENT column, first in some key.
pub fn check_auto_increment(columns: &[SqlColumn], indexes: &[SqlIndex]) -> Result<(), SqlError> {
    let mut autos = columns.iter().enumerate().filter(|(_, c)| c.auto_increment).map(|(i, _)| i);
    let Some(auto) = autos.next() else { return Ok(()) };
    let leads = |i: &SqlIndex| i.parts.first().is_some_and(|p| p.column == auto);
    if autos.next().is_some() || !indexes.iter().any(leads) {
        return Err(SqlError::new(
            errno::ER_WRONG_AUTO_KEY,
            "Incorrect table definition; there can be only one auto column and it must be defined \
             as a key",
        ));
    }
    Ok(())
}

/// MySQL's order: primary key, unique keys (those that bear no NULL first, then those without prefixes),
/// then the others; the order of definition within each.
pub fn sort(columns: &[SqlColumn], indexes: &mut [SqlIndex]) {
    let nulls = |i: &SqlIndex| i.parts.iter().any(|p| columns[p.column].nullable);
    let partial = |i: &SqlIndex| i.parts.iter().any(|p| p.prefix.is_some());
    indexes.sort_by_key(|i| match i.unique {
        true => (!i.is_primary() as u8, nulls(i), partial(i)),
        false => (2, false, false),
    });
}
