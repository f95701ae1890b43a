//! Expressions that a key is made of: where a condition or an order has one, the key's column takes its place, so that the optimizer
//! finds the key as it finds others.
//!
//! Invariant: what takes an expression's place has its value in every row. So nothing is replaced where the session or its time zone
//! decide about the value, nor by a column whose type is not that of its expression.

use super::{Bind, Binder, Raw, operator};
use crate::meta::SqlTable;
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::{Source, TableSlot};
use crate::query::rules;
use crate::value::{SqlType, TypeInfo, Value};
use std::sync::Arc;

/// What values have behind the point by division unless a session says otherwise.
const DIV_INCREMENT: u8 = 4;

/// A column that a key is made of, and its expression.
struct KeyExpr {
    place: ColRef,
    info: TypeInfo,
    text: String,
    /// The same with all literals alike.
    form: String,
}

impl Binder<'_> {
    /// Puts columns in the place of the expressions of keys: in a block's conditions, and in what its rows are sorted by.
    pub fn use_key_exprs(
        &mut self,
        tables: &[TableSlot],
        raw: &mut Raw,
        order: &mut [(BExpr, bool)],
    ) -> Bind<()> {
        if self.env.reads.settings.div_increment != DIV_INCREMENT {
            return Ok(());
        }
        let mut keys = Vec::new();
        for (t, slot) in tables.iter().enumerate() {
            let Source::Table(table) = &slot.source else { continue };
            self.of_table(t as u16, table, &mut keys)?;
        }
        if keys.is_empty() {
            return Ok(());
        }
        let on = raw.groups.iter_mut().flat_map(|g| &mut g.on);
        raw.conds.iter_mut().chain(on).for_each(|e| self.in_condition(&keys, e));
        for (e, _) in order {
            if let Some(column) = self.key_column(&keys, e) {
                *e = column;
            }
        }
        Ok(())
    }

    fn of_table(&self, t: u16, table: &Arc<SqlTable>, out: &mut Vec<KeyExpr>) -> Bind<()> {
        let columns = &table.meta.columns;
        let keyed = |c: usize| table.meta.indexes.iter().any(|i| i.parts[0].column == c);
        if !columns.iter().enumerate().any(|(i, c)| c.is_generated() && keyed(i)) {
            return Ok(());
        }
        let rules = rules::of(table, self.env.reads, self.env.user_vars)?;
        for (col, e) in rules.generated() {
            let c = &columns[*col];
            // A column that was defined as one has its own type, which may not be that of its expression.
            if !keyed(*col) || !(c.hidden || e.info.ty == c.ty) || is_of_session(e) {
                continue;
            }
            let place = ColRef { depth: 0, table: t, col: *col as u16 };
            let info = TypeInfo::column(c.ty, true);
            let (text, form) = (self.text(e, t, false), self.text(e, t, true));
            out.push(KeyExpr { place, info, text, form });
        }
        Ok(())
    }

    /// An expression as text, by which two are compared: types come from what is in it, and a literal that was taken out of the statement
    /// stands in its place again.
    fn text(&self, e: &BExpr, table: u16, forms: bool) -> String {
        let mut e = e.clone();
        self.plain(&mut e, table, forms);
        format!("{:?}", e.node)
    }

    fn plain(&self, e: &mut BExpr, table: u16, forms: bool) {
        e.info = TypeInfo::null();
        let literal = match &e.node {
            Node::Param(n) if (*n as usize) < self.env.literals.len() => {
                self.env.params.get(*n as usize).cloned()
            }
            Node::Const(v) => Some(v.clone()),
            _ => None,
        };
        match (literal, &mut e.node) {
            (Some(_), node) if forms => *node = Node::Const(Value::Null),
            // The collation of a literal gives way to that of what it stands beside.
            (Some(Value::Str(b, _)), node) => *node = Node::Const(Value::Bytes(b)),
            (Some(v), node) => *node = Node::Const(v),
            (None, Node::Col(c)) if c.depth == 0 && c.table == table => c.table = 0,
            // Other tables' columns are never those of the key.
            (None, Node::Col(c)) => c.depth = u8::MAX,
            _ => {}
        }
        e.for_children_mut(&mut |c| self.plain(c, table, forms));
    }

    fn in_condition(&mut self, keys: &[KeyExpr], e: &mut BExpr) {
        match &mut e.node {
            Node::And(list) | Node::Or(list) => {
                list.iter_mut().for_each(|c| self.in_condition(keys, c));
            }
            Node::Cmp { rule, a, b, .. } => {
                let replaced = (self.key_column(keys, a), self.key_column(keys, b));
                let x = replaced.0.unwrap_or_else(|| (**a).clone());
                let y = replaced.1.unwrap_or_else(|| (**b).clone());
                // Where the column is not compared as the expression is, it says nothing about it.
                if let Ok(r) = operator::rule_of(&x, &y)
                    && (r == *rule || rule.is_none())
                {
                    (*rule, **a, **b) = (r, x, y);
                }
            }
            Node::In { left, list, negated: false } => {
                let Some(column) = self.key_column(keys, left) else { return };
                let rules: Result<Vec<_>, _> =
                    list.iter().map(|(_, item)| operator::rule_of(&column, item)).collect();
                if let Ok(rules) = rules
                    && rules.iter().zip(list.iter()).all(|(r, (was, _))| r == was || was.is_none())
                {
                    **left = column;
                    list.iter_mut().zip(rules).for_each(|((was, _), r)| *was = r);
                }
            }
            _ => {}
        }
    }

    /// The column of a key that is made of the expression.
    fn key_column(&mut self, keys: &[KeyExpr], e: &BExpr) -> Option<BExpr> {
        if matches!(e.node, Node::Col(_) | Node::Const(_) | Node::Param(_)) {
            return None;
        }
        let mut found = None;
        for k in keys {
            let t = k.place.table;
            if self.text(e, t, true) != k.form {
                continue;
            }
            let mut literals = false;
            e.walk(&mut |n| literals |= matches!(n.node, Node::Param(_)));
            // With other literals it may be the expression, or not be it.
            self.cacheable &= !literals;
            let same = self.text(e, t, false) == k.text;
            let alike = literals
                || e.info.ty.class() == k.info.ty.class()
                    && e.info.ty.collation() == k.info.ty.collation();
            if same && alike {
                found.get_or_insert_with(|| BExpr::new(Node::Col(k.place), k.info));
            }
        }
        found
    }
}

/// The session's time zone decides about the value.
fn is_of_session(e: &BExpr) -> bool {
    let mut found = false;
    e.walk(&mut |n| match &n.node {
        Node::Col(_) => found |= matches!(n.info.ty, SqlType::Timestamp { .. }),
        Node::Func(def, _) => found |= def.name.contains("UNIX") || !def.deterministic,
        _ => {}
    });
    found
}
