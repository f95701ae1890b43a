//! Where kinds of statements are listed. What MySQL asks of a kind stands in its row (`syntax/ast/command`): a file that lists statements
//! to answer such a question has to be found again for every new kind.

use crate::source;
use std::collections::BTreeSet;

/// A file that names more kinds than this lists them.
const NAMED: usize = 8;

/// The files that list them, because they do something different for each.
const LISTS: &[(&str, &str)] = &[
    // The kind of each statement.
    ("syntax", "ast/command/of.rs"),
    // The grammar makes them.
    ("syntax", "parse/admin.rs"),
    ("syntax", "parse/ddl.rs"),
    ("syntax", "parse/transaction.rs"),
    // Each is run in a way of its own.
    ("sql", "admin/mod.rs"),
    ("sql", "ddl/mod.rs"),
    ("sql", "query/program/own.rs"),
    ("sql", "session/admin.rs"),
    ("sql", "session/mod.rs"),
    // Rights depend on the objects that a statement names.
    ("sql", "rights/statement.rs"),
    // The tables that a statement names.
    ("sql", "session/lock_tables.rs"),
    ("sql", "session/temporary_tables.rs"),
];

#[test]
fn statements_are_listed_in_few_places() {
    let mut lists = BTreeSet::new();
    for package in ["sql", "syntax"] {
        for s in source::of(package) {
            let mut named = BTreeSet::new();
            for line in &s.lines {
                for rest in line.split("Statement::").skip(1) {
                    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                    if rest.starts_with(char::is_uppercase) {
                        named.insert(&rest[..end]);
                    }
                }
            }
            if named.len() > NAMED {
                let at = LISTS.iter().find(|(p, path)| *p == package && *path == s.path);
                assert!(
                    at.is_some(),
                    "{} names {} kinds of statements: give the fact a column in syntax/ast/command/table.rs",
                    s.name(),
                    named.len()
                );
                lists.insert((package, s.path));
            }
        }
    }
    for (package, path) in LISTS {
        assert!(
            lists.contains(&(*package, path.to_string())),
            "{package}/{path} does not list statements any more: take it out of LISTS"
        );
    }
}
