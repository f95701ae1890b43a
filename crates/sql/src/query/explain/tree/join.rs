//! Joins as branches of the tree: the steps of a block from left to right, and outer joins around runs of them.

use super::Trees;
use crate::query::plan::profile::{Branch, Part, place};
use crate::query::plan::{Access, Block, Cond, KeptBy, Step};

impl<'p> Trees<'p> {
    /// The join of the steps from `from` to `to`, the inner side of the outer join `of` if there is one. `begun`: how many of the outer joins that
    /// begin with the first step are around all of them.
    pub(super) fn join(
        &mut self,
        b: &'p Block,
        (from, to): (usize, usize),
        of: Option<usize>,
        begun: usize,
    ) -> Branch {
        let mut tree: Option<Branch> = None;
        let mut at = from;
        while at <= to {
            let begun = if at == from { begun } else { 0 };
            let inner = b.steps[at].begins.get(begun).copied();
            let last = inner.map_or(at, |g| b.groups[g].last);
            let right = match inner {
                Some(g) => self.join(b, (at, last), Some(g), begun + 1),
                None => self.step(b, at),
            };
            let mut joined = match tree.take() {
                Some(left) => self.joined(b, left, (at, last), inner.is_some(), right),
                None => right,
            };
            let is_anti = self.is_anti(b, at, inner);
            let late = b.steps[last].after.iter().filter(|(around, _)| *around == of);
            let late: Vec<&Cond> = late.map(|(_, c)| c).collect();
            if !is_anti && !late.is_empty() {
                let what = format!("Filter: {}", self.all_of(&late));
                let subs = self.subqueries(&late);
                joined = Branch { under: [vec![joined], subs].concat(), ..Branch::new(what) };
            }
            tree = Some(joined);
            at = last + 1;
        }
        tree.unwrap_or_else(|| Branch::new("Rows fetched before execution"))
    }

    /// Whether the rows of a table are looked for in order to refuse those that have one.
    fn is_anti(&self, b: &Block, at: usize, group: Option<usize>) -> bool {
        group.is_some_and(|g| b.groups[g].first == b.groups[g].last)
            && (b.steps[at].anti
                || (b.tables[b.steps[at].table].of_in && !b.steps[at].after.is_empty()))
    }

    /// A join of the rows so far with those of some steps.
    fn joined(
        &mut self,
        b: &'p Block,
        left: Branch,
        (at, last): (usize, usize),
        outer: bool,
        right: Branch,
    ) -> Branch {
        let step = &b.steps[at];
        let group = outer.then(|| step.begins.first().copied()).flatten();
        let kind = match (self.is_anti(b, at, group), outer) {
            (true, _) => "antijoin",
            (false, true) => "left join",
            (false, false) => "inner join",
        };
        let rows = b.steps[last].joined;
        let part = Some((place(&b.steps[last]), Part::Joined));
        let what = match &step.kept {
            Some(kept) if at == last => {
                let under = vec![left, Branch { under: vec![right], ..Branch::new("Hash") }];
                let what = self.hash_join(b, step, kept, kind);
                return Branch { what, rows, part, under };
            }
            _ => format!("Nested loop {kind}"),
        };
        Branch { what, rows, part, under: vec![left, right] }
    }

    /// The name of a hash join, with what its rows are found by and what is looked at then.
    fn hash_join(&mut self, b: &'p Block, step: &Step, kept: &KeptBy, kind: &str) -> String {
        let name = match kind {
            "antijoin" => "Hash antijoin",
            "left join" => "Left hash join",
            _ => "Inner hash join",
        };
        let equal: Vec<&Cond> = step.conds.iter().filter(|c| c.equated).collect();
        let by = match (equal.is_empty(), kept.is_hashed()) {
            (false, _) => {
                let each: Vec<String> = equal.iter().map(|c| self.expr(&c.expr)).collect();
                each.join(", ")
            }
            (true, true) => self.hashed_by(b, step),
            (true, false) => "(no condition)".into(),
        };
        let rest = step.conds.iter().filter(|c| !c.early && !c.equated);
        let rest: Vec<&Cond> = rest.collect();
        match rest.is_empty() {
            true => format!("{name} {by}"),
            false => format!("{name} {by}, extra conditions: {}", self.all_of(&rest)),
        }
    }

    /// What the rows of a hash join are found by, where the conditions do not say so themselves.
    fn hashed_by(&mut self, b: &'p Block, step: &Step) -> String {
        let Some(kept) = &step.kept else { return String::new() };
        let mut all = Vec::new();
        for (col, _, e) in &kept.equal {
            let column = self.text(|n| n.column_of(0, step.table, usize::from(*col)));
            all.push(format!("({column} = {})", self.expr(e)));
        }
        for (own, _, e) in &kept.computed {
            all.push(format!("({} = {})", self.expr(own), self.expr(e)));
        }
        debug_assert!(step.table < b.tables.len());
        all.join(", ")
    }

    /// The rows of one step: its table, and what of its conditions is looked at there.
    fn step(&mut self, b: &'p Block, at: usize) -> Branch {
        let step = &b.steps[at];
        let read = self.read(b, step);
        let kept = step.kept.is_some() && at > 0;
        let conds = step.conds.iter().filter(|c| !c.equated && (c.early || !kept));
        let mut conds: Vec<&Cond> = conds.collect();
        let searched = !matches!(step.access, Access::Scan { .. } | Access::Mem { .. });
        conds.retain(|c| !(searched && c.implied));
        if conds.is_empty() {
            return read;
        }
        let what = format!("Filter: {}", self.all_of(&conds));
        let under = [vec![read], self.subqueries(&conds)].concat();
        let part = Some((place(step), Part::Passed));
        Branch { what, rows: step.rows * step.share, part, under }
    }
}
