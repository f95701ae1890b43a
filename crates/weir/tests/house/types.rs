//! Where the variants of `SqlType` are listed. What there is to know about a type stands in one table; a file that asks for
//! variants one by one has to be found again for every new type.

use crate::source;
use std::collections::BTreeSet;

/// A file that names more variants than this lists them.
const NAMED: usize = 8;

/// The files that list them, because there the types truly differ.
const LISTS: &[&str] = &[
    // The forms of columns and values in row events.
    "binlog/layout.rs",
    // A definition's bytes, which stand in data directories.
    "meta/codec/types.rs",
    // The grammar's types and attributes.
    "ddl/types.rs",
    // What the values of two types are together.
    "func/merge.rs",
    // The places of a value in an index's order.
    "query/ranges/point.rs",
    // Types of another server's columns beside this one's.
    "query/write/replicated/relation.rs",
    // Values into columns and back.
    "value/store.rs",
    // The table itself, and the types' parameters.
    "value/types/facts.rs",
    "value/types/mod.rs",
];

const VARIANTS: &[&str] = &[
    "Null",
    "Int",
    "Decimal",
    "Float",
    "Double",
    "Char",
    "Varchar",
    "Text",
    "Date",
    "Time",
    "DateTime",
    "Timestamp",
    "Year",
    "Bit",
    "Enum",
    "Set",
    "Json",
    "Geometry",
];

#[test]
fn types_are_listed_in_few_places() {
    let mut lists = BTreeSet::new();
    for s in source::of("sql") {
        let named = |v: &&&str| {
            let names = [format!("SqlType::{v}"), format!("T::{v}")];
            s.lines.iter().any(|l| names.iter().any(|n| source::count(l, n) > 0))
        };
        let n = VARIANTS.iter().filter(named).count();
        if n > NAMED {
            assert!(
                LISTS.contains(&s.path.as_str()),
                "{} names {n} types: ask for their class or their facts (value/types/facts.rs)",
                s.name()
            );
            lists.insert(s.path);
        }
    }
    for path in LISTS {
        assert!(
            lists.contains(*path),
            "{path} does not list the types any more: take it out of LISTS"
        );
    }
}

#[test]
fn all_variants_are_known() {
    let table = source::of("sql").into_iter().find(|s| s.path == "value/types/mod.rs");
    let lines = table.expect("the types").lines;
    let from = lines.iter().position(|l| l == "pub enum SqlType {").expect("the enum");
    let to = from + lines[from..].iter().position(|l| l == "}").expect("its end");
    let found: Vec<&str> = lines[from + 1..to]
        .iter()
        .filter(|l| l.starts_with("    ") && l[4..].starts_with(char::is_uppercase))
        .map(|l| l.trim().trim_end_matches([',', ' ', '{']))
        .collect();
    assert_eq!(found, VARIANTS);
}
