//! Rounds: a schema on both servers, statements on both, and what differs.

use crate::client::{Answer, Client, Rows};
use crate::generate::Generator;
use crate::judge::{Kind, difference};
use crate::known::{self, Reference};
use crate::tree::{Tree, shrink};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Instant;

pub struct Options {
    pub weir: String,
    pub other: String,
    pub user: String,
    pub seed: u64,
    pub until: Instant,
    pub rounds: u64,
    pub kinds: Vec<Kind>,
    pub max_findings: usize,
    /// Statements of each round.
    pub statements: usize,
    pub through: Through,
}

/// How a query is asked: in a plain way, or from behind something that should make no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    Plain,
    Cte,
    View,
    Prepared,
}

impl Through {
    pub fn by_name(name: &str) -> Result<Through, String> {
        Ok(match name {
            "plain" => Through::Plain,
            "cte" => Through::Cte,
            "view" => Through::View,
            "prepared" => Through::Prepared,
            _ => return Err(format!("--through: '{name}' is unknown")),
        })
    }

    /// The statements that ask a query of so many columns; the last one has the answer.
    fn statements(self, sql: &str, columns: usize) -> Vec<String> {
        let names: Vec<String> = (0..columns).map(|n| format!("x{n}")).collect();
        let names = names.join(", ");
        let quoted = sql.replace('\\', "\\\\").replace('\'', "''");
        match self {
            Through::Plain => vec![sql.into()],
            Through::Cte => vec![format!("WITH q ({names}) AS ({sql}) SELECT * FROM q")],
            Through::View => vec![
                format!("CREATE OR REPLACE VIEW v ({names}) AS {sql}"),
                "SELECT * FROM v".into(),
            ],
            Through::Prepared => vec![format!("PREPARE s FROM '{quoted}'"), "EXECUTE s".into()],
        }
    }
}

/// Questions that the shrinker may ask for one finding.
const TRIES: usize = 600;

/// What one server says, and what is in the tables after it.
pub struct Outcome {
    pub answer: Answer,
    warnings: Vec<Warning>,
    after: Vec<Rows>,
}

/// Number and text.
type Warning = (u16, String);

pub struct Pair {
    servers: [Client; 2],
    reference: Reference,
    kinds: Vec<Kind>,
    through: Through,
}

#[derive(Default)]
pub struct Tally {
    pub statements: usize,
    pub refused_by_both: usize,
    /// By name: how often, and what it is.
    pub known: BTreeMap<&'static str, (usize, &'static known::Known)>,
    pub findings: usize,
    seen: BTreeSet<String>,
}

impl Pair {
    fn connect(o: &Options) -> io::Result<Pair> {
        let open = |a: &str| {
            Client::connect(a, &o.user).map_err(|e| io::Error::other(format!("{a}: {e}")))
        };
        let mut servers = [open(&o.weir)?, open(&o.other)?];
        let reference = Reference::by_version(&version(&mut servers[1])?);
        Ok(Pair { servers, reference, kinds: o.kinds.clone(), through: o.through })
    }

    /// Asks both; a change is made in a transaction that is still open afterwards.
    fn ask(&mut self, sql: &str, changes: Option<usize>) -> io::Result<[Outcome; 2]> {
        self.ask_all(sql, changes, self.kinds.contains(&Kind::Warnings))
    }

    fn ask_all(
        &mut self,
        sql: &str,
        changes: Option<usize>,
        wants_warnings: bool,
    ) -> io::Result<[Outcome; 2]> {
        let through = match changes.is_none() && sql.starts_with("SELECT ") {
            true => self.through,
            false => Through::Plain,
        };
        let one = |server: &mut Client| -> io::Result<Outcome> {
            if changes.is_some() {
                server.query("START TRANSACTION")?;
            }
            let answer = asked(server, sql, through)?;
            let warnings = if wants_warnings { warnings(server)? } else { Vec::new() };
            let mut after = Vec::new();
            for i in 0..changes.unwrap_or(0) {
                if let Answer::Rows { rows } = server.query(&format!("SELECT * FROM t{i}"))? {
                    after.push(rows);
                }
            }
            Ok(Outcome { answer, warnings, after })
        };
        let [a, b] = &mut self.servers;
        Ok([one(a)?, one(b)?])
    }

