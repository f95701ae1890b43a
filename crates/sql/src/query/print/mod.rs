//! Plans and bound expressions as text: the note 1003 of EXPLAIN, and the expression that error 1690 names.
//!
//! The note is the statement as it was bound and will be run. Views that were merged are not in it any more, `*` is written
//! out, names are qualified, and what the optimizer made of the conditions is what stands in WHERE and ON. Expressions (`expr`) look names up
//! where they stand, and have operators in parentheses. May use plans and expressions.
//!
//! It is for people to read: what has no text of its own in SQL (a frame's bounds, the path of a JSON_TABLE) is left out.

pub mod expr;

use crate::query::plan::change::{ChangePlan, What};
use crate::query::plan::insert::{InsertPlan, Rows};
use crate::query::plan::{Block, Body, Cond, Limit, OutColumn, QueryPlan, Source, Sub};
use crate::value::Value;
use expr::Scope;
use std::fmt::Write as _;
use weir_syntax::ast::SetOp;

/// Writes the text.
pub struct Note<'p> {
    pub out: String,
    pub scopes: Vec<Scope<'p>>,
    pub params: &'p [Value<'static>],
    /// Names without schema and quotes, and subqueries by their numbers.
    pub short: bool,
}

/// Blocks below the first one of a query, as EXPLAIN numbers them.
pub fn below(q: &QueryPlan) -> i64 {
    match &q.body {
        Body::Block(b) => {
            let derived = b.tables.iter().filter_map(|t| match &t.source {
                Source::Derived(q) => Some(&**q),
                _ => None,
            });
            derived.chain(b.subs.iter().filter_map(|s| s.plan.as_ref())).map(|q| 1 + below(q)).sum()
        }
        Body::Set { left, right, .. } => below(left) + 1 + below(right),
        Body::Nested(q) => below(q),
        Body::Recursive(r) => below(&r.seed) + r.steps.iter().map(below).sum::<i64>(),
        Body::Json(_) | Body::Values(_) => 0,
    }
}

/// A name in backquotes.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

