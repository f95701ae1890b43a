//! EXPLAIN: the plan as rows of MySQL's twelve columns, as a tree (`tree`), and as one text (`text`). May use plans and `bind::partition`; plans nothing and runs
//! nothing itself.

mod never;
pub mod text;
pub mod tree;

use crate::context::Reads;
use crate::meta::SqlTable;
use crate::query::bind::{Binder, partition};
use crate::query::expr::guessed::EQUAL;
use crate::query::expr::usable::Alt;
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::index_merge::{IndexMerge, MergeKind};
use crate::query::plan::key::{Key, key_length};
use crate::query::plan::profile::Placed;
use crate::query::plan::told::column_meta;
use crate::query::plan::{Access, Block, Body, Line, QueryPlan, Source, Step, SubKind, TableSlot};
use crate::query::print::expr::Scope;
use crate::query::print::{Note, numbered};
use crate::session_api::ColumnMeta;
use crate::value::json::elements::Listed;
use crate::value::{Collation, LobKind, SqlType, TypeInfo, Value};
use std::collections::HashMap;
use std::sync::Arc;
use weir_syntax::ast::SetOp;

/// The one column of the formats that are a text.
pub fn text_column() -> Vec<ColumnMeta> {
    let collation = Collation::Utf8mb4GeneralCi;
    let ty = SqlType::Text { kind: LobKind::Long, collation };
    let mut columns = vec![column_meta("EXPLAIN", TypeInfo::new(ty, false), Some(collation))];
    crate::query::plan::told::tell_as_mysql(&mut columns, Some(collation));
    columns
}

const NAMES: [&str; 12] = [
    "id",
    "select_type",
    "table",
    "partitions",
    "type",
    "possible_keys",
    "key",
    "key_len",
    "ref",
    "rows",
    "filtered",
    "Extra",
];

/// The place of `filtered` in a line.
const FILTERED: usize = 10;

pub fn columns() -> Vec<ColumnMeta> {
    let mut columns: Vec<ColumnMeta> = NAMES
        .iter()
        .map(|n| {
            let ty = match *n {
                "id" | "rows" => SqlType::BIGINT,
                "filtered" => SqlType::DOUBLE,
                _ => SqlType::varchar(1024, Collation::Utf8mb4GeneralCi),
            };
            column_meta(n, TypeInfo::new(ty, true), Some(Collation::Utf8mb4GeneralCi))
        })
        .collect();
    crate::query::plan::told::tell_as_mysql(&mut columns, Some(Collation::Utf8mb4GeneralCi));
    columns
}

pub fn text(s: impl Into<String>) -> Value<'static> {
    Value::text(s.into().into_bytes(), Collation::Utf8mb4GeneralCi)
}

pub struct Lines<'e> {
    pub out: Vec<Line>,
    /// The conditions of steps, by the numbers of the lines that are about them.
    conds: HashMap<usize, String>,
    next: i64,
    /// The numbers of common tables, by those that they have in the plan.
    commons: HashMap<u32, i64>,
    reads: Reads<'e>,
    params: &'e [Value<'static>],
}

