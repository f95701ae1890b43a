//! Who may use whom. A crate uses only crates above it in [`CRATES`]; inside a crate a room (a folder or a file right
//! under `src`) uses only rooms before it in that crate's list. So no two rooms use each other, by whatever detour. A room that is a house
//! by itself has floors of its own ([`INNER`]), to which the same goes.
//!
//! What the code does not keep to yet stands in [`KNOWN`], each arrow with the files that it starts from. The list may only
//! shrink: an arrow that is gone must leave it, a new one fails with its two rooms and its files.

use crate::source::{self, Source, root};
use std::collections::{BTreeMap, BTreeSet};

/// From the ground up.
const CRATES: &[&str] = &[
    "rt",
    "disk",
    "engine",
    "syntax",
    "wire",
    "login",
    "binlog",
    "source",
    "sim",
    "sql",
    "sim_sql",
    "boot",
    "replica",
    "server",
    "sim_net",
    "bench",
    "reproduce",
    "fuzz",
    "compare",
    "weir",
    "capi",
];

const FLOORS: &[(&str, &[&str])] = &[
    (
        "rt",
        &[
            "sync", "rng", "clock", "process", "sched", "wait", "timer", "lib", "sim", "fiber",
            "real", "actor",
        ],
    ),
    (
        "engine",
        &[
            "sync",
            "planted",
            "ids",
            "error",
            "page",
            "row",
            "policy",
            "settings",
            "force",
            "priority",
            "patience",
            "cost",
            "lane",
            "waits",
            "log",
            "lock",
            "files",
            "scratch",
            "pool",
            "flush",
            "mtr",
            "space",
            "btree",
            "change_buffer",
            "history",
            "dict",
            "table",
            "txn",
            "catalog",
            "recovery",
            "db",
            "backup",
            "stalls",
            "status",
            "salvage",
            "store",
        ],
    ),
    ("syntax", &["ast", "lex", "parse"]),
    (
        "reproduce",
        &[
            "machine",
            "plan",
            "figures",
            "published",
            "data",
            "users",
            "world",
            "report",
            "work",
            "cli",
        ],
    ),
    (
        "sql",
        &[
            "planted",
            "errno",
            "value",
            "status",
            "tls",
            "session_api",
            "replication",
            "files",
            "vars",
            "memory",
            "stages",
            "locks",
            "account",
            "meta",
            "binlog",
            "digests",
            "statement_history",
            "context",
            "metrics",
            "processes",
            "func",
            "help",
            "canonical",
            "ddl",
            "rights",
            "infoschema",
            "show",
            "dump",
            "admin",
            "query",
            "session",
            "sys",
        ],
    ),
];

/// Rooms within a room, from the ground up. What is right under it (its `mod.rs`) stands above all of them.
const INNER: &[(&str, &str, &[&str])] = &[(
    "sql",
    "query",
    &[
        "textfile",
        "fulltext",
        "expr",
        "plan",
        "print",
        "eval",
        "ranges",
        "bind",
        "optimize",
        "explain",
        "make",
        "exec",
        "write",
        "statement",
        "program",
    ],
)];

/// Room, the later room that it uses, files that do. In sql the context of an evaluation has the account of memory, which reads
/// the variables.
const KNOWN: &[(&str, &str, &str, &[&str])] = &[("sql", "value", "memory", &["value/context.rs"])];

/// Room -> room it uses -> files.
type Arrows = BTreeMap<(String, String), BTreeSet<String>>;

fn arrows(sources: &[Source]) -> Arrows {
    let mut all = Arrows::new();
    for s in sources.iter().filter(|s| s.path != "lib.rs" && s.path != "main.rs") {
        let text = s.lines.join("\n");
        for used in rooms_named(&text, "crate::") {
            if used != s.room() && used.chars().next().is_some_and(char::is_lowercase) {
                all.entry((s.room().into(), used)).or_default().insert(s.path.clone());
            }
        }
    }
    all
}

