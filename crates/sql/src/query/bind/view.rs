//! Views in FROM, which are merged with the block where that goes ([`super::merge`]) and derived tables where it does not; views as targets of
//! a change, which only merged ones are; and what a view is that is made.
//!
//! Invariant: what a view reads is read with the rights of its definer, or of anyone who asks where it says so: these rights are needs of the plan,
//!   beside the right on the view itself.

use super::merge::{Parts, Place, picks_only, reads_itself, reads_tables_only, write_out};
use super::scope::{Merged, Scope, ScopeColumn, ScopeTable, ViewOf};
use super::{Bind, Binder};
use crate::account::Privileges;
use crate::errno;
use crate::meta::cache::no_such_table;
use crate::meta::view::ViewMeta;
use crate::meta::{SqlTable, same_name};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::raw::Raw;
use crate::query::plan::{Origin, Source, Sub, TableSlot};
use crate::rights::{self, Need};
use crate::session_api::SqlError;
use crate::value::Collation;
use crate::value::types::coercibility;
use crate::vars::switches::Switch;
use std::sync::Arc;
use weir_engine::Object;
use weir_syntax::ast::{self, Statement, ViewAlgorithm, ViewCheck};

/// A view that is being bound.
pub struct OpenView {
    pub schema: String,
    pub name: String,
    /// The account with whose rights its tables are read; `None`: of anyone who asks.
    pub account: Option<(String, String)>,
    /// `collation_connection` of anyone who defined it; `None`: it is being defined.
    pub connection: Option<Collation>,
}

impl Binder<'_> {
    /// What literals and CAST() to a text have: in a view what they had where it was defined.
    pub fn connection(&self) -> Collation {
        let of_view = self.views.last().and_then(|v| v.connection);
        of_view.unwrap_or(self.env.reads.settings.collation)
    }

    pub fn view(&mut self, o: &Object, alias: &str, at: &mut Place<'_>) -> Bind<()> {
        if self.views.iter().any(|v| v.schema == o.schema && v.name == o.name) {
            let text = format!("`{}`.`{}` contains view recursion", o.schema, o.name);
            // A view that is being made is not there yet.
            return Err(match self.defines_view {
                true => no_such_table(&o.schema, &o.name),
                false => SqlError::new(errno::ER_VIEW_RECURSIVE, text),
            });
        }
        let meta = ViewMeta::of(o)?;
        let stmt = Statement::Select(meta.parse()?);
        let outer = self.views.last().and_then(|v| v.account.clone());
        let account = if meta.invoker { outer } else { Some(meta.definer.clone()) };
        let mut needs = rights::of_query(&stmt, Some(&o.schema))?;
        let only = only_table(&stmt);
        self.fills_view &= only.is_some();
        if let (true, Some(table)) = (self.fills_view, only) {
            needs.retain(|n| !rights::is_of(n, table, Some(&o.schema)));
            let own = table.schema.as_ref().map_or(o.schema.as_str(), |s| s.as_str());
            let (schema, table) = (own.into(), table.name.as_str().into());
            needs.push(Need::Table { privileges: Privileges::INSERT, schema, table });
        }
        // A view that reads no table is read as its definer all the same.
        if needs.is_empty() && account.is_some() {
            let (schema, table) = (o.schema.clone(), o.name.clone());
            needs.push(Need::Table { privileges: Privileges::NONE, schema, table });
        }
        self.note_needs(o, needs, &account);
        let acting = account.clone();
        let connection = Collation::by_name(&meta.connection);
        let open = OpenView { schema: o.schema.clone(), name: o.name.clone(), account, connection };
        self.views.push(open);
        // The tables bound inside are covered by the needs just noted, and their columns by those that follow.
        let uses = std::mem::take(&mut self.uses);
        let ctes = std::mem::take(&mut self.ctes);
        let Statement::Select(query) = &stmt else { return Err(SqlError::internal("no query")) };
        let done = self.view_body(o, &meta, query, alias, at);
        let inside = std::mem::replace(&mut self.uses, uses);
        self.note_needs(o, inside.in_view(), &acting);
        self.ctes = ctes;
        self.views.pop();
        // A view that is being made, and reads itself through this one, tells so.
        let circle = self.views.first().filter(|_| self.defines_view);
        let circle = circle.map(|v| no_such_table(&v.schema, &v.name).message);
        // An error of a view in a view names the outer one.
        done.map_err(|e| match tells_names(&e) && circle.as_ref() != Some(&e.message) {
            true => invalid(&o.schema, &o.name),
            false => e,
        })
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
                top: self.top_view(&v.schema, &v.name),
                account: v.account.clone(),
                need: Box::new(need),
            },
        });
    }

    /// The view of the statement in which a view stands: itself, unless another one names it.
    fn top_view(&self, schema: &str, name: &str) -> (String, String) {
        match self.views.first() {
            Some(v) => (v.schema.clone(), v.name.clone()),
            None => (schema.into(), name.into()),
        }
    }

    fn note_needs(&mut self, o: &Object, needs: Vec<Need>, account: &Option<(String, String)>) {
        for need in needs {
            self.view_needs.push(Need::InView {
                view: (o.schema.clone(), o.name.clone()),
                top: self.top_view(&o.schema, &o.name),
                account: account.clone(),
                need: Box::new(need),
            });
        }
    }

    fn view_body(
        &mut self,
        o: &Object,
        meta: &ViewMeta,
        query: &ast::Query,
        alias: &str,
        at: &mut Place<'_>,
    ) -> Bind<()> {
        let name = (o.schema.as_str().into(), alias.into());
        // A view that says how it is to be read, and one that rows are changed through, is no matter of the switch.
        let switched = meta.algorithm == ViewAlgorithm::Merge || self.finds_targets;
        if meta.algorithm != ViewAlgorithm::TempTable
            && (switched || !self.is_off(Switch::DerivedMerge))
            && let Some(parts) = self.merge(query, meta.check, at)?
        {
            if parts.items.len() != meta.columns.len() {
                return Err(invalid(&o.schema, &o.name));
            }
            let flags =
                |e: &BExpr| parts.scope.origin_of(e).map_or((0, true), |o| (o.flags, o.computed));
            let infos = parts.items.iter().map(|e| (e.info, flags(e)));
            let columns = scope_columns(o, meta, alias, infos);
            let view = ViewOf {
                schema: o.schema.clone(),
                name: o.name.clone(),
                account: self.views.last().and_then(|v| v.account.clone()),
            };
            return self.name_merged(parts, name, columns, Some(view), at);
        }
        let plan = self.isolated(|b| b.bind_query(query))?;
        if plan.columns.len() != meta.columns.len() {
            return Err(invalid(&o.schema, &o.name));
        }
        let merged = meta.algorithm != ViewAlgorithm::TempTable && plan.would_merge();
        let infos = (0..plan.columns.len()).map(|i| plan.told_outside(i, merged));
        let columns = scope_columns(o, meta, alias, infos);
        let scope =
            ScopeTable { schema: name.0, alias: name.1, columns, ..ScopeTable::unseen(None) };
        self.add(scope, Source::Derived(Box::new(plan)), at.group, None, at.raw, at.tables)
    }
}

