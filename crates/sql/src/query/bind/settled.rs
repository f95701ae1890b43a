//! Parameters where a type is made from several: in IF, COALESCE, CASE, GREATEST and their like, and in what a UNION puts together.
//!
//! A parameter has no type before it has a value. Merged with others it would vanish from the type: `IFNULL(n, '')` would be an
//! integer, and be compared as one. A literal that became a parameter has the type of its class, which is part of the plan's key.
//! Where nothing is known, the plan has open types ([`crate::query::Plan::has_open_types`]) and is made for the values.

use super::Binder;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::param_kind::ParamKind;
use crate::value::compare::type_of;
use crate::value::types::coercibility;
use crate::value::{SqlType, TypeInfo, Value};
use weir_syntax::parse::LiteralClass;

impl Binder<'_> {
    /// The branches of one type.
    pub fn settled(&mut self, branches: Vec<BExpr>) -> Vec<BExpr> {
        // One alone is what its value is, of which a literal's class says enough.
        if branches.iter().filter(|e| e.info.ty != SqlType::Null || e.is_untyped()).count() < 2 {
            return branches.into_iter().map(|e| self.settle_literal(e)).collect();
        }
        self.note_numbers(&branches.iter().collect::<Vec<_>>());
        branches.into_iter().map(|e| self.settle(e)).collect()
    }

    pub fn settle(&mut self, e: BExpr) -> BExpr {
        let e = self.settle_literal(e);
        self.open_types |= e.is_untyped();
        e
    }

    /// A literal of a class that says its type; all else as it is.
    pub fn settle_literal(&self, mut e: BExpr) -> BExpr {
        if e.is_untyped()
            && let Some(ty) = self.type_of_class(&e)
        {
            e.info = TypeInfo { coercibility: coercibility::COERCIBLE, ..TypeInfo::new(ty, false) };
        }
        e
    }

    /// Types of which the plan may serve all literals of the class: a DECIMAL would be rounded to the digits of the first.
    fn type_of_class(&self, e: &BExpr) -> Option<SqlType> {
        let Node::Param(n) = e.node else { return None };
        let class = self.env.literals.get(n as usize)?.class;
        let of_value = |v: &Value<'_>| match (class, type_of(v)) {
            (LiteralClass::Int, ty) if ty.is_integer() => Some(SqlType::LONG_INT),
            (LiteralClass::Float, SqlType::Double { .. }) => Some(SqlType::LONG_DOUBLE),
            (LiteralClass::Str, ty) if ty.is_string() => Some(ty),
            _ => None,
        };
        self.env.params.get(n as usize).and_then(of_value)
    }

    /// Notes parameters that stand beside integers or decimals. Beside a double, a text or nothing but parameters they are what they are
    /// sent as.
    pub fn note_numbers(&mut self, beside: &[&BExpr]) {
        let mut others = beside.iter().filter(|e| !e.is_untyped()).peekable();
        let exact =
            |e: &&&BExpr| e.info.ty.is_integer() || matches!(e.info.ty, SqlType::Decimal { .. });
        if others.peek().is_some() && others.all(|e| exact(&e)) {
            beside.iter().for_each(|e| self.note_kind(e, ParamKind::Number));
        }
    }

    /// Notes what a parameter is where it stands. Literals that became parameters are none, nor are the variables of programs.
    pub fn note_kind(&mut self, e: &BExpr, kind: ParamKind) {
        if let Node::Param(n) = e.node
            && e.is_untyped()
            && self.env.literals.is_empty()
            && self.env.locals.is_empty()
        {
            self.param_kinds.push((n, kind));
        }
    }

    /// Columns of queries that give their rows together.
    pub fn settle_columns<'c>(&mut self, columns: impl IntoIterator<Item = &'c TypeInfo>) {
        self.open_types |= self.params > 0 && columns.into_iter().any(|c| c.ty == SqlType::Null);
    }
}
