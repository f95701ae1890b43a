//! Access and join order by estimated cost. Fills in the steps of every block of a query.
//!
//! `searches` finds which searches the conditions allow in an index, `possible` which of all indexes they could be searches of, `again` what
//! answers again for each row, `selectivity` what conditions leave as far as histograms tell, `order` the order of the tables, `extreme` MIN and
//! MAX from an index, `distinct` DISTINCT that tells nothing apart, `together` what comes in the order of groups, `skip` searches behind the first parts of an index, `multi_valued` searches by the elements of lists, `by_key` derived tables that are made for each row around, `semijoin` queries of conditions that are read whole although an index serves them, `seen` which columns are looked at, `batches` which blocks are read by the leaf. May use plans, `ranges` for estimates, and the engine's statistics, which may look into
//! an index to count a range.
//!
//! Invariant: every condition of a block stands at some step. One that the step's own access makes true is marked as `implied`; it is looked
//! at all the same where the range turns out not to be exact.

mod anew;
mod anti;
mod batches;
mod by_key;
mod distinct;
mod extreme;
pub mod guards;
mod index_merge;
mod loose;
mod matches;
mod multi_valued;
mod order;
mod ordered;
mod possible;
pub mod rewrite;
mod searches;
mod seen;
mod selectivity;
mod semijoin;
mod skip;
mod together;

use crate::context::VirtualHint;
use crate::meta::SqlTable;
use crate::query::bind::must_go_on;
use crate::query::expr::keyed::Keyed;
use crate::query::expr::usable::{Usable, usable};
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::env::PlanEnv;
use crate::query::plan::key::{Key, Search, key_length};
use crate::query::plan::pruning::Pruning;
use crate::query::plan::raw::Raw;
use crate::query::plan::watched::{Watched, differ};
use crate::query::plan::{
    Access, Block, Body, Cond, KeptBy, OuterGroup, Plan, QueryPlan, Source, Step, Sub,
};
use crate::session_api::SqlError;
use crate::vars::Var;
use crate::vars::switches::Switch;
use anew::is_drawn;
use extreme::extremes;
use searches::On;
use seen::{note_columns, read_by_entries};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Cost of reading a row in clustered order, and of finding a row through a secondary entry.
const ROW: f64 = 1.0;
const LOOKUP: f64 = 3.0;
/// What costs no more is not worth a search through several indexes.
const SMALL: f64 = 12.0;
/// The share of rows from which on a search by what is excluded is not one.
const MOSTLY: f64 = 0.75;
/// Descending a tree.
const DESCENT: f64 = 3.0;

pub type Done<'a> = Pin<Box<dyn Future<Output = Result<(), SqlError>> + Send + 'a>>;

pub fn query<'a>(plan: &'a mut QueryPlan, env: &'a PlanEnv<'_>) -> Done<'a> {
    Box::pin(async move {
        match &mut plan.body {
            Body::Block(b) => block(b, env).await,
            Body::Set { left, right, .. } => {
                query(left, env).await?;
                query(right, env).await
            }
            Body::Nested(q) => query(q, env).await,
            Body::Recursive(r) => {
                query(&mut r.seed, env).await?;
                for step in &mut r.steps {
                    query(step, env).await?;
                }
                Ok(())
            }
            Body::Json(j) => query(&mut j.source, env).await,
            Body::Values(_) => Ok(()),
        }
    })
}

/// Whether a plan that was made with other values is one for these as well, as far as the width of its searches and the memory of its sets tell.
pub async fn fits(plan: &Plan, env: &PlanEnv<'_>) -> bool {
    for w in &plan.watched {
        let fits = match w {
            Watched::Search { key, rows } => {
                let now = searches::estimate_now(key, env).await;
                now.is_none_or(|now| !differ(*rows, now))
            }
            Watched::Memory(most) => env.reads.vars.u64(Var::tmp_table_size) == *most,
        };
        if !fits {
            return false;
        }
    }
    true
}

