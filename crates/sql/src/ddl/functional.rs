//! Key parts that are expressions. As in MySQL each is a hidden VIRTUAL column that the key has as its part: rows keep its value
//! as they keep that of any generated column, and the key knows nothing of expressions.

use super::Env;
use super::expression::{self, Purpose};
use super::refused::{check_length, duplicate_key_name, no_such_column};
use crate::errno;
use crate::meta::{ColumnDefault, SqlColumn, same_name};
use crate::session_api::SqlError;
use crate::value::{Collation, SqlType};
use weir_syntax::ast::{CastType, Expr, Ident, KeyDef, KeyKind, KeyPart, KeyPartKind};

/// What a key without a name is called whose first part is an expression.
const NAME: &str = "functional_index";

/// Names of hidden columns: this, the index, and a number behind an exclamation mark.
const PREFIX: &str = "!hidden!";

/// Gives each expression among the parts of new keys a hidden column, behind the others, and puts the column in its place. `there`: the
/// names of the keys that the table has already.
pub fn settle(
    keys: &mut [KeyDef],
    columns: &mut Vec<SqlColumn>,
    there: &[&str],
    table: &str,
    env: &Env<'_>,
) -> Result<(), SqlError> {
    let mut taken: Vec<String> = there.iter().map(|n| (*n).to_owned()).collect();
    let given = keys.iter().filter_map(|k| k.name.as_ref().or(k.constraint.as_ref()));
    taken.extend(given.map(|n| n.as_str().to_owned()));
    for key in keys {
        let named = key.parts.iter().find_map(|p| match &p.kind {
            KeyPartKind::Column { name, .. } => Some(name.as_str()),
            KeyPartKind::Expr(_) => None,
        });
        // What made a column for itself is not there for others.
        if let Some(name) = named.filter(|n| hidden(columns, n)) {
            return Err(no_such_column(name));
        }
        if !key.parts.iter().any(|p| matches!(p.kind, KeyPartKind::Expr(_))) {
            continue;
        }
        check_kind(key.kind)?;
        let name = index_name(key, &mut taken)?;
        let array =
            |p: &&KeyPart| matches!(&p.kind, KeyPartKind::Expr(Expr::Cast { array: true, .. }));
        if key.parts.iter().filter(array).count() > 1 {
            return Err(SqlError::not_supported("more than one multi-valued key part per index"));
        }
        for part in &mut key.parts {
            replace(part, &name, columns, table, env)?;
        }
        if key.name.is_none() && key.constraint.is_none() {
            key.name = Some(Ident::new(&name));
        }
    }
    Ok(())
}

fn hidden(columns: &[SqlColumn], name: &str) -> bool {
    columns.iter().any(|c| c.hidden && same_name(&c.name, name))
}

fn check_kind(kind: KeyKind) -> Result<(), SqlError> {
    let (errno, text) = match kind {
        KeyKind::Primary => {
            (errno::ER_FUNCTIONAL_INDEX_PRIMARY_KEY, "The primary key cannot be a functional index")
        }
        KeyKind::FullText => {
            (errno::ER_FULLTEXT_FUNCTIONAL_INDEX, "Fulltext functional index is not supported.")
        }
        KeyKind::Spatial => {
            (errno::ER_SPATIAL_FUNCTIONAL_INDEX, "Spatial functional index is not supported.")
        }
        KeyKind::Unique | KeyKind::Index => return Ok(()),
    };
    Err(SqlError::new(errno, text))
}

/// The name given, else the first column's (which is found later), else one that is free.
fn index_name(key: &KeyDef, taken: &mut Vec<String>) -> Result<String, SqlError> {
    if let Some(given) = key.name.as_ref().or(key.constraint.as_ref()) {
        check_length(given.as_str())?;
        return Ok(given.as_str().to_owned());
    }
    let free = |name: &String| !taken.iter().any(|t| same_name(t, name));
    let numbered = (2..100).map(|n| format!("{NAME}_{n}"));
    let name = std::iter::once(NAME.to_owned()).chain(numbered).find(free);
    let name = name.ok_or_else(|| duplicate_key_name(NAME))?;
    taken.push(name.clone());
    Ok(name)
}

/// Puts a hidden column in the place of a part that is an expression.
fn replace(
    part: &mut KeyPart,
    index: &str,
    columns: &mut Vec<SqlColumn>,
    table: &str,
    env: &Env<'_>,
) -> Result<(), SqlError> {
    let KeyPartKind::Expr(expr) = &part.kind else { return Ok(()) };
    match expr {
        Expr::Cast { array: true, .. } if part.explicit_order => {
            return Err(SqlError::of(
                errno::ER_WRONG_USAGE,
                &[&"multi-valued index", &"explicit index order"],
            ));
        }
        Expr::Column(_) => {
            let text = "Functional index on a column is not supported. Consider using a regular \
                        index instead.";
            return Err(SqlError::new(errno::ER_FUNCTIONAL_INDEX_ON_FIELD, text));
        }
        _ => {}
    }
    let written = expression::written(expr, Purpose::KeyPart(index))?;
    for used in &written.columns {
        let Some(column) = columns.iter().find(|c| c.is_named(used)) else {
            return Err(SqlError::of(errno::ER_BAD_FIELD_ERROR, &[&used, &"functional index"]));
        };
        if column.auto_increment {
            return Err(SqlError::of(errno::ER_FUNCTIONAL_INDEX_REF_AUTO_INCREMENT, &[&index]));
        }
    }
    let (ty, array) = match expr {
        Expr::Cast { expr, to, array: true } => {
            // What it is made of must be an expression that can be had.
            let inner = expression::written(expr, Purpose::KeyPart(index))?;
            (env.reads.shared.type_of)(env.reads, table, columns, &inner.text)?;
            (SqlType::LIST, Some(element_type(to, &written.text)?))
        }
        _ => (indexed_type(&written.text, columns, table, env)?, None),
    };
    let name = (0..).map(|n| format!("{PREFIX}{index}!{n}"));
    let free = |name: &String| !columns.iter().any(|c| same_name(&c.name, name));
    let name: String = name.into_iter().find(free).expect("names without end");
    part.kind = KeyPartKind::Column { name: Ident::new(&name), length: None };
    columns.push(SqlColumn {
        default: ColumnDefault::Generated { expr: written.text, stored: false },
        invisible: true,
        hidden: true,
        array,
        ..SqlColumn::new(name, ty)
    });
    Ok(())
}

