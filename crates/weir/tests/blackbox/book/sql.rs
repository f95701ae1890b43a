//! Each fenced block of SQL runs on a server of its page, in the order of the page. A block of `text` that follows one at once holds
//! what a client prints for its statements, in which `...` stands for anything; a statement without it must succeed.
//!
//! A line `-- session B` goes on in a session of that name, and `-- session B waits` says that its statement has to wait: what it gives
//! comes at the next line `-- session B`.

use super::pages::{Block, blocks, name, pages};
use crate::common::{Answer, Client, Failure, Login, Server, until};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Types of columns whose values stand at the right: numbers, except YEAR.
const NUMBERS: [u8; 8] = [1, 2, 3, 4, 5, 8, 9, 246];

/// What is done in order.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    Session { name: String, waits: bool },
    Statement { sql: String, vertical: bool },
}

fn steps(block: &Block) -> Vec<Step> {
    let mut all = Vec::new();
    let (mut sql, mut end) = (String::new(), ";".to_owned());
    for line in &block.lines {
        if let Some(rest) = line.strip_prefix("-- session ") {
            let (name, waits) = rest.strip_suffix(" waits").map_or((rest, false), |n| (n, true));
            all.push(Step::Session { name: name.into(), waits });
            continue;
        }
        if let Some(rest) = line.strip_prefix("DELIMITER ") {
            end = rest.trim().into();
            continue;
        }
        let _ = writeln!(sql, "{line}");
        let whole = sql.trim_end();
        let vertical = whole.ends_with("\\G");
        if let Some(one) = whole.strip_suffix(&end).or_else(|| whole.strip_suffix("\\G")) {
            all.push(Step::Statement { sql: one.trim().into(), vertical });
            sql.clear();
        }
    }
    assert!(sql.trim().is_empty(), "a statement without its end: {sql}");
    all
}

fn cell(value: &Option<String>) -> &str {
    value.as_deref().unwrap_or("NULL")
}

/// As the client `mysql` prints rows: in a frame, or each value on a line of its own.
fn printed(answer: &Answer, vertical: bool) -> String {
    let mut out = String::new();
    if vertical {
        let width = answer.columns.iter().map(|c| c.chars().count()).max().unwrap_or(0);
        for (n, row) in answer.rows.iter().enumerate() {
            let stars = "*".repeat(27);
            let _ = writeln!(out, "{stars} {}. row {stars}", n + 1);
            for (column, value) in answer.columns.iter().zip(row) {
                let _ = writeln!(out, "{column:>width$}: {}", cell(value));
            }
        }
        return out;
    }
    let widths: Vec<usize> = (answer.columns.iter().enumerate())
        .map(|(i, c)| {
            let values = answer.rows.iter().map(|r| cell(&r[i]).chars().count());
            values.max().unwrap_or(0).max(c.chars().count())
        })
        .collect();
    let rule: String = widths.iter().map(|w| format!("+{}", "-".repeat(w + 2))).collect();
    let _ = writeln!(out, "{rule}+");
    for (c, w) in answer.columns.iter().zip(&widths) {
        let _ = write!(out, "| {c:w$} ");
    }
    let _ = writeln!(out, "|\n{rule}+");
    for row in &answer.rows {
        for ((value, w), (ty, ..)) in row.iter().zip(&widths).zip(&answer.types) {
            let value = cell(value);
            let _ = match NUMBERS.contains(ty) {
                true => write!(out, "| {value:>w$} "),
                false => write!(out, "| {value:w$} "),
            };
        }
        let _ = writeln!(out, "|");
    }
    let _ = writeln!(out, "{rule}+");
    out
}

/// What a statement leaves on the screen: rows, an error, or nothing.
fn shown(got: Result<Answer, Failure>, vertical: bool) -> String {
    match got {
        Ok(answer) if answer.columns.is_empty() || answer.rows.is_empty() => String::new(),
        Ok(answer) => printed(&answer, vertical),
        Err(e) => format!("ERROR {} ({}): {}\n", e.errno, e.state, e.message),
    }
}

/// The sessions of a page.
struct Sessions<'s> {
    server: &'s Server,
    open: BTreeMap<String, Client>,
    at: String,
    /// The next statement of the session waits; the session whose statement does, and how its rows are printed.
    waits: bool,
    waiting: Option<(String, bool)>,
}