pub async fn subs(subs: &mut [Sub], env: &PlanEnv<'_>) -> Result<(), SqlError> {
    for s in subs {
        if let Some(p) = &mut s.plan {
            query(p, env).await?;
        }
    }
    Ok(())
}

/// Chooses the steps of a block whose rows are shown, and no more.
pub async fn block(b: &mut Block, env: &PlanEnv<'_>) -> Result<(), SqlError> {
    steps(b, env, true).await?;
    read_by_entries(b);
    batches::mark(b);
    Ok(())
}

/// Chooses the steps of a block whose rows are changed: they are needed as a whole, and what a change looks at in the other tables is
/// not in the block.
pub async fn block_to_change(b: &mut Block, env: &PlanEnv<'_>) -> Result<(), SqlError> {
    steps(b, env, false).await
}

async fn steps(b: &mut Block, env: &PlanEnv<'_>, only_shown: bool) -> Result<(), SqlError> {
    must_go_on(&env.reads)?;
    semijoin::join_where_cheaper(b, env).await?;
    subs(&mut b.subs, env).await?;
    let switches = env.reads.settings.switches;
    let mut raw = b.raw.take();
    if let Some(raw) = &mut raw {
        raw.group_of.resize(b.tables.len(), None);
        raw.usable.resize(b.tables.len(), None);
        rewrite::rewrite(raw, switches);
        if !switches.is_off(Switch::DerivedConditionPushdown) {
            rewrite::derived::push(raw, &mut b.tables);
        }
    }
    if let Some(raw) = &raw {
        by_key::make_by_key(b, raw, env).await;
    }
    for t in &mut b.tables {
        if let Source::Derived(q) = &mut t.source {
            query(q, env).await?;
        }
    }
    let Some(mut raw) = raw else { return Ok(()) };
    if switches.is_off(Switch::HashJoin) || switches.is_off(Switch::BlockNestedLoop) {
        raw.unkept = u64::MAX;
    }
    hints(b, &raw);
    note_columns(b, &raw);
    semijoin::note_not_in(b, &raw)?;
    distinct::drop_needless(b);
    if !only_shown {
        b.tables.iter_mut().for_each(|t| t.columns = None);
    }
    let mut o = Optimizer::new(env, b, &raw);
    let windowed = !o.b.windows.is_empty();
    let extremes = if o.b.agg.is_some() && !windowed { extremes(&o) } else { None };
    if extremes.is_some() {
        b.extremes = extremes;
        guards::mark_block(b, Some(&raw), []);
        return Ok(());
    }
    o.order(None).await?;
    let searches = o.first_searches();
    let (chosen, guessed) = (o.chosen, o.rows);
    b.guessed = guessed;
    let late = only_shown && switches.is_off(Switch::ConditionPushdown);
    place_conditions(b, &raw, chosen, late);
    use_order(b, &raw, searches, !switches.is_off(Switch::OrderingIndex), env);
    if only_shown {
        loose::use_loose_scan(b, &raw);
        let prefers = !switches.is_off(Switch::OrderingIndex);
        together::use_order_of_groups(b, &raw, prefers, env.params);
    }
    mark_implied(b);
    rewrite::once::mark(b);
    guards::mark_block(b, Some(&raw), []);
    Ok(())
}

/// Conditions that exact ranges make true need not be looked at on each row.
fn mark_implied(b: &mut Block) {
    for s in &mut b.steps {
        let (Access::Point(key) | Access::Ranges { key, .. }) = &s.access else { continue };
        for c in &mut s.conds {
            c.implied = c.subs.is_empty() && key.implies(&c.expr, s.table as u16);
        }
    }
}

/// Tables, as bits, that the conditions allow to be searched by an index, whatever it costs.
pub fn searchable(b: &Block, env: &PlanEnv<'_>) -> u64 {
    let Some(raw) = &b.raw else { return 0 };
    let o = Optimizer::new(env, b, raw);
    let mut bits = 0;
    for (t, slot) in b.tables.iter().enumerate() {
        let Source::Table(table) = &slot.source else { continue };
        let on = o.on_table(t, raw.group_of[t], !(1 << t));
        let usable = |i: &usize| {
            table.has_all_rows(*i)
                && raw.usable[t].as_ref().is_none_or(|u| u.contains(i))
                && o.key(table, *i, &on).is_some()
        };
        if (0..table.engine.def.indexes.len()).any(|i| usable(&i)) {
            bits |= 1 << t;
        }
    }
    bits
}

