//! Results of subqueries that are run for each row around, by the values that they read there: rows that ask the same get the same answer.
//!
//! `l_quantity < (SELECT AVG(l_quantity) FROM lineitem WHERE l_partkey = p_partkey)` has one answer for each part, and is asked for each of
//! the part's lines. A subquery counts its runs first, since few of them gain nothing; then its results are kept by the bytes of the values,
//! and what most values ask for once is given up again.
//!
//! Invariants:
//! - The key has every value that the query reads of the rows around it. A query of which that is not known (queries within it, derived
//!   tables, aggregates of the blocks around) is not remembered, nor is one that may answer otherwise next time, or that has warned.
//! - While the statement changes rows nothing is remembered, as with [`Lasting`](super::subquery_cache::Lasting).

use super::Runner;
use super::subquery_cache::place;
use crate::memory::{Held, row_bytes};
use crate::query::eval::frame::{Frame, SubResult};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::outcome::Run;
use crate::query::plan::{Block, Body, QueryPlan, Source, Sub};
use crate::status::Stat;
use crate::value::encoded::encode;
use crate::value::key_hash::KeyHash;
use std::collections::HashMap;
use std::sync::Arc;

/// Runs of a subquery before its results are kept.
const RUNS: u32 = 8;
/// Looks after which one in [`WORTH`] has to have found something.
const LOOKS: u32 = 256;
const WORTH: u32 = 4;
/// Bytes of the results of a subquery. Beyond it all of them go, for those that follow.
const BYTES: usize = 256 << 10;
/// A result that is larger is not kept.
const LARGE: usize = 16 << 10;
/// Bytes of an entry beside its key and its rows.
const ENTRY: usize = size_of::<(Vec<u8>, Arc<SubResult>)>() + size_of::<SubResult>() + 32;

/// What is known of a subquery.
pub enum Memo {
    /// It has been run so many times.
    Counts(u32),
    Keeps(Box<Results>),
    /// Its results are not to be kept.
    Never,
}

#[derive(Default)]
pub struct Results {
    /// The columns around it that it reads, as the block sees them that it stands in.
    around: Vec<ColRef>,
    by_key: HashMap<Vec<u8>, Arc<SubResult>, KeyHash>,
    held: Held,
    key: Vec<u8>,
    looks: u32,
    found: u32,
}

impl Results {
    /// The result for the row around, whose key is made for it.
    fn find(&mut self, outer: &Frame<'_>, r: &Runner<'_, '_>) -> Option<SubResult> {
        self.key.clear();
        for c in &self.around {
            encode(&outer.column(*c, r.ev.cx.tz), &mut self.key);
        }
        self.looks = self.looks.saturating_add(1);
        let found = self.by_key.get(&self.key)?;
        self.found = self.found.saturating_add(1);
        r.reads.work.inc(Stat::Weir_subquery_results_reused);
        Some(SubResult::Same(found.clone()))
    }

    fn is_worth_it(&self) -> bool {
        self.looks < LOOKS || self.found >= self.looks / WORTH
    }

    /// Keeps the result for the key that was made last.
    fn put(&mut self, result: SubResult, r: &Runner<'_, '_>) -> SubResult {
        let own = match &result {
            SubResult::Scalar(v) => row_bytes(std::slice::from_ref(v)),
            SubResult::Rows { rows, .. } => rows.iter().map(|row| row_bytes(row)).sum(),
            _ => return result,
        };
        let bytes = ENTRY + self.key.len() + own;
        if bytes > LARGE {
            return result;
        }
        if self.held.bytes() + bytes > BYTES {
            self.by_key.clear();
            self.held = Held::default();
        }
        // What has no room is found again by a run.
        if r.ev.cx.hold(&mut self.held, bytes).is_err() {
            return result;
        }
        let result = Arc::new(result);
        self.by_key.insert(self.key.clone(), result.clone());
        SubResult::Same(result)
    }
}

