//! CREATE VIEW and ALTER VIEW: what the query says now is worked out and stored, so that it means the same later.

use super::Session;
use crate::canonical;
use crate::context::AdminResult;
use crate::ddl::column::check_column_name;
use crate::ddl::{check_table_name, engine_error, is_virtual_schema, table_exists};
use crate::errno;
use crate::meta::view::ViewMeta;
use crate::meta::{SqlColumn, folded};
use crate::query;
use crate::rights::{self, Need};
use crate::session_api::SqlError;
use crate::vars::Var;
use std::collections::{HashMap, HashSet};
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{
    CreateView, Definer, Expr, Ident, Query, QueryBody, SelectItem, Statement, UserSpec,
    ViewAlgorithm, ViewCheck, names_variable, qualify,
};

impl Session {
    pub(super) async fn create_view(&mut self, v: &CreateView) -> Result<AdminResult, SqlError> {
        let given = v.name.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref());
        let schema = given.ok_or_else(SqlError::no_database)?.to_owned();
        let name = v.name.name.as_str().to_owned();
        check_table_name(&name)?;
        self.check_place(v, &schema, &name)?;
        let altered = self.with_kept_clauses(v, &schema, &name)?;
        let v = altered.as_ref().unwrap_or(v);
        refuse_clauses(&v.query)?;
        self.refuse_temporary(&v.query)?;
        let definer = self.program_definer(v.definer.as_ref())?;
        let mut query = (*v.query).clone();
        qualify(&mut query, self.info.database.as_deref().unwrap_or(&schema));
        let env = self.plan_env(&[]);
        let plan = query::plan_view(&query, &schema, &name, &env)?;
        let columns = columns_of(v, &plan)?;
        let mut query = plan.query.clone();
        canonical::name_columns(&mut query, env.reads);
        // A list of names stays one: the query keeps its own.
        let own: Vec<SqlColumn> = own_names(v, &plan)
            .into_iter()
            .zip(&plan.columns)
            .map(|(name, (_, info))| SqlColumn::new(name, info.ty))
            .collect();
        name_columns(&mut query, &own);
        if !same_columns(&query::plan_view(&query, &schema, &name, &env), &plan) {
            query = plan.query;
            name_body(&mut query.body, &own);
        }
        self.warn_of_algorithm(v, plan.mergeable);
        let temptable = v.algorithm == Some(ViewAlgorithm::TempTable);
        let updatable = plan.updatable && !temptable;
        if v.check != ViewCheck::None && !updatable {
            return Err(SqlError::of(errno::ER_VIEW_NONUPD_CHECK, &[&schema, &name]));
        }
        let meta = ViewMeta {
            columns,
            query: query.to_string(),
            algorithm: match v.algorithm {
                Some(ViewAlgorithm::Merge) if !plan.mergeable => ViewAlgorithm::Undefined,
                Some(a) => a,
                None => ViewAlgorithm::Undefined,
            },
            definer,
            invoker: v.invoker == Some(true),
            check: v.check,
            updatable,
            client: self.vars.text(Var::character_set_client).to_string(),
            connection: self.vars.text(Var::collation_connection).to_string(),
        };
        let text = meta.encode();
        let object = Object { kind: ObjectKind::View, schema, name, text };
        let replace = v.or_replace || v.alter;
        self.inst.db.put_object(object, replace).await.map_err(engine_error)?;
        Ok(AdminResult::ok())
    }

    /// 1352: a view outlives the session's own tables.
    fn refuse_temporary(&self, query: &Query) -> Result<(), SqlError> {
        if self.temporaries.is_empty() {
            return Ok(());
        }
        let stmt = Statement::Select(Box::new(query.clone()));
        for need in rights::of_query(&stmt, self.info.database.as_deref())? {
            if let Need::Table { schema, table, .. } = need
                && self.temporaries.has(&schema, &table)
            {
                return Err(SqlError::of(errno::ER_VIEW_SELECT_TMPTABLE, &[&table]));
            }
        }
        Ok(())
    }

    /// The name is free, or that of a view that is to be replaced.
    fn check_place(&self, v: &CreateView, schema: &str, name: &str) -> Result<(), SqlError> {
        let db = &self.inst.db;
        if is_virtual_schema(schema) {
            let (user, host) = self.access.account();
            return Err(SqlError::of(errno::ER_DBACCESS_DENIED_ERROR, &[&user, &host, &schema]));
        }
        if db.schema(schema).is_none() {
            return Err(SqlError::unknown_database(schema));
        }
        let table = db.table(schema, name).is_some() || self.inst.computed(schema, name).is_some();
        let view = db.object(ObjectKind::View, schema, name).is_some();
        if table && (v.or_replace || v.alter) {
            return Err(SqlError::of(errno::ER_WRONG_OBJECT, &[&schema, &name, &"VIEW"]));
        }
        if table || (view && !v.or_replace && !v.alter) {
            return Err(table_exists(name));
        }
        if v.alter && !view {
            return Err(crate::meta::cache::no_such_table(schema, name));
        }
        Ok(())
    }

    /// ALTER VIEW keeps the algorithm, the definer and the security that it does not name, as in MySQL. The check option is not kept.
    fn with_kept_clauses(
        &self,
        v: &CreateView,
        schema: &str,
        name: &str,
    ) -> Result<Option<CreateView>, SqlError> {
        let known = self.inst.db.object(ObjectKind::View, schema, name).filter(|_| v.alter);
        let Some(known) = known else { return Ok(None) };
        let known = ViewMeta::of(&known)?;
        let mut v = v.clone();
        v.algorithm = v.algorithm.or(Some(known.algorithm));
        v.invoker = v.invoker.or(Some(known.invoker));
        if v.definer.is_none() {
            let (user, host) = known.definer;
            let (user, host) = (user.into(), Some(host.into()));
            v.definer = Some(Definer::User(UserSpec::Name { user, host }));
        }
        Ok(Some(v))
    }

    fn warn_of_algorithm(&mut self, v: &CreateView, mergeable: bool) {
        if v.algorithm == Some(ViewAlgorithm::Merge) && !mergeable {
            let text =
                "View merge algorithm can't be used here for now (assumed undefined algorithm)";
            self.current.warn(errno::ER_WARN_VIEW_MERGE, || text.to_owned());
        }
    }
}

