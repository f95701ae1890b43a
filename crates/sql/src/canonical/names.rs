//! Columns get the names of their tables and `*` is written out, as binding would find them (`bind::from`, `bind::name`, `bind::using`);
//! USING and NATURAL become conditions. What is not found stays as it is.

use super::level::{Clause, Column, Found, Level, Named, Table, column};
use crate::context::Reads;
use crate::meta::same_name;
use crate::meta::view::ViewMeta;
use weir_engine::ObjectKind;
use weir_syntax::ast::{
    BinaryOp, ColumnRef, Expr, FunctionCall, Ident, Join, JoinCondition, JoinKind, JsonColumn,
    Literal, OrderItem, Over, Query, QueryBody, Select, SelectItem, SelectOptions, TableFactor,
    TableName, TableRef, WindowSpec, With,
};

struct Common {
    name: Ident,
    columns: Vec<Column>,
}

/// Walks a query.
pub struct Names<'a> {
    reads: Reads<'a>,
    stack: Vec<Level>,
    common: Vec<Common>,
    /// Nothing was missing.
    pub valid: bool,
    /// All tables that were named, by schema and name.
    pub tables: Vec<(String, String)>,
}

/// Writes the names into a query whose tables have schemas.
pub fn name<'a>(query: &mut Query, reads: Reads<'a>) -> Names<'a> {
    let mut names =
        Names { reads, stack: Vec::new(), common: Vec::new(), valid: true, tables: Vec::new() };
    names.query(query, true);
    names
}

/// The same where only the query is wanted.
pub fn name_columns(query: &mut Query, reads: Reads<'_>) {
    name(query, reads);
}

