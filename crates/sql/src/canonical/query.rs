//! Queries as text.

use super::Printer;
use crate::value::Collation;
use std::fmt::Write as _;
use weir_syntax::ast::{
    DataType, FrameBound, FrameUnit, Ident, IndexHintKind, IndexHintScope, Join, JoinCondition,
    JoinKind, JsonColumn, JsonTable, LockStrength, LockWait, Locking, OrderItem, Query, QueryBody,
    Select, SelectItem, SetOp, TableFactor, TableName, TableRef, TypeKind, WindowSpec,
};

impl Printer {
    pub fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub fn name(&mut self, name: &str) {
        let quote = self.style.quote;
        self.out.push(quote);
        for c in name.chars() {
            if c == quote {
                self.out.push(quote);
            }
            self.out.push(c);
        }
        self.out.push(quote);
    }

    /// A separated list.
    pub fn list<T>(&mut self, items: &[T], between: &str, mut each: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            self.push(if i > 0 { between } else { "" });
            each(self, item);
        }
    }

    pub fn names(&mut self, names: &[Ident]) {
        self.list(names, ",", |p, n| p.name(n.as_str()));
    }

    /// `named`: the columns' names matter, so they are written.
    pub fn query(&mut self, q: &Query, named: bool) {
        if let Some(with) = &q.with {
            self.push(if with.recursive { "with recursive " } else { "with " });
            self.list(&with.tables, ", ", |p, t| {
                p.name(t.name.as_str());
                if !t.columns.is_empty() {
                    p.push(" (");
                    p.names(&t.columns);
                    p.push(")");
                }
                p.push(" as (");
                p.query(&t.query, true);
                p.push(")");
            });
            self.push(" ");
        }
        let around = q.order_by.is_empty() && q.limit.is_none() && q.locking.is_empty();
        match &q.body {
            // Parentheses around all of it say nothing.
            QueryBody::Nested(inner) if around && q.with.is_none() => {
                return self.query(inner, named);
            }
            body => self.body(body, named),
        }
        self.order(" order by ", &q.order_by);
        if let Some(limit) = &q.limit {
            self.push(" limit ");
            if let Some(offset) = &limit.offset {
                self.expr(offset);
                self.push(",");
            }
            self.expr(&limit.count);
        }
        q.locking.iter().for_each(|l| self.locking(l));
    }

    fn locking(&mut self, l: &Locking) {
        self.push(match l.strength {
            LockStrength::Update => " for update",
            LockStrength::Share => " for share",
        });
        if !l.of.is_empty() {
            self.push(" of ");
            self.names(&l.of);
        }
        self.push(match l.wait {
            LockWait::Wait => "",
            LockWait::NoWait => " nowait",
            LockWait::SkipLocked => " skip locked",
        });
    }

    fn body(&mut self, body: &QueryBody, named: bool) {
        match body {
            QueryBody::Select(s) => self.select(s, named),
            QueryBody::Nested(q) => {
                let bare = q.with.is_none()
                    && q.order_by.is_empty()
                    && q.limit.is_none()
                    && q.locking.is_empty();
                match &q.body {
                    inner @ (QueryBody::Select(_) | QueryBody::Nested(_)) if bare => {
                        self.body(inner, named);
                    }
                    _ => {
                        self.push("(");
                        self.query(q, named);
                        self.push(")");
                    }
                }
            }
            QueryBody::Table(name) => {
                self.push("table ");
                self.table_name(name);
            }
            QueryBody::Values(rows) => {
                self.push("values ");
                self.list(rows, ",", |p, row| {
                    p.push("row(");
                    p.list(row, ",", |p, e| p.expr(e));
                    p.push(")");
                });
            }
            QueryBody::SetOp { op, all, left, right } => {
                self.body(left, named);
                self.push(match op {
                    SetOp::Union => " union ",
                    SetOp::Intersect => " intersect ",
                    SetOp::Except => " except ",
                });
                self.push(if *all { "all " } else { "" });
                self.body(right, named);
            }
        }
    }

    fn select(&mut self, s: &Select, named: bool) {
        self.push("select ");
        if let Some(hints) = &s.hints {
            let _ = write!(self.out, "/*+ {hints} */ ");
        }
        let o = &s.options;
        for (set, word) in [
            (o.straight_join, "straight_join "),
            (o.high_priority, "high_priority "),
            (o.distinct, "distinct "),
            (o.small_result, "sql_small_result "),
            (o.big_result, "sql_big_result "),
            (o.buffer_result, "sql_buffer_result "),
            (o.no_cache, "sql_no_cache "),
            (o.calc_found_rows, "sql_calc_found_rows "),
        ] {
            self.push(if set { word } else { "" });
        }
        self.list(&s.items, ",", |p, item| p.item(item, named));
        match &s.from[..] {
            [] if s.where_.is_some() => self.push(" from DUAL "),
            [] => {}
            tables => {
                self.push(" from ");
                self.tables(tables);
            }
        }
        if let Some(e) = &s.where_ {
            self.push(" where ");
            self.condition(e);
        }
        if !s.group_by.is_empty() {
            self.push(" group by ");
            self.list(&s.group_by, ",", |p, e| p.expr(e));
            self.push(if s.rollup { " with rollup" } else { "" });
        }
        if let Some(e) = &s.having {
            self.push(" having ");
            self.condition(e);
        }
        for (i, (name, spec)) in s.windows.iter().enumerate() {
            self.push(if i > 0 { ", " } else { " window " });
            self.name(name.as_str());
            self.push(" AS ");
            self.window(spec);
        }
    }

    fn item(&mut self, item: &SelectItem, named: bool) {
        match item {
            SelectItem::Wildcard { schema, table } => {
                let schema = schema.as_ref().filter(|_| !self.style.compact);
                for part in [schema, table.as_ref()].into_iter().flatten() {
                    self.name(part.as_str());
                    self.push(".");
                }
                self.push("*");
            }
            SelectItem::Expr { expr, alias, text } => {
                self.expr(expr);
                match alias {
                    Some(alias) => {
                        self.push(" AS ");
                        self.name(alias.as_str());
                    }
                    None if named && !text.is_empty() && text.chars().count() <= 64 => {
                        self.push(" AS ");
                        let own = match expr {
                            weir_syntax::ast::Expr::Column(c) => c.column.as_str(),
                            _ => text,
                        };
                        self.name(own);
                    }
                    None => {}
                }
            }
        }
    }

    /// A list with commas is a join.
    fn tables(&mut self, tables: &[TableRef]) {
        let (last, before) = tables.split_last().expect("a FROM has tables");
        if before.is_empty() {
            return self.from(last);
        }
        // As (a, b, c) is ((a join b) join c).
        let mut open = String::new();
        open.extend(std::iter::repeat_n('(', before.len()));
        self.push(&open);
        self.from(&before[0]);
        for t in &tables[1..] {
            self.push(" join ");
            self.from(t);
            self.push(")");
        }
    }

    fn from(&mut self, t: &TableRef) {
        match t {
            TableRef::Table(f) => self.table(f),
            TableRef::Derived { lateral, query, alias, columns } => {
                self.push(if *lateral { "lateral (" } else { "(" });
                self.query(query, true);
                self.push(") ");
                self.name(alias.as_str());
                if !columns.is_empty() {
                    self.push(" (");
                    self.names(columns);
                    self.push(")");
                }
            }
            TableRef::Join(j) => self.join(j),
            TableRef::List(list) => self.tables(list),
            TableRef::JsonTable(j) => self.json_table(j),
        }
    }

    fn join(&mut self, j: &Join) {
        let natural = matches!(j.condition, Some(JoinCondition::Natural));
        let (left, right) = match j.kind {
            JoinKind::Right if !natural => (&j.right, &j.left),
            _ => (&j.left, &j.right),
        };
        self.push("(");
        self.from(left);
        self.push(if natural { " natural" } else { "" });
        self.push(match j.kind {
            JoinKind::Inner => " join ",
            JoinKind::Straight => " straight_join ",
            JoinKind::Right if natural => " right join ",
            JoinKind::Left | JoinKind::Right => " left join ",
        });
        self.from(right);
        match &j.condition {
            Some(JoinCondition::On(e)) => {
                self.push(" on(");
                self.condition(e);
                self.push(")");
            }
            Some(JoinCondition::Using(columns)) => {
                self.push(" using (");
                self.names(columns);
                self.push(")");
            }
            Some(JoinCondition::Natural) | None => {}
        }
        self.push(")");
    }

    fn table_name(&mut self, name: &TableName) {
        if let Some(schema) = name.schema.as_ref().filter(|_| !self.style.compact) {
            self.name(schema.as_str());
            self.push(".");
        }
        self.name(name.name.as_str());
    }

    fn table(&mut self, f: &TableFactor) {
        self.table_name(&f.name);
        if !f.partitions.is_empty() {
            self.push(" PARTITION (");
            self.names(&f.partitions);
            self.push(")");
        }
        if let Some(alias) = &f.alias {
            self.push(" ");
            self.name(alias.as_str());
        }
        for hint in &f.index_hints {
            self.push(match hint.kind {
                IndexHintKind::Use => " USE INDEX",
                IndexHintKind::Force => " FORCE INDEX",
                IndexHintKind::Ignore => " IGNORE INDEX",
            });
            self.push(match hint.scope {
                None => "",
                Some(IndexHintScope::Join) => " FOR JOIN",
                Some(IndexHintScope::OrderBy) => " FOR ORDER BY",
                Some(IndexHintScope::GroupBy) => " FOR GROUP BY",
            });
            self.push(" (");
            self.names(&hint.indexes);
            self.push(")");
        }
    }

    pub fn order(&mut self, before: &str, order: &[OrderItem]) {
        self.push(if order.is_empty() { "" } else { before });
        self.list(order, ",", |p, o| {
            p.expr(&o.expr);
            p.push(if o.descending { " desc" } else { "" });
        });
    }

    /// What comes after OVER. MySQL has blanks behind each of its parts, and behind it.
    pub fn window(&mut self, w: &WindowSpec) {
        self.push("(");
        if let Some(base) = &w.base {
            self.name(base.as_str());
            self.push(" ");
        }
        if !w.partition_by.is_empty() {
            self.push("PARTITION BY ");
            self.list(&w.partition_by, ",", |p, e| p.expr(e));
            self.push(" ");
        }
        if !w.order_by.is_empty() {
            self.order("ORDER BY ", &w.order_by);
            self.push(" ");
        }
        if let Some(frame) = &w.frame {
            self.push(match frame.unit {
                FrameUnit::Rows => "ROWS BETWEEN ",
                FrameUnit::Range => "RANGE BETWEEN ",
                FrameUnit::Groups => "GROUPS BETWEEN ",
            });
            self.bound(&frame.start);
            self.push(" AND ");
            self.bound(frame.end.as_ref().unwrap_or(&FrameBound::CurrentRow));
        }
        self.push(") ");
    }

    fn bound(&mut self, b: &FrameBound) {
        match b {
            FrameBound::UnboundedPreceding => self.push("UNBOUNDED PRECEDING"),
            FrameBound::UnboundedFollowing => self.push("UNBOUNDED FOLLOWING"),
            FrameBound::CurrentRow => self.push("CURRENT ROW"),
            FrameBound::Preceding(e) => {
                self.expr(e);
                self.push(" PRECEDING");
            }
            FrameBound::Following(e) => {
                self.expr(e);
                self.push(" FOLLOWING");
            }
            FrameBound::IntervalPreceding(e, unit) | FrameBound::IntervalFollowing(e, unit) => {
                self.push("INTERVAL ");
                self.expr(e);
                let _ = write!(self.out, " {}", unit.text().to_lowercase());
                let before = matches!(b, FrameBound::IntervalPreceding(..));
                self.push(if before { " PRECEDING" } else { " FOLLOWING" });
            }
        }
    }

    fn json_table(&mut self, j: &JsonTable) {
        self.push(if j.lateral { "lateral json_table(" } else { "json_table(" });
        self.expr(&j.doc);
        self.push(", ");
        self.text(&j.path);
        self.push(" columns (");
        self.json_columns(&j.columns);
        self.push(")) ");
        self.name(j.alias.as_str());
    }

    /// They nest as deep as the parser lets them.
    fn json_columns(&mut self, columns: &[JsonColumn]) {
        self.list(columns, ", ", |p, c| match c {
            JsonColumn::Ordinality(name) => {
                p.name(name.as_str());
                p.push(" for ordinality");
            }
            JsonColumn::Path { name, data_type, exists, path, on_empty, on_error } => {
                p.name(name.as_str());
                let _ = write!(p.out, " {}", json_column_type(data_type));
                p.push(if *exists { " exists path " } else { " path " });
                p.text(path);
                p.json_on(on_empty.as_ref(), on_error.as_ref());
            }
            JsonColumn::Nested { path, columns } => {
                p.push("nested path ");
                p.text(path);
                p.push(" columns (");
                p.json_columns(columns);
                p.push(")");
            }
        });
    }
}

/// The type of a column of JSON_TABLE; a text has its character set, named or not.
fn json_column_type(ty: &DataType) -> String {
    let text = matches!(
        ty.kind,
        TypeKind::Char
            | TypeKind::VarChar
            | TypeKind::TinyText
            | TypeKind::Text
            | TypeKind::MediumText
            | TypeKind::LongText
    );
    if !text {
        let shown = ty.to_string();
        return if ty.members.is_empty() { shown.to_lowercase() } else { shown };
    }
    let bare = DataType { charset: None, collation: None, binary: false, ..ty.clone() };
    let named = ty.collation.as_deref().and_then(Collation::by_name);
    let set = ty.charset.as_deref().or(named.map(|c| c.charset().name())).unwrap_or("utf8mb4");
    let mut shown = format!("{} character set {}", bare, set).to_lowercase();
    if let Some(collation) = &ty.collation {
        let _ = write!(shown, " collate {}", collation.to_lowercase());
    }
    shown
}
