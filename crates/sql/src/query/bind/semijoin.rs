//! `a IN (SELECT ...)` in WHERE as a join: with the query's rows as a table of the block, each there once. So the order of joins decides
//! whether the rows are looked for in it, or it is read first and leads to them by an index.
//!
//! It is the same where the condition is one of those that must all be true, since then it does not matter whether it is false or unknown; where the
//! query reads nothing of the block; and where what is equal is one: DISTINCT tells values apart as the comparison does only
//! if both sides are compared in one kind ([`Keyed`]).

use super::operator::compare_exprs;
use super::{Bind, Binder, Raw};
use crate::query::expr::{BExpr, CmpOp, ColRef, Node};
use crate::query::plan::{Body, QueryPlan, Source, Sub, SubKind, TableSlot};
use crate::query::row_hash::Keyed;
use crate::value::Value;

/// Tables of a block at most that a query may join: each makes the search for an order longer.
const MOST: usize = 32;

impl Binder<'_> {
    /// Puts the queries of conditions into the block's tables, where that goes.
    pub fn join_queries(
        &self,
        raw: &mut Raw,
        subs: &mut [Sub],
        tables: &mut Vec<TableSlot>,
    ) -> Bind<()> {
        // A change of rows asks who reads its target, and finds it in subqueries.
        if !self.merges_derived || tables.is_empty() {
            return Ok(());
        }
        for at in 0..raw.conds.len() {
            let Some(sub) = joined(&raw.conds[at], subs).filter(|_| tables.len() < MOST) else {
                continue;
            };
            let Some(mut plan) = subs[sub].plan.take() else { continue };
            make_distinct(&mut plan);
            let t = tables.len() as u16;
            let node = Node::Const(Value::Null);
            let cond = std::mem::replace(&mut raw.conds[at].node, node);
            let Node::InSub { left, .. } = cond else { continue };
            let column = |(col, c): (usize, &crate::query::plan::OutColumn)| {
                BExpr::new(Node::Col(ColRef { depth: 0, table: t, col: col as u16 }), c.info)
            };
            let columns: Vec<BExpr> = plan.columns.iter().enumerate().map(column).collect();
            let mut equal = Vec::with_capacity(left.len());
            for (a, b) in left.into_iter().zip(columns) {
                equal.push(compare_exprs(CmpOp::Eq, a, b)?);
            }
            // The first stands where the condition stood.
            let mut equal = equal.into_iter();
            raw.conds[at] = equal.next().unwrap_or_else(|| BExpr::constant(Value::Int(1)));
            raw.conds.extend(equal);
            raw.group_of.resize(tables.len(), None);
            raw.usable.resize(tables.len(), None);
            raw.group_of.push(None);
            raw.usable.push(None);
            let alias = format!("<subquery{}>", t + 1).into();
            tables.push(TableSlot {
                of_in: true,
                ..TableSlot::new(alias, Source::Derived(Box::new(plan)))
            });
        }
        Ok(())
    }
}

/// The subquery of a condition that may be joined.
fn joined(cond: &BExpr, subs: &[Sub]) -> Option<usize> {
    let Node::InSub { left, sub, negated: false } = &cond.node else { return None };
    let s = &subs[*sub as usize];
    let plan = s.plan.as_ref().filter(|_| !s.correlated && matches!(s.kind, SubKind::Rows))?;
    let Body::Block(b) = &plan.body else { return None };
    // What is limited, or locked, stays as it is.
    if b.limit.is_some() || plan.limit.is_some() || plan.locks() {
        return None;
    }
    let fits = |(e, c): (&BExpr, &crate::query::plan::OutColumn)| {
        Keyed::of(&e.info.ty, &c.info.ty).is_some() && e.has_no_subs() && !e.varies()
    };
    left.iter().zip(&plan.columns).all(fits).then_some(*sub as usize)
}

fn make_distinct(plan: &mut QueryPlan) {
    if let Body::Block(b) = &mut plan.body {
        b.distinct = true;
        b.order.clear();
    }
    plan.order.clear();
}
