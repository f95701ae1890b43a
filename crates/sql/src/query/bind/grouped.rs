//! ONLY_FULL_GROUP_BY: what is selected and sorted by has one value in each group.

use super::functional_dependency::{self, Known, is_any_value, loose_column, text};
use super::scope::{Place, Scope};
use super::{GROUPING, Named};
use crate::errno;
use crate::query::expr::{BExpr, ColRef, Node};
use crate::session_api::SqlError;
use crate::value::TypeInfo;
use std::collections::HashSet;

/// For each expression of the select list and of ORDER BY the columns that it names.
#[derive(Default)]
pub struct NamedIn {
    pub items: Vec<Vec<Named>>,
    pub order: Vec<Vec<Named>>,
}

/// 1055 and 1140: every column outside of aggregates must follow from the grouped ones, also where a subquery names it.
pub fn check_full_group_by(
    scope: &Scope,
    rows: &functional_dependency::Rows<'_>,
    keys: &[BExpr],
    (items, order): (&[BExpr], &[(BExpr, bool)]),
    named: &NamedIn,
) -> Result<(), SqlError> {
    let known = functional_dependency::closure(rows, keys);
    let items = items.iter().enumerate().map(|(i, e)| (i, e, "SELECT list", named.items.get(i)));
    let order = order.iter().enumerate();
    let order = order.map(|(i, (e, _))| (i, e, "ORDER BY clause", named.order.get(i)));
    for (i, e, list, named) in items.chain(order) {
        if known.exprs.contains(&text(e)) {
            continue;
        }
        let own = loose_column(e, &known);
        let mut named = named.into_iter().flatten().filter(|n| n.within || own.is_some());
        let by_name = named.find(|n| loose_column(&n.column, &known).is_some());
        let name = match (by_name, own) {
            (Some(n), _) => full_name(scope, n.place),
            (None, Some(c)) => name_of(scope, c),
            (None, None) => continue,
        };
        return Err(if keys.is_empty() {
            SqlError::new(
                errno::ER_MIX_OF_GROUP_FUNC_AND_FIELDS,
                format!(
                    "In aggregated query without GROUP BY, expression #{} of {list} contains nonaggregated column '{name}'; this is incompatible with sql_mode=only_full_group_by",
                    i + 1
                ),
            )
        } else {
            SqlError::new(
                errno::ER_WRONG_FIELD_WITH_GROUP,
                format!(
                    "Expression #{} of {list} is not in GROUP BY clause and contains nonaggregated column '{name}' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
                    i + 1
                ),
            )
        });
    }
    Ok(())
}

/// A SELECT DISTINCT.
pub struct Distinct<'e> {
    pub items: &'e [BExpr],
    pub order: &'e [(BExpr, bool)],
    pub keys: &'e [BExpr],
    pub rollup: bool,
}

impl Distinct<'_> {
    /// No two rows are the same anyway: there is one, or one for each group with all its keys.
    pub fn is_of_groups(&self, grouped: bool) -> bool {
        let texts: Vec<String> = self.items.iter().map(text).collect();
        grouped && !self.rollup && self.keys.iter().all(|k| texts.contains(&text(k)))
    }
}

/// 3065 and 3066: what SELECT DISTINCT is ordered by must follow from its list, whose expressions are parts of others only by their names.
pub fn check_distinct_order(
    scope: &Scope,
    list: &Distinct<'_>,
    named: &NamedIn,
) -> Result<(), SqlError> {
    let exprs = list.items.iter().map(text).collect();
    let known = Known { columns: HashSet::new(), exprs };
    for (i, (e, _)) in list.order.iter().enumerate() {
        if known.exprs.contains(&text(e)) {
            continue;
        }
        let n = i + 1;
        if has_loose_sum(e) {
            return Err(SqlError::of(errno::ER_AGGREGATE_IN_ORDER_NOT_SELECT, &[&n, &"DISTINCT"]));
        }
        let mut columns = named.order.get(i).into_iter().flatten();
        let loose = columns.find(|n| loose_column(&n.column, &known).is_some());
        let Some(c) = loose else { continue };
        return Err(SqlError::of(
            errno::ER_FIELD_IN_ORDER_NOT_SELECT,
            &[&n, &full_name(scope, c.place), &"DISTINCT"],
        ));
    }
    Ok(())
}

/// An aggregate outside of ANY_VALUE(). GROUPING() is not one: it tells of keys.
fn has_loose_sum(e: &BExpr) -> bool {
    let mut found = matches!(e.node, Node::Agg(n) if n < GROUPING);
    if !is_any_value(e) {
        e.for_children(&mut |c| found |= has_loose_sum(c));
    }
    found
}

/// A column as messages name it: schema, table, column.
fn full_name(scope: &Scope, (table, column): Place) -> String {
    let t = &scope.tables[usize::from(table)];
    let Some(col) = t.columns.get(usize::from(column)) else { return t.alias.to_string() };
    match col.origin.as_ref().map_or("", |o| &o.schema) {
        "" => format!("{}.{}", t.alias, col.name),
        schema => format!("{schema}.{}.{}", t.alias, col.name),
    }
}

/// One that nobody named: `*` shows it.
fn name_of(scope: &Scope, c: ColRef) -> String {
    let t = scope.owner(c.table.into());
    let shown = BExpr::new(Node::Col(c), TypeInfo::null());
    let owner = scope.tables.iter().position(|x| std::ptr::eq(x, t));
    match (owner, t.place_of(&shown)) {
        (Some(table), Some(column)) => full_name(scope, (table as u16, column as u16)),
        _ => t.alias.to_string(),
    }
}
