//! Column definitions: attributes, defaults, and the keys they imply.

use crate::errno;
use crate::meta::{ColumnDefault, SqlColumn};
use crate::session_api::SqlError;
use crate::value::{Collation, DatumBuf, SqlType, Value};
use weir_syntax::ast::{
    ColumnAttr, ColumnDef, Expr, Ident, IndexOptions, KeyDef, KeyKind, KeyPart, KeyPartKind,
};

use super::check::NewCheck;
use super::types::{TextDefaults, column_type, incorrect_specifier};
use super::{Env, literal, options, options::engine_attribute};

const MAX_NAME: usize = 64;
const MAX_COMMENT: usize = 1024;

/// A column being defined.
#[derive(Debug, Clone)]
pub struct NewColumn {
    pub column: SqlColumn,
    /// NULL was written, which a primary key does not bear.
    pub explicit_null: bool,
    /// Keys written with the column.
    pub keys: Vec<KeyDef>,
    pub checks: Vec<NewCheck>,
}

/// Builds a column from its definition.
pub fn new_column(
    def: &ColumnDef,
    table_collation: Collation,
    env: &mut Env<'_>,
) -> Result<NewColumn, SqlError> {
    let name = def.name.as_str();
    check_column_name(name)?;
    let collate = def.attrs.iter().rev().find_map(|a| match a {
        ColumnAttr::Collate(c) => Some(c.as_str()),
        _ => None,
    });
    let defaults = TextDefaults { collation: table_collation };
    let (ty, explicit) = column_type(name, &def.data_type, collate, defaults, env)?;
    let column = SqlColumn { explicit_collation: explicit, ..SqlColumn::new(name, ty) };
    let mut new = NewColumn { column, explicit_null: false, keys: Vec::new(), checks: Vec::new() };
    let mut default = None;
    for attr in &def.attrs {
        attribute(&mut new, attr, &mut default, env)?;
    }
    finish(&mut new, default, env)?;
    Ok(new)
}

/// 1166 and 1059.
pub fn check_column_name(name: &str) -> Result<(), SqlError> {
    if name.is_empty() || name.ends_with(' ') || name.contains('\0') {
        return Err(SqlError::new(
            errno::ER_WRONG_COLUMN_NAME,
            format!("Incorrect column name '{name}'"),
        ));
    }
    check_length(name)
}

/// 1059: names have at most 64 characters.
pub fn check_length(name: &str) -> Result<(), SqlError> {
    if name.chars().count() > MAX_NAME {
        let text = format!("Identifier name '{name}' is too long");
        return Err(SqlError::new(errno::ER_TOO_LONG_IDENT, text));
    }
    Ok(())
}

fn attribute<'d>(
    new: &mut NewColumn,
    attr: &'d ColumnAttr,
    default: &mut Option<(&'d Expr, bool)>,
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    let column = &mut new.column;
    match attr {
        ColumnAttr::Null => {
            column.nullable = true;
            new.explicit_null = true;
        }
        ColumnAttr::NotNull => {
            column.nullable = false;
            new.explicit_null = false;
        }
        ColumnAttr::Default(expr) => *default = Some((expr, false)),
        ColumnAttr::DefaultExpr(expr) => *default = Some((expr, true)),
        ColumnAttr::OnUpdateNow(fsp) => {
            if !is_now_type(column.ty, *fsp) {
                return Err(SqlError::new(
                    errno::ER_INVALID_ON_UPDATE,
                    format!("Invalid ON UPDATE clause for '{}' column", column.name),
                ));
            }
            column.on_update_now = Some(*fsp);
        }
        ColumnAttr::AutoIncrement => column.auto_increment = true,
        ColumnAttr::SerialDefault => {
            column.auto_increment = true;
            column.nullable = false;
            new.keys.push(inline_key(KeyKind::Unique, &column.name));
        }
        ColumnAttr::PrimaryKey | ColumnAttr::Key => {
            new.keys.push(inline_key(KeyKind::Primary, &column.name));
        }
        ColumnAttr::Unique => new.keys.push(inline_key(KeyKind::Unique, &column.name)),
        ColumnAttr::Comment(bytes) => {
            let text = String::from_utf8_lossy(bytes);
            let name = column.name.clone();
            column.comment = options::comment_within(&text, MAX_COMMENT, 1629, env, || {
                format!("Comment for field '{name}' is too long (max = {MAX_COMMENT})")
            })?;
        }
        ColumnAttr::Collate(_) => {}
        ColumnAttr::Generated { .. } => {
            return Err(SqlError::not_supported("generated columns"));
        }
        ColumnAttr::Check { .. } => new.checks.extend(NewCheck::of_column(attr, &column.name)),
        ColumnAttr::References(_) => {
            return Err(SqlError::not_supported("FOREIGN KEY constraints"));
        }
        ColumnAttr::Visible => column.invisible = false,
        ColumnAttr::Invisible => column.invisible = true,
        ColumnAttr::Srid(_) => return Err(incorrect_specifier(&column.name)),
        ColumnAttr::ColumnFormat(word) | ColumnAttr::Storage(word) => {
            if !word.is("DEFAULT") {
                return Err(SqlError::not_supported("COLUMN_FORMAT and STORAGE of columns"));
            }
        }
        ColumnAttr::EngineAttribute(_) => return Err(engine_attribute("ENGINE_ATTRIBUTE")),
        ColumnAttr::SecondaryEngineAttribute(_) => {
            return Err(engine_attribute("SECONDARY_ENGINE_ATTRIBUTE"));
        }
    }
    Ok(())
}

