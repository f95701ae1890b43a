//! Key parts that are expressions. As in MySQL each is a hidden VIRTUAL column that the key has as its part: rows keep its value
//! as they keep that of any generated column, and the key knows nothing of expressions.

use super::Env;
use super::expression::{self, Purpose};
use super::refused::{check_length, duplicate_key_name, no_such_column};
use crate::meta::{ColumnDefault, SqlColumn, same_name};
use crate::session_api::SqlError;
use crate::value::SqlType;
use weir_syntax::ast::{Expr, Ident, KeyDef, KeyKind, KeyPart, KeyPartKind};

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
        KeyKind::Primary => (3756, "The primary key cannot be a functional index"),
        KeyKind::FullText => (3759, "Fulltext functional index is not supported."),
        KeyKind::Spatial => (3760, "Spatial functional index is not supported."),
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
        Expr::Cast { array: true, .. } => {
            return Err(SqlError::not_supported("multi-valued indexes"));
        }
        Expr::Column(_) => {
            let text = "Functional index on a column is not supported. Consider using a regular \
                        index instead.";
            return Err(SqlError::new(3762, text));
        }
        _ => {}
    }
    let written = expression::written(expr, Purpose::KeyPart(index))?;
    for used in &written.columns {
        let Some(column) = columns.iter().find(|c| c.is_named(used)) else {
            let text = format!("Unknown column '{used}' in 'functional index'");
            return Err(SqlError::new(1054, text));
        };
        if column.auto_increment {
            let text =
                format!("Functional index '{index}' cannot refer to an auto-increment column.");
            return Err(SqlError::new(3754, text));
        }
    }
    let ty = indexed_type(&written.text, columns, table, env)?;
    let name = (0..).map(|n| format!("{PREFIX}{index}!{n}"));
    let free = |name: &String| !columns.iter().any(|c| same_name(&c.name, name));
    let name: String = name.into_iter().find(free).expect("names without end");
    part.kind = KeyPartKind::Column { name: Ident::new(&name), length: None };
    columns.push(SqlColumn {
        default: ColumnDefault::Generated { expr: written.text, stored: false },
        invisible: true,
        hidden: true,
        ..SqlColumn::new(name, ty)
    });
    Ok(())
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
        let text =
            "Cannot create a functional index on a function that returns a JSON or GEOMETRY value.";
        return Err(SqlError::new(3753, text));
    }
    if ty.is_lob() {
        let text = "Cannot create a functional index on an expression that returns a BLOB or \
                    TEXT. Please consider using CAST.";
        return Err(SqlError::new(3757, text));
    }
    Ok(ty)
}

/// The columns of the keys that stay, over a definition that has changed: an expression may have another type now.
pub fn retype(columns: &mut [SqlColumn], table: &str, env: &Env<'_>) -> Result<(), SqlError> {
    for at in 0..columns.len() {
        if let Some(text) = columns[at].key_expression() {
            columns[at].ty = indexed_type(text, columns, table, env)?;
        }
    }
    Ok(())
}

/// 3755 or 3837 for a column that goes or gets another name while a key part that stays names it.
pub fn needed(lost: &str, dropped: bool) -> SqlError {
    match dropped {
        true => SqlError::new(
            3755,
            format!(
                "Cannot drop column '{lost}' because it is used by a functional index. In order to \
                 drop the column, you must remove the functional index."
            ),
        ),
        false => SqlError::new(
            3837,
            format!(
                "Column '{lost}' has a functional index dependency and cannot be dropped or renamed."
            ),
        ),
    }
}