    fn end(&mut self, how: &str) -> io::Result<()> {
        for s in &mut self.servers {
            s.query(how)?;
        }
        Ok(())
    }

    fn judge(&self, [a, b]: &[Outcome; 2]) -> Option<Kind> {
        let numbers = |o: &Outcome| -> Vec<u16> {
            let mut all: Vec<u16> = o.warnings.iter().map(|w| w.0).collect();
            all.dedup();
            all
        };
        let (x, y) = (numbers(a), numbers(b));
        let answers = difference(&a.answer, &b.answer, [&x, &y], &self.kinds);
        let rows = |r: &Rows| Answer::Rows { rows: r.clone() };
        answers.or_else(|| {
            a.after.iter().zip(&b.after).find_map(|(x, y)| {
                difference(&rows(x), &rows(y), [&[], &[]], &[Kind::Rows, Kind::ColumnCount])
            })
        })
    }
}

/// The answer to a statement, asked in some way. A plain answer says how many columns there are.
fn asked(server: &mut Client, sql: &str, through: Through) -> io::Result<Answer> {
    let answer = server.query(sql)?;
    let columns = match &answer {
        Answer::Rows { rows } if through != Through::Plain => rows.columns.len(),
        _ => return Ok(answer),
    };
    let mut last = answer;
    for sql in through.statements(sql, columns) {
        last = server.query(&sql)?;
        if matches!(last, Answer::Error { .. }) {
            break;
        }
    }
    Ok(last)
}

fn version(server: &mut Client) -> io::Result<String> {
    let Answer::Rows { rows } = server.query("SELECT VERSION()")? else {
        return Err(io::Error::other("the server does not tell its version"));
    };
    let first = rows.rows.first().and_then(|r| r.first()?.as_deref());
    Ok(first.map(|v| String::from_utf8_lossy(v).into_owned()).unwrap_or_default())
}

/// One of each text, sorted by number.
fn warnings(server: &mut Client) -> io::Result<Vec<Warning>> {
    let Answer::Rows { rows } = server.query("SHOW WARNINGS")? else { return Ok(Vec::new()) };
    let read = |r: &Vec<Option<Vec<u8>>>| {
        let text = |i: usize| Some(String::from_utf8_lossy(r.get(i)?.as_deref()?).into_owned());
        Some((text(1)?.parse().ok()?, text(2)?))
    };
    let mut all: Vec<Warning> = rows.rows.iter().filter_map(read).collect();
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Runs rounds until the time is over or enough was found.
pub fn run(o: &Options) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let mut seed = o.seed;
    let end = o.seed.saturating_add(o.rounds);
    while seed < end && Instant::now() < o.until && tally.findings < o.max_findings {
        match round(o, seed, &mut tally) {
            Ok(()) => {}
            Err(e) => {
                // A lost connection is a finding of its own; without servers there is nothing to go on with.
                tally.findings += 1;
                println!("-- seed {seed}: lost: {e}\n");
                Pair::connect(o)?;
            }
        }
        seed += 1;
    }
    Ok(tally)
}

