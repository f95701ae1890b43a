//! Which searches the conditions of a block allow in an index, and how many rows they find.

use super::anew::is_drawn;
use super::{Chosen, Optimizer};
use crate::context::UserVars;
use crate::meta::SqlTable;
use crate::meta::partition::Function;
use crate::query::eval::Ev;
use crate::query::eval::frame::Frame;
use crate::query::expr::usable::{Alt, Usable, branches, usable};
use crate::query::expr::{BExpr, CmpOp};
use crate::query::plan::env::PlanEnv;
use crate::query::plan::key::{Key, Search};
use crate::query::plan::pruning::{Pruning, Searched};
use crate::query::plan::watched::Watched;
use crate::query::plan::{Access, Source};
use crate::query::ranges::Ranges;
use crate::value::EvalCtx;
use std::sync::Arc;
use weir_engine::row::KeyPart;

/// Shares guessed for conditions that nothing is known about.
const HALF_RANGE: f64 = 0.33;
const BOTH_RANGE: f64 = 0.1;
const LIKE_RANGE: f64 = 0.05;

/// What conditions say about the columns of a table.
#[derive(Default)]
pub struct On {
    /// All of these hold.
    pub all: Vec<(u16, Usable)>,
    /// And of each of these, all of one of the branches.
    pub any: Vec<Vec<Vec<(u16, Usable)>>>,
    /// What they say of the elements of lists.
    pub listed: Vec<(u16, Alt)>,
}

impl Optimizer<'_> {
    /// Conditions on a table that may pick its rows when the tables in `bound` are read before it.
    pub fn on_table(&self, t: usize, group: Option<usize>, bound: u64) -> On {
        let known = |e: &BExpr| {
            let correlated = {
                let mut subs = Vec::new();
                e.subs(&mut subs);
                subs.iter().any(|s| self.b.subs[*s as usize].correlated)
            };
            !correlated
                && !is_drawn(e, self.b, self.raw)
                && self.tables_of(e) & !bound == 0
                && !e.has_agg()
        };
        let conds = self.conditions(group);
        let t = t as u16;
        let mut on = On::default();
        for c in conds {
            match usable(c, t, &known) {
                Some(u) => on.all.push(u),
                None => on.any.extend(branches(c, t, &known)),
            }
        }
        for l in self.raw.listed.iter().filter(|l| l.table == t && l.group == group) {
            if known(&l.value) {
                let expr = l.value.clone();
                let alt = Alt { expr, rule: None, null_safe: false, listed: Some(l.by) };
                on.listed.push((l.col, alt));
            }
        }
        on
    }

    /// For each index of the first table, when that is scanned: the search that the conditions allow in it. An index
    /// that is read for its order should begin where the conditions do.
    pub fn first_searches(&self) -> Vec<Option<Key>> {
        let Some(Chosen { table: t, access: Access::Scan { .. }, .. }) = self.chosen.first() else {
            return Vec::new();
        };
        let Source::Table(table) = &self.b.tables[*t].source else { return Vec::new() };
        if self.b.order.is_empty() || self.b.limit.is_none() {
            return Vec::new();
        }
        let on = self.on_table(*t, self.raw.group_of[*t], 0);
        (0..table.engine.def.indexes.len()).map(|i| self.key(table, i, &on)).collect()
    }

    /// The longest search that the conditions allow in an index.
    pub fn key(&self, table: &Arc<SqlTable>, index: usize, on: &On) -> Option<Key> {
        if table.engine.def.indexes[index].list_part().is_some() {
            return None;
        }
        let parts = &table.engine.def.indexes[index].parts;
        let searches = searches(table, parts, on)?;
        let subs = subqueries(&searches);
        let unique = matches!(&searches[..], [one] if is_unique(table, index, one));
        Some(Key { table: table.clone(), index, searches, unique, subs, over: None })
    }

    /// The searches that the conditions on a partitioned table allow over its partitioning columns, where the tables in `bound` are read
    /// before it.
    pub fn pruning(&self, t: usize, group: Option<usize>, bound: u64) -> Option<Pruning> {
        let Source::Table(table) = &self.b.tables[t].source else { return None };
        let by = table.meta.partitions.as_ref()?;
        let on = self.on_table(t, group, bound);
        let parts = |f: &Function| f.columns.iter().map(|c| KeyPart::asc(*c)).collect::<Vec<_>>();
        let key = |f: &Function, searches: Vec<Search>| {
            let over = Some(f.columns.clone().into());
            let subs = subqueries(&searches);
            Key { table: table.clone(), index: 0, searches, unique: false, subs, over }
        };
        let all = |f: &Function| Some(key(f, searches(table, &parts(f), &on)?));
        let first = Searched {
            outer: all(&by.function),
            inner: by.sub.as_ref().and_then(|s| all(&s.function)),
        };
        let mut lists: Vec<Vec<Searched>> =
            first.is_any().then(|| vec![first]).into_iter().collect();
        // Of an OR that is about both functions' columns each branch cuts by itself.
        for branches in on.any.iter().filter(|_| by.sub.is_some()) {
            let both = |branch: &Vec<(u16, Usable)>| {
                let on: Vec<_> = on.all.iter().chain(branch).collect();
                let one = |f: &Function| Some(key(f, vec![search(table, &parts(f), &on)?]));
                let inner = by.sub.as_ref().and_then(|s| one(&s.function));
                Searched { outer: one(&by.function), inner }
            };
            let list: Vec<Searched> = branches.iter().map(both).collect();
            let mixed =
                list.iter().any(|s| s.inner.is_some()) && list.iter().any(|s| s.outer.is_some());
            if mixed && list.iter().all(Searched::is_any) {
                lists.push(list);
            }
        }
        (!lists.is_empty()).then_some(Pruning(lists))
    }

    pub async fn estimate(&self, key: &Key, total: f64) -> f64 {
        if let Some(n) = estimate_now(key, self.env).await {
            if Watched::is_worth_it(key, total) {
                self.env.watched.note(key, n);
            }
            return n;
        }
        let rows: f64 = key.searches.iter().map(|s| guess(key, s, total)).sum();
        rows.clamp(1.0, total)
    }

    /// The ranges of a search whose values are known.
    pub fn ranges_now(&self, key: &Key) -> Option<Ranges> {
        ranges_now(key, self.env)
    }
}

