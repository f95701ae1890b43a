//! EXPLAIN FORMAT=TREE and EXPLAIN ANALYZE: a plan as the tree of what gives rows to what, with the words that MySQL has for it. Costs are left
//! out, for those of this optimizer compare with none of MySQL's.
//!
//! `access` is how one table is read, `join` how tables are joined, `block` what a block does with the rows of its tables; here are queries of several
//! blocks, and what all of it is written with.

mod access;
mod block;
mod join;

use crate::context::Reads;
use crate::query::expr::BExpr;
use crate::query::plan::change::{ChangePlan, What};
use crate::query::plan::insert::{InsertPlan, Rows};
use crate::query::plan::profile::Branch;
use crate::query::plan::{Block, Body, Cond, Limit, QueryPlan, Source};
use crate::query::print::expr::Scope;
use crate::query::print::{Note, below};
use crate::value::Value;
use std::sync::Arc;
use weir_syntax::ast::SetOp;

/// Makes the branches of plans.
pub struct Trees<'p> {
    note: Note<'p>,
    /// Common tables whose plans stand in the tree already, with the names of the tables that read them first.
    commons: Vec<(u32, Arc<str>)>,
    reads: Reads<'p>,
    /// The plan may run in batches.
    batches: bool,
}

/// The rows of several branches as those of one.
fn over(what: impl Into<String>, under: Vec<Branch>) -> Vec<Branch> {
    vec![Branch { under, ..Branch::new(what) }]
}

