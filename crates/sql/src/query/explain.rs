//! EXPLAIN: the plan as rows of MySQL's twelve columns.

use super::access::{Key, key_length};
use super::bind::Binder;
use super::change;
use super::exec::{Out, Runner};
use super::explain_note::Note;
use super::explain_text;
use super::expr::{BExpr, ColRef, Node};
use super::insert;
use super::out::Client;
use super::partition;
use super::plan::{Access, Block, Body, QueryPlan, Source, SubKind};
use super::{Outcome, Run};
use crate::context::Reads;
use crate::meta::SqlTable;
use crate::session_api::{ColumnMeta, OkInfo, OutValue, ResultSink, SinkError, SqlError};
use crate::value::{Collation, LobKind, SqlType, TypeInfo, Value};
use std::collections::HashMap;
use std::sync::Arc;
use weir_syntax::ast::{self, Statement};

/// A row of EXPLAIN.
pub type Line = Vec<Value<'static>>;

/// What EXPLAIN gives.
pub enum Explained {
    Rows(Vec<Line>, String),
    /// FORMAT=TREE and FORMAT=JSON, with the note.
    Text(String, Option<String>),
    /// EXPLAIN ANALYZE: the query is run before it is told.
    Analyze(Box<QueryPlan>, Vec<Line>),
}

/// The one column of the formats that are a text.
pub fn text_column() -> Vec<ColumnMeta> {
    let collation = Collation::Utf8mb4GeneralCi;
    let ty = SqlType::Text { kind: LobKind::Long, collation };
    let mut columns =
        vec![super::column_meta("EXPLAIN", TypeInfo::new(ty, false), Some(collation))];
    super::told::tell_as_mysql(&mut columns, Some(collation));
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
            super::column_meta(n, TypeInfo::new(ty, true), Some(Collation::Utf8mb4GeneralCi))
        })
        .collect();
    super::told::tell_as_mysql(&mut columns, Some(Collation::Utf8mb4GeneralCi));
    columns
}

pub fn send(rows: &[Line], results: Option<Collation>, sink: &mut dyn ResultSink) -> Run<()> {
    let client = |v: &Value<'static>| match (v, results) {
        (Value::Str(..), Some(to)) => {
            v.to_text_in(to).map(|b| to.charset().own_bytes(&b).into_owned())
        }
        _ => None,
    };
    for row in rows {
        let texts: Vec<Option<Vec<u8>>> = row.iter().map(client).collect();
        let digits = |v: &Value<'static>| match v {
            // The share of rows that a condition leaves.
            Value::Double(x) => format!("{x:.2}").into_bytes(),
            _ => Vec::new(),
        };
        let shares: Vec<Vec<u8>> = row.iter().map(digits).collect();
        let out: Vec<OutValue<'_>> = (row.iter().zip(&texts).zip(&shares))
            .map(|((v, converted), share)| match (v, converted) {
                (_, Some(text)) => OutValue::Bytes(text),
                (Value::Int(n), _) => OutValue::Int(*n),
                (Value::Double(x), _) => OutValue::Shown(*x, share),
                (Value::Str(b, _) | Value::Bytes(b), _) => OutValue::Bytes(b),
                _ => OutValue::Null,
            })
            .collect();
        sink.row(&out)?;
    }
    Ok(())
}

pub fn text(s: impl Into<String>) -> Value<'static> {
    Value::text(s.into().into_bytes(), Collation::Utf8mb4GeneralCi)
}

pub async fn explain(b: &mut Binder<'_>, e: &ast::Explain) -> Result<Explained, SqlError> {
    use ast::ExplainFormat::{Default, Json, Traditional, Tree};
    if e.analyze {
        match e.format {
            Default | Tree => return analyze(b, e).await,
            Json => return Err(SqlError::not_supported("EXPLAIN ANALYZE with JSON format")),
            Traditional => {
                return Err(SqlError::not_supported("EXPLAIN ANALYZE with TRADITIONAL format"));
            }
        }
    }
    let (lines, note) = lines(b, e).await?;
    Ok(match e.format {
        Default | Traditional => Explained::Rows(lines, note),
        Tree => Explained::Text(explain_text::tree(&lines, None), None),
        Json => Explained::Text(explain_text::json(&lines), Some(note)),
    })
}

