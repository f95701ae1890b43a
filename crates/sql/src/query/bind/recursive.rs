//! WITH RECURSIVE: the first operands of a UNION make rows, the others make more of the rows that came last.
//!
//! The columns' types are those of the first operands, whatever the others give.

use super::outer_joins::drop_outer_joins;
use super::scope::{ScopeColumn, ScopeTable};
use super::{Bind, Binder, Working};
use crate::errno;
use crate::func::infer;
use crate::query::plan::raw::Raw;
use crate::query::plan::{Block, Body, OutColumn, QueryPlan, Recursive, Source, TableSlot};
use crate::session_api::SqlError;
use crate::value::{Collation, SqlType};
use weir_syntax::ast::{self, Ident, Query, QueryBody, SetOp, TableRef};

/// The operands of a UNION from the left; whether each is joined to those before it by UNION ALL.
fn operands<'q>(body: &'q QueryBody, out: &mut Vec<(&'q QueryBody, bool)>) {
    match body {
        QueryBody::SetOp { op: SetOp::Union, all, left, right } => {
            operands(left, out);
            out.push((right, *all));
        }
        other => out.push((other, true)),
    }
}

/// How often the FROM clauses of a query name the common table, subqueries in FROM included.
fn references(body: &QueryBody, name: &str) -> usize {
    fn of_table(t: &TableRef, name: &str) -> usize {
        match t {
            TableRef::Table(f) => usize::from(f.name.schema.is_none() && f.name.name.is(name)),
            TableRef::Join(j) => of_table(&j.left, name) + of_table(&j.right, name),
            TableRef::List(list) => list.iter().map(|t| of_table(t, name)).sum(),
            TableRef::Derived { query, .. } => references(&query.body, name),
            TableRef::JsonTable(_) => 0,
        }
    }
    match body {
        QueryBody::Select(s) => s.from.iter().map(|t| of_table(t, name)).sum(),
        QueryBody::SetOp { left, right, .. } => references(left, name) + references(right, name),
        QueryBody::Nested(q) => references(&q.body, name),
        QueryBody::Table(t) => usize::from(t.schema.is_none() && t.name.is(name)),
        QueryBody::Values(_) => 0,
    }
}

pub fn names_itself(body: &QueryBody, name: &str) -> bool {
    references(body, name) > 0
}

fn refused(errno: u16, name: &str, what: &str) -> SqlError {
    SqlError::new(errno, format!("Recursive Common Table Expression '{name}' {what}"))
}

impl Binder<'_> {
    /// The plan of the recursive common table at `at`, and whether it reads rows of the blocks around it.
    pub fn recursive_table(
        &mut self,
        at: usize,
        names: &[Ident],
        query: &Query,
    ) -> Bind<(QueryPlan, bool)> {
        let later = self.ctes.split_off(at + 1);
        let level = self.ctes[at].level;
        let plan = self.outside(level, |b| b.recursive_inner(at, names, query));
        self.ctes[at].working = None;
        self.ctes.extend(later);
        plan
    }

    fn recursive_inner(&mut self, at: usize, names: &[Ident], query: &Query) -> Bind<QueryPlan> {
        let name = self.ctes[at].name.clone();
        let mut list = Vec::new();
        operands(&query.body, &mut list);
        if list.len() < 2 {
            let what = "should contain a UNION";
            return Err(refused(errno::ER_CTE_RECURSIVE_REQUIRES_UNION, &name, what));
        }
        let recursive = |(body, _): &(&QueryBody, bool)| references(body, &name) > 0;
        let first = list.iter().position(recursive).unwrap_or(list.len());
        if first == 0 || !list[first..].iter().all(recursive) {
            let what = "should have one or more non-recursive query blocks followed by one or more recursive ones";
            let errno = errno::ER_CTE_RECURSIVE_REQUIRES_NONRECURSIVE_FIRST;
            return Err(refused(errno, &name, what));
        }
        if !query.order_by.is_empty() {
            let what = "ORDER BY over UNION in recursive Common Table Expression";
            return Err(SqlError::not_supported(what));
        }
        let all = list[first..].iter().all(|(_, all)| *all);
        if let Some(distinct) = list[first..].iter().position(|(_, all)| !all)
            && list[first + distinct..].iter().any(|(_, all)| *all)
        {
            let what = "recursive query blocks with UNION DISTINCT then UNION ALL, in recursive Common Table Expression";
            return Err(SqlError::not_supported(what));
        }
        let seed = self.seed(&list[..first])?;
        self.recursions += 1;
        let number = self.recursions;
        let columns: Vec<OutColumn> = seed
            .columns
            .iter()
            .enumerate()
            .map(|(i, c)| {
                let mut info = c.info;
                // As of a UNION: without ZEROFILL, and without a width of its own.
                info.ty = match info.ty {
                    SqlType::Null => SqlType::Char { chars: 0, collation: Collation::Binary },
                    _ => infer::merge(&[info]).ty,
                };
                // What the recursive operands give may be NULL.
                info.nullable = true;
                let name = names.get(i).map_or(c.name.clone(), |n| n.as_str().into());
                OutColumn::stored(name, info)
            })
            .collect();
        self.ctes[at].working = Some(Working { number, columns: columns.clone() });
        let mut steps = Vec::new();
        for (body, _) in &list[first..] {
            steps.push(self.step(body, &name, number, columns.len())?);
        }
        if !query.locking.is_empty() {
            return Err(SqlError::not_supported("FOR UPDATE over a recursive query"));
        }
        let Some((order, limit)) = self.outer_order(query, &columns)? else {
            return Err(SqlError::not_supported("subquery in ORDER BY of a recursive query"));
        };
        let names = columns.iter().map(|c| c.name.clone()).collect();
        let recursive = Recursive { seed, steps, all, name, names, number };
        Ok(QueryPlan { body: Body::Recursive(Box::new(recursive)), order, limit, columns })
    }

    /// The operands without the table itself, as one query.
    fn seed(&mut self, list: &[(&QueryBody, bool)]) -> Bind<QueryPlan> {
        let mut body = list[0].0.clone();
        for &(right, all) in &list[1..] {
            let (left, right) = (Box::new(body), Box::new(right.clone()));
            body = QueryBody::SetOp { op: SetOp::Union, all, left, right };
        }
        self.query_body(&Query::bare(body))
    }

    fn step(
        &mut self,
        body: &QueryBody,
        name: &str,
        number: u32,
        columns: usize,
    ) -> Bind<QueryPlan> {
        if references(body, name) > 1 {
            return Err(single_reference(name));
        }
        if let QueryBody::Nested(q) = body
            && (!q.order_by.is_empty() || q.limit.is_some())
        {
            let what = "ORDER BY / LIMIT / SELECT DISTINCT in recursive query block of Common Table Expression";
            return Err(SqlError::not_supported(what));
        }
        if let QueryBody::Select(s) = body {
            if s.from.iter().any(|t| in_derived(t, name)) {
                return Err(single_reference(name));
            }
            forbidden_clauses(s, name)?;
            if is_kept_behind(&s.from, name) {
                return Err(forbids_order(name));
            }
        }
        let before = self.references.iter().filter(|n| **n == number).count();
        let mut plan = self.query_body(&Query::bare(body.clone()))?;
        if let Body::Block(b) = &mut plan.body
            && may_miss(b, number)
        {
            return Err(forbids_order(name));
        }
        let met = self.references.iter().filter(|n| **n == number).count() - before;
        if met > 1 {
            return Err(single_reference(name));
        }
        if let Body::Block(b) = &plan.body
            && (b.agg.is_some() || !b.windows.is_empty())
        {
            return Err(forbids_aggregation(name));
        }
        if plan.columns.len() != columns {
            return Err(SqlError::of(errno::ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT, &[]));
        }
        Ok(plan)
    }

    /// The table within itself.
    pub fn add_working(
        &mut self,
        alias: &str,
        w: Working,
        group: Option<usize>,
        raw: &mut Raw,
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        self.references.push(w.number);
        let columns = w.columns.clone();
        let column =
            |c: OutColumn| ScopeColumn { name: c.name, info: c.info, hidden: false, origin: None };
        let scope = ScopeTable {
            schema: "".into(),
            alias: alias.into(),
            columns: w.columns.into_iter().map(column).collect(),
            nullable: false,
            merged: None,
            row_id: None,
        };
        self.add(scope, Source::Working(w.number, columns), group, None, raw, tables)
    }
}

