//! Views and derived tables that only join, pick rows and pick columns are merged: their tables stand in the block in their place, so that
//! indexes are used for what the block asks, tables are joined in the best order, and rows of a view can be changed. Any other is
//! read as a whole into a derived table.
//!
//! Invariants:
//! - The tables of a merged query are slots of the block, one behind the other from [`Merged::first`] on. The scope has an entry for each: the
//!   first has the query's name and columns, the others have none, so that numbers of slots and of entries are the same.
//! - A merged column is an expression over those slots that gives the same value for a row whenever the statement asks: it draws
//!   nothing and reads no user variable. What is the same for the whole statement (NOW(), USER() and their like) may be called.
//! - A merged column may have a subquery or a call of a stored function. Names within other subqueries do not find such a column:
//!   the statement is then bound again without these merges ([`Binder::met_sub_column`]). Where rows are changed through a view, such
//!   a subquery reads nothing around it.
//! - A query that does not fit leaves nothing behind in the block.

use super::scope::{Merged, Scope, ScopeColumn, ScopeTable, ViewOf};
use super::select::split_and;
use super::{Bind, Binder};
use crate::planted::{self, Bug};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::raw::Raw;
use crate::query::plan::{OutColumn, Source, Sub, TableSlot};
use std::sync::Arc;
use weir_syntax::ast::{self, QueryBody, SelectItem, TableRef, ViewCheck};

/// Queries of a statement that are bound for a merge and do not fit after all. Each is bound once more, and those within it again; so this bounds
/// the work for queries that are nested deep.
const MAX_FAILURES: u32 = 12;

/// Tables of a block that a query may be merged with: others come behind it, and there is a limit to all together.
const MAX_WIDTH: usize = 32;

/// The block that takes a query's tables in.
pub struct Place<'p> {
    /// The inner side of an outer join that the query is in.
    pub group: Option<usize>,
    pub raw: &'p mut Raw,
    pub tables: &'p mut Vec<TableSlot>,
}

/// A query that was merged.
pub struct Parts {
    /// Its columns, over the slots of the block.
    pub items: Vec<BExpr>,
    pub columns: Vec<OutColumn>,
    /// What WITH CHECK OPTION asks of rows that are written.
    pub check: Vec<BExpr>,
    /// What it is sorted by.
    order: Vec<(BExpr, bool)>,
    /// The names of its tables, by slot.
    pub scope: Scope,
    pub first: usize,
    pub width: usize,
    /// Subqueries of the block before those of the query.
    known_subs: usize,
}

/// What the block was like, for a query that does not fit.
struct Before {
    conds: usize,
    on: Option<usize>,
    groups: usize,
    forced: u64,
    straight: bool,
    tables: usize,
    subs: usize,
    references: usize,
    deprecated: usize,
    expansions: u32,
    depth: usize,
}

impl Before {
    fn of(b: &Binder<'_>, at: &Place<'_>) -> Before {
        Before {
            conds: at.raw.conds.len(),
            on: at.group.map(|g| at.raw.groups[g].on.len()),
            groups: at.raw.groups.len(),
            forced: at.raw.forced,
            straight: at.raw.straight,
            tables: at.tables.len(),
            subs: b.top().subs.len(),
            references: b.references.len(),
            deprecated: b.deprecated.len(),
            expansions: b.effort.expansions(),
            depth: b.depth,
        }
    }

    /// The block as if nothing had been bound.
    fn restore(&self, b: &mut Binder<'_>, at: &mut Place<'_>) {
        let raw = &mut *at.raw;
        at.tables.truncate(self.tables);
        raw.group_of.truncate(self.tables);
        raw.usable.truncate(self.tables);
        raw.behind.truncate(self.tables);
        raw.conds.truncate(self.conds);
        raw.groups.truncate(self.groups);
        if let (Some(g), Some(n)) = (at.group, self.on) {
            raw.groups[g].on.truncate(n);
        }
        let known = (1u64 << self.tables) - 1;
        raw.groups.iter_mut().for_each(|g| g.tables &= known);
        (raw.forced, raw.straight) = (self.forced, self.straight);
        b.top_mut().subs.truncate(self.subs);
        b.top_mut().sub_texts.retain(|_, at| (*at as usize) < self.subs);
        b.references.truncate(self.references);
        b.deprecated.truncate(self.deprecated);
        b.effort.forget_expansions(self.expansions);
    }
}

