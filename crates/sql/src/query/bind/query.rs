//! Query expressions: WITH, set operations, VALUES, and the ORDER BY and LIMIT around them.

use super::readers;
use super::scope::{Scope, ScopeColumn, ScopeTable};
use super::select::position;
use super::{Bind, Binder, Cte, by_place};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::infer;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Body, Limit, OutColumn, QueryPlan};
use crate::session_api::SqlError;
use crate::value::TypeInfo;
use crate::value::cast::CastTarget;
use crate::value::types::coercibility;
use std::collections::HashSet;
use std::sync::Arc;
use weir_syntax::ast::{self, Expr, QueryBody, SelectItem, TableRef};

/// Sort keys with "descending", and the limit.
type OrderAndLimit = (Vec<(BExpr, bool)>, Option<Limit>);

/// 1267 or, of more than two operands, 1271: rows of a UNION could not be told apart in a collation that is nobody's.
fn told_apart(columns: &[OutColumn], l: &QueryPlan, r: &QueryPlan) -> Bind<()> {
    let nobodys = |i: &TypeInfo| i.ty.is_string() && i.coercibility == coercibility::NONE;
    let Some(at) = columns.iter().position(|c| nobodys(&c.info)) else { return Ok(()) };
    let several = |p: &QueryPlan| matches!(p.body, Body::Set { .. });
    Err(match several(l) || several(r) {
        true => SqlError::of(errno::ER_CANT_AGGREGATE_NCOLLATIONS, &[&"UNION"]),
        false => value_error(infer::mixed(&[l.columns[at].info, r.columns[at].info], "UNION")),
    })
}

