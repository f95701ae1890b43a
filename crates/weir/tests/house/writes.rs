//! In `sql` one file writes rows: whatever must see each row that is written (checks, triggers, foreign keys, row events) has one
//! place to stand.

use crate::source::{self, Source, root};
use std::collections::BTreeSet;

const WRITER: &str = "query/write/mod.rs";

/// The engine's methods that write rows of a transaction; each takes the table first.
const METHODS: &[&str] = &["delete", "insert", "insert_locking", "insert_many", "update"];

/// The engine's files that have them.
const IN_ENGINE: &[&str] = &["txn/rows.rs", "txn/bulk.rs"];

/// Calls that write rows by other ways, with the only file for each.
const EXCEPTIONS: &[(&str, &str)] = &[
    // ALTER TABLE: the same rows in a new layout. Nobody sees a change of a row, and the engine takes all of it or nothing.
    ("rebuild_table", "ddl/alter_run.rs"),
    // One row of a plan that asks for nothing beyond it, in an attempt that waits for nothing; see docs/decisions/point-plan.md.
    ("change_now", "query/write/point.rs"),
    ("insert_now", "query/write/point.rs"),
    ("change_alone", "query/write/point.rs"),
    ("insert_alone", "query/write/point.rs"),
    // All rows go at once, without being looked at: MySQL fires no trigger for it and logs it as a statement.
    ("truncate_table", "ddl/drop.rs"),
    // The same for partitions: rows go from one to another, or with one. A table that changes places with one has the rows of before.
    ("change_parts", "ddl/partition_alter.rs"),
    ("exchange_part", "ddl/partition_alter.rs"),
];

/// The program's text without blanks, so that a call that is written over several lines is one.
fn dense(s: &Source) -> String {
    s.lines.iter().flat_map(|l| l.chars()).filter(|c| !c.is_whitespace()).collect()
}

/// Places where `method` is called on a transaction, or with an engine's table as its first argument.
fn calls(text: &str, method: &str) -> usize {
    let call = format!(".{method}(");
    let is_row_write = |at: usize| {
        let first = text[at + call.len()..].split([',', ')']).next().unwrap_or_default();
        text[..at].ends_with("txn") || first.ends_with(".engine") || first.ends_with("&table")
    };
    text.match_indices(&call).filter(|(at, _)| is_row_write(*at)).count()
}

#[test]
fn calls_are_found() {
    let text =
        "r.txn.insert(x).await;t.update(&table.engine,key);map.insert(k,v);tx.delete(&table,k)";
    let found: Vec<usize> = METHODS.iter().map(|m| calls(text, m)).collect();
    assert_eq!(found, [1, 1, 0, 0, 1]);
}

#[test]
fn one_file_of_sql_writes_rows() {
    for s in source::of("sql") {
        let text = dense(&s);
        for method in METHODS {
            let n = calls(&text, method);
            assert!(
                n == 0 || s.path == WRITER,
                "{} calls Txn::{method}: rows are written by crates/sql/src/{WRITER}",
                s.name()
            );
        }
        for (call, file) in EXCEPTIONS {
            let n = text.matches(&format!(".{call}(")).count();
            assert!(n == 0 || s.path == *file, "{} calls {call}: only {file} may", s.name());
        }
    }
    let writer = source::of("sql").into_iter().find(|s| s.path == WRITER).expect("the writer");
    let text = dense(&writer);
    for method in METHODS.iter().filter(|m| **m != "insert") {
        assert!(calls(&text, method) > 0, "{WRITER} does not call {method}");
    }
}

/// A method added to the engine must be added above.
#[test]
fn all_methods_that_write_rows_are_known() {
    let mut found = BTreeSet::new();
    for file in IN_ENGINE {
        let path = root().join("crates/engine/src").join(file);
        let text: String = std::fs::read_to_string(path).unwrap();
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        for (at, _) in text.match_indices("pubasyncfn") {
            let rest = &text[at + "pubasyncfn".len()..];
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let takes_table =
                rest.split(')').next().is_some_and(|args| args.contains("&Arc<Table>"));
            if takes_table {
                found.insert(name);
            }
        }
    }
    let known: BTreeSet<String> = METHODS.iter().map(|m| m.to_string()).collect();
    assert_eq!(found, known);
}
