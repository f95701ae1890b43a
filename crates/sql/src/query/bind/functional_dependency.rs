//! Functional dependencies: which columns have one value in each group, because others decide them.
//!
//! Source: SQL-2003's rules as MySQL has them since 5.7 ("MySQL Handling of GROUP BY", "Detection of Functional Dependence"): equalities, unique keys
//! without NULL, the conditions of outer joins, and what a derived table is grouped by.

use super::outer_joins::refuses_null;
use super::scope::{Place, Scope};
use crate::func::facts::Id;
use crate::meta::{ColumnDefault, SqlTable};
use crate::query::expr::{BExpr, CmpOp, ColRef, Node};
use crate::query::plan::raw::{Raw, RawGroup};
use crate::query::plan::{Block, Body, QueryPlan, Source, TableSlot};
use std::collections::HashSet;

/// What has one value in a group.
#[derive(Default)]
pub struct Known {
    pub columns: HashSet<Place>,
    /// By their texts: keys, and what views show that is no column of a table.
    pub exprs: HashSet<String>,
}

/// The rows that are grouped.
#[derive(Default)]
pub struct Rows<'r> {
    tables: &'r [TableSlot],
    conds: &'r [BExpr],
    /// The inner sides of outer joins.
    groups: &'r [RawGroup],
    /// Expressions that are columns of views.
    shown: &'r [String],
}

