//! `c IS NULL` as a condition finds 0000-00-00 where `c` is a DATE or DATETIME that is NOT NULL, as MySQL's manual says: in WHERE and ON, by
//! itself or joined to others by AND and OR, not as a part of another expression.

use super::Bind;
use super::operator::{compare_exprs, either};
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::raw::Raw;
use crate::query::plan::{Source, TableSlot};
use crate::value::temporal::Date;
use crate::value::{SqlType, Value};

/// Behind the binding of all conditions of a block.
pub fn find_zero_days(tables: &[TableSlot], raw: &mut Raw) -> Bind<()> {
    let on = raw.groups.iter_mut().flat_map(|g| &mut g.on);
    raw.conds.iter_mut().chain(on).try_for_each(|e| in_condition(tables, e))
}

fn in_condition(tables: &[TableSlot], e: &mut BExpr) -> Bind<()> {
    match &mut e.node {
        Node::And(list) | Node::Or(list) => {
            list.iter_mut().try_for_each(|c| in_condition(tables, c))
        }
        Node::Is { expr, test: crate::query::expr::Truth::Null, negated: false }
            if is_day(tables, expr) =>
        {
            let zero = BExpr::constant(Value::Date(Date::ZERO));
            let zero = compare_exprs(CmpOp::Eq, (**expr).clone(), zero)?;
            *e = either(e.clone(), zero);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// A day that is defined as one that is always there; an outer join may leave it out.
fn is_day(tables: &[TableSlot], e: &BExpr) -> bool {
    let Node::Col(c) = e.node else { return false };
    if c.depth > 0 || !matches!(e.info.ty, SqlType::Date | SqlType::DateTime { .. }) {
        return false;
    }
    match &tables[usize::from(c.table)].source {
        Source::Table(t) => t.meta.columns.get(usize::from(c.col)).is_some_and(|c| !c.nullable),
        _ => false,
    }
}