impl<'p> Trees<'p> {
    pub fn new(reads: Reads<'p>, params: &'p [Value<'static>], batches: bool) -> Trees<'p> {
        let mut note = Note::new(params);
        note.short = true;
        Trees { note, commons: Vec::new(), reads, batches }
    }

    /// What `write` writes, with the names of the blocks that are open.
    fn text(&mut self, write: impl FnOnce(&mut Note<'p>)) -> String {
        let before = std::mem::take(&mut self.note.out);
        write(&mut self.note);
        std::mem::replace(&mut self.note.out, before)
    }

    fn expr(&mut self, e: &BExpr) -> String {
        let before = std::mem::take(&mut self.note.out);
        self.note.expr(e);
        std::mem::replace(&mut self.note.out, before)
    }

    /// Conditions as one.
    fn all_of(&mut self, conds: &[&Cond]) -> String {
        let each: Vec<String> = conds.iter().map(|c| self.expr(&c.expr)).collect();
        match &each[..] {
            [one] => one.clone(),
            all => format!("({})", all.join(" and ")),
        }
    }

    /// The plan of a query, and behind it those of its subqueries that stand in no condition.
    pub fn query(&mut self, q: &'p QueryPlan, id: i64) -> Vec<Branch> {
        let rows = match &q.body {
            Body::Block(b) => return self.block(b, id),
            Body::Set { op, all, .. } => self.set((*op, *all), q, id),
            Body::Values(_) => over("Rows fetched before execution", Vec::new()),
            Body::Json(_) => over("Materialize table function", Vec::new()),
            Body::Recursive(_) => self.recursive(q, id),
            Body::Nested(inner) => self.query(inner, id),
        };
        self.note.scopes.push(Scope::columns(&q.columns));
        let rows = self.sorted(&q.order, q.limit.as_ref(), rows);
        self.note.scopes.pop();
        self.limited(q.limit.as_ref(), rows)
    }

    fn set(&mut self, by: (SetOp, bool), q: &'p QueryPlan, id: i64) -> Vec<Branch> {
        let mut parts = Vec::new();
        self.operands(by, q, id, &mut parts);
        let (name, title) = match by.0 {
            SetOp::Union if by.1 => return over("Append", parts),
            SetOp::Union => ("union", "Union"),
            SetOp::Intersect => ("intersect", "Intersect"),
            SetOp::Except => ("except", "Except"),
        };
        let unique = if by.1 { "" } else { " with deduplication" };
        let made = over(format!("{title} materialize{unique}"), parts);
        over(format!("Table scan on <{name} temporary>"), made)
    }

    /// The operands of one operator, whose left one may be of the same operator.
    fn operands(&mut self, by: (SetOp, bool), q: &'p QueryPlan, id: i64, parts: &mut Vec<Branch>) {
        match &q.body {
            Body::Set { op, all, left, right } if (*op, *all) == by => {
                let plain = left.order.is_empty() && left.limit.is_none();
                match plain {
                    true => self.operands(by, left, id, parts),
                    false => parts.extend(self.query(left, id)),
                }
                let streams = matches!(by, (SetOp::Union, true));
                let right = self.query(right, id + 1 + below(left));
                parts.extend(if streams { over("Stream results", right) } else { right });
            }
            _ => {
                let one = self.query(q, id);
                let streams = matches!(by, (SetOp::Union, true));
                parts.extend(if streams { over("Stream results", one) } else { one });
            }
        }
    }

    /// The seed of a recursive table and what is repeated.
    fn recursive(&mut self, q: &'p QueryPlan, id: i64) -> Vec<Branch> {
        let Body::Recursive(r) = &q.body else { return Vec::new() };
        let mut parts = self.query(&r.seed, id);
        let mut steps = Vec::new();
        for step in &r.steps {
            steps.extend(self.query(step, id));
        }
        parts.extend(over("Repeat until convergence", steps));
        let unique = if r.all { "" } else { " with deduplication" };
        over(format!("Materialize recursive CTE {}{unique}", r.name), parts)
    }

    fn sorted(
        &mut self,
        order: &[(BExpr, bool)],
        limit: Option<&Limit>,
        rows: Vec<Branch>,
    ) -> Vec<Branch> {
        if order.is_empty() {
            return rows;
        }
        let by = order.iter().map(|(e, descending)| {
            let name = self.expr(e);
            if *descending { format!("{name} DESC") } else { name }
        });
        let by = by.collect::<Vec<_>>().join(", ");
        let few = match limit {
            Some(l) => format!(", limit input to {} row(s) per chunk", self.reach(l)),
            None => String::new(),
        };
        over(format!("Sort: {by}{few}"), rows)
    }

    /// How many rows a LIMIT looks at.
    fn reach(&mut self, limit: &Limit) -> String {
        let numbers =
            (limit.offset.as_ref().map(|e| self.constant(e)), self.constant(&limit.count));
        match numbers {
            (None, count) => count,
            (Some(skipped), count) => match (skipped.parse::<u64>(), count.parse::<u64>()) {
                (Ok(a), Ok(b)) => a.saturating_add(b).to_string(),
                _ => format!("({skipped} + {count})"),
            },
        }
    }

    fn constant(&mut self, e: &BExpr) -> String {
        self.note.scopes.push(Scope::nothing());
        let text = self.expr(e);
        self.note.scopes.pop();
        text
    }

    fn limited(&mut self, limit: Option<&Limit>, rows: Vec<Branch>) -> Vec<Branch> {
        let Some(limit) = limit else { return rows };
        let count = self.constant(&limit.count);
        let what = match &limit.offset {
            Some(offset) => format!("Limit/Offset: {count}/{} row(s)", self.constant(offset)),
            None => format!("Limit: {count} row(s)"),
        };
        over(what, rows)
    }

    pub fn insert(&mut self, p: &'p InsertPlan) -> Vec<Branch> {
        let verb = if p.replace { "Replace" } else { "Insert" };
        let rows = match &p.rows {
            Rows::Query(q) => self.query(q, 1),
            Rows::Values(_) => over("Rows fetched before execution", Vec::new()),
            Rows::File(_) => Vec::new(),
        };
        over(format!("{verb} into {}", p.table.name()), rows)
    }

    pub fn change(&mut self, p: &'p ChangePlan) -> Vec<Branch> {
        let mut targets: Vec<usize> = match &p.what {
            What::Update(assigns) => assigns.iter().map(|a| a.table).collect(),
            What::Delete(targets) => targets.clone(),
        };
        targets.dedup();
        let names = targets.iter().map(|t| p.block.tables[*t].alias.to_string());
        let names = names.collect::<Vec<_>>().join(", ");
        let what = match p.what {
            What::Update(_) => format!("Update {names}"),
            What::Delete(_) => format!("Delete from {names}"),
        };
        self.open(&p.block, 1);
        let mut rows = self.rows(&p.block);
        rows = self.sorted(&p.order, p.limit.as_ref(), rows);
        self.note.scopes.pop();
        over(what, self.limited(p.limit.as_ref(), rows))
    }

    /// The queries that conditions ask.
    fn subqueries(&mut self, conds: &[&Cond]) -> Vec<Branch> {
        let numbers: Vec<usize> = conds.iter().flat_map(|c| &c.subs).map(|n| *n as usize).collect();
        numbers.into_iter().flat_map(|n| self.subquery(n, "condition")).collect()
    }

    fn subquery(&mut self, n: usize, place: &str) -> Vec<Branch> {
        let Some((sub, id)) = self.note.scopes.last().and_then(|s| s.subs.get(n)).copied() else {
            return Vec::new();
        };
        let Some(q) = sub.plan.as_ref().filter(|_| sub.is_query()) else { return Vec::new() };
        let how = match (sub.draws, sub.correlated) {
            (true, _) => "uncacheable",
            (false, true) => "dependent",
            (false, false) => "run only once",
        };
        let under = self.query(q, id);
        over(format!("Select #{id} (subquery in {place}; {how})"), under)
    }

    /// How a derived table is made. `of`: the block's names are open.
    fn made(&mut self, b: &'p Block, table: usize) -> Vec<Branch> {
        let slot = &b.tables[table];
        let Source::Derived(q) = &slot.source else { return Vec::new() };
        let id = self.note.scopes.last().and_then(|s| s.derived.get(table)).copied().unwrap_or(0);
        if let Some(n) = slot.common {
            if let Some((_, name)) = self.commons.iter().find(|(known, _)| *known == n) {
                let what =
                    format!("Materialize CTE {name} if needed (query plan printed elsewhere)");
                return over(what, Vec::new());
            }
            let name = match &q.body {
                Body::Recursive(r) => r.name.clone(),
                _ => slot.alias.clone(),
            };
            self.commons.push((n, name));
        }
        let mut rows = self.query(q, id);
        // Its rows are put into one table, whose key they are.
        let unique =
            |b: &Branch| b.under.first().is_some_and(|u| u.what.ends_with("deduplication"));
        if slot.of_in && rows.len() == 1 && unique(&rows[0]) {
            rows = rows.remove(0).under.remove(0).under;
        }
        if matches!(&q.body, Body::Json(_) | Body::Recursive(_)) {
            return rows;
        }
        let what = match (slot.common, slot.lateral, slot.of_in) {
            (Some(_), ..) => format!("Materialize CTE {} if needed", slot.alias),
            (None, Some(of), _) => {
                let from = (0..b.tables.len()).filter(|t| of & (1 << t) != 0);
                let names: Vec<&str> = from.map(|t| &*b.tables[t].alias).collect();
                format!("Materialize (invalidate on row from {})", names.join(", "))
            }
            (None, None, true) => "Materialize with deduplication".into(),
            (None, None, false) => "Materialize".into(),
        };
        over(what, rows)
    }
}
