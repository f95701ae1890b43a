//! Queries of conditions that an index serves for each row around: by cost they stay as they are, which looks into the index once for each of
//! those rows, or become tables of the block, which reads all of the query's rows once. As a table the query may also come first and lead to the rows
//! around it by an index of theirs.
//!
//! The rows of `a NOT IN (SELECT ...)` with a query that reads nothing around it are kept as a set while they are few. A set is in memory, whatever
//! its size; so a query whose rows may not fit into `tmp_table_size` becomes a table of the block, whose rows are divided through files when they
//! have no room.
//!
//! Binding joins all other queries ([`crate::query::bind::semijoin`]). These wait until here because the choice takes the statistics of the tables,
//! and the accesses and the order that both ways would have.

use super::rewrite::rewrite;
use super::{Chosen, DESCENT, LOOKUP, Optimizer};
use crate::query::bind::semijoin::{Searched, equated, join_searched, searched};
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::env::PlanEnv;
use crate::query::plan::key::Search;
use crate::query::plan::raw::Raw;
use crate::query::plan::{Access, Block, Body, Source};
use crate::session_api::SqlError;
use crate::vars::Var;
use crate::vars::switches::Switch;

/// What it takes to run a query for a row around, in rows that are read one behind the other.
const RUN: f64 = 10.0;
/// To put a row into the table of the query, and to look for a row there.
const KEPT: f64 = 2.0;
const FOUND: f64 = 0.5;
/// How much cheaper it has to be to read the query whole.
const SAFELY: f64 = 1.5;
/// Rows around that may always be asked one by one. So many are counted on where a range picks them: a plan is used again with other ranges.
const FEW: f64 = 32.0;
/// Bytes that are charged for a row of a set, of one value of moderate length and its key.
const ROW_OF_SET: f64 = 256.0;
/// How many times as many rows as were estimated still fit into `tmp_table_size` as a set.
const WRONG_BY: f64 = 6.0;

/// Joins the queries of which that is cheaper, or that have too many rows for a set. Before the subqueries of the block are planned.
pub async fn join_where_cheaper(b: &mut Block, env: &PlanEnv<'_>) -> Result<(), SqlError> {
    let switches = env.reads.settings.switches;
    // Where a LIMIT ends the block before its last row, few rows may ask.
    let ends = b.limit.is_some() && b.agg.is_none();
    let off = switches.is_off(Switch::Semijoin) || switches.is_off(Switch::Materialization);
    if !b.joins_queries || off || b.subs.is_empty() {
        return Ok(());
    }
    let Some(mut raw) = b.raw.take() else { return Ok(()) };
    for s in searched(&raw, &b.subs, &b.tables) {
        let joins = match s.places.is_empty() {
            true => is_large(b, &raw, &s, env).await,
            false => !ends && is_worth_joining(b, &raw, &s, env).await,
        };
        if joins {
            join_searched(b, &mut raw, s)?;
        }
    }
    b.raw = Some(raw);
    Ok(())
}

/// Whether a query that is run once may have too many rows for a set. A block that is run for each row around it keeps the set for all runs, and
/// could not divide the rows.
async fn is_large(b: &Block, raw: &Raw, s: &Searched, env: &PlanEnv<'_>) -> bool {
    let Some(plan) = &b.subs[s.sub].plan else { return false };
    let Body::Block(inner) = &plan.body else { return false };
    let Some(inner_raw) = &inner.raw else { return false };
    // One row of sums.
    if inner.agg.as_ref().is_some_and(|agg| agg.keys.is_empty()) || inner.tables.is_empty() {
        return false;
    }
    if joined(b, raw, env).await.is_none_or(|around| around.again) {
        return false;
    }
    let stored = inner.tables.iter().all(|t| matches!(t.source, Source::Table(_)));
    let most = env.reads.vars.u64(Var::tmp_table_size);
    env.watched.note_memory(most);
    // Nothing is known of the rows of a query that reads derived tables.
    let most = most as f64 / (ROW_OF_SET * WRONG_BY);
    !stored || joined(inner, inner_raw, env).await.is_none_or(|j| j.rows > most)
}

/// What the tables that stand for NOT IN of what may be NULL are compared with ([`TableSlot::not_in`]): the rules that rewrite conditions have been
/// applied, and leave it among the conditions of its outer join.
///
/// [`TableSlot::not_in`]: crate::query::plan::TableSlot::not_in
pub fn note_not_in(b: &mut Block, raw: &Raw) -> Result<(), SqlError> {
    for (t, slot) in b.tables.iter_mut().enumerate().filter(|(_, slot)| slot.nulls_decide) {
        let group = raw.group_of.get(t).copied().flatten().and_then(|g| raw.groups.get(g));
        let own =
            |e: &BExpr| matches!(e.node, Node::Col(c) if c.depth == 0 && usize::from(c.table) == t);
        let left = group.iter().flat_map(|g| &g.on).find_map(|c| match &c.node {
            Node::Cmp { op: CmpOp::Eq, a, b, .. } if own(b) => Some(a),
            Node::Cmp { op: CmpOp::Eq, a, b, .. } if own(a) => Some(b),
            _ => None,
        });
        let left = left.ok_or_else(|| SqlError::internal("NOT IN lost what it looks for"))?;
        slot.not_in = Some(left.clone());
    }
    Ok(())
}