impl<'p> Note<'p> {
    pub fn new(params: &'p [Value<'static>]) -> Note<'p> {
        Note { out: String::new(), scopes: Vec::new(), params, short: false }
    }

    pub fn query(&mut self, q: &'p QueryPlan, id: i64) {
        match &q.body {
            Body::Block(b) => return self.block(b, &q.columns, id),
            Body::Set { op, all, left, right } => {
                self.query(left, id);
                self.out.push_str(match op {
                    SetOp::Union => " union ",
                    SetOp::Intersect => " intersect ",
                    SetOp::Except => " except ",
                });
                self.out.push_str(if *all { "all " } else { "" });
                self.query(right, id + 1 + below(left));
            }
            Body::Values(rows) => {
                self.scopes.push(Scope::nothing());
                self.out.push_str("values ");
                for (i, row) in rows.iter().enumerate() {
                    self.out.push_str(if i > 0 { ",row(" } else { "row(" });
                    self.list(row.iter(), ",");
                    self.out.push(')');
                }
                self.scopes.pop();
            }
            Body::Nested(inner) => {
                self.out.push('(');
                self.query(inner, id);
                self.out.push(')');
            }
            Body::Recursive(r) => {
                self.query(&r.seed, id);
                for step in &r.steps {
                    self.out.push_str(if r.all { " union all " } else { " union " });
                    self.query(step, id);
                }
            }
            Body::Json(_) => self.out.push_str("json_table(...)"),
        }
        self.scopes.push(Scope::columns(&q.columns));
        self.order(&q.order);
        self.scopes.pop();
        self.limit(q.limit.as_ref());
    }

    fn block(&mut self, b: &'p Block, columns: &[OutColumn], id: i64) {
        let _ = write!(self.out, "/* select#{id} */ select ");
        self.out.push_str(if b.distinct { "distinct " } else { "" });
        self.scopes.push(numbered(Scope::block(b), b, id));
        for (i, (item, column)) in b.items.iter().zip(columns).enumerate() {
            self.out.push_str(if i > 0 { "," } else { "" });
            self.expr(item);
            let _ = write!(self.out, " AS {}", quoted(&column.name));
        }
        if !b.tables.is_empty() {
            self.out.push_str(" from ");
            self.from(b);
        }
        self.conditions(" where ", &conditions_of(b));
        if let Some(agg) = &b.agg
            && !agg.implicit
            && !agg.keys.is_empty()
        {
            self.out.push_str(" group by ");
            self.list(agg.keys.iter(), ",");
            self.out.push_str(if agg.has_supers() { " with rollup" } else { "" });
        }
        self.conditions(" having ", &b.having.iter().collect::<Vec<_>>());
        self.order(if b.order.is_empty() { &b.index_order } else { &b.order });
        self.limit(b.limit.as_ref());
        self.scopes.pop();
    }

    /// The tables in the order in which they are read.
    fn from(&mut self, b: &'p Block) {
        if b.steps.is_empty() {
            for t in 0..b.tables.len() {
                self.out.push_str(if t > 0 { " join " } else { "" });
                self.table(b, t);
            }
            return;
        }
        for (i, step) in b.steps.iter().enumerate() {
            let many = |g: &usize| b.groups[*g].last > b.groups[*g].first;
            if i > 0 {
                self.out.push_str(if step.begins.is_empty() { " join " } else { " left join " });
            }
            for (n, g) in step.begins.iter().enumerate() {
                self.out.push_str(if n > 0 { " left join " } else { "" });
                self.out.push_str(if many(g) { "(" } else { "" });
            }
            self.table(b, step.table);
            for g in &step.ends {
                self.out.push_str(if many(g) { ")" } else { "" });
                self.conditions(" on ", &on_of(b, *g));
            }
        }
    }

    fn table(&mut self, b: &'p Block, at: usize) {
        let t = &b.tables[at];
        let alias = quoted(&t.alias);
        match &t.source {
            Source::Table(table) => {
                let name = table.name();
                let _ = write!(self.out, "{}.{}", quoted(table.schema()), quoted(name));
                if *t.alias != *name {
                    let _ = write!(self.out, " {alias}");
                }
            }
            Source::Virtual(v, _) => {
                let _ = write!(self.out, "{}.{}", quoted(v.schema()), quoted(v.name()));
                if !t.alias.eq_ignore_ascii_case(v.name()) {
                    let _ = write!(self.out, " {alias}");
                }
            }
            Source::Derived(q) => {
                let id = self.scopes.last().map_or(0, |s| s.derived.get(at).copied().unwrap_or(0));
                self.out.push_str(if t.lateral.is_some() { "lateral (" } else { "(" });
                self.query(q, id);
                let _ = write!(self.out, ") {alias}");
            }
            Source::Working(..) => self.out.push_str(&alias),
        }
    }

    fn conditions(&mut self, before: &str, conds: &[&'p Cond]) {
        if conds.is_empty() {
            return;
        }
        self.out.push_str(before);
        self.out.push_str(if conds.len() > 1 { "(" } else { "" });
        self.list(conds.iter().map(|c| &c.expr), " and ");
        self.out.push_str(if conds.len() > 1 { ")" } else { "" });
    }

    pub fn order(&mut self, order: &'p [(crate::query::expr::BExpr, bool)]) {
        for (i, (e, descending)) in order.iter().enumerate() {
            self.out.push_str(if i > 0 { "," } else { " order by " });
            self.expr(e);
            self.out.push_str(if *descending { " desc" } else { "" });
        }
    }

    fn limit(&mut self, limit: Option<&'p Limit>) {
        let Some(limit) = limit else { return };
        self.out.push_str(" limit ");
        self.scopes.push(Scope::nothing());
        if let Some(offset) = &limit.offset {
            self.expr(offset);
            self.out.push(',');
        }
        self.expr(&limit.count);
        self.scopes.pop();
    }

    /// UPDATE and DELETE.
    pub fn change(&mut self, p: &'p ChangePlan) {
        let b = &p.block;
        let ignore = if p.ignore { "ignore " } else { "" };
        self.scopes.push(numbered(Scope::block(b), b, 1));
        match &p.what {
            What::Update(assigns) => {
                let _ = write!(self.out, "update {ignore}");
                self.from(b);
                for (i, a) in assigns.iter().enumerate() {
                    self.out.push_str(if i > 0 { "," } else { " set " });
                    self.column_of(0, a.table, a.col);
                    self.out.push_str(" = ");
                    match &a.value {
                        Some(e) => self.expr(e),
                        None => self.out.push_str("default"),
                    }
                }
            }
            What::Delete(targets) => {
                let _ = write!(self.out, "delete {ignore}");
                if p.multi {
                    let names = targets.iter().map(|t| quoted(&b.tables[*t].alias));
                    self.out.push_str(&names.collect::<Vec<_>>().join(","));
                    self.out.push(' ');
                }
                self.out.push_str("from ");
                self.from(b);
            }
        }
        self.conditions(" where ", &conditions_of(b));
        self.order(&p.order);
        self.limit(p.limit.as_ref());
        self.scopes.pop();
    }

    /// INSERT and REPLACE.
    pub fn insert(&mut self, p: &'p InsertPlan) {
        let verb = if p.replace { "replace" } else { "insert" };
        let ignore = if p.ignore { " ignore" } else { "" };
        let table = &p.table;
        let name = format!("{}.{}", quoted(table.schema()), quoted(table.name()));
        let _ = write!(self.out, "{verb}{ignore} into {name}");
        let columns = &table.meta.columns;
        let all = p.targets.len() == columns.len();
        let names = p.targets.iter().map(|c| format!("{name}.{}", quoted(&columns[*c].name)));
        let names = names.collect::<Vec<_>>();
        if !all {
            let _ = write!(self.out, " ({})", names.join(","));
        }
        self.scopes.push(subqueries_of(Scope::insert(p), &p.subs, 1));
        match &p.rows {
            Rows::Values(rows) => {
                self.out.push_str(" values ");
                for (i, row) in rows.iter().enumerate() {
                    self.out.push_str(if i > 0 { ",(" } else { "(" });
                    for (n, e) in row.iter().enumerate() {
                        self.out.push_str(if n > 0 { "," } else { "" });
                        match e {
                            Some(e) => self.expr(e),
                            None => self.out.push_str("default"),
                        }
                    }
                    self.out.push(')');
                }
            }
            Rows::Query(q) => {
                self.out.push(' ');
                self.query(q, 1);
            }
            Rows::File(_) => {}
        }
        for (i, (col, value)) in p.on_duplicate.iter().enumerate() {
            self.out.push_str(if i > 0 { "," } else { " on duplicate key update " });
            self.column_of(0, 0, *col);
            self.out.push_str(" = ");
            match value {
                Some(e) => self.expr(e),
                None => self.out.push_str("default"),
            }
        }
        self.scopes.pop();
    }
}

