//! Keys: their names, parts, limits and MySQL's order among them.

use super::refused::{check_length, duplicate_column, duplicate_key_name, no_such_column};
use super::types::key_length;
use super::{Env, options, special};
use crate::errno;
use crate::meta::{
    ColumnDefault, IndexPart, PRIMARY, SpecialKey, SqlColumn, SqlIndex, UsingClause, same_name,
};
use crate::session_api::SqlError;
use crate::value::{GeoKind, LobKind, SqlType};
use weir_syntax::ast::{IndexType, KeyDef, KeyKind, KeyPart, KeyPartKind};

/// Bytes of a key at the default page size.
pub const MAX_KEY_BYTES: u64 = 3072;
const MAX_KEYS: usize = 64;
const MAX_PARTS: usize = 16;
const MAX_COMMENT: usize = 1024;
/// A stored point: SRID, byte order, kind and two coordinates.
const POINT_BYTES: u8 = 25;

/// The keys of a definition that is being made.
#[derive(Debug, Default)]
pub struct Keys {
    pub indexes: Vec<SqlIndex>,
    pub special: Vec<SpecialKey>,
}

impl Keys {
    /// Names are those of keys of any kind.
    fn has(&self, name: &str) -> bool {
        self.indexes.iter().any(|i| same_name(&i.name, name))
            || self.special.iter().any(|k| same_name(&k.name, name))
    }

    /// Whether the key that was added last was made for a foreign key.
    pub fn mark_last(&mut self, generated: bool) {
        if let Some(key) = self.indexes.last_mut().filter(|_| generated) {
            key.generated = true;
        }
    }

    /// 1069 where there is no room for one more.
    pub fn check_count(&self) -> Result<(), SqlError> {
        if self.indexes.len() + self.special.len() < MAX_KEYS {
            return Ok(());
        }
        Err(SqlError::of(errno::ER_TOO_MANY_KEYS, &[&MAX_KEYS]))
    }
}

/// Adds a key to `keys`, its parts given as positions in `columns`.
pub fn add_key(
    def: &KeyDef,
    columns: &[SqlColumn],
    keys: &mut Keys,
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    let primary = match def.kind {
        KeyKind::Primary => true,
        KeyKind::Unique | KeyKind::Index => false,
        KeyKind::FullText | KeyKind::Spatial => return special::add(def, columns, keys, env),
    };
    if primary && keys.indexes.iter().any(SqlIndex::is_primary) {
        return Err(SqlError::of(errno::ER_MULTIPLE_PRI_KEY, &[]));
    }
    if def.parts.len() > MAX_PARTS {
        return Err(SqlError::of(errno::ER_TOO_MANY_KEY_PARTS, &[&MAX_PARTS]));
    }
    let unique = primary || def.kind == KeyKind::Unique;
    let mut index = SqlIndex {
        name: String::new(),
        unique,
        parts: Vec::new(),
        comment: String::new(),
        using: None,
        visible: def.options.visible.unwrap_or(true),
        generated: false,
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
    let leads = index.parts.first().map(|p| p.column);
    index.name = if primary { PRIMARY.into() } else { key_name(def, leads, columns, keys)? };
    key_options(def, &mut index, env)?;
    keys.check_count()?;
    warn_duplicate(&index, &keys.indexes, env);
    keys.indexes.push(index);
    Ok(())
}

/// Position of a key's column, or 1072.
pub fn column_named(name: &str, columns: &[SqlColumn]) -> Result<usize, SqlError> {
    // The parts of a key that are expressions have their hidden columns by now.
    columns.iter().position(|c| same_name(&c.name, name)).ok_or_else(|| no_such_column(name))
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
    let ty = columns[column].key_type();
    if length == Some(0) {
        return Err(SqlError::of(errno::ER_KEY_PART_0, &[&name]));
    }
    check_indexable(ty, name)?;
    let length = prefix_given(ty, length, name)?;
    let prefix = prefix_of(ty, length)?;
    let prefix = within_part_limit(ty, prefix, unique, env)?;
    let elements = columns[column].array.map(|ty| ty.phys());
    Ok(IndexPart { column, prefix, desc: part.descending, elements })
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
        return Err(SqlError::of(errno::ER_BLOB_KEY_WITHOUT_LENGTH, &[&name]));
    }
    Ok(length)
}

/// 3152: a document has no order that a search could use. 1167: a text without characters has nothing to search by.
pub fn check_indexable(ty: SqlType, name: &str) -> Result<(), SqlError> {
    match ty {
        SqlType::Json => Err(SqlError::of(errno::ER_JSON_USED_AS_KEY, &[&name])),
        SqlType::Char { chars: 0, .. } | SqlType::Varchar { chars: 0, .. } => {
            Err(SqlError::of(errno::ER_WRONG_KEY_COLUMN, &[&name]))
        }
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
        Some(n) if is_tiny(ty) && n.saturating_mul(char_bytes(ty)) > TINY_BYTES => {
            Err(SqlError::of(errno::ER_TOO_LONG_KEY, &[&TINY_BYTES]))
        }
        Some(n) if n > whole => Err(incorrect_prefix()),
        Some(n) if n == whole && !matches!(ty, SqlType::Text { .. }) => Ok(None),
        other => Ok(other),
    }
}

