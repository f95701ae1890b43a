//! Which indexes EXPLAIN names as possible: those whose first column stands in a condition that a search could be made by, whichever access
//! is chosen. As in MySQL one branch of an OR is enough, and so is a comparison that no search is made by here (`<>`, NOT IN).

use super::Optimizer;
use super::anew::is_drawn;
use crate::func::facts::Id;
use crate::query::expr::{BExpr, ColRef, Node, Truth};
use crate::query::plan::Source;
use crate::value::Value;

impl Optimizer<'_> {
    pub fn possible(&self, t: usize) -> Box<[usize]> {
        let Source::Table(table) = &self.b.tables[t].source else { return Box::default() };
        let allowed = |i: &usize| self.raw.usable[t].as_ref().is_none_or(|u| u.contains(i));
        let mut columns = Vec::new();
        let around = self.raw.groups.iter().filter(|g| g.tables & (1 << t) != 0);
        let on = around.flat_map(|g| &g.on);
        self.raw.conds.iter().chain(on).for_each(|c| self.searched(c, t, &mut columns));
        let indexes = &table.engine.def.indexes;
        let first = |i: &usize| indexes[*i].parts.first().map(|p| p.col as u16);
        let is_possible = |i: &usize| {
            table.sql_index(*i).is_some()
                && allowed(i)
                && first(i).is_some_and(|c| columns.contains(&c))
        };
        let mut all: Vec<usize> = (0..indexes.len()).filter(is_possible).collect();
        for l in self.raw.listed.iter().filter(|l| usize::from(l.table) == t) {
            let over = self.indexes_over(t, table, l.col).into_iter();
            all.extend(over.filter(|i| first(i) == Some(l.col)));
        }
        all.sort_unstable();
        all.dedup();
        all.into()
    }

    /// Adds the columns of table `t` that a condition could be a search of.
    fn searched(&self, cond: &BExpr, t: usize, columns: &mut Vec<u16>) {
        let own = |e: &BExpr| match e.node {
            Node::Col(ColRef { depth: 0, table, col }) if usize::from(table) == t => Some(col),
            _ => None,
        };
        let given = |e: &BExpr| {
            self.tables_of(e) & (1 << t) == 0 && !e.has_agg() && !is_drawn(e, self.b, self.raw)
        };
        match &cond.node {
            Node::And(list) | Node::Or(list) => {
                list.iter().for_each(|c| self.searched(c, t, columns));
            }
            Node::Not(c) => self.searched(c, t, columns),
            Node::Cmp { a, b, .. } => {
                columns.extend(own(a).filter(|_| given(b)));
                columns.extend(own(b).filter(|_| given(a)));
            }
            Node::In { left, list, .. } if list.iter().any(|(_, e)| given(e)) => {
                columns.extend(own(left));
            }
            Node::Is { expr, test: Truth::Null, .. } => columns.extend(own(expr)),
            Node::Func(def, args) if def.id == Id::Like => {
                let searches = given(&args[1]) && !self.begins_with_anything(&args[1]);
                columns.extend(own(&args[0]).filter(|_| searches));
            }
            _ => columns.extend(own(cond)),
        }
    }

    /// A pattern that no text is ruled out by its beginning for.
    fn begins_with_anything(&self, pattern: &BExpr) -> bool {
        let value = match &pattern.node {
            Node::Const(v) => Some(v),
            Node::Param(n) => self.env.params.get(*n as usize),
            Node::Collate(_, e) | Node::Adapted(_, e) => return self.begins_with_anything(e),
            _ => None,
        };
        let text = value.and_then(Value::to_string_lossy);
        text.is_some_and(|t| t.starts_with(['%', '_']))
    }
}
