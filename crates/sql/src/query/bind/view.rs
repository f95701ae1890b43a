//! Views in FROM. One over a single table that only picks rows and columns is merged: its table stands in the block in its place, so
//! that indexes are used and rows can be changed; any other is a derived table.
//!
//! Invariants:
//! - A merged view's columns are expressions over one slot of the block, the one that its scope table stands for.
//! - What a view reads is read with the rights of its definer, or of whoever asks where it says so: these rights are needs of the plan,
//!   beside the right on the view itself.

use super::{Bind, Binder, Raw};
use crate::account::Privileges;
use crate::errno;
use crate::meta::same_name;
use crate::meta::view::ViewMeta;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Origin, Source, TableSlot};
use crate::query::scope::{Merged, Scope, ScopeColumn, ScopeTable};
use crate::rights::{self, Need};
use crate::session_api::SqlError;
use crate::value::types::coercibility;
use std::sync::Arc;
use weir_engine::Object;
use weir_syntax::ast::{
    self, QueryBody, SelectItem, Statement, TableRef, ViewAlgorithm, ViewCheck,
};

/// A view that is being bound.
pub struct OpenView {
    pub schema: String,
    pub name: String,
    /// The account with whose rights its tables are read; `None`: of whoever asks.
    pub account: Option<(String, String)>,
}

/// Columns of a merged view, the names of its table, and what WITH CHECK OPTION asks.
type MergedParts = (Vec<BExpr>, ScopeTable, Vec<BExpr>);