/// Tells computed tables which schema and table are asked for.
fn hints(b: &mut Block, raw: &Raw) {
    for (i, t) in b.tables.iter_mut().enumerate() {
        let Source::Virtual(v, hint) = &mut t.source else { continue };
        let (schema, table) = v.hint_columns();
        let name_of = |col: u16| v.columns()[col as usize].name.to_string();
        for c in &raw.conds {
            let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &c.node else { continue };
            for (x, y) in [(a, b), (b, a)] {
                let (Node::Col(col), Node::Const(v)) = (&x.node, &y.node) else { continue };
                if col.depth != 0 || col.table as usize != i {
                    continue;
                }
                let (name, text) = (name_of(col.col), v.to_string_lossy());
                let is = |n: Option<&str>| n.is_some_and(|n| n.eq_ignore_ascii_case(&name));
                if is(schema) {
                    *hint = VirtualHint { schema: text.clone(), ..std::mem::take(hint) };
                }
                if is(table) {
                    *hint = VirtualHint { table: text, ..std::mem::take(hint) };
                }
            }
        }
    }
}

pub struct Chosen {
    pub table: usize,
    pub access: Access,
    pub rows: f64,
    pub shares: order::Shares,
    /// The rows of the tables up to it together.
    pub joined: f64,
    pub prune: Option<Pruning>,
    pub kept: Option<KeptBy>,
    pub possible: Box<[usize]>,
}

pub struct Optimizer<'o> {
    pub env: &'o PlanEnv<'o>,
    pub b: &'o Block,
    pub raw: &'o Raw,
    /// Tables chosen, as bits.
    pub bound: u64,
    pub chosen: Vec<Chosen>,
    /// Rows that those have together, by guess, and what it costs to join them.
    pub rows: f64,
    pub cost: f64,
}

impl<'o> Optimizer<'o> {
    pub fn new(env: &'o PlanEnv<'o>, b: &'o Block, raw: &'o Raw) -> Optimizer<'o> {
        Optimizer { env, b, raw, bound: 0, chosen: Vec::new(), rows: 1.0, cost: 0.0 }
    }
}

