//! The order in which the tables of a block are joined: the cheapest one by estimate, found by dynamic programming over sets of tables.
//!
//! The tables of an outer join's inner side come in one run, behind all tables beside them that need not wait for it: an outer join
//! leaves no row out. Within it the same is done. For each set of tables the cheapest way to have read them is kept, and from each set one
//! goes on to each table that may follow. Up to [`WHOLE`] tables that is every order; beyond, only the cheapest sets of a size are gone on
//! from. Of orders that cost the same the one that was written is taken.

use super::matches::guessed_matches;
use super::searches::On;
use super::selectivity::{sampled, selectivity};
use super::{Chosen, Done, Optimizer};
use crate::errno;
use crate::query::expr::guessed::EQUAL;
use crate::query::expr::keyed::Keyed;
use crate::query::expr::usable::{Usable, usable};
use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::index_merge::MergeKind;
use crate::query::plan::key::Key;
use crate::query::plan::{Access, Body, KeptBy, Limit, QueryPlan, Source};
use crate::session_api::SqlError;
use crate::value::Value;
use std::collections::HashMap;
use weir_engine::LockMode;

/// Tables of which all orders are looked at: no level of theirs has more sets than [`SETS`].
const WHOLE: usize = 10;
/// Sets of one size that are gone on from: the most that [`WHOLE`] tables have.
const SETS: usize = 252;

/// To look at a row that is in memory, and to put it there. To put it there costs more than to look for one and find it: of two tables the
/// smaller one is kept.
const KEPT_ROW: f64 = 0.3;
const KEEP_ROW: f64 = 1.0;
/// The share of what it costs to keep rows that one run of a subquery is charged with, where they outlast it.
const LASTING: f64 = 0.1;
/// Of smaller tables guesses are as good as samples, and they are MySQL's, so EXPLAIN says what it says there.
pub const SAMPLED_ROWS: u64 = 1000;
/// What is guessed of a table that is made again for each row before it.
const MADE: f64 = 100.0;

/// A table, or an outer join's inner side, to be ordered inside.
#[derive(Clone, Copy)]
enum Unit {
    Table(usize),
    Group(usize),
}

/// How a table is read behind some others, and what that costs.
#[derive(Clone)]
pub struct Way {
    pub access: Access,
    /// Rows that the access gives for each row before.
    pub rows: f64,
    /// And what the conditions leave of them.
    left: f64,
    /// What it costs however many rows come before, and for each of them.
    once: f64,
    each: f64,
    kept: Option<KeptBy>,
    /// Of a hash: the rows among which it looks, and how many it is guessed to find at most.
    hashed: Option<(f64, f64)>,
    shares: Shares,
}

/// What of a table's rows conditions leave, except for those that its access or a hash finds the rows by.
#[derive(Clone, Copy)]
pub struct Shares {
    /// What they leave, guessed where histograms do not tell.
    pub all: f64,
    /// What histograms tell that they leave.
    pub told: f64,
}

impl Shares {
    const ALL: Shares = Shares { all: 1.0, told: 1.0 };
}

/// The cheapest way to have read a set of tables.
struct Path {
    tables: u64,
    cost: f64,
    rows: f64,
    /// The table read last, its [`Way`] by number, and the path of those before by its place in the level before.
    last: (usize, usize, usize),
}

/// What has been worked out of tables behind others, by the table and those of the others that it depends on.
#[derive(Default)]
struct Known {
    ways: Vec<Way>,
    of: HashMap<(usize, u64), usize>,
    /// For each table those that its conditions name.
    related: HashMap<usize, u64>,
}

