//! Where built-in functions are named. What is known of a function stands in its row (`func/facts.rs`): a file that asks for a function
//! by its name has to be found again for every new one.

use crate::source;
use std::collections::BTreeSet;

/// Names that are words of the language as well: types, units, statements, columns and variables.
const WORDS: &[&str] = &[
    "ASCII",
    "CHAR",
    "CHARSET",
    "COLLATION",
    "CRC32",
    "DATABASE",
    "DATE",
    "DAY",
    "FIELD",
    "GEOMCOLLECTION",
    "GEOMETRYCOLLECTION",
    "HOUR",
    "IF",
    "INSERT",
    "INTERVAL",
    "LINESTRING",
    "LOG",
    "MICROSECOND",
    "MINUTE",
    "MONTH",
    "MULTILINESTRING",
    "MULTIPOINT",
    "MULTIPOLYGON",
    "POINT",
    "POLYGON",
    "POSITION",
    "QUARTER",
    "REPLACE",
    "SCHEMA",
    "SECOND",
    "SYSTEM_USER",
    "TIME",
    "TIMESTAMP",
    "TRUNCATE",
    "USER",
    "VERSION",
    "WEEK",
    "YEAR",
];

/// What names a function, and why it has to.
const ALLOWED: &[(&str, &str)] = &[
    // The clock that a column's DEFAULT and ON UPDATE name is no call.
    ("ddl/column.rs", "CURRENT_TIMESTAMP"),
    ("ddl/column.rs", "LOCALTIME"),
    ("ddl/column.rs", "LOCALTIMESTAMP"),
    ("ddl/column.rs", "NOW"),
    ("infoschema/describe.rs", "CURRENT_TIMESTAMP"),
    // Operators of the grammar, which MySQL writes as calls.
    ("ddl/expression.rs", "CONCAT"),
    ("ddl/expression.rs", "JSON_EXTRACT"),
    ("ddl/expression.rs", "REGEXP_LIKE"),
    ("ddl/expression.rs", "SOUNDEX"),
    ("ddl/expression.rs", "TRIM"),
    // What MySQL makes of other calls.
    ("canonical/form.rs", "CONV"),
    ("canonical/form.rs", "LOCATE"),
    ("canonical/form.rs", "TO_DAYS"),
    // A call that the binder makes itself.
    ("query/bind/call.rs", "RAND"),
    ("query/bind/name.rs", "ANY_VALUE"),
    // A function of the language itself (`func/special.rs`).
    ("query/bind/call.rs", "BENCHMARK"),
    ("query/print/expr.rs", "BENCHMARK"),
    // Texts of errors and of EXPLAIN.
    ("session/info.rs", "RANDOM_BYTES"),
    ("query/print/expr.rs", "LIKE"),
    // A column of information_schema and a variable.
    ("vars/mod.rs", "LAST_INSERT_ID"),
    // A word of ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS and of the error about its value.
    ("replication/settings.rs", "UUID"),
];

/// The program's lines with the contents of their strings, without comments.
fn lines(s: &source::Source) -> Vec<String> {
    let text = std::fs::read_to_string(source::root().join(s.name())).expect("a source is read");
    let code = |l: &&str| !l.trim_start().starts_with("//");
    text.lines().take(s.lines.len()).filter(code).map(String::from).collect()
}

/// The names of the rows.
fn names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for s in source::of("sql").into_iter().filter(|s| s.path.starts_with("func/")) {
        let text = lines(&s).concat();
        for start in ["def(", "varying("] {
            for after in text.split(start).skip(1) {
                let Some(rest) = after.trim_start().strip_prefix('"') else { continue };
                let name = rest.split('"').next().unwrap_or_default();
                if name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
                    names.insert(name.to_owned());
                }
            }
        }
    }
    names
}

#[test]
fn functions_are_named_in_their_rows() {
    let names = names();
    assert!(names.len() > 250, "only {} rows are found", names.len());
    let mut used = BTreeSet::new();
    for s in source::of("sql").into_iter().filter(|s| !s.path.starts_with("func/")) {
        for line in lines(&s) {
            for literal in line.split('"').skip(1).step_by(2) {
                let name = literal.to_ascii_uppercase();
                if !names.contains(&name) || WORDS.contains(&name.as_str()) {
                    continue;
                }
                let allowed = ALLOWED.iter().find(|(p, n)| *p == s.path && *n == name);
                let Some(entry) = allowed else {
                    panic!(
                        "{} names {name}(): give its row a fact (func/facts.rs) and ask for that",
                        s.name()
                    )
                };
                used.insert(*entry);
            }
        }
    }
    for entry in ALLOWED {
        assert!(used.contains(entry), "{entry:?} is named there no more: take it out of ALLOWED");
    }
}