impl Optimizer<'_> {
    pub fn tables_of(&self, e: &BExpr) -> u64 {
        e.tables(&|s| self.b.subs.get(s as usize).map_or(0, |s| s.tables))
    }

    /// Conditions that may pick rows of a table: those of its group and of the groups around it.
    pub fn conditions(&self, group: Option<usize>) -> Vec<&BExpr> {
        match group {
            None => self.raw.conds.iter().collect(),
            Some(g) => self.raw.groups[g].on.iter().collect(),
        }
    }

    /// The cheapest access to a table, the rows that it gives and what it costs.
    pub async fn table_access(
        &self,
        t: usize,
        table: &Arc<SqlTable>,
        on: &On,
    ) -> (Access, f64, f64) {
        // A failure to sample costs precision, not the statement.
        let _ = self.env.reads.db().refresh_statistics(&table.engine).await;
        let total = (table.engine.estimated_rows() as f64).max(1.0);
        let scan = total * ROW + DESCENT;
        let forced = self.raw.forced & (1 << t) != 0;
        let mut known = Vec::new();
        let mut best = (
            Access::Scan { index: 0, reverse: false },
            total,
            if forced { f64::INFINITY } else { scan },
        );
        for index in 0..table.engine.def.indexes.len() {
            if !table.has_all_rows(index) {
                continue;
            }
            if let Some(u) = &self.raw.usable[t]
                && !u.contains(&index)
            {
                continue;
            }
            let Some(key) = self.key(table, index, on) else { continue };
            if key.unique {
                let cost = DESCENT + if index == 0 { ROW } else { LOOKUP };
                // However few rows the table seems to have: it may have more when the plan is used again, and a locking scan of a
                // few rows is in everybody's way.
                if cost < best.2 || !matches!(best.0, Access::Point(_)) {
                    best = (Access::Point(key), 1.0, cost);
                }
                continue;
            }
            let rows = self.estimate(&key, total).await;
            let rows = matches::between(rows, total * self.share_of_common_by(t, &key, on));
            known.push((table.engine.def.indexes[index].parts[0].col, rows));
            // What excludes few rows is no search.
            if rows > total * MOSTLY && key.searches.iter().all(Search::only_excludes) {
                continue;
            }
            let ranges: f64 = key.searches.iter().map(|s| s.prefixes()).sum();
            let by_entry = index > 0 && !self.b.tables[t].is_covered_by(index);
            let cost = ranges * DESCENT + rows * if by_entry { LOOKUP } else { ROW };
            // Ranges of the clustered index are a part of the scan, whatever the estimate; the plan may be used again with narrower ones.
            let of_rows = index == 0 && matches!(best.0, Access::Scan { .. });
            let cost = if of_rows { cost.min(best.2) } else { cost };
            // The longer key wins where the estimates are the same.
            if cost < best.2 || of_rows {
                best = (Access::Ranges { key, reverse: false }, rows, cost);
            }
        }
        best = self.beyond_one_search((t, table), on, (total, scan, &known), best).await;
        // Ranges are not given up for it, however wide they seem: the plan is used again with other values, and where those are not
        // known yet (a statement that is prepared) the width is a guess.
        if let Some((index, cost)) = self.shortest_cover(t, table, total)
            && cost < best.2
            && matches!(best.0, Access::Scan { .. })
        {
            best = (Access::Scan { index, reverse: false }, total, cost);
        }
        // None of the indexes named can be used: a scan then.
        best.2 = if best.2.is_finite() { best.2 } else { scan };
        best
    }

    /// The best access, if several indexes, the elements of lists, or a search behind the first parts of an index are no better.
    async fn beyond_one_search(
        &self,
        (t, table): (usize, &Arc<SqlTable>),
        on: &On,
        (total, scan, known): (f64, f64, &[(usize, f64)]),
        mut best: (Access, f64, f64),
    ) -> (Access, f64, f64) {
        if let Some(merged) = self.merged(t, table, on, total, &best).await {
            best = merged;
        }
        if let Some(l) = self.multi_valued(t, table, on, total).await.filter(|l| l.cost < best.2) {
            best = (Access::Merged(Box::new(l.merge)), l.rows, l.cost);
        }
        if matches!(best.0, Access::Scan { .. })
            && let Some(found) = self.skip_scan(t, table, on, (total, best.2.min(scan)), known)
        {
            best = (Access::Skip(Box::new(found.scan)), found.rows, found.cost);
        }
        best
    }

    /// A merge of indexes that costs less than the best access to one, or that a hint wants.
    async fn merged(
        &self,
        t: usize,
        table: &Arc<SqlTable>,
        on: &On,
        total: f64,
        best: &(Access, f64, f64),
    ) -> Option<(Access, f64, f64)> {
        let wanted = self.raw.merged & (1 << t) != 0;
        if matches!(best.0, Access::Point(_)) || (best.2 <= SMALL && !wanted) {
            return None;
        }
        let found = self.index_merge(t, table, on, total).await?;
        let cheaper = wanted || found.cost < best.2;
        cheaper.then(|| (Access::Merged(Box::new(found.merge)), found.rows, found.cost))
    }

    /// The index with the shortest key among those that have all columns that are looked at, and what it costs to read it whole. So MySQL
    /// chooses, and rows come in the order of that index if none is asked for; an index over as many columns as the table has is passed
    /// over. An order that is asked for decides by itself, see [`use_order`], unless the user has forced indexes.
    fn shortest_cover(&self, t: usize, table: &SqlTable, total: f64) -> Option<(usize, f64)> {
        if is_ordered(self.b) && self.raw.forced & (1 << t) == 0 {
            return None;
        }
        let def = &table.engine.def;
        let covering = |i: &usize| {
            table.has_all_rows(*i)
                && self.raw.usable[t].as_ref().is_none_or(|u| u.contains(i))
                && self.b.tables[t].is_covered_by(*i)
        };
        let length = |i: &usize| key_length(table, *i, def.indexes[*i].parts.len());
        let index = (1..def.indexes.len()).filter(covering).min_by_key(length)?;
        if def.indexes[index].parts.len() >= table.meta.columns.len() {
            return None;
        }
        let leaves = |i: usize| table.engine.indexes[i].leaves.load(Ordering::Relaxed).max(1);
        let share = (leaves(index) as f64 / leaves(0) as f64).max(0.1);
        Some((index, total * ROW * share * 0.99 + DESCENT))
    }
}