impl<'r> Rows<'r> {
    pub fn new(tables: &'r [TableSlot], raw: &'r Raw, shown: &'r [String]) -> Rows<'r> {
        Rows { tables, conds: &raw.conds, groups: &raw.groups, shown }
    }

    /// An outer join may have no row of the table.
    fn may_miss(&self, t: u16) -> bool {
        self.groups.iter().any(|g| g.tables & (1 << t) != 0)
    }
}

/// What merged views show that is no column of a table: to anyone who reads the view it is a column.
pub fn shown_by(scope: &Scope) -> Vec<String> {
    let merged = scope.tables.iter().filter_map(|t| t.merged.as_ref());
    let shown = merged.flat_map(|m| &m.items).filter(|e| column(e).is_none() && depends_on_row(e));
    shown.map(text).collect()
}

pub fn text(e: &BExpr) -> String {
    format!("{:?}", e.node)
}

fn column(e: &BExpr) -> Option<Place> {
    match e.node {
        Node::Col(c) if c.depth == 0 => Some((c.table, c.col)),
        _ => None,
    }
}

/// Its value is that of its columns, whenever it is asked.
fn depends_on_row(e: &BExpr) -> bool {
    let mut settled = e.has_no_subs();
    e.walk(&mut |n| match &n.node {
        Node::Func(def, _) => settled &= def.is_pure(),
        Node::UserVar(_) | Node::Assign(..) | Node::Window(_) | Node::Agg(_) => settled = false,
        _ => {}
    });
    settled
}

/// It has one value for all rows of the block: a row of a block around it is one of its constants.
fn is_fixed(e: &BExpr, known: &Known) -> bool {
    match &e.node {
        Node::Col(c) if c.depth > 0 => true,
        _ => column(e).map_or_else(
            || e.is_statement_constant() || known.exprs.contains(&text(e)),
            |c| known.columns.contains(&c),
        ),
    }
}

/// What an equality decides of its two sides: a column, or what a view shows.
fn equate(cond: &BExpr, rows: &Rows<'_>, known: &mut Known) {
    let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &cond.node else { return };
    for (e, other) in [(a, b), (b, a)] {
        match column(e) {
            Some(c) if is_fixed(other, known) => {
                known.columns.insert(c);
            }
            None if !rows.shown.is_empty() && is_fixed(other, known) => {
                known.exprs.extend(Some(text(e)).filter(|t| rows.shown.contains(t)));
            }
            _ => {}
        }
    }
}

/// Looks into derived tables for one question. Without a bound the work doubles with each derived table that stands within another; what
/// is not looked at any more counts as not decided.
const MAX_LOOKS: u32 = 2_000;

/// Columns that have one value in a group: the keys, what equals them or a constant, and what a key of a table decides.
pub fn closure(rows: &Rows<'_>, keys: &[BExpr]) -> Known {
    closure_within(rows, keys, &mut MAX_LOOKS.clone())
}

fn closure_within(rows: &Rows<'_>, keys: &[BExpr], looks: &mut u32) -> Known {
    let mut known = Known {
        columns: keys.iter().filter_map(column).collect(),
        exprs: keys.iter().map(text).collect(),
    };
    // How many columns of each derived table were known when it was last looked at.
    let mut asked = vec![usize::MAX; rows.tables.len()];
    loop {
        let before = known.columns.len() + known.exprs.len();
        rows.conds.iter().for_each(|c| equate(c, rows, &mut known));
        for g in rows.groups {
            by_outer_join(g, &mut known);
        }
        for (t, slot) in rows.tables.iter().enumerate() {
            let t = t as u16;
            let decided = match &slot.source {
                Source::Table(table) if has_known_key(rows, t, table, &known) => {
                    (0..table.meta.columns.len() as u16).collect()
                }
                Source::Table(table) => generated(t, table, &known),
                Source::Derived(q) if slot.lateral.is_none() => {
                    // Of a missing row all columns are NULL, so one must tell whether it is there.
                    let told = |c: &Place| c.0 == t && !q.columns[usize::from(c.1)].info.nullable;
                    let of_it = known.columns.iter().filter(|c| c.0 == t).count();
                    let same = std::mem::replace(&mut asked[usize::from(t)], of_it) == of_it;
                    match same || rows.may_miss(t) && !known.columns.iter().any(told) {
                        true => Vec::new(),
                        false => within(q, t, &known, looks),
                    }
                }
                _ => continue,
            };
            known.columns.extend(decided.into_iter().map(|c| (t, c)));
        }
        if known.columns.len() + known.exprs.len() == before {
            return known;
        }
    }
}

/// Columns of an outer join's inner side that its condition equates with known ones. A row without a partner has NULL there, and whether a
/// row has one must be decided by what is known, too.
fn by_outer_join(g: &RawGroup, known: &mut Known) {
    let inner = |t: u16| g.tables & (1 << t) != 0;
    let mut decided = true;
    for c in &g.on {
        c.walk(&mut |e| match &e.node {
            Node::Col(c) if c.depth == 0 && !inner(c.table) => {
                decided &= known.columns.contains(&(c.table, c.col));
            }
            Node::Func(def, _) => decided &= def.is_pure(),
            Node::Sub(_) | Node::SubColumn { .. } | Node::InSub { .. } | Node::Call { .. } => {
                decided = false;
            }
            _ => {}
        });
    }
    if !decided {
        return;
    }
    for c in &g.on {
        let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &c.node else { continue };
        for (e, other) in [(a, b), (b, a)] {
            let found = column(e).filter(|(t, _)| inner(*t) && is_fixed(other, known));
            known.columns.extend(found);
        }
    }
}

/// A unique key whose columns are known, and never NULL.
fn has_known_key(rows: &Rows<'_>, t: u16, table: &SqlTable, known: &Known) -> bool {
    let never_null = |column: usize| {
        let is = |c: &ColRef| c.depth == 0 && (c.table, c.col) == (t, column as u16);
        !table.meta.columns[column].nullable || rows.conds.iter().any(|e| refuses_null(e, &is))
    };
    table.meta.indexes.iter().any(|i| {
        let is_known = |column: usize| known.columns.contains(&(t, column as u16));
        let mut parts = i.parts.iter();
        i.unique && parts.all(|p| p.prefix.is_none() && is_known(p.column) && never_null(p.column))
    })
}

/// Generated columns all of whose bases are known.
fn generated(t: u16, table: &SqlTable, known: &Known) -> Vec<u16> {
    let columns = &table.meta.columns;
    let is_known = |name: &String| {
        let at = columns.iter().position(|c| c.is_named(name));
        at.is_some_and(|c| known.columns.contains(&(t, c as u16)))
    };
    let decided = |at: &usize| match &columns[*at].default {
        ColumnDefault::Generated { expr, .. } if !known.columns.contains(&(t, *at as u16)) => {
            crate::ddl::expression::columns_of(expr).iter().all(is_known)
        }
        _ => false,
    };
    (0..columns.len()).filter(decided).map(|c| c as u16).collect()
}

/// Columns of a derived table that others of its columns decide: by what its own block says of its rows.
fn within(q: &QueryPlan, t: u16, known: &Known, looks: &mut u32) -> Vec<u16> {
    let Some(left) = looks.checked_sub(1) else { return Vec::new() };
    *looks = left;
    let Body::Block(b) = &q.body else { return Vec::new() };
    let Block { items, agg, raw, tables, .. } = &**b;
    let of_row = |e: &BExpr| depends_on_row(e) && !e.has_agg();
    let is_known = |i: usize| known.columns.contains(&(t, i as u16));
    let shown = items.iter().enumerate().filter(|(i, e)| is_known(*i) && of_row(e));
    let keys: Vec<BExpr> = shown.map(|(_, e)| e.clone()).collect();
    let rows = match raw {
        Some(raw) => Rows::new(tables, raw, &[]),
        None => Rows { tables, ..Rows::default() },
    };
    let inner = closure_within(&rows, &keys, looks);
    let all = match agg {
        Some(agg) if agg.rollup.is_some() => return Vec::new(),
        Some(agg) => agg.keys.iter().all(|k| of_row(k) && loose_column(k, &inner).is_none()),
        None => false,
    };
    let decided =
        |i: &usize| all || of_row(&items[*i]) && loose_column(&items[*i], &inner).is_none();
    (0..items.len()).filter(decided).map(|i| i as u16).collect()
}

/// A column of the expression that has several values in a group.
pub fn loose_column(e: &BExpr, known: &Known) -> Option<ColRef> {
    if is_any_value(e) || known.exprs.contains(&text(e)) {
        return None;
    }
    match &e.node {
        Node::Col(c) if c.depth == 0 => (!known.columns.contains(&(c.table, c.col))).then_some(*c),
        Node::Agg(_) => None,
        _ => {
            let mut found = None;
            e.for_children(&mut |c| {
                if found.is_none() {
                    found = loose_column(c, known);
                }
            });
            found
        }
    }
}

/// Nobody asks of its argument that it have one value.
pub fn is_any_value(e: &BExpr) -> bool {
    matches!(&e.node, Node::Func(def, _) if def.id == Id::AnyValue)
}
