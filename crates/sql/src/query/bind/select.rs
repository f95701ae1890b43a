//! Query blocks: select list, grouping, order, locking.

use super::expr::VARIABLE_CHARS;
use super::from::shapes_of;
use super::matching::by_relevance;
use super::rollup::{self, OverGroups};
use super::scope::{Found, Scope};
use super::zero_days::find_zero_days;
use super::{Bind, Binder, by_place, drawn, functional_dependency, grouped, window};
use crate::errno;
use crate::func::facts::Id;
use crate::query::bind::outer_joins::drop_outer_joins;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::deprecated::Deprecated;
use crate::query::plan::raw::Raw;
use crate::query::plan::told::note_stored;
use crate::query::plan::{
    Aggregation, Block, Body, Cond, OutColumn, QueryPlan, Source, TableSlot, Window,
};
use crate::session_api::SqlError;
use crate::value::{Class, Collation, SqlMode, SqlType};
use std::sync::Arc;
use weir_engine::{LockMode, OnLocked};
use weir_syntax::ast::{self, Expr, SelectItem};

/// Bytes of a name that is made of what was written.
const LONGEST_NAME: usize = 255;

fn is_space(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_graphic()
}

/// The name of a column without one: what was written, from the first character that is seen, cut where a name ends.
fn written_name(text: &str) -> &str {
    let bare = text.trim_start_matches(is_space);
    let mut end = bare.len().min(LONGEST_NAME);
    while !bare.is_char_boundary(end) {
        end -= 1;
    }
    &bare[..end]
}

/// Whether it is one of several decimals, each with its own digits until it is stored.
fn chooses(e: &BExpr) -> bool {
    let choice = match &e.node {
        Node::Func(def, _) => def.id == Id::If,
        Node::Case { .. } => true,
        _ => false,
    };
    choice && e.info.ty.class() == Class::Decimal
}

/// A user variable without a value that the statement itself sets is described as a text of the connection, and of any length where the
/// list sets it before.
fn describe_assigned(items: &[BExpr], columns: &mut [OutColumn], connection: Collation) {
    let mut names: Vec<(usize, Arc<str>)> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        item.walk(&mut |e| {
            if let Node::Assign(name, _) = &e.node {
                names.push((at, name.clone()));
            }
        });
    }
    for (at, (item, column)) in items.iter().zip(columns).enumerate() {
        let Node::UserVar(name) = &item.node else { continue };
        let Some((first, _)) = names.iter().find(|(_, n)| n == name) else { continue };
        if column.kept.is_some() {
            let chars = if *first < at { VARIABLE_CHARS } else { 65_532 / 4 };
            column.kept = Some(SqlType::varchar(chars, connection));
        }
    }
}