impl Binder<'_> {
    pub fn view(
        &mut self,
        o: &Object,
        alias: &str,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        if self.views.iter().any(|v| v.schema == o.schema && v.name == o.name) {
            let text = format!("`{}`.`{}` contains view recursion", o.schema, o.name);
            return Err(SqlError::new(errno::ER_VIEW_RECURSIVE, text));
        }
        let meta = ViewMeta::of(o)?;
        let stmt = Statement::Select(meta.parse()?);
        let outer = self.views.last().and_then(|v| v.account.clone());
        let account = if meta.invoker { outer } else { Some(meta.definer.clone()) };
        self.note_needs(o, rights::of_query(&stmt, Some(&o.schema))?, &account);
        let acting = account.clone();
        let open = OpenView { schema: o.schema.clone(), name: o.name.clone(), account };
        self.views.push(open);
        // The tables bound inside are covered by the needs just noted, and their columns by those that follow.
        let uses = std::mem::take(&mut self.uses);
        let ctes = std::mem::take(&mut self.ctes);
        let Statement::Select(query) = &stmt else { return Err(SqlError::internal("no query")) };
        let done = self.view_body(o, &meta, query, alias, group, raw, tables);
        let inside = std::mem::replace(&mut self.uses, uses);
        self.note_needs(o, inside.in_view(), &acting);
        self.ctes = ctes;
        self.views.pop();
        done.map_err(|e| if tells_names(&e) { invalid(&o.schema, &o.name) } else { e })
    }

    /// EXECUTE on a function that is called, by the view that calls it, if one does.
    pub fn needs_routine(&mut self, schema: &str, routine: &str) {
        let need = Need::Routine {
            privilege: Privileges::EXECUTE,
            procedure: false,
            schema: schema.into(),
            routine: routine.into(),
        };
        self.view_needs.push(match self.views.last() {
            None => need,
            Some(v) => Need::InView {
                view: (v.schema.clone(), v.name.clone()),
                account: v.account.clone(),
                need: Box::new(need),
            },
        });
    }

    fn note_needs(&mut self, o: &Object, needs: Vec<Need>, account: &Option<(String, String)>) {
        for need in needs {
            self.view_needs.push(Need::InView {
                view: (o.schema.clone(), o.name.clone()),
                account: account.clone(),
                need: Box::new(need),
            });
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the place in the block is four of them")]
    fn view_body(
        &mut self,
        o: &Object,
        meta: &ViewMeta,
        query: &ast::Query,
        alias: &str,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        if meta.algorithm != ViewAlgorithm::TempTable
            && let Some(select) = picks_only(query)
            && self.merge(o, meta, select, alias, group, raw, tables)?
        {
            return Ok(());
        }
        let plan = self.isolated(|b| b.bind_query(query))?;
        if plan.columns.len() != meta.columns.len() {
            return Err(invalid(&o.schema, &o.name));
        }
        let merged = meta.algorithm != ViewAlgorithm::TempTable && plan.would_merge();
        let infos = (0..plan.columns.len()).map(|i| plan.told_outside(i, merged));
        let columns = scope_columns(o, meta, alias, infos);
        let scope = ScopeTable {
            schema: o.schema.as_str().into(),
            alias: alias.into(),
            columns,
            nullable: false,
            merged: None,
        };
        self.add(scope, Source::Derived(Box::new(plan)), group, None, raw, tables)
    }

    /// Puts the view's table into the block; `false`, and nothing done, where that does not go.
    #[expect(clippy::too_many_arguments, reason = "the place in the block is four of them")]
    fn merge(
        &mut self,
        o: &Object,
        meta: &ViewMeta,
        select: &ast::Select,
        alias: &str,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<bool> {
        let at = tables.len();
        let before = (raw.conds.len(), group.map(|g| raw.groups[g].on.len()));
        let checked = meta.check;
        let bound = self.isolated(|b| b.merge_inner(select, at, checked, group, raw, tables));
        let same =
            |t: &ScopeTable| *t.alias == *alias && (*t.schema == *o.schema || t.schema.is_empty());
        if matches!(bound, Ok(Some(_))) && self.top().scope.tables.iter().any(same) {
            return Err(SqlError::new(1066, format!("Not unique table/alias: '{alias}'")));
        }
        let fits = match &bound {
            Ok(Some((items, ..))) => {
                let plain = |e: &BExpr| matches!(e.node, Node::Col(_));
                // A missing row of an outer join has NULL for every column, whatever the expression makes of it.
                items.len() == meta.columns.len() && (group.is_none() || items.iter().all(plain))
            }
            _ => false,
        };
        if !fits {
            // As if nothing had been bound.
            tables.truncate(at);
            raw.group_of.truncate(at);
            raw.usable.truncate(at);
            raw.forced &= !(1 << at);
            raw.conds.truncate(before.0);
            if let (Some(g), Some(n)) = (group, before.1) {
                raw.groups[g].on.truncate(n);
            }
            raw.groups.iter_mut().for_each(|g| g.tables &= !(1 << at));
            return match bound {
                Ok(Some((items, ..))) if items.len() != meta.columns.len() => {
                    Err(invalid(&o.schema, &o.name))
                }
                other => other.map(|_| false),
            };
        }
        let Ok(Some((items, base, check))) = bound else { return Ok(false) };
        let columns =
            scope_columns(o, meta, alias, items.iter().map(|e| (e.info, flags(e, &base))));
        tables[at].alias = alias.into();
        let Source::Table(table) = &tables[at].source else { return Ok(false) };
        let account = self.views.last().and_then(|v| v.account.clone());
        let view = (o.schema.clone(), o.name.clone());
        let merged = Arc::new(Merged { items, table: table.clone(), view, account, check });
        self.top_mut().scope.push(ScopeTable {
            schema: o.schema.as_str().into(),
            alias: alias.into(),
            columns,
            nullable: false,
            merged: Some(merged),
        });
        Ok(true)
    }

    /// The view's columns over the table in slot `at`, and that table's names; its conditions are those of the block.
    fn merge_inner(
        &mut self,
        select: &ast::Select,
        at: usize,
        checked: ViewCheck,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<Option<MergedParts>> {
        let before = group.map_or(raw.conds.len(), |g| raw.groups[g].on.len());
        // Names stand at the number of the slot; those of the block around are not seen.
        let unseen = || ScopeTable {
            schema: "".into(),
            alias: "".into(),
            columns: Vec::new(),
            nullable: false,
            merged: None,
        };
        self.enter(Scope::of((0..at).map(|_| unseen())));
        self.top_mut().agg_ok = true;
        let bound = (|| {
            self.from(&select.from[0], group, raw, tables)?;
            let single = tables.len() == at + 1 && matches!(tables[at].source, Source::Table(_));
            if !single {
                return Ok(None);
            }
            let mut conds = Vec::new();
            self.place("where clause");
            if let Some(w) = &select.where_ {
                let e = self.numeric(w)?;
                super::split_and(e, &mut conds);
            }
            self.place("field list");
            let mut items = Vec::new();
            for item in &select.items {
                match item {
                    SelectItem::Expr { expr, .. } => items.push(self.scalar(expr)?),
                    SelectItem::Wildcard { .. } => return Ok(None),
                }
            }
            let inner = self.top().scope.tables.get(at).and_then(|t| t.merged.clone());
            let mut check = match checked {
                // A view without the option still asks what those under it ask.
                ViewCheck::None | ViewCheck::Local => inner.map_or(vec![], |m| m.check.clone()),
                ViewCheck::Cascaded => match group {
                    Some(g) => raw.groups[g].on[before..].to_vec(),
                    None => raw.conds[before..].to_vec(),
                },
            };
            if checked != ViewCheck::None {
                check.extend(conds.iter().cloned());
            }
            match group {
                Some(g) => raw.groups[g].on.extend(conds),
                None => raw.conds.extend(conds),
            }
            Ok::<_, SqlError>(Some((items, check)))
        })();
        let ctx = self.leave();
        // These are worked out by the view's own block, over all of its rows.
        let whole = ctx.subs.is_empty() && ctx.aggs.is_empty() && ctx.windows.is_empty();
        let base = ctx.scope.tables.into_iter().nth(at);
        let bound = bound?.filter(|_| whole);
        Ok(bound.zip(base).map(|((items, check), base)| (items, base, check)))
    }
}

impl Binder<'_> {
    /// What a change through a merged view needs: the right on the view, and its account's on the table.
    pub fn change_through(&mut self, m: &Merged, privileges: Privileges) {
        self.uses.table(&m.view.0, &m.view.1, privileges);
        let (schema, table) = (m.table.schema().into(), m.table.name().into());
        self.needs_inside(m, Need::Table { privileges, schema, table });
    }

    fn needs_inside(&mut self, m: &Merged, need: Need) {
        let (view, account) = (m.view.clone(), m.account.clone());
        self.view_needs.push(Need::InView { view, account, need: Box::new(need) });
    }

    /// A column of the target, which is a table or a merged view, is written: that asks for a right on it, and for the view's
    /// account on the table's. `column`: the table's number of it.
    pub fn writes_column(&mut self, target: &ScopeTable, column: usize, privilege: Privileges) {
        let Some(m) = target.merged.clone() else {
            if let Some(o) = target.columns.get(column).and_then(|c| c.origin.as_ref()) {
                self.uses.column(&target.schema, &o.org_table, privilege, &o.column);
            }
            return;
        };
        let shown = (0..m.items.len()).find(|n| m.base_column(*n) == Some(column));
        if let Some(c) = shown.and_then(|n| target.columns.get(n)) {
            self.uses.column(&m.view.0, &m.view.1, privilege, &c.name);
        }
        let name: Arc<str> = m.table.meta.columns[column].name.as_str().into();
        // One look at the view's account for all columns that a statement writes.
        let known = self.view_needs.iter_mut().find_map(|n| match n {
            Need::InView { view, account, need } if *view == m.view && *account == m.account => {
                match &mut **need {
                    Need::Columns { privilege: p, schema, table, columns, beside: true }
                        if *p == privilege
                            && schema == m.table.schema()
                            && table == m.table.name() =>
                    {
                        Some(columns)
                    }
                    _ => None,
                }
            }
            _ => None,
        });
        if let Some(columns) = known {
            return columns.push(name);
        }
        let (schema, table) = (m.table.schema().into(), m.table.name().into());
        let need = Need::Columns { privilege, schema, table, columns: vec![name], beside: true };
        self.needs_inside(&m, need);
    }

    /// The view as the target of an INSERT: 1471 unless each of its columns is one of its table's.
    pub fn insert_target(&mut self, o: &Object) -> Bind<ScopeTable> {
        let (mut raw, mut tables) = (Raw::default(), Vec::new());
        self.enter(Scope::default());
        let bound = self.view(o, &o.name, None, &mut raw, &mut tables);
        let scope = self.leave().scope;
        bound?;
        let refused = || {
            let text = format!("The target table {} of the INSERT is not insertable-into", o.name);
            SqlError::new(errno::ER_NON_INSERTABLE_TABLE, text)
        };
        let table = scope.tables.into_iter().next().ok_or_else(refused)?;
        let Some(m) = &table.merged else { return Err(refused()) };
        let mut seen = Vec::new();
        for e in &m.items {
            match e.node {
                Node::Col(c) if !seen.contains(&c.col) => seen.push(c.col),
                _ => return Err(refused()),
            }
        }
        Ok(table)
    }
}

impl Merged {
    /// The column of the table behind a column of the view, by the view's number of it.
    pub fn base_column(&self, n: usize) -> Option<usize> {
        match self.items.get(n)?.node {
            Node::Col(c) => Some(usize::from(c.col)),
            _ => None,
        }
    }
}

/// Flags of a view's column that is a column of its table; whether it is none.
fn flags(e: &BExpr, base: &ScopeTable) -> (u16, bool) {
    match base.origin_of(e) {
        Some(origin) => (origin.flags, origin.computed),
        None => (0, true),
    }
}

fn scope_columns(
    o: &Object,
    meta: &ViewMeta,
    alias: &str,
    infos: impl Iterator<Item = (crate::value::TypeInfo, (u16, bool))>,
) -> Vec<ScopeColumn> {
    type Told = (crate::value::TypeInfo, (u16, bool));
    let column = |(c, (mut info, (flags, computed))): (&crate::meta::SqlColumn, Told)| {
        if info.ty.is_string() {
            info.coercibility = coercibility::IMPLICIT;
        }
        let name: Arc<str> = c.name.as_str().into();
        let origin = Origin {
            schema: o.schema.as_str().into(),
            table: alias.into(),
            org_table: o.name.as_str().into(),
            column: name.clone(),
            flags,
            computed,
            told: None,
        };
        ScopeColumn { name, info, hidden: false, origin: Some(Arc::new(origin)) }
    };
    meta.columns.iter().zip(infos).map(column).collect()
}

/// A query that picks rows and columns of one table, and nothing else.
pub fn picks_only(q: &ast::Query) -> Option<&ast::Select> {
    let QueryBody::Select(s) = &q.body else { return None };
    let plain = q.with.is_none()
        && q.order_by.is_empty()
        && q.limit.is_none()
        && q.locking.is_empty()
        && !s.options.distinct
        && !s.options.straight_join
        && s.group_by.is_empty()
        && !s.rollup
        && s.having.is_none()
        && s.windows.is_empty();
    (plain && matches!(s.from[..], [TableRef::Table(_)])).then_some(s)
}

/// Errors that would tell what stands in a view, and that say that it is out of date.
fn tells_names(e: &SqlError) -> bool {
    matches!(
        e.errno,
        1044 | 1049 | 1051 | 1052 | 1054 | 1060 | 1109 | 1142 | 1143 | 1146 | 1305 | 1370
    )
}

fn invalid(schema: &str, name: &str) -> SqlError {
    rights::view_invalid(&(schema.into(), name.into()))
}

/// What a view would be, worked out when it is made.
pub struct ViewPlan {
    /// The query with `*` written out.
    pub query: ast::Query,
    pub columns: Vec<(Arc<str>, crate::value::TypeInfo)>,
    pub mergeable: bool,
    pub updatable: bool,
}

impl Binder<'_> {
    /// Binds a view's query in the name of the view that is made of it.
    pub fn plan_view(&mut self, query: &ast::Query, schema: &str, name: &str) -> Bind<ViewPlan> {
        let open = OpenView { schema: schema.into(), name: name.into(), account: None };
        self.views.push(open);
        self.wildcards = Some(Vec::new());
        let plan = self.bind_query(query)?;
        let mut found = self.wildcards.take().unwrap_or_default().into_iter();
        let mut query = query.clone();
        write_out(&mut query.body, &mut found);
        let mut updatable = false;
        let mut mergeable = false;
        if let Some(select) = picks_only(&query) {
            let (mut raw, mut tables) = (Raw::default(), Vec::new());
            let merged = self.isolated(|b| {
                let none = ViewCheck::None;
                b.merge_inner(select, 0, none, None, &mut raw, &mut tables)
            })?;
            mergeable = merged.is_some();
            let column = |e: &BExpr| matches!(e.node, Node::Col(_));
            updatable = merged.is_some_and(|(items, ..)| items.iter().any(column));
        }
        self.views.pop();
        let columns = plan.columns.iter().map(|c| (c.name.clone(), c.listed())).collect();
        Ok(ViewPlan { query, columns, mergeable, updatable })
    }
}

/// Puts the columns that `*` stood for in its place, operand by operand.
fn write_out(body: &mut QueryBody, found: &mut impl Iterator<Item = Vec<SelectItem>>) {
    match body {
        QueryBody::Select(s) => {
            let items = std::mem::take(&mut s.items);
            for item in items {
                match item {
                    SelectItem::Wildcard { .. } => s.items.extend(found.next().unwrap_or_default()),
                    other => s.items.push(other),
                }
            }
        }
        QueryBody::SetOp { left, right, .. } => {
            write_out(left, found);
            write_out(right, found);
        }
        QueryBody::Nested(q) => write_out(&mut q.body, found),
        QueryBody::Values(_) | QueryBody::Table(_) => {}
    }
}

/// The view of a name, if there is one.
pub fn find(env: &crate::query::PlanEnv<'_>, schema: &str, name: &str) -> Option<Arc<Object>> {
    let found = env.reads.db().object(weir_engine::ObjectKind::View, schema, name)?;
    debug_assert!(same_name(&found.name, name), "found under another name");
    Some(found)
}
