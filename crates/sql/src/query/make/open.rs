//! Whether the columns that a query shows take their types from parameters that have none: `? + 1` is an integer beside an integer and a
//! double beside a text, and a client learns the type before the values. Such a plan is made for the values at hand
//! ([`crate::query::Plan::has_open_types`]). A literal that became a parameter is looked at where types meet (`bind::settled`).

use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Block, Body, QueryPlan, Source};
use crate::value::SqlType;

pub fn shows_params(q: &QueryPlan) -> bool {
    match &q.body {
        Body::Block(b) => of_block(b),
        Body::Set { left, right, .. } => shows_params(left) || shows_params(right),
        Body::Nested(q) => shows_params(q),
        Body::Recursive(r) => shows_params(&r.seed),
        Body::Values(rows) => rows.iter().flatten().any(takes),
        Body::Json(_) => false,
    }
}

fn of_block(b: &Block) -> bool {
    let sums = b.agg.iter().flat_map(|a| a.specs.iter().flat_map(|(_, args)| args));
    let windows = b.windows.iter().flat_map(|w| w.exprs());
    let derived = b.tables.iter().any(|t| match &t.source {
        Source::Derived(q) => shows_params(q),
        Source::Table(_) | Source::Virtual(..) | Source::Working(..) => false,
    });
    let subs = b.item_subs.iter().filter_map(|n| b.subs.get(*n as usize));
    derived
        || b.items.iter().chain(sums).chain(windows).any(takes)
        || subs.filter_map(|s| s.plan.as_ref()).any(shows_params)
}

/// A parameter without a type stands in it.
fn takes(e: &BExpr) -> bool {
    let mut found = false;
    e.walk(&mut |n| found |= n.info.ty == SqlType::Null && matches!(n.node, Node::Param(_)));
    found
}
