//! How long, how safe and how finished the code is. Each figure is a ratchet: what is over a limit today is counted, the
//! count may only sink, and a test that finds fewer says so, so that the smaller number is written down here.

use crate::source::{self, Source, count};

/// Lines of a file without its tests that fit in a head, and of a function that fit on a screen.
const FILE: usize = 700;
const FUNCTION: usize = 70;

/// Files over [`FILE`] lines, functions over [`FUNCTION`] lines, in all crates.
const LONG_FILES: usize = 0;
const LONG_FUNCTIONS: usize = 24;

/// The only files with `unsafe` in them. Each has its contract at the place.
const UNSAFE: &[&str] = &[
    "crates/capi/src/bind.rs",
    "crates/capi/src/column.rs",
    "crates/capi/src/connection.rs",
    "crates/capi/src/database_handle.rs",
    "crates/capi/src/handle.rs",
    "crates/capi/src/statement.rs",
    "crates/disk/src/buf.rs",
    "crates/disk/src/real/uring.rs",
    "crates/engine/src/log/buffer.rs",
    "crates/engine/src/log/ring.rs",
    "crates/engine/src/log/writer.rs",
    "crates/engine/src/pool/flush.rs",
    "crates/engine/src/pool/load.rs",
    "crates/engine/src/pool/memory.rs",
    "crates/engine/src/pool/mod.rs",
    "crates/engine/src/pool/recover.rs",
    "crates/rt/src/clock.rs",
    "crates/rt/src/process.rs",
    "crates/rt/src/sched.rs",
    "crates/rt/src/wait.rs",
    "crates/weir/src/cli/allocator.rs",
    "crates/weir/src/cli/crash.rs",
];

fn all() -> Vec<Source> {
    source::crates().iter().flat_map(|c| source::of(c)).collect()
}

fn ratchet(what: &str, limit: usize, found: &[String]) {
    assert!(
        found.len() <= limit,
        "{} {what}, {limit} are known; the new one is among\n{}\n",
        found.len(),
        found.join("\n")
    );
    assert!(
        found.len() == limit,
        "{what}: {} instead of {limit}; write the smaller number down",
        found.len()
    );
}

#[test]
fn files_fit_in_a_head() {
    let long = |s: &Source| s.lines.len() > FILE;
    let found: Vec<String> = all()
        .iter()
        .filter(|s| long(s))
        .map(|s| format!("{}: {} lines", s.name(), s.lines.len()))
        .collect();
    ratchet("files are too long", LONG_FILES, &found);
}

/// Functions with their first line and length. rustfmt ends each with a brace under its first letter.
fn functions(s: &Source) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (i, line) in s.lines.iter().enumerate() {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        if count(code, "fn") == 0
            || code.starts_with("fn(")
            || !code.starts_with(['p', 'f', 'a', 'u', 'c', 'e'])
        {
            continue;
        }
        let end = format!("{}}}", &line[..indent]);
        let Some(n) =
            s.lines[i..].iter().position(|l| *l == end || (l.starts_with(&end) && indent == 0))
        else {
            continue;
        };
        // A declaration or a one-line body ends before the next function begins.
        let next = s.lines[i + 1..].iter().position(|l| {
            let c = l.trim_start();
            l.len() - c.len() == indent && count(c, "fn") > 0
        });
        if next.is_none_or(|next| next + 1 > n) {
            found.push((i + 1, n + 1));
        }
    }
    found
}

#[test]
fn functions_fit_on_a_screen() {
    let mut found = Vec::new();
    for s in all() {
        for (line, n) in functions(&s) {
            if n > FUNCTION {
                found.push(format!("{}:{line}: {n} lines", s.name()));
            }
        }
    }
    ratchet("functions are too long", LONG_FUNCTIONS, &found);
}

#[test]
fn unsafe_stays_in_its_modules() {
    let mut used = Vec::new();
    for s in all() {
        if s.lines.iter().any(|l| count(l, "unsafe") > 0) {
            assert!(
                UNSAFE.contains(&s.name().as_str()),
                "{} has unsafe code, and is not one of the modules for it",
                s.name()
            );
            used.push(s.name());
        }
    }
    for name in UNSAFE {
        assert!(
            used.iter().any(|u| u == name),
            "{name} has no unsafe code any more: take it out of UNSAFE"
        );
    }
}

#[test]
fn crates_without_unsafe_forbid_it() {
    for krate in source::crates() {
        let sources = source::of(&krate);
        if UNSAFE.iter().any(|u| u.starts_with(&format!("crates/{krate}/"))) {
            continue;
        }
        let top = sources.iter().find(|s| s.path == "lib.rs" || s.path == "main.rs").unwrap();
        let forbids = top.lines.iter().any(|l| l.starts_with("#![forbid(unsafe_code)]"));
        assert!(forbids, "crate {krate} has no unsafe code: {} should forbid it", top.name());
    }
}

#[test]
fn nothing_is_left_to_do() {
    for s in all() {
        for (i, l) in s.lines.iter().enumerate() {
            for word in ["todo!", "unimplemented!", "dbg!"] {
                assert!(!l.contains(word), "{}:{}: {word}", s.name(), i + 1);
            }
        }
    }
}
