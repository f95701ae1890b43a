//! From a statement to its plan: bound, optimized, and with what each execution checks.
//!
//! One file for each kind of statement: `insert`, `change` (UPDATE and DELETE), `load` (LOAD DATA), `into`, `explained`, `handler_read`. `point` and `point_write` know what needs no executor, `moves` changes
//! that move rows to where the statement would meet them again, `open` columns whose type a parameter gives. May use the binder and the
//! optimizer; runs nothing.

mod change;
mod explained;
pub mod handler_read;
mod insert;
mod into;
mod load;
mod moves;
mod open;
mod point;
mod point_write;
mod targets;

use crate::errno;
use crate::meta::SqlTable;
use crate::query::bind::Binder;
use crate::query::bind::scope::Scope;
use crate::query::expr::BExpr;
use crate::query::plan::env::PlanEnv;
use crate::query::plan::foreign::ForeignPlan;
use crate::query::plan::{Kind, Plan, QueryPlan, Sub};
use crate::query::{explain, optimize};
use crate::rights;
use crate::session_api::{ColumnMeta, SqlError};
use crate::value::SqlType;
use explained::Explained;
use std::sync::{Arc, OnceLock};
use weir_syntax::ast::{self, ExplainTarget, Statement};

async fn explained(
    b: &mut Binder<'_>,
    e: &ast::Explain,
) -> Result<(Kind, Vec<ColumnMeta>), SqlError> {
    Ok(match explained::explain(b, e).await? {
        Explained::Rows(rows, note) => (Kind::Explain(rows, Some(note)), explain::columns()),
        Explained::Text(t, note) => {
            (Kind::Explain(vec![vec![explain::text(t)]], note), explain::text_column())
        }
        Explained::Analyze(plan, tree) => (Kind::Analyze(*plan, tree), explain::text_column()),
    })
}

/// What the foreign keys of the tables ask for that a statement changes.
fn foreign_of(kind: &Kind, env: &PlanEnv<'_>) -> Option<Arc<ForeignPlan>> {
    match kind {
        Kind::Insert(i) => {
            let children = i.replace || !i.on_duplicate.is_empty();
            ForeignPlan::of(std::slice::from_ref(&i.table), children, env)
        }
        Kind::Change(c) => ForeignPlan::of(&c.targets(), true, env),
        _ => None,
    }
}

/// The plan is for the values at hand only, as far as their types go.
fn has_open_types(b: &Binder<'_>, kind: &Kind) -> bool {
    let untyped = |q: &QueryPlan| q.columns.iter().any(|c| c.info.ty == SqlType::Null);
    b.env.typed_params
        || b.open_types
        || matches!(kind, Kind::Query(q) if b.params > 0 && untyped(q))
        || matches!(kind, Kind::Query(q) if b.params > 0 && b.env.literals.is_empty() && open::shows_params(q))
}

/// The plan is good for other executions of the statement.
fn is_cacheable(b: &Binder<'_>, kind: &Kind, stmt: &Statement) -> bool {
    b.cacheable
        && !b.env.typed_params
        && !b.env.is_by_values()
        && crate::query::bind::hints::variables(stmt).is_empty()
        && !matches!(kind, Kind::Explain(..) | Kind::Analyze(..) | Kind::IntoFile(..))
}

/// A query whose rows go to the client.
fn shown_query(plan: QueryPlan, env: &PlanEnv<'_>) -> (Kind, Vec<ColumnMeta>) {
    let columns = crate::query::plan::told::result_columns(&plan.columns, env);
    (Kind::Query(plan), columns)
}

/// SELECT, or what explains one.
fn is_select(stmt: &Statement) -> bool {
    match stmt {
        Statement::Select(_) => true,
        Statement::Explain(e) => {
            matches!(&e.target, ExplainTarget::Statement(s) if matches!(**s, Statement::Select(_)))
        }
        _ => false,
    }
}

/// A table with its rows.
fn sized(t: Arc<SqlTable>) -> (Arc<SqlTable>, u64) {
    let n = t.engine.estimated_rows();
    (t, n)
}

/// An expression alone has no block that its aggregates and window functions could be of.
fn sums_up(e: &SqlError) -> bool {
    [errno::ER_INVALID_GROUP_FUNC_USE, errno::ER_WINDOW_INVALID_WINDOW_FUNC_USE].contains(&e.errno)
}

/// The expressions of DO as a select list.
fn items_of(exprs: &[ast::Expr]) -> Vec<ast::SelectItem> {
    let item =
        |e: &ast::Expr| ast::SelectItem::Expr { expr: e.clone(), alias: None, text: "".into() };
    exprs.iter().map(item).collect()
}

