//! Expressions that give another value each time they are asked, whatever rows they look at: `RAND()`, `@i := @i + 1`, a function that is
//! not deterministic, a subquery with one of these. A condition with one is asked for each row, and no search is made by one.

use crate::query::expr::{BExpr, Node};
use crate::query::plan::Block;
use crate::query::plan::raw::Raw;

pub fn is_drawn(e: &BExpr, b: &Block, raw: &Raw) -> bool {
    let mut subs = Vec::new();
    e.subs(&mut subs);
    e.draws()
        || subs.iter().any(|s| b.subs[*s as usize].draws)
        || e.reads_variables() && sets_variables(b, raw)
}

/// The block sets variables for each of its rows; a subquery in it may.
fn sets_variables(b: &Block, raw: &Raw) -> bool {
    let on = raw.groups.iter().flat_map(|g| &g.on);
    let sums = b.agg.iter().flat_map(|a| a.keys.iter().chain(a.specs.iter().flat_map(|(_, e)| e)));
    let order = b.order.iter().map(|(e, _)| e);
    let items = b.items.iter().chain(&b.drawn.exprs);
    let mut all = raw.conds.iter().chain(on).chain(items).chain(order).chain(sums);
    let mut set = b.subs.iter().any(|s| s.draws) || b.having.iter().any(|c| sets(&c.expr));
    set |= all.any(sets);
    set
}

fn sets(e: &BExpr) -> bool {
    let mut set = false;
    e.walk(&mut |n| set |= matches!(n.node, Node::Assign(..)));
    set
}
