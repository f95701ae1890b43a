//! What a block does with the rows of its tables: groups, HAVING, windows, DISTINCT, order and LIMIT, from the inside out.

use super::{Trees, over};
use crate::query::explain::never::why_empty;
use crate::query::plan::profile::Branch;
use crate::query::plan::{Access, Aggregation, Block, Cond, Window};
use crate::query::print::numbered;

impl<'p> Trees<'p> {
    /// Opens the names of a block; they are closed by `self.note.scopes.pop()`.
    pub(super) fn open(&mut self, b: &'p Block, id: i64) {
        use crate::query::print::expr::Scope;
        self.note.scopes.push(numbered(Scope::block(b), b, id));
    }

    /// The plan of a block, and behind it those of the subqueries of its items.
    pub(super) fn block(&mut self, b: &'p Block, id: i64) -> Vec<Branch> {
        self.open(b, id);
        if let Some(why) = why_empty(b, self.reads, self.note.params) {
            self.note.scopes.pop();
            let what = match b.agg.as_ref().is_some_and(|a| a.implicit) && b.having.is_none() {
                true => format!("Zero input rows ({why}), aggregated into one output row"),
                false => format!("Zero rows ({why})"),
            };
            return over(what, Vec::new());
        }
        let mut rows = self.rows(b);
        if let Some(agg) = &b.agg
            && b.extremes.is_none()
        {
            rows = self.grouped(b, agg, rows);
        }
        if let Some(having) = &b.having {
            rows = self.filtered(&[having], rows);
        }
        for window in &b.windows {
            rows = self.windowed(b, window, rows);
        }
        if b.distinct {
            rows = self.distinct(b, rows);
        }
        rows = self.sorted(&b.order, b.limit.as_ref(), rows);
        rows = self.limited(b.limit.as_ref(), rows);
        for n in &b.item_subs {
            rows.extend(self.subquery(*n as usize, "projection"));
        }
        self.note.scopes.pop();
        rows
    }

    /// The rows of the tables together, under the conditions without a table.
    pub(super) fn rows(&mut self, b: &'p Block) -> Vec<Branch> {
        if let Some(why) = why_empty(b, self.reads, self.note.params) {
            return over(format!("Zero rows ({why})"), Vec::new());
        }
        let rows = match b.steps.len() {
            0 => over("Rows fetched before execution", Vec::new()),
            n => vec![self.join(b, (0, n - 1), None, 0)],
        };
        match b.gate.is_empty() {
            true => rows,
            false => self.filtered(&b.gate.iter().collect::<Vec<_>>(), rows),
        }
    }

    fn filtered(&mut self, conds: &[&Cond], rows: Vec<Branch>) -> Vec<Branch> {
        let what = format!("Filter: {}", self.all_of(conds));
        let subs = self.subqueries(conds);
        over(what, [rows, subs].concat())
    }

    fn grouped(&mut self, b: &'p Block, agg: &'p Aggregation, rows: Vec<Branch>) -> Vec<Branch> {
        let calls = (0..agg.specs.len()).map(|n| self.text(|note| note.aggregate(0, n)));
        let calls = calls.collect::<Vec<_>>().join(", ");
        if agg.keys.is_empty() {
            return over(format!("Aggregate: {calls}"), rows);
        }
        let loose = b.steps.first().is_some_and(|s| matches!(s.access, Access::Loose { .. }));
        let name = match (b.together.rows || loose, agg.has_supers()) {
            (true, true) => "Group aggregate with rollup",
            (true, false) if calls.is_empty() => "Group",
            (true, false) => "Group aggregate",
            (false, supers) => {
                let how = if supers { " with rollup" } else { "" };
                let made = over(format!("Aggregate using temporary table{how}"), rows);
                return over("Table scan on <temporary>", made);
            }
        };
        match calls.is_empty() {
            true => over(format!("{name} (no aggregates)"), rows),
            false => over(format!("{name}: {calls}"), rows),
        }
    }

    fn windowed(&mut self, b: &'p Block, w: &'p Window, rows: Vec<Branch>) -> Vec<Branch> {
        let first = b.agg.as_ref().map_or(0, Aggregation::width) + b.drawn.exprs.len();
        let calls = w.calls.iter().map(|c| self.text(|note| note.aggregate(0, first + c.at)));
        let calls = calls.collect::<Vec<_>>().join(", ");
        let partition = w.partition.iter().map(|e| (e.clone(), false));
        let by: Vec<_> = partition.chain(w.order.iter().cloned()).collect();
        let rows = self.sorted(&by, None, rows);
        over(format!("Window aggregate: {calls}"), rows)
    }

    fn distinct(&mut self, b: &'p Block, rows: Vec<Branch>) -> Vec<Branch> {
        let loose = b.steps.first().is_some_and(|s| matches!(s.access, Access::Loose { .. }));
        if b.agg.is_none() && b.windows.is_empty() && (loose || b.together.rows) {
            let names = b.items.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ");
            return match loose {
                true => rows,
                false => over(format!("Remove duplicates from input grouped on {names}"), rows),
            };
        }
        over("Table scan on <temporary>", over("Temporary table with deduplication", rows))
    }
}