impl Binder<'_> {
    /// What a change of a table needs that a merged view shows: the right on the view, and its account's on the table.
    pub fn change_through(&mut self, view: &ViewOf, table: &SqlTable, privileges: Privileges) {
        self.uses.table(&view.schema, &view.name, privileges);
        let (schema, table) = (table.schema().into(), table.name().into());
        self.needs_inside(view, Need::Table { privileges, schema, table });
    }

    fn needs_inside(&mut self, of: &ViewOf, need: Need) {
        let (view, account) = ((of.schema.clone(), of.name.clone()), of.account.clone());
        let top = self.top_view(&of.schema, &of.name);
        self.view_needs.push(Need::InView { view, top, account, need: Box::new(need) });
    }

    /// A column of the target, which is a table or one that a merged view shows, is written: that asks for a right on it, and for the
    /// view's account on the table's. `column`: slot, and the table's number of it.
    pub fn writes_column(
        &mut self,
        target: &ScopeTable,
        column: (usize, usize),
        privilege: Privileges,
        whole: bool,
    ) {
        let merged = target.merged.clone();
        let Some((m, of, table)) =
            merged.as_ref().and_then(|m| Some((m, m.view.as_ref()?, m.table(column.0)?)))
        else {
            if let Some(o) = target.columns.get(column.1).and_then(|c| c.origin.as_ref()) {
                let table = (&*target.schema, &*o.org_table);
                self.uses.column(table, privilege, &o.column, whole);
            }
            return;
        };
        let shown = (0..m.items.len()).find(|n| m.base_column(*n) == Some(column));
        if let Some(c) = shown.and_then(|n| target.columns.get(n)) {
            self.uses.column((&of.schema, &of.name), privilege, &c.name, whole);
        }
        let name: Arc<str> = table.meta.columns[column.1].name.as_str().into();
        // One look at the view's account for all columns that a statement writes.
        let known = self.view_needs.iter_mut().find_map(|n| match n {
            Need::InView { view: (schema, view), account, need, .. }
                if *schema == of.schema && *view == of.name && *account == of.account =>
            {
                match &mut **need {
                    Need::Columns {
                        privilege: p, schema, table: t, columns, beside: true, ..
                    } if *p == privilege && schema == table.schema() && t == table.name() => {
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
        let (schema, table) = (table.schema().into(), table.name().into());
        let columns = vec![name];
        let need = Need::Columns { privilege, schema, table, columns, beside: true, whole: false };
        self.needs_inside(of, need);
    }

    /// The view as the target of an INSERT of the columns: its names over the table that they are of, with the name that the view has
    /// for the table. 1348 for a column that is computed, 1471 unless each of its columns is one of a table's; of a join the columns must
    /// be named (1394) and be of one table (1393). `reads`: the statement may look at the view's columns.
    pub fn insert_target(
        &mut self,
        o: &Object,
        columns: Option<&[ast::ColumnRef]>,
        replaces: bool,
        reads: bool,
    ) -> Bind<(ScopeTable, Arc<str>, Vec<Sub>)> {
        let (mut raw, mut tables) = (Raw::default(), Vec::new());
        self.enter(Scope::default());
        let at = &mut Place { group: None, raw: &mut raw, tables: &mut tables };
        self.fills_view = !reads && !replaces;
        let bound = self.view(o, &o.name, at);
        self.fills_view = false;
        let ctx = self.leave();
        let (scope, subs) = (ctx.scope, ctx.subs);
        bound?;
        let refused = || SqlError::of(errno::ER_NON_INSERTABLE_TABLE, &[&o.name, &"INSERT"]);
        let target = scope.tables.into_iter().next().ok_or_else(refused)?;
        let Some(m) = target.merged.clone() else { return Err(refused()) };
        if let Some(c) = columns.unwrap_or_default().iter().find(|c| computed(&target, &m, c)) {
            return Err(SqlError::of(errno::ER_NONUPDATEABLE_COLUMN, &[&c.column]));
        }
        let mut seen = Vec::new();
        for n in 0..m.items.len() {
            match m.base_column(n) {
                Some(c) if !seen.contains(&c) => seen.push(c),
                _ => return Err(refused()),
            }
        }
        let mut slot = 0;
        if m.is_join() && replaces {
            return Err(no_delete(&o.schema, &o.name));
        }
        if m.is_join() {
            let Some(columns) = columns else {
                return Err(SqlError::of(
                    errno::ER_VIEW_NO_INSERT_FIELD_LIST,
                    &[&o.schema, &o.name],
                ));
            };
            let named = |c: &ast::ColumnRef| {
                let at = target.columns.iter().position(|t| same_name(&t.name, c.column.as_str()));
                at.and_then(|at| m.base_column(at)).map(|(slot, _)| slot)
            };
            let mut slots = columns.iter().filter_map(named);
            slot = slots.next().unwrap_or(0);
            if slots.any(|s| s != slot) || !m.checks_only(slot) {
                return Err(several_bases(&target));
            }
        }
        // A row of the inner side of an outer join would come without the row beside it.
        if raw.group_of.get(m.first + slot).is_some_and(Option::is_some) {
            return Err(refused());
        }
        let table = m.table(slot).ok_or_else(refused)?.clone();
        let name = tables[slot].alias.clone();
        Ok((over_one_table(target, &m, slot, table), name, subs))
    }
}

/// The view's column of this name is an expression.
fn computed(view: &ScopeTable, m: &Merged, named: &ast::ColumnRef) -> bool {
    let at = view.columns.iter().position(|t| same_name(&t.name, named.column.as_str()));
    at.is_some_and(|at| m.base_column(at).is_none())
}

/// The names of a view over one of its tables, which is the first of its block. Columns of the others cannot be named
/// (1393), and are NULL here.
fn over_one_table(
    mut target: ScopeTable,
    m: &Merged,
    slot: usize,
    table: Arc<SqlTable>,
) -> ScopeTable {
    let moved = |e: &BExpr| match e.written_column() {
        Some(c) if usize::from(c.table) == slot => {
            let mut e = e.clone();
            e.move_table(c.table, 0);
            e
        }
        _ => BExpr::constant(crate::value::Value::Null),
    };
    let mut check = m.check.clone();
    check.iter_mut().for_each(|e| e.move_table(slot as u16, 0));
    target.merged = Some(Arc::new(Merged {
        items: m.items.iter().map(moved).collect(),
        first: 0,
        bases: vec![Some(table)],
        view: m.view.clone(),
        check,
        one_of_several: m.is_join(),
    }));
    target
}

/// 1395: of which table a row would have to go a join does not say.
pub fn no_delete(schema: &str, name: &str) -> SqlError {
    SqlError::of(errno::ER_VIEW_DELETE_MERGE_VIEW, &[&schema, &name])
}

/// 1393: a statement changes one of the tables of a view.
pub fn several_bases(target: &ScopeTable) -> SqlError {
    let name = target.view().map(|v| format!("{}.{}", v.schema, v.name)).unwrap_or_default();
    let text = format!("Can not modify more than one base table through a join view '{name}'");
    SqlError::new(errno::ER_VIEW_MULTIUPDATE, text)
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

/// The table of a query that reads one and joins none.
fn only_table(stmt: &Statement) -> Option<&ast::TableName> {
    let Statement::Select(query) = stmt else { return None };
    match &query.body {
        ast::QueryBody::Select(select) => match &select.from[..] {
            [ast::TableRef::Table(t)] => Some(&t.name),
            _ => None,
        },
        _ => None,
    }
}

/// Errors that would tell what stands in a view, and that say that it is out of date.
fn tells_names(e: &SqlError) -> bool {
    matches!(
        e.errno,
        errno::ER_DBACCESS_DENIED_ERROR
            | errno::ER_BAD_DB_ERROR
            | errno::ER_BAD_TABLE_ERROR
            | errno::ER_NON_UNIQ_ERROR
            | errno::ER_BAD_FIELD_ERROR
            | errno::ER_DUP_FIELDNAME
            | errno::ER_UNKNOWN_TABLE
            | errno::ER_TABLEACCESS_DENIED_ERROR
            | errno::ER_COLUMNACCESS_DENIED_ERROR
            | errno::ER_NO_SUCH_TABLE
            | errno::ER_SP_DOES_NOT_EXIST
            | errno::ER_PROCACCESS_DENIED_ERROR
            | errno::ER_VIEW_INVALID
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

/// A column is one of a table whose rows can be changed.
fn shows_what_can_change(parts: &Parts, tables: &[TableSlot]) -> bool {
    parts.items.iter().any(|e| match e.node {
        Node::Col(c) => {
            let slot = &tables[usize::from(c.table)];
            matches!(slot.source, Source::Table(_)) && !slot.nested
        }
        _ => false,
    })
}

impl Binder<'_> {
    /// Binds a view's query in the name of the view that is made of it.
    pub fn plan_view(&mut self, query: &ast::Query, schema: &str, name: &str) -> Bind<ViewPlan> {
        let open =
            OpenView { schema: schema.into(), name: name.into(), account: None, connection: None };
        self.views.push(open);
        self.defines_view = true;
        self.wildcards = Some(Vec::new());
        let plan = self.bind_query(query)?;
        let mut found = self.wildcards.take().unwrap_or_default().into_iter();
        let mut query = query.clone();
        write_out(&mut query.body, &mut found);
        let (mut updatable, mut mergeable) = (false, false);
        if let Some(select) = picks_only(&query) {
            let (mut raw, mut tables) = (Raw::default(), Vec::new());
            let at = &mut Place { group: None, raw: &mut raw, tables: &mut tables };
            self.finds_targets = true;
            let (parts, subs) = self
                .isolated(|b| b.bind_parts(select, &query, ViewCheck::Cascaded, at, Vec::new()));
            self.finds_targets = false;
            if let Some(parts) = parts? {
                mergeable = true;
                updatable = select.from.iter().all(reads_tables_only)
                    && shows_what_can_change(&parts, &tables)
                    && !reads_itself(&tables, &subs);
            }
        }
        self.views.pop();
        let columns = plan.columns.iter().map(|c| (c.name.clone(), c.listed())).collect();
        Ok(ViewPlan { query, columns, mergeable, updatable })
    }
}

/// The view of a name, if there is one.
pub fn find(
    env: &crate::query::plan::env::PlanEnv<'_>,
    schema: &str,
    name: &str,
) -> Option<Arc<Object>> {
    let found = env.reads.db().object(weir_engine::ObjectKind::View, schema, name)?;
    debug_assert!(same_name(&found.name, name), "found under another name");
    Some(found)
}