impl Binder<'_> {
    /// Puts the query's tables into the block; `None`, and nothing done, where that does not go.
    pub fn merge(
        &mut self,
        query: &ast::Query,
        checked: ViewCheck,
        at: &mut Place<'_>,
    ) -> Bind<Option<Parts>> {
        let Some(select) = picks_only(query) else { return Ok(None) };
        if self.failed_merges > MAX_FAILURES {
            return Ok(None);
        }
        let before = Before::of(self, at);
        let subs = std::mem::take(&mut self.top_mut().subs);
        self.deeper()?;
        let (bound, subs) = self.isolated(|b| b.bind_parts(select, query, checked, at, subs));
        self.depth = before.depth;
        self.top_mut().subs = subs;
        if let (true, Err(e)) = (self.effort.is_over(), &bound) {
            return Err(e.clone());
        }
        // It may name columns of the blocks around, or have too many tables for one join: what is wrong tells anyone who binds it as it is.
        let bound = bound.unwrap_or_default();
        let plain = |e: &BExpr| matches!(e.node, Node::Col(_));
        let fits = |p: &Parts| {
            // A missing row of an outer join has NULL for every column, whatever an expression makes of it.
            (at.group.is_none() || p.items.iter().all(plain))
                && at.raw.straight == before.straight
                && at.tables.len() <= MAX_WIDTH
                && self.references.len() == before.references
        };
        let bound = bound.filter(fits);
        if bound.is_none() {
            self.failed_merges += 1;
            before.restore(self, at);
        }
        Ok(bound)
    }

    /// The query's columns over the block's slots, and its conditions among those of the block; with the subqueries of the block. `None`
    /// where it does more than to pick.
    pub fn bind_parts(
        &mut self,
        select: &ast::Select,
        query: &ast::Query,
        checked: ViewCheck,
        at: &mut Place<'_>,
        subs: Vec<Sub>,
    ) -> (Bind<Option<Parts>>, Vec<Sub>) {
        let (first, known) = (at.tables.len(), subs.len());
        // Names stand at the number of their slot; those of the block around are not seen. Its subqueries go before those of this
        // query, so that each has the number that it will have in the block.
        self.enter(Scope::of((0..first).map(|_| ScopeTable::unseen(None))));
        self.top_mut().subs = subs;
        self.top_mut().agg_ok = true;
        let bound = self.bind_inner(select, query, checked, at, first);
        let ctx = self.leave();
        // These are worked out by a block of the query's own, over all of its rows; and a search reads a table for itself.
        let whole = ctx.aggs.is_empty()
            && ctx.windows.is_empty()
            && ctx.groupings.is_empty()
            && ctx.subs[known..].iter().all(Sub::is_query_or_stored_call);
        let (scope, width) = (ctx.scope, at.tables.len() - first);
        let parts = bound.map(|bound| {
            let (items, columns, check, order) = bound.filter(|_| whole && width > 0)?;
            Some(Parts { items, columns, check, order, scope, first, width, known_subs: known })
        });
        (parts, ctx.subs)
    }

    #[expect(clippy::type_complexity, reason = "the parts of Parts, before the scope is left")]
    fn bind_inner(
        &mut self,
        select: &ast::Select,
        query: &ast::Query,
        checked: ViewCheck,
        at: &mut Place<'_>,
        first: usize,
    ) -> Bind<Option<(Vec<BExpr>, Vec<OutColumn>, Vec<BExpr>, Vec<(BExpr, bool)>)>> {
        let group = at.group;
        let before = group.map_or(at.raw.conds.len(), |g| at.raw.groups[g].on.len());
        for t in &select.from {
            self.from(t, group, at.raw, at.tables)?;
        }
        let fills = std::mem::take(&mut self.fills_view);
        let mut conds = Vec::new();
        self.place("where clause");
        if let Some(w) = &select.where_ {
            let e = self.numeric(w)?;
            split_and(e, &mut conds);
        }
        self.place("field list");
        let (mut items, mut columns) = (Vec::new(), Vec::new());
        let known = fills.then(|| self.uses.clone());
        for item in &select.items {
            self.item(item, &mut items, &mut columns)?;
        }
        if let Some(known) = known {
            self.uses = known;
        }
        self.place("order clause");
        self.top_mut().aliases =
            columns.iter().zip(&items).map(|(c, e)| (c.name.clone(), e.clone())).collect();
        let mut order = Vec::new();
        for o in &query.order_by {
            let e = match &o.expr {
                ast::Expr::Literal(ast::Literal::Int(n)) => {
                    items[super::select::position(*n, items.len(), "order clause")?].clone()
                }
                e => self.scalar(e)?,
            };
            order.push((e, o.descending));
        }
        let settled = items.iter().all(|e| self.is_lasting(e));
        let sets = |e: &BExpr| e.any(|n| matches!(n, Node::Assign(..)));
        if !settled || !order.iter().all(|(e, _)| is_settled(e)) || conds.iter().any(sets) {
            return Ok(None);
        }
        let among = match group {
            Some(g) => &mut at.raw.groups[g].on,
            None => &mut at.raw.conds,
        };
        let mut check = match checked {
            // A view without the option still asks what those under it ask.
            ViewCheck::None | ViewCheck::Local => {
                let entries = self.top().scope.tables.iter().enumerate().skip(first);
                let owners =
                    entries.filter_map(|(n, t)| t.merged.as_ref().filter(|m| m.first == n));
                owners.flat_map(|m| m.check.iter().cloned()).collect()
            }
            ViewCheck::Cascaded => among[before..].to_vec(),
        };
        if checked != ViewCheck::None {
            check.extend(conds.iter().cloned());
        }
        if planted::is(Bug::MergeForgetsCondition) {
            conds.pop();
        }
        among.extend(conds);
        Ok(Some((items, columns, check, order)))
    }

    /// Whether a column may be one of a merged query.
    fn is_lasting(&self, e: &BExpr) -> bool {
        let mut subs = Vec::new();
        e.subs(&mut subs);
        let known = &self.top().subs;
        let alone = |n: &u32| {
            let sub = &known[*n as usize];
            sub.is_query() && !sub.correlated
        };
        let fits = match self.finds_targets {
            true => subs.iter().all(alone),
            false => subs.is_empty() || self.merges_subqueries,
        };
        let drawn = |n: &u32| known[*n as usize].is_query() && known[*n as usize].draws;
        fits && is_same_for_a_row(e) && !subs.iter().any(drawn)
    }

    /// Gives the tables of a merged query their names in the block: those of the query.
    pub fn name_merged(
        &mut self,
        parts: Parts,
        name: (Arc<str>, Arc<str>),
        columns: Vec<ScopeColumn>,
        view: Option<ViewOf>,
        at: &mut Place<'_>,
    ) -> Bind<()> {
        let (schema, alias) = name;
        self.refuse_twin(&schema, &alias)?;
        let slots = &mut at.tables[parts.first..];
        for slot in &mut *slots {
            match &view {
                Some(_) => slot.through = Some(alias.clone()),
                None => slot.nested = true,
            }
        }
        // As in MySQL a view of one table that a subquery of it reads, too, is read only.
        let read_only = reads_itself(slots, &self.top().subs[parts.known_subs..]);
        let base = |slot: &TableSlot| match &slot.source {
            Source::Table(t) if !slot.nested && !read_only => Some(t.clone()),
            _ => None,
        };
        let bases = slots.iter().map(base).collect();
        let Parts { items, check, order, first, width, .. } = parts;
        let merged = Arc::new(Merged { items, first, bases, view, check, one_of_several: false });
        let names = ScopeTable { schema, alias, columns, ..ScopeTable::unseen(Some(&merged)) };
        self.top_mut().scope.push(names);
        for _ in 1..width {
            self.top_mut().scope.push(ScopeTable::unseen(Some(&merged)));
        }
        // The order of a query that is all that a block reads is the block's, if it has none.
        self.top_mut().inherited = if first == 0 { order } else { Vec::new() };
        Ok(())
    }
}