impl Names<'_> {
    fn top(&mut self) -> &mut Level {
        self.stack.last_mut().expect("inside of a block")
    }

    /// Something that sees no names around it.
    fn isolated<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let stack = std::mem::take(&mut self.stack);
        let out = f(self);
        self.stack = stack;
        out
    }

    /// Names the columns of a query, and tells those of its result. `named`: their names are wanted in the text.
    fn query(&mut self, q: &mut Query, named: bool) -> Vec<Column> {
        let known = self.common.len();
        self.with(q.with.as_mut());
        let columns = match &mut q.body {
            QueryBody::Select(_) | QueryBody::Table(_) => {
                self.body(&mut q.body, named, &mut q.order_by)
            }
            body => {
                let columns = self.body(body, named, &mut Vec::new());
                for o in &mut q.order_by {
                    if let Expr::Literal(Literal::Int(n)) = o.expr
                        && let Some(c) = (n as usize).checked_sub(1).and_then(|n| columns.get(n))
                    {
                        let bare = ColumnRef { schema: None, table: None, column: c.name.clone() };
                        o.expr = Expr::Column(bare);
                    }
                }
                columns
            }
        };
        self.common.truncate(known);
        columns
    }

    fn with(&mut self, with: Option<&mut With>) {
        let Some(w) = with else { return };
        let recursive = w.recursive;
        for t in &mut w.tables {
            let known = self.common.len();
            if recursive {
                let columns = match t.columns.is_empty() {
                    false => t.columns.iter().map(|c| column(c.as_str())).collect(),
                    true => self.seed(&t.query),
                };
                self.common.push(Common { name: t.name.clone(), columns });
            }
            let found = self.isolated(|n| n.query(&mut t.query, true));
            self.common.truncate(known);
            let columns = match t.columns.is_empty() {
                true => found,
                false => t.columns.iter().map(|c| column(c.as_str())).collect(),
            };
            self.common.push(Common { name: t.name.clone(), columns });
        }
    }

    /// The columns of a recursive query are those of its first block.
    fn seed(&mut self, q: &Query) -> Vec<Column> {
        fn first(body: &QueryBody) -> QueryBody {
            match body {
                QueryBody::SetOp { left, .. } => first(left),
                other => other.clone(),
            }
        }
        let (valid, tables) = (self.valid, self.tables.len());
        let mut seed = Query::bare(first(&q.body));
        let columns = self.isolated(|n| n.query(&mut seed, true));
        self.valid = valid;
        self.tables.truncate(tables);
        columns
    }

    fn body(
        &mut self,
        body: &mut QueryBody,
        named: bool,
        order: &mut Vec<OrderItem>,
    ) -> Vec<Column> {
        match body {
            QueryBody::Select(s) => self.select(s, named, order),
            QueryBody::Table(name) => {
                let factor = TableFactor {
                    name: name.clone(),
                    partitions: Vec::new(),
                    alias: None,
                    index_hints: Vec::new(),
                };
                let all = SelectItem::Wildcard { schema: None, table: None };
                *body = Query::of_items(vec![all]).body;
                let QueryBody::Select(s) = body else { return Vec::new() };
                s.from.push(TableRef::Table(Box::new(factor)));
                self.select(s, named, order)
            }
            QueryBody::SetOp { left, right, .. } => {
                let columns = self.body(left, named, &mut Vec::new());
                // The names are those of the first one, which alone tells them.
                self.body(right, named, &mut Vec::new());
                columns
            }
            QueryBody::Nested(q) => self.query(q, named),
            QueryBody::Values(rows) => {
                self.stack.push(Level::new());
                rows.iter_mut().flatten().for_each(|e| self.expr(e));
                self.stack.pop();
                let width = rows.first().map_or(0, Vec::len);
                (0..width).map(|i| column(&format!("column_{i}"))).collect()
            }
        }
    }

    fn select(&mut self, s: &mut Select, named: bool, order: &mut Vec<OrderItem>) -> Vec<Column> {
        self.stack.push(Level::new());
        let whole = std::mem::replace(&mut self.valid, true);
        s.from.iter_mut().for_each(|t| self.from(t));
        self.write_out(s, named);
        self.valid &= whole;
        s.where_.iter_mut().for_each(|e| self.expr(e));
        let mut columns = Vec::new();
        for (n, item) in s.items.iter_mut().enumerate() {
            let SelectItem::Expr { expr, alias, text } = item else { continue };
            let own = match (&*expr, &*alias) {
                (_, Some(alias)) => alias.clone(),
                (Expr::Column(c), None) => c.column.clone(),
                (Expr::Literal(Literal::Null), None) => Ident::new("NULL"),
                _ if fits(text) => Ident::new(text),
                _ => Ident::new(&format!("Name_exp_{}", n + 1)),
            };
            self.expr(expr);
            let is = match &*expr {
                Expr::Column(c) => Some(c.clone()),
                _ => None,
            };
            if named && alias.is_none() {
                *alias = Some(own.clone());
            }
            columns.push(Column { name: own.clone(), hidden: false });
            self.top().aliases.push((own, is));
        }
        s.windows.iter_mut().for_each(|(_, w)| self.window(w));
        self.top().clause = Clause::Columns;
        for g in &mut s.group_by {
            self.key(g, &s.items, false);
        }
        self.top().clause = Clause::Aliases;
        let keys = s.group_by.iter().filter_map(|g| match g {
            Expr::Column(c) => Some((c.column.clone(), Some(c.clone()))),
            _ => None,
        });
        let mut known: Vec<_> = keys.collect();
        let aliases = std::mem::take(&mut self.top().aliases);
        known.extend(aliases.iter().cloned());
        self.top().aliases = known;
        s.having.iter_mut().for_each(|e| self.expr(e));
        self.top().aliases = aliases;
        for o in order {
            self.key(&mut o.expr, &s.items, true);
        }
        self.stack.pop();
        columns
    }

    /// Puts columns in the place of `*`, unless a table is missing.
    fn write_out(&mut self, s: &mut Select, named: bool) {
        let whole = self.valid;
        let level = self.top();
        let mut items = Vec::with_capacity(s.items.len());
        for item in std::mem::take(&mut s.items) {
            let SelectItem::Wildcard { schema, table } = &item else {
                items.push(item);
                continue;
            };
            let found = level.wildcard(schema.as_ref(), table.as_ref());
            if !whole || found.is_empty() {
                items.push(item);
                continue;
            }
            items.extend(found.into_iter().map(|c| SelectItem::Expr {
                text: c.column.as_str().into(),
                alias: named.then(|| c.column.clone()),
                expr: Expr::Column(c),
            }));
        }
        s.items = items;
    }

    /// A key of GROUP BY or ORDER BY: a name alone may be an alias, a number is the place of an item.
    fn key(&mut self, e: &mut Expr, items: &[SelectItem], order: bool) {
        match e {
            Expr::Literal(Literal::Int(n)) => {
                let item = usize::try_from(*n).ok().and_then(|n| n.checked_sub(1));
                let Some(SelectItem::Expr { expr, alias, .. }) = item.and_then(|n| items.get(n))
                else {
                    return;
                };
                match (expr, alias) {
                    // A constant sorts and groups nothing, but a number would be a place.
                    (Expr::Literal(_), None) => {}
                    (Expr::Literal(_), Some(alias)) => *e = bare(alias),
                    (expr, Some(alias)) if !repeats(expr) => *e = bare(alias),
                    (expr, _) => *e = expr.clone(),
                }
            }
            Expr::Column(c) if order && c.table.is_none() => {
                let name = c.column.as_str();
                match self.top().alias(name) {
                    Some((_, Some(of))) if same_name(of.column.as_str(), name) => *c = of.clone(),
                    Some(_) => {}
                    None => self.column(c),
                }
            }
            Expr::Column(c) if c.table.is_none() => {
                match self.top().bare(c.column.as_str()) {
                    Found::One(of) => *c = of,
                    // Which of several tables' columns is meant, the select list says.
                    Found::Several => {
                        let of = self.top().alias(c.column.as_str()).and_then(|(_, of)| of.clone());
                        if let Some(of) = of {
                            *c = of;
                        }
                    }
                    Found::None if self.top().alias(c.column.as_str()).is_some() => {}
                    Found::None => self.column(c),
                }
            }
            e => {
                self.top().clause = Clause::Columns;
                self.expr(e);
            }
        }
    }

    fn from(&mut self, t: &mut TableRef) {
        match t {
            TableRef::Table(f) => self.table(f),
            TableRef::Derived { lateral, query, alias, columns } => {
                let found = match lateral {
                    true => self.query(query, true),
                    false => self.isolated(|n| n.query(query, true)),
                };
                let table = Table::of_query(alias, found, columns);
                self.top().push(table);
            }
            TableRef::Join(j) => self.join(j),
            TableRef::List(list) => list.iter_mut().for_each(|t| self.from(t)),
            TableRef::JsonTable(j) => {
                self.expr(&mut j.doc);
                let mut columns = Vec::new();
                json_columns(&j.columns, &mut columns);
                let table = Table::of_query(&j.alias, columns, &[]);
                self.top().push(table);
            }
        }
    }

    fn table(&mut self, f: &mut TableFactor) {
        if f.alias.as_ref() == Some(&f.name.name) {
            f.alias = None;
        }
        let alias = f.alias.as_ref().unwrap_or(&f.name.name).clone();
        let Some(schema) = f.name.schema.clone() else {
            let name = f.name.name.as_str();
            match self.common.iter().rfind(|c| same_name(c.name.as_str(), name)) {
                Some(c) => {
                    let table = Table::of_query(&alias, c.columns.clone(), &[]);
                    self.top().push(table);
                }
                None => self.valid &= f.name.name.is("dual"),
            }
            return;
        };
        let own = f.alias.is_none();
        self.tables.push((schema.as_str().into(), f.name.name.as_str().into()));
        match self.columns_of(&f.name) {
            Some(columns) => {
                self.top().push(Table { schema: Some(schema), alias, own, columns });
            }
            None => self.valid = false,
        }
    }

    fn columns_of(&self, name: &TableName) -> Option<Vec<Column>> {
        let (schema, name) = (name.schema.as_ref()?.as_str(), name.name.as_str());
        if let Some(v) = self.reads.shared.computed(schema, name) {
            return Some(v.columns().iter().map(|c| column(&c.name)).collect());
        }
        if let Some(o) = self.reads.db().object(ObjectKind::View, schema, name) {
            let view = ViewMeta::of(&o).ok()?;
            return Some(view.columns.iter().map(|c| column(&c.name)).collect());
        }
        let table = self.reads.meta().lookup(self.reads.db(), schema, name).ok()?;
        let named = table.columns.iter().filter(|c| !c.hidden);
        let one =
            |c: &crate::meta::SqlColumn| Column { name: Ident::new(&c.name), hidden: c.invisible };
        Some(named.map(one).collect())
    }

    fn join(&mut self, j: &mut Join) {
        let (begin, named) = (self.top().tables.len(), self.top().columns.len());
        self.from(&mut j.left);
        let between = self.top().columns.len();
        self.from(&mut j.right);
        match &mut j.condition {
            None => {}
            Some(JoinCondition::On(e)) => {
                let around = std::mem::replace(&mut self.top().first, begin);
                self.expr(e);
                self.top().first = around;
            }
            Some(JoinCondition::Using(names)) => {
                let names = std::mem::take(names);
                if let Err(names) = self.using(j, (named, between), Some(names)) {
                    j.condition = Some(JoinCondition::Using(names));
                }
            }
            Some(JoinCondition::Natural) => {
                let _ = self.using(j, (named, between), None);
            }
        }
    }

    /// Makes columns of the operands one, of all common names if none are given. The names are given back where a table is missing.
    fn using(
        &mut self,
        j: &mut Join,
        (named, between): (usize, usize),
        using: Option<Vec<Ident>>,
    ) -> Result<(), Vec<Ident>> {
        let right = self.top().columns.split_off(between);
        let left = self.top().columns.split_off(named);
        let at =
            |list: &[Named], name: &str| list.iter().position(|c| same_name(c.name.as_str(), name));
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        match &using {
            Some(names) => {
                for n in names {
                    let both = at(&left, n.as_str()).zip(at(&right, n.as_str()));
                    match both {
                        Some(both) if pairs.contains(&both) => {}
                        Some(both) => pairs.push(both),
                        None => self.valid = false,
                    }
                }
            }
            None => {
                for (l, c) in left.iter().enumerate().filter(|(_, c)| !c.hidden) {
                    let same = |r: &Named| !r.hidden && same_name(r.name.as_str(), c.name.as_str());
                    pairs.extend(right.iter().position(same).map(|r| (l, r)));
                }
            }
        }
        if !self.valid {
            self.top().columns.extend(left);
            self.top().columns.extend(right);
            return Err(using.unwrap_or_default());
        }
        let level = self.top();
        let conds = pairs.iter().map(|(l, r)| Expr::Binary {
            op: BinaryOp::Eq,
            left: Box::new(Expr::Column(level.reference(&left[*l]))),
            right: Box::new(Expr::Column(level.reference(&right[*r]))),
        });
        let all = conds.reduce(|a, b| Expr::Binary {
            op: BinaryOp::And,
            left: Box::new(a),
            right: Box::new(b),
        });
        j.condition = all.map(JoinCondition::On);
        // An outer join asks for a condition.
        if j.condition.is_none() && matches!(j.kind, JoinKind::Left | JoinKind::Right) {
            j.condition = Some(JoinCondition::On(Expr::Literal(Literal::Bool(true))));
        }
        let (first, second, mut pairs) = match j.kind {
            JoinKind::Right => (right, left, pairs.into_iter().map(|(l, r)| (r, l)).collect()),
            _ => (left, right, pairs),
        };
        pairs.sort_unstable();
        level.columns.extend(pairs.iter().map(|(a, _)| first[*a].clone()));
        let rest = |list: Vec<Named>, joined: Vec<usize>| {
            let others = list.into_iter().enumerate();
            others.filter(move |(i, _)| !joined.contains(i)).map(|(_, c)| c)
        };
        level.columns.extend(rest(first, pairs.iter().map(|p| p.0).collect()));
        level.columns.extend(rest(second, pairs.iter().map(|p| p.1).collect()));
        Ok(())
    }

    fn window(&mut self, w: &mut WindowSpec) {
        w.partition_by.iter_mut().for_each(|e| self.expr(e));
        w.order_by.iter_mut().for_each(|o| self.expr(&mut o.expr));
    }

    fn call(&mut self, c: &mut FunctionCall) {
        c.args.iter_mut().for_each(|e| self.expr(e));
        c.order_by.iter_mut().for_each(|o| self.expr(&mut o.expr));
        if let Some(Over::Spec(w)) = &mut c.over {
            self.window(w);
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        match e {
            Expr::Column(c) => self.column(c),
            Expr::DefaultOf(c) => self.column(c),
            Expr::Match { columns, against, .. } => {
                columns.iter_mut().for_each(|c| self.column(c));
                self.expr(against);
            }
            Expr::Exists(q) => {
                shows_nothing(&mut q.body);
                self.query(q, false);
            }
            Expr::Subquery(q) => _ = self.query(q, false),
            Expr::Quantified { left, query, .. } | Expr::InQuery { expr: left, query, .. } => {
                self.expr(left);
                self.query(query, false);
            }
            Expr::Call(c) => self.call(c),
            other => other.for_children_mut(&mut |e| self.expr(e)),
        }
    }

    /// From this block outwards.
    fn column(&mut self, c: &mut ColumnRef) {
        let name = c.column.as_str();
        if let Some(table) = &c.table {
            let schema = c.schema.as_ref();
            let mut levels = self.stack.iter().rev();
            match levels.find_map(|l| l.qualified(schema, table, name)) {
                Some(found) => *c = found,
                None => self.valid = false,
            }
            return;
        }
        for (depth, level) in self.stack.iter().rev().enumerate() {
            let alias = match (depth, level.clause) {
                (0, Clause::Plain) => None,
                _ => level.alias(name),
            };
            if depth == 0
                && level.clause == Clause::Aliases
                && let Some((_, of)) = alias
            {
                if let Some(of) = of {
                    *c = of.clone();
                }
                return;
            }
            match level.bare(name) {
                Found::One(found) => {
                    *c = found;
                    return;
                }
                Found::Several => return,
                Found::None if alias.is_some() => return,
                Found::None => {}
            }
        }
        self.valid = false;
    }
}