/// The rows are wanted in an order that an index might have.
fn is_ordered(b: &Block) -> bool {
    !b.order.is_empty() && b.agg.is_none() && b.windows.is_empty() && !b.distinct
}

/// Puts every condition at the first step where all it reads is there; with `late` those of the whole block at the last step.
fn place_conditions(b: &mut Block, raw: &Raw, chosen: Vec<Chosen>, late: bool) {
    let mut at = vec![0usize; b.tables.len()];
    for (i, c) in chosen.iter().enumerate() {
        at[c.table] = i;
    }
    let mut steps: Vec<Step> = chosen
        .into_iter()
        .map(|c| Step {
            table: c.table,
            access: c.access,
            conds: Vec::new(),
            after: Vec::new(),
            begins: Vec::new(),
            ends: Vec::new(),
            rows: c.rows,
            share: c.shares.all,
            told: c.shares.told,
            joined: c.joined,
            possible: c.possible,
            index_only: None,
            batched: false,
            anti: false,
            completes: b.tables[c.table].completes(),
            prune: c.prune.map(Box::new),
            kept: c.kept.map(Box::new),
        })
        .collect();
    // Outer groups, outer ones first.
    let mut place_of = vec![usize::MAX; raw.groups.len()];
    let mut groups = Vec::new();
    for (g, group) in raw.groups.iter().enumerate() {
        if group.tables == 0 {
            continue;
        }
        let inside = (0..b.tables.len()).filter(|t| group.tables & (1 << t) != 0).map(|t| at[t]);
        let (first, last) = inside.fold((usize::MAX, 0), |(f, l), i| (f.min(i), l.max(i)));
        place_of[g] = groups.len();
        groups.push(OuterGroup { first, last });
        steps[first].begins.push(place_of[g]);
        steps[last].ends.insert(0, place_of[g]);
    }
    for s in &mut steps {
        // A group around another one is longer.
        s.begins.sort_by_key(|g| std::cmp::Reverse(groups[*g].last));
        s.ends.sort_by_key(|g| std::cmp::Reverse((groups[*g].first, *g)));
    }
    let tables_of = |e: &BExpr| e.tables(&|s| b.subs.get(s as usize).map_or(0, |s| s.tables));
    let last_step = |bits: u64| (0..at.len()).filter(|t| bits & (1 << t) != 0).map(|t| at[t]).max();
    for (g, group) in raw.groups.iter().enumerate() {
        if group.tables == 0 {
            continue;
        }
        let own = groups[place_of[g]];
        for c in &group.on {
            let step = last_step(tables_of(c)).unwrap_or(own.first).max(own.first);
            // Inside of a nested group the condition waits until that is settled.
            let nested = raw
                .groups
                .iter()
                .enumerate()
                .filter(|(h, x)| *h != g && x.tables != 0 && within(raw, *h, g));
            let covers = nested
                .map(|(h, _)| groups[place_of[h]])
                .filter(|x| (x.first..=x.last).contains(&step))
                .map(|x| x.last)
                .max();
            match covers {
                Some(last) => steps[last].after.push((Some(place_of[g]), Cond::new(c.clone()))),
                None => steps[step].conds.push(Cond::new(c.clone())),
            }
        }
    }
    let mut gate = Vec::new();
    for (place, c) in raw.conds.iter().enumerate() {
        let cond = || Cond::of(raw, place);
        // One that answers again each time is asked for each row of the whole join.
        let waits = is_drawn(c, b, raw) || (late && tables_of(c) != 0);
        let drawn = waits.then(|| steps.len().checked_sub(1)).flatten();
        let Some(step) = drawn.or_else(|| last_step(tables_of(c))) else {
            gate.push(cond());
            continue;
        };
        let around =
            groups.iter().filter(|x| (x.first..=x.last).contains(&step)).map(|x| x.last).max();
        match around {
            Some(last) => steps[last].after.push((None, cond())),
            None => steps[step].conds.push(cond()),
        }
    }
    for s in &mut steps {
        let alone = |c: &Cond| c.subs.is_empty() && tables_of(&c.expr) == 1 << s.table;
        if let Some(by) = &s.kept {
            // What a row around picks is another one in the next run.
            let other = |c: &Cond| c.expr.varies() || (by.lasting && c.expr.is_from_outside());
            s.conds.iter_mut().for_each(|c| c.early = alone(c) && !other(c));
        }
        let (equal, computed) = match (&s.kept, &s.access) {
            (Some(by), _) => (&by.equal[..], &by.computed[..]),
            (None, Access::Mem { hash }) => (&hash[..], &[][..]),
            _ => (&[][..], &[][..]),
        };
        for c in s.conds.iter_mut().filter(|c| c.subs.is_empty()) {
            c.equated = equal.iter().any(|by| equates(&c.expr, s.table as u16, by))
                || computed.iter().any(|by| equates_computed(&c.expr, by));
        }
        // Cheap conditions first: those with subqueries may cost whole reads.
        s.conds.sort_by_key(|c| (!c.early, !c.subs.is_empty()));
        s.after.sort_by_key(|(_, c)| !c.subs.is_empty());
    }
    b.steps = steps;
    b.groups = groups;
    b.gate = gate;
    anti::mark(b);
}

