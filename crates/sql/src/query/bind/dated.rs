//! Texts that are compared with dates: which of them must be dates, and when MySQL looks.
//!
//! - A literal, or a constant that is computed of literals, must be a date wherever an operator compares it: 1525 before there are rows.
//! - A parameter of a prepared statement has the type that the statement gives it, so the value that a client sends is converted once
//!   ([`Adapt::Sent`]): a text that is no date is NULL with a warning, and nothing is equal to it.
//! - A user variable, or a variable of a stored program, must be a date where a condition asks for equality with a column, since MySQL
//!   puts the constant in the place of the column there. In every other comparison such a text is the zero date, as any computed text is.

use super::Binder;
use super::literal::adapted;
use crate::query::eval::fitted::is_literal;
use crate::query::expr::adapt::Adapt;
use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::query::plan::beside::Beside;
use crate::value::compare::CompareRule;
use crate::value::{Class, SqlType, TypeInfo};
use std::sync::Arc;
use weir_syntax::ast::Expr;

fn has_date(e: &BExpr) -> bool {
    matches!(e.info.ty.class(), Class::Date | Class::DateTime)
}

/// `a <=> ?` where the parameter is converted: a text that is no date becomes NULL, and must not find the rows that have no date.
pub fn null_safe_sent(e: BExpr) -> BExpr {
    let Node::Cmp { op: CmpOp::NullSafe, a, b, .. } = &e.node else { return e };
    let sent = |e: &BExpr| match &e.node {
        Node::Adapted(Adapt::Sent(_), text) => Some((**text).clone()),
        _ => None,
    };
    let (text, other) = match (sent(a), sent(b)) {
        (Some(text), None) => (text, (**b).clone()),
        (None, Some(text)) => (text, (**a).clone()),
        _ => return e,
    };
    let null = |e: BExpr, negated| {
        BExpr::boolean(Node::Is { expr: Box::new(e), test: Truth::Null, negated }, false)
    };
    let either = BExpr::boolean(Node::Or(vec![null(text, false), null(other, true)]), false);
    BExpr::boolean(Node::And(vec![either, e]), false)
}

/// Two texts of BETWEEN, whose third side has a date: all three are compared as dates.
pub fn among_dates(mut e: BExpr, dated: bool) -> BExpr {
    if let Node::Cmp { rule, a, b, .. } = &mut e.node
        && dated
        && [&*a, &*b].iter().all(|e| e.info.ty.is_string() || e.is_untyped())
        && (a.info.ty.is_string() || b.info.ty.is_string() || rule.is_none())
    {
        *rule = Some(CompareRule::DateTime);
    }
    e
}

/// Whether BETWEEN compares dates: one side has a date, and each of the others has one or is a text.
pub fn are_dates(sides: [&BExpr; 3], texts: [bool; 3]) -> bool {
    let all = sides.iter().zip(texts).all(|(e, text)| {
        has_date(e) || text || matches!(e.info.ty.class(), Class::Text) && !e.info.ty.is_list()
    });
    all && sides.iter().any(|e| has_date(e))
}

impl Binder<'_> {
    /// A constant text that is compared with a date by an operator must be one, whatever rows there are. So must one that is
    /// compared with a column of numbers in a condition of a statement that changes rows.
    pub fn constant_beside(&mut self, (written, e): (&Expr, &BExpr), other: &BExpr) {
        let text = e.is_untyped() && matches!(e.node, Node::Param(_)) || e.info.ty.is_string();
        let asks = match other.info.ty.class() {
            Class::Date | Class::DateTime => {
                e.is_statement_constant() && !self.is_variable(e) && !self.is_sent(e)
            }
            Class::Int | Class::Decimal | Class::Real => {
                let plain = !matches!(other.info.ty, SqlType::Year | SqlType::Bit { .. });
                let beside_column = plain && matches!(other.node, Node::Col(_));
                let condition =
                    matches!(self.top().place, "where clause" | "on clause" | "having clause");
                condition && beside_column && is_literal(e) && !self.is_hex(written)
            }
            _ => false,
        };
        if text && asks {
            self.must_be(e, other);
        }
    }

    fn must_be(&mut self, e: &BExpr, other: &BExpr) {
        let (value, ty, column) = (e.clone(), other.info.ty, self.column_shown(other));
        let local = !self.env.locals.is_empty() && self.is_variable(e);
        self.constants.push(Beside { value, ty, column, local });
    }

    /// The name of what is just a column.
    fn column_shown(&self, e: &BExpr) -> Option<Arc<str>> {
        let Node::Col(c) = &e.node else { return None };
        let level = self.stack.len().checked_sub(1 + usize::from(c.depth))?;
        let table = self.stack[level].scope.tables.get(usize::from(c.table))?;
        Some(table.columns.get(table.place_of(e)?)?.name.clone())
    }

    /// A variable of the session, or of the stored program whose statement this is.
    fn is_variable(&self, e: &BExpr) -> bool {
        match &e.node {
            Node::UserVar(_) => true,
            Node::Param(_) => !self.env.locals.is_empty(),
            Node::Adapted(_, e) => self.is_variable(e),
            _ => false,
        }
    }

    /// A parameter of a prepared statement.
    fn is_sent(&self, e: &BExpr) -> bool {
        match &e.node {
            Node::Param(_) => self.env.literals.is_empty() && self.env.locals.is_empty(),
            Node::Adapted(Adapt::Fitted(..), e) => self.is_sent(e),
            _ => false,
        }
    }

    /// What clients send to be compared with a date is converted to one.
    pub fn sent_pair(&self, a: BExpr, b: BExpr, alike: bool) -> (BExpr, BExpr) {
        let ty = |e: &BExpr, other: &BExpr| {
            (has_date(other) && self.is_sent(e) && !self.is_sent(other)).then_some(
                match other.info.ty {
                    SqlType::Date if alike => SqlType::Date,
                    _ => SqlType::DateTime { fsp: 6 },
                },
            )
        };
        let (x, y) = (ty(&a, &b), ty(&b, &a));
        let sent = |e: BExpr, ty: Option<SqlType>| match ty {
            Some(ty) => adapted(Adapt::Sent(ty), e, TypeInfo::new(ty, true)),
            None => e,
        };
        (sent(a, x), sent(b, y))
    }

    /// The variables that a condition of WHERE or ON has equal to columns of dates must be dates; `holds`: it stands under an even number
    /// of NOT.
    pub fn equal_variables(&mut self, condition: &BExpr, holds: bool) {
        match &condition.node {
            Node::And(list) | Node::Or(list) => {
                list.iter().for_each(|e| self.equal_variables(e, holds));
            }
            Node::Not(e) => self.equal_variables(e, !holds),
            Node::Cmp { op, a, b, .. } => {
                let equal = match op {
                    CmpOp::Eq => holds,
                    CmpOp::Ne => !holds,
                    _ => false,
                };
                if equal {
                    self.equal_variable(a, b);
                    self.equal_variable(b, a);
                }
            }
            Node::In { left, list, negated, .. } if list.len() == 1 && *negated != holds => {
                self.equal_variable(&list[0].1, left);
            }
            _ => {}
        }
    }

    fn equal_variable(&mut self, e: &BExpr, other: &BExpr) {
        let column = matches!(other.node, Node::Col(_)) && has_date(other);
        if column && self.is_variable(e) {
            self.must_be(e, other);
        }
    }
}
