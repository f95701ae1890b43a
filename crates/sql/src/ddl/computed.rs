//! Columns whose values are expressions over the row: generated columns and defaults in parentheses. Checked when all columns
//! are known, for a definition may name columns behind it.

use super::check::Gone;
use super::expression::{self, Purpose};
use super::functional;
use crate::errno;
use crate::meta::{ColumnDefault, SqlColumn, same_name};
use crate::session_api::SqlError;
use weir_syntax::ast::Expr;

fn is_generated(column: &SqlColumn) -> bool {
    matches!(column.default, ColumnDefault::Generated { .. })
}

/// Writes down the expressions of `new` columns and checks those of all: what they name is there, is no AUTO_INCREMENT column, and
/// is worked out before.
pub fn settle(columns: &mut [SqlColumn], new: &[(String, Expr)]) -> Result<(), SqlError> {
    for at in 0..columns.len() {
        let name = columns[at].name.clone();
        let generated = match columns[at].default {
            ColumnDefault::Generated { .. } => true,
            ColumnDefault::Expr(_) => false,
            _ => continue,
        };
        let purpose = if generated { Purpose::Generated(&name) } else { Purpose::Default(&name) };
        let used = match new.iter().find(|(n, _)| same_name(n, &name)) {
            Some((_, expr)) => {
                let written = expression::written(expr, purpose)?;
                if let ColumnDefault::Generated { expr: text, .. } | ColumnDefault::Expr(text) =
                    &mut columns[at].default
                {
                    *text = written.text;
                }
                written.columns
            }
            None => match &columns[at].default {
                ColumnDefault::Generated { expr: text, .. } | ColumnDefault::Expr(text) => {
                    expression::columns_of(text)
                }
                _ => Vec::new(),
            },
        };
        for other in used {
            depends(columns, at, &other, generated)?;
        }
    }
    Ok(())
}

/// Column `at` is made of the column `other`.
fn depends(columns: &[SqlColumn], at: usize, other: &str, generated: bool) -> Result<(), SqlError> {
    let name = &columns[at].name;
    let Some(source) = columns.iter().position(|c| c.is_named(other)) else {
        let place =
            if generated { "generated column function" } else { "default value expression" };
        return Err(SqlError::of(errno::ER_BAD_FIELD_ERROR, &[&other, &place]));
    };
    if columns[source].auto_increment {
        return Err(match generated {
            true => SqlError::of(errno::ER_GENERATED_COLUMN_REF_AUTO_INC, &[&name]),
            false => SqlError::of(errno::ER_DEFAULT_VAL_GENERATED_REF_AUTO_INC, &[&name]),
        });
    }
    let later = source >= at;
    if generated && later && is_generated(&columns[source]) {
        return Err(SqlError::of(errno::ER_GENERATED_COLUMN_NON_PRIOR, &[]));
    }
    let computed =
        is_generated(&columns[source]) || matches!(columns[source].default, ColumnDefault::Expr(_));
    if !generated && later && computed {
        return Err(SqlError::of(errno::ER_DEFAULT_VAL_GENERATED_NON_PRIOR, &[&name]));
    }
    Ok(())
}

/// A name that goes or changes while an expression of a column that stays names it: 3108 or 3766.
pub fn carried(
    columns: &[SqlColumn],
    new: &[(String, Expr)],
    table: &str,
    gone: impl Fn(&str) -> Option<Gone>,
) -> Result<(), SqlError> {
    for column in columns.iter().filter(|c| !new.iter().any(|(n, _)| same_name(n, &c.name))) {
        let (text, generated) = match &column.default {
            ColumnDefault::Generated { expr, .. } => (expr, true),
            ColumnDefault::Expr(text) => (text, false),
            _ => continue,
        };
        let lost = expression::columns_of(text).into_iter().find_map(|n| Some((gone(&n)?, n)));
        if let Some((how, lost)) = lost {
            return Err(match generated {
                true if column.hidden => functional::needed(&lost, how == Gone::Dropped),
                true => SqlError::of(errno::ER_DEPENDENT_BY_GENERATED_COLUMN, &[&lost]),
                false => {
                    SqlError::of(errno::ER_DEPENDENT_BY_DEFAULT_GENERATED_VALUE, &[&lost, &table])
                }
            });
        }
    }
    Ok(())
}