async fn analyze(b: &mut Binder<'_>, e: &ast::Explain) -> Result<Explained, SqlError> {
    match &e.target {
        ast::ExplainTarget::Statement(stmt) => match &**stmt {
            Statement::Select(q) if q.into.is_none() => {
                let plan = b.query(q, None).await?;
                let mut x = Lines::new(b);
                x.select(&plan);
                Ok(Explained::Analyze(Box::new(plan), x.out))
            }
            _ => Err(SqlError::not_supported("EXPLAIN ANALYZE of a statement that is no query")),
        },
        ast::ExplainTarget::Connection(_) => {
            Err(SqlError::not_supported("EXPLAIN ANALYZE FOR CONNECTION"))
        }
    }
}

async fn lines(b: &mut Binder<'_>, e: &ast::Explain) -> Result<(Vec<Line>, String), SqlError> {
    let ast::ExplainTarget::Statement(stmt) = &e.target else {
        return Err(SqlError::not_supported("EXPLAIN FOR CONNECTION"));
    };
    let (reads, params) = (b.env.reads, b.env.params);
    let mut x = Lines::new(b);
    let note = match &**stmt {
        Statement::Select(q) => {
            let plan = b.query(q, None).await?;
            x.select(&plan);
            note_by(params, |n| n.query(&plan, 1))
        }
        Statement::Insert(i) => {
            let p = insert::bind(b, i).await?;
            let verb = if p.replace { "REPLACE" } else { "INSERT" };
            x.line(verb, text(p.table.name()), "ALL", None, 0.0, None);
            if let Some(line) = x.out.last_mut() {
                let parts = partition::shown(&p.table, None, p.selected.as_deref(), reads, params);
                line[3] = parts.map_or(Value::Null, text);
            }
            if let insert::Rows::Query(q) = &p.rows {
                x.query(q, "SIMPLE");
            }
            note_by(params, |n| n.insert(&p))
        }
        Statement::Update(u) => {
            let p = change::bind_update(b, u).await?;
            x.block(&p.block, "UPDATE");
            note_by(params, |n| n.change(&p))
        }
        Statement::Delete(d) => {
            let p = change::bind_delete(b, d).await?;
            x.block(&p.block, "DELETE");
            note_by(params, |n| n.change(&p))
        }
        _ => return Err(SqlError::not_supported("EXPLAIN of this statement")),
    };
    Ok((x.out, note))
}

fn note_by<'p>(params: &'p [Value<'static>], write: impl FnOnce(&mut Note<'p>)) -> String {
    let mut note = Note::new(params);
    write(&mut note);
    note.out
}

/// Counts rows that nobody reads.
struct Counted(u64);

impl ResultSink for Counted {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.0 += 1;
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// EXPLAIN ANALYZE: the query runs, and its rows are counted.
pub async fn run(
    r: &mut Runner<'_, '_>,
    q: &QueryPlan,
    lines: &[Line],
    columns: &[ColumnMeta],
    sink: &mut dyn ResultSink,
) -> Run<Outcome> {
    let began = r.ev.cx.session.clock_micros();
    let mut counted = Counted(0);
    let results = r.reads.settings.results;
    let (tz, largest) = (r.ev.cx.tz, r.ev.cx.max_packet);
    let mut out = Out::Client(Client::new(&mut counted, &q.columns, results, tz, largest));
    r.run_query(q, None, &mut out).await?;
    drop(out);
    let took = r.ev.cx.session.clock_micros() - began;
    let shown = explain_text::tree(lines, Some((counted.0, took.max(0))));
    super::told::announce(columns, r.reads.settings, sink)?;
    send(&[vec![text(shown)]], results, sink)?;
    Ok(Outcome { found_rows: 1, sent_rows: true, ..Outcome::default() })
}

fn has_subqueries(q: &QueryPlan) -> bool {
    match &q.body {
        Body::Block(b) => {
            // A search is part of its block.
            b.subs.iter().any(|s| s.plan.is_some() && !matches!(s.kind, SubKind::Match(_)))
                || b.tables.iter().any(|t| matches!(t.source, Source::Derived(_)))
        }
        _ => true,
    }
}

struct Lines<'e> {
    out: Vec<Line>,
    next: i64,
    /// The numbers of common tables, by those that they have in the plan.
    commons: HashMap<u32, i64>,
    reads: Reads<'e>,
    params: &'e [Value<'static>],
}

