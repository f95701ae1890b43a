//! The reference of the book is made from the tables of the program; `WEIR_WRITE_DOCS=1` writes it again. The book's SQL is run by the
//! black-box tests of `weir`.
use crate::common::*;
use std::fmt::Write;
use weir_engine::{StatusKind, StatusUnit};
use weir_sql::errno;
use weir_sql::func::{self, facts::Volatility};
use weir_sql::help;
use weir_sql::vars::{self, Scope, Settable, VarType};
use weir_syntax::ast::{Facts, InProgram, Logged, SqlCommand, UnderLocks};

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src");
const MADE: &str =
    "<!-- Made from the tables of the program by sql/tests/book.rs; do not edit. -->\n\n";

/// Compares a page of the reference with what it should be, or writes it.
fn page(name: &str, text: &str) {
    let path = format!("{BOOK}/reference/{name}.md");
    let want = format!("{MADE}{text}");
    if std::env::var_os("WEIR_WRITE_DOCS").is_some() {
        std::fs::write(path, want).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == want,
        "{path} is stale: WEIR_WRITE_DOCS=1 cargo test -p weir-sql --test sql book:: writes it again"
    );
}

/// A text within a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

#[test]
fn statements_are_current() {
    let mut out = String::from(
        "# Statements\n\n\
         Each kind of statement has a counter, `SHOW STATUS LIKE 'Com_...'`. It *commits* if it ends the transaction at hand first. A *definition* \
         is refused in a READ ONLY transaction and while `read_only` is on. It can be *prepared* or not (1295). *In a binary log* it is written by \
         its rows, by its text, as the end or the part of a transaction, or not at all. *In functions* says what happens in the body of a stored \
         function or trigger, *under LOCK TABLES* what the session's own locks ask of it.\n\n\
         | kind | commits | definition | prepared | in a binary log | in functions | under LOCK TABLES |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let yes = |is: bool| if is { "yes" } else { "" };
    for command in SqlCommand::ALL {
        let row: &Facts = command.row();
        let logged = match row.logged {
            Logged::Rows => "rows",
            Logged::Statement => "text",
            Logged::Transaction => "transaction",
            Logged::Never => "",
        };
        let in_program = match row.in_program {
            InProgram::Allowed => "yes",
            InProgram::SendsRows => "1415",
            InProgram::Commits => "1422",
            InProgram::SetsAutocommit => "1445",
            InProgram::Dynamic | InProgram::Flushes(_) => "1336",
            InProgram::Refused(_) => "1314, in procedures too",
            InProgram::Program => "1303",
        };
        let under_locks = match row.under_locks {
            UnderLocks::Allowed => "yes",
            UnderLocks::NamedTables => "its tables",
            UnderLocks::GrantTables => "1100",
            UnderLocks::Refused => "1192",
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {logged} | {in_program} | {under_locks} |",
            row.event(),
            yes(row.commits),
            yes(row.defines),
            yes(!row.unprepared),
        );
    }
    syntaxes(&mut out);
    page("statements", &out);
}

/// What HELP says of statements and types, by category.
fn syntaxes(out: &mut String) {
    out.push_str(
        "\n## Syntax\n\n\
         What HELP shows. Square brackets hold what may be left out, braces a choice, and `...` means that more may follow.\n",
    );
    let all = help::help();
    let of_functions = |c: &help::Category| {
        let parent = all.categories.iter().find(|p| Some(p.id) == c.parent);
        c.name == "Functions" || parent.is_some_and(|p| p.name == "Functions")
    };
    for category in all.categories.iter().filter(|c| !of_functions(c)) {
        let topics: Vec<_> = all.topics.iter().filter(|t| t.category == category.id).collect();
        if topics.is_empty() {
            continue;
        }
        let _ = write!(out, "\n### {}\n", category.name);
        for topic in topics {
            let body = topic.description.trim_start_matches("Syntax:\n").trim_end();
            let (syntax, meaning) = body.rsplit_once("\n\n").expect("a topic has a meaning");
            let _ = write!(
                out,
                "\n#### {}\n\n{}\n\n```text\n{syntax}\n```\n\nExample: {}\n",
                topic.name,
                meaning.replace('<', "&lt;"),
                code(&topic.example)
            );
        }
    }
}

/// What functions mean, with an example each: `NAME | meaning | example`, in sections.
const MEANINGS: &str = include_str!("../src/func/meanings.txt");

/// A text of code within a cell of a table.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|").replace('\n', " ");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// The same, and nothing of what is empty.
fn value_code(text: &str) -> String {
    if text.is_empty() { String::new() } else { code(&text.replace('`', "")) }
}

/// How many arguments a function takes, and when its value changes; neither where it has no row.
fn facts_of(name: &str) -> (String, &'static str) {
    let Some(f) = func::all().find(|f| f.name == name) else { return (String::new(), "") };
    let arguments = match (f.min_args, f.max_args) {
        (a, func::ANY) => format!("{a} or more"),
        (a, b) if a == b => a.to_string(),
        (a, b) => format!("{a} to {b}"),
    };
    let changes = match f.volatility {
        Volatility::Never => "",
        Volatility::Statement => "; *changes with each statement*",
        Volatility::Session => "; *changes with the session*",
        Volatility::Volatile => "; *changes with each call*",
    };
    (arguments, changes)
}

#[test]
fn functions_are_current() {
    let mut all: Vec<_> = func::all().map(|f| f.name).filter(|n| !n.contains(' ')).collect();
    all.sort_unstable();
    let first = MEANINGS.lines().take_while(|l| !l.starts_with('#'));
    let explained: Vec<_> = first.filter_map(|l| l.split(" | ").next()).collect();
    assert_eq!(explained, all, "each function has a line of func/meanings.txt, in order");
    with_server(1, async |s| {
        let mut c = s.client();
        let head = "| function | arguments | meaning | example |\n|---|---|---|---|\n";
        let mut out = format!(
            "# Functions\n\n\
             The {} built-in functions, and those of the language. *Arguments* is their number. What *changes* may have another value although its \
             arguments are the same: in the next statement, in a session with other settings, or in the next call. The results of the examples are those that Weir gave \
             when the page was made; several rows have semicolons between them.\n\n{head}",
            all.len()
        );
        for line in MEANINGS.lines() {
            if let Some(section) = line.strip_prefix("# ") {
                let _ = write!(out, "\n## {section}\n\n{head}");
                continue;
            }
            let parts: Vec<&str> = line.split(" | ").map(|p| p.trim_end_matches(" |")).collect();
            let (name, meaning) = (parts[0], parts[1]);
            let (arguments, changes) = facts_of(name);
            let example = match parts.get(2) {
                None => String::new(),
                Some(sql) => {
                    let result = c.rows(&format!("SELECT {sql}")).await;
                    format!("{} is {}", code(sql), code(&result))
                }
            };
            let _ =
                writeln!(out, "| {name} | {arguments} | {}{changes} | {example} |", cell(meaning));
        }
        c.0.close().await;
        page("functions", &out);
    });
}

/// The type of a variable with its range.
fn range(ty: VarType) -> String {
    match ty {
        VarType::Bool => "ON, OFF".into(),
        VarType::Int { min, max } => format!("{min} to {max}"),
        VarType::UInt { min, max } => format!("{min} to {max}"),
        VarType::UIntOrAuto { min, max } => format!("`auto`, {min} to {max}"),
        VarType::Size { min, max, .. } => format!("{min} to {max} bytes"),
        VarType::Float { min, max } => format!("{min} to {max}"),
        VarType::Enum(names) => {
            names.iter().filter(|n| !n.is_empty()).copied().collect::<Vec<_>>().join(", ")
        }
        VarType::Set(names) => {
            let names: Vec<_> = names.iter().filter(|n| !n.is_empty()).copied().collect();
            format!("any of {}", names.join(", "))
        }
        VarType::Str => "text".into(),
        VarType::Charset { .. } => "character set".into(),
        VarType::Collation => "collation".into(),
        VarType::TimeZone => "time zone".into(),
    }
}

#[test]
fn variables_are_current() {
    let mut out = String::from(
        "# Variables\n\n\
         *Scope*: G global, S session. *Set*: `option` on the command line and in option files, `SET` while the server runs. Variables of MySQL \
         that have no effect here are in the second table, with the reason.\n\n\
         | variable | scope | set | default | values | meaning |\n|---|---|---|---|---|---|\n",
    );
    let mut inert = String::from("\n## Without effect\n\n| variable | reason |\n|---|---|\n");
    for var in vars::sorted() {
        let def = var.def();
        if let Some(note) = def.note {
            let _ = writeln!(inert, "| {} | {} |", def.name, cell(note));
            continue;
        }
        let scope = match def.scope {
            Scope::Global => "G",
            Scope::Session => "S",
            Scope::Both => "G, S",
        };
        let set = match def.settable {
            Settable::Always | Settable::GlobalOnly => "option, SET",
            Settable::AtStart => "option",
            Settable::Running => "SET",
            Settable::Never => "",
        };
        let value = def.default.value();
        let default = def.show(&value);
        let _ = writeln!(
            out,
            "| {} | {scope} | {set} | {} | {} | {} |",
            def.name,
            value_code(&default),
            value_code(&range(def.ty)),
            cell(def.doc)
        );
    }
    page("variables", &(out + &inert));
}

#[test]
fn status_variables_are_current() {
    with_server(1, async |s| {
        let mut all = weir_sql::metrics::metrics(&s.inst);
        all.sort_by_key(|(def, _)| def.name);
        let mut out = String::from(
            "# Status variables\n\n\
             Counters rise from the start on (FLUSH STATUS sets a session's back); gauges are what is true at the moment. Counters of statements, \
             `Com_*`, are those of [Statements](statements.md).\n\n\
             | variable | kind | unit | meaning |\n|---|---|---|---|\n",
        );
        let of_statements: Vec<_> = SqlCommand::ALL.iter().map(|c| c.row().counter).collect();
        for (def, _) in all.iter().filter(|(def, _)| !of_statements.contains(&def.name)) {
            let kind = if def.kind == StatusKind::Counter { "counter" } else { "gauge" };
            let unit = match def.unit {
                StatusUnit::One => String::new(),
                unit => format!("{unit:?}").to_lowercase(),
            };
            let _ = writeln!(out, "| {} | {kind} | {unit} | {} |", def.name, cell(def.doc));
        }
        page("status", &out);
    });
}

#[test]
fn errors_are_current() {
    let mut out = String::from(
        "# Errors\n\n\
         Numbers, symbols, SQLSTATEs and texts are MySQL's; `{}` stands for what a message is about. A number that is not listed has the state HY000.\n\n\
         | number | symbol | SQLSTATE | text |\n|--:|---|---|---|\n",
    );
    for row in errno::rows() {
        let state = String::from_utf8_lossy(row.sqlstate);
        let _ = writeln!(
            out,
            "| {} | {} | {state} | {} |",
            row.number,
            row.symbol,
            cell(&row.text.replace("{{", "{").replace("}}", "}"))
        );
    }
    page("errors", &out);
}