/// 1350 and 1351: what a view cannot say.
pub(super) fn refuse_clauses(q: &Query) -> Result<(), SqlError> {
    if q.into.is_some() {
        return Err(SqlError::of(errno::ER_VIEW_SELECT_CLAUSE, &[&"INTO"]));
    }
    if names_variable(q) {
        return Err(SqlError::of(errno::ER_VIEW_SELECT_VARIABLE, &[]));
    }
    Ok(())
}

/// The view's columns: named by its list, or as the query names them.
fn columns_of(v: &CreateView, plan: &query::ViewPlan) -> Result<Vec<SqlColumn>, SqlError> {
    if !v.columns.is_empty() && v.columns.len() != plan.columns.len() {
        return Err(SqlError::of(errno::ER_VIEW_WRONG_LIST, &[]));
    }
    let mut columns: Vec<SqlColumn> = Vec::with_capacity(plan.columns.len());
    let own = own_names(v, plan);
    let mut known = HashMap::new();
    for (i, (_, info)) in plan.columns.iter().enumerate() {
        let name = v.columns.get(i).map_or_else(|| own[i].clone(), |n| n.as_str().to_owned());
        if let Some(twin) = known.insert(folded(&name), i) {
            // MySQL tells the first name of a list, and the second one of a query.
            let told = if v.columns.is_empty() { &name } else { &columns[twin].name };
            return Err(SqlError::of(errno::ER_DUP_FIELDNAME, &[&told]));
        }
        check_column_name(&name)?;
        let mut column = SqlColumn::new(name, info.ty);
        column.nullable = info.nullable;
        columns.push(column);
    }
    Ok(columns)
}