/// A query that joins, picks rows and picks columns, and does nothing else. It may be sorted.
pub fn picks_only(q: &ast::Query) -> Option<&ast::Select> {
    let QueryBody::Select(s) = &q.body else { return None };
    let plain = q.with.is_none()
        && q.limit.is_none()
        && q.locking.is_empty()
        && q.into.is_none()
        && !s.options.distinct
        // Of one table there is one order.
        && (!s.options.straight_join || matches!(s.from[..], [TableRef::Table(_)]))
        && !s.options.calc_found_rows
        && s.hints.is_none()
        && s.group_by.is_empty()
        && !s.rollup
        && s.having.is_none()
        && s.windows.is_empty();
    (plain && !s.from.is_empty()).then_some(s)
}

/// A value that may be asked for again, and is the same then.
fn is_settled(e: &BExpr) -> bool {
    e.has_no_subs() && is_same_for_a_row(e)
}

/// Asked twice in one statement it gives the same, as far as functions and variables go.
fn is_same_for_a_row(e: &BExpr) -> bool {
    !e.draws() && !e.reads_variables()
}

/// Puts the columns that `*` stood for in its place, operand by operand.
pub fn write_out(body: &mut QueryBody, found: &mut impl Iterator<Item = Vec<SelectItem>>) {
    match body {
        QueryBody::Select(s) => {
            let items = std::mem::take(&mut s.items);
            for item in items {
                match item {
                    SelectItem::Wildcard { .. } => s.items.extend(found.next().unwrap_or_default()),
                    other => s.items.push(other),
                }
            }
        }
        QueryBody::SetOp { left, right, .. } => {
            write_out(left, found);
            write_out(right, found);
        }
        QueryBody::Nested(q) => write_out(&mut q.body, found),
        QueryBody::Values(_) | QueryBody::Table(_) => {}
    }
}

/// A view whose FROM has a query of its own is read only.
pub fn reads_tables_only(t: &TableRef) -> bool {
    match t {
        TableRef::Table(_) => true,
        TableRef::Derived { .. } | TableRef::JsonTable(_) => false,
        TableRef::List(list) => list.iter().all(reads_tables_only),
        TableRef::Join(j) => reads_tables_only(&j.left) && reads_tables_only(&j.right),
    }
}

/// The only table is read by a subquery, too.
pub fn reads_itself(tables: &[TableSlot], subs: &[Sub]) -> bool {
    match tables {
        [TableSlot { source: Source::Table(t), .. }] => {
            subs.iter().any(|s| s.reader(t, None).is_some())
        }
        _ => false,
    }
}