impl<'e> Lines<'e> {
    fn new(b: &Binder<'e>) -> Lines<'e> {
        let (out, commons) = (Vec::new(), HashMap::new());
        Lines { out, next: 1, commons, reads: b.env.reads, params: b.env.params }
    }

    fn select(&mut self, plan: &QueryPlan) {
        let plain = !has_subqueries(plan);
        self.query(plan, if plain { "SIMPLE" } else { "PRIMARY" });
    }

    fn query(&mut self, q: &QueryPlan, kind: &str) {
        match &q.body {
            Body::Block(b) => self.block(b, kind),
            Body::Set { left, right, .. } => {
                self.query(left, kind);
                self.next += 1;
                self.query(right, "UNION");
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

    fn line(
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

    /// The share of the rows of the last line's table that conditions leave; MySQL shows two places of its percents.
    fn filtered(&mut self, share: f64) {
        if let Some(cell) = self.out.last_mut().and_then(|line| line.get_mut(FILTERED))
            && !cell.is_null()
        {
            *cell = Value::Double((share * 1e4).round() / 1e2);
        }
    }

    fn block(&mut self, b: &Block, kind: &str) {
        if b.extremes.is_some() {
            let extra = "Select tables optimized away";
            self.line(kind, Value::Null, "", None, 0.0, Some(extra.into()));
        } else if b.steps.is_empty() {
            self.line(kind, Value::Null, "", None, 0.0, Some("No tables used".into()));
        }
        // The lines of tables that are made first: what each is made of is numbered behind all of them.
        let mut made = vec![None; b.tables.len()];
        for (i, s) in b.steps.iter().enumerate() {
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
                _ => ("ALL", None),
            };
            let extra = extra(b, i, access);
            let name = match &t.source {
                Source::Derived(_) => {
                    made[s.table] = Some(self.out.len());
                    Value::Null
                }
                _ => text(t.alias.to_string()),
            };
            let key = key.map(|(k, t)| (k, t, reference(k, b)));
            self.line(kind, name, access, key, s.rows, extra);
            self.filtered(s.told);
            if let (Source::Table(table), Some(line)) = (&t.source, self.out.last_mut()) {
                let (prune, selected) = (s.prune.as_deref(), t.selected.as_deref());
                let parts = partition::shown(table, prune, selected, self.reads, self.params);
                line[3] = parts.map_or(Value::Null, text);
            }
            if let (Access::Scan { index, .. }, Source::Table(t), Some(line)) =
                (&s.access, &t.source, self.out.last_mut())
                && *index > 0
            {
                line[6] = text(t.engine.def.indexes[*index].name.clone());
                let parts = t.engine.def.indexes[*index].parts.len();
                line[7] = text(key_length(t, *index, parts).to_string());
            }
        }
        self.made(b, made);
        for s in &b.subs {
            // A search reads a table that stands here already.
            if matches!(s.kind, SubKind::Match(_)) {
                continue;
            }
            if let Some(q) = &s.plan {
                self.next += 1;
                let kind = match (s.correlated, &s.kind) {
                    (true, _) => "DEPENDENT SUBQUERY",
                    (false, _) => "SUBQUERY",
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

/// What is said of a step beside its access.
fn extra(b: &Block, i: usize, access: &str) -> Option<String> {
    let s = &b.steps[i];
    let said = [
        (!s.conds.is_empty() && access != "const", "Using where"),
        (s.index_only.is_some(), "Using index"),
        // MySQL says so of every table whose rows it keeps, whatever they are found by.
        (s.kept.is_some(), "Using join buffer (hash join)"),
        (i == 0 && b.agg.as_ref().is_some_and(|a| !a.implicit), "Using temporary"),
        (i == 0 && !b.order.is_empty(), "Using filesort"),
    ];
    let said: Vec<&str> = said.iter().filter(|(is, _)| *is).map(|(_, what)| *what).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Bytes of the key parts used, as MySQL counts them.
fn key_len(k: &Key) -> u64 {
    let used = k.searches.iter().map(|s| s.parts()).max().unwrap_or(0);
    key_length(&k.table, k.index, used)
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
        [one] if one.is_single() && !one.eq.is_empty() => {
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