fn single_reference(name: &str) -> SqlError {
    SqlError::of(errno::ER_CTE_RECURSIVE_REQUIRES_SINGLE_REFERENCE, &[&name])
}

fn forbids_aggregation(name: &str) -> SqlError {
    let what = "can contain neither aggregation nor window functions in recursive query block";
    refused(errno::ER_CTE_RECURSIVE_FORBIDS_AGGREGATION, name, what)
}

fn forbidden_clauses(s: &ast::Select, name: &str) -> Bind<()> {
    if !s.group_by.is_empty() || !s.windows.is_empty() {
        return Err(forbids_aggregation(name));
    }
    if s.options.distinct {
        return Err(SqlError::not_supported(
            "ORDER BY / LIMIT / SELECT DISTINCT in recursive query block of Common Table Expression",
        ));
    }
    Ok(())
}

/// Whether STRAIGHT_JOIN asks for other tables before this one.
fn is_kept_behind(from: &[TableRef], name: &str) -> bool {
    fn inside(t: &TableRef, name: &str, behind: bool) -> bool {
        match t {
            TableRef::Table(f) => behind && f.name.schema.is_none() && f.name.name.is(name),
            TableRef::Join(j) => {
                let right = behind || j.kind == ast::JoinKind::Straight;
                inside(&j.left, name, behind) || inside(&j.right, name, right)
            }
            TableRef::List(list) => list.iter().any(|t| inside(t, name, behind)),
            TableRef::Derived { .. } | TableRef::JsonTable(_) => false,
        }
    }
    from.iter().any(|t| inside(t, name, false))
}

/// Whether the table stands where an outer join may miss its rows, WHERE refusing none that it misses.
fn may_miss(b: &mut Block, number: u32) -> bool {
    let working = |t: &TableSlot| matches!(t.source, Source::Working(n, _) if n == number);
    let (Some(raw), Some(at)) = (&mut b.raw, b.tables.iter().position(working)) else {
        return false;
    };
    drop_outer_joins(raw);
    raw.group_of[at].is_some()
}

fn forbids_order(name: &str) -> SqlError {
    SqlError::of(errno::ER_CTE_RECURSIVE_FORBIDDEN_JOIN_ORDER, &[&name])
}

/// The table is read by a query within FROM.
fn in_derived(t: &TableRef, name: &str) -> bool {
    match t {
        TableRef::Derived { query, .. } => references(&query.body, name) > 0,
        TableRef::Join(j) => in_derived(&j.left, name) || in_derived(&j.right, name),
        TableRef::List(list) => list.iter().any(|t| in_derived(t, name)),
        TableRef::Table(_) | TableRef::JsonTable(_) => false,
    }
}