/// TINYTEXT and TINYBLOB, of which no key has more than all bytes that they can have.
fn is_tiny(ty: SqlType) -> bool {
    matches!(ty, SqlType::Text { kind: LobKind::Tiny, .. })
}

const TINY_BYTES: u64 = 255;

fn char_bytes(ty: SqlType) -> u64 {
    ty.collation().map_or(1, |c| c.max_char_bytes() as u64)
}

pub fn incorrect_prefix() -> SqlError {
    SqlError::of(errno::ER_WRONG_SUB_KEY, &[])
}

fn key_too_long() -> SqlError {
    SqlError::of(errno::ER_TOO_LONG_KEY, &[&MAX_KEY_BYTES])
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
        let ty = columns[p.column].key_type();
        let char_bytes = ty.collation().map_or(1, |c| c.max_char_bytes() as u64);
        p.prefix.map_or(key_length(ty), |n| u64::from(n) * char_bytes)
    };
    match index.parts.iter().map(bytes).sum::<u64>() > MAX_KEY_BYTES {
        true => Err(key_too_long()),
        false => Ok(()),
    }
}

/// The name given, else the first column's, with `_2`, `_3`, ... when that is taken.
pub fn key_name(
    def: &KeyDef,
    first: Option<usize>,
    columns: &[SqlColumn],
    keys: &Keys,
) -> Result<String, SqlError> {
    let taken = |name: &str| keys.has(name);
    if let Some(given) = def.name.as_ref().or(def.constraint.as_ref()) {
        let name = given.as_str();
        check_length(name)?;
        if name.is_empty() || name.ends_with(' ') || given.is(PRIMARY) {
            return Err(SqlError::of(errno::ER_WRONG_NAME_FOR_INDEX, &[&name]));
        }
        if taken(name) {
            return Err(duplicate_key_name(name));
        }
        return Ok(name.to_owned());
    }
    let base = first.map_or("", |c| columns[c].name.as_str());
    if !taken(base) && !base.eq_ignore_ascii_case(PRIMARY) {
        return Ok(base.to_owned());
    }
    let free = (2..100).map(|n| format!("{base}_{n}")).find(|name| !taken(name));
    free.ok_or_else(|| duplicate_key_name(base))
}

fn key_options(def: &KeyDef, index: &mut SqlIndex, env: &mut Env<'_>) -> Result<(), SqlError> {
    let given = &def.options;
    index.using = match given.index_type {
        Some(IndexType::BTree) => Some(UsingClause::BTree),
        Some(IndexType::Hash) => {
            env.warnings.note(errno::ER_UNSUPPORTED_INDEX_ALGORITHM, || {
                "This storage engine does not support the HASH index algorithm, storage engine \
                 default was used instead."
                    .into()
            });
            None
        }
        Some(IndexType::RTree) => {
            return Err(SqlError::of(errno::ER_SPATIAL_MUST_HAVE_GEOM_COL, &[]));
        }
        None => None,
    };
    if !index.visible && index.is_primary() {
        return Err(SqlError::of(errno::ER_PK_INDEX_CANT_BE_INVISIBLE, &[]));
    }
    index.comment = key_comment(def, &index.name, env)?;
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

/// COMMENT of a key; 1688 for one that is too long.
pub fn key_comment(def: &KeyDef, name: &str, env: &mut Env<'_>) -> Result<String, SqlError> {
    let Some(comment) = &def.options.comment else { return Ok(String::new()) };
    let text = String::from_utf8_lossy(comment);
    options::comment_within(&text, MAX_COMMENT, errno::ER_TOO_LONG_INDEX_COMMENT, env, || {
        format!("Comment for index '{name}' is too long (max = {MAX_COMMENT})")
    })
}

fn warn_duplicate(index: &SqlIndex, indexes: &[SqlIndex], env: &mut Env<'_>) {
    let same = |i: &&SqlIndex| i.unique == index.unique && i.parts == index.parts;
    if !index.is_primary() && indexes.iter().filter(|i| !i.is_primary()).any(|i| same(&i)) {
        let (name, table) = (index.name.clone(), env.table.clone());
        env.warnings.warn(errno::ER_DUP_INDEX, || {
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
            return Err(super::refused::not_for_generated(what));
        }
        if explicit_null[part.column] {
            return Err(SqlError::of(errno::ER_PRIMARY_CANT_HAVE_NULL, &[]));
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

/// 1075: one AUTO_INCREMENT column, first in some key; in a table that is declared as MyISAM's it may stand anywhere in a key.
pub fn check_auto_increment(
    columns: &[SqlColumn],
    indexes: &[SqlIndex],
    like_myisam: bool,
) -> Result<(), SqlError> {
    let mut autos = columns.iter().enumerate().filter(|(_, c)| c.auto_increment).map(|(i, _)| i);
    let Some(auto) = autos.next() else { return Ok(()) };
    let parts = |i: &SqlIndex| if like_myisam { i.parts.len() } else { 1 };
    let numbers = |i: &SqlIndex| i.parts.iter().take(parts(i)).any(|p| p.column == auto);
    let fits = |i: &SqlIndex| !i.is_multi_valued() && numbers(i);
    if autos.next().is_some() || !indexes.iter().any(fits) {
        return Err(SqlError::of(errno::ER_WRONG_AUTO_KEY, &[]));
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
