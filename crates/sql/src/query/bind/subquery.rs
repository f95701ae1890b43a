//! Subqueries of a block: each is bound once and run before the expression that needs it.

use super::digits::{is_long, whole_average};
use super::literal::by_place;
use super::{AGGREGATE, Bind, Binder};
use crate::query::expr::BExpr;
use crate::query::plan::{self, Body, QueryPlan, Sub, SubKind};
use crate::session_api::SqlError;
use crate::value::{TypeInfo, Value};
use weir_syntax::ast;

impl Binder<'_> {
    pub fn expr_tables(&self, e: &BExpr) -> u64 {
        let subs = &self.top().subs;
        e.tables(&|s| subs.get(s as usize).map_or(0, |s| s.tables))
    }

    pub fn push_sub(&mut self, sub: Sub) -> u32 {
        let ctx = self.top_mut();
        ctx.subs.push(sub);
        ctx.subs.len() as u32 - 1
    }

    /// A subquery that has been bound before in the block, by its text.
    pub fn known_sub(&self, text: &str, is: impl Fn(&Sub) -> bool) -> Option<u32> {
        let at = *self.top().sub_texts.get(text)?;
        self.top().subs.get(at as usize).filter(|s| is(s)).map(|_| at)
    }

    /// The same for one that is new.
    pub fn push_known(&mut self, text: String, sub: Sub) -> u32 {
        let at = self.push_sub(sub);
        self.top_mut().sub_texts.insert(text, at);
        at
    }

    pub fn sub_columns(&self, sub: u32) -> Vec<TypeInfo> {
        let plan = self.top().subs[sub as usize].plan.as_ref();
        plan.map_or_else(Vec::new, |p: &plan::QueryPlan| p.columns.iter().map(|c| c.info).collect())
    }

    /// Whether a subquery of one value gives an average, of which it then keeps all digits.
    pub fn keeps_average(&mut self, sub: u32) -> bool {
        let plan = self.top_mut().subs[sub as usize].plan.as_mut();
        let Some(Body::Block(block)) = plan.map(|p| &mut p.body) else { return false };
        let [item] = &mut block.items[..] else { return false };
        let whole = whole_average(std::mem::replace(item, BExpr::constant(Value::Null)));
        let changed = is_long(&whole);
        *item = whole;
        changed
    }

    /// ENUM and SET columns of a query that are compared with numbers give their numbers, as where the two stand beside each other.
    pub fn places_of_lists(&mut self, sub: u32, left: &[BExpr]) {
        let Some(plan) = self.top_mut().subs[sub as usize].plan.as_mut() else { return };
        let Body::Block(block) = &mut plan.body else { return };
        for ((e, item), column) in left.iter().zip(&mut block.items).zip(&mut plan.columns) {
            if e.info.ty.is_numeric() && column.info.ty.is_list() && item.info.ty.is_list() {
                *item = by_place(std::mem::replace(item, BExpr::constant(Value::Null)));
                column.info = item.info;
            }
        }
    }

    pub fn subquery(&mut self, q: &ast::Query, kind: SubKind, _hint: Option<()>) -> Bind<u32> {
        let here = self.stack.len();
        self.collectors.push((here, Vec::new()));
        let around = std::mem::take(&mut self.draws);
        let bound = self.bind_query(q);
        let draws = self.draws || bound.as_ref().is_ok_and(calls_alone);
        self.draws = around | draws;
        let (_, refs) = self.collectors.pop().unwrap_or_default();
        let plan = bound?;
        let (mut tables, mut sums) = (0u64, false);
        for (_, table) in refs.iter().filter(|(level, _)| *level + 1 == here) {
            match *table {
                AGGREGATE => sums = true,
                t => tables |= 1 << t,
            }
        }
        let correlated = draws || !refs.is_empty();
        Ok(self.push_sub(Sub {
            kind,
            plan: Some(plan),
            correlated,
            tables,
            sums,
            draws,
            guard: None,
        }))
    }
}

/// 1235 for a query behind IN, ALL, ANY or SOME that has a LIMIT of its own, in any of its blocks.
pub fn without_limit(q: &ast::Query) -> Bind<()> {
    fn limited(body: &ast::QueryBody) -> bool {
        match body {
            ast::QueryBody::SetOp { left, right, .. } => limited(left) || limited(right),
            ast::QueryBody::Nested(q) => q.limit.is_some() || limited(&q.body),
            _ => false,
        }
    }
    match q.limit.is_some() || limited(&q.body) {
        true => Err(SqlError::not_supported("LIMIT & IN/ALL/ANY/SOME subquery")),
        false => Ok(()),
    }
}

/// An ENUM or a SET that is compared with a query's column of numbers.
pub fn placed(e: BExpr, column: &TypeInfo) -> BExpr {
    match column.ty.is_numeric() {
        true => by_place(e),
        false => e,
    }
}

/// A query of no tables that calls a function which is not deterministic: MySQL takes it for what it selects, and calls that for each row.
fn calls_alone(plan: &QueryPlan) -> bool {
    match &plan.body {
        Body::Block(b) => b.tables.is_empty() && b.subs.iter().any(|s| s.draws),
        _ => false,
    }
}

/// `EXISTS (SELECT * ...)` as `EXISTS (SELECT 1 ...)`, as in MySQL: whether there is a row asks for no column, and for no right on one.
/// `None` where the list is another, or may matter.
pub fn without_star(q: &ast::Query) -> Option<ast::Query> {
    let ast::QueryBody::Select(select) = &q.body else { return None };
    let star = ast::SelectItem::Wildcard { schema: None, table: None };
    let alone = select.items == [star] && select.having.is_none();
    if !alone || !q.order_by.is_empty() || q.limit.is_some() || q.into.is_some() {
        return None;
    }
    let mut short = q.clone();
    if let ast::QueryBody::Select(select) = &mut short.body {
        let expr = ast::Expr::Literal(ast::Literal::Int(1));
        select.items = vec![ast::SelectItem::Expr { expr, alias: None, text: "1".into() }];
    }
    Some(short)
}