impl Optimizer<'_> {
    fn units(&self, parent: Option<usize>) -> Vec<Unit> {
        let mut out: Vec<(u32, Unit)> = Vec::new();
        for (t, g) in self.raw.group_of.iter().enumerate() {
            if *g == parent {
                out.push((t as u32, Unit::Table(t)));
            }
        }
        for (g, group) in self.raw.groups.iter().enumerate() {
            if group.parent == parent && group.tables != 0 {
                out.push((group.tables.trailing_zeros(), Unit::Group(g)));
            }
        }
        // In written order: what costs the same stays as the user put it.
        out.sort_by_key(|(t, _)| *t);
        out.into_iter().map(|(_, u)| u).collect()
    }

    /// Tables that must have been read before, and those that STRAIGHT_JOIN or a hint wants to be if `asked`.
    fn behind(&self, u: Unit, asked: bool) -> u64 {
        let wanted = |t: usize| self.raw.behind.get(t).copied().filter(|_| asked).unwrap_or(0);
        let of = |t: usize| self.b.tables[t].lateral.unwrap_or(0) | wanted(t);
        match u {
            Unit::Table(t) => of(t),
            Unit::Group(g) => {
                let inside = self.raw.groups[g].tables;
                let on = self.raw.groups[g].on.iter().fold(0, |bits, c| bits | self.tables_of(c));
                let within = (0..self.b.tables.len()).filter(|t| inside & (1 << t) != 0);
                (on | within.map(of).fold(0, |all, of| all | of)) & !inside
            }
        }
    }

    /// Orders the tables of a block (of none), or of an outer join's inner side.
    pub fn order(&mut self, parent: Option<usize>) -> Done<'_> {
        Box::pin(async move {
            let mut units = self.units(parent);
            while !units.is_empty() {
                // All tables that need no outer join before them. In written order those and outer joins come as they stand.
                if !self.raw.straight {
                    self.join_tables(&mut units, parent).await;
                }
                let ready =
                    |asked| units.iter().position(|u| self.behind(*u, asked) & !self.bound == 0);
                // A hint that goes against an outer join or LATERAL gives way.
                match ready(true).or_else(|| ready(false)).map(|i| units.remove(i)) {
                    Some(Unit::Table(t)) => {
                        let way = self.way(t, parent, self.bound).await;
                        self.choose(t, way, parent);
                    }
                    Some(Unit::Group(g)) => self.order(Some(g)).await?,
                    None if units.is_empty() => {}
                    None => {
                        return Err(SqlError::of(errno::ER_WRONG_OUTER_JOIN_UNUSED, &[]));
                    }
                }
            }
            Ok(())
        })
    }

    fn choose(&mut self, t: usize, way: Way, parent: Option<usize>) {
        let prune = self.pruning(t, parent, self.bound);
        // One row before at most: nothing is gained by keeping.
        let single = self.chosen.iter().all(|c| matches!(c.access, Access::Point(_)));
        let again = self.is_run_again();
        let (left, each) = way.behind(self.rows);
        self.cost += way.once + self.rows * each;
        let kept = way.kept.filter(|k| !single || (k.lasting && again));
        self.bound |= 1 << t;
        self.rows = (self.rows * left).max(1.0);
        self.chosen.push(Chosen {
            table: t,
            access: way.access,
            rows: way.rows,
            shares: way.shares,
            joined: self.rows,
            prune,
            kept,
            possible: self.possible(t),
        });
    }

    /// Chooses the order of the tables among the units, as far as they can be read, and takes them out.
    async fn join_tables(&mut self, units: &mut Vec<Unit>, parent: Option<usize>) {
        let tables: Vec<usize> = (units.iter())
            .filter_map(|u| match u {
                Unit::Table(t) => Some(*t),
                Unit::Group(_) => None,
            })
            .collect();
        let mut known = Known::default();
        let begin = Path { tables: self.bound, cost: 0.0, rows: self.rows, last: (0, 0, 0) };
        let mut levels = vec![vec![begin]];
        loop {
            let next = self.level(&levels[levels.len() - 1], &tables, parent, &mut known).await;
            if next.is_empty() {
                break;
            }
            levels.push(next);
        }
        let mut order = Vec::new();
        let mut at = 0;
        for level in levels[1..].iter().rev() {
            let (t, way, before) = level[at].last;
            order.push((t, known.ways[way].clone()));
            at = before;
        }
        units.retain(|u| !matches!(u, Unit::Table(t) if order.iter().any(|(o, _)| o == t)));
        for (t, way) in order.into_iter().rev() {
            self.choose(t, way, parent);
        }
    }

    /// The sets with one table more than those of a level.
    async fn level(
        &self,
        level: &[Path],
        tables: &[usize],
        parent: Option<usize>,
        known: &mut Known,
    ) -> Vec<Path> {
        let mut next: Vec<Path> = Vec::new();
        let mut place: HashMap<u64, usize> = HashMap::new();
        for (before, path) in level.iter().enumerate() {
            for &t in tables {
                let bit = 1 << t;
                let waits = self.behind(Unit::Table(t), true) & !path.tables != 0;
                if path.tables & bit != 0 || waits {
                    continue;
                }
                let way = self.known_way(t, parent, path.tables, known).await;
                let w = &known.ways[way];
                let (left, each) = w.behind(path.rows);
                let cost = path.cost + w.once + path.rows * each;
                let found = Path {
                    tables: path.tables | bit,
                    cost,
                    rows: (path.rows * left).max(1.0),
                    last: (t, way, before),
                };
                match place.get(&found.tables) {
                    Some(&at) if cost < next[at].cost * 0.999 => next[at] = found,
                    Some(_) => {}
                    None => {
                        place.insert(found.tables, next.len());
                        next.push(found);
                    }
                }
            }
        }
        // With many tables each set has many ways on.
        let most = if tables.len() <= WHOLE { SETS } else { (SETS * WHOLE / tables.len()).max(8) };
        if next.len() > most {
            // Each row costs something with each table that is still to come.
            let to_come = |p: &Path| {
                (tables.len() - (p.tables.count_ones() as usize).min(tables.len())) as f64
            };
            let rank = |p: &Path| p.cost + p.rows * to_come(p);
            next.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
            next.truncate(most);
        }
        next
    }

    async fn known_way(
        &self,
        t: usize,
        parent: Option<usize>,
        bound: u64,
        known: &mut Known,
    ) -> usize {
        let related = *known.related.entry(t).or_insert_with(|| {
            let of = |c: &BExpr| Some(self.tables_of(c)).filter(|all| all & (1 << t) != 0);
            self.conditions(parent).into_iter().filter_map(of).fold(0, |all, of| all | of)
        });
        // Whether there is a row before matters, too.
        let key = (t, (bound & related) << 1 | u64::from(bound != 0));
        if let Some(way) = known.of.get(&key) {
            return *way;
        }
        let way = self.way(t, parent, bound).await;
        known.ways.push(way);
        known.of.insert(key, known.ways.len() - 1);
        known.ways.len() - 1
    }

    /// How table `t` is read best behind the tables in `bound`.
    async fn way(&self, t: usize, group: Option<usize>, bound: u64) -> Way {
        let on = self.on_table(t, group, bound);
        let way = match &self.b.tables[t].source {
            Source::Table(table) => {
                let (access, rows, cost) = self.table_access(t, table, &on).await;
                self.read_or_kept((t, group), (access, rows, cost), &on, bound)
            }
            Source::Derived(_) | Source::Virtual(..) | Source::Working(..) => {
                self.made(t, &on, bound)
            }
        };
        let shares = self.share(t, group, bound, &way);
        let left = way.left * shares.all;
        // An outer join leaves no row before it out.
        Way { left: if group.is_some() { left.max(1.0) } else { left }, shares, ..way }
    }

    /// A table in memory.
    fn made(&self, t: usize, on: &On, bound: u64) -> Way {
        let slot = &self.b.tables[t];
        let total = match &slot.source {
            Source::Derived(q) => q.guessed_rows(),
            _ => MADE,
        };
        if slot.lateral.is_some() {
            let (access, each) = (Access::Mem { hash: Vec::new() }, MADE + total);
            return Way {
                access,
                rows: total,
                left: total,
                once: 0.0,
                each,
                kept: None,
                hashed: None,
                shares: Shares::ALL,
            };
        }
        let hash = self.equal(t, on, bound);
        let rows = self.matches(t, total, &hash, on).rows;
        let (once, each) = match hash.is_empty() {
            true => (0.0, total * KEPT_ROW),
            false => (total * KEEP_ROW, KEPT_ROW * (1.0 + rows)),
        };
        let hashed = (!hash.is_empty()).then_some((total, rows));
        let access = Access::Mem { hash };
        Way { access, rows, left: rows, once, each, kept: None, hashed, shares: Shares::ALL }
    }

    /// Reads the rows for each row before, or once where they are the same then.
    fn read_or_kept(
        &self,
        (t, group): (usize, Option<usize>),
        (access, rows, cost): (Access, f64, f64),
        on: &On,
        bound: u64,
    ) -> Way {
        let once = 0.0;
        let read = |access| Way {
            access,
            rows,
            left: rows,
            once,
            each: cost,
            kept: None,
            hashed: None,
            shares: Shares::ALL,
        };
        let again = self.is_run_again();
        if (bound == 0 && !again)
            || self.raw.unkept & (1 << t) != 0
            || self.b.tables[t].lock == LockMode::Exclusive
            || !self.is_same(&access, t, |_| true)
        {
            return read(access);
        }
        let equal = self.equal(t, on, bound);
        let computed = self.computed(t, group, bound);
        let lasting = self.is_same(&access, t, |e| !e.is_from_outside());
        // The first table is read once in a run: it is kept for the runs to come, and only to be found by what is around.
        if bound == 0 && (!lasting || equal.is_empty() && computed.is_empty()) {
            return read(access);
        }
        let matches = self.matches(t, rows, &equal, on);
        let left = matches.rows;
        let share = if lasting && again { LASTING } else { 1.0 };
        let once = (cost + rows * KEEP_ROW) * share;
        // What is computed leaves its share of them, as every condition does.
        let found = match equal.is_empty() {
            true => guessed_matches(rows, computed.len(), self.most_guessed(t)),
            false => left * EQUAL.powi(computed.len() as i32),
        };
        let each = KEPT_ROW * (1.0 + found);
        let by_hash = !equal.is_empty() || !computed.is_empty();
        let hashed = (by_hash && !matches.is_known).then_some((rows, found));
        let kept = Some(KeptBy { equal, computed, lasting });
        Way { access, rows, left, once, each, kept, hashed, shares: Shares::ALL }
    }

    /// The block looks at rows around it, so that it is run for each of them.
    pub fn is_run_again(&self) -> bool {
        let on = self.raw.groups.iter().flat_map(|g| &g.on);
        self.raw.conds.iter().chain(on).any(BExpr::is_from_outside)
    }

    /// The access gives the same rows whatever the rows before it, as far as a value that is asked for is `settled`.
    fn is_same(&self, access: &Access, t: usize, settled: impl Fn(&BExpr) -> bool) -> bool {
        let settled = |e: &BExpr| self.tables_of(e) == 0 && !e.varies() && settled(e);
        let constant =
            |k: &Key| k.subs.is_empty() && k.searches.iter().flat_map(|s| s.values()).all(settled);
        let all = match access {
            Access::Scan { .. } => true,
            Access::Ranges { key, .. } => constant(key),
            Access::Merged(m) => m.keys.iter().all(constant),
            Access::Point(_) | Access::Loose { .. } | Access::Skip(_) | Access::Mem { .. } => false,
        };
        let around = !(1u64 << t);
        let prune = all.then(|| self.pruning(t, self.raw.group_of[t], around));
        prune.is_some_and(|p| p.iter().flat_map(|p| p.keys()).all(constant))
    }

    /// Columns of a table that conditions equate with something of the tables before, by values that have keys, if need be those of another
    /// kind: what a text is as a number, or as a date.
    fn equal(&self, t: usize, on: &On, bound: u64) -> Vec<(u16, Keyed, BExpr)> {
        let mut out: Vec<(u16, Keyed, BExpr)> = Vec::new();
        for (col, u) in &on.all {
            let Usable::Eq(alts) = u else { continue };
            let [one] = &alts[..] else { continue };
            let before = self.tables_of(&one.expr) & bound != 0 || one.expr.is_from_outside();
            let settled = one.expr.has_no_subs() && !one.expr.varies();
            // Texts that are equal except for spaces have other hashes.
            let own = self.b.shapes[t].column_type(usize::from(*col)).collation();
            if one.is_padded(own)
                || one.null_safe
                || !before
                || !settled
                || out.iter().any(|(c, ..)| c == col)
            {
                continue;
            }
            let ty = self.b.shapes[t].column_type(usize::from(*col));
            if let Some(kind) = Keyed::by(one.rule, &ty, &one.expr.info.ty) {
                out.push((*col, kind, one.expr.clone()));
            }
        }
        out
    }

    /// What conditions equate, by values that have keys, between what is computed of a table's columns and something of the tables before.
    fn computed(&self, t: usize, group: Option<usize>, bound: u64) -> Vec<(BExpr, Keyed, BExpr)> {
        let mut out = Vec::new();
        let settled = |e: &BExpr| e.has_no_subs() && !e.varies();
        for c in self.conditions(group) {
            let Node::Cmp { op: CmpOp::Eq, rule, a, b } = &c.node else { continue };
            let bit = 1u64 << t;
            let before = |e: &BExpr| {
                let of = self.tables_of(e);
                of & !bound == 0 && (of != 0 || e.is_from_outside())
            };
            let (own, value) = match (self.tables_of(a) == bit, self.tables_of(b) == bit) {
                (true, _) if before(b) => (a, b),
                (_, true) if before(a) => (b, a),
                _ => continue,
            };
            // A column finds its rows by `equal`.
            let column = matches!(own.node, Node::Col(_)) || own.is_from_outside();
            if column || !settled(own) || !settled(value) {
                continue;
            }
            if let Some(kind) = Keyed::by(*rule, &own.info.ty, &value.info.ty) {
                out.push(((**own).clone(), kind, (**value).clone()));
            }
        }
        out
    }

    /// The share of a table's rows that the conditions leave which become decided with it, beyond those that its access or hash is for.
    fn share(&self, t: usize, group: Option<usize>, bound: u64, way: &Way) -> Shares {
        let bit = 1u64 << t;
        let mut left = Vec::new();
        // Of columns that equal each other one equality says what all of them say, and none where a constant is known of them.
        let mut classes: Vec<(usize, &BExpr, bool)> = Vec::new();
        for (at, c) in self.conditions(group).into_iter().enumerate() {
            let all = self.tables_of(c);
            if all & bit == 0 || all & !(bound | bit) != 0 {
                continue;
            }
            if group.is_none() && self.raw.told_by_tables.contains(&at) {
                continue;
            }
            let used = usable(c, t as u16, &|_| true).is_some_and(|(col, u)| way.is_for(col, &u));
            match self.raw.class_of(c).filter(|_| group.is_none()) {
                Some(class) => match classes.iter_mut().find(|(k, ..)| *k == class) {
                    Some(known) => known.2 |= used,
                    None => classes.push((class, c, used || self.raw.classes[class].1)),
                },
                None if !used => conjuncts(c, &mut left),
                None => {}
            }
        }
        left.extend(classes.into_iter().filter(|(_, _, said)| !said).map(|(_, c, _)| c));
        let (told, by) = match &self.b.tables[t].source {
            Source::Table(table) => {
                let told = selectivity(&left, t as u16, table, self.env);
                (told.share, told.by)
            }
            _ => (1.0, Vec::new()),
        };
        let is_told = |i: usize| by.get(i).copied().unwrap_or(false);
        let untold = left.iter().enumerate().filter(|(i, _)| !is_told(*i));
        let rest = untold.map(|(_, c)| self.guess(c, t));
        Shares { all: told * rest.product::<f64>(), told }
    }

    /// The share of a table's rows that a condition leaves of which histograms do not tell: of an equality by a sample of its column.
    fn guess(&self, c: &BExpr, t: usize) -> f64 {
        let sampled = match &self.b.tables[t].source {
            Source::Table(table) if table.engine.estimated_rows() >= SAMPLED_ROWS => {
                sampled(c, t as u16, table, self.env)
            }
            _ => None,
        };
        sampled.unwrap_or_else(|| c.guessed_share())
    }
}