/// Looks into the index, when the values are known now and the ranges few.
pub async fn estimate_now(key: &Key, env: &PlanEnv<'_>) -> Option<f64> {
    let ranges = ranges_now(key, env)?.list;
    if ranges.len() > 10 {
        return None;
    }
    let mut sum = 0.0;
    for r in &ranges {
        let (db, table) = (env.reads.db(), &key.table.engine);
        let rows = db.estimate_range(table, key.index, &r.start, r.end.as_deref()).await;
        sum += rows.ok()? as f64;
    }
    Some(sum.max(1.0))
}

fn ranges_now(key: &Key, env: &PlanEnv<'_>) -> Option<Ranges> {
    if !key.is_known(env.params) {
        return None;
    }
    let mut user_vars = UserVars::default();
    let mut cx = EvalCtx::new(env.reads.session);
    cx.mode = env.reads.settings.mode;
    cx.collation = env.reads.settings.collation;
    let mut ev =
        Ev { cx, vars: env.reads.vars, user_vars: &mut user_vars, lists: Default::default() };
    key.ranges(&Frame::empty(env.params), &mut ev).ok()
}

/// Equality on all parts of a unique index, with single values.
fn is_unique(table: &SqlTable, index: usize, search: &Search) -> bool {
    let def = &table.engine.def.indexes[index];
    let own = |part: usize| table.meta.columns[def.parts[part].col].key_type().collation();
    let one = |(part, alts): (usize, &Vec<Alt>)| matches!(&alts[..], [one] if !one.null_safe && !one.is_padded(own(part)));
    let single = search.eq.iter().enumerate().all(one);
    let whole = def.parts.iter().all(|p| p.prefix.is_none());
    def.unique && whole && single && search.eq.len() == def.parts.len()
}