/// Numbers the derived tables of a block and its subqueries as EXPLAIN's rows are numbered.
pub fn numbered<'p>(mut scope: Scope<'p>, b: &'p Block, id: i64) -> Scope<'p> {
    let mut next = id;
    for t in &b.tables {
        let Source::Derived(q) = &t.source else {
            scope.derived.push(0);
            continue;
        };
        next += 1;
        scope.derived.push(next);
        next += below(q);
    }
    subqueries_of(scope, &b.subs, next)
}

fn subqueries_of<'p>(mut scope: Scope<'p>, subs: &'p [Sub], mut next: i64) -> Scope<'p> {
    for s in subs {
        let Some(q) = &s.plan else {
            scope.subs.push((s, 0));
            continue;
        };
        next += 1;
        scope.subs.push((s, next));
        next += below(q);
    }
    scope
}

/// The innermost outer join that a step is on the inner side of.
fn group_of(b: &Block, step: usize) -> Option<usize> {
    let within = b.groups.iter().enumerate().filter(|(_, g)| g.first <= step && step <= g.last);
    within.min_by_key(|(_, g)| g.last - g.first).map(|(n, _)| n)
}

fn conditions_of(b: &Block) -> Vec<&Cond> {
    if let Some([first, ..]) = b.extremes.as_deref()
        && let Body::Block(inner) = &first.body
    {
        return conditions_of(inner);
    }
    let mut all: Vec<&Cond> = b.gate.iter().collect();
    for (i, s) in b.steps.iter().enumerate() {
        if group_of(b, i).is_none() {
            all.extend(&s.conds);
        }
        all.extend(s.after.iter().filter(|(of, _)| of.is_none()).map(|(_, c)| c));
    }
    all.retain(|c| !c.concluded);
    all
}

/// What stands in ON of an outer join.
fn on_of(b: &Block, group: usize) -> Vec<&Cond> {
    let mut all = Vec::new();
    for (i, s) in b.steps.iter().enumerate() {
        if group_of(b, i) == Some(group) {
            all.extend(&s.conds);
        }
        all.extend(s.after.iter().filter(|(of, _)| *of == Some(group)).map(|(_, c)| c));
    }
    all
}