fn inline_key(kind: KeyKind, column: &str) -> KeyDef {
    KeyDef {
        kind,
        constraint: None,
        name: None,
        parts: vec![KeyPart {
            kind: KeyPartKind::Column { name: Ident::new(column), length: None },
            descending: false,
            explicit_order: false,
        }],
        options: IndexOptions::default(),
    }
}

/// A temporal type that CURRENT_TIMESTAMP(fsp) may stand for.
fn is_now_type(ty: SqlType, fsp: u8) -> bool {
    matches!(ty, SqlType::DateTime { fsp: f } | SqlType::Timestamp { fsp: f } if f == fsp)
}

/// Settles AUTO_INCREMENT and the default once all attributes are known.
fn finish(
    new: &mut NewColumn,
    default: Option<(&Expr, bool)>,
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    let column = &mut new.column;
    if column.auto_increment {
        match column.ty {
            SqlType::Int { .. } => {}
            SqlType::Float { .. } | SqlType::Double { .. } => {
                return Err(SqlError::not_supported("AUTO_INCREMENT of floating point columns"));
            }
            _ => return Err(incorrect_specifier(&column.name)),
        }
        if default.is_some() {
            return Err(invalid_default(&column.name));
        }
        column.nullable = false;
    }
    column.default = match default {
        Some((expr, parens)) => column_default(column, expr, parens, env)?,
        None => implied_default(column),
    };
    Ok(())
}

/// DEFAULT NULL for a nullable column, none else.
pub fn implied_default(column: &SqlColumn) -> ColumnDefault {
    if column.nullable { ColumnDefault::Null } else { ColumnDefault::None }
}

/// 1067.
pub fn invalid_default(column: &str) -> SqlError {
    SqlError::new(errno::ER_INVALID_DEFAULT, format!("Invalid default value for '{column}'"))
}

/// Reads a DEFAULT clause; `parens`: an expression in parentheses.
pub fn column_default(
    column: &SqlColumn,
    expr: &Expr,
    parens: bool,
    env: &mut Env<'_>,
) -> Result<ColumnDefault, SqlError> {
    if !parens && let Some(fsp) = now_call(expr) {
        return match is_now_type(column.ty, fsp) {
            true => Ok(ColumnDefault::CurrentTimestamp(fsp)),
            false => Err(invalid_default(&column.name)),
        };
    }
    if parens {
        return expression_default(column, expr);
    }
    let Some(value) = literal::constant(expr, env.collation) else {
        return Err(invalid_default(&column.name));
    };
    if value.is_null() {
        return match column.nullable {
            true => Ok(ColumnDefault::Null),
            false => Err(invalid_default(&column.name)),
        };
    }
    if matches!(column.ty, SqlType::Text { .. }) {
        return lob_default(column, &value, env);
    }
    literal::store_default(column.ty, &value, &column.name, env)
        .map(ColumnDefault::Literal)
        .map_err(|_| invalid_default(&column.name))
}

/// TEXT and BLOB have no literal defaults; lax modes let `DEFAULT ''` pass, as what it is without it.
fn lob_default(
    column: &SqlColumn,
    value: &Value<'_>,
    env: &mut Env<'_>,
) -> Result<ColumnDefault, SqlError> {
    let text =
        format!("BLOB, TEXT, GEOMETRY or JSON column '{}' can't have a default value", column.name);
    let empty = value.as_bytes().is_some_and(<[u8]>::is_empty);
    if !env.mode.strict() && empty {
        env.warnings.warn(errno::ER_BLOB_CANT_HAVE_DEFAULT, || text);
        return Ok(ColumnDefault::Literal(DatumBuf::Bytes(Vec::new())));
    }
    Err(SqlError::new(errno::ER_BLOB_CANT_HAVE_DEFAULT, text))
}

fn expression_default(column: &SqlColumn, expr: &Expr) -> Result<ColumnDefault, SqlError> {
    if column.auto_increment {
        return Err(invalid_default(&column.name));
    }
    Ok(ColumnDefault::Expr(expr.to_string()))
}

/// Fractional digits of NOW, CURRENT_TIMESTAMP and their synonyms.
fn now_call(expr: &Expr) -> Option<u8> {
    let Expr::Call(call) = expr else { return None };
    let names = ["now", "current_timestamp", "localtime", "localtimestamp"];
    if call.schema.is_some() || !names.iter().any(|n| call.name.is(n)) {
        return None;
    }
    match call.args.as_slice() {
        [] => Some(0),
        [Expr::Literal(weir_syntax::ast::Literal::Int(n))] => u8::try_from(*n).ok(),
        _ => None,
    }
}