impl Runner<'_, '_> {
    /// Whether results of the subquery may be kept by the values around it.
    pub(super) fn may_remember(&self, sub: &Sub) -> bool {
        sub.correlated
            && !sub.draws
            && !sub.sums
            && sub.is_query()
            && self.working.is_empty()
            && !self.lasting.is_stopped()
    }

    /// Runs a subquery for the row around, unless the result for its values is known.
    pub(super) async fn run_or_remember(&mut self, sub: &Sub, outer: &Frame<'_>) -> Run<SubResult> {
        let at = place(sub);
        // A run that fails leaves nothing to remember.
        let mut results = match self.lasting.take_memo(at) {
            Memo::Never => return self.run_sub_anew(sub, outer).await,
            Memo::Counts(runs) if runs < RUNS => {
                self.lasting.remember(at, Memo::Counts(runs + 1));
                return self.run_sub_anew(sub, outer).await;
            }
            Memo::Counts(_) => match sub.plan.as_ref().and_then(values_around) {
                Some(around) => Box::new(Results { around, ..Results::default() }),
                None => return self.run_sub_anew(sub, outer).await,
            },
            Memo::Keeps(results) => results,
        };
        let found = results.find(outer, self);
        let result = match found {
            Some(result) => result,
            None => {
                let warnings = self.ev.cx.warnings.total();
                let result = self.run_sub_anew(sub, outer).await?;
                match self.ev.cx.warnings.total() == warnings {
                    true => results.put(result, self),
                    false => result,
                }
            }
        };
        let memo = if results.is_worth_it() { Memo::Keeps(results) } else { Memo::Never };
        self.lasting.remember(at, memo);
        Ok(result)
    }
}

/// The columns around a query that it reads, as the block sees them that it stands in. `None`: it may read more, or answer otherwise when it
/// is asked again.
fn values_around(plan: &QueryPlan) -> Option<Vec<ColRef>> {
    let mut around = Vec::new();
    let settled = plan.is_settled() && of_plan(plan, &mut around);
    (settled && !around.is_empty()).then_some(around)
}

fn of_plan(plan: &QueryPlan, around: &mut Vec<ColRef>) -> bool {
    let Body::Block(b) = &plan.body else { return false };
    of_block(b, around) && plan.order.iter().all(|(e, _)| of_expr(e, around))
}

fn of_block(b: &Block, around: &mut Vec<ColRef>) -> bool {
    let stored = b.tables.iter().all(|t| matches!(t.source, Source::Table(_)));
    if !stored || !b.windows.is_empty() || !b.subs.iter().all(Sub::is_joined) {
        return false;
    }
    let by_steps = b.steps.iter().flat_map(|s| {
        // What an index is searched for is said by a condition, too.
        s.conds.iter().chain(s.after.iter().map(|(_, c)| c))
    });
    let conditions = by_steps.chain(&b.gate).chain(&b.having).map(|c| &c.expr);
    let sums = b.agg.iter().flat_map(|a| a.keys.iter().chain(a.specs.iter().flat_map(|(_, e)| e)));
    let order = b.order.iter().chain(&b.index_order).map(|(e, _)| e);
    let limit = b.limit.iter().flat_map(|l| l.offset.iter().chain([&l.count]));
    let mut all = conditions.chain(sums).chain(&b.items).chain(order).chain(limit);
    all.all(|e| of_expr(e, around)) && b.extremes.iter().flatten().all(|q| of_plan(q, around))
}

fn of_expr(e: &BExpr, around: &mut Vec<ColRef>) -> bool {
    let mut known = true;
    e.walk(&mut |e| match e.node {
        Node::Col(c) if c.depth > 0 => {
            let c = ColRef { depth: c.depth - 1, ..c };
            if !around.contains(&c) {
                around.push(c);
            }
        }
        Node::OuterAgg { .. } | Node::Match { .. } | Node::Call { .. } => known = false,
        _ => {}
    });
    known
}