/// Says the condition no more than that the column equals this, compared in the kind in which it has a key?
fn equates(cond: &BExpr, t: u16, (col, kind, value): &(u16, Keyed, BExpr)) -> bool {
    let Some((of, Usable::Eq(alts))) = usable(cond, t, &|_| true) else { return false };
    let ([one], Node::Cmp { .. }) = (&alts[..], &cond.node) else { return false };
    let in_kind = of == *col && compared_in(cond) == Some(*kind);
    in_kind && !one.null_safe && format!("{:?}", one.expr) == format!("{value:?}")
}

/// The same of what is computed of the table's columns.
fn equates_computed(cond: &BExpr, (own, kind, value): &(BExpr, Keyed, BExpr)) -> bool {
    let Node::Cmp { op: CmpOp::Eq, a, b, .. } = &cond.node else { return false };
    let said = |x: &BExpr, y: &BExpr| format!("{x:?}") == format!("{y:?}");
    compared_in(cond) == Some(*kind)
        && (said(a, own) && said(b, value) || said(b, own) && said(a, value))
}

/// The kind in which a comparison looks at its sides, if that has keys.
fn compared_in(cond: &BExpr) -> Option<Keyed> {
    let Node::Cmp { rule, a, b, .. } = &cond.node else { return None };
    Keyed::by(*rule, &a.info.ty, &b.info.ty)
}

fn within(raw: &Raw, mut inner: usize, outer: usize) -> bool {
    while let Some(p) = raw.groups[inner].parent {
        if p == outer {
            return true;
        }
        inner = p;
    }
    false
}

