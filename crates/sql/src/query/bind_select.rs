//! Query expressions and blocks: FROM, select list, grouping, order. Synchronous; `optimize` fills in the access later.

use super::PlanEnv;
use super::expr::{BExpr, ColRef, Node};
use super::frame::Shape;
use super::plan::{
    Aggregation, Block, Body, Cond, Limit, Origin, OutColumn, QueryPlan, Source, Sub, TableSlot,
    TableUse,
};
use super::scope::{Found, Scope, ScopeColumn, ScopeTable, ambiguous, unknown_column};
use super::{bind_expr, group, optimize, select_privilege};
use crate::account::Privileges;
use crate::ast::{self, Expr, JoinCondition, JoinKind, QueryBody, SelectItem, TableRef};
use crate::func::aggregate::AggSpec;
use crate::func::infer;
use crate::meta::{ColumnDefault, SqlTable, VirtualHint};
use crate::session_api::{SqlError, column_flag};
use crate::value::{SqlMode, SqlType, TypeInfo, Value};
use std::sync::Arc;
use weir_engine::{LockMode, OnLocked};

type Bind<T> = Result<T, SqlError>;
/// Sort keys with "descending", and the limit.
type OrderAndLimit = (Vec<(BExpr, bool)>, Option<Limit>);

/// Tables of one join at most, as in MySQL.
const MAX_TABLES: usize = 61;

/// The inner side of an outer join, as written.
pub struct RawGroup {
    pub parent: Option<usize>,
    pub tables: u64,
    pub on: Vec<BExpr>,
}

/// What the optimizer works from.
#[derive(Default)]
pub struct Raw {
    pub conds: Vec<BExpr>,
    pub groups: Vec<RawGroup>,
    /// For each table the group it is in.
    pub group_of: Vec<Option<usize>>,
    /// For each table the engine indexes it may use; none: all.
    pub usable: Vec<Option<Vec<usize>>>,
    pub straight: bool,
}

/// A block being bound.
pub struct BlockCtx {
    pub scope: Scope,
    pub subs: Vec<Sub>,
    pub aggs: Vec<(AggSpec, Vec<BExpr>)>,
    pub agg_texts: Vec<String>,
    pub aliases: Vec<(Arc<str>, BExpr)>,
    pub alias_first: bool,
    pub agg_ok: bool,
    pub in_agg: bool,
    pub place: &'static str,
}

struct Cte {
    name: Arc<str>,
    columns: Vec<ast::Ident>,
    query: Arc<ast::Query>,
}

pub struct Binder<'a> {
    pub env: &'a PlanEnv<'a>,
    pub stack: Vec<BlockCtx>,
    /// For each subquery being bound: the level it begins at, and the outer tables it reads.
    pub collectors: Vec<(usize, Vec<(usize, u16)>)>,
    pub uses: Vec<TableUse>,
    pub params: usize,
    pub cacheable: bool,
    pub varying: bool,
    /// Table of the block that holds the row to be inserted (ON DUPLICATE KEY UPDATE).
    pub new_row: Option<u16>,
    /// Tables read, for [`super::Plan::is_outgrown`].
    pub seen: Vec<Arc<SqlTable>>,
    /// A computed table is read.
    pub virtuals: bool,
    ctes: Vec<Cte>,
    depth: usize,
}

