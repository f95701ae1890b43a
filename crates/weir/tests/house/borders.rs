//! Where futures are compiled. An optimised crate that awaits the future of an `async fn` compiles it, with all futures inside. So the
//! public calls of the engine's and the session's handles are boxed (`docs/decisions/build.md`), and the crates above the borders
//! call the boxed forms of those that are not.

use crate::source;

/// Files whose public calls are a border, with those calls that stay `async fn` because each allocation would be noticed.
const BORDERS: &[(&str, &str, &[&str])] = &[
    ("engine", "db/mod.rs", &["settle_commit"]),
    ("sql", "session/border.rs", &[]),
    ("sql", "session/connection.rs", &[]),
    ("sql", "session/prepared.rs", &[]),
    ("sql", "session/text.rs", &[]),
    ("sql", "session/deferred_ack.rs", &[]),
    ("sql", "session/events.rs", &[]),
    ("sql", "session/instance.rs", &[]),
    ("sql", "session/scheduler.rs", &[]),
    ("sql", "session/system_tables.rs", &[]),
];

/// Calls of a transaction that the SQL layer alone awaits as they are.
const HOT: &[&str] =
    &["get", "insert", "insert_locking", "insert_many", "update", "delete", "commit", "use_table"];

#[test]
fn what_stands_above_a_border_compiles_no_future_from_under_it() {
    for (krate, file, hot) in BORDERS {
        let sources = source::of(krate);
        let found = sources.iter().find(|s| s.path == *file);
        let s = found.unwrap_or_else(|| panic!("there is no crates/{krate}/src/{file}"));
        for line in &s.lines {
            let Some(rest) = line.trim_start().strip_prefix("pub async fn ") else { continue };
            let name = rest.split(['(', '<']).next().unwrap_or(rest);
            assert!(
                hot.contains(&name),
                "{}: `{name}` is public and async, so each crate that awaits it compiles what is under it once more; return `Boxed`",
                s.name()
            );
        }
    }
}

#[test]
fn crates_above_the_engine_call_the_boxed_forms() {
    for krate in ["sim", "sim_sql", "sim_net", "bench", "reproduce", "server", "weir"] {
        for s in source::of(krate) {
            let program: String =
                s.lines.iter().flat_map(|l| l.chars()).filter(|c| !c.is_whitespace()).collect();
            for call in HOT {
                assert!(
                    !program.contains(&format!("txn.{call}(")),
                    "{} calls txn.{call}(..); `{call}_boxed` is compiled once, in the engine",
                    s.name()
                );
            }
        }
    }
}
