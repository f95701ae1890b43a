//! The subquery cache: rows of subqueries' tables that outlast a run. A subquery that is run for each row around it reads a table once where nothing around
//! picks the rows, and finds them by hash from then on. So do the results of subqueries within it that read nothing around them.
//!
//! Invariants:
//! - While the statement changes rows nothing is kept, and nothing that was kept is used ([`Lasting::stop`]): subqueries that are run then
//!   see what it has done, by itself or by the actions of foreign keys. Before that, and in a query, the rows are those of one
//!   read view, or locked.
//! - A run that ends early (EXISTS with its first row) reads no more than it needs. Only when such runs have together read about as much as
//!   the table has, the next one reads all of it: so no more than twice what is needed is read in all.

use super::join::KeptTable;
use super::remembered::Memo;
use crate::query::eval::frame::SubResult;
use crate::query::plan::{Block, Body, QueryPlan, Source, Step, Sub, TableSlot};
use std::collections::HashMap;
use std::sync::Arc;

/// What a run costs that reads nothing, in rows.
const RUN: f64 = 10.0;

#[derive(Default)]
pub struct Lasting {
    /// By the step's place in memory.
    of: HashMap<usize, Last>,
    /// What subqueries have given that read nothing around them, within those that are run again.
    results: HashMap<usize, Arc<SubResult>>,
    /// What those have given that read rows around them, by the values there.
    remembered: HashMap<usize, Memo>,
    stopped: bool,
}

/// What the runs so far have left of a table.
pub enum Last {
    /// Rows that they have read and not kept.
    Unfinished(f64),
    All(Arc<KeptTable>),
    /// They were too many.
    Never,
}

impl Lasting {
    /// From here on rows are changed.
    pub fn stop(&mut self) {
        self.stopped = true;
        self.of.clear();
        self.results.clear();
        self.remembered.clear();
    }

    /// What is known of the subquery at a place, which is not to be remembered until that comes back.
    pub fn take_memo(&mut self, sub: usize) -> Memo {
        let memo = self.remembered.entry(sub).or_insert(Memo::Counts(0));
        std::mem::replace(memo, Memo::Never)
    }

    pub fn remember(&mut self, sub: usize, memo: Memo) {
        if !self.stopped {
            self.remembered.insert(sub, memo);
        }
    }

    pub fn result(&self, sub: &Sub) -> Option<SubResult> {
        self.results.get(&place(sub)).map(|r| SubResult::Same(r.clone()))
    }

    pub fn keep_result(&mut self, sub: &Sub, result: SubResult) -> SubResult {
        if self.stopped {
            return result;
        }
        let result = Arc::new(result);
        self.results.insert(place(sub), result.clone());
        SubResult::Same(result)
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub fn get(&self, step: usize) -> Option<&Last> {
        self.of.get(&step)
    }

    pub fn put(&mut self, step: usize, last: Last) {
        if !self.stopped {
            self.of.insert(step, last);
        }
    }

    /// A run has ended before it had seen all of a table.
    pub fn unfinished(&mut self, step: usize, rows: u32) {
        if self.stopped {
            return;
        }
        let last = self.of.entry(step).or_insert(Last::Unfinished(0.0));
        if let Last::Unfinished(sum) = last {
            *sum += f64::from(rows) + RUN;
        }
    }
}

impl QueryPlan {
    /// It answers the same whenever it is asked within a statement: no function of chance, no variable and no call, as far as is known.
    pub fn is_settled(&self) -> bool {
        match &self.body {
            Body::Block(b) => b.is_settled(),
            Body::Set { left, right, .. } => left.is_settled() && right.is_settled(),
            Body::Nested(q) => q.is_settled(),
            Body::Values(_) | Body::Json(_) | Body::Recursive(_) => false,
        }
    }
}

impl Block {
    /// The same of a block.
    pub fn is_settled(&self) -> bool {
        let b = self;
        let of_step = |s: &Step| {
            s.conds.iter().chain(s.after.iter().map(|(_, c)| c)).all(|c| !c.expr.varies())
        };
        let of_table = |t: &TableSlot| match &t.source {
            Source::Table(_) => true,
            Source::Derived(q) => q.is_settled(),
            Source::Virtual(..) | Source::Working(..) => false,
        };
        let sums =
            b.agg.iter().flat_map(|a| a.keys.iter().chain(a.specs.iter().flat_map(|(_, e)| e)));
        let shown = b.items.iter().chain(b.order.iter().map(|(e, _)| e)).chain(sums);
        let asked = b.gate.iter().chain(&b.having).map(|c| &c.expr);
        let sub =
            |s: &Sub| s.is_joined() || (s.is_query() && s.plan.iter().all(QueryPlan::is_settled));
        b.windows.is_empty()
            && b.drawn.exprs.is_empty()
            && shown.chain(asked).all(|e| !e.varies())
            && b.steps.iter().all(of_step)
            && b.tables.iter().all(of_table)
            && b.subs.iter().all(sub)
            && b.extremes.iter().flatten().all(QueryPlan::is_settled)
    }
}

/// Where a part of the plan stands in memory: a plan does not move while it runs.
pub fn place<T>(part: &T) -> usize {
    std::ptr::from_ref(part).addr()
}