/// The names that the query's columns have, made different where nobody has given them.
fn own_names(v: &CreateView, plan: &query::ViewPlan) -> Vec<String> {
    // What the text of an expression is too long or too odd for is numbered.
    let fits = |n: &str| !n.is_empty() && n.chars().count() <= 64 && !n.ends_with(' ');
    let made = texts_as_names(&v.query.body);
    let is_made = |i: usize| made.get(i).copied().unwrap_or(false);
    let named = |(i, (name, _)): (usize, &(std::sync::Arc<str>, _))| match fits(name) {
        false if made.get(i).copied().unwrap_or(true) => format!("Name_exp_{}", i + 1),
        _ => name.to_string(),
    };
    let mut names: Vec<String> = plan.columns.iter().enumerate().map(named).collect();
    let mut taken: HashSet<String> = names.iter().map(|n| folded(n)).collect();
    // Of those so far, by their folded names.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for i in 0..names.len() {
        let Some(k) = seen.insert(folded(&names[i]), i) else { continue };
        let renamed = match (is_made(i), is_made(k)) {
            (true, _) => i,
            (_, true) => k,
            _ => continue,
        };
        seen.insert(folded(&names[i]), if renamed == i { k } else { i });
        names[renamed] = other_name(&names[renamed], &taken);
        taken.insert(folded(&names[renamed]));
        seen.insert(folded(&names[renamed]), renamed);
    }
    names
}

/// `Name_exp_` and the name, with a number if that is taken, too.
fn other_name(name: &str, taken: &HashSet<String>) -> String {
    let free = |n: &String| !taken.contains(&folded(n));
    let first = format!("Name_exp_{name}");
    let numbered = || (1..).map(|n| format!("Name_exp_{n}_{name}")).find(free);
    if free(&first) { first } else { numbered().unwrap_or(first) }
}

/// For each column whether its name is the text of an expression. Empty where `*` stands for columns.
fn texts_as_names(body: &QueryBody) -> Vec<bool> {
    match body {
        QueryBody::Select(s) => {
            let made = |item: &SelectItem| match item {
                SelectItem::Expr { expr, alias, .. } => {
                    Some(alias.is_none() && !matches!(expr, Expr::Column(_)))
                }
                SelectItem::Wildcard { .. } => None,
            };
            s.items.iter().map(made).collect::<Option<_>>().unwrap_or_default()
        }
        QueryBody::SetOp { left, .. } => texts_as_names(left),
        QueryBody::Nested(q) => texts_as_names(&q.body),
        QueryBody::Values(_) | QueryBody::Table(_) => Vec::new(),
    }
}

/// The query with its names written out is the one that was given.
fn same_columns(named: &Result<query::ViewPlan, SqlError>, given: &query::ViewPlan) -> bool {
    let types = |p: &query::ViewPlan| p.columns.iter().map(|(_, i)| i.ty).collect::<Vec<_>>();
    named.as_ref().is_ok_and(|named| types(named) == types(given))
}

/// Writes the names down in the query, so that its text tells them; where names are aliases they change, too.
fn name_columns(q: &mut Query, columns: &[SqlColumn]) -> Vec<(Ident, Ident)> {
    let changed = match &mut q.body {
        QueryBody::Nested(inner) => name_columns(inner, columns),
        body => name_body(body, columns),
    };
    q.order_by.iter_mut().for_each(|o| rename(&mut o.expr, &changed));
    if let QueryBody::Select(s) = &mut q.body {
        s.group_by.iter_mut().chain(&mut s.having).for_each(|e| rename(e, &changed));
    }
    changed
}

/// The names before and after, where they are others.
fn name_body(body: &mut QueryBody, columns: &[SqlColumn]) -> Vec<(Ident, Ident)> {
    let mut changed = Vec::new();
    match body {
        QueryBody::Select(s) => {
            for (item, column) in s.items.iter_mut().zip(columns) {
                if let SelectItem::Expr { alias, .. } = item {
                    let name = Ident::new(&column.name);
                    let before = alias.replace(name.clone()).filter(|b| *b != name);
                    changed.extend(before.map(|b| (b, name)));
                }
            }
        }
        QueryBody::SetOp { left, .. } => return name_body(left, columns),
        QueryBody::Nested(q) => return name_columns(q, columns),
        QueryBody::Values(_) | QueryBody::Table(_) => {}
    }
    changed
}

/// Columns have their tables here: a name alone is that of an alias.
fn rename(e: &mut Expr, changed: &[(Ident, Ident)]) {
    if let Expr::Column(c) = e
        && c.table.is_none()
        && let Some((_, to)) = changed.iter().find(|(from, _)| from.is(c.column.as_str()))
    {
        c.column = to.clone();
    }
    e.for_children_mut(&mut |e| rename(e, changed));
}