impl<'a> Binder<'a> {
    pub fn new(env: &'a PlanEnv<'a>) -> Binder<'a> {
        Binder {
            env,
            stack: Vec::new(),
            collectors: Vec::new(),
            uses: Vec::new(),
            params: 0,
            cacheable: true,
            varying: false,
            new_row: None,
            seen: Vec::new(),
            virtuals: false,
            ctes: Vec::new(),
            depth: 0,
        }
    }

    pub fn enter(&mut self, scope: Scope) {
        self.stack.push(BlockCtx {
            scope,
            subs: Vec::new(),
            aggs: Vec::new(),
            agg_texts: Vec::new(),
            aliases: Vec::new(),
            alias_first: false,
            agg_ok: false,
            in_agg: false,
            place: "field list",
        });
    }

    pub fn leave(&mut self) -> BlockCtx {
        self.stack.pop().expect("every enter has its leave")
    }

    pub fn top(&self) -> &BlockCtx {
        self.stack.last().expect("expressions are bound inside of a block")
    }

    pub fn top_mut(&mut self) -> &mut BlockCtx {
        self.stack.last_mut().expect("expressions are bound inside of a block")
    }

    pub fn place(&mut self, place: &'static str) {
        self.top_mut().place = place;
    }

    pub fn note_outer(&mut self, level: usize, table: u16) {
        for (begin, refs) in &mut self.collectors {
            if level < *begin && !refs.contains(&(level, table)) {
                refs.push((level, table));
            }
        }
    }

    pub fn use_table(&mut self, schema: &str, table: &str, privilege: Privileges) {
        let u = TableUse { schema: schema.into(), table: table.into(), privilege };
        if !self.uses.contains(&u) {
            self.uses.push(u);
        }
    }

    /// Binds and optimizes a whole query.
    pub async fn query(&mut self, q: &ast::Query, _outer: Option<()>) -> Bind<QueryPlan> {
        let mut plan = self.bind_query(q)?;
        optimize::query(&mut plan, self.env).await?;
        Ok(plan)
    }

    /// Expressions without FROM (DO).
    pub async fn alone(&mut self, exprs: &[Expr]) -> Bind<(Vec<BExpr>, Vec<Sub>)> {
        self.enter(Scope::default());
        let bound = exprs.iter().map(|e| self.scalar(e)).collect::<Bind<Vec<_>>>();
        let mut ctx = self.leave();
        let bound = bound?;
        optimize::subs(&mut ctx.subs, self.env).await?;
        Ok((bound, ctx.subs))
    }

    pub fn bind_query(&mut self, q: &ast::Query) -> Bind<QueryPlan> {
        self.depth += 1;
        if self.depth > 60 {
            return Err(SqlError::new(1473, "Too high level of nesting for select"));
        }
        let known = self.ctes.len();
        if let Some(w) = &q.with {
            if w.recursive {
                return Err(SqlError::not_supported("WITH RECURSIVE"));
            }
            for t in &w.tables {
                let query = Arc::new((*t.query).clone());
                self.ctes.push(Cte {
                    name: t.name.as_str().into(),
                    columns: t.columns.clone(),
                    query,
                });
            }
        }
        let r = self.query_body(q);
        self.ctes.truncate(known);
        self.depth -= 1;
        r
    }

    fn query_body(&mut self, q: &ast::Query) -> Bind<QueryPlan> {
        match &q.body {
            QueryBody::Select(s) => self.block(s, q),
            QueryBody::Table(name) => {
                let s = ast::Select {
                    hints: None,
                    options: ast::SelectOptions::default(),
                    items: vec![SelectItem::Wildcard { schema: None, table: None }],
                    from: vec![TableRef::Table(Box::new(ast::TableFactor {
                        name: name.clone(),
                        partitions: Vec::new(),
                        alias: None,
                        index_hints: Vec::new(),
                    }))],
                    where_: None,
                    group_by: Vec::new(),
                    rollup: false,
                    having: None,
                    windows: Vec::new(),
                };
                self.block(&s, q)
            }
            QueryBody::Nested(inner)
                if q.order_by.is_empty() && q.limit.is_none() && q.locking.is_empty() =>
            {
                self.bind_query(inner)
            }
            body => {
                let (body, columns) = self.set_body(body)?;
                let (order, limit) = self.outer_order(q, &columns)?;
                Ok(QueryPlan { body, order, limit, columns })
            }
        }
    }

    fn set_body(&mut self, body: &QueryBody) -> Bind<(Body, Vec<OutColumn>)> {
        match body {
            QueryBody::SetOp { op, all, left, right } => {
                let (l, r) = (self.operand(left)?, self.operand(right)?);
                if l.columns.len() != r.columns.len() {
                    return Err(SqlError::new(
                        1222,
                        "The used SELECT statements have a different number of columns",
                    ));
                }
                let columns = l
                    .columns
                    .iter()
                    .zip(&r.columns)
                    .map(|(a, b)| OutColumn {
                        name: a.name.clone(),
                        info: infer::merge(&[a.info, b.info]),
                        origin: None,
                    })
                    .collect();
                Ok((
                    Body::Set { op: *op, all: *all, left: Box::new(l), right: Box::new(r) },
                    columns,
                ))
            }
            QueryBody::Values(rows) => {
                self.enter(Scope::default());
                let bound: Bind<Vec<Vec<BExpr>>> =
                    rows.iter().map(|r| r.iter().map(|e| self.scalar(e)).collect()).collect();
                let ctx = self.leave();
                let rows = bound?;
                if !ctx.subs.is_empty() {
                    return Err(SqlError::not_supported("subquery in VALUES"));
                }
                let n = rows.first().map_or(0, Vec::len);
                if rows.iter().any(|r| r.len() != n) {
                    return Err(SqlError::new(
                        1136,
                        "Column count doesn't match value count at row 2",
                    ));
                }
                let columns = (0..n)
                    .map(|i| {
                        let infos: Vec<TypeInfo> = rows.iter().map(|r| r[i].info).collect();
                        OutColumn {
                            name: format!("column_{i}").into(),
                            info: infer::merge(&infos),
                            origin: None,
                        }
                    })
                    .collect();
                Ok((Body::Values(rows), columns))
            }
            other => {
                let p = self.operand(other)?;
                let columns = p.columns.clone();
                Ok((Body::Nested(Box::new(p)), columns))
            }
        }
    }

    fn operand(&mut self, body: &QueryBody) -> Bind<QueryPlan> {
        match body {
            QueryBody::Nested(q) => self.bind_query(q),
            other => self.query_body(&ast::Query::bare(other.clone())),
        }
    }

    /// ORDER BY and LIMIT over the columns of a result.
    fn outer_order(&mut self, q: &ast::Query, columns: &[OutColumn]) -> Bind<OrderAndLimit> {
        if !q.locking.is_empty() {
            return Err(SqlError::not_supported("FOR UPDATE over a set operation"));
        }
        let table = ScopeTable {
            schema: "".into(),
            alias: "".into(),
            columns: columns
                .iter()
                .map(|c| ScopeColumn {
                    name: c.name.clone(),
                    info: c.info,
                    hidden: false,
                    origin: None,
                })
                .collect(),
            nullable: false,
        };
        self.enter(Scope { tables: vec![table], merged: Vec::new() });
        self.place("order clause");
        let mut order = Vec::new();
        for o in &q.order_by {
            let e = match &o.expr {
                Expr::Literal(ast::Literal::Int(n)) => {
                    let at = position(*n, columns.len(), "order clause")?;
                    self.top().scope.column(0, at as u16, 0)
                }
                e => self.scalar(e)?,
            };
            order.push((e, o.descending));
        }
        let limit = self.limit(q.limit.as_ref())?;
        let ctx = self.leave();
        if !ctx.subs.is_empty() {
            return Err(SqlError::not_supported("subquery in ORDER BY of a set operation"));
        }
        Ok((order, limit))
    }

    pub fn limit(&mut self, l: Option<&ast::Limit>) -> Bind<Option<Limit>> {
        let Some(l) = l else { return Ok(None) };
        let offset = l.offset.as_ref().map(|o| self.scalar(o)).transpose()?;
        Ok(Some(Limit { offset, count: self.scalar(&l.count)? }))
    }

    fn block(&mut self, s: &ast::Select, q: &ast::Query) -> Bind<QueryPlan> {
        if s.rollup {
            return Err(SqlError::not_supported("WITH ROLLUP"));
        }
        if !s.windows.is_empty() {
            return Err(SqlError::not_supported("window functions"));
        }
        let depth = self.stack.len();
        self.enter(Scope::default());
        let r = self.block_inner(s, q);
        // An error may come before or after the block was left.
        self.stack.truncate(depth);
        r
    }

    fn block_inner(&mut self, s: &ast::Select, q: &ast::Query) -> Bind<QueryPlan> {
        let mut raw = Raw { straight: s.options.straight_join, ..Raw::default() };
        let mut tables = Vec::new();
        for t in &s.from {
            self.from(t, None, &mut raw, &mut tables)?;
        }
        self.locking(&q.locking, &mut tables)?;
        self.place("where clause");
        if let Some(w) = &s.where_ {
            let e = self.scalar(w)?;
            split_and(e, &mut raw.conds);
        }
        self.place("field list");
        self.top_mut().agg_ok = true;
        let mut items = Vec::new();
        let mut columns = Vec::new();
        for item in &s.items {
            self.item(item, &mut items, &mut columns)?;
        }
        if items.is_empty() {
            return Err(SqlError::new(1096, "No tables used"));
        }
        let keys = self.group_by(s, &items, &columns)?;
        self.top_mut().aliases =
            columns.iter().zip(&items).map(|(c, e)| (c.name.clone(), e.clone())).collect();
        self.place("having clause");
        self.top_mut().alias_first = true;
        let having = s.having.as_ref().map(|h| self.scalar(h)).transpose()?;
        self.place("order clause");
        let mut order = Vec::new();
        for o in &q.order_by {
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
            // A constant sorts nothing.
            if !matches!(e.node, Node::Const(_) | Node::Param(_)) {
                order.push((e, o.descending));
            }
        }
        self.top_mut().aliases.clear();
        let limit = self.limit(q.limit.as_ref())?;
        let ctx = self.leave();
        let grouped = !keys.is_empty()
            || !ctx.aggs.is_empty()
            || (having.is_some() && !s.group_by.is_empty());
        if self.env.mode.has(SqlMode::ONLY_FULL_GROUP_BY) && grouped {
            group::check_full_group_by(&ctx.scope, &tables, &raw.conds, &keys, &items, &order)?;
        }
        let agg = grouped.then(|| {
            let mut subs = Vec::new();
            keys.iter().for_each(|k| k.subs(&mut subs));
            ctx.aggs.iter().flat_map(|(_, a)| a).for_each(|a| a.subs(&mut subs));
            Aggregation { implicit: keys.is_empty(), keys, specs: ctx.aggs, subs }
        });
        let mut item_subs = Vec::new();
        items.iter().chain(order.iter().map(|(e, _)| e)).for_each(|e| e.subs(&mut item_subs));
        let shapes = shapes_of(&tables);
        let block = Block {
            tables,
            shapes,
            steps: Vec::new(),
            groups: Vec::new(),
            gate: Vec::new(),
            subs: ctx.subs,
            agg,
            having: having.map(Cond::new),
            items,
            item_subs,
            distinct: s.options.distinct,
            order,
            limit,
            calc_found_rows: s.options.calc_found_rows,
            ordered_by_index: false,
            raw: Some(raw),
        };
        Ok(QueryPlan {
            body: Body::Block(Box::new(block)),
            order: Vec::new(),
            limit: None,
            columns,
        })
    }

    fn item(
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
                            SqlError::new(1051, format!("Unknown table '{t}'"))
                        }
                        _ => SqlError::new(1096, "No tables used"),
                    });
                }
                for (t, c) in places {
                    let scope = &self.top().scope;
                    let e = scope.column(t, c, 0);
                    let col = &scope.tables[t as usize].columns[c as usize];
                    columns.push(OutColumn {
                        name: col.name.clone(),
                        info: e.info,
                        origin: col.origin.clone(),
                    });
                    items.push(e);
                }
            }
            SelectItem::Expr { expr, alias, text } => {
                let e = self.scalar(expr)?;
                let origin = match &e.node {
                    Node::Col(ColRef { depth: 0, table, col }) => {
                        self.top().scope.tables[*table as usize].columns[*col as usize]
                            .origin
                            .clone()
                    }
                    _ => None,
                };
                let name: Arc<str> = match (alias, expr) {
                    (Some(a), _) => a.as_str().into(),
                    (None, Expr::Column(c)) => c.column.as_str().into(),
                    (None, _) => (&**text).into(),
                };
                columns.push(OutColumn { name, info: e.info, origin });
                items.push(e);
            }
        }
        Ok(())
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
                e => self.scalar(e)?,
            };
            if e.has_agg() {
                return Err(SqlError::new(
                    1056,
                    format!("Can't group on '{}'", columns.first().map_or("", |c| &c.name)),
                ));
            }
            keys.push(e);
        }
        self.top_mut().aliases.clear();
        Ok(keys)
    }

    fn locking(&mut self, clauses: &[ast::Locking], tables: &mut [TableSlot]) -> Bind<()> {
        for l in clauses {
            for of in &l.of {
                if !tables.iter().any(|t| *t.alias == *of.as_str()) {
                    return Err(SqlError::new(
                        3568,
                        format!("Unresolved table name '{of}' in locking clause."),
                    ));
                }
            }
            for t in tables.iter_mut() {
                if l.of.is_empty() || l.of.iter().any(|o| *t.alias == *o.as_str()) {
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

    pub fn from(
        &mut self,
        t: &TableRef,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        match t {
            TableRef::Table(f) => self.table_factor(f, group, raw, tables),
            TableRef::Derived { lateral, query, alias, columns } => {
                if *lateral {
                    return Err(SqlError::not_supported("LATERAL"));
                }
                let plan = self.isolated(|b| b.bind_query(query))?;
                self.add_derived(alias.as_str(), columns, plan, group, raw, tables)
            }
            TableRef::List(list) => list.iter().try_for_each(|t| self.from(t, group, raw, tables)),
            TableRef::Join(j) => self.join(j, group, raw, tables),
            TableRef::JsonTable(_) => Err(SqlError::not_supported("JSON_TABLE")),
        }
    }

    /// Binds something that sees none of the names around it.
    fn isolated<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let stack = std::mem::take(&mut self.stack);
        let collectors = std::mem::take(&mut self.collectors);
        let out = f(self);
        self.stack = stack;
        self.collectors = collectors;
        out
    }

    fn table_factor(
        &mut self,
        f: &ast::TableFactor,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        if !f.partitions.is_empty() {
            return Err(SqlError::new(1747, "PARTITION () clause on non partitioned table"));
        }
        let name = f.name.name.as_str();
        let alias: &str = f.alias.as_ref().map_or(name, |a| a.as_str());
        if f.name.schema.is_none()
            && let Some(at) = self.ctes.iter().rposition(|c| crate::meta::same_name(&c.name, name))
        {
            // A common table sees those before it, not itself.
            let later = self.ctes.split_off(at);
            let (columns, query) = (later[0].columns.clone(), later[0].query.clone());
            let plan = self.isolated(|b| b.bind_query(&query));
            self.ctes.extend(later);
            return self.add_derived(alias, &columns, plan?, group, raw, tables);
        }
        let schema = match (&f.name.schema, self.env.schema) {
            (Some(s), _) => s.as_str(),
            (None, Some(s)) => s,
            (None, None) if name.eq_ignore_ascii_case("dual") => return Ok(()),
            (None, None) => return Err(SqlError::no_database()),
        };
        if let Some(v) = (self.env.virtuals)(schema, name) {
            self.virtuals = true;
            self.use_table(&v.schema().to_ascii_lowercase(), v.name(), select_privilege());
            let columns = v
                .columns()
                .iter()
                .map(|c| {
                    let origin = Origin {
                        schema: v.schema().into(),
                        table: alias.into(),
                        org_table: v.name().into(),
                        column: c.name.as_ref().into(),
                        flags: 0,
                    };
                    ScopeColumn {
                        name: c.name.as_ref().into(),
                        info: TypeInfo::column(c.ty, c.nullable),
                        hidden: false,
                        origin: Some(Arc::new(origin)),
                    }
                })
                .collect();
            let scope =
                ScopeTable { schema: schema.into(), alias: alias.into(), columns, nullable: false };
            return self.add(
                scope,
                Source::Virtual(v, VirtualHint::default()),
                group,
                None,
                raw,
                tables,
            );
        }
        let table = self.env.meta.lookup(self.env.db, schema, name)?;
        self.use_table(schema, table.name(), select_privilege());
        self.seen.push(table.clone());
        let usable = usable_indexes(&table, &f.index_hints)?;
        let scope = table_scope(&table, alias);
        self.add(scope, Source::Table(table), group, usable, raw, tables)
    }

    fn add_derived(
        &mut self,
        alias: &str,
        names: &[ast::Ident],
        plan: QueryPlan,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        if !names.is_empty() && names.len() != plan.columns.len() {
            return Err(SqlError::new(
                1353,
                "In definition of view, derived table or common table expression, SELECT list and column names list have different column counts",
            ));
        }
        let mut columns: Vec<ScopeColumn> = Vec::new();
        for (i, c) in plan.columns.iter().enumerate() {
            let name: Arc<str> = names.get(i).map_or(c.name.clone(), |n| n.as_str().into());
            if columns.iter().any(|k| crate::meta::same_name(&k.name, &name)) {
                return Err(SqlError::new(1060, format!("Duplicate column name '{name}'")));
            }
            let mut info = c.info;
            if info.ty.is_string() {
                info.coercibility = crate::value::types::coercibility::IMPLICIT;
            }
            let origin = Origin {
                schema: "".into(),
                table: alias.into(),
                org_table: alias.into(),
                column: name.clone(),
                flags: 0,
            };
            columns.push(ScopeColumn { name, info, hidden: false, origin: Some(Arc::new(origin)) });
        }
        let scope = ScopeTable { schema: "".into(), alias: alias.into(), columns, nullable: false };
        self.add(scope, Source::Derived(Box::new(plan)), group, None, raw, tables)
    }

    fn add(
        &mut self,
        scope: ScopeTable,
        source: Source,
        group: Option<usize>,
        usable: Option<Vec<usize>>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        let same = |t: &ScopeTable| {
            t.alias == scope.alias
                && (t.schema == scope.schema || t.schema.is_empty() || scope.schema.is_empty())
        };
        if self.top().scope.tables.iter().any(same) {
            return Err(SqlError::new(1066, format!("Not unique table/alias: '{}'", scope.alias)));
        }
        if tables.len() >= MAX_TABLES {
            return Err(SqlError::new(
                1116,
                format!("Too many tables; MySQL can only use {MAX_TABLES} tables in a join"),
            ));
        }
        let bit = 1u64 << tables.len();
        let mut g = group;
        while let Some(i) = g {
            raw.groups[i].tables |= bit;
            g = raw.groups[i].parent;
        }
        tables.push(TableSlot {
            alias: scope.alias.clone(),
            source,
            lock: LockMode::None,
            on_locked: OnLocked::Wait,
            needs_external: true,
        });
        raw.group_of.push(group);
        raw.usable.push(usable);
        self.top_mut().scope.tables.push(scope);
        Ok(())
    }

    fn join(
        &mut self,
        j: &ast::Join,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        let begin = tables.len();
        let outer = |raw: &mut Raw| {
            raw.groups.push(RawGroup { parent: group, tables: 0, on: Vec::new() });
            Some(raw.groups.len() - 1)
        };
        let (left, right) = match j.kind {
            JoinKind::Inner | JoinKind::Straight => (group, group),
            JoinKind::Left => (group, outer(raw)),
            JoinKind::Right => (outer(raw), group),
        };
        raw.straight |= j.kind == JoinKind::Straight;
        self.from(&j.left, left, raw, tables)?;
        let middle = tables.len();
        self.from(&j.right, right, raw, tables)?;
        self.place("on clause");
        let mut conds = Vec::new();
        match &j.condition {
            None => {}
            Some(JoinCondition::On(e)) => {
                let e = self.scalar(e)?;
                split_and(e, &mut conds);
            }
            Some(JoinCondition::Using(names)) => {
                for n in names {
                    self.merge_column(
                        n.as_str(),
                        begin..middle,
                        middle..tables.len(),
                        j.kind,
                        &mut conds,
                    )?;
                }
            }
            Some(JoinCondition::Natural) => {
                for n in self.common_names(begin..middle, middle..tables.len()) {
                    self.merge_column(&n, begin..middle, middle..tables.len(), j.kind, &mut conds)?;
                }
            }
        }
        let inner = match j.kind {
            JoinKind::Inner | JoinKind::Straight => None,
            JoinKind::Left => right.map(|g| (g, middle..tables.len())),
            JoinKind::Right => left.map(|g| (g, begin..middle)),
        };
        match inner {
            Some((g, range)) => {
                raw.groups[g].on.extend(conds);
                for t in range {
                    self.top_mut().scope.tables[t].nullable = true;
                }
            }
            None => match group {
                Some(g) => raw.groups[g].on.extend(conds),
                None => raw.conds.extend(conds),
            },
        }
        Ok(())
    }

    fn common_names(
        &self,
        left: std::ops::Range<usize>,
        right: std::ops::Range<usize>,
    ) -> Vec<Arc<str>> {
        let scope = &self.top().scope;
        let mut out: Vec<Arc<str>> = Vec::new();
        for c in scope.tables[left].iter().flat_map(|t| &t.columns) {
            let there = scope.tables[right.clone()]
                .iter()
                .any(|t| t.columns.iter().any(|d| crate::meta::same_name(&c.name, &d.name)));
            if there && !out.iter().any(|n| crate::meta::same_name(n, &c.name)) {
                out.push(c.name.clone());
            }
        }
        out
    }

    fn merge_column(
        &mut self,
        name: &str,
        left: std::ops::Range<usize>,
        right: std::ops::Range<usize>,
        kind: JoinKind,
        conds: &mut Vec<BExpr>,
    ) -> Bind<()> {
        let a = self.column_among(name, left)?;
        let b = self.column_among(name, right)?;
        let scope = &self.top().scope;
        let (x, y) = (scope.column(a.0, a.1, 0), scope.column(b.0, b.1, 0));
        conds.push(bind_expr::compare_exprs(super::expr::CmpOp::Eq, x, y)?);
        let merged = &mut self.top_mut().scope.merged;
        // The side that is never missing gives the value.
        let (first, second) = if kind == JoinKind::Right { (b, a) } else { (a, b) };
        match merged.iter_mut().find(|(_, p)| p.contains(&first) || p.contains(&second)) {
            Some((_, places)) => {
                for p in [first, second] {
                    if !places.contains(&p) {
                        places.push(p);
                    }
                }
            }
            None => merged.push((name.into(), vec![first, second])),
        }
        Ok(())
    }

    fn column_among(&self, name: &str, range: std::ops::Range<usize>) -> Bind<(u16, u16)> {
        let c = ast::ColumnRef { schema: None, table: None, column: ast::Ident::new(name) };
        let scope = &self.top().scope;
        let mut found = None;
        for t in range {
            let at =
                scope.tables[t].columns.iter().position(|c| crate::meta::same_name(&c.name, name));
            if let Some(i) = at {
                let here = (t as u16, i as u16);
                let joined = |p: (u16, u16)| {
                    scope
                        .merged
                        .iter()
                        .any(|(_, places)| places.contains(&p) && places.contains(&here))
                };
                match found {
                    None => found = Some(here),
                    Some(p) if joined(p) => {}
                    Some(_) => return Err(ambiguous(&c, "from clause")),
                }
            }
        }
        found.ok_or_else(|| unknown_column(&c, "from clause"))
    }

    /// A column by name in one table of the block.
    pub fn column_in(&self, table: u16, c: &ast::ColumnRef) -> Bind<BExpr> {
        let scope = &self.top().scope;
        let at = scope.tables[table as usize]
            .columns
            .iter()
            .position(|k| crate::meta::same_name(&k.name, c.column.as_str()));
        match at {
            Some(i) => Ok(scope.column(table, i as u16, 0)),
            None => Err(unknown_column(c, "field list")),
        }
    }

    /// DEFAULT(col): the column's default as a constant.
    pub fn column_default(&mut self, r: ColRef, c: &ast::ColumnRef) -> Bind<BExpr> {
        let level = self.stack.len() - 1 - r.depth as usize;
        let t = &self.stack[level].scope.tables[r.table as usize];
        let (schema, alias) = (t.schema.clone(), t.columns[r.col as usize].origin.clone());
        let Some(origin) = alias else { return Err(unknown_column(c, "field list")) };
        let table = self.env.meta.lookup(self.env.db, &schema, &origin.org_table)?;
        default_value(&table, r.col as usize)
    }

    /// A target column of a change: unqualified or with the table's name.
    pub fn target_column(&self, c: &ast::ColumnRef) -> Bind<(u16, u16)> {
        match self.top().scope.find(c) {
            Found::Column(t, i) => Ok((t, i)),
            Found::Ambiguous => Err(ambiguous(c, "field list")),
            Found::None => Err(unknown_column(c, "field list")),
        }
    }
}

/// 1364 when it has none.
pub fn default_value(table: &SqlTable, col: usize) -> Bind<BExpr> {
    let c = &table.meta.columns[col];
    match &c.default {
        ColumnDefault::None => {
            Err(SqlError::new(1364, format!("Field '{}' doesn't have a default value", c.name)))
        }
        ColumnDefault::Null => Ok(BExpr::constant(Value::Null)),
        ColumnDefault::Literal(d) => {
            Ok(BExpr::constant(c.ty.load(d.as_ref(), crate::value::TimeZone::UTC).into_owned()))
        }
        ColumnDefault::CurrentTimestamp(_) | ColumnDefault::Expr(_) => Err(SqlError::new(
            3773,
            "DEFAULT function cannot be used with default value expressions",
        )),
    }
}

pub fn shapes_of(tables: &[TableSlot]) -> Vec<Shape> {
    tables
        .iter()
        .map(|t| match &t.source {
            Source::Table(t) => Shape::Table(t.clone()),
            Source::Derived(q) => Shape::Values(q.columns.iter().map(|c| c.info.ty).collect()),
            Source::Virtual(v, _) => Shape::Values(v.columns().iter().map(|c| c.ty).collect()),
        })
        .collect()
}

pub fn table_scope(table: &Arc<SqlTable>, alias: &str) -> ScopeTable {
    let columns = table
        .meta
        .columns
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let mut flags = match table.meta.column_key(i) {
                "PRI" => column_flag::PRI_KEY,
                "UNI" => column_flag::UNIQUE_KEY,
                "MUL" => column_flag::MULTIPLE_KEY,
                _ => 0,
            };
            if c.auto_increment {
                flags |= column_flag::AUTO_INCREMENT;
            }
            if c.default == ColumnDefault::None && !c.auto_increment {
                flags |= column_flag::NO_DEFAULT_VALUE;
            }
            if c.on_update_now.is_some() {
                flags |= column_flag::ON_UPDATE_NOW;
            }
            if matches!(c.ty, SqlType::Timestamp { .. }) {
                flags |= column_flag::TIMESTAMP;
            }
            let origin = Origin {
                schema: table.schema().into(),
                table: alias.into(),
                org_table: table.name().into(),
                column: c.name.as_str().into(),
                flags,
            };
            ScopeColumn {
                name: c.name.as_str().into(),
                info: TypeInfo::column(c.ty, c.nullable),
                hidden: c.invisible,
                origin: Some(Arc::new(origin)),
            }
        })
        .collect();
    ScopeTable { schema: table.schema().into(), alias: alias.into(), columns, nullable: false }
}