/// Characters of a text, or bytes of a binary one, that an element may have.
const MAX_ELEMENT: u64 = 512;

/// The type of the elements of `CAST(... AS to ARRAY)`; 1235 for those that there are no arrays of.
fn element_type(to: &CastType, text: &str) -> Result<SqlType, SqlError> {
    let refused = |what: &str| {
        Err(SqlError::not_supported(format!("CAST-ing data to array of {what}").as_str()))
    };
    let digits = |n: &Option<u64>| n.unwrap_or(0).min(6) as u8;
    match to {
        CastType::Signed => Ok(SqlType::LONG_INT),
        CastType::Unsigned => Ok(SqlType::LONG_UINT),
        CastType::Date => Ok(SqlType::Date),
        CastType::Time(fsp) => Ok(SqlType::Time { fsp: digits(fsp) }),
        CastType::Datetime(fsp) => Ok(SqlType::DateTime { fsp: digits(fsp) }),
        CastType::Decimal { precision, scale } => {
            let (p, s) = (precision.unwrap_or(10), scale.unwrap_or(0));
            Ok(SqlType::decimal(p.min(65) as u8, s.min(30) as u8))
        }
        CastType::Char { charset: Some(_), .. } | CastType::Char { national: true, .. } => {
            Err(SqlError::not_supported("specifying charset for multi-valued index"))
        }
        CastType::Char { length: Some(0), .. } | CastType::Binary(Some(0)) => {
            Err(SqlError::of(errno::ER_WRONG_KEY_COLUMN_FUNCTIONAL_INDEX, &[&text]))
        }
        CastType::Char { length: Some(n), .. } if *n <= MAX_ELEMENT => {
            Ok(SqlType::varchar(*n as u32, Collation::Utf8mb40900Bin))
        }
        CastType::Binary(Some(n)) if *n <= MAX_ELEMENT => Ok(SqlType::varbinary(*n as u32)),
        CastType::Char { .. } | CastType::Binary(_) => refused("char/binary BLOBs"),
        CastType::Year => refused("YEAR"),
        CastType::Float(_) => refused("FLOAT"),
        CastType::Double | CastType::Real => refused("DOUBLE"),
        CastType::Json => refused("JSON"),
        CastType::DatetimeAt { .. } | CastType::Geometry(_) => {
            refused(&to.to_string().to_uppercase())
        }
    }
}

/// 1235 for an array that is not the part of a key.
pub fn array_elsewhere() -> SqlError {
    SqlError::not_supported(
        "Use of CAST( .. AS .. ARRAY) outside of functional index in CREATE(non-SELECT)/ALTER TABLE or in general expressions",
    )
}

/// The index whose part a hidden column keeps, by the column's name.
pub fn index_of(hidden: &str) -> &str {
    let name = hidden.strip_prefix(PREFIX).unwrap_or(hidden);
    name.rsplit_once('!').map_or(name, |(index, _)| index)
}

/// The name of a hidden column whose index gets another name.
pub fn renamed(hidden: &str, index: &str) -> String {
    let number = hidden.rsplit_once('!').map_or("0", |(_, n)| n);
    format!("{PREFIX}{index}!{number}")
}

/// The type of the column that keeps an expression's values; 3753 and 3757 for what no key can have.
fn indexed_type(
    text: &str,
    columns: &[SqlColumn],
    table: &str,
    env: &Env<'_>,
) -> Result<SqlType, SqlError> {
    let ty = (env.reads.shared.type_of)(env.reads, table, columns, text)?;
    if ty == SqlType::Json || ty.is_geometry() {
        return Err(SqlError::of(errno::ER_FUNCTIONAL_INDEX_ON_JSON_OR_GEOMETRY_FUNCTION, &[]));
    }
    if ty.is_lob() {
        let text = "Cannot create a functional index on an expression that returns a BLOB or \
                    TEXT. Please consider using CAST.";
        return Err(SqlError::new(errno::ER_FUNCTIONAL_INDEX_ON_LOB, text));
    }
    Ok(ty)
}

/// The columns of the keys that stay, over a definition that has changed: an expression may have another type now.
pub fn retype(columns: &mut [SqlColumn], table: &str, env: &Env<'_>) -> Result<(), SqlError> {
    for at in 0..columns.len() {
        // The elements of an array have the type that their cast names.
        if let Some(text) = columns[at].key_expression().filter(|_| columns[at].array.is_none()) {
            columns[at].ty = indexed_type(text, columns, table, env)?;
        }
    }
    Ok(())
}

/// 3755 or 3837 for a column that goes or gets another name while a key part that stays names it.
pub fn needed(lost: &str, dropped: bool) -> SqlError {
    match dropped {
        true => SqlError::of(errno::ER_CANNOT_DROP_COLUMN_FUNCTIONAL_INDEX, &[&lost]),
        false => SqlError::of(errno::ER_DEPENDENT_BY_FUNCTIONAL_INDEX, &[&lost]),
    }
}