async fn is_worth_joining(b: &Block, raw: &Raw, s: &Searched, env: &PlanEnv<'_>) -> bool {
    let Some(plan) = &b.subs[s.sub].plan else { return false };
    let Body::Block(inner) = &plan.body else { return false };
    let Some(inner_raw) = &inner.raw else { return false };
    let stored = |b: &Block| b.tables.iter().all(|t| matches!(t.source, Source::Table(_)));
    if !stored(inner) {
        return false;
    }
    let mut without = inner_raw.clone();
    let mut at = 0;
    without.conds.retain(|_| {
        at += 1;
        !s.places.contains(&(at - 1))
    });
    let (around, each, whole) = (
        joined(b, raw, env).await,
        joined(inner, inner_raw, env).await,
        joined(inner, &without, env).await,
    );
    let (Some(around), Some(each), Some(whole)) = (around, each, whole) else { return false };
    // Few rows gain nothing, and the block may itself be run for each row around it.
    if around.lasting < FEW || around.again {
        return false;
    }
    // The first row that is found ends a run.
    let run = RUN + each.cost / each.rows.max(1.0);
    let asked = around.lasting;
    let mut looks = asked * FOUND;
    if !s.negated {
        let leads = leading(b, inner_raw, s, &whole, &around);
        looks = leads.map_or(looks, |cost| looks.min(cost - around.cost));
    }
    (whole.cost + whole.rows * KEPT + looks) * SAFELY < asked * run
}

/// How the tables of a block are joined.
struct Joined {
    rows: f64,
    /// The rows that can be counted on when the plan is used again.
    lasting: f64,
    cost: f64,
    /// It looks at rows around it.
    again: bool,
}

async fn joined(b: &Block, raw: &Raw, env: &PlanEnv<'_>) -> Option<Joined> {
    let mut raw = raw.clone();
    raw.group_of.resize(b.tables.len(), None);
    raw.usable.resize(b.tables.len(), None);
    rewrite(&mut raw, env.reads.settings.switches);
    let mut o = Optimizer::new(env, b, &raw);
    o.order(None).await.ok()?;
    let share: f64 = o.chosen.iter().map(|c| lasting(b, c)).product();
    let lasting = (o.rows * share).max(o.rows.min(FEW));
    Some(Joined { rows: o.rows, lasting, cost: o.cost, again: o.is_run_again() })
}

/// The share of the rows of a step that there are for other values as well.
fn lasting(b: &Block, c: &Chosen) -> f64 {
    let Access::Ranges { key, .. } = &c.access else { return 1.0 };
    let Source::Table(table) = &b.tables[c.table].source else { return 1.0 };
    let by_rows = |s: &Search| s.values().any(|e| e.tables(&|_| 0) != 0);
    if key.searches.iter().any(by_rows) {
        return 1.0;
    }
    if key.searches.iter().any(|s| !s.range.is_empty() || s.like.is_some()) {
        return 0.0;
    }
    let of = |s: &Search| table.engine.rows_per_key(key.index, s.eq.len()) * s.prefixes();
    let average: f64 = key.searches.iter().map(of).sum();
    (average / c.rows.max(1.0)).min(1.0)
}

/// What it costs to begin with the rows of the query and to find those around by an index, if there is one.
fn leading(b: &Block, inner: &Raw, s: &Searched, whole: &Joined, around: &Joined) -> Option<f64> {
    let cost = |e: &BExpr| {
        // As the query sees it, the column is one of the block around.
        let Node::Col(c) = e.node else { return None };
        let Source::Table(table) =
            &b.tables.get(usize::from(c.table)).filter(|_| c.depth == 1)?.source
        else {
            return None;
        };
        let first = |i: &usize| {
            let parts = &table.engine.def.indexes[*i].parts;
            let is_it = parts.first().is_some_and(|p| p.col == usize::from(c.col));
            is_it && table.has_all_rows(*i)
        };
        let index = (0..table.engine.def.indexes.len()).find(first)?;
        let found = whole.rows * table.engine.rows_per_key(index, 1);
        let total = (table.engine.estimated_rows() as f64).max(1.0);
        // Of the other tables so much is read as rows of this one are left.
        Some(whole.rows * DESCENT + found * LOOKUP + around.cost * (found / total).min(1.0))
    };
    let around_once = |at: &usize| equated(&inner.conds[*at]).map(|(_, outer)| outer);
    s.places.iter().filter_map(around_once).filter_map(cost).min_by(f64::total_cmp)
}
