//! ONLY_FULL_GROUP_BY: what is selected and sorted by has one value in each group.

use super::decided;
use super::scope::Scope;
use crate::errno;
use crate::query::expr::{BExpr, ColRef, Node};
use crate::session_api::SqlError;
use std::collections::HashSet;

/// 1055 and 1140: every column outside of aggregates must follow from the grouped ones.
pub fn check_full_group_by(
    scope: &Scope,
    rows: &decided::Rows<'_>,
    keys: &[BExpr],
    items: &[BExpr],
    order: &[(BExpr, bool)],
) -> Result<(), SqlError> {
    let known = decided::closure(rows, keys);
    let texts: Vec<String> = keys.iter().map(|k| format!("{:?}", k.node)).collect();
    let lists = items
        .iter()
        .enumerate()
        .map(|(i, e)| (i, e, "SELECT list"))
        .chain(order.iter().enumerate().map(|(i, (e, _))| (i, e, "ORDER BY clause")));
    for (i, e, list) in lists {
        let Some(c) = loose_column(e, &texts, &known) else { continue };
        let name = full_name(scope, c);
        return Err(if keys.is_empty() {
            SqlError::new(
                1140,
                format!(
                    "In aggregated query without GROUP BY, expression #{} of {list} contains nonaggregated column '{name}'; this is incompatible with sql_mode=only_full_group_by",
                    i + 1
                ),
            )
        } else {
            SqlError::new(
                1055,
                format!(
                    "Expression #{} of {list} is not in GROUP BY clause and contains nonaggregated column '{name}' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by",
                    i + 1
                ),
            )
        });
    }
    Ok(())
}

/// 3065 and 3066: what SELECT DISTINCT is ordered by must follow from its list.
pub fn check_distinct_order(
    scope: &Scope,
    items: &[BExpr],
    order: &[(BExpr, bool)],
) -> Result<(), SqlError> {
    let texts: Vec<String> = items.iter().map(|e| format!("{:?}", e.node)).collect();
    let column = |e: &BExpr| match e.node {
        Node::Col(c) if c.depth == 0 => Some((c.table, c.col)),
        _ => None,
    };
    let known: HashSet<(u16, u16)> = items.iter().filter_map(column).collect();
    for (i, (e, _)) in order.iter().enumerate() {
        let n = i + 1;
        if e.has_agg() && !texts.contains(&format!("{:?}", e.node)) {
            let text = format!(
                "Expression #{n} of ORDER BY clause is not in SELECT list, contains aggregate function; this is incompatible with DISTINCT"
            );
            return Err(SqlError::new(errno::ER_AGGREGATE_IN_ORDER_NOT_SELECT, text));
        }
        let Some(c) = loose_column(e, &texts, &known) else { continue };
        let text = format!(
            "Expression #{n} of ORDER BY clause is not in SELECT list, references column '{}' which is not in SELECT list; this is incompatible with DISTINCT",
            full_name(scope, c)
        );
        return Err(SqlError::new(errno::ER_FIELD_IN_ORDER_NOT_SELECT, text));
    }
    Ok(())
}

/// A column as messages name it: schema, table, column.
fn full_name(scope: &Scope, c: ColRef) -> String {
    let t = scope.owner(c.table.into());
    let shown = BExpr::new(Node::Col(c), crate::value::TypeInfo::null());
    let Some(col) = t.place_of(&shown).and_then(|i| t.columns.get(i)) else {
        return t.alias.to_string();
    };
    let schema = col.origin.as_ref().map_or("", |o| &o.schema);
    if schema.is_empty() {
        format!("{}.{}", t.alias, col.name)
    } else {
        format!("{schema}.{}.{}", t.alias, col.name)
    }
}

fn loose_column(e: &BExpr, keys: &[String], known: &HashSet<(u16, u16)>) -> Option<ColRef> {
    if keys.iter().any(|k| *k == format!("{:?}", e.node)) {
        return None;
    }
    match &e.node {
        Node::Col(c) if c.depth == 0 => (!known.contains(&(c.table, c.col))).then_some(*c),
        Node::Agg(_) => None,
        _ => {
            let mut found = None;
            e.for_children(&mut |c| {
                if found.is_none() {
                    found = loose_column(c, keys, known);
                }
            });
            found
        }
    }
}
