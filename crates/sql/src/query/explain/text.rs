//! EXPLAIN FORMAT=TREE and FORMAT=JSON: the two forms of a plan that are one text.
//!
//! The document tells what the rows tell, with the names that MySQL has for it: access, index, key parts, estimated rows, and the conditions. The tree's
//! lines are made by `super::tree`.

use crate::query::plan::Line;
use crate::query::plan::profile::{Branch, Part, Placed, Profile};
use crate::value::Value;
use crate::value::json::quote;
use std::fmt::Write as _;

const ID: usize = 0;
const KIND: usize = 1;
const TABLE: usize = 2;
const ACCESS: usize = 4;
const POSSIBLE: usize = 5;
const KEY: usize = 6;
const KEY_LEN: usize = 7;
const REF: usize = 8;
const ROWS: usize = 9;
const FILTERED: usize = 10;
const EXTRA: usize = 11;

fn text(line: &Line, at: usize) -> Option<String> {
    line[at].as_bytes().map(|b| String::from_utf8_lossy(b).into_owned())
}

fn number(line: &Line, at: usize) -> i64 {
    match &line[at] {
        Value::Int(n) => *n,
        _ => 0,
    }
}

fn says(line: &Line, what: &str) -> bool {
    text(line, EXTRA).is_some_and(|e| e.split("; ").any(|s| s == what))
}

/// The rows of one query block.
struct Level<'l> {
    lines: Vec<&'l Line>,
}

fn levels(lines: &[Line]) -> Vec<Level<'_>> {
    let mut out: Vec<Level<'_>> = Vec::new();
    // The result of a set operation is no block: it has no number.
    for line in lines.iter().filter(|line| !line[ID].is_null()) {
        match out.iter_mut().find(|l| l.id() == number(line, ID)) {
            Some(level) => level.lines.push(line),
            None => out.push(Level { lines: vec![line] }),
        }
    }
    out
}

impl Level<'_> {
    fn id(&self) -> i64 {
        number(self.lines[0], ID)
    }

    fn kind(&self) -> String {
        text(self.lines[0], KIND).unwrap_or_default()
    }

    fn any(&self, what: &str) -> bool {
        self.lines.iter().any(|l| says(l, what))
    }
}

/// What a query gave and took, of EXPLAIN ANALYZE.
pub struct Ran<'r> {
    pub rows: u64,
    pub micros: i64,
    pub profile: &'r Profile,
}

impl Ran<'_> {
    /// What was measured at a branch.
    fn of(&self, (place, part): (usize, Part)) -> String {
        let m = self.profile.at(place);
        let rows = match part {
            Part::Read => m.read,
            Part::Passed => m.passed,
            Part::Joined => m.joined,
        };
        actual((m.first, m.micros), rows, m.loops)
    }
}

/// As MySQL has it: milliseconds up to the first and the last row, and rows, of one loop on average.
fn actual((first, last): (i64, i64), rows: u64, loops: u64) -> String {
    if loops == 0 {
        return " (never executed)".into();
    }
    let each = |n: f64| n / loops as f64;
    let millis = |micros: i64| format!("{:.3}", each(micros.max(0) as f64) / 1000.0);
    let rows = match rows.is_multiple_of(loops) {
        true => (rows / loops).to_string(),
        false => format!("{:.2}", each(rows as f64)),
    };
    format!(" (actual time={}..{} rows={rows} loops={loops})", millis(first), millis(last))
}

/// The tree of iterators, as text.
pub fn tree(branches: &[Branch], ran: Option<&Ran<'_>>) -> String {
    let mut out = String::new();
    // What the query as a whole gave is said of its first line.
    let mut whole = ran.map(|ran| actual((0, ran.micros), ran.rows, 1));
    for branch in branches {
        write_branch((branch, 0), &mut whole, ran, &mut out);
    }
    out
}

fn write_branch(
    (branch, depth): (&Branch, usize),
    whole: &mut Option<String>,
    ran: Option<&Ran<'_>>,
    out: &mut String,
) {
    let _ = write!(out, "{}-> {}", "    ".repeat(depth), branch.what);
    if branch.rows > 0.0 {
        let _ = write!(out, "  (rows={})", branch.rows.round().max(1.0));
    }
    let own = || Some(ran?.of(branch.part?));
    out.push_str(&whole.take().or_else(own).unwrap_or_default());
    out.push('\n');
    for under in &branch.under {
        write_branch((under, depth + 1), whole, ran, out);
    }
}

/// A JSON document in MySQL's first version of the format.
pub fn json(placed: &Placed) -> String {
    let levels = levels(&placed.lines);
    let mut w = Json { placed: Some(placed), ..Json::default() };
    w.open("{");
    match levels.split_first() {
        Some((first, rest)) => {
            let unions: Vec<_> = rest.iter().filter(|l| l.kind() == "UNION").collect();
            w.key("query_block");
            if unions.is_empty() {
                block(&mut w, first, rest);
            } else {
                w.open("{");
                w.key("union_result");
                w.open("{");
                w.key("query_specifications");
                w.open("[");
                let others: Vec<&Level<'_>> = rest.iter().filter(|l| l.kind() != "UNION").collect();
                for (n, level) in std::iter::once(&first).chain(&unions).enumerate() {
                    w.item();
                    w.open("{");
                    w.key("query_block");
                    one_block(&mut w, level, if n == 0 { &others } else { &[] });
                    w.close("}");
                }
                w.close("]");
                w.close("}");
                w.close("}");
            }
        }
        None => w.pair("message", "No tables used"),
    }
    w.close("}");
    w.out
}