impl<'s> Sessions<'s> {
    fn new(server: &'s Server) -> Sessions<'s> {
        let open = BTreeMap::new();
        Sessions { server, open, at: "A".into(), waits: false, waiting: None }
    }

    fn client(&mut self, name: &str) -> &mut Client {
        let server = self.server;
        self.open.entry(name.into()).or_insert_with(|| {
            server.connect(&Login { database: "", ..Login::default() }).expect("a session")
        })
    }

    /// Does a step and returns what it shows.
    fn step(&mut self, step: &Step) -> String {
        match step {
            Step::Session { name, waits } => {
                (self.at, self.waits) = (name.clone(), *waits);
                let Some((_, vertical)) = self.waiting.take_if(|(who, _)| who == name) else {
                    return String::new();
                };
                let got = self.client(name).read_answer(false);
                shown(got, vertical)
            }
            Step::Statement { sql, vertical } if self.waits => {
                let at = self.at.clone();
                self.client(&at).send_query(sql);
                let mut look = self.server.root_client();
                until("the statement waits", || {
                    look.rows("select count(*) > 0 from information_schema.weir_waits where under_way = 'YES'") == "1"
                });
                (self.waits, self.waiting) = (false, Some((at, *vertical)));
                String::new()
            }
            Step::Statement { sql, vertical } => {
                let at = self.at.clone();
                let client = self.client(&at);
                client.send_query(sql);
                let mut out = String::new();
                loop {
                    let got = client.read_answer(false);
                    let more = matches!(&got, Ok(a) if a.status & crate::common::MORE_RESULTS != 0);
                    out += &shown(got, *vertical);
                    if !more {
                        return out;
                    }
                }
            }
        }
    }
}

/// Whether a text is what was expected, where `...` stands for anything.
fn fits(text: &str, expected: &str) -> bool {
    let mut parts = expected.split("...");
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// Runs a page, and returns it with the outputs that its statements had, and the number of its statements.
fn run(page: &str, text: &str) -> (String, usize) {
    let all = blocks(text);
    if all.iter().all(|b| b.language != "sql") {
        return (text.into(), 0);
    }
    let server = Server::start(&[]);
    let mut sessions = Sessions::new(&server);
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let (mut count, mut shift) = (0, 0isize);
    for (i, block) in all.iter().enumerate().filter(|(_, b)| b.language == "sql") {
        let mut out = String::new();
        let end = block.first + block.lines.len();
        for step in steps(block) {
            count += usize::from(matches!(step, Step::Statement { .. }));
            out += &sessions.step(&step);
        }
        // The next block, if it follows at once or after one blank line.
        let output = all.get(i + 1).filter(|b| b.language == "text" && b.first <= end + 3);
        let Some(output) = output else {
            assert!(!out.contains("ERROR "), "{page}, line {}: {out}", block.first);
            continue;
        };
        let expected = output.lines.iter().fold(String::new(), |all, l| all + l + "\n");
        if fits(&out, &expected) {
            continue;
        }
        assert!(
            std::env::var_os("WEIR_WRITE_DOCS").is_some(),
            "{page}, line {}: the statements print\n{out}\nand not\n{expected}",
            output.first
        );
        let at = output.first.checked_add_signed(shift).expect("a line of the page");
        let new: Vec<String> = out.lines().map(|l| l.trim_end().to_owned()).collect();
        shift += new.len() as isize - output.lines.len() as isize;
        lines.splice(at..at + output.lines.len(), new);
    }
    (lines.join("\n") + "\n", count)
}

#[test]
fn the_sql_of_the_book_runs_and_prints_what_it_says() {
    let mut count = 0;
    for path in pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (new, n) = run(&name(&path), &text);
        count += n;
        if new != text {
            std::fs::write(&path, new).unwrap();
        }
    }
    assert!(count > 100, "the book has {count} statements");
}

#[test]
fn a_block_is_cut_into_statements_of_sessions() {
    let block = Block {
        language: "sql".into(),
        first: 1,
        lines: [
            "-- session B waits",
            "SELECT 1,",
            "  2;",
            "SHOW STATUS\\G",
            "DELIMITER //",
            "BEGIN; END//",
        ]
        .map(String::from)
        .into(),
    };
    let statement = |sql: &str, vertical| Step::Statement { sql: sql.into(), vertical };
    assert_eq!(
        steps(&block),
        [
            Step::Session { name: "B".into(), waits: true },
            statement("SELECT 1,\n  2", false),
            statement("SHOW STATUS", true),
            statement("BEGIN; END", false),
        ]
    );
}

#[test]
fn dots_stand_for_anything() {
    for (text, expected, right) in [
        ("a 12 b", "a ... b", true),
        ("a 12 b", "a 12 b", true),
        ("a 12 b", "a 12", false),
        ("a 12 b c", "a ... b", false),
        ("a 12 b c d", "a ... c ...", true),
        ("x a", "a...", false),
    ] {
        assert_eq!(fits(text, expected), right, "{text} {expected}");
    }
}
