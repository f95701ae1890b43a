//! DEFAULT as a value that UPDATE and ON DUPLICATE KEY UPDATE set a column to.

use super::image::{values_after, zero};
use crate::ddl::refused::value_error;
use crate::meta::{ColumnDefault, SqlTable};
use crate::query::bind::{default_value, rules};
use crate::query::eval::Ev;
use crate::query::exec::Runner;
use crate::query::expr::BExpr;
use crate::query::plan::outcome::Run;
use crate::query::plan::shape::Shape;
use crate::value::convert::now;
use crate::value::{DatumBuf, Value, ValueError};
use std::sync::Arc;

/// The default is an expression, which sees the other values of the row.
pub fn is_expression(table: &SqlTable, col: usize) -> bool {
    matches!(table.meta.columns[col].default, ColumnDefault::Expr(_))
}

/// Any other default: of a column without one, NULL or the type's zero is the store's affair.
pub fn default_for(table: &SqlTable, col: usize, ev: &Ev<'_>) -> Run<BExpr> {
    let c = &table.meta.columns[col];
    if let ColumnDefault::CurrentTimestamp(fsp) = c.default {
        return Ok(BExpr::constant(now(&ev.cx, fsp).map_or(Value::Null, Value::DateTime)));
    }
    Ok(default_value(table, col)?)
}

/// Sets columns to their defaults that are expressions. The flag says IGNORE.
pub fn set_to_defaults(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    old: &[u8],
    unset: &[usize],
    changes: &mut Vec<(usize, DatumBuf)>,
    (how, ignore): (rules::Storing, bool),
) -> Run<()> {
    let columns = &table.meta.columns;
    let mut row = values_after(table, old, changes);
    let rules = rules::of(table, r.reads, r.ev.user_vars)?;
    rules.fill(unset, &[Shape::Table(table.clone())], columns, &mut row, how, &mut r.ev)?;
    for &col in unset {
        if row[col] == DatumBuf::Null && !columns[col].nullable {
            let e = ValueError::bad_null(&columns[col].name);
            if !ignore || !columns[col].ty.has_zero() {
                return Err(value_error(e).into());
            }
            r.ev.cx.warnings.demote(e);
            row[col] = zero(table, col);
        }
        changes.retain(|(c, _)| *c != col);
        changes.push((col, row[col].clone()));
    }
    Ok(())
}