/// The subqueries that searches need.
fn subqueries(searches: &[Search]) -> Vec<u32> {
    let mut subs = Vec::new();
    searches.iter().flat_map(Search::values).for_each(|e| e.subs(&mut subs));
    subs
}

/// The longest searches over key parts that the conditions allow.
fn searches(table: &SqlTable, parts: &[KeyPart], on: &On) -> Option<Vec<Search>> {
    let plain = search(table, parts, &on.all.iter().collect::<Vec<_>>());
    let known = plain.as_ref().map_or(0, Search::bounds);
    let of_branches = |list: &Vec<Vec<(u16, Usable)>>| {
        let one = |b: &Vec<_>| search(table, parts, &on.all.iter().chain(b).collect::<Vec<_>>());
        let all = list.iter().map(one).collect::<Option<Vec<_>>>()?;
        // As many ranges as branches are worth it only where they are narrower than the one of what is common to all.
        all.iter().any(|s| s.bounds() > known).then_some(all)
    };
    match on.any.iter().find_map(of_branches) {
        Some(all) => Some(all),
        None => Some(vec![plain?]),
    }
}

/// The longest search over key parts by conditions that all hold.
pub fn search(table: &SqlTable, parts: &[KeyPart], on: &[&(u16, Usable)]) -> Option<Search> {
    let mut search = Search::default();
    for p in parts {
        // Of a collation where equal texts differ in length only LIKE can use a cut column.
        let like_only = p.prefix.is_some()
            && table.meta.columns[p.col].ty.collation().is_some_and(|c| !c.is_one_to_one());
        let usable = |u: &Usable| !like_only || matches!(u, Usable::Like(_));
        let here = || on.iter().filter(|(c, u)| *c as usize == p.col && usable(u));
        let eq = here()
            .filter_map(|(_, u)| match u {
                Usable::Eq(alts) => Some(alts),
                _ => None,
            })
            .min_by_key(|alts| alts.len());
        if let Some(alts) = eq {
            search.eq.push(alts.clone());
            // Behind a cut column the order of the next one is not that of the rows.
            if p.prefix.is_some() {
                break;
            }
            continue;
        }
        let mut conj = Vec::new();
        for (_, u) in here() {
            match u {
                Usable::Range(op, alt) => conj.push((*op, alt.clone())),
                Usable::AnyRange(any) if any.len() == 1 => conj.extend(any[0].iter().cloned()),
                Usable::AnyRange(any) if search.range.is_empty() => search.range = any.clone(),
                Usable::Like(e) => search.like = Some(e.clone()),
                _ => {}
            }
        }
        if !conj.is_empty() {
            search.range = vec![conj];
        }
        if !search.range.is_empty() {
            search.like = None;
        }
        break;
    }
    (search.parts() > 0).then_some(search)
}

/// Rows of a search whose values are not known yet.
fn guess(key: &Key, search: &Search, total: f64) -> f64 {
    let mut rows = if search.eq.is_empty() {
        total
    } else {
        key.table.engine.rows_per_key(key.index, search.eq.len()) * search.prefixes()
    };
    let share = |conj: &Vec<(CmpOp, Alt)>| {
        let (mut low, mut high) = (false, false);
        for (op, _) in conj {
            match op {
                CmpOp::Gt | CmpOp::Ge => low = true,
                CmpOp::Ne => {}
                _ => high = true,
            }
        }
        match (low, high) {
            (true, true) => BOTH_RANGE,
            (false, false) => 1.0,
            _ => HALF_RANGE,
        }
    };
    if !search.range.is_empty() {
        rows *= search.range.iter().map(share).sum::<f64>().min(1.0);
    }
    if search.like.is_some() {
        rows *= LIKE_RANGE;
    }
    rows
}