/// First names behind `crate::` or a longer path, in groups too.
fn rooms_named(text: &str, path: &str) -> BTreeSet<String> {
    let word =
        |t: &str| t.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = BTreeSet::new();
    for (i, _) in text.match_indices(path) {
        let rest = &text[i + path.len()..];
        match rest.strip_prefix('{') {
            None => {
                found.insert(word(rest));
            }
            Some(group) => {
                let (mut depth, mut at_name) = (0, true);
                for (j, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => at_name = true,
                        c if at_name && !c.is_whitespace() => {
                            found.insert(word(&group[j..]));
                            at_name = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found
}

#[test]
fn groups_are_read() {
    let text = "use crate::{a::{B, c}, d, self::e};\nuse crate::f::G; crate::h::i()";
    let named = |path| rooms_named(text, path).into_iter().collect::<Vec<_>>();
    assert_eq!(named("crate::"), ["a", "d", "f", "h", "self"]);
    assert_eq!(named("crate::f::"), ["G"]);
}

#[test]
fn rooms_use_only_rooms_below_them() {
    let mut wrong = Vec::new();
    let mut met = BTreeSet::new();
    for (krate, order) in FLOORS {
        let sources = source::of(krate);
        for room in sources.iter().map(Source::room).filter(|r| !matches!(*r, "lib" | "main")) {
            assert!(order.contains(&room), "crates/{krate}/src/{room} has no place in FLOORS");
        }
        let place = |room: &str| order.iter().position(|r| *r == room);
        for ((from, to), files) in arrows(&sources) {
            let Some(below) = place(&to) else { continue };
            if Some(below) < place(&from) {
                continue;
            }
            let known = KNOWN.iter().find(|k| k.0 == *krate && k.1 == from && k.2 == to);
            met.insert((*krate, from.clone(), to.clone()));
            for f in files {
                if !known.is_some_and(|k| k.3.contains(&f.as_str())) {
                    wrong.push(format!(
                        "crates/{krate}: {f} (room {from}) uses {to}, which stands above it"
                    ));
                }
            }
        }
    }
    for (krate, from, to, files) in KNOWN {
        let there = arrows(&source::of(krate));
        let left = there.get(&(from.to_string(), to.to_string()));
        for f in files.iter().filter(|f| !left.is_some_and(|l| l.contains(**f))) {
            wrong.push(format!("crates/{krate}: {f} no longer uses {to}: take it out of KNOWN"));
        }
    }
    assert!(wrong.is_empty(), "{}\n", wrong.join("\n"));
}

/// How many `super` come after each other at the most.
fn steps_up(text: &str) -> usize {
    let chain = |at: usize| text[at..].split("::").take_while(|name| *name == "super").count();
    text.match_indices("super::").map(|(at, _)| chain(at)).max().unwrap_or(0)
}

#[test]
fn rooms_within_a_room_use_only_those_below_them() {
    let mut wrong = Vec::new();
    for (krate, house, order) in INNER {
        let path = format!("crate::{house}::");
        let sources = source::of(krate);
        for s in sources.iter().filter(|s| s.room() == *house) {
            let mut parts: Vec<&str> = s.path.trim_end_matches(".rs").split('/').collect();
            parts.retain(|part| *part != "mod");
            let Some(room) = parts.get(1) else { continue };
            let own = order.iter().position(|r| r == room);
            let own = own.unwrap_or_else(|| panic!("{} has no place in INNER", s.name()));
            let text = s.lines.join("\n");
            for used in rooms_named(&text, &path) {
                match order.iter().position(|r| *r == used) {
                    Some(place) if place <= own => {}
                    Some(_) => {
                        wrong.push(format!("{} uses {used}, which stands above it", s.name()))
                    }
                    None => wrong.push(format!(
                        "{} uses {path}{used}, which is none of its rooms",
                        s.name()
                    )),
                }
            }
            // Otherwise the ways out of a room would be of two kinds.
            if steps_up(&text) >= parts.len() - 1 {
                wrong.push(format!("{} leaves its room by `super`: say `{path}`", s.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n", wrong.join("\n"));
}

#[test]
fn crates_use_only_crates_below_them() {
    for krate in source::crates() {
        let place = CRATES.iter().position(|c| *c == krate);
        let place = place.unwrap_or_else(|| panic!("crate {krate} has no place in CRATES"));
        let manifest =
            std::fs::read_to_string(root().join("crates").join(&krate).join("Cargo.toml")).unwrap();
        for line in manifest.lines() {
            let Some(used) = line.strip_prefix("weir-") else { continue };
            let used = used.split(['.', ' ', '=']).next().unwrap().replace('-', "_");
            let below = CRATES.iter().position(|c| *c == used);
            assert!(
                below.is_some_and(|b| b < place),
                "crate {krate} uses {used}, which stands above it"
            );
        }
    }
}