/// DO; with an aggregate or a window function it is a query of one row, which goes nowhere.
async fn bind_do<'e>(
    b: &mut Binder<'e>,
    exprs: &[ast::Expr],
    env: &'e PlanEnv<'e>,
) -> Result<Kind, SqlError> {
    match b.alone(exprs).await {
        Ok((exprs, mut subs)) => {
            optimize::guards::mark_without_rows(&mut subs, &exprs, [], []);
            Ok(Kind::Do(exprs, subs))
        }
        Err(e) if sums_up(&e) => {
            *b = Binder::new(env);
            Ok(Kind::Into(b.query(&ast::Query::of_items(items_of(exprs))).await?, Vec::new()))
        }
        Err(e) => Err(e),
    }
}

pub(super) async fn make(stmt: &Statement, env: &PlanEnv<'_>) -> Result<Plan, SqlError> {
    let version = env.reads.db().catalog_version();
    let mut needs = rights::of_query(stmt, env.reads.schema)?;
    let mut b = Binder::new(env);
    b.may_into = matches!(stmt, Statement::Select(_) | Statement::Explain(_));
    (b.merges_derived, b.merges_subqueries) = (is_select(stmt), is_select(stmt));
    let (kind, columns) = match stmt {
        Statement::Select(q) => {
            let plan = b.query(q).await?;
            match &q.into {
                None if env.collects => (Kind::Collect(plan), Vec::new()),
                None => shown_query(plan, env),
                Some(into) => (into::bind(into, plan, env)?, Vec::new()),
            }
        }
        Statement::Insert(i) => {
            (Kind::Insert(Box::new(insert::bind(&mut b, i).await?)), Vec::new())
        }
        Statement::LoadData(l) => {
            (Kind::Insert(Box::new(insert::bind_load(&mut b, l).await?)), Vec::new())
        }
        Statement::Update(u) => {
            (Kind::Change(Box::new(change::bind_update(&mut b, u).await?)), Vec::new())
        }
        Statement::Delete(d) => {
            (Kind::Change(Box::new(change::bind_delete(&mut b, d).await?)), Vec::new())
        }
        Statement::Do(exprs) => (bind_do(&mut b, exprs, env).await?, Vec::new()),
        Statement::Explain(e) => explained(&mut b, e).await?,
        _ => return Err(SqlError::internal("this statement has no plan")),
    };
    let open_types = has_open_types(&b, &kind);
    let cacheable = is_cacheable(&b, &kind, stmt);
    let foreign = foreign_of(&kind, env);
    rights::cover(&mut needs, b.uses);
    rights::spare_temporary(&mut needs, env.reads.temporaries);
    if matches!(stmt, Statement::Explain(_)) {
        needs.extend(rights::to_explain(&b.view_needs));
    }
    needs.extend(b.view_needs);
    let mut plan = Plan {
        locks_rows: kind.locks_for_update(&|_| true),
        kind,
        command: stmt.command(),
        columns,
        needs,
        params: b.params,
        param_kinds: b.param_kinds.into(),
        version,
        bytes: size_of::<Plan>() + b.effort.bytes(),
        cacheable,
        sizes: b.seen.into_iter().map(sized).collect(),
        watched: env.watched.take(),
        foreign,
        virtuals: b.virtuals,
        open_types,
        time_limit: crate::query::bind::hints::time_limit(stmt),
        constants: b.constants,
        deprecated: b.deprecated,
        digest: OnceLock::new(),
        point: None,
        point_write: None,
    };
    plan.point = point::point(&plan, env.reads.settings.told);
    plan.point_write = point_write::point_write(&plan, env);
    Ok(plan)
}

impl Binder<'_> {
    /// Binds and optimizes a whole query.
    pub async fn query(&mut self, q: &ast::Query) -> Result<QueryPlan, SqlError> {
        let may_into = self.may_into;
        let mut bound = self.bind_query(q);
        if bound.is_err() && self.met_sub_column && self.merges_subqueries {
            let merges_derived = self.merges_derived;
            *self = Binder::new(self.env);
            (self.may_into, self.merges_derived) = (may_into, merges_derived);
            bound = self.bind_query(q);
        }
        let mut plan = bound?;
        optimize::query(&mut plan, self.env).await?;
        Ok(plan)
    }

    /// Expressions without FROM (DO).
    pub async fn alone(&mut self, exprs: &[ast::Expr]) -> Result<(Vec<BExpr>, Vec<Sub>), SqlError> {
        self.enter(Scope::default());
        let bound = exprs.iter().map(|e| self.scalar(e)).collect::<Result<Vec<_>, SqlError>>();
        let mut ctx = self.leave();
        let bound = bound?;
        optimize::subs(&mut ctx.subs, self.env).await?;
        Ok((bound, ctx.subs))
    }
}