/// USE, FORCE and IGNORE INDEX, as engine positions.
fn usable_indexes(t: &SqlTable, hints: &[ast::IndexHint]) -> Bind<Option<Vec<usize>>> {
    let visible: Vec<usize> =
        (0..t.meta.indexes.len()).filter(|i| t.meta.indexes[*i].visible).collect();
    let mut chosen = if visible.len() == t.meta.indexes.len() {
        None
    } else {
        Some(visible.iter().map(|i| t.engine_indexes[*i]).collect::<Vec<_>>())
    };
    for h in hints {
        let mut named = Vec::new();
        for n in &h.indexes {
            let Some(i) = t.meta.index(n.as_str()) else {
                return Err(SqlError::new(
                    1176,
                    format!("Key '{n}' doesn't exist in table '{}'", t.name()),
                ));
            };
            named.push(t.engine_indexes[i]);
        }
        let all: Vec<usize> = chosen.clone().unwrap_or_else(|| t.engine_indexes.clone());
        chosen = Some(match h.kind {
            ast::IndexHintKind::Ignore => all.into_iter().filter(|i| !named.contains(i)).collect(),
            ast::IndexHintKind::Use | ast::IndexHintKind::Force => named,
        });
    }
    Ok(chosen)
}

pub fn split_and(e: BExpr, out: &mut Vec<BExpr>) {
    match e.node {
        Node::And(list) => list.into_iter().for_each(|e| split_and(e, out)),
        node => out.push(BExpr { node, info: e.info }),
    }
}

fn position(n: u64, len: usize, place: &str) -> Bind<usize> {
    if n == 0 || n > len as u64 {
        return Err(SqlError::new(1054, format!("Unknown column '{n}' in '{place}'")));
    }
    Ok(n as usize - 1)
}