fn bare(name: &Ident) -> Expr {
    Expr::Column(ColumnRef { schema: None, table: None, column: name.clone() })
}

/// A text that can name a column.
fn fits(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= 64 && !text.ends_with(' ')
}

/// An expression that is the same where it is written again: no query of its own, no window.
fn repeats(e: &Expr) -> bool {
    let mut plain = true;
    let mut e = e.clone();
    fn look(e: &mut Expr, plain: &mut bool) {
        match e {
            Expr::Subquery(_) | Expr::Exists(_) | Expr::InQuery { .. } => *plain = false,
            Expr::Quantified { .. } => *plain = false,
            Expr::Call(c) if c.over.is_some() => *plain = false,
            Expr::Call(c) if crate::func::lookup(c.name.as_str()).is_some_and(|d| !d.is_pure()) => {
                *plain = false;
            }
            _ => {}
        }
        e.for_children_mut(&mut |e| look(e, plain));
    }
    look(&mut e, &mut plain);
    plain
}

/// EXISTS asks for no columns: `*` is a constant.
fn shows_nothing(body: &mut QueryBody) {
    match body {
        QueryBody::Select(s) if s.options == SelectOptions::default() => {
            let all = matches!(s.items[..], [SelectItem::Wildcard { .. }]);
            if all && s.having.is_none() && s.group_by.is_empty() {
                let text = "1".into();
                s.items = vec![SelectItem::Expr { expr: Expr::int(1), alias: None, text }];
            }
        }
        QueryBody::Nested(q) if q.order_by.is_empty() => shows_nothing(&mut q.body),
        _ => {}
    }
}

fn json_columns(list: &[JsonColumn], out: &mut Vec<Column>) {
    for c in list {
        match c {
            JsonColumn::Ordinality(name) | JsonColumn::Path { name, .. } => {
                out.push(column(name.as_str()));
            }
            JsonColumn::Nested { columns, .. } => json_columns(columns, out),
        }
    }
}