impl<'e> Lines<'e> {
    pub fn new(b: &Binder<'e>) -> Lines<'e> {
        let (out, commons, conds) = (Vec::new(), HashMap::new(), HashMap::new());
        let (reads, params) = (b.env.reads, b.env.params);
        Lines { out, conds, next: 1, commons, reads, params }
    }

    /// The lines, with the conditions of the steps that they are about.
    pub fn placed(mut self) -> Placed {
        let conds = (0..self.out.len()).map(|line| self.conds.remove(&line)).collect();
        Placed { lines: self.out, conds }
    }

    pub fn select(&mut self, plan: &QueryPlan) {
        let plain = !has_subqueries(plan);
        self.query(plan, if plain { "SIMPLE" } else { "PRIMARY" });
    }

    pub fn query(&mut self, q: &QueryPlan, kind: &str) {
        match &q.body {
            Body::Block(b) => self.block(b, kind),
            Body::Set { .. } => {
                let mut numbers = Vec::new();
                self.operands(q, kind, &mut numbers);
                self.result(q, &numbers);
            }
            Body::Nested(q) => self.query(q, kind),
            Body::Recursive(r) => {
                self.query(&r.seed, kind);
                r.steps.iter().for_each(|q| self.query(q, "UNION"));
            }
            Body::Json(_) => {
                let extra = "Table function: json_table; Using temporary";
                self.line(kind, Value::Null, "ALL", None, 0.0, Some(extra.into()))
            }
            Body::Values(_) => {
                self.line(kind, Value::Null, "", None, 0.0, Some("No tables used".into()))
            }
        }
    }

    /// The blocks of a set operation, whose left side may be one of the same kind; and the numbers of what it puts together.
    fn operands(&mut self, q: &QueryPlan, kind: &str, numbers: &mut Vec<i64>) {
        let Body::Set { op, all, left, right } = &q.body else { return };
        let plain = left.order.is_empty() && left.limit.is_none();
        match &left.body {
            Body::Set { op: inner, all: inner_all, .. }
                if plain && (inner, inner_all) == (op, all) =>
            {
                self.operands(left, kind, numbers);
            }
            _ => {
                numbers.push(self.next);
                self.query(left, kind);
            }
        }
        self.next += 1;
        numbers.push(self.next);
        self.query(right, set_name(*op));
    }

    /// The table that the rows of a set operation are put into, where there is one: its line has no number.
    fn result(&mut self, q: &QueryPlan, numbers: &[i64]) {
        let Body::Set { op, all, .. } = &q.body else { return };
        let sorts = !q.order.is_empty();
        if matches!(op, SetOp::Union) && *all && !sorts {
            return;
        }
        let name = set_name(*op);
        let of = numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let table = text(format!("<{}{of}>", name.to_lowercase()));
        let extra = if sorts { "Using temporary; Using filesort" } else { "Using temporary" };
        self.line(&format!("{name} RESULT"), table, "ALL", None, 0.0, Some(extra.into()));
        if let Some(line) = self.out.last_mut() {
            line[0] = Value::Null;
        }
    }

    pub fn line(
        &mut self,
        kind: &str,
        table: Value<'static>,
        access: &str,
        key: Option<(&Key, &Arc<SqlTable>, Value<'static>)>,
        rows: f64,
        extra: Option<String>,
    ) {
        let access = if access.is_empty() { Value::Null } else { text(access) };
        let (name, len, refs) = match key {
            Some((k, t, refs)) => (
                text(t.engine.def.indexes[k.index].name.clone()),
                text(key_len(k).to_string()),
                refs,
            ),
            None => (Value::Null, Value::Null, Value::Null),
        };
        let rows = if rows > 0.0 { Value::Int(rows.round().max(1.0) as i64) } else { Value::Null };
        let filtered = if rows.is_null() { Value::Null } else { Value::Double(100.0) };
        self.out.push(vec![
            Value::Int(self.next),
            text(kind),
            table,
            Value::Null,
            access,
            name.clone(),
            name,
            len,
            refs,
            rows,
            filtered,
            extra.map_or(Value::Null, text),
        ]);
    }

    /// The conditions of a step, in the form of the note.
    fn conditions(&self, b: &Block, s: &Step) -> Option<String> {
        let after = s.after.iter().map(|(_, c)| c);
        let conds: Vec<&BExpr> = s.conds.iter().chain(after).map(|c| &c.expr).collect();
        let mut note = Note::new(self.params);
        note.scopes.push(numbered(Scope::block(b), b, self.next));
        note.list(conds.iter().copied(), " and ");
        match conds.len() {
            0 => None,
            1 => Some(note.out),
            _ => Some(format!("({})", note.out)),
        }
    }

    /// The share of the rows of the last line's table that conditions leave; MySQL shows two places of its percents.
    fn filtered(&mut self, share: f64) {
        if let Some(cell) = self.out.last_mut().and_then(|line| line.get_mut(FILTERED))
            && !cell.is_null()
        {
            *cell = Value::Double((share * 1e4).round() / 1e2);
        }
    }

    /// Of a stored table in the last line: its partitions, and the indexes that it could be searched by.
    fn table(&mut self, slot: &TableSlot, s: &Step) {
        let (Source::Table(t), Some(line)) = (&slot.source, self.out.last_mut()) else { return };
        let (prune, selected) = (s.prune.as_deref(), slot.selected.as_deref());
        let parts = partition::shown(t, prune, selected, self.reads, self.params);
        line[3] = parts.map_or(Value::Null, text);
        let names: Vec<&str> = s.possible.iter().map(|i| &*t.engine.def.indexes[*i].name).collect();
        if !names.is_empty() {
            line[5] = text(names.join(","));
        }
    }

    /// Of the last line: the index that is read whole, or the ends of its groups, and the indexes that are merged.
    fn access(&mut self, slot: &TableSlot, s: &Step) {
        let (Source::Table(t), Some(line)) = (&slot.source, self.out.last_mut()) else { return };
        let of = |index: usize, parts: usize| {
            let name = t.engine.def.indexes[index].name.to_string();
            (name, key_length(t, index, parts).to_string())
        };
        let (name, length) = match &s.access {
            Access::Scan { index, .. } if *index > 0 => {
                of(*index, t.engine.def.indexes[*index].parts.len())
            }
            Access::Loose { index, parts, .. } => of(*index, *parts),
            Access::Skip(s) => of(s.key.index, s.skipped + s.key.searches[0].parts()),
            Access::Merged(m) if m.kind != MergeKind::MultiValued => {
                let lengths: Vec<String> = m.keys.iter().map(|k| key_len(k).to_string()).collect();
                (names_of(m), lengths.join(","))
            }
            _ => return,
        };
        (line[6], line[7]) = (text(name), text(length));
    }

    pub fn block(&mut self, b: &Block, kind: &str) {
        let empty = never::why_empty(b, self.reads, self.params);
        if let Some(why) = empty {
            self.line(kind, Value::Null, "", None, 0.0, Some(why.into()));
        } else if b.extremes.is_some() {
            let extra = "Select tables optimized away";
            self.line(kind, Value::Null, "", None, 0.0, Some(extra.into()));
        } else if b.steps.is_empty() {
            self.line(kind, Value::Null, "", None, 0.0, Some("No tables used".into()));
        }
        // The lines of tables that are made first: what each is made of is numbered behind all of them.
        let mut made = vec![None; b.tables.len()];
        let steps = if empty.is_some() { &[][..] } else { &b.steps[..] };
        for (i, s) in steps.iter().enumerate() {
            let t = &b.tables[s.table];
            let (access, key) = match (&s.access, &t.source) {
                (Access::Scan { index: 0, .. }, _) => ("ALL", None),
                (Access::Scan { .. }, _) => ("index", None),
                (Access::Point(k), Source::Table(t)) => {
                    let constant = k
                        .searches
                        .iter()
                        .flat_map(|s| s.values())
                        .all(|e| e.is_statement_constant());
                    (if constant { "const" } else { "eq_ref" }, Some((k, t)))
                }
                (Access::Ranges { key, .. }, Source::Table(t)) => {
                    let single = matches!(&key.searches[..], [one] if one.is_single());
                    (if single { "ref" } else { "range" }, Some((key, t)))
                }
                (Access::Merged(m), Source::Table(t)) if m.kind == MergeKind::MultiValued => {
                    (multi_valued(&m.keys[0]), Some((&m.keys[0], t)))
                }
                (Access::Merged(_), _) => ("index_merge", None),
                (Access::Loose { .. } | Access::Skip(_), _) => ("range", None),
                _ => ("ALL", None),
            };
            let extra = extra((b, i), access);
            let name = match &t.source {
                Source::Derived(_) => {
                    made[s.table] = Some(self.out.len());
                    Value::Null
                }
                _ => text(t.alias.to_string()),
            };
            let key = key.map(|(k, t)| (k, t, reference(k, b)));
            self.conds.extend(self.conditions(b, s).map(|c| (self.out.len(), c)));
            self.line(kind, name, access, key, s.rows, extra);
            self.filtered(share_of(b, i));
            self.table(t, s);
            self.access(t, s);
        }
        self.made(b, made);
        for s in &b.subs {
            // A search reads a table that stands here already.
            if matches!(s.kind, SubKind::Match(_)) {
                continue;
            }
            if let Some(q) = &s.plan {
                self.next += 1;
                let kind = match (s.draws, s.correlated) {
                    (true, _) => "UNCACHEABLE SUBQUERY",
                    (false, true) => "DEPENDENT SUBQUERY",
                    (false, false) => "SUBQUERY",
                };
                self.query(q, kind);
            }
        }
    }

    /// What the tables are made of that are made first, and their numbers in the block's lines.
    fn made(&mut self, b: &Block, lines: Vec<Option<usize>>) {
        for (t, line) in b.tables.iter().zip(lines) {
            let Source::Derived(q) = &t.source else { continue };
            let (what, kind) =
                if t.of_in { ("subquery", "MATERIALIZED") } else { ("derived", "DERIVED") };
            let known = t.common.and_then(|n| self.commons.get(&n)).copied();
            let number = known.unwrap_or(self.next + 1);
            if let Some(line) = line {
                self.out[line][2] = text(format!("<{what}{number}>"));
            }
            // A common table stands where its first reader does.
            if known.is_none() {
                self.next += 1;
                self.commons.extend(t.common.map(|n| (n, number)));
                self.query(q, kind);
            }
        }
    }
}

/// The share of a step's rows that conditions are expected to leave: as in MySQL a row at least, and all where one row is found by constants, or
/// where rows of an outer join's inner side are only left out together with NULLs that come instead.
fn share_of(b: &Block, at: usize) -> f64 {
    let s = &b.steps[at];
    let constant =
        |k: &Key| k.searches.iter().flat_map(|s| s.values()).all(BExpr::is_statement_constant);
    let is_constant = matches!(&s.access, Access::Point(k) if constant(k));
    if is_constant || b.groups.iter().any(|g| (g.first..=g.last).contains(&at)) {
        return 1.0;
    }
    let found_by = s.kept.as_ref().map_or(0, |k| k.equal.len());
    let share = s.share * EQUAL.powi(found_by as i32);
    match &b.tables[s.table].source {
        Source::Table(t) => share.max(1.0 / (t.engine.estimated_rows() as f64).max(1.0)),
        _ => share,
    }
}

/// What is said of a step beside its access.
fn extra((b, i): (&Block, usize), access: &str) -> Option<String> {
    let s = &b.steps[i];
    let loose = matches!(s.access, Access::Loose { .. });
    let skips = matches!(s.access, Access::Skip(_));
    let groups = b.agg.as_ref().is_some_and(|a| !a.implicit);
    let hashes_groups = groups && !loose && !b.together.rows;
    let merged = match &s.access {
        Access::Merged(m) if m.kind != MergeKind::MultiValued => {
            format!("Using {}({})", m.kind.name(), names_of(m))
        }
        _ => String::new(),
    };
    // Rows that are looked up by equality fulfil it, as in MySQL; of ranges it says so all the same.
    let found = matches!(access, "ref" | "eq_ref");
    let looks = access != "const" && s.conds.iter().any(|c| !(found && c.implied));
    let said = [
        (!merged.is_empty(), &*merged),
        (looks, "Using where"),
        (s.anti, "Not exists"),
        (s.index_only.is_some() && !loose && !skips, "Using index"),
        (skips, "Using index for skip scan"),
        (loose, "Using index for group-by"),
        // MySQL says so of every table whose rows it keeps, whatever they are found by.
        (s.kept.is_some(), "Using join buffer (hash join)"),
        (i == 0 && hashes_groups, "Using temporary"),
        (i == 0 && !b.order.is_empty(), "Using filesort"),
    ];
    let said: Vec<&str> = said.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// MEMBER OF asks for one element, the others for some.
fn multi_valued(key: &Key) -> &'static str {
    let one = |a: &Alt| a.listed.is_none_or(|by| by == Listed::Member);
    match key.searches.iter().flat_map(|s| s.eq.iter().flatten()).all(one) {
        true => "ref",
        false => "range",
    }
}

fn names_of(merge: &IndexMerge) -> String {
    let name = |k: &Key| k.table.engine.def.indexes[k.index].name.to_string();
    merge.keys.iter().map(name).collect::<Vec<_>>().join(",")
}

/// Bytes of the key parts used, as MySQL counts them.
fn key_len(k: &Key) -> u64 {
    let used = k.searches.iter().map(|s| s.parts()).max().unwrap_or(0);
    key_length(&k.table, k.index, used)
}

fn set_name(op: SetOp) -> &'static str {
    match op {
        SetOp::Union => "UNION",
        SetOp::Intersect => "INTERSECT",
        SetOp::Except => "EXCEPT",
    }
}

/// With its table's name, and the schema of a table that is stored.
fn column_name(b: &Block, c: ColRef) -> String {
    let slot = &b.tables[usize::from(c.table)];
    match &slot.source {
        Source::Table(t) => {
            let column = &t.meta.columns[usize::from(c.col)];
            format!("{}.{}.{}", t.schema(), slot.alias, column.name)
        }
        Source::Derived(q) => format!("{}.{}", slot.alias, q.columns[usize::from(c.col)].name),
        _ => "func".into(),
    }
}

/// What the key's columns are compared with: columns of the block by name.
fn reference(k: &Key, b: &Block) -> Value<'static> {
    match &k.searches[..] {
        [one] if one.is_single() && !one.eq.is_empty() && multi_valued(k) == "ref" => {
            let of = |e: &BExpr| match &e.node {
                Node::Col(c) if c.depth == 0 => column_name(b, *c),
                _ if e.is_statement_constant() => "const".into(),
                _ => "func".into(),
            };
            text(one.values().map(of).collect::<Vec<_>>().join(","))
        }
        _ => Value::Null,
    }
}

pub fn has_subqueries(q: &QueryPlan) -> bool {
    match &q.body {
        Body::Block(b) => {
            // A search is part of its block.
            b.subs.iter().any(|s| s.plan.is_some() && !matches!(s.kind, SubKind::Match(_)))
                || b.tables.iter().any(|t| matches!(t.source, Source::Derived(_)))
        }
        _ => true,
    }
}