fn block(w: &mut Json<'_>, level: &Level<'_>, others: &[Level<'_>]) {
    one_block(w, level, &others.iter().collect::<Vec<_>>());
}

fn one_block(w: &mut Json<'_>, level: &Level<'_>, others: &[&Level<'_>]) {
    w.open("{");
    w.raw("select_id", &level.id().to_string());
    let sorts = level.any("Using filesort");
    let groups = level.any("Using temporary");
    if sorts {
        w.key("ordering_operation");
        w.open("{");
        w.raw("using_filesort", "true");
    }
    if groups {
        w.key("grouping_operation");
        w.open("{");
        w.raw("using_temporary_table", "true");
        w.raw("using_filesort", "false");
    }
    tables(w, level);
    let closes = usize::from(sorts) + usize::from(groups);
    (0..closes).for_each(|_| w.close("}"));
    if !others.is_empty() {
        w.key("attached_subqueries");
        w.open("[");
        for other in others {
            w.item();
            w.open("{");
            let dependent = other.kind().starts_with("DEPENDENT");
            w.raw("dependent", if dependent { "true" } else { "false" });
            w.raw("cacheable", if dependent { "false" } else { "true" });
            w.key("query_block");
            one_block(w, other, &[]);
            w.close("}");
        }
        w.close("]");
    }
    w.close("}");
}

fn tables(w: &mut Json<'_>, level: &Level<'_>) {
    let read: Vec<&&Line> = level.lines.iter().filter(|l| text(l, TABLE).is_some()).collect();
    if read.is_empty() {
        let said = level.lines.iter().find_map(|l| text(l, EXTRA));
        return w.pair("message", &said.unwrap_or_else(|| "No tables used".into()));
    }
    if let [one] = read[..] {
        w.key("table");
        return table(w, one);
    }
    w.key("nested_loop");
    w.open("[");
    for line in read {
        w.item();
        w.open("{");
        w.key("table");
        table(w, line);
        w.close("}");
    }
    w.close("]");
}

fn table(w: &mut Json<'_>, line: &Line) {
    w.open("{");
    w.pair("table_name", &text(line, TABLE).unwrap_or_default());
    w.pair("access_type", &text(line, ACCESS).unwrap_or_else(|| "ALL".into()));
    for (name, at) in [("possible_keys", POSSIBLE), ("key", KEY), ("key_length", KEY_LEN)] {
        if let Some(value) = text(line, at) {
            match at {
                POSSIBLE => w.list(name, value.split(',')),
                _ => w.pair(name, &value),
            }
        }
    }
    if let Some(value) = text(line, REF) {
        w.list("ref", value.split(','));
    }
    if let Value::Int(rows) = &line[ROWS] {
        w.raw("rows_examined_per_scan", &rows.to_string());
    }
    if let Value::Double(part) = &line[FILTERED] {
        w.pair("filtered", &format!("{part:.2}"));
    }
    if says(line, "Using index") {
        w.raw("using_index", "true");
    }
    if let Some(conds) =
        w.placed.and_then(|p| p.conditions(line)).filter(|_| says(line, "Using where"))
    {
        w.pair("attached_condition", conds);
    }
    w.close("}");
}

fn quoted(value: &str) -> String {
    let mut out = Vec::new();
    quote(value.as_bytes(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes a document with two blanks for each level.
#[derive(Default)]
struct Json<'p> {
    placed: Option<&'p Placed>,
    out: String,
    depth: usize,
    /// Something stands before, on this level.
    after: bool,
}

impl Json<'_> {
    fn item(&mut self) {
        if self.after {
            self.out.push(',');
        }
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(self.depth));
        self.after = true;
    }

    fn open(&mut self, bracket: &str) {
        self.out.push_str(bracket);
        self.depth += 1;
        self.after = false;
    }

    fn close(&mut self, bracket: &str) {
        self.depth -= 1;
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(self.depth));
        self.out.push_str(bracket);
        self.after = true;
    }

    fn key(&mut self, name: &str) {
        self.item();
        let _ = write!(self.out, "\"{name}\": ");
    }

    fn raw(&mut self, name: &str, value: &str) {
        self.key(name);
        self.out.push_str(value);
    }

    fn pair(&mut self, name: &str, value: &str) {
        self.key(name);
        self.out.push_str(&quoted(value));
    }

    fn list<'v>(&mut self, name: &str, values: impl Iterator<Item = &'v str>) {
        self.key(name);
        self.open("[");
        for v in values {
            self.item();
            self.out.push_str(&quoted(v));
        }
        self.close("]");
    }
}