fn round(o: &Options, seed: u64, tally: &mut Tally) -> io::Result<()> {
    let mut pair = Pair::connect(o)?;
    let mut g = Generator::new(seed);
    let setup = g.setup();
    let rounds = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',TIME_ROUND_FRACTIONAL')";
    for sql in &setup {
        let outcome = pair.ask(sql, None)?;
        if let Some(kind) = pair.judge(&outcome) {
            tell(tally, seed, kind, sql, &outcome, &setup, pair.reference);
            return Ok(());
        }
    }
    if pair.reference == Reference::MariaDb {
        // MariaDB cuts fractions of seconds unless `TIME_ROUND_FRACTIONAL` makes it round as MySQL does.
        pair.servers[1].query(rounds)?;
        // Its default collation of utf8mb4 is another one, for which MySQL has a variable.
        pair.servers[0].query("SET default_collation_for_utf8mb4 = utf8mb4_general_ci")?;
    }
    for table in 0..g.tables.len() {
        for id in 0..8 {
            let tree = g.insert_row(table, id);
            step(&mut pair, &tree, Some(g.tables.len()), seed, &setup, tally)?;
        }
    }
    for _ in 0..o.statements {
        if Instant::now() > o.until || tally.findings >= o.max_findings {
            break;
        }
        let (tree, changes) = g.statement();
        let tables = changes.then_some(g.tables.len());
        step(&mut pair, &tree, tables, seed, &setup, tally)?;
    }
    Ok(())
}

/// One statement on both; a difference is cut down and told, and leaves nothing behind.
fn step(
    pair: &mut Pair,
    tree: &Tree,
    changes: Option<usize>,
    seed: u64,
    setup: &[String],
    tally: &mut Tally,
) -> io::Result<()> {
    let sql = tree.render();
    tally.statements += 1;
    let outcome = pair.ask(&sql, changes).map_err(|e| io::Error::other(format!("{e}: {sql}")))?;
    let found = pair.judge(&outcome);
    if matches!(outcome[0].answer, Answer::Error { .. }) && found.is_none() {
        tally.refused_by_both += 1;
    }
    if changes.is_some() {
        pair.end(if found.is_some() { "ROLLBACK" } else { "COMMIT" })?;
    }
    let Some(kind) = found else { return Ok(()) };
    let mut lost = None;
    let small = shrink(tree, TRIES, |t| {
        if lost.is_some() {
            return false;
        }
        let still = pair.ask(&t.render(), changes).and_then(|o| {
            if changes.is_some() {
                pair.end("ROLLBACK")?;
            }
            Ok(pair.judge(&o) == Some(kind))
        });
        still.unwrap_or_else(|e| {
            lost = Some(io::Error::other(format!("{e}: {}", t.render())));
            false
        })
    });
    if let Some(e) = lost {
        return Err(e);
    }
    let sql = small.render();
    // A statement that reads no table keeps the warnings of the one before it.
    pair.end("SELECT 1 FROM t0 WHERE 0")?;
    let outcome = pair.ask_all(&sql, changes, true)?;
    if changes.is_some() {
        pair.end("ROLLBACK")?;
    }
    tell(tally, seed, kind, &sql, &outcome, setup, pair.reference);
    Ok(())
}

/// Prints a finding unless it is known or was told in another dress.
fn tell(
    t: &mut Tally,
    seed: u64,
    kind: Kind,
    sql: &str,
    outcome: &[Outcome; 2],
    setup: &[String],
    from: Reference,
) {
    let shown = [show(&outcome[0], &outcome[1]), show(&outcome[1], &outcome[0])];
    let typed = with_targets(typed(sql, setup), setup);
    if let Some(known) = known::explain(kind, &typed, [&shown[0], &shown[1]], from) {
        t.known.entry(known.what).or_insert((0, known)).0 += 1;
        return;
    }
    if !t.seen.insert(format!("{kind:?} {}", skeleton(sql))) {
        return;
    }
    t.findings += 1;
    println!("-- {}. seed {seed}: {kind:?}\n{sql};", t.findings);
    if sql.contains("t0") || sql.contains("t1") || sql.contains("t2") {
        setup.iter().filter(|s| s.starts_with("CREATE TABLE t")).for_each(|s| {
            if sql.contains(&s[13..15]) {
                println!("   {s}");
            }
        });
    }
    if let Some(mode) = setup.iter().find(|s| s.contains("sql_mode")) {
        println!("   {mode}");
    }
    println!("   weir:  {}\n   other: {}\n", shown[0], shown[1]);
}