impl Way {
    /// What is left for each of so many rows before, and what it costs for each. How often values repeat nothing tells: what is guessed is
    /// that each row of the larger side finds one of the smaller, so that a join has as many rows in whichever order it is read.
    fn behind(&self, before: f64) -> (f64, f64) {
        let Some((total, most)) = self.hashed else { return (self.left, self.each) };
        let found = (total / before.max(1.0)).max(1.0).min(most);
        (self.left * found / most, self.each - KEPT_ROW * (most - found))
    }

    /// The access or the hash finds rows by this already.
    fn is_for(&self, col: u16, u: &Usable) -> bool {
        let by_key = match &self.access {
            Access::Point(k) | Access::Ranges { key: k, .. } => {
                let parts = k.searches.iter().map(|s| s.parts()).max().unwrap_or(0);
                (0..parts).any(|p| k.column(p) == usize::from(col))
            }
            // Of a union the whole OR is decided, which is about no column alone.
            Access::Merged(m) => {
                m.kind == MergeKind::Intersection
                    && m.keys.iter().any(|k| {
                        (0..k.searches[0].eq.len()).any(|p| k.column(p) == usize::from(col))
                    })
            }
            Access::Mem { hash } => hash.iter().any(|(c, ..)| *c == col),
            Access::Skip(s) => {
                (0..s.key.searches[0].parts()).any(|p| s.key.column(p) == usize::from(col))
            }
            Access::Scan { .. } | Access::Loose { .. } => false,
        };
        let kept = self.kept.iter().flat_map(|k| &k.equal);
        by_key || (matches!(u, Usable::Eq(_)) && kept.into_iter().any(|(c, ..)| *c == col))
    }
}

