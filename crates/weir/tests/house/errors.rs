//! Errors are raised by their symbols, and their texts stand in the table (`sql/errno.rs`) alone.

use crate::source;
use std::collections::BTreeMap;

/// Crates that raise errors of the server. The parser, which knows no table, has numbers of its own.
const CRATES: [&str; 3] = ["sql", "server", "replica"];

/// Numbers of client libraries, and one of MariaDB's, which MySQL's list of the server's errors does not have.
const OTHERS: [&str; 4] = ["1927", "2026", "2027", "2059"];

/// Symbols with the number of arguments that their texts take, and the texts as `format!` would have them.
fn table() -> BTreeMap<String, (usize, String)> {
    let mut rows = BTreeMap::new();
    for file in ["errno.rs", "errno/extended.rs"] {
        let path = source::root().join("crates/sql/src").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        // A long text goes on after a line that ends in a backslash.
        let text: String = text.split("\\\n").map(str::trim_start).collect();
        let text = text.replace("\",\n        \"", "\", \"").replace(",\n        \"", ", \"");
        for line in text.lines().map(str::trim) {
            let Some((symbol, rest)) = line.split_once(" = ") else { continue };
            let Some((_, rest)) = rest.split_once(", b\"") else { continue };
            let Some((_, rest)) = rest.split_once("\", \"") else { continue };
            let text = rest.trim_end_matches("\";");
            let places = text.replace("{{", "").replace("}}", "").matches("{}").count();
            rows.insert(symbol.to_owned(), (places, text.to_owned()));
        }
    }
    assert!(rows.len() > 600, "the table of errors was not read: {} rows", rows.len());
    rows
}

/// What stands between a parenthesis or bracket at the beginning of `text` and the one that closes it.
fn inside(text: &str) -> &str {
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return &text[1..at];
                }
            }
            _ => {}
        }
    }
    ""
}

/// Arguments at the top level, a comma after the last one left out.
fn arguments(list: &str) -> usize {
    let (mut depth, mut quoted, mut escaped, mut n) = (0, false, false, 0);
    let list = list.trim().trim_end_matches(',');
    for c in list.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => n += 1,
            _ => {}
        }
    }
    if list.is_empty() { 0 } else { n + 1 }
}

fn is_number(text: &str) -> bool {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    digits == 4 && !OTHERS.contains(&&text[..4])
}

#[test]
fn errors_are_raised_by_their_symbols() {
    const RAISES: [&str; 9] = [
        "Error::new(",
        "Error::of(",
        ".warn(",
        ".note(",
        "errno: ",
        "errno == ",
        "errno != ",
        "errno, ",
        "message(",
    ];
    for package in CRATES {
        for s in source::of(package) {
            // Calls whose arguments stand on lines of their own are joined.
            let text = s.lines.iter().map(|l| l.trim()).collect::<Vec<_>>().join(" ");
            for raise in RAISES {
                for (at, _) in text.match_indices(raise) {
                    let rest = text[at + raise.len()..].trim_start();
                    assert!(
                        !is_number(rest),
                        "{}: {raise}{}: give the error a row in sql/errno.rs and use its symbol",
                        s.name(),
                        &rest[..4]
                    );
                }
            }
        }
    }
}

#[test]
fn errors_have_the_arguments_that_their_texts_take() {
    let table = table();
    let mut seen = 0;
    for package in CRATES {
        for s in source::of(package) {
            let text = s.lines.join("\n");
            for call in ["Error::of(", "errno::message("] {
                for (at, _) in text.match_indices(call) {
                    let all = inside(&text[at + call.len() - 1..]);
                    let Some(rest) = all.trim_start().strip_prefix("errno::") else { continue };
                    let Some((symbol, list)) = rest.split_once(',') else { continue };
                    let list = list.trim_start().trim_start_matches('&');
                    if !list.starts_with('[') {
                        continue;
                    }
                    let list = inside(list);
                    let row = table.get(symbol.trim());
                    let places = row.map(|(places, _)| *places);
                    assert_eq!(places, Some(arguments(list)), "{}: {symbol} of {list}", s.name());
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 300, "only {seen} errors are raised with their table's text");
}

#[test]
fn texts_of_the_table_are_not_written_again() {
    let table = table();
    for package in CRATES {
        for s in source::of(package).iter().filter(|s| !s.path.starts_with("errno")) {
            let path = source::root().join("crates").join(package).join("src").join(&s.path);
            let raw = std::fs::read_to_string(path).unwrap();
            for (at, _) in raw.match_indices("SqlError::new(") {
                let all = inside(&raw[at + "SqlError::new".len()..]);
                let Some(rest) = all.trim_start().strip_prefix("errno::") else { continue };
                let Some((symbol, text)) = rest.split_once(',') else { continue };
                let Some((_, known)) = table.get(symbol.trim()) else { continue };
                let text = text.trim().trim_start_matches("format!(").trim_start();
                let Some(text) = text.strip_prefix('"') else { continue };
                let text = text.split('"').next().unwrap_or_default();
                assert_ne!(
                    &placed(text),
                    known,
                    "{}: use SqlError::of, which has the text of {symbol}",
                    s.name()
                );
            }
        }
    }
}

/// A text with its named arguments as places.
fn placed(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match c {
            '{' => {
                inside = true;
                out.push_str("{}");
            }
            '}' => inside = false,
            _ if inside => {}
            _ => out.push(c),
        }
    }
    out
}