/// The statement with the type behind each column's name, in small letters as in `a.c1:year`: what is known of a difference often is
/// known of a type.
fn typed(sql: &str, setup: &[String]) -> String {
    let of_table = |n: &str| setup.iter().find(|s| s.starts_with(&format!("CREATE TABLE t{n} ")));
    // Aliases, of the SELECT that the name stands in, and, of what changes one table, the table itself.
    let alias = |a: &str, from: usize| {
        let named = format!(" {a} ");
        let next = || sql[from..].find(&named).map(|at| from + at);
        let last = || sql.strip_suffix(a).map(str::len);
        let at = next().or_else(last).or_else(|| sql.find(&named))?;
        sql[..at].trim_end().rsplit([' ', '(']).next()?.strip_prefix('t')
    };
    let changed = || {
        let word =
            |w: &&str| w.len() == 2 && w.starts_with('t') && w.as_bytes()[1].is_ascii_digit();
        sql.split([' ', ';', '(']).find(word).map(|w| &w[1..])
    };
    let mut out = String::new();
    let mut quoted = false;
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        quoted ^= c == '\'';
        let start = out.chars().last().is_none_or(|p| !p.is_alphanumeric() && p != '_');
        let name = match rest.as_bytes() {
            [b'c', d, ..] if start && !quoted && d.is_ascii_digit() => &rest[..2],
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        let table = match out.strip_suffix('.').and_then(|o| o.chars().last()) {
            Some(a) => alias(&a.to_string(), sql.len() - rest.len()),
            None => changed(),
        };
        out.push_str(name);
        if let Some(ty) = table.and_then(of_table).and_then(|t| type_in(t, name)) {
            out.push(':');
            out.push_str(&ty.to_lowercase());
        }
        rest = &rest[2..];
    }
    out
}

/// The values of INSERT ... VALUES with the type of the column that each goes to behind them: `DATE'2000-01-01'→year`.
fn with_targets(sql: String, setup: &[String]) -> String {
    let Some((head, values)) = sql.split_once(" VALUES (") else { return sql };
    let Some(table) = head.rsplit_once("INTO t").map(|(_, t)| t) else { return sql };
    let named = |s: &&String| s.starts_with(&format!("CREATE TABLE t{table} "));
    let Some(create) = setup.iter().find(named) else { return sql };
    let mut out = format!("{head} VALUES (");
    // The first value is the key's; behind the rows there may be ON DUPLICATE KEY UPDATE.
    let (mut depth, mut at, mut quoted) = (1, 0, false);
    for c in values.chars() {
        quoted ^= c == '\'';
        let ends = !quoted && depth == 1 && matches!(c, ',' | ')');
        if ends
            && at > 0
            && let Some(ty) = type_in(create, &format!("c{}", at - 1))
        {
            out.push('→');
            out.push_str(&ty.to_lowercase());
        }
        match c {
            '(' if !quoted => {
                depth += 1;
                at = if depth == 1 { 0 } else { at };
            }
            ')' if !quoted => depth -= 1,
            ',' if ends => at += 1,
            _ => {}
        }
        out.push(c);
    }
    out
}

/// The type of a column in the statement that made its table.
fn type_in<'s>(create: &'s str, column: &str) -> Option<&'s str> {
    let (_, definition) = create.split_once(&format!(", {column} "))?;
    let end = definition.find(", KEY ").into_iter().chain(definition.find(", c"));
    let definition = end
        .min()
        .map_or_else(|| definition.strip_suffix(')').unwrap_or(definition), |at| &definition[..at]);
    Some(definition.trim_end_matches(" NOT NULL"))
}

/// A statement without its literals: two findings with the same skeleton are one.
fn skeleton(sql: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in sql.chars() {
        match c {
            '\'' => quoted = !quoted,
            _ if quoted || c.is_ascii_digit() || c == '.' || c == '-' => {}
            _ => out.push(c),
        }
    }
    out
}