/// The conditions that AND joins.
fn conjuncts<'c>(c: &'c BExpr, out: &mut Vec<&'c BExpr>) {
    match &c.node {
        Node::And(list) => list.iter().for_each(|e| conjuncts(e, out)),
        _ => out.push(c),
    }
}

impl QueryPlan {
    /// Rows that an ordered query is guessed to have.
    pub fn guessed_rows(&self) -> f64 {
        let limit = |limit: &Option<Limit>, rows: f64| match limit.as_ref().map(|l| &l.count.node) {
            Some(Node::Const(Value::Int(n))) => rows.min(*n as f64),
            Some(Node::Const(Value::UInt(n))) => rows.min(*n as f64),
            _ => rows,
        };
        match &self.body {
            Body::Block(b) => {
                let joined = b.guessed;
                let rows = match &b.agg {
                    Some(a) if a.implicit => 1.0,
                    // MySQL guesses so of DISTINCT and GROUP BY without an index.
                    Some(_) => joined.sqrt().max(1.0),
                    None => joined,
                };
                limit(&b.limit, rows)
            }
            Body::Set { left, right, .. } => {
                limit(&self.limit, left.guessed_rows() + right.guessed_rows())
            }
            Body::Values(rows) => limit(&self.limit, rows.len() as f64),
            Body::Nested(q) => limit(&self.limit, q.guessed_rows()),
            Body::Recursive(r) => limit(&self.limit, r.seed.guessed_rows() * MADE),
            Body::Json(_) => 10.0,
        }
    }
}
