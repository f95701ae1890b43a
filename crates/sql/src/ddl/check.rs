//! CHECK constraints of definitions: their names, what they may say, and what becomes of them when columns change.

use super::expression::{self, Purpose};
use super::refused::check_length;
use crate::canonical::is_boolean;
use crate::context::StatementCtx;
use crate::errno;
use crate::meta::constraint::CHECK;
use crate::meta::{CheckConstraint, ColumnDefault, ConstraintName, SqlColumn, folded, same_name};
use crate::session_api::SqlError;
use std::collections::HashSet;
use weir_syntax::ast::{CheckDef, ColumnAttr, Expr};

/// A constraint as written; `column`: it stood in the definition of that column.
#[derive(Debug, Clone)]
pub struct NewCheck {
    pub name: Option<String>,
    pub expr: Expr,
    pub enforced: bool,
    pub column: Option<String>,
}

impl NewCheck {
    /// The CHECK among a column's attributes.
    pub fn of_column(attr: &ColumnAttr, column: &str) -> Option<NewCheck> {
        let ColumnAttr::Check { name, expr, enforced } = attr else { return None };
        Some(NewCheck {
            name: name.as_ref().map(|n| n.as_str().to_owned()),
            expr: expr.clone(),
            enforced: *enforced,
            column: Some(column.to_owned()),
        })
    }

    pub fn of_table(def: &CheckDef) -> NewCheck {
        NewCheck {
            name: def.name.as_ref().map(|n| n.as_str().to_owned()),
            expr: def.expr.clone(),
            enforced: def.enforced,
            column: None,
        }
    }
}

/// Adds `new` to the constraints that a table has. Unnamed ones are numbered on from the highest number there is.
pub fn add(
    checks: &mut Vec<CheckConstraint>,
    new: &[NewCheck],
    table: &str,
    columns: &[SqlColumn],
) -> Result<(), SqlError> {
    let number = |c: &CheckConstraint| match c.name {
        ConstraintName::Numbered(n) => n,
        ConstraintName::Given(_) => 0,
    };
    let mut last = checks.iter().map(number).max().unwrap_or(0);
    let mut known: HashSet<String> =
        checks.iter().map(|c| folded(&c.name.text(table, CHECK))).collect();
    for check in new {
        let name = match &check.name {
            Some(name) => {
                check_length(name)?;
                ConstraintName::of(name, table, CHECK)
            }
            None => {
                last += 1;
                ConstraintName::Numbered(last)
            }
        };
        let shown = name.text(table, CHECK);
        check_length(&shown)?;
        if !known.insert(folded(&shown)) {
            return Err(duplicate_name(&shown));
        }
        let expr = condition(check, &shown, columns)?;
        checks.push(CheckConstraint { name, expr, enforced: check.enforced });
    }
    Ok(())
}

/// What DEFAULT() of a column is refused with: 1364 where it has none, 3773 where each row has its own.
fn has_default(column: &SqlColumn) -> Result<(), SqlError> {
    match column.default {
        ColumnDefault::None => Err(SqlError::of(errno::ER_NO_DEFAULT_FOR_FIELD, &[&column.name])),
        ColumnDefault::Expr(_)
        | ColumnDefault::Generated { .. }
        | ColumnDefault::CurrentTimestamp(_) => {
            Err(SqlError::of(errno::ER_DEFAULT_AS_VAL_GENERATED, &[]))
        }
        ColumnDefault::Null | ColumnDefault::Literal(_) => Ok(()),
    }
}

/// The kept text of a condition.
fn condition(check: &NewCheck, name: &str, columns: &[SqlColumn]) -> Result<String, SqlError> {
    if !is_boolean(&check.expr) {
        return Err(SqlError::of(errno::ER_NON_BOOLEAN_EXPR_FOR_CHECK_CONSTRAINT, &[&name]));
    }
    let written = expression::written(&check.expr, Purpose::Check(name))?;
    for used in &written.columns {
        if check.column.as_ref().is_some_and(|own| !same_name(own, used)) {
            return Err(SqlError::of(
                errno::ER_COLUMN_CHECK_CONSTRAINT_REFERENCES_OTHER_COLUMN,
                &[&name],
            ));
        }
        let Some(column) = columns.iter().find(|c| c.is_named(used)) else {
            return Err(SqlError::of(
                errno::ER_CHECK_CONSTRAINT_REFERS_UNKNOWN_COLUMN,
                &[&name, &used],
            ));
        };
        if column.auto_increment {
            return Err(SqlError::of(
                errno::ER_CHECK_CONSTRAINT_REFERS_AUTO_INCREMENT_COLUMN,
                &[&name],
            ));
        }
        if written.defaults.iter().any(|d| same_name(d, used)) {
            has_default(column)?;
        }
    }
    Ok(written.text)
}

/// 3822.
fn duplicate_name(name: &str) -> SqlError {
    SqlError::of(errno::ER_CHECK_CONSTRAINT_DUP_NAME, &[&name])
}

/// 3821.
pub fn not_found(name: &str) -> SqlError {
    SqlError::of(errno::ER_CHECK_CONSTRAINT_NOT_FOUND, &[&name])
}

/// Names of checks are unique in their schema (3822). `new`: the constraints of a table of that schema that is defined; `own`: its
/// id, where it exists.
pub fn unique_in_schema(
    schema: &str,
    table: &str,
    own: Option<u64>,
    new: &[CheckConstraint],
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    if new.is_empty() {
        return Ok(());
    }
    for other in ctx.reads.meta().tables(ctx.reads.db(), schema) {
        if Some(other.engine.def.id) == own {
            continue;
        }
        let names = |c: &CheckConstraint| folded(&c.name.text(other.name(), CHECK));
        let known: HashSet<String> = other.checks.iter().map(names).collect();
        for check in new.iter().filter(|_| !known.is_empty()) {
            let name = check.name.text(table, CHECK);
            if known.contains(&folded(&name)) {
                return Err(duplicate_name(&name));
            }
        }
    }
    Ok(())
}

/// Refuses columns that have lost the default for which a constraint asks.
pub fn keep_defaults(checks: &[CheckConstraint], columns: &[SqlColumn]) -> Result<(), SqlError> {
    for check in checks {
        for asked in expression::defaults_of(&check.expr) {
            columns.iter().filter(|c| c.is_named(&asked)).try_for_each(has_default)?;
        }
    }
    Ok(())
}

/// The constraints that remain when columns go or change their names: one that names a column that goes and no other goes with
/// it; all else is 3959.
pub fn carried(
    checks: Vec<CheckConstraint>,
    table: &str,
    gone: impl Fn(&str) -> Option<Gone>,
) -> Result<Vec<CheckConstraint>, SqlError> {
    let mut kept = Vec::with_capacity(checks.len());
    for check in checks {
        let used = expression::columns_of(&check.expr);
        let lost = used.iter().find_map(|name| Some((name, gone(name)?)));
        match lost {
            None => kept.push(check),
            Some((_, Gone::Dropped)) if used.len() == 1 => {}
            Some((column, _)) => {
                return Err(SqlError::of(
                    errno::ER_DEPENDENT_BY_CHECK_CONSTRAINT,
                    &[&check.name.text(table, CHECK), &column],
                ));
            }
        }
    }
    Ok(kept)
}

/// Why a name stands for no column any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gone {
    Dropped,
    Renamed,
}
