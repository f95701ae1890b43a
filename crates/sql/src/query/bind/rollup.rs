//! GROUP BY ... WITH ROLLUP and GROUPING().
//!
//! Above the groups a block needs the keys of each row as values of their own, for a super-aggregate row has NULL where its group
//! has none. They come after the values of the aggregates, and what GROUPING() says comes after them; so each expression that
//! is evaluated over groups (select list, HAVING, ORDER BY, windows) is rewritten to look there instead of at a row of the group.

use super::{Bind, BlockCtx, drawn};
use crate::errno;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{OutColumn, Rollup, SubKind, Window};
use crate::session_api::{SqlError, column_flag};
use crate::value::{SqlType, TypeInfo};
use std::sync::Arc;

/// GROUPING() calls are numbered from here on until the keys of the block are known.
pub const GROUPING: u32 = 1 << 31;

impl super::Binder<'_> {
    /// A call of GROUPING(), whose arguments must be keys of a block WITH ROLLUP.
    pub fn grouping(&mut self, args: &[weir_syntax::ast::Expr]) -> Bind<BExpr> {
        if !self.top().agg_ok || self.top().in_agg {
            return Err(SqlError::of(errno::ER_INVALID_GROUP_FUNC_USE, &[]));
        }
        if args.is_empty() {
            return Err(SqlError::parse(")", 1));
        }
        // As many as the bits of its value.
        if args.len() > 64 {
            return Err(SqlError::of(
                errno::ER_INVALID_NO_OF_ARGS,
                &[&"GROUPING", &args.len(), &64],
            ));
        }
        let bound = args.iter().map(|a| self.scalar(a)).collect::<Bind<Vec<_>>>()?;
        // The same call twice is one.
        let text = |args: &[BExpr]| format!("{args:?}");
        let calls = &mut self.top_mut().groupings;
        let known = calls.iter().position(|c| text(c) == text(&bound));
        let number = GROUPING + known.unwrap_or(calls.len()) as u32;
        if known.is_none() {
            calls.push(bound);
        }
        Ok(BExpr::new(Node::Agg(number), TypeInfo::new(SqlType::BIGINT, false)))
    }
}

/// What is rewritten: everything of the block that is evaluated over groups.
pub struct OverGroups<'e> {
    pub items: &'e mut [BExpr],
    pub columns: &'e mut [OutColumn],
    pub order: &'e mut [(BExpr, bool)],
    pub having: Option<&'e mut BExpr>,
    pub windows: &'e mut [Window],
}

/// Places keys and GROUPING() calls behind the aggregates of the block. 1111 for a call without ROLLUP.
pub fn place(
    ctx: &mut BlockCtx,
    keys: &[BExpr],
    rollup: bool,
    mut over: OverGroups<'_>,
) -> Bind<Option<Rollup>> {
    let calls = std::mem::take(&mut ctx.groupings);
    if !rollup && !calls.is_empty() {
        return Err(SqlError::of(errno::ER_INVALID_GROUP_FUNC_USE, &[]));
    }
    // What a key has drawn is its group's; what it draws for another row is not.
    let kept = |k: &BExpr| rollup || drawn::draws(k, &ctx.subs);
    if !keys.iter().any(kept) {
        return Ok(None);
    }
    let texts: Vec<String> =
        keys.iter().map(|k| if kept(k) { text(k) } else { String::new() }).collect();
    let key_of = |n: usize, e: &BExpr| {
        let of = text(e);
        texts
            .iter()
            .position(|t| *t == of)
            .ok_or_else(|| SqlError::of(errno::ER_FIELD_IN_GROUPING_NOT_GROUP_BY, &[&n]))
    };
    let groupings = calls
        .iter()
        .map(|args| args.iter().enumerate().map(|(n, e)| key_of(n, e)).collect())
        .collect::<Bind<Vec<Vec<usize>>>>()?;
    let place = Place { texts, behind: ctx.aggs.len() as u32, supers: rollup };
    let mut shown = false;
    for (e, c) in over.items.iter_mut().zip(&mut *over.columns) {
        let found = place.rewrite(e);
        shown |= found;
        if found && rollup {
            c.info.nullable = true;
            c.origin = c.origin.take().map(|o| Arc::new(o.nullable()));
        }
    }
    over.order.iter_mut().for_each(|(e, _)| shown |= place.rewrite(e));
    if let Some(e) = &mut over.having {
        shown |= place.rewrite(e);
    }
    over.windows.iter_mut().flat_map(Window::exprs_mut).for_each(|e| shown |= place.rewrite(e));
    if !rollup && !shown {
        // Nobody asks what was drawn.
        return Ok(None);
    }
    rewrite_calls(ctx, keys, &place, over);
    Ok(Some(Rollup { supers: rollup, groupings }))
}

/// The arguments of stored functions, SLEEP and their like stand with the block's subqueries. Those of calls over groups are rewritten,
/// too; not those of a call that a key or an aggregate has as well, which is evaluated for rows.
fn rewrite_calls(ctx: &mut BlockCtx, keys: &[BExpr], place: &Place, over: OverGroups<'_>) {
    let (mut used, mut of_rows) = (Vec::new(), Vec::new());
    let windows = over.windows.iter().flat_map(|w| w.exprs());
    let order = over.order.iter().map(|(e, _)| e);
    let having = over.having.as_deref();
    over.items.iter().chain(order).chain(windows).chain(having).for_each(|e| e.subs(&mut used));
    let args = ctx.aggs.iter().flat_map(|(_, args)| args);
    keys.iter().chain(args).for_each(|e| e.subs(&mut of_rows));
    used.sort_unstable();
    used.dedup();
    for n in used.into_iter().filter(|n| !of_rows.contains(n)) {
        let Some(sub) = ctx.subs.get_mut(n as usize) else { continue };
        let mut rewrite = |e: &mut BExpr| _ = place.rewrite(e);
        match &mut sub.kind {
            SubKind::Call(_, args) | SubKind::Wait(_, args) => {
                args.iter_mut().for_each(&mut rewrite)
            }
            SubKind::Sleep(e) | SubKind::LoadFile(e) => rewrite(e),
            SubKind::Benchmark(a, b) | SubKind::GetLock(a, b) => {
                rewrite(a);
                rewrite(b);
            }
            SubKind::Scalar
            | SubKind::Exists
            | SubKind::Row
            | SubKind::Rows
            | SubKind::Match(_) => {}
        }
    }
}

fn text(e: &BExpr) -> String {
    format!("{:?}", e.node)
}

struct Place {
    /// The keys, as they are compared with parts of expressions.
    texts: Vec<String>,
    /// The number of aggregates.
    behind: u32,
    /// In some rows a key is NULL.
    supers: bool,
}

impl Place {
    /// Whether something of the expression may be NULL now that could not be before.
    fn rewrite(&self, e: &mut BExpr) -> bool {
        if let Node::Agg(n) = e.node {
            if n >= GROUPING && self.supers {
                e.node = Node::Agg(n - GROUPING + self.behind + self.texts.len() as u32);
            }
            return false;
        }
        let of = text(e);
        if let Some(key) = self.texts.iter().position(|t| *t == of) {
            e.node = Node::Agg(self.behind + key as u32);
            e.info.nullable |= self.supers;
            return true;
        }
        let mut found = false;
        e.for_children_mut(&mut |c| found |= self.rewrite(c));
        e.info.nullable |= found && self.supers;
        found
    }
}

impl crate::query::plan::Origin {
    /// The same column where it may be NULL.
    fn nullable(&self) -> Self {
        Self { flags: self.flags & !column_flag::NOT_NULL, ..self.clone() }
    }
}
