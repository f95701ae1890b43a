//! Names of tables with their schemas: what is stored of a query must mean the same whatever the default schema is.

use super::{
    Expr, FunctionCall, Ident, JoinCondition, Over, Query, QueryBody, Select, SelectItem,
    TableName, TableRef, WindowSpec, With,
};

/// Gives every table of a query that has no schema this one. Common tables are none.
pub fn qualify(q: &mut Query, schema: &str) {
    Qualify { schema, common: Vec::new(), variable: false, calls: Vec::new() }.query(q);
}

/// Whether a query names a variable, which a view cannot.
pub fn names_variable(q: &Query) -> bool {
    let mut walk = Qualify { schema: "", common: Vec::new(), variable: false, calls: Vec::new() };
    walk.query(&mut q.clone());
    walk.variable
}

/// The functions that a query calls, each with the schema that was written before it.
pub fn called_functions(q: &Query) -> Vec<(Option<Ident>, Ident)> {
    let mut walk = Qualify { schema: "", common: Vec::new(), variable: false, calls: Vec::new() };
    walk.query(&mut q.clone());
    walk.calls
}

struct Qualify<'a> {
    schema: &'a str,
    common: Vec<Ident>,
    variable: bool,
    calls: Vec<(Option<Ident>, Ident)>,
}

impl Qualify<'_> {
    fn query(&mut self, q: &mut Query) {
        let known = self.common.len();
        self.with(q.with.as_mut());
        self.body(&mut q.body);
        q.order_by.iter_mut().for_each(|o| self.expr(&mut o.expr));
        if let Some(l) = &mut q.limit {
            l.offset.iter_mut().chain([&mut l.count]).for_each(|e| self.expr(e));
        }
        self.common.truncate(known);
    }

    fn with(&mut self, with: Option<&mut With>) {
        let Some(w) = with else { return };
        for t in &mut w.tables {
            if w.recursive {
                self.common.push(t.name.clone());
            }
            self.query(&mut t.query);
            if !w.recursive {
                self.common.push(t.name.clone());
            }
        }
    }

    fn body(&mut self, body: &mut QueryBody) {
        match body {
            QueryBody::Select(s) => self.select(s),
            QueryBody::SetOp { left, right, .. } => {
                self.body(left);
                self.body(right);
            }
            QueryBody::Nested(q) => self.query(q),
            QueryBody::Values(rows) => rows.iter_mut().flatten().for_each(|e| self.expr(e)),
            QueryBody::Table(name) => self.name(name),
        }
    }

    fn name(&mut self, name: &mut TableName) {
        let common = self.common.iter().any(|c| c.is(name.name.as_str()));
        if name.schema.is_none() && !common && !name.name.is("dual") {
            name.schema = Some(Ident::new(self.schema));
        }
    }

    fn select(&mut self, s: &mut Select) {
        s.from.iter_mut().for_each(|t| self.from(t));
        for item in &mut s.items {
            if let SelectItem::Expr { expr, .. } = item {
                self.expr(expr);
            }
        }
        s.where_.iter_mut().chain(&mut s.group_by).chain(&mut s.having).for_each(|e| self.expr(e));
        s.windows.iter_mut().for_each(|(_, w)| self.window(w));
    }

    fn from(&mut self, t: &mut TableRef) {
        match t {
            TableRef::Table(f) => self.name(&mut f.name),
            TableRef::Derived { query, .. } => self.query(query),
            TableRef::Join(j) => {
                self.from(&mut j.left);
                self.from(&mut j.right);
                if let Some(JoinCondition::On(e)) = &mut j.condition {
                    self.expr(e);
                }
            }
            TableRef::List(list) => list.iter_mut().for_each(|t| self.from(t)),
            TableRef::JsonTable(j) => self.expr(&mut j.doc),
        }
    }

    fn window(&mut self, w: &mut WindowSpec) {
        w.partition_by.iter_mut().for_each(|e| self.expr(e));
        w.order_by.iter_mut().for_each(|o| self.expr(&mut o.expr));
    }

    fn call(&mut self, c: &mut FunctionCall) {
        self.calls.push((c.schema.clone(), c.name.clone()));
        c.args.iter_mut().for_each(|e| self.expr(e));
        c.order_by.iter_mut().for_each(|o| self.expr(&mut o.expr));
        if let Some(Over::Spec(w)) = &mut c.over {
            self.window(w);
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        if let Expr::UserVar(_) | Expr::AssignVar { .. } | Expr::SysVar(_) | Expr::Param(_) = e {
            self.variable = true;
        }
        match e {
            Expr::Subquery(q) | Expr::Exists(q) => self.query(q),
            Expr::Quantified { left, query, .. } | Expr::InQuery { expr: left, query, .. } => {
                self.expr(left);
                self.query(query);
            }
            Expr::Call(c) => self.call(c),
            other => other.for_children_mut(&mut |e| self.expr(e)),
        }
    }
}

impl Expr {
    /// Calls `f` for each expression right below; queries are none.
    pub fn for_children_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Literal(_)
            | Expr::Param(_)
            | Expr::Column(_)
            | Expr::UserVar(_)
            | Expr::SysVar(_)
            | Expr::Default
            | Expr::DefaultOf(_)
            | Expr::ValuesOf(_)
            | Expr::Exists(_)
            | Expr::Subquery(_) => {}
            Expr::Quantified { left: e, .. }
            | Expr::InQuery { expr: e, .. }
            | Expr::AssignVar { value: e, .. }
            | Expr::Unary { expr: e, .. }
            | Expr::Is { expr: e, .. }
            | Expr::Cast { expr: e, .. }
            | Expr::ConvertUsing { expr: e, .. }
            | Expr::Collate { expr: e, .. }
            | Expr::Extract { expr: e, .. }
            | Expr::WeightString { expr: e, .. }
            | Expr::GetFormat { expr: e, .. }
            | Expr::Match { against: e, .. }
            | Expr::Odbc { expr: e, .. } => f(e),
            Expr::Binary { left: a, right: b, .. }
            | Expr::Regexp { expr: a, pattern: b, .. }
            | Expr::MemberOf { expr: a, array: b }
            | Expr::DateArith { date: a, amount: b, .. }
            | Expr::TimestampAdd { amount: a, date: b, .. }
            | Expr::TimestampDiff { from: a, to: b, .. } => {
                f(a);
                f(b);
            }
            Expr::Like { expr, pattern, escape, .. } => {
                f(expr);
                f(pattern);
                escape.iter_mut().for_each(|e| f(e));
            }
            Expr::Between { expr, low, high, .. } => {
                [expr, low, high].into_iter().for_each(|e| f(e))
            }
            Expr::InList { expr, list, .. } => {
                f(expr);
                list.iter_mut().for_each(f);
            }
            Expr::Row(list) | Expr::Char { args: list, .. } => list.iter_mut().for_each(f),
            Expr::Case { operand, whens, else_ } => {
                operand.iter_mut().for_each(|e| f(e));
                whens.iter_mut().for_each(|(a, b)| {
                    f(a);
                    f(b);
                });
                else_.iter_mut().for_each(|e| f(e));
            }
            Expr::Trim { what, expr, .. } => {
                what.iter_mut().for_each(|e| f(e));
                f(expr);
            }
            Expr::JsonValue(j) => {
                f(&mut j.doc);
                f(&mut j.path);
            }
            Expr::Call(c) => c.args.iter_mut().for_each(f),
        }
    }
}