/// Lets an index deliver ORDER BY, when it can. `prefers`: also one that is read in place of the table because few rows are asked for.
fn use_order(
    b: &mut Block,
    raw: &Raw,
    mut searches: Vec<Option<Key>>,
    prefers: bool,
    env: &PlanEnv<'_>,
) {
    if !is_ordered(b) || b.steps.is_empty() || !b.steps[0].begins.is_empty() {
        return;
    }
    let t = b.steps[0].table;
    let Some(cols) = ordered_columns(b, t) else { return };
    let Source::Table(table) = &b.tables[t].source else { return };
    let table = table.clone();
    let reverse = match &b.steps[0].access {
        Access::Point(_) => Some(false),
        Access::Ranges { key, .. } => delivers(&table, key.index, &key.fixed(), &cols),
        Access::Scan { index, .. } => delivers(&table, *index, &[], &cols),
        // The rows come in the order of the clustered key, which is not read backwards.
        Access::Merged(_) => delivers(&table, 0, &[], &cols).filter(|reverse| !reverse),
        Access::Loose { .. } | Access::Skip(_) | Access::Mem { .. } => None,
    };
    if let Some(r) = reverse {
        match &mut b.steps[0].access {
            Access::Ranges { reverse, .. } | Access::Scan { reverse, .. } => *reverse = r,
            _ => {}
        }
        b.index_order = std::mem::take(&mut b.order);
        return;
    }
    // Few rows asked for, all to be looked at otherwise: read in the order of an index instead. So is one that has all columns.
    let forced = raw.forced & (1 << t) != 0;
    if !matches!(b.steps[0].access, Access::Scan { .. }) {
        let instead = || ordered::instead_of_sorting(b, raw, &table, &cols, env);
        if let Some((access, rows)) = prefers.then(instead).flatten() {
            (b.steps[0].access, b.steps[0].rows) = (access, rows);
            b.index_order = std::mem::take(&mut b.order);
        }
        return;
    }
    for index in 1..table.engine.def.indexes.len() {
        let allowed = raw.usable[t].as_ref().is_none_or(|u| u.contains(&index));
        let worth = (prefers && b.limit.is_some()) || forced || b.tables[t].is_covered_by(index);
        if !allowed || !worth || !table.has_all_rows(index) {
            continue;
        }
        let search = searches.get_mut(index).and_then(Option::take).filter(|k| !k.unique);
        let by_search = search.and_then(|key| {
            let reverse = delivers(&table, index, &key.fixed(), &cols)?;
            Some(Access::Ranges { key, reverse })
        });
        // It may be for values of a row around.
        let lasts = by_search.is_none();
        let by_scan = || {
            let reverse = delivers(&table, index, &[], &cols)?;
            Some(Access::Scan { index, reverse })
        };
        if let Some(access) = by_search.or_else(by_scan) {
            b.steps[0].access = access;
            b.steps[0].kept.take_if(|_| !lasts);
            b.index_order = std::mem::take(&mut b.order);
            return;
        }
    }
}

/// The columns of the order, with whether they descend, where all are columns of one table of the block.
fn ordered_columns(b: &Block, t: usize) -> Option<Vec<(usize, bool)>> {
    let column = |(e, desc): &(BExpr, bool)| match e.node {
        Node::Col(c) if c.depth == 0 && usize::from(c.table) == t => {
            Some((usize::from(c.col), *desc))
        }
        _ => None,
    };
    b.order.iter().map(column).collect()
}

/// Whether reading an index with this many values for its first parts gives the order; the direction if so.
pub fn delivers(
    table: &SqlTable,
    index: usize,
    eq: &[usize],
    order: &[(usize, bool)],
) -> Option<bool> {
    let def = &table.engine.def;
    let mut parts: Vec<(usize, bool, bool)> =
        def.indexes[index].parts.iter().map(|p| (p.col, p.desc, p.prefix.is_some())).collect();
    if index > 0 {
        // Entries with the same columns are in the order of the clustered key.
        parts.extend(def.indexes[0].parts.iter().map(|p| (p.col, p.desc, p.prefix.is_some())));
    }
    let mut direction = None;
    let mut at = 0;
    for (col, desc) in order {
        loop {
            let (c, d, cut) = *parts.get(at)?;
            let single = eq.get(at) == Some(&1);
            if c == *col && !cut {
                let reverse = d != *desc;
                if !single && *direction.get_or_insert(reverse) != reverse {
                    return None;
                }
                at += 1;
                break;
            }
            if !single {
                return None;
            }
            at += 1;
        }
    }
    Some(direction.unwrap_or(false))
}