/// An answer in a line, with what the other one does not have of rows, and its warnings.
fn show(o: &Outcome, beside: &Outcome) -> String {
    let answer = match (&o.answer, &beside.answer) {
        (Answer::Error { errno, message }, _) => return format!("error {errno}: {message}"),
        (Answer::Rows { rows }, Answer::Rows { rows: other }) => only(rows, other),
        (Answer::Rows { rows }, _) => only(rows, &Rows::default()),
        (Answer::Done { affected }, _) => {
            let pairs = o.after.iter().zip(&beside.after);
            let tables: Vec<_> = pairs.map(|(x, y)| only(x, y)).collect();
            format!("{affected} rows affected; {}", tables.join(" "))
        }
    };
    let told: Vec<_> = o.warnings.iter().map(|(n, text)| format!("[{n} {text}]")).collect();
    format!("{answer} {}", told.join(" "))
}

/// Rows of one answer that are printed.
const SHOWN: usize = 3;

fn only(rows: &Rows, other: &Rows) -> String {
    // Each of their rows stands against one of these.
    let mut theirs: BTreeMap<_, usize> = BTreeMap::new();
    other.rows.iter().for_each(|r| *theirs.entry(r).or_default() += 1);
    let mut shown = Vec::new();
    for row in &rows.rows {
        match theirs.get_mut(row).filter(|n| **n > 0) {
            Some(n) => *n -= 1,
            None if shown.len() < SHOWN => {
                let cells: Vec<_> = row.iter().map(cell).collect();
                shown.push(format!("({})", cells.join(", ")));
            }
            None => {}
        }
    }
    let types: Vec<_> = rows.columns.iter().map(|c| c.type_code.to_string()).collect();
    format!("{} rows of types {}: {}", rows.rows.len(), types.join(","), shown.join(" "))
}

fn cell(v: &Option<Vec<u8>>) -> String {
    match v {
        None => "NULL".into(),
        Some(b) => match std::str::from_utf8(b) {
            Ok(s) if s.len() <= 80 => format!("'{}'", s.escape_debug()),
            _ => b.iter().take(40).map(|c| format!("{c:02x}")).collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{typed, with_targets};

    #[test]
    fn columns_are_told_with_their_types() {
        let setup = [
            "CREATE TABLE t0 (id INT NOT NULL PRIMARY KEY, c0 YEAR, KEY k0 (c0), c1 ENUM('a','b') NOT NULL, c2 TIME(3))".to_string(),
            "CREATE TABLE t1 (id INT NOT NULL PRIMARY KEY, c0 VARCHAR(20) COLLATE utf8mb4_bin NOT NULL)".to_string(),
        ];
        let cases = [
            (
                "SELECT a.c0, b.c0 FROM t0 a JOIN t1 b ON 1",
                "SELECT a.c0:year, b.c0:varchar(20) collate utf8mb4_bin FROM t0 a JOIN t1 b ON 1",
            ),
            ("SELECT 'c0', a.c2 FROM t0 a", "SELECT 'c0', a.c2:time(3) FROM t0 a"),
            (
                "SELECT a.c0 FROM t0 a UNION SELECT a.c0 FROM t1 a",
                "SELECT a.c0:year FROM t0 a UNION SELECT a.c0:varchar(20) collate utf8mb4_bin FROM t1 a",
            ),
            ("UPDATE t0 SET c1 = c0", "UPDATE t0 SET c1:enum('a','b') = c0:year"),
        ];
        for (sql, want) in cases {
            assert_eq!(typed(sql, &setup), want);
        }
        let sql = "INSERT INTO t1 VALUES (1, CONCAT('(,', 2)), (2, NULL) ON DUPLICATE KEY UPDATE c0 = VALUES(c0)";
        let bin = "→varchar(20) collate utf8mb4_bin";
        let want = format!(
            "INSERT INTO t1 VALUES (1, CONCAT('(,', 2){bin}), (2, NULL{bin}) ON DUPLICATE KEY UPDATE c0 = VALUES(c0)"
        );
        assert_eq!(with_targets(sql.into(), &setup), want);
    }
}