impl Binder<'_> {
    pub fn block(&mut self, s: &ast::Select, q: &ast::Query) -> Bind<QueryPlan> {
        let depth = self.stack.len();
        let keep = std::mem::take(&mut self.keep_scope);
        let idle = std::mem::take(&mut self.idle_order);
        self.enter(Scope::default());
        let r = self.block_inner(s, q, (keep, idle));
        // An error may come before or after the block was left.
        self.stack.truncate(depth);
        r
    }

    /// Whether there is an aggregate of the block in it. What a row draws has the same form, and higher numbers.
    fn sums_up(&self, e: &BExpr) -> bool {
        let (sums, mut found) = (self.top().aggs.len(), false);
        e.walk(&mut |e| found |= matches!(e.node, Node::Agg(n) if (n as usize) < sums));
        found
    }

    /// ORDER BY. 3029: a query that is not aggregated otherwise is not sorted by an aggregate.
    fn sorted_by(
        &mut self,
        q: &ast::Query,
        items: &[BExpr],
        (keyed, named): (bool, &mut grouped::NamedIn),
    ) -> Bind<Vec<(BExpr, bool)>> {
        let summed = keyed || !self.top().aggs.is_empty();
        self.place("order clause");
        let mut order = Vec::new();
        for (at, o) in q.order_by.iter().enumerate() {
            self.top_mut().named.clear();
            let e = match &o.expr {
                Expr::Literal(ast::Literal::Int(n)) => {
                    items[position(*n, items.len(), "order clause")?].clone()
                }
                e @ Expr::Column(_) => self.scalar(e)?,
                e => {
                    // Inside of an expression a column goes before an alias.
                    self.top_mut().alias_first = false;
                    let e = self.scalar(e);
                    self.top_mut().alias_first = true;
                    e?
                }
            };
            if !summed && self.sums_up(&e) {
                return Err(SqlError::of(errno::ER_AGGREGATE_ORDER_NON_AGG_QUERY, &[&(at + 1)]));
            }
            // A constant sorts nothing.
            if !matches!(e.node, Node::Const(_) | Node::Param(_)) {
                order.push((e, o.descending));
                named.order.push(std::mem::take(&mut self.top_mut().named));
            }
        }
        Ok(order)
    }

    fn block_inner(
        &mut self,
        s: &ast::Select,
        q: &ast::Query,
        (keep, idle): (bool, bool),
    ) -> Bind<QueryPlan> {
        if s.options.calc_found_rows {
            self.deprecated(Deprecated::CalcFoundRows);
        }
        if s.options.no_cache {
            self.deprecated(Deprecated::NoCache);
        }
        self.name_block(s.hints.as_deref());
        let mut raw = Raw { straight: s.options.straight_join, ..Raw::default() };
        let mut tables = Vec::new();
        for t in &s.from {
            self.from(t, None, &mut raw, &mut tables)?;
        }
        self.locking(&q.locking, &mut tables)?;
        self.place("where clause");
        if let Some(w) = &s.where_ {
            let e = self.numeric(w)?;
            self.equal_variables(&e, true);
            split_and(e, &mut raw.conds);
        }
        self.place("field list");
        self.top_mut().agg_ok = true;
        self.name_windows(&s.windows)?;
        let mut items = Vec::new();
        let mut columns = Vec::new();
        let mut named = grouped::NamedIn::default();
        for item in &s.items {
            self.top_mut().named.clear();
            self.item(item, &mut items, &mut columns)?;
            named.items.resize_with(items.len() - 1, Vec::new);
            named.items.push(std::mem::take(&mut self.top_mut().named));
        }
        describe_assigned(&items, &mut columns, self.env.reads.settings.collation);
        self.top_mut().shown.clear();
        if items.is_empty() {
            return Err(SqlError::of(errno::ER_NO_TABLES_USED, &[]));
        }
        let keys = self.group_by(s, &items, &columns)?;
        self.top_mut().aliases =
            columns.iter().zip(&items).map(|(c, e)| (c.name.clone(), e.clone())).collect();
        let mut having = self.having(s, &keys)?;
        let mut order = self.sorted_by(q, &items, (!s.group_by.is_empty(), &mut named))?;
        self.top_mut().aliases.clear();
        // What nothing is sorted by was looked at for its names alone.
        if idle {
            order.clear();
            named.order.clear();
        }
        // One row has no order, so nothing is asked of what it would be.
        if keys.is_empty() && s.group_by.is_empty() && !self.top().aggs.is_empty() {
            order.retain(|(e, _)| e.has_agg());
            named.order.clear();
        }
        let named_draws = drawn::settle(&items, having.as_mut(), &mut order);
        let limit = self.limit(q.limit.as_ref())?;
        self.obey_hints(s.hints.as_deref(), &mut raw, &tables);
        let checked = drawn::unmarked(&order, &items, &named_draws);
        let mut ctx = self.leave();
        let inherited = std::mem::take(&mut ctx.inherited);
        let mut windows = std::mem::take(&mut ctx.windows);
        window::refuse_many(windows.len())?;
        let grouped = !keys.is_empty()
            || !ctx.aggs.is_empty()
            || (having.is_some() && !s.group_by.is_empty());
        if self.env.reads.settings.mode.has(SqlMode::ONLY_FULL_GROUP_BY) && grouped {
            let inside = windows.iter().flat_map(|w: &Window| w.exprs()).cloned();
            let all: Vec<BExpr> = items.iter().cloned().chain(inside).collect();
            drop_outer_joins(&mut raw);
            let shown = functional_dependency::shown_by(&ctx.scope);
            // A super-aggregate row has NULL for a key, so nothing follows from one but itself.
            let rows = match s.rollup {
                true => functional_dependency::Rows::default(),
                false => functional_dependency::Rows::new(&tables, &raw, &shown),
            };
            // One row has no order.
            let sorted = if keys.is_empty() { &[] } else { &checked[..] };
            grouped::check_full_group_by(&ctx.scope, &rows, &keys, (&all, sorted), &named)?;
        }
        let list =
            grouped::Distinct { items: &items, order: &checked, keys: &keys, rollup: s.rollup };
        if self.env.reads.settings.mode.has(SqlMode::ONLY_FULL_GROUP_BY)
            && s.options.distinct
            && !list.is_of_groups(grouped)
        {
            grouped::check_distinct_order(&ctx.scope, &list, &named)?;
        }
        let over = OverGroups {
            items: &mut items,
            columns: &mut columns,
            order: &mut order,
            having: having.as_mut(),
            windows: &mut windows,
        };
        let rollup = rollup::place(&mut ctx, &keys, s.rollup, over)?;
        let drawn = drawn::take(&named_draws, &mut items);
        // Values by which rows are distinguished have been stored, and so have joined rows that are sorted.
        let stored = s.options.distinct || ctx.scope.tables.len() > 1 && !order.is_empty();
        for (c, e) in columns.iter_mut().zip(&items) {
            c.own_digits &= !stored && (!grouped || e.has_agg());
        }
        let mut order: Vec<_> = order.into_iter().map(|(e, desc)| (by_place(e), desc)).collect();
        let sorts_rows = !grouped && !s.options.distinct && windows.is_empty();
        let sorted = &ctx.scope.tables.first().and_then(|t| t.merged.as_ref());
        if sorts_rows
            && order.is_empty()
            && having.is_none()
            && sorted.is_some_and(|m| m.bases.len() == tables.len())
        {
            order.extend(inherited.into_iter().map(|(e, desc)| (by_place(e), desc)));
        }
        // As InnoDB gives the rows of a search: the best first.
        if sorts_rows
            && order.is_empty()
            && let [TableSlot { source: Source::Table(_), .. }] = &tables[..]
        {
            order.extend(by_relevance(&raw.conds, &ctx.subs));
        }
        find_zero_days(&tables, &mut raw)?;
        self.find_inserted(&tables, &mut raw)?;
        self.use_key_exprs(&tables, &mut raw, if sorts_rows { &mut order } else { &mut [] })?;
        let agg = grouped.then(|| {
            let mut subs = Vec::new();
            keys.iter().for_each(|k| k.subs(&mut subs));
            ctx.aggs.iter().flat_map(|(_, a)| a).for_each(|a| a.subs(&mut subs));
            Aggregation { implicit: keys.is_empty(), keys, specs: ctx.aggs, subs, rollup }
        });
        let behind = agg.as_ref().map_or(0, Aggregation::width) as u32;
        if !named_draws.is_empty() {
            let all = items.iter_mut().chain(&mut having).chain(order.iter_mut().map(|(e, _)| e));
            all.for_each(|e| drawn::place(e, &named_draws, behind));
        }
        let behind = behind + named_draws.len() as u32;
        let shown = items.iter_mut().chain(order.iter_mut().map(|(e, _)| e));
        shown.for_each(|e| e.place_windows(behind));
        let merges = ctx.scope.tables.iter().any(|t| t.merged.is_some());
        if keep && !grouped && !merges {
            self.kept_scope = Some(ctx.scope);
        }
        let mut item_subs = Vec::new();
        items.iter().chain(order.iter().map(|(e, _)| e)).for_each(|e| e.subs(&mut item_subs));
        windows.iter().flat_map(Window::exprs).for_each(|e| e.subs(&mut item_subs));
        self.join_queries(&mut raw, &mut ctx.subs, &mut tables)?;
        let shapes = shapes_of(&tables);
        let block = Block {
            tables,
            shapes,
            steps: Vec::new(),
            groups: Vec::new(),
            gate: Vec::new(),
            subs: ctx.subs,
            agg,
            extremes: None,
            windows,
            drawn,
            having: having.map(Cond::new),
            items,
            item_subs,
            distinct: s.options.distinct,
            order,
            limit,
            calc_found_rows: s.options.calc_found_rows,
            index_order: Vec::new(),
            together: Default::default(),
            guessed: 1.0,
            joins_queries: self.merges_derived,
            raw: Some(raw),
            seen: Default::default(),
        };
        note_stored(&block, &mut columns);
        Ok(QueryPlan {
            body: Body::Block(Box::new(block)),
            order: Vec::new(),
            limit: None,
            columns,
        })
    }

    pub fn item(
        &mut self,
        item: &SelectItem,
        items: &mut Vec<BExpr>,
        columns: &mut Vec<OutColumn>,
    ) -> Bind<()> {
        match item {
            SelectItem::Wildcard { schema, table } => {
                let places = self.top().scope.wildcard(schema.as_ref(), table.as_ref());
                if places.is_empty() {
                    return Err(match table {
                        Some(t) if !self.top().scope.has_table(schema.as_ref(), t) => {
                            SqlError::of(errno::ER_BAD_TABLE_ERROR, &[&t])
                        }
                        _ => SqlError::of(errno::ER_NO_TABLES_USED, &[]),
                    });
                }
                self.note_wildcard(&places);
                let here = self.stack.len() - 1;
                for (t, c) in places {
                    self.column_step()?;
                    self.note_read_of(here, (t, c), true);
                    let scope = &self.top().scope;
                    let e = scope.column(t, c, 0);
                    let col = &scope.tables[t as usize].columns[c as usize];
                    columns.push(OutColumn {
                        name: col.name.clone(),
                        info: e.info,
                        origin: col.origin.clone(),
                        stored: false,
                        kept: None,
                        own_digits: false,
                        of_program: false,
                    });
                    items.push(e);
                }
            }
            SelectItem::Expr { expr, alias, text } => {
                self.column_step()?;
                let e = self.scalar(expr)?;
                let origin = self.top().scope.origin_of(&e).cloned();
                if let Some(a) = alias {
                    self.top_mut().shown.push((a.as_str().into(), e.clone()));
                }
                let name: Arc<str> = match (alias, expr) {
                    (Some(a), _) => self.given_name(a.as_str()),
                    (None, Expr::Column(c)) if let Some(own) = self.own_name(c) => own,
                    (None, Expr::Column(c)) => c.column.as_str().into(),
                    (None, Expr::Literal(ast::Literal::Null)) => "NULL".into(),
                    (None, _) => written_name(text).into(),
                };
                // A user variable without a value is announced as one that may get any.
                let unset = matches!(e.node, Node::UserVar(_)) && e.info.ty == SqlType::Null;
                let kept = unset.then_some(SqlType::varbinary(65_532));
                let computed = OutColumn::computed(name, e.info);
                let own_digits = chooses(&e);
                let of_program = match e.node {
                    Node::Param(_) => !self.env.locals.is_empty(),
                    Node::Call { .. } => true,
                    _ => false,
                };
                columns.push(OutColumn { origin, kept, own_digits, of_program, ..computed });
                items.push(e);
            }
        }
        Ok(())
    }

    /// A name that was given has no spaces before it (1466), and one of spaces alone is empty (1474).
    fn given_name(&mut self, name: &str) -> Arc<str> {
        let bare = name.trim_start_matches(is_space);
        if bare.len() < name.len() {
            self.deprecated(Deprecated::SpacedName(name.into()));
            return bare.into();
        }
        name.into()
    }

    /// The name that a column of a merged query, or of one of information_schema's views, has, however the statement writes it: as in
    /// MySQL, where the column of the view stands in the result, and that of a table does not.
    fn own_name(&self, c: &ast::ColumnRef) -> Option<Arc<str>> {
        let scope = &self.top().scope;
        let Found::Column(t, i) = scope.find(c) else { return None };
        let table = &scope.tables[usize::from(t)];
        let column = &table.columns[usize::from(i)];
        let of = column.origin.as_ref().map_or(&*table.alias, |o| &*o.org_table);
        let is_view = table.schema.eq_ignore_ascii_case("information_schema")
            && !crate::ddl::is_filled_table(of);
        (table.merged.is_some() || is_view).then(|| column.name.clone())
    }

    /// Keeps what a `*` stands for, where somebody asks, and the block is one of the query itself.
    fn note_wildcard(&mut self, places: &[(u16, u16)]) {
        if self.stack.len() > 1 {
            return;
        }
        let (scope, Some(found)) = (&self.stack[0].scope, &mut self.wildcards) else { return };
        let item = |(t, c): &(u16, u16)| {
            let table = &scope.tables[*t as usize];
            let name = ast::Ident::new(&table.columns[*c as usize].name);
            let column = ast::ColumnRef {
                schema: None,
                table: Some(ast::Ident::new(&table.alias)),
                column: name.clone(),
            };
            let text = name.as_str().into();
            SelectItem::Expr { expr: Expr::Column(column), alias: Some(name), text }
        };
        found.push(places.iter().map(item).collect());
    }

    fn group_by(
        &mut self,
        s: &ast::Select,
        items: &[BExpr],
        columns: &[OutColumn],
    ) -> Bind<Vec<BExpr>> {
        self.place("group statement");
        self.top_mut().aliases =
            columns.iter().zip(items).map(|(c, e)| (c.name.clone(), e.clone())).collect();
        let mut keys = Vec::new();
        for g in &s.group_by {
            let e = match g {
                Expr::Literal(ast::Literal::Int(n)) => {
                    items[position(*n, items.len(), "group statement")?].clone()
                }
                Expr::Column(c) => self.key_by_name(c)?,
                e => self.scalar(e)?,
            };
            let mut subs = Vec::new();
            e.subs(&mut subs);
            let sums = |s: &u32| self.top().subs[*s as usize].sums;
            if e.has_agg() || subs.iter().any(sums) {
                return Err(SqlError::of(
                    errno::ER_WRONG_GROUP_FIELD,
                    &[&(columns.first().map_or("", |c| &c.name))],
                ));
            }
            keys.push(e);
        }
        self.top_mut().aliases.clear();
        Ok(keys)
    }

    /// A name in GROUP BY is a column of the tables; which of several tables' columns is meant, the select list says.
    fn key_by_name(&mut self, c: &ast::ColumnRef) -> Bind<BExpr> {
        let listed = self.alias(c)?;
        if let (Some(e), Found::Ambiguous) = (&listed, self.top().scope.find(c)) {
            return Ok(e.clone());
        }
        let key = self.scalar(&Expr::Column(c.clone()))?;
        if listed
            .is_some_and(|e| functional_dependency::text(&e) != functional_dependency::text(&key))
        {
            let name = c.column.as_str().into();
            self.deprecated(Deprecated::Ambiguous(name, "group statement"));
        }
        Ok(key)
    }

    /// A name in HAVING is a column of GROUP BY before it is an alias of the select list.
    fn having(&mut self, s: &ast::Select, keys: &[BExpr]) -> Bind<Option<BExpr>> {
        self.place("having clause");
        self.top_mut().alias_first = true;
        let Some(having) = &s.having else { return Ok(None) };
        let named = s.group_by.iter().zip(keys).filter_map(|(g, key)| match g {
            Expr::Column(c) => Some((c.column.as_str().into(), key.clone())),
            _ => None,
        });
        self.top_mut().key_names = named.collect();
        let bound = self.numeric(having);
        self.top_mut().key_names.clear();
        bound.map(Some)
    }

    fn locking(&mut self, clauses: &[ast::Locking], tables: &mut [TableSlot]) -> Bind<()> {
        let mut named: Vec<Arc<str>> = Vec::new();
        for l in clauses {
            let before = named.len();
            for of in &l.of {
                if !self.top().scope.tables.iter().any(|t| *t.alias == *of.as_str()) {
                    return Err(SqlError::new(
                        errno::ER_UNRESOLVED_TABLE_LOCK,
                        format!("Unresolved table name `{of}` in locking clause."),
                    ));
                }
            }
            for (n, t) in tables.iter_mut().enumerate().filter(|(_, t)| !t.nested) {
                let name = self.top().scope.owner(n).alias.clone();
                if l.of.is_empty() || l.of.iter().any(|o| *name == *o.as_str()) {
                    if named[..before].contains(&name) {
                        let quote = if l.of.is_empty() { "" } else { "`" };
                        let text = format!(
                            "Table {quote}{name}{quote} appears in multiple locking clauses."
                        );
                        return Err(SqlError::new(errno::ER_DUPLICATE_TABLE_LOCK, text));
                    }
                    named.push(name);
                    // Rows of a table that the session has locked for reading are not to be locked for more.
                    if let (ast::LockStrength::Update, Source::Table(table)) =
                        (l.strength, &t.source)
                        && self.views.is_empty()
                    {
                        self.changes(table, self.top().scope.owner(n))?;
                    }
                    t.lock = match l.strength {
                        ast::LockStrength::Update => LockMode::Exclusive,
                        ast::LockStrength::Share => LockMode::Shared,
                    };
                    t.on_locked = match l.wait {
                        ast::LockWait::Wait => OnLocked::Wait,
                        ast::LockWait::NoWait => OnLocked::NoWait,
                        ast::LockWait::SkipLocked => OnLocked::SkipLocked,
                    };
                }
            }
        }
        Ok(())
    }
}

pub fn split_and(e: BExpr, out: &mut Vec<BExpr>) {
    match e.node {
        Node::And(list) => list.into_iter().for_each(|e| split_and(e, out)),
        node => out.push(BExpr { node, info: e.info }),
    }
}

pub fn position(n: u64, len: usize, place: &str) -> Bind<usize> {
    if n == 0 || n > len as u64 {
        return Err(SqlError::of(errno::ER_BAD_FIELD_ERROR, &[&n, &place]));
    }
    Ok(n as usize - 1)
}