impl Binder<'_> {
    pub fn bind_query(&mut self, q: &ast::Query) -> Bind<QueryPlan> {
        self.deeper()?;
        self.block_step()?;
        if !std::mem::take(&mut self.may_into) && q.into.is_some() {
            return Err(SqlError::of(errno::ER_MISPLACED_INTO, &[]));
        }
        let known = self.ctes.len();
        self.with(q.with.as_ref())?;
        let mut r = self.query_body(q);
        if let Ok(plan) = &mut r {
            for cte in &self.ctes[known..] {
                readers::free_if_alone(plan, cte.number);
            }
        }
        self.ctes.truncate(known);
        self.depth -= 1;
        r
    }

    /// The common tables of a statement or query: those after them see them.
    pub fn with(&mut self, with: Option<&ast::With>) -> Bind<()> {
        let Some(w) = with else { return Ok(()) };
        let mut known = HashSet::new();
        if let Some(t) = w.tables.iter().find(|t| !known.insert(&t.name)) {
            return Err(SqlError::of(errno::ER_NONUNIQ_TABLE, &[&t.name]));
        }
        for t in &w.tables {
            let query = Arc::new((*t.query).clone());
            let (name, columns) = (t.name.as_str().into(), t.columns.clone());
            let recursive = w.recursive;
            let level = self.stack.len();
            self.commons += 1;
            let number = self.commons;
            self.ctes.push(Cte { name, columns, query, level, recursive, working: None, number });
        }
        Ok(())
    }

    pub fn query_body(&mut self, q: &ast::Query) -> Bind<QueryPlan> {
        match &q.body {
            QueryBody::Select(s) => self.block(s, q),
            QueryBody::Table(name) => {
                let s = all_of(TableRef::Table(Box::new(ast::TableFactor {
                    name: name.clone(),
                    partitions: Vec::new(),
                    alias: None,
                    index_hints: Vec::new(),
                })));
                self.block(&s, q)
            }
            QueryBody::Nested(inner)
                if q.order_by.is_empty() && q.limit.is_none() && q.locking.is_empty() =>
            {
                self.bind_query(inner)
            }
            QueryBody::Nested(inner) if takes_outer_order(q, inner) => {
                let mut one = inner.clone();
                if !q.order_by.is_empty() {
                    one.order_by.clone_from(&q.order_by);
                }
                one.limit.clone_from(&q.limit);
                one.locking.extend(q.locking.iter().cloned());
                self.bind_query(&one)
            }
            body => {
                self.keep_scope = false;
                let locked = (!q.locking.is_empty()).then(|| locked_last(body, &q.locking));
                let body = locked.as_ref().unwrap_or(body);
                let warned = self.deprecated.len();
                let (bound, columns) = self.set_body(body)?;
                match self.outer_order(q, &columns)? {
                    Some((order, limit)) => Ok(QueryPlan { body: bound, order, limit, columns }),
                    None => {
                        self.deprecated.truncate(warned);
                        self.sorted_as_derived(q, body)
                    }
                }
            }
        }
    }

    pub fn set_body(&mut self, body: &QueryBody) -> Bind<(Body, Vec<OutColumn>)> {
        match body {
            QueryBody::SetOp { op, all, left, right } => {
                let (l, r) = (self.operand(left)?, self.operand(right)?);
                if l.columns.len() != r.columns.len() {
                    return Err(SqlError::of(errno::ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT, &[]));
                }
                self.settle_columns(l.columns.iter().chain(&r.columns).map(|c| &c.info));
                let columns = l
                    .columns
                    .iter()
                    .zip(&r.columns)
                    .map(|(a, b)| {
                        let infos = [a.info, b.info];
                        let info = self.made_of(&infos, infer::merge(&infos));
                        OutColumn::stored(a.name.clone(), info)
                    })
                    .collect::<Vec<OutColumn>>();
                told_apart(&columns, &l, &r)?;
                Ok((
                    Body::Set { op: *op, all: *all, left: Box::new(l), right: Box::new(r) },
                    columns,
                ))
            }
            QueryBody::Values(rows_written) => {
                if rows_written.iter().flatten().any(|e| *e == Expr::Default) {
                    return Err(SqlError::of(
                        errno::ER_TABLE_VALUE_CONSTRUCTOR_CANNOT_HAVE_DEFAULT,
                        &[],
                    ));
                }
                self.enter(Scope::default());
                let bind = |r: &Vec<Expr>| r.iter().map(|e| self.scalar(e)).collect();
                let bound: Bind<Vec<Vec<BExpr>>> = rows_written.iter().map(bind).collect();
                let ctx = self.leave();
                let rows = bound?;
                let n = rows.first().map_or(0, Vec::len);
                if n == 0 {
                    // To a client a result without columns is no result.
                    let text = "Each row of a VALUES clause must have at least one column, unless when used as source in an INSERT statement.";
                    return Err(SqlError::new(
                        errno::ER_TABLE_VALUE_CONSTRUCTOR_MUST_HAVE_COLUMNS,
                        text,
                    ));
                }
                if rows.iter().any(|r| r.len() != n) {
                    return Err(SqlError::of(errno::ER_WRONG_VALUE_COUNT_ON_ROW, &[&"2"]));
                }
                if !ctx.subs.is_empty() {
                    return self.set_body(&selects_of(rows_written));
                }
                self.settle_columns(rows.iter().flatten().map(|e| &e.info));
                let columns = (0..n)
                    .map(|i| {
                        let infos: Vec<TypeInfo> = rows.iter().map(|r| r[i].info).collect();
                        OutColumn::computed(format!("column_{i}").into(), infer::merge(&infos))
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
            QueryBody::Nested(q) => {
                self.idle_order = sorts_for_nothing(q);
                let bound = self.bind_query(q);
                self.idle_order = false;
                bound
            }
            other => self.query_body(&ast::Query::bare(other.clone())),
        }
    }

    /// A set operation that is sorted by subqueries: they are those of a block that reads its rows.
    fn sorted_as_derived(&mut self, q: &ast::Query, body: &QueryBody) -> Bind<QueryPlan> {
        let select = all_of(TableRef::Derived {
            lateral: false,
            query: Box::new(ast::Query::bare(body.clone())),
            alias: ast::Ident::new("union"),
            columns: Vec::new(),
        });
        let outer = ast::Query { with: None, locking: Vec::new(), into: None, ..q.clone() };
        self.block(&select, &outer)
    }

    /// ORDER BY and LIMIT over the columns of a result; none where ORDER BY has a subquery.
    pub fn outer_order(
        &mut self,
        q: &ast::Query,
        columns: &[OutColumn],
    ) -> Bind<Option<OrderAndLimit>> {
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
            merged: None,
            row_id: None,
        };
        self.enter(Scope::of([table]));
        self.place("order clause");
        let mut order = Vec::new();
        for o in &q.order_by {
            let e = match &o.expr {
                Expr::Literal(ast::Literal::Int(n)) => {
                    let at = position(*n, columns.len(), "order clause")?;
                    self.top().scope.column(0, at as u16, 0)
                }
                Expr::Column(ast::ColumnRef { table: Some(table), .. }) => {
                    return Err(SqlError::of(
                        errno::ER_TABLENAME_NOT_ALLOWED_HERE,
                        &[&table, &"global ORDER clause"],
                    ));
                }
                e => self.scalar(e).map_err(|e| of_no_block(e, order.len() + 1))?,
            };
            order.push((by_place(e), o.descending));
        }
        let limit = self.limit(q.limit.as_ref())?;
        let ctx = self.leave();
        Ok(ctx.subs.is_empty().then_some((order, limit)))
    }

    pub fn limit(&mut self, l: Option<&ast::Limit>) -> Bind<Option<Limit>> {
        let Some(l) = l else { return Ok(None) };
        let offset = l.offset.as_ref().map(|o| self.limit_part(o)).transpose()?;
        Ok(Some(Limit { offset, count: self.limit_part(&l.count)? }))
    }

    /// A name is a routine's variable here, never a column.
    fn limit_part(&mut self, e: &Expr) -> Bind<BExpr> {
        match e {
            Expr::Column(c) => {
                Err(SqlError::of(errno::ER_SP_UNDECLARED_VAR, &[&c.column.as_str()]))
            }
            e => {
                let e = self.scalar(e)?;
                // A routine's variable below zero is the unsigned number that has its bits.
                let local = matches!(e.node, Node::Param(_)) && !self.env.locals.is_empty();
                let info = CastTarget::Unsigned.result_type(&e.info);
                Ok(if local {
                    BExpr::new(Node::Cast(CastTarget::Unsigned, Box::new(e)), info)
                } else {
                    e
                })
            }
        }
    }
}

/// `SELECT *` of a table.
fn all_of(table: TableRef) -> ast::Select {
    let items = vec![SelectItem::Wildcard { schema: None, table: None }];
    ast::Select { from: vec![table], ..select(items) }
}

fn select(items: Vec<SelectItem>) -> ast::Select {
    ast::Select {
        hints: None,
        options: ast::SelectOptions::default(),
        items,
        from: Vec::new(),
        where_: None,
        group_by: Vec::new(),
        rollup: false,
        having: None,
        windows: Vec::new(),
    }
}

/// FOR UPDATE behind a set operation is of its last SELECT, as in MySQL.
fn locked_last(body: &QueryBody, locks: &[ast::Locking]) -> QueryBody {
    match body {
        QueryBody::SetOp { op, all, left, right } => QueryBody::SetOp {
            op: *op,
            all: *all,
            left: left.clone(),
            right: Box::new(locked_last(right, locks)),
        },
        QueryBody::Nested(q) => {
            let mut q = q.clone();
            q.locking.extend(locks.iter().cloned());
            QueryBody::Nested(q)
        }
        QueryBody::Values(_) => body.clone(),
        select => {
            let mut q = ast::Query::bare(select.clone());
            q.locking = locks.to_vec();
            QueryBody::Nested(Box::new(q))
        }
    }
}

/// ORDER BY and LIMIT behind a parenthesized SELECT are its own when it has none: they may name columns that it does not show.
fn takes_outer_order(outer: &ast::Query, inner: &ast::Query) -> bool {
    let select = match &inner.body {
        QueryBody::Select(_) | QueryBody::Table(_) => true,
        QueryBody::Nested(n) => takes_outer_order(outer, n),
        _ => false,
    };
    select && inner.limit.is_none() && (inner.order_by.is_empty() || outer.order_by.is_empty())
}

/// A SELECT with an ORDER BY and without a LIMIT: rows of a set operation have no order.
fn sorts_for_nothing(q: &ast::Query) -> bool {
    match &q.body {
        _ if q.limit.is_some() => false,
        QueryBody::Select(_) => true,
        QueryBody::Nested(n) => q.order_by.is_empty() && sorts_for_nothing(n),
        _ => false,
    }
}

/// 3028: the rows of a set operation have no aggregates and no windows.
fn of_no_block(e: SqlError, at: usize) -> SqlError {
    match e.errno {
        errno::ER_INVALID_GROUP_FUNC_USE | errno::ER_WINDOW_INVALID_WINDOW_FUNC_USE => {
            SqlError::of(errno::ER_AGGREGATE_ORDER_FOR_UNION, &[&at])
        }
        _ => e,
    }
}

/// Rows of VALUES in which there are subqueries, as a query for each row: halves of halves, so that no union is deep.
fn selects_of(rows: &[Vec<Expr>]) -> QueryBody {
    if let [row] = rows {
        let item = |(i, e): (usize, &Expr)| ast::SelectItem::Expr {
            expr: e.clone(),
            alias: Some(ast::Ident::new(&format!("column_{i}"))),
            text: "".into(),
        };
        return QueryBody::Select(Box::new(select(row.iter().enumerate().map(item).collect())));
    }
    let (left, right) = rows.split_at(rows.len() / 2);
    QueryBody::SetOp {
        op: ast::SetOp::Union,
        all: true,
        left: Box::new(selects_of(left)),
        right: Box::new(selects_of(right)),
    }
}
