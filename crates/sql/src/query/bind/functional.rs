//! Expressions that a key is made of: where a condition or an order has one, the key's column takes its place, so that the optimizer
//! finds the key as it finds others.
//!
//! Invariant: what takes an expression's place has its value in every row. So nothing is replaced but what no setting of a session, no
//! time zone and no day decides about ([`is_settled`]), nor by a column whose type or collation is not that of its expression, nor where the
//! row of an outer join may be missing: then the column is NULL, whatever the expression makes of NULL.

use super::{Bind, Binder, operator, rules};
use crate::func::facts::{Id, Keyed};
use crate::meta::{SqlIndex, SqlTable};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::raw::{ListedCond, Raw};
use crate::query::plan::{Source, TableSlot};
use crate::session_api::SqlError;
use crate::value::arith::Op;
use crate::value::cast::CastTarget;
use crate::value::json::elements::Listed;
use crate::value::{Collation, SqlType, TypeInfo, Value};
use std::sync::Arc;
use weir_syntax::ast;

/// A column that a key is made of, and its expression.
struct KeyExpr {
    place: ColRef,
    info: TypeInfo,
    /// The column is a list, made of the document that the expression is.
    list: bool,
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
        let mut keys = Vec::new();
        for (t, slot) in tables.iter().enumerate() {
            let Source::Table(table) = &slot.source else { continue };
            self.of_table(t as u16, table, &mut keys)?;
        }
        if keys.is_empty() {
            return Ok(());
        }
        // A condition says something of the rows of its own group alone; those of others may be missing.
        let group_of =
            |k: &KeyExpr| raw.group_of.get(usize::from(k.place.table)).copied().flatten();
        let (outermost, inner): (Vec<_>, Vec<_>) =
            keys.into_iter().map(|k| (group_of(&k), k)).partition(|(g, _)| g.is_none());
        let outermost: Vec<KeyExpr> = outermost.into_iter().map(|(_, k)| k).collect();
        let mut of_groups: Vec<Vec<KeyExpr>> = raw.groups.iter().map(|_| Vec::new()).collect();
        for (g, k) in inner {
            of_groups[g.expect("the inner ones have a group")].push(k);
        }
        let mut listed = Vec::new();
        raw.conds.iter().for_each(|e| self.listed(&outermost, None, e, &mut listed));
        for (g, (group, keys)) in raw.groups.iter().zip(&of_groups).enumerate() {
            group.on.iter().for_each(|e| self.listed(keys, Some(g), e, &mut listed));
        }
        raw.listed = listed;
        raw.conds.iter_mut().for_each(|e| self.in_condition(&outermost, e));
        for (group, keys) in raw.groups.iter_mut().zip(&of_groups) {
            group.on.iter_mut().for_each(|e| self.in_condition(keys, e));
        }
        for (e, _) in order {
            if let Some(column) = self.key_column(&outermost, e) {
                *e = column;
            }
        }
        Ok(())
    }

    /// The list that the hidden column of a multi-valued index keeps.
    pub fn array(&mut self, e: &ast::Expr, element: SqlType) -> Bind<BExpr> {
        let ast::Expr::Cast { expr, array: true, .. } = e else {
            return Err(SqlError::internal("a list that is no cast to an array"));
        };
        let document = self.scalar(expr)?;
        let target = CastTarget::Array { element };
        let info = target.result_type(&document.info);
        Ok(BExpr::new(Node::Cast(target, Box::new(document)), info))
    }

    fn of_table(&self, t: u16, table: &Arc<SqlTable>, out: &mut Vec<KeyExpr>) -> Bind<()> {
        let columns = &table.meta.columns;
        let keyed = |c: usize| {
            let any = |i: &SqlIndex| i.parts.iter().any(|p| p.column == c);
            let first = |i: &SqlIndex| i.parts[0].column == c;
            let list = columns[c].array.is_some();
            table.meta.indexes.iter().any(|i| if list { any(i) } else { first(i) })
        };
        if !columns.iter().enumerate().any(|(i, c)| c.is_generated() && keyed(i)) {
            return Ok(());
        }
        let rules = rules::of(table, self.env.reads, self.env.user_vars)?;
        for (col, e) in rules.generated() {
            let c = &columns[*col];
            let e = match &e.node {
                Node::Cast(CastTarget::Array { .. }, document) => document,
                _ => e,
            };
            // A column that was defined as one has its own type, which may not be that of its expression.
            if !keyed(*col) || !(c.hidden || e.info.ty == c.ty) || !is_settled(e) {
                continue;
            }
            let place = ColRef { depth: 0, table: t, col: *col as u16 };
            let info = TypeInfo::column(c.ty, true);
            // The table's own expressions know no other table: it is their first.
            let (text, form) = (self.text(e, 0, false), self.text(e, 0, true));
            out.push(KeyExpr { place, info, list: c.array.is_some(), text, form });
        }
        Ok(())
    }

    /// An expression as text, by which two are compared: types come from what is in it, and a literal that was taken out of the statement
    /// stands in its place again.
    fn text(&self, e: &BExpr, table: u16, forms: bool) -> String {
        let mut e = e.clone();
        self.plain(&mut e, (table, forms), false);
        format!("{:?}", e.node)
    }

    /// `beside_text`: a column's text stands beside it, whose collation rules.
    fn plain(&self, e: &mut BExpr, (table, forms): (u16, bool), beside_text: bool) {
        let mut beside = false;
        e.for_children_mut(&mut |c| beside |= is_columns_text(c));
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
            // The collation of a literal gives way to that of a column's text; its set does not.
            (Some(Value::Str(b, c)), node) => {
                let c = if beside_text { Collation::default_of(c.charset()) } else { c };
                *node = Node::Const(Value::Str(b, c));
            }
            (Some(v), node) => *node = Node::Const(v),
            (None, Node::Col(c)) if c.depth == 0 && c.table == table => c.table = 0,
            // Other tables' columns are never those of the key.
            (None, Node::Col(c)) => c.depth = u8::MAX,
            _ => {}
        }
        e.for_children_mut(&mut |c| self.plain(c, (table, forms), beside));
    }

    fn in_condition(&mut self, keys: &[KeyExpr], e: &mut BExpr) {
        match &mut e.node {
            Node::And(list) | Node::Or(list) => {
                list.iter_mut().for_each(|c| self.in_condition(keys, c));
            }
            Node::Cmp { rule, a, b, .. } => {
                let replaced = (self.key_column(keys, a), self.key_column(keys, b));
                if matches!(replaced, (None, None)) {
                    return;
                }
                let x = replaced.0.unwrap_or_else(|| (**a).clone());
                let y = replaced.1.unwrap_or_else(|| (**b).clone());
                // Where the column is not compared as the expression is, it says nothing about it.
                if let Ok(r) = operator::rule_of(&x, &y, "=")
                    && (r == *rule || rule.is_none())
                {
                    (*rule, **a, **b) = (r, x, y);
                }
            }
            Node::In { left, list, negated: false, .. } => {
                let Some(column) = self.key_column(keys, left) else { return };
                let rules: Result<Vec<_>, _> =
                    list.iter().map(|(_, item)| operator::rule_of(&column, item, "=")).collect();
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

    /// What a condition asks of lists that multi-valued indexes are over. The condition stays as it is: it says more than they tell.
    fn listed(
        &mut self,
        keys: &[KeyExpr],
        group: Option<usize>,
        e: &BExpr,
        out: &mut Vec<ListedCond>,
    ) {
        let asked: &[(usize, usize, Listed)] = match &e.node {
            Node::And(list) => {
                return list.iter().for_each(|e| self.listed(keys, group, e, out));
            }
            Node::Func(def, args) => match (def.id, args.len()) {
                (Id::MemberOf, 2) => &[(1, 0, Listed::Member)],
                (Id::JsonContains, 2) => &[(0, 1, Listed::All)],
                (Id::JsonOverlaps, 2) => &[(0, 1, Listed::Any), (1, 0, Listed::Any)],
                _ => return,
            },
            _ => return,
        };
        let Node::Func(_, args) = &e.node else { return };
        for (document, value, by) in asked {
            let value = &args[*value];
            if !value.has_no_subs() || value.varies() || value.has_agg() {
                continue;
            }
            for k in keys.iter().filter(|k| k.list) {
                if self.is_key_expr(k, &args[*document]) {
                    let (table, col) = (k.place.table, k.place.col);
                    out.push(ListedCond { group, table, col, by: *by, value: value.clone() });
                }
            }
        }
    }

    /// Whether the expression is that of a key. Where it would be with other literals, the plan is not kept.
    fn is_key_expr(&mut self, k: &KeyExpr, e: &BExpr) -> bool {
        let t = k.place.table;
        if self.text(e, t, true) != k.form {
            return false;
        }
        let mut literals = false;
        e.walk(&mut |n| literals |= matches!(n.node, Node::Param(_)));
        self.cacheable &= !literals;
        self.text(e, t, false) == k.text
    }

    /// The column of a key that is made of the expression.
    fn key_column(&mut self, keys: &[KeyExpr], e: &BExpr) -> Option<BExpr> {
        if matches!(e.node, Node::Col(_) | Node::Const(_) | Node::Param(_)) {
            return None;
        }
        let mut found = None;
        for k in keys.iter().filter(|k| !k.list) {
            let same = self.is_key_expr(k, e);
            let alike = e.info.ty.class() == k.info.ty.class()
                && e.info.ty.collation() == k.info.ty.collation();
            if same && alike {
                found.get_or_insert_with(|| BExpr::new(Node::Col(k.place), k.info));
            }
        }
        found
    }
}

/// A text, or a document, that a column is part of.
fn is_columns_text(e: &BExpr) -> bool {
    let texts = |ty: SqlType| ty.is_string() || ty == SqlType::Json;
    let mut found = false;
    e.walk(&mut |n| found |= matches!(n.node, Node::Col(_)) && texts(n.info.ty));
    found && texts(e.info.ty)
}

/// No setting decides about the value: not `div_precision_increment`, `default_week_format`, the time zone, the modes of dates and of
/// subtraction, nor the day.
fn is_settled(e: &BExpr) -> bool {
    let mut settled = true;
    e.walk(&mut |n| settled &= is_settled_node(n));
    settled
}

fn is_settled_node(e: &BExpr) -> bool {
    let signed = |e: &BExpr| !matches!(e.info.ty, SqlType::Int { unsigned: true, .. });
    let day = |e: &BExpr| matches!(e.info.ty, SqlType::Date | SqlType::DateTime { .. });
    match &e.node {
        Node::Const(_) | Node::Param(_) | Node::Collate(..) => true,
        Node::Col(_) => !matches!(e.info.ty, SqlType::Timestamp { .. } | SqlType::Time { .. }),
        Node::Neg(a) => signed(a),
        Node::Arith(Op::Add | Op::Mul, ..) => true,
        // Only division by zero is for the mode to decide.
        Node::Arith(Op::Mod | Op::IntDiv, _, by) => match &by.node {
            Node::Const(Value::Int(n)) => *n != 0,
            Node::Const(Value::UInt(n)) => *n != 0,
            _ => false,
        },
        Node::Arith(Op::Sub, a, b) => signed(a) && signed(b),
        Node::Cast(to, _) => matches!(
            to,
            CastTarget::Signed
                | CastTarget::Unsigned
                | CastTarget::Decimal { .. }
                | CastTarget::Float
                | CastTarget::Double
                | CastTarget::Char { .. }
                | CastTarget::Binary { .. }
        ),
        Node::JsonValue(_, wanted) => wanted.ty.is_numeric() || wanted.ty.is_string(),
        Node::Func(def, args) => {
            // Parts of a day are those of a DATE or DATETIME that is stored.
            let of_days = || args.iter().all(|a| matches!(a.node, Node::Col(_)) && day(a));
            def.keyed == Keyed::Always || def.keyed == Keyed::OfDays && of_days()
        }
        _ => false,
    }
}
